//! Values of lists and maps for readers who take several of them for one.

use crate::formats::roundtrip::Sides;
use crate::value::{Record, Value, is_zero};

use super::codec;
use super::maker::{CHILD_FIELDS, Focus, KEY, Maker, VALUE, is_map};
use super::model::{Cardinality, EnumId, Field, Kind, MessageId, Presence};

/// Messages of which each is written with each other where several are read as one.
const MERGED: usize = 12;

impl Maker<'_, '_, '_, '_> {
    /// Lists of messages for a reader who takes several for one: each with each other, both ways and with itself, and all
    /// of them. If what they hold can get mixed, some of these show it.
    pub(super) fn merged(&self, field: &Field<'_>, reader: Option<&Field<'_>>, values: &[Value]) -> Vec<Vec<Value>> {
        let is_message = |field: &Field<'_>| matches!(field.kind, Kind::Message(_));
        let is_one = |reader: &Field<'_>| is_message(reader) && reader.cardinality == Cardinality::Singular;
        if !is_message(field) || !reader.is_some_and(is_one) {
            return Vec::new();
        }
        let some = &values[..values.len().min(MERGED)];
        let pairs = some.iter().flat_map(|one| some.iter().map(|other| vec![one.clone(), other.clone()]));
        // What the reader demands and the writer does not may come with one of them and be there in what they make together.
        let taken_for = if is_map(field) { self.part_of_entry(field, reader, 2) } else { reader };
        let undemanding: Vec<Value> = match (field.kind, taken_for.map(|reader| reader.kind)) {
            (Kind::Message(writer), Some(Kind::Message(reader))) => {
                some.iter().filter_map(|value| self.undemanding(Sides { writer, reader }, value)).collect()
            }
            _ => Vec::new(),
        };
        let with_less =
            undemanding.iter().flat_map(|one| some.iter().take(CHILD_FIELDS).map(|all| vec![one.clone(), all.clone()]));
        pairs.chain([some.to_vec()]).chain(with_less).collect()
    }

    /// A message without what its reader demands and its writer does not, if anything else is in it.
    fn undemanding(&self, ids: Sides<MessageId>, value: &Value) -> Option<Value> {
        let Value::Record(all) = value else { return None };
        let is_demanded = |number: &i32| {
            let is_required =
                |field: Option<&Field<'_>>| field.is_some_and(|field| field.presence == Presence::Required);
            is_required(self.comparer.reader.field(ids.reader, *number))
                && !is_required(self.writer().field(ids.writer, *number))
        };
        let mut less = all.clone();
        less.fields.retain(|number, _| !is_demanded(number));
        (less.fields.len() < all.fields.len() && !less.fields.is_empty()).then_some(Value::Record(less))
    }

    /// Two messages that a map would take for entries of one key: with values that differ, and with a second one for whose
    /// value the reader has no name, so that the first stands for both.
    pub(super) fn equal_keys(&self, field: &Field<'_>, reader: Option<&Field<'_>>) -> Vec<Value> {
        let Some(reader) = reader.filter(|reader| is_map(reader)) else { return Vec::new() };
        let Kind::Message(id) = field.kind else { return Vec::new() };
        let without_value = || {
            let key = self.writer().field(id, KEY);
            let sample = key.and_then(|key| Some((key, self.sample(key, None, 1)?)));
            let alone = sample.map(|(key, sample)| Value::Record(self.put(self.filled(id, None, 1), key, sample)));
            alone.map(|alone| Value::List(vec![alone.clone(), alone])).into_iter().collect()
        };
        let Some(value) = self.writer().field(id, VALUE) else { return without_value() };
        // A value that requires itself is never written.
        let can_be_written = |entry: &Record| {
            let bytes = codec::encode(self.writer(), id, entry);
            codec::decode(self.writer(), id, &bytes).is_ok()
        };
        let Some(first) = self.entry_children(id, Some(reader)).into_iter().find(can_be_written) else {
            return without_value();
        };
        let contents = self.scalars(value, value.kind, Some(reader.kind), Focus::Full);
        let other = contents.into_iter().find(|content| first.fields.get(&VALUE) != Some(content) && !is_zero(content));
        let with = |content: Option<Value>| {
            let mut entry = first.clone();
            if let (Some(content), Cardinality::Singular) = (content, value.cardinality) {
                entry.fields.insert(VALUE, content);
            }
            Value::Record(entry)
        };
        let differing = Value::List(vec![with(None), with(other)]);
        let set_aside = self.without_name(value, reader).map(|(named, unnamed)| {
            let before = named.map_or_else(|| self.filled(id, None, 1), |named| first.clone().with(VALUE, named));
            Value::List(vec![Value::Record(before), with(Some(unnamed))])
        });
        [differing].into_iter().chain(set_aside).collect()
    }

    /// Two values of an enum: one for which the reader's enum has a name, if there is any, and one for which it has none.
    fn without_name(&self, field: &Field<'_>, reader: &Field<'_>) -> Option<(Option<Value>, Value)> {
        let (Kind::Enum(_), Kind::Enum(read)) = (field.kind, reader.kind) else { return None };
        let values = self.scalars(field, field.kind, None, Focus::Full).into_iter();
        let (named, unnamed): (Vec<_>, Vec<_>) = values.partition(|value| self.is_named(read, value));
        let shown = named.iter().find(|value| !is_zero(value)).or(named.first()).cloned();
        Some((shown, unnamed.into_iter().next()?))
    }

    /// Of the values of a map, one that an enum names which takes them where their entries are read as messages, and one that
    /// it does not name.
    pub(super) fn named_and_not<'v>(
        &self,
        field: &Field<'_>,
        reader: Option<&Field<'_>>,
        values: &'v [Value],
    ) -> Option<(&'v Value, &'v Value)> {
        let Kind::Enum(read) = self.part_of_entry(field, reader, VALUE)?.kind else { return None };
        let is_named = |value: &&Value| self.is_named(read, value);
        Some((values.iter().find(is_named)?, values.iter().find(|value| !is_named(value))?))
    }

    /// Whether the reader's enum names the number that a value is.
    pub(super) fn is_named(&self, read: EnumId, value: &Value) -> bool {
        let number = match value {
            Value::Int(number) => i32::try_from(*number).ok(),
            Value::Bool(is_set) => Some(i32::from(*is_set)),
            Value::Enum { number, .. } => Some(*number),
            _ => None,
        };
        number.is_some_and(|number| self.comparer.reader.names_number(read, number))
    }
}
