//! Values that both sides have: single ones, lists, maps, and entries read as messages.

use rustc_hash::FxHashSet;

use crate::change::Identity;
use crate::evidence::{Outcome, Surface};
use crate::formats::roundtrip::{Note, Sides};
use crate::ordered::OrderedMap;
use crate::value::{Key, Record, Value, same_to_reader};

use super::super::codec::{self, HOLDER, Types};
use super::super::model::{Cardinality, Field, Kind, MessageId};
use super::super::well_known::WellKnown;
use super::{Comparer, Context, Item, items};

impl Comparer<'_, '_, '_> {
    /// Both sides have a value.
    pub(super) fn field(
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
                    Surface::Json => self.is_at_worst(
                        Outcome::Lossy,
                        (surface, identity),
                        fields,
                        Sides { writer: *wrote, reader: *read },
                    ),
                    Surface::Wire | Surface::Source => self.read_alone(fields, *wrote).as_ref() == Some(values.reader),
                });
                let outcome = if is_one_of_them { Outcome::Lossy } else { Outcome::Wrong };
                notes.push(Note { identity: identity.clone(), outcome });
            }
        }
    }

    /// What a reader would see if one element of a list had been written alone.
    pub(super) fn read_alone(&self, fields: Sides<&Field<'_>>, item: Item<'_>) -> Option<Value> {
        let value = match item {
            Item::Value(value) if fields.writer.cardinality == Cardinality::Singular => value.clone(),
            Item::Value(value) => Value::List(vec![value.clone()]),
            Item::Entry(key, value) => Value::Map(OrderedMap::from([(key.clone(), value.clone())])),
        };
        let mut bytes = Vec::new();
        codec::encode_field(self.writer, fields.writer, &value, &mut bytes);
        let holder = [fields.reader.clone()];
        let types = Types { schema: self.reader.schema, holder: &holder, index: None };
        codec::decode(types, HOLDER, &bytes).ok()?.fields.remove(&fields.reader.number)
    }

    /// Whether nothing worse than `most` is experienced of an element: of `Unrecognized` it is the same element still, of
    /// `Lossy` no other one.
    fn is_at_worst(
        &self,
        most: Outcome,
        (surface, identity): (Surface, &Identity),
        fields: Sides<&Field<'_>>,
        items: Sides<Item<'_>>,
    ) -> bool {
        let mut notes = Vec::new();
        self.item(surface, identity, fields, items, &mut notes);
        notes.iter().all(|note| note.outcome <= most)
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
            written.any(|wrote| {
                self.is_at_worst(
                    Outcome::Unrecognized,
                    (surface, identity),
                    fields,
                    Sides { writer: *wrote, reader: *read },
                )
            })
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
                None => lost.push(self.unnamed(surface, identity, fields, Item::Entry(key, value))),
            }
        }
        if matched.len() < read.len() {
            notes.push(tell(Outcome::Wrong));
        }
        self.met_by_key((surface, identity), fields, (&pairs, lost), notes);
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
        let (mut pairs, mut lost) = (Vec::new(), Vec::new());
        for wrote in all.writer.iter().rev() {
            let same_key = |read: &&Item<'_>| self.has_key_of(fields, *wrote, **read);
            if let Some(position) = unexplained.iter().position(same_key) {
                let read = unexplained.remove(position);
                pairs.push(Sides { writer: *wrote, reader: *read });
                explained.push(read);
            } else if explained.iter().any(same_key) {
                notes.push(tell(Outcome::Lossy));
            } else {
                lost.push(self.unnamed(surface, identity, fields, *wrote));
            }
        }
        if !unexplained.is_empty() {
            notes.push(tell(Outcome::Wrong));
        }
        self.met_by_key((surface, identity), fields, (&pairs, lost), notes);
    }

    /// Entries that met by their keys, and why others met none: for a value without a name, or for nothing that is known.
    fn met_by_key(
        &self,
        (surface, identity): (Surface, &Identity),
        fields: Sides<&Field<'_>>,
        (pairs, lost): (&[Sides<Item<'_>>], Vec<Vec<Note>>),
        notes: &mut Vec<Note>,
    ) {
        if lost.iter().any(Vec::is_empty) {
            // Keys were lost on the way, so what stands at the others may have been written at those.
            let is_mixed =
                pairs.iter().any(|items| !self.is_at_worst(Outcome::Unrecognized, (surface, identity), fields, *items));
            let outcome = if is_mixed { Outcome::Wrong } else { Outcome::Lossy };
            notes.push(Note { identity: identity.clone(), outcome });
        } else {
            for items in pairs {
                self.item(surface, identity, fields, *items, notes);
            }
        }
        notes.extend(lost.into_iter().flatten());
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
    pub(super) fn item(
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
                let is_wrapper = WellKnown::of(types, id) == Some(WellKnown::Wrapper);
                let field = types.field(id, 1).filter(|_| is_wrapper)?;
                record.fields.get(&1).cloned().or_else(|| types.default(field))
            }
            Item::Value(value) => Some(value.clone()),
            Item::Entry(..) => None,
        }
    }

    fn nested(&self, surface: Surface, identity: &Identity, records: Sides<&Record>, notes: &mut Vec<Note>) {
        let ids = Sides { writer: MessageId(records.writer.ty), reader: MessageId(records.reader.ty) };
        let forms = (WellKnown::of(self.writer, ids.writer), WellKnown::of(self.reader, ids.reader));
        if surface == Surface::Json
            && forms == (Some(WellKnown::Any), Some(WellKnown::Any))
            && records.writer.fields.get(&1) == records.reader.fields.get(&1)
        {
            // What it holds was read by its members, as each side has them; that type is compared by itself.
            return;
        }
        let are_empty = records.writer.fields.is_empty() && records.reader.fields.is_empty();
        if surface == Surface::Json && forms.0 != forms.1 && !are_empty {
            // The text of one JSON form was accepted as another: what the fields say is a coincidence.
            notes.push(Note { identity: identity.clone(), outcome: Outcome::Wrong });
            return;
        }
        let outer = (!self.knows_messages(ids)).then_some(identity);
        self.records(&Context { surface, outer }, ids, records, notes);
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
                (Some(field), None) => {
                    self.entry_part_gone(surface, identity, (number, fields.writer, wrote), field, notes)
                }
            };
            if outcome > Outcome::Safe {
                notes.push(Note { identity: identity.clone(), outcome });
            }
        }
    }

    /// The key (1) or the value (2) of an entry, of which the reader's field of that number shows nothing. A value that
    /// its enum does not name is told of there.
    fn entry_part_gone(
        &self,
        surface: Surface,
        identity: &Identity,
        (number, writer, wrote): (i32, &Field<'_>, &Value),
        reader: &Field<'_>,
        notes: &mut Vec<Note>,
    ) -> Outcome {
        if number == 2 {
            let unnamed = self.unnamed(surface, identity, Sides { writer, reader }, Item::Value(wrote));
            if !unnamed.is_empty() {
                notes.extend(unnamed);
                return Outcome::Safe;
            }
        }
        match self.reader.default(reader) {
            Some(default) if same_to_reader(wrote, &default) => Outcome::Safe,
            _ => Outcome::Lossy,
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
            let Some(field) = self.writer.field(id, number) else {
                // The reader makes up what the writer has no place for.
                outcome = Outcome::Wrong;
                continue;
            };
            let sides = Sides { writer: field, reader: fields.reader };
            let default = self.writer.default(field);
            outcome = outcome.max(match wrote.fields.get(&number) {
                Some(written) => match self.read_of_several((surface, identity), sides, written, seen) {
                    Some(value) => {
                        self.entry_part(surface, identity, (number, field, value), (fields.reader, seen), notes)
                    }
                    None => Outcome::Wrong,
                },
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

    /// Which of the values that were written is the one that an entry shows: the last; of messages, which merge, any that
    /// is like it, the last first. Nothing where they merged into what none of them was, and of a map.
    fn read_of_several<'w>(
        &self,
        (surface, identity): (Surface, &Identity),
        fields: Sides<&Field<'_>>,
        written: &'w Value,
        seen: &Value,
    ) -> Option<&'w Value> {
        match written {
            Value::List(values) if values.len() > 1 && matches!(seen, Value::Record(_)) => {
                values.iter().rev().find(|value| {
                    let items = Sides { writer: Item::Value(value), reader: Item::Value(seen) };
                    self.is_at_worst(Outcome::Unrecognized, (surface, identity), fields, items)
                })
            }
            written => last(written),
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
