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
//! * at last it calls [`Replaced::settle`];
//! * its round trips know no pair of replaced types: whatever is experienced inside of one is told of the place, and the
//!   place is given every value that the pair would be given by itself.

use std::collections::VecDeque;
use std::sync::Arc;

use crate::change::Change;
use crate::ordered::{OrderedMap, OrderedSet};

/// A place in the list of changes, with the types that meet there.
type Meeting<M> = (usize, Vec<M>);

/// The places where a type took that of another, and what differs inside. `M` is a pair of types.
pub(crate) struct Replaced<M> {
    /// Places in the list of changes, each with the types that meet there.
    places: Vec<Meeting<M>>,
    open: VecDeque<M>,
    known: OrderedSet<M>,
    inside: OrderedMap<M, Inside<M>>,
    /// What was found outside of the pair that is compared now.
    outside: Option<(M, Vec<Change>, Vec<Meeting<M>>)>,
}

/// What differs between two types, and which others meet inside.
struct Inside<M> {
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
        let pair = self.open.pop_front()?;
        self.outside = Some((pair, std::mem::take(changes), std::mem::take(&mut self.places)));
        Some(pair)
    }

    /// The pair is compared; `changes` is again what it was.
    pub(crate) fn leave(&mut self, changes: &mut Vec<Change>) {
        let Some((pair, before, places)) = self.outside.take() else { return };
        let pairs = std::mem::replace(&mut self.places, places).into_iter().flat_map(|(_, pairs)| pairs).collect();
        self.inside.insert(pair, Inside { changes: std::mem::replace(changes, before), pairs });
    }

    /// Gives each place what differs inside of the types that meet there, however deep.
    pub(crate) fn settle(self, changes: &mut [Change]) {
        let mut made: OrderedMap<&[M], Arc<[Change]>> = OrderedMap::new();
        for (change, pairs) in &self.places {
            let members = made.entry(pairs).or_insert_with(|| self.members(pairs));
            if let Some(change) = changes.get_mut(*change) {
                change.members = members.clone();
            }
        }
    }

    fn members(&self, pairs: &[M]) -> Arc<[Change]> {
        let mut reached: OrderedSet<M> = OrderedSet::new();
        let mut open: Vec<M> = pairs.to_vec();
        let mut members = Vec::new();
        while let Some(pair) = open.pop() {
            if let (true, Some(inside)) = (reached.insert(pair), self.inside.get(&pair)) {
                members.extend(inside.changes.iter().cloned());
                open.extend(&inside.pairs);
            }
        }
        members.into()
    }
}
