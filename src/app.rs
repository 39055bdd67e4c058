//! The program around the pipeline: arguments → what to read → both sides → the report → bytes and an exit code.
//!
//! Everything that touches the outside meets here: the arguments, the environment, the files, the streams. What is
//! decided is decided elsewhere.

mod accept;
mod buf;
mod catalogue;
mod comment;
mod gate;
mod init;
mod output;
mod progress;
mod render;
mod terms;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::CommandFactory;

use crate::change::Pair;
use crate::cli::{self, CheckArgs, Cli, Command, CommonArgs, CompareArgs, ConfigArgs, SchemaOf};
use crate::failure::{Exit, Failure, nearest};
use crate::formats::{Checked, Format, Part};
use crate::gate::{Scope, Waiver};
use crate::pipeline::{self, check_formats};
use crate::report::{Report, Shard};
use crate::rules::{Rule, RuleSet};
use crate::source::base::{Surroundings, choose, choose_staged};
use crate::source::git::{Network, Repository};
use crate::source::{ContentId, Loaded, Request, Source, load};
use crate::syntax::problem::{Problem, Severity};
use crate::verdict::Policy;
use crate::vocabulary::{Open, Verdict};

use buf::BufTerms;
use gate::{Gated, InForce};
use output::{Console, complain, print};
use progress::Progress;
use terms::{Terms, Unit};

/// Runs the program with its arguments, the first of which is its own name.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> Exit {
    let cli = match cli::parse(arguments) {
        Ok(cli) => cli,
        Err(error) => {
            // Help and version are printed on standard output and are no failure; a closed pipe is none either.
            let exit = if error.use_stderr() { Exit::Usage } else { Exit::Compatible };
            let _ = error.print();
            return exit;
        }
    };
    std::panic::set_hook(Box::new(|panic| complain(&our_mistake(panic))));
    match std::panic::catch_unwind(|| dispatch(cli.command)) {
        // The hook has said it.
        Err(_) => Exit::CouldNotTell,
        Ok(Ok(exit)) => exit,
        Ok(Err(failure)) => {
            complain(&failure);
            failure.exit
        }
    }
}

/// A mistake in this program is no verdict about schemas.
fn our_mistake(panic: &std::panic::PanicHookInfo<'_>) -> Failure {
    let place = panic.location().map(|place| format!(" ({}:{})", place.file(), place.line())).unwrap_or_default();
    let said = panic.payload();
    let words = said.downcast_ref::<&str>().copied().or_else(|| said.downcast_ref::<String>().map(String::as_str));
    Failure::could_not_tell(
        format!("wireproof itself failed{place}: {}", words.unwrap_or("it did not say why")),
        "this is a bug in wireproof, not in your schemas; please report it with the two versions",
    )
}

fn dispatch(command: Command) -> Result<Exit, Failure> {
    match command {
        Command::Check(arguments) => check(&arguments),
        Command::Compare(arguments) => compare(&arguments),
        Command::Explain { rule, configuration, terminal } => {
            catalogue::explain(&rule, &rules(&configuration)?, &Console::of(&terminal))
        }
        Command::Rules { format, configuration, terminal: _ } => catalogue::list(format, &rules(&configuration)?),
        Command::Render { reports, exit_code, rendering, terminal } => {
            render::render(&reports, exit_code, &rendering, &terminal)
        }
        Command::Accept(arguments) => accept::accept(&arguments),
        Command::Comment(arguments) => comment::comment(&arguments),
        Command::Init(arguments) => init::init(&arguments),
        Command::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut Cli::command(), "wireproof", &mut script);
            print(&script)
        }
        Command::Man => print(&man()?),
        Command::Schema { of: SchemaOf::Report } => print(crate::report::json::schema().as_bytes()),
        Command::Schema { of: SchemaOf::Config } => json_schema(&crate::config::schema()),
        Command::Schema { of: SchemaOf::Waivers } => json_schema(&crate::config::waivers::schema()),
    }
}

