//! The content of a side: read where it is cheap to read, and only listed where git supplies it.

use std::io::Read;
use std::sync::Arc;

use super::archive::{self, Contents};
use super::dir::{Links, Walked, read_one, snapshot_file, walk};
use super::git::later::Store;
use super::git::{Repository, Tree};
use super::image::{self, ImageContents};
use super::place::{Exists, Place, not_a_repository};
use super::sought::Sought;
use super::standard_input::standard_input;
use crate::change::Pair;
use crate::failure::Failure;
use crate::ordered::OrderedSet;
use crate::parallel;
use crate::snapshot::{Snapshot, SnapshotFile};

/// Standard input larger than this is refused.
const MAX_STDIN: u64 = 256 << 20;

/// A side with its files known, those of git not read yet.
pub(super) enum Content {
    Ready(Snapshot),
    Packed(Contents),
    Printed(ImageContents),
    Listed(Tree),
}

impl Content {
    /// Where configurations of this program lie, if they were seen on the way.
    pub(super) fn configurations(&self) -> Option<&OrderedSet<String>> {
        match self {
            Content::Listed(tree) => tree.on_disk.as_ref().map(|on_disk| &on_disk.configurations),
            Content::Ready(_) | Content::Packed(_) | Content::Printed(_) => None,
        }
    }
}

/// Opens both places; what two versions of git have in common is listed once.
pub(super) fn open_both(
    places: Pair<&Place>,
    names: Pair<Option<&str>>,
    (repository, sought): (Option<&Repository>, &Sought),
    store: Option<&Arc<Store>>,
) -> Result<Pair<Content>, Failure> {
    let listed = places.map(|place| match place {
        Place::GitFolder { id, path, exists: Exists::Yes, .. } => Some((id.as_str(), path.as_str())),
        _ => None,
    });
    if let (Some(repository), Some(old), Some(new)) = (repository, listed.old, listed.new) {
        let is_whole = old.1.is_empty() && new.1.is_empty();
        let made = Pair::new(old, new).map(|(id, _)| repository.made(id, store.filter(|_| is_whole)?));
        let version = |made: Option<Snapshot>, id: &str| match made {
            Some(made) => Some(Content::Ready(made)),
            None => repository.version(id).map(Content::Listed),
        };
        if (made.old.is_some() || made.new.is_some())
            && let (Some(old), Some(new)) = (version(made.old, old.0), version(made.new, new.0))
        {
            return Ok(Pair::new(old, new));
        }
        return Ok(repository.list_both(Pair::new(old, new))?.map(Content::Listed));
    }
    if let (Some(repository), Some((version, "")), Place::WorkTree { folder, .. }) =
        (repository, listed.old, places.new)
        && folder.is_empty()
        && store.is_some()
        && let Some(both) = repository.beside_work_tree(version)?
    {
        return Ok(both.map(Content::Listed));
    }
    let old = || open(places.old, names.old, (repository, sought), store);
    let new = || open(places.new, names.new, (repository, sought), store);
    // Git is waited for, and may as well be waited for twice at once; a folder is only listed.
    let (old, new) = if repository.is_some() { parallel::both(old, new) } else { (old(), new()) };
    Ok(Pair::new(old?, new?))
}

/// Opens a place; a single file is called by the name given. In a plain folder the files of a format count that was asked for,
/// also those whose names alone say too little.
fn open(
    place: &Place,
    name: Option<&str>,
    (repository, sought): (Option<&Repository>, &Sought),
    store: Option<&Arc<Store>>,
) -> Result<Content, Failure> {
    let ready = Content::Ready;
    let single = |file: SnapshotFile| {
        let mut snapshot = Snapshot::default();
        snapshot.insert(name.unwrap_or("stdin"), file);
        ready(snapshot)
    };
    let git = || repository.ok_or_else(not_a_repository);
    match place {
        Place::Empty | Place::GitFolder { exists: Exists::No, .. } => Ok(ready(Snapshot::default())),
        Place::Stdin => read_stdin().map(single),
        Place::File { disk, .. } => read_one(disk).map(single),
        Place::Folder { disk, .. } => walk(disk, Links::Inside, sought).map(Walked::read).map(ready),
        Place::Archive { disk, .. } => archive::read(disk, sought).map(Content::Packed),
        Place::Image { file, label } => image::read(file, label).map(Content::Printed),
        Place::WorkTree { folder, .. } => git()?.work_tree(folder, store).map(ready),
        Place::Index => git()?.staged().map(Content::Listed),
        Place::GitFolder { id, path, .. } => git()?.list((id, path)).map(Content::Listed),
        Place::GitFile { id, path, .. } => git()?.list_file(id, path, name.unwrap_or(path)).map(Content::Listed),
    }
}

fn read_stdin() -> Result<SnapshotFile, Failure> {
    let mut bytes = Vec::new();
    let mut stream = standard_input().take(MAX_STDIN + 1);
    match stream.read_to_end(&mut bytes) {
        Ok(_) if bytes.len() as u64 <= MAX_STDIN => Ok(snapshot_file(bytes)),
        Ok(_) => Err(Failure::could_not_tell("standard input is larger than 256 MiB", "give the schema as a file")),
        Err(error) => {
            Err(Failure::could_not_tell(format!("cannot read standard input: {error}"), "give the schema as a file"))
        }
    }
}

/// The ways to read a side: an archive also without the one folder everything in it lies in.
pub(super) fn forms(content: Content) -> Vec<Snapshot> {
    match content {
        Content::Ready(snapshot) => vec![snapshot],
        Content::Listed(_) => Vec::new(),
        Content::Printed(ImageContents { snapshot, .. }) => vec![snapshot],
        Content::Packed(Contents { snapshot, folder: None }) => vec![snapshot],
        Content::Packed(Contents { snapshot, folder: Some(folder) }) => {
            let stripped = archive::without_folder(&snapshot, &folder);
            vec![snapshot, stripped]
        }
    }
}

/// Reads trees of git in one go, without what is known already.
pub(super) fn git_read(
    repository: Option<&Repository>,
    trees: &[&Tree],
    known: &[&Snapshot],
    store: Option<&Arc<Store>>,
) -> Result<Vec<Snapshot>, Failure> {
    repository.ok_or_else(not_a_repository)?.read(trees, known, store)
}
