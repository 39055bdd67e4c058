//! The outline of a text in a language with braces: which statement stands in which body, what it is called, and by which
//! number data know it.
//!
//! It finds places for edits and understands nothing else. What an edit makes of a text is for the whole check to say.

use std::sync::Arc;

use crate::change::Span;
use crate::syntax::comments::{end_behind, start_above};
use crate::syntax::lexer::{LexStyle, Lexer, Token, TokenKind};
use crate::syntax::problems::Problems;

/// What a statement is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sort {
    /// A body of fields.
    Fields,
    /// A body of values, or of the members of a union.
    Values,
    /// A body of methods.
    Methods,
    Field,
    Value,
    Method,
    /// A name for a type.
    Alias,
    /// Anything else.
    Other,
}

/// How a language writes its statements.
#[derive(Clone, Copy)]
pub(crate) struct Notation {
    /// How it is cut into tokens.
    pub(crate) lexer: LexStyle,
    /// Whether the end of a line ends a statement.
    pub(crate) ends_with_line: bool,
    /// What a statement is, by its words and by the body that it stands in.
    pub(crate) sort: fn(&Words<'_>, Option<Sort>) -> Sort,
    /// Which word is its name.
    pub(crate) name: fn(&Words<'_>, Sort) -> Option<usize>,
    /// Which word is its number.
    pub(crate) number: fn(&Words<'_>, Sort) -> Option<usize>,
}

/// The tokens of a statement without its body.
#[derive(Debug, Clone)]
pub(crate) struct Words<'t> {
    text: &'t str,
    spans: Vec<Span>,
}

impl<'t> Words<'t> {
    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.spans.len()
    }

    /// A word; nothing behind the last one.
    pub(crate) fn get(&self, at: usize) -> &'t str {
        self.spans.get(at).and_then(|span| self.text.get(span.range())).unwrap_or("")
    }

    /// The first place of a word outside of brackets.
    pub(crate) fn find(&self, word: &str) -> Option<usize> {
        let mut depth = 0_usize;
        (0..self.len()).find(|at| {
            let here = self.get(*at);
            let is_found = depth == 0 && here == word;
            match here {
                "(" | "[" | "<" => depth += 1,
                ")" | "]" | ">" => depth = depth.saturating_sub(1),
                _ => {}
            }
            is_found
        })
    }

    /// Whether a word stands anywhere in it.
    pub(crate) fn has(&self, word: &str) -> bool {
        (0..self.len()).any(|at| self.get(at) == word)
    }
}

/// A statement.
#[derive(Debug, Clone)]
pub(crate) struct Item {
    /// What it is.
    pub(crate) sort: Sort,
    /// Its text, without what separates it from the next one.
    pub(crate) span: Span,
    /// The separator behind it.
    pub(crate) separator: Option<char>,
    /// Its name.
    pub(crate) name: Option<Span>,
    /// Its number.
    pub(crate) number: Option<Span>,
    /// The word that it begins with.
    pub(crate) keyword: Span,
    /// All its words outside of its body.
    pub(crate) words: Vec<Span>,
    /// Its body, braces included.
    pub(crate) body: Option<Span>,
    /// What stands in the body.
    pub(crate) items: Vec<Item>,
}

/// The outline of a text.
#[derive(Debug)]
pub(crate) struct Outline<'t> {
    /// The text.
    pub(crate) text: &'t str,
    /// The statements outside of bodies.
    pub(crate) items: Vec<Item>,
}

impl<'t> Outline<'t> {
    /// Finds the statements of a text.
    pub(crate) fn of(text: &'t str, notation: &Notation) -> Outline<'t> {
        let mut problems = Problems::new(&Arc::from(""));
        let mut lexer = Lexer::new(text.as_bytes(), notation.lexer);
        let tokens = std::iter::from_fn(|| Some(lexer.next_token(&mut problems)));
        let tokens: Vec<Token> = tokens.take_while(|token| token.kind != TokenKind::End).collect();
        let mut reader = Reader { text, tokens: &tokens, notation, at: 0 };
        Outline { items: reader.items(None), text }
    }

    /// Some of the text.
    pub(crate) fn at(&self, span: Span) -> &'t str {
        self.text.get(span.range()).unwrap_or("")
    }

