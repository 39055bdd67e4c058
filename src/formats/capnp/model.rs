//! The Cap'n Proto files of one side with every name resolved and every struct laid out.
//!
//! Follows <https://capnproto.org/language.html> and <https://capnproto.org/encoding.html>. Structs, enums and interfaces
//! live in arenas and refer to each other by number. Groups and unions have no bytes of their own: the fields of a struct
//! are one list, each with the members of unions that it stands in.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::change::Span;
use crate::formats::frame::meanings::Called;
use crate::formats::frame::places::ValuePlaces;
use crate::formats::frame::types::declarations;
use crate::value::Value;

pub(super) use super::types::number;
pub(crate) use super::types::{AnyKind, Brand, CHOSEN, Parameter, Space, Type};
pub use super::types::{EnumId, InterfaceId, StructId};
pub(crate) use crate::formats::frame::declared::FileId;
pub(crate) use crate::syntax::spelled::Spelled;

/// All files of one side.
#[derive(Debug, Default)]
pub(crate) struct Schema<'b> {
    /// The files; those that only supply types last.
    pub files: Vec<SourceFile<'b>>,
    /// Structs, the parameters and results of methods among them.
    pub structs: Vec<Struct<'b>>,
    /// Enums.
    pub enums: Vec<Enum<'b>>,
    /// Interfaces.
    pub interfaces: Vec<Interface<'b>>,
    /// Constants and annotations, which concern generated code only.
    pub others: Vec<Other<'b>>,
    /// Full names of structs, enums and interfaces, of all files.
    pub names: FxHashMap<Arc<str>, Declared>,
    /// For each enum a struct with one field of it, which synthetic values are written in.
    pub holders: Vec<Struct<'b>>,
    /// Generic structs with the types that they are given.
    pub instances: Vec<(StructId, Struct<'b>)>,
    /// What travels in calls of each interface, then of generic ones with the types that they are given.
    pub branded: Vec<BrandedInterface>,
}

/// An interface with its brand: what travels in its calls.
#[derive(Debug)]
pub(crate) struct BrandedInterface {
    /// The interface.
    pub of: InterfaceId,
    /// Of how many types it is made.
    pub size: usize,
    /// What its methods take and give, in their order, as far as that is known.
    pub methods: Vec<[Option<StructId>; 2]>,
    /// The interfaces that it extends, each with what it is given, in their order, as far as they are known.
    pub above: Vec<Option<InterfaceId>>,
}

/// The numbers of [`Schema::holders`] begin here.
const HOLDERS: u32 = 1 << 31;
/// The numbers of [`Schema::instances`] begin here.
const INSTANCES: u32 = 1 << 30;

/// The number of an instance.
pub(super) fn instance(index: usize) -> StructId {
    StructId(INSTANCES | number(index))
}

/// The synthetic struct with one field of an enum.
pub(crate) fn holder_of(id: EnumId) -> StructId {
    StructId(HOLDERS | id.0)
}

/// A declaration by its number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Declared {
    /// A struct.
    Struct(StructId),
    /// An enum.
    Enum(EnumId),
    /// An interface.
    Interface(InterfaceId),
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
    /// Its id, where one is written, and its place.
    pub id: Option<(u64, Span)>,
    /// Annotations of the file.
    pub annotations: Vec<Annotation>,
}

/// An annotation: its name as written, its value as written, and its place.
#[derive(Debug, Clone)]
pub(crate) struct Annotation {
    /// The name.
    pub name: Arc<str>,
    /// The value; empty where there is none.
    pub value: Arc<str>,
    /// All of it.
    pub span: Span,
}

/// Why a struct is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Sort {
    /// It is declared.
    Struct,
    /// What a method takes.
    Parameters,
    /// What a method gives.
    Results,
}

/// A struct, or the parameters or results of a method.
#[derive(Debug, Clone)]
pub(crate) struct Struct<'b> {
    /// `file.Outer.Name`; of a method `file.Interface.method()` with ` parameters` or ` results`.
    pub full_name: Arc<str>,
    /// Where the name is written.
    pub name_span: Span,
    /// Its file.
    pub file: FileId,
    /// Its id, written or derived; not on the wire.
    pub id: u64,
    /// Why it is there.
    pub sort: Sort,
    /// Generic parameters.
    pub parameters: Vec<Arc<str>>,
    /// How many types each declaration takes that it stands in, the outermost first, and then itself.
    pub around: Arc<[usize]>,
    /// Its fields in the order of their ordinals.
    pub fields: Vec<Field<'b>>,
    /// Its unions, outer ones before those inside.
    pub unions: Vec<Union<'b>>,
    /// 64-bit words of the data section.
    pub words: u32,
    /// Pointers behind it.
    pub pointers: u32,
    /// Annotations.
    pub annotations: Vec<Annotation>,
}

