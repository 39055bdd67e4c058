//! From bytes to tokens, one at a time, without copying.
//!
//! A token is its kind and its place; values are computed from the place when somebody asks ([`super::literal`]). What
//! cannot be a token is reported at its exact place and stepped over, so the parser never sees it.

use crate::change::Span;
use crate::syntax::problems::Problems;

/// What kind of token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenKind {
    /// Letters, digits and underscores, not beginning with a digit.
    Identifier,
    /// Decimal, octal (leading zero) or hexadecimal (`0x`), without a sign.
    Integer,
    /// A number with a point or an exponent.
    Float,
    /// A literal between single or double quotes, on one line.
    String,
    /// Any other ASCII character.
    Symbol(u8),
    /// The end of the file; its span is empty.
    End,
}

/// A token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Token {
    /// What kind.
    pub kind: TokenKind,
    /// Its bytes.
    pub span: Span,
}

/// How comments begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CommentStyle {
    /// `//` and `/* */`.
    Slashes,
    /// `//`, `/* */` and `#`.
    SlashesAndHash,
    /// `#` only.
    Hash,
}

/// Where a comment ends that goes to the end of its line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineEnd {
    /// At a line feed.
    Feed,
    /// At a line feed, or at a carriage return, also one alone.
    FeedOrReturn,
}

/// What `/*` means inside a block comment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NestedComment {
    /// Nothing.
    Ignored,
    /// A problem: whoever wrote it expects comments to nest, and they do not.
    Refused,
}

/// Which characters make names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NameStyle {
    /// ASCII letters, digits and `_`.
    Ascii,
    /// Letters and digits of every script, and `_`.
    Unicode,
    /// ASCII letters, digits, `_`, and dots between them: a path is one token.
    Dotted,
}

/// How numbers are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NumberStyle {
    /// As in C, without suffixes.
    C,
    /// As in Java: with suffixes (`1L`, `1f`) and hexadecimal fractions (`0x1.8p3`).
    Java,
    /// As in C, but a leading zero means nothing, and there are hexadecimal fractions (`0x1.8p3`).
    Decimal,
    /// The same, and `0b11` is a binary number.
    Binary,
}

/// What may stand between quotes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StringStyle {
    /// UTF-8 on one line.
    Line,
    /// Any bytes, on several lines if need be.
    Bytes,
    /// UTF-8 on one line; `0x"68 69"` is a string of bytes, and what stands behind a backtick is one to the end of the line.
    Blobs,
}

/// What differs between the languages at the level of tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LexStyle {
    /// How comments begin.
    pub comments: CommentStyle,
    /// Where a comment ends that goes to the end of its line.
    pub line_end: LineEnd,
    /// What `/*` means inside a block comment.
    pub nested_comment: NestedComment,
    /// Which characters make names.
    pub names: NameStyle,
    /// How numbers are written.
    pub numbers: NumberStyle,
    /// What may stand between quotes.
    pub strings: StringStyle,
}

impl LexStyle {
    /// As most interface languages have it.
    pub const USUAL: LexStyle = LexStyle {
        comments: CommentStyle::Slashes,
        line_end: LineEnd::Feed,
        nested_comment: NestedComment::Ignored,
        names: NameStyle::Dotted,
        numbers: NumberStyle::Decimal,
        strings: StringStyle::Line,
    };
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Class {
    Space,
    Letter,
    Digit,
    Quote,
    Dot,
    Slash,
    Hash,
    Symbol,
    Control,
    High,
}

/// The class of every byte. NUL counts as a control character: no language here allows it anywhere.
static CLASSES: [Class; 256] = classes();

const fn classes() -> [Class; 256] {
    let mut table = [Class::High; 256];
    let mut byte = 0;
    while byte < 128 {
        table[byte] = match byte as u8 {
            b' ' | b'\t' | b'\n' | b'\r' | 0x0b | 0x0c => Class::Space,
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => Class::Letter,
            b'0'..=b'9' => Class::Digit,
            b'"' | b'\'' => Class::Quote,
            b'.' => Class::Dot,
            b'/' => Class::Slash,
            b'#' => Class::Hash,
            0..0x20 | 0x7f => Class::Control,
            _ => Class::Symbol,
        };
        byte += 1;
    }
    table
}

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Cuts a file into tokens.
#[derive(Debug, Clone)]
pub struct Lexer<'a> {
    bytes: &'a [u8],
    /// The same as text, unless some byte somewhere is not UTF-8.
    text: Option<&'a str>,
    style: LexStyle,
    position: usize,
    has_nul: bool,
}

