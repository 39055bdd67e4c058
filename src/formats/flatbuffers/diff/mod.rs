//! What differs between two linked sides.

use crate::change::{Change, Pair};
use crate::formats::CheckOptions;

use super::model::Schema;
use super::pairing::Pairs;

/// The outcome of comparing two sides.
#[derive(Debug, Default)]
pub(crate) struct Diff {
    /// What changed, in no particular order.
    pub(super) changes: Vec<Change>,
    /// What was compared with what.
    pub(super) pairs: Pairs,
    /// Roots asked for that neither side has.
    pub(super) unknown_roots: Vec<String>,
}

/// Compares two sides.
pub(crate) fn diff(_schemas: Pair<&Schema<'_>>, _options: &CheckOptions) -> Diff {
    Diff::default()
}
