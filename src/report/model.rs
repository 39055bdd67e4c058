//! The report as the program has it: its words are members of closed vocabularies, and so is what impact is keyed by.
//!
//! A saved report may come from another version, so a word may be one that this version does not know. It stays what it
//! is and is shown as that; whoever decides something by it has to say what an unknown one means. What does not differ from
//! the wire form is declared there.

use serde::{Serialize, Serializer};

use super::v1::{
    self, Again, Evidence, FileDiff, FindingVersion, JudgedBy, Location, ModeVerdict, NotChecked, PeerReport, Problem,
    RoundTrips, Shard, SourceInfo, Stats, Suggestion, Tool, Version, Waiver, Way,
};
use crate::ordered::{InOrder, OrderedMap};
use crate::vocabulary::{
    Class, Direction, Mode, Open, Outcome, ProblemSeverity, ProblemSide, Severity, Surface, UpgradeOrder, Verdict,
};

/// Everything a run found out.
#[derive(Debug, Clone, PartialEq)]
pub struct Report {
    /// Which program wrote it.
    pub tool: Tool,
    /// The answer.
    pub verdict: Open<Verdict>,
    /// The mode in force.
    pub mode: Open<Mode>,
    /// Formats with a mode of their own, where it is another one: format → mode.
    pub modes_by_format: OrderedMap<String, Open<Mode>>,
    /// The surfaces in force.
    pub surfaces: Vec<Open<Surface>>,
    /// The peer whose verdict was asked for, if any.
    pub profile: Option<String>,
    /// Parts that were judged by the configuration another tool has in the repository, and not by the mode.
    pub judged_by: Vec<JudgedBy>,
    /// The configuration that counts, where it was found in a folder below the top of the repository.
    pub configured_by: Option<String>,
    /// The outcome from which on a finding breaks (`--fail-on`).
    pub fail_on: Open<Outcome>,
    /// Arguments beside sources, mode, surfaces and threshold, which it takes to reproduce the report: `--root shop.v1.Order`.
    pub arguments: Vec<String>,
    /// The command that gives the report again.
    pub again: Option<Again>,
    /// The old side.
    pub old: SourceInfo,
    /// The new side.
    pub new: SourceInfo,
    /// The strictest mode under which the change would pass.
    pub strictest_mode: Open<Mode>,
    /// Verdict under each mode, from the loosest to the strictest: mode → whether it passes.
    pub modes: Vec<ModeVerdict>,
    /// The old versions, oldest first, where a transitive mode is in force or there are several.
    pub versions: Vec<Version>,
    /// In which order to upgrade.
    pub upgrade_order: Open<UpgradeOrder>,
    /// What was found, sorted by file, position and rule.
    pub findings: Vec<Finding>,
    /// What is wrong with the inputs.
    pub problems: Vec<Problem>,
    /// What the verdict does not cover.
    pub not_checked: Vec<NotChecked>,
    /// How much was proven by writing and reading.
    pub round_trips: RoundTrips,
    /// Counts.
    pub stats: Stats,
    /// What changed in the text of the schemas that findings speak of, shortened.
    pub diffs: Vec<FileDiff>,
    /// Which part of a larger check this is, with `--shard`.
    pub shard: Option<Shard>,
    /// The way to what is wanted without a break, where readers feel one.
    pub plan: Option<Way>,
}

/// One judged change.
#[derive(Debug, Clone, PartialEq)]
pub struct Finding {
    /// Fingerprint: sixteen hexadecimal digits over what identifies the change, independent of lines, files and wording.
    pub id: String,
    /// The rule, `protobuf/field-reused`.
    pub rule: String,
    /// The rule's one-line title.
    pub title: String,
    /// What ties the same idea together across formats.
    pub family: String,
    /// `protobuf`
    pub format: String,
    /// How much it matters.
    pub severity: Open<Severity>,
    /// Whether the finding breaks under the policy in force.
    pub breaking: bool,
    /// The modes that do not pass for it.
    pub costs: Vec<Open<Mode>>,
    /// Where several old versions were compared: what it means to each, oldest first.
    pub versions: Vec<FindingVersion>,
    /// Full name of the element.
    pub path: String,
    /// What changed.
    pub message: String,
    /// Who breaks, and why.
    pub why: String,
    /// What to do.
    pub fix: String,
    /// What it is judged by.
    pub class: Open<Class>,
    /// What readers experience, by surface and direction; all six cells.
    pub impact: Vec<Cell>,
    /// Where it stands on the old side.
    pub old: Option<Location>,
    /// Where it stands on the new side.
    pub new: Option<Location>,
    /// What peers call the same change: tool → ids.
    pub peers: OrderedMap<String, Vec<String>>,
    /// What peers say of it in their own words, where that is modelled: the ids that count under the profile in force,
    /// or all of them.
    pub peer_reports: Vec<PeerReport>,
    /// What round trips showed.
    pub evidence: Vec<Evidence>,
    /// Text edits that mend what can be mended mechanically.
    pub suggestion: Option<Suggestion>,
    /// The waiver that covers the finding.
    pub waiver: Option<Waiver>,
}

