//! Documents for proofs, with what matters to them and no more.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::pairs::{Edit, What, keyword_family};

/// Leaves to the root of a document the keywords of one family, and of their entries those that were edited. All else is
/// fulfilled: a schema is the conjunction of its families, and what was not edited is as the writers have it.
pub(super) fn leave_family(document: &mut Value, wanted: &'static str, edits: &[&Edit]) {
    if wanted == "schema" {
        return;
    }
    let demands_members = edits.iter().any(|edit| matches!(edit.what, What::Member(_)));
    let Some(root) = root_of(document) else { return };
    root.retain(|name, _| keyword_family(name) == wanted || demands_members && name == "required");
    if let Some(Value::Array(names)) = root.get_mut("required") {
        names.retain(|name| edits.iter().any(|edit| edit.what.requires(name)));
    }
    let is_edited = |keyword: &str, name: &String| edits.iter().any(|edit| edit.what.is_member(keyword, name));
    for keyword in ["properties", "patternProperties", "dependentSchemas"] {
        if let Some(Value::Object(map)) = root.get_mut(keyword) {
            map.iter_mut()
                .filter(|(name, _)| !is_edited(keyword, name))
                .for_each(|(_, schema)| *schema = Value::Bool(true));
        }
    }
    drop_what_nobody_refers_to(document);
}

/// The schema that a document refers to as a whole.
fn root_of(document: &mut Value) -> Option<&mut Map<String, Value>> {
    let pointer = document["$ref"].as_str()?.strip_prefix('#')?.to_owned();
    document.pointer_mut(&pointer)?.as_object_mut()
}

/// Has both documents name the members that one of them names: what is said of all others is said of each by itself.
pub(super) fn name_alike(one: &mut Value, other: &mut Value) {
    let names = |document: &mut Value| -> Vec<String> {
        let named = root_of(document).and_then(|root| root.get("properties")?.as_object());
        named.into_iter().flat_map(|map| map.keys().cloned()).collect()
    };
    let lists = [names(one), names(other)];
    for (document, names) in [(one, &lists[1]), (other, &lists[0])] {
        let Some(root) = root_of(document) else { continue };
        let is_plain = !root.contains_key("patternProperties") && !root.contains_key("unevaluatedProperties");
        let Some(others) = root.get("additionalProperties").filter(|_| is_plain).cloned() else { continue };
        let properties = root.entry("properties").or_insert_with(|| Value::Object(Map::new()));
        if let Value::Object(properties) = properties {
            for name in names {
                properties.entry(name.clone()).or_insert_with(|| others.clone());
            }
        }
    }
}

/// Leaves to what is written no more than what a reader with some keywords looks at: members of which it says nothing may be
/// anything, and so may what it has no keyword for. More is valid then, never less.
pub(super) fn leave_what_matters(written: &mut Value, read: &Value) {
    const KEPT: [&str; 5] = ["type", "properties", "patternProperties", "additionalProperties", "required"];
    let pointer = read["$ref"].as_str().and_then(|reference| reference.strip_prefix('#'));
    let Some(Value::Object(reading)) = pointer.and_then(|pointer| read.pointer(pointer)) else { return };
    let is_any = |name: &String| {
        reading.get("properties").and_then(|map| map.get(name)).is_some_and(|schema| *schema == Value::Bool(true))
    };
    let Some(root) = root_of(written) else { return };
    // Where what was looked at counts, less of it leaves less that is valid.
    if root.keys().any(|keyword| keyword.starts_with("unevaluated")) {
        return;
    }
    // A family is kept whole: without `prefixItems`, `items` would ask more.
    let is_read = |keyword: &String| reading.keys().any(|read| keyword_family(read) == keyword_family(keyword));
    root.retain(|keyword, _| KEPT.contains(&keyword.as_str()) || is_read(keyword));
    if let Some(Value::Object(members)) = root.get_mut("properties") {
        for (_, schema) in members.iter_mut().filter(|(name, _)| is_any(name)) {
            *schema = Value::Bool(true);
        }
    }
    drop_what_nobody_refers_to(written);
}

/// Leaves of the definitions of a document those that its root leads to.
fn drop_what_nobody_refers_to(document: &mut Value) {
    let mut kept: BTreeSet<String> = BTreeSet::new();
    let mut open: Vec<&Value> = document.get("$ref").into_iter().collect();
    while let Some(value) = open.pop() {
        match value {
            Value::Array(list) => open.extend(list),
            Value::Object(map) => open.extend(map.values()),
            Value::String(text) => {
                if let Some(name) = text.strip_prefix("#/$defs/")
                    && kept.insert(name.to_owned())
                {
                    open.extend(document.get("$defs").and_then(|all| all.get(name)));
                }
            }
            _ => {}
        }
    }
    if let Some(Value::Object(all)) = document.get_mut("$defs") {
        all.retain(|name, _| kept.contains(name));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn document(root: Value) -> Value {
        json!({ "$ref": "#/$defs/a", "$defs": { "a": root, "b": { "type": "string" } } })
    }

    #[test]
    fn what_is_left_of_the_written_takes_no_less_than_all_of_it() {
        let written =
            json!({ "prefixItems": [{ "$ref": "#/$defs/b" }], "items": { "type": "integer" }, "minItems": 2 });
        let mut left = document(written);
        leave_what_matters(&mut left, &document(json!({ "items": { "type": "integer" } })));
        let kept = json!({ "prefixItems": [{ "$ref": "#/$defs/b" }], "items": { "type": "integer" } });
        assert_eq!(left, document(kept));
    }

    #[test]
    fn members_of_which_a_reader_says_nothing_may_be_anything() {
        let mut left = document(json!({ "properties": { "x": { "$ref": "#/$defs/b" }, "y": { "type": "null" } } }));
        leave_what_matters(&mut left, &document(json!({ "properties": { "x": true, "y": { "type": "null" } } })));
        let kept = json!({ "properties": { "x": true, "y": { "type": "null" } } });
        assert_eq!(left, json!({ "$ref": "#/$defs/a", "$defs": { "a": kept } }));
    }
}
