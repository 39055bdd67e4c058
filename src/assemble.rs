//! A decision → the `Report`: places, lines, excerpts, words. Data in, data out; nothing is rendered here and no opinion
//! is formed.

mod diffs;

use std::sync::Arc;

use crate::attach::{Evidence, Finding, SPEC, Standing};
use crate::change::{Change, Edit, LeftOut, Pair, PeerReport, Side, Site, Suggestion};
use crate::evidence::{BytePart, Direction, Encoded, Observation, Outcome, Surface};
use crate::formats::{Checked, Format, LibraryFile, text_part};
use crate::lines::{Lines, Place};
use crate::ordered::{InOrder, OrderedMap, OrderedSet};
use crate::report::{self, Report};
use crate::rules::{Impact, RuleSet};
use crate::safeguards::Safeguards;
use crate::shard::Elsewhere;
use crate::snapshot::Snapshot;
use crate::syntax::problem::{NotChecked, Problem};
use crate::text;
use crate::unseen::Gaps;
use crate::verdict::{Decided, Decision, PeerArea, Policy, Remark};
use crate::vocabulary::{Mode, Open, ProblemSide};
use crate::waive::{Covering, Identified};

/// What a report is made from, beside the opinions.
#[derive(Debug)]
pub struct Input<'a> {
    /// Both sides.
    pub snapshots: Pair<&'a Snapshot>,
    /// Files that only supplied types; problems may lie in them.
    pub library: &'a [LibraryFile],
    /// What each format found out.
    pub checked: &'a [(Format, Checked)],
    /// The opinion.
    pub rules: &'a RuleSet,
    /// What matters to the user.
    pub policy: &'a Policy,
    /// Whether somebody wants to see what changed in the texts.
    pub shows_diffs: bool,
    /// What was read on each side, in words.
    pub labels: Pair<String>,
    /// What else it takes to reproduce the report.
    pub arguments: Vec<String>,
    /// The command that gives the report again.
    pub again: Option<report::Again>,
    /// What is wrong with the run itself, beside what the formats found.
    pub problems: Vec<Problem>,
    /// What the run left out, beside what the formats say.
    pub not_checked: Vec<NotChecked>,
    /// What could not be seen.
    pub unseen: &'a Gaps,
    /// Waivers, and what the change does to the safeguards.
    pub safeguards: &'a Safeguards,
    /// Which part of a divided check this is.
    pub shard: Option<report::Shard>,
}

/// What was decided, and what it was decided about.
#[derive(Debug)]
pub(crate) struct Concluded<'a> {
    /// The findings in their final order.
    pub findings: Vec<Identified<'a>>,
    /// What follows from them.
    pub decision: Decision,
    /// What is wrong, each with its side.
    pub problems: Vec<(Option<Side>, Problem)>,
    /// How many observations nobody accounts for.
    pub unexplained: usize,
    /// How many waivers there are of which nobody can say whether they are needed.
    pub untold: usize,
    /// What other parts of the check answer for.
    pub elsewhere: Elsewhere<'a>,
}

/// The lines of an excerpt.
const EXCERPT_LINES: usize = 6;

/// A problem quotes what is wrong, and that may be a word of a megabyte.
const LONGEST_MESSAGE: usize = 1000;

