//! The report as workflow commands, which GitHub shows as annotations.
//!
//! A step may show ten errors, ten warnings and ten notices; what is above that GitHub drops without a word. So at most
//! nine of a kind are shown, the gravest first, the tenth says how many more there are, and findings that every form tells
//! together share one command. Notes are no annotations; the notice at the end counts them.

use super::overview::{self, Entry};
use super::remark::{self, Level, Remark};
use super::troubles::{Trouble, troubles};
use super::{Finding, Report, command, summary};
use crate::text::{self, visible};

/// GitHub shows so many annotations of a kind for each step.
const MOST: usize = 10;
/// So many of those that share one are named.
const NAMED: usize = 10;

/// The report as lines for the log of a job.
pub fn render(report: &Report) -> String {
    let groups = groups(report);
    let mut lines = Vec::new();
    for (level, command) in [(Level::Error, "error"), (Level::Warning, "warning")] {
        let of_level: Vec<&Group> = groups.iter().filter(|group| group.remarks[0].level == level).collect();
        lines.extend(commands(command, &of_level));
    }
    lines.push(summary(report));
    let mut out = lines.join("\n");
    out.push('\n');
    out
}

fn commands(command: &str, groups: &[&Group]) -> Vec<String> {
    let room = if groups.len() > MOST { MOST - 1 } else { MOST };
    let mut lines: Vec<String> = groups.iter().take(room).map(|group| annotation(command, group)).collect();
    let more: usize = groups.iter().skip(room).map(|group| group.remarks.len()).sum();
    if more > 0 {
        let words = format!(
            "and {}; the summary of the job has them, or `--output markdown=PATH`",
            text::plural(more, &format!("more {command}"))
        );
        lines.push(format!("::{command} title=wireproof::{}", data(&words)));
    }
    lines
}

/// Remarks that share an annotation.
#[derive(Debug)]
struct Group {
    /// At the place of the first; never empty.
    remarks: Vec<Remark>,
    /// What all of them are: `times the same rule`.
    alike: &'static str,
    /// Where else the same was found, in words; empty where nowhere.
    copies: String,
}

/// What is annotated: the problems, then the findings as every form has them, the gravest first.
fn groups(report: &Report) -> Vec<Group> {
    let of_trouble = |trouble: &Trouble<'_>| {
        let spots = std::iter::once(&trouble.first).chain(&trouble.others);
        let remarks = spots.map(|spot| remark::of_problem(report, spot.problem)).collect();
        Group { remarks, alike: "times the same problem", copies: String::new() }
    };
    let of_entry = |entry: &Entry<'_>| {
        let remarks = entry.findings.iter().map(|finding| remark::of_finding(report, finding)).collect();
        Group { remarks, alike: "times the same rule", copies: overview::in_copies(entry, NAMED) }
    };
    let problems = troubles(report);
    problems.iter().map(of_trouble).chain(overview::entries(report).iter().map(of_entry)).collect()
}

fn annotation(command: &str, group: &Group) -> String {
    let first = &group.remarks[0];
    let mut lines = first.lines.clone();
    let count = group.remarks.len();
    if count > 1 {
        lines.insert(0, format!("{} {}. The first:", text::number(count), group.alike));
        lines.push("The others:".to_owned());
        let others = group.remarks[1..].iter().take(NAMED);
        lines.extend(others.map(|other| format!("- {}", text::elide(&other.lines[0], 200))));
        if count > NAMED + 1 {
            lines.push(format!("- and {} more", text::number(count - NAMED - 1)));
        }
    }
    if !group.copies.is_empty() {
        lines.push(remark::sentence(&text::capitalised(&remark::one_line(&group.copies))));
    }
    let title = format!("{} ({})", first.title, first.rule);
    let place = place(first).map(|place| format!("{place},")).unwrap_or_default();
    format!(
        "::{command} {place}title={}::{}",
        property(text::shorten(&title, 200).as_ref()),
        lines.iter().map(|line| data(line)).collect::<Vec<_>>().join("%0A")
    )
}

/// Columns only count within one line. A file that is gone cannot be annotated.
fn place(remark: &Remark) -> Option<String> {
    let place = remark.place.as_ref().filter(|place| place.exists)?;
    let file = property(&visible(&place.file));
    let region = place.region.unwrap_or(remark::Region::START);
    let lines = format!("file={file},line={},endLine={}", region.line, region.end_line);
    let is_one_line = region.line == region.end_line && region.end_column > region.column;
    Some(match is_one_line {
        true => format!("{lines},col={},endColumn={}", region.column, region.end_column),
        false => lines,
    })
}

/// One notice, also when all is well: who looks for the gate sees that it ran.
fn summary(report: &Report) -> String {
    let mark = remark::mark(&report.verdict);
    let mut words = vec![format!("{mark} {}", summary::verdict(report)), format!("mode {}", summary::mode(report))];
    words.push(summary::compared(report));
    words.extend(summary::terms(report));
    let mut lines = vec![words.join(" · ")];
    if !summary::is_calm(report) {
        let (order, rollback) = summary::order_and_rollback(report);
        lines.push(format!("Upgrade order: {order}."));
        lines.push(format!("Rollback: {rollback}."));
        let is_shown = |finding: &&Finding| remark::level(finding) == Level::Note;
        let quiet = report.findings.iter().filter(is_shown).count();
        if quiet > 0 {
            lines.push(format!("Not annotated: {} (noted or waived).", text::plural(quiet, "finding")));
        }
        if !report.not_checked.is_empty() {
            lines.push(format!("Not checked: {}.", text::plural(report.not_checked.len(), "thing")));
        }
        lines.extend(command::reproduce(report).map(|command| format!("Reproduce: {command}")));
    }
    let lines: Vec<String> = lines.iter().map(|line| data(&remark::one_line(line))).collect();
    format!("::notice title=wireproof::{}", lines.join("%0A"))
}

/// What stands behind the second `::`. `##[` is a command of the older kind.
fn data(text: &str) -> String {
    let text = text.replace("##[", "#\\#[");
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_percent_sign_is_escaped_first() {
        assert_eq!(data("100%\r\n##[x"), "100%25%0D%0A#\\#[x");
        assert_eq!(property("a:b,c"), "a%3Ab%2Cc");
    }
}
