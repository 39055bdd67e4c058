//! As whom to judge: another tool, and which of its rules count.

use std::collections::BTreeSet;

use crate::rules::{Category, Profile, RuleSet};

impl Profile {
    /// The profile with the rules of its tool that count.
    pub fn in_force(&self, rules: &RuleSet) -> PeerPolicy {
        let ids = |category: &Category| rules.peer_category(&self.tool, &category.version, &category.name);
        PeerPolicy {
            name: self.name.clone(),
            tool: self.tool.clone(),
            format: self.format.clone(),
            ids: self.category.as_ref().map(ids),
        }
    }
}

/// As whom to judge, and by which rules of theirs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PeerPolicy {
    /// The name in reports.
    pub name: String,
    /// The tool whose ids decide.
    pub tool: String,
    /// The format it judges; other formats are judged as ever.
    pub format: String,
    /// The ids that count; `None` for all.
    pub ids: Option<BTreeSet<String>>,
}

impl PeerPolicy {
    /// Whether an id of a tool counts.
    pub fn counts(&self, tool: &str, id: &str) -> bool {
        tool == self.tool && self.ids.as_ref().is_none_or(|ids| ids.contains(id))
    }
}
