//! Arguments of `history`.

use std::path::PathBuf;

use clap::Args;

use super::common::{ConfigArgs, TerminalArgs};
use super::values::{self, surface};
use crate::config::history::History;
use crate::evidence::Surface;

/// Arguments of `history`.
#[derive(Debug, Clone, Args)]
pub struct HistoryArgs {
    /// Only these folders or files; the rest still supplies types
    #[arg(value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    /// Which versions: first-parent (commits that changed a schema, the default), tags:GLOB, or dir:GLOB (folders side by
    /// side)
    #[arg(long, value_name = "VERSIONS", value_parser = values::history, help_heading = "Which versions")]
    pub of: Option<History>,
    /// Only from this commit on
    #[arg(long, value_name = "REV", help_heading = "Which versions")]
    pub since: Option<String>,
    /// The newest version; otherwise HEAD
    #[arg(long, value_name = "REV", help_heading = "Which versions")]
    pub head: Option<String>,
    /// How many versions at most, the newest first
    #[arg(long, value_name = "N", default_value = "500", help_heading = "Which versions")]
    pub most: std::num::NonZeroU32,
    /// How many versions the table has at most: each pair of them is compared
    #[arg(long, value_name = "N", default_value = "12", help_heading = "What to show")]
    pub matrix: u8,
    /// The life of one type or field, by its full name
    #[arg(long, value_name = "NAME", help_heading = "What to show")]
    pub element: Option<String>,
    /// What to print
    #[arg(long, value_enum, value_name = "FORMAT", default_value = "text", help_heading = "What to show")]
    pub format: HistoryForm,
    /// Which surfaces count, as for `check`
    #[arg(long, value_delimiter = ',', value_name = "SURFACE,...", value_parser = surface(), hide_possible_values = true, help_heading = "What to show")]
    pub surface: Option<Vec<Surface>>,
    /// Where imports start, as for `check` (repeatable)
    #[arg(short = 'I', long = "include", value_name = "DIR", help_heading = "Which versions")]
    pub include: Vec<String>,
    /// Never use the network
    #[arg(long, help_heading = "Which versions")]
    pub offline: bool,
    /// Which configuration counts.
    #[command(flatten)]
    pub configuration: ConfigArgs,
    /// How to talk.
    #[command(flatten)]
    pub terminal: TerminalArgs,
}

/// What `history` prints.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum HistoryForm {
    /// For a terminal.
    Text,
    /// `wireproof.history/v1`.
    Json,
    /// One page, with the table as a map.
    Html,
}
