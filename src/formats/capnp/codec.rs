//! Records → messages, as <https://capnproto.org/encoding.html> has them: one segment behind its header.
//!
//! A field that is in a record is written, whatever its value; a pointer that is not is null. What cannot stand in a
//! message by itself, a capability, is not written. `reader` has the way back.

use crate::value::{Record, Value};

use super::anything::{
    Lead, SOME_BIT_LIST, SOME_BITS, SOME_CAPABILITY, SOME_LIST, SOME_POINTERS, SOME_STRUCTS, SOME_WORD, Something,
};
use super::model::{Absence, Field, Schema, Slot, Space, Struct, StructId, Type, Union, union_key};

/// How deep values are written.
const DEPTH: u32 = 60;
/// Words of the longest message that is made.
const MOST: usize = 1 << 18;

/// A record as a message; nothing where it cannot be written.
pub(super) fn encode(schema: &Schema<'_>, id: StructId, record: &Record) -> Option<Vec<u8>> {
    let mut writer = Writer { schema, words: vec![0] };
    writer.pointer_to_struct(0, id, record, DEPTH)?;
    let length = u32::try_from(writer.words.len()).ok()?;
    let mut bytes = Vec::with_capacity(8 * (writer.words.len() + 1));
    bytes.extend_from_slice(&0u32.to_le_bytes());
    bytes.extend_from_slice(&length.to_le_bytes());
    writer.words.iter().for_each(|word| bytes.extend_from_slice(&word.to_le_bytes()));
    Some(bytes)
}

/// The size of a struct with one word and one pointer, as pointers have it.
const SOME_SIZE: u64 = 1 << 16 | 1;

struct Writer<'s, 'b> {
    schema: &'s Schema<'b>,
    words: Vec<u64>,
}

/// How the items of a list are stored: the number that list pointers have for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Items {
    /// Nothing each.
    Void,
    /// So many bits each, by the binary logarithm.
    Data(u32),
    /// A pointer each.
    Pointer,
    /// Structs, with a word in front that says how large they are.
    Structs,
}

impl Items {
    /// How items of a type are stored.
    pub(super) fn of(ty: &Type) -> Items {
        match ty {
            Type::Struct(..) => Items::Structs,
            other => match other.space() {
                Space::Nothing => Items::Void,
                Space::Data(size) => Items::Data(size),
                Space::Pointer => Items::Pointer,
            },
        }
    }

    /// The number in list pointers.
    pub(super) fn code(self) -> u64 {
        match self {
            Items::Void => 0,
            Items::Data(0) => 1,
            // 8 bits are 2, 64 bits are 5.
            Items::Data(size) => u64::from(size) - 1,
            Items::Pointer => 6,
            Items::Structs => 7,
        }
    }

    /// What a number in list pointers means; they have three bits.
    pub(super) fn coded(code: u64) -> Items {
        match code {
            0 => Items::Void,
            1 => Items::Data(0),
            2..=5 => Items::Data(code as u32 + 1),
            6 => Items::Pointer,
            _ => Items::Structs,
        }
    }
}

impl Writer<'_, '_> {
    fn allocate(&mut self, words: usize) -> Option<usize> {
        let at = self.words.len();
        if at + words > MOST {
            return None;
        }
        self.words.resize(at + words, 0);
        Some(at)
    }

    /// The words between a pointer and what it points to, as struct and list pointers have them.
    fn distance(from: usize, to: usize) -> Option<u64> {
        let words = i32::try_from(to as i64 - from as i64 - 1).ok()?;
        Some(u64::from((words << 2) as u32))
    }

