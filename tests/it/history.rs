//! `check --history`: the versions before the base, from commits, tags and folders.

use serde_json::Value;

use crate::git::{Place, Ran, git, git_is_missing, run};

fn schema(fields: &str) -> String {
    format!("syntax = \"proto3\";\npackage shop;\nmessage Order {{\n  int32 id = 1;\n{fields}}}\n")
}

/// A number that was freed long ago, with its last use in the first commit; the work tree takes it again.
fn reused() -> Place {
    let place = Place::new();
    git(&place.path(""), &["init", "-q", "-b", "main", "."]);
    for (file, text) in [
        ("shop.proto", schema("  string note = 2;\n")),
        ("README", "no schema".to_owned()),
        ("shop.proto", schema("")),
        ("shop.proto", schema("  string tag = 3;\n")),
    ] {
        place.write(file, &text);
        commit(&place);
    }
    place.write("shop.proto", &schema("  string tag = 3;\n  int32 weight = 2;\n"));
    place
}

fn commit(place: &Place) -> String {
    git(&place.path(""), &["add", "-A"]);
    git(&place.path(""), &["commit", "-q", "-m", "a change"]);
    git(&place.path(""), &["rev-parse", "--short=7", "HEAD"])
}

fn check(place: &Place, arguments: &[&str]) -> Ran {
    run(&place.path(""), &[&["check"], arguments].concat())
}

fn report(place: &Place, arguments: &[&str]) -> (i32, Value) {
    let ran = check(place, &[&["--format", "json"], arguments].concat());
    (ran.code, serde_json::from_str(&ran.out).unwrap_or_else(|_| panic!("no report: {}", ran.err)))
}

fn names(report: &Value) -> Vec<String> {
    let versions = report["versions"].as_array().expect("versions");
    versions.iter().map(|version| version["name"].as_str().unwrap_or_default().to_owned()).collect()
}

#[test]
fn what_two_versions_hide_the_commits_before_them_show() {
    if git_is_missing() {
        return;
    }
    let place = reused();
    assert_eq!(check(&place, &[]).code, 0);
    let (_, plain) = report(&place, &["--history"]);
    let breaks = plain["findings"].as_array().expect("findings").iter().filter(|one| one["breaking"] == true);
    let breaks: Vec<&Value> = breaks.map(|one| &one["rule"]).collect();
    assert_eq!(
        breaks,
        ["policy/number-reused"],
        "earlier versions do not count in this mode, and what they freed does"
    );
    let (code, report) = report(&place, &["--mode", "full-transitive"]);
    assert_eq!(code, 1);
    let versions = names(&report);
    assert_eq!(versions.len(), 3, "the commit without a schema is none: {versions:?}");
    assert!(versions[0].ends_with(" (2020-02-02)") && versions[2].starts_with("git:"), "{versions:?}");
    let findings = report["findings"].as_array().expect("findings");
    let is_felt = |one: &&Value| one["breaking"] == true && one["rule"] != "policy/number-reused";
    let reuse = findings.iter().find(is_felt).expect("it breaks");
    assert_eq!(reuse["path"], "shop.Order.weight");
    assert_eq!(reuse["versions"][0]["breaking"], true);
    assert_eq!(reuse["versions"][2]["found"], false);
    let text = check(&place, &["--mode", "full-transitive"]).out;
    let line = text.lines().take(2).collect::<Vec<_>>().join(" ");
    assert!(line.contains("working tree against 3 versions, "), "{text}");
    assert!(text.contains(" --history"), "the command that accepts it: {text}");
}

#[test]
fn what_is_accepted_stays_so_for_the_versions_before() {
    if git_is_missing() {
        return;
    }
    let place = reused();
    let (_, told) = report(&place, &["--mode", "full-transitive"]);
    let findings = told["findings"].as_array().expect("findings");
    for finding in findings.iter().filter(|one| one["breaking"] == true) {
        let id = finding["id"].as_str().expect("an id");
        let accepted = run(
            &place.path(""),
            &["accept", id, "--reason", "it was never sent", "--history", "--mode", "full-transitive"],
        );
        assert_eq!(accepted.code, 0, "{}", accepted.err);
    }
    let (code, told) = report(&place, &["--mode", "full-transitive"]);
    assert_eq!(code, 0);
    let rules: Vec<&str> =
        told["findings"].as_array().expect("findings").iter().filter_map(|one| one["rule"].as_str()).collect();
    assert!(!rules.iter().any(|rule| rule.starts_with("policy/waiver-u")), "the waiver is needed: {rules:?}");
    commit(&place);
    place.write("shop.proto", &schema("  string tag = 3;\n  int32 weight = 2;\n  int32 more = 4;\n"));
    assert_eq!(report(&place, &["--mode", "full-transitive"]).0, 0, "nor does it come back with the next change");
}

