//! Which schemas hold which others, at any depth.

use rustc_hash::FxHashSet;

use super::model::{NodeId, Schema};

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
