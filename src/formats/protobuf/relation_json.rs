//! The same as [`super::relation`] for the JSON mapping: how a value comes out when a field of another type reads its text.

use crate::evidence::Outcome;

use super::model::{Cardinality, Kind, Presence};
use super::relation::{End, cardinality_class, where_unnamed};

/// How a value stands in JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum JsonForm {
    Bool,
    /// An integer with its range; 64-bit ones are written as strings.
    Integer {
        low: i128,
        high: i128,
        quoted: bool,
    },
    Float,
    Double,
    Text,
    Base64,
    /// The name of an enum value; whether one of them also is base64 text, and whether the enum is closed.
    Name {
        is_base64: bool,
        is_closed: bool,
    },
    Object,
    /// An object with any members (`google.protobuf.Struct`).
    Members,
    /// An object that names its type (`google.protobuf.Any`).
    Typed,
    Timestamp,
    Duration,
    FieldMask,
    Array,
    /// Anything at all (`google.protobuf.Value`).
    Any,
}

/// What a reader sees of a field's values in JSON, the member names being understood.
pub(super) fn json_reads(writer: End<'_, '_>, reader: End<'_, '_>) -> Outcome {
    if writer.field.kind == Kind::Opaque || reader.field.kind == Kind::Opaque {
        return Outcome::Lossy;
    }
    let is_required = reader.field.presence == Presence::Required;
    match where_unnamed(json_by_cardinality(writer, reader), writer, reader) {
        Outcome::Lossy if is_required => Outcome::Fails,
        outcome => outcome,
    }
}

/// Whether a JSON reader takes any of the writer's values.
pub(super) fn json_accepts_any(writer: End<'_, '_>, reader: End<'_, '_>) -> bool {
    let reads = match (writer.field.cardinality, reader.field.cardinality) {
        (Cardinality::Map { key: written }, Cardinality::Map { key: read }) if !json_keys_meet(written, read) => {
            return false;
        }
        // Some key is one of both, whatever comes of others.
        (Cardinality::Map { .. }, Cardinality::Map { .. }) => {
            let (written, read) = forms(writer, reader);
            where_unnamed(json_element(written, read), writer, reader)
        }
        _ => json_reads(writer, reader),
    };
    let forms = (written_form(writer), json_form(reader, reader.field.kind));
    let is_number = |form| matches!(form, JsonForm::Integer { .. } | JsonForm::Float | JsonForm::Double);
    let same_class = cardinality_class(writer.field.cardinality) == cardinality_class(reader.field.cardinality);
    let numbers = match forms {
        (written, read) if is_number(written) && is_number(read) => true,
        (JsonForm::Integer { quoted: false, .. } | JsonForm::Float | JsonForm::Double, JsonForm::Name { .. }) => true,
        // An open enum writes a number where it has no name.
        (JsonForm::Name { is_closed: false, .. }, read) if is_number(read) => true,
        _ => false,
    };
    same_class && numbers || !matches!(reads, Outcome::Fails | Outcome::Lossy)
}

/// Whether a JSON reader takes a message without members for one of its own, alone or in a list or map, whatever it makes
/// of the members.
pub(super) fn json_accepts_empty(writer: End<'_, '_>, reader: End<'_, '_>) -> bool {
    let Kind::Message(id) = writer.field.kind else { return false };
    let are_alike = match (writer.field.cardinality, reader.field.cardinality) {
        (Cardinality::Map { key: written }, Cardinality::Map { key: read }) => json_keys_meet(written, read),
        (written, read) => cardinality_class(written) == cardinality_class(read),
    };
    let is_object = |form| matches!(form, JsonForm::Object | JsonForm::Members | JsonForm::Typed);
    let may_be_empty = || writer.schema.all_fields(id).all(|field| field.presence != Presence::Required);
    are_alike
        && is_object(json_form(writer, writer.field.kind))
        && is_object(json_form(reader, reader.field.kind))
        && may_be_empty()
}

