//! Defaults and the values of annotations in Avro IDL: JSON, with the literals of Java.

use std::borrow::Cow;
use std::fmt;

use crate::change::Span;
use crate::syntax::json::{Json, JsonKind, Member};
use crate::syntax::lexer::TokenKind;
use crate::syntax::literal;
use crate::syntax::statement::{Stop, Understood};

use super::ast::Spelled;
use super::idl_parser::Parser;

impl<'b> Parser<'b> {
    /// A value.
    pub(super) fn json(&mut self) -> Understood<Json<'b>> {
        self.enter(format_args!("values"))?;
        let value = self.value_inside();
        self.depth -= 1;
        value
    }

    fn value_inside(&mut self) -> Understood<Json<'b>> {
        let start = self.cursor.start();
        let kind = match self.cursor.token().kind {
            TokenKind::String => JsonKind::Text(self.text(format_args!("a string"))?.text),
            TokenKind::Symbol(b'{') => self.object()?,
            TokenKind::Symbol(b'[') => self.list()?,
            TokenKind::Integer | TokenKind::Float | TokenKind::Symbol(b'-' | b'+') => self.number()?,
            TokenKind::Identifier | TokenKind::Symbol(_) | TokenKind::End => match self.keyword() {
                "null" => self.literal(JsonKind::Null),
                "true" => self.literal(JsonKind::Bool(true)),
                "false" => self.literal(JsonKind::Bool(false)),
                "NaN" | "Infinity" => self.number()?,
                _ => {
                    return Err(self.cursor.expected(
                        format_args!("a value"),
                        format_args!("write it as JSON: strings and the symbols of enums stand in double quotes"),
                    ));
                }
            },
        };
        Ok(Json { span: self.cursor.since(start), kind })
    }

    fn literal(&mut self, kind: JsonKind<'b>) -> JsonKind<'b> {
        self.cursor.bump();
        kind
    }

    fn object(&mut self) -> Understood<JsonKind<'b>> {
        self.cursor.bump();
        self.braces += 1;
        let mut members = Vec::new();
        if self.cursor.take_symbol(b'}').is_some() {
            self.braces -= 1;
            return Ok(JsonKind::Object(members));
        }
        loop {
            let Spelled { text: key, span: key_span } = self.text(format_args!("a key"))?;
            self.cursor.expect_symbol(b':', format_args!("after the key \"{key}\""))?;
            members.push(Member { key, key_span, value: self.json()? });
            if self.cursor.take_symbol(b',').is_none() {
                self.cursor.expect_symbol(b'}', format_args!("or `,` after a value"))?;
                self.braces -= 1;
                return Ok(JsonKind::Object(members));
            }
        }
    }

    fn list(&mut self) -> Understood<JsonKind<'b>> {
        self.cursor.bump();
        let mut items = Vec::new();
        if self.cursor.take_symbol(b']').is_some() {
            return Ok(JsonKind::List(items));
        }
        loop {
            items.push(self.json()?);
            if self.cursor.take_symbol(b',').is_none() {
                self.cursor.expect_symbol(b']', format_args!("or `,` after a value"))?;
                return Ok(JsonKind::List(items));
            }
        }
    }

    /// A number of Java with its sign, as JSON writes it.
    fn number(&mut self) -> Understood<JsonKind<'b>> {
        let start = self.cursor.start();
        let sign = match self.cursor.token().kind {
            TokenKind::Symbol(sign @ (b'-' | b'+')) => {
                self.cursor.bump();
                Some(sign)
            }
            _ => None,
        };
        let is_special = matches!(self.keyword(), "NaN" | "Infinity");
        let is_number = is_special
            || self.cursor.at(TokenKind::Float)
            || (self.cursor.at(TokenKind::Integer) && sign != Some(b'+'));
        if !is_number || (sign.is_some() && !self.is_adjacent()) {
            return Err(self.cursor.expected(
                format_args!("a number directly after the sign"),
                format_args!("write it as in `-1`; whole numbers have no `+`"),
            ));
        }
        let token = self.cursor.bump();
        let written = self.cursor.text(self.cursor.since(start));
        let text = match token.kind {
            TokenKind::Integer => whole(written),
            _ => real(written),
        };
        match text {
            Some(text) => Ok(JsonKind::Number(text)),
            None => {
                let span = self.cursor.since(start);
                self.cursor.error(
                    span,
                    format_args!("`{written}` does not fit in 64 bits"),
                    format_args!("whole numbers go from {} to {}", i64::MIN, i64::MAX),
                );
                Ok(JsonKind::Number(Cow::Borrowed("0")))
            }
        }
    }

    /// A string, escapes replaced.
    pub(super) fn text(&mut self, what: fmt::Arguments<'_>) -> Understood<Spelled<'b>> {
        if !self.cursor.at(TokenKind::String) {
            return Err(self.cursor.expected(what, format_args!("write it in double quotes")));
        }
        let span = self.cursor.bump().span;
        let written = self.cursor.text(span);
        if written.starts_with('\'') {
            self.cursor.error(
                span,
                format_args!("strings stand in double quotes here"),
                format_args!("write `\"` in place of `'`"),
            );
            return Err(Stop);
        }
        let inside = written.strip_prefix('"').unwrap_or(written);
        let inside = inside.strip_suffix('"').unwrap_or(inside);
        if !inside.bytes().any(|byte| matches!(byte, b'\\' | b'\t' | b'\r' | 0x08 | 0x0c)) {
            return Ok(Spelled { text: Cow::Borrowed(inside), span });
        }
        Ok(Spelled { text: Cow::Owned(self.unescape(inside, span.start + 1)), span })
    }

    /// Replaces the escapes of Java, and refuses the control characters that need one.
    fn unescape(&mut self, inside: &str, start: u32) -> String {
        let mut units: Vec<u16> = Vec::with_capacity(inside.len());
        let mut rest = inside;
        while let Some(letter) = rest.chars().next() {
            let at = start + (inside.len() - rest.len()) as u32;
            let length = match letter {
                '\\' => match escape(&rest[1..]) {
                    Some((unit, length)) => {
                        units.push(unit);
                        1 + length
                    }
                    None => {
                        let length = 1 + rest[1..].chars().next().map_or(0, char::len_utf8);
                        self.cursor.error(
                            Span::new(at, at + length as u32),
                            format_args!("this is not an escape sequence of Avro IDL"),
                            format_args!("there are `\\n`, `\\r`, `\\t`, `\\b`, `\\f`, `\\\\`, `\\\"`, `\\'`, octal ones and `\\u` with four digits"),
                        );
                        length
                    }
                },
                '\t' | '\r' | '\u{8}' | '\u{c}' => {
                    self.cursor.error(
                        Span::new(at, at + 1),
                        format_args!("a string cannot hold this control character as it is"),
                        format_args!("write it as an escape, such as `\\t`"),
                    );
                    1
                }
                letter => {
                    units.extend_from_slice(letter.encode_utf16(&mut [0; 2]));
                    letter.len_utf8()
                }
            };
            rest = &rest[length..];
        }
        String::from_utf16_lossy(&units)
    }
}

