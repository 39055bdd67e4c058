//! The JSON mapping (ProtoJSON), written and read by schema, with the well-known types by their full names.
//!
//! A reader ignores members and enum names that it does not know, as evolving services must. It does not keep
//! unknown fields: JSON has none. See <https://protobuf.dev/programming-guides/json/>.

use std::collections::BTreeMap;

use serde_json::{Map, Number, Value as Json};

use crate::value::{Key, Record, Value, shortest};

use super::codec::{Cause, DEPTH_LIMIT, HOLDER, ReadError, Types, check_required, is_zero, map_key, set};
use super::model::{Cardinality, EnumId, Field, Kind, MessageId, Presence};
use super::well_known::{self, WellKnown};

/// Writes a message as JSON text. Some values have no JSON form: then the reason is returned.
pub(crate) fn encode(types: Types<'_, '_>, id: MessageId, record: &Record) -> Result<Vec<u8>, String> {
    Ok(write_record(types, id, record)?.to_string().into_bytes())
}

/// Reads JSON text, or says why a reader rejects it.
pub(crate) fn decode(types: Types<'_, '_>, id: MessageId, text: &[u8]) -> Result<Record, ReadError> {
    let json: Json =
        serde_json::from_slice(text).map_err(|error| ReadError::malformed(format!("not JSON: {error}")))?;
    let record = read_record(types, id, &json, 0)?;
    check_required(types, id, &record)?;
    Ok(record)
}

/// The member name a writer uses: the JSON name, and the bracketed full name of an extension.
pub(crate) fn member_name(field: &Field<'_>) -> String {
    match field.is_extension {
        true => format!("[{}]", field.name),
        false => field.json_name.clone().into_owned(),
    }
}

/// The field that a reader takes a member for: by its JSON name, else by its original name.
pub(crate) fn field_of_member<'s, 'a>(types: Types<'s, 'a>, id: MessageId, name: &str) -> Option<&'s Field<'a>> {
    if let Some(extension) = name.strip_prefix('[').and_then(|name| name.strip_suffix(']')) {
        return types.fields(id).find(|field| field.is_extension && field.name == extension);
    }
    types.field_by_json_name(id, name)
}

pub(super) fn well_known_type(types: Types<'_, '_>, id: MessageId) -> Option<WellKnown> {
    (id != HOLDER).then(|| WellKnown::from_full_name(&types.schema.message(id).full_name)).flatten()
}

fn write_record(types: Types<'_, '_>, id: MessageId, record: &Record) -> Result<Json, String> {
    match well_known_type(types, id) {
        Some(well_known) => well_known::write(types, well_known, id, record),
        None => write_members(types, id, record).map(Json::Object),
    }
}

/// The members of an ordinary message.
pub(super) fn write_members(types: Types<'_, '_>, id: MessageId, record: &Record) -> Result<Map<String, Json>, String> {
    let mut members = Map::new();
    for (number, value) in &record.fields {
        let Some(field) = types.field(id, *number) else {
            continue;
        };
        if field.cardinality == Cardinality::Singular && field.presence == Presence::Implicit && is_zero(value) {
            continue;
        }
        members.insert(member_name(field), write_field(types, field, value)?);
    }
    Ok(members)
}

fn write_field(types: Types<'_, '_>, field: &Field<'_>, value: &Value) -> Result<Json, String> {
    match value {
        Value::List(values) => {
            let elements = values.iter().map(|value| write_value(types, field.kind, value));
            Ok(Json::Array(elements.collect::<Result<_, _>>()?))
        }
        Value::Map(entries) => {
            let mut members = Map::new();
            for (key, value) in entries {
                members.insert(write_key(key)?, write_value(types, field.kind, value)?);
            }
            Ok(Json::Object(members))
        }
        value => write_value(types, field.kind, value),
    }
}

fn write_key(key: &Key) -> Result<String, String> {
    match key {
        Key::Bool(value) => Ok(value.to_string()),
        Key::Int(value) => Ok(value.to_string()),
        Key::Text(bytes) => String::from_utf8(bytes.clone()).map_err(|_| "a map key is not valid UTF-8".to_owned()),
    }
}

