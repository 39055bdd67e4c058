//! What the bytes of a witness are: the list that a walk through them fills.

use crate::evidence::BytePart;
use crate::ordered::InOrder;
use crate::value::{Names, Value, for_people};

/// Longer messages are no pictures.
const LONGEST: usize = 512;
/// Nor are more parts than this.
const MOST: usize = 200;
/// Characters of a value.
const VALUE: usize = 40;

/// Parts of one message, in ascending order of their first bytes.
#[derive(Debug)]
pub(super) struct Parts<'b> {
    base: &'b [u8],
    list: Vec<BytePart>,
}

impl<'b> Parts<'b> {
    /// No parts yet; `None` when the message is too long to tell.
    pub(super) fn of(base: &'b [u8]) -> Option<Self> {
        (base.len() <= LONGEST).then(|| Parts { base, list: Vec::new() })
    }

    /// Where what is left of the message starts.
    pub(super) fn at(&self, rest: &[u8]) -> usize {
        // A slice of the message: the addresses tell how much was read, whatever was nested in what.
        (rest.as_ptr() as usize).saturating_sub(self.base.as_ptr() as usize).min(self.base.len())
    }

    /// Adds a part; an empty one is none.
    pub(super) fn add(&mut self, (start, end): (usize, usize), field: &str, what: impl Into<String>) {
        if start < end && self.list.len() <= MOST {
            self.list.push(BytePart { start, end, field: field.to_owned(), what: what.into() });
        }
    }

    /// All parts; none where there are too many.
    pub(super) fn finish(self) -> Vec<BytePart> {
        let mut list = self.list;
        if list.len() > MOST {
            return Vec::new();
        }
        list.sort_in_order();
        list
    }
}

/// A value in few words.
pub(super) fn words(value: &Value, names: &dyn Names) -> String {
    crate::text::shorten(&for_people(value, names).to_string(), VALUE).into_owned()
}

/// `lines[0].count`
pub(super) fn inside(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") }
}
