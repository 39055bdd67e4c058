//! What `check` and `compare` have in common: both versions read and compared, the report made, and the exit code.

use std::fmt::Debug;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use globset::Glob;

use super::base::{ByBase, Judges, Strictness, own_rules};
use super::before_base::LetThrough;
use super::buf::BufTerms;
use super::cache;
use super::output::{self, Console};
use super::paths::{perhaps_a_command, perhaps_on_the_remote, working_directory};
use super::progress::Progress;
use super::remembered::Remembered;
use super::safeguards::{Guarded, InForce};
use super::terms::{self, Terms};
use super::unmatched;
use super::unnamed;
use super::way::Asks;
use crate::change::{Change, Pair};
use crate::cli::CommonArgs;
use crate::config::history::{History, USUAL_DEPTH, Versions as Of};
use crate::failure::{Exit, Failure};
use crate::formats::outline::{Keeper, Outlines};
use crate::formats::{Checked, Format, Part};
use crate::pipeline::{self, BaseTerms};
use crate::plan::{self, Judged, told};
use crate::report::text::Detail;
use crate::report::versions::Counting;
use crate::report::{Again, Report, Shard};
use crate::rules::{Rule, RuleSet};
use crate::safeguards::{Scope, Waiver};
use crate::snapshot::{Bytes, ContentId, Snapshot};
use crate::source::git::{Network, Repository};
use crate::source::{Loaded, Nothing, Request, Source, load};
use crate::syntax::problem::{Problem, Severity};
use crate::unseen;
use crate::verdict::{Policy, Reach};
use crate::vocabulary::{Open, ProblemSide, Verdict};

/// Schemas up to so many bytes are judged sooner than threads start.
const SMALL: usize = 16 * 1024;

fn is_small(loaded: &Loaded) -> bool {
    let Pair { old, new } = &loaded.snapshots;
    let files = || old.iter().chain(new.iter()).map(|(_, file)| &file.bytes);
    let of_library = loaded.library.iter().map(|file| file.bytes.len());
    files().all(Bytes::are_here) && files().map(|bytes| bytes.len()).chain(of_library).sum::<usize>() <= SMALL
}

/// A pool that has this thread and no other, so that nothing which could be done in parallel starts any. `None` where
/// the thread belongs to a pool already.
fn on_this_thread() -> Option<rayon::ThreadPool> {
    rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread().build().ok()
}

/// What `check` and `compare` have in common, before anything is read.
#[derive(Clone)]
pub(super) struct Run<'a> {
    arguments: &'a CommonArgs,
    pub console: Console,
    pub cwd: PathBuf,
    /// The top of the repository, if there is one.
    pub top: Option<PathBuf>,
    pub network: Network,
    pub terms: Terms,
    rules: RuleSet,
    pub in_force: InForce,
    /// What was found out of texts, for all pairs of versions.
    outlines: Outlines,
    keeper: Option<Arc<dyn Keeper>>,
    /// Whether these are the terms of the base, by which nothing else is judged.
    is_of_base: bool,
    /// What passes only because the change loosens the terms.
    let_through: Vec<LetThrough>,
    started: Instant,
}

/// What is asked of one pair of versions.
pub(super) struct Asked<'a> {
    /// What is judged; nothing for everything.
    pub paths: &'a [String],
    /// Where the paths of the snapshots start on disk.
    pub folder: &'a Path,
    /// Which problems count.
    pub strictness: Strictness,
    /// Which of several old versions it is.
    pub reach: Reach,
    /// Whether the paths are those that something had over time, so that no version has them all.
    pub follows: bool,
    /// Whether parts of the two versions are likely to have been compared already.
    pub in_parts: bool,
    /// Which version with the same contents was judged before, if one was.
    pub known: &'a dyn Fn(&Loaded) -> Option<usize>,
    /// What else is to be judged of what was read, whatever the mode.
    pub more: &'a dyn Fn(&Loaded) -> Vec<Change>,
    /// What is told of the way to what is wanted.
    pub way: Asks<'a>,
}

