//! The laws over random pairs of Avro schemas.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};

use rayon::prelude::*;

use super::{SHOWN, Tried, number, pairs_asked_for, refused_alone};
use crate::laws;
use crate::support::avro::{Schema, mutate, schema, smallest};
use crate::support::dice::Dice;
use crate::support::{Case, snapshot};
use wireproof::change::{ChangeKind, Identity, Pair};
use wireproof::evidence::{Direction, Surface};
use wireproof::formats::{Checked, Format};
use wireproof::syntax::problem::Severity;

#[test]
fn the_laws_hold_for_random_avro_schemas() {
    let (pairs, seed) = (pairs_asked_for(), number("SEED", 1));
    let tried: Vec<Tried> = (0..pairs).into_par_iter().map(|index| attempt(seed, index)).collect();
    let skipped = tried.iter().filter(|tried| matches!(tried, Tried::Invalid(_))).count();
    let told = tried.iter().filter_map(|tried| match tried {
        Tried::Broken(told) => Some(told.as_str()),
        Tried::Upheld | Tried::Invalid(_) => None,
    });
    let broken: Vec<&str> = told.collect();
    let shown: Vec<&str> = broken.iter().take(number("SHOWN", SHOWN)).copied().collect();
    assert!(broken.is_empty(), "{} of {pairs} pairs break a law:\n{}", broken.len(), shown.join("\n\n"));
    assert!(skipped * 4 <= pairs, "{skipped} of {pairs} pairs are not valid schemas");
}

fn attempt(seed: usize, index: usize) -> Tried {
    let mut dice = Dice((seed as u64) << 32 | index as u64);
    let old = schema(&mut dice);
    let mut new = old.clone();
    for _ in 0..=dice.below(3) {
        mutate(&mut new, &mut dice);
    }
    let sides = Pair::new(old, new);
    match broken(&sides) {
        Err(reason) => Tried::Invalid(reason),
        Ok(None) => Tried::Upheld,
        Ok(Some(what)) => {
            let (sides, what) = smallest(sides, what, |sides| broken(sides).ok().flatten());
            let text = sides.map(|side| side.print());
            Tried::Broken(format!("== seed {seed}, pair {index}\n{}\n{}\n{what}", text.old, text.new))
        }
    }
}

/// Which law a pair breaks, if any; an error when it is not valid.
fn broken(sides: &Pair<Schema>) -> Result<Option<String>, String> {
    let files = |side: &Schema| snapshot(&BTreeMap::from([("t.avsc".to_owned(), side.print().to_string())]));
    let sides = sides.as_ref().map(files);
    let case =
        Case { name: "random".to_owned(), format: Format::Avro, sides, roots: Vec::new(), usages: Default::default() };
    let judged = catch_unwind(AssertUnwindSafe(|| {
        let checked = case.check();
        let mut problems = checked.problems.old.iter().chain(&checked.problems.new);
        match problems.find(|problem| problem.severity == Severity::Error) {
            Some(problem) => Err(problem.message.clone()),
            None => {
                let mut broken = laws::broken_by(&case);
                broken.extend(unwritten(&checked));
                // It gives up where an alias names a field that is there, whatever has changed.
                broken.extend(refused_alone(&checked, &["AvroRuntimeException"]));
                Ok(broken)
            }
        }
    }));
    match judged {
        Err(_) => Ok(Some("it panicked".to_owned())),
        Ok(Err(problem)) => Err(problem),
        Ok(Ok(what)) => Ok((!what.is_empty()).then(|| what.join("\n"))),
    }
}

/// Changes of data of which some reading was not tried, although data was written of everything.
fn unwritten(checked: &Checked) -> Vec<String> {
    let of_data = checked.changes.iter().filter(|change| {
        change.kind != ChangeKind::PeerRefused && !change.identity.0.starts_with(&format!("{}:", change.kind))
    });
    let is_tried = |cell: &(Identity, Surface, Direction)| checked.observed.exercised.contains(cell);
    let cells = of_data.flat_map(|change| {
        [Surface::Wire, Surface::Json].into_iter().flat_map(|surface| {
            let writes = |direction: &Direction| match change.kind {
                // Nobody can write a symbol that the writer does not have.
                ChangeKind::EnumValueAdded => *direction == Direction::Forward,
                ChangeKind::EnumValueRemoved => *direction == Direction::Backward,
                _ => true,
            };
            let directions = [Direction::Backward, Direction::Forward].into_iter().filter(writes);
            directions.map(|direction| (change.identity.clone(), surface, direction)).collect::<Vec<_>>()
        })
    });
    let untried = cells.filter(|cell| checked.observed.left_out.is_empty() && !is_tried(cell));
    untried.map(|(identity, surface, direction)| format!("{surface} {direction} of {identity} was not tried")).collect()
}
