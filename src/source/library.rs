//! Files that are not judged and still supply types.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::content::{Content, git_read};
use super::dir::{Links, read_all, read_folder, unreadable, walk};
use super::git::Repository;
use super::names::path_text;
use super::place::Place;
use super::sought::Sought;
use crate::failure::Failure;
use crate::formats::{Format, LibraryFile, as_utf8};
use crate::ordered::OrderedMap;

/// Files that only supply types, by import path; the first of a path counts.
#[derive(Debug, Default)]
pub(super) struct Library(OrderedMap<String, Arc<[u8]>>);

impl Library {
    fn add(&mut self, import_path: &str, bytes: &Arc<[u8]>) {
        if Format::of_path(import_path).is_some() && !self.0.contains_key(import_path) {
            self.0.insert(import_path.to_owned(), bytes.clone());
        }
    }

    /// What a set holds beside the files that are judged.
    pub(super) fn add_imports(&mut self, content: &Content) {
        if let Content::Printed(image) = content {
            for (path, file) in &image.imports {
                self.add(path, file.bytes.shared());
            }
        }
    }

    /// All schemas of a folder on disk, by what stands before their paths. Sides that lie below it are left out: they are
    /// compared, not imported.
    pub(super) fn add_folder(&mut self, before: &str, folder: &Path, sides: &[PathBuf]) -> Result<(), Failure> {
        let folder = folder.canonicalize().map_err(|error| unreadable(folder, &error))?;
        let below: Vec<&PathBuf> = sides.iter().filter(|side| **side != folder && side.starts_with(&folder)).collect();
        let files = walk(&folder, Links::Anywhere, &Sought::default())?
            .files
            .into_iter()
            .filter(|file| !below.iter().any(|side| file.disk.starts_with(side)));
        for (path, file) in read_all(files.collect()).snapshot.iter() {
            self.add(&format!("{before}{path}"), file.bytes.shared());
        }
        Ok(())
    }

    /// The schemas beside a single file, as `b.proto` and under the folders above: `shop/b.proto`, `proto/shop/b.proto`.
    pub(super) fn add_neighbours(&mut self, place: &Place, repository: Option<&Repository>) -> Result<(), Failure> {
        let (above, snapshot) = match (place, repository) {
            (Place::File { disk, .. }, _) => {
                let real = disk.canonicalize().unwrap_or_else(|_| disk.clone());
                let folder = real.parent().unwrap_or(Path::new(""));
                (path_text(folder.as_os_str().as_encoded_bytes()), read_folder(folder)?)
            }
            (Place::GitFile { id, path, .. }, Some(repository)) => {
                let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
                let mut tree = repository.list((id, folder))?;
                tree.keep_top_level();
                (folder.to_owned(), git_read(Some(repository), &[&tree], &[], None)?.pop().unwrap_or_default())
            }
            _ => return Ok(()),
        };
        for (name, file) in snapshot.iter() {
            self.add(name, file.bytes.shared());
            let mut import_path = name.to_string();
            for folder in above.rsplit(['/', '\\']).filter(|folder| !folder.is_empty()).take(8) {
                import_path = format!("{folder}/{import_path}");
                self.add(&import_path, file.bytes.shared());
            }
        }
        Ok(())
    }

    /// The files, sorted by import path, their texts in UTF-8.
    pub(super) fn finish(self) -> Vec<LibraryFile> {
        let file = |(import_path, bytes): (String, Arc<[u8]>)| {
            let text = as_utf8(&import_path, &bytes);
            LibraryFile { import_path, bytes: text.map_or(bytes, Arc::from) }
        };
        self.0.into_iter().map(file).collect()
    }
}
