//! Comments in schemas that acknowledge a break, from end to end and in every language.

use serde_json::Value;

use crate::git::{Place, commit, git, git_is_missing, repository, run_in};

const DAY: &[(&str, &str)] = &[("WIREPROOF_TODAY", "2026-06-15")];

/// For each language a file, what it was, and what it is with `COMMENT` in the place of the comment.
const BREAKS: &[(&str, &str, &str)] = &[
    (
        "shop/order.proto",
        "syntax = \"proto3\";\npackage shop;\nmessage Order {\n  int32 id = 1;\n  string note = 2;\n}\n",
        "syntax = \"proto3\";\npackage shop;\nmessage Order {\n  int32 id = 1;\n  // COMMENT\n  int64 note = 2;\n}\n",
    ),
    (
        "shop/order.thrift",
        "struct Order {\n  1: i32 id\n  2: string note\n}\n",
        "struct Order {\n  1: i32 id\n  2: i64 note  # COMMENT\n}\n",
    ),
    (
        "shop/order.fbs",
        "table Order {\n  id: int;\n  note: string;\n}\nroot_type Order;\n",
        "table Order {\n  id: int;\n  /* COMMENT */\n  note: long;\n}\nroot_type Order;\n",
    ),
    (
        "shop/order.capnp",
        "@0xd3a5e2f7c1b49086;\nstruct Order {\n  id @0 :Int32;\n  note @1 :Text;\n}\n",
        "@0xd3a5e2f7c1b49086;\nstruct Order {\n  id @0 :Int32;\n  # COMMENT\n  # and more words\n  note @1 :Int64;\n}\n",
    ),
    (
        "shop/order.avsc",
        "{\"type\": \"record\", \"name\": \"Order\", \"fields\": [\n  {\"name\": \"note\", \"type\": \"string\"}\n]}\n",
        "{\"type\": \"record\", \"name\": \"Order\", \"fields\": [\n  {\"name\": \"note\",\n   \"doc\": \"COMMENT\",\n   \"type\": \"long\"}\n]}\n",
    ),
    (
        "shop/order.schema.json",
        "{\"$schema\": \"http://json-schema.org/draft-07/schema#\", \"properties\": {\n  \"note\": {\"type\": \"string\"}}}\n",
        "{\"$schema\": \"http://json-schema.org/draft-07/schema#\", \"properties\": {\n  \"note\": {\"$comment\": \"COMMENT\",\n    \"type\": \"integer\"}}}\n",
    ),
];

fn report(repo: &Place) -> (i32, Value) {
    let ran = run_in(&repo.path(""), &["--format", "json"], DAY);
    let report = serde_json::from_str(&ran.out).unwrap_or_else(|error| panic!("{error}: {}{}", ran.out, ran.err));
    (ran.code, report)
}

fn of_rule<'r>(report: &'r Value, rule: &str) -> Vec<&'r Value> {
    report["findings"].as_array().expect("findings").iter().filter(|finding| finding["rule"] == rule).collect()
}

/// A branch that has one file say something else.
fn changed(path: &str, old: &str, new: &str, others: &[(&str, &str)]) -> Place {
    let repo = repository();
    repo.write(path, old);
    for (name, text) in others {
        repo.write(name, text);
    }
    commit(&repo, "what is there");
    git(&repo.path(""), &["switch", "--quiet", "--create", "topic"]);
    repo.write(path, new);
    repo
}

fn breaking_rules(report: &Value) -> Vec<String> {
    let findings = report["findings"].as_array().expect("findings").iter();
    findings.filter(|one| one["breaking"] == true).map(|one| one["rule"].as_str().unwrap_or("").to_owned()).collect()
}

