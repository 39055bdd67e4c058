//! The cost of a check is the cost of the change: of the files that are the same on both sides only those are linked,
//! compared and written that a change can have to do with.
//!
//! That is more than what [`affected`] finds, since what is left must link as it does among all files and
//! mean the same: whatever the affected files lead to, whatever declares the same names as these, the other files of
//! the packages in which something changed, and one that still leads to what somebody else does not any more.

use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::graph::{Graph, Node, affected};
use super::language::{Language, reading_in};
use crate::change::Pair;
use crate::ordered::InOrder;
use crate::snapshot::Snapshot;

/// Whom it concerns beside itself that a file changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Concerns {
    /// Nobody.
    Nobody,
    /// The other files of its package as well.
    ItsPackage,
}

/// Whom it concerns that files changed.
pub(super) struct Asked<'a> {
    /// Whether data of any type have a place in a file that may hold some, by its path; asked in the order of the files.
    pub carries_any: &'a dyn Fn(&str) -> bool,
    /// The files that are not the same and say the same.
    pub alike: &'a FxHashSet<Arc<str>>,
    /// Whom it concerns that a file changed, by its path.
    pub concerns: &'a dyn Fn(&str) -> Concerns,
    /// The files that did not change and use something that did.
    pub users: &'a FxHashSet<usize>,
}

/// The paths of the judged files that a comparison has to look at; `None` where these are nearly all of them. Files have the
/// same numbers on both sides.
pub(super) fn needed<L: Language>(
    graphs: Pair<&Graph>,
    snapshots: Pair<&Snapshot>,
    asked: &Asked<'_>,
) -> Option<FxHashSet<Arc<str>>> {
    let Asked { carries_any, alike, concerns, users } = asked;
    let changed = changed::<L>(graphs, snapshots, alike)?;
    let concerns_nobody = |path: &str| concerns(path) == Concerns::Nobody;
    let mut needed = Needed::of(graphs);
    needed.add_marked(&affected(graphs, alike, &concerns_nobody));
    needed.add_marked(&affected(graphs.mirrored(), alike, &concerns_nobody));
    let is_changed: FxHashSet<usize> = changed.iter().map(|(at, _)| *at).collect();
    needed.add(is_changed.iter().chain(*users).copied());
    needed.add(kept_start::<L>(graphs, &is_changed).into_iter());
    let of_packages = changed.iter().filter(|(_, node)| concerns(&node.path) == Concerns::ItsPackage);
    let packages: FxHashSet<&str> = of_packages.flat_map(|(at, _)| packages(graphs, *at)).map(String::as_str).collect();
    for graph in [graphs.old, graphs.new] {
        needed.add(of_packages_in(graph, &packages));
        needed.add(carrier(graph, &is_changed, carries_any).into_iter());
        // That a text could not be understood is told wherever it stands.
        needed.add(graph.broken().into_iter().map(|(at, _)| at));
    }
    closed(graphs, &mut needed);
    let is_most = |graph: &Graph| {
        let judged = needed.in_graph(graph).filter(|(_, node)| node.is_judged);
        judged.count() * 10 > graph.judged() * 9
    };
    let is_some_left = !is_most(graphs.old) || !is_most(graphs.new);
    is_some_left.then(|| needed.paths(graphs).collect())
}

/// Adds to what is needed whatever that needs itself.
pub(super) fn closed(graphs: Pair<&Graph>, needed: &mut Needed) {
    let mut closing = [graphs.old, graphs.new].map(Closing::of);
    loop {
        let before = needed.all.len();
        closing.iter_mut().for_each(|closing| closing.close(needed));
        for (one, other) in [(graphs.old, graphs.new), (graphs.new, graphs.old)] {
            let first = still_leading_to(Pair::new(one, other), needed);
            needed.add(first.into_iter());
        }
        if needed.all.len() == before {
            break;
        }
    }
}

/// Files by their numbers.
pub(super) struct Needed {
    is_needed: Vec<bool>,
    /// The same in the order in which they came.
    all: Vec<usize>,
}

impl Needed {
    pub(super) fn of(graphs: Pair<&Graph>) -> Self {
        Needed { is_needed: vec![false; graphs.old.size().max(graphs.new.size())], all: Vec::new() }
    }

