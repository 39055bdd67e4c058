//! What a schema declares, as far as every language has it.

/// A type or a service that a schema declares.
#[derive(Debug, Clone, Copy)]
pub struct Declared<'s> {
    /// Its full name.
    pub(crate) name: &'s str,
    /// Its file.
    pub(crate) file: &'s str,
    /// Whether that is judged, and does not only supply types.
    pub(crate) is_own: bool,
}
