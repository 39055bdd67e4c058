//! Trees read: blobs at once where they are needed, and else when somebody wants to know what they say, one by one and by
//! one process of git.

use std::fs::File;
use std::io::Read;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::{ObjectFormat, Repository, Tree};
use crate::failure::Failure;
use crate::formats::may_wait;
use crate::snapshot::{Bytes, ContentId, Snapshot, SnapshotFile, Supply};
use crate::source::object::ObjectId;

/// Reads blobs of a repository as they are asked for.
pub(crate) struct Store {
    repository: Repository,
    is_doubtful: AtomicBool,
    /// A folder of the work tree, and which blobs lie in it as files, by what the index notes of them.
    disk: OnceLock<(PathBuf, FxHashMap<ContentId, Arc<str>>)>,
    /// Whether bytes are not what the file says but point into a store for large files.
    is_pointer: fn(&[u8]) -> bool,
}

impl Store {
    /// What reads blobs of a repository later; `None` where their ids are not those of contents.
    pub(crate) fn of(repository: &Repository, is_pointer: fn(&[u8]) -> bool) -> Option<Arc<Store>> {
        let (disk, is_doubtful) = Default::default();
        let store = Store { repository: repository.clone(), is_doubtful, disk, is_pointer };
        (repository.object_format == ObjectFormat::Sha1).then(|| Arc::new(store))
    }

    /// Whether something could not be read, or was not what it seemed to be: everything has to be read first then.
    pub(crate) fn is_doubtful(&self) -> bool {
        self.is_doubtful.load(Ordering::Relaxed)
    }
}

impl Supply for Store {
    fn read(&self, id: &ContentId) -> Arc<[u8]> {
        let mut buffer = Vec::new();
        let bytes = match self.lies_on_disk(id, &mut buffer) {
            true => Some(Arc::from(buffer)),
            false => self.repository.object_at_once(id).ok(),
        };
        bytes.filter(|bytes: &Arc<[u8]>| !(self.is_pointer)(bytes)).unwrap_or_else(|| {
            self.doubt();
            Arc::default()
        })
    }

    fn read_all(&self, ids: &[ContentId]) -> Vec<Arc<[u8]>> {
        let read = self.each(ids, &|_, bytes| Arc::from(bytes), |wanted| {
            let files = self.repository.read_blobs(wanted).ok()?.into_iter();
            Some(files.map(|file| file.bytes.shared().clone()).collect())
        });
        if read.iter().any(|bytes: &Option<Arc<[u8]>>| bytes.as_ref().is_none_or(|bytes| (self.is_pointer)(bytes))) {
            self.doubt();
        }
        read.into_iter().map(Option::unwrap_or_default).collect()
    }

    fn visit(&self, ids: &[ContentId], look: &(dyn Fn(usize, &[u8]) + Sync)) {
        let look = |at: usize, bytes: &[u8]| {
            // What a pointer stands for is not seen.
            match (self.is_pointer)(bytes) {
                true => self.doubt(),
                false => look(at, bytes),
            }
        };
        let by_git = |wanted: &[Wanted]| self.repository.visit_blobs(wanted, &|one, bytes| look(one.at, bytes)).ok();
        if self.each(ids, &look, by_git).iter().any(Option::is_none) {
            self.doubt();
        }
    }
}

/// A blob that is wanted, with its place among those that were asked for.
struct Wanted {
    at: usize,
    id: ContentId,
}

impl std::fmt::Display for Wanted {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.id.fmt(f)
    }
}

impl Store {
    /// Notes that something is not what it seemed to be.
    fn doubt(&self) {
        self.is_doubtful.store(true, Ordering::Relaxed);
    }

    /// Notes that files lie in a folder of the work tree, too, where they are read sooner than git unpacks them.
    pub(super) fn lie_in(&self, folder: PathBuf, files: &[(Arc<str>, SnapshotFile)]) {
        let paths = files.iter().map(|(path, file)| (file.id, path.clone())).collect();
        let _ = self.disk.set((folder, paths));
    }

    /// Reads a file of the work tree. It is taken only where it still is what the id says, whatever happened to it meanwhile
    /// and whatever git makes of files as it writes them.
    fn lies_on_disk(&self, id: &ContentId, buffer: &mut Vec<u8>) -> bool {
        let Some((folder, path)) = self.disk.get().and_then(|(folder, paths)| Some((folder, paths.get(id)?))) else {
            return false;
        };
        buffer.clear();
        let read = File::open(folder.join(&**path)).and_then(|mut file| file.read_to_end(buffer));
        read.is_ok() && ContentId::of(buffer) == *id
    }

