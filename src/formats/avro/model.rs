//! The Avro schemas of one side with every name resolved, every default understood and every logical type recognised.
//!
//! Types live in one arena and refer to each other by number, so recursive types are no trouble. The first eight are
//! the primitive types without attributes. Follows the specification 1.12
//! (<https://avro.apache.org/docs/1.12.0/specification/>).

use std::borrow::Cow;
use std::ops::{Deref, DerefMut};
use std::sync::{Arc, OnceLock};

use rustc_hash::FxHashMap;

use crate::change::{Site, Span};
use crate::value::Value;

pub use crate::formats::frame::declared::FileId;

use super::ast::Attribute;

/// A type of a [`Schema`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TypeId(pub u32);

/// All schemas of one side.
#[derive(Debug, Default)]
pub struct Schema<'b> {
    /// The files, those that only supply types last.
    pub files: Vec<SourceFile>,
    /// Whether one file is judged, and the version has no other.
    pub is_alone: bool,
    /// All types; the first eight are [`Primitive::ALL`].
    pub types: Vec<Type<'b>>,
    /// Full name → definitions. Several only where files that do not see each other define the same name.
    pub by_name: FxHashMap<Arc<str>, Vec<TypeId>>,
    /// What data starts from: the main schema of each schema file, in the order of the files.
    pub roots: Vec<Root>,
    /// The protocols, in the order of the files.
    pub protocols: Vec<Protocol<'b>>,
}

/// A file.
#[derive(Debug, Clone)]
pub struct SourceFile {
    /// Its path in the snapshot.
    pub path: Arc<str>,
    /// Whether it only supplies types and is not judged itself.
    pub is_library: bool,
    /// What it says, as a number: files of one content have the same, on both sides, since each content is read once.
    pub content: usize,
}

/// The schema of a schema file.
#[derive(Debug, Clone, Copy)]
pub struct Root {
    /// The file.
    pub file: FileId,
    /// The schema.
    pub schema: Use,
}

/// A place where a type is used: its definition, or a reference to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Use {
    /// The type.
    pub ty: TypeId,
    /// The file in which it is used.
    pub file: FileId,
    /// The definition, or the name that refers to it.
    pub span: Span,
}

/// A type.
#[derive(Debug)]
pub struct Type<'b> {
    /// What it is.
    pub kind: Kind<'b>,
    /// Its logical type, if it is one of the specification's and applies here; otherwise it is ignored as specified.
    pub logical: Option<Logical>,
    /// Where it is defined.
    pub file: FileId,
    /// All of the definition; empty for the primitive types without attributes.
    pub span: Span,
    /// All other attributes, `logicalType` and its parameters included, as written.
    pub attributes: &'b [Attribute<'b>],
}

/// The kinds of types.
#[derive(Debug)]
pub enum Kind<'b> {
    /// A primitive type.
    Primitive(Primitive),
    /// A record or an error.
    Record(Record<'b>),
    /// An enum.
    Enum(Enum<'b>),
    /// So many bytes.
    Fixed(Fixed),
    /// An array of this.
    Array(Use),
    /// A map from texts to this.
    Map(Use),
    /// One of these.
    Union(Union),
    /// A name whose definition could not be found (an import is missing); with an empty name what could not be
    /// understood, of which a problem tells.
    Opaque(Name),
}

/// One of several types.
#[derive(Debug)]
pub struct Union {
    branches: Vec<Use>,
    /// Worked out when a branch is first asked for by its name, when all types are known.
    named: OnceLock<Box<Named>>,
}

/// Indices of branches, in their order.
#[derive(Debug, Default)]
struct Named {
    full: FxHashMap<Box<str>, Vec<usize>>,
    alias: FxHashMap<Box<str>, Vec<usize>>,
    simple: FxHashMap<Box<str>, Vec<usize>>,
}

/// What a branch is found by.
#[derive(Debug, Clone, Copy)]
pub(super) enum By<'n> {
    /// The full name of the type.
    Full(&'n str),
    /// One of its aliases, as a full name.
    Alias(&'n str),
    /// Its name without the namespace.
    Simple(&'n str),
}

/// The primitive types, in the order of the first types of every [`Schema`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Primitive {
    /// `null`
    Null,
    /// `boolean`
    Boolean,
    /// `int`
    Int,
    /// `long`
    Long,
    /// `float`
    Float,
    /// `double`
    Double,
    /// `bytes`
    Bytes,
    /// `string`
    String,
}

/// A full name.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Name {
    /// Namespace and name with dots in between.
    pub full: Arc<str>,
    /// Where the name is written.
    pub span: Span,
}

/// A record.
#[derive(Debug)]
pub struct Record<'b> {
    /// Its name.
    pub name: Name,
    /// Its aliases, as full names.
    pub aliases: Vec<Name>,
    /// Whether it is an error.
    pub is_error: bool,
    /// Its fields in order.
    pub fields: Vec<Field<'b>>,
}

