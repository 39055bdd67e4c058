//! The Thrift programs of one side with every name resolved: includes followed, typedefs looked through, constants
//! evaluated, ids assigned.
//!
//! Follows the grammar of the Apache compiler 0.25 (<https://thrift.apache.org/docs/idl>) and the wire formats of
//! <https://github.com/apache/thrift/tree/master/doc/specs>. Struct-like types, enums and services live in arenas and
//! refer to each other by number.

use std::borrow::Cow;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::change::Span;
use crate::formats::frame::meanings::Called;
use crate::formats::frame::places::{FieldPlaces, ValuePlaces};
use crate::formats::frame::types::declarations;
use crate::formats::roundtrip::Member;

pub(crate) use crate::formats::frame::declared::FileId;
pub(crate) use crate::syntax::spelled::Spelled;

/// A struct, union, exception, argument list or result of a [`Schema`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StructId(pub u32);

/// An enum of a [`Schema`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EnumId(pub u32);

/// A service of a [`Schema`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ServiceId(pub u32);

/// All programs of one side.
#[derive(Debug, Default)]
pub(crate) struct Schema<'b> {
    /// The files; those that only supply types last.
    pub files: Vec<SourceFile<'b>>,
    /// Whether the version has no other file that is judged and was not looked at.
    pub is_whole: bool,
    /// Structs, unions and exceptions, then the argument lists and results of functions.
    pub structs: Vec<Struct<'b>>,
    /// Enums.
    pub enums: Vec<Enum<'b>>,
    /// Services and interactions.
    pub services: Vec<Service<'b>>,
    /// Typedefs, for what concerns generated code only.
    pub typedefs: Vec<Typedef<'b>>,
    /// Constants, for what concerns generated code only.
    pub constants: Vec<Constant<'b>>,
    /// Name with the program in front (`shared.Address`) → struct-like types.
    pub structs_by_name: FxHashMap<Arc<str>, Vec<StructId>>,
    /// The same for enums.
    pub enums_by_name: FxHashMap<Arc<str>, Vec<EnumId>>,
    /// The same for services.
    pub services_by_name: FxHashMap<Arc<str>, Vec<ServiceId>>,
}

/// A file.
#[derive(Debug)]
pub(crate) struct SourceFile<'b> {
    /// Its path in the snapshot.
    pub path: Arc<str>,
    /// Its text.
    pub bytes: &'b [u8],
    /// The program's name: the file's name without its ending; the first part of full names.
    pub program: Arc<str>,
    /// Whether it only supplies types and is not judged itself.
    pub is_library: bool,
    /// The number of the terms on which it is judged.
    pub terms: usize,
    /// `namespace` statements: scope and name.
    pub namespaces: Vec<(Spelled<'b>, Spelled<'b>)>,
    /// `include` statements in the order written.
    pub includes: Vec<Include<'b>>,
}

/// An `include` statement.
#[derive(Debug)]
pub(crate) struct Include<'b> {
    /// The path as written.
    pub path: Spelled<'b>,
    /// The file it means, where that was found.
    pub file: Option<FileId>,
}

/// What a struct-like type was declared as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Sort {
    /// `struct`
    Struct,
    /// `union`: at most one field is set.
    Union,
    /// `exception`
    Exception,
    /// The arguments of a function.
    Arguments,
    /// The result of a function: field 0 is the return value, the others the exceptions. At most one is set.
    Result,
}

impl Sort {
    /// Whether it is the arguments or the result of a function, and no declaration of its own.
    pub(crate) const fn is_of_function(self) -> bool {
        matches!(self, Sort::Arguments | Sort::Result)
    }
}

/// A struct, a union, an exception, or the arguments or the result of a function.
#[derive(Debug)]
pub(crate) struct Struct<'b> {
    /// `program.Name`; of a function `program.Service.function()` with ` arguments` or ` result`.
    pub full_name: Arc<str>,
    /// Where the name is written.
    pub name_span: Span,
    /// All of it.
    pub span: Span,
    /// Its file.
    pub file: FileId,
    /// What it was declared as.
    pub sort: Sort,
    /// Its fields in the order written.
    pub fields: Vec<Field<'b>>,
    /// Ids that are kept free: by `@thrift.ReserveIds` or by a comment `// reserved: 4, 7-9`. Inclusive ranges.
    pub reserved: Vec<(i16, i16)>,
    /// Annotations.
    pub annotations: Vec<Annotation<'b>>,
    /// Where its fields are, once somebody asked.
    pub places: FieldPlaces,
}

