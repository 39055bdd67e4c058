//! The report in a few lines: the verdict, its terms, what the mode demands, the order of upgrades, the counts.

use super::cells::{self, Refusal};
use super::overview::Weight;
use super::{Cell, Finding, JudgedBy, Report, WayStep, since};
use crate::ordered::{OrderedMap, OrderedSet};
use crate::text;
use crate::vocabulary::{Direction, Mode, Open, Outcome, ProblemSeverity, Severity, Surface, UpgradeOrder, Verdict};

/// The strictest mode in words, and on whose word the others do not pass where that is no reader's.
pub(crate) fn strictest(report: &Report) -> String {
    let strictest = strictest_mode(report);
    let refused = if report.modes.iter().all(|rung| rung.passes) { None } else { refusal(report) };
    match refused {
        Some(Gate::Refused(Some(profile))) => format!("{strictest}, by what {profile} reports"),
        Some(Gate::Refused(None)) => format!("{strictest}, whatever readers feel"),
        Some(Gate::Policy | Gate::Both) | None => strictest,
    }
}

fn strictest_mode(report: &Report) -> String {
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
    let formats: OrderedSet<&str> = report.judged_by.iter().map(|judged| judged.format.as_str()).collect();
    let tools = formats.iter().map(|format| {
        let of_format: Vec<&JudgedBy> = report.judged_by.iter().filter(|judged| judged.format == **format).collect();
        let tool = of_format.first().map_or("", |judged| judged.profile.split('/').next().unwrap_or_default());
        let places = below(&of_format);
        format!(
            "for {format}{places}, {tool} decides: what it reports breaks, and what it lets through is at most a warning"
        )
    });
    let demand = text::demand(&report.mode);
    let own = if formats.is_empty() { demand } else { format!("otherwise, {demand}") };
    tools.chain(std::iter::once(own)).chain(others).collect()
}

/// Below which folders the configurations lie that decide; nothing where one is that of the whole repository.
fn below(all: &[&JudgedBy]) -> String {
    let folders: Option<OrderedSet<&str>> = all.iter().map(|judged| folder_of(judged)).collect();
    let Some(folders) = folders.filter(|folders| !folders.is_empty()) else { return String::new() };
    let more = folders.len().saturating_sub(CONFIGURATIONS_SHOWN);
    let more = (more > 0).then(|| text::plural(more, "other folder"));
    let shown = folders.iter().take(CONFIGURATIONS_SHOWN).copied().chain(more.as_deref());
    format!(" below {}", text::list(&shown.collect::<Vec<_>>()))
}

/// The folder that holds the configuration; `None` where that is the repository itself.
fn folder_of(judged: &JudgedBy) -> Option<&str> {
    judged.source.rsplit_once('/').map(|(folder, _)| folder)
}

/// Whether nothing was there before, so that there is nobody to break and no order to keep.
pub(crate) fn is_first(report: &Report) -> bool {
    report.stats.files_old == 0 && report.stats.files_new > 0
}

/// What stands for an order that the run could not find out.
pub(crate) const NOT_ESTABLISHED: &str = "not established";

/// In which order to upgrade and what going back means, unless the run could not find out.
pub(crate) fn order_and_rollback(report: &Report) -> (&'static str, &'static str) {
    let in_doubt = report.problems.iter().any(|problem| problem.severity == ProblemSeverity::Error);
    if !is_told(report) || in_doubt || report.findings.iter().any(cells::unclassified) {
        return (NOT_ESTABLISHED, NOT_ESTABLISHED);
    }
    // What passes through a change of terms is told as such, and not what readers feel of it.
    if report.upgrade_order == UpgradeOrder::None && !is_felt(report) {
        return (NOT_ESTABLISHED, NOT_ESTABLISHED);
    }
    if is_first(report) {
        return ("none to keep: nothing was there before", "nobody has the old schemas yet");
    }
    if report.upgrade_order == UpgradeOrder::Any && report.findings.iter().any(|finding| is_below(report, finding)) {
        return ("any at this threshold, below which readers lose what is listed", "safe at this threshold");
    }
    if report.upgrade_order == UpgradeOrder::ReadersFirst && !is_felt(report) {
        return text::SERVERS_FIRST;
    }
    let order = text::upgrade_order(&report.upgrade_order);
    let untold = (report.is_untold(Direction::Backward), report.is_untold(Direction::Forward));
    match (&report.upgrade_order, untold) {
        // What could not be told may be safe, and then there is an order.
        (Open::Known(UpgradeOrder::None), (true, _) | (_, true)) => (NOT_ESTABLISHED, NOT_ESTABLISHED),
        (Open::Known(UpgradeOrder::ReadersFirst), (_, true)) => {
            (order, "safe until the first upgraded writer is in use; after that not established")
        }
        (Open::Known(UpgradeOrder::WritersFirst), (true, _)) => {
            (order, "readers may go back; whether writers may, and old data be replayed, is not established")
        }
        (Open::Known(_) | Open::Unknown(_), _) => (order, text::rollback(&report.upgrade_order)),
    }
}

