//! Random schemas, and random changes of them over the whole space of edits.

use super::schema::{
    Dice, Enum, EnumValue, Field, Id, Member, SCALARS, Schema, Struct, Table, Type, UNDERLYING, Union,
};

/// A random schema.
pub fn schema(dice: &mut Dice) -> Schema {
    let mut schema = Schema::default();
    for _ in 0..1 + dice.below(2) {
        add_enum(&mut schema, dice);
    }
    for _ in 0..1 + dice.below(3) {
        add_struct(&mut schema, dice);
    }
    for _ in 0..1 + dice.below(3) {
        add_table(&mut schema, dice);
    }
    for _ in 0..1 + dice.below(2) {
        add_union(&mut schema, dice);
    }
    for _ in 0..1 + dice.below(2) {
        add_table(&mut schema, dice);
    }
    let tables: Vec<Id> = schema.tables.iter().map(|one| one.id).collect();
    for _ in 0..dice.below(3) {
        schema.roots.extend(dice.pick(&tables));
    }
    schema.settle();
    schema
}

fn add_enum(schema: &mut Schema, dice: &mut Dice) -> Id {
    let id = schema.fresh();
    let is_bit_flags = dice.percent(30);
    let underlying = UNDERLYING[if is_bit_flags { 1 } else { dice.below(UNDERLYING.len()) }];
    let mut number = dice.below(3) as u64 / 2;
    let mut values = Vec::new();
    for _ in 0..1 + dice.below(4) {
        let id = schema.fresh();
        values.push(EnumValue { id, name: format!("V{id}"), number });
        number += 1 + dice.below(2) as u64 * dice.below(2) as u64;
    }
    schema.enums.push(Enum { id, underlying, is_bit_flags, values });
    id
}

fn add_struct(schema: &mut Schema, dice: &mut Dice) -> Id {
    let id = schema.fresh();
    let count = 1 + dice.below(4);
    // Several fields of one type are what goes wrong without a word.
    let favourite = inline(schema, dice, id);
    let mut fields = Vec::new();
    for _ in 0..count {
        let ty = if dice.percent(45) { favourite.clone() } else { inline(schema, dice, id) };
        let id = schema.fresh();
        fields.push(Field::of(id, format!("s{id}"), ty));
    }
    let force_align = dice.percent(12).then(|| 1 << dice.below(5));
    schema.structs.push(Struct { id, fields, force_align });
    id
}

/// A type that may stand in a struct.
fn inline(schema: &Schema, dice: &mut Dice, within: Id) -> Type {
    let enums: Vec<Id> = schema.enums.iter().filter(|one| with_zero(one)).map(|one| one.id).collect();
    let structs: Vec<Id> = schema.structs.iter().map(|one| one.id).filter(|id| *id < within).collect();
    let plain = match dice.below(10) {
        0 | 1 => dice.pick(&enums).map(Type::Enum),
        2 | 3 => dice.pick(&structs).map(Type::Struct),
        _ => None,
    };
    let plain = plain.unwrap_or_else(|| Type::Scalar(SCALARS[dice.below(SCALARS.len())]));
    if dice.percent(18) { Type::Array(Box::new(plain), 1 + dice.below(4)) } else { plain }
}

fn with_zero(one: &Enum) -> bool {
    one.is_bit_flags || one.values.iter().any(|value| value.number == 0)
}

/// A type that may stand in a table.
fn referred(schema: &Schema, dice: &mut Dice) -> Type {
    let pick = |dice: &mut Dice, ids: Vec<Id>| dice.pick(&ids);
    let plain = match dice.below(14) {
        0 | 1 => pick(dice, schema.enums.iter().map(|one| one.id).collect()).map(Type::Enum),
        2..=4 => pick(dice, schema.structs.iter().map(|one| one.id).collect()).map(Type::Struct),
        5 | 6 => pick(dice, schema.tables.iter().map(|one| one.id).collect()).map(Type::Table),
        7 | 8 => pick(dice, schema.unions.iter().map(|one| one.id).collect()).map(Type::Union),
        9 | 10 => Some(Type::Text),
        _ => None,
    };
    let plain = plain.unwrap_or_else(|| Type::Scalar(SCALARS[dice.below(SCALARS.len())]));
    if dice.percent(30) { Type::Vector(Box::new(plain)) } else { plain }
}

fn field(schema: &mut Schema, dice: &mut Dice) -> Field {
    let ty = referred(schema, dice);
    let id = schema.fresh();
    let mut field = Field::of(id, format!("f{id}"), ty);
    decorate(schema, &mut field, dice);
    field
}

fn decorate(schema: &Schema, field: &mut Field, dice: &mut Dice) {
    field.default = dice.percent(25).then(|| default(schema, &field.ty, dice));
    field.is_required = dice.percent(12) && !matches!(field.ty, Type::Scalar(_) | Type::Enum(_));
    field.is_key = dice.percent(15) && matches!(field.ty, Type::Scalar(_) | Type::Text);
    let tables: Vec<Id> = schema.tables.iter().map(|one| one.id).collect();
    if dice.percent(3) && !tables.is_empty() {
        field.ty = Type::Vector(Box::new(Type::Scalar("ubyte")));
        field.nested = dice.percent(70).then(|| dice.pick(&tables)).flatten();
    }
}