    /// What a statement is called.
    pub(crate) fn name(&self, item: &Item) -> &'t str {
        item.name.map_or("", |span| self.at(span))
    }

    /// The number of a statement.
    pub(crate) fn number(&self, item: &Item) -> Option<i64> {
        self.at(item.number?).parse().ok()
    }

    /// The statements around a place, the outermost first.
    pub(crate) fn around(&self, span: Span) -> Vec<&Item> {
        let (mut items, mut found) = (&self.items, Vec::new());
        while let Some(item) = items.iter().find(|item| item.span.start <= span.start && span.end <= item.end()) {
            found.push(item);
            items = &item.items;
        }
        found
    }

    /// The statement that is called by these names, each inside of the one before.
    pub(crate) fn by_names(&self, names: &[&str]) -> Option<&Item> {
        let (mut items, mut found) = (&self.items, None);
        for name in names {
            found = items.iter().find(|item| self.name(item) == *name && item.body.is_some());
            items = &found?.items;
        }
        found
    }

    /// What stands before a statement on its line, where that is white space.
    pub(crate) fn indentation(&self, item: &Item) -> &'t str {
        let before = self.text.get(..item.span.start as usize).unwrap_or("");
        let line = &before[before.rfind('\n').map_or(0, |at| at + 1)..];
        if line.trim().is_empty() { line } else { "" }
    }

    /// The comments behind a statement that are about it, and what parts them from it.
    pub(crate) fn comments_behind(&self, notation: &Notation, item: &Item) -> &'t str {
        let end = end_behind(self.text.as_bytes(), item.end() as usize, notation.lexer.comments);
        self.text.get(item.end() as usize..end).unwrap_or("")
    }

    /// The comments right above a statement, and what parts them from it; `around` are the statements that it is one of, and
    /// `start` is where these begin.
    pub(crate) fn comments_above(&self, notation: &Notation, (start, around): (u32, &[Item]), item: &Item) -> Span {
        let before = around.iter().map(Item::end).filter(|end| *end <= item.span.start).max().unwrap_or(start);
        let (behind, end) = (before as usize, item.span.start as usize);
        let first = start_above(self.text.as_bytes(), behind, end, notation.lexer.comments);
        Span::new(u32::try_from(first).unwrap_or(item.span.start), item.span.start)
    }

    /// A statement with the comments above it, and those behind it.
    pub(crate) fn with_comments(&self, notation: &Notation, around: (u32, &[Item]), item: &Item) -> (&'t str, &'t str) {
        let start = self.comments_above(notation, around, item).start;
        (self.at(Span::new(start, item.span.end)), self.comments_behind(notation, item))
    }

    /// The statements that one is one of, and where these begin.
    pub(crate) fn beside<'o>(&'o self, around: Option<&'o Item>) -> (u32, &'o [Item]) {
        around.map_or((0, &self.items[..]), Self::inside)
    }

    /// The statements in a body, and where these begin.
    pub(crate) fn inside(body: &Item) -> (u32, &[Item]) {
        (body.body.map_or(0, |body| body.start + 1), &body.items[..])
    }

    /// Where the statements of a body begin: behind the brace, and the comments on its line.
    pub(crate) fn start_of(&self, notation: &Notation, body: &Item) -> Option<u32> {
        let at = body.body?.start as usize + 1;
        u32::try_from(end_behind(self.text.as_bytes(), at, notation.lexer.comments)).ok()
    }

    /// How lines end.
    pub(crate) fn line_end(&self) -> &'static str {
        if self.text.contains("\r\n") { "\r\n" } else { "\n" }
    }
}

impl Item {
    /// Where the separator ends.
    pub(crate) fn end(&self) -> u32 {
        self.span.end + u32::from(self.separator.is_some())
    }

    /// It and all inside of it.
    pub(crate) fn all(&self) -> Vec<&Item> {
        let mut all = vec![self];
        let mut at = 0;
        while let Some(item) = all.get(at).copied() {
            all.extend(&item.items);
            at += 1;
        }
        all
    }
}

struct Reader<'t, 'r> {
    text: &'t str,
    tokens: &'r [Token],
    notation: &'r Notation,
    at: usize,
}