/// A version that is not known.
const NOTHING: &str = "not established";

/// The rule of what could not be seen: its findings do not break, and keep the verdict from being told.
pub const NOT_SEEN: &str = "policy/not-seen";

/// The family of what only another tool would report: no reader feels it, and its cause is told elsewhere.
pub(crate) const OF_ANOTHER_TOOL: &str = "audit-refused";

/// The rule of what history freed and a change takes again.
pub const NUMBER_REUSED: &str = "policy/number-reused";

impl Report {
    /// Whether it could not be told what readers experience in a direction: the mode that asks for it does not pass, and no
    /// finding is why.
    pub(crate) fn is_untold(&self, direction: Direction) -> bool {
        let mode = match direction {
            Direction::Backward => Mode::Backward,
            Direction::Forward => Mode::Forward,
        };
        let is_felt = |cell: &Cell| {
            cell.direction == direction && self.surfaces.contains(&cell.surface) && cell.outcome >= self.fail_on
        };
        let is_why = |finding: &Finding| finding.costs.contains(&mode.into()) || finding.impact.iter().any(is_felt);
        self.modes.iter().any(|rung| rung.mode == mode && !rung.passes) && !self.findings.iter().any(is_why)
    }

    /// A report without an answer: nothing was compared, for one reason.
    pub(crate) fn unanswered(message: &str, help: &str) -> Report {
        let nothing = || SourceInfo { source: NOTHING.to_owned() };
        Report {
            tool: Tool { name: env!("CARGO_PKG_NAME").to_owned(), version: env!("CARGO_PKG_VERSION").to_owned() },
            verdict: Verdict::Unknown.into(),
            mode: Mode::Full.into(),
            modes_by_format: OrderedMap::new(),
            surfaces: vec![Surface::Wire.into()],
            profile: None,
            judged_by: Vec::new(),
            configured_by: None,
            fail_on: Outcome::Lossy.into(),
            arguments: Vec::new(),
            again: None,
            old: nothing(),
            new: nothing(),
            strictest_mode: Mode::None.into(),
            modes: Vec::new(),
            versions: Vec::new(),
            upgrade_order: UpgradeOrder::None.into(),
            findings: Vec::new(),
            problems: vec![Problem::error(message.to_owned(), help.to_owned())],
            not_checked: Vec::new(),
            round_trips: RoundTrips { types: 0, messages: 0, unexplained: 0 },
            stats: Stats::default(),
            diffs: Vec::new(),
            shard: None,
            plan: None,
        }
    }

    /// Whether nothing was compared, so that neither a mode nor versions are known.
    pub(crate) fn is_unanswered(&self) -> bool {
        self.modes.is_empty() && self.old.source == NOTHING && self.new.source == NOTHING
    }

    /// Calls a file of one side by another name, wherever the report speaks of it.
    pub fn call_file(&mut self, side: ProblemSide, path: &str, called: &str) {
        self.call_files(side, |file| (file == path).then(|| called.to_owned()));
        // What is on both sides is told by its name on the new one.
        let is_both = |problem: &&mut Problem| problem.side == Some(ProblemSide::Both.into());
        let files = self.problems.iter_mut().filter(is_both).filter_map(|problem| problem.file.as_mut());
        files.filter(|file| side == ProblemSide::New && *file == path).for_each(|file| called.clone_into(file));
    }

