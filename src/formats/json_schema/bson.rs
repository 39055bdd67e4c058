//! Validators of MongoDB: `$jsonSchema`, which is draft 4 with the types of BSON and without references.
//!
//! What decides knows the values of JSON only. So a document is written down for it with a stand-in for each value that JSON
//! has not: an integer of 32 bits is itself, and what has another type of BSON is an object that names it in [`TAG`], a
//! number with its value in [`VALUE`]. Texts, booleans, arrays, null and documents stand for themselves; a document never has
//! a member of that name. What is shown to people is Extended JSON again.
//!
//! See <https://www.mongodb.com/docs/manual/reference/operator/query/jsonSchema/> for the keywords, and
//! <https://github.com/mongodb/specifications/blob/master/source/extended-json/extended-json.md> for Extended JSON.

use serde_json::{Map, Value, json};

use super::dialect::{Draft, Shape, shape};
use crate::syntax::json::{Json, JsonKind, Member};
use crate::syntax::log::Log;

/// The member of a stand-in that names its type.
const TAG: &str = "$bson";
/// The member of a stand-in that holds its number.
const VALUE: &str = "$value";

/// The types of BSON that JSON has as well, as JSON Schema calls them.
const SHARED: [&str; 5] = ["array", "boolean", "null", "object", "string"];
/// The types of numbers, which `number` names together.
pub(super) const NUMBERS: [&str; 4] = ["int", "long", "double", "decimal"];
/// All other types, by their aliases.
pub(super) const OTHERS: [&str; 12] = [
    "binData",
    "date",
    "dbPointer",
    "javascript",
    "javascriptWithScope",
    "maxKey",
    "minKey",
    "objectId",
    "regex",
    "symbol",
    "timestamp",
    "undefined",
];

/// What is said of numbers.
const OF_NUMBERS: [&str; 5] = ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"];
/// What is said of documents, where a stand-in is not to be taken for one.
const OF_DOCUMENTS: [&str; 9] = [
    "properties",
    "patternProperties",
    "additionalProperties",
    "required",
    "minProperties",
    "maxProperties",
    "propertyNames",
    "dependentRequired",
    "dependentSchemas",
];

/// The keywords of draft 4 that MongoDB knows; it refuses all others.
const KEYWORDS: [&str; 29] = [
    "additionalItems",
    "additionalProperties",
    "allOf",
    "anyOf",
    "bsonType",
    "dependencies",
    "description",
    "enum",
    "exclusiveMaximum",
    "exclusiveMinimum",
    "items",
    "maximum",
    "maxItems",
    "maxLength",
    "maxProperties",
    "minimum",
    "minItems",
    "minLength",
    "minProperties",
    "multipleOf",
    "not",
    "oneOf",
    "pattern",
    "patternProperties",
    "properties",
    "required",
    "title",
    "type",
    "uniqueItems",
];

/// Where a schema stands in what people keep: as it is, as the validator of a collection, as the options that a dump writes.
const PLACES: [&[&str]; 3] =
    [&["$jsonSchema"], &["validator", "$jsonSchema"], &["options", "validator", "$jsonSchema"]];

/// Whether a text says of itself that it is a validator.
pub(super) fn is_said(text: &[u8]) -> bool {
    memchr::memmem::find(text, b"\"$jsonSchema\"").is_some()
}

