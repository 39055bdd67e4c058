//! Numbers and bytes in JSON: how they are written and what a reader takes for them.

use serde_json::Number;

use super::codec::ReadError;
use super::json_tree::Json;
use super::model::Kind;

pub(super) fn write_real(value: f64) -> Json {
    match Number::from_f64(value) {
        Some(number) => Json::Number(number),
        None if value.is_nan() => Json::String("NaN".to_owned()),
        None if value > 0.0 => Json::String("Infinity".to_owned()),
        None => Json::String("-Infinity".to_owned()),
    }
}

pub(super) fn read_real(json: &Json) -> Result<f64, ReadError> {
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
pub(super) fn read_integer(kind: Kind, json: &Json) -> Result<i128, ReadError> {
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

pub(super) fn base64(bytes: &[u8]) -> String {
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
pub(super) fn read_base64(text: &str) -> Option<Vec<u8>> {
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