    /// Calls the files of a side otherwise: what a name becomes, where it becomes another one.
    pub fn call_files(&mut self, side: ProblemSide, called: impl Fn(&str) -> Option<String>) {
        let is_old = side == ProblemSide::Old;
        let call = |file: &mut String| {
            if let Some(called) = called(file) {
                *file = called;
            }
        };
        for finding in &mut self.findings {
            let place = if is_old { &mut finding.old } else { &mut finding.new };
            place.iter_mut().for_each(|place| call(&mut place.file));
            if !is_old {
                finding.suggestion.iter_mut().for_each(|suggestion| call(&mut suggestion.file));
                finding.peer_reports.iter_mut().filter_map(|told| told.file.as_mut()).for_each(&call);
            }
        }
        let of_side = self.problems.iter_mut().filter(|problem| problem.side == Some(side.into()));
        of_side.filter_map(|problem| problem.file.as_mut()).for_each(&call);
        let names = self.diffs.iter_mut().map(|diff| if is_old { &mut diff.old } else { &mut diff.new });
        names.flatten().for_each(call);
    }
}

impl Finding {
    /// Where it stands: on the new side, else on the old.
    pub fn place(&self) -> Option<&Location> {
        self.new.as_ref().or(self.old.as_ref())
    }

    /// Whether it is by a rule that is called so: by its id, with its language or without, or by its family.
    pub fn is_by(&self, rule: &str) -> bool {
        self.rule == rule || self.family == rule || self.rule.rsplit('/').next() == Some(rule)
    }

    /// Whether it says that something could not be seen, and nobody has acknowledged that.
    pub fn is_in_doubt(&self) -> bool {
        self.rule == NOT_SEEN && self.severity == Severity::Error && self.waiver.is_none()
    }
}

impl ModeVerdict {
    /// A rung of the ladder, with the first finding for which it does not pass.
    pub(crate) fn of(mode: Open<Mode>, passes: bool, findings: &[Finding]) -> ModeVerdict {
        let costs = findings.iter().find(|finding| finding.costs.contains(&mode));
        ModeVerdict { costs: costs.map(|finding| finding.id.clone()), mode, passes }
    }

    /// The strictest mode that passes, of a ladder from the loosest to the strictest.
    pub(super) fn strictest(ladder: &[ModeVerdict]) -> Open<Mode> {
        ladder.iter().rev().find(|rung| rung.passes).map_or(Mode::None.into(), |rung| rung.mode.clone())
    }
}

impl RoundTrips {
    /// Those of several reports together.
    pub(super) fn of_all<'r>(reports: impl Iterator<Item = &'r Report>) -> RoundTrips {
        let nothing = RoundTrips { types: 0, messages: 0, unexplained: 0 };
        reports.map(|report| &report.round_trips).fold(nothing, |all, one| RoundTrips {
            types: all.types + one.types,
            messages: all.messages + one.messages,
            unexplained: all.unexplained + one.unexplained,
        })
    }
}

/// What readers experience on one surface in one direction.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cell {
    /// Where it is felt.
    pub surface: Open<Surface>,
    /// Who reads whose data.
    pub direction: Open<Direction>,
    /// What they experience.
    pub outcome: Open<Outcome>,
}

impl Problem {
    /// An error that concerns no file.
    pub(crate) fn error(message: String, help: String) -> Problem {
        let severity = ProblemSeverity::Error.into();
        Problem { severity, side: None, file: None, line: None, column: None, text: None, message, help }
    }

    /// The order of problems in a report.
    pub(crate) fn place(&self) -> impl Ord + '_ {
        (&self.file, self.line, self.column, &self.severity, &self.message, &self.side)
    }
}

/// Findings that are brought into their wire form as they are written.
pub(super) struct Written<'r>(&'r [Finding]);

impl Serialize for Written<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter().map(v1::Finding::from))
    }
}

