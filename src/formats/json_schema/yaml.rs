//! YAML → the values of JSON, with their places. What JSON has no form for (keys that are no text, tags) is not read.
//!
//! Plain scalars are what YAML 1.2 says that they are. Where readers of YAML 1.1 take one for something else, and it stands
//! where that matters, it is told.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_saphyr::{NonFiniteFloatPolicy, Spanned};

use super::scalars::{Scalar, core, legacy};
use crate::change::Span;
use crate::syntax::json::{DEPTH_LIMIT, Json, JsonKind, Member};
use crate::syntax::problem::Problem;
use crate::text::of_yaml_parser;

/// What to do about a document that is not read.
const HELP: &str = "write the schema as YAML of one document that JSON could say as well";

/// Reads one document.
pub(super) fn parse<'b>(file: &Arc<str>, bytes: &[u8]) -> (Option<Json<'b>>, Vec<Problem>) {
    let refused = |span, message: String| (None, vec![Problem::error(file, span, message, HELP)]);
    let Ok(text) = std::str::from_utf8(bytes) else {
        return refused(Span::default(), "the file is no text: this is not valid UTF-8".to_owned());
    };
    let options = serde_saphyr::options! {
        strict_booleans: true,
        non_finite_float_policy: NonFiniteFloatPolicy::PassThrough,
    };
    match serde_saphyr::from_str_with_options::<Spanned<Kind>>(text, options) {
        Ok(value) => {
            let mut document = Document { file, text, problems: Vec::new() };
            let json = document.json(value, Standing { place: Place::Schema, key: "" }, 0);
            document.say_breaks();
            (json, document.problems)
        }
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
    /// What JSON has no form for.
    Infinite,
    Text(String),
    List(Vec<Spanned<Kind>>),
    Object(Vec<(Spanned<Kind>, Spanned<Kind>)>),
}

/// What a value is a part of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// A schema: keys are keywords.
    Schema,
    /// Schemas by names.
    Names,
    /// An instance.
    Data,
    /// What nobody asserts.
    Aside,
}

/// Where a value stands: in what, and under which key.
#[derive(Clone, Copy)]
struct Standing<'k> {
    place: Place,
    key: &'k str,
}

/// Keywords that hold what people read: a number is a text there, whatever readers of YAML take it for.
const FOR_PEOPLE: [&str; 3] = ["title", "description", "$comment"];
/// Annotations that are booleans.
const FLAGS: [&str; 3] = ["deprecated", "readOnly", "writeOnly"];
/// Keywords that hold a boolean, a number or a schema, and never a text.
const NO_TEXTS: [&str; 31] = [
    "additionalItems",
    "additionalProperties",
    "allOf",
    "anyOf",
    "contains",
    "else",
    "exclusiveMaximum",
    "exclusiveMinimum",
    "if",
    "items",
    "maxContains",
    "maxItems",
    "maxLength",
    "maxProperties",
    "maximum",
    "minContains",
    "minItems",
    "minLength",
    "minProperties",
    "minimum",
    "multipleOf",
    "not",
    "oneOf",
    "prefixItems",
    "propertyNames",
    "then",
    "unevaluatedItems",
    "unevaluatedProperties",
    "uniqueItems",
    "$recursiveAnchor",
    "contentSchema",
];

impl<'k> Standing<'k> {
    /// Where what is under a key stands.
    fn below(self, key: &'k str) -> Self {
        let place = match (self.place, key) {
            (Place::Schema, "const" | "default" | "enum") => Place::Data,
            (Place::Schema, "example" | "examples") => Place::Aside,
            (Place::Schema, key) if key.starts_with("x-") => Place::Aside,
            (
                Place::Schema,
                "$defs" | "definitions" | "dependencies" | "dependentRequired" | "dependentSchemas"
                | "patternProperties" | "properties",
            ) => Place::Names,
            (Place::Names, _) => Place::Schema,
            (place, _) => place,
        };
        Standing { place, key }
    }

    fn is_under(self, keywords: &[&str]) -> bool {
        self.place == Place::Schema && keywords.contains(&self.key)
    }
}

/// A document that is read.
struct Document<'t> {
    file: &'t Arc<str>,
    text: &'t str,
    problems: Vec<Problem>,
}

