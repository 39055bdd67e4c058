//! A model of `.capnp` files that is easy to make, to change and to print, and knows nothing of the program under test.
//!
//! Everything has a number of its own, so that one element is found on both sides whatever it is called there.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde_json::Value as Json;

use crate::peers::{Dice, Id, Model};
use wireproof::change::Pair;
use wireproof::evidence::Outcome;

#[derive(Clone, Default)]
pub struct Schema {
    pub enums: Vec<Enum>,
    pub structs: Vec<Struct>,
    next: Id,
}

#[derive(Clone)]
pub struct Enum {
    id: Id,
    pub values: Vec<(Id, String)>,
}

#[derive(Clone)]
pub struct Struct {
    pub id: Id,
    /// In the order of their ordinals.
    pub fields: Vec<Field>,
}

#[derive(Clone)]
pub struct Field {
    pub id: Id,
    pub name: String,
    pub ty: Type,
    default: Option<i64>,
    pub home: Home,
}

/// What a field stands in.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Home {
    Top,
    Group(u8),
    Union(u8),
    /// A group that is a member of a union.
    Member(u8, u8),
}

#[derive(Clone, PartialEq)]
pub enum Type {
    Plain(&'static str),
    Enum(Id),
    Struct(Id),
    List(Box<Type>),
}

const PLAIN: &[&str] = &[
    "Void", "Bool", "Int8", "Int16", "Int32", "Int64", "UInt8", "UInt16", "UInt32", "UInt64", "Float32", "Float64",
    "Text", "Data", "Text", "Int32",
];

impl Schema {
    fn fresh(&mut self) -> Id {
        self.next += 1;
        self.next
    }

    fn ty(&self, dice: &mut Dice, depth: usize) -> Type {
        let enums: Vec<Id> = self.enums.iter().map(|of| of.id).collect();
        let structs: Vec<Id> = self.structs.iter().map(|of| of.id).collect();
        match dice.below(10) {
            0 => dice.pick(&enums).map_or(Type::Plain("Bool"), Type::Enum),
            1 | 2 => dice.pick(&structs).map_or(Type::Plain("Text"), Type::Struct),
            3 | 4 if depth < 2 => Type::List(Box::new(self.ty(dice, depth + 1))),
            _ => Type::Plain(dice.pick(PLAIN).unwrap_or("Int32")),
        }
    }

    fn home(dice: &mut Dice) -> Home {
        let (one, two) = (dice.below(2) as u8, dice.below(2) as u8);
        match dice.below(10) {
            0..=4 => Home::Top,
            5 => Home::Group(one),
            6..=8 => Home::Union(one),
            _ => Home::Member(one, two),
        }
    }

    fn field(&mut self, dice: &mut Dice) -> Field {
        let id = self.fresh();
        let ty = self.ty(dice, 0);
        let default = dice.percent(25).then(|| dice.below(100) as i64 + 1);
        Field { id, name: format!("f{id}"), ty, default, home: Self::home(dice) }
    }

    pub fn structure(&self, id: Id) -> Option<&Struct> {
        self.structs.iter().find(|of| of.id == id)
    }

    /// The name of some value of an enum.
    pub fn value_of(&self, id: Id, dice: &mut Dice) -> String {
        let of = self.enums.iter().find(|of| of.id == id).expect("types that are used are there");
        dice.pick(&of.values).map(|(_, name)| name).unwrap_or_default()
    }

    /// What a reader of the other schema experiences of a value of an enum.
    pub fn same_value(&self, reader: &Schema, id: Id, values: Pair<&Json>) -> Outcome {
        let named = |schema: &Schema, name: &Json| {
            let of = schema.enums.iter().find(|of| of.id == id)?;
            of.values.iter().find(|(_, own)| Some(&**own) == name.as_str()).map(|(id, _)| *id)
        };
        match (named(self, values.old), named(reader, values.new)) {
            (Some(wrote), Some(read)) if wrote == read => Outcome::Safe,
            // Numbers without a name are shown as numbers; values that were removed and added in one place look renamed.
            (Some(wrote), Some(read)) => {
                let is_there = |schema: &Schema, value: Id| {
                    schema.enums.iter().any(|of| of.id == id && of.values.iter().any(|(own, _)| *own == value))
                };
                if is_there(reader, wrote) || is_there(self, read) { Outcome::Wrong } else { Outcome::Safe }
            }
            _ => Outcome::Unrecognized,
        }
    }

