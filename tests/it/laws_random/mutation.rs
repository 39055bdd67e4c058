//! Random changes of a schema, the kinds that people make and those that they should not.

use std::collections::BTreeSet;

use super::make;
use super::schema::{
    Dice, Enum, Extend, Field, Id, KEYS, KNOWN, Message, OPTIONS, Presence, SCALARS, Schema, Shape, Type, is_option,
};

type Mutation = fn(&mut Schema, &mut Dice) -> Option<()>;

/// Every kind of change, with its weight.
const MUTATIONS: &[(usize, Mutation)] = &[
    (10, type_changed),
    (6, scalar_changed),
    (6, shape_changed),
    (5, renamed),
    (4, renumbered),
    (4, numbers_swapped),
    (4, names_swapped),
    (6, removed),
    (6, added),
    (3, added_with_reserved_number),
    (6, oneof_changed),
    (2, oneof_declared),
    (4, presence_changed),
    (3, default_changed),
    (1, sign_of_zero_changed),
    (3, json_name_changed),
    (2, encoding_changed),
    (2, feature_changed),
    (2, reserved_changed),
    (3, enum_value_added),
    (3, enum_value_removed),
    (3, enum_value_renamed),
    (3, enum_value_renumbered),
    (3, enum_values_swapped),
    (3, enum_values_reordered),
    (2, enum_alias_added),
    (2, enum_openness_changed),
    (3, type_renamed),
    (2, type_replaced),
    (2, type_removed),
    (2, type_moved),
    (1, package_changed),
    (2, syntax_changed),
    (3, extension_changed),
    (2, method_changed),
    (1, fields_reordered),
    (4, copy_used_instead),
    (3, map_spelled_out),
    (3, wrapped),
    (3, joined_and_retyped),
    (2, option_changed),
];

/// Changes a schema a few times, `most` times at most.
pub fn mutate(old: &Schema, dice: &mut Dice, most: usize) -> Schema {
    let mut new = old.clone();
    let total: usize = MUTATIONS.iter().map(|(weight, _)| weight).sum();
    let count = 1 + dice.below(most);
    for _ in 0..count {
        let mut at = dice.below(total);
        let chosen = MUTATIONS.iter().find(|(weight, _)| match at.checked_sub(*weight) {
            Some(rest) => {
                at = rest;
                false
            }
            None => true,
        });
        if let Some((_, mutation)) = chosen {
            mutation(&mut new, dice);
            new.settle();
        }
    }
    new
}

fn any_message<'s>(schema: &'s mut Schema, dice: &mut Dice) -> Option<&'s mut Message> {
    let id = dice.pick(&schema.edited_messages())?;
    schema.message(id)
}

fn any_enum<'s>(schema: &'s mut Schema, dice: &mut Dice) -> Option<&'s mut Enum> {
    let id = dice.pick(&schema.edited_enums())?;
    schema.enumeration(id)
}

/// A message with a field, and the place of the field.
fn any_field<'s>(schema: &'s mut Schema, dice: &mut Dice) -> Option<(&'s mut Message, usize)> {
    let mut candidates = Vec::new();
    for id in schema.edited_messages() {
        let fields: Vec<Id> = schema.message(id)?.fields.iter().map(|field| field.id).collect();
        let edited = fields.into_iter().enumerate().filter(|(_, field)| schema.is_near(*field));
        candidates.extend(edited.map(|(at, _)| (id, at)));
    }
    let (id, at) = dice.pick(&candidates)?;
    Some((schema.message(id)?, at))
}

fn edit_field(schema: &mut Schema, dice: &mut Dice, edit: impl FnOnce(&mut Field, &mut Dice)) -> Option<()> {
    let (message, at) = any_field(schema, dice)?;
    edit(&mut message.fields[at], dice);
    Some(())
}

fn type_changed(schema: &mut Schema, dice: &mut Dice) -> Option<()> {
    let ty = other_type(schema, dice);
    edit_field(schema, dice, |field, _| {
        field.ty = ty;
        field.is_group = false;
    })
}