#[test]
fn a_comment_at_the_element_acknowledges_its_break_in_every_language() {
    if git_is_missing() {
        return;
    }
    for (path, old, new) in BREAKS {
        let repo = changed(path, old, &new.replace("COMMENT", "a word"), &[]);
        let (code, before) = report(&repo);
        let rules = breaking_rules(&before);
        assert_eq!((code, rules.len()), (1, 1), "{path}: {rules:?}");
        let comment = format!("wireproof:allow {} owner=payments nobody sends it", rules[0]);
        repo.write(path, &new.replace("COMMENT", &comment));
        let (code, after) = report(&repo);
        let waived = of_rule(&after, &rules[0]);
        assert_eq!((code, waived.len()), (0, 1), "{path}: {after:#}");
        let waiver = &waived[0]["waiver"];
        assert_eq!(
            (&waiver["file"], &waiver["reason"]),
            (&Value::from(*path), &Value::from("nobody sends it")),
            "{path}"
        );
        assert_eq!((&waiver["owner"], &waiver["added_here"]), (&Value::from("payments"), &Value::from(true)), "{path}");
        assert_eq!(of_rule(&after, "policy/waiver-added").len(), 1, "{path}: who waives is told");
        // Another rule, no reason, a day that is over.
        for other in
            ["protobuf/message-removed nobody sends it", &rules[0], &format!("{} until=2026-06-14 x y", rules[0])]
        {
            repo.write(path, &new.replace("COMMENT", &format!("wireproof:allow {other}")));
            let (code, refused) = report(&repo);
            assert_eq!((code, breaking_rules(&refused).len()), (1, 1), "{path} {other}: {refused:#}");
            let told = ["policy/waiver-unused", "policy/waiver-expired"].map(|rule| of_rule(&refused, rule).len());
            assert_eq!(told.iter().sum::<usize>(), 1, "{path} {other}: {refused:#}");
        }
    }
}

const PATH: &str = "shop/order.proto";
const RULE: &str = "protobuf/field-removed-unreserved";

/// A message with these lines in it.
fn order(lines: &[&str]) -> String {
    format!("syntax = \"proto3\";\npackage shop;\nmessage Order {{\n{}\n}}\n", lines.join("\n"))
}

#[test]
fn what_is_gone_is_named_by_a_comment_anywhere_in_what_the_change_touches() {
    if git_is_missing() {
        return;
    }
    let old = order(&["  int32 id = 1;", "  string note = 2;", "  string mark = 3;"]);
    for (named, is_covered) in [
        ("shop.Order.note no client sends it", true),
        ("`Order.note`: no client sends it", true),
        ("shop.Order.mark no client sends it", false),
        ("note no client sends it", false),
        ("no client sends Order.note", false),
        ("shop.Order.note", false),
    ] {
        let new = order(&[&format!("  // wireproof:allow {RULE} {named}"), "  int32 id = 1;", "  string mark = 3;"]);
        let (code, report) = report(&changed(PATH, &old, &new, &[]));
        assert_eq!(code, i32::from(!is_covered), "{named}: {report:#}");
        assert_eq!(of_rule(&report, "policy/waiver-unused").len(), usize::from(!is_covered), "{named}");
    }
    // One that stands at another element covers nothing there.
    let new = order(&["  int32 id = 1;", &format!("  string mark = 3;  // wireproof:allow {RULE} nobody sends it")]);
    let (code, report) = report(&changed(PATH, &old, &new, &[]));
    let unused = of_rule(&report, "policy/waiver-unused");
    assert_eq!((code, unused.len()), (1, 1), "{report:#}");
    assert!(unused[0]["why"].as_str().is_some_and(|why| why.contains("shop.Order.note")), "{:#}", unused[0]);
}

