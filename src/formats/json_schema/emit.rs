//! The model as JSON again: one document of 2020-12 that needs no other, for the engine. As it is, as what its writers
//! write, or with some edits of the other side.
//!
//! What writers write: members that some schema of the object names. An object for which nothing is named is free, and one
//! with a schema for all others is a map: there every member is named. See `docs/json-schema.md` for the cases.

use rustc_hash::FxHashSet;
use serde_json::{Map, Value, json};

use super::bson;
use super::exclusive::is_exclusive;
use super::groups::Matter;
use super::looked::{Branches, Extent};
use super::model::{Elsewhere, Keyword, Node, NodeId, Part, Schema};
use super::pairs::{Edit, What, is_beside, keyword_family};
use super::reach::{Schemas, of_members};
use super::same::lacking;
use super::solver::of_gap;
use super::ways::MARK;
use crate::change::{Pair, Side};
use crate::formats::instances::Writers;
use crate::ordered::{OrderedMap, OrderedSet};

/// How a schema is written down.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Form {
    /// As it is.
    Plain,
    /// What writers write of it, and a little more where branches name members: for proofs.
    Wide,
    /// Exactly what writers write of it: for instances.
    Exact,
}

/// What stands for a schema that was not found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Gaps {
    /// Everything is valid.
    TakeAll,
    /// Nothing is.
    TakeNothing,
}

/// Where a schema stands among those that look at one value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Stand {
    /// Nothing is said of what writers write.
    Plain,
    /// It is the outermost.
    Outer,
    /// Another one holds it.
    Inner,
    /// All data fulfil it, but for what was edited in it: so much and no more is written.
    Lean,
}

/// The schema of some side, in a document that may hold both.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Key {
    pub(super) side: Side,
    pub(super) node: NodeId,
    pub(super) stand: Stand,
}

/// Writes documents down.
pub(super) struct Emitter<'e> {
    pub(super) schemas: Pair<&'e Schema>,
    /// The side that is written; what comes from the other one comes by edits.
    pub(super) side: Side,
    pub(super) form: Form,
    pub(super) writers: Writers,
    gaps: Gaps,
    edits: OrderedMap<NodeId, Vec<&'e Edit>>,
    /// The schemas in which something was edited, at any depth, where only that is to be written.
    edited: Option<&'e Schemas>,
    /// The schemas that are marked, to be known again in the document.
    marked: Option<&'e FxHashSet<NodeId>>,
    /// The names of all members of the data that the document is for, where it is for some only.
    members: Option<&'e OrderedSet<String>>,
    /// Of very many branches those that the document is for, where it is for some only.
    branches: Option<(&'e Branches<'e>, &'e FxHashSet<NodeId>)>,
    /// Of very many schemas those that look at the data that the document is for, where it is for some only.
    met: Option<&'e FxHashSet<NodeId>>,
    /// What matters to some edits, where no more than that is to be written.
    pub(super) matter: Option<&'e Matter<'e>>,
    /// Whether it is for a proof.
    proves: bool,
    definitions: OrderedMap<String, Value>,
    open: Vec<(String, Key)>,
}

