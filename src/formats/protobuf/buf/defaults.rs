//! Defaults as buf compares them: by number where both are numbers, whatever their types.

use std::fmt;

use crate::change::Pair;

use super::super::model::{Constant, Kind};
use super::image::{FieldView, simple};
use super::quoted;

/// A default with what it counts as.
struct Default {
    value: Value,
    /// As messages have it.
    text: String,
}

/// What a default counts as.
#[derive(Debug, Clone, PartialEq)]
enum Value {
    /// A text or bytes.
    Text(Vec<u8>),
    /// A bool, an integer or the number of an enum's value.
    Whole(i128),
    /// A `float`.
    Single(f64),
    /// A `double`.
    Double(f64),
}

/// What changed, if buf says that the default did.
pub(super) fn difference(fields: Pair<FieldView<'_, '_>>) -> Option<String> {
    let is_plain = |field: FieldView<'_, '_>| !field.is_list() && !field.is_map() && !field.is_message();
    if !is_plain(fields.old) || !is_plain(fields.new) {
        return None;
    }
    let (old, new) = (default(&fields.old)?, default(&fields.new)?);
    let stays = is_same(&old.value, &new.value) || (is_zero(&old.value) && is_zero(&new.value));
    (!stays).then(|| format!("changed default value from {} to {}", old.text, new.text))
}

fn default(field: &FieldView<'_, '_>) -> Option<Default> {
    let kind = field.kind()?;
    let stated = field.field.default.as_ref().filter(|_| field.part == super::image::Part::Whole);
    if let Kind::Enum(id) = kind {
        let values = &field.schema.enumeration(id).ast.values;
        let number = match stated {
            Some(Constant::Enum(number)) => i64::from(*number),
            _ => values.first()?.number,
        };
        let name = values.iter().find(|value| value.number == number).map(|value| &*value.name.text);
        let of = simple(&field.schema.enumeration(id).full_name);
        let text = format!("{of}.{}", name.unwrap_or("(?)"));
        return Some(Default { value: Value::Whole(number.into()), text });
    }
    let value = match (kind, stated) {
        (Kind::Opaque, _) => return None,
        (_, Some(Constant::Bytes(bytes))) => Value::Text(bytes.clone()),
        (Kind::String | Kind::Bytes, _) => Value::Text(Vec::new()),
        (Kind::Float, Some(Constant::Float(value))) => Value::Single(*value),
        (_, Some(Constant::Float(value))) => Value::Double(*value),
        (Kind::Float, Some(Constant::Int(value))) => Value::Single(rounded(*value)),
        (Kind::Double, Some(Constant::Int(value))) => Value::Double(rounded(*value)),
        (_, Some(Constant::Int(value))) => Value::Whole(*value),
        (_, Some(Constant::Bool(value))) => Value::Whole(i128::from(*value)),
        (_, Some(Constant::Enum(value))) => Value::Whole(i128::from(*value)),
        (Kind::Float, None) => Value::Single(0.0),
        (Kind::Double, None) => Value::Double(0.0),
        (_, None) => Value::Whole(0),
    };
    let text = match (&value, kind) {
        (Value::Text(bytes), Kind::Bytes) => {
            format!("[{}]", bytes.iter().map(|byte| format!("0x{byte:X}")).collect::<Vec<_>>().join(","))
        }
        (Value::Text(bytes), _) => quoted(&String::from_utf8_lossy(bytes)),
        (Value::Whole(value), Kind::Bool) => (*value != 0).to_string(),
        (Value::Whole(value), _) => value.to_string(),
        (Value::Single(value), _) => number_text(*value, as_float(*value)),
        (Value::Double(value), _) => number_text(*value, *value),
    };
    Some(Default { value, text })
}

