//! Which comments were there before: one that a change leaves as it is, or only moves, is none that comes with it.
//!
//! A comment is known by what it says and where it stands. Of several that say the same, as many were there before as the
//! old side has.

use super::{Files, Mark};
use crate::change::{Pair, Side};
use crate::ordered::OrderedMap;

/// The comments of the new side that were there before, by file and first byte, with what they were.
#[derive(Debug, Default)]
pub(super) struct Kept<'s, 't> {
    before: OrderedMap<(&'t str, u32), At<'s, 't>>,
}

/// A comment and its file.
#[derive(Debug, Clone, Copy)]
pub(super) struct At<'s, 't> {
    pub(super) file: &'t str,
    pub(super) mark: &'s Mark<'t>,
    /// Its line, and the one behind it.
    lines: [&'t [u8]; 2],
}

impl<'t> At<'_, 't> {
    fn place(&self) -> (&'t str, u32) {
        (self.file, self.mark.span.start)
    }
}

impl<'s, 't> Kept<'s, 't> {
    /// Finds them; `at_elements` are comments of both sides that stand at one element.
    pub(super) fn of(files: &'s Pair<Files<'t>>, at_elements: &[Pair<(&'t str, u32)>]) -> Self {
        let mut groups: OrderedMap<(&str, &str), Pair<Vec<At<'s, 't>>>> = OrderedMap::new();
        let empty = || Pair::new(Vec::new(), Vec::new());
        for at in all(&files.old) {
            groups.entry((at.mark.rule, at.mark.reason)).or_insert_with(empty).old.push(at);
        }
        for at in all(&files.new) {
            if let Some(group) = groups.get_mut(&(at.mark.rule, at.mark.reason)) {
                group.new.push(at);
            }
        }
        let by_element: OrderedMap<(&str, u32), (&str, u32)> =
            at_elements.iter().map(|pair| (pair.new, pair.old)).collect();
        let mut kept = Kept { before: OrderedMap::new() };
        for Pair { mut old, mut new } in groups.into_values() {
            kept.pair(&mut old, &mut new, |at, _| Some((at.file, at.lines)));
            kept.pair(&mut old, &mut new, |at, side| match side {
                Side::Old => Some(at.place()),
                Side::New => by_element.get(&at.place()).copied(),
            });
            kept.pair(&mut old, &mut new, |_, _| Some(()));
        }
        kept
    }

    /// Takes comments for the same that have the same key, one for one.
    fn pair<K: Ord>(
        &mut self,
        old: &mut Vec<At<'s, 't>>,
        new: &mut Vec<At<'s, 't>>,
        key: impl Fn(&At<'s, 't>, Side) -> Option<K>,
    ) {
        let mut left: OrderedMap<Option<K>, Vec<At<'s, 't>>> = OrderedMap::new();
        for at in old.drain(..).rev() {
            left.entry(key(&at, Side::Old)).or_default().push(at);
        }
        new.retain(|at| {
            let key = key(at, Side::New);
            let same = left.get_mut(&key).filter(|_| key.is_some()).and_then(Vec::pop);
            same.is_none_or(|before| {
                self.before.insert(at.place(), before);
                false
            })
        });
        old.extend(left.into_values().flat_map(|left| left.into_iter().rev()));
    }

    /// What a comment of the new side was.
    pub(super) fn before(&self, file: &'t str, mark: &Mark<'_>) -> Option<&At<'s, 't>> {
        self.before.get(&(file, mark.span.start))
    }
}

fn all<'s, 't>(files: &'s Files<'t>) -> impl Iterator<Item = At<'s, 't>> {
    files.files.iter().flat_map(|(file, marked)| {
        marked.marks.iter().map(|mark| {
            let line = marked.line(mark.span.start as usize);
            let next = marked.line((line.end + 1).min(marked.bytes.len()));
            At { file, mark, lines: [line, next].map(|line| marked.bytes[line].trim_ascii()) }
        })
    })
}