/// Whether any reader feels what the threshold asks for, acknowledged or not.
fn is_felt(report: &Report) -> bool {
    let is_felt = |cell: &Cell| report.surfaces.contains(&cell.surface) && cell.outcome >= report.fail_on;
    report.findings.iter().flat_map(|finding| &finding.impact).any(is_felt)
}

/// Whether readers lose something that only a raised threshold lets pass.
fn is_below(report: &Report, finding: &Finding) -> bool {
    let is_lost = |cell: &&Cell| cell.outcome >= Outcome::Lossy && cell.outcome < report.fail_on;
    finding.severity == Severity::Error && cells::cells(report, finding).iter().any(is_lost)
}

/// `2 errors, 1 policy error, 1 warning and 3 notes`; `None` when nothing was found.
pub(crate) fn tally(report: &Report) -> Option<String> {
    let open = report.findings.iter().filter(|finding| finding.waiver.is_none() && !cells::is_aside(report, finding));
    let weights: Vec<(Weight, &Open<Severity>)> =
        open.map(|finding| (Weight::of(report, finding), &finding.severity)).collect();
    let count = |is_meant: fn(Weight) -> bool| weights.iter().filter(|(weight, _)| is_meant(*weight)).count();
    let breaks = count(Weight::is_break);
    let (policy, refused) = (count(|weight| weight == Weight::Policy), count(|weight| weight == Weight::Refused));
    let is_alone = breaks == 0 && (policy == 0 || refused == 0);
    let of_policy = if is_alone { Severity::Error.name() } else { "policy error" };
    let by = match refuser(report) {
        Some(profile) => format!("that only {profile} reports"),
        None => "that no reader feels".to_owned(),
    };
    let of_refused = |noun: &str| if is_alone { noun.to_owned() } else { format!("{noun} {by}") };
    let aside = if is_without_mode(report) { "in this mode" } else { "at this threshold" };
    let mut parts: Vec<String> = Vec::new();
    let mut tell = |count: usize, one: &str, many: Option<&str>| match (count, many) {
        (0, _) => {}
        (2.., Some(many)) => parts.push(format!("{} {many}", text::number(count))),
        _ => parts.push(text::plural(count, one)),
    };
    tell(breaks, Severity::Error.name(), None);
    tell(refused, &of_refused(Severity::Error.name()), Some(&of_refused("errors")));
    tell(policy, of_policy, None);
    for (weight, kind) in [(Weight::Error, ""), (Weight::Guard, "policy ")] {
        let count = weights.iter().filter(|(known, _)| *known == weight).count();
        let (one, many) = (format!("{kind}error that does not break"), format!("{kind}errors that do not break"));
        tell(count, &format!("{one} {aside}"), Some(&format!("{many} {aside}")));
    }
    let known = |severity: Severity| weights.iter().filter(|(_, known)| **known == severity).count();
    tell(known(Severity::Warning), Severity::Warning.name(), None);
    tell(known(Severity::Note), Severity::Note.name(), None);
    let mut unknown: OrderedMap<&str, usize> = OrderedMap::new();
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

/// Whether the mode demands nothing, so that nothing breaks in it.
fn is_without_mode(report: &Report) -> bool {
    report.modes_by_format.values().chain([&report.mode]).any(|mode| *mode == Mode::None)
}

/// What fails the check where no reader in force does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Gate<'a> {
    /// Guards against the next mistake are missing.
    Policy,
    /// Another tool that judges here, or a rule that is set to an error.
    Refused(Option<&'a str>),
    /// Some of this and some of that.
    Both,
}

fn breaking(report: &Report) -> impl Iterator<Item = &Finding> {
    report.findings.iter().filter(|finding| finding.breaking && finding.waiver.is_none())
}

/// As whom that is judged which another tool alone refuses, where that is one.
fn refuser(report: &Report) -> Option<&str> {
    let by = |finding| match cells::refusal(report, finding) {
        Some(Refusal::Tool { profile, .. }) => Some(Some(profile)),
        Some(Refusal::Rule) => Some(None),
        Some(Refusal::Guard) | None => None,
    };
    let mut all = breaking(report).filter_map(by);
    let first = all.next()??;
    all.all(|other| other == Some(first)).then_some(first)
}

/// What fails the check, where none of it is a reader.
fn refusal(report: &Report) -> Option<Gate<'_>> {
    let weights: OrderedSet<Weight> = breaking(report).map(|finding| Weight::of(report, finding)).collect();
    if report.verdict != Verdict::Breaking || !weights.iter().all(|weight| weight.is_of_gate()) {
        return None;
    }
    match (weights.contains(&Weight::Policy), weights.contains(&Weight::Refused)) {
        (true, true) => Some(Gate::Both),
        (true, false) => Some(Gate::Policy),
        (false, true) => Some(Gate::Refused(refuser(report))),
        (false, false) => None,
    }
}

