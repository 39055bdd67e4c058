//! One pair of tables in one direction: a record is written, read back by the writer's own schema, and read by the other.

use std::cell::OnceCell;
use std::rc::Rc;

use rustc_hash::FxHashMap;

use crate::change::Identity;
use crate::evidence::{Direction, Outcome, SPEC, Surface, Witness};
use crate::formats::roundtrip::{
    Exchange, Kept, LONGEST, PerMessage, Seen, Sides, Smallest, Stage, Trip, hold_the_same, pruned, with_default,
    with_more, worst_of,
};
use crate::value::{self, Record, Value};

use super::codec::{self, Types};
use super::compare::{Comparer, fails};
use super::elements::Elements;
use super::model::ObjectId;
use super::names::SchemaNames;
use super::observer;
use super::parts;
use super::verify::{self, Defaults, How, ReadError};

/// Fields that a record is filled up with to show what nothing reads as.
const FILLED: usize = 64;

/// One pair of types in one direction.
pub(super) struct Tables<'s, 'b, 'k> {
    /// Who writes and who reads.
    pub(super) comparer: Comparer<'s, 'b, 'k>,
    /// The tables.
    pub(super) ids: Sides<ObjectId>,
    /// What the types are called; of the synthetic table, what is written in it.
    pub(super) names: Sides<String>,
    /// The table that values are written in, if it is synthetic.
    pub(super) wrapper: &'static str,
    /// The file identifiers that are written and demanded.
    pub(super) identifiers: Sides<Option<&'s str>>,
    /// What everything is told of, if not of its own identity.
    pub(super) told_of: ToldOf,
    /// Whether the compiler makes Rust of both types, once somebody asked.
    pub(super) is_rust: OnceCell<bool>,
    /// What the second reader made of the last message that was a witness.
    pub(super) second: PerMessage<Option<Second>>,
    /// In which message what is felt of that which nobody wrote was told.
    pub(super) smallest: Smallest,
}

/// What the second reader saw of a message, where that is something else, and what follows from it.
pub(super) type Second = (Result<Record, ReadError>, FxHashMap<Identity, Outcome>);

/// What is told of which identity.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ToldOf {
    /// Everything of its own.
    Itself,
    /// Everything of one.
    One(Identity),
    /// That the file identifier is rejected, of one; nothing else is told.
    Identifier(Identity),
}

impl ToldOf {
    /// The one identity, if there is one.
    pub(super) fn one(&self) -> Option<&Identity> {
        match self {
            ToldOf::Itself => None,
            ToldOf::One(identity) | ToldOf::Identifier(identity) => Some(identity),
        }
    }
}

impl<'s, 'b, 'k> Tables<'s, 'b, 'k> {
    /// Nothing is written yet.
    pub(super) fn new(
        comparer: Comparer<'s, 'b, 'k>,
        ids: Sides<ObjectId>,
        names: Sides<String>,
        told_of: ToldOf,
    ) -> Self {
        Tables {
            comparer,
            ids,
            names,
            wrapper: "",
            identifiers: Sides { writer: None, reader: None },
            told_of,
            is_rust: OnceCell::new(),
            second: PerMessage::default(),
            smallest: Smallest::default(),
        }
    }
}

