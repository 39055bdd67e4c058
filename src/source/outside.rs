//! What imports lead to outside of the folders that are compared, where these lie in versions of one repository: each side
//! has its own version of that.
//!
//! A file of such a folder of imports that both versions have alike is read from disk, as all others (`library`).

use std::sync::Arc;

use super::content::git_read;
use super::dir::{Links, read_all, walk};
use super::git::Repository;
use super::names::normalised;
use super::place::{Exists, Place};
use super::request::Request;
use super::sought::Sought;
use crate::change::{Pair, Side};
use crate::failure::Failure;
use crate::formats::{Format, mapped};
use crate::snapshot::{Lent, Snapshot, SnapshotFile, is_under};

/// Where a side lies in a repository: in a version, or in the work tree, and at which path.
struct Inside<'p> {
    version: Option<&'p str>,
    path: String,
}

impl<'p> Inside<'p> {
    fn of(place: &'p Place, repository: &Repository) -> Option<Self> {
        let (version, path) = match place {
            Place::GitFolder { id, path, exists: Exists::Yes, .. } | Place::GitFile { id, path, .. } => {
                (Some(id.as_str()), path.clone())
            }
            Place::WorkTree { folder, .. } => (None, folder.clone()),
            Place::File { disk, .. } => (None, repository.inside(disk)?),
            Place::GitFolder { exists: Exists::No, .. }
            | Place::Folder { .. }
            | Place::Archive { .. }
            | Place::Image { .. }
            | Place::Index
            | Place::Stdin
            | Place::Empty => return None,
        };
        // Of a whole version nothing is outside.
        (!path.is_empty()).then_some(Inside { version, path })
    }

    /// The schemas below a folder of the repository that are not part of the side, by their paths from that folder.
    fn schemas(&self, repository: &Repository, folder: &str) -> Result<Snapshot, Failure> {
        let is_meant = |path: &str| {
            let whole = if folder.is_empty() { path.to_owned() } else { format!("{folder}/{path}") };
            Format::of_path(path).is_some() && !is_under(&whole, &self.path)
        };
        let Some(version) = self.version else {
            let Some(top) = &repository.top else { return Ok(Snapshot::default()) };
            let disk = top.join(folder);
            if !disk.is_dir() {
                return Ok(Snapshot::default());
            }
            let mut files = walk(&disk, Links::Anywhere, &Sought::default())?.files;
            files.retain(|file| is_meant(&file.path));
            return Ok(read_all(files).snapshot);
        };
        if !folder.is_empty() && repository.kind_at(version, folder)?.as_deref() != Some("tree") {
            return Ok(Snapshot::default());
        }
        let mut tree = repository.list((version, folder))?;
        tree.keep(is_meant);
        Ok(git_read(Some(repository), &[&tree], &[], None)?.pop().unwrap_or_default())
    }
}

/// Puts what differs in the folders where imports start beside the sides: it supplies types, and is not judged itself.
pub(super) fn bring(
    request: &Request,
    repository: Option<&Repository>,
    places: Pair<&Place>,
    snapshots: &mut Pair<Snapshot>,
) -> Result<(), Failure> {
    let Some(repository) = repository.filter(|_| !request.include.is_empty()) else { return Ok(()) };
    let inside = places.map(|place| Inside::of(place, repository));
    let (Some(old), Some(new)) = (inside.old, inside.new) else { return Ok(()) };
    for written in &request.include {
        for (prefix, folder) in mapped(written).into_iter().chain([("", written.as_str())]) {
            let there = repository.inside(&request.cwd.join(folder));
            let Some(folder) = there.or_else(|| normalised(&repository.prefix, folder)) else { continue };
            let versions = Pair::new(old.schemas(repository, &folder)?, new.schemas(repository, &folder)?);
            let before = if prefix.is_empty() { String::new() } else { format!("{prefix}/") };
            for path in versions.new.differing(&versions.old) {
                lend(snapshots, &Arc::from(format!("{before}{path}")), versions.as_ref().map(|side| side.get(path)));
            }
        }
    }
    Ok(())
}

/// Lends a file to the sides that have it, if neither has another one at that path.
fn lend(snapshots: &mut Pair<Snapshot>, path: &Arc<str>, files: Pair<Option<&SnapshotFile>>) {
    if snapshots.old.get(path).is_some() || snapshots.new.get(path).is_some() {
        return;
    }
    for (side, file) in [(Side::Old, files.old), (Side::New, files.new)] {
        let Some(file) = file else { continue };
        let snapshot = match side {
            Side::Old => &mut snapshots.old,
            Side::New => &mut snapshots.new,
        };
        snapshot.insert(path.clone(), file.clone());
        snapshot.lend(path.clone(), Lent::Unselected);
    }
}
