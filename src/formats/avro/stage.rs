//! One meeting of types in one direction: a value is written in both encodings and resolved by the reader that decides and
//! by the model of Java's.

use std::cell::RefCell;
use std::rc::Rc;

use crate::change::Identity;
use crate::evidence::{BytePart, Direction, REFERENCE, SPEC, Surface, Witness};
use crate::formats::roundtrip::{Exchange, Kept, LONGEST, Note, Sides, Stage, Trip, pruned, with_more};
use crate::ordered::OrderedMap;
use crate::value::{self, Value};

use super::codec;
use super::compare::{Comparer, Experience};
use super::diff::Meeting;
use super::json;
use super::legible::legible;
use super::model::{Schema, TypeId};
use super::names::{SchemaNames, field_key};
use super::parts;
use super::resolve::{Dialect, Reading as Resolution, Resolver};

/// The model of the reference implementation's reader.
pub(super) const JAVA: &str = REFERENCE;
/// The encodings.
const SURFACES: [Surface; 2] = [Surface::Wire, Surface::Json];
/// How much is written: each value is resolved by two readers, and walked through for each.
const BUDGET: usize = 1 << 16;
/// Messages that are remembered of each identity.
const REMEMBERED: usize = 12;

/// One meeting in one direction.
pub(super) struct Data<'s, 'a> {
    /// Who writes and who reads.
    pub(super) comparer: Comparer<'s, 'a>,
    /// The reader with the writer's own schema.
    own: Resolution<'s, 'a, 'a>,
    /// The types.
    pub(super) types: Sides<TypeId>,
    /// Where they meet.
    pub(super) meeting: &'s Meeting,
    /// What the writer's is called.
    pub(super) type_name: String,
    /// What the reader's is called.
    reader_name: String,
    /// What was written, in order.
    pub(super) wrote: RefCell<Vec<Rc<Value>>>,
    /// The first messages on the wire that came to a changed identity.
    pub(super) came: RefCell<OrderedMap<Identity, Vec<usize>>>,
}

/// How a value was written, and what its reader experienced.
pub(super) struct Reading {
    surface: Surface,
    dialect: Dialect,
    seen: Rc<Experience>,
}

impl<'s, 'a> Data<'s, 'a> {
    /// Nothing is written yet.
    pub(super) fn new(comparer: Comparer<'s, 'a>, meeting: &'s Meeting) -> Self {
        let types = Sides::of(comparer.direction, meeting.types);
        let schema = comparer.schemas.writer;
        let place = Sides::of(comparer.direction, meeting.place.0.as_ref());
        let called = |schema: &Schema<'_>, ty, place: &str| {
            schema.name(ty).map_or_else(|| place.to_owned(), |name| name.full.to_string())
        };
        let type_name = called(schema, types.writer, place.writer);
        let reader_name = called(comparer.schemas.reader, types.reader, place.reader);
        let dialect = Dialect::Specification;
        let own = Resolver { writer: schema, reader: schema, dialect }.reading(types.writer, types.writer);
        let (wrote, came) = (RefCell::default(), RefCell::default());
        Data { comparer, own, types, meeting, type_name, reader_name, wrote, came }
    }

    /// The value in an encoding; `None` when the writer's own schema does not read it back as written.
    pub(super) fn written(&self, surface: Surface, value: &Value) -> Option<Vec<u8>> {
        let (schema, ty) = (self.comparer.schemas.writer, self.types.writer);
        match surface {
            Surface::Json => {
                let text = json::encode(schema, ty, value).ok()?;
                (json::decode(schema, ty, &text).as_ref() == Ok(value)).then(|| text.into_bytes())
            }
            Surface::Wire | Surface::Source => {
                let mut bytes = Vec::new();
                codec::encode(schema, ty, value, &mut bytes).ok()?;
                let is_read_back = matches!(codec::decode(schema, ty, &bytes), Ok((read, [])) if read == *value);
                is_read_back.then_some(bytes)
            }
        }
    }

    /// What the bytes of a datum are to its writer, and to a reader.
    pub(super) fn parts(&self, dialect: Dialect, bytes: &[u8]) -> (Vec<BytePart>, Vec<BytePart>) {
        let Sides { writer, reader } = self.types;
        let reading = self.comparer.reading(dialect, self.types);
        (parts::written(self.comparer.schemas.writer, writer, bytes), parts::read(&reading, writer, reader, bytes))
    }

    /// What was written, as the writer understands it; a field that matters is among those that are shown.
    pub(super) fn shown_to_writer(&self, value: &Value, field: Option<usize>) -> serde_json::Value {
        shown((self.comparer.schemas.writer, self.types.writer), value, field)
    }

    /// What was read, as the reader understands it.
    pub(super) fn shown_to_reader(&self, value: &Value, field: Option<usize>) -> serde_json::Value {
        shown((self.comparer.schemas.reader, self.types.reader), value, field)
    }

    /// What a reader experiences of a value.
    pub(super) fn experience(&self, dialect: Dialect, value: &Value) -> Experience {
        self.comparer.experience(dialect, self.types, &self.meeting.place, value)
    }

    /// What the modelled reader experiences, where it reads anything else than the one that decides.
    fn experience_unless_same(&self, spec: &Experience, value: &Value) -> Option<Experience> {
        let read = self.comparer.reading(Dialect::Java, self.types).read(value);
        let is_accepted = spec.told.values().all(|told| told.reason.is_none());
        match (&read, &spec.read) {
            (Ok(read), Some(decided)) if is_accepted && read == decided => None,
            _ => Some(self.experience(Dialect::Java, value)),
        }
    }

    /// Whether the modelled reader takes the message: where it rejects it for another reason, nothing here is safe.
    pub(super) fn is_read_by_java(&self, kept: &Kept<Reading>) -> bool {
        self.comparer.reading(Dialect::Java, self.types).read(&kept.wrote).is_ok()
    }

    /// A witness with nothing but the names of the types.
    pub(super) fn named_witness(&self) -> Witness {
        let (type_name, reader) = (self.type_name.clone(), self.reader_name.clone());
        Witness { type_name, reader, ..Witness::default() }
    }

    pub(super) fn witness_of(&self, dialect: Dialect, identity: &Identity, kept: &Kept<Reading>) -> Witness {
        let Reading { surface, dialect: seen_by, seen } = &kept.reading;
        // A message that only the other reader has trouble with is read again.
        let again = (*seen_by != dialect).then(|| self.experience(dialect, &kept.wrote));
        let seen = again.as_ref().unwrap_or(seen);
        let told = seen.told.get(identity);
        let part = seen.read.as_ref().map(|read| self.shown_to_reader(read, told.and_then(|told| told.field.reader)));
        let read = match (told.and_then(|told| told.reason.as_ref()), seen.rejection(), part) {
            (Some(reason), _, _) => serde_json::Value::String(reason.clone()),
            // What the whole reader reads is nothing, whatever becomes of this part.
            (None, Some(reason), Some(part)) => format!("{reason}; but for that it would be {part}").into(),
            (None, None, Some(read)) => read,
            (None, reason, None) => reason.into(),
        };
        let wrote = self.shown_to_writer(&kept.wrote, told.and_then(|told| told.field.writer));
        let (written_parts, read_parts) = match surface {
            Surface::Wire => self.parts(dialect, &kept.bytes),
            Surface::Json | Surface::Source => (Vec::new(), Vec::new()),
        };
        Witness {
            wrote: wrote.into(),
            bytes: kept.bytes.to_vec(),
            read: read.into(),
            written_parts,
            read_parts,
            ..self.named_witness()
        }
    }
}

