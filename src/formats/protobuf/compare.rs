//! What a reader saw of what a writer wrote: visible values, element by element, never bytes.
//!
//! Elements pair by number, and by name where a name sits at another number on the other side, exactly as
//! [`super::pairing`] says; so a value that arrives under the wrong name is seen as such, whatever path it took.
//! Outcomes follow from the two records alone. This module knows neither the changes nor the rules.

use std::sync::{Arc, OnceLock};

use rustc_hash::{FxHashMap, FxHashSet};

use crate::change::{Identity, Pair};
use crate::evidence::{Direction, Outcome, Surface};
use crate::formats::roundtrip::{Note, Shared, Sides, felt};
use crate::ordered::OrderedMap;
use crate::value::{Key, Record, Value, same_default, same_to_reader};

use super::builtin;
use super::codec::{HOLDER, Types};
use super::elements::{Element, Elements, Identities};
use super::json;
use super::model::{Cardinality, EnumId, Field, Kind, MessageId, Presence};
use super::pairing;
use super::types;
use super::well_known::WellKnown;

mod blame;
mod enums;
mod values;

/// The elements of pairs of messages, found once for each pair and direction.
pub(super) type Paired<'s, 'a> = Shared<(Direction, Sides<MessageId>), Elements<'s, 'a>>;

