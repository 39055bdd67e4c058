//! One version of a set of files, immutable once read.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::BuildHasher;
use std::ops::{Bound, Deref};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};

use rustc_hash::FxBuildHasher;

/// Identifies the content of a file: its git blob id (SHA-1), however the file was read. Equal ids mean equal bytes,
/// and the same text where it was in another encoding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ContentId(pub [u8; 20]);

/// A file of a snapshot.
#[derive(Debug, Clone)]
pub struct SnapshotFile {
    /// What identifies its content.
    pub id: ContentId,
    /// Its bytes, shared between the two sides where they are equal.
    pub bytes: Bytes,
}

/// What reads files when somebody wants to know what they say.
pub trait Supply: Send + Sync {
    /// The bytes of a file. What cannot be read is empty here, and the supplier says afterwards that something was not read.
    fn read(&self, id: &ContentId) -> Arc<[u8]>;

    /// The same of many at once, in the order of the ids.
    fn read_all(&self, ids: &[ContentId]) -> Vec<Arc<[u8]>>;

    /// Shows many to somebody, each with its place among the ids, in any order. What was not here is not here afterwards.
    fn visit(&self, ids: &[ContentId], look: &(dyn Fn(usize, &[u8]) + Sync));
}

/// The bytes of a file: here, or read when they are wanted for the first time.
#[derive(Clone)]
pub struct Bytes(Held);

#[derive(Clone)]
enum Held {
    Here(Arc<[u8]>),
    Later(Arc<Later>),
}

struct Later {
    id: ContentId,
    supply: Arc<dyn Supply>,
    read: OnceLock<Arc<[u8]>>,
}

impl Bytes {
    /// Bytes that are read when they are wanted. Clones are read once.
    pub fn later(id: ContentId, supply: Arc<dyn Supply>) -> Self {
        Bytes(Held::Later(Arc::new(Later { id, supply, read: OnceLock::new() })))
    }

    /// Whether the bytes are here without being read.
    pub fn are_here(&self) -> bool {
        match &self.0 {
            Held::Here(_) => true,
            Held::Later(later) => later.read.get().is_some(),
        }
    }

    /// Reads many, of one supplier, at once.
    pub fn read_all<'b>(all: impl Iterator<Item = &'b Bytes>) {
        let waiting: Vec<&Later> = all
            .filter_map(|bytes| match &bytes.0 {
                Held::Later(later) if later.read.get().is_none() => Some(&**later),
                Held::Later(_) | Held::Here(_) => None,
            })
            .collect();
        let Some(first) = waiting.first() else { return };
        let mut seen = BTreeSet::new();
        let ids: Vec<ContentId> = waiting.iter().map(|later| later.id).filter(|id| seen.insert(*id)).collect();
        let read: BTreeMap<ContentId, Arc<[u8]>> = ids.iter().copied().zip(first.supply.read_all(&ids)).collect();
        for later in waiting {
            later.read.get_or_init(|| read.get(&later.id).cloned().unwrap_or_default());
        }
    }

    /// What is made of many, of one supplier, in their order; of equal ones once, and nothing of what cannot be read. What is
    /// not here is not kept.
    pub fn map<T: Clone + Send + Sync>(all: &[&Bytes], make: &(dyn Fn(&[u8]) -> T + Sync)) -> Vec<Option<T>> {
        let mut places: BTreeMap<ContentId, usize> = BTreeMap::new();
        let (mut ids, mut supply) = (Vec::new(), None);
        for bytes in all {
            let Held::Later(later) = &bytes.0 else { continue };
            if later.read.get().is_none() && !places.contains_key(&later.id) {
                places.insert(later.id, ids.len());
                ids.push(later.id);
                supply = supply.or(Some(&later.supply));
            }
        }
        let made: Vec<OnceLock<T>> = ids.iter().map(|_| OnceLock::new()).collect();
        if let Some(supply) = supply {
            supply.visit(&ids, &|at, bytes| {
                let _ = made[at].set(make(bytes));
            });
        }
        let of = |bytes: &&Bytes| match &bytes.0 {
            Held::Later(later) => match places.get(&later.id) {
                Some(place) => made[*place].get().cloned(),
                None => Some(make(bytes)),
            },
            Held::Here(_) => Some(make(bytes)),
        };
        all.iter().map(of).collect()
    }

    /// The bytes, to be kept.
    pub fn shared(&self) -> &Arc<[u8]> {
        match &self.0 {
            Held::Here(bytes) => bytes,
            Held::Later(later) => later.read.get_or_init(|| later.supply.read(&later.id)),
        }
    }
}

impl Deref for Bytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        self.shared()
    }
}

