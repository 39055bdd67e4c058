//! What is decided of each document, each in both directions: those that say the same are asked about once, and all of a run
//! together may look at so much.

use std::cell::Cell;
use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::decide::{Decided, Question, Whole, writer_of};
use super::model::Schema;
use super::pairs::{Documents, Pairs};
use super::solver::LOOKS_OF_ALL;
use super::twins::Twins;
use crate::change::{Pair, Side};
use crate::evidence::Direction;
use crate::parallel;

/// Questions that are asked at once: what they have looked at is not there for those after them, however many threads there are.
const AT_ONCE: usize = 16;
/// What all of them may look at together.
const LOOKS_OF_RUN: usize = 2 * LOOKS_OF_ALL;
/// What each may look at in any case: most proofs are small.
const LEAST_LOOKS: usize = 2_000_000;

/// The answers about some documents, by whose data they are about.
pub(super) fn answers(schemas: Pair<&Schema>, pairs: &Pairs, documents: &[&Documents]) -> Vec<Pair<Decided>> {
    let (twins, whole) = (Twins::of(schemas, pairs, documents), Whole::of(schemas));
    let directions = [Direction::Backward, Direction::Forward];
    let asked: Vec<(usize, Direction)> =
        twins.firsts().flat_map(|index| directions.map(|direction| (index, direction))).collect();
    let ask = |(index, direction): &(usize, Direction), looks: usize| {
        let decide = || {
            let looks = Rc::new(Cell::new(looks));
            let (documents, built) = (documents[*index], Cell::new(0));
            let (direction, whole) = (*direction, &whole);
            let question = Question {
                schemas,
                pairs,
                documents,
                direction,
                whole,
                built,
                looks: looks.clone(),
                is_cut: Cell::new(false),
            };
            (question.decide(), looks.get())
        };
        // Each proof needs room, and a thread for each would be more than many of them take.
        parallel::with_deep_stack(decide).unwrap_or_else(decide)
    };
    let (mut decided, mut left) = (FxHashMap::default(), LOOKS_OF_RUN);
    for some in asked.chunks(AT_ONCE) {
        let own = share(left, some.len());
        let answered = parallel::map(some, |one| ask(one, own));
        for ((index, direction), (one, unused)) in some.iter().zip(answered) {
            left = left.saturating_sub(own - unused);
            decided.insert((*index, writer_of(*direction)), one);
        }
    }
    let of = |index: usize, side: Side| match twins.first(index) {
        Some(first) => decided.get(&(first, side)).map(|known| twins.decided(index, known)),
        None => decided.get(&(index, side)).cloned(),
    };
    let sides = Pair::new(Side::Old, Side::New);
    (0..documents.len()).map(|index| sides.map(|side| of(index, side).unwrap_or_default())).collect()
}

/// What each of some questions may look at where so much is left for them and all that come after.
fn share(left: usize, count: usize) -> usize {
    (left / count.max(1)).clamp(LEAST_LOOKS, LOOKS_OF_ALL)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_without_end_take_together_what_a_run_has_and_a_little_each() {
        let (mut left, mut all) = (LOOKS_OF_RUN, 0);
        for count in [2, 16, 16, 16] {
            let own = share(left, count);
            left = left.saturating_sub(own * count);
            all += own * count;
        }
        assert_eq!(all, LOOKS_OF_RUN + 48 * LEAST_LOOKS);
    }

    #[test]
    fn what_the_first_leave_is_there_for_those_after_them() {
        assert_eq!(share(LOOKS_OF_RUN, 2), LOOKS_OF_ALL);
        assert_eq!(share(LOOKS_OF_RUN - 16, 16), LOOKS_OF_RUN / 16 - 1);
    }
}
