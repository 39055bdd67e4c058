//! A second reader beside the specification: `buffa`, an independent implementation of the binary encoding.
//!
//! It reads the bytes of each witness under the reader's schema, and what it shows is compared by the same comparer.
//! It decides nothing. Its types are made from the linked schema, all in one file, under neutral names: numbers, types
//! and features are all that the binary encoding knows, extensions being fields like any other there.

use std::sync::Arc;

use buffa::DecodeOptions;
use buffa_descriptor::{DescriptorPool, DynamicMessage, MapKeyRef, ReflectMessage, ValueRef};
use rustc_hash::FxHashMap;

use crate::change::Identity;
use crate::evidence::{Outcome, Surface};
use crate::formats::roundtrip::{Sides, worst_of};
use crate::ordered::OrderedMap;
use crate::value::{Key, Record, Value};

use super::codec::{Types, WireType, put_bytes, put_tag, put_varint};
use super::compare::Comparer;
use super::model::{Cardinality, EnumId, Field, Kind, MessageId, Presence};

/// The name under which this reader's observations are told.
pub(super) const NAME: &str = "buffa";

/// Types that reach more messages than this are not given to this reader.
const MESSAGES: usize = 60;

/// The types that one message reaches, as this reader wants them.
pub(super) struct Pool(Arc<DescriptorPool>);

impl Pool {
    /// The types that a message reaches; `None` when there are too many, or when this reader refuses them.
    pub(super) fn of(types: Types<'_, '_>, root: MessageId) -> Option<Pool> {
        let file = Reached::from(types, root)?.file(types);
        let mut set = Vec::new();
        put_message(1, &file, &mut set);
        let options = DecodeOptions::new().with_element_memory_limit(usize::MAX);
        DescriptorPool::decode_with_options(&set, &options).ok().map(|pool| Pool(Arc::new(pool)))
    }

    /// What this reader makes of a message.
    pub(super) fn observe(
        &self,
        comparer: &Comparer<'_, '_, '_>,
        ids: Sides<MessageId>,
        (wrote, bytes): (&Record, &[u8]),
    ) -> Option<Seen> {
        let index = self.0.message_index(&message_name(ids.reader))?;
        let message = match DynamicMessage::decode(self.0.clone(), index, bytes) {
            Ok(message) => message,
            Err(error) => return Some(Seen::Rejected(error.to_string())),
        };
        let read = record(comparer.reader, ids.reader, &message);
        let notes = comparer.compare(Surface::Wire, ids, Sides { writer: wrote, reader: &read }, true);
        Some(Seen::Read(read, worst_of(notes)))
    }
}

/// What this reader makes of a message.
pub(super) enum Seen {
    /// It rejects it, for this reason.
    Rejected(String),
    /// It reads this, and that is what it experiences.
    Read(Record, FxHashMap<Identity, Outcome>),
}

fn record(types: Types<'_, '_>, id: MessageId, message: &dyn ReflectMessage) -> Record {
    let mut record = Record::empty(id.0);
    message.for_each_set(&mut |descriptor, value| {
        let number = i32::try_from(descriptor.number()).unwrap_or_default();
        let field = types.field(id, number);
        if let Some(value) = field.and_then(|field| shown(types, field.kind, value)) {
            record.fields.insert(number, value);
        }
    });
    record
}

fn shown(types: Types<'_, '_>, kind: Kind, value: ValueRef<'_>) -> Option<Value> {
    Some(match value {
        ValueRef::Bool(value) => Value::Bool(value),
        ValueRef::I32(value) => Value::Int(value.into()),
        ValueRef::I64(value) => Value::Int(value.into()),
        ValueRef::U32(value) => Value::Int(value.into()),
        ValueRef::U64(value) => Value::Int(value.into()),
        ValueRef::F32(value) => Value::Float(value),
        ValueRef::F64(value) => Value::Double(value),
        ValueRef::String(text) => Value::Text(text.as_bytes().to_vec()),
        ValueRef::Bytes(bytes) => Value::Bytes(bytes.to_vec()),
        ValueRef::EnumNumber(number) => match kind {
            Kind::Enum(id) => Value::Enum { ty: id.0, number },
            _ => return None,
        },
        ValueRef::Message(message) => match kind {
            Kind::Message(id) => Value::Record(record(types, id, &*message)),
            _ => return None,
        },
        ValueRef::List(list) => {
            let mut values = Vec::new();
            list.for_each(&mut |value| values.extend(shown(types, kind, value)));
            Value::List(values)
        }
        ValueRef::Map(map) => {
            let mut entries = OrderedMap::new();
            map.for_each(&mut |key, value| {
                if let Some(value) = shown(types, kind, value) {
                    entries.insert(map_key(key), value);
                }
            });
            Value::Map(entries)
        }
    })
}

