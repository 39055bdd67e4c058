//! The types of one side, as reading and writing ask for them: fields by number and by name, defaults, names of enums.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::change::Pair;
use crate::value::{Record, Value};

use super::ast::EnumValue;
use super::model::{Cardinality, Constant, EnumId, Field, Kind, MessageId, Presence, Schema};

/// The id of the message that stands for "some message with these fields": see [`Types::holder`].
pub(crate) const HOLDER: MessageId = MessageId(u32::MAX);

/// The types of one side, and the fields of one synthetic message beside them.
#[derive(Clone, Copy)]
pub(crate) struct Types<'s, 'a> {
    /// The schema.
    pub(crate) schema: &'s Schema<'a>,
    /// The fields of [`HOLDER`]; empty when it is not used.
    pub(crate) holder: &'s [Field<'a>],
    /// What was found out once for many readings.
    pub(crate) index: Option<&'s Index<'s>>,
}

/// What many readings of one schema ask for again and again.
#[derive(Debug)]
pub(crate) struct Index<'s> {
    /// The messages that have a required field.
    requiring: FxHashSet<MessageId>,
    /// Where the fields of a large message stand.
    large_messages: FxHashMap<MessageId, LargeMessage<'s>>,
    /// Where the values of a large enum stand.
    large_enums: FxHashMap<EnumId, LargeEnum<'s>>,
}

/// Positions among the fields of a message and its known extensions after them, and the numbers of the members of each oneof.
#[derive(Debug, Default)]
struct LargeMessage<'s> {
    by_number: FxHashMap<i32, usize>,
    by_json_name: FxHashMap<&'s str, usize>,
    by_name: FxHashMap<&'s str, usize>,
    /// Of the extensions alone.
    by_extension: FxHashMap<&'s str, usize>,
    by_oneof: FxHashMap<u32, Vec<i32>>,
}

/// Positions among the values of an enum.
#[derive(Debug, Default)]
struct LargeEnum<'s> {
    by_number: FxHashMap<i64, Vec<usize>>,
    by_name: FxHashMap<&'s str, usize>,
}

/// Looking through fewer members than this costs less than an index does.
const LARGE: usize = 64;

impl<'s> Index<'s> {
    /// That of a schema.
    pub(crate) fn of(schema: &'s Schema<'_>) -> Self {
        let is_required = |field: &Field<'_>| field.presence == Presence::Required;
        let messages = || (0u32..).map(MessageId).zip(&schema.messages);
        let enums = (0u32..).map(EnumId).zip(&schema.enums);
        Self {
            requiring: messages()
                .filter(|(_, message)| message.fields.iter().any(is_required))
                .map(|(id, _)| id)
                .collect(),
            large_messages: messages()
                .filter(|(_, message)| message.fields.len() + message.extended_by.len() >= LARGE)
                .map(|(id, _)| (id, LargeMessage::of(Types::of(schema).fields(id))))
                .collect(),
            large_enums: enums
                .filter(|(_, definition)| definition.ast.values.len() >= LARGE)
                .map(|(id, definition)| (id, LargeEnum::of(&definition.ast.values)))
                .collect(),
        }
    }
}

impl<'s> LargeMessage<'s> {
    fn of<'a: 's>(fields: impl Iterator<Item = &'s Field<'a>>) -> Self {
        let mut large = Self::default();
        for (at, field) in fields.enumerate() {
            large.by_number.entry(field.number).or_insert(at);
            if field.is_extension {
                large.by_extension.entry(&field.name).or_insert(at);
                continue;
            }
            large.by_json_name.entry(&field.json_name).or_insert(at);
            large.by_name.entry(&field.name).or_insert(at);
            if let Some(oneof) = field.oneof {
                large.by_oneof.entry(oneof).or_default().push(field.number);
            }
        }
        large
    }
}

impl<'s> LargeEnum<'s> {
    fn of(values: &'s [EnumValue<'_>]) -> Self {
        let mut large = Self::default();
        for (at, value) in values.iter().enumerate() {
            large.by_number.entry(value.number).or_default().push(at);
            large.by_name.entry(&value.name.text).or_insert(at);
        }
        large
    }
}

impl<'s, 'a> Types<'s, 'a> {
    /// The types of a schema.
    pub(crate) fn of(schema: &'s Schema<'a>) -> Self {
        Self { schema, holder: &[], index: None }
    }

