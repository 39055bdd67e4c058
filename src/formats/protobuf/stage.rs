//! One pair of messages in one direction: a record is written in both encodings, read back by the writer's own schema, and
//! read by the other.

use std::cell::OnceCell;
use std::rc::Rc;
use std::sync::Arc;

use crate::change::Identity;
use crate::evidence::{BytePart, Direction, Outcome, SPEC, Surface, Witness};
use crate::formats::roundtrip::{
    Exchange, Kept, LONGEST, PerMessage, Seen, Sides, Smallest, Stage, Trip, hold_the_same, pruned_record,
    with_default, with_more,
};
use crate::value::{self, Record, Value};

use super::codec::{self, HOLDER, ReadError, Types};
use super::compare::Comparer;
use super::json;
use super::model::{Cardinality, Field, Kind, MessageId, Presence};
use super::names::SchemaNames;
use super::observer::{self, Pool};
use super::parts;

/// How an enum is written by itself.
fn wrapper(types: Types<'_, '_>) -> &'static str {
    let field = types.holder.first();
    match field.map(|field| (field.cardinality, field.presence)) {
        Some((Cardinality::Map { .. }, _)) => "message Wrapper { map<string, TYPE> value = 1; }",
        Some((Cardinality::Repeated, _)) => "message Wrapper { repeated TYPE value = 1; }",
        Some((Cardinality::Singular, Presence::Required)) => "message Wrapper { required TYPE value = 1; }",
        Some((Cardinality::Singular, _)) => "message Wrapper { optional TYPE value = 1; }",
        None => "",
    }
}

/// The encodings.
pub(super) const SURFACES: [Surface; 2] = [Surface::Wire, Surface::Json];

/// One pair of messages in one direction.
pub(super) struct Messages<'s, 'a, 'k> {
    /// Who writes and who reads.
    pub(super) comparer: Comparer<'s, 'a, 'k>,
    /// The messages.
    pub(super) ids: Sides<MessageId>,
    /// What the writer's is called.
    pub(super) type_name: String,
    /// The reader's types as the second reader wants them; made when first needed.
    pool: OnceCell<Option<Pool>>,
    second: PerMessage<Option<observer::Seen>>,
    /// In which message what is felt of that which nobody wrote was told.
    smallest: Smallest,
}

impl<'s, 'a, 'k> Messages<'s, 'a, 'k> {
    /// Nothing is written yet.
    pub(super) fn new(comparer: Comparer<'s, 'a, 'k>, ids: Sides<MessageId>, type_name: String) -> Self {
        Self {
            comparer,
            ids,
            type_name,
            pool: OnceCell::new(),
            second: PerMessage::default(),
            smallest: Smallest::default(),
        }
    }

    fn read(&self, surface: Surface, record: &Record, trip: &mut Trip<(Surface, Result<Record, ReadError>)>) {
        let (writer, reader) = (self.comparer.writer, self.comparer.reader);
        let bytes = match surface {
            Surface::Json => match json::encode(writer, self.ids.writer, record) {
                Ok(text) => text,
                Err(_) => return,
            },
            Surface::Wire | Surface::Source => codec::encode(writer, self.ids.writer, record),
        };
        if bytes.len() > LONGEST {
            trip.too_long += 1;
            return;
        }
        let decode = |types, id| match surface {
            Surface::Json => json::decode(types, id, &bytes),
            Surface::Wire | Surface::Source => codec::decode(types, id, &bytes),
        };
        if decode(writer, self.ids.writer).as_ref() != Ok(record) {
            return;
        }
        let read = decode(reader, self.ids.reader);
        let (mut reached, is_whole) = (Vec::new(), read.is_ok());
        let notes = match &read {
            Ok(read) => {
                let elements = self.comparer.elements(self.ids);
                let written = record.fields.keys().filter_map(|number| elements.of_writer(*number));
                let is_extension = |index: usize| elements.list[index].writer.is_some_and(|field| field.is_extension);
                if surface == Surface::Wire && written.clone().any(is_extension) {
                    reached.extend(self.comparer.message_set(self.ids));
                }
                // What a type that was not found makes of it nobody can tell.
                let is_opaque = |field: Option<&Field<'_>>| field.is_some_and(|field| field.kind == Kind::Opaque);
                let written = written.filter(|index| {
                    let element = &elements.list[*index];
                    !is_opaque(element.writer) && !is_opaque(element.reader)
                });
                reached.extend(written.map(|index| elements.identity(index)));
                let with_always = self.smallest.takes_over(surface, (0, bytes.len()));
                self.comparer.compare(surface, self.ids, Sides { writer: record, reader: read }, with_always)
            }
            Err(error) => self.comparer.rejected(surface, self.ids, record, error),
        };
        trip.exchanges.push(Exchange {
            surface,
            runtime: SPEC,
            size: (0, bytes.len()),
            bytes: bytes.into(),
            notes,
            reached,
            is_whole,
            reading: (surface, read),
        });
    }

    fn shown(&self, types: Types<'_, '_>, record: &Record, number: Option<i32>) -> serde_json::Value {
        if let [field] = types.holder
            && let (Kind::Enum(_), Cardinality::Singular) = (field.kind, field.cardinality)
            && record.fields.is_empty()
        {
            // What nobody wrote has a value all the same, and of a wrapper that is the point.
            let mut told = record.clone();
            told.fields.extend(types.default(field).map(|value| (field.number, value)));
            return value::for_people(&Value::Record(told), &SchemaNames(types));
        }
        let (pruned, more) = pruned_record(record, number);
        with_more(value::for_people(&pruned, &SchemaNames(types)), more)
    }

