//! The walk over pairs of schemas: what has met, in which documents, and the changes found.

use std::cell::OnceCell;

use rustc_hash::{FxHashMap, FxHashSet};
use serde_json::Value;

use super::relation::{Polarity, Relation};
use super::written;
use crate::change::{Change, ChangeKind, FactKey, HASHED_LETTERS, Identity, Pair, Site};
use crate::evidence::Outcome;
use crate::formats::frame::differ::Draft;
use crate::formats::json_schema::address;
use crate::formats::json_schema::model::{Node, NodeId, Schema, met};
use crate::formats::json_schema::pairs::{Documents, Edit, Nesting, Pairs, What, identity};
use crate::formats::json_schema::same::Same;
use crate::ordered::OrderedSet;
use crate::text;

/// A pair of schemas, and what it does to the document that holds it.
pub(super) type Visit = (Pair<NodeId>, Polarity);

/// A comparison in the making.
pub(super) struct Walk<'s> {
    pub(super) schemas: Pair<&'s Schema>,
    pub(super) same: Same<'s>,
    /// A change for each edit, in the same order.
    drafts: Vec<Draft>,
    /// Changes that nothing that validates can feel.
    pub(super) notes: Vec<Change>,
    edits: Vec<Edit>,
    /// The files that are versions of one.
    pub(super) files: Vec<Pair<usize>>,
    by_identity: FxHashMap<Identity, usize>,
    noted: FxHashSet<Identity>,
    documents: Vec<Documents>,
    open: Vec<Visit>,
    seen: FxHashSet<Visit>,
    /// The schemas that were compared in any document.
    compared: Pair<FxHashSet<NodeId>>,
    felt: OrderedSet<usize>,
    /// The schemas that came of which it was told what encodings make of them.
    pub(super) looked_at: FxHashSet<NodeId>,
    /// The documents that are compared.
    top: Option<Pair<NodeId>>,
    nesting: Nesting,
    /// Where one schema took the place of another, neither of which need be edited itself: the two places that refer to them
    /// or hold them.
    exchanged: FxHashMap<Pair<NodeId>, Pair<NodeId>>,
    /// The pair that is compared.
    current: Option<Pair<NodeId>>,
    /// The places of all schemas that documents lead to, by file.
    places: Pair<OnceCell<FxHashSet<(usize, &'s str)>>>,
}

/// What is found at a pair of schemas.
pub(super) struct Found<'f> {
    pub(super) kind: ChangeKind,
    /// What identifies it in the schema.
    pub(super) what: String,
    pub(super) edit: What,
    pub(super) relation: Relation,
    pub(super) at: Pair<Option<Site>>,
    pub(super) facts: &'f [(FactKey, String)],
    /// The name of the element, where it is not the schema itself.
    pub(super) element: Option<String>,
}

/// The places of the schemas that whole documents lead to, by file.
fn reached(schema: &Schema) -> FxHashSet<(usize, &str)> {
    let all = (0..).map(NodeId).zip(&schema.nodes);
    let mut open: Vec<NodeId> = all.filter(|(_, node)| node.pointer.is_empty()).map(|(id, _)| id).collect();
    let mut seen: FxHashSet<NodeId> = open.iter().copied().collect();
    while let Some(id) = open.pop() {
        let held = schema.node(id).keywords.values().flat_map(|keyword| keyword.part.schemas());
        open.extend(held.filter(|held| seen.insert(*held)));
    }
    let nodes = seen.into_iter().map(|id| schema.node(id)).filter(|node| node.elsewhere.is_none());
    nodes.map(|node| (node.file, &*node.pointer)).collect()
}

/// The values of an edited keyword, where more of them is written than counts for ids wherever they stand.
fn long_values(pair: Pair<&Node>, found: &Found<'_>) -> Option<[String; 2]> {
    let names: &[&str] = match (&found.edit, found.kind) {
        (What::Keywords(names), ChangeKind::KeywordChanged) => names,
        (What::Pattern(_), ChangeKind::KeywordChanged) => &["pattern"],
        _ => return None,
    };
    let values = |node: &Node| {
        let values = names.iter().filter_map(|name| Some(format!("{name} {}", node.value(name)?)));
        values.collect::<Vec<_>>().join("\n")
    };
    let is_long = |node: &Node| {
        names.iter().filter_map(|name| node.value(name)).any(|value| value.to_string().chars().count() > HASHED_LETTERS)
    };
    (is_long(pair.old) || is_long(pair.new)).then(|| [values(pair.old), values(pair.new)])
}