/// The keywords of a schema, each with the side that it is of.
pub(super) type Keywords<'k> = OrderedMap<&'static str, (Side, std::borrow::Cow<'k, Part>)>;

impl<'e> Emitter<'e> {
    /// Writes one side, with some edits made.
    pub(super) fn new(schemas: Pair<&'e Schema>, side: Side, form: Form, edits: &[&'e Edit]) -> Self {
        let mut by_node: OrderedMap<NodeId, Vec<&'e Edit>> = OrderedMap::new();
        for edit in edits {
            by_node.entry(*edit.nodes.side(side)).or_default().push(edit);
        }
        Emitter {
            schemas,
            side,
            form,
            writers: Writers::Declared,
            gaps: Gaps::TakeAll,
            edits: by_node,
            edited: None,
            marked: None,
            members: None,
            branches: None,
            met: None,
            matter: None,
            proves: false,
            definitions: OrderedMap::new(),
            open: Vec::new(),
        }
    }

    /// The same where writers write something else than what is declared.
    pub(super) fn written_by(self, writers: Writers) -> Self {
        Emitter { writers, ..self }
    }

    /// The same with something else for schemas that were not found.
    pub(super) fn with(self, gaps: Gaps) -> Self {
        Emitter { gaps, ..self }
    }

    /// The same for a proof: branches of which no two can be valid are written as some of which any may be.
    pub(super) fn for_proof(self) -> Self {
        Emitter { proves: true, ..self }
    }

    /// The same for data that are valid on this side without the edits: of the schemas around those in `edited`, which have the
    /// edits in them, is left out what such data fulfil anyway.
    pub(super) fn leaving_out_what_holds(self, edited: &'e Schemas) -> Self {
        Emitter { edited: Some(edited), ..self }
    }

    /// The same with marks at some schemas.
    pub(super) fn with_marks(self, marked: &'e FxHashSet<NodeId>) -> Self {
        Emitter { marked: Some(marked), ..self }
    }

    /// The same for data that have no other members than those named, at any depth: what is said of others is left out.
    pub(super) fn for_members(self, members: &'e OrderedSet<String>) -> Self {
        Emitter { members: Some(members), ..self }
    }

    /// The same for data of some extent: they have no other members, and nothing looks at them but some of very many schemas, nor
    /// takes them but some of very many branches.
    pub(super) fn for_extent(self, all: &'e Branches<'e>, extent: &'e Extent) -> Self {
        let branches = Some((all, &extent.branches));
        Emitter { branches, met: extent.schemas.as_ref(), ..self.for_members(&extent.members) }
    }

    /// The same without what does not matter to some edits: more is valid then, never less.
    pub(super) fn leaving_what_matters(self, matter: &'e Matter<'e>) -> Self {
        Emitter { matter: Some(matter), ..self }
    }

    /// The document with a schema as its root; `is_outer` says whether no other schema looks at the same value.
    pub(super) fn document(self, root: NodeId, is_outer: bool) -> Value {
        self.beginning(root, is_outer, usize::MAX).0
    }

    /// The same with no more than so many definitions, those nearest to the root: references to others lead nowhere. The second
    /// says whether there are others.
    pub(super) fn beginning(mut self, root: NodeId, is_outer: bool, most: usize) -> (Value, bool) {
        let stand = match (self.form, is_outer) {
            (Form::Plain, _) if self.edited.is_some() => Stand::Lean,
            (Form::Plain, _) => Stand::Plain,
            (_, true) => Stand::Outer,
            (_, false) => Stand::Inner,
        };
        let reference = self.reference(Key { side: self.side, node: root, stand });
        let mut written = 0;
        while written < self.open.len().min(most) {
            let (name, key) = self.open[written].clone();
            let schema = self.schema(key);
            self.definitions.insert(name, schema);
            written += 1;
        }
        let left = self.open.split_off(written);
        left.iter().for_each(|(name, _)| drop(self.definitions.remove(name)));
        let mut document = json!({
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "$ref": reference["$ref"],
        });
        document["$defs"] = Value::Object(self.definitions.into_iter().collect());
        (document, !left.is_empty())
    }

    fn node(&self, key: Key) -> &'e Node {
        self.schemas.side(key.side).node(key.node)
    }

    /// A reference to a schema that is written down once.
    fn reference(&mut self, key: Key) -> Value {
        let side = if key.side == Side::Old { 'o' } else { 'n' };
        let stand = match key.stand {
            Stand::Plain => 'p',
            Stand::Outer => 'w',
            Stand::Inner => 'i',
            Stand::Lean => 'l',
        };
        let name = format!("{side}{stand}{}", key.node.0);
        if !self.definitions.contains_key(&name) {
            self.definitions.insert(name.clone(), Value::Bool(true));
            self.open.push((name.clone(), key));
        }
        json!({ "$ref": format!("#/$defs/{name}") })
    }

    /// The keywords of a schema, edited where it is.
    pub(super) fn keywords(&self, key: Key) -> Keywords<'e> {
        let own = self.node(key).keywords.iter();
        let mut keywords: Keywords<'e> =
            own.map(|(name, keyword)| (*name, (key.side, std::borrow::Cow::Borrowed(&keyword.part)))).collect();
        let edits = self.edits.get(&key.node).filter(|_| key.side == self.side).map_or(&[][..], Vec::as_slice);
        let is_lean = key.stand == Stand::Lean;
        let are_values_left = is_lean && self.edited_values(key).is_some();
        for edit in edits {
            let there = self.schemas.side(other(key.side)).node(*edit.nodes.side(other(key.side)));
            apply(&mut keywords, &edit.what, there, key.side, self.members);
        }
        // Lists may be long: what is left of them is written by itself.
        if !are_values_left {
            self.edit_list("enum", key, edits, &mut keywords);
        }
        if is_lean {
            self.leave_required(key, edits, &mut keywords);
        } else {
            self.edit_list("required", key, edits, &mut keywords);
        }
        // Only now, since edits go by the indices of before.
        let rest =
            keywords.get("items").filter(|(side, _)| *side == key.side).and_then(|(_, part)| part.schemas().next());
        for (name, (_, part)) in &mut keywords {
            if let Part::List(list) = &**part
                && list.contains(&GONE)
            {
                *part = std::borrow::Cow::Owned(Part::List(without(name, list, rest)));
            }
        }
        keywords.retain(|_, (_, part)| !matches!(&**part, Part::List(list) if list.is_empty()));
        if key.stand == Stand::Lean {
            self.leave_out_what_holds(key, &mut keywords);
        }
        keywords
    }

    /// Edits a list of values or of names, at once whatever was edited in it: what is in the list there is in it here.
    fn edit_list(&self, name: &'static str, key: Key, edits: &[&'e Edit], keywords: &mut Keywords<'e>) {
        let mut edited: OrderedMap<NodeId, Vec<Value>> = OrderedMap::new();
        for edit in edits {
            let value = match &edit.what {
                What::Value(value) if name == "enum" => value.clone(),
                What::Required(member) | What::Member(member) if name == "required" => Value::String(member.clone()),
                _ => continue,
            };
            edited.entry(*edit.nodes.side(other(key.side))).or_default().push(value);
        }
        if edited.is_empty() {
            return;
        }
        let listed = |part: Option<&Part>| match part {
            Some(Part::Value(Value::Array(list))) => list.clone(),
            _ => Vec::new(),
        };
        let mut list = listed(keywords.get(name).map(|(_, part)| &**part));
        for (there, mut values) in edited {
            let kept: Vec<usize> = lacking(&list, &values);
            list = kept.into_iter().map(|index| std::mem::take(&mut list[index])).collect();
            let there = self.schemas.side(other(key.side)).node(there).value(name);
            let absent: FxHashSet<usize> =
                lacking(&values, there.and_then(Value::as_array).map_or(&[], Vec::as_slice)).into_iter().collect();
            let present = (0..values.len()).filter(|index| !absent.contains(index));
            list.extend(present.map(|index| std::mem::take(&mut values[index])).collect::<Vec<_>>());
        }
        if list.is_empty() && name == "required" {
            keywords.remove(name);
        } else {
            keywords.insert(name, (key.side, std::borrow::Cow::Owned(Part::Value(Value::Array(list)))));
        }
    }

    /// Of the members that have to be there leaves those of which that was edited.
    fn leave_required(&self, key: Key, edits: &[&'e Edit], keywords: &mut Keywords<'e>) {
        if edits.iter().any(|edit| matches!(edit.what, What::Required(_) | What::Member(_))) {
            keywords.remove("required");
            self.edit_list("required", key, edits, keywords);
        }
    }

    /// Leaves the keywords that were edited, and those that lead to edited schemas.
    fn leave_out_what_holds(&self, key: Key, keywords: &mut Keywords<'e>) {
        let edits = self.edits.get(&key.node).map_or(&[][..], Vec::as_slice);
        let leads = |side: Side, node: NodeId| !at(side, node, key.stand).is_fulfilled(self.side, self.edited);
        let is_led = |(name, (side, part)): (&&'static str, &(Side, std::borrow::Cow<'e, Part>))| {
            let is_edited =
                edits.iter().any(|edit| edit.what.family() == keyword_family(name) || edit.what.demands(name));
            let is_led = |child: NodeId| leads(*side, child);
            is_edited
                || match &**part {
                    Part::Map(map) => self.met(name, map).any(|(_, child)| is_led(*child)),
                    part => part.schemas().any(is_led),
                }
        };
        let kept: Vec<&'static str> =
            keywords.iter().filter(|keyword| is_led(*keyword)).map(|(name, _)| *name).collect();
        // What is left to a keyword depends on what its neighbours name.
        let all = |name: &str| match name {
            "properties" | "patternProperties" => kept.contains(&"additionalProperties"),
            "prefixItems" => kept.contains(&"items"),
            "minContains" | "maxContains" | "contains" => kept.iter().any(|kept| keyword_family(kept) == "contains"),
            "if" | "then" | "else" => kept.iter().any(|kept| keyword_family(kept) == "if"),
            _ => false,
        };
        keywords.retain(|name, _| kept.contains(name) || all(name));
        if !kept.contains(&"additionalProperties") {
            self.leave_members(key, edits, keywords);
        }
    }

    /// Leaves the members that were edited or lead to what was, where none is left to what nobody names.
    fn leave_members(&self, key: Key, edits: &[&'e Edit], keywords: &mut Keywords<'e>) {
        for (name, (side, part)) in
            keywords.iter_mut().filter(|(name, _)| matches!(**name, "properties" | "patternProperties"))
        {
            let Part::Map(map) = &**part else { continue };
            let leads = |child: NodeId| !at(*side, child, key.stand).is_fulfilled(self.side, self.edited);
            let edited: FxHashSet<&str> = edits.iter().filter_map(|edit| edit.what.entry_of(name)).collect();
            let left = self.met(name, map).filter(|(entry, child)| edited.contains(&***entry) || leads(**child));
            *part = std::borrow::Cow::Owned(Part::Map(left.map(|(entry, child)| (entry.clone(), *child)).collect()));
        }
    }

    fn schema(&mut self, key: Key) -> Value {
        let is_met = key.side != self.side || self.met.is_none_or(|met| met.contains(&key.node));
        if key.is_fulfilled(self.side, self.edited) || !is_met {
            return Value::Bool(true);
        }
        let node = self.node(key);
        let replaced = self.edits.get(&key.node).into_iter().flatten().find(|edit| edit.what == What::Schema);
        if let Some(edit) = replaced.filter(|_| key.side == self.side) {
            let stand = if key.stand == Stand::Lean { Stand::Plain } else { key.stand };
            let theirs = Key { side: other(key.side), node: *edit.nodes.side(other(key.side)), stand };
            return self.reference(theirs);
        }
        if node.is_false {
            return Value::Bool(false);
        }
        match &node.elsewhere {
            Some(Elsewhere::Missing(_)) => return of_gap(self.gaps == Gaps::TakeAll),
            Some(Elsewhere::Meta(_)) | None => {}
        }
        let keywords = self.keywords(key);
        let mut left_out = self.left_out(key, &keywords);
        let gone = self.values_gone(key);
        left_out.extend(gone.as_ref().map(|_| "enum"));
        let mut written = Map::new();
        for (name, (side, part)) in keywords.iter().filter(|(name, _)| !left_out.contains(name)) {
            let value = self.part(name, key, (*side, part));
            match (*name, &value) {
                ("$ref", Value::Object(reference)) => written.extend(reference.clone()),
                // Two references in one schema.
                ("$dynamicRef", _) => drop(written.insert("allOf_".to_owned(), value)),
                _ => drop(written.insert((*name).to_owned(), value)),
            }
        }
        settle_references(&mut written);
        self.name_what_is_left_out(key, &keywords, &left_out, &mut written);
        if let Some(gone) = gone.filter(|gone| !gone.is_empty()) {
            demand(&mut written, json!({ "not": { "enum": gone } }));
        }
        if self.proves && self.edits.is_empty() && is_exclusive(self.schemas.side(key.side), node) {
            write_as_any(&mut written);
        }
        if !matches!(key.stand, Stand::Plain | Stand::Lean) {
            self.close(key, &keywords, &mut written);
        }
        if key.side == self.side && self.marked.is_some_and(|marked| marked.contains(&key.node)) {
            written.insert(MARK.to_owned(), Value::String(mark(key.node)));
        }
        Value::Object(self.of_bson(key, written))
    }

    /// The values of a list that were edited, where nothing else of it was.
    fn edited_values(&self, key: Key) -> Option<Vec<&'e Value>> {
        let edits = self.edits.get(&key.node).filter(|_| key.stand == Stand::Lean && key.side == self.side);
        let of_list = edits.into_iter().flatten().filter(|edit| edit.what.family() == "enum");
        let value = |edit: &'e Edit| match &edit.what {
            What::Value(value) => Some(value),
            _ => None,
        };
        let edited: Vec<&Value> = of_list.map(|edit| value(edit)).collect::<Option<_>>()?;
        let node = self.node(key);
        let is_list = matches!(node.value("enum"), Some(Value::Array(_)));
        (is_list && !edited.is_empty() && !self.schemas.side(key.side).is_bson(node)).then_some(edited)
    }

    /// The values of a list that went, where nothing but values of it was edited: of data that are as it says no more is left than
    /// that they are none of those.
    fn values_gone(&self, key: Key) -> Option<Vec<Value>> {
        let edited: Vec<Value> = self.edited_values(key)?.into_iter().cloned().collect();
        // Each of very many is asked for by itself.
        if let ([Value::String(text)], Some(listed)) = (&edited[..], self.node(key).keywords.get("enum")) {
            return Some(if listed.has_text(text) { edited } else { Vec::new() });
        }
        let own = self.node(key).value("enum").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        let absent: FxHashSet<usize> = lacking(&edited, own).into_iter().collect();
        let gone = edited.into_iter().enumerate().filter(|(index, _)| !absent.contains(index));
        Some(gone.map(|(_, value)| value).collect())
    }

    /// What stands under a keyword.
    fn part(&mut self, name: &str, key: Key, (side, part): (Side, &Part)) -> Value {
        let stand = match self.stand_below(name, key) {
            // Of what comes from the other side nothing is fulfilled by being valid on this one.
            Stand::Lean if side != self.side => Stand::Plain,
            stand => stand,
        };
        let below = |node: NodeId| at(side, node, stand);
        match part {
            Part::Value(value) => value.clone(),
            Part::Schema(child) => self.child(name, below(*child)),
            Part::List(list) => {
                let branches = self.branches.filter(|_| side == self.side && matches!(name, "anyOf" | "oneOf"));
                let is_met = |child: &&NodeId| match name {
                    "allOf" => **child == GONE || !below(**child).is_fulfilled(self.side, self.edited),
                    _ => branches.is_none_or(|(all, some)| !all.has(**child) || some.contains(*child)),
                };
                let met: Vec<NodeId> = list.iter().filter(is_met).copied().collect();
                if met.is_empty() && !list.is_empty() {
                    return json!([name == "allOf"]);
                }
                let written = |child: NodeId| match child {
                    GONE => Value::Bool(true),
                    child => self.child(name, below(child)),
                };
                Value::Array(met.into_iter().map(written).collect())
            }
            Part::Map(map) => {
                let met: Vec<(&String, Key)> =
                    self.met(name, map).map(|(entry, child)| (entry, below(*child))).collect();
                Value::Object(met.into_iter().map(|(entry, key)| (entry.clone(), self.child(name, key))).collect())
            }
        }
    }

    /// A schema of a validator of MongoDB is written with stand-ins for what JSON has not.
    fn of_bson(&self, key: Key, mut written: Map<String, Value>) -> Map<String, Value> {
        let node = self.node(key);
        if !self.schemas.side(key.side).is_bson(node) {
            return written;
        }
        let is_written = matches!(key.stand, Stand::Outer | Stand::Inner);
        let is_closed = self
            .keywords(key)
            .get("additionalProperties")
            .is_some_and(|(side, part)| part.schemas().all(|child| self.node(at(*side, child, Stand::Plain)).is_false));
        // What is left out since it holds decides which types are thought of.
        if key.stand == Stand::Lean
            && let Some(types) = node.value("type")
        {
            written.entry("type").or_insert_with(|| types.clone());
        }
        if node.pointer.is_empty() && key.stand == Stand::Outer {
            // The server gives every document an `_id`, whether its schema names one or not.
            written.entry("type").or_insert_with(|| json!(["object"]));
            let members = written.entry("properties").or_insert_with(|| Value::Object(Map::new()));
            if let Value::Object(members) = members
                && !is_closed
            {
                members.entry("_id").or_insert_with(bson::own_id);
            }
        }
        bson::written(written, is_written)
    }

    /// The entries of a keyword with schemas by names that the data which the document is for may meet.
    fn met<'m>(
        &self,
        keyword: &str,
        map: &'m OrderedMap<String, NodeId>,
    ) -> Box<dyn Iterator<Item = (&'m String, &'m NodeId)> + 'm>
    where
        'e: 'm,
    {
        match self.members.filter(|_| keyword == "properties") {
            Some(members) => of_members(map, members),
            None => Box::new(map.iter()),
        }
    }

    /// How the schemas under a keyword stand.
    fn stand_below(&self, keyword: &str, key: Key) -> Stand {
        // What falls to these is another value where something beside them was edited.
        let is_rest = matches!(keyword, "additionalProperties" | "items" | "prefixItems");
        if key.stand == Stand::Lean && is_rest && self.edits.contains_key(&key.node) {
            return Stand::Plain;
        }
        // What follows from a condition holds where it did, as long as the condition is the same.
        if key.stand == Stand::Lean && matches!(keyword, "then" | "else") && self.is_condition_the_same(key) {
            return Stand::Lean;
        }
        stand_below(keyword, key.stand)
    }

    fn is_condition_the_same(&self, key: Key) -> bool {
        let is_edited = self.edits.get(&key.node).into_iter().flatten().any(|edit| edit.what.family() == "if");
        let condition = self.node(key).child("if");
        !is_edited && condition.is_some_and(|node| at(key.side, node, Stand::Lean).is_fulfilled(self.side, self.edited))
    }

    /// A schema inside of another; what is referred to is written once, and all else where it stands.
    fn child(&mut self, name: &str, key: Key) -> Value {
        if matches!(name, "$ref" | "$dynamicRef") { self.reference(key) } else { self.schema(key) }
    }
}

