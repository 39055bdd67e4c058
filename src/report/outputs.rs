//! What a step of a workflow tells later steps: `key=value` lines, as GitHub's output file takes them.
//!
//! Only words and numbers of the program's own, so no text of a schema can add a line.

use super::Report;

/// The verdict and the counts.
pub fn render(report: &Report) -> String {
    let count = |is_counted: fn(&super::Finding) -> bool| report.findings.iter().filter(|one| is_counted(one)).count();
    let lines = [
        ("verdict", report.verdict.clone()),
        ("breaking-count", count(|one| one.breaking).to_string()),
        ("warning-count", count(|one| one.severity == "warning").to_string()),
        ("waived-count", count(|one| one.waiver.is_some()).to_string()),
        ("upgrade-order", report.upgrade_order.clone()),
        ("strictest-mode", report.strictest_mode.clone()),
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
    fn no_value_can_add_a_line() {
        assert_eq!(word("readers-first"), "readers-first");
        assert_eq!(word("compatible\nverdict=compatible"), "");
    }
}
