//! A finding or a problem as one remark at one place of a file: the shape of annotations, alerts and code quality.
//!
//! Such systems know one line of the new side, a level and some text. So what is gone needs a line that still exists, and
//! an error that does not break must not look like one that does: whoever fails on what they show would fail without us.

use super::overview::Weight;
use super::{FileDiff, Finding, Location, Problem, Report, Suggestion, cells, findings, since};
use crate::text::{self, visible};
use crate::vocabulary::{Open, ProblemSeverity, ProblemSide, Severity, Verdict};

/// How loud a remark is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Level {
    /// The check fails because of it, or could not tell.
    Error,
    /// Worth a look; the check passes.
    Warning,
    /// Mentioned.
    Note,
}

/// Where a remark is shown. The file is as the report spells it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) file: String,
    /// `None` where nothing better than the whole file is known.
    pub(crate) region: Option<Region>,
    /// Whether the file exists on the new side.
    pub(crate) exists: bool,
}

/// Lines and columns from 1, columns in UTF-16 units, the end exclusive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Region {
    pub(crate) line: u32,
    pub(crate) column: u32,
    pub(crate) end_line: u32,
    pub(crate) end_column: u32,
}

impl Region {
    /// The beginning of a file.
    pub(crate) const START: Region = Region { line: 1, column: 1, end_line: 1, end_column: 1 };

    /// A saved report may say anything; readers refuse a line 0 and an end before its start.
    fn sane(line: u32, column: u32, end_line: u32, end_column: u32) -> Region {
        let (line, column) = (line.max(1), column.max(1));
        let end_line = end_line.max(line);
        let end_column = if end_line == line { end_column.max(column) } else { end_column.max(1) };
        Region { line, column, end_line, end_column }
    }

    /// A line without the space around it.
    fn of_line(line: u32, content: &str) -> Region {
        let units = |text: &str| u32::try_from(text.encode_utf16().count()).unwrap_or(u32::MAX - 1) + 1;
        let before = &content[..content.len() - content.trim_start().len()];
        Region::sane(line, units(before), line, units(content.trim_end()))
    }
}

/// A finding or a problem, ready to be shown at one place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Remark {
    pub(crate) level: Level,
    /// The rule's id, or what kind of problem it is.
    pub(crate) rule: String,
    /// The rule's title in a few words.
    pub(crate) title: String,
    /// What stays when lines move.
    pub(crate) fingerprint: String,
    pub(crate) place: Option<Place>,
    /// What is said: lines without line feeds and without anything that acts on a screen. The first says what happened.
    pub(crate) lines: Vec<String>,
}

/// Texts longer than this hold a name nobody reads to its end; both ends stay.
const LONGEST: usize = 600;

/// The rule name of a problem in the input.
pub(crate) const PROBLEM: &str = "wireproof/problem-in-the-input";

/// A finding as a remark.
pub(crate) fn of_finding(report: &Report, finding: &Finding) -> Remark {
    let (place, hint) = place_of(report, finding);
    let weight = Weight::of(report, finding);
    let kind =
        if finding.waiver.is_none() && weight.is_of_gate() { format!("{}: ", weight.word()) } else { String::new() };
    let mut lines = vec![sentence(&format!("{kind}{}", one_line(&finding.message)))];
    let (breaks, _) = cells::who_breaks(report, finding);
    lines.push(format!("Who breaks: {}.", one_line(&breaks.join("; "))));
    lines.extend(since::finding(finding).map(|words| format!("Versions: {}.", one_line(&words))));
    lines.extend(labelled("Why", &finding.why));
    lines.extend(labelled("Do instead", &finding.fix));
    lines.extend(finding.waiver.as_ref().map(|waiver| format!("Waived: {}", findings::waiver(waiver, LONGEST))));
    lines.extend(hint);
    Remark {
        level: level(finding),
        rule: one_line(&finding.rule),
        title: one_line(&finding.title),
        fingerprint: one_line(&finding.id),
        place,
        lines,
    }
}

/// An error only if the check fails because of it, so that the systems agree with the exit code.
pub(crate) fn level(finding: &Finding) -> Level {
    match &finding.severity {
        _ if finding.waiver.is_some() => Level::Note,
        _ if finding.breaking => Level::Error,
        Open::Known(Severity::Note) => Level::Note,
        Open::Known(Severity::Error | Severity::Warning) | Open::Unknown(_) => Level::Warning,
    }
}

/// How loud a problem is. What stands in the way of a verdict says so in words that every version knows.
pub(crate) fn problem_level(problem: &Problem) -> Level {
    match &problem.severity {
        Open::Known(ProblemSeverity::Error) => Level::Error,
        Open::Known(ProblemSeverity::Warning) | Open::Unknown(_) => Level::Warning,
    }
}

/// The sign of a verdict. What this version does not know is no pass.
pub(crate) fn mark(verdict: &Open<Verdict>) -> &'static str {
    match verdict {
        Open::Known(Verdict::Compatible) => "✅",
        Open::Known(Verdict::Breaking) => "⛔",
        Open::Known(Verdict::Unknown) | Open::Unknown(_) => "❔",
    }
}