    /// The fields of a message and the known extensions of it.
    pub(crate) fn fields(self, id: MessageId) -> impl Iterator<Item = &'s Field<'a>> {
        let (fields, extensions) = match id {
            HOLDER => (self.holder, &[][..]),
            _ => {
                let message = self.schema.message(id);
                (&message.fields[..], &message.extended_by[..])
            }
        };
        fields.iter().chain(extensions.iter().map(move |extension| self.schema.extension(*extension)))
    }

    /// The field of that number.
    pub(crate) fn field(self, id: MessageId, number: i32) -> Option<&'s Field<'a>> {
        // Most messages number their fields from 1 without a gap.
        let guess =
            (id != HOLDER).then(|| self.schema.message(id).fields.get((number as usize).wrapping_sub(1))).flatten();
        let found = guess.filter(|field| field.number == number);
        found.or_else(|| match self.large(id) {
            Some(large) => large.by_number.get(&number).and_then(|at| self.nth_field(id, *at)),
            None => self.fields(id).find(|field| field.number == number),
        })
    }

    /// The numbers of the members of a oneof of which a record may have some.
    pub(super) fn set_members(self, record: &Record, oneof: u32) -> Vec<i32> {
        let id = MessageId(record.ty);
        let is_member = |field: &Field<'_>| field.oneof == Some(oneof) && !field.is_extension;
        let Some(large) = self.large(id) else {
            return self.fields(id).filter(|field| is_member(field)).map(|field| field.number).collect();
        };
        let members = large.by_oneof.get(&oneof).map_or(&[][..], Vec::as_slice);
        if members.len() < record.fields.len() {
            return members.to_vec();
        }
        let is_set = |number: &i32| self.field(id, *number).is_some_and(is_member);
        record.fields.keys().copied().filter(is_set).collect()
    }

    /// What a map takes for the value of an entry where a message stands for entries: what its field 2 holds. A map there
    /// takes a value for an entry of its own.
    pub(crate) fn value_of_entry(self, id: MessageId) -> Option<Kind> {
        let value = self.field(id, 2)?;
        (!matches!(value.cardinality, Cardinality::Map { .. })).then_some(value.kind)
    }

    /// The ordinary field of that JSON name, else of that name.
    pub(crate) fn field_by_json_name(self, id: MessageId, name: &str) -> Option<&'s Field<'a>> {
        if let Some(large) = self.large(id) {
            let at = large.by_json_name.get(name).or_else(|| large.by_name.get(name));
            return at.and_then(|at| self.nth_field(id, *at));
        }
        let by_json_name = self.fields(id).find(|field| !field.is_extension && field.json_name == name);
        by_json_name.or_else(|| self.fields(id).find(|field| !field.is_extension && field.name == name))
    }

    /// The known extension of that full name.
    pub(crate) fn extension_by_name(self, id: MessageId, name: &str) -> Option<&'s Field<'a>> {
        match self.large(id) {
            Some(large) => large.by_extension.get(name).and_then(|at| self.nth_field(id, *at)),
            None => self.fields(id).find(|field| field.is_extension && field.name == name),
        }
    }

    /// The index of a large message.
    fn large(self, id: MessageId) -> Option<&'s LargeMessage<'s>> {
        self.index?.large_messages.get(&id)
    }

    /// The field at a position of the index.
    fn nth_field(self, id: MessageId, at: usize) -> Option<&'s Field<'a>> {
        let message = self.schema.message(id);
        match message.fields.get(at) {
            Some(field) => Some(field),
            None => message.extended_by.get(at - message.fields.len()).map(|one| self.schema.extension(*one)),
        }
    }

    /// The value of an enum that a number names; the first, where several do.
    pub(crate) fn value_of_number(self, id: EnumId, number: i32) -> Option<&'s EnumValue<'a>> {
        self.values_of_number(id, number).next()
    }