/// A number as Go prints it: the fewest digits that give it again as what it is, with an exponent where it is very small
/// or large.
fn number_text(value: f64, shown: impl fmt::Display + fmt::LowerExp) -> String {
    let size = value.abs();
    match value {
        _ if value.is_nan() => "NaN".to_owned(),
        _ if value.is_infinite() => if value > 0.0 { "+Inf" } else { "-Inf" }.to_owned(),
        _ if size != 0.0 && !(1e-4..1e21).contains(&size) => {
            let whole = format!("{shown:e}");
            let (digits, exponent) = whole.split_once('e').unwrap_or((&whole, "0"));
            let (sign, power) = exponent.strip_prefix('-').map_or(("+", exponent), |power| ("-", power));
            format!("{digits}e{sign}{power:0>2}")
        }
        _ => shown.to_string(),
    }
}

#[expect(clippy::cast_possible_truncation, reason = "the number was rounded to a `float` when it was read")]
fn as_float(value: f64) -> f32 {
    value as f32
}

#[expect(clippy::cast_precision_loss, reason = "a default of a floating-point field is rounded to it")]
fn rounded(value: i128) -> f64 {
    value as f64
}

fn is_zero(value: &Value) -> bool {
    match value {
        Value::Text(bytes) => bytes.is_empty(),
        Value::Whole(value) => *value == 0,
        // The zero value of Go: minus zero is another one.
        Value::Single(value) | Value::Double(value) => value.to_bits() == 0,
    }
}

fn is_same(old: &Value, new: &Value) -> bool {
    match (old, new) {
        (Value::Text(old), Value::Text(new)) => old == new,
        (Value::Text(_), _) | (_, Value::Text(_)) => false,
        (Value::Whole(old), Value::Whole(new)) => old == new,
        (Value::Single(old), Value::Double(new)) => same_number(*old, single(*new)),
        (Value::Double(old), Value::Single(new)) => same_number(single(*old), *new),
        (Value::Single(old), Value::Single(new)) | (Value::Double(old), Value::Double(new)) => same_number(*old, *new),
        (Value::Whole(whole), Value::Single(value) | Value::Double(value))
        | (Value::Single(value) | Value::Double(value), Value::Whole(whole)) => is_exactly(*value, *whole),
    }
}

#[expect(clippy::cast_possible_truncation, reason = "a `double` is compared with a `float` as one")]
fn single(value: f64) -> f64 {
    f64::from(value as f32)
}

fn same_number(old: f64, new: f64) -> bool {
    old == new || (old.is_nan() && new.is_nan())
}

#[expect(clippy::cast_possible_truncation, reason = "what is out of range saturates and then differs")]
fn is_exactly(value: f64, whole: i128) -> bool {
    value.fract() == 0.0 && value as i128 == whole
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_printed_as_go_prints_them() {
        let cases = [
            (0.1, "0.1"),
            (-0.0, "-0"),
            (1e20, "100000000000000000000"),
            (1e21, "1e+21"),
            (2.5e-7, "2.5e-07"),
            (f64::INFINITY, "+Inf"),
            (f64::NAN, "NaN"),
        ];
        for (value, text) in cases {
            assert_eq!(number_text(value, value), text);
        }
        for (value, text) in [(0.1_f32, "0.1"), (2.5e-7, "2.5e-07")] {
            assert_eq!(number_text(f64::from(value), value), text);
        }
    }

    #[test]
    fn defaults_are_compared_across_types_of_numbers() {
        let float = |value: f32| Value::Single(f64::from(value));
        assert!(is_same(&float(0.1), &Value::Double(0.1)), "a `double` counts as the `float` that it rounds to");
        assert!(is_same(&Value::Whole(1), &Value::Double(1.0)));
        assert!(!is_same(&Value::Whole(i128::from(u64::MAX)), &Value::Whole(i128::from(u64::MAX) - 1)));
        assert!(!is_same(&Value::Text(Vec::new()), &Value::Whole(0)));
        assert!(is_zero(&Value::Double(0.0)) && !is_zero(&Value::Double(-0.0)));
        assert!(is_same(&Value::Double(f64::NAN), &float(f32::NAN)));
    }
}
