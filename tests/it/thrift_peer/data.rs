//! Random data of a struct, as JSON that the real runtime writes.

use serde_json::{Map, Value as Json, json};

use super::schema::{Dice, Requiredness, Schema, Sort, Type, Whole};

/// How deep structs are filled.
const DEEP: usize = 4;

/// One struct, or what a function takes or gives.
pub fn whole(schema: &Schema, of: &Whole, dice: &mut Dice) -> Json {
    if matches!(of.sort, "union" | "result") {
        let returns = of.fields.iter().any(|field| field.number == 0);
        // Nothing at all is what a function gives that gives nothing.
        if of.sort == "result" && !returns && dice.percent(30) {
            return json!({});
        }
        let Some(field) = dice.pick(&of.fields) else { return json!({}) };
        return json!({ field.name: value(schema, &schema.plain(&field.ty), dice, 0) });
    }
    let mut fields = Map::new();
    let chance = [15, 50, 90][dice.below(3)];
    for field in &of.fields {
        if field.requiredness != Requiredness::Optional || dice.percent(chance) {
            fields.insert(field.name.clone(), value(schema, &schema.plain(&field.ty), dice, 0));
        }
    }
    Json::Object(fields)
}

fn value(schema: &Schema, ty: &Type, dice: &mut Dice, depth: usize) -> Json {
    let count = if depth >= DEEP { 0 } else { dice.below(4) };
    match ty {
        Type::Base(name) => base(name, dice),
        Type::Enum(id) => {
            let values = schema.enumeration(*id).map(|one| one.values.clone()).unwrap_or_default();
            json!(dice.pick(&values).map_or(0, |value| value.number))
        }
        Type::Struct(id) => {
            let Some(one) = schema.structure(*id) else { return json!({}) };
            let mut fields = Map::new();
            if one.sort == Sort::Union {
                let flat = one.fields.iter().filter(|field| depth < DEEP || !is_deep(&schema.plain(&field.ty)));
                let Some(field) = dice.pick(&flat.collect::<Vec<_>>()) else { return json!({}) };
                fields.insert(field.name.clone(), value(schema, &schema.plain(&field.ty), dice, depth + 1));
                return Json::Object(fields);
            }
            for field in &one.fields {
                let is_optional = field.requiredness == Requiredness::Optional;
                if !is_optional || depth < DEEP && dice.percent(50) {
                    fields.insert(field.name.clone(), value(schema, &schema.plain(&field.ty), dice, depth + 1));
                }
            }
            Json::Object(fields)
        }
        Type::Alias(_) => Json::Null,
        Type::List(items) => (0..count).map(|_| value(schema, items, dice, depth + 1)).collect(),
        Type::Set(items) => distinct((0..count).map(|_| value(schema, items, dice, depth + 1)), |item| item),
        Type::Map(key, item) => {
            let entries = (0..count)
                .map(|_| json!([value(schema, key, dice, depth + 1), value(schema, item, dice, depth + 1)]))
                .collect::<Vec<_>>();
            distinct(entries.into_iter(), |entry| &entry[0])
        }
    }
}

fn is_deep(ty: &Type) -> bool {
    !matches!(ty, Type::Base(_) | Type::Enum(_))
}

fn distinct(all: impl Iterator<Item = Json>, key: fn(&Json) -> &Json) -> Json {
    let mut kept: Vec<Json> = Vec::new();
    for one in all {
        if kept.iter().all(|other| key(other) != key(&one)) {
            kept.push(one);
        }
    }
    Json::Array(kept)
}

fn base(name: &str, dice: &mut Dice) -> Json {
    let small = 1 + dice.below(100) as i64;
    let pick = dice.below(6);
    match name {
        "bool" => json!(dice.percent(50)),
        "double" => json!([0.0, 1.5, -2.25, 1e300, 3.125, 0.5][pick]),
        "string" => json!(["", "a", "four", "12345678", "Grüße", "hi"][pick]),
        "binary" => json!(["", "61", "00ff", "ff", "666f7572", "fffe00010203"][pick]),
        _ => {
            let bits = name.strip_prefix('i').and_then(|bits| bits.parse::<u32>().ok()).unwrap_or(8);
            let max = ((1u64 << (bits - 1)) - 1) as i64;
            json!([max, -max - 1, 0, small, -small, max / 3][pick])
        }
    }
}
