//! Single values: the smallest message of a type, and the values of scalars and enums at which a reader could go wrong.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use crate::formats::roundtrip::{Insides, Sides};
use crate::ordered::{OrderedMap, OrderedSet};
use crate::value::{self, Record, Seeded, Value, Width};

use super::codec::{self, Types, map_key};
use super::compare::Comparer;
use super::model::{Cardinality, EnumId, Field, Kind, MessageId, Presence};
use super::well_known::WellKnown;

/// Children that are filled in for one value, at most: messages that require messages that require messages.
const CHILDREN: usize = 200;
/// How deep children are filled in.
pub(super) const CHILD_DEPTH: usize = 5;
/// Members of a message that are set in its children.
pub(super) const CHILD_FIELDS: usize = 4;
/// The fields of an entry (<https://protobuf.dev/programming-guides/encoding/#maps>).
pub(super) const KEY: i32 = 1;
/// The same.
pub(super) const VALUE: i32 = 2;

/// The field of `google.protobuf.Value` that says yes or no.
const BOOL_VALUE: i32 = 4;

/// How much attention an element deserves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Focus {
    /// It is the same on both sides: a value in the message that has everything.
    Shared,
    /// A message with one value.
    One,
    /// A value, the default, nothing, two elements.
    Few,
    /// Every boundary value.
    Full,
    /// Every value that a message would be given that took the place of another.
    Replaced,
}

/// Makes values of the writer's types.
pub(super) struct Maker<'c, 's, 'a, 'k> {
    /// Who writes and who reads.
    pub(super) comparer: &'c Comparer<'s, 'a, 'k>,
    /// Children filled in for the value in the making.
    pub(super) children: Cell<usize>,
    /// The messages that are made to be read as what took their place, the outermost first.
    pub(super) within: Vec<Sides<MessageId>>,
    /// The fields that did not get every value.
    pub(super) partly: RefCell<OrderedSet<i32>>,
    /// What was made of messages that are read as what took their place.
    pub(super) insides: Rc<Insides<MessageId, ()>>,
}

impl<'c, 's, 'a, 'k> Maker<'c, 's, 'a, 'k> {
    /// Nothing is made yet.
    pub(super) fn new(comparer: &'c Comparer<'s, 'a, 'k>) -> Self {
        let (within, insides) = (Vec::new(), Rc::default());
        Self { comparer, children: Cell::new(0), within, partly: RefCell::default(), insides }
    }

    /// The same, inside of messages of which one took the place of the other; `None` where it is inside of them already.
    pub(super) fn inside(&self, ids: Sides<MessageId>) -> Option<Self> {
        let within = [&self.within[..], &[ids]].concat();
        let insides = self.insides.clone();
        (!self.within.contains(&ids)).then(|| Self { within, insides, ..Self::new(self.comparer) })
    }

    /// The types that are written.
    pub(super) fn writer(&self) -> Types<'s, 'a> {
        self.comparer.writer
    }

    /// The record with one more field; a default that is not written stays away, and so does the rest of its oneof.
    pub(super) fn put(&self, mut record: Record, field: &Field<'_>, value: Value) -> Record {
        match value {
            Value::List(values) if values.is_empty() => {}
            Value::Map(entries) if entries.is_empty() => {}
            value => codec::set(self.writer(), &mut record, field, value),
        }
        record
    }

    /// The smallest record of a type.
    pub(super) fn base(&self, writer: MessageId, reader: Option<MessageId>) -> Record {
        self.children.set(0);
        self.filled(writer, reader, 0)
    }

    /// A record of a type with what the writer requires; with a reader's type, what that requires and the writer has.
    pub(super) fn filled(&self, writer: MessageId, reader: Option<MessageId>, depth: usize) -> Record {
        let mut record = Record::empty(writer.0);
        self.children.set(self.children.get() + 1);
        if depth > CHILD_DEPTH || self.children.get() > CHILDREN {
            return record;
        }
        // A value without anything in it has no form in JSON.
        let of_any_kind = self.writer().field(writer, BOOL_VALUE);
        if let (Some(WellKnown::Value), Some(field), true) =
            (WellKnown::of(self.writer(), writer), of_any_kind, depth > 0)
        {
            record = self.put(record, field, Value::Bool(true));
        }
        let requires_none = |types: Types<'_, '_>, id: Option<MessageId>| id.is_none_or(|id| types.requires_none(id));
        if requires_none(self.writer(), Some(writer)) && requires_none(self.comparer.reader, reader) {
            return record;
        }
        match reader {
            Some(reader) => {
                for element in &self.comparer.elements(Sides { writer, reader }).list {
                    let is_required =
                        |field: Option<&Field<'_>>| field.is_some_and(|field| field.presence == Presence::Required);
                    let (Some(field), true) =
                        (element.writer, is_required(element.writer) || is_required(element.reader))
                    else {
                        continue;
                    };
                    if let Some(value) = self.sample(field, element.reader, depth) {
                        record = self.put(record, field, value);
                    }
                }
            }
            None => {
                for field in self.writer().fields(writer).filter(|field| field.presence == Presence::Required) {
                    if let Some(value) = self.sample(field, None, depth) {
                        record = self.put(record, field, value);
                    }
                }
            }
        }
        record
    }