/// The schema of a validator, or the document as it is; and whether it is one of MongoDB. What stands beside it and decides
/// as well is said.
pub(super) fn unwrapped<'b>(json: Json<'b>, log: &mut Log) -> (Json<'b>, bool) {
    for place in PLACES {
        let mut inner = Some(&json);
        for key in place {
            inner = inner.and_then(|inner| inner.get(key));
        }
        if inner.is_none() {
            continue;
        }
        if let Some(other) = also_a_schema(&json) {
            let help = "keep the validator and the schema in files of their own";
            let message = format_args!(
                "`{other}` stands beside a validator of MongoDB, so nobody can say which of the two is meant"
            );
            log.error(json.span, message, help);
            return (json, false);
        }
        let around = place[..place.len() - 1].iter().try_fold(&json, |around, key| around.get(key));
        if let Some(Json { kind: JsonKind::Object(members), .. }) = around.filter(|_| place.len() > 1) {
            for member in members.iter().filter(|member| member.key != "$jsonSchema") {
                let help = "what it demands beside the schema is not looked at";
                log.warning(member.key_span, format_args!("the validator has `{}` as well", member.key), help);
            }
        }
        let mut whole = json;
        for key in place {
            let JsonKind::Object(members) = whole.kind else { unreachable!("it was found in there") };
            let member = members.into_iter().rev().find(|member| member.key == *key);
            whole = member.expect("it was found in there").value;
        }
        return (whole, true);
    }
    let is_bson = json.get("$schema").is_none() && has_types(&json);
    (json, is_bson)
}

/// A keyword that makes a document with a validator in it a schema by itself as well. What a dump of a collection says of
/// itself is none.
fn also_a_schema<'j>(json: &'j Json<'_>) -> Option<&'j str> {
    const DRAFTS: [Draft; 5] = [Draft::D4, Draft::D6, Draft::D7, Draft::D2019, Draft::D2020];
    const SORTS: [&str; 3] = ["collection", "view", "timeseries"];
    let JsonKind::Object(members) = &json.kind else { return None };
    let is_sort =
        |member: &Member<'_>| member.key == "type" && member.value.as_text().is_some_and(|text| SORTS.contains(&text));
    let is_keyword = |key: &str| {
        matches!(key, "$schema" | "$id" | "id") || DRAFTS.iter().any(|draft| shape(key, *draft) != Shape::Note)
    };
    members.iter().find(|member| is_keyword(&member.key) && !is_sort(member)).map(|member| &*member.key)
}

/// Whether a schema names a type of BSON, at any depth.
fn has_types(json: &Json<'_>) -> bool {
    let is_named = |value: &Json<'_>| aliases(value).is_some_and(|names| names.iter().all(|name| is_alias(name)));
    json.all().any(|json| json.get("bsonType").is_some_and(is_named))
}

/// The names that stand under `bsonType` or `type`.
fn aliases<'j>(value: &'j Json<'_>) -> Option<Vec<&'j str>> {
    match &value.kind {
        JsonKind::Text(text) => Some(vec![text]),
        JsonKind::List(list) => list.iter().map(Json::as_text).collect(),
        _ => None,
    }
}

fn is_alias(name: &str) -> bool {
    ["bool", "number"].contains(&name)
        || SHARED.contains(&name) && name != "boolean"
        || NUMBERS.contains(&name)
        || OTHERS.contains(&name)
}

/// The types of `bsonType` as the model has them: `bool` is `boolean`.
pub(super) fn types(value: Value) -> Value {
    let listed = if let Value::Array(names) = value { names } else { vec![value] };
    let renamed = listed.into_iter().map(|name| if name == "bool" { Value::from("boolean") } else { name });
    Value::Array(renamed.collect())
}

