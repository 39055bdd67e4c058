//! The timeline as one HTML page without script, requests or fonts, with the matrix as a map that prints well.

use super::super::html::markup::escape;
use super::text::{headline, whom};
use super::{Reads, Step, Timeline};

const STYLE: &str = include_str!("style.css");

/// Breaks that are listed.
const MOST: usize = 500;

/// The page.
pub fn render(timeline: &Timeline) -> String {
    let title = escape(headline(timeline).trim_end());
    let mut out = format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width\">\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\
         <title>{title}</title>\n<style>\n{STYLE}</style></head>\n<body><main>\n<h1>{title}</h1>\n"
    );
    out.push_str(&matrix(timeline));
    out.push_str(&steps(timeline));
    out.push_str(&freed(timeline));
    if !timeline.not_checked.is_empty() {
        let gaps = timeline.not_checked.iter().map(|gap| {
            format!("<li>{} {} <small>{}</small></li>\n", escape(&gap.file), escape(&gap.what), escape(&gap.help))
        });
        out.push_str(&format!("<h2>Not checked</h2>\n<ul>\n{}</ul>\n", gaps.collect::<String>()));
    }
    out.push_str("</main></body></html>\n");
    out
}

fn matrix(timeline: &Timeline) -> String {
    let shown = &timeline.matrix.versions;
    if shown.len() < 2 {
        return String::new();
    }
    let heads: String = (1..=shown.len()).map(|column| format!("<th scope=\"col\">{column}</th>")).collect();
    let mut out = format!(
        "<h2>Who can read whom</h2>\n<p>A row for each reader, a column for each writer.</p>\n\
         <div class=\"wide\"><table class=\"map\"><thead><tr><th></th><th></th>{heads}</tr></thead>\n<tbody>\n"
    );
    for (row, (at, cells)) in shown.iter().zip(&timeline.matrix.cells).enumerate() {
        let version = &timeline.versions[*at];
        let cells = cells.iter().enumerate().map(|(column, cell)| {
            let (class, mark, words) = match cell {
                _ if row == column => ("same", "·", "itself"),
                Reads::Compatible => ("yes", "✓", "can read"),
                Reads::Breaking => ("no", "✗", "cannot read"),
                Reads::Unknown => ("untold", "?", "could not be told"),
            };
            let writer = &timeline.versions[shown[column]].name;
            let words = format!("{} {words} {writer}", version.name);
            format!("<td class=\"{class}\" title=\"{}\">{mark}</td>", escape(&words))
        });
        let cells: String = cells.collect();
        let (name, subject) = (escape(&version.name), escape(&version.subject));
        out.push_str(&format!(
            "<tr><th scope=\"row\">{}</th><th scope=\"row\" title=\"{subject}\"><code>{name}</code> {}</th>{cells}</tr>\n",
            row + 1,
            escape(&version.day)
        ));
    }
    out.push_str("</tbody></table></div>\n");
    out
}

fn steps(timeline: &Timeline) -> String {
    let told: Vec<&Step> = match timeline.element {
        Some(_) => timeline.steps.iter().rev().filter(|step| !step.changes.is_empty()).collect(),
        None => timeline.breaks(),
    };
    let title = if timeline.element.is_some() { "What happened to it" } else { "Breaks" };
    if told.is_empty() {
        return String::new();
    }
    let mut out = format!("<h2>{title}, newest first</h2>\n");
    for step in told.iter().take(MOST) {
        let version = &timeline.versions[step.versions[1]];
        let (name, subject) = (escape(&version.name), escape(&version.subject));
        out.push_str(&format!("<h3><code>{name}</code> {} {subject}</h3>\n<ul>\n", escape(&version.day)));
        for change in &step.changes {
            let whom = if change.breaks.is_empty() { String::new() } else { format!(" — {}", whom(&change.breaks)) };
            let place = change.place.as_ref().map_or(String::new(), |(file, line)| format!("{file}:{line}"));
            out.push_str(&format!(
                "<li>{}{whom} <small><code>{}</code> {}</small></li>\n",
                escape(&change.message),
                escape(&change.rule),
                escape(&place)
            ));
        }
        out.push_str("</ul>\n");
    }
    if told.len() > MOST {
        out.push_str(&format!("<p>And {} earlier; the JSON form has all.</p>\n", told.len() - MOST));
    }
    out
}

fn freed(timeline: &Timeline) -> String {
    if timeline.freed.is_empty() {
        return String::new();
    }
    let row = |one: &super::Freed| {
        let owners: Vec<String> =
            one.owners.iter().map(|owner| format!("{} until {}", owner.name, owner.until)).collect();
        let now = if one.now.is_empty() { "free" } else { &one.now };
        format!(
            "<tr><td><code>{}</code></td><td>{} {}</td><td>{}</td><td>{}</td></tr>\n",
            escape(&one.element),
            escape(&one.role),
            escape(&one.number),
            escape(&owners.join(", ")),
            escape(now)
        )
    };
    let rows: String = timeline.freed.iter().take(MOST).map(row).collect();
    let left = timeline.freed.len().saturating_sub(MOST);
    let more = if left > 0 { format!("<p>And {left} more; the JSON form has all.</p>\n") } else { String::new() };
    format!(
        "<h2>Numbers that something had once</h2>\n<div class=\"wide\"><table>\n<thead><tr><th>Element</th><th>Number</th>\
         <th>Had by</th><th>Now</th></tr></thead>\n<tbody>\n{rows}</tbody></table></div>\n{more}"
    )
}
