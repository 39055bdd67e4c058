//! What roots reach.

use std::cell::OnceCell;
use std::sync::Arc;

use rustc_hash::FxHashSet;

use crate::change::Pair;
use crate::formats::frame::behind::{ByName, Reached};
use crate::formats::frame::roots::Roots;
use crate::ordered::OrderedSet;

use super::super::ast::{Name, Type};
use super::super::model::{EnumId, Field, FileId, Kind, MessageId, Schema};
use super::continued::{enum_id, message_id};
use super::state::{Diff, Met};

/// Leaves only what the roots reach. Nothing is left out when there are no roots.
pub(super) fn limit_to_roots(schemas: Pair<&Schema<'_>>, roots: &Roots, found: &mut Diff, replacements: &[Met]) {
    if roots.is_everything() {
        return;
    }
    let reached = Pair::new(reach(schemas.old, roots), reach(schemas.new, roots));
    let mut names: OrderedSet<&str> = reached.old.names.iter().chain(&reached.new.names).map(|name| &**name).collect();
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

/// Everything reached from the roots of one side.
pub(super) fn reach(schema: &Schema<'_>, roots: &Roots) -> Reached {
    let mut reach = Reach::of(schema);
    for root in roots.iter() {
        reach.open.extend(schema.messages_by_name.get(root).into_iter().flatten());
        if schema.enums_by_name.contains_key(root) {
            reach.found.names.insert(Arc::from(root));
        }
        for service in schema.services.iter().filter(|service| *service.full_name == *root) {
            reach.found.names.insert(service.full_name.clone());
            for method in &service.methods {
                reach.carried(service.file, (method.input, &method.ast.input));
                reach.carried(service.file, (method.output, &method.ast.output));
            }
        }
    }
    // Whether they extend what is reached nobody can tell.
    for extension in schema.extensions.iter().filter(|extension| extension.extendee.is_none()) {
        reach.found.names.insert(Arc::from(&*extension.name));
        reach.field(extension);
    }
    while let Some(id) = reach.open.pop() {
        if reach.seen.insert(id) {
            reach.found.names.insert(schema.message(id).full_name.clone());
            schema.all_fields(id).for_each(|field| reach.field(field));
        }
    }
    reach.found
}

/// What is reached so far.
struct Reach<'s, 'a> {
    schema: &'s Schema<'a>,
    by_name: OnceCell<(ByName<'s, MessageId>, ByName<'s, EnumId>)>,
    found: Reached,
    seen: FxHashSet<MessageId>,
    open: Vec<MessageId>,
}

impl<'s, 'a> Reach<'s, 'a> {
    fn of(schema: &'s Schema<'a>) -> Self {
        let (found, seen) = (Reached::default(), FxHashSet::default());
        Reach { schema, by_name: OnceCell::new(), found, seen, open: Vec::new() }
    }

    fn carried(&mut self, file: FileId, (known, name): (Option<MessageId>, &Name<'_>)) {
        match known {
            Some(id) => self.open.push(id),
            None => self.behind(file, &name.text),
        }
    }

    fn field(&mut self, field: &Field<'_>) {
        match (field.kind, &field.ast.ty) {
            (Kind::Message(inner), _) => self.open.push(inner),
            (Kind::Enum(inner), _) => {
                self.found.names.insert(self.schema.enumeration(inner).full_name.clone());
            }
            (Kind::Opaque, Type::Named(name) | Type::Map { value: name, .. }) => self.behind(field.file, &name.text),
            _ => {}
        }
    }

    /// A type whose file was not found.
    fn behind(&mut self, file: FileId, written: &str) {
        let schema = self.schema;
        let (messages, enums) = self.by_name.get_or_init(|| {
            let messages = schema.messages.iter().enumerate();
            let enums = schema.enums.iter().enumerate();
            (
                ByName::of(messages.map(|(at, message)| (&*message.full_name, message_id(at)))),
                ByName::of(enums.map(|(at, declared)| (&*declared.full_name, enum_id(at)))),
            )
        });
        let (messages, enums) = (messages.meant(written), enums.meant(written));
        if messages.is_empty() && enums.is_empty() {
            self.found.unknown.insert((schema.file(file).path.clone(), written.to_owned()));
        }
        self.open.extend(messages);
        self.found.names.extend(enums.into_iter().map(|id| schema.enumeration(id).full_name.clone()));
    }
}