/// Any type; where edits keep to a neighbourhood, often one of there.
fn other_type(schema: &Schema, dice: &mut Dice) -> Type {
    if schema.near.is_some() && dice.percent(40) {
        let mut near = schema.edited_messages();
        near.extend(schema.edited_enums());
        return dice.pick(&near).map_or(Type::Scalar("int32"), Type::Named);
    }
    make::any_type(schema, dice)
}

fn scalar_changed(schema: &mut Schema, dice: &mut Dice) -> Option<()> {
    let scalar = dice.pick(SCALARS)?;
    edit_field(schema, dice, |field, _| {
        if matches!(field.ty, Type::Scalar(_)) {
            field.ty = Type::Scalar(scalar);
        }
    })
}

fn shape_changed(schema: &mut Schema, dice: &mut Dice) -> Option<()> {
    edit_field(schema, dice, |field, dice| {
        field.shape = match (field.shape, dice.below(3)) {
            (Shape::Singular, 0) | (Shape::Repeated, 1) => Shape::Map(dice.pick(KEYS).unwrap_or("string")),
            (Shape::Singular, _) => Shape::Repeated,
            (Shape::Repeated, _) => Shape::Singular,
            (Shape::Map(_), 0) => Shape::Map(dice.pick(KEYS).unwrap_or("string")),
            (Shape::Map(_), 1) => Shape::Repeated,
            (Shape::Map(_), _) => Shape::Singular,
        }
    })
}

fn renamed(schema: &mut Schema, dice: &mut Dice) -> Option<()> {
    let name = schema.id();
    edit_field(schema, dice, |field, dice| {
        if dice.percent(40) {
            field.json_name = Some(field.json_name().to_owned());
        }
        field.name = format!("renamed{name}");
    })
}

fn renumbered(schema: &mut Schema, dice: &mut Dice) -> Option<()> {
    edit_field(schema, dice, |field, dice| field.number = 1 + dice.below(20) as i32)
}

fn two_fields(schema: &mut Schema, dice: &mut Dice, edit: impl FnOnce(&mut Field, &mut Field)) -> Option<()> {
    let (message, one) = any_field(schema, dice)?;
    let other = dice.below(message.fields.len());
    if one != other {
        let (start, end) = message.fields.split_at_mut(one.max(other));
        edit(&mut start[one.min(other)], &mut end[0]);
    }
    Some(())
}

fn numbers_swapped(schema: &mut Schema, dice: &mut Dice) -> Option<()> {
    two_fields(schema, dice, |one, other| std::mem::swap(&mut one.number, &mut other.number))
}

fn names_swapped(schema: &mut Schema, dice: &mut Dice) -> Option<()> {
    two_fields(schema, dice, |one, other| std::mem::swap(&mut one.name, &mut other.name))
}

fn removed(schema: &mut Schema, dice: &mut Dice) -> Option<()> {
    let (message, at) = any_field(schema, dice)?;
    let field = message.fields.remove(at);
    if dice.percent(50) {
        message.reserved_numbers.insert(field.number);
    }
    if dice.percent(50) {
        message.reserved_names.insert(field.name);
    }
    if dice.percent(20) {
        // The number goes to another field.
        if let Some(other) = dice.pick(&(0..message.fields.len()).collect::<Vec<_>>()) {
            message.fields[other].number = field.number;
        }
    }
    Some(())
}

fn added(schema: &mut Schema, dice: &mut Dice) -> Option<()> {
    let id = dice.pick(&schema.edited_messages())?;
    make::add_field(schema, id, dice);
    Some(())
}

fn added_with_reserved_number(schema: &mut Schema, dice: &mut Dice) -> Option<()> {
    let id = dice.pick(&schema.edited_messages())?;
    make::add_field(schema, id, dice);
    let message = schema.message(id)?;
    let reserved: Vec<i32> = message.reserved_numbers.iter().copied().collect();
    message.fields.last_mut()?.number = dice.pick(&reserved)?;
    Some(())
}

fn oneof_changed(schema: &mut Schema, dice: &mut Dice) -> Option<()> {
    let (message, at) = any_field(schema, dice)?;
    let mut homes: Vec<Option<Id>> = message.oneofs.iter().map(|oneof| Some(oneof.id)).collect();
    homes.push(None);
    message.fields[at].oneof = dice.pick(&homes)?;
    Some(())
}