impl<'r> From<&'r Report> for v1::Report<Written<'r>> {
    fn from(from: &'r Report) -> Self {
        v1::Report {
            schema: v1::SCHEMA.to_owned(),
            tool: from.tool.clone(),
            verdict: from.verdict.clone(),
            mode: from.mode.clone(),
            modes_by_format: from.modes_by_format.clone(),
            surfaces: from.surfaces.clone(),
            profile: from.profile.clone(),
            judged_by: from.judged_by.clone(),
            configured_by: from.configured_by.clone(),
            fail_on: from.fail_on.clone(),
            arguments: from.arguments.clone(),
            again: from.again.clone(),
            old: from.old.clone(),
            new: from.new.clone(),
            strictest_mode: from.strictest_mode.clone(),
            modes: from.modes.clone(),
            versions: from.versions.clone(),
            upgrade_order: from.upgrade_order.clone(),
            findings: Written(&from.findings),
            problems: from.problems.clone(),
            not_checked: from.not_checked.clone(),
            round_trips: from.round_trips.clone(),
            stats: from.stats.clone(),
            diffs: from.diffs.clone(),
            shard: from.shard.clone(),
            plan: from.plan.clone(),
        }
    }
}

impl From<v1::Report> for Report {
    fn from(from: v1::Report) -> Self {
        Report {
            tool: from.tool,
            verdict: from.verdict,
            mode: from.mode,
            modes_by_format: from.modes_by_format,
            surfaces: from.surfaces,
            profile: from.profile,
            judged_by: from.judged_by,
            configured_by: from.configured_by,
            fail_on: from.fail_on,
            arguments: from.arguments,
            again: from.again,
            old: from.old,
            new: from.new,
            strictest_mode: from.strictest_mode,
            modes: from.modes,
            versions: from.versions,
            upgrade_order: from.upgrade_order,
            findings: from.findings.into_iter().map(Into::into).collect(),
            problems: from.problems,
            not_checked: from.not_checked,
            round_trips: from.round_trips,
            stats: from.stats,
            diffs: from.diffs,
            shard: from.shard,
            plan: from.plan,
        }
    }
}

impl From<&Finding> for v1::Finding {
    fn from(from: &Finding) -> Self {
        v1::Finding {
            id: from.id.clone(),
            rule: from.rule.clone(),
            title: from.title.clone(),
            family: from.family.clone(),
            format: from.format.clone(),
            severity: from.severity.clone(),
            breaking: from.breaking,
            costs: from.costs.clone(),
            versions: from.versions.clone(),
            path: from.path.clone(),
            message: from.message.clone(),
            why: from.why.clone(),
            fix: from.fix.clone(),
            class: from.class.clone(),
            impact: impact(&from.impact),
            old: from.old.clone(),
            new: from.new.clone(),
            peers: from.peers.clone(),
            peer_reports: from.peer_reports.clone(),
            evidence: from.evidence.clone(),
            suggestion: from.suggestion.clone(),
            waiver: from.waiver.clone(),
        }
    }
}

impl From<v1::Finding> for Finding {
    fn from(from: v1::Finding) -> Self {
        Finding {
            id: from.id,
            rule: from.rule,
            title: from.title,
            family: from.family,
            format: from.format,
            severity: from.severity,
            breaking: from.breaking,
            costs: from.costs,
            versions: from.versions,
            path: from.path,
            message: from.message,
            why: from.why,
            fix: from.fix,
            class: from.class,
            impact: cells(from.impact),
            old: from.old,
            new: from.new,
            peers: from.peers,
            peer_reports: from.peer_reports,
            evidence: from.evidence,
            suggestion: from.suggestion,
            waiver: from.waiver,
        }
    }
}

fn impact(cells: &[Cell]) -> OrderedMap<String, OrderedMap<String, Open<Outcome>>> {
    let mut rows: OrderedMap<String, OrderedMap<String, Open<Outcome>>> = OrderedMap::new();
    for Cell { surface, direction, outcome } in cells {
        rows.entry(surface.to_string()).or_default().insert(direction.to_string(), outcome.clone());
    }
    rows
}

fn cells(rows: OrderedMap<String, OrderedMap<String, Open<Outcome>>>) -> Vec<Cell> {
    let row = |(surface, cells): (String, OrderedMap<String, Open<Outcome>>)| {
        let surface = Open::of_name(&surface);
        let cell = move |(direction, outcome): (String, Open<Outcome>)| Cell {
            surface: surface.clone(),
            direction: Open::of_name(&direction),
            outcome,
        };
        cells.into_iter().map(cell)
    };
    let mut cells: Vec<Cell> = rows.into_iter().flat_map(row).collect();
    cells.sort_in_order();
    cells
}