pub(super) fn write_value(types: Types<'_, '_>, kind: Kind, value: &Value) -> Result<Json, String> {
    Ok(match (kind, value) {
        (Kind::Message(id), Value::Record(record)) => write_record(types, id, record)?,
        (Kind::Int64 | Kind::Uint64 | Kind::Sint64 | Kind::Fixed64 | Kind::Sfixed64, Value::Int(value)) => {
            Json::String(value.to_string())
        }
        (_, Value::Int(value)) => Json::from(i64::try_from(*value).map_err(|_| "a number is too large".to_owned())?),
        (_, Value::Bool(value)) => Json::Bool(*value),
        (_, Value::Float(value)) => write_real(shortest(*value)),
        (_, Value::Double(value)) => write_real(*value),
        (_, Value::Text(bytes)) => {
            let text = String::from_utf8(bytes.clone());
            Json::String(text.map_err(|_| "a text is not valid UTF-8 and has no JSON form".to_owned())?)
        }
        (_, Value::Bytes(bytes)) => Json::String(base64(bytes)),
        (Kind::Enum(id), Value::Enum { number, .. }) => write_enum(types, id, *number),
        (_, Value::Enum { number, .. }) => Json::from(*number),
        (_, Value::Record(_) | Value::List(_) | Value::Map(_) | Value::Null | Value::Branch { .. }) => {
            return Err("a value is not of its type".to_owned());
        }
    })
}

fn write_enum(types: Types<'_, '_>, id: EnumId, number: i32) -> Json {
    let definition = types.schema.enumeration(id);
    if &*definition.full_name == "google.protobuf.NullValue" {
        return Json::Null;
    }
    match types.value_of_number(id, number) {
        Some(value) => Json::String(value.name.text.clone().into_owned()),
        None => Json::from(number),
    }
}

pub(super) fn write_real(value: f64) -> Json {
    match Number::from_f64(value) {
        Some(number) => Json::Number(number),
        None if value.is_nan() => Json::String("NaN".to_owned()),
        None if value > 0.0 => Json::String("Infinity".to_owned()),
        None => Json::String("-Infinity".to_owned()),
    }
}

/// Reads one message.
pub(super) fn read_record(types: Types<'_, '_>, id: MessageId, json: &Json, depth: usize) -> Result<Record, ReadError> {
    if depth > DEPTH_LIMIT {
        return Err(ReadError::malformed("messages are nested more than 100 deep"));
    }
    match well_known_type(types, id) {
        Some(well_known) => well_known::read(types, well_known, id, json, depth),
        None => match json {
            Json::Object(members) => read_members(types, id, members, depth),
            other => Err(ReadError::malformed(format!("a message must be an object, not {}", described(other)))),
        },
    }
}

/// Reads the members of an ordinary message.
pub(super) fn read_members(
    types: Types<'_, '_>,
    id: MessageId,
    members: &Map<String, Json>,
    depth: usize,
) -> Result<Record, ReadError> {
    let mut record = Record::empty(id.0);
    for (name, json) in members {
        let Some(field) = field_of_member(types, id, name) else {
            continue;
        };
        let value = read_field(types, field, json, depth).map_err(|error| error.inside(field.number))?;
        let Some(value) = value else { continue };
        if record.fields.contains_key(&field.number) {
            let reason = format!("two members name the field `{}`", field.name);
            let (path, cause) = (vec![field.number], Cause::GivenTwice);
            return Err(ReadError { path, reason: reason.into(), cause, also: Vec::new() });
        }
        if let Some(other) = other_arm(types, id, &record, field) {
            let reason = format!("`{}` and `{}` are of one oneof, and both are set", field.name, other.name);
            let cause = Cause::OneofTwice(other.number);
            return Err(ReadError { path: vec![field.number], reason: reason.into(), cause, also: Vec::new() });
        }
        set(types, &mut record, field, value);
    }
    Ok(record)
}

fn other_arm<'s, 'a>(types: Types<'s, 'a>, id: MessageId, record: &Record, field: &Field<'_>) -> Option<&'s Field<'a>> {
    field.oneof?;
    types.fields(id).find(|other| {
        !other.is_extension
            && other.oneof == field.oneof
            && other.number != field.number
            && record.fields.contains_key(&other.number)
    })
}

