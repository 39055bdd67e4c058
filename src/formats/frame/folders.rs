//! Imports that name files in folders.

use rustc_hash::FxHashMap;

use super::language::{Language, reading_in};
use super::search::{Search, Target, library};
use crate::formats::check::{CheckOptions, mapped};
use crate::snapshot::{Bytes, Snapshot};

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
    is_schema: fn(&Snapshot, &str, &Bytes) -> bool,
    roots: &'b [String],
    library: FxHashMap<&'b str, usize>,
    above: Above,
}

impl<'b> Folders<'b> {
    /// The folders of one version.
    pub(crate) fn new<L: Language>(snapshot: &'b Snapshot, options: &'b CheckOptions, above: Above) -> Self {
        let is_schema = |side: &Snapshot, path: &str, bytes: &Bytes| reading_in::<L>(side, path, bytes).is_some();
        Folders { snapshot, is_schema, roots: &options.include, library: library(options), above }
    }
}

impl Folders<'_> {
    /// The folders above a file, its own first.
    fn above(from: &str) -> impl Iterator<Item = &str> {
        let folders = std::iter::successors(from.rsplit_once('/'), |(folder, _)| folder.rsplit_once('/'));
        folders.map(|(folder, _)| folder)
    }

    /// The file that a path leads to that starts in one of the roots of imports, and never beside a file: of the folders above
    /// the file, as far as they may be such roots, the outermost counts.
    pub(crate) fn find_from_roots(&self, from: &str, import: &str) -> Option<Target> {
        let mut above: Vec<&str> = Self::above(from).collect();
        above.reverse();
        self.find_in(self.roots.iter().map(String::as_str).chain([""]).chain(above), import)
    }

    /// Whether a path leads to a file in one of the roots of imports that were given.
    pub(crate) fn is_in_roots(&self, import: &str) -> bool {
        self.find_in(self.roots.iter().map(String::as_str), import).is_some()
    }

    /// The first file of a path in some folders.
    fn find_in<'f>(&self, roots: impl Iterator<Item = &'f str>, import: &str) -> Option<Target> {
        let in_mapped = |root: &str| {
            let (prefix, folder) = mapped(root)?;
            joined(folder, import.trim_start_matches('/').strip_prefix(prefix)?.strip_prefix('/')?)
        };
        let places: Vec<String> = roots.flat_map(|root| [joined(root, import), in_mapped(root)]).flatten().collect();
        let in_snapshot = |place: &String| {
            let file = self.snapshot.get(place).filter(|file| (self.is_schema)(self.snapshot, place, &file.bytes));
            file.and_then(|_| self.snapshot.path(place)).map(|path| Target::File(path.clone()))
        };
        let in_library = |place: &String| self.library.get(place.as_str()).map(|index| Target::Library(*index));
        places.iter().find_map(in_snapshot).or_else(|| places.iter().find_map(in_library))
    }
}

impl Search for Folders<'_> {
    fn find(&self, from: &str, import: &str) -> Option<Target> {
        let mut above = Self::above(from);
        let own = above.next().unwrap_or_default();
        let above = above.filter(|_| self.above == Above::Searched);
        let roots = std::iter::once(own).chain(self.roots.iter().map(String::as_str)).chain([""]).chain(above);
        self.find_in(roots, import)
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
