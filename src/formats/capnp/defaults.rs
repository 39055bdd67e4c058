//! What a reader sees where nothing was written, beside what the writer meant by writing nothing.
//!
//! The default of a pointer is in no message: each side lays out its own. So two of them are compared by what the readers of
//! each see in them, field by field, wherever a field lies, however its value is written and whatever number a name of an
//! enum stands for. A field that neither default holds is what it is in every struct, which is told of that field.

use std::borrow::Cow;

use crate::change::Pair;
use crate::evidence::{Direction, Outcome};
use crate::formats::frame::differ::SAFE;
use crate::formats::roundtrip::{DIRECTIONS, Sides};
use crate::value::{Record, Value, same_to_reader};

use super::codec::default_bits;
use super::model::{Absence, Constant, EnumId, Field, Schema, Slot, Space, StructId, Type};
use super::pairing;
use super::reader::{nothing, seen};

/// What new readers see of the default of an old field, and old readers of that of a new one.
pub(super) fn reads(schemas: Pair<&Schema<'_>>, fields: Pair<&Field<'_>>) -> Pair<Outcome> {
    let read = |direction| absent((Sides::of(direction, schemas), direction), Sides::of(direction, fields));
    Pair::new(read(Direction::Backward), read(Direction::Forward))
}

/// Whether nobody knows if one default is another one: what it stands for is in no file that was found, or in one that is
/// not read. Written alike, it counts as the same.
pub(super) fn are_untold(fields: Pair<&Field<'_>>) -> bool {
    let is_unknown = fields.map(|field| field.default == Absence::Unknown);
    match (is_unknown.old, is_unknown.new) {
        (true, true) => fields.old.default_written != fields.new.default_written,
        (one, other) => one || other,
    }
}

/// Whether any reader sees another default.
pub(super) fn differ(schemas: Pair<&Schema<'_>>, fields: Pair<&Field<'_>>) -> bool {
    reads(schemas, fields) != SAFE
}

/// What a reader sees where a writer wrote nothing.
pub(super) fn absent((schemas, direction): (Sides<&Schema<'_>>, Direction), fields: Sides<&Field<'_>>) -> Outcome {
    let Sides { writer, reader } = fields;
    let is_pointer = |field: &Field<'_>| field.held.space() == Space::Pointer;
    let are_told = |field: &Field<'_>| field.default != Absence::Unknown && !is_any(&field.held);
    match (&writer.default, &reader.default) {
        (Absence::Zero, Absence::Zero) => Outcome::Safe,
        // Nobody can tell.
        (Absence::Unknown, _) | (_, Absence::Unknown) => Outcome::Safe,
        _ if [writer, reader].into_iter().all(|field| is_pointer(field) && are_told(field)) => {
            let values = Sides { writer: meant(writer), reader: meant(reader) };
            let types = Sides { writer: &writer.held, reader: &reader.held };
            Beside { schemas, direction }.values(types, Sides { writer: &values.writer, reader: &values.reader })
        }
        (wrote, read) if wrote == read => Outcome::Safe,
        _ => match (&writer.held, &reader.held, &*meant(writer), &*meant(reader)) {
            (Type::Enum(of), Type::Enum(by), Value::Enum { number: wrote, .. }, Value::Enum { number: read, .. }) => {
                let ids = Sides { writer: *of, reader: *by };
                Beside { schemas, direction }.combined(ids, Sides { writer: *wrote, reader: *read })
            }
            // What values are combined with is the same: what else is seen of them follows from the types.
            _ if !is_pointer(writer) && !is_pointer(reader) && is_same_in_data(writer, reader) => Outcome::Safe,
            _ => Outcome::Wrong,
        },
    }
}

/// Whether a constant is the same on both sides, however its value is written.
pub(super) fn are_alike(schemas: Pair<&Schema<'_>>, constants: Pair<&Constant>) -> bool {
    let is_same = |direction| {
        let types = Sides::of(direction, constants.map(|of| &of.ty));
        let values = Sides::of(direction, constants.map(|of| &of.value));
        Beside { schemas: Sides::of(direction, schemas), direction }.values(types, values) == Outcome::Safe
    };
    constants.old.around == constants.new.around && DIRECTIONS.into_iter().all(is_same)
}

/// Whether a number that no union hides has another default on each side.
pub(super) fn are_others(writer: Option<&Field<'_>>, reader: Option<&Field<'_>>) -> bool {
    let (Some(writer), Some(reader)) = (writer, reader) else { return false };
    let is_plain = |field: &Field<'_>| {
        field.guards.is_empty() && matches!(field.slot, Slot::Data { .. }) && field.default != Absence::Unknown
    };
    is_plain(writer) && is_plain(reader) && !is_same_in_data(writer, reader)
}