    /// The names of a number of an enum.
    pub(crate) fn names_of_number(self, id: EnumId, number: i32) -> impl Iterator<Item = &'s str> {
        self.values_of_number(id, number).map(|value| &*value.name.text)
    }

    /// The values of an enum that a number names.
    pub(crate) fn values_of_number(self, id: EnumId, number: i32) -> impl Iterator<Item = &'s EnumValue<'a>> {
        let (values, number) = (self.schema.enumeration(id).ast.values.as_slice(), i64::from(number));
        let (known, searched): (&'s [usize], &'s [EnumValue<'a>]) =
            match self.index.and_then(|index| index.large_enums.get(&id)) {
                Some(large) => (large.by_number.get(&number).map_or(&[], Vec::as_slice), &[]),
                None => (&[], values),
            };
        known.iter().map(|at| &values[*at]).chain(searched.iter().filter(move |value| value.number == number))
    }

    /// Whether it is known that a message requires nothing.
    pub(super) fn requires_none(self, id: MessageId) -> bool {
        id != HOLDER && self.index.is_some_and(|index| !index.requiring.contains(&id))
    }

    /// The value of an enum with that name.
    pub(crate) fn value_of_name(self, id: EnumId, name: &str) -> Option<&'s EnumValue<'a>> {
        let values = &self.schema.enumeration(id).ast.values;
        match self.index.and_then(|index| index.large_enums.get(&id)) {
            Some(large) => large.by_name.get(name).and_then(|at| values.get(*at)),
            None => values.iter().find(|value| value.name.text == name),
        }
    }

    pub(super) fn is_message_set(self, id: MessageId) -> bool {
        id != HOLDER && self.schema.message(id).is_message_set
    }

    /// Whether an enum has a name for a number.
    pub(crate) fn names_number(self, id: EnumId, number: i32) -> bool {
        self.value_of_number(id, number).is_some()
    }

    /// The first value of an enum, which an absent field has.
    pub(crate) fn enum_default(self, id: EnumId) -> i32 {
        let first = self.schema.enumeration(id).ast.values.first();
        first.and_then(|value| i32::try_from(value.number).ok()).unwrap_or(0)
    }

    /// The value that an absent singular field shows; `None` for messages and unknown types.
    pub(crate) fn default(self, field: &Field<'_>) -> Option<Value> {
        match (&field.default, field.kind) {
            (Some(Constant::Bool(value)), _) => Some(Value::Bool(*value)),
            (Some(Constant::Int(value)), Kind::Float) => Some(Value::Float(*value as f32)),
            (Some(Constant::Int(value)), Kind::Double) => Some(Value::Double(*value as f64)),
            (Some(Constant::Int(value)), _) => Some(Value::Int(*value)),
            (Some(Constant::Float(value)), Kind::Float) => Some(Value::Float(*value as f32)),
            (Some(Constant::Float(value)), _) => Some(Value::Double(*value)),
            (Some(Constant::Bytes(bytes)), Kind::Bytes) => Some(Value::Bytes(bytes.clone())),
            (Some(Constant::Bytes(bytes)), _) => Some(Value::Text(bytes.clone())),
            (Some(Constant::Enum(number)), Kind::Enum(id)) => Some(Value::Enum { ty: id.0, number: *number }),
            (Some(Constant::Enum(number)), _) => Some(Value::Int(i128::from(*number))),
            (None, kind) => self.zero(kind),
        }
    }

    /// The default of a type; `None` for messages and unknown types.
    pub(crate) fn zero(self, kind: Kind) -> Option<Value> {
        Some(match kind {
            Kind::Double => Value::Double(0.0),
            Kind::Float => Value::Float(0.0),
            Kind::Int32 | Kind::Int64 | Kind::Uint32 | Kind::Uint64 | Kind::Sint32 | Kind::Sint64 => Value::Int(0),
            Kind::Fixed32 | Kind::Fixed64 | Kind::Sfixed32 | Kind::Sfixed64 => Value::Int(0),
            Kind::Bool => Value::Bool(false),
            Kind::String => Value::Text(Vec::new()),
            Kind::Bytes => Value::Bytes(Vec::new()),
            Kind::Enum(id) => Value::Enum { ty: id.0, number: self.enum_default(id) },
            Kind::Message(_) | Kind::Opaque => return None,
        })
    }
}

/// Whether two numbers, each of an enum of its own side, have a name in common.
pub(super) fn share_a_name(values: Pair<(Types<'_, '_>, EnumId, i32)>) -> bool {
    let Pair { old: (before, old, was), new: (after, new, is) } = values;
    before.names_of_number(old, was).any(|name| after.names_of_number(new, is).any(|other| other == name))
}
