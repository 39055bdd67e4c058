//! Where data can start: the schemas of files that no other schema refers to.

use super::model::{Kind, Schema, TypeId};
use crate::formats::frame::{Start, Starts};

/// What a schema says of where data can start.
pub(super) fn starts<'s>(schema: &'s Schema<'_>) -> Starts<'s> {
    let mut starts = Starts::default();
    for (at, ty) in schema.types.iter().enumerate() {
        let held = match &ty.kind {
            Kind::Record(record) => record.fields.iter().map(|field| field.schema.ty).collect(),
            Kind::Array(inner) | Kind::Map(inner) => vec![inner.ty],
            Kind::Union(branches) => branches.iter().map(|branch| branch.ty).collect(),
            Kind::Primitive(_) | Kind::Enum(_) | Kind::Fixed(_) | Kind::Opaque(_) => Vec::new(),
        };
        let others = held.into_iter().filter(|id| id.0 as usize != at);
        starts.used.extend(others.filter_map(|id| start(schema, id)));
    }
    for root in schema.roots.iter().filter(|root| !schema.file(root.file).is_library) {
        if let Some(start) = start(schema, root.schema.ty).filter(|start| !starts.used.contains(start)) {
            starts.roots.insert(start);
        }
    }
    starts
}

fn start<'s>(schema: &'s Schema<'_>, id: TypeId) -> Option<Start<'s>> {
    schema.name(id).map(|name| (&*name.full, &*schema.file(schema.ty(id).file).path))
}
