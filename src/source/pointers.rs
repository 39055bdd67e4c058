//! Pointers of git LFS: a few lines that stand for a file in a store for large files.
//!
//! Read where the store of the clone has the file, or where the other side is that very file; else it is not seen.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use sha2::{Digest, Sha256};

use super::git::Repository;
use crate::change::Pair;
use crate::failure::Failure;
use crate::formats::formats_of;
use crate::snapshot::{ContentId, Hidden, Snapshot, SnapshotFile, Unseen};
use crate::text::hexadecimal;

const VERSION: &[u8] = b"version https://git-lfs.github.com/spec/";
/// A pointer is a few lines.
const LONGEST: usize = 1024;
/// A larger file is no schema that somebody wrote.
const LARGEST: u64 = 64 << 20;

/// Puts files in the place of their pointers, and takes away pointers whose file is not here.
pub(super) fn resolve(snapshots: &mut Pair<Snapshot>, repository: Option<&Repository>) -> Result<(), Failure> {
    let pointers = Pair::new(pointers(&snapshots.old), pointers(&snapshots.new));
    if pointers.old.is_empty() && pointers.new.is_empty() {
        return Ok(());
    }
    let store = match repository {
        Some(repository) => repository.common_folder()?.map(|folder| folder.join("lfs").join("objects")),
        None => None,
    };
    let Pair { old, new } = snapshots;
    put(old, new, &pointers.old, store.as_deref());
    put(new, old, &pointers.new, store.as_deref());
    Ok(())
}

/// The schemas of a side that are pointers, and the digests they name.
fn pointers(snapshot: &Snapshot) -> Vec<(Arc<str>, String)> {
    // What is read later is looked at then.
    let schemas = snapshot.at_hand().filter(|(path, _)| !formats_of(snapshot, path).is_empty());
    schemas.filter_map(|(path, file)| Some((path.clone(), digest_of(&file.bytes)?))).collect()
}

/// Whether bytes are those of a pointer.
pub(crate) fn is_pointer(bytes: &[u8]) -> bool {
    digest_of(bytes).is_some()
}

/// The digest that a pointer names; `None` where a file is no pointer.
fn digest_of(bytes: &[u8]) -> Option<String> {
    if bytes.len() > LONGEST || !bytes.starts_with(VERSION) {
        return None;
    }
    let text = std::str::from_utf8(bytes).ok()?;
    let digest = text.lines().find_map(|line| line.strip_prefix("oid sha256:"))?.trim();
    let is_digest = digest.len() == 64 && digest.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_digest.then(|| digest.to_ascii_lowercase())
}

fn put(side: &mut Snapshot, other: &Snapshot, pointers: &[(Arc<str>, String)], store: Option<&Path>) {
    for (path, digest) in pointers {
        let of_other = other.get(path).filter(|file| sha256(&file.bytes) == *digest).cloned();
        let Some(file) = of_other.or_else(|| stored(store?, digest)) else {
            side.remove(path);
            let remedy = "Bring it: `git lfs fetch --all` (with actions/checkout: `lfs: true`).".to_owned();
            let unseen =
                Unseen { what: Hidden::Pointer, identity: digest.clone(), remedy, is_selected: side.judges(path) };
            side.hide(path.clone(), unseen);
            continue;
        };
        side.insert(path.clone(), file);
    }
}

/// The name of a file in the store: the SHA-256 of its bytes.
fn sha256(bytes: &[u8]) -> String {
    hexadecimal(&Sha256::digest(bytes))
}

/// A file of the store that is what its name says.
fn stored(store: &Path, digest: &str) -> Option<SnapshotFile> {
    let place: PathBuf = store.join(&digest[..2]).join(&digest[2..4]).join(digest);
    let is_small = place.symlink_metadata().is_ok_and(|data| data.is_file() && data.len() <= LARGEST);
    let bytes = is_small.then(|| std::fs::read(place).ok()).flatten()?;
    (sha256(&bytes) == digest).then(|| SnapshotFile { id: ContentId::of(&bytes), bytes: bytes.into() })
}
