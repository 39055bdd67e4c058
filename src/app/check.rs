//! `wireproof check` and `wireproof compare`: which two versions are meant, and what is found between them.

use std::path::Path;

use super::base::Strictness;
use super::before_base::let_through;
use super::history::looking_for_what_is_named;
use super::output::{print, unanswered};
use super::paths::{inside, named_source, named_sources, no_such_path};
use super::reused::Looked;
use super::run::Run;
use super::versions::{Named, Versions};
use super::way::Asks;
use super::{again, history};
use globset::Glob;

use crate::change::Pair;
use crate::cli::{CheckArgs, CommonArgs, CompareArgs, ConfigArgs, TerminalArgs};
use crate::config::Judging;
use crate::failure::{Exit, Failure};
use crate::report::beside::beside;
use crate::report::versions::Counting;
use crate::report::{Again, Finding, NotChecked, Report, text};
use crate::source::base::{Chosen, NamedBase, Place, Surroundings, choose, choose_staged};
use crate::source::beside::Beside;
use crate::source::git::Repository;
use crate::source::{Loaded, Source};

/// Runs `compare`.
pub(super) fn compare(arguments: &CompareArgs) -> Result<Exit, Failure> {
    let run = prepare(&arguments.common)?;
    refuse_base_terms(&arguments.common.configuration)?;
    refuse_for_several(arguments)?;
    let (old, new) = arguments.old_and_new();
    let names: Vec<&str> = old.iter().map(String::as_str).chain([new]).collect();
    let (mut sources, repository) = named_sources(&names, (&run.cwd, run.network), arguments.common.language)?;
    let Some(new) = sources.pop() else { return Err(Failure::usage("there is no new version", "name one")) };
    let old: Vec<(String, Source)> = old.iter().cloned().zip(sources).collect();
    let Some((_, last)) = old.last() else { return Err(Failure::usage("there is no old version", "name one")) };
    // Two folders outside of git are two copies of what the configuration speaks of, wherever they lie.
    let folder = match (last, &new) {
        (Source::Git(_), Source::Path(folder)) | (Source::Path(folder), Source::Git(_)) => folder.clone(),
        (Source::Git(_), _) | (_, Source::Git(_)) => run.top.clone().unwrap_or_else(|| run.cwd.clone()),
        _ => run.terms.folder().unwrap_or(&run.cwd).to_path_buf(),
    };
    let again = again::compare(arguments, &old, &new, repository.as_ref())?;
    // What the configuration says of history is for `check`; its modes are for both.
    let counting = run.counting(&folder);
    let found = match old.as_slice() {
        [(_, old)] if counting == Counting::Last => {
            let sources = Pair::new(old.clone(), new);
            let strictness = Strictness::of_compare(&sources);
            let plan = again::plan_of_compare(arguments, again.as_ref());
            let way = Asks::of(plan.as_ref(), false);
            run.found_out((sources, again), way, &[], &folder, strictness, repository)
        }
        old => {
            refuse_parts(&arguments.common)?;
            let repository = repository.as_ref();
            let (named, folder) = (Named::ByUser, &*folder);
            let versions =
                Versions { old, named, new: &new, paths: &[], folder, counting, more: &|_| Vec::new(), repository };
            versions.found_out(&run, Strictness::of_compare).map(|report| Report { again, ..report })
        }
    };
    match found {
        Ok(report) => run.conclude(&report),
        Err(failure) => run.give_up(failure),
    }
}

/// Refuses to have the base judge where there is none.
pub(super) fn refuse_base_terms(arguments: &ConfigArgs) -> Result<(), Failure> {
    match arguments.configuration {
        Some(Judging::Both) => Err(Failure::usage(
            "two versions that somebody names have no base whose configuration could judge as well",
            "leave `--configuration both` out, or compare with `wireproof check --against OLD --head NEW`",
        )),
        Some(Judging::Head) | None => Ok(()),
    }
}

/// What several old versions do not go with.
fn refuse_for_several(arguments: &CompareArgs) -> Result<(), Failure> {
    if arguments.versions.len() < 3 {
        return Ok(());
    }
    if arguments.versions.iter().any(|source| source == "-") {
        return Err(Failure::usage(
            "standard input can be read once, and with several versions each side is read more than once",
            "write the schema into a file and name that",
        ));
    }
    Ok(())
}

