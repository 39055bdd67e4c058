//! How a value written as one type comes out when it is read as another: on the wire and in the JSON mapping.
//!
//! These are exact statements about the encodings (<https://protobuf.dev/programming-guides/encoding/> and
//! <https://protobuf.dev/programming-guides/json/>), by table and without looking at data; the round trips check them.
//! Messages read as messages and enums read as enums are `safe` here: what differs inside is a change of its own.

use crate::evidence::Outcome;
use crate::value::same_to_reader;

use super::model::{Cardinality, Field, Kind, Message, Presence, Schema};
use super::types::Types;

/// A field with the schema that gives its types a meaning.
#[derive(Debug, Clone, Copy)]
pub(super) struct End<'s, 'a> {
    pub schema: &'s Schema<'a>,
    pub field: &'s Field<'a>,
}

/// How one value stands on the wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum WireType {
    Varint,
    I32,
    I64,
    Len,
    Group,
}

/// How two types relate, in one word; the value of the fact `relation`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Relation {
    /// Plain and zigzag varints exchanged.
    Zigzag,
    /// Every old value fits, not every new one.
    Widened,
    /// Every new value fits, not every old one.
    Narrowed,
    /// Each side has numbers that the other cannot hold.
    Sign,
    /// An enum and an integer whose numbers mean the same.
    EnumNumber,
    /// The same bits mean another number.
    Bits,
    /// The wire types differ.
    WireType,
    /// Arbitrary bytes are now read as text.
    TextFromBytes,
    /// Text is now read as bytes.
    BytesFromText,
    /// A length-delimited payload is read as something else.
    Payload,
    /// Another message type.
    MessageReplaced,
    /// Another enum type.
    EnumReplaced,
    /// A message between group tags or length-prefixed.
    Encoding,
    /// The key or the value of a map.
    Map,
    /// The type and the cardinality together.
    Combined,
    /// A type that could not be found.
    Opaque,
}

impl Relation {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Relation::Zigzag => "zigzag",
            Relation::Widened => "widened",
            Relation::Narrowed => "narrowed",
            Relation::Sign => "sign",
            Relation::EnumNumber => "enum-number",
            Relation::Bits => "bits",
            Relation::WireType => "wire-type",
            Relation::TextFromBytes => "text-from-bytes",
            Relation::BytesFromText => "bytes-from-text",
            Relation::Payload => "payload",
            Relation::MessageReplaced => "message-replaced",
            Relation::EnumReplaced => "enum-replaced",
            Relation::Encoding => "encoding",
            Relation::Map => "map",
            Relation::Combined => "combined",
            Relation::Opaque => "opaque",
        }
    }
}

/// The relation of two types that differ, the cardinality included.
pub(super) fn relation(old: End<'_, '_>, new: End<'_, '_>) -> Relation {
    if old.field.kind == Kind::Opaque || new.field.kind == Kind::Opaque {
        return Relation::Opaque;
    }
    let is_map = |end: End<'_, '_>| matches!(end.field.cardinality, Cardinality::Map { .. });
    if is_map(old) && is_map(new) {
        return Relation::Map;
    }
    if cardinality_class(old.field.cardinality) != cardinality_class(new.field.cardinality) {
        return Relation::Combined;
    }
    singular_relation(old, new)
}

fn singular_relation(old: End<'_, '_>, new: End<'_, '_>) -> Relation {
    let wire = (old.wire_type(), new.wire_type());
    match (old.field.kind, new.field.kind) {
        (Kind::Message(_), Kind::Message(_)) if wire.0 != wire.1 => Relation::Encoding,
        (Kind::Message(_), Kind::Message(_)) => Relation::MessageReplaced,
        (Kind::Enum(_), Kind::Enum(_)) => Relation::EnumReplaced,
        (Kind::Bytes, Kind::String) => Relation::TextFromBytes,
        (Kind::String, Kind::Bytes) => Relation::BytesFromText,
        _ if is_packed_against_payload(old, new) || are_packed_apart(old, new) => Relation::Payload,
        _ if wire.0 != wire.1 => Relation::WireType,
        _ => match wire.0 {
            WireType::Varint => varint_relation(old, new),
            WireType::I32 | WireType::I64 => Relation::Bits,
            WireType::Len | WireType::Group => Relation::Payload,
        },
    }
}

