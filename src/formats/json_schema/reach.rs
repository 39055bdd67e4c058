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

    /// The schemas that hold another.
    pub(super) fn holding(&self, node: NodeId) -> &[NodeId] {
        &self.of[node.0 as usize]
    }

    /// The first schema that holds another, or that one itself.
    pub(super) fn next_to(&self, node: NodeId) -> NodeId {
        self.of[node.0 as usize].first().copied().unwrap_or(node)
    }

    /// A schema and all that hold it.
    pub(super) fn around(&self, node: NodeId) -> Schemas {
        let mut found = Schemas { words: vec![0; self.of.len().div_ceil(BITS)] };
        found.insert(node);
        let mut open = vec![node];
        while let Some(node) = open.pop() {
            open.extend(self.of[node.0 as usize].iter().filter(|holder| found.insert(**holder)));
        }
        found
    }
}

/// Some of the schemas of one side.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Schemas {
    words: Vec<u64>,
}

const BITS: usize = u64::BITS as usize;

impl Schemas {
    /// Adds one of the side; whether it was not among them.
    fn insert(&mut self, node: NodeId) -> bool {
        if self.words.len() <= node.0 as usize / BITS {
            self.words.resize(node.0 as usize / BITS + 1, 0);
        }
        let (word, bit) = (&mut self.words[node.0 as usize / BITS], 1 << (node.0 as usize % BITS));
        let is_new = *word & bit == 0;
        *word |= bit;
        is_new
    }

    pub(super) fn contains(&self, node: NodeId) -> bool {
        self.words.get(node.0 as usize / BITS).is_some_and(|word| word & (1 << (node.0 as usize % BITS)) != 0)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = NodeId> {
        let all = (0..).zip(&self.words).filter(|(_, word)| **word != 0);
        let bits = all.flat_map(|(at, word)| (0..u64::BITS).map(move |bit| (at * u64::BITS + bit, word >> bit & 1)));
        bits.filter(|(_, is_there)| *is_there == 1).map(|(node, _)| NodeId(node))
    }
}

impl FromIterator<NodeId> for Schemas {
    fn from_iter<I: IntoIterator<Item = NodeId>>(nodes: I) -> Self {
        let mut found = Schemas { words: Vec::new() };
        nodes.into_iter().for_each(|node| _ = found.insert(node));
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