impl<'a> Lexer<'a> {
    /// Starts at the beginning of a file of at most `u32::MAX` bytes; a byte-order mark is stepped over.
    pub fn new(bytes: &'a [u8], style: LexStyle) -> Self {
        let position = if bytes.starts_with(BYTE_ORDER_MARK) { BYTE_ORDER_MARK.len() } else { 0 };
        let has_nul = memchr::memchr(0, bytes).is_some();
        Self { bytes, text: std::str::from_utf8(bytes).ok(), style, position, has_nul }
    }

    /// The bytes of a place.
    pub fn bytes(&self, span: Span) -> &'a [u8] {
        self.bytes.get(span.range()).unwrap_or_default()
    }

    /// The text of a place; empty when it is not UTF-8, which has been reported then.
    pub fn text(&self, span: Span) -> &'a str {
        match self.text {
            Some(text) => text.get(span.range()).unwrap_or_default(),
            None => std::str::from_utf8(self.bytes(span)).unwrap_or_default(),
        }
    }

    /// The next token.
    pub fn next_token(&mut self, problems: &mut Problems) -> Token {
        loop {
            self.skip_space(problems);
            let start = self.position;
            let Some(&byte) = self.bytes.get(start) else {
                return Token { kind: TokenKind::End, span: self.span_from(start) };
            };
            let kind = match CLASSES[byte as usize] {
                Class::Letter => self.identifier(),
                Class::Digit => self.number(problems),
                Class::Quote => self.string(byte, problems),
                Class::Dot if self.class_at(start + 1) == Some(Class::Digit) => self.point_number(problems),
                Class::Symbol if byte == b'`' && self.style.strings == StringStyle::Blobs => self.rest_of_line(),
                Class::Dot | Class::Slash | Class::Hash | Class::Symbol => {
                    self.position += 1;
                    TokenKind::Symbol(byte)
                }
                Class::High if self.letter_at(start) > 0 => self.identifier(),
                Class::Space | Class::Control | Class::High => {
                    self.skip_foreign(problems);
                    continue;
                }
            };
            return Token { kind, span: self.span_from(start) };
        }
    }

    fn class_at(&self, position: usize) -> Option<Class> {
        self.bytes.get(position).map(|&byte| CLASSES[byte as usize])
    }

    fn byte_at(&self, position: usize) -> Option<u8> {
        self.bytes.get(position).copied()
    }

    /// The constructor's caller has checked that every position fits.
    fn span_from(&self, start: usize) -> Span {
        Span::new(start as u32, self.position as u32)
    }

    fn place(&self, start: usize, end: usize) -> Span {
        let length = self.bytes.len();
        Span::new(start.min(length) as u32, end.min(length) as u32)
    }

    fn skip_space(&mut self, problems: &mut Problems) {
        while let Some(&byte) = self.bytes.get(self.position) {
            match CLASSES[byte as usize] {
                Class::Space => self.position += 1,
                Class::Slash if self.style.comments != CommentStyle::Hash => match self.byte_at(self.position + 1) {
                    Some(b'/') => self.line_comment(problems),
                    Some(b'*') => self.block_comment(problems),
                    _ => return,
                },
                Class::Hash if self.style.comments != CommentStyle::Slashes => self.line_comment(problems),
                _ => return,
            }
        }
    }

    fn line_comment(&mut self, problems: &mut Problems) {
        let rest = &self.bytes[self.position..];
        let length = match self.style.line_end {
            LineEnd::Feed => memchr::memchr(b'\n', rest),
            LineEnd::FeedOrReturn => memchr::memchr2(b'\n', b'\r', rest),
        };
        let length = length.unwrap_or(rest.len());
        self.refuse_nul(self.position, self.position + length, problems);
        self.position += length;
    }

    fn block_comment(&mut self, problems: &mut Problems) {
        let start = self.position;
        let inside = &self.bytes[start + 2..];
        let Some(length) = memchr::memmem::find(inside, b"*/") else {
            self.position = self.bytes.len();
            problems.error(
                self.place(start, start + 2),
                format_args!("this comment is never closed, so the rest of the file is part of it"),
                format_args!("add `*/` where the comment should end"),
            );
            return;
        };
        // `/*/` closes nothing, but inside a comment its first two bytes would open one.
        if self.style.nested_comment == NestedComment::Refused
            && let Some(nested) = memchr::memmem::find(&inside[..length + 1], b"/*")
        {
            let at = start + 2 + nested;
            problems.error(
                self.place(at, at + 2),
                format_args!(
                    "`/*` stands inside a block comment; block comments do not nest, so the first `*/` ends it"
                ),
                format_args!("take this `/*` out, or use `//` for the lines of the comment"),
            );
        }
        self.position = start + 2 + length + 2;
        self.refuse_nul(start, self.position, problems);
    }

    fn refuse_nul(&self, start: usize, end: usize, problems: &mut Problems) {
        if !self.has_nul {
            return;
        }
        if let Some(offset) = memchr::memchr(0, &self.bytes[start..end]) {
            let at = start + offset;
            problems.error(
                self.place(at, at + 1),
                format_args!("there is a NUL byte in this comment; compilers take it for the end of the file"),
                format_args!("delete the byte"),
            );
        }
    }

    /// Bytes that belong to no token: control characters and everything beyond ASCII.
    fn skip_foreign(&mut self, problems: &mut Problems) {
        let start = self.position;
        let class = self.class_at(start);
        while self.class_at(self.position) == class && (self.position == start || self.letter_at(self.position) == 0) {
            self.position += 1;
        }
        let span = self.span_from(start);
        if class == Some(Class::Control) {
            let byte = self.bytes[start];
            problems.error(
                span,
                format_args!("control character 0x{byte:02x} cannot stand here"),
                format_args!("delete it; the file may be damaged or not a text file"),
            );
        } else if let Ok(text) = std::str::from_utf8(self.bytes(span)) {
            let shown: String = text.chars().take(20).collect();
            problems.error(
                span,
                format_args!("`{shown}` cannot stand here: names are made of ASCII letters, digits and `_`"),
                format_args!("rename it, or move it into a comment or a string"),
            );
        } else {
            self.not_utf8(span, problems);
        }
    }

    fn not_utf8(&self, span: Span, problems: &mut Problems) {
        problems.error(
            span,
            format_args!("this is not valid UTF-8"),
            format_args!("save the file as UTF-8, or write the bytes as escapes such as `\\xff` inside a string"),
        );
    }

    fn identifier(&mut self) -> TokenKind {
        loop {
            self.position += match self.class_at(self.position) {
                Some(Class::Letter | Class::Digit) => 1,
                Some(Class::Dot) if self.style.names == NameStyle::Dotted => match self.class_at(self.position + 1) {
                    Some(Class::Letter | Class::Digit) => 2,
                    _ => return TokenKind::Identifier,
                },
                Some(Class::High) => match self.letter_at(self.position) {
                    0 => return TokenKind::Identifier,
                    length => length,
                },
                _ => return TokenKind::Identifier,
            };
        }
    }

    /// The length in bytes of the letter or digit beyond ASCII at a position, where names may have such; else zero.
    fn letter_at(&self, position: usize) -> usize {
        let (NameStyle::Unicode, Some(text)) = (self.style.names, self.text) else { return 0 };
        match text.get(position..).and_then(|rest| rest.chars().next()) {
            Some(letter) if !letter.is_ascii() && letter.is_alphanumeric() => letter.len_utf8(),
            _ => 0,
        }
    }

    fn digits(&mut self) {
        while self.class_at(self.position) == Some(Class::Digit) {
            self.position += 1;
        }
    }

    fn number(&mut self, problems: &mut Problems) -> TokenKind {
        let start = self.position;
        if self.style.numbers == NumberStyle::Java {
            return self.java_number(problems);
        }
        let kind = match (self.bytes[start], self.byte_at(start + 1)) {
            (b'0', Some(b'x')) if self.begins_blob() => {
                self.position += 2;
                return self.string(b'"', problems);
            }
            (b'0', Some(b'x' | b'X')) => {
                let whole = self.hexadecimal(problems);
                let has_fractions = matches!(self.style.numbers, NumberStyle::Decimal | NumberStyle::Binary);
                has_fractions.then(|| self.hexadecimal_fraction(problems)).flatten().unwrap_or(whole)
            }
            (b'0', Some(b'0'..=b'9')) if self.style.numbers == NumberStyle::C => self.octal(problems),
            (b'0', Some(b'b' | b'B')) if self.begins_binary() => {
                self.position += 2;
                while matches!(self.byte_at(self.position), Some(b'0' | b'1')) {
                    self.position += 1;
                }
                TokenKind::Integer
            }
            _ => {
                self.digits();
                self.fraction_and_exponent(problems)
            }
        };
        self.end_of_number(kind, problems);
        kind
    }

    fn begins_binary(&self) -> bool {
        self.style.numbers == NumberStyle::Binary && matches!(self.byte_at(self.position + 2), Some(b'0' | b'1'))
    }

    fn point_number(&mut self, problems: &mut Problems) -> TokenKind {
        let start = self.position;
        if start > 0 && self.class_at(start - 1) == Some(Class::Letter) {
            problems.error(
                self.place(start, start + 1),
                format_args!("a name directly before a decimal point can be read in two ways"),
                format_args!("put a space between them; parts of a name cannot begin with a digit"),
            );
        }
        self.position += 1;
        self.digits();
        self.exponent(problems);
        if self.style.numbers == NumberStyle::Java {
            self.step_over(b"fFdD");
        }
        self.end_of_number(TokenKind::Float, problems);
        TokenKind::Float
    }

    /// Steps over one byte if it is among these.
    fn step_over(&mut self, bytes: &[u8]) -> bool {
        let is_there = self.byte_at(self.position).is_some_and(|byte| bytes.contains(&byte));
        self.position += usize::from(is_there);
        is_there
    }

    fn java_number(&mut self, problems: &mut Problems) -> TokenKind {
        let start = self.position;
        let kind = match (self.bytes[start], self.byte_at(start + 1)) {
            (b'0', Some(b'x' | b'X')) => {
                match self.byte_at(start + 2) {
                    Some(b'.') => self.position += 2,
                    _ => {
                        self.hexadecimal(problems);
                    }
                }
                self.hexadecimal_fraction(problems).unwrap_or(TokenKind::Integer)
            }
            _ => {
                self.digits();
                let whole = self.position;
                let kind = self.fraction_and_exponent(problems);
                if kind == TokenKind::Integer && !matches!(self.byte_at(whole), Some(b'f' | b'F' | b'd' | b'D')) {
                    self.check_octal(start, whole, problems);
                    TokenKind::Integer
                } else {
                    TokenKind::Float
                }
            }
        };
        self.step_over(if kind == TokenKind::Integer { b"lL" } else { b"fFdD" });
        self.end_of_number(kind, problems);
        kind
    }

    /// `.8p3` behind the first digits of a hexadecimal number; the exponent is what makes it a fraction.
    fn hexadecimal_fraction(&mut self, problems: &mut Problems) -> Option<TokenKind> {
        let has_point = self.step_over(b".");
        while has_point && self.byte_at(self.position).is_some_and(|byte| byte.is_ascii_hexdigit()) {
            self.position += 1;
        }
        if matches!(self.byte_at(self.position), Some(b'p' | b'P')) {
            self.exponent_digits(problems);
            return Some(TokenKind::Float);
        }
        if has_point {
            problems.error(
                self.place(self.position, self.position),
                format_args!("a hexadecimal number with a point needs an exponent"),
                format_args!("write it as in `0x1.8p3`, or in decimal"),
            );
        }
        has_point.then_some(TokenKind::Float)
    }

    fn hexadecimal(&mut self, problems: &mut Problems) -> TokenKind {
        let start = self.position;
        self.position += 2;
        while self.byte_at(self.position).is_some_and(|byte| byte.is_ascii_hexdigit()) {
            self.position += 1;
        }
        if self.position == start + 2 {
            problems.error(
                self.span_from(start),
                format_args!("`0x` begins a hexadecimal number, but no digit follows"),
                format_args!("write digits after it, as in `0x1f`"),
            );
        }
        TokenKind::Integer
    }

    fn octal(&mut self, problems: &mut Problems) -> TokenKind {
        let start = self.position;
        self.digits();
        self.check_octal(start, self.position, problems);
        TokenKind::Integer
    }

    /// Refuses the digits 8 and 9 behind a leading zero.
    fn check_octal(&self, start: usize, end: usize, problems: &mut Problems) {
        let digits = &self.bytes[start..end];
        if digits.len() > 1 && digits[0] == b'0' && digits.iter().any(|&digit| digit > b'7') {
            problems.error(
                self.place(start, end),
                format_args!("a number with a leading zero is octal, and 8 and 9 are not octal digits"),
                format_args!("take the leading zero away for a decimal number"),
            );
        }
    }

    fn fraction_and_exponent(&mut self, problems: &mut Problems) -> TokenKind {
        let whole = self.position;
        if self.byte_at(self.position) == Some(b'.') {
            self.position += 1;
            self.digits();
        }
        self.exponent(problems);
        if self.position == whole { TokenKind::Integer } else { TokenKind::Float }
    }

    fn exponent(&mut self, problems: &mut Problems) {
        if matches!(self.byte_at(self.position), Some(b'e' | b'E')) {
            self.exponent_digits(problems);
        }
    }

    /// Steps over the letter of an exponent, its sign and its digits.
    fn exponent_digits(&mut self, problems: &mut Problems) {
        let start = self.position;
        self.position += 1;
        if let Some(b'+' | b'-') = self.byte_at(self.position) {
            self.position += 1;
        }
        let digits = self.position;
        self.digits();
        if self.position == digits {
            problems.error(
                self.span_from(start),
                format_args!("this exponent has no digits"),
                format_args!("write it as in `1e9` or `1e-9`"),
            );
        }
    }

    fn end_of_number(&self, kind: TokenKind, problems: &mut Problems) {
        let at = self.position;
        match self.class_at(at) {
            Some(Class::Letter) => problems.error(
                self.place(at, at + 1),
                format_args!("a letter directly after a number belongs to neither a number nor a name"),
                format_args!("put a space between them; names cannot begin with a digit"),
            ),
            Some(Class::Dot) if kind == TokenKind::Float => problems.error(
                self.place(at, at + 1),
                format_args!("a number cannot have a second decimal point"),
                format_args!("take one of the points away"),
            ),
            Some(Class::Dot) => problems.error(
                self.place(at, at + 1),
                format_args!("hexadecimal and octal numbers cannot have a decimal point"),
                format_args!("write the number in decimal, without a leading zero"),
            ),
            _ => {}
        }
    }

    /// Whether the `0x` here is that of a string of bytes.
    fn begins_blob(&self) -> bool {
        self.style.strings == StringStyle::Blobs && self.byte_at(self.position + 2) == Some(b'"')
    }

    /// Everything to the end of the line; what is no UTF-8 in it, the parser sees as an empty text.
    fn rest_of_line(&mut self) -> TokenKind {
        let rest = &self.bytes[self.position..];
        self.position += memchr::memchr(b'\n', rest).unwrap_or(rest.len());
        TokenKind::String
    }

    fn string(&mut self, quote: u8, problems: &mut Problems) -> TokenKind {
        let start = self.position;
        self.position += 1;
        loop {
            match self.byte_at(self.position) {
                Some(byte) if byte == quote => {
                    self.position += 1;
                    break;
                }
                // Whoever allows any bytes allows any escapes too, or knows none.
                Some(b'\\') if self.style.strings == StringStyle::Bytes => {
                    self.position = (self.position + 2).min(self.bytes.len());
                }
                Some(b'\\') => self.escape(problems),
                Some(b'\n') if self.style.strings == StringStyle::Bytes => self.position += 1,
                None if self.style.strings == StringStyle::Bytes => {
                    // The quote may be a slip, so the lines behind it are still read.
                    let line = memchr::memchr(b'\n', &self.bytes[start..]);
                    self.position = line.map_or(self.position, |length| start + length);
                    problems.error(
                        self.place(start, start + 1),
                        format_args!("this string is never closed"),
                        format_args!("close it with {}", quote as char),
                    );
                    break;
                }
                None | Some(b'\n') => {
                    problems.error(
                        self.span_from(start),
                        format_args!("this string has no closing quote on its line"),
                        format_args!("close it with {}; adjacent strings are joined", quote as char),
                    );
                    break;
                }
                Some(0) => {
                    let at = self.position;
                    problems.error(
                        self.place(at, at + 1),
                        format_args!("there is a NUL byte in this string; compilers take it for the end of the file"),
                        format_args!("write it as `\\0`"),
                    );
                    self.position += 1;
                }
                Some(_) => self.position += 1,
            }
        }
        if self.text.is_none() && self.style.strings != StringStyle::Bytes {
            self.check_string_utf8(start, problems);
        }
        TokenKind::String
    }

    fn check_string_utf8(&self, start: usize, problems: &mut Problems) {
        if let Err(error) = std::str::from_utf8(&self.bytes[start..self.position]) {
            let at = start + error.valid_up_to();
            let length = error.error_len().unwrap_or(1);
            self.not_utf8(self.place(at, at + length), problems);
        }
    }

    /// Steps over one escape sequence, the backslash included.
    fn escape(&mut self, problems: &mut Problems) {
        let start = self.position;
        self.position += 1;
        let help = match self.byte_at(self.position) {
            Some(b'a' | b'b' | b'f' | b'n' | b'r' | b't' | b'v' | b'\\' | b'?' | b'\'' | b'"' | b'0'..=b'7') => {
                self.position += 1;
                return;
            }
            Some(b'x' | b'X') if self.hex_digits(1) == 1 => return,
            Some(b'x' | b'X') => "`\\x` needs one or two hexadecimal digits after it",
            Some(b'u') if self.hex_digits(4) == 4 => return,
            Some(b'u') => "`\\u` needs exactly four hexadecimal digits after it",
            Some(b'U') if self.hex_digits(8) == 8 && self.bytes[start + 2..].starts_with(b"00") => {
                if matches!(self.bytes[start + 4], b'0' | b'1') {
                    return;
                }
                "`\\U` reaches up to `\\U0010ffff`"
            }
            Some(b'U') => "`\\U` needs eight hexadecimal digits after it, up to `\\U0010ffff`",
            _ => "to write a backslash, write `\\\\`",
        };
        problems.error(self.span_from(start), format_args!("this is not an escape sequence"), format_args!("{help}"));
    }

    /// Steps over the letter after the backslash and at most so many digits; how many there were.
    fn hex_digits(&mut self, wanted: usize) -> usize {
        self.position += 1;
        let digits = self.position;
        while self.position < digits + wanted
            && self.byte_at(self.position).is_some_and(|byte| byte.is_ascii_hexdigit())
        {
            self.position += 1;
        }
        self.position - digits
    }
}
