//! The command line: arguments in, a [`Command`] out. No files are read here.

mod check;
mod common;
mod cursor;
mod findings;
mod github;
mod help;
mod history;
mod plan;
mod values;

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};

pub use check::{CheckArgs, CommonArgs, CompareArgs, RenderArgs};
pub use common::{ConfigArgs, TerminalArgs};
pub use cursor::{AtCursor, With, at_cursor};
pub use findings::{AcceptArgs, FindingsArgs, FixArgs};
pub use github::{CommentArgs, InitArgs};
pub use history::{HistoryArgs, HistoryForm};
pub use plan::{PlanArgs, PlanOutput, PlanRendering};
pub use values::{ColorChoice, CommentWhen, Listing, Output, Rendering, SchemaOf, Shell};

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
    override_usage = "wireproof [COMMAND] [OPTIONS]",
    disable_help_subcommand = true,
    max_term_width = 100
)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Check the working tree against its base (this is the default)
    Check(CheckArgs),
    /// Compare explicit versions: an old one, or several, with a new one
    #[command(override_usage = "wireproof compare [OPTIONS] <OLD>... <NEW>")]
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
    Accept(AcceptArgs),
    /// Make the edits that findings suggest, and check again
    Fix(FixArgs),
    /// Show who can read whom among all versions, when each break entered, and which numbers were freed
    History(HistoryArgs),
    /// Plan the steps that get to a wanted version without a break, each of them checked
    Plan(PlanArgs),
    /// Create or update the pull-request comment of a report
    Comment(CommentArgs),
    /// Write configuration, workflow and hook, after looking at the repository
    Init(InitArgs),
    /// Print shell completions
    Completions {
        /// The shell
        #[arg(value_enum)]
        shell: Shell,
    },
    /// Print what may stand at the cursor, for the scripts that `completions` prints
    #[command(skip)]
    Complete {
        /// The words of the command line behind the program, up to the cursor
        words: Vec<String>,
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

impl CheckArgs {
    /// Whether they say what is compared or of what: a base, a new side, the index or paths.
    pub fn has_sides_or_paths(&self) -> bool {
        self.against.is_some() || self.head.is_some() || self.staged || !self.paths.is_empty()
    }

    /// Those of `wireproof check` without any.
    pub fn usual() -> CheckArgs {
        match parse([OsString::from("wireproof")]).map(|cli| cli.command) {
            Ok(Command::Check(arguments)) => arguments,
            other => unreachable!("no arguments are those of check: {other:?}"),
        }
    }
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

/// What scripts of shells ask with; no command for people, so no help names it.
const COMPLETE: &str = "__complete";

/// Understands the arguments; `wireproof …` without a command is `wireproof check …`.
///
/// # Errors
/// What clap prints, which includes `--help` and `--version`.
pub fn parse(arguments: impl IntoIterator<Item = OsString>) -> Result<Cli, clap::Error> {
    parse_at(arguments, help::WIDEST)
}

/// The same for a terminal of so many columns, in which help has to fit.
///
/// # Errors
/// What clap prints, which includes `--help` and `--version`.
pub fn parse_at(arguments: impl IntoIterator<Item = OsString>, width: usize) -> Result<Cli, clap::Error> {
    let mut arguments: Vec<OsString> = arguments.into_iter().collect();
    if arguments.is_empty() {
        arguments.push("wireproof".into());
    }
    if arguments.get(1).is_some_and(|word| word == COMPLETE) {
        let words = arguments.iter().skip(2).skip_while(|word| *word == "--");
        let words = words.map(|word| word.to_string_lossy().into_owned()).collect();
        return Ok(Cli { command: Command::Complete { words } });
    }
    let mut command = Cli::command();
    let is_command = |word: &str| command.get_subcommands().any(|one| one.get_name() == word);
    let for_the_program = |word: &str| matches!(word, "-h" | "--help" | "-V" | "--version");
    match arguments.get(1).and_then(|word| word.to_str()) {
        Some(word) if is_command(word) || for_the_program(word) => {}
        Some("help") => {
            arguments.remove(1);
            arguments.insert(arguments.len().min(2), "--help".into());
        }
        _ => arguments.insert(1, "check".into()),
    }
    if arguments.iter().any(|word| word == "-h" || word == "--help") {
        command = definition(width);
    }
    let mut found = command.try_get_matches_from_mut(arguments)?;
    let cli = Cli::from_arg_matches_mut(&mut found).map_err(|error| error.format(&mut command))?;
    match &cli.command {
        Command::Compare(compare) if compare.versions.len() < 2 => Err(command.error(
            clap::error::ErrorKind::TooFewValues,
            "there is nothing to compare with: name the old version and then the new one",
        )),
        _ => Ok(cli),
    }
}

/// The definition of the command line, with what its help says laid out for so many columns.
pub fn definition(width: usize) -> clap::Command {
    let width = width.min(help::WIDEST);
    let at_width = |command: clap::Command| command.term_width(width).next_line_help(width < help::NARROW);
    let program = at_width(Cli::command())
        .after_help(help::laid_out(help::EXIT_CODES, width))
        .after_long_help(help::laid_out(help::EXAMPLES, width));
    program.mut_subcommands(|command| {
        let command = at_width(command);
        match help::of(command.get_name()) {
            Some(text) => command.after_long_help(help::laid_out(text, width)),
            None => command,
        }
    })
}

/// The names of all commands.
pub fn command_names() -> Vec<String> {
    let program = Cli::command();
    program.get_subcommands().map(|command| command.get_name().to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::Surface;
    use crate::verdict::Mode;

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
        definition(100).debug_assert();
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
