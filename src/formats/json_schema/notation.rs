//! In which notation a document is written.

use std::sync::Arc;

use super::yaml;
use crate::syntax::json::{self, Json};
use crate::syntax::problem::Problem;

/// The notations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Notation {
    /// JSON (RFC 8259).
    Json,
    /// YAML, as far as JSON could say the same.
    Yaml,
}

impl Notation {
    /// By the ending of a name.
    pub(super) fn of_path(path: &str) -> Option<Notation> {
        let (_, end) = path.rsplit_once('.')?;
        match end {
            "json" => Some(Notation::Json),
            "yaml" | "yml" => Some(Notation::Yaml),
            _ => None,
        }
    }

    /// Reads a document.
    pub(super) fn read<'b>(self, path: &Arc<str>, bytes: &'b [u8]) -> (Option<Json<'b>>, Vec<Problem>) {
        match self {
            Notation::Json => json::parse(path, bytes),
            Notation::Yaml => yaml::parse(path, bytes),
        }
    }
}
