//! One pair of structs in one direction: a record is written as a message, read back by the writer's own schema, and read
//! by the other.

use std::cell::Cell;
use std::rc::Rc;

use rustc_hash::FxHashMap;

use crate::change::Identity;
use crate::evidence::{Direction, Outcome, SPEC, Surface, Witness};
use crate::formats::roundtrip::{
    Exchange, Kept, LONGEST, Note, PerMessage, Seen, Sides, Stage, Trip, pruned, with_more, worst_of,
};
use crate::value::{Record, Value};

use super::codec::{self, bits, holds};
use super::compare::{Comparer, Element};
use super::model::{Schema, Slot, StructId};
use super::names::for_people;
use super::observer;
use super::parts;
use super::reader;

/// One pair of structs in one direction.
pub(super) struct Structs<'s, 'b, 'k> {
    /// Who writes and who reads.
    pub(super) comparer: Comparer<'s, 'b, 'k>,
    /// The structs.
    pub(super) ids: Sides<StructId>,
    /// What the types are called; of the synthetic struct, the enums in it.
    pub(super) names: Sides<String>,
    /// The struct that values are written in, if it is synthetic.
    pub(super) wrapper: &'static str,
    /// What the second reader made of messages that were witnesses.
    pub(super) second: PerMessage<Option<Second>>,
    /// Whether it was said what every message exercises.
    pub(super) is_told: Cell<bool>,
}

/// What the second reader saw of a message, where that is something else, and what follows from it.
pub(super) type Second = (Record, FxHashMap<Identity, Outcome>);

impl Structs<'_, '_, '_> {
    /// What a reader experienced.
    fn notes(&self, wrote: &Record, read: &Record) -> Vec<Note> {
        let mut notes = self.comparer.notes(self.ids, Sides { writer: wrote, reader: read });
        // The synthetic struct has no name, and nothing of it is told.
        notes.retain(|note| !note.identity.0.starts_with(['#', '@']));
        notes
    }

    /// What was written and what was read, for people. A field that lies in no message is its default to whoever looks at it:
    /// the one that is spoken of is shown, and those that are another value to the reader.
    fn shown(&self, identity: &Identity, wrote: &Record, read: &Record) -> (serde_json::Value, serde_json::Value) {
        let Sides { writer, reader } = self.comparer.schemas;
        let elements = self.comparer.elements(self.ids);
        let about = elements.iter().find(|element| element.identity == *identity);
        let about = about.or_else(|| elements.iter().find(|element| element.told_of == *identity));
        let told = self.comparer.told(about, self.ids, Sides { writer: wrote, reader: read });
        let key = |field: Option<&super::model::Field<'_>>| field.map(|field| i32::from(field.ordinal));
        let keep =
            Sides { writer: key(about.and_then(|one| one.writer)), reader: key(about.and_then(|one| one.reader)) };
        (
            shown(writer, &Value::Record(told.writer), keep.writer),
            shown(reader, &Value::Record(told.reader), keep.reader),
        )
    }

    /// How the `capnp` crate differs from the deciding reader where nobody knows of it: with the writer's schema not at all.
    /// Asked of every message in builds with debug assertions, as `.ci/run` makes them.
    fn disagreement(&self, bytes: &[u8], decided: Sides<&Record>) -> Option<String> {
        let Sides { writer, reader } = self.comparer.schemas;
        let own = observer::read(writer, self.ids.writer, bytes)?;
        if own.as_ref() != Ok(decided.writer) {
            return Some(format!("the writer itself: {:?}, the crate: {own:?}", decided.writer));
        }
        match observer::read(reader, self.ids.reader, bytes)? {
            Ok(theirs) => observer::difference(decided.reader, &theirs),
            Err(reason) => Some(format!("{:?}, the crate: {reason}", decided.reader)),
        }
    }

    fn read(&self, record: &Record, bytes: Vec<u8>) -> Option<Exchange<Record>> {
        let Sides { writer, reader } = self.comparer.schemas;
        let control = reader::decode(writer, self.ids.writer, &bytes).ok()?;
        if control != kept(writer, self.ids.writer, record) {
            return None;
        }
        let reading = reader::decode(reader, self.ids.reader, &bytes).ok()?;
        debug_assert_eq!(self.disagreement(&bytes, Sides { writer: &control, reader: &reading }), None, "{bytes:02x?}");
        let notes = self.notes(record, &reading);
        let elements = self.comparer.elements(self.ids);
        // What is in no union is exercised by every message, and said of the first.
        let is_first = !self.is_told.replace(true);
        let is_written =
            |field: &super::model::Field<'_>| (is_first || !field.guards.is_empty()) && holds(&field.guards, record);
        let written = elements.iter().filter(|element| element.writer.is_some_and(is_written));
        let size = (0, bytes.len() + 8 * record.fields.len());
        Some(Exchange {
            surface: Surface::Wire,
            runtime: SPEC,
            size,
            bytes: bytes.into(),
            notes,
            reached: written.flat_map(Element::reached).cloned().collect(),
            is_whole: true,
            reading,
        })
    }
}

