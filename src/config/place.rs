//! Places in the configuration text, and errors that show them.

use crate::failure::{EXCERPT, Failure};
use crate::text::visible;

/// Longer lines are not shown in messages.
const LONGEST_LINE: usize = 300;

/// A text with a name.
#[derive(Debug, Clone, Copy)]
pub(super) struct Text<'a> {
    /// For messages.
    pub name: &'a str,
    /// The whole text.
    pub text: &'a str,
    /// The command that prints the form of such a file.
    pub form: &'static str,
}

impl Text<'_> {
    /// An error at a line and column (from 1); `length` characters are underlined.
    pub(super) fn error_at(&self, line: usize, column: usize, length: usize, message: &str, help: &str) -> Failure {
        // A key may hold line feeds, and no message has lines of a stranger's making.
        let mut shown = format!("{}{EXCERPT}{}:{line}:{column}", visible(message), visible(self.name));
        let content = self.text.lines().nth(line.saturating_sub(1));
        // A line that no screen holds is not shown.
        if let Some(content) = content.filter(|content| content.len() <= LONGEST_LINE) {
            let margin = " ".repeat(line.to_string().len());
            let indent: String =
                content.chars().take(column.saturating_sub(1)).map(|c| if c == '\t' { '\t' } else { ' ' }).collect();
            let rest = content.chars().count().saturating_sub(column - 1).max(1);
            let marks = "^".repeat(length.clamp(1, rest));
            shown.push_str(&format!("\n{margin} |\n{line} | {content}\n{margin} | {indent}{marks}"));
        }
        Failure::usage(shown, help)
    }

    /// An error at the first place where a word stands.
    pub(super) fn error_at_word(&self, word: &str, message: &str, help: &str) -> Failure {
        self.error_at_value("", word, message, help)
    }

    /// An error at the word that stands on or after the line of a key; at the key, where the word is spelled otherwise.
    pub(super) fn error_at_value(&self, key: &str, word: &str, message: &str, help: &str) -> Failure {
        let lines = || self.text.lines().enumerate().filter(|(_, line)| !line.trim_start().starts_with('#'));
        let start = if key.is_empty() {
            Some(0)
        } else {
            lines().find(|(_, line)| find_word(line, key).is_some()).map(|(index, _)| index)
        };
        let found =
            lines().filter(|(index, _)| start.is_some_and(|start| *index >= start)).find_map(|(index, line)| {
                let from = if Some(index) == start { find_word(line, key).map_or(0, |at| at + key.len()) } else { 0 };
                let from = if key.is_empty() { 0 } else { from };
                find_word(&line[from..], word).map(|at| (index + 1, line[..from + at].chars().count() + 1))
            });
        match found {
            Some((line, column)) => self.error_at(line, column, word.chars().count(), message, help),
            None if !key.is_empty() => self.error_at_word(key, message, help),
            None => Failure::usage(format!("{}: {}", visible(self.name), visible(message)), help),
        }
    }
}

/// Where a word stands on its own.
pub(super) fn find_word(line: &str, word: &str) -> Option<usize> {
    let part_of_word = |c: char| c.is_alphanumeric() || "-_/.*".contains(c);
    let is_whole = |at: usize| {
        let before = line[..at].chars().next_back();
        let after = line[at + word.len()..].chars().next();
        !before.is_some_and(part_of_word) && !after.is_some_and(part_of_word)
    };
    line.match_indices(word).map(|(at, _)| at).find(|at| is_whole(*at))
}

/// A path below the configuration's folder, without `.` and `..`.
pub fn relative(path: &str) -> Option<String> {
    let mut parts: Vec<&str> = Vec::new();
    if path.starts_with('/') {
        return None;
    }
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}
