//! `wireproof render`: other forms of a saved report, and one report of many parts.

use std::path::PathBuf;

use super::output::{self, Console};
use crate::cli::{RenderArgs, TerminalArgs};
use crate::failure::{Exit, Failure};
use crate::report::Report;
use crate::report::merge::merge;

/// Runs the command.
pub(super) fn render(
    paths: &[PathBuf],
    exit_code: bool,
    rendering: &RenderArgs,
    terminal: &TerminalArgs,
) -> Result<Exit, Failure> {
    let mut reports: Vec<(String, Report)> = Vec::new();
    for path in paths {
        reports.push((path.display().to_string(), super::read_report(path)?));
    }
    // One part is rendered as what it is, but it never stands for the whole.
    let is_part = |report: &Report| report.shard.as_ref().is_some_and(|shard| shard.of > 1);
    let report = match reports.pop() {
        Some((_, only)) if reports.is_empty() && !(exit_code && is_part(&only)) => only,
        last => {
            reports.extend(last);
            merge(reports).map_err(|problem| Failure::usage(problem.message, problem.help))?
        }
    };
    output::write(&report, rendering, &Console::of(terminal))?;
    Ok(match report.verdict.as_str() {
        _ if !exit_code => Exit::Compatible,
        "compatible" => Exit::Compatible,
        "breaking" => Exit::Breaking,
        _ => Exit::CouldNotTell,
    })
}