    fn edit(&mut self, dice: &mut Dice) {
        if self.structs.is_empty() {
            return;
        }
        let at = dice.below(self.structs.len());
        let count = self.structs[at].fields.len();
        let nth = dice.below(count.max(1)).min(count.saturating_sub(1));
        match dice.below(12) {
            0..=2 => {
                let field = self.field(dice);
                self.structs[at].fields.push(field);
            }
            3 if count > 0 => self.structs[at].fields[nth].name = format!("r{}", self.fresh()),
            4 | 5 if count > 0 => self.structs[at].fields[nth].ty = self.ty(dice, 0),
            6 if count > 0 => self.structs[at].fields[nth].default = Some(dice.below(100) as i64),
            7 | 8 if count > 0 => self.structs[at].fields[nth].home = Self::home(dice),
            9 if count > 1 => {
                let other = dice.below(count);
                self.structs[at].fields.swap(nth, other);
            }
            10 => drop(self.structs[at].fields.pop()),
            _ => self.edit_enum(dice),
        }
    }

    fn edit_enum(&mut self, dice: &mut Dice) {
        let id = self.fresh();
        let Some(at) = (!self.enums.is_empty()).then(|| dice.below(self.enums.len())) else { return };
        let values = &mut self.enums[at].values;
        let nth = dice.below(values.len());
        match dice.below(4) {
            0 => values.push((id, format!("v{id}"))),
            1 => values.insert(nth, (id, format!("v{id}"))),
            2 => values[nth].1 = format!("w{id}"),
            _ => values.swap(nth, 0),
        }
    }
}

impl Type {
    pub fn print(&self) -> String {
        match self {
            Type::Plain(name) => (*name).to_owned(),
            Type::Enum(id) => format!("E{id}"),
            Type::Struct(id) => format!("S{id}"),
            Type::List(items) => format!("List({})", items.print()),
        }
    }

    fn uses(&self, id: Id) -> bool {
        match self {
            Type::Plain(_) => false,
            Type::Enum(own) | Type::Struct(own) => *own == id,
            Type::List(items) => items.uses(id),
        }
    }
}

impl Struct {
    /// Unions need two members; the fields of one with fewer stand outside.
    pub fn settled(&self, field: &Field) -> Home {
        let is_member = |union: u8, home: Home| matches!(home, Home::Union(own) | Home::Member(own, _) if own == union);
        let (Home::Union(union) | Home::Member(union, _)) = field.home else { return field.home };
        let mut members: Vec<String> = Vec::new();
        for other in self.fields.iter().filter(|other| is_member(union, other.home)) {
            let name = match other.home {
                Home::Member(_, group) => format!("group {group}"),
                _ => format!("field {}", other.id),
            };
            if !members.contains(&name) {
                members.push(name);
            }
        }
        if members.len() < 2 { Home::Top } else { field.home }
    }

