//! The values that round trips speak of, in the words of no format.
//!
//! A format encodes and decodes [`Value`]s and gives records and enums a type number and fields a key of its own choice;
//! this module shows values to people, compares single values as a reader sees them, and holds the vocabulary of
//! boundary values that synthetic messages are made of. It does not know any schema.

use std::borrow::Cow;

use serde_json::Value as Json;

use crate::ordered::OrderedMap;

/// One value. Numbers keep their width only where it shows: `f32` and `f64` differ, integers do not.
#[derive(Debug, Clone)]
pub enum Value {
    /// Nothing, where a format has a type for it.
    Null,
    /// A boolean.
    Bool(bool),
    /// An integer of any width and sign.
    Int(i128),
    /// A number of single precision; NaN and -0 are kept.
    Float(f32),
    /// A number of double precision; NaN and -0 are kept.
    Double(f64),
    /// A text. Its bytes may be invalid UTF-8 where a format does not check.
    Text(Vec<u8>),
    /// Bytes.
    Bytes(Vec<u8>),
    /// An enum value by number; the type is the format's own index.
    Enum {
        /// Which enum.
        ty: u32,
        /// Which value.
        number: i32,
    },
    /// Several values, in order.
    List(Vec<Value>),
    /// Values by key.
    Map(OrderedMap<Key, Value>),
    /// A record.
    Record(Record),
    /// The value of a union, with the index of the branch it belongs to.
    Branch {
        /// Which branch.
        index: u32,
        /// Its value.
        value: Box<Value>,
    },
}

/// The key of a map.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Key {
    /// A boolean.
    Bool(bool),
    /// An integer.
    Int(i128),
    /// A text, by its bytes.
    Text(Vec<u8>),
}

/// Fields by the format's own key; an absent field is not in it.
#[derive(Debug, Clone, PartialEq)]
pub struct Record {
    /// Which type, by the format's own index.
    pub(crate) ty: u32,
    /// The fields that are present.
    pub(crate) fields: OrderedMap<i32, Value>,
}

impl Record {
    /// A record without any field.
    pub(crate) fn empty(ty: u32) -> Self {
        Self { ty, fields: OrderedMap::new() }
    }

    /// The same record with one more field.
    #[must_use]
    pub(crate) fn with(mut self, key: i32, value: Value) -> Self {
        self.fields.insert(key, value);
        self
    }
}

impl Key {
    /// The key as a value.
    pub(crate) fn to_value(&self) -> Value {
        match self {
            Key::Bool(value) => Value::Bool(*value),
            Key::Int(value) => Value::Int(*value),
            Key::Text(bytes) => Value::Text(bytes.clone()),
        }
    }
}

/// Equal means the same kind and the same bits: NaN equals NaN, and 0 differs from -0.
impl PartialEq for Value {
    fn eq(&self, other: &Value) -> bool {
        match (self, other) {
            (Value::Bool(one), Value::Bool(two)) => one == two,
            (Value::Int(one), Value::Int(two)) => one == two,
            (Value::Float(one), Value::Float(two)) => one.to_bits() == two.to_bits() || one.is_nan() && two.is_nan(),
            (Value::Double(one), Value::Double(two)) => one.to_bits() == two.to_bits() || one.is_nan() && two.is_nan(),
            (Value::Text(one), Value::Text(two)) | (Value::Bytes(one), Value::Bytes(two)) => one == two,
            (Value::Enum { number: one, .. }, Value::Enum { number: two, .. }) => one == two,
            (Value::List(one), Value::List(two)) => one == two,
            (Value::Map(one), Value::Map(two)) => one == two,
            (Value::Record(one), Value::Record(two)) => one == two,
            (Value::Null, Value::Null) => true,
            (Value::Branch { index: one, value: left }, Value::Branch { index: two, value: right }) => {
                one == two && left == right
            }
            _ => false,
        }
    }
}

/// What a format calls its records, fields and enum values.
pub(crate) trait Names {
    /// The name of a field.
    fn field(&self, record: u32, key: i32) -> Cow<'_, str>;
    /// The name of an enum value, if it has one.
    fn enum_value(&self, ty: u32, number: i32) -> Option<Cow<'_, str>>;
}

