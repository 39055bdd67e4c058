//! The FlatBuffers schemas of one side with every name resolved and every layout computed.
//!
//! Follows the grammar of the reference compiler 25.12 (<https://flatbuffers.dev/grammar/>) and the binary format of
//! <https://flatbuffers.dev/internals/>. Tables and structs, enums and unions, and services live in arenas and refer to
//! each other by number.

use std::borrow::Cow;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::change::Span;
use crate::formats::frame::meanings::Called;
use crate::formats::frame::places::ValuePlaces;
use crate::formats::frame::types::declarations;
use crate::formats::roundtrip::Member;

pub(crate) use crate::formats::frame::declared::FileId;
use crate::syntax::literal;
pub(crate) use crate::syntax::spelled::Spelled;

/// A table or a struct of a [`Schema`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct ObjectId(pub u32);

/// An enum or a union of a [`Schema`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct EnumId(pub u32);

/// All schemas of one side.
#[derive(Debug, Default)]
pub(crate) struct Schema<'b> {
    /// The files; those that only supply types last.
    pub files: Vec<SourceFile<'b>>,
    /// Whether one file is judged, and the version has no other.
    pub is_alone: bool,
    /// Tables and structs.
    pub objects: Vec<Object<'b>>,
    /// Enums and unions.
    pub enums: Vec<Enum<'b>>,
    /// Services.
    pub services: Vec<Service<'b>>,
    /// Full name → tables and structs.
    pub objects_by_name: FxHashMap<Arc<str>, Vec<ObjectId>>,
    /// Full name → enums and unions.
    pub enums_by_name: FxHashMap<Arc<str>, Vec<EnumId>>,
}

/// A file.
#[derive(Debug)]
pub(crate) struct SourceFile<'b> {
    /// Its path in the snapshot.
    pub path: Arc<str>,
    /// Its text.
    pub bytes: &'b [u8],
    /// Whether it only supplies types and is not judged itself.
    pub is_library: bool,
    /// The number of the terms on which it is judged.
    pub terms: usize,
    /// What it includes: the paths as written, and the files, where they were found.
    pub includes: Vec<(Spelled<'b>, Option<FileId>)>,
    /// Every `root_type`: what data of this file starts from. The last one is what the file identifier goes with.
    pub roots: Vec<(ObjectId, Span)>,
    /// `file_identifier`: four bytes behind the root offset.
    pub identifier: Option<Spelled<'b>>,
    /// `file_extension`
    pub extension: Option<Spelled<'b>>,
}

/// A table or a struct.
#[derive(Debug)]
pub(crate) struct Object<'b> {
    /// Namespace and name with dots in between.
    pub full_name: Arc<str>,
    /// Where the name is written.
    pub name_span: Span,
    /// Its file.
    pub file: FileId,
    /// The fixed layout, if it is a struct.
    pub layout: Option<Layout>,
    /// How much a value of a struct is while it is made and read: its numbers, and the records around them. 0 of a table.
    pub weight: u32,
    /// Its fields in the order of their slots (tables) or offsets (structs).
    pub fields: Vec<Field<'b>>,
    /// Attributes.
    pub attributes: Vec<Attribute<'b>>,
}

impl<'b> Object<'b> {
    /// The field of a slot of a table.
    pub(crate) fn of_slot(&self, slot: usize) -> Option<&Field<'b>> {
        let at = self.fields.partition_point(|field| usize::from(field.slot) < slot);
        self.fields.get(at).filter(|field| usize::from(field.slot) == slot)
    }
}

/// How a struct lies in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Layout {
    /// Bytes, padding included.
    pub size: u32,
    /// What its address is a multiple of.
    pub align: u32,
}

/// A field.
#[derive(Debug)]
pub(crate) struct Field<'b> {
    /// Its name.
    pub name: Spelled<'b>,
    /// All of it.
    pub span: Span,
    /// In a table the slot of its value, from 0; a union's discriminator has the slot before. In a struct its index.
    pub slot: u16,
    /// In a struct the bytes in front of it; 0 in a table.
    pub offset: u32,
    /// Its type.
    pub ty: Type,
    /// Its type as written.
    pub written: Spelled<'b>,
    /// What an absent slot reads as.
    pub default: Default,
    /// The default as written, if it is.
    pub default_written: Option<Spelled<'b>>,
    /// `id`, if it is written.
    pub id_span: Option<Span>,
    /// `deprecated`
    pub is_deprecated: bool,
    /// `required`, or a text that is the key.
    pub is_required: bool,
    /// `key`
    pub is_key: bool,
    /// `nested_flatbuffer`: the root of the buffer inside.
    pub nested: Option<ObjectId>,
    /// `offset64`
    pub is_offset64: bool,
    /// All attributes, those above included.
    pub attributes: Vec<Attribute<'b>>,
}

