//! What a reader makes of a value that was written as another type, as far as the two types themselves decide.
//!
//! The header of a field names a wire type: a reader skips a field whose wire type is not that of its own. The header of
//! a container names the types of its elements, but generated readers trust their own schema, so that a changed element
//! type puts the reader out of step in the binary protocol; the compact protocol writes integers of 16, 32 and 64 bits
//! alike. The worse protocol counts. What differs inside structs and enums is a change of its own and does not count.

use crate::change::Pair;
use crate::evidence::Outcome;

use super::model::{Schema, Type};

/// How two types of one field relate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Relation {
    /// The same.
    Same,
    /// Two structs of different names.
    StructReplaced,
    /// Two enums of different names.
    EnumReplaced,
    /// An exception in the place of another that goes on elsewhere: whoever catches one does not catch the other.
    ExceptionReplaced,
    /// Text and bytes.
    Text,
    /// A number and an enum.
    EnumNumber,
    /// Another wire type: the field is skipped.
    WireType,
    /// Containers of one sort whose elements have other types.
    Element,
    /// A type that is in no file that was found.
    Opaque,
    /// Something that is not looked into.
    Unjudged,
}

impl Relation {
    /// The name in facts.
    pub(super) fn name(self) -> &'static str {
        match self {
            Relation::Same => "same",
            Relation::StructReplaced => "struct-replaced",
            Relation::EnumReplaced => "enum-replaced",
            Relation::ExceptionReplaced => "exception-replaced",
            Relation::Text => "text",
            Relation::EnumNumber => "enum-number",
            Relation::WireType => "wire-type",
            Relation::Element => "element",
            Relation::Opaque => "opaque",
            Relation::Unjudged => "unjudged",
        }
    }
}

/// What the headers of fields and containers call a type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wire {
    Void,
    Bool,
    I8,
    I16,
    I32,
    I64,
    Double,
    Float,
    String,
    Uuid,
    Struct,
    List,
    Set,
    Map,
    Unknown,
}

fn wire(ty: &Type) -> Wire {
    match ty {
        Type::Void => Wire::Void,
        Type::Bool => Wire::Bool,
        Type::I8 => Wire::I8,
        Type::I16 => Wire::I16,
        Type::I32 | Type::Enum(_) => Wire::I32,
        Type::I64 => Wire::I64,
        Type::Double => Wire::Double,
        Type::Float => Wire::Float,
        Type::String | Type::Binary => Wire::String,
        Type::Uuid => Wire::Uuid,
        Type::Struct(_) => Wire::Struct,
        Type::List(_) => Wire::List,
        Type::Set(_) => Wire::Set,
        Type::Map(_) => Wire::Map,
        Type::Other(_) | Type::Opaque(_) => Wire::Unknown,
    }
}

/// Whether a reader of the one takes a field of the other for its own.
pub(super) fn same_header(types: Pair<&Type>) -> bool {
    wire(types.old) == wire(types.new)
}

/// How two types relate; the names decide for structs and enums.
pub(super) fn relation(schemas: Pair<&Schema<'_>>, types: Pair<&Type>) -> Relation {
    match (types.old, types.new) {
        (Type::Struct(old), Type::Struct(new)) => {
            let names = Pair::new(&schemas.old.structure(*old).full_name, &schemas.new.structure(*new).full_name);
            if names.old == names.new { Relation::Same } else { Relation::StructReplaced }
        }
        (Type::Enum(old), Type::Enum(new)) => {
            let names = Pair::new(&schemas.old.enumeration(*old).full_name, &schemas.new.enumeration(*new).full_name);
            if names.old == names.new { Relation::Same } else { Relation::EnumReplaced }
        }
        (Type::Opaque(old) | Type::Other(old), Type::Opaque(new) | Type::Other(new)) if old == new => Relation::Same,
        (Type::Opaque(name), known) => known_opaque(schemas.new, name, known),
        (known, Type::Opaque(name)) => known_opaque(schemas.old, name, known),
        (Type::Other(_), _) | (_, Type::Other(_)) => Relation::Unjudged,
        (Type::String, Type::Binary) | (Type::Binary, Type::String) => Relation::Text,
        (Type::I32, Type::Enum(_)) | (Type::Enum(_), Type::I32) => Relation::EnumNumber,
        (Type::List(old), Type::List(new)) | (Type::Set(old), Type::Set(new)) => {
            of_elements(relation(schemas, Pair::new(old, new)))
        }
        (Type::Map(old), Type::Map(new)) => {
            let key = of_elements(relation(schemas, Pair::new(&old.0, &new.0)));
            let value = of_elements(relation(schemas, Pair::new(&old.1, &new.1)));
            worse(key, value)
        }
        (old, new) if wire(old) == wire(new) => Relation::Same,
        _ => Relation::WireType,
    }
}

/// A type that only one side could find: the same where the names say so.
fn known_opaque(schema: &Schema<'_>, name: &str, known: &Type) -> Relation {
    if schema.spelled(known) == name { Relation::Same } else { Relation::Opaque }
}

fn of_elements(relation: Relation) -> Relation {
    if relation == Relation::WireType { Relation::Element } else { relation }
}

/// The one that says more: a container of two types is told by the worse of them.
fn worse(one: Relation, other: Relation) -> Relation {
    let rank = |relation: Relation| match relation {
        Relation::Same => 0,
        Relation::EnumReplaced => 1,
        Relation::StructReplaced | Relation::ExceptionReplaced => 2,
        Relation::EnumNumber => 3,
        Relation::Text => 4,
        Relation::Unjudged => 5,
        Relation::Opaque => 6,
        Relation::WireType | Relation::Element => 7,
    };
    if rank(other) > rank(one) { other } else { one }
}

/// What a reader of `types.new` sees at worst of a field written as `types.old`: `lossy` where it skips the field.
/// Nothing can be said of types that are not known.
pub(super) fn reads(types: Pair<&Type>) -> Outcome {
    if [types.old, types.new].iter().any(|ty| wire(ty) == Wire::Unknown) {
        return Outcome::Safe;
    }
    if !same_header(types) {
        return Outcome::Lossy;
    }
    inside(types)
}

fn inside(types: Pair<&Type>) -> Outcome {
    match (types.old, types.new) {
        (Type::Binary, Type::String) => Outcome::Fails,
        (Type::I32, Type::Enum(_)) => Outcome::Unrecognized,
        (Type::List(wrote), Type::List(read)) | (Type::Set(wrote), Type::Set(read)) => element(Pair::new(wrote, read)),
        (Type::Map(wrote), Type::Map(read)) => {
            let keys = Pair::new(&wrote.0, &read.0);
            let values = Pair::new(&wrote.1, &read.1);
            element(keys).max(element(values))
        }
        _ => Outcome::Safe,
    }
}

fn element(types: Pair<&Type>) -> Outcome {
    let headers = types.map(wire);
    if headers.old == headers.new {
        return inside(types);
    }
    match (types.old, types.new) {
        // Both are written alike. A set keeps each item once, in an order of its own.
        (Type::List(wrote), Type::Set(read)) => return element(Pair::new(wrote, read)).max(Outcome::Lossy),
        (Type::Set(wrote), Type::List(read)) => return element(Pair::new(wrote, read)),
        _ => {}
    }
    if headers.old == Wire::Unknown || headers.new == Wire::Unknown {
        return Outcome::Safe;
    }
    // Out of step, a reader runs into the end or finds something that looks like data: at worst the latter.
    Outcome::Wrong
}

#[cfg(test)]
#[path = "relation_tests.rs"]
mod tests;
