//! The index of git, read from its file: what is tracked, by which content, and what is noted of the files.
//!
//! As <https://git-scm.com/docs/index-format> has it, versions 2 to 4. Whatever is not plain (links, submodules, conflicts,
//! what a sparse checkout leaves out, what is announced and not staged, an index in parts) is left to git itself.

use std::fs::File;
use std::io::Read;
use std::sync::Arc;

use super::lineage::{Listed, Replaced, with_replaced};
use super::list::{aside_among, replaced_among};
use super::noted::Noted;
use super::{ObjectFormat, Repository, Tree, git_failed};
use crate::failure::Failure;
use crate::source::names::path_of;
use crate::source::object::ObjectId;

/// What is tracked, in the order of the index.
#[derive(Debug, Default)]
pub(super) struct Index {
    names: Vec<u8>,
    pub(super) entries: Vec<Tracked>,
}

/// A plain file that is tracked.
#[derive(Debug, Clone, Copy)]
pub(super) struct Tracked {
    /// Where its name ends among all names; it begins where the one before it ends.
    name: (usize, usize),
    pub(super) blob: ObjectId,
    /// What is noted of the file; nothing where somebody told git that it does not change (`--assume-unchanged`).
    pub(super) noted: Option<Noted>,
}

/// Bytes of an entry before its name, but for the flags of versions that have more of them.
const HEAD: usize = 62;
/// Flags: what is believed unseen, that there are more flags, and which side of a conflict it is.
const ASSUMED: u16 = 0x8000;
const EXTENDED: u16 = 0x4000;
const STAGE: u16 = 0x3000;

impl Index {
    /// Reads a file of a repository whose ids are SHA-1. `None` where it is not plain, or no index.
    pub(super) fn read(file: &[u8]) -> Option<Index> {
        let version = number(file.strip_prefix(b"DIRC")?, 0)?;
        let count = number(file, 8)? as usize;
        // The checksum is behind it all.
        let file = &file[..file.len().checked_sub(20)?];
        let mut index = Index::default();
        index.entries.reserve(count.min(file.len() / HEAD));
        index.names.reserve(file.len().saturating_sub(count * HEAD));
        let mut at = 12;
        for _ in 0..count {
            at = index.read_entry(file, at, version)?;
        }
        // An extension in lower case has to be understood by whoever reads the index.
        while at < file.len() {
            let is_optional = file[at].is_ascii_uppercase();
            at = at.checked_add(8)?.checked_add(number(file, at + 4)? as usize)?;
            if !is_optional || at > file.len() {
                return None;
            }
        }
        Some(index)
    }

    /// Reads one entry, and says where the next one begins.
    fn read_entry(&mut self, file: &[u8], start: usize, version: u32) -> Option<usize> {
        let head = file.get(start..start.checked_add(HEAD)?)?;
        let word = |at: usize| number(head, at);
        let flags = u16::from_be_bytes([head[60], head[61]]);
        let is_plain_file = word(24)? >> 12 == 0o10;
        // The further flags say that a file is left out here, or only announced.
        let is_extended = flags & EXTENDED != 0;
        let more = if is_extended { file.get(start + HEAD..start + HEAD + 2)? } else { &[0, 0] };
        if !is_plain_file || flags & STAGE != 0 || *more != [0, 0] || !(2..=4).contains(&version) {
            return None;
        }
        let at = start + HEAD + if is_extended { 2 } else { 0 };
        let (kept, at) = if version == 4 { shared(file, at)? } else { (0, at) };
        let length = memchr::memchr(0, file.get(at..)?)?;
        let last = self.entries.last().map_or(0..0, |last| last.name.0..last.name.1);
        let shared = if version == 4 { last.start..last.end.checked_sub(kept)? } else { last.end..last.end };
        let begin = self.names.len();
        self.names.extend_from_within(self.names.get(shared.clone()).map(|_| shared)?);
        self.names.extend_from_slice(&file[at..at + length]);
        let noted = Noted::of_index([word(0)?, word(4)?], [word(8)?, word(12)?], word(20)?, word(36)?);
        self.entries.push(Tracked {
            name: (begin, self.names.len()),
            blob: ObjectId::of_sha1(head[40..60].first_chunk()?),
            noted: (flags & ASSUMED == 0).then_some(noted),
        });
        // Each is filled up with one to eight zeros, but for those that share their beginnings.
        let end = at + length;
        Some(if version == 4 { end + 1 } else { start + (end - start) / 8 * 8 + 8 })
    }

