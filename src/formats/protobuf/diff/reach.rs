//! What roots reach.

use std::sync::Arc;

use rustc_hash::FxHashSet;

use crate::change::Pair;
use crate::formats::frame::roots::Roots;
use crate::ordered::OrderedSet;

use super::super::model::{Kind, MessageId, Schema};
use super::state::{Diff, Met};

/// Leaves only what the roots reach. Nothing is left out when there are no roots.
pub(super) fn limit_to_roots(schemas: Pair<&Schema<'_>>, roots: &Roots, found: &mut Diff, replacements: &[Met]) {
    if roots.is_everything() {
        return;
    }
    let reached = Pair::new(reach(schemas.old, roots), reach(schemas.new, roots));
    let mut names: OrderedSet<&str> = reached.old.iter().chain(&reached.new).map(|name| &**name).collect();
    for replacement in replacements {
        if let Met::Type(Pair { old, new }) = replacement {
            let (old, new) = (&schemas.old.message(*old).full_name, &schemas.new.message(*new).full_name);
            if names.contains(&**old) {
                names.insert(new);
            }
        }
    }
    roots.limit(&mut found.changes, &names);
    found.pairs.messages.retain(|pair| names.contains(&*schemas.new.message(pair.types.new).full_name));
    found.pairs.enums.retain(|pair| names.contains(&*schemas.new.enumeration(pair.types.new).full_name));
}

/// Full names of everything reached from the roots of one side.
fn reach(schema: &Schema<'_>, roots: &Roots) -> OrderedSet<Arc<str>> {
    let mut names = OrderedSet::new();
    let mut seen: FxHashSet<MessageId> = FxHashSet::default();
    let mut queue: Vec<MessageId> = Vec::new();
    for root in roots.iter() {
        queue.extend(schema.messages_by_name.get(root).into_iter().flatten());
        if schema.enums_by_name.contains_key(root) {
            names.insert(Arc::from(root));
        }
        for service in schema.services.iter().filter(|service| *service.full_name == *root) {
            names.insert(service.full_name.clone());
            queue.extend(service.methods.iter().flat_map(|method| [method.input, method.output]).flatten());
        }
    }
    while let Some(id) = queue.pop() {
        if !seen.insert(id) {
            continue;
        }
        names.insert(schema.message(id).full_name.clone());
        for field in schema.all_fields(id) {
            match field.kind {
                Kind::Message(inner) => queue.push(inner),
                Kind::Enum(inner) => {
                    names.insert(schema.enumeration(inner).full_name.clone());
                }
                _ => {}
            }
        }
    }
    names
}
