//! Trees read: blobs at once where they are needed, and else when somebody wants to know what they say, one by one and by
//! one process of git.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rustc_hash::FxHashMap;

use super::lineage::{Listed, Remembered, Versions};
use super::read::Wanted;
use super::texts::Texts;
use super::{ObjectFormat, OnDisk, Repository, Tree};
use crate::failure::Failure;
use crate::formats::may_wait;
use crate::parallel;
use crate::snapshot::{Bytes, ContentId, Snapshot, SnapshotFile, Supply};
use crate::source::dir::{DiskFile, Read, read_all};
use crate::source::object::ObjectId;

/// So few texts are kept although they are only shown to somebody: whoever compares the next versions looks at most of them
/// again, and more would drive out all else.
const FEW: usize = 16_384;

/// Reads blobs of a repository as they are asked for.
pub(crate) struct Store {
    repository: Repository,
    is_doubtful: AtomicBool,
    /// Whether bytes are not what the file says but point into a store for large files.
    is_pointer: fn(&[u8]) -> bool,
}

impl Store {
    /// What reads blobs of a repository later; `None` where their ids are not those of contents.
    pub(crate) fn of(repository: &Repository, is_pointer: fn(&[u8]) -> bool) -> Option<Arc<Store>> {
        let new = || Arc::new(Store { repository: repository.clone(), is_doubtful: AtomicBool::default(), is_pointer });
        if repository.object_format != ObjectFormat::Sha1 {
            return None;
        }
        let remembered = repository.lineage.get();
        if remembered.ids.is_empty() {
            return Some(new());
        }
        // One for all versions, whose files are shared; once there is a doubt, each comparison has to see its own.
        remembered.store.get_or_init(|| new());
        Store::shared(&remembered).filter(|shared| !shared.is_doubtful()).or_else(|| Some(new()))
    }

    /// The one that reads all versions that belong together.
    fn shared(remembered: &Remembered) -> Option<Arc<Store>> {
        remembered.store.get()?.clone().downcast().ok()
    }

    /// Whether something could not be read, or was not what it seemed to be: everything has to be read first then.
    pub(crate) fn is_doubtful(&self) -> bool {
        self.is_doubtful.load(Ordering::Relaxed)
    }
}

impl Supply for Store {
    fn read(&self, id: &ContentId) -> Arc<[u8]> {
        let mut buffer = Vec::new();
        let known = self.kept().and_then(|texts| texts.get(id));
        let is_kept = known.is_some();
        let bytes = known.or_else(|| match self.repository.lying.read(id, &mut buffer) {
            true => Some(Arc::from(buffer)),
            false => self.repository.object_at_once(id).ok(),
        });
        if let (Some(texts), Some(bytes)) = (self.kept().filter(|_| !is_kept), &bytes) {
            texts.keep(*id, bytes);
        }
        bytes.filter(|bytes: &Arc<[u8]>| !(self.is_pointer)(bytes)).unwrap_or_else(|| {
            self.doubt();
            Arc::default()
        })
    }

    fn read_all(&self, ids: &[ContentId]) -> Vec<Arc<[u8]>> {
        let read = match self.kept() {
            Some(texts) => {
                let (mut read, left) = texts.known(ids.iter().copied().map(Some));
                let wanted: Vec<ContentId> = left.iter().map(|at| ids[*at]).collect();
                for (at, bytes) in left.into_iter().zip(self.read_each(&wanted)) {
                    bytes.iter().for_each(|bytes| texts.keep(ids[at], bytes));
                    read[at] = bytes;
                }
                read
            }
            None => self.read_each(ids),
        };
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
        if let Some(texts) = self.kept() {
            let (known, left) = texts.known(ids.iter().copied().map(Some));
            parallel::each(known.len(), &|at| known[at].iter().for_each(|bytes| look(at, bytes)));
            let wanted: Vec<ContentId> = left.iter().map(|at| ids[*at]).collect();
            return self.visit_each(&wanted, &|at, bytes| {
                if wanted.len() <= FEW {
                    texts.keep(wanted[at], &Arc::from(bytes));
                }
                look(left[at], bytes);
            });
        }
        self.visit_each(ids, &look);
    }
}

impl Store {
    /// Shows what is not known to somebody.
    fn visit_each(&self, ids: &[ContentId], look: &(dyn Fn(usize, &[u8]) + Sync)) {
        let by_git =
            |wanted: &[Wanted<ContentId>]| self.repository.visit_blobs(wanted, &|one, bytes| look(one.at, bytes)).ok();
        if self.each(ids, &look, by_git).iter().any(Option::is_none) {
            self.doubt();
        }
    }
}

