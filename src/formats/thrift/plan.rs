//! How Thrift is written, as far as ways round a break need to know.

use crate::formats::ways::braces::{Braces, Gone};
use crate::formats::ways::outline::{Notation, Sort, Words};
use crate::syntax::lexer::{CommentStyle, LexStyle, StringStyle};

/// How it is written.
pub(super) const LANGUAGE: Braces = Braces {
    notation: Notation {
        lexer: LexStyle { comments: CommentStyle::SlashesAndHash, strings: StringStyle::Bytes, ..LexStyle::USUAL },
        ends_with_line: true,
        sort,
        name,
        number,
    },
    again: |name, time| format!("{name}_v{}", time + 2),
    is_inner: |_, _| false,
    gone: |outline, item| match (item.sort, item.number) {
        (Sort::Field, Some(id)) => Gone::Guarded(vec![format!("// reserved: {}", outline.at(id))]),
        _ => Gone::Guarded(Vec::new()),
    },
    extension: "thrift",
    imports: &["include"],
    demands: &[("required ", "optional ")],
    fixed: &[],
    first: 1,
};

fn sort(words: &Words<'_>, parent: Option<Sort>) -> Sort {
    match (words.get(0), parent) {
        (_, Some(Sort::Fields)) => Sort::Field,
        (_, Some(Sort::Values)) => Sort::Value,
        (_, Some(Sort::Methods)) => Sort::Method,
        ("struct" | "union" | "exception", _) => Sort::Fields,
        ("enum", _) => Sort::Values,
        ("service" | "interaction", _) => Sort::Methods,
        ("typedef", _) => Sort::Alias,
        _ => Sort::Other,
    }
}

fn name(words: &Words<'_>, sort: Sort) -> Option<usize> {
    match sort {
        Sort::Field => {
            let end = words.find("=").or_else(|| words.find("(")).unwrap_or(words.len());
            end.checked_sub(1)
        }
        Sort::Value => Some(0),
        Sort::Method => words.find("(")?.checked_sub(1),
        Sort::Fields | Sort::Values | Sort::Methods => Some(1),
        Sort::Alias => words.len().checked_sub(1),
        Sort::Other => None,
    }
}

fn number(words: &Words<'_>, sort: Sort) -> Option<usize> {
    match sort {
        Sort::Field if words.get(1) == ":" => Some(0),
        Sort::Value => Some(words.find("=")? + 1),
        Sort::Field | Sort::Fields | Sort::Values | Sort::Methods | Sort::Method | Sort::Alias | Sort::Other => None,
    }
}
