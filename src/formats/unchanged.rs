//! Which problems a change has nothing to do with.

use rustc_hash::FxHashSet;

use crate::change::Pair;
use crate::source::Snapshot;
use crate::syntax::problem::{Problem, Severity};

/// The files of the new side.
#[derive(Debug)]
pub(super) struct Files<'p> {
    /// Where they lie.
    pub(super) paths: Vec<&'p str>,
    /// Those that a change elsewhere has taken something away from, by their place among the paths.
    pub(super) bereft: Vec<usize>,
}

/// Makes warnings of the errors of the new side that are in files which are the same on both sides, neither refer to a
/// changed file nor are referred to by one, be it by files in between. References are pairs of places among the paths.
pub(super) fn excuse(
    pair: Pair<&Snapshot>,
    files: &Files<'_>,
    references: impl IntoIterator<Item = (usize, usize)>,
    problems: &mut [Problem],
) {
    let affected = affected(pair, files, references);
    for problem in problems.iter_mut().filter(|problem| problem.severity == Severity::Error) {
        if problem.site.as_ref().is_some_and(|site| !affected.contains(&*site.file)) {
            problem.severity = Severity::Warning;
        }
    }
}

/// The paths of the files of the new side that a change has to do with.
fn affected<'p>(
    pair: Pair<&Snapshot>,
    files: &Files<'p>,
    references: impl IntoIterator<Item = (usize, usize)>,
) -> FxHashSet<&'p str> {
    let Files { paths, .. } = files;
    let id = |snapshot: &Snapshot, path: &str| snapshot.get(path).map(|file| file.id);
    let is_changed = |at: &usize| id(pair.old, paths[*at]) != id(pair.new, paths[*at]);
    let mut changed: Vec<usize> = (0..paths.len()).filter(is_changed).collect();
    changed.extend(&files.bereft);
    let [mut uses, mut used_by] = [vec![Vec::new(); paths.len()], vec![Vec::new(); paths.len()]];
    for (from, to) in references {
        uses[from].push(to);
        used_by[to].push(from);
    }
    let mut affected = FxHashSet::default();
    for links in [uses, used_by] {
        let mut seen = vec![false; paths.len()];
        let mut left = changed.clone();
        while let Some(file) = left.pop() {
            if !std::mem::replace(&mut seen[file], true) {
                affected.insert(paths[file]);
                left.extend(&links[file]);
            }
        }
    }
    affected
}
