//! Documents for proofs, with what matters to them and no more.

use rustc_hash::FxHashSet;
use serde_json::{Map, Value};

use super::pairs::{Edit, What, keyword_family};
use super::reader::Reader;
use crate::ordered::OrderedSet;

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
        let edited: FxHashSet<&str> = edits.iter().filter_map(|edit| edit.what.required()).collect();
        names.retain(|name| name.as_str().is_some_and(|name| edited.contains(name)));
    }
    for keyword in ["properties", "patternProperties", "dependentSchemas"] {
        if let Some(Value::Object(map)) = root.get_mut(keyword) {
            let edited: FxHashSet<&str> = edits.iter().filter_map(|edit| edit.what.entry_of(keyword)).collect();
            map.iter_mut()
                .filter(|(name, _)| !edited.contains(&***name))
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

/// Leaves out of both documents the members that are as well in what is written as in what is read, of which the reader says
/// nothing and no pattern speaks: where no others are written, what remains is proven for each of them. The prover writes all
/// ways in which members may be there or not.
pub(super) fn leave_members_that_matter(written: &mut Value, read: &mut Value) {
    const NAMED: [&str; 4] = ["type", "properties", "patternProperties", "additionalProperties"];
    let (Some(writing), Some(reading)) = (root_of(written), root_of(read)) else { return };
    let is_plain = |keyword: &String| NAMED.contains(&keyword.as_str());
    let is_closed = writing.get("additionalProperties") == Some(&Value::Bool(false));
    if !is_closed || !reading.keys().all(is_plain) || !writing.keys().all(|name| is_plain(name) || name == "required") {
        return;
    }
    let patterns = |root: &Map<String, Value>| -> Vec<Reader> {
        let patterns = root.get("patternProperties").and_then(Value::as_object).into_iter().flatten();
        patterns.filter_map(|(pattern, _)| Reader::of_pattern(pattern)).collect()
    };
    let patterns: Vec<Reader> = [&*writing, &*reading].into_iter().flat_map(patterns).collect();
    let (Some(Value::Object(ours)), Some(Value::Object(theirs))) =
        (writing.get_mut("properties"), reading.get_mut("properties"))
    else {
        return;
    };
    let is_any = |(name, schema): (&String, &mut Value)| {
        let is_spoken_of = || patterns.iter().any(|pattern| pattern.takes(&Value::from(name.as_str())));
        *schema == Value::Bool(true) && ours.contains_key(name) && !is_spoken_of()
    };
    let any: Vec<String> =
        theirs.iter_mut().filter_map(|(name, schema)| is_any((name, schema)).then(|| name.clone())).collect();
    for name in &any {
        ours.remove(name);
        theirs.remove(name);
    }
    if let Some(Value::Array(names)) = writing.get_mut("required") {
        let any: FxHashSet<&str> = any.iter().map(String::as_str).collect();
        names.retain(|name| name.as_str().is_none_or(|name| !any.contains(name)));
    }
}

/// Leaves of the definitions of a document those that its root leads to.
fn drop_what_nobody_refers_to(document: &mut Value) {
    let mut kept: OrderedSet<String> = OrderedSet::new();
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
    fn members_that_both_have_are_left_out_unless_a_pattern_speaks_of_them() {
        let mut written = document(json!({
            "properties": { "x": true, "y": { "type": "null" }, "z-1": true }, "additionalProperties": false,
        }));
        let mut read = document(json!({
            "properties": { "x": true, "z-1": true }, "patternProperties": { "^z-": { "type": "null" } },
            "additionalProperties": false,
        }));
        leave_members_that_matter(&mut written, &mut read);
        let kept = json!({ "properties": { "y": { "type": "null" }, "z-1": true }, "additionalProperties": false });
        assert_eq!(written, document(kept));
        assert_eq!(read["$defs"]["a"]["properties"], json!({ "z-1": true }));
    }

    #[test]
    fn members_of_which_a_reader_says_nothing_may_be_anything() {
        let mut left = document(json!({ "properties": { "x": { "$ref": "#/$defs/b" }, "y": { "type": "null" } } }));
        leave_what_matters(&mut left, &document(json!({ "properties": { "x": true, "y": { "type": "null" } } })));
        let kept = json!({ "properties": { "x": true, "y": { "type": "null" } } });
        assert_eq!(left, json!({ "$ref": "#/$defs/a", "$defs": { "a": kept } }));
    }
}
