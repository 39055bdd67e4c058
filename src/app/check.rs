//! `wireproof check` and `wireproof compare`: which two versions are meant, and what is found between them.

use std::path::Path;

use super::again;
use super::base::Strictness;
use super::output::{print, unanswered};
use super::paths::{inside, no_such_path};
use super::run::Run;
use super::versions::Versions;
use crate::change::Pair;
use crate::cli::{CheckArgs, CommonArgs, CompareArgs, ConfigArgs, TerminalArgs};
use crate::failure::{Exit, Failure};
use crate::report::versions::Counting;
use crate::report::{Finding, Report, text};
use crate::source::Source;
use crate::source::base::{Chosen, NamedBase, Place, Surroundings, choose, choose_staged};
use crate::source::beside::Beside;
use crate::source::git::Repository;
use crate::vocabulary::Mode;

/// Runs `compare`.
pub(super) fn compare(arguments: &CompareArgs) -> Result<Exit, Failure> {
    let run = prepare(&arguments.common)?;
    refuse_for_several(arguments)?;
    let (old, new) = arguments.old_and_new();
    let old = old.iter().map(|old| Ok((old.clone(), Source::parse(old, &run.cwd)?)));
    let old: Vec<(String, Source)> = old.collect::<Result<_, Failure>>()?;
    let new = Source::parse(new, &run.cwd)?;
    let Some((_, last)) = old.last() else { return Err(Failure::usage("there is no old version", "name one")) };
    // Two folders outside of git are two copies of what the configuration speaks of, wherever they lie.
    let folder = match (last, &new) {
        (Source::Git(_), Source::Path(folder)) | (Source::Path(folder), Source::Git(_)) => folder.clone(),
        (Source::Git(_), _) | (_, Source::Git(_)) => run.top.clone().unwrap_or_else(|| run.cwd.clone()),
        _ => run.terms.folder().unwrap_or(&run.cwd).to_path_buf(),
    };
    let is_git = old.iter().map(|(_, old)| old).chain([&new]).any(|source| matches!(source, Source::Git(_)));
    let repository = if is_git { Repository::discover(&run.cwd, run.network)? } else { None };
    let again = again::compare(arguments, &old, &new, repository.as_ref())?;
    let counting = match arguments.common.mode.is_some_and(Mode::is_transitive) {
        true => Counting::All,
        false => Counting::Last,
    };
    let found = match old.as_slice() {
        [(_, old)] if counting == Counting::Last => {
            let sources = Pair::new(old.clone(), new);
            let strictness = Strictness::of_compare(&sources);
            run.found_out((sources, again), &[], &folder, strictness, repository)
        }
        old => {
            let repository = repository.as_ref();
            let versions = Versions { old, new: &new, paths: &[], folder: &folder, counting, repository };
            versions.found_out(&run, Strictness::of_compare).map(|report| Report { again, ..report })
        }
    };
    match found {
        Ok(report) => run.conclude(&report),
        Err(failure) => run.give_up(failure),
    }
}

/// What several old versions do not go with.
fn refuse_for_several(arguments: &CompareArgs) -> Result<(), Failure> {
    let is_transitive = arguments.common.mode.is_some_and(Mode::is_transitive);
    if arguments.versions.len() < 3 && !is_transitive {
        return Ok(());
    }
    if arguments.versions.iter().any(|source| source == "-") {
        return Err(Failure::usage(
            "standard input can be read once, and with several versions each side is read more than once",
            "write the schema into a file and name that",
        ));
    }
    if arguments.common.shard.is_some() {
        return Err(Failure::usage(
            "a comparison with several versions cannot be divided with `--shard` yet",
            "leave `--shard` out, or compare two versions in a mode that is not transitive",
        ));
    }
    Ok(())
}

/// What a run needs. Where the configuration is in the way, whoever reads reports is told that as well.
fn prepare(arguments: &CommonArgs) -> Result<Run<'_>, Failure> {
    Run::prepare(arguments).map_err(|failure| unanswered(failure, &arguments.rendering))
}

/// Runs `check`.
pub(super) fn check(arguments: &CheckArgs) -> Result<Exit, Failure> {
    let run = prepare(&arguments.common)?;
    match found_by_check(&run, arguments) {
        Ok(report) => run.conclude(&report),
        Err(failure) => run.give_up(failure),
    }
}