impl<'b> Struct<'b> {
    /// The field of an id; of several the first.
    pub fn field(&self, id: i16) -> Option<&Field<'b>> {
        let ids = self.fields.iter().map(|field| field.id.into());
        self.places.of_number(ids, id.into()).and_then(|at| self.fields.get(at))
    }

    /// The fields that must be there.
    pub fn required(&self) -> impl Iterator<Item = &Field<'b>> {
        let are_required = self.fields.iter().map(|field| field.requiredness == Requiredness::Required);
        self.places.required(are_required).iter().filter_map(|at| self.fields.get(*at))
    }
}

/// A field.
#[derive(Debug)]
pub(crate) struct Field<'b> {
    /// Its id; negative where the compiler assigned it.
    pub id: i16,
    /// Where the id is written; `None` when it is implicit.
    pub id_span: Option<Span>,
    /// Its name.
    pub name: Spelled<'b>,
    /// All of it, separator not included.
    pub span: Span,
    /// Whether it must be there.
    pub requiredness: Requiredness,
    /// Its type, typedefs looked through.
    pub ty: Type,
    /// Its type as written.
    pub written: Spelled<'b>,
    /// Its default.
    pub default: Option<Value<'b>>,
    /// Annotations.
    pub annotations: Vec<Annotation<'b>>,
}

/// Whether a field must be there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Requiredness {
    /// `required`: written always, and a reader without it rejects the struct.
    Required,
    /// `optional`: written when set.
    Optional,
    /// Neither: written always (unset references apart), never demanded.
    Default,
}

/// A type with typedefs looked through.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Type {
    /// Nothing; only as the return type of a function.
    Void,
    /// `bool`
    Bool,
    /// `byte` and `i8`
    I8,
    /// `i16`
    I16,
    /// `i32`
    I32,
    /// `i64`
    I64,
    /// `double`
    Double,
    /// `float` of the fbthrift dialect.
    Float,
    /// `string`
    String,
    /// `binary`
    Binary,
    /// `uuid`
    Uuid,
    /// An enum.
    Enum(EnumId),
    /// A struct, a union or an exception.
    Struct(StructId),
    /// `list<…>`
    List(Box<Type>),
    /// `set<…>`
    Set(Box<Type>),
    /// `map<…, …>`
    Map(Box<(Type, Type)>),
    /// `stream<…>`, `sink<…>` and interactions of the fbthrift dialect, by their text: not judged inside.
    Other(Arc<str>),
    /// A name that could not be found because an include is missing, as spelled.
    Opaque(Arc<str>),
}

/// A constant value.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Value<'b> {
    /// As written.
    pub span: Span,
    /// What it is.
    pub kind: ValueKind<'b>,
}

/// The kinds of constant values.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum ValueKind<'b> {
    /// A whole number; truth values are 1 and 0.
    Integer(i64),
    /// A number with a point or an exponent.
    Double(f64),
    /// A text.
    Text(Cow<'b, [u8]>),
    /// A value of an enum.
    Enum(EnumId, i32),
    /// `[…]`
    List(Vec<Value<'b>>),
    /// `{…}`
    Map(Vec<(Value<'b>, Value<'b>)>),
    /// A name that could not be found.
    Unknown(Cow<'b, str>),
}

/// An enum.
#[derive(Debug)]
pub(crate) struct Enum<'b> {
    /// `program.Name`
    pub full_name: Arc<str>,
    /// Where the name is written.
    pub name_span: Span,
    /// Its file.
    pub file: FileId,
    /// Its values in the order written.
    pub values: Vec<EnumValue<'b>>,
    /// Where they stand.
    pub places: ValuePlaces,
    /// Numbers that are kept free, as the ids of structs are. Inclusive ranges.
    pub reserved: Vec<(i32, i32)>,
    /// Annotations.
    pub annotations: Vec<Annotation<'b>>,
}

impl<'b> Enum<'b> {
    fn names(&self) -> impl Iterator<Item = (&str, i128)> + Clone {
        self.values.iter().map(|value| (&*value.name.text, value.number.into()))
    }

    /// What its values are called.
    pub fn called(&self) -> &Called {
        self.places.called(&self.full_name, self.names())
    }

    /// The value of that name.
    pub fn named(&self, name: &str) -> Option<&EnumValue<'b>> {
        self.places.of_name(self.names(), name).map(|at| &self.values[at])
    }

    /// The values of that number.
    pub fn numbered(&self, number: i32) -> impl Iterator<Item = &EnumValue<'b>> {
        self.places.of_number(self.names(), number.into()).iter().map(|at| &self.values[*at])
    }
}

