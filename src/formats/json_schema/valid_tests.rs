use serde_json::json;

use super::*;

const DRAFTS: [Draft; 5] = [Draft::D4, Draft::D6, Draft::D7, Draft::D2019, Draft::D2020];

#[test]
fn every_meta_schema_takes_itself_and_has_a_reader() {
    for draft in DRAFTS {
        assert_eq!(refused(&meta::whole(draft), draft), [], "{draft:?}");
        assert_ne!(refused(&json!({"type": "strnig"}), draft), [], "{draft:?}");
    }
}

#[test]
fn what_is_refused_is_told_with_its_place() {
    let told =
        |schema: Value, draft: Draft| refused(&schema, draft).into_iter().map(|(place, _)| place).collect::<Vec<_>>();
    for draft in DRAFTS {
        assert_eq!(told(json!({"properties": {"a": {"minLength": -1}}}), draft), ["/properties/a/minLength"]);
        assert_eq!(told(json!({"allOf": []}), draft), ["/allOf"]);
    }
    assert_eq!(told(json!({"exclusiveMinimum": 1}), Draft::D4), ["", "/exclusiveMinimum"]);
    assert_eq!(told(json!({"pattern": "("}), Draft::D7), ["/pattern"]);
    assert_eq!(told(json!({"pattern": "("}), Draft::D2020), [""; 0]);
    assert_eq!(told(json!({"$defs": {"a": {"items": {"not": 5}}}}), Draft::D2019), ["/$defs/a/items/not"]);
    assert_eq!(told(json!({"unevaluatedItems": 5}), Draft::D2020), ["/unevaluatedItems"]);
}

#[test]
fn the_library_that_validates_says_the_same() {
    let parts = [
        json!(-1),
        json!(1.5),
        json!("a"),
        json!([]),
        json!(["a", "a"]),
        json!({"a": []}),
        json!({"a": {"type": 5}}),
        json!(true),
    ];
    let keywords =
        ["type", "items", "required", "minLength", "enum", "allOf", "not", "properties", "patternProperties"];
    let more =
        ["dependencies", "$schema", "$id", "id", "$ref", "multipleOf", "uniqueItems", "maximum", "exclusiveMaximum"];
    for keyword in keywords.into_iter().chain(more) {
        for part in &parts {
            let schema = json!({ keyword: part });
            let is_valid = [
                jsonschema::draft4::meta::is_valid(&schema),
                jsonschema::draft6::meta::is_valid(&schema),
                jsonschema::draft7::meta::is_valid(&schema),
                jsonschema::draft201909::meta::is_valid(&schema),
                jsonschema::draft202012::meta::is_valid(&schema),
            ];
            for (draft, is_valid) in DRAFTS.into_iter().zip(is_valid) {
                assert_eq!(refused(&schema, draft).is_empty(), is_valid, "{draft:?} {schema}");
            }
        }
    }
}

#[test]
fn a_pattern_that_validators_understand_is_no_mistake() {
    let told = |pattern: &str| {
        let mut schema = json!({ "pattern": pattern });
        respell(&mut schema);
        refused(&schema, Draft::D7)
    };
    assert_eq!(told("^[a-z]{2}]?$"), []);
    assert_ne!(told("("), []);
}
