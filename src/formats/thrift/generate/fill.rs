//! What stands in a struct beside what matters: all that is required, in data that come to an end.

use crate::formats::roundtrip::Sides;
use crate::value::{Record, Value};

use super::super::codec::{is_known, is_one_of, map_of};
use super::super::compare::Element;
use super::super::model::{Field, Requiredness, StructId, Type};
use super::{Fill, Maker, is_required};

/// Structs filled in for one value, at most: structs that require structs that require structs.
const CHILDREN: usize = 1000;
/// How deep runtimes read (`DEFAULT_RECURSION_LIMIT`).
const DEPTH: usize = 64;
/// Unchanged fields that are always written stand in every record when there are no more of them than this; in the
/// largest record of an element they all stand.
const COMPANIONS: usize = 8;

impl Maker<'_, '_, '_, '_> {
    /// What the writer requires, and what the reader requires and the writer has. Of a union the first member that both
    /// sides have. Nothing where what the writer requires has no end.
    fn required(&self, ids: Sides<StructId>, depth: usize) -> Option<Record> {
        let record = Record::empty(ids.writer.0);
        self.children.set(if depth == 0 { 0 } else { self.children.get() + 1 });
        let elements = self.comparer.elements(ids);
        if is_one_of(self.comparer.structs(ids).writer) {
            let members = elements.list.iter().filter_map(|element| Some((element.writer?, element.reader)));
            let (shared, lacked): (Vec<_>, Vec<_>) = members.partition(|(_, reader)| reader.is_some());
            if depth == 0 {
                return Some(record);
            }
            let all = shared.into_iter().chain(lacked);
            return one_of(record, all, |(field, reader)| Some((field.id, self.sample(&field.ty, reader, depth)?)));
        }
        let needed = elements.list.iter().filter_map(|Element { writer, reader, .. }| {
            let field = (*writer)?;
            let is_needed = is_required(Some(field)) || is_required(*reader) || depth > 0 && self.is_there(field);
            is_needed.then_some((field, reader.map(|reader| &reader.ty)))
        });
        self.with(record, needed, depth)
    }

    /// A struct that no struct of the reader is known for.
    fn alone(&self, id: StructId, depth: usize) -> Option<Record> {
        let record = Record::empty(id.0);
        self.children.set(self.children.get() + 1);
        let structure = self.comparer.types.writer.structure(id);
        if is_one_of(structure) {
            let all = structure.fields.iter();
            return one_of(record, all, |field| Some((field.id, self.sample_as(&field.ty, None, depth)?)));
        }
        let needed = structure.fields.iter().filter(|field| is_required(Some(field)) || self.is_there(field));
        self.with(record, needed.map(|field| (field, None)), depth)
    }

    /// A record with fields. One that only the reader demands is left out where it leads back to what is being made: there
    /// data come to an end.
    fn with<'f>(
        &self,
        mut record: Record,
        needed: impl Iterator<Item = (&'f Field<'f>, Option<&'f Type>)>,
        depth: usize,
    ) -> Option<Record> {
        for (field, reader) in needed {
            match self.sample_as(&field.ty, reader, depth) {
                Some(value) => {
                    record.fields.insert(field.id.into(), value);
                }
                None if is_required(Some(field)) && is_known(&field.ty) => return None,
                None => {}
            }
        }
        Some(record)
    }

    /// Whether every writer writes a field, even where nobody set it: in some languages only numbers and truth values.
    fn is_there(&self, field: &Field<'_>) -> bool {
        let is_plain = matches!(field.ty, Type::Bool | Type::I8 | Type::I16 | Type::I32 | Type::I64 | Type::Double);
        field.requiredness == Requiredness::Default && (is_plain || self.fill == Fill::Always)
    }

    /// What is required, and unchanged numbers and truth values that a writer cannot leave out.
    pub(super) fn base(&self, ids: Sides<StructId>, changed: &[bool]) -> Record {
        let mut record =
            self.filled(ids.writer, Some(&Type::Struct(ids.reader)), 0).unwrap_or(Record::empty(ids.writer.0));
        let structs = self.comparer.structs(ids);
        if is_one_of(structs.writer) || is_one_of(structs.reader) {
            return record;
        }
        let elements = self.comparer.elements(ids);
        let companions = elements.list.iter().zip(changed).filter(|(_, is_changed)| !**is_changed);
        let companions: Vec<&Field<'_>> =
            companions.filter_map(|(element, _)| element.writer).filter(|field| self.is_there(field)).collect();
        if companions.len() > COMPANIONS {
            return record;
        }
        for field in companions {
            if let Some(value) = self.sample(&field.ty, None, 0) {
                record.fields.entry(field.id.into()).or_insert(value);
            }
        }
        record
    }

