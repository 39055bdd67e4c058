//! A comparison in parts: files that changed and have nothing to do with each other are judged by themselves.
//!
//! Two versions of many that lie far apart differ in what their neighbours differ in, mostly in the same way. What is found
//! out of a part holds wherever the part is the same, whatever else the versions hold.

use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::graph::{Graph, Node};
use super::language::Language;
use super::narrow::{Asked, Concerns, Needed, carrier, changed, closed, of_packages_in, packages};
use crate::change::Pair;
use crate::formats::check::Checked;
use crate::ordered::{InOrder, OrderedMap};
use crate::snapshot::{ContentId, Snapshot};

/// Files, by their paths.
pub(super) type Files = FxHashSet<Arc<str>>;

/// Two versions, and which files of theirs can be judged by themselves.
pub(super) struct Parts {
    pub graphs: Pair<Arc<Graph>>,
    pub files: Vec<Files>,
}

/// What is found out of a part.
#[derive(Debug, Default)]
pub(super) struct Judged {
    /// What is told of it.
    pub checked: Checked,
    /// Whether it declares something that only one side has. What goes from one part may go on in another.
    pub is_open: Pair<bool>,
}

/// The files of each part, as a comparison has to look at them; `None` where they cannot be told apart. The arguments are
/// those of [`needed`](super::narrow::needed).
pub(super) fn parts<L: Language>(
    graphs: Pair<&Graph>,
    snapshots: Pair<&Snapshot>,
    asked: &Asked<'_>,
) -> Option<Vec<Files>> {
    let both = [graphs.old, graphs.new];
    let changed: Vec<(usize, &Arc<Node>)> = changed::<L>(graphs, snapshots, asked.alike)?;
    // That a text cannot be understood is told of all files together.
    if both.iter().any(|graph| !graph.broken().is_empty()) {
        return None;
    }
    let is_changed: FxHashSet<usize> = changed.iter().map(|(at, _)| *at).collect();
    let carriers: Vec<usize> = both.iter().filter_map(|graph| carrier(graph, &is_changed, asked.carries_any)).collect();
    let seeds: Vec<(usize, &Arc<Node>)> = seeds(graphs, asked.alike, &is_changed);
    let may_carry = |at: usize| both.iter().filter_map(|graph| graph.get(at)).any(|node| node.outline.ties.carries_any);
    // Where one part shows that data of any type have a place somewhere, it shows it for all.
    if carriers.len() < both.len() && seeds.iter().any(|(at, _)| may_carry(*at)) {
        return None;
    }
    let mut groups = grouped(graphs, &seeds, asked.concerns);
    groups.members.extend(asked.users);
    loop {
        let (mut is_done, mut parts) = (true, Vec::new());
        for members in groups.each() {
            let mut needed = Needed::of(graphs);
            needed.add(members.iter().chain(&carriers).copied());
            closed(graphs, &mut needed);
            for (seed, _) in seeds.iter().filter(|(seed, _)| needed.has(*seed)) {
                is_done &= !groups.join(members[0], *seed);
            }
            parts.push(needed);
        }
        if is_done {
            return Some(parts.iter().map(|needed| needed.paths(graphs).collect()).collect());
        }
    }
}

/// The files that changed with those that they concern: what leads to a file that concerns others belongs to it, and so do the
/// files of its package.
fn grouped(graphs: Pair<&Graph>, seeds: &[(usize, &Arc<Node>)], concerns: &dyn Fn(&str) -> Concerns) -> Groups {
    let both = [graphs.old, graphs.new];
    let mut groups = Groups::of(graphs);
    let mut by_package: OrderedMap<&str, usize> = OrderedMap::new();
    for (at, node) in seeds {
        groups.members.insert(*at);
        if concerns(&node.path) == Concerns::Nobody {
            continue;
        }
        for graph in both.iter().filter(|graph| graph.get(*at).is_some()) {
            graph.all_leading_to(*at).into_iter().for_each(|leading| _ = groups.join(*at, leading));
        }
        by_package.extend(packages(graphs, *at).map(|package| (&**package, *at)));
    }
    for (package, at) in by_package {
        let package = FxHashSet::from_iter([package]);
        for other in both.iter().flat_map(|graph| of_packages_in(graph, &package)) {
            groups.join(at, other);
        }
    }
    groups
}

/// The files that are not the same on both sides, or lead elsewhere.
fn seeds<'g>(graphs: Pair<&'g Graph>, alike: &Files, is_changed: &FxHashSet<usize>) -> Vec<(usize, &'g Arc<Node>)> {
    let seed = |at: usize| {
        let (old, new) = (graphs.old.get(at), graphs.new.get(at));
        let is_same = match (old, new) {
            (Some(old), Some(new)) => Arc::ptr_eq(old, new) || old.is_same_as(new, alike),
            _ => false,
        };
        let node = new.or(old)?;
        (!is_same || is_changed.contains(&at)).then_some((at, node))
    };
    (0..graphs.old.size().max(graphs.new.size())).filter_map(seed).collect()
}

