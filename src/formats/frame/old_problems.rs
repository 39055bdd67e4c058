//! Problems that were there before.
//!
//! Of what a compiler refuses, some hides nothing: every element can be judged all the same. Where somebody wrote such a
//! thing just now it is an error. Where it stands on lines that did not change, it is none of this change's business.

use std::sync::Arc;

use rustc_hash::FxHashSet;

use crate::change::Pair;
use crate::formats::check::CheckOptions;
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

/// Which problems may be none of a change's business.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Excuses {
    /// Who compares two versions is told of every problem of either.
    Nothing,
    /// Who compares two versions of git is warned of what was there before and nothing leads to that is judged.
    WhatNothingReaches,
    /// Who checks a change is warned of what was there before.
    WhatWasThere,
}

impl Excuses {
    /// Those of a run.
    pub(super) fn of(options: &CheckOptions) -> Self {
        match options.lenient_unchanged {
            true => Excuses::WhatWasThere,
            false if options.forgives_unchanged() => Excuses::WhatNothingReaches,
            false => Excuses::Nothing,
        }
    }

    /// Whether a problem is forgiven where it was there before.
    fn cover(self, problem: &Problem) -> bool {
        match self {
            Excuses::Nothing => false,
            Excuses::WhatNothingReaches => problem.severity == Severity::Unreached,
            Excuses::WhatWasThere => problem.may_have_been_there(),
        }
    }
}

/// Makes errors of what is refused, and warnings where the other side says the same of the same lines.
pub(super) fn settle(old: &mut [Problem], new: &mut [Problem], snapshots: Pair<&Snapshot>, excuses: Excuses) {
    let exchanged = snapshots.mirrored();
    let known = Pair::new(covered(old, snapshots, excuses), covered(new, exchanged, excuses));
    settle_side(old, snapshots, &known.new, excuses);
    settle_side(new, exchanged, &known.old, excuses);
}

/// The problems of the first of the two sides.
fn settle_side(problems: &mut [Problem], snapshots: Pair<&Snapshot>, others: &FxHashSet<Passage>, excuses: Excuses) {
    for problem in problems.iter_mut().filter(|problem| problem.may_have_been_there()) {
        let is_known = || passage(problem, snapshots).is_some_and(|known| others.contains(&known));
        problem.severity = match problem.severity {
            _ if excuses.cover(problem) && is_known() => Severity::Warning,
            Severity::Refused => Severity::Error,
            _ => Severity::Aside,
        };
    }
}

/// Where the problems stand that are forgiven if they were there before.
fn covered(problems: &[Problem], snapshots: Pair<&Snapshot>, excuses: Excuses) -> FxHashSet<Passage> {
    problems.iter().filter(|problem| excuses.cover(problem)).filter_map(|problem| passage(problem, snapshots)).collect()
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
