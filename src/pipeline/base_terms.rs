//! What passes only because the change loosened the terms by which it is judged.
//!
//! The terms of the base judge too: everything that was found is decided once more as the base would have it, with its
//! configuration, its rules, and the files that it selects. What breaks there and does not here passes through the
//! change of terms, whatever that is: no key is looked at, so none can be forgotten.

use super::{attached, judged};
use crate::attach::Finding;
use crate::change::{Change, ChangeKind, FactKey, Facts, Identity, Pair, Side, Site};
use crate::formats::{Checked, Format};
use crate::ordered::OrderedSet;
use crate::rules::{RuleSet, Severity};
use crate::safeguards::{Safeguards, Scope};
use crate::shard::Elsewhere;
use crate::snapshot::Snapshot;
use crate::syntax::problem::Problem;
use crate::verdict::{Moves, Policy, decide_one};
use crate::waive::{Identified, Identifying};

/// The terms of the base, and what was found by them.
#[derive(Debug, Clone, Copy)]
pub struct BaseTerms<'a> {
    /// What each format found out, of the files that the base selects.
    pub checked: &'a [(Format, Checked)],
    /// Both sides, as the base selects them.
    pub snapshots: Pair<&'a Snapshot>,
    /// The opinion.
    pub rules: &'a RuleSet,
    /// What matters.
    pub policy: &'a Policy,
}

/// What was found and decided by the terms of this change.
pub(super) struct Present<'p, 'a> {
    /// The findings, before waivers.
    pub findings: &'p [Identified<'a>],
    /// What matters.
    pub policy: &'p Policy,
    /// What is wrong.
    pub problems: &'p [(Option<Side>, Problem)],
    /// What other parts of a divided check answer for.
    pub elsewhere: &'p Elsewhere<'p>,
}

/// One change for each break that the terms of the base would stop, and these do not. What a waiver covers is stopped
/// by nobody.
pub(super) fn let_through(base: &BaseTerms<'_>, safeguards: &Safeguards, present: &Present<'_, '_>) -> Vec<Change> {
    let stopped = breaking(present.findings.iter(), present.policy);
    let mut identifying = Identifying::default();
    identifying.add(attached(judged(base.checked, base.rules)).findings);
    identifying.waive(safeguards, base.snapshots, Scope::Part);
    let by_base = breaking(identifying.findings.iter(), base.policy);
    let passes = |one: &&Identified<'_>| {
        one.waiver.is_none()
            && by_base.contains(one.id.as_str())
            && !stopped.contains(one.id.as_str())
            && present.elsewhere.is_changed_here(one.finding.judged.change)
    };
    let breaks = identifying.findings.iter().filter(passes).map(|one| about_break(&one.finding, &one.id));
    breaks.chain(unreadable(base, present.problems)).collect()
}

/// The ids of findings that break by some terms.
fn breaking<'f, 'a: 'f>(
    findings: impl Iterator<Item = &'f Identified<'a>> + Clone,
    policy: &Policy,
) -> OrderedSet<&'f str> {
    let moves = Moves::of(findings.clone().map(|one| &one.finding));
    let breaks =
        |one: &&Identified<'_>| decide_one(&one.finding, policy, &moves).is_some_and(|decided| decided.breaking);
    findings.filter(breaks).map(|one| one.id.as_str()).collect()
}

fn about_break(finding: &Finding<'_>, id: &str) -> Change {
    let change = finding.judged.change;
    let looser = format!(
        "breaks by the terms of the base ({}), and passes only because this change loosens them",
        finding.judged.rule.id
    );
    let what = format!("{} {id}", finding.judged.format);
    let_pass(&what, change.path.clone(), change.at.clone(), looser)
}

/// Files that the base selects, that were there before, and that nobody can read any more.
fn unreadable<'b>(base: &'b BaseTerms<'_>, known: &'b [(Option<Side>, Problem)]) -> impl Iterator<Item = Change> + 'b {
    let known: OrderedSet<&str> = known.iter().map(|(_, problem)| problem.message.as_str()).collect();
    let errors =
        base.checked.iter().flat_map(|(_, checked)| &checked.problems.new).filter(|problem| problem.is_error());
    let mut told = OrderedSet::new();
    errors.filter_map(move |problem| {
        let site = problem.site.as_ref()?;
        let is_hidden = base.snapshots.old.get(&site.file).is_some() && !known.contains(problem.message.as_str());
        (is_hidden && told.insert(site.file.clone())).then(|| {
            let looser = format!(
                "cannot be judged by the terms of the base ({}), and passes only because this change loosens them",
                problem.message
            );
            let at = Pair::new(None, Some(site.clone()));
            let_pass(&format!("file {}", site.file), site.file.to_string(), at, looser)
        })
    })
}

/// What passes only because the change loosens the terms: what identifies it, what it is called, where it stands, and in words
/// what the terms of the base would do.
pub fn let_pass(what: &str, path: String, at: Pair<Option<Site>>, looser: String) -> Change {
    Change {
        kind: ChangeKind::ConfigurationLoosened,
        identity: Identity(format!("let through {what}")),
        path,
        at,
        facts: Facts::none().with(FactKey::Looser, looser).with(FactKey::Weight, Severity::Error.name()),
        suggestion: None,
        members: [].into(),
        left_out: Default::default(),
        heading: None,
        reports: Vec::new(),
    }
}
