//! Ways in languages with braces: the numbers that were there are kept, or the new element stands beside the old one.

mod beside;
mod declarations;
mod kept;
mod texts;
mod types;

use std::sync::Arc;

use self::texts::Texts;
use super::outline::{Item, Notation, Outline};
use super::{Broken, FileEdit, Way};
use crate::change::{ChangeKind, Pair};
use crate::snapshot::Snapshot;

/// What a language does in its own way.
#[derive(Clone, Copy)]
pub(crate) struct Braces {
    /// How it writes its statements.
    pub(crate) notation: Notation,
    /// Another name for the same, by how often that was needed.
    pub(crate) again: fn(&str, usize) -> String,
    /// Whether a body shares the numbers of the one around it.
    pub(crate) is_inner: fn(&Outline<'_>, &Item) -> bool,
    /// What becomes of an element that is no longer used.
    pub(crate) gone: fn(&Outline<'_>, &Item) -> Gone,
    /// The end of the names of its files.
    pub(crate) extension: &'static str,
    /// Words that bring in other files.
    pub(crate) imports: &'static [&'static str],
    /// Words that demand a field, each with what demands nothing.
    pub(crate) demands: &'static [(&'static str, &'static str)],
    /// What begins a type whose fields lie one behind the other, so that it changes with what it holds.
    pub(crate) fixed: &'static [&'static str],
    /// The first number of a body.
    pub(crate) first: i64,
}

/// What becomes of an element that is no longer used.
#[derive(Debug, Clone)]
pub(crate) enum Gone {
    /// It goes, and these statements stand at the start of its body.
    Guarded(Vec<String>),
    /// This stands in its place.
    Stays(String),
}

/// The ways round a break, the best first.
pub(crate) fn ways(language: &Braces, broken: &Broken<'_>) -> Vec<Way> {
    let files = broken.change.at.as_ref().map(|site| site.as_ref().map(|site| site.file.clone()));
    let Some(texts) = Texts::read(broken, files) else { return Vec::new() };
    let outlines = texts.outlines(&language.notation);
    let place = Place { language, broken, outlines: &outlines, texts: &texts };
    let mut ways = kept::ways(&place);
    ways.extend(beside::undemanding(&place));
    let beside = beside::ways(&place);
    // Where something else took the number, the old has to go, and in an orderly way.
    match broken.change.kind {
        ChangeKind::FieldReused => ways.splice(0..0, beside).for_each(drop),
        _ => ways.extend(beside),
    }
    ways.extend(types::ways(&place));
    ways.extend(beside::restored(&place));
    ways
}

/// What brings declarations back that only the old side has, as edits of the new one.
pub(crate) fn declarations(language: &Braces, pair: Pair<&Snapshot>) -> Vec<FileEdit> {
    declarations::kept(language, pair)
}

/// Where a break is.
pub(super) struct Place<'p, 't> {
    language: &'p Braces,
    broken: &'p Broken<'p>,
    texts: &'p Texts<'t>,
    outlines: &'p texts::Outlines<'t>,
}

/// A statement, and those around it, the outermost first.
#[derive(Clone)]
pub(super) struct Found<'o> {
    item: &'o Item,
    around: Vec<&'o Item>,
}

impl<'p> Place<'p, '_> {
    /// The statement of the break on the old side.
    fn was(&self) -> Option<Found<'p>> {
        let site = self.broken.change.at.old.as_ref()?;
        found(self.outlines.old.as_ref()?, site.span)
    }

    /// The statement of the break on the side that is wanted.
    fn now(&self) -> Option<Found<'p>> {
        let site = self.broken.change.at.new.as_ref()?;
        found(self.outlines.new.as_ref()?, site.span)
    }

    fn file(&self) -> Option<Arc<str>> {
        self.texts.files.new.clone()
    }
}

fn found<'o>(outline: &'o Outline<'_>, span: crate::change::Span) -> Option<Found<'o>> {
    let mut around = outline.around(span);
    let item = around.pop()?;
    Some(Found { item, around })
}

impl<'o> Found<'o> {
    /// The body that it stands in.
    fn parent(&self) -> Option<&'o Item> {
        self.around.last().copied()
    }

    /// The body whose numbers it takes: the innermost one that has numbers of its own.
    fn owner(&self, language: &Braces, outline: &Outline<'_>) -> Option<&'o Item> {
        self.around.iter().rev().copied().find(|item| !(language.is_inner)(outline, item))
    }
}
