//! `wireproof history`: the versions of a branch, who can read whom, when each break entered, and what numbers were freed.
//!
//! Each version is compared with the one after it. Versions between which nothing changed are one to readers, and of those
//! that are left the newest are compared with each other, each pair once: it answers for both directions.

use std::path::PathBuf;

use super::ahead::read_ahead;
use super::base::Strictness;
use super::elements::{is_in, refuse_unknown};
use super::history::{self, Before, looking_for_what_is_named};
use super::idle::idle;
use super::output::print;
use super::paths::inside;
use super::remembered::Remembered;
use super::reused;
use super::run::{Asked, OnePair, Run};
use super::way::Asks;
use crate::change::{Change, Pair};
use crate::cli::{CheckArgs, HistoryArgs, HistoryForm, TerminalArgs};
use crate::config::history::{History, Versions};
use crate::failure::{Exit, Failure};
use crate::ordered::OrderedSet;
use crate::parallel;
use crate::report::text::Detail;
use crate::report::timeline::{self, Between, Entered, Entry, Matrix, Reads, Step, Timeline};
use crate::report::{Finding, NotChecked, Report};
use crate::source::git::Repository;
use crate::source::git::history::Commit;
use crate::source::select::is_under;
use crate::source::{GitSource, Loaded, Nothing, Request, Selection, Source, load};
use crate::verdict::Reach;
use crate::vocabulary::Direction;

/// So many versions that follow each other are compared by one thread.
const NEIGHBOURS: usize = 8;

/// Runs `history`.
pub(super) fn history(arguments: &HistoryArgs) -> Result<Exit, Failure> {
    let check = arguments.as_check();
    let run = Run::prepare(&check.common)?.of_many_versions();
    let timeline = Past::of(&run, &check, arguments)?.timeline(arguments)?;
    let text = match arguments.format {
        HistoryForm::Text => timeline::text(&timeline, &run.console.style, run.console.style.detail == Detail::Verbose),
        HistoryForm::Json => timeline.json(),
        HistoryForm::Html => timeline::html(&timeline),
    };
    print(text.as_bytes())
}

/// The versions, and how they are read.
struct Past<'r> {
    run: &'r Run<'r>,
    repository: Option<Repository>,
    folder: PathBuf,
    /// What is looked at: what was asked for, and the paths that it had before.
    paths: Vec<String>,
    /// How many of them were asked for.
    asked: usize,
    before: Before,
    /// All of them, oldest first.
    sources: Vec<Source>,
    entries: Vec<Entry>,
    /// The commit that history is read from; nothing for folders side by side.
    head: Option<String>,
    /// Whether only one element is asked for.
    element: Option<String>,
    /// What earlier runs found out.
    remembered: Remembered,
}

impl<'r> Past<'r> {
    fn of(run: &'r Run<'r>, check: &CheckArgs, arguments: &HistoryArgs) -> Result<Self, Failure> {
        let said = arguments.of.clone().or_else(|| run.terms.config().history.clone());
        let history = History { depth: arguments.most, ..said.unwrap_or_default() };
        if let Versions::Dir(glob) = &history.of {
            return Past::of_folders(run, glob, arguments);
        }
        let repository = Repository::discover(&run.cwd, run.network)?.ok_or_else(|| {
            Failure::could_not_tell(
                "this is not a git repository, so there is no history to read",
                "run inside a clone, or name folders side by side: `wireproof history --of=dir:schemas/v*`",
            )
        })?;
        let repository = looking_for_what_is_named(run, check, repository);
        let folder = repository.top.clone().unwrap_or_else(|| run.cwd.clone());
        let mut paths = inside(&check.paths, (&run.cwd, &folder), false)?;
        let head = repository.resolve(arguments.head.as_deref().unwrap_or("HEAD"))?;
        let asked = paths.len();
        follow(&mut paths, &repository, (&head.id, arguments.most))?;
        let base = Source::Git(GitSource::tree(head.id.clone()));
        let mut before = history::before(&history, &base, Some(&repository), "`--most N` looks further back")?;
        if let Some(since) = &arguments.since {
            before.keep_since(&repository.resolve(since)?.id, since)?;
        }
        let mut past = Past {
            run,
            folder,
            paths,
            asked,
            sources: Vec::new(),
            entries: Vec::new(),
            head: Some(head.id.clone()),
            element: arguments.element.clone(),
            remembered: Remembered::nothing(),
            repository: Some(repository),
            before,
        };
        past.remembered = run.remembered(&(&past.paths, decides(arguments)), &past.folder);
        for (name, source) in &past.before.old {
            let commit = match source {
                Source::Git(git) => past.before.commits.get(&git.revision),
                _ => None,
            };
            past.entries.push(entry(name, commit, &head.id));
            past.sources.push(source.clone());
        }
        past.remember();
        Ok(past)
    }