/// Puts the report together.
pub(crate) fn assemble(input: &Input<'_>, concluded: Concluded<'_>) -> Report {
    let Concluded { findings, decision, problems, unexplained, untold, elsewhere } = concluded;
    let mut files = Files::of(input);
    let problems = problems.iter().map(|(side, problem)| files.problem(*side, problem)).collect();
    let modes = modes(input);
    let mut findings = told(&findings, &decision, &mut files, input);
    let diffs = if input.shows_diffs { diffs::diffs(input.snapshots, &findings) } else { Vec::new() };
    findings.retain(|finding| elsewhere.is_here(finding.place().map(|place| &*place.file)));
    let rung = |(mode, passes): &(Mode, bool)| report::ModeVerdict::of((*mode).into(), *passes, &findings);
    let rungs = decision.modes.iter().map(rung).collect();
    let shard = input.shard.clone().map(|shard| report::Shard { broken: words(&decision.broken), ..shard });
    Report {
        tool: report::Tool { name: env!("CARGO_PKG_NAME").to_owned(), version: env!("CARGO_PKG_VERSION").to_owned() },
        verdict: decision.verdict.into(),
        mode: modes.mode.into(),
        modes_by_format: modes.exceptions,
        surfaces: words(&input.policy.surfaces),
        profile: input.policy.profile.as_ref().filter(|_| !is_profile_idle(input)).map(|profile| profile.name.clone()),
        judged_by: judged_by(input),
        configured_by: None,
        fail_on: input.policy.fail_on.into(),
        arguments: input.arguments.clone(),
        again: input.again.clone(),
        old: report::SourceInfo { source: input.labels.old.clone() },
        new: report::SourceInfo { source: input.labels.new.clone() },
        strictest_mode: decision.strictest.into(),
        modes: rungs,
        versions: Vec::new(),
        upgrade_order: decision.upgrade_order.into(),
        problems: merged(problems),
        not_checked: not_checked(input, untold),
        round_trips: round_trips(input, unexplained),
        stats: stats(input, &elsewhere),
        diffs,
        findings,
        shard,
        plan: None,
    }
}

/// Whether the tool as which to judge judges none of the files.
fn is_profile_idle(input: &Input<'_>) -> bool {
    let judges = |(format, checked): &(Format, Checked)| {
        let is_its = input.policy.profile.as_ref().is_some_and(|profile| profile.of(format.name()).is_some());
        is_its && checked.files != Pair::new(0, 0)
    };
    input.policy.profile.is_some() && !input.checked.iter().any(judges)
}

fn words<T: Copy>(words: &[T]) -> Vec<Open<T>> {
    words.iter().map(|word| Open::Known(*word)).collect()
}

/// The findings of the report: all but those that the configuration turned off.
fn told(
    findings: &[Identified<'_>],
    decision: &Decision,
    files: &mut Files<'_>,
    input: &Input<'_>,
) -> Vec<report::Finding> {
    let all = findings.iter().zip(&decision.decided).zip(&decision.costs);
    let on = all.filter_map(|((one, decided), costs)| Some((one, (*decided)?, costs)));
    on.map(|(one, decided, costs)| {
        let waiver = one.waiver.as_ref().map(waiver_as_reported);
        let finding = files.finding(&one.finding, decided, one.id.clone(), waiver, input.policy);
        report::Finding { costs: words(costs), ..finding }
    })
    .collect()
}

fn waiver_as_reported(covering: &Covering) -> report::Waiver {
    let Covering { waiver, file, is_added } = covering;
    report::Waiver {
        reason: waiver.reason.clone(),
        owner: waiver.owner.clone(),
        until: waiver.until.map(|until| until.to_string()),
        file: file.to_string(),
        line: waiver.line,
        added_here: *is_added,
    }
}

/// The parts that another tool's configuration decides about. One that the new side does not have is told as a problem.
fn judged_by(input: &Input<'_>) -> Vec<report::JudgedBy> {
    let judged = |area: &PeerArea| {
        Some(report::JudgedBy {
            profile: area.peer.name.clone(),
            format: area.peer.format.clone(),
            folder: area.folder.new.clone()?,
            source: area.source.clone(),
        })
    };
    input.policy.areas.iter().filter_map(judged).collect()
}

/// The mode of the report, and formats that differ from it.
struct Modes {
    mode: Mode,
    exceptions: OrderedMap<String, Open<Mode>>,
}

/// If all formats that have files are under one mode, it is that.
fn modes(input: &Input<'_>) -> Modes {
    let has_files = |checked: &Checked| checked.files.old + checked.files.new > 0;
    let present = input.checked.iter().filter(|(_, checked)| has_files(checked)).map(|(format, _)| format.name());
    let in_force: OrderedMap<&str, Mode> = present.map(|format| (format, input.policy.mode_for(format))).collect();
    let mut distinct: Vec<Mode> = in_force.values().copied().collect();
    distinct.dedup();
    let mode = match distinct.as_slice() {
        [only] => *only,
        _ => input.policy.mode,
    };
    let others = in_force.into_iter().filter(|(_, other)| *other != mode);
    Modes { mode, exceptions: others.map(|(format, mode)| (format.to_owned(), mode.into())).collect() }
}

/// Under which ids other tools record the change, in the directions in force.
fn peers(finding: &Finding<'_>, policy: &Policy) -> OrderedMap<String, Vec<String>> {
    let mode = policy.mode_of(finding);
    let mut found: OrderedMap<String, Vec<String>> = OrderedMap::new();
    for peer in finding.judged.peers.iter().filter(|peer| peer.is_recorded) {
        let ids = found.entry(peer.tool.clone()).or_default();
        let counts = peer.direction.is_none_or(|direction| mode.directions().contains(&direction));
        if counts && !ids.contains(&peer.id) {
            ids.push(peer.id.clone());
        }
    }
    found.retain(|_, ids| !ids.is_empty());
    found
}

/// The files that places lie in, with their lines once they are asked for.
struct Files<'a> {
    snapshots: Pair<&'a Snapshot>,
    library: &'a [LibraryFile],
    /// The configuration and the waiver file, which are no schemas.
    of_gate: Pair<&'a Snapshot>,
    lines: OrderedMap<(Side, Arc<str>), Option<Lines<'a>>>,
    /// The new files that edits are suggested for, where they are texts.
    texts: OrderedMap<Arc<str>, Option<(&'a str, Lines<'a>)>>,
}

