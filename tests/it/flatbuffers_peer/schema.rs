//! A model of FlatBuffers schemas that is easy to make, to change, to print and to fill with data, and knows nothing of the
//! program under test.
//!
//! Every type, field and value has a number of its own, so that one element is found on both sides and can be left out of
//! both.

use std::collections::BTreeSet;
use std::fmt::Write as _;

pub use crate::peers::{Dice, Id};

/// The numbers of the language, with the bits that they take; truth values last.
pub const SCALARS: [&str; 11] =
    ["byte", "ubyte", "short", "ushort", "int", "uint", "long", "ulong", "float", "double", "bool"];
/// What enums are stored as.
pub const UNDERLYING: [&str; 6] = ["byte", "ubyte", "short", "ushort", "int", "ulong"];

#[derive(Clone, PartialEq, Eq)]
pub enum Type {
    Scalar(&'static str),
    Enum(Id),
    Struct(Id),
    Table(Id),
    Union(Id),
    Text,
    Vector(Box<Type>),
    Array(Box<Type>, usize),
}

impl Type {
    /// What vectors and arrays hold, else the type itself.
    pub fn items(&self) -> &Type {
        match self {
            Type::Vector(items) | Type::Array(items, _) => items.items(),
            other => other,
        }
    }

    fn named(&self) -> Option<Id> {
        match self.items() {
            Type::Enum(id) | Type::Struct(id) | Type::Table(id) | Type::Union(id) => Some(*id),
            _ => None,
        }
    }
}

#[derive(Clone, Default)]
pub struct Schema {
    pub enums: Vec<Enum>,
    /// In an order in which each is complete before it is used.
    pub structs: Vec<Struct>,
    pub unions: Vec<Union>,
    pub tables: Vec<Table>,
    /// The tables that files name as roots, at the end of the file or in between.
    pub roots: Vec<Id>,
    pub next: Id,
}

#[derive(Clone)]
pub struct Enum {
    pub id: Id,
    pub underlying: &'static str,
    pub is_bit_flags: bool,
    pub values: Vec<EnumValue>,
}

#[derive(Clone)]
pub struct EnumValue {
    pub id: Id,
    pub name: String,
    /// Of flags the bit.
    pub number: u64,
}

#[derive(Clone)]
pub struct Struct {
    pub id: Id,
    pub fields: Vec<Field>,
    pub force_align: Option<usize>,
}

#[derive(Clone)]
pub struct Table {
    pub id: Id,
    /// In the order of their slots.
    pub fields: Vec<Field>,
    /// Whether ids are written, and fields in the opposite order.
    pub has_ids: bool,
}

#[derive(Clone)]
pub struct Field {
    pub id: Id,
    pub name: String,
    pub ty: Type,
    pub default: Option<String>,
    pub is_required: bool,
    pub is_deprecated: bool,
    pub is_key: bool,
    pub nested: Option<Id>,
}

#[derive(Clone)]
pub struct Union {
    pub id: Id,
    pub members: Vec<Member>,
}

#[derive(Clone)]
pub struct Member {
    pub id: Id,
    pub name: String,
    /// A table, a struct or a text.
    pub ty: Type,
}

impl Schema {
    pub fn fresh(&mut self) -> Id {
        self.next += 1;
        self.next
    }

    pub fn enumeration(&self, id: Id) -> Option<&Enum> {
        self.enums.iter().find(|one| one.id == id)
    }

    pub fn structure(&self, id: Id) -> Option<&Struct> {
        self.structs.iter().find(|one| one.id == id)
    }

    pub fn union(&self, id: Id) -> Option<&Union> {
        self.unions.iter().find(|one| one.id == id)
    }

    pub fn table(&self, id: Id) -> Option<&Table> {
        self.tables.iter().find(|one| one.id == id)
    }

    fn types(&self) -> BTreeSet<Id> {
        let structs = self.structs.iter().map(|one| one.id);
        let enums = self.enums.iter().map(|one| one.id).chain(self.unions.iter().map(|one| one.id));
        structs.chain(enums).chain(self.tables.iter().map(|one| one.id)).collect()
    }

    /// Tables that no other one refers to, and those that a file names: what data starts from.
    pub fn starts(&self) -> BTreeSet<Id> {
        let members = self.unions.iter().flat_map(|one| one.members.iter().filter_map(|member| member.ty.named()));
        let fields = self.tables.iter().flat_map(|table| {
            let fields = table.fields.iter().flat_map(|field| [field.ty.named(), field.nested]);
            fields.flatten().filter(|id| *id != table.id)
        });
        let referred: BTreeSet<Id> = members.chain(fields).collect();
        let all = self.tables.iter().map(|table| table.id);
        all.filter(|id| !referred.contains(id) || self.roots.contains(id)).collect()
    }

