//! One version of a set of files, immutable once read.

mod content;
mod leaves;

use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};

pub use self::content::{Bytes, ContentId, SnapshotFile, Supply};
use self::leaves::Leaves;
pub(crate) use self::leaves::name_of;
use crate::ordered::{OrderedMap, OrderedSet};

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
    /// A file that a schema refers to, and that is too large to be read.
    Large,
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
    leaves: Leaves,
    digest: OnceLock<ContentId>,
    compared: Mutex<Option<Compared>>,
}

/// The last ones that files were compared with, and where they differ.
#[derive(Debug)]
struct Compared {
    with: Weak<Files>,
    differing: Arc<[Arc<str>]>,
}

impl Files {
    fn of(leaves: Leaves) -> Arc<Self> {
        Arc::new(Files { leaves, ..Files::default() })
    }
}

impl Clone for Files {
    fn clone(&self) -> Self {
        Files { leaves: self.leaves.clone(), ..Files::default() }
    }
}

/// One side of a comparison: path (with `/`, relative, normalised) → file, sorted by path.
#[derive(Debug, Clone, Default)]
pub struct Snapshot {
    /// Shared by sides that hold the same.
    files: Arc<Files>,
    lent: OrderedMap<Arc<str>, Lent>,
    unseen: OrderedMap<Arc<str>, Unseen>,
    rewritten: OrderedSet<Arc<str>>,
    /// The names by which files are read whose own say too little.
    called: OrderedMap<Arc<str>, Vec<Arc<str>>>,
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
        Snapshot { files: Files::of(Leaves::of(files)), ..Snapshot::default() }
    }

    /// The same files but for some, which are there instead or are not there. What is judged is not said of them.
    #[must_use]
    pub fn with(&self, replaced: impl IntoIterator<Item = (Arc<str>, Option<SnapshotFile>)>) -> Self {
        let mut leaves = self.files.leaves.clone();
        for (path, file) in replaced {
            match file {
                Some(file) => leaves.insert(path, file),
                None => leaves.remove(&path),
            }
        }
        Snapshot { files: Files::of(leaves), called: self.called.clone(), ..Snapshot::default() }
    }

    /// The files, to be changed.
    fn files_mut(&mut self) -> &mut Leaves {
        let files = Arc::make_mut(&mut self.files);
        (files.digest, files.compared) = Default::default();
        &mut files.leaves
    }

    /// Adds or replaces a file.
    pub fn insert(&mut self, path: impl Into<Arc<str>>, file: SnapshotFile) {
        self.files_mut().insert(path.into(), file);
    }

    /// Replaces what some files say, by their extensions, by what is made of it; which content they have stays known.
    pub fn rewrite(&mut self, is_meant: impl Fn(&str) -> bool + Copy, text: impl Fn(&str, &[u8]) -> Option<Vec<u8>>) {
        let meant = self.with_extension(is_meant);
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
        Snapshot { files: self.files.clone(), called: self.called.clone(), ..Snapshot::default() }
    }

    /// Takes a file away.
    pub fn remove(&mut self, path: &str) {
        if self.get(path).is_some() {
            self.files_mut().remove(path);
        }
    }

    /// Says that a file is not judged, and why.
    pub fn lend(&mut self, path: impl Into<Arc<str>>, lent: Lent) {
        self.lent.insert(path.into(), lent);
    }

    /// Has a file read by another name as well: a text that refers to it says how. A file that is not here yet is put here, and
    /// is not read by its own name.
    pub fn call(&mut self, path: &Arc<str>, name: Arc<str>, file: &SnapshotFile) {
        let is_here = self.get(path).is_some();
        let names =
            self.called.entry(path.clone()).or_insert_with(|| is_here.then(|| path.clone()).into_iter().collect());
        if !names.contains(&name) {
            names.push(name);
        }
        if !is_here {
            self.insert(path.clone(), file.clone());
        }
    }

    /// The opposite: nobody refers to a file by that name after all.
    pub fn call_off(&mut self, path: &str, name: &str) {
        let Some(names) = self.called.get_mut(path) else { return };
        names.retain(|known| **known != *name);
        match &names[..] {
            [] => self.remove(path),
            [own] if **own == *path => {}
            _ => return,
        }
        self.called.remove(path);
    }

    /// The names by which a file is read: its own, or those by which texts refer to it.
    pub fn names<'s>(&'s self, path: &'s str) -> impl Iterator<Item = &'s str> {
        let called = self.called.get(path);
        let own = called.is_none().then_some(path);
        own.into_iter().chain(called.into_iter().flatten().map(|name| &**name))
    }

    /// The files that are read by other names than their own.
    pub(crate) fn called(&self) -> impl Iterator<Item = &Arc<str>> {
        self.called.keys()
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
    pub fn unseen(&self) -> &OrderedMap<Arc<str>, Unseen> {
        &self.unseen
    }

    /// The same with other paths, and without the files that get none.
    #[must_use]
    pub fn with_paths(&self, path: impl Fn(&str) -> Option<Arc<str>>) -> Self {
        let (mut renamed, mut files) = (Snapshot::default(), Vec::new());
        for (old, file) in self.iter() {
            let Some(new) = path(old) else { continue };
            let lent = self.lent.get(old).map(|lent| match lent {
                Lent::Link(real) => Lent::Link(path(real).unwrap_or_else(|| real.clone())),
                other => other.clone(),
            });
            if let Some(lent) = lent {
                renamed.lent.insert(new.clone(), lent);
            }
            if let Some(names) = self.called.get(old) {
                // A name is the path and an ending.
                let again =
                    |name: &Arc<str>| Arc::from(format!("{new}{}", name.strip_prefix(&**old).unwrap_or_default()));
                renamed.called.insert(new.clone(), names.iter().map(again).collect());
            }
            files.push((new, file.clone()));
        }
        let unseen = self.unseen.iter().filter_map(|(old, unseen)| Some((path(old)?, unseen.clone())));
        renamed.unseen = unseen.collect();
        renamed.files = Files::of(Leaves::of(files));
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
        let found = self.files.leaves.differing(&other.files.leaves);
        let differing = found.iter().map(|path| Arc::clone(path)).collect();
        *compared = Some(Compared { with: Arc::downgrade(&other.files), differing });
        found
    }

    /// The file at a path.
    pub fn get(&self, path: &str) -> Option<&SnapshotFile> {
        self.entry(path).map(|(_, file)| file)
    }

    /// The file at a path, with the snapshot's own copy of that.
    pub fn entry(&self, path: &str) -> Option<(&Arc<str>, &SnapshotFile)> {
        self.files.leaves.get(path)
    }

    /// The snapshot's own copy of a path.
    pub fn path(&self, path: &str) -> Option<&Arc<str>> {
        self.entry(path).map(|(path, _)| path)
    }

    /// Whether there is a schema, or a file that says how schemas are found, at a path or below it.
    pub fn has_schema_under(&self, folder: &str) -> bool {
        let from = self.files.leaves.from(folder).map(|(path, _)| &**path);
        let near = from.take_while(|path| path.starts_with(folder));
        let mut near = near.filter(|path| self.lent(path) != Some(&Lent::StandIn));
        near.any(|path| path[folder.len()..].is_empty() || path[folder.len()..].starts_with('/'))
    }

    /// The paths whose last part is this name.
    pub(crate) fn named(&self, name: &str) -> impl Iterator<Item = &Arc<str>> {
        self.files.leaves.named(name)
    }

    /// What identifies all paths and contents, and the paths that are not judged.
    pub(crate) fn digest(&self) -> (ContentId, Vec<&Arc<str>>) {
        (*self.files.digest.get_or_init(|| self.files.leaves.digest()), self.lent_paths().collect())
    }

    /// All files in the order of their paths.
    pub fn iter(&self) -> impl Iterator<Item = (&Arc<str>, &SnapshotFile)> {
        self.files.leaves.iter()
    }

    /// Those whose extensions are meant: what stands behind the last dot of a path's last part.
    pub(crate) fn with_extension(
        &self,
        is_meant: impl Fn(&str) -> bool + Copy,
    ) -> impl Iterator<Item = (&Arc<str>, &SnapshotFile)> {
        self.files.leaves.with_extension(is_meant)
    }

    /// How many files have which extension; one may be told several times.
    pub(crate) fn extensions(&self) -> impl Iterator<Item = (&str, usize)> {
        self.files.leaves.extensions()
    }

    /// The files that were here from the beginning, and not to be read when they are wanted.
    pub(crate) fn at_hand(&self) -> impl Iterator<Item = (&Arc<str>, &SnapshotFile)> {
        self.files.leaves.at_hand()
    }

    /// The paths of the files that are not judged and are there.
    pub(crate) fn lent_paths(&self) -> impl Iterator<Item = &Arc<str>> {
        self.lent.keys().filter(|path| self.get(path).is_some())
    }

    /// How many files there are.
    pub fn len(&self) -> usize {
        self.files.leaves.len()
    }

    /// Whether there is no file at all.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
