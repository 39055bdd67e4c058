//! The report for a terminal: what happened in the first line, what to do in the second, then one block per change in
//! the shape compilers use.
//!
//! It prints nothing and decides nothing: whether to colour, how much to say and how wide is the caller's choice. Text
//! from schemas and paths is made harmless before it is printed; several findings of one rule are shortened, never dropped.

mod excerpt;

use std::collections::{BTreeMap, BTreeSet};

use annotate_snippets::renderer::{AnsiColor, DecorStyle, Effects, Style};
use annotate_snippets::{Group, Level, Renderer};

use super::{Cell, Evidence, Finding, Location, Problem, Report, cells, command, findings, summary, witness};
use crate::text::{self, visible};
use crate::vocabulary::{Open, ProblemSeverity, SPEC, Severity, Side, Status, Surface, Verdict};
use excerpt::{Excerpt, edits_in_words, patch_group};

/// How to draw.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TextStyle {
    /// Whether to use colours.
    pub color: Color,
    /// How much to say.
    pub detail: Detail,
    /// Prose is wrapped at this many columns.
    pub width: usize,
}

/// Whether to use colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Color {
    /// Text only.
    Plain,
    /// ANSI escape sequences.
    Ansi,
}

/// How much to say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Detail {
    /// The verdict, and one line for each finding that breaks.
    Quiet,
    /// What breaks in full, the rest in short.
    Normal,
    /// Everything in full.
    Verbose,
}

impl Default for TextStyle {
    fn default() -> Self {
        Self { color: Color::Plain, detail: Detail::Normal, width: 100 }
    }
}

impl TextStyle {
    pub(crate) fn paint(&self, style: Style, text: &str) -> String {
        match self.color {
            Color::Plain => text.to_owned(),
            Color::Ansi => format!("{style}{text}{style:#}"),
        }
    }

    pub(crate) fn renderer(&self) -> Renderer {
        let renderer = match self.color {
            Color::Plain => Renderer::plain(),
            Color::Ansi => Renderer::styled(),
        };
        renderer.decor_style(DecorStyle::Ascii).term_width(self.width.max(60))
    }

    /// Room for prose behind a label like `  = who breaks: `.
    fn prose(&self) -> usize {
        self.width.max(60) - 18
    }
}

pub(crate) const BOLD: Style = Style::new().effects(Effects::BOLD);
pub(crate) const DIM: Style = Style::new().effects(Effects::DIMMED);
const GOOD: Style = AnsiColor::Green.on_default().effects(Effects::BOLD);
const BAD: Style = AnsiColor::BrightRed.on_default().effects(Effects::BOLD);
const UNSURE: Style = AnsiColor::Yellow.on_default().effects(Effects::BOLD);

/// More notes than this are told by rule instead of one by one.
const NOTES_ONE_BY_ONE: usize = 12;
/// Problems and gaps beyond this are only counted.
const MOST_GAPS: usize = 50;
/// Longer messages hold a name nobody reads to its end; both ends stay.
const MESSAGE_LENGTH: usize = 600;
/// Bytes of a witness that are printed.
const HEX_BYTES: usize = 32;
/// A message of up to so many fields is taken apart, field by field.
const READABLE_RECORDS: usize = 6;
const JSON_LENGTH: usize = 160;

/// The report as text, with a final line feed.
pub fn render(report: &Report, style: &TextStyle) -> String {
    let mut blocks = vec![head(report, style)];
    match style.detail {
        Detail::Quiet => blocks.extend(quiet(report, style)),
        Detail::Normal | Detail::Verbose => {
            // What could not be read may be the reason of everything below it.
            blocks.extend(problems(report, style, is_error));
            let severities: BTreeSet<&Open<Severity>> = report.findings.iter().map(|one| &one.severity).collect();
            for severity in severities {
                blocks.extend(section(report, style, severity));
            }
            blocks.extend(waived(report, style));
            blocks.extend(problems(report, style, |problem| !is_error(problem)));
            blocks.extend(not_checked(report, style));
            blocks.push(foot(report, style));
        }
    }
    let mut out = blocks.join("\n\n");
    out.push('\n');
    without_commands(out)
}

/// One finding in full, as plain text without a final line feed.
pub(crate) fn finding(report: &Report, finding: &Finding) -> String {
    without_commands(full(report, finding, &TextStyle::default())).trim_end().to_owned()
}

