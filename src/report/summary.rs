//! The report in a few lines: the verdict, its terms, what the mode demands, the order of upgrades, the counts.

use std::collections::{BTreeMap, BTreeSet};

use super::overview::Weight;
use super::{Finding, Report, WayStep, cells, since};
use crate::text;
use crate::vocabulary::{Mode, Open, Outcome, ProblemSeverity, Severity, Surface, Verdict};

/// The strictest mode in words.
pub(crate) fn strictest(report: &Report) -> String {
    // What is about the gate itself no mode turns off.
    if !report.modes.is_empty() && report.modes.iter().all(|verdict| !verdict.passes) {
        return "no mode lets it pass".to_owned();
    }
    match &report.strictest_mode {
        Open::Known(Mode::None) => format!("only `{}` passes", Mode::None),
        mode @ (Open::Known(
            Mode::Backward
            | Mode::Forward
            | Mode::Full
            | Mode::BackwardTransitive
            | Mode::ForwardTransitive
            | Mode::FullTransitive,
        )
        | Open::Unknown(_)) => {
            format!("the strictest that passes is `{mode}`")
        }
    }
}

/// Whether the verdict is an answer. One that this version does not know is none.
pub(crate) fn is_told(report: &Report) -> bool {
    match &report.verdict {
        Open::Known(Verdict::Compatible | Verdict::Breaking) => true,
        Open::Known(Verdict::Unknown) | Open::Unknown(_) => false,
    }
}

/// Whether there is nothing to tell: both sides are the same, and nothing stands in the way of saying so.
pub(crate) fn is_calm(report: &Report) -> bool {
    report.verdict == Verdict::Compatible && report.stats.changes == 0 && report.findings.is_empty()
}

/// What the mode demands, and what those of single formats do.
pub(crate) fn demands(report: &Report) -> Vec<String> {
    let others = report.modes_by_format.iter().map(|(format, mode)| format!("for {format}, {}", text::demand(mode)));
    let formats: BTreeSet<&str> = report.judged_by.iter().map(|judged| judged.format.as_str()).collect();
    let tools = formats.iter().map(|format| {
        let of_format = report.judged_by.iter().find(|judged| judged.format == **format);
        let tool = of_format.map_or("", |judged| judged.profile.split('/').next().unwrap_or_default());
        format!("for {format}, {tool} decides: what it reports breaks, and what it lets through is at most a warning")
    });
    let demand = text::demand(&report.mode);
    let own = if formats.is_empty() { demand } else { format!("otherwise, {demand}") };
    tools.chain(std::iter::once(own)).chain(others).collect()
}

/// Whether nothing was there before, so that there is nobody to break and no order to keep.
pub(crate) fn is_first(report: &Report) -> bool {
    report.stats.files_old == 0 && report.stats.files_new > 0
}

/// In which order to upgrade and what going back means, unless the run could not find out.
pub(crate) fn order_and_rollback(report: &Report) -> (&'static str, &'static str) {
    let in_doubt = report.problems.iter().any(|problem| problem.severity == ProblemSeverity::Error);
    if !is_told(report) || in_doubt || report.findings.iter().any(cells::unclassified) {
        return ("not established", "not established");
    }
    if is_first(report) {
        return ("none to keep: nothing was there before", "nobody has the old schemas yet");
    }
    (text::upgrade_order(&report.upgrade_order), text::rollback(&report.upgrade_order))
}

