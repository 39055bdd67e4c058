//! What protoc refuses about options.
use super::link::FileContext;
pub(super) fn check(_context: &mut FileContext<'_, '_>) {}
