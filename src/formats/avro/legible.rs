//! Values of logical types as people write them: what a reader of the schema understands, not what the bytes hold.
//!
//! Instants are shown as RFC 3339 has them, times of day without their zeros at the end, durations as ISO 8601 has them.
//! What lies outside of what these notations can say is shown as a number and its unit.

use crate::ordered::OrderedMap;
use crate::value::{Record as RecordValue, Value};

use super::codec;
use super::model::{Kind, Logical, Primitive, Schema, TypeId, Unit};

/// The value of a type, with a text in place of everything that has a logical type. What is not of the type is left as
/// it is.
pub(super) fn legible(schema: &Schema<'_>, ty: TypeId, value: &Value) -> Value {
    let text = schema.ty(ty).logical.and_then(|logical| spelled(schema, logical, value));
    if let Some(text) = text {
        return Value::Text(text.into_bytes());
    }
    match (schema.kind(ty), value) {
        (Kind::Record(definition), Value::Record(record)) => {
            let mut shown = RecordValue::empty(record.ty);
            for (key, value) in &record.fields {
                let field = usize::try_from(*key).ok().and_then(|index| definition.fields.get(index));
                shown.fields.extend(field.map(|field| (*key, legible(schema, field.schema.ty, value))));
            }
            Value::Record(shown)
        }
        (Kind::Array(items), Value::List(values)) => {
            Value::List(values.iter().map(|value| legible(schema, items.ty, value)).collect())
        }
        (Kind::Map(values), Value::Map(entries)) => {
            let shown = entries.iter().map(|(key, value)| (key.clone(), legible(schema, values.ty, value)));
            Value::Map(shown.collect::<OrderedMap<_, _>>())
        }
        (Kind::Union(branches), Value::Branch { index, value }) => {
            let branch = branches.get(*index as usize);
            let shown = branch.map_or_else(|| (**value).clone(), |branch| legible(schema, branch.ty, value));
            Value::Branch { index: *index, value: Box::new(shown) }
        }
        _ => value.clone(),
    }
}

/// What a value means; `None` where it is shown as it is.
fn spelled(schema: &Schema<'_>, logical: Logical, value: &Value) -> Option<String> {
    Some(match (logical, value) {
        (Logical::Timestamp(unit), Value::Int(count)) => {
            moment(*count, unit).map_or_else(|| plain(*count, unit), |moment| moment + "Z")
        }
        (Logical::LocalTimestamp(unit), Value::Int(count)) => {
            moment(*count, unit).unwrap_or_else(|| plain(*count, unit))
        }
        (Logical::Date, Value::Int(days)) => date(*days).unwrap_or_else(|| format!("{days} days")),
        (Logical::TimeMillis, Value::Int(count)) => of_day(*count, Unit::Millis),
        (Logical::TimeMicros, Value::Int(count)) => of_day(*count, Unit::Micros),
        (Logical::Decimal { scale, .. }, Value::Bytes(bytes)) => decimal(bytes, i64::from(scale))?,
        (Logical::BigDecimal, Value::Bytes(bytes)) => {
            let (unscaled, rest) = codec::decode(schema, Primitive::Bytes.id(), bytes).ok()?;
            match (unscaled, codec::decode(schema, Primitive::Int.id(), rest).ok()?) {
                (Value::Bytes(unscaled), (Value::Int(scale), [])) => decimal(&unscaled, scale.try_into().ok()?)?,
                _ => return None,
            }
        }
        (Logical::Uuid, Value::Bytes(bytes)) => uuid(bytes.as_slice().try_into().ok()?),
        (Logical::Duration, Value::Bytes(bytes)) => duration(bytes.as_slice().try_into().ok()?),
        _ => return None,
    })
}

/// Units in a second.
const fn per_second(unit: Unit) -> i128 {
    match unit {
        Unit::Millis => 1_000,
        Unit::Micros => 1_000_000,
        Unit::Nanos => 1_000_000_000,
    }
}

fn plain(count: i128, unit: Unit) -> String {
    let unit = match unit {
        Unit::Millis => "ms",
        Unit::Micros => "µs",
        Unit::Nanos => "ns",
    };
    format!("{count} {unit}")
}

