//! Structs: what lies where, and what explains that a value is not what was written.

use crate::change::Identity;
use crate::evidence::Outcome;
use crate::formats::roundtrip::{Note, Sides};
use crate::value::{Record, Value, same_to_reader};

use super::super::codec::Types;
use super::super::model::{ObjectId, Scalar, Type};
use super::super::pairing;
use super::super::values::{is_empty, items};
use super::Comparer;

impl Comparer<'_, '_, '_> {
    /// Structs are compared by what lies where: a field that covers the same numbers at the same places reads the same,
    /// however it is named or grouped.
    pub(super) fn structs(
        &self,
        field: &Identity,
        ids: Sides<ObjectId>,
        records: Sides<&Record>,
        notes: &mut Vec<Note>,
    ) {
        let elements = self.elements(ids);
        let is_known = self.knows(ids);
        let mut written = Vec::new();
        flatten(self.types.writer, &Type::Struct(ids.writer), &Value::Record(records.writer.clone()), 0, &mut written);
        for element in &elements.list {
            let Some(reader) = element.reader else { continue };
            let Some(read) = records.reader.fields.get(&i32::from(reader.slot)) else { continue };
            let mut seen = Vec::new();
            flatten(self.types.reader, &reader.ty, read, reader.offset, &mut seen);
            let is_there = |leaf: &Leaf| {
                written.iter().any(|other| (other.0, other.1) == (leaf.0, leaf.1) && same_to_reader(&other.2, &leaf.2))
            };
            let mut inner = Vec::new();
            match element.writer {
                Some(writer) if element.is_moved || nests(&writer.ty) && nests(&reader.ty) => {
                    let Some(wrote) = records.writer.fields.get(&i32::from(writer.slot)) else { continue };
                    let types = Sides { writer: &writer.ty, reader: &reader.ty };
                    self.values(&element.identity, types, Sides { writer: wrote, reader: read }, &mut inner);
                }
                _ if seen.iter().all(is_there) => {}
                Some(writer) => {
                    let Some(wrote) = records.writer.fields.get(&i32::from(writer.slot)) else { continue };
                    let types = Sides { writer: &writer.ty, reader: &reader.ty };
                    self.values(&element.identity, types, Sides { writer: wrote, reader: read }, &mut inner);
                }
                None => {
                    let is_zero = seen.iter().all(|leaf| is_empty(&leaf.2));
                    let outcome = if is_zero { Outcome::Defaulted } else { Outcome::Wrong };
                    inner.push(Note { identity: element.identity.clone(), outcome });
                }
            }
            for note in inner {
                match is_known {
                    false => notes.push(Note { identity: field.clone(), ..note }),
                    true if note.identity == element.identity && note.outcome > Outcome::Defaulted => {
                        let types = Sides { writer: &Type::Struct(ids.writer), reader: &Type::Struct(ids.reader) };
                        self.explain(field, types, note.outcome, notes);
                    }
                    true => notes.push(note),
                }
            }
        }
    }

    /// Tells an outcome of a field: if the field itself did not change, of the struct or the enum that it is of.
    pub(super) fn explain(&self, field: &Identity, types: Sides<&Type>, outcome: Outcome, notes: &mut Vec<Note>) {
        let inside = match self.identities.changed.contains(field) {
            true => Vec::new(),
            false => self.inside(types, 0),
        };
        match inside.is_empty() {
            true => notes.push(Note { identity: field.clone(), outcome }),
            false => notes.extend(inside.into_iter().map(|identity| Note { identity, outcome })),
        }
    }

    /// What changed of two types: the layout, else everything.
    fn inside(&self, types: Sides<&Type>, depth: usize) -> Vec<Identity> {
        match (types.writer, types.reader) {
            (Type::Struct(writer), Type::Struct(reader)) => {
                let ids = Sides { writer: *writer, reader: *reader };
                let container = self.container(ids);
                let layout = pairing::layout(&container);
                if self.identities.changed.contains(&layout) {
                    return vec![layout];
                }
                let inside = self.identities.inside(&container);
                if !inside.is_empty() || depth > 16 {
                    return inside;
                }
                let elements = self.elements(ids);
                let pairs = elements.list.iter().filter_map(|element| Some((element.writer?, element.reader?)));
                let all = pairs.flat_map(|(writer, reader)| {
                    self.inside(Sides { writer: &writer.ty, reader: &reader.ty }, depth + 1)
                });
                all.collect()
            }
            (Type::Enum(writer), Type::Enum(reader)) | (Type::Union(writer), Type::Union(reader)) => {
                let ids = Sides { writer: *writer, reader: *reader };
                let names = Sides {
                    writer: &self.types.writer.schema.enumeration(ids.writer).full_name,
                    reader: &self.types.reader.schema.enumeration(ids.reader).full_name,
                };
                let underlying = pairing::declaration("underlying", names.in_order(self.direction).new);
                match self.identities.changed.contains(&underlying) {
                    true => vec![underlying],
                    false => self.identities.inside(&self.enum_container(ids)),
                }
            }
            (Type::Struct(writer), Type::Table(reader)) | (Type::Table(writer), Type::Struct(reader)) => {
                let container = self.container(Sides { writer: *writer, reader: *reader });
                let sort = pairing::declaration("sort", &container);
                if self.identities.changed.contains(&sort) { vec![sort] } else { Vec::new() }
            }
            (writer, reader) => match (items(writer), items(reader)) {
                (Some(writer), Some(reader)) if depth <= 16 => self.inside(Sides { writer, reader }, depth + 1),
                _ => Vec::new(),
            },
        }
    }
}

/// A number at a place of a struct.
type Leaf = (u32, Scalar, Value);

/// The numbers of a value that stands inline, with their places.
fn flatten(types: Types<'_, '_>, ty: &Type, value: &Value, at: u32, into: &mut Vec<Leaf>) {
    match (ty, value) {
        (Type::Struct(id), Value::Record(record)) => {
            for field in &types.object(*id).fields {
                if let Some(value) = record.fields.get(&i32::from(field.slot)) {
                    flatten(types, &field.ty, value, at + field.offset, into);
                }
            }
        }
        (Type::Array(items, _), Value::List(values)) => {
            let (size, _) = types.inline(items);
            for (index, value) in values.iter().enumerate() {
                flatten(types, items, value, at + (index * size) as u32, into);
            }
        }
        (ty, value) => into.extend(types.scalar(ty).map(|scalar| (at, scalar, value.clone()))),
    }
}

/// Whether what lies inside has identities of its own.
fn nests(ty: &Type) -> bool {
    match ty {
        Type::Struct(_) | Type::Enum(_) => true,
        Type::Array(items, _) => nests(items),
        _ => false,
    }
}
