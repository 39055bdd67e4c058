//! Files that say what they said: nothing but comments and blanks differs in them, so that they are as good as unchanged.

use std::sync::Arc;

use rayon::prelude::*;

use super::language::Language;
use super::nearby::Versions;
use super::parts::Files;
use crate::snapshot::{Bytes, SnapshotFile};
use crate::syntax::tokens::{Style, are_same};

/// So few files are looked at sooner than they are handed to other threads.
const FEW: usize = 16;

/// A file that is not the same in two versions, and how it is cut into tokens.
type Differing<'v> = (&'v Arc<str>, [&'v Bytes; 2], Style);

/// The files of two versions that are not the same and say the same.
pub(super) fn alike<L: Language>(versions: Versions<'_, '_, L>) -> Files {
    let [(old, _), (new, _)] = versions else { return Files::default() };
    let style = |path: &str, sides: [&SnapshotFile; 2]| {
        let [old, new] = sides.map(|file| L::reading(path, &file.bytes));
        old.filter(|_| old == new).and_then(L::tokens)
    };
    let both = old.differing(new).into_iter().filter_map(|path| Some((path, [old.get(path)?, new.get(path)?])));
    let differing = both.filter_map(|(path, sides)| Some((path, sides.map(|file| &file.bytes), style(path, sides)?)));
    let differing: Vec<Differing<'_>> = differing.collect();
    Bytes::read_all(differing.iter().flat_map(|(_, sides, _)| *sides));
    let say_the_same = |(path, [old, new], style): &Differing<'_>| are_same(old, new, *style).then(|| (*path).clone());
    match differing.len() {
        ..=FEW => differing.iter().filter_map(say_the_same).collect(),
        _ => differing.par_iter().filter_map(say_the_same).collect(),
    }
}
