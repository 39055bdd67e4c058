//! Plain directories and the reading of files from disk.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::names::{is_relevant, may_be_referred_to, path_text};
use super::sought::Sought;
use crate::failure::Failure;
use crate::ordered::InOrder;
use crate::parallel;
use crate::snapshot::{Bytes, ContentId, Hidden, Lent, Snapshot, SnapshotFile, Unseen};

/// Linked folders in linked folders are entered so deep.
const MOST_NESTED: usize = 4;

/// A file on disk and its path inside the snapshot.
#[derive(Debug, Clone)]
pub(crate) struct DiskFile {
    /// Where it is.
    pub disk: PathBuf,
    /// What it is called in the snapshot.
    pub path: String,
}

/// How far symbolic links are followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Links {
    /// Within the folder, and within the repository around it.
    Inside,
    /// Wherever they lead: the folder was named to be searched.
    Anywhere,
}

/// What a folder holds.
#[derive(Debug, Default)]
pub(crate) struct Walked {
    /// Its relevant files, in the order of their paths.
    pub files: Vec<DiskFile>,
    /// Those that only supply types, and why.
    lent: Vec<(String, Lent)>,
    /// What cannot be seen.
    unseen: Vec<(String, Unseen)>,
}

/// Every relevant file under a directory, however deep. What lies behind a link has the path of the link, and is judged
/// there only where it has no path of its own.
pub(crate) fn walk(root: &Path, links: Links, sought: &Sought) -> Result<Walked, Failure> {
    let real = fs::canonicalize(root).map_err(|error| unreadable(root, &error))?;
    fs::read_dir(&real).map_err(|error| unreadable(root, &error))?;
    let within = real.ancestors().find(|folder| folder.join(".git").exists()).unwrap_or(&real).to_path_buf();
    let mut walker = Walker { real, within, links, sought, walked: Walked::default(), found: Vec::new() };
    walker.enter(root.to_path_buf(), String::new());
    for nested in 0..=MOST_NESTED {
        for (link, path) in std::mem::take(&mut walker.found) {
            walker.follow(&link, &path, nested);
        }
    }
    let mut walked = walker.walked;
    walked.files.sort_in_order_by(|one, other| one.path.cmp(&other.path));
    walked.files.dedup_by(|one, other| one.path == other.path);
    Ok(walked)
}

/// Every file under a directory, and every link, but for what lies behind these.
pub(crate) fn walk_others(root: &Path) -> Vec<DiskFile> {
    let (mut files, mut pending) = (Vec::new(), vec![(root.to_path_buf(), String::new())]);
    while let Some((folder, prefix)) = pending.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            let name = path_text(entry.file_name().as_encoded_bytes());
            let path = if prefix.is_empty() { name.clone() } else { format!("{prefix}/{name}") };
            match entry.file_type() {
                Ok(kind) if kind.is_dir() && name != ".git" => pending.push((entry.path(), path)),
                Ok(kind) if kind.is_file() || kind.is_symlink() => files.push(DiskFile { disk: entry.path(), path }),
                Ok(_) | Err(_) => {}
            }
        }
    }
    files
}

struct Walker<'s> {
    real: PathBuf,
    within: PathBuf,
    links: Links,
    sought: &'s Sought,
    walked: Walked,
    /// Links that are not followed yet, and their paths.
    found: Vec<(PathBuf, String)>,
}

impl Walker<'_> {
    /// Goes through a folder and all below it, links aside.
    fn enter(&mut self, folder: PathBuf, path: String) {
        let mut pending = vec![(folder, path)];
        while let Some((folder, prefix)) = pending.pop() {
            let entries = match fs::read_dir(&folder) {
                Ok(entries) => entries,
                Err(error) => {
                    self.walked.unseen.push((prefix, not_readable(&error.kind().to_string())));
                    continue;
                }
            };
            for entry in entries {
                let entry = match entry {
                    Ok(entry) => entry,
                    Err(error) => {
                        self.walked.unseen.push((prefix.clone(), not_readable(&error.kind().to_string())));
                        continue;
                    }
                };
                let name = path_text(entry.file_name().as_encoded_bytes());
                let path = if prefix.is_empty() { name.clone() } else { format!("{prefix}/{name}") };
                match entry.file_type() {
                    Ok(kind) if kind.is_symlink() => self.found.push((entry.path(), path)),
                    Ok(kind) if kind.is_dir() && name != ".git" => pending.push((entry.path(), path)),
                    Ok(kind) if kind.is_file() && self.sought.counts(&path) => {
                        self.walked.files.push(DiskFile { disk: entry.path(), path });
                    }
                    Ok(_) => {}
                    Err(error) => self.walked.unseen.push((path, not_readable(&error.kind().to_string()))),
                }
            }
        }
    }

    fn follow(&mut self, link: &Path, path: &str, nested: usize) {
        let target = fs::canonicalize(link).ok();
        let is_inside = |target: &PathBuf| self.links == Links::Anywhere || target.starts_with(&self.within);
        let Some(target) = target.filter(is_inside) else {
            let said = fs::read_link(link).unwrap_or_default();
            let said = path_text(said.as_os_str().as_encoded_bytes());
            if is_of_schemas(path) || link.is_dir() {
                self.walked.unseen.push((path.to_owned(), link_out(path, &said)));
            }
            return;
        };
        let own = target.strip_prefix(&self.real).ok().map(|own| path_text(own.as_os_str().as_encoded_bytes()));
        let before = self.walked.files.len();
        if target.is_file() && self.sought.counts(path) {
            self.walked.files.push(DiskFile { disk: link.to_path_buf(), path: path.to_owned() });
        } else if target.is_dir() {
            // A link to a folder that holds it has no end.
            let holds_it = link.parent().and_then(|parent| parent.canonicalize().ok());
            if holds_it.is_none_or(|parent| parent.starts_with(&target)) || nested == MOST_NESTED {
                return;
            }
            self.enter(link.to_path_buf(), path.to_owned());
        }
        let Some(own) = own else { return };
        for file in &self.walked.files[before..] {
            let real = format!("{own}{}", &file.path[path.len()..]);
            self.walked.lent.push((file.path.clone(), Lent::Link(Arc::from(real))));
        }
    }
}

