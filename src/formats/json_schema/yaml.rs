//! YAML → the values of JSON, with their places. What JSON has no form for (keys that are no text, tags) is not read.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_saphyr::Spanned;

use crate::change::Span;
use crate::syntax::json::{DEPTH_LIMIT, Json, JsonKind, Member};
use crate::syntax::problem::Problem;
use crate::text::of_yaml_parser;

/// Reads one document.
pub(super) fn parse<'b>(file: &Arc<str>, bytes: &[u8]) -> (Option<Json<'b>>, Vec<Problem>) {
    let refused = |span, message: String| {
        let help = "write the schema as YAML of one document that JSON could say as well";
        (None, vec![Problem::error(file, span, message, help)])
    };
    let Ok(text) = std::str::from_utf8(bytes) else {
        return refused(Span::default(), "the file is no text: this is not valid UTF-8".to_owned());
    };
    match serde_saphyr::from_str::<Spanned<Kind>>(text) {
        Ok(value) => match json(value, 0) {
            Some(json) => (Some(json), Vec::new()),
            None => refused(Span::default(), format!("values are nested more than {DEPTH_LIMIT} deep")),
        },
        Err(error) => {
            let error = error.without_snippet();
            let place = error.location().and_then(|location| location.span().byte_offset());
            let start = place.and_then(|at| u32::try_from(at).ok()).unwrap_or_default().min(text.len() as u32);
            let message = error.to_string();
            refused(
                Span::new(start, start),
                format!("this is no YAML: {}", of_yaml_parser(message.lines().next().unwrap_or_default())),
            )
        }
    }
}

/// A value as the library hands it over.
enum Kind {
    Null,
    Bool(bool),
    Number(String),
    Text(String),
    List(Vec<Spanned<Kind>>),
    Object(Vec<(Spanned<Key>, Spanned<Kind>)>),
}

/// A key, as text.
struct Key(String);

fn json<'b>(value: Spanned<Kind>, depth: usize) -> Option<Json<'b>> {
    if depth > DEPTH_LIMIT {
        return None;
    }
    let mut span = place(value.referenced);
    let kind = match value.value {
        Kind::Null => JsonKind::Null,
        Kind::Bool(value) => JsonKind::Bool(value),
        Kind::Number(text) => JsonKind::Number(Cow::Owned(text)),
        Kind::Text(text) => JsonKind::Text(Cow::Owned(text)),
        Kind::List(list) => {
            let list: Vec<Json<'b>> = list.into_iter().map(|one| json(one, depth + 1)).collect::<Option<_>>()?;
            span = list.last().map_or(span, |last| span.to(last.span));
            JsonKind::List(list)
        }
        Kind::Object(members) => {
            let member = |(key, value): (Spanned<Key>, Spanned<Kind>)| {
                let key_span = place(key.referenced);
                Some(Member { key: Cow::Owned(key.value.0), key_span, value: json(value, depth + 1)? })
            };
            let members: Vec<Member<'b>> = members.into_iter().map(member).collect::<Option<_>>()?;
            span = members.last().map_or(span, |last| span.to(last.key_span).to(last.value.span));
            JsonKind::Object(members)
        }
    };
    Some(Json { span, kind })
}

fn place(location: serde_saphyr::Location) -> Span {
    let number = |number: Option<u64>| number.and_then(|number| u32::try_from(number).ok()).unwrap_or_default();
    let start = number(location.span().byte_offset());
    let length = number(location.span().byte_len());
    Span::new(start, start.saturating_add(length))
}

struct KindVisitor;

impl<'de> Deserialize<'de> for Kind {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(KindVisitor)
    }
}

impl<'de> Visitor<'de> for KindVisitor {
    type Value = Kind;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value of JSON")
    }

    fn visit_unit<E: Error>(self) -> Result<Kind, E> {
        Ok(Kind::Null)
    }

    fn visit_none<E: Error>(self) -> Result<Kind, E> {
        Ok(Kind::Null)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Kind, D::Error> {
        Kind::deserialize(deserializer)
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Kind, E> {
        Ok(Kind::Bool(value))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Kind, E> {
        Ok(Kind::Number(value.to_string()))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Kind, E> {
        Ok(Kind::Number(value.to_string()))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Kind, E> {
        let number = serde_json::Number::from_f64(value).ok_or_else(|| E::custom("JSON has no such number"))?;
        Ok(Kind::Number(number.to_string()))
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Kind, E> {
        Ok(Kind::Text(value.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Kind, A::Error> {
        let mut values = Vec::new();
        while let Some(value) = list.next_element()? {
            values.push(value);
        }
        Ok(Kind::List(values))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Kind, A::Error> {
        let mut members = Vec::new();
        while let Some(member) = map.next_entry()? {
            members.push(member);
        }
        Ok(Kind::Object(members))
    }
}

impl<'de> Deserialize<'de> for Key {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // `true:` and `404:` are texts where a key is meant.
        String::deserialize(deserializer).map(Key)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_have_the_places_where_they_stand() {
        let text = "type: object\nproperties:\n  a: {type: [string, 'null']}\n  b: {minimum: 1.5}\n";
        let (json, problems) = parse(&Arc::from("a.schema.yaml"), text.as_bytes());
        assert!(problems.is_empty(), "{problems:?}");
        let json = json.expect("it is YAML");
        let minimum = json.get("properties").and_then(|map| map.get("b")?.get("minimum")).expect("it is there");
        assert_eq!((&text[minimum.span.range()], minimum.shown()), ("1.5", "1.5".to_owned()));
        assert_eq!(json.get("type").and_then(Json::as_text), Some("object"));
    }

    #[test]
    fn what_is_no_yaml_is_refused_at_its_place() {
        let (json, problems) = parse(&Arc::from("a.schema.yaml"), b"a: [1\nb: 2\n");
        assert!(json.is_none() && problems.len() == 1, "{problems:?}");
    }
}
