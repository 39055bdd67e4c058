//! What a reader experienced of what a writer wrote: two readings of one message, each by the schema that it was read with.
//!
//! A field is the same one where its number is, unless both its name and its ordinal are others: nobody can follow that. What
//! stands around a name is no part of it.

use std::collections::BTreeMap;

use serde_json::{Map, Value as Json};

use super::print::is_short;
use super::schema::{Field, Kind, Part, Schema, Type, path, settled};
use crate::peers::Id;
use wireproof::change::Pair;
use wireproof::evidence::Outcome;

/// A schema, and what the types stand for that are taken where something is read.
#[derive(Clone, Copy)]
pub struct Place<'s> {
    pub schema: &'s Schema,
    /// What stands for the parameter.
    pub bound: Option<&'s Type>,
    /// The struct or method that is being read.
    pub from: Option<Id>,
    /// The number in what stands there where nothing was written.
    pub given: Option<i64>,
}

/// A field where it really stands.
struct Placed<'s> {
    field: &'s Field,
    ordinal: usize,
    path: String,
}

fn placed(fields: &[Field]) -> Vec<Placed<'_>> {
    let one = |(ordinal, (at, home)): (usize, (usize, super::schema::Home))| Placed {
        field: &fields[at],
        ordinal,
        path: path(&home, &fields[at].name),
    };
    settled(fields).into_iter().enumerate().map(one).filter(|one| one.field.ty != Type::Tag).collect()
}

/// The worst of the fields of two readings of one message. Whoever writes is the old side of each pair.
pub fn records(places: Pair<Place<'_>>, fields: Pair<&[Field]>, values: Pair<&Json>) -> Outcome {
    if let Some(told) = rejected(values) {
        return told;
    }
    let (Some(wrote), Some(read)) = (values.old.as_object(), values.new.as_object()) else { return Outcome::Safe };
    let fields = fields.map(placed);
    let mut worst = Outcome::Safe;
    for one in &fields.old {
        let Some(other) = fields.new.iter().find(|other| other.field.id == one.field.id) else { continue };
        if one.field.name != other.field.name && one.ordinal != other.ordinal {
            continue;
        }
        worst = worst.max(field(places, Pair::new(one, other), Pair::new(wrote, read)));
    }
    for one in &fields.new {
        let is_same = |other: &&Placed<'_>| {
            other.field.id == one.field.id || other.ordinal == one.ordinal || other.field.name == one.field.name
        };
        let value = read.get(&one.path);
        if !fields.old.iter().any(|other| is_same(&other))
            && value.is_some_and(|value| !is_untouched(places.new, one, value))
        {
            let number = value.and_then(Json::as_i64);
            worst = worst.max(match value.is_some_and(|value| value.get("!").is_some()) {
                true => Outcome::Fails,
                false if number.is_some() && number == places.new.given => Outcome::Defaulted,
                false => Outcome::Wrong,
            });
        }
    }
    worst
}

fn field(places: Pair<Place<'_>>, fields: Pair<&Placed<'_>>, records: Pair<&Map<String, Json>>) -> Outcome {
    let types = fields.map(|one| &one.field.ty);
    let places = places.zip(fields, |place, one| Place { given: one.field.default, ..place });
    match (records.old.get(&fields.old.path), records.new.get(&fields.new.path)) {
        // What nobody reads any more is lost; what is read as something else is wrong.
        (Some(wrote), Some(read)) => match value(places, types, Pair::new(wrote, read)) {
            Outcome::Wrong if is_untouched(places.new, fields.new, read) => match types.old {
                Type::Plain("Void") => Outcome::Safe,
                _ if is_empty(wrote) && types.old != types.new => Outcome::Safe,
                _ => Outcome::Lossy,
            },
            outcome => outcome,
        },
        (Some(wrote), None) if !is_untouched(places.old, fields.old, wrote) => Outcome::Unrecognized,
        (None, Some(read)) if !is_untouched(places.new, fields.new, read) => Outcome::Wrong,
        _ => Outcome::Safe,
    }
}

fn rejected(values: Pair<&Json>) -> Option<Outcome> {
    let is_rejected = values.map(|value| value.get("!").is_some());
    match (is_rejected.old, is_rejected.new) {
        (true, _) => Some(Outcome::Safe),
        (false, true) => Some(Outcome::Fails),
        (false, false) => None,
    }
}

