//! The binary encoding, as the specification has it: every schema-directed rule that decides what a reader sees.
//!
//! Unknown fields are skipped and not kept, because only visible values count. Reading never panics, and never allocates
//! more than a constant factor of its input. See <https://protobuf.dev/programming-guides/encoding/>.

use std::borrow::Cow;

use crate::ordered::OrderedMap;
use crate::value::{Key, Record, Value, is_zero};

use super::model::{Cardinality, Field, Kind, MessageId, Presence};
pub(crate) use super::types::{HOLDER, Index, Types};

/// Nesting beyond which the official runtimes reject a message.
pub(crate) const DEPTH_LIMIT: usize = 100;

/// Why a reader rejects a message, and where.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ReadError {
    /// The numbers of the reader's fields on the way to the place.
    pub(crate) path: Vec<i32>,
    /// What is wrong, for people.
    pub(crate) reason: Cow<'static, str>,
    /// What sort of fault it is.
    pub(crate) cause: Cause,
    /// Other required fields of the same message that are missing as well: each alone is a fault.
    pub(crate) also: Vec<i32>,
}

/// What sort of fault makes a reader reject a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cause {
    /// The data do not follow the encoding, or a value is out of the range of its type.
    Malformed,
    /// The last field of the path is required and missing.
    Missing,
    /// The last field of the path and this one are of one oneof, and both are set (only JSON readers mind).
    OneofTwice(i32),
    /// Two members name the last field of the path (only JSON readers mind).
    GivenTwice,
}

impl ReadError {
    /// A fault in the data, at no place yet.
    pub(crate) fn malformed(reason: impl Into<Cow<'static, str>>) -> Self {
        Self { path: Vec::new(), reason: reason.into(), cause: Cause::Malformed, also: Vec::new() }
    }

    /// The same fault, seen from the message that holds it in that field.
    #[must_use]
    pub(crate) fn inside(mut self, number: i32) -> Self {
        self.path.insert(0, number);
        self
    }
}

/// How a value stands on the wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WireType {
    /// A variable-length integer.
    Varint,
    /// Eight bytes.
    I64,
    /// A length and that many bytes.
    Len,
    /// Fields between a start and an end tag.
    Group,
    /// Four bytes.
    I32,
}

impl WireType {
    pub(super) const fn code(self) -> u32 {
        match self {
            WireType::Varint => 0,
            WireType::I64 => 1,
            WireType::Len => 2,
            WireType::Group => 3,
            WireType::I32 => 5,
        }
    }
}

pub(super) const END_GROUP: u32 = 4;

/// How one value of a type is written; `None` when the type is not known.
pub(crate) fn wire_type(kind: Kind, delimited: bool) -> Option<WireType> {
    Some(match kind {
        Kind::Int32 | Kind::Int64 | Kind::Uint32 | Kind::Uint64 | Kind::Sint32 | Kind::Sint64 => WireType::Varint,
        Kind::Bool | Kind::Enum(_) => WireType::Varint,
        Kind::Fixed64 | Kind::Sfixed64 | Kind::Double => WireType::I64,
        Kind::Fixed32 | Kind::Sfixed32 | Kind::Float => WireType::I32,
        Kind::Message(_) if delimited => WireType::Group,
        Kind::String | Kind::Bytes | Kind::Message(_) => WireType::Len,
        Kind::Opaque => return None,
    })
}

pub(super) fn is_packable(kind: Kind) -> bool {
    matches!(wire_type(kind, false), Some(WireType::Varint | WireType::I32 | WireType::I64))
}

/// Writes a record. Values that do not belong to their field's type are left out.
pub(crate) fn encode(types: Types<'_, '_>, id: MessageId, record: &Record) -> Vec<u8> {
    let mut out = Vec::new();
    encode_record(types, id, record, &mut out);
    out
}

fn encode_record(types: Types<'_, '_>, id: MessageId, record: &Record, out: &mut Vec<u8>) {
    for (number, value) in &record.fields {
        let Some(field) = types.field(id, *number) else {
            continue;
        };
        if types.is_message_set(id)
            && let Value::Record(content) = value
            && let Kind::Message(content_type) = field.kind
        {
            encode_message_set_item(types, field.number, content_type, content, out);
        } else {
            encode_field(types, field, value, out);
        }
    }
}

