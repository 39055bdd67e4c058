//! Random schemas.

use std::collections::{BTreeMap, BTreeSet};

use super::schema::{
    Dice, Enum, EnumValue, Extend, Field, File, Id, KEYS, KNOWN, Message, Method, OPTIONS, Oneof, Presence, SCALARS,
    Schema, Service, Shape, Syntax, Type, is_option,
};

const NAMES: &[&str] = &[
    "alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa", "lambda", "mu", "nu", "xi",
    "omicron", "pi", "rho", "sigma", "tau", "upsilon",
];

pub const SYNTAXES: &[Syntax] =
    &[Syntax::Proto2, Syntax::Proto2, Syntax::Proto3, Syntax::Proto3, Syntax::Edition2023, Syntax::Edition2024];

/// A schema of one or two files.
pub fn schema(dice: &mut Dice) -> Schema {
    let mut schema = Schema::default();
    let syntax = dice.pick(SYNTAXES).unwrap_or(Syntax::Proto3);
    let package = dice.pick(&["shop.v1", "shop.v1", ""]).unwrap_or_default();
    for path in ["main.proto", "other.proto"] {
        let features = features(syntax, dice);
        schema.files.push(file(path, syntax, package, features));
    }
    let declared = 1 + dice.below(4);
    for _ in 0..declared {
        let message = message(&mut schema, dice, 0);
        schema.files[0].messages.push(message);
    }
    for _ in 0..dice.below(3) {
        let one = enumeration(&mut schema, dice);
        let at = usize::from(dice.percent(30));
        schema.files[at].enums.push(one);
    }
    fill(&mut schema, dice);
    if dice.percent(10) {
        hold_any(&mut schema, dice);
    }
    if dice.percent(30) {
        let service = service(&mut schema, dice);
        schema.files[0].services.push(service);
    }
    schema.settle();
    schema
}

fn file(path: &str, syntax: Syntax, package: &str, features: BTreeMap<&'static str, &'static str>) -> File {
    File {
        path: path.to_owned(),
        syntax,
        package: package.to_owned(),
        features,
        messages: Vec::new(),
        enums: Vec::new(),
        extends: Vec::new(),
        services: Vec::new(),
    }
}

/// The features that a file may set, with their values.
pub const FEATURES: &[(&str, [&str; 2])] = &[
    ("field_presence", ["IMPLICIT", "EXPLICIT"]),
    ("enum_type", ["CLOSED", "OPEN"]),
    ("repeated_field_encoding", ["EXPANDED", "PACKED"]),
    ("utf8_validation", ["NONE", "VERIFY"]),
    ("message_encoding", ["DELIMITED", "LENGTH_PREFIXED"]),
];

fn features(syntax: Syntax, dice: &mut Dice) -> BTreeMap<&'static str, &'static str> {
    let wanted = FEATURES.iter().filter(|_| syntax.is_edition() && dice.percent(15));
    wanted.map(|(feature, values)| (*feature, values[0])).collect()
}

/// A message without fields.
pub fn message(schema: &mut Schema, dice: &mut Dice, depth: usize) -> Message {
    let id = schema.id();
    let mut message = Message {
        id,
        name: format!("M{id}"),
        fields: Vec::new(),
        oneofs: Vec::new(),
        messages: Vec::new(),
        enums: Vec::new(),
        reserved_numbers: BTreeSet::new(),
        reserved_names: BTreeSet::new(),
        is_extensible: dice.percent(20),
    };
    for _ in 0..dice.below(3) {
        let id = schema.id();
        message.oneofs.push(Oneof { id, name: format!("o{id}") });
    }
    if depth < 2 && dice.percent(30) {
        let inner = self::message(schema, dice, depth + 1);
        message.messages.push(inner);
    }
    if dice.percent(25) {
        let one = enumeration(schema, dice);
        message.enums.push(one);
    }
    for _ in 0..dice.below(3) {
        message.reserved_numbers.insert(1 + dice.below(20) as i32);
    }
    if dice.percent(15) {
        message.reserved_names.extend(dice.pick(NAMES).map(str::to_owned));
    }
    message
}

pub fn enumeration(schema: &mut Schema, dice: &mut Dice) -> Enum {
    let id = schema.id();
    let mut values = Vec::new();
    let count = 1 + dice.below(5);
    let mut number = if dice.percent(80) { 0 } else { dice.below(4) as i32 - 1 };
    for _ in 0..count {
        values.push(enum_value(schema, id, number));
        if !dice.percent(10) {
            number += 1 + i32::from(dice.percent(10));
        }
    }
    let mut reserved = BTreeSet::new();
    if dice.percent(20) {
        reserved.insert(dice.below(8) as i32);
    }
    let is_closed = if dice.percent(25) { Some(dice.percent(50)) } else { None };
    Enum { id, name: format!("E{id}"), values, reserved, reserved_names: BTreeSet::new(), is_closed }
}

