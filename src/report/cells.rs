//! The impact of a finding: which of its cells are in force, and who breaks.

use super::{Cell, Finding, OF_ANOTHER_TOOL, Report, since};
use crate::ordered::InOrder;
use crate::text::{self, Role};
use crate::vocabulary::{Class, Direction, Mode, Open, Outcome, POLICY, Severity, Surface};

impl Cell {
    /// Whether somebody notices or should have.
    pub(crate) fn hurts(&self) -> bool {
        self.outcome >= Outcome::Unrecognized
    }
}

/// The cells of a finding that mode and surfaces put in force. Mode `none` forces nothing; its readers still want to
/// know who would break, so both directions count there.
pub(crate) fn cells<'a>(report: &'a Report, finding: &'a Finding) -> Vec<&'a Cell> {
    finding.impact.iter().filter(|cell| in_force(report, finding, cell)).collect()
}

/// The cells not in force in which somebody would lose something.
pub(crate) fn cells_elsewhere<'a>(report: &'a Report, finding: &'a Finding) -> Vec<&'a Cell> {
    // Where nothing was before, there is nobody elsewhere either.
    let is_elsewhere =
        |cell: &&Cell| report.stats.files_old > 0 && !in_force(report, finding, cell) && cell.outcome >= Outcome::Lossy;
    finding.impact.iter().filter(is_elsewhere).collect()
}

/// For each cell not in force the worst that any of the findings says about it.
pub(crate) fn worst_elsewhere<'a>(report: &'a Report, findings: &[&'a Finding]) -> Vec<&'a Cell> {
    let mut worst: Vec<&Cell> = Vec::new();
    for cell in findings.iter().flat_map(|finding| cells_elsewhere(report, finding)) {
        match worst.iter_mut().find(|known| known.surface == cell.surface && known.direction == cell.direction) {
            Some(known) if known.outcome >= cell.outcome => {}
            Some(known) => *known = cell,
            None => worst.push(cell),
        }
    }
    worst
}

/// Cells in few words: `json lossy` where both directions are alike, else `json backward lossy`.
pub(crate) fn cell_names(cells: &[&Cell]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for cell in cells {
        let is_alike = |other: &Cell| other.surface == cell.surface && other.outcome == cell.outcome;
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
    cells(report, finding).into_iter().any(Cell::hurts)
}

/// The directions that a mode puts in force.
fn directions(mode: &Open<Mode>) -> &'static [Direction] {
    match mode {
        Open::Known(mode) => mode.directions(),
        // Rather one line too many than one too few.
        Open::Unknown(_) => Direction::ALL,
    }
}

pub(super) fn in_force(report: &Report, finding: &Finding, cell: &Cell) -> bool {
    let mode = report.modes_by_format.get(&finding.format).unwrap_or(&report.mode);
    // What only earlier versions show counts in transitive modes alone.
    if matches!(mode, Open::Known(mode) if !mode.is_transitive()) && !since::is_of_last(finding) {
        return false;
    }
    let directions = directions(mode);
    report.surfaces.contains(&cell.surface)
        && (directions.is_empty() || directions.iter().any(|direction| cell.direction == *direction))
}

/// Whether a finding is about calls instead of data.
pub(crate) fn role(finding: &Finding) -> Role {
    text::role_of(&finding.family)
}

/// Cells as clauses, surfaces with the same fate together:
/// `new readers of old data lose a value that was written (wire and json: lossy)`.
pub(crate) fn clauses(cells: &[&Cell], role: Role) -> Vec<String> {
    let words = |cell: &Cell, surfaces: &[&str]| {
        let role = text::role_on(&cell.surface, role);
        let (who, what) = (text::who(&cell.direction, role), text::outcome(&cell.outcome, role));
        format!("{who} {what} ({}: {})", text::list(surfaces), cell.outcome)
    };
    together(cells).iter().map(|(cell, surfaces)| words(cell, surfaces)).collect()
}

/// The first cell of each direction and outcome, with all their surfaces.
fn together<'a>(cells: &[&'a Cell]) -> Vec<(&'a Cell, Vec<&'a str>)> {
    let mut out: Vec<(&Cell, Vec<&str>)> = Vec::new();
    for cell in cells {
        let alike = |known: &Cell| {
            known.direction == cell.direction
                && known.outcome == cell.outcome
                && (known.surface == Surface::Source) == (cell.surface == Surface::Source)
        };
        match out.iter_mut().find(|(known, _)| alike(known)) {
            Some((_, surfaces)) => surfaces.push(cell.surface.as_str()),
            None => out.push((cell, vec![cell.surface.as_str()])),
        }
    }
    out.sort_in_order_by_key(|(cell, _)| &cell.direction);
    out
}

/// Whether anybody in a cell in force takes something for what it is not, or takes nothing at all.
fn is_misled(report: &Report, finding: &Finding) -> bool {
    cells(report, finding).iter().any(|cell| cell.outcome >= Outcome::Wrong)
}

/// Whether no rule judged the change, so that nothing is known about who breaks.
pub(crate) fn unclassified(finding: &Finding) -> bool {
    finding.rule.ends_with("/unclassified")
}

/// Why the check fails for what readers in force do not feel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Refusal<'a> {
    /// A guard against the next mistake is missing.
    Guard,
    /// Another tool judges here, and reports it under these ids.
    Tool {
        /// As whom it is judged: `buf/FILE`.
        profile: &'a str,
        /// `buf`
        tool: &'a str,
        /// `FIELD_SAME_NAME`
        ids: Vec<&'a str>,
    },
    /// Its rule is set to an error, or a guard of what lies in it is missing.
    Rule,
}

