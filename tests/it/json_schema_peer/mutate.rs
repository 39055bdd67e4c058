//! Random changes of schemas over the whole space of edits.

use serde_json::{Map, Value as Json, json};

use super::make::{DRAFTS, Draft, NAMES, Place, add, keyword, schema, value};
use crate::peers::Dice;

const SINGLE: [&str; 11] = [
    "items",
    "additionalItems",
    "unevaluatedItems",
    "contains",
    "additionalProperties",
    "unevaluatedProperties",
    "propertyNames",
    "not",
    "if",
    "then",
    "else",
];
const LISTS: [&str; 5] = ["items", "prefixItems", "allOf", "anyOf", "oneOf"];
const MAPS: [&str; 6] = ["properties", "patternProperties", "dependentSchemas", "dependencies", "definitions", "$defs"];

/// Where schemas stand in a document, as pointers.
pub fn places(root: &Json) -> Vec<String> {
    let mut found = Vec::new();
    let mut open = vec![(String::new(), root)];
    while let Some((at, schema)) = open.pop() {
        for (keyword, inner) in schema.as_object().into_iter().flatten() {
            let here = format!("{at}/{keyword}");
            match inner {
                Json::Object(_) | Json::Bool(_) if SINGLE.contains(&&**keyword) => open.push((here, inner)),
                Json::Array(list) if LISTS.contains(&&**keyword) => {
                    open.extend(list.iter().enumerate().map(|(index, one)| (format!("{here}/{index}"), one)));
                }
                Json::Object(map) if MAPS.contains(&&**keyword) => {
                    let schemas = map.iter().filter(|(_, one)| one.is_object() || one.is_boolean());
                    open.extend(schemas.map(|(name, one)| (format!("{here}/{}", escaped(name)), one)));
                }
                _ => {}
            }
        }
        found.push(at);
    }
    found
}

pub fn escaped(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

/// One to three edits of a document, and what they are.
pub fn mutate(old: &Json, dice: &mut Dice) -> (Json, Vec<&'static str>) {
    let (mut new, mut told) = (old.clone(), Vec::new());
    for _ in 0..1 + dice.below(3) {
        for _ in 0..20 {
            let (name, edit) = EDITS[dice.below(EDITS.len())];
            if let Some(edited) = (0..8).find_map(|_| edited(&new, edit, dice)) {
                new = edited;
                told.push(name);
                break;
            }
        }
    }
    (new, told)
}

/// A document with an edit made somewhere; `None` where that changes nothing.
fn edited(before: &Json, edit: Change, dice: &mut Dice) -> Option<Json> {
    let pointer = dice.pick(&places(before)).expect("the document itself is one");
    let mut new = before.clone();
    edit(&mut new, &pointer, dice)?;
    (new != *before).then_some(new)
}

/// An edit of a document at a schema; `None` where there is nothing for it to do.
type Change = fn(&mut Json, &str, &mut Dice) -> Option<()>;

const EDITS: [(&str, Change); 24] = [
    ("a keyword comes", keyword_comes),
    ("a keyword comes", keyword_comes),
    ("a keyword goes", keyword_goes),
    ("a keyword goes", keyword_goes),
    ("a keyword has another value", keyword_again),
    ("a keyword has another value", keyword_again),
    ("a limit moves", limit_moves),
    ("a limit moves", limit_moves),
    ("another schema takes the place", another_schema),
    ("a property comes", property_comes),
    ("a property comes", property_comes),
    ("a property goes", property_goes),
    ("a property has another name", property_renamed),
    ("a name is required", name_required),
    ("a name is required no more", name_optional),
    ("a value comes", value_comes),
    ("a value goes", value_goes),
    ("a branch comes", branch_comes),
    ("a branch goes", branch_goes),
    ("branches change places", branches_turn),
    ("content is closed or opened", content),
    ("branches have another keyword", other_combination),
    ("a schema is wrapped", wrapped),
    ("a schema is referred to", referred),
];

fn draft(root: &Json) -> Draft {
    Draft::of(root)
}

fn place(root: &Json, pointer: &str) -> Place {
    let draft = draft(root);
    let shelf = format!("/{}/d", draft.shelf());
    let kept = root[draft.shelf()].as_object().map_or(0, Map::len);
    let number = pointer.strip_prefix(&shelf).and_then(|rest| rest.split('/').next()?.parse::<usize>().ok());
    let depth = pointer.matches('/').count() / 2;
    Place { draft, depth, kept, first: number.map_or(0, |number| number + 1), is_inside: false }
}

fn at<'j>(root: &'j mut Json, pointer: &str) -> Option<&'j mut Map<String, Json>> {
    root.pointer_mut(pointer)?.as_object_mut()
}

