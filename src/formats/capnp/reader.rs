//! Messages → records, as readers of the reference implementation see them.
//!
//! Several segments and far pointers are followed. Every pointer is checked before it is used; how deep and how much is
//! read has limits, so that no message costs more than its size allows
//! (<https://capnproto.org/encoding.html#security-considerations>). A pointer that a reader rejects is a fault at its
//! field: accessors of the runtimes reject that field and no other.

use crate::value::{Record, Value};

use super::codec::{Items, SOME_CAPABILITY, SOME_LIST, SOME_STRUCT, SOME_STRUCTS, default_bits, held, holds, mask};
use super::model::{Absence, AnyKind, Field, Schema, Slot, StructId, Type, union_key};

/// How deep pointers are followed, as the runtimes have it.
const DEPTH: u32 = 64;
/// Words that are read at most; items of lists that take no space count as a word each.
const WORDS: u64 = 1 << 20;
/// Segments that a message has at most.
const SEGMENTS: usize = 512;
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
    let mut message = Message { schema, segments: segments(bytes)?, left: WORDS };
    match message.follow(Place { segment: 0, word: 0 })? {
        Target::Null => Ok(message.structure(Struct::default(), id, DEPTH)),
        Target::Struct(at) => Ok(message.structure(at, id, DEPTH)),
        Target::List(_) | Target::Capability => Err("the message is no struct"),
    }
}

/// The segments of a message, by the header in front.
fn segments(bytes: &[u8]) -> Result<Vec<&[u8]>, &'static str> {
    const SHORT: &str = "the message ends too soon";
    let word = |at: usize| {
        let four: [u8; 4] = bytes.get(4 * at..4 * at + 4)?.try_into().ok()?;
        Some(u32::from_le_bytes(four) as usize)
    };
    let count = word(0).ok_or(SHORT)?.checked_add(1).filter(|count| *count <= SEGMENTS);
    let count = count.ok_or("the message has too many segments")?;
    let mut at = (4 * (count + 1)).next_multiple_of(8);
    let mut segments = Vec::new();
    for nth in 0..count {
        let length = word(1 + nth).and_then(|words| words.checked_mul(8)).ok_or(SHORT)?;
        let end = at.checked_add(length).ok_or(SHORT)?;
        segments.push(bytes.get(at..end).ok_or(SHORT)?);
        at = end;
    }
    Ok(segments)
}

/// A word of a message.
#[derive(Debug, Clone, Copy)]
struct Place {
    segment: usize,
    word: usize,
}

/// What a pointer points to.
enum Target {
    Null,
    Struct(Struct),
    List(List),
    Capability,
}

/// A struct in a message: where its data begins, how many bits they are, where its pointers begin and how many they are.
#[derive(Debug, Clone, Copy, Default)]
struct Struct {
    segment: usize,
    /// In bits from the start of the segment.
    data: u64,
    bits: u64,
    /// In words from the start of the segment.
    pointers: usize,
    count: usize,
}

/// A list in a message.
#[derive(Debug, Clone, Copy)]
struct List {
    items: Items,
    count: usize,
    /// The first item, and what there is from one to the next in bits.
    first: Struct,
    step: u64,
}

struct Message<'s, 'b, 'm> {
    schema: &'s Schema<'b>,
    segments: Vec<&'m [u8]>,
    left: u64,
}

const OUTSIDE: &str = "a pointer leads out of the message";
const TOO_MUCH: &str = "the message is read more often than its size allows";