/// A build log is read by machines too: `::error::` at the start of a line, however indented, and `##[` anywhere are
/// commands to a CI runner, and a schema must not give any. `:::` stays, it is no command and marks a second place.
fn without_commands(out: String) -> String {
    let command = |line: &str| line.trim_start().starts_with("::") && !line.trim_start().starts_with(":::");
    if !out.contains("##[") && !out.lines().any(command) {
        return out;
    }
    let tame = |line: &str| if command(line) { line.replacen("::", "\\::", 1) } else { line.to_owned() };
    let lines: Vec<String> = out.lines().map(|line| tame(line).replace("##[", "#\\#[")).collect();
    format!("{}\n", lines.join("\n"))
}

/// Line 1: verdict, mode, what was compared. Then what the mode demands, the upgrade order and the way back.
fn head(report: &Report, style: &TextStyle) -> String {
    let (mark, color) = match &report.verdict {
        Open::Known(Verdict::Compatible) => ("✓", GOOD),
        Open::Known(Verdict::Breaking) => ("✗", BAD),
        Open::Known(Verdict::Unknown) | Open::Unknown(_) => ("?", UNSURE),
    };
    let mut words = vec![format!("{mark} {}", summary::verdict(report)), format!("mode {}", summary::mode(report))];
    words.push(summary::compared(report));
    words.extend(summary::terms(report));
    let mut lines = in_lines(&words, style);
    if let Some(verdict) = lines.first_mut() {
        let end = visible(&words[0]).len();
        *verdict = format!("{}{}", style.paint(color, &verdict[..end]), &verdict[end..]);
    }
    if !summary::is_calm(report) {
        let (order, rollback) = summary::order_and_rollback(report);
        let mut facts = summary::demands(report);
        facts.extend([format!("upgrade order: {order}"), format!("rollback: {rollback}")]);
        for fact in facts {
            let wrapped = text::wrap(&visible(&fact), style.width.max(60) - 4);
            lines.extend(wrapped.iter().enumerate().map(|(at, line)| match at {
                0 => format!("  {line}"),
                _ => format!("    {line}"),
            }));
        }
    }
    lines.join("\n")
}

/// Words with ` · ` between them, in lines that fit.
fn in_lines(words: &[String], style: &TextStyle) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in words {
        let word = visible(word);
        match lines.last_mut() {
            Some(line) if line.chars().count() + word.chars().count() + 3 <= style.width => {
                line.push_str(" · ");
                line.push_str(&word);
            }
            Some(_) => lines.push(format!("  {word}")),
            None => lines.push(word.into_owned()),
        }
    }
    lines
}

fn quiet(report: &Report, style: &TextStyle) -> Vec<String> {
    let mut lines: Vec<String> =
        report.findings.iter().filter(|f| f.breaking).map(|f| one_line(report, f, style)).collect();
    for problem in report.problems.iter().filter(|problem| is_error(problem)) {
        lines.push(format!(
            "{}: {}{}",
            style.paint(BAD, problem.severity.as_str()),
            message(&problem.message),
            in_parentheses(problem_place(problem))
        ));
    }
    if lines.is_empty() { vec![] } else { vec![lines.join("\n")] }
}

/// How many findings of one rule are shown in full, and how many more in a line each, before the rest is counted.
fn room(severity: &Open<Severity>, style: &TextStyle) -> (usize, usize) {
    match (style.detail, severity) {
        (Detail::Verbose, _) => (usize::MAX, 0),
        (Detail::Quiet | Detail::Normal, Open::Known(Severity::Error)) => (5, 50),
        (Detail::Quiet | Detail::Normal, Open::Known(Severity::Warning | Severity::Note) | Open::Unknown(_)) => (1, 10),
    }
}

/// All findings of one severity: the first of each rule in full, the rest in a line each.
fn section(report: &Report, style: &TextStyle, severity: &Open<Severity>) -> Vec<String> {
    let is_shown = |f: &&Finding| f.severity == *severity && (f.waiver.is_none() || style.detail == Detail::Verbose);
    let findings: Vec<&Finding> = report.findings.iter().filter(is_shown).collect();
    if *severity == Severity::Note && style.detail != Detail::Verbose {
        return notes(report, &findings, style);
    }
    let most = room(severity, style);
    let mut blocks = Vec::new();
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    let mut rest: BTreeMap<&str, Vec<&Finding>> = BTreeMap::new();
    for finding in findings {
        let count = seen.entry(finding.rule.as_str()).or_default();
        *count += 1;
        if *count > most.0 {
            rest.entry(finding.rule.as_str()).or_default().push(finding);
        } else {
            blocks.push(full(report, finding, style));
        }
    }
    blocks.extend(rest.into_iter().map(|(rule, more)| remaining(severity, rule, &more, most.1, style)));
    blocks
}

