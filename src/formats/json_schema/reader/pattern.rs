//! Patterns of ECMA-262 with the flag `u`, found anywhere in a text (Validation §6.3.3).
//!
//! What an automaton can say is given to one. All else (what looks around, refers back or speaks of properties of characters) is
//! tried way by way, up to a bound.

mod back;
mod parse;
mod program;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::OnceLock;

use regex_automata::meta;

use self::back::search;
use self::parse::{Dialect, Item, parsed};
use self::program::Program;
use crate::formats::json_schema::patterns::translated;

/// Bytes of one automaton.
const LARGEST: usize = 1 << 21;

/// Whether a pattern was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Found {
    Yes,
    No,
    /// There were too many ways to try.
    Unknown,
}

/// A pattern, made ready when it is needed.
#[derive(Debug)]
pub(in crate::formats::json_schema) struct Pattern {
    pub(super) written: Box<str>,
    start: Option<Start>,
    item: Item,
    engine: OnceLock<Engine>,
}

/// How all texts begin in which a pattern is found: of very many patterns of names most need no more than that.
#[derive(Debug)]
struct Start {
    text: Box<str>,
    /// Whether the pattern says nothing else.
    is_all: bool,
}

impl Start {
    fn of(pattern: &str) -> Option<Start> {
        let rest = pattern.strip_prefix('^').filter(|rest| !rest.contains('|'))?;
        let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "_-/: ".contains(letter);
        let end = rest.find(|letter| !is_plain(letter)).unwrap_or(rest.len());
        // What is repeated may not be there.
        let is_repeated = rest[end..].starts_with(['*', '+', '?', '{']);
        let text = &rest[..end.saturating_sub(usize::from(is_repeated))];
        (!text.is_empty()).then(|| Start { text: text.into(), is_all: end == rest.len() })
    }
}

#[derive(Debug)]
enum Engine {
    Automaton(Box<meta::Regex>),
    Program(Box<Program>),
}

impl Pattern {
    /// `None` where it is no pattern. More is taken than the grammar has: what people write who have other engines in mind, where
    /// it can mean one thing only.
    pub(in crate::formats::json_schema) fn new(pattern: &str) -> Option<Pattern> {
        let item = parsed(pattern, Dialect::Lenient)?;
        Some(Pattern { written: pattern.into(), start: Start::of(pattern), item, engine: OnceLock::new() })
    }

    /// Whether it is found in a text.
    pub(in crate::formats::json_schema) fn is_found(&self, text: &str) -> bool {
        self.find(text) == Found::Yes
    }

    pub(super) fn find(&self, text: &str) -> Found {
        match &self.start {
            Some(start) if !text.starts_with(&*start.text) => return Found::No,
            Some(start) if start.is_all => return Found::Yes,
            _ => {}
        }
        match self.engine.get_or_init(|| self.engine()) {
            // Of some patterns and texts the library panics.
            Engine::Automaton(automaton) => match catch_unwind(AssertUnwindSafe(|| automaton.is_match(text))) {
                Ok(true) => Found::Yes,
                Ok(false) => Found::No,
                Err(_) => Found::Unknown,
            },
            Engine::Program(program) => search(program, text),
        }
    }

    fn engine(&self) -> Engine {
        let automaton = || {
            let plain = translated(&self.written)?;
            let config = meta::Config::new().nfa_size_limit(Some(LARGEST)).onepass_size_limit(Some(LARGEST));
            // Of most patterns few texts are asked: states are made as they are met.
            let config = config.hybrid_cache_capacity(LARGEST).auto_prefilter(true).dfa(false);
            meta::Builder::new().configure(config).build(&plain).ok()
        };
        match automaton() {
            Some(automaton) => Engine::Automaton(Box::new(automaton)),
            None => Engine::Program(Box::new(Program::new(&self.item))),
        }
    }
}

/// Whether a text is a pattern by the letter of ECMA-262, but for what is escaped without need.
pub(super) fn is_pattern(text: &str) -> bool {
    parsed(text, Dialect::Strict).is_some()
}

#[cfg(test)]
#[path = "pattern_tests.rs"]
mod tests;
