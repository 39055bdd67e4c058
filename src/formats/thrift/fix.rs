//! Text edits on the new side that keep a freed id free: a comment that reserves it.

use crate::change::{Edit, Pair, Span, Suggestion};
use crate::formats::frame::numbers::{Counted, Order, kept};

use super::model::{Enum, Schema, Sort, Struct};

/// Reserves an id with a comment of its own line, before the first field or just after the brace that opens the struct.
/// Arguments and results have no place for one.
pub(super) fn reserve(schema: &Schema<'_>, structure: &Struct<'_>, id: i16) -> Option<Suggestion> {
    let file = schema.file(structure.file);
    let is_declared = matches!(structure.sort, Sort::Struct | Sort::Union | Sort::Exception);
    if !is_declared || file.is_library {
        return None;
    }
    let first = structure.fields.iter().map(|field| field.span.start).min();
    let (at, insert) = match first {
        Some(at) => {
            let line = line_before(file.bytes, at);
            let is_own_line = line.iter().all(u8::is_ascii_whitespace);
            let indentation = if is_own_line { String::from_utf8_lossy(line).into_owned() } else { "  ".to_owned() };
            (at, format!("// reserved: {id}{}{indentation}", line_end(file.bytes)))
        }
        None => {
            let header = file.bytes.get(structure.name_span.end as usize..structure.span.end as usize)?;
            let brace = header.iter().position(|byte| *byte == b'{')?;
            let at = structure.name_span.end + u32::try_from(brace).ok()? + 1;
            (at, format!(" // reserved: {id}{}", line_end(file.bytes)))
        }
    };
    let edits = vec![Edit { span: Span::new(at, at), insert }];
    Some(Suggestion { file: file.path.clone(), edits })
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
