//! What a change has to do with, as far as the texts of the files say: known before anything is linked.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::language::{Gathered, Language};
use crate::change::Pair;
use crate::syntax::problem::{Problem, Severity};

/// The paths of the files of the new side that are not the same on the old side, or lead elsewhere; that such a file leads
/// to; and that lead to such a file; be it by files in between.
pub(super) fn affected<L: Language>(sides: Pair<&Gathered<'_, L>>) -> FxHashSet<Arc<str>> {
    let references = sides.map(Gathered::references);
    affected_by(sides, Pair::new(&references.old, &references.new))
}

/// The same, where it is known which input leads to which.
pub(super) fn affected_by<L: Language>(
    sides: Pair<&Gathered<'_, L>>,
    references: Pair<&Vec<(usize, usize)>>,
) -> FxHashSet<Arc<str>> {
    let new = &sides.new.inputs;
    let targets = Pair::new(targets(sides.old, references.old), targets(sides.new, references.new));
    let before: FxHashMap<&str, usize> =
        sides.old.inputs.iter().enumerate().map(|(index, input)| (&*input.path, index)).collect();
    let is_same = |index: &usize| {
        let old = before.get(&*new[*index].path);
        old.is_some_and(|old| sides.old.id(*old) == sides.new.id(*index) && targets.old[*old] == targets.new[*index])
    };
    let changed: Vec<usize> = (0..new.len()).filter(|index| !is_same(index)).collect();
    let [mut uses, mut used_by] = [vec![Vec::new(); new.len()], vec![Vec::new(); new.len()]];
    for (from, to) in references.new {
        uses[*from].push(*to);
        used_by[*to].push(*from);
    }
    let mut affected = FxHashSet::default();
    for links in [uses, used_by] {
        let mut seen = vec![false; new.len()];
        let mut left = changed.clone();
        while let Some(file) = left.pop() {
            if !std::mem::replace(&mut seen[file], true) {
                affected.insert(new[file].path.clone());
                left.extend(&links[file]);
            }
        }
    }
    affected
}

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

/// Per input where its imports and its names lead; an import that leads nowhere counts as well.
fn targets<'g, L: Language>(
    side: &'g Gathered<'_, L>,
    references: &[(usize, usize)],
) -> Vec<(Vec<Option<&'g str>>, Vec<&'g str>)> {
    let path = |target: usize| &*side.inputs[target].path;
    let imports = side.inputs.iter().map(|input| input.imports.iter().map(|target| target.map(path)).collect());
    let mut targets: Vec<(Vec<Option<&str>>, Vec<&str>)> = imports.map(|imports| (imports, Vec::new())).collect();
    for (from, to) in references {
        targets[*from].1.push(path(*to));
    }
    targets.iter_mut().for_each(|(_, names)| names.sort_unstable());
    targets
}

/// Makes warnings of the errors in files that no change has to do with.
pub(super) fn excuse(problems: &mut [Problem], affected: &FxHashSet<Arc<str>>) {
    for problem in problems.iter_mut().filter(|problem| problem.severity != Severity::Warning) {
        if problem.site.as_ref().is_some_and(|site| !affected.contains(&site.file)) {
            problem.severity = Severity::Warning;
        }
    }
}
