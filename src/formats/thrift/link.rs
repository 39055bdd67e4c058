//! Programs → a [`Schema`]: includes followed, names resolved, typedefs looked through, ids and numbers assigned, and
//! what the compiler refuses said.

use std::sync::Arc;

use crate::formats::CheckOptions;
use crate::syntax::problem::{NotChecked, Problem};

use super::model::Schema;
use super::parse::Program;

/// A file to link.
#[derive(Debug, Clone, Copy)]
pub(super) struct Input<'t> {
    /// Its path in the snapshot, or the path by which a library file is included.
    pub path: &'t Arc<str>,
    /// What it says.
    pub program: &'t Program<'t>,
    /// What was wrong with its text.
    pub problems: &'t [Problem],
    /// Whether it only supplies types.
    pub is_library: bool,
}

/// One side, ready to be compared.
#[derive(Debug, Default)]
pub(super) struct Linkage<'t> {
    /// The types.
    pub schema: Schema<'t>,
    /// What is wrong.
    pub problems: Vec<Problem>,
    /// What is not checked.
    pub not_checked: Vec<NotChecked>,
}

/// Links the files of one side.
pub(super) fn link<'t>(_inputs: &[Input<'t>], _options: &CheckOptions) -> Linkage<'t> {
    Linkage::default()
}