impl Stage for Data<'_, '_> {
    type Reading = Reading;

    fn direction(&self) -> Direction {
        self.comparer.direction
    }

    fn type_name(&self) -> &str {
        &self.type_name
    }

    fn budget(&self) -> usize {
        BUDGET
    }

    fn exchange(&self, value: &Rc<Value>) -> Trip<Reading> {
        let mut trip = Trip::default();
        let nth = self.wrote.borrow().len();
        self.wrote.borrow_mut().push(value.clone());
        let written = SURFACES.into_iter().filter_map(|surface| Some((surface, self.written(surface, value)?)));
        let written: Vec<(Surface, Vec<u8>)> = written.collect();
        if written.iter().any(|(_, bytes)| bytes.len() > LONGEST) {
            trip.too_long = 1;
            return trip;
        }
        if written.is_empty() || self.own.read(value).as_ref() != Ok(value) {
            return trip;
        }
        let spec = Rc::new(self.experience(Dialect::Specification, value));
        let java = self.experience_unless_same(&spec, value).map_or_else(|| spec.clone(), Rc::new);
        for (surface, bytes) in written {
            let bytes: Rc<[u8]> = bytes.into();
            for (runtime, dialect, seen) in [(SPEC, Dialect::Specification, &spec), (JAVA, Dialect::Java, &java)] {
                let notes = seen.told.iter().map(|(identity, told)| (identity.clone(), told.outcome));
                trip.exchanges.push(Exchange {
                    surface,
                    runtime,
                    bytes: bytes.clone(),
                    // What is read as a whole shows more than what is rejected for another reason.
                    size: (usize::from(seen.rejection().is_some()), bytes.len()),
                    notes: notes.map(|(identity, outcome)| Note { identity, outcome }).collect(),
                    reached: if runtime == SPEC { seen.reached.iter().cloned().collect() } else { Vec::new() },
                    // A rejected value is read part by part.
                    is_whole: true,
                    reading: Reading { surface, dialect, seen: seen.clone() },
                });
            }
            if surface == Surface::Wire {
                let mut came = self.came.borrow_mut();
                for identity in &spec.reached {
                    let messages = came.entry(identity.clone()).or_default();
                    messages.extend((messages.len() < REMEMBERED).then_some(nth));
                }
            }
        }
        trip
    }

    fn unwritten(&self) -> Vec<Identity> {
        Vec::new()
    }

    fn witness(&self, identity: &Identity, kept: &Kept<Reading>) -> Witness {
        self.witness_of(kept.reading.dialect, identity, kept)
    }
}

/// A value for people, as its schema understands it. Of a record with many fields only some are shown, among them the
/// one that matters.
fn shown((schema, ty): (&Schema<'_>, TypeId), value: &Value, field: Option<usize>) -> serde_json::Value {
    let (pruned, more) = pruned(value, field.map(field_key));
    with_more(value::for_people(&legible(schema, ty, &pruned), &SchemaNames(schema)), more)
}
