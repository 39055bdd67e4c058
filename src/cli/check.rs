//! Arguments of `check` and `compare`, and what they share with other commands.

use std::path::PathBuf;

use clap::Args;

use super::common::{ConfigArgs, TerminalArgs};
use super::values::{
    self, Output, Rendering, fail_on, mode, output, profile, profile_help, schema_language, shard, surface,
};
use crate::config::Instances;
use crate::config::history::History;
use crate::evidence::{Outcome, Surface};
use crate::formats::{Encoding, Format, Part, Writers};
use crate::ordered::InOrder;
use crate::rules::Profile;
use crate::verdict::Mode;

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

/// What `check` and `compare` have in common.
#[derive(Debug, Clone, Args)]
pub struct CommonArgs {
    /// Which directions must hold: none, backward (new readers can read old data), forward (old readers can read new
    /// data), full (both), and with -transitive behind its name the same with every earlier version. The
    /// default is full, and for Avro and JSON Schema backward, as registries have it
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
    /// Where imports start, or those with a prefix (PREFIX=DIR; repeatable); in each version, then in the working directory
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
            encodings.sort_in_order();
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
