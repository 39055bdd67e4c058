//! How FlatBuffers are written, as far as ways round a break need to know.

use crate::change::Span;
use crate::formats::ways::braces::{Braces, Gone};
use crate::formats::ways::outline::{Item, Notation, Outline, Sort, Words};

/// How it is written.
pub(super) const LANGUAGE: Braces = Braces {
    notation: Notation { lexer: super::parse::STYLE, ends_with_line: false, sort, name, number },
    again: |name, time| format!("{name}_v{}", time + 2),
    is_inner: |_, _| false,
    gone,
    extension: "fbs",
    imports: &["include"],
    demands: &[("(required, ", "("), (", required", ""), (" (required)", ""), ("(required)", "")],
    fixed: &["struct"],
    first: 0,
};

fn sort(words: &Words<'_>, parent: Option<Sort>) -> Sort {
    match (words.get(0), parent) {
        (_, Some(Sort::Fields)) => Sort::Field,
        (_, Some(Sort::Values)) => Sort::Value,
        (_, Some(Sort::Methods)) => Sort::Method,
        ("table" | "struct", _) => Sort::Fields,
        ("enum" | "union", _) => Sort::Values,
        ("rpc_service", _) => Sort::Methods,
        _ => Sort::Other,
    }
}

fn name(_: &Words<'_>, sort: Sort) -> Option<usize> {
    match sort {
        Sort::Field | Sort::Value | Sort::Method => Some(0),
        Sort::Fields | Sort::Values | Sort::Methods => Some(1),
        Sort::Alias | Sort::Other => None,
    }
}

fn number(words: &Words<'_>, sort: Sort) -> Option<usize> {
    match sort {
        Sort::Field => (0..words.len()).find(|at| words.get(*at) == "id").map(|at| at + 2),
        Sort::Value => Some(words.find("=")? + 1),
        Sort::Fields | Sort::Values | Sort::Methods | Sort::Method | Sort::Alias | Sort::Other => None,
    }
}

/// A field keeps its slot and is `deprecated`; a demand, which nobody could fulfil, and a key go.
fn gone(outline: &Outline<'_>, item: &Item) -> Gone {
    let text = outline.at(item.span);
    if item.sort != Sort::Field {
        return Gone::Guarded(Vec::new());
    }
    let open = item.words.iter().find(|span| outline.at(**span) == "(");
    let Some(open) = open else { return Gone::Stays(format!("{text} (deprecated)")) };
    let before = outline.at(Span::new(item.span.start, open.start));
    let attributes = outline.at(Span::new(open.end, item.span.end)).trim_end().trim_end_matches(')');
    let is_kept = |attribute: &&str| !["required", "key", "deprecated"].contains(&attribute.trim());
    let kept: Vec<&str> = attributes.split(',').filter(is_kept).map(str::trim).chain(["deprecated"]).collect();
    Gone::Stays(format!("{before}({})", kept.join(", ")))
}
