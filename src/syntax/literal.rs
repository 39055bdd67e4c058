//! The values of literals. The lexer has reported what is malformed, so everything here has an answer.

use std::borrow::Cow;

/// The value of an integer token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Integer {
    /// It fits in 64 bits.
    Fits(u64),
    /// It does not.
    TooLarge,
}

/// The value of an integer in decimal, octal (leading `0`) or hexadecimal (`0x`).
pub fn integer(token: &[u8]) -> Integer {
    let (radix, digits) = match token {
        [b'0', b'x' | b'X', rest @ ..] => (16, rest),
        [b'0', rest @ ..] => (8, rest),
        _ => (10, token),
    };
    let mut value = 0u64;
    for &digit in digits {
        // A digit beyond the radix has been reported by the lexer; it counts as zero here.
        let digit = (digit as char).to_digit(radix).unwrap_or_default();
        match value.checked_mul(u64::from(radix)).and_then(|value| value.checked_add(u64::from(digit))) {
            Some(next) => value = next,
            None => return Integer::TooLarge,
        }
    }
    Integer::Fits(value)
}

/// The value of a whole number in decimal, leading zeros included, or in hexadecimal after `0x`; `None` when it does not
/// fit into 64 bits.
pub fn whole_number(digits: &str) -> Option<i128> {
    let value = match digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        // The lexer has reported a number without digits.
        Some("") => 0,
        Some(digits) => u64::from_str_radix(digits, 16).ok()?,
        None => digits.parse().ok()?,
    };
    Some(i128::from(value))
}

/// The value of a number with a point or an exponent, or of a decimal integer; infinite when it is too large.
pub fn float(token: &str) -> f64 {
    match token.strip_prefix("0x").or_else(|| token.strip_prefix("0X")) {
        Some(digits) => hexadecimal(digits),
        None => token.parse().unwrap_or_default(),
    }
}

/// `1.8p3`, the digits in hexadecimal, the exponent a power of two. Digits beyond the precision are dropped.
pub fn hexadecimal(text: &str) -> f64 {
    let (digits, exponent) = text.split_once(['p', 'P']).unwrap_or((text, "0"));
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let add = |value: f64, digit: char| value * 16.0 + f64::from(digit.to_digit(16).unwrap_or_default());
    let value = whole.chars().chain(fraction.chars()).fold(0.0, add);
    let exponent: i32 = exponent.parse().unwrap_or_default();
    let shift = i32::try_from(fraction.len()).unwrap_or(i32::MAX).saturating_mul(4);
    value * 2f64.powi(exponent.saturating_sub(shift))
}

/// The bytes between the quotes of a string token, escapes replaced.
pub fn string(token: &[u8]) -> Cow<'_, [u8]> {
    let content = match token {
        [open, content @ .., close] if open == close => content,
        [_, content @ ..] => content,
        [] => &[],
    };
    match memchr::memchr(b'\\', content) {
        None => Cow::Borrowed(content),
        Some(first) => {
            let mut out = Vec::with_capacity(content.len());
            out.extend_from_slice(&content[..first]);
            unescape(&content[first..], &mut out);
            Cow::Owned(out)
        }
    }
}

fn unescape(mut rest: &[u8], out: &mut Vec<u8>) {
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        if byte != b'\\' {
            out.push(byte);
            continue;
        }
        let Some((&letter, after)) = rest.split_first() else { return };
        rest = match letter {
            b'0'..=b'7' => octal_escape(rest, out),
            b'x' | b'X' => hex_escape(after, out),
            b'u' => unicode_escape(after, out),
            b'U' => long_unicode_escape(after, out),
            _ => {
                out.push(simple_escape(letter));
                after
            }
        };
    }
}

fn simple_escape(letter: u8) -> u8 {
    match letter {
        b'a' => 0x07,
        b'b' => 0x08,
        b'f' => 0x0c,
        b'n' => b'\n',
        b'r' => b'\r',
        b't' => b'\t',
        b'v' => 0x0b,
        other => other,
    }
}

/// Takes at most so many digits of a radix; the value, how many there were, the rest.
fn take_digits(bytes: &[u8], most: usize, radix: u32) -> (u32, usize, &[u8]) {
    let digits = bytes.iter().take(most).map_while(|&byte| (byte as char).to_digit(radix));
    let (value, count) = digits.fold((0, 0), |(value, count), digit| (value * radix + digit, count + 1));
    (value, count, &bytes[count..])
}

