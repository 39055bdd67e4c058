//! Random programs, and random changes of them over the whole space of edits.

use super::schema::{
    Alias, BASES, Default, Dice, Enum, EnumValue, Field, Function, Id, Requiredness, Schema, Service, Sort, Struct,
    Type,
};

/// How deep containers hold containers.
const DEEP: usize = 2;

/// A random program.
pub fn schema(dice: &mut Dice) -> Schema {
    let mut schema = Schema::default();
    for _ in 0..1 + dice.below(2) {
        add_enum(&mut schema, dice);
    }
    add_struct(&mut schema, Sort::Struct, dice);
    for _ in 0..dice.below(3) {
        add_alias(&mut schema, dice);
    }
    for _ in 0..1 + dice.below(3) {
        add_struct(&mut schema, Sort::Struct, dice);
    }
    for sort in [Sort::Union, Sort::Exception, Sort::Exception] {
        if dice.percent(60) {
            add_struct(&mut schema, sort, dice);
        }
    }
    if dice.percent(70) {
        add_service(&mut schema, dice);
    }
    schema.settle();
    schema
}

fn add_enum(schema: &mut Schema, dice: &mut Dice) {
    let id = schema.fresh();
    let (is_far, is_counted) = (dice.percent(25), dice.percent(40));
    let mut number = dice.below(3) as i32;
    let mut values = Vec::new();
    for _ in 0..1 + dice.below(4) {
        let id = schema.fresh();
        values.push(EnumValue { id, name: format!("V{id}"), number });
        number += 1 + dice.below(2) as i32;
    }
    schema.enums.push(Enum { id, name: format!("E{id}"), is_far, is_counted, values });
}

fn add_alias(schema: &mut Schema, dice: &mut Dice) {
    let ty = ty(schema, dice, 0);
    let id = schema.fresh();
    schema.aliases.push(Alias { id, is_far: dice.percent(25), ty });
}

fn add_struct(schema: &mut Schema, sort: Sort, dice: &mut Dice) {
    let id = schema.fresh();
    let mut fields = Vec::new();
    for _ in 0..dice.below(5) + 1 {
        let number = last(&fields) + 1 + dice.below(2) as i16;
        fields.push(field(schema, number, dice));
    }
    let (is_far, is_counted) = (dice.percent(25), dice.percent(10));
    schema.structs.push(Struct { id, name: format!("S{id}"), is_far, sort, fields, is_counted });
}

fn last(fields: &[Field]) -> i16 {
    fields.iter().map(|field| field.number).max().unwrap_or(0)
}

fn add_service(schema: &mut Schema, dice: &mut Dice) {
    let id = schema.fresh();
    let mut functions = Vec::new();
    for _ in 0..1 + dice.below(3) {
        functions.push(function(schema, dice));
    }
    schema.services.push(Service { id, functions });
}

fn function(schema: &mut Schema, dice: &mut Dice) -> Function {
    let id = schema.fresh();
    let mut function = Function {
        id,
        name: format!("f{id}"),
        returns: dice.percent(60).then(|| ty(schema, dice, 0)),
        arguments: Vec::new(),
        throws: Vec::new(),
        is_oneway: dice.percent(10),
    };
    for _ in 0..dice.below(3) {
        let number = last(&function.arguments) + 1;
        function.arguments.push(field(schema, number, dice));
    }
    for _ in 0..dice.below(3) {
        let number = last(&function.throws) + 1;
        function.throws.extend(thrown(schema, number, dice));
    }
    function
}

fn thrown(schema: &mut Schema, number: i16, dice: &mut Dice) -> Option<Field> {
    let all: Vec<Id> = schema.structs.iter().filter(|one| one.sort == Sort::Exception).map(|one| one.id).collect();
    let ty = Type::Struct(dice.pick(&all)?);
    let id = schema.fresh();
    Some(Field { id, name: format!("x{id}"), number, ty, requiredness: Requiredness::Default, default: None })
}

fn field(schema: &mut Schema, number: i16, dice: &mut Dice) -> Field {
    let ty = ty(schema, dice, 0);
    let id = schema.fresh();
    let requiredness = [Requiredness::Required, Requiredness::Optional, Requiredness::Default][dice.below(3)];
    let default = dice.percent(25).then(|| default(schema, &ty, dice)).flatten();
    Field { id, name: format!("f{id}"), number, ty, requiredness, default }
}

