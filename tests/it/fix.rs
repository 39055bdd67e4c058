//! `wireproof fix`: the edits of findings, made in the working tree, checked again and taken back where they do not hold.

use crate::git::{Place, commit, git_is_missing, report, repository, run};

const OLD: &str = "syntax = \"proto3\";\npackage shop.v1;\n\n// An order.\nmessage Order {\n  reserved 2;\n\n  string id = 1;  // the id\n  \
                   string note = 3;\n  int32 count = 4;\n  string gift = 6;\n}\n\nenum Kind {\n  NONE = 0;\n  SOME = 1;\n}\n";
const LESS: &str = "syntax = \"proto3\";\npackage shop.v1;\n\n// An order.\nmessage Order {\n  reserved 2;\n\n  string id = 1;  // the id\n}\n\n\
                    enum Kind {\n  NONE = 0;\n}\n";
const FIXED: &str = "syntax = \"proto3\";\npackage shop.v1;\n\n// An order.\nmessage Order {\n  reserved 2 to 4, 6;\n  \
                     reserved \"note\", \"count\", \"gift\";\n\n  string id = 1;  // the id\n}\n\n\
                     enum Kind {\n  reserved 1;\n  reserved \"SOME\";\n  NONE = 0;\n}\n";

/// A repository with a change in its working tree.
fn changed(files: &[(&str, &str, &str)]) -> Place {
    let place = repository();
    for (path, old, _) in files {
        place.write(path, old);
    }
    commit(&place, "base");
    for (path, _, new) in files {
        place.write(path, new);
    }
    place
}

fn text(place: &Place, path: &str) -> String {
    std::fs::read_to_string(place.path(path)).expect("it was written")
}

