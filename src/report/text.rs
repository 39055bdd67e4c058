//! The report for a terminal: what happened in the first line, what to do in the second, then one block per change in
//! the shape compilers use.
//!
//! It prints nothing and decides nothing: whether to colour, how much to say and how wide is the caller's choice. Text
//! from schemas and paths is made harmless before it is printed; several findings of one rule are shortened, never dropped.

mod excerpt;
mod list;
mod problems;
mod style;

use annotate_snippets::{Group, Level};

use super::cells::{self, Refusal};
use super::overview::{self, Entry, Weight, entries};
use super::troubles::{Trouble, troubles};
use super::{Evidence, Finding, Location, ModeVerdict, Problem, Report, command, findings, since, summary, witness};
use crate::text::{self, visible};
use crate::vocabulary::{Mode, Open, ProblemSeverity, SPEC, Severity, Side, Status, Surface, Verdict};
use excerpt::{Excerpt, edits_in_words, patch_group};
use list::in_parentheses;
use style::{BAD, GOOD, POLICY, UNSURE, color_of};
pub(crate) use style::{BOLD, DIM};
pub use style::{Color, Detail, LongLines, TextStyle};
use style::{MESSAGE_LENGTH, message};

/// A report is this many lines long where that can be: what is graver has its card first, the rest is a line each.
const SCREEN: usize = 60;
/// Room that the bytes of the gravest take.
const GRAVEST: usize = 11;
/// So few entries above notes each have their card, whatever the length.
const FEW: usize = 3;
/// Problems and gaps beyond this are only counted.
const MOST_GAPS: usize = 50;
/// Bytes of a witness that are printed.
const HEX_BYTES: usize = 32;
/// A message of up to so many fields is taken apart, field by field.
const READABLE_RECORDS: usize = 6;
const JSON_LENGTH: usize = 160;
/// Columns of a label in the foot.
const FOOT: usize = 11;

/// The report as text, with a final line feed.
pub fn render(report: &Report, style: &TextStyle) -> String {
    let entries = match style.detail {
        Detail::Quiet | Detail::Normal => entries(report),
        Detail::Verbose => overview::every_entry(report),
    };
    let blocks = match style.detail {
        Detail::Quiet => quiet(report, &entries, style),
        Detail::Normal => normal(report, &entries, style),
        Detail::Verbose => verbose(report, &entries, style),
    };
    let mut out = blocks.join("\n\n");
    out.push('\n');
    without_commands(out)
}

