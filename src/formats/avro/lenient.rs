//! Which problems a change has nothing to do with.

use std::collections::BTreeSet;

use crate::change::Pair;
use crate::formats::unchanged;
use crate::source::Snapshot;

use super::link::Linkage;
use super::model::{FileId, Kind, Schema, TypeId, Use};

/// Makes warnings of the errors of the new side that are in files which no change has to do with.
pub(super) fn excuse(pair: Pair<&Snapshot>, new: &mut Linkage<'_>) {
    let paths: Vec<&str> = new.schema.files.iter().map(|file| &*file.path).collect();
    let references = references(&new.schema).into_iter().map(|(from, to)| (from.0 as usize, to.0 as usize));
    unchanged::excuse(pair, &paths, references, &mut new.problems);
}

/// Which file uses a type of which other file.
fn references(schema: &Schema<'_>) -> BTreeSet<(FileId, FileId)> {
    let mut found = BTreeSet::new();
    let mut add = |at: &Use| {
        let target = schema.ty(at.ty);
        let is_defined = !matches!(target.kind, Kind::Primitive(_) | Kind::Opaque(_));
        if is_defined && target.file != at.file {
            found.insert((at.file, target.file));
        }
    };
    for at in 0..schema.types.len() {
        match schema.kind(TypeId(at as u32)) {
            Kind::Array(inner) | Kind::Map(inner) => add(inner),
            Kind::Union(branches) => branches.iter().for_each(&mut add),
            Kind::Record(record) => record.fields.iter().for_each(|field| add(&field.schema)),
            Kind::Primitive(_) | Kind::Enum(_) | Kind::Fixed(_) | Kind::Opaque(_) => {}
        }
    }
    schema.roots.iter().for_each(|root| add(&root.schema));
    for message in schema.protocols.iter().flat_map(|protocol| &protocol.messages) {
        add(&message.response);
    }
    found
}
