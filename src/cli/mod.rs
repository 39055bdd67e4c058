//! The command line: arguments in, a [`Command`] out. No files are read here.

mod common;
mod history;
mod plan;
mod values;

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, CommandFactory, Parser, Subcommand};

use crate::config::Instances;
use crate::config::history::History;
use crate::evidence::{Outcome, Surface};
use crate::formats::{Encoding, Format, Part, Writers};
use crate::rules::Profile;
use crate::verdict::Mode;

pub use common::{ConfigArgs, TerminalArgs};
pub use history::{HistoryArgs, HistoryForm};
pub use plan::{PlanArgs, PlanOutput, PlanRendering};
pub use values::{ColorChoice, CommentWhen, Listing, Output, Rendering, SchemaOf};
use values::{action, fail_on, mode, output, profile, profile_help, schema_language, shard, surface};

/// The whole command line.
#[derive(Debug, Parser)]
#[command(
    name = "wireproof",
    version,
    about = "Tells you, before you merge, whether a schema change will break somebody, and proves it with bytes",
    long_about = "wireproof compares two versions of your schemas, says what readers of the one experience with data of the \
                  other, and proves each claim by writing synthetic messages under one version and reading them under the other.\n\n\
                  It understands Protocol Buffers (.proto), Avro (.avsc, .avpr, .avdl, and .avro where you name such a \
                  file), Thrift (.thrift), FlatBuffers (.fbs), Cap'n Proto (.capnp) and JSON Schema (.schema.json, .schema.yaml, \
                  and other .json and .yaml files where you name them).\n\n\
                  `wireproof` alone is `wireproof check`.",
    after_help = EXIT_CODES,
    after_long_help = EXAMPLES,
    override_usage = "wireproof [COMMAND] [OPTIONS]",
    disable_help_subcommand = true,
    max_term_width = 100
)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

const EXIT_CODES: &str = "\
Without a command, the options are those of `check`: see `wireproof check --help`.
Exit codes: 0 compatible, 1 breaking, 2 usage or configuration error, 3 could not tell (never a pass)";

const EXAMPLES: &str = "\
Without a command, the options are those of `check`: see `wireproof check --help`.

Examples:
  wireproof                                     the working tree against its merge base with main
  wireproof check --mode backward               only: can new readers read old data?
  wireproof check --against git:v1.4            against a tag
  wireproof compare old/ new/                   two directories
  wireproof compare git:main:proto proto        a folder of a branch and a directory
  wireproof compare shop-1.0.tar.gz git:HEAD    a release archive and a commit
  wireproof explain protobuf/field-reused       what a rule says, and why

