//! What `BTreeSet` offers, as far as it is used here.

use std::borrow::Borrow;
use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::RangeBounds;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::chunks::{self, Chunks, Found};

/// Values in order, each once.
#[derive(Clone)]
pub struct OrderedSet<T> {
    values: Chunks<T>,
}

impl<T> OrderedSet<T> {
    /// A set without values.
    pub const fn new() -> OrderedSet<T> {
        OrderedSet { values: Chunks::new() }
    }

    /// How many values there are.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether there is no value.
    pub fn is_empty(&self) -> bool {
        self.values.len() == 0
    }

    /// Removes all values.
    pub fn clear(&mut self) {
        *self = OrderedSet::new();
    }

    /// The values.
    pub fn iter(&self) -> chunks::Iter<'_, T> {
        self.values.iter()
    }

    /// The least value.
    pub fn first(&self) -> Option<&T> {
        self.values.first()
    }

    /// The greatest value.
    pub fn last(&self) -> Option<&T> {
        self.values.last()
    }

    /// Takes out the least value.
    pub fn pop_first(&mut self) -> Option<T> {
        self.values.pop_first()
    }

    /// Takes out the greatest value.
    pub fn pop_last(&mut self) -> Option<T> {
        self.values.pop_last()
    }

    /// Keeps the values for which `keep` says so.
    pub fn retain(&mut self, mut keep: impl FnMut(&T) -> bool) {
        self.values.retain(|value| keep(value));
    }

    fn find<Q: Ord + ?Sized>(&self, value: &Q) -> Found
    where
        T: Borrow<Q>,
    {
        self.values.find(|one| one.borrow().cmp(value))
    }

    /// Whether a value is there.
    pub fn contains<Q: Ord + ?Sized>(&self, value: &Q) -> bool
    where
        T: Borrow<Q>,
    {
        self.find(value).is_ok()
    }

    /// The value that equals another.
    pub fn get<Q: Ord + ?Sized>(&self, value: &Q) -> Option<&T>
    where
        T: Borrow<Q>,
    {
        self.find(value).ok().map(|place| self.values.get(place))
    }

    /// Takes out the value that equals another.
    pub fn take<Q: Ord + ?Sized>(&mut self, value: &Q) -> Option<T>
    where
        T: Borrow<Q>,
    {
        self.find(value).ok().map(|place| self.values.remove(place))
    }

    /// Removes a value; whether it was there.
    pub fn remove<Q: Ord + ?Sized>(&mut self, value: &Q) -> bool
    where
        T: Borrow<Q>,
    {
        self.take(value).is_some()
    }

    /// The values within bounds.
    ///
    /// Of bounds that exclude each other there are none.
    pub fn range<Q: Ord + ?Sized>(&self, bounds: impl RangeBounds<Q>) -> chunks::Iter<'_, T>
    where
        T: Borrow<Q>,
    {
        self.values.range(&bounds, |value| self.find(value))
    }
}

impl<T: Ord> OrderedSet<T> {
    /// Adds a value; whether it was not there. The one that was there stays.
    pub fn insert(&mut self, value: T) -> bool {
        match self.find(&value) {
            Ok(_) => false,
            Err(place) => {
                self.values.insert(place, value);
                true
            }
        }
    }

    /// Takes over the values of another set, which has none then.
    pub fn append(&mut self, other: &mut OrderedSet<T>) {
        self.extend(std::mem::take(other));
    }

    /// The values of both sets, each once, in order.
    pub fn union<'a>(&'a self, other: &'a OrderedSet<T>) -> impl Iterator<Item = &'a T> {
        let (mut ours, mut theirs) = (self.iter().peekable(), other.iter().peekable());
        std::iter::from_fn(move || match (ours.peek(), theirs.peek()) {
            (Some(one), Some(other)) if one > other => theirs.next(),
            (Some(one), Some(other)) if one == other => {
                theirs.next();
                ours.next()
            }
            (Some(_), _) => ours.next(),
            (None, _) => theirs.next(),
        })
    }

    /// The values that another set does not have.
    pub fn difference<'a>(&'a self, other: &'a OrderedSet<T>) -> impl DoubleEndedIterator<Item = &'a T> + Clone {
        self.iter().filter(|value| !other.contains(*value))
    }

    /// The values that another set has too.
    pub fn intersection<'a>(&'a self, other: &'a OrderedSet<T>) -> impl DoubleEndedIterator<Item = &'a T> + Clone {
        self.iter().filter(|value| other.contains(*value))
    }

    /// Whether another set has all values.
    pub fn is_subset(&self, other: &OrderedSet<T>) -> bool {
        self.len() <= other.len() && self.iter().all(|value| other.contains(value))
    }

    /// Whether all values of another set are here.
    pub fn is_superset(&self, other: &OrderedSet<T>) -> bool {
        other.is_subset(self)
    }

    /// Whether another set has none of the values.
    pub fn is_disjoint(&self, other: &OrderedSet<T>) -> bool {
        !self.iter().any(|value| other.contains(value))
    }
}

impl<T> Default for OrderedSet<T> {
    fn default() -> Self {
        OrderedSet::new()
    }
}

impl<T: Ord> FromIterator<T> for OrderedSet<T> {
    fn from_iter<I: IntoIterator<Item = T>>(values: I) -> Self {
        OrderedSet { values: Chunks::of(values.into_iter().collect(), T::cmp) }
    }
}

impl<T: Ord, const N: usize> From<[T; N]> for OrderedSet<T> {
    fn from(values: [T; N]) -> Self {
        values.into_iter().collect()
    }
}

impl<T: Ord> Extend<T> for OrderedSet<T> {
    fn extend<I: IntoIterator<Item = T>>(&mut self, values: I) {
        for value in values {
            self.insert(value);
        }
    }
}

impl<'a, T: Ord + Copy> Extend<&'a T> for OrderedSet<T> {
    fn extend<I: IntoIterator<Item = &'a T>>(&mut self, values: I) {
        self.extend(values.into_iter().copied());
    }
}

impl<'a, T> IntoIterator for &'a OrderedSet<T> {
    type Item = &'a T;
    type IntoIter = chunks::Iter<'a, T>;

    fn into_iter(self) -> chunks::Iter<'a, T> {
        self.iter()
    }
}

impl<T> IntoIterator for OrderedSet<T> {
    type Item = T;
    type IntoIter = chunks::IntoIter<T>;

    fn into_iter(self) -> chunks::IntoIter<T> {
        self.values.into_values()
    }
}

impl<T: fmt::Debug> fmt::Debug for OrderedSet<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self).finish()
    }
}

impl<T: PartialEq> PartialEq for OrderedSet<T> {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len() && self.iter().eq(other)
    }
}

impl<T: Eq> Eq for OrderedSet<T> {}

impl<T: PartialOrd> PartialOrd for OrderedSet<T> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        self.iter().partial_cmp(other)
    }
}

impl<T: Ord> Ord for OrderedSet<T> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.iter().cmp(other)
    }
}

impl<T: Hash> Hash for OrderedSet<T> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_usize(self.len());
        for value in self {
            value.hash(state);
        }
    }
}

impl<T: Serialize> Serialize for OrderedSet<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self)
    }
}

impl<'de, T: Ord + Deserialize<'de>> Deserialize<'de> for OrderedSet<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Vec::deserialize(deserializer).map(|values| values.into_iter().collect())
    }
}
