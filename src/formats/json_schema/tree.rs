//! What one document says: its value with the place of everything, the schemas in it that have an address or a name, and
//! the documents that it refers to.

use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::dialect::{DEFAULT, Draft, Shape, is_of_no_draft, of_specification, shape};
use super::{address, bson, foreign};
use crate::change::Span;
use crate::ordered::OrderedMap;
use crate::syntax::json::{Json, JsonKind, Member};
use crate::syntax::log::Log;
use crate::syntax::problem::Problem;

/// How deep schemas may be nested. What people write is below 40; what validates them is recursive.
pub(super) const DEPTH_LIMIT: usize = 120;

/// The address of a document that gives itself none.
pub(super) const NAMELESS: &str = "self:///";

/// A document.
#[derive(Debug, Default)]
pub struct Tree<'b> {
    /// All of it; `None` where it could not be read.
    pub(super) json: Option<Json<'b>>,
    /// Its dialect.
    pub(super) draft: Option<Draft>,
    /// Whether it is a validator of MongoDB: draft 4 with the types of BSON.
    pub(super) is_bson: bool,
    /// The address that it gives itself.
    pub(super) id: Option<String>,
    /// The schemas with an address of their own: address → pointer and dialect.
    pub(super) resources: OrderedMap<String, (String, Draft)>,
    /// The addresses that several schemas have, each with the place of a later one.
    pub(super) shared: OrderedMap<String, (String, Span)>,
    /// The names of schemas: address and name → pointer, and whether the name is a dynamic one.
    pub(super) anchors: OrderedMap<(String, String), (String, bool)>,
    /// Whether it may refer to a meta-schema.
    pub(super) may_need_meta: bool,
    /// What it refers to in other documents: as it is written, or in full inside of a schema with an address of its own.
    pub(super) imports: Vec<(String, Span)>,
}

/// Reads one document. Whatever is wrong is a problem with its place.
pub(super) fn tree<'b>(
    path: &Arc<str>,
    json: Option<Json<'b>>,
    mut problems: Vec<Problem>,
) -> (Tree<'b>, Vec<Problem>) {
    let Some(json) = json else { return (Tree::default(), problems) };
    let mut log = Log::new(path);
    if let Some(sign) = foreign::avro_schema(&json) {
        foreign::say(&mut log, sign);
        log.append_to(&mut problems);
        return (Tree::default(), problems);
    }
    check_keys(&json, &mut log);
    let (json, is_bson) = bson::unwrapped(json, &mut log);
    let draft = if is_bson {
        bson::check(&json, &mut log);
        Some(Draft::D4)
    } else {
        dialect(&json, &mut log)
    };
    let mut tree = Tree { is_bson, ..Tree::default() };
    if let Some(draft) = draft {
        let id = json.get(draft.id_keyword()).and_then(Json::as_text);
        let id = id.map(|id| address::join(NAMELESS, address::split(id).0)).filter(|id| id != NAMELESS);
        let base = id.clone().unwrap_or_else(|| NAMELESS.to_owned());
        let mut walk = Walk { tree: &mut tree, log: &mut log, refs: Vec::new() };
        walk.tree.resources.insert(base.clone(), (String::new(), draft));
        let top = Here { base, pointer: String::new(), draft, depth: 0, is_resource: true };
        walk.schema(&json, &top);
        walk.unnamed_containers(&json, &top);
        let refs = walk.refs;
        say_shared(&tree, &json, &refs, &mut log);
        tree.imports = elsewhere(&tree, refs);
        tree.id = id.filter(|id| !id.starts_with(NAMELESS));
        tree.draft = Some(draft);
    }
    tree.may_need_meta = may_need_meta(&json);
    tree.json = Some(json);
    log.append_to(&mut problems);
    (tree, problems)
}