fn oneof_declared(schema: &mut Schema, dice: &mut Dice) -> Option<()> {
    let id = schema.id();
    let message = any_message(schema, dice)?;
    match dice.below(3) {
        0 => message.oneofs.first_mut()?.name = format!("o{id}"),
        1 => drop(message.oneofs.pop()),
        _ => {
            message.oneofs.push(super::schema::Oneof { id, name: format!("o{id}") });
            let chance = dice.below(100);
            message.fields.iter_mut().filter(|_| dice.percent(chance)).for_each(|field| field.oneof = Some(id));
        }
    }
    Some(())
}

fn presence_changed(schema: &mut Schema, dice: &mut Dice) -> Option<()> {
    edit_field(schema, dice, |field, dice| {
        let all = [Presence::Plain, Presence::Explicit, Presence::Implicit, Presence::Required];
        field.presence = dice.pick(&all).unwrap_or(Presence::Plain);
    })
}

fn default_changed(schema: &mut Schema, dice: &mut Dice) -> Option<()> {
    edit_field(schema, dice, |field, dice| {
        field.default = dice.percent(70).then(|| dice.below(100) as i64);
    })
}

/// A default of zero, said or not, becomes one of the other sign.
fn sign_of_zero_changed(schema: &mut Schema, dice: &mut Dice) -> Option<()> {
    let mut candidates = Vec::new();
    for id in schema.edited_messages() {
        let fields = schema.message(id)?.fields.iter();
        let reals = fields.filter(|field| matches!(field.ty, Type::Scalar("double" | "float")));
        candidates.extend(reals.map(|field| (id, field.id)));
    }
    let (message, real) = dice.pick(&candidates)?;
    let field = schema.message(message)?.fields.iter_mut().find(|field| field.id == real)?;
    // Of these, the first is printed as a zero below zero, the second as one above.
    field.default = if field.default.is_some_and(|seed| seed % 5 == 0) { Some(1) } else { Some(0) };
    Some(())
}

fn json_name_changed(schema: &mut Schema, dice: &mut Dice) -> Option<()> {
    if dice.percent(25) {
        return two_fields(schema, dice, |one, other| {
            let name = one.json_name().to_owned();
            one.json_name = Some(other.json_name().to_owned());
            other.json_name = Some(name);
        });
    }
    let (message, at) = any_field(schema, dice)?;
    let others: Vec<String> = message.fields.iter().map(|field| field.json_name().to_owned()).collect();
    message.fields[at].json_name = match dice.below(3) {
        0 => None,
        1 => dice.pick(&others),
        _ => Some(format!("custom{}", dice.below(3))),
    };
    Some(())
}

fn encoding_changed(schema: &mut Schema, dice: &mut Dice) -> Option<()> {
    edit_field(schema, dice, |field, dice| {
        let value = [None, Some(true), Some(false)][dice.below(3)];
        match dice.below(3) {
            0 => field.packed = value,
            1 => field.utf8 = value,
            _ => field.delimited = value,
        }
    })
}

fn feature_changed(schema: &mut Schema, dice: &mut Dice) -> Option<()> {
    let (feature, values) = dice.pick(make::FEATURES)?;
    for file in schema.files.iter_mut().filter(|file| file.syntax.is_edition()) {
        match dice.below(3) {
            0 => drop(file.features.remove(feature)),
            at => drop(file.features.insert(feature, values[at - 1])),
        }
    }
    Some(())
}

fn reserved_changed(schema: &mut Schema, dice: &mut Dice) -> Option<()> {
    if dice.percent(30) {
        let one = any_enum(schema, dice)?;
        if dice.percent(50) {
            one.reserved.clear()
        } else {
            one.reserved.insert(dice.below(10) as i32);
        }
        return Some(());
    }
    let message = any_message(schema, dice)?;
    match dice.below(4) {
        0 => message.reserved_numbers.clear(),
        1 => message.reserved_names.clear(),
        2 => drop(message.reserved_numbers.insert(1 + dice.below(30) as i32)),
        _ => message.is_extensible = !message.is_extensible,
    }
    Some(())
}