fn map_key(key: MapKeyRef<'_>) -> Key {
    match key {
        MapKeyRef::Bool(value) => Key::Bool(value),
        MapKeyRef::I32(value) => Key::Int(value.into()),
        MapKeyRef::I64(value) => Key::Int(value.into()),
        MapKeyRef::U32(value) => Key::Int(value.into()),
        MapKeyRef::U64(value) => Key::Int(value.into()),
        MapKeyRef::String(text) => Key::Text(text.as_bytes().to_vec()),
    }
}

/// The messages and enums that one message reaches.
struct Reached {
    messages: Vec<MessageId>,
    enums: Vec<EnumId>,
}

impl Reached {
    fn from(types: Types<'_, '_>, root: MessageId) -> Option<Reached> {
        let mut reached = Reached { messages: vec![root], enums: Vec::new() };
        let mut next = 0;
        while let Some(id) = reached.messages.get(next).copied() {
            next += 1;
            for field in types.fields(id) {
                match field.kind {
                    Kind::Message(inner) if !reached.messages.contains(&inner) => reached.messages.push(inner),
                    Kind::Enum(inner) if !reached.enums.contains(&inner) => reached.enums.push(inner),
                    _ => {}
                }
            }
            if reached.messages.len() > MESSAGES || types.is_message_set(id) {
                return None;
            }
        }
        Some(reached)
    }

    /// A `FileDescriptorProto`.
    fn file(&self, types: Types<'_, '_>) -> Vec<u8> {
        let mut file = Vec::new();
        put_text(1, "reader.proto", &mut file);
        for id in &self.messages {
            put_message(4, &message_descriptor(types, *id), &mut file);
        }
        for id in &self.enums {
            put_message(5, &enum_descriptor(types, *id), &mut file);
        }
        put_text(12, "editions", &mut file);
        put_number(14, EDITION_2023, &mut file);
        file
    }
}

const EDITION_2023: u64 = 1000;

fn message_name(id: MessageId) -> String {
    format!("M{}", id.0)
}

fn enum_name(id: EnumId) -> String {
    format!("E{}", id.0)
}

/// A `DescriptorProto`.
fn message_descriptor(types: Types<'_, '_>, id: MessageId) -> Vec<u8> {
    let mut message = Vec::new();
    put_text(1, &message_name(id), &mut message);
    let mut oneofs = Vec::new();
    for field in types.fields(id).filter(|field| field.kind != Kind::Opaque) {
        let oneof = field.oneof.filter(|_| !field.is_extension);
        let position = oneof.map(|oneof| match oneofs.iter().position(|known| *known == oneof) {
            Some(position) => position,
            None => {
                oneofs.push(oneof);
                oneofs.len() - 1
            }
        });
        put_message(2, &field_descriptor(id, field, position), &mut message);
        if let Cardinality::Map { key } = field.cardinality {
            put_message(3, &entry_descriptor(field, key), &mut message);
        }
    }
    for oneof in oneofs {
        let mut declaration = Vec::new();
        put_text(1, &format!("o{oneof}"), &mut declaration);
        put_message(8, &declaration, &mut message);
    }
    message
}

const OPTIONAL: u64 = 1;
const REPEATED: u64 = 3;
const MESSAGE: u64 = 11;

/// A `FieldDescriptorProto`.
fn field_descriptor(id: MessageId, field: &Field<'_>, oneof: Option<usize>) -> Vec<u8> {
    let mut descriptor = Vec::new();
    put_text(1, &format!("f{}", field.number), &mut descriptor);
    put_number(3, field.number as u64, &mut descriptor);
    let label = if field.cardinality == Cardinality::Singular { OPTIONAL } else { REPEATED };
    put_number(4, label, &mut descriptor);
    if matches!(field.cardinality, Cardinality::Map { .. }) {
        put_number(5, MESSAGE, &mut descriptor);
        put_text(6, &format!(".{}.{}", message_name(id), entry_name(field)), &mut descriptor);
    } else {
        put_type(field.kind, &mut descriptor);
        put_message(8, &field_options(field), &mut descriptor);
    }
    if let Some(oneof) = oneof {
        put_number(9, oneof as u64, &mut descriptor);
    }
    descriptor
}

/// `FieldOptions` with the features that reading depends on.
fn field_options(field: &Field<'_>) -> Vec<u8> {
    let mut features = Vec::new();
    if field.cardinality == Cardinality::Singular && field.oneof.is_none() && !matches!(field.kind, Kind::Message(_)) {
        put_number(1, if field.presence == Presence::Implicit { 2 } else { 1 }, &mut features);
    }
    if field.cardinality == Cardinality::Repeated {
        put_number(3, if field.packed { 1 } else { 2 }, &mut features);
    }
    put_number(4, if field.utf8 { 2 } else { 3 }, &mut features);
    if matches!(field.kind, Kind::Message(_)) {
        put_number(5, if field.delimited { 2 } else { 1 }, &mut features);
    }
    let mut options = Vec::new();
    put_message(21, &features, &mut options);
    options
}

fn entry_name(field: &Field<'_>) -> String {
    format!("F{}Entry", field.number)
}

