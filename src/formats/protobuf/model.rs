//! A linked protobuf schema: every name resolved, every feature decided, every default known.
//!
//! Built by `link` from the syntax trees of one side. Elements are addressed by index, so that recursion costs
//! nothing; spans stay in the syntax tree, which every element points to. Map entries are no messages here: a map is a
//! cardinality, so that one change of a map is one change.

use std::borrow::Cow;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::ast;
use crate::formats::frame::meanings::Called;
use crate::formats::frame::places::ValuePlaces;
use crate::formats::frame::types::declarations;

pub use crate::formats::frame::declared::FileId;

/// Index of a message in [`Schema::messages`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MessageId(pub u32);
/// Index of an enum in [`Schema::enums`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EnumId(pub u32);
/// Index of an extension field in [`Schema::extensions`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ExtensionId(pub u32);

/// One side, linked. Everything is in the order of files (sorted by path) and of declaration.
#[derive(Debug, Default)]
pub struct Schema<'a> {
    /// The files: those of the snapshot, then those that only supply types to them.
    pub files: Vec<File<'a>>,
    /// All messages, parents before children.
    pub messages: Vec<Message<'a>>,
    /// All enums.
    pub enums: Vec<Enum<'a>>,
    /// All services.
    pub services: Vec<Service<'a>>,
    /// All extension fields.
    pub extensions: Vec<Field<'a>>,
    /// Messages by full name without a leading dot. A name defined by several files that are not in one closure
    /// is listed once for each.
    pub messages_by_name: FxHashMap<Arc<str>, Vec<MessageId>>,
    /// Enums by full name, likewise.
    pub enums_by_name: FxHashMap<Arc<str>, Vec<EnumId>>,
}

/// A file of the schema.
#[derive(Debug)]
pub struct File<'a> {
    /// Its path in the snapshot; for files that only supply types the import path.
    pub path: Arc<str>,
    /// The path by which others import it, as `buf.yaml` and `buf.work.yaml` say where imports start.
    pub import_path: Arc<str>,
    /// Whether it only supplies types and is not judged itself: a well-known file built into the program, or one from
    /// outside the snapshot ([`crate::formats::check::CheckOptions::library`]).
    pub is_builtin: bool,
    /// The number of the terms on which it is judged.
    pub terms: usize,
    /// Its syntax tree.
    pub ast: &'a ast::File<'a>,
    /// The package, empty when there is none.
    pub package: Cow<'a, str>,
    /// The edition; proto2 and proto3 are editions too.
    pub edition: Edition,
    /// Features of the file, its own options applied.
    pub features: Features,
    /// What its imports lead to, in order; `None` when a file was not found.
    pub imports: Vec<Option<FileId>>,
    /// Top-level messages.
    pub messages: Vec<MessageId>,
    /// Top-level enums.
    pub enums: Vec<EnumId>,
}

/// An edition. The order is the order of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Edition {
    /// `syntax = "proto2"` or nothing.
    Proto2,
    /// `syntax = "proto3"`
    Proto3,
    /// `edition = "2023"`
    E2023,
    /// `edition = "2024"`
    E2024,
    /// `edition = "2026"`
    E2026,
}

/// A message.
#[derive(Debug)]
pub struct Message<'a> {
    /// Full name without a leading dot.
    pub full_name: Arc<str>,
    /// The file that declares it.
    pub file: FileId,
    /// The enclosing message.
    pub parent: Option<MessageId>,
    /// Its syntax tree.
    pub ast: &'a ast::Message<'a>,
    /// Its features.
    pub features: Features,
    /// Fields in order of declaration.
    pub fields: Vec<Field<'a>>,
    /// Real oneofs (proto3 `optional` makes none).
    pub oneofs: Vec<&'a ast::Oneof<'a>>,
    /// Nested messages, enums and the extensions declared inside.
    pub messages: Vec<MessageId>,
    /// Nested enums.
    pub enums: Vec<EnumId>,
    /// Extensions declared inside this message, whatever they extend.
    pub extensions: Vec<ExtensionId>,
    /// Extensions of this message that the snapshot knows, by number; each number once.
    pub extended_by: Vec<ExtensionId>,
    /// Extensions of numbers that another one has, which no program holds together: files that no file imports with the
    /// others may declare what they like.
    pub extended_elsewhere: Vec<ExtensionId>,
    /// Reserved numbers, sorted, both ends included.
    pub reserved: Vec<(i32, i32)>,
    /// Extension ranges, sorted, both ends included.
    pub extension_ranges: Vec<(i32, i32)>,
    /// Whether `message_set_wire_format` is set.
    pub is_message_set: bool,
}

