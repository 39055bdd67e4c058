//! The command that gives a report again: the versions by their ids, and the options as they were given.

use std::path::PathBuf;

use crate::cli::{CheckArgs, CommonArgs, CompareArgs};
use crate::failure::Failure;
use crate::report::Again;
use crate::source::base::{Chosen, Elsewhere};
use crate::source::git::Repository;
use crate::source::{GitSource, Source, TreePath};

/// The tree without files, which git has in every repository: what there is before the first commit.
const EMPTY_TREE: &str = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";

/// The command of a `check`; `None` where a side cannot be named.
pub(super) fn check(
    arguments: &CheckArgs,
    chosen: &Chosen,
    repository: Option<&Repository>,
) -> Result<Option<Again>, Failure> {
    let typed = |path: &PathBuf| path.to_string_lossy().into_owned();
    let mut words = vec!["check".to_owned()];
    // What looks like an option stands behind all options.
    let (odd, paths): (Vec<String>, Vec<String>) =
        arguments.paths.iter().map(typed).partition(|path| path.starts_with('-'));
    words.extend(paths);
    let mut pull_request = None;
    if let Elsewhere::Merge(number) = &chosen.elsewhere {
        // Whoever has the merge has what it merges into.
        pull_request = Some(*number);
    }
    let Some(old) = named(&chosen.sources.old, arguments.against.as_deref(), repository)? else { return Ok(None) };
    words.extend(["--against".to_owned(), old]);
    match (&chosen.elsewhere, &chosen.sources.new) {
        (Elsewhere::Merge(_), _) => words.extend(["--head".to_owned(), "git:FETCH_HEAD".to_owned()]),
        (Elsewhere::Commit(id), _) => words.extend(["--head".to_owned(), format!("git:{}", short(id))]),
        (Elsewhere::Nowhere, Source::Index) => words.push("--staged".to_owned()),
        (Elsewhere::Nowhere, new @ (Source::Git(_) | Source::Empty)) => {
            let Some(new) = named(new, arguments.head.as_deref(), repository)? else { return Ok(None) };
            words.extend(["--head".to_owned(), new]);
        }
        (Elsewhere::Nowhere, Source::Stdin) => return Ok(None),
        (Elsewhere::Nowhere, Source::WorkTree | Source::Path(_) | Source::Archive(_) | Source::Image(_)) => {
            if let Some(head) = &arguments.head {
                words.extend(["--head".to_owned(), head.clone()]);
            }
        }
    }
    words.extend(arguments.history.iter().map(|history| format!("--history={}", history.spelled())));
    words.extend(options(&arguments.common));
    if !odd.is_empty() {
        words.push("--".to_owned());
        words.extend(odd);
    }
    Ok(Some(Again { pull_request, words }))
}

/// The command of a `compare`.
pub(super) fn compare(
    arguments: &CompareArgs,
    old: &[(String, Source)],
    new: &Source,
    repository: Option<&Repository>,
) -> Result<Option<Again>, Failure> {
    let mut words = vec!["compare".to_owned()];
    for (typed, source) in arguments.versions.iter().zip(old.iter().map(|(_, old)| old).chain([new])) {
        let Some(name) = named(source, Some(typed), repository)? else { return Ok(None) };
        words.push(name);
    }
    words.extend(options(&arguments.common));
    Ok(Some(Again { pull_request: None, words }))
}

/// The command that looks for a plan from the old side of a `check` to its new side; `None` where a side cannot be named, or
/// where the check was asked what a plan is not.
pub(super) fn plan_of_check(
    arguments: &CheckArgs,
    chosen: &Chosen,
    repository: Option<&Repository>,
    wanted: &str,
) -> Result<Option<Again>, Failure> {
    let Some(options) = plan_options(&arguments.common).filter(|_| arguments.paths.is_empty()) else { return Ok(None) };
    let Some(old) = named(&chosen.sources.old, arguments.against.as_deref(), repository)? else { return Ok(None) };
    let mut pull_request = None;
    let new = match (&chosen.elsewhere, &chosen.sources.new) {
        (Elsewhere::Merge(number), _) => {
            pull_request = Some(*number);
            Some("git:FETCH_HEAD".to_owned())
        }
        (Elsewhere::Commit(id), _) => Some(format!("git:{}", short(id))),
        (Elsewhere::Nowhere, Source::WorkTree) => Some(wanted.to_owned()),
        (Elsewhere::Nowhere, new @ Source::Git(_)) => named(new, arguments.head.as_deref(), repository)?,
        (Elsewhere::Nowhere, _) => None,
    };
    let words = new.map(|new| ["plan".to_owned(), old, new].into_iter().chain(options).collect());
    Ok(words.map(|words| Again { pull_request, words }))
}

