//! The report as GitLab's code quality JSON, which merge requests show as a widget and in the diff.
//!
//! GitLab drops an entry that lacks a key without a word, and tells new entries from known ones by their fingerprints; so
//! every entry has all keys, and fingerprints are unique and hold no line numbers.

use serde::Serialize;

use super::remark::{self, Level, Remark};
use super::{Finding, Report, cells};
use crate::ordered::OrderedSet;
use crate::text::{self, visible};
use crate::vocabulary::{Outcome, Severity};

#[derive(Debug, Serialize)]
struct Entry {
    description: String,
    check_name: String,
    fingerprint: String,
    severity: &'static str,
    location: Location,
}

#[derive(Debug, Serialize)]
struct Location {
    path: String,
    lines: Lines,
}

#[derive(Debug, Serialize)]
struct Lines {
    begin: u32,
    end: u32,
}

/// The rule name of what the verdict does not cover.
const NOT_CHECKED: &str = "wireproof/not-checked";

/// The report as a JSON array, with a final line feed; `[]` when there is nothing to tell.
pub fn render(report: &Report) -> String {
    let mut entries: Vec<Entry> = Vec::new();
    for problem in &report.problems {
        let severity = match remark::problem_level(problem) {
            Level::Error => "critical",
            Level::Warning | Level::Note => "minor",
        };
        entries.push(entry(severity, remark::of_problem(report, problem)));
    }
    for finding in &report.findings {
        entries.push(entry(severity(report, finding), remark::of_finding(report, finding)));
    }
    entries.extend(report.not_checked.iter().map(|gap| Entry {
        description: remark::one_line(&format!("Not checked: {}. {}", gap.what, gap.help)),
        check_name: NOT_CHECKED.to_owned(),
        fingerprint: text::digest([NOT_CHECKED, &gap.file, &gap.what]),
        severity: "info",
        location: Location { path: path(&gap.file), lines: Lines { begin: 1, end: 1 } },
    }));
    make_unique(&mut entries);
    let mut out = serde_json::to_string_pretty(&entries).expect("entries are strings and numbers");
    out.push('\n');
    text::harmless_json(out)
}

fn entry(severity: &'static str, remark: Remark) -> Entry {
    let region = remark.place.as_ref().and_then(|place| place.region).unwrap_or(remark::Region::START);
    Entry {
        description: remark.lines.join(" "),
        check_name: remark.rule,
        fingerprint: remark.fingerprint,
        severity,
        location: Location {
            path: path(remark.place.as_ref().map_or("", |place| &place.file)),
            lines: Lines { begin: region.line, end: region.end_line },
        },
    }
}

/// What nobody notices is the worst.
fn severity(report: &Report, finding: &Finding) -> &'static str {
    let is_wrong = || cells::cells(report, finding).iter().any(|cell| cell.outcome == Outcome::Wrong);
    match remark::level(finding) {
        Level::Error if is_wrong() => "blocker",
        Level::Error => "critical",
        Level::Warning if finding.severity == Severity::Error => "major",
        Level::Warning => "minor",
        Level::Note => "info",
    }
}

/// What concerns no file concerns the whole repository; an empty path would be dropped.
fn path(file: &str) -> String {
    if file.is_empty() { ".".to_owned() } else { visible(file).into_owned() }
}

fn make_unique(entries: &mut [Entry]) {
    let mut taken = OrderedSet::new();
    for entry in entries {
        let first = entry.fingerprint.clone();
        let mut again = 1;
        while !taken.insert(entry.fingerprint.clone()) {
            again += 1;
            entry.fingerprint = text::digest([&*first, &again.to_string()]);
        }
    }
}