#[test]
fn how_far_back_was_looked_is_told() {
    if git_is_missing() {
        return;
    }
    let place = reused();
    place.write("wireproof.yaml", "mode: full-transitive\nhistory:\n  depth: 1\nrules:\n  policy/number-reused: off\n");
    // The base has it as well: a rule that only the change turns off is judged all the same.
    git(&place.path(""), &["add", "wireproof.yaml"]);
    git(&place.path(""), &["commit", "-q", "-m", "terms"]);
    let (code, told) = report(&place, &[]);
    assert_eq!((code, names(&told).len()), (0, 2));
    assert!(told["not_checked"].to_string().contains("1 before the base are looked at"), "{}", told["not_checked"]);
    let elsewhere = Place::new();
    let url = format!("file://{}", place.path("").display());
    git(&elsewhere.path(""), &["clone", "-q", "--depth", "2", &url, "."]);
    elsewhere.write("shop.proto", &schema("  string tag = 3;\n  int32 weight = 2;\n"));
    let (_, told) = report(&elsewhere, &["--against", "git:HEAD", "--history"]);
    assert!(told["not_checked"].to_string().contains("this clone is shallow"), "{}", told["not_checked"]);
}

#[test]
fn tags_are_versions_in_natural_order() {
    if git_is_missing() {
        return;
    }
    let place = reused();
    let top = place.path("");
    git(&top, &["tag", "v10", "HEAD~1"]);
    git(&top, &["tag", "-a", "-m", "annotated", "v9", "HEAD~3"]);
    git(&top, &["tag", "other", "HEAD~2"]);
    let blob = git(&top, &["rev-parse", "HEAD:README"]);
    git(&top, &["tag", "v11", &blob]);
    let (code, told) = report(&place, &["--history=tags:v*", "--mode", "full-transitive"]);
    assert_eq!(code, 1);
    let names = names(&told);
    assert_eq!((names[0].as_str(), names[1].as_str(), names.len()), ("v9 (2020-02-02)", "v10 (2020-02-02)", 3));
    assert!(
        told["not_checked"].to_string().contains("the tag `v11`: it leads to no commit"),
        "{}",
        told["not_checked"]
    );
    let none = check(&place, &["--history=tags:release-*"]);
    assert!(none.code == 3 && none.err.contains("no tag matches"), "{} {}", none.code, none.err);
}

#[test]
fn folders_side_by_side_are_versions() {
    let place = Place::new();
    let start = |fields: &str| schema(fields).replace("package shop;", "package shop;\n");
    place
        .write("orders/v1/a.proto", &start("  string note = 2;\n"))
        .write("orders/v2/a.proto", &start("  reserved 2;\n"))
        .write("orders/v10/a.proto", &start("  int32 weight = 2;\n"));
    let (_, told) = report(&place, &["--history=dir:orders/v*", "--mode", "full-transitive"]);
    assert_eq!(names(&told), ["orders/v1", "orders/v2"]);
    assert_eq!(told["new"]["source"], "orders/v10");
    assert_eq!(told["verdict"], "breaking");
    let refused = check(&place, &["--history=dir:*/v*"]);
    assert!(refused.code == 2 && refused.err.contains("side by side"), "{}", refused.err);
    let refused = check(&place, &["--history=dir:orders/v1"]);
    assert!(refused.code == 2 && refused.err.contains("fewer than two"), "{}", refused.err);
    let refused = check(&place, &["--history=dir:orders/v*", "--against", "git:HEAD"]);
    assert!(refused.code == 2 && refused.err.contains("there is no base"), "{}", refused.err);
}

#[test]
fn a_commit_that_does_not_parse_is_not_established() {
    if git_is_missing() {
        return;
    }
    let place = Place::new();
    git(&place.path(""), &["init", "-q", "-b", "main", "."]);
    place.write("shop.proto", "message {");
    let torn = commit(&place);
    place.write("shop.proto", &schema(""));
    commit(&place);
    place.write("shop.proto", &schema("  string tag = 3;\n"));
    let (code, told) = report(&place, &["--mode", "backward-transitive"]);
    assert_eq!(code, 3);
    let gaps = told["not_checked"].to_string();
    assert!(gaps.contains(&format!("the version `{torn} (2020-02-02)`: it is not established")), "{gaps}");
    assert_eq!(report(&place, &["--history"]).0, 0, "it does not count in this mode");
}

