//! Which schemas hold which others, at any depth.

use rustc_hash::FxHashSet;
use serde_json::Value;

use super::model::{NodeId, Part, Schema};
use crate::ordered::{OrderedMap, OrderedSet};

/// For each schema of one side those in which it stands or which refer to it.
pub(super) struct Holders {
    of: Vec<Vec<NodeId>>,
    /// Whether a schema somewhere asks what others have looked at.
    pub(super) has_unevaluated: bool,
}

impl Holders {
    pub(super) fn of(schema: &Schema) -> Holders {
        let mut of = vec![Vec::new(); schema.nodes.len()];
        let mut has_unevaluated = false;
        for (holder, node) in (0..).map(NodeId).zip(&schema.nodes) {
            for (name, keyword) in &node.keywords {
                has_unevaluated |= name.starts_with("unevaluated");
                for held in keyword.part.schemas() {
                    of[held.0 as usize].push(holder);
                }
            }
        }
        Holders { of, has_unevaluated }
    }

    /// A schema and all that hold it.
    pub(super) fn around(&self, node: NodeId) -> FxHashSet<NodeId> {
        let mut found = FxHashSet::from_iter([node]);
        let mut open = vec![node];
        while let Some(node) = open.pop() {
            open.extend(self.of[node.0 as usize].iter().filter(|holder| found.insert(**holder)));
        }
        found
    }
}

/// The entries of `properties` for some members: whichever are fewer are looked up among the others.
pub(super) fn of_members<'m>(
    map: &'m OrderedMap<String, NodeId>,
    members: &'m OrderedSet<String>,
) -> Box<dyn Iterator<Item = (&'m String, &'m NodeId)> + 'm> {
    match members.len() < map.len() {
        true => Box::new(members.iter().filter_map(|member| map.get_key_value(member))),
        false => Box::new(map.iter().filter(|(member, _)| members.contains(*member))),
    }
}

/// The schemas that may look at something in a datum which has some members and no others, at any depth.
pub(super) fn looked_at(schema: &Schema, root: NodeId, members: &OrderedSet<String>) -> FxHashSet<NodeId> {
    let mut found = FxHashSet::from_iter([root]);
    let mut open = vec![root];
    while let Some(node) = open.pop() {
        for (name, keyword) in &schema.node(node).keywords {
            match &keyword.part {
                Part::Map(map) if *name == "properties" => {
                    open.extend(of_members(map, members).map(|(_, held)| *held).filter(|held| found.insert(*held)));
                }
                part => open.extend(part.schemas().filter(|held| found.insert(*held))),
            }
        }
    }
    found
}

/// The names of all members of a datum, at any depth.
pub(super) fn members(datum: &Value) -> OrderedSet<String> {
    let (mut found, mut open) = (OrderedSet::new(), vec![datum]);
    while let Some(value) = open.pop() {
        match value {
            Value::Array(list) => open.extend(list),
            Value::Object(map) => {
                found.extend(map.keys().cloned());
                open.extend(map.values());
            }
            _ => {}
        }
    }
    found
}
