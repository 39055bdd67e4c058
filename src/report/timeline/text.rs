//! The timeline for a terminal.

use super::super::text::TextStyle;
use super::{Entered, Reads, Step, Timeline};
use crate::text::{number, plural, shorten, visible};
use crate::vocabulary::Direction;

/// Breaks that are listed, and changes of each.
const MOST: usize = 30;
const MOST_CHANGES: usize = 6;

/// What is printed: the versions, the matrix, the breaks, and the numbers that were freed.
pub fn render(timeline: &Timeline, style: &TextStyle, is_verbose: bool) -> String {
    let mut out = headline(timeline);
    out.push_str(&matrix(timeline, style));
    out.push_str(&steps(timeline, style, if is_verbose { usize::MAX } else { MOST }));
    out.push_str(&freed(timeline, if is_verbose { usize::MAX } else { MOST }));
    for gap in &timeline.not_checked {
        let file = if gap.file.is_empty() { String::new() } else { format!("{}: ", visible(&gap.file)) };
        out.push_str(&format!("not checked: {file}{}\n", visible(&gap.what)));
        if !gap.help.is_empty() {
            out.push_str(&format!("             {}\n", visible(&gap.help)));
        }
    }
    out
}

/// Line 1: what was looked at and what came of it.
pub(super) fn headline(timeline: &Timeline) -> String {
    let (first, last) = (timeline.versions.first(), timeline.versions.last());
    let days = match (first.map(|one| one.day.as_str()), last.map(|one| one.day.as_str())) {
        (Some(first), Some(last)) if !first.is_empty() && !last.is_empty() => format!(", {first} to {last}"),
        _ => String::new(),
    };
    let breaks = timeline.breaks().len();
    let unknown = match timeline.unknown() {
        0 => String::new(),
        count => format!(", {} could not be told", plural(count, "step")),
    };
    let about = timeline.element.as_ref().map_or(String::new(), |element| format!("`{}` in ", visible(element)));
    let apart = timeline.matrix.cells.iter().flatten().filter(|reads| **reads == Reads::Breaking).count();
    let broke = match (breaks, apart) {
        (0, 0) => "no break".to_owned(),
        (0, 1) => "no break between neighbours, but 1 of the versions below cannot read another".to_owned(),
        (0, apart) => {
            format!("no break between neighbours, but {} below cannot read each other", plural(apart, "pair"))
        }
        (breaks, _) => plural(breaks, "break"),
    };
    let (subject, count) = (visible(&timeline.subject), plural(timeline.versions.len(), "version"));
    format!("history of {about}{subject}: {count}{days}, {broke}{unknown}\n")
}

fn matrix(timeline: &Timeline, style: &TextStyle) -> String {
    let shown = &timeline.matrix.versions;
    if shown.len() < 2 {
        return String::new();
    }
    let mut out = format!("\nwho can read whom: a row for each reader, a column for each writer\n\n{:>34}", "");
    (1..=shown.len()).for_each(|column| out.push_str(&format!("{column:>3}")));
    out.push('\n');
    for (row, (at, cells)) in shown.iter().zip(&timeline.matrix.cells).enumerate() {
        let version = &timeline.versions[*at];
        let name = format!("{} {}", visible(&version.name), version.day);
        out.push_str(&format!("{:>3} {:<30}", row + 1, shorten(&name, 29)));
        for (column, cell) in cells.iter().enumerate() {
            let mark = match cell {
                _ if row == column => style.mark(None, "  ·"),
                Reads::Compatible => style.mark(Some(true), "  ✓"),
                Reads::Breaking => style.mark(Some(false), "  ✗"),
                Reads::Unknown => "  ?".to_owned(),
            };
            out.push_str(&mark);
        }
        out.push('\n');
    }
    out
}

fn steps(timeline: &Timeline, style: &TextStyle, most: usize) -> String {
    let told: Vec<&Step> = match timeline.element {
        Some(_) => timeline.steps.iter().rev().filter(|step| !step.changes.is_empty()).collect(),
        None => timeline.breaks(),
    };
    if told.is_empty() {
        return String::new();
    }
    let title = if timeline.element.is_some() { "what happened to it, newest first" } else { "breaks, newest first" };
    let mut out = format!("\n{title}\n");
    for step in told.iter().take(most) {
        let version = &timeline.versions[step.versions[1]];
        let subject = shorten(&version.subject, 72);
        out.push_str(&format!("\n  {} {} {}\n", visible(&version.name), version.day, visible(&subject)));
        for change in step.changes.iter().take(if most == usize::MAX { most } else { MOST_CHANGES }) {
            out.push_str(&format!("    {}\n", line(change, style)));
        }
        let left = step.changes.len().saturating_sub(MOST_CHANGES);
        if left > 0 && most != usize::MAX {
            out.push_str(&format!("    and {} more; `-v` shows all\n", number(left)));
        }
    }
    if told.len() > most {
        out.push_str(&format!("\n  and {} earlier; `-v` shows all\n", number(told.len() - most)));
    }
    out
}

fn line(change: &Entered, style: &TextStyle) -> String {
    let whom: Vec<&str> = change.breaks.iter().map(|direction| direction.name()).collect();
    let mark = if whom.is_empty() { "  ".to_owned() } else { style.mark(Some(false), "✗ ") };
    let whom = if whom.is_empty() { String::new() } else { format!(" ({})", whom.join(", ")) };
    let place = change.place.as_ref().map_or(String::new(), |(file, line)| format!("  {}:{line}", visible(file)));
    format!("{mark}{}{whom} [{}]{place}", visible(&change.message), change.rule)
}

fn freed(timeline: &Timeline, most: usize) -> String {
    if timeline.freed.is_empty() {
        return String::new();
    }
    let mut out = "\nnumbers that something had once\n\n".to_owned();
    for one in timeline.freed.iter().take(most) {
        let owners: Vec<String> = one
            .owners
            .iter()
            .map(|owner| format!("{} until {}", visible(&owner.name), visible(&owner.until)))
            .collect();
        let now = if one.now.is_empty() { "free".to_owned() } else { format!("now {}", visible(&one.now)) };
        let (element, role) = (visible(&one.element), &one.role);
        out.push_str(&format!("  {element} {role} {}: {}; {now}\n", visible(&one.number), owners.join(", ")));
    }
    if timeline.freed.len() > most {
        out.push_str(&format!("  and {} more; `-v` shows all\n", number(timeline.freed.len() - most)));
    }
    out
}

/// The words for a direction, for people.
pub(super) fn whom(directions: &[Direction]) -> String {
    let words = directions.iter().map(|direction| match direction {
        Direction::Backward => "new readers of old data",
        Direction::Forward => "old readers of new data",
    });
    words.collect::<Vec<_>>().join(", ")
}