impl Tables<'_, '_, '_> {
    /// Writes a record and reads it; nothing when the writer's own schema does not read it back as written.
    fn read(&self, record: &Record) -> Result<Option<Exchange<Result<Record, ReadError>>>, TooLong> {
        let Sides { writer, reader } = self.comparer.types;
        let Sides { writer: written, reader: demanded } = self.identifiers;
        let Some(bytes) = codec::encode(writer, self.ids.writer, record, written) else { return Ok(None) };
        if bytes.len() > LONGEST {
            return Err(TooLong);
        }
        let elements = self.comparer.elements(self.ids);
        let own = How { identifier: written, with_deprecated: true, defaults: Defaults::LeftOut };
        match verify::decode(writer, self.ids.writer, &bytes, own) {
            Ok(control) if is_same(writer, &elements, &control, record) => {}
            _ => return Ok(None),
        }
        let how = How { identifier: demanded, with_deprecated: false, defaults: Defaults::LeftOut };
        let reading = verify::decode(reader, self.ids.reader, &bytes, how);
        debug_assert_eq!(self.disagreement(&bytes, demanded, &reading), None, "{bytes:02x?}");
        let notes = match (&self.told_of, &reading) {
            (ToldOf::Identifier(identity), Err(error)) if error.is_of_identifier => vec![fails(identity)],
            (ToldOf::Identifier(_), _) => Vec::new(),
            (ToldOf::Itself | ToldOf::One(_), reading) => {
                let with_always = reading.is_ok() && self.smallest.takes_over(Surface::Wire, (0, bytes.len()));
                let read = (reading.as_ref(), with_always);
                self.comparer.notes(self.told_of.one(), self.ids, record, read)
            }
        };
        let of_written = |slot: &i32| elements.of_writer(*slot).map(|index| elements.list[index].identity.clone());
        let is_whole = reading.is_ok();
        let is_reached = is_whole && !matches!(self.told_of, ToldOf::Identifier(_));
        Ok(Some(Exchange {
            surface: Surface::Wire,
            runtime: SPEC,
            size: (0, bytes.len()),
            bytes: bytes.into(),
            notes,
            reached: record.fields.keys().filter(|_| is_reached).filter_map(of_written).collect(),
            is_whole,
            reading,
        }))
    }

    /// What the `flatbuffers` crate makes of bytes, where the compiler makes Rust of both types.
    fn read_by_crate(&self, bytes: &[u8]) -> Option<Result<Record, ReadError>> {
        let Sides { writer, reader } = self.comparer.types;
        let are_generated =
            || observer::is_generated(writer, self.ids.writer) && observer::is_generated(reader, self.ids.reader);
        let is_rust = *self.is_rust.get_or_init(are_generated);
        is_rust.then(|| observer::read(reader, self.ids.reader, bytes))?
    }

    /// How the `flatbuffers` crate differs from the deciding reader where nobody knows of it: with the writer's schema not
    /// at all. Asked of every buffer in builds with debug assertions, as `.ci/run` makes them.
    fn disagreement(
        &self,
        bytes: &[u8],
        demanded: Option<&str>,
        reading: &Result<Record, ReadError>,
    ) -> Option<String> {
        let Sides { writer, .. } = self.comparer.types;
        let theirs = self.read_by_crate(bytes)?;
        let how = How { identifier: None, with_deprecated: false, defaults: Defaults::LeftOut };
        let own = observer::read(writer, self.ids.writer, bytes)?;
        let control = verify::decode(writer, self.ids.writer, bytes, how);
        if own != control {
            return Some(format!("the writer itself: {control:?}, the crate: {own:?}"));
        }
        if demanded.is_some() || observer::is_known(reading, &theirs) {
            return None;
        }
        Some(format!("{reading:?}, the crate: {theirs:?}"))
    }

    /// What was made of bytes, for people.
    fn told(&self, wrote: &Record, reading: &Result<Record, ReadError>, keep: Option<i32>) -> serde_json::Value {
        match reading {
            Ok(read) => self.shown(wrote, read, keep),
            Err(error) => serde_json::Value::String(error.reason.clone()),
        }
    }

    /// What both sides see in a field that is in neither of two records, where that is not the same.
    fn defaults(&self, identity: &Identity, records: Sides<&Record>) -> Option<Sides<serde_json::Value>> {
        let elements = self.comparer.elements(self.ids);
        let element = elements.of_identity(identity)?;
        let seen = |types: Types<'_, '_>, record: &Record, field: &super::model::Field<'_>| {
            let is_absent = !field.is_deprecated && !record.fields.contains_key(&field.slot.into());
            let value = types.absent(field).unwrap_or(Value::Null);
            let alone = Record { ty: record.ty, fields: [(field.slot.into(), value)].into_iter().collect() };
            is_absent.then(|| value::for_people(&Value::Record(alone), &SchemaNames(types)))
        };
        let writer = seen(self.comparer.types.writer, records.writer, element.writer?)?;
        let reader = seen(self.comparer.types.reader, records.reader, element.reader?)?;
        (!hold_the_same(&writer, &reader)).then_some(Sides { writer, reader })
    }

    /// What was read, for people: what nothing reads as only where something was written, or nothing at all.
    fn shown(&self, wrote: &Record, read: &Record, keep: Option<i32>) -> serde_json::Value {
        let reader = self.comparer.types.reader;
        let elements = self.comparer.elements(self.ids);
        let is_shown = |slot: &i32| wrote.fields.is_empty() || wrote.fields.contains_key(slot);
        let field = |slot: &i32| elements.of_reader(*slot).and_then(|index| elements.list[index].reader);
        let is_told = |(slot, value): &(&i32, &Value)| {
            is_shown(slot) || field(slot).and_then(|field| reader.default_of(field)).as_ref() != Some(*value)
        };
        let mut told = read.fields.iter().filter(is_told);
        let owned = |(slot, value): (&i32, &Value)| (*slot, value.clone());
        let mut shown = Record { ty: read.ty, fields: told.by_ref().take(FILLED).map(owned).collect() };
        let kept = keep.and_then(|slot| read.fields.get_key_value(&slot)).filter(is_told);
        shown.fields.extend(kept.map(owned));
        let more = told.filter(|(slot, _)| Some(**slot) != keep).count();
        let object = reader.object(self.ids.reader);
        let slots = object.fields.iter().map(|field| i32::from(field.slot)).take(FILLED);
        let slots = slots.chain(wrote.fields.keys().copied().take(FILLED)).chain(keep).filter(is_shown);
        for slot in slots {
            let default = field(&slot).filter(|field| !field.is_deprecated).and_then(|field| reader.absent(field));
            if let (Some(default), false) = (default, shown.fields.contains_key(&slot)) {
                shown.fields.insert(slot, default);
            }
        }
        people(reader, &Value::Record(shown), keep, more)
    }
}

