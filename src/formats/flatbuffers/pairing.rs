//! Which type of the old side is compared with which type of the new side, and what identifies the elements inside.
//!
//! A field of a table is identified by its slot, unless the old name now sits at another slot of the same table: then the
//! name identifies. A field of a struct is identified by its name, else by its index. The diff and the round trips take
//! identities from here only.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::change::{Identity, Pair, Span};
use crate::formats::frame::differ;
pub(crate) use crate::formats::frame::differ::{FieldPair, TypePair, by_name, by_number, container, declaration};
pub(crate) use crate::formats::frame::types::{enum_container, type_container as object_container};

use super::model::{EnumId, FileId, Object, ObjectId, Schema, SourceFile};

/// Everything that is compared.
#[derive(Debug, Default)]
pub(crate) struct Pairs {
    /// Tables and structs.
    pub objects: Vec<TypePair<ObjectId>>,
    /// Enums and unions.
    pub enums: Vec<TypePair<EnumId>>,
    /// What changed and no data of these reaches: the new file and name.
    pub unreached: BTreeSet<(FileId, Arc<str>)>,
}

/// The root of a file that another type has taken the place of: the only ones of their side that the other side does not
/// name.
pub(super) fn exchanged_root(
    schemas: Pair<&Schema<'_>>,
    files: Pair<&SourceFile<'_>>,
) -> Option<Pair<(ObjectId, Span)>> {
    let alone = roots_of_one_side(schemas, files);
    match (&alone.old[..], &alone.new[..]) {
        (&[old], &[new]) => Some(Pair::new(old, new)),
        _ => None,
    }
}

/// The roots of a file that the other side does not name.
pub(super) fn roots_of_one_side(
    schemas: Pair<&Schema<'_>>,
    files: Pair<&SourceFile<'_>>,
) -> Pair<Vec<(ObjectId, Span)>> {
    let name = |schema: &Schema<'_>, id: ObjectId| schema.object(id).full_name.clone();
    let alone = |here: &Schema<'_>, there: &Schema<'_>, of: &SourceFile<'_>, other: &SourceFile<'_>| {
        let is_common = |id| other.roots.iter().any(|(root, _)| name(there, *root) == name(here, id));
        let mut found: Vec<(ObjectId, Span)> = of.roots.iter().filter(|(id, _)| !is_common(*id)).copied().collect();
        found.dedup_by_key(|(id, _)| *id);
        found
    };
    let Pair { old, new } = schemas;
    Pair::new(alone(old, new, files.old, files.new), alone(new, old, files.new, files.old))
}

/// Which field of the old object is which of the new. Those of the new object in their order, then those that only the
/// old one has.
pub(super) fn fields(objects: Pair<&Object<'_>>) -> Vec<FieldPair> {
    let Pair { old, new } = objects.map(|of| &of.fields[..]);
    let are_structs = objects.old.layout.is_some() && objects.new.layout.is_some();
    let is_moved = |at: Pair<usize>| are_structs || old[at.old].slot != new[at.new].slot && !is_kept(objects, at);
    differ::pair_fields(Pair::new(old, new), |field| (&field.name.text, field.slot.into()), is_moved)
}

/// Whether a field goes on at its slot under a name that says so, `deprecated_code` for `code`, while its name went to a
/// slot of its own: then the slot identifies. The mirror image counts as well.
fn is_kept(objects: Pair<&Object<'_>>, at: Pair<usize>) -> bool {
    let (before, after) = (&objects.old.fields[at.old], &objects.new.fields[at.new]);
    let retires = |of: &Object<'_>, slot: u16, name: &str| {
        let mut fields = of.fields.iter().filter(|field| field.slot == slot);
        fields.any(|field| field.name.text.strip_prefix(RETIRED).is_some_and(|rest| rest == name))
    };
    retires(objects.new, before.slot, &before.name.text) || retires(objects.old, after.slot, &after.name.text)
}

/// How a field is called that only old data still has.
const RETIRED: &str = "deprecated_";

/// The layout of a struct as a whole.
pub(super) fn layout(container: &str) -> Identity {
    Identity(format!("{container}=layout"))
}

/// Whether something says where bytes lie.
pub(super) fn is_of_storage(identity: &Identity) -> bool {
    ["=layout", "=underlying", "=sort"].iter().any(|what| identity.0.ends_with(what))
}

/// The root or the identifier of a file's buffers.
pub(super) fn of_file(path: &str, what: &str) -> Identity {
    Identity(format!("{path}={what}"))
}