/// A field of a record, or a parameter of a message.
#[derive(Debug, Clone)]
pub struct Field<'b> {
    /// Its name.
    pub name: Cow<'b, str>,
    /// Where its name is written.
    pub name_span: Span,
    /// All of it.
    pub span: Span,
    /// Its type.
    pub schema: Use,
    /// What a reader takes where the writer has no such field.
    pub default: Option<Default<'b>>,
    /// Other names by which a reader finds it.
    pub aliases: Vec<(Cow<'b, str>, Span)>,
    /// `order` as written: `ascending`, `descending` or `ignore`.
    pub order: Option<Cow<'b, str>>,
    /// All other attributes.
    pub attributes: &'b [Attribute<'b>],
}

/// The default of a field.
#[derive(Debug, Clone)]
pub struct Default<'b> {
    /// Where it is written.
    pub span: Span,
    /// As written, for people and for comparison.
    pub json: &'b crate::syntax::json::Json<'b>,
    /// What it means: in a union the branch is the first one that it fits. Null where a problem tells that it
    /// does not fit, and for types that are opaque.
    pub value: Value,
    /// Whether it fits a later branch of the union only, which versions before 1.12 refuse.
    pub needs_1_12: bool,
}

/// An enum.
#[derive(Debug)]
pub struct Enum<'b> {
    /// Its name.
    pub name: Name,
    /// Its aliases, as full names.
    pub aliases: Vec<Name>,
    /// Its symbols in order, with their places.
    pub symbols: Vec<(Cow<'b, str>, Span)>,
    /// The index of the symbol that stands for unknown ones, and where it is written.
    pub default: Option<(u32, Span)>,
    /// Where the symbols stand, where there are many: found out when one is first asked for.
    pub(super) positions: OnceLock<FxHashMap<Box<str>, usize>>,
}

/// So many symbols are looked for one by one.
const FEW: usize = 64;

impl Enum<'_> {
    /// Where a symbol stands: of several the first.
    pub fn position(&self, symbol: &str) -> Option<usize> {
        if self.symbols.len() <= FEW {
            return self.symbols.iter().position(|(known, _)| known == symbol);
        }
        let index = || {
            let all = self.symbols.iter().enumerate().rev();
            all.map(|(at, (symbol, _))| (Box::from(&**symbol), at)).collect::<FxHashMap<Box<str>, usize>>()
        };
        self.positions.get_or_init(index).get(symbol).copied()
    }
}

/// A fixed.
#[derive(Debug)]
pub struct Fixed {
    /// Its name.
    pub name: Name,
    /// Its aliases, as full names.
    pub aliases: Vec<Name>,
    /// Its size in bytes.
    pub size: u32,
    /// Where the size is written.
    pub size_span: Span,
}

/// A logical type that applies to its underlying type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Logical {
    /// On `bytes` and `fixed`: a two's-complement big-endian number divided by ten to the power of the scale.
    Decimal {
        /// Digits at most, from 1.
        precision: u32,
        /// Digits behind the point, not more than the precision.
        scale: u32,
    },
    /// On `bytes`: a number that carries its own scale.
    BigDecimal,
    /// On `string` or on a `fixed` of 16 bytes.
    Uuid,
    /// On `int`: days since 1970-01-01.
    Date,
    /// On `int`: milliseconds since midnight.
    TimeMillis,
    /// On `long`: microseconds since midnight.
    TimeMicros,
    /// On `long`: an instant.
    Timestamp(Unit),
    /// On `long`: a date and a time of day, wherever the reader is.
    LocalTimestamp(Unit),
    /// On a `fixed` of 12 bytes: months, days and milliseconds.
    Duration,
}