/// A field of a message or an extension.
#[derive(Debug, Clone)]
pub struct Field<'a> {
    /// The name that identifies it: for a group the lower-cased name, for an extension the full name.
    pub name: Cow<'a, str>,
    /// The number, 1 to 536,870,911.
    pub number: i32,
    /// The type of the value, of an element, or of a map's value.
    pub kind: Kind,
    /// Singular, repeated or map.
    pub cardinality: Cardinality,
    /// Whether absence is told apart from the default. `Implicit` for repeated fields and maps.
    pub presence: Presence,
    /// Index of the real oneof in the message.
    pub oneof: Option<u32>,
    /// Whether a writer packs a repeated number.
    pub packed: bool,
    /// Whether a message is written between group tags.
    pub delimited: bool,
    /// Whether a text must be valid UTF-8 (`utf8_validation = VERIFY`).
    pub utf8: bool,
    /// The name in the JSON mapping.
    pub json_name: Cow<'a, str>,
    /// The explicit default.
    pub default: Option<Constant>,
    /// Features of the field.
    pub features: Features,
    /// The message that is extended, for extensions; `None` there means that it could not be found.
    pub extendee: Option<MessageId>,
    /// Whether the field is an extension.
    pub is_extension: bool,
    /// The file that declares it.
    pub file: FileId,
    /// Its syntax tree.
    pub ast: &'a ast::Field<'a>,
}

/// The type of one value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// `double`
    Double,
    /// `float`
    Float,
    /// `int32`
    Int32,
    /// `int64`
    Int64,
    /// `uint32`
    Uint32,
    /// `uint64`
    Uint64,
    /// `sint32`
    Sint32,
    /// `sint64`
    Sint64,
    /// `fixed32`
    Fixed32,
    /// `fixed64`
    Fixed64,
    /// `sfixed32`
    Sfixed32,
    /// `sfixed64`
    Sfixed64,
    /// `bool`
    Bool,
    /// `string`
    String,
    /// `bytes`
    Bytes,
    /// A message, length-prefixed or delimited as the field says.
    Message(MessageId),
    /// An enum.
    Enum(EnumId),
    /// A type whose file could not be found; the field's syntax tree has its spelled name.
    Opaque,
}

/// How many values a field holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Cardinality {
    /// At most one.
    Singular,
    /// Any number, in order.
    Repeated,
    /// Any number, by key; the field's kind is the value's.
    Map {
        /// The type of the keys.
        key: Kind,
    },
}

/// Whether absence is told apart from the default.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Presence {
    /// No: a default is not written.
    Implicit,
    /// Yes.
    Explicit,
    /// Yes, and absence is an error (`required`, `LEGACY_REQUIRED`).
    Required,
}

/// A default value.
#[derive(Debug, Clone, PartialEq)]
pub enum Constant {
    /// A boolean.
    Bool(bool),
    /// An integer of any width and sign.
    Int(i128),
    /// A `double` or, rounded to single precision, a `float`.
    Float(f64),
    /// A `string` or `bytes`.
    Bytes(Vec<u8>),
    /// An enum value, by number.
    Enum(i32),
}

/// An enum.
#[derive(Debug)]
pub struct Enum<'a> {
    /// Full name without a leading dot.
    pub full_name: Arc<str>,
    /// The file that declares it.
    pub file: FileId,
    /// The enclosing message.
    pub parent: Option<MessageId>,
    /// Its syntax tree; the values are there, in order of declaration; the first is the default.
    pub ast: &'a ast::Enum<'a>,
    /// Its features.
    pub features: Features,
    /// Whether unknown numbers go to the unknown fields (`enum_type = CLOSED`).
    pub is_closed: bool,
    /// Reserved numbers, sorted, both ends included.
    pub reserved: Vec<(i32, i32)>,
    /// What its values are called, once that is asked.
    pub(super) places: ValuePlaces,
}

impl Enum<'_> {
    /// What its values are called.
    pub(super) fn called(&self) -> &Called {
        let all = self.ast.values.iter().map(|value| (&*value.name.text, value.number.into()));
        self.places.called(&self.full_name, all)
    }
}

/// A service.
#[derive(Debug)]
pub struct Service<'a> {
    /// Full name without a leading dot.
    pub full_name: Arc<str>,
    /// The file that declares it.
    pub file: FileId,
    /// Its syntax tree.
    pub ast: &'a ast::Service<'a>,
    /// The methods.
    pub methods: Vec<Method<'a>>,
}

