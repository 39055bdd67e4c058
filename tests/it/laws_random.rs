//! The four laws, over random pairs of schemas that nobody has thought of.
//!
//! A plain run tries a fixed set of pairs. `PAIRS=50000 SEED=7 cargo test --release --test it laws_random` tries others.
//! What breaks a law is made as small as possible before it is shown.

mod avro;
pub mod make;
mod models;
pub mod mutation;
pub mod neighbourhood;
pub mod print;
pub mod schema;

use std::panic::{AssertUnwindSafe, catch_unwind};

use rayon::prelude::*;

use crate::laws;
use crate::support::{Case, snapshot};
use schema::{Dice, Schema};
use wireproof::change::{ChangeKind, FactKey, Pair};
use wireproof::formats::{Checked, Format};
use wireproof::syntax::problem::Severity;

/// Pairs where everything is tried, and in a plain run.
const PAIRS: [usize; 2] = [400, 200];
/// The seed of a plain run.
const SEED: usize = 1;
/// Broken pairs that are shown.
const SHOWN: usize = 5;

pub fn number(variable: &str, otherwise: usize) -> usize {
    std::env::var(variable).ok().and_then(|text| text.parse().ok()).unwrap_or(otherwise)
}

fn pairs_asked_for() -> usize {
    number("PAIRS", crate::support::as_many(PAIRS))
}

#[test]
fn the_laws_hold_for_random_schemas() {
    let (pairs, seed) = (pairs_asked_for(), number("SEED", SEED));
    let tried: Vec<Tried> = (0..pairs).into_par_iter().map(|index| attempt(seed, index)).collect();
    let skipped = tried.iter().filter(|tried| matches!(tried, Tried::Invalid(_))).count();
    let reasons = tried.iter().find_map(|tried| match tried {
        Tried::Invalid(reason) => Some(reason.as_str()),
        Tried::Upheld | Tried::Broken(_) => None,
    });
    let broken: Vec<&String> = tried
        .iter()
        .filter_map(|tried| match tried {
            Tried::Broken(told) => Some(told),
            Tried::Upheld | Tried::Invalid(_) => None,
        })
        .collect();
    let shown: Vec<&str> = broken.iter().take(number("SHOWN", SHOWN)).map(|told| told.as_str()).collect();
    assert!(broken.is_empty(), "{} of {pairs} pairs break a law:\n{}", broken.len(), shown.join("\n\n"));
    assert!(skipped * 20 <= pairs, "{skipped} of {pairs} pairs are not valid schemas: {}", reasons.unwrap_or_default());
}

/// What another checker refuses although nothing is told that it follows from, but for what is known to be no change to
/// readers.
fn refused_alone(checked: &Checked, known: &[&str]) -> Vec<String> {
    let refused = checked.changes.iter().filter(|change| change.kind == ChangeKind::PeerRefused);
    let said = refused.flat_map(|change| {
        let keys = [FactKey::PeerReports, FactKey::PeerReadsOld, FactKey::PeerReadsNew];
        keys.into_iter().filter_map(|key| Some((&change.path, change.facts.get(key)?)))
    });
    let alone = said.filter(|(_, said)| !known.contains(said));
    alone.map(|(path, said)| format!("{path} is refused ({said}), and no change accounts for it")).collect()
}

enum Tried {
    Upheld,
    /// One of the schemas is not valid.
    Invalid(String),
    /// The smallest pair found that breaks a law, and how.
    Broken(String),
}

fn attempt(seed: usize, index: usize) -> Tried {
    let mut dice = Dice((seed as u64) << 32 | index as u64);
    let old = make::schema(&mut dice);
    let new = mutation::mutate(&old, &mut dice, 4);
    let sides = Pair::new(old, new);
    match broken(&sides) {
        Err(reason) => Tried::Invalid(reason),
        Ok(None) => Tried::Upheld,
        Ok(Some(what)) => {
            let (sides, what) = shrink(sides, what, |sides| broken(sides).ok().flatten());
            Tried::Broken(format!("== seed {seed}, pair {index}\n{}\n{what}", text(&sides)))
        }
    }
}

/// Which law a pair breaks, if any; an error when it is not valid.
fn broken(sides: &Pair<Schema>) -> Result<Option<String>, String> {
    let sides = sides.as_ref().map(|side| snapshot(&print::print(side)));
    let case = Case {
        name: "random".to_owned(),
        format: Format::Protobuf,
        sides,
        roots: Vec::new(),
        usages: Default::default(),
    };
    let judged = catch_unwind(AssertUnwindSafe(|| {
        let checked = case.check();
        let problems = checked.problems.old.iter().chain(&checked.problems.new);
        let mut errors = problems.filter(|problem| problem.severity == Severity::Error);
        match errors.next() {
            Some(problem) => Err(problem.message.clone()),
            None => Ok(laws::broken_by(&case)),
        }
    }));
    match judged {
        Err(_) => Ok(Some("it panicked".to_owned())),
        Ok(Err(problem)) => Err(problem),
        Ok(Ok(what)) if what.is_empty() => Ok(None),
        Ok(Ok(what)) => Ok(Some(what.join("\n"))),
    }
}

/// Leaves out whatever can be left out of both sides while something is still to be told of them.
pub fn shrink(
    mut sides: Pair<Schema>,
    mut what: String,
    mut told: impl FnMut(&Pair<Schema>) -> Option<String>,
) -> (Pair<Schema>, String) {
    let elements = |sides: &Pair<Schema>| {
        let mut elements = sides.old.elements();
        elements.extend(sides.new.elements());
        elements.sort_unstable();
        elements.dedup();
        elements
    };
    loop {
        let before = elements(&sides);
        for element in &before {
            let fewer = sides.as_ref().map(|side| side.without(*element));
            if let Some(still) = told(&fewer) {
                (sides, what) = (fewer, still);
            }
        }
        if elements(&sides).len() >= before.len() {
            return (sides, what);
        }
    }
}

/// Both sides as people read them.
pub fn text(sides: &Pair<Schema>) -> String {
    let side = |name: &str, schema: &Schema| {
        let files = print::print(schema).into_iter().filter(|(_, text)| text.contains(" {"));
        files.map(|(path, text)| format!("-- {name}/{path}\n{text}")).collect::<String>()
    };
    side("old", &sides.old) + &side("new", &sides.new)
}