/// A repeated number and a repeated length-delimited type: a packed record looks like one element of the latter.
fn is_packed_against_payload(old: End<'_, '_>, new: End<'_, '_>) -> bool {
    let repeated = old.field.cardinality == Cardinality::Repeated;
    let len = |end: End<'_, '_>| end.wire_type() == WireType::Len;
    let number = |end: End<'_, '_>| is_packable(end.field.kind);
    repeated && ((len(old) && number(new)) || (number(old) && len(new)))
}

/// Lists of numbers of different wire types: where they are packed, both are a length and so many bytes, and a reader takes
/// numbers of the one for such of the other, whether its own are packed or not.
fn are_packed_apart(old: End<'_, '_>, new: End<'_, '_>) -> bool {
    let is_list = |end: End<'_, '_>| end.field.cardinality == Cardinality::Repeated && is_packable(end.field.kind);
    is_list(old) && is_list(new) && (old.field.packed || new.field.packed) && old.wire_type() != new.wire_type()
}

fn varint_relation(old: End<'_, '_>, new: End<'_, '_>) -> Relation {
    if is_zigzag(old.field.kind) != is_zigzag(new.field.kind) {
        return Relation::Zigzag;
    }
    let fits = |outcome: Outcome| outcome <= Outcome::Unrecognized;
    match (fits(element(old, new)), fits(element(new, old))) {
        (true, true) => Relation::EnumNumber,
        (true, false) => Relation::Widened,
        (false, true) => Relation::Narrowed,
        (false, false) => Relation::Sign,
    }
}

pub(super) fn cardinality_class(cardinality: Cardinality) -> u8 {
    match cardinality {
        Cardinality::Singular => 0,
        Cardinality::Repeated => 1,
        Cardinality::Map { .. } => 2,
    }
}

impl<'s, 'a> End<'s, 'a> {
    pub(super) fn new(schema: &'s Schema<'a>, field: &'s Field<'a>) -> Self {
        Self { schema, field }
    }

    fn wire_type(self) -> WireType {
        wire_type(self.field.kind, self.field.delimited)
    }

    fn message(self) -> Option<&'s Message<'a>> {
        match self.field.kind {
            Kind::Message(id) => Some(self.schema.message(id)),
            _ => None,
        }
    }
}

/// The wire type decides whether an old reader can even skip the field.
fn wire_type(kind: Kind, delimited: bool) -> WireType {
    match kind {
        Kind::Bool
        | Kind::Int32
        | Kind::Int64
        | Kind::Uint32
        | Kind::Uint64
        | Kind::Sint32
        | Kind::Sint64
        | Kind::Enum(_) => WireType::Varint,
        Kind::Fixed32 | Kind::Sfixed32 | Kind::Float => WireType::I32,
        Kind::Fixed64 | Kind::Sfixed64 | Kind::Double => WireType::I64,
        Kind::Message(_) if delimited => WireType::Group,
        Kind::String | Kind::Bytes | Kind::Message(_) | Kind::Opaque => WireType::Len,
    }
}

fn is_packable(kind: Kind) -> bool {
    !matches!(wire_type(kind, false), WireType::Len)
}

fn is_zigzag(kind: Kind) -> bool {
    matches!(kind, Kind::Sint32 | Kind::Sint64)
}

/// What a reader sees of a field's values on the wire, the cardinality included.
pub(super) fn wire_reads(writer: End<'_, '_>, reader: End<'_, '_>) -> Outcome {
    if writer.field.kind == Kind::Opaque || reader.field.kind == Kind::Opaque {
        return Outcome::Lossy;
    }
    let outcome = where_unnamed(by_cardinality(writer, reader), writer, reader);
    if !accepts_any(writer, reader) && reader.field.presence == Presence::Required {
        return Outcome::Fails;
    }
    outcome
}

