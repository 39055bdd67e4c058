//! Bytes → [`Json`]: strict RFC 8259, and beside it only comments and a byte-order mark.
//!
//! Stops at the first fault, because what follows a fault in JSON is guesswork. A half of a surrogate pair that stands
//! alone in an escape is read as U+FFFD: readers in UTF-16 languages accept it, and UTF-8 cannot say it.

use std::borrow::Cow;
use std::sync::Arc;

use super::value::{Json, JsonKind, Member};
use crate::change::Span;
use crate::syntax::problem::Problem;

/// How deep objects and lists may be nested.
pub const DEPTH_LIMIT: usize = 512;

/// Reads one JSON text. Without a value there is exactly one problem, at the place where the text stops to be JSON.
pub fn parse<'b>(file: &Arc<str>, bytes: &'b [u8]) -> (Option<Json<'b>>, Vec<Problem>) {
    match document(bytes) {
        Ok(json) => (Some(json), Vec::new()),
        Err(fault) => (None, vec![Problem::error(file, fault.span, fault.message, fault.help)]),
    }
}

fn document(bytes: &[u8]) -> Result<Json<'_>, Box<Fault>> {
    if u32::try_from(bytes.len()).is_err() {
        return Err(Fault::new(Span::new(0, 0), "the file is larger than 4 GiB".to_owned(), "split it"));
    }
    let start = if bytes.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
    let mut parser = Parser { bytes, text: std::str::from_utf8(bytes).ok(), at: start, depth: 0 };
    parser.skip_space()?;
    if parser.peek().is_none() {
        let message = "there is nothing in the file: one JSON value is expected".to_owned();
        return Err(Fault::new(parser.here(), message, "write the value, or remove the file"));
    }
    let value = parser.value()?;
    parser.skip_space()?;
    if parser.peek().is_some() {
        let message = format!("only one value may stand in a JSON text, and {} follows it", parser.found());
        return Err(Fault::new(parser.here(), message, "remove what follows, or put both values into a list"));
    }
    Ok(value)
}

/// Why a text is not JSON.
struct Fault {
    span: Span,
    message: String,
    help: &'static str,
}

impl Fault {
    #[cold]
    fn new(span: Span, message: String, help: &'static str) -> Box<Self> {
        Box::new(Self { span, message, help })
    }
}

struct Parser<'b> {
    bytes: &'b [u8],
    /// The same bytes, if all of them are valid UTF-8.
    text: Option<&'b str>,
    at: usize,
    depth: usize,
}

type Parsed<T> = Result<T, Box<Fault>>;

impl<'b> Parser<'b> {
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn span_from(&self, start: usize) -> Span {
        // The length of the file fits in 32 bits.
        Span::new(start as u32, self.at as u32)
    }

    /// The character at this place; empty at the end.
    fn here(&self) -> Span {
        let rest = &self.bytes[self.at..];
        let length = first_character(rest).map_or(rest.len().min(1), char::len_utf8);
        Span::new(self.at as u32, (self.at + length) as u32)
    }

    /// What stands at this place, for a message.
    fn found(&self) -> String {
        let rest = &self.bytes[self.at..];
        match (first_character(rest), rest.first()) {
            (_, None) => "the end of the file".to_owned(),
            (Some(control), _) if control.is_control() => format!("the control character U+{:04X}", control as u32),
            (Some(character), _) => format!("`{character}`"),
            (None, Some(byte)) => format!("the byte 0x{byte:02x}, which is not UTF-8"),
        }
    }

    fn expected<T>(&self, what: &str, help: &'static str) -> Parsed<T> {
        let is_text = self.at == self.bytes.len() || first_character(&self.bytes[self.at..]).is_some();
        let help = if is_text { help } else { "save the file as UTF-8" };
        Err(Fault::new(self.here(), format!("{what} is expected, but {} stands here", self.found()), help))
    }

    fn skip_space(&mut self) -> Parsed<()> {
        loop {
            match self.peek() {
                Some(b' ' | b'\n' | b'\r' | b'\t') => self.at += 1,
                Some(b'/') => self.skip_comment()?,
                _ => return Ok(()),
            }
        }
    }

    fn skip_comment(&mut self) -> Parsed<()> {
        let inside = &self.bytes[self.at + 1..];
        match inside.first() {
            Some(b'/') => self.at += 1 + memchr::memchr2(b'\n', b'\r', inside).unwrap_or(inside.len()),
            Some(b'*') => match memchr::memmem::find(&inside[1..], b"*/") {
                Some(length) => self.at += length + 4,
                None => {
                    let span = Span::new(self.at as u32, self.at as u32 + 2);
                    return Err(Fault::new(span, "this comment is not closed".to_owned(), "close it with `*/`"));
                }
            },
            _ => return self.expected("a value or a comment", "write `//` or `/*` for a comment, or remove the `/`"),
        }
        Ok(())
    }

