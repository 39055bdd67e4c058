//! Text of a schema as text of HTML, and nothing more.

use crate::text::{self, Piece};

/// Characters of a text.
pub(super) const LONGEST: usize = 1_200;

/// Text on one line, harmless, as text of HTML or as the value of an attribute in quotes.
pub(crate) fn escape(words: &str) -> String {
    entities(&text::visible(words))
}

pub(super) fn entities(words: &str) -> String {
    let mut out = String::with_capacity(words.len() + words.len() / 8);
    for c in words.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
    }
    out
}

/// An identifier, at most `most` characters.
pub(super) fn code(words: &str, most: usize) -> String {
    // Cut twice: a name of a megabyte must not be escaped whole.
    let shown = text::elide(words, most);
    format!("<code>{}</code>", entities(&text::elide(&text::visible(&shown), most)))
}

/// Prose of a rule, with code between backticks.
pub(super) fn prose(words: &str) -> String {
    let shown = text::elide(words.trim(), LONGEST).split(['\n', '\r']).map(str::trim).collect::<Vec<_>>().join(" ");
    let mut out = String::new();
    for piece in text::pieces(&shown) {
        match piece {
            Piece::Words(words) => out.push_str(&escape(words)),
            Piece::Code(inside) => out.push_str(&code(inside, LONGEST)),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prose_keeps_code_and_nothing_else() {
        assert_eq!(prose("`a<b>` is\nnew & `odd"), "<code>a&lt;b&gt;</code> is new &amp; `odd");
        assert_eq!(prose("``a`b`` is"), "<code>a`b</code> is");
        assert_eq!(escape("\"'\u{202e}"), "&quot;&#39;\\u{202e}");
    }
}