/// Says what MongoDB refuses, each with its place.
pub(super) fn check(json: &Json<'_>, log: &mut Log) {
    let mut open = vec![json];
    while let Some(json) = open.pop() {
        let JsonKind::Object(members) = &json.kind else { continue };
        for member in members {
            let (key, value) = (&*member.key, &member.value);
            if ["encrypt", "encryptMetadata"].contains(&key) {
                let help = "compare it by hand: what a server sees there is bytes";
                log.error(member.key_span, format_args!("what clients encrypt cannot be compared yet"), help);
            } else if !KEYWORDS.contains(&key) {
                let help = "MongoDB refuses a schema with a keyword that it does not know; remove it";
                log.error(member.key_span, format_args!("`{key}` is no keyword of `$jsonSchema`"), help);
            }
            match key {
                "bsonType" | "type" => check_types(key, value, log),
                "enum" => check_values(value, log),
                _ => {}
            }
            match (shape(key, Draft::D4), &value.kind) {
                (Shape::Schema | Shape::Items, JsonKind::Object(_)) => open.push(value),
                (Shape::List | Shape::Items, JsonKind::List(list)) => open.extend(list),
                (Shape::Map | Shape::Dependencies, JsonKind::Object(named)) => {
                    open.extend(named.iter().map(|member| &member.value));
                }
                _ => {}
            }
        }
        if let (Some(_), Some(second)) = (json.get("type"), json.get("bsonType")) {
            let help = "keep `bsonType`; MongoDB refuses a schema with both";
            log.error(second.span, format_args!("`bsonType` stands beside `type`"), help);
        }
    }
}

fn check_types(key: &str, value: &Json<'_>, log: &mut Log) {
    let Some(names) = aliases(value).filter(|names| !names.is_empty()) else {
        let help = "write a name, or a list of names";
        return log.error(value.span, format_args!("`{key}` names no type"), help);
    };
    for name in names {
        let is_known = if key == "type" { name == "number" || SHARED.contains(&name) } else { is_alias(name) };
        if !is_known {
            let help = if name == "integer" {
                "MongoDB has no type `integer`; write `bsonType` with `int`, `long` or both"
            } else {
                "see the aliases of the types of BSON in MongoDB's manual, under `$type`"
            };
            log.error(value.span, format_args!("`{name}` is no name that `{key}` takes"), help);
        }
    }
}

/// Values in which numbers are hidden, or what only Extended JSON says, have stand-ins that nobody could list.
fn check_values(values: &Json<'_>, log: &mut Log) {
    let JsonKind::List(values) = &values.kind else { return };
    for value in values {
        let is_strange = value.all().any(|inner| match &inner.kind {
            JsonKind::Number(_) => inner.span != value.span,
            JsonKind::Object(members) => members.iter().any(|member| member.key.starts_with('$')),
            _ => false,
        });
        if is_strange {
            let help = "compare the two versions of this list by hand";
            log.error(value.span, format_args!("this value of `enum` cannot be compared yet"), help);
        }
    }
}

/// A schema as what decides has it. `of_writer` says whether data are made after it: then it allows nothing that is no value.
pub(super) fn written(mut schema: Map<String, Value>, of_writer: bool) -> Map<String, Value> {
    if let Some(Value::Array(values)) = schema.get_mut("enum") {
        *values = std::mem::take(values).into_iter().flat_map(stand_ins).collect();
    }
    let kinds = schema.remove("type");
    let take = |schema: &mut Map<String, Value>, names: &[&str]| -> Map<String, Value> {
        names.iter().filter_map(|name| schema.remove_entry(*name)).collect()
    };
    let (numbers, documents) = (take(&mut schema, &OF_NUMBERS), take(&mut schema, &OF_DOCUMENTS));
    if kinds.is_none() && numbers.is_empty() && documents.is_empty() && !of_writer {
        return schema;
    }
    // The model has a list of types always; without one, all are meant.
    let names = kinds.as_ref().and_then(Value::as_array);
    let is_named = |kind: &str| names.is_none_or(|names| names.iter().any(|name| name == kind));
    let has = |kind: &str| is_named(kind) || NUMBERS.contains(&kind) && is_named("number");
    let mut branches = vec![shared(&has, &numbers, documents)];
    let with_value = |tags: &[&str], ty: &str| {
        let tags: Vec<&str> = tags.iter().copied().filter(|tag| has(tag)).collect();
        let mut value = numbers.clone();
        value.insert("type".to_owned(), Value::from(ty));
        (!tags.is_empty()).then(|| boxed(&tags, Some(Value::Object(value))))
    };
    branches.push(with_value(&["long"], "integer"));
    branches.push(with_value(&["double", "decimal"], "number"));
    let others: Vec<&str> = OTHERS.into_iter().filter(|tag| has(tag)).collect();
    branches.push((!others.is_empty()).then(|| boxed(&others, None)));
    let mut branches: Vec<Map<String, Value>> = branches.into_iter().flatten().collect();
    match branches.len() {
        1 => schema.extend(branches.remove(0)),
        _ => {
            let branches = json!({ "anyOf": branches });
            match schema.entry("allOf").or_insert_with(|| Value::Array(Vec::new())) {
                Value::Array(parts) => parts.push(branches),
                other => *other = Value::Array(vec![branches]),
            }
        }
    }
    schema
}