/// The verdict, and one line for each entry that breaks or keeps the verdict from being told.
fn quiet(report: &Report, entries: &[Entry<'_>], style: &TextStyle) -> Vec<String> {
    let grave = entries.iter().filter(|entry| entry.weight <= Weight::Policy);
    let mut lines: Vec<String> =
        grave.map(|entry| list::line(report, entry, style, list::ALL_PLACES, list::Common::default())).collect();
    let problems = troubles(report);
    lines.extend(problems.iter().filter(|trouble| trouble.is_error()).flat_map(|one| problems::lines(one, style)));
    let mut out = vec![verdict_line(report, style).join("\n")];
    out.extend((!lines.is_empty()).then(|| lines.join("\n")));
    out
}

/// A line for each entry, and the card of the gravest as far as there is room. A few findings are cards at once.
fn normal(report: &Report, entries: &[Entry<'_>], style: &TextStyle) -> Vec<String> {
    let above = entries.iter().take_while(|entry| entry.weight != Weight::Note).count();
    let is_few = above <= FEW && entries[..above].iter().all(|entry| entry.findings.len() == 1);
    let listed = if is_few { &entries[above..] } else { entries };
    let mut front = vec![head(report, style)];
    let troubles = troubles(report);
    let (errors, warnings): (Vec<&Trouble<'_>>, Vec<&Trouble<'_>>) = troubles.iter().partition(|one| one.is_error());
    // What could not be read may be the reason of everything below it.
    front.extend(problems::errors(&errors, style));
    let mut back: Vec<String> = waived(report, style).into_iter().collect();
    back.extend(problems::warnings(&warnings, style));
    back.extend(problems::not_checked(report, style));
    back.extend(foot(report, entries, style));
    let length = |blocks: &[String]| blocks.iter().map(|block| block.lines().count() + 1).sum::<usize>();
    let room = SCREEN.saturating_sub(length(&front) + length(&back) + if is_few { 0 } else { GRAVEST } + 2);
    let list = list::lines(report, listed, style, room);
    let mut used = length(&front) + length(&back) + list.as_ref().map_or(0, |list| list.lines().count() + 1);
    let mut cards: Vec<String> = Vec::new();
    let mut told = Told::default();
    for entry in &entries[..above] {
        let mut card = full(report, entry.findings[0], style, &mut told);
        let fits = |card: &str| used + card.lines().count() < SCREEN;
        if !is_few && !fits(&card) {
            if !cards.is_empty() {
                break;
            }
            // The gravest shows its bytes in any case.
            card = bytes(report, entry.findings[0], style);
        }
        let copies = overview::in_copies(entry, usize::MAX);
        if is_few && !copies.is_empty() {
            card = format!("{}\n{}", card.trim_end(), text::wrap(&visible(&copies), style.room(0)).join("\n"));
        }
        used += card.lines().count() + 1;
        cards.extend((!card.is_empty()).then_some(card));
    }
    match is_few {
        true => front.into_iter().chain(cards).chain(list).chain(back).collect(),
        false => front.into_iter().chain(list).chain(cards).chain(back).collect(),
    }
}

/// Everything in full.
fn verbose(report: &Report, entries: &[Entry<'_>], style: &TextStyle) -> Vec<String> {
    let card = |finding: &Finding| full(report, finding, style, &mut Told::default());
    let mut blocks = vec![head(report, style)];
    let (errors, warnings): (Vec<&Problem>, Vec<&Problem>) =
        report.problems.iter().partition(|problem| problem.severity == ProblemSeverity::Error);
    blocks.extend(errors.iter().map(|problem| problems::card(problem, style)));
    blocks.extend(entries.iter().flat_map(|entry| entry.findings.iter().chain(&entry.copies)).map(|one| card(one)));
    blocks.extend(findings::waived(report).into_iter().map(card));
    blocks.extend(warnings.iter().map(|problem| problems::card(problem, style)));
    blocks.extend(problems::not_checked(report, style));
    blocks.extend(foot(report, entries, style));
    blocks
}

/// The prose of rules that a report has already said: it is said once.
#[derive(Debug, Default)]
struct Told(Vec<String>);

impl Told {
    /// Whether a text is said for the first time.
    fn is_news(&mut self, text: &str) -> bool {
        let is_news = !self.0.iter().any(|known| known == text);
        if is_news {
            self.0.push(text.to_owned());
        }
        is_news
    }
}

/// One finding in full, without a final line feed.
pub fn card(report: &Report, finding: &Finding, style: &TextStyle) -> String {
    without_commands(full(report, finding, style, &mut Told::default())).trim_end().to_owned()
}

/// One finding in full, as plain text without a final line feed.
pub(crate) fn finding(report: &Report, finding: &Finding) -> String {
    card(report, finding, &TextStyle::default())
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

/// Verdict, mode, what was compared; of what was judged otherwise than usual, that too.
fn verdict_line(report: &Report, style: &TextStyle) -> Vec<String> {
    let (mark, color) = match &report.verdict {
        Open::Known(Verdict::Compatible) => ("✓", GOOD),
        Open::Known(Verdict::Breaking) if summary::is_of_gate(report) => ("✗", POLICY),
        Open::Known(Verdict::Breaking) => ("✗", BAD),
        Open::Known(Verdict::Unknown) | Open::Unknown(_) => ("?", UNSURE),
    };
    let mut words = vec![format!("{mark} {}", summary::verdict(report)), format!("mode {}", summary::mode(report))];
    words.push(summary::compared(report));
    let is_calm = summary::is_calm(report);
    // Where nothing changed, how that would have been judged is of no concern to who wants few words.
    if !is_calm || style.detail != Detail::Quiet {
        words.extend(summary::terms(report));
        words.extend(is_calm.then(|| summary::counts(report)));
    }
    let mut lines = in_lines(&words, style);
    if let Some(verdict) = lines.first_mut() {
        let end = verdict.find('\n').unwrap_or_else(|| visible(&words[0]).len());
        *verdict = format!("{}{}", style.paint(color, &verdict[..end]), &verdict[end..]);
    }
    lines
}

/// The verdict, the upgrade order and the way back.
fn head(report: &Report, style: &TextStyle) -> String {
    let mut lines = verdict_line(report, style);
    if !summary::is_calm(report) {
        let (order, rollback) = summary::order_and_rollback(report);
        let facts = [format!("upgrade order: {order}"), format!("rollback: {rollback}")];
        let together = facts.join(" · ");
        let facts = if together.chars().count() + 2 <= style.width { vec![together] } else { facts.to_vec() };
        for fact in facts {
            lines.extend(indented(&fact, style));
        }
    }
    lines.join("\n")
}

/// Prose below a line: two columns in, and four where it goes on.
fn indented(prose: &str, style: &TextStyle) -> Vec<String> {
    let wrapped = text::wrap(&visible(prose), style.room(4));
    let line = |(at, line): (usize, &String)| if at == 0 { format!("  {line}") } else { format!("    {line}") };
    wrapped.iter().enumerate().map(line).collect()
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
            Some(_) => lines.push(format!("  {}", text::wrap(&word, style.edge(4)).join("\n    "))),
            None => lines.push(text::wrap(&word, style.edge(2)).join("\n  ")),
        }
    }
    lines
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
        let label = style.paint(
            color_of(&finding.severity),
            &format!("{}[{}]", visible(finding.severity.as_str()), visible(&finding.rule)),
        );
        let place = in_parentheses(findings::side_and_place(finding));
        lines.push(format!("  {label}: {}{place}", message(&finding.message)));
        let words = format!("{} ({})", findings::waiver(waiver, 400), visible(&findings::waiver_place(waiver)));
        lines.extend(text::wrap(&words, style.room(6)).iter().map(|line| format!("    {line}")));
    }
    if findings.len() > most {
        let more = text::number(findings.len() - most);
        lines.push(format!("  and {more} more; `-v` shows them, `--format json` lists them"));
    }
    vec![lines.join("\n")]
}

/// The level of a card. What no reader feels has a name and a colour of its own.
fn level(report: &Report, finding: &Finding) -> Level<'static> {
    let weight = Weight::of(report, finding);
    if finding.waiver.is_none() && weight.is_of_gate() {
        return Level::INFO.with_name(weight.word());
    }
    match &finding.severity {
        Open::Known(Severity::Error) => Level::ERROR,
        Open::Known(Severity::Warning) => Level::WARNING,
        Open::Known(Severity::Note) => Level::NOTE,
        Open::Unknown(word) => Level::WARNING.with_name(visible(&text::shorten(word, 40)).into_owned()),
    }
}