/// Whether a reader's closed enum may have no name for what an enum of the writer's says.
fn may_lack_a_name(writer: End<'_, '_>, written: Kind, reader: End<'_, '_>) -> bool {
    let (Kind::Enum(written), Kind::Enum(read)) = (written, reader.field.kind) else { return false };
    let (written, closed) = (writer.schema.enumeration(written), reader.schema.enumeration(read).is_closed);
    let types = Types::of(reader.schema);
    let is_named = |number: i64| i32::try_from(number).is_ok_and(|number| types.names_number(read, number));
    closed && (!written.is_closed || written.ast.values.iter().any(|value| !is_named(value.number)))
}

/// What a reader experiences where its enum has no name for a value.
pub(super) fn set_aside(reader: End<'_, '_>) -> Outcome {
    let is_closed = matches!(reader.field.kind, Kind::Enum(id) if reader.schema.enumeration(id).is_closed);
    match reader.field.cardinality {
        Cardinality::Repeated | Cardinality::Map { .. } if !is_closed => Outcome::Safe,
        _ => left_out(reader),
    }
}

/// What a reader of JSON experiences of a name that its enum lacks, open or closed: the value is left out.
pub(super) fn left_out(reader: End<'_, '_>) -> Outcome {
    match reader.field.cardinality {
        Cardinality::Singular if reader.field.presence == Presence::Required => Outcome::Fails,
        Cardinality::Singular => Outcome::Safe,
        Cardinality::Repeated | Cardinality::Map { .. } => Outcome::Lossy,
    }
}

/// A number that a closed enum does not name is set aside: a required field is then missing, and from a list or a map the
/// element vanishes.
pub(super) fn where_unnamed(outcome: Outcome, writer: End<'_, '_>, reader: End<'_, '_>) -> Outcome {
    let is_closed = matches!(reader.field.kind, Kind::Enum(id) if reader.schema.enumeration(id).is_closed);
    let is_number = !matches!(writer.field.kind, Kind::Enum(_));
    match (outcome, reader.field.cardinality) {
        (Outcome::Unrecognized, Cardinality::Singular) if is_closed && is_number => {
            if reader.field.presence == Presence::Required { Outcome::Fails } else { outcome }
        }
        (Outcome::Unrecognized, Cardinality::Repeated | Cardinality::Map { .. }) if is_closed && is_number => {
            Outcome::Lossy
        }
        _ => outcome,
    }
}

/// Whether the reader takes the writer's records at all.
pub(super) fn accepts_any(writer: End<'_, '_>, reader: End<'_, '_>) -> bool {
    let is_len = |end: End<'_, '_>| match end.field.cardinality {
        Cardinality::Map { .. } => true,
        Cardinality::Repeated => end.field.packed,
        Cardinality::Singular => false,
    };
    let written = if is_len(writer) { WireType::Len } else { writer.wire_type() };
    match reader.field.cardinality {
        Cardinality::Map { .. } => written == WireType::Len,
        Cardinality::Repeated if is_packable(reader.field.kind) && written == WireType::Len => true,
        Cardinality::Repeated | Cardinality::Singular => written == reader.wire_type(),
    }
}

fn by_cardinality(writer: End<'_, '_>, reader: End<'_, '_>) -> Outcome {
    use Cardinality::{Map, Repeated, Singular};
    match (writer.field.cardinality, reader.field.cardinality) {
        (Map { key: written }, Map { key: read }) => {
            in_map(kinds(writer, written, reader, read)).max(in_map(element(writer, reader)))
        }
        (Map { key }, _) => map_reads(writer, key, reader),
        (_, Map { key }) => reads_as_map(writer, reader, key),
        (Singular, Singular) => element(writer, reader),
        (Singular, Repeated) if is_packable(reader.field.kind) && writer.wire_type() == WireType::Len => Outcome::Wrong,
        (Singular, Repeated) => element(writer, reader),
        (Repeated, Singular) => repeated_reads_singular(writer, reader),
        (Repeated, Repeated) => repeated_reads(writer, reader),
    }
}

