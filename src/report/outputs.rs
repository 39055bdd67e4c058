//! What a step of a workflow tells later steps: `key=value` lines, as GitHub's output file takes them.
//!
//! Only words and numbers of the program's own, so no text of a schema can add a line.

use super::Report;
use crate::vocabulary::Severity;

/// The verdict and the counts.
pub fn render(report: &Report) -> String {
    let count = |is_counted: fn(&super::Finding) -> bool| report.findings.iter().filter(|one| is_counted(one)).count();
    let lines = [
        ("verdict", report.verdict.to_string()),
        ("breaking-count", count(|one| one.breaking).to_string()),
        ("warning-count", count(|one| one.severity == Severity::Warning).to_string()),
        ("waived-count", count(|one| one.waiver.is_some()).to_string()),
        ("upgrade-order", report.upgrade_order.to_string()),
        ("strictest-mode", report.strictest_mode.to_string()),
    ];
    lines.into_iter().map(|(key, value)| format!("{key}={}\n", word(&value))).collect()
}

/// A saved report may come from anywhere: what is no word of ours is left empty.
fn word(value: &str) -> &str {
    let is_word = value.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-');
    if is_word { value } else { "" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn findings_are_counted_by_what_becomes_of_them() {
        let text = include_str!("../../tests/data/render/breaking.json");
        let report = super::super::json::parse(text).expect("the example is a report");
        let lines = render(&report);
        assert!(lines.starts_with("verdict=breaking\nbreaking-count=2\nwarning-count=1\nwaived-count=0\n"), "{lines}");
        assert!(lines.contains("\nupgrade-order=") && lines.ends_with('\n'), "{lines}");
    }

    #[test]
    fn no_value_can_add_a_line() {
        assert_eq!(word("readers-first"), "readers-first");
        assert_eq!(word("compatible\nverdict=compatible"), "");
    }
}
