//! Trees read: blobs at once where they are needed, and else when somebody wants to know what they say, one by one and by
//! one process of git.

use std::collections::BTreeMap;
use std::io::{BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use super::command::cannot_start;
use super::{ObjectFormat, Repository, Tree, content_id};
use crate::failure::Failure;
use crate::formats::may_wait;
use crate::snapshot::{Bytes, ContentId, Snapshot, SnapshotFile, Supply};

/// Reads blobs of a repository as they are asked for.
pub(crate) struct Store {
    repository: Repository,
    pipe: Mutex<Option<Pipe>>,
    is_doubtful: AtomicBool,
    /// Whether bytes are not what the file says but point into a store for large files.
    is_pointer: fn(&[u8]) -> bool,
}

/// A `git cat-file` that waits for questions.
struct Pipe {
    process: Child,
    questions: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Store {
    /// What reads blobs of a repository later; `None` where their ids are not those of contents.
    pub(crate) fn of(repository: &Repository, is_pointer: fn(&[u8]) -> bool) -> Option<Arc<Store>> {
        let store = || Store {
            repository: repository.clone(),
            pipe: Mutex::default(),
            is_doubtful: AtomicBool::default(),
            is_pointer,
        };
        (repository.object_format == ObjectFormat::Sha1).then(|| Arc::new(store()))
    }

    /// Whether something could not be read, or was not what it seemed to be: everything has to be read first then.
    pub(crate) fn is_doubtful(&self) -> bool {
        self.is_doubtful.load(Ordering::Relaxed)
    }

    fn ask(&self, id: &ContentId) -> std::io::Result<Arc<[u8]>> {
        let mut pipe = self.pipe.lock().unwrap_or_else(PoisonError::into_inner);
        let pipe = match &mut *pipe {
            Some(pipe) => pipe,
            none => none.insert(Pipe::open(&self.repository)?),
        };
        let id = id.to_string();
        writeln!(pipe.questions, "{id}")?;
        pipe.questions.flush()?;
        Ok(self.repository.read_object(&id, &mut pipe.answers)?.bytes.shared().clone())
    }
}

impl Supply for Store {
    fn read(&self, id: &ContentId) -> Arc<[u8]> {
        self.ask(id).ok().filter(|bytes| !(self.is_pointer)(bytes)).unwrap_or_else(|| {
            self.is_doubtful.store(true, Ordering::Relaxed);
            Arc::default()
        })
    }

    fn read_all(&self, ids: &[ContentId]) -> Vec<Arc<[u8]>> {
        let names: Vec<String> = ids.iter().map(ContentId::to_string).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let read = self.repository.read_blobs(&names).unwrap_or_default();
        let read: Vec<Arc<[u8]>> = read.into_iter().map(|file| file.bytes.shared().clone()).collect();
        if read.len() < ids.len() || read.iter().any(|bytes| (self.is_pointer)(bytes)) {
            self.is_doubtful.store(true, Ordering::Relaxed);
        }
        let missing = ids.len().saturating_sub(read.len());
        read.into_iter().chain(std::iter::repeat_n(Arc::default(), missing)).collect()
    }
}

impl std::fmt::Debug for Store {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a store of blobs")
    }
}

impl Pipe {
    fn open(repository: &Repository) -> std::io::Result<Pipe> {
        let mut command = repository.git.command(&repository.home);
        command.args(["cat-file", "--batch"]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut process = command.spawn().map_err(|error| std::io::Error::other(cannot_start(&error).message))?;
        let pipes = (process.stdin.take(), process.stdout.take());
        match pipes {
            (Some(questions), Some(answers)) => Ok(Pipe { process, questions, answers: BufReader::new(answers) }),
            _ => Err(std::io::Error::other("git has no standard streams")),
        }
    }
}

impl Drop for Pipe {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
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
        let mut blobs: BTreeMap<&str, Option<SnapshotFile>> = BTreeMap::new();
        for file in trees.iter().flat_map(|tree| &tree.files) {
            blobs.entry(&file.blob).or_default();
        }
        if self.object_format == ObjectFormat::Sha1 && !known.is_empty() {
            let have: BTreeMap<ContentId, &SnapshotFile> =
                known.iter().flat_map(|snapshot| snapshot.iter()).map(|(_, file)| (file.id, file)).collect();
            for (blob, slot) in &mut blobs {
                *slot = content_id(blob).and_then(|id| have.get(&id)).map(|file| (*file).clone());
            }
        }
        // In the order of paths, neighbours are often neighbours in the pack as well.
        let mut wanted: Vec<&str> = Vec::new();
        for file in trees.iter().flat_map(|tree| &tree.files) {
            if let Some(slot @ None) = blobs.get_mut(file.blob.as_str()) {
                *slot = store.and_then(|store| later(store, &file.path, &file.blob));
                if slot.is_some() {
                    continue;
                }
                *slot = Some(SnapshotFile { id: ContentId([0; 20]), bytes: Bytes::from([]) });
                wanted.push(&file.blob);
            }
        }
        for (blob, file) in wanted.iter().zip(self.read_blobs(&wanted)?) {
            blobs.insert(blob, Some(file));
        }
        Ok(trees.iter().map(|tree| snapshot_of(tree, &blobs)).collect())
    }
}

fn snapshot_of(tree: &Tree, blobs: &BTreeMap<&str, Option<SnapshotFile>>) -> Snapshot {
    let mut snapshot = Snapshot::default();
    for file in &tree.files {
        if let Some(Some(blob)) = blobs.get(file.blob.as_str()) {
            snapshot.insert(file.path.as_str(), blob.clone());
        }
    }
    tree.lent.iter().for_each(|(path, why)| snapshot.lend(path.as_str(), why.clone()));
    tree.unseen.iter().for_each(|(path, unseen)| snapshot.hide(path.as_str(), unseen.clone()));
    snapshot
}

/// A file that is read later, where that may be.
pub(super) fn later(store: &Arc<Store>, path: &str, blob: &str) -> Option<SnapshotFile> {
    let id = content_id(blob).filter(|_| may_wait(path))?;
    let supply: Arc<dyn Supply> = store.clone();
    Some(SnapshotFile { id, bytes: Bytes::later(id, supply) })
}
