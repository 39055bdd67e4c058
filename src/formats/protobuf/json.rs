//! The JSON mapping (ProtoJSON), written and read by schema, with the well-known types by their full names.
//!
//! A reader ignores members and enum names that it does not know, as evolving services must. It does not keep
//! unknown fields: JSON has none. See <https://protobuf.dev/programming-guides/json/>.

use crate::ordered::OrderedMap;
use crate::value::{Key, Record, Value, is_zero, shortest};

use super::codec::{self, Cause, DEPTH_LIMIT, ReadError, Types, check_required, map_key, set};
use super::json_scalars::{base64, described, read_base64, read_integer, read_real, write_real};
use super::json_tree::{Json, Members};
use super::model::{Cardinality, EnumId, Field, Kind, MessageId, Presence};
use super::well_known::{
    SECONDS, WellKnown, read_duration, read_timestamp, snake_case, write_duration, write_field_mask, write_timestamp,
};

/// Writes a message as JSON text. Some values have no JSON form: then the reason is returned.
pub(crate) fn encode(types: Types<'_, '_>, id: MessageId, record: &Record) -> Result<Vec<u8>, String> {
    Ok(write_record(types, id, record)?.to_text())
}

/// Reads JSON text, or says why a reader rejects it.
pub(crate) fn decode(types: Types<'_, '_>, id: MessageId, text: &[u8]) -> Result<Record, ReadError> {
    let record = read(types, id, text)?;
    check_required(types, id, &record)?;
    Ok(record)
}

/// The same, whatever required fields are missing.
pub(super) fn read(types: Types<'_, '_>, id: MessageId, text: &[u8]) -> Result<Record, ReadError> {
    let json: Json =
        serde_json::from_slice(text).map_err(|error| ReadError::malformed(format!("not JSON: {error}")))?;
    read_record(types, id, &json, 0)
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
        return types.extension_by_name(id, extension);
    }
    types.field_by_json_name(id, name)
}

fn write_record(types: Types<'_, '_>, id: MessageId, record: &Record) -> Result<Json, String> {
    match WellKnown::of(types, id) {
        Some(well_known) => write_well_known(types, well_known, id, record),
        None => {
            let mut members = Members::default();
            write_members(types, id, record, &mut members)?;
            Ok(Json::Object(members))
        }
    }
}

/// The members of an ordinary message, in the order of their numbers, as runtimes write them.
fn write_members(types: Types<'_, '_>, id: MessageId, record: &Record, members: &mut Members) -> Result<(), String> {
    for (number, value) in &record.fields {
        let Some(field) = types.field(id, *number) else {
            continue;
        };
        if field.cardinality == Cardinality::Singular && field.presence == Presence::Implicit && is_zero(value) {
            continue;
        }
        members.push(member_name(field), write_field(types, field, value)?);
    }
    Ok(())
}

