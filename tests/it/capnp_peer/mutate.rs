//! Random changes of a schema, over the whole space of edits. Each says what it did.

use super::make;
use super::schema::{Field, Home, Kind, Method, Part, Schema, Signature, Type};
use crate::peers::{Dice, Id};

/// The schema after one to three random changes.
pub fn mutate(old: &Schema, dice: &mut Dice) -> Schema {
    let mut new = old.clone();
    // What only the new side has must not have a number of the old one.
    new.next += 1000;
    for _ in 0..if dice.percent(65) { 1 } else { 2 + dice.below(2) } {
        let edit = match dice.below(20) {
            0..=9 => change_struct(&mut new, dice),
            10 | 11 => change_homes(&mut new, dice),
            12..=14 => change_interface(&mut new, dice),
            15 | 16 => change_enum(&mut new, dice),
            _ => change_declaration(&mut new, dice),
        };
        new.edits.extend(edit);
        new.settle();
    }
    new
}

type Edit = Option<&'static str>;

fn change_struct(schema: &mut Schema, dice: &mut Dice) -> Edit {
    let id = dice.pick(&schema.structs())?;
    let own: Vec<Field> = schema.fields(id)?.to_vec();
    let added = make::field(schema, dice);
    let home = make::home(dice);
    let count = own.len();
    if count == 0 {
        make::fields(schema, id).push(added);
        return Some("a field was added");
    }
    let (at, other) = (dice.below(count), dice.below(count));
    let retyped = make::near(schema, &own[at].ty, dice);
    let fields = make::fields(schema, id);
    change_fields(fields, (added, home, retyped), (at, other), dice)
}