/// `2 errors, 1 policy error, 1 warning and 3 notes`; `None` when nothing was found.
pub(crate) fn tally(report: &Report) -> Option<String> {
    let open = report.findings.iter().filter(|finding| finding.waiver.is_none());
    let weights: Vec<(Weight, &Open<Severity>)> =
        open.map(|finding| (Weight::of(report, finding), &finding.severity)).collect();
    let count = |is_meant: fn(Weight) -> bool| weights.iter().filter(|(weight, _)| is_meant(*weight)).count();
    let breaks = count(Weight::is_break);
    let policy = if breaks > 0 { "policy error" } else { Severity::Error.name() };
    let no_break = format!("{} that does not break in this mode", Severity::Error);
    let no_breaks = "errors that do not break in this mode";
    let mut parts: Vec<String> = Vec::new();
    let mut tell = |count: usize, one: &str, many: Option<&str>| match (count, many) {
        (0, _) => {}
        (2.., Some(many)) => parts.push(format!("{} {many}", text::number(count))),
        _ => parts.push(text::plural(count, one)),
    };
    tell(breaks, Severity::Error.name(), None);
    tell(count(|weight| weight == Weight::Policy), policy, None);
    tell(count(|weight| weight == Weight::Error), &no_break, Some(no_breaks));
    let known = |severity: Severity| weights.iter().filter(|(_, known)| **known == severity).count();
    tell(known(Severity::Warning), Severity::Warning.name(), None);
    tell(known(Severity::Note), Severity::Note.name(), None);
    let mut unknown: BTreeMap<&str, usize> = BTreeMap::new();
    for (_, severity) in &weights {
        if let Open::Unknown(word) = severity {
            *unknown.entry(word).or_default() += 1;
        }
    }
    let of_unknown = |(word, count): (&str, usize)| {
        format!("{} of severity `{word}`, which this version does not know", text::number(count))
    };
    parts.extend(unknown.into_iter().map(of_unknown));
    let not_seen = weights.iter().filter(|(weight, _)| *weight == Weight::NotSeen).count();
    if not_seen > 0 {
        parts.push(format!("{} not seen", text::plural(not_seen, "place")));
    }
    let waived = report.findings.iter().filter(|f| f.waiver.is_some()).count();
    if waived > 0 {
        parts.push(format!("{} waived", text::number(waived)));
    }
    (!parts.is_empty()).then(|| text::list(&parts))
}

/// Whether the check fails, and only because guards are missing: no reader breaks.
pub(crate) fn is_policy_only(report: &Report) -> bool {
    let breaking = |finding: &&Finding| finding.breaking && finding.waiver.is_none();
    let mut weights = report.findings.iter().filter(breaking).map(|finding| Weight::of(report, finding)).peekable();
    report.verdict == Verdict::Breaking && weights.peek().is_some() && weights.all(|weight| weight == Weight::Policy)
}

/// The verdict in words, without its mark: `breaking: 2 errors and 1 note`.
pub(crate) fn verdict(report: &Report) -> String {
    let tally = tally(report);
    let problems = report.problems.iter().filter(|problem| problem.severity == ProblemSeverity::Error).count();
    let in_input = (problems > 0).then(|| format!("{} in the input", text::plural(problems, "problem")));
    let unexplained = (report.round_trips.unexplained > 0)
        .then(|| format!("{} that no finding explains", text::plural(report.round_trips.unexplained, "round trip")));
    let not_a_pass = |why: &str| {
        let why = format!("{why}, which is not a pass");
        std::iter::once(why).chain(in_input.clone()).chain(unexplained.clone()).chain(tally.clone()).collect()
    };
    let why: Vec<String> = match &report.verdict {
        Open::Known(Verdict::Compatible) => vec![tally.unwrap_or_else(|| nothing(report).to_owned())],
        Open::Known(Verdict::Unknown) => not_a_pass("could not tell"),
        Open::Unknown(_) => not_a_pass("a verdict that this version does not know"),
        Open::Known(Verdict::Breaking) => tally.into_iter().chain(in_input).chain(unexplained).collect(),
    };
    if is_policy_only(report) {
        return format!("{}: {}; no reader breaks", Weight::Policy.word(), why.join("; "));
    }
    if why.is_empty() { report.verdict.to_string() } else { format!("{}: {}", report.verdict, why.join("; ")) }
}

fn nothing(report: &Report) -> &'static str {
    if report.stats.files_old + report.stats.files_new == 0 && report.not_checked.is_empty() {
        return "there are no schemas on either side";
    }
    if report.stats.changes == 0 { "nothing changed" } else { "nothing to report" }
}

/// What was compared: `working tree against git:3f2a91c (merge base of main)`.
pub(crate) fn compared(report: &Report) -> String {
    format!("{} against {}", report.new.source, since::old_side(report))
}

/// The mode, and the modes of formats that have their own: `full (avro: backward)`.
pub(crate) fn mode(report: &Report) -> String {
    let others: Vec<String> = report.modes_by_format.iter().map(|(format, mode)| format!("{format}: {mode}")).collect();
    if others.is_empty() { report.mode.to_string() } else { format!("{} ({})", report.mode, others.join(", ")) }
}