fn enum_value_added(schema: &mut Schema, dice: &mut Dice) -> Option<()> {
    let id = dice.pick(&schema.edited_enums())?;
    let value = make::enum_value(schema, id, dice.below(10) as i32 - 2);
    let one = schema.enumeration(id)?;
    let at = dice.below(one.values.len() + 1);
    one.values.insert(at, value);
    Some(())
}

fn enum_value_removed(schema: &mut Schema, dice: &mut Dice) -> Option<()> {
    let one = any_enum(schema, dice)?;
    let at = dice.below(one.values.len());
    let value = one.values.remove(at);
    if dice.percent(50) {
        one.reserved.insert(value.number);
    }
    if dice.percent(50) {
        one.reserved_names.insert(value.name);
    }
    Some(())
}

fn enum_value_renamed(schema: &mut Schema, dice: &mut Dice) -> Option<()> {
    let id = schema.id();
    let one = any_enum(schema, dice)?;
    let at = dice.below(one.values.len());
    one.values.get_mut(at)?.name = format!("E{}_R{id}", one.id);
    Some(())
}

fn enum_value_renumbered(schema: &mut Schema, dice: &mut Dice) -> Option<()> {
    let one = any_enum(schema, dice)?;
    let at = dice.below(one.values.len());
    one.values.get_mut(at)?.number = dice.below(8) as i32 - 1;
    Some(())
}

fn enum_values_swapped(schema: &mut Schema, dice: &mut Dice) -> Option<()> {
    let one = any_enum(schema, dice)?;
    let (first, second) = (dice.below(one.values.len()), dice.below(one.values.len()));
    let numbers = (one.values.get(first)?.number, one.values.get(second)?.number);
    (one.values[first].number, one.values[second].number) = (numbers.1, numbers.0);
    Some(())
}

fn enum_values_reordered(schema: &mut Schema, dice: &mut Dice) -> Option<()> {
    let one = any_enum(schema, dice)?;
    let (first, second) = (dice.below(one.values.len()), dice.below(one.values.len()));
    if first < one.values.len() {
        one.values.swap(first, second);
    }
    Some(())
}

fn enum_alias_added(schema: &mut Schema, dice: &mut Dice) -> Option<()> {
    let id = dice.pick(&schema.edited_enums())?;
    let one = schema.enumeration(id)?;
    let number = dice.pick(&one.values.iter().map(|value| value.number).collect::<Vec<_>>())?;
    let value = make::enum_value(schema, id, number);
    let one = schema.enumeration(id)?;
    let at = dice.below(one.values.len() + 1);
    one.values.insert(at, value);
    Some(())
}

fn enum_openness_changed(schema: &mut Schema, dice: &mut Dice) -> Option<()> {
    any_enum(schema, dice)?.is_closed = [None, Some(true), Some(false)][dice.below(3)];
    Some(())
}

fn type_renamed(schema: &mut Schema, dice: &mut Dice) -> Option<()> {
    let id = schema.id();
    if dice.percent(30) {
        any_enum(schema, dice)?.name = format!("Renamed{id}");
    } else {
        any_message(schema, dice)?.name = format!("Renamed{id}");
    }
    Some(())
}

/// Every use of one type becomes a use of another.
fn type_replaced(schema: &mut Schema, dice: &mut Dice) -> Option<()> {
    let ids = if dice.percent(30) { schema.edited_enums() } else { schema.edited_messages() };
    let (from, to) = (dice.pick(&ids)?, dice.pick(&ids)?);
    for id in schema.message_ids() {
        for field in schema.message(id)?.fields.iter_mut().filter(|field| field.ty == Type::Named(from)) {
            field.ty = Type::Named(to);
        }
    }
    Some(())
}

fn type_removed(schema: &mut Schema, dice: &mut Dice) -> Option<()> {
    let mut ids = schema.edited_messages();
    ids.extend(schema.edited_enums());
    let id = dice.pick(&ids)?;
    *schema = schema.without(id);
    Some(())
}

