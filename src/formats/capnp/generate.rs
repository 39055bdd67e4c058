//! Synthetic data: every value at which a reader of the other version could go wrong, and little else.
//!
//! Each field that deserves attention is written by itself and among all that the struct has, so that a reader who looks
//! elsewhere finds something else; and each union is written with each of its members. Everything is deterministic.

use std::cell::Cell;

use rustc_hash::FxHashSet;

use crate::change::Identity;
use crate::formats::roundtrip::{MESSAGE, Outlet, Sides, Variations};
use crate::value::{Record, Value};

use super::anything::{
    Lead, MOST, SOME_BIT_LIST, SOME_CAPABILITY, SOME_LIST, SOME_POINTERS, SOME_STRUCT, SOME_STRUCTS, SOME_WORD,
    Something,
};
use super::codec::holds;
use super::compare::{Comparer, Element, Elements};
use super::link_values::range;
use super::model::{Absence, EnumId, Field, Guard, Schema, Slot, Struct, StructId, Type, union_key};
use super::pairing;

/// How deep structs inside of structs are filled in.
const DEEP: u32 = 3;
/// Structs filled in for one value, at most.
const CHILDREN: usize = 200;
/// Values of an enum that are written inside of other values; by itself each is.
const NUMBERS: usize = 1000;
/// Structs that are written where any may be, at most.
const REJECTED: usize = 24;

/// Lists that are written where any may be: one of them every reader rejects who takes it for a list of something certain.
const SOME_LISTS: [&[u8]; 4] = [SOME_LIST, SOME_STRUCTS, SOME_BIT_LIST, SOME_POINTERS];

/// Writes what the writer of a pair of structs writes. With `outer` everything counts as changed, and is told of that.
pub(super) fn records(
    comparer: &Comparer<'_, '_, '_>,
    ids: Sides<StructId>,
    changed: &FxHashSet<&Identity>,
    outlet: &mut Outlet<'_>,
) {
    let elements = comparer.elements(ids);
    let Sides { writer: of, reader: read } = comparer.structs(ids);
    if !has_known_numbers(of) || !has_known_numbers(read) {
        let name = &of.full_name;
        outlet.leave_out_all(format!("synthetic data of `{name}`, because some of its defaults are not known"));
        outlet.limit(elements.iter().map(|element| element.told_of.clone()));
        return;
    }
    let opaque: Vec<Slot> = [of, read]
        .iter()
        .flat_map(|of| &of.fields)
        .filter(|field| is_opaque(&field.held))
        .map(|field| field.slot)
        .collect();
    if !opaque.is_empty() {
        outlet.leave_out(format!("fields of `{}` whose types are not known: no data have them", of.full_name));
    }
    let is_unsure = |element: &&Element<'_, '_>| has_other_unknown(element) || follows_guess(element, &opaque);
    outlet.limit(elements.iter().filter(is_unsure).map(|element| element.told_of.clone()));
    let (schema, reader) = (comparer.schemas.writer, comparer.schemas.reader);
    let [maker, ones] = [false, true].map(|are_ones| Maker { schema, reader, left: Cell::new(0), are_ones });
    let full = maker.full(ids.writer, DEEP);
    outlet.write(Record::empty(ids.writer.0));
    let is_felt = |element: &Element<'_, '_>| {
        changed.contains(&element.identity) || changed.contains(&element.told_of) || differs(element)
    };
    let felt = elements.iter().enumerate().filter(|(_, element)| element.writer.is_some() && is_felt(element));
    let felt: Vec<usize> = felt.map(|(index, _)| index).collect();
    for wrote in members(&maker, ids.writer, &full) {
        if outlet.is_half_full(of.fields.len()) {
            outlet.limit(felt.iter().map(|index| elements[*index].told_of.clone()));
            break;
        }
        outlet.write(wrote);
    }
    outlet.write_each(&Fields { maker, ones, id: ids.writer, elements: &elements, read, felt, full: full.clone() });
    outlet.write(full);
}

/// Whether what is seen of a field depends on types that nobody knows. These are taken for pointers and nothing is written
/// there: a field that lies at another place may lie elsewhere, and one that shares its place with them, or is of such a type,
/// may be read where they were written.
fn follows_guess(element: &Element<'_, '_>, opaque: &[Slot]) -> bool {
    let both = [element.writer, element.reader];
    let is_elsewhere = matches!(both, [Some(writer), Some(reader)] if writer.slot != reader.slot);
    let is_shared = |field: &Field<'_>| opaque.iter().any(|slot| pairing::overlap(*slot, field.slot));
    !opaque.is_empty() && (is_elsewhere || both.into_iter().flatten().any(is_shared))
}

