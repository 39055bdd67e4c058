//! Where references between documents lead: to the file that gives itself the address, else to the file of that path.

use std::sync::Arc;
use std::sync::OnceLock;

use rustc_hash::FxHashMap;

use super::address;
use super::dialect::Draft;
use super::language::JsonSchema;
use super::notation::Notation;
use crate::formats::check::CheckOptions;
use crate::formats::frame::folders::{Above, Folders};
use crate::formats::frame::search::{Search, Target};
use crate::snapshot::Snapshot;
use crate::syntax::json::Json;

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

    /// The addresses that the files of the version give themselves; the first file of an address counts.
    fn ids(&self) -> &Ids {
        self.ids.get_or_init(|| {
            let mut ids = Ids::default();
            for (path, file) in self.snapshot.iter() {
                let Some(notation) = self.snapshot.names(path).find_map(Notation::of_path) else { continue };
                let (Some(json), _) = notation.read(path, &file.bytes) else { continue };
                let draft = Draft::of_document(&json).unwrap_or_else(|| Draft::implied(&json));
                if let Some(id) = json.get(draft.id_keyword()).and_then(Json::as_text) {
                    let id = address::split(id).0.to_owned();
                    ids.by_id.entry(id.clone()).or_insert_with(|| path.clone());
                    ids.of_file.insert(path.clone(), id);
                }
            }
            ids
        })
    }
}

impl Search for Places<'_> {
    fn find(&self, from: &str, import: &str) -> Option<Target> {
        let ids = self.ids();
        let full = match ids.of_file.get(from) {
            Some(base) => address::join(base, import),
            None => import.to_owned(),
        };
        if let Some(path) = ids.by_id.get(&full) {
            return Some(Target::File(path.clone()));
        }
        self.folders.find(from, as_path(import)?)
    }

    fn help(&self, import: &str) -> String {
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
