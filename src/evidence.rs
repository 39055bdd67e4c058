//! What readers experience: the vocabulary shared by claims (rules) and observations (round trips).

use std::sync::Arc;

use crate::change::{Identity, Pair, Site};

pub use crate::vocabulary::{Direction, Outcome, SPEC, Surface};

/// The model of the reference implementation of Avro. It decides nothing, but what it loses is worth a warning.
pub const REFERENCE: &str = "java (modelled)";

/// One reading of synthetic data, told about one identity.
#[derive(Debug, Clone, PartialEq)]
pub struct Observation {
    /// What was observed: equal to the identity of the change that explains it.
    pub identity: Identity,
    /// Who read: [`SPEC`] decides; any other name illustrates.
    pub runtime: &'static str,
    /// The encoding used.
    pub surface: Surface,
    /// Whose data was read by whom.
    pub direction: Direction,
    /// What the reader experienced.
    pub outcome: Outcome,
    /// What was written, the bytes, and what was read.
    pub witness: Witness,
}

/// One replayable reading.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Witness {
    /// What was written, for people.
    pub type_name: String,
    /// Full name of the type that was written; empty where `type_name` is that.
    pub writer: String,
    /// Full name of the type that was read; empty where that is the writer's.
    pub reader: String,
    /// Where the value is wrapped to be written: the wrapper in the language of the schemas, with `TYPE` for the type of
    /// the writer or the reader. Empty where nothing is wrapped.
    pub wrapper: &'static str,
    /// The values written, as JSON for people. Reports and other witnesses of the same have it without a copy.
    pub wrote: Arc<serde_json::Value>,
    /// The bytes in between: the wire encoding, or UTF-8 text for JSON. Empty where long messages are too many to show.
    pub bytes: Vec<u8>,
    /// The values read; for a rejected message the reason as a string.
    pub read: Arc<serde_json::Value>,
    /// The bytes as the writer meant them, in ascending order. Empty where that is not told: in JSON, and of long messages.
    pub written_parts: Vec<BytePart>,
    /// The bytes as the reader took them, as far as it got.
    pub read_parts: Vec<BytePart>,
    /// The same value in the encodings in which it travels, where these are named.
    pub encoded: Vec<Encoded>,
}

/// A value in an encoding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Encoded {
    /// What the encoding is called.
    pub encoding: &'static str,
    /// Its bytes, or why it cannot be written.
    pub written: Result<Vec<u8>, String>,
}

impl Witness {
    /// Full name of the type that was written.
    pub fn writer(&self) -> &str {
        if self.writer.is_empty() { &self.type_name } else { &self.writer }
    }

    /// Full name of the type that was read.
    pub fn reader(&self) -> &str {
        if self.reader.is_empty() { self.writer() } else { &self.reader }
    }
}

/// What was read, on which surface, and by whom.
pub type Cell = (Identity, Surface, Direction);

/// What some bytes of a witness are.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct BytePart {
    /// First byte.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
    /// The field they belong to, by its path inside the message; empty where they belong to none.
    pub field: String,
    /// What they are, in few words.
    pub what: String,
}

/// Everything the round trips showed.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Observed {
    /// The worst observation per identity, surface, direction and runtime that is worse than `safe`;
    /// the first witness found of it (the smallest message).
    pub observations: Vec<Observation>,
    /// Identities that were exercised, with the surfaces and directions in which they were: an identity exercised and
    /// not listed above was `safe`. Where a reader rejects every message for another reason, nothing is exercised.
    pub exercised: Vec<Cell>,
    /// Identities of which limits left out some value: what was observed of them is the least that readers experience,
    /// and does not speak against a claim of something worse.
    pub partly: Vec<Cell>,
    /// Identities of changes that are not judged, since what they touch could not be read in whole: what is experienced of
    /// them may have a cause that nobody tells.
    pub doubted: Vec<Identity>,
    /// What was looked into and could not be told: no data show it, and nothing proves that none do. No claim about these
    /// cells is believed, and none is a pass.
    pub undecided: Vec<Undecided>,
    /// Types written at least once.
    pub types: usize,
    /// Messages written and read.
    pub messages: usize,
    /// What was left out for size, in words; empty when nothing was.
    pub left_out: Vec<String>,
}

/// What could not be told of a change.
#[derive(Debug, Clone, PartialEq)]
pub struct Undecided {
    /// What was asked.
    pub cells: Vec<Cell>,
    /// Whose data were to be read by whom.
    pub direction: Direction,
    /// Where the change is.
    pub at: Pair<Option<Site>>,
    /// The same for people: it matters where that direction has to hold.
    pub message: String,
    /// What to do about it.
    pub help: String,
    /// What stands on either side in the place of something that was not found: that it was not is why nobody can tell.
    pub lacks: Pair<Option<Site>>,
    /// Whether an error says so at one of these places: then this need not be said.
    pub is_told: bool,
}