/// The value of a member; `None` when the member says nothing: null, or an enum name that the reader does not know.
fn read_field(types: Types<'_, '_>, field: &Field<'_>, json: &Json, depth: usize) -> Result<Option<Value>, ReadError> {
    if field.kind == Kind::Opaque {
        return Ok(None);
    }
    match (field.cardinality, json) {
        (Cardinality::Singular, Json::Null) if !takes_null(types, field.kind) => Ok(None),
        (Cardinality::Singular, json) => read_value(types, field.kind, json, depth),
        (Cardinality::Repeated | Cardinality::Map { .. }, Json::Null) => Ok(None),
        (Cardinality::Repeated, Json::Array(elements)) => {
            let mut values = Vec::new();
            for element in elements {
                refuse_null(types, field.kind, element)?;
                values.extend(read_value(types, field.kind, element, depth)?);
            }
            Ok((!values.is_empty()).then_some(Value::List(values)))
        }
        (Cardinality::Repeated, other) => {
            Err(ReadError::malformed(format!("a repeated field must be an array, not {}", described(other))))
        }
        (Cardinality::Map { key }, Json::Object(members)) => {
            let mut entries = BTreeMap::new();
            for (name, member) in members {
                refuse_null(types, field.kind, member)?;
                let key = read_key(key, name)?;
                if let Some(value) = read_value(types, field.kind, member, depth)? {
                    entries.insert(key, value);
                }
            }
            Ok((!entries.is_empty()).then_some(Value::Map(entries)))
        }
        (Cardinality::Map { .. }, other) => {
            Err(ReadError::malformed(format!("a map must be an object, not {}", described(other))))
        }
    }
}

fn takes_null(types: Types<'_, '_>, kind: Kind) -> bool {
    match kind {
        Kind::Message(id) => well_known_type(types, id) == Some(WellKnown::Value),
        Kind::Enum(id) => &*types.schema.enumeration(id).full_name == "google.protobuf.NullValue",
        _ => false,
    }
}

fn refuse_null(types: Types<'_, '_>, kind: Kind, json: &Json) -> Result<(), ReadError> {
    match json {
        Json::Null if !takes_null(types, kind) => Err(ReadError::malformed("null is not allowed inside a list or map")),
        _ => Ok(()),
    }
}

fn read_key(kind: Kind, name: &str) -> Result<Key, ReadError> {
    let value = match kind {
        Kind::Bool => match name {
            "true" => Value::Bool(true),
            "false" => Value::Bool(false),
            _ => {
                return Err(ReadError::malformed(format!("the map key {name:?} is not a boolean")));
            }
        },
        Kind::String => Value::Text(name.as_bytes().to_vec()),
        kind => Value::Int(read_integer(kind, &Json::String(name.to_owned()))?),
    };
    map_key(value).ok_or_else(|| ReadError::malformed("a map key has no key type"))
}

/// A value of one type; `None` for an enum name or a closed enum's number that the reader does not know.
pub(super) fn read_value(
    types: Types<'_, '_>,
    kind: Kind,
    json: &Json,
    depth: usize,
) -> Result<Option<Value>, ReadError> {
    Ok(Some(match kind {
        Kind::Message(id) => Value::Record(read_record(types, id, json, depth + 1)?),
        Kind::Enum(id) => return read_enum(types, id, json),
        Kind::Opaque => return Ok(None),
        Kind::Bool => match json {
            Json::Bool(value) => Value::Bool(*value),
            other => {
                return Err(ReadError::malformed(format!("expected true or false, found {}", described(other))));
            }
        },
        Kind::String => match json {
            Json::String(text) => Value::Text(text.clone().into_bytes()),
            other => {
                return Err(ReadError::malformed(format!("expected a string, found {}", described(other))));
            }
        },
        Kind::Bytes => match json {
            Json::String(text) => {
                Value::Bytes(read_base64(text).ok_or_else(|| ReadError::malformed(format!("{text:?} is not base64")))?)
            }
            other => {
                return Err(ReadError::malformed(format!("expected base64, found {}", described(other))));
            }
        },
        Kind::Double => Value::Double(read_real(json)?),
        Kind::Float => {
            let real = read_real(json)?;
            let single = real as f32;
            if real.is_finite() && single.is_infinite() {
                return Err(ReadError::malformed(format!("{real:e} is out of the range of float")));
            }
            Value::Float(single)
        }
        Kind::Int32 | Kind::Int64 | Kind::Uint32 | Kind::Uint64 | Kind::Sint32 | Kind::Sint64 => {
            Value::Int(read_integer(kind, json)?)
        }
        Kind::Fixed32 | Kind::Fixed64 | Kind::Sfixed32 | Kind::Sfixed64 => Value::Int(read_integer(kind, json)?),
    }))
}

fn read_enum(types: Types<'_, '_>, id: EnumId, json: &Json) -> Result<Option<Value>, ReadError> {
    let definition = types.schema.enumeration(id);
    let number = match json {
        Json::Null => Some(0),
        Json::String(name) => {
            let value = types.value_of_name(id, name);
            value.and_then(|value| i32::try_from(value.number).ok())
        }
        Json::Number(_) => {
            let number = read_integer(Kind::Int32, json)? as i32;
            (!definition.is_closed || types.names_number(id, number)).then_some(number)
        }
        other => {
            return Err(ReadError::malformed(format!("expected an enum value, found {}", described(other))));
        }
    };
    Ok(number.map(|number| Value::Enum { ty: id.0, number }))
}