    /// The smallest record of a type with what the reader finds at the numbers of all that it requires, whatever that is.
    pub(super) fn demanded_by_numbers(&self, ids: Sides<MessageId>) -> Record {
        let mut record = self.base(ids.writer, None);
        let demanded = self.comparer.reader.fields(ids.reader).filter(|field| field.presence == Presence::Required);
        for reader in demanded {
            let Some(field) = self.writer().field(ids.writer, reader.number) else { continue };
            if !record.fields.contains_key(&field.number)
                && let Some(value) = self.sample(field, Some(reader), 0)
            {
                record = self.put(record, field, value);
            }
        }
        record
    }

    /// One value of a field, wrapped as its cardinality demands. It is not a default, and both sides understand it
    /// where that is possible.
    pub(super) fn sample(&self, field: &Field<'_>, reader: Option<&Field<'_>>, depth: usize) -> Option<Value> {
        let value = match field.kind {
            Kind::Opaque => return None,
            Kind::Message(id) => {
                let counterpart = match reader.map(|reader| reader.kind) {
                    Some(Kind::Message(reader)) => Some(reader),
                    _ => None,
                };
                Value::Record(self.filled(id, counterpart, depth + 1))
            }
            kind => self.understood(field, kind, reader)?,
        };
        self.wrapped(field, value)
    }

    /// The most ordinary value; for a reader who demands a value of an enum, one that this names.
    fn understood(&self, field: &Field<'_>, kind: Kind, reader: Option<&Field<'_>>) -> Option<Value> {
        let read = reader.map(|reader| reader.kind);
        let demanded = match reader.filter(|reader| reader.presence == Presence::Required).map(|reader| reader.kind) {
            Some(Kind::Enum(demanded)) if !matches!(kind, Kind::Enum(_)) => Some(demanded),
            _ => None,
        };
        let named = demanded.and_then(|demanded| {
            let all = self.scalars(field, kind, read, Focus::Full);
            all.into_iter().find(|value| self.is_named(demanded, value))
        });
        named.or_else(|| self.scalars(field, kind, read, Focus::One).into_iter().next())
    }

    /// A value of an element as a value of the field: alone, as a list, or as a map.
    pub(super) fn wrapped(&self, field: &Field<'_>, value: Value) -> Option<Value> {
        Some(match field.cardinality {
            Cardinality::Singular => value,
            Cardinality::Repeated => Value::List(vec![value]),
            Cardinality::Map { key } => {
                let key = self.scalars(field, key, None, Focus::One).into_iter().next().and_then(map_key)?;
                Value::Map(OrderedMap::from([(key, value)]))
            }
        })
    }

    /// Values of a scalar or enum type, the most ordinary first. Nothing for messages.
    pub(super) fn scalars(&self, field: &Field<'_>, kind: Kind, reader: Option<Kind>, focus: Focus) -> Vec<Value> {
        let mut seeded = Seeded::by_name(&field.name);
        let looks_named = |width| self.looks_named(reader, width);
        let mut values = match kind {
            Kind::Double => value::doubles(),
            Kind::Float => value::singles(),
            Kind::Int32 | Kind::Sint32 | Kind::Sfixed32 => {
                [value::integers(Width::Signed32, &mut seeded), looks_named(Width::Signed32)].concat()
            }
            Kind::Int64 | Kind::Sint64 | Kind::Sfixed64 => {
                [value::integers(Width::Signed64, &mut seeded), looks_named(Width::Signed64)].concat()
            }
            Kind::Uint32 | Kind::Fixed32 => {
                [value::integers(Width::Unsigned32, &mut seeded), looks_named(Width::Unsigned32)].concat()
            }
            Kind::Uint64 | Kind::Fixed64 => {
                [value::integers(Width::Unsigned64, &mut seeded), looks_named(Width::Unsigned64)].concat()
            }
            Kind::Bool => vec![Value::Bool(true), Value::Bool(false)],
            Kind::String => {
                let mut texts = value::texts();
                if !field.utf8 {
                    texts.push(value::invalid_text());
                }
                texts
            }
            Kind::Bytes => value::byte_strings(),
            Kind::Enum(id) => self.enum_values(id, reader),
            Kind::Message(_) | Kind::Opaque => Vec::new(),
        };
        match focus {
            Focus::Full | Focus::Replaced => {}
            Focus::Few => values.truncate(3),
            Focus::One | Focus::Shared => values.truncate(1),
        }
        values
    }

