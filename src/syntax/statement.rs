//! What parsers of statements share: what must stand at a place, and what is said where it does not.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use crate::change::Span;
use crate::syntax::cursor::Cursor;
use crate::syntax::lexer::{LexStyle, TokenKind};
use crate::syntax::literal;
use crate::syntax::problems::Problems;
use crate::syntax::spelled::Spelled;

/// The rest of the statement cannot be understood; the reason has been reported.
#[derive(Debug)]
pub struct Stop;

/// What was understood, if it was.
pub type Understood<T> = Result<T, Stop>;

impl<'b> Cursor<'b> {
    /// Before the first token of a file. Of one that is too large to be read nothing is read, and that is a problem.
    pub fn of_file(file: &Arc<str>, bytes: &'b [u8], style: LexStyle) -> Self {
        if u32::try_from(bytes.len()).is_ok() {
            return Cursor::new(bytes, style, Problems::new(file));
        }
        let mut cursor = Cursor::new(&[], style, Problems::new(file));
        let message = format_args!("this file is larger than 4 GiB, so it cannot be read");
        cursor.error(Span::default(), message, format_args!("schemas are text written by people; exclude this file"));
        cursor
    }

    /// Reports that something else should stand here.
    pub fn expected(&mut self, what: fmt::Arguments<'_>, help: fmt::Arguments<'_>) -> Stop {
        self.expected_at(self.token().span, what, help)
    }

    fn expected_at(&mut self, span: Span, what: fmt::Arguments<'_>, help: fmt::Arguments<'_>) -> Stop {
        let found = self.found();
        self.error(span, format_args!("expected {what}, found {found}"), help);
        Stop
    }

    /// Skips a definition: behind the brace that closes its block, or behind one of some symbols that stands outside of any. Ends sooner
    /// where something begins that cannot stand inside; that is asked with whether this is outside of any block.
    pub fn skip_definition(&mut self, ends: &[u8], begins: impl Fn(&Self, bool) -> bool) {
        let mut depth = 0usize;
        loop {
            match self.bump().kind {
                TokenKind::End => return,
                TokenKind::Symbol(symbol) if depth == 0 && ends.contains(&symbol) => return,
                TokenKind::Symbol(b'{') => depth += 1,
                TokenKind::Symbol(b'}') if depth <= 1 => return,
                TokenKind::Symbol(b'}') => depth -= 1,
                _ => {}
            }
            if begins(self, depth == 0) {
                return;
            }
        }
    }

    /// Skips the rest of a member of a list: behind its separator, or before the bracket that closes the list. Ends sooner
    /// on a new line on which something begins; that is asked with whether this is outside of brackets of its own.
    pub fn skip_member(&mut self, closing: &[u8], begins: impl Fn(&Self, bool) -> bool) {
        let mut depth = 0usize;
        loop {
            match self.token().kind {
                TokenKind::End => return,
                TokenKind::Symbol(symbol) if depth == 0 && closing.contains(&symbol) => return,
                TokenKind::Symbol(b'{' | b'(' | b'[') => depth += 1,
                TokenKind::Symbol(b'}' | b')' | b']') => depth = depth.saturating_sub(1),
                _ => {}
            }
            let token = self.bump();
            if depth == 0 && matches!(token.kind, TokenKind::Symbol(b',' | b';')) {
                return;
            }
            if self.at_new_line() && begins(self, depth == 0) {
                return;
            }
        }
    }

    /// A symbol that must stand here.
    pub fn expect_symbol(&mut self, symbol: u8, place: fmt::Arguments<'_>) -> Understood<Span> {
        match self.take_symbol(symbol) {
            Some(span) => Ok(span),
            None => {
                // What ends something is missing where that ends, and not where the next line begins.
                let end = self.previous_end();
                let is_behind = symbol == b';' && self.at_new_line();
                let span = if is_behind { Span::new(end, end) } else { self.token().span };
                let symbol = symbol as char;
                let (what, help) = (format_args!("`{symbol}` {place}"), format_args!("write `{symbol}` here"));
                Err(self.expected_at(span, what, help))
            }
        }
    }

    /// An identifier that must stand here.
    pub fn expect_name(&mut self, what: fmt::Arguments<'_>) -> Understood<Spelled<'b>> {
        if !self.at(TokenKind::Identifier) {
            let help = format_args!("names begin with a letter or `_`, then letters, digits and `_`");
            return Err(self.expected(what, help));
        }
        let span = self.bump().span;
        Ok(Spelled { text: Cow::Borrowed(self.text(span)), span })
    }

    /// A text in quotes that must stand here; the place has the quotes.
    pub fn expect_text(&mut self, what: fmt::Arguments<'_>) -> Understood<(Cow<'b, [u8]>, Span)> {
        if !self.at(TokenKind::String) {
            return Err(self.expected(what, format_args!("write it in quotes")));
        }
        let span = self.bump().span;
        Ok((literal::string(self.bytes(span)), span))
    }

    /// Takes a sign; whether it is a minus.
    pub fn take_sign(&mut self) -> bool {
        if self.take_symbol(b'-').is_some() {
            return true;
        }
        self.take_symbol(b'+');
        false
    }

    /// The digits of a whole number that must stand here, and whether there is a minus before them.
    pub fn expect_digits(&mut self, what: fmt::Arguments<'_>) -> Understood<(bool, Span)> {
        let is_negative = self.take_sign();
        if !self.at(TokenKind::Integer) {
            return Err(self.expected(what, format_args!("write a whole number")));
        }
        Ok((is_negative, self.bump().span))
    }

    /// The `;` of a statement. Where it is missing but the next statement plainly begins, on a line of its own with a token
    /// that begins one, reading goes on.
    pub fn end_statement(&mut self, what: fmt::Arguments<'_>, begins: fn(TokenKind) -> bool) -> Understood<()> {
        if self.take_symbol(b';').is_some() {
            return Ok(());
        }
        let (end, found) = (self.previous_end(), self.found());
        self.error(
            Span::new(end, end),
            format_args!("expected `;` after {what}, found {found}"),
            format_args!("end the statement with `;`"),
        );
        let next_begins = begins(self.token().kind) && self.at_new_line();
        if next_begins || self.at_symbol(b'}') || self.at_end() { Ok(()) } else { Err(Stop) }
    }
}