fn remaining(severity: &Open<Severity>, rule: &str, findings: &[&Finding], most: usize, style: &TextStyle) -> String {
    let count = text::number(findings.len());
    let mut lines =
        vec![format!("{}: {count} more of the same rule; `-v` shows each in full", label(severity, rule, style))];
    for finding in findings.iter().take(most) {
        let id = if finding.breaking { format!(" [id {}]", visible(&finding.id)) } else { String::new() };
        lines.push(format!("  {}{}{id}", message(&finding.message), in_parentheses(findings::side_and_place(finding))));
    }
    if findings.len() > most {
        let more = text::number(findings.len() - most);
        lines.push(format!("  and {more} more; `-v` shows them, `--format json` lists them"));
    }
    lines.join("\n")
}

/// Notes must not drown what breaks: a few are told one by one, many by rule.
fn notes(report: &Report, findings: &[&Finding], style: &TextStyle) -> Vec<String> {
    if findings.is_empty() {
        return vec![];
    }
    if findings.len() <= NOTES_ONE_BY_ONE {
        return vec![findings.iter().map(|finding| one_line(report, finding, style)).collect::<Vec<_>>().join("\n")];
    }
    let mut lines = Vec::new();
    for (rule, group) in findings::by_rule(findings) {
        let cells = cells::cell_names(&cells::worst_elsewhere(report, &group));
        let elsewhere = if cells.is_empty() { String::new() } else { format!(" [not in force: {}]", cells.join(", ")) };
        let name = format!("{}[{}]:", Severity::Note, visible(rule));
        let words = format!("{name} {}{elsewhere}", visible(&findings::group_words(&group)));
        let wrapped = text::wrap(&words, style.width.max(60) - 2).join("\n  ");
        let painted = style.paint(color_of(&Severity::Note.into()), name.trim_end_matches(':'));
        lines.push(wrapped.replacen(name.trim_end_matches(':'), &painted, 1));
    }
    lines.push("  `-v` shows each note, `--format json` lists them".to_owned());
    vec![lines.join("\n")]
}

/// What somebody has acknowledged: who, until when, why, and where that is written.
fn waived(report: &Report, style: &TextStyle) -> Vec<String> {
    let findings = findings::waived(report);
    if findings.is_empty() {
        return vec![];
    }
    let most = if style.detail == Detail::Verbose { usize::MAX } else { MOST_GAPS };
    let mut lines = vec![style.paint(BOLD, "waived: acknowledged, so it does not stop the gate")];
    for finding in findings.iter().take(most) {
        let Some(waiver) = &finding.waiver else { continue };
        let label = label(&finding.severity, &finding.rule, style);
        let place = in_parentheses(findings::side_and_place(finding));
        lines.push(format!("  {label}: {}{place}", message(&finding.message)));
        let words = format!("{} ({})", findings::waiver(waiver, 400), visible(&findings::waiver_place(waiver)));
        lines.extend(text::wrap(&words, style.width.max(60) - 6).iter().map(|line| format!("    {line}")));
    }
    if findings.len() > most {
        let more = text::number(findings.len() - most);
        lines.push(format!("  and {more} more; `-v` shows them, `--format json` lists them"));
    }
    vec![lines.join("\n")]
}

fn label(severity: &Open<Severity>, rule: &str, style: &TextStyle) -> String {
    style.paint(color_of(severity), &format!("{}[{}]", visible(severity.as_str()), visible(rule)))
}

/// A message on one line, at most so long that a screen holds it.
fn message(text: &str) -> String {
    visible(&text::elide(text, MESSAGE_LENGTH)).into_owned()
}

fn not_in_force(cells: &[&Cell], style: &TextStyle) -> String {
    if cells.is_empty() {
        return String::new();
    }
    style.paint(DIM, &format!(" [not in force: {}]", cells::cell_names(cells).join(", ")))
}

