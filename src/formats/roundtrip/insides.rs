//! What is written of types of which one is read as the other, inside of others.
//!
//! A field whose type took the place of another is given every value of its type, and so are the fields in there whose types
//! did the same. Types that refer to each other lead from each pair to every other one again, on more ways than anybody waits
//! for: so each pair is made once for each depth, deeper ones are given less room, and there is an end to all of it.

use std::cell::RefCell;
use std::hash::Hash;

use rustc_hash::FxHashMap;

use super::stage::Sides;
use crate::value::Value;

/// How much is written of a pair, by how many others it stands in.
const BUDGETS: [usize; 3] = [1 << 14, 1 << 11, 1 << 9];
/// Pairs that are made at all, for one pair of types and one direction.
const MOST: usize = 512;

/// What was made of pairs of types, by them and by how many others they stand in.
#[derive(Debug)]
pub(in crate::formats) struct Insides<Id, L>(RefCell<Known<Id, L>>);

type Known<Id, L> = FxHashMap<(Sides<Id>, usize), Made<L>>;

/// What was made of a pair of types.
#[derive(Debug, Clone, Default)]
pub(in crate::formats) struct Made<L> {
    /// The values.
    pub(in crate::formats) values: Vec<Value>,
    /// Whether these are all.
    pub(in crate::formats) is_whole: bool,
    /// What could not be made.
    pub(in crate::formats) lacking: L,
}

impl<Id, L> Default for Insides<Id, L> {
    fn default() -> Self {
        Insides(RefCell::default())
    }
}

impl<Id: Copy + Eq + Hash, L: Clone + Default> Insides<Id, L> {
    /// What is written of a pair that stands in so many others. `make` makes it within a budget; where it leads to others, it
    /// asks for them here as well. `None` where that leads too deep.
    pub(in crate::formats) fn made(
        &self,
        ids: Sides<Id>,
        depth: usize,
        make: impl FnOnce(usize) -> Made<L>,
    ) -> Option<Made<L>> {
        let budget = *BUDGETS.get(depth)?;
        if let Some(known) = self.0.borrow().get(&(ids, depth)) {
            return Some(known.clone());
        }
        if self.0.borrow().len() >= MOST {
            return None;
        }
        let made = make(budget);
        self.0.borrow_mut().insert((ids, depth), made.clone());
        Some(made)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(of: &Insides<u32, ()>, (writer, depth): (u32, usize), counted: &RefCell<usize>) -> Option<bool> {
        let made = of.made(Sides { writer, reader: 0 }, depth, |_| {
            *counted.borrow_mut() += 1;
            // Each leads to each.
            let inside: Vec<Option<bool>> = (0..40).map(|next| made(of, (next, depth + 1), counted)).collect();
            Made { is_whole: inside.iter().all(|inside| *inside == Some(true)), ..Made::default() }
        });
        made.map(|made| made.is_whole)
    }

    #[test]
    fn types_that_all_lead_to_each_other_are_made_once_for_each_depth() {
        let counted = RefCell::new(0);
        assert_eq!(made(&Insides::default(), (0, 0), &counted), Some(false), "it leads too deep");
        assert_eq!(*counted.borrow(), 1 + 40 + 40);
    }

    #[test]
    fn there_is_an_end_to_it() {
        let (of, counted) = (Insides::default(), RefCell::new(0));
        for writer in 0..1_000 {
            made(&of, (writer, 2), &counted);
        }
        assert_eq!(*counted.borrow(), MOST);
    }
}
