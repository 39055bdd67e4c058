//! One pair of schemas after the other, from two documents on.

use super::relation::{Polarity, Relation};
use super::walk::{Found, Visit, Walk};
use super::{branches, encodings, keywords, objects};
use crate::change::{ChangeKind, Pair};
use crate::formats::json_schema::address;
use crate::formats::json_schema::model::{Elsewhere, Node, NodeId, Schema};
use crate::formats::json_schema::pairs::What;

/// Compares two documents with all that they lead to.
pub(super) fn document(walk: &mut Walk<'_>, nodes: Pair<NodeId>, files: Pair<usize>, names: Pair<String>) {
    walk.start(nodes);
    while let Some((nodes, polarity)) = walk.next() {
        visit(walk, nodes, polarity);
    }
    walk.end(nodes, files, names);
}

fn visit(walk: &mut Walk<'_>, nodes: Pair<NodeId>, polarity: Polarity) {
    let pair = walk.nodes(nodes);
    let (old, new) = (pair.old, pair.new);
    if old.is_false != new.is_false || old.elsewhere != new.elsewhere {
        // What one side could not find and the other one has is told as that.
        let is_told = match (missing(old), missing(new)) {
            (Some(address), None) => refers(walk.schemas.new, walk.schemas.old.path(old), address),
            (None, Some(address)) => refers(walk.schemas.old, walk.schemas.new.path(new), address),
            _ => false,
        };
        if !is_told {
            whole(walk, (nodes, polarity));
        }
        return;
    }
    // What is evaluated inside decides what is left over for `unevaluatedProperties`, so nobody can say.
    let counts = |node: &Node| {
        ["unevaluatedProperties", "unevaluatedItems"].iter().any(|name| node.keywords.contains_key(*name))
    };
    let polarity = if counts(old) || counts(new) { polarity.unclear() } else { polarity };
    let visit = (nodes, polarity);
    keywords::compare(walk, visit);
    objects::compare(walk, visit);
    branches::compare(walk, visit);
    keywords::notes(walk, nodes);
    encodings::compare(walk, nodes, walk.is_top(nodes));
}

/// The address of a schema that was not found.
fn missing(node: &Node) -> Option<&str> {
    match &node.elsewhere {
        Some(Elsewhere::Missing(address)) => Some(address),
        _ => None,
    }
}

/// Whether the version of a file on one side refers to the document of an address, and found it, since the other did not.
fn refers(schema: &Schema, path: &str, address: &str) -> bool {
    let own = address::split(address).0;
    let is_meant = |import: &String| import == own || import.strip_suffix(own).is_some_and(|base| base.ends_with('/'));
    let is_missing = |node: &Node| {
        &**schema.path(node) == path && missing(node).is_some_and(|address| address::split(address).0 == own)
    };
    let mut files = schema.files.iter().filter(|file| &*file.path == path);
    !schema.nodes.iter().any(is_missing) && files.any(|file| file.imports.iter().any(is_meant))
}

/// A schema that became `false`, or another one than a meta-schema.
fn whole(walk: &mut Walk<'_>, visit: Visit) {
    let Pair { old, new } = walk.nodes(visit.0);
    let relation = match (old.is_false, new.is_false) {
        (false, true) => Relation::Tightened,
        (true, false) => Relation::Loosened,
        _ => Relation::Incomparable,
    };
    let at = walk.schemas.zip(walk.nodes(visit.0), |schema, node| Some(schema.site(node, node.span)));
    let (kind, what) = (ChangeKind::SubschemaChanged, "schema".to_owned());
    walk.found(visit, Found { kind, what, edit: What::Schema, relation, at, facts: &[], element: None });
}
