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
type Passage = (Arc<str>, String, Vec<u8>);

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
    let known = Pair::new(refused(old, snapshots.old), refused(new, snapshots.new));
    settle_side(old, snapshots.old, &known.new);
    settle_side(new, snapshots.new, &known.old);
}

fn settle_side(problems: &mut [Problem], snapshot: &Snapshot, others: &FxHashSet<Passage>) {
    for problem in problems.iter_mut().filter(|problem| matches!(problem.severity, Severity::Refused | Severity::Aside))
    {
        let is_old = passage(problem, snapshot).is_some_and(|known| others.contains(&known));
        problem.severity = if is_old { Severity::Warning } else { unexcused(problem.severity) };
    }
}

/// What a problem is that was not there before.
fn unexcused(severity: Severity) -> Severity {
    if severity == Severity::Aside { severity } else { Severity::Error }
}

fn refused(problems: &[Problem], snapshot: &Snapshot) -> FxHashSet<Passage> {
    let refused = problems.iter().filter(|problem| matches!(problem.severity, Severity::Refused | Severity::Aside));
    refused.filter_map(|problem| passage(problem, snapshot)).collect()
}

fn passage(problem: &Problem, snapshot: &Snapshot) -> Option<Passage> {
    let site = problem.site.as_ref()?;
    let bytes = &snapshot.get(&site.file)?.bytes;
    let range = site.span.range();
    let (before, after) = (bytes.get(..range.start)?, bytes.get(range.end..)?);
    let start = before.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    let end = after.iter().position(|byte| *byte == b'\n').map_or(bytes.len(), |at| range.end + at);
    Some((site.file.clone(), problem.message.clone(), bytes[start..end].trim_ascii().to_vec()))
}
