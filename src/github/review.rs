//! Remarks on the lines of the diff: suggested edits on the new lines, and removals on the red ones.
//!
//! GitHub takes a remark only on a line that its own diff of the pull request shows. So the lines are looked up there, by their
//! text: the base may have moved on, and then numbers differ. What does not fit has its row in the comment.

use serde_json::Value;

use super::marker;
use crate::ordered::{InOrder, OrderedSet};
use crate::report::markdown::markup::{code, fenced, prose};
use crate::report::{Finding, Report, Suggestion, cells, markdown, patch};
use crate::text;
use crate::vocabulary::Severity;

/// So many remarks are made in one run. More would bury the review that people write.
const MOST: usize = 10;

/// A file of the pull request's diff.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FilePatch {
    path: String,
    /// Its path before, where it was renamed.
    old_path: String,
    lines: Vec<DiffLine>,
}

/// A line of a hunk.
#[derive(Debug, Clone, PartialEq, Eq)]
struct DiffLine {
    hunk: usize,
    /// The number on the old side, where the line is there.
    old: Option<u32>,
    /// The number on the new side, where the line is there.
    new: Option<u32>,
    text: String,
}

/// A side of the diff.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// The red lines.
    Left,
    /// The green lines, and those that stayed.
    Right,
}

impl Side {
    /// As GitHub spells it.
    pub fn name(self) -> &'static str {
        match self {
            Side::Left => "LEFT",
            Side::Right => "RIGHT",
        }
    }
}

/// A remark to be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remark {
    /// The file, as the diff names it.
    pub path: String,
    /// Which side the lines are on.
    pub side: Side,
    /// The first line, where there are several.
    pub start_line: Option<u32>,
    /// The last line.
    pub line: u32,
    /// What it says, with its marker.
    pub body: String,
}

/// What to remark, and how much more there would be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remarks {
    /// The remarks of this run.
    pub now: Vec<Remark>,
    /// Further ones that would fit the diff.
    pub more: usize,
}

/// The files of a diff, from what `GET pulls/N/files` lists. Large and binary files have no patch there.
pub fn patches(files: &[Value]) -> Vec<FilePatch> {
    let patch = |file: &Value| {
        let path = file["filename"].as_str()?.to_owned();
        let old_path = file["previous_filename"].as_str().unwrap_or(&path).to_owned();
        Some(FilePatch { path, old_path, lines: diff_lines(file["patch"].as_str()?) })
    };
    files.iter().filter_map(patch).collect()
}

fn diff_lines(patch: &str) -> Vec<DiffLine> {
    let mut lines = Vec::new();
    let (mut hunk, mut old, mut new) = (0usize, 0u32, 0u32);
    for line in patch.split('\n') {
        if let Some((first_old, first_new)) = hunk_header(line) {
            (hunk, old, new) = (hunk + 1, first_old, first_new);
            continue;
        }
        let (in_old, in_new) = match line.as_bytes().first() {
            Some(b' ') => (true, true),
            Some(b'-') => (true, false),
            Some(b'+') => (false, true),
            _ => continue,
        };
        let text = line[1..].trim_end_matches('\r').to_owned();
        lines.push(DiffLine { hunk, old: in_old.then_some(old), new: in_new.then_some(new), text });
        old = old.saturating_add(u32::from(in_old));
        new = new.saturating_add(u32::from(in_new));
    }
    lines
}

/// The first lines of `@@ -3,7 +3,8 @@ message User {`.
fn hunk_header(line: &str) -> Option<(u32, u32)> {
    let (old, rest) = line.strip_prefix("@@ -")?.split_once(" +")?;
    let number = |text: &str| text.split([',', ' ']).next()?.parse().ok();
    Some((number(old)?, number(rest)?))
}

/// What to remark, errors first. Findings that were remarked on before are not told again.
pub fn remarks(report: &Report, files: &[FilePatch], key: &str, known: &OrderedSet<String>) -> Remarks {
    let mut findings: Vec<&Finding> = report
        .findings
        .iter()
        .filter(|finding| {
            finding.severity != Severity::Note
                && finding.waiver.is_none()
                && !known.contains(&marker::encode(&finding.id))
        })
        .collect();
    findings.sort_in_order_by_key(|finding| finding.severity != Severity::Error);
    let mut all: Vec<Remark> = findings
        .into_iter()
        .filter_map(|finding| edit(report, finding, files, key).or_else(|| removal(report, finding, files, key)))
        .collect();
    let more = all.len().saturating_sub(MOST);
    all.truncate(MOST);
    Remarks { now: all, more }
}