const TEXT_SHOWN: usize = 60;
const BYTES_SHOWN: usize = 32;
const ELEMENTS_SHOWN: usize = 8;
const DEPTH_SHOWN: usize = 12;

/// The value as JSON for people: short, and exact where it can be.
pub(crate) fn for_people(value: &Value, names: &dyn Names) -> Json {
    show(value, names, 0)
}

/// The record as JSON for people.
pub(crate) fn record_for_people(record: &Record, names: &dyn Names) -> Json {
    show_record(record, names, 0)
}

fn show(value: &Value, names: &dyn Names, depth: usize) -> Json {
    match value {
        Value::Bool(value) => Json::Bool(*value),
        Value::Int(value) => show_integer(*value),
        Value::Float(value) => show_number(shortest(*value)),
        Value::Double(value) => show_number(*value),
        Value::Text(bytes) => Json::String(show_text(bytes)),
        Value::Bytes(bytes) => Json::String(show_bytes(bytes)),
        Value::Enum { ty, number } => match names.enum_value(*ty, *number) {
            Some(name) => Json::String(name.into_owned()),
            None => Json::from(*number),
        },
        Value::List(values) => {
            let mut shown: Vec<Json> =
                values.iter().take(ELEMENTS_SHOWN).map(|value| show(value, names, depth + 1)).collect();
            if let Some(more) = more_than_shown(values.len()) {
                shown.push(Json::String(more));
            }
            Json::Array(shown)
        }
        Value::Map(entries) => {
            let mut shown = serde_json::Map::new();
            for (key, value) in entries.iter().take(ELEMENTS_SHOWN) {
                shown.insert(show_key(key), show(value, names, depth + 1));
            }
            if let Some(more) = more_than_shown(entries.len()) {
                shown.insert("…".to_owned(), Json::String(more));
            }
            Json::Object(shown)
        }
        Value::Record(record) => show_record(record, names, depth),
        Value::Null => Json::Null,
        Value::Branch { value, .. } => show(value, names, depth),
    }
}

fn show_record(record: &Record, names: &dyn Names, depth: usize) -> Json {
    if depth > DEPTH_SHOWN {
        return Json::String("…".to_owned());
    }
    let fields = record.fields.iter();
    Json::Object(
        fields.map(|(key, value)| (names.field(record.ty, *key).into_owned(), show(value, names, depth + 1))).collect(),
    )
}

fn more_than_shown(count: usize) -> Option<String> {
    (count > ELEMENTS_SHOWN).then(|| format!("… and {} more", count - ELEMENTS_SHOWN))
}

fn show_key(key: &Key) -> String {
    match key {
        Key::Bool(value) => value.to_string(),
        Key::Int(value) => value.to_string(),
        Key::Text(bytes) => show_text(bytes),
    }
}

/// Numbers beyond 2^53 lose digits in most JSON readers, so they are shown as texts unless a double holds them exactly.
fn show_integer(value: i128) -> Json {
    let is_exact = (value as f64) as i128 == value;
    match (i64::try_from(value), u64::try_from(value)) {
        (Ok(value), _) if is_exact => Json::from(value),
        (_, Ok(value)) if is_exact => Json::from(value),
        _ => Json::String(value.to_string()),
    }
}

fn show_number(value: f64) -> Json {
    match serde_json::Number::from_f64(value) {
        Some(number) => Json::Number(number),
        None if value.is_nan() => Json::String("NaN".to_owned()),
        None if value > 0.0 => Json::String("Infinity".to_owned()),
        None => Json::String("-Infinity".to_owned()),
    }
}

/// The double whose shortest decimal form is that of the single: 0.1 stays 0.1.
pub(crate) fn shortest(value: f32) -> f64 {
    value.to_string().parse().unwrap_or(f64::from(value))
}

fn show_text(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let count = text.chars().count();
    // What says that something is left out takes as much room as that.
    if count <= TEXT_SHOWN + 17 {
        return text.into_owned();
    }
    let start: String = text.chars().take(TEXT_SHOWN).collect();
    format!("{start}… ({count} characters)")
}