fn keyword_comes(root: &mut Json, pointer: &str, dice: &mut Dice) -> Option<()> {
    let place = place(root, pointer);
    let name = keyword(dice, place.draft);
    let schema = at(root, pointer)?;
    if schema.contains_key(name) || name == "$ref" && pointer.is_empty() {
        return None;
    }
    add(dice, place, name, schema);
    Some(())
}

fn own_keywords(schema: &Map<String, Json>) -> Vec<String> {
    let others = ["$schema", "definitions", "$defs"];
    schema.keys().filter(|name| !others.contains(&&***name)).cloned().collect()
}

fn keyword_goes(root: &mut Json, pointer: &str, dice: &mut Dice) -> Option<()> {
    let schema = at(root, pointer)?;
    let name = dice.pick(&own_keywords(schema))?;
    schema.remove(&name).map(drop)
}

fn keyword_again(root: &mut Json, pointer: &str, dice: &mut Dice) -> Option<()> {
    let place = place(root, pointer);
    let schema = at(root, pointer)?;
    let name = dice.pick(&own_keywords(schema))?;
    let name = if matches!(&*name, "then" | "else") { "if".to_owned() } else { name };
    add(dice, place, &name, schema);
    Some(())
}

fn limit_moves(root: &mut Json, pointer: &str, dice: &mut Dice) -> Option<()> {
    let schema = at(root, pointer)?;
    let numbers: Vec<String> = schema
        .iter()
        .filter(|(name, value)| value.is_i64() && *name != "const")
        .map(|(name, _)| name.clone())
        .collect();
    let name = dice.pick(&numbers)?;
    let least = if name == "multipleOf" { 1 } else { i64::from(!name.contains("imum")) - 1 };
    let moved = schema[&name].as_i64()? + [1, -1, 2][dice.below(3)];
    let is_size = !matches!(&*name, "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum");
    schema.insert(name, json!(if is_size { moved.max(least).max(0) } else { moved }));
    Some(())
}

fn another_schema(root: &mut Json, pointer: &str, dice: &mut Dice) -> Option<()> {
    if pointer.is_empty() {
        return another_dialect(root, dice);
    }
    let place = place(root, pointer);
    *root.pointer_mut(pointer)? = schema(dice, place);
    Some(())
}

/// The same text under another dialect.
fn another_dialect(root: &mut Json, dice: &mut Dice) -> Option<()> {
    let draft = dice.pick(&DRAFTS)?;
    root["$schema"] = json!(draft.address());
    Some(())
}

fn property_comes(root: &mut Json, pointer: &str, dice: &mut Dice) -> Option<()> {
    let place = Place { is_inside: true, first: 0, ..place(root, pointer) };
    let schemas = at(root, pointer)?;
    let properties = schemas.get_mut("properties")?.as_object_mut()?;
    let name = NAMES[dice.below(NAMES.len())];
    if !properties.contains_key(name) {
        properties.insert(name.to_owned(), schema(dice, place));
        return Some(());
    }
    None
}

fn property_goes(root: &mut Json, pointer: &str, dice: &mut Dice) -> Option<()> {
    let properties = at(root, pointer)?.get_mut("properties")?.as_object_mut()?;
    let name = dice.pick(&properties.keys().cloned().collect::<Vec<_>>())?;
    properties.remove(&name).map(drop)
}

fn property_renamed(root: &mut Json, pointer: &str, dice: &mut Dice) -> Option<()> {
    let properties = at(root, pointer)?.get_mut("properties")?.as_object_mut()?;
    let name = dice.pick(&properties.keys().cloned().collect::<Vec<_>>())?;
    let schema = properties.remove(&name)?;
    properties.insert(NAMES[dice.below(NAMES.len())].to_owned(), schema);
    Some(())
}

fn name_required(root: &mut Json, pointer: &str, dice: &mut Dice) -> Option<()> {
    let schema = at(root, pointer)?;
    let name = json!(NAMES[dice.below(NAMES.len())]);
    let names = schema.entry("required").or_insert(json!([])).as_array_mut()?;
    if !names.contains(&name) {
        names.push(name);
        return Some(());
    }
    None
}

