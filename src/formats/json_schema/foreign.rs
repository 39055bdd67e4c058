//! Documents that are no JSON Schemas: Avro schemas are written in JSON as well.

use crate::change::Span;
use crate::syntax::json::{Json, JsonKind};
use crate::syntax::log::Log;

/// What an Avro schema says beside its name: complex type → the member that belongs to it.
const NAMED: [(&str, &str); 4] = [("record", "fields"), ("error", "fields"), ("enum", "symbols"), ("fixed", "size")];

/// Where a document shows that it defines a named type of Avro, unless it says that it is a JSON Schema. No draft has such a
/// `type`.
pub(super) fn avro_schema(json: &Json<'_>) -> Option<Span> {
    let JsonKind::Object(members) = &json.kind else { return None };
    let has = |name: &str| members.iter().any(|member| member.key == name);
    let ty = json.get("type")?;
    let is_of_avro = NAMED.iter().any(|(name, member)| Some(*name) == ty.as_text() && has(member));
    (is_of_avro && has("name") && !has("$schema")).then_some(ty.span)
}

/// Says that the document is one, where it shows.
pub(super) fn say(log: &mut Log, sign: Span) {
    log.foreign(
        sign,
        format_args!("this is an Avro schema, which no validator of JSON Schema reads"),
        "call the file `….avsc` to have it judged as what it is, or write a JSON Schema",
    );
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::avro_schema;
    use crate::syntax::json;

    fn is_avro(text: &str) -> bool {
        let (json, problems) = json::parse(&Arc::from("a.schema.json"), text.as_bytes());
        assert_eq!(problems, [], "{text}");
        avro_schema(&json.expect("the text is JSON")).is_some()
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