impl<'t> Reader<'t, '_> {
    fn word(&self, at: usize) -> &'t str {
        self.tokens.get(at).and_then(|token| self.text.get(token.span.range())).unwrap_or("")
    }

    /// The statements up to the brace that closes the body.
    fn items(&mut self, parent: Option<Sort>) -> Vec<Item> {
        let mut items = Vec::new();
        while self.at < self.tokens.len() && self.word(self.at) != "}" {
            match self.word(self.at) {
                ";" | "," => self.at += 1,
                _ => items.extend(self.item(parent)),
            }
        }
        items
    }

    fn item(&mut self, parent: Option<Sort>) -> Option<Item> {
        let mut words = Words { text: self.text, spans: Vec::new() };
        let (mut depth, mut body, mut items) = (0_usize, None, Vec::new());
        let mut separator = None;
        let (mut end, mut is_assigned) = (self.tokens.get(self.at)?.span.end, false);
        while let Some(token) = self.tokens.get(self.at) {
            match self.word(self.at) {
                "}" if depth == 0 => break,
                ";" | "," if depth == 0 => {
                    separator = self.word(self.at).chars().next();
                    self.at += 1;
                    break;
                }
                "{" if depth == 0 && !is_assigned => {
                    let sort = (self.notation.sort)(&words, parent);
                    self.at += 1;
                    items = self.items(Some(sort));
                    end = self.tokens.get(self.at).map_or(self.text.len() as u32, |close| close.span.end);
                    body = Some(Span::new(token.span.start, end));
                    self.at += 1;
                    break;
                }
                word => {
                    match word {
                        "(" | "[" | "{" => depth += 1,
                        ")" | "]" | "}" => depth = depth.saturating_sub(1),
                        "<" => depth += 1,
                        ">" if self.word(self.at.wrapping_sub(1)) != "-" => depth = depth.saturating_sub(1),
                        "=" => is_assigned |= depth == 0 && !words.get(0).is_empty() && words.get(1) != "group",
                        _ => {}
                    }
                    words.spans.push(token.span);
                    end = token.span.end;
                    self.at += 1;
                    if depth == 0 && self.ends_here(end) {
                        break;
                    }
                }
            }
        }
        // The separator of a body is part of it: `};`.
        if body.is_some() && self.word(self.at) == ";" {
            separator = Some(';');
            self.at += 1;
        }
        let separator =
            separator.filter(|mark| self.text.get(end as usize..).is_some_and(|rest| rest.starts_with(*mark)));
        let keyword = *words.spans.first()?;
        let sort = (self.notation.sort)(&words, parent);
        let at = |word: Option<usize>| word.and_then(|word| words.spans.get(word).copied());
        let name = at((self.notation.name)(&words, sort));
        let number = at((self.notation.number)(&words, sort));
        let span = Span::new(keyword.start, end);
        Some(Item { sort, span, separator, name, number, keyword, body, items, words: words.spans })
    }

    /// Whether the statement ends with its line.
    fn ends_here(&self, end: u32) -> bool {
        let Some(next) = self.tokens.get(self.at).filter(|_| self.notation.ends_with_line) else { return false };
        let between = self.text.get(end as usize..next.span.start as usize).unwrap_or("");
        let goes_on = ["{", "(", ",", ";", "=", "throws", "extends", ":", "<", "["].contains(&self.word(self.at));
        between.contains('\n') && !goes_on && ![":", "=", "(", "<"].contains(&self.word(self.at - 1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: Notation = Notation {
        lexer: LexStyle::USUAL,
        ends_with_line: false,
        sort: |words, parent| match (words.get(0), parent) {
            ("message", _) => Sort::Fields,
            (_, Some(Sort::Fields)) => Sort::Field,
            _ => Sort::Other,
        },
        name: |words, sort| match sort {
            Sort::Field => Some(words.find("=")?.checked_sub(1)?),
            _ => Some(1),
        },
        number: |words, sort| if sort == Sort::Field { Some(words.find("=")? + 1) } else { None },
    };

    #[test]
    fn statements_have_names_numbers_and_places() {
        let text = "message M { // a = 9;\n  map<int32, A> a = 1 [x = { b: 2 }];\n  message N { B b = 2; }\n}\n";
        let outline = Outline::of(text, &PLAIN);
        let [message] = &outline.items[..] else { panic!("{outline:?}") };
        assert_eq!((outline.name(message), message.items.len()), ("M", 2));
        let field = &message.items[0];
        assert_eq!((outline.name(field), outline.number(field)), ("a", Some(1)));
        assert_eq!(outline.at(field.span), "map<int32, A> a = 1 [x = { b: 2 }]");
        assert_eq!((field.separator, outline.indentation(field)), (Some(';'), "  "));
        let at = text.find("B b").expect("it is there") as u32;
        let around = outline.around(Span::new(at, at + 1));
        assert_eq!(around.iter().map(|item| outline.name(item)).collect::<Vec<_>>(), ["M", "N", "b"]);
        assert!(outline.by_names(&["M", "N"]).is_some() && outline.by_names(&["M", "b"]).is_none());
    }
}