impl<'a> Files<'a> {
    fn of(input: &Input<'a>) -> Self {
        let of_gate = input.safeguards.files.as_ref();
        let (lines, texts) = (OrderedMap::new(), OrderedMap::new());
        Files { snapshots: input.snapshots, library: input.library, of_gate, lines, texts }
    }

    fn lines(&mut self, side: Side, file: &Arc<str>) -> Option<&Lines<'a>> {
        let (snapshot, library, of_gate) = (*self.snapshots.side(side), self.library, *self.of_gate.side(side));
        let find = || {
            let supplied =
                || library.iter().find(|supplied| *supplied.import_path == **file).map(|supplied| &*supplied.bytes);
            let in_gate = || of_gate.get(file).map(|found| &*found.bytes);
            let bytes = snapshot.get(file).map(|found| &*found.bytes).or_else(supplied).or_else(in_gate)?;
            Some(match text_part(file, bytes) {
                Some(part) => Lines::of_part(bytes, part),
                None => Lines::of(bytes),
            })
        };
        self.lines.entry((side, file.clone())).or_insert_with(find).as_ref()
    }

    fn location(&mut self, side: Side, site: &Site) -> report::Location {
        let file = site.file.to_string();
        let Some(lines) = self.lines(side, &site.file).filter(|lines| lines.hold(site.span)) else {
            return report::Location { file, line: 1, column: 1, end_line: 1, end_column: 1, text: String::new() };
        };
        let (start, end) = lines.ends(site.span);
        let text = match lines.around(site.span, text::BEFORE_IN_LONG_LINE) {
            Some(part) => part,
            None => lines.text(start.line, end.line, EXCERPT_LINES),
        };
        report::Location {
            file,
            line: start.line,
            column: start.column,
            end_line: end.line,
            end_column: end.column,
            text,
        }
    }

    fn problem(&mut self, side: Option<Side>, problem: &Problem) -> report::Problem {
        let place = problem.site.as_ref().map(|site| self.location(side.unwrap_or(Side::New), site));
        let known = place.as_ref().filter(|place| !place.text.is_empty() || place.line > 1);
        report::Problem {
            severity: problem.severity.reported().into(),
            side: side.map(|side| ProblemSide::from(side).into()),
            line: known.map(|place| place.line),
            column: known.map(|place| place.column),
            text: known.and_then(|place| place.text.lines().next().map(str::to_owned)),
            file: place.map(|place| place.file),
            message: text::elide(&problem.message, LONGEST_MESSAGE).into_owned(),
            help: text::elide(&problem.help, LONGEST_MESSAGE).into_owned(),
        }
    }

    /// What a peer says, unless the profile or the configuration in force takes another choice of its rules.
    fn peer_report(&mut self, told: &PeerReport, policy: &Policy) -> Option<report::PeerReport> {
        if !policy.counts_report(told) {
            return None;
        }
        let site = told.at.new.as_ref();
        let ends = site.and_then(|site| {
            let lines = self.lines(Side::New, &site.file).filter(|lines| lines.hold(site.span))?;
            Some((lines.shown_place(site.span.start), lines.shown_place(site.span.end)))
        });
        let (start, end) = ends.unwrap_or((Place { line: 1, column: 1 }, Place { line: 1, column: 1 }));
        Some(report::PeerReport {
            tool: told.tool.to_owned(),
            id: told.id.to_owned(),
            file: site.map(|site| site.file.to_string()),
            line: start.line,
            column: start.column,
            end_line: end.line,
            end_column: end.column,
            message: told.message.clone(),
            direction: told.direction.map(Into::into),
            pointer: told.pointer.clone(),
        })
    }

    /// Edits count in the bytes of a file, so there are none of a file whose text was written in another encoding.
    fn suggestion(&mut self, suggestion: &Suggestion) -> Option<report::Suggestion> {
        if self.snapshots.new.is_rewritten(&suggestion.file) {
            return None;
        }
        let edit =
            |edit: &Edit| report::Edit { start: edit.span.start, end: edit.span.end, insert: edit.insert.clone() };
        let edits: Vec<report::Edit> = suggestion.edits.iter().map(edit).collect();
        let snapshot = self.snapshots.new;
        let text = || {
            let bytes = &*snapshot.get(&suggestion.file)?.bytes;
            std::str::from_utf8(bytes).ok().map(|text| (text, Lines::of(bytes)))
        };
        let text = self.texts.entry(suggestion.file.clone()).or_insert_with(text).as_ref();
        let context = text.and_then(|(text, lines)| {
            let line = |start: usize| lines.place(u32::try_from(start).unwrap_or(u32::MAX)).line;
            report::PatchContext::cut_in(text, &edits, line)
        });
        Some(report::Suggestion { file: suggestion.file.to_string(), edits, context })
    }

    fn finding(
        &mut self,
        finding: &Finding<'_>,
        decided: Decided,
        id: String,
        waiver: Option<report::Waiver>,
        policy: &Policy,
    ) -> report::Finding {
        let judged = &finding.judged;
        let Change { path, at, suggestion, heading, .. } = judged.change;
        let heading = |side: Side| heading.as_ref().filter(|heading| heading.side == side).map(|heading| &heading.at);
        let mut locate =
            |side: Side| at.side(side).as_ref().or_else(|| heading(side)).map(|site| self.location(side, site));
        report::Finding {
            id,
            rule: judged.rule.id.clone(),
            title: judged.rule.title.clone(),
            family: judged.rule.family.clone(),
            format: judged.format.to_owned(),
            severity: decided.severity.into(),
            breaking: decided.breaking,
            costs: Vec::new(),
            versions: Vec::new(),
            path: path.clone(),
            message: judged.message().text,
            why: why(finding, policy),
            fix: judged.fix().text,
            class: judged.rule.class.into(),
            impact: impact(&judged.impact),
            old: locate(Side::Old),
            new: locate(Side::New),
            peers: peers(finding, policy),
            peer_reports: judged.change.reports.iter().filter_map(|told| self.peer_report(told, policy)).collect(),
            evidence: finding.evidence.iter().map(evidence).collect(),
            suggestion: suggestion.as_ref().and_then(|suggestion| self.suggestion(suggestion)),
            waiver,
        }
    }
}

