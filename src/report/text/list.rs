//! One line for each finding, or for several alike: what a reader of the report sees first.

use std::fmt::Write as _;

use super::super::overview::{self, Entry, Weight};
use super::super::{Cell, Finding, Report, cells};
use super::style::{DIM, Detail, TextStyle, color_of_weight};
use crate::text::{self, visible};

/// More entries than this are counted, with where to read them.
const MOST_ENTRIES: usize = 30;
/// So many places of one entry are named …
const MOST_PLACES: usize = 12;
/// … and of notes, which must not drown what breaks.
const MOST_OF_NOTES: usize = 4;
/// Longer messages keep both ends.
const MESSAGE_LENGTH: usize = 240;

/// A line for each entry; `None` where there is none.
pub(super) fn lines(report: &Report, entries: &[Entry<'_>], style: &TextStyle) -> Option<String> {
    let most = if style.detail == Detail::Verbose { usize::MAX } else { MOST_ENTRIES };
    let mut lines: Vec<String> = entries.iter().take(most).map(|entry| line(report, entry, style)).collect();
    if let Some(rest) = entries.get(most..).filter(|rest| !rest.is_empty()) {
        let findings: usize = rest.iter().map(|entry| entry.findings.len()).sum();
        lines.push(format!("and {} more; `-v` shows them, `--format json` lists them", text::number(findings)));
    }
    let is_cut = entries.iter().take(most).any(|entry| entry.findings.len() > most_places(entry));
    if is_cut && entries.len() <= most {
        lines.push("`-v` shows each finding, `--format json` lists them".to_owned());
    }
    (!lines.is_empty()).then(|| lines.join("\n"))
}

/// An entry: what it weighs, its rule, what happened, and where.
pub(super) fn line(report: &Report, entry: &Entry<'_>, style: &TextStyle) -> String {
    let label = format!("{}[{}]", entry.weight.word(), visible(entry.rule));
    let words = match entry.findings.as_slice() {
        [only] => of_one(only, entry.weight, style),
        several => of_several(several, most_places(entry)),
    };
    let elsewhere = match entry.weight.is_break() {
        true => Vec::new(),
        false => cells::worst_elsewhere(report, &entry.findings),
    };
    let copies = overview::in_copies(entry, most_places(entry));
    let copies = if copies.is_empty() { copies } else { format!("; {}", visible(&copies)) };
    let words = format!("{label}{words}{copies}{}", not_in_force(&elsewhere));
    let wrapped = text::wrap(&words, style.width.max(60) - 2).join("\n  ");
    let painted = wrapped.replacen(&label, &style.paint(color_of_weight(entry.weight), &label), 1);
    match painted.rfind(" [not in force: ").filter(|_| !elsewhere.is_empty()) {
        Some(at) => format!("{}{}", &painted[..at], style.paint(DIM, &painted[at..])),
        None => painted,
    }
}

fn of_one(finding: &Finding, weight: Weight, style: &TextStyle) -> String {
    let message = visible(&text::elide(&finding.message, MESSAGE_LENGTH)).into_owned();
    // Cards have their ids, and who asks for lines only needs them here.
    let has_id = style.detail == Detail::Quiet && weight <= Weight::Policy;
    let id = if has_id { format!(" [id {}]", visible(&finding.id)) } else { String::new() };
    format!(": {message}{}{id}", in_parentheses(place(finding)))
}

/// `shop/user.proto:4`, with the side where it is the old one.
fn place(finding: &Finding) -> Option<String> {
    let (side, at) = match (&finding.old, &finding.new) {
        (_, Some(new)) => ("", new),
        (Some(old), None) => ("old ", old),
        (None, None) => return None,
    };
    Some(format!("{side}{}:{}", at.file, at.line))
}

fn most_places(entry: &Entry<'_>) -> usize {
    if entry.weight == Weight::Note { MOST_OF_NOTES } else { MOST_PLACES }
}

/// ` ×14: title: file: name (line), name (line) and 2 more`; what names have in common is said once.
fn of_several(findings: &[&Finding], most: usize) -> String {
    let title = findings.first().map_or("", |finding| finding.title.trim());
    let mut out = format!(" ×{}: {}:", text::number(findings.len()), visible(title));
    let (mut file, mut container) = (None, "");
    for (at, finding) in findings.iter().take(most).enumerate() {
        let separator = if at == 0 { "" } else { "," };
        let here = finding.place().map(|place| place.file.as_str());
        let path = finding.path.as_str();
        let (inside, name) = path.rsplit_once('.').unwrap_or(("", path));
        let is_same = here == file && at > 0;
        let side = if finding.new.is_none() { "old " } else { "" };
        // A file that came is its own place.
        if let Some(here) = here.filter(|here| !is_same && *here != path) {
            let _ = write!(
                out,
                "{separator} {side}{}: `{}`",
                visible(&text::elide(here, 200)),
                visible(&text::elide(path, 100))
            );
        } else if is_same && inside == container && !inside.is_empty() {
            let _ = write!(out, "{separator} `.{}`", visible(&text::elide(name, 100)));
        } else {
            let _ = write!(out, "{separator} `{}`", visible(&text::elide(path, 100)));
        }
        if let Some(place) = finding.place() {
            let _ = write!(out, " ({})", place.line);
        }
        (file, container) = (here, inside);
    }
    if findings.len() > most {
        let _ = write!(out, " and {} more", text::number(findings.len() - most));
    }
    out
}

fn not_in_force(cells: &[&Cell]) -> String {
    if cells.is_empty() {
        return String::new();
    }
    format!(" [not in force: {}]", cells::cell_names(cells).join(", "))
}

/// ` (shop/user.proto:4)`
pub(super) fn in_parentheses(place: Option<String>) -> String {
    place.map(|place| format!(" ({})", visible(&place))).unwrap_or_default()
}
