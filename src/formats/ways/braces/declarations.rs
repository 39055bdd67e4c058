//! Declarations that only the old side has, brought back for as long as something of the old side names them.

use std::sync::Arc;

use super::place::Braces;
use super::texts::{Put, last, replace, text_of};
use crate::change::{Pair, Span};
use crate::formats::ways::FileEdit;
use crate::formats::ways::outline::{Item, Notation, Outline, Sort};
use crate::snapshot::Snapshot;

/// The edits of the new side.
pub(super) fn kept(language: &Braces, pair: Pair<&Snapshot>) -> Vec<FileEdit> {
    let is_of_language = |path: &Arc<str>| path.rsplit('.').next() == Some(language.extension) && pair.old.judges(path);
    let mut edits = Vec::new();
    for (path, _) in pair.old.iter().filter(|(path, _)| is_of_language(path)) {
        let Some(old) = text_of(pair.old, path) else { continue };
        match text_of(pair.new, path) {
            None => edits.push(replace(path, Span::new(0, 0), old)),
            Some(new) if new == old => {}
            Some(new) => {
                let outlines = Pair::new(old, new).map(|text| Outline::of(text, &language.notation));
                of_file(language, outlines.as_ref(), path, &mut edits);
            }
        }
    }
    edits
}

fn of_file(language: &Braces, outlines: Pair<&Outline<'_>>, path: &Arc<str>, edits: &mut Vec<FileEdit>) {
    let Pair { old, new } = outlines;
    for item in &old.items {
        let is_import = language.imports.contains(&old.at(item.keyword));
        let text = old.at(item.span);
        if is_import && new.items.iter().all(|other| new.at(other.span) != text) {
            edits.push(import((new, path), &language.notation, &with_separator(text, item)));
        }
        of_body(language, outlines, (item, vec![]), path, edits);
    }
}

/// An import stands before everything but the line that says how the file is written.
fn import((new, path): (&Outline<'_>, &Arc<str>), notation: &Notation, text: &str) -> FileEdit {
    let line = new.line_end();
    match new.items.first() {
        Some(first) if ["syntax", "edition"].contains(&new.at(first.keyword)) => {
            let at = first.end() + new.comments_behind(notation, first).len() as u32;
            replace(path, Span::new(at, at), format!("{line}{text}"))
        }
        Some(first) => {
            let at = new.comments_above(notation, new.beside(None), first).start;
            replace(path, Span::new(at, at), format!("{text}{line}"))
        }
        None => replace(path, Span::new(0, 0), format!("{text}{line}")),
    }
}

/// A declaration, or those inside of it.
fn of_body<'o>(
    language: &Braces,
    outlines: Pair<&Outline<'_>>,
    (item, around): (&'o Item, Vec<&'o Item>),
    path: &Arc<str>,
    edits: &mut Vec<FileEdit>,
) {
    let Pair { old, new } = outlines;
    let is_type = matches!(item.sort, Sort::Fields | Sort::Values) && item.body.is_some();
    if !is_type || (language.is_inner)(old, item) || old.at(item.keyword) == "extend" {
        return;
    }
    let names = |items: &[&Item]| items.iter().map(|item| old.name(item)).collect::<Vec<_>>();
    let mut inside = around.clone();
    inside.push(item);
    if new.by_names(&names(&inside)).is_some() {
        item.items.iter().for_each(|one| of_body(language, outlines, (one, inside.clone()), path, edits));
        return;
    }
    let (text, comments) = old.with_comments(&language.notation, old.beside(around.last().copied()), item);
    let (text, home) = (with_separator(text, item), names(&around));
    match new.by_names(&home) {
        Some(home) => {
            edits.extend(last((new, path), &language.notation, home, Put { text: &text, own: None, comments }))
        }
        None => {
            let (end, line) = (new.text.len() as u32, new.line_end());
            edits.push(replace(path, Span::new(end, end), format!("{line}{text}{comments}{line}")));
        }
    }
}

fn with_separator(text: &str, item: &Item) -> String {
    format!("{text}{}", item.separator.map(String::from).unwrap_or_default())
}
