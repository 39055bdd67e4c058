//! Schemas inside `.tar`, `.tar.gz`, `.tgz` and `.zip` files, read in memory.

use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom};
use std::path::Path;
use std::sync::Arc;

use super::dir::{snapshot_file, unreadable};
use super::listing::{LONGEST_TARGET, Listing, Stands};
use super::names::{is_relevant, path_text};
use super::sought::Sought;
use crate::failure::Failure;
use crate::ordered::{OrderedMap, OrderedSet};
use crate::snapshot::{ContentId, Hidden, Lent, Snapshot, SnapshotFile, Unseen};

/// More schema text than this in one archive is refused: a small archive must not fill the memory.
const MAX_BYTES: u64 = 1 << 30;

/// Whether a file name says that it is an archive.
pub(crate) fn is_archive(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    [".tar", ".tar.gz", ".tgz", ".zip"].iter().any(|ending| name.ends_with(ending))
}

/// What an archive holds.
#[derive(Debug, Default)]
pub(crate) struct Contents {
    /// Its relevant files.
    pub snapshot: Snapshot,
    /// The one folder everything lies in, if there is one: release archives are packed that way.
    pub folder: Option<String>,
}

/// Reads the relevant files of an archive, and what its links lead to.
pub(crate) fn read(path: &Path, sought: &Sought) -> Result<Contents, Failure> {
    let empty = || Collector { sought: sought.clone(), ..Collector::default() };
    let mut collector = empty();
    collect(path, &mut collector)?.map_err(|error| broken(path, &error))?;
    let wanted: OrderedSet<String> =
        collector.listing.laid("", &collector.sought).files.into_iter().filter_map(behind_link).collect();
    if !wanted.is_empty() {
        collector = Collector { wanted, ..empty() };
        collect(path, &mut collector)?.map_err(|error| broken(path, &error))?;
    }
    Ok(collector.finish())
}

/// The files of an archive that are no schemas by their names and no larger than a size, at most so many, without the one
/// folder everything lies in.
pub(crate) fn others(path: &Path, largest: u64, most: usize) -> Result<OrderedMap<String, Arc<[u8]>>, Failure> {
    let mut collector =
        Collector { aside: Some(Aside { largest, most, found: OrderedMap::new() }), ..Collector::default() };
    collect(path, &mut collector)?.map_err(|error| broken(path, &error))?;
    let folder = collector.folder.flatten().map(|folder| folder + "/").unwrap_or_default();
    let found = collector.aside.map(|aside| aside.found).unwrap_or_default();
    let inside = |path: String| path.strip_prefix(&folder).map(str::to_owned).unwrap_or(path);
    Ok(found.into_iter().map(|(path, bytes)| (inside(path), bytes)).collect())
}

fn broken(path: &Path, error: &std::io::Error) -> Failure {
    Failure::could_not_tell(
        format!("cannot read the archive `{}`: {error}", path.display()),
        "check that the file is complete and that its name says what it is (.tar, .tar.gz, .tgz or .zip)",
    )
}

/// The file behind a link whose bytes nobody has taken yet.
fn behind_link((_, content, lent): (Arc<str>, Option<SnapshotFile>, Option<Lent>)) -> Option<String> {
    match lent {
        Some(Lent::Link(real)) if content.is_none() => Some(real.to_string()),
        Some(_) | None => None,
    }
}

fn collect(path: &Path, collector: &mut Collector) -> Result<std::io::Result<()>, Failure> {
    let file = File::open(path).map_err(|error| unreadable(path, &error))?;
    let name = path.to_string_lossy().to_ascii_lowercase();
    Ok(if name.ends_with(".zip") {
        read_zip(file, collector)
    } else if name.ends_with(".tar") {
        read_tar(BufReader::new(file), collector)
    } else {
        read_tar(flate2::read::MultiGzDecoder::new(BufReader::new(file)), collector)
    })
}