/// What came of one pair of versions.
pub(super) enum OnePair {
    /// It was judged.
    Report(Box<Report>),
    /// The old side has the contents of this version, which was judged before.
    Known(usize),
}

fn unread() -> Failure {
    Failure::could_not_tell("the schemas cannot be read", "check the repository with `git fsck`")
}

impl<'a> Run<'a> {
    pub(super) fn prepare(arguments: &'a CommonArgs) -> Result<Self, Failure> {
        let started = Instant::now();
        let cwd = working_directory()?;
        if let Some(jobs) = arguments.jobs {
            // Fails only if the pool was already built, which a second run in one process may have done.
            let _ = rayon::ThreadPoolBuilder::new().num_threads(usize::from(jobs)).build_global();
        }
        let (terms, rules) = terms::read(&arguments.configuration, &cwd)?;
        let top = cwd.ancestors().find(|folder| folder.join(".git").exists()).map(Path::to_path_buf);
        let network = if arguments.offline { Network::Offline } else { Network::Allowed };
        let in_force = InForce::read(&terms, &arguments.configuration, &cwd, top.as_deref())?;
        let console = Console::of(&arguments.terminal);
        let keeper = cache::keeper(top.as_deref())?;
        let outlines = keeper.clone().map(Outlines::kept_by).unwrap_or_default();
        let (is_of_base, let_through) = (false, Vec::new());
        Ok(Run {
            arguments,
            console,
            cwd,
            top,
            network,
            terms,
            rules,
            in_force,
            outlines,
            keeper,
            is_of_base,
            let_through,
            started,
        })
    }