fn json_by_cardinality(writer: End<'_, '_>, reader: End<'_, '_>) -> Outcome {
    use Cardinality::{Map, Repeated, Singular};
    use JsonForm::{Any, Array, Members, Object, Typed};
    let (written, read) = forms(writer, reader);
    let accepted = |is: bool| if is { Outcome::Wrong } else { Outcome::Fails };
    let is_enum = matches!(read, JsonForm::Name { .. });
    match (writer.field.cardinality, reader.field.cardinality) {
        // Inside of a list or a map only the enum that is written as `null` takes it.
        (Map { .. }, Map { .. }) | (Repeated, Repeated) if is_null(writer) && is_enum && !is_null(reader) => {
            Outcome::Fails
        }
        (Map { key: written_key }, Map { key: read_key }) => {
            json_element(written, read).max(json_key(written_key, read_key))
        }
        (Map { .. }, Singular) => accepted(matches!(read, Object | Members | Any)),
        // The names of members are no numbers.
        (Singular, Map { key }) if key != Kind::String => accepted(matches!(written, Members | Any)),
        (Singular, Map { .. }) => accepted(matches!(written, Object | Members | Typed | Any)),
        (Singular, Singular) | (Repeated, Repeated) => json_element(written, read),
        (Repeated, Singular) => accepted(matches!(read, Array | Any)),
        (Singular, Repeated) => accepted(matches!(written, Array | Any)),
        (Map { .. }, Repeated) | (Repeated, Map { .. }) => Outcome::Fails,
    }
}

/// Whether values are of the enum that is written as `null`.
fn is_null(end: End<'_, '_>) -> bool {
    matches!(end.field.kind, Kind::Enum(id) if &*end.schema.enumeration(id).full_name == "google.protobuf.NullValue")
}

/// How the values of both fields stand in JSON.
fn forms(writer: End<'_, '_>, reader: End<'_, '_>) -> (JsonForm, JsonForm) {
    match (json_form(writer, writer.field.kind), json_form(reader, reader.field.kind)) {
        (written @ JsonForm::Name { .. }, read @ JsonForm::Name { .. }) => (written, read),
        (_, read) => (written_form(writer), read),
    }
}

/// As [`json_form`], but an enum whose only name stands for a default that is never written shows numbers only.
fn written_form(writer: End<'_, '_>) -> JsonForm {
    let form = json_form(writer, writer.field.kind);
    let leaves_zero_out =
        writer.field.cardinality == Cardinality::Singular && writer.field.presence == Presence::Implicit;
    match (form, writer.field.kind) {
        (JsonForm::Name { .. }, Kind::Enum(id)) if leaves_zero_out => {
            let mut values = writer.schema.enumeration(id).ast.values.iter();
            let is_named = values.any(|value| value.number != 0);
            if is_named { form } else { json_form(writer, Kind::Int32) }
        }
        _ => form,
    }
}

fn json_form(end: End<'_, '_>, kind: Kind) -> JsonForm {
    let integer = |low: i128, high: i128, quoted| JsonForm::Integer { low, high, quoted };
    match kind {
        Kind::Bool => JsonForm::Bool,
        Kind::Int32 | Kind::Sint32 | Kind::Sfixed32 => integer(i32::MIN.into(), i32::MAX.into(), false),
        Kind::Uint32 | Kind::Fixed32 => integer(0, u32::MAX.into(), false),
        Kind::Int64 | Kind::Sint64 | Kind::Sfixed64 => integer(i64::MIN.into(), i64::MAX.into(), true),
        Kind::Uint64 | Kind::Fixed64 => integer(0, u64::MAX.into(), true),
        Kind::Float => JsonForm::Float,
        Kind::Double => JsonForm::Double,
        Kind::String => JsonForm::Text,
        Kind::Bytes => JsonForm::Base64,
        Kind::Enum(id) => {
            // Base64 has no text of one letter more than a multiple of four; any other name is one.
            let mut values = end.schema.enumeration(id).ast.values.iter();
            let is_base64 = values.any(|value| value.name.text.len() % 4 != 1);
            JsonForm::Name { is_base64, is_closed: end.schema.enumeration(id).is_closed }
        }
        Kind::Opaque => JsonForm::Any,
        Kind::Message(id) => well_known_form(&end.schema.message(id).full_name),
    }
}