    /// Numbers that come out as one that the reader's enum names: cut to 32 bits, or by their zigzag code.
    fn looks_named(&self, reader: Option<Kind>, width: Width) -> Vec<Value> {
        let Some(Kind::Enum(id)) = reader else { return Vec::new() };
        let values = self.comparer.reader.schema.enumeration(id).ast.values.iter();
        let named = values.filter(|value| value.number != 0).take(2).map(|value| i128::from(value.number));
        let coded = |number: i128| {
            let code = (number as u32) as i64;
            i128::from((code >> 1) ^ -(code & 1))
        };
        let numbers = named.flat_map(|number| [number, number + (1 << 32), coded(number)]);
        let (low, high) = width.range();
        numbers.filter(|number| (low..=high).contains(number)).map(Value::Int).collect()
    }

    /// Between two enums only numbers with the same name on both sides, because enums are observed by themselves;
    /// for any other reader every named number, and for an open enum some without a name.
    fn enum_values(&self, id: EnumId, reader: Option<Kind>) -> Vec<Value> {
        let definition = self.writer().schema.enumeration(id);
        let all = definition.ast.values.iter();
        let named: Vec<i32> = match reader {
            Some(Kind::Enum(reader)) if self.comparer.is_replaced_enum(Sides { writer: id, reader }) => {
                enum_numbers(self.writer(), self.comparer.reader, Sides { writer: id, reader })
            }
            Some(Kind::Enum(reader)) => {
                let others = &self.comparer.reader.schema.enumeration(reader).ast.values;
                let is_common = |number: i64, name: &str| {
                    others.iter().find(|other| other.number == number).is_some_and(|other| other.name.text == name)
                };
                let common = all.clone().filter(|value| is_common(value.number, &value.name.text));
                let mut common: Vec<i32> = common.filter_map(|value| i32::try_from(value.number).ok()).collect();
                if common.iter().all(|number| *number == 0) && !definition.is_closed {
                    // A default may not be written at all; a number that nobody names is.
                    let is_named = |number: &i32| {
                        self.writer().names_number(id, *number) || self.comparer.reader.names_number(reader, *number)
                    };
                    common.extend((1..=i32::MAX).find(|number| !is_named(number)));
                }
                if common.is_empty() {
                    all.filter_map(|value| i32::try_from(value.number).ok()).collect()
                } else {
                    common
                }
            }
            _ => {
                let mut numbers: Vec<i32> = all.filter_map(|value| i32::try_from(value.number).ok()).collect();
                if !definition.is_closed && (reader.is_some() || numbers.iter().all(|number| *number == 0)) {
                    numbers.extend((1..=i32::MAX).find(|number| !self.writer().names_number(id, *number)));
                    numbers.extend((i32::MIN..0).rev().find(|number| !self.writer().names_number(id, *number)));
                }
                numbers
            }
        };
        let (mut ordinary, zero): (Vec<i32>, Vec<i32>) = named.into_iter().partition(|number| *number != 0);
        ordinary.splice(ordinary.len().min(1)..ordinary.len().min(1), zero);
        ordinary.into_iter().map(|number| Value::Enum { ty: id.0, number }).collect()
    }
}

/// Numbers of an enum that are worth writing: those whose names differ, one that does not, and some that nobody names.
pub(super) fn enum_numbers(writer: Types<'_, '_>, reader: Types<'_, '_>, enums: Sides<EnumId>) -> Vec<i32> {
    let (written, read) = (writer.schema.enumeration(enums.writer), reader.schema.enumeration(enums.reader));
    let mut names: OrderedMap<i32, (Vec<&str>, Vec<&str>)> = OrderedMap::new();
    for value in &written.ast.values {
        if let Ok(number) = i32::try_from(value.number) {
            names.entry(number).or_default().0.push(&value.name.text);
        }
    }
    for value in &read.ast.values {
        if let Ok(number) = i32::try_from(value.number) {
            names.entry(number).or_default().1.push(&value.name.text);
        }
    }
    let writable = names.iter().filter(|(_, (written, _))| !written.is_empty());
    let mut numbers: Vec<i32> =
        writable.clone().filter(|(_, (written, read))| written != read).map(|(number, _)| *number).collect();
    numbers.extend(writable.filter(|(_, (written, read))| written == read).map(|(number, _)| *number).take(2));
    if !written.is_closed {
        numbers.extend((1..=i32::MAX).find(|number| !names.contains_key(number)));
        numbers.extend((i32::MIN..0).rev().find(|number| !names.contains_key(number)));
    }
    numbers
}

pub(super) fn is_map(field: &Field<'_>) -> bool {
    matches!(field.cardinality, Cardinality::Map { .. })
}
