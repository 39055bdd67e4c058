//! What a plain scalar of YAML is: to readers of YAML 1.2, whose core schema counts here, and to those of YAML 1.1.
//!
//! `yes`, `010`, `1_000` and `1:30` are not the same to both. Of readers of 1.2 js-yaml and yaml are meant, of those of 1.1
//! PyYAML, which is what most programs in Python read YAML with.

use std::fmt;

/// What a reader takes a plain scalar for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Scalar {
    /// Nothing.
    Null,
    /// A boolean.
    Bool(bool),
    /// A number, as JSON has it.
    Number(String),
    /// The text as it stands there.
    Text,
    /// Something that JSON has no form for.
    Other(&'static str),
}

/// As a sentence about readers has it.
impl fmt::Display for Scalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Scalar::Null => f.write_str("null"),
            Scalar::Bool(value) => write!(f, "{value}"),
            Scalar::Number(number) => write!(f, "the number {number}"),
            Scalar::Text => f.write_str("a text"),
            Scalar::Other(what) => f.write_str(what),
        }
    }
}

const INFINITE: Scalar = Scalar::Other("no finite number");
const LARGE: Scalar = Scalar::Other("a very large number");

/// What readers of YAML 1.2 take it for (10.3.2).
pub(super) fn core(text: &str) -> Scalar {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => Scalar::Null,
        "true" | "True" | "TRUE" => Scalar::Bool(true),
        "false" | "False" | "FALSE" => Scalar::Bool(false),
        _ => core_number(text).or_else(|| infinite(text)).unwrap_or(Scalar::Text),
    }
}

/// What readers of YAML 1.1 take it for.
pub(super) fn legacy(text: &str) -> Scalar {
    match text {
        "yes" | "Yes" | "YES" | "on" | "On" | "ON" => Scalar::Bool(true),
        "no" | "No" | "NO" | "off" | "Off" | "OFF" => Scalar::Bool(false),
        _ if is_date(text) => Scalar::Other("a date"),
        _ => match core(text) {
            word @ (Scalar::Null | Scalar::Bool(_)) => word,
            Scalar::Number(_) | Scalar::Text | Scalar::Other(_) => {
                let number = legacy_integer(text).or_else(|| legacy_decimal(text)).or_else(|| infinite(text));
                number.unwrap_or(Scalar::Text)
            }
        },
    }
}

fn infinite(text: &str) -> Option<Scalar> {
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    let is_infinite = matches!(unsigned, ".inf" | ".Inf" | ".INF");
    (is_infinite || matches!(text, ".nan" | ".NaN" | ".NAN")).then_some(INFINITE)
}

fn core_number(text: &str) -> Option<Scalar> {
    for (prefix, radix) in [("0x", 16), ("0o", 8)] {
        if let Some(digits) = text.strip_prefix(prefix) {
            return digits.chars().all(|digit| digit.is_digit(radix)).then(|| of_radix("", digits, radix))?;
        }
    }
    let (sign, rest) = signed(text);
    let (mantissa, exponent) = halves(rest, ['e', 'E']);
    let (whole, part) = halves(mantissa, ['.', '.']);
    let are_digits = is_digits(whole) && part.is_none_or(is_digits);
    let has_digits = !whole.is_empty() || part.is_some_and(|part| !part.is_empty());
    let has_exponent = exponent.is_none_or(|exponent| {
        let (_, digits) = signed(exponent);
        !digits.is_empty() && is_digits(digits)
    });
    (are_digits && has_digits && has_exponent).then(|| decimal(sign, whole, part.unwrap_or_default(), exponent))
}

fn legacy_integer(text: &str) -> Option<Scalar> {
    let (sign, rest) = signed(text);
    let are = |digits: &str, radix| !digits.is_empty() && digits.chars().all(|one| one == '_' || one.is_digit(radix));
    let bare = |digits: &str| digits.replace('_', "");
    match rest.as_bytes() {
        [b'0', b'b', ..] if are(&rest[2..], 2) => of_radix(sign, &bare(&rest[2..]), 2),
        [b'0', b'x', ..] if are(&rest[2..], 16) => of_radix(sign, &bare(&rest[2..]), 16),
        [b'0', _, ..] if are(&rest[1..], 8) => of_radix(sign, &bare(&rest[1..]), 8),
        b"0" => Some(decimal(sign, rest, "", None)),
        [b'1'..=b'9', ..] if are(rest, 10) => Some(decimal(sign, &bare(rest), "", None)),
        [b'1'..=b'9', ..] => {
            let (whole, parts) = rest.split_once(':')?;
            let minutes = sixties(parts)?;
            let whole: i128 = if are(whole, 10) { bare(whole).parse().ok()? } else { return None };
            let value = minutes.iter().try_fold(whole, |sum, part| sum.checked_mul(60)?.checked_add(*part));
            Some(value.map_or(LARGE, |value| Scalar::Number(format!("{sign}{value}"))))
        }
        _ => None,
    }
}

/// Minutes and seconds behind hours.
fn sixties(parts: &str) -> Option<Vec<i128>> {
    let one = |part: &str| {
        let is_one = matches!(part.as_bytes(), [b'0'..=b'9'] | [b'0'..=b'5', b'0'..=b'9']);
        if is_one { part.parse().ok() } else { None }
    };
    parts.split(':').map(one).collect()
}

