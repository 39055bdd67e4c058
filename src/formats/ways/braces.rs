//! Ways in languages with braces: the numbers that were there are kept, or the new element stands beside the old one.

mod beside;
mod declarations;
mod kept;
mod place;
mod texts;
mod types;

use self::place::Place;
pub(crate) use self::place::{Braces, Gone};
use self::texts::Texts;
use super::{Broken, FileEdit, Way};
use crate::change::{ChangeKind, Pair};
use crate::snapshot::Snapshot;

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
