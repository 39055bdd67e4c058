//! Findings in few words: where they stand, several of one rule together, and the waivers that cover them.

use super::{Finding, Location, Report, Waiver};
use crate::ordered::OrderedMap;
use crate::text;

/// Findings by rule, each rule's in the order of the report.
pub(crate) fn by_rule<'a>(findings: &[&'a Finding]) -> OrderedMap<&'a str, Vec<&'a Finding>> {
    let mut groups: OrderedMap<&str, Vec<&Finding>> = OrderedMap::new();
    for finding in findings {
        groups.entry(finding.rule.as_str()).or_default().push(finding);
    }
    groups
}

/// `shop/user.proto:4:3`
pub(crate) fn place(location: &Location) -> String {
    format!("{}:{}:{}", location.file, location.line, location.column)
}

/// `new shop/user.proto:4:3`, the new side if there is one.
pub(crate) fn side_and_place(finding: &Finding) -> Option<String> {
    match (&finding.old, &finding.new) {
        (_, Some(new)) => Some(format!("new {}", place(new))),
        (Some(old), None) => Some(format!("old {}", place(old))),
        (None, None) => None,
    }
}

/// Findings that a waiver covers.
pub(crate) fn waived(report: &Report) -> Vec<&Finding> {
    report.findings.iter().filter(|finding| finding.waiver.is_some()).collect()
}

/// Where the waiver of a finding stands: `.wireproof-waivers.yaml:4`.
pub(crate) fn waiver_place(waiver: &Waiver) -> String {
    format!("{}:{}", waiver.file, waiver.line)
}

/// Who acknowledged a break, until when, and why: `until 2026-12-31, by payments: the old app is gone`.
pub(crate) fn waiver(waiver: &Waiver, most: usize) -> String {
    let mut words = Vec::new();
    words.extend(waiver.until.iter().map(|until| format!("until {until}")));
    words.extend(waiver.owner.iter().map(|owner| format!("by {owner}")));
    if waiver.added_here {
        words.push("added in this very change".to_owned());
    }
    let head = if words.is_empty() { String::new() } else { format!("{}: ", words.join(", ")) };
    let reason: Vec<&str> = waiver.reason.split_whitespace().collect();
    text::elide(&text::visible(&format!("{head}{}", reason.join(" "))), most).into_owned()
}
