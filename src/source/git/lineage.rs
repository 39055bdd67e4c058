//! Many versions of one repository, listed at once: the newest in full, and of each other one what stood there where the
//! one after it has something else.

use std::any::Any;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use rustc_hash::FxHashMap;

use crate::ordered::InOrder;
use crate::snapshot::Snapshot;
use crate::source::object::ObjectId;

/// A file listed in a tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Listed {
    pub(super) path: Arc<str>,
    pub(super) blob: ObjectId,
}

/// A path at which two versions differ, and the blob that the old one has there.
pub(super) type Replaced = (Arc<str>, Option<ObjectId>);

/// So many versions are made from one that is listed in full.
const STRIDE: usize = 32;

/// Versions that belong together, shared by all who read from one repository.
#[derive(Debug, Clone, Default)]
pub(super) struct Lineage(Arc<Mutex<Arc<Remembered>>>);

/// So many versions are kept as they were made: each is compared with the one before it and with the one behind it.
const MOST_MADE: usize = 24;

/// The versions.
#[derive(Debug, Default)]
pub(super) struct Remembered {
    /// The ids of the versions, newest first.
    pub(super) ids: Vec<String>,
    /// What they hold; nothing where it is not that simple. Found out when somebody asks.
    pub(super) listed: OnceLock<Option<Versions>>,
    /// What reads their files when somebody wants to know what these say; who that is, is its own business.
    pub(super) store: OnceLock<Arc<dyn Any + Send + Sync>>,
    /// The versions that were made last, by their places.
    made: Mutex<VecDeque<(usize, Snapshot)>>,
    /// What somebody who looked at what they hold aside took it for.
    pub(super) seen: Mutex<FxHashMap<ObjectId, Looks>>,
}

impl Remembered {
    /// A version that was made before.
    pub(super) fn made(&self, at: usize) -> Option<Snapshot> {
        let made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        made.iter().find(|(known, _)| *known == at).map(|(_, snapshot)| snapshot.clone())
    }

    /// The version nearest to one among those that were made last, and its place.
    pub(super) fn nearest(&self, at: usize) -> Option<(usize, Snapshot)> {
        let made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        made.iter().min_by_key(|(known, _)| known.abs_diff(at)).cloned()
    }

    /// Keeps a version.
    pub(super) fn keep(&self, at: usize, snapshot: &Snapshot) {
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        made.retain(|(known, _)| *known != at);
        made.push_back((at, snapshot.clone()));
        let too_many = made.len().saturating_sub(MOST_MADE);
        // What is let go takes time to fall apart, and others wait meanwhile.
        let gone: Vec<_> = made.drain(..too_many).collect();
        drop(made);
        drop(gone);
    }
}

/// What a file is taken for by what it says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Looks {
    /// What is looked for.
    Wanted,
    /// A link: it is what is looked for where there is something of that name.
    Link(String),
    /// Something else.
    Other,
}

/// Versions one after the other, newest first: files that can count for somebody, with the ids of their contents.
#[derive(Debug)]
pub(crate) struct Lines {
    /// What the newest holds.
    pub newest: Vec<(Arc<str>, String)>,
    /// What each one before it has in the place of what the one behind it has there.
    pub replaced: Vec<Vec<(Arc<str>, Option<String>)>>,
    /// What the one behind it has there, path by path.
    pub newer: Vec<Vec<(Arc<str>, Option<String>)>>,
}

/// What versions hold.
#[derive(Debug)]
pub(super) struct Versions {
    /// Their places in the lines, by their ids.
    pub(super) places: FxHashMap<String, usize>,
    /// Files whose names say that they count.
    pub(super) sure: Line,
    /// Files that may count.
    pub(super) perhaps: Line,
    /// What each version and the one behind it hold where they differ in files that are no schemas by their names and may be
    /// some that a schema refers to.
    pub(super) aside: Vec<Vec<ObjectId>>,
}

impl Lineage {
    /// Has others remembered from now on.
    pub(super) fn set(&self, ids: Vec<String>) {
        let remembered = Arc::new(Remembered { ids, ..Remembered::default() });
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = remembered;
    }

    /// Whether there are versions that belong together.
    pub(super) fn is_any(&self) -> bool {
        !self.get().ids.is_empty()
    }

