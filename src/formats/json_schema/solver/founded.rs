//! What a document has to be so that it says something of each value: no schema demands itself of one and the same value.

use rustc_hash::FxHashSet;
use serde_json::Value;

/// Keywords whose schemas look at the same value.
const BESIDE: [&str; 9] = ["$ref", "allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas"];

/// Whether no definition of a document leads to itself without going into a member or an item: what such a one says of a value is
/// not defined.
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