/// Whether an address or a reference somewhere in a document leads to where the specifications are.
fn may_need_meta(json: &Json<'_>) -> bool {
    let leads = |key: &str| matches!(key, "$ref" | "$dynamicRef" | "$recursiveRef" | "$id" | "id");
    let is_there = |value: &Json<'_>| value.as_text().is_some_and(|text| text.contains("json-schema.org/"));
    json.all().any(|json| match &json.kind {
        JsonKind::Object(members) => members.iter().any(|member| leads(&member.key) && is_there(&member.value)),
        _ => false,
    })
}

/// Says which keys stand twice in an object. Readers take the last one and do not tell (RFC 8259, section 4, leaves it open);
/// so nothing is kept from being judged.
fn check_keys(json: &Json<'_>, log: &mut Log) {
    match &json.kind {
        JsonKind::List(values) => values.iter().for_each(|value| check_keys(value, log)),
        JsonKind::Object(members) => {
            let mut seen = FxHashSet::default();
            for member in members {
                if !seen.insert(member.key.as_ref()) {
                    let help = "remove one of the two: readers take the last one and ignore the other";
                    let message = format_args!("the key `{}` stands twice in this object", member.key);
                    log.refuse(member.key_span, message, help);
                }
                check_keys(&member.value, log);
            }
        }
        _ => {}
    }
}

impl Tree<'_> {
    /// How a reference that stands in a schema of an address and leads out of the document is noted: as it is written, or in
    /// full inside of a schema with an address of its own.
    pub(super) fn import(&self, base: &str, written: &str, full: String) -> String {
        let is_top = self.resources.get(base).is_some_and(|(pointer, _)| pointer.is_empty());
        if is_top { written.to_owned() } else { full }
    }

    /// The places of schemas inside of the document that have another dialect than what is around them.
    pub(super) fn of_other_dialects(&self, draft: Draft) -> Vec<(&str, Draft)> {
        let around = |place: &str| {
            let holds =
                |other: &&(String, Draft)| place.strip_prefix(&*other.0).is_some_and(|rest| rest.starts_with('/'));
            self.resources
                .values()
                .filter(holds)
                .max_by_key(|(other, _)| other.len())
                .map_or(draft, |(_, draft)| *draft)
        };
        let inner = self.resources.values().filter(|(place, own)| !place.is_empty() && around(place) != *own);
        inner.map(|(place, own)| (place.as_str(), *own)).collect()
    }
}

/// The dialect of a document; what is no schema of a known dialect is said.
fn dialect(json: &Json<'_>, log: &mut Log) -> Option<Draft> {
    match &json.kind {
        JsonKind::Bool(_) => return Some(DEFAULT),
        JsonKind::Object(_) => {}
        _ => {
            let help = "a schema is an object, or `true` or `false`; leave the file out if it is no schema";
            log.error(json.span, format_args!("this is JSON, and no schema"), help);
            return None;
        }
    }
    match json.get("$schema") {
        None => Some(Draft::implied(json)),
        Some(written) if written.as_text().is_some_and(is_of_no_draft) => {
            let help = "name the dialect, as in \"https://json-schema.org/draft/2020-12/schema\"; validators take what they like";
            log.warning(written.span, format_args!("the dialect {} is whichever is the newest", written.shown()), help);
            Some(Draft::implied(json))
        }
        Some(written) => {
            let draft = written.as_text().and_then(Draft::of_address);
            if draft.is_none() {
                let help = "known are the dialects of draft 4, 6, 7, 2019-09 and 2020-12";
                log.error(written.span, format_args!("the dialect {} is not known", written.shown()), help);
            }
            draft
        }
    }
}

/// Where a walk stands.
struct Here {
    base: String,
    pointer: String,
    draft: Draft,
    depth: usize,
    is_resource: bool,
}

impl Here {
    fn below(&self, part: &str) -> Here {
        Here {
            base: self.base.clone(),
            pointer: address::step(&self.pointer, part),
            draft: self.draft,
            depth: self.depth + 1,
            is_resource: false,
        }
    }
}