fn refuse_parts(arguments: &CommonArgs) -> Result<(), Failure> {
    match arguments.shard {
        None => Ok(()),
        Some(_) => Err(Failure::usage(
            "a comparison with several versions cannot be divided with `--shard` yet",
            "leave `--shard` out, or compare two versions in a mode that is not transitive",
        )),
    }
}

/// What a run needs. Where the configuration is in the way, whoever reads reports is told that as well.
fn prepare(arguments: &CommonArgs) -> Result<Run<'_>, Failure> {
    Run::prepare(arguments).map_err(|failure| unanswered(failure, &arguments.rendering))
}

/// Runs `check`.
pub(super) fn check(arguments: &CheckArgs) -> Result<Exit, Failure> {
    let run = prepare(&arguments.common)?;
    match found(&run, arguments, Wanted::Report) {
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
    found(run, arguments, Wanted::Findings)
}

/// What a report is made for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wanted {
    /// To be shown, with the way to what is wanted.
    Report,
    /// For its findings alone.
    Findings,
}

/// The report of `check`.
fn found(run: &Run<'_>, arguments: &CheckArgs, wanted: Wanted) -> Result<Report, Failure> {
    let repository = Repository::discover(&run.cwd, run.network);
    let Some((glob, counting)) = run.folders(arguments.history.as_ref()) else {
        return found_against_base(run, arguments, wanted, repository);
    };
    // Whoever asks for folders by an option wants them alone, and so does who has no repository. What the configuration says
    // of them comes with a change: it adds to what the base demands, and takes nothing away.
    if arguments.history.is_some() || matches!(repository, Ok(None)) {
        return found_in_folders(run, arguments, &glob, counting);
    }
    let mut report = found_against_base(run, arguments, wanted, repository)?;
    if arguments.has_sides_or_paths() {
        report.not_checked.push(NotChecked {
            file: String::new(),
            what: format!("the folders `{}` with each other: a check of paths or of named sides has none", glob.glob()),
            help: "`wireproof check` without them compares these as well".to_owned(),
        });
        return Ok(report);
    }
    Ok(beside(report, found_in_folders(run, arguments, &glob, counting)?))
}

