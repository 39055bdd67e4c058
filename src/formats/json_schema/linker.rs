//! The schemas of one side in the making: which places have been met, and where references lead.

use std::cell::RefCell;

use rustc_hash::FxHashMap;

use super::address;
use super::dialect::Draft;
use super::language::Gathered;
use super::meta;
use super::model::{Elsewhere, Node, NodeId, Schema};
use super::tree::{NAMELESS, Tree};
use crate::change::Span;
use crate::ordered::OrderedMap;
use crate::syntax::json::{Json, JsonKind, Member};
use crate::syntax::log::Log;

/// Of fewer members each is looked for among all.
const FEW: usize = 16;

/// More schemas than this on one side are not looked at.
const MOST_NODES: usize = 400_000;

/// A place: a document, and the pointer in it.
pub(super) type Place = (usize, String);

/// The dynamic names in force, each with the schema that the outermost document gave it.
pub(super) type Scope = OrderedMap<String, Place>;

/// What a schema is looked up by.
pub(super) type Key = (usize, String, usize);

/// The schemas of one side in the making.
pub(super) struct Linker<'t> {
    /// Those of the side, and then the meta-schemas, where one of them may be needed.
    pub(super) documents: Vec<&'t Tree<'t>>,
    /// How many documents are of the side.
    pub(super) own: usize,
    imports: Vec<Vec<Option<usize>>>,
    pub(super) schema: Schema,
    pub(super) logs: Vec<Log>,
    by_key: FxHashMap<Key, NodeId>,
    pub(super) open: Vec<(NodeId, Key, &'t Json<'t>)>,
    /// The members of objects with many, by where these are: found out when one of them is first asked for.
    members: RefCell<FxHashMap<usize, FxHashMap<&'t str, &'t Json<'t>>>>,
    /// The references that lead to no schema.
    pub(super) lost: Vec<Lost<'t>>,
    scopes: Vec<Scope>,
    scope_ids: OrderedMap<Scope, usize>,
}

impl<'t> Linker<'t> {
    /// Nothing is looked at yet.
    pub(super) fn new(gathered: &Gathered<'t>) -> Self {
        let own = gathered.inputs.len();
        let mut documents: Vec<&'t Tree<'t>> = gathered.inputs.iter().map(|input| input.tree).collect();
        let meta = if documents.iter().any(|tree| tree.may_need_meta) { meta::all() } else { &[] };
        documents.extend(meta.iter().map(|meta| -> &'t Tree<'t> { &meta.tree }));
        let paths = gathered.inputs.iter().map(|input| &input.path).chain(meta.iter().map(|meta| &meta.path));
        Linker {
            own,
            documents,
            imports: gathered.inputs.iter().map(|input| input.imports.clone()).collect(),
            schema: Schema::default(),
            logs: paths.map(Log::new).collect(),
            by_key: FxHashMap::default(),
            open: Vec::new(),
            members: RefCell::default(),
            lost: Vec::new(),
            scopes: vec![Scope::new()],
            scope_ids: OrderedMap::from([(Scope::new(), 0)]),
        }
    }

    /// The number of the schema at a place, which is looked at later.
    pub(super) fn meet(&mut self, place: Place, scope: usize) -> Option<NodeId> {
        let json = self.at(place.0, &place.1)?;
        self.meet_at(place, json, scope)
    }

    /// The same where it is known what stands there.
    pub(super) fn meet_at(&mut self, (document, pointer): Place, json: &'t Json<'t>, scope: usize) -> Option<NodeId> {
        let scope = self.entered(document, &pointer, scope);
        let key = (document, pointer, scope);
        if let Some(known) = self.by_key.get(&key) {
            return Some(*known);
        }
        if self.schema.nodes.len() >= MOST_NODES {
            let help = "check fewer files at once";
            self.logs[document].error(json.span, format_args!("there are more than {MOST_NODES} schemas"), help);
            return None;
        }
        let id = NodeId(self.schema.nodes.len() as u32);
        self.schema.nodes.push(Node {
            file: document,
            pointer: key.1.clone(),
            span: json.span,
            is_false: false,
            elsewhere: None,
            keywords: OrderedMap::new(),
            notes: OrderedMap::new(),
        });
        self.by_key.insert(key.clone(), id);
        self.open.push((id, key, json));
        Some(id)
    }

    /// A schema that is known by its address alone.
    pub(super) fn elsewhere(&mut self, from: NodeId, what: Elsewhere) -> NodeId {
        let id = NodeId(self.schema.nodes.len() as u32);
        let from = self.schema.node(from);
        let node =
            Node { keywords: OrderedMap::new(), notes: OrderedMap::new(), elsewhere: Some(what), ..from.clone() };
        self.schema.nodes.push(node);
        id
    }

    pub(super) fn node_mut(&mut self, id: NodeId) -> &mut Node {
        &mut self.schema.nodes[id.0 as usize]
    }

    pub(super) fn log(&mut self, document: usize) -> &mut Log {
        &mut self.logs[document]
    }

    /// The value at a pointer of a document.
    pub(super) fn at(&self, document: usize, pointer: &str) -> Option<&'t Json<'t>> {
        address::led(self.documents[document].json.as_ref()?, pointer, |json, name| self.member(json, name))
    }

    /// A member of an object: the last one of a name.
    fn member(&self, json: &'t Json<'t>, name: &str) -> Option<&'t Json<'t>> {
        let JsonKind::Object(members) = &json.kind else { return None };
        if members.len() <= FEW {
            return json.get(name);
        }
        let by_name = || members.iter().map(|member| (&*member.key, &member.value)).collect();
        let mut known = self.members.borrow_mut();
        known.entry(std::ptr::from_ref(json).addr()).or_insert_with(by_name).get(name).copied()
    }

