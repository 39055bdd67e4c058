//! The language as the rest names it, and what the frame's types are for it.

use crate::formats::frame;

/// The language.
pub(crate) struct Flatbuffers;

pub(super) type Gathered<'t> = frame::Gathered<'t, Flatbuffers>;
pub(super) type Input<'t> = frame::Input<'t, Flatbuffers>;
pub(super) type Linkage<S> = frame::Linkage<S>;