/// Of a `oneOf` with branches of which no two can be valid: what is the same and takes no negation.
fn write_as_any(written: &mut Map<String, Value>) {
    if !written.contains_key("anyOf")
        && let Some(branches) = written.remove("oneOf")
    {
        written.insert("anyOf".to_owned(), branches);
    }
}

/// A second reference becomes a part that must hold as well.
fn settle_references(written: &mut Map<String, Value>) {
    if let Some(second) = written.remove("allOf_") {
        demand(written, second);
    }
}

/// Has one more schema hold of the same value.
fn demand(written: &mut Map<String, Value>, part: Value) {
    match written.entry("allOf").or_insert_with(|| Value::Array(Vec::new())) {
        Value::Array(parts) => parts.push(part),
        other => *other = Value::Array(vec![part]),
    }
}

fn stand_below(keyword: &str, stand: Stand) -> Stand {
    match (stand, keyword) {
        (Stand::Lean, "anyOf" | "oneOf" | "not" | "if" | "then" | "else" | "contains") => Stand::Plain,
        (Stand::Lean, _) => Stand::Lean,
        (Stand::Plain, _) | (_, "if" | "not" | "contains" | "propertyNames") => Stand::Plain,
        (_, keyword) if is_beside(keyword) => Stand::Inner,
        _ => Stand::Outer,
    }
}

