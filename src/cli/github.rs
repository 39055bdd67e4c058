//! Arguments of `comment` and `init`.

use std::path::PathBuf;

use clap::Args;

use super::common::TerminalArgs;
use super::values::{CommentWhen, action};

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
