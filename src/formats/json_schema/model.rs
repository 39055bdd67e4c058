//! The schemas of one side in one form, whatever dialect each is written in: that of 2020-12, with references as edges.
//!
//! What a dialect ignores is left out, what it spells otherwise has the newest spelling, and what asserts nothing (a
//! `minLength` of 0, `then` without `if`) is left out as well. So two schemas differ here only where they may differ to a
//! validator.

use std::sync::{Arc, OnceLock};

use rustc_hash::FxHashSet;
use serde_json::Value;

use super::registry::Shapes;
use crate::change::{Pair, Site, Span};
use crate::formats::instances::Usage;
use crate::ordered::{OrderedMap, OrderedSet};

/// A schema of one side, by its number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct NodeId(pub(super) u32);

/// What stands under a keyword.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Part {
    /// A value that is no schema.
    Value(Value),
    /// One schema.
    Schema(NodeId),
    /// Schemas in their order.
    List(Vec<NodeId>),
    /// Schemas by names.
    Map(OrderedMap<String, NodeId>),
}

impl Part {
    /// The schemas under a keyword.
    pub(super) fn schemas(&self) -> Box<dyn Iterator<Item = NodeId> + '_> {
        match self {
            Part::Value(_) => Box::new(std::iter::empty()),
            Part::Schema(child) => Box::new(std::iter::once(*child)),
            Part::List(list) => Box::new(list.iter().copied()),
            Part::Map(map) => Box::new(map.values().copied()),
        }
    }
}

/// A keyword of a schema.
#[derive(Debug, Clone)]
pub(super) struct Keyword {
    /// What stands under it.
    pub(super) part: Part,
    /// Its key and its value.
    pub(super) span: Span,
    /// The elements, where the value is a list.
    pub(super) elements: Vec<Span>,
    /// The keyword as it is written: another one where the dialect spells it otherwise.
    pub(super) written: &'static str,
    /// The texts in the list, where there are many: found out when they are first asked for.
    pub(super) texts: OnceLock<FxHashSet<Box<str>>>,
}

/// So many texts are looked for one by one.
const FEW: usize = 64;

impl Keyword {
    /// Whether a text is in the list that stands under it.
    pub(super) fn has_text(&self, text: &str) -> bool {
        let Part::Value(Value::Array(list)) = &self.part else { return false };
        let texts = || list.iter().filter_map(Value::as_str);
        match list.len() {
            0..=FEW => texts().any(|one| one == text),
            _ => self.texts.get_or_init(|| texts().map(Box::from).collect()).contains(text),
        }
    }
}

/// A note: something that validation does not look at.
#[derive(Debug, Clone)]
pub(super) struct Note {
    pub(super) value: Value,
    pub(super) span: Span,
}

/// A schema that is in no file of the side.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Elsewhere {
    /// A meta-schema or something in one, by its address. It is a reference to that, and the same wherever it has the address.
    Meta(String),
    /// One that was not found, by its address. Nothing is known of it but that it is the same wherever it has the address.
    Missing(String),
}

/// One schema.
#[derive(Debug, Clone)]
pub(super) struct Node {
    /// The file.
    pub(super) file: usize,
    /// The JSON pointer in it.
    pub(super) pointer: String,
    /// All of its text.
    pub(super) span: Span,
    /// Whether it is `false`: nothing is valid.
    pub(super) is_false: bool,
    /// What it stands for in place of all else.
    pub(super) elsewhere: Option<Elsewhere>,
    /// What it asserts, by the name of 2020-12.
    pub(super) keywords: OrderedMap<&'static str, Keyword>,
    /// What it says beside that.
    pub(super) notes: OrderedMap<String, Note>,
}