/// The report of a change against its base.
fn found_against_base(
    run: &Run<'_>,
    arguments: &CheckArgs,
    wanted: Wanted,
    repository: Result<Option<Repository>, Failure>,
) -> Result<Report, Failure> {
    let named = |text: &String| named_source(text, (&run.cwd, arguments.common.language), &repository);
    let head = arguments.head.as_ref().map(named).transpose()?;
    let head = head.or_else(|| arguments.staged.then_some(Source::Index));
    let mut paths = arguments.paths.clone();
    let sources = match &arguments.against {
        Some(old) => {
            let old = named(old)?;
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
            let repository = looking_for_what_is_named(run, arguments, repository);
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
    let paths = inside(&paths, (&run.cwd, &folder), arguments.head.is_none())?;
    match sources {
        Ok(chosen) => {
            let repository = repository.ok().flatten();
            let again = again::check(arguments, &chosen, repository.as_ref())?;
            let plan = plan_for(wanted, run, (arguments, &chosen), (repository.as_ref(), &folder))?;
            let way = Asks::of(plan.as_ref(), arguments.common.shard.is_none());
            found_since(run, arguments, (chosen.sources, again, way), (&paths, &folder), repository)
        }
        // Without a base a path that is not there is the mistake to tell first: it may be a command misspelled.
        Err(failure) => match arguments.paths.iter().find(|path| !run.cwd.join(path).exists()) {
            Some(absent) => Err(no_such_path(&absent.display().to_string())),
            None => Err(failure),
        },
    }
}

/// The command for a plan, where somebody reads it.
fn plan_for(
    wanted: Wanted,
    run: &Run<'_>,
    (arguments, chosen): (&CheckArgs, &Chosen),
    (repository, folder): (Option<&Repository>, &Path),
) -> Result<Option<Again>, Failure> {
    match wanted {
        Wanted::Report => again::plan_of_check(arguments, chosen, repository, &way_up(&run.cwd, folder)),
        Wanted::Findings => Ok(None),
    }
}

/// A folder that holds another one, as that one names it: `.` or `../..`.
fn way_up(from: &Path, to: &Path) -> String {
    let depth = from.strip_prefix(to).map_or(0, |rest| rest.components().count());
    if depth == 0 { ".".to_owned() } else { vec![".."; depth].join("/") }
}

/// The report of two sides, and of the versions before the old one where they count, or did before this change.
fn found_since(
    run: &Run<'_>,
    arguments: &CheckArgs,
    (sources, again, way): (Pair<Source>, Option<Again>, Asks<'_>),
    (paths, folder): (&[String], &Path),
    repository: Option<Repository>,
) -> Result<Report, Failure> {
    let report =
        judged_since(run, arguments, (sources.clone(), again.clone(), way), (paths, folder), repository.clone())?;
    let Some(base) = run.of_base(&sources, repository.as_ref()) else { return Ok(report) };
    if base.history(arguments.history.as_ref(), folder).is_none() {
        return Ok(report);
    }
    let nothing = (sources.clone(), None, Asks::Nothing);
    let by_base = match judged_since(&base, arguments, nothing, (paths, folder), repository.clone()) {
        Ok(by_base) => by_base,
        // By such terms nothing was let into the base, and this change may mend them.
        Err(failure) => {
            let what = format!("the versions before the base by the terms of the base: {}", failure.message);
            let gap = NotChecked { file: String::new(), what, help: failure.help };
            return Ok(Report { not_checked: report.not_checked.iter().cloned().chain([gap]).collect(), ..report });
        }
    };
    let through = let_through(&by_base, &report);
    if through.is_empty() {
        return Ok(report);
    }
    judged_since(&run.letting_through(through), arguments, (sources, again, way), (paths, folder), repository)
}

/// The same by the terms of one run.
fn judged_since(
    run: &Run<'_>,
    arguments: &CheckArgs,
    (sources, again, way): (Pair<Source>, Option<Again>, Asks<'_>),
    (paths, folder): (&[String], &Path),
    repository: Option<Repository>,
) -> Result<Report, Failure> {
    let Some((history, counting)) = run.history(arguments.history.as_ref(), folder) else {
        return run.found_out((sources, again), way, paths, folder, Strictness::Lenient, repository);
    };
    refuse_parts(&arguments.common)?;
    let repository = repository.map(|repository| looking_for_what_is_named(run, arguments, repository));
    let repository = repository.as_ref();
    let before = history::before(&history, &sources.old, repository, history::BY_CONFIGURATION)?;
    let (old, named, new) = (&*before.old, Named::ByHistory, &sources.new);
    let looked = Looked::of(&sources.old, repository);
    let more = |loaded: &Loaded| looked.changes(loaded);
    let versions = Versions { old, named, new, paths, folder, counting, more: &more, repository };
    let report = versions.found_out(run, |_| Strictness::Lenient)?;
    let report = looked.told(before.told(report), |old| versions.one_pair(run, old, Strictness::Lenient));
    Ok(Report { again, ..report })
}

/// The report of folders side by side, of which the last is under review.
fn found_in_folders(run: &Run<'_>, arguments: &CheckArgs, glob: &Glob, counting: Counting) -> Result<Report, Failure> {
    refuse_parts(&arguments.common)?;
    if arguments.has_sides_or_paths() {
        return Err(Failure::usage(
            "versions in folders are compared with each other, so there is no base, no other new side and no path",
            "leave out --against, --head, --staged and paths, or name the versions with `wireproof compare`",
        ));
    }
    let top = run.top.clone().unwrap_or_else(|| run.cwd.clone());
    let (old, new) = history::folders(run, glob, &top)?;
    let folder = run.terms.folder().unwrap_or(&run.cwd);
    let named = Named::ByHistory;
    let versions =
        Versions { old: &old, named, new: &new, paths: &[], folder, counting, more: &|_| Vec::new(), repository: None };
    let words = ["check".to_owned()].into_iter();
    let words = words.chain(arguments.history.iter().map(|history| format!("--history={}", history.spelled())));
    let again = Again { pull_request: None, words: words.chain(again::options(&arguments.common)).collect() };
    Ok(Report { again: Some(again), ..versions.found_out(run, |_| Strictness::EveryProblem)? })
}

/// The path as a source, or why not.
fn existing(path: &Path, cwd: &Path) -> Result<Source, Failure> {
    let full = cwd.join(path);
    match full.exists() {
        true => Ok(Source::Path(full)),
        false => Err(no_such_path(&path.display().to_string())),
    }
}
