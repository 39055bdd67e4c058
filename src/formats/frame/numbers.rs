//! Numbers of enums that nobody wrote: what to write so that each value keeps the one that it had.

use rustc_hash::FxHashSet;

use crate::change::{Edit, Span};

/// More places than that are nothing to write by hand, and each value that changed would repeat them.
const MOST_EDITS: usize = 100;

/// A value of the new side, in the order in which they stand.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Counted {
    /// The place behind its name, where a number would be written.
    pub(crate) at: u32,
    /// Its number.
    pub(crate) number: i128,
    /// Whether the number is written.
    pub(crate) is_written: bool,
    /// The number that it had on the old side, if it was there.
    pub(crate) was: Option<i128>,
}

/// Whether numbers have to stand in ascending order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Order {
    Any,
    Ascending,
}

/// The numbers to write, behind the names of those that count wrongly without: each value that was there keeps its number, and
/// one that came in between gets a free one. `None` where a number that is written is another one than it was, where there is
/// nothing to write or too much, or where that would not be in order.
pub(crate) fn kept(values: &[Counted], order: Order) -> Option<Vec<Edit>> {
    let mut free = values.iter().flat_map(|value| [Some(value.number), value.was]).flatten().max()?;
    let taken: FxHashSet<i128> = values.iter().filter_map(|value| value.was).collect();
    let mut next = None;
    let mut last = i128::MIN;
    let mut edits = Vec::new();
    for value in values {
        let counted = next.unwrap_or(value.number);
        let wanted = match value.was {
            Some(was) if value.is_written && was != value.number => return None,
            Some(was) => was,
            None if value.is_written => value.number,
            None if !taken.contains(&counted) => counted,
            None => {
                free = free.checked_add(1)?;
                free
            }
        };
        if !value.is_written && counted != wanted {
            edits.push(Edit { span: Span::new(value.at, value.at), insert: format!(" = {wanted}") });
        }
        if order == Order::Ascending && wanted <= last {
            return None;
        }
        last = wanted;
        next = Some(wanted.checked_add(1)?);
    }
    (1..=MOST_EDITS).contains(&edits.len()).then_some(edits)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values as `number`, `=number` where it is written, and what they were behind a slash.
    fn numbered(values: &str, order: Order) -> Option<Vec<(u32, String)>> {
        let parsed = values.split(' ').enumerate().map(|(at, text)| {
            let (number, was) = text.split_once('/').unwrap_or((text, ""));
            Counted {
                at: at as u32,
                number: number.trim_start_matches('=').parse().expect("a number"),
                is_written: number.starts_with('='),
                was: was.parse().ok(),
            }
        });
        let edits = kept(&parsed.collect::<Vec<_>>(), order)?;
        Some(edits.into_iter().map(|edit| (edit.span.start, edit.insert)).collect())
    }

    fn edits(wanted: &[(u32, i32)]) -> Option<Vec<(u32, String)>> {
        Some(wanted.iter().map(|(at, number)| (*at, format!(" = {number}"))).collect())
    }

    #[test]
    fn what_was_there_keeps_its_number() {
        // One that came in between, one that went, and both at once.
        assert_eq!(numbered("0/0 1 2/1 3/2", Order::Any), edits(&[(1, 4), (2, 1)]));
        assert_eq!(numbered("0/0 1/2 2/3", Order::Any), edits(&[(1, 2)]));
        assert_eq!(numbered("0/0 1 2/3 3", Order::Any), edits(&[(2, 3)]));
        assert_eq!(numbered("=5/5 6 7/6", Order::Any), edits(&[(1, 8), (2, 6)]));
    }

    #[test]
    fn what_is_written_stays() {
        assert_eq!(numbered("0/0 =3/2", Order::Any), None);
        assert_eq!(numbered("0/0 1/1", Order::Any), None);
        assert_eq!(numbered("0/0 1 2/1", Order::Ascending), None);
        assert_eq!(numbered("0/0 1/2 2/3", Order::Ascending), edits(&[(1, 2)]));
    }
}
