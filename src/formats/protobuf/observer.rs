//! A second reader beside the specification.

use crate::change::Identity;
use crate::evidence::{Outcome, Surface};
use crate::value::Record;

use super::compare::Comparer;
use super::model::MessageId;

/// The name under which this reader's observations are told.
pub(super) const NAME: &str = "buffa";

/// What this reader sees of a witness.
pub(super) fn observe(
    _comparer: &Comparer<'_, '_, '_>,
    _types: (MessageId, MessageId),
    _identity: &Identity,
    _surface: Surface,
    _bytes: &[u8],
    _wrote: &Record,
) -> Option<(Outcome, serde_json::Value)> {
    None
}