/// How a schema is marked.
pub(super) fn mark(node: NodeId) -> String {
    node.0.to_string()
}

pub(super) const fn other(side: Side) -> Side {
    match side {
        Side::Old => Side::New,
        Side::New => Side::Old,
    }
}

/// Makes one edit: what is said there is said here.
fn apply<'k>(
    keywords: &mut Keywords<'k>,
    what: &What,
    there: &'k Node,
    side: Side,
    members: Option<&OrderedSet<String>>,
) {
    match what {
        // Lists are edited at once, and a schema as a whole is another one.
        What::Schema | What::Value(_) | What::Required(_) => {}
        What::Keywords(names) => {
            for name in *names {
                take(keywords, name, there, side);
            }
        }
        What::Pattern(_) => take(keywords, "pattern", there, side),
        What::Entry(keyword, name) => entry(keywords, keyword, name, (there, side), members),
        What::Member(name) => entry(keywords, "properties", name, (there, side), members),
        What::Branch(keyword, at) => branch(keywords, keyword, *at, there, side),
    }
}

fn take<'k>(keywords: &mut Keywords<'k>, name: &'static str, there: &'k Node, side: Side) {
    match there.keywords.get(name) {
        Some(Keyword { part, .. }) => drop(keywords.insert(name, (other(side), std::borrow::Cow::Borrowed(part)))),
        None => drop(keywords.remove(name)),
    }
}