fn why(finding: &Finding<'_>, policy: &Policy) -> String {
    let why = with_reasons(finding.judged.why().text, finding.judged.reasons(), finding.judged.change.left_out);
    let why = match &finding.judged.change.heading {
        Some(heading) => format!(
            "{why}\nIts own lines did not change: on the {} side they stand under `{}`.",
            heading.side, heading.name
        ),
        None => why,
    };
    let raised = policy.raised_with(finding).into_iter();
    let raised =
        raised.map(|(rule, chosen)| format!("The configuration sets {rule}, which is part of this, to `{chosen}`."));
    let why = [why].into_iter().chain(raised).collect::<Vec<_>>().join("\n");
    match policy.remark(finding) {
        Some(Remark::Ignored { tool, source }) => {
            return format!("{why}\n{tool} ignores this place ({source}): the finding is a note.");
        }
        Some(Remark::LetThrough { tool, source }) => {
            return format!(
                "{why}\n{tool} lets this through (no rule of {source} covers it): the finding is a warning."
            );
        }
        None => {}
    }
    match finding.standing {
        Standing::Stands => why,
        Standing::NotShown => {
            // Where another tool judges, that is no reason to let it through.
            let is_note = !policy.is_judged_as_another(finding.judged.format);
            let so = if is_note { ": the finding is a note" } else { "" };
            format!("{why}\nThis depends on the data, and no synthetic message showed it{so}.")
        }
    }
}

