//! Messages → records, as readers of the reference implementation see them.
//!
//! How deep pointers are followed has a limit, as how much is read. A pointer that a reader rejects is a fault at its
//! field: accessors of the runtimes reject that field and no other.

use crate::formats::roundtrip::Sides;
use crate::value::{Record, Value};

use super::anything::{
    Lead, SOME_BIT_LIST, SOME_CAPABILITY, SOME_LIST, SOME_POINTERS, SOME_STRUCTS, SOME_WORD, Something,
};
use super::codec::{Items, default_bits, held, holds, mask};
use super::message::{List, Message, Place, Struct, TOO_MUCH, Target};
use super::model::{Absence, AnyKind, Field, Guard, Schema, Slot, StructId, Type, union_key};

/// How deep pointers are followed, as the runtimes have it.
const DEPTH: u32 = 64;
/// Why what lies deeper is rejected.
pub(super) const TOO_DEEP: &str = "the message nests too deep";
const NO_STRUCT: &str = "a pointer leads to no struct where one is expected";
const NO_LIST: &str = "a pointer leads to no list where one is expected";
const NO_CAPABILITY: &str = "a pointer leads to data where a capability is expected";
/// Why a pointer of another kind than declared is rejected.
pub(super) const OTHER_KINDS: [&str; 3] = [NO_STRUCT, NO_LIST, NO_CAPABILITY];
/// The index of a branch that is no value but the reason why there is none.
const FAULT: u32 = u32::MAX;

/// A value that a reader rejects.
pub(super) fn fault(reason: &str) -> Value {
    Value::Branch { index: FAULT, value: Box::new(Value::Text(reason.as_bytes().to_vec())) }
}

/// Why a value is rejected, if it is.
pub(super) fn rejected(value: &Value) -> Option<&[u8]> {
    match value {
        Value::Branch { index: FAULT, value } => match &**value {
            Value::Text(reason) => Some(reason),
            _ => None,
        },
        _ => None,
    }
}

/// Reads a message as a struct; the reason where nothing can be read.
pub(super) fn decode(schema: &Schema<'_>, id: StructId, bytes: &[u8]) -> Result<Record, &'static str> {
    let mut message = Message::of(bytes)?;
    let root = message.root()?;
    let mut decoder = Decoder { schema, message };
    match root {
        Target::Null => Ok(decoder.structure(Struct::default(), id, DEPTH - 1)),
        Target::Struct(at) => Ok(decoder.structure(at, id, DEPTH - 1)),
        Target::List(_) | Target::Capability => Err("the message is no struct"),
    }
}

/// A message that is read by a schema.
struct Decoder<'s, 'b, 'm> {
    schema: &'s Schema<'b>,
    message: Message<'m>,
}