/// Whether nothing can be written where a type stands: nobody knows it, or the items of the list.
fn is_opaque(ty: &Type) -> bool {
    match ty {
        Type::Opaque(_) => true,
        Type::List(items) => is_opaque(items),
        _ => false,
    }
}

/// Whether the default of a field is something else than before that nobody knows: what readers see is not shown then.
fn has_other_unknown(element: &Element<'_, '_>) -> bool {
    let (Some(writer), Some(reader)) = (element.writer, element.reader) else { return false };
    let is_unknown = |field: &Field<'_>| field.default == Absence::Unknown;
    let are_others = writer.default != reader.default || writer.default_written != reader.default_written;
    (is_unknown(writer) || is_unknown(reader)) && are_others
}

/// Whether anything of a field differs but its name.
fn differs(element: &Element<'_, '_>) -> bool {
    match (element.writer, element.reader) {
        (Some(writer), Some(reader)) => writer.slot != reader.slot || writer.guards != reader.guards,
        _ => true,
    }
}

/// A struct with each member of each of its unions set, by itself and among all other fields.
fn members(maker: &Maker<'_, '_>, id: StructId, full: &Record) -> Vec<Record> {
    let of = maker.schema.structure(id);
    let mut found = Vec::new();
    for (index, union) in of.unions.iter().enumerate() {
        for member in 0..union.members.len() {
            let guard = Guard { union: index, member: u16::try_from(member).unwrap_or(u16::MAX) };
            let guards = [&union.guards[..], &[guard]].concat();
            found.push(selected(of, Record::empty(id.0), &guards));
            let among = selected(of, full.clone(), &guards);
            found.push(maker.filled(id, among.clone(), DEEP));
            found.push(among);
        }
    }
    found
}

/// A record in which unions hold the members asked for, without the fields of the members that they held before.
fn selected(of: &Struct<'_>, mut record: Record, guards: &[Guard]) -> Record {
    if of.unions.is_empty() {
        return record;
    }
    for guard in guards {
        match guard.member {
            0 => drop(record.fields.remove(&union_key(guard.union))),
            member => drop(record.fields.insert(union_key(guard.union), Value::Int(member.into()))),
        }
    }
    for (index, union) in of.unions.iter().enumerate() {
        if !holds(&union.guards, &record) {
            record.fields.remove(&union_key(index));
        }
    }
    let is_hidden = |key: &i32| {
        let field = u16::try_from(*key).ok().and_then(|ordinal| of.field(ordinal));
        field.is_some_and(|field| !holds(&field.guards, &record))
    };
    let hidden: Vec<i32> = record.fields.keys().copied().filter(is_hidden).collect();
    hidden.iter().for_each(|key| drop(record.fields.remove(key)));
    record
}

/// Whether it is known what the numbers of a struct are where nothing was written.
fn has_known_numbers(of: &Struct<'_>) -> bool {
    of.fields.iter().all(|field| {
        let is_number = matches!(field.held.space(), super::model::Space::Data(_));
        !(is_number && field.default == Absence::Unknown)
    })
}

/// The fields of a struct that deserve values of their own.
struct Fields<'e, 's, 'b> {
    maker: Maker<'s, 'b>,
    /// Makes numbers with every bit set.
    ones: Maker<'s, 'b>,
    id: StructId,
    elements: &'e Elements<'s, 'b>,
    /// The reader's struct.
    read: &'s Struct<'b>,
    felt: Vec<usize>,
    full: Record,
}