/// What is inside of the types that took each other's place, a line for each.
fn with_reasons(why: String, (reasons, more): (Vec<String>, usize), left_out: LeftOut) -> String {
    let named = reasons.into_iter().map(|reason| format!("- {reason}"));
    let others = match (more, left_out.alike) {
        (0, false) => None,
        (0, true) => Some("- and others like these".to_owned()),
        (more, false) => Some(format!("- and {more} more")),
        (more, true) => Some(format!("- and {more} more, and others like these")),
    };
    [why].into_iter().chain(named).chain(others).collect::<Vec<_>>().join("\n")
}

fn impact(impact: &Impact<Outcome>) -> Vec<report::Cell> {
    let cell = |(surface, direction, outcome): (Surface, Direction, &Outcome)| report::Cell {
        surface: surface.into(),
        direction: direction.into(),
        outcome: (*outcome).into(),
    };
    impact.iter().map(cell).collect()
}

fn evidence(evidence: &Evidence<'_>) -> report::Evidence {
    let seen = evidence.observation;
    report::Evidence {
        runtime: seen.map_or(SPEC, |seen| seen.runtime).to_owned(),
        surface: evidence.surface.into(),
        direction: evidence.direction.into(),
        outcome: evidence.outcome.into(),
        status: evidence.status.into(),
        type_name: seen.map_or_else(String::new, |seen| seen.witness.type_name.clone()),
        writer: seen.map_or_else(String::new, |seen| seen.witness.writer().to_owned()),
        reader: seen.map_or_else(String::new, |seen| seen.witness.reader().to_owned()),
        wrapper: seen.map_or_else(String::new, |seen| seen.witness.wrapper.to_owned()),
        wrote: seen.map_or_else(Arc::default, |seen| seen.witness.wrote.clone()),
        bytes: seen.map_or_else(String::new, witness_bytes),
        read: seen.map_or_else(Arc::default, |seen| seen.witness.read.clone()),
        written_parts: seen.map_or_else(Vec::new, |seen| byte_parts(&seen.witness.written_parts)),
        read_parts: seen.map_or_else(Vec::new, |seen| byte_parts(&seen.witness.read_parts)),
        encoded: seen.map_or_else(Vec::new, |seen| seen.witness.encoded.iter().map(encoded).collect()),
    }
}

/// Of longer encodings no bytes are shown.
const LONGEST_ENCODED: usize = 512;

fn encoded(encoded: &Encoded) -> report::Encoded {
    let bytes = encoded.written.as_deref().unwrap_or_default();
    let shown = if bytes.len() <= LONGEST_ENCODED { bytes } else { &[] };
    report::Encoded {
        encoding: encoded.encoding.to_owned(),
        length: encoded.written.as_ref().ok().map(|bytes| u32::try_from(bytes.len()).unwrap_or(u32::MAX)),
        bytes: text::hexadecimal(shown),
        refused: encoded.written.as_ref().err().cloned().unwrap_or_default(),
    }
}

