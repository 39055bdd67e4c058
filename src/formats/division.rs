//! One check divided among several machines: which files each of them answers for.
//!
//! Every part reads everything and compares everything; that is cheap, and a type that moved or a package that is gone
//! cannot be seen otherwise. What costs are the round trips, and these are divided. What a reader sees of one type can
//! show while another is written that holds it, so files that may see each other's changes stay together: those that
//! lead to each other by imports, and those that have a change, an identity or a type in common. A file in which nothing
//! changed holds nothing together. So all that is ever told of a change is found in one part, and the parts together
//! find exactly what one run would.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::change::{Change, Pair};
use crate::ordered::{InOrder, OrderedMap, OrderedSet};

/// One part of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Part {
    /// Which one, from 1.
    pub number: u32,
    /// Of how many.
    pub of: u32,
}

/// Two types that round trips write.
pub struct Written<'s> {
    /// The files they are declared in.
    pub(crate) files: Pair<&'s str>,
    /// What they are called.
    pub(crate) names: Pair<&'s str>,
}

/// What this run writes of everything that differs.
#[derive(Debug, Default)]
pub struct Division {
    /// The files that other parts answer for; none where nothing is divided.
    elsewhere: OrderedSet<String>,
    /// The files that a side could not read.
    unread: FxHashSet<Arc<str>>,
}

impl Division {
    /// Divides. `references` are the files that files import, of both sides, and `written` is made only if it is needed.
    pub(crate) fn of<'s>(
        part: Option<Part>,
        changes: &'s [Change],
        written: impl FnOnce() -> Vec<Written<'s>>,
        references: impl FnOnce() -> Vec<(&'s str, &'s str)>,
    ) -> Division {
        let Some(part) = part.filter(|part| part.of > 1) else { return Division::default() };
        let mut groups = Groups::default();
        for change in changes {
            let key = groups.key(&format!("identity {}", change.identity));
            for site in [&change.at.old, &change.at.new].into_iter().flatten() {
                groups.join_file(&site.file, key);
            }
        }
        for Written { files, names } in written() {
            for name in [names.old, names.new] {
                let key = groups.key(&format!("type {name}"));
                groups.join_file(files.old, key);
                groups.join_file(files.new, key);
            }
            groups.add_weight(files.new);
        }
        groups.follow(&references());
        groups.divide(part)
    }

    /// The same without the types that stand in files that a side could not read.
    pub(crate) fn without(self, unread: FxHashSet<Arc<str>>) -> Self {
        Division { unread, ..self }
    }

    /// Whether this part answers for what was found in a file.
    pub(crate) fn is_here(&self, file: &str) -> bool {
        !self.elsewhere.contains(file)
    }

    /// Whether this part writes data of a pair of types that stand in two files. What data of others hold of them is
    /// written with those.
    pub(crate) fn writes(&self, files: Pair<&str>) -> bool {
        self.is_here(files.new) && !self.unread.contains(files.old) && !self.unread.contains(files.new)
    }

    /// The files that other parts answer for.
    pub(crate) fn elsewhere(self) -> OrderedSet<String> {
        self.elsewhere
    }
}

/// Files that belong together, found by joining them two by two.
#[derive(Default)]
struct Groups<'s> {
    /// Per node the one it was joined to, or itself.
    parents: Vec<usize>,
    keys: FxHashMap<String, usize>,
    /// The files with changes, and those of types that are written.
    files: OrderedMap<&'s str, usize>,
    /// How many pairs of types are written, by the file they stand in.
    weights: FxHashMap<&'s str, usize>,
}

impl<'s> Groups<'s> {
    fn node(&mut self) -> usize {
        self.parents.push(self.parents.len());
        self.parents.len() - 1
    }

    fn key(&mut self, key: &str) -> usize {
        if let Some(known) = self.keys.get(key) {
            return *known;
        }
        let node = self.node();
        self.keys.insert(key.to_owned(), node);
        node
    }

    fn join_file(&mut self, file: &'s str, with: usize) {
        let node = match self.files.get(file) {
            Some(known) => *known,
            None => {
                let node = self.node();
                self.files.insert(file, node);
                node
            }
        };
        self.join(node, with);
    }

    fn add_weight(&mut self, file: &'s str) {
        *self.weights.entry(file).or_default() += 1;
    }

    fn top(&mut self, mut node: usize) -> usize {
        while self.parents[node] != node {
            self.parents[node] = self.parents[self.parents[node]];
            node = self.parents[node];
        }
        node
    }

    fn join(&mut self, one: usize, other: usize) {
        let (one, other) = (self.top(one), self.top(other));
        self.parents[one.max(other)] = one.min(other);
    }

    /// Joins every file with all others of the division that its imports lead to.
    fn follow(&mut self, references: &[(&'s str, &'s str)]) {
        let mut targets: FxHashMap<&str, Vec<&'s str>> = FxHashMap::default();
        for (from, to) in references {
            targets.entry(from).or_default().push(to);
        }
        let starts: Vec<(&'s str, usize)> = self.files.iter().map(|(file, node)| (*file, *node)).collect();
        for (start, node) in starts {
            let mut seen = OrderedSet::from([start]);
            let mut open = vec![start];
            while let Some(file) = open.pop() {
                for target in targets.get(file).into_iter().flatten() {
                    if !seen.insert(*target) {
                        continue;
                    }
                    match self.files.get(target) {
                        // It is followed from there.
                        Some(known) => self.join(node, *known),
                        None => open.push(target),
                    }
                }
            }
        }
    }

    /// The heaviest groups first, each to the part with the least to do; every part comes to the same division.
    fn divide(mut self, part: Part) -> Division {
        let files: Vec<(&'s str, usize)> = self.files.iter().map(|(file, node)| (*file, *node)).collect();
        let mut groups: OrderedMap<usize, (usize, Vec<&'s str>)> = OrderedMap::new();
        for (file, node) in files {
            let weight = 1 + self.weights.get(file).copied().unwrap_or_default();
            let group = groups.entry(self.top(node)).or_default();
            group.0 += weight;
            group.1.push(file);
        }
        let mut groups: Vec<(usize, Vec<&'s str>)> = groups.into_values().collect();
        groups.sort_in_order_by(|one, other| other.0.cmp(&one.0).then_with(|| one.1.cmp(&other.1)));
        let mut loads = vec![0; part.of as usize];
        // What stands in no file is the first part's.
        let mut elsewhere: OrderedSet<String> = (part.number != 1).then(String::new).into_iter().collect();
        for (weight, files) in groups {
            let lightest = (0..loads.len()).min_by_key(|index| loads[*index]).unwrap_or_default();
            loads[lightest] += weight;
            if lightest + 1 != part.number as usize {
                elsewhere.extend(files.into_iter().map(str::to_owned));
            }
        }
        Division { elsewhere, unread: FxHashSet::default() }
    }
}
