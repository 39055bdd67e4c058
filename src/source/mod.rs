//! Where schemas come from: directories, files, git's object database, archives, standard input.
//!
//! The only module that reads schema files or runs git. Nothing is ever checked out, and nothing is written.

mod archive;
pub mod base;
pub mod beside;
mod dir;
pub mod git;
pub mod image;
pub mod load;
mod modules;
pub mod select;
mod suffix;
pub(crate) mod survey;

use std::path::{Path, PathBuf};

pub use crate::snapshot::{ContentId, Snapshot, SnapshotFile};
pub use load::{Loaded, Request, load};
pub use select::Selection;

use crate::failure::Failure;
use crate::formats::Format;

/// Where one side comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// A directory or one schema file.
    Path(PathBuf),
    /// A `.tar`, `.tar.gz`, `.tgz` or `.zip` file.
    Archive(PathBuf),
    /// A descriptor set, or an image of buf.
    Image(image::ImageFile),
    /// A tree, or a folder or file of it, in git's object database.
    Git(GitSource),
    /// One schema file on standard input.
    Stdin,
    /// The files of the git work tree around the working directory: tracked and untracked, not ignored.
    WorkTree,
    /// What is staged for the next commit: git's index.
    Index,
    /// No files at all: what came before the first commit.
    Empty,
}

/// A version in git's object database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GitSource {
    /// The revision as git understands it: `main`, `HEAD~3`, `v1.2`, an id.
    pub revision: String,
    /// A folder or a file inside the tree; the whole tree when absent.
    pub path: Option<TreePath>,
    /// Why this version was chosen (`merge base of main`), for the report.
    pub reason: Option<String>,
    /// Whether the user said that this is a revision.
    pub spelling: Spelling,
}

/// A folder or a file inside a tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TreePath {
    /// The user named it, so it must exist.
    Written(String),
    /// It is where the other side lies in the work tree; on this side it may not exist yet.
    Inferred(String),
}

/// How a revision was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Spelling {
    /// `git:main`
    Explicit,
    /// `main`, and no such path exists.
    Guessed,
}

impl GitSource {
    /// The whole tree of a revision.
    pub fn tree(revision: impl Into<String>) -> Self {
        Self { revision: revision.into(), path: None, reason: None, spelling: Spelling::Explicit }
    }
}

impl Source {
    /// Understands `git:REF[:PATH]`, a path with or without buf's options behind a `#`, or `-`. A path that exists wins over a revision; `git:` forces the revision.
    pub fn parse(text: &str, cwd: &Path) -> Result<Source, Failure> {
        if text == "-" {
            return Ok(Source::Stdin);
        }
        if let Some(revision) = text.strip_prefix("git:") {
            return git_source(revision, Spelling::Explicit).map(Source::Git);
        }
        let path = cwd.join(text);
        if !text.is_empty() && path.exists() {
            let form = image::named(text).filter(|_| path.is_file());
            return Ok(match form {
                _ if path.is_file() && archive::is_archive(text) => Source::Archive(path),
                Some((form, compression)) => Source::Image(image::ImageFile { disk: path, form, compression }),
                None => Source::Path(path),
            });
        }
        if let Some(source) = suffix::parse(text, cwd) {
            return source;
        }
        if looks_like_path(text) {
            return Err(Failure::usage(
                format!("there is no file or directory `{text}`"),
                format!("check the path, or write `git:{text}` if it names a revision"),
            ));
        }
        git_source(text, Spelling::Guessed).map(Source::Git)
    }
}

/// `REF` or `REF:PATH`.
fn git_source(text: &str, spelling: Spelling) -> Result<GitSource, Failure> {
    let (revision, path) = match text.split_once(':') {
        Some((revision, path)) => (revision, Some(path.trim_end_matches('/'))),
        None => (text, None),
    };
    git::check_revision(revision)?;
    let path = path.filter(|path| !path.is_empty() && *path != ".").map(|path| TreePath::Written(path.to_owned()));
    Ok(GitSource { revision: revision.to_owned(), path, reason: None, spelling })
}

/// Whether a word that names nothing on disk was most likely meant as a path.
fn looks_like_path(text: &str) -> bool {
    let plain = !text.contains(':');
    text.is_empty()
        || text.starts_with(['.', '/', '~', '\\'])
        || (plain && (text.ends_with('/') || is_archive_or_set(text) || Format::of_path(text).is_some()))
}

fn is_archive_or_set(text: &str) -> bool {
    archive::is_archive(text) || image::named(text).is_some()
}

/// Whether a file can matter: a schema, or a file that says how schemas are found.
pub fn is_relevant(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    matches!(name, "buf.yaml" | "buf.work.yaml" | "buf.lock" | "buf.gen.yaml") || Format::is_schema(name)
}

/// A file name as text: bytes that are not UTF-8 are spelled `\xNN`, so that two names never become one.
pub(crate) fn path_text(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        for byte in chunk.invalid() {
            text.push_str(&format!("\\x{byte:02x}"));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Source, Failure> {
        Source::parse(text, Path::new(env!("CARGO_MANIFEST_DIR")))
    }

    #[test]
    fn a_path_that_exists_wins_and_git_forces() {
        assert!(matches!(parse("src"), Ok(Source::Path(_))));
        let Ok(Source::Git(git)) = parse("git:src") else { panic!("a revision") };
        assert_eq!((git.revision.as_str(), git.path), ("src", None));
    }

    #[test]
    fn a_word_that_names_nothing_is_a_revision() {
        let Ok(Source::Git(git)) = parse("v1.2:proto/shop/") else { panic!("a revision") };
        assert_eq!((git.revision.as_str(), git.path), ("v1.2", Some(TreePath::Written("proto/shop".into()))));
        assert!(parse("./absent").is_err());
        assert!(parse("absent.proto").is_err());
        assert!(parse("absent.tar.gz").is_err());
    }

    #[test]
    fn a_revision_never_becomes_an_option() {
        assert!(parse("git:--output=x").is_err());
        assert!(parse("git:").is_err());
    }

    #[test]
    fn only_schemas_and_their_settings_are_read() {
        assert!(is_relevant("a/b.proto") && is_relevant("x/buf.yaml"));
        assert!(!is_relevant("a/b.rs") && !is_relevant("proto") && !is_relevant("a/events.avro"));
    }

    #[test]
    fn a_name_that_is_not_text_is_spelled_out() {
        assert_eq!(path_text(b"a/caf\xe9.proto"), "a/caf\\xe9.proto");
    }
}
