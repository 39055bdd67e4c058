//! Synthetic data: every value at which a reader of the other version could go wrong, and little else.
//!
//! Each element that changed is written by itself, with what must be there and with what did not change; so what a
//! reader experiences is due to that element. Everything is deterministic: the same schemas give the same records.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use rustc_hash::FxHashSet;

use crate::change::Identity;
use crate::formats::roundtrip::{Insides, MESSAGE, Made, Outlet, Sides, Variations, collected, pairs};
use crate::ordered::OrderedSet;
use crate::value::{self, Record, Seeded, Value, Width};

use super::codec::{is_known, is_one_of, map_of, returns_something};
use super::compare::{Comparer, Element, Elements};
use super::ends::is_end;
use super::keys::are_equal;
use super::model::{EnumId, Field, Requiredness, Sort, Struct, StructId, Type};

mod fill;
pub(super) mod keyed;

/// Values in records that have everything, at most: they grow with the square of the struct.
const VALUES: usize = 20_000;
/// Pairs of fields of a struct that is read as a union, at most.
const RIVALS: usize = 200;

/// Writes what the writer of a pair writes.
pub(super) fn records(
    comparer: &Comparer<'_, '_, '_>,
    ids: Sides<StructId>,
    changed: &FxHashSet<&Identity>,
    outlet: &mut Outlet<'_>,
) {
    write(Maker::new(comparer), ids, changed, outlet);
}

fn write(maker: Maker<'_, '_, '_, '_>, ids: Sides<StructId>, changed: &FxHashSet<&Identity>, outlet: &mut Outlet<'_>) {
    let comparer = maker.comparer;
    let elements = comparer.elements(ids);
    let structs = comparer.structs(ids);
    let writer = structs.writer;
    let is_changed = |element: &Element<'_, '_>| {
        changed.contains(&element.identity) || differs(comparer, element) || maker.has_replaced(element)
    };
    let changed: Vec<bool> = elements.list.iter().map(is_changed).collect();
    let base = maker.base(ids, &changed);
    let full = maker.full(ids, &changed, &base);
    if !is_one_of(writer) || writer.sort == Sort::Result && !returns_something(writer) {
        outlet.write(base.clone());
    }
    without((comparer, ids), &elements, &base, outlet);
    let mut written = Vec::new();
    for (element, is_changed) in elements.list.iter().zip(&changed) {
        let Some(field) = element.writer.filter(|_| *is_changed || is_one_of(writer)) else { continue };
        if is_known(&field.ty) {
            written.push((element, *is_changed));
        } else if *is_changed {
            let reason = "because the round trips do not know its type";
            outlet.leave_out(format!("synthetic values of `{}.{}`, {reason}", writer.full_name, field.name.text));
        }
    }
    let all_at_once = (!is_one_of(writer) && !is_one_of(structs.reader)).then_some(&full);
    let companions = Cell::new(VALUES / full.fields.len().max(1));
    outlet.write_each(&Fields { maker: &maker, written, base: &base, full: all_at_once, companions });
    if !is_one_of(writer) {
        maker.rivals(&elements, structs, &base, outlet);
        maker.moved(&elements, &base, outlet);
    }
    if let Some(full) = all_at_once {
        outlet.write(full.clone());
    }
    outlet.lack(maker.lacking.borrow().iter().map(String::as_str), []);
    let partly = maker.partly.borrow();
    let partly = partly.iter().filter_map(|id| elements.of_writer(*id));
    outlet.limit(partly.map(|index| elements.list[index].identity.clone()));
}

/// The fields of a struct that deserve values of their own.
struct Fields<'m, 'c, 's, 'b, 'k> {
    maker: &'m Maker<'c, 's, 'b, 'k>,
    /// Each with whether it changed.
    written: Vec<(&'m Element<'s, 'b>, bool)>,
    base: &'m Record,
    /// The record of all that did not change, where a record may have several fields.
    full: Option<&'m Record>,
    /// How many more values are written in it.
    companions: Cell<usize>,
}

impl Fields<'_, '_, '_, '_, '_> {
    fn id(&self, element: usize) -> i32 {
        self.written[element].0.writer.map_or(0, |field| field.id.into())
    }
}

