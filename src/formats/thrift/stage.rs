//! One pair of structs in one direction: a record is written in both protocols, read back by the writer's own schema, and
//! read by the other.

use std::rc::Rc;
use std::sync::Arc;

use serde_json::Value as Json;

use crate::change::Identity;
use crate::evidence::{Direction, Outcome, SPEC, Surface, Witness};
use crate::formats::roundtrip::{
    Exchange, Kept, LONGEST, PerMessage, Seen, Sides, Smallest, Stage, Trip, pruned, with_default, with_more,
};
use crate::value::{self, Names, Record, Value};

use super::codec::{self, Headers, Protocol, Reading, Types};
use super::compare::{Comparer, Element};
use super::keys::as_kept;
use super::made;
use super::model::{EnumId, Field, Sort, StructId, Type, Value as Constant, ValueKind};
use super::names::SchemaNames;
use super::observer;
use super::parts;

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
    /// In which message what is felt of that which nobody wrote was told.
    smallest: Smallest,
    /// What the second reader made of a message that was a witness, where that is something else; of each protocol.
    second: PerMessage<Option<(Outcome, Reading)>>,
}

impl<'s, 'b, 'k> Structs<'s, 'b, 'k> {
    /// Nothing is written yet.
    pub(super) fn new(
        comparer: Comparer<'s, 'b, 'k>,
        ids: Sides<StructId>,
        names: Sides<String>,
        wrapper: &'static str,
    ) -> Self {
        let (smallest, second) = (Smallest::default(), PerMessage::default());
        Structs { comparer, ids, names, wrapper, smallest, second }
    }
}

impl Structs<'_, '_, '_> {
    fn bytes(&self, protocol: Protocol, record: &Record) -> Option<Vec<u8>> {
        codec::encode(self.comparer.types.writer, self.ids.writer, record, protocol)
    }

    /// Reads what was written; nothing when the writer's own schema does not read it back.
    fn read(&self, protocol: Protocol, record: &Record, bytes: Vec<u8>) -> Option<Exchange<(Protocol, Reading)>> {
        let Sides { writer, reader } = self.comparer.types;
        let how = (protocol, Headers::Compared);
        if codec::decode(writer, self.ids.writer, &bytes, how).result.as_ref() != Ok(record) {
            return None;
        }
        let reading = codec::decode(reader, self.ids.reader, &bytes, how);
        let elements = self.comparer.elements(self.ids);
        let is_whole = reading.result.is_ok();
        let mut reached = Vec::new();
        if is_whole {
            let written = record.fields.keys().filter_map(|id| elements.of_writer(*id));
            let felt = written.map(|index| &elements.list[index]).filter(|element| element.is_known());
            reached.extend(felt.map(|element| element.identity.clone()));
            reached.push(self.comparer.sort(self.ids));
        }
        let size = (usize::from(protocol != Protocol::ALL[0]), bytes.len() + weakness(record));
        let with_always = is_whole && reading.astray.is_none() && self.smallest.takes_over(Surface::Wire, size);
        Some(Exchange {
            surface: Surface::Wire,
            runtime: SPEC,
            size,
            bytes: bytes.into(),
            notes: self.comparer.notes(self.ids, record, (&reading, with_always)),
            reached,
            is_whole,
            reading: (protocol, reading),
        })
    }

    fn told(
        &self,
        identity: &Identity,
        kept: &Kept<(Protocol, Reading)>,
        (reading, headers): (&Reading, Headers),
    ) -> Witness {
        let Sides { writer, reader } = self.comparer.types;
        let protocol = kept.reading.0;
        let elements = self.comparer.elements(self.ids);
        let element = elements.of_identity(identity);
        let parts = |types, id, headers| parts::parts(types, id, &kept.bytes, (protocol, headers));
        Witness {
            written_parts: parts(writer, self.ids.writer, Headers::Compared),
            read_parts: parts(reader, self.ids.reader, headers),
            type_name: format!("{} ({})", self.names.writer, protocol.name()),
            writer: self.names.writer.clone(),
            reader: self.names.reader.clone(),
            wrapper: self.wrapper,
            wrote: shown(&kept.wrote, element.and_then(|element| element.writer), writer).into(),
            bytes: kept.bytes.to_vec(),
            read: match &reading.result {
                Ok(read) => shown(
                    &Value::Record(as_kept(reader, self.ids.reader, read)),
                    element.and_then(|element| element.reader),
                    reader,
                )
                .into(),
                Err(error) => Arc::new(error.reason.as_str().into()),
            },
            ..Witness::default()
        }
    }
}