/// Which files belong together.
struct Groups {
    /// For each file another one of its group, or itself.
    of: Vec<usize>,
    members: FxHashSet<usize>,
}

impl Groups {
    fn of(graphs: Pair<&Graph>) -> Self {
        let of = (0..graphs.old.size().max(graphs.new.size())).collect();
        Groups { of, members: FxHashSet::default() }
    }

    fn first(&mut self, at: usize) -> usize {
        let mut first = at;
        while self.of[first] != first {
            self.of[first] = self.of[self.of[first]];
            first = self.of[first];
        }
        first
    }

    /// Puts two files into one group; whether they were in two.
    fn join(&mut self, one: usize, other: usize) -> bool {
        self.members.extend([one, other]);
        let (one, other) = (self.first(one), self.first(other));
        self.of[one.max(other)] = one.min(other);
        one != other
    }

    /// The files of each group.
    fn each(&mut self) -> Vec<Vec<usize>> {
        let mut groups: OrderedMap<usize, Vec<usize>> = OrderedMap::new();
        let mut members: Vec<usize> = self.members.iter().copied().collect();
        members.sort_in_order();
        for at in members {
            groups.entry(self.first(at)).or_default().push(at);
        }
        groups.into_values().collect()
    }
}

impl Parts {
    /// What identifies some of the files: all that decides about what is found out of them, beside the terms.
    pub(super) fn identity(&self, files: &Files, terms: &str) -> ContentId {
        let mut paths: Vec<&Arc<str>> = files.iter().collect();
        paths.sort_in_order();
        let mut all = format!("{terms}\n").into_bytes();
        for path in paths {
            for graph in [&*self.graphs.old, &*self.graphs.new] {
                all.extend_from_slice(path.as_bytes());
                let Some(node) = graph.find(path).and_then(|at| graph.get(at)) else {
                    all.push(b'\n');
                    continue;
                };
                all.extend_from_slice(&node.id.map_or([0; 20], |id| id.0));
                for place in
                    node.place().into_iter().chain(node.imports.iter().flatten().filter_map(|at| path_of(graph, *at)))
                {
                    all.push(b' ');
                    all.extend_from_slice(place.as_bytes());
                }
                all.push(b'\n');
            }
        }
        ContentId::of(&all)
    }
}

fn path_of(graph: &Graph, at: usize) -> Option<&Arc<str>> {
    graph.get(at).map(|node| &node.path)
}

/// Which parts are open, and so can only be judged together: something goes from one and something comes into another.
pub(super) fn open<'j>(judged: impl Iterator<Item = &'j Judged>) -> Vec<usize> {
    let is_open: Vec<Pair<bool>> = judged.map(|one| one.is_open).collect();
    let on = |side: fn(&Pair<bool>) -> bool| {
        is_open.iter().enumerate().filter(move |(_, open)| side(open)).map(|(at, _)| at)
    };
    let goes_elsewhere = on(|open| open.old).any(|from| on(|open| open.new).any(|to| from != to));
    match goes_elsewhere {
        true => (0..is_open.len()).filter(|at| is_open[*at].old || is_open[*at].new).collect(),
        false => Vec::new(),
    }
}

/// What is told of all parts of two versions that have so many files.
pub(super) fn together(parts: &[Arc<Judged>], files: Pair<usize>) -> Checked {
    let mut all = Checked { files, ..Checked::default() };
    for Checked {
        changes,
        observed,
        problems,
        missing,
        unnamed,
        not_checked,
        unknown_roots,
        files: _,
        looked_at,
        files_parsed,
        elsewhere,
    } in parts.iter().map(|part| &part.checked)
    {
        all.changes.extend(changes.iter().cloned());
        let seen = &mut all.observed;
        seen.observations.extend(observed.observations.iter().cloned());
        seen.exercised.extend(observed.exercised.iter().cloned());
        seen.partly.extend(observed.partly.iter().cloned());
        seen.doubted.extend(observed.doubted.iter().cloned());
        seen.undecided.extend(observed.undecided.iter().cloned());
        seen.types += observed.types;
        seen.messages += observed.messages;
        add_new(&mut seen.left_out, &observed.left_out);
        add_new(&mut all.problems.old, &problems.old);
        add_new(&mut all.problems.new, &problems.new);
        all.missing.extend(missing.iter().cloned());
        all.unnamed.extend(unnamed.iter().cloned());
        add_new(&mut all.not_checked, not_checked);
        add_new(&mut all.unknown_roots, unknown_roots);
        all.looked_at = all.looked_at.zip(*looked_at, |all, these| all + these);
        all.files_parsed += files_parsed;
        all.elsewhere.extend(elsewhere.iter().cloned());
    }
    all
}

/// Adds what is not there: what several parts lead to is told of each.
fn add_new<T: PartialEq + Clone>(all: &mut Vec<T>, more: &[T]) {
    for one in more {
        if !all.contains(one) {
            all.push(one.clone());
        }
    }
}
