//! The terms of the base judge as well as those of the change: whoever changes the configuration, the place or the name of
//! a schema together with the schema passes no break by it. Each attack has a harmless twin that passes.

use serde_json::Value;

use crate::git::{Place, commit, git, git_is_missing, repository, run_in};

const OLD: &str = "syntax = \"proto3\";\npackage shop.v1;\nmessage Order {\n  int64 id = 1;\n  string note = 2;\n}\n\
                   service Store {\n  rpc Buy(Order) returns (Order);\n}\n";

/// With a value that old readers misread.
fn broken() -> String {
    OLD.replace("int64", "sint64")
}

/// With one field more, which hurts nobody.
fn grown() -> String {
    OLD.replace("note = 2;", "note = 2;\n  string gift = 3;")
}

const DAY: &[(&str, &str)] = &[("WIREPROOF_TODAY", "2026-06-15")];

/// A pull request: files of the base, what it writes, and what it moves first.
struct Case {
    name: &'static str,
    base: &'static [(&'static str, &'static str)],
    moved: &'static [(&'static str, &'static str)],
    writes: &'static [(&'static str, &'static str)],
    arguments: &'static [&'static str],
    /// Where the schema lies in the base, and where it does in the change.
    schema: [&'static str; 2],
    /// What is replaced in the schema beside the break.
    package: Option<[&'static str; 2]>,
}

const USUAL: Case = Case {
    name: "",
    base: &[],
    moved: &[],
    writes: &[],
    arguments: &[],
    schema: ["proto/order.proto", "proto/order.proto"],
    package: None,
};

const BUF: &str = "version: v2\nbreaking:\n  use: [FILE]\n";

/// Every way to change the terms in the change that needs them.
const CASES: &[Case] = &[
    Case { name: "mode none", writes: &[("wireproof.yaml", "mode: none\n")], ..USUAL },
    Case {
        name: "another surface",
        base: &[("wireproof.yaml", "mode: full\n")],
        writes: &[("wireproof.yaml", "mode: full\nsurfaces: [source]\n")],
        ..USUAL
    },
    Case {
        name: "a rule",
        writes: &[("wireproof.yaml", "rules:\n  protobuf/integer-zigzag-exchanged: note\n")],
        ..USUAL
    },
    Case {
        name: "a family that is off",
        writes: &[("wireproof.yaml", "rules:\n  field-type-changed: off\n")],
        ..USUAL
    },
    Case { name: "unstable", writes: &[("wireproof.yaml", "unstable: ['shop.*']\n")], ..USUAL },
    Case { name: "a folder", writes: &[("wireproof.yaml", "roots:\n  proto:\n    mode: none\n")], ..USUAL },
    Case {
        name: "surfaces of a folder",
        writes: &[("wireproof.yaml", "roots:\n  proto:\n    surfaces: [source]\n")],
        ..USUAL
    },
    Case { name: "exclude", writes: &[("wireproof.yaml", "exclude: [proto/]\n"), ("other.proto", OLD)], ..USUAL },
    Case {
        name: "include",
        writes: &[("wireproof.yaml", "include: ['*.proto']\n"), ("other.proto", "syntax = \"proto3\";\n")],
        ..USUAL
    },
    Case {
        name: "what is reached",
        writes: &[
            ("wireproof.yaml", "roots:\n  proto:\n    reachable-from: [shop.v1.Other]\n"),
            ("proto/other.proto", "syntax = \"proto3\";\npackage shop.v1;\nmessage Other {\n  int32 x = 1;\n}\n"),
        ],
        ..USUAL
    },
    Case {
        name: "a nearer configuration file",
        base: &[("wireproof.yaml", "mode: full\n")],
        writes: &[(".wireproof.yaml", "mode: none\n")],
        moved: &[("wireproof.yaml", "gone.yaml")],
        ..USUAL
    },
    Case {
        name: "buf.yaml added",
        writes: &[("buf.yaml", "version: v2\nbreaking:\n  use: [WIRE]\n  ignore: [proto]\n")],
        ..USUAL
    },
    Case {
        name: "buf.yaml ignores",
        base: &[("buf.yaml", BUF)],
        writes: &[("buf.yaml", "version: v2\nbreaking:\n  use: [FILE]\n  ignore: [proto]\n")],
        ..USUAL
    },
    Case {
        name: "buf.yaml excepts",
        base: &[("buf.yaml", BUF)],
        writes: &[(
            "buf.yaml",
            "version: v2\nbreaking:\n  use: [FILE]\n  except: [FIELD_SAME_TYPE, FIELD_WIRE_JSON_COMPATIBLE_TYPE, FIELD_WIRE_COMPATIBLE_TYPE]\n",
        )],
        ..USUAL
    },
    Case {
        name: "buf.yaml ignores one rule",
        base: &[("buf.yaml", BUF)],
        writes: &[(
            "buf.yaml",
            "version: v2\nbreaking:\n  use: [FILE]\n  ignore_only:\n    FIELD_SAME_TYPE: [proto]\n",
        )],
        ..USUAL
    },
    Case {
        name: "buf.yaml forgets packages",
        base: &[("buf.yaml", BUF)],
        writes: &[("buf.yaml", "version: v2\nbreaking:\n  use: [PACKAGE_NO_DELETE]\n")],
        ..USUAL
    },
    Case {
        name: "a module in buf.yaml",
        base: &[("buf.yaml", "version: v2\nbreaking:\n  use: [WIRE]\n")],
        writes: &[("buf.yaml", "version: v2\nmodules:\n  - path: proto\n    breaking:\n      use: [ENUM_NO_DELETE]\n")],
        ..USUAL
    },
    Case { name: "a rule of one's own", base: &[("wireproof.yaml", "rules-dir: rr\n"), ("rr/note.yaml", "")], ..USUAL },
    Case {
        name: "a copy in a folder of mode none, while the schema moves",
        base: &[("wireproof.yaml", "roots:\n  docs:\n    mode: none\n")],
        moved: &[("proto/order.proto", "proto/new/order.proto")],
        writes: &[("docs/order.proto", OLD)],
        schema: ["proto/order.proto", "proto/new/order.proto"],
        ..USUAL
    },
    Case {
        name: "a copy in a folder of mode none, while the schema gets another file name",
        base: &[("wireproof.yaml", "roots:\n  docs:\n    mode: none\n")],
        moved: &[("proto/order.proto", "proto/new/sale.proto")],
        writes: &[("docs/order.proto", OLD)],
        schema: ["proto/order.proto", "proto/new/sale.proto"],
        ..USUAL
    },
    Case {
        name: "moved to a folder of mode none",
        base: &[("wireproof.yaml", "roots:\n  proto/internal:\n    mode: none\n")],
        moved: &[("proto/order.proto", "proto/internal/order.proto")],
        schema: ["proto/order.proto", "proto/internal/order.proto"],
        ..USUAL
    },
    Case {
        name: "moved out of a folder of mode none",
        base: &[("wireproof.yaml", "roots:\n  proto/internal:\n    mode: full\nmode: none\n")],
        moved: &[("proto/internal/order.proto", "proto/order.proto")],
        schema: ["proto/internal/order.proto", "proto/order.proto"],
        ..USUAL
    },
    Case {
        name: "moved to another surface",
        base: &[("wireproof.yaml", "roots:\n  proto/docs:\n    surfaces: [json]\n")],
        moved: &[("proto/order.proto", "proto/docs/order.proto")],
        schema: ["proto/order.proto", "proto/docs/order.proto"],
        ..USUAL
    },
    Case {
        name: "renamed into an unstable package",
        base: &[("wireproof.yaml", "unstable: ['*.v1alpha*']\n")],
        package: Some(["shop.v1", "shop.v1alpha1"]),
        ..USUAL
    },
    Case {
        name: "moved to where buf ignores",
        base: &[("buf.yaml", "version: v2\nbreaking:\n  use: [WIRE]\n  ignore: [proto/old]\n")],
        moved: &[("proto/order.proto", "proto/old/order.proto")],
        schema: ["proto/order.proto", "proto/old/order.proto"],
        ..USUAL
    },
    Case {
        name: "moved to what is excluded",
        base: &[("wireproof.yaml", "exclude: [third_party/]\n"), ("third_party/x.proto", "syntax = \"proto3\";\n")],
        moved: &[("proto/order.proto", "third_party/order.proto")],
        schema: ["proto/order.proto", "third_party/order.proto"],
        ..USUAL
    },
    Case {
        name: "moved out of what is included",
        base: &[("wireproof.yaml", "include: ['proto/**']\n"), ("proto/x.proto", "syntax = \"proto3\";\n")],
        moved: &[("proto/order.proto", "api/order.proto")],
        schema: ["proto/order.proto", "api/order.proto"],
        ..USUAL
    },
    Case {
        name: "moved out of the path that is checked",
        base: &[("proto/x.proto", "syntax = \"proto3\";\n")],
        moved: &[("proto/order.proto", "api/order.proto")],
        schema: ["proto/order.proto", "api/order.proto"],
        arguments: &["proto"],
        ..USUAL
    },
    Case {
        name: "put into a file that is excluded",
        base: &[
            ("wireproof.yaml", "exclude: [third_party/]\n"),
            ("third_party/order.proto", "syntax = \"proto3\";\npackage shop.v1;\n"),
            ("proto/x.proto", "syntax = \"proto3\";\n"),
        ],
        moved: &[("proto/order.proto", "third_party/order.proto")],
        schema: ["proto/order.proto", "third_party/order.proto"],
        ..USUAL
    },
    Case {
        name: "renamed out of a stable package in another file",
        base: &[("wireproof.yaml", "unstable: ['*.v1alpha*']\n")],
        package: Some(["shop.v1", "shop.v1alpha1"]),
        moved: &[("proto/order.proto", "proto/alpha.proto")],
        schema: ["proto/order.proto", "proto/alpha.proto"],
        ..USUAL
    },
];

fn repository_of(case: &Case, text: &str) -> Place {
    let repo = repository();
    let package = |text: &str| case.package.map_or(text.to_owned(), |[old, new]| text.replace(old, new));
    repo.write(case.schema[0], OLD);
    for (name, text) in case.base {
        repo.write(name, text);
    }
    if case.name == "a rule of one's own" {
        repo.write("rr/note.yaml", OWN_RULE);
    }
    commit(&repo, "what is there");
    git(&repo.path(""), &["switch", "--quiet", "--create", "topic"]);
    for (from, to) in case.moved {
        repo.write(to, "");
        std::fs::rename(repo.path(from), repo.path(to)).expect("it is there");
    }
    for (name, text) in case.writes {
        repo.write(name, text);
    }
    if case.name == "a rule of one's own" {
        repo.write("rr/note.yaml", &OWN_RULE.replace("class: compatibility", "class: hygiene\nseverity: note"));
    }
    repo.write(case.schema[1], &package(text));
    git(&repo.path(""), &["add", "--all"]);
    repo
}

/// A rule that judges the break as the built-in one does.
const OWN_RULE: &str = "\
id: protobuf/own
title: Own
family: own
since: 0.1.0
class: compatibility
when: { change: field-type-changed }
impact:
  wire:   { backward: \"{reads-old}\", forward: \"{reads-new}\" }
  json:   { backward: \"{json-reads-old}\", forward: \"{json-reads-new}\" }
  source: { backward: fails, forward: fails }
message: \"`{path}` changed its type\"
why: Readers misread it.
fix: Add a field.
";

struct Judged {
    code: i32,
    report: Value,
    text: String,
}

fn judged(repo: &Place, arguments: &[&str]) -> Judged {
    let options = ["check", "--output", "json=.git/report.json"];
    let ran = run_in(&repo.path(""), &[&options, arguments].concat(), DAY);
    let json = std::fs::read_to_string(repo.path(".git/report.json")).unwrap_or_default();
    let report = serde_json::from_str(&json).unwrap_or_else(|error| panic!("{error}: {}{}", ran.out, ran.err));
    Judged { code: ran.code, report, text: ran.out + &ran.err }
}

fn breaking(report: &Value) -> Vec<&Value> {
    let findings = report["findings"].as_array().expect("findings");
    findings.iter().filter(|finding| finding["breaking"] == true).collect()
}

#[test]
fn no_change_of_terms_lets_a_break_pass() {
    if git_is_missing() {
        return;
    }
    let mut passed = Vec::new();
    for case in CASES.iter() {
        let repo = repository_of(case, &broken());
        let judged = judged(&repo, case.arguments);
        let names_it = breaking(&judged.report)
            .iter()
            .any(|finding| finding["path"].as_str().is_some_and(|path| path.ends_with(".Order.id")));
        if judged.code != 1 || !names_it {
            passed.push(format!("{}: exit {}\n{}", case.name, judged.code, judged.text));
        }
    }
    assert!(passed.is_empty(), "{} of {}:\n{}", passed.len(), CASES.len(), passed.join("\n"));
}

#[test]
fn a_change_of_terms_without_a_break_passes() {
    if git_is_missing() {
        return;
    }
    let mut stopped = Vec::new();
    for case in CASES {
        let repo = repository_of(case, &grown());
        let judged = judged(&repo, case.arguments);
        // A service that has another package is another route, and a root that is gone is gone.
        let is_rename = case.package.is_some();
        if judged.code != 0 && !is_rename {
            stopped.push(format!("{}: exit {}\n{}", case.name, judged.code, judged.text));
        }
    }
    assert!(stopped.is_empty(), "{} of {}:\n{}", stopped.len(), CASES.len(), stopped.join("\n"));
}

#[test]
fn a_waiver_counts_in_its_own_change_and_later_ones_say_so() {
    if git_is_missing() {
        return;
    }
    const WAIVERS: &str = ".wireproof-waivers.yaml";
    let repo = repository_of(&USUAL, &broken());
    let id = breaking(&judged(&repo, &[]).report)[0]["id"].as_str().expect("an id").to_owned();
    let entry = |more: &str| format!("- id: {id}\n  reason: nobody sends it\n{more}");
    // Merged long ago, or new, or changed by this very change: the base's entry, that of the change, and the exit code.
    for (old, new, code, rule) in [
        ("", entry(""), 0, "policy/waiver-added"),
        (entry("").as_str(), entry(""), 1, "policy/waiver-spent"),
        (&entry(""), entry("  owner: payments\n"), 1, "policy/waiver-spent"),
        (&entry(""), entry("").replace("nobody", "once more nobody"), 0, "policy/waiver-added"),
        (&entry(""), entry("  until: 2026-12-31\n"), 0, "policy/waiver-added"),
        (&entry(""), entry("  standing: true\n"), 0, "policy/waiver-added"),
        (&entry("  standing: true\n"), entry("  standing: true\n"), 0, ""),
        (&entry("  until: 2026-12-31\n"), entry("  until: 2026-12-31\n"), 0, ""),
        (&entry("  until: 2026-01-31\n"), entry("  until: 2026-01-31\n"), 1, "policy/waiver-expired"),
        (&entry("  until: 2026-12-31\n"), entry("  standing: true\n"), 0, "policy/configuration-loosened"),
        (&entry("  standing: true\n"), entry(""), 1, "policy/waiver-spent"),
    ] {
        let repo = repository();
        repo.write("proto/order.proto", OLD);
        repo.write(WAIVERS, old);
        commit(&repo, "what is there");
        git(&repo.path(""), &["switch", "--quiet", "--create", "topic"]);
        repo.write("proto/order.proto", &broken());
        repo.write(WAIVERS, &new);
        let judged = judged(&repo, &[]);
        assert_eq!(judged.code, code, "{old} -> {new}\n{}", judged.text);
        let about = judged.report["findings"].as_array().expect("findings").iter();
        let mut about = about.filter(|finding| finding["format"] == "policy").map(|finding| &finding["rule"]);
        let said = about.next().and_then(Value::as_str).unwrap_or_default();
        assert_eq!(said, rule, "{old} -> {new}\n{}", judged.text);
    }
}

#[test]
fn the_break_that_the_base_stops_can_be_accepted_and_the_finding_too() {
    if git_is_missing() {
        return;
    }
    let case = &CASES[0];
    let repo = repository_of(case, &broken());
    let found = judged(&repo, &[]);
    let of_base = breaking(&found.report);
    assert_eq!(of_base.len(), 1, "{}", found.text);
    let id = of_base[0]["id"].as_str().expect("an id");
    let accepted = run_in(&repo.path(""), &["accept", id, "--reason", "we know"], DAY);
    assert_eq!(accepted.code, 0, "{}", accepted.err);
    assert_eq!(judged(&repo, &[]).code, 0);

    // Who accepts the break itself need not accept it again.
    let repo = repository_of(case, &broken());
    let finding = found.report["findings"].as_array().expect("findings").iter();
    let own = finding.filter(|one| one["format"] == "protobuf").find(|one| one["path"] == "shop.v1.Order.id");
    let id = own.expect("it is reported")["id"].as_str().expect("an id").to_owned();
    assert_eq!(run_in(&repo.path(""), &["accept", &id, "--reason", "we know"], DAY).code, 0);
    assert_eq!(judged(&repo, &[]).code, 0);
}

#[test]
fn the_configuration_of_the_change_judges_alone_where_the_base_or_the_command_line_says_so() {
    if git_is_missing() {
        return;
    }
    let head = "configuration: head\n";
    for (base, change, arguments, code) in [
        ("", "mode: none\n", &[][..], 1),
        (head, "configuration: head\nmode: none\n", &[], 0),
        (head, "mode: none\n", &[], 0),
        ("", "configuration: head\nmode: none\n", &[], 1),
        ("", "mode: none\n", &["--configuration", "head"], 0),
    ] {
        let repo = repository();
        repo.write("proto/order.proto", OLD);
        repo.write("wireproof.yaml", base);
        commit(&repo, "what is there");
        git(&repo.path(""), &["switch", "--quiet", "--create", "topic"]);
        repo.write("proto/order.proto", &broken());
        repo.write("wireproof.yaml", change);
        let judged = judged(&repo, arguments);
        assert_eq!(judged.code, code, "{base:?} -> {change:?}\n{}", judged.text);
        let is_said = judged.report["not_checked"].to_string().contains("judge alone");
        assert_eq!(is_said, code == 0, "{base:?} -> {change:?}\n{}", judged.text);
    }
}

#[test]
fn a_broken_configuration_of_the_base_can_be_mended() {
    if git_is_missing() {
        return;
    }
    for (path, broken_text, mended) in [
        ("wireproof.yaml", "mode: sideways\n", "mode: full\n"),
        ("wireproof.yaml", "rules-dir: nowhere/..\nrules: {no/such-rule: off}\n", ""),
        ("buf.yaml", "version: v2\nbreaking:\n  use: [NO_SUCH_RULE]\n", "version: v2\nbreaking:\n  use: [WIRE]\n"),
        (".wireproof-waivers.yaml", "- id: nonsense\n", "[]\n"),
    ] {
        let repo = repository();
        repo.write("proto/order.proto", OLD);
        repo.write(path, broken_text);
        commit(&repo, "what is there");
        git(&repo.path(""), &["switch", "--quiet", "--create", "topic"]);
        repo.write(path, mended);
        repo.write("proto/order.proto", &grown());
        let judged = judged(&repo, &[]);
        assert_eq!(judged.code, 0, "{path}\n{}", judged.text);
    }
}

#[test]
fn a_file_that_nobody_can_read_any_more_is_not_hidden_by_leaving_it_out() {
    if git_is_missing() {
        return;
    }
    let other = "syntax = \"proto3\";\nmessage Other {\n  int32 x = 1;\n}\n";
    for (was_there, code) in [(true, 1), (false, 0)] {
        let repo = repository();
        repo.write("other.proto", other);
        if was_there {
            repo.write("proto/order.proto", OLD);
        }
        commit(&repo, "what is there");
        git(&repo.path(""), &["switch", "--quiet", "--create", "topic"]);
        repo.write("proto/order.proto", "this is no schema any more {");
        repo.write("wireproof.yaml", "exclude: [proto/]\n");
        let judged = judged(&repo, &[]);
        assert_eq!(judged.code, code, "was there: {was_there}\n{}", judged.text);
    }
}