    fn pointer_to_struct(&mut self, at: usize, id: StructId, record: &Record, depth: u32) -> Option<()> {
        let of = self.schema.structure(id);
        let size = (of.words as usize, of.pointers as usize);
        let to = self.allocate(size.0 + size.1)?;
        // A struct of no size points behind the pointer: a distance of -1 is what sets it apart from null.
        let distance = if size == (0, 0) { Self::distance(at, at)? } else { Self::distance(at, to)? };
        self.words[at] = distance | (size.0 as u64) << 32 | (size.1 as u64) << 48;
        self.structure((to, size.0), id, record, depth)
    }

    fn structure(&mut self, (at, words): (usize, usize), id: StructId, record: &Record, depth: u32) -> Option<()> {
        let of = self.schema.structure(id);
        for (index, union) in of.unions.iter().enumerate().filter(|(_, union)| holds(&union.guards, record)) {
            if let Some(Value::Int(member)) = record.fields.get(&union_key(index)) {
                self.put(at, (4, union.offset), u64::try_from(*member).ok()?);
            }
        }
        for (field, value) in written(of, record) {
            match field.slot {
                Slot::Void => {}
                Slot::Data { size, offset } => {
                    let bits = bits(&field.held, value)? ^ default_bits(field);
                    self.put(at, (size, offset), bits);
                }
                Slot::Pointer(nth) => {
                    self.pointer(at + words + nth as usize, &field.held, value, depth.checked_sub(1)?)?;
                }
            }
        }
        Some(())
    }

    /// Writes data of a size at an offset of it, behind a word.
    fn put(&mut self, at: usize, (size, offset): (u32, u32), bits: u64) {
        let first = u64::from(offset) << size;
        let (word, shift) = (at + (first / 64) as usize, first % 64);
        let mask = mask(size);
        self.words[word] = self.words[word] & !(mask << shift) | (bits & mask) << shift;
    }

    fn pointer(&mut self, at: usize, ty: &Type, value: &Value, depth: u32) -> Option<()> {
        match (ty, value) {
            (_, Value::Null) => Some(()),
            (Type::Text, Value::Text(text)) => self.bytes(at, &[text, &[0][..]].concat()),
            (Type::Data, Value::Bytes(bytes)) => self.bytes(at, bytes),
            (Type::Struct(id, _), Value::Record(record)) => self.pointer_to_struct(at, *id, record, depth),
            (Type::List(items), Value::List(values)) => self.list(at, items, values, depth),
            (Type::Interface(..), Value::Text(what)) if what == SOME_CAPABILITY => self.anything(at, what),
            (Type::Any(_) | Type::Parameter(_), Value::Text(what)) => self.anything(at, what),
            _ => None,
        }
    }

    /// What a pointer to anything leads to, by what it is called.
    fn anything(&mut self, at: usize, what: &[u8]) -> Option<()> {
        match what {
            // The first of those that travel with the message.
            SOME_CAPABILITY => self.words[at] = 3,
            SOME_WORD => {
                let to = self.allocate(1)?;
                self.words[at] = Self::distance(at, to)? | 1 << 32;
                self.words[to] = SOME_BITS;
            }
            SOME_LIST => self.bytes(at, b"any\0")?,
            SOME_BIT_LIST => self.some_bits(at)?,
            SOME_POINTERS => {
                let to = self.allocate(1)?;
                self.list_pointer((at, to), Items::Pointer, 1)?;
                self.some_bits(to)?;
            }
            SOME_STRUCTS => {
                // One with a word and a pointer, behind the word that says so.
                let to = self.allocate(3)?;
                self.words[to] = SOME_SIZE << 32 | 1 << 2;
                self.words[at] = Self::distance(at, to)? | 2 << 35 | 7 << 32 | 1;
                self.words[to + 1] = SOME_BITS;
                self.some_bits(to + 2)?;
            }
            what => self.something(at, &Something::named(what)?)?,
        }
        Some(())
    }

    fn some_bits(&mut self, at: usize) -> Option<()> {
        self.list(at, &Type::Bool, &[Value::Bool(true)], 1)
    }

