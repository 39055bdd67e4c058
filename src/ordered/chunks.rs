//! Values in order, in pieces of bounded length: what stands behind a value moves no further than its piece is long.

use std::cmp::Ordering;
use std::iter::FusedIterator;
use std::ops::{Bound, RangeBounds};
use std::slice;
use std::vec;

use super::sort::InOrder;

/// Values that a piece holds at most.
const MOST: usize = if cfg!(test) { 4 } else { 128 };

/// Values in strictly ascending order. No piece is empty.
#[derive(Clone)]
pub(super) struct Chunks<T> {
    pieces: Vec<Vec<T>>,
    len: usize,
}

/// Where a value stands: its piece, and which one there.
#[derive(Clone, Copy, Default)]
pub(super) struct Place {
    piece: usize,
    at: usize,
}

impl Place {
    /// The place behind.
    fn after(self) -> Place {
        Place { at: self.at + 1, ..self }
    }
}

/// The place of a value, or else where it would stand.
pub(super) type Found = Result<Place, Place>;

/// Finds the first of so many for which something no longer holds, where that is so of all behind it.
fn first_that_fails(count: usize, holds: &mut dyn FnMut(usize) -> bool) -> usize {
    let (mut low, mut high) = (0, count);
    while low < high {
        let middle = low + (high - low) / 2;
        if holds(middle) { low = middle + 1 } else { high = middle }
    }
    low
}

impl<T> Chunks<T> {
    pub(super) const fn new() -> Chunks<T> {
        Chunks { pieces: Vec::new(), len: 0 }
    }

    /// Values in any order; of those that compare equal, the last is kept.
    pub(super) fn of(mut list: Vec<T>, mut compare: impl FnMut(&T, &T) -> Ordering) -> Chunks<T> {
        let is_sorted = list.windows(2).all(|pair| compare(&pair[0], &pair[1]).is_lt());
        if !is_sorted {
            list.sort_in_order_by(&mut compare);
            list.dedup_by(|later, first| {
                let is_same = compare(later, first).is_eq();
                if is_same {
                    std::mem::swap(later, first);
                }
                is_same
            });
        }
        let len = list.len();
        let mut pieces = Vec::new();
        while list.len() > MOST {
            let whole = (list.len() - 1) / MOST * MOST;
            pieces.push(list.split_off(whole));
        }
        if !list.is_empty() {
            pieces.push(list);
        }
        pieces.reverse();
        Chunks { pieces, len }
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Finds a value by how each compares to it.
    pub(super) fn find(&self, mut compare: impl FnMut(&T) -> Ordering) -> Found {
        let piece = match self.pieces.len() {
            0 => return Err(Place { piece: 0, at: 0 }),
            1 => 0,
            count => first_that_fails(count - 1, &mut |piece| {
                self.pieces[piece].last().is_some_and(|last| compare(last).is_lt())
            }),
        };
        let values = &self.pieces[piece];
        let at = first_that_fails(values.len(), &mut |at| compare(&values[at]).is_lt());
        let place = Place { piece, at };
        if values.get(at).is_some_and(|value| compare(value).is_eq()) { Ok(place) } else { Err(place) }
    }

    pub(super) fn get(&self, place: Place) -> &T {
        &self.pieces[place.piece][place.at]
    }

    pub(super) fn get_mut(&mut self, place: Place) -> &mut T {
        &mut self.pieces[place.piece][place.at]
    }

    /// Puts a value where [`Self::find`] said that it would stand; tells where it stands then.
    pub(super) fn insert(&mut self, place: Place, value: T) -> Place {
        self.len += 1;
        let Some(values) = self.pieces.get_mut(place.piece) else {
            self.pieces.push(vec![value]);
            return place;
        };
        values.insert(place.at, value);
        if values.len() <= MOST {
            return place;
        }
        // What grows at its end is filled; what grows anywhere is halved.
        let is_last = place.piece + 1 == self.pieces.len() && place.at == MOST;
        let cut = if is_last { MOST } else { MOST / 2 };
        let rest = self.pieces[place.piece].split_off(cut);
        self.pieces.insert(place.piece + 1, rest);
        if place.at < cut { place } else { Place { piece: place.piece + 1, at: place.at - cut } }
    }

    pub(super) fn remove(&mut self, place: Place) -> T {
        self.len -= 1;
        let value = self.pieces[place.piece].remove(place.at);
        if self.pieces[place.piece].is_empty() {
            self.pieces.remove(place.piece);
        }
        value
    }

    pub(super) fn retain(&mut self, mut keep: impl FnMut(&mut T) -> bool) {
        for piece in &mut self.pieces {
            piece.retain_mut(&mut keep);
        }
        self.pieces.retain(|piece| !piece.is_empty());
        self.len = self.pieces.iter().map(Vec::len).sum();
    }

    pub(super) fn first(&self) -> Option<&T> {
        self.pieces.first()?.first()
    }

    pub(super) fn last(&self) -> Option<&T> {
        self.pieces.last()?.last()
    }

    pub(super) fn pop_first(&mut self) -> Option<T> {
        (self.len > 0).then(|| self.remove(Place { piece: 0, at: 0 }))
    }

    pub(super) fn pop_last(&mut self) -> Option<T> {
        let piece = self.pieces.len().checked_sub(1)?;
        let at = self.pieces[piece].len() - 1;
        Some(self.remove(Place { piece, at }))
    }

    pub(super) fn iter(&self) -> Iter<'_, T> {
        Iter { pieces: self.pieces.iter(), front: [].iter(), back: [].iter(), left: self.len }
    }

