//! What the second reader makes of the messages of a stage: of the witnesses, and of one message for every change.
//!
//! Where it reads a message, its value is compared like any other. Where it rejects one that should be read, it does not
//! say which change it stumbles over. It is told of a change only where no other can be meant: the message has no other
//! one, or differs by it from a message that is read, or the reason names it.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use super::super::compare::Experience;
use super::super::observer::{NAME, Observer};
use super::*;

/// More messages of one meeting and direction are not given to this reader: it is slow.
const MESSAGES: usize = 40;
/// Messages of one change at most.
const MESSAGES_OF_CHANGE: usize = 12;

/// What the second reader and the deciding one make of one message.
struct Seen {
    spec: Experience,
    bytes: Vec<u8>,
    /// What was experienced of the value that was read, or why it was rejected.
    read: Result<Experience, String>,
}

struct Second<'t, 's, 'a> {
    stage: &'t Stage<'s, 'a>,
    values: &'t [Value],
    observer: Observer<'s, 'a, 'a>,
    seen: FxHashMap<usize, Option<Seen>>,
}

/// The readings of the second reader, for the identities on the wire that were reached.
pub(super) fn readings(stage: &Stage<'_, '_>, values: &[Value], tally: &Tally) -> Vec<(Cell, Reading)> {
    if tally.came.is_empty() {
        return Vec::new();
    }
    let schemas = stage.comparer.schemas;
    let sides = Resolver { writer: schemas.writer, reader: schemas.reader, dialect: Dialect::Specification };
    let Some(observer) = Observer::new(&sides, stage.types.writer, stage.types.reader) else { return Vec::new() };
    let mut second = Second { stage, values, observer, seen: FxHashMap::default() };
    let mut readings = Vec::new();
    for (identity, messages) in &tally.came {
        let worst = tally.spec.get(&(identity.clone(), Surface::Wire));
        let decided = worst.map_or(Outcome::Safe, |worst| worst.outcome);
        let candidates = worst.map(|worst| worst.message).into_iter().chain(messages.iter().copied());
        if let Some((outcome, message)) = second.worst(identity, candidates)
            && outcome != decided
            && let Some(witness) = second.witness(identity, message)
        {
            let cell = (identity.clone(), Surface::Wire, stage.comparer.direction);
            readings.push((cell, Reading { outcome, runtime: NAME, witness }));
        }
    }
    readings
}

impl Second<'_, '_, '_> {
    fn look(&mut self, message: usize) {
        if self.seen.contains_key(&message) || self.seen.len() >= MESSAGES {
            return;
        }
        let seen = self.read(message);
        self.seen.insert(message, seen);
    }

    fn read(&self, message: usize) -> Option<Seen> {
        let (stage, value) = (self.stage, &self.values[message]);
        let bytes = stage.written(Surface::Wire, value)?;
        let read = self.observer.read(&bytes)?;
        let read = read.map(|read| stage.comparer.compare(stage.types, &stage.meeting.place, value, read));
        Some(Seen { spec: stage.experience(Dialect::Specification, value), bytes, read })
    }

    fn at(&self, message: usize) -> Option<&Seen> {
        self.seen.get(&message)?.as_ref()
    }

    /// The worst that it experiences of a change, and the first message that shows it.
    fn worst(&mut self, identity: &Identity, messages: impl Iterator<Item = usize>) -> Option<(Outcome, usize)> {
        let mut worst: Option<(Outcome, usize)> = None;
        self.look(0);
        for message in messages.take(MESSAGES_OF_CHANGE) {
            self.look(message);
            let Some(seen) = self.at(message) else { continue };
            let outcome = match &seen.read {
                Ok(experience) => experience.told.get(identity).map_or(Outcome::Safe, |told| told.outcome),
                Err(reason) if self.is_to_blame(identity, message, &seen.spec, reason) => Outcome::Fails,
                Err(_) => continue,
            };
            if worst.is_none_or(|(known, _)| outcome > known) {
                worst = Some((outcome, message));
            }
        }
        worst
    }

    fn witness(&self, identity: &Identity, message: usize) -> Option<Witness> {
        let seen = self.at(message)?;
        let told = seen.read.as_ref().ok().and_then(|experience| experience.told.get(identity));
        let field = told.or(seen.spec.told.get(identity)).map(|told| told.field);
        let read = match &seen.read {
            Ok(experience) => {
                self.stage.shown_to_reader(experience.read.as_ref()?, field.and_then(|field| field.reader))
            }
            Err(reason) => serde_json::Value::String(reason.clone()),
        };
        let wrote = self.stage.shown_to_writer(&self.values[message], field.and_then(|field| field.writer));
        Some(Witness { type_name: self.stage.type_name.clone(), wrote, bytes: seen.bytes.clone(), read })
    }

    /// Whether a message is rejected because of this change.
    fn is_to_blame(&self, identity: &Identity, message: usize, spec: &Experience, reason: &str) -> bool {
        let reached = &spec.reached;
        if !reached.contains(identity) {
            return false;
        }
        if reached.len() == 1 {
            return true;
        }
        if message != 0
            && let Some(Seen { spec: plain, read: Ok(_), .. }) = self.at(0)
        {
            let more: BTreeSet<&Identity> = reached.difference(&plain.reached).collect();
            if more.len() == 1 && more.contains(identity) {
                return true;
            }
        }
        let mut named = reached.iter().filter(|reached| is_named(reached, reason));
        named.next() == Some(identity) && named.next().is_none()
    }
}

/// Whether a reason names the field or the symbol that an identity is about.
fn is_named(identity: &Identity, reason: &str) -> bool {
    let names = identity.0.split('>').filter_map(|side| {
        let (_, name) = side.rsplit_once(['#', '='])?;
        name.split(['[', '{', '|']).next()
    });
    let is_word = |letter: char| letter.is_alphanumeric() || letter == '_';
    let words: BTreeSet<&str> = reason.split(|letter| !is_word(letter)).collect();
    names.into_iter().any(|name| words.contains(name))
}
