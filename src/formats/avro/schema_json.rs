//! `.avsc` and `.avpr`: JSON → a [`Document`].

use std::sync::Arc;

use crate::syntax::json::Json;
use crate::syntax::problem::Problem;

use super::ast::Document;

/// The schema of a `.avsc`.
pub(super) fn schema<'b>(_path: &Arc<str>, _json: Json<'b>) -> (Document<'b>, Vec<Problem>) {
    Default::default()
}

/// The protocol of a `.avpr`.
pub(super) fn protocol<'b>(_path: &Arc<str>, _json: Json<'b>) -> (Document<'b>, Vec<Problem>) {
    Default::default()
}
