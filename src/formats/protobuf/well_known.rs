//! The well-known types whose JSON form is not that of an ordinary message.
//!
//! They are recognised by full name, as the runtimes do, and their fields by number. A vendored copy with other fields
//! is an ordinary error of the value, never a panic.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde_json::{Map, Value as Json};

use crate::value::{Key, Record, Value};

use super::codec::{self, ReadError, Types};
use super::json::{
    described, read_members, read_record, read_value, well_known_type, write_members, write_real, write_value,
};
use super::model::{Cardinality, Kind, MessageId};

/// A type with a JSON form of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WellKnown {
    /// `google.protobuf.Any`
    Any,
    /// `google.protobuf.Timestamp`
    Timestamp,
    /// `google.protobuf.Duration`
    Duration,
    /// `google.protobuf.FieldMask`
    FieldMask,
    /// `google.protobuf.Struct`
    Struct,
    /// `google.protobuf.Value`
    Value,
    /// `google.protobuf.ListValue`
    ListValue,
    /// `google.protobuf.Int32Value` and its kin.
    Wrapper,
}

impl WellKnown {
    /// The type of that name. `google.protobuf.Empty` has the form of an ordinary message.
    pub(super) fn from_full_name(name: &str) -> Option<Self> {
        Some(match name.strip_prefix("google.protobuf.")? {
            "Any" => WellKnown::Any,
            "Timestamp" => WellKnown::Timestamp,
            "Duration" => WellKnown::Duration,
            "FieldMask" => WellKnown::FieldMask,
            "Struct" => WellKnown::Struct,
            "Value" => WellKnown::Value,
            "ListValue" => WellKnown::ListValue,
            "DoubleValue" | "FloatValue" | "Int64Value" | "UInt64Value" | "Int32Value" | "UInt32Value" => {
                WellKnown::Wrapper
            }
            "BoolValue" | "StringValue" | "BytesValue" => WellKnown::Wrapper,
            _ => return None,
        })
    }
}

