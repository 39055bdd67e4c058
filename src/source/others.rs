//! The files of a side that are no schemas by their names, and what they say.

use std::path::Path;
use std::sync::Arc;

use super::archive;
use super::dir::walk_others;
use super::git::Repository;
use super::listing::Held;
use super::names::is_relevant;
use super::object::ObjectId;
use super::place::Place;
use crate::failure::Failure;
use crate::ordered::{InOrder, OrderedMap};

/// Larger files are no schemas that somebody wrote.
pub(super) const LARGEST: u64 = 4 << 20;
/// More files than this are not looked through.
const MOST: usize = 5_000;

/// A file that is no schema by its name.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Other {
    /// It can be read when it is needed.
    Held(Held),
    /// It was read with the archive that holds it.
    Packed(Arc<[u8]>),
}

/// The files of a side that are no schemas by their names; `None` where nobody can say.
pub(super) fn others(
    place: &Place,
    repository: Option<&Repository>,
    before: Option<&str>,
) -> Result<Option<OrderedMap<String, Other>>, Failure> {
    let held = match (place, repository) {
        (Place::Archive { disk, .. }, _) => {
            let packed = archive::others(disk, LARGEST, MOST)?.into_iter();
            return Ok(Some(packed.map(|(path, bytes)| (path, Other::Packed(bytes))).collect()));
        }
        (Place::Folder { disk, .. }, _) => on_disk(disk),
        (Place::WorkTree { folder, .. }, Some(repository)) => repository.others_of_work_tree(folder, before)?,
        (Place::GitFolder { id, path, .. }, Some(repository)) => repository.others_of_tree(id, path)?,
        (Place::Index, Some(repository)) => repository.others_of_index()?,
        (Place::Empty, _) => OrderedMap::new(),
        (Place::WorkTree { .. } | Place::GitFolder { .. } | Place::Index, None)
        | (Place::File { .. } | Place::Image { .. } | Place::GitFile { .. } | Place::Stdin, _) => return Ok(None),
    };
    Ok(Some(held.into_iter().map(|(path, held)| (path, Other::Held(held))).collect()))
}

fn on_disk(folder: &Path) -> OrderedMap<String, Held> {
    let files = walk_others(folder).into_iter().filter(|file| !is_relevant(&file.path));
    files.map(|file| (file.path, Held::Disk(file.disk))).collect()
}

/// A path and the bytes there.
pub(super) type Text = (String, Arc<[u8]>);

/// The texts of files, of those that are small enough; of a link what it says.
pub(super) fn texts(files: &[(&String, &Other)], repository: Option<&Repository>) -> Result<Vec<Text>, Failure> {
    let mut found = Vec::new();
    let mut blobs: Vec<(&String, ObjectId)> = Vec::new();
    for (path, other) in files.iter().take(MOST) {
        match other {
            Other::Held(Held::Disk(disk)) => {
                let bytes = match disk.symlink_metadata() {
                    Ok(data) if data.is_symlink() => {
                        std::fs::read_link(disk).ok().map(|target| target.as_os_str().as_encoded_bytes().to_vec())
                    }
                    Ok(data) if data.is_file() && data.len() <= LARGEST => std::fs::read(disk).ok(),
                    Ok(_) | Err(_) => None,
                };
                found.extend(bytes.map(|bytes| ((*path).clone(), Arc::from(bytes))));
            }
            Other::Held(Held::Blob(id)) => blobs.push((path, *id)),
            Other::Packed(bytes) => found.push(((*path).clone(), bytes.clone())),
        }
    }
    if let Some(repository) = repository {
        let ids: Vec<ObjectId> = blobs.iter().map(|(_, id)| *id).collect();
        for (path, bytes) in repository.small_blobs(&ids, LARGEST)? {
            found.push((blobs[path].0.clone(), bytes));
        }
    }
    found.sort_in_order_by(|one, other| one.0.cmp(&other.0));
    Ok(found)
}
