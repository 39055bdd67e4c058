//! Where data can start: structs and unions that no field and no function uses.

use super::model::{Schema, Sort, Type};
use crate::formats::frame::Starts;

/// What a schema says of where data can start.
pub(super) fn starts<'s>(schema: &'s Schema<'_>) -> Starts<'s> {
    let mut starts = Starts::default();
    for structure in &schema.structs {
        let file = schema.file(structure.file);
        if matches!(structure.sort, Sort::Struct | Sort::Union) && !file.is_library {
            starts.types.push((&structure.full_name, &file.path));
        }
        for field in &structure.fields {
            uses(schema, &field.ty, &structure.full_name, &mut starts);
        }
    }
    for constant in &schema.constants {
        uses(schema, &constant.ty, "", &mut starts);
    }
    for service in &schema.services {
        starts.declaring.push((&service.full_name, &schema.file(service.file).path));
    }
    starts
}

fn uses<'s>(schema: &'s Schema<'_>, ty: &Type, by: &str, starts: &mut Starts<'s>) {
    match ty {
        Type::Struct(id) if &*schema.structure(*id).full_name != by => {
            starts.used.insert(&schema.structure(*id).full_name);
        }
        Type::List(items) | Type::Set(items) => uses(schema, items, by, starts),
        Type::Map(pair) => {
            uses(schema, &pair.0, by, starts);
            uses(schema, &pair.1, by, starts);
        }
        _ => {}
    }
}
