//! Whether at most one branch of `oneOf` can be valid, as far as that is seen without looking at data: by types, and by
//! members that have to be there with other values.

use serde_json::Value;

use super::relation::types;
use crate::formats::json_schema::model::{Node, NodeId, Schema};
use crate::formats::json_schema::same::equal;

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
        ["object"] => tags(pair[0]).any(|name| {
            let of_tag = pair.map(|node| tag(schema, node, name));
            matches!(of_tag, [Some(one), Some(other)] if one.iter().all(|value| other.iter().all(|other| !equal(value, other))))
        }),
        _ => false,
    }
}

fn values(node: &Node) -> Option<&[Value]> {
    node.value("enum").and_then(Value::as_array).map(Vec::as_slice)
}

/// The types that a schema allows; those of its values, where it lists them.
fn allowed(node: &Node) -> Vec<&'static str> {
    let of_keyword = types(node.value("type"));
    let Some(values) = values(node) else { return of_keyword };
    let of_value = |value: &Value| match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.as_f64().is_some_and(|number| number.fract() == 0.0) => "integer",
        Value::Number(_) => "fraction",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    };
    of_keyword.into_iter().filter(|ty| values.iter().any(|value| of_value(value) == *ty)).collect()
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
