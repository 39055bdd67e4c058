//! The language as the rest names it, and what the frame's types are for it.

use crate::formats::frame;

/// The language.
pub(crate) struct JsonSchema;

pub(super) type Gathered<'t> = frame::Gathered<'t, JsonSchema>;
pub(super) type Linkage<S> = frame::Linkage<S>;