fn byte_parts(parts: &[BytePart]) -> Vec<report::BytePart> {
    let number = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
    let part = |part: &BytePart| report::BytePart {
        start: number(part.start),
        end: number(part.end),
        field: part.field.clone(),
        what: part.what.clone(),
    };
    parts.iter().map(part).collect()
}

/// Hexadecimal on the wire, the text itself in JSON.
pub(crate) fn witness_bytes(seen: &Observation) -> String {
    let bytes = &seen.witness.bytes;
    match seen.surface {
        Surface::Json => String::from_utf8_lossy(bytes).into_owned(),
        Surface::Wire | Surface::Source => text::hexadecimal(bytes),
    }
}

/// Sorted; what both sides have in common is said once.
fn merged(problems: Vec<report::Problem>) -> Vec<report::Problem> {
    let mut sides: OrderedMap<report::Problem, OrderedSet<Option<Open<ProblemSide>>>> = OrderedMap::new();
    for mut problem in problems {
        let side = problem.side.take();
        sides.entry(problem).or_default().insert(side);
    }
    let mut merged: Vec<report::Problem> = Vec::new();
    for (problem, mut sides) in sides {
        let both = [ProblemSide::Old, ProblemSide::New].map(|side| Some(side.into()));
        if both.iter().all(|side| sides.contains(side)) {
            sides = OrderedSet::from([Some(ProblemSide::Both.into())]);
        }
        merged.extend(sides.into_iter().map(|side| report::Problem { side, ..problem.clone() }));
    }
    merged.sort_in_order_by(|one, other| one.place().cmp(&other.place()));
    merged
}

fn not_checked(input: &Input<'_>, untold: usize) -> Vec<report::NotChecked> {
    let by_formats = input.checked.iter().flat_map(|(_, checked)| &checked.not_checked);
    let gaps = by_formats.chain(&input.not_checked).map(|gap| report::NotChecked {
        file: gap.file.clone(),
        what: gap.what.clone(),
        help: gap.help.clone(),
    });
    let left_out = input
        .checked
        .iter()
        .flat_map(|(_, checked)| &checked.observed.left_out)
        .map(|what| report::NotChecked { file: String::new(), what: what.clone(), help: String::new() });
    let waivers = (untold > 0).then(|| report::NotChecked {
        file: input.safeguards.waivers.path.to_string(),
        what: format!(
            "whether waivers that match nothing here ({untold}) are still needed: not everything was compared"
        ),
        help: "check everything, without paths, --root and --type, and with nothing wrong in the input".to_owned(),
    });
    let idle = input.policy.profile.as_ref().filter(|_| is_profile_idle(input)).map(|profile| report::NotChecked {
        file: format!("--profile {}", profile.name),
        what: "it judges none of these files: they are judged as without it".to_owned(),
        help: "leave it out, or name the profile of a tool for this format".to_owned(),
    });
    let unique: OrderedSet<report::NotChecked> = gaps.chain(left_out).chain(waivers).chain(idle).collect();
    unique.into_iter().collect()
}

fn round_trips(input: &Input<'_>, unexplained: usize) -> report::RoundTrips {
    let observed = || input.checked.iter().map(|(_, checked)| &checked.observed);
    report::RoundTrips {
        types: observed().map(|observed| observed.types).sum(),
        messages: observed().map(|observed| observed.messages).sum(),
        unexplained,
    }
}

fn stats(input: &Input<'_>, elsewhere: &Elsewhere<'_>) -> report::Stats {
    let sum = |count: fn(&Checked) -> usize| input.checked.iter().map(|(_, checked)| count(checked)).sum();
    report::Stats {
        files_old: sum(|checked| checked.files.old),
        files_new: sum(|checked| checked.files.new),
        files_parsed: sum(|checked| checked.files_parsed),
        changes: input
            .checked
            .iter()
            .flat_map(|(_, checked)| &checked.changes)
            .filter(|change| elsewhere.is_changed_here(change))
            .count(),
        excluded: None,
    }
}