struct Walk<'w, 'b> {
    tree: &'w mut Tree<'b>,
    log: &'w mut Log,
    /// References: the address they stand in, what is written, and where.
    refs: Vec<(String, String, Span)>,
}

impl Walk<'_, '_> {
    fn schema(&mut self, json: &Json<'_>, here: &Here) {
        let JsonKind::Object(members) = &json.kind else { return };
        if here.depth > DEPTH_LIMIT {
            let help = "name the inner schemas in `$defs` and refer to them";
            self.log.error(json.span, format_args!("schemas are nested more than {DEPTH_LIMIT} deep"), help);
            return;
        }
        let mut here = Here { base: here.base.clone(), pointer: here.pointer.clone(), ..*here };
        self.names(json, &mut here);
        let is_ref = here.draft.ref_stands_alone() && json.get("$ref").is_some();
        for member in members {
            let shape = shape(&member.key, here.draft);
            if is_ref && !matches!(shape, Shape::Reference | Shape::Definitions) {
                continue;
            }
            self.member(&member.value, &member.key, shape, &here);
        }
    }

    fn member(&mut self, value: &Json<'_>, key: &str, shape: Shape, here: &Here) {
        let below = here.below(key);
        match (shape, &value.kind) {
            (Shape::Reference, JsonKind::Text(text)) => {
                self.refs.push((here.base.clone(), text.to_string(), value.span));
            }
            (Shape::Schema | Shape::Items, JsonKind::Object(_)) => self.schema(value, &below),
            (Shape::List | Shape::Items, JsonKind::List(list)) => {
                for (index, one) in list.iter().enumerate() {
                    self.schema(one, &below.below(&index.to_string()));
                }
            }
            (Shape::Map | Shape::Definitions | Shape::Dependencies, JsonKind::Object(members)) => {
                for member in members {
                    self.schema(&member.value, &below.below(&member.key));
                }
            }
            _ => {}
        }
    }

    /// Looks into what stands under no keyword: the schemas there that something refers to, and where a document holds nothing else,
    /// all of it, since others may.
    fn unnamed_containers(&mut self, json: &Json<'_>, top: &Here) {
        let JsonKind::Object(members) = &json.kind else { return };
        let (mut next, mut met) = (0, FxHashSet::default());
        while next < self.refs.len() {
            let (base, written, _) = &self.refs[next];
            next += 1;
            let (own, fragment) = address::split(written);
            let is_here = base == &top.base && (own.is_empty() || address::join(base, own) == top.base);
            let container = fragment.strip_prefix('/').and_then(|rest| rest.split('/').next()).map(address::name_of);
            let is_unnamed = container.is_some_and(|name| shape(&name, top.draft) == Shape::Note);
            if is_here
                && is_unnamed
                && met.insert(fragment.clone())
                && let Some(target) = address::at(json, &fragment)
            {
                self.schema(
                    target,
                    &Here { base: top.base.clone(), pointer: fragment, depth: 1, is_resource: false, ..*top },
                );
            }
        }
        if members.iter().all(|member| shape(&member.key, top.draft) == Shape::Note) {
            let objects = members.iter().filter(|member| matches!(member.value.kind, JsonKind::Object(_)));
            for inner in objects.flat_map(|member| member.value.all()) {
                let reference = inner.get("$ref").and_then(|value| Some((value.as_text()?, value.span)));
                if let Some((text, span)) = reference.filter(|(text, _)| !text.starts_with('#')) {
                    self.refs.push((top.base.clone(), text.to_owned(), span));
                }
            }
        }
    }

