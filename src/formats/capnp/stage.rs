//! One pair of structs in one direction: a record is written as a message, read back by the writer's own schema, and read
//! by the other.

use std::rc::Rc;

use crate::change::Identity;
use crate::evidence::{Direction, SPEC, Surface, Witness};
use crate::formats::roundtrip::{Exchange, Kept, LONGEST, Sides, Stage, Trip, pruned, with_more};
use crate::value::{Record, Value};

use super::codec::{self, bits, holds};
use super::compare::Comparer;
use super::model::{Schema, Slot, StructId};
use super::names::for_people;
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
}

impl Structs<'_, '_, '_> {
    fn read(&self, record: &Record, bytes: Vec<u8>) -> Option<Exchange<Record>> {
        let Sides { writer, reader } = self.comparer.schemas;
        let control = reader::decode(writer, self.ids.writer, &bytes).ok()?;
        if control != kept(writer, self.ids.writer, record) {
            return None;
        }
        let reading = reader::decode(reader, self.ids.reader, &bytes).ok()?;
        let records = Sides { writer: record, reader: &reading };
        let mut notes = self.comparer.notes(None, self.ids, records);
        // The synthetic struct has no name, and nothing of it is told.
        notes.retain(|note| !note.identity.0.starts_with(['#', '@']));
        let elements = self.comparer.elements(self.ids);
        let is_written = |field: &super::model::Field<'_>| holds(&field.guards, record);
        let written = elements.iter().filter(|element| element.writer.is_some_and(is_written));
        let size = (0, bytes.len() + 8 * record.fields.len());
        Some(Exchange {
            surface: Surface::Wire,
            runtime: SPEC,
            size,
            bytes: bytes.into(),
            notes,
            reached: written.map(|element| element.told_of.clone()).collect(),
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
                if bits(&field.ty, value) != Some(codec::default_bits(field)) {
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
        let elements = self.comparer.elements(self.ids);
        let element = elements.iter().find(|element| element.told_of == *identity);
        let written = element.and_then(|element| element.writer).map(|field| i32::from(field.ordinal));
        let read = element.and_then(|element| element.reader).map(|field| i32::from(field.ordinal));
        let shown = |schema: &Schema<'_>, value: &Value, keep| {
            let (pruned, more) = pruned(value, keep);
            with_more(for_people(schema, &pruned), more)
        };
        Witness {
            type_name: self.names.writer.clone(),
            writer: self.names.writer.clone(),
            reader: self.names.reader.clone(),
            wrapper: self.wrapper,
            wrote: shown(writer, &kept.wrote, written),
            bytes: kept.bytes.to_vec(),
            read: shown(reader, &Value::Record(kept.reading.clone()), read),
            written_parts: parts::written(writer, self.ids.writer, &kept.bytes),
            read_parts: parts::read(reader, self.ids.reader, &kept.bytes),
        }
    }
}
