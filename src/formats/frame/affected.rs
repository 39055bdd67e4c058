//! What problems matter: of files that a change has to do with, and not of what is gone.

use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::language::{Gathered, Language};
use crate::change::Pair;
use crate::syntax::problem::{Problem, Severity};

/// The files that only the old side has and whose types are all gone with them, under any namespace: nothing of them is
/// compared, so whatever is wrong with them hides nothing.
pub(super) fn gone<L: Language>(sides: Pair<&Gathered<'_, L>>) -> FxHashSet<Arc<str>> {
    let names = |side: &Gathered<'_, L>| -> Vec<Vec<String>> {
        let simple = |name: String| name.rsplit('.').next().unwrap_or_default().to_owned();
        side.inputs.iter().map(|input| L::mentions(input.tree).defines.into_iter().map(simple).collect()).collect()
    };
    let (old, new) = (names(sides.old), names(sides.new));
    let paths: FxHashSet<&str> = sides.new.inputs.iter().map(|input| &*input.path).collect();
    let known: FxHashSet<&str> = new.iter().flatten().map(String::as_str).collect();
    let is_gone = |defined: &[String]| !defined.is_empty() && defined.iter().all(|name| !known.contains(name.as_str()));
    let inputs =
        sides.old.inputs.iter().zip(&old).filter(|(input, _)| !input.is_broken() && !paths.contains(&*input.path));
    inputs.filter(|(_, defined)| is_gone(defined)).map(|(input, _)| input.path.clone()).collect()
}

/// Makes warnings of the errors in files that no change has to do with.
pub(super) fn excuse(problems: &mut [Problem], affected: &FxHashSet<Arc<str>>) {
    for problem in problems.iter_mut().filter(|problem| problem.severity != Severity::Warning) {
        if problem.site.as_ref().is_some_and(|site| !affected.contains(&site.file)) {
            problem.severity = Severity::Warning;
        }
    }
}