/// A record is not read for its length.
struct TooLong;

impl Stage for Tables<'_, '_, '_> {
    type Reading = Result<Record, ReadError>;

    fn direction(&self) -> Direction {
        self.comparer.direction
    }

    fn type_name(&self) -> &str {
        &self.names.writer
    }

    fn exchange(&self, wrote: &Rc<Value>) -> Trip<Self::Reading> {
        let Value::Record(record) = &**wrote else { return Trip::default() };
        match self.read(record) {
            Ok(exchange) => Trip { exchanges: exchange.into_iter().collect(), too_long: 0 },
            Err(TooLong) => Trip { exchanges: Vec::new(), too_long: 1 },
        }
    }

    fn unwritten(&self) -> Vec<Identity> {
        match &self.told_of {
            ToldOf::Itself => {
                let elements = self.comparer.elements(self.ids);
                let unwritten = elements.list.iter().filter(|element| element.writer.is_none());
                unwritten.map(|element| element.identity.clone()).collect()
            }
            ToldOf::One(identity) => vec![identity.clone()],
            ToldOf::Identifier(_) => Vec::new(),
        }
    }

    fn witness(&self, identity: &Identity, kept: &Kept<Self::Reading>) -> Witness {
        let Sides { writer, reader } = self.comparer.types;
        let elements = self.comparer.elements(self.ids);
        let element = elements.of_identity(identity);
        let slot = |field: Option<&super::model::Field<'_>>| field.map(|field| i32::from(field.slot));
        let empty = Record::empty(self.ids.writer.0);
        let fields = if let Value::Record(wrote) = &*kept.wrote { wrote } else { &empty };
        let own = How { with_deprecated: true, ..How::default() };
        let wrote = people(writer, &kept.wrote, slot(element.and_then(|element| element.writer)), 0);
        let read = self.told(fields, &kept.reading, slot(element.and_then(|element| element.reader)));
        let records = kept.reading.as_ref().ok().map(|read| Sides { writer: fields, reader: read });
        let defaults = records.and_then(|records| self.defaults(identity, records));
        let defaults = defaults.map_or((None, None), |sides| (Some(sides.writer), Some(sides.reader)));
        Witness {
            written_parts: parts::parts(writer, self.ids.writer, &kept.bytes, own),
            read_parts: parts::parts(reader, self.ids.reader, &kept.bytes, How::default()),
            type_name: self.names.writer.clone(),
            reader: self.names.reader.clone(),
            wrapper: self.wrapper,
            wrote: with_default(wrote, defaults.0).into(),
            bytes: kept.bytes.to_vec(),
            read: with_default(read, defaults.1).into(),
            ..Witness::default()
        }
    }

    fn second(&self, seen: Seen<'_, Self::Reading>) -> Option<(&'static str, Outcome, Witness)> {
        let Seen { identity, outcome, kept, witness } = seen;
        let Value::Record(wrote) = &*kept.wrote else { return None };
        if matches!(self.told_of, ToldOf::Identifier(_)) {
            return None;
        }
        let second = self.second.get(kept.nth, || {
            // Who reads the same experiences the same.
            let seen = self.read_by_crate(&kept.bytes).filter(|seen| *seen != kept.reading)?;
            let notes = match &seen {
                Ok(_) => self.comparer.notes(self.told_of.one(), self.ids, wrote, (seen.as_ref(), true)),
                Err(_) => Vec::new(),
            };
            Some((seen, worst_of(notes)))
        });
        let (seen, felt) = second.as_ref().as_ref()?;
        let of_it = felt.get(identity).copied().unwrap_or(Outcome::Safe);
        let other = if seen.is_err() { Outcome::Fails } else { of_it };
        if other == outcome {
            return None;
        }
        let elements = self.comparer.elements(self.ids);
        let element = elements.of_identity(identity).and_then(|element| element.reader);
        let read = self.told(wrote, seen, element.map(|field| i32::from(field.slot)));
        let records = seen.as_ref().ok().map(|read| Sides { writer: wrote, reader: read });
        let defaults = records.and_then(|records| self.defaults(identity, records));
        let read = with_default(read, defaults.map(|sides| sides.reader));
        Some((observer::NAME, other, Witness { read: read.into(), ..witness.clone() }))
    }
}

