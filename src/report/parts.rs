//! What every renderer needs to know about a report: which cells are in force, which witness to show, how to reproduce it.
//!
//! No layout and no escaping for a target here; strings that come out may still hold whatever a schema held.

use std::collections::{BTreeMap, BTreeSet};

use super::{BytePart, Evidence, Finding, Location, Report, Suggestion, Waiver};
use crate::text::{self, Role};

/// One cell of a finding's impact.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Cell<'a> {
    pub(crate) surface: &'a str,
    pub(crate) direction: &'a str,
    pub(crate) outcome: &'a str,
}

impl Cell<'_> {
    /// Whether somebody notices or should have.
    pub(crate) fn hurts(&self) -> bool {
        text::outcome_rank(self.outcome) >= text::outcome_rank("unrecognized")
    }
}

/// The cells of a finding that mode and surfaces put in force. Mode `none` forces nothing; its readers still want to
/// know who would break, so both directions count there.
pub(crate) fn cells<'a>(report: &'a Report, finding: &'a Finding) -> Vec<Cell<'a>> {
    all_cells(finding).into_iter().filter(|cell| in_force(report, finding, cell)).collect()
}

/// The strictest mode in words.
pub(crate) fn strictest(report: &Report) -> String {
    match report.strictest_mode.as_str() {
        "none" => "only `none` passes".to_owned(),
        mode => format!("the strictest that passes is `{mode}`"),
    }
}

/// The cells not in force in which somebody would lose something.
pub(crate) fn cells_elsewhere<'a>(report: &'a Report, finding: &'a Finding) -> Vec<Cell<'a>> {
    let lossy = text::outcome_rank("lossy");
    all_cells(finding)
        .into_iter()
        .filter(|cell| !in_force(report, finding, cell) && text::outcome_rank(cell.outcome) >= lossy)
        .collect()
}

/// For each cell not in force the worst that any of the findings says about it.
pub(crate) fn worst_elsewhere<'a>(report: &'a Report, findings: &[&'a Finding]) -> Vec<Cell<'a>> {
    let mut worst: Vec<Cell<'a>> = Vec::new();
    for cell in findings.iter().flat_map(|finding| cells_elsewhere(report, finding)) {
        match worst.iter_mut().find(|known| known.surface == cell.surface && known.direction == cell.direction) {
            Some(known) if text::outcome_rank(known.outcome) >= text::outcome_rank(cell.outcome) => {}
            Some(known) => *known = cell,
            None => worst.push(cell),
        }
    }
    worst
}

/// Cells in few words: `json lossy` where both directions are alike, else `json backward lossy`.
pub(crate) fn cell_names(cells: &[Cell<'_>]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for cell in cells {
        let is_alike = |other: &Cell<'_>| other.surface == cell.surface && other.outcome == cell.outcome;
        let name = match cells.iter().filter(|other| is_alike(other)).count() {
            1 => format!("{} {} {}", cell.surface, cell.direction, cell.outcome),
            _ => format!("{} {}", cell.surface, cell.outcome),
        };
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// Whether anybody is hurt in a cell in force.
pub(crate) fn hurts(report: &Report, finding: &Finding) -> bool {
    cells(report, finding).iter().any(Cell::hurts)
}

/// Findings by rule, each rule's in the order of the report.
pub(crate) fn by_rule<'a>(findings: &[&'a Finding]) -> BTreeMap<&'a str, Vec<&'a Finding>> {
    let mut groups: BTreeMap<&str, Vec<&Finding>> = BTreeMap::new();
    for finding in findings {
        groups.entry(finding.rule.as_str()).or_default().push(finding);
    }
    groups
}

/// Findings of one rule in a line: ``A field was added, 37 times: `a.b`, `a.c`, `a.d` and 34 more``. The only one says it all.
pub(crate) fn group_words(group: &[&Finding]) -> String {
    const NAMED: usize = 3;
    if let [only] = group {
        let place = side_and_place(only).map(|place| format!(" ({place})")).unwrap_or_default();
        return format!("{}{place}", text::elide(&only.message, 300));
    }
    let title = group.first().map_or("", |finding| finding.title.trim());
    let mut paths: Vec<String> =
        group.iter().take(NAMED).map(|finding| format!("`{}`", text::elide(&finding.path, 100))).collect();
    if group.len() > NAMED {
        paths.push(format!("{} more", text::number(group.len() - NAMED)));
    }
    format!("{title}, {} times: {}", text::number(group.len()), text::list(&paths))
}

/// Whether there is nothing to tell: both sides are the same, and nothing stands in the way of saying so.
pub(crate) fn is_calm(report: &Report) -> bool {
    report.verdict == "compatible" && report.stats.changes == 0 && report.findings.is_empty()
}

fn all_cells(finding: &Finding) -> Vec<Cell<'_>> {
    let mut out = Vec::new();
    for surface in ["wire", "json", "source"] {
        for direction in ["backward", "forward"] {
            if let Some(outcome) = finding.impact.get(surface).and_then(|row| row.get(direction)) {
                out.push(Cell { surface, direction, outcome });
            }
        }
    }
    out
}