/// What an absent slot reads as.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Default {
    /// Nothing: references, and scalars with `= null`.
    Absent,
    /// A whole number; enum values by their number, booleans as 0 and 1.
    Integer(i128),
    /// A number with a fraction.
    Real(f64),
    /// A reference with `= ""` or `= []`: an empty text or vector.
    Empty,
    /// A text with a default that says something: as it is written.
    Text,
}

/// A type.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Type {
    /// A number or a truth value.
    Scalar(Scalar),
    /// An enum, stored as its underlying type.
    Enum(EnumId),
    /// `string`
    String,
    /// A struct, inline.
    Struct(ObjectId),
    /// A table, by offset.
    Table(ObjectId),
    /// A union: a discriminator and an offset.
    Union(EnumId),
    /// `[T]`
    Vector(Box<Type>),
    /// `[T]` with `vector64`: 64-bit length and offset.
    Vector64(Box<Type>),
    /// `[T:N]`, inline in structs only.
    Array(Box<Type>, u16),
    /// A name that could not be found because an include is missing, as spelled.
    Opaque(Arc<str>),
}

/// The scalar types.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Scalar {
    /// `bool`
    Bool,
    /// `byte`, `int8`
    I8,
    /// `ubyte`, `uint8`
    U8,
    /// `short`, `int16`
    I16,
    /// `ushort`, `uint16`
    U16,
    /// `int`, `int32`
    I32,
    /// `uint`, `uint32`
    U32,
    /// `long`, `int64`
    I64,
    /// `ulong`, `uint64`
    U64,
    /// `float`, `float32`
    F32,
    /// `double`, `float64`
    F64,
}

/// An enum or a union.
#[derive(Debug)]
pub(crate) struct Enum<'b> {
    /// Namespace and name with dots in between.
    pub full_name: Arc<str>,
    /// Where the name is written.
    pub name_span: Span,
    /// Its file.
    pub file: FileId,
    /// Whether it is a union.
    pub is_union: bool,
    /// What its values are stored as; of a union its discriminators.
    pub underlying: Scalar,
    /// Whether that is written.
    pub names_underlying: bool,
    /// `bit_flags`: values are sets of bits, and the numbers below are the bits' values.
    pub is_bit_flags: bool,
    /// Its values in ascending order; a union's first one is `NONE` with the number 0.
    pub values: Vec<EnumValue<'b>>,
    /// Where they stand.
    pub places: ValuePlaces,
    /// Attributes.
    pub attributes: Vec<Attribute<'b>>,
}

impl<'b> Enum<'b> {
    fn names(&self) -> impl Iterator<Item = (&str, i128)> + Clone {
        self.values.iter().map(|value| (&*value.name.text, value.number))
    }

    /// What its values are called.
    pub fn called(&self) -> &Called {
        self.places.called(&self.full_name, self.names())
    }

    /// The value of that name.
    pub fn named(&self, name: &str) -> Option<&EnumValue<'b>> {
        self.places.of_name(self.names(), name).map(|at| &self.values[at])
    }

    /// The first value of that number.
    pub fn numbered(&self, number: i128) -> Option<&EnumValue<'b>> {
        self.places.of_number(self.names(), number).first().map(|at| &self.values[*at])
    }
}

/// A value of an enum, or a member of a union.
#[derive(Debug)]
pub(crate) struct EnumValue<'b> {
    /// Its name; of a member without alias its type's name as written, with `_` for dots.
    pub name: Spelled<'b>,
    /// Its number, written or counted.
    pub number: i128,
    /// All of it.
    pub span: Span,
    /// Of a member its type: a table, a struct or a text. `None` for values of enums and for `NONE`.
    pub ty: Option<Type>,
    /// Attributes.
    pub attributes: Vec<Attribute<'b>>,
}

