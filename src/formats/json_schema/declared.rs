//! What writers write of a schema: the members that some schema of the object names. See `docs/json-schema.md` for the cases.

use serde_json::{Map, Value};

use super::emit::{Emitter, Form, Key, Keywords, Stand, at};
use super::groups::beside;
use super::model::{NodeId, Part};
use super::pairs::{is_beside, keyword_family};
use super::ways::MARK;
use crate::change::Side;
use crate::formats::instances::Writers;
use crate::ordered::OrderedSet;

impl<'e> Emitter<'e> {
    /// Leaves to a schema what its writers write.
    pub(super) fn close(&mut self, key: Key, keywords: &Keywords<'e>, written: &mut Map<String, Value>) {
        if self.writers == Writers::Any {
            return;
        }
        if keywords.contains_key("prefixItems")
            && !keywords.keys().any(|name| is_beside(name))
            && key.stand == Stand::Outer
        {
            let mut rest = ["items", "unevaluatedItems"].iter().filter_map(|name| keywords.get(name));
            let says = rest.any(|(side, part)| self.is_assertion(*side, part));
            if !says {
                written.insert("items".to_owned(), Value::Bool(false));
            }
        }
        let named = self.named(key);
        let is_closable = named.is_some_and_not_map();
        if !is_closable {
            return;
        }
        for open in ["additionalProperties", "unevaluatedProperties"] {
            if written.get(open).is_some_and(is_open) {
                written.remove(open);
            }
        }
        let has_beside = keywords.keys().any(|name| is_beside(name));
        if self.form == Form::Exact && (has_beside || key.stand == Stand::Inner) {
            if !written.contains_key("additionalProperties") {
                name_members(written, named.own.iter());
            }
            if key.stand == Stand::Outer {
                written.entry("unevaluatedProperties").or_insert(Value::Bool(false));
            }
        } else if key.stand == Stand::Outer && !written.contains_key("additionalProperties") {
            name_members(written, named.names.iter());
            name_matching(written, &named.patterns);
            written.insert("additionalProperties".to_owned(), Value::Bool(false));
        }
    }

    /// The members that writers write, where they write no others: what they write is closed, and no schema that looks at the whole
    /// of it speaks of others. What a condition has looked at counts as well.
    pub(super) fn all_written(&self, root: NodeId) -> Option<Members> {
        let key = Key { side: self.side, node: root, stand: Stand::Outer };
        let named = self.named(key);
        let schema = *self.schemas.side(self.side);
        let is_open = |node: &NodeId| {
            let rest = ["additionalProperties", "unevaluatedProperties"].iter();
            rest.filter_map(|keyword| schema.node(*node).child(keyword))
                .any(|child| !schema.node(schema.seen_through(child)).is_false)
        };
        let are_all = self.writers == Writers::Declared
            && named.is_some_and_not_map()
            && !beside(schema, root).iter().any(is_open);
        are_all.then_some(Members { names: named.names, patterns: named.patterns })
    }

    /// The members that a schema names, with all that look at the same value.
    fn named(&self, key: Key) -> Named {
        let mut named = self.named_by(vec![key]);
        named.own = self.keywords(key).get("required").into_iter().flat_map(|(_, part)| required(part)).collect();
        named
    }

    /// The members that some schemas name, with all that look at the same value.
    fn named_by(&self, mut open: Vec<Key>) -> Named {
        let mut named = Named::default();
        let mut seen: OrderedSet<(Side, NodeId)> = open.iter().map(|key| (key.side, key.node)).collect();
        while let Some(key) = open.pop() {
            let keywords = self.keywords(key);
            for (name, (side, part)) in &keywords {
                self.add_names(name, *side, part, &mut named);
                if is_beside(name) {
                    for key in part.schemas().map(|node| at(*side, node, key.stand)) {
                        if seen.insert((key.side, key.node)) {
                            open.push(key);
                        }
                    }
                }
            }
        }
        named
    }

    /// Whether a schema says anything of a value.
    fn is_assertion(&self, side: Side, part: &Part) -> bool {
        let Part::Schema(child) = part else { return false };
        let Key { side, node, .. } = at(side, *child, Stand::Plain);
        let schema = *self.schemas.side(side);
        !schema.node(schema.seen_through(node)).is_true()
    }