impl<'s, 'b> Fields<'_, 's, 'b> {
    fn field(&self, element: usize) -> Option<&'s Field<'b>> {
        self.elements[self.felt[element]].writer
    }

    fn placed(&self, record: Record, element: usize, value: Value) -> Record {
        let Some(field) = self.field(element) else { return record };
        selected(self.of(), record, &field.guards).with(field.ordinal.into(), value)
    }

    fn of(&self) -> &'s Struct<'b> {
        self.maker.schema.structure(self.id)
    }

    /// All that may lie where nothing was written, with every bit set: with the first members of all unions, and with each
    /// that has fields where the reader looks for one of its own.
    fn beneath(&self, element: usize) -> Vec<Record> {
        let mut found = vec![self.ones.full(self.id, DEEP)];
        let (Some(own), Some(looked_for)) = (self.field(element), self.elements[self.felt[element]].reader) else {
            return found;
        };
        let places = pairing::looked_at(self.read, looked_for);
        let is_beside = |guard: &Guard| own.guards.iter().all(|own| own.union != guard.union || own == guard);
        let mut seen = FxHashSet::default();
        for field in &self.of().fields {
            let lies_there = places.iter().any(|place| pairing::overlap(field.slot, *place));
            if lies_there && field.guards.iter().all(is_beside) && seen.insert(&field.guards) {
                let arranged = selected(self.of(), Record::empty(self.id.0), &field.guards);
                found.push(self.ones.filled(self.id, arranged, DEEP));
            }
        }
        found
    }
}

impl Variations for Fields<'_, '_, '_> {
    fn count(&self) -> usize {
        self.felt.len()
    }

    fn identities(&self, element: usize) -> Vec<Identity> {
        self.elements[self.felt[element]].reached().cloned().collect()
    }

    fn width(&self) -> usize {
        1 + self.of().fields.len()
    }

    fn cost(&self) -> usize {
        2 * MESSAGE + 2 * self.width()
    }

    fn values(&self, element: usize) -> Vec<Value> {
        let reader = self.elements[self.felt[element]].reader.map(|field| &field.held);
        let values = self.field(element).map(|field| self.maker.values(&field.held, reader, DEEP));
        values.unwrap_or_default()
    }

    fn alone(&self, element: usize, value: Value) -> Vec<Value> {
        let empty = Record::empty(self.full.ty);
        vec![Value::Record(self.placed(empty, element, value))]
    }

    fn together(&self, values: &mut dyn Iterator<Item = (usize, Value)>) -> (Value, Vec<usize>) {
        let (mut record, mut included) = (self.full.clone(), Vec::new());
        for (element, value) in values {
            let fits = self.field(element).is_some_and(|field| holds(&field.guards, &record));
            if fits {
                record = self.placed(record, element, value);
                included.push(element);
            }
        }
        (Value::Record(record), included)
    }

    fn write_all(&self, element: usize, values: Vec<Value>, outlet: &mut Outlet<'_>) {
        for value in values {
            outlet.write(Value::Record(self.placed(Record::empty(self.full.ty), element, value.clone())));
            let is_nothing = matches!(&value, Value::Record(record) if record.fields.is_empty());
            if is_nothing || crate::value::is_zero(&value) {
                for beneath in self.beneath(element) {
                    outlet.write(Value::Record(self.placed(beneath, element, value.clone())));
                }
            }
            outlet.write(Value::Record(self.placed(self.full.clone(), element, value)));
        }
    }
}

/// Makes values.
struct Maker<'s, 'b> {
    schema: &'s Schema<'b>,
    reader: &'s Schema<'b>,
    /// How many structs were filled in for the value that is being made.
    left: Cell<usize>,
    /// Whether numbers have all bits set.
    are_ones: bool,
}

impl Maker<'_, '_> {
    /// A struct with something in every field that no union hides.
    fn full(&self, id: StructId, depth: u32) -> Record {
        self.filled(id, Record::empty(id.0), depth)
    }

    /// A record with something in every field that has nothing yet and that its unions do not hide.
    fn filled(&self, id: StructId, mut record: Record, depth: u32) -> Record {
        self.left.set(CHILDREN);
        self.fill(id, &mut record, depth);
        record
    }

    fn fill(&self, id: StructId, record: &mut Record, depth: u32) {
        let of = self.schema.structure(id);
        if !has_known_numbers(of) || self.left.get() == 0 {
            return;
        }
        self.left.set(self.left.get() - 1);
        for field in &of.fields {
            if !holds(&field.guards, record) || record.fields.contains_key(&i32::from(field.ordinal)) {
                continue;
            }
            if let Some(value) = self.typical(&field.held, field.ordinal, depth) {
                record.fields.insert(field.ordinal.into(), value);
            }
        }
    }

