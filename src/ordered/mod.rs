//! Maps, sets and lists in order, made of little code.
//!
//! The standard library compiles its trees and its sorting anew for every type that is kept in them, some six thousand lines
//! of intermediate code each; this program keeps hundreds of types in order, and that was a quarter of what it compiled to.
//! Here the work is done once, on places, and a type brings no more than how its values compare and move. What the maps and
//! sets offer is named and behaves as in `std::collections`, and so does their order.

mod chunks;
mod map;
mod set;
mod sort;

pub use map::OrderedMap;
pub use set::OrderedSet;
pub use sort::InOrder;

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};
    use std::ops::Bound;

    use proptest::prelude::*;

    use super::{OrderedMap, OrderedSet};

    /// What is done to a map: a value is put under a key, a key is taken out, or what is made for a key is added to.
    #[derive(Clone, Copy, Debug)]
    enum Step {
        Insert(u8, u16),
        Remove(u8),
        Add(u8, u16),
        PopFirst,
        PopLast,
        KeepOdd,
    }

    fn step() -> impl Strategy<Value = Step> {
        prop_oneof![
            8 => (any::<u8>(), any::<u16>()).prop_map(|(key, value)| Step::Insert(key, value)),
            4 => any::<u8>().prop_map(Step::Remove),
            4 => (any::<u8>(), any::<u16>()).prop_map(|(key, value)| Step::Add(key, value)),
            1 => Just(Step::PopFirst),
            1 => Just(Step::PopLast),
            1 => Just(Step::KeepOdd),
        ]
    }

    proptest! {
        #[test]
        fn a_map_does_what_that_of_the_standard_library_does(
            start in prop::collection::vec((any::<u8>(), any::<u16>()), 0..60),
            steps in prop::collection::vec(step(), 0..60),
            bounds in (any::<u8>(), any::<u8>(), 0_u8..3, 0_u8..3),
        ) {
            let mut ours: OrderedMap<u8, u16> = start.iter().copied().collect();
            let mut theirs: BTreeMap<u8, u16> = start.into_iter().collect();
            for step in steps {
                match step {
                    Step::Insert(key, value) => prop_assert_eq!(ours.insert(key, value), theirs.insert(key, value)),
                    Step::Remove(key) => prop_assert_eq!(ours.remove(&key), theirs.remove(&key)),
                    Step::Add(key, value) => {
                        let (one, other) = (ours.entry(key).or_default(), theirs.entry(key).or_default());
                        *one = one.wrapping_add(value);
                        *other = other.wrapping_add(value);
                        prop_assert_eq!(one, other);
                    }
                    Step::PopFirst => prop_assert_eq!(ours.pop_first(), theirs.pop_first()),
                    Step::PopLast => prop_assert_eq!(ours.pop_last(), theirs.pop_last()),
                    Step::KeepOdd => {
                        ours.retain(|key, _| key % 2 == 1);
                        theirs.retain(|key, _| key % 2 == 1);
                    }
                }
                prop_assert_eq!(ours.len(), theirs.len());
            }
            prop_assert!(ours.iter().eq(&theirs) && ours.iter().rev().eq(theirs.iter().rev()));
            prop_assert!(ours.clone().into_iter().rev().eq(theirs.clone().into_iter().rev()));
            prop_assert_eq!(ours.iter().len(), theirs.len());
            let (low, high) = (bounds.0.min(bounds.1), bounds.0.max(bounds.1));
            let bound = |kind, at| match kind {
                0 => Bound::Unbounded,
                1 => Bound::Included(at),
                _ => Bound::Excluded(at),
            };
            // The standard library does not take a range that excludes the one value it lies between.
            if low < high {
                let range = (bound(bounds.2, low), bound(bounds.3, high));
                prop_assert!(ours.range(range).eq(theirs.range(range)));
                prop_assert!(ours.range(range).rev().eq(theirs.range(range).rev()));
                prop_assert_eq!(ours.range(range).len(), theirs.range(range).count());
            }
            for value in ours.values_mut() {
                *value = value.wrapping_add(1);
            }
            prop_assert!(ours.values().copied().eq(theirs.values().map(|value| value.wrapping_add(1))));
        }

        #[test]
        fn a_set_does_what_that_of_the_standard_library_does(
            one in prop::collection::vec(0_u8..40, 0..40),
            other in prop::collection::vec(0_u8..40, 0..40),
        ) {
            let ours = [&one, &other].map(|values| values.iter().copied().collect::<OrderedSet<u8>>());
            let theirs = [&one, &other].map(|values| values.iter().copied().collect::<BTreeSet<u8>>());
            let ([one, other], [first, second]) = (&ours, &theirs);
            prop_assert!(one.iter().eq(first));
            prop_assert!(one.union(other).eq(first.union(second)));
            prop_assert!(one.difference(other).eq(first.difference(second)));
            prop_assert!(one.intersection(other).eq(first.intersection(second)));
            prop_assert_eq!(one.is_subset(other), first.is_subset(second));
            prop_assert_eq!(one.is_superset(other), first.is_superset(second));
            prop_assert_eq!(one.is_disjoint(other), first.is_disjoint(second));
            prop_assert_eq!(one.cmp(other), first.cmp(second));
            prop_assert_eq!(one == other, first == second);
        }
    }
}
