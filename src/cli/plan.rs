//! The arguments of `wireproof plan`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::common::{ConfigArgs, TerminalArgs};
use super::values::{fail_on, mode, schema_language, surface};

use crate::evidence::{Outcome, Surface};
use crate::formats::Format;
use crate::verdict::Mode;

/// Arguments of `plan`.
#[derive(Debug, Clone, Args)]
pub struct PlanArgs {
    /// What there is, as for `compare`: a file, a directory, an archive, `git:REF`, `git:REF:PATH`
    #[arg(value_name = "OLD")]
    pub old: String,
    /// What is wanted, likewise
    #[arg(value_name = "WANTED")]
    pub wanted: String,
    /// Which directions must hold, as for `compare`
    #[arg(long, value_name = "MODE", value_parser = mode(), hide_possible_values = true, help_heading = "What counts")]
    pub mode: Option<Mode>,
    /// Which surfaces count: wire (the default), json, source
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = surface(), hide_possible_values = true, help_heading = "What counts")]
    pub surface: Option<Vec<Surface>>,
    /// From which outcome on a finding breaks, as for `compare`
    #[arg(long, value_name = "OUTCOME", value_parser = fail_on(), hide_possible_values = true, help_heading = "What counts")]
    pub fail_on: Option<Outcome>,
    /// Judge only what this type or service reaches (repeatable)
    #[arg(long, value_name = "TYPE", help_heading = "What counts")]
    pub root: Vec<String>,
    /// The schema language of files whose name does not say it
    #[arg(long = "type", value_name = "LANGUAGE", value_parser = schema_language(), hide_possible_values = true, help_heading = "Schemas")]
    pub language: Option<Format>,
    /// Where imports start (repeatable)
    #[arg(short = 'I', long = "include", value_name = "DIR", help_heading = "Schemas")]
    pub include: Vec<String>,
    /// Which configuration counts.
    #[command(flatten)]
    pub configuration: ConfigArgs,
    /// Never use the network, not even to fetch a missing commit
    #[arg(long, help_heading = "Running")]
    pub offline: bool,
    /// What to print on standard output
    #[arg(long, value_enum, default_value = "text", value_name = "FORMAT", help_heading = "Output")]
    pub format: PlanRendering,
    /// Write the plan to a file: text, json or markdown, then =PATH; or the schema of each step into a folder: schemas=DIR
    /// (repeatable)
    #[arg(long, value_name = "FORMAT=PATH", value_parser = output, help_heading = "Output")]
    pub output: Vec<PlanOutput>,
    /// How to talk.
    #[command(flatten)]
    pub terminal: TerminalArgs,
}

/// A form of the plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum PlanRendering {
    /// For people, in a terminal
    Text,
    /// For programs (wireproof.plan/v1)
    Json,
    /// A checklist
    Markdown,
}

/// What to write, and where to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PlanOutput {
    /// The plan, into a file.
    Report(PlanRendering, PathBuf),
    /// The schemas, into a folder.
    Schemas(PathBuf),
}

/// `FORMAT=PATH`, or `schemas=DIR`.
fn output(text: &str) -> Result<PlanOutput, String> {
    let what = "text, json, markdown or schemas";
    let (form, path) = text.split_once('=').ok_or_else(|| format!("write FORMAT=PATH, where FORMAT is {what}"))?;
    if path.is_empty() || path == "-" {
        return Err(format!("the path is missing after `{form}=`"));
    }
    if form == "schemas" {
        return Ok(PlanOutput::Schemas(PathBuf::from(path)));
    }
    let form = PlanRendering::from_str(form, false).map_err(|_| format!("`{form}` is none of {what}"))?;
    Ok(PlanOutput::Report(form, PathBuf::from(path)))
}
