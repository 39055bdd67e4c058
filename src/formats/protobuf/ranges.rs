//! Ranges of numbers, as `reserved` and `extensions` statements give them: both ends belong to them.

/// Largest field number.
pub(super) const MAX_FIELD_NUMBER: i32 = 536_870_911;

/// Whether a sorted list of ranges covers a number.
pub(super) fn covers(ranges: &[(i32, i32)], number: i32) -> bool {
    ranges.iter().any(|(start, end)| (*start..=*end).contains(&number))
}

/// The parts of `range` that none of `others` covers, in order.
pub(super) fn uncovered(range: (i32, i32), others: impl IntoIterator<Item = (i32, i32)>) -> Vec<(i32, i32)> {
    let mut rest = vec![(i64::from(range.0), i64::from(range.1))];
    for (start, end) in others {
        let (start, end) = (i64::from(start), i64::from(end));
        rest = rest
            .into_iter()
            .flat_map(|(from, to)| [(from, to.min(start - 1)), (from.max(end + 1), to)])
            .filter(|(from, to)| from <= to)
            .collect();
        rest.dedup();
    }
    let narrow = |number: i64| i32::try_from(number).expect("a part of a 32-bit range is 32-bit");
    rest.into_iter().map(|(from, to)| (narrow(from), narrow(to))).collect()
}

/// A range as it is written in a `reserved` statement.
pub(super) fn range_text((start, end): (i32, i32), max: i32) -> String {
    match end {
        _ if start == end => start.to_string(),
        _ if end == max => format!("{start} to max"),
        _ => format!("{start} to {end}"),
    }
}
