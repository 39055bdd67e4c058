//! Who wrote a member before the new schema named it: what is said of it concerns old data only then.

use serde_json::Value;

use crate::change::{ChangeKind, FactKey};
use crate::formats::frame::differ::Draft;
use crate::formats::instances::Writers;
use crate::formats::json_schema::model::{Node, NodeId, Schema};
use crate::formats::json_schema::pairs::{Edit, What, is_beside};
use crate::formats::json_schema::reach::Holders;
use crate::formats::json_schema::reader::Pattern;
use crate::ordered::OrderedSet;
use crate::text;

/// More schemas of one object are not looked at.
const MOST: usize = 2_000;

/// Letters of a pattern that are shown.
const LETTERS: usize = 80;

/// States of each property that came why old data may have it.
pub(super) fn say(schema: &Schema, drafts: &mut [Draft], edits: &[Edit]) {
    let mut holders = None;
    for (draft, edit) in drafts.iter_mut().zip(edits) {
        if let (ChangeKind::FieldAdded, What::Entry("properties", name)) = (draft.kind(), &edit.what) {
            let holders = holders.get_or_insert_with(|| Holders::of(schema));
            draft.state(FactKey::Reason, reason(schema, holders, edit.nodes.old, name));
        }
    }
}

/// Why writers of a schema write a member that it does not name itself, as the end of a sentence.
fn reason(schema: &Schema, holders: &Holders, node: NodeId, name: &str) -> String {
    let usage = schema.files.get(schema.node(node).file).map(|file| &file.usage);
    if usage.is_some_and(|usage| usage.writers == Writers::Any) {
        return "since they write all that is valid, as you said".to_owned();
    }
    let mut names_any = false;
    for node in around(schema, holders, node).into_iter().map(|node| schema.node(node)) {
        if let Some(pattern) = pattern(node, name) {
            let pattern = text::shorten(pattern, LETTERS);
            return format!("where the pattern `{pattern}` at `{}` allows it another one", schema.location(node));
        }
        if node.value("required").and_then(Value::as_array).is_some_and(|names| names.iter().any(|one| one == name)) {
            return format!("since `required` at `{}` names it", schema.location(node));
        }
        if let Some(others) = others(schema, node) {
            return format!("since `{others}` at `{}` allows members of any name", schema.location(node));
        }
        names_any |= ["properties", "patternProperties", "required"].iter().any(|key| node.keywords.contains_key(*key));
    }
    match names_any {
        true => "only where no schema that applies names a member, or with `--writers any`".to_owned(),
        false => "since their schema names no member of this object".to_owned(),
    }
}

/// The keyword of a schema that says what members are that it does not name, as those of a map.
fn others(schema: &Schema, node: &Node) -> Option<&'static str> {
    let is_said = |name: &&str| {
        let others = node.child(name).map(|others| schema.node(schema.seen_through(others)));
        others.is_some_and(|others| !others.is_false && !others.is_true())
    };
    ["additionalProperties", "unevaluatedProperties"].into_iter().find(is_said)
}

/// The pattern of a schema that matches a name.
fn pattern<'s>(node: &'s Node, name: &str) -> Option<&'s str> {
    let mut patterns = node.map("patternProperties")?.keys();
    patterns.find(|pattern| Pattern::new(pattern).is_some_and(|pattern| pattern.is_found(name))).map(String::as_str)
}

/// The schemas that look at the same value as one, or may: that one first.
fn around(schema: &Schema, holders: &Holders, node: NodeId) -> Vec<NodeId> {
    let (mut found, mut seen, mut next) = (vec![node], OrderedSet::from_iter([node]), 0);
    let inside = |node: NodeId| {
        let beside = schema.node(node).keywords.iter().filter(|(name, _)| is_beside(name));
        beside.flat_map(|(_, keyword)| keyword.part.schemas())
    };
    while next < found.len() && found.len() < MOST {
        let node = found[next];
        next += 1;
        let above = holders.holding(node).iter().copied().filter(|holder| inside(*holder).any(|one| one == node));
        found.extend(inside(node).chain(above).filter(|one| seen.insert(*one)));
    }
    found
}
