//! How Cap'n Proto is written, as far as ways round a break need to know.

use crate::formats::ways::braces::{Braces, Gone};
use crate::formats::ways::outline::{Item, Notation, Outline, Sort, Words};
use crate::syntax::lexer::{CommentStyle, LexStyle, StringStyle};

/// How it is written.
pub(super) const LANGUAGE: Braces = Braces {
    notation: Notation {
        lexer: LexStyle { comments: CommentStyle::Hash, strings: StringStyle::Blobs, ..LexStyle::USUAL },
        ends_with_line: false,
        sort,
        name,
        number,
    },
    again: |name, time| format!("{name}V{}", time + 2),
    is_inner,
    gone,
    extension: "capnp",
    imports: &["using"],
    demands: &[],
    fixed: &[],
    first: 0,
};

fn sort(words: &Words<'_>, parent: Option<Sort>) -> Sort {
    match (words.get(0), parent) {
        ("using" | "const" | "annotation" | "import", _) => Sort::Other,
        ("struct", _) => Sort::Fields,
        ("enum", _) if words.get(1) != "@" => Sort::Values,
        ("interface", _) => Sort::Methods,
        (_, Some(Sort::Values)) => Sort::Value,
        (_, Some(Sort::Methods)) => Sort::Method,
        (_, Some(Sort::Fields)) if is_group(words) => Sort::Fields,
        (_, Some(Sort::Fields)) => Sort::Field,
        _ => Sort::Other,
    }
}

fn is_group(words: &Words<'_>) -> bool {
    words.get(0) == "union" && words.len() == 1 || words.has("group") || words.has("union")
}

fn name(words: &Words<'_>, sort: Sort) -> Option<usize> {
    match sort {
        Sort::Field | Sort::Value | Sort::Method => Some(0),
        Sort::Fields | Sort::Values | Sort::Methods if words.get(0) == "union" => None,
        Sort::Fields if is_group(words) => Some(0),
        Sort::Fields | Sort::Values | Sort::Methods => Some(1),
        Sort::Alias | Sort::Other => None,
    }
}

fn number(words: &Words<'_>, sort: Sort) -> Option<usize> {
    let is_numbered = matches!(sort, Sort::Field | Sort::Value | Sort::Method) || is_group(words);
    if is_numbered { words.find("@").map(|at| at + 1) } else { None }
}

/// Groups and unions have the ordinals of the struct around them.
fn is_inner(outline: &Outline<'_>, item: &Item) -> bool {
    item.sort == Sort::Fields && outline.at(item.keyword) != "struct"
}

/// No ordinal can be left out, so what is no longer used goes on under a name that says so.
fn gone(outline: &Outline<'_>, item: &Item) -> Gone {
    let (name, text) = (outline.name(item), outline.at(item.span));
    if !matches!(item.sort, Sort::Field | Sort::Method) {
        return Gone::Guarded(Vec::new());
    }
    let mut letters = name.chars();
    let first = letters.next().map(|letter| letter.to_ascii_uppercase()).into_iter();
    let obsolete: String = "obsolete".chars().chain(first).chain(letters).collect();
    Gone::Stays(text.replacen(name, &obsolete, 1))
}