impl Decoder<'_, '_, '_> {
    fn structure(&mut self, at: Struct, id: StructId, depth: u32) -> Record {
        let schema = self.schema;
        let of = schema.structure(id);
        let mut record = Record::empty(id.0);
        for (index, union) in of.unions.iter().enumerate() {
            if holds(&union.guards, &record) {
                let member = self.message.data(at, (4, union.offset));
                if member != 0 {
                    record.fields.insert(union_key(index), Value::Int(member.into()));
                }
            }
        }
        for field in &of.fields {
            if holds(&field.guards, &record)
                && let Some(value) = self.field(at, field, depth)
            {
                record.fields.insert(field.ordinal.into(), value);
            }
        }
        record
    }

    /// The value of a field; nothing where it is the default.
    fn field(&mut self, at: Struct, field: &Field<'_>, depth: u32) -> Option<Value> {
        match field.slot {
            Slot::Void => None,
            Slot::Data { size, offset } => {
                let written = self.message.data(at, (size, offset));
                (written != 0).then(|| value_of(&field.held, written ^ default_bits(field))).flatten()
            }
            Slot::Pointer(nth) => {
                let nth = nth as usize;
                if nth >= at.count {
                    return None;
                }
                self.pointer(Place { segment: at.segment, word: at.pointers + nth }, &field.held, depth)
            }
        }
    }

    /// What a pointer of a type means; nothing where it is null.
    fn pointer(&mut self, place: Place, ty: &Type, depth: u32) -> Option<Value> {
        let target = match self.message.follow(place) {
            Ok(Target::Null) => return None,
            Ok(target) => target,
            Err(reason) => return Some(fault(reason)),
        };
        // Text, data and what nobody looks into are at no depth of their own.
        let (is_deepest, depth) = (depth == 0, depth.saturating_sub(1));
        Some(match (ty, target) {
            (Type::Struct(..), Target::Struct(_)) | (Type::List(_), Target::List(_)) if is_deepest => fault(TOO_DEEP),
            (Type::Struct(id, _), Target::Struct(at)) => Value::Record(self.structure(at, *id, depth)),
            (Type::Struct(..), _) => fault(NO_STRUCT),
            (Type::Text, Target::List(list)) => match self.message.bytes(list) {
                Some(bytes) => match bytes.strip_suffix(&[0]) {
                    Some(text) => Value::Text(text.to_vec()),
                    None => fault("a text does not end with a zero byte"),
                },
                None => fault("a list of something else stands where a text is expected"),
            },
            (Type::Data, Target::List(list)) => match self.message.bytes(list) {
                Some(bytes) => Value::Bytes(bytes),
                None => fault("a list of something else stands where data is expected"),
            },
            (Type::List(items), Target::List(list)) => self.list(list, items, depth),
            (Type::Text | Type::Data | Type::List(_), _) => fault(NO_LIST),
            (Type::Interface(..) | Type::Any(AnyKind::Capability), Target::Capability) => {
                Value::Text(SOME_CAPABILITY.to_vec())
            }
            (Type::Interface(..) | Type::Any(AnyKind::Capability), _) => fault(NO_CAPABILITY),
            (Type::Any(AnyKind::Struct), Target::List(_) | Target::Capability) => fault(NO_STRUCT),
            (Type::Any(AnyKind::List), Target::Struct(_) | Target::Capability) => fault(NO_LIST),
            (_, Target::Struct(at)) => Value::Text(self.something(at)),
            (_, Target::List(list)) => Value::Text(some_list(list.items).to_vec()),
            (_, Target::Capability | Target::Null) => Value::Text(SOME_CAPABILITY.to_vec()),
        })
    }

    /// What a struct is called of which nothing is known.
    fn something(&mut self, at: Struct) -> Vec<u8> {
        let pointer = |nth: usize| Place { segment: at.segment, word: at.pointers + nth };
        if at.count == 0 || self.message.is_null(pointer(0)) {
            return SOME_WORD.to_vec();
        }
        let lead = match self.message.follow(pointer(0)) {
            Ok(Target::Struct(_)) => Lead::Structs,
            _ => Lead::Bits,
        };
        let word = |nth: usize| self.message.data(at, (6, nth as u32));
        let is_null = |nth: usize| nth >= at.count || self.message.is_null(pointer(nth));
        Something::of(word, is_null, lead).name()
    }

    fn list(&mut self, list: List, ty: &Type, depth: u32) -> Value {
        if let Some(reason) = mismatch(list, ty) {
            return fault(reason);
        }
        if !self.message.look_at(list.count) {
            return fault(TOO_MUCH);
        }
        let mut values = Vec::new();
        for nth in 0..list.count as u64 {
            let at = Message::item(list, nth);
            let value = match (Items::of(ty), ty) {
                (Items::Structs, Type::Struct(id, _)) => match depth.checked_sub(1) {
                    Some(depth) => Value::Record(self.structure(at, *id, depth)),
                    None => fault(TOO_DEEP),
                },
                (Items::Data(size), _) => value_of(ty, self.message.data(at, (size, 0))).unwrap_or(Value::Null),
                (Items::Pointer, _) => {
                    let found = self.pointer(Place { segment: at.segment, word: at.pointers }, ty, depth);
                    found.unwrap_or_else(|| nothing(ty))
                }
                (Items::Void | Items::Structs, _) => Value::Null,
            };
            values.push(value);
        }
        Value::List(values)
    }
}

/// What a list is called of which nothing but its items is known.
fn some_list(items: Items) -> &'static [u8] {
    match items {
        Items::Structs => SOME_STRUCTS,
        Items::Data(0) => SOME_BIT_LIST,
        Items::Pointer => SOME_POINTERS,
        Items::Data(_) | Items::Void => SOME_LIST,
    }
}