/// One field holds a copy of its message instead, with a member of its own more or less, or one that is a known message.
fn copy_used_instead(schema: &mut Schema, dice: &mut Dice) -> Option<()> {
    let (message, at) = any_field(schema, dice)?;
    let Type::Named(of) = message.fields[at].ty else { return None };
    let (holder, field) = (message.id, message.fields[at].id);
    let original = schema.message(of)?.clone();
    let id = schema.id();
    let mut copy = Message { id, name: format!("Copy{id}"), messages: Vec::new(), enums: Vec::new(), ..original };
    for (oneof, name) in copy.oneofs.iter_mut().map(|oneof| (&mut oneof.id, &mut oneof.name)) {
        let new = schema.id();
        copy.fields.iter_mut().filter(|field| field.oneof == Some(*oneof)).for_each(|field| field.oneof = Some(new));
        *name = format!("o{new}");
        *oneof = new;
    }
    for field in &mut copy.fields {
        (field.id, field.is_group) = (schema.id(), false);
    }
    if dice.percent(50) && !copy.fields.is_empty() {
        copy.fields.remove(dice.below(copy.fields.len()));
    }
    if dice.percent(40) {
        let ty = dice.pick(KNOWN).map_or(Type::Scalar("bytes"), |(name, _)| Type::Known(name));
        let at = dice.pick(&(0..copy.fields.len()).collect::<Vec<_>>());
        at.into_iter().for_each(|at| copy.fields[at].ty = ty);
    }
    schema.files[0].messages.push(copy);
    if dice.percent(50) {
        make::add_field(schema, id, dice);
    }
    let fields = &mut schema.message(holder)?.fields;
    let used = fields.iter_mut().find(|one| one.id == field)?;
    (used.ty, used.is_group) = (Type::Named(id), false);
    Some(())
}

/// A map becomes a list of messages with a key and a value, and such a list becomes a map.
fn map_spelled_out(schema: &mut Schema, dice: &mut Dice) -> Option<()> {
    let mut candidates = Vec::new();
    for id in schema.edited_messages() {
        let message = schema.message(id)?;
        let maps = message.fields.iter().filter(|field| matches!(field.shape, Shape::Map(_)));
        candidates.extend(maps.map(|field| (id, field.id)));
    }
    let Some((holder, field)) = dice.pick(&candidates) else {
        // Where there is none, the old side will have one the next time.
        let value = make::any_type(schema, dice);
        return edit_field(schema, dice, |field, dice| {
            (field.shape, field.ty) = (Shape::Map(dice.pick(KEYS).unwrap_or("string")), value);
        });
    };
    let at = schema.message(holder)?.fields.iter().position(|one| one.id == field)?;
    let map = schema.message(holder)?.fields[at].clone();
    let Shape::Map(key) = map.shape else { return None };
    let mut entry = make::message(schema, dice, 2);
    (entry.name, entry.oneofs, entry.reserved_numbers) = (format!("Entry{}", entry.id), Vec::new(), BTreeSet::new());
    for (name, number, ty) in [("key", 1, Type::Scalar(key)), ("value", 2, map.ty)] {
        let (id, presence) = (schema.id(), Presence::Plain);
        let (name, shape) = (name.to_owned(), Shape::Singular);
        entry.fields.push(Field {
            id,
            name,
            number,
            ty,
            shape,
            presence,
            json_name: None,
            default: None,
            ..map.clone()
        });
    }
    if dice.percent(20) {
        entry.fields[dice.below(2)].presence = Presence::Required;
    }
    if dice.percent(30) {
        demand_of_values(schema, map.ty, dice);
    }
    let id = entry.id;
    schema.files[0].messages.push(entry);
    let field = &mut schema.message(holder)?.fields[at];
    (field.shape, field.ty) = (if dice.percent(85) { Shape::Repeated } else { Shape::Singular }, Type::Named(id));
    Some(())
}

