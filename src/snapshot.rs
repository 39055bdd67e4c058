//! One version of a set of files, immutable once read.

use std::collections::BTreeMap;
use std::sync::Arc;

/// Identifies the content of a file: its git blob id (SHA-1), however the file was read. Equal ids mean equal bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ContentId(pub [u8; 20]);

/// A file of a snapshot.
#[derive(Debug, Clone)]
pub struct SnapshotFile {
    /// What identifies its content.
    pub id: ContentId,
    /// Its bytes, shared between the two sides where they are equal.
    pub bytes: Arc<[u8]>,
}

/// One side of a comparison: path (with `/`, relative, normalised) → file, sorted by path.
#[derive(Debug, Clone, Default)]
pub struct Snapshot {
    files: BTreeMap<Arc<str>, SnapshotFile>,
}

impl Snapshot {
    /// A snapshot of files already in memory.
    pub fn from_files<P: Into<Arc<str>>, B: Into<Arc<[u8]>>>(files: impl IntoIterator<Item = (P, B)>) -> Self {
        let mut snapshot = Snapshot::default();
        for (path, bytes) in files {
            let bytes = bytes.into();
            let id = ContentId::of(&bytes);
            snapshot.insert(path, SnapshotFile { id, bytes });
        }
        snapshot
    }

    /// Adds or replaces a file.
    pub fn insert(&mut self, path: impl Into<Arc<str>>, file: SnapshotFile) {
        self.files.insert(path.into(), file);
    }

    /// The file at a path.
    pub fn get(&self, path: &str) -> Option<&SnapshotFile> {
        self.files.get(path)
    }

    /// The snapshot's own copy of a path.
    pub fn path(&self, path: &str) -> Option<&Arc<str>> {
        self.files.get_key_value(path).map(|(path, _)| path)
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
