//! In which notation a document is written.

use std::borrow::Cow;
use std::sync::Arc;

use memchr::memchr_iter;

use super::yaml;
use crate::syntax::json::{self, Json};
use crate::syntax::problem::Problem;

/// The notations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Notation {
    /// JSON (RFC 8259).
    Json,
    /// YAML, as far as JSON could say the same.
    Yaml,
}

impl Notation {
    /// By the ending of a name.
    pub(super) fn of_path(path: &str) -> Option<Notation> {
        let (_, end) = path.rsplit_once('.')?;
        match end {
            "json" => Some(Notation::Json),
            "yaml" | "yml" => Some(Notation::Yaml),
            _ => None,
        }
    }

    /// Reads a document.
    pub(super) fn read<'b>(self, path: &Arc<str>, bytes: &'b [u8]) -> (Option<Json<'b>>, Vec<Problem>) {
        match self {
            Notation::Json => json::parse(path, bytes),
            Notation::Yaml => yaml::parse(path, bytes),
        }
    }
}

/// A text in either notation in which no character of ASCII is escaped, and perhaps others are not either that look so: for a
/// look at a text before anybody reads it.
pub(super) fn unescaped(text: &[u8]) -> Cow<'_, [u8]> {
    let mut plain = Vec::new();
    let mut kept = 0;
    for at in memchr_iter(b'\\', text) {
        if at < kept {
            continue;
        }
        let (digits, byte) = match text.get(at + 1) {
            Some(b'u') => (4, escaped(text, at + 2, 4)),
            Some(b'U') => (8, escaped(text, at + 2, 8)),
            Some(b'x') => (2, escaped(text, at + 2, 2)),
            Some(b'/') => (0, Some(b'/')),
            _ => continue,
        };
        if let Some(byte) = byte {
            plain.extend_from_slice(&text[kept..at]);
            plain.push(byte);
            kept = at + 2 + digits;
        }
    }
    if kept == 0 {
        return Cow::Borrowed(text);
    }
    plain.extend_from_slice(&text[kept..]);
    Cow::Owned(plain)
}

/// The character of ASCII that so many digits say.
fn escaped(text: &[u8], from: usize, digits: usize) -> Option<u8> {
    let digits = std::str::from_utf8(text.get(from..from + digits)?).ok()?;
    let number = u32::from_str_radix(digits, 16).ok()?;
    u8::try_from(number).ok().filter(u8::is_ascii_graphic)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_of_ascii_are_seen_however_they_are_escaped() {
        for (text, plain) in [
            (r#"{"\u0024re\u0066": "a\/b\u002Einc"}"#, r#"{"$ref": "a/b.inc"}"#),
            (r#""\x24ref": "\U00000061""#, r#""$ref": "a""#),
            (r"\u00e4 \u20 \n \", r"\u00e4 \u20 \n \"),
        ] {
            assert_eq!(unescaped(text.as_bytes()), plain.as_bytes(), "{text}");
        }
    }

    #[test]
    fn the_address_of_a_dialect_is_seen_with_its_slashes_escaped() {
        let text = br#"{"$schema": "http:\/\/json-schema.org\/draft-07\/schema#", "type": "object"}"#;
        assert!(super::super::SPEC.more_are_schemas.is_some_and(|is_said| is_said(text)));
    }
}
