//! A text skimmed: what stands outside of braces, without understanding any of it.
//!
//! Languages with braces say outside of them what a file imports and which types it declares. Of most texts that is all that
//! anybody wants to know, and finding it costs a fraction of what parsing costs.

use memchr::{memchr, memchr3, memmem};

/// Something outside of braces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Piece<'a> {
    /// ASCII letters, digits and underscores.
    Word(&'a [u8]),
    /// What stands between two quotes, as it is written.
    Text(&'a [u8]),
    /// Any other character.
    Sign(u8),
    /// What stands between an opening brace and the one that closes it.
    Braces(&'a [u8]),
}

/// The pieces of a text, one after the other. Where it is odd they end, and [`Skim::is_odd`] says so.
#[derive(Debug, Clone)]
pub(crate) struct Skim<'a> {
    text: &'a [u8],
    at: usize,
    is_odd: bool,
}

/// What may begin or end braces, a comment or a text inside of braces.
const fn is_of_interest(byte: u8) -> bool {
    matches!(byte, b'{' | b'}' | b'"' | b'\'' | b'/')
}

const OF_INTEREST: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        table[byte] = is_of_interest(byte as u8);
        byte += 1;
    }
    table
};

fn is_of_word(byte: &u8) -> bool {
    byte.is_ascii_alphanumeric() || *byte == b'_'
}

impl<'a> Skim<'a> {
    /// The pieces of a text in which `//` and `/*` begin comments.
    pub(crate) fn of(text: &'a [u8]) -> Self {
        Skim { text, at: 0, is_odd: false }
    }

    /// Whether braces, a text or a comment had no end, or an end no beginning: then something may have been missed.
    pub(crate) fn is_odd(&self) -> bool {
        self.is_odd
    }

    /// How many bytes were looked at.
    pub(crate) fn position(&self) -> usize {
        self.at
    }

    fn give_up<T>(&mut self) -> Option<T> {
        self.is_odd = true;
        self.at = self.text.len();
        None
    }

    /// Steps over a comment, where one begins here.
    fn comment(&mut self) -> Option<bool> {
        let rest = &self.text[self.at..];
        match rest {
            [b'/', b'*', inside @ ..] => match memmem::find(inside, b"*/") {
                Some(end) => self.at += end + 4,
                None => return self.give_up(),
            },
            [b'/', b'/', ..] => self.at += memchr(b'\n', rest).unwrap_or(rest.len()),
            _ => return Some(false),
        }
        Some(true)
    }

    /// What stands between the quote here and the next one of its kind.
    fn text(&mut self) -> Option<&'a [u8]> {
        let quote = self.text[self.at];
        let start = self.at + 1;
        let mut at = start;
        loop {
            let Some(found) = memchr3(quote, b'\\', b'\n', &self.text[at..]) else { return self.give_up() };
            at += found;
            match self.text[at] {
                b'\\' => at += 2,
                b'\n' => return self.give_up(),
                _ => break,
            }
            if at >= self.text.len() {
                return self.give_up();
            }
        }
        self.at = at + 1;
        Some(&self.text[start..at])
    }

    /// What stands between the brace here and the one that closes it.
    fn braces(&mut self) -> Option<&'a [u8]> {
        let start = self.at + 1;
        let mut open = 0usize;
        while let Some(found) = self.text[self.at..].iter().position(|byte| OF_INTEREST[usize::from(*byte)]) {
            self.at += found;
            let byte = self.text[self.at];
            match byte {
                b'{' => open += 1,
                b'}' if open == 1 => {
                    self.at += 1;
                    return Some(&self.text[start..self.at - 1]);
                }
                b'}' => open -= 1,
                b'"' | b'\'' => {
                    self.text()?;
                    continue;
                }
                _ if self.comment()? => continue,
                _ => {}
            }
            self.at += 1;
        }
        self.give_up()
    }
}

