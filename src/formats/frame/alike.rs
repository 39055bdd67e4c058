//! Files that say what they said: nothing but comments and blanks differs in them, so that they are as good as unchanged.

use std::any::type_name;
use std::sync::Arc;

use super::language::{Language, reading_in};
use super::nearby::Versions;
use super::parts::Files;
use crate::change::Pair;
use crate::formats::check::CheckOptions;
use crate::parallel;
use crate::snapshot::{Bytes, SnapshotFile};
use crate::syntax::tokens::{Style, are_same};

/// So few files are looked at sooner than they are handed to other threads.
const FEW: usize = 16;

/// Whether two texts of a file say the same.
pub(crate) fn say_the_same<L: Language>(path: &str, texts: Pair<&Bytes>) -> bool {
    let Pair { old, new } = texts.map(|text| L::reading(path, text));
    let style = new.filter(|_| old == new).and_then(L::tokens);
    style.is_some_and(|style| are_same(texts.old, texts.new, style))
}

/// A file that is not the same in two versions, how it is read, and how it is cut into tokens.
struct Differing<'v, L: Language> {
    path: &'v Arc<str>,
    sides: [&'v SnapshotFile; 2],
    reading: L::Reading,
    style: Style,
}

/// The files of two versions that are not the same and say the same; none where it makes no difference what changed.
pub(super) fn alike<L: Language>(versions: Versions<'_, '_, L>, options: &CheckOptions) -> Files {
    let makes_a_difference = options.forgives_unchanged();
    let [(old, _), (new, _)] = versions else { return Files::default() };
    if !makes_a_difference {
        return Files::default();
    }
    let differing = old.differing(new).into_iter().filter_map(|path| {
        let sides = [old.get(path)?, new.get(path)?];
        let before = reading_in::<L>(old, path, &sides[0].bytes);
        let reading = reading_in::<L>(new, path, &sides[1].bytes);
        let reading = reading.filter(|_| before == reading)?;
        Some(Differing::<L> { path, sides, reading, style: L::tokens(reading)? })
    });
    let differing: Vec<Differing<'_, L>> = differing.collect();
    Bytes::read_all(differing.iter().flat_map(|file| file.sides.map(|file| &file.bytes)));
    let say_the_same = |file: &Differing<'_, L>| -> Option<Arc<str>> {
        let [old, new] = file.sides;
        let what = format!("alike in {} {:?}", type_name::<L>(), file.reading);
        let found = || are_same(&old.bytes, &new.bytes, file.style);
        options.outlines.told_of_texts(&what, [old.id, new.id], found).then(|| file.path.clone())
    };
    match differing.len() {
        ..=FEW => differing.iter().filter_map(say_the_same).collect(),
        _ => parallel::map(&differing, say_the_same).into_iter().flatten().collect(),
    }
}
