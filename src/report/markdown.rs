//! The report as GitHub-flavoured Markdown, for the pull-request comment and the job summary.
//!
//! Whatever comes from a schema, a path or a source may have been written by a stranger in a fork: it is put into code
//! spans or escaped, so that it is no markup, mentions nobody and links nowhere. The result stays below the size a
//! comment may have; what had to be left out is said, with the way to see it.

mod card;
pub(crate) mod markup;

use super::links::Links;
use super::overview::{self, Entry, Weight, entries};
use super::remark::{self, Level};
use super::troubles::{self, Trouble};
use super::{Cell, FileDiff, Finding, Report, WayStep, cells, command, findings, since, summary};
use crate::ordered::OrderedSet;
use crate::text;
use crate::vocabulary::Severity;
use card::{PLACES, place};
use markup::{clip, code, details, fenced, html, prose};

/// GitHub refuses a comment of more than 65,536 characters; the marker and the frame of the poster need room too.
const LIMIT: usize = 60_000;

/// One step of the size ladder: the first that fits is taken.
#[derive(Clone, Copy)]
struct Rung {
    /// Entries with a line of their own; the rest is counted.
    lines: usize,
    /// Characters of one text.
    cell: usize,
    /// Entries with a card: why, the bytes, what to do.
    cards: usize,
    /// Whether the notes are told; else they are counted.
    notes: bool,
    /// Problems, gaps, waivers and commands listed.
    gaps: usize,
    /// Lines of the schemas' difference: the first thing to go, because the pull request shows it anyway.
    diff: usize,
}

const LADDER: [Rung; 9] = [
    Rung { lines: 100, cell: 1000, cards: usize::MAX, notes: true, gaps: usize::MAX, diff: usize::MAX },
    Rung { lines: 100, cell: 1000, cards: usize::MAX, notes: true, gaps: usize::MAX, diff: 200 },
    Rung { lines: 100, cell: 1000, cards: usize::MAX, notes: true, gaps: 100, diff: 0 },
    Rung { lines: 100, cell: 800, cards: 20, notes: true, gaps: 50, diff: 0 },
    Rung { lines: 100, cell: 600, cards: 10, notes: true, gaps: 20, diff: 0 },
    Rung { lines: 60, cell: 400, cards: 3, notes: true, gaps: 20, diff: 0 },
    Rung { lines: 60, cell: 300, cards: 1, notes: false, gaps: 10, diff: 0 },
    Rung { lines: 30, cell: 200, cards: 1, notes: false, gaps: 5, diff: 0 },
    Rung { lines: 10, cell: 60, cards: 0, notes: false, gaps: 2, diff: 0 },
];

/// So many kinds of problems are told.
const MOST_PROBLEMS: usize = 12;
/// So few entries above notes have their cards open.
const FEW: usize = 3;
/// The report as Markdown, at most 60,000 bytes, with a final line feed.
pub fn render(report: &Report, links: &Links) -> String {
    let entries = entries(report);
    let on = |rung: &Rung| on_rung(report, &entries, links, rung);
    LADDER.iter().map(on).find(|out| out.len() <= LIMIT).unwrap_or_else(|| least(report))
}

