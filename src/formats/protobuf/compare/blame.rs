//! What made a reader reject the message.

use std::borrow::Cow;

use crate::evidence::{Outcome, Surface};
use crate::formats::roundtrip::{Note, Sides};
use crate::value::{Record, Value};

use super::super::codec::{self, Cause, ReadError, Types};
use super::super::elements::Elements;
use super::super::json;
use super::super::model::{Cardinality, EnumId, Field, Kind, MessageId};
use super::super::relation::cardinality_class;
use super::{Comparer, Context, Item, items};

/// The field of a map's entry that is its value (<https://protobuf.dev/programming-guides/encoding/#maps>).
const VALUE: i32 = 2;

impl Comparer<'_, '_, '_> {
    /// What a reader who rejected the message experienced: which element made it fail.
    pub(in super::super) fn rejected(
        &self,
        surface: Surface,
        ids: Sides<MessageId>,
        wrote: &Record,
        error: &ReadError,
    ) -> Vec<Note> {
        let mut notes = Vec::new();
        self.blame(&Context { surface, outer: None }, ids, wrote, (&error.path, error), &mut notes);
        notes
    }

    /// Two members of one oneof came to the reader: what another field's data set is in the way of what was meant.
    fn both_set(
        &self,
        context: &Context<'_>,
        ids: Sides<MessageId>,
        wrote: &Record,
        rivals: [usize; 2],
        notes: &mut Vec<Note>,
    ) {
        let is_foreign = |rival: &usize| !self.has_written(context.surface, ids, wrote, *rival);
        let foreign: Vec<usize> = rivals.into_iter().filter(is_foreign).collect();
        for rival in &foreign {
            self.foreign(context, ids, wrote, *rival, Outcome::Fails, notes);
        }
        if foreign.is_empty() {
            self.tell_of_rivals(context, &self.elements(ids), rivals, Outcome::Fails, notes);
        }
    }

    /// Whether the writer put something into a field that arrives in the same field of the reader.
    fn has_written(&self, surface: Surface, ids: Sides<MessageId>, wrote: &Record, index: usize) -> bool {
        let element = &self.elements(ids).list[index];
        match (element.writer, element.reader) {
            (Some(writer), Some(reader)) => {
                wrote.fields.contains_key(&writer.number) && self.reaches(surface, ids, writer, reader)
            }
            _ => false,
        }
    }

    fn blame(
        &self,
        context: &Context<'_>,
        ids: Sides<MessageId>,
        wrote: &Record,
        (path, error): (&[i32], &ReadError),
        notes: &mut Vec<Note>,
    ) {
        let elements = self.elements(ids);
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
            && let Some((nested, rest)) = self.inside(Sides { writer, reader }, path)
            && self.pairs_fields(context.surface, nested)
        {
            let value = wrote.fields.get(&writer.number).map(|value| self.held(Sides { writer, reader }, value));
            let culprit = value.as_deref().and_then(|value| self.culprit(context.surface, nested, value, rest));
            // What an entry does not hold is made up by the reader, and no message of the writer is to blame.
            if is_map(writer) == is_map(reader) || matches!(culprit, Some((_, Some(_)))) {
                let empty = Record::empty(nested.writer.0);
                let (child, own) = culprit.map_or((&empty, None), |(child, own)| (child, own));
                let (path, error) = own.as_ref().map_or((rest, error), |own| (&own.path[..], own));
                let identity = context.identity(&elements, index);
                let outer = (!self.knows_messages(nested)).then_some(&identity);
                let inside = Context { surface: context.surface, outer };
                return self.blame(&inside, nested, child, (path, error), notes);
            }
        }
        match error.cause {
            Cause::OneofTwice(other) if path.len() == 1 => match elements.by_reader.get(&other) {
                Some(other) => self.both_set(context, ids, wrote, [index, *other], notes),
                None => notes.push(tell(index)),
            },
            Cause::Missing if path.len() == 1 => {
                let missing = error.also.iter().filter_map(|number| elements.by_reader.get(number).copied());
                for missing in std::iter::once(index).chain(missing) {
                    self.refused(context, &elements, (missing, &error.cause), wrote, notes);
                }
            }
            Cause::GivenTwice if path.len() == 1 => self.foreign(context, ids, wrote, index, Outcome::Fails, notes),
            Cause::Malformed | Cause::Missing | Cause::OneofTwice(_) | Cause::GivenTwice => match is_own {
                true => self.refused(context, &elements, (index, &error.cause), wrote, notes),
                false => self.foreign(context, ids, wrote, index, Outcome::Fails, notes),
            },
        }
    }

    /// The messages that stand inside of a field on both sides, and the rest of the path from there: those of the field, of
    /// two maps their values, and of a map and a list of entries its values and their field 2.
    fn inside<'p>(&self, fields: Sides<&Field<'_>>, path: &'p [i32]) -> Option<(Sides<MessageId>, &'p [i32])> {
        let (Kind::Message(writer), Kind::Message(reader)) = (fields.writer.kind, fields.reader.kind) else {
            return None;
        };
        let value_of = |types: Types<'_, '_>, entry| match types.value_of_entry(entry)? {
            Kind::Message(value) => Some(value),
            _ => None,
        };
        match (is_map(fields.writer), is_map(fields.reader)) {
            (false, false) | (true, true) => Some((Sides { writer, reader }, &path[1..])),
            (true, false) if path.len() > 2 && path[1] == VALUE => {
                Some((Sides { writer, reader: value_of(self.reader, reader)? }, &path[2..]))
            }
            (true, false) => None,
            (false, true) => Some((Sides { writer: value_of(self.writer, writer)?, reader }, &path[1..])),
        }
    }

    /// The messages of a field that the reader of a map takes for values: of a list of entries what their field 2 holds.
    fn held<'v>(&self, fields: Sides<&Field<'_>>, value: &'v Value) -> Cow<'v, Value> {
        if is_map(fields.writer) || !is_map(fields.reader) {
            return Cow::Borrowed(value);
        }
        let entries = items(value).filter_map(record_of).filter_map(|entry| entry.fields.get(&VALUE));
        let values = entries.flat_map(items).filter_map(record_of);
        Cow::Owned(Value::List(values.cloned().map(Value::Record).collect()))
    }

    /// Of the messages of a field the one that is to blame, with its own error where it is rejected when it is read
    /// alone: best at the same place inside it, else anywhere, else the first.
    fn culprit<'v>(
        &self,
        surface: Surface,
        ids: Sides<MessageId>,
        value: &'v Value,
        path: &[i32],
    ) -> Option<(&'v Record, Option<ReadError>)> {
        let error_of = |record: &Record| match surface {
            Surface::Json => {
                let text = json::encode(self.writer, ids.writer, record).ok()?;
                json::decode(self.reader, ids.reader, &text).err()
            }
            Surface::Wire | Surface::Source => {
                codec::decode(self.reader, ids.reader, &codec::encode(self.writer, ids.writer, record)).err()
            }
        };
        let mut best = None;
        for record in items(value).filter_map(record_of) {
            match error_of(record) {
                Some(error) if error.path == path => return Some((record, Some(error))),
                Some(error) if !matches!(best, Some((_, Some(_)))) => best = Some((record, Some(error))),
                None if best.is_none() => best = Some((record, None)),
                Some(_) | None => {}
            }
        }
        best
    }

    /// What a field holds is refused: for want of a name, else as it is.
    fn refused(
        &self,
        context: &Context<'_>,
        elements: &Elements<'_, '_>,
        (index, cause): (usize, &Cause),
        wrote: &Record,
        notes: &mut Vec<Note>,
    ) {
        match self.lost_for_want_of_a_name(context, elements, (index, cause), wrote) {
            lost if lost.is_empty() => {
                notes.push(Note { identity: context.identity(elements, index), outcome: Outcome::Fails });
            }
            lost => notes.extend(lost),
        }
    }

    /// A field was written whose enum has no name for the value: the message is rejected because of that value, which a
    /// required field lacks or a reader of JSON refuses.
    fn lost_for_want_of_a_name(
        &self,
        context: &Context<'_>,
        elements: &Elements<'_, '_>,
        (index, cause): (usize, &Cause),
        wrote: &Record,
    ) -> Vec<Note> {
        let element = &elements.list[index];
        let (Some(writer), Some(reader)) = (element.writer, element.reader) else { return Vec::new() };
        let identity = context.identity(elements, index);
        let fields = Sides { writer, reader };
        // A record of packed numbers is nothing to a single field, whatever they are called.
        if context.surface == Surface::Wire
            && writer.cardinality == Cardinality::Repeated
            && writer.packed
            && reader.cardinality == Cardinality::Singular
        {
            return Vec::new();
        }
        // In JSON a name that is not known is left out; what is there and refused is a number, in the form of its field.
        let is_there = context.surface == Surface::Json && !matches!(cause, Cause::Missing);
        let is_form = cardinality_class(writer.cardinality) == cardinality_class(reader.cardinality);
        let is_named = |item: &Item<'_>| match item {
            Item::Value(Value::Enum { ty, number }) | Item::Entry(_, Value::Enum { ty, number }) => {
                self.writer.names_number(EnumId(*ty), *number)
            }
            Item::Value(_) | Item::Entry(..) => false,
        };
        let values = wrote.fields.get(&writer.number).into_iter().flat_map(items);
        let values = values.filter(|item| !is_there || is_form && !is_named(item));
        let mut lost = values.map(|value| self.unnamed(context.surface, &identity, fields, value));
        lost.find(|notes| !notes.is_empty())
            .unwrap_or_default()
            .into_iter()
            .map(|note| Note { outcome: Outcome::Fails, ..note })
            .collect()
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