/// The UTF-16 unit of an escape without its backslash, and the length of that.
fn escape(text: &str) -> Option<(u16, usize)> {
    let simple = match text.as_bytes().first()? {
        b'n' => '\n',
        b'r' => '\r',
        b't' => '\t',
        b'b' => '\u{8}',
        b'f' => '\u{c}',
        b'\\' => '\\',
        b'\'' => '\'',
        b'"' => '"',
        b'u' => return u16::from_str_radix(text.get(1..5)?, 16).ok().map(|unit| (unit, 5)),
        first @ b'0'..=b'7' => {
            let most = if *first <= b'3' { 3 } else { 2 };
            let length = text.bytes().take(most).take_while(|byte| matches!(byte, b'0'..=b'7')).count();
            return u16::from_str_radix(&text[..length], 8).ok().map(|unit| (unit, length));
        }
        _ => return None,
    };
    Some((simple as u16, 1))
}

/// A whole number in decimal; `None` where it does not fit in 64 bits.
fn whole(written: &str) -> Option<Cow<'_, str>> {
    let text = written.trim_end_matches(['l', 'L']);
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => (-1, digits),
        None => (1, text),
    };
    let (radix, digits) = match digits.as_bytes() {
        [b'0', b'x' | b'X', ..] => (16, &digits[2..]),
        [b'0', _, ..] => (8, &digits[1..]),
        _ => (10, digits),
    };
    // Digits that do not belong to the radix have been reported.
    let value = match i128::from_str_radix(digits, radix) {
        Ok(value) => i64::try_from(sign * value).ok()?,
        Err(error) if *error.kind() == std::num::IntErrorKind::PosOverflow => return None,
        Err(_) => 0,
    };
    Some(if radix == 10 && value != 0 { Cow::Borrowed(text) } else { Cow::Owned(value.to_string()) })
}

/// A number with a point, an exponent or a suffix, as JSON writes it; those that JSON cannot write keep their names.
fn real(written: &str) -> Option<Cow<'_, str>> {
    let (is_negative, text) = match written.as_bytes().first() {
        Some(b'-') => (true, &written[1..]),
        Some(b'+') => (false, &written[1..]),
        _ => (false, written),
    };
    match text {
        "NaN" => return Some(Cow::Borrowed("NaN")),
        "Infinity" => return Some(Cow::Borrowed(if is_negative { "-Infinity" } else { "Infinity" })),
        _ => {}
    }
    let value = match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        Some(digits) => literal::hexadecimal(digits.trim_end_matches(['f', 'F', 'd', 'D'])),
        None => text.trim_end_matches(['f', 'F', 'd', 'D']).parse().unwrap_or_default(),
    };
    let value = if is_negative { -value } else { value };
    let first = text.bytes().next().is_some_and(|first| first.is_ascii_digit());
    let last = text.bytes().last().is_some_and(|last| last.is_ascii_digit());
    let leading_zero = text.starts_with('0') && !text.starts_with("0.");
    let empty_fraction = text.contains(".e") || text.contains(".E");
    let is_json = first && last && !leading_zero && !empty_fraction && !written.starts_with('+');
    Some(match (value.is_finite(), is_json) {
        (false, _) => Cow::Borrowed(if value < 0.0 { "-Infinity" } else { "Infinity" }),
        (true, true) => Cow::Borrowed(written),
        (true, false) => Cow::Owned(format!("{value:?}")),
    })
}
