//! Lines of schemas side by side: those of one finding, and the changed lines of whole files.

use super::markup::{code, entities};
use crate::report::{FileDiff, Finding, Hunk, Location, excerpts};
use crate::text;
use crate::vocabulary::Side;

/// Whether a file is unfolded from the start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    Open,
    Folded,
}

/// Characters of a line.
const WIDEST: usize = 400;

/// Where a finding stands on both sides, with its lines.
pub(super) fn sides(finding: &Finding) -> String {
    if finding.old.is_none() && finding.new.is_none() {
        return String::new();
    }
    format!("<div class=sides>{}{}</div>", side(Side::Old, &finding.old), side(Side::New, &finding.new))
}

fn side(name: Side, location: &Option<Location>) -> String {
    let Some(at) = location else {
        return format!("<div class=lines><span class=name>{name}</span><p class=gap>not on the {name} side</p></div>");
    };
    let place = format!("{}:{}:{}", at.file, at.line, at.column);
    let mut out = format!("<div class=lines><span class=name>{name} {}</span>", code(&place, 200));
    for (passed, line) in (0..).zip(at.text.lines()) {
        let number = at.line.saturating_add(passed);
        let is_only = at.line == at.end_line;
        let content = if is_only { marked(at) } else { escaped_line(line) };
        out.push_str(&format!("<div class=line><span>{number}</span><span>{content}</span></div>"));
    }
    let shown = u32::try_from(at.text.lines().count()).unwrap_or(u32::MAX);
    if shown > 0 && at.end_line.saturating_sub(at.line) >= shown {
        out.push_str(&format!("<p class=gap>… to line {}</p>", at.end_line));
    }
    out.push_str("</div>");
    out
}

/// The line of a place with what is meant in it marked.
fn marked(at: &Location) -> String {
    let Some((line, meant)) = excerpts::meant(at) else {
        return escaped_line(at.text.lines().next().unwrap_or_default());
    };
    let (shown, meant) = excerpts::around(line, meant, WIDEST);
    match (shown.get(..meant.start), shown.get(meant.clone()), shown.get(meant.end..)) {
        (Some(before), Some(inside), Some(after)) if !inside.is_empty() => {
            format!("{}<mark>{}</mark>{}", escaped_line(before), escaped_line(inside), escaped_line(after))
        }
        _ => escaped_line(&shown),
    }
}

/// Tabs stay; everything else that acts on a screen is spelled out.
fn escaped_line(line: &str) -> String {
    entities(&text::visible_lines(&text::shorten(line, WIDEST)))
}

/// One file, its changed lines side by side, at most `most` of them; the number of lines shown comes back.
pub(super) fn file(diff: &FileDiff, most: usize, state: State) -> (String, usize) {
    let name = match (&diff.old, &diff.new) {
        (Some(old), Some(new)) if old != new => format!("{} → {}", code(old, 200), code(new, 200)),
        (_, Some(new)) if diff.old.is_none() => format!("{} (new file)", code(new, 200)),
        (Some(old), None) => format!("{} (deleted)", code(old, 200)),
        (_, name) => code(name.as_deref().unwrap_or_default(), 200),
    };
    let mut rows = String::new();
    let mut shown = 0;
    for hunk in &diff.hunks {
        if shown + hunk.lines.len() > most {
            rows.push_str("<p class=gap>… left out to keep the page small</p>");
            break;
        }
        shown += hunk.lines.len();
        rows.push_str(&format!("<p class=gap>from old line {}, new line {}</p>", hunk.old_line, hunk.new_line));
        rows.push_str(&side_by_side(hunk));
    }
    if diff.truncated {
        rows.push_str("<p class=gap>… the report holds no more lines of this file</p>");
    }
    let out = format!(
        "<details{}><summary><h3>{name}</h3></summary><div class=body><div class=lines>{rows}</div></div></details>\n",
        if state == State::Open { " open" } else { "" }
    );
    (out, shown)
}

/// Removed lines beside those that were put in their place.
fn side_by_side(hunk: &Hunk) -> String {
    let (mut old, mut new) = (hunk.old_line, hunk.new_line);
    let mut out = String::new();
    let (mut gone, mut come): (Vec<String>, Vec<String>) = (Vec::new(), Vec::new());
    for line in &hunk.lines {
        let content = line.get(1..).unwrap_or_default();
        match line.as_bytes().first() {
            Some(b'-') => {
                // What follows added lines is another change.
                if !come.is_empty() {
                    flush(&mut gone, &mut come, &mut out);
                }
                gone.push(half("gone", old, "−", content));
                old = old.saturating_add(1);
            }
            Some(b'+') => {
                come.push(half("come", new, "+", content));
                new = new.saturating_add(1);
            }
            _ => {
                flush(&mut gone, &mut come, &mut out);
                let halves = [half("", old, "", content), half("", new, "", content)].concat();
                out.push_str(&format!("<div class=\"row same\">{halves}</div>"));
                (old, new) = (old.saturating_add(1), new.saturating_add(1));
            }
        }
    }
    flush(&mut gone, &mut come, &mut out);
    out
}

fn half(class: &str, number: u32, sign: &str, content: &str) -> String {
    format!(
        "<div class=\"line {class}\"><span>{number}</span><span>{sign}</span><span>{}</span></div>",
        escaped_line(content)
    )
}

fn flush(gone: &mut Vec<String>, come: &mut Vec<String>, out: &mut String) {
    const EMPTY: &str = "<div class=\"line empty\"></div>";
    for at in 0..gone.len().max(come.len()) {
        let of = |halves: &[String]| halves.get(at).map_or(EMPTY, String::as_str).to_owned();
        out.push_str(&format!("<div class=row>{}{}</div>", of(gone), of(come)));
    }
    gone.clear();
    come.clear();
}

/// A suggested edit as lines with `+` and `-`.
pub(super) fn patch(file: &str, patch: &str) -> String {
    let mut out = format!("<div class=lines><span class=name>{}</span>", code(file, 200));
    for line in patch.lines() {
        let (class, sign) = match line.as_bytes().first() {
            Some(b'-') => ("gone", "−"),
            Some(b'+') => ("come", "+"),
            _ => ("", ""),
        };
        let content = escaped_line(line.get(1..).unwrap_or_default());
        out.push_str(&format!(
            "<div class=\"line {class}\"><span></span><span>{sign}</span><span>{content}</span></div>"
        ));
    }
    out.push_str("</div>");
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_utf_16_units() {
        let marked = |text: &str, column: u32, end_column: u32| {
            let (file, text) = (String::new(), text.to_owned());
            super::marked(&Location { file, line: 1, column, end_line: 1, end_column, text })
        };
        assert_eq!(marked("🦀 <a> b", 4, 7), "🦀 <mark>&lt;a&gt;</mark> b");
        assert_eq!(marked("ab", 9, 12), "ab");
        assert_eq!(marked("ab", 3, 1), "ab");
    }

    #[test]
    fn removed_lines_stand_beside_what_took_their_place() {
        let lines = ["-a", "-b", "+c", " d", "+e"].map(str::to_owned).to_vec();
        let out = side_by_side(&Hunk { old_line: 1, new_line: 1, lines });
        assert_eq!(out.matches("<div class=row>").count(), 3, "{out}");
        assert_eq!(out.matches("line empty").count(), 2, "{out}");
        assert!(out.contains("<span>2</span><span>−</span><span>b</span></div><div class=\"line empty\">"), "{out}");
    }
}
