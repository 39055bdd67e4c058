//! One schema of a document, as the model has it: what its dialect ignores left out, its spelling that of 2020-12.

use std::sync::OnceLock;

use rustc_hash::{FxHashMap, FxHashSet};
use serde_json::{Number, Value};

use super::dialect::{Draft, Shape, shape};
use super::formats;
use super::linker::{Found, Linker, Lost};
use super::model::{Elsewhere, Keyword, NodeId, Note, Part};
use super::same::equal;
use super::{address, bson};
use crate::ordered::{InOrder, OrderedMap};
use crate::syntax::json::{Json, JsonKind, Member};

/// Where a schema stands: document, pointer, scope.
type At<'p> = (usize, &'p str, usize);

/// Fills in a schema.
pub(super) fn lowered<'t>(linker: &mut Linker<'t>, id: NodeId, json: &'t Json<'t>, at: At<'_>) {
    match &json.kind {
        JsonKind::Bool(value) => linker.node_mut(id).is_false = !value,
        JsonKind::Object(_) => {
            let (_, draft) = linker.resource(at.0, at.1);
            let is_ref = draft.ref_stands_alone() && json.get("$ref").is_some();
            for member in last_of_each(json).filter(|member| !is_ref || member.key == "$ref") {
                Lowering { linker, id, json, draft, at }.member(member);
            }
            tidy(linker, id);
        }
        // The meta-schema refuses it, which is said already.
        _ => {}
    }
}

struct Lowering<'l, 't, 'p> {
    linker: &'l mut Linker<'t>,
    id: NodeId,
    json: &'t Json<'t>,
    draft: Draft,
    at: At<'p>,
}

impl<'t> Lowering<'_, 't, '_> {
    fn member(&mut self, member: &'t Member<'t>) {
        let key = &*member.key;
        if key == "bsonType" && self.is_bson() {
            let types = self.read(&member.value).map(bson::types);
            return types.into_iter().for_each(|types| self.put("type", member, Part::Value(types)));
        }
        match shape(key, self.draft) {
            Shape::Value => self.value(member),
            Shape::Schema => {
                let name = match key {
                    "additionalItems" => "items",
                    name => name,
                };
                let is_tuple = self.json.get("items").is_some_and(|items| matches!(items.kind, JsonKind::List(_)));
                if key != "additionalItems" || is_tuple {
                    self.child(name, member);
                }
            }
            Shape::Items => match &member.value.kind {
                JsonKind::List(_) => self.list("prefixItems", member),
                _ => self.child("items", member),
            },
            Shape::List => self.list(key, member),
            Shape::Map => self.map(key, member),
            Shape::Dependencies => self.dependencies(member),
            Shape::Reference => self.reference(member),
            Shape::Definitions => {}
            Shape::Note => {
                let Some(value) = self.read(&member.value) else { return };
                if key == "format" && self.is_asserted(&value) {
                    return self.put("format", member, Part::Value(value));
                }
                let note = Note { value, span: member.key_span.to(member.value.span) };
                self.linker.node_mut(self.id).notes.insert(key.to_owned(), note);
            }
        }
    }

    /// The value without places; a number beyond what can be computed with is said.
    fn read(&mut self, json: &Json<'_>) -> Option<Value> {
        let value = plain(json);
        if value.is_none() {
            let help = "write a number that a double can hold";
            self.linker.log(self.at.0).error(json.span, format_args!("a number is too large to be compared"), help);
        }
        value
    }

    fn is_bson(&self) -> bool {
        self.linker.schema.is_bson(self.linker.schema.node(self.id))
    }

    /// Whether readers reject what does not have a format.
    fn is_asserted(&self, format: &Value) -> bool {
        // No file of the side is a meta-schema, and nobody says how those are used.
        let asserts = self.linker.schema.files.get(self.at.0).is_some_and(|file| file.usage.asserts_formats);
        asserts && format.as_str().is_some_and(|name| formats::texts(name).is_some())
    }

    fn put(&mut self, name: &str, member: &Member<'_>, part: Part) {
        let (Some(name), Some(written)) = (known(name), known(&member.key)) else { return };
        let elements = match &member.value.kind {
            JsonKind::List(list) => list.iter().map(|one| one.span).collect(),
            _ => Vec::new(),
        };
        let span = member.key_span.to(member.value.span);
        let keyword = Keyword { part, span, elements, written, texts: OnceLock::new() };
        self.linker.node_mut(self.id).keywords.insert(name, keyword);
    }