/// What stands for itself, if a schema allows such values.
fn shared(
    has: &impl Fn(&str) -> bool,
    numbers: &Map<String, Value>,
    documents: Map<String, Value>,
) -> Option<Map<String, Value>> {
    let mut types: Vec<&str> = SHARED.into_iter().filter(|kind| has(kind)).collect();
    let mut branch = Map::new();
    if has("int") {
        types.push("integer");
        branch.extend(numbers.clone());
        bound(&mut branch, "minimum", i32::MIN, |own, limit| own >= limit);
        bound(&mut branch, "maximum", i32::MAX, |own, limit| own <= limit);
    }
    if has("object") {
        branch.extend(documents);
        if branch.get("additionalProperties") != Some(&Value::Bool(false)) {
            let members = branch.entry("properties").or_insert_with(|| Value::Object(Map::new()));
            if let Value::Object(members) = members {
                members.insert(TAG.to_owned(), Value::Bool(false));
            }
        }
    }
    if types.is_empty() {
        return None;
    }
    branch.insert("type".to_owned(), types.into());
    Some(branch)
}

/// A limit of integers of 32 bits, unless the schema's own is narrower.
fn bound(branch: &mut Map<String, Value>, keyword: &str, limit: i32, is_narrower: fn(f64, f64) -> bool) {
    let own = branch.get(keyword).and_then(Value::as_f64);
    if own.is_none_or(|own| !is_narrower(own, f64::from(limit))) {
        branch.insert(keyword.to_owned(), limit.into());
    }
}

/// The schema of stand-ins.
fn boxed(tags: &[&str], value: Option<Value>) -> Map<String, Value> {
    let mut required = vec![TAG];
    let mut members = Map::new();
    members.insert(TAG.to_owned(), json!({ "enum": tags }));
    if let Some(value) = value {
        required.push(VALUE);
        members.insert(VALUE.to_owned(), value);
    }
    let schema =
        json!({ "type": "object", "required": required, "properties": members, "additionalProperties": false });
    if let Value::Object(schema) = schema { schema } else { Map::new() }
}

/// All that equals a value: MongoDB compares numbers by what they are, whatever their type.
fn stand_ins(value: Value) -> Vec<Value> {
    let Value::Number(number) = &value else { return vec![value] };
    let is_whole = number.as_f64().is_some_and(|number| number.fract() == 0.0);
    let mut all: Vec<Value> = ["double", "decimal"].iter().map(|tag| json!({ TAG: tag, VALUE: number })).collect();
    if is_whole {
        all.push(json!({ TAG: "long", VALUE: number }));
    }
    if is_int(&value) {
        all.push(value);
    }
    all
}

/// Whether a number is one that is an `int`.
fn is_int(value: &Value) -> bool {
    value
        .as_f64()
        .is_some_and(|number| number.fract() == 0.0 && (f64::from(i32::MIN)..=f64::from(i32::MAX)).contains(&number))
}

/// The schema of the `_id` that each document of a collection gets.
pub(super) fn own_id() -> Value {
    Value::Object(boxed(&["objectId"], None))
}

