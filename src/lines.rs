//! Bytes → lines and columns, as editors and GitHub count them: from 1, columns in UTF-16 units.

use std::ops::Range;

use unicode_width::UnicodeWidthStr;

use crate::change::Span;

/// Where the lines of a text start.
#[derive(Debug, Clone)]
pub struct Lines<'a> {
    bytes: &'a [u8],
    starts: Vec<usize>,
    /// Places in long lines with their columns, so that nobody counts from the start of a file that is one line.
    marks: Vec<Mark>,
    /// Where the text begins; it ends with the bytes.
    first: usize,
}

/// An offset, and what lies before it in its line: UTF-16 units, and the width that terminals show.
#[derive(Debug, Clone, Copy, Default)]
struct Mark {
    at: usize,
    units: usize,
    width: usize,
}

/// A line and a column, both from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The line.
    pub line: u32,
    /// The column, in UTF-16 units.
    pub column: u32,
}

/// Longer lines are cut in excerpts: nobody reads them, and a generated file may have but one.
const LONGEST_LINE: usize = 1000;

/// So many bytes of a long line are shown from a place on that would be cut off.
const AROUND: usize = 200;

/// Bytes of the longest character.
const LONGEST_CHARACTER: usize = 4;

/// How far marks are apart in a line, at least.
const MARK: usize = 512;

/// How far tabs are apart where they count as more than one column.
const TAB: usize = 4;

const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

impl<'a> Lines<'a> {
    /// Finds the lines of a file as it was read.
    pub fn of(bytes: &'a [u8]) -> Self {
        let first = if bytes.starts_with(BYTE_ORDER_MARK) { BYTE_ORDER_MARK.len() } else { 0 };
        let ends = memchr::memchr_iter(b'\n', bytes);
        let starts: Vec<usize> = std::iter::once(first).chain(ends.map(|at| at + 1)).collect();
        Lines { bytes, marks: marks(bytes, &starts), starts, first: 0 }
    }

    /// Finds the lines of a part of a file; the rest of it has none.
    pub fn of_part(bytes: &'a [u8], part: Span) -> Self {
        let Range { start, end } = part.range();
        let end = end.min(bytes.len());
        let start = start.min(end);
        let inside = memchr::memchr_iter(b'\n', &bytes[start..end]);
        let starts: Vec<usize> = std::iter::once(start).chain(inside.map(|at| start + at + 1)).collect();
        Lines { bytes: &bytes[..end], marks: marks(&bytes[..end], &starts), starts, first: start }
    }

    /// Whether a place lies in the text.
    pub fn hold(&self, span: Span) -> bool {
        let Range { start, end } = span.range();
        self.first <= start && (end <= self.bytes.len() || self.first == 0)
    }

    /// The line and column of an offset; an offset past the end is at the end.
    pub fn place(&self, offset: u32) -> Place {
        let offset = (offset as usize).min(self.bytes.len());
        let index = self.index(offset);
        Place { line: count(index), column: count(self.mark(index, offset).units) }
    }

    /// The line and column of an offset as compilers count them that count what terminals show: a tab leads to the next
    /// multiple of four, wide characters take two columns, combining ones none.
    pub fn shown_place(&self, offset: u32) -> Place {
        let offset = (offset as usize).min(self.bytes.len());
        let index = self.index(offset);
        Place { line: count(index), column: count(self.mark(index, offset).width) }
    }

    /// An offset in a line, counted from the last mark before it.
    fn mark(&self, line: usize, offset: usize) -> Mark {
        let start = Mark { at: self.starts[line], ..Mark::default() };
        let before = self.marks.partition_point(|mark| mark.at <= offset).checked_sub(1).map(|index| self.marks[index]);
        before.filter(|mark| mark.at > start.at).unwrap_or(start).up_to(self.bytes, offset)
    }

    /// The places of both ends of a span.
    pub fn ends(&self, span: Span) -> (Place, Place) {
        (self.place(span.start), self.place(span.end))
    }

    /// The text of some lines, at most `most` of them, without the last line's end.
    pub fn text(&self, first: u32, last: u32, most: usize) -> String {
        let lines: Vec<String> = (first..=last).take(most).filter_map(|line| self.line(line)).collect();
        lines.join("\n")
    }

    /// What is around a place that an excerpt of its line would not reach: a `…`, so many characters, and what is meant.
    /// `None` where the excerpt reaches it.
    pub fn around(&self, span: Span, before: usize) -> Option<String> {
        let Range { start, end } = span.range();
        let line = *self.starts.get(self.index(start))?;
        if start + end.saturating_sub(start).min(AROUND / 2) <= line + LONGEST_LINE {
            return None;
        }
        let until = self.bytes.len().min(start.saturating_add(AROUND));
        let ends = memchr::memchr(b'\n', self.bytes.get(start..until)?).map_or(until, |at| start + at);
        // So many characters and the rest of one before them: nobody reads a line that is a whole file for each of its places.
        let near = line.max(start.saturating_sub(LONGEST_CHARACTER * (before + 1)));
        let head = String::from_utf8_lossy(self.bytes.get(near..start)?);
        let from = head.char_indices().rev().nth(before.checked_sub(1)?)?.0;
        let part = String::from_utf8_lossy(self.bytes.get(start..ends)?);
        Some(format!("…{}{}", &head[from..], part.trim_end_matches(['\r', '\u{fffd}'])))
    }

