//! One line for each finding, or for several alike: what a reader of the report sees first.

use std::fmt::Write as _;

use super::super::overview::{self, Entry, Weight};
use super::super::{Cell, Finding, Report, cells};
use super::style::{DIM, Detail, TextStyle, color_of_weight};
use crate::ordered::OrderedSet;
use crate::text::{self, visible};

/// More entries than this are counted, with where to read them …
const MOST_ENTRIES: usize = 30;
/// … and never fewer than this are told.
const LEAST_ENTRIES: usize = 8;
/// So many places of one entry are named, or fewer until the list fits.
const MOST_PLACES: [usize; 6] = [12, 8, 5, 3, 2, 1];
/// So many places of an entry are named where there is no need to save lines.
pub(super) const ALL_PLACES: usize = MOST_PLACES[0];
/// So many places of notes are named, which must not drown what breaks.
const MOST_OF_NOTES: usize = 4;
/// Longer messages keep both ends.
const MESSAGE_LENGTH: usize = 240;
/// A package of fewer letters is not worth saying apart.
const LONG_PACKAGE: usize = 8;

/// What all findings of a list have in common, said once above it where the list is long.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Common<'a> {
    package: Option<&'a str>,
    file: Option<&'a str>,
}

impl<'a> Common<'a> {
    fn of(findings: impl Iterator<Item = &'a Finding> + Clone) -> Common<'a> {
        let package = overview::common_package(findings.clone());
        let mut files = findings.map(|finding| finding.place().map(|place| place.file.as_str()));
        let first = files.next().flatten();
        let file = first.filter(|first| files.all(|file| file == Some(first)));
        Common { package: package.filter(|package| package.len() >= LONG_PACKAGE), file }
    }

    /// ``in `acme.warehouse.v1`, acme/warehouse.proto:``
    fn heading(self) -> Option<String> {
        let package = self.package.map(|package| format!("`{}`", visible(&text::elide(package, 100))));
        let file = self.file.map(|file| visible(&text::elide(file, 200)).into_owned());
        let parts: Vec<String> = package.into_iter().chain(file).collect();
        (!parts.is_empty()).then(|| format!("in {}:", parts.join(", ")))
    }

    /// A name without the package.
    fn within(self, path: &str) -> &str {
        self.package.and_then(|package| path.strip_prefix(package)?.strip_prefix('.')).unwrap_or(path)
    }
}

/// A line for each entry, in so many lines of the screen where that can be; `None` where there is none.
pub(super) fn lines(report: &Report, entries: &[Entry<'_>], style: &TextStyle, room: usize) -> Option<String> {
    let length = |lines: &[String]| lines.iter().map(|line| line.lines().count()).sum::<usize>();
    let drawn = |places: usize, common: Common<'_>| -> Vec<String> {
        let heading = common.heading().map(|heading| text::wrap(&heading, style.room(2)).join("\n  "));
        let shown = entries.iter().take(MOST_ENTRIES);
        heading.into_iter().chain(shown.map(|entry| line(report, entry, style, places, common))).collect()
    };
    let (mut places, mut common) = (ALL_PLACES, Common::default());
    let mut lines = drawn(places, common);
    if length(&lines) > room {
        common = Common::of(entries.iter().flat_map(|entry| &entry.findings).copied());
        for fewer in MOST_PLACES {
            (places, lines) = (fewer, drawn(fewer, common));
            if length(&lines) <= room {
                break;
            }
        }
    }
    let headings = usize::from(common.heading().is_some());
    while length(&lines) > room && lines.len() > LEAST_ENTRIES {
        lines.pop();
    }
    let (told, rest) = entries.split_at((lines.len() - headings).min(entries.len()));
    let more = if !rest.is_empty() {
        let findings: usize = rest.iter().map(|entry| entry.findings.len()).sum();
        Some(format!("and {} more; `-v` shows them, `--format json` lists them", text::number(findings)))
    } else {
        let is_cut = told.iter().any(|entry| entry.findings.len() > most_places(entry, places));
        is_cut.then(|| "`-v` shows each finding, `--format json` lists them".to_owned())
    };
    lines.extend(more.map(|more| text::wrap(&more, style.room(2)).join("\n  ")));
    (!entries.is_empty()).then(|| lines.join("\n"))
}

/// An entry: what it weighs, its rule, what happened, and where, with so many places at most.
pub(super) fn line(report: &Report, entry: &Entry<'_>, style: &TextStyle, places: usize, common: Common<'_>) -> String {
    let label = format!("{}[{}]", entry.weight.word(), visible(entry.rule));
    let most = most_places(entry, places);
    let words = match entry.findings.as_slice() {
        [only] => of_one(only, entry.weight, style, common),
        several => of_several(several, most, common),
    };
    let elsewhere = match entry.weight.is_break() {
        true => Vec::new(),
        false => cells::worst_elsewhere(report, &entry.findings),
    };
    let copies = overview::in_copies(entry, most);
    let copies = if copies.is_empty() { copies } else { format!("; {}", visible(&copies)) };
    let words = format!("{label}{words}{copies}{}", not_in_force(&elsewhere));
    let wrapped = text::wrap(&words, style.room(2)).join("\n  ");
    let painted = wrapped.replacen(&label, &style.paint(color_of_weight(entry.weight), &label), 1);
    match painted.rfind(" [not in force: ").filter(|_| !elsewhere.is_empty()) {
        Some(at) => format!("{}{}", &painted[..at], style.paint(DIM, &painted[at..])),
        None => painted,
    }
}

fn of_one(finding: &Finding, weight: Weight, style: &TextStyle, common: Common<'_>) -> String {
    let message = match common.package {
        Some(package) => finding.message.replace(&format!("`{package}."), "`"),
        None => finding.message.clone(),
    };
    let message = visible(&text::elide(&message, MESSAGE_LENGTH)).into_owned();
    // Cards have their ids, and who asks for lines only needs them here.
    let has_id = style.detail == Detail::Quiet && weight <= Weight::Policy;
    let id = if has_id { format!(" [id {}]", visible(&finding.id)) } else { String::new() };
    format!(": {message}{}{id}", in_parentheses(place(finding, common)))
}

/// `shop/user.proto:4`, with the side where it is the old one; only the line where the file is said already.
fn place(finding: &Finding, common: Common<'_>) -> Option<String> {
    let (side, at) = match (&finding.old, &finding.new) {
        (_, Some(new)) => ("", new),
        (Some(old), None) => ("old ", old),
        (None, None) => return None,
    };
    match common.file {
        Some(_) => Some(format!("{side}line {}", at.line)),
        None => Some(format!("{side}{}:{}", at.file, at.line)),
    }
}

fn most_places(entry: &Entry<'_>, places: usize) -> usize {
    if entry.weight == Weight::Note { places.min(MOST_OF_NOTES) } else { places }
}

/// ` ×14: title: file: name (line), name (line) and 2 more`; what names have in common is said once.
fn of_several(findings: &[&Finding], most: usize, common: Common<'_>) -> String {
    let title = findings.first().map_or("", |finding| finding.title.trim());
    let mut out = format!(" ×{}: {}:", text::number(findings.len()), visible(title));
    let shown = &findings[..most.min(findings.len())];
    let containers: OrderedSet<&str> =
        shown.iter().map(|finding| overview::container_and_name(&finding.path, finding).0).collect();
    // Names of one container say it by themselves.
    let here = match containers.len() > 1 && common.package.is_none() {
        true => Common::of(shown.iter().copied()),
        false => Common::default(),
    };
    let here = if here.package.is_some() { here } else { Common::default() };
    if let Some(heading) = here.heading() {
        let _ = write!(out, " {heading}");
    }
    let said = common.file.or(here.file);
    let (mut file, mut container) = (said, "");
    let apart = overview::told_apart(shown);
    for (at, (finding, apart)) in shown.iter().zip(apart).enumerate() {
        let separator = if at == 0 { "" } else { "," };
        let in_file = finding.place().map(|place| place.file.as_str());
        let path = here.within(common.within(&finding.path));
        let (inside, name) = overview::container_and_name(path, finding);
        let is_same = in_file == file && (at > 0 || said.is_some());
        let side = if finding.new.is_none() { "old " } else { "" };
        let is_same_element = at > 0 && is_same && shown[at - 1].path == finding.path && apart.is_some();
        // A file that came is its own place.
        if let Some(in_file) = in_file.filter(|in_file| !is_same && *in_file != path) {
            // A path that begins with its file need not say it again.
            let path = if inside == in_file { name } else { path };
            let (in_file, path) = (text::elide(in_file, 200), text::elide(path, 100));
            let _ = write!(out, "{separator} {side}{}: `{}`", visible(&in_file), visible(&path));
        } else if is_same_element {
            out.push_str(separator);
        } else if is_same && inside == container && !inside.is_empty() {
            let _ = write!(out, "{separator} `{}`", visible(&text::elide(&path[inside.len()..], 100)));
        } else {
            let _ = write!(out, "{separator} `{}`", visible(&text::elide(path, 100)));
        }
        if let Some(apart) = apart {
            let _ = write!(out, " {}", visible(&text::elide(apart, 60)));
        }
        if let Some(place) = finding.place() {
            let _ = write!(out, " ({})", place.line);
        }
        (file, container) = (in_file, inside);
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