/// An item of a message set: group 1 { type id = 2, message = 3 }.
fn encode_message_set_item(types: Types<'_, '_>, number: i32, id: MessageId, content: &Record, out: &mut Vec<u8>) {
    put_tag(1, WireType::Group.code(), out);
    put_tag(2, WireType::Varint.code(), out);
    put_varint(number as u64, out);
    put_tag(3, WireType::Len.code(), out);
    put_bytes(&encode(types, id, content), out);
    put_tag(1, END_GROUP, out);
}

/// Writes one field, or nothing when the value does not belong to its type.
pub(super) fn encode_field(types: Types<'_, '_>, field: &Field<'_>, value: &Value, out: &mut Vec<u8>) {
    match (field.cardinality, value) {
        (Cardinality::Singular, Value::List(_) | Value::Map(_)) => {}
        (Cardinality::Singular, value) => {
            if !(field.presence == Presence::Implicit && is_zero(value)) {
                encode_tagged(types, field.number, field.kind, field.delimited, value, out);
            }
        }
        (Cardinality::Repeated, Value::List(values)) if field.packed && is_packable(field.kind) => {
            if !values.is_empty() {
                let mut packed = Vec::new();
                for value in values {
                    encode_scalar(field.kind, value, &mut packed);
                }
                put_tag(field.number, WireType::Len.code(), out);
                put_bytes(&packed, out);
            }
        }
        (Cardinality::Repeated, Value::List(values)) => {
            for value in values {
                encode_tagged(types, field.number, field.kind, field.delimited, value, out);
            }
        }
        (Cardinality::Map { key }, Value::Map(entries)) => {
            for (entry_key, value) in entries {
                let mut entry = Vec::new();
                encode_tagged(types, 1, key, false, &entry_key.to_value(), &mut entry);
                encode_tagged(types, 2, field.kind, false, value, &mut entry);
                put_tag(field.number, WireType::Len.code(), out);
                put_bytes(&entry, out);
            }
        }
        (Cardinality::Repeated | Cardinality::Map { .. }, _) => {}
    }
}

fn encode_tagged(types: Types<'_, '_>, number: i32, kind: Kind, delimited: bool, value: &Value, out: &mut Vec<u8>) {
    let Some(wire) = wire_type(kind, delimited) else {
        return;
    };
    match (kind, value) {
        (Kind::Message(id), Value::Record(record)) => {
            put_tag(number, wire.code(), out);
            if wire == WireType::Group {
                encode_record(types, id, record, out);
                put_tag(number, END_GROUP, out);
            } else {
                put_bytes(&encode(types, id, record), out);
            }
        }
        (Kind::Message(_), _) | (_, Value::Record(_)) => {}
        _ => {
            put_tag(number, wire.code(), out);
            encode_scalar(kind, value, out);
        }
    }
}

/// A value of any type but a message, without a tag. Every value writes something, so that the tag before it stands.
fn encode_scalar(kind: Kind, value: &Value, out: &mut Vec<u8>) {
    let whole = match value {
        Value::Bool(value) => i128::from(*value),
        Value::Int(value) => *value,
        Value::Enum { number, .. } => i128::from(*number),
        _ => 0,
    };
    match (kind, value) {
        (Kind::Double, Value::Double(value)) => out.extend(value.to_le_bytes()),
        (Kind::Float, Value::Float(value)) => out.extend(value.to_le_bytes()),
        (Kind::Sint32, _) => put_varint(u64::from(zigzag32(whole as i32)), out),
        (Kind::Sint64, _) => put_varint(zigzag64(whole as i64), out),
        (Kind::Fixed32 | Kind::Sfixed32 | Kind::Float, _) => out.extend((whole as u32).to_le_bytes()),
        (Kind::Fixed64 | Kind::Sfixed64 | Kind::Double, _) => out.extend((whole as u64).to_le_bytes()),
        (Kind::String | Kind::Bytes, Value::Text(bytes) | Value::Bytes(bytes)) => put_bytes(bytes, out),
        (Kind::String | Kind::Bytes | Kind::Message(_) | Kind::Opaque, _) => put_varint(0, out),
        // Negative numbers of 32 bits are extended to 64, as the specification demands.
        (Kind::Int32 | Kind::Int64 | Kind::Enum(_), _) => put_varint(whole as i64 as u64, out),
        (Kind::Uint32 | Kind::Uint64 | Kind::Bool, _) => put_varint(whole as u64, out),
    }
}

