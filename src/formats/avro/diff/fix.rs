//! Text edits on the new side that make a change safe: an alias, or a default.

use crate::change::Edit;

use super::super::model::{Field, Record};
use super::super::place::FieldPair;
use super::*;

impl Differ<'_, '_> {
    /// An alias for a type that has none yet.
    pub(super) fn type_alias(&self, ty: TypeId, former: &str) -> Option<Suggestion> {
        let (schema, kind) = (self.schemas.new, self.schemas.new.kind(ty));
        let name = kind.name().filter(|_| kind.aliases().is_empty())?;
        let file = schema.ty(ty).file;
        if self.is_idl(file) {
            let start = schema.ty(ty).span.start;
            return Some(self.insert(file, start, format!("@aliases([\"{former}\"]) ")));
        }
        Some(self.insert(file, name.span.end, format!(", \"aliases\": [\"{former}\"]")))
    }

    /// For a field without a default: the only removed field of the same type may be the same field under its former
    /// name; a field that may be null can be null where nobody wrote it.
    pub(super) fn alias_or_default(
        &self,
        file: FileId,
        field: &Field<'_>,
        former: Option<&Field<'_>>,
    ) -> Option<Suggestion> {
        match former.filter(|_| field.aliases.is_empty()) {
            Some(former) if self.is_idl(file) => {
                Some(self.insert(file, field.name_span.start, format!("@aliases([\"{}\"]) ", former.name)))
            }
            Some(former) => {
                Some(self.insert(file, field.name_span.end, format!(", \"aliases\": [\"{}\"]", former.name)))
            }
            None => self.null_default(file, field),
        }
    }

    fn null_default(&self, file: FileId, field: &Field<'_>) -> Option<Suggestion> {
        let Kind::Union(branches) = self.schemas.new.kind(field.schema.ty) else { return None };
        if branches.first()?.ty != Primitive::Null.id() {
            return None;
        }
        let text = if self.is_idl(file) { " = null" } else { ", \"default\": null" };
        Some(self.insert(file, field.name_span.end, text.to_owned()))
    }

    fn is_idl(&self, file: FileId) -> bool {
        self.schemas.new.file(file).path.ends_with(".avdl")
    }

    fn insert(&self, file: FileId, at: u32, insert: String) -> Suggestion {
        let edits = vec![Edit { span: Span::new(at, at), insert }];
        Suggestion { file: self.schemas.new.file(file).path.clone(), edits }
    }
}

/// The one field that only the old record has, if there is one field that only the new one has and they are of one type.
pub(super) fn former<'f, 'b>(
    schemas: Pair<&Schema<'_>>,
    records: Pair<&'f Record<'b>>,
    pairs: &[FieldPair],
) -> Option<&'f Field<'b>> {
    let mut gone = pairs.iter().filter(|pair| pair.0.new.is_none()).filter_map(|pair| pair.0.old);
    let mut come = pairs.iter().filter(|pair| pair.0.old.is_none()).filter_map(|pair| pair.0.new);
    let (Some(gone), None, Some(come), None) = (gone.next(), gone.next(), come.next(), come.next()) else {
        return None;
    };
    let (old, new) = (&records.old.fields[gone], &records.new.fields[come]);
    (spelled(schemas.old, old.schema.ty) == spelled(schemas.new, new.schema.ty)).then_some(old)
}
