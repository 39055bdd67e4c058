//! Values whose payload a reader of another type accepts.
//!
//! Texts, bytes, messages, map entries and packed numbers are all a length and so many bytes. Boundary values of the one
//! type are mostly rejected when they are read as the other; here are those that are not.

use std::mem::discriminant;

use crate::ordered::{InOrder, OrderedMap};
use crate::value::{Key, Record, Value};

use super::codec::{self, Input, Types, decode_packed, is_packable};
use super::maker::{Focus, Maker};
use super::model::{Cardinality, Field, Kind, MessageId};
use super::well_known::WellKnown;

/// Numbers of fields that messages may be padded with: their tags are one byte and also text.
const PADDING: std::ops::RangeInclusive<i32> = 1..=15;
/// A number that no entry of a map has a field of.
const BESIDE_ENTRY: i32 = 3;
/// Fields of a message that are tried.
const FIELDS: usize = 20;
/// Types of which a `google.protobuf.Any` holds members, where it is read as something else, …
const TYPES: usize = 20;
/// … and how many members.
const MEMBERS: usize = 10;

/// Values of `field` that a reader takes for messages of its own.
pub(super) fn accepted(maker: &Maker<'_, '_, '_, '_>, field: &Field<'_>, reader: &Field<'_>) -> Vec<Value> {
    if matches!(field.kind, Kind::Message(_)) {
        return Vec::new();
    }
    let types = maker.comparer.reader;
    let of_reader = maker.comparer.of_reader();
    let readers = Maker::new(&of_reader);
    if matches!(reader.cardinality, Cardinality::Map { .. }) {
        let entry = readers.sample(reader, None, 0).and_then(|map| entry(types, reader, &map));
        let payloads = entry.into_iter().flat_map(|entry| padded(Some(BESIDE_ENTRY), entry));
        return payloads.filter_map(|payload| held(maker, field, payload)).collect();
    }
    let Kind::Message(id) = reader.kind else { return Vec::new() };
    let message = readers.filled(id, None, 1);
    let bytes = codec::encode(types, id, &message);
    let unknown = PADDING.into_iter().find(|number| types.field(id, *number).is_none());
    padded(unknown, bytes).into_iter().filter_map(|payload| held(maker, field, payload)).collect()
}

/// The bytes of the one entry of a map, without tag and length.
fn entry(types: Types<'_, '_>, field: &Field<'_>, map: &Value) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    codec::encode_field(types, field, map, &mut bytes);
    let mut input = Input(&bytes[..]);
    input.tag().ok()?;
    let length = input.varint().ok()?;
    input.take(length).ok().map(<[u8]>::to_vec)
}

/// For a `google.protobuf.Any` that is read as anything else, one that holds an empty message of a type that the schema
/// knows, since only such a one has a form in JSON, and some that hold a member of each form there.
pub(super) fn any(
    maker: &Maker<'_, '_, '_, '_>,
    field: &Field<'_>,
    (reader, in_json): (&Field<'_>, Option<&Field<'_>>),
) -> Vec<Value> {
    let is_any = |types, kind| match kind {
        Kind::Message(id) => WellKnown::of(types, id) == Some(WellKnown::Any),
        _ => false,
    };
    let writer = maker.writer();
    let Kind::Message(any) = field.kind else { return Vec::new() };
    let is_read_as_any = |reader: &Field<'_>| is_any(maker.comparer.reader, reader.kind);
    if !is_any(writer, field.kind) || is_read_as_any(reader) && reader.cardinality == field.cardinality {
        return Vec::new();
    }
    let held = holding(maker, any);
    // What readers of the same make of a message that has changed is that message's own affair. Keys are texts in JSON,
    // whatever their type is.
    let has_its_form = |reader: &Field<'_>| discriminant(&reader.cardinality) == discriminant(&field.cardinality);
    let is_same_in_json = in_json.is_some_and(|reader| is_read_as_any(reader) && has_its_form(reader));
    let members = if is_same_in_json { Vec::new() } else { holding_members(maker, any) };
    held.into_iter().chain(members).map(Value::Record).collect()
}