#[test]
fn before_the_first_commit_there_is_no_history() {
    if git_is_missing() {
        return;
    }
    let place = Place::new();
    git(&place.path(""), &["init", "-q", "-b", "main", "."]);
    place.write("shop.proto", &schema(""));
    let (code, told) = report(&place, &["--mode", "full-transitive"]);
    assert_eq!((code, names(&told).len()), (0, 1));
}

/// A repository whose commits are told as `subject: file: text`, and whose work tree holds the last texts.
fn told(commits: &[(&str, &[(&str, &str)])], now: &[(&str, &str)]) -> Place {
    let place = Place::new();
    git(&place.path(""), &["init", "-q", "-b", "main", "."]);
    let write = |files: &[(&str, &str)]| {
        for (file, text) in files {
            match *text {
                "" => std::fs::remove_file(place.path(file)).expect("it was there"),
                text => drop(place.write(file, text)),
            }
        }
    };
    for (subject, files) in commits {
        write(files);
        git(&place.path(""), &["add", "-A"]);
        git(&place.path(""), &["commit", "-q", "--allow-empty", "-m", subject]);
    }
    write(now);
    place
}

/// What is told to be taken again: path and message.
fn taken_again(place: &Place) -> Vec<(String, String)> {
    let (code, report) = report(place, &["--history", "--mode", "none"]);
    assert_eq!(code, 0, "nothing is refused in this mode");
    let findings = report["findings"].as_array().expect("findings").clone();
    let reused = findings.into_iter().filter(|one| one["rule"] == "policy/number-reused");
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    reused.map(|one| (text(&one["path"]), text(&one["message"]))).collect()
}

const PROTO: &str = "syntax = \"proto3\";\npackage shop;\n";

fn order(fields: &str) -> String {
    format!("{PROTO}message Order {{ int32 id = 1; {fields} }}\n")
}

#[test]
fn a_number_that_history_freed_is_taken_again_with_the_commit_that_freed_it() {
    if git_is_missing() {
        return;
    }
    let (with, without) = (order("string note = 2;"), order(""));
    let commits: [(&str, &[(&str, &str)]); 3] = [
        ("start", &[("shop.proto", &with)]),
        ("drop the note, nobody reads it", &[("shop.proto", &without)]),
        ("a page", &[("README", "no schema")]),
    ];
    let place = told(&commits, &[("shop.proto", &order("int32 weight = 2;"))]);
    let freed = git(&place.path(""), &["rev-parse", "--short=7", "HEAD~1"]);
    let (code, report) = report(&place, &["--history"]);
    assert_eq!(code, 1, "it is an error in any mode");
    let finding = &report["findings"][0];
    assert_eq!(finding["rule"], "policy/number-reused");
    assert_eq!((&finding["format"], &finding["breaking"]), (&"protobuf".into(), &true.into()));
    let message = format!(
        "`shop.Order.weight` takes number 2, which was `string note` until {freed} (2020-02-02, \"drop the note, nobody reads it\")"
    );
    assert_eq!(finding["message"], message.as_str());
    assert_eq!(finding["new"]["line"], 3);
    let evidence = finding["evidence"].as_array().expect("evidence");
    assert!(
        evidence.iter().any(|one| one["bytes"].as_str().is_some_and(|bytes| bytes.starts_with("12"))),
        "{evidence:?}"
    );
    assert_eq!(check(&place, &[]).code, 0, "without history nobody knows");
    let id = finding["id"].as_str().expect("an id");
    let command = format!("wireproof accept {id} --reason \"…\" --history");
    assert!(check(&place, &["--history"]).out.contains(&command), "{command}");
    assert_eq!(run(&place.path(""), &["accept", id, "--reason", "it was never sent", "--history"]).code, 0);
    assert_eq!(check(&place, &["--history"]).code, 0);
}

#[test]
fn what_comes_back_or_moves_or_is_renamed_is_no_reuse() {
    if git_is_missing() {
        return;
    }
    let (with, without, renamed) = (order("string note = 2;"), order(""), order("string remark = 2;"));
    let back: &[(&str, &[(&str, &str)])] = &[("a", &[("a.proto", &with)]), ("b", &[("a.proto", &without)])];
    assert_eq!(taken_again(&told(back, &[("a.proto", &with)])), [], "taken back");
    let start: &[(&str, &[(&str, &str)])] = &[("a", &[("a.proto", &with)])];
    assert_eq!(taken_again(&told(start, &[("a.proto", &renamed)])), [], "renamed now: the base has the number");
    let once: &[(&str, &[(&str, &str)])] = &[("a", &[("a.proto", &with)]), ("b", &[("a.proto", &renamed)])];
    assert_eq!(
        taken_again(&told(once, &[("a.proto", &order("string remark = 2; string more = 3;"))])),
        [],
        "renamed once"
    );
    let moved: &[(&str, &[(&str, &str)])] =
        &[("a", &[("a.proto", &with)]), ("b", &[("a.proto", ""), ("deep/b.proto", &with)])];
    assert_eq!(taken_again(&told(moved, &[("deep/b.proto", &order("string note = 2; int32 more = 3;"))])), [], "moved");
    let late = &order("string remark = 2;");
    let reused = taken_again(&told(back, &[("a.proto", late)]));
    assert_eq!(reused.len(), 1, "another name after it was free is a reuse, also where the type is the same");
}

