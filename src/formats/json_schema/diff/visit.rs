//! One pair of schemas after the other, from two documents on.

use super::relation::{Polarity, Relation};
use super::walk::{Found, Visit, Walk};
use super::{branches, encodings, keywords, objects};
use crate::change::{ChangeKind, Pair};
use crate::formats::json_schema::model::{Elsewhere, Node, NodeId};
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
        let is_missing = |node: &Node| matches!(node.elsewhere, Some(Elsewhere::Missing(_)));
        let is_told = match (is_missing(old), is_missing(new)) {
            (true, false) => !walk.schemas.new.has_gaps(),
            (false, true) => !walk.schemas.old.has_gaps(),
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
    let polarity = if counts(old) || counts(new) { Polarity::Either } else { polarity };
    let visit = (nodes, polarity);
    keywords::compare(walk, visit);
    objects::compare(walk, visit);
    branches::compare(walk, visit);
    keywords::notes(walk, nodes);
    encodings::compare(walk, nodes, walk.is_top(nodes));
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