#[test]
fn a_comment_that_was_merged_is_spent() {
    if git_is_missing() {
        return;
    }
    let with = |ty: &str, reason: &str| {
        order(&[&format!("  // wireproof:allow protobuf/wire-type-changed {reason}"), &format!("  {ty} note = 2;")])
    };
    let (code, told) =
        report(&changed(PATH, &with("int64", "old data are gone"), &with("string", "old data are gone"), &[]));
    assert_eq!(code, 1, "{told:#}");
    assert_eq!(of_rule(&told, "policy/waiver-spent").len(), 1, "{told:#}");
    // A new reason, or a last day that is not over, counts again.
    for reason in ["these are gone too", "until=2026-12-31 old data are gone"] {
        let (code, told) = report(&changed(PATH, &with("int64", reason), &with("string", reason), &[]));
        assert_eq!(code, i32::from(!reason.contains("until")), "{told:#}");
        let (code, told) = report(&changed(PATH, &with("int64", "old data are gone"), &with("string", reason), &[]));
        assert_eq!(code, 0, "{told:#}");
    }
    // What has done its job is a note, and none of other changes' business.
    let kept = with("string", "old data are gone").replace("note = 2;", "note = 2;\n  int32 more = 3;");
    let (code, told) = report(&changed(PATH, &with("string", "old data are gone"), &kept, &[]));
    assert_eq!((code, of_rule(&told, "policy/waiver-stale").len()), (0, 1), "{told:#}");
}

#[test]
fn a_configuration_that_wants_waivers_in_one_file_takes_no_comments() {
    if git_is_missing() {
        return;
    }
    let old = order(&["  int32 id = 1;", "  string note = 2;"]);
    let new = order(&["  int32 id = 1;", "  // wireproof:allow protobuf/wire-type-changed gone", "  int64 note = 2;"]);
    let repo = changed(PATH, &old, &new, &[("wireproof.yaml", "inline-waivers: false\n")]);
    let (code, told) = report(&repo);
    let unused = of_rule(&told, "policy/waiver-unused");
    assert_eq!((code, unused.len()), (1, 1), "{told:#}");
    assert!(unused[0]["why"].as_str().is_some_and(|why| why.contains("inline-waivers: false")), "{:#}", unused[0]);
    // The change itself cannot take that back.
    repo.write("wireproof.yaml", "inline-waivers: true\n");
    let (code, told) = report(&repo);
    assert_eq!((code, of_rule(&told, "policy/configuration-loosened").len()), (1, 1), "{told:#}");
}

const TYPE: &str = "protobuf/wire-type-changed";

#[test]
fn a_comment_behind_an_element_covers_none_below_it() {
    if git_is_missing() {
        return;
    }
    let old = order(&["  int32 a = 1;", "  int32 b = 2;", "  int32 c = 3;"]);
    let comment = format!("/* wireproof:allow {TYPE} nobody reads it */");
    for first in [format!("  string a = 1; {comment}"), format!("  {comment} string a = 1;")] {
        let new = order(&[&first, "  string b = 2; /* words */", "  string c = 3;"]);
        let (code, told) = report(&changed(PATH, &old, &new, &[]));
        assert_eq!((code, breaking_rules(&told).len()), (1, 2), "{first}: {told:#}");
    }
}

#[test]
fn a_comment_that_was_merged_covers_nothing_that_it_did_not_cover() {
    if git_is_missing() {
        return;
    }
    for until in ["", "until=2026-12-31 "] {
        let comment = format!("  // wireproof:allow {TYPE} {until}nobody reads a");
        let old = order(&[&comment, "  int32 a = 1;", "  int32 b = 2;"]);
        // Another element is put below it, or it is moved to another element, or to another file with it.
        for new in [
            order(&[&comment, "  string b = 2;", "  int32 a = 1;"]),
            order(&["  int32 a = 1;", &comment, "  string b = 2;"]),
            order(&[
                &format!("  // wireproof:allow {TYPE} owner=me nobody reads a"),
                "  string b = 2;",
                "  int32 a = 1;",
            ]),
        ] {
            for path in [PATH, "shop/moved.proto"] {
                let repo = changed(PATH, &old, &old, &[]);
                std::fs::remove_file(repo.path(PATH)).expect("a file");
                repo.write(path, &new);
                let (code, told) = report(&repo);
                assert_eq!((code, breaking_rules(&told).len()), (1, 1), "{new}: {told:#}");
                assert_eq!(of_rule(&told, "policy/waiver-spent").len(), 1, "{new}: {told:#}");
            }
        }
        // A comment more, or one that says something else, comes with the change.
        for new in [
            order(&[&comment, "  int32 a = 1;", &comment, "  string b = 2;"]),
            order(&[&comment, "  string b = 2;", &comment, "  int32 a = 1;"]),
            order(&[&comment, "  string b = 2;", "  int32 a = 1;"]).replace("reads a", "reads b"),
        ] {
            let (code, told) = report(&changed(PATH, &old, &new, &[]));
            assert_eq!((code, of_rule(&told, "policy/waiver-added").len()), (0, 1), "{new}: {told:#}");
        }
    }
}

