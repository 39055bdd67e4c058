//! Which comments were there before: one that a change leaves as it is, or only moves, is none that comes with it.
//!
//! A comment is known by what it says and where it stands. Of several that say the same, as many were there before as the
//! old side has.

use rustc_hash::FxHashMap;

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
    /// Its line, and the one behind it, by the numbers of what they say.
    lines: [usize; 2],
}

/// The lines that comments stand on and before, numbered: those that say the same have one number.
#[derive(Default)]
struct Spelled<'t> {
    numbers: FxHashMap<&'t [u8], usize>,
}

impl<'t> Spelled<'t> {
    fn number(&mut self, line: &'t [u8]) -> usize {
        let next = self.numbers.len();
        *self.numbers.entry(line.trim_ascii()).or_insert(next)
    }

    /// All comments of some files.
    fn all<'s>(&mut self, files: &'s Files<'t>) -> Vec<At<'s, 't>> {
        let mut found = Vec::new();
        for (file, marked) in &files.files {
            // Of all comments of one line the line is looked at once.
            let mut last = None;
            for mark in &marked.marks {
                let line = marked.line_of(mark.span.start as usize);
                let lines = match last {
                    Some((at, lines)) if at == line => lines,
                    _ => [line, line + 1].map(|line| self.number(&marked.bytes[marked.line(line)])),
                };
                last = Some((line, lines));
                found.push(At { file, mark, lines });
            }
        }
        found
    }
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
        let mut spelled = Spelled::default();
        for at in spelled.all(&files.old) {
            groups.entry((at.mark.rule, at.mark.reason)).or_insert_with(empty).old.push(at);
        }
        for at in spelled.all(&files.new) {
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