impl Document<'_> {
    /// Says where a line ends to some readers and goes on to others: behind a comment, all else does to the latter.
    fn say_breaks(&mut self) {
        const BREAKS: [char; 3] = ['\u{85}', '\u{2028}', '\u{2029}'];
        let Some((start, found)) = self.text.match_indices(BREAKS).next() else { return };
        let (start, end) = (start as u32, (start + found.len()) as u32);
        let code = found.chars().map(|letter| format!("U+{:04X}", u32::from(letter))).collect::<String>();
        self.problems.push(Problem::warning(
            self.file,
            Span::new(start, end),
            format!("{code} ends a line to readers of YAML 1.1, such as PyYAML, and does not to those of YAML 1.2, such as js-yaml"),
            "end the line with a line feed, or escape it in a text between double quotes",
        ));
    }

    /// A value; nothing where the document is refused.
    fn json<'b>(&mut self, value: Spanned<Kind>, at: Standing<'_>, depth: usize) -> Option<Json<'b>> {
        if depth > DEPTH_LIMIT {
            return self.refuse(Span::default(), format!("values are nested more than {DEPTH_LIMIT} deep"));
        }
        let mut span = place(value.referenced);
        let plain = self.plain(value.defined, &value.value);
        let kind = match (value.value, plain) {
            (Kind::List(list), _) => {
                let list: Vec<Json<'b>> =
                    list.into_iter().map(|one| self.json(one, at, depth + 1)).collect::<Option<_>>()?;
                span = list.last().map_or(span, |last| span.to(last.span));
                JsonKind::List(list)
            }
            (Kind::Object(members), _) => {
                let mut found: Vec<Member<'b>> = Vec::with_capacity(members.len());
                for (key, value) in members {
                    let key_span = place(key.referenced);
                    let key = self.key(key, at)?;
                    let value = self.json(value, at.below(&key), depth + 1)?;
                    found.push(Member { key: Cow::Owned(key), key_span, value });
                }
                span = found.last().map_or(span, |last| span.to(last.key_span).to(last.value.span));
                JsonKind::Object(found)
            }
            (_, Some(plain)) => self.scalar(&plain, span, at)?,
            (Kind::Null, None) => JsonKind::Null,
            (Kind::Bool(value), None) => JsonKind::Bool(value),
            (Kind::Number(text), None) => JsonKind::Number(Cow::Owned(text)),
            (Kind::Text(text), None) => JsonKind::Text(Cow::Owned(text)),
            (Kind::Infinite, None) => return self.refuse(span, "JSON has no such number".to_owned()),
        };
        Some(Json { span, kind })
    }

    fn refuse<T>(&mut self, span: Span, message: String) -> Option<T> {
        self.problems.push(Problem::error(self.file, span, message, HELP));
        None
    }

    /// What a scalar says where it is defined, if it is a plain one without a tag.
    fn plain(&self, defined: serde_saphyr::Location, kind: &Kind) -> Option<String> {
        let span = place(defined);
        let mut written = self.text.get(span.range())?.trim();
        while let Some(rest) = written.strip_prefix('&') {
            written = rest.split_once(char::is_whitespace)?.1.trim_start();
        }
        let in_front = self.text[..span.range().start].split(|one: char| one.is_whitespace() || "[{,".contains(one));
        let words = in_front.rev().filter(|word| !word.is_empty()).take(2);
        let is_tagged = words.take_while(|word| word.starts_with(['!', '&'])).any(|word| word.starts_with('!'));
        let is_plain = !is_tagged && !written.starts_with(['!', '\'', '"', '|', '>']) && !written.contains('\n');
        let is_meant = match kind {
            Kind::Text(text) => text == written,
            Kind::Null | Kind::Bool(_) | Kind::Number(_) | Kind::Infinite => !written.is_empty(),
            Kind::List(_) | Kind::Object(_) => false,
        };
        (is_plain && is_meant).then(|| written.to_owned())
    }

    /// A plain scalar.
    fn scalar<'b>(&mut self, written: &str, span: Span, at: Standing<'_>) -> Option<JsonKind<'b>> {
        let (is, was) = (core(written), legacy(written));
        let text = || JsonKind::Text(Cow::Owned(written.to_owned()));
        if at.is_under(&FOR_PEOPLE) && !matches!(is, Scalar::Null | Scalar::Bool(_)) {
            return Some(text());
        }
        let is_aside = at.place == Place::Aside || at.is_under(&FLAGS);
        if is != was && !is_aside {
            self.tell(span, &format!("`{written}`"), &is, &was);
        }
        // A schema that would be none as readers of 1.2 take it is one of those who take it otherwise.
        let takes_no_text = at.place == Place::Names || at.is_under(&NO_TEXTS) || at.is_under(&FLAGS);
        let is_other = is == Scalar::Text && takes_no_text && matches!(was, Scalar::Bool(_) | Scalar::Number(_));
        match if is_other { was } else { is } {
            Scalar::Null => Some(JsonKind::Null),
            Scalar::Bool(value) => Some(JsonKind::Bool(value)),
            Scalar::Number(number) => Some(JsonKind::Number(Cow::Owned(number))),
            Scalar::Text => Some(text()),
            Scalar::Other(_) if is_aside => Some(text()),
            Scalar::Other(_) => self.refuse(span, format!("JSON has no such number as `{written}`")),
        }
    }

    /// A key, which is a text in JSON: `true:` and `404:` are.
    fn key(&mut self, key: Spanned<Kind>, at: Standing<'_>) -> Option<String> {
        let span = place(key.referenced);
        let plain = self.plain(key.defined, &key.value);
        let Some(written) = plain else {
            return match key.value {
                Kind::Text(text) | Kind::Number(text) => Some(text),
                Kind::Bool(value) => Some(value.to_string()),
                Kind::Null => Some(String::new()),
                Kind::Infinite | Kind::List(_) | Kind::Object(_) => {
                    self.refuse(span, "a key is no text here, as JSON has it".to_owned())
                }
            };
        };
        let (is, was) = (core(&written), legacy(&written));
        if is == Scalar::Null && at.place != Place::Aside {
            let message = format!("the key `{written}` is `null` to js-yaml and PyYAML, and empty to yaml");
            self.problems.push(Problem::warning(self.file, span, message, QUOTE));
        } else if is != was && at.place != Place::Aside {
            self.tell(span, &format!("the key `{written}`"), &is, &was);
        }
        Some(match is {
            Scalar::Null => "null".to_owned(),
            Scalar::Bool(value) => value.to_string(),
            Scalar::Number(number) if !number.contains(['.', 'e']) => number,
            Scalar::Number(_) | Scalar::Text | Scalar::Other(_) => written,
        })
    }

    fn tell(&mut self, span: Span, what: &str, is: &Scalar, was: &Scalar) {
        let message = format!(
            "{what} is {is} to readers of YAML 1.2, such as js-yaml, and {was} to those of YAML 1.1, such as PyYAML"
        );
        self.problems.push(Problem::warning(self.file, span, message, QUOTE));
    }
}

