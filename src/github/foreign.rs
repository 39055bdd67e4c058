//! Whether a report that a stranger's run made has the shape of one that `wireproof check` writes.
//!
//! What it says may still be untrue. This keeps out what no report says, above all arguments that would turn the printed
//! command into another one; everything else is escaped where it is shown.

use crate::report::{Finding, Problem, Report, settle};
use crate::text;
use crate::vocabulary::{Open, Vocabulary};

/// Options that a report may name in the command that reproduces it; all of them only read.
const OPTIONS: &[&str] = &[
    "--root",
    "--include",
    "--type",
    "--config",
    "--strict-imports",
    "--no-config",
    "--full",
    "--against",
    "--head",
    "--staged",
    "--history",
    "--mode",
    "--profile",
    "--surface",
    "--fail-on",
    "--configuration",
    "--",
];
/// More findings than this are no report that a person reads.
const FINDINGS: usize = 50_000;

/// Looks for what no report has; says what it is.
///
/// # Errors
/// When there is such a thing.
pub fn examine(report: &Report) -> Result<(), String> {
    known("verdict", &report.verdict)?;
    known("mode", &report.mode)?;
    report.modes_by_format.values().try_for_each(|mode| known("modes_by_format", mode))?;
    known("fail_on", &report.fail_on)?;
    known("strictest_mode", &report.strictest_mode)?;
    word("tool.name", &report.tool.name)?;
    report.modes.iter().try_for_each(|mode| known("modes", &mode.mode))?;
    let mut verdicts = report.versions.iter().flat_map(|version| [&version.backward, &version.forward]);
    verdicts.try_for_each(|verdict| known("versions", verdict))?;
    report.surfaces.iter().try_for_each(|surface| known("surfaces", surface))?;
    known("upgrade_order", &report.upgrade_order)?;
    report.plan.iter().flat_map(|way| &way.steps).try_for_each(|step| known("plan", &step.kind))?;
    report.shard.iter().flat_map(|shard| &shard.broken).try_for_each(|direction| known("shard", direction))?;
    for source in [&report.old.source, &report.new.source] {
        if source.starts_with('-') && source != "-" {
            return Err(odd("old or new", source));
        }
    }
    // Only the one that need not have a value is written with one.
    let name = |argument: &str| if argument.starts_with("--history=") { "--history" } else { argument }.to_owned();
    let is_known = |argument: &str| OPTIONS.contains(&name(argument).as_str());
    let is_option = |argument: &&String| argument.starts_with('-') && argument.as_str() != "-";
    let commands = report.again.iter().chain(report.plan.iter().map(|way| &way.command));
    let again = commands.flat_map(|again| &again.words);
    let foreign = report.arguments.iter().chain(again).filter(is_option).find(|argument| !is_known(argument));
    if let Some(argument) = foreign {
        return Err(odd("arguments", argument));
    }
    if report.findings.len() > FINDINGS {
        return Err(format!("it has {} findings", text::number(report.findings.len())));
    }
    if let Some(contradiction) = settle::contradiction(report) {
        return Err(contradiction.to_owned());
    }
    report.problems.iter().try_for_each(problem)?;
    report.findings.iter().try_for_each(finding)
}

fn finding(finding: &Finding) -> Result<(), String> {
    let is_id = finding.id.len() == text::DIGEST_DIGITS && finding.id.bytes().all(|byte| byte.is_ascii_hexdigit());
    if !is_id {
        return Err(odd("the id of a finding", &finding.id));
    }
    known("severity", &finding.severity)?;
    known("class", &finding.class)?;
    for cell in &finding.impact {
        known("impact", &cell.surface)?;
        known("impact", &cell.direction)?;
        known("impact", &cell.outcome)?;
    }
    finding.costs.iter().try_for_each(|mode| known("costs", mode))?;
    let mut verdicts = finding.versions.iter().flat_map(|version| [&version.backward, &version.forward]);
    verdicts.try_for_each(|verdict| known("versions", verdict))?;
    for evidence in &finding.evidence {
        known("evidence", &evidence.surface)?;
        known("evidence", &evidence.direction)?;
        known("evidence", &evidence.outcome)?;
        known("evidence", &evidence.status)?;
    }
    word("rule", &finding.rule)
}

fn problem(problem: &Problem) -> Result<(), String> {
    known("severity", &problem.severity)?;
    problem.side.iter().try_for_each(|side| known("side", side))
}

/// A word that this version writes.
fn known<T: Vocabulary>(what: &str, word: &Open<T>) -> Result<(), String> {
    match word {
        Open::Known(_) => Ok(()),
        Open::Unknown(word) => Err(odd(what, word)),
    }
}

/// Letters, digits, `-` and `/`, and not many of them.
fn word(what: &str, value: &str) -> Result<(), String> {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_/".contains(&byte);
    let fits = !value.is_empty() && value.len() <= 120 && !value.starts_with('-') && value.bytes().all(plain);
    if fits { Ok(()) } else { Err(odd(what, value)) }
}

fn odd(what: &str, value: &str) -> String {
    format!("{what} is `{}`", text::visible(&text::shorten(value, 80)))
}