Exit codes:
  0  compatible under the mode in force
  1  at least one finding breaks
  2  usage or configuration error
  3  could not tell: a schema does not parse, the base is not trustworthy; never a pass";

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Check the working tree against its base (this is the default)
    #[command(after_long_help = CHECK_HELP)]
    Check(CheckArgs),
    /// Compare explicit versions: an old one, or several, with a new one
    #[command(after_long_help = COMPARE_HELP, override_usage = "wireproof compare [OPTIONS] <OLD>... <NEW>")]
    Compare(CompareArgs),
    /// Explain a rule: what it finds, who breaks, what to do
    Explain {
        /// The rule's id, such as `protobuf/field-reused`, also without the format; a family of rules; or the id of a
        /// finding of `wireproof check`, which is then shown in full
        rule: String,
        /// Where your own rules are named.
        #[command(flatten)]
        configuration: ConfigArgs,
        /// How to talk.
        #[command(flatten)]
        terminal: TerminalArgs,
    },
    /// List all rules, your own included
    Rules {
        /// Only those with these words in their id, family or title, such as `avro` or `oneof`
        words: Vec<String>,
        /// How to list them
        #[arg(long, value_enum, default_value = "text", value_name = "FORMAT")]
        format: Listing,
        /// Where your own rules are named.
        #[command(flatten)]
        configuration: ConfigArgs,
        /// How to talk.
        #[command(flatten)]
        terminal: TerminalArgs,
    },
    /// Render a saved JSON report in other formats, and put the parts of a divided check together
    #[command(after_long_help = RENDER_HELP)]
    Render {
        /// The report, as written by `--output json=PATH`; `-` for standard input. All parts of a check that was divided
        /// with `--shard` are put together
        #[arg(value_name = "REPORT", required = true)]
        reports: Vec<PathBuf>,
        /// Exit as the findings say: 0 compatible, 1 breaking, 3 could not tell. Without it a report that could be
        /// rendered is 0
        #[arg(long)]
        exit_code: bool,
        /// How to render.
        #[command(flatten)]
        rendering: RenderArgs,
        /// How to talk.
        #[command(flatten)]
        terminal: TerminalArgs,
    },
    /// Record an intended break, so that it no longer stops the gate
    #[command(after_long_help = ACCEPT_HELP)]
    Accept(AcceptArgs),
    /// Make the edits that findings suggest, and check again
    #[command(after_long_help = FIX_HELP)]
    Fix(FixArgs),
    /// Show who can read whom among all versions, when each break entered, and which numbers were freed
    #[command(after_long_help = history::HELP)]
    History(HistoryArgs),
    /// Plan the steps that get to a wanted version without a break, each of them checked
    #[command(after_long_help = plan::HELP)]
    Plan(PlanArgs),
    /// Create or update the pull-request comment of a report
    #[command(after_long_help = COMMENT_HELP)]
    Comment(CommentArgs),
    /// Write configuration, workflow and hook, after looking at the repository
    #[command(after_long_help = INIT_HELP)]
    Init(InitArgs),
    /// Print shell completions
    Completions {
        /// The shell
        #[arg(value_enum)]
        shell: clap_complete::Shell,
    },
    /// Print the manual page
    Man,
    /// Print the JSON Schema of the report, of the configuration or of the waiver file
    Schema {
        /// Of what
        #[arg(value_enum, default_value = "report")]
        of: SchemaOf,
    },
}

const CHECK_HELP: &str = "\
The base, without --against:
  in a GitHub pull-request run, the effect of merging: the merge commit against its first parent,
  for which a clone of depth 1 is enough;
  in a merge queue or on a push, what the event names;
  else the merge base with the default branch, if it can be trusted: in a shallow clone history may
  be cut off before it, and then the command that brings the rest is printed and no verdict.

With --staged, what the next commit will hold (git's index) against the merge base, or against the last
commit where there is none or that is it; where pre-commit runs for a push, what is pushed.

Examples:
  wireproof check
  wireproof check --staged
  wireproof check --history=tags:v* --mode backward-transitive
  wireproof check proto/shop --surface wire,json
  wireproof check --against git:origin/release-2 --output json=report.json --output markdown=report.md";

const COMPARE_HELP: &str = "\
Versions come oldest first; the last one is under review. Several old ones serve the transitive modes, and the
other modes look at the last of them.

A version is a file, a directory, an archive (.tar, .tar.gz, .tgz, .zip), `git:REF`,
`git:REF:PATH`, or `-` for one schema on standard input; for Protobuf also a descriptor set or an
image of buf (.binpb, .pb, .bin, .desc, .json, each also .gz or .zst), and buf's own spelling:
`.git#branch=main,subdir=proto`.
A name that is a path and a revision is refused: `git:NAME` is the revision, `./NAME` the path.
An Avro data file (.avro) stands for the schema inside it, and its first records are read as well.

Examples:
  wireproof compare old.proto new.proto
  wireproof compare orders.avro order.avsc      can the new schema read this file?
  wireproof compare git:v1.0 git:v2.0 --mode backward
  wireproof compare v1.avsc v2.avsc v3.avsc --mode backward-transitive
  git show main:order.proto | wireproof compare --type protobuf - order.proto";

const INIT_HELP: &str = "\
Without --github, --pre-commit and --forks it writes what fits the repository. What is there already is never
overwritten: the same text is left as it is, and where the text differs, the difference is shown.

Exit codes: 0 done, or nothing to do; 2 a file cannot be read or written

Examples:
  wireproof init --dry-run
  wireproof init --github --forks --action octocat/wireproof@<commit>";

const ACCEPT_HELP: &str = "\
One entry is put into the waiver file: `.wireproof-waivers.yaml` beside the configuration or at the top of the
repository, unless the configuration names another one. Commit it with the change: reviewers see who let what pass.

Examples:
  wireproof accept 9c1f03ab27de --reason 'no client sends it since May' --owner payments --until 2026-12-31
  wireproof accept 9c1f03ab27de --reason 'see the plan of the migration' --report report.json --dry-run
  wireproof accept --under proto/legacy --reason 'nobody reads these any more'
  wireproof accept --prune                      forget the waivers that have ended or done their job";

const RENDER_HELP: &str = "\
The parts of one check, made with `--shard 1/3` to `--shard 3/3`, become one report. Parts of different inputs, terms
or versions are refused. A part that is missing is said, and then the verdict is never `compatible`.

Examples:
  wireproof render report.json --format markdown
  wireproof render part-*.json --exit-code --output markdown=report.md --output sarif=report.sarif";

/// Arguments of `check`.
#[derive(Debug, Clone, Args)]
pub struct CheckArgs {
    /// Judge only these folders or files; the rest still supplies types
    #[arg(value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    /// The old version: `git:REF[:PATH]`, a directory, a file or an archive
    #[arg(long, value_name = "SOURCE", visible_alias = "base", help_heading = "What to compare")]
    pub against: Option<String>,
    /// The new version instead of the working tree
    #[arg(long, value_name = "SOURCE", help_heading = "What to compare")]
    pub head: Option<String>,
    /// Judge what is staged, against the merge base: for commit hooks
    #[arg(long, conflicts_with = "head", help_heading = "What to compare")]
    pub staged: bool,
    /// Also compare with the versions before the base: first-parent (commits that changed a schema, the default),
    /// tags:GLOB, or dir:GLOB (folders side by side, without a base)
    #[arg(long, value_name = "VERSIONS", value_parser = values::history, num_args = 0..=1, require_equals = true,
        default_missing_value = "first-parent", help_heading = "What to compare")]
    pub history: Option<History>,
    /// Everything `check` and `compare` have in common.
    #[command(flatten)]
    pub common: CommonArgs,
}