/// One entry of a keyword with schemas by names, of which others are left where data have some members only.
fn entry<'k>(
    keywords: &mut Keywords<'k>,
    keyword: &'static str,
    name: &str,
    (there, side): (&'k Node, Side),
    members: Option<&OrderedSet<String>>,
) {
    let theirs = there.map(keyword).and_then(|map| map.get(name)).copied();
    let (at, part) =
        keywords.entry(keyword).or_insert_with(|| (side, std::borrow::Cow::Owned(Part::Map(OrderedMap::new()))));
    *at = side;
    // What was edited before is left already.
    if let (std::borrow::Cow::Borrowed(Part::Map(map)), Some(members)) =
        (&*part, members.filter(|_| keyword == "properties"))
    {
        let left = of_members(map, members).map(|(name, child)| (name.clone(), *child));
        *part = std::borrow::Cow::Owned(Part::Map(left.collect()));
    }
    let is_empty = match part.to_mut() {
        Part::Map(map) => {
            map.remove(name);
            if let Some(theirs) = theirs {
                map.insert(name.to_owned(), NodeId(theirs.0 | FOREIGN));
            }
            map.is_empty()
        }
        _ => true,
    };
    if is_empty {
        keywords.remove(keyword);
    }
}

fn branch<'k>(
    keywords: &mut Keywords<'k>,
    keyword: &'static str,
    at: Pair<Option<usize>>,
    there: &'k Node,
    side: Side,
) {
    let (of, part) = keywords.entry(keyword).or_insert_with(|| (side, std::borrow::Cow::Owned(Part::List(Vec::new()))));
    *of = side;
    let Part::List(list) = part.to_mut() else { return };
    match (at.side(side), at.side(other(side))) {
        (Some(index), _) if *index < list.len() => {
            list[*index] = GONE;
        }
        (_, Some(index)) => list.extend(there.list(keyword).get(*index).map(|node| NodeId(node.0 | FOREIGN))),
        _ => {}
    }
}

