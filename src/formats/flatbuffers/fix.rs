//! Text edits on the new side: a deleted field comes back as `deprecated`, and one that readers require as it was.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::change::{Edit, Pair, Span, Suggestion};
use crate::formats::frame::declared::FileId;
use crate::formats::frame::numbers::{Counted, Order, kept};
use crate::syntax::comments::{end_behind, is_commented, next_token};

use super::model::{Enum, Field, Object, Schema, Type};
use super::parse::STYLE;

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
    // Where another field moved into a slot that became free, it has to move back first.
    let slots: FxHashMap<&str, _> = objects.old.fields.iter().map(|old| (&*old.name.text, old.slot)).collect();
    let have_moved =
        objects.new.fields.iter().any(|new| slots.get(&*new.name.text).is_some_and(|old| *old != new.slot));
    if !is_next || file.is_library || !is_bare || have_moved {
        return None;
    }
    if !is_known(schemas, &visible(schemas.new, objects.new.file), &field.ty) {
        return None;
    }
    let has_ids = objects.new.fields.iter().any(|one| one.id_span.is_some());
    let attribute = if field.is_required { "required" } else { "deprecated" };
    let attributes = if has_ids { format!("id: {}, {attribute}", field.slot) } else { attribute.to_owned() };
    let edit = behind(
        file.bytes,
        written_last.span.end,
        &format!("{}: {} ({attributes})", field.name.text, field.written.text),
    );
    Some(Suggestion { file: file.path.clone(), edits: vec![edit] })
}

/// A field behind the one that ends there, and behind its comments.
fn behind(text: &[u8], end: u32, field: &str) -> Edit {
    let comments = STYLE.comments;
    let mark = next_token(text, end as usize, comments);
    let close = end_behind(text, mark + 1, comments);
    let (at, insert) = match is_commented(text, end as usize, comments) || close > mark + 1 {
        true => (u32::try_from(close).unwrap_or(end), format!("\n  {field};")),
        // The field in front is not closed yet, and its semicolon closes this one.
        false => (end, format!(";\n  {field}")),
    };
    Edit { span: Span::new(at, at), insert }
}

/// A file and all that it includes.
fn visible(schema: &Schema<'_>, file: FileId) -> FxHashSet<FileId> {
    let (mut seen, mut open) = (FxHashSet::default(), vec![file]);
    while let Some(file) = open.pop() {
        if seen.insert(file) {
            open.extend(schema.file(file).includes.iter().filter_map(|(_, file)| *file));
        }
    }
    seen
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

/// Whether the new side has the type under the same name, in one of some files.
fn is_known(schemas: Pair<&Schema<'_>>, visible: &FxHashSet<FileId>, ty: &Type) -> bool {
    let Pair { old, new } = schemas;
    match ty {
        Type::Scalar(_) | Type::String => true,
        Type::Enum(id) | Type::Union(id) => {
            let there = new.enums_by_name.get(&old.enumeration(*id).full_name);
            there.into_iter().flatten().any(|id| visible.contains(&new.enumeration(*id).file))
        }
        Type::Struct(id) | Type::Table(id) => {
            let there = new.objects_by_name.get(&old.object(*id).full_name);
            there.into_iter().flatten().any(|id| visible.contains(&new.object(*id).file))
        }
        Type::Vector(items) | Type::Array(items, _) => is_known(schemas, visible, items),
        Type::Vector64(_) | Type::Opaque(_) => false,
    }
}