#[test]
fn a_last_day_that_a_comment_gets_or_moves_is_told() {
    if git_is_missing() {
        return;
    }
    const LOOSER: &str = "policy/configuration-loosened";
    let with = |ty: &str, until: &str| {
        order(&[&format!("  // wireproof:allow {TYPE} {until}nobody reads it"), &format!("  {ty} note = 2;")])
    };
    for (old, new, rule) in [
        ("until=2026-01-01 ", "until=2099-01-01 ", Some(LOOSER)),
        ("until=2026-12-31 ", "until=2099-01-01 ", Some(LOOSER)),
        ("", "until=2099-01-01 ", Some("policy/waiver-added")),
        ("until=2026-12-31 ", "until=2026-12-31 ", None),
        ("until=2026-12-31 ", "until=2026-07-01 ", None),
    ] {
        let repo = changed(PATH, &with("int32", old), &with("string", new), &[]);
        let (code, told) = report(&repo);
        assert_eq!(code, 0, "{old}{new}: {told:#}");
        for known in [LOOSER, "policy/waiver-added"] {
            assert_eq!(of_rule(&told, known).len(), usize::from(rule == Some(known)), "{old}{new}: {told:#}");
        }
        // Also where nothing breaks yet.
        let calm = changed(PATH, &with("int32", old), &with("int32", new), &[]);
        assert_eq!(of_rule(&report(&calm).1, LOOSER).len(), usize::from(rule == Some(LOOSER)), "{old}{new}");
        let strict = format!("rules:\n  {LOOSER}: error\n");
        let repo = changed(PATH, &with("int32", old), &with("string", new), &[("wireproof.yaml", &strict)]);
        assert_eq!(report(&repo).0, i32::from(rule == Some(LOOSER)), "{old}{new}");
    }
}

#[test]
fn a_comment_that_names_an_element_means_the_one_of_its_file() {
    if git_is_missing() {
        return;
    }
    let text = |comment: &str, ty: &str| format!("syntax = \"proto3\";\n{comment}message M {{\n  {ty} a = 1;\n}}\n");
    let repo = changed("x/a.proto", &text("", "int32"), "", &[("y/a.proto", &text("", "int32"))]);
    let comment = "// wireproof:allow protobuf/wire-type-changed M.a nobody sends it\n\n";
    repo.write("x/a.proto", &text(comment, "string"));
    repo.write("y/a.proto", &text("", "string"));
    let (code, both) = report(&repo);
    let waived = of_rule(&both, "protobuf/wire-type-changed");
    let files: Vec<bool> = waived.iter().map(|finding| finding["waiver"].is_object()).collect();
    assert_eq!((code, files.iter().filter(|is_waived| **is_waived).count(), files.len()), (1, 1, 2), "{both:#}");
    // Where the file of the comment has no such element, the one of another file is meant.
    repo.write("x/a.proto", &text(comment, "int32"));
    assert_eq!(report(&repo).0, 0);
}