/// With a point, which a number needs to be a decimal one, and a sign of the exponent.
fn legacy_decimal(text: &str) -> Option<Scalar> {
    let (sign, rest) = signed(text);
    let (mantissa, exponent) = halves(rest, ['e', 'E']);
    let (whole, part) = mantissa.split_once('.')?;
    let are_digits = |digits: &str| digits.bytes().all(|byte| byte == b'_' || byte.is_ascii_digit());
    let begins = |digits: &str| digits.starts_with(|digit: char| digit.is_ascii_digit());
    if let Some((hours, minutes)) = whole.split_once(':') {
        let is_one = begins(hours) && are_digits(hours) && sixties(minutes).is_some() && are_digits(part);
        return (is_one && exponent.is_none()).then_some(Scalar::Other("a number of base 60"));
    }
    let has_digits = begins(whole) || whole.is_empty() && text == rest && begins(part);
    let has_exponent = exponent.is_none_or(|exponent| {
        let (_, digits) = signed(exponent);
        digits.len() < exponent.len() && !digits.is_empty() && is_digits(digits)
    });
    let bare = |digits: &str| digits.replace('_', "");
    let is_one = has_digits && has_exponent && are_digits(whole) && are_digits(part);
    is_one.then(|| decimal(sign, &bare(whole), &bare(part), exponent))
}

fn is_digits(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit())
}

/// The sign that JSON has of a number, and what follows.
fn signed(text: &str) -> (&'static str, &str) {
    match text.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", text.strip_prefix('+').unwrap_or(text)),
    }
}

/// What stands in front of a mark and what behind it, where it is there.
fn halves(text: &str, marks: [char; 2]) -> (&str, Option<&str>) {
    text.split_once(marks).map_or((text, None), |(front, behind)| (front, Some(behind)))
}

fn of_radix(sign: &str, digits: &str, radix: u32) -> Option<Scalar> {
    match digits.is_empty() {
        true => None,
        false => Some(match u128::from_str_radix(digits, radix) {
            Ok(value) => Scalar::Number(format!("{sign}{value}")),
            Err(_) => LARGE,
        }),
    }
}

/// A number as JSON has it.
fn decimal(sign: &str, whole: &str, part: &str, exponent: Option<&str>) -> Scalar {
    let whole = match whole.trim_start_matches('0') {
        "" => "0",
        digits => digits,
    };
    let point = if part.is_empty() { "" } else { "." };
    let exponent = exponent.map(|exponent| format!("e{}", exponent.trim_start_matches('+'))).unwrap_or_default();
    Scalar::Number(format!("{sign}{whole}{point}{part}{exponent}"))
}

/// Whether it is a date, with or without a time.
fn is_date(text: &str) -> bool {
    let (date, time) = halves(text, ['T', ' ']);
    let mut parts = date.split('-');
    let mut has = |least: usize, most: usize| {
        parts.next().is_some_and(|part| (least..=most).contains(&part.len()) && is_digits(part))
    };
    let least = if time.is_some() { 1 } else { 2 };
    let is_date = has(4, 4) && has(least, 2) && has(least, 2) && parts.next().is_none();
    is_date
        && time.is_none_or(|time| {
            time.splitn(3, ':').filter(|part| part.starts_with(|one: char| one.is_ascii_digit())).count() == 3
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What js-yaml 5.5 and yaml 2.9 read, and what PyYAML 6.0 reads.
    #[test]
    fn scalars_are_what_readers_take_them_for() {
        let number = |number: &str| Scalar::Number(number.to_owned());
        let text = || Scalar::Text;
        let table = [
            ("y", text(), text()),
            ("N", text(), text()),
            ("yes", text(), Scalar::Bool(true)),
            ("Off", text(), Scalar::Bool(false)),
            ("yEs", text(), text()),
            ("True", Scalar::Bool(true), Scalar::Bool(true)),
            ("tRue", text(), text()),
            ("~", Scalar::Null, Scalar::Null),
            ("010", number("10"), number("8")),
            ("08", number("8"), text()),
            ("0o10", number("8"), text()),
            ("0o8", text(), text()),
            ("1_000", text(), number("1000")),
            ("0x10", number("16"), number("16")),
            ("+0x10", text(), number("16")),
            ("0b11", text(), number("3")),
            ("1:30", text(), number("90")),
            ("1e3", number("1e3"), text()),
            ("1.5e+3", number("1.5e3"), number("1.5e3")),
            ("+1", number("1"), number("1")),
            ("1.", number("1"), number("1")),
            (".5", number("0.5"), number("0.5")),
            ("-.5", number("-0.5"), text()),
            ("1_0.5", text(), number("10.5")),
            ("-0", number("-0"), number("-0")),
            (".inf", INFINITE, INFINITE),
            ("2020-01-01", text(), Scalar::Other("a date")),
            ("2020-01-01T10:00:00Z", text(), Scalar::Other("a date")),
            ("1e", text(), text()),
            (".", text(), text()),
            ("-", text(), text()),
            ("0x", text(), text()),
            (
                "123456789012345678901234567890",
                number("123456789012345678901234567890"),
                number("123456789012345678901234567890"),
            ),
        ];
        for (written, of_new, of_old) in table {
            assert_eq!((core(written), legacy(written)), (of_new, of_old), "{written}");
        }
    }
}
