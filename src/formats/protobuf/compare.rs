//! What a reader saw of what a writer wrote: visible values, element by element, never bytes.
//!
//! Elements pair by number, and by name where a name sits at another number on the other side, exactly as
//! [`super::pairing`] says; so a value that arrives under the wrong name is seen as such, whatever path it took.
//! Outcomes follow from the two records alone. This module knows neither the changes nor the rules.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::change::{Identity, Pair};
use crate::evidence::{Direction, Outcome, Surface};
use crate::value::{Key, Record, Value, same_to_reader};

use super::codec::{self, Cause, HOLDER, ReadError, Types};
use super::json;
use super::model::{Cardinality, EnumId, Field, Kind, MessageId, Presence};
use super::pairing::{self, Pairs};
use super::well_known::WellKnown;

/// The type pairs that have identities of their own.
#[derive(Debug, Default)]
pub(crate) struct Known {
    messages: FxHashSet<(MessageId, MessageId)>,
    enums: FxHashSet<(EnumId, EnumId)>,
}

impl Known {
    /// The pairs that are compared.
    pub(crate) fn of(pairs: &Pairs) -> Self {
        Self {
            messages: pairs.messages.iter().map(|pair| (pair.types.old, pair.types.new)).collect(),
            enums: pairs.enums.iter().map(|pair| (pair.types.old, pair.types.new)).collect(),
        }
    }
}

/// One element of a pair of messages, seen from the writer to the reader.
pub(crate) struct Element<'s, 'a> {
    /// The writer's field.
    pub(crate) writer: Option<&'s Field<'a>>,
    /// The reader's field.
    pub(crate) reader: Option<&'s Field<'a>>,
    /// Whether the name identifies, because it sits at different numbers.
    pub(crate) is_moved: bool,
}

impl Element<'_, '_> {
    /// Whether JSON names the reader's field otherwise than the writer's, or the writer has none.
    fn is_renamed(&self) -> bool {
        match (self.writer, self.reader) {
            (Some(writer), Some(reader)) => writer.name != reader.name || writer.json_name != reader.json_name,
            (None, Some(_)) => true,
            (_, None) => false,
        }
    }
}

/// All elements of a pair of messages.
pub(crate) struct Elements<'s, 'a> {
    container: String,
    /// When set, everything is told of this identity.
    fixed: Option<Identity>,
    /// The elements: the writer's in its order, then those that only the reader has.
    pub(crate) list: Vec<Element<'s, 'a>>,
    by_writer: FxHashMap<i32, usize>,
    by_reader: FxHashMap<i32, usize>,
    /// The reader's oneof for each of the writer's.
    oneofs: BTreeMap<u32, u32>,
    /// The elements of which something is experienced though nothing of them was written: those that only the reader
    /// has, and those whose defaults differ.
    always: Vec<usize>,
}

impl Elements<'_, '_> {
    /// The element of one of the writer's fields.
    pub(crate) fn of_writer(&self, number: i32) -> Option<usize> {
        self.by_writer.get(&number).copied()
    }

    /// What identifies an element.
    pub(crate) fn identity(&self, index: usize) -> Identity {
        if let Some(fixed) = &self.fixed {
            return fixed.clone();
        }
        let element = &self.list[index];
        match element.writer.or(element.reader) {
            Some(field) if element.is_moved => pairing::by_name(&self.container, &field.name),
            Some(field) => pairing::by_number(&self.container, field.number),
            None => pairing::by_number(&self.container, 0),
        }
    }

    /// The reader's oneof that a writer's field is an arm of, whether or not the reader has the field.
    fn shared_oneof(&self, writer: &Field<'_>) -> Option<u32> {
        self.oneofs.get(&writer.oneof?).copied()
    }

    /// Whether a field is in different oneofs on the two sides.
    pub(crate) fn oneof_differs(&self, index: usize) -> bool {
        match (self.list[index].writer, self.list[index].reader) {
            (Some(writer), Some(reader)) => {
                writer.oneof.is_some() != reader.oneof.is_some() || self.shared_oneof(writer) != reader.oneof
            }
            _ => false,
        }
    }
}

/// Puts writer and reader in the order of old and new.
pub(crate) fn in_order<T>(direction: Direction, writer: T, reader: T) -> Pair<T> {
    match direction {
        Direction::Backward => Pair::new(writer, reader),
        Direction::Forward => Pair::new(reader, writer),
    }
}

/// Something a reader experienced that is worse than `safe`.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Note {
    /// What it was experienced of.
    pub(crate) identity: Identity,
    /// What was experienced.
    pub(crate) outcome: Outcome,
}

/// Compares records of one writer and one reader on one surface.
pub(crate) struct Comparer<'s, 'a, 'k> {
    /// The writer's types.
    pub(crate) writer: Types<'s, 'a>,
    /// The reader's types.
    pub(crate) reader: Types<'s, 'a>,
    /// Who is old and who is new.
    pub(crate) direction: Direction,
    known: &'k Known,
    cache: RefCell<FxHashMap<(MessageId, MessageId), Rc<Elements<'s, 'a>>>>,
}

/// Two sides' view of one thing.
#[derive(Debug, Clone, Copy)]
struct Sides<T> {
    writer: T,
    reader: T,
}

/// Where notes go, and what they are told of when a nested pair has no identity of its own.
struct Context<'c> {
    surface: Surface,
    outer: Option<&'c Identity>,
}

/// One value of a list, or one entry of a map.
#[derive(Debug, Clone, Copy)]
enum Item<'v> {
    Value(&'v Value),
    Entry(&'v Key, &'v Value),
}

impl<'s, 'a, 'k> Comparer<'s, 'a, 'k> {
    /// A comparer without anything compared yet.
    pub(crate) fn new(writer: Types<'s, 'a>, reader: Types<'s, 'a>, direction: Direction, known: &'k Known) -> Self {
        Self { writer, reader, direction, known, cache: RefCell::default() }
    }

    /// A comparer of the reader with itself.
    pub(crate) fn of_reader(&self) -> Self {
        Self::new(self.reader, self.reader, self.direction, self.known)
    }

