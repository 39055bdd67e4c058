//! Synthetic messages: every value at which a reader of the other version could go wrong, and little else.
//!
//! Elements that differ get the boundary values of their type, one message for each; elements that are the same on both
//! sides share one message. So the number of messages follows the size of the change, not of the schema.
//! Everything is deterministic: the same schemas give the same messages.

use std::cell::Cell;
use std::collections::BTreeMap;

use crate::value::{self, Key, Record, Seeded, Value, Width};

use super::codec::{Types, is_zero, map_key};
use super::compare::{Comparer, Element};
use super::model::{Cardinality, EnumId, Field, Kind, MessageId, Presence};
use super::payloads;

/// More messages than this are not written for one pair and direction.
const MESSAGES: usize = 3000;
/// Pairs of rival oneof members, at most: they grow with the square of the oneof.
const RIVALS: usize = 500;
/// Children that are filled in for one value, at most: messages that require messages that require messages.
const CHILDREN: usize = 200;
/// How deep children are filled in.
const CHILD_DEPTH: usize = 5;
/// How deep the chain of a type that holds itself is.
const CHAIN: usize = 20;
/// Messages of more fields get no chain.
const CHAIN_FIELDS: usize = 60;

/// How much attention an element deserves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Focus {
    /// It is the same on both sides: a value in the message that has everything.
    Shared,
    /// A message with one value.
    One,
    /// A value, the default, nothing, two elements.
    Few,
    /// Every boundary value.
    Full,
}

/// The messages of one pair and direction.
pub(crate) struct Messages {
    /// The records to write, the small ones first.
    pub(crate) records: Vec<Record>,
    /// What was left out, if anything.
    pub(crate) left_out: Option<String>,
}

/// The messages that the writer of a pair writes. `is_changed` says by index of the element that something of it
/// differs which the fields themselves do not show.
pub(crate) fn messages(
    comparer: &Comparer<'_, '_, '_>,
    types: (MessageId, MessageId),
    is_changed: &dyn Fn(usize) -> bool,
) -> Messages {
    let (writer, reader) = types;
    let maker = Maker::new(comparer);
    let elements = comparer.elements(writer, reader);
    let base = maker.base(writer, Some(reader));
    let mut records = vec![maker.base(writer, None), base.clone()];
    for (index, element) in elements.list.iter().enumerate() {
        let Some(field) = element.writer else { continue };
        let focus = maker.focus(element, elements.oneof_differs(index), is_changed(index));
        for value in maker.field_values(field, element.reader, focus) {
            records.push(maker.put(base.clone(), field, value));
        }
    }
    records.extend(maker.crossed(types, &elements.list, &base));
    let rivals = maker.rivals(&elements.list, &base);
    let mut left_out = rivals.len().saturating_sub(RIVALS);
    records.extend(rivals.into_iter().take(RIVALS));
    records.push(maker.everything(&elements.list, &base));
    records.extend(maker.chain(writer, &elements.list, &base));
    records.dedup();
    left_out += records.len().saturating_sub(MESSAGES);
    records.truncate(MESSAGES);
    let name = &comparer.writer.schema.message(writer).full_name;
    let told = format!("{left_out} of {} synthetic messages of `{name}`", records.len() + left_out);
    Messages { records, left_out: (left_out > 0).then_some(told) }
}

/// The smallest message that both sides of a pair can read, as far as the writer has what is required.
pub(crate) fn base(comparer: &Comparer<'_, '_, '_>, types: (MessageId, MessageId)) -> Record {
    Maker::new(comparer).base(types.0, Some(types.1))
}

/// The one value that is written where any will do.
pub(crate) fn sample(comparer: &Comparer<'_, '_, '_>, field: &Field<'_>) -> Option<Value> {
    Maker::new(comparer).sample(field, None, 0)
}

