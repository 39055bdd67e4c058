//! The places that one side of a comparison can come from.

use std::path::PathBuf;

use super::image::ImageFile;

/// Where one side comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// A directory or one schema file.
    Path(PathBuf),
    /// A `.tar`, `.tar.gz`, `.tgz` or `.zip` file.
    Archive(PathBuf),
    /// A descriptor set, or an image of buf.
    Image(ImageFile),
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