fn one_line(report: &Report, finding: &Finding, style: &TextStyle) -> String {
    let label = label(&finding.severity, &finding.rule, style);
    let mut line =
        format!("{label}: {}{}", message(&finding.message), in_parentheses(findings::side_and_place(finding)));
    if !finding.breaking {
        line.push_str(&not_in_force(&cells::cells_elsewhere(report, finding), style));
    }
    if finding.waiver.is_some() {
        line.push_str(" [waived]");
    }
    if finding.breaking {
        line.push_str(&format!(" [id {}]", visible(&finding.id)));
    }
    line
}

fn in_parentheses(place: Option<String>) -> String {
    place.map(|place| format!(" ({})", visible(&place))).unwrap_or_default()
}

fn color_of(severity: &Open<Severity>) -> Style {
    match severity {
        Open::Known(Severity::Error) => BAD,
        Open::Known(Severity::Warning) | Open::Unknown(_) => UNSURE,
        Open::Known(Severity::Note) => AnsiColor::BrightGreen.on_default().effects(Effects::BOLD),
    }
}

fn level(severity: &Open<Severity>) -> Level<'static> {
    match severity {
        Open::Known(Severity::Error) => Level::ERROR,
        Open::Known(Severity::Warning) => Level::WARNING,
        Open::Known(Severity::Note) => Level::NOTE,
        Open::Unknown(word) => Level::WARNING.with_name(visible(&text::shorten(word, 40)).into_owned()),
    }
}

fn problem_level(severity: &Open<ProblemSeverity>) -> Level<'static> {
    match severity {
        Open::Known(ProblemSeverity::Error) => Level::ERROR,
        Open::Known(ProblemSeverity::Warning) => Level::WARNING,
        Open::Unknown(word) => Level::WARNING.with_name(visible(&text::shorten(word, 40)).into_owned()),
    }
}

fn is_error(problem: &Problem) -> bool {
    problem.severity == ProblemSeverity::Error
}

/// One finding with everything that is known about it.
fn full(report: &Report, finding: &Finding, style: &TextStyle) -> String {
    let (old, new) = (finding.old.as_ref().map(Excerpt::of), finding.new.as_ref().map(Excerpt::of));
    let title = level(&finding.severity).primary_title(message(&finding.message)).id(visible(&finding.rule));
    let mut group = Group::with_title(title);
    let label = |other: &Option<Location>, word: &'static str| if other.is_none() { Some(word) } else { None };
    if let Some(excerpt) = &old {
        group = excerpt.add_to(group, Side::Old.name(), label(&finding.new, "not on the new side"));
    }
    if let Some(excerpt) = &new {
        group = excerpt.add_to(group, Side::New.name(), label(&finding.old, "not on the old side"));
    }
    for (name, lines) in prose(report, finding, style) {
        group = group.element(Level::NOTE.with_name(name).message(lines.join("\n")));
    }
    let mut groups = vec![group];
    let patch = finding.suggestion.as_ref().and_then(|suggestion| Some((suggestion, suggestion.context.as_ref()?)));
    if let Some(group) = patch.and_then(|(suggestion, context)| patch_group(suggestion, context)) {
        groups.push(group);
    }
    let mut out = style.renderer().render(&groups);
    for (side, excerpt) in [(Side::Old, &old), (Side::New, &new)] {
        if let Some(excerpt) = excerpt {
            out = excerpt.correct_column(side.name(), out);
        }
    }
    if let (Some(suggestion), None) = (&finding.suggestion, groups.get(1)) {
        out.push_str(&format!("\n{}", edits_in_words(suggestion)));
    }
    out
}

