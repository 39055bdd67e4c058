//! What there is in a folder or a repository, for commands that only look around.

use std::path::{Path, PathBuf};

use super::base;
use super::dir::{Links, walk};
use super::git::{Network, Repository};
use super::names::is_relevant;
use super::sought::Sought;
use crate::failure::Failure;
use crate::ordered::InOrder;

/// What there is.
#[derive(Debug)]
pub(crate) struct Survey {
    /// The top of the work tree, else the folder itself.
    pub top: PathBuf,
    /// What git says; `None` outside of a repository.
    pub git: Option<Git>,
    /// Schemas, and files that say how schemas are found: paths from the top, sorted.
    pub files: Vec<String>,
}

/// What git says of a repository.
#[derive(Debug)]
pub(crate) struct Git {
    /// The default branch, if one can be told.
    pub default_branch: Option<String>,
    /// Whether a remote is on github.com.
    pub is_on_github: bool,
}

/// Looks around; the network is never used.
pub(crate) fn survey(folder: &Path) -> Result<Survey, Failure> {
    let is_inside = folder.ancestors().any(|folder| folder.join(".git").exists());
    let repository = if is_inside { Repository::discover(folder, Network::Offline)? } else { None };
    let Some((repository, top)) = repository.and_then(|found| found.top.clone().map(|top| (found, top))) else {
        let files =
            walk(folder, Links::Anywhere, &Sought::default())?.files.into_iter().map(|file| file.path).collect();
        return Ok(Survey { top: folder.to_path_buf(), git: None, files });
    };
    // Listed and not read: what counts is where schemas are.
    let listed = repository.ask(["ls-files", "-z", "--full-name", "--cached", "--others", "--exclude-standard"])?;
    let listed = listed.unwrap_or_default();
    let is_there = |path: &&str| is_relevant(path) && top.join(path).is_file();
    let mut files: Vec<String> = listed.split('\0').filter(is_there).map(str::to_owned).collect();
    files.sort_in_order();
    files.dedup();
    let remotes = repository.ask(["config", "--get-regexp", r"^remote\..*\.url$"])?.unwrap_or_default();
    let is_on_github = remotes.lines().any(|line| line.contains("github.com"));
    let default_branch = base::default_branch_name(&repository)?;
    Ok(Survey { top, git: Some(Git { default_branch, is_on_github }), files })
}