fn read_tar(stream: impl Read, collector: &mut Collector) -> std::io::Result<()> {
    let mut archive = tar::Archive::new(stream);
    for entry in archive.entries()? {
        let mut entry = entry?;
        let (path, kind) = (path_text(&entry.path_bytes()), entry.header().entry_type());
        let target = entry.link_name_bytes().map(|target| path_text(&target));
        match (kind, target) {
            (kind, _) if kind.is_file() => collector.take(&path, &mut entry)?,
            (kind, Some(target)) if kind.is_symlink() => collector.take_link(&path, target)?,
            // A hard link names a path from the top.
            (kind, Some(target)) if kind.is_hard_link() => {
                let up = "../".repeat(normalised(&path).unwrap_or_default().matches('/').count());
                collector.take_link(&path, format!("{up}{target}"))?;
            }
            _ => {}
        }
    }
    Ok(())
}

/// The names that the directory of a ZIP file has more than once, which its reader takes for one: name → checksums.
fn repeated(file: &mut File) -> std::io::Result<OrderedMap<String, Vec<u32>>> {
    const END: &[u8] = b"PK\x05\x06";
    const ENTRY: &[u8] = b"PK\x01\x02";
    // The end has a comment of at most 64 KiB.
    let length = file.metadata()?.len();
    let from = length.saturating_sub(66_000);
    let mut tail = Vec::new();
    file.seek(SeekFrom::Start(from))?;
    (&mut *file).take(66_000).read_to_end(&mut tail)?;
    let Some(at) = tail.windows(4).rposition(|window| window == END) else { return Ok(OrderedMap::new()) };
    let number = |bytes: &[u8], at: usize, width: usize| {
        let bytes = bytes.get(at..at + width).unwrap_or_default();
        bytes.iter().rev().fold(0u32, |number, byte| number << 8 | u32::from(*byte))
    };
    let size = u64::from(number(&tail, at + 12, 4));
    let mut directory = Vec::new();
    file.seek(SeekFrom::Start((from + at as u64).saturating_sub(size)))?;
    (&mut *file).take(size).read_to_end(&mut directory)?;
    let mut found: OrderedMap<String, Vec<u32>> = OrderedMap::new();
    let mut rest = directory.as_slice();
    while rest.starts_with(ENTRY) && rest.len() >= 46 {
        let lengths = [28, 30, 32].map(|at| number(rest, at, 2) as usize);
        let end = 46 + lengths[0];
        let name = path_text(rest.get(46..end).unwrap_or_default()).replace('\\', "/");
        found.entry(normalised(&name).unwrap_or(name)).or_default().push(number(rest, 16, 4));
        rest = rest.get(end + lengths[1] + lengths[2]..).unwrap_or_default();
    }
    found.retain(|_, checksums| checksums.len() > 1);
    file.rewind()?;
    Ok(found)
}

fn read_zip(mut file: File, collector: &mut Collector) -> std::io::Result<()> {
    collector.repeated = repeated(&mut file)?;
    const KIND: u32 = 0o170_000;
    const LINK: u32 = 0o120_000;
    let mut archive = zip::ZipArchive::new(BufReader::new(file)).map_err(std::io::Error::other)?;
    for index in 0..archive.len() {
        let mut entry = archive.by_index(index).map_err(std::io::Error::other)?;
        let path = path_text(entry.name_raw()).replace('\\', "/");
        if entry.unix_mode().is_some_and(|mode| mode & KIND == LINK) {
            let mut target = Vec::new();
            (&mut entry).take(LONGEST_TARGET as u64).read_to_end(&mut target)?;
            collector.take_link(&path, path_text(&target))?;
        } else if entry.is_file() {
            collector.take(&path, &mut entry)?;
        }
    }
    Ok(())
}

/// What is looked at beside the schemas, and how much of it.
#[derive(Debug)]
struct Aside {
    largest: u64,
    most: usize,
    found: OrderedMap<String, Arc<[u8]>>,
}

#[derive(Debug, Default)]
struct Collector {
    /// The files, with the bytes of those that matter.
    listing: Listing<Option<SnapshotFile>>,
    /// Files without a relevant name that links lead to.
    wanted: OrderedSet<String>,
    /// Files without a relevant name, where somebody looks for schemas among them.
    aside: Option<Aside>,
    /// What each path holds that is there more than once.
    versions: OrderedMap<String, OrderedSet<ContentId>>,
    /// What the directory of a ZIP file has more than once: path → checksums.
    repeated: OrderedMap<String, Vec<u32>>,
    /// `None` before the first file, `Some(None)` when files lie in different folders.
    folder: Option<Option<String>>,
    bytes: u64,
    sought: Sought,
}

