//! What every language gets: everything around parsing, linking, comparing, writing and reading.

pub(super) mod doubtful;
pub(super) mod peers;
pub(super) mod roots;

/// A type or a service that a schema declares.
#[derive(Debug, Clone, Copy)]
pub(super) struct Declared<'s> {
    /// Its full name.
    pub(super) name: &'s str,
    /// Its file.
    pub(super) file: &'s str,
    /// Whether that is judged, and does not only supply types.
    pub(super) is_own: bool,
}