    /// Notes the address and the names of a schema.
    fn names(&mut self, json: &Json<'_>, here: &mut Here) {
        if here.draft.ref_stands_alone() && json.get("$ref").is_some() && !here.is_resource {
            return;
        }
        if !here.is_resource
            && let Some(written) = json.get(here.draft.id_keyword())
            && let Some(id) = written.as_text()
        {
            let (own, fragment) = address::split(id);
            if !own.is_empty() {
                here.base = address::join(&here.base, own);
                here.draft = Draft::of_document(json).unwrap_or(here.draft);
                if self.tree.resources.contains_key(&here.base) {
                    self.tree.shared.insert(here.base.clone(), (here.pointer.clone(), written.span));
                } else {
                    self.tree.resources.insert(here.base.clone(), (here.pointer.clone(), here.draft));
                }
            } else if !fragment.is_empty() {
                self.anchor(fragment, false, written.span, here);
            }
        }
        if here.draft >= Draft::D2019
            && let Some(written) = json.get("$anchor")
            && let Some(name) = written.as_text()
        {
            self.anchor(name.to_owned(), false, written.span, here);
        }
        if here.draft == Draft::D2020
            && let Some(written) = json.get("$dynamicAnchor")
            && let Some(name) = written.as_text()
        {
            self.anchor(name.to_owned(), true, written.span, here);
        }
        let is_recursive = json.get("$recursiveAnchor").is_some_and(|value| value.kind == JsonKind::Bool(true));
        if here.draft == Draft::D2019 && is_recursive {
            self.anchor(String::new(), true, json.span, here);
        }
    }

    /// Notes the name of a schema. Which of two schemas a name means that both have, validators answer differently.
    fn anchor(&mut self, name: String, is_dynamic: bool, span: Span, here: &Here) {
        let key = (here.base.clone(), name);
        if let Some((first, _)) = self.tree.anchors.get(&key).filter(|(first, _)| *first != here.pointer) {
            let help = "give one of the two another name: validators do not agree on which one is meant";
            let message = format_args!("the anchor `{}` names a second schema, beside `#{first}`", key.1);
            self.log.refuse(span, message, help);
        }
        self.tree.anchors.insert(key, (here.pointer.clone(), is_dynamic));
    }
}

/// Says where references lead to an address that schemas have which say different things.
fn say_shared(tree: &Tree<'_>, json: &Json<'_>, refs: &[(String, String, Span)], log: &mut Log) {
    for (address, (pointer, span)) in &tree.shared {
        let leads =
            |(base, written, _): &(String, String, Span)| address::join(base, address::split(written).0) == *address;
        let first = tree.resources.get(address).map_or("", |(first, _)| first);
        let are_same = match (address::at(json, first), address::at(json, pointer)) {
            (Some(one), Some(other)) => says_the_same(one, other),
            _ => false,
        };
        if !are_same && refs.iter().any(leads) {
            let help = "give one of the two another address: validators do not agree on which one is meant";
            log.refuse(
                *span,
                format_args!("the address `{address}` is that of a second schema, beside `#{first}`"),
                help,
            );
        }
    }
}

/// Whether two values are the same, written the same way wherever they stand.
fn says_the_same(one: &Json<'_>, other: &Json<'_>) -> bool {
    match (&one.kind, &other.kind) {
        (JsonKind::List(one), JsonKind::List(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| says_the_same(one, other))
        }
        (JsonKind::Object(one), JsonKind::Object(other)) => {
            let is_same = |(one, other): (&Member<'_>, &Member<'_>)| {
                one.key == other.key && says_the_same(&one.value, &other.value)
            };
            one.len() == other.len() && one.iter().zip(other).all(is_same)
        }
        (one, other) => one == other,
    }
}

/// The references that lead out of the document: each once, with its first place.
fn elsewhere(tree: &Tree<'_>, refs: Vec<(String, String, Span)>) -> Vec<(String, Span)> {
    let (mut imports, mut known) = (Vec::new(), FxHashSet::default());
    for (base, written, span) in refs {
        let (own, _) = address::split(&written);
        let full = address::join(&base, own);
        if own.is_empty() || tree.resources.contains_key(&full) || of_specification(&full).is_some() {
            continue;
        }
        let import = tree.import(&base, own, full);
        if known.insert(import.clone()) {
            imports.push((import, span));
        }
    }
    imports
}
