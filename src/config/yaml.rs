//! The one place where YAML is read, so that the crate behind it can change.

use serde::de::{Deserialize, DeserializeOwned, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_saphyr::{Error, Location, NonFiniteFloatPolicy, Spanned};

use super::place::Text;
use crate::failure::{Failure, nearest, of_yaml_parser};

/// Keys that a later version understands. Ignoring them would be a lie.
const LATER: [&str; 1] = ["profile"];

/// Reads one document of our own; an empty one has every default. A key that has no value says nothing of what it means.
pub(super) fn read<T: DeserializeOwned + Default>(text: &Text<'_>) -> Result<T, Failure> {
    if says_nothing(text) {
        return Ok(T::default());
    }
    // What looks like a number may be a word.
    let options = serde_saphyr::options! { non_finite_float_policy: NonFiniteFloatPolicy::PassThrough };
    let inside: Result<Inside, Error> = serde_saphyr::from_str_with_options(text.text, options);
    if let Ok(Inside { first_null: Some((key, location)), .. }) = inside {
        return Err(no_value(text, key.as_deref(), location));
    }
    let read = read_with_nulls(text)?;
    inside.map(|_| read).map_err(|error| failure(text, error.without_snippet()))
}

fn no_value(text: &Text<'_>, key: Option<&str>, location: Location) -> Failure {
    let (line, column) = ((location.line() as usize).max(1), (location.column() as usize).max(1));
    match key {
        Some(key) => text.error_at(
            line,
            column,
            key.chars().count(),
            &format!("`{key}` has no value"),
            "write the value behind it, or take the key out: what is not written has its default",
        ),
        None => text.error_at(line, column, 1, "an entry of the list has no value", "write it, or take it out"),
    }
}

/// What a document holds, as far as something in it has no value.
#[derive(Debug, Default)]
struct Inside {
    is_null: bool,
    /// The first key without a value, or the first such entry of a list, and where it stands.
    first_null: Option<(Option<String>, Location)>,
}

impl<'de> Deserialize<'de> for Inside {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(AnyValue)
    }
}

struct AnyValue;

impl<'de> Visitor<'de> for AnyValue {
    type Value = Inside;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a value")
    }
    fn visit_unit<E>(self) -> Result<Inside, E> {
        Ok(Inside { is_null: true, first_null: None })
    }
    fn visit_none<E>(self) -> Result<Inside, E> {
        Ok(Inside { is_null: true, first_null: None })
    }
    fn visit_str<E>(self, _: &str) -> Result<Inside, E> {
        Ok(Inside::default())
    }
    fn visit_bool<E>(self, _: bool) -> Result<Inside, E> {
        Ok(Inside::default())
    }
    fn visit_i64<E>(self, _: i64) -> Result<Inside, E> {
        Ok(Inside::default())
    }
    fn visit_u64<E>(self, _: u64) -> Result<Inside, E> {
        Ok(Inside::default())
    }
    fn visit_i128<E>(self, _: i128) -> Result<Inside, E> {
        Ok(Inside::default())
    }
    fn visit_u128<E>(self, _: u128) -> Result<Inside, E> {
        Ok(Inside::default())
    }
    fn visit_f64<E>(self, _: f64) -> Result<Inside, E> {
        Ok(Inside::default())
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Inside, A::Error> {
        let mut all = Inside::default();
        while let Some(entry) = list.next_element::<Spanned<Inside>>()? {
            let null = entry.value.is_null.then_some((None, entry.referenced));
            all.first_null = all.first_null.or(null).or(entry.value.first_null);
        }
        Ok(all)
    }
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Inside, A::Error> {
        let mut all = Inside::default();
        while let Some((key, value)) = map.next_entry::<Spanned<String>, Inside>()? {
            let null = value.is_null.then_some((Some(key.value), key.referenced));
            all.first_null = all.first_null.or(null).or(value.first_null);
        }
        Ok(all)
    }
}

/// Why a document is not read.
pub(super) enum Unread {
    /// It has a key that nobody knows.
    Key(Failure),
    /// Something else is wrong with it.
    Other(Failure),
}

/// Reads one document, in which a key without a value is as good as none; an empty one has every default.
pub(super) fn read_with_nulls<T: DeserializeOwned + Default>(text: &Text<'_>) -> Result<T, Failure> {
    read_or_why(text).map_err(|(Unread::Key(failure) | Unread::Other(failure))| failure)
}

/// The same, and what sort of mistake it is where it cannot be read.
pub(super) fn read_or_why<T: DeserializeOwned + Default>(text: &Text<'_>) -> Result<T, Unread> {
    if says_nothing(text) {
        return Ok(T::default());
    }
    serde_saphyr::from_str(text.text).map_err(|error| match error.without_snippet() {
        error @ Error::SerdeUnknownField { .. } => Unread::Key(failure(text, error)),
        error => Unread::Other(failure(text, error)),
    })
}

fn says_nothing(text: &Text<'_>) -> bool {
    text.text.lines().all(|line| line.trim().is_empty() || line.trim_start().starts_with('#'))
}

/// The line of a conflict that git left in a file.
fn conflict(text: &str) -> Option<usize> {
    let is_mark = |line: &str| ["<<<<<<< ", ">>>>>>> "].iter().any(|mark| line.starts_with(mark));
    text.lines().position(is_mark).map(|at| at + 1)
}

fn failure(text: &Text<'_>, error: &Error) -> Failure {
    if let Some(line) = conflict(text.text) {
        let message = "the file has a conflict that is not resolved";
        return text.error_at(line, 1, 7, message, "keep what is meant, and take the lines of the marks out");
    }
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
                _ if message.starts_with(ALIAS) => "put it in quotes, as in `\"*.proto\"`".to_owned(),
                page if page.starts_with("http") => format!("see {page} for the form of this file"),
                command => format!("{command} prints the form of this file"),
            };
            at(1, &message, &help)
        }
    }
}

/// What a word that begins with `*` is taken for.
const ALIAS: &str = "`*` begins the name of something above in YAML";

/// The parser speaks of events; people think of lists and keys.
fn in_words(message: &str) -> String {
    if message == "alias references unknown anchor" {
        return format!("{ALIAS}, and nothing there is called so");
    }
    const WORDS: [(&str, &str); 4] = [
        ("expected mapping start", "expected `key: value` lines here"),
        ("expected sequence start", "expected a list here, such as `[one, two]`"),
        ("expected string scalar", "expected one word here"),
        ("expected sequence end", "the list does not end here"),
    ];
    let known = WORDS.iter().find(|(event, _)| message == *event);
    known.map_or_else(|| message.to_owned(), |(_, words)| (*words).to_owned())
}