    /// The elements of a pair of messages, the writer's first.
    pub(crate) fn elements(&self, writer: MessageId, reader: MessageId) -> Rc<Elements<'s, 'a>> {
        if let Some(elements) = self.cache.borrow().get(&(writer, reader)) {
            return elements.clone();
        }
        let elements = Rc::new(self.pair_elements(Sides { writer, reader }));
        self.cache.borrow_mut().insert((writer, reader), elements.clone());
        elements
    }

    fn pair_elements(&self, ids: Sides<MessageId>) -> Elements<'s, 'a> {
        let written: Vec<&Field<'_>> = self.writer.fields(ids.writer).collect();
        let read: Vec<&Field<'_>> = self.reader.fields(ids.reader).collect();
        let read_by_name: FxHashMap<(bool, &str), &Field<'_>> =
            read.iter().map(|field| ((field.is_extension, &*field.name), *field)).collect();
        let read_by_number: FxHashMap<i32, &Field<'_>> = read.iter().map(|field| (field.number, *field)).collect();
        let written_by_name: FxHashMap<(bool, &str), &Field<'_>> =
            written.iter().map(|field| ((field.is_extension, &*field.name), *field)).collect();
        let moved_to = |field: &Field<'_>, others: &FxHashMap<(bool, &str), &'s Field<'a>>| {
            others.get(&(field.is_extension, &*field.name)).copied().filter(|other| other.number != field.number)
        };
        let mut list = Vec::with_capacity(written.len());
        for field in &written {
            let same_number = read_by_number.get(&field.number).copied();
            // A file with mistakes may declare a name twice; the one that stays where it was has not moved.
            let stays =
                same_number.is_some_and(|other| (other.is_extension, &other.name) == (field.is_extension, &field.name));
            let moved = if stays { None } else { moved_to(field, &read_by_name) };
            let counterpart = moved.or_else(|| same_number.filter(|other| moved_to(other, &written_by_name).is_none()));
            list.push(Element { writer: Some(*field), reader: counterpart, is_moved: moved.is_some() });
        }
        let matched: FxHashSet<i32> =
            list.iter().filter_map(|element| element.reader).map(|field| field.number).collect();
        for field in read.iter().filter(|field| !matched.contains(&field.number)) {
            list.push(Element { writer: None, reader: Some(*field), is_moved: false });
        }
        let position = |field: Option<&'s Field<'a>>, index| field.map(|field| (field.number, index));
        let by_writer =
            list.iter().enumerate().filter_map(|(index, element)| position(element.writer, index)).collect();
        let by_reader =
            list.iter().enumerate().filter_map(|(index, element)| position(element.reader, index)).collect();
        let oneofs = self.pair_oneofs(ids, &list);
        let (container, fixed) = self.container(ids);
        let always = (0..list.len()).filter(|index| self.is_felt_when_absent(&list[*index])).collect();
        Elements { container, fixed, list, by_writer, by_reader, oneofs, always }
    }

    fn is_felt_when_absent(&self, element: &Element<'_, '_>) -> bool {
        match (element.writer, element.reader) {
            (None, _) => true,
            (Some(_), None) => false,
            (Some(writer), Some(reader)) => {
                let mut notes = Vec::new();
                self.absent(&Identity(String::new()), Sides { writer, reader }, &mut notes);
                !notes.is_empty()
            }
        }
    }

    fn container(&self, ids: Sides<MessageId>) -> (String, Option<Identity>) {
        if ids.writer == HOLDER || ids.reader == HOLDER {
            let holders = (self.writer.holder.first(), self.reader.holder.first());
            let kinds = (holders.0.map(|field| field.kind), holders.1.map(|field| field.kind));
            let (Some(Kind::Enum(writer)), Some(Kind::Enum(reader))) = kinds else {
                return (String::new(), None);
            };
            let container = self.enum_container(writer, reader);
            let fixed = pairing::enum_openness(&container);
            return (container, Some(fixed));
        }
        let schemas = in_order(self.direction, self.writer.schema, self.reader.schema);
        (pairing::message_container(schemas, in_order(self.direction, ids.writer, ids.reader)), None)
    }

    fn enum_container(&self, writer: EnumId, reader: EnumId) -> String {
        let schemas = in_order(self.direction, self.writer.schema, self.reader.schema);
        pairing::enum_container(schemas, in_order(self.direction, writer, reader))
    }

    /// The reader's oneof for each of the writer's.
    fn pair_oneofs(&self, ids: Sides<MessageId>, list: &[Element<'_, '_>]) -> BTreeMap<u32, u32> {
        if ids.writer == HOLDER || ids.reader == HOLDER {
            return BTreeMap::new();
        }
        let messages =
            Sides { writer: self.writer.schema.message(ids.writer), reader: self.reader.schema.message(ids.reader) };
        let shared = || {
            let both = list.iter().filter_map(|element| element.writer.zip(element.reader));
            both.map(|(writer, reader)| in_order(self.direction, writer, reader)).collect()
        };
        let matched = pairing::oneofs(in_order(self.direction, messages.writer, messages.reader), shared);
        let pairs = (0..).zip(matched).filter_map(|(old, new)| Some(Pair::new(old, new?)));
        match self.direction {
            Direction::Backward => pairs.map(|pair| (pair.old, pair.new)).collect(),
            Direction::Forward => pairs.map(|pair| (pair.new, pair.old)).collect(),
        }
    }

    /// What a reader who accepted the message experienced.
    pub(crate) fn compare(
        &self,
        surface: Surface,
        types: (MessageId, MessageId),
        wrote: &Record,
        read: &Record,
    ) -> Vec<Note> {
        let mut notes = Vec::new();
        let ids = Sides { writer: types.0, reader: types.1 };
        self.records(&Context { surface, outer: None }, ids, Sides { writer: wrote, reader: read }, &mut notes);
        notes
    }

    fn records(&self, context: &Context<'_>, ids: Sides<MessageId>, records: Sides<&Record>, notes: &mut Vec<Note>) {
        let elements = self.elements(ids.writer, ids.reader);
        let written = records.writer.fields.keys().filter_map(|number| elements.by_writer.get(number));
        let read = records.reader.fields.keys().filter_map(|number| elements.by_reader.get(number));
        let mut felt: Vec<usize> = written.chain(read).chain(&elements.always).copied().collect();
        felt.sort_unstable();
        felt.dedup();
        for index in felt {
            let element = &elements.list[index];
            let tell = |outcome| Note { identity: context.identity(&elements, index), outcome };
            match (element.writer, element.reader) {
                (Some(writer), None) => {
                    if records.writer.fields.contains_key(&writer.number) && elements.shared_oneof(writer).is_some() {
                        notes.push(tell(Outcome::Unrecognized));
                    }
                }
                (None, Some(reader)) => match records.reader.fields.contains_key(&reader.number) {
                    false => notes.push(tell(Outcome::Defaulted)),
                    true => self.foreign(context, ids, records.writer, index, Outcome::Wrong, notes),
                },
                (Some(writer), Some(reader)) if writer.kind != Kind::Opaque && reader.kind != Kind::Opaque => {
                    let wrote = records.writer.fields.get(&writer.number);
                    let read = records.reader.fields.get(&reader.number);
                    let fields = Sides { writer, reader };
                    match (wrote, read) {
                        (Some(wrote), Some(read)) if self.reaches(context.surface, ids, writer, reader) => {
                            let identity = context.identity(&elements, index);
                            let values = Sides { writer: wrote, reader: read };
                            self.field(context.surface, &identity, fields, values, notes);
                        }
                        (Some(wrote), None) => {
                            self.dropped(context, ids, index, (wrote, records), notes);
                        }
                        // Whatever stands there is not what this field wrote.
                        (_, Some(_)) => self.foreign(context, ids, records.writer, index, Outcome::Wrong, notes),
                        (None, None) => {
                            self.absent(&context.identity(&elements, index), fields, notes);
                        }
                    }
                }
                (Some(_), Some(_)) | (None, None) => {}
            }
        }
    }

    /// Whether what a writer puts into one field arrives in that field of the reader.
    fn reaches(&self, surface: Surface, ids: Sides<MessageId>, writer: &Field<'_>, reader: &Field<'_>) -> bool {
        if surface != Surface::Json {
            return writer.number == reader.number;
        }
        let are_plain = !writer.is_extension && !reader.is_extension;
        are_plain && writer.json_name == reader.json_name || {
            let member = json::member_name(writer);
            json::field_of_member(self.reader, ids.reader, &member).is_some_and(|field| field.number == reader.number)
        }
    }

    /// The reader has a value (or a fault) in a field for which the writer wrote none: another field's data reached it.
    /// The elements that moved explain it: on the wire to another number, in JSON to another name.
    fn foreign(
        &self,
        context: &Context<'_>,
        ids: Sides<MessageId>,
        wrote: &Record,
        index: usize,
        outcome: Outcome,
        notes: &mut Vec<Note>,
    ) {
        let elements = self.elements(ids.writer, ids.reader);
        let Some(reader) = elements.list[index].reader else {
            return;
        };
        let source = wrote.fields.keys().find_map(|number| {
            let source = *elements.by_writer.get(number)?;
            let field = elements.list[source].writer?;
            (source != index && self.reaches(context.surface, ids, field, reader)).then_some(source)
        });
        let candidates = [Some(index), source].into_iter().flatten();
        let is_to_blame = |candidate: &usize| match context.surface {
            Surface::Json => elements.list[*candidate].is_renamed(),
            Surface::Wire | Surface::Source => elements.list[*candidate].is_moved,
        };
        let mut blamed: Vec<usize> = candidates.filter(is_to_blame).collect();
        if blamed.is_empty() {
            // Neither field changed its name, so one that is gone left it to the other.
            blamed.push(source.unwrap_or(index));
        }
        notes.extend(blamed.into_iter().map(|index| Note { identity: context.identity(&elements, index), outcome }));
    }

    /// A value was written and the reader's field is absent.
    fn dropped(
        &self,
        context: &Context<'_>,
        ids: Sides<MessageId>,
        index: usize,
        (wrote, records): (&Value, Sides<&Record>),
        notes: &mut Vec<Note>,
    ) {
        let elements = self.elements(ids.writer, ids.reader);
        let (Some(writer), Some(reader)) = (elements.list[index].writer, elements.list[index].reader) else {
            return;
        };
        let fields = Sides { writer, reader };
        let identity = context.identity(&elements, index);
        if let Some(seen) = self.seen_as_default(context.surface, &identity, fields, wrote) {
            notes.extend(seen);
            return;
        }
        if !self.reaches(context.surface, ids, writer, reader) {
            notes.push(Note { identity, outcome: Outcome::Lossy });
            return;
        }
        let lost: Vec<Vec<Note>> =
            items(wrote).map(|item| self.unnamed(context.surface, &identity, fields, item)).collect();
        if !lost.iter().any(Vec::is_empty) {
            notes.extend(lost.into_iter().flatten());
            return;
        }
        let has = |record: &Record, field: Option<&Field<'_>>| {
            field.is_some_and(|field| record.fields.contains_key(&field.number))
        };
        let rival = elements.list.iter().position(|other| {
            let is_of_same_oneof = other.reader.is_some_and(|other| {
                other.oneof.is_some() && other.oneof == reader.oneof && other.number != reader.number
            });
            is_of_same_oneof && has(records.reader, other.reader)
        });
        match rival {
            Some(rival) if has(records.writer, elements.list[rival].writer) => {
                self.tell_of_rivals(context, &elements, [index, rival], Outcome::Lossy, notes);
            }
            // Another field's data took the place.
            Some(rival) => self.foreign(context, ids, records.writer, rival, Outcome::Lossy, notes),
            None => notes.push(Note { identity, outcome: Outcome::Lossy }),
        }
    }

    /// Of two fields that cannot both be set for the reader: those whose oneof differs between the sides explain it.
    fn tell_of_rivals(
        &self,
        context: &Context<'_>,
        elements: &Elements<'_, '_>,
        rivals: [usize; 2],
        outcome: Outcome,
        notes: &mut Vec<Note>,
    ) {
        let any_differs = rivals.iter().any(|index| elements.oneof_differs(*index));
        for index in rivals {
            if elements.oneof_differs(index) || !any_differs {
                notes.push(Note { identity: context.identity(elements, index), outcome });
            }
        }
    }

    /// What is seen where a reader without presence shows exactly the value that is missing in the record.
    fn seen_as_default(
        &self,
        surface: Surface,
        identity: &Identity,
        fields: Sides<&Field<'_>>,
        wrote: &Value,
    ) -> Option<Vec<Note>> {
        if fields.reader.presence != Presence::Implicit || fields.reader.cardinality != Cardinality::Singular {
            return None;
        }
        let mut items = items(wrote);
        let (Some(Item::Value(wrote)), None) = (items.next(), items.next()) else { return None };
        let default = self.reader.default(fields.reader)?;
        let items = Sides { writer: Item::Value(wrote), reader: Item::Value(&default) };
        let mut seen = Vec::new();
        self.item(surface, identity, fields, items, &mut seen);
        let is_own_number = surface == Surface::Wire && same_to_reader(wrote, &default);
        (is_own_number || seen.iter().all(|note| note.outcome <= Outcome::Unrecognized)).then_some(seen)
    }

    /// Nobody wrote anything and the reader shows a default: does it mean the same to both?
    fn absent(&self, identity: &Identity, fields: Sides<&Field<'_>>, notes: &mut Vec<Note>) {
        let both_singular =
            fields.writer.cardinality == Cardinality::Singular && fields.reader.cardinality == Cardinality::Singular;
        let defaults = (self.writer.default(fields.writer), self.reader.default(fields.reader));
        let (true, (Some(meant), Some(shown))) = (both_singular, defaults) else {
            return;
        };
        let implied = fields.writer.default.is_none() && fields.reader.default.is_none();
        if let (true, Kind::Enum(writer), Kind::Enum(reader)) = (implied, fields.writer.kind, fields.reader.kind) {
            let numbers = Sides { writer: self.writer.enum_default(writer), reader: self.reader.enum_default(reader) };
            if numbers.writer != numbers.reader {
                let identity = self.enum_identity(Sides { writer, reader }, identity, pairing::enum_default);
                notes.push(Note { identity, outcome: Outcome::Wrong });
            } else {
                let mut seen = Vec::new();
                self.enum_numbers(Surface::Wire, identity, Sides { writer, reader }, numbers, &mut seen);
                notes.extend(seen.into_iter().filter(|note| note.outcome == Outcome::Wrong));
            }
            return;
        }
        let are_texts = |value: &Value| matches!(value, Value::Text(_) | Value::Bytes(_));
        if are_texts(&meant) == are_texts(&shown) && !same_to_reader(&meant, &shown) {
            notes.push(Note { identity: identity.clone(), outcome: Outcome::Wrong });
        }
    }

    /// Both sides have a value.
    fn field(
        &self,
        surface: Surface,
        identity: &Identity,
        fields: Sides<&Field<'_>>,
        values: Sides<&Value>,
        notes: &mut Vec<Note>,
    ) {
        let items_written: Vec<Item<'_>> = items(values.writer).collect();
        let items_read: Vec<Item<'_>> = items(values.reader).collect();
        let all = Sides { writer: &items_written[..], reader: &items_read[..] };
        match (fields.writer.cardinality, fields.reader.cardinality) {
            (Cardinality::Singular, Cardinality::Repeated) | (Cardinality::Repeated, Cardinality::Singular)
                if surface == Surface::Json =>
            {
                // Only types whose JSON form is a list themselves get here.
                notes.push(Note { identity: identity.clone(), outcome: Outcome::Wrong });
            }
            (Cardinality::Map { .. }, Cardinality::Map { .. }) => self.maps(surface, identity, fields, values, notes),
            (Cardinality::Singular | Cardinality::Repeated, Cardinality::Map { .. }) => {
                self.entries(surface, identity, fields, all, notes);
            }
            (Cardinality::Singular, Cardinality::Singular | Cardinality::Repeated)
            | (Cardinality::Repeated | Cardinality::Map { .. }, Cardinality::Repeated) => {
                self.lists(surface, identity, fields, all, notes);
            }
            (Cardinality::Repeated | Cardinality::Map { .. }, Cardinality::Singular) => {
                let [read] = all.reader else { return };
                if let [wrote] = all.writer {
                    return self.item(surface, identity, fields, Sides { writer: *wrote, reader: *read }, notes);
                }
                // JSON has lists where single values are not, so only entries of a map get here.
                let is_one_of_them = all.writer.iter().any(|wrote| match surface {
                    Surface::Json => {
                        self.is_no_other(surface, identity, fields, Sides { writer: *wrote, reader: *read })
                    }
                    Surface::Wire | Surface::Source => self.read_alone(fields, *wrote).as_ref() == Some(values.reader),
                });
                let outcome = if is_one_of_them { Outcome::Lossy } else { Outcome::Wrong };
                notes.push(Note { identity: identity.clone(), outcome });
            }
        }
    }

    /// What a reader would see if one element of a list had been written alone.
    fn read_alone(&self, fields: Sides<&Field<'_>>, item: Item<'_>) -> Option<Value> {
        let value = match item {
            Item::Value(value) => Value::List(vec![value.clone()]),
            Item::Entry(key, value) => Value::Map(BTreeMap::from([(key.clone(), value.clone())])),
        };
        let mut bytes = Vec::new();
        codec::encode_field(self.writer, fields.writer, &value, &mut bytes);
        let holder = [fields.reader.clone()];
        let types = Types { schema: self.reader.schema, holder: &holder, index: None };
        codec::decode(types, HOLDER, &bytes).ok()?.fields.remove(&fields.reader.number)
    }

    /// Whether the reader sees one value or less of it.
    fn is_no_other(
        &self,
        surface: Surface,
        identity: &Identity,
        fields: Sides<&Field<'_>>,
        items: Sides<Item<'_>>,
    ) -> bool {
        let mut notes = Vec::new();
        self.item(surface, identity, fields, items, &mut notes);
        notes.iter().all(|note| note.outcome <= Outcome::Lossy)
    }

    fn is_same_item(
        &self,
        surface: Surface,
        identity: &Identity,
        fields: Sides<&Field<'_>>,
        items: Sides<Item<'_>>,
    ) -> bool {
        let mut notes = Vec::new();
        self.item(surface, identity, fields, items, &mut notes);
        notes.iter().all(|note| note.outcome <= Outcome::Unrecognized)
    }

    /// Lists in order. Elements that a reader drops for want of a name are told of first.
    fn lists(
        &self,
        surface: Surface,
        identity: &Identity,
        fields: Sides<&Field<'_>>,
        all: Sides<&[Item<'_>]>,
        notes: &mut Vec<Note>,
    ) {
        let mut kept = Vec::new();
        for item in all.writer {
            match self.unnamed(surface, identity, fields, *item) {
                lost if lost.is_empty() => kept.push(*item),
                lost => notes.extend(lost),
            }
        }
        if kept.len() == all.reader.len() {
            for (wrote, read) in kept.iter().zip(all.reader) {
                self.item(surface, identity, fields, Sides { writer: *wrote, reader: *read }, notes);
            }
            return;
        }
        let mut written = kept.iter();
        let is_part = all.reader.iter().all(|read| {
            written.any(|wrote| self.is_same_item(surface, identity, fields, Sides { writer: *wrote, reader: *read }))
        });
        let outcome = if is_part { Outcome::Lossy } else { Outcome::Wrong };
        notes.push(Note { identity: identity.clone(), outcome });
    }

    fn maps(
        &self,
        surface: Surface,
        identity: &Identity,
        fields: Sides<&Field<'_>>,
        values: Sides<&Value>,
        notes: &mut Vec<Note>,
    ) {
        let (Value::Map(wrote), Value::Map(read)) = (values.writer, values.reader) else {
            return;
        };
        let tell = |outcome| Note { identity: identity.clone(), outcome };
        let mut matched = FxHashSet::default();
        let (mut pairs, mut lost) = (Vec::new(), Vec::new());
        for (key, value) in wrote {
            let written_key = key.to_value();
            let found = read.iter().enumerate().find(|(_, (other, _))| same_to_reader(&written_key, &other.to_value()));
            match found {
                Some((position, (_, seen))) => {
                    matched.insert(position);
                    pairs.push(Sides { writer: Item::Value(value), reader: Item::Value(seen) });
                }
                None => lost.push(self.unnamed(surface, identity, fields, Item::Value(value))),
            }
        }
        if matched.len() < read.len() {
            notes.push(tell(Outcome::Wrong));
        }
        if lost.iter().any(Vec::is_empty) {
            // Keys were lost on the way, so what stands at the others may have been written at those.
            let is_mixed = pairs.iter().any(|items| !self.is_same_item(surface, identity, fields, *items));
            notes.push(tell(if is_mixed { Outcome::Wrong } else { Outcome::Lossy }));
        } else {
            for items in pairs {
                self.item(surface, identity, fields, items, notes);
            }
        }
        notes.extend(lost.into_iter().flatten());
    }

    /// Messages `{ key = 1, value = 2 }` read as the entries of a map: of equal keys the last wins.
    fn entries(
        &self,
        surface: Surface,
        identity: &Identity,
        fields: Sides<&Field<'_>>,
        all: Sides<&[Item<'_>]>,
        notes: &mut Vec<Note>,
    ) {
        let tell = |outcome| Note { identity: identity.clone(), outcome };
        let mut unexplained: Vec<&Item<'_>> = all.reader.iter().collect();
        let mut explained: Vec<&Item<'_>> = Vec::new();
        for wrote in all.writer.iter().rev() {
            let same_key = |read: &&Item<'_>| self.has_key_of(fields, *wrote, **read);
            if let Some(position) = unexplained.iter().position(same_key) {
                let read = unexplained.remove(position);
                self.item(surface, identity, fields, Sides { writer: *wrote, reader: *read }, notes);
                explained.push(read);
            } else if explained.iter().any(same_key) {
                notes.push(tell(Outcome::Lossy));
            } else {
                match self.unnamed(surface, identity, fields, *wrote) {
                    lost if lost.is_empty() => notes.push(tell(Outcome::Lossy)),
                    lost => notes.extend(lost),
                }
            }
        }
        if !unexplained.is_empty() {
            notes.push(tell(Outcome::Wrong));
        }
    }

    fn has_key_of(&self, fields: Sides<&Field<'_>>, wrote: Item<'_>, read: Item<'_>) -> bool {
        let (Item::Value(Value::Record(record)), Item::Entry(key, _)) = (wrote, read) else { return false };
        let default = match fields.reader.cardinality {
            Cardinality::Map { key } => self.reader.zero(key),
            Cardinality::Singular | Cardinality::Repeated => None,
        };
        let written = record.fields.get(&1).and_then(last).or(default.as_ref());
        written.is_some_and(|written| same_to_reader(written, &key.to_value()))
    }

    /// One value of the writer and one of the reader.
    fn item(
        &self,
        surface: Surface,
        identity: &Identity,
        fields: Sides<&Field<'_>>,
        items: Sides<Item<'_>>,
        notes: &mut Vec<Note>,
    ) {
        let tell = |outcome| Note { identity: identity.clone(), outcome };
        match (items.writer, items.reader) {
            (Item::Entry(key, value), Item::Value(Value::Record(record))) => {
                self.entry_read_as_record(surface, identity, fields, (key, value), record, notes);
            }
            (Item::Value(Value::Record(record)), Item::Entry(key, value)) => {
                self.record_read_as_entry(surface, identity, fields, record, (key, value), notes);
            }
            (Item::Value(Value::Record(wrote)), Item::Value(Value::Record(read))) => {
                self.nested(surface, identity, Sides { writer: wrote, reader: read }, notes);
            }
            (Item::Value(Value::Record(_)), Item::Value(_)) | (Item::Value(_), Item::Value(Value::Record(_)))
                if surface == Surface::Json =>
            {
                // A wrapper and its value have the same JSON form.
                match (self.unwrapped(self.writer, items.writer), self.unwrapped(self.reader, items.reader)) {
                    (Some(wrote), Some(read)) if same_to_reader(&wrote, &read) => {}
                    _ => notes.push(tell(Outcome::Wrong)),
                }
            }
            (Item::Value(wrote), Item::Value(read)) => match (fields.writer.kind, fields.reader.kind, wrote, read) {
                (
                    Kind::Enum(writer),
                    Kind::Enum(reader),
                    Value::Enum { number: wrote, .. },
                    Value::Enum { number: read, .. },
                ) => {
                    let numbers = Sides { writer: *wrote, reader: *read };
                    self.enum_numbers(surface, identity, Sides { writer, reader }, numbers, notes);
                }
                (_, Kind::Enum(reader), wrote, Value::Enum { number, .. }) => {
                    if !same_to_reader(wrote, read) {
                        notes.push(tell(Outcome::Wrong));
                    } else if !self.reader.names_number(reader, *number) {
                        notes.push(tell(Outcome::Unrecognized));
                    }
                }
                _ if same_to_reader(wrote, read) => {}
                _ => notes.push(tell(Outcome::Wrong)),
            },
            (Item::Entry(..) | Item::Value(_), Item::Entry(..)) | (Item::Entry(..), Item::Value(_)) => {
                notes.push(tell(Outcome::Wrong));
            }
        }
    }

    fn unwrapped(&self, types: Types<'_, '_>, item: Item<'_>) -> Option<Value> {
        match item {
            Item::Value(Value::Record(record)) => {
                let id = MessageId(record.ty);
                let is_wrapper = json::well_known_type(types, id) == Some(WellKnown::Wrapper);
                let field = types.field(id, 1).filter(|_| is_wrapper)?;
                record.fields.get(&1).cloned().or_else(|| types.default(field))
            }
            Item::Value(value) => Some(value.clone()),
            Item::Entry(..) => None,
        }
    }

    fn nested(&self, surface: Surface, identity: &Identity, records: Sides<&Record>, notes: &mut Vec<Note>) {
        let ids = Sides { writer: MessageId(records.writer.ty), reader: MessageId(records.reader.ty) };
        let forms = (json::well_known_type(self.writer, ids.writer), json::well_known_type(self.reader, ids.reader));
        let are_empty = records.writer.fields.is_empty() && records.reader.fields.is_empty();
        if surface == Surface::Json && forms.0 != forms.1 && !are_empty {
            // The text of one JSON form was accepted as another: what the fields say is a coincidence.
            notes.push(Note { identity: identity.clone(), outcome: Outcome::Wrong });
            return;
        }
        let outer = (!self.knows_messages(ids)).then_some(identity);
        self.records(&Context { surface, outer }, ids, records, notes);
    }

    /// Whether a surface pairs the fields of two types: in JSON some well-known types have no fields to pair.
    pub(crate) fn pairs_fields(&self, surface: Surface, types: (MessageId, MessageId)) -> bool {
        let forms = (json::well_known_type(self.writer, types.0), json::well_known_type(self.reader, types.1));
        surface != Surface::Json || forms.0 == forms.1
    }

    fn knows_messages(&self, ids: Sides<MessageId>) -> bool {
        let pair = in_order(self.direction, ids.writer, ids.reader);
        self.known.messages.contains(&(pair.old, pair.new))
    }

    fn entry_read_as_record(
        &self,
        surface: Surface,
        identity: &Identity,
        fields: Sides<&Field<'_>>,
        (key, value): (&Key, &Value),
        read: &Record,
        notes: &mut Vec<Note>,
    ) {
        let id = MessageId(read.ty);
        for (number, wrote) in [(1, &key.to_value()), (2, value)] {
            let outcome = match (self.reader.field(id, number), read.fields.get(&number).map(only)) {
                // The entry's key or value has no place to go.
                (None, _) => Outcome::Lossy,
                (Some(_), Some(None)) => Outcome::Wrong,
                (Some(field), Some(Some(seen))) => {
                    self.entry_part(surface, identity, (number, fields.writer, wrote), (field, seen), notes)
                }
                (Some(field), None) => match self.reader.default(field) {
                    Some(default) if same_to_reader(wrote, &default) => Outcome::Safe,
                    _ => Outcome::Lossy,
                },
            };
            if outcome > Outcome::Safe {
                notes.push(Note { identity: identity.clone(), outcome });
            }
        }
    }

    fn record_read_as_entry(
        &self,
        surface: Surface,
        identity: &Identity,
        fields: Sides<&Field<'_>>,
        wrote: &Record,
        (key, value): (&Key, &Value),
        notes: &mut Vec<Note>,
    ) {
        let id = MessageId(wrote.ty);
        let is_reduced = wrote
            .fields
            .iter()
            .any(|(number, value)| *number > 2 || matches!(value, Value::List(values) if values.len() > 1));
        let mut outcome = if is_reduced { Outcome::Lossy } else { Outcome::Safe };
        for (number, seen) in [(1, &key.to_value()), (2, value)] {
            let Some(field) = self.writer.field(id, number) else { continue };
            let default = self.writer.default(field);
            outcome = outcome.max(match wrote.fields.get(&number).map(last) {
                Some(Some(value)) => {
                    self.entry_part(surface, identity, (number, field, value), (fields.reader, seen), notes)
                }
                Some(None) => Outcome::Wrong,
                None => match default {
                    Some(default) if !same_to_reader(&default, seen) => Outcome::Wrong,
                    _ => Outcome::Safe,
                },
            });
        }
        if outcome > Outcome::Safe {
            notes.push(Note { identity: identity.clone(), outcome });
        }
    }

    /// The key (1) or the value (2) of an entry against the field of that number.
    fn entry_part(
        &self,
        surface: Surface,
        identity: &Identity,
        (number, writer, wrote): (i32, &Field<'_>, &Value),
        (reader, seen): (&Field<'_>, &Value),
        notes: &mut Vec<Note>,
    ) -> Outcome {
        if number == 1 {
            return if same_to_reader(wrote, seen) { Outcome::Safe } else { Outcome::Wrong };
        }
        let items = Sides { writer: Item::Value(wrote), reader: Item::Value(seen) };
        self.item(surface, identity, Sides { writer, reader }, items, notes);
        Outcome::Safe
    }

    fn enum_identity(&self, ids: Sides<EnumId>, field: &Identity, make: impl FnOnce(&str) -> Identity) -> Identity {
        let pair = in_order(self.direction, ids.writer, ids.reader);
        match self.known.enums.contains(&(pair.old, pair.new)) {
            true => make(&self.enum_container(ids.writer, ids.reader)),
            false => field.clone(),
        }
    }

    /// The numbers that a name has on the two sides, when they differ.
    fn moved_name<'n>(&self, ids: Sides<EnumId>, name: &'n str) -> Option<&'n str> {
        let number = |types: Types<'_, '_>, id| {
            let values = &types.schema.enumeration(id).ast.values;
            values.iter().find(|value| value.name.text == name).map(|value| value.number)
        };
        let numbers = (number(self.writer, ids.writer), number(self.reader, ids.reader));
        matches!(numbers, (Some(one), Some(two)) if one != two).then_some(name)
    }

    fn names_of(types: Types<'s, 'a>, id: EnumId, number: i32) -> impl Iterator<Item = &'s str> {
        let values = &types.schema.enumeration(id).ast.values;
        values.iter().filter(move |value| value.number == i64::from(number)).map(|value| &*value.name.text)
    }

    /// A number of an enum was written, and a number was read.
    fn enum_numbers(
        &self,
        surface: Surface,
        field: &Identity,
        ids: Sides<EnumId>,
        numbers: Sides<i32>,
        notes: &mut Vec<Note>,
    ) {
        let name = Self::names_of(self.writer, ids.writer, numbers.writer).next();
        let expected = match (surface, name) {
            // JSON carries the name, and the name says which number the reader has for it.
            (Surface::Json, Some(name)) => {
                let values = &self.reader.schema.enumeration(ids.reader).ast.values;
                let value = values.iter().find(|value| value.name.text == name);
                value.and_then(|value| i32::try_from(value.number).ok())
            }
            _ => Some(numbers.writer),
        };
        if expected != Some(numbers.reader) {
            notes.push(Note { identity: field.clone(), outcome: Outcome::Wrong });
            return;
        }
        if surface == Surface::Json || name.is_none() {
            return;
        }
        let mut names = Self::names_of(self.writer, ids.writer, numbers.writer);
        if names.any(|name| Self::names_of(self.reader, ids.reader, numbers.reader).any(|other| other == name)) {
            // The number keeps a name; that another name of it moved hurts nobody here.
            return;
        }
        let container = |make: &dyn Fn(&str) -> Identity| self.enum_identity(ids, field, make);
        let is_named = self.reader.names_number(ids.reader, numbers.reader);
        let mut is_told = false;
        let written = Self::names_of(self.writer, ids.writer, numbers.writer);
        let read = Self::names_of(self.reader, ids.reader, numbers.reader);
        for moved in written.chain(read).filter_map(|name| self.moved_name(ids, name)) {
            let outcome = if is_named { Outcome::Wrong } else { Outcome::Lossy };
            notes.push(Note { identity: container(&|container| pairing::by_name(container, moved)), outcome });
            is_told = true;
        }
        if !is_named && !is_told {
            let identity = container(&|container| pairing::by_number(container, numbers.writer));
            notes.push(Note { identity, outcome: Outcome::Unrecognized });
        }
    }

    /// The notes for a value that a reader drops because its enum has no name for it; none when that is not why.
    fn unnamed(&self, surface: Surface, identity: &Identity, fields: Sides<&Field<'_>>, item: Item<'_>) -> Vec<Note> {
        let Kind::Enum(reader) = fields.reader.kind else { return Vec::new() };
        let (kind, value) = match (item, fields.reader.cardinality) {
            // A message that is read as an entry of a map: its field 2 is the value.
            (Item::Value(Value::Record(record)), Cardinality::Map { .. }) => {
                let value = self.writer.field(MessageId(record.ty), 2).zip(record.fields.get(&2));
                let Some((field, value)) = value else { return Vec::new() };
                (field.kind, value)
            }
            (Item::Value(value) | Item::Entry(_, value), _) => (fields.writer.kind, value),
        };
        let is_closed = self.reader.schema.enumeration(reader).is_closed;
        let number = match (kind, value) {
            (Kind::Enum(writer), Value::Enum { number, .. }) => {
                return self.unnamed_number(surface, identity, Sides { writer, reader }, *number);
            }
            (_, Value::Int(number)) => *number as i32,
            (_, Value::Bool(value)) if surface != Surface::Json => i32::from(*value),
            _ => return Vec::new(),
        };
        match is_closed && !self.reader.names_number(reader, number) {
            true => vec![Note { identity: identity.clone(), outcome: Outcome::Unrecognized }],
            false => Vec::new(),
        }
    }

    fn unnamed_number(&self, surface: Surface, field: &Identity, ids: Sides<EnumId>, number: i32) -> Vec<Note> {
        let is_closed = self.reader.schema.enumeration(ids.reader).is_closed;
        let is_named = self.reader.names_number(ids.reader, number);
        let tell =
            |make: &dyn Fn(&str) -> Identity, outcome| Note { identity: self.enum_identity(ids, field, make), outcome };
        let by_number = |container: &str| pairing::by_number(container, number);
        let mut names = Self::names_of(self.writer, ids.writer, number);
        let Some(name) = names.next() else {
            let note = tell(&pairing::enum_openness, Outcome::Unrecognized);
            return if is_closed && !is_named { vec![note] } else { Vec::new() };
        };
        if surface == Surface::Json {
            let mut known = self.reader.schema.enumeration(ids.reader).ast.values.iter();
            if known.any(|value| value.name.text == name) {
                return Vec::new();
            }
            // The number is shared, unless the reader knows it only by names that mean another number to the writer.
            let mut others = Self::names_of(self.reader, ids.reader, number);
            let is_shared = others.any(|other| self.moved_name(ids, other).is_none());
            return vec![tell(&by_number, if is_shared { Outcome::Lossy } else { Outcome::Unrecognized })];
        }
        if !is_closed || is_named {
            return Vec::new();
        }
        let moved = std::iter::once(name).chain(names).filter_map(|name| self.moved_name(ids, name));
        let lost: Vec<Note> =
            moved.map(|moved| tell(&|container| pairing::by_name(container, moved), Outcome::Lossy)).collect();
        if lost.is_empty() { vec![tell(&by_number, Outcome::Unrecognized)] } else { lost }
    }

    /// What a reader who rejected the message experienced: which element made it fail.
    pub(crate) fn rejected(
        &self,
        surface: Surface,
        types: (MessageId, MessageId),
        wrote: &Record,
        error: &ReadError,
    ) -> Vec<Note> {
        let mut notes = Vec::new();
        let ids = Sides { writer: types.0, reader: types.1 };
        self.blame(&Context { surface, outer: None }, ids, wrote, (&error.path, error), &mut notes);
        notes
    }

    fn blame(
        &self,
        context: &Context<'_>,
        ids: Sides<MessageId>,
        wrote: &Record,
        (path, error): (&[i32], &ReadError),
        notes: &mut Vec<Note>,
    ) {
        let elements = self.elements(ids.writer, ids.reader);
        let tell = |index| Note { identity: context.identity(&elements, index), outcome: Outcome::Fails };
        let Some(index) = path.first().and_then(|number| elements.by_reader.get(number).copied()) else {
            // The whole message is at fault; the first field that both sides have stands for it.
            let first = wrote.fields.keys().find_map(|number| elements.by_writer.get(number));
            notes.extend(first.map(|index| tell(*index)));
            return;
        };
        let element = &elements.list[index];
        let reaches = |source: usize| match (elements.list[source].writer, element.reader) {
            (Some(writer), Some(reader)) => self.reaches(context.surface, ids, writer, reader),
            _ => false,
        };
        // Where the data of two fields reach one, the other is told of.
        let mut sources = wrote.fields.keys().filter_map(|number| elements.by_writer.get(number).copied());
        let is_own = sources.all(|source| reaches(source) == (source == index))
            && element.writer.is_some_and(|writer| wrote.fields.contains_key(&writer.number));
        if let (Some(writer), Some(reader), true) = (element.writer, element.reader, path.len() > 1 && is_own)
            && let (Kind::Message(writer_type), Kind::Message(reader_type)) = (writer.kind, reader.kind)
            && is_map(writer) == is_map(reader)
            && let nested = (Sides { writer: writer_type, reader: reader_type })
            && self.knows_messages(nested)
        {
            let child = wrote.fields.get(&writer.number).and_then(|value| items(value).find_map(record_of));
            let empty = Record::empty(writer_type.0);
            return self.blame(context, nested, child.unwrap_or(&empty), (&path[1..], error), notes);
        }
        match error.cause {
            Cause::OneofTwice(other) if path.len() == 1 => match elements.by_reader.get(&other) {
                Some(other) => self.tell_of_rivals(context, &elements, [index, *other], Outcome::Fails, notes),
                None => notes.push(tell(index)),
            },
            Cause::Missing if path.len() == 1 => {
                let missing = error.also.iter().filter_map(|number| elements.by_reader.get(number).copied());
                for missing in std::iter::once(index).chain(missing) {
                    match self.lost_with_required(context, &elements, missing, wrote) {
                        lost if lost.is_empty() => notes.push(tell(missing)),
                        lost => notes.extend(lost),
                    }
                }
            }
            Cause::GivenTwice if path.len() == 1 => self.foreign(context, ids, wrote, index, Outcome::Fails, notes),
            Cause::Malformed | Cause::Missing | Cause::OneofTwice(_) | Cause::GivenTwice => match is_own {
                true => notes.push(tell(index)),
                false => self.foreign(context, ids, wrote, index, Outcome::Fails, notes),
            },
        }
    }

    /// A required field was written and is missing, because its enum has no name for the value. The fallback for such a
    /// value is documented: it counts as unrecognized wherever the enum is used, and the rule's text says what a
    /// required field makes of it.
    fn lost_with_required(
        &self,
        context: &Context<'_>,
        elements: &Elements<'_, '_>,
        index: usize,
        wrote: &Record,
    ) -> Vec<Note> {
        let element = &elements.list[index];
        let (Some(writer), Some(reader)) = (element.writer, element.reader) else { return Vec::new() };
        let value = wrote.fields.get(&writer.number).and_then(|value| items(value).next());
        let identity = context.identity(elements, index);
        let lost = value.map(|value| self.unnamed(context.surface, &identity, Sides { writer, reader }, value));
        lost.unwrap_or_default()
    }
}