pub fn enum_value(schema: &mut Schema, of: Id, number: i32) -> EnumValue {
    let id = schema.id();
    EnumValue { id, name: format!("E{of}_V{id}"), number }
}

fn fill(schema: &mut Schema, dice: &mut Dice) {
    for id in schema.message_ids() {
        let count = dice.below(6);
        for _ in 0..count {
            add_field(schema, id, dice);
        }
    }
    for extendee in schema.message_ids() {
        if dice.percent(25) {
            add_extension(schema, extendee, dice);
        }
    }
    for (option, _) in OPTIONS {
        if dice.percent(8) {
            add_extension(schema, *option, dice);
        }
    }
}

/// Puts a field into a message that holds any other by its name.
fn hold_any(schema: &mut Schema, dice: &mut Dice) {
    let mut field = field(schema, None, dice);
    (field.ty, field.presence) = (Type::Known("Any"), Presence::Plain);
    if let Some(message) = dice.pick(&schema.message_ids()).and_then(|id| schema.message(id)) {
        message.fields.push(field);
    }
}

/// Adds a field of any kind to a message.
pub fn add_field(schema: &mut Schema, to: Id, dice: &mut Dice) {
    let field = field(schema, Some(to), dice);
    if let Some(message) = schema.message(to) {
        message.fields.push(field);
    }
}

/// Adds an extension of a message.
pub fn add_extension(schema: &mut Schema, extendee: Id, dice: &mut Dice) {
    let mut field = field(schema, None, dice);
    field.name = format!("extension{}", field.id);
    field.number += if is_option(extendee) { 50_000 } else { 100 };
    if let Some(message) = schema.message(extendee) {
        message.is_extensible = true;
    }
    let at = schema.names().get(&extendee).map_or(0, |named| named.file);
    schema.files[at].extends.push(Extend { extendee, field });
}

fn field(schema: &mut Schema, of: Option<Id>, dice: &mut Dice) -> Field {
    let id = schema.id();
    let shape = shape(dice);
    let presence = [Presence::Plain, Presence::Plain, Presence::Explicit, Presence::Implicit, Presence::Required];
    let maybe = |dice: &mut Dice| if dice.percent(15) { Some(dice.percent(50)) } else { None };
    let mut field = Field {
        id,
        name: dice.pick(NAMES).unwrap_or("alpha").to_owned(),
        number: 1 + dice.below(20) as i32,
        ty: any_type(schema, dice),
        shape,
        presence: dice.pick(&presence).unwrap_or(Presence::Plain),
        oneof: None,
        default: dice.percent(15).then(|| dice.below(100) as i64),
        json_name: dice.percent(8).then(|| format!("custom{}", dice.below(3))),
        packed: maybe(dice),
        utf8: maybe(dice),
        delimited: maybe(dice),
        is_group: false,
        deprecated: dice.percent(5),
    };
    let home = of.and_then(|of| schema.message(of).cloned());
    if let Some(home) = home {
        let oneofs: Vec<Id> = home.oneofs.iter().map(|oneof| oneof.id).collect();
        field.oneof = dice.pick(&oneofs).filter(|_| dice.percent(50));
        if let Some(group) = dice.pick(&home.messages).filter(|_| dice.percent(20)) {
            field.ty = Type::Named(group.id);
            field.is_group = true;
            field.name = group.name.to_lowercase();
        }
        let holds_itself = field.ty == Type::Named(home.id);
        if field.presence == Presence::Required && (holds_itself || dice.percent(50)) {
            field.presence = Presence::Plain;
        }
    }
    field
}

pub fn shape(dice: &mut Dice) -> Shape {
    match dice.below(10) {
        0..=5 => Shape::Singular,
        6..=8 => Shape::Repeated,
        _ => Shape::Map(dice.pick(KEYS).unwrap_or("string")),
    }
}

pub fn any_type(schema: &Schema, dice: &mut Dice) -> Type {
    match dice.below(20) {
        0..=8 => Type::Scalar(dice.pick(SCALARS).unwrap_or("int32")),
        9 | 10 => Type::Known(dice.pick(KNOWN).map_or("Empty", |(name, _)| name)),
        11..=14 => dice.pick(&schema.enum_ids()).map_or(Type::Scalar("string"), Type::Named),
        _ => dice.pick(&schema.message_ids()).map_or(Type::Scalar("bytes"), Type::Named),
    }
}

fn service(schema: &mut Schema, dice: &mut Dice) -> Service {
    let id = schema.id();
    let count = 1 + dice.below(3);
    let methods = (0..count).filter_map(|_| method(schema, dice)).collect();
    Service { id, name: format!("S{id}"), methods }
}

pub fn method(schema: &mut Schema, dice: &mut Dice) -> Option<Method> {
    let messages = schema.message_ids();
    let (input, output) = (dice.pick(&messages)?, dice.pick(&messages)?);
    let id = schema.id();
    Some(Method { id, name: format!("Call{id}"), input, output, streams: (dice.percent(20), dice.percent(20)) })
}
