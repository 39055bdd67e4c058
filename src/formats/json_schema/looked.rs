//! Which schemas look at something in a datum: of very many branches nearly all are for other data, and what is built for one
//! datum needs none of them.

use rustc_hash::{FxHashMap, FxHashSet};
use serde_json::Value;

use super::model::{NodeId, Part, Schema};
use super::reach::{members, of_members};
use super::same::equal;
use crate::ordered::OrderedSet;

/// Of fewer branches none is left out.
const FEW: usize = 16;
/// Of fewer schemas none is left out.
const MANY: usize = 500;
/// References followed from a branch to what it demands.
const LONGEST_CHAIN: usize = 8;

/// What a schema of a datum is asked with.
#[derive(Debug, Clone, Default)]
pub(super) struct Extent {
    /// The names of all members, at any depth.
    pub(super) members: OrderedSet<String>,
    /// Of very many branches those that may take something in it.
    pub(super) branches: FxHashSet<NodeId>,
    /// Of very many schemas those that look at something in it.
    pub(super) schemas: Option<FxHashSet<NodeId>>,
}

impl Extent {
    /// Whether whoever is made for this one is made for another.
    pub(super) fn holds(&self, other: &Extent) -> bool {
        let has_schemas = match (&self.schemas, &other.schemas) {
            (Some(own), Some(others)) => others.is_subset(own),
            (own, others) => own.is_none() && others.is_none(),
        };
        has_schemas && other.members.is_subset(&self.members) && other.branches.is_subset(&self.branches)
    }

    /// Makes it one for both.
    pub(super) fn extend(&mut self, other: Extent) {
        self.members.extend(other.members);
        self.branches.extend(other.branches);
        if let (Some(own), Some(others)) = (&mut self.schemas, other.schemas) {
            own.extend(others);
        }
    }
}

/// What a value has to be for a branch to take it, as far as that is seen at once.
#[derive(Debug, Default)]
struct Demands {
    /// Integers are numbers.
    types: Option<Vec<String>>,
    required: Vec<String>,
    /// The values that are left to members that have to be there.
    members: Vec<(String, Vec<Value>)>,
    /// The schemas that say so.
    said_by: Vec<NodeId>,
}

impl Demands {
    fn of(schema: &Schema, branch: NodeId) -> Demands {
        let mut demands = Demands::default();
        let mut open = vec![(branch, 0)];
        while let Some((id, depth)) = open.pop() {
            demands.said_by.push(id);
            let node = schema.node(id);
            if demands.types.is_none() {
                let types =
                    |types| words(types).map(|ty| if ty == "integer" { "number" } else { ty }.to_owned()).collect();
                demands.types = node.value("type").map(types);
            }
            let required: Vec<&str> = node.value("required").into_iter().flat_map(words).collect();
            for name in &required {
                if let Some(child) = node.map("properties").and_then(|map| map.get(*name))
                    && let Some(values) = listed(schema, *child, &mut demands.said_by)
                {
                    demands.members.push(((*name).to_owned(), values));
                }
            }
            demands.required.extend(required.into_iter().map(str::to_owned));
            if depth < LONGEST_CHAIN {
                let parts = ["$ref", "allOf"].iter().filter_map(|keyword| node.keywords.get(*keyword));
                open.extend(parts.flat_map(|keyword| keyword.part.schemas()).map(|part| (part, depth + 1)));
            }
        }
        demands
    }

    /// Whether it is certain that the branch does not take a value.
    fn are_failed_by(&self, value: &Value) -> bool {
        let ty = type_of(value);
        if self.types.as_ref().is_some_and(|types| !types.iter().any(|one| one == ty)) {
            return true;
        }
        let Value::Object(map) = value else { return false };
        let is_other = |(name, values): &(String, Vec<Value>)| {
            map.get(name).is_some_and(|value| !values.iter().any(|one| equal(one, value)))
        };
        self.required.iter().any(|name| !map.contains_key(name)) || self.members.iter().any(is_other)
    }
}

/// A word, or the words of a list.
fn words(value: &Value) -> impl Iterator<Item = &str> {
    value.as_str().into_iter().chain(value.as_array().into_iter().flatten().filter_map(Value::as_str))
}

fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

/// The values that a schema, or one that it refers to, leaves.
fn listed(schema: &Schema, mut id: NodeId, said_by: &mut Vec<NodeId>) -> Option<Vec<Value>> {
    for _ in 0..LONGEST_CHAIN {
        said_by.push(id);
        let node = schema.node(id);
        if let Some(value) = node.value("const") {
            return Some(vec![value.clone()]);
        }
        if let Some(values) = node.value("enum") {
            return values.as_array().cloned();
        }
        id = node.child("$ref")?;
    }
    None
}

/// What the branches of one side demand, where one schema has very many.
pub(super) struct Branches<'s> {
    schema: &'s Schema,
    demands: FxHashMap<NodeId, Demands>,
    /// Whether such branches lie inside of others.
    pub(super) are_nested: bool,
    /// Whether there are very many schemas.
    are_schemas_many: bool,
}

impl<'s> Branches<'s> {
    pub(super) fn of(schema: &'s Schema) -> Self {
        // The data of a validator of MongoDB are written with stand-ins.
        let is_bson = schema.files.iter().any(|file| file.is_bson);
        let nodes = schema.nodes.iter().filter(|_| !is_bson);
        let lists = nodes.flat_map(|node| ["anyOf", "oneOf"].map(|keyword| node.list(keyword)));
        let many: Vec<NodeId> = lists.filter(|list| list.len() > FEW).flatten().copied().collect();
        let demands = many.iter().map(|branch| (*branch, Demands::of(schema, *branch))).collect();
        let are_schemas_many = schema.nodes.len() > MANY;
        let mut branches = Branches { schema, demands, are_nested: false, are_schemas_many };
        branches.are_nested = branches.has_some_below(&many);
        branches
    }

