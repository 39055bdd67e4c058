//! Where is kept from one run to the next what texts say at a glance, and what commits told of each other.
//!
//! It saves reading files that did not change, and comparing commits again; nothing depends on it. What another version of
//! the program wrote lies in another file. A file is replaced as a whole, so that of several runs at once each finds one
//! that is complete.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::failure::Failure;
use crate::formats::outline::Keeper;
use crate::formats::outline_version;

/// Names the folder, or says that there is none.
const VARIABLE: &str = "WIREPROOF_CACHE";

/// A file larger than this was not written by this program.
const LARGEST: u64 = 256 << 20;

/// What keeps something from one run to the next; nothing where nothing is kept. `top` is that of the work tree.
///
/// # Errors
/// When the folder that the environment names lies in the work tree, where a change could write what is believed later.
pub(super) fn keeper(top: Option<&Path>) -> Result<Option<Arc<dyn Keeper>>, Failure> {
    let kept_in = |folder| -> Option<Arc<dyn Keeper>> { Some(Arc::new(Folder(folder))) };
    let is_inside = |folder: &Path| top.is_some_and(|top| real(folder).starts_with(real(top)));
    match named() {
        Named::Off => Ok(None),
        Named::Folder(folder) if is_inside(&folder) => Err(Failure::usage(
            format!("{VARIABLE} names a folder in the work tree, where a change could write what is believed later"),
            format!("name one outside, or {VARIABLE}=off"),
        )),
        Named::Folder(folder) => Ok(kept_in(folder)),
        Named::Nothing => Ok(of_user().filter(|folder| !is_inside(folder)).and_then(kept_in)),
    }
}

/// What the environment says.
enum Named {
    Nothing,
    Off,
    Folder(PathBuf),
}

fn set(name: &str) -> Option<OsString> {
    std::env::var_os(name).filter(|value| !value.is_empty())
}

fn named() -> Named {
    match set(VARIABLE) {
        Some(said) if said == "off" => Named::Off,
        Some(said) => Named::Folder(PathBuf::from(said)),
        None => Named::Nothing,
    }
}

/// The user's folder for such things; none for jobs that nobody watches.
fn of_user() -> Option<PathBuf> {
    let folder = match cfg!(windows) {
        _ if set("CI").is_some() => None,
        true => set("LOCALAPPDATA").map(PathBuf::from),
        false => {
            set("XDG_CACHE_HOME").map(PathBuf::from).or_else(|| set("HOME").map(|home| Path::new(&home).join(".cache")))
        }
    };
    folder.filter(|folder| folder.is_absolute()).map(|folder| folder.join("wireproof"))
}

/// The folder behind all links, as far as it is there.
fn real(folder: &Path) -> PathBuf {
    let absolute = std::path::absolute(folder).unwrap_or_else(|_| folder.to_path_buf());
    let there = absolute.ancestors().find_map(|above| Some((above, above.canonicalize().ok()?)));
    match there {
        Some((above, real)) => real.join(absolute.strip_prefix(above).unwrap_or(Path::new(""))),
        None => absolute,
    }
}

#[derive(Debug)]
struct Folder(PathBuf);

impl Folder {
    fn file(&self, name: &str) -> PathBuf {
        self.0.join(format!("{name}-{}.outlines", outline_version()))
    }
}

impl Keeper for Folder {
    fn read(&self, name: &str) -> Option<Vec<u8>> {
        let file = self.file(name);
        let data = file.symlink_metadata().ok()?;
        if !data.is_file() || data.len() > LARGEST || is_open_to_others(&data) {
            return None;
        }
        std::fs::read(file).ok()
    }

    fn write(&self, name: &str, bytes: &[u8]) {
        let file = self.file(name);
        let beside = file.with_extension(format!("{}.part", std::process::id()));
        // What cannot be kept is found out again.
        let written = std::fs::create_dir_all(&self.0).and_then(|()| std::fs::write(&beside, bytes));
        if written.and_then(|()| std::fs::rename(&beside, &file)).is_err() {
            let _ = std::fs::remove_file(&beside);
        }
        self.forget_others(&file, name);
    }
}

impl Folder {
    /// Removes what other versions of the program kept under a name.
    fn forget_others(&self, file: &Path, name: &str) {
        for entry in std::fs::read_dir(&self.0).into_iter().flatten().flatten() {
            let other = entry.file_name();
            let other = other.to_string_lossy();
            let is_its = other.strip_prefix(name).is_some_and(|rest| rest.starts_with('-'));
            if is_its && other.ends_with(".outlines") && entry.path() != file {
                let _ = std::fs::remove_file(entry.path());
            }
        }
    }
}

/// Whether others than its owner may write to a file.
#[cfg(unix)]
fn is_open_to_others(data: &std::fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    data.mode() & 0o022 != 0
}

/// Whether others than its owner may write to a file.
#[cfg(not(unix))]
fn is_open_to_others(_: &std::fs::Metadata) -> bool {
    false
}
