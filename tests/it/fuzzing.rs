//! What the fuzz targets hold against every pair of schemas, and a short run of them that is the same every time.
//!
//! `fuzz/run` runs the same for as long as one likes, with a view to what is reached; what it finds is kept in
//! `tests/data/fuzzed/`.

#[cfg(test)]
use std::fs;
#[cfg(test)]
use std::panic::{AssertUnwindSafe, catch_unwind};

#[cfg(test)]
use rayon::prelude::*;

use crate::laws;
#[cfg(test)]
use crate::support::pairs::Dice;
use crate::support::pairs::{self, Files};
use crate::support::{self, Case};
use wireproof::formats::{Checked, Format};
use wireproof::report;
use wireproof::syntax::problem::Severity;
use wireproof::verdict::Policy;

/// Pairs for each format where everything is tried, and otherwise.
#[cfg(test)]
const PAIRS: [usize; 2] = [150, 40];

/// What breaks a law when two texts go in and a report comes out.
pub fn broken_by(format: Format, files: &Files) -> Vec<String> {
    let sides = files.as_ref().map(support::snapshot);
    let case = Case { name: "two texts".to_owned(), format, sides, roots: Vec::new(), usages: Default::default() };
    let checked = case.check();
    let mut broken = laws::identity(&case);
    broken.extend(misplaced(files, &checked));
    let mut problems = checked.problems.old.iter().chain(&checked.problems.new);
    if problems.all(|problem| problem.severity == Severity::Warning) {
        broken.extend(laws::broken_together(&case, &checked));
    } else {
        broken.extend(laws::unjudged(&case, &checked));
        broken.extend(laws::unexplained(&case, &checked));
    }
    let report = case.report(&Policy::default());
    let page = |report: &report::Report| report::html::render(report, &report::links::Links::default());
    for render in [report::json::render, page, report::sarif::render] {
        assert!(!render(&report).is_empty(), "a report says something");
    }
    broken.sort();
    broken.dedup();
    broken
}

/// Problems that lie outside of the file that they name, or that say nothing.
fn misplaced(files: &Files, checked: &Checked) -> Vec<String> {
    let sides = [(&files.old, &checked.problems.old), (&files.new, &checked.problems.new)];
    let all = sides.into_iter().flat_map(|(files, problems)| problems.iter().map(move |problem| (files, problem)));
    let is_wrong = all.filter(|(files, problem)| {
        let is_outside = problem.site.as_ref().is_some_and(|site| {
            let length = files.get(&*site.file).map(String::len);
            length.is_some_and(|length| site.span.start > site.span.end || site.span.end as usize > length)
        });
        is_outside || problem.message.is_empty()
    });
    is_wrong.map(|(_, problem)| format!("misplaced: {problem:?}")).collect()
}

/// What the random changes of a format start from: its fixtures and the examples of its rules.
pub fn seeds(format: Format) -> Vec<Files> {
    let cases = support::all_cases().into_iter().filter(|case| case.format == format);
    let seeds = cases.map(|case| pairs::of_snapshots(case.sides.as_ref()));
    seeds.filter(|files| pairs::parse(pairs::print(files).as_bytes()).is_some()).collect()
}

/// Pairs that broke a law once hold all of them now.
#[test]
fn what_was_found_stays_mended() {
    let found = support::some_of(support::files_below(&support::root().join("tests/data/fuzzed")));
    let broken: Vec<String> = found
        .par_iter()
        .filter_map(|path| {
            let format = Format::from_name(support::relative(path).split('/').nth(3)?)?;
            let text = fs::read(path).expect("a file of the repository can be read");
            let files = pairs::parse(&text).expect("what was found is a pair of schemas");
            told(format, &files).map(|what| format!("{}\n{what}", support::relative(path)))
        })
        .collect();
    assert!(broken.is_empty(), "{}", broken.join("\n\n"));
}

/// A plain run tries a fixed set of pairs; `FUZZ_PAIRS=20000 SEED=7 cargo test --release --test it fuzzing` tries others.
#[test]
fn the_laws_hold_for_pairs_made_of_others() {
    let (count, seed) = (laws_number("FUZZ_PAIRS", support::as_many(PAIRS)), laws_number("SEED", 1));
    let all: Vec<(Format, Vec<Files>)> = Format::ALL.iter().map(|format| (*format, seeds(*format))).collect();
    let tried: Vec<(Format, &Vec<Files>, usize)> =
        all.iter().flat_map(|(format, seeds)| (0..count).map(move |index| (*format, seeds, index))).collect();
    let broken: Vec<String> = tried
        .into_par_iter()
        .filter_map(|(format, seeds, index)| {
            let dice = &mut Dice((seed as u64) << 32 | index as u64);
            let (start, other) = (&seeds[dice.below(seeds.len())], &seeds[dice.below(seeds.len())]);
            let files = pairs::mutate(start, other, dice);
            told(format, &files).map(|what| format!("{format:?} {index}\n{}{what}", pairs::print(&files)))
        })
        .collect();
    let shown: Vec<&str> = broken.iter().take(5).map(String::as_str).collect();
    assert!(broken.is_empty(), "{} pairs break a law:\n{}", broken.len(), shown.join("\n\n"));
}

#[cfg(test)]
fn laws_number(variable: &str, otherwise: usize) -> usize {
    crate::laws_random::number(variable, otherwise)
}

/// What breaks a law, if anything does.
#[cfg(test)]
fn told(format: Format, files: &Files) -> Option<String> {
    let broken = catch_unwind(AssertUnwindSafe(|| broken_by(format, files)));
    let broken = broken.unwrap_or_else(|_| vec!["it panicked".to_owned()]);
    (!broken.is_empty()).then(|| broken.join("\n"))
}
