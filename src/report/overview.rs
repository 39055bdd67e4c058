//! The order in which every form tells findings, and which of them it tells together: decided here, once.
//!
//! The gravest for readers come first, then policy, then warnings and notes. Findings of one rule that weigh the same
//! are one entry where they are more than three, and in a long report where they are more than one. What is found in a
//! copy of a schema is told with the original.

use std::borrow::Cow;

use rustc_hash::FxHashMap;

use super::cells::{self, Refusal};
use super::{Finding, Report, findings};
use crate::ordered::InOrder;
use crate::text;
use crate::vocabulary::{Open, Outcome, Severity};

/// What a finding is to whoever reads the report; the gravest is the least.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Weight {
    /// It breaks: readers see what nobody wrote.
    Wrong,
    /// It breaks: readers reject the message.
    Fails,
    /// It breaks: readers lose what was written.
    Lossy,
    /// It breaks because readers feel it from a lower threshold on.
    Breaks,
    /// Something could not be seen, so nobody knows whether it breaks.
    NotSeen,
    /// No reader breaks; another tool that judges here or a rule that is set to an error fails the check.
    Refused,
    /// No reader breaks; a guard against the next mistake is missing, and the check fails for that.
    Policy,
    /// An error that does not break in this mode or at this threshold.
    Error,
    /// A guard is missing, and the check does not fail for that in this mode.
    Guard,
    /// A warning.
    Warning,
    /// Of a severity that only another version knows.
    Unknown,
    /// A note.
    Note,
}

impl Weight {
    /// What a finding of the report weighs, waivers aside.
    pub(crate) fn of(report: &Report, finding: &Finding) -> Weight {
        let is_guard = || cells::is_guard(report, finding);
        match &finding.severity {
            _ if finding.is_in_doubt() => Weight::NotSeen,
            _ if finding.breaking => match cells::refusal(report, finding) {
                Some(Refusal::Guard) => Weight::Policy,
                Some(Refusal::Tool { .. } | Refusal::Rule) => Weight::Refused,
                None => Weight::of_break(report, finding),
            },
            Open::Known(Severity::Error) if is_guard() => Weight::Guard,
            Open::Known(Severity::Error) => Weight::Error,
            Open::Known(Severity::Warning) => Weight::Warning,
            Open::Unknown(_) => Weight::Unknown,
            Open::Known(Severity::Note) => Weight::Note,
        }
    }

    fn of_break(report: &Report, finding: &Finding) -> Weight {
        let worst = cells::cells(report, finding).into_iter().map(|cell| &cell.outcome).max();
        match worst {
            Some(Open::Known(Outcome::Wrong)) => Weight::Wrong,
            Some(Open::Known(Outcome::Fails)) => Weight::Fails,
            Some(Open::Known(Outcome::Lossy)) => Weight::Lossy,
            Some(Open::Known(Outcome::Unrecognized | Outcome::Defaulted | Outcome::Safe) | Open::Unknown(_)) | None => {
                Weight::Breaks
            }
        }
    }

    /// One word for it.
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Weight::Wrong => Outcome::Wrong.name(),
            Weight::Fails => Outcome::Fails.name(),
            Weight::Lossy => Outcome::Lossy.name(),
            Weight::Breaks => "breaks",
            Weight::NotSeen => "not seen",
            Weight::Refused => "refused",
            Weight::Policy | Weight::Guard => "policy",
            Weight::Error => Severity::Error.name(),
            Weight::Warning => Severity::Warning.name(),
            Weight::Unknown => "another",
            Weight::Note => Severity::Note.name(),
        }
    }

    /// Whether a reader in force is harmed.
    pub(crate) fn is_break(self) -> bool {
        self <= Weight::Breaks
    }

    /// Whether it is no reader who fails the check, or would.
    pub(crate) const fn is_of_gate(self) -> bool {
        match self {
            Weight::Refused | Weight::Policy | Weight::Guard => true,
            Weight::Wrong | Weight::Fails | Weight::Lossy | Weight::Breaks | Weight::NotSeen => false,
            Weight::Error | Weight::Warning | Weight::Unknown | Weight::Note => false,
        }
    }
}

/// Findings that are told together; the only one, or more than three alike.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Entry<'a> {
    /// What each of them weighs.
    pub(crate) weight: Weight,
    /// The rule of all of them.
    pub(crate) rule: &'a str,
    /// In the order of the report; never empty.
    pub(crate) findings: Vec<&'a Finding>,
    /// The same in copies of their files.
    pub(crate) copies: Vec<&'a Finding>,
}