    fn print(&self) -> String {
        let mut homes: BTreeMap<Home, String> = BTreeMap::new();
        for (ordinal, field) in self.fields.iter().enumerate() {
            let default = match (&field.ty, field.default) {
                (
                    Type::Plain("Int8" | "Int16" | "Int32" | "Int64" | "UInt8" | "UInt16" | "UInt32" | "UInt64"),
                    Some(number),
                ) => {
                    format!(" = {number}")
                }
                (Type::Plain("Float32" | "Float64"), Some(number)) => format!(" = {number}.5"),
                (Type::Plain("Bool"), Some(_)) => " = true".to_owned(),
                (Type::Plain("Text"), Some(number)) => format!(" = \"d{number}\""),
                _ => String::new(),
            };
            let line = format!("{} @{ordinal} :{}{default}; ", field.name, field.ty.print());
            homes.entry(self.settled(field)).or_default().push_str(&line);
        }
        let mut text = format!("struct S{} {{\n", self.id);
        for (home, lines) in &homes {
            match home {
                Home::Top => writeln!(text, "  {lines}"),
                Home::Group(nth) => writeln!(text, "  g{nth} :group {{ {lines}}}"),
                Home::Union(_) | Home::Member(..) => Ok(()),
            }
            .expect("texts can be written");
        }
        for union in 0..2u8 {
            let own = homes.get(&Home::Union(union)).cloned().unwrap_or_default();
            let groups: String = (0..2u8)
                .filter_map(|group| Some((group, homes.get(&Home::Member(union, group))?)))
                .map(|(group, lines)| format!("m{group} :group {{ {lines}}} "))
                .collect();
            if !own.is_empty() || !groups.is_empty() {
                // The first has no name.
                let head = if union == 0 { "union".to_owned() } else { format!("u{union} :union") };
                writeln!(text, "  {head} {{ {own}{groups}}}").expect("texts can be written");
            }
        }
        text + "}\n"
    }
}

impl Model for Schema {
    fn make(dice: &mut Dice) -> Self {
        let mut schema = Schema::default();
        for _ in 0..1 + dice.below(2) {
            let id = schema.fresh();
            let values = (0..1 + dice.below(4)).map(|_| schema.fresh()).map(|id| (id, format!("v{id}"))).collect();
            schema.enums.push(Enum { id, values });
        }
        for _ in 0..1 + dice.below(3) {
            let id = schema.fresh();
            schema.structs.push(Struct { id, fields: Vec::new() });
            for _ in 0..1 + dice.below(9) {
                let field = schema.field(dice);
                schema.structs.last_mut().expect("it was added").fields.push(field);
            }
        }
        schema
    }

    fn mutate(&self, dice: &mut Dice) -> Self {
        let mut schema = self.clone();
        for _ in 0..1 + dice.below(3) {
            schema.edit(dice);
        }
        schema
    }

    fn print(&self) -> BTreeMap<String, String> {
        if self.structs.is_empty() {
            return BTreeMap::new();
        }
        let mut text = "@0xd3a5e2f7c1b49086;\n".to_owned();
        for of in &self.enums {
            let values: String =
                of.values.iter().enumerate().map(|(number, (_, name))| format!(" {name} @{number};")).collect();
            writeln!(text, "enum E{} {{{values} }}", of.id).expect("texts can be written");
        }
        self.structs.iter().for_each(|of| text.push_str(&of.print()));
        BTreeMap::from([("a.capnp".to_owned(), text)])
    }

    fn elements(&self) -> Vec<Id> {
        let fields = self.structs.iter().flat_map(|of| of.fields.iter().map(|field| field.id));
        let values = self.enums.iter().flat_map(|of| of.values.iter().map(|(id, _)| *id));
        let types = self.structs.iter().map(|of| of.id).chain(self.enums.iter().map(|of| of.id));
        types.chain(fields).chain(values).collect()
    }

    fn without(&self, element: Id) -> Self {
        let mut schema = self.clone();
        schema.structs.retain(|of| of.id != element);
        schema.enums.retain(|of| of.id != element);
        for of in &mut schema.enums {
            of.values.retain(|(id, _)| *id != element);
        }
        let empty: Vec<Id> = schema.enums.iter().filter(|of| of.values.is_empty()).map(|of| of.id).collect();
        schema.enums.retain(|of| !of.values.is_empty());
        for of in &mut schema.structs {
            of.fields.retain(|field| {
                field.id != element && !field.ty.uses(element) && !empty.iter().any(|id| field.ty.uses(*id))
            });
        }
        schema
    }
}
