//! The cost of a check is the cost of the change: of the files that are the same on both sides only those are linked,
//! compared and written that a change can have to do with.
//!
//! That is more than what [`affected`] finds, since what is left must link as it does among all files and
//! mean the same: whatever the affected files lead to, whatever declares the same names as these, the other files of
//! the packages in which something changed, and one that still leads to what somebody else does not any more.

use std::borrow::Borrow;
use std::collections::BTreeMap;
use std::hash::BuildHasher;
use std::sync::Arc;

use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};

use super::contents::files;
use super::graph::{Graph, affected};
use super::language::Language;
use crate::change::Pair;
use crate::formats::outline::Ties;
use crate::snapshot::{ContentId, Snapshot};

/// Whom it concerns beside itself that a file changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Concerns {
    /// Nobody.
    Nobody,
    /// Whatever leads to it.
    WhateverLeadsToIt,
    /// The other files of its package as well.
    ItsPackage,
}

/// The paths of the judged files that a comparison has to look at; `None` where these are nearly all of them. What may
/// hold data of any type is asked, in the order of the files, whether it does; of what changed, whom that concerns.
pub(super) fn needed<L: Language, T: Borrow<Ties>>(
    sides: Pair<&Side<T>>,
    snapshots: Pair<&Snapshot>,
    carries_any: &dyn Fn(&str) -> bool,
    concerns: &dyn Fn(&str) -> Concerns,
) -> Option<FxHashSet<Arc<str>>> {
    let graphs = sides.map(|side| &side.graph);
    let changed = changed::<L, T>(sides, snapshots)?;
    let concerns_nobody = |path: &str| concerns(path) == Concerns::Nobody;
    let mut needed = affected(graphs, &concerns_nobody);
    needed.extend(affected(graphs.mirrored(), &concerns_nobody));
    needed.extend(changed.iter().cloned());
    let concerns_package = |path: &&Arc<str>| concerns(path) == Concerns::ItsPackage;
    let of_packages: FxHashSet<Arc<str>> = changed.iter().filter(concerns_package).cloned().collect();
    for side in [sides.old, sides.new] {
        needed.extend(side.of_packages(&of_packages));
        needed.extend(side.carrier(&changed, carries_any));
        // That a text could not be understood is told wherever it stands.
        needed.extend(side.graph.files.iter().filter(|file| file.is_broken).map(|file| file.path.clone()));
    }
    loop {
        let before = needed.len();
        for side in [sides.old, sides.new] {
            side.close(&mut needed);
        }
        for (one, other) in [(sides.old, sides.new), (sides.new, sides.old)] {
            needed.extend(other.still_leading_to(&one.supplied(&needed), &needed));
        }
        if needed.len() == before {
            break;
        }
    }
    let is_most = |graph: &Graph| {
        let judged = graph.files[..graph.judged].iter();
        judged.filter(|file| needed.contains(&file.path)).count() * 10 > graph.judged * 9
    };
    (!is_most(graphs.old) || !is_most(graphs.new)).then_some(needed)
}