impl Variations for Fields<'_, '_, '_, '_, '_> {
    fn count(&self) -> usize {
        self.written.len()
    }

    fn identities(&self, element: usize) -> Vec<Identity> {
        vec![self.written[element].0.identity.clone()]
    }

    fn width(&self) -> usize {
        1 + self.base.fields.len()
    }

    /// Each value once by itself and at most once among others, of which there are no more in all than [`VALUES`].
    fn cost(&self) -> usize {
        let full = self.full.map_or(0, |full| full.fields.len());
        2 * (MESSAGE + self.width()) + full.min(VALUES / self.count().max(1))
    }

    fn values(&self, element: usize) -> Vec<Value> {
        let (Element { writer, reader, .. }, is_changed) = self.written[element];
        match (writer, is_changed) {
            (Some(field), true) => self.maker.values(field, *reader),
            (Some(field), false) => self.maker.sample(&field.ty, *reader, 0).into_iter().collect(),
            (None, _) => Vec::new(),
        }
    }

    fn alone(&self, element: usize, value: Value) -> Vec<Value> {
        vec![Value::Record(self.base.clone().with(self.id(element), value))]
    }

    fn together(&self, values: &mut dyn Iterator<Item = (usize, Value)>) -> (Value, Vec<usize>) {
        let Some(full) = self.full else { return (Value::Null, Vec::new()) };
        let (mut record, mut included) = (full.clone(), Vec::new());
        for (element, value) in values {
            record.fields.insert(self.id(element), value);
            included.push(element);
        }
        (Value::Record(record), included)
    }

    fn write_all(&self, element: usize, values: Vec<Value>, outlet: &mut Outlet<'_>) {
        for wrote in values.iter().flat_map(|value| self.alone(element, value.clone())) {
            outlet.write(wrote);
        }
        let Some(full) = self.full else { return };
        let shown = values.len().min(3).min(self.companions.get());
        self.companions.set(self.companions.get() - shown);
        for value in values.into_iter().take(shown) {
            outlet.write(full.clone().with(self.id(element), value));
        }
    }
}

/// Writes the record without what the reader requires and the writer may leave out, or leaves out where data come to an
/// end, one at a time.
fn without(
    (comparer, ids): (&Comparer<'_, '_, '_>, Sides<StructId>),
    elements: &Elements<'_, '_>,
    base: &Record,
    outlet: &mut Outlet<'_>,
) {
    let schema = comparer.types.writer.schema;
    for Element { writer, reader, identity, .. } in &elements.list {
        let may_lack = |field: &&Field<'_>| match field.requiredness {
            Requiredness::Optional => true,
            Requiredness::Default => is_end(schema, ids.writer, field),
            Requiredness::Required => false,
        };
        if !is_required(*reader) {
            continue;
        }
        let Some(field) = writer.filter(may_lack) else { continue };
        if !base.fields.contains_key(&i32::from(field.id)) {
            continue;
        }
        if outlet.is_half_full(base.fields.len()) {
            outlet.limit([identity.clone()]);
            continue;
        }
        let mut record = base.clone();
        record.fields.remove(&i32::from(field.id));
        outlet.write(record);
    }
}

/// Numbers of an enum that are worth writing: those whose names differ, and two that have the same.
pub(super) fn enum_numbers(comparer: &Comparer<'_, '_, '_>, ids: Sides<EnumId>) -> Vec<i32> {
    let read = comparer.read_names(ids.reader);
    let (mut same, mut known) = (0, FxHashSet::default());
    let mut numbers: Vec<i32> = Vec::new();
    for value in &comparer.types.writer.schema.enumeration(ids.writer).values {
        let is_same = read.names(value.number.into()).iter().any(|name| **name == *value.name.text);
        same += usize::from(is_same);
        if (!is_same || same <= 2) && known.insert(value.number) {
            numbers.push(value.number);
        }
    }
    numbers
}

/// Whether the fields of an element differ in anything that readers could feel. Differences inside structs and enums are
/// not looked at.
fn differs(comparer: &Comparer<'_, '_, '_>, element: &Element<'_, '_>) -> bool {
    let (Some(writer), Some(reader)) = (element.writer, element.reader) else { return true };
    element.is_moved
        || comparer.defaults_differ(Sides { writer, reader })
        || writer.requiredness != reader.requiredness
        || types_differ(&writer.ty, &reader.ty)
}

fn types_differ(writer: &Type, reader: &Type) -> bool {
    match (writer, reader) {
        (Type::Struct(_), Type::Struct(_)) | (Type::Enum(_), Type::Enum(_)) => false,
        (Type::List(writer), Type::List(reader)) | (Type::Set(writer), Type::Set(reader)) => {
            types_differ(writer, reader)
        }
        (Type::Map(writer), Type::Map(reader)) => {
            types_differ(&writer.0, &reader.0) || types_differ(&writer.1, &reader.1)
        }
        (writer, reader) => writer != reader,
    }
}

fn is_required(field: Option<&Field<'_>>) -> bool {
    field.is_some_and(|field| field.requiredness == Requiredness::Required)
}

