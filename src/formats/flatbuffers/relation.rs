//! What a reader makes of a slot that was written as another type, as far as the two types themselves decide.
//!
//! Nothing in a buffer names a type: a reader takes the bytes of a slot for what its own schema says, after a verifier
//! has looked at bounds and alignment. So most changes of a type are either refused or misread, depending on the bytes
//! around; round trips show which. What differs inside tables, structs, enums and unions is a change of its own.

use crate::change::Pair;
use crate::evidence::Outcome;

use super::model::{EnumId, Scalar, Schema, Type};

/// How two types of one slot relate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Relation {
    /// The same.
    Same,
    /// Two tables, structs or unions of different names.
    TypeReplaced,
    /// Two enums of different names, stored alike.
    EnumReplaced,
    /// A number and an enum that is stored as it.
    EnumNumber,
    /// Truth values and the numbers of one byte.
    Truth,
    /// Numbers of one width that mean different values.
    Number,
    /// Numbers of different widths.
    Width,
    /// Text and bytes.
    Text,
    /// Vectors whose elements are not alike.
    Element,
    /// Other bytes altogether.
    Kind,
    /// Something that is not looked into.
    Opaque,
}

impl Relation {
    /// The name in facts.
    pub(super) fn name(self) -> &'static str {
        match self {
            Relation::Same => "same",
            Relation::TypeReplaced => "type-replaced",
            Relation::EnumReplaced => "enum-replaced",
            Relation::EnumNumber => "enum-number",
            Relation::Truth => "truth",
            Relation::Number => "number",
            Relation::Width => "width",
            Relation::Text => "text",
            Relation::Element => "element",
            Relation::Kind => "kind",
            Relation::Opaque => "opaque",
        }
    }

    /// Whether bytes are at stake, rather than names.
    pub(super) fn hurts(self) -> bool {
        !matches!(self, Relation::Same | Relation::TypeReplaced | Relation::EnumReplaced | Relation::Opaque)
    }
}

/// What a number or an enum is stored as.
pub(super) fn stored(schema: &Schema<'_>, ty: &Type) -> Option<Scalar> {
    match ty {
        Type::Scalar(scalar) => Some(*scalar),
        Type::Enum(id) => Some(schema.enumeration(*id).underlying),
        _ => None,
    }
}

/// How two types relate; the names decide for tables, structs, enums and unions.
pub(super) fn relation(schemas: Pair<&Schema<'_>>, types: Pair<&Type>) -> Relation {
    if let (Some(old), Some(new)) = (stored(schemas.old, types.old), stored(schemas.new, types.new)) {
        return of_numbers(schemas, types, Pair::new(old, new));
    }
    match (types.old, types.new) {
        (Type::Struct(old), Type::Struct(new)) | (Type::Table(old), Type::Table(new)) => {
            replaced(schemas.old.object(*old).full_name == schemas.new.object(*new).full_name, Relation::TypeReplaced)
        }
        (Type::Union(old), Type::Union(new)) => {
            let types = Pair::new(*old, *new);
            match underlying(schemas, types) {
                Pair { old, new } if old.size() != new.size() => Relation::Width,
                _ => replaced(same_enum(schemas, types), Relation::TypeReplaced),
            }
        }
        (Type::String, Type::String) => Relation::Same,
        (Type::String, Type::Vector(items)) | (Type::Vector(items), Type::String) if is_bytes(items) => Relation::Text,
        (Type::Vector(old), Type::Vector(new)) | (Type::Vector64(old), Type::Vector64(new)) => {
            of_elements(relation(schemas, Pair::new(old, new)))
        }
        (Type::Array(old, before), Type::Array(new, after)) => match relation(schemas, Pair::new(old, new)) {
            Relation::Same if before != after => Relation::Element,
            found => of_elements(found),
        },
        (Type::Opaque(name), known) => known_opaque(schemas.new, name, known),
        (known, Type::Opaque(name)) => known_opaque(schemas.old, name, known),
        _ => Relation::Kind,
    }
}

fn of_numbers(schemas: Pair<&Schema<'_>>, types: Pair<&Type>, stored: Pair<Scalar>) -> Relation {
    let Pair { old, new } = stored;
    match (types.old, types.new) {
        (Type::Enum(before), Type::Enum(after)) if old == new => {
            replaced(same_enum(schemas, Pair::new(*before, *after)), Relation::EnumReplaced)
        }
        (Type::Enum(_), Type::Scalar(_)) | (Type::Scalar(_), Type::Enum(_)) if old == new => Relation::EnumNumber,
        _ if old == new => Relation::Same,
        _ if old.size() != new.size() => Relation::Width,
        _ if old == Scalar::Bool || new == Scalar::Bool => Relation::Truth,
        _ => Relation::Number,
    }
}

fn replaced(is_same: bool, otherwise: Relation) -> Relation {
    if is_same { Relation::Same } else { otherwise }
}

fn same_enum(schemas: Pair<&Schema<'_>>, types: Pair<EnumId>) -> bool {
    schemas.old.enumeration(types.old).full_name == schemas.new.enumeration(types.new).full_name
}

fn underlying(schemas: Pair<&Schema<'_>>, types: Pair<EnumId>) -> Pair<Scalar> {
    Pair::new(schemas.old.enumeration(types.old).underlying, schemas.new.enumeration(types.new).underlying)
}

fn is_bytes(items: &Type) -> bool {
    matches!(items, Type::Scalar(Scalar::U8 | Scalar::I8))
}

/// A type that only one side could find: the same where the names say so.
fn known_opaque(schema: &Schema<'_>, name: &str, known: &Type) -> Relation {
    let spelled = schema.spelled(known);
    let is_end = spelled.strip_suffix(name).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'));
    if is_end { Relation::Same } else { Relation::Opaque }
}

fn of_elements(relation: Relation) -> Relation {
    match relation {
        Relation::Width | Relation::Kind => Relation::Element,
        other => other,
    }
}

/// What a reader of `types.new` sees at worst of a slot written as `types.old`.
pub(super) fn reads(schemas: Pair<&Schema<'_>>, types: Pair<&Type>) -> Outcome {
    match (types.old, types.new) {
        (Type::Vector(old), Type::Vector(new)) | (Type::Vector64(old), Type::Vector64(new)) => {
            return reads(schemas, Pair::new(old, new));
        }
        _ => {}
    }
    match relation(schemas, types) {
        Relation::Same | Relation::TypeReplaced | Relation::EnumReplaced => Outcome::Safe,
        // Nobody knows what is there: the worst that a slot does which is not read.
        Relation::Opaque => Outcome::Lossy,
        Relation::EnumNumber if matches!(types.new, Type::Enum(_)) => Outcome::Unrecognized,
        Relation::EnumNumber => Outcome::Safe,
        Relation::Truth if stored(schemas.old, types.old) == Some(Scalar::Bool) => match types.new {
            Type::Enum(_) => Outcome::Unrecognized,
            _ => Outcome::Safe,
        },
        Relation::Text => match (types.old, types.new) {
            (Type::String, Type::Vector(items)) if **items == Type::Scalar(Scalar::U8) => Outcome::Safe,
            (Type::Vector(items), Type::String) if **items == Type::Scalar(Scalar::U8) => Outcome::Fails,
            _ => Outcome::Wrong,
        },
        Relation::Truth | Relation::Number | Relation::Width | Relation::Element | Relation::Kind => Outcome::Wrong,
    }
}

#[cfg(test)]
#[path = "relation_tests.rs"]
mod tests;
