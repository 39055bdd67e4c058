//! The impact of a finding: which of its cells are in force, and who breaks.

use super::{Cell, Finding, Report, since};
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
    let call =
        finding.path.ends_with("()") || ["service-", "method-"].iter().any(|kind| finding.family.starts_with(kind));
    if call { Role::Call } else { Role::Data }
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
    out.sort_by_key(|(cell, _)| &cell.direction);
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

/// Who breaks, one clause a line; what is fine follows in one line.
pub(crate) fn who_breaks(report: &Report, finding: &Finding) -> (Vec<String>, Option<String>) {
    let role = role(finding);
    let (hurt, fine): (Vec<&Cell>, Vec<&Cell>) = cells(report, finding).into_iter().partition(|cell| cell.hurts());
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
        let fine = if fine.is_empty() { None } else { Some(text::list(&fine)) };
        return (hurt, fine);
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