fn in_force(report: &Report, finding: &Finding, cell: &Cell<'_>) -> bool {
    let directions = text::directions(report.modes_by_format.get(&finding.format).unwrap_or(&report.mode));
    report.surfaces.iter().any(|surface| surface == cell.surface)
        && (directions.is_empty() || directions.contains(&cell.direction))
}

/// Whether a finding is about calls instead of data.
pub(crate) fn role(finding: &Finding) -> Role {
    let call =
        finding.path.ends_with("()") || ["service-", "method-"].iter().any(|kind| finding.family.starts_with(kind));
    if call { Role::Call } else { Role::Data }
}

/// Cells as clauses, surfaces with the same fate together:
/// `new readers of old data lose a value that was written (wire and json: lossy)`.
pub(crate) fn clauses(cells: &[Cell<'_>], role: Role) -> Vec<String> {
    let words = |cell: &Cell<'_>, surfaces: &[&str]| {
        let role = text::role_on(cell.surface, role);
        let (who, what) = (text::who(cell.direction, role), text::outcome(cell.outcome, role));
        format!("{who} {what} ({}: {})", text::list(surfaces), cell.outcome)
    };
    together(cells).iter().map(|(cell, surfaces)| words(cell, surfaces)).collect()
}

/// The first cell of each direction and outcome, with all their surfaces.
fn together<'a>(cells: &[Cell<'a>]) -> Vec<(Cell<'a>, Vec<&'a str>)> {
    let mut out: Vec<(Cell<'a>, Vec<&'a str>)> = Vec::new();
    for cell in cells {
        let alike = |known: &Cell<'_>| {
            known.direction == cell.direction
                && known.outcome == cell.outcome
                && (known.surface == "source") == (cell.surface == "source")
        };
        match out.iter_mut().find(|(known, _)| alike(known)) {
            Some((_, surfaces)) => surfaces.push(cell.surface),
            None => out.push((*cell, vec![cell.surface])),
        }
    }
    out.sort_by_key(|(cell, _)| cell.direction == "forward");
    out
}

