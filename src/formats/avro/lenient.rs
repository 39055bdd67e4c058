//! Which problems a change has nothing to do with.

use std::collections::BTreeSet;

use crate::change::Pair;
use crate::formats::unchanged;
use crate::source::Snapshot;

use super::link::Linkage;
use super::model::{FileId, Kind, Schema, TypeId, Use};

/// Makes warnings of the errors of the new side that are in files which no change has to do with. A file also has to do
/// with a change that takes away what it needs: a type that the schema `before` defines.
pub(super) fn excuse(pair: Pair<&Snapshot>, new: &mut Linkage<'_>, before: Option<&Schema<'_>>) {
    let schema = &new.schema;
    let paths: Vec<&str> = schema.files.iter().map(|file| &*file.path).collect();
    let bereft = before.into_iter().flat_map(|before| bereft(schema, before)).map(|file| file.0 as usize).collect();
    let references = references(schema).into_iter().map(|(from, to)| (from.0 as usize, to.0 as usize));
    unchanged::excuse(pair, &unchanged::Files { paths, bereft }, references, &mut new.problems);
}

/// Which file uses a type of which other file.
fn references(schema: &Schema<'_>) -> BTreeSet<(FileId, FileId)> {
    let mut found = BTreeSet::new();
    each_use(schema, |at| {
        let target = schema.ty(at.ty);
        let is_defined = !matches!(target.kind, Kind::Primitive(_) | Kind::Opaque(_));
        if is_defined && target.file != at.file {
            found.insert((at.file, target.file));
        }
    });
    found
}

/// The files that use a type which only the other schema defines.
fn bereft(schema: &Schema<'_>, before: &Schema<'_>) -> BTreeSet<FileId> {
    let mut found = BTreeSet::new();
    each_use(schema, |at| {
        if let Kind::Opaque(name) = schema.kind(at.ty)
            && before.by_name.contains_key(&name.full)
        {
            found.insert(at.file);
        }
    });
    found
}

fn each_use(schema: &Schema<'_>, mut visit: impl FnMut(&Use)) {
    for at in 0..schema.types.len() {
        match schema.kind(TypeId(at as u32)) {
            Kind::Array(inner) | Kind::Map(inner) => visit(inner),
            Kind::Union(branches) => branches.iter().for_each(&mut visit),
            Kind::Record(record) => record.fields.iter().for_each(|field| visit(&field.schema)),
            Kind::Primitive(_) | Kind::Enum(_) | Kind::Fixed(_) | Kind::Opaque(_) => {}
        }
    }
    schema.roots.iter().for_each(|root| visit(&root.schema));
    for message in schema.protocols.iter().flat_map(|protocol| &protocol.messages) {
        visit(&message.response);
    }
}
