//! Which type of the old side is compared with which type of the new side, and what identifies the elements inside.
//!
//! A field of a table is identified by its slot, unless the old name now sits at another slot of the same table: then the
//! name identifies. A field of a struct is identified by its name, else by its index. The diff and the round trips take
//! identities from here only.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::change::{Identity, Pair, Span};
use crate::formats::frame::differ;
pub(crate) use crate::formats::frame::differ::{FieldPair, TypePair, by_name, by_number, container, declaration};
pub(crate) use crate::formats::frame::types::{enum_container, type_container as object_container};
use crate::ordered::{InOrder, OrderedMap, OrderedSet};

use super::model::{EnumId, Field, FileId, Object, ObjectId, Schema, SourceFile, Type};

/// Everything that is compared.
#[derive(Debug, Default)]
pub(crate) struct Pairs {
    /// Tables and structs.
    pub objects: Vec<TypePair<ObjectId>>,
    /// Enums and unions.
    pub enums: Vec<TypePair<EnumId>>,
    /// Enums of which the one took the place of the other.
    pub replaced: FxHashSet<Pair<EnumId>>,
    /// What changed and no data of these reaches: the new file and name.
    pub unreached: OrderedSet<(FileId, Arc<str>)>,
    /// Requests and responses of which another type took the place.
    pub calls: Vec<Call>,
}

/// A request or a response of which another type took the place.
#[derive(Debug)]
pub(crate) struct Call {
    /// Both types.
    pub types: Pair<ObjectId>,
    /// What the change of the place is known by.
    pub identity: Identity,
    /// The new file that declares the service.
    pub file: FileId,
}

/// The root of a file where another type is it now. Of several the compiler takes the last one, and the others count for
/// nothing.
pub(super) fn exchanged_root(
    schemas: Pair<&Schema<'_>>,
    files: Pair<&SourceFile<'_>>,
) -> Option<Pair<(ObjectId, Span)>> {
    let roots = Pair::new(*files.old.roots.last()?, *files.new.roots.last()?);
    let names = schemas.zip(roots, |schema, (id, _)| &schema.object(id).full_name);
    (names.old != names.new).then_some(roots)
}