/// Why a list cannot be read as one of items of a type; nothing where it can.
///
/// Items may be larger than expected and hold more; lists of bits are apart, since nothing fits into a bit.
fn mismatch(list: List, ty: &Type) -> Option<&'static str> {
    const OTHER: &str = "a list has items of another size than expected";
    let wanted = Items::of(ty);
    let (bits, pointers) = match wanted {
        Items::Void | Items::Structs => (0, 0),
        Items::Data(size) => (1u64 << size, 0),
        Items::Pointer => (0, 1),
    };
    match (list.items, wanted) {
        (Items::Data(0), Items::Data(0)) => None,
        (Items::Data(0), _) => Some("a list of bits stands where a list of something else is expected"),
        (_, Items::Void) => None,
        (Items::Structs, Items::Data(0)) => Some("a list of structs stands where a list of bits is expected"),
        (Items::Structs, _) if bits > list.first.bits || pointers > list.first.count => Some(OTHER),
        (Items::Structs, _) => None,
        (_, _) if bits > list.first.bits || pointers > list.first.count => Some(OTHER),
        _ => None,
    }
}

/// Bits of a type as a value.
pub(super) fn value_of(ty: &Type, bits: u64) -> Option<Value> {
    Some(match ty {
        Type::Bool => Value::Bool(bits & 1 == 1),
        Type::Int(size, true) => {
            let unused = 64 - (1u32 << size);
            Value::Int(i128::from((bits << unused) as i64 >> unused))
        }
        Type::Int(size, false) => Value::Int(i128::from(bits & mask(*size))),
        Type::Enum(id) => Value::Enum { ty: id.0, number: (bits & 0xffff) as i32 },
        Type::Float32 => Value::Float(f32::from_bits(bits as u32)),
        Type::Float64 => Value::Double(f64::from_bits(bits)),
        _ => return None,
    })
}

/// What a reader sees of a type where nothing was written and no default is stated.
pub(super) fn nothing(ty: &Type) -> Value {
    match ty {
        Type::Text => Value::Text(Vec::new()),
        Type::Data => Value::Bytes(Vec::new()),
        Type::List(_) => Value::List(Vec::new()),
        Type::Struct(id, _) => Value::Record(Record::empty(id.0)),
        Type::Void | Type::Interface(..) | Type::Any(_) | Type::Parameter(_) | Type::Opaque(_) => Value::Null,
        Type::Bool | Type::Int(..) | Type::Enum(_) | Type::Float32 | Type::Float64 => {
            value_of(ty, 0).unwrap_or(Value::Null)
        }
    }
}

/// What a reader of a record sees of a field: nothing where a union around it holds another member.
pub(super) fn seen<'r>(field: &'r Field<'_>, record: &'r Record) -> Option<std::borrow::Cow<'r, Value>> {
    use std::borrow::Cow;
    if !holds(&field.guards, record) {
        return None;
    }
    Some(match (record.fields.get(&i32::from(field.ordinal)), &field.default) {
        (Some(value), _) => Cow::Borrowed(value),
        (None, Absence::Value(value)) => Cow::Borrowed(value),
        (None, Absence::Zero | Absence::Unknown) => Cow::Owned(nothing(&field.held)),
    })
}

/// Whether a union around a field holds a member that the schema of the record does not know.
pub(super) fn is_hidden(schema: &Schema<'_>, id: StructId, field: &Field<'_>, record: &Record) -> bool {
    let of = schema.structure(id);
    field.guards.iter().any(|guard| held(guard.union, record) >= of.unions[guard.union].members.len() as i128)
}

/// Whether all that a reader sees in the member which it takes to be set, in place of the one that holds a field, was seen by
/// the writer as well: then nothing is mistaken for something else.
pub(super) fn is_other_seen<'f, 'b: 'f>(
    elements: impl Iterator<Item = Sides<Option<&'f Field<'b>>>>,
    reader: &Field<'_>,
    records: Sides<&Record>,
) -> bool {
    let held = |guard: &Guard| held(guard.union, records.reader);
    let Some(other) = reader.guards.iter().find(|guard| held(guard) != i128::from(guard.member)) else {
        return false;
    };
    let is_in_other = |guard: &Guard| guard.union == other.union && i128::from(guard.member) == held(other);
    let is_shown = |field: &Field<'_>| field.guards.iter().any(is_in_other) && seen(field, records.reader).is_some();
    let mut shown = elements.filter(|fields| fields.reader.is_some_and(is_shown)).peekable();
    let is_seen = |field: &Field<'_>| seen(field, records.writer).is_some();
    shown.peek().is_some() && shown.all(|fields| fields.writer.is_some_and(is_seen))
}
