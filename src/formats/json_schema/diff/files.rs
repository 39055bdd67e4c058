//! Which document of the old side is which of the new one, and the documents that came and went.

use super::visit::document;
use super::walk::Walk;
use crate::change::{ChangeKind, FactKey, Pair};
use crate::formats::frame::differ::{Candidate, Draft, counterparts, declaration, yes};
use crate::formats::frame::roots::Roots;
use crate::formats::json_schema::model::{File, Schema};

/// Compares the documents of both sides.
pub(super) fn compare(walk: &mut Walk<'_>, roots: &Roots) {
    if !roots.is_everything() {
        named(walk, roots);
        return;
    }
    let schemas = walk.schemas;
    let candidates = |schema: &Schema| -> Vec<Candidate<usize>> {
        let own = schema.files.iter().enumerate().filter(|(_, file)| !file.is_library && !file.dialect.is_empty());
        own.map(|(id, file)| Candidate::new(id, &called(file), &file.path)).collect()
    };
    let sides = schemas.map(candidates);
    let by_path = by_path(&sides);
    let rest = Pair::new(
        sides.old.iter().filter(|one| by_path.iter().all(|pair| pair.old != one.id)).cloned().collect(),
        sides.new.iter().filter(|one| by_path.iter().all(|pair| pair.new != one.id)).cloned().collect(),
    );
    let mut paired = by_path;
    paired.extend(counterparts(rest));
    for files in &paired {
        both(walk, *files);
    }
    for one in sides.old.iter().filter(|one| paired.iter().all(|pair| pair.old != one.id)) {
        alone(walk, &schemas.old.files[one.id], ChangeKind::FileRemoved);
    }
    for one in sides.new.iter().filter(|one| paired.iter().all(|pair| pair.new != one.id)) {
        alone(walk, &schemas.new.files[one.id], ChangeKind::FileAdded);
    }
}

/// Only what is named.
fn named(walk: &mut Walk<'_>, roots: &Roots) {
    let find = |schema: &Schema, name: &str| {
        let files = schema.files.iter().enumerate();
        let mut names = files.flat_map(|(file, of)| of.names.iter().map(move |(name, node)| (file, name, *node)));
        names.find(|(_, own, _)| *own == name).and_then(|(file, _, node)| Some((file, node?)))
    };
    for name in roots.iter() {
        let found = walk.schemas.map(|schema| find(schema, name));
        if let (Some((old, before)), Some((new, after))) = (found.old, found.new) {
            let names = Pair::new(name.to_owned(), name.to_owned());
            document(walk, Pair::new(before, after), Pair::new(old, new), names);
        } else if let Some((old, _)) = found.old {
            alone(walk, &walk.schemas.old.files[old], ChangeKind::FileRemoved);
        }
    }
}

/// What a document is found by where its path is another: its address, else its path.
fn called(file: &File) -> String {
    file.id.clone().unwrap_or_else(|| file.path.to_string())
}

fn by_path(sides: &Pair<Vec<Candidate<usize>>>) -> Vec<Pair<usize>> {
    let mut pairs = Vec::new();
    for old in &sides.old {
        pairs.extend(sides.new.iter().find(|new| new.path == old.path).map(|new| Pair::new(old.id, new.id)));
    }
    pairs
}

/// A document that both sides have.
fn both(walk: &mut Walk<'_>, files: Pair<usize>) {
    walk.files.push(files);
    let pair = walk.schemas.zip(files, |schema, file| &schema.files[file]);
    if pair.old.dialect != pair.new.dialect {
        let site = |file: &File| file.dialect_span.map(|span| crate::change::Site { file: file.path.clone(), span });
        let identity = declaration("dialect", &pair.new.path);
        let draft = Draft::new(ChangeKind::SyntaxChanged, pair.new.path.to_string(), identity).at(pair.map(site));
        walk.note(draft.fact(FactKey::OldValue, pair.old.dialect).fact(FactKey::NewValue, pair.new.dialect));
    }
    if let (Some(old), Some(new)) = (pair.old.root, pair.new.root) {
        let names = pair.map(|file| file.path.to_string());
        document(walk, Pair::new(old, new), files, names);
    }
}

/// A document that one side has.
fn alone(walk: &mut Walk<'_>, file: &File, kind: ChangeKind) {
    let schema = if kind == ChangeKind::FileAdded { walk.schemas.new } else { walk.schemas.old };
    let span = file.root.map_or(crate::change::Span::default(), |root| schema.node(root).span);
    let site = Some(crate::change::Site { file: file.path.clone(), span });
    let at = if kind == ChangeKind::FileAdded { Pair::new(None, site) } else { Pair::new(site, None) };
    let draft = Draft::new(kind, file.path.to_string(), declaration("file", &file.path)).at(at);
    // What others refer to is a part of them, and told there.
    let is_part = schema.references().iter().any(|(_, to)| *to == &*file.path);
    walk.note(draft.fact(FactKey::Needed, yes(file.root.is_some() && !is_part)));
}