    fn add_names(&self, keyword: &str, side: Side, part: &Part, named: &mut Named) {
        match (keyword, part) {
            ("properties", Part::Map(map)) => named.names.extend(map.keys().cloned()),
            ("patternProperties", Part::Map(map)) => named.patterns.extend(map.keys().cloned()),
            ("required", _) => named.names.extend(required(part)),
            ("additionalProperties" | "unevaluatedProperties", Part::Schema(child)) => {
                let schema = *self.schemas.side(side);
                let is_false = schema.node(schema.seen_through(*child)).is_false;
                named.is_map |= !is_false && self.is_assertion(side, part);
            }
            _ => {}
        }
    }

    /// The keywords of a schema that do not matter to what the document is for.
    pub(super) fn left_out(&self, key: Key, keywords: &Keywords<'_>) -> Vec<&'static str> {
        let is_written = matches!(key.stand, Stand::Outer | Stand::Inner) && key.side == self.side;
        let Some(matter) = self.matter.filter(|_| is_written) else { return Vec::new() };
        let condition: Vec<NodeId> = ["if", "then", "else"]
            .iter()
            .filter_map(|name| keywords.get(name))
            .flat_map(|(_, part)| part.schemas().collect::<Vec<_>>())
            .collect();
        let is_left = |(name, (_, part)): &(&&'static str, &(Side, std::borrow::Cow<'_, Part>))| {
            let whole = if keyword_family(name) == "if" { &condition[..] } else { &[] };
            matter.is_beside_the_point(key.node, name, part, whole)
        };
        keywords.iter().filter(is_left).map(|(name, _)| *name).collect()
    }

    /// What is left out still names the members that it names.
    pub(super) fn name_what_is_left_out(
        &self,
        key: Key,
        keywords: &Keywords<'_>,
        left_out: &[&'static str],
        written: &mut Map<String, Value>,
    ) {
        if left_out.is_empty() || self.writers == Writers::Any {
            return;
        }
        let left = left_out.iter().filter(|name| is_beside(name)).filter_map(|name| keywords.get(name));
        let open =
            left.flat_map(|(side, part)| part.schemas().map(|node| at(*side, node, key.stand)).collect::<Vec<_>>());
        let named = self.named_by(open.collect());
        name_members(written, named.names.iter());
        name_matching(written, &named.patterns);
    }
}

/// All members that writers write of an object.
pub(super) struct Members {
    pub(super) names: OrderedSet<String>,
    pub(super) patterns: OrderedSet<String>,
}

/// What schemas of an object name.
#[derive(Default)]
struct Named {
    names: OrderedSet<String>,
    patterns: OrderedSet<String>,
    /// What the first of them requires.
    own: OrderedSet<String>,
    is_map: bool,
}

impl Named {
    fn is_some_and_not_map(&self) -> bool {
        !self.is_map && (!self.names.is_empty() || !self.patterns.is_empty())
    }
}

fn required(part: &Part) -> impl Iterator<Item = String> {
    let names = match part {
        Part::Value(Value::Array(names)) => names.as_slice(),
        _ => &[],
    };
    names.iter().filter_map(Value::as_str).map(str::to_owned)
}

/// Names members without saying anything of them.
fn name_members<'n>(written: &mut Map<String, Value>, names: impl Iterator<Item = &'n String>) {
    let mut names = names.peekable();
    if names.peek().is_none() {
        return;
    }
    let properties = written.entry("properties").or_insert_with(|| Value::Object(Map::new()));
    if let Value::Object(properties) = properties {
        for name in names {
            properties.entry(name.clone()).or_insert(Value::Bool(true));
        }
    }
}

fn is_open(value: &Value) -> bool {
    match value {
        Value::Bool(value) => *value,
        Value::Object(map) => map.keys().all(|name| name == MARK),
        _ => false,
    }
}

/// The same of all members that match a pattern.
fn name_matching(written: &mut Map<String, Value>, patterns: &OrderedSet<String>) {
    if patterns.is_empty() {
        return;
    }
    let known = written.entry("patternProperties").or_insert_with(|| Value::Object(Map::new()));
    if let Value::Object(known) = known {
        for pattern in patterns {
            known.entry(pattern.clone()).or_insert(Value::Bool(true));
        }
    }
}