/// The labelled paragraphs below the snippets.
fn prose(report: &Report, finding: &Finding, style: &TextStyle) -> Vec<(&'static str, Vec<String>)> {
    let wrapped = |text: &str| text::wrap(&text::visible_lines(&text::elide(text, 4 * MESSAGE_LENGTH)), style.prose());
    let mut out = Vec::new();
    if !finding.why.trim().is_empty() {
        out.push(("why", wrapped(&finding.why)));
    }
    let (breaks, fine) = cells::who_breaks(report, finding);
    out.push(("who breaks", breaks.iter().flat_map(|clause| wrapped(clause)).collect()));
    if let Some(fine) = fine {
        out.push(("unaffected", wrapped(&fine)));
    }
    let elsewhere = cells::clauses(&cells::cells_elsewhere(report, finding), cells::role(finding));
    if !elsewhere.is_empty() && (style.detail == Detail::Verbose || !cells::hurts(report, finding)) {
        out.push(("not in force", elsewhere.iter().flat_map(|clause| wrapped(clause)).collect()));
    }
    let shown: Vec<&Evidence> = match style.detail {
        Detail::Verbose => finding.evidence.iter().filter(|evidence| witness::has_bytes(evidence)).collect(),
        Detail::Quiet | Detail::Normal => witness::witnesses(report, finding),
    };
    out.extend(shown.into_iter().map(|evidence| ("proof", witness(evidence, &finding.format, style))));
    let dissent = witness::dissent(report, finding);
    if !dissent.is_empty() {
        out.push(("runtime", dissent.iter().flat_map(|clause| wrapped(clause)).collect()));
    }
    let is_fault = |evidence: &Evidence| evidence.runtime == SPEC && evidence.status == Status::Contradicts;
    if finding.evidence.iter().any(is_fault) {
        let words = "a round trip contradicts the rule's claim: a bug in wireproof or in the rule, please report it";
        out.push(("contradiction", wrapped(words)));
    }
    if !finding.fix.trim().is_empty() {
        out.push(("fix", wrapped(&finding.fix)));
    }
    if let Some(waiver) = &finding.waiver {
        out.push(("waived", wrapped(&findings::waiver(waiver, 400))));
    }
    if style.detail == Detail::Verbose {
        for (tool, ids) in finding.peers.iter().filter(|(_, ids)| !ids.is_empty()) {
            out.push(("peer", wrapped(&format!("{tool} reports {}", text::list(ids)))));
        }
    }
    if style.detail == Detail::Verbose || finding.breaking {
        out.push(("id", vec![visible(&finding.id).into_owned()]));
    }
    out
}

/// What was written, the bytes in between, and what was read.
fn witness(evidence: &Evidence, format: &str, style: &TextStyle) -> Vec<String> {
    let type_name = text::elide(&evidence.type_name, 200);
    let encoding = if evidence.surface == Surface::Json { " in JSON," } else { "" };
    let mut lines = vec![format!("`{}`{encoding} {}", visible(&type_name), witness::journey(evidence))];
    if evidence.runtime != SPEC {
        lines[0].push_str(&format!(" with {}", visible(&evidence.runtime)));
    }
    lines.push(format!("wrote {}", witness::compact_json(&evidence.wrote, JSON_LENGTH)));
    let records = witness::records(evidence, format).unwrap_or_default();
    let readable = style.detail == Detail::Verbose || records.len() <= READABLE_RECORDS;
    if !records.is_empty() && readable && evidence.bytes.len() <= 2 * HEX_BYTES {
        let width = records.iter().map(|record| record.hex.len()).max().unwrap_or(0).min(30);
        for (at, record) in records.iter().enumerate() {
            let label = if at == 0 { "bytes" } else { "" };
            lines.push(format!("{label:<5} {:<width$}  {}", record.hex, record.meaning));
        }
    } else if evidence.surface == Surface::Wire {
        lines.push(format!("bytes {}", visible(&witness::grouped_hex(&evidence.bytes, HEX_BYTES))));
    } else {
        let words = text::shorten(&visible(&evidence.bytes), JSON_LENGTH).into_owned();
        lines.push(format!("text  {words} ({})", text::plural(evidence.bytes.len(), "byte")));
    }
    lines.push(format!("read  {}", witness::read_words(evidence, JSON_LENGTH)));
    if style.detail == Detail::Verbose {
        lines.extend(witness::replay(evidence, format));
    }
    lines
}

fn problem_place(problem: &Problem) -> Option<String> {
    let file = problem.file.as_ref()?;
    let side = text::problem_side(problem.side.as_ref());
    let position = match (problem.line, problem.column) {
        (Some(line), Some(column)) => format!(":{line}:{column}"),
        (Some(line), None) => format!(":{line}"),
        _ => String::new(),
    };
    Some(format!("{side}{file}{position}"))
}

fn problems(report: &Report, style: &TextStyle, is_told: fn(&Problem) -> bool) -> Vec<String> {
    let most = if style.detail == Detail::Verbose { usize::MAX } else { MOST_GAPS };
    let problems: Vec<&Problem> = report.problems.iter().filter(|problem| is_told(problem)).collect();
    let mut blocks: Vec<String> = problems.iter().take(most).map(|problem| one_problem(problem, style)).collect();
    if problems.len() > most {
        let more = text::number(problems.len() - most);
        blocks.push(format!("and {more} more problems; `-v` shows them, `--format json` lists them"));
    }
    blocks
}

