//! Documents that are no JSON Schemas: Avro schemas are written in JSON as well.

use crate::change::Span;
use crate::syntax::json::{Json, JsonKind};
use crate::syntax::log::Log;

/// What an Avro schema says beside its name: complex type → the member that belongs to it.
const NAMED: [(&str, &str); 4] = [("record", "fields"), ("error", "fields"), ("enum", "symbols"), ("fixed", "size")];

/// Whether a document defines a named type of Avro and does not say that it is a JSON Schema. No draft has such a `type`.
pub(super) fn is_avro_schema(json: &Json<'_>) -> bool {
    let JsonKind::Object(members) = &json.kind else { return false };
    let has = |name: &str| members.iter().any(|member| member.key == name);
    let ty = json.get("type").and_then(Json::as_text);
    let says_it = ty.is_some_and(|ty| NAMED.iter().any(|(name, member)| *name == ty && has(member)));
    says_it && has("name") && !has("$schema")
}

/// Says that the document is one, where it starts.
pub(super) fn say(log: &mut Log, span: Span) {
    log.foreign(
        Span::new(span.start, span.start + 1),
        format_args!("this is an Avro schema, which no validator of JSON Schema reads"),
        "call the file `….avsc` to have it judged as what it is, or write a JSON Schema",
    );
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::is_avro_schema;
    use crate::syntax::json;

    fn is_avro(text: &str) -> bool {
        let (json, problems) = json::parse(&Arc::from("a.schema.json"), text.as_bytes());
        assert_eq!(problems, [], "{text}");
        is_avro_schema(&json.expect("the text is JSON"))
    }

    #[test]
    fn a_named_type_of_avro_is_no_json_schema() {
        assert!(is_avro(r#"{"type": "record", "name": "Order", "fields": []}"#));
        assert!(is_avro(r#"{"type": "enum", "name": "State", "symbols": ["NEW"]}"#));
        assert!(!is_avro(r#"{"type": "record", "properties": {}}"#), "a mistake in a JSON Schema");
        assert!(!is_avro(r#"{"type": "object", "name": "Order", "fields": []}"#));
        assert!(!is_avro(r#"{"$schema": "x", "type": "record", "name": "Order", "fields": []}"#));
        assert!(!is_avro("true"));
    }
}
