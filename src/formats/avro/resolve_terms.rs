//! The terms of resolving: whose rules apply, between which schemas, where a reading stands and why it fails.

use std::cell::{OnceCell, RefCell};
use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::model::{Kind, Primitive, Schema, TypeId};

/// Whose rules apply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
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
    /// The reader's aliases contradict its names or each other: two of its fields want the same written field, or one
    /// of its fields wants two.
    Ambiguous,
    /// A default in the writer's schema spells a field whose name the reader's aliases change, and so fits no more.
    DefaultOfRenamed {
        /// The writer's record that has the field.
        record: TypeId,
        /// The index of the field.
        field: usize,
    },
    /// The value is nested deeper than [`DEPTH_LIMIT`].
    TooDeep,
    /// The value is not one of the type that it was said to be written with.
    NotWritten,
}

/// How deep values may be nested. Every array, map and record counts, and every branch of either side.
pub(crate) const DEPTH_LIMIT: usize = 300;

/// A pair of types, and what was found out about the types below while values were read.
#[derive(Debug)]
pub(crate) struct Reading<'s, 'w, 'r> {
    pub(super) sides: Resolver<'s, 'w, 'r>,
    pub(super) writer: TypeId,
    pub(super) reader: TypeId,
    pub(super) renames: Renames<'s>,
    pub(super) fields: RefCell<FxHashMap<(TypeId, TypeId), Rc<Fields>>>,
    pub(super) branches: RefCell<FxHashMap<(TypeId, TypeId), Option<usize>>>,
    pub(super) equivalent: RefCell<FxHashMap<(TypeId, TypeId), bool>>,
    pub(super) shapes: Shapes<'s>,
    /// The fields of the reader, by record and index, whose default Java cannot make; readings of the same schemas share
    /// them.
    pub(super) unmade: Rc<OnceCell<FxHashSet<(TypeId, usize)>>>,
    /// Why Java reads nothing at all, if it does not.
    pub(super) useless: OnceCell<Option<(Vec<Step>, Reason)>>,
}

/// What is known of the records of unions: for a written record the first that has its structure is sought.
#[derive(Debug, Default)]
pub(super) struct Shapes<'s> {
    /// By the union of the reader; readings of the same schemas share them.
    pub(super) records: Rc<RefCell<FxHashMap<TypeId, Rc<Records<'s>>>>>,
    /// By the structure of the written record and the union.
    pub(super) first: RefCell<FxHashMap<(Shape, TypeId), Option<usize>>>,
}

/// The fields of a written record.
pub(super) type Shape = Vec<(String, Sort)>;

/// What decides whether one field can be read as another at first sight.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Sort {
    Primitive(Primitive),
    Other(TypeId),
}

/// The records of a union of the reader, by their indices.
#[derive(Debug, Default)]
pub(super) struct Records<'s> {
    pub(super) by_name: FxHashMap<&'s str, usize>,
    pub(super) by_simple_name: FxHashMap<&'s str, Vec<usize>>,
    pub(super) groups: Vec<Group<'s>>,
    /// The groups by the field without a default that the fewest of them need; those that need none by none.
    pub(super) by_needed: FxHashMap<Option<&'s str>, Vec<usize>>,
}

/// Records with the same fields, of which the first counts.
#[derive(Debug)]
pub(super) struct Group<'s> {
    pub(super) first: usize,
    /// The fields without a default.
    pub(super) needed: Vec<&'s str>,
}

/// Where the fields of a reader's record come from.
#[derive(Debug, Default)]
pub(super) struct Fields {
    /// Per field of the reader the index of the writer's; `None` where the default is taken.
    pub(super) sources: Vec<Option<usize>>,
    /// The first field that makes every reading fail.
    pub(super) failing: Option<(Step, Reason)>,
    /// The first field of the reader whose aliases make every reading fail, whatever fails before.
    pub(super) ambiguous: Option<usize>,
}

/// How the reader's aliases rewrite the writer's schema.
#[derive(Debug, Default)]
pub(super) struct Renames<'s> {
    /// Alias → the full name of the reader's type.
    pub(super) types: FxHashMap<&'s str, &'s str>,
    /// Full name of a reader's record → alias → name of its field.
    pub(super) fields: FxHashMap<&'s str, FxHashMap<&'s str, &'s str>>,
    /// Why the rewritten schema is useless, if it is, and the way there: it has two fields or branches of the same name, or
    /// a default that does not fit.
    pub(super) contradiction: Option<(Vec<Step>, Reason)>,
}

impl Fields {
    /// Adds the next field of the reader.
    pub(super) fn add(&mut self, index: usize, source: Option<usize>, has_default: bool) {
        if source.is_none() && !has_default {
            self.failing.get_or_insert((Step::Field { writer: None, reader: Some(index) }, Reason::NoDefault));
        }
        self.sources.push(source);
    }
}

/// A full name without its namespace.
pub(super) fn simple(full: &str) -> &str {
    full.rsplit_once('.').map_or(full, |(_, simple)| simple)
}

/// Whether both are the same primitive type, or of the same complex type, whatever their names and contents.
pub(super) fn is_same_sort(one: &Kind<'_>, other: &Kind<'_>) -> bool {
    match (one, other) {
        (Kind::Primitive(one), Kind::Primitive(other)) => one == other,
        _ => std::mem::discriminant(one) == std::mem::discriminant(other),
    }
}

/// Whether a value of the written type may be read as one of the other, which it is not.
pub(super) fn is_promoted(writer: &Kind<'_>, reader: &Kind<'_>) -> bool {
    let (Kind::Primitive(from), Kind::Primitive(to)) = (writer, reader) else { return false };
    match from {
        Primitive::Int => matches!(to, Primitive::Long | Primitive::Float | Primitive::Double),
        Primitive::Long => matches!(to, Primitive::Float | Primitive::Double),
        Primitive::Float => matches!(to, Primitive::Double),
        Primitive::Bytes => matches!(to, Primitive::String),
        Primitive::String => matches!(to, Primitive::Bytes),
        Primitive::Null | Primitive::Boolean | Primitive::Double => false,
    }
}
