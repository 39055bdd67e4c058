//! The versions before the base: commits, tags, or folders side by side.

use std::path::{Path, PathBuf};

use super::paths::inside;
use super::run::Run;
use crate::cli::CheckArgs;
use crate::config::history::{History, Versions};
use crate::failure::Failure;
use crate::ordered::{InOrder, OrderedMap, OrderedSet};
use crate::report::{NotChecked, Report};
use crate::source::git::Repository;
use crate::source::git::history::Commit;
use crate::source::{GitSource, Sought, Source};

/// The old versions of a check, oldest first, of which the base is the last.
#[derive(Default)]
pub(super) struct Before {
    /// How each is called, and where it comes from.
    pub old: Vec<(String, Source)>,
    /// What of the past is not among them.
    pub not_checked: Vec<NotChecked>,
    /// The commits among them, and that of the base, by their ids.
    pub commits: OrderedMap<String, Commit>,
}

impl Before {
    /// Without the versions before a commit; `name` is what it was called.
    ///
    /// # Errors
    /// When it is none of them.
    pub(super) fn keep_since(&mut self, id: &str, name: &str) -> Result<(), Failure> {
        let is_it = |(_, source): &(String, Source)| matches!(source, Source::Git(git) if git.revision == id);
        let Some(first) = self.old.iter().position(is_it) else {
            return Err(Failure::usage(
                format!("`{name}` is none of the commits that changed a schema, along first parents"),
                "name one that `wireproof history` lists",
            ));
        };
        self.old.drain(..first);
        self.not_checked.clear();
        Ok(())
    }

    /// A report with what of the past it does not cover.
    pub(super) fn told(&self, report: Report) -> Report {
        let gaps: OrderedSet<NotChecked> = report.not_checked.iter().chain(&self.not_checked).cloned().collect();
        Report { not_checked: gaps.into_iter().collect(), ..report }
    }
}

/// More folders than this are no versions of a schema.
const MOST_FOLDERS: usize = 10_000;

/// How `check` looks further back.
pub(super) const BY_CONFIGURATION: &str = "`depth: N` under `history:` in the configuration looks further back";

/// The repository, in which what is named counts although its name does not say that it is a schema.
pub(super) fn looking_for_what_is_named(run: &Run<'_>, arguments: &CheckArgs, repository: Repository) -> Repository {
    let folder = repository.top.clone().or_else(|| run.top.clone()).unwrap_or_else(|| run.cwd.clone());
    // What is wrong with a path is told later.
    let named = inside(&arguments.paths, (&run.cwd, &folder), arguments.head.is_none()).unwrap_or_default();
    let sought = Sought::new(arguments.common.language, &run.terms.selection(&named, &folder), false);
    repository.looking_for(sought)
}

/// The versions before a base, and it; `deeper` says how to look further back.
pub(super) fn before(
    history: &History,
    base: &Source,
    repository: Option<&Repository>,
    deeper: &str,
) -> Result<Before, Failure> {
    let alone = |not_checked| Before { old: vec![(String::new(), base.clone())], not_checked, ..Before::default() };
    let (git, repository) = match (base, repository) {
        (Source::Git(git), Some(repository)) => (git, repository),
        // Before the first commit there is no history.
        (Source::Empty, _) => return Ok(alone(Vec::new())),
        (_, _) => {
            return Err(Failure::usage(
                "history is read from git, and the old version is not in git",
                "compare with a revision, or name the versions: `wireproof compare V1 V2 NEW`",
            ));
        }
    };
    let mut by_id = OrderedMap::new();
    let (mut found, not_checked) = match &history.of {
        Versions::FirstParent => commits(history, git, (repository, deeper), &mut by_id)?,
        Versions::Tags(glob) => tags(history, glob, git, (repository, deeper))?,
        Versions::Dir(_) => return Ok(alone(Vec::new())),
    };
    found.push((String::new(), base.clone()));
    Ok(Before { old: found, not_checked, commits: by_id })
}

type Found = (Vec<(String, Source)>, Vec<NotChecked>);

fn commits(
    history: &History,
    base: &GitSource,
    (repository, deeper): (&Repository, &str),
    by_id: &mut OrderedMap<String, Commit>,
) -> Result<Found, Failure> {
    let id = repository.resolve(&base.revision)?.id;
    let most = usize::try_from(history.depth.get()).unwrap_or(usize::MAX);
    // The newest of them has the schemas of the base, which stands for it.
    let past = repository.past(&id, most.saturating_add(1))?;
    by_id.extend(past.commits.iter().map(|commit| (commit.id.clone(), commit.clone())));
    // The base may be a commit that changed no schema: it is called as the one that did.
    if let Some(commit) = past.commits.first() {
        by_id.insert(id.clone(), commit.clone());
    }
    let source = |id: &str, day: &str| version(base, id.to_owned(), day);
    let found = past.commits.iter().skip(1).rev().map(|commit| source(&commit.id, &commit.day)).collect();
    let oldest =
        past.commits.last().map_or("the base".to_owned(), |commit| format!("{} ({})", short(&commit.id), commit.day));
    let mut not_checked = Vec::new();
    if past.has_more {
        not_checked.push(gap(format!("the versions before {oldest}: {most} before the base are looked at"), deeper));
    } else if repository.shallow {
        not_checked.push(gap(
            format!("the versions before {oldest}: this clone is shallow, and its history ends there"),
            "fetch all of it: `git fetch --unshallow`; with actions/checkout, set `fetch-depth: 0`",
        ));
    }
    Ok((found, not_checked))
}

