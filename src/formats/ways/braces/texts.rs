//! The texts in which a break stands, and where something is put into them.

use std::sync::Arc;

use crate::change::{Edit, Pair, Span};
use crate::formats::ways::outline::{Item, Notation, Outline};
use crate::formats::ways::{Broken, FileEdit};
use crate::snapshot::Snapshot;

/// The files of a break and their texts.
pub(super) struct Texts<'t> {
    pub(super) files: Pair<Option<Arc<str>>>,
    /// All files as they are wanted.
    pub(super) new_side: &'t Snapshot,
    texts: Pair<Option<&'t str>>,
}

/// Their outlines.
pub(super) type Outlines<'t> = Pair<Option<Outline<'t>>>;

impl<'t> Texts<'t> {
    /// What a break is in. A side on which it is nowhere has the file of the other one.
    pub(super) fn read(broken: &Broken<'t>, files: Pair<Option<Arc<str>>>) -> Option<Texts<'t>> {
        let Pair { old, new } = files;
        let files = Pair::new(old.clone().or_else(|| new.clone()), new.or(old));
        let text = |side: &'t Snapshot, file: &Option<Arc<str>>| text_of(side, file.as_deref()?);
        let texts = Pair::new(text(broken.sides.old, &files.old), text(broken.sides.new, &files.new));
        (texts.old.is_some() || texts.new.is_some()).then_some(Texts { files, new_side: broken.sides.new, texts })
    }

    pub(super) fn outlines(&self, notation: &Notation) -> Outlines<'t> {
        self.texts.map(|text| text.map(|text| Outline::of(text, notation)))
    }
}

/// The text of a file.
pub(super) fn text_of<'t>(side: &'t Snapshot, file: &str) -> Option<&'t str> {
    std::str::from_utf8(&side.get(file)?.bytes).ok()
}

/// A replacement.
pub(super) fn replace(file: &Arc<str>, span: Span, insert: impl Into<String>) -> FileEdit {
    FileEdit { file: file.clone(), edit: Edit { span, insert: insert.into() } }
}

/// What is put somewhere.
#[derive(Clone, Copy)]
pub(super) struct Put<'p> {
    pub(super) text: &'p str,
    /// What separates it from the next one, where the statement that it is put behind has no separator since it has a body.
    pub(super) own: Option<char>,
    /// The comments behind it.
    pub(super) comments: &'p str,
}

impl<'p> Put<'p> {
    /// A text without comments behind it.
    pub(super) const fn plain(text: &'p str, own: Option<char>) -> Self {
        Put { text, own, comments: "" }
    }
}

/// A text put behind a statement and its comments, laid out as that is.
pub(super) fn behind(
    (outline, file): (&Outline<'_>, &Arc<str>),
    notation: &Notation,
    item: &Item,
    put: Put<'_>,
) -> FileEdit {
    let indentation = outline.indentation(item);
    let is_alone = !indentation.is_empty() || item.body.is_some() || is_first_of_line(outline, item);
    let gap = if is_alone { format!("{}{indentation}", outline.line_end()) } else { " ".to_owned() };
    let Put { text, own, comments } = put;
    let about = outline.comments_behind(notation, item);
    let end = item.end() + about.len() as u32;
    let from = if item.separator.is_some() || item.body.is_some() || about.is_empty() { end } else { item.end() };
    let insert = match item.separator {
        Some(mark) => format!("{gap}{text}{mark}{comments}"),
        None if item.body.is_some() => format!("{gap}{text}{}{comments}", own.map(String::from).unwrap_or_default()),
        None if notation.ends_with_line && is_alone => {
            return replace(file, Span::new(end, end), format!("{gap}{text}{comments}"));
        }
        None => format!(",{about}{gap}{text}{comments}"),
    };
    replace(file, Span::new(from, end), insert)
}

fn is_first_of_line(outline: &Outline<'_>, item: &Item) -> bool {
    outline.text.get(..item.span.start as usize).is_none_or(|before| before.is_empty() || before.ends_with('\n'))
}

/// A text put at the end of a body.
pub(super) fn last(
    (outline, file): (&Outline<'_>, &Arc<str>),
    notation: &Notation,
    body: &Item,
    put: Put<'_>,
) -> Option<FileEdit> {
    if let Some(item) = body.items.last() {
        return Some(behind((outline, file), notation, item, put));
    }
    let Put { text, own, comments } = put;
    let at = outline.start_of(notation, body)?;
    let end = outline.line_end();
    let mark = own.map(String::from).unwrap_or_default();
    let indentation = outline.indentation(body);
    Some(replace(file, Span::new(at, at), format!("{end}{indentation}  {text}{mark}{comments}{end}{indentation}")))
}

/// Statements put at the start of a body. Comments need lines of their own.
pub(super) fn first(
    (outline, file): (&Outline<'_>, &Arc<str>),
    notation: &Notation,
    body: &Item,
    statements: &[String],
) -> Vec<FileEdit> {
    let Some(at) = outline.start_of(notation, body) else { return Vec::new() };
    let at = Span::new(at, at);
    let own_line = body.items.first().is_none_or(|item| !outline.indentation(item).is_empty());
    let indentation = body.items.first().map_or("  ", |item| outline.indentation(item));
    let insert = |statement: &String| match own_line {
        true => Some(format!("{}{indentation}{statement}", outline.line_end())),
        false if statement.starts_with("//") => None,
        false => Some(format!(" {statement}")),
    };
    statements.iter().filter_map(insert).map(|text| replace(file, at, text)).collect()
}
