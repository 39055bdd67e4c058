//! `wireproof render`: other forms of a saved report, and one report of many parts.

use std::path::{Path, PathBuf};

use super::output::{self, Console};
use crate::cli::{RenderArgs, TerminalArgs};
use crate::failure::{Exit, Failure};
use crate::report::merge::merge;
use crate::report::settle::{borne_out, settled};
use crate::report::{Report, json};
use crate::source::standard_input;
use crate::vocabulary::Verdict;

/// Runs the command.
pub(super) fn render(
    paths: &[PathBuf],
    exit_code: bool,
    rendering: &RenderArgs,
    terminal: &TerminalArgs,
) -> Result<Exit, Failure> {
    let mut reports: Vec<(String, Report)> = Vec::new();
    for path in paths {
        reports.push((path.display().to_string(), read_report(path)?));
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
    Ok(match borne_out(&report) {
        _ if !exit_code => Exit::Compatible,
        Verdict::Compatible => Exit::Compatible,
        Verdict::Breaking => Exit::Breaking,
        Verdict::Unknown => Exit::CouldNotTell,
    })
}

/// A saved report, its verdict the one that it bears out; `-` is standard input.
pub(super) fn read_report(path: &Path) -> Result<Report, Failure> {
    let read =
        if path == Path::new("-") { std::io::read_to_string(standard_input()) } else { std::fs::read_to_string(path) };
    let text = read.map_err(|error| {
        Failure::usage(
            format!("cannot read the report `{}`: {error}", path.display()),
            "give a file that `--output json=PATH` wrote",
        )
    })?;
    parse_report(path, &text).map(settled)
}

/// A report in a text; the path is for messages.
pub(super) fn parse_report(path: &Path, text: &str) -> Result<Report, Failure> {
    json::parse(text).map_err(|problem| {
        let place = problem.line.map(|line| format!(":{line}:{}", problem.column.unwrap_or(1))).unwrap_or_default();
        Failure::usage(format!("{}{place}: {}", path.display(), problem.message), problem.help.clone())
    })
}
