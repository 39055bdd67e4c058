//! What stands in one Avro file, as written: names are not resolved and defaults not understood. `.avsc`, `.avpr` and
//! `.avdl` files all become a [`Document`].

use crate::change::Span;
use crate::syntax::json::Json;

pub use crate::syntax::spelled::Spelled;

/// One file.
#[derive(Debug, Clone, Default)]
pub struct Document<'b> {
    /// Files that this one imports (IDL only).
    pub imports: Vec<Import<'b>>,
    /// The protocol it declares, if it does.
    pub protocol: Option<Protocol<'b>>,
    /// The namespace that unqualified names of `types` and `main` lie in, unless they say otherwise.
    pub namespace: Option<Spelled<'b>>,
    /// The named types of a protocol or of an IDL file, in the order written. Imported ones are not among them.
    pub types: Vec<Node<'b>>,
    /// The schema of a schema file: what a `.avsc` holds, or what follows `schema` in IDL.
    pub main: Option<Node<'b>>,
    /// Of data without its schema, the fingerprint of that.
    pub fingerprint: Option<u64>,
    /// Where it shows that this is a JSON Schema, if no type is called like the word that `main` is.
    pub may_be_json_schema: Option<Span>,
}

impl<'b> Document<'b> {
    /// All schemas that stand in no other one: the types, the main one, and what the messages take, return and raise.
    pub(super) fn schemas(&self) -> impl Iterator<Item = &Node<'b>> {
        let messages = self.protocol.iter().flat_map(|protocol| &protocol.messages);
        let of_messages = messages.flat_map(|message| {
            message.request.iter().map(|field| &field.schema).chain([&message.response]).chain(&message.errors)
        });
        self.types.iter().chain(&self.main).chain(of_messages)
    }
}

/// An import of an IDL file.
#[derive(Debug, Clone)]
pub struct Import<'b> {
    /// What sort of file is imported.
    pub kind: ImportKind,
    /// The path as written.
    pub path: Spelled<'b>,
}

/// What sort of file an import names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ImportKind {
    /// `import idl`
    Idl,
    /// `import protocol`
    Protocol,
    /// `import schema`
    Schema,
}

/// A schema as written.
#[derive(Debug, Clone)]
pub struct Node<'b> {
    /// All of it.
    pub span: Span,
    /// What it is.
    pub kind: NodeKind<'b>,
    /// Attributes that the specification does not give a structural meaning for this kind: `logicalType`, `precision`,
    /// `scale`, unknown ones. `doc` is not among them, and neither is the `default` that some write into an array.
    pub attributes: Vec<Attribute<'b>>,
}

/// The kinds of schemas.
#[derive(Debug, Clone)]
pub enum NodeKind<'b> {
    /// A primitive type or a reference to a named type: `"int"`, `"Order"`, `"com.example.Order"`; with attributes
    /// when it was written as `{"type": "int", …}`.
    Name(Spelled<'b>),
    /// A record or an error.
    Record {
        /// Its names.
        names: Names<'b>,
        /// Whether it was declared as an error.
        is_error: bool,
        /// Its fields.
        fields: Vec<Field<'b>>,
    },
    /// An enum.
    Enum {
        /// Its names.
        names: Names<'b>,
        /// Its symbols.
        symbols: Vec<Spelled<'b>>,
        /// The symbol that stands for unknown ones.
        default: Option<Spelled<'b>>,
    },
    /// A fixed.
    Fixed {
        /// Its names.
        names: Names<'b>,
        /// Its size in bytes, and where it is written.
        size: (u32, Span),
    },
    /// An array.
    Array(Box<Node<'b>>),
    /// A map.
    Map(Box<Node<'b>>),
    /// A union.
    Union(Vec<Node<'b>>),
    /// Something that could not be understood; a problem says what.
    Broken,
}

/// What a named type is called.
#[derive(Debug, Clone)]
pub struct Names<'b> {
    /// The name as written, perhaps with its namespace.
    pub name: Spelled<'b>,
    /// The namespace, if it is stated; an empty text is the null namespace.
    pub namespace: Option<Spelled<'b>>,
    /// Other names, each relative to the type's own namespace unless it has dots.
    pub aliases: Vec<Spelled<'b>>,
}

/// A field of a record, or a parameter of a message.
#[derive(Debug, Clone)]
pub struct Field<'b> {
    /// All of it.
    pub span: Span,
    /// Its name.
    pub name: Spelled<'b>,
    /// Its type.
    pub schema: Node<'b>,
    /// Its default, if it has one.
    pub default: Option<Json<'b>>,
    /// Other names.
    pub aliases: Vec<Spelled<'b>>,
    /// `order`, if stated.
    pub order: Option<Spelled<'b>>,
    /// Other attributes.
    pub attributes: Vec<Attribute<'b>>,
}

/// An attribute with its value.
#[derive(Debug, Clone)]
pub struct Attribute<'b> {
    /// Its name.
    pub name: Spelled<'b>,
    /// Its value.
    pub value: Json<'b>,
}

/// A protocol.
#[derive(Debug, Clone)]
pub struct Protocol<'b> {
    /// Its name as written.
    pub name: Spelled<'b>,
    /// Its messages.
    pub messages: Vec<Message<'b>>,
    /// Other attributes.
    pub attributes: Vec<Attribute<'b>>,
}

/// A message of a protocol.
#[derive(Debug, Clone)]
pub struct Message<'b> {
    /// All of it.
    pub span: Span,
    /// Its name.
    pub name: Spelled<'b>,
    /// Its parameters.
    pub request: Vec<Field<'b>>,
    /// What is returned; `null` (IDL: `void`) for nothing.
    pub response: Node<'b>,
    /// The errors it declares, without the `string` that every message may raise.
    pub errors: Vec<Node<'b>>,
    /// Whether nobody waits for an answer.
    pub is_one_way: bool,
    /// Other attributes.
    pub attributes: Vec<Attribute<'b>>,
}
