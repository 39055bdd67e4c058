//! Whether a report that a stranger's run made has the shape of one that `wireproof check` writes.
//!
//! What it says may still be untrue. This keeps out what no report says, above all arguments that would turn the printed
//! command into another one; everything else is escaped where it is shown.

use crate::report::{Finding, Report};
use crate::text;

/// Options that a report may name in the command that reproduces it; all of them only read.
const OPTIONS: [&str; 6] = ["--root", "--include", "--type", "--config", "--strict-imports", "--no-config"];
/// More findings than this are no report that a person reads.
const FINDINGS: usize = 50_000;

/// Looks for what no report has; says what it is.
///
/// # Errors
/// When there is such a thing.
pub fn examine(report: &Report) -> Result<(), String> {
    one_of("verdict", &report.verdict, &["compatible", "breaking", "unknown"])?;
    word("mode", &report.mode)?;
    word("tool.name", &report.tool.name)?;
    report.modes.iter().try_for_each(|mode| word("modes", &mode.mode))?;
    report.surfaces.iter().try_for_each(|surface| one_of("surfaces", surface, &["wire", "json", "source"]))?;
    one_of("upgrade_order", &report.upgrade_order, &["any", "readers-first", "writers-first", "none"])?;
    for source in [&report.old.source, &report.new.source] {
        if source.starts_with('-') && source != "-" {
            return Err(odd("old or new", source));
        }
    }
    let is_option = |argument: &&String| argument.starts_with('-') && argument.as_str() != "-";
    let foreign = report.arguments.iter().filter(is_option).find(|argument| !OPTIONS.contains(&argument.as_str()));
    if let Some(argument) = foreign {
        return Err(odd("arguments", argument));
    }
    if report.findings.len() > FINDINGS {
        return Err(format!("it has {} findings", text::number(report.findings.len())));
    }
    let breaks = report.findings.iter().any(|finding| finding.breaking && finding.waiver.is_none());
    if report.verdict == "compatible" && breaks {
        return Err("its verdict is compatible, and a finding of it breaks".to_owned());
    }
    report.findings.iter().try_for_each(finding)
}

fn finding(finding: &Finding) -> Result<(), String> {
    let is_id = finding.id.len() == text::DIGEST_DIGITS && finding.id.bytes().all(|byte| byte.is_ascii_hexdigit());
    if !is_id {
        return Err(odd("the id of a finding", &finding.id));
    }
    one_of("severity", &finding.severity, &["error", "warning", "note"])?;
    word("rule", &finding.rule)
}

fn one_of(what: &str, value: &str, allowed: &[&str]) -> Result<(), String> {
    if allowed.contains(&value) { Ok(()) } else { Err(odd(what, value)) }
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
