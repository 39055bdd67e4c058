//! What data know the parts of an element by, as one text says it: nothing is resolved and nothing linked.

use std::sync::Arc;

use super::language::Language;
use crate::formats::used::Used;
use crate::snapshot::Bytes;

/// What the elements of a text are known by. A text that cannot be understood in whole says what it can.
pub(crate) fn used<L: Language>(path: &str, bytes: &Bytes) -> Vec<Used> {
    let Some(reading) = L::reading(path, bytes) else { return Vec::new() };
    let path: Arc<str> = Arc::from(path);
    let content = L::parse(reading, &path, bytes);
    L::used(&content.tree)
}