/// Whether a reader sees what it sees where nothing was written.
fn is_untouched(place: Place<'_>, of: &Placed<'_>, value: &Json) -> bool {
    let is_default = of.field.default.is_some_and(|number| match &of.field.ty {
        Type::Plain("Bool") => *value == true,
        Type::Plain("Float32" | "Float64") => float(value) == Some(number as f64 + 0.5),
        Type::Plain("Text") => value["t"] == hex(format!("d{number}").as_bytes()),
        Type::Plain("Data") => value["d"] == format!("{number:02x}00"),
        Type::Plain("Int32") => value.as_i64() == Some(number) || number % 7 == 0,
        Type::Plain(_) => value.as_i64() == Some(number),
        // What the value of a pointer or an enum is by default is not worked out here.
        _ => true,
    });
    // A struct of which nothing was written has the defaults of its fields; which member a union holds is seen as well.
    let is_untouched_inside = || match (meant(place, &of.field.ty), value.get("s").and_then(Json::as_object)) {
        (Type::Struct(id, bound), Some(read)) => {
            let place = inside(place, *id, bound.as_deref());
            let fields = place.schema.fields(*id).unwrap_or(&[]);
            let has_union =
                settled(fields).iter().any(|(_, home)| home.iter().any(|part| matches!(part, Part::Union(_))));
            let fields = placed(fields);
            let is_there = |one: &Placed<'_>| read.get(&one.path).is_none_or(|value| is_untouched(place, one, value));
            !has_union && fields.iter().all(is_there)
        }
        _ => false,
    };
    is_default || is_empty(value) || value == "void" || is_untouched_inside()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Whether nothing is in a value that anybody wrote.
fn is_empty(value: &Json) -> bool {
    match value {
        Json::Null => true,
        Json::String(text) => text.is_empty() || text == "void",
        Json::Array(items) => items.is_empty(),
        Json::Object(fields) => match fields.iter().next() {
            Some((kind, inner)) if fields.len() == 1 && kind.len() == 1 => match (kind.as_str(), inner) {
                ("f", Json::String(text)) => text.parse() == Ok(0.0),
                ("a" | "!", _) => false,
                (_, inner) => is_empty(inner),
            },
            _ => fields.values().all(is_empty),
        },
        Json::Bool(value) => !value,
        Json::Number(number) => number.as_f64() == Some(0.0),
    }
}

fn float(value: &Json) -> Option<f64> {
    value["f"].as_str().and_then(|text| text.parse().ok())
}

/// A number, whatever its type.
fn number(value: &Json) -> Option<f64> {
    match value {
        Json::Bool(value) => Some(f64::from(u8::from(*value))),
        Json::Number(number) => number.as_f64(),
        other => float(other),
    }
}

/// What a type parameter stands for here.
fn meant<'t>(place: Place<'t>, ty: &'t Type) -> &'t Type {
    const ANY: &Type = &Type::Plain("AnyPointer");
    match ty {
        Type::Parameter => place.bound.unwrap_or(ANY),
        other => other,
    }
}

/// Where the fields of a struct are read that a field leads to.
fn inside<'s>(place: Place<'s>, id: Id, bound: Option<&'s Type>) -> Place<'s> {
    let bound = match bound {
        Some(bound) => Some(meant(place, bound)),
        None if is_short(place.schema, place.from, id) => place.bound,
        None => None,
    };
    Place { bound, from: Some(id), ..place }
}

fn value(places: Pair<Place<'_>>, types: Pair<&Type>, values: Pair<&Json>) -> Outcome {
    if let Some(told) = rejected(values) {
        return told;
    }
    let types = places.zip(types, meant);
    match (types.old, types.new) {
        (_, Type::Plain("Void")) => Outcome::Safe,
        (Type::Plain("Void"), _) => {
            if is_empty(values.new) {
                Outcome::Safe
            } else {
                Outcome::Wrong
            }
        }
        (Type::Struct(old, was), Type::Struct(new, is)) => {
            let places = Pair::new(inside(places.old, *old, was.as_deref()), inside(places.new, *new, is.as_deref()));
            structs(places, Pair::new(*old, *new), values)
        }
        (Type::Enum(old), Type::Enum(new)) => enums(places.map(|place| place.schema), Pair::new(*old, *new), values),
        (Type::Enum(_), _) if values.new.is_number() || values.new.is_boolean() => alike(&values.old["e"], values.new),
        (_, Type::Enum(id)) if values.old.is_number() || values.old.is_boolean() => {
            let known = places.new.schema.values(*id).map_or(0, <[_]>::len) as u64;
            let wrote = values.old.as_i64().unwrap_or(i64::from(values.old == true));
            let read = values.new["e"].as_u64().unwrap_or(0);
            match (wrote as u16 == read as u16, read >= known) {
                (true, false) => Outcome::Safe,
                (true, true) => Outcome::Unrecognized,
                (false, _) => Outcome::Wrong,
            }
        }
        _ if is_opaque(values.old) || is_opaque(values.new) || values.old.is_null() || values.new.is_null() => {
            match (is_empty(values.old), is_empty(values.new)) {
                (false, true) => Outcome::Lossy,
                (true, false) if values.old.is_null() => Outcome::Wrong,
                _ => Outcome::Safe,
            }
        }
        (Type::List(old), Type::List(new)) => lists(places, Pair::new(old, new), values),
        // Data are a list of bytes, also where structs are read from them.
        (Type::Plain("Data"), Type::List(new)) if matches!(**new, Type::Struct(..)) => {
            lists(places, Pair::new(BYTE, new), Pair::new(&items(values.old), values.new))
        }
        (Type::List(old), Type::Plain("Data")) if matches!(**old, Type::Struct(..)) => {
            lists(places, Pair::new(old, BYTE), Pair::new(values.old, &items(values.new)))
        }
        _ => bytes(values),
    }
}

const BYTE: &Type = &Type::Plain("UInt8");

/// The bytes of data, each a number.
fn items(data: &Json) -> Json {
    let digits = data["d"].as_str().unwrap_or_default().as_bytes();
    let byte = |digits: &[u8]| u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok();
    digits.chunks(2).map(|digits| Json::from(byte(digits).expect("the peer writes two digits a byte"))).collect()
}

/// Whether a value is a pointer of which nothing but its kind is known.
fn is_opaque(value: &Json) -> bool {
    value.get("a").is_some()
}

fn alike(one: &Json, other: &Json) -> Outcome {
    if one == other || number(one).is_some() && number(one) == number(other) { Outcome::Safe } else { Outcome::Wrong }
}

/// Text, data and lists of bytes, and anything that is no list.
fn bytes(values: Pair<&Json>) -> Outcome {
    let of = |value: &Json| -> Option<String> {
        let text = value.get("t").or_else(|| value.get("d")).and_then(Json::as_str).map(str::to_owned);
        let items = || {
            let items = value.as_array()?.iter().map(|item| item.as_i64().map(|item| format!("{:02x}", item as u8)));
            items.collect::<Option<String>>()
        };
        text.or_else(items)
    };
    let is_text = values.map(|value| value.get("t").is_some());
    match (of(values.old), of(values.new)) {
        (Some(wrote), Some(read)) if wrote == read => Outcome::Safe,
        // The byte that ends a text.
        (Some(wrote), Some(read)) if is_text.old != is_text.new => {
            let ended = |text: &String| text.strip_suffix("00").unwrap_or(text).to_owned();
            if ended(&wrote) == ended(&read) { Outcome::Lossy } else { Outcome::Wrong }
        }
        (None, None) => match is_empty(values.old) && is_empty(values.new) {
            true => Outcome::Safe,
            false => alike(values.old, values.new),
        },
        _ => {
            if is_empty(values.old) && is_empty(values.new) {
                Outcome::Safe
            } else {
                Outcome::Wrong
            }
        }
    }
}

fn structs(places: Pair<Place<'_>>, ids: Pair<Id>, values: Pair<&Json>) -> Outcome {
    let none: &[Field] = &[];
    let fields = places.zip(ids, |place, id| place.schema.fields(id).unwrap_or(none));
    let empty = Json::Object(Map::new());
    match (values.old.get("s"), values.new.get("s")) {
        (Some(wrote), Some(read)) => records(places, fields, Pair::new(wrote, read)),
        (None, Some(read)) => records(places, fields, Pair::new(&empty, read)),
        (Some(wrote), None) => {
            // What the reader has no field for is no loss.
            let known = placed(fields.new);
            let is_shared = |one: &Placed<'_>| known.iter().any(|other| other.field.id == one.field.id);
            let mut shared = placed(fields.old).into_iter().filter(is_shared);
            let is_lost =
                |one: Placed<'_>| wrote.get(&one.path).is_some_and(|value| !is_untouched(places.old, &one, value));
            if shared.any(is_lost) { Outcome::Wrong } else { Outcome::Safe }
        }
        _ => Outcome::Safe,
    }
}

fn enums(schemas: Pair<&Schema>, ids: Pair<Id>, values: Pair<&Json>) -> Outcome {
    let (Some(wrote), Some(read)) = (values.old["e"].as_u64(), values.new["e"].as_u64()) else { return Outcome::Wrong };
    let is_there = |schema: &Schema, id: Id| schema.node(id).is_some_and(|node| matches!(node.kind, Kind::Enum(_)));
    if wrote != read {
        return Outcome::Wrong;
    }
    let numbered = |schema: &Schema, id: Id, number: u64| {
        let values: BTreeMap<u64, (Id, String)> =
            (0..).zip(schema.values(id)?).map(|(at, value)| (at, (value.id, value.name.clone()))).collect();
        values.get(&number).cloned()
    };
    let Some((meant, name)) = numbered(schemas.old, ids.old, wrote) else { return Outcome::Safe };
    let Some((shown, called)) = numbered(schemas.new, ids.new, read) else { return Outcome::Unrecognized };
    if meant == shown || name == called {
        return Outcome::Safe;
    }
    if ids.old != ids.new {
        // One took the place of the other where either is there still.
        let is_other = is_there(schemas.new, ids.old) || is_there(schemas.old, ids.new);
        return if is_other { Outcome::Wrong } else { Outcome::Safe };
    }
    let is_under_its_name = |schema: &Schema, name: &str| {
        schema.values(ids.old).is_some_and(|values| values.iter().any(|value| value.name == name))
    };
    match is_under_its_name(schemas.new, &name) || is_under_its_name(schemas.old, &called) {
        true => Outcome::Wrong,
        false => Outcome::Safe,
    }
}

/// The fields of a struct in a list, where they are read: an item that is no struct is one of them.
fn inner<'s>(place: Place<'s>, ty: &'s Type, value: &'s Json) -> impl Iterator<Item = (Place<'s>, &'s Type, &'s Json)> {
    let of = match ty {
        Type::Struct(id, bound) => Some((*id, bound.as_deref())),
        _ => None,
    };
    let fields = of.into_iter().flat_map(move |(id, bound)| {
        let place = inside(place, id, bound);
        placed(place.schema.fields(id).unwrap_or(&[])).into_iter().map(move |one| (place, one))
    });
    fields.filter_map(move |(place, one)| Some((place, &one.field.ty, value.get("s")?.get(&one.path)?)))
}

