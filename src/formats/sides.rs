//! What every language does with its two sides: work on both at once, and leave out what one of them could not read.

use std::collections::BTreeSet;

use rustc_hash::FxHashSet;

use crate::change::{Change, Pair};
use crate::syntax::problem::{NotChecked, Problem, Severity};

/// Works on the two sides at the same time.
pub(super) fn both<T: Send>(old: impl FnOnce() -> T + Send, new: impl FnOnce() -> T + Send) -> Pair<T> {
    let (old, new) = rayon::join(old, new);
    Pair::new(old, new)
}

/// What was not checked on either side, each once and in order.
pub(super) fn not_checked(sides: Pair<Vec<NotChecked>>) -> Vec<NotChecked> {
    sides.old.into_iter().chain(sides.new).collect::<BTreeSet<_>>().into_iter().collect()
}

/// Makes an error of the warning about an import that is not found now and led to a file before: the schema is not whole,
/// and its types must not pass for unknown ones.
pub(super) fn refuse_lost_import(problem: &mut Problem, import: &str, before: &str) {
    problem.severity = Severity::Error;
    problem.message = format!(
        "import `{import}` was not found: in the old version it leads to {before}, which the new version does not have"
    );
}

/// Files that one side could not read. An element that seems to be gone may stand in the part that was not understood,
/// so what was found in them is left out; the problems of these files say that the verdict does not cover them.
pub(super) struct Doubtful<'p>(FxHashSet<&'p str>);

impl<'p> Doubtful<'p> {
    /// The files in which the sides have errors; `None` where there are none.
    pub(super) fn of(problems: Pair<&'p [Problem]>) -> Option<Self> {
        let errors = problems.old.iter().chain(problems.new).filter(|problem| problem.severity == Severity::Error);
        let files: FxHashSet<&str> =
            errors.filter_map(|problem| problem.site.as_ref().map(|site| &*site.file)).collect();
        (!files.is_empty()).then_some(Doubtful(files))
    }

    /// Whether a file is one of them.
    pub(super) fn has(&self, path: &str) -> bool {
        self.0.contains(path)
    }

    /// Whether a change touches one of them.
    pub(super) fn touches(&self, change: &Change) -> bool {
        [&change.at.old, &change.at.new].into_iter().flatten().any(|site| self.has(&site.file))
    }
}
