//! Lines of a schema as compilers draw them: what is underlined, and edits as a patch.

use std::ops::Range;

use annotate_snippets::{AnnotationKind, Group, Level, Patch, Snippet};

use crate::report::{Location, PatchContext, Suggestion, excerpts};
use crate::text::{self, visible};

/// Lines of a schema, made harmless, and what to underline in them.
pub(super) struct Excerpt {
    path: String,
    line: u32,
    column: u32,
    source: String,
    span: Range<usize>,
    /// A report cuts very long lines; what lies behind the cut can be named but not shown.
    is_shown: bool,
}

impl Excerpt {
    pub(super) fn of(location: &Location) -> Excerpt {
        let source = harmless(&location.text);
        let meant = excerpts::meant(location);
        let is_shown = meant.is_some();
        // Making text harmless changes its length in bytes and no other: the span is counted anew.
        let harmless_bytes = |line: &str, at: usize| harmless(&line[..at]).len();
        let span = meant.map(|(line, span)| harmless_bytes(line, span.start)..harmless_bytes(line, span.end));
        let mut span = span.unwrap_or_default();
        // A declaration of several lines is underlined at its first line, where its name stands; of anything else of several
        // lines all is.
        let first = source.lines().next().unwrap_or_default().trim_end();
        let is_heading = first.ends_with('{') && first.contains(char::is_alphanumeric);
        if is_shown && location.end_line > location.line && !is_heading {
            span.end = source.trim_end().len().max(span.start);
        }
        Excerpt {
            path: visible(&location.file).into_owned(),
            line: location.line,
            column: location.column,
            source,
            span,
            is_shown,
        }
    }

    pub(super) fn add_to<'a>(&'a self, group: Group<'a>, side: &str, label: Option<&'a str>) -> Group<'a> {
        if self.is_shown {
            return group.element(self.snippet(side, label));
        }
        let place = format!("{side} {}:{}:{}", self.path, self.line, self.column);
        group.element(annotate_snippets::Origin::path(place))
    }

    fn snippet<'a>(&'a self, side: &str, label: Option<&'a str>) -> Snippet<'a, annotate_snippets::Annotation<'a>> {
        Snippet::source(self.source.as_str())
            .line_start(self.line as usize)
            .path(format!("{side} {}", self.path))
            .annotation(AnnotationKind::Primary.span(self.span.clone()).label(label))
    }

    /// The drawing library counts characters; reports and editors count UTF-16 units. They differ only behind
    /// characters outside the basic plane.
    pub(super) fn correct_column(&self, side: &str, drawn: String) -> String {
        let characters = self.source[..self.span.start].chars().count() + 1;
        if !self.is_shown || characters == self.column as usize {
            return drawn;
        }
        let place = |column: usize| format!("{side} {}:{}:{column}", self.path, self.line);
        drawn.replacen(&place(characters), &place(self.column as usize), 1)
    }
}

/// One character for one, so that positions stay. Line feeds and tabs stay: the drawing library knows them.
fn harmless(text: &str) -> String {
    let text = text.replace("\r\n", "\n");
    text.chars().map(|c| if c != '\n' && c != '\t' && text::is_hazard(c) { '\u{fffd}' } else { c }).collect()
}

/// The suggestion as a patch; `None` when an edit does not lie inside the lines at hand.
pub(super) fn patch_group(suggestion: &Suggestion, context: &PatchContext) -> Option<Group<'static>> {
    let source = harmless(&context.text);
    // Making text harmless changes its length in bytes: positions are counted anew.
    let position = |byte: u32| Some(harmless(context.text.get(..byte.checked_sub(context.start)? as usize)?).len());
    let (mut patches, mut last) = (Vec::new(), 0);
    for edit in &suggestion.edits {
        let (start, end) = (position(edit.start)?, position(edit.end)?);
        source.get(start..end)?;
        if start < last {
            return None;
        }
        last = end;
        let insert = harmless(&edit.insert);
        // Whole lines put behind the end of a line are the same as lines put before the next one, and read better so.
        let lines = insert
            .strip_prefix('\n')
            .filter(|lines| start == end && source[start..].starts_with('\n') && !lines.ends_with('\n'));
        patches.push(match lines {
            Some(lines) => Patch::new(start + 1..start + 1, format!("{lines}\n")),
            None => Patch::new(start..end, insert),
        });
    }
    if patches.is_empty() {
        return None;
    }
    let path = format!("new {}", visible(&suggestion.file));
    let snippet = Snippet::source(source).line_start(context.line as usize).path(path).patches(patches);
    Some(Level::HELP.secondary_title("suggested edit").element(snippet))
}

pub(super) fn edits_in_words(suggestion: &Suggestion) -> String {
    let mut lines = vec![format!("help: suggested edit of new {}", visible(&suggestion.file))];
    for edit in &suggestion.edits {
        let what = match edit.end.saturating_sub(edit.start) {
            0 => format!("at byte {} insert", edit.start),
            _ => format!("replace bytes {} to {} by", edit.start, edit.end),
        };
        lines.push(format!("  {what} `{}`", visible(edit.insert.trim())));
    }
    lines.join("\n")
}
