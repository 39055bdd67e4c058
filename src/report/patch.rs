//! A suggested edit as a patch.

use super::{Edit, PatchContext, Suggestion};
use crate::text::{Difference, Line};

impl PatchContext {
    /// More lines than this between the first and the last edit are no patch a person reads.
    const MOST_LINES: usize = 40;
    /// Nor is a line of a megabyte.
    const MOST_BYTES: usize = 8000;

    /// Cuts the lines around the edits out of the file they belong to.
    ///
    /// `None` without edits, when an edit is not inside the text, or when the edits are too far apart.
    pub fn cut(file: &str, edits: &[Edit]) -> Option<PatchContext> {
        let line = |start: usize| u32::try_from(file[..start].matches('\n').count() + 1).unwrap_or(u32::MAX);
        PatchContext::cut_in(file, edits, line)
    }

    /// The same with what knows the lines of the file, out of which many may be cut. No more of it is looked at than a patch
    /// may be long.
    pub(crate) fn cut_in(file: &str, edits: &[Edit], line: impl Fn(usize) -> u32) -> Option<PatchContext> {
        let bytes = file.as_bytes();
        let first = edits.iter().map(|edit| edit.start).min()? as usize;
        let last = edits.iter().map(|edit| edit.end).max()? as usize;
        let line_start = |at: usize| {
            let near = at.saturating_sub(Self::MOST_BYTES + 1);
            let end = memchr::memrchr(b'\n', &bytes[near..at]).map(|end| near + end + 1);
            end.or_else(|| (near == 0).then_some(0))
        };
        let line_end = |at: usize| {
            let far = bytes.len().min(at + Self::MOST_BYTES + 1);
            let end = memchr::memchr(b'\n', &bytes[at..far]).map(|end| at + end + 1);
            end.or_else(|| (far == bytes.len()).then_some(far))
        };
        if first > last || !file.is_char_boundary(first) || !file.is_char_boundary(last) {
            return None;
        }
        let start = line_start(line_start(first)?.saturating_sub(1))?;
        let text = file.get(start..line_end(line_end(last)?)?)?;
        if text.len() > Self::MOST_BYTES || text.lines().count() > Self::MOST_LINES {
            return None;
        }
        Some(PatchContext { line: line(start), start: u32::try_from(start).ok()?, text: text.to_owned() })
    }
}

/// A suggestion as a diff without a header: lines with ` `, `-` or `+` before them. `None` without the lines it touches.
pub(crate) fn patch(suggestion: &Suggestion) -> Option<String> {
    let context = suggestion.context.as_ref()?;
    Some(diff(&context.text, &edited(suggestion)?))
}

/// The lines that a suggestion touches, with its edits made.
pub(crate) fn edited(suggestion: &Suggestion) -> Option<String> {
    let context = suggestion.context.as_ref()?;
    let mut after = String::new();
    let mut from = 0usize;
    for edit in &suggestion.edits {
        let start = edit.start.checked_sub(context.start)? as usize;
        let end = edit.end.checked_sub(context.start)? as usize;
        after.push_str(context.text.get(from..start)?);
        context.text.get(start..end)?;
        after.push_str(&edit.insert);
        from = end;
    }
    after.push_str(context.text.get(from..)?);
    Some(after)
}

/// Two texts as one, line by line: ` ` for lines of both, `-` for the first, `+` for the second.
pub(crate) fn diff(before: &str, after: &str) -> String {
    let line = |line: Line<'_>| format!("{}{}\n", line.mark, line.text.trim_end_matches(['\n', '\r']));
    Difference::of(before, after).lines().map(line).collect()
}
