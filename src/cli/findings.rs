//! Arguments of `accept` and `fix`, which do something with findings.

use std::path::PathBuf;

use clap::Args;

use super::check::CheckArgs;
use super::common::{ConfigArgs, TerminalArgs};
use super::values::{self, mode};
use crate::config::history::History;
use crate::verdict::Mode;

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