fn default(schema: &Schema, ty: &Type, dice: &mut Dice) -> Option<Default> {
    Some(match schema.plain(ty) {
        Type::Base("bool") => Default::Bool(dice.percent(50)),
        Type::Base("double") => Default::Real([0.5, 100.0][dice.below(2)]),
        Type::Base("string") => Default::Text(["", "hi"][dice.below(2)]),
        Type::Base("binary") => return None,
        Type::Base(_) => Default::Int(dice.below(100) as i64),
        Type::Enum(id) => Default::Value(dice.pick(&schema.enumeration(id)?.values)?.id),
        _ => return None,
    })
}

fn ty(schema: &Schema, dice: &mut Dice, depth: usize) -> Type {
    let data: Vec<Id> = schema.structs.iter().filter(|one| one.sort != Sort::Exception).map(|one| one.id).collect();
    let aliases: Vec<Id> = schema.aliases.iter().map(|one| one.id).collect();
    let inner = |dice: &mut Dice| Box::new(ty(schema, dice, depth + 1));
    let named = match dice.below(20) {
        0..=2 => dice.pick(&schema.enums.iter().map(|one| one.id).collect::<Vec<_>>()).map(Type::Enum),
        3..=6 => dice.pick(&data).map(Type::Struct),
        7 | 8 => dice.pick(&aliases).map(Type::Alias),
        9 | 10 if depth < DEEP => Some(Type::List(inner(dice))),
        11 if depth < DEEP => Some(Type::Set(inner(dice))),
        12 | 13 if depth < DEEP => Some(Type::Map(inner(dice), inner(dice))),
        _ => None,
    };
    named.unwrap_or_else(|| Type::Base(BASES[dice.below(BASES.len())]))
}

/// A type near a type: with other items, in a container, out of it, one of the same kind, or another one altogether.
fn near(schema: &Schema, of: &Type, dice: &mut Dice) -> Type {
    let boxed = |ty: Type| Box::new(ty);
    match (dice.below(5), of) {
        (0, Type::List(items)) => Type::Set(items.clone()),
        (0, Type::Set(items)) => Type::List(items.clone()),
        (1, Type::List(items) | Type::Set(items)) => (**items).clone(),
        (2 | 3, Type::List(items)) => Type::List(boxed(near(schema, items, dice))),
        (2 | 3, Type::Set(items)) => Type::Set(boxed(near(schema, items, dice))),
        (0 | 2, Type::Map(key, value)) => Type::Map(boxed(near(schema, key, dice)), value.clone()),
        (1 | 3, Type::Map(key, value)) => Type::Map(key.clone(), boxed(near(schema, value, dice))),
        (0, Type::Base("string")) => Type::Base("binary"),
        (0, Type::Base("binary")) => Type::Base("string"),
        (0, Type::Base("i32")) => {
            let enums: Vec<Id> = schema.enums.iter().map(|one| one.id).collect();
            dice.pick(&enums).map_or_else(|| of.clone(), Type::Enum)
        }
        (0, Type::Enum(_)) => Type::Base("i32"),
        (1, plain) => Type::List(boxed(plain.clone())),
        (2 | 3, Type::Struct(_)) => {
            let all: Vec<Id> =
                schema.structs.iter().filter(|one| one.sort != Sort::Exception).map(|one| one.id).collect();
            dice.pick(&all).map_or_else(|| of.clone(), Type::Struct)
        }
        (2 | 3, Type::Base(_)) => Type::Base(BASES[dice.below(BASES.len())]),
        _ => ty(schema, dice, 0),
    }
}

/// The program after one to three random changes.
pub fn mutate(old: &Schema, dice: &mut Dice) -> Schema {
    let mut new = old.clone();
    // What only the new side has must not have a number of the old one.
    new.next += 1000;
    for _ in 0..if dice.percent(70) { 1 } else { 2 + dice.below(2) } {
        match dice.below(10) {
            0..=4 => change_struct(&mut new, dice),
            5 => change_enum(&mut new, dice),
            6 => change_alias(&mut new, dice),
            7 | 8 if !new.services.is_empty() => change_service(&mut new, dice),
            _ => change_declarations(&mut new, dice),
        }
    }
    new.settle();
    new
}

fn change_struct(schema: &mut Schema, dice: &mut Dice) {
    let at = dice.below(schema.structs.len());
    let Some(mut fields) = schema.structs.get(at).map(|one| one.fields.clone()) else { return };
    change_fields(schema, &mut fields, dice);
    schema.structs[at].fields = fields;
}

