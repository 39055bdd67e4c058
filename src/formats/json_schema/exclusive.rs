//! Whether at most one branch of `oneOf` can be valid, as far as that is seen without looking at data: by types, and by
//! members that have to be there with other values, or that the other branch does not take at all.

use rustc_hash::FxHashSet;
use serde_json::Value;

use super::bson;
use super::model::{Node, NodeId, Schema};
use super::same::equal;

/// More branches than this are compared by a member that tells all of them apart, if there is one, and else not at all.
const MOST_BRANCHES: usize = 100;
/// More schemas that hold of one value together are not looked at.
const MOST_PARTS: usize = 50;

/// A branch: the schemas that hold together where it does.
type Branch<'s> = Vec<&'s Node>;

/// Whether no two branches of `oneOf` take the same value.
pub(super) fn is_exclusive(schema: &Schema, node: &Node) -> bool {
    let branches: Vec<Branch<'_>> = node.list("oneOf").iter().map(|id| together(schema, *id)).collect();
    let Some(first) = branches.first() else { return true };
    // What is said of members is said of objects alone.
    let are_objects = || branches.iter().all(|branch| allowed(branch) == ["object"]);
    let by_tag = |name: &str| are_told_apart(&branches, |branch| tag(schema, branch, name));
    are_told_apart(&branches, values)
        || are_objects() && tags(first).into_iter().any(by_tag)
        || branches.len() <= MOST_BRANCHES
            && branches.iter().enumerate().all(|(index, one)| {
                branches[index + 1..].iter().all(|other| excludes(schema, [one.as_slice(), other.as_slice()]))
            })
}

/// Whether each branch has values, none of which another one has.
fn are_told_apart<'s>(branches: &[Branch<'s>], values: impl Fn(&[&'s Node]) -> Option<&'s [Value]>) -> bool {
    let mut seen = FxHashSet::default();
    // Numbers may be written in several ways.
    let is_plain = |value: &Value| value.is_string() || value.is_boolean() || value.is_null();
    branches.iter().all(|branch| {
        let values = values(branch);
        values.is_some_and(|values| {
            values.iter().all(is_plain) && {
                let own: FxHashSet<&Value> = values.iter().collect();
                own.into_iter().all(|value| seen.insert(value))
            }
        })
    })
}

/// A schema with those that hold where it does.
fn together(schema: &Schema, id: NodeId) -> Branch<'_> {
    let mut found: Vec<NodeId> = vec![id];
    let mut next = 0;
    while next < found.len() && found.len() < MOST_PARTS {
        let node = schema.node(found[next]);
        for child in node.child("$ref").into_iter().chain(node.list("allOf").iter().copied()) {
            if !found.contains(&child) {
                found.push(child);
            }
        }
        next += 1;
    }
    found.into_iter().map(|id| schema.node(id)).collect()
}

fn excludes(schema: &Schema, pair: [&[&Node]; 2]) -> bool {
    if pair.iter().any(|branch| branch.iter().any(|node| node.is_false)) {
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
            let is_told_apart = tags(one).into_iter().any(|name| {
                let of_tag = pair.map(|branch| tag(schema, branch, name));
                matches!(of_tag, [Some(one), Some(other)] if one.iter().all(|value| other.iter().all(|other| !equal(value, other))))
            });
            is_told_apart || demands_what_is_refused(schema, one, other) || demands_what_is_refused(schema, other, one)
        }
        _ => false,
    }
}

/// Whether one branch demands a member that the other one refuses, at all or with these values.
fn demands_what_is_refused(schema: &Schema, demanding: &[&Node], refusing: &[&Node]) -> bool {
    let refuses = |node: &Node, name: &str| match node.map("properties").and_then(|map| map.get(name)) {
        Some(member) => {
            let member = together(schema, *member);
            // More beside the values would refuse fewer.
            let nots = member.iter().filter_map(|node| node.child("not")).map(|id| together(schema, id));
            let said = |node: &&Node| node.keywords.keys().filter(|keyword| **keyword != "$ref").count();
            let mut refused = nots.filter(|not| not.iter().map(said).sum::<usize>() == 1);
            let demanded = tag(schema, demanding, name);
            let all_refused = |values: &[Value], refused: &[Value]| {
                values.iter().all(|value| refused.iter().any(|other| equal(value, other)))
            };
            member.iter().any(|node| node.is_false)
                || demanded.is_some_and(|demanded| {
                    refused.any(|refused| values(&refused).is_some_and(|refused| all_refused(demanded, refused)))
                })
        }
        None => {
            let others = node.child("additionalProperties").map(|id| schema.node(schema.seen_through(id)));
            others.is_some_and(|others| others.is_false) && !node.keywords.contains_key("patternProperties")
        }
    };
    tags(demanding).into_iter().any(|name| refusing.iter().any(|node| refuses(node, name)))
}

/// The values that one of some schemas lists.
fn values<'s>(branch: &[&'s Node]) -> Option<&'s [Value]> {
    branch.iter().find_map(|node| node.value("enum").and_then(Value::as_array)).map(Vec::as_slice)
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

/// The types that schemas allow together; those of the values, where they are listed.
fn allowed(branch: &[&Node]) -> Vec<&'static str> {
    let mut of_keyword = types(None);
    for node in branch {
        let own = types(node.value("type"));
        of_keyword.retain(|ty| own.contains(ty));
    }
    let Some(values) = values(branch) else { return of_keyword };
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
fn tags<'s>(branch: &[&'s Node]) -> Vec<&'s str> {
    let lists = branch.iter().filter_map(|node| node.value("required").and_then(Value::as_array));
    lists.flatten().filter_map(Value::as_str).collect()
}

/// The values of a member that has to be there.
fn tag<'s>(schema: &'s Schema, branch: &[&'s Node], name: &str) -> Option<&'s [Value]> {
    let is_required = tags(branch).contains(&name);
    let mut members = branch.iter().filter_map(|node| node.map("properties")?.get(name)).filter(|_| is_required);
    members.find_map(|member| values(&together(schema, *member)))
}