    /// Whether there are some inside of others, at any depth.
    fn has_some_below(&self, many: &[NodeId]) -> bool {
        let held = |node: NodeId| self.schema.node(node).keywords.values().flat_map(|keyword| keyword.part.schemas());
        let mut open: Vec<NodeId> = many.iter().flat_map(|branch| held(*branch)).collect();
        let mut met = FxHashSet::default();
        while let Some(node) = open.pop() {
            if self.has(node) {
                return true;
            }
            if met.insert(node) {
                open.extend(held(node));
            }
        }
        false
    }

    /// Whether nothing is left out but members: what is made for a datum is for each that has no more members.
    pub(super) fn are_few(&self) -> bool {
        self.demands.is_empty() && !self.are_schemas_many
    }

    /// Whether a branch may be left out.
    pub(super) fn has_any(&self) -> bool {
        !self.demands.is_empty()
    }

    /// Whether a schema is one of very many branches.
    pub(super) fn has(&self, node: NodeId) -> bool {
        self.demands.contains_key(&node)
    }

    /// The schemas that may look at something in a datum, and what they need to be asked for it. Of a branch that does not
    /// take what it is asked of only that counts which says so.
    pub(super) fn look(&self, root: NodeId, datum: &Value) -> (FxHashSet<NodeId>, Extent) {
        let (mut found, mut failed) = (FxHashSet::default(), Vec::new());
        let extent = self.look_into(root, datum, &FxHashSet::default(), &mut found, &mut failed);
        found.extend(failed.iter().flat_map(|branch| &self.demands[branch].said_by));
        (found, extent)
    }

    /// What the schemas that may look at something in a datum need to be asked for it. Branches in `kept` are looked into in any
    /// case.
    pub(super) fn extent(&self, root: NodeId, datum: &Value, kept: &FxHashSet<NodeId>) -> Extent {
        self.look_into(root, datum, kept, &mut FxHashSet::default(), &mut Vec::new())
    }

    fn look_into(
        &self,
        root: NodeId,
        datum: &Value,
        kept: &FxHashSet<NodeId>,
        found: &mut FxHashSet<NodeId>,
        failed: &mut Vec<NodeId>,
    ) -> Extent {
        let mut extent = Extent { members: members(datum), ..Extent::default() };
        let mut seen: FxHashSet<(NodeId, usize)> = FxHashSet::default();
        let mut open = vec![(root, datum)];
        while let Some((id, value)) = open.pop() {
            if !seen.insert((id, std::ptr::from_ref(value).addr())) {
                continue;
            }
            found.insert(id);
            for (name, keyword) in &self.schema.node(id).keywords {
                let mut branch = |child: NodeId| match self.demands.get(&child) {
                    Some(demands) if !kept.contains(&child) && demands.are_failed_by(value) => {
                        failed.push(child);
                        None
                    }
                    Some(_) => {
                        extent.branches.insert(child);
                        Some((child, value))
                    }
                    None => Some((child, value)),
                };
                match (*name, &keyword.part, value) {
                    ("anyOf" | "oneOf", Part::List(list), _) => {
                        open.extend(list.iter().filter_map(|child| branch(*child)));
                    }
                    ("properties", Part::Map(map), Value::Object(object)) => {
                        let names = of_members(map, &extent.members);
                        open.extend(names.filter_map(|(name, child)| Some((*child, object.get(name)?))));
                    }
                    ("properties", ..) => {}
                    ("prefixItems", Part::List(list), Value::Array(items)) => {
                        open.extend(list.iter().copied().zip(items));
                    }
                    (name, part, value) => {
                        for child in part.schemas() {
                            match (inside(name), value) {
                                (Some(Inside::Members), Value::Object(map)) => {
                                    open.extend(map.values().map(|inner| (child, inner)));
                                }
                                (Some(Inside::Items), Value::Array(list)) => {
                                    open.extend(list.iter().map(|inner| (child, inner)));
                                }
                                (Some(Inside::Names), Value::Object(_)) => self.all_below(child, found, &mut extent),
                                (Some(_), _) => {}
                                (None, value) => open.push((child, value)),
                            }
                        }
                    }
                }
            }
        }
        Extent { schemas: self.are_schemas_many.then(|| found.clone()), ..extent }
    }

    /// A schema with all inside of it.
    fn all_below(&self, root: NodeId, found: &mut FxHashSet<NodeId>, extent: &mut Extent) {
        let (mut met, mut open) = (FxHashSet::from_iter([root]), vec![root]);
        while let Some(id) = open.pop() {
            extent.branches.extend(self.has(id).then_some(id));
            let keywords = self.schema.node(id).keywords.values();
            open.extend(keywords.flat_map(|keyword| keyword.part.schemas()).filter(|child| met.insert(*child)));
        }
        found.extend(met);
    }
}

/// What of a value the schemas under a keyword look at.
enum Inside {
    Members,
    Items,
    Names,
}

fn inside(keyword: &str) -> Option<Inside> {
    match keyword {
        "patternProperties" | "additionalProperties" | "unevaluatedProperties" => Some(Inside::Members),
        "items" | "unevaluatedItems" | "contains" => Some(Inside::Items),
        "propertyNames" => Some(Inside::Names),
        _ => None,
    }
}
