//! Whether two texts are made of the same tokens.

use std::sync::Arc;

use crate::change::Span;
use crate::syntax::lexer::{LexStyle, Lexer, TokenKind};
use crate::syntax::problems::Problems;

/// How texts are cut into tokens, where what parts these says little.
#[derive(Debug, Clone, Copy)]
pub struct Style {
    /// How tokens are written, and comments.
    pub(crate) lexer: LexStyle,
    /// Whether blanks and comments between two tokens may say something.
    pub(crate) may_say: fn(&[u8]) -> bool,
}

impl Style {
    /// Comments and blanks say nothing.
    pub(crate) const fn of(lexer: LexStyle) -> Self {
        Style { lexer, may_say: |_| false }
    }

    /// JSON, in which not everybody allows comments.
    pub(crate) const JSON: Self =
        Style { lexer: LexStyle::USUAL, may_say: |gap| gap.iter().any(|byte| !b" \t\r\n".contains(byte)) };
}

/// Whether two texts are the same but for comments and blanks that say nothing, between the same tokens: tokens touch each
/// other in both or in neither, and stand on one line in both or in neither, so that parsers come to the same by whatever
/// way. Never so of texts that hold something which is no token.
pub(crate) fn are_same(old: &[u8], new: &[u8], style: Style) -> bool {
    if std::str::from_utf8(old).is_err() || std::str::from_utf8(new).is_err() {
        return false;
    }
    let (mut before, mut after) = (Tokens::of(old, style), Tokens::of(new, style));
    loop {
        let (one, other) = (before.next(), after.next());
        if one != other || !before.are_sound() || !after.are_sound() {
            return false;
        }
        if one.kind == TokenKind::End {
            return true;
        }
    }
}

/// A token, and what parts it from the one before.
#[derive(Debug, PartialEq, Eq)]
struct Token<'t> {
    kind: TokenKind,
    text: &'t [u8],
    /// Whether there is anything between them, and whether a line ends there.
    is_apart: [bool; 2],
    /// What that is, where it may say something.
    said: Option<&'t [u8]>,
}

struct Tokens<'t> {
    text: &'t [u8],
    lexer: Lexer<'t>,
    may_say: fn(&[u8]) -> bool,
    problems: Problems,
    /// Where the last one ended.
    end: Option<u32>,
}

impl<'t> Tokens<'t> {
    fn of(text: &'t [u8], style: Style) -> Self {
        let (lexer, problems) = (Lexer::new(text, style.lexer), Problems::new(&Arc::from("")));
        Tokens { text, lexer, may_say: style.may_say, problems, end: None }
    }

    fn are_sound(&self) -> bool {
        self.problems.count() == 0
    }

    fn next(&mut self) -> Token<'t> {
        let token = self.lexer.next_token(&mut self.problems);
        let end = self.end.replace(token.span.end);
        let gap = Span::new(end.unwrap_or_default(), token.span.start).range();
        let gap = self.text.get(gap).unwrap_or_default();
        // What stands in front of the first one and behind the last parts nothing.
        let is_apart = match end {
            Some(_) if token.kind != TokenKind::End => [!gap.is_empty(), gap.contains(&b'\n')],
            _ => [false; 2],
        };
        let said = (self.may_say)(gap).then_some(gap);
        Token { kind: token.kind, text: &self.text[token.span.range()], is_apart, said }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn are_same_texts(old: &str, new: &str) -> bool {
        are_same(old.as_bytes(), new.as_bytes(), Style::of(LexStyle::USUAL))
    }

    #[test]
    fn comments_and_blanks_say_nothing() {
        let old = "syntax = \"proto3\";\nmessage A { // one\n  int32 a = 1; /* x */ int32 b = 2;\n}\n";
        for new in [
            "// A licence.\nsyntax = \"proto3\";\nmessage A { // two\n\n  int32 a = 1;  int32 b = 2;\n}",
            "\u{feff}syntax = /* . */ \"proto3\";\r\n  message A {\n// /*\nint32 a\t= 1; int32 b = 2;\n} // \"",
            "syntax = \"proto3\";\nmessage A {\n  int32 a = 1; int32 b = 2;\n}\n\n\n/* \u{e9} */",
        ] {
            assert!(are_same_texts(old, new), "{new}");
            assert!(are_same_texts(new, old), "{new}");
        }
    }

    #[test]
    fn whatever_else_differs_says_something() {
        let old = "a = \"b // c\"; -1 d/e";
        for new in [
            "a = \"b // d\"; -1 d/e",
            "a = \"b /* */ c\"; -1 d/e",
            "a = 'b // c'; -1 d/e",
            "a = \"b // c\"; - 1 d/e",
            "a = \"b // c\"; -1 d / e",
            "a = \"b // c\"; -1 d//e",
            "a = \"b // c\";\n-1 d/e",
            "a = \"b // c\"; -1 d/e;",
            "a = \"b // c\"; -1 d/",
            "a = \"b // c\"; -1 d/e\u{0}",
            "a = \"b // c\"; -1 d/e // \u{0}",
            "a = \"b // c\"; -1 d/e /* ",
            "",
        ] {
            assert!(!are_same_texts(old, new), "{new}");
            assert!(!are_same_texts(new, old), "{new}");
        }
        assert!(!are_same(b"a // \xff", b"a", Style::of(LexStyle::USUAL)));
        // What was no token before is none now; nobody knows what a parser makes of it.
        assert!(!are_same_texts("a \" b", "a \" b"));
    }

    #[test]
    fn comments_of_json_are_left_as_they_are() {
        let same = |old: &str, new: &str| are_same(old.as_bytes(), new.as_bytes(), Style::JSON);
        let old = "{\"a b\": [1, -2.5e3, \"x\\n\"], \"c\": null}";
        assert!(same(old, "{\"a b\": [1,  -2.5e3, \"x\\n\"],\t \"c\": null}\n\n"));
        for new in [
            old.replace("a b", "a  b"),
            old.replace(", \"c", ", /* d */ \"c"),
            old.replace(", \"c", ",\u{c} \"c"),
            format!("{old} // e"),
            format!("// e\n{old}"),
            old.replace("1, ", "1,"),
        ] {
            assert!(!same(old, &new), "{new}");
        }
    }
}