fn default(schema: &Schema, ty: &Type, dice: &mut Dice) -> String {
    match ty {
        _ if dice.percent(30) => "null".to_owned(),
        Type::Text => ["\"\"", "\"hi\""][dice.below(2)].to_owned(),
        Type::Scalar("bool") => ["true", "false"][dice.below(2)].to_owned(),
        Type::Enum(id) => {
            let values = schema.enumeration(*id).map(|one| one.values.clone()).unwrap_or_default();
            dice.pick(&values).map(|value| value.name).unwrap_or_default()
        }
        _ => dice.below(100).to_string(),
    }
}

fn add_table(schema: &mut Schema, dice: &mut Dice) -> Id {
    let id = schema.fresh();
    let mut fields = Vec::new();
    for _ in 0..1 + dice.below(5) {
        fields.push(field(schema, dice));
    }
    let has_ids = dice.percent(20);
    schema.tables.push(Table { id, fields, has_ids });
    id
}

fn add_union(schema: &mut Schema, dice: &mut Dice) -> Id {
    let id = schema.fresh();
    let mut members = Vec::new();
    for _ in 0..1 + dice.below(3) {
        members.extend(member(schema, dice));
    }
    schema.unions.push(Union { id, members });
    id
}

fn member(schema: &mut Schema, dice: &mut Dice) -> Option<Member> {
    let tables: Vec<Id> = schema.tables.iter().map(|one| one.id).collect();
    let structs: Vec<Id> = schema.structs.iter().map(|one| one.id).collect();
    let ty = match dice.below(10) {
        0 => Some(Type::Text),
        1 | 2 => dice.pick(&structs).map(Type::Struct),
        _ => dice.pick(&tables).map(Type::Table),
    };
    let id = schema.fresh();
    Some(Member { id, name: format!("M{id}"), ty: ty? })
}

/// The schema after one to three random changes.
pub fn mutate(old: &Schema, dice: &mut Dice) -> Schema {
    let mut new = old.clone();
    // What only the new side has must not have a number of the old one.
    new.next += 1000;
    for _ in 0..if dice.percent(70) { 1 } else { 2 + dice.below(2) } {
        match dice.below(10) {
            0..=3 => change_table(&mut new, dice),
            4..=6 => change_struct(&mut new, dice),
            7 => change_enum(&mut new, dice),
            8 => change_union(&mut new, dice),
            _ => change_roots(&mut new, dice),
        }
    }
    new.settle();
    new
}

fn change_roots(schema: &mut Schema, dice: &mut Dice) {
    let tables: Vec<Id> = schema.tables.iter().map(|one| one.id).collect();
    if dice.percent(50) && !schema.roots.is_empty() {
        schema.roots.remove(dice.below(schema.roots.len()));
    } else {
        schema.roots.extend(dice.pick(&tables));
    }
}

fn change_table(schema: &mut Schema, dice: &mut Dice) {
    let at = dice.below(schema.tables.len());
    let added = field(schema, dice);
    let other = referred(schema, dice);
    let tables: Vec<Id> = schema.tables.iter().map(|one| one.id).collect();
    let default = |schema: &Schema, field: &Field, dice: &mut Dice| default(schema, &field.ty, dice);
    let copy = schema.clone();
    let Some(table) = schema.tables.get_mut(at) else { return };
    let count = table.fields.len();
    let one = dice.below(count);
    if count == 0 {
        return table.fields.push(added);
    }
    match dice.below(15) {
        0 => table.fields.push(added),
        1 => table.fields.insert(dice.below(count + 1), added),
        2 => drop(table.fields.remove(one)),
        3 => table.fields.swap(one, dice.below(count)),
        4 => table.fields[one].is_deprecated ^= true,
        5 => table.fields[one].name.push_str("_x"),
        6..=8 => table.fields[one].ty = near(&copy, &table.fields[one].ty, other, dice),
        9 => table.fields[one].default = Some(default(&copy, &table.fields[one], dice)),
        10 => table.fields[one].default = None,
        11 => table.fields[one].is_required ^= true,
        12 => move_key(table, dice),
        13 => {
            table.fields[one].ty = Type::Vector(Box::new(Type::Scalar("ubyte")));
            let other = dice.pick(&tables);
            table.fields[one].nested = if dice.percent(50) { other } else { None };
        }
        _ => table.has_ids ^= true,
    }
}

fn move_key(table: &mut Table, dice: &mut Dice) {
    table.fields.iter_mut().for_each(|field| field.is_key = false);
    let at = dice.below(table.fields.len());
    table.fields[at].is_key = matches!(table.fields[at].ty, Type::Scalar(_) | Type::Text);
}

