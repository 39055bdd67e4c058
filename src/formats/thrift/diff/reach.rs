//! What roots reach.

use std::sync::Arc;

use rustc_hash::FxHashSet;

use crate::change::Pair;
use crate::formats::frame::roots::Roots;
use crate::ordered::OrderedSet;

use super::super::keys;
use super::super::model::{Schema, ServiceId, StructId, Type};
use super::services::callable;

/// What stands in keys on each side, as far as the roots reach.
pub(super) fn in_keys(schemas: Pair<&Schema<'_>>, roots: &Roots) -> Pair<FxHashSet<StructId>> {
    schemas.map(|schema| {
        let reached = (!roots.is_everything()).then(|| reach(schema, roots));
        keys::in_keys(schema, |name| reached.as_ref().is_none_or(|names| names.contains(name)))
    })
}

/// What is reached from the roots of one side.
#[derive(Default)]
struct Reached {
    names: OrderedSet<Arc<str>>,
    seen: FxHashSet<StructId>,
    queue: Vec<StructId>,
}

/// The full names of everything that the roots of a side reach.
pub(super) fn reach(schema: &Schema<'_>, roots: &Roots) -> OrderedSet<Arc<str>> {
    let mut reached = Reached::default();
    for (one, id) in schema.structs.iter().zip((0..).map(StructId)).filter(|(one, _)| roots.has(&one.full_name)) {
        reached.names.insert(one.full_name.clone());
        reached.queue.push(id);
    }
    let enums = schema.enums.iter().filter(|one| roots.has(&one.full_name));
    reached.names.extend(enums.map(|one| one.full_name.clone()));
    for (one, id) in schema.services.iter().zip((0..).map(ServiceId)).filter(|(one, _)| roots.has(&one.full_name)) {
        reached.names.insert(one.full_name.clone());
        for (owner, function) in callable(schema, id) {
            reached.names.insert(schema.service(owner).full_name.clone());
            reached.queue.extend([function.arguments, function.result]);
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
    reached.names
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