/// Up to three digits; values beyond a byte keep their low eight bits, as compilers do.
fn octal_escape<'a>(digits: &'a [u8], out: &mut Vec<u8>) -> &'a [u8] {
    let (value, _, rest) = take_digits(digits, 3, 8);
    out.push(value as u8);
    rest
}

fn hex_escape<'a>(digits: &'a [u8], out: &mut Vec<u8>) -> &'a [u8] {
    let (value, _, rest) = take_digits(digits, 2, 16);
    out.push(value as u8);
    rest
}

/// Two escapes that form a surrogate pair are one character; a lone half is encoded like any other number.
fn unicode_escape<'a>(digits: &'a [u8], out: &mut Vec<u8>) -> &'a [u8] {
    let (high, _, rest) = take_digits(digits, 4, 16);
    if (0xd800..0xdc00).contains(&high)
        && let [b'\\', b'u', after @ ..] = rest
    {
        let (low, count, after) = take_digits(after, 4, 16);
        if count == 4 && (0xdc00..0xe000).contains(&low) {
            push_code_point(0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00), out);
            return after;
        }
    }
    push_code_point(high, out);
    rest
}

/// A number beyond Unicode stays as it is written; the reference compiler does the same.
fn long_unicode_escape<'a>(digits: &'a [u8], out: &mut Vec<u8>) -> &'a [u8] {
    let (value, _, rest) = take_digits(digits, 8, 16);
    if value > 0x10ffff {
        out.extend_from_slice(format!("\\U{value:08x}").as_bytes());
    } else {
        push_code_point(value, out);
    }
    rest
}

/// UTF-8, without the ban on surrogates.
fn push_code_point(value: u32, out: &mut Vec<u8>) {
    let tail = |shift: u32| 0x80 | (value >> shift & 0x3f) as u8;
    match value {
        0..0x80 => out.push(value as u8),
        0x80..0x800 => out.extend([0xc0 | (value >> 6) as u8, tail(0)]),
        0x800..0x10000 => out.extend([0xe0 | (value >> 12) as u8, tail(6), tail(0)]),
        _ => out.extend([0xf0 | (value >> 18) as u8, tail(12), tail(6), tail(0)]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_are_read_in_their_radix() {
        assert_eq!(integer(b"0"), Integer::Fits(0));
        assert_eq!(integer(b"017"), Integer::Fits(15));
        assert_eq!(integer(b"0xFf"), Integer::Fits(255));
        assert_eq!(integer(b"18446744073709551615"), Integer::Fits(u64::MAX));
        assert_eq!(integer(b"18446744073709551616"), Integer::TooLarge);
        assert_eq!(integer(b"0x10000000000000000"), Integer::TooLarge);
    }

    #[test]
    fn floats_are_read_in_every_form() {
        for (text, value) in [("1.", 1.0), (".5", 0.5), ("1.e2", 100.0), ("2E-1", 0.2), ("1e400", f64::INFINITY)] {
            assert_eq!(float(text), value, "{text}");
        }
    }

    #[test]
    fn escapes_become_their_bytes() {
        let cases: [(&str, &[u8]); 9] = [
            (r#""plain""#, b"plain"),
            (r#"'\a\b\f\n\r\t\v\\\?\'\"'"#, b"\x07\x08\x0c\n\r\t\x0b\\?'\""),
            (r#""\1\12\1234\400""#, b"\x01\x0aS4\x00"),
            (r#""\x4\x41\xfff""#, b"\x04A\xfff"),
            (r#""\u00e9""#, "é".as_bytes()),
            (r#""\ud83d\ude00""#, "😀".as_bytes()),
            (r#""\ud83dx""#, b"\xed\xa0\xbdx"),
            (r#""\U0001F600""#, "😀".as_bytes()),
            (r#""\U00110000""#, b"\\U00110000"),
        ];
        for (token, bytes) in cases {
            assert_eq!(&*string(token.as_bytes()), bytes, "{token}");
        }
    }

    #[test]
    fn damaged_literals_have_a_value_too() {
        for token in ["", "\"", "'", "\"\\", "\"\\x\"", "\"\\u1\"", "\"\\U1\"", "\"\\ud800\\u\""] {
            string(token.as_bytes());
        }
        assert_eq!(integer(b"09"), Integer::Fits(0));
        assert_eq!(integer(b"0x"), Integer::Fits(0));
    }
}
