//! Synthetic messages: every value at which a reader of the other version could go wrong, and little else.
//!
//! Elements that differ get the boundary values of their type, one message for each; elements that are the same on both
//! sides share one message. So the number of messages follows the size of the change, not of the schema.
//! Everything is deterministic: the same schemas give the same messages.

use rustc_hash::FxHashSet;

use crate::change::Identity;
use crate::formats::roundtrip::{Made, Outlet, Sides, Variations, collected, pairs};
use crate::ordered::{InOrder, OrderedMap, OrderedSet};
use crate::value::{Key, Record, Value, is_zero};

use super::codec::{Types, map_key};
use super::compare::Comparer;
use super::elements::{Element, Elements};
use super::json;
use super::maker::{CHILD_DEPTH, CHILD_FIELDS, Focus, KEY, Maker, VALUE, is_map};
use super::model::{Cardinality, Field, Kind, MessageId, Presence};
use super::payloads;
use super::well_known::WellKnown;

/// Pairs of rival members of one oneof beyond which only neighbours are written: they grow with the square of the oneof.
const RIVALS: usize = 500;

/// How deep the chain of a type that holds itself is.
const CHAIN: usize = 20;
/// Messages of more fields get no chain.
const CHAIN_FIELDS: usize = 60;

/// Writes the messages that the writer of a pair writes.
pub(super) fn messages(
    comparer: &Comparer<'_, '_, '_>,
    ids: Sides<MessageId>,
    changed: &FxHashSet<&Identity>,
    outlet: &mut Outlet<'_>,
) {
    write(&Maker::new(comparer), ids, changed, outlet);
}

fn write(
    maker: &Maker<'_, '_, '_, '_>,
    ids: Sides<MessageId>,
    changed: &FxHashSet<&Identity>,
    outlet: &mut Outlet<'_>,
) {
    let elements = maker.comparer.elements(ids);
    outlet.write(maker.base(ids.writer, None));
    let base = maker.base(ids.writer, Some(ids.reader));
    outlet.write(base.clone());
    let mut written = Vec::new();
    for (index, element) in elements.list.iter().enumerate() {
        let is_changed = changed.contains(&elements.identity(index));
        let focus = maker.focus(element, elements.oneof_differs(index), is_changed);
        if let (Some(field), true) = (element.writer, focus != Focus::Shared) {
            written.push((index, field, focus));
        }
    }
    outlet.write_each(&Fields { maker, elements: &elements, written, base: &base });
    let partly = maker.partly.borrow().clone();
    outlet.limit(partly.into_iter().filter_map(|number| Some(elements.identity(elements.of_writer(number)?))));
    maker.crossed(ids, &elements.list, &base, outlet);
    let by_numbers = maker.demanded_by_numbers(ids);
    if by_numbers != base {
        outlet.write(by_numbers.clone());
        maker.crossed(ids, &elements.list, &by_numbers, outlet);
    }
    maker.rivals(ids, &elements.list, &base, outlet);
    outlet.write(maker.everything(&elements.list, &base));
    if let Some(chain) = maker.chain(ids.writer, &elements.list, &base) {
        outlet.write(chain);
    }
}

/// The smallest message that both sides of a pair can read, as far as the writer has what is required.
pub(super) fn base(comparer: &Comparer<'_, '_, '_>, ids: Sides<MessageId>) -> Record {
    Maker::new(comparer).base(ids.writer, Some(ids.reader))
}

/// The one value that is written where any will do.
pub(super) fn sample(comparer: &Comparer<'_, '_, '_>, field: &Field<'_>) -> Option<Value> {
    Maker::new(comparer).sample(field, None, 0)
}

/// The fields that deserve messages of their own.
struct Fields<'m, 'c, 's, 'a, 'k> {
    maker: &'m Maker<'c, 's, 'a, 'k>,
    elements: &'m Elements<'s, 'a>,
    /// Each with its place among the elements, and how much attention it deserves.
    written: Vec<(usize, &'s Field<'a>, Focus)>,
    base: &'m Record,
}

