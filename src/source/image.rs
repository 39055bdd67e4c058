//! Descriptor sets and buf's images: one file that holds many schemas, perhaps compressed.

use std::fs::File;
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};

use super::archive::twice;
use super::dir::{snapshot_file, unreadable};
use crate::failure::Failure;
use crate::formats::Format;
use crate::formats::protobuf::descriptor::{self, Form};
use crate::ordered::{OrderedMap, OrderedSet};
use crate::snapshot::{ContentId, Snapshot, SnapshotFile};
use crate::syntax::problem::NotChecked;

/// What sets hold.
pub(crate) const LANGUAGE: Format = Format::Protobuf;
/// A larger set is refused, also when a small compressed file unfolds to one.
const MAX_BYTES: u64 = 256 << 20;

/// A file that holds a set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImageFile {
    /// Where it is.
    pub disk: PathBuf,
    /// How the set is written.
    pub form: Form,
    /// How the file is compressed.
    pub compression: Compression,
}

/// How a file is compressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Compression {
    /// Not at all.
    None,
    /// gzip.
    Gzip,
    /// Zstandard.
    Zstd,
}

/// What the name of a file says about the set in it; `None` when it says that there is none.
pub(crate) fn named(name: &str) -> Option<(Form, Compression)> {
    let name = name.to_ascii_lowercase();
    let (name, compression) = compression_of(&name);
    let (_, ending) = name.rsplit_once('.')?;
    match ending {
        "binpb" | "pb" | "bin" | "desc" | "protoset" => Some((Form::Binary, compression)),
        "json" => Some((Form::Json, compression)),
        _ => None,
    }
}

/// The name without the ending of its compression.
pub(crate) fn compression_of(name: &str) -> (&str, Compression) {
    if let Some(name) = name.strip_suffix(".gz") {
        (name, Compression::Gzip)
    } else if let Some(name) = name.strip_suffix(".zst") {
        (name, Compression::Zstd)
    } else {
        (name, Compression::None)
    }
}

/// What a set holds.
#[derive(Debug, Default)]
pub(crate) struct ImageContents {
    /// The files that are judged.
    pub snapshot: Snapshot,
    /// The files that only supply types, by import path.
    pub imports: Vec<(String, SnapshotFile)>,
    /// What could not be taken over.
    pub notes: Vec<NotChecked>,
}

/// Reads a set.
pub(crate) fn read(image: &ImageFile, label: &str) -> Result<ImageContents, Failure> {
    let bytes = unpacked(image)?;
    let decoded = descriptor::read(image.form, &bytes).map_err(|reason| broken(&image.disk, &reason))?;
    let mut contents = ImageContents::default();
    let note = |what: String, help: &str| NotChecked { file: label.to_owned(), what, help: help.to_owned() };
    if decoded.files.iter().any(|file| !file.is_import && !file.has_places) {
        contents.notes.push(note(
            "the set has no source info, so lines are those of the text that wireproof prints from it".to_owned(),
            "`protoc --include_source_info`; `buf build` keeps it unless told otherwise",
        ));
    }
    contents.notes.extend(decoded.left_out.iter().map(|what| {
        note(
            format!("{what}, which nothing in the set defines"),
            "`protoc --include_imports`; `buf build` includes imports",
        )
    }));
    let mut seen: OrderedMap<String, OrderedSet<ContentId>> = OrderedMap::new();
    for file in decoded.files {
        let content = snapshot_file(file.text.into_bytes());
        seen.entry(file.path.clone()).or_default().insert(content.id);
        if file.is_import {
            contents.imports.push((file.path, content));
        } else if leads_out(&file.path) {
            return Err(broken(&image.disk, &format!("the file `{}` in it points outside", file.path)));
        } else {
            contents.snapshot.insert(file.path, content);
        }
    }
    // A pool of descriptors refuses a name that is there twice.
    for (path, versions) in seen.into_iter().filter(|(_, versions)| versions.len() > 1) {
        let ids: Vec<String> = versions.iter().map(ContentId::to_string).collect();
        contents.snapshot.hide(path, twice(ids.join(" ")));
    }
    Ok(contents)
}

fn leads_out(path: &str) -> bool {
    path.is_empty() || path.starts_with('/') || path.split('/').any(|part| part == "..")
}

fn unpacked(image: &ImageFile) -> Result<Vec<u8>, Failure> {
    let file = File::open(&image.disk).map_err(|error| unreadable(&image.disk, &error))?;
    let file = BufReader::new(file);
    let read = match image.compression {
        Compression::None => bounded(file),
        Compression::Gzip => bounded(flate2::read::MultiGzDecoder::new(file)),
        Compression::Zstd => match ruzstd::decoding::StreamingDecoder::new(file) {
            Ok(decoder) => bounded(decoder),
            Err(error) => Err(error.to_string()),
        },
    };
    read.map_err(|reason| broken(&image.disk, &reason))
}

fn bounded(stream: impl Read) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    stream.take(MAX_BYTES + 1).read_to_end(&mut bytes).map_err(|error| error.to_string())?;
    match bytes.len() as u64 {
        0 => Err("it is empty".to_owned()),
        size if size > MAX_BYTES => Err("it holds more than 256 MiB".to_owned()),
        _ => Ok(bytes),
    }
}

fn broken(path: &Path, reason: &str) -> Failure {
    Failure::could_not_tell(
        format!("cannot read the descriptor set `{}`: {reason}", path.display()),
        "write it anew: `buf build -o FILE.binpb`, or `protoc --include_imports --include_source_info -o FILE.binpb …`",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_unfolds_without_end_is_refused() {
        let reason = bounded(std::io::repeat(0)).expect_err("has no end");
        assert_eq!(reason, "it holds more than 256 MiB");
    }

    #[test]
    fn a_name_says_how_a_set_is_written() {
        assert_eq!(named("a.binpb"), Some((Form::Binary, Compression::None)));
        assert_eq!(named("a/b.json.gz"), Some((Form::Json, Compression::Gzip)));
        assert_eq!(named("A.DESC.ZST"), Some((Form::Binary, Compression::Zstd)));
        assert_eq!(named("a.tar.gz"), None);
        assert_eq!(named("a.proto"), None);
    }
}
