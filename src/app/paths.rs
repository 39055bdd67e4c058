//! Paths of the command line: where they start, where they lie in the snapshots, and what is said of one that is not
//! there.

use std::path::{Path, PathBuf};

use crate::cli;
use crate::failure::{Failure, nearest};
use crate::formats::Format;
use crate::source::git::{Network, Repository};
use crate::source::spelled::{may_be_both, refuse_ambiguous};
use crate::source::{GitSource, Request, Source, image};

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
    refuse_elsewhere(text, cwd)?;
    let source = Source::parse(text, cwd, language)?;
    if let Ok(Some(repository)) = repository {
        refuse_ambiguous(text, &source, repository)?;
    }
    Ok(source)
}

/// Refuses what is on another machine, and says how it gets here.
fn refuse_elsewhere(text: &str, cwd: &Path) -> Result<(), Failure> {
    let (address, options) = text.split_once('#').unwrap_or((text, ""));
    let is_module = address.starts_with("buf.build/");
    let is_of_ssh = address.starts_with("git@") || address.ends_with(".git") && address.contains('@');
    let is_url = address.contains("://") && !address.starts_with("file://");
    if !(is_module || is_url || is_of_ssh && address.contains(':')) || cwd.join(address).exists() {
        return Ok(());
    }
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "/:.@_~-".contains(c);
    let named = if address.chars().all(is_plain) { address } else { "ADDRESS" };
    let option = |wanted: &[&str]| {
        let given = options.split(',').filter_map(|option| option.split_once('='));
        let mut meant = given.filter(|(key, value)| wanted.contains(key) && value.chars().all(is_plain));
        meant.next().map(|(_, value)| value).filter(|value| !value.is_empty())
    };
    let name = address.rsplit('/').next().unwrap_or(address);
    let is_archive = [".zip", ".tar", ".tgz"].iter().any(|ending| name.ends_with(ending)) || name.contains(".tar.");
    let is_file = address.starts_with("http") && (is_archive || image::named(name).is_some());
    let help = if is_module {
        format!("bring it first: `buf build {named} -o module.binpb`, then compare with `module.binpb`")
    } else if is_file {
        format!("bring it first: `curl --fail --location --remote-name {named}`, then compare with the file")
    } else {
        let revision = option(&["branch", "tag", "ref", "commit"]).map_or(String::new(), |name| format!(" {name}"));
        let folder = option(&["subdir"]).map_or(String::new(), |folder| format!(":{folder}"));
        format!("fetch it first: `git fetch {named}{revision}`, then compare with `git:FETCH_HEAD{folder}`")
    };
    Err(Failure::usage(format!("`{address}` is not on this machine, and wireproof downloads nothing"), help))
}

/// Several of them, and the repository where one of them lies in it.
pub(super) fn named_sources(
    texts: &[&str],
    (cwd, network): (&Path, Network),
    language: Option<Format>,
) -> Result<(Vec<Source>, Option<Repository>), Failure> {
    texts.iter().try_for_each(|text| refuse_elsewhere(text, cwd))?;
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

/// What a shallow clone lacks may be on the remote, of which such a clone mostly follows one branch: whatever else is wanted
/// is fetched by its name.
pub(super) fn perhaps_on_the_remote(mut failure: Failure, request: &Request) -> Failure {
    let Some(repository) = request.repository.as_ref().filter(|repository| repository.shallow) else { return failure };
    let Ok(Some(remote)) = repository.remote() else { return failure };
    let is_name = |c: char| c.is_ascii_alphanumeric() || "/._-".contains(c);
    let lacking = [&request.sources.old, &request.sources.new].into_iter().find_map(|source| {
        let Source::Git(GitSource { revision, reason: None, .. }) = source else { return None };
        let is_absent = || repository.find(revision).is_ok_and(|found| found.is_none());
        (revision.chars().all(is_name) && is_absent()).then_some(revision)
    });
    if let Some(revision) = lacking {
        let name = revision.strip_prefix(&format!("{remote}/")).unwrap_or(revision);
        failure.help = format!(
            "if the remote has it: `git fetch --depth=1 {remote} {name}`, then use `git:FETCH_HEAD`\n{}",
            failure.help
        );
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_on_another_machine_is_refused_with_what_brings_it() {
        let refused = |text: &str| refuse_elsewhere(text, Path::new("/")).map_err(|failure| failure.to_string());
        for (text, help) in [
            (
                "https://example.com/o/r.git",
                "`git fetch https://example.com/o/r.git`, then compare with `git:FETCH_HEAD`",
            ),
            ("https://example.com/o/r", "`git fetch https://example.com/o/r`,"),
            ("ssh://git@example.com/o/r.git#tag=v1", "`git fetch ssh://git@example.com/o/r.git v1`"),
            (
                "git@example.com:o/r.git#branch=main,subdir=proto",
                "`git fetch git@example.com:o/r.git main`, then compare with `git:FETCH_HEAD:proto`",
            ),
            ("me@example.com:r.git", "`git fetch me@example.com:r.git`"),
            (
                "https://example.com/x.tar.gz#subdir=a",
                "`curl --fail --location --remote-name https://example.com/x.tar.gz`",
            ),
            ("https://example.com/x.binpb", "`curl "),
            ("https://example.com/x;y.git", "`git fetch ADDRESS`"),
            ("buf.build/o/r", "`buf build buf.build/o/r -o module.binpb`"),
        ] {
            let told = refused(text).expect_err(text);
            assert!(told.contains("wireproof downloads nothing") && told.contains(help), "{text}: {told}");
        }
        for text in ["main", "git:main:proto", "team@home:proto", "main@{1}:proto", "proto/x.proto", ".git#branch=main"]
        {
            assert_eq!(refused(text), Ok(()), "{text}");
        }
    }
}