/// The word of that level.
fn word(report: &Report, finding: &Finding) -> String {
    let weight = Weight::of(report, finding);
    match finding.waiver.is_none() && weight.is_of_gate() {
        true => weight.word().to_owned(),
        false => visible(&text::shorten(finding.severity.as_str(), 40)).into_owned(),
    }
}

/// One finding with everything that is known about it.
fn full(report: &Report, finding: &Finding, style: &TextStyle, told: &mut Told) -> String {
    let (old, new) = (finding.old.as_ref().map(Excerpt::of), finding.new.as_ref().map(Excerpt::of));
    let message = message(&finding.message);
    let title = level(report, finding).primary_title(message.clone()).id(visible(&finding.rule));
    let mut group = Group::with_title(title);
    let label = |other: &Option<Location>, word: &'static str| if other.is_none() { Some(word) } else { None };
    if let Some(excerpt) = &old {
        group = excerpt.add_to(group, Side::Old.name(), label(&finding.new, "not on the new side"));
    }
    if let Some(excerpt) = &new {
        group = excerpt.add_to(group, Side::New.name(), label(&finding.old, "not on the old side"));
    }
    for (name, lines) in prose(report, finding, style, told) {
        group = group.element(Level::NOTE.with_name(name).message(lines.join("\n")));
    }
    let mut groups = vec![group];
    let patch = finding.suggestion.as_ref().and_then(|suggestion| Some((suggestion, suggestion.context.as_ref()?)));
    if let Some(group) = patch.and_then(|(suggestion, context)| patch_group(suggestion, context)) {
        groups.push(group);
    }
    let label = format!("{}[{}]", word(report, finding), visible(&finding.rule));
    let mut out = style.in_lines(style.renderer().render(&groups), &label, &message);
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

/// A finding that has a line already: only who breaks, what was written and read, and what to do.
fn bytes(report: &Report, finding: &Finding, style: &TextStyle) -> String {
    let message = format!("the gravest, `{}`", visible(&text::elide(&finding.path, 200)));
    let title = level(report, finding).primary_title(message.clone());
    let rows = prose(report, finding, style, &mut Told::default()).into_iter();
    let rows = rows.filter(|(name, _)| ["who breaks", "proof", "fix"].contains(name));
    let group = rows.fold(Group::with_title(title), |group, (name, lines)| {
        group.element(Level::NOTE.with_name(name).message(lines.join("\n")))
    });
    style.in_lines(style.renderer().render(&[group]), &word(report, finding), &message)
}

/// The labelled paragraphs below the snippets.
fn prose(report: &Report, finding: &Finding, style: &TextStyle, told: &mut Told) -> Vec<(&'static str, Vec<String>)> {
    let wrapped = |text: &str| text::wrap(&text::visible_lines(&text::elide(text, 4 * MESSAGE_LENGTH)), style.prose());
    let mut out = Vec::new();
    if !finding.why.trim().is_empty() && told.is_news(&finding.why) {
        out.push(("why", wrapped(&finding.why)));
    }
    let (breaks, fine) = cells::who_breaks(report, finding);
    out.push(("who breaks", breaks.iter().flat_map(|clause| wrapped(clause)).collect()));
    if let Some(fine) = fine {
        out.push(("unaffected", wrapped(&fine)));
    }
    out.extend(since::finding(finding).map(|words| ("versions", wrapped(&words))));
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
    if !finding.fix.trim().is_empty() && told.is_news(&finding.fix) {
        out.push(("fix", wrapped(&finding.fix)));
    }
    if let Some(waiver) = &finding.waiver {
        out.push(("waived", wrapped(&findings::waiver(waiver, 400))));
    }
    if style.detail == Detail::Verbose {
        for (tool, ids) in finding.peers.iter().filter(|(_, ids)| !ids.is_empty()) {
            out.push(("peer", wrapped(&format!("{tool} reports {}", text::list(ids)))));
        }
    } else if matches!(cells::refusal(report, finding), Some(Refusal::Tool { .. })) {
        out.extend(witness::peers(report, finding).iter().map(|words| ("peer", wrapped(words))));
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
    let mut first = format!("`{}`{encoding} {}", visible(&type_name), witness::journey(evidence));
    if evidence.runtime != SPEC {
        first.push_str(&format!(" with {}", visible(&evidence.runtime)));
    }
    let mut lines = text::wrap(&first, style.edge(13));
    lines.push(format!("wrote {}", witness::wrote_words(evidence, JSON_LENGTH)));
    let records = witness::records(evidence, format).unwrap_or_default();
    let readable = style.detail == Detail::Verbose || records.len() <= READABLE_RECORDS;
    if !records.is_empty() && readable && evidence.bytes.len() <= 2 * HEX_BYTES {
        let width = records.iter().map(|record| record.hex.len()).max().unwrap_or(0).min(30);
        for (at, record) in records.iter().enumerate() {
            let label = if at == 0 { "bytes" } else { "" };
            lines.push(format!("{label:<5} {:<width$}  {}", record.hex, record.meaning));
        }
    } else if evidence.surface == Surface::Wire && witness::is_written_as_shown(evidence) {
        // JSON, which was shown.
    } else if evidence.surface == Surface::Wire {
        lines.push(format!("bytes {}", visible(&witness::grouped_hex(&evidence.bytes, HEX_BYTES))));
    } else {
        let words = text::shorten(&visible(&evidence.bytes), JSON_LENGTH).into_owned();
        lines.push(format!("text  {words} ({})", text::plural(evidence.bytes.len(), "byte")));
    }
    lines.push(format!("read  {}", witness::read_words(evidence, JSON_LENGTH)));
    lines.extend(witness::costs(evidence).map(|costs| format!("costs {costs}")));
    if style.detail == Detail::Verbose {
        lines.extend(witness::replay(evidence, format));
    }
    lines
}

/// Each mode and whether it passes; where transitive ones are among them, what each of them fails for.
fn ladder(report: &Report, style: &TextStyle) -> Vec<(&'static str, String)> {
    let rung = |rung: &ModeVerdict| {
        let (mark, color) = if rung.passes { ("✓", GOOD) } else { ("✗", BAD) };
        format!("{} {}", visible(rung.mode.as_str()), style.paint(color, mark))
    };
    let is_transitive = |rung: &&ModeVerdict| matches!(rung.mode, Open::Known(mode) if mode.is_transitive());
    let (transitive, of_two): (Vec<&ModeVerdict>, Vec<&ModeVerdict>) = report.modes.iter().partition(is_transitive);
    let apart = if findings::waived(report).is_empty() { "" } else { ", what is waived left out" };
    let words = format!("· {}{apart}", visible(&summary::strictest(report)));
    // A mark stays with its mode.
    let line = |rungs: &[&ModeVerdict], words: &str| {
        let rungs = rungs.iter().map(|one| ("  ", rung(one)));
        let pieces = rungs.chain(words.split_whitespace().map(|word| (" ", word.to_owned())));
        text::in_lines(pieces, style.edge(FOOT)).join(&format!("\n{:FOOT$}", ""))
    };
    let mut lines = vec![line(&of_two, &words)];
    if transitive.is_empty() {
        return labelled("modes", lines);
    }
    lines.push(line(&transitive, ""));
    let costs = since::costs(report).iter().map(|line| message(line)).collect();
    labelled("modes", lines).into_iter().chain(labelled("costs", costs)).collect()
}

/// Lines of the foot, of which the first has a label. What they hold is made harmless, but for colours.
fn labelled(label: &'static str, lines: Vec<String>) -> Vec<(&'static str, String)> {
    lines.into_iter().enumerate().map(|(at, line)| (if at == 0 { label } else { "" }, line)).collect()
}

/// Mode ladder, what was proven, counts, and the commands that lead further.
fn foot(report: &Report, entries: &[Entry<'_>], style: &TextStyle) -> Option<String> {
    let mut rows: Vec<(&str, String)> = Vec::new();
    let line = |(name, words): &(&str, String)| {
        // A command stays on one line: so it can be copied. What is in lines already stays in them.
        let is_command = ["reproduce", "plan", "explain", "accept"].contains(name);
        let fits = words.contains('\n') || text::columns(words) <= style.edge(FOOT);
        let words = match is_command || fits {
            true => words.clone(),
            false => text::wrap(words, style.edge(FOOT)).join(&format!("\n{:FOOT$}", "")),
        };
        format!("{} {words}", style.paint(DIM, &format!("{name:<10}")))
    };
    if summary::is_calm(report) {
        return None;
    }
    if !summary::is_told(report) {
        rows.push(("modes", "not established".to_owned()));
    } else if !report.modes.is_empty() {
        rows.extend(ladder(report, style));
    }
    rows.extend(labelled("versions", since::versions(report).iter().map(|line| visible(line).into_owned()).collect()));
    if report.mode != Mode::None {
        let demands = summary::demands(report).iter().map(|demand| visible(demand).into_owned()).collect();
        rows.extend(labelled("meaning", demands));
    }
    rows.push(("proof", summary::round_trips(report)));
    rows.push(("counts", summary::counts(report)));
    if let Some(command) = command::reproduce(report) {
        rows.push(("reproduce", visible(&command).into_owned()));
    }
    if let (Some(command), Some(words)) = (command::plan(report), summary::way(report)) {
        rows.push(("plan", format!("{words}: {}", visible(&command))));
    }
    let worst = entries.iter().take_while(|entry| entry.weight != Weight::Note);
    if let Some(entry) = worst.clone().find(|entry| !cells::unclassified(entry.findings[0])) {
        rows.push(("explain", format!("wireproof explain {}", visible(entry.rule))));
    }
    let in_order = entries.iter().flat_map(|entry| &entry.findings);
    let commands: Vec<String> = in_order.filter_map(|finding| command::accept(report, finding)).collect();
    match commands.as_slice() {
        [] => {}
        [only] => rows.push(("accept", format!("{} (if the break is intended)", visible(only)))),
        [first, rest @ ..] => {
            let others = text::plural(rest.len(), "other");
            // A line for several names no ids.
            let ids = match entries.iter().any(|entry| entry.weight <= Weight::Policy && entry.findings.len() > 1) {
                true => format!("`-v` has the ids of the {others}, `--rule RULE` takes all of a rule"),
                false => format!("`-q` and `-v` have the ids of the {others}"),
            };
            rows.push(("accept", format!("{} (if intended; {ids})", visible(first))));
        }
    }
    Some(rows.iter().map(line).collect::<Vec<_>>().join("\n"))
}
