//! Schemas inside `.tar`, `.tar.gz`, `.tgz` and `.zip` files, read in memory.

use std::fs::File;
use std::io::{BufReader, Read};
use std::path::Path;
use std::sync::Arc;

use super::dir::{snapshot_file, unreadable};
use super::names::{is_relevant, path_text};
use crate::failure::Failure;
use crate::snapshot::Snapshot;

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

/// Reads the relevant files of an archive.
pub(crate) fn read(path: &Path) -> Result<Contents, Failure> {
    let file = File::open(path).map_err(|error| unreadable(path, &error))?;
    let name = path.to_string_lossy().to_ascii_lowercase();
    let mut collector = Collector::default();
    let outcome = if name.ends_with(".zip") {
        read_zip(file, &mut collector)
    } else if name.ends_with(".tar") {
        read_tar(BufReader::new(file), &mut collector)
    } else {
        read_tar(flate2::read::MultiGzDecoder::new(BufReader::new(file)), &mut collector)
    };
    outcome.map_err(|error| {
        Failure::could_not_tell(
            format!("cannot read the archive `{}`: {error}", path.display()),
            "check that the file is complete and that its name says what it is (.tar, .tar.gz, .tgz or .zip)",
        )
    })?;
    Ok(Contents { snapshot: collector.snapshot, folder: collector.folder.flatten() })
}

fn read_tar(stream: impl Read, collector: &mut Collector) -> std::io::Result<()> {
    let mut archive = tar::Archive::new(stream);
    for entry in archive.entries()? {
        let mut entry = entry?;
        if entry.header().entry_type().is_file() {
            let path = path_text(&entry.path_bytes());
            collector.take(&path, &mut entry)?;
        }
    }
    Ok(())
}

fn read_zip(file: File, collector: &mut Collector) -> std::io::Result<()> {
    let mut archive = zip::ZipArchive::new(BufReader::new(file)).map_err(std::io::Error::other)?;
    for index in 0..archive.len() {
        let mut entry = archive.by_index(index).map_err(std::io::Error::other)?;
        if entry.is_file() {
            let path = path_text(entry.name_raw()).replace('\\', "/");
            collector.take(&path, &mut entry)?;
        }
    }
    Ok(())
}

#[derive(Debug, Default)]
struct Collector {
    snapshot: Snapshot,
    /// `None` before the first file, `Some(None)` when files lie in different folders.
    folder: Option<Option<String>>,
    bytes: u64,
}

impl Collector {
    fn take(&mut self, path: &str, stream: &mut impl Read) -> std::io::Result<()> {
        let Some(path) = normalised(path) else {
            return Err(std::io::Error::other(format!("the entry `{path}` points outside of the archive")));
        };
        let folder = path.split_once('/').map(|(folder, _)| folder.to_owned());
        match &self.folder {
            None => self.folder = Some(folder),
            Some(known) if *known != folder => self.folder = Some(None),
            Some(_) => {}
        }
        if !is_relevant(&path) {
            return Ok(());
        }
        let mut bytes = Vec::new();
        stream.take(MAX_BYTES - self.bytes + 1).read_to_end(&mut bytes)?;
        self.bytes += bytes.len() as u64;
        if self.bytes > MAX_BYTES {
            return Err(std::io::Error::other("it holds more than 1 GiB of schemas"));
        }
        self.snapshot.insert(path, snapshot_file(bytes));
        Ok(())
    }
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