/// The same for a `compare` of two versions.
pub(super) fn plan_of_compare(arguments: &CompareArgs, again: Option<&Again>) -> Option<Again> {
    let (options, again) = (plan_options(&arguments.common)?, again?);
    let sources = again.words.get(1..3).filter(|_| arguments.versions.len() == 2)?;
    let words = ["plan".to_owned()].into_iter().chain(sources.iter().cloned()).chain(options);
    Some(Again { pull_request: None, words: words.collect() })
}

/// The options that a plan takes as well; `None` where one was given that it does not take.
fn plan_options(arguments: &CommonArgs) -> Option<Vec<String>> {
    const TAKEN: &[&str] = &[
        "--mode",
        "--surface",
        "--fail-on",
        "--root",
        "--type",
        "--include",
        "--config",
        "--configuration",
        "--no-config",
    ];
    let options = options(arguments);
    let is_taken = |word: &String| !word.starts_with("--") || TAKEN.contains(&word.as_str());
    options.iter().all(is_taken).then_some(options)
}

/// A source on a command line: a revision by its id, anything else as it was given.
fn named(source: &Source, typed: Option<&str>, repository: Option<&Repository>) -> Result<Option<String>, Failure> {
    Ok(match (source, repository) {
        (Source::Git(git), Some(repository)) => Some(revision(git, repository)?),
        (Source::Empty, _) => Some(format!("git:{EMPTY_TREE}")),
        (Source::Stdin, _) => None,
        (
            Source::Git(_) | Source::Path(_) | Source::Archive(_) | Source::Image(_) | Source::WorkTree | Source::Index,
            _,
        ) => typed.map(str::to_owned),
    })
}

fn revision(git: &GitSource, repository: &Repository) -> Result<String, Failure> {
    let id = match git.reason {
        Some(_) => git.revision.clone(),
        None => repository.find(&git.revision)?.map_or_else(|| git.revision.clone(), |found| found.id),
    };
    let path = match &git.path {
        Some(TreePath::Written(path)) => format!(":{path}"),
        Some(TreePath::Inferred(_)) | None => String::new(),
    };
    Ok(format!("git:{}{path}", short(&id)))
}

/// Ids of commits are told apart by fewer digits than they have.
fn short(id: &str) -> &str {
    let is_id = id.len() >= 40 && id.bytes().all(|byte| byte.is_ascii_hexdigit());
    if is_id { &id[..12] } else { id }
}

/// The options that have a say in the findings.
pub(super) fn options(arguments: &CommonArgs) -> Vec<String> {
    let mut words = Vec::new();
    let mut add = |option: &str, value: &str| words.extend([option.to_owned(), value.to_owned()]);
    arguments.mode.iter().for_each(|mode| add("--mode", mode.name()));
    arguments.profile.iter().for_each(|profile| add("--profile", &profile.name));
    if let Some(surfaces) = &arguments.surface {
        let names: Vec<&str> = surfaces.iter().map(|surface| surface.name()).collect();
        add("--surface", &names.join(","));
    }
    arguments.fail_on.iter().for_each(|outcome| add("--fail-on", outcome.name()));
    arguments.root.iter().for_each(|root| add("--root", root));
    arguments.language.iter().for_each(|language| add("--type", language.name()));
    arguments.include.iter().for_each(|folder| add("--include", folder));
    arguments.configuration.config.iter().for_each(|file| add("--config", &file.to_string_lossy()));
    arguments.configuration.configuration.iter().for_each(|whose| add("--configuration", whose.name()));
    arguments.writers.iter().for_each(|writers| add("--writers", writers.name()));
    if let Some(encodings) = &arguments.encodings {
        let names: Vec<&str> = encodings.iter().map(|encoding| encoding.name()).collect();
        add("--encodings", &names.join(","));
    }
    let flags = [
        ("--strict-imports", arguments.strict_imports),
        ("--assert-formats", arguments.assert_formats),
        ("--no-config", arguments.configuration.no_config),
        ("--full", arguments.full),
    ];
    words.extend(flags.iter().filter(|(_, is_given)| *is_given).map(|(flag, _)| (*flag).to_owned()));
    words
}
