//! Random schemas.

use super::schema::{Field, Home, Kind, Method, Node, Part, Schema, Signature, Type, Value};
use crate::peers::{Dice, Id};

const PLAIN: &[&str] = &[
    "Void",
    "Bool",
    "Int8",
    "Int16",
    "Int32",
    "Int64",
    "UInt8",
    "UInt16",
    "UInt32",
    "UInt64",
    "Float32",
    "Float64",
    "Text",
    "Data",
    "Text",
    "Int32",
    "Bool",
    "AnyPointer",
    "AnyStruct",
    "AnyList",
    "Capability",
];
const NUMBERS: &[&str] =
    &["Bool", "Int8", "Int16", "Int32", "Int64", "UInt8", "UInt16", "UInt32", "UInt64", "Float32", "Float64", "Void"];

pub fn schema(dice: &mut Dice) -> Schema {
    let mut schema = Schema::default();
    for _ in 0..1 + dice.below(2) {
        add_enum(&mut schema, dice);
    }
    if dice.percent(40) {
        add_constant(&mut schema, dice);
    }
    let count = 2 + dice.below(3);
    let ids: Vec<Id> = (0..count).map(|_| node(&mut schema, dice, "S", Kind::Struct(Vec::new()))).collect();
    for id in ids {
        let most = if dice.percent(20) { 14 } else { 7 };
        for _ in 0..1 + dice.below(most) {
            let field = field(&mut schema, dice);
            fields(&mut schema, id).push(field);
        }
    }
    for _ in 0..dice.below(3) {
        add_interface(&mut schema, dice);
    }
    schema.settle();
    schema
}

/// The fields of a struct, which is there.
pub fn fields(schema: &mut Schema, id: Id) -> &mut Vec<Field> {
    match schema.nodes.iter_mut().find(|node| node.id == id).map(|node| &mut node.kind) {
        Some(Kind::Struct(fields)) => fields,
        _ => panic!("{id} is a struct"),
    }
}

fn node(schema: &mut Schema, dice: &mut Dice, letter: &str, kind: Kind) -> Id {
    let id = schema.fresh();
    let parents = schema.structs();
    let parent = if dice.percent(25) { dice.pick(&parents) } else { None };
    let is_struct = matches!(kind, Kind::Struct(_));
    let number = dice.percent(30).then(|| number(id));
    let is_generic = is_struct && dice.percent(25);
    let file = usize::from(dice.percent(25));
    let name = format!("{letter}{id}");
    schema.nodes.push(Node { id, name, file, parent, number, is_generic, note: None, kind });
    id
}

/// An id as people write them.
pub fn number(id: Id) -> u64 {
    0xb000_0000_0000_0000 | u64::from(id) << 20
}

pub fn add_enum(schema: &mut Schema, dice: &mut Dice) -> Id {
    let count = 1 + dice.below(4);
    let values = (0..count).map(|_| value(schema)).collect();
    node(schema, dice, "E", Kind::Enum(values))
}

pub fn value(schema: &mut Schema) -> Value {
    let id = schema.fresh();
    Value { id, name: format!("v{id}"), note: None }
}

pub fn add_constant(schema: &mut Schema, dice: &mut Dice) {
    let id = node(schema, dice, "c", Kind::Constant(dice.clone().below(90) as i64 + 5));
    if let Some(node) = schema.nodes.iter_mut().find(|node| node.id == id) {
        (node.parent, node.number) = (None, None);
    }
}

pub fn add_struct(schema: &mut Schema, dice: &mut Dice) -> Id {
    let id = node(schema, dice, "S", Kind::Struct(Vec::new()));
    for _ in 0..1 + dice.below(3) {
        let field = field(schema, dice);
        fields(schema, id).push(field);
    }
    id
}

pub fn add_interface(schema: &mut Schema, dice: &mut Dice) -> Id {
    let above = schema.all(|kind| matches!(kind, Kind::Interface(..)));
    let mut extends: Vec<Id> = if dice.percent(60) { dice.pick(&above).into_iter().collect() } else { Vec::new() };
    if dice.percent(20) {
        extends.extend(dice.pick(&above));
    }
    extends.sort_unstable();
    extends.dedup();
    let methods = (0..1 + dice.below(3)).map(|_| method(schema, dice)).collect();
    node(schema, dice, "I", Kind::Interface(extends, methods))
}