/// Whether an outcome in force would fail the check by itself.
fn is_felt(report: &Report, finding: &Finding) -> bool {
    let feels = |cell: &Cell| cell.outcome >= report.fail_on && cell.outcome > Outcome::Safe;
    cells(report, finding).into_iter().any(feels)
}

/// Whether a finding is about a missing guard, and what readers in force feel of it would not fail the check.
pub(crate) fn is_guard(report: &Report, finding: &Finding) -> bool {
    finding.class == Class::Hygiene && !is_felt(report, finding)
}

/// Who fails the check for a finding that no reader in force does; nothing where readers do, or where it does not fail.
pub(crate) fn refusal<'a>(report: &'a Report, finding: &'a Finding) -> Option<Refusal<'a>> {
    if !finding.breaking || is_felt(report, finding) {
        return None;
    }
    let in_place = finding.place().map_or("", |place| place.file.as_str());
    let holds = |folder: &str| {
        folder.is_empty() || in_place.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    let configured = report.judged_by.iter().filter(|judged| judged.format == finding.format && holds(&judged.folder));
    let profiles = report.profile.iter().chain(configured.map(|judged| &judged.profile));
    let mut told = profiles.filter_map(|profile| {
        let tool = profile.split('/').next().unwrap_or_default();
        let ids = reported(finding, tool);
        (!ids.is_empty()).then_some(Refusal::Tool { profile, tool, ids })
    });
    let by_class = if finding.class == Class::Hygiene { Refusal::Guard } else { Refusal::Rule };
    Some(told.next().unwrap_or(by_class))
}

/// Whether a finding is a note that only another tool would say something, and nobody here has that tool judge. It is told
/// where everything is.
pub(crate) fn is_aside(report: &Report, finding: &Finding) -> bool {
    let tools = report.profile.iter().chain(report.judged_by.iter().map(|judged| &judged.profile));
    let mut tools = tools.filter_map(|profile| profile.split('/').next());
    finding.family == OF_ANOTHER_TOOL
        && finding.severity == Severity::Note
        && finding.waiver.is_none()
        && !tools.any(|tool| finding.peers.contains_key(tool))
}

/// What a tool calls a change: the ids that count here, where it is known in its own words, else all that it has.
fn reported<'a>(finding: &'a Finding, tool: &str) -> Vec<&'a str> {
    let words = finding.peer_reports.iter().filter(|one| one.tool == tool).map(|one| one.id.as_str());
    let mut ids: Vec<&str> = words.collect();
    if ids.is_empty() {
        ids.extend(finding.peers.get(tool).into_iter().flatten().map(String::as_str));
    }
    ids.sort_in_order();
    ids.dedup();
    ids
}

/// Why the check fails although no reader breaks, in a clause: `buf reports FIELD_SAME_NAME`.
fn refusal_words(refusal: &Refusal<'_>) -> Option<String> {
    match refusal {
        Refusal::Guard => None,
        Refusal::Tool { tool, ids, .. } => Some(format!("{tool} reports {}", text::list(ids))),
        Refusal::Rule => Some("its rule is an error here, whatever readers feel".to_owned()),
    }
}

/// Who breaks, one clause a line; what is fine follows in one line.
pub(crate) fn who_breaks(report: &Report, finding: &Finding) -> (Vec<String>, Option<String>) {
    let role = role(finding);
    let is_hurt = |cell: &&Cell| cell.hurts() || (cell.outcome >= report.fail_on && cell.outcome > Outcome::Safe);
    let (hurt, fine): (Vec<&Cell>, Vec<&Cell>) = cells(report, finding).into_iter().partition(is_hurt);
    let refused = refusal(report, finding).filter(|_| !unclassified(finding)).as_ref().and_then(refusal_words);
    let mut hurt = clauses(&hurt, role);
    let is_shown = finding.evidence.iter().any(|shown| shown.outcome >= Outcome::Wrong && !shown.wrote.is_null());
    if matches!(&finding.class, Open::Known(Class::Hygiene)) && is_misled(report, finding) && !is_shown {
        hurt.insert(0, "no reader, unless what is not expected was written after all: then".to_owned());
    }
    let fine: Vec<String> = together(&fine)
        .iter()
        .map(|(cell, surfaces)| {
            let who = text::who(&cell.direction, text::role_on(&cell.surface, role));
            format!("{who} ({}: {})", text::list(surfaces), cell.outcome)
        })
        .collect();
    if !hurt.is_empty() {
        hurt.extend(refused.map(|words| format!("the check fails because {words}")));
        let fine = if fine.is_empty() { None } else { Some(text::list(&fine)) };
        return (hurt, fine);
    }
    if let Some(words) = refused {
        return (vec![format!("no reader: {words}")], None);
    }
    let nobody = match &finding.class {
        _ if finding.format == POLICY => "no reader: this is about the gate itself",
        _ if unclassified(finding) => "not established: no rule judges this change",
        Open::Known(Class::Hygiene) if finding.severity == Severity::Warning => {
            "no reader: today's bytes are safe, and what it may come to is said under why"
        }
        Open::Known(Class::Hygiene) => {
            "no reader: today's bytes are safe, and a guard against the next mistake is missing"
        }
        Open::Known(Class::Compatibility) | Open::Unknown(_) => "nobody on the surfaces and in the directions in force",
    };
    (vec![nobody.to_owned()], None)
}
