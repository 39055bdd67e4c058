//! Problems that were there before.
//!
//! Of what a compiler refuses, some hides nothing: every element can be judged all the same. Where somebody wrote such a
//! thing just now it is an error. Where it stands on lines that did not change, it is none of this change's business.

use std::sync::Arc;

use rustc_hash::FxHashSet;

use crate::change::Pair;
use crate::snapshot::Snapshot;
use crate::syntax::problem::{Problem, Severity};

/// A problem wherever its lines stand: file, message, lines.
type Passage = (Document, String, Vec<u8>);

/// A file that both sides may have.
#[derive(PartialEq, Eq, Hash)]
enum Document {
    /// Under its path.
    At(Arc<str>),
    /// Under another path: what it says.
    Elsewhere(Vec<u8>),
}

/// Whether a problem may be none of a change's business.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Excuses {
    /// Who compares two versions is told of every problem of either.
    Nothing,
    /// Who checks a change is warned of what was there before.
    WhatWasThere,
}

/// Makes errors of what is refused, and warnings where the other side says the same of the same lines.
pub(super) fn settle(old: &mut [Problem], new: &mut [Problem], snapshots: Pair<&Snapshot>, excuses: Excuses) {
    if excuses == Excuses::Nothing {
        let refused =
            old.iter_mut().chain(new).filter(|problem| matches!(problem.severity, Severity::Refused | Severity::Aside));
        return refused.for_each(|problem| problem.severity = unexcused(problem.severity));
    }
    let exchanged = snapshots.mirrored();
    let known = Pair::new(refused(old, snapshots), refused(new, exchanged));
    settle_side(old, snapshots, &known.new);
    settle_side(new, exchanged, &known.old);
}

/// The problems of the first of the two sides.
fn settle_side(problems: &mut [Problem], snapshots: Pair<&Snapshot>, others: &FxHashSet<Passage>) {
    for problem in problems.iter_mut().filter(|problem| matches!(problem.severity, Severity::Refused | Severity::Aside))
    {
        let is_old = passage(problem, snapshots).is_some_and(|known| others.contains(&known));
        problem.severity = if is_old { Severity::Warning } else { unexcused(problem.severity) };
    }
}

/// What a problem is that was not there before.
fn unexcused(severity: Severity) -> Severity {
    if severity == Severity::Aside { severity } else { Severity::Error }
}

fn refused(problems: &[Problem], snapshots: Pair<&Snapshot>) -> FxHashSet<Passage> {
    let refused = problems.iter().filter(|problem| matches!(problem.severity, Severity::Refused | Severity::Aside));
    refused.filter_map(|problem| passage(problem, snapshots)).collect()
}

fn passage(problem: &Problem, snapshots: Pair<&Snapshot>) -> Option<Passage> {
    let site = problem.site.as_ref()?;
    let bytes = &snapshots.old.get(&site.file)?.bytes;
    let document = match snapshots.new.get(&site.file) {
        Some(_) => Document::At(site.file.clone()),
        None => Document::Elsewhere(bytes.to_vec()),
    };
    let range = site.span.range();
    let (before, after) = (bytes.get(..range.start)?, bytes.get(range.end..)?);
    let start = before.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    let end = after.iter().position(|byte| *byte == b'\n').map_or(bytes.len(), |at| range.end + at);
    Some((document, problem.message.clone(), bytes[start..end].trim_ascii().to_vec()))
}