/// Whether no rule judged the change, so that nothing is known about who breaks.
pub(crate) fn unclassified(finding: &Finding) -> bool {
    finding.rule.ends_with("/unclassified")
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

/// In which order to upgrade and what going back means, unless the run could not find out.
pub(crate) fn order_and_rollback(report: &Report) -> (&'static str, &'static str) {
    let in_doubt = report.problems.iter().any(|problem| problem.severity == "error");
    if report.verdict == "unknown" || in_doubt || report.findings.iter().any(unclassified) {
        return ("not established", "not established");
    }
    (text::upgrade_order(&report.upgrade_order), text::rollback(&report.upgrade_order))
}

/// Who breaks, one clause a line; what is fine follows in one line.
pub(crate) fn who_breaks(report: &Report, finding: &Finding) -> (Vec<String>, Option<String>) {
    let role = role(finding);
    let (hurt, fine): (Vec<Cell<'_>>, Vec<Cell<'_>>) = cells(report, finding).into_iter().partition(Cell::hurts);
    let hurt = clauses(&hurt, role);
    let fine: Vec<String> = together(&fine)
        .iter()
        .map(|(cell, surfaces)| {
            let who = text::who(cell.direction, text::role_on(cell.surface, role));
            format!("{who} ({}: {})", text::list(surfaces), cell.outcome)
        })
        .collect();
    if !hurt.is_empty() {
        let fine = if fine.is_empty() { None } else { Some(text::list(&fine)) };
        return (hurt, fine);
    }
    let nobody = match finding.class.as_str() {
        _ if finding.format == "policy" => "no reader: this is about the gate itself",
        _ if unclassified(finding) => "not established: no rule judges this change",
        "hygiene" => "nobody yet; today's bytes are safe",
        _ => "nobody on the surfaces and in the directions in force",
    };
    (vec![nobody.to_owned()], None)
}

/// The observations worth showing, the deciding runtime first: one per direction in force, the worst of its surfaces.
pub(crate) fn witnesses<'a>(report: &'a Report, finding: &'a Finding) -> Vec<&'a Evidence> {
    let mut best: BTreeMap<&str, &Evidence> = BTreeMap::new();
    let cells = cells(report, finding);
    for evidence in finding.evidence.iter().filter(|evidence| evidence.runtime == "spec" && has_bytes(evidence)) {
        let forced = cells.iter().any(|cell| cell.surface == evidence.surface && cell.direction == evidence.direction);
        if !forced || text::outcome_rank(&evidence.outcome) < text::outcome_rank("unrecognized") {
            continue;
        }
        let slot = best.entry(evidence.direction.as_str()).or_insert(evidence);
        if text::outcome_rank(&evidence.outcome) > text::outcome_rank(&slot.outcome) {
            *slot = evidence;
        }
    }
    best.into_values().collect()
}

/// Whether anything travelled: an empty message has no bytes and still is a witness when something was written or read.
pub(crate) fn has_bytes(evidence: &Evidence) -> bool {
    evidence.status != "not-observable"
        && !(evidence.bytes.is_empty() && evidence.wrote.is_null() && evidence.read.is_null())
}

/// What other runtimes saw that differs from what the deciding one saw, in force only: one clause a line,
/// `with prost, old readers of new data reject the message (wire: fails)`.
pub(crate) fn dissent(report: &Report, finding: &Finding) -> Vec<String> {
    let mut seen: Vec<(&str, Vec<Cell<'_>>)> = Vec::new();
    for Evidence { runtime, surface, direction, outcome, .. } in dissenters(finding) {
        let cell = Cell { surface, direction, outcome };
        match seen.iter_mut().find(|(known, _)| known == runtime) {
            _ if !in_force(report, finding, &cell) => {}
            Some((_, cells)) => cells.push(cell),
            None => seen.push((runtime, vec![cell])),
        }
    }
    let told = |(runtime, cells): &(&str, Vec<Cell<'_>>)| {
        clauses(cells, role(finding)).into_iter().map(|clause| format!("with {runtime}, {clause}")).collect::<Vec<_>>()
    };
    seen.iter().flat_map(told).collect()
}

/// Observations by other runtimes that differ from what the deciding one saw.
fn dissenters(finding: &Finding) -> Vec<&Evidence> {
    let spec = |other: &Evidence| {
        finding
            .evidence
            .iter()
            .find(|e| e.runtime == "spec" && e.surface == other.surface && e.direction == other.direction)
            .map(|e| e.outcome.as_str())
    };
    finding
        .evidence
        .iter()
        .filter(|e| {
            e.runtime != "spec" && e.status != "not-observable" && spec(e).is_some_and(|seen| seen != e.outcome)
        })
        .collect()
}

/// `shop/user.proto:4:3`
pub(crate) fn place(location: &Location) -> String {
    format!("{}:{}:{}", location.file, location.line, location.column)
}

/// `new shop/user.proto:4:3`, the new side if there is one.
pub(crate) fn side_and_place(finding: &Finding) -> Option<String> {
    match (&finding.old, &finding.new) {
        (_, Some(new)) => Some(format!("new {}", place(new))),
        (Some(old), None) => Some(format!("old {}", place(old))),
        (None, None) => None,
    }
}

/// Hexadecimal digits in pairs, at most `most` bytes, and how many there are.
pub(crate) fn grouped_hex(hex: &str, most: usize) -> String {
    let pairs = hex_pairs(hex);
    let count = text::plural(pairs.len(), "byte");
    match pairs.len() {
        0 => "(none: an empty message)".to_owned(),
        total if total <= most => format!("{} ({count})", pairs.join(" ")),
        _ => format!("{} … ({count}, the first {most} shown)", pairs[..most].join(" ")),
    }
}

fn hex_pairs(hex: &str) -> Vec<&str> {
    let digits = hex.as_bytes();
    (0..digits.len()).step_by(2).map(|at| hex.get(at..(at + 2).min(hex.len())).unwrap_or("??")).collect()
}

/// A value as one line of JSON, shortened.
pub(crate) fn compact_json(value: &serde_json::Value, most: usize) -> String {
    let full = value.to_string();
    let shown = text::visible(&full);
    let length = shown.chars().count();
    if length <= most {
        return shown.into_owned();
    }
    format!("{} ({} in all)", text::shorten(&shown, most), text::plural(length, "character"))
}

/// What was read; a rejected message shows the reason as words.
pub(crate) fn read_words(evidence: &Evidence, most: usize) -> String {
    match &evidence.read {
        serde_json::Value::String(reason) if evidence.outcome == "fails" => {
            format!("rejected: {}", text::shorten(&text::visible(reason), most))
        }
        value => compact_json(value, most),
    }
}

/// Findings that a waiver covers.
pub(crate) fn waived(report: &Report) -> Vec<&Finding> {
    report.findings.iter().filter(|finding| finding.waiver.is_some()).collect()
}

/// The command that acknowledges a break; `None` where nothing breaks, where nothing could be acknowledged, and where
/// the command would look at other versions than the report does.
pub(crate) fn accept(report: &Report, finding: &Finding) -> Option<String> {
    let is_of_check = report.new.source == "working tree" || report.new.source.starts_with("index ");
    if !is_of_check || !finding.breaking || finding.rule.starts_with("policy/waiver-") {
        return None;
    }
    let config = report.arguments.windows(2).find(|two| two[0] == "--config");
    let config = config.map(|two| format!(" --config {}", shell(&two[1]))).unwrap_or_default();
    Some(format!("wireproof accept {} --reason \"…\"{config}", shell(&finding.id)))
}

/// Where the waiver of a finding stands: `.wireproof-waivers.yaml:4`.
pub(crate) fn waiver_place(waiver: &Waiver) -> String {
    format!("{}:{}", waiver.file, waiver.line)
}

/// Who acknowledged a break, until when, and why: `until 2026-12-31, by payments: the old app is gone`.
pub(crate) fn waiver(waiver: &Waiver, most: usize) -> String {
    let mut words = Vec::new();
    words.extend(waiver.until.iter().map(|until| format!("until {until}")));
    words.extend(waiver.owner.iter().map(|owner| format!("by {owner}")));
    if waiver.added_here {
        words.push("added in this very change".to_owned());
    }
    let head = if words.is_empty() { String::new() } else { format!("{}: ", words.join(", ")) };
    let reason: Vec<&str> = waiver.reason.split_whitespace().collect();
    text::elide(&text::visible(&format!("{head}{}", reason.join(" "))), most).into_owned()
}

/// `2 errors, 1 warning and 3 notes`; `None` when nothing was found.
pub(crate) fn tally(report: &Report) -> Option<String> {
    let count =
        |severity: &str| report.findings.iter().filter(|f| f.severity == severity && f.waiver.is_none()).count();
    let waived = report.findings.iter().filter(|f| f.waiver.is_some()).count();
    let mut parts: Vec<String> = ["error", "warning", "note"]
        .into_iter()
        .filter(|severity| count(severity) > 0)
        .map(|severity| match severity {
            "error" => errors(report, count(severity)),
            _ => text::plural(count(severity), severity),
        })
        .collect();
    if waived > 0 {
        parts.push(format!("{} waived", text::number(waived)));
    }
    (!parts.is_empty()).then(|| text::list(&parts))
}

/// Errors, and how many of them break where that is not all: the threshold may lie above them.
fn errors(report: &Report, count: usize) -> String {
    let breaking = report.findings.iter().filter(|f| f.severity == "error" && f.waiver.is_none() && f.breaking).count();
    let words = text::plural(count, "error");
    match breaking {
        breaking if breaking == count => words,
        0 if count == 1 => format!("{words} (does not break in this mode)"),
        0 => format!("{words} (none breaks in this mode)"),
        1 => format!("{words} (1 of them breaks)"),
        breaking => format!("{words} ({} of them break)", text::number(breaking)),
    }
}

/// The verdict in words, without its mark: `breaking: 2 errors and 1 note`.
pub(crate) fn verdict(report: &Report) -> String {
    let tally = tally(report);
    let problems = report.problems.iter().filter(|problem| problem.severity == "error").count();
    let in_input = (problems > 0).then(|| format!("{} in the input", text::plural(problems, "problem")));
    let unexplained = (report.round_trips.unexplained > 0)
        .then(|| format!("{} that no finding explains", text::plural(report.round_trips.unexplained, "round trip")));
    let why: Vec<String> = match report.verdict.as_str() {
        "compatible" => vec![tally.unwrap_or_else(|| nothing(report).to_owned())],
        "unknown" => {
            let mut why = vec!["could not tell, which is not a pass".to_owned()];
            why.extend(in_input.into_iter().chain(unexplained).chain(tally));
            why
        }
        _ => tally.into_iter().chain(in_input).chain(unexplained).collect(),
    };
    if why.is_empty() { report.verdict.clone() } else { format!("{}: {}", report.verdict, why.join("; ")) }
}

fn nothing(report: &Report) -> &'static str {
    if report.stats.changes == 0 { "nothing changed" } else { "nothing to report" }
}

/// What was compared: `working tree against git:3f2a91c (merge base of main)`.
pub(crate) fn compared(report: &Report) -> String {
    format!("{} against {}", report.new.source, report.old.source)
}

/// The mode, and the modes of formats that have their own: `full (avro: backward)`.
pub(crate) fn mode(report: &Report) -> String {
    let others: Vec<String> = report.modes_by_format.iter().map(|(format, mode)| format!("{format}: {mode}")).collect();
    if others.is_empty() { report.mode.clone() } else { format!("{} ({})", report.mode, others.join(", ")) }
}

/// Everything in force that is not the default, for the first line.
pub(crate) fn terms(report: &Report) -> Vec<String> {
    let mut out = Vec::new();
    if report.surfaces != ["wire"] {
        out.push(format!("judged on {}", text::list(&report.surfaces)));
    }
    if report.fail_on != "lossy" {
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

/// The command that gives this report again, when the two sources can be named on a command line.
pub(crate) fn reproduce(report: &Report) -> Option<String> {
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
        command.push_str(&format!(" --mode {}", shell(&report.mode)));
    }
    if report.surfaces != ["wire"] {
        command.push_str(&format!(" --surface {}", shell(&report.surfaces.join(","))));
    }
    if report.fail_on != "lossy" {
        command.push_str(&format!(" --fail-on {}", shell(&report.fail_on)));
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

/// The round trips in words.
pub(crate) fn round_trips(report: &Report) -> String {
    let trips = &report.round_trips;
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

/// A record of encoded bytes and what it says.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Record {
    pub(crate) hex: String,
    pub(crate) meaning: String,
}

/// Takes wire bytes apart, one top-level field a record, without a schema. `None` when they are not well formed or too many.
pub(crate) fn records(evidence: &Evidence, format: &str) -> Option<Vec<Record>> {
    const MOST_BYTES: usize = 96;
    const MOST_RECORDS: usize = 12;
    if format != "protobuf" || evidence.surface != "wire" || evidence.bytes.is_empty() {
        return None;
    }
    let bytes = hex_pairs(&evidence.bytes)
        .into_iter()
        .map(|pair| u8::from_str_radix(pair, 16).ok())
        .collect::<Option<Vec<u8>>>()?;
    let (mut rest, mut out) = (bytes.as_slice(), Vec::new());
    while !rest.is_empty() {
        let (length, meaning) = record(rest)?;
        out.push(Record { hex: spaced(rest.get(..length)?), meaning });
        rest = &rest[length..];
    }
    (bytes.len() <= MOST_BYTES && out.len() <= MOST_RECORDS).then_some(out)
}

/// The bytes of a witness with what they are, as the writer meant them and, where that differs, as the reader took them.
///
/// `None` when the report does not tell, or tells of bytes that are not there.
pub(crate) fn annotated(evidence: &Evidence) -> Option<(Vec<Record>, Option<Vec<Record>>)> {
    if evidence.surface != "wire" || evidence.written_parts.is_empty() {
        return None;
    }
    let pairs = hex_pairs(&evidence.bytes);
    let written = annotations(&pairs, &evidence.written_parts)?;
    let read = annotations(&pairs, &evidence.read_parts)?;
    let differs = !read.is_empty() && read != written;
    Some((written, differs.then_some(read)))
}

fn annotations(pairs: &[&str], parts: &[BytePart]) -> Option<Vec<Record>> {
    const MOST_ROWS: usize = 16;
    const BYTES_IN_A_ROW: usize = 16;
    const FIELD: usize = 40;
    let shown = &parts[..parts.len().min(MOST_ROWS)];
    let width = shown.iter().map(|part| part.field.chars().count()).max().unwrap_or(0).min(FIELD);
    let (mut rows, mut before) = (Vec::new(), "");
    for part in shown {
        let bytes = pairs.get(part.start as usize..part.end as usize)?;
        let mut hex = bytes.iter().take(BYTES_IN_A_ROW).copied().collect::<Vec<_>>().join(" ");
        if bytes.len() > BYTES_IN_A_ROW {
            hex.push_str(&format!(" … ({})", text::plural(bytes.len(), "byte")));
        }
        // A field is named once, in front of its first part.
        let field = if part.field == before { "" } else { part.field.as_str() };
        before = &part.field;
        let gap = if width == 0 { "" } else { "  " };
        let meaning = format!("{:<width$}{gap}{}", text::elide(field, FIELD), text::elide(&part.what, 120));
        rows.push(Record { hex, meaning });
    }
    if parts.len() > MOST_ROWS {
        let meaning = format!("and {} more parts", text::number(parts.len() - MOST_ROWS));
        rows.push(Record { hex: "…".to_owned(), meaning });
    }
    Some(rows)
}

/// The length of the first field and what it says. Groups are shown by their tags alone.
fn record(bytes: &[u8]) -> Option<(usize, String)> {
    let (tag, tag_length) = varint(bytes)?;
    let number = tag >> 3;
    let payload = bytes.get(tag_length..)?;
    let (length, what) = match tag & 7 {
        0 => varint(payload).map(|(value, length)| (length, format!("varint {value}")))?,
        1 => (8, "8 fixed bytes".to_owned()),
        5 => (4, "4 fixed bytes".to_owned()),
        2 => {
            let (size, length) = varint(payload)?;
            let size = usize::try_from(size).ok()?;
            let content = payload.get(length..length.checked_add(size)?)?;
            (length + size, delimited(content))
        }
        3 => (0, "group starts".to_owned()),
        4 => (0, "group ends".to_owned()),
        _ => return None,
    };
    payload.get(..length)?;
    Some((tag_length + length, format!("field {number}: {what}")))
}

fn delimited(content: &[u8]) -> String {
    let count = text::plural(content.len(), "byte");
    match std::str::from_utf8(content) {
        Ok(words) if !words.is_empty() && !words.chars().any(text::is_hazard) => {
            format!("{count}, \"{}\"", text::shorten(words, 40))
        }
        _ => count,
    }
}

fn varint(bytes: &[u8]) -> Option<(u64, usize)> {
    let mut value = 0u64;
    for (at, byte) in bytes.iter().take(10).enumerate() {
        value |= u64::from(byte & 0x7f) << (7 * at);
        if byte & 0x80 == 0 {
            return Some((value, at + 1));
        }
    }
    None
}

fn spaced(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().join(" ")
}

/// A suggestion as a diff without a header: lines with ` `, `-` or `+` before them. `None` without the lines it touches.
pub(crate) fn patch(suggestion: &Suggestion) -> Option<String> {
    let context = suggestion.context.as_ref()?;
    Some(diff(&context.text, &edited(suggestion)?))
}

/// The lines that a suggestion touches, with its edits made.
pub(crate) fn edited(suggestion: &Suggestion) -> Option<String> {
    let context = suggestion.context.as_ref()?;
    let mut after = String::new();
    let mut from = 0usize;
    for edit in &suggestion.edits {
        let start = edit.start.checked_sub(context.start)? as usize;
        let end = edit.end.checked_sub(context.start)? as usize;
        after.push_str(context.text.get(from..start)?);
        context.text.get(start..end)?;
        after.push_str(&edit.insert);
        from = end;
    }
    after.push_str(context.text.get(from..)?);
    Some(after)
}

/// Two texts as one, line by line: ` ` for lines of both, `-` for the first, `+` for the second.
pub(crate) fn diff(before: &str, after: &str) -> String {
    let mut out = String::new();
    for change in similar::TextDiff::from_lines(before, after).iter_all_changes() {
        let mark = match change.tag() {
            similar::ChangeTag::Equal => ' ',
            similar::ChangeTag::Delete => '-',
            similar::ChangeTag::Insert => '+',
        };
        out.push(mark);
        out.push_str(change.value().trim_end_matches(['\n', '\r']));
        out.push('\n');
    }
    out
}
