//! Several old versions in few words: which of them are hurt, and which are fine.

use super::{Finding, FindingVersion, Report, Version};
use crate::text;
use crate::vocabulary::{Direction, Open, Verdict};

/// So many runs of versions are told apart; then the rest is counted.
const RUNS: usize = 6;

/// What a version has to do with a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum With {
    Breaks,
    Found,
    Absent,
    Unknown,
}

impl With {
    const ALL: [With; 4] = [With::Breaks, With::Found, With::Absent, With::Unknown];

    fn of(version: &FindingVersion) -> With {
        let is = |verdict: Verdict| [&version.backward, &version.forward].into_iter().any(|told| *told == verdict);
        let is_known = |told: &Open<Verdict>| matches!(told, Open::Known(Verdict::Compatible));
        match version.found {
            _ if version.breaking || is(Verdict::Breaking) => With::Breaks,
            true => With::Found,
            false if is_known(&version.backward) && is_known(&version.forward) => With::Absent,
            false => With::Unknown,
        }
    }

    fn words(self, versions: &str) -> String {
        match self {
            With::Breaks => format!("breaks with {versions}"),
            With::Found => format!("breaks nobody with {versions}"),
            With::Absent => format!("not with {versions}"),
            With::Unknown => format!("not established with {versions}"),
        }
    }
}

/// With which versions a finding breaks: `breaks with v1 and v2; not with v3`; nothing where there is one version.
pub(crate) fn finding(finding: &Finding) -> Option<String> {
    let versions = &finding.versions;
    if versions.len() < 2 {
        return None;
    }
    let told = With::ALL.iter().filter_map(|with| {
        let is_it = |version: &FindingVersion| With::of(version) == *with;
        let names = runs(versions, |version| &version.name, is_it);
        if versions.iter().all(is_it) {
            return Some(with.words(&format!("each of the {} versions", text::number(versions.len()))));
        }
        (!names.is_empty()).then(|| with.words(&names))
    });
    Some(told.collect::<Vec<_>>().join("; "))
}

/// The version that the old place of a finding is in: the last one in which it was found.
pub(crate) fn old_source<'a>(report: &'a Report, finding: &'a Finding) -> &'a str {
    let last = finding.versions.iter().rev().find(|version| version.found);
    match last {
        Some(version) if !is_of_last(finding) => &version.name,
        Some(_) | None => &report.old.source,
    }
}

/// Whether a finding is there between the last old version and the new one.
pub(crate) fn is_of_last(finding: &Finding) -> bool {
    finding.versions.last().is_none_or(|version| version.found)
}

/// The names of the versions for which a condition holds, neighbours together: `v1 to v4 and v7`.
fn runs<T>(all: &[T], name: fn(&T) -> &String, is_it: impl Fn(&T) -> bool) -> String {
    let mut runs: Vec<(usize, usize)> = Vec::new();
    for (at, _) in all.iter().enumerate().filter(|(_, one)| is_it(one)) {
        match runs.last_mut() {
            Some((_, end)) if *end + 1 == at => *end = at,
            _ => runs.push((at, at)),
        }
    }
    let named = |at: usize| format!("`{}`", text::elide(name(&all[at]), 80));
    let run = |(start, end): &(usize, usize)| match end - start {
        0 => vec![named(*start)],
        1 => vec![named(*start), named(*end)],
        _ => vec![format!("{} to {}", named(*start), named(*end))],
    };
    let mut words: Vec<String> = runs.iter().take(RUNS).flat_map(run).collect();
    let more: usize = runs.iter().skip(RUNS).map(|(start, end)| end - start + 1).sum();
    words.extend((more > 0).then(|| format!("{} more", text::number(more))));
    text::list(&words)
}

/// What holds with which versions, a line for each kind of answer: `v1 and v2: backward ✗, forward ✓`.
pub(crate) fn versions(report: &Report) -> Vec<String> {
    let mut kinds: Vec<(&Open<Verdict>, &Open<Verdict>)> = Vec::new();
    for version in &report.versions {
        let kind = (&version.backward, &version.forward);
        if !kinds.contains(&kind) {
            kinds.push(kind);
        }
    }
    let line = |(backward, forward): (&Open<Verdict>, &Open<Verdict>)| {
        let is_it = |version: &Version| version.backward == *backward && version.forward == *forward;
        let names = runs(&report.versions, |version| &version.name, is_it);
        let (backward, forward) = (mark(backward), mark(forward));
        format!("{names}: {} {backward}, {} {forward}", Direction::Backward, Direction::Forward)
    };
    kinds.into_iter().map(line).collect()
}

/// The first finding that each mode does not pass for, modes with the same one together.
pub(crate) fn costs(report: &Report) -> Vec<String> {
    let mut costs: Vec<(&Finding, Vec<String>)> = Vec::new();
    for rung in &report.modes {
        let Some(id) = &rung.costs else { continue };
        let Some(finding) = report.findings.iter().find(|finding| finding.id == *id) else { continue };
        let mode = format!("`{}`", rung.mode);
        match costs.iter_mut().find(|(known, _)| known.id == *id) {
            Some((_, modes)) => modes.push(mode),
            None => costs.push((finding, vec![mode])),
        }
    }
    let line = |(finding, modes): &(&Finding, Vec<String>)| {
        format!("{}: {} ({})", text::list(modes), text::elide(&finding.message, 200), finding.id)
    };
    costs.iter().map(line).collect()
}

/// The sign of a verdict.
pub(crate) fn mark(verdict: &Open<Verdict>) -> &'static str {
    match verdict {
        Open::Known(Verdict::Compatible) => "✓",
        Open::Known(Verdict::Breaking) => "✗",
        Open::Known(Verdict::Unknown) | Open::Unknown(_) => "?",
    }
}

/// The old side: the last version, and how many there are before it.
pub(crate) fn old_side(report: &Report) -> String {
    match report.versions.len() {
        0 | 1 => report.old.source.clone(),
        2 => format!("{} and {}", report.versions[0].name, report.old.source),
        count => {
            let first = report.versions.first().map_or("", |version| &version.name);
            format!("{} versions, {first} to {}", text::number(count), report.old.source)
        }
    }
}
