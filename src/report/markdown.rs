//! The report as GitHub-flavoured Markdown, for the pull-request comment and the job summary.
//!
//! Whatever comes from a schema, a path or a source may have been written by a stranger in a fork: it is put into code
//! spans or escaped, so that it is no markup, mentions nobody and links nowhere. The result stays below the size a
//! comment may have; what had to be left out is said, with the way to see it.

use std::collections::{BTreeMap, BTreeSet};

pub(crate) mod markup;

use super::remark::{self, Level};
use super::{Cell, Evidence, FileDiff, Finding, Problem, Report, cells, command, findings, patch, summary, witness};
use crate::text;
use crate::vocabulary::{Open, ProblemSeverity, Severity, Surface};
use markup::{clip, code, fenced, html, prose};

/// GitHub refuses a comment of more than 65,536 characters; the marker and the frame of the poster need room too.
const LIMIT: usize = 60_000;

/// One step of the size ladder: the first that fits is taken.
struct Rung {
    /// Rows of the table of changes; the rest is counted by rule.
    rows: usize,
    /// Characters of one text in a cell.
    cell: usize,
    /// So many notes are told one by one; more are told by rule. Where there is room for none, they are counted.
    notes: usize,
    /// Changes with their witnesses and suggested edits.
    proofs: usize,
    /// Problems and gaps listed.
    gaps: usize,
    /// Lines of the schemas' difference: the first thing to go, because the pull request shows it anyway.
    diff: usize,
}

const LADDER: [Rung; 9] = [
    Rung { rows: usize::MAX, cell: 1000, notes: 10, proofs: usize::MAX, gaps: usize::MAX, diff: usize::MAX },
    Rung { rows: usize::MAX, cell: 1000, notes: 10, proofs: usize::MAX, gaps: usize::MAX, diff: 200 },
    Rung { rows: usize::MAX, cell: 1000, notes: 10, proofs: usize::MAX, gaps: usize::MAX, diff: 0 },
    Rung { rows: usize::MAX, cell: 1000, notes: 3, proofs: usize::MAX, gaps: 50, diff: 0 },
    Rung { rows: usize::MAX, cell: 600, notes: 0, proofs: 20, gaps: 20, diff: 0 },
    Rung { rows: usize::MAX, cell: 400, notes: 0, proofs: 0, gaps: 20, diff: 0 },
    Rung { rows: 60, cell: 300, notes: 0, proofs: 0, gaps: 10, diff: 0 },
    Rung { rows: 20, cell: 200, notes: 0, proofs: 0, gaps: 5, diff: 0 },
    Rung { rows: 5, cell: 60, notes: 0, proofs: 0, gaps: 2, diff: 0 },
];

/// So many warnings of one rule have a row of their own; the rest of the rule shares one …
const WARNINGS_PER_RULE: usize = 3;
/// … which names so many of them.
const NAMED_IN_A_ROW: usize = 10;

/// Rules in the table of counts.
const COUNTED_RULES: usize = 25;

/// The report as Markdown, at most 60,000 bytes, with a final line feed.
pub fn render(report: &Report) -> String {
    LADDER.iter().map(|rung| on_rung(report, rung)).find(|out| out.len() <= LIMIT).unwrap_or_else(|| least(report))
}

