//! A word of a file, and where it stands.

use std::borrow::Cow;

use crate::change::Span;

/// A word or a text with its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spelled<'b> {
    /// What it says: without quotes and escapes, and without the space between the parts of a name.
    pub text: Cow<'b, str>,
    /// Where, quotes included.
    pub span: Span,
}