/// Inside a map entry a value of another wire type is skipped, and the entry arrives with a default nobody wrote.
fn in_map(outcome: Outcome) -> Outcome {
    if outcome == Outcome::Lossy { Outcome::Wrong } else { outcome }
}

fn repeated_reads(writer: End<'_, '_>, reader: End<'_, '_>) -> Outcome {
    match (writer.field.packed, is_packable(reader.field.kind)) {
        (true, true) if writer.wire_type() != reader.wire_type() => Outcome::Wrong,
        (true, true) => element(writer, reader),
        (true, false) if reader.wire_type() == WireType::Len => Outcome::Wrong,
        (true, false) => Outcome::Lossy,
        (false, true) if writer.wire_type() == WireType::Len => Outcome::Wrong,
        (false, _) => element(writer, reader),
    }
}

fn repeated_reads_singular(writer: End<'_, '_>, reader: End<'_, '_>) -> Outcome {
    if writer.field.packed {
        return if reader.wire_type() == WireType::Len { Outcome::Wrong } else { Outcome::Lossy };
    }
    let merged = match writer.wire_type() == reader.wire_type() && mixes(reader.schema, reader.field.kind, Some(writer))
    {
        true => Outcome::Wrong,
        false => Outcome::Lossy,
    };
    element(writer, reader).max(merged)
}

/// Whether merging two messages can give one that neither was: a list or a map grows, members of both are set, or what
/// stands in one member gets mixed in turn. The field that wrote the messages tells what is never in one of them together.
fn mixes(schema: &Schema<'_>, kind: Kind, written: Option<End<'_, '_>>) -> bool {
    let Kind::Message(first) = kind else { return false };
    let (mut open, mut known) = (vec![first], vec![first]);
    while let Some(id) = open.pop() {
        let fields: Vec<&Field<'_>> = schema.all_fields(id).collect();
        let can_meet = |one: &Field<'_>, other: &Field<'_>| {
            one.number != other.number && (one.oneof.is_none() || one.oneof != other.oneof)
        };
        let arm = |number: i32| {
            let end = written.filter(|_| id == first)?;
            let Kind::Message(message) = end.field.kind else { return None };
            end.schema.all_fields(message).find(|field| field.number == number)?.oneof
        };
        let never_both = |one: i32, other: i32| arm(one).is_some_and(|oneof| arm(other) == Some(oneof));
        // Of two that are always there, the second counts.
        let is_mixed = |one: &Field<'_>| {
            let may_be_alone =
                |other: &Field<'_>| one.presence != Presence::Required || never_both(one.number, other.number);
            one.cardinality != Cardinality::Singular
                || fields.iter().any(|other| can_meet(one, other) && may_be_alone(other))
        };
        if fields.iter().any(|one| is_mixed(one)) {
            return true;
        }
        for field in fields {
            if let Kind::Message(inner) = field.kind
                && !known.contains(&inner)
            {
                known.push(inner);
                open.push(inner);
            }
        }
    }
    false
}