fn on_rung(report: &Report, rung: &Rung) -> String {
    let open = report.findings.iter().filter(|finding| finding.waiver.is_none());
    let (changes, notes): (Vec<&Finding>, Vec<&Finding>) = open.partition(|finding| finding.severity != Severity::Note);
    let mut changes = changes;
    // Errors first; within a severity the order of the report stays.
    changes.sort_by_key(|finding| finding.severity != Severity::Error);
    let (changes, folded) = fold(changes);
    let mut left_out = Vec::new();
    let mut blocks = vec![head(report)];
    blocks.extend(problems(report, rung, &mut left_out));
    blocks.extend(table(report, &changes, &folded, rung, &mut left_out));
    blocks.extend(ladder(report));
    blocks.extend(proofs(report, &changes, rung, &mut left_out));
    blocks.extend(suggestions(&changes, rung));
    blocks.extend(schema_diff(report, rung, &mut left_out));
    blocks.extend(waived(report, rung, &mut left_out));
    blocks.extend(commands(report, rung, &mut left_out));
    blocks.extend(note_list(report, &notes, rung, &mut left_out));
    blocks.extend(not_checked(report, rung, &mut left_out));
    if !left_out.is_empty() {
        blocks.push(format!(
            "> [!NOTE]\n> Shortened to fit into a comment: {}. The complete report: `--output json=PATH`, or `--format text -v`.",
            text::list(&left_out)
        ));
    }
    blocks.push(foot(report));
    let mut out = blocks.join("\n\n");
    out.push('\n');
    out
}

/// What has a row of its own, and the warnings that share one with others of their rule.
fn fold(changes: Vec<&Finding>) -> (Vec<&Finding>, Vec<&Finding>) {
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    changes.into_iter().partition(|finding| {
        let count = seen.entry(finding.rule.as_str()).or_default();
        *count += 1;
        finding.severity == Severity::Error || *count <= WARNINGS_PER_RULE
    })
}

/// When even the last rung does not fit, the verdict still does.
pub(crate) fn least(report: &Report) -> String {
    let words = "> [!NOTE]\n> The report is too long for a comment. The complete report: `--output json=PATH`, or `--format text -v`.";
    format!("{}\n\n{words}\n", head(report))
}

/// Line 1: verdict, mode, what was compared. Line 2: what the mode demands, upgrade order and rollback.
fn head(report: &Report) -> String {
    let mark = remark::mark(&report.verdict);
    let mut line = vec![
        format!("**{mark} {}**", prose(&summary::verdict(report), 200)),
        format!("mode **{}**", prose(&summary::mode(report), 60)),
        format!("{} against {}", code(&report.new.source, 120), code(&report.old.source, 120)),
    ];
    line.extend(summary::terms(report).iter().map(|term| prose(term, 120)));
    let line = line.join(" · ");
    if summary::is_calm(report) {
        return line;
    }
    let (order, rollback) = summary::order_and_rollback(report);
    let demands: Vec<String> = summary::demands(report).iter().map(|demand| capitalised(&prose(demand, 300))).collect();
    format!("{line}\n\n{}. **Upgrade order:** {order}. **Rollback:** {rollback}.", demands.join(". "))
}

fn capitalised(words: &str) -> String {
    let mut letters = words.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// One row for each breaking change and for the first warnings of each rule.
fn table(
    report: &Report,
    changes: &[&Finding],
    folded: &[&Finding],
    rung: &Rung,
    left_out: &mut Vec<String>,
) -> Vec<String> {
    if changes.is_empty() {
        return vec![];
    }
    let mut lines = vec![
        // Three columns: a comment is narrow, and more of them become slivers.
        "| Change | Who breaks, and why | Do instead |".to_owned(),
        "| --- | --- | --- |".to_owned(),
    ];
    lines.extend(changes.iter().take(rung.rows).map(|finding| row(report, finding, rung)));
    let counted: Vec<&Finding> = match changes.len() > rung.rows {
        true => changes[rung.rows..].iter().chain(folded).copied().collect(),
        false => {
            lines.extend(findings::by_rule(folded).iter().map(|(rule, group)| shared_row(rule, group, rung)));
            Vec::new()
        }
    };
    let mut blocks = vec![lines.join("\n")];
    if !counted.is_empty() {
        blocks.push(format!(
            "And {more} more, counted by rule:\n\n{}",
            by_rule(&counted, rung),
            more = text::number(counted.len())
        ));
        left_out.push(format!("{} have no row of their own", text::plural(counted.len(), "change")));
    }
    blocks
}

/// Warnings like those of the rows above, in one row.
fn shared_row(rule: &str, group: &[&Finding], rung: &Rung) -> String {
    let mut paths: Vec<String> =
        group.iter().take(NAMED_IN_A_ROW).map(|finding| code(&finding.path, rung.cell.min(100))).collect();
    if group.len() > NAMED_IN_A_ROW {
        paths.push(format!("and {} more", text::number(group.len() - NAMED_IN_A_ROW)));
    }
    let count = text::number(group.len());
    format!("| ⚠️ {count} more<br>{} | {} | as above |", code(rule, rung.cell.min(100)), paths.join("<br>"))
}

/// The sign of a level.
pub(crate) fn mark(level: Level) -> &'static str {
    match level {
        Level::Error => "⛔",
        Level::Warning | Level::Note => "⚠️",
    }
}

