//! Protocol Buffers: proto2, proto3 and editions 2023 and 2024.

pub mod ast;
mod diff;
mod fix;
pub mod model;
pub mod pairing;
mod relation;

use crate::change::Pair;
use crate::formats::{CheckOptions, Checked};
use crate::source::Snapshot;

/// Compares the `.proto` files of two snapshots.
pub fn check(_pair: Pair<&Snapshot>, _options: &CheckOptions) -> Checked {
    Checked::default()
}
