//! What stands in one `.thrift` file, as written: names are not resolved, typedefs not looked through, ids not counted.

use std::borrow::Cow;

use crate::change::Span;
use crate::syntax::spelled::Placed;

use super::model::{Annotation, Requiredness, Sort, Spelled, Type};

/// One file.
#[derive(Debug, Default)]
pub(crate) struct Program<'b> {
    /// `include` statements.
    pub(super) includes: Vec<Include<'b>>,
    /// `namespace` statements: scope and name.
    pub(super) namespaces: Vec<(Spelled<'b>, Spelled<'b>)>,
    /// Everything that is defined, in the order written.
    pub(super) definitions: Vec<Definition<'b>>,
    /// Whether something in it is of the fbthrift dialect only.
    pub(super) is_dialect: bool,
}

/// `include "path"`
#[derive(Debug)]
pub(super) struct Include<'b> {
    /// The path, without quotes; the place has them.
    pub(super) path: Spelled<'b>,
    /// `as name` of the fbthrift dialect.
    pub(super) alias: Option<Spelled<'b>>,
}

/// Inclusive ranges of numbers.
pub(super) type Reserved = Vec<(i64, i64)>;

/// A definition.
#[derive(Debug)]
pub(super) enum Definition<'b> {
    Typedef(Typedef<'b>),
    Enum(Enum<'b>),
    Constant(Constant<'b>),
    Struct(Struct<'b>),
    Service(Service<'b>),
}

impl<'b> Definition<'b> {
    /// Its name.
    pub(super) fn name(&self) -> &Spelled<'b> {
        match self {
            Definition::Typedef(Typedef { name, .. })
            | Definition::Enum(Enum { name, .. })
            | Definition::Constant(Constant { name, .. })
            | Definition::Struct(Struct { name, .. })
            | Definition::Service(Service { name, .. }) => name,
        }
    }
}

/// `typedef type name`; `senum name { … }` is a name for `string`.
#[derive(Debug)]
pub(super) struct Typedef<'b> {
    pub(super) name: Spelled<'b>,
    pub(super) ty: TypeNode<'b>,
}

/// `enum name { … }`
#[derive(Debug)]
pub(super) struct Enum<'b> {
    pub(super) name: Spelled<'b>,
    pub(super) values: Vec<EnumValue<'b>>,
    /// Numbers that are kept free.
    pub(super) reserved: Reserved,
    pub(super) annotations: Vec<Annotation<'b>>,
}

/// A value of an enum.
#[derive(Debug)]
pub(super) struct EnumValue<'b> {
    pub(super) name: Spelled<'b>,
    /// The number as written and its place.
    pub(super) number: Option<(i64, Span)>,
    pub(super) span: Span,
    pub(super) annotations: Vec<Annotation<'b>>,
}

/// `const type name = value`
#[derive(Debug)]
pub(super) struct Constant<'b> {
    pub(super) name: Spelled<'b>,
    pub(super) ty: TypeNode<'b>,
    pub(super) value: Const<'b>,
}

/// A struct, a union or an exception.
#[derive(Debug)]
pub(super) struct Struct<'b> {
    pub(super) name: Spelled<'b>,
    pub(super) span: Span,
    pub(super) sort: Sort,
    pub(super) fields: Vec<Field<'b>>,
    /// Ids that are kept free.
    pub(super) reserved: Reserved,
    pub(super) annotations: Vec<Annotation<'b>>,
}

/// A field, an argument or an exception of a function.
#[derive(Debug)]
pub(super) struct Field<'b> {
    /// The id as written and its place.
    pub(super) id: Option<(i64, Span)>,
    pub(super) name: Spelled<'b>,
    /// All of it, separator not included.
    pub(super) span: Span,
    pub(super) requiredness: Requiredness,
    pub(super) ty: TypeNode<'b>,
    pub(super) default: Option<Const<'b>>,
    pub(super) annotations: Vec<Annotation<'b>>,
}

/// A service, or an interaction.
#[derive(Debug)]
pub(super) struct Service<'b> {
    pub(super) name: Spelled<'b>,
    pub(super) extends: Option<Spelled<'b>>,
    pub(super) functions: Vec<Function<'b>>,
    pub(super) annotations: Vec<Annotation<'b>>,
}

/// A function.
#[derive(Debug)]
pub(super) struct Function<'b> {
    pub(super) name: Spelled<'b>,
    pub(super) span: Span,
    pub(super) is_oneway: bool,
    pub(super) returns: TypeNode<'b>,
    pub(super) arguments: Vec<Field<'b>>,
    pub(super) throws: Vec<Field<'b>>,
    pub(super) annotations: Vec<Annotation<'b>>,
}

/// A type as written.
pub(super) type TypeNode<'b> = Placed<TypeKind<'b>>;

/// The kinds of types.
#[derive(Debug, Clone)]
pub(super) enum TypeKind<'b> {
    /// A type that is a word of the language.
    Basic(Type, &'b str),
    /// The name of a type, with its program in front where it is another file's. Also `uuid` and `float`, which are
    /// words of the language only where nothing else is called so.
    Name(&'b str),
    List(Box<TypeNode<'b>>),
    Set(Box<TypeNode<'b>>),
    Map(Box<(TypeNode<'b>, TypeNode<'b>)>),
    /// Streams and sinks, by their text.
    Other(Cow<'b, str>),
}

/// A constant value as written.
pub(super) type Const<'b> = Placed<ConstKind<'b>>;

/// The kinds of constant values.
#[derive(Debug, Clone)]
pub(super) enum ConstKind<'b> {
    Integer(i64),
    Double(f64),
    Text(Cow<'b, [u8]>),
    Name(&'b str),
    List(Vec<Const<'b>>),
    /// Also struct literals `Name{field = value}`, whose keys are texts.
    Map(Vec<(Const<'b>, Const<'b>)>),
}

impl<'b> TypeNode<'b> {
    /// The type as written, without comments, annotations and superfluous space.
    pub(super) fn written(&self) -> Spelled<'b> {
        let text = match &self.kind {
            TypeKind::Basic(_, word) | TypeKind::Name(word) => Cow::Borrowed(*word),
            TypeKind::Other(text) => text.clone(),
            TypeKind::List(_) | TypeKind::Set(_) | TypeKind::Map(_) => {
                let mut text = String::new();
                self.write(&mut text);
                Cow::Owned(text)
            }
        };
        Spelled { text, span: self.span }
    }

    /// The parser has limited how deep types nest.
    fn write(&self, out: &mut String) {
        match &self.kind {
            TypeKind::Basic(_, word) | TypeKind::Name(word) => out.push_str(word),
            TypeKind::Other(text) => out.push_str(text),
            TypeKind::List(inner) | TypeKind::Set(inner) => {
                out.push_str(if matches!(self.kind, TypeKind::List(_)) { "list<" } else { "set<" });
                inner.write(out);
                out.push('>');
            }
            TypeKind::Map(pair) => {
                out.push_str("map<");
                pair.0.write(out);
                out.push_str(", ");
                pair.1.write(out);
                out.push('>');
            }
        }
    }
}