impl Store {
    /// Notes that something is not what it seemed to be.
    fn doubt(&self) {
        self.is_doubtful.store(true, Ordering::Relaxed);
    }

    /// Where texts are kept, if others are likely to want them.
    fn kept(&self) -> Option<&Texts> {
        self.repository.lineage.is_any().then_some(&self.repository.texts)
    }

    fn read_each(&self, ids: &[ContentId]) -> Vec<Option<Arc<[u8]>>> {
        self.each(ids, &|_, bytes| Arc::from(bytes), |wanted| {
            let files = self.repository.read_blobs(wanted).ok()?.into_iter();
            Some(files.map(|file| file.bytes.shared().clone()).collect())
        })
    }

    /// What is made of the bytes of each: of those that lie on disk, and of the others by `git`, where it succeeds.
    fn each<T: Send>(
        &self,
        ids: &[ContentId],
        make: &(dyn Fn(usize, &[u8]) -> T + Sync),
        git: impl FnOnce(&[Wanted<ContentId>]) -> Option<Vec<T>>,
    ) -> Vec<Option<T>> {
        let mut made: Vec<Option<T>> = match self.repository.lying.expects(ids.len()) {
            true => {
                let lying = &self.repository.lying;
                parallel::map_with_room(ids, |room, at, id| lying.read(id, room).then(|| make(at, room)))
            }
            false => ids.iter().map(|_| None).collect(),
        };
        let is_left = |(at, id): (usize, ContentId)| made[at].is_none().then_some(Wanted { at, id });
        let left: Vec<Wanted<ContentId>> = ids.iter().copied().enumerate().filter_map(is_left).collect();
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
        let of_contents = |side: &&&Snapshot| self.object_format == ObjectFormat::Sha1 && !side.is_empty();
        let known: Vec<&Snapshot> = known.iter().filter(of_contents).copied().collect();
        let may_wait = |file: &Listed| store.is_some() && file.blob.content().is_some() && may_wait(&file.path);
        let at_once = trees.iter().flat_map(|tree| &tree.files).filter(|file| !may_wait(file));
        let blobs = self.read_at_once(&at_once.collect::<Vec<_>>(), &known)?;
        let mut read: Vec<Snapshot> = Vec::new();
        for (index, tree) in trees.iter().enumerate() {
            let same = trees[..index].iter().position(|other| other.files == tree.files);
            let files = match same {
                Some(same) => read[same].with_all_seen(),
                None => files_of(tree, known.first().copied().or(read.last()), |file| {
                    blobs.get(&file.blob).cloned().or_else(|| later(store?, &file.path, file.blob))
                }),
            };
            let files = match &tree.on_disk {
                Some(on_disk) => on_disk.laid_over(&files),
                None => files,
            };
            let snapshot = with_roles(files, tree);
            if let (Some(at), Some(store)) = (tree.version, store) {
                self.keep_made(at, &snapshot, store);
            }
            read.push(snapshot);
        }
        Ok(read)
    }

    /// Keeps one of the versions that belong together, if it reads by what they all read by.
    fn keep_made(&self, at: usize, snapshot: &Snapshot, store: &Arc<Store>) {
        let remembered = self.lineage.get();
        if Store::shared(&remembered).is_some_and(|shared| Arc::ptr_eq(&shared, store)) {
            remembered.keep(at, snapshot);
        }
    }

    /// A version that was made before, by what reads its files.
    pub(crate) fn made(&self, id: &str, store: &Arc<Store>) -> Option<Snapshot> {
        let remembered = self.lineage.get();
        if self.sought.may_count_others()
            || !Store::shared(&remembered).is_some_and(|shared| Arc::ptr_eq(&shared, store))
        {
            return None;
        }
        let versions = remembered.listed.get()?.as_ref()?;
        let at = *versions.places.get(id)?;
        remembered.made(at).or_else(|| self.made_of_another(&remembered, versions, at, store))
    }