/// A value without what is met in it.
fn without(value: &Value, at: &str, is_met: &dyn Fn(&str) -> bool) -> Value {
    match value {
        _ if is_met(at) => Value::Null,
        Value::Object(members) => {
            let step = |name: &str| address::step(at, name);
            let kept = members.iter().filter(|(name, _)| !is_met(&step(name)));
            Value::Object(kept.map(|(name, value)| (name.clone(), without(value, &step(name), is_met))).collect())
        }
        Value::Array(items) => {
            let items = items.iter().enumerate();
            Value::Array(
                items.map(|(index, item)| without(item, &address::step(at, &index.to_string()), is_met)).collect(),
            )
        }
        _ => value.clone(),
    }
}

impl<'s> Walk<'s> {
    pub(super) fn new(schemas: Pair<&'s Schema>) -> Self {
        Walk {
            schemas,
            same: Same::new(schemas),
            drafts: Vec::new(),
            notes: Vec::new(),
            edits: Vec::new(),
            files: Vec::new(),
            by_identity: FxHashMap::default(),
            noted: FxHashSet::default(),
            documents: Vec::new(),
            open: Vec::new(),
            seen: FxHashSet::default(),
            compared: Pair::default(),
            felt: OrderedSet::new(),
            looked_at: FxHashSet::default(),
            top: None,
            nesting: Nesting::default(),
            exchanged: FxHashMap::default(),
            current: None,
            places: Pair::default(),
        }
    }