/// A record as it is read back: without the numbers that are the defaults, and without what unions hide.
pub(super) fn kept(schema: &Schema<'_>, id: StructId, record: &Record) -> Record {
    let of = schema.structure(id);
    let mut kept = Record::empty(id.0);
    let unions = record.fields.iter().filter(|(key, value)| **key < 0 && **value != Value::Int(0));
    kept.fields.extend(unions.map(|(key, value)| (*key, value.clone())));
    for field in of.fields.iter().filter(|field| holds(&field.guards, record)) {
        let key = i32::from(field.ordinal);
        let Some(value) = record.fields.get(&key) else { continue };
        match field.slot {
            Slot::Void => {}
            Slot::Data { .. } => {
                if bits(&field.held, value) != Some(codec::default_bits(field)) {
                    kept.fields.insert(key, value.clone());
                }
            }
            Slot::Pointer(_) => {
                if *value != Value::Null {
                    kept.fields.insert(key, kept_value(schema, value));
                }
            }
        }
    }
    kept
}

fn kept_value(schema: &Schema<'_>, value: &Value) -> Value {
    match value {
        Value::Record(record) => Value::Record(kept(schema, StructId(record.ty), record)),
        Value::List(values) => Value::List(values.iter().map(|value| kept_value(schema, value)).collect()),
        other => other.clone(),
    }
}

impl Stage for Structs<'_, '_, '_> {
    type Reading = Record;

    fn direction(&self) -> Direction {
        self.comparer.direction
    }

    fn type_name(&self) -> &str {
        &self.names.writer
    }

    fn exchange(&self, wrote: &Rc<Value>) -> Trip<Record> {
        let mut trip = Trip::default();
        let Value::Record(record) = &**wrote else { return trip };
        match codec::encode(self.comparer.schemas.writer, self.ids.writer, record) {
            Some(bytes) if bytes.len() > LONGEST => trip.too_long += 1,
            Some(bytes) => trip.exchanges.extend(self.read(record, bytes)),
            None => {}
        }
        trip
    }

    fn unwritten(&self) -> Vec<Identity> {
        let elements = self.comparer.elements(self.ids);
        elements.iter().filter(|element| element.writer.is_none()).map(|element| element.told_of.clone()).collect()
    }

    fn witness(&self, identity: &Identity, kept: &Kept<Record>) -> Witness {
        let Sides { writer, reader } = self.comparer.schemas;
        let Value::Record(record) = &*kept.wrote else { return Witness::default() };
        let (wrote, read) = self.shown(identity, record, &kept.reading);
        Witness {
            type_name: self.names.writer.clone(),
            writer: self.names.writer.clone(),
            reader: self.names.reader.clone(),
            wrapper: self.wrapper,
            wrote: wrote.into(),
            bytes: kept.bytes.to_vec(),
            read: read.into(),
            written_parts: parts::written(writer, self.ids.writer, &kept.bytes),
            read_parts: parts::read(reader, self.ids.reader, &kept.bytes),
            ..Witness::default()
        }
    }

    fn second(&self, seen: Seen<'_, Record>) -> Option<(&'static str, Outcome, Witness)> {
        let Seen { identity, outcome, kept, witness } = seen;
        let Value::Record(wrote) = &*kept.wrote else { return None };
        let reader = self.comparer.schemas.reader;
        let second = self.second.get(kept.nth, || {
            let read = observer::read(reader, self.ids.reader, &kept.bytes)?.ok()?;
            // Who reads the same experiences the same.
            let notes = (read != kept.reading).then(|| self.notes(wrote, &read))?;
            Some((read, worst_of(notes)))
        });
        let (read, felt) = second.as_ref().as_ref()?;
        let other = felt.get(identity).copied().unwrap_or(Outcome::Safe);
        (other != outcome).then(|| {
            let (wrote, read) = self.shown(identity, wrote, read);
            (observer::NAME, other, Witness { wrote: wrote.into(), read: read.into(), ..witness.clone() })
        })
    }
}

/// A record for people.
fn shown(schema: &Schema<'_>, value: &Value, keep: Option<i32>) -> serde_json::Value {
    let (pruned, more) = pruned(value, keep);
    with_more(for_people(schema, &pruned), more)
}
