//! What is wrong with the input and what the verdict does not cover: in full the first that keep it from being told, the
//! rest a line each.

use annotate_snippets::{Group, Level};

use super::super::troubles::{self, Trouble};
use super::super::{Location, Problem, Report};
use super::excerpt::Excerpt;
use super::list::in_parentheses;
use super::style::{BOLD, Detail, TextStyle, color_of_problem, message};
use crate::text::{self, visible};
use crate::vocabulary::{Open, ProblemSeverity};

/// So many kinds of problems are shown with their lines …
const CARDS: usize = 3;
/// … and so many told at all, unless everything is asked for.
const MOST: usize = 12;
/// So many problems alike are named.
const NAMED: usize = 8;

/// What keeps the verdict from being told: the first with their lines, then a line each.
pub(super) fn errors(errors: &[&Trouble<'_>], style: &TextStyle) -> Vec<String> {
    let in_full = |trouble: &&Trouble<'_>| {
        let mut block = card(trouble.first.problem, style);
        let others: Vec<String> = trouble.told().skip(1).map(|spot| one(trouble, spot, style)).collect();
        let likewise = trouble.likewise(NAMED).map(|words| wrapped(&words, "", style));
        for line in others.into_iter().chain(likewise) {
            block.push('\n');
            block.push_str(&line);
        }
        block
    };
    let mut blocks: Vec<String> = errors.iter().take(CARDS).map(in_full).collect();
    blocks.extend(listed(errors.get(CARDS..).unwrap_or_default(), style));
    blocks
}

