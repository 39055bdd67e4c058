//! What made a reader reject the bytes.

use crate::change::Identity;
use crate::evidence::Outcome;
use crate::formats::roundtrip::{Note, Sides};
use crate::value::{Record, Value};

use super::super::model::{EnumId, Field, ObjectId, Type};
use super::super::pairing;
use super::super::values::items;
use super::Comparer;

impl Comparer<'_, '_, '_> {
    /// What a reader who rejected the bytes experienced: which element made it fail.
    pub(super) fn blame(
        &self,
        outer: Option<&Identity>,
        ids: Sides<ObjectId>,
        wrote: &Record,
        path: &[i32],
        notes: &mut Vec<Note>,
    ) {
        let elements = self.elements(ids);
        let index = path.first().and_then(|slot| elements.of_reader(*slot));
        let Some(index) = index else {
            // The table as a whole is at fault: what was written in it stands for it.
            let written = wrote.fields.keys().filter_map(|slot| elements.of_writer(*slot));
            let changed =
                written.clone().find(|index| self.identities.changed.contains(&elements.list[*index].identity));
            let first = changed.or_else(|| written.clone().next());
            let identity = outer.or(first.map(|index| &elements.list[index].identity));
            notes.extend(identity.map(|identity| Note { identity: identity.clone(), outcome: Outcome::Fails }));
            return;
        };
        let element = &elements.list[index];
        let identity = outer.unwrap_or(&element.identity);
        match (element.writer, element.reader) {
            (Some(writer), Some(reader)) if writer.slot == reader.slot => {
                let value = wrote.fields.get(&i32::from(writer.slot));
                self.blame_value(identity, Sides { writer, reader }, value, &path[1..], notes);
            }
            _ => notes.extend(elements.foreign(outer, index, Outcome::Fails)),
        }
    }

    fn blame_value(
        &self,
        identity: &Identity,
        fields: Sides<&Field<'_>>,
        value: Option<&Value>,
        path: &[i32],
        notes: &mut Vec<Note>,
    ) {
        let types = Sides { writer: strip(&fields.writer.ty), reader: strip(&fields.reader.ty) };
        let nested = match (fields.writer.nested, fields.reader.nested, types.writer, types.reader) {
            (Some(writer), Some(reader), ..) => Some(Sides { writer, reader }),
            (_, _, Type::Table(writer), Type::Table(reader)) => Some(Sides { writer: *writer, reader: *reader }),
            _ => None,
        };
        let is_one_sort = items(&fields.writer.ty).is_some() == items(&fields.reader.ty).is_some();
        let nested = nested.filter(|_| is_one_sort);
        let child = value.and_then(first_record);
        if let (Some(ids), Some(child), false) = (nested, child, path.is_empty()) {
            return self.blame(self.outer(ids, identity), ids, child, path, notes);
        }
        if let (Type::Union(writer), Type::Union(reader), Some(marker)) = (types.writer, types.reader, path.first()) {
            let ids = Sides { writer: *writer, reader: *reader };
            let index = u32::try_from(-1 - i64::from(*marker)).unwrap_or_default();
            return self.blame_member(identity, ids, (index, child), &path[1..], notes);
        }
        let whole = Sides { writer: &fields.writer.ty, reader: &fields.reader.ty };
        match (types.writer, types.reader, value) {
            // It was written, so that what is wrong with it lies in how the two structs lie.
            (Type::Struct(writer), Type::Struct(reader), Some(_)) if is_one_sort => {
                let ids = Sides { writer: *writer, reader: *reader };
                self.explain_struct(identity, (ids, whole), Outcome::Fails, notes);
            }
            _ => self.explain(identity, whole, Outcome::Fails, notes),
        }
    }

    fn blame_member(
        &self,
        field: &Identity,
        ids: Sides<EnumId>,
        (index, child): (u32, Option<&Record>),
        path: &[i32],
        notes: &mut Vec<Note>,
    ) {
        let number = i128::from(index);
        let own = match self.knows_enums(ids) {
            true => pairing::by_number(&self.enum_container(ids), number),
            false => field.clone(),
        };
        let moved = self.renumbered(field, ids, number).unwrap_or_default();
        if !moved.is_empty() {
            return notes.extend(moved.into_iter().map(|note| Note { outcome: Outcome::Fails, ..note }));
        }
        match (self.members(ids, index), child) {
            (Some(Sides { writer: Type::Table(writer), reader: Type::Table(reader) }), Some(child)) => {
                let ids = Sides { writer: *writer, reader: *reader };
                self.blame(self.outer(ids, &own), ids, child, path, notes);
            }
            (Some(types @ Sides { writer: Type::Struct(writer), reader: Type::Struct(reader) }), _) => {
                let ids = Sides { writer: *writer, reader: *reader };
                self.explain_struct(&own, (ids, types), Outcome::Fails, notes);
            }
            (Some(types), _) => self.explain(&own, types, Outcome::Fails, notes),
            (None, _) => notes.push(Note { identity: own, outcome: Outcome::Fails }),
        }
    }
}

fn strip(ty: &Type) -> &Type {
    items(ty).unwrap_or(ty)
}

/// The first record in a value.
fn first_record(value: &Value) -> Option<&Record> {
    match value {
        Value::Record(record) => Some(record),
        Value::Branch { value, .. } => first_record(value),
        Value::List(values) => values.iter().find_map(first_record),
        _ => None,
    }
}