/// A problem as a remark.
pub(crate) fn of_problem(report: &Report, problem: &Problem) -> Remark {
    let side = problem.side.as_ref().map_or("", Open::as_str);
    let mut lines = vec![sentence(&one_line(&problem.message))];
    lines.extend(labelled("Do instead", &problem.help));
    if problem.side == Some(ProblemSide::Old.into()) {
        lines.push("The problem is on the old side; the line is that of the old version.".to_owned());
    }
    let place = problem.file.as_ref().map(|file| Place {
        file: file.clone(),
        region: problem.line.map(|line| problem_region(problem, line)),
        exists: !is_deleted(report, file),
    });
    let known = [PROBLEM, side, problem.file.as_deref().unwrap_or_default(), problem.message.as_str()];
    Remark {
        level: problem_level(problem),
        rule: PROBLEM.to_owned(),
        title: "A problem in the input".to_owned(),
        fingerprint: text::digest(known),
        place,
        lines,
    }
}

fn problem_region(problem: &Problem, line: u32) -> Region {
    match problem.column {
        Some(column) => Region::sane(line, column, line, column.saturating_add(1)),
        None => Region::of_line(line, problem.text.as_deref().unwrap_or_default()),
    }
}

/// Text on one line, harmless and at most about 600 characters.
pub(crate) fn one_line(text: &str) -> String {
    // Cut first: a name of a megabyte must not be escaped whole. The line feeds are our own: rules wrap their prose.
    let joined = text::elide(text.trim(), LONGEST).split(['\n', '\r']).map(str::trim).collect::<Vec<_>>().join(" ");
    text::elide(&visible(&joined), 2 * LONGEST).into_owned()
}

/// With a period at its end.
pub(crate) fn sentence(words: &str) -> String {
    if words.ends_with(['.', '!', '?', '…']) { words.to_owned() } else { format!("{words}.") }
}

fn labelled(label: &str, words: &str) -> Option<String> {
    let words = one_line(words);
    (!words.is_empty()).then(|| format!("{label}: {words}"))
}

/// Where to show a finding, and what to say if it does not stand there.
fn place_of(report: &Report, finding: &Finding) -> (Option<Place>, Option<String>) {
    if let Some(at) = &finding.new {
        return (Some(Place { file: at.file.clone(), region: Some(region_of(at)), exists: true }), None);
    }
    let Some(at) = &finding.old else { return (None, None) };
    let was = visible(&findings::place(at)).into_owned();
    if let Some((file, region)) = where_it_stood(&report.diffs, &at.file, at.line) {
        let hint = format!("It is gone from the new side: shown where it stood before (old {was}).");
        return (Some(Place { file, region: Some(region), exists: true }), Some(hint));
    }
    if let Some((file, region)) = finding.suggestion.as_ref().and_then(suggested) {
        let hint = format!("It is gone from the new side: shown where an edit is suggested (it was old {was}).");
        return (Some(Place { file, region: Some(region), exists: true }), Some(hint));
    }
    if is_deleted(report, &at.file) {
        let region = region_of(at);
        let hint = format!("Its file is gone from the new side: the place is that of the old version ({was}).");
        return (Some(Place { file: at.file.clone(), region: Some(region), exists: false }), Some(hint));
    }
    let file = moved_to(&report.diffs, &at.file).unwrap_or(&at.file).to_owned();
    let hint = format!("It is gone from the new side: shown at the start of its file (it was old {was}).");
    (Some(Place { file, region: None, exists: true }), Some(hint))
}

/// A location of the report.
pub(crate) fn region_of(at: &Location) -> Region {
    Region::sane(at.line, at.column, at.end_line, at.end_column)
}

/// Whether the new side no longer has the file.
fn is_deleted(report: &Report, file: &str) -> bool {
    let had = |diff: &FileDiff| diff.old.as_deref() == Some(file) && diff.new.is_none();
    let has = |diff: &FileDiff| diff.new.as_deref() == Some(file);
    report.diffs.iter().any(had) && !report.diffs.iter().any(has)
}

fn moved_to<'a>(diffs: &'a [FileDiff], file: &str) -> Option<&'a str> {
    diffs.iter().find(|diff| diff.old.as_deref() == Some(file)).and_then(|diff| diff.new.as_deref())
}

