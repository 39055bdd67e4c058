//! Protocol Buffers: proto2, proto3 and editions 2023 and 2024.

pub mod ast;
pub(crate) mod codec;
pub(crate) mod compare;
pub(crate) mod generate;
pub(crate) mod json;
pub mod model;
mod observer;
pub mod pairing;
pub(crate) mod probe;
mod well_known;

use crate::change::Pair;
use crate::formats::{CheckOptions, Checked};
use crate::source::Snapshot;

/// Compares the `.proto` files of two snapshots.
pub fn check(_pair: Pair<&Snapshot>, _options: &CheckOptions) -> Checked {
    Checked::default()
}