pub fn method(schema: &mut Schema, dice: &mut Dice) -> Method {
    let id = schema.fresh();
    let takes = signature(schema, dice);
    let gives = if dice.percent(15) { Signature::Stream } else { signature(schema, dice) };
    Method { id, name: format!("m{id}"), is_generic: dice.percent(20), takes, gives }
}

pub fn signature(schema: &mut Schema, dice: &mut Dice) -> Signature {
    let structs = schema.structs();
    match dice.percent(30).then(|| dice.pick(&structs)).flatten() {
        Some(id) => Signature::Named(id),
        None => Signature::Fields((0..dice.below(4)).map(|_| argument(schema, dice)).collect()),
    }
}

/// A field that stands in nothing.
pub fn argument(schema: &mut Schema, dice: &mut Dice) -> Field {
    let mut field = field(schema, dice);
    field.home = Vec::new();
    if field.ty == Type::Tag {
        field.ty = Type::Plain("Int32");
    }
    field
}

pub fn field(schema: &mut Schema, dice: &mut Dice) -> Field {
    let id = schema.fresh();
    let home = home(dice);
    let ty = match home.last() {
        Some(Part::Union(_)) if dice.percent(4) => Type::Tag,
        _ => ty(schema, dice, 0),
    };
    let default = dice.percent(25).then(|| dice.below(100) as i64 + 1);
    Field { id, name: format!("f{id}"), ty, default, home, note: dice.percent(5).then_some(1) }
}

pub fn home(dice: &mut Dice) -> Home {
    let (one, two, three) = (dice.below(2) as u8, dice.below(2) as u8, dice.below(2) as u8);
    match dice.below(20) {
        0..=9 => Vec::new(),
        10 | 11 => vec![Part::Group(one)],
        12..=15 => vec![Part::Union(one)],
        16 | 17 => vec![Part::Union(one), Part::Group(two)],
        18 => vec![Part::Group(one), Part::Union(two)],
        _ if one == 0 => vec![Part::Union(two), Part::Union(2 + three)],
        _ => vec![Part::Union(one), Part::Group(two), Part::Union(three)],
    }
}

pub fn ty(schema: &Schema, dice: &mut Dice, depth: usize) -> Type {
    let enums = schema.all(|kind| matches!(kind, Kind::Enum(_)));
    let interfaces = schema.all(|kind| matches!(kind, Kind::Interface(..)));
    match dice.below(20) {
        0 | 1 => dice.pick(&enums).map_or(Type::Plain("Bool"), Type::Enum),
        2..=4 => structure(schema, dice, depth),
        5..=7 if depth < 2 => Type::List(Box::new(ty(schema, dice, depth + 1))),
        8 => dice.pick(&interfaces).map_or(Type::Plain("Data"), Type::Interface),
        9 => Type::Parameter,
        _ if depth > 0 => Type::Plain(dice.pick(&PLAIN[..17]).unwrap_or("Int32")),
        _ => Type::Plain(dice.pick(PLAIN).unwrap_or("Int32")),
    }
}

pub fn structure(schema: &Schema, dice: &mut Dice, depth: usize) -> Type {
    let Some(id) = dice.pick(&schema.structs()) else { return Type::Plain("Text") };
    let is_generic = schema.generic_around(id).is_some();
    let bound = (is_generic && dice.percent(75)).then(|| Box::new(pointer(schema, dice, depth + 1)));
    Type::Struct(id, bound)
}

/// A type that another may take.
pub fn pointer(schema: &Schema, dice: &mut Dice, depth: usize) -> Type {
    match dice.below(8) {
        0..=2 => Type::Plain("Text"),
        3 => Type::Plain("Data"),
        4 | 5 if depth < 3 => Type::List(Box::new(Type::Plain(dice.pick(NUMBERS).unwrap_or("Int32")))),
        6 if depth < 3 => structure(schema, dice, depth),
        _ => Type::Plain("AnyPointer"),
    }
}

