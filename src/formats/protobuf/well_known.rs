//! The well-known types whose JSON form is not that of an ordinary message, and the texts of times, durations and field
//! masks. What holds other values is written and read in [`super::json`].
//!
//! They are recognised by full name, as the runtimes do, and their fields by number. A vendored copy with other fields
//! is an ordinary error of the value, never a panic.

use std::borrow::Cow;

use crate::value::{Record, Value};

use super::codec::{HOLDER, Types};
use super::model::MessageId;

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

    /// The type that a message is.
    pub(super) fn of(types: Types<'_, '_>, id: MessageId) -> Option<Self> {
        (id != HOLDER).then(|| Self::from_full_name(&types.schema.message(id).full_name)).flatten()
    }
}

pub(super) fn write_field_mask(record: &Record) -> Result<String, String> {
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

pub(super) fn snake_case(path: &str) -> String {
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
pub(super) const SECONDS: std::ops::RangeInclusive<i128> = -62_135_596_800..=253_402_300_799;
/// About 10,000 years, as the specification limits durations.
const DURATION_SECONDS: std::ops::RangeInclusive<i128> = -315_576_000_000..=315_576_000_000;

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

pub(super) fn write_timestamp(seconds: i128, nanos: i128) -> Result<String, String> {
    if !SECONDS.contains(&seconds) || !(0..1_000_000_000).contains(&nanos) {
        return Err("a timestamp is out of range".to_owned());
    }
    let (days, rest) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
    let (year, month, day) = civil_date(days);
    let (hour, minute, second) = (rest / 3600, rest / 60 % 60, rest % 60);
    Ok(format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}{}Z", fraction(nanos)))
}

pub(super) fn read_timestamp(text: &str) -> Option<(i128, i128)> {
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

pub(super) fn write_duration(seconds: i128, nanos: i128) -> Result<String, String> {
    let signs_differ = seconds.signum() * nanos.signum() < 0;
    if !DURATION_SECONDS.contains(&seconds) || nanos.abs() >= 1_000_000_000 || signs_differ {
        return Err("a duration is out of range".to_owned());
    }
    let sign = if seconds < 0 || nanos < 0 { "-" } else { "" };
    Ok(format!("{sign}{}{}s", seconds.abs(), fraction(nanos.abs())))
}

pub(super) fn read_duration(text: &str) -> Option<(i128, i128)> {
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
