//! The language as the rest names it, and what the frame's types are for it.

use crate::formats::frame;

/// The language.
pub struct Protobuf;

pub(super) type Gathered<'t> = frame::Gathered<'t, Protobuf>;
