//! The JSON encoding (specification, *JSON Encoding*), written and read with the writer's schema.
//!
//! A value of a union that is not null is an object whose one key is the branch: the full name of a named type, else the
//! name of the type. Bytes are texts whose characters are the bytes. JSON has no word for NaN and the infinities, so
//! they are the texts `NaN`, `Infinity` and `-Infinity`, as the reference implementation writes them.

use std::fmt::Write as _;
use std::sync::Arc;

use crate::ordered::OrderedMap;
use crate::syntax::json::{self, Json, JsonKind, Member};
use crate::value::{Key, Record as RecordValue, Value};

use super::codec::{ReadError, field_value, key_text, not_utf8, too_deep};
use super::model::{Enum, Kind, Primitive, Record, Schema, TypeId, Use};
use super::resolve::DEPTH_LIMIT;

/// Writes a value of a type as JSON text; `Err` where it has no JSON form.
pub(crate) fn encode(schema: &Schema<'_>, ty: TypeId, value: &Value) -> Result<String, String> {
    let mut out = String::new();
    write(schema, ty, value, &mut out, 0)?;
    Ok(out)
}

/// Reads the JSON text of a value of a type.
pub(crate) fn decode(schema: &Schema<'_>, ty: TypeId, text: &str) -> Result<Value, ReadError> {
    let (value, problems) = json::parse(&Arc::from("value.json"), text.as_bytes());
    let value = value.filter(|_| problems.is_empty()).ok_or_else(|| ReadError::new("the text is not JSON"))?;
    read(schema, ty, &value, 0)
}

fn write(schema: &Schema<'_>, ty: TypeId, value: &Value, out: &mut String, depth: usize) -> Result<(), String> {
    if depth > DEPTH_LIMIT {
        return Err(too_deep());
    }
    match (schema.kind(ty), value) {
        (Kind::Primitive(primitive), _) => write_primitive(*primitive, value, out)?,
        (Kind::Record(record), Value::Record(value)) => {
            let mut fields = record.fields.iter().enumerate();
            separated(['{', '}'], &mut fields, out, |(index, field), out| {
                let part = field_value(value, index)
                    .ok_or_else(|| format!("the record `{}` lacks its field `{}`", record.name.full, field.name))?;
                put_text(&field.name, out);
                out.push(':');
                write(schema, field.schema.ty, part, out, depth + 1)
            })?;
        }
        (Kind::Enum(symbols), Value::Enum { number, .. }) => {
            let symbol = usize::try_from(*number).ok().and_then(|index| symbols.symbols.get(index));
            let none = || format!("the enum `{}` has no symbol number {number}", symbols.name.full);
            put_text(&symbol.ok_or_else(none)?.0, out);
        }
        (Kind::Fixed(fixed), Value::Bytes(bytes)) if bytes.len() == fixed.size as usize => put_bytes(bytes, out),
        (Kind::Array(items), Value::List(values)) => {
            separated(['[', ']'], values, out, |value, out| write(schema, items.ty, value, out, depth + 1))?;
        }
        (Kind::Map(values), Value::Map(entries)) => {
            separated(['{', '}'], entries, out, |(key, value), out| {
                put_text(key_text(key)?, out);
                out.push(':');
                write(schema, values.ty, value, out, depth + 1)
            })?;
        }
        (Kind::Union(branches), Value::Branch { index, value }) => {
            let branch =
                branches.get(*index as usize).ok_or_else(|| format!("the union has no branch number {index}"))?;
            if matches!(schema.kind(branch.ty), Kind::Primitive(Primitive::Null)) {
                return write(schema, branch.ty, value, out, depth + 1);
            }
            separated(['{', '}'], [branch.ty], out, |branch, out| {
                put_text(schema.called(branch), out);
                out.push(':');
                write(schema, branch, value, out, depth + 1)
            })?;
        }
        _ => return Err(format!("the value is no `{}`", schema.called(ty))),
    }
    Ok(())
}