impl AsRef<[u8]> for Bytes {
    fn as_ref(&self) -> &[u8] {
        self
    }
}

impl<B: Into<Arc<[u8]>>> From<B> for Bytes {
    fn from(bytes: B) -> Self {
        Bytes(Held::Here(bytes.into()))
    }
}

impl std::fmt::Debug for Bytes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.are_here() {
            true => write!(f, "{} bytes", self.len()),
            false => f.write_str("bytes that are not read"),
        }
    }
}

/// Why a file supplies types and is not judged itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Lent {
    /// It is reached through a symbolic link and has a path of its own as well, which is named here.
    Link(Arc<str>),
    /// It lies in a submodule, at the commit that is named here.
    Submodule(Arc<str>),
    /// Nobody asked to have it judged.
    Unselected,
    /// This side of it could not be seen, so the other side's stands here.
    StandIn,
    /// The other side of it could not be seen.
    Opposite,
}

/// What of a version could not be seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Hidden {
    /// A submodule whose commit is not at hand.
    Submodule,
    /// A symbolic link that leads out of what is compared, or nowhere.
    Link,
    /// A folder that is such a link.
    LinkedFolder,
    /// A file whose content lies in a store for large files that is not at hand.
    Pointer,
    /// A file or a folder that may not be read.
    Unreadable,
    /// A path that is there twice, with different contents.
    Twice,
    /// A schema that went, and is found again under a name that is none of a schema.
    Renamed,
    /// A submodule that was read and holds no schema: it hides nothing.
    Nothing,
}

/// Something of a version that could not be seen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unseen {
    /// What it is.
    pub what: Hidden,
    /// What is known of its content: equal on both sides means that nothing changed there.
    pub identity: String,
    /// How to have it seen: a command, or a sentence.
    pub remedy: String,
    /// Whether it lies where files are judged.
    pub is_selected: bool,
}

/// Whether a path is a folder itself or lies in it.
pub(crate) fn is_under(path: &str, folder: &str) -> bool {
    folder.is_empty() || path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Files by their paths, and what is found out of them once for all who share them.
#[derive(Debug, Default)]
struct Files {
    by_path: BTreeMap<Arc<str>, SnapshotFile>,
    order: OnceLock<Arc<Order>>,
    digest: OnceLock<ContentId>,
    compared: Mutex<Option<Compared>>,
}

/// The last ones that files were compared with, and where they differ.
#[derive(Debug)]
struct Compared {
    with: Weak<Files>,
    differing: Arc<[Arc<str>]>,
}

/// What is found out of paths alone, for all who have the same.
#[derive(Debug)]
struct Order {
    /// The paths by what their last parts hash to, in order.
    by_name: Vec<(u64, Arc<str>)>,
    /// What identifies them all.
    id: ContentId,
}

impl Order {
    fn of<'p>(paths: impl Iterator<Item = &'p Arc<str>>) -> Self {
        let (mut by_name, mut all) = (Vec::new(), Vec::new());
        for path in paths {
            by_name.push((FxBuildHasher.hash_one(name_of(path)), path.clone()));
            all.extend_from_slice(path.as_bytes());
            all.push(0);
        }
        by_name.sort_unstable_by(|one, other| one.0.cmp(&other.0).then_with(|| one.1.cmp(&other.1)));
        Order { by_name, id: ContentId::of(&all) }
    }
}

impl Clone for Files {
    fn clone(&self) -> Self {
        Files { by_path: self.by_path.clone(), ..Files::default() }
    }
}

impl Deref for Files {
    type Target = BTreeMap<Arc<str>, SnapshotFile>;

    fn deref(&self) -> &Self::Target {
        &self.by_path
    }
}

/// The last part of a path.
pub(crate) fn name_of(path: &str) -> &str {
    path.rsplit_once('/').map_or(path, |(_, name)| name)
}

/// One side of a comparison: path (with `/`, relative, normalised) → file, sorted by path.
#[derive(Debug, Clone, Default)]
pub struct Snapshot {
    /// Shared by sides that hold the same.
    files: Arc<Files>,
    lent: BTreeMap<Arc<str>, Lent>,
    unseen: BTreeMap<Arc<str>, Unseen>,
    rewritten: BTreeSet<Arc<str>>,
}

impl Snapshot {
    /// A snapshot of files already in memory.
    pub fn from_files<P: Into<Arc<str>>, B: Into<Arc<[u8]>>>(files: impl IntoIterator<Item = (P, B)>) -> Self {
        let mut snapshot = Snapshot::default();
        for (path, bytes) in files {
            let bytes = bytes.into();
            let id = ContentId::of(&bytes);
            snapshot.insert(path, SnapshotFile { id, bytes: bytes.into() });
        }
        snapshot
    }

