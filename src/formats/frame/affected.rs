//! What problems matter: of files that a change has to do with, and not of what is gone.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::language::{Gathered, Language};
use crate::change::{Pair, Site};
use crate::ordered::OrderedMap;
use crate::snapshot::ContentId;
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

/// The files that lie elsewhere and say what they said: where each is now, by where it was.
pub(super) type Carried = FxHashMap<Arc<str>, Arc<str>>;

/// Of files that went and files that came those that have one text, which is no other's.
pub(super) fn carried<L: Language>(sides: Pair<&Gathered<'_, L>>) -> Carried {
    let paths = sides.map(|side| side.inputs.iter().map(|input| &*input.path).collect::<FxHashSet<_>>());
    let mut texts: OrderedMap<ContentId, Pair<Vec<&Arc<str>>>> = OrderedMap::new();
    for input in sides.old.judged().filter(|input| !paths.new.contains(&*input.path)) {
        input.id.into_iter().for_each(|id| texts.entry(id).or_default().old.push(&input.path));
    }
    for input in sides.new.judged().filter(|input| !paths.old.contains(&*input.path)) {
        input.id.into_iter().for_each(|id| texts.entry(id).or_default().new.push(&input.path));
    }
    let ending = |path: &str| path.rsplit('.').next().map(str::to_owned);
    let only = texts.into_values().filter_map(|paths| match (&paths.old[..], &paths.new[..]) {
        ([old], [new]) if ending(old) == ending(new) => Some(((*old).clone(), (*new).clone())),
        _ => None,
    });
    only.collect()
}

/// The same the other way round.
pub(super) fn back(carried: &Carried) -> Carried {
    carried.iter().map(|(old, new)| (new.clone(), old.clone())).collect()
}

/// What is wrong with a file that only lies elsewhere is told where it lies now.
pub(super) fn tell_once(old: &mut Vec<Problem>, new: &[Problem], carried: &Carried) {
    if carried.is_empty() {
        return;
    }
    let said = |problem: &Problem| (problem.message.clone(), problem.is_error());
    let known: FxHashSet<(Option<Site>, (String, bool))> =
        new.iter().map(|problem| (problem.site.clone(), said(problem))).collect();
    old.retain(|problem| {
        let site = problem.site.as_ref();
        let now = site.and_then(|site| Some(Site { file: carried.get(&site.file)?.clone(), span: site.span }));
        now.is_none() || !known.contains(&(now, said(problem)))
    });
}