fn write_primitive(primitive: Primitive, value: &Value, out: &mut String) -> Result<(), String> {
    match (primitive, value) {
        (Primitive::Null, Value::Null) => out.push_str("null"),
        (Primitive::Boolean, Value::Bool(value)) => put(value, out),
        (Primitive::Int, Value::Int(value)) if i32::try_from(*value).is_ok() => put(value, out),
        (Primitive::Long, Value::Int(value)) if i64::try_from(*value).is_ok() => put(value, out),
        // The debug form of a finite number is the shortest that reads back the same, and it is JSON.
        (Primitive::Float, Value::Float(value)) if value.is_finite() => put(format_args!("{value:?}"), out),
        (Primitive::Double, Value::Double(value)) if value.is_finite() => put(format_args!("{value:?}"), out),
        (Primitive::Float, Value::Float(value)) => put_text(no_number((*value).into()), out),
        (Primitive::Double, Value::Double(value)) => put_text(no_number(*value), out),
        (Primitive::Bytes, Value::Bytes(bytes)) => put_bytes(bytes, out),
        (Primitive::String, Value::Text(text)) => put_text(std::str::from_utf8(text).map_err(|_| not_utf8())?, out),
        _ => return Err(format!("the value is no `{}`", primitive.name())),
    }
    Ok(())
}

fn no_number(value: f64) -> &'static str {
    if value.is_nan() {
        "NaN"
    } else if value > 0.0 {
        "Infinity"
    } else {
        "-Infinity"
    }
}

fn put(value: impl std::fmt::Display, out: &mut String) {
    write!(out, "{value}").expect("writing to a text does not fail");
}

fn put_text(text: &str, out: &mut String) {
    put(serde_json::Value::from(text), out);
}

/// The characters with the numbers of the bytes (ISO-8859-1).
fn put_bytes(bytes: &[u8], out: &mut String) {
    put_text(&bytes.iter().copied().map(char::from).collect::<String>(), out);
}

fn separated<T>(
    [open, close]: [char; 2],
    parts: impl IntoIterator<Item = T>,
    out: &mut String,
    mut write: impl FnMut(T, &mut String) -> Result<(), String>,
) -> Result<(), String> {
    out.push(open);
    for (index, part) in parts.into_iter().enumerate() {
        if index > 0 {
            out.push(',');
        }
        write(part, out)?;
    }
    out.push(close);
    Ok(())
}

fn read(schema: &Schema<'_>, ty: TypeId, json: &Json<'_>, depth: usize) -> Result<Value, ReadError> {
    if depth > DEPTH_LIMIT {
        return Err(ReadError(too_deep()));
    }
    let no_value = || ReadError(format!("the value is no `{}`", schema.called(ty)));
    match (schema.kind(ty), &json.kind) {
        (Kind::Primitive(primitive), kind) => read_primitive(*primitive, kind).ok_or_else(no_value),
        (Kind::Record(record), JsonKind::Object(members)) => read_record(schema, (ty, record), members, depth),
        (Kind::Enum(symbols), JsonKind::Text(text)) => read_symbol(ty, symbols, text),
        (Kind::Fixed(fixed), JsonKind::Text(text)) => {
            let bytes = bytes_of(text).filter(|bytes| bytes.len() == fixed.size as usize);
            bytes.map(Value::Bytes).ok_or_else(no_value)
        }
        (Kind::Array(items), JsonKind::List(values)) => {
            let values = values.iter().map(|value| read(schema, items.ty, value, depth + 1));
            Ok(Value::List(values.collect::<Result<_, _>>()?))
        }
        (Kind::Map(items), JsonKind::Object(members)) => {
            let mut entries = OrderedMap::new();
            for member in members {
                let key = Key::Text(member.key.as_bytes().to_vec());
                entries.insert(key, read(schema, items.ty, &member.value, depth + 1)?);
            }
            Ok(Value::Map(entries))
        }
        (Kind::Union(branches), _) => read_branch(schema, branches, json, depth),
        _ => Err(no_value()),
    }
}

