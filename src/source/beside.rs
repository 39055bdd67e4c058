//! Single files of a version that are no schemas: its configuration and its waivers.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::archive;
use super::git::Repository;
use super::pointers::is_pointer;
use super::side::Source;
use crate::failure::Failure;
use crate::ordered::OrderedMap;
use crate::snapshot::is_under;

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
    /// What an archive holds beside schemas.
    Packed(OrderedMap<String, Arc<[u8]>>),
    /// There is nothing.
    Nothing,
}

/// A file that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Beheld {
    /// Its own path, once links are followed.
    pub path: String,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

/// A configuration larger than this was not written by anybody.
const LARGEST: usize = 16 << 20;

/// Whether a file of terms was named by the user or found where such files lie.
#[derive(Debug, Clone, Copy)]
pub enum Found<'a> {
    /// The user named it, and may mean a pipe.
    Named,
    /// It lies in this folder: no link leads it out of there.
    Within(&'a Path),
}

/// The bytes of a configuration, a rule or a waiver file; `None` where there is none. What a change could have put there
/// instead is refused: a device, a link that leads out, a file without end.
///
/// # Errors
/// Why it is not read, in words that follow the name of the file.
pub fn read_terms(file: &Path, found: Found<'_>) -> Result<Option<Vec<u8>>, String> {
    let data = file.symlink_metadata();
    if let Found::Within(folder) = found {
        let is_link = data.as_ref().is_ok_and(std::fs::Metadata::is_symlink);
        stays_within(file, is_link, folder)?;
    }
    match data {
        Ok(_) => {}
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error.to_string()),
    }
    let kind = file.metadata().map_err(|error| error.to_string())?.file_type();
    if !kind.is_file() && (matches!(found, Found::Within(_)) || kind.is_dir() || is_device(kind)) {
        return Err("it is no plain file".to_owned());
    }
    let mut bytes = Vec::new();
    let opened = std::fs::File::open(file).map_err(|error| error.to_string())?;
    opened.take(LARGEST as u64 + 1).read_to_end(&mut bytes).map_err(|error| error.to_string())?;
    match bytes.len() > LARGEST {
        true => Err("it is larger than 16 MiB".to_owned()),
        false => Ok(Some(bytes)),
    }
}

/// Whether a file, or where it would lie, is in a folder once every link on the way is followed.
fn stays_within(file: &Path, is_link: bool, folder: &Path) -> Result<(), String> {
    let real = match file.canonicalize() {
        Ok(real) => Some(real),
        Err(_) if is_link => return Err("it is a link that leads nowhere".to_owned()),
        Err(_) => file.ancestors().skip(1).find_map(|above| above.canonicalize().ok()),
    };
    let own = folder.canonicalize().unwrap_or_else(|_| folder.to_path_buf());
    // What the user keeps elsewhere, beside a configuration that the command line names, leads nowhere else.
    let is_elsewhere = !is_link && !file.starts_with(folder) && !file.starts_with(&own);
    match is_elsewhere || real.is_none_or(|real| real.starts_with(&own)) {
        true => Ok(()),
        false if is_link => Err("it is a link that leads out of the repository".to_owned()),
        false => Err("a link on the way to it leads out of the repository".to_owned()),
    }
}

#[cfg(unix)]
fn is_device(kind: std::fs::FileType) -> bool {
    use std::os::unix::fs::FileTypeExt;
    kind.is_char_device() || kind.is_block_device()
}

#[cfg(not(unix))]
fn is_device(_: std::fs::FileType) -> bool {
    false
}

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
            (Source::Archive(path), _) => Some(Beside::Packed(packed(path)?)),
            (Source::Git(_) | Source::Path(_) | Source::Image(_) | Source::Stdin, _) => None,
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
            Beside::Packed(files) => {
                let mut found = paths.iter().filter_map(|path| Some((path.clone(), files.get(path)?.to_vec())));
                found.next()
            }
            Beside::Tree { repository, id } => repository.first_blob(id, paths)?,
            Beside::Folder(folder) => {
                let folder = &folder.canonicalize().unwrap_or_else(|_| folder.clone());
                let there = |path: &&String| folder.join(path).symlink_metadata().is_ok_and(|data| !data.is_dir());
                let Some(path) = paths.iter().find(there) else { return Ok(None) };
                let bytes = read_terms(&folder.join(path), Found::Within(folder));
                let bytes = bytes.map_err(|why| Failure::could_not_tell(format!("cannot read `{path}`: {why}"), ""))?;
                let real = folder.join(path).canonicalize().ok();
                let real = real.as_ref().and_then(|real| real.strip_prefix(folder).ok());
                let real = real.map_or_else(|| path.clone(), |real| real.to_string_lossy().replace('\\', "/"));
                bytes.map(|bytes| (real, bytes))
            }
        };
        found.map(beheld).transpose()
    }

    /// The files below a folder that are wanted, by their paths.
    ///
    /// # Errors
    /// One of them cannot be read.
    pub fn below(&self, folder: &str, is_wanted: fn(&str) -> bool) -> Result<Vec<Beheld>, Failure> {
        let found = match self {
            Beside::Nothing => Vec::new(),
            Beside::Packed(files) => {
                let wanted = files.iter().filter(|(path, _)| is_under(path, folder) && is_wanted(path));
                wanted.map(|(path, bytes)| (path.clone(), bytes.to_vec())).collect()
            }
            Beside::Tree { repository, id } => repository.blobs_below(id, folder, is_wanted)?,
            Beside::Folder(top) => {
                let top = &top.canonicalize().unwrap_or_else(|_| top.clone());
                let mut found = Vec::new();
                let mut pending = vec![folder.to_owned()];
                while let Some(folder) = pending.pop() {
                    for entry in std::fs::read_dir(top.join(&folder)).into_iter().flatten().flatten() {
                        let path = format!("{folder}/{}", entry.file_name().to_string_lossy());
                        match entry.file_type() {
                            Ok(kind) if kind.is_dir() => pending.push(path),
                            Ok(_) | Err(_) if is_wanted(&path) => {
                                let bytes = read_terms(&entry.path(), Found::Within(top));
                                let bytes = bytes.map_err(|why| {
                                    Failure::could_not_tell(format!("cannot read `{path}`: {why}"), "")
                                })?;
                                found.push((path, bytes.unwrap_or_default()));
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

/// So many files of an archive are looked through for its configuration.
const MOST_PACKED: usize = 100_000;

/// The files of an archive that are no schemas.
fn packed(path: &Path) -> Result<OrderedMap<String, Arc<[u8]>>, Failure> {
    let files = archive::others(path, LARGEST as u64, MOST_PACKED)?;
    match files.len() < MOST_PACKED {
        true => Ok(files),
        false => Err(Failure::could_not_tell(
            format!(
                "`{}` holds {MOST_PACKED} files and more, among which its configuration is not looked for",
                path.display()
            ),
            "name a folder or a revision instead",
        )),
    }
}

fn beheld((path, bytes): (String, Vec<u8>)) -> Result<Beheld, Failure> {
    if bytes.len() > LARGEST {
        return Err(Failure::could_not_tell(
            format!("`{path}` is larger than 16 MiB"),
            "a configuration or a waiver file is a few lines",
        ));
    }
    if is_pointer(&bytes) {
        return Err(Failure::could_not_tell(format!("`{path}` is a pointer to a large file in the base"), ""));
    }
    Ok(Beheld { path, bytes })
}
