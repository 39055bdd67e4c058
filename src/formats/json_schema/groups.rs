//! Which edits depend on each other, and what of the writer's schemas matters to some of them.
//!
//! A schema is the conjunction of its keywords, so what is edited under different ones is proven each by itself. Where a keyword
//! chooses between schemas, or what falls to one depends on another, the edits inside are one group.

use rustc_hash::{FxHashMap, FxHashSet};

use super::model::{NodeId, Part, Schema};
use super::pairs::{What, is_beside, keyword_family};
use crate::ordered::{InOrder, OrderedSet};

/// What of the writer's schemas matters to some edits.
pub(super) struct Matter<'m> {
    /// The schemas of which less demanded is never less that is valid around them.
    pub(super) positive: &'m FxHashSet<NodeId>,
    /// The schemas with the edits and all that hold them.
    pub(super) around: &'m FxHashSet<NodeId>,
    /// The schemas with the edits, and the families of keywords that were edited.
    pub(super) edited: FxHashSet<(NodeId, &'m str)>,
}

impl Matter<'_> {
    /// Whether what a keyword of a schema demands may be left out.
    pub(super) fn is_beside_the_point(&self, node: NodeId, keyword: &str, part: &Part, condition: &[NodeId]) -> bool {
        let chooses = matches!(
            keyword,
            "anyOf" | "oneOf" | "not" | "if" | "then" | "else" | "dependentSchemas" | "dependentRequired"
        );
        let leads = part.schemas().chain(condition.iter().copied()).any(|child| self.around.contains(&child));
        chooses && self.positive.contains(&node) && !self.edited.contains(&(node, keyword_family(keyword))) && !leads
    }
}

/// The schemas that are only met where less demanded is never less that is valid around them.
pub(super) fn positive(schema: &Schema, root: NodeId) -> FxHashSet<NodeId> {
    let (mut met, mut turned) = (FxHashSet::from_iter([root]), FxHashSet::default());
    let (mut open, mut below) = (vec![root], Vec::new());
    while let Some(node) = open.pop() {
        for (name, keyword) in &schema.node(node).keywords {
            match *name {
                "oneOf" | "not" | "if" | "contains" | "propertyNames" => below.extend(keyword.part.schemas()),
                _ => open.extend(keyword.part.schemas().filter(|child| met.insert(*child))),
            }
        }
    }
    while let Some(node) = below.pop() {
        if turned.insert(node) {
            below.extend(schema.node(node).keywords.values().flat_map(|keyword| keyword.part.schemas()));
        }
    }
    met.retain(|node| !turned.contains(node));
    met
}

/// A schema and what is edited in it, or what of it chooses between the schemas that have the edits.
type Reason<'e> = (NodeId, &'e str);

/// Edits that depend on each other, and the schemas around them.
struct Group {
    indices: Vec<usize>,
    around: FxHashSet<NodeId>,
    /// The last that came to it.
    last: usize,
}

/// Groups in the making. One that became part of another leads to that.
#[derive(Default)]
struct Making {
    groups: Vec<Group>,
    parents: Vec<usize>,
}

impl Making {
    fn group_of(&mut self, mut at: usize) -> usize {
        while self.parents[at] != at {
            self.parents[at] = self.parents[self.parents[at]];
            at = self.parents[at];
        }
        at
    }

    /// Makes two groups one: the smaller goes to the larger.
    fn unite(&mut self, one: usize, other: usize) {
        let (one, other) = (self.group_of(one), self.group_of(other));
        if one == other {
            return;
        }
        let is_more = self.groups[one].around.len() > self.groups[other].around.len();
        let (large, small) = if is_more { (one, other) } else { (other, one) };
        self.parents[small] = large;
        let (indices, around) =
            (std::mem::take(&mut self.groups[small].indices), std::mem::take(&mut self.groups[small].around));
        let last = self.groups[small].last;
        let group = &mut self.groups[large];
        group.indices.extend(indices);
        group.around.extend(around);
        group.last = group.last.max(last);
    }
}

/// Edits by groups that do not depend on each other. Each has the schema with it, what is edited, and the schemas around.
pub(super) fn groups<'e>(
    schema: &Schema,
    edits: impl IntoIterator<Item = (usize, NodeId, &'e What, FxHashSet<NodeId>)>,
) -> Vec<(Vec<usize>, FxHashSet<NodeId>)> {
    let mut making = Making::default();
    let mut known: FxHashMap<Reason<'e>, usize> = FxHashMap::default();
    for (at, (index, node, what, around)) in edits.into_iter().enumerate() {
        let mut reasons = vec![(node, what.family())];
        around.iter().for_each(|outer| chosen(schema, *outer, &around, &mut reasons));
        making.parents.push(at);
        making.groups.push(Group { indices: vec![index], around, last: at });
        for reason in reasons {
            let first = *known.entry(reason).or_insert(at);
            making.unite(at, first);
        }
    }
    let mut groups = making.groups;
    groups.retain(|group| !group.indices.is_empty());
    groups.sort_in_order_by_key(|group| group.last);
    let sorted = |mut group: Group| {
        group.indices.sort_in_order();
        (group.indices, group.around)
    };
    groups.into_iter().map(sorted).collect()
}

/// The keywords of a schema by which what lies inside depends on other schemas.
fn chosen<'e>(schema: &Schema, outer: NodeId, around: &FxHashSet<NodeId>, reasons: &mut Vec<Reason<'e>>) {
    for (name, keyword) in &schema.node(outer).keywords {
        let family = match *name {
            "$ref" | "$dynamicRef" | "allOf" | "properties" => continue,
            name => keyword_family(name),
        };
        if keyword.part.schemas().any(|child| around.contains(&child)) {
            reasons.push((outer, family));
        }
    }
}

/// A schema with all that look at the same value, those under `not` included.
pub(super) fn beside(schema: &Schema, root: NodeId) -> OrderedSet<NodeId> {
    let (mut found, mut open) = (OrderedSet::from([root]), vec![root]);
    while let Some(node) = open.pop() {
        for (name, keyword) in &schema.node(node).keywords {
            if is_beside(name) || *name == "not" {
                open.extend(keyword.part.schemas().filter(|child| found.insert(*child)));
            }
        }
    }
    found
}

/// The schemas that look at whole documents, and at nothing inside of them.
pub(super) fn only_outside(schema: &Schema, root: NodeId) -> OrderedSet<NodeId> {
    let mut whole = beside(schema, root);
    let inner = |node: &NodeId| -> Vec<NodeId> {
        let keywords = schema.node(*node).keywords.iter();
        let inside = keywords.filter(|(name, _)| !is_beside(name) && **name != "not");
        inside.flat_map(|(_, keyword)| keyword.part.schemas()).collect()
    };
    let mut open: Vec<NodeId> = whole.iter().flat_map(inner).collect();
    let mut inside: FxHashSet<NodeId> = open.iter().copied().collect();
    while let Some(node) = open.pop() {
        let held = schema.node(node).keywords.values().flat_map(|keyword| keyword.part.schemas());
        open.extend(held.filter(|child| inside.insert(*child)));
    }
    whole.retain(|node| !inside.contains(node));
    whole
}