/// Everything in force that is not the default, for the first line.
pub(crate) fn terms(report: &Report) -> Vec<String> {
    let mut out = Vec::new();
    if report.surfaces != [Surface::Wire] {
        let surfaces: Vec<&str> = report.surfaces.iter().map(Open::as_str).collect();
        out.push(format!("judged on {}", text::list(&surfaces)));
    }
    if report.fail_on != Outcome::Lossy {
        out.push(format!("fails on {}", report.fail_on));
    }
    if let Some(profile) = &report.profile {
        out.push(format!("judged as {profile}"));
    }
    out.extend(judged_by(report));
    if let Some(shard) = &report.shard {
        let (number, of) = (shard.number, shard.of);
        let others = if of > 1 { "; the others are not in it" } else { "" };
        out.push(format!("part {number} of {of}{others}"));
    }
    out
}

/// More places with a configuration of another tool are only counted in the first line.
const CONFIGURATIONS_SHOWN: usize = 2;

/// What another tool's own configuration decides: `protobuf judged as buf/FILE (buf.yaml:3)`.
fn judged_by(report: &Report) -> Option<String> {
    let mut parts: Vec<(&str, Vec<String>)> = Vec::new();
    for judged in &report.judged_by {
        let part = format!("{} ({})", judged.profile, judged.source);
        match parts.iter_mut().find(|(format, _)| *format == judged.format) {
            Some((_, said)) if said.contains(&part) => {}
            Some((_, said)) => said.push(part),
            None => parts.push((&judged.format, vec![part])),
        }
    }
    let said = parts.into_iter().map(|(format, mut said)| {
        let more = said.len().saturating_sub(CONFIGURATIONS_SHOWN);
        said.truncate(CONFIGURATIONS_SHOWN);
        let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
        format!("{format} judged as {}{rest}", said.join(", "))
    });
    let said: Vec<String> = said.collect();
    (!said.is_empty()).then(|| said.join("; "))
}

/// The round trips in words.
pub(crate) fn round_trips(report: &Report) -> String {
    let trips = &report.round_trips;
    if trips.messages == 0 && !is_told(report) {
        return "no message was written: it is not known what changed".to_owned();
    }
    if trips.messages == 0 && !report.not_checked.is_empty() {
        return "no message was written: of what was checked, no changed type has bytes of its own".to_owned();
    }
    if trips.messages == 0 {
        return "no message had to be written: no changed type has bytes of its own".to_owned();
    }
    let what = format!(
        "{} of {} written and read",
        text::plural(trips.messages, "message"),
        text::plural(trips.types, "type")
    );
    match trips.unexplained {
        0 => format!("{what}, every outcome explained"),
        count => format!("{what}, {} unexplained: a bug in a rule, please report it", text::number(count)),
    }
}

/// The counts in words.
pub(crate) fn counts(report: &Report) -> String {
    let stats = &report.stats;
    let files = format!("{} old, {} new", text::plural(stats.files_old, "file"), text::number(stats.files_new));
    match stats.files_parsed {
        0 if is_calm(report) => format!("{files}; they are the same, so none was parsed"),
        parsed => format!("{}; {files}, {} parsed", text::plural(stats.changes, "change"), text::number(parsed)),
    }
}

/// Whether there are steps that break nobody, in words; `None` where readers feel nothing.
pub(crate) fn way(report: &Report) -> Option<String> {
    let way = report.plan.as_ref()?;
    Some(match (way.steps.len(), way.tried) {
        (0, true) => "no way without a break was found; why, says".to_owned(),
        (0, false) => "a way without a break is looked for by".to_owned(),
        (count, _) => format!("a plan in {} that breaks nobody", text::plural(count, "step")),
    })
}

/// What a step of that way says: what to do, who deploys first, and what to wait for.
pub(crate) fn step(step: &WayStep) -> Vec<String> {
    let mut lines = step.says.clone();
    lines.extend(step.deploy.iter().map(|order| format!("deploy {order}")));
    lines.extend(step.wait.iter().map(|wait| format!("wait: {wait}")));
    lines
}