    fn value(&mut self, member: &Member<'_>) {
        let Some(value) = self.read(&member.value) else { return };
        match (&*member.key, &value) {
            ("const", _) => {
                let listed = self.json.get("enum").and_then(plain);
                let is_listed =
                    |list: &Value| list.as_array().is_none_or(|list| list.iter().any(|one| equal(one, &value)));
                let left = if listed.as_ref().is_none_or(is_listed) { vec![value] } else { Vec::new() };
                self.put("enum", member, Part::Value(Value::Array(left)));
            }
            // Both have to hold, and the one value counts.
            ("enum", _) if self.json.get("const").is_some() && shape("const", self.draft) == Shape::Value => {}
            ("exclusiveMinimum" | "exclusiveMaximum", Value::Bool(is_exclusive)) => {
                let plain = if member.key == "exclusiveMinimum" { "minimum" } else { "maximum" };
                if let Some(bound) = self.json.get(plain).filter(|_| *is_exclusive).and_then(self::plain) {
                    self.put(&member.key, member, Part::Value(bound));
                }
            }
            ("minimum" | "maximum", _) if self.draft == Draft::D4 => {
                let exclusive = if member.key == "minimum" { "exclusiveMinimum" } else { "exclusiveMaximum" };
                let is_exclusive = self.json.get(exclusive).is_some_and(|value| value.kind == JsonKind::Bool(true));
                if !is_exclusive {
                    self.put(&member.key, member, Part::Value(value));
                }
            }
            ("type", Value::String(_)) => self.put("type", member, Part::Value(Value::Array(vec![value]))),
            _ => self.put(&member.key, member, Part::Value(value)),
        }
    }

    fn meet(&mut self, pointer: String, json: &'t Json<'t>) -> Option<NodeId> {
        self.linker.meet_at((self.at.0, pointer), json, self.at.2)
    }

    fn child(&mut self, name: &str, member: &'t Member<'t>) {
        if let Some(child) = self.meet(address::step(self.at.1, &member.key), &member.value) {
            self.put(name, member, Part::Schema(child));
        }
    }

    fn list(&mut self, name: &str, member: &'t Member<'t>) {
        let JsonKind::List(list) = &member.value.kind else { return };
        let below = address::step(self.at.1, &member.key);
        let children = list.iter().enumerate();
        let children =
            children.filter_map(|(index, json)| self.meet(address::step(&below, &index.to_string()), json)).collect();
        self.put(name, member, Part::List(children));
    }

    fn map(&mut self, name: &str, member: &'t Member<'t>) {
        let below = address::step(self.at.1, &member.key);
        let mut children = OrderedMap::new();
        for inner in last_of_each(&member.value) {
            if let Some(child) = self.meet(address::step(&below, &inner.key), &inner.value) {
                children.insert(inner.key.to_string(), child);
            }
        }
        self.put(name, member, Part::Map(children));
    }

    /// `dependencies` is two keywords since 2019-09.
    fn dependencies(&mut self, member: &'t Member<'t>) {
        let below = address::step(self.at.1, &member.key);
        let (mut names, mut schemas) = (serde_json::Map::new(), OrderedMap::new());
        for inner in last_of_each(&member.value) {
            match &inner.value.kind {
                JsonKind::List(_) | JsonKind::Text(_) => {
                    let value = plain(&inner.value)
                        .map(|value| if value.is_array() { value } else { Value::Array(vec![value]) });
                    names.extend(value.map(|value| (inner.key.to_string(), value)));
                }
                _ => {
                    let child = self.meet(address::step(&below, &inner.key), &inner.value);
                    schemas.extend(child.map(|child| (inner.key.to_string(), child)));
                }
            }
        }
        if !names.is_empty() {
            self.put("dependentRequired", member, Part::Value(Value::Object(names)));
        }
        if !schemas.is_empty() {
            self.put("dependentSchemas", member, Part::Map(schemas));
        }
    }

    fn reference(&mut self, member: &'t Member<'t>) {
        let JsonKind::Text(written) = &member.value.kind else { return };
        let (document, pointer, scope) = self.at;
        let target = match self.linker.resolve((document, pointer), written) {
            Found::Place(place) => self.linker.meet(self.dynamic(member, written, place, scope), scope),
            Found::Meta(place, address) => {
                let meta = self.linker.elsewhere(self.id, Elsewhere::Meta(address));
                if let Some(target) = self.linker.meet(place, scope) {
                    let own = std::mem::replace(&mut self.id, meta);
                    self.put("$ref", member, Part::Schema(target));
                    self.id = own;
                }
                Some(meta)
            }
            Found::Elsewhere(what) => {
                if let Elsewhere::Missing(address) = &what {
                    let name = address.rsplit('/').next().unwrap_or(address);
                    self.linker.log(document).unsure(member.value.span, name);
                }
                Some(self.linker.elsewhere(self.id, what))
            }
            Found::Nothing => self.lost(member, format!("`{written}` refers to nothing")),
            Found::NoSchema => self.lost(member, format!("`{written}` refers to what is no schema")),
        };
        if let Some(target) = target {
            self.put(name_of_reference(member), member, Part::Schema(target));
        }
    }

    /// Notes that a reference leads to no schema. How much that matters is known when it is known who leads to it.
    fn lost(&mut self, member: &'t Member<'t>, message: String) -> Option<NodeId> {
        self.linker.lost.push(Lost { holder: self.id, member, message });
        None
    }