struct Maker<'c, 's, 'b, 'k> {
    comparer: &'c Comparer<'s, 'b, 'k>,
    /// Structs filled in for the value in the making.
    children: Cell<usize>,
    /// The structs that took each other's place around what is written.
    within: Vec<Sides<StructId>>,
    /// What was made of structs that took each other's place.
    insides: Rc<Insides<StructId, ()>>,
    /// The ids of fields whose values are not all written.
    partly: RefCell<FxHashSet<i32>>,
    /// What stands in structs beside what must.
    fill: Fill,
    /// The structs in the making, each with what it is read as.
    open: RefCell<Vec<(StructId, Option<StructId>)>>,
    /// The structs of which nothing could be made where it was asked for.
    lacking: RefCell<OrderedSet<String>>,
}

/// What stands in structs beside what must.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fill {
    /// Numbers and truth values that no writer can leave out.
    Plain,
    /// All that is written unless it is a null: what two keys differ in is no null.
    Always,
}

impl<'c, 's, 'b, 'k> Maker<'c, 's, 'b, 'k> {
    /// Nothing is made yet.
    fn new(comparer: &'c Comparer<'s, 'b, 'k>) -> Self {
        Maker {
            comparer,
            children: Cell::new(0),
            within: Vec::new(),
            insides: Rc::default(),
            partly: RefCell::default(),
            fill: Fill::Plain,
            open: RefCell::default(),
            lacking: RefCell::default(),
        }
    }
}

impl Maker<'_, '_, '_, '_> {
    /// Notes that nothing of a struct could be made.
    fn lack(&self, id: StructId) {
        let name = &self.comparer.types.writer.structure(id).full_name;
        self.lacking.borrow_mut().insert(name.to_string());
    }

    /// Whether a type took the place of another in a field.
    fn has_replaced(&self, element: &Element<'_, '_>) -> bool {
        let (Some(writer), Some(reader)) = (element.writer, element.reader) else { return false };
        self.are_replaced(&writer.ty, &reader.ty)
    }

    fn are_replaced(&self, writer: &Type, reader: &Type) -> bool {
        match (writer, reader) {
            (Type::Struct(writer), Type::Struct(reader)) => {
                self.comparer.is_replaced(Sides { writer: *writer, reader: *reader })
            }
            (Type::Enum(writer), Type::Enum(reader)) => {
                self.comparer.is_replaced_enum(Sides { writer: *writer, reader: *reader })
            }
            (Type::List(writer) | Type::Set(writer), Type::List(reader) | Type::Set(reader)) => {
                self.are_replaced(writer, reader)
            }
            (Type::Map(writer), Type::Map(reader)) => {
                self.are_replaced(&writer.0, &reader.0) || self.are_replaced(&writer.1, &reader.1)
            }
            _ => false,
        }
    }

    /// Every value of a type that is read as the one in its place.
    fn replaced(&self, field: i32, ty: &Type, through: &Type) -> Vec<Value> {
        match (ty, through) {
            (Type::Struct(writer), Type::Struct(reader)) => {
                let ids = Sides { writer: *writer, reader: *reader };
                if self.comparer.is_replaced(ids) { self.inside(field, ids) } else { Vec::new() }
            }
            (Type::Enum(writer), Type::Enum(reader)) => {
                let ids = Sides { writer: *writer, reader: *reader };
                let numbers = match self.comparer.is_replaced_enum(ids) {
                    true => enum_numbers(self.comparer, ids),
                    false => Vec::new(),
                };
                numbers.into_iter().map(|number| Value::Enum { ty: writer.0, number }).collect()
            }
            (Type::List(writer) | Type::Set(writer), Type::List(reader) | Type::Set(reader)) => {
                let is_set = matches!(through, Type::Set(_));
                let items = self.replaced(field, writer, reader);
                // Items of a set that only their writer tells apart are one to the reader.
                let beside = items.first().filter(|_| is_set).cloned();
                let alone = items.iter().cloned().map(|item| vec![item]);
                let both = items.iter().skip(1).filter_map(|item| Some(vec![beside.clone()?, item.clone()]));
                alone.chain(both).map(Value::List).collect()
            }
            (Type::Map(writer), Type::Map(reader)) => {
                let key = self.sample_as(&writer.0, Some(&reader.0), 1);
                let content = self.sample_as(&writer.1, Some(&reader.1), 1);
                let (Some(key), Some(content)) = (key, content) else { return Vec::new() };
                let keys = self.replaced(field, &writer.0, &reader.0);
                let contents = self.replaced(field, &writer.1, &reader.1);
                let with = |key: &Value| (key.clone(), content.clone());
                let of_keys = keys.iter().map(|other| vec![with(other)]);
                let beside = keys.iter().skip(1).map(|other| vec![with(&keys[0]), with(other)]);
                let of_contents = contents.into_iter().map(|other| vec![(key.clone(), other)]);
                of_keys.chain(beside).chain(of_contents).map(|entries| map_of(&writer.0, entries)).collect()
            }
            _ => Vec::new(),
        }
    }