    pub(super) fn has(&self, at: usize) -> bool {
        self.is_needed.get(at).copied().unwrap_or_default()
    }

    pub(super) fn add(&mut self, files: impl Iterator<Item = usize>) {
        for at in files {
            if !std::mem::replace(&mut self.is_needed[at], true) {
                self.all.push(at);
            }
        }
    }

    fn add_marked(&mut self, marked: &[bool]) {
        self.add((0..marked.len()).filter(|at| marked[*at]));
    }

    /// Their paths.
    pub(super) fn paths<'n>(&'n self, graphs: Pair<&'n Graph>) -> impl Iterator<Item = Arc<str>> {
        let both = [graphs.old, graphs.new].into_iter();
        both.flat_map(|graph| self.in_graph(graph)).map(|(_, node)| node.path.clone())
    }

    fn in_graph<'n>(&'n self, graph: &'n Graph) -> impl Iterator<Item = (usize, &'n Arc<Node>)> {
        self.all.iter().filter_map(|at| Some((*at, graph.get(*at)?)))
    }
}

/// The judged files that do not say the same on both sides. `None` where anything else is not the same: a file
/// that only supplies types, what a file is called by those that import it, whether it is judged. What is no part of either
/// side may be what it likes, where nothing but imports leads to files.
pub(super) fn changed<'g, L: Language>(
    graphs: Pair<&'g Graph>,
    snapshots: Pair<&Snapshot>,
    alike: &FxHashSet<Arc<str>>,
) -> Option<Vec<(usize, &'g Arc<Node>)>> {
    let mut changed = Vec::new();
    for path in snapshots.old.differing(snapshots.new).into_iter().filter(|path| !alike.contains(*path)) {
        let there =
            snapshots.map(|side| side.get(path).is_some_and(|file| reading_in::<L>(side, path, &file.bytes).is_some()));
        if !there.old && !there.new {
            continue;
        }
        let nodes = graphs.map(|graph| graph.find(path).and_then(|at| Some((at, graph.get(at)?))));
        let is_judged = |is_there: bool, node: Option<(usize, &Arc<Node>)>| {
            !is_there || node.is_some_and(|(_, node)| node.is_judged)
        };
        match nodes.new.or(nodes.old) {
            None if L::OUTLINES.is_some() => {}
            Some(node) if is_judged(there.old, nodes.old) && is_judged(there.new, nodes.new) => changed.push(node),
            _ => return None,
        }
    }
    let is_changed: FxHashSet<usize> = changed.iter().map(|(at, _)| *at).collect();
    let has_its_place = |at: usize| {
        let Pair { old, new } = graphs.map(|graph| graph.get(at));
        match (old, new) {
            (Some(old), Some(new)) if Arc::ptr_eq(old, new) => true,
            _ => old.and_then(|node| node.place()) == new.and_then(|node| node.place()) || is_changed.contains(&at),
        }
    };
    (0..graphs.old.size().max(graphs.new.size())).all(has_its_place).then_some(changed)
}

/// The packages of a file on both sides.
pub(super) fn packages(graphs: Pair<&Graph>, at: usize) -> impl Iterator<Item = &String> {
    let nodes = [graphs.old, graphs.new].into_iter().filter_map(move |graph| graph.get(at));
    nodes.flat_map(|node| &node.outline.ties.packages)
}

/// The files of some packages.
pub(super) fn of_packages_in(graph: &Graph, packages: &FxHashSet<&str>) -> impl Iterator<Item = usize> {
    graph.of_packages(|package| packages.contains(package)).into_iter().map(|(at, _)| at)
}

/// That data of any type have a place somewhere is known of all files together; one that did not change shows it. Of those
/// that do, one that leads to few others, since these come along.
pub(super) fn carrier(
    graph: &Graph,
    is_changed: &FxHashSet<usize>,
    carries_any: &dyn Fn(&str) -> bool,
) -> Option<usize> {
    let mut may = graph.carrying();
    may.retain(|(at, _)| !is_changed.contains(at));
    may.sort_in_order_by_key(|(_, node)| (!node.is_judged, node.leads_to.len(), &node.path));
    may.into_iter().find(|(_, node)| carries_any(&node.path)).map(|(at, _)| at)
}

