//! Enums and unions: what a number means to both sides.

use std::sync::Arc;

use crate::change::Identity;
use crate::evidence::Outcome;
use crate::formats::frame::meanings::Meaning;
use crate::formats::roundtrip::{EnumNames, Note, Sides};
use crate::value::Value;

use super::super::model::{Enum, EnumId, ObjectId, Schema, Type};
use super::super::pairing;
use super::Comparer;

impl<'k> Comparer<'_, '_, 'k> {
    /// The names of one of the writer's enums.
    pub(in super::super) fn written_names(&self, id: EnumId) -> &'k EnumNames {
        let names = self.identities.names(self.direction).writer;
        names.get(id.0 as usize, || names_of(self.types.writer.schema, id))
    }

    /// The names of one of the reader's enums.
    pub(in super::super) fn read_names(&self, id: EnumId) -> &'k EnumNames {
        let names = self.identities.names(self.direction).reader;
        names.get(id.0 as usize, || names_of(self.types.reader.schema, id))
    }

    /// A number of an enum was written, and a number was read.
    pub(super) fn enum_numbers(
        &self,
        field: &Identity,
        ids: Sides<EnumId>,
        numbers: Sides<i128>,
        notes: &mut Vec<Note>,
    ) {
        if numbers.writer != numbers.reader {
            let (written, read) = (self.written_names(ids.writer), self.read_names(ids.reader));
            // A default that is left out means the same under another number.
            if written.names(numbers.writer).iter().any(|name| read.names(numbers.reader).contains(name)) {
                return;
            }
            let types = Sides { writer: &Type::Enum(ids.writer), reader: &Type::Enum(ids.reader) };
            return self.explain(field, types, Outcome::Wrong, notes);
        }
        if let Some(found) = self.renumbered(field, ids, numbers.writer) {
            notes.extend(found);
        }
    }

    /// What a number of an enum or a union means to both sides; `None` if nobody is mistaken.
    pub(super) fn renumbered(&self, field: &Identity, ids: Sides<EnumId>, number: i128) -> Option<Vec<Note>> {
        let names = Sides { writer: self.written_names(ids.writer), reader: self.read_names(ids.reader) };
        let (written, read) = (names.writer.names(number), names.reader.names(number));
        if written.is_empty() || written.iter().any(|name| read.contains(name)) {
            return None;
        }
        let identity = |make: &dyn Fn(&str) -> Identity| match self.knows_enums(ids) {
            true => make(&self.enum_container(ids)),
            false => field.clone(),
        };
        let is_moved = |name: &str| names.writer.is_moved(names.reader, name);
        // A reader that knows the name under another number does not see what it knows.
        let outcome = match read.is_empty() {
            true if written.iter().any(|name| is_moved(name)) => Outcome::Lossy,
            true => Outcome::Unrecognized,
            false => Outcome::Wrong,
        };
        let mut notes = Vec::new();
        for name in written.iter().chain(read).filter(|name| is_moved(name)) {
            notes.push(Note { identity: identity(&|container| pairing::by_name(container, name)), outcome });
        }
        let is_another = || {
            let names = Sides { writer: written, reader: read };
            self.meaning(ids, names, number) != Meaning::Renamed
        };
        if notes.is_empty() && (read.is_empty() || is_another()) {
            notes.push(Note { identity: identity(&|container| pairing::by_number(container, number)), outcome });
        }
        Some(notes)
    }

    /// Whether one enum took the place of another.
    pub(in super::super) fn is_replaced_enum(&self, ids: Sides<EnumId>) -> bool {
        self.identities.replaced.contains(&ids.in_order(self.direction))
    }

    /// What a number means to the old side and to the new one, which have these names for it. Members of unions have types.
    fn meaning(&self, ids: Sides<EnumId>, names: Sides<&[Arc<str>]>, number: i128) -> Meaning {
        let Sides { writer, reader } = self.types;
        let enums =
            Sides { writer: writer.schema.enumeration(ids.writer), reader: reader.schema.enumeration(ids.reader) };
        if enums.writer.is_union || enums.reader.is_union {
            return Meaning::Renamed;
        }
        let names = names.map(|names| names.iter().map(|name| &**name).collect::<Vec<_>>()).in_order(self.direction);
        let called = enums.map(Enum::called).in_order(self.direction);
        Meaning::of(called, names.as_ref().map(Vec::as_slice), number, self.is_replaced_enum(ids))
    }

    pub(super) fn unions(&self, field: &Identity, ids: Sides<EnumId>, values: Sides<&Value>, notes: &mut Vec<Note>) {
        let (Value::Branch { index, value: wrote }, Value::Branch { index: seen, value: read }) =
            (values.writer, values.reader)
        else {
            return notes.push(Note { identity: field.clone(), outcome: Outcome::Wrong });
        };
        if index != seen {
            let types = Sides { writer: &Type::Union(ids.writer), reader: &Type::Union(ids.reader) };
            return self.explain(field, types, Outcome::Wrong, notes);
        }
        let number = i128::from(*index);
        let found = self.renumbered(field, ids, number);
        let own = match self.knows_enums(ids) {
            true => pairing::by_number(&self.enum_container(ids), number),
            false => field.clone(),
        };
        match (&found, self.members(ids, *index)) {
            (Some(notes_found), _) if !notes_found.is_empty() => notes.extend(found.into_iter().flatten()),
            (_, Some(types)) if found.is_none() || self.is_one_type(types) => {
                self.values(&own, types, Sides { writer: wrote, reader: read }, notes);
            }
            (Some(_), Some(_)) => notes.push(Note { identity: own, outcome: Outcome::Wrong }),
            _ => {}
        }
    }

    /// The names of a number on both sides.
    pub(in super::super) fn names_of(&self, types: Sides<&Type>, number: i128) -> impl Iterator<Item = &'k str> {
        let (written, read) = match (types.writer, types.reader) {
            (Type::Enum(writer) | Type::Union(writer), Type::Enum(reader) | Type::Union(reader)) => {
                (self.written_names(*writer).names(number), self.read_names(*reader).names(number))
            }
            _ => Default::default(),
        };
        written.iter().chain(read).map(|name| &**name)
    }

    pub(in super::super) fn members(&self, ids: Sides<EnumId>, index: u32) -> Option<Sides<&Type>> {
        let writer = self.types.writer.member(ids.writer, index)?;
        Some(Sides { writer, reader: self.types.reader.member(ids.reader, index)? })
    }

    /// Whether two members are versions of one type.
    fn is_one_type(&self, types: Sides<&Type>) -> bool {
        match (types.writer, types.reader) {
            (Type::Table(writer), Type::Table(reader)) | (Type::Struct(writer), Type::Struct(reader)) => {
                let ids = Sides { writer: *writer, reader: *reader };
                let Sides { writer, reader } = self.objects(ids);
                self.knows(ids) && (writer.full_name == reader.full_name || !self.goes_on(ids))
            }
            (writer, reader) => writer == reader,
        }
    }

    /// Whether one of two types goes on under its own name, so that the other one took its place. One of that name in a
    /// file that is compiled apart is no version of it.
    fn goes_on(&self, ids: Sides<ObjectId>) -> bool {
        let Sides { writer, reader } = self.objects(ids);
        let read = self.types.reader.schema.objects_by_name.get(&writer.full_name).into_iter().flatten();
        let written = self.types.writer.schema.objects_by_name.get(&reader.full_name).into_iter().flatten();
        read.copied().any(|reader| self.knows(Sides { reader, ..ids }))
            || written.copied().any(|writer| self.knows(Sides { writer, ..ids }))
    }
}

fn names_of(schema: &Schema<'_>, id: EnumId) -> EnumNames {
    EnumNames::of(schema.enumeration(id).values.iter().map(|value| (&*value.name.text, value.number)))
}
