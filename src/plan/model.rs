//! What is asked of a plan, what one is made of, and what of a report matters to it.

use crate::change::{Change, Pair};
use crate::formats::{Does, Format};
use crate::report::{Finding, Report};
use crate::snapshot::Snapshot;
use crate::vocabulary::{Class, Mode, Open, ProblemSeverity, StepKind, UpgradeOrder};

/// A comparison, and what its findings speak of.
#[derive(Debug, Clone)]
pub struct Judged {
    /// What was found.
    pub report: Report,
    /// The changes, each with the rule that judges it.
    pub told: Vec<Told>,
}

/// A change and the rule that judges it.
#[derive(Debug, Clone)]
pub struct Told {
    /// The language.
    pub format: Format,
    /// The rule.
    pub rule: String,
    /// What differs.
    pub change: Change,
}

/// What compares two versions.
pub type Judge<'a> = dyn Fn(Pair<&Snapshot>) -> Judged + 'a;

/// What is planned.
pub struct Asked<'a> {
    /// What there is, and what is wanted.
    pub pair: Pair<&'a Snapshot>,
    /// How two versions are compared.
    pub judge: &'a Judge<'a>,
    /// Whether each step has to hold with all versions before it, and not with the last one alone.
    pub reaches_back: bool,
}

/// What came of it.
#[derive(Debug, Clone)]
pub enum Answer {
    /// Nothing breaks, so no plan is needed.
    NotNeeded,
    /// There is a plan, and each step of it holds.
    Plan(Plan),
    /// There is none; why, for each break.
    NoWay(Vec<Refusal>),
    /// The two versions could not be compared: what is wrong.
    CannotTell(Vec<String>),
}

/// A break for which there is no way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// The rule that found it.
    pub rule: String,
    /// What changed.
    pub message: String,
    /// Why there is no way, as a sentence.
    pub why: String,
}

/// The steps from one version to another.
#[derive(Debug, Clone)]
pub struct Plan {
    /// The mode in force, in words.
    pub mode: String,
    /// What breaks without it.
    pub breaks: Vec<Break>,
    /// What to do, in this order.
    pub steps: Vec<Step>,
    /// In what the end differs from what is wanted; nothing where it does not.
    pub differs: Vec<String>,
    /// What else leads there, if anything does.
    pub instead: Option<String>,
}

/// What breaks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Break {
    /// The id of the finding.
    pub id: String,
    /// The rule that found it.
    pub rule: String,
    /// What changed.
    pub message: String,
}

/// A step of a plan.
#[derive(Debug, Clone)]
pub struct Step {
    /// What it is.
    pub kind: StepKind,
    /// What to do, as sentences.
    pub says: Vec<String>,
    /// Who deploys first.
    pub deploy: Option<String>,
    /// What to wait for before the next step, or before this one ends.
    pub waits: Option<String>,
    /// The schema after it, where the step changes it.
    pub schema: Option<Schema>,
}

/// A schema on the way, and what checking it against the one before showed.
#[derive(Debug, Clone)]
pub struct Schema {
    /// All files.
    pub files: Snapshot,
    /// How it differs from the one before: path and lines.
    pub diffs: Vec<(String, String)>,
    /// How it holds.
    pub holds: Holds,
    /// How many messages were written and read to find that out.
    pub messages: usize,
    /// Errors that no reader feels, which the gate reports nevertheless: rule and message.
    pub policy: Vec<(String, String)>,
}

/// How a step holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Holds {
    /// It passes under the mode in force.
    UnderMode,
    /// Not under the mode, and yet nobody breaks if this order is kept.
    InOrder(UpgradeOrder),
}

/// The kind of a step in which something is done.
pub(super) const fn kind_of(does: Does) -> StepKind {
    match does {
        Does::Expand => StepKind::Expand,
        Does::Contract => StepKind::Contract,
    }
}

impl Plan {
    /// Whether each schema passes under the mode, so that no order has to stand in for it.
    pub fn passes_the_gate(&self) -> bool {
        let schemas = self.steps.iter().filter_map(|step| step.schema.as_ref());
        schemas.into_iter().all(|schema| schema.holds == Holds::UnderMode)
    }
}

/// The order that lets nobody break, where there is one and old data may come to an end.
pub(super) fn in_order(asked: &Asked<'_>, report: &Report) -> Option<UpgradeOrder> {
    match report.upgrade_order {
        Open::Known(order @ (UpgradeOrder::ReadersFirst | UpgradeOrder::WritersFirst)) if !asked.reaches_back => {
            Some(order)
        }
        Open::Known(_) | Open::Unknown(_) => None,
    }
}

/// What readers feel, and nobody has accepted.
pub(super) fn felt(report: &Report) -> impl Iterator<Item = &Finding> {
    report.findings.iter().filter(|finding| {
        finding.breaking && finding.waiver.is_none() && finding.class == Open::Known(Class::Compatibility)
    })
}

/// What keeps the versions from being compared.
pub(super) fn errors(report: &Report) -> Vec<String> {
    let errors = report.problems.iter().filter(|problem| problem.severity == ProblemSeverity::Error);
    let place = |file: &Option<String>, line: Option<u32>| match (file, line) {
        (Some(file), Some(line)) => format!("{file}:{line}: "),
        (Some(file), None) => format!("{file}: "),
        (None, _) => String::new(),
    };
    errors.map(|problem| place(&problem.file, problem.line) + &problem.message).collect()
}

/// The mode of a report in words.
pub(super) fn mode(report: &Report) -> String {
    let others: Vec<String> =
        report.modes_by_format.iter().map(|(format, mode)| format!("{format}: {}", mode_name(mode))).collect();
    let own = mode_name(&report.mode);
    if others.is_empty() { own.to_owned() } else { format!("{own} ({})", others.join(", ")) }
}

fn mode_name(mode: &Open<Mode>) -> &str {
    match mode {
        Open::Known(mode) => mode.name(),
        Open::Unknown(word) => word,
    }
}