fn lists(places: Pair<Place<'_>>, items: Pair<&Type>, values: Pair<&Json>) -> Outcome {
    let (Some(wrote), Some(read)) = (values.old.as_array(), values.new.as_array()) else { return Outcome::Wrong };
    let are_structs = items.map(|ty| matches!(ty, Type::Struct(..)));
    let each = wrote.iter().zip(read).map(|(wrote, read)| match (are_structs.old, are_structs.new) {
        (false, true) if rejected(Pair::new(wrote, read)).is_none() => match is_empty(wrote) {
            true => Outcome::Safe,
            false if wrote.get("a").is_some() || wrote.is_array() => Outcome::Safe,
            false => {
                let fields = inner(places.new, items.new, read);
                let each = fields.map(|(place, ty, read)| {
                    value(Pair::new(places.old, place), Pair::new(items.old, ty), Pair::new(wrote, read))
                });
                each.min().unwrap_or(Outcome::Lossy).min(Outcome::Lossy)
            }
        },
        (true, false) if rejected(Pair::new(wrote, read)).is_none() => match is_empty(read) {
            true => Outcome::Safe,
            false if read.get("a").is_some() || read.is_array() => Outcome::Safe,
            false => {
                let fields = inner(places.old, items.old, wrote);
                let each = fields.map(|(place, ty, wrote)| {
                    value(Pair::new(place, places.new), Pair::new(ty, items.new), Pair::new(wrote, read))
                });
                each.min().unwrap_or(Outcome::Wrong)
            }
        },
        _ => value(places, items, Pair::new(wrote, read)),
    });
    let worst = each.max().unwrap_or(Outcome::Safe);
    if wrote.len() == read.len() { worst } else { Outcome::Wrong }
}