    /// What both sides see in a field that is in neither of two records, where that is not the same.
    fn defaults(&self, identity: &Identity, records: Sides<&Record>) -> Option<Sides<serde_json::Value>> {
        let elements = self.comparer.elements(self.ids);
        let element = &elements.list[elements.of_identity(identity)?];
        let seen = |types: Types<'_, '_>, record: &Record, field: &Field<'_>| {
            let is_absent = field.cardinality == Cardinality::Singular && !record.fields.contains_key(&field.number);
            let value = types.default(field).filter(|_| is_absent)?;
            let alone = Record { ty: record.ty, fields: [(field.number, value)].into_iter().collect() };
            Some(value::for_people(&Value::Record(alone), &SchemaNames(types)))
        };
        let writer = seen(self.comparer.writer, records.writer, element.writer?)?;
        let reader = seen(self.comparer.reader, records.reader, element.reader?)?;
        (!hold_the_same(&writer, &reader)).then_some(Sides { writer, reader })
    }

    /// What the reader's type is called; of a wrapper, what is wrapped.
    fn reader_name(&self) -> String {
        let reader = self.comparer.reader;
        match reader.holder.first().map(|field| field.kind) {
            Some(Kind::Enum(id)) if self.ids.reader == HOLDER => reader.schema.enumeration(id).full_name.to_string(),
            _ => reader.schema.message(self.ids.reader).full_name.to_string(),
        }
    }

    /// The numbers that an identity has, if it is one of these messages.
    fn numbers(&self, identity: &Identity) -> Sides<Option<i32>> {
        let elements = self.comparer.elements(self.ids);
        let element = elements.of_identity(identity).map(|index| &elements.list[index]);
        Sides {
            writer: element.and_then(|element| element.writer).map(|field| field.number),
            reader: element.and_then(|element| element.reader).map(|field| field.number),
        }
    }
}

impl Stage for Messages<'_, '_, '_> {
    type Reading = (Surface, Result<Record, ReadError>);

    fn direction(&self) -> Direction {
        self.comparer.direction
    }

    fn type_name(&self) -> &str {
        &self.type_name
    }

    fn exchange(&self, wrote: &Rc<Value>) -> Trip<Self::Reading> {
        let mut trip = Trip::default();
        let Value::Record(record) = &**wrote else { return trip };
        for surface in SURFACES.into_iter().filter(|surface| self.comparer.pairs_fields(*surface, self.ids)) {
            self.read(surface, record, &mut trip);
        }
        trip
    }

    fn unwritten(&self) -> Vec<Identity> {
        let elements = self.comparer.elements(self.ids);
        let unwritten = (0..elements.list.len()).filter(|index| elements.list[*index].writer.is_none());
        unwritten.map(|index| elements.identity(index)).collect()
    }

    fn witness(&self, identity: &Identity, kept: &Kept<Self::Reading>) -> Witness {
        let (writer, reader) = (self.comparer.writer, self.comparer.reader);
        let numbers = self.numbers(identity);
        let (surface, read) = &kept.reading;
        let defaults = match (&*kept.wrote, read) {
            (Value::Record(wrote), Ok(read)) => self.defaults(identity, Sides { writer: wrote, reader: read }),
            _ => None,
        };
        let defaults = defaults.map_or((None, None), |sides| (Some(sides.writer), Some(sides.reader)));
        let parts = |types, id| -> Vec<BytePart> {
            match surface {
                Surface::Wire => parts::parts(types, id, &kept.bytes),
                Surface::Json | Surface::Source => Vec::new(),
            }
        };
        Witness {
            type_name: self.type_name.clone(),
            reader: self.reader_name(),
            wrapper: wrapper(writer),
            wrote: match &*kept.wrote {
                Value::Record(wrote) => with_default(self.shown(writer, wrote, numbers.writer), defaults.0).into(),
                _ => Arc::default(),
            },
            bytes: kept.bytes.to_vec(),
            read: match read {
                Ok(read) => with_default(self.shown(reader, read, numbers.reader), defaults.1).into(),
                Err(error) => Arc::new(error.reason.as_ref().into()),
            },
            written_parts: parts(writer, self.ids.writer),
            read_parts: parts(reader, self.ids.reader),
            ..Witness::default()
        }
    }

    fn second(&self, seen: Seen<'_, Self::Reading>) -> Option<(&'static str, Outcome, Witness)> {
        let Seen { identity, kept, witness, .. } = seen;
        let Value::Record(wrote) = &*kept.wrote else { return None };
        if kept.reading.0 != Surface::Wire {
            return None;
        }
        let pool = self.pool.get_or_init(|| Pool::of(self.comparer.reader, self.ids.reader)).as_ref()?;
        let seen = self.second.get(kept.nth, || pool.observe(&self.comparer, self.ids, (wrote, &kept.bytes)));
        let (outcome, read) = match seen.as_ref().as_ref()? {
            observer::Seen::Rejected(reason) => (Outcome::Fails, serde_json::Value::String(reason.clone())),
            observer::Seen::Read(read, felt) => {
                let shown = self.shown(self.comparer.reader, read, self.numbers(identity).reader);
                let defaults = self.defaults(identity, Sides { writer: wrote, reader: read });
                let shown = with_default(shown, defaults.map(|sides| sides.reader));
                (felt.get(identity).copied().unwrap_or(Outcome::Safe), shown)
            }
        };
        Some((observer::NAME, outcome, Witness { read: read.into(), ..witness.clone() }))
    }
}
