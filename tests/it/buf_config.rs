//! The configuration that users of buf have: what it means here, and that it means the same to `buf breaking`.
//!
//! The real `buf` 1.75 is looked for in `WIREPROOF_BUF` and on the search path. Where there is none, or another version,
//! nothing is compared with it; that is said loudly.

use std::collections::BTreeSet;
use std::process::Command;

use crate::buf::buf;
use crate::git::{Place, Ran, run};

/// The old and the new schemas: two folders, which are modules in some configurations.
const OLD: &[(&str, &str)] = &[
    (
        "one/a/a.proto",
        "syntax = \"proto3\";\npackage a.v1;\noption go_package = \"x\";\nmessage M { int32 x = 1; string y = 2; }\nmessage Away { int32 x = 1; }\n",
    ),
    (
        "one/a/deep/d.proto",
        "syntax = \"proto3\";\npackage a.deep.v1;\nmessage D { int32 x = 1; string old_name = 2; }\n",
    ),
    ("one/u/u.proto", "syntax = \"proto3\";\npackage u.v1beta1;\nmessage U { int32 x = 1; }\n"),
    ("one/gone.proto", "syntax = \"proto3\";\npackage gone.v1;\nmessage G { int32 x = 1; }\n"),
    ("one/demoted.proto", "syntax = \"proto3\";\npackage demoted.v1;\nmessage T { int32 x = 1; }\n"),
    ("one/keep.proto", "syntax = \"proto3\";\npackage a.v1;\nmessage Keep { int32 x = 1; }\n"),
    (
        "two/b/b.proto",
        "syntax = \"proto3\";\npackage b.v1;\nenum E { E_ZERO = 0; E_ONE = 1; }\nmessage B { E e = 1; string y = 2; }\n",
    ),
    ("two/other.proto", "syntax = \"proto3\";\npackage b.v1;\nmessage Keep { int32 x = 1; }\n"),
];

const NEW: &[(&str, &str)] = &[
    ("one/a/a.proto", "syntax = \"proto3\";\npackage a.v1;\noption go_package = \"y\";\nmessage M { string x = 1; }\n"),
    (
        "one/a/deep/d.proto",
        "syntax = \"proto3\";\npackage a.deep.v1;\nmessage D { repeated int32 x = 1; string new_name = 2; }\n",
    ),
    ("one/u/u.proto", "syntax = \"proto3\";\npackage u.v1beta1;\nmessage U { bool x = 1; }\n"),
    ("one/demoted.proto", "syntax = \"proto3\";\npackage demoted.v1beta1;\nmessage T { bool x = 1; }\n"),
    (
        "one/keep.proto",
        "syntax = \"proto3\";\npackage a.v1;\nmessage Keep { int32 x = 1; }\nmessage Away { bool x = 1; }\n",
    ),
    (
        "two/b/b.proto",
        "syntax = \"proto3\";\npackage b.v1;\nenum E { E_ZERO = 0; }\nmessage B { E e = 1; int64 y = 2; reserved 3; }\n",
    ),
    ("two/other.proto", "syntax = \"proto3\";\npackage b.v1;\nmessage Keep { int32 x = 1; }\n"),
];

