//! How Protocol Buffers are written, as far as ways round a break need to know.

use crate::formats::ways::braces::{Braces, Gone};
use crate::formats::ways::outline::{Item, Notation, Outline, Sort, Words};
use crate::syntax::lexer::LexStyle;

/// How it is written.
pub(super) const LANGUAGE: Braces = Braces {
    notation: Notation { lexer: LexStyle::USUAL, ends_with_line: false, sort, name, number },
    again: |name, time| format!("{name}_v{}", time + 2),
    is_inner: |outline, item| outline.at(item.keyword) == "oneof",
    gone,
    extension: "proto",
    imports: &["import"],
    demands: &[("required ", "optional "), ("LEGACY_REQUIRED", "EXPLICIT")],
    fixed: &[],
    first: 1,
};

fn sort(words: &Words<'_>, parent: Option<Sort>) -> Sort {
    match (words.get(0), parent) {
        (
            "option" | "reserved" | "extensions" | "import" | "package" | "syntax" | "edition" | "export" | "local",
            _,
        ) => Sort::Other,
        (_, Some(Sort::Values)) => Sort::Value,
        (_, Some(Sort::Methods)) => Sort::Method,
        ("message" | "oneof" | "extend", _) if words.find("=").is_none() => Sort::Fields,
        ("enum", _) if words.find("=").is_none() => Sort::Values,
        ("service", _) => Sort::Methods,
        (_, Some(Sort::Fields)) => Sort::Field,
        _ => Sort::Other,
    }
}

fn name(words: &Words<'_>, sort: Sort) -> Option<usize> {
    match sort {
        Sort::Field => words.find("=")?.checked_sub(1),
        Sort::Value => Some(0),
        Sort::Fields | Sort::Values | Sort::Methods | Sort::Method => Some(1),
        Sort::Alias | Sort::Other => None,
    }
}

fn number(words: &Words<'_>, sort: Sort) -> Option<usize> {
    match sort {
        Sort::Field | Sort::Value => Some(words.find("=")? + 1),
        Sort::Fields | Sort::Values | Sort::Methods | Sort::Method | Sort::Alias | Sort::Other => None,
    }
}

/// Numbers and names are reserved, those of extensions cannot be.
fn gone(outline: &Outline<'_>, item: &Item) -> Gone {
    let around = outline.around(item.span);
    let is_extension = around.iter().any(|body| outline.at(body.keyword) == "extend");
    if !matches!(item.sort, Sort::Field | Sort::Value) || is_extension {
        return Gone::Guarded(Vec::new());
    }
    let has_editions = outline.items.iter().any(|item| outline.at(item.keyword) == "edition");
    let name = outline.name(item);
    let name = if has_editions { format!("reserved {name};") } else { format!("reserved \"{name}\";") };
    let number = item.number.map(|span| format!("reserved {};", outline.at(span)));
    Gone::Guarded(number.into_iter().chain([name]).collect())
}