fn zigzag32(value: i32) -> u32 {
    ((value << 1) ^ (value >> 31)) as u32
}

fn zigzag64(value: i64) -> u64 {
    ((value << 1) ^ (value >> 63)) as u64
}

pub(super) fn put_tag(number: i32, wire: u32, out: &mut Vec<u8>) {
    put_varint(u64::from((number as u32) << 3 | wire), out);
}

pub(super) fn put_bytes(bytes: &[u8], out: &mut Vec<u8>) {
    put_varint(bytes.len() as u64, out);
    out.extend(bytes);
}

pub(super) fn put_varint(mut value: u64, out: &mut Vec<u8>) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Reads a message, or says why a reader rejects it. Fields without presence that hold their default are absent.
pub(crate) fn decode(types: Types<'_, '_>, id: MessageId, bytes: &[u8]) -> Result<Record, ReadError> {
    let mut record = Record::empty(id.0);
    let mut input = Input(bytes);
    merge(types, id, &mut record, &mut input, Nesting { depth: 0, group: None })?;
    check_required(types, id, &record)?;
    Ok(record)
}

/// What is left to read.
pub(super) struct Input<'b>(pub(super) &'b [u8]);

impl<'b> Input<'b> {
    pub(super) fn varint(&mut self) -> Result<u64, ReadError> {
        let mut value = 0u64;
        for (index, byte) in self.0.iter().take(10).enumerate() {
            if index == 9 && *byte > 1 {
                return Err(ReadError::malformed("a varint does not fit into 64 bits"));
            }
            value |= u64::from(byte & 0x7f) << (7 * index);
            if byte & 0x80 == 0 {
                self.0 = &self.0[index + 1..];
                return Ok(value);
            }
        }
        Err(ReadError::malformed("the message ends inside a varint"))
    }

    pub(super) fn take(&mut self, count: u64) -> Result<&'b [u8], ReadError> {
        let available = usize::try_from(count).ok().filter(|count| *count <= self.0.len());
        let Some(count) = available else {
            return Err(ReadError::malformed("a length points beyond the end of the message"));
        };
        let (taken, rest) = self.0.split_at(count);
        self.0 = rest;
        Ok(taken)
    }

    fn four(&mut self) -> Result<[u8; 4], ReadError> {
        let bytes = self.take(4)?;
        bytes.try_into().map_err(|_| ReadError::malformed("the message ends inside a number"))
    }

    fn eight(&mut self) -> Result<[u8; 8], ReadError> {
        let bytes = self.take(8)?;
        bytes.try_into().map_err(|_| ReadError::malformed("the message ends inside a number"))
    }

    fn delimited(&mut self) -> Result<Input<'b>, ReadError> {
        let length = self.varint()?;
        Ok(Input(self.take(length)?))
    }

    /// The next tag: field number and code of the wire type.
    pub(super) fn tag(&mut self) -> Result<(i32, u32), ReadError> {
        let tag = u32::try_from(self.varint()?).map_err(|_| ReadError::malformed("a field number is too large"))?;
        match tag >> 3 {
            0 => Err(ReadError::malformed("field number 0 is not allowed")),
            number => Ok((number as i32, tag & 7)),
        }
    }
}

/// How deep the reader is, and which group it is in.
#[derive(Clone, Copy)]
pub(super) struct Nesting {
    pub(super) depth: usize,
    pub(super) group: Option<i32>,
}

impl Nesting {
    /// Outside of everything.
    pub(super) const fn top() -> Nesting {
        Nesting { depth: 0, group: None }
    }

    pub(super) fn deeper(self, group: Option<i32>) -> Result<Nesting, ReadError> {
        match self.depth + 1 {
            depth if depth > DEPTH_LIMIT => Err(ReadError::malformed("messages are nested more than 100 deep")),
            depth => Ok(Nesting { depth, group }),
        }
    }
}