fn name_optional(root: &mut Json, pointer: &str, dice: &mut Dice) -> Option<()> {
    let schema = at(root, pointer)?;
    one_less(schema, "required", dice)
}

/// An entry less in a list; the keyword goes with the last one.
fn one_less(schema: &mut Map<String, Json>, keyword: &str, dice: &mut Dice) -> Option<()> {
    let list = schema.get_mut(keyword)?.as_array_mut()?;
    if list.len() > 1 {
        list.remove(dice.below(list.len()));
    } else {
        schema.remove(keyword);
    }
    Some(())
}

fn value_comes(root: &mut Json, pointer: &str, dice: &mut Dice) -> Option<()> {
    let values = at(root, pointer)?.get_mut("enum")?.as_array_mut()?;
    let one = value(dice);
    (!values.contains(&one)).then(|| values.push(one))
}

fn value_goes(root: &mut Json, pointer: &str, dice: &mut Dice) -> Option<()> {
    one_less(at(root, pointer)?, "enum", dice)
}

fn listed(schema: &Map<String, Json>, dice: &mut Dice) -> Option<&'static str> {
    let has: Vec<&'static str> =
        LISTS.into_iter().filter(|name| schema.get(*name).is_some_and(Json::is_array)).collect();
    dice.pick(&has)
}

fn branch_comes(root: &mut Json, pointer: &str, dice: &mut Dice) -> Option<()> {
    let place = place(root, pointer);
    let made = at(root, pointer)?;
    let keyword = listed(made, dice)?;
    let one = schema(dice, place);
    made.get_mut(keyword)?.as_array_mut()?.push(one);
    Some(())
}

fn branch_goes(root: &mut Json, pointer: &str, dice: &mut Dice) -> Option<()> {
    let schema = at(root, pointer)?;
    let keyword = listed(schema, dice)?;
    one_less(schema, keyword, dice)
}

fn branches_turn(root: &mut Json, pointer: &str, dice: &mut Dice) -> Option<()> {
    let schema = at(root, pointer)?;
    let keyword = listed(schema, dice)?;
    schema.get_mut(keyword)?.as_array_mut()?.reverse();
    Some(())
}

fn content(root: &mut Json, pointer: &str, dice: &mut Dice) -> Option<()> {
    let is_new = draft(root) >= Draft::D2019;
    let schema = at(root, pointer)?;
    let keyword = if is_new && dice.percent(30) { "unevaluatedProperties" } else { "additionalProperties" };
    match schema.remove(keyword) {
        Some(Json::Bool(false)) => {}
        _ => drop(schema.insert(keyword.to_owned(), json!(false))),
    }
    Some(())
}

fn other_combination(root: &mut Json, pointer: &str, dice: &mut Dice) -> Option<()> {
    let schema = at(root, pointer)?;
    let all = ["allOf", "anyOf", "oneOf"];
    let from = all.into_iter().find(|name| schema.contains_key(*name))?;
    let branches = schema.remove(from)?;
    schema.insert(all[dice.below(3)].to_owned(), branches);
    Some(())
}

fn wrapped(root: &mut Json, pointer: &str, dice: &mut Dice) -> Option<()> {
    let place = place(root, pointer);
    if pointer.is_empty() {
        return None;
    }
    let inner = root.pointer_mut(pointer)?;
    let whole = inner.take();
    *inner = match dice.below(5) {
        0 => json!({ "allOf": [whole] }),
        1 => json!({ "not": { "not": whole } }),
        2 => json!({ "anyOf": [whole, { "type": "null" }] }),
        3 => json!({ "oneOf": [whole, schema(dice, place)] }),
        _ => json!({ "allOf": [whole, schema(dice, place)] }),
    };
    Some(())
}

/// A schema moves to where others are kept: nothing else changes.
fn referred(root: &mut Json, pointer: &str, _dice: &mut Dice) -> Option<()> {
    let draft = draft(root);
    let Place { kept, .. } = place(root, pointer);
    if pointer.is_empty() || pointer.starts_with(&format!("/{}", draft.shelf())) {
        return None;
    }
    let name = format!("d{kept}");
    let inner = root.pointer_mut(pointer)?;
    let whole = std::mem::replace(inner, json!({ "$ref": format!("#/{}/{name}", draft.shelf()) }));
    root[draft.shelf()][name] = whole;
    Some(())
}
