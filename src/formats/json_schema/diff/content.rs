//! What a schema says, in a few digits: what comes or goes at one place may be anything.

use crate::change::Pair;
use crate::formats::json_schema::model::{Keyword, Node, NodeId, Part, Schema};
use crate::text::digest;

/// Digits for what a schema says that one side has.
pub(super) fn content(schemas: Pair<&Schema>, nodes: Pair<Option<NodeId>>) -> String {
    let mut words = Vec::new();
    for (schema, node) in [(schemas.old, nodes.old), (schemas.new, nodes.new)] {
        if let Some(node) = node {
            says(schema, node, &mut words);
        }
    }
    digest(words)
}

/// Digits for what some keywords of each side say.
pub(super) fn contents<'s>(sides: Pair<(&Schema, impl Iterator<Item = (&'s &'static str, &'s Keyword)>)>) -> String {
    let mut words = Vec::new();
    keywords(sides.old.0, sides.old.1, &mut words);
    words.push("instead".to_owned());
    keywords(sides.new.0, sides.new.1, &mut words);
    digest(words)
}

/// The keywords of a schema that belong to a group.
pub(super) fn keywords_of<'s>(
    node: &'s Node,
    group: &'s [&'static str],
) -> impl Iterator<Item = (&'s &'static str, &'s Keyword)> {
    node.keywords.iter().filter(|(name, _)| group.contains(name))
}

/// A schema in words, without notes. What it refers to is called by its place.
fn says(schema: &Schema, id: NodeId, words: &mut Vec<String>) {
    let node = schema.node(id);
    words.push(format!("{} {:?} {{", node.is_false, node.elsewhere));
    keywords(schema, node.keywords.iter(), words);
    words.push("}".to_owned());
}

fn keywords<'s>(
    schema: &Schema,
    keywords: impl Iterator<Item = (&'s &'static str, &'s Keyword)>,
    words: &mut Vec<String>,
) {
    for (name, keyword) in keywords {
        words.push((*name).to_owned());
        match &keyword.part {
            Part::Value(value) => words.push(value.to_string()),
            Part::Schema(target) if matches!(*name, "$ref" | "$dynamicRef") => {
                let node = schema.node(*target);
                let name = schema.path(node).rsplit('/').next().unwrap_or_default();
                words.push(format!("{name}#{}", node.pointer));
            }
            Part::Schema(child) => says(schema, *child, words),
            Part::List(list) => list.iter().for_each(|child| says(schema, *child, words)),
            Part::Map(map) => map.iter().for_each(|(entry, child)| {
                words.push(entry.clone());
                says(schema, *child, words);
            }),
        }
    }
}