    /// Everything that can be left out.
    pub fn elements(&self) -> Vec<Id> {
        let mut all: Vec<Id> = self.types().into_iter().collect();
        all.extend(self.tables.iter().flat_map(|one| one.fields.iter().map(|field| field.id)));
        all.extend(self.structs.iter().flat_map(|one| one.fields.iter().map(|field| field.id)));
        all.extend(self.enums.iter().flat_map(|one| one.values.iter().map(|value| value.id)));
        all.extend(self.unions.iter().flat_map(|one| one.members.iter().map(|member| member.id)));
        all
    }

    /// The schema without an element and all that refers to it.
    pub fn without(&self, element: Id) -> Schema {
        let mut schema = self.clone();
        let is_other = |id: Id| id != element;
        schema.enums.retain(|one| is_other(one.id));
        schema.structs.retain(|one| is_other(one.id));
        schema.unions.retain(|one| is_other(one.id));
        schema.tables.retain(|one| is_other(one.id));
        schema.tables.iter_mut().for_each(|one| one.fields.retain(|field| is_other(field.id)));
        schema.structs.iter_mut().for_each(|one| one.fields.retain(|field| is_other(field.id)));
        schema.enums.iter_mut().for_each(|one| one.values.retain(|value| is_other(value.id)));
        schema.unions.iter_mut().for_each(|one| one.members.retain(|member| is_other(member.id)));
        schema.settle();
        schema
    }

    /// Takes away what refers to nothing, and what cannot stand where it stands.
    pub fn settle(&mut self) {
        loop {
            let before = self.elements().len();
            self.enums.retain(|one| !one.values.is_empty());
            self.structs.retain(|one| !one.fields.is_empty());
            self.unions.retain(|one| !one.members.is_empty());
            let types = self.types();
            let is_there = |ty: &Type| ty.named().is_none_or(|id| types.contains(&id));
            self.tables.iter_mut().for_each(|one| one.fields.retain(|field| is_there(&field.ty)));
            self.structs.iter_mut().for_each(|one| one.fields.retain(|field| is_there(&field.ty)));
            self.unions.iter_mut().for_each(|one| one.members.retain(|member| is_there(&member.ty)));
            if self.elements().len() == before {
                break;
            }
        }
        let tables: BTreeSet<Id> = self.tables.iter().map(|one| one.id).collect();
        self.roots.retain(|id| tables.contains(id));
        let enums = self.enums.clone();
        for table in &mut self.tables {
            let mut has_key = false;
            for field in &mut table.fields {
                field.nested = field.nested.filter(|id| tables.contains(id));
                field.settle(&enums);
                field.is_key &= !has_key;
                has_key |= field.is_key;
            }
        }
        self.order_structs();
        self.align_structs();
    }

    /// Puts structs behind those that they hold; what holds itself is left out.
    fn order_structs(&mut self) {
        let mut done: Vec<Struct> = Vec::new();
        let mut left = std::mem::take(&mut self.structs);
        while !left.is_empty() {
            let is_ready = |one: &Struct| {
                let inner = one.fields.iter().filter_map(|field| match field.ty.items() {
                    Type::Struct(id) => Some(*id),
                    _ => None,
                });
                inner.into_iter().all(|id| done.iter().any(|other| other.id == id))
            };
            let Some(at) = left.iter().position(is_ready) else { break };
            done.push(left.remove(at));
        }
        self.structs = done;
        if !left.is_empty() {
            self.settle();
        }
    }

    /// An alignment below the natural one is refused.
    fn align_structs(&mut self) {
        for at in 0..self.structs.len() {
            let natural = self.structs[at].fields.iter().map(|field| self.align(&field.ty)).max().unwrap_or(1);
            let forced = &mut self.structs[at].force_align;
            *forced = forced.map(|wanted| wanted.max(natural));
        }
    }

    fn align(&self, ty: &Type) -> usize {
        match ty.items() {
            Type::Scalar(name) => size(name),
            Type::Enum(id) => self.enumeration(*id).map_or(1, |one| size(one.underlying)),
            Type::Struct(id) => self.structure(*id).map_or(1, |one| {
                let natural = one.fields.iter().map(|field| self.align(&field.ty)).max().unwrap_or(1);
                natural.max(one.force_align.unwrap_or(1))
            }),
            _ => 4,
        }
    }

    fn spelled(&self, ty: &Type) -> String {
        match ty {
            Type::Scalar(name) => (*name).to_owned(),
            Type::Text => "string".to_owned(),
            Type::Enum(id) => format!("E{id}"),
            Type::Struct(id) => format!("S{id}"),
            Type::Table(id) => format!("T{id}"),
            Type::Union(id) => format!("U{id}"),
            Type::Vector(items) => format!("[{}]", self.spelled(items)),
            Type::Array(items, count) => format!("[{}:{count}]", self.spelled(items)),
        }
    }

