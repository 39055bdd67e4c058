//! A reader beside the one that decides: code generated for Rust, which reads every field of a known id as its own type
//! without a look at the type in the header. It is modelled, not run, and decides nothing.

use crate::evidence::Outcome;
use crate::formats::roundtrip::Sides;
use crate::value::Record;

use super::codec::{self, Headers, Protocol, Reading};
use super::compare::Comparer;
use super::model::StructId;

/// The name under which this reader's observations are told.
pub(super) const NAME: &str = "rust (generated)";

/// What this reader makes of bytes and the worst that it experiences of what was written; `None` when that is what the
/// deciding reader makes of them. What nobody wrote looks the same to both.
pub(super) fn observe(
    comparer: &Comparer<'_, '_, '_>,
    ids: Sides<StructId>,
    (wrote, bytes, protocol): (&Record, &[u8], Protocol),
    decided: &Reading,
) -> Option<(Outcome, Reading)> {
    let reading = codec::decode(comparer.types.reader, ids.reader, bytes, (protocol, Headers::Ignored));
    if reading.result == decided.result {
        return None;
    }
    let notes = comparer.notes(ids, wrote, (&reading, false));
    let outcome = notes.into_iter().map(|note| note.outcome).max().unwrap_or(Outcome::Safe);
    Some((outcome, reading))
}
