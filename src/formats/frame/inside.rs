//! What differs inside of types that took each other's places, however deep, where that is more than anybody reads.
//!
//! Types that hold each other are inside of each other, so what is inside of one is found once for all of them. Of changes
//! that no rule tells apart a few are kept: the worst that readers experience is the same. What rules are asked about is
//! everything but the names, numbers and types of the element.

use std::sync::Arc;

use crate::change::{Change, ChangeKind, FactKey, LeftOut, Pair};
use crate::evidence::{Direction, Observed, Undecided};
use crate::ordered::{InOrder, OrderedMap};
use crate::text::plural;

use super::components::together;

/// Changes that are kept of those that no rule tells apart.
const ALIKE: usize = 3;

/// What tells elements apart and not what became of them.
const NAMING: [FactKey; 8] = [
    FactKey::OldName,
    FactKey::NewName,
    FactKey::Number,
    FactKey::OldNumber,
    FactKey::NewNumber,
    FactKey::Container,
    FactKey::OldType,
    FactKey::NewType,
];

/// What rules and configurations may ask of a change: what happened, in which files, and all facts that name nothing.
type Sort = (ChangeKind, [Option<Arc<str>>; 2], Vec<(FactKey, String)>);

fn sort(change: &Change) -> Sort {
    let facts = change.facts.iter().filter(|(key, _)| !NAMING.contains(key));
    let facts = facts.map(|(key, value)| (key, value.to_owned())).collect();
    (change.kind, files(change), facts)
}

fn files(change: &Change) -> [Option<Arc<str>>; 2] {
    [&change.at.old, &change.at.new].map(|site| site.as_ref().map(|site| site.file.clone()))
}

/// A few changes of each sort.
#[derive(Debug, Clone, Default)]
pub(super) struct Few<'c> {
    sorts: OrderedMap<Sort, Vec<&'c Change>>,
    left_out: LeftOut,
}

impl<'c> Few<'c> {
    fn add(&mut self, sort: Sort, change: &'c Change) {
        let alike = self.sorts.entry(sort).or_default();
        if alike.iter().any(|known| std::ptr::eq(*known, change)) {
            return;
        }
        match alike.len() < ALIKE {
            true => alike.push(change),
            false => self.left_out.alike = true,
        }
    }

    /// The same of several.
    fn join(&mut self, other: &Few<'c>) {
        for (sort, changes) in &other.sorts {
            changes.iter().for_each(|change| self.add(sort.clone(), change));
        }
        self.left_out.alike |= other.left_out.alike;
        self.left_out.unknown |= other.left_out.unknown;
    }

    /// Them all, and what is not among them.
    pub(super) fn told(&self) -> (Arc<[Change]>, LeftOut) {
        (self.sorts.values().flatten().map(|change| (*change).clone()).collect(), self.left_out)
    }
}

/// Says of which places nobody knows what is inside of the types that took each other's places: no claim about them falls, and
/// they are no pass, which is said once for each file.
pub(super) fn say_what_is_not_known(changes: &[Change], observed: &mut Observed) {
    let mut places: OrderedMap<[Option<Arc<str>>; 2], Vec<&Change>> = OrderedMap::new();
    for change in changes.iter().filter(|change| change.left_out.unknown) {
        places.entry(files(change)).or_default().push(change);
    }
    for alike in places.into_values() {
        let [first, others @ ..] = &alike[..] else { continue };
        let others = match others.len() {
            0 => String::new(),
            count => format!(" and at {} like it", plural(count, "place")),
        };
        for (direction, readers) in [Direction::Backward, Direction::Forward]
            .into_iter()
            .zip(["new readers of old data", "old readers of new data"])
        {
            let message = format!(
                "what {readers} see at `{}`{others} could not be told: the types that take each other's places there hold \
                 each other, and not all of them are compared",
                first.path
            );
            let help = "give the types that changed their places new names, or change one place at a time".to_owned();
            let at = first.at.clone();
            let (lacks, is_told) = (Pair::default(), false);
            observed.undecided.push(Undecided { cells: Vec::new(), direction, at, message, help, lacks, is_told });
        }
    }
    observed
        .doubted
        .extend(changes.iter().filter(|change| change.left_out.unknown).map(|change| change.identity.clone()));
}

/// A pair of types: what differs between them, which other pairs meet inside, and whether any of these was not compared.
pub(super) struct Node<'c> {
    pub(super) changes: &'c [Change],
    pub(super) inside: Vec<usize>,
    pub(super) left_out: LeftOut,
}

/// What is inside of pairs of types.
pub(super) struct Depths<'c> {
    /// For each pair those that hold each other with it, by a number.
    together: Vec<usize>,
    few: Vec<Few<'c>>,
}

impl<'c> Depths<'c> {
    pub(super) fn of(nodes: &[Node<'c>]) -> Self {
        let edges: Vec<&[usize]> = nodes.iter().map(|node| &*node.inside).collect();
        let (together, each) = together(&edges);
        let mut few: Vec<Few<'c>> = Vec::new();
        // What is inside of others comes before them.
        for (number, members) in each.iter().enumerate() {
            let mut own = Few::default();
            for node in members.iter().map(|at| &nodes[*at]) {
                node.changes.iter().for_each(|change| own.add(sort(change), change));
                own.left_out.unknown |= node.left_out.unknown;
            }
            let mut others: Vec<usize> =
                members.iter().flat_map(|at| &nodes[*at].inside).map(|at| together[*at]).collect();
            others.retain(|other| *other != number);
            others.sort_in_order();
            others.dedup();
            others.iter().for_each(|other| own.join(&few[*other]));
            few.push(own);
        }
        Depths { together, few }
    }

    /// The numbers of those that hold each other with some pairs.
    pub(super) fn key(&self, pairs: impl Iterator<Item = usize>) -> Vec<usize> {
        let mut key: Vec<usize> = pairs.map(|pair| self.together[pair]).collect();
        key.sort_in_order();
        key.dedup();
        key
    }

    /// What is inside of all that have these numbers.
    pub(super) fn inside(&self, key: &[usize]) -> Few<'c> {
        let mut all = Few::default();
        key.iter().for_each(|number| all.join(&self.few[*number]));
        all
    }
}