/// Now and then another pair instead: lists of entries become maps, and what the messages of their values are must have
/// something more then, or has bytes that become a text.
pub fn spelled_together(old: &Schema, dice: &mut Dice) -> Option<(Schema, Schema)> {
    if !dice.percent(5) {
        return None;
    }
    let mut maps = old.clone();
    let (holder, mut value) = (dice.pick(&maps.message_ids())?, dice.pick(&maps.message_ids())?);
    if dice.percent(50) {
        // Nothing else stands in the value then, so that every message of it shows what changed.
        let alone = Message { fields: Vec::new(), oneofs: Vec::new(), ..make::message(&mut maps, dice, 2) };
        value = alone.id;
        maps.files[0].messages.push(alone);
    }
    make::add_field(&mut maps, holder, dice);
    let map = maps.message(holder)?.fields.last_mut()?;
    map.number = 1 + dice.below(99) as i32;
    (map.shape, map.ty) = (Shape::Map(dice.pick(KEYS)?), Type::Named(value));
    maps.settle();
    let mut lists = maps.clone();
    map_spelled_out(&mut lists, dice)?;
    match dice.below(4) {
        0 => demand_of_values(&mut maps, Type::Named(value), dice),
        1 | 2 => bytes_become_text(&mut lists, &mut maps, value, dice),
        _ => {
            maps = mutate(&maps, dice, 2);
            None
        }
    };
    maps.settle();
    lists.settle();
    Some((lists, maps))
}

/// A message of both schemas gets a field that is of bytes in the one and a text in the other.
fn bytes_become_text(old: &mut Schema, new: &mut Schema, holder: Id, dice: &mut Dice) -> Option<()> {
    new.next = new.next.max(old.next);
    let used = |schema: &mut Schema| -> Option<BTreeSet<i32>> {
        Some(schema.message(holder)?.fields.iter().map(|field| field.number).collect())
    };
    let used: BTreeSet<i32> = used(old)?.union(&used(new)?).copied().collect();
    make::add_field(new, holder, dice);
    let text = new.message(holder)?.fields.last_mut()?;
    text.number = (1..).find(|number| !used.contains(number))?;
    (text.name, text.ty, text.shape) = (format!("text{}", text.id), Type::Scalar("string"), Shape::Singular);
    (text.default, text.json_name, text.presence) = (None, None, Presence::Plain);
    let bytes = Field { ty: Type::Scalar("bytes"), ..text.clone() };
    old.message(holder)?.fields.push(bytes);
    Some(())
}

/// A message that was a value of a map gets a field that it must have.
fn demand_of_values(schema: &mut Schema, value: Type, dice: &mut Dice) -> Option<()> {
    let Type::Named(id) = value else { return None };
    make::add_field(schema, id, dice);
    let field = schema.message(id)?.fields.last_mut()?;
    (field.shape, field.presence, field.oneof) = (Shape::Singular, Presence::Required, None);
    Some(())
}

/// A scalar becomes a well-known message that holds one, and the other way round.
fn wrapped(schema: &mut Schema, dice: &mut Dice) -> Option<()> {
    const WRAPPERS: &[(&str, &str)] = &[
        ("int32", "Int32Value"),
        ("uint64", "UInt64Value"),
        ("string", "StringValue"),
        ("bool", "BoolValue"),
        ("bytes", "BytesValue"),
        ("double", "DoubleValue"),
    ];
    let (scalar, wrapper) = dice.pick(WRAPPERS)?;
    let other = dice.pick(SCALARS)?;
    edit_field(schema, dice, |field, dice| {
        field.ty = match field.ty {
            Type::Scalar(own) => {
                let same = WRAPPERS.iter().find(|(scalar, _)| *scalar == own).map(|(_, wrapper)| *wrapper);
                Type::Known(same.filter(|_| dice.percent(50)).unwrap_or(wrapper))
            }
            Type::Known(own) if own.ends_with("Value") && dice.percent(50) => {
                Type::Scalar(WRAPPERS.iter().find(|(_, wrapper)| *wrapper == own).map_or(other, |(scalar, _)| *scalar))
            }
            Type::Known(_) => Type::Scalar(other),
            Type::Named(_) => Type::Scalar(scalar),
        };
    })
}

/// Several fields join a oneof, and one of them gets another type.
fn joined_and_retyped(schema: &mut Schema, dice: &mut Dice) -> Option<()> {
    let (id, ty) = (schema.id(), other_type(schema, dice));
    let (message, at) = any_field(schema, dice)?;
    message.oneofs.push(super::schema::Oneof { id, name: format!("o{id}") });
    message.fields.iter_mut().filter(|field| field.shape == Shape::Singular).for_each(|field| field.oneof = Some(id));
    message.fields[at].ty = ty;
    Some(())
}

