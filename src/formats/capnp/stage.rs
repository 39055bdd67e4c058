//! One pair of structs in one direction: a record is written as a message, read back by the writer's own schema, and read
//! by the other.

use std::borrow::Cow;
use std::cell::Cell;
use std::rc::Rc;

use rustc_hash::FxHashMap;

use crate::change::Identity;
use crate::evidence::{Direction, Outcome, SPEC, Surface, Witness};
use crate::formats::roundtrip::{Exchange, Kept, LONGEST, Note, PerMessage, Seen, Sides, Stage, Trip, worst_of};
use crate::value::{Record, Value};

use super::codec::{self, bits, holds, written};
use super::compare::Comparer;
use super::elements::Element;
use super::model::{Schema, Slot, StructId};
use super::observer;
use super::parts;
use super::reader;
use super::told;

/// One pair of structs in one direction.
pub(super) struct Structs<'s, 'b, 'k> {
    /// Who writes and who reads.
    pub(super) comparer: Comparer<'s, 'b, 'k>,
    /// The structs.
    pub(super) ids: Sides<StructId>,
    /// What the types are called; of the synthetic struct, the enums in it.
    names: Sides<String>,
    /// The struct that values are written in, if it is synthetic.
    wrapper: &'static str,
    /// What the second reader made of messages that were witnesses.
    second: PerMessage<Option<Second>>,
    /// Which elements are shown of messages that were witnesses, whichever is spoken of.
    beside: PerMessage<Vec<usize>>,
    /// Whether it was said what every message exercises.
    is_told: Cell<bool>,
}

/// What the second reader saw of a message, where that is something else.
struct Second {
    read: Record,
    /// What follows from it.
    felt: FxHashMap<Identity, Outcome>,
    /// Which elements are shown of it, whichever is spoken of.
    beside: Vec<usize>,
}

impl<'s, 'b, 'k> Structs<'s, 'b, 'k> {
    /// A pair of structs of which nothing was written yet.
    pub(super) fn new(
        comparer: Comparer<'s, 'b, 'k>,
        ids: Sides<StructId>,
        names: Sides<String>,
        wrapper: &'static str,
    ) -> Self {
        let (second, beside) = (PerMessage::default(), PerMessage::default());
        Structs { comparer, ids, names, wrapper, second, beside, is_told: Cell::new(false) }
    }
}

impl Structs<'_, '_, '_> {
    /// What a reader experienced.
    fn notes(&self, wrote: &Record, read: &Record) -> Vec<Note> {
        let mut notes = self.comparer.notes(self.ids, Sides { writer: wrote, reader: read });
        // The synthetic struct has no name, and nothing of it is told.
        notes.retain(|note| !note.identity.0.starts_with(['#', '@']));
        notes
    }

    /// What was written and what was read, for people. `beside` are the elements that are shown whichever is spoken of.
    fn shown(&self, identity: &Identity, beside: &[usize], records: Sides<&Record>) -> Sides<serde_json::Value> {
        let elements = self.comparer.elements(self.ids);
        let about = elements.about(identity);
        told::shown(self.comparer.schemas, (&elements, about, beside), records)
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

    /// The bytes of a message, which are written again where they were not kept.
    fn bytes<'k>(&self, record: &Record, kept: &'k Kept<Record>) -> Cow<'k, [u8]> {
        match kept.bytes.is_empty() {
            true => {
                Cow::Owned(codec::encode(self.comparer.schemas.writer, self.ids.writer, record).unwrap_or_default())
            }
            false => Cow::Borrowed(&kept.bytes),
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
        let is_written = |field: &super::model::Field<'_>| holds(&field.guards, record);
        let told = if is_first { elements.iter().collect() } else { elements.in_unions() };
        let written = told.into_iter().filter(|element| element.writer.is_some_and(is_written));
        let size = (0, bytes.len() + 8 * record.fields.len());
        Some(Exchange {
            surface: Surface::Wire,
            runtime: SPEC,
            size,
            bytes: if is_sparse(&bytes, record) { Rc::default() } else { bytes.into() },
            notes,
            reached: written.flat_map(Element::reached).cloned().collect(),
            is_whole: true,
            reading,
        })
    }
}

/// Bytes of a message that are kept for each field in it; fewer are, where it is not longer than so many.
const KEPT: (usize, usize) = (64, 1 << 11);

/// Whether a message is long and says little: of a wide struct there may be one for each field, so that their bytes grow with the
/// square of it.
fn is_sparse(bytes: &[u8], record: &Record) -> bool {
    let (each, short) = KEPT;
    bytes.len() > short.max(each * record.fields.len())
}

/// A record as it is read back: without the numbers that are the defaults, and without what unions hide.
pub(super) fn kept(schema: &Schema<'_>, id: StructId, record: &Record) -> Record {
    let of = schema.structure(id);
    let mut kept = Record::empty(id.0);
    let unions = record.fields.iter().filter(|(key, value)| **key < 0 && **value != Value::Int(0));
    kept.fields.extend(unions.map(|(key, value)| (*key, value.clone())));
    for (field, value) in written(of, record) {
        let key = i32::from(field.ordinal);
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
        let bytes = self.bytes(record, kept);
        let records = Sides { writer: record, reader: &kept.reading };
        let elements = self.comparer.elements(self.ids);
        let beside = self.beside.get(kept.nth, || told::beside(self.comparer.schemas, &elements, records));
        let Sides { writer: wrote, reader: read } = self.shown(identity, &beside, records);
        Witness {
            type_name: self.names.writer.clone(),
            writer: self.names.writer.clone(),
            reader: self.names.reader.clone(),
            wrapper: self.wrapper,
            wrote,
            written_parts: parts::written(writer, self.ids.writer, &bytes),
            read_parts: parts::read(reader, self.ids.reader, &bytes),
            bytes: bytes.into_owned(),
            read,
            ..Witness::default()
        }
    }

    fn second(&self, seen: Seen<'_, Record>) -> Option<(&'static str, Outcome, Witness)> {
        let Seen { identity, outcome, kept, witness } = seen;
        let Value::Record(wrote) = &*kept.wrote else { return None };
        let reader = self.comparer.schemas.reader;
        let second = self.second.get(kept.nth, || {
            let read = observer::read(reader, self.ids.reader, &self.bytes(wrote, kept))?.ok()?;
            // Who reads the same experiences the same.
            let notes = (read != kept.reading).then(|| self.notes(wrote, &read))?;
            let elements = self.comparer.elements(self.ids);
            let beside = told::beside(self.comparer.schemas, &elements, Sides { writer: wrote, reader: &read });
            Some(Second { read, felt: worst_of(notes), beside })
        });
        let Second { read, felt, beside } = second.as_ref().as_ref()?;
        let other = felt.get(identity).copied().unwrap_or(Outcome::Safe);
        (other != outcome).then(|| {
            let records = Sides { writer: wrote, reader: read };
            let Sides { writer: wrote, reader: read } = self.shown(identity, beside, records);
            (observer::NAME, other, Witness { wrote, read, ..witness.clone() })
        })
    }
}
