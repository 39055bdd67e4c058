//! Where data can start: structs that no other struct and no method uses.

use super::model::{Method, Schema, Sort, Type};
use crate::formats::frame::Starts;

/// What a schema says of where data can start.
pub(super) fn starts<'s>(schema: &'s Schema<'_>) -> Starts<'s> {
    let mut starts = Starts::default();
    for structure in &schema.structs {
        let file = schema.file(structure.file);
        if structure.sort == Sort::Struct && !file.is_library {
            starts.types.push((&structure.full_name, &file.path));
        }
        for field in &structure.fields {
            uses(schema, &field.ty, &structure.full_name, &mut starts);
        }
    }
    for interface in &schema.interfaces {
        starts.declaring.push((&interface.full_name, &schema.file(interface.file).path));
        let data = interface.methods.iter().flat_map(Method::data);
        starts.used.extend(data.map(|id| &*schema.structure(id).full_name));
    }
    starts
}

fn uses<'s>(schema: &'s Schema<'_>, ty: &Type, by: &str, starts: &mut Starts<'s>) {
    match ty {
        Type::Struct(id, bound) => {
            if &*schema.structure(*id).full_name != by {
                starts.used.insert(&schema.structure(*id).full_name);
            }
            bound.iter().for_each(|ty| uses(schema, ty, by, starts));
        }
        Type::List(items) => uses(schema, items, by, starts),
        Type::Interface(_, bound) => bound.iter().for_each(|ty| uses(schema, ty, by, starts)),
        _ => {}
    }
}