/// What a timestamp counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Unit {
    /// Thousandths of a second.
    Millis,
    /// Millionths.
    Micros,
    /// Billionths.
    Nanos,
}

/// A protocol.
#[derive(Debug)]
pub struct Protocol<'b> {
    /// Its full name.
    pub name: Name,
    /// The file that declares it.
    pub file: FileId,
    /// The named types it declares, in the order written.
    pub types: Vec<TypeId>,
    /// Its messages, in the order written, those of the protocols that it imports included.
    pub messages: Vec<Message<'b>>,
    /// Other attributes.
    pub attributes: &'b [Attribute<'b>],
}

/// A message of a protocol.
#[derive(Debug, Clone)]
pub struct Message<'b> {
    /// Its name.
    pub name: Cow<'b, str>,
    /// The file that declares it.
    pub file: FileId,
    /// Where its name is written.
    pub name_span: Span,
    /// All of it.
    pub span: Span,
    /// Its parameters, as a record named `<protocol>.<message>.request` of its own.
    pub request: TypeId,
    /// What it returns.
    pub response: Use,
    /// The union of `string` and the declared errors.
    pub errors: Use,
    /// Whether nobody waits for an answer.
    pub is_one_way: bool,
    /// Other attributes.
    pub attributes: &'b [Attribute<'b>],
}

impl Primitive {
    /// All of them, in the order of their type numbers.
    pub const ALL: [Primitive; 8] = [
        Primitive::Null,
        Primitive::Boolean,
        Primitive::Int,
        Primitive::Long,
        Primitive::Float,
        Primitive::Double,
        Primitive::Bytes,
        Primitive::String,
    ];

    /// The name in schemas.
    pub const fn name(self) -> &'static str {
        match self {
            Primitive::Null => "null",
            Primitive::Boolean => "boolean",
            Primitive::Int => "int",
            Primitive::Long => "long",
            Primitive::Float => "float",
            Primitive::Double => "double",
            Primitive::Bytes => "bytes",
            Primitive::String => "string",
        }
    }

    /// The primitive type of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Some(match name {
            "null" => Primitive::Null,
            "boolean" => Primitive::Boolean,
            "int" => Primitive::Int,
            "long" => Primitive::Long,
            "float" => Primitive::Float,
            "double" => Primitive::Double,
            "bytes" => Primitive::Bytes,
            "string" => Primitive::String,
            _ => return None,
        })
    }

    /// Its number in every [`Schema`].
    pub const fn id(self) -> TypeId {
        TypeId(self as u32)
    }
}

impl Logical {
    /// The name in schemas.
    pub const fn name(self) -> &'static str {
        match self {
            Logical::Decimal { .. } => "decimal",
            Logical::BigDecimal => "big-decimal",
            Logical::Uuid => "uuid",
            Logical::Date => "date",
            Logical::TimeMillis => "time-millis",
            Logical::TimeMicros => "time-micros",
            Logical::Timestamp(Unit::Millis) => "timestamp-millis",
            Logical::Timestamp(Unit::Micros) => "timestamp-micros",
            Logical::Timestamp(Unit::Nanos) => "timestamp-nanos",
            Logical::LocalTimestamp(Unit::Millis) => "local-timestamp-millis",
            Logical::LocalTimestamp(Unit::Micros) => "local-timestamp-micros",
            Logical::LocalTimestamp(Unit::Nanos) => "local-timestamp-nanos",
            Logical::Duration => "duration",
        }
    }
}

impl Name {
    /// The name without its namespace.
    pub fn simple(&self) -> &str {
        self.full.rsplit_once('.').map_or(&self.full, |(_, simple)| simple)
    }

    /// The namespace; empty for the null namespace.
    pub fn namespace(&self) -> &str {
        self.full.rsplit_once('.').map_or("", |(namespace, _)| namespace)
    }
}

