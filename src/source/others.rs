//! The files of a side that are no schemas by their names, and what they say.

use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use memchr::memchr;

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
pub(super) const MOST: usize = 5_000;

/// A file that is no schema by its name.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Other {
    /// It can be read when it is needed.
    Held(Held),
    /// It was read with the archive that holds it.
    Packed(Arc<[u8]>),
}

/// The files of a side that are no schemas by their names; `None` where nobody can say. What lies in an archive is left out
/// where it is larger than that.
pub(super) fn others(
    place: &Place,
    repository: Option<&Repository>,
    before: Option<&str>,
    largest: u64,
) -> Result<Option<OrderedMap<String, Other>>, Failure> {
    let held = match (place, repository) {
        (Place::Archive { disk, .. }, _) => {
            let packed = archive::others(disk, largest, MOST)?.into_iter();
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

/// What was made of files.
#[derive(Debug)]
pub(super) struct Looked<T> {
    /// Of each that was looked into, in the order of their paths.
    pub(super) made: Vec<(String, T)>,
    /// Whether some were not, because there were too many, or too much in them.
    pub(super) is_cut: bool,
}

/// So much is looked into, the smaller files first.
const MOST_BYTES: u64 = 64 << 20;

/// Makes something of the texts of files whose size is meant. None of them is kept, and what holds a zero near its beginning
/// is no text.
pub(super) fn look<T: Default + Send>(
    files: &[(&String, &Other)],
    repository: Option<&Repository>,
    is_meant: &dyn Fn(u64) -> bool,
    make: &(dyn Fn(&str, &[u8]) -> T + Sync),
) -> Result<Looked<T>, Failure> {
    let mut meant: Vec<(u64, usize)> = Vec::new();
    for (at, size) in sizes(files, repository)?.into_iter().enumerate() {
        meant.extend(size.filter(|size| *size <= LARGEST && is_meant(*size)).map(|size| (size, at)));
    }
    meant.sort_in_order();
    let mut made: Vec<(String, T)> = Vec::new();
    let mut blobs: Vec<(&String, ObjectId)> = Vec::new();
    let mut left = MOST_BYTES;
    // An archive is listed no further.
    let is_full = files.len() >= MOST && files.iter().any(|(_, other)| matches!(other, Other::Packed(_)));
    let mut is_cut = is_full || meant.len() > MOST;
    for (size, at) in meant.into_iter().take(MOST) {
        if size > left {
            is_cut = true;
            break;
        }
        let (path, other) = files[at];
        let text = match other {
            Other::Held(Held::Disk(disk)) => text_on_disk(disk).map(Arc::from),
            Other::Packed(bytes) => Some(bytes.clone()).filter(|bytes| is_text(bytes)),
            Other::Held(Held::Blob(id)) => {
                blobs.push((path, *id));
                left -= size;
                None
            }
        };
        if let Some(text) = text {
            left -= size;
            made.push((path.clone(), make(path, &text)));
        }
    }
    if let Some(repository) = repository {
        let of_text = |path: &str, text: &[u8]| if is_text(text) { make(path, text) } else { T::default() };
        made.extend(repository.look_into(&blobs, &of_text)?);
    }
    made.sort_in_order_by(|one, other| one.0.cmp(&other.0));
    Ok(Looked { made, is_cut })
}

/// How large files are, in their order; nothing of what is none.
pub(super) fn sizes(files: &[(&String, &Other)], repository: Option<&Repository>) -> Result<Vec<Option<u64>>, Failure> {
    let (mut places, mut ids): (Vec<usize>, Vec<ObjectId>) = (Vec::new(), Vec::new());
    let mut sizes: Vec<Option<u64>> = Vec::new();
    for (at, (_, other)) in files.iter().enumerate() {
        sizes.push(match other {
            Other::Held(Held::Disk(disk)) => {
                disk.symlink_metadata().ok().filter(|data| data.is_file() || data.is_symlink()).map(|data| data.len())
            }
            Other::Packed(bytes) => Some(bytes.len() as u64),
            Other::Held(Held::Blob(id)) => {
                places.push(at);
                ids.push(*id);
                None
            }
        });
    }
    if let Some(repository) = repository {
        for (at, size) in places.into_iter().zip(repository.sizes(&ids)?) {
            sizes[at] = size;
        }
    }
    Ok(sizes)
}

/// So many bytes say whether a file is a text.
const BEGINNING: usize = 8_000;

fn is_text(bytes: &[u8]) -> bool {
    memchr(0, &bytes[..bytes.len().min(BEGINNING)]).is_none()
}

/// What a text on disk says, and a link.
fn text_on_disk(disk: &Path) -> Option<Vec<u8>> {
    if disk.is_symlink() {
        return std::fs::read_link(disk).ok().map(|target| target.as_os_str().as_encoded_bytes().to_vec());
    }
    let mut file = File::open(disk).ok()?;
    let mut bytes = Vec::new();
    (&mut file).take(BEGINNING as u64).read_to_end(&mut bytes).ok()?;
    if !is_text(&bytes) {
        return None;
    }
    file.take(LARGEST).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}
