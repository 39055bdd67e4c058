//! What reads: whether a datum is valid, and why it is not.
//!
//! A document is one of 2020-12 that is complete in itself: references are pointers into it. Formats are asserted where they stand;
//! those that nobody knows are passed over. Each schema of the document is met once, however often something refers to it, and
//! what was found of one and a value is remembered, so that nothing multiplies.
//!
//! A schema that leads back to itself at the same value says what agrees with all else that it says: one that is nothing but a
//! reference to itself takes everything. No reader is made of a document in which more than 20,000 schemas look at one value in
//! a chain.

mod addresses;
mod compile;
mod loops;
mod node;
mod numbers;
mod pattern;
mod rest;
mod run;
mod several;
mod texts;
mod values;
mod words;

use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::Value;

use crate::parallel::with_deep_stack;

use self::node::Arena;
pub(super) use self::pattern::Pattern;
use self::rest::Ask;
use self::run::Run;
use self::values::View;
use self::words::Reason;

/// Reasons that are told of one datum.
const MOST_REASONS: usize = 10_000;

/// How many schemas may be asked inside of each other where there is the usual room, and where more is made.
const NEAR: usize = 160;
const FAR: usize = 60_000;

/// What decides about data.
#[derive(Debug)]
pub(super) struct Reader {
    arena: Arena,
    /// Whether it may refuse data that meet a limit of its own, and not the schema's.
    pub(super) may_meet_limits: bool,
    /// Whether some datum needed more room than usual.
    is_deep: AtomicBool,
}

impl Reader {
    /// The reader of a document; `None` where it cannot be built, as with a pattern that is none.
    pub(super) fn new(document: &Value) -> Option<Reader> {
        let arena = compile::compiled(document)?;
        let may_meet_limits = !arena.patterns.is_empty();
        Some(Reader { arena, may_meet_limits, is_deep: AtomicBool::new(false) })
    }

    /// The reader of texts in which a pattern is found.
    pub(super) fn of_pattern(pattern: &str) -> Option<Reader> {
        Reader::new(&serde_json::json!({ "pattern": pattern }))
    }

    /// Whether data are valid.
    pub(super) fn takes(&self, data: &Value) -> bool {
        self.with_run(|run| run.takes(Arena::ROOT, View::of(data)) && !run.met_limit).unwrap_or(false)
    }

    /// Why data are not valid, in one sentence; where a limit was met and not the schema, nothing.
    pub(super) fn refuses(&self, data: &Value) -> Option<String> {
        self.sentences(data, 1).into_iter().next()
    }

    /// Everything that makes data invalid, up to a bound, each in one sentence; nothing where a limit was met.
    pub(super) fn complaints(&self, data: &Value) -> Vec<String> {
        self.sentences(data, MOST_REASONS)
    }

    fn sentences(&self, data: &Value, most: usize) -> Vec<String> {
        let sentence = |(place, words): Reason| if place.is_empty() { words } else { format!("{place}: {words}") };
        self.reasons(data, most).into_iter().map(sentence).collect()
    }

    /// The same with the pointers of the places, up to so many.
    pub(super) fn reasons(&self, data: &Value, most: usize) -> Vec<Reason> {
        let told = self.with_run(|run| {
            let told = words::told(run, Arena::ROOT, data, most);
            if run.met_limit { Vec::new() } else { told }
        });
        told.unwrap_or_default()
    }

    /// Looks at a datum, with more room where there is not enough; `None` where there is never enough.
    fn with_run<T: Send>(&self, look: impl Fn(&mut Run<'_>) -> T + Sync) -> Option<T> {
        if !self.is_deep.load(Ordering::Relaxed) {
            let mut run = Run::new(&self.arena, NEAR);
            let told = look(&mut run);
            if !run.is_too_deep {
                return Some(told);
            }
            self.is_deep.store(true, Ordering::Relaxed);
        }
        with_deep_stack(|| {
            let mut run = Run::new(&self.arena, FAR);
            let told = look(&mut run);
            (!run.is_too_deep).then_some(told)
        })?
    }
}

#[cfg(test)]
#[path = "reader_tests.rs"]
mod tests;
