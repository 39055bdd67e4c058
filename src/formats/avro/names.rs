//! The keys of fields in record values, and what a schema calls them where values are shown to people.

use std::borrow::Cow;

use crate::value::Names;

use super::model::{Kind, Schema, TypeId};

/// The key of a field in a record value.
pub(super) fn field_key(index: usize) -> i32 {
    i32::try_from(index).expect("a record has fewer fields than its schema has bytes, and that is 32 bits")
}

/// The names of a schema, for people.
pub(super) struct SchemaNames<'s, 'a>(pub(super) &'s Schema<'a>);

impl Names for SchemaNames<'_, '_> {
    fn field(&self, record: u32, key: i32) -> Cow<'_, str> {
        let field = usize::try_from(key).ok().and_then(|key| self.0.record(TypeId(record))?.fields.get(key));
        field.map_or_else(|| Cow::Owned(key.to_string()), |field| Cow::Borrowed(&*field.name))
    }

    fn enum_value(&self, ty: u32, number: i32) -> Option<Cow<'_, str>> {
        match self.0.kind(TypeId(ty)) {
            Kind::Enum(definition) => {
                let symbol = definition.symbols.get(usize::try_from(number).ok()?)?;
                Some(Cow::Borrowed(&*symbol.0))
            }
            _ => None,
        }
    }
}
