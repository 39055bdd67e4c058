//! Arguments that most commands have.

use std::path::PathBuf;

use clap::Args;

use super::values::{self, ColorChoice};
use crate::config::Judging;

/// Which configuration counts.
#[derive(Debug, Clone, Default, Args)]
pub struct ConfigArgs {
    /// The configuration file; otherwise wireproof.yaml, .wireproof.yaml or .github/wireproof.yaml is looked for
    #[arg(long, value_name = "FILE", conflicts_with = "no_config", help_heading = "Configuration")]
    pub config: Option<PathBuf>,
    /// Read no configuration file
    #[arg(long, help_heading = "Configuration")]
    pub no_config: bool,
    /// Whose configuration judges: that of the base as well (both), or that of the new side alone (head)
    #[arg(long, value_name = "WHOSE", value_parser = values::judging(), conflicts_with = "no_config", help_heading = "Configuration")]
    pub configuration: Option<Judging>,
}

/// How to talk to a terminal.
#[derive(Debug, Clone, Default, Args)]
pub struct TerminalArgs {
    /// When to use colours; NO_COLOR and CLICOLOR_FORCE are honoured
    #[arg(long, value_enum, value_name = "WHEN", default_value = "auto", help_heading = "Output")]
    pub color: ColorChoice,
    /// Show no progress on standard error; it shows only on a terminal, when a run takes longer than a second
    #[arg(long, help_heading = "Output")]
    pub no_progress: bool,
    /// Say less
    #[arg(short, long, conflicts_with = "verbose", help_heading = "Output")]
    pub quiet: bool,
    /// Say more, and how long each step took
    #[arg(short, long, help_heading = "Output")]
    pub verbose: bool,
}
