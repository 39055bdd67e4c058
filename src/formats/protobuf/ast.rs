//! The syntax tree of one `.proto` file: what is written, with the bytes of every part, nothing resolved.
//!
//! Names borrow from the file's text. Order is the order of the file. A tree may be partial: when the file has problems,
//! whatever could be understood is here.

use std::borrow::Cow;

use crate::change::Span;
use crate::syntax::spelled::Spelled;

/// An identifier, or a dotted name with the white space and comments between its parts taken out.
pub type Name<'a> = Spelled<'a>;

/// One `.proto` file.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct File<'a> {
    /// The bytes that the tree was made from, for edits that follow their layout.
    pub bytes: &'a [u8],
    /// The `syntax` or `edition` statement; `None` when there is none, which means proto2.
    pub syntax: Option<SyntaxStatement<'a>>,
    /// The `package` statements; more than one is a problem, the first counts.
    pub package: Option<Name<'a>>,
    /// The whole `package` statement.
    pub package_span: Span,
    /// The imports.
    pub imports: Vec<Import<'a>>,
    /// File options.
    pub options: Vec<OptionNode<'a>>,
    /// Top-level messages; a group of a top-level `extend` block has its message here as well.
    pub messages: Vec<Message<'a>>,
    /// Top-level enums.
    pub enums: Vec<Enum<'a>>,
    /// Services.
    pub services: Vec<Service<'a>>,
    /// Top-level `extend` blocks.
    pub extends: Vec<Extend<'a>>,
}

/// `syntax = "proto3";` or `edition = "2023";`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SyntaxStatement<'a> {
    /// Whether the word was `edition`.
    pub is_edition: bool,
    /// The value between the quotes.
    pub value: Cow<'a, str>,
    /// The bytes of the value, quotes included.
    pub value_span: Span,
    /// The whole statement.
    pub span: Span,
}

/// `import "path";`, `import public "path";` …
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Import<'a> {
    /// The path between the quotes.
    pub path: Cow<'a, str>,
    /// The bytes of the path, quotes included.
    pub path_span: Span,
    /// The modifier.
    pub modifier: ImportModifier,
    /// The whole statement.
    pub span: Span,
}

/// The word after `import`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ImportModifier {
    /// None.
    Plain,
    /// `public`: importers of this file see the imported file too.
    Public,
    /// `weak`.
    Weak,
    /// `option` (edition 2024): for custom options only.
    Option,
}

/// `export` or `local` (edition 2024).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Visibility {
    /// Other files may use the declaration.
    Export,
    /// Only this file may.
    Local,
}

/// A message, or the message that a group declares.
#[derive(Debug, Clone, PartialEq)]
pub struct Message<'a> {
    /// The simple name.
    pub name: Name<'a>,
    /// From the first word to the closing brace. For a group: the same as the field's.
    pub span: Span,
    /// From the opening to the closing brace, both included. An edit may insert just after the first byte or
    /// just before the last.
    pub body: Span,
    /// The visibility keyword and its bytes.
    pub visibility: Option<(Visibility, Span)>,
    /// Whether a group declared it.
    pub is_group: bool,
    /// Fields in order, members of oneofs included.
    pub fields: Vec<Field<'a>>,
    /// Oneofs.
    pub oneofs: Vec<Oneof<'a>>,
    /// Nested messages, those of groups included.
    pub messages: Vec<Message<'a>>,
    /// Nested enums.
    pub enums: Vec<Enum<'a>>,
    /// Nested `extend` blocks.
    pub extends: Vec<Extend<'a>>,
    /// `extensions` statements.
    pub extension_ranges: Vec<ExtensionRanges<'a>>,
    /// `reserved` statements.
    pub reserved: Vec<Reserved<'a>>,
    /// Options of the message.
    pub options: Vec<OptionNode<'a>>,
}

/// A oneof.
#[derive(Debug, Clone, PartialEq)]
pub struct Oneof<'a> {
    /// The simple name.
    pub name: Name<'a>,
    /// From the word `oneof` to the closing brace.
    pub span: Span,
    /// Its options.
    pub options: Vec<OptionNode<'a>>,
}

/// A field of a message, of a oneof or of an `extend` block.
#[derive(Debug, Clone, PartialEq)]
pub struct Field<'a> {
    /// The name as written; for a group the capitalised name of its message.
    pub name: Name<'a>,
    /// The number; 0 with an empty span when it is missing.
    pub number: i64,
    /// The bytes of the number.
    pub number_span: Span,
    /// The label and its bytes.
    pub label: Option<(Label, Span)>,
    /// The type.
    pub ty: Type<'a>,
    /// The bytes of the type (the word `group` for groups).
    pub type_span: Span,
    /// Options in brackets.
    pub options: Vec<OptionNode<'a>>,
    /// Index of the oneof in the message, when it is a member of one.
    pub oneof: Option<u32>,
    /// The whole statement up to its `;` or `}`.
    pub span: Span,
}

/// A field's label.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Label {
    /// `optional`
    Optional,
    /// `required`
    Required,
    /// `repeated`
    Repeated,
}

/// A field's type as written.
#[derive(Debug, Clone, PartialEq)]
pub enum Type<'a> {
    /// One of the scalar types, by its keyword, or a message or enum by name. Scalars are recognised when linking.
    Named(Name<'a>),
    /// `map<key, value>`
    Map {
        /// The key's type.
        key: Name<'a>,
        /// The value's type.
        value: Name<'a>,
    },
    /// A group: index of its message in the `messages` of the enclosing message, or of the file.
    Group(u32),
}

