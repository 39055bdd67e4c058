//! The one place where YAML is read, so that the crate behind it can change.

use serde::de::DeserializeOwned;
use serde_saphyr::Error;

use super::place::Text;
use crate::failure::{Failure, nearest, of_yaml_parser};

/// Keys that a later version understands. Ignoring them would be a lie.
const LATER: [&str; 1] = ["profile"];

/// Reads one document; an empty one has every default.
pub(super) fn read<T: DeserializeOwned + Default>(text: &Text<'_>) -> Result<T, Failure> {
    let says_nothing = text.text.lines().all(|line| line.trim().is_empty() || line.trim_start().starts_with('#'));
    if says_nothing {
        return Ok(T::default());
    }
    serde_saphyr::from_str(text.text).map_err(|error| failure(text, error.without_snippet()))
}

fn failure(text: &Text<'_>, error: &Error) -> Failure {
    let location = error.location();
    let (line, column) = location.map_or((1, 1), |location| (location.line() as usize, location.column() as usize));
    let at =
        |length: usize, message: &str, help: &str| text.error_at(line.max(1), column.max(1), length, message, help);
    match error {
        Error::SerdeUnknownField { field, .. } if LATER.contains(&field.as_str()) => at(
            field.chars().count(),
            &format!("the key `{field}` is not available yet in this version"),
            "remove it for now",
        ),
        Error::SerdeUnknownField { field, expected, .. } => {
            let help = match nearest(field, expected.iter().copied()) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("known here: {}", expected.join(", ")),
            };
            at(field.chars().count(), &format!("unknown key `{field}`"), &help)
        }
        Error::DuplicateMappingKey { key, .. } => {
            let key = key.as_deref().unwrap_or("?");
            at(key.chars().count(), &format!("the key `{key}` is given twice"), "keep one of the two")
        }
        Error::Budget { .. } => at(
            1,
            "the file is too large: it holds more keys and values than are read",
            "a configuration or a waiver file has some thousands of lines; take out what is not needed any more",
        ),
        other => {
            let message = other.to_string();
            let first = message.lines().next().unwrap_or("not valid YAML");
            let prefix = format!(" at line {line}, column {column}");
            let message = in_words(of_yaml_parser(&first.replace(&prefix, "")));
            let help = match text.form {
                page if page.starts_with("http") => format!("see {page} for the form of this file"),
                command => format!("{command} prints the form of this file"),
            };
            at(1, &message, &help)
        }
    }
}

/// The parser speaks of events; people think of lists and keys.
fn in_words(message: &str) -> String {
    const WORDS: [(&str, &str); 4] = [
        ("expected mapping start", "expected `key: value` lines here"),
        ("expected sequence start", "expected a list here, such as `[one, two]`"),
        ("expected string scalar", "expected one word here"),
        ("expected sequence end", "the list does not end here"),
    ];
    let known = WORDS.iter().find(|(event, _)| message == *event);
    known.map_or_else(|| message.to_owned(), |(_, words)| (*words).to_owned())
}
