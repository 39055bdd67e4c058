//! What a schema calls its fields, members of unions and enum values, where values are shown to people.

use std::borrow::Cow;

use serde_json::Value as Json;

use crate::value::{self, Names, Record, Value};

use super::codec::member_name;
use super::model::{EnumId, Schema, StructId, union_key};
use super::reader::rejected;

/// The names of a schema, for people.
pub(super) struct SchemaNames<'s, 'b>(pub(super) &'s Schema<'b>);

impl Names for SchemaNames<'_, '_> {
    fn field(&self, record: u32, key: i32) -> Cow<'_, str> {
        let of = self.0.structure(StructId(record));
        if key < 0 {
            let union = usize::try_from(-1 - key).ok().and_then(|at| of.unions.get(at));
            return match union.map(|union| &*union.path) {
                Some("") | None => Cow::Borrowed("(union)"),
                Some(path) => Cow::Owned(format!("({path})")),
            };
        }
        match of.fields.iter().find(|field| i32::from(field.ordinal) == key) {
            Some(field) => Cow::Borrowed(&field.path),
            None => Cow::Owned(key.to_string()),
        }
    }

    fn enum_value(&self, ty: u32, number: i32) -> Option<Cow<'_, str>> {
        let number = u16::try_from(number).ok()?;
        self.0.enumeration(EnumId(ty)).name_of(number).map(Cow::Borrowed)
    }
}

/// A record for people: which member a union holds is told by its name, what is rejected by the reason.
pub(super) fn for_people(schema: &Schema<'_>, value: &Value) -> Json {
    value::for_people(&told(schema, value), &SchemaNames(schema))
}

/// How deep values nest, the codec has limited.
fn told(schema: &Schema<'_>, value: &Value) -> Value {
    if let Some(reason) = rejected(value) {
        return Value::Text([b"(rejected: ", reason, b")"].concat());
    }
    match value {
        Value::List(values) => Value::List(values.iter().map(|value| told(schema, value)).collect()),
        Value::Record(record) => Value::Record(told_record(schema, record)),
        other => other.clone(),
    }
}

fn told_record(schema: &Schema<'_>, record: &Record) -> Record {
    let of = schema.structure(StructId(record.ty));
    let mut shown = Record::empty(record.ty);
    for (index, union) in of.unions.iter().enumerate() {
        let key = union_key(index);
        if let Some(Value::Int(member)) = record.fields.get(&key) {
            let name = match member_name(union, *member) {
                Some(name) => name.to_owned(),
                None => format!("member {member}, which has no name"),
            };
            shown.fields.insert(key, Value::Text(name.into_bytes()));
        }
    }
    let fields = record.fields.iter().filter(|(key, _)| **key >= 0);
    shown.fields.extend(fields.map(|(key, value)| (*key, told(schema, value))));
    shown
}