/// One that holds a message with something in it: another one, since what comes of types that are gone or have changed is
/// those types' own affair.
pub(super) fn with_content(maker: &Maker<'_, '_, '_, '_>, any: MessageId) -> Option<Record> {
    let inside = holding(maker, any).filter(|_| is_known_to_reader(maker, any))?;
    Some(of_type(maker, any, (any, &inside)))
}

/// Whether the reader has a type of the same name.
fn is_known_to_reader(maker: &Maker<'_, '_, '_, '_>, id: MessageId) -> bool {
    let name = &*maker.writer().schema.message(id).full_name;
    maker.comparer.reader.schema.messages_by_name.contains_key(name)
}

/// Those that hold a message with one member: the first of each kind and cardinality among the types that the schema declares.
fn holding_members(maker: &Maker<'_, '_, '_, '_>, any: MessageId) -> Vec<Record> {
    let writer = maker.writer();
    let is_known = |held: &MessageId| takes_nothing(maker, *held) && is_ordinary(maker, *held);
    let types = (0..).map(MessageId).take(writer.schema.messages.len()).filter(is_known).take(TYPES);
    let (mut forms, mut all) = (Vec::new(), Vec::new());
    for held in types {
        for member in writer.fields(held).take(FIELDS) {
            let form = (discriminant(&member.kind), discriminant(&member.cardinality));
            if all.len() < MEMBERS && !forms.contains(&form) {
                let value = maker.sample(member, None, 1);
                let message = |value| maker.filled(held, None, 1).with(member.number, value);
                all.extend(value.map(|value| of_type(maker, any, (held, &message(value)))));
                forms.push(form);
            }
        }
    }
    all
}

fn takes_nothing(maker: &Maker<'_, '_, '_, '_>, id: MessageId) -> bool {
    codec::decode(maker.writer(), id, &[]).is_ok()
}

/// Whether a type is of the schema's own files, those that no file imports being not everywhere, and no well-known one.
fn is_ordinary(maker: &Maker<'_, '_, '_, '_>, id: MessageId) -> bool {
    let writer = maker.writer();
    !writer.schema.file(writer.schema.message(id).file).is_builtin && WellKnown::of(writer, id).is_none()
}

/// A `google.protobuf.Any` with a message of a type.
fn of_type(maker: &Maker<'_, '_, '_, '_>, any: MessageId, (held, message): (MessageId, &Record)) -> Record {
    let writer = maker.writer();
    let url = format!("type.googleapis.com/{}", writer.schema.message(held).full_name);
    let record = Record::empty(any.0).with(1, Value::Text(url.into_bytes()));
    let payload = codec::encode(writer, held, message);
    if payload.is_empty() { record } else { record.with(2, Value::Bytes(payload)) }
}

/// A `google.protobuf.Any` that holds the smallest message of a type that the schema knows.
pub(super) fn holding(maker: &Maker<'_, '_, '_, '_>, any: MessageId) -> Option<Record> {
    let writer = maker.writer();
    let is_ordinary = |id: &MessageId| is_ordinary(maker, *id);
    let is_plain = |id: &MessageId| is_ordinary(id) && takes_nothing(maker, *id);
    let all = || (0..).map(MessageId).take(writer.schema.messages.len());
    // A type that the reader knows by that name comes first: what comes of one that is gone is that type's own affair.
    let is_known = |id: &MessageId| is_known_to_reader(maker, *id);
    let known = all().find(|id| is_plain(id) && is_known(id)).or_else(|| is_known(&any).then_some(any));
    let held = known.or_else(|| all().find(is_plain)).or_else(|| all().find(is_ordinary))?;
    Some(of_type(maker, any, (held, &maker.filled(held, None, 1))))
}

/// The payload as it is, and made longer with a field of a number that the reader does not know, so that it also has the
/// length of so many numbers.
fn padded(unknown: Option<i32>, bytes: Vec<u8>) -> Vec<Vec<u8>> {
    let mut payloads = vec![bytes.clone()];
    if let Some(number) = unknown {
        let mut longer = bytes;
        if longer.len() % 2 == 1 {
            // A number may be written longer than it need be.
            codec::put_tag(number, 0, &mut longer);
            longer.extend([0x81, 0]);
        }
        for _ in 0..4 {
            codec::put_tag(number, 0, &mut longer);
            longer.push(1);
            payloads.push(longer.clone());
        }
    }
    payloads
}

/// How deep messages stand in messages to take many sizes.
const DEEP: usize = 3;