/// A type near a type: its vector, its items, one of the same kind, or another one altogether.
fn near(schema: &Schema, ty: &Type, other: Type, dice: &mut Dice) -> Type {
    let ids = |all: Vec<Id>, dice: &mut Dice| dice.pick(&all);
    match (dice.below(4), ty) {
        (0, Type::Vector(items)) => (**items).clone(),
        (0, plain) => Type::Vector(Box::new(plain.clone())),
        (1 | 2, Type::Struct(_)) => {
            ids(schema.structs.iter().map(|one| one.id).collect(), dice).map_or(other, Type::Struct)
        }
        (1 | 2, Type::Table(_)) => {
            ids(schema.tables.iter().map(|one| one.id).collect(), dice).map_or(other, Type::Table)
        }
        (1 | 2, Type::Enum(_)) => ids(schema.enums.iter().map(|one| one.id).collect(), dice).map_or(other, Type::Enum),
        (1 | 2, Type::Union(_)) => {
            ids(schema.unions.iter().map(|one| one.id).collect(), dice).map_or(other, Type::Union)
        }
        (1 | 2, Type::Scalar(_)) => Type::Scalar(SCALARS[dice.below(SCALARS.len())]),
        _ => other,
    }
}

fn change_struct(schema: &mut Schema, dice: &mut Dice) {
    let at = dice.below(schema.structs.len());
    let Some(id) = schema.structs.get(at).map(|one| one.id) else { return };
    let other = inline(schema, dice, id);
    let (fresh, inner, wrapper) = (schema.fresh(), schema.fresh(), schema.fresh());
    let one = &mut schema.structs[at];
    let count = one.fields.len();
    if count == 0 {
        return;
    }
    let field = dice.below(count);
    let alike = if dice.percent(60) { one.fields[field].ty.clone() } else { other.clone() };
    let added = Field::of(fresh, format!("s{fresh}"), alike);
    match dice.below(12) {
        0 | 1 => one.fields.swap(field, dice.below(count)),
        2 | 3 => one.fields.insert(dice.below(count + 1), added),
        4 => one.fields.push(added),
        5 => drop(one.fields.remove(field)),
        6 => one.fields[field].name.push_str("_x"),
        7 => one.fields[field].ty = other,
        8 => {
            let wrapped = Field::of(inner, format!("s{inner}"), one.fields[field].ty.clone());
            one.fields[field].ty = Type::Struct(wrapper);
            schema.structs.push(Struct { id: wrapper, fields: vec![wrapped], force_align: None });
        }
        9 => {
            one.fields[field].ty = match one.fields[field].ty.clone() {
                Type::Array(items, count) if count > 1 && dice.percent(50) => Type::Array(items, count - 1),
                Type::Array(items, count) => Type::Array(items, count + 1),
                plain => Type::Array(Box::new(plain), 1 + dice.below(3)),
            }
        }
        10 => one.force_align = if dice.percent(70) { Some(1 << dice.below(5)) } else { None },
        _ => {
            // Fields that lie side by side are put into a struct of their own.
            let end = field + 1 + dice.below(count - field);
            let grouped: Vec<Field> = one.fields.drain(field..end).collect();
            one.fields.insert(field, Field::of(inner, format!("s{inner}"), Type::Struct(wrapper)));
            schema.structs.push(Struct { id: wrapper, fields: grouped, force_align: None });
        }
    }
}

fn change_enum(schema: &mut Schema, dice: &mut Dice) {
    let at = dice.below(schema.enums.len());
    let fresh = schema.fresh();
    let Some(one) = schema.enums.get_mut(at).filter(|one| !one.values.is_empty()) else { return };
    let value = dice.below(one.values.len());
    let last = one.values.last().map_or(0, |value| value.number);
    match dice.below(8) {
        0 | 1 if last < 7 => {
            one.values.push(EnumValue { id: fresh, name: format!("V{fresh}"), number: last + 1 });
        }
        2 => drop(one.values.remove(value)),
        3 => one.values[value].name.push_str("_x"),
        4 => {
            let other = dice.below(one.values.len());
            let (left, right) = (one.values[value].name.clone(), one.values[other].name.clone());
            (one.values[value].name, one.values[other].name) = (right, left);
        }
        5 => one.is_bit_flags = !one.is_bit_flags && one.underlying.starts_with('u'),
        _ if one.is_bit_flags => one.underlying = ["ubyte", "ushort", "uint", "ulong"][dice.below(4)],
        _ => one.underlying = UNDERLYING[dice.below(UNDERLYING.len())],
    }
}

fn change_union(schema: &mut Schema, dice: &mut Dice) {
    let at = dice.below(schema.unions.len());
    let Some(added) = member(schema, dice) else { return };
    let Some(one) = schema.unions.get_mut(at).filter(|one| !one.members.is_empty()) else { return };
    let count = one.members.len();
    let which = dice.below(count);
    match dice.below(6) {
        0 => one.members.push(added),
        1 => one.members.insert(dice.below(count + 1), added),
        2 => drop(one.members.remove(which)),
        3 => one.members.swap(which, dice.below(count)),
        4 => one.members[which].name.push_str("_x"),
        _ => one.members[which].ty = added.ty,
    }
}
