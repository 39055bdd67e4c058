//! Paths of the command line: where they start, where they lie in the snapshots, and what is said of one that is not
//! there.

use std::path::{Path, PathBuf};

use crate::cli;
use crate::failure::{Failure, nearest};
use crate::formats::Format;
use crate::source::Source;
use crate::source::git::{Network, Repository};
use crate::source::spelled::{may_be_both, refuse_ambiguous};

/// The directory that the program was started in.
pub(super) fn working_directory() -> Result<PathBuf, Failure> {
    std::env::current_dir().and_then(|cwd| cwd.canonicalize()).map_err(|error| {
        Failure::could_not_tell(format!("the working directory cannot be read: {error}"), "change to another one")
    })
}

/// A version as somebody names it; a name that is a path and a revision is refused.
pub(super) fn named_source(
    text: &str,
    (cwd, language): (&Path, Option<Format>),
    repository: &Result<Option<Repository>, Failure>,
) -> Result<Source, Failure> {
    let source = Source::parse(text, cwd, language)?;
    if let Ok(Some(repository)) = repository {
        refuse_ambiguous(text, &source, repository)?;
    }
    Ok(source)
}

/// Several of them, and the repository where one of them lies in it.
pub(super) fn named_sources(
    texts: &[&str],
    (cwd, network): (&Path, Network),
    language: Option<Format>,
) -> Result<(Vec<Source>, Option<Repository>), Failure> {
    let sources = texts.iter().map(|text| Source::parse(text, cwd, language)).collect::<Result<Vec<_>, _>>()?;
    if sources.iter().any(|source| matches!(source, Source::Git(_))) {
        let repository = Repository::discover(cwd, network)?;
        for (text, source) in texts.iter().zip(&sources) {
            repository.iter().try_for_each(|known| refuse_ambiguous(text, source, known))?;
        }
        return Ok((sources, repository));
    }
    // Nothing is read from git, so whatever is wrong with a repository is no matter.
    let mut doubtful = texts.iter().zip(&sources).filter(|(text, source)| may_be_both(text, source)).peekable();
    if doubtful.peek().is_some()
        && let Ok(Some(known)) = Repository::discover(cwd, network)
    {
        doubtful.try_for_each(|(text, source)| refuse_ambiguous(text, source, &known))?;
    }
    Ok((sources, None))
}

/// Paths of the command line as the snapshots spell them. In the working directory a name that is none of a file may be a
/// command's.
pub(super) fn inside(
    paths: &[PathBuf],
    (cwd, folder): (&Path, &Path),
    is_on_disk: bool,
) -> Result<Vec<String>, Failure> {
    let mut inside = Vec::new();
    for path in paths {
        // A deleted folder does not exist any more and may well be meant, so only the spelling is looked at first.
        // A link keeps its own name: on one side it may be the folder itself.
        let full = lexical(&cwd.join(path));
        let full = if full.starts_with(folder) { full } else { full.canonicalize().unwrap_or(full) };
        let Ok(relative) = full.strip_prefix(folder) else {
            return Err(Failure::usage(
                format!("`{}` lies outside of {}", path.display(), folder.display()),
                "compare it explicitly: `wireproof compare OLD NEW`",
            ));
        };
        if is_on_disk && !full.exists() && cli::command_names().iter().any(|name| Path::new(name) == path) {
            return Err(no_such_path(&path.display().to_string()));
        }
        inside.push(relative.to_string_lossy().replace('\\', "/"));
    }
    Ok(inside)
}

/// A path without `.` and `..`.
pub(super) fn lexical(path: &Path) -> PathBuf {
    let mut clean = PathBuf::new();
    for part in path.components() {
        match part {
            std::path::Component::CurDir => {}
            std::path::Component::ParentDir => drop(clean.pop()),
            part => clean.push(part),
        }
    }
    clean
}

/// A path that does not exist may have been meant as a command.
pub(super) fn perhaps_a_command(
    mut failure: Failure,
    paths: &[String],
    folder: &Path,
    repository: Option<&Repository>,
) -> Failure {
    let is_revision = |path: &&String| {
        !folder.join(path).exists()
            && repository.is_some_and(|known| known.find(path).is_ok_and(|found| found.is_some()))
    };
    if let Some(revision) = paths.iter().find(is_revision) {
        failure.help = format!("if you meant the base: `wireproof check --against {revision}`\n{}", failure.help);
        return failure;
    }
    let mut absent = paths.iter().filter(|path| !path.contains('/') && !folder.join(path).exists());
    if let Some(hint) = absent.find_map(|path| command_meant(path)) {
        failure.help = format!("{hint}\n{}", failure.help);
    }
    failure
}

/// There is no such path; perhaps a command was meant.
pub(super) fn no_such_path(path: &str) -> Failure {
    let other =
        || "check the path; it starts from the working directory. `wireproof --help` lists the commands".to_owned();
    Failure::usage(format!("there is no file or folder `{path}`"), command_meant(path).unwrap_or_else(other))
}

/// The command that a word was most likely meant as.
fn command_meant(word: &str) -> Option<String> {
    let commands = cli::command_names();
    let near = nearest(word, commands.iter().map(String::as_str))?;
    Some(format!("if you meant the command: `wireproof {near}`"))
}