/// Whether the check fails, and not because of readers: guards are missing, or another tool refuses what they do not feel.
pub(crate) fn is_of_gate(report: &Report) -> bool {
    refusal(report).is_some()
}

/// Whether it is known that no reader feels anything, in either direction and acknowledged or not.
fn is_unfelt(report: &Report) -> bool {
    let is_felt = |cell: &Cell| report.surfaces.contains(&cell.surface) && cell.hurts();
    report.upgrade_order == UpgradeOrder::Any
        && order_and_rollback(report).0 != NOT_ESTABLISHED
        && !report.findings.iter().flat_map(|finding| &finding.impact).any(is_felt)
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
    if let Some(gate) = refusal(report) {
        let word = match gate {
            Gate::Policy => Weight::Policy.word().to_owned(),
            Gate::Refused(Some(profile)) => format!("{} by {profile}", Weight::Refused.word()),
            Gate::Refused(None) | Gate::Both => Weight::Refused.word().to_owned(),
        };
        let nobody = if is_unfelt(report) { "; no reader breaks" } else { "" };
        return format!("{word}: {}{nobody}", why.join("; "));
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
    out.extend(report.configured_by.as_ref().map(|file| format!("configured by {file}")));
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
        let place = folder_of(judged).map(|folder| format!(" below {folder}")).unwrap_or_default();
        let part = format!("{}{place} ({})", judged.profile, judged.source);
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
    if trips.messages == 0 && report.not_checked.iter().any(|gap| gap.what.starts_with("synthetic ")) {
        return "no message was written: what was not checked says why".to_owned();
    }
    if trips.messages == 0 && !report.not_checked.is_empty() {
        return "no message was written: of what was checked, no changed type with bytes of its own is on both sides"
            .to_owned();
    }
    if trips.messages == 0 {
        return "no message had to be written: no changed type with bytes of its own is on both sides".to_owned();
    }
    let what = format!(
        "{} of {} written and read",
        text::plural(trips.messages, "message"),
        text::plural(trips.types, "type")
    );
    match trips.unexplained {
        0 => format!("{what}, every outcome explained"),
        count => format!("{what}, {} unexplained: a rule claims less than that", text::number(count)),
    }
}

/// The counts in words.
pub(crate) fn counts(report: &Report) -> String {
    let stats = &report.stats;
    let files = format!("{} old, {} new", text::plural(stats.files_old, "file"), text::number(stats.files_new));
    let excluded = stats
        .excluded
        .as_ref()
        .map_or_else(String::new, |excluded| format!("; {} excluded by {}", text::number(excluded.files), excluded.by));
    match stats.files_parsed {
        0 if is_calm(report) => format!("{files}; they are the same, so none was parsed{excluded}"),
        parsed => {
            let aside = report.findings.iter().filter(|finding| cells::is_aside(report, finding)).count();
            let aside = match aside {
                0 => String::new(),
                count => format!(
                    "; {} of what only another tool would report, which `-v` shows",
                    text::plural(count, Severity::Note.name())
                ),
            };
            let changes = text::plural(stats.changes, "change");
            format!("{changes}; {files}, {} parsed{excluded}{aside}", text::number(parsed))
        }
    }
}

/// Whether there are steps that break nobody, in words; `None` where readers feel nothing.
pub(crate) fn way(report: &Report) -> Option<String> {
    let way = report.plan.as_ref()?;
    Some(match (way.steps.len(), way.tried) {
        (0, true) => "no way without a break was found; why, says".to_owned(),
        (0, false) => "a way without a break is looked for by".to_owned(),
        (count, _) if is_of_gate(report) => format!("a plan in {} that passes", text::plural(count, "step")),
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
