//! Text edits on the new side that keep a freed id free: a comment that reserves it.

use crate::change::{Edit, Span, Suggestion};

use super::model::{Schema, Sort, Struct};

/// Reserves an id with a comment before the first field. Arguments and results have no place for one.
pub(super) fn reserve(schema: &Schema<'_>, structure: &Struct<'_>, id: i16) -> Option<Suggestion> {
    let file = schema.file(structure.file);
    let is_declared = matches!(structure.sort, Sort::Struct | Sort::Union | Sort::Exception);
    let first = structure.fields.iter().min_by_key(|field| field.span.start)?;
    if !is_declared || file.is_library {
        return None;
    }
    let at = first.span.start;
    let edits = vec![Edit { span: Span::new(at, at), insert: format!("// reserved: {id}\n  ") }];
    Some(Suggestion { file: file.path.clone(), edits })
}