/// The value of a field that has this payload.
fn held(maker: &Maker<'_, '_, '_, '_>, field: &Field<'_>, payload: Vec<u8>) -> Option<Value> {
    let value = match (field.kind, field.cardinality) {
        (Kind::Bytes, _) => Value::Bytes(payload),
        (Kind::String, _) if !field.utf8 || std::str::from_utf8(&payload).is_ok() => Value::Text(payload),
        (kind, Cardinality::Repeated) if field.packed && is_packable(kind) => {
            return decode_packed(maker.comparer.writer, kind, &payload)
                .filter(|values| !values.is_empty())
                .map(Value::List);
        }
        _ => return None,
    };
    match field.cardinality {
        Cardinality::Singular => Some(value),
        Cardinality::Repeated => Some(Value::List(vec![value])),
        Cardinality::Map { .. } => None,
    }
}

/// Messages of a type with one field set each, of many sizes: some have the length of so many numbers.
pub(super) fn of_every_size(maker: &Maker<'_, '_, '_, '_>, id: MessageId) -> Vec<Record> {
    let base = maker.filled(id, None, 1);
    let mut messages = Vec::new();
    for field in maker.comparer.writer.fields(id).take(FIELDS) {
        let values = values_of_every_size(maker, field).into_iter().flat_map(|value| of_every_length(field, value));
        messages.extend(values.map(|value| maker.put(base.clone(), field, value)));
    }
    messages
}

/// Messages of a type whose fields have, together, the length of so many numbers where none has it alone: for each
/// remainder of eight the first that is found. It is enough to look at four and at none.
pub(super) fn together(maker: &Maker<'_, '_, '_, '_>, id: MessageId) -> Vec<Record> {
    let base = maker.filled(id, None, 1);
    let mut found: [Option<Record>; 8] = Default::default();
    for field in maker.comparer.writer.fields(id).take(FIELDS) {
        let values = values_of_every_size(maker, field).into_iter().filter_map(|value| maker.wrapped(field, value));
        let known: Vec<Record> = found.iter().flatten().chain([&base]).cloned().collect();
        for value in values {
            for record in &known {
                let record = maker.put(record.clone(), field, value.clone());
                let length = codec::encode(maker.writer(), id, &record).len();
                if length > 0 {
                    found[length % 8].get_or_insert(record);
                }
            }
        }
    }
    found.into_iter().step_by(4).flatten().collect()
}

/// How deep messages are looked into for bytes that a closed enum names.
const NAMED_INSIDE: usize = 2;

/// Values of what a field holds, or of the values of a map, whose payload a list of a closed enum takes for one of its
/// numbers: other varints are set aside there, so that most payloads show nothing.
pub(super) fn named(maker: &Maker<'_, '_, '_, '_>, field: &Field<'_>, reader: &Field<'_>) -> Vec<Value> {
    let types = maker.comparer.reader;
    let Kind::Enum(id) = reader.kind else { return Vec::new() };
    let definition = types.schema.enumeration(id);
    if !definition.is_closed || reader.cardinality != Cardinality::Repeated {
        return Vec::new();
    }
    let numbers = definition.ast.values.iter().filter_map(|value| i32::try_from(value.number).ok()).take(FIELDS);
    let is_named = |value: &Value| {
        let payload = match value {
            Value::Record(record) => codec::encode(maker.writer(), MessageId(record.ty), record),
            Value::Text(bytes) | Value::Bytes(bytes) => bytes.clone(),
            _ => return false,
        };
        decode_packed(types, reader.kind, &payload).is_some_and(|values| !values.is_empty())
    };
    numbers.flat_map(|number| naming(maker, field, number, NAMED_INSIDE)).filter(is_named).take(FIELDS).collect()
}