    /// A value that differs from those of its neighbours.
    fn typical(&self, ty: &Type, ordinal: u16, depth: u32) -> Option<Value> {
        let own = i128::from(ordinal % 100) + 7;
        Some(match ty {
            Type::Void => return None,
            Type::Interface(..) => Value::Text(SOME_CAPABILITY.to_vec()),
            Type::Bool => Value::Bool(true),
            Type::Int(size, has_sign) if self.are_ones => {
                let (_, most) = range(*size, *has_sign);
                Value::Int(if *has_sign { -1 } else { most })
            }
            Type::Int(..) => Value::Int(own),
            Type::Enum(id) => {
                Value::Enum { ty: id.0, number: self.schema.enumeration(*id).values.last()?.number.into() }
            }
            Type::Float32 => Value::Float(own as f32 + 0.5),
            Type::Float64 => Value::Double(own as f64 + 0.25),
            Type::Text => Value::Text(format!("t{ordinal}").into_bytes()),
            Type::Data => Value::Bytes(vec![0xda, own as u8]),
            ty if is_opaque(ty) => return None,
            Type::List(items) => Value::List(self.typical(items, ordinal, depth.checked_sub(1)?).into_iter().collect()),
            Type::Struct(id, _) => {
                let mut record = Record::empty(id.0);
                if let Some(depth) = depth.checked_sub(1) {
                    self.fill(*id, &mut record, depth);
                }
                Value::Record(record)
            }
            Type::Any(super::model::AnyKind::Struct) => Value::Text(SOME_STRUCT.to_vec()),
            Type::Any(super::model::AnyKind::Capability) => Value::Text(SOME_CAPABILITY.to_vec()),
            Type::Any(_) | Type::Parameter(_) | Type::Opaque(_) => Value::Text(SOME_LIST.to_vec()),
        })
    }

    /// Values at which readers of another type could go wrong, the most telling first.
    fn values(&self, ty: &Type, reader: Option<&Type>, depth: u32) -> Vec<Value> {
        match ty {
            Type::Void => vec![Value::Null],
            ty if is_opaque(ty) => Vec::new(),
            Type::Interface(..) | Type::Any(super::model::AnyKind::Capability) => {
                vec![Value::Text(SOME_CAPABILITY.to_vec())]
            }
            Type::Bool => vec![Value::Bool(true), Value::Bool(false)],
            Type::Int(size, has_sign) => self.integers((*size, *has_sign), reader),
            Type::Enum(id) => self.numbers(*id),
            Type::Float32 => [1.5, -0.0, f32::MAX, f32::INFINITY, f32::NAN, 0.0].map(Value::Float).into(),
            Type::Float64 => [1.5, -0.0, f64::MAX, f64::INFINITY, f64::NAN, 0.0].map(Value::Double).into(),
            Type::Text => ["t", "", "ein längerer Text"].map(|text| Value::Text(text.as_bytes().to_vec())).into(),
            Type::Data => [&b"hi"[..], b"", b"z\0", b"\x01\xff\x00\x80\x7f\x09\x0a\x0b\x0c"]
                .map(|bytes| Value::Bytes(bytes.to_vec()))
                .into(),
            Type::List(items) => self.lists(items, reader, depth),
            Type::Struct(id, _) => self.structs(*id, reader, depth),
            Type::Any(super::model::AnyKind::Struct) => self.any_structs(reader),
            Type::Any(super::model::AnyKind::List) => SOME_LISTS.map(|list| Value::Text(list.to_vec())).into(),
            Type::Any(_) | Type::Parameter(_) | Type::Opaque(_) => {
                let all = [SOME_STRUCT, SOME_WORD].into_iter().chain(SOME_LISTS);
                all.map(|any| Value::Text(any.to_vec())).collect()
            }
        }
    }

    /// Structs of which nothing is known; and where a reader takes them for one of its own, those of which it rejects a pointer,
    /// whichever of its unions' members holds that.
    fn any_structs(&self, reader: Option<&Type>) -> Vec<Value> {
        let mut names = vec![SOME_STRUCT.to_vec(), SOME_WORD.to_vec()];
        if let Some(Type::Struct(id, _)) = reader {
            let of = self.reader.structure(*id);
            for field in &of.fields {
                let Some(lead) = rejected_lead(&field.held) else { continue };
                let name = rejected_by(of, field, lead).name();
                if names.len() < REJECTED && !names.contains(&name) {
                    names.push(name);
                }
            }
        }
        names.into_iter().map(Value::Text).collect()
    }

