//! Enums: what a number means to both sides, and what becomes of one that has no name.

use crate::change::Identity;
use crate::evidence::{Outcome, Surface};
use crate::formats::frame::meanings::Meaning;
use crate::formats::roundtrip::{Note, Sides};
use crate::value::Value;

use super::super::codec::Types;
use super::super::model::{Cardinality, EnumId, Field, Kind, MessageId};
use super::super::pairing;
use super::{Comparer, Item};

impl<'s, 'a> Comparer<'s, 'a, '_> {
    pub(super) fn enum_identity(
        &self,
        ids: Sides<EnumId>,
        field: &Identity,
        make: impl FnOnce(&str) -> Identity,
    ) -> Identity {
        let pair = ids.in_order(self.direction);
        match self.identities.has_enum(pair) {
            true => make(&self.enum_container(ids.writer, ids.reader)),
            false => field.clone(),
        }
    }

    /// The numbers that a name has on the two sides, when they differ.
    fn moved_name<'n>(&self, ids: Sides<EnumId>, name: &'n str) -> Option<&'n str> {
        let number = |types: Types<'_, '_>, id| types.value_of_name(id, name).map(|value| value.number);
        let numbers = (number(self.writer, ids.writer), number(self.reader, ids.reader));
        matches!(numbers, (Some(one), Some(two)) if one != two).then_some(name)
    }

    /// A number of an enum was written, and a number was read.
    pub(super) fn enum_numbers(
        &self,
        surface: Surface,
        field: &Identity,
        ids: Sides<EnumId>,
        numbers: Sides<i32>,
        notes: &mut Vec<Note>,
    ) {
        let name = self.writer.names_of_number(ids.writer, numbers.writer).next();
        let expected = match (surface, name) {
            // JSON carries the name, and the name says which number the reader has for it.
            (Surface::Json, Some(name)) => {
                let value = self.reader.value_of_name(ids.reader, name);
                value.and_then(|value| i32::try_from(value.number).ok())
            }
            _ => Some(numbers.writer),
        };
        if expected != Some(numbers.reader) {
            notes.push(Note { identity: field.clone(), outcome: Outcome::Wrong });
            return;
        }
        if surface == Surface::Json || self.share_a_name(ids, numbers) {
            // The number keeps a name; that another name of it moved hurts nobody here.
            return;
        }
        let number = numbers.writer;
        let seen = self.unlike_names(field, ids, number);
        let is_named = name.is_some() && self.reader.names_number(ids.reader, number);
        if seen.is_empty() && is_named && self.meaning(ids, number) != Meaning::Renamed {
            let identity = self.enum_identity(ids, field, |container| pairing::by_number(container, number));
            notes.push(Note { identity, outcome: Outcome::Wrong });
        }
        notes.extend(seen);
    }

    /// What becomes of a number that both sides have, where they share no name for it: its names moved, or the reader has none.
    /// Of a default that nobody wrote that is all: whatever nothing is called, nothing was said.
    pub(super) fn unlike_names(&self, field: &Identity, ids: Sides<EnumId>, number: i32) -> Vec<Note> {
        if !self.writer.names_number(ids.writer, number)
            || self.share_a_name(ids, Sides { writer: number, reader: number })
        {
            return Vec::new();
        }
        let identity = |make: &dyn Fn(&str) -> Identity| self.enum_identity(ids, field, make);
        let is_named = self.reader.names_number(ids.reader, number);
        let written = self.writer.names_of_number(ids.writer, number);
        let names = written.chain(self.reader.names_of_number(ids.reader, number));
        let note = |moved| Note {
            identity: identity(&|container| pairing::by_name(container, moved)),
            outcome: if is_named { Outcome::Wrong } else { Outcome::Lossy },
        };
        let mut notes: Vec<Note> = names.filter_map(|name| self.moved_name(ids, name)).map(note).collect();
        if !is_named && notes.is_empty() {
            let identity = identity(&|container| pairing::by_number(container, number));
            notes.push(Note { identity, outcome: Outcome::Unrecognized });
        }
        notes
    }

    /// What a number means to the old side and to the new one.
    fn meaning(&self, ids: Sides<EnumId>, number: i32) -> Meaning {
        let names = Sides {
            writer: self.writer.names_of_number(ids.writer, number).collect::<Vec<_>>(),
            reader: self.reader.names_of_number(ids.reader, number).collect(),
        };
        let called = Sides {
            writer: self.writer.schema.enumeration(ids.writer).called(),
            reader: self.reader.schema.enumeration(ids.reader).called(),
        };
        let names = names.in_order(self.direction);
        let names = names.as_ref().map(Vec::as_slice);
        Meaning::of(called.in_order(self.direction), names, number.into(), self.is_replaced_enum(ids))
    }

    /// The notes for a value that a reader drops because its enum has no name for it; none when that is not why.
    pub(super) fn unnamed(
        &self,
        surface: Surface,
        identity: &Identity,
        fields: Sides<&Field<'_>>,
        item: Item<'_>,
    ) -> Vec<Note> {
        let Kind::Enum(reader) = fields.reader.kind else { return Vec::new() };
        let (kind, value) = match (item, fields.reader.cardinality) {
            // A message that is read as an entry of a map: its field 2 is the value.
            (Item::Value(Value::Record(record)), Cardinality::Map { .. }) => {
                let value = self.writer.field(MessageId(record.ty), 2).zip(record.fields.get(&2));
                let Some((field, value)) = value else { return Vec::new() };
                (field.kind, value)
            }
            (Item::Entry(_, value), Cardinality::Map { .. }) => (fields.writer.kind, value),
            (Item::Value(value), Cardinality::Singular | Cardinality::Repeated) => (fields.writer.kind, value),
            // Numbers are no entries, and entries no numbers: what is read is not what has no name.
            (Item::Value(_), Cardinality::Map { .. })
            | (Item::Entry(..), Cardinality::Singular | Cardinality::Repeated) => {
                return Vec::new();
            }
        };
        let is_closed = self.reader.schema.enumeration(reader).is_closed;
        // From a list or a map the value vanishes, and no fallback stands for it.
        let is_aside = is_closed || surface == Surface::Json;
        let vanishes = is_aside && fields.reader.cardinality != Cardinality::Singular;
        let worse = |notes: Vec<Note>| -> Vec<Note> {
            let least = if vanishes { Outcome::Lossy } else { Outcome::Safe };
            notes.into_iter().map(|note| Note { outcome: note.outcome.max(least), ..note }).collect()
        };
        let number = match (kind, value) {
            (Kind::Enum(writer), Value::Enum { number, .. }) => {
                return worse(self.unnamed_number(surface, identity, Sides { writer, reader }, *number));
            }
            (_, Value::Int(number)) => *number as i32,
            (_, Value::Bool(value)) if surface != Surface::Json => i32::from(*value),
            _ => return Vec::new(),
        };
        match is_closed && !self.reader.names_number(reader, number) {
            true => worse(vec![Note { identity: identity.clone(), outcome: Outcome::Unrecognized }]),
            false => Vec::new(),
        }
    }

    fn unnamed_number(&self, surface: Surface, field: &Identity, ids: Sides<EnumId>, number: i32) -> Vec<Note> {
        let is_closed = self.reader.schema.enumeration(ids.reader).is_closed;
        let is_named = self.reader.names_number(ids.reader, number);
        let tell =
            |make: &dyn Fn(&str) -> Identity, outcome| Note { identity: self.enum_identity(ids, field, make), outcome };
        let by_number = |container: &str| pairing::by_number(container, number);
        let mut names = self.writer.names_of_number(ids.writer, number);
        let Some(name) = names.next() else {
            let note = tell(&pairing::enum_openness, Outcome::Unrecognized);
            return if is_closed && !is_named { vec![note] } else { Vec::new() };
        };
        if surface == Surface::Json {
            if self.reader.value_of_name(ids.reader, name).is_some() {
                return Vec::new();
            }
            // The number is shared, unless the reader knows it only by names that mean another number to the writer.
            let mut others = self.reader.names_of_number(ids.reader, number);
            let is_shared = others.any(|other| self.moved_name(ids, other).is_none());
            return vec![tell(&by_number, if is_shared { Outcome::Lossy } else { Outcome::Unrecognized })];
        }
        if !is_closed || is_named {
            return Vec::new();
        }
        let moved = std::iter::once(name).chain(names).filter_map(|name| self.moved_name(ids, name));
        let lost: Vec<Note> =
            moved.map(|moved| tell(&|container| pairing::by_name(container, moved), Outcome::Lossy)).collect();
        if lost.is_empty() { vec![tell(&by_number, Outcome::Unrecognized)] } else { lost }
    }
}
