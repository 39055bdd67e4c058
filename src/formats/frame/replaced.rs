//! A replaced type is judged where it was replaced.
//!
//! A field, a map value, a parameter may name another type than before, while neither of the two types was edited. What
//! the members of the one do to data of the other is no change of either: it is told at the place that was edited, as
//! [`Change::members`]. The judgement takes the worst of them (`judge.rs`), so such a place has one finding with one
//! severity, its members are the reasons, and what readers experience of them is its evidence.
//!
//! What a language does:
//!
//! * where two types meet whose names differ, it asks whether the one was *renamed* to the other (then they are compared as
//!   a pair of their own, by [`super::differ::Queue::meet`]) or *replaced* by it: one of the two names is there on both
//!   sides, so that no member of the one was ever a member of the other;
//! * where one was replaced, it states the change of the place and calls [`Replaced::at`] with the types that meet there,
//!   instead of putting the pair into the queue;
//! * when the queue is empty, it compares what [`Replaced::enter`] gives until nothing is left, each pair as if it met
//!   anywhere else, and hands what differs to [`Replaced::leave`]; a place inside of such a pair is noted by `at` as well;
//! * at last it calls [`Replaced::settle`], which says of a place what it does not tell (`Change::left_out`): where types hold
//!   each other there may be more than anybody reads, and more pairs than anybody waits for;
//! * its round trips know no pair of replaced types: whatever is experienced inside of one is told of the place, and the
//!   place is given every value that the pair would be given by itself.

use std::collections::VecDeque;
use std::sync::Arc;

use crate::change::{Change, LeftOut};
use crate::ordered::{InOrder, OrderedMap, OrderedSet};

use super::inside::{Depths, Node};

/// A place in the list of changes, with the types that meet there.
type Meeting<M> = (usize, Vec<M>);

/// The places where a type took that of another, and what differs inside. `M` is a pair of types.
pub(crate) struct Replaced<M> {
    /// Places in the list of changes, each with the types that meet there.
    places: Vec<Meeting<M>>,
    open: VecDeque<M>,
    known: OrderedSet<M>,
    inside: OrderedMap<M, Inside<M>>,
    work: usize,
    /// What was found outside of the pair that is compared now.
    outside: Option<(M, Vec<Change>, Vec<Meeting<M>>)>,
}

/// What is told at a place.
type Told = (Arc<[Change]>, LeftOut);

/// Work that is done for pairs of types of which the one took the other's place: one for each, and one for each change in it.
/// Types that hold each other meet each other in all combinations.
const MOST_WORK: usize = 8_000;
/// What is inside of a place is told there in full up to so many changes, or pairs.
const MOST_MEMBERS: usize = 1_000;
/// The same of all places together.
const MOST_TOLD: usize = 20_000;

/// What differs between two types, and which others meet inside.
struct Inside<M> {
    /// How many were compared before.
    at: usize,
    changes: Vec<Change>,
    pairs: OrderedSet<M>,
}

impl<M: Copy + Ord> Replaced<M> {
    /// Nothing was replaced yet.
    pub(crate) fn new() -> Self {
        Replaced {
            places: Vec::new(),
            open: VecDeque::new(),
            known: OrderedSet::new(),
            inside: OrderedMap::new(),
            work: 0,
            outside: None,
        }
    }

    /// At a change types took the places of others.
    pub(crate) fn at(&mut self, change: usize, pairs: impl IntoIterator<Item = M>) {
        let pairs: Vec<M> = pairs.into_iter().collect();
        if pairs.is_empty() {
            return;
        }
        let unknown = pairs.iter().copied().filter(|pair| self.known.insert(*pair));
        self.open.extend(unknown);
        self.places.push((change, pairs));
    }

    /// The next pair to compare, as long as there is one; `changes` then takes what differs inside.
    pub(crate) fn enter(&mut self, changes: &mut Vec<Change>) -> Option<M> {
        if self.work >= MOST_WORK {
            return None;
        }
        let pair = self.open.pop_front()?;
        self.outside = Some((pair, std::mem::take(changes), std::mem::take(&mut self.places)));
        Some(pair)
    }

    /// The pair is compared; `changes` is again what it was.
    pub(crate) fn leave(&mut self, changes: &mut Vec<Change>) {
        let Some((pair, before, places)) = self.outside.take() else { return };
        let pairs = std::mem::replace(&mut self.places, places).into_iter().flat_map(|(_, pairs)| pairs).collect();
        let at = self.inside.len();
        let changes = std::mem::replace(changes, before);
        self.work += 1 + changes.len();
        self.inside.insert(pair, Inside { at, changes, pairs });
    }

