//! What every language does with its two sides: work on both at once.

use std::collections::BTreeSet;

use crate::change::Pair;
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

/// How to supply a file that was not found.
pub(super) fn missing_import_help(path: &str) -> String {
    let below = path.trim_start_matches("../");
    match below == path {
        true => format!("pass `-I DIR`, DIR being the directory below which `{path}` lies"),
        false => format!("compare the directory that holds `{below}` too: the path leads out of what is compared"),
    }
}