fn tags(
    history: &History,
    glob: &globset::Glob,
    base: &GitSource,
    (repository, deeper): (&Repository, &str),
) -> Result<Found, Failure> {
    let matcher = glob.compile_matcher();
    let mut tags = repository.tags()?;
    tags.retain(|tag| matcher.is_match(&tag.name));
    if tags.is_empty() {
        return Err(Failure::could_not_tell(
            format!("no tag matches `{}`, so there are no versions to look at", glob.glob()),
            "fetch the tags: `git fetch --tags`; with actions/checkout, set `fetch-depth: 0`",
        ));
    }
    tags.sort_in_order_by_cached_key(|tag| natural(&tag.name));
    let mut not_checked = Vec::new();
    for tag in tags.iter().filter(|tag| tag.commit.is_none()) {
        let what = format!("the tag `{}`: it leads to no commit", tag.name);
        not_checked.push(gap(what, "leave it out with another glob"));
    }
    tags.retain(|tag| tag.commit.is_some());
    let most = usize::try_from(history.depth.get()).unwrap_or(usize::MAX);
    let left_out = tags.len().saturating_sub(most);
    if let Some(first) = tags.get(left_out).filter(|_| left_out > 0) {
        let what = format!("the {left_out} tags before `{}`: {most} are looked at", first.name);
        not_checked.push(gap(what, deeper));
    }
    let of_tag = tags.into_iter().skip(left_out).filter_map(|tag| {
        let (_, day) = tag.commit?;
        let (_, source) = version(base, format!("refs/tags/{}", tag.name), &day);
        Some((format!("{} ({day})", tag.name), source))
    });
    Ok((of_tag.collect(), not_checked))
}

/// The version of a revision at the place of the base.
fn version(base: &GitSource, revision: String, day: &str) -> (String, Source) {
    let name = format!("{} ({day})", short(&revision));
    (name, Source::Git(GitSource { revision, reason: Some(day.to_owned()), ..base.clone() }))
}

fn short(id: &str) -> &str {
    if id.len() >= 40 { &id[..7] } else { id }
}

/// Something that is not covered.
pub(super) fn gap(what: String, help: &str) -> NotChecked {
    NotChecked { file: String::new(), what, help: help.to_owned() }
}

/// Folders or files that match, in natural order: the last is under review.
///
/// # Errors
/// When fewer than two match, or they do not lie side by side.
pub(super) fn folders(
    run: &Run<'_>,
    glob: &globset::Glob,
    top: &Path,
) -> Result<(Vec<(String, Source)>, Source), Failure> {
    let pattern = glob.glob();
    let (parent, _) = pattern.rsplit_once('/').unwrap_or(("", pattern));
    let start = if top.join(parent).is_dir() { top.to_path_buf() } else { run.cwd.clone() };
    if parent.contains(['*', '?', '[', '{']) || parent.split('/').any(|part| part == "..") {
        return Err(Failure::usage(
            format!("versions in folders lie side by side, and `{pattern}` has a pattern before the last part"),
            "name one family at a time: `--history=dir:orders/v*`",
        ));
    }
    let unreadable = |error: std::io::Error| {
        Failure::usage(format!("cannot list `{parent}`: {error}"), "check the glob of `--history=dir:`")
    };
    let matcher = glob.compile_matcher();
    let mut found: Vec<(String, PathBuf)> = Vec::new();
    for entry in std::fs::read_dir(start.join(parent)).map_err(unreadable)?.take(MOST_FOLDERS) {
        let entry = entry.map_err(unreadable)?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = if parent.is_empty() { name } else { format!("{parent}/{name}") };
        if matcher.is_match(&path) {
            found.push((path, entry.path()));
        }
    }
    found.sort_in_order_by_cached_key(|one| natural(&one.0));
    let mut found: Vec<(String, Source)> = found.into_iter().map(|(name, path)| (name, Source::Path(path))).collect();
    match found.pop() {
        Some((_, new)) if !found.is_empty() => Ok((found, new)),
        _ => Err(Failure::usage(
            format!("fewer than two folders or files match `{pattern}`"),
            "the glob starts at the top of the repository, as in `--history=dir:orders/v*`",
        )),
    }
}

/// A name in which numbers are numbers: `v9` comes before `v10`.
fn natural(name: &str) -> Vec<Part> {
    let mut parts: Vec<Part> = Vec::new();
    let mut rest = name;
    while let Some(first) = rest.chars().next() {
        let is_digit = first.is_ascii_digit();
        let end = rest.find(|letter: char| letter.is_ascii_digit() != is_digit).unwrap_or(rest.len());
        let (word, after) = rest.split_at(end);
        parts.push(if is_digit { Part::number(word) } else { Part::Word(word.to_owned()) });
        rest = after;
    }
    parts
}

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    /// A number without its zeros in front, by how many digits it has: then texts order as numbers do.
    Number(usize, String),
    Word(String),
}

impl Part {
    fn number(digits: &str) -> Part {
        let plain = digits.trim_start_matches('0');
        Part::Number(plain.len(), plain.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_in_natural_order() {
        let mut names = ["v10", "v9", "v1.10.0", "v1.9.0", "v1", "v1.9.0-rc1"];
        names.sort_in_order_by_key(|name| natural(name));
        assert_eq!(names, ["v1", "v1.9.0", "v1.9.0-rc1", "v1.10.0", "v9", "v10"]);
    }
}
