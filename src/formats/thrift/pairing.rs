//! Which type of the old side is compared with which type of the new side, and what identifies the elements inside.
//!
//! A field is identified by its id, unless the old name now sits at another id of the same struct: then the name
//! identifies (`contract`: *What identifies*). The diff and the round trips take identities from here only.

use rustc_hash::FxHashSet;

use crate::change::{Identity, Pair};
use crate::formats::frame::differ;
pub(crate) use crate::formats::frame::differ::{FieldPair, TypePair, by_name, container, declaration};
pub(crate) use crate::formats::frame::types::{enum_container, type_container as struct_container};

use super::model::{EnumId, Struct, StructId};

/// Everything that is compared.
#[derive(Debug, Default)]
pub(crate) struct Pairs {
    /// Struct-like types, arguments and results of functions among them.
    pub structs: Vec<TypePair<StructId>>,
    /// Those of the structs that stand in keys of maps or in items of sets on both sides.
    pub in_keys: FxHashSet<Pair<StructId>>,
    /// Enums.
    pub enums: Vec<TypePair<EnumId>>,
}

/// Which field of the old struct is which of the new: those whose name is now at another id by name, all others by id.
/// Those of the new struct in their order, then those that only the old one has.
pub(super) fn fields(structs: Pair<&Struct<'_>>) -> Vec<FieldPair> {
    let Pair { old, new } = structs.map(|of| &of.fields[..]);
    let is_moved = |at: Pair<usize>| old[at.old].id != new[at.new].id;
    differ::pair_fields(Pair::new(old, new), |field| (&field.name.text, field.id.into()), is_moved)
}

/// Whether a type is a struct, a union or an exception: what readers feel of it has no field of its own.
pub(super) fn sort(container: &str) -> Identity {
    declaration("sort", container)
}

/// A field or an enum value that its number identifies.
pub(super) fn by_number(container: &str, number: i32) -> Identity {
    differ::by_number(container, number.into())
}
