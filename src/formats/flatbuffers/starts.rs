//! Where data can start: the roots that files declare, and tables that no field and no method uses.

use super::model::{ObjectId, Schema, Type};
use crate::formats::frame::{Start, Starts};

/// What a schema says of where data can start.
pub(super) fn starts<'s>(schema: &'s Schema<'_>) -> Starts<'s> {
    let start = |id: ObjectId| -> Start<'s> {
        let object = schema.object(id);
        (&object.full_name, &schema.file(object.file).path)
    };
    let mut starts = Starts::default();
    for object in &schema.objects {
        let file = schema.file(object.file);
        let by: Start<'_> = (&object.full_name, &file.path);
        if object.layout.is_none() && !file.is_library {
            starts.types.push(by);
        }
        for field in &object.fields {
            let held = targets(schema, &field.ty).into_iter().chain(field.nested);
            held.map(start).for_each(|used| starts.refers(by, used));
        }
    }
    for file in schema.files.iter().filter(|file| !file.is_library) {
        for (root, _) in &file.roots {
            starts.roots.insert(start(*root));
            starts.declares_in_package(&schema.object(*root).full_name, &file.path);
        }
    }
    for service in &schema.services {
        starts.declares_in_package(&service.full_name, &schema.file(service.file).path);
        let carried = service.methods.iter().flat_map(|method| [method.request, method.response]);
        carried.for_each(|id| starts.leads(start(id)));
    }
    starts
}

/// The tables and structs that values of a type hold.
pub(super) fn targets(schema: &Schema<'_>, ty: &Type) -> Vec<ObjectId> {
    match ty {
        Type::Struct(id) | Type::Table(id) => vec![*id],
        Type::Union(id) => {
            let members = schema.enumeration(*id).values.iter().filter_map(|member| member.ty.as_ref());
            let direct = members.filter_map(|ty| match ty {
                Type::Struct(id) | Type::Table(id) => Some(*id),
                _ => None,
            });
            direct.collect()
        }
        Type::Vector(items) | Type::Vector64(items) | Type::Array(items, _) => match &**items {
            Type::Vector(_) | Type::Vector64(_) | Type::Array(..) => Vec::new(),
            direct => targets(schema, direct),
        },
        Type::Scalar(_) | Type::Enum(_) | Type::String | Type::Opaque(_) => Vec::new(),
    }
}
