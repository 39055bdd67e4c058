//! What is gone although its own lines did not change, or came so: another heading stands above them.
//!
//! Where a service is split in two, a method of the first may stand on the lines that it stood on. What was edited is the
//! heading that it stands under now, so that is shown as well: nobody finds the change by lines that are the same.

use std::ops::{Range, RangeInclusive};

use memchr::memchr_iter;
use rustc_hash::{FxHashMap, FxHashSet};

use super::declared::Declared;
use crate::change::{Change, Heading, Pair, Side, Site, Span};
use crate::snapshot::Snapshot;
use crate::text::Difference;

/// Larger files are not compared line by line.
const LARGEST_FILE: usize = 1 << 20;

/// Says of each change of one side under which heading its lines stand on the other.
pub(super) fn show<'s>(
    changes: &mut [Change],
    snapshots: Pair<&Snapshot>,
    declared: impl Fn() -> Pair<Vec<Declared<'s>>>,
) {
    let mut known: Option<Pair<Vec<Declared<'s>>>> = None;
    let mut files: FxHashMap<Box<str>, Option<Texts<'_>>> = FxHashMap::default();
    for change in changes {
        let (side, site) = match (&change.at.old, &change.at.new) {
            (Some(site), None) => (Side::Old, site),
            (None, Some(site)) => (Side::New, site),
            _ => continue,
        };
        let texts = files.entry(Box::from(&*site.file)).or_insert_with(|| Texts::of(snapshots, &site.file));
        let Some(texts) = texts.as_mut().filter(|texts| texts.may_stand(side, site)) else { continue };
        let other = opposite(side);
        let Some(line) = texts.counterpart(side, site) else { continue };
        let known = known.get_or_insert_with(&declared).side(other);
        let in_file = known.iter().filter(|one| one.file == &*site.file);
        let above = in_file.map(|one| (*texts.lines_of(other, one.at).start(), one));
        let heading = above.filter(|(at, _)| *at < line && texts.is_edited(other, *at)).max_by_key(|(at, _)| *at);
        change.heading = heading.map(|(_, one)| Heading {
            side: other,
            at: Site { file: site.file.clone(), span: one.at },
            name: one.name.to_owned(),
        });
    }
}

/// A file of both sides that do not say the same.
struct Texts<'t> {
    texts: Pair<&'t str>,
    /// Where the lines start.
    starts: Pair<Vec<usize>>,
    /// How many lines before each one are spelled nowhere on the other side.
    unspelled: Pair<Vec<usize>>,
    /// For each line of a side, from 0, the one of the other side that it is, once somebody asks.
    same: Option<Pair<FxHashMap<usize, usize>>>,
}

impl<'t> Texts<'t> {
    fn of(snapshots: Pair<&'t Snapshot>, path: &str) -> Option<Self> {
        let (old, new) = (snapshots.old.get(path)?, snapshots.new.get(path)?);
        let is_small = |bytes: &[u8]| bytes.len() <= LARGEST_FILE;
        if old.id == new.id || !is_small(&old.bytes) || !is_small(&new.bytes) {
            return None;
        }
        let texts = Pair::new(std::str::from_utf8(&old.bytes).ok()?, std::str::from_utf8(&new.bytes).ok()?);
        let starts =
            texts.map(|text| std::iter::once(0).chain(memchr_iter(b'\n', text.as_bytes()).map(|at| at + 1)).collect());
        let unspelled = Pair::new(unspelled(texts.old, texts.new), unspelled(texts.new, texts.old));
        Some(Texts { texts, starts, unspelled, same: None })
    }

    /// The lines of a place, from 0.
    fn lines_of(&self, side: Side, span: Span) -> RangeInclusive<usize> {
        let starts = self.starts.side(side);
        let line = |at: usize| starts.partition_point(|start| *start <= at).saturating_sub(1);
        let Range { start, end } = span.range();
        line(start)..=line(end.max(start + 1) - 1)
    }

    /// Whether every line of a place is spelled somewhere on the other side.
    fn may_stand(&self, side: Side, site: &Site) -> bool {
        let (lines, unspelled) = (self.lines_of(side, site.span), self.unspelled.side(side));
        let before = |line: usize| unspelled.get(line);
        before(*lines.start()).zip(before(lines.end() + 1)).is_some_and(|(before, behind)| before == behind)
    }

    /// The line of the other side that the first line of a place is, where all of its lines are the same.
    fn counterpart(&mut self, side: Side, site: &Site) -> Option<usize> {
        let (lines, texts) = (self.lines_of(side, site.span), self.texts);
        let same = self.same.get_or_insert_with(|| same_lines(texts)).side(side);
        let first = *same.get(lines.start())?;
        lines.into_iter().all(|line| same.contains_key(&line)).then_some(first)
    }

    fn is_edited(&self, side: Side, line: usize) -> bool {
        self.same.as_ref().is_some_and(|same| !same.side(side).contains_key(&line))
    }
}

/// How many lines of a text before each one, and in all, are spelled nowhere in another.
fn unspelled(text: &str, other: &str) -> Vec<usize> {
    let spelled: FxHashSet<&str> = other.lines().collect();
    let mut count = 0;
    let mut behind = |line: &str| {
        count += usize::from(!spelled.contains(line));
        count
    };
    std::iter::once(0).chain(text.lines().map(&mut behind)).collect()
}

/// The lines that two texts have in common.
fn same_lines(texts: Pair<&str>) -> Pair<FxHashMap<usize, usize>> {
    let mut same = Pair::new(FxHashMap::default(), FxHashMap::default());
    for line in Difference::of(texts.old, texts.new).lines() {
        if let (Some(old), Some(new)) = (line.old, line.new) {
            same.old.insert(old, new);
            same.new.insert(new, old);
        }
    }
    same
}

fn opposite(side: Side) -> Side {
    match side {
        Side::Old => Side::New,
        Side::New => Side::Old,
    }
}