    /// A snapshot of files that are read, or will be; of equal paths the last.
    pub fn of(files: Vec<(Arc<str>, SnapshotFile)>) -> Self {
        let files = Files { by_path: files.into_iter().collect(), ..Files::default() };
        Snapshot { files: Arc::new(files), ..Snapshot::default() }
    }

    /// The files, to be changed.
    fn files_mut(&mut self) -> &mut BTreeMap<Arc<str>, SnapshotFile> {
        let files = Arc::make_mut(&mut self.files);
        (files.order, files.digest, files.compared) = Default::default();
        &mut files.by_path
    }

    /// Adds or replaces a file.
    pub fn insert(&mut self, path: impl Into<Arc<str>>, file: SnapshotFile) {
        self.files_mut().insert(path.into(), file);
    }

    /// Replaces what some files say by what is made of it; which content they have stays known.
    pub fn rewrite(&mut self, is_meant: impl Fn(&str) -> bool, text: impl Fn(&str, &[u8]) -> Option<Vec<u8>>) {
        let meant = self.files.iter().filter(|(path, _)| is_meant(path));
        let texts = meant.filter_map(|(path, file)| Some((path.clone(), text(path, &file.bytes)?)));
        for (path, text) in texts.collect::<Vec<_>>() {
            if let Some(file) = self.files_mut().get_mut(&path) {
                file.bytes = text.into();
                self.rewritten.insert(path);
            }
        }
    }

    /// Whether the bytes of a file are not those that lie on disk.
    pub fn is_rewritten(&self, path: &str) -> bool {
        self.rewritten.contains(path)
    }

    /// The same files, all of them judged.
    #[must_use]
    pub fn with_all_seen(&self) -> Self {
        Snapshot { files: self.files.clone(), ..Snapshot::default() }
    }

    /// Takes a file away.
    pub fn remove(&mut self, path: &str) {
        if self.files.contains_key(path) {
            self.files_mut().remove(path);
        }
    }

    /// Says that a file is not judged, and why.
    pub fn lend(&mut self, path: impl Into<Arc<str>>, lent: Lent) {
        self.lent.insert(path.into(), lent);
    }

    /// Has a file judged whatever was said of it.
    pub fn claim(&mut self, path: &str) {
        self.lent.remove(path);
    }

    /// Why a file is not judged; `None` where it is.
    pub fn lent(&self, path: &str) -> Option<&Lent> {
        self.lent.get(path)
    }

    /// Whether a file is judged, and does not only supply types.
    pub fn judges(&self, path: &str) -> bool {
        !self.lent.contains_key(path)
    }

    /// Whether on another side the same files are judged, and the same is not seen.
    pub fn has_roles_of(&self, other: &Snapshot) -> bool {
        self.lent == other.lent && self.unseen == other.unseen
    }

    /// Says that something could not be seen.
    pub fn hide(&mut self, path: impl Into<Arc<str>>, unseen: Unseen) {
        self.unseen.insert(path.into(), unseen);
    }

    /// Forgets that something could not be seen.
    pub fn reveal(&mut self, path: &str) -> Option<Unseen> {
        self.unseen.remove(path)
    }

    /// What could not be seen, in the order of paths.
    pub fn unseen(&self) -> &BTreeMap<Arc<str>, Unseen> {
        &self.unseen
    }

    /// The same with other paths, and without the files that get none.
    #[must_use]
    pub fn with_paths(&self, path: impl Fn(&str) -> Option<Arc<str>>) -> Self {
        let (mut renamed, mut files) = (Snapshot::default(), BTreeMap::new());
        for (old, file) in self.files.iter() {
            let Some(new) = path(old) else { continue };
            let lent = self.lent.get(old).map(|lent| match lent {
                Lent::Link(real) => Lent::Link(path(real).unwrap_or_else(|| real.clone())),
                other => other.clone(),
            });
            if let Some(lent) = lent {
                renamed.lent.insert(new.clone(), lent);
            }
            files.insert(new, file.clone());
        }
        let unseen = self.unseen.iter().filter_map(|(old, unseen)| Some((path(old)?, unseen.clone())));
        renamed.unseen = unseen.collect();
        renamed.files = Arc::new(Files { by_path: files, ..Files::default() });
        renamed.rewritten = self.rewritten.iter().filter_map(|old| path(old)).collect();
        renamed
    }