impl Walked {
    /// The files with their bytes.
    pub(crate) fn read(self) -> Snapshot {
        let Read { mut snapshot, unreadable } = read_all(self.files);
        for (path, why) in self.lent {
            if snapshot.get(&path).is_some() {
                snapshot.lend(path, why);
            }
        }
        self.unseen.into_iter().chain(unreadable).for_each(|(path, unseen)| snapshot.hide(path, unseen));
        snapshot
    }
}

/// Whether a link that leads nowhere may be a schema, or a folder of some: not by the name of a page, a picture or a program.
pub(crate) fn is_of_schemas(path: &str) -> bool {
    is_relevant(path) || may_be_referred_to(path)
}

/// A link that leads out of what is compared, or nowhere.
pub(crate) fn link_out(path: &str, target: &str) -> Unseen {
    Unseen {
        what: if is_relevant(path) { Hidden::Link } else { Hidden::LinkedFolder },
        identity: format!("-> {target}"),
        remedy: "Put the file where the link is, or have the link lead to a file that is compared as well.".to_owned(),
        is_selected: true,
    }
}

/// Something that may not be read.
pub(crate) fn not_readable(why: &str) -> Unseen {
    Unseen {
        what: Hidden::Unreadable,
        identity: why.to_owned(),
        remedy: "Make it readable for whoever runs this.".to_owned(),
        is_selected: true,
    }
}

/// Files that were read, and those that may not be.
#[derive(Debug, Default)]
pub(crate) struct Read {
    /// The files.
    pub snapshot: Snapshot,
    /// What cannot be seen.
    pub unreadable: Vec<(String, Unseen)>,
}

/// Files up to this many are read sooner than threads start.
const FEW: usize = 64;

/// Reads and hashes files; many of them several at a time. A file that vanished meanwhile is left out.
pub(crate) fn read_all(files: Vec<DiskFile>) -> Read {
    let read = |file: &DiskFile| fs::read(&file.disk).map(snapshot_file);
    let all: Vec<std::io::Result<SnapshotFile>> = match files.len() {
        ..=FEW => files.iter().map(read).collect(),
        _ => parallel::map(&files, read),
    };
    let mut read = Read::default();
    for (DiskFile { path, .. }, file) in files.into_iter().zip(all) {
        match file {
            Ok(file) => read.snapshot.insert(path, file),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            Err(error) => read.unreadable.push((path, not_readable(&error.kind().to_string()))),
        }
    }
    read
}

/// The relevant files directly in a folder, by name.
pub(crate) fn read_folder(folder: &Path) -> Result<Snapshot, Failure> {
    let entries = fs::read_dir(folder).map_err(|error| unreadable(folder, &error))?;
    let files = entries
        .flatten()
        .map(|entry| DiskFile { path: path_text(entry.file_name().as_encoded_bytes()), disk: entry.path() });
    Ok(read_all(files.filter(|file| is_relevant(&file.path) && file.disk.is_file()).collect()).snapshot)
}

/// One file, whatever its name.
pub(crate) fn read_one(path: &Path) -> Result<SnapshotFile, Failure> {
    fs::read(path).map(snapshot_file).map_err(|error| unreadable(path, &error))
}

/// Bytes with the id of their content.
pub(crate) fn snapshot_file(bytes: Vec<u8>) -> SnapshotFile {
    SnapshotFile { id: ContentId::of(&bytes), bytes: Bytes::from(bytes) }
}

/// Something on disk cannot be read.
pub(crate) fn unreadable(path: &Path, error: &std::io::Error) -> Failure {
    Failure::could_not_tell(
        format!("cannot read `{}`: {error}", path.display()),
        "check that it exists and that you may read it",
    )
}
