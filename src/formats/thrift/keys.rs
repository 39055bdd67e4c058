//! Structs in keys of maps and in items of sets: what makes two of them equal to a reader makes the reader lose one.

use rustc_hash::FxHashSet;

use crate::change::Identity;
use crate::evidence::Outcome;
use crate::formats::roundtrip::{Note, Sides};
use crate::value::{Record, Value};

use super::codec::{Types, entries_of, map_of, wire_type};
use super::compare::Comparer;
use super::model::{Field, Requiredness, Schema, Sort, Struct, StructId, Type, ValueKind};

/// How deep structs in structs are looked into.
const NESTED: usize = 8;

/// The structs that stand, at whatever depth, in a key of a map or in an item of a set, as far as what holds it is
/// reached.
pub(super) fn in_keys(schema: &Schema<'_>, is_reached: impl Fn(&str) -> bool) -> FxHashSet<StructId> {
    let mut open = Vec::new();
    for one in schema.structs.iter().filter(|one| is_reached(&one.full_name)) {
        one.fields.iter().for_each(|field| collect(&field.ty, false, &mut open));
    }
    let mut found = FxHashSet::default();
    while let Some(id) = open.pop() {
        if found.insert(id) {
            schema.structure(id).fields.iter().for_each(|field| collect(&field.ty, true, &mut open));
        }
    }
    found
}

fn collect(ty: &Type, is_key: bool, into: &mut Vec<StructId>) {
    match ty {
        Type::Struct(id) if is_key => into.push(*id),
        Type::List(items) => collect(items, is_key, into),
        Type::Set(items) => collect(items, true, into),
        Type::Map(pair) => {
            collect(&pair.0, true, into);
            collect(&pair.1, is_key, into);
        }
        _ => {}
    }
}

impl Comparer<'_, '_, '_> {
    /// Items or keys that differ for their writer and are equal to the reader, who keeps one of them: told of what they
    /// differ in.
    pub(super) fn merged(
        &self,
        identity: &Identity,
        types: Sides<&Type>,
        (wrote, read): (&[Value], &[Value]),
        notes: &mut Vec<Note>,
    ) {
        for (at, (one, seen)) in wrote.iter().zip(read).enumerate() {
            let mut earlier = wrote[..at].iter().zip(read);
            let is_one = |(other, as_seen): &(&Value, &Value)| {
                !are_equal(self.types.writer, types.writer, (one, other))
                    && are_equal(self.types.reader, types.reader, (seen, as_seen))
            };
            if let Some((other, _)) = earlier.find(is_one) {
                self.lost_between(identity, types, (one, other), notes);
            }
        }
    }

    /// Tells what two values of the writer differ in, which the reader does not see.
    fn lost_between(
        &self,
        identity: &Identity,
        types: Sides<&Type>,
        (one, other): (&Value, &Value),
        notes: &mut Vec<Note>,
    ) {
        match (types.writer, types.reader, one, other) {
            _ if one == other => {}
            (Type::Struct(writer), Type::Struct(reader), Value::Record(one), Value::Record(other)) => {
                let ids = Sides { writer: *writer, reader: *reader };
                self.lost_in_records(identity, ids, (one, other), notes);
            }
            (
                Type::List(writer) | Type::Set(writer),
                Type::List(reader) | Type::Set(reader),
                Value::List(one),
                Value::List(other),
            ) => {
                for both in one.iter().zip(other) {
                    self.lost_between(identity, Sides { writer, reader }, both, notes);
                }
            }
            (Type::Map(writer), Type::Map(reader), one, other) => {
                for (one, other) in entries_of(one).iter().zip(&entries_of(other)) {
                    let (keys, contents) = ((&writer.0, &reader.0), (&writer.1, &reader.1));
                    for ((writer, reader), both) in [(keys, (&one.0, &other.0)), (contents, (&one.1, &other.1))] {
                        self.lost_between(identity, Sides { writer, reader }, both, notes);
                    }
                }
            }
            _ => notes.push(Note { identity: identity.clone(), outcome: Outcome::Lossy }),
        }
    }

    fn lost_in_records(
        &self,
        identity: &Identity,
        ids: Sides<StructId>,
        (one, other): (&Record, &Record),
        notes: &mut Vec<Note>,
    ) {
        let elements = self.elements(ids);
        let outer = (!self.knows(ids)).then_some(identity);
        for element in &elements.list {
            let Some(field) = element.writer else { continue };
            let [one, other] = [one, other].map(|record| record.fields.get(&i32::from(field.id)));
            let identity = outer.unwrap_or(&element.identity);
            match (one, other, element.reader) {
                (one, other, _) if one == other => {}
                (Some(one), Some(other), Some(reader))
                    if reader.id == field.id && wire_type(&reader.ty) == wire_type(&field.ty) =>
                {
                    let types = Sides { writer: &field.ty, reader: &reader.ty };
                    self.lost_between(identity, types, (one, other), notes);
                }
                _ => notes.push(Note { identity: identity.clone(), outcome: Outcome::Lossy }),
            }
        }
    }
}

/// A record as a reader keeps it: of equal items of a set the first, and of entries with equal keys the last.
pub(super) fn as_kept(types: Types<'_, '_>, of: StructId, record: &Record) -> Record {
    let mut kept = record.clone();
    for (key, value) in &mut kept.fields {
        if let Some(field) = i16::try_from(*key).ok().and_then(|id| types.structure(of).field(id)) {
            *value = value_as_kept(types, &field.ty, value);
        }
    }
    kept
}