/// What does not keep the verdict from being told: a line each.
pub(super) fn warnings(warnings: &[&Trouble<'_>], style: &TextStyle) -> Option<String> {
    listed(warnings, style)
}

fn listed(troubles: &[&Trouble<'_>], style: &TextStyle) -> Option<String> {
    let mut out: Vec<String> = troubles.iter().take(MOST).flat_map(|trouble| lines(trouble, style)).collect();
    let more: usize = troubles.iter().skip(MOST).map(|trouble| trouble.count()).sum();
    if more > 0 {
        out.push(format!("and {}; `-v` shows them, `--format json` lists them", text::plural(more, "more problem")));
    }
    (!out.is_empty()).then(|| out.join("\n"))
}

/// A line for each problem of a kind, or one for many; what to do is said once.
pub(super) fn lines(trouble: &Trouble<'_>, style: &TextStyle) -> Vec<String> {
    let mut lines: Vec<String> = trouble.told().map(|spot| one(trouble, spot, style)).collect();
    if let (Some(words), Some(last)) = (trouble.likewise(NAMED), lines.last_mut()) {
        *last = wrapped(&format!("{last}; {}", visible(&words)), "", style);
    }
    let help = trouble.first.problem.help.trim();
    if style.detail != Detail::Quiet && !help.is_empty() {
        lines.push(wrapped(&format!("help: {}", visible(&text::elide(help, 400))), "  ", style));
    }
    let label = severity(&trouble.first.problem.severity);
    let color = color_of_problem(&trouble.first.problem.severity);
    lines
        .iter()
        .map(|line| match line.strip_prefix(&label) {
            Some(rest) => format!("{}{rest}", style.paint(color, &label)),
            None => line.clone(),
        })
        .collect()
}

fn one(trouble: &Trouble<'_>, spot: &troubles::Spot<'_>, style: &TextStyle) -> String {
    let label = severity(&spot.problem.severity);
    let count = match trouble.likewise(0) {
        Some(_) => format!(" ×{}", text::number(trouble.count())),
        None => String::new(),
    };
    let message = message(&spot.problem.message);
    wrapped(&format!("{label}{count}: {message}{}", in_parentheses(spot.place())), "", style)
}

/// Prose in lines that fit, two columns further in where it goes on.
fn wrapped(words: &str, indent: &str, style: &TextStyle) -> String {
    let between = format!("\n{indent}  ");
    let words = words.split_whitespace().collect::<Vec<_>>().join(" ");
    format!("{indent}{}", text::wrap(&words, style.edge(indent.len() + 2)).join(&between))
}

fn severity(severity: &Open<ProblemSeverity>) -> String {
    visible(&text::shorten(severity.as_str(), 40)).into_owned()
}

fn level(severity: &Open<ProblemSeverity>) -> Level<'static> {
    match severity {
        Open::Known(ProblemSeverity::Error) => Level::ERROR,
        Open::Known(ProblemSeverity::Warning) => Level::WARNING,
        Open::Unknown(word) => Level::WARNING.with_name(visible(&text::shorten(word, 40)).into_owned()),
    }
}

fn place(problem: &Problem) -> Option<String> {
    let file = problem.file.as_ref()?;
    let side = text::problem_side(problem.side.as_ref());
    let position = match (problem.line, problem.column) {
        (Some(line), Some(column)) => format!(":{line}:{column}"),
        (Some(line), None) => format!(":{line}"),
        _ => String::new(),
    };
    Some(format!("{side}{file}{position}"))
}

/// A problem in an input, in the shape of a finding but without a rule.
pub(super) fn card(problem: &Problem, style: &TextStyle) -> String {
    let message = message(&problem.message);
    let mut group = Group::with_title(level(&problem.severity).primary_title(message.as_str()));
    let excerpt = match (&problem.file, problem.line, problem.column, &problem.text) {
        (Some(file), Some(line), Some(column), Some(text)) => {
            let (file, text) = (file.clone(), text.clone());
            let end_column = column.saturating_add(1);
            Some(Excerpt::of(&Location { file, line, column, end_line: line, end_column, text }))
        }
        _ => None,
    };
    let side = match text::problem_side(problem.side.as_ref()).trim_end() {
        "" => "in".to_owned(),
        side => side.to_owned(),
    };
    if let Some(excerpt) = &excerpt {
        group = excerpt.add_to(group, &side, None);
    } else if let Some(place) = place(problem) {
        group = group.element(annotate_snippets::Origin::path(visible(&place).into_owned()));
    }
    if !problem.help.trim().is_empty() {
        let help = text::wrap(&text::visible_lines(&problem.help), style.prose()).join("\n");
        group = group.element(Level::HELP.message(help));
    }
    let drawn = style.renderer().render(&[group]);
    let drawn = style.in_lines(drawn, &severity(&problem.severity), &message);
    excerpt.map_or(drawn.clone(), |excerpt| excerpt.correct_column(&side, drawn))
}

/// What the verdict does not cover, without what the problems say already.
pub(super) fn not_checked(report: &Report, style: &TextStyle) -> Vec<String> {
    let gaps = troubles::not_checked(report);
    if gaps.is_empty() {
        return vec![];
    }
    let most = if style.detail == Detail::Verbose { usize::MAX } else { MOST };
    let mut lines = vec![style.paint(BOLD, "not checked: the verdict does not cover")];
    let mut said = "";
    for (at, gap) in gaps.iter().take(most).enumerate() {
        let file = if gap.file.is_empty() { String::new() } else { format!("{}: ", visible(&gap.file)) };
        lines.push(wrapped(&format!("{file}{}", visible(&gap.what)), "  ", style));
        let is_last_of_it = gaps.get(at + 1).filter(|_| at + 1 < most).is_none_or(|next| next.help != gap.help);
        if !gap.help.trim().is_empty() && is_last_of_it && said != gap.help {
            lines.push(wrapped(&format!("help: {}", visible(&gap.help)), "    ", style));
            said = &gap.help;
        }
    }
    if gaps.len() > most {
        let more = text::number(gaps.len() - most);
        lines.push(format!("  and {more} more; `-v` shows them, `--format json` lists them"));
    }
    vec![lines.join("\n")]
}