/// The sign of a finding, whether or not it breaks in this mode.
pub(crate) fn mark_of(finding: &Finding) -> &'static str {
    match &finding.severity {
        Open::Known(Severity::Error) => mark(Level::Error),
        Open::Known(Severity::Warning | Severity::Note) | Open::Unknown(_) => mark(Level::Warning),
    }
}

fn row(report: &Report, finding: &Finding, rung: &Rung) -> String {
    let mark = mark_of(finding);
    let change =
        format!("{mark} {}<br>{}", code(&finding.path, rung.cell.min(200)), code(&finding.rule, rung.cell.min(100)));
    let (hurt, fine) = cells::who_breaks(report, finding);
    let mut who: Vec<String> = hurt.iter().map(|clause| format!("• {}", prose(clause, rung.cell))).collect();
    who.extend(fine.map(|fine| format!("• unaffected: {}", prose(&fine, rung.cell))));
    let why = match finding.why.trim() {
        "" => String::new(),
        why => format!("<br>{}", prose(why, rung.cell)),
    };
    format!(
        "| {change}<br>{} | **{}**<br>{}{why} | {} |",
        old_to_new(finding, rung),
        prose(&finding.message, rung.cell),
        who.join("<br>"),
        prose(finding.fix.trim(), rung.cell)
    )
}

/// The line before and after, as a difference would show them, and where they are.
fn old_to_new(finding: &Finding, rung: &Rung) -> String {
    let most = rung.cell.min(160);
    let line = |location: &Option<super::Location>, mark: &str| match location {
        None => format!("{mark} (none)"),
        Some(at) => format!("{mark} {}", code(at.text.lines().next().unwrap_or_default().trim(), most)),
    };
    let place = |at: &super::Location| code(&format!("{}:{}", at.file, at.line), most);
    let mut places: Vec<String> = finding.old.iter().chain(&finding.new).map(place).collect();
    places.dedup();
    format!("{}<br>{}<br><sub>{}</sub>", line(&finding.old, "−"), line(&finding.new, "+"), places.join(" → "))
}

fn by_rule(findings: &[&Finding], rung: &Rung) -> String {
    let mut counts: BTreeMap<(&Open<Severity>, &str), usize> = BTreeMap::new();
    for finding in findings {
        *counts.entry((&finding.severity, finding.rule.as_str())).or_default() += 1;
    }
    let mut lines = vec!["| Rule | Severity | Count |".to_owned(), "| --- | --- | --- |".to_owned()];
    for ((severity, rule), count) in counts.iter().take(COUNTED_RULES) {
        lines.push(format!(
            "| {} | {} | {} |",
            code(rule, rung.cell.min(100)),
            prose(severity.as_str(), 20),
            text::number(*count)
        ));
    }
    if counts.len() > COUNTED_RULES {
        let (rules, findings) = (counts.len() - COUNTED_RULES, counts.values().skip(COUNTED_RULES).sum::<usize>());
        lines.push(format!("| and {} | | {} |", text::plural(rules, "more rule"), text::number(findings)));
    }
    lines.join("\n")
}