    /// The same run by the terms of the base; `None` where they are these, or do not judge.
    pub(super) fn of_base(&self, sources: &Pair<Source>, repository: Option<&Repository>) -> Option<Run<'a>> {
        let guarded = self.in_force.of_check(sources.as_ref(), repository, &self.rules, Scope::Part);
        let (terms, rules) = guarded.base?;
        if terms.is_same(&self.terms) && own_rules(&rules) == own_rules(&self.rules) {
            return None;
        }
        let in_force = self.in_force.with_waivers(guarded.safeguards.waivers, terms.config());
        Some(Run { terms, rules, in_force, is_of_base: true, ..self.clone() })
    }

    /// The same run, which tells what passes only because the change loosens the terms.
    pub(super) fn letting_through(&self, let_through: Vec<LetThrough>) -> Run<'a> {
        Run { let_through, ..self.clone() }
    }

    /// Reads and checks, and reads no more than is needed. `folder` is where the paths of the snapshots start on disk.
    pub(super) fn found_out(
        &self,
        (sources, again): (Pair<Source>, Option<Again>),
        way: Asks<'_>,
        paths: &[String],
        folder: &Path,
        strictness: Strictness,
        repository: Option<Repository>,
    ) -> Result<Report, Failure> {
        let asked = Asked {
            paths,
            folder,
            strictness,
            reach: Reach::Last,
            follows: false,
            in_parts: false,
            known: &|_| None,
            more: &|_| Vec::new(),
            way,
        };
        let found = self.found_out_once(sources, &asked, repository)?;
        self.outlines.keep();
        match found {
            OnePair::Report(report) => Ok(Report { again, ..*report }),
            OnePair::Known(_) => Err(unread()),
        }
    }

    /// The same for one of several pairs; contents that were judged before are not judged again.
    pub(super) fn found_out_once(
        &self,
        sources: Pair<Source>,
        asked: &Asked<'_>,
        repository: Option<Repository>,
    ) -> Result<OnePair, Failure> {
        let Asked { paths, folder, strictness, follows, .. } = *asked;
        let request = Request {
            sources,
            cwd: self.cwd.clone(),
            network: self.network,
            format: self.arguments.language,
            selection: self.terms.selection(paths, folder),
            include: self.terms.include(self.arguments, folder),
            repository,
            nothing: match strictness {
                _ if follows => Nothing::IsWrongEverywhere,
                Strictness::Lenient if paths.is_empty() => Nothing::Passes,
                Strictness::Lenient | Strictness::EveryProblem | Strictness::EveryProblemOfChanged => Nothing::IsWrong,
            },
            may_wait: strictness != Strictness::EveryProblem && self.arguments.is_narrow(),
        };
        if let Some(found) = self.found_out_of(&request, asked)? {
            return Ok(found);
        }
        // Something did not say what it seemed to say, so everything is read.
        let request = Request { may_wait: false, ..request };
        self.found_out_of(&request, asked)?.ok_or_else(unread)
    }

    /// Reads and checks; `None` where it turned out that more has to be read.
    fn found_out_of(&self, request: &Request, asked: &Asked<'_>) -> Result<Option<OnePair>, Failure> {
        let Asked { paths, folder, strictness, reach, known, more, way, in_parts, .. } = *asked;
        let progress = Progress::start(self.console.progress, "reading both versions");
        let loaded = self.loaded(request, (paths, folder))?;
        if let Some(known) = known(&loaded) {
            return Ok(Some(OnePair::Known(known)));
        }
        let is_whole = paths.is_empty() && self.arguments.root.is_empty() && self.arguments.language.is_none();
        let scope = if is_whole { Scope::Whole } else { Scope::Part };
        let mut guarded = self.guarded(request, (strictness, reach), scope);
        if strictness == Strictness::Lenient {
            guarded.not_checked.extend(self.in_force.set_aside(&loaded, folder));
            if reach == Reach::Last && self.arguments.shard.is_none() && !self.is_of_base {
                let file = self.in_force.version.path.as_ref();
                guarded.problems.extend(unmatched::warnings(&self.terms, file, (request, &loaded), folder));
                guarded.problems.extend(unnamed::warning(request, &loaded));
                guarded.problems.extend(self.in_force.not_read(&self.cwd));
            }
        }
        guarded.safeguards.loosened.extend(more(&loaded));
        if reach == Reach::Last {
            let configuration = self.in_force.version.path.as_ref();
            let told = self.let_through.iter().map(|one| one.change(&loaded, configuration));
            guarded.safeguards.loosened.extend(told);
        }
        self.console.timing("read", self.started);
        let mut buf = self.terms.buf(self.arguments, &loaded, paths.is_empty())?;
        buf.not_checked.extend(self.terms.buf_above(self.arguments, request, &loaded));
        progress.step("comparing them, and writing and reading messages");
        let since = Instant::now();
        let here = is_small(&loaded).then(on_this_thread);
        let ours = Judges {
            arguments: self.arguments,
            terms: &self.terms,
            rules: &self.rules,
            strictness,
            outlines: &self.outlines,
            in_parts,
        };
        let checked = ours.checked(&loaded, folder);
        if loaded.lacks_files(&checked) {
            return Ok(None);
        }
        let base = ByBase::read(ours, &mut guarded, request, (paths, folder), (&loaded, &buf));
        drop(here);
        self.console.timing("check", since);
        let since = Instant::now();
        let base = base.as_ref().map(|base| base.terms(&loaded, &checked));
        let mut report = self.report((&loaded, &checked), base.as_ref(), (paths, folder, reach), guarded, buf);
        let judge = |pair: Pair<&Snapshot>| self.judged_as_step(pair, &loaded, (folder, strictness));
        let reaches_back = self.reaches_back(folder);
        let wanted = plan::Asked { pair: loaded.snapshots.as_ref(), judge: &judge, reaches_back };
        let first = || Judged { told: told(&checked, &self.rules), report: report.clone() };
        report.plan = way.way(&report, &wanted, first);
        drop(progress);
        self.console.timing("report", since);
        Ok((!loaded.is_doubtful()).then(|| OnePair::Report(Box::new(report))))
    }

    fn loaded(&self, request: &Request, (paths, folder): (&[String], &Path)) -> Result<Loaded, Failure> {
        load(request).map_err(|failure| match failure.exit {
            Exit::CouldNotTell => perhaps_on_the_remote(failure, request),
            _ => unmatched::everything_left_out(&self.terms, request)
                .unwrap_or_else(|| perhaps_a_command(failure, paths, folder, request.repository.as_ref())),
        })
    }

    /// The safeguards of one pair of versions.
    fn guarded(&self, request: &Request, (strictness, reach): (Strictness, Reach), scope: Scope) -> Guarded {
        match strictness {
            Strictness::EveryProblem | Strictness::EveryProblemOfChanged => self.in_force.of_compare(),
            // The terms of the base judge as well, and those of versions before it do not.
            Strictness::Lenient if reach == Reach::Earlier || self.is_of_base => self.in_force.of_compare(),
            Strictness::Lenient => {
                self.in_force.of_check(request.sources.as_ref(), request.repository.as_ref(), &self.rules, scope)
            }
        }
    }

    /// Compares what was read, and reports, without waiting for anything: for whoever compares again and again.
    pub(super) fn judged_once(
        &self,
        loaded: &Loaded,
        folder: &Path,
        strictness: Strictness,
    ) -> Result<(Vec<(Format, Checked)>, Report), Failure> {
        let buf = self.terms.buf(self.arguments, loaded, true)?;
        let judges = Judges {
            arguments: self.arguments,
            terms: &self.terms,
            rules: &self.rules,
            strictness,
            outlines: &self.outlines,
            in_parts: false,
        };
        let checked = judges.checked(loaded, folder);
        let guarded = self.in_force.of_compare();
        let report = self.report((loaded, &checked), None, (&[], folder, Reach::Last), guarded, buf);
        Ok((checked, report))
    }

    /// The same for a step of a plan from one version that was loaded to the other.
    pub(super) fn judged_as_step(
        &self,
        pair: Pair<&Snapshot>,
        loaded: &Loaded,
        (folder, strictness): (&Path, Strictness),
    ) -> Judged {
        let step = Loaded {
            snapshots: pair.map(Snapshot::clone),
            labels: loaded.labels.clone(),
            library: loaded.library.clone(),
            include: loaded.include.clone(),
            ..Loaded::default()
        };
        match self.judged_once(&step, folder, strictness) {
            Ok((checked, report)) => Judged { told: told(&checked, self.rules()), report },
            Err(failure) => Judged { told: Vec::new(), report: Report::unanswered(&failure.message, &failure.help) },
        }
    }

    /// Keeps for later runs what was found out of texts.
    pub(super) fn keep_outlines(&self) {
        self.outlines.keep();
    }

    /// The same run, which compares each of many versions with several others.
    pub(super) fn of_many_versions(self) -> Self {
        Run { outlines: self.outlines.of_many_versions(), ..self }
    }

    /// What earlier runs under the same terms found out about commits; `more` is what else decides about it. Nothing where
    /// what is imported from outside of the commits decides as well.
    pub(super) fn remembered(&self, more: &dyn Debug, folder: &Path) -> Remembered {
        if self.terms.may_import_from_disk(self.arguments) {
            return Remembered::nothing();
        }
        let waivers = Some((&self.in_force.text, self.in_force.today)).filter(|(text, _)| !text.is_empty());
        // The rules that come with the program are a part of what it is made of.
        let rules: Option<Vec<&Rule>> = self.terms.config().rules_dir.as_ref().map(|_| self.rules.iter().collect());
        Remembered::of(self.keeper.clone(), &(&self.terms, rules, waivers, folder, more))
    }

    /// The rules that judge.
    pub(super) fn rules(&self) -> &RuleSet {
        &self.rules
    }

    /// Whether a mode is in force in which every earlier version counts.
    pub(super) fn reaches_back(&self, folder: &Path) -> bool {
        self.terms.policy(self.arguments, folder).reaches_back()
    }

    /// A report without an answer, for those who read reports, and the reason on standard error.
    pub(super) fn give_up(self, failure: Failure) -> Result<Exit, Failure> {
        if failure.exit != Exit::CouldNotTell {
            return Err(output::unanswered(failure, &self.arguments.rendering));
        }
        let problem = Problem {
            severity: Severity::Error,
            site: None,
            message: failure.message.clone(),
            help: failure.help.clone(),
        };
        let nothing = || "not established".to_owned();
        let loaded = Loaded { labels: Pair::new(nothing(), nothing()), ..Loaded::default() };
        let problem = BufTerms { problems: vec![problem], ..BufTerms::default() };
        let report = self.report((&loaded, &[]), None, (&[], &self.cwd, Reach::Last), Guarded::default(), problem);
        if !self.console.prints_text(&self.arguments.rendering) || !self.arguments.rendering.output.is_empty() {
            output::write_quietly(&report, &self.arguments.rendering, &self.console)?;
        }
        Err(failure)
    }

    fn report(
        &self,
        (loaded, checked): (&Loaded, &[(Format, Checked)]),
        base: Option<&BaseTerms<'_>>,
        (paths, folder, reach): (&[String], &Path, Reach),
        guarded: Guarded,
        buf: BufTerms,
    ) -> Report {
        let areas = buf.rest.into_iter().chain(buf.areas).collect();
        let mut policy = Policy { areas, reach, ..self.terms.policy(self.arguments, folder) };
        policy.profile = policy.profile.or_else(|| Some(buf.profile?.all_in_force(RuleSet::built_in())));
        guarded.severities.rule_over(&mut policy.severities);
        let missing = checked.iter().flat_map(|(_, checked)| checked.missing.iter().cloned()).collect();
        let mut unseen = unseen::told(loaded.snapshots.as_ref(), &missing);
        // Where the base selects more than the change does, what it would not have seen counts as well.
        let of_base = base.map(|base| unseen::told(base.snapshots, &missing).changes).unwrap_or_default();
        let is_told = |change: &Change| unseen.changes.iter().any(|told| told.path == change.path);
        let more: Vec<Change> = of_base.into_iter().filter(|change| !is_told(change)).collect();
        unseen.changes.extend(more);
        // What is the same on both sides and unseen on both is told to those who ask.
        let same = if self.console.style.detail == Detail::Verbose { unseen.same.clone() } else { Vec::new() };
        let of_snapshots = unseen.differing.iter().chain(&same);
        let not_checked = loaded.not_checked.iter().chain(of_snapshots).cloned();
        let not_checked = not_checked.chain(guarded.not_checked).chain(buf.not_checked);
        let input = pipeline::Input {
            snapshots: loaded.snapshots.as_ref(),
            library: &loaded.library,
            checked,
            rules: &self.rules,
            policy: &policy,
            shows_diffs: !self.outlines.are_of_many_versions(),
            labels: loaded.labels.clone(),
            arguments: self.scope(paths),
            again: None,
            problems: buf.problems.into_iter().chain(guarded.problems).collect(),
            not_checked: not_checked.collect(),
            safeguards: &guarded.safeguards,
            unseen: &unseen,
            shard: self.arguments.shard.map(|part| self.shard(part, loaded)),
        };
        let mut report = pipeline::report(&input, base);
        let file = self.in_force.version.path.as_ref();
        report.stats.excluded = unmatched::excluded(&self.terms, file, (loaded, paths), folder);
        report.configured_by = self.terms.in_folder(self.top.as_deref(), &self.arguments.configuration);
        if let Some(Pair { old, new }) = &loaded.single {
            report.call_file(ProblemSide::Old, &old.path, &old.called);
            report.call_file(ProblemSide::New, &new.path, &new.called);
        }
        report
    }

    /// Which part this is, and of what.
    fn shard(&self, part: Part, loaded: &Loaded) -> Shard {
        let mut inputs = self.terms.as_text();
        let counts = |waiver: &&Waiver| waiver.counts_on(self.in_force.today);
        self.in_force
            .waivers
            .waivers
            .iter()
            .filter(counts)
            .for_each(|waiver| inputs.push_str(&format!("{waiver:?}\n")));
        for rule in self.rules.iter() {
            // Where a rule was read is not what it says.
            inputs.push_str(&format!("{:?}\n", Rule { file: String::new(), ..rule.clone() }));
        }
        for side in [&loaded.snapshots.old, &loaded.snapshots.new] {
            side.iter().for_each(|(path, file)| inputs.push_str(&format!("{path:?} {}\n", file.id)));
            inputs.push('\n');
        }
        for file in &loaded.library {
            inputs.push_str(&format!("{:?} {}\n", file.import_path, ContentId::of(&file.bytes)));
        }
        let inputs = ContentId::of(inputs.as_bytes()).to_string();
        Shard { number: part.number, of: part.of, inputs, broken: Vec::new() }
    }

    /// The arguments beside sources and terms that shape the report.
    fn scope(&self, paths: &[String]) -> Vec<String> {
        let arguments = self.arguments;
        let mut scope = paths.to_vec();
        let mut add = |option: &str, value: &str| scope.extend([option.to_owned(), value.to_owned()]);
        arguments.root.iter().for_each(|root| add("--root", root));
        arguments.include.iter().for_each(|folder| add("--include", folder));
        arguments.language.iter().for_each(|language| add("--type", language.name()));
        arguments.configuration.config.iter().for_each(|file| add("--config", &file.to_string_lossy()));
        arguments.writers.iter().for_each(|writers| add("--writers", writers.name()));
        arguments.encodings.iter().flatten().for_each(|encoding| add("--encodings", encoding.name()));
        let flags = [
            ("--strict-imports", arguments.strict_imports),
            ("--assert-formats", arguments.assert_formats),
            ("--no-config", arguments.configuration.no_config),
            ("--full", arguments.full),
        ];
        scope.extend(flags.iter().filter(|(_, is_given)| *is_given).map(|(flag, _)| (*flag).to_owned()));
        scope
    }

    /// Whether all old versions decide, or the last one alone.
    pub(super) fn counting(&self, folder: &Path) -> Counting {
        match self.terms.policy(self.arguments, folder).reaches_back() {
            true => Counting::All,
            false => Counting::Last,
        }
    }

    /// The folders side by side that count as versions, and whether all of them decide.
    pub(super) fn folders(&self, asked: Option<&History>) -> Option<(Glob, Counting)> {
        match &asked.or(self.terms.config().history.as_ref())?.of {
            Of::Dir(glob) => Some((glob.clone(), self.counting(&self.cwd))),
            Of::FirstParent | Of::Tags(_) => None,
        }
    }

    /// Which versions before the base count: what the option or the configuration says, or those that a transitive mode
    /// means; `None` where none do. Whether they decide.
    pub(super) fn history(&self, asked: Option<&History>, folder: &Path) -> Option<(History, Counting)> {
        let of_config = self.terms.config().history.as_ref();
        let depth = of_config.map_or(USUAL_DEPTH, |history| history.depth);
        let asked = asked.map(|asked| History { depth, ..asked.clone() });
        if asked.is_none() && self.folders(None).is_some() {
            return None;
        }
        let counting = self.counting(folder);
        let meant = (counting == Counting::All).then(History::default);
        Some((asked.or_else(|| of_config.cloned()).or(meant)?, counting))
    }

    pub(super) fn conclude(&self, report: &Report) -> Result<Exit, Failure> {
        let since = Instant::now();
        output::write(report, &self.arguments.rendering, &self.console)?;
        self.console.timing("render", since);
        self.console.timing("total", self.started);
        Ok(match &report.verdict {
            Open::Known(Verdict::Compatible) => Exit::Compatible,
            Open::Known(Verdict::Breaking) if self.arguments.exit_zero => Exit::Compatible,
            Open::Known(Verdict::Breaking) => Exit::Breaking,
            Open::Known(Verdict::Unknown) | Open::Unknown(_) => Exit::CouldNotTell,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_small_check_stays_on_its_thread() {
        let worked = std::thread::spawn(|| {
            let _here = on_this_thread().expect("a new thread belongs to no pool");
            let id = || std::thread::current().id();
            let (one, other) = rayon::join(id, id);
            [one, other, id()]
        });
        let [one, other, this] = worked.join().expect("nothing fails in it");
        assert_eq!((one, other), (this, this));
    }

    #[test]
    fn schemas_are_small_up_to_a_limit() {
        let of = |length: usize| {
            let side = |length| crate::snapshot::Snapshot::from_files([("a.proto", vec![b' '; length])]);
            let snapshots = Pair::new(side(length / 2), side(length - length / 2));
            is_small(&Loaded { snapshots, ..Loaded::default() })
        };
        assert!(of(SMALL) && !of(SMALL + 1));
    }
}
