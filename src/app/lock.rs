//! One writer at a time for a file that several processes may change.

use std::fs::{File, OpenOptions};
use std::path::{Path, PathBuf};

use super::terms::top_of;
use crate::failure::Failure;
use crate::snapshot::ContentId;

/// Held until it is dropped, or the process ends however it may.
#[derive(Debug)]
pub(super) struct Lock {
    _file: File,
}

impl Lock {
    /// Waits until nobody else holds the lock of a file.
    pub(super) fn of(file: &Path) -> Result<Lock, Failure> {
        let failed = |error: std::io::Error| {
            Failure::usage(
                format!("cannot lock `{}` against others who write to it: {error}", file.display()),
                "check that its folder exists and that you may write to it",
            )
        };
        let place = place(file);
        let open = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&place);
        let lock = open.or_else(|_| File::open(&place)).map_err(failed)?;
        lock.lock().map_err(failed)?;
        Ok(Lock { _file: lock })
    }
}

/// The file that is locked lies where it is in nobody's way: what it guards is replaced by another file.
fn place(file: &Path) -> PathBuf {
    let folder = file.parent().unwrap_or(Path::new(""));
    let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_path_buf());
    let full = folder.join(file.file_name().unwrap_or_default());
    let name = format!("wireproof-{}.lock", ContentId::of(full.as_os_str().as_encoded_bytes()));
    let git = top_of(&folder).map(|top| top.join(".git")).filter(|git| git.is_dir());
    git.unwrap_or_else(std::env::temp_dir).join(name)
}
