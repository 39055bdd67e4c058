//! Documents → a [`Schema`]: every name resolved, every default understood, and what the reference parser refuses said.

use std::sync::Arc;

use crate::formats::CheckOptions;
use crate::syntax::problem::{NotChecked, Problem};

use super::ast::Document;
use super::model::Schema;

/// A file to link.
#[derive(Debug, Clone, Copy)]
pub(super) struct Input<'t> {
    /// Its path in the snapshot, or the path by which a library file is imported.
    pub path: &'t Arc<str>,
    /// What it says.
    pub document: &'t Document<'t>,
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
