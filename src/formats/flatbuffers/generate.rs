//! Synthetic data: every value at which a reader of the other version could go wrong, and little else.
//!
//! Each element that changed is written by itself, so that nothing lies behind it; with one neighbour; and among all that
//! the table has, so that a reader who takes too many bytes finds some. Everything is deterministic.

use std::cell::{Cell, RefCell};

use rustc_hash::{FxHashMap, FxHashSet};

use crate::change::Identity;
use crate::formats::roundtrip::{Insides, MESSAGE, Made, Outlet, Sides, Variations, collected};
use crate::ordered::InOrder;
use crate::value::{self, Record, Seeded, Value, Width};

use super::codec::{DEPTH, NONE, Types, encode, is_bytes, is_known, number_of, range};
use super::compare::Comparer;
use super::elements::Element;
use super::lacking::{self, Lacking, Why, too_large};
use super::model::{EnumId, EnumValue, Field, ObjectId, Scalar, Type};
use super::pairing;
use least::Least;
use without::lacking;

mod inline;
mod least;
mod without;

/// Of an enum with more values only those are written that differ, and a few more.
const ENUM_NUMBERS: usize = 1000;
/// Tables filled in for one value, at most.
const CHILDREN: usize = 1000;
/// Vectors of tables deeper than this are empty.
const EMPTY: usize = 3;
/// How much structs are that are made for the values of one field.
const ROOM: usize = 1 << 20;
/// How much structs are that stand in one record with all fields.
const FULL: usize = 1 << 17;
/// Items of the longest vector that is written.
pub(super) const LONG: usize = 8;
/// An empty table as a buffer of its own: bytes that a reader may look into, should it take them for a buffer.
const BUFFER: [u8; 12] = [8, 0, 0, 0, 4, 0, 4, 0, 4, 0, 0, 0];

/// Writes what the writer of a pair of tables writes. With `outer` everything counts as changed, and is told of that.
pub(super) fn records(
    comparer: &Comparer<'_, '_, '_>,
    ids: Sides<ObjectId>,
    outer: Option<&Identity>,
    outlet: &mut Outlet<'_>,
) {
    let lacking = write((comparer, &[], &Insides::default()), ids, outer, outlet);
    lacking::say(&lacking, outlet);
}