/// A file of one side.
#[derive(Debug)]
pub(super) struct File {
    pub(super) path: Arc<str>,
    /// Whether it only supplies schemas to others.
    pub(super) is_library: bool,
    /// The number of the terms on which it is judged.
    pub(super) terms: usize,
    /// Whether it is a meta-schema, which no side has as a file.
    pub(super) is_built_in: bool,
    /// What data of it are, where it could be understood.
    pub(super) root: Option<NodeId>,
    /// Whether it only holds definitions for others.
    pub(super) is_shelf: bool,
    /// The other documents that it refers to, as their addresses are written.
    pub(super) imports: Vec<String>,
    /// Its `$id`.
    pub(super) id: Option<String>,
    /// How its instances are used.
    pub(super) usage: Usage,
    /// Whether it is a validator of MongoDB, whose data are BSON.
    pub(super) is_bson: bool,
    /// Its dialect, as people call it, and where it says so.
    pub(super) dialect: &'static str,
    pub(super) dialect_span: Option<Span>,
    /// What it declares, by full names: itself, and each of its definitions.
    pub(super) names: Vec<(String, Option<NodeId>)>,
    /// What it says, as a number: files of one content have the same, on both sides.
    pub(super) content: Option<usize>,
}

/// Longer chains of references are not followed: a ring is one.
const LONGEST_CHAIN: usize = 64;

/// Two schemas where they are compared: references are seen through, but not one that the other side has as well, with more
/// beside it.
pub(super) fn met(schemas: Pair<&Schema>, mut nodes: Pair<NodeId>) -> Pair<NodeId> {
    for _ in 0..LONGEST_CHAIN {
        let referred = schemas.zip(nodes, Schema::referred);
        let refers = schemas.zip(nodes, |schema, id| schema.node(id).keywords.contains_key("$ref"));
        nodes = match (referred.old, referred.new) {
            (Some(old), Some(new)) => Pair::new(old, new),
            (Some(old), None) if !refers.new => Pair::new(old, nodes.new),
            (None, Some(new)) if !refers.old => Pair::new(nodes.old, new),
            _ => break,
        };
    }
    nodes
}

/// The schemas of one side.
#[derive(Debug, Default)]
pub struct Schema {
    pub(super) files: Vec<File>,
    pub(super) nodes: Vec<Node>,
    /// The same as the registry has it.
    pub(super) shapes: Shapes,
}