    fn something(&mut self, at: usize, of: &Something) -> Option<()> {
        let to = self.allocate(of.words.len() + of.pointers)?;
        self.words[at] = Self::distance(at, to)? | (of.words.len() as u64) << 32 | (of.pointers as u64) << 48;
        self.words[to..][..of.words.len()].copy_from_slice(&of.words);
        for nth in 0..of.pointers {
            let pointer = to + of.words.len() + nth;
            match of.lead {
                Lead::Bits => self.some_bits(pointer)?,
                Lead::Structs => self.anything(pointer, SOME_WORD)?,
            }
        }
        Some(())
    }

    fn bytes(&mut self, at: usize, bytes: &[u8]) -> Option<()> {
        let to = self.allocate(bytes.len().div_ceil(8))?;
        for (nth, byte) in bytes.iter().enumerate() {
            self.put(to, (3, u32::try_from(nth).ok()?), u64::from(*byte));
        }
        self.list_pointer((at, to), Items::Data(3), bytes.len())
    }

    fn list_pointer(&mut self, (at, to): (usize, usize), items: Items, count: usize) -> Option<()> {
        self.words[at] = Self::distance(at, to)? | 1 | items.code() << 32 | (count as u64) << 35;
        Some(())
    }

    fn list(&mut self, at: usize, ty: &Type, values: &[Value], depth: u32) -> Option<()> {
        let items = Items::of(ty);
        match (items, ty) {
            (Items::Structs, Type::Struct(id, _)) => self.structs(at, *id, values, depth),
            (Items::Pointer, _) => {
                let to = self.allocate(values.len())?;
                for (nth, value) in values.iter().enumerate() {
                    self.pointer(to + nth, ty, value, depth.checked_sub(1)?)?;
                }
                self.list_pointer((at, to), items, values.len())
            }
            (Items::Data(size), _) => {
                let to = self.allocate((values.len() << size).div_ceil(64))?;
                for (nth, value) in values.iter().enumerate() {
                    self.put(to, (size, u32::try_from(nth).ok()?), bits(ty, value)?);
                }
                self.list_pointer((at, to), items, values.len())
            }
            (Items::Void | Items::Structs, _) => self.list_pointer((at, self.words.len()), items, values.len()),
        }
    }

    fn structs(&mut self, at: usize, id: StructId, values: &[Value], depth: u32) -> Option<()> {
        let of = self.schema.structure(id);
        let (words, pointers) = (of.words as usize, of.pointers as usize);
        let each = words + pointers;
        let tag = self.allocate(1 + each * values.len())?;
        self.words[tag] = (values.len() as u64) << 2 | (words as u64) << 32 | (pointers as u64) << 48;
        for (nth, value) in values.iter().enumerate() {
            let Value::Record(record) = value else { return None };
            self.structure((tag + 1 + nth * each, words), id, record, depth.checked_sub(1)?)?;
        }
        self.list_pointer((at, tag), Items::Structs, each * values.len())
    }
}

/// Whether a capability is anywhere in a record.
pub(super) fn holds_capability(record: &Record) -> bool {
    fn is_in(value: &Value) -> bool {
        match value {
            Value::Record(record) => holds_capability(record),
            Value::List(values) => values.iter().any(is_in),
            Value::Text(what) => what == SOME_CAPABILITY,
            _ => false,
        }
    }
    record.fields.values().any(is_in)
}