    fn integers(&self, (size, has_sign): (u32, bool), reader: Option<&Type>) -> Vec<Value> {
        let (least, most) = range(size, has_sign);
        let mut numbers = vec![7, 1, most, least, -1, 0, 2, 255, 256, 65535, 65536, 1 << 32, most / 3];
        if let Some(Type::Enum(id)) = reader {
            let values = &self.reader.enumeration(*id).values;
            numbers.extend(values.iter().take(NUMBERS).map(|value| i128::from(value.number)));
            numbers.push(values.len() as i128);
        }
        let mut seen = FxHashSet::default();
        numbers.retain(|number| (least..=most).contains(number) && seen.insert(*number));
        numbers.into_iter().map(Value::Int).collect()
    }

    fn numbers(&self, id: EnumId) -> Vec<Value> {
        let values = self.schema.enumeration(id).values.iter().take(NUMBERS);
        values.map(|value| Value::Enum { ty: id.0, number: value.number.into() }).collect()
    }

    fn lists(&self, items: &Type, reader: Option<&Type>, depth: u32) -> Vec<Value> {
        let Some(depth) = depth.checked_sub(1) else { return vec![Value::List(Vec::new())] };
        let reader = match reader {
            Some(Type::List(items)) => Some(&**items),
            _ => None,
        };
        let values = match items {
            Type::Void => vec![Value::Null; 2],
            _ => self.values(items, reader, depth),
        };
        let all: Vec<Value> = values.iter().take(24).cloned().collect();
        let mut lists: Vec<Value> = values.into_iter().take(12).map(|value| Value::List(vec![value])).collect();
        lists.insert(0, Value::List(all));
        lists.push(Value::List(Vec::new()));
        lists
    }

    /// A struct full, and with each field alone: what is inside may be told of the place where it stands.
    fn structs(&self, id: StructId, reader: Option<&Type>, depth: u32) -> Vec<Value> {
        let empty = Record::empty(id.0);
        let Some(depth) = depth.checked_sub(1) else { return vec![Value::Record(empty)] };
        let of = self.schema.structure(id);
        if !has_known_numbers(of) {
            return vec![Value::Record(empty)];
        }
        let reader = match reader {
            Some(Type::Struct(id, _)) => Some(self.reader.structure(*id)),
            _ => None,
        };
        let mut values = vec![Value::Record(self.full(id, depth))];
        values.extend(members(self, id, &empty).into_iter().map(Value::Record));
        for field in of.fields.iter().take(64) {
            let there = reader.and_then(|of| of.fields.iter().find(|other| other.slot == field.slot));
            let inside = self.values(&field.held, there.map(|other| &other.held), depth.min(1));
            let place = |value| selected(of, empty.clone(), &field.guards).with(field.ordinal.into(), value);
            values.extend(inside.into_iter().take(6).map(place).map(Value::Record));
        }
        values.push(Value::Record(empty));
        values
    }
}

/// Where a pointer leads that a reader of a type rejects, if it rejects any.
fn rejected_lead(ty: &Type) -> Option<Lead> {
    use super::model::AnyKind;
    match ty {
        Type::Struct(..) | Type::Any(AnyKind::Struct) => Some(Lead::Bits),
        Type::Text
        | Type::Data
        | Type::List(_)
        | Type::Interface(..)
        | Type::Any(AnyKind::List | AnyKind::Capability) => Some(Lead::Structs),
        Type::Any(AnyKind::Pointer)
        | Type::Parameter(_)
        | Type::Opaque(_)
        | Type::Void
        | Type::Bool
        | Type::Int(..) => None,
        Type::Enum(_) | Type::Float32 | Type::Float64 => None,
    }
}

/// A struct in which a reader finds a field of its own, with pointers that lead elsewhere than it expects.
fn rejected_by(of: &Struct<'_>, field: &Field<'_>, lead: Lead) -> Something {
    let held = |nth: usize| {
        let guards = field.guards.iter().map(|guard| (of.unions[guard.union].offset as usize, guard.member));
        let there = guards.filter(|(offset, _)| offset / 4 == nth);
        there.fold(0, |word, (offset, member)| word | u64::from(member) << (offset % 4 * 16))
    };
    Something::of(held, |nth| nth >= (of.pointers as usize).min(MOST), lead)
}
