//! Text edits on the new side: a deleted field comes back as `deprecated`, and one that readers require as it was.

use crate::change::{Edit, Pair, Span, Suggestion};

use crate::formats::frame::numbers::{Counted, Order, kept};

use super::model::{Enum, Field, Object, Schema, Type};

/// Puts a field back behind the last one. It is marked as deprecated, which nobody writes: but where old readers require it,
/// it is required again. Only where that gives it its slot again.
pub(super) fn put_back(
    schemas: Pair<&Schema<'_>>,
    objects: Pair<&Object<'_>>,
    field: &Field<'_>,
) -> Option<Suggestion> {
    let file = schemas.new.file(objects.new.file);
    let written_last = objects.new.fields.iter().max_by_key(|one| one.span.end)?;
    let highest = objects.new.fields.iter().map(|one| one.slot).max()?;
    let is_next = highest.checked_add(first_width(field)) == Some(field.slot);
    // What else was said of a required field is not told again.
    let is_bare = !field.is_required || !field.is_key && field.nested.is_none();
    if !is_next || file.is_library || !is_bare || !is_known(schemas, &field.ty) {
        return None;
    }
    let has_ids = objects.new.fields.iter().any(|one| one.id_span.is_some());
    let attribute = if field.is_required { "required" } else { "deprecated" };
    let attributes = if has_ids { format!("id: {}, {attribute}", field.slot) } else { attribute.to_owned() };
    // The field in front is not closed yet, and its semicolon closes this one.
    let insert = format!(";\n  {}: {} ({attributes})", field.name.text, field.written.text);
    let at = written_last.span.end;
    Some(Suggestion { file: file.path.clone(), edits: vec![Edit { span: Span::new(at, at), insert }] })
}

/// Writes the numbers of values that are counted, where they are others than they were. Flags count bits.
pub(super) fn number(schema: &Schema<'_>, enums: Pair<&Enum<'_>>) -> Option<Suggestion> {
    let file = schema.file(enums.new.file);
    let was = |name: &str| enums.old.named(name).map(|value| value.number);
    let counted = enums.new.values.iter().map(|value| Counted {
        at: value.name.span.end,
        number: value.number,
        // Attributes stand there as well: then nothing is suggested.
        is_written: value.span.end > value.name.span.end,
        was: was(&value.name.text),
    });
    let edits = kept(&counted.collect::<Vec<_>>(), Order::Ascending)?;
    let is_plain = !file.is_library && !enums.old.is_bit_flags && !enums.new.is_bit_flags;
    is_plain.then(|| Suggestion { file: file.path.clone(), edits })
}

/// How many slots a field takes.
fn first_width(field: &Field<'_>) -> u16 {
    let items: &Type = match &field.ty {
        Type::Vector(items) | Type::Vector64(items) => items,
        other => other,
    };
    if matches!(items, Type::Union(_)) { 2 } else { 1 }
}

/// Whether the new side has the type under the same name.
fn is_known(schemas: Pair<&Schema<'_>>, ty: &Type) -> bool {
    match ty {
        Type::Scalar(_) | Type::String => true,
        Type::Enum(id) | Type::Union(id) => {
            schemas.new.enums_by_name.contains_key(&schemas.old.enumeration(*id).full_name)
        }
        Type::Struct(id) | Type::Table(id) => {
            schemas.new.objects_by_name.contains_key(&schemas.old.object(*id).full_name)
        }
        Type::Vector(items) | Type::Array(items, _) => is_known(schemas, items),
        Type::Vector64(_) | Type::Opaque(_) => false,
    }
}