/// A map's entries are messages with the key at 1 and the value at 2.
fn map_reads(writer: End<'_, '_>, key: Kind, reader: End<'_, '_>) -> Outcome {
    if reader.wire_type() != WireType::Len {
        let repeated_number = reader.field.cardinality == Cardinality::Repeated && is_packable(reader.field.kind);
        return if repeated_number { Outcome::Wrong } else { Outcome::Lossy };
    }
    let Some(entry) = reader.message() else { return Outcome::Wrong };
    let inside = entry_fields(entry, |number, field| {
        let written = if number == 1 { key } else { writer.field.kind };
        let part = End::new(reader.schema, field);
        match kinds(writer, written, part, field.kind) {
            _ if takes_as_packed(field, written) => Outcome::Wrong,
            // What was one value is read as the entry of a map.
            _ if matches!(field.cardinality, Cardinality::Map { .. }) => match wire_type(written, false) {
                WireType::Len => Outcome::Wrong,
                _ => Outcome::Lossy,
            },
            Outcome::Lossy if field.presence == Presence::Required => Outcome::Fails,
            Outcome::Unrecognized if closed_numbers(part, field.kind).is_some() => {
                set_aside(part).max(Outcome::Unrecognized)
            }
            // No element of both sides holds the two enums, so that what becomes of their numbers is told of the field.
            outcome if may_lack_a_name(writer, written, part) => outcome.max(set_aside(part)),
            outcome => outcome,
        }
    });
    let is_missed = |field: &Field<'_>| field.number > 2 && field.presence == Presence::Required;
    let inside = if entry.fields.iter().any(is_missed) { inside.max(Outcome::Fails) } else { inside };
    let has = |number| entry.fields.iter().any(|field| field.number == number);
    let inside = if has(1) && has(2) { inside } else { inside.max(Outcome::Lossy) };
    // A oneof holds the key or the value.
    let arms: Vec<u32> =
        entry.fields.iter().filter(|field| field.number <= 2).filter_map(|field| field.oneof).collect();
    let inside = if arms.len() == 2 && arms[0] == arms[1] { inside.max(Outcome::Lossy) } else { inside };
    let collects = entry.fields.iter().any(|field| field.number <= 2 && field.cardinality != Cardinality::Singular);
    // The values of entries that are read as one merge: members of one stand beside the key or the members of another.
    let mut values = values_of(entry);
    let merges = matches!(writer.field.kind, Kind::Message(_))
        && values.any(|field| match field.kind {
            Kind::Message(id) if has(1) => reader.schema.all_fields(id).next().is_some(),
            kind => mixes(reader.schema, kind, None),
        });
    // Where the last entry has a value without a name, that of one before it stands beside its key.
    let is_left = has(1)
        && values_of(entry).any(|field| {
            let part = End::new(reader.schema, field);
            let is_number_without_name = closed_numbers(part, field.kind).is_some()
                && kinds(writer, writer.field.kind, part, field.kind) == Outcome::Unrecognized;
            is_number_without_name || may_lack_a_name(writer, writer.field.kind, part)
        });
    match reader.field.cardinality {
        Cardinality::Singular if collects || merges || is_left => Outcome::Wrong,
        Cardinality::Singular => inside.max(Outcome::Lossy),
        _ => inside,
    }
}

/// The fields that a map would take for the values of entries.
fn values_of<'f, 'a>(entry: &'f Message<'a>) -> impl Iterator<Item = &'f Field<'a>> {
    entry.fields.iter().filter(|field| field.number == 2)
}

