//! Sorting that compares and moves through its caller, so that it is compiled once.

use std::cmp::Ordering;

/// Up to here, values are moved one by one to where they belong, which needs no memory.
const FEW: usize = 12;

/// Sorting of lists, always stable: what compares equal stays as it stood.
pub trait InOrder<T> {
    /// Puts a list in the order of its values.
    fn sort_in_order(&mut self)
    where
        T: Ord;

    /// Puts a list in an order that is given.
    fn sort_in_order_by(&mut self, compare: impl FnMut(&T, &T) -> Ordering);

    /// Puts a list in the order of what is made of each value, which is made for each comparison.
    fn sort_in_order_by_key<K: Ord>(&mut self, key: impl FnMut(&T) -> K);

    /// Puts a list in the order of what is made of each value, which is made once.
    fn sort_in_order_by_cached_key<K: Ord>(&mut self, key: impl FnMut(&T) -> K);
}

impl<T> InOrder<T> for [T] {
    fn sort_in_order(&mut self)
    where
        T: Ord,
    {
        self.sort_in_order_by(T::cmp);
    }

    fn sort_in_order_by(&mut self, mut compare: impl FnMut(&T, &T) -> Ordering) {
        if self.len() <= FEW {
            for end in 1..self.len() {
                let mut at = end;
                while at > 0 && compare(&self[at - 1], &self[at]).is_gt() {
                    self.swap(at - 1, at);
                    at -= 1;
                }
            }
            return;
        }
        let Some(mut places) = places(self.len(), &mut |one, other| compare(&self[one], &self[other])) else { return };
        arrange(&mut places, &mut |one, other| self.swap(one, other));
    }

    fn sort_in_order_by_key<K: Ord>(&mut self, mut key: impl FnMut(&T) -> K) {
        self.sort_in_order_by(|one, other| key(one).cmp(&key(other)));
    }

    fn sort_in_order_by_cached_key<K: Ord>(&mut self, key: impl FnMut(&T) -> K) {
        let keys: Vec<K> = self.iter().map(key).collect();
        let Some(mut places) = places(self.len(), &mut |one, other| keys[one].cmp(&keys[other])) else { return };
        arrange(&mut places, &mut |one, other| self.swap(one, other));
    }
}

/// Where each of so many values belongs; `None` where all are there.
fn places(count: usize, compare: &mut dyn FnMut(usize, usize) -> Ordering) -> Option<Vec<usize>> {
    if (1..count).all(|at| compare(at - 1, at).is_le()) {
        return None;
    }
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_by(|one, other| compare(*one, *other));
    let mut places = vec![0; count];
    for (place, at) in order.into_iter().enumerate() {
        places[at] = place;
    }
    Some(places)
}

/// Moves each value to its place, by exchanging two at a time.
fn arrange(places: &mut [usize], exchange: &mut dyn FnMut(usize, usize)) {
    for at in 0..places.len() {
        while places[at] != at {
            let place = places[at];
            exchange(at, place);
            places.swap(at, place);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::InOrder;

    proptest! {
        #[test]
        fn a_list_is_sorted_as_the_standard_library_sorts_it(list in prop::collection::vec((0_u8..20, 0_u16..), 0..200)) {
            let (mut ours, mut theirs) = (list.clone(), list);
            ours.sort_in_order_by_key(|(key, _)| *key);
            theirs.sort_by_key(|(key, _)| *key);
            prop_assert_eq!(&ours, &theirs);
            ours.sort_in_order_by_cached_key(|(_, value)| *value / 7);
            theirs.sort_by_cached_key(|(_, value)| *value / 7);
            prop_assert_eq!(&ours, &theirs);
            ours.sort_in_order();
            theirs.sort();
            prop_assert_eq!(ours, theirs);
        }
    }
}
