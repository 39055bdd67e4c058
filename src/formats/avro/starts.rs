//! Where data can start: the schemas of files that no other schema refers to, and the types of protocols that nothing uses.

use rustc_hash::FxHashSet;

use super::model::{Kind, Schema, TypeId};
use crate::formats::frame::{Start, Starts};

/// What a schema says of where data can start.
pub(super) fn starts<'s>(schema: &'s Schema<'_>) -> Starts<'s> {
    let mut starts = Starts::default();
    let used = used(schema);
    references(schema, &used, &mut starts);
    let roots = schema.roots.iter().map(|root| (root.file, root.schema.ty));
    let declared = schema.protocols.iter().flat_map(|protocol| {
        let own = protocol.types.iter().filter(|ty| can_be_stored(schema, **ty));
        own.map(|ty| (protocol.file, *ty))
    });
    for (file, ty) in roots.chain(declared) {
        let Some(start) = start(schema, ty).filter(|_| !schema.file(file).is_library) else { continue };
        starts.types.push(start);
        if !starts.is_used(start) {
            starts.roots.insert(start);
        }
    }
    starts
}

/// The types that another type or the message of a protocol uses.
pub(super) fn used(schema: &Schema<'_>) -> FxHashSet<TypeId> {
    let mut used = FxHashSet::default();
    for (at, ty) in schema.types.iter().enumerate() {
        let held = match &ty.kind {
            Kind::Record(record) => record.fields.iter().map(|field| field.schema.ty).collect(),
            Kind::Array(inner) | Kind::Map(inner) => vec![inner.ty],
            Kind::Union(branches) => branches.iter().map(|branch| branch.ty).collect(),
            Kind::Primitive(_) | Kind::Enum(_) | Kind::Fixed(_) | Kind::Opaque(_) => Vec::new(),
        };
        used.extend(held.into_iter().filter(|id| id.0 as usize != at));
    }
    let messages = schema.protocols.iter().flat_map(|protocol| &protocol.messages);
    used.extend(messages.flat_map(|message| [message.response.ty, message.errors.ty]));
    used
}

/// Notes which named types refer to which, and what the messages of protocols and schemas without a name lead to.
fn references<'s>(schema: &'s Schema<'_>, used: &FxHashSet<TypeId>, starts: &mut Starts<'s>) {
    let mut is_held: FxHashSet<TypeId> = FxHashSet::default();
    for (at, ty) in schema.types.iter().enumerate() {
        let Kind::Record(record) = &ty.kind else { continue };
        let Some(by) = u32::try_from(at).ok().and_then(|at| start(schema, TypeId(at))) else { continue };
        for held in named(schema, record.fields.iter().map(|field| field.schema.ty).collect()) {
            is_held.insert(held);
            start(schema, held).into_iter().for_each(|to| starts.refers(by, to));
        }
    }
    let messages = schema.protocols.iter().flat_map(|protocol| &protocol.messages);
    let carried = messages.flat_map(|message| [message.response.ty, message.errors.ty]);
    let nameless = schema.roots.iter().map(|root| root.schema.ty).filter(|ty| schema.name(*ty).is_none());
    let led_to = named(schema, carried.chain(nameless).collect());
    let others = used.iter().copied().filter(|id| !is_held.contains(id));
    for to in led_to.into_iter().chain(others).filter_map(|id| start(schema, id)) {
        starts.leads(to);
    }
}

/// The named types that some types are or hold without a name in between.
fn named(schema: &Schema<'_>, mut open: Vec<TypeId>) -> Vec<TypeId> {
    let (mut found, mut seen) = (Vec::new(), FxHashSet::default());
    while let Some(id) = open.pop() {
        if !seen.insert(id) {
            continue;
        }
        match schema.kind(id) {
            Kind::Array(inner) | Kind::Map(inner) => open.push(inner.ty),
            Kind::Union(branches) => open.extend(branches.iter().map(|branch| branch.ty)),
            _ => found.push(id),
        }
    }
    found
}

/// Whether data of a type can be for themselves: an error is for messages.
pub(super) fn can_be_stored(schema: &Schema<'_>, ty: TypeId) -> bool {
    !matches!(schema.kind(ty), Kind::Record(record) if record.is_error)
}

fn start<'s>(schema: &'s Schema<'_>, id: TypeId) -> Option<Start<'s>> {
    schema.name(id).map(|name| (&*name.full, &*schema.file(schema.ty(id).file).path))
}