/// A problem in an input, in the shape of a finding but without a rule.
fn one_problem(problem: &Problem, style: &TextStyle) -> String {
    let mut group = Group::with_title(problem_level(&problem.severity).primary_title(message(&problem.message)));
    let excerpt = match (&problem.file, problem.line, problem.column, &problem.text) {
        (Some(file), Some(line), Some(column), Some(text)) => {
            let (file, text) = (file.clone(), text.clone());
            Some(Excerpt::of(&Location {
                file,
                line,
                column,
                end_line: line,
                end_column: column.saturating_add(1),
                text,
            }))
        }
        _ => None,
    };
    let side = match text::problem_side(problem.side.as_ref()).trim_end() {
        "" => "in".to_owned(),
        side => side.to_owned(),
    };
    if let Some(excerpt) = &excerpt {
        group = excerpt.add_to(group, &side, None);
    } else if let Some(place) = problem_place(problem) {
        group = group.element(annotate_snippets::Origin::path(visible(&place).into_owned()));
    }
    if !problem.help.trim().is_empty() {
        let help = text::wrap(&text::visible_lines(&problem.help), style.prose()).join("\n");
        group = group.element(Level::HELP.message(help));
    }
    let drawn = style.renderer().render(&[group]);
    excerpt.map_or(drawn.clone(), |excerpt| excerpt.correct_column(&side, drawn))
}

fn not_checked(report: &Report, style: &TextStyle) -> Vec<String> {
    if report.not_checked.is_empty() {
        return vec![];
    }
    let most = if style.detail == Detail::Verbose { usize::MAX } else { MOST_GAPS };
    let mut lines = vec![style.paint(BOLD, "not checked: the verdict does not cover")];
    for gap in report.not_checked.iter().take(most) {
        let file = if gap.file.is_empty() { String::new() } else { format!("{}: ", visible(&gap.file)) };
        lines.push(format!("  {file}{}", visible(&gap.what)));
        if !gap.help.trim().is_empty() {
            lines.push(format!("    help: {}", visible(&gap.help)));
        }
    }
    if report.not_checked.len() > most {
        let more = text::number(report.not_checked.len() - most);
        lines.push(format!("  and {more} more; `-v` shows them, `--format json` lists them"));
    }
    vec![lines.join("\n")]
}

/// Mode ladder, what was proven, counts, and the commands that lead further.
fn foot(report: &Report, style: &TextStyle) -> String {
    let mut rows: Vec<(&str, String)> = Vec::new();
    let line = |(name, words): &(&str, String)| format!("{} {words}", style.paint(DIM, &format!("{name:<10}")));
    if summary::is_calm(report) {
        return line(&("counts", summary::counts(report)));
    }
    if !summary::is_told(report) {
        rows.push(("modes", "not established".to_owned()));
    } else if !report.modes.is_empty() {
        let ladder: Vec<String> = report
            .modes
            .iter()
            .map(|rung| {
                let (mark, color) = if rung.passes { ("✓", GOOD) } else { ("✗", BAD) };
                format!("{} {}", visible(rung.mode.as_str()), style.paint(color, mark))
            })
            .collect();
        let apart = if findings::waived(report).is_empty() { "" } else { ", what is waived left out" };
        rows.push(("modes", format!("{} · {}{apart}", ladder.join("  "), visible(&summary::strictest(report)))));
    }
    rows.push(("proof", summary::round_trips(report)));
    rows.push(("counts", summary::counts(report)));
    if let Some(command) = command::reproduce(report) {
        rows.push(("reproduce", visible(&command).into_owned()));
    }
    let mut with_page = report.findings.iter().filter(|finding| !cells::unclassified(finding));
    let worst = with_page.clone().find(|f| f.breaking).or_else(|| with_page.find(|f| f.severity == Severity::Warning));
    if let Some(finding) = worst {
        rows.push(("explain", format!("wireproof explain {}", visible(&finding.rule))));
    }
    let commands: Vec<String> = report.findings.iter().filter_map(|finding| command::accept(report, finding)).collect();
    match commands.as_slice() {
        [] => {}
        [only] => rows.push(("accept", format!("{} (if the break is intended)", visible(only)))),
        [first, rest @ ..] => {
            let others = text::plural(rest.len(), "other");
            rows.push(("accept", format!("{} (if intended; {others} by the ids above)", visible(first))));
        }
    }
    rows.iter().map(line).collect::<Vec<_>>().join("\n")
}