/// The line of the new side that is nearest to a line of the old one: what took its place, else the line before it.
fn where_it_stood(diffs: &[FileDiff], file: &str, line: u32) -> Option<(String, Region)> {
    let diff = diffs.iter().find(|diff| diff.old.as_deref() == Some(file) && diff.new.is_some())?;
    let mut shift = 0;
    for hunk in diff.hunks.iter().take_while(|hunk| hunk.old_line <= line) {
        let (mut old, mut new) = (hunk.old_line, hunk.new_line);
        let mut before = None;
        for (at, marked) in hunk.lines.iter().enumerate() {
            let content = marked.get(1..).unwrap_or_default();
            let is_removed = marked.starts_with('-');
            if old == line && is_removed {
                let found = replaced(&hunk.lines[at..]).map(|content| (new, content)).or(before);
                let (line, content) = found.unwrap_or((new, ""));
                return Some((diff.new.clone()?, Region::of_line(line, content)));
            }
            if old == line && !marked.starts_with('+') {
                return Some((diff.new.clone()?, Region::of_line(new, content)));
            }
            if !is_removed {
                before = Some((new, content));
                new = new.saturating_add(1);
            }
            if !marked.starts_with('+') {
                old = old.saturating_add(1);
            }
        }
        shift = i64::from(new) - i64::from(old);
    }
    let same = u32::try_from(i64::from(line) + shift).ok().filter(|_| !diff.truncated)?;
    Some((diff.new.clone()?, Region::of_line(same, "")))
}

/// The first line that was put in the place of removed ones.
fn replaced(lines: &[String]) -> Option<&str> {
    lines.iter().find(|line| !line.starts_with('-')).and_then(|line| line.strip_prefix('+'))
}

/// The line of the first edit.
fn suggested(suggestion: &Suggestion) -> Option<(String, Region)> {
    let context = suggestion.context.as_ref()?;
    let at = suggestion.edits.first()?.start.checked_sub(context.start)? as usize;
    let (line, column) = line_and_column(&context.text, at)?;
    let line = context.line.saturating_add(line);
    Some((suggestion.file.clone(), Region::sane(line, column, line, column)))
}

/// Lines passed before an offset, and the column there.
pub(crate) fn line_and_column(text: &str, at: usize) -> Option<(u32, u32)> {
    let before = text.get(..at)?;
    let line = before.rsplit('\n').next().unwrap_or_default();
    let lines = u32::try_from(before.matches('\n').count()).ok()?;
    Some((lines, u32::try_from(line.encode_utf16().count()).ok()? + 1))
}

/// A path as a relative reference: forward slashes stay, what is not unreserved is percent-encoded.
pub(crate) fn uri(path: &str) -> String {
    let mut out = String::with_capacity(path.len());
    for byte in path.trim_start_matches('/').bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => out.push(char::from(byte)),
            byte => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::Hunk;
    use super::*;

    fn diff(new: Option<&str>, lines: &[&str]) -> Vec<FileDiff> {
        let lines = lines.iter().map(|line| (*line).to_owned()).collect();
        let hunk = Hunk { old_line: 3, new_line: 3, lines };
        vec![FileDiff {
            old: Some("a.proto".to_owned()),
            new: new.map(str::to_owned),
            hunks: vec![hunk],
            truncated: false,
        }]
    }

    fn line(diffs: &[FileDiff], old: u32) -> Option<u32> {
        where_it_stood(diffs, "a.proto", old).map(|(_, region)| region.line)
    }

    #[test]
    fn what_took_its_place_is_shown_first() {
        let diffs = diff(Some("a.proto"), &[" message M {", "-  int32 a = 1;", "+  reserved 1;", " }"]);
        let (file, region) = where_it_stood(&diffs, "a.proto", 4).expect("the hunk has it");
        assert_eq!((file.as_str(), region.line, region.column, region.end_column), ("a.proto", 4, 3, 14));
    }

    #[test]
    fn else_the_line_before_it() {
        let diffs = diff(Some("b.proto"), &[" message M {", "-  int32 a = 1;", "-  int32 b = 2;", " }"]);
        assert_eq!(line(&diffs, 4), Some(3));
        assert_eq!(line(&diffs, 5), Some(3));
        assert_eq!(where_it_stood(&diffs, "a.proto", 5).map(|(file, _)| file).as_deref(), Some("b.proto"));
    }

    #[test]
    fn lines_around_a_change_move_with_it() {
        let diffs = diff(Some("a.proto"), &[" x", "-y", " z"]);
        assert_eq!(line(&diffs, 1), Some(1));
        assert_eq!(line(&diffs, 5), Some(4));
        assert_eq!(line(&diffs, 100), Some(99));
        assert_eq!(line(&diff(None, &["-x"]), 3), None);
        assert_eq!(line(&diff(Some("a.proto"), &["-x"]), 3), Some(3));
    }

    #[test]
    fn a_path_becomes_a_relative_reference() {
        assert_eq!(uri("shop/user.proto"), "shop/user.proto");
        assert_eq!(uri("/a b:c/größe#1%.proto"), "a%20b%3Ac/gr%C3%B6%C3%9Fe%231%25.proto");
        assert_eq!(uri("a\\b\nc"), "a%5Cb%0Ac");
    }

    #[test]
    fn an_end_before_its_start_is_mended() {
        assert_eq!(Region::sane(0, 0, 0, 0), Region::START);
        assert_eq!(Region::sane(5, 9, 3, 2), Region { line: 5, column: 9, end_line: 5, end_column: 9 });
    }
}
