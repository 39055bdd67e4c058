//! What the second reader makes of the messages of a stage: of the witnesses, and of one message for every change.
//!
//! Where it reads a message, its value is compared like any other. Where it rejects one that should be read, it does not
//! say which change it stumbles over. It is told of a change only where no other can be meant: the message has no other
//! one, or differs by it from a message that is read, or the reason names it.

use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::change::Identity;
use crate::evidence::{Outcome, SPEC, Surface, Witness};
use crate::formats::roundtrip::{Findings, Stage, Tally, WorstReading, observation};
use crate::ordered::OrderedSet;
use crate::value::Value;

use super::compare::Experience;
use super::model::{Kind, Schema, TypeId};
use super::observer::{NAME, Observer};
use super::resolve::{Dialect, Resolver};
use super::stage::Data;

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
    /// The change because of which it was rejected, if it can be told.
    blamed: Option<Identity>,
}

struct Second<'t, 's, 'a> {
    stage: &'t Data<'s, 'a>,
    values: &'t [Rc<Value>],
    observer: Observer<'s, 'a, 'a>,
    seen: FxHashMap<usize, Option<Seen>>,
}

/// Tells of the second reader, for the identities on the wire that were reached.
pub(super) fn tell<'s, 'a>(
    stage: &Data<'s, 'a>,
    tally: &Tally<<Data<'s, 'a> as Stage>::Reading>,
    findings: &mut Findings,
) {
    let (values, came) = (stage.wrote.borrow(), stage.came.borrow());
    if came.is_empty() {
        return;
    }
    let schemas = stage.comparer.schemas;
    let sides = Resolver { writer: schemas.writer, reader: schemas.reader, dialect: Dialect::Specification };
    // It follows defaults that are objects without end where a record may hold itself, until the stack is used up.
    if may_not_end(schemas.writer, stage.types.writer) || may_not_end(schemas.reader, stage.types.reader) {
        return;
    }
    let Some(observer) = Observer::new(&sides, stage.types.writer, stage.types.reader) else { return };
    let mut second = Second { stage, values: &values, observer, seen: FxHashMap::default() };
    for (identity, messages) in came.iter() {
        let worst = tally.worst.get(&(identity.clone(), Surface::Wire, SPEC));
        let decided = worst.map_or(Outcome::Safe, |worst| worst.outcome);
        let candidates = worst.map(|worst| worst.kept.nth).into_iter().chain(messages.iter().copied());
        if let Some((outcome, message)) = second.worst(identity, candidates)
            && outcome != decided
            && let Some(witness) = second.witness(identity, message)
        {
            let cell = (identity.clone(), Surface::Wire, stage.comparer.direction);
            let size = (0, witness.bytes.len());
            let observations = vec![observation(&cell, NAME, outcome, witness)];
            findings.keep(cell, NAME, WorstReading { outcome, size, observations });
        }
    }
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
        let spec = stage.experience(Dialect::Specification, value);
        let blamed = read.as_ref().err().and_then(|reason| self.blamed(&spec, reason)).cloned();
        Some(Seen { spec, bytes, read, blamed })
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
                Err(_) if seen.blamed.as_ref() == Some(identity) => Outcome::Fails,
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
        let (written_parts, read_parts) = self.stage.parts(Dialect::Specification, &seen.bytes);
        let bytes = seen.bytes.clone();
        Some(Witness {
            wrote: wrote.into(),
            bytes,
            read: read.into(),
            written_parts,
            read_parts,
            ..self.stage.named_witness()
        })
    }

    /// The change because of which a message is rejected: the one that the reason names, the only one that the reader
    /// came to, or the only one beside those of the plainest message, which is read.
    fn blamed<'e>(&self, spec: &'e Experience, reason: &str) -> Option<&'e Identity> {
        let is_word = |letter: char| letter.is_alphanumeric() || letter == '_';
        let words: OrderedSet<&str> = reason.split(|letter| !is_word(letter)).collect();
        let named = only(spec.reached.iter().filter(|identity| is_named(identity, &words)));
        named.or_else(|| only(spec.reached.iter())).or_else(|| match self.at(0)? {
            Seen { spec: plain, read: Ok(_), .. } => {
                only(spec.reached.iter().filter(|identity| !plain.reached.contains(*identity)))
            }
            Seen { read: Err(_), .. } => None,
        })
    }
}

/// Whether a type reaches a default that is an object, and some type that holds itself.
fn may_not_end(schema: &Schema<'_>, root: TypeId) -> bool {
    let mut reached = vec![root];
    let mut seen = FxHashSet::from_iter([root]);
    let mut at = 0;
    while let Some(id) = reached.get(at).copied() {
        reached.extend(parts(schema, id).into_iter().filter(|part| seen.insert(*part)));
        at += 1;
    }
    let has_object = |id: &TypeId| {
        let fields = schema.record(*id).map_or(&[][..], |record| &record.fields);
        fields.iter().filter_map(|field| field.default.as_ref()).any(|default| is_object(&default.value))
    };
    if !reached.iter().any(has_object) {
        return false;
    }
    // Types whose parts all end do end themselves; what is left holds itself.
    let mut ends: FxHashSet<TypeId> = FxHashSet::default();
    loop {
        let before = ends.len();
        for id in reached.iter().rev() {
            if parts(schema, *id).iter().all(|part| ends.contains(part)) {
                ends.insert(*id);
            }
        }
        if ends.len() == before {
            return ends.len() < reached.len();
        }
    }
}

/// The types that a type is made of.
fn parts(schema: &Schema<'_>, id: TypeId) -> Vec<TypeId> {
    match schema.kind(id) {
        Kind::Record(record) => record.fields.iter().map(|field| field.schema.ty).collect(),
        Kind::Array(inner) | Kind::Map(inner) => vec![inner.ty],
        Kind::Union(branches) => branches.iter().map(|branch| branch.ty).collect(),
        Kind::Primitive(_) | Kind::Enum(_) | Kind::Fixed(_) | Kind::Opaque(_) => Vec::new(),
    }
}

fn is_object(value: &Value) -> bool {
    match value {
        Value::Map(_) | Value::Record(_) => true,
        Value::List(values) => values.iter().any(is_object),
        Value::Branch { value, .. } => is_object(value),
        _ => false,
    }
}

/// The one and only.
fn only<T>(mut all: impl Iterator<Item = T>) -> Option<T> {
    let first = all.next()?;
    all.next().is_none().then_some(first)
}

/// Whether a field or a symbol that an identity is about is among the words.
fn is_named(identity: &Identity, words: &OrderedSet<&str>) -> bool {
    let mut names = identity.0.split('>').filter_map(|side| {
        let (_, name) = side.rsplit_once(['#', '='])?;
        name.split(['[', '{', '|']).next()
    });
    names.any(|name| words.contains(name))
}