    fn inside(&self, field: i32, ids: Sides<StructId>) -> Vec<Value> {
        let make = |budget| {
            let within = [&self.within[..], &[ids]].concat();
            let maker = Maker { within, insides: self.insides.clone(), ..Maker::new(self.comparer) };
            let (values, is_whole) = collected(budget, |outlet| write(maker, ids, &FxHashSet::default(), outlet));
            Made { values, is_whole, lacking: () }
        };
        let made = match self.within.contains(&ids) {
            true => None,
            false => self.insides.made(ids, self.within.len(), make),
        };
        let Made { values, is_whole, .. } = made.unwrap_or_default();
        if !is_whole {
            self.partly.borrow_mut().insert(field);
        }
        values
    }

    /// The values that a changed field is given, each in records of its own.
    fn values(&self, field: &Field<'_>, reader: Option<&Field<'_>>) -> Vec<Value> {
        self.children.set(0);
        let known = self.lacking.take();
        let mut values = match reader {
            Some(reader) => self.values_of(&field.ty, Some(&reader.ty), 0),
            None => self.values_of(&field.ty, None, 0),
        };
        if !self.lacking.borrow().is_empty() {
            self.partly.borrow_mut().insert(field.id.into());
        }
        self.lacking.borrow_mut().extend(known);
        let Some(reader) = reader else {
            // Two, so that what only this field tells apart is one to the reader.
            values.truncate(2);
            return values;
        };
        if !types_differ(&field.ty, &reader.ty) {
            values.truncate(3);
        }
        values.extend(self.replaced(field.id.into(), &field.ty, &reader.ty));
        values
    }

    fn values_of(&self, ty: &Type, reader: Option<&Type>, depth: usize) -> Vec<Value> {
        match ty {
            Type::Struct(id) => {
                let mut children: Vec<Record> = self.filled(*id, reader, 1).into_iter().collect();
                if children.is_empty() {
                    self.lack(*id);
                }
                if depth < 2 {
                    children.extend(self.children_of(*id, reader));
                }
                children.dedup();
                children.into_iter().map(Value::Record).collect()
            }
            Type::List(items) | Type::Set(items) => {
                let is_read_as_set = matches!((ty, reader), (Type::List(_), Some(Type::Set(_))));
                let reader = match reader {
                    Some(Type::List(reader) | Type::Set(reader)) => Some(&**reader),
                    _ => None,
                };
                let items = self.values_of(items, reader, depth + 1);
                let mut lists: Vec<Value> = items.iter().map(|item| Value::List(vec![item.clone()])).collect();
                let twice = items.first().filter(|_| is_read_as_set).map(|item| vec![item.clone(); 2]);
                lists.extend(twice.map(Value::List));
                lists.push(Value::List(match ty {
                    Type::Set(of) => self.unequal(of, items),
                    _ => items.into_iter().take(2).collect(),
                }));
                lists.push(Value::List(Vec::new()));
                lists
            }
            Type::Map(pair) => {
                let readers = match reader {
                    Some(Type::Map(readers)) => (Some(&readers.0), Some(&readers.1)),
                    _ => (None, None),
                };
                let keys = self.values_of(&pair.0, readers.0, depth + 1);
                let contents = self.values_of(&pair.1, readers.1, depth + 1);
                let (Some(key), Some(content)) = (keys.first(), contents.first()) else {
                    return vec![map_of(&pair.0, Vec::new())];
                };
                let of_keys = keys.iter().map(|key| vec![(key.clone(), content.clone())]);
                let of_contents = contents.iter().map(|content| vec![(key.clone(), content.clone())]);
                let both = self.unequal(&pair.0, keys.clone()).into_iter().zip(contents.iter().cloned()).collect();
                let all = of_keys.chain(of_contents).chain([both, Vec::new()]);
                all.map(|entries| map_of(&pair.0, entries)).collect()
            }
            scalar => self.scalars(scalar, reader),
        }
    }

