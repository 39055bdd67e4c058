//! What a descriptor, read as a record, holds in one of its fields.

use crate::value::{Record, Value};

/// The records in a repeated field.
pub(super) fn records(record: &Record, number: i32) -> impl Iterator<Item = &Record> {
    let values = match record.fields.get(&number) {
        Some(Value::List(values)) => values.as_slice(),
        _ => &[],
    };
    values.iter().filter_map(|value| match value {
        Value::Record(record) => Some(record),
        _ => None,
    })
}

/// A text, or bytes read as one.
pub(super) fn text(record: &Record, number: i32) -> Option<String> {
    match record.fields.get(&number) {
        Some(Value::Text(bytes) | Value::Bytes(bytes)) => Some(String::from_utf8_lossy(bytes).into_owned()),
        _ => None,
    }
}

/// A number, that of an enum value included.
pub(super) fn number(record: &Record, field: i32) -> Option<i128> {
    match record.fields.get(&field)? {
        Value::Int(value) => Some(*value),
        Value::Enum { number, .. } => Some((*number).into()),
        _ => None,
    }
}

/// Whether a flag is set.
pub(super) fn flag(record: &Record, field: i32) -> bool {
    matches!(record.fields.get(&field), Some(Value::Bool(true)))
}

/// The record in a singular field.
pub(super) fn inner(record: &Record, field: i32) -> Option<&Record> {
    match record.fields.get(&field) {
        Some(Value::Record(record)) => Some(record),
        _ => None,
    }
}

fn values(record: &Record, field: i32) -> &[Value] {
    match record.fields.get(&field) {
        Some(Value::List(values)) => values,
        _ => &[],
    }
}

/// The texts in a repeated field.
pub(super) fn texts(record: &Record, field: i32) -> Vec<String> {
    let text = |value: &Value| match value {
        Value::Text(bytes) => String::from_utf8_lossy(bytes).into_owned(),
        _ => String::new(),
    };
    values(record, field).iter().map(text).collect()
}

/// The numbers in a repeated field.
pub(super) fn numbers(record: &Record, field: i32) -> Vec<i128> {
    let number = |value: &Value| if let Value::Int(value) = value { *value } else { 0 };
    values(record, field).iter().map(number).collect()
}
