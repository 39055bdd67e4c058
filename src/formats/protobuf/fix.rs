//! Text edits that put a missing guard back: `reserved` statements in messages and enums.

use std::sync::Arc;

use crate::change::{Edit, Span, Suggestion};
use crate::syntax::comments::end_behind;

use super::model::{Edition, Enum, FileId, Message, Schema};
use super::parse::STYLE;

/// The body that was edited last, and where statements go in it: one edit after the other is of the same.
#[derive(Debug, Default)]
pub(super) struct Bodies {
    last: Option<(FileId, Span)>,
    place: Option<Place>,
}

/// Where statements go in a body, and what stands before each of them.
#[derive(Debug)]
struct Place {
    file: Arc<str>,
    at: u32,
    before: String,
}

impl Bodies {
    /// Reserves a number and a name in a message; `None` when there is nothing to reserve.
    pub(super) fn reserve_in_message(
        &mut self,
        schema: &Schema<'_>,
        message: &Message<'_>,
        number: Option<i32>,
        name: Option<&str>,
    ) -> Option<Suggestion> {
        let statements = statements(schema, message.file, number.map(|number| number.to_string()), name);
        self.insert(schema, message.file, message.ast.body, &statements)
    }

    /// Reserves numbers, written as a range, in a message.
    pub(super) fn reserve_range_in_message(
        &mut self,
        schema: &Schema<'_>,
        message: &Message<'_>,
        range: &str,
    ) -> Option<Suggestion> {
        self.insert(schema, message.file, message.ast.body, &[format!("reserved {range};")])
    }

    /// Reserves a number and a name in an enum.
    pub(super) fn reserve_in_enum(
        &mut self,
        schema: &Schema<'_>,
        declared: &Enum<'_>,
        number: Option<i32>,
        name: Option<&str>,
    ) -> Option<Suggestion> {
        let statements = statements(schema, declared.file, number.map(|number| number.to_string()), name);
        self.insert(schema, declared.file, declared.ast.body, &statements)
    }

    /// Reserves numbers, written as a range, in an enum.
    pub(super) fn reserve_range_in_enum(
        &mut self,
        schema: &Schema<'_>,
        declared: &Enum<'_>,
        range: &str,
    ) -> Option<Suggestion> {
        self.insert(schema, declared.file, declared.ast.body, &[format!("reserved {range};")])
    }

    /// Inserts statements just after the opening brace and the comments on its line, laid out as the body is.
    fn insert(&mut self, schema: &Schema<'_>, file: FileId, body: Span, statements: &[String]) -> Option<Suggestion> {
        if statements.is_empty() {
            return None;
        }
        if self.last != Some((file, body)) {
            *self = Bodies { last: Some((file, body)), place: Place::of(schema, file, body) };
        }
        let Place { file, at, before } = self.place.as_ref()?;
        let insert = statements.iter().map(|statement| format!("{before}{statement}")).collect();
        Some(Suggestion { file: file.clone(), edits: vec![Edit { span: Span::new(*at, *at), insert }] })
    }
}

impl Place {
    fn of(schema: &Schema<'_>, file: FileId, body: Span) -> Option<Place> {
        let file = schema.file(file);
        if file.is_builtin || body.end <= body.start {
            return None;
        }
        let text = file.ast.bytes.get(body.range())?;
        let at = u32::try_from(end_behind(file.ast.bytes, body.start as usize + 1, STYLE.comments)).ok()?;
        let inside = &text[1..text.len().saturating_sub(1).max(1)];
        let before = match inside.iter().position(|byte| *byte == b'\n') {
            Some(newline) => {
                let line_end = if newline > 0 && inside[newline - 1] == b'\r' { "\r\n" } else { "\n" };
                let indentation = indentation(&inside[newline + 1..], &file.ast.bytes[..body.start as usize]);
                format!("{line_end}{indentation}")
            }
            None => " ".to_owned(),
        };
        Some(Place { file: file.path.clone(), at, before })
    }
}

/// Editions reserve names as identifiers, older syntaxes in quotes.
fn statements(schema: &Schema<'_>, file: FileId, number: Option<String>, name: Option<&str>) -> Vec<String> {
    let name = name.map(|name| match schema.file(file).edition {
        Edition::Proto2 | Edition::Proto3 => format!("reserved \"{name}\";"),
        Edition::E2023 | Edition::E2024 | Edition::E2026 => format!("reserved {name};"),
    });
    number.map(|number| format!("reserved {number};")).into_iter().chain(name).collect()
}

/// The white space before the first line of the body that has any text, else one level more than the declaration's.
fn indentation(lines: &[u8], before: &[u8]) -> String {
    let blank = |byte: &u8| *byte == b' ' || *byte == b'\t';
    for line in lines.split(|byte| *byte == b'\n') {
        let width = line.iter().take_while(|byte| blank(byte)).count();
        match line.get(width) {
            None | Some(b'\r') => {}
            Some(_) => return String::from_utf8_lossy(&line[..width]).into_owned(),
        }
    }
    let start = before.iter().rposition(|byte| *byte == b'\n').map_or(0, |newline| newline + 1);
    let own = before[start..].iter().take_while(|byte| blank(byte)).count();
    format!("{}  ", String::from_utf8_lossy(&before[start..start + own]))
}
