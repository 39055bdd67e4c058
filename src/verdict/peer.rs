//! As whom to judge: another tool, and which of its rules count.

use crate::ordered::OrderedSet;
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

    /// The profiles of one name, one for each format that the tool judges.
    pub fn all_in_force(&self, rules: &RuleSet) -> ProfilePolicy {
        let alike = Profile::all().filter(|other| other.name == self.name);
        ProfilePolicy { name: self.name.clone(), of_formats: alike.map(|other| other.in_force(rules)).collect() }
    }
}

/// As whom to judge, format by format.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProfilePolicy {
    /// The name in reports.
    pub name: String,
    /// By which rules of theirs; other formats are judged as ever.
    pub of_formats: Vec<PeerPolicy>,
}

impl ProfilePolicy {
    /// As whom to judge a format.
    pub fn of(&self, format: &str) -> Option<&PeerPolicy> {
        self.of_formats.iter().find(|peer| peer.format == format)
    }

    /// Whether what a tool reports is left out, because another choice of its rules is in force.
    pub fn leaves_out(&self, tool: &str, id: &str) -> bool {
        let mut own = self.of_formats.iter().filter(|peer| peer.tool == tool).peekable();
        own.peek().is_some() && !own.any(|peer| peer.counts(tool, id))
    }
}

impl From<PeerPolicy> for ProfilePolicy {
    fn from(peer: PeerPolicy) -> Self {
        ProfilePolicy { name: peer.name.clone(), of_formats: vec![peer] }
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
    pub ids: Option<OrderedSet<String>>,
}

impl PeerPolicy {
    /// Whether an id of a tool counts.
    pub fn counts(&self, tool: &str, id: &str) -> bool {
        tool == self.tool && self.ids.as_ref().is_none_or(|ids| ids.contains(id))
    }
}