fn json_schema(schema: &schemars::Schema) -> Result<Exit, Failure> {
    let text = serde_json::to_string_pretty(schema).expect("a JSON Schema is JSON");
    print(format!("{text}\n").as_bytes())
}

/// All rules, those of the configuration included.
fn rules(configuration: &ConfigArgs) -> Result<RuleSet, Failure> {
    let cwd = working_directory()?;
    terms::read(configuration, &cwd).map(|(_, rules)| rules)
}

fn working_directory() -> Result<PathBuf, Failure> {
    std::env::current_dir().and_then(|cwd| cwd.canonicalize()).map_err(|error| {
        Failure::could_not_tell(format!("the working directory cannot be read: {error}"), "change to another one")
    })
}

/// The manual: one page for the program and one section per command.
fn man() -> Result<Vec<u8>, Failure> {
    let unwritable = |error: std::io::Error| Failure::usage(format!("cannot write the manual page: {error}"), "");
    let mut program = Cli::command();
    program.build();
    let mut page = Vec::new();
    let whole = clap_mangen::Man::new(program.clone());
    whole.render_title(&mut page).map_err(unwritable)?;
    whole.render_name_section(&mut page).map_err(unwritable)?;
    whole.render_synopsis_section(&mut page).map_err(unwritable)?;
    whole.render_description_section(&mut page).map_err(unwritable)?;
    for command in program.get_subcommands() {
        let title = format!(".SH \"WIREPROOF {}\"\n", command.get_name().to_uppercase());
        page.extend(title.as_bytes());
        let man = clap_mangen::Man::new(command.clone());
        let mut section = Vec::new();
        man.render_description_section(&mut section).map_err(unwritable)?;
        man.render_options_section(&mut section).map_err(unwritable)?;
        let section = String::from_utf8_lossy(&section);
        let section = section.replace(".SH DESCRIPTION\n", "").replace(".SH OPTIONS\n", "").replace(".SH ", ".SS ");
        page.extend(section.as_bytes());
        page.extend(as_it_is(command.get_after_long_help()).as_bytes());
    }
    page.extend(b".SH \"EXAMPLES AND EXIT CODES\"\n");
    page.extend(as_it_is(program.get_after_long_help()).as_bytes());
    Ok(page)
}

/// Text whose lines stay as they are.
fn as_it_is(text: Option<&clap::builder::StyledStr>) -> String {
    let Some(text) = text else { return String::new() };
    let escaped = text.to_string().replace('\\', "\\e").replace('-', "\\-");
    let lines: Vec<String> = escaped.lines().map(|line| format!("\\&{line}")).collect();
    format!(".PP\n.nf\n{}\n.fi\n", lines.join("\n"))
}

fn compare(arguments: &CompareArgs) -> Result<Exit, Failure> {
    let run = Run::prepare(&arguments.common)?;
    let sources = Pair::new(Source::parse(&arguments.old, &run.cwd)?, Source::parse(&arguments.new, &run.cwd)?);
    // Two folders outside of git are two copies of what the configuration speaks of, wherever they lie.
    let folder = match (&sources.old, &sources.new) {
        (Source::Git(_), Source::Path(folder)) | (Source::Path(folder), Source::Git(_)) => folder.clone(),
        (Source::Git(_), _) | (_, Source::Git(_)) => run.top.clone().unwrap_or_else(|| run.cwd.clone()),
        _ => run.terms.folder().unwrap_or(&run.cwd).to_path_buf(),
    };
    match run.found_out(sources, &[], &folder, Strictness::EveryProblem, None) {
        Ok(report) => run.conclude(&report),
        Err(failure) => run.give_up(failure),
    }
}

fn check(arguments: &CheckArgs) -> Result<Exit, Failure> {
    let run = Run::prepare(&arguments.common)?;
    match found_by_check(&run, arguments) {
        Ok(report) => run.conclude(&report),
        Err(failure) => run.give_up(failure),
    }
}