/// Options of one's own: declared, renumbered, renamed, of another type or gone.
fn option_changed(schema: &mut Schema, dice: &mut Dice) -> Option<()> {
    let (id, ty) = (schema.id(), make::any_type(schema, dice));
    let (extendee, _) = dice.pick(OPTIONS)?;
    let Some(file) = schema.files.iter_mut().find(|file| file.extends.iter().any(|one| is_option(one.extendee))) else {
        make::add_extension(schema, extendee, dice);
        return Some(());
    };
    let at = file.extends.iter().position(|one| is_option(one.extendee))?;
    match dice.below(6) {
        0 | 1 => file.extends[at].field.number = 50_000 + dice.below(30) as i32,
        2 => file.extends[at].field.ty = ty,
        3 => file.extends[at].extendee = extendee,
        4 => file.extends[at].field.name = format!("renamed{id}"),
        _ => drop(file.extends.remove(at)),
    }
    Some(())
}

/// A top-level type that needs no other goes to the other file.
fn type_moved(schema: &mut Schema, dice: &mut Dice) -> Option<()> {
    if dice.percent(50) {
        let at = dice.below(schema.files[0].enums.len());
        if at < schema.files[0].enums.len() {
            let one = schema.files[0].enums.remove(at);
            schema.files[1].enums.push(one);
        }
        return Some(());
    }
    let is_alone = |message: &Message| {
        let own: BTreeSet<Id> = [message.id].into_iter().chain(message.enums.iter().map(|one| one.id)).collect();
        let stays = |field: &Field| matches!(field.ty, Type::Named(id) if !own.contains(&id));
        message.messages.is_empty() && !message.fields.iter().any(stays)
    };
    let at = schema.files[0].messages.iter().position(is_alone)?;
    let message = schema.files[0].messages.remove(at);
    schema.files[1].messages.push(message);
    Some(())
}

fn package_changed(schema: &mut Schema, dice: &mut Dice) -> Option<()> {
    let package = dice.pick(&["shop.v1", "shop.v2", ""])?;
    for file in &mut schema.files {
        package.clone_into(&mut file.package);
    }
    Some(())
}

fn syntax_changed(schema: &mut Schema, dice: &mut Dice) -> Option<()> {
    let syntax = dice.pick(make::SYNTAXES)?;
    schema.files.iter_mut().for_each(|file| file.syntax = syntax);
    Some(())
}

fn extension_changed(schema: &mut Schema, dice: &mut Dice) -> Option<()> {
    let messages = schema.message_ids();
    let ty = make::any_type(schema, dice);
    let id = schema.id();
    if dice.percent(25) {
        let extendee = dice.pick(&messages)?;
        make::add_extension(schema, extendee, dice);
        return Some(());
    }
    let is_own = |extend: &Extend| !is_option(extend.extendee);
    let file = schema.files.iter_mut().find(|file| file.extends.iter().any(is_own))?;
    let own: Vec<usize> = (0..file.extends.len()).filter(|at| is_own(&file.extends[*at])).collect();
    let at = dice.pick(&own)?;
    let extend = file.extends.get_mut(at)?;
    match dice.below(5) {
        0 => extend.field.number = 100 + dice.below(30) as i32,
        1 => extend.extendee = dice.pick(&messages)?,
        2 => extend.field.ty = ty,
        3 => extend.field.name = format!("renamed{id}"),
        _ => drop(file.extends.remove(at)),
    }
    Some(())
}

fn method_changed(schema: &mut Schema, dice: &mut Dice) -> Option<()> {
    let messages = schema.message_ids();
    let added = make::method(schema, dice)?;
    let service = schema.files.iter_mut().find_map(|file| file.services.first_mut())?;
    let at = dice.below(service.methods.len());
    match (dice.below(5), service.methods.get_mut(at)) {
        (0, Some(method)) => method.input = dice.pick(&messages)?,
        (1, Some(method)) => method.output = dice.pick(&messages)?,
        (2, Some(method)) => method.streams = (dice.percent(50), dice.percent(50)),
        (3, Some(_)) => drop(service.methods.remove(at)),
        _ => service.methods.push(added),
    }
    Some(())
}

fn fields_reordered(schema: &mut Schema, dice: &mut Dice) -> Option<()> {
    any_message(schema, dice)?.fields.reverse();
    Some(())
}
