//! Where a break is, and what its language does in its own way.

use std::sync::Arc;

use super::texts::{Outlines, Texts};
use crate::change::Span;
use crate::formats::ways::Broken;
use crate::formats::ways::outline::{Item, Notation, Outline};

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

/// Where a break is.
pub(super) struct Place<'p, 't> {
    pub(super) language: &'p Braces,
    pub(super) broken: &'p Broken<'p>,
    pub(super) texts: &'p Texts<'t>,
    pub(super) outlines: &'p Outlines<'t>,
}

/// A statement, and those around it, the outermost first.
#[derive(Clone)]
pub(super) struct Found<'o> {
    pub(super) item: &'o Item,
    pub(super) around: Vec<&'o Item>,
}

impl<'p> Place<'p, '_> {
    /// The statement of the break on the old side.
    pub(super) fn was(&self) -> Option<Found<'p>> {
        let site = self.broken.change.at.old.as_ref()?;
        found(self.outlines.old.as_ref()?, site.span)
    }

    /// The statement of the break on the side that is wanted.
    pub(super) fn now(&self) -> Option<Found<'p>> {
        let site = self.broken.change.at.new.as_ref()?;
        found(self.outlines.new.as_ref()?, site.span)
    }

    pub(super) fn file(&self) -> Option<Arc<str>> {
        self.texts.files.new.clone()
    }
}

fn found<'o>(outline: &'o Outline<'_>, span: Span) -> Option<Found<'o>> {
    let mut around = outline.around(span);
    let item = around.pop()?;
    Some(Found { item, around })
}

impl<'o> Found<'o> {
    /// The body that it stands in.
    pub(super) fn parent(&self) -> Option<&'o Item> {
        self.around.last().copied()
    }

    /// The body whose numbers it takes: the innermost one that has numbers of its own.
    pub(super) fn owner(&self, language: &Braces, outline: &Outline<'_>) -> Option<&'o Item> {
        self.around.iter().rev().copied().find(|item| !(language.is_inner)(outline, item))
    }
}