/// An `extend` block.
#[derive(Debug, Clone, PartialEq)]
pub struct Extend<'a> {
    /// The message that is extended.
    pub extendee: Name<'a>,
    /// The extension fields.
    pub fields: Vec<Field<'a>>,
    /// From the word `extend` to the closing brace.
    pub span: Span,
}

/// A range of numbers, both ends included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NumberRange {
    /// First number.
    pub start: i64,
    /// Last number; for `max` the largest that the container allows (536,870,911 in messages, 2,147,483,647 in enums).
    pub end: i64,
    /// Whether the end was written as `max`.
    pub to_max: bool,
    /// The bytes of the range.
    pub span: Span,
}

/// An `extensions` statement.
#[derive(Debug, Clone, PartialEq)]
pub struct ExtensionRanges<'a> {
    /// The ranges.
    pub ranges: Vec<NumberRange>,
    /// Options in brackets: `declaration`, `verification` and custom ones.
    pub options: Vec<OptionNode<'a>>,
    /// The whole statement.
    pub span: Span,
}

/// A `reserved` statement.
#[derive(Debug, Clone, PartialEq)]
pub struct Reserved<'a> {
    /// The numbers.
    pub ranges: Vec<NumberRange>,
    /// The names.
    pub names: Vec<ReservedName<'a>>,
    /// The whole statement, `;` included.
    pub span: Span,
}

/// One reserved name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReservedName<'a> {
    /// The name, quotes taken off.
    pub name: Name<'a>,
    /// Whether it was written in quotes (before editions) or as an identifier (editions).
    pub quoted: bool,
}

/// An enum.
#[derive(Debug, Clone, PartialEq)]
pub struct Enum<'a> {
    /// The simple name.
    pub name: Name<'a>,
    /// From the first word to the closing brace.
    pub span: Span,
    /// From the opening to the closing brace, both included.
    pub body: Span,
    /// The visibility keyword and its bytes.
    pub visibility: Option<(Visibility, Span)>,
    /// The values.
    pub values: Vec<EnumValue<'a>>,
    /// `reserved` statements.
    pub reserved: Vec<Reserved<'a>>,
    /// Options of the enum.
    pub options: Vec<OptionNode<'a>>,
}

/// A value of an enum.
#[derive(Debug, Clone, PartialEq)]
pub struct EnumValue<'a> {
    /// The name.
    pub name: Name<'a>,
    /// The number.
    pub number: i64,
    /// The bytes of the number, a minus sign included.
    pub number_span: Span,
    /// Options in brackets.
    pub options: Vec<OptionNode<'a>>,
    /// The whole statement.
    pub span: Span,
}

/// A service.
#[derive(Debug, Clone, PartialEq)]
pub struct Service<'a> {
    /// The simple name.
    pub name: Name<'a>,
    /// From the word `service` to the closing brace.
    pub span: Span,
    /// The methods.
    pub methods: Vec<Method<'a>>,
    /// Options of the service.
    pub options: Vec<OptionNode<'a>>,
}

/// A method.
#[derive(Debug, Clone, PartialEq)]
pub struct Method<'a> {
    /// The simple name.
    pub name: Name<'a>,
    /// The request type.
    pub input: Name<'a>,
    /// The word `stream` before the request type.
    pub client_streaming: Option<Span>,
    /// The response type.
    pub output: Name<'a>,
    /// The word `stream` before the response type.
    pub server_streaming: Option<Span>,
    /// Options of the method.
    pub options: Vec<OptionNode<'a>>,
    /// The whole statement.
    pub span: Span,
}

/// One option: `deprecated = true`, `(my.option).field = { … }`.
#[derive(Debug, Clone, PartialEq)]
pub struct OptionNode<'a> {
    /// The parts of the name.
    pub name: Vec<OptionNamePart<'a>>,
    /// The bytes of the whole name.
    pub name_span: Span,
    /// The value.
    pub value: OptionValue<'a>,
    /// The whole option; as a statement, from the word `option` to its `;`.
    pub span: Span,
}

/// One part of an option's name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OptionNamePart<'a> {
    /// The name, without parentheses.
    pub name: Name<'a>,
    /// Whether it stood in parentheses.
    pub is_extension: bool,
}

/// The value of an option or of a field in a message literal.
#[derive(Debug, Clone, PartialEq)]
pub struct OptionValue<'a> {
    /// What it is.
    pub kind: OptionValueKind<'a>,
    /// Its bytes.
    pub span: Span,
}

/// The kinds of option values.
#[derive(Debug, Clone, PartialEq)]
pub enum OptionValueKind<'a> {
    /// An identifier: `true`, `SPEED`, `inf`, `nan`; with `negative` for `-inf` and `-nan`.
    Identifier {
        /// The word.
        text: &'a str,
        /// Whether a minus sign stood before it.
        negative: bool,
    },
    /// An integer: magnitude and sign.
    Integer {
        /// The magnitude.
        magnitude: u64,
        /// Whether a minus sign stood before it.
        negative: bool,
    },
    /// A number with a point or an exponent, or an integer beyond 64 bits; the sign is included.
    Float(f64),
    /// Adjacent string literals, unescaped and joined.
    Bytes(Cow<'a, [u8]>),
    /// A message literal.
    Message(Vec<LiteralField<'a>>),
    /// A list in a message literal.
    List(Vec<OptionValue<'a>>),
}

/// One field of a message literal: `name: value`, `[ext.name] { … }`, `[type.googleapis.com/x.Y] { … }`.
#[derive(Debug, Clone, PartialEq)]
pub struct LiteralField<'a> {
    /// The name, without brackets.
    pub name: Name<'a>,
    /// Whether it stood in brackets.
    pub is_bracketed: bool,
    /// The value.
    pub value: OptionValue<'a>,
    /// The whole field.
    pub span: Span,
}
