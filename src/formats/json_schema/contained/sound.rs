//! What the steps depend on: that no schema demands itself of one and the same value, and when two schemas are the same.

use rustc_hash::FxHashSet;
use serde_json::{Map, Value};

use super::facts::{At, resolved, seen_through};
use crate::formats::json_schema::same::same_value;
use crate::formats::json_schema::ways::MARK;

/// Pairs of schemas that are compared.
const MOST_PAIRS: usize = 4_000;

/// Keywords whose schemas look at the same value.
const BESIDE: [&str; 9] = ["$ref", "allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas"];

/// Whether no definition of a document leads to itself without going into a member or an item: what is assumed of such a one
/// would be shown by nothing.
pub(super) fn is_founded(document: &Value) -> bool {
    let Some(Value::Object(definitions)) = document.get("$defs") else { return true };
    let (mut done, mut on_the_way): (FxHashSet<&str>, FxHashSet<&str>) = Default::default();
    for name in definitions.keys() {
        // Each with the definitions that are still to be looked at below it.
        let mut way = vec![(name.as_str(), led_to(&definitions[name]))];
        while let Some((name, targets)) = way.last_mut() {
            let name = *name;
            if done.contains(name) {
                way.pop();
                continue;
            }
            on_the_way.insert(name);
            match targets.pop() {
                Some(target) if on_the_way.contains(target) => return false,
                Some(target) => {
                    let schema = definitions.get(target);
                    way.extend(schema.map(|schema| (target, led_to(schema))));
                }
                None => {
                    on_the_way.remove(name);
                    done.insert(name);
                    way.pop();
                }
            }
        }
    }
    true
}

/// The definitions that a schema refers to for the same value.
fn led_to(schema: &Value) -> Vec<&str> {
    let (mut targets, mut open) = (Vec::new(), vec![schema]);
    while let Some(schema) = open.pop() {
        let Value::Object(map) = schema else { continue };
        for (keyword, value) in map.iter().filter(|(keyword, _)| BESIDE.contains(&keyword.as_str())) {
            match value {
                Value::String(target) => targets.extend(target.strip_prefix("#/$defs/")),
                Value::Array(list) => open.extend(list),
                Value::Object(schemas) if keyword == "dependentSchemas" => open.extend(schemas.values()),
                schema => open.push(schema),
            }
        }
    }
    targets
}

/// Whether two schemas say the same, keyword by keyword; recursive ones do unless something inside differs.
pub(super) fn are_same(one: At<'_>, other: At<'_>) -> bool {
    let mut met = FxHashSet::default();
    let mut open = vec![(one, other)];
    while let Some((one, other)) = open.pop() {
        let (one, other) = (seen_through(one), seen_through(other));
        let key = [one, other].map(|at| std::ptr::from_ref(at.schema).addr());
        if !met.insert(key) {
            continue;
        }
        let (one_map, other_map) = match (one.schema, other.schema) {
            (Value::Object(one), Value::Object(other)) => (one, other),
            (one, other) if one == other => continue,
            _ => return false,
        };
        if met.len() > MOST_PAIRS || keywords(one_map).count() != keywords(other_map).count() {
            return false;
        }
        for (keyword, value) in keywords(one_map) {
            let Some(there) = other_map.get(keyword) else { return false };
            if !level(keyword, (one.with(value), other.with(there)), &mut open) {
                return false;
            }
        }
    }
    true
}

fn keywords(map: &Map<String, Value>) -> impl Iterator<Item = (&String, &Value)> {
    map.iter().filter(|(keyword, _)| !matches!(keyword.as_str(), "$schema" | "$defs" | MARK))
}

/// Whether nothing differs under a keyword but in the schemas there, which are left to be looked at.
fn level<'d>(keyword: &str, (one, other): (At<'d>, At<'d>), open: &mut Vec<(At<'d>, At<'d>)>) -> bool {
    match (keyword, one.schema, other.schema) {
        ("$ref", ..) => match (resolved(one), resolved(other)) {
            (Some(one), Some(other)) => open.push((one, other)),
            _ => return false,
        },
        ("properties" | "patternProperties" | "dependentSchemas", Value::Object(ours), Value::Object(theirs)) => {
            if ours.len() != theirs.len() {
                return false;
            }
            for (name, schema) in ours {
                let Some(there) = theirs.get(name) else { return false };
                open.push((one.with(schema), other.with(there)));
            }
        }
        ("allOf" | "anyOf" | "oneOf" | "prefixItems", Value::Array(ours), Value::Array(theirs)) => {
            if ours.len() != theirs.len() {
                return false;
            }
            open.extend(ours.iter().zip(theirs).map(|(ours, theirs)| (one.with(ours), other.with(theirs))));
        }
        (
            "additionalProperties"
            | "unevaluatedProperties"
            | "propertyNames"
            | "items"
            | "unevaluatedItems"
            | "contains"
            | "not"
            | "if"
            | "then"
            | "else",
            ..,
        ) => open.push((one, other)),
        (keyword, one, other) => return same_value(keyword, one, other),
    }
    true
}