/// Configurations that buf takes: a sentence, and the files of both sides.
const CONFIGURATIONS: &[(&str, &[(&str, &str)])] = &[
    ("no configuration is the category FILE", &[]),
    ("no section is the category FILE", &[("buf.yaml", "version: v2\n")]),
    ("an empty section is the category FILE", &[("buf.yaml", "version: v2\nbreaking: {}\n")]),
    ("a category", &[("buf.yaml", "version: v2\nbreaking:\n  use: [WIRE]\n")]),
    ("two categories are a union", &[("buf.yaml", "version: v2\nbreaking:\n  use: [WIRE, PACKAGE]\n")]),
    ("rules by their ids", &[("buf.yaml", "version: v2\nbreaking:\n  use: [FIELD_SAME_TYPE, FILE_SAME_GO_PACKAGE]\n")]),
    ("the category of the Confluent registry", &[("buf.yaml", "version: v2\nbreaking:\n  use: [CSR]\n")]),
    ("except without use", &[("buf.yaml", "version: v2\nbreaking:\n  except: [FIELD_SAME_TYPE]\n")]),
    (
        "except takes a category from another",
        &[("buf.yaml", "version: v2\nbreaking:\n  use: [FILE]\n  except: [WIRE_JSON]\n")],
    ),
    ("ignore a folder", &[("buf.yaml", "version: v2\nbreaking:\n  use: [FILE]\n  ignore: [one/a]\n")]),
    (
        "ignore a file, spelled in another way",
        &[("buf.yaml", "version: v2\nbreaking:\n  ignore: [./one/a/a.proto, two/b/]\n")],
    ),
    ("ignore a file that is gone", &[("buf.yaml", "version: v2\nbreaking:\n  ignore: [one/gone.proto]\n")]),
    (
        "ignore the place that something moved away from",
        &[("buf.yaml", "version: v2\nbreaking:\n  use: [WIRE]\n  ignore: [one/a/a.proto]\n")],
    ),
    (
        "ignore the place that something moved to",
        &[("buf.yaml", "version: v2\nbreaking:\n  use: [WIRE]\n  ignore: [one/keep.proto]\n")],
    ),
    (
        "ignore_only by rule and by category",
        &[("buf.yaml", "version: v2\nbreaking:\n  ignore_only:\n    FIELD_SAME_TYPE: [one/a]\n    WIRE: [two]\n")],
    ),
    (
        "ignore_only of a rule that is not used",
        &[("buf.yaml", "version: v2\nbreaking:\n  use: [WIRE]\n  ignore_only:\n    FILE: [one]\n")],
    ),
    (
        "packages that are not stable",
        &[("buf.yaml", "version: v2\nbreaking:\n  use: [WIRE]\n  ignore_unstable_packages: true\n")],
    ),
    ("no built-in rules", &[("buf.yaml", "version: v2\nbreaking:\n  disable_builtin: true\n")]),
    ("everything is ignored", &[("buf.yaml", "version: v2\nbreaking:\n  ignore: [.]\n")]),
    ("a path that matches nothing", &[("buf.yaml", "version: v2\nbreaking:\n  ignore: [absent, one/*]\n")]),
    (
        "modules under one section",
        &[(
            "buf.yaml",
            "version: v2\nmodules:\n  - path: one\n  - path: two\nbreaking:\n  use: [WIRE]\n  ignore: [one/a]\n",
        )],
    ),
    (
        "a module with a section of its own",
        &[(
            "buf.yaml",
            "version: v2\nmodules:\n  - path: one\n    breaking:\n      use: [WIRE]\n  - path: two\nbreaking:\n  use: [FILE]\n  ignore: [one/a, two/b]\n",
        )],
    ),
    (
        "sections of modules only",
        &[(
            "buf.yaml",
            "version: v2\nmodules:\n  - path: one\n    breaking:\n      use: [FIELD_SAME_TYPE]\n      ignore: [one/u]\n  - path: two\n    breaking:\n      use: [ENUM_VALUE_NO_DELETE]\n",
        )],
    ),
    (
        "a module with an empty section",
        &[(
            "buf.yaml",
            "version: v2\nmodules:\n  - path: one\n    breaking: {}\n  - path: two\n    breaking:\n      use: [WIRE]\nbreaking:\n  use: [WIRE_JSON]\n",
        )],
    ),
    (
        "a module that leaves files out",
        &[(
            "buf.yaml",
            "version: v2\nmodules:\n  - path: one\n    excludes: [one/a]\n  - path: two\nbreaking:\n  use: [FILE]\n",
        )],
    ),
    (
        "a module that takes some files only",
        &[(
            "buf.yaml",
            "version: v2\nmodules:\n  - path: one\n    includes: [one/a]\n  - path: two\nbreaking:\n  use: [FILE]\n",
        )],
    ),
    (
        "another configuration inside of a module",
        &[
            ("buf.yaml", "version: v2\nmodules:\n  - path: one\n  - path: two\nbreaking:\n  use: [WIRE]\n"),
            ("one/buf.yaml", "version: v1\nbreaking:\n  use: [FILE]\n"),
        ],
    ),
    ("version v1", &[("buf.yaml", "version: v1\nbreaking:\n  use: [WIRE_JSON]\n  except: [FIELD_SAME_ONEOF]\n")]),
    (
        "version v1 with paths",
        &[(
            "buf.yaml",
            "version: v1\nname: buf.build/acme/shop\ndeps: []\nbreaking:\n  ignore: [one/a]\n  ignore_only:\n    FILE_NO_DELETE: [one/gone.proto]\n",
        )],
    ),
    ("version v1 that leaves files out", &[("buf.yaml", "version: v1\nbuild:\n  excludes: [one/a]\nbreaking: {}\n")]),
    ("a deprecated rule", &[("buf.yaml", "version: v1\nbreaking:\n  use: [FIELD_SAME_LABEL]\n")]),
    (
        "version v1 and packages that are not stable",
        &[("buf.yaml", "version: v1\nbreaking:\n  use: [FILE]\n  ignore_unstable_packages: true\n")],
    ),
    (
        "files in no module",
        &[("buf.yaml", "version: v2\nmodules:\n  - path: one\nbreaking:\n  use: [FILE]\n  ignore: [one/a]\n")],
    ),
    (
        "a configuration outside of the workspace",
        &[
            ("buf.work.yaml", "version: v1\ndirectories: [one]\n"),
            ("one/buf.yaml", "version: v1\nbreaking:\n  use: [WIRE]\n"),
            ("two/buf.yaml", "version: v1\nbreaking:\n  use: [FILE]\n"),
        ],
    ),
    (
        "a workspace of version v1",
        &[
            ("buf.work.yaml", "version: v1\ndirectories: [one, two]\n"),
            ("one/buf.yaml", "version: v1\nbreaking:\n  use: [WIRE]\n  ignore: [a]\n"),
            ("two/buf.yaml", "version: v1\nbreaking:\n  use: [FILE]\n"),
        ],
    ),
    ("version v1beta1", &[("buf.yaml", "version: v1beta1\nbreaking:\n  use: [WIRE]\n")]),
    (
        "version v1beta1 with several roots",
        &[(
            "buf.yaml",
            "version: v1beta1\nbuild:\n  roots: [one, two]\nbreaking:\n  ignore: [a]\n  ignore_only:\n    ENUM_VALUE_NO_DELETE: [b]\n",
        )],
    ),
];