impl Stage for Structs<'_, '_, '_> {
    type Reading = (Protocol, Reading);

    fn direction(&self) -> Direction {
        self.comparer.direction
    }

    fn type_name(&self) -> &str {
        &self.names.writer
    }

    fn exchange(&self, wrote: &Rc<Value>) -> Trip<Self::Reading> {
        let mut trip = Trip::default();
        let Value::Record(record) = &**wrote else { return trip };
        for protocol in Protocol::ALL {
            match self.bytes(protocol, record) {
                Some(bytes) if bytes.len() > LONGEST => trip.too_long += 1,
                Some(bytes) => trip.exchanges.extend(self.read(protocol, record, bytes)),
                None => {}
            }
        }
        trip
    }

    fn unwritten(&self) -> Vec<Identity> {
        let elements = self.comparer.elements(self.ids);
        let unwritten = elements.list.iter().filter(|element| element.writer.is_none() && element.is_known());
        unwritten.map(|element| element.identity.clone()).collect()
    }

    fn witness(&self, identity: &Identity, kept: &Kept<Self::Reading>) -> Witness {
        self.told(identity, kept, (&kept.reading.1, Headers::Compared))
    }

    fn second(&self, seen: Seen<'_, Self::Reading>) -> Option<(&'static str, Outcome, Witness)> {
        let Seen { identity, kept, .. } = seen;
        let Value::Record(wrote) = &*kept.wrote else { return None };
        let (protocol, decided) = &kept.reading;
        let elements = self.comparer.elements(self.ids);
        let is_written = |element: &Element<'_, '_>| {
            let is_in = |field: Option<&Field<'_>>, record: &Record| {
                field.is_some_and(|field| record.fields.contains_key(&i32::from(field.id)))
            };
            is_in(element.writer, wrote) || decided.result.as_ref().is_ok_and(|read| is_in(element.reader, read))
        };
        if elements.of_identity(identity).is_some_and(|element| !is_written(element)) {
            return None;
        }
        let at = Protocol::ALL.iter().position(|one| one == protocol).unwrap_or_default();
        let second = self.second.get(kept.nth * Protocol::ALL.len() + at, || {
            observer::observe(&self.comparer, self.ids, (wrote, &kept.bytes, *protocol), decided)
        });
        let (outcome, reading) = second.as_ref().as_ref()?;
        Some((observer::NAME, *outcome, self.told(identity, kept, (reading, Headers::Ignored))))
    }
}

/// A record for people: what matters of it, with the default of a field that is not in it.
fn shown(record: &Value, field: Option<&Field<'_>>, types: Types<'_, '_>) -> Json {
    let (pruned, more) = pruned(record, field.map(|field| i32::from(field.id)));
    let told = with_exceptions(value::for_people(&pruned, &SchemaNames(types)), record, types);
    with_default(with_more(told, more), field.and_then(|field| default_of(field, types)))
}

/// What a function threw is called by its type as well, which is what callers catch.
fn with_exceptions(mut told: Json, record: &Value, types: Types<'_, '_>) -> Json {
    let Value::Record(record) = record else { return told };
    let of = types.structure(StructId(record.ty));
    let thrown = of.fields.iter().filter(|field| of.sort == Sort::Result && field.id != 0);
    for field in thrown {
        let (Type::Struct(id), Some(members)) = (&field.ty, told.as_object_mut()) else { continue };
        if let Some(value) = members.remove(&*field.name.text) {
            members.insert(format!("{} ({})", field.name.text, types.structure(*id).full_name), value);
        }
    }
    told
}

/// The default of a field, alone in an object.
fn default_of(field: &Field<'_>, types: Types<'_, '_>) -> Option<Json> {
    let default = field.default.as_ref()?;
    let told = constant(&field.ty, &default.kind, types, &mut { made::TOLD });
    Some(Json::Object([(field.name.text.to_string(), told)].into_iter().collect()))
}

/// What a constant makes as JSON for people, the fields of structs in full as far as there is room, which also ends
/// defaults that hold themselves.
fn constant(ty: &Type, kind: &ValueKind<'_>, types: Types<'_, '_>, room: &mut usize) -> Json {
    match (ty, kind) {
        (_, ValueKind::Integer(number)) => Json::from(*number),
        (_, ValueKind::Double(number)) => Json::from(*number),
        (_, ValueKind::Text(bytes)) => Json::String(String::from_utf8_lossy(bytes).into_owned()),
        (_, ValueKind::Enum(EnumId(ty), number)) => match SchemaNames(types).enum_value(*ty, *number) {
            Some(name) => Json::String(name.into_owned()),
            None => Json::from(*number),
        },
        (_, ValueKind::Unknown(name)) => Json::String(format!("{name} (not known)")),
        (Type::Struct(id), ValueKind::Map(given)) => {
            let Some(left) = room.checked_sub(1) else { return Json::String("…".to_owned()) };
            *room = left;
            let fields = made::fields(types.structure(*id), given)
                .map(|(field, value)| (field.name.text.to_string(), constant(&field.ty, &value.kind, types, room)));
            Json::Object(fields.collect())
        }
        (ty, ValueKind::List(values)) => {
            let items = if let Type::List(items) | Type::Set(items) = ty { items } else { &Type::Void };
            Json::Array(values.iter().map(|value| constant(items, &value.kind, types, room)).collect())
        }
        (ty, ValueKind::Map(entries)) => {
            let (keys, contents) = if let Type::Map(of) = ty { (&of.0, &of.1) } else { (&Type::Void, &Type::Void) };
            let entry = |(key, value): &(Constant<'_>, Constant<'_>)| {
                let key = constant(keys, &key.kind, types, room);
                Json::Array(vec![key, constant(contents, &value.kind, types, room)])
            };
            Json::Array(entries.iter().map(entry).collect())
        }
    }
}

/// How many bytes a witness may be longer for showing more than that nothing and zero got lost.
fn weakness(record: &Record) -> usize {
    let is_weak = |value: &Value| match value {
        Value::Bool(value) => !value,
        Value::Int(number) => *number == 0,
        Value::Text(bytes) | Value::Bytes(bytes) => bytes.is_empty(),
        Value::List(values) => values.is_empty(),
        Value::Map(entries) => entries.is_empty(),
        Value::Record(record) => record.fields.is_empty(),
        _ => false,
    };
    8 * record.fields.values().filter(|value| is_weak(value)).count()
}