impl Variations for Fields<'_, '_, '_, '_, '_> {
    fn count(&self) -> usize {
        self.written.len()
    }

    fn identities(&self, element: usize) -> Vec<Identity> {
        vec![self.elements.identity(self.written[element].0)]
    }

    fn width(&self) -> usize {
        1 + self.base.fields.len()
    }

    fn values(&self, element: usize) -> Vec<Value> {
        let (index, field, focus) = self.written[element];
        self.maker.field_values(field, self.elements.list[index].reader, focus)
    }

    fn alone(&self, element: usize, value: Value) -> Vec<Value> {
        vec![Value::Record(self.maker.put(self.base.clone(), self.written[element].1, value))]
    }

    fn together(&self, values: &mut dyn Iterator<Item = (usize, Value)>) -> (Value, Vec<usize>) {
        let (mut record, mut included) = (self.base.clone(), Vec::new());
        let mut oneofs = Oneofs::default();
        for (index, value) in values {
            let (at, field, _) = self.written[index];
            let element = &self.elements.list[at];
            if oneofs.are_free(element) {
                oneofs.take(element);
                record = self.maker.put(record, field, value);
                included.push(index);
            }
        }
        (Value::Record(record), included)
    }
}

/// The oneofs of both sides of which a member is set.
#[derive(Default)]
struct Oneofs {
    written: OrderedSet<u32>,
    read: OrderedSet<u32>,
}

impl Oneofs {
    fn of(element: &Element<'_, '_>) -> (Option<u32>, Option<u32>) {
        let oneof = |field: Option<&Field<'_>>| field.and_then(|field| field.oneof);
        (oneof(element.writer), oneof(element.reader))
    }

    fn are_free(&self, element: &Element<'_, '_>) -> bool {
        let (written, read) = Oneofs::of(element);
        !written.is_some_and(|oneof| self.written.contains(&oneof))
            && !read.is_some_and(|oneof| self.read.contains(&oneof))
    }

    fn take(&mut self, element: &Element<'_, '_>) {
        let (written, read) = Oneofs::of(element);
        self.written.extend(written);
        self.read.extend(read);
    }
}

fn focus(fields: Sides<&Field<'_>>, oneof_differs: bool, is_changed: bool) -> Focus {
    let Sides { writer, reader } = fields;
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
    let names_differ = writer.name != reader.name || writer.json_name != reader.json_name;
    if names_differ || is_changed { Focus::One } else { Focus::Shared }
}

/// Whether a reader of the one field sees what is written into the other.
fn are_alike(one: &Field<'_>, other: &Field<'_>) -> bool {
    let are_kinds_alike = match (one.kind, other.kind) {
        (Kind::Message(_), Kind::Message(_)) | (Kind::Enum(_), Kind::Enum(_)) => true,
        (one, other) => one == other,
    };
    are_kinds_alike && one.cardinality == other.cardinality
}

/// How many values a child is given for each of its members.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Attention {
    /// One or two.
    Some,
    /// All of them.
    Every,
}

impl Maker<'_, '_, '_, '_> {
    /// How much attention an element deserves.
    fn focus(&self, element: &Element<'_, '_>, oneof_differs: bool, is_changed: bool) -> Focus {
        let (Some(writer), Some(reader)) = (element.writer, element.reader) else {
            return Focus::One;
        };
        let met = self.met(Sides { writer, reader });
        match (writer.kind, reader.kind) {
            _ if met.is_some_and(|met| self.comparer.is_replaced(met)) => Focus::Replaced,
            (Kind::Enum(writer), Kind::Enum(reader)) if self.comparer.is_replaced_enum(Sides { writer, reader }) => {
                Focus::Full
            }
            _ => focus(Sides { writer, reader }, oneof_differs, is_changed || element.is_moved),
        }
    }

    /// The messages of which one is read as the other where a field holds them: of a map and of entries that are declared
    /// as a message, what both have as values.
    fn met(&self, fields: Sides<&Field<'_>>) -> Option<Sides<MessageId>> {
        let (Kind::Message(writer), Kind::Message(reader)) = (fields.writer.kind, fields.reader.kind) else {
            return None;
        };
        let held = |types: Types<'_, '_>, id: MessageId, is_entry: bool| match types.value_of_entry(id) {
            _ if !is_entry => Some(id),
            Some(Kind::Message(held)) => Some(held),
            _ => None,
        };
        let (is_written, is_read) = (is_map(fields.writer), is_map(fields.reader));
        Some(Sides {
            writer: held(self.writer(), writer, is_read && !is_written)?,
            reader: held(self.comparer.reader, reader, is_written && !is_read)?,
        })
    }