/// Values of a field's type among whose bytes the number stands as a varint, in what they hold or in a length.
fn naming(maker: &Maker<'_, '_, '_, '_>, field: &Field<'_>, number: i32, depth: usize) -> Vec<Value> {
    let mut varint = Vec::new();
    codec::put_varint(i64::from(number) as u64, &mut varint);
    // Readers cut a number to 32 bits, so that one below zero has a shorter form too.
    let mut short = Vec::new();
    codec::put_varint(u64::from(number as u32), &mut short);
    // The number first, and then bytes that are numbers of one byte.
    let wide = |width: usize| -> Option<Vec<u8>> {
        (short.len() <= width).then(|| [&short[..], &vec![1; width - short.len()]].concat())
    };
    let four = || Some(u32::from_le_bytes(wide(4)?.try_into().ok()?));
    let eight = || Some(u64::from_le_bytes(wide(8)?.try_into().ok()?));
    let long = usize::try_from(number).ok().filter(|length| *length < 128);
    let bytes = || [Some(varint.clone()), long.map(|length| vec![b'a'; length])].into_iter().flatten();
    let zigzag = |width: u32| {
        let code = if width == 32 { u64::from(number as u32) } else { i64::from(number) as u64 };
        Value::Int(i128::from((code >> 1) as i64 ^ -((code & 1) as i64)))
    };
    match field.kind {
        Kind::Int32 | Kind::Int64 => vec![Value::Int(number.into())],
        Kind::Uint32 => vec![Value::Int((number as u32).into())],
        Kind::Opaque => Vec::new(),
        Kind::Uint64 => vec![Value::Int((i64::from(number) as u64).into())],
        Kind::Sint32 => vec![zigzag(32)],
        Kind::Sint64 => vec![zigzag(64)],
        Kind::Bool => vec![Value::Bool(number != 0)],
        Kind::Fixed32 => four().map(|bits| Value::Int(bits.into())).into_iter().collect(),
        Kind::Sfixed32 => four().map(|bits| Value::Int((bits as i32).into())).into_iter().collect(),
        Kind::Float => four().map(|bits| Value::Float(f32::from_bits(bits))).into_iter().collect(),
        Kind::Fixed64 => eight().map(|bits| Value::Int(bits.into())).into_iter().collect(),
        Kind::Sfixed64 => eight().map(|bits| Value::Int((bits as i64).into())).into_iter().collect(),
        Kind::Double => eight().map(|bits| Value::Double(f64::from_bits(bits))).into_iter().collect(),
        Kind::String => bytes().filter(|text| std::str::from_utf8(text).is_ok()).map(Value::Text).collect(),
        Kind::Bytes => bytes().map(Value::Bytes).collect(),
        Kind::Enum(id) => {
            let may_write = !maker.writer().schema.enumeration(id).is_closed || maker.writer().names_number(id, number);
            may_write.then_some(Value::Enum { ty: id.0, number }).into_iter().collect()
        }
        Kind::Message(id) => {
            let base = maker.filled(id, None, 1);
            let mut messages = vec![Value::Record(base.clone())];
            let fields = maker.comparer.writer.fields(id).take(if depth == 0 { 0 } else { FIELDS });
            for inner in fields {
                let values = naming(maker, inner, number, depth - 1).into_iter();
                let values = values.filter_map(|value| maker.wrapped(inner, value));
                messages.extend(values.map(|value| Value::Record(maker.put(base.clone(), inner, value))));
            }
            messages
        }
    }
}

/// Values of what a field holds, or of the values of a map, of as many sizes as there are.
pub(super) fn values_of_every_size(maker: &Maker<'_, '_, '_, '_>, field: &Field<'_>) -> Vec<Value> {
    match field.kind {
        // Beside the sizes, what ends in a byte that ends no varint.
        Kind::String => {
            let ordinary = (1..=8).map(|length| vec![b'a'; length]);
            ordinary.chain(["é".into()]).map(Value::Text).collect()
        }
        Kind::Bytes => (1..=8).map(|length| vec![b'a'; length]).chain([vec![0x80]]).map(Value::Bytes).collect(),
        Kind::Int64 | Kind::Uint64 => (0..9).map(|septets| Value::Int(1 << (7 * septets))).collect(),
        Kind::Int32 | Kind::Uint32 => (0..4).map(|septets| Value::Int(1 << (7 * septets))).collect(),
        Kind::Sint32 | Kind::Sint64 => [-1, 1 << 10, 1 << 17, 1 << 24].map(Value::Int).into(),
        Kind::Bool => vec![Value::Bool(true)],
        Kind::Double => vec![Value::Double(2.0), Value::Double(-2.0)],
        Kind::Float => vec![Value::Float(2.0), Value::Float(-2.0)],
        Kind::Sfixed32 | Kind::Sfixed64 => vec![Value::Int(1), Value::Int(-1)],
        Kind::Fixed32 => vec![Value::Int(1), Value::Int(u32::MAX.into())],
        Kind::Fixed64 => vec![Value::Int(1), Value::Int(u64::MAX.into())],
        Kind::Message(inner) => nested(maker, inner, DEEP),
        Kind::Enum(id) => {
            let definition = maker.writer().schema.enumeration(id);
            let named = maker.scalars(field, field.kind, None, Focus::Few).into_iter();
            let sizes = (1..4).map(|septets| 1 << (7 * septets)).chain([-1]).filter(|_| !definition.is_closed);
            named.chain(sizes.map(|number| Value::Enum { ty: id.0, number })).collect()
        }
        Kind::Opaque => Vec::new(),
    }
}

