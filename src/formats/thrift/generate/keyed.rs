//! Structs in keys: sets of two that differ in one thing.

use std::cell::Cell;

use rustc_hash::FxHashSet;

use crate::change::Identity;
use crate::formats::roundtrip::{Outlet, Sides};
use crate::value::{Record, Value};

use super::super::codec::{HOLDER, is_known, is_one_of, map_of};
use super::super::compare::{Comparer, Element, Elements};
use super::super::keys::{are_equal, default_of, may_differ_in};
use super::super::model::{Field, Requiredness, StructId, Type};
use super::{Fill, Maker, differs};

/// Values of a field of a key, each of which stands beside the first.
const KEYS: usize = 4;
/// How deep something is looked for in which values differ.
const NESTED: usize = 8;

/// Writes sets of two structs each that differ in one field which changed.
pub(in super::super) fn keys(
    comparer: &Comparer<'_, '_, '_>,
    ids: Sides<StructId>,
    changed: &FxHashSet<&Identity>,
    outlet: &mut Outlet<'_>,
) {
    let maker = Maker { fill: Fill::Always, ..Maker::new(comparer) };
    let elements = comparer.elements(ids);
    let is_changed = |element: &Element<'_, '_>| {
        changed.contains(&element.identity) || differs(comparer, element) || maker.has_replaced(element)
    };
    let all_changed: Vec<bool> = elements.list.iter().map(is_changed).collect();
    let base = maker.base(ids, &all_changed);
    let is_any = Cell::new(false);
    for (element, _) in elements.list.iter().zip(all_changed).filter(|(_, is_changed)| *is_changed) {
        let Some(field) = element.writer.filter(|field| is_known(&field.ty)) else { continue };
        let items = maker.items(element, field).into_iter().map(|value| base.clone().with(field.id.into(), value));
        let mut items: Vec<Record> = items.collect();
        if items.is_empty() {
            continue;
        }
        let first = items.remove(0);
        let is_left_out = field.requiredness == Requiredness::Optional && !is_one_of(comparer.structs(ids).writer);
        let absent = is_left_out.then(|| {
            let mut absent = base.clone();
            absent.fields.remove(&i32::from(field.id));
            absent
        });
        let others: Vec<Record> = absent.into_iter().chain(items).collect();
        maker.tell_of_lacking((ids, element, field), (&first, &others), outlet);
        for other in others {
            if outlet.is_full(2 + 2 * base.fields.len()) {
                outlet.limit([element.identity.clone()]);
                break;
            }
            is_any.set(true);
            outlet.write(set_of([first.clone(), other]));
        }
    }
    maker.lacked_members(ids, &elements, outlet);
    if !is_any.get()
        && let Some(item) = maker.filled(ids.writer, Some(&Type::Struct(ids.reader)), 1)
    {
        // Nothing that changed can tell two of them apart.
        outlet.write(Record::empty(HOLDER.0).with(1, Value::List(vec![Value::Record(item)])));
    }
    let partly = maker.partly.borrow();
    let partly = partly.iter().filter_map(|id| elements.of_writer(*id));
    outlet.limit(partly.map(|index| elements.list[index].identity.clone()));
}

/// A set in its synthetic struct.
fn set_of(items: [Record; 2]) -> Record {
    Record::empty(HOLDER.0).with(1, Value::List(items.map(Value::Record).to_vec()))
}

