//! Defaults of fields in Avro's IDL.

use super::defaults;
use crate::change::{ChangeKind, Edit, Span};
use crate::formats::ways::{Broken, FileEdit, Way};

/// A new field with a default until no data is left without it.
pub(super) fn filled(broken: &Broken<'_>) -> Vec<Way> {
    found(broken).unwrap_or_default()
}

fn found(broken: &Broken<'_>) -> Option<Vec<Way>> {
    let site = broken.change.at.new.as_ref().filter(|site| site.file.ends_with(".avdl"))?;
    if broken.change.kind != ChangeKind::FieldAdded {
        return None;
    }
    let text = std::str::from_utf8(&broken.sides.new.get(&site.file)?.bytes).ok()?;
    let start = site.span.start as usize;
    let line = text[..start].rfind(['\n', '{', ';']).map_or(0, |at| at + 1);
    let end = start + text.get(start..)?.find(';')?;
    let statement = text.get(line..end)?.trim();
    let (ty, name) = statement.rsplit_once(char::is_whitespace)?;
    let zero = match ty.trim() {
        word if word.starts_with("array<") => "[]",
        word if word.starts_with("map<") => "{}",
        word => defaults::of_word(word)?,
    };
    let end = u32::try_from(end).ok()?;
    let edit = Edit { span: Span::new(end, end), insert: format!(" = {zero}") };
    let edits = || vec![FileEdit { file: site.file.clone(), edit: edit.clone() }];
    Some(defaults::with_default(name, zero, edits))
}