/// What is left of a list without the branches that are gone. The positions of a tuple keep their places, and what was at one
/// that is gone falls to the rest.
fn without(keyword: &str, list: &[NodeId], rest: Option<NodeId>) -> Vec<NodeId> {
    let is_kept = |node: &&NodeId| **node != GONE;
    match keyword {
        "prefixItems" => {
            let end = list.iter().rposition(|node| *node != GONE).map_or(0, |last| last + 1);
            list[..end].iter().map(|node| if *node == GONE { rest.unwrap_or(GONE) } else { *node }).collect()
        }
        _ => list.iter().filter(is_kept).copied().collect(),
    }
}

/// A schema among those of one side, which may be marked as one of the other.
pub(super) const fn at(side: Side, node: NodeId, stand: Stand) -> Key {
    match (node.0 & FOREIGN, stand) {
        (0, _) => Key { side, node, stand },
        // Nothing is known of whether data fulfil it.
        (_, Stand::Lean) => Key { side: other(side), node: NodeId(node.0 & !FOREIGN), stand: Stand::Plain },
        _ => Key { side: other(side), node: NodeId(node.0 & !FOREIGN), stand },
    }
}

impl Key {
    /// Whether nothing was edited in it, of data that fulfil what was not.
    fn is_fulfilled(self, side: Side, edited: Option<&Schemas>) -> bool {
        let is_edited = edited.is_none_or(|edited| edited.contains(self.node));
        self.stand == Stand::Lean && self.side == side && !is_edited
    }
}

/// Marks a schema of the other side among those of one side; there are never so many schemas that it could be a number.
const FOREIGN: u32 = 1 << 31;
/// Stands where a branch was.
const GONE: NodeId = NodeId(u32::MAX);

#[cfg(test)]
#[path = "emit_tests.rs"]
mod tests;