/// A message, packed: for each word a byte that says which of its bytes are not zero, and those. Behind a word of zeros
/// stands how many more there are, behind one without zeros how many words follow as they are.
pub(super) fn pack(plain: &[u8]) -> Vec<u8> {
    let words: Vec<&[u8]> = plain.chunks(8).collect();
    let (mut packed, mut at) = (Vec::new(), 0);
    while let Some(word) = words.get(at) {
        at += 1;
        let tag = word.iter().enumerate().fold(0u8, |tag, (bit, byte)| tag | u8::from(*byte != 0) << bit);
        packed.push(tag);
        packed.extend(word.iter().filter(|byte| **byte != 0));
        let is_like = |word: &&&[u8]| match tag {
            0 => word.iter().all(|byte| *byte == 0),
            // One zero more is cheaper than a new beginning.
            _ => word.iter().filter(|byte| **byte == 0).count() < 2,
        };
        if tag == 0 || tag == 0xff {
            let more = words[at..].iter().take_while(is_like).take(0xff).count();
            packed.push(more as u8);
            if tag == 0xff {
                words[at..at + more].iter().for_each(|word| packed.extend_from_slice(word));
            }
            at += more;
        }
    }
    packed
}

/// A packed message, plain; nothing where it ends too soon or has more than so many bytes.
pub(super) fn unpack(mut packed: &[u8], most: usize) -> Option<Vec<u8>> {
    let mut plain = Vec::new();
    while let Some((tag, rest)) = packed.split_first() {
        packed = rest;
        for bit in 0..8 {
            let mut byte = 0;
            if tag >> bit & 1 == 1 {
                (byte, packed) = packed.split_first().map(|(byte, rest)| (*byte, rest))?;
            }
            plain.push(byte);
        }
        if *tag == 0 || *tag == 0xff {
            let (more, rest) = packed.split_first()?;
            let (length, content) = (8 * usize::from(*more), rest);
            packed = match tag {
                0 => {
                    plain.resize(plain.len() + length, 0);
                    content
                }
                _ => {
                    plain.extend_from_slice(content.get(..length)?);
                    &content[length..]
                }
            };
        }
        if plain.len() > most {
            return None;
        }
    }
    Some(plain)
}

/// The lowest bits of a size.
pub(super) fn mask(size: u32) -> u64 {
    u64::MAX >> (64 - (1u32 << size))
}

/// The fields that a record holds and that its unions do not hide, in their order: few of them, in most records of a wide struct.
fn written<'s, 'r, 'b>(of: &'s Struct<'b>, record: &'r Record) -> impl Iterator<Item = (&'s Field<'b>, &'r Value)> {
    record.fields.iter().filter_map(|(key, value)| {
        let field = of.field(u16::try_from(*key).ok()?)?;
        holds(&field.guards, record).then_some((field, value))
    })
}

/// Whether a record says of every union that it holds the member.
pub(super) fn holds(guards: &[super::model::Guard], record: &Record) -> bool {
    guards.iter().all(|guard| held(guard.union, record) == i128::from(guard.member))
}

/// The number of the member that a union holds, by a record.
pub(super) fn held(union: usize, record: &Record) -> i128 {
    match record.fields.get(&union_key(union)) {
        Some(Value::Int(member)) => *member,
        _ => 0,
    }
}

/// The member of a union with that number, if it is known.
pub(super) fn member_name<'u>(union: &'u Union<'_>, number: i128) -> Option<&'u str> {
    let at = usize::try_from(number).ok()?;
    union.members.get(at).map(|member| &*member.name.text)
}

/// The bits of a value that is no pointer.
pub(super) fn bits(ty: &Type, value: &Value) -> Option<u64> {
    match (ty, value) {
        (Type::Bool, Value::Bool(value)) => Some(u64::from(*value)),
        (Type::Int(size, _), Value::Int(number)) => Some(*number as u64 & mask(*size)),
        (Type::Enum(_), Value::Enum { number, .. }) => Some(*number as u64 & 0xffff),
        (Type::Float32, Value::Float(number)) => Some(u64::from(number.to_bits())),
        (Type::Float64, Value::Double(number)) => Some(number.to_bits()),
        _ => None,
    }
}

/// With what the bits of a field are combined before they are written.
pub(super) fn default_bits(field: &Field<'_>) -> u64 {
    match &field.default {
        Absence::Value(value) => bits(&field.held, value).unwrap_or(0),
        Absence::Zero | Absence::Unknown => 0,
    }
}