/// What to do about a scalar that readers do not agree on.
const QUOTE: &str = "put it in quotes where a text is meant, and else write it as all of them read it";

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
        Ok(serde_json::Number::from_f64(value).map_or(Kind::Infinite, |number| Kind::Number(number.to_string())))
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
    fn plain_scalars_are_what_yaml_1_2_says_and_what_others_read_is_told() {
        let told = |text: &str| {
            let (json, problems) = parse(&Arc::from("a.schema.yaml"), text.as_bytes());
            let places = problems.iter().map(|problem| {
                let span = problem.site.as_ref().expect("it has a place").span;
                assert!(problem.message.contains("PyYAML"), "{}", problem.message);
                text[span.range()].to_owned()
            });
            (json.map(|json| json.shown()), places.collect::<Vec<_>>())
        };
        let table: [(&str, &str, &[&str]); 16] = [
            ("required: [x, y]", r#"{"required":["x","y"]}"#, &[]),
            ("enum: [y, no, true]", r#"{"enum":["y","no",true]}"#, &["no"]),
            ("const: 010", r#"{"const":10}"#, &["010"]),
            ("const: !!str 010", r#"{"const":"010"}"#, &[]),
            ("const: '010'", r#"{"const":"010"}"#, &[]),
            ("const: &a off", r#"{"const":"off"}"#, &["off"]),
            ("a: &a 'off'\nconst: *a", r#"{"a":"off","const":"off"}"#, &[]),
            ("title: Yes\ndescription: 12", r#"{"title":"Yes","description":"12"}"#, &[]),
            ("properties: {title: true, on: {}}", r#"{"properties":{"title":true,"on":{}}}"#, &["on"]),
            ("additionalProperties: no", r#"{"additionalProperties":false}"#, &["no"]),
            ("maxLength: 1_000", r#"{"maxLength":1000}"#, &["1_000"]),
            ("deprecated: yes\nexamples: [on, .inf]", r#"{"deprecated":true,"examples":["on",".inf"]}"#, &[]),
            ("pattern: y", r#"{"pattern":"y"}"#, &[]),
            ("properties: {null: {}, 0x10: {}}", r#"{"properties":{"null":{},"16":{}}}"#, &["null"]),
            ("enum: [äö, no]", r#"{"enum":["äö","no"]}"#, &["no"]),
            ("const: >\n  yes\n", r#"{"const":"yes\n"}"#, &[]),
        ];
        for (text, json, places) in table {
            let (shown, told) = told(text);
            let compact = shown.map(|shown| shown.replace(": ", ":").replace(", ", ","));
            assert_eq!(
                (compact.as_deref(), &*told),
                (Some(json), &*places.iter().map(|at| (*at).to_owned()).collect::<Vec<_>>()),
                "{text}"
            );
        }
    }

    #[test]
    fn what_is_no_yaml_is_refused_at_its_place() {
        let (json, problems) = parse(&Arc::from("a.schema.yaml"), b"a: [1\nb: 2\n");
        assert!(json.is_none() && problems.len() == 1, "{problems:?}");
    }
}