fn show_bytes(bytes: &[u8]) -> String {
    let mut shown = String::from("0x");
    for byte in bytes.iter().take(BYTES_SHOWN) {
        shown.push_str(&format!("{byte:02x}"));
    }
    if bytes.len() > BYTES_SHOWN {
        shown.push_str(&format!("… ({} bytes)", bytes.len()));
    }
    shown
}

/// Whether a value is what nothing reads as where no default is given: zero bits, nothing in it. -0.0 is not zero, and
/// whether a record or null is anything is the format's business.
pub(crate) fn is_zero(value: &Value) -> bool {
    match value {
        Value::Bool(value) => !value,
        Value::Int(value) => *value == 0,
        Value::Float(value) => value.to_bits() == 0,
        Value::Double(value) => value.to_bits() == 0,
        Value::Text(bytes) | Value::Bytes(bytes) => bytes.is_empty(),
        Value::Enum { number, .. } => *number == 0,
        Value::List(values) => values.is_empty(),
        Value::Map(entries) => entries.is_empty(),
        Value::Record(_) | Value::Null | Value::Branch { .. } => false,
    }
}

/// Whether a reader who sees `read` sees what the writer wrote, though the kinds may differ: numbers by value, true as 1,
/// texts and bytes by their bytes. Lists, maps and records are the format's business and never the same here.
///
/// A text that a reader gets as invalid UTF-8 shows replacement characters, so it is not what bytes said; but a writer
/// and a reader who both do not check see the same.
pub(crate) fn same_to_reader(wrote: &Value, read: &Value) -> bool {
    match (wrote, read) {
        (Value::Null, Value::Null) => true,
        (Value::Text(wrote), Value::Text(read) | Value::Bytes(read)) => wrote == read,
        (Value::Bytes(wrote), Value::Bytes(read)) => wrote == read,
        (Value::Bytes(wrote), Value::Text(read)) => wrote == read && std::str::from_utf8(read).is_ok(),
        _ => match (number(wrote), number(read)) {
            (Some(Number::Whole(wrote)), Some(Number::Whole(read))) => wrote == read,
            (Some(Number::Single(wrote)), Some(Number::Single(read))) => same_real(wrote.into(), read.into()),
            (Some(Number::Double(wrote)), Some(Number::Double(read))) => same_real(wrote, read),
            // The writer's precision decides: 0.1 in single precision, read as the double 0.1, is what was meant.
            (Some(Number::Single(wrote)), Some(Number::Double(read))) => {
                same_real(wrote.into(), f64::from(read as f32))
            }
            (Some(Number::Double(wrote)), Some(Number::Single(read))) => same_real(wrote, read.into()),
            (Some(Number::Whole(whole)), Some(Number::Single(real))) => is_whole(real.into(), whole),
            (Some(Number::Whole(whole)), Some(Number::Double(real))) => is_whole(real, whole),
            (Some(Number::Single(real)), Some(Number::Whole(whole))) => is_whole(real.into(), whole),
            (Some(Number::Double(real)), Some(Number::Whole(whole))) => is_whole(real, whole),
            (None, _) | (_, None) => false,
        },
    }
}

/// The same for defaults, which programs compare: zero is zero, whatever its sign.
pub(crate) fn same_default(meant: &Value, shown: &Value) -> bool {
    let is_zero = |value: &Value| match number(value) {
        Some(Number::Whole(whole)) => whole == 0,
        Some(Number::Single(real)) => real == 0.0,
        Some(Number::Double(real)) => real == 0.0,
        None => false,
    };
    same_to_reader(meant, shown) || is_zero(meant) && is_zero(shown)
}

enum Number {
    Whole(i128),
    Single(f32),
    Double(f64),
}