    fn line(&self, line: u32) -> Option<String> {
        let index = (line as usize).checked_sub(1)?;
        let start = *self.starts.get(index)?;
        let end = self.starts.get(index + 1).map_or(self.bytes.len(), |next| next - 1);
        let bytes = self.bytes.get(start..end)?;
        let bytes = bytes.strip_suffix(b"\r").unwrap_or(bytes);
        let shown = bytes.get(..LONGEST_LINE).unwrap_or(bytes);
        Some(String::from_utf8_lossy(shown).into_owned())
    }

    /// Which line holds an offset, from 0.
    fn index(&self, offset: usize) -> usize {
        self.starts.partition_point(|start| *start <= offset).saturating_sub(1)
    }
}

impl Mark {
    /// A later place in the same line.
    fn up_to(self, bytes: &[u8], at: usize) -> Mark {
        let between = String::from_utf8_lossy(bytes.get(self.at..at).unwrap_or_default());
        let units: usize = between.chars().map(char::len_utf16).sum();
        let mut width = self.width;
        for (number, part) in between.split('\t').enumerate() {
            let start = if number == 0 { width } else { (width / TAB + 1) * TAB };
            width = start + part.width();
        }
        Mark { at, units: self.units + units, width }
    }
}

/// The marks of long lines. Each lies before an ASCII character: no character and nothing that is shown as one is cut.
fn marks(bytes: &[u8], starts: &[usize]) -> Vec<Mark> {
    let ends = starts.iter().skip(1).copied().chain([bytes.len()]);
    let mut marks = Vec::new();
    for (start, end) in starts.iter().copied().zip(ends).filter(|(start, end)| end - start > MARK) {
        let mut last = Mark { at: start, ..Mark::default() };
        while let Some(next) = (last.at + MARK..end).find(|at| bytes[*at].is_ascii()) {
            last = last.up_to(bytes, next);
            marks.push(last);
        }
    }
    marks
}

/// One more than a number from 0. Files are shorter than four gigabytes, as spans are.
fn count(from_zero: usize) -> u32 {
    u32::try_from(from_zero).unwrap_or(u32::MAX).saturating_add(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_utf16_units_and_no_byte_order_mark() {
        let text = "\u{FEFF}a\r\nb\u{1F600}c\n";
        let lines = Lines::of(text.as_bytes());
        let at = |what: &str| lines.place(text.find(what).expect("it is there") as u32);
        assert_eq!(at("a"), Place { line: 1, column: 1 });
        assert_eq!(at("c"), Place { line: 2, column: 4 });
        assert_eq!(lines.place(text.len() as u32), Place { line: 3, column: 1 });
        assert_eq!(lines.place(u32::MAX), Place { line: 3, column: 1 });
        assert_eq!(lines.place(0), Place { line: 1, column: 1 });
        assert_eq!(lines.text(1, 2, 6), "a\nb\u{1F600}c");
        assert_eq!(lines.text(1, 9, 1), "a");
    }

    #[test]
    fn shown_columns_count_tabs_to_four_and_wide_characters_as_two() {
        let text = "\tint x;\n\u{65e5}\u{672c} a\tb e\u{301}c\n \tz";
        let lines = Lines::of(text.as_bytes());
        let column = |what: &str| lines.shown_place(text.find(what).expect("it is there") as u32).column;
        assert_eq!([column("int"), column("a\t"), column("b e"), column("c\n"), column("z")], [5, 6, 9, 12, 5]);
    }

    #[test]
    fn lines_of_a_part_are_counted_from_its_start() {
        let bytes = b"\x00\n\xff{\n  1\n}\n\x00\n";
        let lines = Lines::of_part(bytes, Span::new(3, 10));
        assert_eq!(lines.place(3), Place { line: 1, column: 1 });
        assert_eq!(lines.place(7), Place { line: 2, column: 3 });
        assert_eq!(lines.place(0), Place { line: 1, column: 1 });
        assert_eq!(lines.place(99), Place { line: 3, column: 2 });
        assert_eq!(lines.text(1, 9, 9), "{\n  1\n}");
        assert!(lines.hold(Span::new(3, 10)) && !lines.hold(Span::new(2, 4)) && !lines.hold(Span::new(9, 11)));
        assert_eq!(Lines::of_part(bytes, Span::default()).text(1, 9, 9), "");
        assert_eq!(Lines::of_part(b"", Span::new(5, 7)).place(6), Place { line: 1, column: 1 });
    }

    #[test]
    fn columns_of_long_lines_are_those_of_short_ones() {
        let piece = "a\t\u{65e5}\u{1F600}\u{e9}e\u{301}1\u{fe0f}\u{20e3} \u{1F468}\u{200D}\u{1F469} ";
        let text = [piece.as_bytes(), b"\xff\xf0\x9f\xe6\x97 \x80"].concat().repeat(60);
        let bytes = [&text[..], b"\n", &text, b"\r\n"].concat();
        let lines = Lines::of(&bytes);
        assert!(lines.marks.len() > 4);
        let plain = Lines { marks: Vec::new(), ..lines.clone() };
        for offset in 0..=bytes.len() as u32 {
            assert_eq!(lines.place(offset), plain.place(offset));
            assert_eq!(lines.shown_place(offset), plain.shown_place(offset));
        }
    }

    #[test]
    fn bytes_that_are_no_text_are_counted_too() {
        let lines = Lines::of(b"\xff\xfe x");
        assert_eq!(lines.place(3), Place { line: 1, column: 4 });
        assert_eq!(Lines::of(b"").place(0), Place { line: 1, column: 1 });
    }
}
