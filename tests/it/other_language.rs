//! Files that hold another schema language than their names say.

use crate::git::{Place, Ran, commit, git, git_is_missing, run};

const AVRO: &str =
    "{\n  \"type\": \"record\", \"name\": \"Order\",\n  \"fields\": [{\"name\": \"id\", \"type\": \"string\"}]\n}\n";
const JSON_SCHEMA: &str = "{\n  \"type\": \"object\",\n  \"properties\": {\"id\": {\"type\": \"string\"}}\n}\n";
/// Nothing but a word, which an Avro type may be called as well.
const WORD: &str = "{\"type\": \"object\"}\n";

/// `old/` and `new/` with these files: side and path, text.
fn sides(files: &[(&str, &str)]) -> Place {
    let place = Place::new();
    for side in ["old", "new"] {
        std::fs::create_dir_all(place.path(side)).expect("a folder can be made");
    }
    for (path, text) in files {
        place.write(path, text);
    }
    place
}

fn json(ran: &Ran) -> serde_json::Value {
    serde_json::from_str(&ran.out).unwrap_or_else(|error| panic!("{error}: {}{}", ran.out, ran.err))
}

/// How the program ends, and what it says: rules, and problems with how grave they are.
fn said(place: &Place, arguments: &[&str]) -> (i32, Vec<String>, Vec<String>) {
    let ran = run(&place.path(""), &[arguments, &["--format", "json"]].concat());
    let report = json(&ran);
    let list = |name: &str| report[name].as_array().cloned().unwrap_or_default();
    let text = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
    let rules = list("findings").iter().map(|finding| text(&finding["rule"])).collect();
    let problem = |one: &serde_json::Value| format!("{} {}", text(&one["severity"]), text(&one["message"]));
    (ran.code, rules, list("problems").iter().map(problem).collect())
}

fn rule(name: &str) -> Vec<String> {
    vec![name.to_owned()]
}

#[test]
fn nobody_reads_the_one_with_the_other() {
    for (path, old, new) in [
        ("order.avsc", AVRO, JSON_SCHEMA),
        ("order.avsc", JSON_SCHEMA, AVRO),
        ("order.avsc", AVRO, WORD),
        ("order.avsc", WORD, AVRO),
        ("order.schema.json", JSON_SCHEMA, AVRO),
        ("order.schema.json", AVRO, WORD),
    ] {
        let place = sides(&[(&format!("old/{path}"), old), (&format!("new/{path}"), new)]);
        let language = if path.ends_with("avsc") { "avro" } else { "json-schema" };
        let is_told = rule(&format!("{language}/language-changed"));
        for (mode, code) in [("backward", 1), ("forward", 1), ("full-transitive", 1), ("none", 0)] {
            let expected = (code, is_told.clone(), Vec::new());
            assert_eq!(said(&place, &["compare", "old", "new", "--mode", mode]), expected, "{path} {old} {new} {mode}");
        }
        for (mode, code) in [("backward", 1), ("none", 0)] {
            let judged = said(&place, &["compare", "old", "new", "--mode", mode, "--profile", "confluent"]);
            assert_eq!(judged, (code, is_told.clone(), Vec::new()), "{path} {old} {new} {mode}, as the registry");
        }
    }
}

#[test]
fn two_files_may_be_called_what_they_like() {
    let place = sides(&[("v1.avsc", AVRO), ("v2.avsc", WORD)]);
    assert_eq!(said(&place, &["compare", "v1.avsc", "v2.avsc"]), (1, rule("avro/language-changed"), Vec::new()));
}

/// Whatever lies beside the two.
#[test]
fn a_file_among_others_is_told_once() {
    let place = sides(&[("old/a.avsc", AVRO), ("new/a.avsc", WORD), ("new/b.avsc", WORD), ("old/b.avsc", AVRO)]);
    let ran = run(&place.path(""), &["compare", "old/a.avsc", "new/a.avsc", "--format", "json"]);
    assert_eq!((ran.code, &json(&ran)["stats"]["changes"]), (1, &serde_json::json!(1)), "{}", ran.out);
}

#[test]
fn what_is_no_schema_of_the_language_on_both_sides_is_not_established() {
    for text in [JSON_SCHEMA, WORD] {
        let place = sides(&[("old/order.avsc", WORD), ("new/order.avsc", text)]);
        let (code, rules, problems) = said(&place, &["compare", "old", "new"]);
        assert_eq!((code, rules), (3, Vec::new()), "{text}");
        assert!(problems.iter().all(|one| one.starts_with("error this is a JSON Schema")), "{problems:?}");
        let added = sides(&[("new/order.avsc", text)]);
        assert_eq!(said(&added, &["compare", "old", "new"]).0, 3, "{text}");
    }
}

/// What the help advises is no break.
#[test]
fn a_json_schema_may_leave_for_a_file_of_its_own_name() {
    let place = sides(&[("old/order.avsc", JSON_SCHEMA), ("new/order.schema.json", JSON_SCHEMA)]);
    let (code, rules, problems) = said(&place, &["compare", "old", "new"]);
    assert_eq!((code, rules), (0, rule("json-schema/document-added")));
    assert_eq!(problems, ["warning this is a JSON Schema, which no implementation of Avro reads"]);
}

/// A type that moved to another file goes on there, and is compared.
#[test]
fn what_the_file_held_may_stand_elsewhere_now() {
    let place = sides(&[
        ("old/order.avsc", AVRO),
        ("new/order.avsc", JSON_SCHEMA),
        ("new/orders/order.avsc", &AVRO.replace("string", "long")),
    ]);
    let (code, rules, _) = said(&place, &["compare", "old", "new"]);
    assert_eq!(code, 1);
    for rule in ["avro/language-changed", "avro/type-changed", "avro/type-moved"] {
        assert!(rules.iter().any(|one| one == rule), "{rule} in {rules:?}");
    }
}

/// Nobody is kept from changing one file by what stands in another one.
#[test]
fn what_was_there_before_does_not_fail_a_check() {
    if git_is_missing() {
        return;
    }
    let place = Place::new();
    place.write("schemas/order.avsc", AVRO);
    place.write("schemas/item.avsc", JSON_SCHEMA);
    git(&place.path(""), &["init", "--quiet"]);
    commit(&place, "both");
    place.write(
        "schemas/order.avsc",
        &AVRO.replace("string\"}", "string\"}, {\"name\": \"n\", \"type\": \"int\", \"default\": 0}"),
    );
    let (code, rules, problems) = said(&place, &["check", "--against", "HEAD", "--full"]);
    assert_eq!((code, rules), (0, rule("avro/field-added")), "{problems:?}");
    assert!(problems.iter().all(|one| one.starts_with("warning ")), "{problems:?}");
}
