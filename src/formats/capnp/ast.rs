//! What stands in one `.capnp` file, as written: names are not resolved, ids not derived, nothing laid out.

use std::borrow::Cow;

use crate::change::Span;
use crate::syntax::spelled::Spelled;

/// One file.
#[derive(Debug, Default)]
pub(crate) struct Document<'b> {
    /// The id of the file, `@0x…;`.
    pub(super) id: Option<(u64, Span)>,
    /// Every path behind `import`, in the order written.
    pub(super) imports: Vec<Spelled<'b>>,
    /// What the file declares.
    pub(super) body: Vec<Declaration<'b>>,
    /// Annotations of the file.
    pub(super) annotations: Vec<Annotation<'b>>,
}

/// Anything with a name that stands in a file or in another declaration.
#[derive(Debug)]
pub(super) struct Declaration<'b> {
    pub(super) name: Spelled<'b>,
    /// All of it.
    pub(super) span: Span,
    /// The id as written.
    pub(super) id: Option<(u64, Span)>,
    /// Generic parameters.
    pub(super) parameters: Vec<Spelled<'b>>,
    pub(super) annotations: Vec<Annotation<'b>>,
    pub(super) kind: Kind<'b>,
    /// What is declared inside of it.
    pub(super) nested: Vec<Declaration<'b>>,
}

/// The kinds of declarations.
#[derive(Debug)]
pub(super) enum Kind<'b> {
    /// `using Name = …;`
    Using(Path<'b>),
    /// `const name :Type = value;`
    Constant(Path<'b>, Expression<'b>),
    /// `annotation name(targets) :Type;`, and what it may stand at; `None` for anything.
    Annotation(Path<'b>, Option<Vec<Spelled<'b>>>),
    /// `struct Name { … }`
    Struct(Vec<Member<'b>>),
    /// `enum Name { … }`
    Enum(Vec<Enumerant<'b>>),
    /// `interface Name extends(…) { … }`
    Interface(Vec<Path<'b>>, Vec<Method<'b>>),
}

/// A field, a group or a union.
#[derive(Debug)]
pub(super) struct Member<'b> {
    /// Its name; of an unnamed union the word `union`.
    pub(super) name: Spelled<'b>,
    /// Whether it is an unnamed union.
    pub(super) is_unnamed: bool,
    pub(super) span: Span,
    pub(super) ordinal: Option<(u16, Span)>,
    pub(super) annotations: Vec<Annotation<'b>>,
    pub(super) kind: MemberKind<'b>,
}

/// The kinds of members.
#[derive(Debug)]
pub(super) enum MemberKind<'b> {
    Field(Path<'b>, Option<Expression<'b>>),
    Group(Vec<Member<'b>>),
    Union(Vec<Member<'b>>),
}

/// A value of an enum.
#[derive(Debug)]
pub(super) struct Enumerant<'b> {
    pub(super) name: Spelled<'b>,
    pub(super) span: Span,
    pub(super) ordinal: (u16, Span),
    pub(super) annotations: Vec<Annotation<'b>>,
}

/// A method of an interface.
#[derive(Debug)]
pub(super) struct Method<'b> {
    pub(super) name: Spelled<'b>,
    pub(super) span: Span,
    pub(super) ordinal: (u16, Span),
    /// Parameters that callers choose, `[T]`.
    pub(super) implicit: Vec<Spelled<'b>>,
    pub(super) parameters: Signature<'b>,
    pub(super) results: Signature<'b>,
    pub(super) annotations: Vec<Annotation<'b>>,
}

/// What a method takes or gives.
#[derive(Debug)]
pub(super) enum Signature<'b> {
    /// Fields of a struct of its own, numbered in the order written.
    Fields(Vec<Member<'b>>),
    /// A struct that is declared elsewhere.
    Named(Path<'b>),
    /// `stream`: nothing, and callers are told when to send on.
    Stream,
}

/// `$name(value)`
#[derive(Debug)]
pub(super) struct Annotation<'b> {
    pub(super) name: Path<'b>,
    pub(super) value: Option<Expression<'b>>,
    pub(super) span: Span,
}

/// A name as written: where it begins to be looked up, and what follows.
#[derive(Debug, Clone)]
pub(super) struct Path<'b> {
    pub(super) start: Start<'b>,
    pub(super) steps: Vec<Step<'b>>,
    pub(super) span: Span,
}

/// Where a name begins to be looked up.
#[derive(Debug, Clone)]
pub(super) enum Start<'b> {
    /// In the scopes around, the innermost first.
    Scope(Spelled<'b>),
    /// In the file.
    File(Spelled<'b>),
    /// In another file, by the place of its path in [`Document::imports`].
    Import(usize),
}

/// A step behind the start of a name.
#[derive(Debug, Clone)]
pub(super) enum Step<'b> {
    Member(Spelled<'b>),
    Apply(Vec<Path<'b>>),
}

/// A value as written.
#[derive(Debug, Clone)]
pub(super) struct Expression<'b> {
    pub(super) span: Span,
    pub(super) kind: ExpressionKind<'b>,
}

/// The kinds of values.
#[derive(Debug, Clone)]
pub(super) enum ExpressionKind<'b> {
    /// A whole number; those that do not fit in 64 bits and a sign have been reported.
    Integer(i128),
    Float(f64),
    Text(Cow<'b, [u8]>),
    Bytes(Vec<u8>),
    Name(Path<'b>),
    /// `embed "path"`: the bytes of a file, which are not looked at.
    Embed,
    List(Vec<Expression<'b>>),
    Fields(Vec<(Option<Spelled<'b>>, Expression<'b>)>),
}

impl<'b> Path<'b> {
    /// The last name, by which `using` without a name of its own makes it known.
    pub(super) fn last(&self) -> Option<&Spelled<'b>> {
        let named = self.steps.iter().rev().find_map(|step| match step {
            Step::Member(name) => Some(name),
            Step::Apply(_) => None,
        });
        named.or(match &self.start {
            Start::Scope(name) | Start::File(name) => Some(name),
            Start::Import(_) => None,
        })
    }
}