fn merge(
    types: Types<'_, '_>,
    id: MessageId,
    record: &mut Record,
    input: &mut Input<'_>,
    nesting: Nesting,
) -> Result<(), ReadError> {
    while !input.0.is_empty() {
        let (number, wire) = input.tag()?;
        if wire == END_GROUP {
            return match nesting.group {
                Some(group) if group == number => Ok(()),
                _ => Err(ReadError::malformed("a group ends that did not begin")),
            };
        }
        if types.is_message_set(id) && number == 1 && wire == WireType::Group.code() {
            read_message_set_item(types, id, record, input, nesting)?;
            continue;
        }
        match types.field(id, number) {
            Some(field) => {
                read_field(types, record, field, wire, input, nesting).map_err(|error| error.inside(number))?;
            }
            None => skip(number, wire, input, nesting)?,
        }
    }
    match nesting.group {
        Some(_) => Err(ReadError::malformed("the message ends inside a group")),
        None => Ok(()),
    }
}

fn read_message_set_item(
    types: Types<'_, '_>,
    id: MessageId,
    record: &mut Record,
    input: &mut Input<'_>,
    nesting: Nesting,
) -> Result<(), ReadError> {
    let inner = nesting.deeper(Some(1))?;
    let (mut type_id, mut content) = (None, None);
    loop {
        let (number, wire) = input.tag()?;
        match (number, wire) {
            (1, END_GROUP) => break,
            (2, 0) => type_id = Some(input.varint()?),
            (3, 2) => content = Some(input.delimited()?),
            _ => skip(number, wire, input, inner)?,
        }
    }
    let number = type_id.and_then(|type_id| i32::try_from(type_id).ok());
    let (Some(number), Some(mut content)) = (number, content) else {
        return Ok(());
    };
    let Some(field) = types.field(id, number) else {
        return Ok(());
    };
    let Kind::Message(content_type) = field.kind else {
        return Ok(());
    };
    let mut read = existing_record(record, number, content_type);
    merge(types, content_type, &mut read, &mut content, nesting.deeper(None)?).map_err(|error| error.inside(number))?;
    set(types, record, field, Value::Record(read));
    Ok(())
}

fn existing_record(record: &mut Record, number: i32, id: MessageId) -> Record {
    match record.fields.remove(&number) {
        Some(Value::Record(existing)) => existing,
        _ => Record::empty(id.0),
    }
}

fn read_field(
    types: Types<'_, '_>,
    record: &mut Record,
    field: &Field<'_>,
    wire: u32,
    input: &mut Input<'_>,
    nesting: Nesting,
) -> Result<(), ReadError> {
    let Some(expected) = wire_type(field.kind, field.delimited) else {
        return skip(field.number, wire, input, nesting);
    };
    match field.cardinality {
        Cardinality::Map { key } if wire == WireType::Len.code() => {
            let mut entry = input.delimited()?;
            if let Some((key, value)) = read_entry(types, field, key, &mut entry, nesting.deeper(None)?)? {
                match record.fields.entry(field.number).or_insert_with(|| Value::Map(OrderedMap::new())) {
                    Value::Map(entries) => entries.insert(key, value),
                    _ => None,
                };
            }
            Ok(())
        }
        Cardinality::Repeated if wire == expected.code() => {
            if let Some(value) = read_value(types, field, Record::empty, input, nesting)? {
                push(record, field.number, value);
            }
            Ok(())
        }
        Cardinality::Repeated if wire == WireType::Len.code() && is_packable(field.kind) => {
            let mut packed = input.delimited()?;
            while !packed.0.is_empty() {
                if let Some(value) = read_scalar(types, field.kind, field.utf8, &mut packed)? {
                    push(record, field.number, value);
                }
            }
            Ok(())
        }
        Cardinality::Singular if wire == expected.code() => {
            let number = field.number;
            let value = read_value(types, field, |id| existing_record(record, number, MessageId(id)), input, nesting)?;
            if let Some(value) = value {
                set(types, record, field, value);
            }
            Ok(())
        }
        Cardinality::Map { .. } | Cardinality::Repeated | Cardinality::Singular => {
            skip(field.number, wire, input, nesting)
        }
    }
}