impl CheckArgs {
    /// Those of `wireproof check` without any.
    pub fn usual() -> CheckArgs {
        match parse([OsString::from("wireproof")]).map(|cli| cli.command) {
            Ok(Command::Check(arguments)) => arguments,
            other => unreachable!("no arguments are those of check: {other:?}"),
        }
    }
}

/// Arguments of `compare`.
#[derive(Debug, Clone, Args)]
pub struct CompareArgs {
    /// The versions, oldest first; the last is the new one. The transitive modes look at all, others at the last two
    #[arg(value_name = "VERSION", required = true, num_args = 1..)]
    pub versions: Vec<String>,
    /// Everything `check` and `compare` have in common.
    #[command(flatten)]
    pub common: CommonArgs,
}

impl CompareArgs {
    /// The old versions, oldest first, and the new one. There are two at least.
    pub fn old_and_new(&self) -> (&[String], &str) {
        self.versions.split_last().map_or((&[], ""), |(new, old)| (old, new.as_str()))
    }
}

/// Which check the findings are of, for commands that do something with them.
#[derive(Debug, Clone, Args)]
pub struct FindingsArgs {
    /// The old version, as for `check`
    #[arg(long, value_name = "SOURCE", visible_alias = "base", help_heading = "Where the findings come from")]
    pub against: Option<String>,
    /// Which directions must hold, as for `check`
    #[arg(long, value_name = "MODE", value_parser = mode(), hide_possible_values = true, help_heading = "Where the findings come from")]
    pub mode: Option<Mode>,
    /// Where imports start, as for `check` (repeatable)
    #[arg(short = 'I', long = "include", value_name = "DIR", help_heading = "Where the findings come from")]
    pub include: Vec<String>,
    /// Never use the network, not even to fetch the one missing base commit
    #[arg(long, help_heading = "Where the findings come from")]
    pub offline: bool,
    /// Which configuration counts.
    #[command(flatten)]
    pub configuration: ConfigArgs,
    /// How to talk.
    #[command(flatten)]
    pub terminal: TerminalArgs,
}

impl FindingsArgs {
    fn as_check(&self) -> CheckArgs {
        let mut check = CheckArgs::usual();
        check.against = self.against.clone();
        check.common.mode = self.mode;
        check.common.include = self.include.clone();
        check.common.offline = self.offline;
        check.common.configuration = self.configuration.clone();
        check.common.terminal = self.terminal.clone();
        check
    }
}