fn read_real(json: &Json) -> Result<f64, ReadError> {
    let read = match json {
        Json::Number(number) => number.as_f64(),
        Json::String(text) => match text.as_str() {
            "NaN" => Some(f64::NAN),
            "Infinity" => Some(f64::INFINITY),
            "-Infinity" => Some(f64::NEG_INFINITY),
            _ if is_number(text) => text.parse().ok().filter(|value: &f64| value.is_finite()),
            _ => None,
        },
        _ => None,
    };
    read.ok_or_else(|| ReadError::malformed(format!("expected a number, found {}", described(json))))
}

/// Whether a text is written as JSON writes numbers; Rust accepts more, `inf` and `+1` among it.
fn is_number(text: &str) -> bool {
    let starts = text.strip_prefix('-').unwrap_or(text).starts_with(|first: char| first.is_ascii_digit());
    starts && text.chars().all(|character| character.is_ascii_digit() || "+-.eE".contains(character))
}

/// Integers as numbers or texts, in plain or exponent form, within the range of their type.
fn read_integer(kind: Kind, json: &Json) -> Result<i128, ReadError> {
    let whole = match json {
        Json::Number(number) => match (number.as_i64(), number.as_u64(), number.as_f64()) {
            (Some(value), _, _) => Some(i128::from(value)),
            (None, Some(value), _) => Some(i128::from(value)),
            (None, None, real) => real.and_then(whole_number),
        },
        Json::String(text) if is_number(text) => {
            text.parse::<i128>().ok().or_else(|| text.parse().ok().and_then(whole_number))
        }
        _ => None,
    };
    let Some(whole) = whole else {
        return Err(ReadError::malformed(format!("expected an integer, found {}", described(json))));
    };
    let (min, max) = match kind {
        Kind::Int32 | Kind::Sint32 | Kind::Sfixed32 => (i128::from(i32::MIN), i128::from(i32::MAX)),
        Kind::Uint32 | Kind::Fixed32 => (0, i128::from(u32::MAX)),
        Kind::Uint64 | Kind::Fixed64 => (0, i128::from(u64::MAX)),
        _ => (i128::from(i64::MIN), i128::from(i64::MAX)),
    };
    match (min..=max).contains(&whole) {
        true => Ok(whole),
        false => {
            Err(ReadError::malformed(format!("{whole} is out of the range of {}", kind.keyword().unwrap_or("it"))))
        }
    }
}

fn whole_number(real: f64) -> Option<i128> {
    (real.is_finite() && real.fract() == 0.0 && real.abs() < 1e20).then_some(real as i128)
}

/// What stands there, for people.
pub(super) fn described(json: &Json) -> String {
    match json {
        Json::Null => "null".to_owned(),
        Json::Bool(value) => value.to_string(),
        Json::Number(number) => number.to_string(),
        Json::String(text) => format!("the text {:?}", text.chars().take(40).collect::<String>()),
        Json::Array(_) => "an array".to_owned(),
        Json::Object(_) => "an object".to_owned(),
    }
}

const BASE64: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

fn base64(bytes: &[u8]) -> String {
    let mut text = String::new();
    for chunk in bytes.chunks(3) {
        let bits =
            chunk.iter().enumerate().fold(0u32, |bits, (index, byte)| bits | u32::from(*byte) << (16 - 8 * index));
        for index in 0..4 {
            match index <= chunk.len() {
                true => text.push(char::from(BASE64[(bits >> (18 - 6 * index) & 63) as usize])),
                false => text.push('='),
            }
        }
    }
    text
}

/// Standard and URL-safe alphabet, with or without padding.
fn read_base64(text: &str) -> Option<Vec<u8>> {
    let digits = text.trim_end_matches('=');
    if text.len() - digits.len() > 2 || digits.len() % 4 == 1 {
        return None;
    }
    let mut bytes = Vec::with_capacity(digits.len() * 3 / 4);
    for chunk in digits.as_bytes().chunks(4) {
        let mut bits = 0u32;
        for (index, digit) in chunk.iter().enumerate() {
            let plain = match digit {
                b'-' => b'+',
                b'_' => b'/',
                digit => *digit,
            };
            let value = BASE64.iter().position(|letter| *letter == plain)? as u32;
            bits |= value << (18 - 6 * index);
        }
        bytes.extend(bits.to_be_bytes()[1..].iter().take(chunk.len() - 1));
    }
    Some(bytes)
}

#[cfg(test)]
#[path = "json_tests.rs"]
mod tests;