/// The parts of a text that are no comments, texts among them; all of it where a comment or a text has no end.
pub(crate) fn between_comments(text: &[u8]) -> Vec<&[u8]> {
    let (mut skim, mut parts, mut start) = (Skim::of(text), Vec::new(), 0);
    while let Some(found) = text.get(skim.at..).and_then(|rest| memchr3(b'"', b'\'', b'/', rest)) {
        skim.at += found;
        let here = skim.at;
        let is_comment = match text[here] {
            b'/' => skim.comment(),
            _ => skim.text().map(|_| false),
        };
        match is_comment {
            Some(true) => {
                parts.push(&text[start..here]);
                start = skim.at;
            }
            Some(false) => skim.at = skim.at.max(here + 1),
            None => return vec![text],
        }
    }
    parts.push(text.get(start..).unwrap_or_default());
    parts
}

impl<'a> Iterator for Skim<'a> {
    type Item = Piece<'a>;

    fn next(&mut self) -> Option<Piece<'a>> {
        loop {
            let byte = *self.text.get(self.at)?;
            match byte {
                b'{' => return self.braces().map(Piece::Braces),
                b'}' => return self.give_up(),
                b'"' | b'\'' => return self.text().map(Piece::Text),
                byte if byte.is_ascii_whitespace() => self.at += 1,
                b'/' if self.comment()? => {}
                byte if is_of_word(&byte) => {
                    let rest = &self.text[self.at..];
                    let end = rest.iter().position(|byte| !is_of_word(byte)).unwrap_or(rest.len());
                    self.at += end;
                    return Some(Piece::Word(&rest[..end]));
                }
                byte => {
                    self.at += 1;
                    return Some(Piece::Sign(byte));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pieces(text: &str) -> (Vec<String>, bool) {
        let mut skim = Skim::of(text.as_bytes());
        let shown = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let pieces = skim.by_ref().map(|piece| match piece {
            Piece::Word(word) => shown(word),
            Piece::Text(text) => format!("'{}'", shown(text)),
            Piece::Sign(sign) => char::from(sign).to_string(),
            Piece::Braces(inside) => format!("{{{}}}", shown(inside)),
        });
        let pieces = pieces.collect();
        (pieces, skim.is_odd())
    }

    #[test]
    fn what_stands_outside_of_braces_is_seen() {
        let (found, is_odd) =
            pieces("import /* a { */ \"x/y.proto\"; // }\nmessage A { string b = 1; /* } */ A { } \"}\" }");
        let inside = "{ string b = 1; /* } */ A { } \"}\" }";
        assert_eq!(found, ["import", "'x/y.proto'", ";", "message", "A", inside]);
        assert!(!is_odd);
    }

    #[test]
    fn comments_are_left_out_and_what_looks_like_one_is_not() {
        let between = |text: &str| {
            let parts = between_comments(text.as_bytes());
            parts.into_iter().map(|part| String::from_utf8_lossy(part).into_owned()).collect::<Vec<_>>()
        };
        assert_eq!(between("a // b\nc /* d\n' */ e"), ["a ", "\nc ", " e"]);
        assert_eq!(between("\"//\" a / b '/*' c//"), ["\"//\" a / b '/*' c", ""]);
        assert_eq!(between("'\\'//' a"), ["'\\'//' a"]);
        assert_eq!(between("x/"), ["x/"]);
        for odd in ["a // b\n'", "/* a", "// a\n\"b\nc\""] {
            assert_eq!(between(odd), [odd]);
        }
    }

    #[test]
    fn an_odd_text_says_so() {
        for text in ["message A {", "}", "a \"b", "a \"b\n\"", "/* a", "a { \" }", "'\\", "a { /* }"] {
            assert!(pieces(text).1, "{text}");
        }
        // What is no letter of any word parts words, such as a mark at the beginning and spaces that are none.
        assert_eq!(pieces("\u{feff}import \u{a0}import").0.iter().filter(|piece| *piece == "import").count(), 2);
        for text in ["", "a // b", "a / b", "'\\''", "\"//\" {'{'}"] {
            assert!(!pieces(text).1, "{text}");
        }
    }
}
