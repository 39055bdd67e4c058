//! Where the fields of structs lie: offsets, sizes, alignments.

use crate::syntax::log::Log;

use super::ast::{Definition, DefinitionKind};
use super::model::{Layout, Object, ObjectId, Schema, Type, attribute};

/// How deep structs may nest.
const NESTING_LIMIT: usize = 128;

/// How many numbers take as much memory as a record with nothing in it.
const RECORD: u32 = 12;

/// The largest alignment that can be forced.
const LARGEST_ALIGNMENT: u32 = 32;

/// What a definition has for a layout before any is computed.
pub(super) fn unknown(node: &Definition<'_>) -> Option<Layout> {
    matches!(node.kind, DefinitionKind::Struct(_)).then_some(Layout { size: 0, align: 1 })
}

/// How far a struct is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Progress {
    NotYet,
    Open,
    Done,
}

/// Computes the layouts of all structs. Those that contain themselves are refused.
pub(super) fn compute(schema: &mut Schema<'_>, logs: &mut [Log]) {
    let mut progress = vec![Progress::NotYet; schema.objects.len()];
    for index in 0..schema.objects.len() {
        if schema.objects[index].layout.is_some() {
            visit(schema, logs, index, &mut progress);
        }
    }
}

/// Computes the layouts of a struct and of those inside of it.
fn visit(schema: &mut Schema<'_>, logs: &mut [Log], start: usize, progress: &mut [Progress]) {
    let mut open = vec![start];
    while let Some(&index) = open.last() {
        if progress[index] == Progress::Done {
            open.pop();
            continue;
        }
        progress[index] = Progress::Open;
        let inner = schema.objects[index].fields.iter().filter_map(|field| Some((inner_struct(&field.ty)?, field)));
        let next = inner.map(|(id, field)| (id.0 as usize, field)).find(|(id, _)| progress[*id] != Progress::Done);
        match next {
            Some((id, _)) if progress[id] == Progress::NotYet && open.len() < NESTING_LIMIT => open.push(id),
            Some((id, field)) => {
                let object = &schema.objects[index];
                logs[object.file.0 as usize].error(
                    field.written.span,
                    format_args!(
                        "struct `{}` has no size: `{}` leads back to it",
                        object.full_name, field.written.text
                    ),
                    "make one of them a table",
                );
                progress[id] = Progress::Done;
            }
            None => {
                lay_out(schema, logs, index);
                progress[index] = Progress::Done;
                open.pop();
            }
        }
    }
}

fn inner_struct(ty: &Type) -> Option<ObjectId> {
    match ty {
        Type::Struct(id) => Some(*id),
        Type::Array(items, _) => inner_struct(items),
        Type::Scalar(_)
        | Type::Enum(_)
        | Type::String
        | Type::Table(_)
        | Type::Union(_)
        | Type::Vector(_)
        | Type::Vector64(_)
        | Type::Opaque(_) => None,
    }
}

/// The layout of one struct, all inside of it being known.
fn lay_out(schema: &mut Schema<'_>, logs: &mut [Log], index: usize) {
    let (mut at, mut align) = (0u64, 1u32);
    let mut offsets = Vec::with_capacity(schema.objects[index].fields.len());
    for field in &schema.objects[index].fields {
        let inline = inline(schema, &field.ty);
        at = at.next_multiple_of(u64::from(inline.align));
        align = align.max(inline.align);
        offsets.push(at);
        at += u64::from(inline.size);
    }
    let weight = weight(schema, &schema.objects[index]);
    let object = &mut schema.objects[index];
    object.weight = weight;
    let log = &mut logs[object.file.0 as usize];
    if let Some(forced) = attribute(&object.attributes, "force_align") {
        match forced.value.parse::<u32>() {
            Ok(value) if value.is_power_of_two() && (align..=LARGEST_ALIGNMENT.max(align)).contains(&value) => {
                align = value
            }
            _ => log.error(
                forced.name.span,
                format_args!("struct `{}` cannot be aligned to `{}`", object.full_name, forced.value),
                format_args!("write a power of two from {align} to {LARGEST_ALIGNMENT}"),
            ),
        }
    }
    let size = at.next_multiple_of(u64::from(align));
    if object.fields.is_empty() {
        log.error(
            object.name_span,
            format_args!("struct `{}` is empty", object.full_name),
            "add a field, or make it a table",
        );
    }
    let Ok(size) = u32::try_from(size) else {
        let message = format_args!("struct `{}` takes {size} bytes, more than any buffer has", object.full_name);
        log.error(object.name_span, message, "make a vector of what is repeated in it");
        return;
    };
    for (field, offset) in object.fields.iter_mut().zip(offsets) {
        field.offset = u32::try_from(offset).unwrap_or(u32::MAX);
    }
    object.layout = Some(Layout { size, align });
}

/// How much a value of a struct is, all inside of it being known.
fn weight(schema: &Schema<'_>, of: &Object<'_>) -> u32 {
    of.fields.iter().fold(RECORD, |all, field| all.saturating_add(weight_of(schema, &field.ty)))
}

/// How much a value of a type is that stands inline.
fn weight_of(schema: &Schema<'_>, ty: &Type) -> u32 {
    match ty {
        Type::Struct(id) => schema.object(*id).weight,
        Type::Array(items, count) => weight_of(schema, items).saturating_mul(u32::from(*count)).saturating_add(1),
        _ => 1,
    }
}

/// What a field of this type takes in a struct.
fn inline(schema: &Schema<'_>, ty: &Type) -> Layout {
    match ty {
        Type::Scalar(scalar) => Layout { size: scalar.size(), align: scalar.size() },
        Type::Enum(id) => {
            let size = schema.enumeration(*id).underlying.size();
            Layout { size, align: size }
        }
        Type::Struct(id) => schema.object(*id).layout.unwrap_or(Layout { size: 0, align: 1 }),
        Type::Array(items, count) => {
            let one = inline(schema, items);
            Layout { size: one.size.saturating_mul(u32::from(*count)), align: one.align }
        }
        // These have been refused, or are not known.
        Type::String | Type::Table(_) | Type::Union(_) | Type::Vector(_) | Type::Vector64(_) | Type::Opaque(_) => {
            Layout { size: 0, align: 1 }
        }
    }
}