/// A service.
#[derive(Debug)]
pub(crate) struct Service<'b> {
    /// Namespace and name with dots in between.
    pub full_name: Arc<str>,
    /// Where the name is written.
    pub name_span: Span,
    /// Its file.
    pub file: FileId,
    /// Its methods.
    pub methods: Vec<Method<'b>>,
}

/// A method.
#[derive(Debug)]
pub(crate) struct Method<'b> {
    /// Its name.
    pub name: Spelled<'b>,
    /// All of it.
    pub span: Span,
    /// What clients send.
    pub request: ObjectId,
    /// What servers answer.
    pub response: ObjectId,
    /// `streaming`, as written: `none`, `client`, `server` or `bidi`.
    pub streaming: Cow<'b, str>,
    /// Attributes.
    pub attributes: Vec<Attribute<'b>>,
}

/// An attribute.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Attribute<'b> {
    /// Its name.
    pub name: Spelled<'b>,
    /// Its value as written; empty when there is none.
    pub value: Cow<'b, str>,
}

impl Scalar {
    /// Bytes, which is also the alignment.
    pub(crate) const fn size(self) -> u32 {
        match self {
            Scalar::Bool | Scalar::I8 | Scalar::U8 => 1,
            Scalar::I16 | Scalar::U16 => 2,
            Scalar::I32 | Scalar::U32 | Scalar::F32 => 4,
            Scalar::I64 | Scalar::U64 | Scalar::F64 => 8,
        }
    }

    /// The name in schemas.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Scalar::Bool => "bool",
            Scalar::I8 => "byte",
            Scalar::U8 => "ubyte",
            Scalar::I16 => "short",
            Scalar::U16 => "ushort",
            Scalar::I32 => "int",
            Scalar::U32 => "uint",
            Scalar::I64 => "long",
            Scalar::U64 => "ulong",
            Scalar::F32 => "float",
            Scalar::F64 => "double",
        }
    }
}

impl SourceFile<'_> {
    /// The root that generated helpers and the file identifier are about.
    pub(crate) fn last_root(&self) -> Option<ObjectId> {
        self.roots.last().map(|(root, _)| *root)
    }
}

impl<'b> Schema<'b> {
    /// A table or a struct by its number.
    pub(crate) fn object(&self, id: ObjectId) -> &Object<'b> {
        &self.objects[id.0 as usize]
    }

    /// An enum or a union by its number.
    pub(crate) fn enumeration(&self, id: EnumId) -> &Enum<'b> {
        &self.enums[id.0 as usize]
    }

    /// A file by its number.
    pub(crate) fn file(&self, id: FileId) -> &SourceFile<'b> {
        &self.files[id.0 as usize]
    }

    /// The type as people write it.
    pub(crate) fn spelled(&self, ty: &Type) -> String {
        match ty {
            Type::Scalar(scalar) => scalar.name().to_owned(),
            Type::String => "string".to_owned(),
            Type::Enum(id) | Type::Union(id) => self.enumeration(*id).full_name.to_string(),
            Type::Struct(id) | Type::Table(id) => self.object(*id).full_name.to_string(),
            Type::Vector(items) => format!("[{}]", self.spelled(items)),
            Type::Vector64(items) => format!("[{}] (vector64)", self.spelled(items)),
            Type::Array(items, count) => format!("[{}:{count}]", self.spelled(items)),
            Type::Opaque(text) => text.to_string(),
        }
    }
}

impl Field<'_> {
    /// The text that an absent slot reads as, where it says something: what is written, without quotes and escapes.
    pub(crate) fn default_text(&self) -> Option<Cow<'_, [u8]>> {
        let written = self.default_written.as_ref().filter(|_| self.default == Default::Text)?;
        Some(literal::string(written.text.as_bytes()))
    }
}

impl Member for Field<'_> {
    fn name(&self) -> &str {
        &self.name.text
    }

    fn number(&self) -> i32 {
        self.slot.into()
    }
}

declarations! {
    files: is_library, bytes;
    types: ObjectId, objects, object, Object;
    enums: EnumId, enums, enumeration, Enum;
    names: Object: name_span, Enum: name_span, Service: name_span;
}

/// The attribute of a name.
pub(super) fn attribute<'a, 'b>(attributes: &'a [Attribute<'b>], name: &str) -> Option<&'a Attribute<'b>> {
    attributes.iter().find(|attribute| attribute.name.text == name)
}