fn repository(configuration: &[(&str, &str)]) -> Place {
    let place = Place::new();
    for (side, files) in [("old", OLD), ("new", NEW)] {
        for (path, text) in files.iter().chain(configuration) {
            place.write(format!("{side}/{path}"), text);
        }
    }
    place
}

/// Rule and file of each line.
fn told(text: &str, folder: &str) -> BTreeSet<(String, String)> {
    let line = |line: &str| {
        let line: serde_json::Value = serde_json::from_str(line).expect("each line is an object");
        let path = line["path"].as_str().unwrap_or_default();
        (line["type"].as_str().unwrap_or_default().to_owned(), path.strip_prefix(folder).unwrap_or(path).to_owned())
    };
    text.lines().map(line).collect()
}

fn ours(place: &Place) -> Ran {
    run(&place.path(""), &["compare", "old", "new", "--format", "buf"])
}

#[test]
fn every_configuration_means_what_it_means_to_buf() {
    let Some(buf) = buf() else { return };
    let mut wrong = Vec::new();
    for (name, configuration) in CONFIGURATIONS {
        let place = repository(configuration);
        let output = Command::new(&buf)
            .args(["breaking", "new", "--against", "old", "--error-format", "json"])
            .current_dir(place.path(""))
            .output()
            .expect("it ran a moment ago");
        let (theirs, ours) = (told(&String::from_utf8_lossy(&output.stdout), "new/"), ours(&place));
        let said = told(&ours.out, "");
        let codes = (output.status.code().unwrap_or(-1), ours.code);
        if said != theirs || !matches!(codes, (0, 0) | (100, 1)) {
            let missing: Vec<_> = theirs.difference(&said).collect();
            let more: Vec<_> = said.difference(&theirs).collect();
            let errors = String::from_utf8_lossy(&output.stderr);
            wrong
                .push(format!("{name}: {codes:?}\n  only buf: {missing:?}\n  only we: {more:?}\n{errors}{}", ours.err));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Where buf gives up and we do not: modules are paired by name and folder here, and by their order there.
#[test]
fn a_module_that_is_gone_is_judged_by_what_was_said_of_it() {
    let place = repository(&[]);
    let two = "version: v2\nmodules:\n  - path: one\n    breaking:\n      use: [FIELD_SAME_TYPE]\n  - path: two\n    name: buf.build/acme/two\n    breaking:\n      use: [FILE_NO_DELETE]\n";
    place.write("old/buf.yaml", two);
    place.write("new/buf.yaml", "version: v2\nmodules:\n  - path: one\n    breaking:\n      use: [FIELD_SAME_TYPE]\n");
    std::fs::remove_dir_all(place.path("new/two")).expect("it was written");
    let ran = ours(&place);
    let rules: BTreeSet<String> = told(&ran.out, "").into_iter().map(|(rule, _)| rule).collect();
    assert_eq!(rules, ["FIELD_SAME_TYPE", "FILE_NO_DELETE"].map(str::to_owned).into(), "{}{}", ran.out, ran.err);
    let ran = run(&place.path(""), &["compare", "old", "new"]);
    assert!(ran.out.contains("does not have the module `two` (buf.build/acme/two) any more"), "{}", ran.out);
    if let Some(buf) = buf() {
        let output =
            Command::new(buf).args(["breaking", "new", "--against", "old"]).current_dir(place.path("")).output();
        assert_eq!(
            output.expect("it ran a moment ago").status.code(),
            Some(1),
            "buf compares modules of different number now"
        );
    }
}

#[test]
fn a_module_that_moved_is_the_same_module() {
    let place = Place::new();
    let order = |kind: &str| format!("syntax = \"proto3\";\npackage shop.v1;\nmessage Order {{ {kind} id = 1; }}\n");
    let config = |path: &str| {
        format!(
            "version: v2\nmodules:\n  - path: {path}\n    name: buf.build/acme/shop\n    breaking:\n      ignore: [{path}/gone]\n"
        )
    };
    place.write("old/proto/shop/order.proto", &order("int32")).write("old/buf.yaml", &config("proto"));
    place.write("old/proto/gone/a.proto", "syntax = \"proto3\";\npackage gone;\nmessage A {}\n");
    place.write("new/api/shop/order.proto", &order("int32")).write("new/buf.yaml", &config("api"));
    let ran = ours(&place);
    assert_eq!((ran.code, ran.out.as_str()), (0, ""), "{}", ran.err);
    place.write("new/api/shop/order.proto", &order("string"));
    let ran = ours(&place);
    assert_eq!(told(&ran.out, ""), [("FIELD_SAME_TYPE".to_owned(), "api/shop/order.proto".to_owned())].into());
}

#[test]
fn without_a_section_nothing_changes() {
    let verdict = |place: &Place| run(&place.path(""), &["compare", "old", "new", "-q"]).out;
    let expected = verdict(&repository(&[]));
    for text in ["version: v2\n", "version: v2\nlint:\n  use: [STANDARD]\n", "version: v2\nbreaking:\n"] {
        let place = repository(&[("buf.yaml", text)]);
        assert_eq!(verdict(&place), expected, "{text}");
        let said = run(&place.path(""), &["compare", "old", "new"]).out;
        assert!(said.contains("`--profile buf/FILE` judges as `buf breaking` would"), "{text}{said}");
    }
}

#[test]
fn a_module_at_another_path_is_named_as_the_cause() {
    let place = Place::new();
    let config = |path: &str| format!("version: v2\nmodules: [{{path: {path}}}]\nbreaking: {{use: [FILE]}}\n");
    for (side, path) in [("old", "."), ("new", "shop")] {
        place.write(format!("{side}/shop/a.proto"), "syntax = \"proto3\";\npackage shop;\nmessage A {}\n");
        place.write(format!("{side}/buf.yaml"), &config(path));
    }
    let said = |sides: [&str; 2]| {
        let out = run(&place.path(""), &[&["compare"][..], &sides].concat()).out;
        out.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let words =
        "does not have the module `.` any more, so what it lost is judged by the old buf.yaml; new there is `shop`";
    let out = said(["old", "new"]);
    assert!(out.contains(words), "{out}");
    let words =
        "the module `shop` is `.` in the new version: where a module's path changes, buf takes its files for deleted";
    let out = said(["new", "old"]);
    assert!(out.contains(words), "{out}");
}

#[test]
fn the_first_lines_say_who_decides() {
    let place = repository(&[("buf.yaml", "version: v2\nbreaking:\n  use: [FIELD_SAME_TYPE]\n  ignore: [two]\n")]);
    let ran = run(&place.path(""), &["compare", "old", "new", "-v"]);
    assert_eq!(ran.code, 1);
    for words in [
        "protobuf judged as buf/FIELD_SAME_TYPE (buf.yaml:2)",
        "for protobuf, buf decides: what it reports breaks",
        "buf ignores this place (buf.yaml:2): the finding is a note.",
        "buf lets this through (no rule of buf.yaml:2 covers it): the finding is a warning.",
    ] {
        // Lines are wrapped.
        let text = ran.out.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(text.contains(words), "{words}\n{}", ran.out);
    }
    let ran = run(&place.path(""), &["compare", "old", "new", "--format", "json"]);
    let report: serde_json::Value = serde_json::from_str(&ran.out).expect("JSON");
    assert_eq!(report["judged_by"][0]["source"], "buf.yaml:2");
    assert_eq!(report["judged_by"][0]["profile"], "buf/FIELD_SAME_TYPE");
}

#[test]
fn the_configuration_of_a_library_is_not_said_to_decide_everything() {
    let place = Place::new();
    for (side, number) in [("old", 1), ("new", 2)] {
        place.write(format!("{side}/shop/a.proto"), "syntax = \"proto3\";\npackage shop;\nmessage A {}\n");
        let text = format!("syntax = \"proto3\";\npackage lib;\nmessage B {{ string id = {number}; }}\n");
        place.write(format!("{side}/vendor/lib/b.proto"), &text);
        place.write(format!("{side}/vendor/lib/buf.yaml"), "version: v2\nbreaking: {use: [FILE]}\n");
    }
    let ran = run(&place.path(""), &["compare", "old", "new", "-v"]);
    let text = ran.out.split_whitespace().collect::<Vec<_>>().join(" ");
    for words in [
        "protobuf judged as buf/FILE below vendor/lib (vendor/lib/buf.yaml:2)",
        "for protobuf below vendor/lib, buf decides: what it reports breaks",
    ] {
        assert!(text.contains(words), "{words}\n{}", ran.out);
    }
}

#[test]
fn what_is_said_to_us_wins_over_what_is_said_to_buf() {
    let place = repository(&[("buf.yaml", "version: v2\nbreaking:\n  use: [FILE_SAME_SYNTAX]\n")]);
    let compare = |options: &[&str]| run(&place.path(""), &[&["compare", "old", "new"], options].concat());
    assert_eq!(compare(&[]).code, 0);
    for (options, words) in [
        (&["--mode", "full"][..], "`--mode full` decides"),
        (&["--profile", "buf/WIRE"], "`--profile buf/WIRE` decides"),
    ] {
        let ran = compare(options);
        assert_eq!(ran.code, 1, "{options:?}");
        assert!(ran.out.contains("(line 2) is not in force") && ran.out.contains(words), "{options:?}: {}", ran.out);
    }
    assert_eq!(compare(&["--no-config"]).code, 1);
    place.write("wireproof.yaml", "mode: full\n");
    let ran = compare(&[]);
    assert_eq!(ran.code, 1);
    assert!(ran.out.contains("`mode: full` in wireproof.yaml decides"), "{}", ran.out);
    place.write("wireproof.yaml", "surfaces: [wire, json]\n");
    assert_eq!(compare(&[]).code, 0, "what speaks of no mode leaves it to buf");
}

#[test]
fn a_named_buf_yaml_counts_for_everything() {
    let place = repository(&[]);
    place.write("conf/buf.yaml", "version: v2\nbreaking:\n  use: [FILE_SAME_SYNTAX]\n");
    assert_eq!(run(&place.path(""), &["compare", "old", "new"]).code, 1);
    assert_eq!(run(&place.path(""), &["compare", "old", "new", "--config", "conf/buf.yaml"]).code, 0);
}

#[test]
fn what_buf_refuses_is_refused_with_its_place() {
    let place = repository(&[("buf.yaml", "version: v2\nbreaking:\n  use: [FILE]\n  except: [FIEL_SAME_TYPE]\n")]);
    let ran = run(&place.path(""), &["compare", "old", "new"]);
    assert_eq!(ran.code, 2, "{}", ran.out);
    assert!(ran.err.contains("buf.yaml:4:12") && ran.err.contains("did you mean `FIELD_SAME_TYPE`?"), "{}", ran.err);
}

#[test]
fn a_path_that_matches_nothing_is_told() {
    let place = repository(&[("buf.yaml", "version: v2\nbreaking:\n  ignore: [one/*]\n")]);
    let ran = run(&place.path(""), &["compare", "old", "new"]);
    assert!(ran.out.contains("`one/*` matches no file, old or new"), "{}", ran.out);
    assert!(ran.out.contains("(buf.yaml:3:12)"), "{}", ran.out);
}