/// The roots of a file that perhaps are one under two names: the last ones, and the only ones of their side that the other
/// side does not name.
pub(super) fn renamed_roots(schemas: Pair<&Schema<'_>>, files: Pair<&SourceFile<'_>>) -> Vec<Pair<ObjectId>> {
    let alone = roots_of_one_side(schemas, files);
    let only = match (&alone.old[..], &alone.new[..]) {
        (&[(old, _)], &[(new, _)]) => Some(Pair::new(old, new)),
        _ => None,
    };
    let last = exchanged_root(schemas, files).map(|roots| roots.map(|(id, _)| id));
    only.into_iter().chain(last).collect()
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

/// Which file is which: by path, and the only ones of their versions whatever their paths.
pub(super) fn files(schemas: Pair<&Schema<'_>>) -> Vec<Pair<FileId>> {
    let Pair { old: olds, new: news } = schemas.map(own_files);
    let are_alone = schemas.old.is_alone && schemas.new.is_alone;
    if let ([old], [new]) = (&olds.values().collect::<Vec<_>>()[..], &news.values().collect::<Vec<_>>()[..])
        && are_alone
    {
        return vec![Pair::new(**old, **new)];
    }
    olds.iter().filter_map(|(path, old)| news.get(path).map(|new| Pair::new(*old, *new))).collect()
}

/// The files of a side that are no part of the library, by path.
pub(super) fn own_files(schema: &Schema<'_>) -> OrderedMap<Arc<str>, FileId> {
    let own = schema.files.iter().zip((0..).map(FileId)).filter(|(file, _)| !file.is_library);
    own.map(|(file, id)| (file.path.clone(), id)).collect()
}

/// Which field of the old object is which of the new. Those of the new object in their order, then those that only the
/// old one has.
pub(super) fn fields(objects: Pair<&Object<'_>>) -> Vec<FieldPair> {
    let Pair { old, new } = objects.map(|of| &of.fields[..]);
    let are_structs = objects.old.layout.is_some() && objects.new.layout.is_some();
    let is_moved = |at: Pair<usize>| are_structs || old[at.old].slot != new[at.new].slot && !is_kept(objects, at);
    differ::pair_fields(Pair::new(old, new), |field| (&field.name.text, field.slot.into()), is_moved)
}

/// What identifies a field.
pub(super) fn identity(objects: Pair<&Object<'_>>, container: &str, pair: FieldPair) -> Option<Identity> {
    let new = pair.at.new.map(|at| &objects.new.fields[at]);
    let field = new.or(pair.at.old.map(|at| &objects.old.fields[at]))?;
    Some(match pair.by_name {
        true => {
            let names = pair.at.zip(objects, |at, of| &*at.map_or(field, |at| &of.fields[at]).name.text);
            differ::by_either_name(container, names)
        }
        false => by_number(container, field.slot.into()),
    })
}

/// Which of the paired fields of two tables moved because of another, each with that one, by their places. Where fields
/// have no ids, one that comes, goes or takes another number of slots moves all behind it. Nobody edited those: they are told
/// of the first such field before them. A field that passed another one was moved by itself.
pub(super) fn moved_by(objects: Pair<&Object<'_>>, pairs: &[FieldPair]) -> Vec<(usize, usize)> {
    let Pair { old, new } = objects.map(|of| &of.fields[..]);
    if old.iter().chain(new).any(|field| field.id_span.is_some()) {
        return Vec::new();
    }
    // Those that both sides have, by their slots on each side.
    let both = |at: usize| Some(Pair::new(&old[pairs[at].at.old?], &new[pairs[at].at.new?]));
    let mut shared: Vec<(usize, Pair<&Field<'_>>)> = (0..pairs.len()).filter_map(|at| Some((at, both(at)?))).collect();
    shared.sort_in_order_by_key(|(_, field)| field.old.slot);
    let ranks: FxHashMap<usize, usize> = shared.iter().enumerate().map(|(rank, (at, _))| (*at, rank)).collect();
    let olds: Vec<u16> = shared.iter().map(|(_, field)| field.old.slot).collect();
    shared.sort_in_order_by_key(|(_, field)| field.new.slot);
    let news: Vec<u16> = shared.iter().map(|(_, field)| field.new.slot).collect();
    // How many of those stand before a field, then its slot and its name: the same whichever side is the old one.
    let mut causes: Vec<((usize, u16, &str), usize)> = Vec::new();
    for (at, pair) in pairs.iter().enumerate() {
        let (field, slots) = match (pair.at.old, pair.at.new) {
            (Some(gone), None) => (&old[gone], &olds),
            (None, Some(come)) => (&new[come], &news),
            _ => continue,
        };
        let before = slots.partition_point(|slot| *slot < field.slot);
        causes.push(((before, field.slot, &field.name.text), at));
    }
    let is_wider = |field: &Pair<&Field<'_>>| is_union(&field.old.ty) != is_union(&field.new.ty);
    let wider = shared.iter().enumerate().filter(|(_, (_, field))| is_wider(field));
    causes.extend(wider.map(|(rank, (at, field))| ((rank, u16::MAX, &*field.new.name.text), *at)));
    let Some((first, cause)) = causes.into_iter().min() else { return Vec::new() };
    let mut found = Vec::new();
    let mut highest = None;
    for (rank, (at, field)) in shared.iter().enumerate() {
        let keeps_order = ranks[at] == rank && highest.is_none_or(|highest| highest < rank);
        highest = highest.max(Some(ranks[at]));
        let is_behind = (rank, u16::MAX, "") >= (first.0, first.1, "");
        if keeps_order && is_behind && *at != cause && field.old.slot != field.new.slot && !is_wider(field) {
            found.push((*at, cause));
        }
    }
    found
}

/// Whether a type takes two slots: the number of a member and its data.
pub(super) fn is_union(ty: &Type) -> bool {
    match ty {
        Type::Union(_) => true,
        Type::Vector(items) | Type::Vector64(items) => matches!(**items, Type::Union(_)),
        _ => false,
    }
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
pub(super) fn of_file(files: Pair<&SourceFile<'_>>, what: &str) -> Identity {
    Identity(format!("{}={what}", container(files.map(|file| &*file.path))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::check::CheckOptions;
    use crate::formats::flatbuffers::Flatbuffers;
    use crate::formats::frame::with_schema;
    use crate::snapshot::Snapshot;

    /// Runs `with` on the table `T` of both sides.
    fn with_tables<R>(sides: Pair<&str>, with: impl FnOnce(Pair<&Object<'_>>) -> R) -> R {
        let options = CheckOptions::default();
        let side = |fields: &str| {
            Snapshot::from_files([("t.fbs", format!("union U {{ T }} table T {{ {fields} }}").into_bytes())])
        };
        let (old, new) = (side(sides.old), side(sides.new));
        with_schema::<Flatbuffers, _>(&old, &options, |old, _| {
            with_schema::<Flatbuffers, _>(&new, &options, |new, _| with(Pair::new(&old.objects[0], &new.objects[0])))
        })
    }

    /// The names of those that moved, and of the one that moved them.
    fn moved(old: &str, new: &str) -> (Vec<String>, Option<String>) {
        with_tables(Pair::new(old, new), |objects| {
            let pairs = fields(objects);
            let name = |at: usize| match (pairs[at].at.new, pairs[at].at.old) {
                (Some(new), _) => objects.new.fields[new].name.text.to_string(),
                (None, Some(old)) => objects.old.fields[old].name.text.to_string(),
                (None, None) => String::new(),
            };
            let found = moved_by(objects, &pairs);
            let mut names: Vec<String> = found.iter().map(|(at, _)| name(*at)).collect();
            names.sort_in_order();
            (names, found.first().map(|(_, cause)| name(*cause)))
        })
    }

    #[test]
    fn what_moves_all_behind_it_is_the_first_field_that_came_went_or_grew() {
        let cases: &[(&str, &str, &[&str], Option<&str>)] = &[
            ("a:int; b:int;", "x:int; a:int; b:int;", &["a", "b"], Some("x")),
            ("a:int; b:int; c:int;", "a:int; c:int;", &["c"], Some("b")),
            ("a:int; b:int;", "a:int; b:int; x:int;", &[], None),
            ("a:int; b:int;", "a:int;", &[], None),
            // What came stands at the slot of what went: nobody moved.
            ("a:int; b:int; c:int;", "a:int; x:int; c:int;", &[], None),
            // Two that came: the first of them.
            ("a:int; b:int;", "x:int; a:int; y:int; b:int;", &["a", "b"], Some("x")),
            // What passed another one moved by itself; what is behind both did not pass anything.
            ("a:int; b:int;", "b:int; a:int;", &[], None),
            ("a:int; b:int; c:int;", "x:int; b:int; a:int; c:int;", &["c"], Some("x")),
            // A union takes two slots.
            ("a:int; b:int;", "a:U; b:int;", &["b"], Some("a")),
            ("a:[U]; b:int; c:int;", "a:[int]; b:int; c:int;", &["b", "c"], Some("a")),
            // Where slots are written, whoever moved was edited.
            ("a:int (id: 0); b:int (id: 1);", "x:int (id: 0); a:int (id: 1); b:int (id: 2);", &[], None),
        ];
        for (old, new, names, cause) in cases {
            let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
            let expected = (names, cause.map(str::to_owned));
            assert_eq!(moved(old, new), expected, "{old} → {new}");
            assert_eq!(moved(new, old), expected, "{new} → {old}");
        }
    }
}