/// Compares records of one writer and one reader on one surface.
pub(super) struct Comparer<'s, 'a, 'k> {
    /// The writer's types.
    pub(super) writer: Types<'s, 'a>,
    /// The reader's types.
    pub(super) reader: Types<'s, 'a>,
    /// Who is old and who is new.
    pub(super) direction: Direction,
    identities: &'k Identities,
    own: Paired<'s, 'a>,
    shared: Option<&'k Paired<'s, 'a>>,
    /// What everything is told of that is experienced of messages without identities of their own.
    told: Option<&'k Identity>,
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
    pub(super) fn new(
        writer: Types<'s, 'a>,
        reader: Types<'s, 'a>,
        direction: Direction,
        identities: &'k Identities,
    ) -> Self {
        Self { writer, reader, direction, identities, own: Shared::default(), shared: None, told: None }
    }

    /// The same, for the messages of a method: everything is told of it.
    pub(super) fn telling_of(self, told: &'k Identity) -> Self {
        Self { told: Some(told), ..self }
    }

    /// A comparer of the reader with itself.
    pub(super) fn of_reader(&self) -> Self {
        Self::new(self.reader, self.reader, self.direction, self.identities)
    }

    /// The same, with what others found out about the same two schemas.
    pub(super) fn sharing(self, shared: &'k Paired<'s, 'a>) -> Self {
        Self { shared: Some(shared), ..self }
    }

    /// The elements of a pair of messages, the writer's first.
    pub(super) fn elements(&self, ids: Sides<MessageId>) -> Arc<Elements<'s, 'a>> {
        self.shared.unwrap_or(&self.own).get((self.direction, ids), || self.pair_elements(ids))
    }

    fn pair_elements(&self, ids: Sides<MessageId>) -> Elements<'s, 'a> {
        let only_extensions = self.is_beside_builtin(ids);
        let is_one =
            |field: &&Field<'_>| !self.is_of_different_programs(ids, field) && (field.is_extension || !only_extensions);
        let written: Vec<&Field<'_>> = self.writer.fields(ids.writer).filter(is_one).collect();
        let read: Vec<&Field<'_>> = self.reader.fields(ids.reader).filter(is_one).collect();
        let read_by_name: FxHashMap<(bool, &str), &Field<'_>> =
            read.iter().map(|field| ((field.is_extension, &*field.name), *field)).collect();
        let read_by_number: FxHashMap<i32, &Field<'_>> = read.iter().map(|field| (field.number, *field)).collect();
        let written_by_name: FxHashMap<(bool, &str), &Field<'_>> =
            written.iter().map(|field| ((field.is_extension, &*field.name), *field)).collect();
        let moved_to = |field: &Field<'_>, others: &FxHashMap<(bool, &str), &'s Field<'a>>| {
            others.get(&(field.is_extension, &*field.name)).copied().filter(|other| other.number != field.number)
        };
        let in_order = Sides { writer: &written[..], reader: &read[..] }.in_order(self.direction);
        let schemas = Sides { writer: self.writer.schema, reader: self.reader.schema }.in_order(self.direction);
        let crossed = pairing::crossed(schemas, in_order).into_iter().map(|at| Sides::of(self.direction, at));
        let crossed: Vec<Sides<usize>> = crossed.collect();
        let crossed_written: FxHashMap<usize, usize> = crossed.iter().map(|at| (at.writer, at.reader)).collect();
        let crossed_read: FxHashSet<i32> = crossed.iter().map(|at| read[at.reader].number).collect();
        let mut list = Vec::with_capacity(written.len());
        for (at, field) in written.iter().enumerate() {
            let same_number = read_by_number.get(&field.number).copied();
            // A file with mistakes may declare a name twice; the one that stays where it was has not moved.
            let stays =
                same_number.is_some_and(|other| (other.is_extension, &other.name) == (field.is_extension, &field.name));
            let spelled_otherwise = || crossed_written.get(&at).map(|at| read[*at]);
            let moved = if stays { None } else { moved_to(field, &read_by_name).or_else(spelled_otherwise) };
            let stays = |other: &&Field<'_>| {
                !crossed_read.contains(&other.number) && moved_to(other, &written_by_name).is_none()
            };
            let counterpart = moved.or_else(|| same_number.filter(stays));
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
        Elements { container, fixed, list, by_writer, by_reader, oneofs, always, by_identity: OnceLock::new() }
    }

    /// Whether one of two messages is built into the language, and the other one is it in a copy.
    fn is_beside_builtin(&self, ids: Sides<MessageId>) -> bool {
        let is_copy = || {
            let (writer, reader) = (self.writer.schema.message(ids.writer), self.reader.schema.message(ids.reader));
            writer.full_name == reader.full_name
        };
        if ids.writer == HOLDER || ids.reader == HOLDER || !is_copy() {
            return false;
        }
        let writer = self.writer.schema.file(self.writer.schema.message(ids.writer).file);
        let reader = self.reader.schema.file(self.reader.schema.message(ids.reader).file);
        builtin::is_one(writer) != builtin::is_one(reader) && builtin::are_one(Pair::new(writer, reader))
    }

    /// Whether the number of an extension is declared by several files, and what both sides know of it is not of one file:
    /// then nobody holds both.
    fn is_of_different_programs(&self, ids: Sides<MessageId>, field: &Field<'_>) -> bool {
        if !field.is_extension || ids.writer == HOLDER || ids.reader == HOLDER {
            return false;
        }
        let is_several = |types: Types<'_, '_>, id| {
            let mut elsewhere = types.schema.message(id).extended_elsewhere.iter();
            elsewhere.any(|other| types.schema.extension(*other).number == field.number)
        };
        let path =
            |types: Types<'s, 'a>, id| types.field(id, field.number).map(|field| &types.schema.file(field.file).path);
        (is_several(self.writer, ids.writer) || is_several(self.reader, ids.reader))
            && path(self.writer, ids.writer) != path(self.reader, ids.reader)
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
        let schemas = Sides { writer: self.writer.schema, reader: self.reader.schema }.in_order(self.direction);
        let fixed = self.told.filter(|_| !self.knows_messages(ids)).cloned();
        (pairing::message_container(schemas, ids.in_order(self.direction)), fixed)
    }

    fn enum_container(&self, writer: EnumId, reader: EnumId) -> String {
        let schemas = Sides { writer: self.writer.schema, reader: self.reader.schema }.in_order(self.direction);
        pairing::enum_container(schemas, Sides { writer, reader }.in_order(self.direction))
    }

    /// The reader's oneof for each of the writer's.
    fn pair_oneofs(&self, ids: Sides<MessageId>, list: &[Element<'_, '_>]) -> OrderedMap<u32, u32> {
        if ids.writer == HOLDER || ids.reader == HOLDER {
            return OrderedMap::new();
        }
        let messages =
            Sides { writer: self.writer.schema.message(ids.writer), reader: self.reader.schema.message(ids.reader) };
        let shared = || {
            let both = list.iter().filter_map(|element| element.writer.zip(element.reader));
            both.map(|(writer, reader)| Sides { writer, reader }.in_order(self.direction)).collect()
        };
        let matched = pairing::oneofs(messages.in_order(self.direction), shared);
        let pairs = (0..).zip(matched).filter_map(|(old, new)| Some(Pair::new(old, new?)));
        match self.direction {
            Direction::Backward => pairs.map(|pair| (pair.old, pair.new)).collect(),
            Direction::Forward => pairs.map(|pair| (pair.new, pair.old)).collect(),
        }
    }

    /// What a reader who accepted the message experienced; of what nobody wrote or read, if that is asked for.
    pub(super) fn compare(
        &self,
        surface: Surface,
        ids: Sides<MessageId>,
        records: Sides<&Record>,
        with_always: bool,
    ) -> Vec<Note> {
        let mut notes = Vec::new();
        self.felt(&Context { surface, outer: None }, ids, (records, with_always), &mut notes);
        notes
    }

    fn records(&self, context: &Context<'_>, ids: Sides<MessageId>, records: Sides<&Record>, notes: &mut Vec<Note>) {
        self.felt(context, ids, (records, true), notes);
    }

    fn felt(
        &self,
        context: &Context<'_>,
        ids: Sides<MessageId>,
        (records, with_always): (Sides<&Record>, bool),
        notes: &mut Vec<Note>,
    ) {
        let elements = self.elements(ids);
        if !records.writer.fields.is_empty() && self.is_replaced(ids) && elements.are_disjoint() {
            // The reader has a message, and nothing of what the writer said in it.
            notes.push(Note { identity: context.identity(&elements, 0), outcome: Outcome::Lossy });
        }
        let written = records.writer.fields.keys().filter_map(|number| elements.by_writer.get(number));
        let read = records.reader.fields.keys().filter_map(|number| elements.by_reader.get(number));
        for index in felt(written.chain(read).copied(), &elements.always, with_always) {
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
                        // It came from another field: that shows where it is not what this one wrote.
                        (Some(wrote), Some(read)) => {
                            let values = Sides { writer: wrote, reader: read };
                            if let Some(worst) = self.worst_of_field(context.surface, fields, values) {
                                self.foreign(context, ids, records.writer, index, worst, notes);
                            }
                        }
                        (None, Some(read)) if self.was_meant(context.surface, fields, read) => {}
                        (None, Some(_)) => self.foreign(context, ids, records.writer, index, Outcome::Wrong, notes),
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

    /// What is experienced of a field at worst; nothing where a reader sees exactly what was written into it.
    fn worst_of_field(&self, surface: Surface, fields: Sides<&Field<'_>>, values: Sides<&Value>) -> Option<Outcome> {
        let mut notes = Vec::new();
        self.field(surface, &Identity(String::new()), fields, values, &mut notes);
        notes.into_iter().map(|note| note.outcome).max()
    }

    /// Whether a value is what the writer meant by leaving the field out.
    fn was_meant(&self, surface: Surface, fields: Sides<&Field<'_>>, read: &Value) -> bool {
        let is_plain = |field: &Field<'_>| {
            field.cardinality == Cardinality::Singular && !matches!(field.kind, Kind::Message(_) | Kind::Opaque)
        };
        let is_said =
            fields.writer.presence == Presence::Implicit && is_plain(fields.writer) && is_plain(fields.reader);
        let meant = is_said.then(|| self.writer.zero(fields.writer.kind)).flatten();
        meant
            .is_some_and(|meant| self.worst_of_field(surface, fields, Sides { writer: &meant, reader: read }).is_none())
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
        let elements = self.elements(ids);
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

    /// What the loss of an extension is told of where only the writer puts it into a set.
    fn item_of_a_set(&self, context: &Context<'_>, ids: Sides<MessageId>, index: usize) -> Option<Identity> {
        let elements = self.elements(ids);
        let is_item = context.surface == Surface::Wire && elements.list[index].writer?.is_extension;
        let of_set = self.message_set(ids).filter(|_| is_item)?;
        Some(context.outer.cloned().or_else(|| elements.fixed.clone()).unwrap_or(of_set))
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
        let elements = self.elements(ids);
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
        if let Some(identity) = self.item_of_a_set(context, ids, index) {
            notes.push(Note { identity, outcome: Outcome::Lossy });
            return;
        }
        let lost: Vec<Vec<Note>> =
            items(wrote).map(|item| self.unnamed(context.surface, &identity, fields, item)).collect();
        if !lost.iter().any(Vec::is_empty) {
            notes.extend(lost.into_iter().flatten());
            return;
        }
        if context.surface == Surface::Wire && items(wrote).all(|item| self.read_alone(fields, item).is_none()) {
            // It would not have arrived alone either, so nothing else is to blame.
            notes.push(Note { identity, outcome: Outcome::Lossy });
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
            // Another field's data took the place, which is in the way of this one because they share a oneof.
            Some(rival) => {
                notes.extend(elements.oneof_differs(index).then_some(Note { identity, outcome: Outcome::Lossy }));
                self.foreign(context, ids, records.writer, rival, Outcome::Lossy, notes);
            }
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
            if numbers.writer != numbers.reader && self.share_a_name(Sides { writer, reader }, numbers) {
                return;
            }
            if numbers.writer != numbers.reader {
                let identity = self.enum_identity(Sides { writer, reader }, identity, pairing::enum_default);
                notes.push(Note { identity, outcome: Outcome::Wrong });
            } else {
                let seen = self.unlike_names(identity, Sides { writer, reader }, numbers.writer).into_iter();
                notes.extend(seen.filter(|note| note.outcome == Outcome::Wrong));
            }
            return;
        }
        let are_texts = |value: &Value| matches!(value, Value::Text(_) | Value::Bytes(_));
        let differs = are_texts(&meant) == are_texts(&shown) && !self.is_same_default(fields, (&meant, &shown));
        if differs || self.is_default_of_another_name(fields, (&meant, &shown)) {
            notes.push(Note { identity: identity.clone(), outcome: Outcome::Wrong });
        }
    }

    /// Whether what the writer meant is what the reader shows: of an enum the name says so, and the number where there is none.
    fn is_same_default(&self, fields: Sides<&Field<'_>>, defaults: (&Value, &Value)) -> bool {
        let share_a_name = match (fields.writer.kind, fields.reader.kind, defaults) {
            (
                Kind::Enum(writer),
                Kind::Enum(reader),
                (Value::Enum { number: meant, .. }, Value::Enum { number: shown, .. }),
            ) => self.share_a_name(Sides { writer, reader }, Sides { writer: *meant, reader: *shown }),
            _ => false,
        };
        share_a_name || same_default(defaults.0, defaults.1)
    }

    /// Whether the name identifies two numbers of two enums as one value.
    pub(super) fn share_a_name(&self, ids: Sides<EnumId>, numbers: Sides<i32>) -> bool {
        types::share_a_name(Pair::new(
            (self.writer, ids.writer, numbers.writer),
            (self.reader, ids.reader, numbers.reader),
        ))
    }

    /// Whether the number that both sides have for a default is called by a name that moved.
    fn is_default_of_another_name(&self, fields: Sides<&Field<'_>>, defaults: (&Value, &Value)) -> bool {
        let (Kind::Enum(writer), Kind::Enum(reader)) = (fields.writer.kind, fields.reader.kind) else { return false };
        let (Value::Enum { number: meant, .. }, Value::Enum { number: shown, .. }) = defaults else { return false };
        if meant != shown {
            return false;
        }
        let seen = self.unlike_names(&Identity(String::new()), Sides { writer, reader }, *meant);
        seen.iter().any(|note| note.outcome == Outcome::Wrong)
    }

    /// Whether a surface pairs the fields of two types: in JSON some well-known types have no fields to pair.
    pub(super) fn pairs_fields(&self, surface: Surface, ids: Sides<MessageId>) -> bool {
        let forms = (WellKnown::of(self.writer, ids.writer), WellKnown::of(self.reader, ids.reader));
        surface != Surface::Json || forms.0 == forms.1
    }

    /// Where only one side writes the extensions of a message as items of a set: what that is told of.
    pub(super) fn message_set(&self, ids: Sides<MessageId>) -> Option<Identity> {
        if self.writer.is_message_set(ids.writer) == self.reader.is_message_set(ids.reader) {
            return None;
        }
        let schemas = Sides { writer: self.writer.schema, reader: self.reader.schema }.in_order(self.direction);
        Some(pairing::message_set(&schemas.new.message(ids.in_order(self.direction).new).full_name))
    }

    /// Whether one message took the place of another.
    pub(super) fn is_replaced(&self, ids: Sides<MessageId>) -> bool {
        let are_holders = ids.writer == HOLDER || ids.reader == HOLDER;
        !are_holders && !self.knows_messages(ids) && {
            self.writer.schema.message(ids.writer).full_name != self.reader.schema.message(ids.reader).full_name
        }
    }

    /// Whether one enum took the place of another.
    pub(super) fn is_replaced_enum(&self, ids: Sides<EnumId>) -> bool {
        let pair = ids.in_order(self.direction);
        !self.identities.has_enum(pair)
            && self.writer.schema.enumeration(ids.writer).full_name
                != self.reader.schema.enumeration(ids.reader).full_name
    }

    fn knows_messages(&self, ids: Sides<MessageId>) -> bool {
        self.identities.has(ids.in_order(self.direction))
    }
}

impl Context<'_> {
    fn identity(&self, elements: &Elements<'_, '_>, index: usize) -> Identity {
        self.outer.cloned().unwrap_or_else(|| elements.identity(index))
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