fn push(record: &mut Record, number: i32, value: Value) {
    match record.fields.entry(number).or_insert_with(|| Value::List(Vec::new())) {
        Value::List(values) => values.push(value),
        other => *other = Value::List(vec![value]),
    }
}

/// Puts a value into a singular field: the other members of its oneof are cleared, a default without presence is absent.
pub(crate) fn set(types: Types<'_, '_>, record: &mut Record, field: &Field<'_>, value: Value) {
    if let Some(oneof) = field.oneof.filter(|_| !field.is_extension) {
        for other in types.set_members(record, oneof).into_iter().filter(|number| *number != field.number) {
            record.fields.remove(&other);
        }
    }
    if field.presence == Presence::Implicit && is_zero(&value) {
        record.fields.remove(&field.number);
    } else {
        record.fields.insert(field.number, value);
    }
}

/// One value whose wire type is the expected one; `None` for a number that a closed enum does not know.
fn read_value(
    types: Types<'_, '_>,
    field: &Field<'_>,
    existing: impl FnOnce(u32) -> Record,
    input: &mut Input<'_>,
    nesting: Nesting,
) -> Result<Option<Value>, ReadError> {
    let Kind::Message(id) = field.kind else {
        return read_scalar(types, field.kind, field.utf8, input);
    };
    let mut record = existing(id.0);
    if field.delimited {
        merge(types, id, &mut record, input, nesting.deeper(Some(field.number))?)?;
    } else {
        let mut content = input.delimited()?;
        merge(types, id, &mut record, &mut content, nesting.deeper(None)?)?;
    }
    Ok(Some(Value::Record(record)))
}

pub(super) fn read_scalar(
    types: Types<'_, '_>,
    kind: Kind,
    utf8: bool,
    input: &mut Input<'_>,
) -> Result<Option<Value>, ReadError> {
    Ok(Some(match kind {
        Kind::Double => Value::Double(f64::from_le_bytes(input.eight()?)),
        Kind::Float => Value::Float(f32::from_le_bytes(input.four()?)),
        Kind::Int32 => Value::Int(i128::from(input.varint()? as i32)),
        Kind::Int64 => Value::Int(i128::from(input.varint()? as i64)),
        Kind::Uint32 => Value::Int(i128::from(input.varint()? as u32)),
        Kind::Uint64 => Value::Int(i128::from(input.varint()?)),
        Kind::Sint32 => {
            let coded = input.varint()? as u32;
            Value::Int(i128::from((coded >> 1) as i32 ^ -((coded & 1) as i32)))
        }
        Kind::Sint64 => {
            let coded = input.varint()?;
            Value::Int(i128::from((coded >> 1) as i64 ^ -((coded & 1) as i64)))
        }
        Kind::Fixed32 => Value::Int(i128::from(u32::from_le_bytes(input.four()?))),
        Kind::Fixed64 => Value::Int(i128::from(u64::from_le_bytes(input.eight()?))),
        Kind::Sfixed32 => Value::Int(i128::from(i32::from_le_bytes(input.four()?))),
        Kind::Sfixed64 => Value::Int(i128::from(i64::from_le_bytes(input.eight()?))),
        Kind::Bool => Value::Bool(input.varint()? != 0),
        Kind::String => {
            let bytes = input.delimited()?.0;
            if utf8 && std::str::from_utf8(bytes).is_err() {
                return Err(ReadError::malformed("a text is not valid UTF-8"));
            }
            Value::Text(bytes.to_vec())
        }
        Kind::Bytes => Value::Bytes(input.delimited()?.0.to_vec()),
        Kind::Enum(id) => {
            let number = input.varint()? as i32;
            if types.schema.enumeration(id).is_closed && !types.names_number(id, number) {
                return Ok(None);
            }
            Value::Enum { ty: id.0, number }
        }
        Kind::Message(_) | Kind::Opaque => return Ok(None),
    }))
}

/// The numbers of a packed record; `None` when the bytes are none.
pub(crate) fn decode_packed(types: Types<'_, '_>, kind: Kind, bytes: &[u8]) -> Option<Vec<Value>> {
    let mut input = Input(bytes);
    let mut values = Vec::new();
    while !input.0.is_empty() {
        values.extend(read_scalar(types, kind, false, &mut input).ok()?);
    }
    Some(values)
}

