//! Which repository is around a directory, as git would find it, and whether that may be trusted.
//!
//! Git takes any folder with a `HEAD`, `objects` and `refs` for a repository without a work tree, and obeys its `config`.
//! Such a folder can be committed like any other, so its configuration would be a stranger's. A `.git` cannot: git
//! refuses that name in trees. Hence a repository is trusted when its name is `.git`, or when no work tree is around it.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use crate::failure::Failure;

/// What kind of repository git will find.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Found {
    /// A `.git`: a folder, or the file of a submodule or a linked work tree.
    WorkTree,
    /// A repository without a work tree, which the user has not named: nothing around it says whose it is.
    Bare,
    /// The same, named by `GIT_DIR`, or the inside of a `.git`.
    OwnBare,
    /// Nothing that could be one.
    Nothing,
}

/// What is around a directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Enclosing {
    pub(super) found: Found,
    /// The folder that holds the nearest `.git`.
    pub(super) top: Option<PathBuf>,
}

/// Looks upwards. A repository that is content of another one is refused, unless the user names it.
pub(super) fn enclosing(directory: &Path) -> Result<Enclosing, Failure> {
    let directory = directory.canonicalize().unwrap_or_else(|_| directory.to_path_buf());
    let top = directory.ancestors().find(|folder| has_git(folder)).map(Path::to_path_buf);
    let bare = directory.ancestors().find(|folder| is_git_directory(folder));
    let is_named = std::env::var_os("GIT_DIR").is_some_and(|value| !value.is_empty());
    let found = match (bare, &top) {
        (None, None) => Found::Nothing,
        (None, Some(_)) => Found::WorkTree,
        (Some(_), None) if is_named => Found::OwnBare,
        (Some(_), None) => Found::Bare,
        // The work tree is the nearer one.
        (Some(bare), Some(top)) if top.starts_with(bare) => Found::WorkTree,
        (Some(bare), Some(_)) if bare.iter().any(|part| part == ".git") => Found::OwnBare,
        (Some(bare), Some(top)) if points_at(top, bare) => Found::OwnBare,
        (Some(_), Some(_)) if is_named => Found::OwnBare,
        (Some(bare), Some(top)) => return Err(refused(bare, top)),
    };
    Ok(Enclosing { found, top })
}

/// Whether a folder is the top of a work tree.
fn has_git(folder: &Path) -> bool {
    let git = folder.join(".git");
    git.is_file() || is_git_directory(&git)
}

/// What git looks at before it takes a folder for a repository.
fn is_git_directory(folder: &Path) -> bool {
    let is_there = |name: &str| folder.join(name).symlink_metadata().is_ok();
    // A linked work tree has only a `HEAD`, and says where the rest is.
    (is_there("commondir") || (is_there("objects") && is_there("refs"))) && is_head(&folder.join("HEAD"))
}

/// Whether a file names a commit or a branch. There are folders with schemas for GET, HEAD and POST.
fn is_head(file: &Path) -> bool {
    if file.is_symlink() {
        return true;
    }
    let mut start = Vec::new();
    let read = File::open(file).and_then(|file| file.take(64).read_to_end(&mut start));
    read.is_ok() && (start.starts_with(b"ref:") || (start.len() >= 40 && start[..40].iter().all(u8::is_ascii_hexdigit)))
}

/// Whether the `.git` of a folder is a file that names this very repository: `project/.git` says `gitdir: ./.bare`.
fn points_at(top: &Path, repository: &Path) -> bool {
    let text = std::fs::read_to_string(top.join(".git")).unwrap_or_default();
    let named = text.strip_prefix("gitdir:").map(|path| top.join(path.trim()));
    named.and_then(|path| path.canonicalize().ok()).is_some_and(|path| path == repository)
}

/// A repository that looks bare and says where its work tree is was put together by hand.
pub(super) fn made_up(directory: &Path) -> Failure {
    Failure::could_not_tell(
        format!(
            "the repository around `{}` has no `.git` and names a work tree, so its configuration could be anybody's and \
             is not obeyed",
            directory.display().to_string().escape_debug()
        ),
        "remove HEAD, objects and refs from that folder; if the repository is yours, name it: set GIT_DIR",
    )
}

fn refused(repository: &Path, top: &Path) -> Failure {
    let shown = |path: &Path| path.display().to_string().escape_debug().to_string();
    let inside = repository.strip_prefix(top).unwrap_or(repository);
    Failure::could_not_tell(
        format!(
            "the folder `{}` is made up as a git repository inside the work tree of another one ({}), so its \
             configuration could be anybody's and is not obeyed",
            shown(inside),
            shown(top)
        ),
        "remove HEAD, objects and refs from that folder, or start in the top of the work tree and name the folder; \
         if the repository is yours, name it: set GIT_DIR",
    )
}
