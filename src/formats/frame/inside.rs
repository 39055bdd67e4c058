//! What differs inside of types that took each other's places, however deep, where that is more than anybody reads.
//!
//! Types that hold each other are inside of each other, so what is inside of one is found once for all of them. Of changes
//! that no rule tells apart a few are kept: the worst that readers experience is the same. What rules are asked about is
//! everything but the names, numbers and types of the element.

use std::sync::Arc;

use crate::change::{Change, ChangeKind, FactKey, LeftOut};
use crate::evidence::{Direction, Observed, Undecided};
use crate::ordered::{InOrder, OrderedMap};
use crate::text::plural;

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
            observed.undecided.push(Undecided { cells: Vec::new(), direction, at, message, help });
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
        let (together, each) = together(nodes);
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

/// Which nodes lead to each other, by a number for each, and the nodes of each number: those that others lead to come first.
/// (Tarjan's components, without recursion: schemas nest as deep as they like.)
fn together(nodes: &[Node<'_>]) -> (Vec<usize>, Vec<Vec<usize>>) {
    let mut walk = Walk {
        order: vec![0; nodes.len()],
        low: vec![0; nodes.len()],
        number: vec![None; nodes.len()],
        count: 0,
        waiting: Vec::new(),
        way: Vec::new(),
    };
    let mut each = Vec::new();
    for start in 0..nodes.len() {
        if walk.order[start] == 0 {
            walk.enter(start);
        }
        while let Some((node, next)) = walk.way.last_mut() {
            let (node, to) = (*node, nodes[*node].inside.get(*next).copied());
            *next += 1;
            match to {
                Some(to) if walk.order[to] == 0 => walk.enter(to),
                Some(to) if walk.number[to].is_none() => walk.low[node] = walk.low[node].min(walk.order[to]),
                Some(_) => {}
                None => each.extend(walk.leave(node, each.len())),
            }
        }
    }
    (walk.number.into_iter().map(|number| number.expect("every node was left")).collect(), each)
}

/// The state of the search.
struct Walk {
    /// When each node was met, from 1.
    order: Vec<usize>,
    /// The first met node that each leads back to.
    low: Vec<usize>,
    number: Vec<Option<usize>>,
    count: usize,
    /// Nodes without a number.
    waiting: Vec<usize>,
    /// The nodes on the way here, each with which of its edges is next.
    way: Vec<(usize, usize)>,
}

impl Walk {
    fn enter(&mut self, node: usize) {
        self.count += 1;
        (self.order[node], self.low[node]) = (self.count, self.count);
        self.waiting.push(node);
        self.way.push((node, 0));
    }

    /// Leaves a node all of whose edges are known; those that lead to each other, if it is the first of them.
    fn leave(&mut self, node: usize, number: usize) -> Option<Vec<usize>> {
        self.way.pop();
        if let Some((parent, _)) = self.way.last() {
            self.low[*parent] = self.low[*parent].min(self.low[node]);
        }
        if self.low[node] != self.order[node] {
            return None;
        }
        let first = self.waiting.iter().rposition(|waiting| *waiting == node)?;
        let members = self.waiting.split_off(first);
        members.iter().for_each(|member| self.number[*member] = Some(number));
        Some(members)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_leads_to_each_other_is_one_behind_what_it_leads_to() {
        let edges: [&[usize]; 6] = [&[1], &[2, 3], &[0], &[4, 3], &[], &[0, 4]];
        let node = |inside: &&[usize]| Node { changes: &[], inside: inside.to_vec(), left_out: LeftOut::default() };
        let nodes: Vec<Node<'_>> = edges.iter().map(node).collect();
        let (number, each) = together(&nodes);
        assert_eq!(each, [vec![4], vec![3], vec![0, 1, 2], vec![5]]);
        assert_eq!(number, [2, 2, 2, 1, 0, 3]);
    }
}