fn number(value: &Value) -> Option<Number> {
    match value {
        Value::Bool(value) => Some(Number::Whole(i128::from(*value))),
        Value::Int(value) => Some(Number::Whole(*value)),
        Value::Enum { number, .. } => Some(Number::Whole(i128::from(*number))),
        Value::Float(value) => Some(Number::Single(*value)),
        Value::Double(value) => Some(Number::Double(*value)),
        Value::Text(_) | Value::Bytes(_) | Value::List(_) | Value::Map(_) | Value::Record(_) => None,
        Value::Null | Value::Branch { .. } => None,
    }
}

fn same_real(wrote: f64, read: f64) -> bool {
    wrote.to_bits() == read.to_bits() || wrote.is_nan() && read.is_nan()
}

fn is_whole(real: f64, whole: i128) -> bool {
    real.is_finite() && real.fract() == 0.0 && real as i128 == whole
}

/// A small generator of numbers that look random and are the same in every run.
#[derive(Debug, Clone)]
pub(crate) struct Seeded(u64);

impl Seeded {
    /// A generator for something with a name; the same name gives the same numbers.
    pub(crate) fn by_name(name: &str) -> Self {
        // FNV-1a, so that the seed does not depend on a hasher of the standard library.
        Self(
            name.bytes()
                .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)),
        )
    }

    /// The next number (SplitMix64).
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }
}

/// The range of an integer type.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Width {
    /// -2^31 to 2^31 - 1.
    Signed32,
    /// -2^63 to 2^63 - 1.
    Signed64,
    /// 0 to 2^32 - 1.
    Unsigned32,
    /// 0 to 2^64 - 1.
    Unsigned64,
}

impl Width {
    /// The smallest and the largest number.
    pub(crate) const fn range(self) -> (i128, i128) {
        match self {
            Width::Signed32 => (i32::MIN as i128, i32::MAX as i128),
            Width::Signed64 => (i64::MIN as i128, i64::MAX as i128),
            Width::Unsigned32 => (0, u32::MAX as i128),
            Width::Unsigned64 => (0, u64::MAX as i128),
        }
    }
}

/// Integers at which readers of another type go wrong, the small ones first: signs, zigzag, 32 bits, 53 bits, 64 bits.
pub(crate) fn integers(width: Width, seeded: &mut Seeded) -> Vec<Value> {
    let (min, max) = width.range();
    let seen = seeded.next();
    let random = match width {
        Width::Signed32 | Width::Unsigned32 => i128::from(seen as u32),
        Width::Signed64 | Width::Unsigned64 => i128::from(seen),
    };
    let numbers = [
        1,
        0,
        2,
        -1,
        i128::from(i32::MAX),
        1 << 31,
        i128::from(i32::MIN),
        i128::from(u32::MAX),
        (1 << 32) + 5,
        (1 << 53) + 1,
        1 << 63,
        min,
        max,
        random,
    ];
    let mut values: Vec<Value> = Vec::new();
    for number in numbers {
        if (min..=max).contains(&number) && !values.contains(&Value::Int(number)) {
            values.push(Value::Int(number));
        }
    }
    values
}

/// Numbers of single precision, among them some with the bits of telling integers.
pub(crate) fn singles() -> Vec<Value> {
    [1.0, 0.0, -0.0, 0.1, -2.5, 16_777_216.0, f32::MAX, f32::MIN_POSITIVE, f32::NAN, f32::INFINITY, f32::NEG_INFINITY]
        .map(Value::Float)
        .to_vec()
}

/// Numbers of double precision, among them some that single precision cannot hold.
pub(crate) fn doubles() -> Vec<Value> {
    [1.0, 0.0, -0.0, 0.1, -2.5, 16_777_217.0, 1e300, f64::MAX, f64::NAN, f64::INFINITY, f64::NEG_INFINITY]
        .map(Value::Double)
        .to_vec()
}

/// Texts: empty, plain, beyond ASCII, one that reads as a message, some of the size of numbers, and moments in time.
pub(crate) fn texts() -> Vec<Value> {
    let texts = ["a", "", "7", "\u{8}\u{1}", "Grüße 日本", "four", "12345678", "1970-01-01T00:00:01Z", "1s"];
    texts.map(|text| Value::Text(text.as_bytes().to_vec())).to_vec()
}

