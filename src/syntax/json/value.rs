//! The values of JSON, each with the place where it stands.

use std::borrow::Cow;

use crate::change::Span;

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

    /// The value and all inside of it, at any depth, in no particular order.
    pub fn all(&self) -> impl Iterator<Item = &Json<'b>> {
        let mut open = vec![self];
        std::iter::from_fn(move || {
            let json = open.pop()?;
            match &json.kind {
                JsonKind::List(values) => open.extend(values),
                JsonKind::Object(members) => open.extend(members.iter().map(|member| &member.value)),
                _ => {}
            }
            Some(json)
        })
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

    /// The value as text on one line, for people.
    pub fn shown(&self) -> String {
        match &self.kind {
            JsonKind::Null => "null".to_owned(),
            JsonKind::Bool(value) => value.to_string(),
            JsonKind::Number(text) => text.to_string(),
            JsonKind::Text(text) => format!("{text:?}"),
            JsonKind::List(values) => {
                let values: Vec<String> = values.iter().map(Json::shown).collect();
                format!("[{}]", values.join(", "))
            }
            JsonKind::Object(members) => {
                let members: Vec<String> =
                    members.iter().map(|member| format!("{:?}: {}", member.key, member.value.shown())).collect();
                format!("{{{}}}", members.join(", "))
            }
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
