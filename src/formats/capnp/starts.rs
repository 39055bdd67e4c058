//! Where data can start: structs that no other struct and no method uses.

use super::model::{Method, Schema, Sort, Struct, Type};
use crate::formats::frame::{Start, Starts};

/// What a schema says of where data can start.
pub(super) fn starts<'s>(schema: &'s Schema<'_>) -> Starts<'s> {
    let mut starts = Starts::default();
    for structure in &schema.structs {
        let by = start(schema, structure);
        if structure.sort == Sort::Struct && !schema.file(structure.file).is_library {
            starts.types.push(by);
        }
        for field in &structure.fields {
            uses(schema, &field.ty, by, &mut starts);
        }
    }
    for interface in &schema.interfaces {
        // A file is a scope of its own: there are no packages.
        starts.declares(&schema.file(interface.file).path);
        let data = interface.methods.iter().flat_map(Method::data);
        data.for_each(|id| starts.leads(start(schema, schema.structure(id))));
    }
    starts
}

fn start<'s>(schema: &'s Schema<'_>, of: &'s Struct<'_>) -> Start<'s> {
    (&of.full_name, &schema.file(of.file).path)
}

fn uses<'s>(schema: &'s Schema<'_>, ty: &Type, by: Start<'s>, starts: &mut Starts<'s>) {
    match ty {
        Type::Struct(id, bound) => {
            starts.refers(by, start(schema, schema.structure(*id)));
            bound.types().for_each(|ty| uses(schema, ty, by, starts));
        }
        Type::List(items) => uses(schema, items, by, starts),
        Type::Interface(_, bound) => bound.types().for_each(|ty| uses(schema, ty, by, starts)),
        _ => {}
    }
}
