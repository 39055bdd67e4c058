//! Broken, hostile and absent input in JSON Schema, through the program: a message at its exact place, never a panic and
//! never a pass.

use crate::bad_input::{compare, write};
use crate::bad_input_avro::errors;
use crate::git::Place;

/// What is refused, by its place and its first words.
#[test]
fn what_is_no_schema_is_refused_at_its_place() {
    let deep = "{\"not\": ".repeat(200) + "{}" + &"}".repeat(200);
    let cases: Vec<(&str, &str, &str)> = vec![
        ("bytes", "\u{0}\u{0}", "1:1 "),
        ("list", "[]", "1:1 this is JSON, and no schema"),
        ("open", "{\"type\": ", "1:10 "),
        (
            "dialect",
            "{\"$schema\": \"https://example.com/own\"}",
            "1:13 the dialect \"https://example.com/own\" is not known",
        ),
        ("nothing", "{\"$ref\": \"#/$defs/x\"}", "1:10 `#/$defs/x` refers to nothing"),
        ("anchor", "{\"properties\": {\"a\": {\"$ref\": \"#x\"}}}", "1:31 `#x` refers to nothing"),
        (
            "anchors",
            "{\"$defs\": {\"a\": {\"$anchor\": \"x\"},\n\"b\": {\"$anchor\": \"x\"}}}",
            "2:18 the anchor `x` names a second schema, beside `#/$defs/a`",
        ),
        ("twice", "{\"type\": \"string\",\n\"type\": \"null\"}", "2:1 the key `type` stands twice in this object"),
        ("type", "{\"type\": \"strnig\"}", "1:10 this is no valid schema"),
        ("required", "{\"required\": \"a\"}", "1:14 this is no valid schema"),
        ("large", "{\"maximum\": 1e999}", "1:13 a number is too large to be compared"),
        ("deep", &deep, "1:"),
    ];
    let place = Place::new();
    for (name, text, _) in &cases {
        write(&place, &format!("new/{name}.schema.json"), text.as_bytes());
    }
    write(&place, "old/good.schema.json", b"{}");
    write(&place, "new/good.schema.json", b"{}");
    let ran = compare(&place, &["--format", "json"]);
    assert_eq!(ran.code, 3, "{}", ran.err);
    let errors = errors(&ran);
    let none = Vec::new();
    let told = |name: &str| errors.get(&format!("{name}.schema.json")).unwrap_or(&none);
    let missed: Vec<String> = cases
        .iter()
        .filter(|(name, _, said)| !told(name).iter().any(|error| error.starts_with(said)))
        .map(|(name, _, said)| format!("{name}: expected `{said}`, told {:#?}", told(name)))
        .collect();
    assert!(missed.is_empty(), "{}", missed.join("\n"));
    assert!(!errors.contains_key("good.schema.json"), "{errors:#?}");
}

/// What is valid and hostile ends, and is no pass where it could not be told.
#[test]
fn hostile_schemas_end() {
    let many = |count: usize, last: &str| {
        let branches: Vec<String> = (0..count).map(|at| format!("{{\"const\": {at}}}")).collect();
        format!("{{\"anyOf\": [{}, {last}]}}", branches.join(", "))
    };
    let (x, y) = ("{\"const\": \"x\"}", "{\"const\": \"y\"}");
    for (name, old, new, codes) in [
        (
            "length",
            r#"{"required": ["a"], "properties": {"a": {"minLength": 9007199254740991, "type": "string"}}}"#.to_owned(),
            r#"{"required": ["a"], "properties": {"a": {"minLength": 9e200}}}"#.to_owned(),
            &[0, 1, 3][..],
        ),
        ("ring", "{\"$ref\": \"#\"}".to_owned(), "{\"allOf\": [{\"$ref\": \"#\"}]}".to_owned(), &[0, 3][..]),
        (
            "pattern",
            "{\"type\": \"string\", \"pattern\": \"^(a+)+$\"}".to_owned(),
            "{\"type\": \"string\", \"pattern\": \"^(a|aa)+$\"}".to_owned(),
            &[0, 1, 3],
        ),
        ("branches", many(2_000, x), many(2_000, y), &[1]),
        ("many branches", many(10_000, x), many(10_000, y), &[1, 3]),
    ] {
        let place = Place::new();
        write(&place, "old/a.schema.json", old.as_bytes());
        write(&place, "new/a.schema.json", new.as_bytes());
        let ran = compare(&place, &[]);
        assert!(codes.contains(&ran.code), "{name}: {} {}", ran.code, ran.err);
    }
}