    /// Where a dynamic reference leads: to the outermost document that gives the name, if what it means at first has it.
    fn dynamic(&self, member: &Member<'_>, written: &str, place: (usize, String), scope: usize) -> (usize, String) {
        let name = match &*member.key {
            "$dynamicRef" => address::split(written).1,
            "$recursiveRef" => String::new(),
            _ => return place,
        };
        match self.linker.bound(scope, &name) {
            Some(bound) if self.linker.is_dynamic(&place, &name) => bound,
            _ => place,
        }
    }
}

/// Says which references lead to no schema. Where nothing that is data leads to one, it keeps nothing from being judged; where it
/// would lead is not known.
pub(super) fn say_what_is_lost(linker: &mut Linker<'_>) {
    let lost = std::mem::take(&mut linker.lost);
    if lost.is_empty() {
        return;
    }
    let used = linker.schema.used();
    let help = "mend the reference, or add what it refers to";
    let mut told = FxHashSet::default();
    let (reached, left): (Vec<_>, Vec<_>) = lost.into_iter().partition(|lost| used.contains(&lost.holder));
    for Lost { holder, member, message } in reached {
        let (span, document) = (member.value.span, linker.schema.node(holder).file);
        if told.insert((document, span)) {
            linker.log(document).error(span, format_args!("{message}"), help);
        }
    }
    for Lost { holder, member, message } in left {
        let (span, document) = (member.value.span, linker.schema.node(holder).file);
        if told.insert((document, span)) {
            linker.log(document).unreached(span, format_args!("{message}, and nothing that is data leads to it"), help);
        }
        let written = member.value.as_text().unwrap_or_default().to_owned();
        let target = linker.elsewhere(holder, Elsewhere::Missing(written));
        let (json, draft) = (&member.value, Draft::D2020);
        let mut holder = Lowering { linker, id: holder, json, draft, at: (document, "", 0) };
        holder.put(name_of_reference(member), member, Part::Schema(target));
    }
}

/// The keyword of a reference as the model has it.
fn name_of_reference(member: &Member<'_>) -> &'static str {
    if member.key == "$ref" { "$ref" } else { "$dynamicRef" }
}

/// The members of an object; of those with one name the last, as the reference parsers have it.
fn last_of_each<'t>(json: &'t Json<'t>) -> impl Iterator<Item = &'t Member<'t>> {
    let members = match &json.kind {
        JsonKind::Object(members) => members.as_slice(),
        _ => &[],
    };
    let last: FxHashMap<&str, usize> =
        members.iter().enumerate().map(|(index, member)| (&*member.key, index)).collect();
    members.iter().enumerate().filter(move |(index, member)| last[&*member.key] == *index).map(|(_, member)| member)
}

/// The keyword as a constant.
fn known(name: &str) -> Option<&'static str> {
    super::dialect::known(name)
}

/// The value without places; `None` where a number is beyond all doubles.
pub(super) fn plain(json: &Json<'_>) -> Option<Value> {
    Some(match &json.kind {
        JsonKind::Null => Value::Null,
        JsonKind::Bool(value) => Value::Bool(*value),
        JsonKind::Number(text) => Value::Number(serde_json::from_str::<Number>(text).ok()?),
        JsonKind::Text(text) => Value::String(text.to_string()),
        JsonKind::List(list) => Value::Array(list.iter().map(plain).collect::<Option<_>>()?),
        JsonKind::Object(members) => {
            let entries = members.iter().map(|member| Some((member.key.to_string(), plain(&member.value)?)));
            Value::Object(entries.collect::<Option<_>>()?)
        }
    })
}

/// Leaves out what asserts nothing.
fn tidy(linker: &mut Linker<'_>, id: NodeId) {
    let is_bson = linker.schema.is_bson(linker.schema.node(id));
    let keywords = &mut linker.node_mut(id).keywords;
    let is_zero = |value: &Value| value.as_f64() == Some(0.0);
    keywords.retain(|name, keyword| match (*name, &mut keyword.part) {
        ("minLength" | "minItems" | "minProperties", Part::Value(value)) => !is_zero(value),
        ("uniqueItems", Part::Value(value)) => *value == Value::Bool(true),
        ("required", Part::Value(Value::Array(names))) => !names.is_empty(),
        ("properties" | "patternProperties" | "dependentSchemas", Part::Map(map)) => !map.is_empty(),
        ("prefixItems" | "allOf", Part::List(list)) => !list.is_empty(),
        ("dependentRequired", Part::Value(Value::Object(map))) => !map.is_empty(),
        ("type", Part::Value(Value::Array(names))) => {
            names.sort_in_order_by(|one, other| one.as_str().cmp(&other.as_str()));
            names.dedup();
            if names.iter().any(|name| name == "number") {
                names.retain(|name| name != "integer" && bson::NUMBERS.iter().all(|number| name != number));
            }
            is_bson || names.len() < 6
        }
        _ => true,
    });
    if !keywords.contains_key("contains") {
        keywords.remove("minContains");
        keywords.remove("maxContains");
    }
    if !keywords.contains_key("if") {
        keywords.remove("then");
        keywords.remove("else");
    }
}