    /// Gives each place what differs inside of the types that meet there, however deep.
    pub(crate) fn settle(self, changes: &mut [Change]) {
        let mut made: OrderedMap<&[M], Told> = OrderedMap::new();
        let mut shared: OrderedMap<Vec<usize>, Told> = OrderedMap::new();
        let (mut depths, mut left) = (None, MOST_TOLD);
        for (change, pairs) in &self.places {
            let told = made.entry(pairs).or_insert_with(|| {
                if let Some(told) = self.all_inside(pairs, &mut left) {
                    return told;
                }
                let depths = depths.get_or_insert_with(|| self.depths());
                let key = depths.key(pairs.iter().filter_map(|pair| self.inside.get(pair)).map(|inside| inside.at));
                let known = shared.get(&key).cloned();
                let (members, left_out) = known.unwrap_or_else(|| depths.inside(&key).told());
                shared.insert(key, (members.clone(), left_out));
                let unknown = left_out.unknown || pairs.iter().any(|pair| !self.inside.contains_key(pair));
                (members, LeftOut { unknown, ..left_out })
            });
            if let Some(change) = changes.get_mut(*change) {
                (change.members, change.left_out) = told.clone();
            }
        }
    }

    /// Everything inside of some pairs, where that is not too much for one place, nor for all of them.
    fn all_inside(&self, pairs: &[M], left: &mut usize) -> Option<Told> {
        let most = (*left).min(MOST_MEMBERS);
        let mut reached: OrderedSet<M> = OrderedSet::new();
        let mut open: Vec<M> = pairs.to_vec();
        let mut members = Vec::new();
        let mut left_out = LeftOut::default();
        while let Some(pair) = open.pop() {
            if !reached.insert(pair) {
                continue;
            }
            let Some(inside) = self.inside.get(&pair) else {
                left_out.unknown = true;
                continue;
            };
            if reached.len() > most || members.len() + inside.changes.len() > most {
                *left -= most;
                return None;
            }
            members.extend(inside.changes.iter().cloned());
            open.extend(&inside.pairs);
        }
        *left -= members.len();
        Some((members.into(), left_out))
    }

    fn depths(&self) -> Depths<'_> {
        let node = |inside: &'_ Inside<M>| {
            let pairs = inside.pairs.iter().filter_map(|pair| self.inside.get(pair));
            let known: Vec<usize> = pairs.map(|inside| inside.at).collect();
            let unknown = known.len() < inside.pairs.len();
            (known, LeftOut { unknown, alike: false })
        };
        let mut nodes: Vec<(usize, Node<'_>)> = Vec::new();
        for inside in self.inside.values() {
            let (known, left_out) = node(inside);
            nodes.push((inside.at, Node { changes: &inside.changes, inside: known, left_out }));
        }
        nodes.sort_in_order_by_key(|(at, _)| *at);
        Depths::of(&nodes.into_iter().map(|(_, node)| node).collect::<Vec<_>>())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::change::{ChangeKind, Facts, Identity, Pair};

    fn change(path: &str) -> Change {
        Change::new(
            ChangeKind::FieldRemoved,
            path.to_owned(),
            Identity(path.to_owned()),
            Pair::new(None, None),
            Facts::none(),
        )
    }

    /// A place where the first of so many pairs meets, each of which holds the one behind it, and the last the first.
    fn ring(count: usize) -> (Vec<Change>, usize) {
        let mut replaced = Replaced::new();
        let mut changes = vec![change("place"), change("other place")];
        replaced.at(0, [0]);
        replaced.at(1, [count / 2]);
        let mut compared = 0;
        while let Some(pair) = replaced.enter(&mut changes) {
            compared += 1;
            changes.push(change(&format!("inside {pair}")));
            replaced.at(0, [(pair + 1) % count]);
            replaced.leave(&mut changes);
        }
        replaced.settle(&mut changes);
        (changes, compared)
    }

    #[test]
    fn what_is_inside_is_told_at_each_place_as_long_as_it_is_not_too_much() {
        let (changes, compared) = ring(MOST_MEMBERS - 1);
        assert_eq!(compared, MOST_MEMBERS - 1);
        assert!(changes.iter().all(|change| change.members.len() == compared && change.left_out == LeftOut::default()));
    }

    #[test]
    fn of_more_than_that_a_few_of_each_sort_are_told_and_all_places_share_them() {
        let (changes, compared) = ring(2 * MOST_MEMBERS);
        assert_eq!(compared, 2 * MOST_MEMBERS);
        assert!(changes[0].members.len() < 10);
        assert_eq!(changes[0].left_out, LeftOut { alike: true, unknown: false });
        assert!(Arc::ptr_eq(&changes[0].members, &changes[1].members));
    }

    #[test]
    fn no_more_pairs_are_compared_than_anybody_waits_for_and_the_places_say_so() {
        let (changes, compared) = ring(2 * MOST_WORK);
        assert!(compared <= MOST_WORK);
        assert!(changes.iter().all(|change| change.left_out.unknown && !change.members.is_empty()));
    }
}