/// Folders in which projects keep copies of what belongs to others.
pub(crate) const FOLDERS_OF_COPIES: [&str; 6] =
    ["third_party", "third-party", "thirdparty", "vendor", "vendored", "node_modules"];

/// The name of an element and what holds it: at its last dot, and of a JSON pointer the document and the pointer. A file is held
/// by nothing.
pub(crate) fn container_and_name<'p>(path: &'p str, finding: &Finding) -> (&'p str, &'p str) {
    if let Some(at) = path.find('#') {
        return path.split_at(at);
    }
    if is_file(finding) { ("", path) } else { path.rsplit_once('.').unwrap_or(("", path)) }
}

/// Whether what changed is a whole file, or something of it that has no name.
fn is_file(finding: &Finding) -> bool {
    finding.old.iter().chain(&finding.new).any(|place| place.file == finding.path)
}

/// What several messages begin and end with.
fn in_common<'a>(messages: &[&'a str]) -> Option<(&'a str, &'a str)> {
    let (first, rest) = messages.split_first().filter(|(_, rest)| !rest.is_empty())?;
    let beginning = |common: &'a str, one: &&str| &common[..text::common_prefix(common, one)];
    let end = |common: &'a str, one: &&str| &common[common.len() - text::common_suffix(common, one)..];
    Some((rest.iter().fold(*first, beginning), rest.iter().fold(*first, end)))
}

/// What tells findings of one rule apart where several stand at one element: what is said of one and not of all of them. In the
/// order of the findings; nothing where the element says enough.
pub(crate) fn told_apart<'a>(findings: &[&'a Finding]) -> Vec<Option<&'a str>> {
    let mut at_element: FxHashMap<&str, Vec<&str>> = FxHashMap::default();
    for finding in findings {
        at_element.entry(&finding.path).or_default().push(&finding.message);
    }
    let common: FxHashMap<&str, (&str, &str)> =
        at_element.iter().filter_map(|(path, messages)| Some((*path, in_common(messages)?))).collect();
    let apart = |finding: &&'a Finding| {
        let (before, behind) = common.get(&*finding.path)?;
        // Whole words only.
        let start = before.rfind(' ').map_or(0, |at| at + 1);
        let end = finding.message.len() - behind.find(' ').map_or(0, |at| behind.len() - at);
        let own = finding.message.get(start..end)?.trim();
        (!own.is_empty()).then_some(own)
    };
    findings.iter().map(apart).collect()
}

/// The package that all elements lie in, by whole names: `shop.v1` of `shop.v1.User.id` and `shop.v1.Order`.
pub(crate) fn common_package<'a>(mut findings: impl Iterator<Item = &'a Finding>) -> Option<&'a str> {
    let first = findings.next()?;
    let mut package = container_and_name(&first.path, first).0;
    for path in findings.map(|finding| finding.path.as_str()) {
        let is_inside = |package: &str| path.strip_prefix(package).is_some_and(|rest| rest.starts_with('.'));
        while !package.is_empty() && !is_inside(package) {
            package = package.rsplit_once('.').map_or("", |(outer, _)| outer);
        }
    }
    (!package.is_empty() && !first.path.contains('#')).then_some(package)
}

/// Whether a finding stands in such a folder, wherever it has a place.
fn is_in_copy(finding: &Finding) -> bool {
    let is_copied = |file: &str| {
        let folders = file.rsplit_once('/').map_or("", |(folders, _)| folders);
        folders.split('/').any(|folder| FOLDERS_OF_COPIES.contains(&folder))
    };
    let mut places = finding.old.iter().chain(&finding.new).peekable();
    places.peek().is_some() && places.all(|place| is_copied(&place.file))
}