fn value_as_kept(types: Types<'_, '_>, ty: &Type, value: &Value) -> Value {
    match (ty, value) {
        (Type::Struct(id), Value::Record(record)) => Value::Record(as_kept(types, *id, record)),
        (Type::List(items), Value::List(all)) => {
            Value::List(all.iter().map(|item| value_as_kept(types, items, item)).collect())
        }
        (Type::Set(items), Value::List(all)) => {
            let mut kept: Vec<Value> = Vec::new();
            for item in all.iter().map(|item| value_as_kept(types, items, item)) {
                if !kept.iter().any(|other| are_equal(types, items, (other, &item))) {
                    kept.push(item);
                }
            }
            Value::List(kept)
        }
        (Type::Map(pair), map) => {
            let mut kept: Vec<(Value, Value)> = Vec::new();
            for (key, content) in entries_of(map) {
                let (key, content) = (value_as_kept(types, &pair.0, &key), value_as_kept(types, &pair.1, &content));
                match kept.iter_mut().find(|(other, _)| are_equal(types, &pair.0, (other, &key))) {
                    Some(entry) => entry.1 = content,
                    None => kept.push((key, content)),
                }
            }
            map_of(&pair.0, kept)
        }
        _ => value.clone(),
    }
}

/// Whether two values are equal to who knows a type: a field that is not there has its default.
pub(super) fn are_equal(types: Types<'_, '_>, ty: &Type, (one, other): (&Value, &Value)) -> bool {
    match (ty, one, other) {
        (Type::Struct(id), Value::Record(one), Value::Record(other)) => {
            types.structure(*id).fields.iter().all(|field| {
                let [one, other] = [one, other].map(|record| record.fields.get(&i32::from(field.id)));
                match (one, other) {
                    (Some(one), Some(other)) => are_equal(types, &field.ty, (one, other)),
                    (Some(set), None) | (None, Some(set)) => default_of(field).as_ref() == Some(set),
                    (None, None) => true,
                }
            })
        }
        (Type::List(items) | Type::Set(items), Value::List(one), Value::List(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|both| are_equal(types, items, both))
        }
        (Type::Map(pair), one, other) => {
            let (one, other) = (entries_of(one), entries_of(other));
            let is_same = |(one, other): (&(Value, Value), &(Value, Value))| {
                are_equal(types, &pair.0, (&one.0, &other.0)) && are_equal(types, &pair.1, (&one.1, &other.1))
            };
            one.len() == other.len() && one.iter().zip(&other).all(is_same)
        }
        _ => one == other,
    }
}

/// The values that a type has, as far as it matters whether two of them differ.
enum Range {
    /// One, which is known where a default could be it.
    One(Option<Value>),
    /// Two at least.
    Many,
}

/// Whether two structs or unions may differ in a field alone, to who knows it and to a reader who does not. An `optional`
/// enum of one value that is its default says nothing, nor does what is always there and always the same; of a union,
/// members that the reader lacks are told from each other as well.
pub(super) fn may_differ_in(schema: &Schema<'_>, of: &Struct<'_>, field: &Field<'_>, reader: &Struct<'_>) -> bool {
    match of.sort {
        Sort::Union => {
            let is_lacked = |other: &Field<'_>| other.id != field.id && reader.field(other.id).is_none();
            matches!(range(schema, &field.ty, 0), Range::Many) || of.fields.iter().any(is_lacked)
        }
        _ => differs(schema, field, 0),
    }
}

fn differs(schema: &Schema<'_>, field: &Field<'_>, depth: usize) -> bool {
    match range(schema, &field.ty, depth) {
        Range::Many => true,
        Range::One(_) if field.requiredness != Requiredness::Optional => false,
        Range::One(only) => default_of(field).is_none_or(|default| Some(default) != only),
    }
}

fn range(schema: &Schema<'_>, ty: &Type, depth: usize) -> Range {
    match ty {
        Type::Enum(id) => {
            let mut numbers = schema.enumeration(*id).values.iter().map(|value| value.number);
            match numbers.next() {
                Some(number) if numbers.all(|other| other == number) => {
                    Range::One(Some(Value::Enum { ty: id.0, number }))
                }
                _ => Range::Many,
            }
        }
        Type::Struct(id) if depth < NESTED => {
            let of = schema.structure(*id);
            let is_one = match (of.sort, &of.fields[..]) {
                (Sort::Union, [only]) => matches!(range(schema, &only.ty, depth + 1), Range::One(_)),
                (Sort::Union, _) => false,
                (_, fields) => fields.iter().all(|field| !differs(schema, field, depth + 1)),
            };
            if is_one { Range::One(None) } else { Range::Many }
        }
        _ => Range::Many,
    }
}

/// The default of a field as a value; of numbers and texts only.
pub(super) fn default_of(field: &Field<'_>) -> Option<Value> {
    Some(match (&field.ty, &field.default.as_ref()?.kind) {
        (Type::Bool, ValueKind::Integer(number)) => Value::Bool(*number != 0),
        (Type::I8 | Type::I16 | Type::I32 | Type::I64, ValueKind::Integer(number)) => Value::Int((*number).into()),
        (Type::I8 | Type::I16 | Type::I32 | Type::I64, ValueKind::Enum(_, number)) => Value::Int((*number).into()),
        (Type::Double, ValueKind::Double(number)) => Value::Double(*number),
        (Type::Double, ValueKind::Integer(number)) => Value::Double(*number as f64),
        (Type::String, ValueKind::Text(bytes)) => Value::Text(bytes.to_vec()),
        (Type::Binary, ValueKind::Text(bytes)) => Value::Bytes(bytes.to_vec()),
        (Type::Enum(id), ValueKind::Enum(_, number)) => Value::Enum { ty: id.0, number: *number },
        (Type::Enum(id), ValueKind::Integer(number)) => Value::Enum { ty: id.0, number: i32::try_from(*number).ok()? },
        _ => return None,
    })
}
