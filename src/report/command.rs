//! The commands that a report names: the one that gives it again, and those that acknowledge its breaks.

use super::{Again, Finding, NUMBER_REUSED, Report, since};
use crate::text;
use crate::vocabulary::{Open, Outcome, Surface};

/// The command that acknowledges a break; `None` where nothing breaks, where nothing could be acknowledged, and where
/// the command would look at other versions than the report does.
pub(crate) fn accept(report: &Report, finding: &Finding) -> Option<String> {
    let is_of_check = report.new.source == "working tree" || report.new.source.starts_with("index ");
    if !is_of_check || !(finding.breaking || finding.is_in_doubt()) || finding.rule.starts_with("policy/waiver-") {
        return None;
    }
    let config = report.arguments.windows(2).find(|two| two[0] == "--config");
    let config = config.map(|two| format!(" --config {}", shell(&two[1]))).unwrap_or_default();
    // What only an earlier version shows is found where that is looked for.
    let given = report.again.iter().flat_map(|again| &again.words).find(|word| word.starts_with("--history="));
    let history = match since::is_of_last(finding) && finding.rule != NUMBER_REUSED {
        true => String::new(),
        false => format!(" {}", shell(given.map_or("--history", String::as_str))),
    };
    Some(format!("wireproof accept {} --reason \"…\"{config}{history}", shell(&finding.id)))
}

/// The command that gives this report again, when the two sources can be named on a command line.
pub(crate) fn reproduce(report: &Report) -> Option<String> {
    let Some(again) = &report.again else { return derived(report) };
    let shard =
        report.shard.as_ref().map(|shard| format!(" --shard {}/{}", shard.number, shard.of)).unwrap_or_default();
    spelled(again, &["check", "compare"], &shard)
}

/// The command that shows the way to what is wanted in steps, or says why there is none.
pub(crate) fn plan(report: &Report) -> Option<String> {
    spelled(&report.plan.as_ref()?.command, &["plan"], "")
}

/// A command for a shell. Reports are read that strangers wrote: nothing but the known commands is ever shown.
fn spelled(again: &Again, known: &[&str], option: &str) -> Option<String> {
    let (command, rest) = again.words.split_first()?;
    let is_odd = |word: &String| word.starts_with("--output") || word.chars().any(text::is_hazard);
    if !known.contains(&command.as_str()) || rest.iter().any(is_odd) {
        return None;
    }
    let rest: Vec<String> = rest.iter().map(|word| shell(word)).collect();
    let command = format!("wireproof {command}{option} {}", rest.join(" "));
    Some(match again.pull_request {
        Some(number) => format!("git fetch origin refs/pull/{number}/merge && {command}"),
        None => command,
    })
}

/// The same for reports that do not say it: those of earlier versions, and of what was compared in memory.
fn derived(report: &Report) -> Option<String> {
    if report.versions.len() > 1 {
        return None;
    }
    let old = argument(&report.old.source)?;
    // Only `check` takes paths, and they come first.
    let has_paths = report.arguments.first().is_some_and(|argument| !argument.starts_with('-'));
    let mut command = match report.new.source.as_str() {
        "working tree" => format!("wireproof check --against {}", shell(old)),
        new if has_paths => {
            format!("wireproof check --against {} --head {}", shell(old), shell(argument(new)?))
        }
        new => format!("wireproof compare {} {}", shell(old), shell(argument(new)?)),
    };
    // A mode that is named wins over the configuration of other tools.
    if report.modes_by_format.is_empty() && report.judged_by.is_empty() {
        command.push_str(&format!(" --mode {}", shell(report.mode.as_str())));
    }
    if report.surfaces != [Surface::Wire] {
        let surfaces: Vec<&str> = report.surfaces.iter().map(Open::as_str).collect();
        command.push_str(&format!(" --surface {}", shell(&surfaces.join(","))));
    }
    if report.fail_on != Outcome::Lossy {
        command.push_str(&format!(" --fail-on {}", shell(report.fail_on.as_str())));
    }
    if let Some(profile) = &report.profile {
        command.push_str(&format!(" --profile {}", shell(profile)));
    }
    if let Some(shard) = &report.shard {
        command.push_str(&format!(" --shard {}/{}", shard.number, shard.of));
    }
    for argument in &report.arguments {
        command.push_str(&format!(" {}", shell(argument)));
    }
    Some(command)
}

/// A source is an argument up to its explanation in parentheses, unless it is prose.
fn argument(source: &str) -> Option<&str> {
    let argument = source.split_once(" (").map_or(source, |(argument, _)| argument);
    let prose = argument.is_empty() || argument.contains(char::is_whitespace) || argument.contains(text::is_hazard);
    (!prose).then_some(argument)
}

fn shell(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:@=,+^~%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}