    /// The address and the dialect of the innermost document, embedded or not, that holds a place.
    pub(super) fn resource(&self, document: usize, pointer: &str) -> (String, Draft) {
        let tree = self.documents[document];
        let holds = |at: &str| {
            at.is_empty() || pointer == at || pointer.strip_prefix(at).is_some_and(|rest| rest.starts_with('/'))
        };
        let inside = tree.resources.iter().filter(|(_, (at, _))| holds(at));
        let innermost = inside.max_by_key(|(_, (at, _))| at.len());
        innermost.map_or((NAMELESS.to_owned(), Draft::D2020), |(base, (_, draft))| (base.clone(), *draft))
    }

    /// The scope inside of the document that a place lies in: its dynamic names, where they are not taken yet.
    fn entered(&mut self, document: usize, pointer: &str, scope: usize) -> usize {
        let tree = self.documents[document];
        if tree.anchors.values().all(|(_, is_dynamic)| !is_dynamic) {
            return scope;
        }
        let (base, _) = self.resource(document, pointer);
        let mut grown = self.scopes[scope].clone();
        for ((of, name), (at, is_dynamic)) in &tree.anchors {
            if *of == base && *is_dynamic {
                grown.entry(name.clone()).or_insert_with(|| (document, at.clone()));
            }
        }
        match self.scope_ids.get(&grown) {
            Some(known) => *known,
            None => {
                self.scope_ids.insert(grown.clone(), self.scopes.len());
                self.scopes.push(grown);
                self.scopes.len() - 1
            }
        }
    }

    /// Where a dynamic name leads from a scope.
    pub(super) fn bound(&self, scope: usize, name: &str) -> Option<Place> {
        self.scopes[scope].get(name).cloned()
    }

    /// Whether a place bears a dynamic name.
    pub(super) fn is_dynamic(&self, place: &Place, name: &str) -> bool {
        let tree = self.documents[place.0];
        let (base, _) = self.resource(place.0, &place.1);
        tree.anchors.get(&(base, name.to_owned())).is_some_and(|(at, is_dynamic)| *is_dynamic && *at == place.1)
    }

    /// The place that a reference means, which stands at a place.
    pub(super) fn resolve(&self, (document, pointer): (usize, &str), written: &str) -> Found {
        let (base, _) = self.resource(document, pointer);
        let (own, fragment) = address::split(written);
        let full = address::join(&base, own);
        let tree = self.documents[document];
        if tree.resources.contains_key(&full) {
            return self.found(self.inside(document, &full, &fragment));
        }
        if let Some(meta) = meta::find(&full).filter(|meta| self.own + meta < self.documents.len()) {
            let Some(place) = self.of_meta_schema(meta, &fragment) else { return Found::Nothing };
            let address = format!("{}#{fragment}", meta::all()[meta].path.trim_end_matches('#'));
            return if document < self.own { Found::Meta(place, address) } else { Found::Place(place) };
        }
        let import = tree.import(&base, own, full.clone());
        let is = |(known, _): &(String, Span)| *known == import;
        let Some(index) = tree.imports.iter().position(is) else { return Found::Nothing };
        let Some(Some(target)) = self.imports[document].get(index) else {
            return Found::Elsewhere(Elsewhere::Missing(written.to_owned()));
        };
        let other = self.documents[*target];
        if other.json.is_none() {
            return Found::Elsewhere(Elsewhere::Missing(written.to_owned()));
        }
        let top = other.resources.iter().find(|(_, (at, _))| at.is_empty()).map(|(base, _)| base.clone());
        let full = if other.resources.contains_key(&full) { Some(full) } else { top };
        self.found(full.and_then(|full| self.inside(*target, &full, &fragment)))
    }

    /// What a reference leads to whose place is known.
    fn found(&self, place: Option<Place>) -> Found {
        let json = place.as_ref().and_then(|(document, pointer)| self.at(*document, pointer));
        let is_schema = json.is_some_and(|json| matches!(json.kind, JsonKind::Object(_) | JsonKind::Bool(_)));
        place.map_or(Found::Nothing, |place| if is_schema { Found::Place(place) } else { Found::NoSchema })
    }

    fn of_meta_schema(&self, meta: usize, fragment: &str) -> Option<Place> {
        let document = self.own + meta;
        let (base, _) = self.documents[document].resources.iter().find(|(_, (at, _))| at.is_empty())?;
        self.inside(document, base, fragment)
    }

    fn inside(&self, document: usize, address: &str, fragment: &str) -> Option<Place> {
        let tree = self.documents[document];
        let (at, _) = tree.resources.get(address)?;
        if fragment.is_empty() || fragment.starts_with('/') {
            let pointer = format!("{at}{fragment}");
            return self.at(document, &pointer).map(|_| (document, pointer));
        }
        let (pointer, _) = tree.anchors.get(&(address.to_owned(), fragment.to_owned()))?;
        Some((document, pointer.clone()))
    }
}

/// A reference that leads to no schema.
pub(super) struct Lost<'t> {
    /// The schema in which it stands.
    pub(super) holder: NodeId,
    /// The keyword with its place.
    pub(super) member: &'t Member<'t>,
    /// What it leads to, in words.
    pub(super) message: String,
}

/// What a reference leads to.
pub(super) enum Found {
    /// A schema.
    Place(Place),
    /// A schema in a meta-schema, and its address.
    Meta(Place, String),
    /// A schema that is in no document; of one that is missing it is said already.
    Elsewhere(Elsewhere),
    /// What is no schema.
    NoSchema,
    /// Nothing, in a document that is there.
    Nothing,
}
