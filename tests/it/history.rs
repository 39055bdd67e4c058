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
    assert_eq!(check(&place, &["--history"]).code, 0, "it does not count in this mode");
    let (code, report) = report(&place, &["--mode", "full-transitive"]);
    assert_eq!(code, 1);
    let versions = names(&report);
    assert_eq!(versions.len(), 3, "the commit without a schema is none: {versions:?}");
    assert!(versions[0].ends_with(" (2020-02-02)") && versions[2].starts_with("git:"), "{versions:?}");
    let findings = report["findings"].as_array().expect("findings");
    let reuse = findings.iter().find(|one| one["breaking"] == true).expect("it breaks");
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
    place.write("wireproof.yaml", "mode: full-transitive\nhistory:\n  depth: 1\n");
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
