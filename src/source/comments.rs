//! What stands in the comments of a text and what does not, without a parser: texts are looked for that may be no schemas.

use memchr::{memchr, memmem};

use crate::formats::Format;

/// How a language writes comments and texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Notation {
    /// `// line` and `/* block */`.
    slashes: bool,
    hash: Hash,
    /// `<!-- block -->`.
    markup: bool,
    /// What texts stand between, with `\\` before what does not end them.
    quotes: &'static [u8],
    /// Whether a text between single quotes has nothing that does not end it, as in YAML.
    is_plain: bool,
}

/// Where `#` begins a comment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Hash {
    Nowhere,
    BehindBlanks,
    Everywhere,
}

impl Notation {
    /// The comments of most languages, a licence above all, in a text of whatever language.
    pub(super) const ANY: Notation =
        Notation { slashes: true, hash: Hash::BehindBlanks, markup: true, quotes: b"\"", is_plain: false };

    /// That of a file of a language.
    pub(super) fn of(format: Format, path: &str) -> Notation {
        let plain = Notation { slashes: false, hash: Hash::Nowhere, markup: false, quotes: b"\"", is_plain: false };
        let slashes = Notation { slashes: true, ..plain };
        match format {
            Format::Protobuf | Format::Flatbuffers => Notation { quotes: b"\"'", ..slashes },
            Format::Thrift => Notation { hash: Hash::Everywhere, quotes: b"\"'", ..slashes },
            Format::Capnp => Notation { hash: Hash::Everywhere, ..plain },
            Format::JsonSchema if !path.ends_with("json") => {
                Notation { hash: Hash::BehindBlanks, quotes: b"\"'", is_plain: true, ..plain }
            }
            Format::JsonSchema => plain,
            // Not in JSON, where none of them stands outside of a text.
            Format::Avro => slashes,
        }
    }

    /// A text without what stands in comments.
    pub(super) fn uncommented(self, text: &[u8]) -> Vec<u8> {
        let mut left = Vec::with_capacity(text.len());
        let mut rest = text;
        let behind = |rest: &[u8], end: &[u8]| memmem::find(rest, end).map_or(rest.len(), |at| at + end.len());
        let line = |rest: &[u8]| memchr(b'\n', rest).unwrap_or(rest.len());
        let is_first = self.first();
        loop {
            let plain = rest.iter().position(|byte| is_first[usize::from(*byte)]).unwrap_or(rest.len());
            left.extend_from_slice(&rest[..plain]);
            rest = &rest[plain..];
            let is_comment = || match self.hash {
                Hash::Nowhere => false,
                Hash::BehindBlanks => left.last().is_none_or(u8::is_ascii_whitespace),
                Hash::Everywhere => true,
            };
            let over = match rest {
                [] => return left,
                [b'/', b'*', inside @ ..] if self.slashes => 2 + behind(inside, b"*/"),
                [b'<', b'!', b'-', b'-', inside @ ..] if self.markup => 4 + behind(inside, b"-->"),
                [b'/', b'/', ..] if self.slashes => line(rest),
                [b'#', ..] if is_comment() => line(rest),
                [quote, inside @ ..] if self.quotes.contains(quote) => {
                    let end = 1 + self.length(*quote, inside);
                    left.extend_from_slice(&rest[..end]);
                    rest = &rest[end..];
                    continue;
                }
                [byte, behind @ ..] => {
                    left.push(*byte);
                    rest = behind;
                    continue;
                }
            };
            left.push(b' ');
            rest = &rest[over..];
        }
    }

    /// The bytes with which a comment or a text may begin.
    fn first(self) -> [bool; 256] {
        let mut first = [false; 256];
        for (byte, is_first) in [(b'/', self.slashes), (b'#', self.hash != Hash::Nowhere), (b'<', self.markup)] {
            first[usize::from(byte)] = is_first;
        }
        self.quotes.iter().for_each(|quote| first[usize::from(*quote)] = true);
        first
    }

    /// How long the rest of a text is behind its first quote, with the last one. A text ends on its line.
    fn length(self, quote: u8, inside: &[u8]) -> usize {
        let is_plain = self.is_plain && quote == b'\'';
        let mut at = 0;
        while let Some(byte) = inside.get(at).copied() {
            at += match byte {
                b'\\' if !is_plain && inside.get(at + 1).is_some_and(|next| *next != b'\n') => 2,
                b'\n' => return at + 1,
                _ if byte == quote => return at + 1,
                _ => 1,
            };
        }
        inside.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_in_texts_of_a_language_begins_no_comment() {
        for (format, path, text, expected) in [
            (Format::Protobuf, "a.proto", "a = '/*'; b /* c */ d // e", "a = '/*'; b   d  "),
            (Format::Protobuf, "a.proto", r#"a = "\"/*"; b = '\'//'; c"#, r#"a = "\"/*"; b = '\'//'; c"#),
            (Format::Protobuf, "a.proto", "a = '\nb /* c */ d", "a = '\nb   d"),
            (Format::Flatbuffers, "a.fbs", "a:string = '//'; // b", "a:string = '//';  "),
            (Format::Thrift, "a.thrift", "a = '#'#b\nc = \"'\" // d", "a = '#' \nc = \"'\"  "),
            (Format::Capnp, "a.capnp", "a = \"#\";# it's\nb /* c", "a = \"#\"; \nb /* c"),
            (Format::Avro, "a.avdl", "a don't /* c */ b", "a don't   b"),
            (Format::JsonSchema, "a.json", "{\"a\": \"\\\"//\"} // b", "{\"a\": \"\\\"//\"} // b"),
            (Format::JsonSchema, "a.yaml", "a: 'b\\' # c\nd: /* e#f", "a: 'b\\'  \nd: /* e#f"),
        ] {
            let left = Notation::of(format, path).uncommented(text.as_bytes());
            assert_eq!(String::from_utf8_lossy(&left), expected, "{format:?} {text:?}");
        }
    }

    #[test]
    fn a_line_without_end_is_gone_through_once() {
        let text = "a \"b\" c/d ".repeat(1 << 19);
        assert_eq!(Notation::ANY.uncommented(text.as_bytes()).len(), text.len());
    }
}
