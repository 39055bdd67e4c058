//! Ranges of numbers, as `reserved` and `extensions` statements give them: both ends belong to them.

use rustc_hash::FxHashSet;

use crate::ordered::InOrder;

use super::ast::Reserved;

/// Largest field number.
pub(super) const MAX_FIELD_NUMBER: i32 = 536_870_911;

/// Ranges in order, of which none overlaps another: those that do are one. What touches stays apart, as it was written.
pub(super) fn in_order(ranges: impl IntoIterator<Item = (i32, i32)>) -> Vec<(i32, i32)> {
    let mut ranges: Vec<(i32, i32)> = ranges.into_iter().filter(|(start, end)| start <= end).collect();
    ranges.sort_in_order();
    let mut found: Vec<(i32, i32)> = Vec::with_capacity(ranges.len());
    for (start, end) in ranges {
        match found.last_mut().filter(|last| start <= last.1) {
            Some(last) => last.1 = last.1.max(end),
            None => found.push((start, end)),
        }
    }
    found
}

/// Whether ranges [in order](in_order) cover a number.
pub(super) fn covers(ranges: &[(i32, i32)], number: i32) -> bool {
    let behind = ranges.partition_point(|(start, _)| *start <= number);
    behind.checked_sub(1).is_some_and(|at| number <= ranges[at].1)
}

/// The parts of `range` that none of `others` covers, in order. `others` are [in order](in_order).
pub(super) fn uncovered((start, end): (i32, i32), others: &[(i32, i32)]) -> Vec<(i32, i32)> {
    let first = others.partition_point(|(_, until)| *until < start);
    let mut parts = Vec::new();
    // The first number that is looked at next; behind the largest there is none.
    let mut next = Some(start);
    for (from, until) in others[first..].iter().take_while(|(from, _)| *from <= end) {
        let Some(begin) = next else { break };
        if begin < *from {
            parts.push((begin, from - 1));
        }
        next = until.checked_add(1);
    }
    parts.extend(next.filter(|begin| *begin <= end).map(|begin| (begin, end)));
    parts
}

/// The names that statements reserve which were asked about last: one declaration after the other is, each for many names.
#[derive(Debug, Default)]
pub(super) struct ReservedNames<'a> {
    /// Where the statements are.
    at: usize,
    names: FxHashSet<&'a str>,
}

impl<'a> ReservedNames<'a> {
    /// Whether the statements reserve a name.
    pub(super) fn have(&mut self, statements: &'a [Reserved<'a>], name: &str) -> bool {
        if statements.is_empty() {
            return false;
        }
        let at = statements.as_ptr() as usize;
        if self.at != at {
            let names = statements.iter().flat_map(|statement| &statement.names).map(|entry| &*entry.name.text);
            *self = ReservedNames { at, names: names.collect() };
        }
        self.names.contains(name)
    }
}

/// A range as it is written in a `reserved` statement.
pub(super) fn range_text((start, end): (i32, i32), max: i32) -> String {
    match end {
        _ if start == end => start.to_string(),
        _ if end == max => format!("{start} to max"),
        _ => format!("{start} to {end}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_no_range_covers_is_what_is_left_between_them() {
        let others = in_order([(20, 29), (1, 4), (3, 6), (7, 9), (i32::MAX, i32::MAX), (9, 8)]);
        assert_eq!(others, [(1, 6), (7, 9), (20, 29), (i32::MAX, i32::MAX)]);
        assert_eq!(uncovered((1, 9), &others), []);
        assert_eq!(uncovered((0, 20), &others), [(0, 0), (10, 19)]);
        assert_eq!(uncovered((25, i32::MAX), &others), [(30, i32::MAX - 1)]);
        assert_eq!(uncovered((i32::MIN, 0), &others), [(i32::MIN, 0)]);
        assert_eq!(uncovered((5, 3), &others), []);
        let every = |range: (i32, i32), number| (range.0..=range.1).contains(&number);
        for number in -1..40 {
            let is_covered = others.iter().any(|range| every(*range, number));
            assert_eq!(covers(&others, number), is_covered, "{number}");
            assert_eq!(uncovered((number, number), &others).is_empty(), is_covered, "{number}");
        }
    }
}
