//! The laws over random pairs of FlatBuffers schemas, Thrift programs and Cap'n Proto schemas, made by the models that the
//! differential tests have.

use std::panic::{AssertUnwindSafe, catch_unwind};

use rayon::prelude::*;

use super::{SHOWN, Tried, number, refused_alone};
use crate::laws;
use crate::peers::{Dice, Model, smaller, text};
use crate::support::{Case, snapshot};
use crate::{capnp_peer, flatbuffers_peer, thrift_peer};
use wireproof::change::Pair;
use wireproof::formats::{Checked, Format};
use wireproof::syntax::problem::Severity;

/// Pairs of a plain run.
const PAIRS: usize = 150;

#[test]
fn the_laws_hold_for_random_flatbuffers_schemas() {
    uphold::<flatbuffers_peer::Schema>(Format::Flatbuffers);
}

#[test]
fn the_laws_hold_for_random_thrift_programs() {
    uphold::<thrift_peer::Schema>(Format::Thrift);
}

#[test]
fn the_laws_hold_for_random_capnp_schemas() {
    uphold::<capnp_peer::Schema>(Format::Capnp);
}

fn uphold<S: Model>(format: Format) {
    let (pairs, seed, first) = (number("PAIRS", PAIRS), number("SEED", 1), number("FIRST", 0));
    let attempts = (first..first + pairs).into_par_iter();
    let tried: Vec<Tried> = attempts.map(|index| attempt::<S>(format, seed, index)).collect();
    let skipped = tried.iter().filter(|tried| matches!(tried, Tried::Invalid(_))).count();
    let told = tried.iter().filter_map(|tried| match tried {
        Tried::Broken(told) => Some(told.as_str()),
        Tried::Upheld | Tried::Invalid(_) => None,
    });
    let broken: Vec<&str> = told.collect();
    let shown: Vec<&str> = broken.iter().take(number("SHOWN", SHOWN)).copied().collect();
    assert!(broken.is_empty(), "{} of {pairs} pairs break a law:\n{}", broken.len(), shown.join("\n\n"));
    assert!(skipped * 5 <= pairs, "{skipped} of {pairs} pairs are not valid schemas");
}

fn attempt<S: Model>(format: Format, seed: usize, index: usize) -> Tried {
    let mut dice = Dice((seed as u64) << 32 | index as u64);
    let old = S::make(&mut dice);
    let new = old.mutate(&mut dice);
    let sides = Pair::new(old, new);
    match broken(format, &sides) {
        Err(reason) => Tried::Invalid(reason),
        Ok(None) => Tried::Upheld,
        Ok(Some(what)) => {
            let (sides, what) = smaller(sides, what, |fewer| broken(format, fewer).ok().flatten());
            Tried::Broken(format!("== seed {seed}, pair {index}\n{}{what}", text(&sides)))
        }
    }
}

/// Of what keys are made of in Thrift it is claimed that entries are lost; a field that can hold but one value loses none.
fn broken_by(case: &Case, checked: &Checked) -> Vec<String> {
    let mut broken = laws::identity(case);
    broken.extend(match case.format {
        Format::Thrift => laws::broken_without_claims(case, checked),
        _ => laws::broken_together(case, checked),
    });
    broken.extend(match case.format {
        Format::Flatbuffers => refused_alone(checked, &[]),
        // The audit compares the names of types that are written.
        Format::Thrift => refused_alone(checked, &["field-type-changed", "return-type-changed"]),
        _ => Vec::new(),
    });
    broken
}

/// Which law a pair breaks, if any; an error when it is not valid.
fn broken<S: Model>(format: Format, sides: &Pair<S>) -> Result<Option<String>, String> {
    let texts = sides.as_ref().map(Model::print);
    if texts.old.is_empty() || texts.new.is_empty() {
        return Err("nothing is left".to_owned());
    }
    let sides = texts.map(|files| snapshot(&files));
    let case = Case { name: "random".to_owned(), format, sides, roots: Vec::new(), usages: Default::default() };
    let judged = catch_unwind(AssertUnwindSafe(|| {
        let checked = case.check();
        let mut problems = checked.problems.old.iter().chain(&checked.problems.new);
        match problems.find(|problem| problem.severity == Severity::Error) {
            Some(problem) => Err(problem.message.clone()),
            None => Ok(broken_by(&case, &checked)),
        }
    }));
    match judged {
        Err(_) => Ok(Some("it panicked".to_owned())),
        Ok(Err(problem)) => Err(problem),
        Ok(Ok(what)) => Ok((!what.is_empty()).then(|| what.join("\n"))),
    }
}