/// The paths of judged files that do not say the same on both sides. `None` where anything else is not the same: a file
/// that only supplies types, what a file is called by those that import it, whether it is judged. What is no part of either
/// side may be what it likes, where nothing but imports leads to files.
fn changed<L: Language, T: Borrow<Ties>>(
    sides: Pair<&Side<T>>,
    snapshots: Pair<&Snapshot>,
) -> Option<FxHashSet<Arc<str>>> {
    let judged = sides.map(|side| {
        let files = side.graph.files[..side.graph.judged].iter();
        files.map(|file| (&*file.path, &*file.import_path)).collect::<FxHashMap<_, _>>()
    });
    let ids =
        snapshots.map(|side| files::<L>(side).map(|(path, file, _)| (path, file.id)).collect::<FxHashMap<_, _>>());
    let mut changed = FxHashSet::default();
    for path in ids.old.keys().chain(ids.new.keys()) {
        let id = Pair::new(ids.old.get(path), ids.new.get(path));
        let place = Pair::new(judged.old.get(&***path), judged.new.get(&***path));
        let is_part = || [sides.old, sides.new].iter().any(|side| side.by_path.contains_key(*path));
        if L::OUTLINES.is_some() && !is_part() {
            continue;
        }
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
#[derive(Clone)]
pub(super) struct Side<T> {
    graph: Graph,
    /// Of each file.
    ties: Vec<T>,
    leads_to: Vec<Vec<usize>>,
    by_path: FxHashMap<Arc<str>, usize>,
    /// The files that declare a name, by a number for it: that of two names is one now and then, and then more is looked at.
    declaring: FxHashMap<u64, Vec<usize>>,
}

fn hash(name: &str) -> u64 {
    FxBuildHasher.hash_one(name)
}

impl<T: Borrow<Ties>> Side<T> {
    /// The files of a graph with their ties.
    pub(super) fn of(graph: Graph, ties: Vec<T>) -> Self {
        let mut leads_to = vec![Vec::new(); graph.files.len()];
        for (from, to) in &graph.references {
            leads_to[*from].push(*to);
        }
        let by_path = graph.files.iter().enumerate().map(|(index, file)| (file.path.clone(), index)).collect();
        let mut declaring: FxHashMap<u64, Vec<usize>> = FxHashMap::default();
        for (index, ties) in ties.iter().enumerate() {
            ties.borrow().names.iter().for_each(|name| declaring.entry(hash(name)).or_default().push(index));
        }
        // Most names are declared once, and lead nowhere else.
        declaring.retain(|_, files| files.len() > 1);
        Side { graph, ties, leads_to, by_path, declaring }
    }

    /// The same files with other texts in some places, which import the same: with what identifies these and their ties.
    pub(super) fn with_texts(&self, texts: Vec<(Arc<str>, ContentId, T)>) -> Self
    where
        T: Clone,
    {
        let mut side = self.clone();
        let mut names: BTreeMap<u64, Vec<usize>> = BTreeMap::new();
        for (path, id, ties) in texts {
            let Some(index) = self.by_path.get(&path).copied() else { continue };
            for declared in [self.ties(index), ties.borrow()] {
                names.extend(declared.names.iter().map(|name| (hash(name), Vec::new())));
            }
            side.graph.files[index].id = Some(id);
            side.ties[index] = ties;
        }
        for (index, ties) in side.ties.iter().enumerate() {
            for name in &ties.borrow().names {
                if let Some(files) = names.get_mut(&hash(name)) {
                    files.push(index);
                }
            }
        }
        for (name, files) in names {
            match files.len() {
                0 | 1 => drop(side.declaring.remove(&name)),
                _ => drop(side.declaring.insert(name, files)),
            }
        }
        side
    }

    /// The files, with their ties.
    pub(super) fn files(&self) -> impl Iterator<Item = (&Arc<str>, &Ties)> {
        self.graph.files.iter().zip(&self.ties).map(|(file, ties)| (&file.path, ties.borrow()))
    }

    /// Of each file, which files lead to it.
    pub(super) fn used_by(&self) -> Vec<Vec<usize>> {
        let mut used_by = vec![Vec::new(); self.graph.files.len()];
        for (from, to) in &self.graph.references {
            used_by[*to].push(*from);
        }
        used_by
    }

    /// The files that lead to one, be it by files in between, and this.
    pub(super) fn leading_to(&self, path: &Arc<str>, used_by: &[Vec<usize>]) -> Vec<Arc<str>> {
        let mut open: Vec<usize> = self.by_path.get(path).copied().into_iter().collect();
        let mut seen = FxHashSet::default();
        while let Some(file) = open.pop() {
            if seen.insert(file) {
                open.extend(&used_by[file]);
            }
        }
        seen.into_iter().map(|file| self.path(file)).collect()
    }

    fn ties(&self, index: usize) -> &Ties {
        self.ties[index].borrow()
    }

    fn path(&self, index: usize) -> Arc<str> {
        self.graph.files[index].path.clone()
    }

    /// The files of the packages of some files.
    fn of_packages(&self, paths: &FxHashSet<Arc<str>>) -> Vec<Arc<str>> {
        let indices = paths.iter().filter_map(|path| self.by_path.get(path));
        let packages = indices.flat_map(|index| &self.ties(*index).packages).map(String::as_str);
        let packages: FxHashSet<&str> = packages.collect();
        let shares = |index: &usize| self.ties(*index).packages.iter().any(|package| packages.contains(&**package));
        (0..self.ties.len()).filter(shares).map(|index| self.path(index)).collect()
    }

    /// The files that only supply types, to those of some files that are judged.
    fn supplied(&self, paths: &FxHashSet<Arc<str>>) -> FxHashSet<Arc<str>> {
        let judged = paths.iter().filter_map(|path| self.by_path.get(path).copied());
        let mut open: Vec<usize> = judged.filter(|index| *index < self.graph.judged).collect();
        let mut seen = vec![false; self.graph.files.len()];
        while let Some(index) = open.pop() {
            if !std::mem::replace(&mut seen[index], true) {
                open.extend(&self.leads_to[index]);
            }
        }
        let supplying = self.graph.judged..seen.len();
        supplying.filter(|index| seen[*index]).map(|index| self.path(index)).collect()
    }

    /// That a file which only supplies types is a part of a version is known of all files together: of those among `files`
    /// to which no needed file leads, the first that does.
    fn still_leading_to(&self, files: &FxHashSet<Arc<str>>, needed: &FxHashSet<Arc<str>>) -> Vec<Arc<str>> {
        let known = self.supplied(needed);
        let lost = files.iter().filter(|path| !known.contains(*path));
        let lost: FxHashSet<usize> = lost.filter_map(|path| self.by_path.get(path).copied()).collect();
        let mut first: FxHashMap<usize, usize> = FxHashMap::default();
        for (from, to) in self.graph.references.iter().filter(|(_, to)| lost.contains(to)) {
            let first = first.entry(*to).or_insert(*from);
            *first = (*first).min(*from);
        }
        first.into_values().map(|from| self.path(from)).collect()
    }

    /// That data of any type have a place somewhere is known of all files together; one that did not change shows it.
    fn carrier(&self, changed: &FxHashSet<Arc<str>>, carries_any: &dyn Fn(&str) -> bool) -> Option<Arc<str>> {
        let carries = |index: &usize| {
            let path = &self.graph.files[*index].path;
            self.ties(*index).carries_any && !changed.contains(path) && carries_any(path)
        };
        (0..self.ties.len()).find(carries).map(|index| self.path(index))
    }

    /// Adds what the files lead to and what declares the same names, over and over.
    fn close(&self, needed: &mut FxHashSet<Arc<str>>) {
        let mut open: Vec<usize> = needed.iter().filter_map(|path| self.by_path.get(path).copied()).collect();
        let mut seen = vec![false; self.ties.len()];
        while let Some(index) = open.pop() {
            if std::mem::replace(&mut seen[index], true) {
                continue;
            }
            needed.insert(self.path(index));
            open.extend(&self.leads_to[index]);
            open.extend(self.ties(index).names.iter().filter_map(|name| self.declaring.get(&hash(name))).flatten());
        }
    }
}
