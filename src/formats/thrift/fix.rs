//! Text edits on the new side that keep a freed id free: a comment that reserves it.

use crate::change::{Edit, Pair, Span, Suggestion};
use crate::formats::frame::numbers::{Counted, Order, kept};
use crate::syntax::comments::{end_behind, is_commented, next_token};

use super::model::{Enum, Schema, Sort, Struct};
use super::parse::STYLE;

/// Reserves an id with a comment of its own line: before the first field, or just after the brace that opens the struct, and
/// the comments on its line, where there is no field, or that has comments. Arguments and results have no place for one.
pub(super) fn reserve(schema: &Schema<'_>, structure: &Struct<'_>, id: i16) -> Option<Suggestion> {
    let file = schema.file(structure.file);
    let is_declared = matches!(structure.sort, Sort::Struct | Sort::Union | Sort::Exception);
    if !is_declared || file.is_library {
        return None;
    }
    let (text, line_end) = (file.bytes, line_end(file.bytes));
    let body = body(text.get(..structure.span.end as usize)?, structure.name_span.end as usize)?;
    let first = structure.fields.iter().map(|field| field.span.start).min();
    let line = first.map(|first| line_before(text, first)).filter(|line| line.iter().all(u8::is_ascii_whitespace));
    let white = line.map_or("  ".into(), String::from_utf8_lossy);
    let behind = end_behind(text, body, STYLE.comments);
    let (at, insert) = match first {
        Some(first) if !is_commented(text, body, STYLE.comments) => {
            (first, format!("// reserved: {id}{line_end}{white}"))
        }
        None if behind == body => (body.try_into().ok()?, format!(" // reserved: {id}{line_end}")),
        _ if ends_line(text, behind) => (behind.try_into().ok()?, format!("{line_end}{white}// reserved: {id}")),
        _ => (behind.try_into().ok()?, format!("{line_end}{white}// reserved: {id}{line_end}{white}")),
    };
    let edits = vec![Edit { span: Span::new(at, at), insert }];
    Some(Suggestion { file: file.path.clone(), edits })
}

/// Where the body of a struct begins, behind its name.
fn body(text: &[u8], name: usize) -> Option<usize> {
    let mut at = next_token(text, name, STYLE.comments);
    while *text.get(at)? != b'{' {
        at = next_token(text, at + 1, STYLE.comments);
    }
    Some(at + 1)
}

/// Whether nothing but blanks follows on the line.
fn ends_line(text: &[u8], at: usize) -> bool {
    let rest = text.get(at..).unwrap_or_default();
    rest.iter().find(|byte| !b" \t\r".contains(byte)).is_none_or(|byte| *byte == b'\n')
}

/// Writes the numbers of values that are counted, where they are others than they were.
pub(super) fn number(schema: &Schema<'_>, enums: Pair<&Enum<'_>>) -> Option<Suggestion> {
    let file = schema.file(enums.new.file);
    let was = |name: &str| enums.old.named(name).map(|value| value.number.into());
    let counted = enums.new.values.iter().map(|value| Counted {
        at: value.name.span.end,
        number: value.number.into(),
        is_written: value.is_explicit,
        was: was(&value.name.text),
    });
    let edits = kept(&counted.collect::<Vec<_>>(), Order::Any).filter(|_| !file.is_library)?;
    Some(Suggestion { file: file.path.clone(), edits })
}

/// What stands before a place on its line.
fn line_before(bytes: &[u8], at: u32) -> &[u8] {
    let before = bytes.get(..at as usize).unwrap_or_default();
    let start = before.iter().rposition(|byte| *byte == b'\n').map_or(0, |newline| newline + 1);
    &before[start..]
}

/// How the lines of a file end.
fn line_end(bytes: &[u8]) -> &'static str {
    let first = bytes.iter().position(|byte| *byte == b'\n');
    match first {
        Some(newline) if newline > 0 && bytes[newline - 1] == b'\r' => "\r\n",
        _ => "\n",
    }
}