/// A field, with the groups around it looked through.
#[derive(Debug, Clone)]
pub(crate) struct Field<'b> {
    /// Its ordinal.
    pub ordinal: u16,
    /// Its name.
    pub name: Spelled<'b>,
    /// The name with those of the groups around it, dots in between.
    pub path: Arc<str>,
    /// All of it.
    pub span: Span,
    /// Its type as it is written.
    pub ty: Type,
    /// The same where all that types are given is put in, as data have it: [`super::instances`].
    pub held: Type,
    /// Where its value stands.
    pub slot: Slot,
    /// What it is where nothing was written.
    pub default: Absence,
    /// The default as written; empty where none is.
    pub default_written: Arc<str>,
    /// The members of unions that it stands in, outer ones first.
    pub guards: Vec<Guard>,
    /// Annotations.
    pub annotations: Vec<Annotation>,
}

/// That a union holds a member.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Guard {
    /// Which union of the struct.
    pub union: usize,
    /// The number of the member.
    pub member: u16,
}

/// A union inside of a struct.
#[derive(Debug, Clone)]
pub(crate) struct Union<'b> {
    /// Its name with those of the groups around it; an unnamed one is called as what is around it.
    pub path: Arc<str>,
    /// Whether it has no name.
    pub is_unnamed: bool,
    /// Where the number of the member that is set stands, in units of 16 bits.
    pub offset: u32,
    /// Its own ordinal, which old files write.
    pub ordinal: Option<u16>,
    /// Its members in the order of their numbers.
    pub members: Vec<Arm<'b>>,
    /// The members of unions that it stands in itself.
    pub guards: Vec<Guard>,
}

/// A member of a union.
#[derive(Debug, Clone)]
pub(crate) struct Arm<'b> {
    /// Its name.
    pub name: Spelled<'b>,
    /// The lowest ordinal in it.
    pub ordinal: u16,
}

/// Where a value stands in a struct.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Slot {
    /// Nowhere: it takes no space.
    Void,
    /// In the data section: the binary logarithm of its bits, and the offset in units of them.
    Data {
        /// 0 for a bit, up to 6.
        size: u32,
        /// In units of the size.
        offset: u32,
    },
    /// A pointer, by its number.
    Pointer(u32),
}

/// What a field is where nothing was written.
#[derive(Debug, Clone)]
pub(crate) enum Absence {
    /// Zero, or nothing.
    Zero,
    /// A value that the schema states.
    Value(Value),
    /// A value that could not be evaluated.
    Unknown,
}

/// Where a schema keeps the structs of values is no part of them.
impl PartialEq for Absence {
    fn eq(&self, other: &Absence) -> bool {
        match (self, other) {
            (Absence::Value(one), Absence::Value(other)) => are_same(one, other),
            (Absence::Zero, Absence::Zero) | (Absence::Unknown, Absence::Unknown) => true,
            _ => false,
        }
    }
}

/// Whether two values of two schemas are the same.
fn are_same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Record(one), Value::Record(other)) => {
            let mut fields = one.fields.iter().zip(&other.fields);
            one.fields.len() == other.fields.len()
                && fields.all(|(one, other)| one.0 == other.0 && are_same(one.1, other.1))
        }
        (Value::List(one), Value::List(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| are_same(one, other))
        }
        (one, other) => one == other,
    }
}

/// An enum.
#[derive(Debug)]
pub(crate) struct Enum<'b> {
    /// `file.Outer.Name`
    pub full_name: Arc<str>,
    /// Where the name is written.
    pub name_span: Span,
    /// Its file.
    pub file: FileId,
    /// Its id, written or derived; not on the wire.
    pub id: u64,
    /// Its values in the order of their numbers.
    pub values: Vec<EnumValue<'b>>,
    /// Where they stand, once that is asked.
    pub places: ValuePlaces,
    /// Annotations.
    pub annotations: Vec<Annotation>,
}

/// A value of an enum.
#[derive(Debug)]
pub(crate) struct EnumValue<'b> {
    /// Its name.
    pub name: Spelled<'b>,
    /// Its number.
    pub number: u16,
    /// All of it.
    pub span: Span,
    /// Annotations.
    pub annotations: Vec<Annotation>,
}

/// An interface.
#[derive(Debug)]
pub(crate) struct Interface<'b> {
    /// `file.Outer.Name`
    pub full_name: Arc<str>,
    /// Where the name is written.
    pub name_span: Span,
    /// Its file.
    pub file: FileId,
    /// Its id, written or derived, which calls carry.
    pub id: u64,
    /// Generic parameters.
    pub parameters: Vec<Arc<str>>,
    /// How many types each declaration takes that it stands in, the outermost first, and then itself.
    pub around: Arc<[usize]>,
    /// The interfaces that it extends.
    pub extends: Vec<Extended<'b>>,
    /// Its own methods in the order of their ordinals.
    pub methods: Vec<Method<'b>>,
    /// Annotations.
    pub annotations: Vec<Annotation>,
}