/// Whether the defaults of two numbers of one size are the same bits, which are all that data know of them.
fn is_same_in_data(writer: &Field<'_>, reader: &Field<'_>) -> bool {
    let are_known = [writer, reader].into_iter().all(|field| field.default != Absence::Unknown);
    are_known && writer.held.space() == reader.held.space() && default_bits(writer) == default_bits(reader)
}

/// What is seen of a field where nothing was written.
pub(super) fn meant<'f>(field: &'f Field<'_>) -> Cow<'f, Value> {
    match &field.default {
        Absence::Value(value) => Cow::Borrowed(value),
        Absence::Zero | Absence::Unknown => Cow::Owned(nothing(&field.held)),
    }
}

/// Values of both sides that are in no message.
struct Beside<'s, 'b> {
    schemas: Sides<&'s Schema<'b>>,
    direction: Direction,
}

impl Beside<'_, '_> {
    /// How deep values of a schema nest, its parser has limited.
    fn values(&self, types: Sides<&Type>, values: Sides<&Value>) -> Outcome {
        match (types.writer, types.reader, values.writer, values.reader) {
            (Type::Struct(writer, _), Type::Struct(reader, _), Value::Record(wrote), Value::Record(read)) => {
                let ids = Sides { writer: *writer, reader: *reader };
                self.records(ids, Sides { writer: wrote, reader: read })
            }
            (Type::Enum(writer), Type::Enum(reader), Value::Enum { number: wrote, .. }, Value::Enum { number, .. }) => {
                let ids = Sides { writer: *writer, reader: *reader };
                self.enums(ids, Sides { writer: *wrote, reader: *number })
            }
            // A type without values holds nothing, and says nothing of what the other side has.
            (_, Type::Void, ..) => Outcome::Safe,
            (Type::Void, ..) => Outcome::Defaulted,
            (_, _, Value::Enum { number: wrote, .. }, Value::Int(read)) => same(i128::from(*wrote) == *read),
            (_, _, Value::Int(wrote), Value::Enum { number, .. }) => same(*wrote == i128::from(*number)),
            (writer, reader, wrote, read) => match (items(writer, wrote), items(reader, read)) {
                (Some((writer, wrote)), Some((reader, read))) => {
                    let types = Sides { writer: &*writer, reader: &*reader };
                    self.lists(types, Sides { writer: &wrote, reader: &read })
                }
                _ => same(same_to_reader(wrote, read)),
            },
        }
    }

    fn lists(&self, types: Sides<&Type>, lists: Sides<&[Value]>) -> Outcome {
        if lists.writer.len() != lists.reader.len() {
            return Outcome::Wrong;
        }
        let items = lists.writer.iter().zip(lists.reader);
        items.map(|(writer, reader)| self.item(types, Sides { writer, reader })).max().unwrap_or(Outcome::Safe)
    }

    /// An item that is no struct is the first field of one.
    fn item(&self, types: Sides<&Type>, values: Sides<&Value>) -> Outcome {
        match (types.writer, types.reader, values.writer, values.reader) {
            (Type::Struct(..), Type::Struct(..), ..) => self.values(types, values),
            (Type::Struct(id, _), reader, Value::Record(record), read) => {
                let of = self.schemas.writer.structure(*id);
                let first = of.first_like(reader).and_then(|field| Some((field, seen(field, record)?)));
                let Some((field, wrote)) = first else { return same(*read == nothing(reader)) };
                self.values(Sides { writer: &field.held, reader }, Sides { writer: &wrote, reader: read })
            }
            (writer, Type::Struct(id, _), wrote, Value::Record(record)) => {
                let of = self.schemas.reader.structure(*id);
                let first = of.first_like(writer).and_then(|field| Some((field, seen(field, record)?)));
                let Some((field, read)) = first else { return same(*wrote == nothing(writer)) };
                self.values(Sides { writer, reader: &field.held }, Sides { writer: wrote, reader: &read })
            }
            _ => self.values(types, values),
        }
    }