/// The well-known types that are no plain objects in JSON.
fn well_known_form(full_name: &str) -> JsonForm {
    match full_name {
        "google.protobuf.Timestamp" => JsonForm::Timestamp,
        "google.protobuf.Duration" => JsonForm::Duration,
        "google.protobuf.FieldMask" => JsonForm::FieldMask,
        "google.protobuf.Struct" => JsonForm::Members,
        "google.protobuf.Any" => JsonForm::Typed,
        "google.protobuf.BoolValue" => JsonForm::Bool,
        "google.protobuf.StringValue" => JsonForm::Text,
        "google.protobuf.BytesValue" => JsonForm::Base64,
        "google.protobuf.FloatValue" => JsonForm::Float,
        "google.protobuf.DoubleValue" => JsonForm::Double,
        "google.protobuf.Int32Value" => {
            JsonForm::Integer { low: i32::MIN.into(), high: i32::MAX.into(), quoted: false }
        }
        "google.protobuf.UInt32Value" => JsonForm::Integer { low: 0, high: u32::MAX.into(), quoted: false },
        "google.protobuf.Int64Value" => JsonForm::Integer { low: i64::MIN.into(), high: i64::MAX.into(), quoted: true },
        "google.protobuf.UInt64Value" => JsonForm::Integer { low: 0, high: u64::MAX.into(), quoted: true },
        "google.protobuf.Value" => JsonForm::Any,
        "google.protobuf.ListValue" => JsonForm::Array,
        _ => JsonForm::Object,
    }
}

fn json_element(written: JsonForm, read: JsonForm) -> Outcome {
    use JsonForm::{
        Any, Base64, Double, Duration, FieldMask, Float, Integer, Members, Name, Object, Text, Timestamp, Typed,
    };
    match (written, read) {
        (Integer { low, high, .. }, Integer { low: min, high: max, .. }) => {
            if low >= min && high <= max {
                Outcome::Safe
            } else {
                Outcome::Fails
            }
        }
        (Integer { high, .. }, Double) if high <= 1 << 53 => Outcome::Safe,
        (Integer { .. }, Double | Float) => Outcome::Wrong,
        (Float, Double) => Outcome::Safe,
        // Beyond the range a reader fails; within it digits are rounded away, and nobody notices.
        (Double, Float) => Outcome::Wrong,
        (Name { .. }, Name { .. }) => Outcome::Safe,
        (Name { is_base64: false, .. }, Base64) => Outcome::Fails,
        (Integer { quoted: true, .. } | Name { .. } | Float | Double, Text | Base64 | FieldMask) => Outcome::Wrong,
        (FieldMask, Integer { .. } | Float | Double | Duration) => Outcome::Wrong,
        // A text that is a number is one to Java and Python; it is cut to 32 bits.
        (Integer { quoted: true, .. } | Text | Base64 | FieldMask, Name { .. }) => Outcome::Wrong,
        (Timestamp | Duration, Name { .. }) => Outcome::Lossy,
        (Integer { quoted: false, high, .. }, Name { .. }) if high > i128::from(i32::MAX) => Outcome::Fails,
        (Integer { quoted: false, .. }, Name { is_closed: true, .. }) => Outcome::Fails,
        (Integer { quoted: false, .. }, Name { .. }) => Outcome::Unrecognized,
        _ if written == read => Outcome::Safe,
        // A date is no base64, no length of time, and nothing else is a date.
        (Timestamp, Base64 | Duration) | (Base64 | Duration | FieldMask, Timestamp) => Outcome::Fails,
        (Timestamp | Duration | FieldMask | Text | Base64, Text | Base64 | FieldMask) => Outcome::Wrong,
        (Text | Base64, Integer { .. } | Float | Double | Timestamp | Duration) => Outcome::Wrong,
        (Any, _) | (_, Any) => Outcome::Wrong,
        (Object | Typed, Members) | (Members | Typed, Object) => Outcome::Wrong,
        _ => Outcome::Fails,
    }
}

/// The values of an integer type.
fn range(kind: Kind) -> Option<(i128, i128)> {
    match kind {
        Kind::Int32 | Kind::Sint32 | Kind::Sfixed32 => Some((i32::MIN.into(), i32::MAX.into())),
        Kind::Uint32 | Kind::Fixed32 => Some((0, u32::MAX.into())),
        Kind::Int64 | Kind::Sint64 | Kind::Sfixed64 => Some((i64::MIN.into(), i64::MAX.into())),
        Kind::Uint64 | Kind::Fixed64 => Some((0, u64::MAX.into())),
        _ => None,
    }
}

/// Keys of maps are always strings in JSON.
fn json_key(written: Kind, read: Kind) -> Outcome {
    match (range(written), range(read)) {
        _ if written == read => Outcome::Safe,
        (Some((low, high)), Some((min, max))) if low >= min && high <= max => Outcome::Safe,
        _ if written == Kind::String || read == Kind::String => Outcome::Wrong,
        _ => Outcome::Fails,
    }
}

/// Whether some key of the one type is one of the other in JSON: a truth value is no number.
fn json_keys_meet(written: Kind, read: Kind) -> bool {
    json_key(written, read) != Outcome::Fails || range(written).is_some() && range(read).is_some()
}