    /// The schema as a file.
    pub fn text(&self) -> String {
        let mut text = String::new();
        for one in &self.enums {
            let flags = if one.is_bit_flags { " (bit_flags)" } else { "" };
            let values: Vec<String> =
                one.values.iter().map(|value| format!("{} = {}", value.name, value.number)).collect();
            let _ = writeln!(text, "enum E{}:{}{flags} {{ {} }}", one.id, one.underlying, values.join(", "));
        }
        for one in &self.structs {
            let forced = one.force_align.map(|align| format!(" (force_align: {align})")).unwrap_or_default();
            let fields: Vec<String> =
                one.fields.iter().map(|field| format!("{}:{};", field.name, self.spelled(&field.ty))).collect();
            let _ = writeln!(text, "struct S{}{forced} {{ {} }}", one.id, fields.join(" "));
        }
        for one in &self.unions {
            let members: Vec<String> =
                one.members.iter().map(|member| format!("{}:{}", member.name, self.spelled(&member.ty))).collect();
            let _ = writeln!(text, "union U{} {{ {} }}", one.id, members.join(", "));
        }
        for table in &self.tables {
            let _ = writeln!(text, "table T{} {{ {} }}", table.id, self.fields(table).join(" "));
        }
        for root in &self.roots {
            let _ = writeln!(text, "root_type T{root};");
        }
        text
    }

    fn fields(&self, table: &Table) -> Vec<String> {
        let mut slot = 0;
        let mut lines: Vec<String> = Vec::new();
        for field in &table.fields {
            slot += usize::from(matches!(field.ty.items(), Type::Union(_)));
            let mut attributes: Vec<String> = Vec::new();
            if table.has_ids {
                attributes.push(format!("id: {slot}"));
            }
            slot += 1;
            let words = [(field.is_required, "required"), (field.is_deprecated, "deprecated"), (field.is_key, "key")];
            attributes.extend(words.iter().filter(|(is, _)| *is).map(|(_, word)| (*word).to_owned()));
            attributes.extend(field.nested.map(|id| format!("nested_flatbuffer: \"T{id}\"")));
            let default = field.default.as_ref().map(|value| format!(" = {value}")).unwrap_or_default();
            let attributes =
                if attributes.is_empty() { String::new() } else { format!(" ({})", attributes.join(", ")) };
            lines.push(format!("{}:{}{default}{attributes};", field.name, self.spelled(&field.ty)));
        }
        if table.has_ids {
            lines.reverse();
        }
        lines
    }
}

impl Field {
    pub fn of(id: Id, name: String, ty: Type) -> Field {
        Field { id, name, ty, default: None, is_required: false, is_deprecated: false, is_key: false, nested: None }
    }

    /// Takes away what does not go with the type.
    fn settle(&mut self, enums: &[Enum]) {
        let bytes = Type::Vector(Box::new(Type::Scalar("ubyte")));
        self.nested = self.nested.filter(|_| self.ty == bytes);
        match &self.ty {
            Type::Scalar(name) => {
                self.is_required = false;
                self.is_key &= !self.is_deprecated && self.default.as_deref() != Some("null");
                let default = self.default.take();
                self.default = default.filter(|value| fits(name, value));
            }
            Type::Enum(id) => {
                (self.is_required, self.is_key) = (false, false);
                let Some(of) = enums.iter().find(|one| one.id == *id) else { return };
                let is_named = |value: &String| of.values.iter().any(|one| one.name == *value) || value == "null";
                let has_zero = of.is_bit_flags || of.values.iter().any(|value| value.number == 0);
                self.default = self.default.take().filter(is_named);
                if self.default.is_none() && !has_zero {
                    self.default = of.values.first().map(|value| value.name.clone());
                }
            }
            Type::Text => {
                self.default = self.default.take().filter(|value| value.starts_with('"') && !self.is_required);
            }
            _ => {
                self.default = None;
                self.is_key = false;
            }
        }
        self.is_required &= !self.is_deprecated;
    }
}

/// The bytes that a number takes.
pub fn size(name: &str) -> usize {
    match name {
        "short" | "ushort" => 2,
        "int" | "uint" | "float" => 4,
        "long" | "ulong" | "double" => 8,
        _ => 1,
    }
}

fn fits(name: &str, value: &str) -> bool {
    let is_number = value.parse::<i64>().is_ok();
    match name {
        _ if value == "null" => true,
        "bool" => ["true", "false"].contains(&value),
        "ubyte" | "ushort" | "uint" | "ulong" => is_number && !value.starts_with('-'),
        _ => is_number,
    }
}