/// A value of an enum.
#[derive(Debug)]
pub(crate) struct EnumValue<'b> {
    /// Its name.
    pub name: Spelled<'b>,
    /// Its number, written or counted.
    pub number: i32,
    /// Whether the number is written.
    pub is_explicit: bool,
    /// All of it.
    pub span: Span,
    /// Annotations.
    pub annotations: Vec<Annotation<'b>>,
}

/// A service, or an interaction of the fbthrift dialect.
#[derive(Debug)]
pub(crate) struct Service<'b> {
    /// `program.Name`
    pub full_name: Arc<str>,
    /// Where the name is written.
    pub name_span: Span,
    /// Its file.
    pub file: FileId,
    /// The service it extends, by name and resolved.
    pub extends: Option<(Spelled<'b>, Option<ServiceId>)>,
    /// Its own functions in the order written.
    pub functions: Vec<Function<'b>>,
    /// Annotations.
    pub annotations: Vec<Annotation<'b>>,
}

/// A function.
#[derive(Debug)]
pub(crate) struct Function<'b> {
    /// Its name.
    pub name: Spelled<'b>,
    /// All of it.
    pub span: Span,
    /// Whether nobody waits for an answer.
    pub is_oneway: bool,
    /// What it returns, as written.
    pub returns_written: Spelled<'b>,
    /// Its arguments, a struct of its own.
    pub arguments: StructId,
    /// Its result, a struct of its own: field 0 is the return value (absent for `void`), the others the exceptions.
    pub result: StructId,
    /// Annotations.
    pub annotations: Vec<Annotation<'b>>,
}

/// A typedef.
#[derive(Debug)]
pub(crate) struct Typedef<'b> {
    /// `program.Name`
    pub full_name: Arc<str>,
    /// Where the name is written.
    pub name: Spelled<'b>,
    /// Its file.
    pub file: FileId,
    /// What it stands for, other typedefs looked through.
    pub ty: Type,
}

/// A constant.
#[derive(Debug)]
pub(crate) struct Constant<'b> {
    /// `program.NAME`
    pub full_name: Arc<str>,
    /// Where the name is written.
    pub name: Spelled<'b>,
    /// Its file.
    pub file: FileId,
    /// Its type.
    pub ty: Type,
    /// Its value.
    pub value: Value<'b>,
}

/// `(name = "value")` or `@scope.Name{…}`.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Annotation<'b> {
    /// Its name; structured ones start with `@`.
    pub name: Spelled<'b>,
    /// Its value, as written; empty when there is none.
    pub value: Cow<'b, str>,
}

impl<'b> Schema<'b> {
    /// A struct-like type by its number.
    pub(crate) fn structure(&self, id: StructId) -> &Struct<'b> {
        &self.structs[id.0 as usize]
    }

    /// An enum by its number.
    pub(crate) fn enumeration(&self, id: EnumId) -> &Enum<'b> {
        &self.enums[id.0 as usize]
    }

    /// A service by its number.
    pub(crate) fn service(&self, id: ServiceId) -> &Service<'b> {
        &self.services[id.0 as usize]
    }

    /// A file by its number.
    pub(crate) fn file(&self, id: FileId) -> &SourceFile<'b> {
        &self.files[id.0 as usize]
    }

    /// The type as people write it: `map<string, list<shared.Address>>`.
    pub(crate) fn spelled(&self, ty: &Type) -> String {
        match ty {
            Type::Void => "void".to_owned(),
            Type::Bool => "bool".to_owned(),
            Type::I8 => "i8".to_owned(),
            Type::I16 => "i16".to_owned(),
            Type::I32 => "i32".to_owned(),
            Type::I64 => "i64".to_owned(),
            Type::Double => "double".to_owned(),
            Type::Float => "float".to_owned(),
            Type::String => "string".to_owned(),
            Type::Binary => "binary".to_owned(),
            Type::Uuid => "uuid".to_owned(),
            Type::Enum(id) => self.enumeration(*id).full_name.to_string(),
            Type::Struct(id) => self.structure(*id).full_name.to_string(),
            Type::List(items) => format!("list<{}>", self.spelled(items)),
            Type::Set(items) => format!("set<{}>", self.spelled(items)),
            Type::Map(pair) => format!("map<{}, {}>", self.spelled(&pair.0), self.spelled(&pair.1)),
            Type::Other(text) | Type::Opaque(text) => text.to_string(),
        }
    }
}

impl Member for Field<'_> {
    fn name(&self) -> &str {
        &self.name.text
    }

    fn number(&self) -> i32 {
        self.id.into()
    }
}

declarations! {
    files: is_library, bytes;
    types: StructId, structs, structure, Struct;
    enums: EnumId, enums, enumeration, Enum;
    names: Struct: name_span, Enum: name_span, Service: name_span, Typedef: name.span, Constant: name.span;
}