#[test]
fn what_was_removed_is_reserved_and_the_gate_is_green() {
    if git_is_missing() {
        return;
    }
    let avro = r#"{"type": "record", "name": "U", "fields": [{"name": "id", "type": "string"}FIELDS]}"#;
    let grown = avro.replace("FIELDS", r#", {"name": "nick", "type": ["null", "string"]}"#);
    let place = changed(&[("shop/order.proto", OLD, LESS), ("u.avsc", &avro.replace("FIELDS", ""), &grown)]);
    assert_eq!(run(&place.path(""), &["check"]).code, 1);

    let shown = run(&place.path(""), &["fix", "--dry-run"]);
    assert_eq!((shown.code, text(&place, "shop/order.proto").as_str()), (0, LESS), "{}{}", shown.out, shown.err);
    assert!(shown.out.contains("+  reserved 2 to 4, 6;\n") && shown.out.contains("would be fixed:"), "{}", shown.out);

    let ran = run(&place.path(""), &["fix"]);
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    assert_eq!(text(&place, "shop/order.proto"), FIXED);
    assert!(text(&place, "u.avsc").contains("\"default\": null"), "{}", text(&place, "u.avsc"));
    assert_eq!(ran.out.matches("protobuf/field-removed-unreserved").count(), 3, "{}", ran.out);
    assert_eq!(run(&place.path(""), &["check"]).code, 0);

    let again = run(&place.path(""), &["fix"]);
    assert_eq!(
        (again.code, again.out.as_str()),
        (0, "nothing to fix: no finding has an edit to offer\n"),
        "{}",
        again.err
    );
}

#[test]
fn the_patch_of_a_dry_run_is_one_that_git_applies() {
    if git_is_missing() {
        return;
    }
    let place = changed(&[("a b/order.proto", OLD, LESS)]);
    let shown = run(&place.path(""), &["fix", "--dry-run"]).out;
    let patch = shown.split("would be fixed:").next().expect("the patch comes first");
    place.write("fixes.patch", patch);
    crate::git::git(&place.path(""), &["apply", "fixes.patch"]);
    assert_eq!(text(&place, "a b/order.proto"), FIXED);
}

/// What is in a name is a part of the name, for git as well; what is in a file goes into the patch as it is.
#[cfg(unix)]
#[test]
fn odd_names_and_texts_come_through_a_patch() {
    if git_is_missing() {
        return;
    }
    for name in
        ["a\n--- b/c\n+++ b/c\n.proto", "a\tb.proto", "two words.proto", "q\"\\.proto", "\u{202e}ü\u{1b}[1m.proto"]
    {
        let (old, new) =
            (OLD.replace("the id", "\u{1b}[31m\u{202e} id\r"), LESS.replace("the id", "\u{1b}[31m\u{202e} id\r"));
        let place = changed(&[(name, &old, &new)]);
        let ran = run(&place.path(""), &["fix", "--dry-run"]);
        assert_eq!(ran.code, 0, "{name:?}{}{}", ran.out, ran.err);
        place.write("fixes.patch", &ran.out);
        crate::git::git(&place.path(""), &["apply", "fixes.patch"]);
        assert_eq!(text(&place, name), FIXED.replace("the id", "\u{1b}[31m\u{202e} id\r"), "{}", ran.out);
        assert!(!ran.out.lines().any(|line| line == "--- b/c"), "{}", ran.out);
    }
}

#[test]
fn what_history_freed_is_reserved() {
    if git_is_missing() {
        return;
    }
    let place = changed(&[("shop/order.proto", OLD, LESS)]);
    commit(&place, "drop some");
    let later = LESS.replacen("}\n", "  string tag = 40;\n}\n", 1);
    place.write("shop/order.proto", &later);
    let without = run(&place.path(""), &["fix"]);
    assert_eq!((without.code, text(&place, "shop/order.proto")), (0, later.clone()), "{}", without.err);
    let ran = run(&place.path(""), &["fix", "--history"]);
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    assert!(text(&place, "shop/order.proto").contains("  reserved 2 to 4, 6;\n"), "{}{}", ran.out, ran.err);
    let again = run(&place.path(""), &["fix", "--history"]);
    assert!(again.out.starts_with("nothing to fix"), "{}", again.out);
}

#[test]
fn only_what_is_named_is_fixed() {
    if git_is_missing() {
        return;
    }
    let place = changed(&[("order.proto", OLD, LESS)]);
    let ran = run(&place.path(""), &["fix", "--only", "enum-value-removed-unreserved"]);
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    assert_eq!(text(&place, "order.proto"), LESS.replace("  NONE", "  reserved 1;\n  reserved \"SOME\";\n  NONE"));
    let found = report(&run(&place.path(""), &["check", "--format", "json"]));
    let gift = found["findings"].as_array().expect("a list").iter().find(|one| one["path"] == "shop.v1.Order.gift");
    let id = gift.expect("it is not fixed yet")["id"].as_str().expect("a text").to_owned();
    let ran = run(&place.path(""), &["fix", "--only", &id[..8]]);
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    assert!(
        text(&place, "order.proto").contains("  reserved 2, 6;\n  reserved \"gift\";\n"),
        "{}",
        text(&place, "order.proto")
    );
    let ran = run(&place.path(""), &["fix", "--only", "no-such-rule"]);
    assert_eq!(ran.code, 2, "{}{}", ran.out, ran.err);
}

/// With another folder as the new side, a file of the same name here is none of its files.
#[test]
fn a_file_that_was_not_checked_is_not_touched() {
    if git_is_missing() {
        return;
    }
    let place = changed(&[("order.proto", "syntax = \"proto3\";\n", "syntax = \"proto3\";\n// elsewhere\n")]);
    place.write("before/order.proto", OLD).write("after/order.proto", LESS);
    let ran = run(&place.path(""), &["fix", "after", "--against", "before"]);
    assert_eq!(ran.code, 2, "{}{}", ran.out, ran.err);
    assert!(ran.err.contains("is not the text that was checked"), "{}", ran.err);
    assert_eq!(text(&place, "order.proto"), "syntax = \"proto3\";\n// elsewhere\n");
}

#[test]
fn what_could_not_be_judged_is_said_and_is_no_success() {
    if git_is_missing() {
        return;
    }
    let place = changed(&[("order.proto", OLD, LESS), ("broken.proto", "syntax = \"proto3\";\n", "message A {\n")]);
    for (options, is_fixed) in [(&["fix", "--dry-run"][..], false), (&["fix"], true)] {
        let ran = run(&place.path(""), options);
        assert_eq!(ran.code, 3, "{}{}", ran.out, ran.err);
        assert!(ran.out.contains("could not be judged: broken.proto: "), "{}", ran.out);
        assert_eq!(text(&place, "order.proto") == FIXED, is_fixed, "{}", ran.out);
    }
}

/// A name that is reserved must not be declared: what the edit would break is not broken.
#[test]
fn an_edit_that_does_not_hold_is_taken_back_and_others_stay() {
    if git_is_missing() {
        return;
    }
    let own = "id: avro/no-defaults\ntitle: No defaults\nfamily: default-added\nsince: 0.1.0\nclass: hygiene\nseverity: error\n\
               when: { change: field-added, facts: { default: \"yes\" } }\nimpact:\n  wire: { backward: safe, forward: safe }\n  \
               json: { backward: safe, forward: safe }\n  source: { backward: safe, forward: safe }\nmessage: \"no defaults here\"\n\
               why: because\nfix: none\nexamples: []\n";
    let avro = r#"{"type": "record", "name": "U", "fields": [{"name": "id", "type": "string"}FIELDS]}"#;
    let grown = avro.replace("FIELDS", r#", {"name": "nick", "type": ["null", "string"]}"#);
    let place = repository();
    place.write("own/rule.yaml", own).write("wireproof.yaml", "rules-dir: own\n");
    place.write("order.proto", OLD).write("u.avsc", &avro.replace("FIELDS", ""));
    commit(&place, "base");
    place.write("order.proto", LESS).write("u.avsc", &grown);
    let ran = run(&place.path(""), &["fix"]);
    assert_eq!(ran.code, 3, "{}{}", ran.out, ran.err);
    assert!(ran.out.contains("taken back") && ran.out.contains("u.avsc: no defaults here"), "{}", ran.out);
    assert_eq!((text(&place, "u.avsc"), text(&place, "order.proto")), (grown, FIXED.to_owned()), "{}", ran.out);
}

/// A value that lists lose is lost whether its number is reserved or not: what is left of a finding spoils no edit, neither its own
/// nor another one's.
#[test]
fn what_no_edit_takes_away_is_left_and_said() {
    if git_is_missing() {
        return;
    }
    let old = "syntax = \"proto2\";\nmessage M {\n  optional int32 gone = 1;\n  repeated E e = 2;\n}\nenum E {\n  A = 0;\n  B = 1;\n}\n";
    let new = old.replace("  optional int32 gone = 1;\n", "").replace("  B = 1;\n", "");
    let place = changed(&[("m.proto", old, &new)]);
    let ran = run(&place.path(""), &["fix"]);
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    assert!(ran.out.contains("1 finding that breaks has no edit to offer"), "{}", ran.out);
    let fixed = text(&place, "m.proto");
    assert!(fixed.contains("reserved \"gone\";") && fixed.contains("reserved \"B\";"), "{fixed}");
    assert_eq!(run(&place.path(""), &["check"]).code, 1);
}

/// What is declared cannot be reserved.
#[test]
fn a_name_that_is_used_is_not_reserved_again() {
    if git_is_missing() {
        return;
    }
    let old =
        "syntax = \"proto3\";\nmessage M {\n  reserved \"a\", \"b\";\n}\nenum E {\n  reserved \"B\";\n  A = 0;\n}\n";
    let new = "syntax = \"proto3\";\nmessage M {\n  int32 a = 1;\n}\nenum E {\n  A = 0;\n  B = 1;\n}\n";
    let place = changed(&[("m.proto", old, new)]);
    let ran = run(&place.path(""), &["fix"]);
    let fixed = text(&place, "m.proto");
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    assert!(fixed.contains("reserved \"b\";") && fixed.matches("reserved").count() == 1, "{fixed}");
}

#[test]
fn what_is_accepted_and_what_nobody_can_edit_stays() {
    if git_is_missing() {
        return;
    }
    let place = changed(&[("order.proto", OLD, &OLD.replace("int32 count", "string count"))]);
    let ran = run(&place.path(""), &["fix"]);
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    assert!(ran.out.contains("1 finding that breaks has no edit to offer"), "{}", ran.out);
    let place = changed(&[("order.proto", OLD, LESS)]);
    let ran = run(&place.path(""), &["accept", "--under", ".", "--reason", "nobody reads them"]);
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    let ran = run(&place.path(""), &["fix"]);
    assert_eq!((ran.code, text(&place, "order.proto").as_str()), (0, LESS), "{}{}", ran.out, ran.err);
}
