//! Options in a descriptor → options as they are written.

use std::borrow::Cow;

use crate::value::{Key, Record, Value};

use super::super::codec::Types;
use super::super::model::{EnumId, Field, Kind, MessageId};

/// One option.
pub(super) struct Written {
    /// The number of the option, which places go by.
    pub(super) number: i32,
    /// `deprecated`, `(shop.v1.masked)`, `features.field_presence`.
    pub(super) name: String,
    /// The value.
    pub(super) value: String,
}

/// What stands in descriptors only, and is said elsewhere in source: uninterpreted options, `map_entry`.
fn is_internal(field: &Field<'_>) -> bool {
    !field.is_extension && matches!(&*field.name, "uninterpreted_option" | "map_entry")
}

/// The options of one element, in the order of their numbers.
pub(super) fn written(types: Types<'_, '_>, options: &Record) -> Vec<Written> {
    let id = MessageId(options.ty);
    let mut found = Vec::new();
    for (number, value) in &options.fields {
        let Some(field) = types.field(id, *number).filter(|field| !is_internal(field)) else { continue };
        let name = if field.is_extension { format!("({})", field.name) } else { field.name.to_string() };
        match value {
            Value::Record(features) if name == "features" => {
                let own = written(types, features).into_iter();
                found.extend(own.map(|own| Written { number: *number, name: format!("features.{}", own.name), ..own }));
            }
            // The extension of features that belongs to one language: `features.(pb.cpp).string_type`.
            Value::Record(record) if is_features(types, id) => {
                let own = written(types, record).into_iter();
                found.extend(own.map(|own| Written { number: *number, name: format!("{name}.{}", own.name), ..own }));
            }
            Value::List(values) => {
                let one = |value: &Value| Written {
                    number: *number,
                    name: name.clone(),
                    value: literal(types, field, value),
                };
                found.extend(values.iter().map(one));
            }
            value => found.push(Written { number: *number, value: literal(types, field, value), name }),
        }
    }
    found
}

fn is_features(types: Types<'_, '_>, id: MessageId) -> bool {
    &*types.schema.message(id).full_name == "google.protobuf.FeatureSet"
}

fn literal(types: Types<'_, '_>, field: &Field<'_>, value: &Value) -> String {
    match value {
        Value::Null => "0".to_owned(),
        Value::Bool(value) => value.to_string(),
        Value::Int(value) => value.to_string(),
        Value::Float(value) => real(f64::from(*value), &value.to_string()),
        Value::Double(value) => real(*value, &value.to_string()),
        Value::Text(bytes) | Value::Bytes(bytes) => quoted(bytes),
        Value::Enum { ty, number } => match types.value_of_number(EnumId(*ty), *number) {
            Some(value) => value.name.text.to_string(),
            None => number.to_string(),
        },
        Value::List(values) => {
            let values: Vec<String> = values.iter().map(|value| literal(types, field, value)).collect();
            format!("[{}]", values.join(", "))
        }
        Value::Map(entries) => {
            let entry = |(key, value): (&Key, &Value)| {
                format!("{{ key: {}, value: {} }}", key_text(key), literal(types, field, value))
            };
            format!("[{}]", entries.iter().map(entry).collect::<Vec<_>>().join(", "))
        }
        Value::Record(record) => message(types, field, record),
        Value::Branch { value, .. } => literal(types, field, value),
    }
}

fn message(types: Types<'_, '_>, field: &Field<'_>, record: &Record) -> String {
    let Kind::Message(id) = field.kind else { return "{}".to_owned() };
    let one = |(number, value): (&i32, &Value)| {
        let inner = types.field(id, *number)?;
        let name: Cow<'_, str> = match inner.is_extension {
            true => format!("[{}]", inner.name).into(),
            false => Cow::Borrowed(&*inner.name),
        };
        Some(format!("{name}: {}", literal(types, inner, value)))
    };
    let fields: Vec<String> = record.fields.iter().filter_map(one).collect();
    if fields.is_empty() { "{}".to_owned() } else { format!("{{ {} }}", fields.join(", ")) }
}

fn key_text(key: &Key) -> String {
    match key {
        Key::Bool(value) => value.to_string(),
        Key::Int(value) => value.to_string(),
        Key::Text(bytes) => quoted(bytes),
    }
}

/// A real number as the language has it.
fn real(value: f64, shortest: &str) -> String {
    if value.is_nan() {
        "nan".to_owned()
    } else if value.is_infinite() {
        if value > 0.0 { "inf".to_owned() } else { "-inf".to_owned() }
    } else {
        shortest.to_owned()
    }
}

/// A text in quotes; what is not plain is written as numbers.
pub(super) fn quoted(bytes: &[u8]) -> String {
    let mut out = String::from("\"");
    for chunk in bytes.utf8_chunks() {
        for letter in chunk.valid().chars() {
            match letter {
                '"' | '\\' => out.extend(['\\', letter]),
                '\n' => out.push_str("\\n"),
                letter if letter.is_control() => {
                    let mut buffer = [0; 4];
                    letter.encode_utf8(&mut buffer).bytes().for_each(|byte| out.push_str(&format!("\\{byte:03o}")));
                }
                letter => out.push(letter),
            }
        }
        chunk.invalid().iter().for_each(|byte| out.push_str(&format!("\\{byte:03o}")));
    }
    out.push('"');
    out
}