impl Maker<'_, '_, '_, '_> {
    /// The values of a field that two keys differ in.
    fn items(&self, element: &Element<'_, '_>, field: &Field<'_>) -> Vec<Value> {
        let mut values = self.values_of(&field.ty, element.reader.map(|reader| &reader.ty), 0);
        values.truncate(KEYS);
        let is_equal = |one: &Value, other: &Value| are_equal(self.comparer.types.writer, &field.ty, (one, other));
        if let Some(first) = values.first().cloned()
            && values.iter().all(|other| is_equal(&first, other))
        {
            values.extend(self.unlike(&field.ty, &first, 0));
        }
        // What is not there is equal to the default that the reader gives it.
        let default = element.reader.and_then(|reader| Some((reader, default_of(reader)?)));
        let default = default.and_then(|(reader, default)| match (&field.ty, default) {
            _ if field.requiredness != Requiredness::Optional => None,
            (Type::Enum(id), Value::Enum { number, .. }) => Some(Value::Enum { ty: id.0, number }),
            (Type::I32, Value::Enum { number, .. }) => Some(Value::Int(number.into())),
            (Type::Enum(id), Value::Int(number)) => {
                i32::try_from(number).ok().map(|number| Value::Enum { ty: id.0, number })
            }
            (ty, default) => (*ty == reader.ty).then_some(default),
        });
        if let Some(default) = default.filter(|default| values.first() != Some(default)) {
            values.insert(0, default);
        }
        let id = i32::from(field.id);
        values.extend(element.reader.into_iter().flat_map(|reader| self.replaced(id, &field.ty, &reader.ty)));
        values
    }

    /// A value of a type that its writer tells from another one.
    fn unlike(&self, ty: &Type, value: &Value, depth: usize) -> Option<Value> {
        match (ty, value) {
            _ if depth > NESTED => None,
            (Type::Struct(id), Value::Record(record)) => {
                let structure = self.comparer.types.writer.structure(*id);
                let is_union = is_one_of(structure);
                structure.fields.iter().find_map(|field| {
                    let key = i32::from(field.id);
                    let other = match record.fields.get(&key) {
                        Some(value) => self.unlike(&field.ty, value, depth + 1)?,
                        None if is_union || field.requiredness == Requiredness::Optional => {
                            self.sample_as(&field.ty, None, depth + 2)?
                        }
                        None => return None,
                    };
                    let around = if is_union { Record::empty(id.0) } else { record.clone() };
                    let other = Value::Record(around.with(key, other));
                    let is_equal = are_equal(self.comparer.types.writer, ty, (value, &other));
                    (!is_equal).then_some(other)
                })
            }
            (Type::List(_) | Type::Set(_), Value::List(items)) if !items.is_empty() => Some(Value::List(Vec::new())),
            (Type::Map(pair), map) if *map != map_of(&pair.0, Vec::new()) => Some(map_of(&pair.0, Vec::new())),
            (Type::List(_) | Type::Set(_) | Type::Map(_) | Type::Struct(_), _) => None,
            (scalar, value) => self.scalars(scalar, None).into_iter().find(|other| other != value),
        }
    }

    /// Says that no two keys were written that differ in a field alone, where there may be such.
    fn tell_of_lacking(
        &self,
        (ids, element, field): (Sides<StructId>, &Element<'_, '_>, &Field<'_>),
        (first, others): (&Record, &[Record]),
        outlet: &mut Outlet<'_>,
    ) {
        let Sides { writer, reader } = self.comparer.structs(ids);
        let types = self.comparer.types.writer;
        let (ty, one) = (Type::Struct(ids.writer), Value::Record(first.clone()));
        let differ = others.iter().any(|other| !are_equal(types, &ty, (&one, &Value::Record(other.clone()))));
        if !differ && !is_one_of(writer) && may_differ_in(types.schema, writer, field, reader) {
            outlet.lack([&*format!("{}.{}", writer.full_name, field.name.text)], [element.identity.clone()]);
        }
    }

    /// Writes sets of two members of a union that the reader lacks both, each member once.
    fn lacked_members(&self, ids: Sides<StructId>, elements: &Elements<'_, '_>, outlet: &mut Outlet<'_>) {
        if !is_one_of(self.comparer.structs(ids).writer) {
            return;
        }
        let lacked = elements.list.iter().filter(|element| element.reader.is_none());
        let member = |element: &Element<'_, '_>| {
            let field = element.writer?;
            let value = self.sample(&field.ty, None, 0)?;
            Some((element.identity.clone(), Record::empty(ids.writer.0).with(field.id.into(), value)))
        };
        let members: Vec<(Identity, Record)> = lacked.filter_map(member).collect();
        let Some((_, first)) = members.first() else { return };
        for (identity, other) in &members[1..] {
            if outlet.is_full(4) {
                outlet.limit([identity.clone()]);
                continue;
            }
            outlet.write(set_of([first.clone(), other.clone()]));
        }
    }
}
