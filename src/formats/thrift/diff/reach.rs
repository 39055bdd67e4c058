//! What roots reach.

use std::cell::OnceCell;
use std::sync::Arc;

use rustc_hash::FxHashSet;

use crate::change::Pair;
use crate::formats::frame::behind::{ByName, Reached};
use crate::formats::frame::roots::Roots;
use crate::ordered::OrderedSet;

use super::super::keys;
use super::super::model::{EnumId, FileId, Schema, ServiceId, StructId, Type};
use super::services::callable;

/// What stands in keys on each side, as far as the roots reach.
pub(super) fn in_keys(schemas: Pair<&Schema<'_>>, roots: &Roots) -> Pair<FxHashSet<StructId>> {
    schemas.map(|schema| {
        let reached = (!roots.is_everything()).then(|| reach(schema, roots).names);
        keys::in_keys(schema, |name| reached.as_ref().is_none_or(|names| names.contains(name)))
    })
}

/// What is reached from the roots of one side.
struct Reach<'s, 'b> {
    schema: &'s Schema<'b>,
    by_name: OnceCell<ByName<'s, Declared>>,
    names: OrderedSet<Arc<str>>,
    unknown: OrderedSet<(Arc<str>, String)>,
    seen: FxHashSet<StructId>,
    queue: Vec<StructId>,
    services: FxHashSet<ServiceId>,
}

/// What a name may mean.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Declared {
    Struct(StructId),
    Enum(EnumId),
    Service(ServiceId),
    Typedef(usize),
}

/// Everything that the roots of a side reach.
pub(super) fn reach(schema: &Schema<'_>, roots: &Roots) -> Reached {
    let mut reached = Reach::of(schema);
    for (one, id) in schema.structs.iter().zip((0..).map(StructId)).filter(|(one, _)| roots.has(&one.full_name)) {
        reached.names.insert(one.full_name.clone());
        reached.queue.push(id);
    }
    let enums = schema.enums.iter().filter(|one| roots.has(&one.full_name));
    reached.names.extend(enums.map(|one| one.full_name.clone()));
    for (one, id) in schema.services.iter().zip((0..).map(ServiceId)).filter(|(one, _)| roots.has(&one.full_name)) {
        reached.names.insert(one.full_name.clone());
        reached.service(id);
    }
    while let Some(id) = reached.queue.pop() {
        if !reached.seen.insert(id) {
            continue;
        }
        reached.names.insert(schema.structure(id).full_name.clone());
        for field in &schema.structure(id).fields {
            reached.follow(schema.structure(id).file, &field.ty);
        }
    }
    Reached { names: reached.names, unknown: reached.unknown }
}

impl<'s, 'b> Reach<'s, 'b> {
    fn of(schema: &'s Schema<'b>) -> Self {
        Reach {
            schema,
            by_name: OnceCell::new(),
            names: OrderedSet::new(),
            unknown: OrderedSet::new(),
            seen: FxHashSet::default(),
            queue: Vec::new(),
            services: FxHashSet::default(),
        }
    }

    /// A service with all that it inherits.
    fn service(&mut self, id: ServiceId) {
        let schema = self.schema;
        if !self.services.insert(id) {
            return;
        }
        for (owner, function) in callable(schema, id) {
            self.names.insert(schema.service(owner).full_name.clone());
            self.queue.extend([function.arguments, function.result]);
        }
        let mut top = id;
        while let Some((written, parent)) = &schema.service(top).extends {
            match parent {
                Some(parent) if *parent != id && self.services.insert(*parent) => {
                    self.names.insert(schema.service(*parent).full_name.clone());
                    top = *parent;
                }
                Some(_) => return,
                None => return self.behind(schema.service(top).file, &written.text),
            }
        }
    }

    fn follow(&mut self, file: FileId, ty: &Type) {
        match ty {
            Type::Struct(id) => self.queue.push(*id),
            Type::Enum(id) => drop(self.names.insert(self.schema.enumeration(*id).full_name.clone())),
            Type::List(items) | Type::Set(items) => self.follow(file, items),
            Type::Map(pair) => {
                self.follow(file, &pair.0);
                self.follow(file, &pair.1);
            }
            Type::Opaque(written) => self.behind(file, written),
            _ => {}
        }
    }

    /// What stands in a file that was not found.
    fn behind(&mut self, file: FileId, written: &str) {
        let schema = self.schema;
        let by_name = self.by_name.get_or_init(|| {
            let structs = schema.structs.iter().zip((0..).map(StructId));
            let structs = structs.map(|(one, id)| (&*one.full_name, Declared::Struct(id)));
            let enums = schema.enums.iter().zip((0..).map(EnumId));
            let enums = enums.map(|(one, id)| (&*one.full_name, Declared::Enum(id)));
            let services = schema.services.iter().zip((0..).map(ServiceId));
            let services = services.map(|(one, id)| (&*one.full_name, Declared::Service(id)));
            let typedefs = schema.typedefs.iter().enumerate();
            let typedefs = typedefs.map(|(at, one)| (&*one.full_name, Declared::Typedef(at)));
            ByName::of(structs.chain(enums).chain(services).chain(typedefs))
        });
        let meant = by_name.meant(written);
        if meant.is_empty() {
            self.unknown.insert((schema.file(file).path.clone(), written.to_owned()));
        }
        for one in meant {
            match one {
                Declared::Struct(id) => self.queue.push(id),
                Declared::Enum(id) => drop(self.names.insert(schema.enumeration(id).full_name.clone())),
                Declared::Service(id) => self.service(id),
                Declared::Typedef(at) => {
                    let typedef = &schema.typedefs[at];
                    if self.names.insert(typedef.full_name.clone()) {
                        self.follow(typedef.file, &typedef.ty);
                    }
                }
            }
        }
    }
}
