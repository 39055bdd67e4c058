//! What the bytes of a buffer are to one schema: offsets, vtables, lengths and values, and the fields they belong to.
//!
//! This tells what [`super::verify`] reads, for people who look at a witness; it decides nothing. A part that leads outside
//! the buffer is left out, and the witness says what that comes to.

use crate::evidence::BytePart;
use crate::formats::parts::{Parts, inside, words};

use super::codec::{DEPTH, NONE, Types, is_bytes, is_union, is_wide};
use super::model::{EnumId, Field, ObjectId, Type};
use super::names::SchemaNames;
use super::verify::{How, scalar_value};

/// Items of a vector that have parts of their own.
const ITEMS: usize = 16;

/// The parts of a buffer, as a reader with these types takes them.
pub(super) fn parts(types: Types<'_, '_>, root: ObjectId, bytes: &[u8], how: How<'_>) -> Vec<BytePart> {
    let Some(parts) = Parts::of(bytes) else { return Vec::new() };
    let mut walk = Walk { types, bytes, how, parts };
    let _ = walk.root(root);
    rounded_off(walk.parts.finish(), bytes)
}

/// What no part covers: padding, and what this schema does not know. Of parts that overlap, the first stays and names the
/// others: a struct that grew is read into the bytes behind it.
fn rounded_off(found: Vec<BytePart>, bytes: &[u8]) -> Vec<BytePart> {
    let mut parts: Vec<BytePart> = Vec::new();
    let mut at = 0;
    let end = BytePart { start: bytes.len(), end: bytes.len(), field: String::new(), what: String::new() };
    if found.is_empty() {
        return found;
    }
    for part in found.into_iter().chain([end]) {
        if part.start > at {
            let gap = &bytes[at..part.start];
            let what = if gap.iter().all(|byte| *byte == 0) { "zeros: padding, or not read" } else { "not read" };
            parts.push(BytePart { start: at, end: part.start, field: String::new(), what: what.to_owned() });
        }
        if part.start >= at && part.start < part.end {
            at = part.end;
            parts.push(part);
        } else if let Some(last) = parts.last_mut()
            && part.start < part.end
            && !last.what.starts_with(&part.what)
        {
            last.what.push_str(&format!("; also read as {} {}", part.field, part.what));
        }
    }
    parts
}

struct Walk<'s, 'b, 'd> {
    types: Types<'s, 'b>,
    bytes: &'d [u8],
    how: How<'d>,
    parts: Parts<'d>,
}

/// A table: where it starts, and where its vtable starts and ends.
#[derive(Debug, Clone, Copy)]
struct Table {
    at: usize,
    vtable: (usize, usize),
}

