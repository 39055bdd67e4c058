//! What protoc refuses about declarations.
use crate::syntax::problem::Problem;
use super::link::{FileContext, Universe};
pub(super) fn check(_context: &mut FileContext<'_, '_>) {}
pub(super) fn shared_names(_universe: &Universe<'_>) -> Vec<Problem> { Vec::new() }