impl Schema {
    pub(super) fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.0 as usize]
    }

    /// A schema that is nothing but a reference is what it refers to.
    pub(super) fn seen_through(&self, mut id: NodeId) -> NodeId {
        // A ring of references asserts nothing; one round is enough to know.
        for _ in 0..LONGEST_CHAIN {
            match self.referred(id) {
                Some(target) => id = target,
                None => break,
            }
        }
        id
    }

    /// What a schema refers to that is nothing but a reference, or the single branch of one that is nothing else and has no note
    /// which somebody looks at.
    fn referred(&self, id: NodeId) -> Option<NodeId> {
        let node = self.node(id);
        match node.only_keyword()? {
            ("$ref", Part::Schema(target)) => Some(*target),
            ("allOf" | "anyOf" | "oneOf", Part::List(list)) if node.is_bare() => (list.len() == 1).then(|| list[0]),
            ("not", Part::Schema(denied)) if node.is_bare() => self.denied_twice(self.node(*denied)),
            _ => None,
        }
    }

    /// What is denied by a schema that is denied: the same as without both, where it says nothing of members or items, which count
    /// as declared and as looked at elsewhere.
    fn denied_twice(&self, denied: &Node) -> Option<NodeId> {
        let ("not", Part::Schema(target)) = denied.only_keyword().filter(|_| denied.is_bare())? else { return None };
        let is_of_value = |(name, keyword): (&&'static str, &Keyword)| {
            matches!(keyword.part, Part::Value(_)) && !matches!(*name, "required" | "dependentRequired")
        };
        let inner = self.node(*target);
        (!inner.keywords.is_empty() && inner.keywords.iter().all(is_of_value)).then_some(*target)
    }

    /// Whether there is a schema that was not found.
    pub(super) fn has_gaps(&self) -> bool {
        self.nodes.iter().any(|node| matches!(node.elsewhere, Some(Elsewhere::Missing(_))))
    }

    /// Some schemas, and those that they lead to.
    pub(super) fn led_to(&self, mut open: Vec<NodeId>) -> FxHashSet<NodeId> {
        let mut found: FxHashSet<NodeId> = open.iter().copied().collect();
        while let Some(node) = open.pop() {
            let inside = self.node(node).keywords.values().flat_map(|keyword| keyword.part.schemas());
            open.extend(inside.filter(|inner| found.insert(*inner)));
        }
        found
    }

    /// The schemas that are data or to which such lead: where nothing leads to any definition of a file that only holds those, all of
    /// them are.
    pub(super) fn used(&self) -> FxHashSet<NodeId> {
        let documents = self.files.iter().filter(|file| !file.is_shelf).filter_map(|file| file.root);
        let led = self.led_to(documents.collect());
        let definitions = |file: &File| -> Vec<NodeId> { file.names.iter().filter_map(|(_, node)| *node).collect() };
        let shelves = self.files.iter().filter(|file| file.is_shelf).map(definitions);
        let unused = shelves.filter(|names| !names.iter().any(|node| led.contains(node))).flatten();
        self.led_to(unused.chain(led.iter().copied()).collect())
    }

    /// The address of a schema that was not found and that another one leads to: of several the first.
    pub(super) fn missing_behind(&self, node: NodeId) -> Option<&str> {
        let missing = |node: &NodeId| match &self.node(*node).elsewhere {
            Some(Elsewhere::Missing(address)) => Some(address.as_str()),
            _ => None,
        };
        self.led_to(vec![node]).iter().filter_map(missing).min()
    }

    /// Which file refers to which other, by their paths.
    pub(super) fn references(&self) -> Vec<(&str, &str)> {
        let mut found = OrderedSet::new();
        for node in self.nodes.iter().filter(|node| node.elsewhere.is_none() && !self.files[node.file].is_built_in) {
            for keyword in node.keywords.values() {
                if let Part::Schema(target) = &keyword.part {
                    found.insert((&**self.path(node), &**self.path(self.node(*target))));
                }
            }
        }
        found.into_iter().filter(|(from, to)| from != to).collect()
    }

    /// Whether a schema is part of a validator of MongoDB.
    pub(super) fn is_bson(&self, node: &Node) -> bool {
        self.files.get(node.file).is_some_and(|file| file.is_bson)
    }

    pub(super) fn path(&self, node: &Node) -> &Arc<str> {
        &self.files[node.file].path
    }

    /// `shop/order.schema.json#/properties/id`
    pub(super) fn location(&self, node: &Node) -> String {
        format!("{}#{}", self.path(node), node.pointer)
    }

    pub(super) fn site(&self, node: &Node, span: Span) -> Site {
        Site { file: self.path(node).clone(), span }
    }
}

impl Node {
    /// The keyword of a schema that has no other.
    fn only_keyword(&self) -> Option<(&'static str, &Part)> {
        let mut keywords = self.keywords.iter().filter(|_| !self.is_false && self.elsewhere.is_none());
        let (name, keyword) = keywords.next()?;
        keywords.next().is_none().then_some((*name, &keyword.part))
    }

    /// Whether it has no note that somebody looks at.
    fn is_bare(&self) -> bool {
        self.notes.keys().all(|note| matches!(note.as_str(), "title" | "description" | "$comment"))
    }

    pub(super) fn value(&self, keyword: &str) -> Option<&Value> {
        match &self.keywords.get(keyword)?.part {
            Part::Value(value) => Some(value),
            _ => None,
        }
    }

    pub(super) fn child(&self, keyword: &str) -> Option<NodeId> {
        match &self.keywords.get(keyword)?.part {
            Part::Schema(id) => Some(*id),
            _ => None,
        }
    }

    pub(super) fn list(&self, keyword: &str) -> &[NodeId] {
        match self.keywords.get(keyword).map(|keyword| &keyword.part) {
            Some(Part::List(list)) => list,
            _ => &[],
        }
    }

    pub(super) fn map(&self, keyword: &str) -> Option<&OrderedMap<String, NodeId>> {
        match &self.keywords.get(keyword)?.part {
            Part::Map(map) => Some(map),
            _ => None,
        }
    }

    /// Whether everything is valid.
    pub(super) fn is_true(&self) -> bool {
        !self.is_false && self.elsewhere.is_none() && self.keywords.is_empty()
    }
}
