//! Places in schemas that are written in JSON.

use std::sync::Arc;

use super::FileEdit;
use crate::change::{Edit, Site, Span};
use crate::snapshot::Snapshot;
use crate::syntax::json::{Json, JsonKind, Member, parse};

/// A text and the value that it is.
pub(crate) struct Text<'t> {
    pub(crate) file: Arc<str>,
    pub(crate) text: &'t str,
    pub(crate) json: Json<'t>,
}

/// A value and the key under which it stands; those of a list have the key of the list.
#[derive(Clone, Copy)]
pub(crate) struct At<'j, 't> {
    pub(crate) key: Option<&'j str>,
    pub(crate) value: &'j Json<'t>,
}

impl<'t> Text<'t> {
    /// Reads the file of a place.
    pub(crate) fn read(side: &'t Snapshot, site: &Site) -> Option<Text<'t>> {
        Text::of(side, &site.file)
    }

    /// Reads a file.
    pub(crate) fn of(side: &'t Snapshot, file: &Arc<str>) -> Option<Text<'t>> {
        let text = std::str::from_utf8(&side.get(file)?.bytes).ok()?;
        let (json, _) = parse(file, text.as_bytes());
        Some(Text { file: file.clone(), text, json: json? })
    }

    /// Some of the text.
    pub(crate) fn at(&self, span: Span) -> &'t str {
        self.text.get(span.range()).unwrap_or("")
    }

    /// A replacement.
    pub(crate) fn replace(&self, span: Span, insert: impl Into<String>) -> FileEdit {
        FileEdit { file: self.file.clone(), edit: Edit { span, insert: insert.into() } }
    }

    /// What separates a value from the one before it: a line of its own, or a space.
    pub(crate) fn gap(&self, span: Span) -> String {
        let before = self.text.get(..span.start as usize).unwrap_or("");
        let line = &before[before.rfind('\n').map_or(0, |at| at + 1)..];
        if before.contains('\n') && line.trim().is_empty() { format!("\n{line}") } else { " ".to_owned() }
    }

    /// The values around a place, the outermost first.
    pub(crate) fn around(&self, span: Span) -> Vec<At<'_, 't>> {
        let mut found = Vec::new();
        let mut next = Some(At { key: None, value: &self.json });
        while let Some(at) = next {
            found.push(at);
            next = inside(at, span);
        }
        found
    }

    /// All objects with the key under which they stand.
    pub(crate) fn objects(&self) -> Vec<At<'_, 't>> {
        let mut found = vec![At { key: None, value: &self.json }];
        let mut next = 0;
        while let Some(at) = found.get(next).copied() {
            match &at.value.kind {
                JsonKind::List(values) => found.extend(values.iter().map(|value| At { key: at.key, value })),
                JsonKind::Object(members) => {
                    found.extend(members.iter().map(|one| At { key: Some(&one.key), value: &one.value }));
                }
                JsonKind::Null | JsonKind::Bool(_) | JsonKind::Number(_) | JsonKind::Text(_) => {}
            }
            next += 1;
        }
        found.retain(|at| matches!(at.value.kind, JsonKind::Object(_)));
        found
    }
}

fn inside<'j, 't>(at: At<'j, 't>, span: Span) -> Option<At<'j, 't>> {
    let holds = |outer: Span| outer.start <= span.start && span.end <= outer.end;
    match &at.value.kind {
        JsonKind::List(values) => values.iter().find(|value| holds(value.span)).map(|value| At { key: at.key, value }),
        JsonKind::Object(members) => {
            members.iter().find(|one| holds(one.value.span)).map(|one| At { key: Some(&one.key), value: &one.value })
        }
        JsonKind::Null | JsonKind::Bool(_) | JsonKind::Number(_) | JsonKind::Text(_) => None,
    }
}

/// The members of an object.
pub(crate) fn members<'j, 't>(json: &'j Json<'t>) -> &'j [Member<'t>] {
    match &json.kind {
        JsonKind::Object(members) => members,
        _ => &[],
    }
}

/// The values of a list.
pub(crate) fn values<'j, 't>(json: &'j Json<'t>) -> &'j [Json<'t>] {
    match &json.kind {
        JsonKind::List(values) => values,
        _ => &[],
    }
}

/// All of a member, key and value.
pub(crate) fn whole(member: &Member<'_>) -> Span {
    Span::new(member.key_span.start, member.value.span.end)
}