/// Arguments of `accept`.
#[derive(Debug, Clone, Args)]
pub struct AcceptArgs {
    /// The finding's id, sixteen hexadecimal digits, as every report shows it; the first six are enough where no other
    /// finding shares them
    #[arg(value_name = "ID", required_unless_present_any = ["prune", "rule", "under"])]
    pub ids: Vec<String>,
    /// Instead of ids: everything that breaks now by this rule, in one entry
    #[arg(long, value_name = "RULE", conflicts_with = "ids")]
    pub rule: Option<String>,
    /// Instead of ids: everything that breaks now in this file or folder, in one entry
    #[arg(long, value_name = "PATH", conflicts_with = "ids")]
    pub under: Option<PathBuf>,
    /// Why the break is intended
    #[arg(long, value_name = "TEXT", required_unless_present = "prune")]
    pub reason: Option<String>,
    /// The last day on which the waiver counts, in UTC, such as 2026-12-31
    #[arg(long, value_name = "DATE")]
    pub until: Option<String>,
    /// Who answers for it
    #[arg(long, value_name = "WHO")]
    pub owner: Option<String>,
    /// Remove the waivers that have ended or have done their job
    #[arg(long, conflicts_with_all = ["ids", "rule", "under", "reason", "until", "owner", "report"])]
    pub prune: bool,
    /// Show what would be written, and write nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Take the findings from a report that `--output json=PATH` wrote, instead of checking again
    #[arg(long, value_name = "REPORT", conflicts_with_all = ["against", "head"], help_heading = "Where the findings come from")]
    pub report: Option<PathBuf>,
    /// The new version instead of the working tree, as for `check`
    #[arg(long, value_name = "SOURCE", help_heading = "Where the findings come from")]
    pub head: Option<String>,
    /// Also look at the versions before the base, as for `check`
    #[arg(long, value_name = "VERSIONS", value_parser = values::history, num_args = 0..=1, require_equals = true,
        default_missing_value = "first-parent", help_heading = "Where the findings come from")]
    pub history: Option<History>,
    /// Which check that is.
    #[command(flatten)]
    pub of: FindingsArgs,
}

impl AcceptArgs {
    /// The check whose findings are meant.
    pub fn as_check(&self) -> CheckArgs {
        CheckArgs { head: self.head.clone(), history: self.history.clone(), ..self.of.as_check() }
    }
}

const FIX_HELP: &str = "\
What is removed without a guard is reserved, and a default or an alias that is missing is put in: the edits that a report
shows under `fix`. They are made in the working tree; formatting and comments stay, and what is reserved in one place is
one statement. Then everything is checked again: a file in which a finding still stands, or something new is wrong, gets
its text back.

Exit codes: 0 done, or nothing to do; 2 a file cannot be read or written; 3 a file could not be judged, or an edit was
taken back

Examples:
  wireproof fix --dry-run > fixes.patch         the patch only; `git apply` takes it
  wireproof fix --only field-removed-unreserved
  wireproof fix proto/shop --against git:v1.4";

/// Arguments of `fix`.
#[derive(Debug, Clone, Args)]
pub struct FixArgs {
    /// Only what is found in these folders or files
    #[arg(value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    /// Only these findings, by id or rule (repeatable); otherwise all errors and warnings
    #[arg(long, value_name = "ID|RULE")]
    pub only: Vec<String>,
    /// Print what would be edited as a patch, and write nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Also reserve what the versions before the base had and nobody has now, as for `check`
    #[arg(long, value_name = "VERSIONS", value_parser = values::history, num_args = 0..=1, require_equals = true,
        default_missing_value = "first-parent", help_heading = "Where the findings come from")]
    pub history: Option<History>,
    /// Which check that is.
    #[command(flatten)]
    pub of: FindingsArgs,
}

impl FixArgs {
    /// The check whose findings are meant.
    pub fn as_check(&self) -> CheckArgs {
        CheckArgs { paths: self.paths.clone(), history: self.history.clone(), ..self.of.as_check() }
    }
}

