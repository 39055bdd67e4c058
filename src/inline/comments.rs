//! Where comments stand in a text, so that a line of nothing else is told from one that only ends in one.

use std::ops::Range;

use memchr::{memchr, memchr2, memmem};

/// The comments of a text, in their order.
#[derive(Debug)]
pub(super) struct Comments {
    ranges: Vec<Range<usize>>,
}

/// How a language writes comments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Style {
    /// `//`, `/* */` and `#`; a carriage return alone ends a line where the flag says so.
    Slashes { ends_at_return: bool },
    /// `#`, and texts between double quotes.
    Hash,
    /// Lines that begin with `#`: quotes say little.
    Lines,
}

impl Comments {
    /// Finds them; the name of the file says in which language it is.
    pub(super) fn of(path: &str, bytes: &[u8]) -> Self {
        let style = match path.rsplit_once('.').map_or("", |(_, ending)| ending) {
            "capnp" => Style::Hash,
            "yaml" | "yml" => Style::Lines,
            "fbs" | "avdl" => Style::Slashes { ends_at_return: true },
            _ => Style::Slashes { ends_at_return: false },
        };
        let mut ranges = Vec::new();
        let mut at = 0;
        while let Some(&byte) = bytes.get(at) {
            let end = match (byte, bytes.get(at + 1)) {
                (b'"', _) if style != Style::Lines => {
                    at = end_of_text(bytes, at);
                    continue;
                }
                (b'\'', _) if matches!(style, Style::Slashes { .. }) => {
                    at = end_of_text(bytes, at);
                    continue;
                }
                (b'#', _) if style != Style::Lines || starts_line(bytes, at) => end_of_line(bytes, at, style),
                (b'/', Some(b'/')) if matches!(style, Style::Slashes { .. }) => end_of_line(bytes, at, style),
                (b'/', Some(b'*')) if matches!(style, Style::Slashes { .. }) => {
                    memmem::find(&bytes[at + 2..], b"*/").map_or(bytes.len(), |length| at + 4 + length)
                }
                _ => {
                    at += 1;
                    continue;
                }
            };
            ranges.push(at..end);
            at = end;
        }
        Comments { ranges }
    }

    /// Whether comments stand in a part of the text, and blanks, and nothing else.
    pub(super) fn fill(&self, bytes: &[u8], part: Range<usize>) -> bool {
        let mut at = part.start;
        let mut has_any = false;
        loop {
            at += bytes
                .get(at..part.end)
                .unwrap_or_default()
                .iter()
                .take_while(|byte| byte.is_ascii_whitespace())
                .count();
            if at >= part.end {
                return has_any;
            }
            let ended = self.ranges.partition_point(|range| range.end <= at);
            let Some(range) = self.ranges.get(ended).filter(|range| range.contains(&at)) else { return false };
            (at, has_any) = (range.end, true);
        }
    }
}

/// Behind the text that the quote here begins; none goes on in the next line.
fn end_of_text(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'\\' => at += 2,
            b'\n' => return at,
            byte if byte == bytes[start] => return at + 1,
            _ => at += 1,
        }
    }
    bytes.len()
}

fn end_of_line(bytes: &[u8], at: usize, style: Style) -> usize {
    let rest = &bytes[at..];
    let length = match style {
        Style::Slashes { ends_at_return: true } => memchr2(b'\n', b'\r', rest),
        Style::Slashes { ends_at_return: false } | Style::Hash | Style::Lines => memchr(b'\n', rest),
    };
    length.map_or(bytes.len(), |length| at + length)
}

fn starts_line(bytes: &[u8], at: usize) -> bool {
    bytes[..at].iter().rev().take_while(|byte| **byte != b'\n').all(u8::is_ascii_whitespace)
}