/// The same inside of tables that took each other's place. Of which types nothing could be written.
fn write(
    (comparer, within, insides): (&Comparer<'_, '_, '_>, &[Sides<ObjectId>], &Insides<ObjectId, Lacking>),
    ids: Sides<ObjectId>,
    outer: Option<&Identity>,
    outlet: &mut Outlet<'_>,
) -> Lacking {
    let maker = Maker::new(comparer.types);
    let inside = Inside { comparer, within, insides, partly: RefCell::default(), lacking: RefCell::default() };
    let elements = comparer.elements(ids);
    let base = maker.base(ids.writer, &elements.list);
    let full = maker.full(&elements.list, &base);
    outlet.write(base.clone());
    lacking(comparer.types, &elements.list, (&base, &full), outlet);
    let is_changed = |element: &Element<'_, '_>| {
        outer.is_some() || comparer.identities.changed.contains(&element.identity) || differs(element)
    };
    let mut changed = Vec::new();
    for (index, element) in elements.list.iter().enumerate() {
        let Some(field) = element.writer.filter(|_| is_changed(element)) else { continue };
        if is_known(&field.ty) {
            changed.push(index);
        } else {
            let name = &comparer.objects(ids).writer.full_name;
            let reason = "because the round trips do not know its type";
            outlet.leave_out(format!("synthetic values of `{name}.{}`, {reason}", field.name.text));
        }
    }
    for element in changed.iter().map(|index| &elements.list[*index]) {
        // Each byte of a buffer may be anything, whatever is written.
        if unopened(element).is_some_and(|root| maker.buffer_with_sign(root).is_none()) {
            let name = &comparer.objects(ids).writer.full_name;
            let field = element.writer.map_or("", |field| &field.name.text);
            outlet.leave_out(format!("buffers of other bytes than these in `{name}.{field}`"));
            outlet.limit([outer.unwrap_or(&element.identity).clone()]);
        }
    }
    let list = &elements.list;
    outlet.write_each(&Fields::new(maker, (list, changed), (base, full.clone()), outer, &inside));
    outlet.write(full);
    outlet.limit(inside.partly.into_inner());
    inside.lacking.into_inner()
}

/// What is written of tables that are read as those in their place.
struct Inside<'i, 's, 'b, 'k> {
    comparer: &'i Comparer<'s, 'b, 'k>,
    /// The pairs around.
    within: &'i [Sides<ObjectId>],
    /// What was made of tables that took each other's place.
    insides: &'i Insides<ObjectId, Lacking>,
    /// What is not written in full.
    partly: RefCell<Vec<Identity>>,
    /// Of which types nothing could be written.
    lacking: RefCell<Lacking>,
}

impl Inside<'_, '_, '_, '_> {
    fn values(&self, identity: &Identity, types: Sides<&Type>) -> Vec<Value> {
        match (types.writer, types.reader) {
            (Type::Table(writer), Type::Table(reader)) => {
                let ids = Sides { writer: *writer, reader: *reader };
                if self.comparer.is_replaced(ids) { self.tables(identity, ids) } else { Vec::new() }
            }
            (Type::Enum(writer), Type::Enum(reader)) => {
                let ids = Sides { writer: *writer, reader: *reader };
                match self.comparer.is_replaced_enum(ids) {
                    true => numbers_of_enum(self.comparer, ids),
                    false => Vec::new(),
                }
            }
            (Type::Vector(writer), Type::Vector(reader)) | (Type::Vector64(writer), Type::Vector64(reader)) => {
                let items = self.values(identity, Sides { writer: &**writer, reader: &**reader });
                items.into_iter().map(|item| Value::List(vec![item])).collect()
            }
            (Type::Union(writer), Type::Union(reader)) => {
                let ids = Sides { writer: *writer, reader: *reader };
                // What has identities of its own is written by itself.
                if self.comparer.knows_enums(ids) { Vec::new() } else { self.members(ids, |_| identity.clone()) }
            }
            _ => Vec::new(),
        }
    }

    /// The members of which another one is read, every value of them.
    fn members(&self, ids: Sides<EnumId>, identity: impl Fn(i128) -> Identity) -> Vec<Value> {
        let mut branches = Vec::new();
        for member in &self.comparer.types.writer.schema.enumeration(ids.writer).values {
            let Ok(index) = u32::try_from(member.number) else { continue };
            let Some(types) = self.comparer.members(ids, index) else { continue };
            let values = self.values(&identity(member.number), types);
            branches.extend(values.into_iter().map(|value| Value::Branch { index, value: Box::new(value) }));
        }
        branches
    }

    /// Every value of a table that is read as the one in its place.
    fn tables(&self, identity: &Identity, ids: Sides<ObjectId>) -> Vec<Value> {
        // What is inside of itself is written where it stands first, every value of it, and told of the same place.
        if self.within.contains(&ids) {
            return Vec::new();
        }
        let within = [self.within, &[ids]].concat();
        let made = self.insides.made(ids, self.within.len(), |budget| {
            let mut lacking = Lacking::default();
            let (values, is_whole) = collected(budget, |outlet| {
                lacking = write((self.comparer, &within, self.insides), ids, Some(identity), outlet);
            });
            Made { values, is_whole, lacking }
        });
        let Made { values, is_whole, lacking } = made.unwrap_or_default();
        self.lacking.borrow_mut().extend(lacking);
        if !is_whole {
            self.partly.borrow_mut().push(identity.clone());
        }
        values
    }
}

/// Writes a table in which nothing deserves attention by itself.
pub(super) fn unchanged(comparer: &Comparer<'_, '_, '_>, ids: Sides<ObjectId>, outlet: &mut Outlet<'_>) {
    let maker = Maker::new(comparer.types);
    let elements = comparer.elements(ids);
    let base = maker.base(ids.writer, &elements.list);
    let full = maker.full(&elements.list, &base);
    outlet.write(base.clone());
    lacking(comparer.types, &elements.list, (&base, &full), outlet);
    outlet.write(full);
}

/// The fields of a table that deserve values of their own.
struct Fields<'e, 's, 'b, 'k> {
    maker: Maker<'s, 'b>,
    elements: &'e [Element<'s, 'b>],
    changed: Vec<usize>,
    base: Record,
    full: Record,
    outer: Option<&'e Identity>,
    inside: &'e Inside<'e, 's, 'b, 'k>,
    /// The writer's numbers, by slot.
    numbers: Vec<&'s Field<'b>>,
    /// The reader's unions, by the slots of their discriminators.
    unions: FxHashMap<u16, EnumId>,
}

impl<'e, 's, 'b, 'k> Fields<'e, 's, 'b, 'k> {
    fn new(
        maker: Maker<'s, 'b>,
        (elements, changed): (&'e [Element<'s, 'b>], Vec<usize>),
        (base, full): (Record, Record),
        outer: Option<&'e Identity>,
        inside: &'e Inside<'e, 's, 'b, 'k>,
    ) -> Self {
        let is_number = |field: &&Field<'_>| !field.is_deprecated && matches!(field.ty, Type::Scalar(_));
        let mut numbers: Vec<_> = elements.iter().filter_map(|element| element.writer).filter(is_number).collect();
        numbers.sort_in_order_by_key(|field| field.slot);
        let readers = elements.iter().rev().filter_map(|element| element.reader).filter(|field| !field.is_deprecated);
        let union = |field: &Field<'_>| if let Type::Union(id) = field.ty { Some(id) } else { None };
        let unions = readers.filter_map(|field| Some((field.slot.checked_sub(1)?, union(field)?))).collect();
        Fields { maker, elements, changed, base, full, outer, inside, numbers, unions }
    }

    /// A number behind a field, or else before it, with a value of its own.
    fn neighbour(&self, element: usize) -> Option<(i32, Value)> {
        let own = self.elements[self.changed[element]].writer?.slot;
        let behind = self.numbers.partition_point(|field| field.slot <= own);
        let before = || self.numbers[..behind].iter().rev().find(|field| field.slot < own);
        let field = self.numbers.get(behind).or_else(before)?;
        Some((field.slot.into(), self.maker.of_field(field, 0)?))
    }

    fn slot(&self, element: usize) -> i32 {
        self.elements[self.changed[element]].writer.map_or(0, |field| field.slot.into())
    }
}

impl Variations for Fields<'_, '_, '_, '_> {
    fn count(&self) -> usize {
        self.changed.len()
    }

    fn identities(&self, element: usize) -> Vec<Identity> {
        vec![self.outer.unwrap_or(&self.elements[self.changed[element]].identity).clone()]
    }

    fn width(&self) -> usize {
        1 + self.base.fields.len()
    }

    fn cost(&self) -> usize {
        3 * MESSAGE + 2 * self.width() + self.full.fields.len()
    }

    fn values(&self, element: usize) -> Vec<Value> {
        let Element { writer, reader, identity, .. } = &self.elements[self.changed[element]];
        let mut values = writer.map_or_else(Vec::new, |field| self.maker.values(field, *reader));
        if let (Some(writer), Some(reader)) = (writer, reader) {
            let nested = match (writer.nested, reader.nested) {
                (Some(writer), Some(reader)) => Some((Type::Table(writer), Type::Table(reader))),
                _ => None,
            };
            let (writer, reader) =
                nested.as_ref().map_or((&writer.ty, &reader.ty), |(writer, reader)| (writer, reader));
            values.extend(self.inside.values(self.outer.unwrap_or(identity), Sides { writer, reader }));
        }
        if let Some(root) = unopened(&self.elements[self.changed[element]]) {
            values.extend(self.maker.buffer_with_sign(root).map(Value::Record));
        }
        if let Some(field) = writer {
            self.maker.room.set(ROOM);
            let taker = self.unions.get(&field.slot).into_iter();
            values.extend(taker.flat_map(|id| self.maker.discriminators(&field.ty, *id)));
        }
        let lacking = self.maker.lacking.take();
        if !lacking.is_empty() {
            self.inside.partly.borrow_mut().push(self.outer.unwrap_or(identity).clone());
            self.inside.lacking.borrow_mut().extend(lacking);
        }
        values
    }

    fn alone(&self, element: usize, value: Value) -> Vec<Value> {
        let slot = self.slot(element);
        let neighbour = self.neighbour(element).map(|(slot, beside)| self.base.clone().with(slot, beside));
        let beside = neighbour.map(|record| Value::Record(record.with(slot, value.clone())));
        let record = self.base.clone().with(slot, value);
        [Value::Record(record)].into_iter().chain(beside).collect()
    }

    fn together(&self, values: &mut dyn Iterator<Item = (usize, Value)>) -> (Value, Vec<usize>) {
        let (mut record, mut included) = (self.full.clone(), Vec::new());
        for (element, value) in values {
            record.fields.insert(self.slot(element), value);
            included.push(element);
        }
        (Value::Record(record), included)
    }

    fn write_all(&self, element: usize, values: Vec<Value>, outlet: &mut Outlet<'_>) {
        for value in values {
            for wrote in self.alone(element, value.clone()) {
                outlet.write(wrote);
            }
            outlet.write(self.full.clone().with(self.slot(element), value));
        }
    }
}

/// Values for the one interesting field of a synthetic table, and the structs that are too large for any.
pub(super) fn values(types: Sides<Types<'_, '_>>, tys: Sides<&Type>) -> (Vec<Value>, Lacking) {
    let maker = Maker::new(types);
    let values = maker.values_of(tys.writer, Some(tys.reader), 0);
    let mut lacking = maker.lacking.into_inner();
    lacking.retain(|(_, why)| *why == Why::Large);
    (values, lacking)
}

/// Values of an enum or a union: all of them, of a large enum those whose names differ and a few others. Of a union's
/// members that are read as others, what is not written in full is said.
pub(super) fn values_of_enum(
    comparer: &Comparer<'_, '_, '_>,
    tys: Sides<&Type>,
    container: &str,
    outlet: &mut Outlet<'_>,
) -> Vec<Value> {
    let (Type::Enum(writer), Type::Enum(reader)) = (tys.writer, tys.reader) else {
        let maker = Maker::new(comparer.types);
        let mut all = maker.values_of(tys.writer, Some(tys.reader), 0);
        let lacking = maker.lacking.take();
        if let (Type::Union(writer), Type::Union(reader)) = (tys.writer, tys.reader) {
            let within = &[];
            let (insides, partly) = (&Insides::default(), RefCell::default());
            let inside = Inside { comparer, within, insides, partly, lacking: RefCell::new(lacking) };
            let ids = Sides { writer: *writer, reader: *reader };
            all.extend(inside.members(ids, |number| pairing::by_number(container, number)));
            outlet.limit(inside.partly.into_inner());
            let written: FxHashSet<i128> = all.iter().map(number_of_value).collect();
            let members = comparer.types.writer.schema.enumeration(*writer).values.iter();
            let lacking = members.filter(|member| member.ty.is_some() && !written.contains(&member.number));
            let identities = lacking.flat_map(|member| {
                let names = comparer.names_of(tys, member.number).map(|name| pairing::by_name(container, name));
                names.chain([pairing::by_number(container, member.number)]).collect::<Vec<_>>()
            });
            outlet.limit(identities);
            lacking::say(&inside.lacking.borrow(), outlet);
        }
        return all;
    };
    numbers_of_enum(comparer, Sides { writer: *writer, reader: *reader })
}

/// Numbers of an enum: all of them, of a large one those whose names differ and a few others.
fn numbers_of_enum(comparer: &Comparer<'_, '_, '_>, ids: Sides<EnumId>) -> Vec<Value> {
    let (written, read) = (comparer.written_names(ids.writer), comparer.read_names(ids.reader));
    let values = &comparer.types.writer.schema.enumeration(ids.writer).values;
    let mut same = 0;
    let is_worth = |number: i128| {
        let is_same = written.names(number) == read.names(number);
        same += usize::from(is_same);
        !is_same || same <= 2 || values.len() <= ENUM_NUMBERS
    };
    let mut is_worth = is_worth;
    let numbers = values.iter().map(|value| value.number).filter(|number| is_worth(*number));
    numbers.map(|number| number_of(&Type::Enum(ids.writer), number)).collect()
}

/// Which number of an enum or a union a value is.
pub(super) fn number_of_value(value: &Value) -> i128 {
    match value {
        Value::Enum { number, .. } => i128::from(*number),
        Value::Branch { index, .. } => i128::from(*index),
        Value::Int(number) => *number,
        _ => i128::from(NONE),
    }
}

/// Whether the fields of an element differ in anything that readers could feel by themselves.
fn differs(element: &Element<'_, '_>) -> bool {
    let (Some(writer), Some(reader)) = (element.writer, element.reader) else { return true };
    writer.slot != reader.slot
        || writer.default != reader.default
        || writer.is_required != reader.is_required
        || writer.is_deprecated != reader.is_deprecated
        || writer.is_offset64 != reader.is_offset64
        || writer.nested.is_some() != reader.nested.is_some()
        || std::mem::discriminant(&writer.ty) != std::mem::discriminant(&reader.ty)
}

/// The root of the buffer inside of bytes that the reader takes for numbers with a sign.
fn unopened(element: &Element<'_, '_>) -> Option<ObjectId> {
    let is_signed = |reader: &Field<'_>| super::values::items(&reader.ty) == Some(&Type::Scalar(Scalar::I8));
    element.writer?.nested.filter(|_| element.reader.is_some_and(is_signed))
}

struct Maker<'s, 'b> {
    types: Sides<Types<'s, 'b>>,
    /// Tables filled in for the value in the making.
    children: Cell<usize>,
    /// How deep the least data of the writer's types are.
    least: Least,
    /// How much more structs may be for the value in the making.
    room: Cell<usize>,
    /// The types of which values were asked for, and none were made.
    lacking: RefCell<Lacking>,
}

impl<'s, 'b> Maker<'s, 'b> {
    /// Nothing is made yet.
    fn new(types: Sides<Types<'s, 'b>>) -> Self {
        let (children, room) = (Cell::new(0), Cell::new(ROOM));
        Maker { types, children, least: Least::default(), room, lacking: RefCell::default() }
    }

    fn lacks(&self, id: ObjectId, why: Why) {
        let name = self.types.writer.object(id).full_name.to_string();
        self.lacking.borrow_mut().insert((name, why));
    }
}

impl Maker<'_, '_> {
    /// What the writer requires, and what the reader requires and the writer has.
    fn base(&self, id: ObjectId, elements: &[Element<'_, '_>]) -> Record {
        let mut record = Record::empty(id.0);
        self.room.set(FULL);
        for element in elements {
            let Some(field) = element.writer.filter(|field| !field.is_deprecated) else { continue };
            if field.is_required || element.reader.is_some_and(|reader| reader.is_required) {
                self.children.set(0);
                let value = self.buffer(field, element.reader).or_else(|| self.of_field(field, 0));
                record.fields.extend(value.map(|value| (field.slot.into(), value)));
            }
        }
        record
    }

    fn full(&self, elements: &[Element<'_, '_>], base: &Record) -> Record {
        let mut record = base.clone();
        self.room.set(FULL);
        for element in elements {
            let Some(field) = element.writer.filter(|field| !field.is_deprecated) else { continue };
            self.children.set(0);
            if let Some(value) = self.buffer(field, element.reader).or_else(|| self.of_field(field, 0)) {
                record.fields.entry(field.slot.into()).or_insert(value);
            }
        }
        record
    }

    /// One telling value of a field: not the default.
    fn of_field(&self, field: &Field<'_>, depth: usize) -> Option<Value> {
        if let Some(root) = field.nested {
            return Some(Value::Record(self.filled(root, depth + 1)?));
        }
        let default = self.types.writer.default_of(field);
        if self.types.writer.scalar(&field.ty).is_some() {
            let mut values = self.scalars(&field.ty, None).into_iter();
            return values.clone().find(|value| Some(value) != default.as_ref()).or_else(|| values.next());
        }
        self.sample(&field.ty, depth)
    }

    /// The values that a changed field is given, each in records of its own.
    fn values(&self, field: &Field<'_>, reader: Option<&Field<'_>>) -> Vec<Value> {
        self.children.set(0);
        self.room.set(ROOM);
        let held = reader.and_then(|reader| too_large(self.types.reader, &reader.ty));
        if let Some(name) = held {
            self.lacking.borrow_mut().insert((name, Why::Large));
            return Vec::new();
        }
        if let Some(root) = field.nested {
            let children = self.children_of(root);
            return self.filled(root, 1).into_iter().chain(children).map(Value::Record).collect();
        }
        if let Some(buffer) = self.buffer(field, reader) {
            return vec![buffer];
        }
        let mut values = self.values_of(&field.ty, reader.map(|reader| &reader.ty), 0);
        let default = self.types.writer.default_of(field);
        match field.is_deprecated {
            // Which default an earlier writer left out, nobody knows.
            true => values.retain(|value| Some(value) != default.as_ref()),
            false => values.extend(default),
        }
        values
    }

    /// Bytes that the reader takes for a buffer: one that it can read.
    fn buffer(&self, field: &Field<'_>, reader: Option<&Field<'_>>) -> Option<Value> {
        let root = reader.and_then(|reader| reader.nested).filter(|_| is_bytes(&field.ty) && field.nested.is_none())?;
        let types = Sides { writer: self.types.reader, reader: self.types.writer };
        let record = Maker::new(types).filled(root, 1);
        let bytes = record.and_then(|record| encode(types.writer, root, &record, None));
        Some(Value::Bytes(bytes.unwrap_or_else(|| BUFFER.to_vec())))
    }

    fn sample(&self, ty: &Type, depth: usize) -> Option<Value> {
        match ty {
            Type::Table(id) => self.filled(*id, depth + 1).map(Value::Record),
            Type::Struct(id) => self.structure(*id, 0).map(Value::Record),
            Type::Union(id) => self.member(*id, depth),
            Type::Vector(items) | Type::Vector64(items) if **items == Type::Scalar(Scalar::U8) => {
                Some(Value::Bytes(BUFFER.to_vec()))
            }
            // What requires a vector of itself comes to an end with an empty one.
            Type::Vector(items) if depth > EMPTY && matches!(**items, Type::Table(_) | Type::Union(_)) => {
                Some(Value::List(Vec::new()))
            }
            Type::Vector(items) | Type::Vector64(items) => Some(Value::List(vec![self.sample(items, depth + 1)?; 2])),
            scalar => self.scalars(scalar, None).into_iter().next(),
        }
    }

    /// One member of a union: the one that comes to an end first.
    fn member(&self, id: EnumId, depth: usize) -> Option<Value> {
        let members = self.types.writer.schema.enumeration(id).values.iter();
        let held = members.filter_map(|member| {
            let (index, ty) = (u32::try_from(member.number).ok()?, member.ty.as_ref()?);
            Some((self.least.depth(self.types.writer, ty)?, index, ty)).filter(|_| index != NONE)
        });
        let (_, index, ty) = held.min_by_key(|(least, ..)| *least)?;
        Some(Value::Branch { index, value: Box::new(self.sample(ty, depth + 1)?) })
    }

    /// A table with what is required in it, however deep that leads. None where it has no end or leads deeper than readers
    /// follow.
    fn filled(&self, id: ObjectId, depth: usize) -> Option<Record> {
        let least = self.least.depth(self.types.writer, &Type::Table(id))?;
        self.children.set(self.children.get() + 1);
        if depth + least > DEPTH || self.children.get() > CHILDREN {
            return None;
        }
        let object = self.types.writer.object(id);
        let mut record = Record::empty(id.0);
        for field in object.fields.iter().filter(|field| !field.is_deprecated) {
            if field.is_required {
                record.fields.insert(field.slot.into(), self.of_field(field, depth)?);
            }
        }
        Some(record)
    }

    /// Tables of a type with one more field set each: the first few fields.
    fn children_of(&self, id: ObjectId) -> Vec<Record> {
        let Some(base) = self.filled(id, 1) else { return Vec::new() };
        let fields = self.types.writer.object(id).fields.iter().filter(|field| !field.is_deprecated);
        let child = |field: &Field<'_>| Some(base.clone().with(field.slot.into(), self.of_field(field, 2)?));
        fields.filter(|field| is_known(&field.ty)).take(4).filter_map(child).collect()
    }

    /// A table that has, as a buffer of its own, a byte that is another number to who takes it for one with a sign.
    fn buffer_with_sign(&self, root: ObjectId) -> Option<Record> {
        let base = self.filled(root, 1)?;
        let fields = self.types.writer.object(root).fields.iter().filter(|field| !field.is_deprecated);
        let mut all = fields.filter(|field| field.nested.is_none() && is_known(&field.ty)).flat_map(|field| {
            let values = self.values(field, None).into_iter();
            values.map(|value| base.clone().with(field.slot.into(), value))
        });
        all.find(|record| {
            let bytes = encode(self.types.writer, root, record, None);
            bytes.is_some_and(|bytes| bytes.iter().any(|byte| !byte.is_ascii()))
        })
    }

    fn values_of(&self, ty: &Type, reader: Option<&Type>, depth: usize) -> Vec<Value> {
        match ty {
            Type::Table(id) => {
                let mut records: Vec<Record> = self.filled(*id, depth + 1).into_iter().collect();
                if records.is_empty() {
                    self.lacks(*id, Why::None);
                }
                if depth < 2 {
                    records.extend(self.children_of(*id));
                }
                records.dedup();
                records.into_iter().map(Value::Record).collect()
            }
            Type::Struct(id) => {
                let turns = self.turns(ty);
                let made = (0..turns).filter_map(|turn| self.structure(*id, turn)).map(Value::Record);
                let made: Vec<Value> = made.chain(self.zero(ty)).collect();
                if made.len() <= turns {
                    self.lacks(*id, Why::Large);
                    return Vec::new();
                }
                made
            }
            Type::Union(id) => self.members(*id, depth),
            Type::Vector(items) | Type::Vector64(items) if **items == Type::Scalar(Scalar::U8) => {
                let texts = [&b"hi"[..], b"", b"four", b"12345678", &[1, 0, 0, 0], &[0xff, 0xfe]];
                texts.map(|text| Value::Bytes(text.to_vec())).to_vec()
            }
            Type::Vector(items) | Type::Vector64(items) => {
                let reader = reader.and_then(super::values::items);
                let items = self.values_of(items, reader, depth + 1);
                let mut lists: Vec<Value> = items.iter().map(|item| Value::List(vec![item.clone()])).collect();
                // Three items lead beyond what rounding up leaves behind them, even where there is but one value.
                lists.extend([2, 3].map(|count| Value::List(items.iter().cycle().take(count).cloned().collect())));
                lists.push(Value::List(items.iter().rev().take(LONG).cloned().collect()));
                lists.push(Value::List(Vec::new()));
                lists
            }
            scalar => self.scalars(scalar, reader),
        }
    }

    /// Every member of a union, empty and with something in it.
    fn members(&self, id: EnumId, depth: usize) -> Vec<Value> {
        let mut branches = Vec::new();
        for member in &self.types.writer.schema.enumeration(id).values {
            let (Some(ty), Ok(index)) = (&member.ty, u32::try_from(member.number)) else { continue };
            if index == NONE {
                continue;
            }
            if depth == 0 {
                self.children.set(0);
            }
            let values = match ty {
                Type::Table(_) | Type::Struct(_) => self.values_of(ty, None, depth + 1),
                _ => self.sample(ty, depth + 1).into_iter().collect(),
            };
            branches.extend(values.into_iter().map(|value| Value::Branch { index, value: Box::new(value) }));
        }
        branches
    }

    /// Values of a number or a text, the most ordinary first. Nothing for all others.
    fn scalars(&self, ty: &Type, reader: Option<&Type>) -> Vec<Value> {
        match ty {
            Type::String => [&b"a"[..], b"", b"four", b"12345678", "Grüße".as_bytes()]
                .map(|text| Value::Text(text.to_vec()))
                .to_vec(),
            Type::Enum(id) => self.enum_values(*id, reader),
            Type::Scalar(Scalar::Bool) => vec![Value::Bool(true), Value::Bool(false)],
            Type::Scalar(Scalar::F32) => value::singles(),
            Type::Scalar(Scalar::F64) => value::doubles(),
            Type::Scalar(scalar) => {
                let (min, max) = range(*scalar);
                let width = if min == 0 { Width::Unsigned64 } else { Width::Signed64 };
                let mut numbers = value::integers(width, &mut Seeded::by_name("flatbuffers"));
                numbers.extend([Value::Int(min), Value::Int(max), Value::Int(9)]);
                numbers.retain(|number| matches!(number, Value::Int(number) if (min..=max).contains(number)));
                numbers
            }
            _ => Vec::new(),
        }
    }

    /// Between two enums only numbers with the same name on both sides, because enums are observed by themselves.
    fn enum_values(&self, id: EnumId, reader: Option<&Type>) -> Vec<Value> {
        let values = self.types.writer.schema.enumeration(id).values.iter();
        let all: Vec<i128> = values.clone().map(|value| value.number).collect();
        let mut numbers: Vec<i128> = match reader {
            Some(Type::Enum(reader)) => {
                let named = |value: &'_ EnumValue<'_>| (value.number, value.name.text.to_string());
                let known: FxHashSet<_> =
                    self.types.reader.schema.enumeration(*reader).values.iter().map(named).collect();
                let is_common = |value: &&EnumValue<'_>| known.contains(&named(value));
                values.filter(is_common).map(|value| value.number).collect()
            }
            _ => all.clone(),
        };
        if numbers.is_empty() {
            numbers = all;
        }
        // Large numbers and those that are not zero tell more.
        numbers.sort_in_order_by_key(|number| *number == 0);
        let last = numbers.last().copied();
        numbers.truncate(4);
        numbers.extend(last);
        // A set of flags may be empty.
        numbers.extend(self.types.writer.schema.enumeration(id).is_bit_flags.then_some(0));
        numbers.dedup();
        numbers.into_iter().map(|number| number_of(&Type::Enum(id), number)).collect()
    }
}