impl Context<'_> {
    fn identity(&self, elements: &Elements<'_, '_>, index: usize) -> Identity {
        self.outer.cloned().unwrap_or_else(|| elements.identity(index))
    }
}

fn is_map(field: &Field<'_>) -> bool {
    matches!(field.cardinality, Cardinality::Map { .. })
}

fn record_of<'v>(item: Item<'v>) -> Option<&'v Record> {
    match item {
        Item::Value(Value::Record(record)) | Item::Entry(_, Value::Record(record)) => Some(record),
        Item::Value(_) | Item::Entry(..) => None,
    }
}

/// The value, or the one value of a list.
fn only(value: &Value) -> Option<&Value> {
    match value {
        Value::List(values) if values.len() > 1 => None,
        value => last(value),
    }
}

/// What a single field would hold of a value: the last element of a list. Nothing is like a map.
fn last(value: &Value) -> Option<&Value> {
    match value {
        Value::List(values) => values.last(),
        Value::Map(_) => None,
        single => Some(single),
    }
}

/// The values of a field, one by one: of a list its elements, of a map its entries.
fn items(value: &Value) -> impl Iterator<Item = Item<'_>> {
    let (single, list, map) = match value {
        Value::List(values) => (None, Some(values), None),
        Value::Map(entries) => (None, None, Some(entries)),
        single => (Some(single), None, None),
    };
    let singles = single.into_iter().map(Item::Value);
    let lists = list.into_iter().flatten().map(Item::Value);
    singles.chain(lists).chain(map.into_iter().flatten().map(|(key, value)| Item::Entry(key, value)))
}
