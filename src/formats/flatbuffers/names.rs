//! What a schema calls its fields and enum values, where values are shown to people.

use std::borrow::Cow;

use crate::value::Names;

use super::codec::Types;
use super::model::{EnumId, ObjectId};

/// The names of a schema, for people.
pub(super) struct SchemaNames<'s, 'b>(pub(super) Types<'s, 'b>);

impl Names for SchemaNames<'_, '_> {
    fn field(&self, record: u32, key: i32) -> Cow<'_, str> {
        let object = self.0.object(ObjectId(record));
        match object.fields.iter().find(|field| i32::from(field.slot) == key) {
            Some(field) => Cow::Borrowed(&field.name.text),
            None => Cow::Owned(key.to_string()),
        }
    }

    fn enum_value(&self, ty: u32, number: i32) -> Option<Cow<'_, str>> {
        let value = self.0.schema.enumeration(EnumId(ty)).numbered(i128::from(number));
        value.map(|value| Cow::Borrowed(&*value.name.text))
    }
}
