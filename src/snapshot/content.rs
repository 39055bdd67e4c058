//! What files say: bytes that are here, or that are read when somebody wants to know, and what identifies them.

use std::hash::{Hash, Hasher};
use std::io::{ErrorKind, Read};
use std::ops::Deref;
use std::sync::{Arc, OnceLock};

use crate::ordered::{OrderedMap, OrderedSet};

/// Identifies the content of a file: its git blob id (SHA-1), however the file was read. Equal ids mean equal bytes,
/// and the same text where it was in another encoding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct ContentId(pub [u8; 20]);

impl Hash for ContentId {
    /// An id is a digest, of which any part is as good as the whole.
    fn hash<H: Hasher>(&self, state: &mut H) {
        let [a, b, c, d, e, f, g, h, ..] = self.0;
        state.write_u64(u64::from_le_bytes([a, b, c, d, e, f, g, h]));
    }
}

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

    /// Whether the bytes are read when they are wanted, or were.
    pub(super) fn are_later(&self) -> bool {
        matches!(self.0, Held::Later(_))
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
        let mut seen = OrderedSet::new();
        let ids: Vec<ContentId> = waiting.iter().map(|later| later.id).filter(|id| seen.insert(*id)).collect();
        let read: OrderedMap<ContentId, Arc<[u8]>> = ids.iter().copied().zip(first.supply.read_all(&ids)).collect();
        for later in waiting {
            later.read.get_or_init(|| read.get(&later.id).cloned().unwrap_or_default());
        }
    }

    /// What is made of many, of one supplier, in their order; of equal ones once, and nothing of what cannot be read. What is
    /// not here is not kept.
    pub fn map<T: Clone + Send + Sync>(all: &[&Bytes], make: &(dyn Fn(&[u8]) -> T + Sync)) -> Vec<Option<T>> {
        let mut places: OrderedMap<ContentId, usize> = OrderedMap::new();
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

    /// The same of what a reader of so many bytes gives, piece by piece.
    ///
    /// # Errors
    ///
    /// Where it cannot be read, or has another length.
    pub fn of_reader(length: u64, mut reader: impl Read) -> std::io::Result<Self> {
        use sha1::{Digest, Sha1};
        let mut hash = Sha1::new();
        hash.update(format!("blob {length}\0"));
        let (mut piece, mut left) = ([0; 16 << 10], length);
        loop {
            let read = match reader.read(&mut piece) {
                Ok(0) if left == 0 => return Ok(Self(hash.finalize().into())),
                Ok(0) => return Err(ErrorKind::UnexpectedEof.into()),
                Ok(read) => read,
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            left = left.checked_sub(read as u64).ok_or(ErrorKind::InvalidData)?;
            hash.update(&piece[..read]);
        }
    }
}
