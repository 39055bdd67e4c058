//! In which notation a document is written.

use std::sync::Arc;

use crate::syntax::json::{self, Json};
use crate::syntax::problem::Problem;

/// The notations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Notation {
    /// JSON (RFC 8259).
    Json,
}

impl Notation {
    /// By the ending of a name.
    pub(super) fn of_path(path: &str) -> Option<Notation> {
        path.ends_with(".json").then_some(Notation::Json)
    }

    /// Reads a document.
    pub(super) fn read<'b>(self, path: &Arc<str>, bytes: &'b [u8]) -> (Option<Json<'b>>, Vec<Problem>) {
        match self {
            Notation::Json => json::parse(path, bytes),
        }
    }
}
