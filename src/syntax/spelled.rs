//! What stands in a file, and where.

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

/// A type, a value or the like with its place; what they are is each language's to say.
#[derive(Debug, Clone)]
pub struct Placed<K> {
    /// Where.
    pub span: Span,
    /// What.
    pub kind: K,
}