/// Whether each mode would pass.
fn ladder(report: &Report) -> Vec<String> {
    if report.modes.is_empty() || !summary::is_told(report) || summary::is_calm(report) {
        return vec![];
    }
    let mut lines = vec!["| Mode | Demands | Passes |".to_owned(), "| --- | --- | --- |".to_owned()];
    for rung in report.modes.iter().take(20) {
        let mark = if rung.passes { "✅ yes" } else { "⛔ no" };
        lines.push(format!("| {} | {} | {mark} |", code(rung.mode.as_str(), 40), text::mode_sentence(&rung.mode)));
    }
    if !findings::waived(report).is_empty() {
        lines.push("\nWhat is waived is left out here; upgrade order and rollback count it.".to_owned());
    }
    let title = format!("Mode ladder: {}", html(&summary::strictest(report).replace('`', ""), 80));
    vec![details(&title, &lines.join("\n"))]
}

/// What was written, the bytes, and what was read.
fn proofs(report: &Report, changes: &[&Finding], rung: &Rung, left_out: &mut Vec<String>) -> Vec<String> {
    let proven: Vec<(&Finding, Vec<&Evidence>)> = changes
        .iter()
        .map(|finding| (*finding, witness::witnesses(report, finding)))
        .filter(|(_, witnesses)| !witnesses.is_empty())
        .collect();
    if proven.len() > rung.proofs {
        left_out.push(format!("the proof of {}", text::plural(proven.len() - rung.proofs, "change")));
    }
    let mut blocks = Vec::new();
    for (finding, witnesses) in proven.iter().take(rung.proofs) {
        let blocks_of_one: Vec<String> =
            witnesses.iter().map(|evidence| fenced("text", &witness(evidence, finding))).collect();
        blocks.push(format!("{}\n\n{}", code(&finding.path, 200), blocks_of_one.join("\n\n")));
    }
    if blocks.is_empty() {
        return vec![];
    }
    let title =
        format!("Proof: what was written, the bytes, and what was read ({})", text::plural(blocks.len(), "change"));
    vec![details(&title, &blocks.join("\n\n"))]
}

fn witness(evidence: &Evidence, finding: &Finding) -> String {
    const JSON: usize = 400;
    let encoding = if evidence.surface == Surface::Json { " in JSON" } else { "" };
    let mut lines = vec![
        format!("type   {}{encoding}, {}", clip(&evidence.type_name, 200), witness::journey(evidence)),
        format!("wrote  {}", witness::compact_json(&evidence.wrote, JSON)),
    ];
    match (witness::annotated(evidence), witness::records(evidence, &finding.format)) {
        (Some((written, read)), _) => {
            let read = read.unwrap_or_default();
            let width = width_of_bytes(written.iter().chain(&read));
            lines.extend(table_of_bytes("bytes", &written, width));
            lines.extend(table_of_bytes("reader", &read, width));
        }
        (None, Some(records)) => lines.extend(table_of_bytes("bytes", &records, width_of_bytes(&records))),
        (None, None) if evidence.surface == Surface::Wire => {
            lines.push(format!("bytes  {}", text::visible(&witness::grouped_hex(&evidence.bytes, 64))))
        }
        (None, None) => lines.push(format!("text   {}", clip(&evidence.bytes, JSON))),
    }
    let role = cells::role(finding);
    lines.push(format!("read   {}", witness::read_words(evidence, JSON)));
    lines.push(format!(
        "       {} {} ({})",
        text::who(&evidence.direction, role),
        text::outcome(&evidence.outcome, role),
        evidence.outcome
    ));
    text::visible_lines(&lines.join("\n")).into_owned()
}

/// Bytes with what they are, a label before the first line.
fn table_of_bytes(label: &str, records: &[witness::Record], width: usize) -> Vec<String> {
    let line = |(at, record): (usize, &witness::Record)| {
        let label = if at == 0 { label } else { "" };
        format!("{label:<7}{:<width$}  {}", text::visible(&record.hex), text::visible(&record.meaning))
    };
    records.iter().enumerate().map(line).collect()
}

