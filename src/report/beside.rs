//! What versions in folders side by side showed, beside what a check against the base did: one report of both.
//!
//! Both were judged, and nothing is judged again. The folders add to the report of the base and take nothing away.

use super::versions::{forget_needless, graver, place};
use super::{Finding, ModeVerdict, Problem, Report, RoundTrips, Stats};
use crate::ordered::{InOrder, OrderedSet};
use crate::vocabulary::{Mode, Open, POLICY, UpgradeOrder, Verdict};

/// The report of a check against the base, with what folders side by side showed.
pub fn beside(base: Report, folders: Report) -> Report {
    let findings = findings(&base, &folders);
    let modes = modes(&base, &folders, &findings);
    let problems: OrderedSet<Problem> = base.problems.iter().chain(&folders.problems).cloned().collect();
    let mut problems: Vec<Problem> = problems.into_iter().collect();
    problems.sort_in_order_by(|one, other| one.place().cmp(&other.place()));
    let gaps: OrderedSet<_> = base.not_checked.iter().chain(&folders.not_checked).cloned().collect();
    let sum = |count: fn(&Report) -> usize| count(&base) + count(&folders);
    Report {
        verdict: verdict([&base.verdict, &folders.verdict]).into(),
        strictest_mode: ModeVerdict::strictest(&modes),
        modes,
        versions: base.versions.iter().chain(&folders.versions).cloned().collect(),
        upgrade_order: upgrade_order([&base.upgrade_order, &folders.upgrade_order]),
        findings,
        problems,
        not_checked: gaps.into_iter().collect(),
        round_trips: RoundTrips::of_all([&base, &folders].into_iter()),
        stats: Stats {
            files_parsed: sum(|report| report.stats.files_parsed),
            changes: sum(|report| report.stats.changes),
            ..base.stats.clone()
        },
        diffs: base.diffs.iter().chain(&folders.diffs).cloned().collect(),
        ..base
    }
}

/// What either showed, in the order of reports; what both did is told once, as the graver of them.
fn findings(base: &Report, folders: &Report) -> Vec<Finding> {
    let mut found = base.findings.clone();
    for finding in folders.findings.iter().filter(|finding| finding.format != POLICY) {
        match found.iter_mut().find(|known| known.id == finding.id) {
            Some(known) => {
                graver(known, finding);
                known.versions.clone_from(&finding.versions);
            }
            None => found.push(finding.clone()),
        }
    }
    forget_needless(&mut found);
    found.sort_in_order_by(|one, other| place(one).cmp(&place(other)));
    found
}

/// A mode passes where it does for both.
fn modes(base: &Report, folders: &Report, findings: &[Finding]) -> Vec<ModeVerdict> {
    let of = |report: &Report, mode: &Open<Mode>| {
        report.modes.iter().find(|rung| rung.mode == *mode).map(|rung| rung.passes)
    };
    let of_base = base.modes.iter().map(|rung| &rung.mode);
    let of_folders = folders.modes.iter().map(|rung| &rung.mode);
    let all = of_base.chain(of_folders.filter(|mode| of(base, mode).is_none()));
    let rung = |mode: &Open<Mode>| {
        // The base is one version, so a transitive mode demands of it what the mode itself does.
        let of_two = Mode::OF_TWO.iter().find(|two| two.transitive().is_some_and(|transitive| *mode == transitive));
        let in_base = of(base, mode).or_else(|| of(base, &(*of_two?).into()));
        let passes = in_base.unwrap_or(true) && of(folders, mode).unwrap_or(true);
        ModeVerdict::of(mode.clone(), passes, findings)
    };
    all.map(rung).collect()
}

fn verdict(both: [&Open<Verdict>; 2]) -> Verdict {
    if both.iter().any(|one| **one == Verdict::Breaking) {
        Verdict::Breaking
    } else if both.iter().all(|one| **one == Verdict::Compatible) {
        Verdict::Compatible
    } else {
        Verdict::Unknown
    }
}

/// An order that suits both.
fn upgrade_order([base, folders]: [&Open<UpgradeOrder>; 2]) -> Open<UpgradeOrder> {
    if base == folders || *folders == UpgradeOrder::Any {
        base.clone()
    } else if *base == UpgradeOrder::Any {
        folders.clone()
    } else {
        UpgradeOrder::None.into()
    }
}