    /// Whether a keyword that is none of the dialect's says the same but for schemas in it that something refers to.
    pub(super) fn is_told_inside(&self, pair: Pair<&Node>, key: &str) -> bool {
        let rest = |schema: &'s Schema, node: &Node, places: &OnceCell<FxHashSet<(usize, &'s str)>>| {
            let places = places.get_or_init(|| reached(schema));
            let value = node.notes.get(key).map(|note| &note.value)?;
            let is_met = |at: &str| places.contains(&(node.file, at));
            let rest = without(value, &address::step(&node.pointer, key), &is_met);
            let has_schemas = rest != *value;
            Some((rest, has_schemas))
        };
        let old = rest(self.schemas.old, pair.old, &self.places.old);
        let new = rest(self.schemas.new, pair.new, &self.places.new);
        match (old, new) {
            (Some((old, was)), Some((new, is))) => (was || is) && old == new,
            // A container of such schemas that came or went, and of nothing else.
            (Some((rest, true)), None) | (None, Some((rest, true))) => match rest {
                Value::Object(members) => members.is_empty(),
                rest => rest.is_null(),
            },
            _ => false,
        }
    }

    /// Starts with two documents.
    pub(super) fn start(&mut self, nodes: Pair<NodeId>) {
        self.seen.clear();
        self.felt.clear();
        self.current = None;
        self.top = Some(met(self.schemas, nodes));
        self.meet(nodes, Polarity::Same);
    }

    /// Whether a pair is that of two whole documents.
    pub(super) fn is_top(&self, nodes: Pair<NodeId>) -> bool {
        self.top == Some(nodes)
    }

    /// The next pair to compare.
    pub(super) fn next(&mut self) -> Option<Visit> {
        let next = self.open.pop()?;
        self.current = Some(next.0);
        self.compared.old.insert(next.0.old);
        self.compared.new.insert(next.0.new);
        Some(next)
    }

    /// Whether one of two schemas was compared with any in a document.
    pub(super) fn was_compared(&self, nodes: Pair<NodeId>) -> bool {
        self.compared.old.contains(&nodes.old) || self.compared.new.contains(&nodes.new)
    }

    /// Ends with two documents: what was felt in them.
    pub(super) fn end(&mut self, nodes: Pair<NodeId>, files: Pair<usize>, names: Pair<String>) {
        let edits = std::mem::take(&mut self.felt);
        if !edits.is_empty() {
            self.documents.push(Documents { nodes, files, names, edits });
        }
    }

    /// Asks for a pair to be compared.
    pub(super) fn meet(&mut self, referring: Pair<NodeId>, polarity: Polarity) {
        let nodes = met(self.schemas, referring);
        if self.same.are(nodes) {
            return;
        }
        if !self.are_versions(nodes) {
            let around = self.current.and_then(|current| self.exchanged.get(&current)).copied();
            let place = if referring == nodes { around } else { Some(referring) };
            if let Some(place) = place {
                self.exchanged.entry(nodes).or_insert(place);
            }
        }
        if polarity != Polarity::Same {
            self.nesting.turned.insert(nodes);
        }
        if let Some(current) = self.current {
            let inside = self.nesting.inside.entry(current).or_default();
            if !inside.contains(&nodes) {
                inside.push(nodes);
            }
        }
        if self.seen.insert((nodes, polarity)) {
            self.open.push((nodes, polarity));
        }
    }

    /// Whether two schemas stand at one place of one document.
    fn are_versions(&self, nodes: Pair<NodeId>) -> bool {
        let Pair { old, new } = self.nodes(nodes);
        let are_files = self.schemas.old.path(old) == self.schemas.new.path(new)
            || self.files.contains(&Pair::new(old.file, new.file));
        old.pointer == new.pointer && are_files
    }

    /// Where a change of two schemas was made: where they refer to another one than before, if they do.
    fn edited_place(&self, nodes: Pair<NodeId>, at: Pair<Option<Site>>) -> (NodeId, Pair<Option<Site>>) {
        let Some(place) = self.exchanged.get(&nodes) else { return (nodes.new, at) };
        let site = |schema: &Schema, place: NodeId, own: NodeId, at: Option<Site>| {
            let node = schema.node(place);
            if place == own { at } else { Some(schema.site(node, node.span)) }
        };
        let old = site(self.schemas.old, place.old, nodes.old, at.old);
        let new = site(self.schemas.new, place.new, nodes.new, at.new);
        (place.new, Pair::new(old, new))
    }

    pub(super) fn nodes(&self, nodes: Pair<NodeId>) -> Pair<&'s Node> {
        self.schemas.zip(nodes, |schema, id| schema.node(id))
    }

    /// Asks for a pair to be compared that looks at the same value as the schema that holds it.
    pub(super) fn meet_beside(&mut self, nodes: Pair<NodeId>, polarity: Polarity) {
        self.nesting.beside.insert(met(self.schemas, nodes));
        self.meet(nodes, polarity);
    }

    /// The place of a keyword on both sides.
    pub(super) fn keyword_sites(&self, nodes: Pair<NodeId>, keyword: &str) -> Pair<Option<Site>> {
        self.schemas.zip(self.nodes(nodes), |schema, node| {
            node.keywords.get(keyword).map(|keyword| schema.site(node, keyword.span))
        })
    }

    /// The keyword as people wrote it.
    pub(super) fn written(&self, nodes: Pair<NodeId>, keyword: &str) -> String {
        let Pair { old, new } = self.nodes(nodes);
        let known = new.keywords.get(keyword).or_else(|| old.keywords.get(keyword));
        known.map_or(keyword, |keyword| keyword.written).to_owned()
    }

    /// Adds a change, once, with the worst that can be claimed of it in any place where it is felt.
    pub(super) fn found(&mut self, (nodes, polarity): Visit, found: Found<'_>) {
        let pair = self.nodes(nodes);
        let what = match long_values(pair, &found) {
            Some(values) => format!("{} {}", found.what, text::digest(values)),
            None => found.what.clone(),
        };
        let identity = identity(self.schemas, pair, &what);
        let claims = match &found.edit {
            What::Pattern(only) => polarity.claims_of_sides(only.as_ref().map(Option::is_some)),
            _ => polarity.claims(found.relation),
        };
        if let Some(known) = self.by_identity.get(&identity) {
            let edit = &mut self.edits[*known];
            edit.claims = Pair::new(edit.claims.old.max(claims.old), edit.claims.new.max(claims.new));
            edit.is_monotone &= polarity == Polarity::Same;
            // What is demanded anywhere is demanded.
            let role = found.facts.iter().find(|(key, role)| *key == FactKey::Role && role == Polarity::Same.asks());
            if let Some((key, role)) = role {
                self.drafts[*known].state(*key, role.clone());
            }
            self.felt.insert(*known);
            return;
        }
        let index = self.edits.len();
        let (place, at) = self.edited_place(nodes, found.at);
        let place = self.schemas.new.location(self.schemas.new.node(place));
        let path = match &found.element {
            Some(element) => format!("{place}{element}"),
            None => place.clone(),
        };
        let mut draft = Draft::new(found.kind, path, identity.clone()).at(at);
        draft = draft.fact(FactKey::Container, place).fact(FactKey::Relation, found.relation.name());
        for (key, value) in found.facts {
            draft = draft.fact(*key, value.clone());
        }
        self.drafts.push(draft);
        let is_monotone = polarity == Polarity::Same;
        self.edits.push(Edit {
            identity: identity.clone(),
            nodes,
            what: found.edit,
            claims,
            is_monotone,
            is_outer: true,
        });
        self.by_identity.insert(identity, index);
        self.felt.insert(index);
    }

    /// Adds a note, once.
    pub(super) fn note(&mut self, draft: Draft) {
        if self.noted.insert(draft.identity.clone()) {
            self.notes.push(draft.reads(Pair::new(Outcome::Safe, Outcome::Safe)).finish());
        }
    }

    pub(super) fn finish(mut self) -> (Vec<Change>, Pairs) {
        for edit in &mut self.edits {
            edit.is_outer = !self.nesting.beside.contains(&edit.nodes);
        }
        written::say(self.schemas.old, &mut self.drafts, &self.edits);
        let claimed = self.drafts.into_iter().zip(&self.edits).map(|(draft, edit)| draft.reads(edit.claims).finish());
        let mut changes: Vec<Change> = claimed.collect();
        changes.extend(self.notes);
        (changes, Pairs { documents: self.documents, edits: self.edits, nesting: self.nesting })
    }
}