fn reads_as_map(writer: End<'_, '_>, reader: End<'_, '_>, key: Kind) -> Outcome {
    if writer.wire_type() != WireType::Len {
        return if writer.field.packed { Outcome::Wrong } else { Outcome::Lossy };
    }
    let Some(entry) = writer.message() else { return Outcome::Wrong };
    let mut is_left_out = false;
    let inside = entry_fields(entry, |number, field| {
        let read = if number == 1 { key } else { reader.field.kind };
        // A packed record is taken for text, or skipped so that a key or value arrives that nobody wrote.
        if field.packed {
            return Outcome::Wrong;
        }
        // The entry of a map is read as one value.
        if matches!(field.cardinality, Cardinality::Map { .. }) {
            return Outcome::Wrong;
        }
        // Where the writer sets none, its own default was meant, and the reader makes up that of its type.
        let meant = Types::of(writer.schema).default(field).filter(|_| field.presence != Presence::Required);
        let shown = Types::of(reader.schema).zero(read);
        let is_made_up = meant.zip(shown).is_some_and(|(meant, shown)| !same_to_reader(&meant, &shown));
        let made_up = if is_made_up { Outcome::Wrong } else { Outcome::Safe };
        let one = in_map(kinds(End::new(writer.schema, field), field.kind, reader, read)).max(made_up);
        // No element of both sides holds the two enums, so that what becomes of their numbers is told of the field.
        let is_set_aside = number == 2 && may_lack_a_name(writer, field.kind, reader);
        let one = if is_set_aside { one.max(Outcome::Unrecognized) } else { one };
        is_left_out |= one == Outcome::Unrecognized;
        // Of several the last counts, and messages merge.
        match field.cardinality {
            Cardinality::Repeated if mixes(reader.schema, read, None) => Outcome::Wrong,
            Cardinality::Repeated => one.max(Outcome::Lossy),
            Cardinality::Singular | Cardinality::Map { .. } => one,
        }
    });
    let is_more = |field: &Field<'_>| field.number > 2;
    let has_more = entry.fields.iter().any(is_more) || !entry.extended_by.is_empty();
    let inside = if has_more { inside.max(Outcome::Lossy) } else { inside };
    // The reader makes up a key or a value that the message has no place for.
    let has = |number| entry.fields.iter().any(|field| field.number == number);
    let inside = if has(1) && has(2) { inside } else { Outcome::Wrong };
    // An entry without a value holds an empty message, which may lack what it requires.
    let requires = |message: &Message<'_>| message.fields.iter().any(|field| field.presence == Presence::Required);
    let inside = if reader.message().is_some_and(requires) { inside.max(Outcome::Fails) } else { inside };
    match writer.field.cardinality {
        // Of two entries with one key the last counts; where the reader drops that one, the first stands for it.
        Cardinality::Repeated if is_left_out => Outcome::Wrong,
        Cardinality::Repeated => inside.max(Outcome::Lossy),
        Cardinality::Singular | Cardinality::Map { .. } => inside,
    }
}

/// Whether a field of repeated numbers takes the value for a packed list.
fn takes_as_packed(field: &Field<'_>, written: Kind) -> bool {
    field.cardinality == Cardinality::Repeated && is_packable(field.kind) && wire_type(written, false) == WireType::Len
}

fn entry_fields(entry: &Message<'_>, mut judge: impl FnMut(i32, &Field<'_>) -> Outcome) -> Outcome {
    let members = entry.fields.iter().filter(|field| field.number == 1 || field.number == 2);
    members.map(|field| judge(field.number, field)).max().unwrap_or(Outcome::Safe)
}

/// What a reader sees of one value.
pub(super) fn element(writer: End<'_, '_>, reader: End<'_, '_>) -> Outcome {
    if writer.wire_type() != reader.wire_type() {
        return Outcome::Lossy;
    }
    kinds(writer, writer.field.kind, reader, reader.field.kind)
}

/// What a reader of one kind sees of a value of another, both length-prefixed where that applies.
fn kinds(writer: End<'_, '_>, written: Kind, reader: End<'_, '_>, read: Kind) -> Outcome {
    let wire = (wire_type(written, false), wire_type(read, false));
    if wire.0 != wire.1 {
        return Outcome::Lossy;
    }
    match (written, read) {
        (Kind::Message(_), Kind::Message(_)) | (Kind::Enum(_), Kind::Enum(_)) => Outcome::Safe,
        (Kind::String, Kind::String) if reader.field.utf8 && !writer.field.utf8 => Outcome::Fails,
        _ if written == read => Outcome::Safe,
        (Kind::Bytes, Kind::String) if reader.field.utf8 => Outcome::Fails,
        (Kind::String, Kind::Bytes) => Outcome::Safe,
        _ => match wire.0 {
            WireType::Varint => varint(writer, written, reader, read),
            WireType::I32 | WireType::I64 | WireType::Len | WireType::Group => Outcome::Wrong,
        },
    }
}

