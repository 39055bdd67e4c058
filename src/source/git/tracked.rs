//! A version and the work tree beside it, where both are known from the index: git compares the version with the index, and
//! a look into the folders tells what is not as the index says. What is not tracked is asked of git only where something
//! of that kind lies there.

use std::ffi::{CStr, OsStr};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustc_hash::FxHashMap;
use rustix::fd::BorrowedFd;
use rustix::fs::{AtFlags, CWD, Dir, FileType, Mode, OFlags, openat, statat};
use rustix::io::Errno;

use super::index::{Index, Indexed};
use super::lineage::with_replaced;
use super::list::parts;
use super::noted::Noted;
use super::{OnDisk, Repository, Tree, below};
use crate::change::Pair;
use crate::failure::Failure;
use crate::formats::may_wait;
use crate::parallel;
use crate::source::names::{is_configuration, may_be_referred_to, path_of};
use crate::source::sought::Sought;

/// A folder in which something is tracked.
#[derive(Default)]
struct Folder<'i> {
    path: &'i [u8],
    /// Its tracked files that count: their names, in order, and their places in the index.
    files: Vec<(&'i [u8], usize)>,
    /// The same of others that a schema may refer to.
    aside: Vec<(&'i [u8], usize)>,
}

/// What lies in folders beside what the index says.
#[derive(Default)]
struct Seen {
    /// Tracked files that are not known to be what the index says, and whether they are there.
    others: Vec<(usize, bool)>,
    /// Whether something lies there that may count and is not tracked.
    has_strangers: bool,
    /// Files that a schema may refer to and that are not known to be what the index says: tracked ones, and all of them that
    /// are there.
    aside: (Vec<usize>, Vec<PathBuf>),
    configurations: Vec<String>,
}

/// What is looked for, and where.
struct Look<'i> {
    index: &'i Index,
    folders: Vec<Folder<'i>>,
    /// The places of the folders, by their paths.
    known: FxHashMap<&'i [u8], usize>,
    top: &'i Path,
    /// When the index was written.
    written: Noted,
    sought: &'i Sought,
}

impl Repository {
    /// A version and the whole work tree, where they are that simple.
    pub(crate) fn beside_work_tree(&self, version: &str) -> Result<Option<Pair<Tree>>, Failure> {
        if self.sought.may_count_others() {
            return Ok(None);
        }
        let (Some(top), Some(Indexed { index, files, written })) = (self.top.as_deref(), self.indexed()) else {
            return Ok(None);
        };
        let look = || {
            let look = Look::new(&index, top, written, &self.sought)?;
            let seen = parallel::map(&look.folders, |folder| look.at(folder));
            seen.into_iter().try_fold(Seen::default(), |one, other| Some(one.and(other?)))
        };
        let (seen, replaced) = parallel::both(look, || self.replaced_in_index(version));
        let (replaced, mut aside) = replaced?;
        let (Some(seen), Some(replaced)) = (seen, replaced) else { return Ok(None) };
        aside.extend(seen.aside.0.iter().map(|at| index.entries[*at].blob));
        let aside = has_later(&index).then_some(aside);
        let Some(on_disk) = self.on_disk(&index, seen, top)? else { return Ok(None) };
        // Somebody may have staged something meanwhile.
        if !self.is_index_still(&written) {
            return Ok(None);
        }
        let old = Tree { files: with_replaced(&files, replaced), ..Tree::default() };
        Ok(Some(Pair::new(old, Tree { files, on_disk: Some(on_disk), aside, ..Tree::default() })))
    }

    /// What is read from the work tree. `None` where links are concerned, or something cannot be looked into.
    fn on_disk(&self, index: &Index, seen: Seen, top: &Path) -> Result<Option<OnDisk>, Failure> {
        let path = |at: usize| Arc::from(path_of(index.name(&index.entries[at])));
        let mut others: Vec<(Arc<str>, bool)> =
            seen.others.into_iter().map(|(at, is_there)| (path(at), is_there)).collect();
        let (mut configurations, mut aside) = (seen.configurations, seen.aside.1);
        if seen.has_strangers {
            let output = self.git(["ls-files", "-z", "--others", "--exclude-standard"])?;
            if !output.status.success() || !output.stderr.is_empty() {
                return Ok(None);
            }
            for name in parts(&output.stdout).filter(|name| !name.is_empty()) {
                let is_file = match below(top, name).symlink_metadata() {
                    Ok(data) if data.is_symlink() => return Ok(None),
                    Ok(data) => data.is_file(),
                    Err(_) => false,
                };
                let Ok(path) = std::str::from_utf8(name) else { return Ok(None) };
                if is_file && is_configuration(path) {
                    configurations.push(path.to_owned());
                }
                if is_file && self.sought.counts(path) {
                    others.push((Arc::from(path), true));
                } else if is_file && may_be_referred_to(path) {
                    aside.push(below(top, name));
                }
            }
        }
        let configurations = configurations.into_iter().collect();
        Ok(Some(OnDisk { top: top.to_path_buf(), others, configurations, aside }))
    }
}

impl Seen {
    fn and(mut self, mut other: Seen) -> Seen {
        self.others.append(&mut other.others);
        self.configurations.append(&mut other.configurations);
        self.aside.0.append(&mut other.aside.0);
        self.aside.1.append(&mut other.aside.1);
        self.has_strangers |= other.has_strangers;
        self
    }
}