/// A record for people; it has more fields than those in it.
fn people(types: Types<'_, '_>, record: &Value, keep: Option<i32>, besides: usize) -> serde_json::Value {
    let (pruned, more) = pruned(record, keep);
    with_more(value::for_people(&pruned, &SchemaNames(types)), more + besides)
}

/// Whether the writer reads back what it wrote; what is absent is its default.
fn is_same(types: Types<'_, '_>, elements: &Elements<'_, '_>, control: &Record, record: &Record) -> bool {
    control.fields.keys().chain(record.fields.keys()).all(|slot| {
        let field = elements.of_writer(*slot).and_then(|index| elements.list[index].writer);
        let full = |record: &Record| {
            let given = record.fields.get(slot).map(|value| completed(types, value));
            given.or_else(|| field.and_then(|field| types.absent(field)))
        };
        full(control) == full(record)
    })
}

/// A value with every default filled in.
pub(super) fn completed(types: Types<'_, '_>, value: &Value) -> Value {
    match value {
        Value::Record(record) => {
            let mut full = Record::empty(record.ty);
            for field in &types.object(ObjectId(record.ty)).fields {
                let given = record.fields.get(&i32::from(field.slot)).map(|value| completed(types, value));
                let value = given.or_else(|| types.absent(field));
                full.fields.extend(value.map(|value| (field.slot.into(), value)));
            }
            Value::Record(full)
        }
        Value::List(values) => Value::List(values.iter().map(|value| completed(types, value)).collect()),
        Value::Branch { index, value } => Value::Branch { index: *index, value: Box::new(completed(types, value)) },
        value => value.clone(),
    }
}
