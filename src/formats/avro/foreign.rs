//! Texts that are no Avro schemas: both languages are written in JSON, and some keep JSON Schemas in files called `.avsc`.

use crate::change::Span;
use crate::syntax::json::{Json, JsonKind};
use crate::syntax::log::Log;

/// Whether a text is a JSON Schema, and where it shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum JsonSchema {
    /// It says what only a JSON Schema says, and no implementation of Avro takes what it says for a schema.
    Plainly(Span),
    /// It is one, if no type is called like the type of JSON Schema that it names.
    Perhaps(Span),
    /// Nothing speaks for it.
    No,
}

/// What only Avro schemas have.
const AVRO: [&str; 6] = ["fields", "symbols", "size", "values", "namespace", "logicalType"];

/// Keywords by which a JSON Schema says what it allows, or what it is called, and that mean nothing in Avro.
const KEYWORDS: [&str; 15] = [
    "$schema",
    "$id",
    "$ref",
    "$defs",
    "definitions",
    "properties",
    "patternProperties",
    "additionalProperties",
    "required",
    "propertyNames",
    "allOf",
    "anyOf",
    "oneOf",
    "const",
    "enum",
];

/// The types of JSON Schema that are no primitive types of Avro and no words for complex ones.
const TYPES: [&str; 3] = ["object", "integer", "number"];

/// Whether a text is a JSON Schema, by the members of its outermost object.
pub(super) fn json_schema(json: &Json<'_>) -> JsonSchema {
    let JsonKind::Object(members) = &json.kind else { return JsonSchema::No };
    let first = |names: &[&str]| members.iter().find(|member| names.contains(&member.key.as_ref()));
    if first(&AVRO).is_some() {
        return JsonSchema::No;
    }
    let keyword = first(&KEYWORDS).map(|member| member.key_span);
    let is_type = |json: &Json<'_>| json.as_text().is_some_and(|text| TYPES.contains(&text));
    match (first(&["type"]).map(|member| &member.value), keyword) {
        (None, Some(keyword)) => JsonSchema::Plainly(keyword),
        (Some(ty), Some(_)) if is_type(ty) => JsonSchema::Plainly(ty.span),
        (Some(ty), None) if is_type(ty) => JsonSchema::Perhaps(ty.span),
        (Some(Json { kind: JsonKind::List(types), span }), Some(_)) if types.iter().any(is_type) => {
            JsonSchema::Plainly(*span)
        }
        (None | Some(_), _) => JsonSchema::No,
    }
}

/// Says that the file is one, where it shows.
pub(super) fn say(log: &mut Log, sign: Span) {
    log.foreign(
        sign,
        format_args!("this is a JSON Schema, which no implementation of Avro reads"),
        "call the file `….schema.json` to have it judged as what it is, or write an Avro schema",
    );
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::{JsonSchema, json_schema};
    use crate::syntax::json;

    fn of(text: &str) -> JsonSchema {
        let (json, problems) = json::parse(&Arc::from("a.avsc"), text.as_bytes());
        assert_eq!(problems, [], "{text}");
        json_schema(&json.expect("the text is JSON"))
    }

    #[test]
    fn a_json_schema_is_told_from_an_avro_schema() {
        for text in [
            r#"{"$schema": "http://json-schema.org/draft-07/schema#", "type": "integer"}"#,
            r#"{"$schema": "http://json-schema.org/draft-07/schema#"}"#,
            r#"{"type": "object", "properties": {"id": {"type": "integer"}}}"#,
            r#"{"type": ["object", "null"], "required": ["id"]}"#,
            r##"{"$ref": "#/$defs/order", "$defs": {}}"##,
            r#"{"anyOf": []}"#,
        ] {
            assert!(matches!(of(text), JsonSchema::Plainly(_)), "{text}");
            assert!(apache_avro::Schema::parse_str(text).is_err(), "another implementation takes {text}");
        }
        for text in [r#"{"type": "object"}"#, r#"{"type": "integer", "minimum": 0}"#] {
            assert!(matches!(of(text), JsonSchema::Perhaps(_)), "{text}");
            assert!(apache_avro::Schema::parse_str(text).is_err(), "another implementation takes {text}");
        }
    }

    #[test]
    fn what_an_avro_schema_says_is_avro() {
        for text in [
            r#"{"type": "record", "name": "Order", "fields": []}"#,
            r#"{"type": "string"}"#,
            r#"{"$schema": "http://json-schema.org/draft-07/schema#", "type": "string"}"#,
            r#"{"$schema": "http://json-schema.org/draft-07/schema#", "type": "array", "items": "int"}"#,
            r#""object""#,
            r#"{"type": "array", "items": "int"}"#,
            r#"{"type": "enum", "name": "E", "symbols": [], "required": true}"#,
            r#"{"type": "object", "name": "Order", "fields": []}"#,
            r#"{"type": "map", "values": "long", "properties": {}}"#,
            r#"{"type": "long", "properties": {"id": 1}}"#,
            r#"{"protocol": "P", "types": []}"#,
            r#"{"type": ["null", "Order"], "required": true}"#,
            "[]",
            "{}",
        ] {
            assert_eq!(of(text), JsonSchema::No, "{text}");
        }
    }
}