impl<'i> Look<'i> {
    /// What has to be looked at. `None` where a name that counts is no text: it is spelled otherwise than on disk.
    fn new(index: &'i Index, top: &'i Path, written: Noted, sought: &'i Sought) -> Option<Self> {
        let (mut folders, mut known): (Vec<Folder<'_>>, FxHashMap<&[u8], usize>) = Default::default();
        let mut place = |path: &'i [u8], folders: &mut Vec<Folder<'i>>| {
            let above = std::iter::successors(Some(path), |path| (!path.is_empty()).then(|| folder_of(path)));
            for folder in above {
                let next = folders.len();
                if *known.entry(folder).or_insert(next) < next {
                    break;
                }
                folders.push(Folder { path: folder, ..Folder::default() });
            }
            known[path]
        };
        let mut last = place(b"", &mut folders);
        let has_later = has_later(index);
        for (at, tracked) in index.entries.iter().enumerate() {
            let name = index.name(tracked);
            let folder = folder_of(name);
            if folders[last].path != folder {
                last = place(folder, &mut folders);
            }
            let inside = name[folder.len()..].strip_prefix(b"/").unwrap_or(name);
            if sought.counts(&path_of(name)) {
                std::str::from_utf8(name).ok()?;
                folders[last].files.push((inside, at));
            } else if has_later && may_be_referred_to(&path_of(name)) {
                folders[last].aside.push((inside, at));
            }
        }
        Some(Look { index, folders, known, top, written, sought })
    }

    /// Looks into a folder. `None` where that is not enough to know what is there.
    fn at(&self, folder: &Folder<'i>) -> Option<Seen> {
        let mut seen = Seen::default();
        let opened = openat(CWD, below(self.top, folder.path), FOLDER, Mode::empty());
        let mut entries = match opened.and_then(Dir::new) {
            Ok(entries) => entries,
            Err(Errno::NOENT) => {
                seen.others.extend(folder.files.iter().map(|(_, at)| (*at, false)));
                seen.aside.0.extend(folder.aside.iter().map(|(_, at)| *at));
                return Some(seen);
            }
            Err(_) => return None,
        };
        let (mut found, mut aside) = (vec![false; folder.files.len()], vec![false; folder.aside.len()]);
        let mut path = folder.path.to_vec();
        path.extend((!path.is_empty()).then_some(b'/'));
        let length = path.len();
        while let Some(entry) = entries.read() {
            let entry = entry.ok()?;
            let name = entry.file_name().to_bytes();
            if matches!(name, b"." | b".." | b".git") {
                continue;
            }
            path.truncate(length);
            path.extend_from_slice(name);
            match entry.file_type() {
                FileType::RegularFile => match (place_of(name, &folder.files), place_of(name, &folder.aside)) {
                    (Some(place), _) => {
                        found[place] = true;
                        let at = folder.files[place].1;
                        if self.is_still(entries.fd().ok()?, entry.file_name(), at) != Some(true) {
                            seen.others.push((at, true));
                        }
                    }
                    (None, Some(place)) => {
                        let at = folder.aside[place].1;
                        aside[place] = self.is_as_noted(entries.fd().ok()?, entry.file_name(), at) == Some(true);
                        self.other(&path, aside[place], &mut seen);
                    }
                    (None, None) => self.other(&path, false, &mut seen),
                },
                FileType::Directory => seen.has_strangers |= !self.known.contains_key(&*path),
                // What a link leads to has to be followed, and some file systems do not say what something is.
                FileType::Symlink | FileType::Unknown => return None,
                _ => {}
            }
        }
        let others = folder.aside.iter().zip(&aside).filter(|(_, is_as_noted)| !**is_as_noted);
        seen.aside.0.extend(others.map(|((_, at), _)| *at));
        for ((name, at), _) in folder.files.iter().zip(&found).filter(|(_, found)| !**found) {
            // Where names differ in their case only, it may be there all the same.
            match statat(entries.fd().ok()?, OsStr::from_bytes(name), AtFlags::SYMLINK_NOFOLLOW) {
                Err(Errno::NOENT) => seen.others.push((*at, false)),
                _ => return None,
            }
        }
        Some(seen)
    }

    /// Whether a tracked file need not be read to know what it says.
    fn is_still(&self, folder: BorrowedFd<'_>, name: &CStr, at: usize) -> Option<bool> {
        if !may_wait(&path_of(self.index.name(&self.index.entries[at]))) {
            return Some(false);
        }
        self.is_as_noted(folder, name, at)
    }

    /// Whether a tracked file is what the index says, by all that this notes.
    fn is_as_noted(&self, folder: BorrowedFd<'_>, name: &CStr, at: usize) -> Option<bool> {
        let tracked = &self.index.entries[at];
        let file = statat(folder, name, AtFlags::SYMLINK_NOFOLLOW).ok()?;
        Some(tracked.noted?.is_still(Noted::of_stat(&file), Some(self.written)))
    }

    /// A file that is not tracked as one that counts, and whether it is known to be what the index says.
    fn other(&self, path: &[u8], is_as_noted: bool, seen: &mut Seen) {
        let file = || below(self.top, path);
        let path = path_of(path);
        seen.aside.1.extend((!is_as_noted && may_be_referred_to(&path)).then(file));
        seen.has_strangers |= self.sought.counts(&path);
        if is_configuration(&path) {
            seen.configurations.push(path.into_owned());
        }
    }
}

/// Whether a file is read later; all others are asked in any case what they refer to.
fn has_later(index: &Index) -> bool {
    index.entries.iter().any(|tracked| may_wait(&path_of(index.name(tracked))))
}

/// Where a name is among some in order.
fn place_of(name: &[u8], known: &[(&[u8], usize)]) -> Option<usize> {
    known.binary_search_by(|(known, _)| (*known).cmp(name)).ok()
}

/// The folder that a path lies in, empty at the top.
fn folder_of(path: &[u8]) -> &[u8] {
    &path[..memchr::memrchr(b'/', path).unwrap_or_default()]
}

/// Folders are not followed where they are links.
const FOLDER: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

#[cfg(test)]
#[path = "tracked_tests.rs"]
mod tests;
