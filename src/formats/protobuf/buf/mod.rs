//! What `buf breaking` 1.75 reports, modelled: every rule of every category, where it points and what it says.
//!
//! Which categories a rule belongs to is no concern of this module (`rules/protobuf/peers/buf.yaml`). buf pairs in its own
//! way: types by their full name wherever they stand, members by number, what a file declares by the path of the file. It
//! takes the entries of a map for a message like any other, looks at all imported files, and compares names of types and
//! never their structure. So it has its own implementation here, which shares nothing with the comparison but the linked
//! schemas. [`super::diff`] tells each change what was found at its place.

mod declarations;
mod defaults;
mod enums;
mod fields;
mod files;
mod image;
mod messages;
mod options;
mod packages;
mod services;

use std::sync::Arc;

use crate::change::{Pair, Site, Span};

use super::model::{FileId, Schema};
use super::ranges::ReservedNames;

use self::image::Image;

/// One thing that buf reports.
#[derive(Debug)]
pub(super) struct Report {
    /// The rule.
    pub rule: &'static str,
    /// Where it points on the new side and what that is compared with. A report need not name a file.
    pub at: Pair<Option<Site>>,
    /// What it is about.
    pub subject: Subject,
    /// What it says.
    pub message: String,
}

/// What a report is about, by full names.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Subject {
    /// A file, by its path.
    File(String),
    /// A package.
    Package(String),
    /// A message, an enum, a service or an extension.
    Declared(String),
    /// The message that stands for the entries of a map: the field.
    Entries {
        /// The message that has the field.
        message: String,
        /// Its name.
        field: String,
    },
    /// A field of a message; or an extension, which has full names.
    Field {
        /// The message, or the message that is extended.
        message: String,
        /// The number.
        number: i32,
        /// The names, on the sides that have the field.
        names: Pair<Option<String>>,
        /// Other elements that the report may follow from: the type of the field, its oneof.
        elsewhere: Vec<String>,
        /// Whether the names are full names.
        is_extension: bool,
    },
    /// A number of an enum and its names.
    EnumValue {
        /// The enum.
        of: String,
        /// The number.
        number: i64,
        /// All names on both sides, which each name of the number has in common.
        names: Arc<[String]>,
    },
    /// A oneof: message and name.
    Oneof(String, String),
    /// A method: service and name.
    Method(String, String),
}

/// Everything that buf reports, of all categories.
pub(super) fn reports(schemas: Pair<&Schema<'_>>) -> Vec<Report> {
    let images = Pair::new(Image::of(schemas.old), Image::of(schemas.new));
    let mut checker = Checker { images: images.as_ref(), reports: Vec::new(), reserved: ReservedNames::default() };
    if checker.is_unchanged() {
        return Vec::new();
    }
    checker.files();
    checker.declarations();
    checker.packages();
    checker.messages();
    checker.extensions();
    checker.enums();
    checker.services();
    checker.reports
}

struct Checker<'i, 's, 'a> {
    images: Pair<&'i Image<'s, 'a>>,
    reports: Vec<Report>,
    reserved: ReservedNames<'a>,
}

impl<'i, 's, 'a> Checker<'i, 's, 'a> {
    fn report(&mut self, rule: &'static str, at: Pair<Option<Site>>, subject: Subject, message: String) {
        self.reports.push(Report { rule, at, subject, message });
    }

    /// Whether both sides have the same files with the same contents.
    fn is_unchanged(&self) -> bool {
        let Pair { old, new } = self.images;
        let same = |(path, file): (&&str, &FileId)| {
            new.files.get(*path).is_some_and(|now| self.is_same_file(Pair::new(*file, *now)))
        };
        old.files.len() == new.files.len() && old.files.iter().all(same)
    }

    fn old_site(&self, file: FileId, span: Span) -> Option<Site> {
        Some(self.images.old.site(file, span))
    }

    fn new_site(&self, file: FileId, span: Span) -> Option<Site> {
        Some(self.images.new.site(file, span))
    }
}

/// A place that is a file and nothing in it: the first column of the first line.
const WHOLE_FILE: Span = Span::new(0, 0);

/// Text in quotes, as Go's `%q` has it for everything that can be printed.
fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for character in text.chars() {
        match character {
            '"' | '\\' => out.extend(['\\', character]),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{7}' => out.push_str("\\a"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            '\u{b}' => out.push_str("\\v"),
            _ if character.is_ascii_control() => out.push_str(&format!("\\x{:02x}", u32::from(character))),
            _ if character.is_control() => out.push_str(&format!("\\u{:04x}", u32::from(character))),
            _ => out.push(character),
        }
    }
    out.push('"');
    out
}

/// Of more texts in one message the rest is counted: each of them has such a message.
const MOST_QUOTED: usize = 100;

/// Several texts in quotes.
fn quoted_list<'t>(texts: impl IntoIterator<Item = &'t str>) -> String {
    let mut texts = texts.into_iter();
    let shown = texts.by_ref().take(MOST_QUOTED).map(quoted).collect::<Vec<_>>().join(", ");
    match texts.count() {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_quoted_as_go_quotes_them() {
        assert_eq!(quoted("a\"b\\c"), r#""a\"b\\c""#);
        assert_eq!(quoted("\n\u{7f}\u{85} e\u{301} \u{65e5}"), "\"\\n\\x7f\\u0085 e\u{301} \u{65e5}\"");
    }
}
