//! Structs: what lies where, and what explains that a value is not what was written.

use std::sync::Arc;

use crate::change::{Identity, Pair};
use crate::evidence::Outcome;
use crate::formats::roundtrip::{Note, Sides};
use crate::ordered::OrderedSet;
use crate::value::{Value, is_zero, same_to_reader};

use super::super::codec::Types;
use super::super::model::{ObjectId, Type};
use super::super::pairing;
use super::super::positions::{self, Place, Source, Spots};
use super::super::values::{enum_number, items};
use super::Comparer;

impl Comparer<'_, '_, '_> {
    /// Structs are compared by what lies where, number by number: each of the reader's is what the same field of the writer
    /// holds, or what nothing was written for. A number by itself is a struct of that.
    pub(super) fn inline(&self, field: &Identity, types: Sides<&Type>, values: Sides<&Value>, notes: &mut Vec<Note>) {
        let places = self.places(types);
        let (mut written, mut seen) = (Vec::new(), Vec::new());
        flatten(self.types.writer, types.writer, values.writer, &mut written);
        flatten(self.types.reader, types.reader, values.reader, &mut seen);
        let mut felt = OrderedSet::new();
        for ((source, spots), read) in places.iter().zip(&seen) {
            let wrote = match source {
                Source::Here(index) | Source::Elsewhere(index) => written.get(*index),
                Source::Padding | Source::Foreign => None,
            };
            let outcome = match (wrote, spots) {
                (Some(wrote), Sides { writer: Some(writer), reader: Some(reader) }) => {
                    let ids = Sides { writer: *writer, reader: *reader };
                    let numbers = Sides { writer: enum_number(wrote), reader: enum_number(read) };
                    match numbers {
                        Sides { writer: Some(writer), reader: Some(reader) } if writer == reader => {
                            self.enum_numbers(field, ids, Sides { writer, reader }, notes);
                            continue;
                        }
                        _ => Outcome::Wrong,
                    }
                }
                (Some(wrote), _) if !same_to_reader(wrote, read) => Outcome::Wrong,
                (Some(_), Sides { reader: Some(reader), .. }) => {
                    let number = enum_number(read).unwrap_or_default();
                    let is_named = !self.read_names(*reader).names(number).is_empty();
                    if is_named { Outcome::Safe } else { Outcome::Unrecognized }
                }
                (Some(_), _) => Outcome::Safe,
                (None, _) if is_zero(read) => Outcome::Defaulted,
                (None, _) => Outcome::Wrong,
            };
            if outcome > Outcome::Safe {
                felt.insert(outcome);
            }
        }
        for outcome in felt {
            match (types.writer, types.reader) {
                (Type::Struct(writer), Type::Struct(reader)) => {
                    let ids = Sides { writer: *writer, reader: *reader };
                    self.explain_struct(field, (ids, types), outcome, notes);
                }
                _ => self.explain(field, types, outcome, notes),
            }
        }
    }

    /// Where each number of the reader comes from, and the enums that it is of.
    fn places(&self, types: Sides<&Type>) -> Arc<Vec<Place>> {
        self.places.get(types.map(Type::clone), || {
            let writer = Spots::of_type(self.types.writer.schema, types.writer);
            let reader = Spots::of_type(self.types.reader.schema, types.reader);
            positions::places(Pair::new(&writer, &reader))
        })
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

    /// Tells what a struct's values were read as: of the struct, even where the field changed in another way as well.
    pub(super) fn explain_struct(
        &self,
        field: &Identity,
        (ids, types): (Sides<ObjectId>, Sides<&Type>),
        outcome: Outcome,
        notes: &mut Vec<Note>,
    ) {
        let inside = if self.knows(ids) { self.inside(types, 0) } else { Vec::new() };
        match inside.is_empty() {
            true => self.explain(field, types, outcome, notes),
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
                let all: Vec<Identity> = all.collect();
                // Where bytes lie is no matter of names.
                match all.iter().any(pairing::is_of_storage) {
                    true => all.into_iter().filter(pairing::is_of_storage).collect(),
                    false => all,
                }
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

/// The numbers of what stands inline, in the order in which they lie.
fn flatten(types: Types<'_, '_>, ty: &Type, value: &Value, into: &mut Vec<Value>) {
    match (ty, value) {
        (Type::Struct(id), Value::Record(record)) => {
            for field in &types.object(*id).fields {
                if let Some(value) = record.fields.get(&i32::from(field.slot)) {
                    flatten(types, &field.ty, value, into);
                }
            }
        }
        (Type::Array(items, _), Value::List(values)) => {
            values.iter().for_each(|value| flatten(types, items, value, into));
        }
        (_, value) => into.push(value.clone()),
    }
}