fn on_rung(report: &Report, entries: &[Entry<'_>], links: &Links, rung: &Rung) -> String {
    let above = entries.iter().take_while(|entry| entry.weight != Weight::Note).count();
    let (grave, notes) = entries.split_at(above);
    let mut left_out = Vec::new();
    let mut blocks = vec![head(report)];
    let troubles = troubles::troubles(report);
    let (errors, warnings): (Vec<&Trouble<'_>>, Vec<&Trouble<'_>>) = troubles.iter().partition(|one| one.is_error());
    // What keeps the verdict from being told is never folded, and stands before what it may be the reason of.
    blocks.extend(problems(&errors, rung, &mut left_out));
    blocks.extend(list(report, grave, links, rung, &mut left_out));
    blocks.extend(cards(report, grave, links, rung, &mut left_out));
    blocks.extend(note_list(report, notes, links, rung, &mut left_out));
    blocks.extend(problems(&warnings, rung, &mut left_out));
    blocks.extend(waived(report, rung, &mut left_out));
    blocks.extend(way(report, rung));
    blocks.extend(ladder(report));
    blocks.extend(schema_diff(report, rung, &mut left_out));
    blocks.extend(commands(report, entries, rung, &mut left_out));
    blocks.extend(not_checked(report, rung, &mut left_out));
    if !left_out.is_empty() {
        let whole = links.run.as_ref().map(|run| format!("the [job]({run}) shows it, and so do ")).unwrap_or_default();
        blocks.push(format!(
            "> [!NOTE]\n> Shortened to fit into a comment: {}. The complete report: {whole}`--output json=PATH` and `--format text -v`.",
            text::list(&left_out)
        ));
    }
    blocks.push(foot(report));
    let mut out = blocks.join("\n\n");
    out.push('\n');
    out
}

/// When even the last rung does not fit, the verdict still does.
pub(crate) fn least(report: &Report) -> String {
    let words = "> [!NOTE]\n> The report is too long for a comment. The complete report: `--output json=PATH`, or `--format text -v`.";
    format!("{}\n\n{words}\n", head(report))
}

/// Line 1: verdict, mode, what was compared. Line 2: upgrade order and rollback.
fn head(report: &Report) -> String {
    let mark = match summary::is_of_gate(report) {
        true => mark(Weight::Policy),
        false => remark::mark(&report.verdict),
    };
    let mut line = vec![format!("**{mark} {}**", prose(&summary::verdict(report), 200))];
    if !report.is_unanswered() {
        line.push(format!("mode **{}**", prose(&summary::mode(report), 60)));
        line.push(format!("{} against {}", code(&report.new.source, 120), code(&since::old_side(report), 120)));
    }
    line.extend(summary::terms(report).iter().map(|term| prose(term, 120)));
    let line = line.join(" · ");
    if summary::is_calm(report) {
        return line;
    }
    let (order, rollback) = summary::order_and_rollback(report);
    format!("{line}\n\n**Upgrade order:** {order}. **Rollback:** {rollback}.")
}

/// The sign of a weight.
fn mark(weight: Weight) -> &'static str {
    match weight {
        Weight::Wrong | Weight::Fails | Weight::Lossy | Weight::Breaks | Weight::Error => "⛔",
        Weight::Refused | Weight::Policy | Weight::Guard => "🛡️",
        Weight::NotSeen => "❔",
        Weight::Warning | Weight::Unknown => "⚠️",
        Weight::Note => "•",
    }
}

/// The sign of a finding, whether or not it is waived.
pub(crate) fn mark_of_finding(report: &Report, finding: &Finding) -> &'static str {
    mark(Weight::of(report, finding))
}

/// The sign of a level of a problem.
fn mark_of(level: Level) -> &'static str {
    match level {
        Level::Error => "⛔",
        Level::Warning | Level::Note => "⚠️",
    }
}