/// That something of what data starts from is still there is known of all files together; one that did not change shows it.
fn kept_start<L: Language>(graphs: Pair<&Graph>, is_changed: &FxHashSet<usize>) -> Option<usize> {
    // What is declared where it was goes on there.
    let declares_otherwise = |at: &&usize| {
        let Pair { old, new } = graphs.map(|graph| graph.get(**at));
        old.is_some_and(|old| new.is_none_or(|new| new.names != old.names))
    };
    is_changed.iter().find(declares_otherwise)?;
    let kept = |at: &usize| graphs.new.get(*at).is_some() && !is_changed.contains(at);
    let starts = graphs.old.files().filter(|(_, node)| L::starts_data(&node.path)).map(|(at, _)| at);
    cheapest(graphs.old, starts.filter(kept))
}

/// The files that only supply types, to those of some files that are judged.
fn supplied(graph: &Graph, needed: &Needed) -> FxHashSet<usize> {
    let judged = needed.in_graph(graph).filter(|(_, node)| node.is_judged).map(|(at, _)| at);
    let reached = graph.reached_from(judged).into_iter();
    reached.filter(|at| graph.get(*at).is_some_and(|node| !node.is_judged)).collect()
}

/// That a file which only supplies types is a part of a version is known of all files together, and so is that others of its
/// package are: of those of the other side to which no needed file leads there, though one does on this side, one
/// that does.
fn still_leading_to(graphs: Pair<&Graph>, needed: &Needed) -> Vec<usize> {
    let Pair { old: this, new: other } = graphs;
    let known = supplied(other, needed);
    let lost: FxHashSet<usize> = supplied(this, needed).into_iter().filter(|at| !known.contains(at)).collect();
    if lost.is_empty() {
        return Vec::new();
    }
    let packages = lost.iter().filter_map(|at| this.get(*at)).flat_map(|node| &node.outline.ties.packages);
    let packages: FxHashSet<&String> = packages.collect();
    let is_lost = |at: usize, node: &Node| {
        let shares = || node.outline.ties.packages.iter().any(|package| packages.contains(package));
        !node.is_judged && !known.contains(&at) && (lost.contains(&at) || shares())
    };
    let lost = other.files().filter(|(at, node)| is_lost(*at, node)).map(|(at, _)| at);
    let above = lost.filter_map(|at| judged_above(other, at));
    // A file that is judged may be of such a package itself, as a copy of a built-in file is.
    let inside = packages.iter().filter_map(|package| {
        let of_package = other.of_packages(|one| one == package.as_str()).into_iter();
        cheapest(other, of_package.map(|(at, _)| at))
    });
    above.chain(inside).collect()
}

/// Of some files the one that is judged and leads to few others, since it comes along with all that it leads to.
fn cheapest(graph: &Graph, files: impl Iterator<Item = usize>) -> Option<usize> {
    let is_judged = |at: &usize| graph.get(*at).is_some_and(|node| node.is_judged);
    let cost = |at: &usize| graph.get(*at).map(|node| (node.leads_to.len(), &node.path));
    files.filter(is_judged).min_by_key(cost)
}

/// The nearest file that is judged and leads to one, whatever only supplies types between them.
fn judged_above(graph: &Graph, file: usize) -> Option<usize> {
    let (mut seen, mut level) = (FxHashSet::from_iter([file]), vec![file]);
    while !level.is_empty() {
        let above = level.iter().flat_map(|at| graph.used_by(*at));
        level = above.filter(|at| seen.insert(*at)).collect();
        if let Some(judged) = cheapest(graph, level.iter().copied()) {
            return Some(judged);
        }
    }
    None
}

/// What some files lead to and what declares the same names, over and over.
struct Closing<'g> {
    graph: &'g Graph,
    seen: Vec<bool>,
}

impl<'g> Closing<'g> {
    fn of(graph: &'g Graph) -> Self {
        Closing { graph, seen: vec![false; graph.size()] }
    }

    /// Adds to what is needed.
    fn close(&mut self, needed: &mut Needed) {
        let mut open: Vec<usize> = needed.in_graph(self.graph).map(|(at, _)| at).collect();
        while let Some(at) = open.pop() {
            let Some(node) = self.graph.get(at).filter(|_| !self.seen[at]) else { continue };
            self.seen[at] = true;
            needed.add(std::iter::once(at));
            open.extend(&node.leads_to);
            self.graph.add_declaring(&node.names, &mut open);
        }
    }
}