    /// The path of a file, as git spells it.
    pub(super) fn name(&self, tracked: &Tracked) -> &[u8] {
        &self.names[tracked.name.0..tracked.name.1]
    }
}

/// The index, and the files in it that count.
pub(super) struct Indexed {
    pub(super) index: Index,
    pub(super) files: Vec<Listed>,
    /// What its file is like.
    pub(super) written: Noted,
}

impl Repository {
    /// The relevant files of a whole version, where the index has most of them: git tells sooner what differs than it lists
    /// what there is.
    pub(super) fn listed_by_index(&self, (version, folder): (&str, &str)) -> Result<Option<Tree>, Failure> {
        let Some(indexed) = folder.is_empty().then(|| self.indexed()).flatten() else { return Ok(None) };
        let (Some(replaced), _) = self.replaced_in_index(version)? else { return Ok(None) };
        let tree = || Tree { files: with_replaced(&indexed.files, replaced), ..Tree::default() };
        Ok(self.is_index_still(&indexed.written).then(tree))
    }

    /// Reads the index, where it is plain, and notes what should lie in the work tree.
    pub(super) fn indexed(&self) -> Option<Indexed> {
        let top = self.top.as_deref().filter(|_| self.object_format == ObjectFormat::Sha1)?;
        let mut file = File::open(&self.index).ok()?;
        let written = Noted::of(&file.metadata().ok()?)?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).ok()?;
        let index = Index::read(&bytes)?;
        let listed = index.entries.iter().filter_map(|tracked| {
            let path = path_of(index.name(tracked));
            self.sought.counts(&path).then(|| Listed { path: Arc::from(path), blob: tracked.blob })
        });
        let files: Vec<Listed> = listed.collect();
        self.lying.set(top, files.iter().filter_map(|file| Some((file.blob.content()?, file.path.clone()))));
        Some(Indexed { index, files, written })
    }

    /// Whether nobody wrote the index since it was read.
    pub(super) fn is_index_still(&self, written: &Noted) -> bool {
        self.index.metadata().ok().and_then(|now| Noted::of(&now)) == Some(*written)
    }

    /// What a version has where the index has something else, and what either holds aside.
    pub(super) fn replaced_in_index(&self, version: &str) -> Result<(Option<Vec<Replaced>>, Vec<ObjectId>), Failure> {
        let question =
            ["diff-index", "--cached", "-z", "--raw", "--no-abbrev", "--no-renames", "--no-ext-diff", version];
        let output = self.git(question)?;
        if !output.status.success() {
            return Err(git_failed("compare a version with what is staged", &output));
        }
        let replaced = replaced_among(&output.stdout, &|path| self.sought.counts(path));
        Ok((replaced, aside_among(&output.stdout)))
    }
}

/// A number of four bytes, the greatest first.
fn number(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..)?.first_chunk().map(|word| u32::from_be_bytes(*word))
}

/// How much of the name before is not shared, and what comes behind that: a number in groups of seven bits, where each
/// further group counts from one.
fn shared(file: &[u8], mut at: usize) -> Option<(usize, usize)> {
    let mut byte = *file.get(at)?;
    let mut value = usize::from(byte & 0x7f);
    while byte & 0x80 != 0 {
        at += 1;
        byte = *file.get(at)?;
        value = value.checked_add(1)?.checked_mul(128)?.checked_add(usize::from(byte & 0x7f))?;
    }
    Some((value, at + 1))
}