impl PlanArgs {
    /// What it has in common with `compare`.
    pub fn as_common(&self) -> CommonArgs {
        CommonArgs {
            mode: self.mode,
            surface: self.surface.clone(),
            fail_on: self.fail_on,
            root: self.root.clone(),
            language: self.language,
            include: self.include.clone(),
            configuration: self.configuration.clone(),
            offline: self.offline,
            terminal: self.terminal.clone(),
            ..CheckArgs::usual().common
        }
    }
}

impl HistoryArgs {
    /// The terms of each comparison.
    pub fn as_check(&self) -> CheckArgs {
        let mut check = CheckArgs::usual();
        check.paths = self.paths.clone();
        check.common.include = self.include.clone();
        check.common.offline = self.offline;
        check.common.surface = self.surface.clone();
        check.common.configuration = self.configuration.clone();
        check.common.terminal = self.terminal.clone();
        check
    }
}

/// Arguments of `comment`.
#[derive(Debug, Clone, Args)]
pub struct CommentArgs {
    /// The report, as written by `--output json=PATH`; `-` for standard input
    #[arg(value_name = "REPORT")]
    pub report: PathBuf,
    /// When to have a comment: auto (when there is something to tell; one that is there is kept current), always, never
    #[arg(long, value_enum, value_name = "WHEN", default_value = "auto", hide_possible_values = true)]
    pub when: CommentWhen,
    /// Also remark on the changed lines: suggested edits, and removals on the red lines; at most ten in a run
    #[arg(long, conflicts_with = "from_fork")]
    pub review: bool,
    /// The report comes from the run of a fork: in a workflow with `on: workflow_run`, whose event then says which pull
    /// request it is about. The report is not trusted
    #[arg(long)]
    pub from_fork: bool,
    /// Where no comment can be written, append the report to the job summary (GITHUB_STEP_SUMMARY)
    #[arg(long)]
    pub summary_fallback: bool,
    /// Print what would be done, and the comment; write nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Which comment, where several jobs check one pull request; otherwise WORKFLOW/JOB
    #[arg(long, value_name = "KEY", help_heading = "Where to")]
    pub key: Option<String>,
    /// The repository; otherwise GITHUB_REPOSITORY
    #[arg(long, value_name = "OWNER/NAME", help_heading = "Where to")]
    pub repository: Option<String>,
    /// The pull request; otherwise the one of the event (GITHUB_EVENT_PATH)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..), help_heading = "Where to")]
    pub pull_request: Option<u64>,
    /// The commit that was checked, in full; when the pull request has moved on, nothing is written. Otherwise that of the event
    #[arg(long, value_name = "SHA", help_heading = "Where to")]
    pub sha: Option<String>,
    /// The address of the REST API; otherwise GITHUB_API_URL
    #[arg(long, value_name = "URL", help_heading = "Where to")]
    pub api_url: Option<String>,
    /// How to talk.
    #[command(flatten)]
    pub terminal: TerminalArgs,
}

const COMMENT_HELP: &str = "\
The token comes from GITHUB_TOKEN or GH_TOKEN; it needs `pull-requests: write`. Without one, or with one that may not
write, as in a run from a fork, the headline is said as a notice and the exit code is 0.

One comment per key is created and then updated in place. Nothing is written when it already tells the same, when the
pull request has moved on or is closed, and when there is nothing to tell and no comment to turn green.

Exit codes: 0 done, or rightly not done; 2 usage; 3 GitHub cannot be reached. The verdict of the report does not matter
here: that is the exit code of `wireproof check`.

Examples:
  wireproof comment report.json
  wireproof comment report.json --dry-run --repository octocat/shop --pull-request 7";

/// Arguments of `init`.
#[derive(Debug, Clone, Args)]
pub struct InitArgs {
    /// Write the GitHub workflow; otherwise where the repository is on github.com or has a `.github` folder
    #[arg(long, help_heading = "What to write")]
    pub github: bool,
    /// Write the pre-commit entry; otherwise where there is a `.pre-commit-config.yaml`
    #[arg(long, help_heading = "What to write")]
    pub pre_commit: bool,
    /// Also write the workflow that comments on pull requests from forks; it never checks out code
    #[arg(long, help_heading = "What to write")]
    pub forks: bool,
    /// The action to use, such as `OWNER/wireproof@` and a commit of 40 digits
    #[arg(long, value_name = "OWNER/NAME@REF", value_parser = action, help_heading = "What to write")]
    pub action: Option<String>,
    /// Show what would be written, and write nothing
    #[arg(long)]
    pub dry_run: bool,
    /// How to talk.
    #[command(flatten)]
    pub terminal: TerminalArgs,
}

