//! Walks over the tokens of a file: look at the current one, take it, or skip the rest of a statement.

use std::fmt;

use crate::change::Span;
use crate::syntax::lexer::{LexStyle, Lexer, Token, TokenKind};
use crate::syntax::problem::Problem;
use crate::syntax::problems::Problems;
use crate::syntax::spelled::Spelled;

/// A position between two tokens.
#[derive(Debug, Clone)]
pub struct Cursor<'a> {
    lexer: Lexer<'a>,
    token: Token,
    previous_end: u32,
    problems: Problems,
    /// Whether it was said that a block is not closed; then all blocks around it are not either.
    said_unclosed: bool,
}

impl<'a> Cursor<'a> {
    /// Before the first token of a file of at most `u32::MAX` bytes.
    pub fn new(bytes: &'a [u8], style: LexStyle, mut problems: Problems) -> Self {
        let mut lexer = Lexer::new(bytes, style);
        let token = lexer.next_token(&mut problems);
        Self { lexer, token, previous_end: token.span.start, problems, said_unclosed: false }
    }

    /// The current token.
    pub fn token(&self) -> Token {
        self.token
    }

    /// The first byte of the current token.
    pub fn start(&self) -> u32 {
        self.token.span.start
    }

    /// One past the last byte of the token before.
    pub fn previous_end(&self) -> u32 {
        self.previous_end
    }

    /// From a start to the end of the token before.
    pub fn since(&self, start: u32) -> Span {
        Span::new(start, self.previous_end.max(start))
    }

    /// Goes to the next token; the one that was current.
    pub fn bump(&mut self) -> Token {
        let token = self.token;
        self.previous_end = token.span.end;
        self.token = self.lexer.next_token(&mut self.problems);
        token
    }

    /// The bytes of a place.
    pub fn bytes(&self, span: Span) -> &'a [u8] {
        self.lexer.bytes(span)
    }

    /// The text of a place.
    pub fn text(&self, span: Span) -> &'a str {
        self.lexer.text(span)
    }

    /// The current token if it is an identifier, else the empty text.
    pub fn word(&self) -> &'a str {
        match self.token.kind {
            TokenKind::Identifier => self.text(self.token.span),
            _ => "",
        }
    }

    /// Whether the current token is of that kind.
    pub fn at(&self, kind: TokenKind) -> bool {
        self.token.kind == kind
    }

    /// Whether the current token is that symbol.
    pub fn at_symbol(&self, symbol: u8) -> bool {
        self.token.kind == TokenKind::Symbol(symbol)
    }

    /// Whether nothing is left.
    pub fn at_end(&self) -> bool {
        self.token.kind == TokenKind::End
    }

    /// Whether a line ends between the token before and the current one.
    pub fn at_new_line(&self) -> bool {
        self.bytes(Span::new(self.previous_end, self.start())).contains(&b'\n')
    }

    /// Takes the current token if it is that symbol.
    pub fn take_symbol(&mut self, symbol: u8) -> Option<Span> {
        self.at_symbol(symbol).then(|| self.bump().span)
    }

    /// Takes the `}` of a block of a name, as in ``message `Order` ``. At the end of the file, and where something begins
    /// that cannot stand in the block, the block ends as well, with a problem at the name.
    pub fn close_block(&mut self, what: &str, name: &Spelled<'_>, cannot_be_inside: fn(&Self) -> bool) -> bool {
        if self.take_symbol(b'}').is_some() {
            return true;
        }
        let place = match self.at_end() {
            true => "the file ends",
            false if cannot_be_inside(self) => "another definition begins",
            false => return false,
        };
        if !self.said_unclosed {
            self.said_unclosed = self.at_end();
            self.error(
                name.span,
                format_args!("{what} `{}` is never closed: {place} before its `}}`", name.text),
                format_args!("add the missing `}}`"),
            );
        }
        true
    }

    /// Takes the current token if it is that word.
    pub fn take_word(&mut self, word: &str) -> Option<Span> {
        (self.word() == word).then(|| self.bump().span)
    }

    /// What stands here, for a message.
    pub fn found(&self) -> Found<'a> {
        Found { kind: self.token.kind, text: self.text(self.token.span) }
    }

    /// Reports an error.
    pub fn error(&mut self, span: Span, message: fmt::Arguments<'_>, help: fmt::Arguments<'_>) {
        self.problems.error(span, message, help);
    }

    /// Reports a warning.
    pub fn warning(&mut self, span: Span, message: fmt::Arguments<'_>, help: fmt::Arguments<'_>) {
        self.problems.warning(span, message, help);
    }

    /// How many problems there are so far.
    pub fn problem_count(&self) -> usize {
        self.problems.count()
    }

    /// All problems of the file.
    pub fn into_problems(self) -> Vec<Problem> {
        self.problems.into_list()
    }

    /// Skips to the end of a statement: behind its `;` or its block, or before a `}` that belongs to somebody else.
    pub fn skip_statement(&mut self) {
        loop {
            match self.token.kind {
                TokenKind::End | TokenKind::Symbol(b'}') => return,
                TokenKind::Symbol(b';') => {
                    self.bump();
                    return;
                }
                TokenKind::Symbol(b'{') => return self.skip_block(),
                _ => {
                    self.bump();
                }
            }
        }
    }

    /// Skips a block with everything in it, however deep. The current token is its `{`.
    fn skip_block(&mut self) {
        let mut depth = 0usize;
        while !self.at_end() {
            match self.bump().kind {
                TokenKind::Symbol(b'{') => depth += 1,
                TokenKind::Symbol(b'}') if depth <= 1 => return,
                TokenKind::Symbol(b'}') => depth -= 1,
                _ => {}
            }
        }
    }

    /// Skips to the closing bracket of the group the cursor is in, and takes it. Brackets that open in between are
    /// balanced. Stops before a `}` that is not wanted.
    pub fn skip_to_close(&mut self, close: u8) {
        let mut depth = 0usize;
        while !self.at_end() {
            match self.token.kind {
                TokenKind::Symbol(b'{' | b'[' | b'<') => depth += 1,
                TokenKind::Symbol(symbol) if depth == 0 && symbol == close => {
                    self.bump();
                    return;
                }
                TokenKind::Symbol(b'}') if depth == 0 => return,
                TokenKind::Symbol(b'}' | b']' | b'>') => depth = depth.saturating_sub(1),
                _ => {}
            }
            self.bump();
        }
    }
}

/// Describes a token to the reader of a message.
#[derive(Debug, Clone, Copy)]
pub struct Found<'a> {
    kind: TokenKind,
    text: &'a str,
}

/// Longer tokens are cut in messages.
const SHOWN_CHARACTERS: usize = 40;

impl fmt::Display for Found<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (text, more) = match self.text.char_indices().nth(SHOWN_CHARACTERS) {
            Some((cut, _)) => (&self.text[..cut], "…"),
            None => (self.text, ""),
        };
        match self.kind {
            TokenKind::End => f.write_str("the end of the file"),
            TokenKind::String => write!(f, "the string {text}{more}"),
            TokenKind::Integer | TokenKind::Float => write!(f, "the number {text}{more}"),
            TokenKind::Identifier | TokenKind::Symbol(_) => write!(f, "`{text}{more}`"),
        }
    }
}