/// One entry of a map; `None` when its value is a number that a closed enum does not know.
fn read_entry(
    types: Types<'_, '_>,
    field: &Field<'_>,
    key_kind: Kind,
    input: &mut Input<'_>,
    nesting: Nesting,
) -> Result<Option<(Key, Value)>, ReadError> {
    let mut key = types.zero(key_kind);
    let mut value = match field.kind {
        Kind::Message(id) => Some(Value::Record(Record::empty(id.0))),
        kind => types.zero(kind),
    };
    while !input.0.is_empty() {
        let (number, wire) = input.tag()?;
        let expects = |kind: Kind| wire_type(kind, false).is_some_and(|expected| expected.code() == wire);
        match number {
            1 if expects(key_kind) => key = read_scalar(types, key_kind, field.utf8, input)?,
            2 if expects(field.kind) => {
                let before = value.take();
                let existing = |id| match before {
                    Some(Value::Record(record)) => record,
                    _ => Record::empty(id),
                };
                value = read_value(types, field, existing, input, nesting)?;
            }
            _ => skip(number, wire, input, nesting)?,
        }
    }
    Ok(key.and_then(map_key).zip(value))
}

/// A scalar as the key of a map.
pub(crate) fn map_key(value: Value) -> Option<Key> {
    match value {
        Value::Bool(value) => Some(Key::Bool(value)),
        Value::Int(value) => Some(Key::Int(value)),
        Value::Text(bytes) => Some(Key::Text(bytes)),
        Value::Float(_) | Value::Double(_) | Value::Bytes(_) | Value::Enum { .. } => None,
        Value::List(_) | Value::Map(_) | Value::Record(_) | Value::Null | Value::Branch { .. } => None,
    }
}

pub(super) fn skip(number: i32, wire: u32, input: &mut Input<'_>, nesting: Nesting) -> Result<(), ReadError> {
    match wire {
        0 => input.varint().map(drop),
        1 => input.take(8).map(drop),
        2 => input.delimited().map(drop),
        5 => input.take(4).map(drop),
        3 => {
            let inner = nesting.deeper(Some(number))?;
            loop {
                match input.tag()? {
                    (end, END_GROUP) if end == number => return Ok(()),
                    (_, END_GROUP) => {
                        return Err(ReadError::malformed("a group ends that did not begin"));
                    }
                    (number, wire) => skip(number, wire, input, inner)?,
                }
            }
        }
        _ => Err(ReadError::malformed("a wire type does not exist")),
    }
}

/// Whether every required field is there, in nested messages too.
pub(crate) fn check_required(types: Types<'_, '_>, id: MessageId, record: &Record) -> Result<(), ReadError> {
    let mut missing = types
        .fields(id)
        .take(if types.requires_none(id) { 0 } else { usize::MAX })
        .filter(|field| field.presence == Presence::Required && !record.fields.contains_key(&field.number));
    if let Some(field) = missing.next() {
        let reason = Cow::Owned(format!("required field `{}` is missing", field.name));
        let also = missing.map(|field| field.number).collect();
        return Err(ReadError { path: vec![field.number], reason, cause: Cause::Missing, also });
    }
    for (number, value) in &record.fields {
        check_required_in(types, value).map_err(|error| error.inside(*number))?;
    }
    Ok(())
}

fn check_required_in(types: Types<'_, '_>, value: &Value) -> Result<(), ReadError> {
    match value {
        Value::Record(record) => check_required(types, MessageId(record.ty), record),
        Value::List(values) => values.iter().try_for_each(|value| check_required_in(types, value)),
        Value::Map(entries) => entries.values().try_for_each(|value| check_required_in(types, value)),
        Value::Bool(_) | Value::Int(_) | Value::Float(_) | Value::Double(_) => Ok(()),
        Value::Text(_) | Value::Bytes(_) | Value::Enum { .. } | Value::Null | Value::Branch { .. } => Ok(()),
    }
}

#[cfg(test)]
#[path = "codec_tests.rs"]
pub(super) mod tests;