    /// Has all versions listed at once.
    fn remember(&self) {
        let id = |source: &Source| match source {
            Source::Git(git) if git.path.is_none() => Some(git.revision.clone()),
            _ => None,
        };
        if let (Some(repository), Some(ids)) =
            (&self.repository, self.sources.iter().rev().map(id).collect::<Option<Vec<_>>>())
        {
            repository.remember(ids);
        }
    }

    fn of_folders(run: &'r Run<'r>, glob: &globset::Glob, arguments: &HistoryArgs) -> Result<Self, Failure> {
        if !arguments.paths.is_empty() {
            return Err(Failure::usage(
                "versions in folders are compared with each other as they are, so there are no paths to choose",
                "leave the paths out, or make the glob narrower",
            ));
        }
        let top = run.top.clone().unwrap_or_else(|| run.cwd.clone());
        let (mut found, last) = history::folders(run, glob, &top)?;
        let name = match &last {
            Source::Path(path) => path.strip_prefix(&top).unwrap_or(path).to_string_lossy().into_owned(),
            _ => String::new(),
        };
        found.push((name, last));
        let entry = |name: &str| Entry {
            name: name.to_owned(),
            day: String::new(),
            subject: String::new(),
            unread: String::new(),
        };
        Ok(Past {
            run,
            repository: None,
            folder: run.terms.folder().unwrap_or(&run.cwd).to_path_buf(),
            paths: Vec::new(),
            asked: 0,
            before: Before::default(),
            entries: found.iter().map(|(name, _)| entry(name)).collect(),
            sources: found.into_iter().map(|(_, source)| source).collect(),
            head: None,
            element: arguments.element.clone(),
            remembered: Remembered::nothing(),
        })
    }

    /// What is told of two versions; in parts, where others that have something in common with them are looked at as well.
    fn between(&self, old: usize, new: usize, in_parts: bool) -> Result<Between, Failure> {
        if let Some(known) = self.known(old, new) {
            return Ok(known);
        }
        let report = self.pair(old, new, in_parts)?;
        let between = between(&report, self.element.as_deref());
        // What was not at hand may be so the next time.
        if let Some(commits) = self.commits(old, new).filter(|_| report.not_checked.is_empty()) {
            self.remembered.note(commits, &between);
        }
        Ok(between)
    }

    /// What an earlier run told of two versions.
    fn known(&self, old: usize, new: usize) -> Option<Between> {
        self.remembered.between(self.commits(old, new)?)
    }

    fn commits(&self, old: usize, new: usize) -> Option<[&str; 2]> {
        Some([self.commit(old)?, self.commit(new)?])
    }

    /// The id of a version that is a commit, and not a name that may mean another one tomorrow.
    fn commit(&self, version: usize) -> Option<&str> {
        let is_id = |name: &str| name.len() >= 40 && name.bytes().all(|byte| byte.is_ascii_hexdigit());
        match &self.sources[version] {
            Source::Git(git) if git.path.is_none() && is_id(&git.revision) => Some(&git.revision),
            _ => None,
        }
    }

    /// The report of two versions.
    fn pair(&self, old: usize, new: usize, in_parts: bool) -> Result<Box<Report>, Failure> {
        let (known, more) = (|_: &Loaded| None, |_: &Loaded| Vec::<Change>::new());
        let (paths, folder) = (&*self.paths, &*self.folder);
        let sources = Pair::new(self.sources[old].clone(), self.sources[new].clone());
        let strictness = Strictness::of_compare(&sources);
        let asked = Asked {
            paths,
            folder,
            strictness,
            reach: Reach::Last,
            follows: true,
            in_parts,
            known: &known,
            more: &more,
            way: Asks::Nothing,
        };
        match self.run.found_out_once(sources, &asked, self.repository.clone())? {
            OnePair::Report(report) => Ok(report),
            OnePair::Known(_) => Err(Failure::could_not_tell("two versions cannot be compared", "compare them alone")),
        }
    }