/// A text that is not valid UTF-8.
pub(crate) fn invalid_text() -> Value {
    Value::Text(vec![0xff, 0xfe])
}

/// Bytes: empty, plain, not UTF-8, one that reads as a message, some of the size of numbers, and one whose base64 text
/// (`1234`) is a number.
pub(crate) fn byte_strings() -> Vec<Value> {
    [&b"a"[..], b"", &[0xff, 0xfe], &[8, 1], &[1, 0, 0, 0], &[1, 0, 0, 0, 0, 0, 0, 0], &[0xd7, 0x6d, 0xf8]]
        .map(|bytes| Value::Bytes(bytes.to_vec()))
        .to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Plain;

    impl Names for Plain {
        fn field(&self, _record: u32, key: i32) -> Cow<'_, str> {
            Cow::Owned(format!("f{key}"))
        }
        fn enum_value(&self, _ty: u32, number: i32) -> Option<Cow<'_, str>> {
            (number == 1).then_some(Cow::Borrowed("ONE"))
        }
    }

    #[test]
    fn values_are_shown_exactly_or_said_to_be_shortened() {
        let shown = |value: Value| for_people(&value, &Plain).to_string();
        assert_eq!(shown(Value::Int(5)), "5");
        assert_eq!(shown(Value::Int((1 << 53) + 1)), "\"9007199254740993\"");
        assert_eq!(shown(Value::Int(1 << 63)), "9223372036854775808");
        assert_eq!(shown(Value::Float(0.1)), "0.1");
        assert_eq!(shown(Value::Double(f64::NAN)), "\"NaN\"");
        assert_eq!(shown(Value::Bytes(vec![8, 255])), "\"0x08ff\"");
        assert_eq!(shown(Value::Enum { ty: 0, number: 1 }), "\"ONE\"");
        assert_eq!(shown(Value::Enum { ty: 0, number: 7 }), "7");
        assert!(shown(Value::Text(vec![b'x'; 100])).contains("… (100 characters)"));
        assert!(shown(Value::List(vec![Value::Int(1); 20])).contains("… and 12 more"));
        assert_eq!(shown(Value::Record(Record::empty(0).with(2, Value::Bool(true)))), r#"{"f2":true}"#);
    }

    #[test]
    fn readers_see_numbers_by_value_and_texts_by_bytes() {
        assert!(same_to_reader(&Value::Bool(true), &Value::Int(1)));
        assert!(!same_to_reader(&Value::Int(2), &Value::Bool(true)));
        assert!(same_to_reader(&Value::Enum { ty: 0, number: 3 }, &Value::Int(3)));
        assert!(same_to_reader(&Value::Int(3), &Value::Double(3.0)));
        assert!(!same_to_reader(&Value::Int((1 << 53) + 1), &Value::Double(9_007_199_254_740_992.0)));
        assert!(same_to_reader(&Value::Float(0.1), &Value::Double(0.1)));
        assert!(!same_to_reader(&Value::Double(0.1), &Value::Float(0.1)));
        assert!(same_to_reader(&Value::Double(f64::NAN), &Value::Float(f32::NAN)));
        assert!(same_to_reader(&Value::Text(b"a".to_vec()), &Value::Bytes(b"a".to_vec())));
        assert!(!same_to_reader(&Value::Bytes(vec![0xff]), &Value::Text(vec![0xff])));
        assert!(!same_to_reader(&Value::Text(b"7".to_vec()), &Value::Int(7)));
    }

    #[test]
    fn boundary_numbers_are_the_same_in_every_run_and_in_range() {
        for width in [Width::Signed32, Width::Signed64, Width::Unsigned32, Width::Unsigned64] {
            let once = integers(width, &mut Seeded::by_name("m"));
            assert_eq!(once, integers(width, &mut Seeded::by_name("m")));
            let (min, max) = width.range();
            assert!(once.contains(&Value::Int(min)) && once.contains(&Value::Int(max)));
            assert!(once.iter().all(|value| matches!(value, Value::Int(number) if (min..=max).contains(number))));
        }
    }
}
