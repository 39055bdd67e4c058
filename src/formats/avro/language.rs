//! The language as the rest names it, and what the frame's types are for it.

use crate::formats::frame;

/// The language.
pub struct Avro;

pub(super) type Content<'b> = frame::Content<'b, Avro>;
pub(super) type Contents<'b> = frame::Contents<'b, Avro>;
pub(super) type Gathered<'t> = frame::Gathered<'t, Avro>;
pub(super) type Input<'t> = frame::Input<'t, Avro>;
pub(super) type Linkage<S> = frame::Linkage<S>;
