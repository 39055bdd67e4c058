//! One side while it is linked: its files, what each declares, and one file with the problems found in it.
//!
//! The steps of linking and checking look at this; [`super::link`] calls them in order.

use std::ops::Range;
use std::sync::Arc;

use crate::change::Span;
use crate::syntax::problem::Problem;

use super::ast;
use super::link_scope::Symbols;
use super::model::{File, FileId, MessageId, Schema};

/// A file to be linked. The index in the list of files is its [`FileId`].
#[derive(Debug, Clone)]
pub(crate) struct LinkFile<'a> {
    /// The path in the snapshot; for files that only supply types the import path.
    pub(crate) path: Arc<str>,
    /// The path by which others import it.
    pub(crate) import_path: Arc<str>,
    /// The syntax tree.
    pub(crate) ast: &'a ast::File<'a>,
    /// Whether it only supplies types.
    pub(crate) is_builtin: bool,
    /// The number of the terms on which it is judged.
    pub(crate) terms: usize,
    /// Whether it did not parse: what it lacks is then no further problem.
    pub(crate) is_broken: bool,
    /// What its imports lead to, in order; `None` when a file was not found.
    pub(crate) imports: Vec<Option<FileId>>,
}

/// Which elements one file declares.
#[derive(Debug, Clone, Default)]
pub(super) struct Declared {
    pub(super) messages: Range<usize>,
    pub(super) enums: Range<usize>,
    pub(super) services: Range<usize>,
    pub(super) extensions: Range<usize>,
}

/// Where an extension is declared.
#[derive(Debug, Clone, Copy)]
pub(super) struct ExtensionScope<'a> {
    /// The message around the `extend` block.
    pub(super) parent: Option<MessageId>,
    /// The block.
    pub(super) block: &'a ast::Extend<'a>,
}

/// Everything the later steps look at.
#[derive(Debug)]
pub(super) struct Universe<'a> {
    pub(super) files: Vec<LinkFile<'a>>,
    pub(super) schema: Schema<'a>,
    pub(super) symbols: Symbols<'a>,
    pub(super) declared: Vec<Declared>,
    pub(super) extension_scopes: Vec<ExtensionScope<'a>>,
    /// Of each file: whether something it could refer to may stand in a file that was not found or did not parse.
    pub(super) incomplete: Vec<bool>,
    /// The file whose `google.protobuf.*Options` count where a closure has none of its own.
    pub(super) descriptor: Option<FileId>,
}

/// One file and the problems found in it.
#[derive(Debug)]
pub(super) struct FileContext<'u, 'a> {
    pub(super) universe: &'u Universe<'a>,
    pub(super) id: FileId,
    pub(super) problems: Vec<Problem>,
}

impl<'u, 'a> FileContext<'u, 'a> {
    pub(super) fn new(universe: &'u Universe<'a>, id: FileId) -> Self {
        Self { universe, id, problems: Vec::new() }
    }

    pub(super) fn schema(&self) -> &'u Schema<'a> {
        &self.universe.schema
    }

    pub(super) fn file(&self) -> &'u File<'a> {
        self.universe.schema.file(self.id)
    }

    pub(super) fn declared(&self) -> &'u Declared {
        &self.universe.declared[self.id.0 as usize]
    }

    /// Whether a name that is not found may stand in a file that was not found.
    pub(super) fn is_incomplete(&self) -> bool {
        self.universe.incomplete[self.id.0 as usize]
    }

    pub(super) fn path_of(&self, file: FileId) -> &'u Arc<str> {
        &self.universe.files[file.0 as usize].path
    }

    pub(super) fn error(&mut self, span: Span, message: impl Into<String>, help: impl Into<String>) {
        self.problems.push(Problem::error(self.path_of(self.id), span, message, help));
    }

    /// Adds a name that a missing import may declare.
    pub(super) fn unsure(&mut self, span: Span, name: &str) {
        self.problems.push(Problem::unsure(self.path_of(self.id), span, name));
    }

    /// Adds something that compilers refuse, and that says nothing of any element.
    pub(super) fn aside(&mut self, span: Span, message: impl Into<String>, help: impl Into<String>) {
        self.problems.push(Problem::aside(self.path_of(self.id), span, message, help));
    }

    /// Adds something that compilers refuse, and that hides no element.
    pub(super) fn refuse(&mut self, span: Span, message: impl Into<String>, help: impl Into<String>) {
        self.problems.push(Problem::refused(self.path_of(self.id), span, message, help));
    }

    pub(super) fn warning(&mut self, span: Span, message: impl Into<String>, help: impl Into<String>) {
        self.problems.push(Problem::warning(self.path_of(self.id), span, message, help));
    }
}
