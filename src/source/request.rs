//! What is asked of this module: which sides to read, and how.

use std::path::PathBuf;

use super::git::{Network, Repository};
use super::select::Selection;
use super::side::Source;
use crate::change::Pair;
use crate::formats::Format;

/// What it means that neither side has a schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Nothing {
    /// There is nothing to judge yet.
    Passes,
    /// Somebody named something that should hold one.
    IsWrong,
    /// The paths are those that something had over time: one of them should hold one.
    IsWrongEverywhere,
}

/// What to read.
#[derive(Debug, Clone)]
pub struct Request {
    /// Where the sides come from.
    pub sources: Pair<Source>,
    /// Where relative paths start.
    pub cwd: PathBuf,
    /// Whether git may use the network.
    pub network: Network,
    /// The format of single files whose name does not say it.
    pub format: Option<Format>,
    /// What is judged; paths are those of the snapshots.
    pub selection: Selection,
    /// Import roots: inside each side, and in the working directory.
    pub include: Vec<String>,
    /// What it means that there is no schema.
    pub nothing: Nothing,
    /// Whether files of git may be read later, as they are needed.
    pub may_wait: bool,
    /// The repository around the working directory, if the caller has looked for it already.
    pub repository: Option<Repository>,
}
