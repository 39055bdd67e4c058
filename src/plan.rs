//! The way from a no to a yes: steps by which a change that breaks gets there without a break, each of them checked.
//!
//! Formats propose ways round each break (`formats::ways`). Here they are put together, each schema on the way is
//! written out and checked against the one before as any change is, and what does not hold is not shown. Nothing here knows a
//! format, and nothing is decided here that the whole check does not decide.

mod compose;
mod model;
pub mod render;
mod search;
mod steps;

pub use self::model::{Answer, Asked, Break, Holds, Judge, Judged, Plan, Refusal, Schema, Step, Told};
use self::model::{errors, felt, in_order};
use crate::change::Pair;
use crate::formats::{CheckOptions, Checked, Format};
use crate::judge::judge;
use crate::pipeline::{check_formats, check_snapshots};
use crate::report::Report;
use crate::rules::RuleSet;
use crate::snapshot::Snapshot;
use crate::verdict::Policy;
use crate::vocabulary::Verdict;

/// How many breaks a plan would be made of.
pub fn breaks(report: &Report) -> usize {
    if report.verdict == Verdict::Breaking { felt(report).count() } else { 0 }
}

/// Looks for a plan.
pub fn plan(asked: &Asked<'_>) -> Answer {
    let first = (asked.judge)(asked.pair);
    let wrong = errors(&first.report);
    if !wrong.is_empty() {
        return Answer::CannotTell(wrong);
    }
    if felt(&first.report).next().is_none() {
        return Answer::NotNeeded;
    }
    let broken = search::broken(&first);
    let mut tried = search::Tried::default();
    let strict = search::search(asked, &broken, search::Strictness::UnderMode, &mut tried);
    let instead = in_order(asked, &first.report);
    if let Some(found) = strict {
        let instead = instead.map(steps::instead);
        return Answer::Plan(steps::of_found(asked, &first.report, found, instead));
    }
    if let Some(order) = instead {
        return Answer::Plan(steps::of_order(asked, first.report, order));
    }
    if !asked.reaches_back
        && let Some(found) = search::search(asked, &broken, search::Strictness::InOrder, &mut tried)
    {
        return Answer::Plan(steps::of_found(asked, &first.report, found, None));
    }
    if let Some(found) = search::search(asked, &broken, search::Strictness::LastResort, &mut tried) {
        return Answer::Plan(steps::of_found(asked, &first.report, found, None));
    }
    Answer::NoWay(search::refusals(asked, &first, &broken, &tried))
}

/// The changes that were found, each with its rule.
pub fn told(checked: &[(Format, Checked)], rules: &RuleSet) -> Vec<Told> {
    let of_format = |(format, checked): &(Format, Checked)| {
        let judged = judge(format.name(), &checked.changes, rules).judged;
        let told = |one: crate::judge::Judged<'_>| Told {
            format: *format,
            rule: one.rule.id.clone(),
            change: one.change.clone(),
        };
        judged.into_iter().map(told).collect::<Vec<_>>()
    };
    checked.iter().flat_map(of_format).collect()
}

/// Plans for two versions in memory, without configuration.
pub fn plan_snapshots(
    pair: Pair<&Snapshot>,
    formats: &[Format],
    options: &CheckOptions,
    rules: &RuleSet,
    policy: &Policy,
) -> Answer {
    let judge = |pair: Pair<&Snapshot>| {
        let labels = Pair::new("old".to_owned(), "new".to_owned());
        Judged {
            report: check_snapshots(pair, formats, options, rules, policy, labels),
            told: told(&check_formats(pair, formats, options), rules),
        }
    };
    plan(&Asked { pair, judge: &judge, reaches_back: policy.reaches_back() })
}
