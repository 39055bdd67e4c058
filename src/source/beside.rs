//! Single files of a version that are no schemas: its configuration and its waivers.

use std::path::PathBuf;

use super::git::Repository;
use super::side::Source;
use crate::failure::Failure;

/// A version, of which a few files are asked for by their paths.
#[derive(Debug, Clone)]
pub enum Beside {
    /// A tree of git's object database; paths start from the top of the repository.
    Tree {
        /// Where it is.
        repository: Repository,
        /// Which commit or tree.
        id: String,
    },
    /// A folder on disk.
    Folder(PathBuf),
    /// There is nothing.
    Nothing,
}

/// A file that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Beheld {
    /// Its path, as it was asked for.
    pub path: String,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

/// A configuration larger than this was not written by anybody.
const LARGEST: usize = 16 << 20;

impl Beside {
    /// The version that a source names; `None` for those that hold nothing but schemas.
    ///
    /// # Errors
    /// The revision does not exist.
    pub fn of(source: &Source, repository: Option<&Repository>) -> Result<Option<Beside>, Failure> {
        Ok(match (source, repository) {
            (Source::Git(git), Some(repository)) => {
                let id = match git.reason {
                    Some(_) => git.revision.clone(),
                    None => repository.resolve(&git.revision)?.id,
                };
                Some(Beside::Tree { repository: repository.clone(), id })
            }
            (Source::Path(folder), _) if folder.is_dir() => Some(Beside::Folder(folder.clone())),
            (Source::Empty, _) => Some(Beside::Nothing),
            (Source::Git(_) | Source::Path(_) | Source::Archive(_) | Source::Image(_) | Source::Stdin, _) => None,
            (Source::WorkTree | Source::Index, _) => None,
        })
    }

    /// The first of several files that exists.
    ///
    /// # Errors
    /// It exists and cannot be read.
    pub fn first(&self, paths: &[String]) -> Result<Option<Beheld>, Failure> {
        let found = match self {
            Beside::Nothing => None,
            Beside::Tree { repository, id } => repository.first_blob(id, paths)?,
            Beside::Folder(folder) => {
                let Some(path) = paths.iter().find(|path| folder.join(path).is_file()) else { return Ok(None) };
                let read = super::dir::read_one(&folder.join(path))?;
                Some((path.clone(), read.bytes.to_vec()))
            }
        };
        found.map(beheld).transpose()
    }

    /// All files below a folder.
    ///
    /// # Errors
    /// One of them cannot be read.
    pub fn below(&self, folder: &str) -> Result<Vec<Beheld>, Failure> {
        let found = match self {
            Beside::Nothing => Vec::new(),
            Beside::Tree { repository, id } => repository.blobs_below(id, folder)?,
            Beside::Folder(top) => {
                let mut found = Vec::new();
                let mut pending = vec![folder.to_owned()];
                while let Some(folder) = pending.pop() {
                    for entry in std::fs::read_dir(top.join(&folder)).into_iter().flatten().flatten() {
                        let path = format!("{folder}/{}", entry.file_name().to_string_lossy());
                        match entry.file_type() {
                            Ok(kind) if kind.is_dir() => pending.push(path),
                            Ok(kind) if kind.is_file() => {
                                let bytes = super::dir::read_one(&entry.path())?.bytes.to_vec();
                                found.push((path, bytes));
                            }
                            Ok(_) | Err(_) => {}
                        }
                    }
                }
                found
            }
        };
        found.into_iter().map(beheld).collect()
    }
}

fn beheld((path, bytes): (String, Vec<u8>)) -> Result<Beheld, Failure> {
    if bytes.len() > LARGEST {
        return Err(Failure::could_not_tell(
            format!("`{path}` is larger than 16 MiB"),
            "a configuration or a waiver file is a few lines",
        ));
    }
    Ok(Beheld { path, bytes })
}