    /// The paths that do not say the same on another side, or are not there.
    pub fn differing<'s>(&'s self, other: &'s Snapshot) -> Vec<&'s Arc<str>> {
        if Arc::ptr_eq(&self.files, &other.files) {
            return Vec::new();
        }
        let mut compared = self.files.compared.lock().unwrap_or_else(PoisonError::into_inner);
        let is_it = |known: &&Compared| known.with.as_ptr() == Arc::as_ptr(&other.files);
        if let Some(Compared { differing, .. }) = compared.as_ref().filter(is_it) {
            return differing
                .iter()
                .filter_map(|path| Some(self.entry(path).or_else(|| other.entry(path))?.0))
                .collect();
        }
        let (mut found, mut others) = (Vec::new(), Vec::new());
        let mut theirs = other.files.iter().peekable();
        for (path, file) in self.files.iter() {
            while let Some((before, _)) = theirs.next_if(|(theirs, _)| !Arc::ptr_eq(theirs, path) && *theirs < path) {
                others.push(before);
            }
            let same = theirs.next_if(|(theirs, _)| Arc::ptr_eq(theirs, path) || *theirs == path);
            if same.is_none_or(|(_, theirs)| theirs.id != file.id) {
                found.push(path);
            }
        }
        found.extend(others.into_iter().chain(theirs.map(|(path, _)| path)));
        let differing = found.iter().map(|path| Arc::clone(path)).collect();
        *compared = Some(Compared { with: Arc::downgrade(&other.files), differing });
        found
    }

    /// The file at a path.
    pub fn get(&self, path: &str) -> Option<&SnapshotFile> {
        self.files.get(path)
    }

    /// The file at a path, with the snapshot's own copy of that.
    pub fn entry(&self, path: &str) -> Option<(&Arc<str>, &SnapshotFile)> {
        self.files.get_key_value(path)
    }

    /// The snapshot's own copy of a path.
    pub fn path(&self, path: &str) -> Option<&Arc<str>> {
        self.entry(path).map(|(path, _)| path)
    }

    /// Whether there is a schema, or a file that says how schemas are found, at a path or below it.
    pub fn has_schema_under(&self, folder: &str) -> bool {
        let from = self.files.range::<str, _>((Bound::Included(folder), Bound::Unbounded)).map(|(path, _)| &**path);
        let near = from.take_while(|path| path.starts_with(folder));
        let mut near = near.filter(|path| self.lent(path) != Some(&Lent::StandIn));
        near.any(|path| path[folder.len()..].is_empty() || path[folder.len()..].starts_with('/'))
    }

    /// The paths whose last part is this name, if they were put in order by these.
    pub(crate) fn named(&self, name: &str) -> Option<impl Iterator<Item = &Arc<str>>> {
        let by_name = &self.files.order.get()?.by_name;
        let hash = FxBuildHasher.hash_one(name);
        let from = by_name.partition_point(|(other, _)| *other < hash);
        let alike = by_name[from..].iter().take_while(move |(other, _)| *other == hash);
        Some(alike.map(|(_, path)| path).filter(move |path| name_of(path) == name))
    }

    /// Puts the paths in order by their last parts, for all who share these files: as those of another version, where the same
    /// paths are there.
    pub(crate) fn put_in_order(&self, another: Option<&Snapshot>) {
        self.files.order.get_or_init(|| {
            let has_all_of = |other: &Snapshot| {
                self.len() == other.len() && self.differing(other).iter().all(|path| self.get(path).is_some())
            };
            if let Some(order) = another.filter(|other| has_all_of(other)).and_then(|other| other.files.order.get()) {
                return order.clone();
            }
            Arc::new(Order::of(self.files.keys()))
        });
    }

    /// What identifies all paths and contents, and the paths that are not judged.
    pub(crate) fn digest(&self) -> (ContentId, Vec<&Arc<str>>) {
        let digest = self.files.digest.get_or_init(|| {
            let order = self.files.order.get_or_init(|| Arc::new(Order::of(self.files.keys())));
            let ids = self.files.values().flat_map(|file| file.id.0);
            ContentId::of(&order.id.0.into_iter().chain(ids).collect::<Vec<u8>>())
        });
        (*digest, self.lent.keys().filter(|path| self.files.contains_key(*path)).collect())
    }

    /// All files in the order of their paths.
    pub fn iter(&self) -> impl Iterator<Item = (&Arc<str>, &SnapshotFile)> {
        self.files.iter()
    }

    /// How many files there are.
    pub fn len(&self) -> usize {
        self.files.len()
    }

    /// Whether there is no file at all.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }
}

impl std::fmt::Display for ContentId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl ContentId {
    /// The id of some bytes, as `git hash-object` computes it.
    pub fn of(bytes: &[u8]) -> Self {
        use sha1::{Digest, Sha1};
        let mut hash = Sha1::new();
        hash.update(format!("blob {}\0", bytes.len()));
        hash.update(bytes);
        Self(hash.finalize().into())
    }
}