#[test]
fn every_language_that_counts_is_looked_at() {
    if git_is_missing() {
        return;
    }
    let values = |values: &str| format!("{PROTO}enum Colour {{ NONE = 0; {values} }}\n");
    let thrift = |field: &str| format!("struct Order {{\n  1: i32 id\n{field}}}\n");
    let table = |field: &str| format!("namespace shop;\ntable Order {{ id:int; {field} }}\nroot_type Order;\n");
    for (file, first, then, now, path, said) in [
        (
            "e.proto",
            values("RED = 1;"),
            values(""),
            values("BLUE = 1;"),
            "shop.Colour.BLUE",
            "enum number 1, which was `RED`",
        ),
        (
            "o.thrift",
            thrift("  2: optional string note\n"),
            thrift(""),
            thrift("  2: optional i32 weight\n"),
            "Order.weight",
            "id 2, which was `string note`",
        ),
        (
            "o.fbs",
            table("note:string;"),
            table(""),
            table("weight:int;"),
            "shop.Order.weight",
            "slot 1, which was `string note`",
        ),
    ] {
        let place = told(&[("a", &[(file, &first)]), ("b", &[(file, &then)])], &[(file, &now)]);
        let found = taken_again(&place);
        assert_eq!(found.len(), 1, "{file}: {found:?}");
        assert!(found[0].0 == path && found[0].1.contains(said), "{file}: {found:?}");
    }
}

#[test]
fn the_last_owner_is_told_and_merges_count_as_one_step() {
    if git_is_missing() {
        return;
    }
    let commits: [(&str, &[(&str, &str)]); 4] = [
        ("a", &[("a.proto", &order("string first = 2;"))]),
        ("b", &[("a.proto", &order(""))]),
        ("c", &[("a.proto", &order("bool second = 2;"))]),
        ("d", &[("README", "x")]),
    ];
    let place = told(&commits, &[]);
    let top = place.path("");
    git(&top, &["checkout", "-q", "-b", "topic"]);
    place.write("a.proto", &order(""));
    commit(&place);
    git(&top, &["checkout", "-q", "main"]);
    git(&top, &["merge", "-q", "--no-ff", "-m", "Merge topic: \u{1}not a commit", "topic"]);
    place.write("a.proto", &order("int32 third = 2;"));
    let found = taken_again(&place);
    assert_eq!(found.len(), 1);
    assert!(found[0].1.contains("`bool second`") && found[0].1.contains("Merge topic"), "{found:?}");
}

#[test]
fn schemas_that_are_only_found_by_a_name_have_a_history() {
    if git_is_missing() {
        return;
    }
    let said = |members: &str| {
        let dialect = "https://json-schema.org/draft/2020-12/schema";
        format!(r#"{{"$schema":"{dialect}","type":"object","properties":{{"id":{{}}{members}}}}}"#)
    };
    for (file, selected, arguments, versions) in [
        ("schemas/order.json", "include: [\"schemas/**\"]\n", &[][..], 2),
        ("schemas/order.yaml", "include: [\"schemas/**\"]\n", &[], 2),
        ("schemas/order.json", "", &["schemas"], 2),
        ("schemas/order.json", "", &["schemas/order.json"], 2),
        // Then everything in JSON is a schema.
        ("schemas/order.json", "", &["--type", "json-schema"], 4),
        ("schemas/order.schema.json", "", &[], 2),
    ] {
        let place = Place::new();
        git(&place.path(""), &["init", "-q", "-b", "main", "."]);
        place.write("wireproof.yaml", &format!("mode: backward-transitive\n{selected}"));
        for (path, text) in [
            (file, said(r#","note":{"type":"string"}"#)),
            ("package.json", "{}".to_owned()),
            (file, said("")),
            ("package.json", "{\"private\": true}".to_owned()),
        ] {
            place.write(path, &text);
            commit(&place);
        }
        place.write(file, &said(r#","note":{"type":"integer"}"#));
        let (code, told) = report(&place, arguments);
        assert_eq!((code, names(&told).len()), (1, versions), "{file} {arguments:?}: {told}");
    }
}