const SECONDS_OF_DAY: i128 = 86_400;

/// The date and the time of day so long after 1970; `None` outside of the years 0 to 9999.
fn moment(count: i128, unit: Unit) -> Option<String> {
    let of_day = SECONDS_OF_DAY * per_second(unit);
    let date = date(count.div_euclid(of_day))?;
    Some(format!("{date}T{}", clock(count.rem_euclid(of_day), unit)))
}

/// A time of day; a number where no day has it.
fn of_day(count: i128, unit: Unit) -> String {
    if (0..SECONDS_OF_DAY * per_second(unit)).contains(&count) { clock(count, unit) } else { plain(count, unit) }
}

/// Hours, minutes, seconds, and behind the point all digits of the unit unless they are zeros.
fn clock(count: i128, unit: Unit) -> String {
    let (seconds, rest) = (count / per_second(unit), count % per_second(unit));
    let whole = format!("{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60);
    let digits = match unit {
        Unit::Millis => 3,
        Unit::Micros => 6,
        Unit::Nanos => 9,
    };
    if rest == 0 { whole } else { format!("{whole}.{rest:0digits$}") }
}

/// Days in 400 years, after which the calendar repeats.
const CYCLE: i128 = 146_097;
/// Days from 0000-03-01 to 1970-01-01.
const EPOCH: i128 = 719_468;

/// The date so many days after 1970-01-01 in the Gregorian calendar; `None` outside of the years 0 to 9999.
///
/// Years are counted from March, so that the day that some years have more is the last one.
fn date(days: i128) -> Option<String> {
    let since = days.checked_add(EPOCH)?;
    let (cycle, day) = (since.div_euclid(CYCLE), since.rem_euclid(CYCLE));
    // Every 4th year but not every 100th is longer; the last day of the cycle belongs to its 400th year.
    let year = (day - day / 1_460 + day / 36_524 - day / (CYCLE - 1)) / 365;
    let day = day - (year * 365 + year / 4 - year / 100);
    // From March on, five months have 153 days.
    let month = (day * 5 + 2) / 153;
    let day = day - (month * 153 + 2) / 5 + 1;
    let (month, later) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    let year = cycle * 400 + year + later;
    (0..=9999).contains(&year).then(|| format!("{year:04}-{month:02}-{day:02}"))
}

/// Numbers of more bytes are shown as bytes.
const DECIMAL_BYTES: usize = 32;
/// Numbers are not filled with more zeros than this.
const ZEROS: usize = 40;

/// A big-endian number in two's complement divided by ten to the power of the scale.
fn decimal(bytes: &[u8], scale: i64) -> Option<String> {
    let digits = magnitude(bytes).filter(|_| !bytes.is_empty())?;
    let sign = if bytes[0] >= 0x80 { "-" } else { "" };
    if digits == "0" && scale <= 0 {
        return Some(digits);
    }
    match usize::try_from(scale) {
        Ok(0) => Some(format!("{sign}{digits}")),
        Ok(places) if places < digits.len() => {
            let (whole, rest) = digits.split_at(digits.len() - places);
            Some(format!("{sign}{whole}.{rest}"))
        }
        Ok(places) if places <= ZEROS => Some(format!("{sign}0.{digits:0>places$}")),
        Err(_) if scale >= -(ZEROS as i64) => {
            let zeros = "0".repeat(usize::try_from(scale.unsigned_abs()).ok()?);
            Some(format!("{sign}{digits}{zeros}"))
        }
        Ok(_) | Err(_) => Some(format!("{sign}{digits}E{}", -i128::from(scale))),
    }
}

/// The digits of a big-endian number in two's complement without its sign.
fn magnitude(bytes: &[u8]) -> Option<String> {
    if bytes.len() > DECIMAL_BYTES {
        return None;
    }
    let mut number = bytes.to_vec();
    if number.first().is_some_and(|first| *first >= 0x80) {
        let mut carry = true;
        for byte in number.iter_mut().rev() {
            (*byte, carry) = (!*byte).overflowing_add(u8::from(carry));
        }
    }
    let mut digits = Vec::new();
    while number.iter().any(|byte| *byte != 0) {
        let mut rest = 0_u16;
        for byte in &mut number {
            let part = rest << 8 | u16::from(*byte);
            *byte = (part / 10) as u8;
            rest = part % 10;
        }
        digits.push(b'0' + rest as u8);
    }
    if digits.is_empty() {
        digits.push(b'0');
    }
    digits.reverse();
    String::from_utf8(digits).ok()
}

fn uuid(bytes: [u8; 16]) -> String {
    let mut shown = String::with_capacity(36);
    for (index, byte) in bytes.iter().enumerate() {
        shown.push_str(if matches!(index, 4 | 6 | 8 | 10) { "-" } else { "" });
        shown.push_str(&format!("{byte:02x}"));
    }
    shown
}

/// Three little-endian numbers: months, days, milliseconds.
fn duration(bytes: [u8; 12]) -> String {
    let part = |at: usize| u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
    let (months, days, millis) = (part(0), part(4), part(8));
    let mut shown = String::from("P");
    for (count, unit) in [(months, "M"), (days, "D")] {
        if count > 0 {
            shown.push_str(&format!("{count}{unit}"));
        }
    }
    match (millis / 1000, millis % 1000) {
        (0, 0) if shown.len() > 1 => {}
        (seconds, 0) => shown.push_str(&format!("T{seconds}S")),
        (seconds, rest) => shown.push_str(&format!("T{seconds}.{rest:03}S")),
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::avro::codec::tests::schema;
    use crate::formats::avro::model::Unit::{Micros, Millis, Nanos};

    fn shown(logical: Logical, value: Value) -> String {
        let (schema, _) = schema(serde_json::json!("null"));
        spelled(&schema, logical, &value).unwrap_or_else(|| "as it is".to_owned())
    }

    fn check(logical: Logical, cases: &[(i128, &str)]) {
        for (count, expected) in cases {
            assert_eq!(shown(logical, Value::Int(*count)), *expected, "{logical:?} {count}");
        }
    }

    #[test]
    fn timestamps_are_shown_with_the_digits_that_they_have() {
        let first = -62_167_219_200_000;
        let last = 253_402_300_799_999;
        check(
            Logical::Timestamp(Millis),
            &[
                (0, "1970-01-01T00:00:00Z"),
                (1, "1970-01-01T00:00:00.001Z"),
                (-1, "1969-12-31T23:59:59.999Z"),
                (1_600_000_000_123, "2020-09-13T12:26:40.123Z"),
                (951_782_400_000, "2000-02-29T00:00:00Z"),
                (first, "0000-01-01T00:00:00Z"),
                (first - 1, "-62167219200001 ms"),
                (last, "9999-12-31T23:59:59.999Z"),
                (last + 1, "253402300800000 ms"),
                (i64::MIN.into(), "-9223372036854775808 ms"),
                (i64::MAX.into(), "9223372036854775807 ms"),
            ],
        );
        check(
            Logical::Timestamp(Micros),
            &[
                (1, "1970-01-01T00:00:00.000001Z"),
                (1_600_000_000_123, "1970-01-19T12:26:40.000123Z"),
                (i64::MIN.into(), "-9223372036854775808 µs"),
            ],
        );
        check(
            Logical::Timestamp(Nanos),
            &[
                (1_600_000_000_123_456_789, "2020-09-13T12:26:40.123456789Z"),
                (i64::MIN.into(), "1677-09-21T00:12:43.145224192Z"),
                (i64::MAX.into(), "2262-04-11T23:47:16.854775807Z"),
            ],
        );
        check(
            Logical::LocalTimestamp(Millis),
            &[(1, "1970-01-01T00:00:00.001"), (i64::MAX.into(), "9223372036854775807 ms")],
        );
    }

    #[test]
    fn dates_and_times_outside_of_the_calendar_are_numbers() {
        check(
            Logical::Date,
            &[
                (0, "1970-01-01"),
                (-1, "1969-12-31"),
                (18_518, "2020-09-13"),
                (-719_528, "0000-01-01"),
                (-719_529, "-719529 days"),
                (2_932_896, "9999-12-31"),
                (2_932_897, "2932897 days"),
                (i32::MAX.into(), "2147483647 days"),
            ],
        );
        check(
            Logical::TimeMillis,
            &[(45_296_789, "12:34:56.789"), (86_399_999, "23:59:59.999"), (86_400_000, "86400000 ms"), (-1, "-1 ms")],
        );
        check(
            Logical::TimeMicros,
            &[(45_296_789, "00:00:45.296789"), (0, "00:00:00"), (86_400_000_000, "86400000000 µs")],
        );
    }

    /// Day by day through 400 years and more, counted by the rule that a child learns.
    #[test]
    fn every_day_follows_the_one_before() {
        let is_leap = |year: i128| year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
        let (mut year, mut month, mut day) = (1570, 1, 1);
        for days in -146_097..=146_097 + 365 {
            assert_eq!(date(days), Some(format!("{year:04}-{month:02}-{day:02}")), "{days}");
            let last = match month {
                2 if is_leap(year) => 29,
                2 => 28,
                4 | 6 | 9 | 11 => 30,
                _ => 31,
            };
            (year, month, day) = match (month, day) {
                (12, 31) => (year + 1, 1, 1),
                (_, day) if day == last => (year, month + 1, 1),
                _ => (year, month, day + 1),
            };
        }
    }

    #[test]
    fn decimals_are_shown_with_their_point() {
        let of = |scale| Logical::Decimal { precision: 38, scale };
        let cases: &[(u32, &[u8], &str)] = &[
            (2, &[0x04, 0xd2], "12.34"),
            (1, &[0x04, 0xd2], "123.4"),
            (4, &[0x04, 0xd2], "0.1234"),
            (6, &[0x04, 0xd2], "0.001234"),
            (0, &[0x04, 0xd2], "1234"),
            (2, &[0xfb, 0x2e], "-12.34"),
            (2, &[0xff, 0xfb, 0x2e], "-12.34"),
            (2, &[0], "0.00"),
            (0, &[0x80], "-128"),
            (0, &[0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], "-170141183460469231731687303715884105728"),
            (0, &[1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], "340282366920938463463374607431768211456"),
            (50, &[1], "1E-50"),
            (2, &[], "as it is"),
        ];
        for (scale, bytes, expected) in cases {
            assert_eq!(shown(of(*scale), Value::Bytes(bytes.to_vec())), *expected);
        }
        assert_eq!(shown(of(2), Value::Bytes(vec![1; 33])), "as it is");
    }

    #[test]
    fn numbers_with_their_own_scale_have_any() {
        let cases: &[(&[u8], &str)] = &[
            (&[4, 0x04, 0xd2, 4], "12.34"),
            (&[2, 1, 4], "0.01"),
            (&[2, 5, 3], "500"),
            (&[2, 0, 3], "0"),
            (&[2, 5, 0xff, 0x01], "5E128"),
            (&[2, 5], "as it is"),
            (&[2, 5, 0, 0], "as it is"),
            (&[9, 5], "as it is"),
        ];
        for (bytes, expected) in cases {
            assert_eq!(shown(Logical::BigDecimal, Value::Bytes(bytes.to_vec())), *expected, "{bytes:?}");
        }
    }

    #[test]
    fn durations_and_identifiers_are_texts() {
        let of = |parts: [u32; 3]| Value::Bytes(parts.iter().flat_map(|part| part.to_le_bytes()).collect());
        for (parts, expected) in [
            ([1, 2, 3], "P1M2DT0.003S"),
            ([0, 0, 0], "PT0S"),
            ([14, 0, 0], "P14M"),
            ([0, 0, 90_500], "PT90.500S"),
            ([0, 7, 2000], "P7DT2S"),
            ([u32::MAX, 0, u32::MAX], "P4294967295MT4294967.295S"),
        ] {
            assert_eq!(shown(Logical::Duration, of(parts)), expected);
        }
        let bytes = (0..16).map(|byte| byte * 17).collect();
        assert_eq!(shown(Logical::Uuid, Value::Bytes(bytes)), "00112233-4455-6677-8899-aabbccddeeff");
        assert_eq!(shown(Logical::Uuid, Value::Text(b"any".to_vec())), "as it is");
    }
}