/// Findings without those in copies that say the same, and these by the finding that they are told with, which is the
/// original or else the first copy.
fn without_copies<'a>(report: &Report, all: &[&'a Finding]) -> (Vec<&'a Finding>, Copies<'a>) {
    // Names in which the file is a part are alike where the files are called alike.
    let apart = |finding: &'a Finding, words: &'a str| -> Cow<'a, str> {
        let file = finding.place().map_or("", |place| place.file.as_str());
        match file.rsplit_once('/') {
            Some((_, name)) if words.contains(file) => Cow::Owned(words.replace(file, name)),
            Some(_) | None => Cow::Borrowed(words),
        }
    };
    let same = |finding: &'a Finding| {
        let (path, message) = (apart(finding, &finding.path), apart(finding, &finding.message));
        (&*finding.rule, path, message, Weight::of(report, finding), finding.old.is_some())
    };
    let (copied, own): (Vec<&Finding>, Vec<&Finding>) = all.iter().partition(|finding| is_in_copy(finding));
    if copied.is_empty() {
        return (own, Copies::default());
    }
    let mut originals = FxHashMap::default();
    for finding in own.into_iter().chain(copied) {
        originals.entry(same(finding)).or_insert(finding);
    }
    let mut copies = Copies::default();
    let mut kept = Vec::new();
    for finding in all {
        match originals
            .get(&same(finding))
            .filter(|original| is_in_copy(finding) && !std::ptr::eq(**original, *finding))
        {
            Some(original) => copies.entry(std::ptr::from_ref(*original)).or_default().push(finding),
            None => kept.push(*finding),
        }
    }
    (kept, copies)
}

/// Findings in copies, by the one that they are told with.
type Copies<'a> = FxHashMap<*const Finding, Vec<&'a Finding>>;

/// So many findings alike are still told one by one …
const APART: usize = 3;
/// … where that makes no more entries than this.
const LONG: usize = 15;

/// In which copies the same was found: `the same in 2 copies (vendor/a.proto:4 and third_party/a.proto:4)`; nothing where in
/// none. So many are named at most.
pub(crate) fn in_copies(entry: &Entry<'_>, most: usize) -> String {
    if entry.copies.is_empty() {
        return String::new();
    }
    let place = |finding: &&Finding| finding.place().map(|place| format!("{}:{}", place.file, place.line));
    let mut places: Vec<String> = entry.copies.iter().take(most).filter_map(place).collect();
    let more = entry.copies.len().saturating_sub(most);
    places.extend((more > 0).then(|| format!("{} more", text::number(more))));
    let count = match entry.copies.len() {
        1 => "a copy".to_owned(),
        count => format!("{} copies", text::number(count)),
    };
    format!("the same in {count} ({})", text::list(&places))
}

/// What nobody has acknowledged, the gravest first, without what only a tool would say that does not judge here.
pub(crate) fn entries(report: &Report) -> Vec<Entry<'_>> {
    let open = report.findings.iter().filter(|finding| finding.waiver.is_none() && !cells::is_aside(report, finding));
    entries_of(report, open.collect())
}

/// All that nobody has acknowledged, the gravest first.
pub(crate) fn every_entry(report: &Report) -> Vec<Entry<'_>> {
    entries_of(report, report.findings.iter().filter(|finding| finding.waiver.is_none()).collect())
}

fn entries_of<'a>(report: &'a Report, open: Vec<&'a Finding>) -> Vec<Entry<'a>> {
    let (open, copies) = without_copies(report, &open);
    let mut alike: Vec<Entry<'_>> = Vec::new();
    for (rule, group) in findings::by_rule(&open) {
        let first = alike.len();
        for finding in group {
            let weight = Weight::of(report, finding);
            match alike[first..].iter_mut().find(|entry| entry.weight == weight) {
                Some(entry) => entry.findings.push(finding),
                None => alike.push(Entry { weight, rule, findings: vec![finding], copies: Vec::new() }),
            }
        }
    }
    let in_lines = |entry: &Entry<'_>| if entry.findings.len() > APART { 1 } else { entry.findings.len() };
    let apart = if alike.iter().map(in_lines).sum::<usize>() > LONG { 1 } else { APART };
    let mut entries = Vec::new();
    for entry in alike {
        match entry.findings.len() {
            count if count > apart => entries.push(entry),
            _ => entries.extend(entry.findings.iter().map(|one| Entry {
                findings: vec![*one],
                copies: Vec::new(),
                ..entry
            })),
        }
    }
    for entry in &mut entries {
        let of_each = entry.findings.iter().filter_map(|finding| copies.get(&std::ptr::from_ref(*finding)));
        entry.copies = of_each.flatten().copied().collect();
    }
    // Among equals the smallest groups first: what happened once is looked at one by one.
    entries.sort_in_order_by_key(|entry| (entry.weight, entry.findings.len() > 1));
    entries
}