fn change_fields(
    fields: &mut Vec<Field>,
    (added, home, retyped): (Field, Home, (&'static str, Type)),
    (at, other): (usize, usize),
    dice: &mut Dice,
) -> Edit {
    Some(match dice.below(22) {
        0..=2 => {
            fields.push(added);
            "a field was added"
        }
        3 => {
            fields.insert(at, added);
            "a field was added among others"
        }
        4 => {
            fields.pop();
            "the last field was removed"
        }
        5 => {
            fields.remove(at);
            "a field was removed among others"
        }
        6 => {
            fields[at].name = format!("r{}", added.id);
            "a field was renamed"
        }
        7 => {
            fields[at].name = retired(&fields[at].name, fields.iter().map(|field| &field.name));
            "a field was retired"
        }
        8 => {
            let name = fields[at].name.clone();
            fields[at].name = retired(&fields[at].name, fields.iter().map(|field| &field.name));
            fields.push(Field { name, ..added });
            "a field was retired and came back elsewhere"
        }
        9..=12 => {
            fields[at].ty = retyped.1;
            retyped.0
        }
        what => return change_place(fields, (added, home), (at, other), (what, dice)),
    })
}

/// Ordinals, defaults, annotations and homes.
fn change_place(
    fields: &mut Vec<Field>,
    (added, home): (Field, Home),
    (at, other): (usize, usize),
    (what, dice): (usize, &mut Dice),
) -> Edit {
    Some(match what {
        13 => {
            fields[at] = Field { home: fields[at].home.clone(), ..added };
            "an ordinal was used again"
        }
        14 => {
            fields.swap(at, other);
            "two ordinals were exchanged"
        }
        15 => {
            let moved = fields.remove(at);
            fields.insert(other.min(fields.len()), moved);
            "a field was renumbered"
        }
        16 | 17 => {
            fields[at].default = if dice.percent(75) { Some(dice.below(100) as i64) } else { None };
            "a default was changed"
        }
        18 => {
            fields[at].note = if fields[at].note.is_some() { None } else { Some(dice.below(3) as u8) };
            "an annotation was changed"
        }
        _ => {
            fields[at].home = home;
            "a field was put elsewhere"
        }
    })
}

/// What people make of the name of what is no longer used: none that another has.
fn retired<'n>(name: &str, others: impl Iterator<Item = &'n String> + Clone) -> String {
    let mut letters = name.chars();
    let first = letters.next().unwrap_or('x').to_ascii_uppercase();
    let mut made = format!("obsolete{first}{}", letters.as_str());
    while others.clone().any(|other| *other == made) {
        made.push('x');
    }
    made
}

/// Groups and unions: several fields together.
fn change_homes(schema: &mut Schema, dice: &mut Dice) -> Edit {
    let id = dice.pick(&schema.structs())?;
    let (one, two) = (dice.below(3) as u8, dice.below(3) as u8);
    let fields = make::fields(schema, id);
    let homes: Vec<Home> = fields.iter().map(|field| field.home.clone()).filter(|home| !home.is_empty()).collect();
    let count = fields.len();
    match (dice.below(9), dice.pick(&homes)) {
        (0 | 1, Some(home)) => {
            let at = home.len() - 1;
            let renamed = match home[at] {
                Part::Group(_) => Part::Group(one),
                Part::Union(_) => Part::Union(one),
            };
            let inside = fields.iter_mut().filter(|field| field.home.starts_with(&home));
            inside.for_each(|field| field.home[at] = renamed);
            Some(if one == 0 {
                "a union lost its name, or a group was renamed"
            } else {
                "a group or union was renamed"
            })
        }
        (2, Some(home)) => {
            let at = home.len() - 1;
            let inside = fields.iter_mut().filter(|field| field.home.starts_with(&home));
            inside.for_each(|field| {
                field.home.remove(at);
            });
            Some("a group or union was dissolved")
        }
        (3, Some(home)) => {
            let inside = fields.iter_mut().filter(|field| field.home.starts_with(&home));
            inside.for_each(|field| field.home.insert(0, Part::Group(two)));
            Some("a group was put around a group or union")
        }
        (6, Some(home)) => {
            exchange_names(fields, &home);
            Some("two groups or unions exchanged their names")
        }
        (7 | 8, home) if count > 1 => {
            let (at, other) = (dice.below(count), dice.below(count));
            fields.swap(at, other);
            let mut moved = vec![at, other];
            moved.truncate(1 + dice.below(2));
            let home = if dice.percent(50) { home.unwrap_or_default() } else { Vec::new() };
            let around = if dice.percent(30) { [&home[..], &[Part::Group(two)]].concat() } else { home };
            moved.into_iter().for_each(|at| fields[at].home.clone_from(&around));
            Some("ordinals were exchanged across a group or union")
        }
        _ if count > 0 => {
            let part = if dice.percent(50) { Part::Group(one) } else { Part::Union(one) };
            let start = dice.below(count);
            let end = (start + 1 + dice.below(3)).min(count);
            fields[start..end].iter_mut().for_each(|field| field.home = vec![part]);
            Some("neighbours were put into a group or union")
        }
        _ => None,
    }
}

/// Of two groups or unions side by side each gets the name of the other.
fn exchange_names(fields: &mut [Field], home: &Home) {
    let at = home.len() - 1;
    let other = match home[at] {
        Part::Group(nth) => Part::Group(1 - nth.min(1)),
        Part::Union(nth) => Part::Union(1 - nth.min(1)),
    };
    for field in fields.iter_mut().filter(|field| field.home.len() > at && field.home[..at] == home[..at]) {
        field.home[at] = match field.home[at] {
            part if part == home[at] => other,
            part if part == other => home[at],
            part => part,
        };
    }
}

fn change_enum(schema: &mut Schema, dice: &mut Dice) -> Edit {
    let id = dice.pick(&schema.all(|kind| matches!(kind, Kind::Enum(_))))?;
    let added = make::value(schema);
    let node = schema.nodes.iter_mut().find(|node| node.id == id)?;
    let Kind::Enum(values) = &mut node.kind else { return None };
    let (at, other) = (dice.below(values.len()), dice.below(values.len()));
    Some(match dice.below(8) {
        0 | 1 => {
            values.push(added);
            "an enum grew"
        }
        2 => {
            values.insert(at, added);
            "a value was put among others"
        }
        3 => {
            values.remove(at);
            "a value was removed"
        }
        4 => {
            values[at].name = format!("w{}", added.id);
            "a value was renamed"
        }
        5 => {
            values[at].name = retired(&values[at].name, values.iter().map(|value| &value.name));
            "a value was retired"
        }
        6 => {
            values[at].note = Some(dice.below(3) as u8);
            "an annotation was changed"
        }
        _ => {
            values.swap(at, other);
            "two values were exchanged"
        }
    })
}

fn change_interface(schema: &mut Schema, dice: &mut Dice) -> Edit {
    let interfaces = schema.all(|kind| matches!(kind, Kind::Interface(..)));
    let id = dice.pick(&interfaces)?;
    let added = make::method(schema, dice);
    let signature = if dice.percent(20) { Signature::Stream } else { make::signature(schema, dice) };
    let argument = make::argument(schema, dice);
    let first = schema.nodes.iter().find(|node| node.id == id)?;
    let types = match &first.kind {
        Kind::Interface(_, methods) => methods.iter().find_map(|method| match &method.takes {
            Signature::Fields(fields) => fields.first().map(|field| field.ty.clone()),
            _ => None,
        }),
        _ => None,
    };
    let retyped = types.map(|ty| make::near(schema, &ty, dice));
    let place = schema.nodes.iter().position(|node| node.id == id)?;
    // What stands before it may be extended without a circle.
    let above: Vec<Id> = interfaces.into_iter().filter(|other| *other < id).collect();
    let Kind::Interface(extends, methods) = &mut schema.nodes[place].kind else { return None };
    let count = methods.len();
    match dice.below(12) {
        0 if extends.is_empty() => {
            extends.push(dice.pick(&above)?);
            Some("an interface extends another")
        }
        0 | 1 if !extends.is_empty() => {
            extends.pop();
            Some("an interface extends another no more")
        }
        2 | 3 => {
            methods.push(added);
            Some("a method was added")
        }
        4 if count > 0 => {
            methods.remove(dice.below(count));
            Some("a method was removed")
        }
        5 if count > 0 => {
            methods[dice.below(count)].name = format!("r{}", added.id);
            Some("a method was renamed")
        }
        6 if count > 1 => {
            methods.swap(0, dice.below(count));
            Some("two methods were exchanged")
        }
        7 if count > 0 => {
            methods[dice.below(count)].is_generic ^= true;
            Some("a method takes a type, or none any more")
        }
        _ if count > 0 => change_method(&mut methods[dice.below(count)], (signature, argument, retyped), dice),
        _ => {
            methods.push(added);
            Some("a method was added")
        }
    }
}

fn change_method(
    method: &mut Method,
    (signature, argument, retyped): (Signature, Field, Option<(&'static str, Type)>),
    dice: &mut Dice,
) -> Edit {
    let gives = dice.percent(50);
    let place = if gives { &mut method.gives } else { &mut method.takes };
    let is_stream = matches!(signature, Signature::Stream);
    match (dice.below(4), place, retyped) {
        (0 | 1, Signature::Fields(fields), _) => {
            fields.push(argument);
            Some("a parameter or result was added")
        }
        (2, Signature::Fields(fields), Some((_, ty))) if !fields.is_empty() => {
            fields[0].ty = ty;
            Some("a parameter or result was retyped")
        }
        (_, place, _) if gives || !is_stream => {
            *place = signature;
            Some("what a method takes or gives was replaced")
        }
        _ => None,
    }
}

fn change_declaration(schema: &mut Schema, dice: &mut Dice) -> Edit {
    let all: Vec<Id> = schema.nodes.iter().map(|node| node.id).collect();
    let id = dice.pick(&all)?;
    let fresh = schema.fresh();
    let parents: Vec<Id> = schema.structs().into_iter().filter(|other| *other < id).collect();
    let parent = dice.pick(&parents);
    let node = schema.nodes.iter_mut().find(|node| node.id == id)?;
    let is_constant = matches!(node.kind, Kind::Constant(_));
    let letter = node.name.chars().next().unwrap_or('S');
    Some(match dice.below(12) {
        0 => {
            node.name = format!("{letter}{fresh}");
            "a declaration was renamed"
        }
        1 => {
            node.file = 1 - node.file;
            "a declaration was moved to the other file"
        }
        2 if !is_constant => {
            node.parent = if node.parent.is_some() { None } else { parent };
            "a declaration was moved into another or out of it"
        }
        3 if !is_constant => {
            node.number = match node.number {
                None => Some(make::number(id)),
                Some(number) if dice.percent(50) => Some(number ^ 0xff),
                Some(_) => None,
            };
            "an id was written, changed or taken away"
        }
        4 | 5 if matches!(node.kind, Kind::Struct(_)) => {
            node.is_generic ^= true;
            "a struct takes a type, or none any more"
        }
        6 => {
            node.note = Some(dice.below(3) as u8);
            "an annotation was changed"
        }
        7 => {
            schema.nodes.retain(|node| node.id != id);
            "a declaration was removed"
        }
        8 => {
            make::add_enum(schema, dice);
            "a declaration was added"
        }
        9 => {
            make::add_interface(schema, dice);
            "a declaration was added"
        }
        10 if is_constant => {
            node.kind = Kind::Constant(dice.below(90) as i64);
            "a constant was changed"
        }
        _ => {
            make::add_struct(schema, dice);
            "a declaration was added"
        }
    })
}
