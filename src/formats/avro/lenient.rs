//! Which problems a change has nothing to do with.

use std::collections::BTreeSet;

use rustc_hash::FxHashSet;

use crate::change::Pair;
use crate::source::Snapshot;
use crate::syntax::problem::Severity;

use super::link::Linkage;
use super::model::{FileId, Kind, Schema, TypeId, Use};

/// Makes warnings of the errors of the new side that are in files which are the same on both sides, neither refer to a
/// changed file nor are referred to by one, be it by files in between. A file also has to do with a change that takes
/// away what it needs: a type that the schema `before` defines.
pub(super) fn excuse(pair: Pair<&Snapshot>, new: &mut Linkage<'_>, before: Option<&Schema<'_>>) {
    let affected = affected(pair, &new.schema, before);
    for problem in new.problems.iter_mut().filter(|problem| problem.severity == Severity::Error) {
        if problem.site.as_ref().is_some_and(|site| !affected.contains(&*site.file)) {
            problem.severity = Severity::Warning;
        }
    }
}

/// The paths of the files of the new side that a change has to do with.
fn affected<'s>(pair: Pair<&Snapshot>, schema: &'s Schema<'_>, before: Option<&Schema<'_>>) -> FxHashSet<&'s str> {
    let id = |snapshot: &Snapshot, path: &str| snapshot.get(path).map(|file| file.id);
    let files = schema.files.iter().enumerate();
    let mut changed: Vec<usize> =
        files.filter(|(_, file)| id(pair.old, &file.path) != id(pair.new, &file.path)).map(|(at, _)| at).collect();
    changed.extend(before.into_iter().flat_map(|before| bereft(schema, before)).map(|file| file.0 as usize));
    let [mut uses, mut used_by] = [vec![Vec::new(); schema.files.len()], vec![Vec::new(); schema.files.len()]];
    for (from, to) in references(schema) {
        uses[from.0 as usize].push(to.0 as usize);
        used_by[to.0 as usize].push(from.0 as usize);
    }
    let mut affected = FxHashSet::default();
    for links in [uses, used_by] {
        let mut seen = vec![false; schema.files.len()];
        let mut left = changed.clone();
        while let Some(file) = left.pop() {
            if !std::mem::replace(&mut seen[file], true) {
                affected.insert(&*schema.files[file].path);
                left.extend(&links[file]);
            }
        }
    }
    affected
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