fn width_of_bytes<'a>(records: impl IntoIterator<Item = &'a witness::Record>) -> usize {
    records.into_iter().map(|record| record.hex.chars().count()).max().unwrap_or(0).min(48)
}

/// Edits as diffs, where the report holds the lines they touch.
fn suggestions(changes: &[&Finding], rung: &Rung) -> Vec<String> {
    let mut blocks = Vec::new();
    for finding in changes.iter().take(rung.proofs) {
        let Some(suggestion) = &finding.suggestion else { continue };
        let Some(diff) = patch::patch(suggestion) else { continue };
        blocks.push(format!("{}\n\n{}", code(&suggestion.file, 200), fenced("diff", &text::visible_lines(&diff))));
    }
    if blocks.is_empty() {
        return vec![];
    }
    vec![details(&format!("Suggested edits ({})", blocks.len()), &blocks.join("\n\n"))]
}

/// What somebody has acknowledged: who, until when, why, and where that is written.
fn waived(report: &Report, rung: &Rung, left_out: &mut Vec<String>) -> Vec<String> {
    let findings = findings::waived(report);
    if findings.is_empty() {
        return vec![];
    }
    let mut lines = vec!["| Change | Waived | Entry |".to_owned(), "| --- | --- | --- |".to_owned()];
    for finding in findings.iter().take(rung.rows) {
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
    if findings.len() > rung.rows {
        left_out.push(format!("{} waived", text::plural(findings.len() - rung.rows, "change")));
    }
    vec![details(&format!("Waived ({})", text::number(findings.len())), &lines.join("\n"))]
}

/// How to acknowledge what breaks, one command for each.
fn commands(report: &Report, rung: &Rung, left_out: &mut Vec<String>) -> Vec<String> {
    let all: Vec<(&Finding, String)> =
        report.findings.iter().filter_map(|finding| Some((finding, command::accept(report, finding)?))).collect();
    if all.is_empty() {
        return vec![];
    }
    let line = |(finding, command): &(&Finding, String)| {
        format!("# {}\n{}", clip(&finding.path, rung.cell.min(200)), clip(command, 300))
    };
    let lines: Vec<String> = all.iter().take(rung.rows).map(line).collect();
    if all.len() > rung.rows {
        left_out.push(format!("the command that accepts {}", text::plural(all.len() - rung.rows, "change")));
    }
    let words = "Each command puts one entry into the waiver file, to be reviewed with the change.";
    vec![details("If a break is intended", &format!("{words}\n\n{}", fenced("sh", &lines.join("\n"))))]
}

/// A line of a schema: its tabs stay, everything else that acts on the screen becomes visible.
fn diff_line(line: &str) -> String {
    let line = text::elide(line, 200);
    line.split('\t').map(text::visible).collect::<Vec<_>>().join("\t")
}

/// What changed in the text of the schemas in which something breaks or warns. Files that only grew are no news here.
fn schema_diff(report: &Report, rung: &Rung, left_out: &mut Vec<String>) -> Vec<String> {
    let length = |diff: &FileDiff| diff.hunks.iter().map(|hunk| hunk.lines.len() + 1).sum::<usize>();
    let (mut room, mut blocks) = (rung.diff, Vec::new());
    let grave = report.findings.iter().filter(|finding| finding.severity != Severity::Note);
    let places = grave.flat_map(|finding| finding.old.iter().chain(&finding.new));
    let files: BTreeSet<&str> = places.map(|place| place.file.as_str()).collect();
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

fn note_list(report: &Report, notes: &[&Finding], rung: &Rung, left_out: &mut Vec<String>) -> Vec<String> {
    if notes.is_empty() {
        return vec![];
    }
    let not_in_force = |cells: &[&Cell]| match cells {
        [] => String::new(),
        cells => format!("; not in force: {}", prose(&cells::cell_names(cells).join(", "), 200)),
    };
    let one = |finding: &&Finding| {
        let place =
            findings::side_and_place(finding).map(|place| format!(" ({})", code(&place, 160))).unwrap_or_default();
        let elsewhere = not_in_force(&cells::cells_elsewhere(report, finding));
        format!("- {}{place}{elsewhere}", prose(&finding.message, rung.cell))
    };
    let of_rule = |(rule, group): (&str, Vec<&Finding>)| {
        let elsewhere = not_in_force(&cells::worst_elsewhere(report, &group));
        format!("- {}: {}{elsewhere}", code(rule, rung.cell.min(100)), prose(&findings::group_words(&group), rung.cell))
    };
    let body = match notes.len() {
        _ if rung.notes == 0 => {
            left_out.push(format!("{} only counted", text::plural(notes.len(), Severity::Note.name())));
            by_rule(notes, rung)
        }
        count if count <= rung.notes => notes.iter().map(one).collect::<Vec<_>>().join("\n"),
        _ => findings::by_rule(notes).into_iter().map(of_rule).collect::<Vec<_>>().join("\n"),
    };
    vec![details(&format!("Notes ({})", text::number(notes.len())), &body)]
}

/// Problems are the reason of an unknown verdict: never collapsed.
fn problems(report: &Report, rung: &Rung, left_out: &mut Vec<String>) -> Vec<String> {
    if report.problems.is_empty() {
        return vec![];
    }
    let mut problems: Vec<&Problem> = report.problems.iter().collect();
    problems.sort_by_key(|problem| problem.severity != ProblemSeverity::Error);
    let mut lines = vec!["**Problems in the input**\n".to_owned()];
    for problem in problems.iter().take(rung.gaps) {
        let mark = mark(remark::problem_level(problem));
        let place = problem.file.as_ref().map(|file| {
            let line = problem.line.map(|line| format!(":{line}")).unwrap_or_default();
            let column = problem.line.and(problem.column).map(|column| format!(":{column}")).unwrap_or_default();
            let side = prose(&text::problem_side(problem.side.as_ref()), 60);
            let side = if side.is_empty() { side } else { format!("{side} ") };
            format!(" ({side}{})", code(&format!("{file}{line}{column}"), 160))
        });
        lines.push(format!("- {mark} {}{}", prose(&problem.message, rung.cell), place.unwrap_or_default()));
        if !problem.help.trim().is_empty() {
            lines.push(format!("  <br>To do: {}", prose(problem.help.trim(), rung.cell)));
        }
    }
    if problems.len() > rung.gaps {
        let more = text::plural(problems.len() - rung.gaps, "problem");
        lines.push(format!("- and {more} more"));
        left_out.push(more);
    }
    vec![lines.join("\n")]
}

fn not_checked(report: &Report, rung: &Rung, left_out: &mut Vec<String>) -> Vec<String> {
    if report.not_checked.is_empty() {
        return vec![];
    }
    let mut lines = Vec::new();
    for gap in report.not_checked.iter().take(rung.gaps) {
        let file = if gap.file.is_empty() { String::new() } else { format!("{}: ", code(&gap.file, 160)) };
        lines.push(format!("- {file}{}", prose(&gap.what, rung.cell)));
        if !gap.help.trim().is_empty() {
            lines.push(format!("  <br>To do: {}", prose(gap.help.trim(), rung.cell)));
        }
    }
    if report.not_checked.len() > rung.gaps {
        let more = report.not_checked.len() - rung.gaps;
        lines.push(format!("- and {} more", text::number(more)));
        left_out.push(format!("{} of what was not checked", text::plural(more, "entry").replace("entrys", "entries")));
    }
    vec![details(&format!("Not checked: the verdict does not cover ({})", report.not_checked.len()), &lines.join("\n"))]
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

fn details(title: &str, body: &str) -> String {
    format!("<details>\n<summary>{title}</summary>\n\n{body}\n\n</details>")
}
