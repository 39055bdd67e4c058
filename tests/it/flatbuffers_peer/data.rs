//! Random data of a table, as JSON that the real library reads. Of a pair, `old` writes.

use serde_json::{Map, Value as Json, json};

use super::schema::{Dice, Enum, Id, Schema, Type};
use wireproof::change::Pair;

/// How deep tables are filled.
const DEEP: usize = 3;

/// One table.
///
/// Bytes that a reader takes for a buffer of its own are left out: they are taken to be what its schema says.
pub fn table(sides: Pair<&Schema>, id: Id, dice: &mut Dice, depth: usize) -> Json {
    let schema = sides.old;
    let mut fields = Map::new();
    let all = schema.table(id).map(|one| one.fields.clone()).unwrap_or_default();
    let chance = [15, 50, 90][dice.below(3)];
    for field in all.iter().filter(|field| !field.is_deprecated) {
        let is_flat = matches!(field.ty.items(), Type::Scalar(_) | Type::Enum(_) | Type::Text);
        let is_deep = depth >= DEEP && (field.nested.is_some() || !is_flat);
        // What requires itself without end is left out, and is refused by the library.
        if is_deep && depth > 2 * DEEP || !field.is_required && (is_deep || !dice.percent(chance)) {
            continue;
        }
        let others = sides.new.tables.iter().flat_map(|one| &one.fields);
        if field.nested.is_none() && others.into_iter().any(|other| other.id == field.id && other.nested.is_some()) {
            continue;
        }
        if let Some(nested) = field.nested {
            fields.insert(field.name.clone(), table(sides, nested, dice, depth + 1));
            continue;
        }
        match &field.ty {
            Type::Union(of) => {
                let Some((name, value)) = branch(sides, *of, dice, depth) else { continue };
                fields.insert(format!("{}_type", field.name), json!(name));
                fields.insert(field.name.clone(), value);
            }
            Type::Vector(items) if matches!(**items, Type::Union(_)) => {
                let Type::Union(of) = **items else { continue };
                let all = (0..dice.below(4)).filter_map(|_| branch(sides, of, dice, depth));
                let (names, values): (Vec<String>, Vec<Json>) = all.unzip();
                fields.insert(format!("{}_type", field.name), json!(names));
                fields.insert(field.name.clone(), json!(values));
            }
            ty => {
                fields.extend(value(sides, ty, dice, depth).map(|value| (field.name.clone(), value)));
            }
        }
    }
    Json::Object(fields)
}

fn branch(sides: Pair<&Schema>, of: Id, dice: &mut Dice, depth: usize) -> Option<(String, Json)> {
    let member = dice.pick(&sides.old.union(of)?.members)?;
    Some((member.name, value(sides, &member.ty, dice, depth)?))
}

fn value(sides: Pair<&Schema>, ty: &Type, dice: &mut Dice, depth: usize) -> Option<Json> {
    Some(match ty {
        Type::Scalar(name) => number(name, dice),
        Type::Enum(id) => enumerator(sides.old.enumeration(*id)?, dice),
        Type::Text => json!(["", "a", "four", "12345678", "Grüße"][dice.below(5)]),
        Type::Table(id) => table(sides, *id, dice, depth + 1),
        Type::Struct(id) => {
            let mut fields = Map::new();
            for field in &sides.old.structure(*id)?.fields {
                fields.insert(field.name.clone(), value(sides, &field.ty, dice, depth)?);
            }
            Json::Object(fields)
        }
        Type::Vector(items) => {
            let all: Option<Vec<Json>> = (0..dice.below(4)).map(|_| value(sides, items, dice, depth + 1)).collect();
            Json::Array(all?)
        }
        Type::Array(items, count) => {
            let all: Option<Vec<Json>> = (0..*count).map(|_| value(sides, items, dice, depth)).collect();
            Json::Array(all?)
        }
        Type::Union(_) => return None,
    })
}

fn enumerator(of: &Enum, dice: &mut Dice) -> Json {
    if of.is_bit_flags {
        let bits = of.values.iter().filter(|_| dice.percent(50)).map(|value| 1u64 << value.number.min(63));
        return json!(bits.fold(0, |all, bit| all | bit));
    }
    json!(dice.pick(&of.values).map_or(0, |value| value.number))
}

fn number(name: &str, dice: &mut Dice) -> Json {
    let pick = dice.below(6);
    let (min, max): (i64, u64) = match name {
        "bool" => return json!(dice.percent(50)),
        "float" => return json!([0.0, 1.5, -2.25, 1e30, 7.0, 0.5][pick]),
        "double" => return json!([0.0, 1.5, -2.25, 1e300, 3.125, 0.5][pick]),
        "byte" => (-128, 127),
        "ubyte" => (0, 255),
        "short" => (-32768, 32767),
        "ushort" => (0, 65535),
        "int" => (i64::from(i32::MIN), i32::MAX as u64),
        "uint" => (0, u64::from(u32::MAX)),
        "long" => (i64::MIN, i64::MAX as u64),
        _ => (0, u64::MAX),
    };
    match pick {
        0 => json!(min),
        1 => json!(max),
        2 => json!(0),
        _ => json!(1 + dice.below(100)),
    }
}