/// An interface that another one extends.
#[derive(Debug)]
pub(crate) struct Extended<'b> {
    /// As written.
    pub written: Spelled<'b>,
    /// Which; nothing where that is not known.
    pub id: Option<InterfaceId>,
    /// What its type parameters stand for.
    pub bound: Brand,
}

/// The struct that a method takes or gives.
#[derive(Debug, Clone)]
pub(crate) struct Data {
    /// Which.
    pub id: StructId,
    /// What its type parameters stand for.
    pub bound: Brand,
}

/// A method.
#[derive(Debug)]
pub(crate) struct Method<'b> {
    /// Its name.
    pub name: Spelled<'b>,
    /// Its ordinal, which calls carry.
    pub ordinal: u16,
    /// All of it.
    pub span: Span,
    /// The types that callers choose.
    pub implicit: Vec<Arc<str>>,
    /// What it takes; nothing where that is not known.
    pub parameters: Option<Data>,
    /// What it gives; nothing where that is not known.
    pub results: Option<Data>,
    /// Whether its results are `stream`.
    pub is_stream: bool,
    /// Annotations.
    pub annotations: Vec<Annotation>,
}

/// A constant or an annotation that is declared.
#[derive(Debug)]
pub(crate) struct Other<'b> {
    /// `file.name`
    pub full_name: Arc<str>,
    /// Its id, written or derived.
    pub id: u64,
    /// Where the name is written.
    pub name: Spelled<'b>,
    /// Its file.
    pub file: FileId,
    /// `const` or `annotation`.
    pub role: &'static str,
    /// What it says, as written.
    pub text: Arc<str>,
    /// Of a constant, what its value is, where that is known.
    pub value: Option<Constant>,
}

/// What a constant is.
#[derive(Debug)]
pub(crate) struct Constant {
    /// Its type.
    pub ty: Type,
    /// Its value.
    pub value: Value,
    /// What is written before the value and behind it.
    pub around: [String; 2],
}

impl BrandedInterface {
    /// Of an interface, where nothing is known yet of its methods.
    pub(super) fn of(of: InterfaceId, size: usize) -> Self {
        BrandedInterface { of, size, methods: Vec::new(), above: Vec::new() }
    }
}

/// The key under which a record says which member a union holds; fields have their ordinals as keys. A union that is not
/// in a record holds member 0.
pub(crate) fn union_key(union: usize) -> i32 {
    -1 - i32::try_from(union).expect("a struct has fewer unions than ordinals")
}

impl<'b> Schema<'b> {
    /// A file.
    pub(crate) fn file(&self, id: FileId) -> &SourceFile<'b> {
        &self.files[id.0 as usize]
    }

    /// A struct.
    pub(crate) fn structure(&self, id: StructId) -> &Struct<'b> {
        match (id.0.checked_sub(HOLDERS), id.0.checked_sub(INSTANCES)) {
            (Some(index), _) => &self.holders[index as usize],
            (_, Some(index)) => &self.instances[index as usize].1,
            _ => &self.structs[id.0 as usize],
        }
    }

    /// The struct that is declared, of one with the types that it is given.
    pub(crate) fn declared_struct(&self, id: StructId) -> StructId {
        self.instance_index(id).map_or(id, |index| self.instances[index].0)
    }

    /// Where an instance is among them; nothing for anything else.
    pub(super) fn instance_index(&self, id: StructId) -> Option<usize> {
        (INSTANCES..HOLDERS).contains(&id.0).then(|| (id.0 - INSTANCES) as usize)
    }

    /// A struct that is declared, or an instance.
    pub(super) fn structure_mut(&mut self, id: StructId) -> &mut Struct<'b> {
        match self.instance_index(id) {
            Some(index) => &mut self.instances[index].1,
            None => &mut self.structs[id.0 as usize],
        }
    }

    /// An enum.
    pub(crate) fn enumeration(&self, id: EnumId) -> &Enum<'b> {
        &self.enums[id.0 as usize]
    }

    /// An interface, by its number or that of one with what it is given.
    pub(crate) fn interface(&self, id: InterfaceId) -> &Interface<'b> {
        let of = || self.branded[id.0 as usize].of;
        self.interfaces.get(id.0 as usize).unwrap_or_else(|| &self.interfaces[of().0 as usize])
    }

    /// What travels in calls of an interface.
    pub(super) fn branded_interface(&self, id: InterfaceId) -> &BrandedInterface {
        &self.branded[id.0 as usize]
    }

    /// A type in full, for comparison and for people.
    pub(crate) fn spelled(&self, ty: &Type) -> String {
        let applied = |name: &str, brand: &Brand| {
            let given: Vec<String> = brand.types().map(|ty| self.spelled(ty)).collect();
            if given.is_empty() { name.to_owned() } else { format!("{name}({})", given.join(", ")) }
        };
        match ty {
            Type::Void => "Void".to_owned(),
            Type::Bool => "Bool".to_owned(),
            Type::Int(size, has_sign) => format!("{}Int{}", if *has_sign { "" } else { "U" }, 1 << size),
            Type::Float32 => "Float32".to_owned(),
            Type::Float64 => "Float64".to_owned(),
            Type::Text => "Text".to_owned(),
            Type::Data => "Data".to_owned(),
            Type::List(items) => format!("List({})", self.spelled(items)),
            Type::Enum(id) => self.enumeration(*id).full_name.to_string(),
            Type::Struct(id, bound) => applied(&self.structure(*id).full_name, bound),
            Type::Interface(id, bound) => applied(&self.interface(*id).full_name, bound),
            Type::Any(AnyKind::Pointer) => "AnyPointer".to_owned(),
            Type::Any(AnyKind::Struct) => "AnyStruct".to_owned(),
            Type::Any(AnyKind::List) => "AnyList".to_owned(),
            Type::Any(AnyKind::Capability) => "Capability".to_owned(),
            Type::Parameter(Parameter { name, .. }) | Type::Opaque(name) => name.to_string(),
        }
    }
}