/// A method.
#[derive(Debug)]
pub struct Method<'a> {
    /// Its syntax tree: name, streaming, options.
    pub ast: &'a ast::Method<'a>,
    /// The request type; `None` when its file could not be found.
    pub input: Option<MessageId>,
    /// The response type, likewise.
    pub output: Option<MessageId>,
}

/// The features that change what a schema means, all decided. Numbers follow `google/protobuf/descriptor.proto`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Features {
    /// `field_presence`
    pub field_presence: Presence,
    /// `enum_type = CLOSED`
    pub enum_closed: bool,
    /// `repeated_field_encoding = PACKED`
    pub packed: bool,
    /// `utf8_validation = VERIFY`
    pub utf8: bool,
    /// `message_encoding = DELIMITED`
    pub delimited: bool,
    /// `json_format = ALLOW` (else `LEGACY_BEST_EFFORT`)
    pub json_allow: bool,
}

impl<'a> Schema<'a> {
    /// Whether any message or method holds a `google.protobuf.Any`: then full names of messages stand in data as type URLs.
    pub fn holds_any(&self) -> bool {
        let any = |id: MessageId| &*self.message(id).full_name == "google.protobuf.Any";
        let declared = self.messages.iter().flat_map(|message| &message.fields).chain(&self.extensions);
        let mut held = declared.filter_map(|field| match field.kind {
            Kind::Message(id) => Some(id),
            _ => None,
        });
        let methods = self.services.iter().flat_map(|service| &service.methods);
        held.any(any) || methods.flat_map(|method| [method.input, method.output]).flatten().any(any)
    }

    /// The message of an id of this schema.
    pub fn message(&self, id: MessageId) -> &Message<'a> {
        &self.messages[id.0 as usize]
    }

    /// The enum of an id of this schema.
    pub fn enumeration(&self, id: EnumId) -> &Enum<'a> {
        &self.enums[id.0 as usize]
    }

    /// The file of an id of this schema.
    pub fn file(&self, id: FileId) -> &File<'a> {
        &self.files[id.0 as usize]
    }

    /// The extension of an id of this schema.
    pub fn extension(&self, id: ExtensionId) -> &Field<'a> {
        &self.extensions[id.0 as usize]
    }

    /// All extensions of a message, those included that no program holds together.
    pub fn extensions_of(&self, id: MessageId) -> impl Iterator<Item = &Field<'a>> {
        let message = self.message(id);
        message.extended_by.iter().chain(&message.extended_elsewhere).map(|extension| self.extension(*extension))
    }

    /// The fields of a message and the known extensions of it, each number once.
    pub fn all_fields(&self, id: MessageId) -> impl Iterator<Item = &Field<'a>> {
        let message = self.message(id);
        message.fields.iter().chain(message.extended_by.iter().map(|extension| self.extension(*extension)))
    }
}

declarations! {
    files: is_builtin, ast;
    types: MessageId, messages, message, Message;
    enums: EnumId, enums, enumeration, Enum;
    names: Message: ast.name.span, Enum: ast.name.span, Service: ast.name.span;
}

impl Kind {
    /// The keyword of a scalar; `None` for messages, enums and opaque types.
    pub const fn keyword(self) -> Option<&'static str> {
        Some(match self {
            Kind::Double => "double",
            Kind::Float => "float",
            Kind::Int32 => "int32",
            Kind::Int64 => "int64",
            Kind::Uint32 => "uint32",
            Kind::Uint64 => "uint64",
            Kind::Sint32 => "sint32",
            Kind::Sint64 => "sint64",
            Kind::Fixed32 => "fixed32",
            Kind::Fixed64 => "fixed64",
            Kind::Sfixed32 => "sfixed32",
            Kind::Sfixed64 => "sfixed64",
            Kind::Bool => "bool",
            Kind::String => "string",
            Kind::Bytes => "bytes",
            Kind::Message(_) | Kind::Enum(_) | Kind::Opaque => return None,
        })
    }

    /// The scalar of a keyword.
    pub fn from_keyword(word: &str) -> Option<Kind> {
        use Kind::{
            Bool, Bytes, Double, Fixed32, Fixed64, Float, Int32, Int64, Sfixed32, Sfixed64, Sint32, Sint64, String,
            Uint32, Uint64,
        };
        [
            Double, Float, Int32, Int64, Uint32, Uint64, Sint32, Sint64, Fixed32, Fixed64, Sfixed32, Sfixed64, Bool,
            String, Bytes,
        ]
        .into_iter()
        .find(|kind| kind.keyword() == Some(word))
    }
}
