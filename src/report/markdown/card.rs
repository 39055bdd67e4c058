//! One finding of a comment: the lines, who breaks, the bytes, and what to do.

use super::super::cells::{self, Refusal};
use super::super::links::Links;
use super::super::overview::Entry;
use super::super::{Evidence, Finding, Location, Report, command, excerpts, patch, since, witness};
use super::markup::{clip, code, details, fenced, prose};
use crate::ordered::OrderedSet;
use crate::text;
use crate::vocabulary::Surface;

/// So many places of one entry are named in its line.
pub(super) const PLACES: usize = 8;
/// More places of one entry are counted.
const MOST_PLACES: usize = 100;

/// What there is to know about an entry; of several findings alike the first is shown, and the others are named. Prose of
/// rules that was `told` is not told again.
pub(super) fn body(
    report: &Report,
    entry: &Entry<'_>,
    links: &Links,
    cell: usize,
    told: &mut OrderedSet<String>,
) -> String {
    let finding = entry.findings[0];
    let mut blocks = Vec::new();
    blocks.extend(lines(finding));
    let (hurt, fine) = cells::who_breaks(report, finding);
    let mut rows: Vec<String> = hurt.iter().map(|clause| format!("- {}", prose(clause, cell))).collect();
    rows.extend(fine.map(|fine| format!("- unaffected: {}", prose(&fine, cell))));
    rows.extend(since::finding(finding).map(|words| format!("- versions: {}", prose(&words, cell))));
    rows.extend(witness::dissent(report, finding).iter().map(|clause| format!("- {}", prose(clause, cell))));
    if matches!(cells::refusal(report, finding), Some(Refusal::Tool { .. })) {
        rows.extend(witness::peers(report, finding).iter().map(|words| format!("- {}", prose(words, cell))));
    }
    blocks.push(format!("**Who breaks**\n{}", rows.join("\n")));
    let mut news = |words: &str| !words.trim().is_empty() && told.insert(words.trim().to_owned());
    if news(&finding.why) {
        blocks.push(prose(finding.why.trim(), cell));
    }
    if news(&finding.fix) {
        blocks.push(format!("**Do instead:** {}", prose(finding.fix.trim(), cell)));
    }
    let shown = witness::witnesses(report, finding);
    blocks.extend(shown.into_iter().map(|evidence| fenced("text", &self::witness(evidence, finding))));
    let edit = finding.suggestion.as_ref().and_then(|edit| Some((edit, patch::patch(edit)?)));
    blocks.extend(edit.map(|(edit, diff)| {
        format!("Suggested edit in {}:\n\n{}", code(&edit.file, 200), fenced("diff", &text::visible_lines(&diff)))
    }));
    if entry.findings.len() > PLACES {
        let one = |finding: &&Finding| {
            let place = place(finding, links).map(|place| format!(" ({place})")).unwrap_or_default();
            format!("{}{place}", code(&finding.path, cell.min(100)))
        };
        let mut all: Vec<String> = entry.findings.iter().skip(PLACES).take(MOST_PLACES).map(one).collect();
        let rest = entry.findings.len().saturating_sub(PLACES + MOST_PLACES);
        all.extend((rest > 0).then(|| format!("{} more", text::number(rest))));
        blocks.push(match all.len() {
            0..=PLACES => format!("Also {}.", text::list(&all)),
            // A page of names hides what stands below it.
            _ => {
                let more = text::plural(entry.findings.len() - PLACES, "more place");
                details(&more, &format!("{}.", text::list(&all)))
            }
        });
    }
    if let Some(command) = command::accept(report, finding) {
        blocks.push(format!("If it is intended: {}", code(&command, 300)));
    }
    blocks.join("\n\n")
}

/// The line before and after, as a difference shows them; nothing where they are alike.
fn lines(finding: &Finding) -> Option<String> {
    let line = |location: &Option<Location>| location.as_ref().map(|at| excerpts::one_line(finding, at, 200));
    // Beside what came or went stands what holds it; that is no line of the difference.
    let is = |what: &str| finding.family.ends_with(what);
    let old = if is("-added") { None } else { line(&finding.old) };
    let new = if is("-removed") { None } else { line(&finding.new) };
    let shown = |mark: &str, line: &Option<String>| line.as_ref().map(|line| format!("{mark} {}", text::visible(line)));
    let lines: Vec<String> = match old == new {
        true => shown(" ", &new).into_iter().collect(),
        false => shown("-", &old).into_iter().chain(shown("+", &new)).collect(),
    };
    (!lines.is_empty()).then(|| fenced("diff", &lines.join("\n")))
}

fn witness(evidence: &Evidence, finding: &Finding) -> String {
    const JSON: usize = 400;
    let encoding = if evidence.surface == Surface::Json { " in JSON" } else { "" };
    let mut lines = vec![
        format!("type   {}{encoding}, {}", clip(&evidence.type_name, 200), witness::journey(evidence)),
        format!("wrote  {}", witness::wrote_words(evidence, JSON)),
    ];
    match (witness::annotated(evidence), witness::records(evidence, &finding.format)) {
        // JSON, which was shown.
        _ if evidence.surface == Surface::Wire && witness::is_written_as_shown(evidence) => {}
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
    lines.extend(witness::costs(evidence).map(|costs| format!("costs  {costs}")));
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

/// `shop/user.proto:4`, as a link where it is known to what.
pub(super) fn place(finding: &Finding, links: &Links) -> Option<String> {
    let (side, at, page) = match (&finding.old, &finding.new) {
        (_, Some(new)) => ("", new, links.new_line(new)),
        (Some(old), None) if since::is_of_last(finding) => ("old ", old, links.old_line(old)),
        (Some(old), None) => ("old ", old, None),
        (None, None) => return None,
    };
    let shown = code(&format!("{side}{}:{}", at.file, at.line), 160);
    Some(page.map_or(shown.clone(), |page| format!("[{shown}]({page})")))
}
