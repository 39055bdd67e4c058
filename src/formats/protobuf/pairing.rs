//! Which type of the old side is compared with which type of the new side, and what identifies the elements inside.
//!
//! Types pair by full name; where a field, a method or a map of a pair leads to types of different names, these pair
//! as well, so that a renamed type is compared by its structure. Each pair is compared once, which also ends recursion.
//!
//! Inside a container the number identifies, unless the old name now sits at another number: then the name does
//! (`contract.md`, *What identifies*). The diff and the round trips both take identities from here, and from nowhere else.

use crate::change::{Identity, Pair};

use super::model::{EnumId, MessageId, Schema};

/// Everything that is compared.
#[derive(Debug, Default)]
pub struct Pairs {
    /// Messages.
    pub messages: Vec<TypePair<MessageId>>,
    /// Enums.
    pub enums: Vec<TypePair<EnumId>>,
}

/// Two versions of one type, or a type and the one that replaced it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TypePair<Id> {
    /// The types.
    pub types: Pair<Id>,
    /// Whether anything inside the pair itself differs (not in the types of its fields): only such pairs are probed.
    pub changed: bool,
}

/// The container part of an identity: the full name, or `old>new` where they differ.
pub fn container(names: Pair<&str>) -> String {
    if names.old == names.new { names.old.to_owned() } else { format!("{}>{}", names.old, names.new) }
}

/// The container of two messages.
pub fn message_container(schemas: Pair<&Schema<'_>>, types: Pair<MessageId>) -> String {
    container(Pair::new(&schemas.old.message(types.old).full_name, &schemas.new.message(types.new).full_name))
}

/// The container of two enums.
pub fn enum_container(schemas: Pair<&Schema<'_>>, types: Pair<EnumId>) -> String {
    container(Pair::new(&schemas.old.enumeration(types.old).full_name, &schemas.new.enumeration(types.new).full_name))
}

/// A field, an extension or an enum value that its number identifies.
pub fn by_number(container: &str, number: i32) -> Identity {
    Identity(format!("{container}#{number}"))
}

/// A field, an extension or an enum value whose name sits at different numbers on the two sides.
/// Extensions use their full name.
pub fn by_name(container: &str, name: &str) -> Identity {
    Identity(format!("{container}@{name}"))
}

/// The default value of an enum (the value an absent field has).
pub fn enum_default(container: &str) -> Identity {
    Identity(format!("{container}=default"))
}

/// How an enum treats numbers that have no name on either side.
pub fn enum_openness(container: &str) -> Identity {
    Identity(format!("{container}=openness"))
}

/// Anything that has no bytes: a declaration, an option, a method, a reserved statement.
pub fn declaration(kind: &str, name: &str) -> Identity {
    Identity(format!("{kind}:{name}"))
}
