//! What the comparison hands to the round trips: the documents that were compared, and the edits that each change is made
//! of. Identities are made here and nowhere else.

use rustc_hash::{FxHashMap, FxHashSet};
use serde_json::Value;

use super::model::{Node, NodeId, Schema};
use crate::change::{Identity, Pair};
use crate::evidence::Outcome;
use crate::formats::frame::differ::container;
use crate::ordered::OrderedSet;

/// Two documents that were compared.
#[derive(Debug)]
pub struct Documents {
    /// The schemas of the whole documents.
    pub(super) nodes: Pair<NodeId>,
    /// Their files.
    pub(super) files: Pair<usize>,
    /// What they are called.
    pub(super) names: Pair<String>,
    /// The edits that can be felt in them, as indices.
    pub(super) edits: OrderedSet<usize>,
}

/// A change as an edit: what is to be written in the old schema to have it as in the new one.
#[derive(Debug, Clone)]
pub(super) struct Edit {
    /// What identifies the change.
    pub(super) identity: Identity,
    /// The two versions of the schema that is edited.
    pub(super) nodes: Pair<NodeId>,
    /// What is edited in it.
    pub(super) what: What,
    /// What new readers see of old data at worst, and old readers of new data.
    pub(super) claims: Pair<Outcome>,
    /// Whether less that is valid there is never more that is valid around it, wherever it is used.
    pub(super) is_monotone: bool,
    /// Whether no other schema looks at the same value, wherever it is used.
    pub(super) is_outer: bool,
}

/// What of a schema is edited.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum What {
    /// All of it.
    Schema,
    /// Some keywords as a whole.
    Keywords(&'static [&'static str]),
    /// The pattern, with a text that only the one side takes.
    Pattern(Pair<Option<String>>),
    /// One value of `enum`.
    Value(Value),
    /// One name in `required`.
    Required(String),
    /// One entry of a keyword with schemas by names.
    Entry(&'static str, String),
    /// One property together with its name in `required`.
    Member(String),
    /// One branch of a keyword with a list, by its index on the side that has it.
    Branch(&'static str, Pair<Option<usize>>),
}

impl What {
    /// What of a schema it has to do with: edits of two families do not know of each other.
    pub(super) fn family(&self) -> &'static str {
        match self {
            What::Schema => "schema",
            What::Pattern(_) => "pattern",
            What::Value(_) => "enum",
            What::Required(_) => "required",
            What::Entry("dependentSchemas", _) => "dependentSchemas",
            What::Entry(..) | What::Member(_) => "members",
            What::Branch("prefixItems", _) => "items",
            What::Branch(keyword, _) => keyword,
            What::Keywords(names) => names.first().map_or("", |name| keyword_family(name)),
        }
    }

    /// Whether it edits a keyword beside those of its family.
    pub(super) fn demands(&self, keyword: &str) -> bool {
        matches!(self, What::Member(_)) && keyword == "required"
    }

    /// The member of which it edits whether it has to be there.
    pub(super) fn required(&self) -> Option<&str> {
        match self {
            What::Member(name) | What::Required(name) => Some(name),
            _ => None,
        }
    }

    /// The entry of a keyword with schemas by names that it edits.
    pub(super) fn entry_of(&self, keyword: &str) -> Option<&str> {
        match self {
            What::Entry(of, entry) if *of == keyword => Some(entry),
            What::Member(entry) if keyword == "properties" => Some(entry),
            _ => None,
        }
    }
}

/// The family of a keyword.
pub(super) fn keyword_family(keyword: &str) -> &str {
    match keyword {
        "properties" | "patternProperties" | "additionalProperties" | "unevaluatedProperties" => "members",
        "items" | "prefixItems" | "unevaluatedItems" => "items",
        "contains" | "minContains" | "maxContains" => "contains",
        "if" | "then" | "else" => "if",
        name => name,
    }
}

/// Whether the schemas under a keyword look at the same value as the schema that has it.
pub(super) fn is_beside(keyword: &str) -> bool {
    matches!(
        keyword,
        "$ref" | "$dynamicRef" | "allOf" | "anyOf" | "oneOf" | "if" | "then" | "else" | "dependentSchemas"
    )
}

/// Which pairs of schemas lie in which others, as they were compared.
#[derive(Debug, Default)]
pub(super) struct Nesting {
    /// The pairs right inside of each.
    pub(super) inside: FxHashMap<Pair<NodeId>, Vec<Pair<NodeId>>>,
    /// Those under a keyword that may turn round what is valid.
    pub(super) turned: FxHashSet<Pair<NodeId>>,
    /// Those that look at the same value as another schema.
    pub(super) beside: FxHashSet<Pair<NodeId>>,
}

impl Nesting {
    /// Whether readers of what is around are safe as far as readers of this pair are.
    pub(super) fn is_sound(&self, nodes: Pair<NodeId>) -> bool {
        !self.turned.contains(&nodes) && !self.beside.contains(&nodes)
    }

    /// The pairs that are met on the way from one of them, which goes into none that is closed.
    pub(super) fn met(&self, from: Pair<NodeId>, closed: &FxHashSet<Pair<NodeId>>) -> FxHashSet<Pair<NodeId>> {
        let (mut met, mut open) = (FxHashSet::default(), vec![from]);
        while let Some(nodes) = open.pop() {
            if !closed.contains(&nodes) && met.insert(nodes) {
                open.extend(self.inside.get(&nodes).into_iter().flatten());
            }
        }
        met
    }

    /// The sound places nearest around some pairs, of those that were met, which were not asked yet.
    pub(super) fn nearest(
        &self,
        met: &FxHashSet<Pair<NodeId>>,
        from: Vec<Pair<NodeId>>,
        asked: &FxHashSet<Pair<NodeId>>,
    ) -> OrderedSet<Pair<NodeId>> {
        let mut around: FxHashMap<Pair<NodeId>, Vec<Pair<NodeId>>> = FxHashMap::default();
        let inside = |nodes: &Pair<NodeId>| self.inside.get(nodes).into_iter().flatten();
        met.iter().for_each(|outer| inside(outer).for_each(|inner| around.entry(*inner).or_default().push(*outer)));
        let (mut found, mut seen, mut open) = (OrderedSet::new(), FxHashSet::default(), from);
        while let Some(nodes) = open.pop() {
            if !seen.insert(nodes) {
                continue;
            }
            if self.is_sound(nodes) && !asked.contains(&nodes) {
                found.insert(nodes);
            } else {
                open.extend(around.get(&nodes).into_iter().flatten());
            }
        }
        found
    }
}

/// What was compared with what.
#[derive(Debug, Default)]
pub struct Pairs {
    pub(super) nesting: Nesting,
    pub(super) documents: Vec<Documents>,
    pub(super) edits: Vec<Edit>,
}

/// The identity of something in a schema: where the schema stands on both sides, and what it is.
pub(super) fn identity(schemas: Pair<&Schema>, nodes: Pair<&Node>, what: &str) -> Identity {
    let place = |schema: &Schema, node: &Node| escaped(&format!("{}:{}", schema.path(node), node.pointer));
    let places = schemas.zip(nodes, place);
    Identity(format!("{}@{}", container(Pair::new(&places.old, &places.new)), escaped(what)))
}

/// What stands between the parts of identities may not stand in them.
fn escaped(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '#' | '=' | '|' | '[' | '{' | '!' | '>' | '@' | '%' => {
                plain.push_str(&format!("%{:02X}", u32::from(letter)))
            }
            letter => plain.push(letter),
        }
    }
    plain
}