/// What `check` and `compare` have in common.
#[derive(Debug, Clone, Args)]
pub struct CommonArgs {
    /// Which directions must hold: none, backward (new readers can read old data), forward (old readers can read new
    /// data), full (both), and with -transitive behind its name the same with every earlier version. The
    /// default is full, and for Avro backward, as registries have it
    #[arg(long, value_name = "MODE", value_parser = mode(), hide_possible_values = true, help_heading = "What counts")]
    pub mode: Option<Mode>,
    /// As which other tool to judge; its help comes from the tables of those tools.
    #[arg(long, value_name = "NAME", value_parser = profile(), hide_possible_values = true, help = profile_help(), help_heading = "What counts")]
    pub profile: Option<&'static Profile>,
    /// Which surfaces count: wire (the default), json, source; others are reported as notes
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = surface(), hide_possible_values = true, help_heading = "What counts")]
    pub surface: Option<Vec<Surface>>,
    /// From which outcome on a finding breaks: defaulted, unrecognized, lossy (the default), fails, wrong
    #[arg(long, value_name = "OUTCOME", value_parser = fail_on(), hide_possible_values = true, help_heading = "What counts")]
    pub fail_on: Option<Outcome>,
    /// Judge only what this type or service reaches (repeatable)
    #[arg(long, value_name = "TYPE", help_heading = "What counts")]
    pub root: Vec<String>,
    /// Exit with 0 although something breaks; never hides errors
    #[arg(long, help_heading = "What counts")]
    pub exit_zero: bool,
    /// The schema language of files whose name does not say it
    #[arg(long = "type", value_name = "LANGUAGE", value_parser = schema_language(), help_heading = "Schemas")]
    pub language: Option<Format>,
    /// Where imports start (repeatable); looked up in each version, then in the working directory
    #[arg(short = 'I', long = "include", value_name = "DIR", help_heading = "Schemas")]
    pub include: Vec<String>,
    /// An import that cannot be found is an error
    #[arg(long, help_heading = "Schemas")]
    pub strict_imports: bool,
    /// JSON Schema: what writers write: declared (members that their schema names, the default) or any (all that is valid)
    #[arg(long, value_name = "WHAT", value_parser = values::writers(), hide_possible_values = true, help_heading = "Schemas")]
    pub writers: Option<Writers>,
    /// JSON Schema: readers reject what does not have the `format` that the schema names
    #[arg(long, help_heading = "Schemas")]
    pub assert_formats: bool,
    /// JSON Schema: in which encodings instances travel: json, messagepack, cbor, bson
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = values::encoding(), hide_possible_values = true, help_heading = "Schemas")]
    pub encodings: Option<Vec<Encoding>>,
    /// Which configuration counts.
    #[command(flatten)]
    pub configuration: ConfigArgs,
    /// How many threads to use
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024), help_heading = "Running")]
    pub jobs: Option<u16>,
    /// Do only part K of N of the round trips, for jobs that run side by side; `wireproof render` puts the parts together
    #[arg(long, value_name = "K/N", value_parser = shard, help_heading = "Running")]
    pub shard: Option<Part>,
    /// Look at every file, also at those that no change has to do with
    #[arg(long, help_heading = "Running")]
    pub full: bool,
    /// Never use the network, not even to fetch the one missing base commit
    #[arg(long, help_heading = "Running")]
    pub offline: bool,
    /// How to render.
    #[command(flatten)]
    pub rendering: RenderArgs,
    /// How to talk.
    #[command(flatten)]
    pub terminal: TerminalArgs,
}

impl CommonArgs {
    /// How instances of JSON Schemas are used, as far as the options say it.
    pub fn instances(&self) -> Instances {
        let mut encodings = self.encodings.clone();
        if let Some(encodings) = &mut encodings {
            encodings.sort();
            encodings.dedup();
        }
        Instances { writers: self.writers, assert_formats: self.assert_formats.then_some(true), encodings }
    }

