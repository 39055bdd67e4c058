//! Whether at most one branch of `oneOf` can be valid, as far as that is seen without looking at data: by types, and by
//! members that have to be there with other values, or that the other branch does not take at all.

use serde_json::Value;

use super::bson;
use super::model::{Node, NodeId, Schema};
use super::same::equal;

/// More branches than this are not looked at.
const MOST_BRANCHES: usize = 100;

/// Whether no two branches of `oneOf` take the same value.
pub(super) fn is_exclusive(schema: &Schema, node: &Node) -> bool {
    let branches = node.list("oneOf");
    branches.len() <= MOST_BRANCHES
        && branches.iter().enumerate().all(|(index, one)| {
            branches[index + 1..].iter().all(|other| excludes(schema, [one, other].map(|id| seen(schema, *id))))
        })
}

fn seen(schema: &Schema, id: NodeId) -> &Node {
    schema.node(schema.seen_through(id))
}

fn excludes(schema: &Schema, pair: [&Node; 2]) -> bool {
    if pair.iter().any(|node| node.is_false) {
        return true;
    }
    if let [Some(one), Some(other)] = pair.map(values) {
        return one.iter().all(|value| other.iter().all(|other| !equal(value, other)));
    }
    let [one, other] = pair.map(allowed);
    let shared: Vec<&str> = one.into_iter().filter(|ty| other.contains(ty)).collect();
    match shared[..] {
        [] => true,
        ["object"] => {
            let [one, other] = pair;
            let is_told_apart = tags(one).any(|name| {
                let of_tag = pair.map(|node| tag(schema, node, name));
                matches!(of_tag, [Some(one), Some(other)] if one.iter().all(|value| other.iter().all(|other| !equal(value, other))))
            });
            is_told_apart || demands_what_is_refused(schema, one, other) || demands_what_is_refused(schema, other, one)
        }
        _ => false,
    }
}

/// Whether one branch demands a member that the other one refuses, at all or with these values.
fn demands_what_is_refused(schema: &Schema, demanding: &Node, refusing: &Node) -> bool {
    tags(demanding).any(|name| match refusing.map("properties").and_then(|map| map.get(name)) {
        Some(member) => {
            let member = seen(schema, *member);
            // More beside the values would refuse fewer.
            let refused = member.child("not").map(|id| seen(schema, id)).filter(|not| not.keywords.len() == 1);
            let refused = refused.and_then(values);
            let demanded = tag(schema, demanding, name);
            let all_refused = |values: &[Value], refused: &[Value]| {
                values.iter().all(|value| refused.iter().any(|other| equal(value, other)))
            };
            member.is_false || demanded.zip(refused).is_some_and(|(values, refused)| all_refused(values, refused))
        }
        None => {
            let others = refusing.child("additionalProperties").map(|id| seen(schema, id));
            others.is_some_and(|others| others.is_false) && !refusing.keywords.contains_key("patternProperties")
        }
    })
}

fn values(node: &Node) -> Option<&[Value]> {
    node.value("enum").and_then(Value::as_array).map(Vec::as_slice)
}

/// The types of JSON; a number is an integer or has a fraction.
const TYPES: [&str; 7] = ["array", "boolean", "integer", "fraction", "null", "object", "string"];

/// What a list of types allows, among those of JSON and of BSON; without one, everything.
pub(super) fn types(value: Option<&Value>) -> Vec<&'static str> {
    let all = TYPES.into_iter().chain(bson::NUMBERS).chain(bson::OTHERS);
    let Some(Value::Array(names)) = value else { return all.collect() };
    let has = |wanted: &str| names.iter().any(|name| name == wanted);
    all.filter(|ty| has(ty) || is_number(ty) && has("number")).collect()
}

fn is_number(ty: &str) -> bool {
    matches!(ty, "integer" | "fraction") || bson::NUMBERS.contains(&ty)
}

/// The types that a schema allows; those of its values, where it lists them.
fn allowed(node: &Node) -> Vec<&'static str> {
    let of_keyword = types(node.value("type"));
    let Some(values) = values(node) else { return of_keyword };
    let is_of = |value: &Value, ty: &str| match value {
        Value::Null => ty == "null",
        Value::Bool(_) => ty == "boolean",
        Value::Number(number) if number.as_f64().is_some_and(|number| number.fract() == 0.0) => {
            ty != "fraction" && is_number(ty)
        }
        Value::Number(_) => ty != "integer" && is_number(ty),
        Value::String(_) => ty == "string",
        Value::Array(_) => ty == "array",
        Value::Object(_) => ty == "object",
    };
    of_keyword.into_iter().filter(|ty| values.iter().any(|value| is_of(value, ty))).collect()
}

/// The members that have to be there.
fn tags(node: &Node) -> impl Iterator<Item = &str> {
    node.value("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str)
}

/// The values of a member that has to be there.
fn tag<'s>(schema: &'s Schema, node: &Node, name: &str) -> Option<&'s [Value]> {
    let is_required = tags(node).any(|one| one == name);
    let member = node.map("properties")?.get(name).filter(|_| is_required)?;
    values(seen(schema, *member))
}