    /// Every value of a message that is read as the one in its place.
    fn replaced(&self, field: &Field<'_>, reader: &Field<'_>) -> Vec<Value> {
        let Some(ids) = self.met(Sides { writer: field, reader }) else { return Vec::new() };
        let made = self.inside(ids).and_then(|inside| {
            self.insides.made(ids, self.within.len(), |budget| {
                let (values, is_all) = collected(budget, |outlet| write(&inside, ids, &FxHashSet::default(), outlet));
                Made { values, is_whole: is_all && inside.partly.borrow().is_empty(), lacking: () }
            })
        });
        let Made { values, is_whole, .. } = made.unwrap_or_default();
        if !is_whole {
            self.partly.borrow_mut().insert(field.number);
        }
        match field.kind {
            Kind::Message(entry) if is_map(reader) && !is_map(field) => self.as_entries(entry, values),
            _ => values,
        }
    }

    /// Values as the entries of a map, of a message that is taken for such: all under one key.
    fn as_entries(&self, entry: MessageId, values: Vec<Value>) -> Vec<Value> {
        let (key, content) = (self.writer().field(entry, KEY), self.writer().field(entry, VALUE));
        let (Some(key), Some(content)) = (key, content) else { return Vec::new() };
        let base = self.filled(entry, None, 1);
        let Some(base) = self.sample(key, None, 1).map(|sample| self.put(base, key, sample)) else { return Vec::new() };
        let held = values.into_iter().filter_map(|value| self.wrapped(content, value));
        held.map(|value| Value::Record(self.put(base.clone(), content, value))).collect()
    }

    /// The values a field is given, each in a message of its own.
    fn field_values(&self, field: &Field<'_>, reader: Option<&Field<'_>>, focus: Focus) -> Vec<Value> {
        self.values_for(field, (reader, reader), focus)
    }