    /// What is remembered.
    pub(super) fn get(&self) -> Arc<Remembered> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// The files of versions, newest first.
#[derive(Debug, Default)]
pub(super) struct Line {
    /// Every so many versions, all files.
    full: Vec<Vec<Listed>>,
    /// What stands in the place of these, one version after the other.
    replaced: Vec<Vec<Replaced>>,
    /// What each version has in the place of what the one before it has.
    newer: Vec<Vec<Replaced>>,
}

impl Line {
    /// Files of the newest version, and what stood there in each one before it.
    pub(super) fn new(newest: Vec<Listed>, replaced: Vec<Vec<Replaced>>) -> Self {
        let newer = newer(&newest, &replaced);
        let mut line = Line { full: vec![newest], replaced, newer };
        for at in (STRIDE..=line.replaced.len()).step_by(STRIDE) {
            let files = line.files(at);
            line.full.push(files);
        }
        line
    }

    /// All files of the newest version.
    pub(super) fn newest(&self) -> &[Listed] {
        self.full.first().map_or(&[], Vec::as_slice)
    }

    /// What stands in the place of these, one version after the other.
    pub(super) fn replaced(&self) -> &[Vec<Replaced>] {
        &self.replaced
    }

    /// What each version has in the place of what the one before it has, path by path as [`Line::replaced`].
    pub(super) fn newer(&self) -> &[Vec<Replaced>] {
        &self.newer
    }

    /// What one version has in the place of what another one has.
    pub(super) fn between(&self, other: usize, at: usize) -> FxHashMap<&Arc<str>, Option<ObjectId>> {
        let older = self.replaced.get(other..at).unwrap_or_default().iter().flatten();
        let newer = self.newer.get(at..other).unwrap_or_default().iter().rev().flatten();
        // The last word counts.
        older.chain(newer).map(|(path, blob)| (path, *blob)).collect()
    }

    /// The files of a version.
    pub(super) fn files(&self, at: usize) -> Vec<Listed> {
        let known = (at / STRIDE).min(self.full.len() - 1);
        let steps = &self.replaced[known * STRIDE..at];
        let mut all: FxHashMap<&Arc<str>, Option<ObjectId>> = FxHashMap::default();
        for (path, blob) in steps.iter().flatten() {
            all.insert(path, *blob);
        }
        with_replaced(&self.full[known], all.into_iter().map(|(path, blob)| (path.clone(), blob)).collect())
    }
}

/// What each version has in the place of what the one before it has, from the newest one and what the others have.
fn newer(newest: &[Listed], replaced: &[Vec<Replaced>]) -> Vec<Vec<Replaced>> {
    let mut now: FxHashMap<&Arc<str>, ObjectId> = newest.iter().map(|file| (&file.path, file.blob)).collect();
    let mut newer = Vec::with_capacity(replaced.len());
    for step in replaced {
        let after = |(path, _): &Replaced| (path.clone(), now.get(path).copied());
        newer.push(step.iter().map(after).collect());
        for (path, before) in step {
            match before {
                Some(before) => _ = now.insert(path, *before),
                None => _ = now.remove(path),
            }
        }
    }
    newer
}

/// The same files with other ones in some places, or with none, in the order of their paths.
pub(super) fn with_replaced(files: &[Listed], mut replaced: Vec<Replaced>) -> Vec<Listed> {
    replaced.sort_in_order_by(|one, other| one.0.cmp(&other.0));
    let mut left: Vec<Listed> = Vec::with_capacity(files.len() + replaced.len());
    // Git lists them so, but for names that are no text and are spelled otherwise here.
    let is_sorted = files.is_sorted_by(|one, other| one.path <= other.path);
    let mut sorted = if is_sorted { Vec::new() } else { files.to_vec() };
    sorted.sort_in_order_by(|one, other| one.path.cmp(&other.path));
    let mut rest = if is_sorted { files } else { &sorted };
    for (path, blob) in replaced {
        let (before, behind) = rest.split_at(rest.partition_point(|file| file.path < path));
        left.extend_from_slice(before);
        rest = if behind.first().is_some_and(|file| file.path == path) { &behind[1..] } else { behind };
        left.extend(blob.map(|blob| Listed { path, blob }));
    }
    left.extend_from_slice(rest);
    left
}