    /// The base and all that did not change.
    pub(super) fn full(&self, ids: Sides<StructId>, changed: &[bool], base: &Record) -> Record {
        let mut record = base.clone();
        for (element, is_changed) in self.comparer.elements(ids).list.iter().zip(changed) {
            if let (Some(field), false) = (element.writer, is_changed) {
                self.children.set(0);
                if let Some(value) = self.sample(&field.ty, element.reader, 0) {
                    record.fields.entry(field.id.into()).or_insert(value);
                }
            }
        }
        record
    }

    /// One value; both sides understand it where that is possible.
    pub(super) fn sample(&self, ty: &Type, reader: Option<&Field<'_>>, depth: usize) -> Option<Value> {
        self.sample_as(ty, reader.map(|reader| &reader.ty), depth)
    }

    pub(super) fn sample_as(&self, ty: &Type, reader: Option<&Type>, depth: usize) -> Option<Value> {
        match ty {
            Type::Struct(id) => self.filled(*id, reader, depth + 1).map(Value::Record),
            Type::List(items) | Type::Set(items) => {
                let reader = match reader {
                    Some(Type::List(reader) | Type::Set(reader)) => Some(&**reader),
                    _ => None,
                };
                let item = self.sample_as(items, reader, depth + 1);
                Some(Value::List(item.into_iter().collect()))
            }
            Type::Map(pair) => {
                let readers = match reader {
                    Some(Type::Map(readers)) => (Some(&readers.0), Some(&readers.1)),
                    _ => (None, None),
                };
                let key = self.sample_as(&pair.0, readers.0, depth + 1);
                let value = self.sample_as(&pair.1, readers.1, depth + 1);
                Some(map_of(&pair.0, key.zip(value).into_iter().collect()))
            }
            scalar => self.scalars(scalar, reader).into_iter().next(),
        }
    }

    /// A struct of the writer with what is required in it. Nothing inside of itself: there data come to an end.
    pub(super) fn filled(&self, id: StructId, reader: Option<&Type>, depth: usize) -> Option<Record> {
        let as_read = match reader {
            Some(Type::Struct(reader)) => Some(*reader),
            _ => None,
        };
        if depth > DEPTH || self.children.get() > CHILDREN {
            self.lack(id);
            return None;
        }
        if self.open.borrow().contains(&(id, as_read)) {
            return None;
        }
        self.open.borrow_mut().push((id, as_read));
        let record = match as_read {
            Some(reader) => self.required(Sides { writer: id, reader }, depth),
            None => self.alone(id, depth),
        };
        self.open.borrow_mut().pop();
        record
    }

    /// Structs of a type with one more field set each: the first few fields.
    pub(super) fn children_of(&self, id: StructId, reader: Option<&Type>) -> Vec<Record> {
        let structure = self.comparer.types.writer.structure(id);
        let base = match is_one_of(structure) {
            true => Some(Record::empty(id.0)),
            false => self.filled(id, reader, 1),
        };
        let Some(base) = base else { return Vec::new() };
        let elements = match reader {
            Some(Type::Struct(reader)) => Some(self.comparer.elements(Sides { writer: id, reader: *reader })),
            _ => None,
        };
        let child = |field: &Field<'_>| {
            let element = elements.as_ref().and_then(|all| Some(&all.list[all.of_writer(field.id.into())?]));
            let value = self.sample(&field.ty, element.and_then(|element| element.reader), 2)?;
            Some(base.clone().with(field.id.into(), value))
        };
        structure.fields.iter().filter(|field| is_known(&field.ty)).take(3).filter_map(child).collect()
    }
}

/// A union with the first member of which there is a value; one without members has none.
fn one_of<M>(
    record: Record,
    members: impl Iterator<Item = M>,
    mut value: impl FnMut(M) -> Option<(i16, Value)>,
) -> Option<Record> {
    let mut members = members.peekable();
    if members.peek().is_none() {
        return Some(record);
    }
    let (id, value) = members.find_map(&mut value)?;
    Some(record.with(id.into(), value))
}