impl Collector {
    fn enter(&mut self, path: &str) -> std::io::Result<String> {
        let Some(path) = normalised(path) else {
            return Err(std::io::Error::other(format!("the entry `{path}` points outside of the archive")));
        };
        let folder = path.split_once('/').map(|(folder, _)| folder.to_owned());
        match &self.folder {
            None => self.folder = Some(folder),
            Some(known) if *known != folder => self.folder = Some(None),
            Some(_) => {}
        }
        Ok(path)
    }

    fn take(&mut self, path: &str, stream: &mut impl Read) -> std::io::Result<()> {
        let path = self.enter(path)?;
        if !self.sought.may_count(&path) && !self.wanted.contains(&path) {
            self.look_aside(&path, stream)?;
            self.listing.insert(path, Stands::File(None));
            return Ok(());
        }
        let mut bytes = Vec::new();
        stream.take(MAX_BYTES - self.bytes + 1).read_to_end(&mut bytes)?;
        self.bytes += bytes.len() as u64;
        if self.bytes > MAX_BYTES {
            return Err(std::io::Error::other("it holds more than 1 GiB of schemas"));
        }
        let file = snapshot_file(bytes);
        self.versions.entry(path.clone()).or_default().insert(file.id);
        self.listing.insert(path, Stands::File(Some(file)));
        Ok(())
    }

    fn look_aside(&mut self, path: &str, stream: &mut impl Read) -> std::io::Result<()> {
        let Some(aside) = self.aside.as_mut().filter(|aside| aside.found.len() < aside.most) else { return Ok(()) };
        let mut bytes = Vec::new();
        stream.take(aside.largest + 1).read_to_end(&mut bytes)?;
        let length = bytes.len() as u64;
        if length <= aside.largest && self.bytes + length <= MAX_BYTES {
            self.bytes += length;
            aside.found.insert(path.to_owned(), Arc::from(bytes));
        }
        Ok(())
    }

    fn take_link(&mut self, path: &str, target: String) -> std::io::Result<()> {
        let path = self.enter(path)?;
        self.versions.entry(path.clone()).or_default().insert(ContentId::of(target.as_bytes()));
        self.listing.insert(path, Stands::Link(target));
        Ok(())
    }

    fn finish(self) -> Contents {
        let laid = self.listing.laid("", &self.sought);
        let mut snapshot = Snapshot::default();
        for (path, content, lent) in laid.files {
            let Some(file) = content else { continue };
            snapshot.insert(path.clone(), file);
            if let Some(lent) = lent {
                snapshot.lend(path, lent);
            }
        }
        laid.unseen.into_iter().for_each(|(path, unseen)| snapshot.hide(path, unseen));
        // Unpacked, the last of several wins; a program may well take the first.
        for (path, versions) in
            self.versions.into_iter().filter(|(path, versions)| versions.len() > 1 && is_relevant(path))
        {
            let ids: Vec<String> = versions.iter().map(ContentId::to_string).collect();
            snapshot.hide(path, twice(ids.join(" ")));
        }
        for (path, checksums) in self.repeated.into_iter().filter(|(path, _)| is_relevant(path)) {
            snapshot.hide(path, twice(format!("{checksums:?}")));
        }
        Contents { snapshot, folder: self.folder.flatten() }
    }
}

/// A path that is there more than once, with different contents.
pub(crate) fn twice(identity: String) -> Unseen {
    let remedy = "Pack it again with one file of each name.".to_owned();
    Unseen { what: Hidden::Twice, identity, remedy, is_selected: true }
}

/// The path without `.` and empty components; `None` if it leaves the archive.
fn normalised(path: &str) -> Option<String> {
    let mut parts = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => return None,
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// The same files without their common folder.
pub(crate) fn without_folder(snapshot: &Snapshot, folder: &str) -> Snapshot {
    let inside = |path: &str| path.strip_prefix(folder).and_then(|rest| rest.strip_prefix('/')).map(Arc::from);
    snapshot.with_paths(|path| inside(path).or_else(|| Some(Arc::from(path))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_normalised_and_never_leave_the_archive() {
        assert_eq!(normalised("./a//b.proto").as_deref(), Some("a/b.proto"));
        assert_eq!(normalised("a/../../b.proto"), None);
    }
}