/// A struct with one field of an enum.
pub(crate) fn holder<'b>(of: &Enum<'_>, id: EnumId) -> Struct<'b> {
    let name = || Spelled { text: "value".into(), span: Span::default() };
    let field = Field {
        ordinal: 0,
        name: name(),
        path: Arc::from("value"),
        span: Span::default(),
        ty: Type::Enum(id),
        held: Type::Enum(id),
        slot: Slot::Data { size: 4, offset: 0 },
        default: Absence::Zero,
        default_written: Arc::from(""),
        guards: Vec::new(),
        annotations: Vec::new(),
    };
    Struct {
        full_name: Arc::from(""),
        name_span: Span::default(),
        file: of.file,
        id: 0,
        sort: Sort::Struct,
        parameters: Vec::new(),
        around: Arc::default(),
        fields: vec![field],
        unions: Vec::new(),
        words: 1,
        pointers: 0,
        annotations: Vec::new(),
    }
}

impl<'b> Struct<'b> {
    /// The field of an ordinal, by which they are sorted.
    pub(super) fn field(&self, ordinal: u16) -> Option<&Field<'b>> {
        self.fields.binary_search_by_key(&ordinal, |field| field.ordinal).ok().map(|at| &self.fields[at])
    }

    /// The field that lies where an item of a type lies when a list of such items is read as one of structs.
    pub(super) fn first_like(&self, item: &Type) -> Option<&Field<'b>> {
        let slot = match item.space() {
            Space::Nothing => return None,
            Space::Data(size) => Slot::Data { size, offset: 0 },
            Space::Pointer => Slot::Pointer(0),
        };
        self.fields.iter().find(|field| field.slot == slot)
    }
}

impl Method<'_> {
    /// The structs that it takes and gives, as far as they are known.
    pub(crate) fn data(&self) -> impl Iterator<Item = StructId> {
        [&self.parameters, &self.results].into_iter().flatten().map(|data| data.id)
    }
}

impl<'b> Enum<'b> {
    /// The name of a number.
    pub(crate) fn name_of(&self, number: u16) -> Option<&str> {
        self.numbered(number).map(|value| &*value.name.text)
    }

    /// What its values are called.
    pub(crate) fn called(&self) -> &Called {
        let all = self.values.iter().map(|value| (&*value.name.text, value.number.into()));
        self.places.called(&self.full_name, all)
    }

    /// The value of a number.
    pub(crate) fn numbered(&self, number: u16) -> Option<&EnumValue<'b>> {
        let at = self.values.binary_search_by_key(&number, |value| value.number).ok()?;
        self.values.get(at)
    }

    /// The value of a name.
    pub(crate) fn named(&self, name: &str) -> Option<&EnumValue<'b>> {
        let values = self.values.iter().map(|value| (&*value.name.text, i128::from(value.number)));
        self.places.of_name(values, name).and_then(|at| self.values.get(at))
    }
}

declarations! {
    files: is_library, bytes;
    types: StructId, structs, structure, Struct;
    enums: EnumId, enums, enumeration, Enum;
    names: Struct: name_span, Enum: name_span, Interface: name_span, Other: name.span;
}