impl Message<'_, '_, '_> {
    fn word(&self, place: Place) -> Option<u64> {
        let start = place.word.checked_mul(8)?;
        let bytes = self.segments.get(place.segment)?.get(start..start.checked_add(8)?)?;
        Some(u64::from_le_bytes(bytes.try_into().ok()?))
    }

    /// Whether so many words are there, and may still be read.
    fn take(&mut self, place: Place, words: usize) -> Result<(), &'static str> {
        let there = self.segments.get(place.segment).map_or(0, |segment| segment.len() / 8);
        if place.word.checked_add(words).is_none_or(|end| end > there) {
            return Err(OUTSIDE);
        }
        self.left = self.left.checked_sub(words as u64).ok_or(TOO_MUCH)?;
        Ok(())
    }

    /// What the pointer at a place points to.
    fn follow(&mut self, place: Place) -> Result<Target, &'static str> {
        let pointer = self.word(place).ok_or(OUTSIDE)?;
        if pointer & 3 != 2 {
            return self.near(place, pointer);
        }
        let pad = Place { segment: (pointer >> 32) as usize, word: (pointer >> 3 & 0x1fff_ffff) as usize };
        let is_double = pointer >> 2 & 1 == 1;
        self.take(pad, if is_double { 2 } else { 1 })?;
        let landed = self.word(pad).ok_or(OUTSIDE)?;
        if !is_double {
            return if landed & 3 == 2 { Err("a far pointer leads to another") } else { self.near(pad, landed) };
        }
        let tag = self.word(Place { word: pad.word + 1, ..pad }).ok_or(OUTSIDE)?;
        if landed & 7 != 2 || tag & 3 > 1 || tag & 0xffff_fffc != 0 {
            return Err("a landing pad is malformed");
        }
        let content = Place { segment: (landed >> 32) as usize, word: (landed >> 3 & 0x1fff_ffff) as usize };
        self.at(content, tag)
    }

    fn near(&mut self, place: Place, pointer: u64) -> Result<Target, &'static str> {
        match pointer & 3 {
            _ if pointer == 0 => Ok(Target::Null),
            3 if pointer & 0xffff_fffc == 0 => Ok(Target::Capability),
            3 => Err("a pointer is of a kind that nobody knows"),
            _ => {
                // The low half is a distance with a sign, in words behind the pointer.
                let distance = i64::from(pointer as u32 as i32 >> 2);
                let word = i64::try_from(place.word).ok().and_then(|word| word.checked_add(1 + distance));
                let word = word.and_then(|word| usize::try_from(word).ok()).ok_or(OUTSIDE)?;
                self.at(Place { word, ..place }, pointer)
            }
        }
    }

    /// The struct or the list that begins at a place.
    fn at(&mut self, place: Place, pointer: u64) -> Result<Target, &'static str> {
        if pointer & 3 == 0 {
            let at = sized(place, pointer);
            self.take(place, (at.bits / 64) as usize + at.count)?;
            return Ok(Target::Struct(at));
        }
        let (items, count) = (Items::coded(pointer >> 32 & 7), (pointer >> 35) as usize);
        let first =
            Struct { segment: place.segment, data: place.word as u64 * 64, pointers: place.word, ..Struct::default() };
        let list = match items {
            Items::Void => {
                self.left = self.left.checked_sub(count as u64).ok_or(TOO_MUCH)?;
                List { items, count, first, step: 0 }
            }
            Items::Data(size) => {
                self.take(place, (count << size).div_ceil(64))?;
                List { items, count, first: Struct { bits: 1 << size, ..first }, step: 1 << size }
            }
            Items::Pointer => {
                self.take(place, count)?;
                List { items, count, first: Struct { count: 1, ..first }, step: 64 }
            }
            Items::Structs => return self.structs(place, count).map(Target::List),
        };
        Ok(Target::List(list))
    }

    fn structs(&mut self, place: Place, words: usize) -> Result<List, &'static str> {
        self.take(place, words.checked_add(1).ok_or(OUTSIDE)?)?;
        let tag = self.word(place).ok_or(OUTSIDE)?;
        if tag & 3 != 0 {
            return Err("a list of structs does not say how large they are");
        }
        let first = sized(Place { word: place.word + 1, ..place }, tag);
        let count = (tag as u32 >> 2) as usize;
        let step = first.bits + 64 * first.count as u64;
        match step {
            0 => self.left = self.left.checked_sub(count as u64).ok_or(TOO_MUCH)?,
            _ if count as u64 * (step / 64) > words as u64 => return Err("a list of structs is longer than it says"),
            _ => {}
        }
        Ok(List { items: Items::Structs, count, first, step })
    }

    /// Data of a size at an offset of it; zero where the struct is shorter.
    fn data(&self, at: Struct, (size, offset): (u32, u32)) -> u64 {
        let start = u64::from(offset) << size;
        if start + (1 << size) > at.bits {
            return 0;
        }
        let first = at.data + start;
        let word = self.word(Place { segment: at.segment, word: (first / 64) as usize }).unwrap_or(0);
        word >> (first % 64) & mask(size)
    }

    fn structure(&mut self, at: Struct, id: StructId, depth: u32) -> Record {
        let schema = self.schema;
        let of = schema.structure(id);
        let mut record = Record::empty(id.0);
        for (index, union) in of.unions.iter().enumerate() {
            if holds(&union.guards, &record) {
                let member = self.data(at, (4, union.offset));
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
                let written = self.data(at, (size, offset));
                (written != 0).then(|| value_of(&field.ty, written ^ default_bits(field))).flatten()
            }
            Slot::Pointer(nth) => {
                let nth = nth as usize;
                if nth >= at.count {
                    return None;
                }
                self.pointer(Place { segment: at.segment, word: at.pointers + nth }, &field.ty, depth)
            }
        }
    }

    /// What a pointer of a type means; nothing where it is null.
    fn pointer(&mut self, place: Place, ty: &Type, depth: u32) -> Option<Value> {
        let target = match self.follow(place) {
            Ok(Target::Null) => return None,
            Ok(target) => target,
            Err(reason) => return Some(fault(reason)),
        };
        let Some(depth) = depth.checked_sub(1) else { return Some(fault("the message nests too deep")) };
        Some(match (ty, target) {
            (Type::Struct(id, _), Target::Struct(at)) => Value::Record(self.structure(at, *id, depth)),
            (Type::Struct(..), _) => fault("a pointer leads to no struct where one is expected"),
            (Type::Text, Target::List(list)) => match self.bytes(list) {
                Some(bytes) => match bytes.strip_suffix(&[0]) {
                    Some(text) => Value::Text(text.to_vec()),
                    None => fault("a text does not end with a zero byte"),
                },
                None => fault("a list of something else stands where a text is expected"),
            },
            (Type::Data, Target::List(list)) => match self.bytes(list) {
                Some(bytes) => Value::Bytes(bytes),
                None => fault("a list of something else stands where data is expected"),
            },
            (Type::List(items), Target::List(list)) => self.list(list, items, depth),
            (Type::Text | Type::Data | Type::List(_), _) => fault("a pointer leads to no list where one is expected"),
            (Type::Interface(..) | Type::Any(AnyKind::Capability), Target::Capability) => {
                Value::Text(SOME_CAPABILITY.to_vec())
            }
            (Type::Interface(..) | Type::Any(AnyKind::Capability), _) => {
                fault("a pointer leads to data where a capability is expected")
            }
            (Type::Any(AnyKind::Struct), Target::List(_) | Target::Capability) => {
                fault("a pointer leads to no struct where one is expected")
            }
            (Type::Any(AnyKind::List), Target::Struct(_) | Target::Capability) => {
                fault("a pointer leads to no list where one is expected")
            }
            (_, Target::Struct(_)) => Value::Text(SOME_STRUCT.to_vec()),
            (_, Target::List(List { items: Items::Structs, .. })) => Value::Text(SOME_STRUCTS.to_vec()),
            (_, Target::List(_)) => Value::Text(SOME_LIST.to_vec()),
            (_, Target::Capability | Target::Null) => Value::Text(SOME_CAPABILITY.to_vec()),
        })
    }

    fn bytes(&self, list: List) -> Option<Vec<u8>> {
        if list.items != Items::Data(3) {
            return None;
        }
        let start = (list.first.data / 8) as usize;
        let bytes = self.segments.get(list.first.segment)?.get(start..start + list.count)?;
        Some(bytes.to_vec())
    }

    fn list(&mut self, list: List, ty: &Type, depth: u32) -> Value {
        if let Some(reason) = mismatch(list, ty) {
            return fault(reason);
        }
        match self.left.checked_sub(list.count as u64) {
            Some(left) => self.left = left,
            None => return fault(TOO_MUCH),
        }
        let mut values = Vec::new();
        for nth in 0..list.count as u64 {
            let at = Struct {
                data: list.first.data + nth * list.step,
                pointers: list.first.pointers + (nth * list.step / 64) as usize,
                ..list.first
            };
            let value = match (Items::of(ty), ty) {
                (Items::Structs, Type::Struct(id, _)) => match depth.checked_sub(1) {
                    Some(depth) => Value::Record(self.structure(at, *id, depth)),
                    None => fault("the message nests too deep"),
                },
                (Items::Data(size), _) => value_of(ty, self.data(at, (size, 0))).unwrap_or(Value::Null),
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

/// A struct that begins at a place, with the sizes that a pointer or the word in front of a list says.
fn sized(place: Place, pointer: u64) -> Struct {
    let words = (pointer >> 32 & 0xffff) as usize;
    Struct {
        segment: place.segment,
        data: place.word as u64 * 64,
        bits: 64 * words as u64,
        pointers: place.word + words,
        count: (pointer >> 48) as usize,
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
fn value_of(ty: &Type, bits: u64) -> Option<Value> {
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
        (None, Absence::Zero | Absence::Unknown) => Cow::Owned(nothing(&field.ty)),
    })
}

/// Whether a union around a field holds a member that the schema of the record does not know.
pub(super) fn is_hidden(schema: &Schema<'_>, id: StructId, field: &Field<'_>, record: &Record) -> bool {
    let of = schema.structure(id);
    field.guards.iter().any(|guard| held(guard.union, record) >= of.unions[guard.union].members.len() as i128)
}