/// Whether a datum stands for a value: every number and every stand-in in it is one.
pub(super) fn is_value(datum: &Value) -> bool {
    match datum {
        Value::Number(_) => is_int(datum),
        Value::Array(list) => list.iter().all(is_value),
        Value::Object(map) => match map.get(TAG) {
            None => map.values().all(is_value),
            Some(Value::String(tag)) if OTHERS.contains(&&**tag) => map.len() == 1,
            Some(Value::String(tag)) => {
                let number = map.get(VALUE).and_then(Value::as_f64);
                let is_number =
                    number.is_some_and(|number| tag != "long" || number.fract() == 0.0 && number.abs() < 9e18);
                tag != "int" && NUMBERS.contains(&&**tag) && map.len() == 2 && is_number
            }
            Some(_) => false,
        },
        _ => true,
    }
}

/// A datum as Extended JSON.
pub(super) fn shown(datum: &Value) -> Value {
    match datum {
        Value::Array(list) => list.iter().map(shown).collect(),
        Value::Object(map) => match map.get(TAG).and_then(Value::as_str) {
            Some(tag) => extended(tag, map.get(VALUE)),
            None => Value::Object(map.iter().map(|(key, value)| (key.clone(), shown(value))).collect()),
        },
        Value::Number(number) => {
            number.as_f64().filter(|_| is_int(datum)).map_or_else(|| datum.clone(), |number| (number as i64).into())
        }
        _ => datum.clone(),
    }
}

fn extended(tag: &str, value: Option<&Value>) -> Value {
    let id = "65f0c0ffee0123456789abcd";
    let digits = value.map(number).unwrap_or_default();
    match tag {
        "long" => json!({ "$numberLong": digits }),
        "double" => {
            json!({ "$numberDouble": if digits.contains(['.', 'e']) { digits } else { format!("{digits}.0") } })
        }
        "decimal" => json!({ "$numberDecimal": digits }),
        "binData" => json!({ "$binary": { "base64": "AQID", "subType": "00" } }),
        "date" => json!({ "$date": "2024-01-01T00:00:00Z" }),
        "dbPointer" => json!({ "$dbPointer": { "$ref": "shop.orders", "$id": { "$oid": id } } }),
        "javascript" => json!({ "$code": "1" }),
        "javascriptWithScope" => json!({ "$code": "1", "$scope": {} }),
        "maxKey" => json!({ "$maxKey": 1 }),
        "minKey" => json!({ "$minKey": 1 }),
        "objectId" => json!({ "$oid": id }),
        "regex" => json!({ "$regularExpression": { "pattern": "a", "options": "" } }),
        "symbol" => json!({ "$symbol": "a" }),
        "timestamp" => json!({ "$timestamp": { "t": 1_704_067_200, "i": 1 } }),
        _ => json!({ "$undefined": true }),
    }
}

/// The digits of a number; a whole one without a fraction.
fn number(value: &Value) -> String {
    match value.as_f64() {
        Some(number) if number.fract() == 0.0 && number.abs() < 1e15 => format!("{number:.0}"),
        _ => value.to_string(),
    }
}

/// Why a datum is refused, without the words of what decides: these speak of stand-ins.
pub(super) fn reason(datum: &Value, told: &str) -> String {
    let (place, said) = match told.split_once(": ") {
        Some((place, said)) if place.starts_with('/') => (place, said),
        _ => ("", told),
    };
    let inner = [TAG, VALUE].into_iter().find_map(|part| place.strip_suffix(part)?.strip_suffix('/'));
    // Each of these may be said of what stands for a value, or of some of several branches only.
    let is_plain = inner.is_none() && [TAG, VALUE, "any of the", " of type "].iter().all(|word| !said.contains(word));
    let place = inner.unwrap_or(place);
    let said = match datum.pointer(place).filter(|_| !is_plain) {
        None => said.to_owned(),
        Some(value) => format!("{} is refused here, for its type, its value or a limit", shown(value)),
    };
    if place.is_empty() { said } else { format!("{place}: {said}") }
}

#[cfg(test)]
#[path = "bson_tests.rs"]
mod tests;