/// A varint is cut to the reader's width and interpreted by its type.
fn varint(writer: End<'_, '_>, written: Kind, reader: End<'_, '_>, read: Kind) -> Outcome {
    if let Some(mut numbers) = closed_numbers(writer, written) {
        let are_same = numbers.all(|number| match read {
            Kind::Bool => (0..=1).contains(&number),
            Kind::Uint32 | Kind::Uint64 => number >= 0,
            Kind::Sint32 | Kind::Sint64 => number == 0,
            _ => true,
        });
        return if are_same { Outcome::Safe } else { Outcome::Wrong };
    }
    if let Some(numbers) = closed_numbers(reader, read) {
        return read_by_closed(writer, written, &numbers.collect::<Vec<_>>());
    }
    if is_zigzag(written) {
        return if (written, read) == (Kind::Sint32, Kind::Sint64) { Outcome::Safe } else { Outcome::Wrong };
    }
    let (low, high) = range(written);
    let fits = |min: i128, max: i128| if low >= min && high <= max { Outcome::Safe } else { Outcome::Wrong };
    match read {
        Kind::Int32 => fits(i32::MIN.into(), i32::MAX.into()),
        Kind::Int64 => fits(i64::MIN.into(), i64::MAX.into()),
        Kind::Uint32 => fits(0, u32::MAX.into()),
        Kind::Uint64 => fits(0, u64::MAX.into()),
        Kind::Enum(_) if written == Kind::Bool => {
            if names_number(reader, read, 1) {
                Outcome::Safe
            } else {
                Outcome::Unrecognized
            }
        }
        Kind::Enum(_) => fits(i32::MIN.into(), i32::MAX.into()).max(Outcome::Unrecognized),
        _ => Outcome::Wrong,
    }
}

/// What a closed enum makes of numbers: those that come out as one of its own are taken for it, the others fall out.
fn read_by_closed(writer: End<'_, '_>, written: Kind, named: &[i64]) -> Outcome {
    let is_misread = match written {
        // Cut to 32 bits, some large number looks like a named one.
        Kind::Int64 | Kind::Uint64 | Kind::Sint64 => !named.is_empty(),
        Kind::Uint32 => named.iter().any(|number| *number < 0),
        Kind::Sint32 => named.iter().any(|number| *number != 0),
        _ => false,
    };
    let writes_false = writer.field.cardinality != Cardinality::Singular || writer.field.presence != Presence::Implicit;
    let all_named = written == Kind::Bool && named.contains(&1) && (named.contains(&0) || !writes_false);
    match (is_misread, all_named) {
        (true, _) => Outcome::Wrong,
        (false, true) => Outcome::Safe,
        (false, false) => Outcome::Unrecognized,
    }
}

/// The numbers of a closed enum; `None` for any other type.
fn closed_numbers<'s>(end: End<'s, '_>, kind: Kind) -> Option<impl Iterator<Item = i64> + use<'s>> {
    match kind {
        Kind::Enum(id) if end.schema.enumeration(id).is_closed => {
            let numbers: Vec<i64> = end.schema.enumeration(id).ast.values.iter().map(|value| value.number).collect();
            Some(numbers.into_iter())
        }
        _ => None,
    }
}

/// The numbers that a writer of a varint kind may write; an enum is an open one here.
fn range(kind: Kind) -> (i128, i128) {
    match kind {
        Kind::Bool => (0, 1),
        Kind::Int32 | Kind::Enum(_) => (i32::MIN.into(), i32::MAX.into()),
        Kind::Uint32 => (0, u32::MAX.into()),
        Kind::Uint64 => (0, u64::MAX.into()),
        _ => (i64::MIN.into(), i64::MAX.into()),
    }
}

fn names_number(end: End<'_, '_>, kind: Kind, number: i64) -> bool {
    match kind {
        Kind::Enum(id) => end.schema.enumeration(id).ast.values.iter().any(|value| value.number == number),
        _ => false,
    }
}

#[cfg(test)]
#[path = "relation_tests.rs"]
mod tests;