impl Walk<'_, '_, '_> {
    fn unsigned(&self, at: usize, size: usize) -> Option<usize> {
        let mut wide = [0; 8];
        wide.get_mut(..size)?.copy_from_slice(self.bytes.get(at..at.checked_add(size)?)?);
        usize::try_from(u64::from_le_bytes(wide)).ok()
    }

    /// Where an offset leads; the offset itself becomes a part.
    fn follow(&mut self, at: usize, size: usize, path: &str, what: &str) -> Option<usize> {
        let target = at.checked_add(self.unsigned(at, size)?)?;
        self.parts.add((at, at + size), path, format!("{what}: leads to byte {target}"));
        (target < self.bytes.len()).then_some(target)
    }

    fn root(&mut self, root: ObjectId) -> Option<()> {
        let table = self.follow(0, 4, "", "offset of the root table")?;
        if let (Some(identifier), true) = (self.bytes.get(4..8), table >= 8)
            && identifier.iter().all(u8::is_ascii_graphic)
        {
            let text = String::from_utf8_lossy(identifier);
            self.parts.add((4, 8), "", format!("file identifier {text}"));
        }
        self.table(root, table, "", 0)
    }

    fn table(&mut self, id: ObjectId, at: usize, path: &str, depth: usize) -> Option<()> {
        if depth > DEPTH {
            return None;
        }
        let back = u32::try_from(self.unsigned(at, 4)?).ok()?.cast_signed();
        let start = usize::try_from(i64::try_from(at).ok()?.checked_sub(i64::from(back))?).ok()?;
        let end = start.checked_add(self.unsigned(start, 2)?)?;
        self.bytes.get(start..end)?;
        self.parts.add((at, at + 4), path, format!("table; its vtable is at byte {start}"));
        self.parts.add((start, start + 2), path, format!("vtable of {} bytes", end - start));
        self.parts.add((start + 2, start + 4), path, format!("the table has {} bytes", self.unsigned(start + 2, 2)?));
        let table = Table { at, vtable: (start, end) };
        let object = self.types.object(id);
        let with_deprecated = self.how.with_deprecated;
        let readable = |slot| object.of_slot(slot).filter(|field| with_deprecated || !field.is_deprecated);
        let slots = (end - start).saturating_sub(4) / 2;
        for slot in 0..slots {
            let union = || readable(slot + 1).filter(|field| is_union(&field.ty));
            let name = match (readable(slot), union()) {
                (Some(field), _) => inside(path, &field.name.text),
                (None, Some(field)) => inside(path, &format!("{}_type", field.name.text)),
                (None, None) => String::new(),
            };
            let entry = start + 4 + 2 * slot;
            let what = match self.unsigned(entry, 2)? {
                0 => format!("vtable: slot {slot} is absent"),
                offset => format!("vtable: slot {slot} is at byte {}", at + offset),
            };
            self.parts.add((entry, entry + 2), &name, what);
        }
        // Of a union that is absent its discriminator may be there.
        for field in (0..=slots).filter_map(readable) {
            // A field that leads astray does not hide its neighbours.
            let _ = self.field(field, table, &inside(path, &field.name.text), depth);
        }
        Some(())
    }

    /// Where the content of a slot is, if it is present.
    fn slot(&self, slot: u16, table: Table) -> Option<usize> {
        let entry = table.vtable.0 + 4 + 2 * usize::from(slot);
        if entry + 2 > table.vtable.1 {
            return None;
        }
        self.unsigned(entry, 2).filter(|offset| *offset != 0).map(|offset| table.at + offset)
    }

    fn field(&mut self, field: &Field<'_>, table: Table, path: &str, depth: usize) -> Option<()> {
        if let Type::Union(id) = &field.ty {
            return self.union(*id, (field.slot, table), path, depth);
        }
        let at = self.slot(field.slot, table)?;
        match &field.ty {
            Type::Scalar(_) | Type::Enum(_) | Type::Struct(_) | Type::Array(..) => self.inline(&field.ty, at, path),
            Type::Opaque(_) => None,
            ty => {
                let size = if is_wide(field) { 8 } else { 4 };
                let target = self.follow(at, size, path, "offset")?;
                self.referred(ty, target, path, depth)
            }
        }
    }

    /// The discriminator of a union and the member that it names.
    fn union(&mut self, id: EnumId, (slot, table): (u16, Table), path: &str, depth: usize) -> Option<()> {
        let mut index = NONE;
        if let Some(at) = slot.checked_sub(1).and_then(|slot| self.slot(slot, table)) {
            let size = self.types.schema.enumeration(id).underlying.size() as usize;
            index = u32::try_from(self.unsigned(at, size)?).ok()?;
            let known = self.types.member(id, index).is_some() || index == NONE;
            let what = if known { format!("member {index}") } else { format!("member {index}, which is not known") };
            self.parts.add((at, at + size), &format!("{path}_type"), what);
        }
        let at = self.slot(slot, table)?;
        let target = self.follow(at, 4, path, "offset")?;
        let ty = self.types.member(id, index)?;
        self.referred(ty, target, path, depth)
    }

    /// A scalar, a struct or an array where it stands.
    fn inline(&mut self, ty: &Type, at: usize, path: &str) -> Option<()> {
        if let Some(scalar) = self.types.scalar(ty) {
            let end = at.checked_add(scalar.size() as usize)?;
            let value = scalar_value(ty, scalar, self.bytes.get(at..end)?);
            self.parts.add((at, end), path, words(&value, &SchemaNames(self.types)));
            return Some(());
        }
        match ty {
            Type::Struct(id) => self.types.object(*id).fields.iter().try_for_each(|field| {
                self.inline(&field.ty, at.checked_add(field.offset as usize)?, &inside(path, &field.name.text))
            }),
            Type::Array(items, count) => {
                let (size, _) = self.types.inline(items);
                let count = usize::from(*count).min(ITEMS);
                (0..count).try_for_each(|index| self.inline(items, at + index * size, &format!("{path}[{index}]")))
            }
            _ => None,
        }
    }

    /// What an offset leads to.
    fn referred(&mut self, ty: &Type, at: usize, path: &str, depth: usize) -> Option<()> {
        match ty {
            Type::Table(id) => self.table(*id, at, path, depth + 1),
            Type::Struct(_) => self.inline(ty, at, path),
            Type::String => {
                let length = self.length(at, 4, path)?;
                let start = at + 4;
                let end = start.checked_add(length)?;
                let text = String::from_utf8_lossy(self.bytes.get(start..end)?);
                let shown = crate::text::shorten(&crate::text::visible(&text), ITEMS * 2).into_owned();
                self.parts.add((start, end), path, format!("\"{shown}\""));
                self.parts.add((end, (end + 1).min(self.bytes.len())), path, "NUL");
                Some(())
            }
            Type::Vector(items) => self.vector(ty, items, (at, 4), path, depth),
            Type::Vector64(items) => self.vector(ty, items, (at, 8), path, depth),
            _ => None,
        }
    }

    fn length(&mut self, at: usize, width: usize, path: &str) -> Option<usize> {
        let length = self.unsigned(at, width)?;
        self.parts.add((at, at + width), path, format!("length {length}"));
        Some(length)
    }

    fn vector(&mut self, ty: &Type, items: &Type, (at, width): (usize, usize), path: &str, depth: usize) -> Option<()> {
        let length = self.length(at, width, path)?;
        let start = at + width;
        if is_bytes(ty) {
            let end = start.checked_add(length).filter(|end| *end <= self.bytes.len())?;
            self.parts.add((start, end), path, crate::text::plural(length, "byte"));
            return Some(());
        }
        let (size, _) = self.types.inline(items);
        for index in 0..length.min(ITEMS) {
            let (place, path) = (start.checked_add(index * size)?, format!("{path}[{index}]"));
            match items {
                Type::Table(_) | Type::String => {
                    let target = self.follow(place, 4, &path, "offset")?;
                    self.referred(items, target, &path, depth)?;
                }
                _ => self.inline(items, place, &path)?,
            }
        }
        Some(())
    }
}