/// A type near a type: its list, its items, the next size, the struct around it, or another one altogether.
pub fn near(schema: &mut Schema, old: &Type, dice: &mut Dice) -> (&'static str, Type) {
    let numbers = |dice: &mut Dice| Type::Plain(dice.pick(NUMBERS).unwrap_or("Int32"));
    let enums = schema.all(|kind| matches!(kind, Kind::Enum(_)));
    match (dice.below(6), old) {
        (0, Type::List(items)) => ("a list became its items", (**items).clone()),
        (0, other) if *other != Type::Parameter => ("a type became a list of it", Type::List(Box::new(other.clone()))),
        (1 | 2, Type::List(items)) => {
            let (what, inner) = near_items(schema, items, dice);
            (what, Type::List(Box::new(inner)))
        }
        (1, Type::Enum(_)) => ("an enum became a number", Type::Plain("UInt16")),
        (2, Type::Enum(_)) => ("an enum became another", dice.pick(&enums).map_or(numbers(dice), Type::Enum)),
        (1, Type::Plain("UInt16" | "Int16")) => {
            ("a number became an enum", dice.pick(&enums).map_or(numbers(dice), Type::Enum))
        }
        (1..=3, Type::Plain(name)) if NUMBERS.contains(name) => ("a number became another", numbers(dice)),
        (1, Type::Plain("Text")) => ("text became data", Type::Plain("Data")),
        (1, Type::Plain("Data")) => match dice.percent(50) {
            true => ("data became text", Type::Plain("Text")),
            false => ("data became a list of bytes", Type::List(Box::new(Type::Plain("UInt8")))),
        },
        (1, Type::Struct(..)) => ("a struct became another", structure(schema, dice, 0)),
        (2, Type::Struct(id, Some(_))) => {
            let bound = dice.percent(70).then(|| Box::new(pointer(schema, dice, 1)));
            ("a generic type was given another", Type::Struct(*id, bound))
        }
        (2, Type::Plain("Text" | "Data") | Type::Struct(..)) => {
            let any = ["AnyPointer", "AnyPointer", "AnyList", "AnyStruct"][dice.below(4)];
            ("a pointer became one to anything", Type::Plain(any))
        }
        (3, Type::Plain("AnyPointer" | "AnyStruct" | "AnyList")) => {
            ("a pointer to anything became another", pointer(schema, dice, 0))
        }
        _ => ("a type was replaced", ty(schema, dice, 0)),
    }
}

/// The items of a list after a change; often a struct that begins with what they were.
fn near_items(schema: &mut Schema, items: &Type, dice: &mut Dice) -> (&'static str, Type) {
    match items {
        Type::Struct(id, _) if dice.percent(40) => {
            let first = schema.fields(*id).and_then(|fields| fields.first());
            match first.map(|field| field.ty.clone()).filter(|ty| !matches!(ty, Type::Tag | Type::Parameter)) {
                Some(first) => ("the structs of a list became their first field", first),
                None => ("the items of a list were replaced", ty(schema, dice, 1)),
            }
        }
        Type::Struct(..) => ("the items of a list were replaced", ty(schema, dice, 1)),
        other if dice.percent(60) && *other != Type::Parameter => {
            let id = schema.fresh();
            let first = Field {
                id: schema.fresh(),
                name: format!("f{}", schema.next),
                ty: other.clone(),
                default: None,
                home: Vec::new(),
                note: None,
            };
            let mut all = vec![first];
            all.extend(dice.percent(50).then(|| argument(schema, dice)));
            let name = format!("S{id}");
            let kind = Kind::Struct(all);
            schema.nodes.push(Node {
                id,
                name,
                file: 0,
                parent: None,
                number: None,
                is_generic: false,
                note: None,
                kind,
            });
            ("the items of a list became structs that begin with them", Type::Struct(id, None))
        }
        _ => ("the items of a list became near ones", near(schema, items, dice).1),
    }
}
