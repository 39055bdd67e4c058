//! Where a schema that was not found stands in a document. What stands for it is more than it takes for writers, and less for
//! readers. That says something only where more is more: not under `not`, nor where one of several has to be the only one.

use rustc_hash::FxHashSet;
use serde_json::{Map, Value, json};

/// Marks what stands for a schema that was not found. No keyword is called so.
const GAP: &str = "gap_";

/// Keywords under which a schema that takes more may have the whole take less.
const TURNING: [&str; 3] = ["not", "oneOf", "if"];

/// Keywords whose schemas say which members and items of the same value were looked at.
const BESIDE: [&str; 9] = ["$ref", "allOf", "anyOf", "oneOf", "if", "then", "else", "dependentSchemas", "contains"];

/// What stands for a schema that was not found: everything is valid, or nothing is.
pub(in crate::formats::json_schema) fn of_gap(takes_all: bool) -> Value {
    match takes_all {
        true => json!({ GAP: true }),
        false => json!({ GAP: true, "not": {} }),
    }
}

/// Whether a document has a gap of which it is not known whether more of it is more of the whole.
pub(super) fn has_turned_gap(document: &Value) -> bool {
    let (mut open, mut turned) = (vec![document], Vec::new());
    let mut has_gaps = false;
    while let Some(value) = open.pop() {
        match value {
            Value::Array(list) => open.extend(list),
            Value::Object(map) => {
                has_gaps |= map.contains_key(GAP);
                turned.extend(turning(map));
                open.extend(map.values());
            }
            _ => {}
        }
    }
    has_gaps && leads_to_gap(document, turned)
}

/// The schemas in one of which more may be less of it.
fn turning(map: &Map<String, Value>) -> Vec<&Value> {
    let is_counted = map.contains_key("maxContains") || map.get("minContains").is_some_and(|least| *least == json!(0));
    let is_left_over = ["unevaluatedProperties", "unevaluatedItems"].iter().any(|keyword| map.contains_key(*keyword));
    let is_turning = |keyword: &str| {
        let is_beside = is_left_over && BESIDE.contains(&keyword);
        TURNING.contains(&keyword) || keyword == "contains" && is_counted || is_beside
    };
    map.iter().filter(|(keyword, _)| is_turning(keyword)).map(|(_, value)| value).collect()
}

/// Whether some schemas, or what they refer to, have a gap.
fn leads_to_gap<'v>(document: &'v Value, mut open: Vec<&'v Value>) -> bool {
    let definitions = document.get("$defs");
    let mut seen: FxHashSet<&str> = FxHashSet::default();
    while let Some(value) = open.pop() {
        match value {
            Value::Array(list) => open.extend(list),
            Value::Object(map) if map.contains_key(GAP) => return true,
            Value::Object(map) => open.extend(map.values()),
            Value::String(target) => {
                let name = target.strip_prefix("#/$defs/").filter(|name| seen.insert(name));
                open.extend(name.and_then(|name| definitions?.get(name)));
            }
            _ => {}
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_is_less_where_it_is_denied_counted_or_left_over() {
        let gap = of_gap(true);
        let turned = [
            json!({ "not": gap }),
            json!({ "properties": { "a": { "oneOf": [true, { "items": gap }] } } }),
            json!({ "if": gap, "then": false }),
            json!({ "contains": gap, "maxContains": 0 }),
            json!({ "allOf": [gap], "unevaluatedProperties": false }),
            json!({ "not": { "$ref": "#/$defs/a" }, "$defs": { "a": { "items": { "$ref": "#/$defs/b" } }, "b": gap } }),
        ];
        for document in turned {
            assert!(has_turned_gap(&document), "{document}");
        }
        let straight = [
            gap.clone(),
            json!({ "allOf": [gap], "not": { "type": "null" } }),
            json!({ "properties": { "a": gap }, "unevaluatedProperties": false }),
            json!({ "contains": gap }),
            json!({ "anyOf": [{ "$ref": "#/$defs/a" }, true], "$defs": { "a": gap } }),
            json!({ "not": { "const": { "gap": true } } }),
        ];
        for document in straight {
            assert!(!has_turned_gap(&document), "{document}");
        }
    }
}
