//! Where data can start: structs and unions that no field and no function uses.

use super::model::{Schema, Sort, Struct, Type};
use crate::formats::frame::{Start, Starts};

/// What a schema says of where data can start.
pub(super) fn starts<'s>(schema: &'s Schema<'_>) -> Starts<'s> {
    let mut starts = Starts::default();
    for structure in &schema.structs {
        let by = start(schema, structure);
        if matches!(structure.sort, Sort::Struct | Sort::Union) && !schema.file(structure.file).is_library {
            starts.types.push(by);
        }
        for field in &structure.fields {
            uses(schema, &field.ty, Some(by), &mut starts);
        }
    }
    for constant in &schema.constants {
        uses(schema, &constant.ty, None, &mut starts);
    }
    for service in &schema.services {
        starts.declares_in_package(&service.full_name, &schema.file(service.file).path);
    }
    starts
}

fn start<'s>(schema: &'s Schema<'_>, of: &'s Struct<'_>) -> Start<'s> {
    (&of.full_name, &schema.file(of.file).path)
}

fn uses<'s>(schema: &'s Schema<'_>, ty: &Type, by: Option<Start<'s>>, starts: &mut Starts<'s>) {
    match ty {
        Type::Struct(id) => {
            let used = start(schema, schema.structure(*id));
            match by {
                Some(by) => starts.refers(by, used),
                None => starts.leads(used),
            }
        }
        Type::List(items) | Type::Set(items) => uses(schema, items, by, starts),
        Type::Map(pair) => {
            uses(schema, &pair.0, by, starts);
            uses(schema, &pair.1, by, starts);
        }
        _ => {}
    }
}