/// Messages inside of a message: an empty one, and with a field of theirs set, of every length as so many numbers take it,
/// and of those that end a varint as of those that do not.
fn nested(maker: &Maker<'_, '_, '_, '_>, id: MessageId, depth: usize) -> Vec<Value> {
    let base = maker.filled(id, None, 2);
    let form = |record: &Record| {
        let bytes = codec::encode(maker.writer(), id, record);
        (bytes.len() % 8, bytes.last().is_some_and(|last| *last >= 0x80))
    };
    let (mut messages, mut forms) = (vec![base.clone()], vec![form(&base)]);
    let mut fields: Vec<&Field<'_>> = maker.comparer.writer.fields(id).take(FIELDS).collect();
    // Entries of a map are as long as two things together, so that they have fewer sizes.
    fields.sort_in_order_by_key(|field| matches!(field.cardinality, Cardinality::Map { .. }));
    for field in fields.into_iter().take(2) {
        let values = match field.kind {
            Kind::Message(_) if depth == 0 => Vec::new(),
            Kind::Message(inner) => nested(maker, inner, depth - 1),
            _ => values_of_every_size(maker, field),
        };
        for held in values.into_iter().flat_map(|value| of_every_length(field, value)) {
            let record = maker.put(base.clone(), field, held);
            let form = form(&record);
            if !forms.contains(&form) {
                forms.push(form);
                messages.push(record);
            }
        }
    }
    messages.into_iter().map(Value::Record).collect()
}

/// A value as the field holds it: of a list one to eight of them.
fn of_every_length(field: &Field<'_>, value: Value) -> Vec<Value> {
    match field.cardinality {
        Cardinality::Singular => vec![value],
        Cardinality::Repeated => (1..=8).map(|length| Value::List(vec![value.clone(); length])).collect(),
        Cardinality::Map { key } => {
            let one = |key| OrderedMap::from([(key, value.clone())]);
            let several = |count: usize| -> OrderedMap<Key, Value> {
                some_keys(key).into_iter().take(count).map(|key| (key, value.clone())).collect()
            };
            let single = keys_of_every_size(key).into_iter().map(one);
            single.chain((2..=some_keys(key).len()).map(several)).map(Value::Map).collect()
        }
    }
}

/// Keys of a map that are all of one size, as many as there are up to eight.
fn some_keys(key: Kind) -> Vec<Key> {
    match key {
        Kind::String => (b'a'..=b'h').map(|letter| Key::Text(vec![letter])).collect(),
        Kind::Bool => vec![Key::Bool(true), Key::Bool(false)],
        _ => (1..=8).map(Key::Int).collect(),
    }
}

/// Keys of a map, of as many sizes as there are: some entries then have the length of so many numbers.
pub(super) fn keys_of_every_size(key: Kind) -> Vec<Key> {
    let varints = |septets: std::ops::Range<u32>| septets.map(|septets| Key::Int(1 << (7 * septets))).collect();
    match key {
        Kind::String => (1..=8).map(|length| Key::Text(vec![b'a'; length])).collect(),
        Kind::Int64 | Kind::Uint64 => varints(0..9),
        Kind::Int32 | Kind::Uint32 => varints(0..5),
        Kind::Sint32 | Kind::Sint64 => [-1, 1 << 7, 1 << 14, 1 << 21, 1 << 28].map(Key::Int).into(),
        Kind::Bool => vec![Key::Bool(true)],
        _ => vec![Key::Int(1)],
    }
}
