//! The line of a place as every form shows it: what changed stands in it, however long the line is and over however many
//! lines the element is spread.

use std::ops::Range;

use super::{Finding, Location};
use crate::text;

/// The first line of a place, and the bytes of it that are meant; `None` where the report holds another part of the line.
pub(crate) fn meant(at: &Location) -> Option<(&str, Range<usize>)> {
    let line = at.text.lines().next().unwrap_or_default();
    let units: usize = line.chars().map(char::len_utf16).sum();
    let column = at.column as usize;
    let start = match column <= units + 1 {
        true => byte_of(line, column),
        // Of a long line the report holds what is around the place.
        false if line.starts_with('…') => line.char_indices().nth(text::BEFORE_IN_LONG_LINE + 1)?.0,
        false => return None,
    };
    let end = match at.end_line == at.line {
        true => start + byte_of(&line[start..], at.end_column.saturating_sub(at.column).saturating_add(1) as usize),
        false => line.trim_end().len(),
    };
    Some((line, start..end.max(start)))
}

/// The byte of a column counted in UTF-16 units from 1; the end of the line at most.
fn byte_of(line: &str, column: usize) -> usize {
    let mut units = 1;
    for (at, c) in line.char_indices() {
        if units >= column {
            return at;
        }
        units += c.len_utf16();
    }
    line.len()
}

/// About `most` characters of a line around what is meant in it, and where that is in them.
pub(crate) fn around(line: &str, meant: Range<usize>, most: usize) -> (String, Range<usize>) {
    if line.chars().nth(most).is_none() {
        return (line.to_owned(), meant);
    }
    let before = line[..meant.start].char_indices().rev().nth(text::BEFORE_IN_LONG_LINE - 1);
    let from = before.map_or(0, |(at, _)| at);
    let to = line[from..].char_indices().nth(most).map_or(line.len(), |(at, _)| from + at);
    let (head, tail) = (if from > 0 { "…" } else { "" }, if to < line.len() { "…" } else { "" });
    let moved = |at: usize| at.min(to) - from + head.len();
    (format!("{head}{}{tail}", &line[from..to]), moved(meant.start)..moved(meant.end))
}

/// The line of a place in about `most` characters. An element whose name stands in a later line is put on one.
pub(crate) fn one_line(finding: &Finding, at: &Location, most: usize) -> String {
    let name = finding.path.rsplit(['.', '/', '#']).next().unwrap_or_default();
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    let holds = |line: &str| line.split(|c| !is_name(c)).any(|word| word == name);
    let lines: Vec<&str> = at.text.lines().collect();
    // A declaration is known by its first line, whatever it is called.
    let is_heading = |line: &str| line.trim_end().ends_with('{') && line.contains(is_name);
    if lines.len() > 1 && !holds(lines[0]) && !is_heading(lines[0]) {
        let rest = if at.end_line.saturating_sub(at.line) as usize >= lines.len() { " …" } else { "" };
        let words: Vec<&str> = lines.iter().map(|line| line.trim()).filter(|line| !line.is_empty()).collect();
        return text::elide(&format!("{}{rest}", words.join(" ")), most).into_owned();
    }
    match meant(at) {
        Some((line, meant)) => around(line, meant, most).0.trim().to_owned(),
        None => text::elide(lines.first().map_or("", |line| line.trim()), most).into_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(column: u32, end_column: u32, text: &str) -> Location {
        Location { file: "a".to_owned(), line: 1, column, end_line: 1, end_column, text: text.to_owned() }
    }

    #[test]
    fn of_a_long_line_what_is_meant_is_shown() {
        let line = format!("{}int64 x = 1;{}", "a".repeat(500), "b".repeat(500));
        let place = at(501, 506, &line);
        let (whole, range) = meant(&place).expect("the line is there");
        assert_eq!(&whole[range.clone()], "int64");
        let (shown, range) = around(whole, range, 100);
        assert_eq!(&shown[range], "int64");
        assert!(shown.starts_with('…') && shown.ends_with('…') && shown.chars().count() == 102, "{shown}");
    }

    #[test]
    fn a_line_of_which_the_report_holds_a_part_has_its_place() {
        let text = format!("…{}int64 x", "ä".repeat(text::BEFORE_IN_LONG_LINE));
        let place = at(5001, 5006, &text);
        let (line, range) = meant(&place).expect("the part holds it");
        assert_eq!(&line[range], "int64");
        assert_eq!(meant(&at(5001, 5006, "int32 a")), None);
    }
}