/// Runs `explain` for a finding of `check`: its card.
pub(super) fn explain(id: &str, configuration: ConfigArgs, terminal: TerminalArgs) -> Result<Exit, Failure> {
    let mut arguments = CheckArgs::usual();
    arguments.common.configuration = configuration;
    arguments.common.terminal = terminal;
    let run = Run::prepare(&arguments.common)?;
    let report = found_by_check(&run, &arguments)?;
    let found: Vec<&Finding> = report.findings.iter().filter(|finding| finding.id.starts_with(id)).collect();
    if found.is_empty() {
        return Err(Failure::usage(
            format!("`{id}` is no rule, and `wireproof check` finds nothing of that id here"),
            "`wireproof check -v` shows all findings with their ids, `wireproof rules` all rules",
        ));
    }
    let cards: Vec<String> =
        found.into_iter().map(|finding| text::card(&report, finding, &run.console.style)).collect();
    print(format!("{}\n", cards.join("\n\n")).as_bytes())
}

/// The report of `check`, for whoever needs its findings.
pub(super) fn found_by_check(run: &Run<'_>, arguments: &CheckArgs) -> Result<Report, Failure> {
    if let Some(mode) = arguments.common.mode.filter(|mode| mode.is_transitive()) {
        return Err(Failure::usage(
            format!("the mode `{mode}` looks at every earlier version, and `check` knows no more than its base"),
            format!("name the versions, oldest first: `wireproof compare V1 V2 NEW --mode {mode}`"),
        ));
    }
    let repository = Repository::discover(&run.cwd, run.network);
    let head = match arguments.head.as_deref() {
        Some(head) => Some(Source::parse(head, &run.cwd)?),
        None => arguments.staged.then_some(Source::Index),
    };
    let mut paths = arguments.paths.clone();
    let sources = match &arguments.against {
        Some(old) => {
            let old = Source::parse(old, &run.cwd)?;
            let new = match (head, &old) {
                (Some(head), _) => head,
                // A folder outside of git has no place in the repository: it is compared with the one path given.
                (None, Source::Path(_) | Source::Archive(_) | Source::Image(_) | Source::Stdin) if paths.len() == 1 => {
                    existing(&paths.remove(0), &run.cwd)?
                }
                (None, _) if repository.as_ref().is_ok_and(Option::is_some) => Source::WorkTree,
                (None, _) => Source::Path(run.cwd.clone()),
            };
            Ok(Chosen::here(old, new))
        }
        None => repository.clone().and_then(|repository| {
            let repository = repository.ok_or_else(|| {
                Failure::could_not_tell(
                    "this is not a git repository, so there is nothing to compare with",
                    "run inside a clone, or name the old version: `wireproof check --against SOURCE`",
                )
            })?;
            let said_in = |id: &str| {
                let version = Beside::Tree { repository: repository.clone(), id: id.to_owned() };
                run.in_force.base_named_in(&version)
            };
            let named = run.terms.config().base.as_deref().map(|branch| NamedBase { branch, said_in: &said_in });
            let place = Place { repository: &repository, around: &Surroundings::from_environment(), named };
            if arguments.staged { choose_staged(&place) } else { choose(&place, head) }
        }),
    };
    // Git knows better than a look at the folders above: `GIT_DIR` and `GIT_WORK_TREE` may name another place.
    let top = repository.as_ref().ok().and_then(|repository| repository.as_ref()?.top.clone());
    let folder = top.or_else(|| run.top.clone()).unwrap_or_else(|| run.cwd.clone());
    let paths = inside(&paths, &run.cwd, &folder)?;
    match sources {
        Ok(chosen) => {
            let repository = repository.ok().flatten();
            let again = again::check(arguments, &chosen, repository.as_ref())?;
            run.found_out((chosen.sources, again), &paths, &folder, Strictness::Lenient, repository)
        }
        // Without a base a path that is not there is the mistake to tell first: it may be a command misspelled.
        Err(failure) => match arguments.paths.iter().find(|path| !run.cwd.join(path).exists()) {
            Some(absent) => Err(no_such_path(&absent.display().to_string())),
            None => Err(failure),
        },
    }
}

/// The path as a source, or why not.
fn existing(path: &Path, cwd: &Path) -> Result<Source, Failure> {
    let full = cwd.join(path);
    match full.exists() {
        true => Ok(Source::Path(full)),
        false => Err(no_such_path(&path.display().to_string())),
    }
}