    /// A version made of the one nearest to it that was made before: only what differs is listed.
    fn made_of_another(
        &self,
        remembered: &Remembered,
        versions: &Versions,
        at: usize,
        store: &Arc<Store>,
    ) -> Option<Snapshot> {
        let (other, snapshot) = remembered.nearest(at)?;
        let replaced = versions.sure.between(other, at);
        let at_once = replaced.iter().filter(|(path, _)| !may_wait(path)).filter_map(|(_, blob)| *blob);
        let at_once: Vec<ObjectId> = at_once.collect();
        let read: FxHashMap<ObjectId, SnapshotFile> =
            at_once.iter().copied().zip(self.read_blobs(&at_once).ok()?).collect();
        let file = |path: &Arc<str>, blob: ObjectId| later(store, path, blob).or_else(|| read.get(&blob).cloned());
        let files = replaced.into_iter().map(|(path, blob)| match blob {
            Some(blob) => Some((path.clone(), Some(file(path, blob)?))),
            None => Some((path.clone(), None)),
        });
        let made = snapshot.with(files.collect::<Option<Vec<_>>>()?);
        remembered.keep(at, &made);
        Some(made)
    }

    /// Reads what does not wait, but for what is known.
    fn read_at_once(
        &self,
        files: &[&Listed],
        known: &[&Snapshot],
    ) -> Result<FxHashMap<ObjectId, SnapshotFile>, Failure> {
        let mut blobs: FxHashMap<ObjectId, SnapshotFile> = FxHashMap::default();
        if files.is_empty() {
            return Ok(blobs);
        }
        let have: FxHashMap<ContentId, &SnapshotFile> =
            known.iter().flat_map(|side| side.iter()).map(|(_, file)| (file.id, file)).collect();
        // In the order of paths, neighbours are often neighbours in the pack as well.
        let mut wanted: Vec<ObjectId> = Vec::new();
        for file in files {
            blobs.entry(file.blob).or_insert_with(|| {
                let known = file.blob.content().and_then(|id| have.get(&id)).map(|file| (*file).clone());
                known.unwrap_or_else(|| {
                    wanted.push(file.blob);
                    SnapshotFile { id: ContentId([0; 20]), bytes: Bytes::from([]) }
                })
            });
        }
        blobs.extend(self.read_on_disk(&wanted));
        wanted.retain(|blob| blobs.get(blob).is_none_or(|file| Some(file.id) != blob.content()));
        for (blob, file) in wanted.iter().zip(self.read_blobs(&wanted)?) {
            blobs.insert(*blob, file);
        }
        Ok(blobs)
    }

    /// Those of some blobs that lie in the work tree.
    fn read_on_disk(&self, blobs: &[ObjectId]) -> Vec<(ObjectId, SnapshotFile)> {
        if !self.lying.expects(blobs.len()) {
            return Vec::new();
        }
        let read = |room: &mut Vec<u8>, _, blob: &ObjectId| {
            let id = blob.content().filter(|id| self.lying.read(id, room))?;
            Some((*blob, SnapshotFile { id, bytes: Bytes::from(&**room) }))
        };
        parallel::map_with_room(blobs, read).into_iter().flatten().collect()
    }
}

impl OnDisk {
    /// What the work tree holds, by what the index says.
    fn laid_over(&self, files: &Snapshot) -> Snapshot {
        let on_disk = |(path, _): &(Arc<str>, bool)| DiskFile { disk: self.top.join(&**path), path: path.to_string() };
        let Read { snapshot: read, unreadable } =
            read_all(self.others.iter().filter(|(_, is_there)| *is_there).map(on_disk).collect());
        let others = self.others.iter().map(|(path, _)| (path.clone(), read.get(path).cloned()));
        let mut snapshot = files.with(others.collect::<Vec<_>>());
        unreadable.into_iter().for_each(|(path, unseen)| snapshot.hide(path, unseen));
        snapshot
    }
}

/// The files of a tree; what another version has at the same path is shared with it.
fn files_of(tree: &Tree, other: Option<&Snapshot>, read: impl Fn(&Listed) -> Option<SnapshotFile>) -> Snapshot {
    let Some(other) = other else {
        let files = tree.files.iter().filter_map(|file| Some((file.path.clone(), read(file)?)));
        return Snapshot::of(files.collect());
    };
    let (mut replaced, mut others) = (Vec::new(), other.iter().peekable());
    for file in &tree.files {
        while let Some((gone, _)) = others.next_if(|(path, _)| **path < file.path) {
            replaced.push((gone.clone(), None));
        }
        let there = others.next_if(|(path, _)| **path == file.path);
        if there.is_none_or(|(_, there)| file.blob.content() != Some(there.id)) {
            replaced.push((file.path.clone(), read(file)));
        }
    }
    replaced.extend(others.map(|(gone, _)| (gone.clone(), None)));
    other.with(replaced)
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