    fn timeline(mut self, arguments: &HistoryArgs) -> Result<Timeline, Failure> {
        let count = self.sources.len();
        // Neighbours have most in common, so that each thread goes from one version to the next; and some differ in much more
        // than others, so that nobody takes many.
        let steps: Vec<usize> = (1..count).collect();
        let some: Vec<&[usize]> = steps.chunks(NEIGHBOURS).collect();
        let is_idle = self.idle();
        self.read_ahead(&is_idle);
        let told = || parallel::map(&some, |some| some.iter().map(|at| self.step(*at, &is_idle)).collect::<Vec<_>>());
        // What was freed is found out by texts alone, which the comparisons want as well.
        let (told, freed) = parallel::both(told, || self.freed());
        let mut steps = Vec::new();
        // Versions that readers cannot tell from the one before.
        let mut is_new = vec![true; count];
        let mut last_failure = None;
        for (at, told) in told.into_iter().flatten().enumerate() {
            let versions = [at, at + 1];
            steps.push(match told {
                Ok(Between { is_new: differs, backward, forward, changes }) => {
                    is_new[at + 1] = differs;
                    Step { versions, backward, forward, changes }
                }
                Err(failure) => {
                    self.entries[at + 1].unread.clone_from(&failure.message);
                    last_failure = Some(failure);
                    Step { versions, backward: Reads::Unknown, forward: Reads::Unknown, changes: Vec::new() }
                }
            });
        }
        // A path that was never there, for instance.
        if let Some(failure) = last_failure.filter(|_| self.entries.iter().skip(1).all(is_unread)) {
            return Err(failure);
        }
        let mut not_checked: OrderedSet<_> = self.before.not_checked.iter().cloned().collect();
        let matrix = self.matrix(&is_new, &steps, arguments);
        let left = is_new.iter().filter(|is_new| **is_new).count().saturating_sub(matrix.versions.len());
        if left > 0 {
            let what = format!("{left} earlier versions are not in the table of who can read whom");
            not_checked.insert(history::gap(what, "`--matrix N` has more of them; each pair is compared"));
        }
        self.run.keep_outlines();
        self.remembered.keep();
        self.repository.iter().for_each(Repository::forget);
        let freed = freed.unwrap_or_else(|gap| {
            not_checked.insert(gap);
            Vec::new()
        });
        self.refuse_unknown(&steps, &freed)?;
        Ok(Timeline {
            subject: self.subject(),
            versions: self.entries,
            steps,
            matrix,
            freed,
            element: arguments.element.clone(),
            not_checked: not_checked.into_iter().collect(),
        })
    }

    /// What is looked at, in words.
    fn subject(&self) -> String {
        match &self.paths[..self.asked] {
            [] => "all schemas".to_owned(),
            paths => crate::text::list(paths),
        }
    }

    /// Refuses an element that is asked for and that no version has. Nothing happened to it, so that the last one has it if any
    /// does.
    fn refuse_unknown(&self, steps: &[Step], freed: &[timeline::Freed]) -> Result<(), Failure> {
        let is_told = !freed.is_empty() || steps.iter().any(|step| !step.changes.is_empty());
        let (Some(element), Some(last)) = (&self.element, self.sources.last()) else { return Ok(()) };
        if is_told || self.entries.iter().any(is_unread) {
            return Ok(());
        }
        let request = Request {
            sources: Pair::new(last.clone(), last.clone()),
            cwd: self.run.cwd.clone(),
            network: self.run.network,
            format: None,
            selection: Selection::default(),
            include: Vec::new(),
            nothing: Nothing::Passes,
            may_wait: false,
            repository: self.repository.clone(),
        };
        refuse_unknown(element, &load(&request)?.snapshots.new)
    }

    /// What is told of a version and the one before it.
    fn step(&self, at: usize, is_idle: &[bool]) -> Result<Between, Failure> {
        match is_idle.get(at) {
            Some(true) => Ok(Between::the_same()),
            Some(false) | None => self.between(at - 1, at, false),
        }
    }

    /// Reads what nothing is known of yet, where all of it is asked for, and else has it brought.
    fn read_ahead(&self, is_idle: &[bool]) {
        let count = self.sources.len();
        let is_unknown = |step: usize| {
            let versions = count.checked_sub(step + 2).zip(count.checked_sub(step + 1));
            versions.is_none_or(|(old, new)| is_idle.get(new) != Some(&true) && self.known(old, new).is_none())
        };
        if let Some(repository) = &self.repository {
            read_ahead(repository, &is_unknown, self.paths.is_empty());
        }
    }

    /// For each version whether what is asked for is known to be the same in the one before it; nothing where it is not known.
    fn idle(&self) -> Vec<bool> {
        let idle = self.repository.as_ref().and_then(|repository| idle(repository, &self.paths));
        let mut idle = idle.unwrap_or_default();
        // The newest is the last one here, and nothing is before the first.
        idle.push(false);
        idle.reverse();
        if idle.len() == self.sources.len() { idle } else { Vec::new() }
    }

