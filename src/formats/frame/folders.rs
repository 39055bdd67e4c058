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

impl Search for Folders<'_> {
    fn find(&self, from: &str, import: &str) -> Option<Target> {
        let mut above = std::iter::successors(from.rsplit_once('/'), |(folder, _)| folder.rsplit_once('/'));
        let own = above.next().map_or("", |(folder, _)| folder);
        let above = above.filter(|_| self.above == Above::Searched).map(|(folder, _)| folder);
        let roots = std::iter::once(own).chain(self.roots.iter().map(String::as_str)).chain([""]).chain(above);
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