fn change_fields(schema: &mut Schema, fields: &mut Vec<Field>, dice: &mut Dice) {
    let count = fields.len();
    let number = [last(fields) + 1, last(fields) + 3, 1 + dice.below(6) as i16][dice.below(3)];
    let added = field(schema, number, dice);
    if count == 0 {
        return fields.push(added);
    }
    let (one, other) = (dice.below(count), dice.below(count));
    match dice.below(16) {
        0 | 1 => fields.push(added),
        2 => fields.insert(one, added),
        3 => drop(fields.remove(one)),
        4 => {
            let (left, right) = (fields[one].number, fields[other].number);
            (fields[one].number, fields[other].number) = (right, left);
        }
        5 => fields[one].number = number,
        6 => fields[one].name.push_str("_x"),
        7 => {
            // Another field at the same id.
            let number = fields[one].number;
            fields[one] = Field { number, ..added };
        }
        8..=11 => fields[one].ty = near(schema, &fields[one].ty.clone(), dice),
        12 | 13 => {
            fields[one].requiredness =
                [Requiredness::Required, Requiredness::Optional, Requiredness::Default][dice.below(3)];
        }
        14 => fields[one].default = default(schema, &fields[one].ty, dice),
        _ => fields[one].default = None,
    }
}

fn change_enum(schema: &mut Schema, dice: &mut Dice) {
    let at = dice.below(schema.enums.len());
    let fresh = schema.fresh();
    let Some(one) = schema.enums.get_mut(at).filter(|one| !one.values.is_empty()) else { return };
    let (count, last) = (one.values.len(), one.values.iter().map(|value| value.number).max().unwrap_or(0));
    let (value, other) = (dice.below(count), dice.below(count));
    let added = EnumValue { id: fresh, name: format!("V{fresh}"), number: last + 1 };
    match dice.below(7) {
        0 => one.values.push(added),
        1 => one.values.insert(value, added),
        2 => drop(one.values.remove(value)),
        3 => one.values[value].name.push_str("_x"),
        4 => {
            let (left, right) = (one.values[value].name.clone(), one.values[other].name.clone());
            (one.values[value].name, one.values[other].name) = (right, left);
        }
        5 => one.values[value].number = last + 1 + dice.below(2) as i32,
        _ => one.is_counted ^= true,
    }
}

fn change_alias(schema: &mut Schema, dice: &mut Dice) {
    let at = dice.below(schema.aliases.len());
    let Some(ty) = schema.aliases.get(at).map(|one| one.ty.clone()) else { return change_declarations(schema, dice) };
    // What it leads to was there before it.
    let mut before = schema.clone();
    before.aliases.truncate(at);
    schema.aliases[at].ty = near(&before, &ty, dice);
}

fn change_service(schema: &mut Schema, dice: &mut Dice) {
    let at = dice.below(schema.services.len());
    let added = function(schema, dice);
    let functions = schema.services[at].functions.clone();
    let which = dice.below(functions.len());
    let Some(mut one) = functions.get(which).cloned() else { return };
    match dice.below(12) {
        0 => schema.services[at].functions.push(added),
        1 => drop(schema.services[at].functions.remove(which)),
        2 => schema.services[at].functions[which].name.push_str("_x"),
        3 => schema.services[at].functions[which].is_oneway ^= true,
        4 | 5 => {
            one.returns = match one.returns {
                Some(ty) if dice.percent(70) => Some(near(schema, &ty, dice)),
                Some(_) => None,
                None => added.returns,
            };
            schema.services[at].functions[which] = one;
        }
        6 | 7 => {
            change_fields(schema, &mut one.arguments, dice);
            schema.services[at].functions[which] = one;
        }
        _ => {
            let number = last(&one.throws) + 1;
            let other = thrown(schema, number, dice);
            let count = one.throws.len();
            match dice.below(4) {
                0 | 1 => one.throws.extend(other),
                2 if count > 0 => drop(one.throws.remove(dice.below(count))),
                _ if count > 0 => {
                    let thrown = dice.below(count);
                    if let Some(other) = other {
                        one.throws[thrown].ty = other.ty;
                    }
                }
                _ => {}
            }
            schema.services[at].functions[which] = one;
        }
    }
}

fn change_declarations(schema: &mut Schema, dice: &mut Dice) {
    let (structs, enums) = (schema.structs.len(), schema.enums.len());
    let one = dice.below(structs);
    if structs == 0 || enums == 0 {
        return add_struct(schema, Sort::Struct, dice);
    }
    match dice.below(9) {
        0 => add_struct(schema, Sort::Struct, dice),
        1 => add_enum(schema, dice),
        2 => drop(schema.structs.remove(one)),
        3 => schema.structs[one].name.push_str("_x"),
        4 => schema.enums[dice.below(enums)].name.push_str("_x"),
        5 => schema.structs[one].is_far ^= true,
        6 => {
            schema.structs[one].sort = [Sort::Struct, Sort::Union, Sort::Exception][dice.below(3)];
        }
        7 => schema.structs[one].is_counted ^= true,
        _ => schema.structs[one].fields.reverse(),
    }
}
