//! What reading every part of Avro IDL shares: where the reader is, names, and how statements begin and end.

use std::borrow::Cow;
use std::fmt;

use crate::change::Span;
use crate::syntax::cursor::Cursor;
use crate::syntax::lexer::TokenKind;
use crate::syntax::statement::{Stop, Understood};

use super::ast::Spelled;

/// How deep types and values may nest.
pub(super) const NESTING_LIMIT: u32 = 128;

/// Names that no declared type can have: the keywords of built-in types.
const BUILT_IN: [&str; 14] = [
    "null",
    "boolean",
    "int",
    "long",
    "float",
    "double",
    "bytes",
    "string",
    "date",
    "time_ms",
    "timestamp_ms",
    "local_timestamp_ms",
    "localtimestamp_ms",
    "uuid",
];

/// Where in a file its reader is.
pub(super) struct Parser<'b> {
    pub(super) cursor: Cursor<'b>,
    /// How many types and values are open.
    pub(super) depth: u32,
    /// How many braces of types and values are open.
    pub(super) braces: u32,
    /// How many bytes of text the copies of types stand for.
    pub(super) copied: usize,
}

/// A name as the grammar has it: parts with dots or dashes between them, each perhaps in backticks.
#[derive(Debug)]
pub(super) struct Word<'b> {
    pub(super) spelled: Spelled<'b>,
    /// Whether any part is in backticks, so that it cannot be a keyword.
    pub(super) quoted: bool,
}

/// Parts that several statements share.
impl<'b> Parser<'b> {
    /// The current token if it is a word that stands alone, else the empty text.
    pub(super) fn keyword(&self) -> &'b str {
        let end = self.cursor.token().span.end;
        match self.cursor.bytes(Span::new(end, end + 1)) {
            b"." | b"-" => "",
            _ => self.cursor.word(),
        }
    }

    /// A name: parts with dots or dashes directly between them.
    pub(super) fn word(&mut self, what: fmt::Arguments<'_>) -> Understood<Word<'b>> {
        let start = self.cursor.start();
        let mut quoted = self.part(what)?;
        while self.is_adjacent() && (self.cursor.at_symbol(b'.') || self.cursor.at_symbol(b'-')) {
            self.cursor.bump();
            if !self.is_adjacent() {
                let at = self.cursor.previous_end();
                self.cursor.error(
                    Span::new(at, at),
                    format_args!(
                        "the name goes on after `{}` without a space",
                        self.cursor.text(self.cursor.since(start))
                    ),
                    format_args!("write the parts of a name together, as in `com.example.Order`"),
                );
                return Err(Stop);
            }
            quoted |= self.part(format_args!("another part of the name"))?;
        }
        let span = self.cursor.since(start);
        let text = match quoted {
            false if matches!(self.cursor.text(span), "NaN" | "Infinity") => {
                self.cursor.error(
                    span,
                    format_args!("`{}` is a number here, not a name", self.cursor.text(span)),
                    format_args!("write it in backticks"),
                );
                return Err(Stop);
            }
            false => Cow::Borrowed(self.cursor.text(span)),
            true => Cow::Owned(self.cursor.text(span).replace('`', "")),
        };
        Ok(Word { spelled: Spelled { text, span }, quoted })
    }

    /// One part of a name; whether it is in backticks.
    fn part(&mut self, what: fmt::Arguments<'_>) -> Understood<bool> {
        let quoted = self.cursor.take_symbol(b'`').is_some();
        if !self.cursor.at(TokenKind::Identifier) || (quoted && !self.is_adjacent()) {
            return Err(self
                .cursor
                .expected(what, format_args!("names begin with a letter, then letters, digits and `_`")));
        }
        self.cursor.bump();
        if quoted && (!self.is_adjacent() || self.cursor.take_symbol(b'`').is_none()) {
            let at = self.cursor.previous_end();
            self.cursor.error(
                Span::new(at, at),
                format_args!("expected a backtick directly after the name that one stands before"),
                format_args!("close it, as in `` `error` ``"),
            );
            return Err(Stop);
        }
        Ok(quoted)
    }

    /// Whether nothing stands between the token before and the current one.
    pub(super) fn is_adjacent(&self) -> bool {
        self.cursor.previous_end() == self.cursor.start()
    }

    /// The name of a type to declare.
    pub(super) fn type_name(&mut self, what: fmt::Arguments<'_>) -> Understood<Spelled<'b>> {
        let name = self.word(what)?.spelled;
        let simple = name.text.rsplit('.').next().unwrap_or_default();
        if BUILT_IN.contains(&simple) {
            self.cursor.error(
                name.span,
                format_args!("nothing can be called `{simple}`: that is a built-in type"),
                format_args!("choose another name"),
            );
            return Err(Stop);
        }
        Ok(name)
    }

    /// The `;` of a statement.
    pub(super) fn end_statement(&mut self, what: fmt::Arguments<'_>) -> Understood<()> {
        self.cursor.end_statement(what, |kind| matches!(kind, TokenKind::Identifier | TokenKind::Symbol(b'@')))
    }

    /// Skips to the end of a statement: behind its `;`, behind a block that ends its line, or before a `}` that belongs to
    /// somebody else.
    pub(super) fn skip_statement(&mut self) {
        let mut open = std::mem::take(&mut self.braces);
        loop {
            match self.cursor.token().kind {
                TokenKind::End => return,
                TokenKind::Symbol(b'}') if open == 0 => return,
                TokenKind::Symbol(b'}') => open -= 1,
                TokenKind::Symbol(b'{') if open > 0 => open += 1,
                // There is none inside types and values, so whatever is open was never meant to be closed.
                TokenKind::Symbol(b';') => {
                    self.cursor.bump();
                    return;
                }
                TokenKind::Symbol(b'{') => {
                    self.cursor.bump();
                    self.cursor.skip_to_close(b'}');
                    let goes_on = [b';', b'=', b',', b')'].iter().any(|symbol| self.cursor.at_symbol(*symbol));
                    if !goes_on && self.cursor.at_new_line() {
                        return;
                    }
                    continue;
                }
                _ => {}
            }
            self.cursor.bump();
        }
    }

    pub(super) fn open_block(&mut self, what: &str, name: &Spelled<'b>) -> Understood<Span> {
        self.cursor.expect_symbol(b'{', format_args!("after {what} `{}`", name.text))
    }

    /// Takes the `}` of a block, or notices the end of the file.
    pub(super) fn close_block(&mut self, what: &str, name: &Spelled<'b>) -> bool {
        self.cursor.close_block(what, name, |_| false)
    }
}
