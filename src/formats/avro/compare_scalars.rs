//! Single values as readers understand them: what their logical types say they mean; and why a reader rejects one.

use crate::text::first_of;
use crate::value::{Value, same_to_reader};

use super::model::{Kind, Logical, Schema, TypeId, Unit, Use};
use super::resolve::Reason;
use crate::formats::roundtrip::Sides;

/// Branches that are listed where none of a union takes a value.
const BRANCHES: usize = 24;

/// What a value means by its logical type.
#[derive(Debug, PartialEq, Eq)]
enum Meaning<'v> {
    /// Nanoseconds since the epoch.
    Instant(i128),
    /// Nanoseconds since the epoch, wherever the reader is.
    Local(i128),
    /// Nanoseconds since midnight.
    Time(i128),
    /// Days since the epoch.
    Date(i128),
    /// A number by its unscaled bytes without those that only repeat the sign, and its scale; zero has none.
    Decimal(&'v [u8], u32),
    /// A number in the encoding that carries its scale.
    BigDecimal(&'v [u8]),
    /// An identifier.
    Uuid(&'v [u8]),
    /// Months, days and milliseconds.
    Duration(&'v [u8]),
}

/// Whether a reader sees what the writer wrote. Where both sides say what a value means, the meanings are compared;
/// where one side only does, the values.
pub(super) fn same_meaning(logical: Sides<Option<Logical>>, wrote: &Value, read: &Value) -> bool {
    let meanings = logical
        .writer
        .zip(logical.reader)
        .and_then(|(writer, reader)| Some((meaning(writer, wrote)?, meaning(reader, read)?)));
    match meanings {
        Some((wrote, read)) => wrote == read,
        None => same_to_reader(wrote, read),
    }
}

/// What a value means; `None` where it is not of the type that the logical type applies to.
fn meaning(logical: Logical, value: &Value) -> Option<Meaning<'_>> {
    let nanoseconds = |unit: Unit, count: i128| match unit {
        Unit::Millis => count * 1_000_000,
        Unit::Micros => count * 1_000,
        Unit::Nanos => count,
    };
    Some(match (logical, value) {
        (Logical::Timestamp(unit), Value::Int(count)) => Meaning::Instant(nanoseconds(unit, *count)),
        (Logical::LocalTimestamp(unit), Value::Int(count)) => Meaning::Local(nanoseconds(unit, *count)),
        (Logical::TimeMillis, Value::Int(count)) => Meaning::Time(nanoseconds(Unit::Millis, *count)),
        (Logical::TimeMicros, Value::Int(count)) => Meaning::Time(nanoseconds(Unit::Micros, *count)),
        (Logical::Date, Value::Int(days)) => Meaning::Date(*days),
        (Logical::Decimal { scale, .. }, Value::Bytes(bytes)) => {
            let digits = without_sign_bytes(bytes);
            Meaning::Decimal(digits, if digits == [0] { 0 } else { scale })
        }
        (Logical::BigDecimal, Value::Bytes(bytes)) => Meaning::BigDecimal(bytes),
        (Logical::Uuid, Value::Text(bytes) | Value::Bytes(bytes)) => Meaning::Uuid(bytes),
        (Logical::Duration, Value::Bytes(bytes)) => Meaning::Duration(bytes),
        _ => return None,
    })
}

/// A big-endian number in two's complement, as short as it can be.
pub(super) fn without_sign_bytes(bytes: &[u8]) -> &[u8] {
    let mut rest = bytes;
    while let [first, second, ..] = rest
        && (*first == 0 && *second < 0x80 || *first == 0xff && *second >= 0x80)
    {
        rest = &rest[1..];
    }
    if rest.is_empty() { &[0] } else { rest }
}

/// Why a reader rejects what was written, as a clause.
pub(super) fn because(schemas: Sides<&Schema<'_>>, types: Sides<TypeId>, reason: &Reason) -> String {
    let wrote = |id: TypeId| described(schemas.writer, id);
    match reason {
        Reason::TypesDiffer { writer, reader } => {
            format!("{} was written and {} is wanted", wrote(*writer), described(schemas.reader, *reader))
        }
        Reason::NamesDiffer { writer, reader } => {
            let names = (schemas.writer.called(*writer), schemas.reader.called(*reader));
            format!("`{}` was written, `{}` is wanted, and no alias says they are the same", names.0, names.1)
        }
        Reason::SizesDiffer { writer, reader } => {
            let size = |schema: &Schema<'_>, id| match schema.kind(id) {
                Kind::Fixed(fixed) => fixed.size,
                _ => 0,
            };
            let (written, wanted) = (size(schemas.writer, *writer), size(schemas.reader, *reader));
            format!("`{}` was written with {written} bytes, and {wanted} are wanted", schemas.writer.called(*writer))
        }
        Reason::NoDefault => "a field has no default and the writer does not have it".to_owned(),
        Reason::UnknownSymbol { symbol, writer, reader } => {
            let written = match schemas.writer.kind(*writer) {
                Kind::Enum(definition) => definition.symbols.get(*symbol as usize).map(|(symbol, _)| &**symbol),
                _ => None,
            };
            let name = schemas.reader.called(*reader);
            format!("the enum {name} has no symbol {} and no default", written.unwrap_or_default())
        }
        Reason::NoBranch { writer, reader } => {
            let branches: &[Use] =
                if let Kind::Union(branches) = schemas.reader.kind(*reader) { branches } else { &[] };
            let branches = branches.iter().map(|branch| schemas.reader.called(branch.ty).to_owned());
            format!("no branch of [{}] takes {}", first_of(branches, BRANCHES, ", "), wrote(*writer))
        }
        Reason::NotUtf8 => "the bytes are not UTF-8, so they are no string".to_owned(),
        Reason::NotWritten => "the value is not one of the writer's type".to_owned(),
        Reason::TooDeep => "the value is nested too deeply".to_owned(),
        Reason::DefaultOfRenamed { record, field } => {
            let field = schemas.writer.record(*record).and_then(|record| record.fields.get(*field));
            let name = field.map_or("", |field| &*field.name);
            format!("a default in the writer's schema spells `{name}`, which an alias of the reader renames")
        }
        Reason::Ambiguous => {
            let reader = schemas.reader.called(types.reader);
            format!("the aliases in `{reader}` lead to fields of the writer that are taken, or to several")
        }
    }
}

/// A type in words: `an int`, `a union`, ``the record `shop.Order` ``.
fn described(schema: &Schema<'_>, id: TypeId) -> String {
    let called = schema.called(id);
    match schema.kind(id) {
        Kind::Record(_) => format!("the record `{called}`"),
        Kind::Enum(_) => format!("the enum `{called}`"),
        Kind::Fixed(_) => format!("the fixed `{called}`"),
        Kind::Opaque(_) => format!("`{called}`"),
        Kind::Primitive(_) | Kind::Array(_) | Kind::Map(_) | Kind::Union(_) => match called {
            "null" => "null".to_owned(),
            "bytes" => "bytes".to_owned(),
            "int" | "array" => format!("an {called}"),
            _ => format!("a {called}"),
        },
    }
}