/// The report of `check`, for whoever needs its findings.
fn found_by_check(run: &Run<'_>, arguments: &CheckArgs) -> Result<Report, Failure> {
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
            Ok(Pair::new(old, new))
        }
        None => repository.clone().and_then(|repository| {
            let repository = repository.ok_or_else(|| {
                Failure::could_not_tell(
                    "this is not a git repository, so there is nothing to compare with",
                    "run inside a clone, or name the old version: `wireproof check --against SOURCE`",
                )
            })?;
            let around = Surroundings::from_environment();
            if arguments.staged { choose_staged(&repository, &around) } else { choose(&repository, &around, head) }
        }),
    };
    // Git knows better than a look at the folders above: `GIT_DIR` and `GIT_WORK_TREE` may name another place.
    let top = repository.as_ref().ok().and_then(|repository| repository.as_ref()?.top.clone());
    let folder = top.or_else(|| run.top.clone()).unwrap_or_else(|| run.cwd.clone());
    let paths = terms::inside(&paths, &run.cwd, &folder)?;
    match sources {
        Ok(sources) => run.found_out(sources, &paths, &folder, Strictness::Lenient, repository.ok().flatten()),
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

/// A path that does not exist may have been meant as a command.
fn perhaps_a_command(mut failure: Failure, paths: &[String], folder: &Path) -> Failure {
    let mut absent = paths.iter().filter(|path| !path.contains('/') && !folder.join(path).exists());
    if let Some(hint) = absent.find_map(|path| command_meant(path)) {
        failure.help = format!("{hint}\n{}", failure.help);
    }
    failure
}

/// There is no such path; perhaps a command was meant.
fn no_such_path(path: &str) -> Failure {
    let other =
        || "check the path; it starts from the working directory. `wireproof --help` lists the commands".to_owned();
    Failure::usage(format!("there is no file or folder `{path}`"), command_meant(path).unwrap_or_else(other))
}

/// The command that a word was most likely meant as.
fn command_meant(word: &str) -> Option<String> {
    if cli::LATER.contains(&word) {
        return Some(format!("the command `{word}` is not available yet in this version"));
    }
    let commands = cli::command_names();
    let near = nearest(word, commands.iter().map(String::as_str))?;
    Some(format!("if you meant the command: `wireproof {near}`"))
}

/// Which problems stand in the way of a verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Strictness {
    /// `compare` reports every one.
    EveryProblem,
    /// `check` forgives problems in files that did not change and that no change reaches.
    Lenient,
}

/// Schemas up to so many bytes are judged sooner than threads start.
const SMALL: usize = 16 * 1024;

fn is_small(loaded: &Loaded) -> bool {
    let Pair { old, new } = &loaded.snapshots;
    let files = old.iter().chain(new.iter()).map(|(_, file)| &file.bytes);
    files.chain(loaded.library.iter().map(|file| &file.bytes)).map(|bytes| bytes.len()).sum::<usize>() <= SMALL
}

/// A pool that has this thread and no other, so that nothing which could be done in parallel starts any. `None` where
/// the thread belongs to a pool already.
fn on_this_thread() -> Option<rayon::ThreadPool> {
    rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread().build().ok()
}

/// What `check` and `compare` have in common, before anything is read.
struct Run<'a> {
    arguments: &'a CommonArgs,
    console: Console,
    cwd: PathBuf,
    /// The top of the repository, if there is one.
    top: Option<PathBuf>,
    network: Network,
    terms: Terms,
    rules: RuleSet,
    in_force: InForce,
    started: Instant,
}

impl<'a> Run<'a> {
    fn prepare(arguments: &'a CommonArgs) -> Result<Self, Failure> {
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
        Ok(Run { arguments, console, cwd, top, network, terms, rules, in_force, started })
    }

