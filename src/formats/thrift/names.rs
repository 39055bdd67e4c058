//! What a schema calls its fields and enum values, where values are shown to people.

use std::borrow::Cow;

use crate::value::Names;

use super::codec::{self, Types};
use super::model::{EnumId, StructId};

/// The names of a schema, for people.
pub(super) struct SchemaNames<'s, 'b>(pub(super) Types<'s, 'b>);

impl Names for SchemaNames<'_, '_> {
    fn field(&self, record: u32, key: i32) -> Cow<'_, str> {
        if record == codec::ENTRY {
            return Cow::Borrowed(if key == 1 { "key" } else { "value" });
        }
        let structure = self.0.structure(StructId(record));
        match i16::try_from(key).ok().and_then(|id| structure.field(id)) {
            Some(field) => Cow::Borrowed(&field.name.text),
            None => Cow::Owned(key.to_string()),
        }
    }

    fn enum_value(&self, ty: u32, number: i32) -> Option<Cow<'_, str>> {
        let mut values = self.0.schema.enumeration(EnumId(ty)).numbered(number);
        values.next().map(|value| Cow::Borrowed(&*value.name.text))
    }
}