impl<'b> Schema<'b> {
    /// A type by its number.
    pub fn ty(&self, id: TypeId) -> &Type<'b> {
        &self.types[id.0 as usize]
    }

    /// What a type is, by its number.
    pub fn kind(&self, id: TypeId) -> &Kind<'b> {
        &self.ty(id).kind
    }

    /// The record of that number.
    pub fn record(&self, id: TypeId) -> Option<&Record<'b>> {
        match self.kind(id) {
            Kind::Record(record) => Some(record),
            _ => None,
        }
    }

    /// A file by its number.
    pub fn file(&self, id: FileId) -> &SourceFile {
        &self.files[id.0 as usize]
    }

    /// How many files are judged.
    pub fn judged_files(&self) -> usize {
        self.files.iter().filter(|file| !file.is_library).count()
    }

    /// A place in a file.
    pub fn site(&self, file: FileId, span: Span) -> Site {
        Site { file: self.file(file).path.clone(), span }
    }

    /// The full name of a named type.
    pub fn name(&self, id: TypeId) -> Option<&Name> {
        self.kind(id).name()
    }

    /// How the type is called: `int`, `array`, `com.example.Order`.
    pub fn called(&self, id: TypeId) -> &str {
        match self.kind(id) {
            Kind::Primitive(primitive) => primitive.name(),
            Kind::Record(Record { name, .. })
            | Kind::Enum(Enum { name, .. })
            | Kind::Fixed(Fixed { name, .. })
            | Kind::Opaque(name) => &name.full,
            Kind::Array(_) => "array",
            Kind::Map(_) => "map",
            Kind::Union(_) => "union",
        }
    }
}

impl Kind<'_> {
    /// The name of a named type.
    pub fn name(&self) -> Option<&Name> {
        match self {
            Kind::Record(Record { name, .. })
            | Kind::Enum(Enum { name, .. })
            | Kind::Fixed(Fixed { name, .. })
            | Kind::Opaque(name) => Some(name),
            Kind::Primitive(_) | Kind::Array(_) | Kind::Map(_) | Kind::Union(_) => None,
        }
    }

    /// The aliases of a named type, as full names.
    pub fn aliases(&self) -> &[Name] {
        match self {
            Kind::Record(Record { aliases, .. })
            | Kind::Enum(Enum { aliases, .. })
            | Kind::Fixed(Fixed { aliases, .. }) => aliases,
            _ => &[],
        }
    }
}

impl Union {
    /// A union of these branches.
    pub(super) fn new(branches: Vec<Use>) -> Self {
        Union { branches, named: OnceLock::new() }
    }

    /// The branches, by their indices and in their order, that are called so. `schema` is the one that the union belongs to.
    pub(super) fn called(&self, schema: &Schema<'_>, by: By<'_>) -> impl Iterator<Item = usize> {
        let named = self.named.get_or_init(|| Box::new(Named::of(schema, &self.branches)));
        let found = match by {
            By::Full(name) => named.full.get(name),
            By::Alias(name) => named.alias.get(name),
            By::Simple(name) => named.simple.get(name),
        };
        found.into_iter().flatten().copied()
    }
}

impl Deref for Union {
    type Target = [Use];

    fn deref(&self) -> &[Use] {
        &self.branches
    }
}

impl DerefMut for Union {
    fn deref_mut(&mut self) -> &mut [Use] {
        self.named = OnceLock::new();
        &mut self.branches
    }
}

impl<'u> IntoIterator for &'u Union {
    type Item = &'u Use;
    type IntoIter = std::slice::Iter<'u, Use>;

    fn into_iter(self) -> Self::IntoIter {
        self.branches.iter()
    }
}

impl Named {
    fn of(schema: &Schema<'_>, branches: &[Use]) -> Self {
        let mut named = Named::default();
        for (index, branch) in branches.iter().enumerate() {
            let kind = schema.kind(branch.ty);
            let Some(name) = kind.name() else { continue };
            named.full.entry((*name.full).into()).or_default().push(index);
            named.simple.entry(name.simple().into()).or_default().push(index);
            for alias in kind.aliases() {
                named.alias.entry((*alias.full).into()).or_default().push(index);
            }
        }
        named
    }
}