/// A line for each finding, or for several alike.
fn list(
    report: &Report,
    entries: &[Entry<'_>],
    links: &Links,
    rung: &Rung,
    left_out: &mut Vec<String>,
) -> Option<String> {
    let mut lines: Vec<String> =
        entries.iter().take(rung.lines).map(|entry| line(report, entry, links, rung)).collect();
    let rest: usize = entries.iter().skip(rung.lines).map(|entry| entry.findings.len()).sum();
    if rest > 0 {
        lines.push(format!("- and {} more", text::number(rest)));
        left_out.push(format!("{} have no line of their own", text::plural(rest, "finding")));
    }
    (!lines.is_empty()).then(|| lines.join("\n"))
}

/// What an entry weighs, what happened, where, and the rule.
fn line(report: &Report, entry: &Entry<'_>, links: &Links, rung: &Rung) -> String {
    let rule = links.rule(entry.rule).map_or_else(
        || code(entry.rule, rung.cell.min(100)),
        |page| format!("[{}]({page})", code(entry.rule, rung.cell.min(100))),
    );
    let words = match entry.findings.as_slice() {
        [only] => {
            let place = place(only, links).map(|place| format!(" — {place}")).unwrap_or_default();
            format!("{}{place}", prose(&only.message, rung.cell.min(300)))
        }
        several => {
            let title = several.first().map_or("", |finding| finding.title.trim());
            let one = |(finding, apart): (&&Finding, Option<&str>)| {
                let place = place(finding, links).map(|place| format!(" ({place})")).unwrap_or_default();
                let apart = apart.map(|apart| format!(" {}", prose(apart, 60))).unwrap_or_default();
                format!("{}{apart}{place}", code(&finding.path, rung.cell.min(100)))
            };
            let shown = &several[..PLACES.min(several.len())];
            let mut named: Vec<String> = shown.iter().zip(overview::told_apart(shown)).map(one).collect();
            if several.len() > PLACES {
                named.push(format!("{} more", text::number(several.len() - PLACES)));
            }
            let count = text::number(several.len());
            format!("**×{count}** {}: {}", prose(title, rung.cell.min(200)), text::list(&named))
        }
    };
    let elsewhere = match entry.weight.is_break() {
        true => String::new(),
        false => not_in_force(&cells::worst_elsewhere(report, &entry.findings)),
    };
    let weight = match entry.weight {
        Weight::Note => String::new(),
        weight => format!("{} **{}** ", mark(weight), weight.word()),
    };
    let copies = overview::in_copies(entry, PLACES);
    let copies = if copies.is_empty() { copies } else { format!("; {}", prose(&copies, rung.cell.min(300))) };
    format!("- {weight}{words}{copies} <sub>{rule}</sub>{elsewhere}")
}

fn not_in_force(cells: &[&Cell]) -> String {
    match cells {
        [] => String::new(),
        cells => format!("; not in force: {}", prose(&cells::cell_names(cells).join(", "), 200)),
    }
}

/// Why, the bytes, and what to do: of a few findings at once, of many the first is open and the others are folded.
fn cards(
    report: &Report,
    entries: &[Entry<'_>],
    links: &Links,
    rung: &Rung,
    left_out: &mut Vec<String>,
) -> Vec<String> {
    if entries.len() > rung.cards {
        left_out.push(format!("the details of {}", text::plural(entries.len() - rung.cards, "entry")));
    }
    let is_few = entries.len() <= FEW;
    let mut told = OrderedSet::new();
    let mut blocks = Vec::new();
    let mut folded = Vec::new();
    for (at, entry) in entries.iter().take(rung.cards).enumerate() {
        let finding = entry.findings[0];
        let title = format!(
            "{} <b>{}</b> <code>{}</code>",
            mark(entry.weight),
            entry.weight.word(),
            html(&finding.path, rung.cell.min(200))
        );
        let body = card::body(report, entry, links, rung.cell, &mut told);
        match is_few || at == 0 {
            true => blocks.push(format!("<details open>\n<summary>{title}</summary>\n\n{body}\n\n</details>")),
            false => folded.push(details(&title, &body)),
        }
    }
    if !folded.is_empty() {
        let title = format!("Why, the bytes and what to do, for the other {}", text::number(folded.len()));
        blocks.push(details(&title, &folded.join("\n\n")));
    }
    blocks
}

/// What the mode demands, and whether each would pass.
fn ladder(report: &Report) -> Vec<String> {
    if report.modes.is_empty() || !summary::is_told(report) || summary::is_calm(report) {
        return vec![];
    }
    let has_versions = !report.versions.is_empty();
    let (title, rule) = if has_versions { (" First finding |", " --- |") } else { ("", "") };
    let mut lines = vec![format!("| Mode | Demands | Passes |{title}"), format!("| --- | --- | --- |{rule}")];
    for rung in report.modes.iter().take(20) {
        let mark = if rung.passes { "✅ yes" } else { "⛔ no" };
        let costs = match &rung.costs {
            Some(id) if has_versions => format!(" {} |", code(id, 40)),
            None if has_versions => " |".to_owned(),
            Some(_) | None => String::new(),
        };
        let demand = text::mode_sentence(&rung.mode);
        lines.push(format!("| {} | {demand} | {mark} |{costs}", code(rung.mode.as_str(), 40)));
    }
    let versions = since::versions(report);
    if !versions.is_empty() {
        lines.push(String::new());
        lines.extend(versions.iter().map(|line| format!("- {}", prose(line, 600))));
    }
    if !findings::waived(report).is_empty() {
        lines.push("\nWhat is waived is left out here; upgrade order and rollback count it.".to_owned());
    }
    let demands = summary::demands(report);
    if demands.len() > 1 || !report.judged_by.is_empty() {
        lines.push(format!("\n{}.", demands.iter().map(|demand| prose(demand, 300)).collect::<Vec<_>>().join(". ")));
    }
    let title = format!("Mode ladder: {}", html(&summary::strictest(report).replace('`', ""), 80));
    vec![details(&title, &lines.join("\n"))]
}

/// What somebody has acknowledged: who, until when, why, and where that is written.
fn waived(report: &Report, rung: &Rung, left_out: &mut Vec<String>) -> Vec<String> {
    let findings = findings::waived(report);
    if findings.is_empty() {
        return vec![];
    }
    let mut lines = vec!["| Change | Waived | Entry |".to_owned(), "| --- | --- | --- |".to_owned()];
    for finding in findings.iter().take(rung.gaps) {
        let Some(waiver) = &finding.waiver else { continue };
        let change = format!(
            "{} {}<br>{}<br>{}",
            prose(finding.severity.as_str(), 20),
            code(&finding.path, rung.cell.min(200)),
            code(&finding.rule, rung.cell.min(100)),
            prose(&finding.message, rung.cell)
        );
        let (words, place) = (findings::waiver(waiver, rung.cell), findings::waiver_place(waiver));
        lines.push(format!("| {change} | {} | {} |", prose(&words, rung.cell), code(&place, rung.cell.min(160))));
    }
    if findings.len() > rung.gaps {
        left_out.push(format!("{} waived", text::plural(findings.len() - rung.gaps, "change")));
    }
    vec![details(&format!("Waived ({})", text::number(findings.len())), &lines.join("\n"))]
}

/// The way to what is wanted without a break, as a checklist.
fn way(report: &Report, rung: &Rung) -> Option<String> {
    let (way, command, words) = (report.plan.as_ref()?, command::plan(report)?, summary::way(report)?);
    let line = format!("{}: {}", text::capitalised(&words), code(&command, 300));
    let room = rung.gaps.min(20);
    if way.steps.is_empty() || rung.cards == 0 || way.steps.len() > room {
        return Some(line);
    }
    let step = |step: &WayStep| {
        let says = summary::step(step);
        let says: Vec<String> = says.iter().take(room).map(|line| prose(line, rung.cell)).collect();
        format!("- [ ] **{}** {}", prose(step.kind.as_str(), 40), says.join("\n  - "))
    };
    let mut lines: Vec<String> = way.steps.iter().map(step).collect();
    if !way.differs.is_empty() {
        lines.push("\nWhat you end with differs from what you wanted:\n".to_owned());
        lines.extend(way.differs.iter().take(room).map(|line| format!("- {}", prose(line, rung.cell))));
    }
    lines.push(format!("\nEach step was checked. Its schemas: {}", code(&command, 300)));
    Some(details(&text::capitalised(&words), &lines.join("\n")))
}

/// How to acknowledge what breaks, one command for each.
fn commands(report: &Report, entries: &[Entry<'_>], rung: &Rung, left_out: &mut Vec<String>) -> Vec<String> {
    let in_order = entries.iter().flat_map(|entry| &entry.findings);
    let all: Vec<(&Finding, String)> =
        in_order.filter_map(|finding| Some((*finding, command::accept(report, finding)?))).collect();
    // The only one stands in its card.
    if all.len() <= 1 && rung.cards > 0 {
        return vec![];
    }
    let line = |(finding, command): &(&Finding, String)| {
        format!("# {}\n{}", clip(&finding.path, rung.cell.min(200)), clip(command, 300))
    };
    let lines: Vec<String> = all.iter().take(rung.gaps).map(line).collect();
    if all.len() > rung.gaps {
        left_out.push(format!("the command that accepts {}", text::plural(all.len() - rung.gaps, "change")));
    }
    let words = "Each command puts one entry into the waiver file, to be reviewed with the change.";
    vec![details("If a break is intended", &format!("{words}\n\n{}", fenced("sh", &lines.join("\n"))))]
}

/// A line of a schema: its tabs stay, everything else that acts on the screen becomes visible.
fn diff_line(line: &str) -> String {
    let line = text::elide(line, 400);
    line.split('\t').map(text::visible).collect::<Vec<_>>().join("\t")
}

/// What changed in the text of the schemas in which something breaks or warns. Files that only grew are no news here.
fn schema_diff(report: &Report, rung: &Rung, left_out: &mut Vec<String>) -> Vec<String> {
    let length = |diff: &FileDiff| diff.hunks.iter().map(|hunk| hunk.lines.len() + 1).sum::<usize>();
    let (mut room, mut blocks) = (rung.diff, Vec::new());
    let grave = report.findings.iter().filter(|finding| finding.severity != Severity::Note);
    let places = grave.flat_map(|finding| finding.old.iter().chain(&finding.new));
    let files: OrderedSet<&str> = places.map(|place| place.file.as_str()).collect();
    let concerns = |path: &Option<String>| path.as_deref().is_some_and(|path| files.contains(path));
    let diffs: Vec<&FileDiff> = report.diffs.iter().filter(|diff| concerns(&diff.old) || concerns(&diff.new)).collect();
    for diff in &diffs {
        let Some(rest) = room.checked_sub(length(diff)) else { break };
        room = rest;
        let path = match (&diff.old, &diff.new) {
            (Some(old), Some(new)) if old != new => format!("{} → {}", code(old, 200), code(new, 200)),
            (Some(path), None) => format!("{} (deleted)", code(path, 200)),
            (None, Some(path)) => format!("{} (new)", code(path, 200)),
            (old, new) => code(new.as_ref().or(old.as_ref()).map_or("", String::as_str), 200),
        };
        let mut lines = Vec::new();
        for hunk in &diff.hunks {
            lines.push(format!("@@ -{} +{} @@", hunk.old_line, hunk.new_line));
            lines.extend(hunk.lines.iter().map(|line| diff_line(line)));
        }
        let cut = if diff.truncated { "\n\nThe difference goes on; lines were left out." } else { "" };
        blocks.push(format!("{path}\n\n{}{cut}", fenced("diff", &lines.join("\n"))));
    }
    if blocks.len() < diffs.len() {
        let files = diffs.len() - blocks.len();
        left_out.push(format!("the changed lines of {}", text::plural(files, "file")));
    }
    if blocks.is_empty() {
        return vec![];
    }
    vec![details(
        &format!("Changed lines of the schemas ({})", text::plural(blocks.len(), "file")),
        &blocks.join("\n\n"),
    )]
}

fn note_list(
    report: &Report,
    notes: &[Entry<'_>],
    links: &Links,
    rung: &Rung,
    left_out: &mut Vec<String>,
) -> Option<String> {
    let count: usize = notes.iter().map(|entry| entry.findings.len()).sum();
    if count == 0 {
        return None;
    }
    if !rung.notes {
        let words = format!("{} only counted", text::plural(count, Severity::Note.name()));
        left_out.push(words);
        return None;
    }
    let body = list(report, notes, links, rung, left_out).unwrap_or_default();
    Some(details(&format!("Notes ({})", text::number(count)), &body))
}

/// Problems of one kind a line each, or one line for many; what to do is said once.
fn problems(troubles: &[&Trouble<'_>], rung: &Rung, left_out: &mut Vec<String>) -> Option<String> {
    let most = rung.gaps.min(MOST_PROBLEMS);
    let mut lines = Vec::new();
    for trouble in troubles.iter().take(most) {
        let mark = mark_of(remark::problem_level(trouble.first.problem));
        let likewise = trouble.likewise(PLACES);
        let count = likewise.as_ref().map(|_| format!("**×{}** ", text::number(trouble.count()))).unwrap_or_default();
        for spot in trouble.told() {
            let place = spot.place().map(|place| format!(" ({})", code(&place, 200))).unwrap_or_default();
            lines.push(format!("- {mark} {count}{}{place}", prose(&spot.problem.message, rung.cell)));
        }
        if let (Some(words), Some(last)) = (likewise, lines.last_mut()) {
            last.push_str(&format!("; {}", prose(&words, rung.cell)));
        }
        let help = trouble.first.problem.help.trim();
        if !help.is_empty() {
            lines.push(format!("  <br>To do: {}", prose(help, rung.cell)));
        }
    }
    let more: usize = troubles.iter().skip(most).map(|trouble| trouble.count()).sum();
    if more > 0 {
        let more = text::plural(more, "problem");
        lines.push(format!("- and {more} more"));
        left_out.push(more);
    }
    (!lines.is_empty()).then(|| format!("**Problems in the input**\n\n{}", lines.join("\n")))
}

fn not_checked(report: &Report, rung: &Rung, left_out: &mut Vec<String>) -> Vec<String> {
    let gaps = troubles::not_checked(report);
    if gaps.is_empty() {
        return vec![];
    }
    let mut lines = Vec::new();
    for gap in gaps.iter().take(rung.gaps) {
        let file = if gap.file.is_empty() { String::new() } else { format!("{}: ", code(&gap.file, 160)) };
        lines.push(format!("- {file}{}", prose(&gap.what, rung.cell)));
        if !gap.help.trim().is_empty() {
            lines.push(format!("  <br>To do: {}", prose(gap.help.trim(), rung.cell)));
        }
    }
    if gaps.len() > rung.gaps {
        let more = gaps.len() - rung.gaps;
        lines.push(format!("- and {} more", text::number(more)));
        left_out.push(format!("{} of what was not checked", text::plural(more, "entry").replace("entrys", "entries")));
    }
    vec![details(&format!("Not checked: the verdict does not cover ({})", gaps.len()), &lines.join("\n"))]
}

fn foot(report: &Report) -> String {
    let mut parts_of_it = Vec::new();
    if !summary::is_calm(report) {
        parts_of_it.extend(command::reproduce(report).map(|command| format!("Reproduce: {}", code(&command, 300))));
        parts_of_it.push(summary::round_trips(report));
    }
    parts_of_it.push(summary::counts(report));
    parts_of_it.push(prose(&format!("{} {}", report.tool.name, report.tool.version), 60));
    format!("---\n<sub>{}</sub>", parts_of_it.join(" · "))
}