    /// Reads and checks. `folder` is where the paths of the snapshots start on disk.
    fn found_out(
        &self,
        sources: Pair<Source>,
        paths: &[String],
        folder: &Path,
        strictness: Strictness,
        repository: Option<Repository>,
    ) -> Result<Report, Failure> {
        let request = Request {
            sources,
            cwd: self.cwd.clone(),
            network: self.network,
            format: self.arguments.language,
            selection: self.terms.selection(paths, folder),
            include: self.terms.include(self.arguments, folder),
            repository,
        };
        let progress = Progress::start(self.console.progress, "reading both versions");
        let loaded = load(&request).map_err(|failure| match failure.exit {
            Exit::CouldNotTell => failure,
            _ => perhaps_a_command(failure, paths, folder),
        })?;
        let is_whole = paths.is_empty() && self.arguments.root.is_empty() && self.arguments.language.is_none();
        let scope = if is_whole { Scope::Whole } else { Scope::Part };
        let gated = match strictness {
            Strictness::EveryProblem => self.in_force.of_compare(),
            Strictness::Lenient => {
                self.in_force.of_check(request.sources.as_ref(), request.repository.as_ref(), &self.rules, scope)
            }
        };
        self.console.timing("read", self.started);
        let buf = self.terms.buf(self.arguments, &loaded, paths.is_empty())?;
        progress.step("comparing them, and writing and reading messages");
        let since = Instant::now();
        let units = self.terms.units(self.arguments, &loaded, folder, strictness == Strictness::Lenient);
        let here = is_small(&loaded).then(on_this_thread);
        let mut checked: Vec<(Format, Checked)> = Vec::new();
        for Unit { snapshots, options } in &units {
            checked.extend(check_formats(snapshots.as_ref(), Format::ALL, options));
        }
        drop(here);
        self.console.timing("check", since);
        let since = Instant::now();
        let report = self.report(&loaded, &checked, (paths, folder), gated, buf);
        drop(progress);
        self.console.timing("report", since);
        Ok(report)
    }

    /// A report without an answer, for those who read reports, and the reason on standard error.
    fn give_up(self, failure: Failure) -> Result<Exit, Failure> {
        if failure.exit != Exit::CouldNotTell {
            return Err(failure);
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
        let report = self.report(&loaded, &[], (&[], &self.cwd), Gated::default(), problem);
        if !self.console.prints_text(&self.arguments.rendering) || !self.arguments.rendering.output.is_empty() {
            output::write_quietly(&report, &self.arguments.rendering, &self.console)?;
        }
        Err(failure)
    }

    fn report(
        &self,
        loaded: &Loaded,
        checked: &[(Format, Checked)],
        (paths, folder): (&[String], &Path),
        gated: Gated,
        buf: BufTerms,
    ) -> Report {
        let mut policy = Policy { areas: buf.areas, ..self.terms.policy(self.arguments, folder) };
        policy.severities.extend(gated.severities);
        let not_checked = loaded.not_checked.iter().cloned().chain(gated.not_checked).chain(buf.not_checked);
        pipeline::report(&pipeline::Input {
            snapshots: loaded.snapshots.as_ref(),
            library: &loaded.library,
            checked,
            rules: &self.rules,
            policy: &policy,
            labels: loaded.labels.clone(),
            arguments: self.scope(paths),
            problems: buf.problems,
            not_checked: not_checked.collect(),
            gate: &gated.gate,
            shard: self.arguments.shard.map(|part| self.shard(part, loaded)),
        })
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
        let flags =
            [("--strict-imports", arguments.strict_imports), ("--no-config", arguments.configuration.no_config)];
        scope.extend(flags.iter().filter(|(_, is_given)| *is_given).map(|(flag, _)| (*flag).to_owned()));
        scope
    }

    fn conclude(&self, report: &Report) -> Result<Exit, Failure> {
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
            let side = |length| crate::source::Snapshot::from_files([("a.proto", vec![b' '; length])]);
            let snapshots = Pair::new(side(length / 2), side(length - length / 2));
            is_small(&Loaded { snapshots, ..Loaded::default() })
        };
        assert!(of(SMALL) && !of(SMALL + 1));
    }
}
