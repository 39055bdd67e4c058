//! Files → a [`Schema`]: includes followed, names resolved, slots and layouts computed, and what the compiler refuses said.

use crate::syntax::problem::{NotChecked, Problem};

use super::model::Schema;

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