    /// The first two values that are not equal to their writer: of equal items of a set, and of entries with equal keys,
    /// one is all that can be written.
    fn unequal(&self, ty: &Type, values: Vec<Value>) -> Vec<Value> {
        let mut values = values.into_iter();
        let first = values.next();
        let is_equal = |one: &Value, other: &Value| are_equal(self.comparer.types.writer, ty, (one, other));
        let second = first.as_ref().and_then(|first| values.find(|value| !is_equal(first, value)));
        first.into_iter().chain(second).collect()
    }

    /// Values of a scalar type, the most ordinary first. Nothing for all others.
    fn scalars(&self, ty: &Type, reader: Option<&Type>) -> Vec<Value> {
        let mut seeded = Seeded::by_name("thrift");
        let within = |low: i128, high: i128, seeded: &mut Seeded| {
            let mut numbers = value::integers(Width::Signed64, seeded);
            numbers.extend([Value::Int(low), Value::Int(high)]);
            numbers.retain(|number| matches!(number, Value::Int(number) if (low..=high).contains(number)));
            numbers
        };
        match ty {
            Type::Bool => vec![Value::Bool(true), Value::Bool(false)],
            Type::I8 => within(i8::MIN.into(), i8::MAX.into(), &mut seeded),
            Type::I16 => within(i16::MIN.into(), i16::MAX.into(), &mut seeded),
            Type::I32 => value::integers(Width::Signed32, &mut seeded),
            Type::I64 => value::integers(Width::Signed64, &mut seeded),
            Type::Double => value::doubles(),
            Type::String => value::texts(),
            Type::Binary => value::byte_strings(),
            Type::Uuid => vec![Value::Bytes((1..=16).collect()), Value::Bytes(vec![0; 16])],
            Type::Enum(id) => self.enum_values(*id, reader),
            Type::Struct(_) | Type::List(_) | Type::Set(_) | Type::Map(_) => Vec::new(),
            Type::Void | Type::Float | Type::Other(_) | Type::Opaque(_) => Vec::new(),
        }
    }

    /// Between two enums only numbers with the same name on both sides, because enums are observed by themselves.
    fn enum_values(&self, id: EnumId, reader: Option<&Type>) -> Vec<Value> {
        let types = self.comparer.types;
        let values = types.writer.schema.enumeration(id).values.iter();
        let all: Vec<i32> = values.clone().map(|value| value.number).take(8).collect();
        let mut numbers = match reader {
            Some(Type::Enum(reader)) => {
                let read = self.comparer.read_names(*reader);
                let is_common = |value: &&super::model::EnumValue<'_>| {
                    read.names(value.number.into()).iter().any(|name| **name == *value.name.text)
                };
                values.filter(is_common).map(|value| value.number).take(3).collect()
            }
            _ => all.clone(),
        };
        if numbers.is_empty() {
            numbers = all;
        }
        numbers.into_iter().map(|number| Value::Enum { ty: id.0, number }).collect()
    }

    /// Writes pairs of fields that the reader can have only one of.
    fn rivals(&self, elements: &Elements<'_, '_>, structs: Sides<&Struct<'_>>, base: &Record, outlet: &mut Outlet<'_>) {
        if !is_one_of(structs.reader) {
            return;
        }
        let shared = elements.list.iter().filter_map(|element| Some((element.writer?, element.reader?)));
        let shared: Vec<(&Field<'_>, &Field<'_>)> = shared.collect();
        for (first, second) in pairs(shared.len(), RIVALS) {
            if outlet.is_full(2 + base.fields.len()) {
                return outlet.refuse();
            }
            let ((first, reader), (second, other)) = (shared[first], shared[second]);
            self.children.set(0);
            let values = (self.sample(&first.ty, Some(reader), 0), self.sample(&second.ty, Some(other), 0));
            if let (Some(one), Some(two)) = values {
                outlet.write(base.clone().with(first.id.into(), one).with(second.id.into(), two));
            }
        }
    }

    /// Writes fields whose data arrive where the reader has another, together and with different values.
    fn moved(&self, elements: &Elements<'_, '_>, base: &Record, outlet: &mut Outlet<'_>) {
        let moved = elements.list.iter().filter(|element| element.is_moved);
        let fields: Vec<&Field<'_>> = moved.filter_map(|element| element.writer).collect();
        for pair in fields.windows(2) {
            let [first, second] = pair else { continue };
            if outlet.is_full(2 + base.fields.len()) {
                return outlet.refuse();
            }
            let one = self.values_of(&first.ty, None, 0).into_iter().next();
            let two = self.values_of(&second.ty, None, 0);
            if let (Some(one), Some(two)) = (one, two.get(2).or(two.last()).cloned()) {
                outlet.write(base.clone().with(first.id.into(), one).with(second.id.into(), two));
            }
        }
    }
}