    /// The same for a field that may reach one field of the reader on the wire and another one in JSON.
    fn values_for(
        &self,
        field: &Field<'_>,
        (reader, in_json): (Option<&Field<'_>>, Option<&Field<'_>>),
        focus: Focus,
    ) -> Vec<Value> {
        if focus == Focus::Shared || field.kind == Kind::Opaque {
            return Vec::new();
        }
        self.children.set(0);
        if focus == Focus::One {
            return self.sample(field, reader, 0).into_iter().collect();
        }
        let mut values = self.element_values(field, reader, focus);
        values.extend(reader.into_iter().flat_map(|reader| payloads::named(self, field, reader)));
        values.extend(reader.into_iter().flat_map(|reader| payloads::any(self, field, (reader, in_json))));
        if let (Focus::Replaced, Some(reader)) = (focus, reader) {
            values.extend(self.replaced(field, reader));
        }
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
                lists.extend(self.merged(field, reader, &values).into_iter().map(Value::List));
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
        let mut keys: Vec<Key> = self.scalars(field, key, reader_key, focus).into_iter().filter_map(map_key).collect();
        let mut sizes = Vec::new();
        if reader.is_some_and(|reader| reader_key.is_none() && !matches!(reader.kind, Kind::Message(_))) {
            keys.extend(payloads::keys_of_every_size(key));
            sizes = match field.kind {
                // What such a message may hold has been made for the values.
                Kind::Message(_) => Vec::new(),
                _ => payloads::values_of_every_size(self, field),
            };
        }
        if self.part_of_entry(field, reader, 1).is_some_and(|part| part.kind != key) {
            keys.extend(payloads::keys_of_every_size(key));
        }
        let (Some(first_key), Some(first)) = (keys.first(), values.first()) else {
            return Vec::new();
        };
        let of = |entries: Vec<(&Key, &Value)>| {
            Value::Map(entries.into_iter().map(|(key, value)| (key.clone(), value.clone())).collect())
        };
        let merged = self.merged(field, reader, values);
        let mut maps: Vec<Value> = values.iter().chain(&sizes).map(|value| of(vec![(first_key, value)])).collect();
        maps.extend(keys.iter().skip(1).map(|key| of(vec![(key, first)])));
        if let (Kind::Message(id), true) = (field.kind, reader_key.is_some_and(|read| read != key)) {
            // What a value holds may be refused, and the key with it.
            let empty = Value::Record(Record::empty(id.0));
            maps.extend(keys.iter().map(|key| of(vec![(key, &empty)])));
        }
        if let Some(second_key) = keys.get(1) {
            maps.push(of(vec![(first_key, first), (second_key, values.get(1).unwrap_or(first))]));
            if let Some((named, unnamed)) = self.named_and_not(field, reader, values) {
                // The last entry has the value without a name, so that an earlier one stands beside its key.
                let (before, last) = (first_key.min(second_key), first_key.max(second_key));
                maps.push(of(vec![(before, named), (last, unnamed)]));
            }
            maps.extend(merged.iter().map(|values| of(keys.iter().zip(values).collect())));
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
        let is_entry = reader.is_some_and(|reader| is_map(reader) && !is_map(field));
        let met = reader.filter(|_| !is_entry).and_then(|reader| self.met(Sides { writer: field, reader }));
        let counterpart = met.map(|met| met.reader);
        let mut children = self.children(id, counterpart, 2);
        children.push(self.filled(id, counterpart, 1));
        if is_entry {
            children.extend(self.entry_children(id, reader));
        }
        let taken_for = self.part_of_entry(field, reader, 2).or(reader);
        if taken_for.is_some_and(|reader| !matches!(reader.kind, Kind::Message(_))) {
            children.extend(payloads::of_every_size(self, id));
            children.extend(payloads::together(self, id));
        }
        children.into_iter().map(Value::Record).collect()
    }

    /// What a reader who takes the entries of a map for messages of a type takes their keys (1) or values (2) for.
    pub(super) fn part_of_entry(
        &self,
        field: &Field<'_>,
        reader: Option<&Field<'_>>,
        number: i32,
    ) -> Option<&'_ Field<'_>> {
        match reader.filter(|reader| is_map(field) && !is_map(reader)).map(|reader| reader.kind) {
            Some(Kind::Message(id)) => self.comparer.reader.field(id, number),
            _ => None,
        }
    }

    /// Messages of a type with one field set each: the first few fields.
    fn children(&self, id: MessageId, reader: Option<MessageId>, depth: usize) -> Vec<Record> {
        let base = self.filled(id, reader, CHILD_DEPTH - depth);
        // What is no plain object in JSON shows itself by what each of its members may hold.
        let attention = match WellKnown::of(self.writer(), id) {
            Some(_) if depth > 0 => Attention::Every,
            _ => Attention::Some,
        };
        let most = if attention == Attention::Every { usize::MAX } else { CHILD_FIELDS };
        let fields = self.writer().fields(id).filter(|field| field.kind != Kind::Opaque);
        // What the reader knows first: what it does not know is not seen to get mixed.
        let is_known =
            |field: &&Field<'_>| self.counterpart(reader, field).is_some_and(|known| are_alike(field, known));
        let (known, unknown): (Vec<_>, Vec<_>) = fields.partition(is_known);
        let mut children = Vec::new();
        for fields in [known, unknown] {
            let of_each: Vec<Vec<Record>> = fields
                .into_iter()
                .take(most)
                .map(|field| self.with_each(&base, field, reader, (depth, attention)))
                .collect();
            // Different fields first, so that two children next to each other are not of one field.
            let longest = of_each.iter().map(Vec::len).max().unwrap_or(0);
            children.extend((0..longest).flat_map(|nth| of_each.iter().filter_map(move |all| all.get(nth).cloned())));
        }
        children.dedup();
        children
    }

    /// A message with each of the values of one field.
    fn with_each(
        &self,
        base: &Record,
        field: &Field<'_>,
        reader: Option<MessageId>,
        (depth, attention): (usize, Attention),
    ) -> Vec<Record> {
        let known = self.counterpart(reader, field).map(|known| known.kind);
        let values = self.child_values(field, known, depth, attention);
        let other = self.other_than(base.fields.get(&field.number), field, &values);
        values.into_iter().chain(other).map(|value| self.put(base.clone(), field, value)).collect()
    }

    /// The field that a reader of a message has under the number of the writer's.
    fn counterpart(&self, reader: Option<MessageId>, field: &Field<'_>) -> Option<&Field<'_>> {
        self.comparer.reader.field(reader?, field.number)
    }

    /// What is in every message of its type, because it is required, shows nothing where it is always the same: another
    /// value, where all have that one.
    fn other_than(&self, always: Option<&Value>, field: &Field<'_>, values: &[Value]) -> Option<Value> {
        let always = always.filter(|always| values.iter().all(|value| value == *always))?;
        let scalars = self.scalars(field, field.kind, None, Focus::Few);
        scalars.into_iter().filter(|_| field.cardinality == Cardinality::Singular).find(|value| value != always)
    }

    /// Two values of a field inside of a child, where there are two; the keys of maps differ.
    fn child_values(&self, field: &Field<'_>, known: Option<Kind>, depth: usize, attention: Attention) -> Vec<Value> {
        let held = match known {
            Some(Kind::Message(held)) => Some(held),
            _ => None,
        };
        let values: Vec<Value> = match field.kind {
            Kind::Message(inner) => {
                let mut children = if depth > 0 { self.children(inner, held, depth - 1) } else { Vec::new() };
                let mut most = 2;
                if WellKnown::of(self.writer(), inner) == Some(WellKnown::Any) {
                    // Any other text than the name of a type has no form in JSON. An empty message has no content of its
                    // own, so that it takes over that of another with which it is merged.
                    let with_content = payloads::with_content(self, inner);
                    children.splice(0..0, payloads::holding(self, inner).into_iter().chain(with_content));
                    most = 3;
                }
                // What has no members shows itself by being there.
                let bare = children.is_empty().then(|| self.filled(inner, None, CHILD_DEPTH));
                children.into_iter().take(most).chain(bare).map(Value::Record).collect()
            }
            kind if attention == Attention::Every => self.scalars(field, kind, None, Focus::Full),
            kind => self.telling(field, kind, known),
        };
        let Cardinality::Map { key } = field.cardinality else {
            return values.into_iter().filter_map(|value| self.wrapped(field, value)).collect();
        };
        let keys = self.scalars(field, key, None, Focus::Few).into_iter().filter_map(map_key);
        let first = values.first().cloned().into_iter();
        let values = values.clone().into_iter().chain(first);
        keys.zip(values).map(|(key, value)| Value::Map(OrderedMap::from([(key, value)]))).take(2).collect()
    }

    /// Two values that are no default, if there are two, for an enum those first for which the reader has a name: what has
    /// none may not be seen at all. A default where nothing else is seen.
    fn telling(&self, field: &Field<'_>, kind: Kind, known: Option<Kind>) -> Vec<Value> {
        let read = match known {
            Some(Kind::Enum(read)) => Some(read),
            _ => None,
        };
        let mut all = match kind {
            Kind::Enum(_) => self.scalars(field, kind, None, Focus::Full),
            _ if read.is_some() => self.scalars(field, kind, known, Focus::Full),
            _ => self.scalars(field, kind, None, Focus::Few),
        };
        let is_seen = |value: &Value| read.is_none_or(|read| self.is_named(read, value));
        all.sort_in_order_by_key(|value| !is_seen(value));
        let mut values: Vec<Value> = all.iter().filter(|value| !is_zero(value)).take(2).cloned().collect();
        // A zero shows itself where its presence does, and in a list by the length: an enum may name nothing else.
        let zero_shows = field.cardinality != Cardinality::Singular || field.presence != Presence::Implicit;
        if zero_shows && !values.iter().any(is_seen) {
            values.splice(0..0, all.into_iter().filter(is_zero).take(1));
        }
        // Under the second key stands what is seen as well.
        if is_map(field) && values.iter().any(is_seen) {
            values.retain(is_seen);
        }
        values
    }

    /// Messages that a map would take for entries: boundary values of fields 1 and 2.
    pub(super) fn entry_children(&self, id: MessageId, reader: Option<&Field<'_>>) -> Vec<Record> {
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
            let read = reader.and_then(|reader| match reader.cardinality {
                Cardinality::Map { key } => Some(key),
                Cardinality::Singular | Cardinality::Repeated => None,
            });
            let keys = self.scalars(key, key.kind, read, Focus::Full).into_iter();
            children.extend(keys.map(|key_value| both(key_value, sample_value.clone())));
        }
        if value.cardinality == Cardinality::Singular {
            let values = self.scalars(value, value.kind, reader_kind, Focus::Full).into_iter();
            children.extend(values.map(|content| both(sample_key.clone(), content)));
        }
        if let (Cardinality::Repeated, Kind::Message(held)) = (value.cardinality, value.kind) {
            // An entry has one value: of two messages each is merged with each.
            let held: Vec<Value> =
                self.children(held, None, 1).into_iter().take(CHILD_FIELDS).map(Value::Record).collect();
            let pairs = held.iter().flat_map(|one| held.iter().map(|other| vec![one.clone(), other.clone()]));
            children.extend(pairs.map(|pair| both(sample_key.clone(), Value::List(pair))));
        }
        children
    }

    /// Writes pairs of fields that the reader can have only one of, and the writer both.
    fn rivals(&self, ids: Sides<MessageId>, list: &[Element<'_, '_>], base: &Record, outlet: &mut Outlet<'_>) {
        let mut oneofs: OrderedMap<u32, Vec<(&Field<'_>, &Field<'_>)>> = OrderedMap::new();
        for (field, reader) in list.iter().filter_map(|element| Some((element.writer?, element.reader))) {
            // What sits at the number or at the name of an arm is taken for it.
            let number = self.comparer.reader.field(ids.reader, field.number);
            let member = json::field_of_member(self.comparer.reader, ids.reader, &json::member_name(field));
            for place in [reader, number, member].into_iter().flatten() {
                let arms = place.oneof.map(|oneof| oneofs.entry(oneof).or_default());
                if let Some(arms) = arms.filter(|arms| arms.iter().all(|(known, _)| known.number != field.number)) {
                    arms.push((field, place));
                }
            }
        }
        for shared in oneofs.into_values() {
            for (first, second) in pairs(shared.len(), RIVALS) {
                let ((first, first_reader), (second, second_reader)) = (shared[first], shared[second]);
                if first.oneof.is_some() && first.oneof == second.oneof {
                    continue;
                }
                if outlet.is_full(2 + base.fields.len()) {
                    return outlet.refuse();
                }
                self.children.set(0);
                let values = (self.sample(first, Some(first_reader), 0), self.sample(second, Some(second_reader), 0));
                if let (Some(one), Some(two)) = values {
                    outlet.write(self.put(self.put(base.clone(), first, one), second, two));
                }
            }
        }
    }

    /// Writes pairs of fields of which one sits where the reader has the other, by number or by JSON name: with two values
    /// each, so that one is seen where the other belongs.
    fn crossed(&self, ids: Sides<MessageId>, list: &[Element<'_, '_>], base: &Record, outlet: &mut Outlet<'_>) {
        let member_of =
            |field: &Field<'_>| json::field_of_member(self.comparer.reader, ids.reader, &json::member_name(field));
        for (field, reached) in list.iter().filter_map(|element| Some((element.writer?, element.reader))) {
            let member = member_of(field);
            let number = self.comparer.reader.field(ids.reader, field.number);
            let places = [number, member].into_iter().flatten();
            for place in places.filter(|place| reached.is_none_or(|reached| reached.number != place.number)) {
                let owner =
                    list.iter().find(|element| element.reader.is_some_and(|reader| reader.number == place.number));
                if outlet.is_full(1 + base.fields.len()) {
                    return outlet.refuse();
                }
                let own = self.values_for(field, (Some(place), member), Focus::Full);
                let Some(other) = owner.and_then(|owner| owner.writer) else {
                    own.into_iter().for_each(|value| _ = outlet.write(self.put(base.clone(), field, value)));
                    continue;
                };
                let others = self.values_for(other, (Some(place), member_of(other)), Focus::Few);
                for value in own {
                    outlet.write(self.put(base.clone(), field, value.clone()));
                    for other_value in others.iter().take(2).cloned() {
                        outlet.write(self.put(self.put(base.clone(), other, other_value), field, value.clone()));
                    }
                }
            }
        }
    }

    /// One message with a value in every field that can be set together for both sides.
    fn everything(&self, list: &[Element<'_, '_>], base: &Record) -> Record {
        let mut record = base.clone();
        let mut oneofs = Oneofs::default();
        for element in list {
            let Some(field) = element.writer else { continue };
            if record.fields.contains_key(&field.number) || !oneofs.are_free(element) {
                continue;
            }
            self.children.set(0);
            if let Some(value) = self.sample(field, element.reader, 0) {
                oneofs.take(element);
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