fn read_primitive(primitive: Primitive, kind: &JsonKind<'_>) -> Option<Value> {
    Some(match (primitive, kind) {
        (Primitive::Null, JsonKind::Null) => Value::Null,
        (Primitive::Boolean, JsonKind::Bool(value)) => Value::Bool(*value),
        (Primitive::Int, JsonKind::Number(text)) => Value::Int(text.parse::<i32>().ok()?.into()),
        (Primitive::Long, JsonKind::Number(text)) => Value::Int(text.parse::<i64>().ok()?.into()),
        (Primitive::Float, JsonKind::Number(text)) => Value::Float(text.parse().ok()?),
        (Primitive::Double, JsonKind::Number(text)) => Value::Double(text.parse().ok()?),
        (Primitive::Float, JsonKind::Text(text)) => Value::Float(named_number(text)? as f32),
        (Primitive::Double, JsonKind::Text(text)) => Value::Double(named_number(text)?),
        (Primitive::Bytes, JsonKind::Text(text)) => Value::Bytes(bytes_of(text)?),
        (Primitive::String, JsonKind::Text(text)) => Value::Text(text.as_bytes().to_vec()),
        _ => return None,
    })
}

fn named_number(text: &str) -> Option<f64> {
    match text {
        "NaN" => Some(f64::NAN),
        "Infinity" => Some(f64::INFINITY),
        "-Infinity" => Some(f64::NEG_INFINITY),
        _ => None,
    }
}

/// The bytes that a text stands for; `None` where a character is none.
pub(super) fn bytes_of(text: &str) -> Option<Vec<u8>> {
    text.chars().map(|letter| u8::try_from(letter).ok()).collect()
}

fn read_symbol(ty: TypeId, symbols: &Enum<'_>, text: &str) -> Result<Value, ReadError> {
    let index = symbols.position(text);
    let number = index.and_then(|index| i32::try_from(index).ok());
    let none = || ReadError(format!("the enum `{}` has no symbol `{text}`", symbols.name.full));
    Ok(Value::Enum { ty: ty.0, number: number.ok_or_else(none)? })
}

/// The fields may come in any order; each must be there, and nothing else.
fn read_record(
    schema: &Schema<'_>,
    (ty, record): (TypeId, &Record<'_>),
    members: &[Member<'_>],
    depth: usize,
) -> Result<Value, ReadError> {
    let by_key: OrderedMap<&str, &Json<'_>> = members.iter().map(|member| (&*member.key, &member.value)).collect();
    let mut value = RecordValue::empty(ty.0);
    for (key, field) in (0..).zip(&record.fields) {
        let lacks = || ReadError(format!("the record `{}` lacks its field `{}`", record.name.full, field.name));
        let part = by_key.get(&*field.name).ok_or_else(lacks)?;
        value.fields.insert(key, read(schema, field.schema.ty, part, depth + 1)?);
    }
    if by_key.len() > record.fields.len() {
        return Err(ReadError(format!("the record `{}` has fields that its type lacks", record.name.full)));
    }
    Ok(Value::Record(value))
}

fn read_branch(schema: &Schema<'_>, branches: &[Use], json: &Json<'_>, depth: usize) -> Result<Value, ReadError> {
    let (name, inner) = match &json.kind {
        JsonKind::Null => (Primitive::Null.name(), json),
        JsonKind::Object(members) if members.len() == 1 => (&*members[0].key, &members[0].value),
        _ => return Err(ReadError::new("the value of a union is neither null nor an object that names its branch")),
    };
    let none = || ReadError(format!("the union has no branch `{name}`"));
    let at = branches.iter().position(|branch| schema.called(branch.ty) == name).ok_or_else(none)?;
    let value = Box::new(read(schema, branches[at].ty, inner, depth + 1)?);
    Ok(Value::Branch { index: u32::try_from(at).map_err(|_| none())?, value })
}

#[cfg(test)]
#[path = "json_tests.rs"]
mod tests;