    fn records(&self, ids: Sides<StructId>, records: Sides<&Record>) -> Outcome {
        let of = Sides {
            writer: self.schemas.writer.structure(ids.writer),
            reader: self.schemas.reader.structure(ids.reader),
        };
        let each = pairing::fields(of.in_order(self.direction)).into_iter().map(|pair| {
            let at = Sides::of(self.direction, pair.at);
            match (at.writer.map(|at| &of.writer.fields[at]), at.reader.map(|at| &of.reader.fields[at])) {
                (Some(writer), Some(reader)) => self.fields(Sides { writer, reader }, records),
                (None, Some(reader)) => match is_given(reader, records.reader) {
                    true => Outcome::Defaulted,
                    false => Outcome::Safe,
                },
                (_, None) => Outcome::Safe,
            }
        });
        each.max().unwrap_or(Outcome::Safe)
    }

    fn fields(&self, fields: Sides<&Field<'_>>, records: Sides<&Record>) -> Outcome {
        let has = |field: &Field<'_>, record: &Record| record.fields.contains_key(&field.ordinal.into());
        let values = (seen(fields.writer, records.writer), seen(fields.reader, records.reader));
        match values {
            (None, None) => Outcome::Safe,
            (Some(wrote), Some(read)) => {
                if !has(fields.writer, records.writer) && !has(fields.reader, records.reader) {
                    return Outcome::Safe;
                }
                let types = Sides { writer: &fields.writer.held, reader: &fields.reader.held };
                self.values(types, Sides { writer: &wrote, reader: &read })
            }
            _ => Outcome::Wrong,
        }
    }

    /// A value of an enum and what the reader has there: the same by its number, or by its name where that moved.
    fn enums(&self, ids: Sides<EnumId>, numbers: Sides<i32>) -> Outcome {
        let schemas = self.schemas.in_order(self.direction);
        let enums = schemas.zip(ids.in_order(self.direction), |schema, id| schema.enumeration(id));
        match (u16::try_from(numbers.writer), u16::try_from(numbers.reader)) {
            (Ok(writer), Ok(reader)) => {
                same(pairing::is_same_value(enums, Sides { writer, reader }.in_order(self.direction)))
            }
            _ => same(numbers.writer == numbers.reader),
        }
    }

    /// What is seen at worst of the values of an enum, each of which is combined with the default of its side.
    fn combined(&self, ids: Sides<EnumId>, defaults: Sides<i32>) -> Outcome {
        let own = self.schemas.writer.enumeration(ids.writer).values.iter().map(|value| i32::from(value.number));
        let read = |writer: i32| {
            let reader = writer ^ defaults.writer ^ defaults.reader;
            self.enums(ids, Sides { writer, reader })
        };
        own.chain([defaults.writer]).map(read).max().unwrap_or(Outcome::Safe)
    }
}

fn same(is_same: bool) -> Outcome {
    if is_same { Outcome::Safe } else { Outcome::Wrong }
}

/// Whether a value of a struct holds something else in a field than every struct has there.
fn is_given(field: &Field<'_>, record: &Record) -> bool {
    let given = record.fields.get(&field.ordinal.into());
    given.is_some_and(|given| *given != *meant(field)) && seen(field, record).is_some()
}

/// Whether a type says nothing of what it leads to.
pub(super) fn is_any(ty: &Type) -> bool {
    matches!(ty, Type::Any(_) | Type::Parameter(_) | Type::Interface(..) | Type::Opaque(_))
}

/// The items of a list with their type; data are a list of bytes.
pub(super) fn items<'v>(ty: &Type, value: &'v Value) -> Option<(Cow<'v, Type>, Cow<'v, [Value]>)> {
    match (ty, value) {
        (Type::List(items), Value::List(values)) => Some((Cow::Owned((**items).clone()), Cow::Borrowed(&values[..]))),
        (Type::Data, Value::Bytes(bytes)) => {
            let values: Vec<Value> = bytes.iter().map(|byte| Value::Int(i128::from(*byte))).collect();
            Some((Cow::Owned(Type::Int(3, false)), Cow::Owned(values)))
        }
        _ => None,
    }
}