/// The `DescriptorProto` of a map's entries.
fn entry_descriptor(field: &Field<'_>, key: Kind) -> Vec<u8> {
    let mut entry = Vec::new();
    put_text(1, &entry_name(field), &mut entry);
    for (name, number, kind) in [("key", 1, key), ("value", 2, field.kind)] {
        let mut part = Vec::new();
        put_text(1, name, &mut part);
        put_number(3, number, &mut part);
        put_number(4, OPTIONAL, &mut part);
        put_type(kind, &mut part);
        let (mut options, mut features) = (Vec::new(), Vec::new());
        put_number(4, if field.utf8 { 2 } else { 3 }, &mut features);
        put_message(21, &features, &mut options);
        put_message(8, &options, &mut part);
        put_message(2, &part, &mut entry);
    }
    let mut options = Vec::new();
    put_number(7, 1, &mut options);
    put_message(7, &options, &mut entry);
    entry
}

/// An `EnumDescriptorProto`. Names of values are siblings of the enum, so they carry its index.
fn enum_descriptor(types: Types<'_, '_>, id: EnumId) -> Vec<u8> {
    let definition = types.schema.enumeration(id);
    let mut descriptor = Vec::new();
    put_text(1, &enum_name(id), &mut descriptor);
    for (index, value) in definition.ast.values.iter().enumerate() {
        let mut part = Vec::new();
        put_text(1, &format!("E{}V{index}", id.0), &mut part);
        put_number(2, value.number as u64, &mut part);
        put_message(2, &part, &mut descriptor);
    }
    let (mut options, mut features) = (Vec::new(), Vec::new());
    put_number(2, if definition.is_closed { 2 } else { 1 }, &mut features);
    put_number(2, 1, &mut options);
    put_message(7, &features, &mut options);
    put_message(3, &options, &mut descriptor);
    descriptor
}

/// Type and type name, by the numbers of `FieldDescriptorProto.Type`.
fn put_type(kind: Kind, out: &mut Vec<u8>) {
    let (code, name) = match kind {
        Kind::Double => (1, None),
        Kind::Float => (2, None),
        Kind::Int64 => (3, None),
        Kind::Uint64 => (4, None),
        Kind::Int32 => (5, None),
        Kind::Fixed64 => (6, None),
        Kind::Fixed32 => (7, None),
        Kind::Bool => (8, None),
        Kind::String => (9, None),
        Kind::Message(id) => (MESSAGE, Some(message_name(id))),
        Kind::Bytes | Kind::Opaque => (12, None),
        Kind::Uint32 => (13, None),
        Kind::Enum(id) => (14, Some(enum_name(id))),
        Kind::Sfixed32 => (15, None),
        Kind::Sfixed64 => (16, None),
        Kind::Sint32 => (17, None),
        Kind::Sint64 => (18, None),
    };
    put_number(5, code, out);
    if let Some(name) = name {
        put_text(6, &format!(".{name}"), out);
    }
}

fn put_number(number: i32, value: u64, out: &mut Vec<u8>) {
    put_tag(number, WireType::Varint.code(), out);
    put_varint(value, out);
}

fn put_text(number: i32, text: &str, out: &mut Vec<u8>) {
    put_message(number, text.as_bytes(), out);
}

fn put_message(number: i32, bytes: &[u8], out: &mut Vec<u8>) {
    put_tag(number, WireType::Len.code(), out);
    put_bytes(bytes, out);
}

#[cfg(test)]
mod tests {
    use super::super::codec::tests::{EVERYTHING, message, with_text};
    use super::super::codec::{decode, encode};
    use super::super::generate;
    use super::*;
    use crate::change::{Identity, Pair};
    use crate::evidence::Direction;
    use crate::formats::protobuf::elements::Identities;
    use crate::formats::protobuf::pairing::TypePair;
    use crate::formats::roundtrip;

    /// Two implementations that know nothing of each other read every synthetic message alike.
    #[test]
    fn this_reader_and_the_specification_agree_on_every_construct() {
        with_text(EVERYTHING, |schema| {
            let types = Types::of(schema);
            let id = message(schema, "Every");
            let pool = Pool::of(types, id).expect("this reader takes the types");
            let own = Identities::of(&[TypePair { types: Pair::new(id, id), changed: true }], &[]);
            let comparer = Comparer::new(types, types, Direction::Backward, &own);
            let index = pool.0.message_index(&message_name(id)).expect("it is in the pool");
            let ids = Sides { writer: id, reader: id };
            let elements = comparer.elements(ids);
            let identities: Vec<Identity> = (0..elements.list.len()).map(|index| elements.identity(index)).collect();
            let changed = identities.iter().collect();
            let records = roundtrip::written(|outlet| generate::messages(&comparer, ids, &changed, outlet));
            assert!(records.len() > 20);
            for wrote in records {
                let Value::Record(wrote) = wrote else { panic!("messages are records") };
                let bytes = encode(types, id, &wrote);
                let message = DynamicMessage::decode(pool.0.clone(), index, &bytes).expect("the bytes are valid");
                assert_eq!(Ok(record(types, id, &message)), decode(types, id, &bytes));
            }
        });
    }
}
