//! Names of types, values and annotations.

use std::borrow::Cow;

use crate::syntax::lexer::TokenKind;
use crate::syntax::literal::{self, Integer};
use crate::syntax::spelled::Spelled;
use crate::syntax::statement::Understood;

use super::ast::{Annotation, Expression, ExpressionKind, Path, Start, Step};
use super::parse::Parser;

impl<'b> Parser<'b> {
    /// A name: `Text`, `.Outer.Inner`, `import "other.capnp".Type`, `List(Map(Text, Data))`.
    pub(super) fn path(&mut self) -> Understood<Path<'b>> {
        self.deeper(|parser| {
            // A name may stand in brackets.
            if parser.cursor.take_symbol(b'(').is_some() {
                let inner = parser.path()?;
                parser.cursor.expect_symbol(b')', format_args!("behind the name"))?;
                return Ok(inner);
            }
            let start = parser.cursor.start();
            let first = if parser.cursor.take_symbol(b'.').is_some() {
                Start::File(parser.name(format_args!("a name after the dot"))?)
            } else if parser.is_before_text("import") {
                parser.cursor.bump();
                let path = parser.text_path()?;
                parser.document.imports.push(path);
                Start::Import(parser.document.imports.len() - 1)
            } else {
                Start::Scope(parser.name(format_args!("a name"))?)
            };
            let mut steps = Vec::new();
            loop {
                if parser.cursor.take_symbol(b'.').is_some() {
                    steps.push(Step::Member(parser.name(format_args!("a name after the dot"))?));
                } else if parser.cursor.take_symbol(b'(').is_some() {
                    steps.push(Step::Apply(parser.paths(b')')?));
                } else {
                    return Ok(Path { start: first, steps, span: parser.cursor.since(start) });
                }
            }
        })
    }

    /// Whether a word is the keyword: only a text behind it makes it one, else it is a name like any other.
    fn is_before_text(&self, word: &str) -> bool {
        let is_followed = || {
            let mut ahead = self.cursor.clone();
            ahead.bump();
            ahead.at(TokenKind::String)
        };
        self.cursor.word() == word && is_followed()
    }

    /// The path of a file, in quotes.
    fn text_path(&mut self) -> Understood<Spelled<'b>> {
        let (path, span) = self.cursor.expect_text(format_args!("the path of a file"))?;
        let text = match path {
            Cow::Borrowed(bytes) => String::from_utf8_lossy(bytes),
            Cow::Owned(bytes) => Cow::Owned(String::from_utf8_lossy(&bytes).into_owned()),
        };
        Ok(Spelled { text, span })
    }

    pub(super) fn annotation(&mut self) -> Understood<Annotation<'b>> {
        let start = self.cursor.start();
        self.cursor.bump();
        let name = self.annotation_name()?;
        let value = match self.cursor.at_symbol(b'(') {
            true => Some(self.annotation_value()?),
            false => None,
        };
        Ok(Annotation { name, value, span: self.cursor.since(start) })
    }

    /// A name without anything applied: what stands in brackets behind it is the value of the annotation. Only where more
    /// of the name follows behind the brackets they are a part of it.
    fn annotation_name(&mut self) -> Understood<Path<'b>> {
        let start = self.cursor.start();
        let first = if self.cursor.take_symbol(b'.').is_some() {
            Start::File(self.name(format_args!("a name after the dot"))?)
        } else if self.is_before_text("import") {
            self.cursor.bump();
            let path = self.text_path()?;
            self.document.imports.push(path);
            Start::Import(self.document.imports.len() - 1)
        } else {
            Start::Scope(self.name(format_args!("the name of an annotation"))?)
        };
        let mut steps = Vec::new();
        loop {
            if self.cursor.take_symbol(b'.').is_some() {
                steps.push(Step::Member(self.name(format_args!("a name after the dot"))?));
            } else if self.cursor.at_symbol(b'(') && self.goes_on_behind_brackets() {
                self.cursor.bump();
                steps.push(Step::Apply(self.paths(b')')?));
            } else {
                return Ok(Path { start: first, steps, span: self.cursor.since(start) });
            }
        }
    }

    fn goes_on_behind_brackets(&self) -> bool {
        let mut ahead = self.cursor.clone();
        let mut depth = 0usize;
        loop {
            match ahead.token().kind {
                TokenKind::End | TokenKind::Symbol(b';' | b'{' | b'}') => return false,
                TokenKind::Symbol(b'(') => depth += 1,
                TokenKind::Symbol(b')') if depth <= 1 => {
                    ahead.bump();
                    return ahead.at_symbol(b'.');
                }
                TokenKind::Symbol(b')') => depth -= 1,
                _ => {}
            }
            ahead.bump();
        }
    }

    /// `(value)`, or `(a = 1, b = 2)`.
    fn annotation_value(&mut self) -> Understood<Expression<'b>> {
        let start = self.cursor.start();
        let mut fields = self.fields()?;
        match &fields[..] {
            [(None, _)] => Ok(fields.remove(0).1),
            _ => Ok(Expression { span: self.cursor.since(start), kind: ExpressionKind::Fields(fields) }),
        }
    }

    /// What stands in brackets, each with its name where it has one.
    fn fields(&mut self) -> Understood<Vec<(Option<Spelled<'b>>, Expression<'b>)>> {
        self.cursor.expect_symbol(b'(', format_args!("before the fields"))?;
        let mut fields = Vec::new();
        while self.cursor.take_symbol(b')').is_none() {
            let mut ahead = self.cursor.clone();
            let is_named = ahead.at(TokenKind::Identifier) && {
                ahead.bump();
                ahead.at_symbol(b'=')
            };
            let mut name = None;
            if is_named {
                name = Some(self.name(format_args!("a field"))?);
                self.cursor.bump();
            }
            fields.push((name, self.value()?));
            self.comma(b')')?;
        }
        Ok(fields)
    }

    /// A value.
    pub(super) fn value(&mut self) -> Understood<Expression<'b>> {
        self.deeper(|parser| {
            let start = parser.cursor.start();
            let kind = parser.value_kind()?;
            Ok(Expression { span: parser.cursor.since(start), kind })
        })
    }

    fn value_kind(&mut self) -> Understood<ExpressionKind<'b>> {
        let is_negative = self.cursor.take_symbol(b'-').is_some();
        let token = self.cursor.token();
        match token.kind {
            TokenKind::Integer => {
                self.cursor.bump();
                let value = match literal::integer(self.cursor.bytes(token.span)) {
                    Integer::Fits(value) => i128::from(value),
                    Integer::TooLarge => {
                        let message = format_args!("this number does not fit in 64 bits");
                        self.cursor.error(token.span, message, format_args!("write a smaller number"));
                        0
                    }
                };
                Ok(ExpressionKind::Integer(if is_negative { -value } else { value }))
            }
            TokenKind::Float => {
                self.cursor.bump();
                if self.cursor.bytes(token.span).starts_with(b".") {
                    let help = format_args!("write a digit before the point, as in `0.5`");
                    self.cursor.error(token.span, format_args!("no number begins with a point"), help);
                }
                let value = literal::float(self.cursor.text(token.span));
                Ok(ExpressionKind::Float(if is_negative { -value } else { value }))
            }
            TokenKind::Identifier if is_negative => match self.cursor.take_word("inf") {
                Some(_) => Ok(ExpressionKind::Float(f64::NEG_INFINITY)),
                None => Err(self.cursor.expected(format_args!("a number"), format_args!("write a number after `-`"))),
            },
            TokenKind::Identifier if self.is_before_text("embed") => {
                self.cursor.bump();
                self.text_path().map(|_| ExpressionKind::Embed)
            }
            TokenKind::Identifier => self.path().map(ExpressionKind::Name),
            TokenKind::Symbol(b'.') => self.path().map(ExpressionKind::Name),
            TokenKind::String => self.strings(),
            TokenKind::Symbol(b'(') => self.fields().map(ExpressionKind::Fields),
            TokenKind::Symbol(b'[') => {
                self.cursor.bump();
                let mut items = Vec::new();
                while self.cursor.take_symbol(b']').is_none() {
                    items.push(self.value()?);
                    self.comma(b']')?;
                }
                Ok(ExpressionKind::List(items))
            }
            TokenKind::Symbol(_) | TokenKind::End => {
                Err(self.cursor.expected(format_args!("a value"), format_args!("write a value here")))
            }
        }
    }

    /// Texts and lines behind backticks that stand behind each other are one; bytes stand alone.
    fn strings(&mut self) -> Understood<ExpressionKind<'b>> {
        if self.is_blob() {
            let span = self.cursor.bump().span;
            return Ok(ExpressionKind::Bytes(self.blob(span)));
        }
        let mut text: Option<Cow<'b, [u8]>> = None;
        while self.cursor.at(TokenKind::String) && !self.is_blob() {
            let span = self.cursor.bump().span;
            let bytes = self.cursor.bytes(span);
            if bytes.starts_with(b"'") {
                let help = format_args!("write it in double quotes");
                self.cursor.error(span, format_args!("no text begins with this quote"), help);
            }
            let part = match bytes.strip_prefix(b"`") {
                Some(line) => {
                    let line = line.strip_suffix(b"\r").unwrap_or(line);
                    Cow::Owned([line, b"\n"].concat())
                }
                None => literal::string(bytes),
            };
            text = Some(match text {
                None => part,
                Some(before) => Cow::Owned([&*before, &*part].concat()),
            });
        }
        Ok(ExpressionKind::Text(text.unwrap_or_default()))
    }

    fn is_blob(&self) -> bool {
        self.cursor.bytes(self.cursor.token().span).starts_with(b"0x")
    }

    /// The bytes of `0x"…"`; what is no pair of digits is reported.
    fn blob(&mut self, span: crate::change::Span) -> Vec<u8> {
        let token = self.cursor.bytes(span);
        let inside = token.strip_prefix(b"0x\"").unwrap_or_default();
        let inside = inside.strip_suffix(b"\"").unwrap_or(inside);
        // Blanks stand between bytes, and in none.
        let groups = inside.split(u8::is_ascii_whitespace).filter(|group| !group.is_empty());
        let digit = |byte: &u8| (*byte as char).to_digit(16).map(|digit| digit as u8);
        let byte = |pair: &[u8]| match pair {
            [high, low] => Some(digit(high)? << 4 | digit(low)?),
            _ => None,
        };
        let bytes: Option<Vec<u8>> = groups.flat_map(|group| group.chunks(2)).map(byte).collect();
        match bytes {
            Some(bytes) if !bytes.is_empty() => bytes,
            _ => {
                let help = format_args!("write two hexadecimal digits for each byte, as in `0x\"68 69\"`");
                self.cursor.error(span, format_args!("these are no bytes in hexadecimal"), help);
                Vec::new()
            }
        }
    }
}
