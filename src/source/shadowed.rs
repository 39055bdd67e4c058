//! Copies of files that are built into a language: where one comes or goes, the built-in one was there before, or is then.
//!
//! An import that led to the built-in file leads to the copy, or the other way around, and so does what the language looks up
//! without an import. So the side that has no copy gets the built-in text in its place, and both are compared like any file
//! that changed. Where that differs between releases of the compilers, nobody knows which one was there: the copy stands for
//! it.

use std::path::Path;
use std::sync::Arc;

use super::dir::snapshot_file;
use crate::change::{Pair, Side};
use crate::formats::{self, Format, built_in, mapped};
use crate::snapshot::Snapshot;

/// Puts built-in files where only the other side has a copy. `include` are folders in which imports are looked for first, from the
/// working directory.
pub(super) fn supply(snapshots: &mut Pair<Snapshot>, (cwd, include): (&Path, &[String])) {
    let mut supplied: Vec<(Side, Arc<str>, Vec<u8>)> = Vec::new();
    for path in snapshots.new.differing(&snapshots.old) {
        let Some((import, text)) = copied(path) else { continue };
        let lacking = match (snapshots.old.get(path).is_some(), snapshots.new.get(path).is_some()) {
            (false, true) => Side::Old,
            (true, false) => Side::New,
            (true, true) | (false, false) => continue,
        };
        let (side, other) = match lacking {
            Side::Old => (&snapshots.old, &snapshots.new),
            Side::New => (&snapshots.new, &snapshots.old),
        };
        let is_supplied = supplied.iter().any(|(known, path, _)| *known == lacking && is_copy(path, import));
        let import_path = import.trim_start_matches('/');
        let is_below = |folder: &String| {
            let mapped = mapped(folder).and_then(|(prefix, folder)| Some((folder, below(import_path, prefix)?)));
            let places = mapped.into_iter().chain([(folder.as_str(), import_path)]);
            places.into_iter().any(|(folder, rest)| cwd.join(folder).join(rest).exists())
        };
        let is_elsewhere = include.iter().any(is_below);
        let has_another = side.iter().any(|(path, _)| is_copy(path, import));
        if !is_supplied && !is_elsewhere && !has_another && is_there(side, import) {
            let is_settled = Format::of_path(import).is_some_and(|format| formats::is_settled(format, import));
            let copy = other.get(path).filter(|_| !is_settled);
            supplied.push((lacking, path.clone(), copy.map_or_else(|| text.to_vec(), |copy| copy.bytes.to_vec())));
        }
    }
    for (side, path, text) in supplied {
        let snapshot = match side {
            Side::Old => &mut snapshots.old,
            Side::New => &mut snapshots.new,
        };
        snapshot.insert(path, snapshot_file(text));
    }
}

/// What is left of a path below a folder.
fn below<'p>(path: &'p str, folder: &str) -> Option<&'p str> {
    path.strip_prefix(folder)?.strip_prefix('/')
}

/// The built-in file that a path may be a copy of: the path by which it is imported, and its text.
fn copied(path: &str) -> Option<(&'static str, &'static [u8])> {
    let files = Format::of_path(path).map_or(&[][..], built_in);
    files.iter().copied().find(|(import, _)| is_copy(path, import))
}

/// Whether an import may lead to a file, by the end of its path.
fn is_copy(path: &str, import: &str) -> bool {
    let import = import.trim_start_matches('/');
    path.strip_suffix(import).is_some_and(|folder| folder.is_empty() || folder.ends_with('/'))
}

/// Whether a version has a file without a copy of it: some file imports it by its path, or the language always has it.
fn is_there(side: &Snapshot, import: &str) -> bool {
    let format = Format::of_path(import);
    if format.is_some_and(|format| formats::is_always_there(format, import)) {
        return true;
    }
    let quoted = ['"', '\''].map(|quote| format!("{quote}{import}{quote}"));
    let finders = quoted.each_ref().map(|text| memchr::memmem::Finder::new(text.as_bytes()));
    let texts = side.iter().filter(|(path, _)| Format::of_path(path) == format);
    texts.into_iter().any(|(_, file)| finders.iter().any(|finder| finder.find(&file.bytes).is_some()))
}