    /// What is made of the bytes of each: of those that lie on disk, and of the others by `git`, where it succeeds.
    fn each<T: Send>(
        &self,
        ids: &[ContentId],
        make: &(dyn Fn(usize, &[u8]) -> T + Sync),
        git: impl FnOnce(&[Wanted]) -> Option<Vec<T>>,
    ) -> Vec<Option<T>> {
        let mut made: Vec<Option<T>> = match self.disk.get() {
            Some(_) => {
                let of_disk = |buffer: &mut Vec<u8>, (at, id)| self.lies_on_disk(id, buffer).then(|| make(at, buffer));
                ids.par_iter().enumerate().map_init(Vec::new, of_disk).collect()
            }
            None => ids.iter().map(|_| None).collect(),
        };
        let is_left = |(at, id): (usize, ContentId)| made[at].is_none().then_some(Wanted { at, id });
        let left: Vec<Wanted> = ids.iter().copied().enumerate().filter_map(is_left).collect();
        let by_git = git(&left).filter(|by_git| by_git.len() == left.len()).unwrap_or_default();
        left.iter().zip(by_git).for_each(|(wanted, one)| made[wanted.at] = Some(one));
        made
    }
}

impl std::fmt::Debug for Store {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a store of blobs")
    }
}

impl Repository {
    /// Reads trees: every distinct blob once, none that `known` already holds, the bytes shared. With a store, what need
    /// not be read at once is left to it.
    pub(crate) fn read(
        &self,
        trees: &[&Tree],
        known: &[&Snapshot],
        store: Option<&Arc<Store>>,
    ) -> Result<Vec<Snapshot>, Failure> {
        let have: FxHashMap<ContentId, &SnapshotFile> = match self.object_format {
            ObjectFormat::Sha1 => known.iter().flat_map(|side| side.iter()).map(|(_, file)| (file.id, file)).collect(),
            ObjectFormat::Other => FxHashMap::default(),
        };
        let mut blobs: FxHashMap<ObjectId, SnapshotFile> = FxHashMap::default();
        blobs.reserve(trees.iter().map(|tree| tree.files.len()).max().unwrap_or_default());
        // In the order of paths, neighbours are often neighbours in the pack as well.
        let mut wanted: Vec<ObjectId> = Vec::new();
        for file in trees.iter().flat_map(|tree| &tree.files) {
            blobs.entry(file.blob).or_insert_with(|| {
                let known = file.blob.content().and_then(|id| have.get(&id)).map(|file| (*file).clone());
                known.or_else(|| later(store?, &file.path, file.blob)).unwrap_or_else(|| {
                    wanted.push(file.blob);
                    SnapshotFile { id: ContentId([0; 20]), bytes: Bytes::from([]) }
                })
            });
        }
        for (blob, file) in wanted.iter().zip(self.read_blobs(&wanted)?) {
            blobs.insert(*blob, file);
        }
        let mut read: Vec<Snapshot> = Vec::new();
        for (index, tree) in trees.iter().enumerate() {
            let same = trees[..index].iter().position(|other| other.files == tree.files);
            let files = match same {
                Some(same) => read[same].with_all_seen(),
                None => {
                    let files = tree.files.iter().filter_map(|file| Some((&file.path, blobs.get(&file.blob)?)));
                    Snapshot::of(files.map(|(path, file)| (path.clone(), file.clone())).collect())
                }
            };
            read.push(with_roles(files, tree));
        }
        Ok(read)
    }
}

fn with_roles(mut snapshot: Snapshot, tree: &Tree) -> Snapshot {
    tree.lent.iter().for_each(|(path, why)| snapshot.lend(path.clone(), why.clone()));
    tree.unseen.iter().for_each(|(path, unseen)| snapshot.hide(path.clone(), unseen.clone()));
    snapshot
}

/// A file that is read later, where that may be.
pub(super) fn later(store: &Arc<Store>, path: &str, blob: ObjectId) -> Option<SnapshotFile> {
    let id = blob.content().filter(|_| may_wait(path))?;
    let supply: Arc<dyn Supply> = store.clone();
    Some(SnapshotFile { id, bytes: Bytes::later(id, supply) })
}