/// Numbers of an enum that are worth writing: those whose names differ, one that does not, and some that nobody names.
pub(crate) fn enum_numbers(writer: Types<'_, '_>, reader: Types<'_, '_>, enums: (EnumId, EnumId)) -> Vec<i32> {
    let (written, read) = (writer.schema.enumeration(enums.0), reader.schema.enumeration(enums.1));
    let mut names: BTreeMap<i32, (Vec<&str>, Vec<&str>)> = BTreeMap::new();
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

pub(super) struct Maker<'c, 's, 'a, 'k> {
    pub(super) comparer: &'c Comparer<'s, 'a, 'k>,
    /// Children filled in for the value in the making.
    children: Cell<usize>,
}

impl<'c, 's, 'a, 'k> Maker<'c, 's, 'a, 'k> {
    pub(super) fn new(comparer: &'c Comparer<'s, 'a, 'k>) -> Self {
        Self { comparer, children: Cell::new(0) }
    }

    fn writer(&self) -> Types<'s, 'a> {
        self.comparer.writer
    }

    fn focus(&self, element: &Element<'_, '_>, oneof_differs: bool, is_changed: bool) -> Focus {
        let (Some(writer), Some(reader)) = (element.writer, element.reader) else {
            return Focus::One;
        };
        let is_map = |field: &Field<'_>| matches!(field.cardinality, Cardinality::Map { .. });
        let kinds_differ = match (writer.kind, reader.kind) {
            (Kind::Message(_), Kind::Message(_)) | (Kind::Enum(_), Kind::Enum(_)) => false,
            (written, read) => written != read,
        };
        let cardinality_differs = writer.cardinality != reader.cardinality;
        if kinds_differ || cardinality_differs && (is_map(writer) || is_map(reader)) || writer.utf8 != reader.utf8 {
            return Focus::Full;
        }
        let shape_differs = cardinality_differs
            || writer.presence != reader.presence
            || writer.packed != reader.packed
            || writer.delimited != reader.delimited
            || writer.default != reader.default
            || oneof_differs;
        if shape_differs {
            return Focus::Few;
        }
        let names_differ = writer.name != reader.name || writer.json_name != reader.json_name || element.is_moved;
        if names_differ || is_changed { Focus::One } else { Focus::Shared }
    }

    /// The record with one more field; a default that is not written stays away, and so does the rest of its oneof.
    pub(super) fn put(&self, mut record: Record, field: &Field<'_>, value: Value) -> Record {
        match value {
            Value::List(values) if values.is_empty() => {}
            Value::Map(entries) if entries.is_empty() => {}
            value => super::codec::set(self.writer(), &mut record, field, value),
        }
        record
    }

    fn base(&self, writer: MessageId, reader: Option<MessageId>) -> Record {
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
        match reader {
            Some(reader) => {
                for element in &self.comparer.elements(writer, reader).list {
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

    /// One value of a field, wrapped as its cardinality demands. It is not a default, and both sides understand it
    /// where that is possible.
    fn sample(&self, field: &Field<'_>, reader: Option<&Field<'_>>, depth: usize) -> Option<Value> {
        let value = match field.kind {
            Kind::Opaque => return None,
            Kind::Message(id) => {
                let counterpart = match reader.map(|reader| reader.kind) {
                    Some(Kind::Message(reader)) => Some(reader),
                    _ => None,
                };
                Value::Record(self.filled(id, counterpart, depth + 1))
            }
            kind => self.scalars(field, kind, reader.map(|reader| reader.kind), Focus::One).into_iter().next()?,
        };
        self.wrapped(field, value)
    }

    fn wrapped(&self, field: &Field<'_>, value: Value) -> Option<Value> {
        Some(match field.cardinality {
            Cardinality::Singular => value,
            Cardinality::Repeated => Value::List(vec![value]),
            Cardinality::Map { key } => {
                let key = self.scalars(field, key, None, Focus::One).into_iter().next().and_then(map_key)?;
                Value::Map(BTreeMap::from([(key, value)]))
            }
        })
    }

    /// The values a field is given, each in a message of its own.
    fn field_values(&self, field: &Field<'_>, reader: Option<&Field<'_>>, focus: Focus) -> Vec<Value> {
        if focus == Focus::Shared || field.kind == Kind::Opaque {
            return Vec::new();
        }
        self.children.set(0);
        if focus == Focus::One {
            return self.sample(field, reader, 0).into_iter().collect();
        }
        let values = self.element_values(field, reader, focus);
        let crafted = reader.filter(|_| focus == Focus::Full).map(|reader| payloads::accepted(self, field, reader));
        let mut all = self.spread(field, reader, focus, values);
        all.extend(crafted.into_iter().flatten());
        all
    }

    /// The values of a field from values of its elements.
    fn spread(&self, field: &Field<'_>, reader: Option<&Field<'_>>, focus: Focus, values: Vec<Value>) -> Vec<Value> {
        match field.cardinality {
            Cardinality::Singular => values,
            Cardinality::Repeated => {
                let mut lists: Vec<Value> = values.iter().map(|value| Value::List(vec![value.clone()])).collect();
                if let Some(first) = values.first() {
                    let second = values.get(1).unwrap_or(first);
                    lists.push(Value::List(vec![first.clone(), second.clone()]));
                    lists.push(Value::List(vec![second.clone(), first.clone()]));
                }
                if let (Some(first), Focus::Full) = (values.first(), focus) {
                    // As many as there are bytes in the widest number, so that they pass for numbers of another width.
                    lists.push(Value::List(vec![first.clone(); 8]));
                }
                lists.extend(self.equal_keys(field, reader));
                lists
            }
            Cardinality::Map { key } => self.maps(field, key, reader, focus, &values),
        }
    }

    fn maps(
        &self,
        field: &Field<'_>,
        key: Kind,
        reader: Option<&Field<'_>>,
        focus: Focus,
        values: &[Value],
    ) -> Vec<Value> {
        let reader_key = reader.and_then(|reader| match reader.cardinality {
            Cardinality::Map { key } => Some(key),
            Cardinality::Singular | Cardinality::Repeated => None,
        });
        let focus = if focus == Focus::Few && reader_key.is_some_and(|read| read != key) { Focus::Full } else { focus };
        let keys: Vec<Key> = self.scalars(field, key, reader_key, focus).into_iter().filter_map(map_key).collect();
        let (Some(first_key), Some(first)) = (keys.first(), values.first()) else {
            return Vec::new();
        };
        let of = |entries: Vec<(&Key, &Value)>| {
            Value::Map(entries.into_iter().map(|(key, value)| (key.clone(), value.clone())).collect())
        };
        let mut maps: Vec<Value> = values.iter().map(|value| of(vec![(first_key, value)])).collect();
        maps.extend(keys.iter().skip(1).map(|key| of(vec![(key, first)])));
        if let Some(second_key) = keys.get(1) {
            maps.push(of(vec![(first_key, first), (second_key, values.get(1).unwrap_or(first))]));
        }
        maps
    }

    fn element_values(&self, field: &Field<'_>, reader: Option<&Field<'_>>, focus: Focus) -> Vec<Value> {
        let Kind::Message(id) = field.kind else {
            let mut values = self.scalars(field, field.kind, reader.map(|reader| reader.kind), focus);
            if focus == Focus::Few {
                let zero = self.writer().zero(field.kind);
                for (types, default) in [(self.writer(), Some(field)), (self.comparer.reader, reader)] {
                    let explicit =
                        default.filter(|field| field.default.is_some()).and_then(|field| types.default(field));
                    values.extend(explicit.into_iter().filter(|value| {
                        zero.as_ref().is_some_and(|zero| std::mem::discriminant(zero) == std::mem::discriminant(value))
                            && !matches!(value, Value::Enum { .. })
                    }));
                }
            }
            return values;
        };
        let counterpart = match reader.map(|reader| reader.kind) {
            Some(Kind::Message(reader)) => Some(reader),
            _ => None,
        };
        let mut children = self.children(id, counterpart, 2);
        children.push(self.filled(id, counterpart, 1));
        let entry = reader.is_some_and(|reader| matches!(reader.cardinality, Cardinality::Map { .. }));
        if entry {
            children.extend(self.entry_children(id, reader));
        }
        if reader.is_some_and(|reader| !matches!(reader.kind, Kind::Message(_))) {
            children.extend(payloads::of_every_size(self, id));
        }
        children.into_iter().map(Value::Record).collect()
    }

    /// Messages of a type with one field set each: the first few fields.
    fn children(&self, id: MessageId, reader: Option<MessageId>, depth: usize) -> Vec<Record> {
        let base = self.filled(id, reader, CHILD_DEPTH - depth);
        let mut children = Vec::new();
        for field in self.writer().fields(id).filter(|field| field.kind != Kind::Opaque).take(4) {
            let values: Vec<Value> = match field.kind {
                Kind::Message(inner) if depth > 0 => {
                    self.children(inner, None, depth - 1).into_iter().map(Value::Record).take(2).collect()
                }
                Kind::Message(inner) => vec![Value::Record(self.filled(inner, None, CHILD_DEPTH))],
                kind => {
                    let values = self.scalars(field, kind, None, Focus::Few).into_iter();
                    values.filter(|value| !is_zero(value)).take(2).collect()
                }
            };
            for value in values {
                children.extend(self.wrapped(field, value).map(|value| self.put(base.clone(), field, value)));
            }
        }
        children.dedup();
        // Different fields first, so that two children next to each other are not of one field.
        children.sort_by_key(|child| child.fields.values().any(|value| matches!(value, Value::Int(2))));
        children
    }

    /// Messages that a map would take for entries: boundary values of fields 1 and 2.
    fn entry_children(&self, id: MessageId, reader: Option<&Field<'_>>) -> Vec<Record> {
        let (Some(key), Some(value)) = (self.writer().field(id, 1), self.writer().field(id, 2)) else {
            return Vec::new();
        };
        let base = self.filled(id, None, 1);
        let both = |key_value: Value, content: Value| self.put(self.put(base.clone(), key, key_value), value, content);
        let (Some(sample_key), Some(sample_value)) = (self.sample(key, None, 1), self.sample(value, None, 1)) else {
            return Vec::new();
        };
        let reader_kind = reader.map(|reader| reader.kind);
        let mut children = vec![both(sample_key.clone(), sample_value.clone())];
        if key.cardinality == Cardinality::Singular {
            let keys = self.scalars(key, key.kind, None, Focus::Full).into_iter();
            children.extend(keys.map(|key_value| both(key_value, sample_value.clone())));
        }
        if value.cardinality == Cardinality::Singular {
            let values = self.scalars(value, value.kind, reader_kind, Focus::Full).into_iter();
            children.extend(values.map(|content| both(sample_key.clone(), content)));
        }
        children
    }

    /// Two messages that a map would take for entries of one key.
    fn equal_keys(&self, field: &Field<'_>, reader: Option<&Field<'_>>) -> Option<Value> {
        let reader = reader.filter(|reader| matches!(reader.cardinality, Cardinality::Map { .. }))?;
        let Kind::Message(id) = field.kind else {
            return None;
        };
        let Some(value) = self.writer().field(id, 2) else {
            let key = self.writer().field(id, 1)?;
            let alone = self.put(self.filled(id, None, 1), key, self.sample(key, None, 1)?);
            return Some(Value::List(vec![Value::Record(alone.clone()), Value::Record(alone)]));
        };
        let first = self.entry_children(id, Some(reader)).into_iter().next()?;
        let mut second = first.clone();
        let contents = self.scalars(value, value.kind, Some(reader.kind), Focus::Full);
        let other = contents.into_iter().find(|content| first.fields.get(&2) != Some(content) && !is_zero(content));
        if let (Some(other), Cardinality::Singular) = (other, value.cardinality) {
            second.fields.insert(2, other);
        }
        Some(Value::List(vec![Value::Record(first), Value::Record(second)]))
    }

    /// Values of a scalar or enum type, the most ordinary first. Nothing for messages.
    fn scalars(&self, field: &Field<'_>, kind: Kind, reader: Option<Kind>, focus: Focus) -> Vec<Value> {
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
            Focus::Full => {}
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

    /// Pairs of fields that the reader can have only one of, and the writer both.
    fn rivals(&self, list: &[Element<'_, '_>], base: &Record) -> Vec<Record> {
        let mut records = Vec::new();
        let shared: Vec<(&Field<'_>, &Field<'_>)> = list
            .iter()
            .filter_map(|element| element.writer.zip(element.reader))
            .filter(|(_, reader)| reader.oneof.is_some())
            .collect();
        for (position, (first, first_reader)) in shared.iter().enumerate() {
            for (second, second_reader) in &shared[position + 1..] {
                let are_arms_of_one = first.oneof.is_some() && first.oneof == second.oneof;
                if first_reader.oneof != second_reader.oneof || are_arms_of_one {
                    continue;
                }
                self.children.set(0);
                let values = (self.sample(first, Some(first_reader), 0), self.sample(second, Some(second_reader), 0));
                if let (Some(one), Some(two)) = values {
                    records.push(self.put(self.put(base.clone(), first, one), second, two));
                }
            }
        }
        records
    }

    /// Pairs of fields of which one sits where the reader has the other, by number or by JSON name: with two values
    /// each, so that one is seen where the other belongs.
    fn crossed(&self, types: (MessageId, MessageId), list: &[Element<'_, '_>], base: &Record) -> Vec<Record> {
        let mut records = Vec::new();
        for (field, reached) in list.iter().filter_map(|element| Some((element.writer?, element.reader))) {
            let member = super::json::field_of_member(self.comparer.reader, types.1, &super::json::member_name(field));
            let number = self.comparer.reader.field(types.1, field.number);
            let places = [number, member].into_iter().flatten();
            for place in places.filter(|place| reached.is_none_or(|reached| reached.number != place.number)) {
                let owner =
                    list.iter().find(|element| element.reader.is_some_and(|reader| reader.number == place.number));
                let own = self.field_values(field, Some(place), Focus::Full);
                let Some(other) = owner.and_then(|owner| owner.writer) else {
                    records.extend(own.into_iter().map(|value| self.put(base.clone(), field, value)));
                    continue;
                };
                let others = self.field_values(other, Some(place), Focus::Few);
                for value in own {
                    records.push(self.put(base.clone(), field, value.clone()));
                    records.extend(others.iter().take(2).map(|other_value| {
                        self.put(self.put(base.clone(), other, other_value.clone()), field, value.clone())
                    }));
                }
            }
        }
        records
    }

    /// One message with a value in every field that can be set together for both sides.
    fn everything(&self, list: &[Element<'_, '_>], base: &Record) -> Record {
        let mut record = base.clone();
        let (mut written_oneofs, mut read_oneofs) = (Vec::new(), Vec::new());
        for element in list {
            let Some(field) = element.writer else {
                continue;
            };
            let read_oneof = element.reader.and_then(|reader| reader.oneof);
            let is_taken = field.oneof.is_some_and(|oneof| written_oneofs.contains(&oneof))
                || read_oneof.is_some_and(|oneof| read_oneofs.contains(&oneof));
            if is_taken || record.fields.contains_key(&field.number) {
                continue;
            }
            self.children.set(0);
            if let Some(value) = self.sample(field, element.reader, 0) {
                written_oneofs.extend(field.oneof);
                read_oneofs.extend(read_oneof);
                record = self.put(record, field, value);
            }
        }
        record
    }

    /// A message in a message in a message, for types that hold themselves.
    fn chain(&self, id: MessageId, list: &[Element<'_, '_>], base: &Record) -> Option<Record> {
        if list.len() > CHAIN_FIELDS {
            return None;
        }
        let holds_itself = |field: &&Field<'_>| field.kind == Kind::Message(id) && field.presence != Presence::Required;
        let field = list.iter().filter_map(|element| element.writer).find(holds_itself)?;
        let mut record = base.clone();
        for _ in 0..CHAIN {
            let value = self.wrapped(field, Value::Record(record))?;
            record = self.put(base.clone(), field, value);
        }
        Some(record)
    }
}
