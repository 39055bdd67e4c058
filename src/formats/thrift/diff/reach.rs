//! What roots reach.

use std::collections::BTreeSet;
use std::sync::Arc;

use rustc_hash::FxHashSet;

use crate::change::{Change, ChangeKind, FactKey, Pair};

use super::super::model::{Schema, ServiceId, StructId, Type};
use super::Diff;
use super::services::callable;

/// Leaves only what the roots reach. Nothing is left out when there are no roots.
pub(super) fn limit_to_roots(schemas: Pair<&Schema<'_>>, roots: &[String], found: &mut Diff) {
    if roots.is_empty() {
        return;
    }
    let reached = Pair::new(reach(schemas.old, roots), reach(schemas.new, roots));
    let known = |root: &String| reached.old.names.contains(root.as_str()) || reached.new.names.contains(root.as_str());
    found.unknown_roots = roots.iter().filter(|root| !known(root)).cloned().collect();
    let names: BTreeSet<&str> = reached.old.names.iter().chain(&reached.new.names).map(|name| &**name).collect();
    let is_reached = |old: &str, new: &str| names.contains(old) || names.contains(new);
    found.changes.retain_mut(|change| is_of_reached(change, &names, roots));
    found.pairs.structs.retain(|pair| {
        let Pair { old, new } = pair.types;
        is_reached(&schemas.old.structure(old).full_name, &schemas.new.structure(new).full_name)
    });
    found.pairs.enums.retain(|pair| {
        let Pair { old, new } = pair.types;
        is_reached(&schemas.old.enumeration(old).full_name, &schemas.new.enumeration(new).full_name)
    });
}

/// Whether a change concerns something reached; a root that went is marked as needed.
fn is_of_reached(change: &mut Change, names: &BTreeSet<&str>, roots: &[String]) -> bool {
    if matches!(change.kind, ChangeKind::MessageRemoved | ChangeKind::EnumRemoved) && roots.contains(&change.path) {
        change.facts = std::mem::take(&mut change.facts).with(FactKey::Needed, "yes");
    }
    let named = [FactKey::Container, FactKey::OldName].into_iter().filter_map(|key| change.facts.get(key));
    let path = &*change.path;
    named.chain([path]).chain(path.rsplit_once('.').map(|(parent, _)| parent)).any(|name| names.contains(name))
}

/// What is reached from the roots of one side.
#[derive(Default)]
struct Reached {
    names: BTreeSet<Arc<str>>,
    seen: FxHashSet<StructId>,
    queue: Vec<StructId>,
}

fn reach(schema: &Schema<'_>, roots: &[String]) -> Reached {
    let mut reached = Reached::default();
    for root in roots {
        let means = |full: &str| full == root || full.rsplit_once('.').is_some_and(|(_, simple)| simple == root);
        for (one, id) in schema.structs.iter().zip((0..).map(StructId)).filter(|(one, _)| means(&one.full_name)) {
            reached.names.extend([one.full_name.clone(), Arc::from(root.as_str())]);
            reached.queue.push(id);
        }
        for one in schema.enums.iter().filter(|one| means(&one.full_name)) {
            reached.names.extend([one.full_name.clone(), Arc::from(root.as_str())]);
        }
        for (one, id) in schema.services.iter().zip((0..).map(ServiceId)).filter(|(one, _)| means(&one.full_name)) {
            reached.names.extend([one.full_name.clone(), Arc::from(root.as_str())]);
            for (owner, function) in callable(schema, id) {
                reached.names.insert(schema.service(owner).full_name.clone());
                reached.queue.extend([function.arguments, function.result]);
            }
        }
    }
    while let Some(id) = reached.queue.pop() {
        if !reached.seen.insert(id) {
            continue;
        }
        reached.names.insert(schema.structure(id).full_name.clone());
        for field in &schema.structure(id).fields {
            reached.follow(schema, &field.ty);
        }
    }
    reached
}

impl Reached {
    fn follow(&mut self, schema: &Schema<'_>, ty: &Type) {
        match ty {
            Type::Struct(id) => self.queue.push(*id),
            Type::Enum(id) => drop(self.names.insert(schema.enumeration(*id).full_name.clone())),
            Type::List(items) | Type::Set(items) => self.follow(schema, items),
            Type::Map(pair) => {
                self.follow(schema, &pair.0);
                self.follow(schema, &pair.1);
            }
            _ => {}
        }
    }
}