    /// Who can read whom, of the newest versions that differ.
    fn matrix(&self, is_new: &[bool], steps: &[Step], arguments: &HistoryArgs) -> Matrix {
        let mut versions: Vec<usize> = (0..self.sources.len()).filter(|at| is_new[*at]).collect();
        versions.drain(..versions.len().saturating_sub(usize::from(arguments.matrix)));
        let pairs: Vec<(usize, usize)> =
            (0..versions.len()).flat_map(|new| (0..new).map(move |old| (old, new))).collect();
        let judged = |&(old, new): &(usize, usize)| {
            // What lies between two versions that follow each other is known, where those between them are the same.
            let known = steps.get(versions[new] - 1).filter(|_| old + 1 == new);
            let reads = match known {
                Some(step) => [step.backward, step.forward],
                None => match self.between(versions[old], versions[new], true) {
                    Ok(between) => [between.backward, between.forward],
                    Err(_) => [Reads::Unknown; 2],
                },
            };
            ((old, new), reads)
        };
        let mut cells = vec![vec![Reads::Compatible; versions.len()]; versions.len()];
        for ((old, new), [backward, forward]) in parallel::map(&pairs, judged) {
            cells[new][old] = backward;
            cells[old][new] = forward;
        }
        Matrix { versions, cells }
    }

    /// What was used once and is not used so any more, or why nobody can tell.
    fn freed(&self) -> Result<Vec<timeline::Freed>, NotChecked> {
        let (Some(head), Some(repository)) = (&self.head, &self.repository) else {
            let what = "which numbers were used once: folders side by side have no order of commits".to_owned();
            return Err(history::gap(what, ""));
        };
        if let Some(known) = self.remembered.freed(head) {
            return Ok(known);
        }
        let is_asked = |path: &str| self.paths.is_empty() || self.paths.iter().any(|folder| is_under(path, folder));
        let mut used = reused::ever_used(head, repository, &is_asked).map_err(|failure| {
            history::gap(format!("which numbers were used once: {}", failure.message), &failure.help)
        })?;
        let element = self.element.as_deref();
        used.retain(|one| element.is_none_or(|element| is_in(&one.element, element)));
        // A shallow clone may know more the next time.
        if !repository.shallow {
            self.remembered.note_freed(head, &used);
        }
        Ok(used)
    }
}

/// Adds the paths that what lies under some paths had before it came there, unless somebody else has them now.
fn follow(
    paths: &mut Vec<String>,
    repository: &Repository,
    (head, most): (&str, std::num::NonZeroU32),
) -> Result<(), Failure> {
    if paths.is_empty() {
        return Ok(());
    }
    let most = usize::try_from(most.get()).unwrap_or(usize::MAX);
    for (before, after) in repository.moves(head, most)? {
        let is_asked = |path: &str| paths.iter().any(|asked| is_under(path, asked));
        // Where another file has taken the path since, that would be the one which is looked at.
        if is_asked(&after) && !is_asked(&before) && repository.kind_at(head, &before)?.is_none() {
            paths.push(before);
        }
    }
    Ok(())
}

/// How a version is called: a commit by its id, a tag by its name, behind which its day stands, and the newest by `head`.
fn entry(name: &str, commit: Option<&Commit>, head: &str) -> Entry {
    let (name, day) = name.split_once(" (").unwrap_or((name, ""));
    let short = |id: &str| id.get(..7).unwrap_or(id).to_owned();
    match commit {
        Some(commit) => Entry {
            name: short(&commit.id),
            day: commit.day.clone(),
            subject: commit.subject.clone(),
            unread: String::new(),
        },
        None => Entry {
            name: if name.is_empty() { short(head) } else { name.to_owned() },
            day: day.trim_end_matches(')').to_owned(),
            subject: String::new(),
            unread: String::new(),
        },
    }
}

fn is_unread(entry: &Entry) -> bool {
    !entry.unread.is_empty()
}

/// What of the arguments decides about two versions.
fn decides(arguments: &HistoryArgs) -> HistoryArgs {
    HistoryArgs {
        paths: Vec::new(),
        of: None,
        since: None,
        head: None,
        most: std::num::NonZeroU32::MIN,
        matrix: 0,
        format: HistoryForm::Text,
        offline: false,
        terminal: TerminalArgs::default(),
        ..arguments.clone()
    }
}

/// What is told of two versions: what breaks, and everything that happened to an element.
fn between(report: &Report, element: Option<&str>) -> Between {
    let [backward, forward] = [Direction::Backward, Direction::Forward].map(|way| timeline::reads(report, way));
    let is_told = |(finding, breaks): &(&Finding, Vec<Direction>)| match element {
        Some(element) => finding.format != crate::vocabulary::POLICY && is_in(&finding.path, element),
        None => !breaks.is_empty(),
    };
    let findings = report.findings.iter().map(|finding| (finding, timeline::breaks(report, finding)));
    let changes = findings.filter(is_told).map(|(finding, breaks)| Entered {
        id: finding.id.clone(),
        rule: finding.rule.clone(),
        path: finding.path.clone(),
        message: finding.message.clone(),
        breaks,
        place: finding.place().map(|place| (place.file.clone(), place.line)),
    });
    let is_new = report.stats.changes > 0 || !report.problems.is_empty();
    Between { is_new, backward, forward, changes: changes.collect() }
}
