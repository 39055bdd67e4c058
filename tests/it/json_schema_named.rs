//! JSON Schemas whose names do not say that they are: under a path that is named, or by `--type`.

use crate::git::{Place, commit, git_is_missing, repository, run};

const OLD: &str = r#"{"$schema": "http://json-schema.org/draft-07/schema#", "properties": {"a": {"type": "string"}}}"#;
const NEW: &str = r#"{"$schema": "http://json-schema.org/draft-07/schema#", "properties": {"a": {"type": "integer"}}}"#;
/// YAML says it in its own way.
const OLD_YAML: &str = "$schema: https://json-schema.org/draft/2020-12/schema\nproperties:\n  a: {type: string}\n";
const NEW_YAML: &str = "$schema: https://json-schema.org/draft/2020-12/schema\nproperties:\n  a: {type: integer}\n";
/// Data with a schema of their own, which is none of a schema.
const DATA: &str = r#"{"$schema": "https://json.schemastore.org/package.json", "name": "x", "version": "1"}"#;
const OTHER_DATA: &str = r#"{"$schema": "https://json.schemastore.org/package.json", "name": "x", "version": "2"}"#;

fn written(place: &Place, (json, yaml, data): (&str, &str, &str)) {
    place.write("api/order.json", json).write("schema/order.json", json).write("events/order.yaml", yaml);
    place.write("api/package.json", data).write("app/package.json", data);
}

/// Each way to name a schema, the configuration, and the exit code.
const WAYS: [(&[&str], &str, i32); 14] = [
    (&["."], "", 1),
    (&[], "roots:\n  api:\n    mode: backward\n", 1),
    (&[], "roots:\n  app:\n    mode: backward\n", 0),
    (&["api"], "", 1),
    (&["api/order.json"], "", 1),
    (&["api/package.json"], "", 2),
    (&["app"], "", 2),
    (&["events"], "", 1),
    // It is called as a command is.
    (&["schema"], "", 1),
    (&["--type", "json-schema"], "", 1),
    // It was said to be a schema, and says itself that it is something else.
    (&["app", "--type", "json-schema"], "", 3),
    (&[], "include: ['api/**']\n", 1),
    (&[], "include: ['app/**']\n", 2),
    (&[], "", 0),
];

#[test]
fn what_is_named_is_a_schema_where_it_says_so() {
    if git_is_missing() {
        return;
    }
    let place = repository();
    written(&place, (OLD, OLD_YAML, DATA));
    commit(&place, "base");
    written(&place, (NEW, NEW_YAML, OTHER_DATA));
    let of_work_tree =
        |options: &[&str]| run(&place.path(""), &[&["check", "--against", "git:HEAD"], options].concat());
    for (options, configuration, code) in WAYS {
        place.write("wireproof.yaml", configuration);
        let ran = of_work_tree(options);
        assert_eq!(ran.code, code, "{options:?} {configuration}\n{}{}", ran.out, ran.err);
        assert!(!ran.out.contains("package.json`"), "{options:?}\n{}", ran.out);
    }
    place.write("wireproof.yaml", "");
    commit(&place, "change");
    for (options, configuration, code) in WAYS.iter().filter(|(_, configuration, _)| configuration.is_empty()) {
        let versions = ["check", "--against", "git:HEAD^", "--head", "git:HEAD"];
        let ran = run(&place.path(""), &[&versions, *options].concat());
        assert_eq!(ran.code, *code, "{options:?} {configuration}\n{}{}", ran.out, ran.err);
    }
    let ran = run(&place.path(""), &["compare", "git:HEAD^:api", "git:HEAD:api"]);
    assert_eq!(ran.code, 1, "{}{}", ran.out, ran.err);
}

#[test]
fn folders_that_are_compared_are_named() {
    let place = Place::new();
    place.write("old/api/order.json", OLD).write("new/api/order.json", NEW);
    place.write("old/package.json", DATA).write("new/package.json", OTHER_DATA);
    let ran = run(&place.path(""), &["compare", "old", "new"]);
    assert_eq!(ran.code, 1, "{}{}", ran.out, ran.err);
    assert!(!ran.out.contains("package.json"), "{}", ran.out);
}

/// Two files of a language under names that are those of anything, and of descriptor sets among others.
#[test]
fn a_language_that_is_named_counts_for_a_file_whatever_it_is_called() {
    let languages = [
        ("avro", r#"{"type": "record", "name": "A", "fields": [{"name": "x", "type": "TYPE"}]}"#, ["int", "string"]),
        ("capnp", "@0xbf5147cbbecf4aaa;\nstruct A {\n  x @0 :TYPE;\n}\n", ["Int32", "Text"]),
        ("flatbuffers", "table A {\n  x: TYPE;\n}\n", ["int", "string"]),
        ("json-schema", r#"{"properties": {"x": {"type": "TYPE"}}}"#, ["string", "integer"]),
        ("thrift", "struct A {\n  1: TYPE x\n}\n", ["i32", "string"]),
    ];
    let place = Place::new();
    for (language, text, types) in languages {
        for ending in ["json", "bin", "pb", "json.gz", "txt"] {
            let names = ["a", "b"].map(|stem| format!("{stem}.{ending}"));
            for (name, ty) in names.iter().zip(types) {
                place.write(name, &text.replace("TYPE", ty));
            }
            let ran = run(&place.path(""), &["compare", &names[0], &names[1], "--type", language]);
            assert_eq!(ran.code, 1, "{language} {ending}: {}{}", ran.out, ran.err);
        }
    }
}

/// A schema that refers to a file beside it, which says nothing of itself.
#[test]
fn what_is_referred_to_need_not_say_what_it_is() {
    let place = Place::new();
    let holder = r#"{"$schema": "http://json-schema.org/draft-07/schema#", "properties": {"a": {"$ref": "parts.json#/definitions/A"}}}"#;
    for (side, ty) in [("old", "string"), ("new", "integer")] {
        place.write(format!("{side}/order.json"), holder);
        place.write(format!("{side}/parts.json"), &format!(r#"{{"definitions": {{"A": {{"type": "{ty}"}}}}}}"#));
    }
    let ran = run(&place.path(""), &["compare", "old", "new"]);
    assert_eq!(ran.code, 1, "{}{}", ran.out, ran.err);
    assert!(ran.out.contains("parts.json"), "{}", ran.out);
}
