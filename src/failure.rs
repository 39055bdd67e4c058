//! Why a run ended without a verdict, and the exit codes.
//!
//! Wrong schemas are `Problem`s of the report; a [`Failure`] is everything that happens before or around one: wrong
//! arguments, a wrong configuration, a base that cannot be trusted. It always says what to do.

use std::fmt;

use crate::text;
pub(crate) use crate::text::of_yaml_parser;

/// How a run ends, as the contract numbers it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Exit {
    /// Compatible under the mode in force.
    Compatible,
    /// At least one finding breaks.
    Breaking,
    /// Wrong usage or configuration.
    Usage,
    /// The question could not be answered. Never a pass.
    CouldNotTell,
}

impl Exit {
    /// The number given to the operating system.
    pub const fn code(self) -> u8 {
        match self {
            Exit::Compatible => 0,
            Exit::Breaking => 1,
            Exit::Usage => 2,
            Exit::CouldNotTell => 3,
        }
    }
}

/// What stands between a message and the place that it is about, with an excerpt of it.
pub(crate) const EXCERPT: &str = "\n  --> ";

/// The run ends here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// The exit code.
    pub exit: Exit,
    /// What is wrong and why, no final period.
    pub message: String,
    /// What to do about it; may be several lines, may be empty.
    pub help: String,
}

impl Failure {
    /// The arguments or the configuration are wrong.
    pub fn usage(message: impl Into<String>, help: impl Into<String>) -> Self {
        Self { exit: Exit::Usage, message: message.into(), help: help.into() }
    }

    /// The question could not be answered.
    pub fn could_not_tell(message: impl Into<String>, help: impl Into<String>) -> Self {
        Self { exit: Exit::CouldNotTell, message: message.into(), help: help.into() }
    }

    /// What is said, and the file, line and column of the excerpt below it, where it has one.
    pub fn apart(&self) -> (&str, Option<(&str, u32, u32)>) {
        let Some((said, below)) = self.message.split_once(EXCERPT) else { return (&self.message, None) };
        let mut place = below.lines().next().unwrap_or_default().rsplitn(3, ':');
        let (column, line, file) = (place.next(), place.next(), place.next());
        let number = |text: Option<&str>| text.and_then(|text| text.parse().ok());
        (said, file.zip(number(line)).zip(number(column)).map(|((file, line), column)| (file, line, column)))
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Words of files and arguments are in it: nothing of them acts on a terminal or on a CI runner.
        let mut lines = self.message.lines().map(text::harmless_line);
        write!(f, "error: {}", lines.next().unwrap_or_default())?;
        for line in lines {
            // A path may have lines: none of them stands where this program's own words begin.
            let is_excerpt = line.trim_start_matches(|c: char| c.is_ascii_digit()).starts_with(' ');
            write!(f, "\n{}{line}", if is_excerpt { "" } else { "  " })?;
        }
        for (index, line) in self.help.lines().enumerate() {
            write!(f, "\n{} {}", if index == 0 { "  help" } else { "      " }, text::harmless_line(line))?;
        }
        Ok(())
    }
}

impl std::error::Error for Failure {}

/// The candidate a user most likely meant, if one is near enough.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let length = word.chars().count();
    let limit = (length / 3).clamp(1, 3);
    // Who did not write all of it may have made a mistake in what they wrote.
    let of_start = |candidate: &str| match length >= 5 && candidate.chars().count() > length + 1 {
        true => distance(word, &candidate.chars().take(length + 1).collect::<String>()),
        false => usize::MAX,
    };
    candidates
        .into_iter()
        .map(|candidate| match of_start(candidate) {
            1 => (1, candidate),
            _ => (distance(word, candidate), candidate),
        })
        .filter(|(edits, candidate)| *edits <= limit || (word.len() >= 3 && candidate.contains(word)))
        .min()
        .map(|(_, candidate)| candidate)
}

/// Edits between two words: insert, delete, replace, swap neighbours.
fn distance(from: &str, to: &str) -> usize {
    let (from, to): (Vec<char>, Vec<char>) = (from.chars().take(64).collect(), to.chars().take(64).collect());
    let mut rows = vec![vec![0usize; to.len() + 1]; from.len() + 1];
    for (i, row) in rows.iter_mut().enumerate() {
        row[0] = i;
    }
    for (j, cell) in rows[0].iter_mut().enumerate() {
        *cell = j;
    }
    for i in 1..=from.len() {
        for j in 1..=to.len() {
            let replace = rows[i - 1][j - 1] + usize::from(from[i - 1] != to[j - 1]);
            let mut best = replace.min(rows[i - 1][j] + 1).min(rows[i][j - 1] + 1);
            if i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1] {
                best = best.min(rows[i - 2][j - 2] + 1);
            }
            rows[i][j] = best;
        }
    }
    rows[from.len()][to.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_word_is_found_only_when_it_is_near() {
        let keys = ["mode", "surfaces", "fail-on", "include"];
        assert_eq!(nearest("mdoe", keys), Some("mode"));
        assert_eq!(nearest("fail_on", keys), Some("fail-on"));
        assert_eq!(nearest("surface", keys), Some("surfaces"));
        assert_eq!(nearest("banana", keys), None);
        let rules = ["field-reused", "field-removed-unreserved", "field-added"];
        assert_eq!(nearest("field-removd", rules), Some("field-removed-unreserved"), "the start of it");
        assert_eq!(nearest("field-resued", rules), Some("field-reused"));
    }

    #[test]
    fn the_place_of_an_excerpt_is_taken_apart_from_what_is_said() {
        let failure = Failure::usage("`x` is no mode\n  --> w:1.yaml:3:7\n  |\n3 | mode: x\n  |       ^", "");
        assert_eq!(failure.apart(), ("`x` is no mode", Some(("w:1.yaml", 3, 7))));
        assert_eq!(Failure::usage("no such path", "").apart(), ("no such path", None));
    }

    #[test]
    fn help_is_indented_under_the_message() {
        let failure = Failure::usage("no such path", "first\nsecond");
        assert_eq!(failure.to_string(), "error: no such path\n  help first\n       second");
    }
}
