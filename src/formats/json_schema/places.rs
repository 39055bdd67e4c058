//! Where references between documents lead: to the file that gives itself the address, else to the file of that path.

use std::sync::Arc;
use std::sync::OnceLock;

use rustc_hash::FxHashMap;

use super::language::JsonSchema;
use super::notation::Notation;
use super::tree::NAMELESS;
use super::{address, tree};
use crate::formats::check::CheckOptions;
use crate::formats::frame::folders::{Above, Folders};
use crate::formats::frame::search::{Search, Target};
use crate::snapshot::Snapshot;
use crate::text;

/// Looks documents up in one version.
pub struct Places<'b> {
    snapshot: &'b Snapshot,
    folders: Folders<'b>,
    ids: OnceLock<Ids>,
}

#[derive(Default)]
struct Ids {
    by_id: FxHashMap<String, Arc<str>>,
    of_file: FxHashMap<Arc<str>, String>,
}

impl<'b> Places<'b> {
    pub(super) fn new(snapshot: &'b Snapshot, options: &'b CheckOptions) -> Self {
        let folders = Folders::new::<JsonSchema>(snapshot, options, Above::Ignored);
        Places { snapshot, folders, ids: OnceLock::new() }
    }

    /// The addresses that the files of the version give themselves and schemas inside of them; the first file of an address
    /// counts, and those before these.
    fn ids(&self) -> &Ids {
        self.ids.get_or_init(|| {
            let mut ids = Ids::default();
            let mut inside = Vec::new();
            for (path, file) in self.snapshot.iter() {
                let Some(notation) = self.snapshot.names(path).find_map(Notation::of_path) else { continue };
                let (json, problems) = notation.read(path, &file.bytes);
                let (tree, _) = tree::tree(path, json, problems);
                for (address, (pointer, _)) in tree.resources {
                    if pointer.is_empty() && address != NAMELESS {
                        ids.by_id.entry(address.clone()).or_insert_with(|| path.clone());
                        ids.of_file.insert(path.clone(), address);
                    } else if !pointer.is_empty() {
                        inside.push((address, path));
                    }
                }
            }
            // Without an address of the file it is not known what such a one stands for.
            inside.retain(|(address, path)| ids.of_file.contains_key(*path) || !address.starts_with(NAMELESS));
            for (address, path) in inside {
                ids.by_id.entry(address).or_insert_with(|| path.clone());
            }
            ids
        })
    }

    /// The file of a path, as it is written or with percent signs resolved.
    fn file(&self, from: &str, path: &str) -> Option<Target> {
        let plain = || self.folders.find(from, &text::without_percent_signs(path));
        self.folders.find(from, path).or_else(|| path.contains('%').then(plain)?)
    }

    /// The file that lies where a relative address leads from where a file lies.
    fn beside(&self, from: &str, address: &str) -> Option<Target> {
        let target = self.file(from, address)?;
        let folder = from.rsplit_once('/').map_or("", |(folder, _)| folder);
        let place = format!("{folder}/{}", text::without_percent_signs(address));
        let is_there = matches!(&target, Target::File(path) if **path == *place.trim_start_matches('/'));
        is_there.then_some(target)
    }
}

impl Search for Places<'_> {
    fn find(&self, from: &str, import: &str) -> Option<Target> {
        let ids = self.ids();
        let base = ids.of_file.get(from).map(String::as_str);
        let full = match base {
            // What stands in a schema with an address of its own is written in full.
            _ if import.starts_with(NAMELESS) => import.to_owned(),
            None if import.starts_with('.') => import.to_owned(),
            base => address::join(base.unwrap_or(NAMELESS), import),
        };
        if let Some(path) = ids.by_id.get(&full) {
            return Some(Target::File(path.clone()));
        }
        let beside = base.and_then(|_| self.beside(from, full.strip_prefix(NAMELESS)?));
        beside.or_else(|| self.file(from, as_path(import.strip_prefix(NAMELESS).unwrap_or(import))?))
    }

    fn help(&self, import: &str) -> String {
        let import = import.strip_prefix(NAMELESS).unwrap_or(import);
        match as_path(import) {
            Some(path) => self.folders.help(path),
            None => format!("add the schema with the `$id` `{import}` to what is compared: nothing is fetched"),
        }
    }
}

/// The path of a file that a reference may mean; `file://` is written before one that is not absolute, too.
fn as_path(import: &str) -> Option<&str> {
    let path = import.strip_prefix("file://").filter(|path| !path.starts_with('/')).unwrap_or(import);
    (!path.contains(':') && !path.starts_with("//")).then_some(path)
}
