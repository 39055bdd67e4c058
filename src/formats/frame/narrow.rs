//! The cost of a check is the cost of the change: of the files that are the same on both sides only those are linked,
//! compared and written that a change can have to do with.
//!
//! That is more than what [`affected`](super::affected) finds, since what is left must link as it does among all files and
//! mean the same: whatever the affected files lead to, whatever declares the same names as these, and the other files of
//! the packages in which something changed.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::affected::affected_by;
use super::contents::files;
use super::language::{Gathered, Language, Ties};
use crate::change::Pair;
use crate::snapshot::Snapshot;

/// The paths of the judged files that a comparison has to look at; `None` where these are nearly all of them.
pub(super) fn needed<L: Language>(
    sides: Pair<&Gathered<'_, L>>,
    snapshots: Pair<&Snapshot>,
) -> Option<FxHashSet<Arc<str>>> {
    let changed = changed(sides, snapshots)?;
    let all = sides.map(Side::of);
    let references = Pair::new(&all.old.references, &all.new.references);
    let mut needed = affected_by(sides, references);
    needed.extend(affected_by(sides.mirrored(), references.mirrored()));
    for side in [&all.old, &all.new] {
        needed.extend(side.of_packages(&changed));
        needed.extend(side.carrier(&changed));
        // That a text could not be understood is told wherever it stands.
        needed.extend(side.gathered.inputs.iter().filter(|input| input.is_broken()).map(|input| input.path.clone()));
    }
    loop {
        let before = needed.len();
        for side in [&all.old, &all.new] {
            side.close(&mut needed);
        }
        if needed.len() == before {
            break;
        }
    }
    let is_most = |side: &Gathered<'_, L>| {
        let judged = side.inputs[..side.judged].iter();
        judged.filter(|input| needed.contains(&input.path)).count() * 10 > side.judged * 9
    };
    (!is_most(sides.old) || !is_most(sides.new)).then_some(needed)
}

/// The paths of judged files that do not say the same on both sides. `None` where anything else is not the same: a file
/// that only supplies types, what a file is called by those that import it, whether it is judged.
fn changed<L: Language>(sides: Pair<&Gathered<'_, L>>, snapshots: Pair<&Snapshot>) -> Option<FxHashSet<Arc<str>>> {
    let judged = sides.map(|side| {
        let inputs = side.inputs[..side.judged].iter();
        inputs.map(|input| (&*input.path, &*input.import_path)).collect::<FxHashMap<_, _>>()
    });
    let ids =
        snapshots.map(|side| files::<L>(side).map(|(path, file, _)| (path, file.id)).collect::<FxHashMap<_, _>>());
    let mut changed = FxHashSet::default();
    for path in ids.old.keys().chain(ids.new.keys()) {
        let id = Pair::new(ids.old.get(path), ids.new.get(path));
        let place = Pair::new(judged.old.get(&***path), judged.new.get(&***path));
        if id.old != id.new {
            let is_judged = |id: Option<_>, place: Option<_>| id.is_none() || place.is_some();
            if !is_judged(id.old, place.old) || !is_judged(id.new, place.new) {
                return None;
            }
            changed.insert((*path).clone());
        } else if place.old != place.new {
            return None;
        }
    }
    Some(changed)
}

/// The files of a side, and what ties them to each other.
struct Side<'g, 't, L: Language> {
    gathered: &'g Gathered<'t, L>,
    ties: Vec<Ties>,
    /// Which input leads to which.
    references: Vec<(usize, usize)>,
    leads_to: Vec<Vec<usize>>,
    by_path: FxHashMap<&'g str, usize>,
}

impl<'g, 't, L: Language> Side<'g, 't, L> {
    fn of(gathered: &'g Gathered<'t, L>) -> Self {
        let mut leads_to = vec![Vec::new(); gathered.inputs.len()];
        let references = gathered.references();
        for (from, to) in &references {
            leads_to[*from].push(*to);
        }
        let ties = gathered.inputs.iter().map(|input| L::ties(&input.path, input.tree)).collect();
        let by_path = gathered.inputs.iter().enumerate().map(|(index, input)| (&*input.path, index)).collect();
        Side { gathered, ties, references, leads_to, by_path }
    }

    fn path(&self, index: usize) -> Arc<str> {
        self.gathered.inputs[index].path.clone()
    }

    /// The files of the packages of some files.
    fn of_packages(&self, paths: &FxHashSet<Arc<str>>) -> Vec<Arc<str>> {
        let indices = paths.iter().filter_map(|path| self.by_path.get(&**path));
        let packages = indices.flat_map(|index| &self.ties[*index].packages).map(String::as_str);
        let packages: FxHashSet<&str> = packages.collect();
        let shares = |index: &usize| self.ties[*index].packages.iter().any(|package| packages.contains(&**package));
        (0..self.ties.len()).filter(shares).map(|index| self.path(index)).collect()
    }

    /// That data of any type have a place somewhere is known of all files together; one that did not change shows it.
    fn carrier(&self, changed: &FxHashSet<Arc<str>>) -> Option<Arc<str>> {
        let carries =
            |index: &usize| self.ties[*index].carries_any && !changed.contains(&self.gathered.inputs[*index].path);
        (0..self.ties.len()).find(carries).map(|index| self.path(index))
    }

    /// Adds what the files lead to and what declares the same names, over and over.
    fn close(&self, needed: &mut FxHashSet<Arc<str>>) {
        let mut declaring: FxHashMap<&str, Vec<usize>> = FxHashMap::default();
        for (index, ties) in self.ties.iter().enumerate() {
            for name in &ties.names {
                declaring.entry(name).or_default().push(index);
            }
        }
        let mut open: Vec<usize> = needed.iter().filter_map(|path| self.by_path.get(&**path).copied()).collect();
        let mut seen = vec![false; self.ties.len()];
        while let Some(index) = open.pop() {
            if std::mem::replace(&mut seen[index], true) {
                continue;
            }
            needed.insert(self.path(index));
            open.extend(&self.leads_to[index]);
            open.extend(self.ties[index].names.iter().filter_map(|name| declaring.get(&**name)).flatten());
        }
    }
}
