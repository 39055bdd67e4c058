//! What stands in one `.fbs` file, as written: names are not resolved, slots not counted.

use std::borrow::Cow;
use std::sync::Arc;

use crate::change::Span;
use crate::syntax::spelled::Placed;

use super::model::{Attribute, Scalar, Spelled};

/// One file.
#[derive(Debug, Default)]
pub(crate) struct Document<'b> {
    /// The paths of `include` statements; the places have the quotes.
    pub(super) includes: Vec<Spelled<'b>>,
    /// Names that `attribute` declares.
    pub(super) attributes: Vec<Spelled<'b>>,
    /// Everything that is defined, in the order written.
    pub(super) definitions: Vec<Definition<'b>>,
    /// Every `root_type`: the name and the namespace it is looked up in.
    pub(super) roots: Vec<(Spelled<'b>, Arc<str>)>,
    /// `file_identifier`
    pub(super) identifier: Option<Spelled<'b>>,
    /// `file_extension`
    pub(super) extension: Option<Spelled<'b>>,
}

/// A definition and the namespace it stands in, empty for none.
#[derive(Debug)]
pub(super) struct Definition<'b> {
    pub(super) namespace: Arc<str>,
    pub(super) name: Spelled<'b>,
    pub(super) attributes: Vec<Attribute<'b>>,
    pub(super) kind: DefinitionKind<'b>,
}

/// The kinds of definitions.
#[derive(Debug)]
pub(super) enum DefinitionKind<'b> {
    Table(Vec<Field<'b>>),
    Struct(Vec<Field<'b>>),
    Enum { underlying: Option<TypeNode<'b>>, values: Vec<EnumValue<'b>> },
    Union { underlying: Option<TypeNode<'b>>, values: Vec<EnumValue<'b>> },
    Service(Vec<Method<'b>>),
}

/// A field of a table or a struct.
#[derive(Debug)]
pub(super) struct Field<'b> {
    pub(super) name: Spelled<'b>,
    pub(super) span: Span,
    pub(super) ty: TypeNode<'b>,
    pub(super) default: Option<Const<'b>>,
    pub(super) attributes: Vec<Attribute<'b>>,
}

/// A value of an enum or a member of a union.
#[derive(Debug)]
pub(super) struct EnumValue<'b> {
    /// The name; of a member without alias the name of its type as written.
    pub(super) name: Spelled<'b>,
    /// `Alias: Type`
    pub(super) ty: Option<TypeNode<'b>>,
    pub(super) number: Option<(i128, Span)>,
    pub(super) span: Span,
    pub(super) attributes: Vec<Attribute<'b>>,
}

/// A method of a service.
#[derive(Debug)]
pub(super) struct Method<'b> {
    pub(super) name: Spelled<'b>,
    pub(super) span: Span,
    pub(super) request: Spelled<'b>,
    pub(super) response: Spelled<'b>,
    pub(super) attributes: Vec<Attribute<'b>>,
}

/// A type as written.
pub(super) type TypeNode<'b> = Placed<TypeKind<'b>>;

/// The kinds of types. Vectors and arrays do not nest.
#[derive(Debug, Clone)]
pub(super) enum TypeKind<'b> {
    Scalar(Scalar, &'b str),
    String,
    Name(Cow<'b, str>),
    Vector(Box<TypeNode<'b>>),
    Array(Box<TypeNode<'b>>, u16),
}

/// A default as written.
#[derive(Debug, Clone)]
pub(super) struct Const<'b> {
    pub(super) span: Span,
    /// Its text.
    pub(super) written: &'b str,
    pub(super) kind: ConstKind<'b>,
}

/// The kinds of defaults.
#[derive(Debug, Clone)]
pub(super) enum ConstKind<'b> {
    Integer(i128),
    Real(f64),
    Text(Cow<'b, str>),
    Name(Cow<'b, str>),
    Null,
    /// `[]`
    EmptyList,
    /// `{}` or a list with something in it, which is not allowed.
    Other,
}

impl<'b> TypeNode<'b> {
    /// The type as written, without comments and superfluous space.
    pub(super) fn written(&self) -> Spelled<'b> {
        let text = match &self.kind {
            TypeKind::Scalar(_, word) => Cow::Borrowed(*word),
            TypeKind::String => Cow::Borrowed("string"),
            TypeKind::Name(name) => name.clone(),
            TypeKind::Vector(items) => Cow::Owned(format!("[{}]", items.written().text)),
            TypeKind::Array(items, count) => Cow::Owned(format!("[{}:{count}]", items.written().text)),
        };
        Spelled { text, span: self.span }
    }
}

impl<'b> Const<'b> {
    /// Its text and its place.
    pub(super) fn spelled(&self) -> Spelled<'b> {
        Spelled { text: Cow::Borrowed(self.written), span: self.span }
    }
}