    /// Whether files that no change has to do with may be left aside.
    pub fn is_narrow(&self) -> bool {
        !self.full && !self.strict_imports && self.root.is_empty() && self.shard.is_none()
    }
}

/// How to render a report.
#[derive(Debug, Clone, Args)]
pub struct RenderArgs {
    /// What to print on standard output
    #[arg(long, value_enum, value_name = "FORMAT", help_heading = "Output")]
    pub format: Option<Rendering>,
    /// Write a report to a file (repeatable): text, json, markdown, html, sarif, junit, github, github-output, gitlab or buf, then =PATH
    #[arg(long, value_name = "FORMAT=PATH", value_parser = output, help_heading = "Output")]
    pub output: Vec<Output>,
}

/// Understands the arguments; `wireproof …` without a command is `wireproof check …`.
///
/// # Errors
/// What clap prints, which includes `--help` and `--version`.
pub fn parse(arguments: impl IntoIterator<Item = OsString>) -> Result<Cli, clap::Error> {
    let mut arguments: Vec<OsString> = arguments.into_iter().collect();
    if arguments.is_empty() {
        arguments.push("wireproof".into());
    }
    let is_command = |word: &str| command_names().iter().any(|name| name == word);
    let for_the_program = |word: &str| matches!(word, "-h" | "--help" | "-V" | "--version");
    match arguments.get(1).and_then(|word| word.to_str()) {
        Some(word) if is_command(word) || for_the_program(word) => {}
        Some("help") => {
            arguments.remove(1);
            arguments.insert(arguments.len().min(2), "--help".into());
        }
        _ => arguments.insert(1, "check".into()),
    }
    let cli = Cli::try_parse_from(arguments)?;
    match &cli.command {
        Command::Compare(compare) if compare.versions.len() < 2 => Err(Cli::command().error(
            clap::error::ErrorKind::TooFewValues,
            "there is nothing to compare with: name the old version and then the new one",
        )),
        _ => Ok(cli),
    }
}

/// The names of all commands.
pub fn command_names() -> Vec<String> {
    Cli::command().get_subcommands().map(|command| command.get_name().to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse_words(words: &str) -> Result<Cli, clap::Error> {
        parse(std::iter::once("wireproof").chain(words.split_whitespace()).map(OsString::from))
    }

    fn check(words: &str) -> CheckArgs {
        match parse_words(words).expect("valid").command {
            Command::Check(check) => check,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn the_definition_is_sound() {
        Cli::command().debug_assert();
    }

    #[test]
    fn without_a_command_it_is_check() {
        assert!(check("").paths.is_empty());
        assert_eq!(check("--mode backward").common.mode, Some(Mode::Backward));
        assert_eq!(check("proto").paths, [PathBuf::from("proto")]);
        assert_eq!(check("check proto").paths, [PathBuf::from("proto")]);
    }

    #[test]
    fn lists_are_separated_by_commas_or_repeated() {
        assert_eq!(check("--surface wire,json").common.surface, Some(vec![Surface::Wire, Surface::Json]));
        assert_eq!(check("--output json=a.json --output markdown=b.md").common.rendering.output.len(), 2);
    }

    #[test]
    fn several_versions_come_oldest_first() {
        let Command::Compare(compare) = parse_words("compare v1 v2 --mode FULL_TRANSITIVE v3").expect("valid").command
        else {
            panic!("compare")
        };
        let (old, new) = compare.old_and_new();
        assert_eq!((old.join(" ").as_str(), new), ("v1 v2", "v3"));
        assert_eq!(compare.common.mode, Some(Mode::FullTransitive));
        assert!(parse_words("compare v1").is_err(), "one version is nothing to compare");
    }

    #[test]
    fn standard_input_is_a_version() {
        let Command::Compare(compare) = parse_words("compare - new.proto --type protobuf").expect("valid").command
        else {
            panic!("compare")
        };
        assert_eq!(compare.old_and_new(), (&["-".to_owned()][..], "new.proto"));
    }

    #[test]
    fn what_this_version_lacks_is_refused() {
        assert!(["--fail-on safe", "--output yaml=x"].iter().all(|words| parse_words(words).is_err()));
    }
}