pub(super) fn write(
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
            None => Ok(Json::Object(Map::new())),
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

pub(super) fn read(
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
                codec::set(types, &mut record, field, value);
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

fn read_struct(
    types: Types<'_, '_>,
    id: MessageId,
    members: &Map<String, Json>,
    depth: usize,
) -> Result<Record, ReadError> {
    let mut entries = BTreeMap::new();
    for (name, member) in members {
        if let Some(value) = read_value(types, kind_of(types, id, 1), member, depth)? {
            entries.insert(Key::Text(name.clone().into_bytes()), value);
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

fn write_struct(types: Types<'_, '_>, id: MessageId, entries: &BTreeMap<Key, Value>) -> Result<Json, String> {
    let kind = match types.field(id, 1) {
        Some(field) if matches!(field.cardinality, Cardinality::Map { .. }) => field.kind,
        _ => return Err("a struct has no map of fields".to_owned()),
    };
    let mut members = Map::new();
    for (key, value) in entries {
        let Key::Text(name) = key else {
            return Err("a struct's field has no name".to_owned());
        };
        let name = String::from_utf8(name.clone()).map_err(|_| "a struct's field name is not UTF-8".to_owned())?;
        members.insert(name, write_value(types, kind, value)?);
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
        None if record.fields.is_empty() => return Ok(Json::Object(Map::new())),
        Some(Value::Text(url)) => String::from_utf8_lossy(url).into_owned(),
        _ => return Err("a google.protobuf.Any has no type".to_owned()),
    };
    let id = any_type(types, &url).ok_or_else(|| format!("the type of {url:?} is not known"))?;
    let bytes = match record.fields.get(&2) {
        Some(Value::Bytes(bytes)) => &bytes[..],
        _ => &[],
    };
    let content = codec::decode(types, id, bytes).map_err(|error| error.reason.into_owned())?;
    let mut members = match well_known_type(types, id) {
        None => write_members(types, id, &content)?,
        Some(well_known) => Map::from_iter([("value".to_owned(), write(types, well_known, id, &content)?)]),
    };
    members.insert("@type".to_owned(), Json::String(url));
    Ok(Json::Object(members))
}

fn read_any(
    types: Types<'_, '_>,
    any: MessageId,
    members: &Map<String, Json>,
    depth: usize,
) -> Result<Record, ReadError> {
    if members.is_empty() {
        return Ok(Record::empty(any.0));
    }
    let Some(Json::String(url)) = members.get("@type") else {
        return Err(ReadError::malformed("an Any has no @type"));
    };
    let Some(id) = any_type(types, url) else {
        return Err(ReadError::malformed(format!("the type of {url:?} is not known")));
    };
    let content = match well_known_type(types, id) {
        Some(_) => read_record(types, id, members.get("value").unwrap_or(&Json::Null), depth + 1)?,
        None => {
            let mut fields = members.clone();
            fields.remove("@type");
            if depth >= codec::DEPTH_LIMIT {
                return Err(ReadError::malformed("messages are nested more than 100 deep"));
            }
            read_members(types, id, &fields, depth + 1)?
        }
    };
    let mut record = Record::empty(any.0).with(1, Value::Text(url.clone().into_bytes()));
    let bytes = codec::encode(types, id, &content);
    if !bytes.is_empty() {
        record.fields.insert(2, Value::Bytes(bytes));
    }
    Ok(record)
}

fn write_field_mask(record: &Record) -> Result<String, String> {
    let paths = match record.fields.get(&1) {
        None => return Ok(String::new()),
        Some(Value::List(paths)) => paths,
        Some(_) => return Err("a field mask has no paths".to_owned()),
    };
    let mut written = Vec::new();
    for path in paths {
        let Value::Text(path) = path else {
            return Err("a field mask has no paths".to_owned());
        };
        let path = String::from_utf8_lossy(path).into_owned();
        let camel = camel_case(&path);
        if path.is_empty() || path.contains(',') || snake_case(&camel) != path {
            return Err(format!("the path {path:?} of a field mask has no JSON form"));
        }
        written.push(camel);
    }
    Ok(written.join(","))
}

fn camel_case(path: &str) -> String {
    let mut camel = String::new();
    let mut after_underscore = false;
    for letter in path.chars() {
        match letter {
            '_' => after_underscore = true,
            letter if after_underscore => {
                camel.push(letter.to_ascii_uppercase());
                after_underscore = false;
            }
            letter => camel.push(letter),
        }
    }
    camel
}

fn snake_case(path: &str) -> String {
    let mut snake = String::new();
    for letter in path.chars() {
        if letter.is_ascii_uppercase() {
            snake.push('_');
        }
        snake.push(letter.to_ascii_lowercase());
    }
    snake
}

/// 0001-01-01 to 9999-12-31, as the specification limits timestamps.
const SECONDS: std::ops::RangeInclusive<i128> = -62_135_596_800..=253_402_300_799;
/// About 10,000 years, as the specification limits durations.
const DURATION_SECONDS: std::ops::RangeInclusive<i128> = -315_576_000_000..=315_576_000_000;

fn time_record(id: MessageId, (seconds, nanos): (i128, i128)) -> Record {
    let mut record = Record::empty(id.0);
    for (number, value) in [(1, seconds), (2, nanos)] {
        if value != 0 {
            record.fields.insert(number, Value::Int(value));
        }
    }
    record
}

/// A point and 3, 6 or 9 digits, or nothing.
fn fraction(nanos: i128) -> Cow<'static, str> {
    match nanos {
        0 => Cow::Borrowed(""),
        nanos if nanos % 1_000_000 == 0 => Cow::Owned(format!(".{:03}", nanos / 1_000_000)),
        nanos if nanos % 1_000 == 0 => Cow::Owned(format!(".{:06}", nanos / 1_000)),
        nanos => Cow::Owned(format!(".{nanos:09}")),
    }
}

fn read_fraction(digits: &str) -> Option<i128> {
    let is_fraction = (1..=9).contains(&digits.len()) && digits.bytes().all(|digit| digit.is_ascii_digit());
    is_fraction.then(|| format!("{digits:0<9}").parse().ok()).flatten()
}

fn write_timestamp(seconds: i128, nanos: i128) -> Result<String, String> {
    if !SECONDS.contains(&seconds) || !(0..1_000_000_000).contains(&nanos) {
        return Err("a timestamp is out of range".to_owned());
    }
    let (days, rest) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
    let (year, month, day) = civil_date(days);
    let (hour, minute, second) = (rest / 3600, rest / 60 % 60, rest % 60);
    Ok(format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}{}Z", fraction(nanos)))
}

fn read_timestamp(text: &str) -> Option<(i128, i128)> {
    let (date, time) = (text.get(..10)?, text.get(10..)?.strip_prefix('T')?);
    let mut date = date.splitn(3, '-').map(|part| part.parse::<i128>().ok());
    let (year, month, day) = (date.next()??, date.next()??, date.next()??);
    let mut clock = time.get(..8)?.splitn(3, ':').map(|part| part.parse::<i128>().ok());
    let (hour, minute, second) = (clock.next()??, clock.next()??, clock.next()??);
    let is_in_range = (1..=12).contains(&month) && (1..=31).contains(&day) && hour < 24 && minute < 60 && second < 60;
    let mut rest = time.get(8..)?;
    let mut nanos = 0;
    if let Some(after) = rest.strip_prefix('.') {
        let end = after.find(|letter: char| !letter.is_ascii_digit())?;
        nanos = read_fraction(&after[..end])?;
        rest = &after[end..];
    }
    let offset = match rest {
        "Z" => 0,
        _ => {
            let sign = if rest.starts_with('-') { -1 } else { 1 };
            let (hours, minutes) = rest.strip_prefix(['+', '-'])?.split_once(':')?;
            sign * (hours.parse::<i128>().ok()? * 3600 + minutes.parse::<i128>().ok()? * 60)
        }
    };
    is_in_range.then(|| (day_number(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second - offset, nanos))
}

/// Year, month and day of a day counted from 1970-01-01, in the proleptic Gregorian calendar.
/// The year is counted from March, so that the leap day is its last.
fn civil_date(days: i128) -> (i128, i128, i128) {
    let shifted = days + 719_468;
    let era = shifted.div_euclid(146_097);
    let day_of_era = shifted.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    (year_of_era + era * 400 + i128::from(month <= 2), month, day)
}

/// The inverse of [`civil_date`].
fn day_number(year: i128, month: i128, day: i128) -> i128 {
    let year = year - i128::from(month <= 2);
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let month_from_march = (month + 9) % 12;
    let day_of_year = (153 * month_from_march + 2) / 5 + day - 1;
    era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719_468
}

fn write_duration(seconds: i128, nanos: i128) -> Result<String, String> {
    let signs_differ = seconds.signum() * nanos.signum() < 0;
    if !DURATION_SECONDS.contains(&seconds) || nanos.abs() >= 1_000_000_000 || signs_differ {
        return Err("a duration is out of range".to_owned());
    }
    let sign = if seconds < 0 || nanos < 0 { "-" } else { "" };
    Ok(format!("{sign}{}{}s", seconds.abs(), fraction(nanos.abs())))
}

fn read_duration(text: &str) -> Option<(i128, i128)> {
    let text = text.strip_suffix('s')?;
    let (sign, digits) = text.strip_prefix('-').map_or((1, text), |digits| (-1, digits));
    let (seconds, nanos) = match digits.split_once('.') {
        Some((seconds, digits)) => (seconds, read_fraction(digits)?),
        None => (digits, 0),
    };
    let is_plain = !seconds.is_empty() && seconds.len() < 15 && seconds.bytes().all(|digit| digit.is_ascii_digit());
    let seconds: i128 = is_plain.then(|| seconds.parse().ok()).flatten()?;
    DURATION_SECONDS.contains(&seconds).then_some((sign * seconds, sign * nanos))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_their_json_form_and_come_back() {
        for (seconds, nanos, text) in [
            (0, 0, "1970-01-01T00:00:00Z"),
            (951_782_400, 0, "2000-02-29T00:00:00Z"),
            (-1, 500_000_000, "1969-12-31T23:59:59.500Z"),
            (253_402_300_799, 1, "9999-12-31T23:59:59.000000001Z"),
            (-62_135_596_800, 1_000, "0001-01-01T00:00:00.000001Z"),
        ] {
            assert_eq!(write_timestamp(seconds, nanos).as_deref(), Ok(text));
            assert_eq!(read_timestamp(text), Some((seconds, nanos)));
        }
        assert_eq!(read_timestamp("1970-01-01T01:00:00+01:00"), Some((0, 0)));
        assert_eq!(read_timestamp("1970-01-01"), None);
        assert!(write_timestamp(253_402_300_800, 0).is_err());
        for (seconds, nanos, text) in [(0, 0, "0s"), (1, 500_000_000, "1.500s"), (-1, -5, "-1.000000005s")] {
            assert_eq!(write_duration(seconds, nanos).as_deref(), Ok(text));
            assert_eq!(read_duration(text), Some((seconds, nanos)));
        }
        assert_eq!(read_duration("1"), None);
        assert!(write_duration(1, -1).is_err());
    }
}