fn write_field(types: Types<'_, '_>, field: &Field<'_>, value: &Value) -> Result<Json, String> {
    match value {
        Value::List(values) => {
            let elements = values.iter().map(|value| write_value(types, field.kind, value));
            Ok(Json::Array(elements.collect::<Result<_, _>>()?))
        }
        Value::Map(entries) => {
            let mut members = Members::default();
            for (key, value) in entries {
                members.push(write_key(key)?, write_value(types, field.kind, value)?);
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

fn write_value(types: Types<'_, '_>, kind: Kind, value: &Value) -> Result<Json, String> {
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
        (_, Value::Enum { number, .. }) => Json::from(i64::from(*number)),
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
        None => Json::from(i64::from(number)),
    }
}

/// Reads one message.
fn read_record(types: Types<'_, '_>, id: MessageId, json: &Json, depth: usize) -> Result<Record, ReadError> {
    if depth > DEPTH_LIMIT {
        return Err(ReadError::malformed("messages are nested more than 100 deep"));
    }
    match WellKnown::of(types, id) {
        Some(well_known) => read_well_known(types, well_known, id, json, depth),
        None => match json {
            Json::Object(members) => read_members(types, id, members, depth),
            other => Err(ReadError::malformed(format!("a message must be an object, not {}", described(other)))),
        },
    }
}

/// Reads the members of an ordinary message.
fn read_members(types: Types<'_, '_>, id: MessageId, members: &Members, depth: usize) -> Result<Record, ReadError> {
    let mut record = Record::empty(id.0);
    // Arms that are given, though nothing may come of their values: a name that an enum does not know.
    let mut given = Vec::new();
    for (name, json) in members.iter() {
        let Some(field) = field_of_member(types, id, name) else {
            continue;
        };
        // Whether a field is there already is asked before its value is looked at.
        if record.fields.contains_key(&field.number) {
            let reason = format!("two members name the field `{}`", field.name);
            let (path, cause) = (vec![field.number], Cause::GivenTwice);
            return Err(ReadError { path, reason: reason.into(), cause, also: Vec::new() });
        }
        let value = read_field(types, field, json, depth).map_err(|error| error.inside(field.number))?;
        if field.oneof.is_some() && !json.is_null() {
            if let Some(other) = other_arm(types, id, (&record, &given), field) {
                return Err(given_twice(field, other));
            }
            given.push(field.number);
        }
        let Some(value) = value else { continue };
        if let Some(other) = other_arm(types, id, (&record, &[]), field) {
            return Err(given_twice(field, other));
        }
        set(types, &mut record, field, value);
    }
    Ok(record)
}

fn given_twice(field: &Field<'_>, other: &Field<'_>) -> ReadError {
    let reason = format!("`{}` and `{}` are of one oneof, and both are set", field.name, other.name);
    let cause = Cause::OneofTwice(other.number);
    ReadError { path: vec![field.number], reason: reason.into(), cause, also: Vec::new() }
}

/// Another arm of the oneof of a field that was read or given.
fn other_arm<'s, 'a>(
    types: Types<'s, 'a>,
    id: MessageId,
    (record, given): (&Record, &[i32]),
    field: &Field<'_>,
) -> Option<&'s Field<'a>> {
    field.oneof?;
    types.fields(id).find(|other| {
        !other.is_extension
            && other.oneof == field.oneof
            && other.number != field.number
            && (record.fields.contains_key(&other.number) || given.contains(&other.number))
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
            let mut entries = OrderedMap::new();
            for (name, member) in members.iter() {
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
        Kind::Message(id) => WellKnown::of(types, id) == Some(WellKnown::Value),
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
fn read_value(types: Types<'_, '_>, kind: Kind, json: &Json, depth: usize) -> Result<Option<Value>, ReadError> {
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
    // Java drops a number that a closed enum does not name, and Python rejects the message.
    let numbered = |number: i32| match !definition.is_closed || types.names_number(id, number) {
        true => Ok(number),
        false => Err(ReadError::malformed(format!("the closed enum has no name for {number}, which Python rejects"))),
    };
    let number = match json {
        Json::Null => Some(0),
        Json::String(name) => {
            let value = types.value_of_name(id, name);
            match (value.and_then(|value| i32::try_from(value.number).ok()), name.trim().parse::<i128>()) {
                (None, Ok(number)) => Some(numbered(number as i32)?),
                (known, _) => known,
            }
        }
        Json::Number(_) => Some(numbered(read_integer(Kind::Int32, json)? as i32)?),
        other => {
            return Err(ReadError::malformed(format!("expected an enum value, found {}", described(other))));
        }
    };
    Ok(number.map(|number| Value::Enum { ty: id.0, number }))
}

fn write_well_known(
    types: Types<'_, '_>,
    well_known: WellKnown,
    id: MessageId,
    record: &Record,
) -> Result<Json, String> {
    match well_known {
        WellKnown::Any => write_any(types, record),
        WellKnown::Timestamp => write_timestamp(integer(record, 1), integer(record, 2)).map(Json::String),
        WellKnown::Duration => write_duration(integer(record, 1), integer(record, 2)).map(Json::String),
        WellKnown::FieldMask => write_field_mask(record).map(Json::String),
        WellKnown::Struct => match record.fields.get(&1) {
            None => Ok(Json::Object(Members::default())),
            Some(Value::Map(entries)) => write_struct(types, id, entries),
            Some(_) => Err("a struct has no map of fields".to_owned()),
        },
        WellKnown::ListValue => match record.fields.get(&1) {
            None => Ok(Json::Array(Vec::new())),
            Some(Value::List(values)) => {
                let kind = kind_of(types, id, 1);
                Ok(Json::Array(values.iter().map(|value| write_value(types, kind, value)).collect::<Result<_, _>>()?))
            }
            Some(_) => Err("a list value has no list of values".to_owned()),
        },
        WellKnown::Value => match record.fields.iter().next() {
            None => Err("a google.protobuf.Value without any kind has no JSON form".to_owned()),
            Some((1, _)) => Ok(Json::Null),
            Some((2, Value::Double(number))) if !number.is_finite() => {
                Err("NaN and infinity have no JSON form in google.protobuf.Value".to_owned())
            }
            Some((2, Value::Double(number))) => Ok(write_real(*number)),
            Some((number, value)) => write_value(types, kind_of(types, id, *number), value),
        },
        WellKnown::Wrapper => {
            let kind = kind_of(types, id, 1);
            match record.fields.get(&1).cloned().or_else(|| types.zero(kind)) {
                Some(value) => write_value(types, kind, &value),
                None => Err("a wrapper has no value field".to_owned()),
            }
        }
    }
}

fn read_well_known(
    types: Types<'_, '_>,
    well_known: WellKnown,
    id: MessageId,
    json: &Json,
    depth: usize,
) -> Result<Record, ReadError> {
    let empty = Record::empty(id.0);
    match (well_known, json) {
        (WellKnown::Any, Json::Object(members)) => read_any(types, id, members, depth),
        (WellKnown::Timestamp, Json::String(text)) => {
            let read = read_timestamp(text).filter(|(seconds, _)| SECONDS.contains(seconds));
            read.map(|time| time_record(id, time)).ok_or_else(|| refused("a timestamp", json))
        }
        (WellKnown::Duration, Json::String(text)) => {
            read_duration(text).map(|time| time_record(id, time)).ok_or_else(|| refused("a duration", json))
        }
        (WellKnown::FieldMask, Json::String(text)) if text.is_empty() => Ok(empty),
        (WellKnown::FieldMask, Json::String(text)) if text.contains('_') => Err(refused("a field mask", json)),
        (WellKnown::FieldMask, Json::String(text)) => {
            let paths = text.split(',').map(|path| Value::Text(snake_case(path).into_bytes())).collect();
            Ok(empty.with(1, Value::List(paths)))
        }
        (WellKnown::Struct, Json::Object(members)) => read_struct(types, id, members, depth),
        (WellKnown::ListValue, Json::Array(elements)) => read_list(types, id, elements, depth),
        (WellKnown::Value, json) => read_dynamic(types, id, json, depth),
        (WellKnown::Wrapper, json) => {
            let Some(field) = types.field(id, 1) else { return Ok(empty) };
            let mut record = empty;
            if let Some(value) = read_value(types, field.kind, json, depth)? {
                set(types, &mut record, field, value);
            }
            Ok(record)
        }
        (WellKnown::Any, json) => Err(refused("an object with @type", json)),
        (WellKnown::Timestamp, json) => Err(refused("a timestamp", json)),
        (WellKnown::Duration, json) => Err(refused("a duration", json)),
        (WellKnown::FieldMask, json) => Err(refused("a field mask", json)),
        (WellKnown::Struct, json) => Err(refused("an object", json)),
        (WellKnown::ListValue, json) => Err(refused("an array", json)),
    }
}

fn read_struct(types: Types<'_, '_>, id: MessageId, members: &Members, depth: usize) -> Result<Record, ReadError> {
    let mut entries = OrderedMap::new();
    for (name, member) in members.iter() {
        if let Some(value) = read_value(types, kind_of(types, id, 1), member, depth)? {
            entries.insert(Key::Text(name.as_bytes().to_vec()), value);
        }
    }
    let empty = Record::empty(id.0);
    Ok(if entries.is_empty() { empty } else { empty.with(1, Value::Map(entries)) })
}

fn read_list(types: Types<'_, '_>, id: MessageId, elements: &[Json], depth: usize) -> Result<Record, ReadError> {
    let mut values = Vec::new();
    for element in elements {
        values.extend(read_value(types, kind_of(types, id, 1), element, depth)?);
    }
    let empty = Record::empty(id.0);
    Ok(if values.is_empty() { empty } else { empty.with(1, Value::List(values)) })
}

fn read_dynamic(types: Types<'_, '_>, id: MessageId, json: &Json, depth: usize) -> Result<Record, ReadError> {
    let number = match json {
        Json::Null => 1,
        Json::Number(_) => 2,
        Json::String(_) => 3,
        Json::Bool(_) => 4,
        Json::Object(_) => 5,
        Json::Array(_) => 6,
    };
    let empty = Record::empty(id.0);
    let value = read_value(types, kind_of(types, id, number), json, depth)?;
    Ok(value.map_or(empty.clone(), |value| empty.with(number, value)))
}

fn refused(expected: &str, json: &Json) -> ReadError {
    ReadError::malformed(format!("expected {expected}, found {}", described(json)))
}

fn kind_of(types: Types<'_, '_>, id: MessageId, number: i32) -> Kind {
    types.field(id, number).map_or(Kind::Opaque, |field| field.kind)
}

fn integer(record: &Record, number: i32) -> i128 {
    match record.fields.get(&number) {
        Some(Value::Int(value)) => *value,
        _ => 0,
    }
}

fn write_struct(types: Types<'_, '_>, id: MessageId, entries: &OrderedMap<Key, Value>) -> Result<Json, String> {
    let kind = match types.field(id, 1) {
        Some(field) if matches!(field.cardinality, Cardinality::Map { .. }) => field.kind,
        _ => return Err("a struct has no map of fields".to_owned()),
    };
    let mut members = Members::default();
    for (key, value) in entries {
        let Key::Text(name) = key else {
            return Err("a struct's field has no name".to_owned());
        };
        let name = String::from_utf8(name.clone()).map_err(|_| "a struct's field name is not UTF-8".to_owned())?;
        members.push(name, write_value(types, kind, value)?);
    }
    Ok(Json::Object(members))
}

/// The message that a type URL names, when the schema knows exactly one.
fn any_type(types: Types<'_, '_>, url: &str) -> Option<MessageId> {
    let (_, name) = url.rsplit_once('/')?;
    types.schema.messages_by_name.get(name).and_then(|ids| ids.first().copied())
}

fn write_any(types: Types<'_, '_>, record: &Record) -> Result<Json, String> {
    let url = match record.fields.get(&1) {
        None if record.fields.is_empty() => return Ok(Json::Object(Members::default())),
        Some(Value::Text(url)) => String::from_utf8_lossy(url).into_owned(),
        _ => return Err("a google.protobuf.Any has no type".to_owned()),
    };
    let id = any_type(types, &url).ok_or_else(|| format!("the type of {url:?} is not known"))?;
    let bytes = match record.fields.get(&2) {
        Some(Value::Bytes(bytes)) => &bytes[..],
        _ => &[],
    };
    let content = codec::decode(types, id, bytes).map_err(|error| error.reason.into_owned())?;
    let mut members = Members::default();
    members.push("@type".to_owned(), Json::String(url));
    match WellKnown::of(types, id) {
        None => write_members(types, id, &content, &mut members)?,
        Some(well_known) => members.push("value".to_owned(), write_well_known(types, well_known, id, &content)?),
    }
    Ok(Json::Object(members))
}

fn read_any(types: Types<'_, '_>, any: MessageId, members: &Members, depth: usize) -> Result<Record, ReadError> {
    if members.is_empty() {
        return Ok(Record::empty(any.0));
    }
    let Some(Json::String(url)) = members.get("@type") else {
        return Err(ReadError::malformed("an Any has no @type"));
    };
    let Some(id) = any_type(types, url) else {
        return Err(ReadError::malformed(format!("the type of {url:?} is not known")));
    };
    let content = match WellKnown::of(types, id) {
        Some(_) => read_record(types, id, members.get("value").unwrap_or(&Json::Null), depth + 1)?,
        None => {
            if depth >= DEPTH_LIMIT {
                return Err(ReadError::malformed("messages are nested more than 100 deep"));
            }
            read_members(types, id, &members.without("@type"), depth + 1)?
        }
    };
    let mut record = Record::empty(any.0).with(1, Value::Text(url.clone().into_bytes()));
    let bytes = codec::encode(types, id, &content);
    if !bytes.is_empty() {
        record.fields.insert(2, Value::Bytes(bytes));
    }
    Ok(record)
}

fn time_record(id: MessageId, (seconds, nanos): (i128, i128)) -> Record {
    let mut record = Record::empty(id.0);
    for (number, value) in [(1, seconds), (2, nanos)] {
        if value != 0 {
            record.fields.insert(number, Value::Int(value));
        }
    }
    record
}

#[cfg(test)]
#[path = "json_tests.rs"]
mod tests;
