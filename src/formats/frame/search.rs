//! Where an import leads.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::Language;
use crate::formats::check::CheckOptions;
use crate::snapshot::Snapshot;
use crate::syntax::problem::Problem;

/// A file that an import leads to.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Target {
    /// A file of the snapshot, by its path.
    File(Arc<str>),
    /// A file of the library, by its place in the options.
    Library(usize),
    /// A file that is built into the language, by its import path.
    Builtin(&'static str),
}

/// Looks imports up in one version.
pub trait Search {
    /// The file that an import of the file `from` leads to.
    fn find(&self, from: &str, import: &str) -> Option<Target>;

    /// Whether a file of the snapshot is judged; others only supply types.
    fn judges(&self, _path: &str) -> bool {
        true
    }

    /// The path by which a judged file is imported.
    fn import_path<'p>(&self, path: &'p str) -> &'p str {
        path
    }

    /// Why an import can never lead to a file, and what to do about it.
    fn unusable(&self, _import: &str) -> Option<(String, &'static str)> {
        None
    }

    /// Why an import that leads nowhere is an error in any case.
    fn must_exist(&self, _from: &str, _import: &str) -> Option<&'static str> {
        None
    }

    /// How to supply a file that was not found.
    fn help(&self, import: &str) -> String {
        let below = import.trim_start_matches("../");
        match below == import {
            true => format!("pass `-I DIR`, DIR being the directory below which `{import}` lies"),
            false => format!("compare the directory that holds `{below}` too: the path leads out of what is compared"),
        }
    }

    /// What is wrong with the files that say where to look.
    fn problems(&self) -> &[Problem] {
        &[]
    }
}

/// Whether the folders above the importing file are looked into.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Above {
    /// At last, the nearest first.
    Searched,
    /// They are not.
    Ignored,
}

/// Looks beside the importing file, then in the import roots, then in the root of the snapshot, and then in the same
/// places among the files from outside.
pub struct Folders<'b> {
    snapshot: &'b Snapshot,
    is_schema: fn(&str, &[u8]) -> bool,
    roots: &'b [String],
    library: FxHashMap<&'b str, usize>,
    above: Above,
}

impl<'b> Folders<'b> {
    /// The folders of one version.
    pub(crate) fn new<L: Language>(snapshot: &'b Snapshot, options: &'b CheckOptions, above: Above) -> Self {
        let is_schema = |path: &str, bytes: &[u8]| L::reading(path, bytes).is_some();
        Folders { snapshot, is_schema, roots: &options.include, library: library(options), above }
    }
}

/// The files of the library by the paths by which they are imported; the first of several counts.
pub(crate) fn library(options: &CheckOptions) -> FxHashMap<&str, usize> {
    let mut library = FxHashMap::default();
    for (index, file) in options.library.iter().enumerate() {
        library.entry(file.import_path.as_str()).or_insert(index);
    }
    library
}

impl Search for Folders<'_> {
    fn find(&self, from: &str, import: &str) -> Option<Target> {
        let mut above = std::iter::successors(from.rsplit_once('/'), |(folder, _)| folder.rsplit_once('/'));
        let own = above.next().map_or("", |(folder, _)| folder);
        let above = above.filter(|_| self.above == Above::Searched).map(|(folder, _)| folder);
        let roots = std::iter::once(own).chain(self.roots.iter().map(String::as_str)).chain([""]).chain(above);
        let places: Vec<String> = roots.filter_map(|root| joined(root, import)).collect();
        let in_snapshot = |place: &String| {
            let file = self.snapshot.get(place).filter(|file| (self.is_schema)(place, &file.bytes));
            file.and_then(|_| self.snapshot.path(place)).map(|path| Target::File(path.clone()))
        };
        let in_library = |place: &String| self.library.get(place.as_str()).map(|index| Target::Library(*index));
        places.iter().find_map(in_snapshot).or_else(|| places.iter().find_map(in_library))
    }
}

/// A path inside a folder, without `.` and `..`; nothing where it leads out of the root.
fn joined(folder: &str, path: &str) -> Option<String> {
    let mut parts: Vec<&str> = Vec::new();
    for part in folder.split('/').chain(path.split('/')) {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            _ => parts.push(part),
        }
    }
    Some(parts.join("/"))
}
