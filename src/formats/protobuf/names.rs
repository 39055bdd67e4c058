//! What a schema calls its fields and enum values, where values are shown to people.

use std::borrow::Cow;

use crate::value::Names;

use super::codec::Types;
use super::model::{EnumId, MessageId};

/// The names of a schema, for people.
pub(super) struct SchemaNames<'s, 'a>(pub(super) Types<'s, 'a>);

impl Names for SchemaNames<'_, '_> {
    fn field(&self, record: u32, key: i32) -> Cow<'_, str> {
        match self.0.field(MessageId(record), key) {
            Some(field) if field.is_extension => Cow::Owned(format!("[{}]", field.name)),
            Some(field) => Cow::Borrowed(&field.name),
            None => Cow::Owned(key.to_string()),
        }
    }

    fn enum_value(&self, ty: u32, number: i32) -> Option<Cow<'_, str>> {
        let values = &self.0.schema.enumeration(EnumId(ty)).ast.values;
        let value = values.iter().find(|value| value.number == i64::from(number));
        value.map(|value| Cow::Borrowed(&*value.name.text))
    }
}
