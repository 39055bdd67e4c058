//! What a schema declares, as far as every language has it.

use std::sync::Arc;

use crate::change::{Site, Span};

/// A type or a service that a schema declares.
#[derive(Debug, Clone, Copy)]
pub struct Declared<'s> {
    /// Its full name.
    pub(crate) name: &'s str,
    /// Its file.
    pub(crate) file: &'s str,
    /// Where in it its name is written.
    pub(crate) at: Span,
    /// Whether that is judged, and does not only supply types.
    pub(crate) is_own: bool,
}

/// A file of a schema, by its number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FileId(pub u32);

/// Something with a full name that stands in a file.
pub(crate) trait Named {
    /// The full name, the file, and where in it the name is written.
    fn named(&self) -> (&str, FileId, Span);
}

/// A schema whose declarations stand in files.
pub(crate) trait InFiles {
    /// The path of a file, and whether the file only supplies types.
    fn source(&self, file: FileId) -> (&Arc<str>, bool);

    /// The number of the terms on which a file is judged.
    fn terms(&self, file: FileId) -> usize;

    /// What a file says, as a number: files of one content have the same, on both sides, since each content is read once.
    fn content(&self, file: FileId) -> usize;

    /// A place in a file.
    fn site(&self, file: FileId, span: Span) -> Site {
        Site { file: self.source(file).0.clone(), span }
    }

    /// Where the name of a declaration is written.
    fn name_site(&self, of: &impl Named) -> Site {
        let (_, file, span) = of.named();
        self.site(file, span)
    }

    /// A declaration as others see it.
    fn declared<'s>(&'s self, of: &'s impl Named) -> Declared<'s> {
        let (name, file, at) = of.named();
        let (path, is_library) = self.source(file);
        Declared { name, file: path, at, is_own: !is_library }
    }
}
