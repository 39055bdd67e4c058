//! The model of Confluent's registry for JSON Schema: which types of differences it refuses, reader by reader and policy
//! by policy. The types were worked out from the checker's own definitions; where verdicts that the real one gave lie
//! beside the repository, they are held against it as well.

use wireproof::change::Pair;
use wireproof::formats::{CheckOptions, Format};
use wireproof::ordered::OrderedMap;
use wireproof::pipeline::check_snapshots;
use wireproof::report::{Report, json};
use wireproof::rules::{Profile, RuleSet};
use wireproof::verdict::{Mode, Policy};

use crate::support::{skip, snapshot};

/// What changes; both sides without `$schema` and braces; what the new reader refuses of old data, under the strict policy
/// and under the lenient one.
type Row = (&'static str, &'static str, &'static str, &'static str, &'static str);

const DRAFT_7: &[Row] = &[
    (
        "a member comes, open",
        OBJECT,
        r#""properties": {"a": {}, "b": {"type": "string"}}"#,
        "OPTIONAL_PROPERTY_ADDED_TO_OPEN_CONTENT_MODEL",
        "",
    ),
    ("a member that says nothing comes, open", OBJECT, r#""properties": {"a": {}, "b": {}}"#, "", ""),
    (
        "a required member comes, open",
        OBJECT,
        r#""properties": {"a": {}, "b": {"type": "null"}}, "required": ["b"]"#,
        "REQUIRED_PROPERTY_ADDED_TO_OPEN_CONTENT_MODEL",
        "REQUIRED_PROPERTY_ADDED_TO_OPEN_CONTENT_MODEL",
    ),
    (
        "a required member with a default comes, open",
        OBJECT,
        r#""properties": {"a": {}, "b": {"type": "integer", "default": 1}}, "required": ["b"]"#,
        "REQUIRED_PROPERTY_WITH_DEFAULT_ADDED_TO_OPEN_CONTENT_MODEL",
        "",
    ),
    (
        "a member comes, closed",
        r#""properties": {"a": {}}, "additionalProperties": false"#,
        r#""properties": {"a": {}, "b": {"type": "string"}}, "additionalProperties": false"#,
        "",
        "",
    ),
    (
        "a required member comes, closed",
        r#""properties": {"a": {}}, "additionalProperties": false"#,
        r#""properties": {"a": {}, "b": {"type": "string"}}, "additionalProperties": false, "required": ["b"]"#,
        "REQUIRED_PROPERTY_ADDED_TO_UNOPEN_CONTENT_MODEL",
        "REQUIRED_PROPERTY_ADDED_TO_UNOPEN_CONTENT_MODEL",
    ),
    ("a member goes, open", r#""properties": {"a": {}, "b": {"type": "string"}}"#, OBJECT, "", ""),
    (
        "a member goes, closed",
        r#""properties": {"a": {}, "b": {"type": "string"}}, "additionalProperties": false"#,
        r#""properties": {"a": {}}, "additionalProperties": false"#,
        "PROPERTY_REMOVED_FROM_CLOSED_CONTENT_MODEL",
        "",
    ),
    (
        "a forbidden member goes, closed",
        r#""properties": {"a": {}, "b": false}, "additionalProperties": false"#,
        r#""properties": {"a": {}}, "additionalProperties": false"#,
        "",
        "",
    ),
    (
        "a member comes that others cover",
        r#""properties": {"a": {}}, "additionalProperties": {"type": "string"}"#,
        r#""properties": {"a": {}, "b": {"type": "string"}}, "additionalProperties": {"type": "string"}"#,
        "",
        "",
    ),
    (
        "a member comes that others do not cover",
        r#""properties": {"a": {}}, "additionalProperties": {"type": "string"}"#,
        r#""properties": {"a": {}, "b": {"type": "integer"}}, "additionalProperties": {"type": "string"}"#,
        "TYPE_CHANGED PROPERTY_ADDED_NOT_COVERED_BY_PARTIALLY_OPEN_CONTENT_MODEL",
        "TYPE_CHANGED",
    ),
    (
        "a member goes that a pattern covers",
        r#""properties": {"a": {}, "b1": {"type": "string"}}, "patternProperties": {"^b": {"type": "string"}}"#,
        r#""properties": {"a": {}}, "patternProperties": {"^b": {"type": "string"}}"#,
        "",
        "",
    ),
    (
        "a member goes beside patterns of which none covers it",
        r#""properties": {"a": {}, "c": {"type": "string"}}, "patternProperties": {"^b": {"type": "string"}}"#,
        r#""properties": {"a": {}}, "patternProperties": {"^b": {"type": "string"}}"#,
        "PROPERTY_REMOVED_FROM_CLOSED_CONTENT_MODEL",
        "",
    ),
    (
        "others are forbidden",
        OBJECT,
        r#""properties": {"a": {}}, "additionalProperties": false"#,
        "ADDITIONAL_PROPERTIES_REMOVED",
        "",
    ),
    (
        "others get a schema",
        OBJECT,
        r#""properties": {"a": {}}, "additionalProperties": {"type": "null"}"#,
        "ADDITIONAL_PROPERTIES_NARROWED",
        "",
    ),
    (
        "a member becomes required",
        OBJECT,
        r#""properties": {"a": {}}, "required": ["a"]"#,
        "REQUIRED_ATTRIBUTE_ADDED",
        "REQUIRED_ATTRIBUTE_ADDED",
    ),
    (
        "a member with a default becomes required",
        r#""properties": {"a": {"default": null}}"#,
        r#""properties": {"a": {"default": null}}, "required": ["a"]"#,
        "",
        "",
    ),
    ("a member without a schema becomes required", OBJECT, r#""properties": {"a": {}}, "required": ["z"]"#, "", ""),
    (
        "a member brings another",
        OBJECT,
        r#""properties": {"a": {}}, "dependencies": {"a": ["b"]}"#,
        "DEPENDENCY_ARRAY_ADDED",
        "DEPENDENCY_ARRAY_ADDED",
    ),
    ("a member brings fewer", r#""dependencies": {"a": ["b", "c"]}"#, r#""dependencies": {"a": ["b"]}"#, "", ""),
    (
        "fewer members",
        r#""maxProperties": 3"#,
        r#""maxProperties": 2"#,
        "MAX_PROPERTIES_DECREASED",
        "MAX_PROPERTIES_DECREASED",
    ),
    (
        "a bound that forbids nothing",
        r#""type": "string""#,
        r#""type": "string", "minLength": 0"#,
        "MIN_LENGTH_ADDED",
        "MIN_LENGTH_ADDED",
    ),
    ("a pattern in other words", r#""pattern": "[0-9]""#, r#""pattern": "\\d""#, "PATTERN_CHANGED", "PATTERN_CHANGED"),
    ("a number becomes an integer", r#""type": "number""#, r#""type": "integer""#, "TYPE_NARROWED", "TYPE_NARROWED"),
    ("an integer becomes a number", r#""type": "integer""#, r#""type": "number""#, "", ""),
    (
        "an exclusive bound is lowered",
        r#""type": "number", "exclusiveMaximum": 10"#,
        r#""type": "number", "exclusiveMaximum": 9"#,
        "NullPointerException",
        "NullPointerException",
    ),
    (
        "an exclusive bound is lowered beside another",
        r#""type": "number", "exclusiveMaximum": 10, "maximum": 20"#,
        r#""type": "number", "exclusiveMaximum": 9, "maximum": 20"#,
        "",
        "",
    ),
    (
        "multiples of a fraction",
        r#""multipleOf": 0.1"#,
        r#""multipleOf": 0.3"#,
        "MULTIPLE_OF_EXPANDED",
        "MULTIPLE_OF_EXPANDED",
    ),
    ("multiples of half as much", r#""multipleOf": 0.50"#, r#""multipleOf": 0.25"#, "", ""),
    ("a value comes", r#""enum": ["a"]"#, r#""enum": ["a", "b"]"#, "", ""),
    ("a value goes", r#""enum": ["a", "b"]"#, r#""enum": ["a"]"#, "ENUM_ARRAY_NARROWED", "ENUM_ARRAY_NARROWED"),
    (
        "a constant becomes a value of several",
        r#""const": "a""#,
        r#""enum": ["a", "b"]"#,
        "TYPE_CHANGED",
        "TYPE_CHANGED",
    ),
    ("null comes", r#""type": "string""#, r#""type": ["string", "null"]"#, "", ""),
    ("null goes", r#""type": ["string", "null"]"#, r#""type": "string""#, "TYPE_CHANGED", "TYPE_CHANGED"),
    (
        "a branch comes",
        r#""oneOf": [{"type": "string"}, {"type": "null"}]"#,
        r#""oneOf": [{"type": "string"}, {"type": "integer"}, {"type": "null"}]"#,
        "",
        "",
    ),
    (
        "a branch goes",
        r#""anyOf": [{"type": "string"}, {"type": "null"}]"#,
        r#""anyOf": [{"type": "string"}]"#,
        "SUM_TYPE_NARROWED",
        "SUM_TYPE_NARROWED",
    ),
    (
        "a branch is another one",
        r#""anyOf": [{"type": "string"}, {"type": "null"}]"#,
        r#""anyOf": [{"type": "string"}, {"type": "boolean"}]"#,
        "COMBINED_TYPE_SUBSCHEMAS_CHANGED",
        "COMBINED_TYPE_SUBSCHEMAS_CHANGED",
    ),
    (
        "one of several becomes any of several",
        r#""oneOf": [{"type": "string"}, {"type": "null"}]"#,
        r#""anyOf": [{"type": "null"}, {"type": "string"}]"#,
        "",
        "",
    ),
    (
        "any of several becomes one of several",
        r#""anyOf": [{"type": "string"}, {"type": "null"}]"#,
        r#""oneOf": [{"type": "string"}, {"type": "null"}]"#,
        "COMBINED_TYPE_CHANGED",
        "COMBINED_TYPE_CHANGED",
    ),
    (
        "one more has to hold",
        r#""allOf": [{"minLength": 1}, {"maxLength": 9}]"#,
        r#""allOf": [{"minLength": 1}, {"maxLength": 9}, {"pattern": "x"}]"#,
        "PRODUCT_TYPE_EXTENDED",
        "PRODUCT_TYPE_EXTENDED",
    ),
    ("what is excluded shrinks", r#""not": {"type": "number"}"#, r#""not": {"type": "integer"}"#, "", ""),
    (
        "what is excluded grows",
        r#""not": {"type": "integer"}"#,
        r#""not": {"type": "number"}"#,
        "NOT_TYPE_EXTENDED",
        "NOT_TYPE_EXTENDED",
    ),
    (
        "a format comes to a number",
        r#""type": "integer""#,
        r#""type": "integer", "format": "int32""#,
        "TYPE_CHANGED",
        "TYPE_CHANGED",
    ),
    (
        "a condition comes",
        r#""type": "string""#,
        r#""type": "string", "if": {"minLength": 2}, "then": {"pattern": "x"}"#,
        "TYPE_CHANGED",
        "TYPE_CHANGED",
    ),
    (
        "a condition changes",
        r#""if": {"minLength": 2}, "then": {"pattern": "x"}"#,
        r#""if": {"minLength": 9}, "then": {"pattern": "y"}"#,
        "",
        "",
    ),
    (
        "an item comes behind others",
        r#""items": [{"type": "string"}]"#,
        r#""items": [{"type": "string"}, {"type": "null"}]"#,
        "ITEM_ADDED_TO_OPEN_CONTENT_MODEL",
        "ITEM_ADDED_TO_OPEN_CONTENT_MODEL",
    ),
    (
        "an item goes, closed",
        r#""items": [{"type": "string"}, {"type": "null"}], "additionalItems": false"#,
        r#""items": [{"type": "string"}], "additionalItems": false"#,
        "ITEM_REMOVED_FROM_CLOSED_CONTENT_MODEL",
        "ITEM_REMOVED_FROM_CLOSED_CONTENT_MODEL",
    ),
    (
        "items get a schema",
        r#""type": "array""#,
        r#""type": "array", "items": {"type": "string"}"#,
        "SCHEMA_ADDED",
        "SCHEMA_ADDED",
    ),
    (
        "items must differ",
        r#""type": "array""#,
        r#""type": "array", "uniqueItems": true"#,
        "UNIQUE_ITEMS_ADDED",
        "UNIQUE_ITEMS_ADDED",
    ),
    (
        "a definition changes",
        r##""properties": {"a": {"$ref": "#/definitions/A"}}, "definitions": {"A": {"type": "string"}}"##,
        r##""properties": {"a": {"$ref": "#/definitions/A"}}, "definitions": {"A": {"type": "null"}}"##,
        "TYPE_CHANGED",
        "TYPE_CHANGED",
    ),
    (
        "a tree that grows a bound",
        r##""properties": {"next": {"$ref": "#"}, "v": {"type": "string"}}"##,
        r##""properties": {"next": {"$ref": "#"}, "v": {"type": "string", "maxLength": 9}}"##,
        "MAX_LENGTH_ADDED",
        "MAX_LENGTH_ADDED",
    ),
    (
        "a tree that excludes itself",
        r##""properties": {"a": {"not": {"$ref": "#"}}}"##,
        r##""properties": {"a": {"not": {"$ref": "#"}}}, "description": "x""##,
        "",
        "",
    ),
    (
        "a schema for items behind none changes, which no validator looks at",
        r#""type": "array", "additionalItems": {"type": "string"}"#,
        r#""type": "array", "additionalItems": {"type": "null"}"#,
        "TYPE_CHANGED",
        "TYPE_CHANGED",
    ),
    (
        "bytes of Connect",
        r#""type": "string", "connect.type": "bytes""#,
        r#""type": "number", "connect.type": "bytes""#,
        "",
        "",
    ),
];

const NEWER: &[Row] = &[
    (
        "a member comes, open",
        OBJECT,
        r#""properties": {"a": {}, "b": {"type": "string"}}"#,
        "OPTIONAL_PROPERTY_ADDED_TO_OPEN_CONTENT_MODEL",
        "",
    ),
    (
        "a member comes where what is left over has a schema",
        r#""properties": {"a": {}}, "unevaluatedProperties": {"type": "string"}"#,
        r#""properties": {"a": {}, "b": {"type": "string"}}, "unevaluatedProperties": {"type": "string"}"#,
        "",
        "",
    ),
    (
        "what is left over is forbidden",
        OBJECT,
        r#""properties": {"a": {}}, "unevaluatedProperties": false"#,
        "UNEVALUATED_PROPERTIES_REMOVED",
        "",
    ),
    (
        "a default of null is none",
        r#""properties": {"a": {"default": null}}"#,
        r#""properties": {"a": {"default": null}}, "required": ["a"]"#,
        "REQUIRED_ATTRIBUTE_ADDED",
        "REQUIRED_ATTRIBUTE_ADDED",
    ),
    ("a format comes to a number", r#""type": "integer""#, r#""type": "integer", "format": "int32""#, "", ""),
    (
        "one more has to be there",
        r#""type": "array", "contains": {"type": "string"}"#,
        r#""type": "array", "contains": {"type": "string"}, "minContains": 2"#,
        "MIN_CONTAINS_INCREASED",
        "MIN_CONTAINS_INCREASED",
    ),
    (
        "an item goes, closed",
        r#""prefixItems": [{"type": "string"}, {"type": "null"}], "items": false"#,
        r#""prefixItems": [{"type": "string"}], "items": false"#,
        "ITEM_REMOVED_FROM_CLOSED_CONTENT_MODEL",
        "ITEM_REMOVED_FROM_CLOSED_CONTENT_MODEL",
    ),
    (
        "null comes to an object",
        r#""type": "object", "properties": {"a": {"type": "string"}}"#,
        r#""type": ["object", "null"], "properties": {"a": {"type": "string"}}"#,
        "",
        "",
    ),
    (
        "a reference gets a neighbour",
        r##""$ref": "#/$defs/A", "$defs": {"A": {"type": "string"}}"##,
        r##""$ref": "#/$defs/A", "minLength": 2, "$defs": {"A": {"type": "string"}}"##,
        "TYPE_CHANGED",
        "TYPE_CHANGED",
    ),
    (
        "a definition under the older name",
        r##""properties": {"a": {"$ref": "#/$defs/A"}}, "definitions": {"A": {"type": "string"}}, "$defs": {}"##,
        r##""properties": {"a": {"type": "string"}}"##,
        "",
        "",
    ),
];

const OBJECT: &str = r#""properties": {"a": {}}"#;

fn judged(sides: [&str; 2], dialect: &str) -> Report {
    let text = |text: &str| format!("{{\"$schema\": \"{dialect}\", {text}}}");
    let side = |schema: &str| snapshot([(&"s.schema.json".to_owned(), &text(schema))]);
    let labels = Pair::new("old".to_owned(), "new".to_owned());
    let (old, new) = (side(sides[0]), side(sides[1]));
    let policy = Policy { mode: Mode::Full, ..Policy::default() };
    let sides = Pair::new(&old, &new);
    check_snapshots(sides, &[Format::JsonSchema], &CheckOptions::default(), RuleSet::built_in(), &policy, labels)
}

/// The types that a tool reports for new readers, each once, in order.
fn reported(report: &Report, tool: &str) -> Vec<String> {
    let report: serde_json::Value = serde_json::from_str(&json::render(report)).expect("a report is JSON");
    let findings = report["findings"].as_array().into_iter().flatten();
    let told = findings.flat_map(|finding| finding["peer_reports"].as_array().into_iter().flatten());
    let own = told.filter(|one| one["tool"] == tool && one["direction"] == "backward");
    let mut kinds: Vec<String> = own.map(|one| one["id"].as_str().unwrap_or_default().to_owned()).collect();
    kinds.sort_unstable();
    kinds.dedup();
    kinds
}

#[test]
fn the_registry_refuses_what_its_checker_lists() {
    let dialects =
        [("http://json-schema.org/draft-07/schema#", DRAFT_7), ("https://json-schema.org/draft/2020-12/schema", NEWER)];
    let mut wrong = Vec::new();
    for (dialect, (what, old, new, strict, lenient)) in
        dialects.into_iter().flat_map(|(dialect, rows)| rows.iter().map(move |row| (dialect, row)))
    {
        let report = judged([old, new], dialect);
        for (tool, expected) in [("confluent", strict), ("confluent-lenient", lenient)] {
            let mut expected: Vec<&str> = expected.split_whitespace().collect();
            expected.sort_unstable();
            let kinds = reported(&report, tool);
            if kinds != expected {
                wrong.push(format!("{what} ({dialect}), {tool}: {kinds:?} and not {expected:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_profile_judges_every_format_that_the_tool_has() {
    let all: Vec<&Profile> = Profile::all().filter(|profile| profile.name == "confluent").collect();
    let formats: Vec<&str> = all.iter().map(|profile| &*profile.format).collect();
    assert!(formats.contains(&"avro") && formats.contains(&"json-schema"), "{formats:?}");
    let policy = all[0].all_in_force(RuleSet::built_in());
    assert_eq!(policy.of("json-schema").map(|peer| &*peer.tool), Some("confluent"));
    assert_eq!(policy.of("avro").map(|peer| &*peer.tool), Some("avro"));
    assert!(policy.of("thrift").is_none());
    assert!(!policy.leaves_out("confluent", "TYPE_CHANGED") && !policy.leaves_out("buf", "FIELD_SAME_TYPE"));
}

/// Verdicts that the registry's own checker gave, where they lie beside the repository.
#[test]
fn recorded_verdicts_of_the_registry_are_the_models() {
    let recorded = crate::support::root().join("../shared/corpus/registry-jsonschema.jsonl");
    let Ok(text) = std::fs::read_to_string(recorded) else {
        return skip("recorded verdicts beside the repository", "verdicts of Confluent's registry on JSON Schema");
    };
    let mut wrong = Vec::new();
    for case in text.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).expect("a line is JSON")) {
        let side = |key: &str| {
            let files = case[key].as_object().into_iter().flatten();
            snapshot(
                &files
                    .map(|(path, text)| (path.clone(), text.as_str().unwrap_or_default().to_owned()))
                    .collect::<OrderedMap<_, _>>(),
            )
        };
        let (old, new) = (side("old"), side("new"));
        for (mode, key) in [(Mode::Backward, "backward"), (Mode::Forward, "forward")] {
            let Some(expected) = case["confluent"][format!("{key}_compatible")].as_bool() else { continue };
            let profile = Profile::all().find(|profile| profile.name == "confluent").expect("it is listed");
            let profile = Some(profile.all_in_force(RuleSet::built_in()));
            let policy = Policy { mode, modes: [].into(), profile, ..Policy::default() };
            let labels = Pair::new("old".to_owned(), "new".to_owned());
            let sides = Pair::new(&old, &new);
            let options = CheckOptions::default();
            let report = check_snapshots(sides, &[Format::JsonSchema], &options, RuleSet::built_in(), &policy, labels);
            if (report.verdict == wireproof::vocabulary::Verdict::Compatible) != expected {
                wrong.push(format!("{} {key}: {:?}", case["id"], report.verdict));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