/// A suggested edit, on the lines it replaces.
fn edit(report: &Report, finding: &Finding, files: &[FilePatch], key: &str) -> Option<Remark> {
    let suggestion = finding.suggestion.as_ref()?;
    let file = files.iter().find(|file| file.path == suggestion.file)?;
    let (replacement, first) = replacements(suggestion)?
        .into_iter()
        .find_map(|replacement| file.on_the_right(&replacement).map(|first| (replacement, first)))?;
    let length = u32::try_from(replacement.before.len()).ok()?;
    // Whoever accepts the suggestion takes over what is there: it must be what is seen.
    let hidden = |c: char| c != '\t' && text::is_hazard(c);
    if replacement.before.iter().chain(&replacement.after).any(|line| line.chars().any(hidden)) {
        return None;
    }
    Some(Remark {
        path: file.path.clone(),
        side: Side::Right,
        start_line: (length > 1).then_some(first),
        line: first.saturating_add(length - 1),
        body: body(report, finding, key, &fenced("suggestion", &replacement.after.join("\n"))),
    })
}

/// A removal, on the line that went away.
fn removal(report: &Report, finding: &Finding, files: &[FilePatch], key: &str) -> Option<Remark> {
    let old = finding.old.as_ref()?;
    if finding.new.as_ref().is_some_and(|new| new.file == old.file) {
        return None;
    }
    let file = files.iter().find(|file| file.old_path == old.file)?;
    let line = file.on_the_left(old.line, old.text.lines().next()?)?;
    let body = body(report, finding, key, "");
    Some(Remark { path: file.path.clone(), side: Side::Left, start_line: None, line, body })
}

fn body(report: &Report, finding: &Finding, key: &str, block: &str) -> String {
    let mark = markdown::mark_of_finding(report, finding);
    let (who, _) = cells::who_breaks(report, finding);
    let who: Vec<String> = who.iter().map(|clause| prose(clause, 300)).collect();
    let mut blocks = vec![
        marker::write_remark(key, &finding.id),
        format!("{mark} {}", prose(&finding.message, 600)),
        format!("**Who breaks:** {}", who.join("; ")),
    ];
    if !finding.fix.trim().is_empty() {
        blocks.push(format!("**Do instead:** {}", prose(finding.fix.trim(), 600)));
    }
    if !block.is_empty() {
        blocks.push(block.to_owned());
    }
    let explain = format!("wireproof explain {}", finding.rule);
    blocks.push(format!("<sub>{} · {}</sub>", code(&explain, 160), code(&finding.id, 40)));
    blocks.join("\n\n")
}

/// Whole lines and what stands there instead.
#[derive(Debug, PartialEq, Eq)]
struct Replacement {
    /// The number of the first line in the file that the report saw.
    line: u32,
    before: Vec<String>,
    after: Vec<String>,
}

/// The ways to say a suggestion as whole lines, the best first. An insertion replaces a neighbour by itself and what is new.
fn replacements(suggestion: &Suggestion) -> Option<Vec<Replacement>> {
    let context = suggestion.context.as_ref().filter(|context| !context.text.contains('\r'))?;
    let changed = patch::edited(suggestion)?;
    let before: Vec<&str> = context.text.lines().collect();
    let after: Vec<&str> = changed.lines().collect();
    let same = |(one, other): &(&&str, &&str)| one == other;
    let head = before.iter().zip(&after).take_while(same).count();
    let most = before.len().min(after.len()) - head;
    let tail = before.iter().rev().zip(after.iter().rev()).take_while(same).count().min(most);
    let (from, to) = (head, before.len() - tail);
    let ranges = match from < to {
        true => vec![(from, to)],
        // The line before it, or where that is not in the diff, the line after it.
        false => vec![(from.saturating_sub(1), to), (from, to + 1)],
    };
    let lines = |range: &[&str]| range.iter().map(|line| (*line).to_owned()).collect::<Vec<_>>();
    let one = |(from, to): (usize, usize)| {
        let end = after.len().checked_sub(before.len().checked_sub(to)?)?;
        Some(Replacement {
            line: context.line.checked_add(u32::try_from(from).ok()?)?,
            before: lines(before.get(from..to)?),
            after: lines(after.get(from..end)?),
        })
    };
    Some(ranges.into_iter().filter_map(one).filter(|one| !one.before.is_empty() && one.before != one.after).collect())
}

impl FilePatch {
    /// The number of the first of these lines on the new side, all in one hunk: where the report saw them, else the only place
    /// that has them.
    fn on_the_right(&self, replacement: &Replacement) -> Option<u32> {
        let right: Vec<&DiffLine> = self.lines.iter().filter(|line| line.new.is_some()).collect();
        let fits = |window: &&[&DiffLine]| {
            window.iter().zip(&replacement.before).all(|(line, text)| line.text == *text)
                && window.iter().all(|line| line.hunk == window[0].hunk)
        };
        let found: Vec<u32> =
            right.windows(replacement.before.len()).filter(fits).filter_map(|window| window[0].new).collect();
        the_one(&found, replacement.line)
    }

    /// The number of a red line.
    fn on_the_left(&self, number: u32, text: &str) -> Option<u32> {
        let red = self.lines.iter().filter(|line| line.new.is_none() && line.text == text.trim_end_matches('\r'));
        the_one(&red.filter_map(|line| line.old).collect::<Vec<_>>(), number)
    }
}

