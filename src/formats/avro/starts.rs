//! Where data can start: the schemas of files that no other schema refers to, and the types of protocols that nothing uses.

use rustc_hash::FxHashSet;

use super::model::{Kind, Schema, TypeId};
use crate::formats::frame::{Start, Starts};

/// What a schema says of where data can start.
pub(super) fn starts<'s>(schema: &'s Schema<'_>) -> Starts<'s> {
    let mut starts = Starts::default();
    let used = used(schema);
    starts.used.extend(used.iter().filter_map(|id| start(schema, *id)));
    let roots = schema.roots.iter().map(|root| (root.file, root.schema.ty));
    let declared = schema.protocols.iter().flat_map(|protocol| {
        let own = protocol.types.iter().filter(|ty| can_be_stored(schema, **ty));
        own.map(|ty| (protocol.file, *ty))
    });
    for (file, ty) in roots.chain(declared) {
        let start = start(schema, ty).filter(|start| !schema.file(file).is_library && !starts.used.contains(start));
        starts.roots.extend(start);
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

/// Whether data of a type can be for themselves: an error is for messages.
pub(super) fn can_be_stored(schema: &Schema<'_>, ty: TypeId) -> bool {
    !matches!(schema.kind(ty), Kind::Record(record) if record.is_error)
}

fn start<'s>(schema: &'s Schema<'_>, id: TypeId) -> Option<Start<'s>> {
    schema.name(id).map(|name| (&*name.full, &*schema.file(schema.ty(id).file).path))
}