    /// A value; the parser stands at its first byte.
    fn value(&mut self) -> Parsed<Json<'b>> {
        let start = self.at;
        let kind = match self.peek() {
            Some(b'"') => JsonKind::Text(self.string()?),
            Some(b'{') => self.nested(Self::object)?,
            Some(b'[') => self.nested(Self::list)?,
            Some(b'-' | b'0'..=b'9') => self.number()?,
            _ => self.word()?,
        };
        Ok(Json { span: self.span_from(start), kind })
    }

    fn nested(&mut self, inside: fn(&mut Self) -> Parsed<JsonKind<'b>>) -> Parsed<JsonKind<'b>> {
        if self.depth == DEPTH_LIMIT {
            let message = format!("objects and lists are nested more than {DEPTH_LIMIT} deep here");
            return Err(Fault::new(self.here(), message, "nest less: give inner types a name and refer to it"));
        }
        self.depth += 1;
        self.at += 1;
        let kind = inside(self)?;
        self.depth -= 1;
        Ok(kind)
    }

    fn object(&mut self) -> Parsed<JsonKind<'b>> {
        let mut members = Vec::new();
        self.skip_space()?;
        if self.peek() == Some(b'}') {
            self.at += 1;
            return Ok(JsonKind::Object(members));
        }
        loop {
            let start = self.at;
            if self.peek() != Some(b'"') {
                return self.missing_key(!members.is_empty());
            }
            let key = self.string()?;
            let key_span = self.span_from(start);
            self.skip_space()?;
            if self.peek() != Some(b':') {
                return self.expected("`:`", "write `: ` and a value behind the key");
            }
            self.at += 1;
            self.skip_space()?;
            let value = self.value()?;
            members.push(Member { key, key_span, value });
            self.skip_space()?;
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(b'}') => {
                    self.at += 1;
                    return Ok(JsonKind::Object(members));
                }
                _ => return self.expected("`,` or `}`", "separate members with `,` and close the object with `}`"),
            }
            self.skip_space()?;
        }
    }

    #[cold]
    fn missing_key<T>(&self, is_behind_comma: bool) -> Parsed<T> {
        match self.peek() {
            Some(b'}') if is_behind_comma => self.expected("a key behind `,`", "remove the comma before `}`"),
            _ => self.expected("a key", "write keys in double quotes"),
        }
    }

    fn list(&mut self) -> Parsed<JsonKind<'b>> {
        let mut values = Vec::new();
        self.skip_space()?;
        if self.peek() == Some(b']') {
            self.at += 1;
            return Ok(JsonKind::List(values));
        }
        loop {
            if self.peek() == Some(b']') {
                return self.expected("a value behind `,`", "remove the comma before `]`");
            }
            values.push(self.value()?);
            self.skip_space()?;
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(b']') => {
                    self.at += 1;
                    return Ok(JsonKind::List(values));
                }
                _ => return self.expected("`,` or `]`", "separate values with `,` and close the list with `]`"),
            }
            self.skip_space()?;
        }
    }

    fn word(&mut self) -> Parsed<JsonKind<'b>> {
        let rest = &self.bytes[self.at..];
        let length = rest.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count();
        let kind = match &rest[..length] {
            b"null" => JsonKind::Null,
            b"true" => JsonKind::Bool(true),
            b"false" => JsonKind::Bool(false),
            b"" => return self.expected("a value", "write a text in double quotes, a number, `{`, `[`, or a word"),
            word => {
                let span = Span::new(self.at as u32, (self.at + length) as u32);
                let message = format!("`{}` is no JSON value", String::from_utf8_lossy(&word[..word.len().min(40)]));
                let help = "write texts in double quotes; the only words are `null`, `true` and `false`";
                return Err(Fault::new(span, message, help));
            }
        };
        self.at += length;
        Ok(kind)
    }

    fn number(&mut self) -> Parsed<JsonKind<'b>> {
        let start = self.at;
        if self.peek() == Some(b'-') {
            self.at += 1;
        }
        let whole = self.at;
        self.digits("a digit")?;
        if self.bytes[whole] == b'0' && self.at > whole + 1 {
            let message = "a number may not start with a zero that more digits follow".to_owned();
            return Err(Fault::new(self.span_from(start), message, "remove the leading zeros"));
        }
        if self.peek() == Some(b'.') {
            self.at += 1;
            self.digits("a digit behind the point")?;
        }
        if let Some(b'e' | b'E') = self.peek() {
            self.at += 1;
            if let Some(b'+' | b'-') = self.peek() {
                self.at += 1;
            }
            self.digits("a digit of the exponent")?;
        }
        if self.peek().is_some_and(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'.') {
            return self.expected("the end of the number", "numbers are decimal: digits, a point, an exponent");
        }
        let digits = std::str::from_utf8(&self.bytes[start..self.at]).expect("digits and signs are ASCII");
        Ok(JsonKind::Number(std::borrow::Cow::Borrowed(digits)))
    }

    fn digits(&mut self, what: &str) -> Parsed<()> {
        let rest = &self.bytes[self.at..];
        let count = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        if count == 0 {
            return self.expected(what, "numbers are decimal: digits, a point, an exponent");
        }
        self.at += count;
        Ok(())
    }

    /// A text; the parser stands at the opening quote.
    fn string(&mut self) -> Parsed<Cow<'b, str>> {
        let open = self.at;
        self.at += 1;
        let start = self.at;
        self.skip_plain();
        if self.peek() == Some(b'"') {
            let text = self.slice(start)?;
            self.at += 1;
            return Ok(Cow::Borrowed(text));
        }
        let mut text = String::new();
        let mut start = start;
        loop {
            text.push_str(self.slice(start)?);
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(Cow::Owned(text));
                }
                Some(b'\\') => text.push(self.escape()?),
                Some(_) => {
                    let message = format!("{} stands in a text as it is", self.found());
                    return Err(Fault::new(self.here(), message, "write it as an escape: `\\n`, `\\t`, `\\u001f`"));
                }
                None => {
                    let span = Span::new(open as u32, open as u32 + 1);
                    return Err(Fault::new(span, "this text is not closed".to_owned(), "close it with `\"`"));
                }
            }
            start = self.at;
            self.skip_plain();
        }
    }

    /// Goes to the next quote, backslash or control character.
    fn skip_plain(&mut self) {
        let rest = &self.bytes[self.at..];
        let is_plain = |byte: &u8| *byte >= b' ' && *byte != b'"' && *byte != b'\\';
        self.at += rest.iter().position(|byte| !is_plain(byte)).unwrap_or(rest.len());
    }

    /// The text from there to here.
    fn slice(&self, start: usize) -> Parsed<&'b str> {
        if let Some(text) = self.text {
            return Ok(&text[start..self.at]);
        }
        std::str::from_utf8(&self.bytes[start..self.at]).map_err(|error| {
            let at = start + error.valid_up_to();
            let span = Span::new(at as u32, at as u32 + 1);
            let message = format!("the byte 0x{:02x} is not UTF-8", self.bytes[at]);
            Fault::new(span, message, "save the file as UTF-8")
        })
    }

    /// The character of an escape; the parser stands at the backslash.
    fn escape(&mut self) -> Parsed<char> {
        let start = self.at;
        self.at += 1;
        let character = match self.peek() {
            Some(b'"') => '"',
            Some(b'\\') => '\\',
            Some(b'/') => '/',
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => {
                self.at += 1;
                return self.unicode(start);
            }
            _ => {
                let end = self.here().end;
                let message = format!("`\\` and {} are no escape", self.found());
                let help = "the escapes are \\\" \\\\ \\/ \\b \\f \\n \\r \\t and \\u with four hexadecimal digits";
                return Err(Fault::new(Span::new(start as u32, end), message, help));
            }
        };
        self.at += 1;
        Ok(character)
    }

    /// The character of `\uXXXX`, or of two of them that are a surrogate pair; the parser stands behind the `u`.
    fn unicode(&mut self, start: usize) -> Parsed<char> {
        let first = self.hexadecimal(start)?;
        if (0xd800..0xdc00).contains(&first) && self.bytes[self.at..].starts_with(b"\\u") {
            let behind_first = self.at;
            self.at += 2;
            let second = self.hexadecimal(behind_first)?;
            if (0xdc00..0xe000).contains(&second) {
                let code = 0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00);
                return Ok(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER));
            }
            self.at = behind_first;
        }
        Ok(char::from_u32(first).unwrap_or(char::REPLACEMENT_CHARACTER))
    }

    fn hexadecimal(&mut self, escape: usize) -> Parsed<u32> {
        let mut code = 0;
        for _ in 0..4 {
            let Some(digit) = self.peek().and_then(|byte| (byte as char).to_digit(16)) else {
                let message = format!("four hexadecimal digits must follow `\\u`, but {} stands here", self.found());
                return Err(Fault::new(self.span_from(escape), message, "write the character itself, or `\\u00e9`"));
            };
            code = code * 16 + digit;
            self.at += 1;
        }
        Ok(code)
    }
}

fn first_character(bytes: &[u8]) -> Option<char> {
    let start = &bytes[..bytes.len().min(4)];
    let valid = match std::str::from_utf8(start) {
        Ok(text) => text,
        Err(error) => std::str::from_utf8(&start[..error.valid_up_to()]).unwrap_or_default(),
    };
    valid.chars().next()
}

#[cfg(test)]
#[path = "parse_tests.rs"]
mod tests;
