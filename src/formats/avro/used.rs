//! The names of fields, by the full names of their records: by nothing else do data and readers know which is which.

use super::ast::{Document, Node, NodeKind};
use super::gather::defined;
use crate::formats::used::{Role, Used};
use crate::syntax::json::JsonKind;

/// The fields of all records that a file defines. Symbols of enums are not among them: one that comes back is what it was.
pub(super) fn used(document: &Document<'_>) -> Vec<Used> {
    let mut found = Vec::new();
    let namespace = document.namespace.as_ref().map_or("", |namespace| &namespace.text);
    document.schemas().for_each(|node| add(node, namespace, &mut found));
    found
}

fn add(node: &Node<'_>, namespace: &str, found: &mut Vec<Used>) {
    match &node.kind {
        NodeKind::Record { names, fields, .. } => {
            let (element, own) = defined(names, namespace);
            for field in fields {
                found.push(Used {
                    element: element.clone(),
                    role: Role::Name,
                    slot: field.name.text.to_string(),
                    name: field.name.text.to_string(),
                    ty: type_of(&field.schema),
                    span: field.span,
                });
                add(&field.schema, &own, found);
            }
        }
        NodeKind::Array(inner) | NodeKind::Map(inner) => add(inner, namespace, found),
        NodeKind::Union(branches) => branches.iter().for_each(|branch| add(branch, namespace, found)),
        NodeKind::Name(_) | NodeKind::Enum { .. } | NodeKind::Fixed { .. } | NodeKind::Broken => {}
    }
}

/// A type in a word or a few. Whether there may be nothing instead does not make it another one.
fn type_of(node: &Node<'_>) -> String {
    let last = |name: &str| name.rsplit('.').next().unwrap_or_default().to_owned();
    let plain = match &node.kind {
        NodeKind::Name(name) => last(&name.text),
        NodeKind::Record { names, .. } | NodeKind::Enum { names, .. } | NodeKind::Fixed { names, .. } => {
            last(&names.name.text)
        }
        NodeKind::Array(inner) => format!("array<{}>", type_of(inner)),
        NodeKind::Map(inner) => format!("map<{}>", type_of(inner)),
        NodeKind::Union(branches) => {
            let branches = branches.iter().map(type_of).filter(|branch| branch != "null");
            branches.collect::<Vec<_>>().join(" | ")
        }
        NodeKind::Broken => String::new(),
    };
    let logical = node.attributes.iter().find(|attribute| attribute.name.text == "logicalType");
    match logical.map(|attribute| &attribute.value.kind) {
        Some(JsonKind::Text(logical)) => format!("{plain} ({logical})"),
        Some(_) | None => plain,
    }
}
