//! What the bytes of a witness are, to whoever writes or reads them by a schema.
//!
//! Only messages of one segment are told, as they are written here. What nobody looks at is told of what is written, and
//! left out of what is read.

use crate::evidence::BytePart;
use crate::ordered::OrderedMap;
use crate::value::{Record, Value};

use super::codec::{Items, holds, mask};
use super::model::{Brand, Schema, Slot, StructId, Type, union_key};

/// How deep pointers are followed.
const DEPTH: u32 = 64;
/// Bytes of the longest message that is told.
const LONG: usize = 1 << 12;

/// The parts of a message as its reader takes them; what it does not look at is in none.
pub(super) fn read(schema: &Schema<'_>, id: StructId, bytes: &[u8]) -> Vec<BytePart> {
    let words: Vec<u64> = bytes
        .chunks_exact(8)
        .skip(1)
        .map(|word| word.iter().rev().fold(0, |value, byte| value << 8 | u64::from(*byte)))
        .collect();
    if bytes.len() > LONG || words.is_empty() || bytes.get(..4) != Some(&[0; 4]) {
        return Vec::new();
    }
    let mut walk = Walk { schema, words, found: OrderedMap::new() };
    walk.add((0, 4), "", "the number of segments, less one");
    walk.add((4, 8), "", "the words of the segment");
    walk.pointer(0, &Type::Struct(id, Brand::default()), "", DEPTH);
    walk.found.into_values().collect()
}

/// The parts of a message as it was written: all of it.
pub(super) fn written(schema: &Schema<'_>, id: StructId, bytes: &[u8]) -> Vec<BytePart> {
    let mut all = Vec::new();
    let known = read(schema, id, bytes);
    if known.is_empty() {
        return known;
    }
    let nothing = |start: usize, end: usize| BytePart { start, end, field: String::new(), what: "unused".to_owned() };
    let mut at = 0;
    for part in known {
        if part.start > at {
            all.push(nothing(at, part.start));
        }
        at = part.end;
        all.push(part);
    }
    if at < bytes.len() {
        all.push(nothing(at, bytes.len()));
    }
    all
}

struct Walk<'s, 'b> {
    schema: &'s Schema<'b>,
    /// Those of the segment, behind the header.
    words: Vec<u64>,
    /// By the first byte; no two overlap.
    found: OrderedMap<usize, BytePart>,
}

impl Walk<'_, '_> {
    /// Notes what some bytes are, unless some of them were told already.
    fn add(&mut self, (start, end): (usize, usize), field: &str, what: &str) {
        let end = end.min(8 * (self.words.len() + 1));
        let before = self.found.range(..end).next_back();
        if start < end && before.is_none_or(|(_, part)| part.end <= start) {
            self.found.insert(start, BytePart { start, end, field: field.to_owned(), what: what.to_owned() });
        }
    }

    /// Where a word of the segment lies in the message.
    fn place(word: usize) -> usize {
        8 * (word + 1)
    }

    fn pointer(&mut self, at: usize, ty: &Type, path: &str, depth: u32) {
        let Some(pointer) = self.words.get(at).copied() else { return };
        let place = (Self::place(at), Self::place(at + 1));
        let Some(depth) = depth.checked_sub(1).filter(|_| pointer != 0) else {
            return self.add(place, path, if pointer == 0 { "a null pointer" } else { "a pointer" });
        };
        let target = at as i64 + 1 + i64::from(pointer as u32 as i32 >> 2);
        let target = usize::try_from(target).unwrap_or(usize::MAX);
        let (size, count) = ((pointer >> 32 & 0xffff) as usize, (pointer >> 48) as usize);
        match (pointer & 3, ty) {
            (0, Type::Struct(id, _)) => {
                self.add(place, path, "a pointer to a struct");
                self.structure((target, size, count), *id, path, depth);
            }
            (1, Type::Text | Type::Data | Type::List(_)) => {
                self.add(place, path, "a pointer to a list");
                let list = (Items::coded(pointer >> 32 & 7), (pointer >> 35) as usize);
                self.list(target, list, ty, path, depth);
            }
            _ => self.add(place, path, "a pointer"),
        }
    }

    fn list(&mut self, at: usize, (items, count): (Items, usize), ty: &Type, path: &str, depth: u32) {
        let item = match ty {
            Type::List(items) => &**items,
            other => other,
        };
        match (items, item) {
            (Items::Structs, Type::Struct(id, _)) => {
                let Some(tag) = self.words.get(at).copied() else { return };
                self.add((Self::place(at), Self::place(at + 1)), path, "how many structs, and how large they are");
                let (size, pointers) = ((tag >> 32 & 0xffff) as usize, (tag >> 48) as usize);
                let each = size + pointers;
                let structs = (tag as u32 >> 2) as usize;
                for nth in 0..structs.min(self.words.len() / each.max(1)) {
                    self.structure((at + 1 + nth * each, size, pointers), *id, &format!("{path}[{nth}]"), depth);
                }
            }
            (Items::Pointer, _) => {
                for nth in 0..count.min(self.words.len()) {
                    self.pointer(at + nth, item, &format!("{path}[{nth}]"), depth);
                }
            }
            (Items::Data(size), _) => {
                let words = (count << size).div_ceil(64).min(self.words.len());
                let what = if matches!(ty, Type::Text | Type::Data) { "bytes" } else { "items" };
                self.add((Self::place(at), Self::place(at + words)), path, what);
            }
            (Items::Void | Items::Structs, _) => {}
        }
    }

    fn bits(&self, at: usize, (words, size, offset): (usize, u32, u32)) -> u64 {
        let start = (offset as usize) << size;
        match self.words.get(at + start / 64) {
            Some(word) if start / 64 < words => word >> (start % 64) & mask(size),
            _ => 0,
        }
    }

    fn structure(&mut self, (at, words, pointers): (usize, usize, usize), id: StructId, path: &str, depth: u32) {
        let of = self.schema.structure(id);
        let inside = |name: &str| if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
        let mut members = Record::empty(id.0);
        let mut told: OrderedMap<usize, (usize, String, String)> = OrderedMap::new();
        let mut tell = |(size, offset): (u32, u32), name: String, what: String| {
            let first = ((offset as usize) << size) / 8;
            let entry = told.entry(first).or_insert((1 << size.max(3) >> 3, String::new(), what));
            entry.1 = if entry.1.is_empty() { name } else { format!("{}, {name}", entry.1) };
        };
        for (index, union) in of.unions.iter().enumerate().filter(|(_, union)| (union.offset as usize) < 4 * words) {
            if holds(&union.guards, &members) {
                let member = self.bits(at, (words, 4, union.offset));
                members.fields.insert(union_key(index), Value::Int(member.into()));
                tell((4, union.offset), inside(&union.path), "which member is set".to_owned());
            }
        }
        let active: Vec<_> = of.fields.iter().filter(|field| holds(&field.guards, &members)).collect();
        for field in &active {
            if let Slot::Data { size, offset } = field.slot
                && ((offset as usize + 1) << size) <= 64 * words
            {
                tell((size, offset), inside(&field.path), self.schema.spelled(&field.held));
            }
        }
        for (first, (length, name, what)) in told {
            let start = Self::place(at) + first;
            self.add((start, start + length), &name, &what);
        }
        for field in active {
            if let Slot::Pointer(nth) = field.slot
                && (nth as usize) < pointers
            {
                self.pointer(at + words + nth as usize, &field.held, &inside(&field.path), depth);
            }
        }
    }
}