/// The place that was meant, or the only one there is.
fn the_one(found: &[u32], meant: u32) -> Option<u32> {
    match found {
        [only] => Some(*only),
        _ => found.iter().copied().find(|line| *line == meant),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::{Edit, PatchContext};
    use serde_json::json;

    const PATCH: &str = "@@ -2,6 +2,5 @@ syntax\n package shop;\n message User {\n-  string nickname = 7;\n   int32 a = 1;\n+  int32 b = 2;\n-}\n\\ No newline at end of file\n+}";

    fn file() -> FilePatch {
        patches(&[json!({"filename": "shop/user.proto", "patch": PATCH}), json!({"filename": "big.proto"})]).remove(0)
    }

    fn inserting(at: u32, insert: &str) -> Suggestion {
        let text = "message User {\n  int32 a = 1;\n  int32 b = 2;\n";
        let context = PatchContext { line: 3, start: 100, text: text.to_owned() };
        let edits = vec![Edit { start: 100 + at, end: 100 + at, insert: insert.to_owned() }];
        Suggestion { file: "shop/user.proto".to_owned(), edits, context: Some(context) }
    }

    #[test]
    fn lines_of_a_patch_have_their_numbers() {
        let numbers: Vec<(Option<u32>, Option<u32>)> = file().lines.iter().map(|line| (line.old, line.new)).collect();
        let expected = [
            (Some(2), Some(2)),
            (Some(3), Some(3)),
            (Some(4), None),
            (Some(5), Some(4)),
            (None, Some(5)),
            (Some(6), None),
            (None, Some(6)),
        ];
        assert_eq!(numbers, expected);
    }

    #[test]
    fn an_insertion_replaces_the_line_before_it() {
        let found = replacements(&inserting(14, "\n  reserved 7;")).expect("two ways");
        assert_eq!(found[0].line, 3);
        assert_eq!(found[0].before, ["message User {"]);
        assert_eq!(found[0].after, ["message User {", "  reserved 7;"]);
        assert_eq!(found[1].before, ["  int32 a = 1;"]);
        assert_eq!(found[1].after, ["  reserved 7;", "  int32 a = 1;"]);
        assert_eq!(file().on_the_right(&found[0]), Some(3));
        let first = replacements(&inserting(0, "// first\n")).expect("one way");
        assert_eq!(first.len(), 1);
        assert_eq!(first[0].after, ["// first", "message User {"]);
        let last = replacements(&inserting(45, "  int32 c = 3;\n")).expect("one way");
        assert_eq!((last.len(), last[0].before[0].as_str()), (1, "  int32 b = 2;"));
    }

    #[test]
    fn an_insertion_at_either_end_of_the_lines_has_one_neighbour() {
        for (at, insert) in [(0, "x\n"), (45, "x\n"), (44, "\nx")] {
            let found = replacements(&inserting(at, insert)).expect("a way");
            assert_eq!((found.len(), found[0].before.len(), found[0].after.len()), (1, 1, 2), "{at}: {found:?}");
        }
        assert_eq!(replacements(&inserting(0, "")), Some(vec![]), "an edit that edits nothing");
    }

    #[test]
    fn several_lines_are_replaced_at_once() {
        let mut suggestion = inserting(27, "0");
        suggestion.edits.push(Edit { start: 142, end: 143, insert: "20".to_owned() });
        let found = replacements(&suggestion).expect("one way");
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].before, ["  int32 a = 1;", "  int32 b = 2;"]);
        assert_eq!(file().on_the_right(&found[0]), Some(4));
    }

    #[test]
    fn lines_are_found_by_their_text_and_only_in_one_hunk() {
        let moved = Replacement { line: 90, before: vec!["  int32 b = 2;".to_owned()], after: vec![] };
        assert_eq!(file().on_the_right(&moved), Some(5), "the base has moved on");
        let absent = Replacement { line: 5, before: vec!["  int32 c = 2;".to_owned()], after: vec![] };
        assert_eq!(file().on_the_right(&absent), None);
        assert_eq!(file().on_the_left(4, "  string nickname = 7;"), Some(4));
        assert_eq!(file().on_the_left(9, "  string nickname = 7;"), Some(4));
        assert_eq!(file().on_the_left(5, "  int32 a = 1;"), None, "that line stayed");
        let twice = format!("{PATCH}\n@@ -20,2 +20,1 @@\n-  string nickname = 7;\n }}");
        let twice = patches(&[json!({"filename": "x", "patch": twice})]).remove(0);
        assert_eq!(twice.on_the_left(20, "  string nickname = 7;"), Some(20));
        assert_eq!(twice.on_the_left(9, "  string nickname = 7;"), None, "which one is not known");
    }

    #[test]
    fn a_suggestion_that_does_not_fit_its_context_is_none() {
        let mut outside = inserting(14, "x");
        outside.edits[0].start = 1;
        assert_eq!(replacements(&outside), None);
        let mut carriage = inserting(14, "x");
        carriage.context.as_mut().expect("a context").text.push('\r');
        assert_eq!(replacements(&carriage), None, "a suggestion would change line ends");
    }
}