    /// The values from a place up to, and without, another; `None` is the end.
    fn between(&self, from: Place, to: Option<Place>) -> Iter<'_, T> {
        let all = self.pieces.as_slice();
        let to = to.unwrap_or(Place { piece: all.len(), at: 0 });
        let Some(first) = all.get(from.piece) else { return Chunks::none() };
        if (from.piece, from.at) >= (to.piece, to.at) {
            return Chunks::none();
        }
        if from.piece == to.piece {
            let front = first[from.at..to.at].iter();
            return Iter { pieces: [].iter(), left: front.len(), front, back: [].iter() };
        }
        let (front, pieces) = (first[from.at..].iter(), &all[from.piece + 1..to.piece]);
        let back = all.get(to.piece).map_or([].iter(), |last| last[..to.at].iter());
        let left = front.len() + pieces.iter().map(Vec::len).sum::<usize>() + back.len();
        Iter { pieces: pieces.iter(), front, back, left }
    }

    /// The values within bounds, of which `find` says where each is; of bounds that exclude each other there are none.
    pub(super) fn range<Q: ?Sized>(&self, bounds: &impl RangeBounds<Q>, find: impl Fn(&Q) -> Found) -> Iter<'_, T> {
        let before = |bound: &Q| find(bound).unwrap_or_else(|place| place);
        let behind = |bound: &Q| find(bound).map_or_else(|place| place, Place::after);
        let from = match bounds.start_bound() {
            Bound::Unbounded => Place::default(),
            Bound::Included(bound) => before(bound),
            Bound::Excluded(bound) => behind(bound),
        };
        let to = match bounds.end_bound() {
            Bound::Unbounded => None,
            Bound::Included(bound) => Some(behind(bound)),
            Bound::Excluded(bound) => Some(before(bound)),
        };
        self.between(from, to)
    }

    fn none<'a>() -> Iter<'a, T> {
        Iter { pieces: [].iter(), front: [].iter(), back: [].iter(), left: 0 }
    }

    pub(super) fn iter_mut(&mut self) -> IterMut<'_, T> {
        IterMut { pieces: self.pieces.iter_mut(), front: [].iter_mut(), left: self.len }
    }

    pub(super) fn into_values(self) -> IntoIter<T> {
        let none = || Vec::new().into_iter();
        IntoIter { pieces: self.pieces.into_iter(), front: none(), back: none(), left: self.len }
    }
}

/// Values in order.
pub struct Iter<'a, T> {
    pieces: slice::Iter<'a, Vec<T>>,
    front: slice::Iter<'a, T>,
    back: slice::Iter<'a, T>,
    left: usize,
}

impl<T> Clone for Iter<'_, T> {
    fn clone(&self) -> Self {
        Iter { pieces: self.pieces.clone(), front: self.front.clone(), back: self.back.clone(), left: self.left }
    }
}

impl<'a, T> Iterator for Iter<'a, T> {
    type Item = &'a T;

    fn next(&mut self) -> Option<&'a T> {
        loop {
            if let Some(value) = self.front.next() {
                self.left -= 1;
                return Some(value);
            }
            match self.pieces.next() {
                Some(piece) => self.front = piece.iter(),
                None if self.left == 0 => return None,
                None => std::mem::swap(&mut self.front, &mut self.back),
            }
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl<T> DoubleEndedIterator for Iter<'_, T> {
    fn next_back(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(value) = self.back.next_back() {
                self.left -= 1;
                return Some(value);
            }
            match self.pieces.next_back() {
                Some(piece) => self.back = piece.iter(),
                None if self.left == 0 => return None,
                None => std::mem::swap(&mut self.front, &mut self.back),
            }
        }
    }
}

impl<T> ExactSizeIterator for Iter<'_, T> {}

impl<T> FusedIterator for Iter<'_, T> {}

/// Values in order, to be changed in what their order does not depend on.
pub(super) struct IterMut<'a, T> {
    pieces: slice::IterMut<'a, Vec<T>>,
    front: slice::IterMut<'a, T>,
    left: usize,
}

impl<'a, T> Iterator for IterMut<'a, T> {
    type Item = &'a mut T;

    fn next(&mut self) -> Option<&'a mut T> {
        loop {
            if let Some(value) = self.front.next() {
                self.left -= 1;
                return Some(value);
            }
            self.front = self.pieces.next()?.iter_mut();
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl<T> ExactSizeIterator for IterMut<'_, T> {}

/// Values in order, given away.
pub struct IntoIter<T> {
    pieces: vec::IntoIter<Vec<T>>,
    front: vec::IntoIter<T>,
    back: vec::IntoIter<T>,
    left: usize,
}

impl<T> Iterator for IntoIter<T> {
    type Item = T;

    fn next(&mut self) -> Option<T> {
        loop {
            if let Some(value) = self.front.next() {
                self.left -= 1;
                return Some(value);
            }
            match self.pieces.next() {
                Some(piece) => self.front = piece.into_iter(),
                None if self.left == 0 => return None,
                None => std::mem::swap(&mut self.front, &mut self.back),
            }
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl<T> DoubleEndedIterator for IntoIter<T> {
    fn next_back(&mut self) -> Option<T> {
        loop {
            if let Some(value) = self.back.next_back() {
                self.left -= 1;
                return Some(value);
            }
            match self.pieces.next_back() {
                Some(piece) => self.back = piece.into_iter(),
                None if self.left == 0 => return None,
                None => std::mem::swap(&mut self.front, &mut self.back),
            }
        }
    }
}

impl<T> ExactSizeIterator for IntoIter<T> {}

impl<T> FusedIterator for IntoIter<T> {}
