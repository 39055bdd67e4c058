//! What changed in the text of the schemas that findings speak of, short enough for a report.

use crate::change::Pair;
use crate::formats::text_part;
use crate::ordered::OrderedSet;
use crate::report::{FileDiff, Finding, Hunk, Location};
use crate::snapshot::Snapshot;
use crate::text::{Difference, Group};

/// Lines around a change.
const CONTEXT: usize = 3;
/// Lines of one file.
const LINES_OF_A_FILE: usize = 400;
/// Lines of all files together.
const LINES_IN_ALL: usize = 2_000;
/// Characters of one line; a schema may be one line of a megabyte.
const LINE_LENGTH: usize = 400;
/// So many of them stand before the first difference of two long lines.
const BEFORE: usize = crate::text::BEFORE_IN_LONG_LINE;
/// Files larger than this are named and not compared line by line.
const LARGEST_FILE: usize = 1 << 20;
/// Files beyond this are not even named; no report shows so many.
const MOST_FILES: usize = 500;

/// One diff for each file that a finding lies in, in the order of their paths.
pub(super) fn diffs(snapshots: Pair<&Snapshot>, findings: &[Finding]) -> Vec<FileDiff> {
    let mentioned = |finding: &Finding| [&finding.old, &finding.new].map(|place| place.as_ref().map(file_of));
    let files: OrderedSet<String> = findings.iter().flat_map(mentioned).flatten().collect();
    let mut left = LINES_IN_ALL;
    files.iter().take(MOST_FILES).filter_map(|file| diff(snapshots, file, &mut left)).collect()
}

fn file_of(place: &Location) -> String {
    place.file.clone()
}

/// The diff of one path; `None` where both sides are the same or neither is text.
fn diff(snapshots: Pair<&Snapshot>, path: &str, left: &mut usize) -> Option<FileDiff> {
    let file = |side: &Snapshot| side.get(path).map(|file| file.bytes.shared().clone());
    let bytes = Pair::new(file(snapshots.old), file(snapshots.new));
    if bytes.old == bytes.new {
        return None;
    }
    let name = |side: &Option<std::sync::Arc<[u8]>>| side.as_ref().map(|_| path.to_owned());
    let whole = |hunks, truncated| FileDiff { old: name(&bytes.old), new: name(&bytes.new), hunks, truncated };
    let size = |side: &Option<std::sync::Arc<[u8]>>| side.as_ref().map_or(0, |bytes| bytes.len());
    if *left == 0 || size(&bytes.old) > LARGEST_FILE || size(&bytes.new) > LARGEST_FILE {
        return Some(whole(Vec::new(), true));
    }
    // A data file is bytes, and only the schema inside is text.
    let is_text = |side: &Option<std::sync::Arc<[u8]>>| {
        side.as_ref().is_none_or(|bytes| text_part(path, bytes).is_none() && std::str::from_utf8(bytes).is_ok())
    };
    if !is_text(&bytes.old) || !is_text(&bytes.new) {
        return Some(whole(Vec::new(), true));
    }
    let text = |side: &Option<std::sync::Arc<[u8]>>| {
        side.as_ref().map_or_else(String::new, |bytes| String::from_utf8_lossy(bytes).into_owned())
    };
    let (before, after) = (text(&bytes.old), text(&bytes.new));
    let most = LINES_OF_A_FILE.min(*left);
    let (hunks, truncated) = hunks(&before, &after, most);
    *left -= hunks.iter().map(|hunk| hunk.lines.len()).sum::<usize>().min(*left);
    Some(whole(hunks, truncated))
}

/// The changed lines of two texts, at most `most` in all, and whether some were left out.
fn hunks(before: &str, after: &str, most: usize) -> (Vec<Hunk>, bool) {
    let difference = Difference::of(before, after);
    let mut found = Vec::new();
    let mut left = most;
    for group in difference.groups(CONTEXT) {
        let mut lines = Vec::new();
        for line in group.lines() {
            if lines.len() == left {
                found.extend(hunk(&group, cut(&lines)));
                return (found, true);
            }
            let text = line.text.trim_end_matches(['\n', '\r']);
            lines.push((line.mark, text));
        }
        left -= lines.len();
        found.extend(hunk(&group, cut(&lines)));
    }
    (found, false)
}

/// Lines with their marks, the long ones cut: a removed line and what took its place around their first difference.
fn cut(lines: &[(char, &str)]) -> Vec<String> {
    let mut from = vec![0; lines.len()];
    let is_long = |at: usize| lines[at].1.chars().nth(LINE_LENGTH).is_some();
    let mut start = 0;
    for run in lines.chunk_by(|(one, _), (next, _)| one == next || (*one == '-' && *next == '+')) {
        let gone = run.iter().take_while(|(mark, _)| *mark == '-').count();
        for (old, new) in (start..start + gone).zip(start + gone..start + run.len()) {
            let same = lines[old].1.chars().zip(lines[new].1.chars()).take_while(|(one, other)| one == other).count();
            if is_long(old) || is_long(new) {
                (from[old], from[new]) = (same.saturating_sub(BEFORE), same.saturating_sub(BEFORE));
            }
        }
        start += run.len();
    }
    let one = |((mark, text), from): (&(char, &str), usize)| {
        let rest: String = text.chars().skip(from).collect();
        let head = if from > 0 { "…" } else { "" };
        format!("{mark}{head}{}", crate::text::shorten(&rest, LINE_LENGTH))
    };
    lines.iter().zip(from).map(one).collect()
}

fn hunk(group: &Group<'_, '_>, lines: Vec<String>) -> Option<Hunk> {
    let number = |start: usize| u32::try_from(start + 1).unwrap_or(u32::MAX);
    (!lines.is_empty()).then(|| Hunk {
        old_line: number(group.old_lines().start),
        new_line: number(group.new_lines().start),
        lines,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_have_their_numbers_and_their_marks() {
        let before: String = (1..=20).map(|number| format!("line {number}\n")).collect();
        let after = before.replace("line 10\n", "line ten\nand a half\n");
        let (found, truncated) = hunks(&before, &after, 100);
        assert!(!truncated);
        assert_eq!((found[0].old_line, found[0].new_line), (7, 7));
        assert_eq!(found[0].lines[3..6], ["-line 10", "+line ten", "+and a half"]);
        assert_eq!(found[0].lines.len(), 9);
    }

    #[test]
    fn long_lines_are_cut_where_they_differ() {
        let before = format!("{}int32{}", "a".repeat(900), "b".repeat(900));
        let (found, _) = hunks(&before, &before.replace("int32", "int64"), 10);
        assert!(found[0].lines[0].starts_with("-…a") && found[0].lines[0].contains("int32"), "{found:?}");
        assert!(found[0].lines[1].starts_with("+…a") && found[0].lines[1].contains("int64"), "{found:?}");
    }

    #[test]
    fn what_is_left_out_is_said() {
        let before: String = (0..50).map(|number| format!("{number}\n")).collect();
        let (found, truncated) = hunks(&before, "", 10);
        assert!(truncated);
        assert_eq!(found[0].lines.len(), 10);
        assert_eq!(hunks("a\n", "a\n", 10), (Vec::new(), false));
    }
}
