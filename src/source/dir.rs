//! Plain directories and the reading of files from disk.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rayon::prelude::*;

use super::names::{is_relevant, path_text};
use crate::failure::Failure;
use crate::snapshot::{ContentId, Snapshot, SnapshotFile};

/// Folders deeper than this are not entered; the depth of any sane tree.
const MAX_DEPTH: usize = 128;

/// A file on disk and its path inside the snapshot.
#[derive(Debug, Clone)]
pub(crate) struct DiskFile {
    /// Where it is.
    pub disk: PathBuf,
    /// What it is called in the snapshot.
    pub path: String,
}

/// Every relevant file under a directory. Symbolic links are followed, each real directory is entered once.
pub(crate) fn walk(root: &Path) -> Result<Vec<DiskFile>, Failure> {
    let mut found = Vec::new();
    let mut seen = BTreeSet::new();
    let mut pending = vec![(root.to_path_buf(), String::new(), 0usize)];
    while let Some((directory, prefix, depth)) = pending.pop() {
        let real = fs::canonicalize(&directory).map_err(|error| unreadable(&directory, &error))?;
        if depth > MAX_DEPTH || !seen.insert(real) {
            continue;
        }
        let entries = fs::read_dir(&directory).map_err(|error| unreadable(&directory, &error))?;
        for entry in entries {
            let entry = entry.map_err(|error| unreadable(&directory, &error))?;
            let name = path_text(entry.file_name().as_encoded_bytes());
            let kind = entry.file_type().map_err(|error| unreadable(&entry.path(), &error))?;
            let path = if prefix.is_empty() { name.clone() } else { format!("{prefix}/{name}") };
            let is_directory = if kind.is_symlink() { entry.path().is_dir() } else { kind.is_dir() };
            if is_directory && name != ".git" {
                pending.push((entry.path(), path, depth + 1));
            } else if !is_directory && is_relevant(&name) && entry.path().is_file() {
                found.push(DiskFile { disk: entry.path(), path });
            }
        }
    }
    found.sort_by(|one, other| one.path.cmp(&other.path));
    Ok(found)
}

/// Files up to this many are read sooner than threads start.
const FEW: usize = 64;

/// Reads and hashes files; many of them several at a time. A file that vanished meanwhile is left out.
pub(crate) fn read_all(files: Vec<DiskFile>) -> Result<Snapshot, Failure> {
    let read = |file: DiskFile| match fs::read(&file.disk) {
        Ok(bytes) => Ok(Some((file.path, snapshot_file(bytes)))),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(unreadable(&file.disk, &error)),
    };
    let read: Result<Vec<Option<(String, SnapshotFile)>>, Failure> = match files.len() {
        ..=FEW => files.into_iter().map(read).collect(),
        _ => files.into_par_iter().map(read).collect(),
    };
    let mut snapshot = Snapshot::default();
    for (path, file) in read?.into_iter().flatten() {
        snapshot.insert(path, file);
    }
    Ok(snapshot)
}

/// The relevant files directly in a folder, by name.
pub(crate) fn read_folder(folder: &Path) -> Result<Snapshot, Failure> {
    let entries = fs::read_dir(folder).map_err(|error| unreadable(folder, &error))?;
    let files = entries
        .flatten()
        .map(|entry| DiskFile { path: path_text(entry.file_name().as_encoded_bytes()), disk: entry.path() });
    read_all(files.filter(|file| is_relevant(&file.path) && file.disk.is_file()).collect())
}

/// One file, whatever its name.
pub(crate) fn read_one(path: &Path) -> Result<SnapshotFile, Failure> {
    fs::read(path).map(snapshot_file).map_err(|error| unreadable(path, &error))
}

/// Bytes with the id of their content.
pub(crate) fn snapshot_file(bytes: Vec<u8>) -> SnapshotFile {
    SnapshotFile { id: ContentId::of(&bytes), bytes: Arc::from(bytes) }
}

/// Something on disk cannot be read.
pub(crate) fn unreadable(path: &Path, error: &std::io::Error) -> Failure {
    Failure::could_not_tell(
        format!("cannot read `{}`: {error}", path.display()),
        "check that it exists and that you may read it",
    )
}
