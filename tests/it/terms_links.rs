//! Terms of the base behind symbolic links: they are read where the links lead in the base, or are no pass.
#![cfg(unix)]

use serde_json::Value;

use crate::git::{Place, commit, git, git_is_missing, repository, run};

const BASE: &str = "syntax = \"proto3\";\npackage p;\nmessage M { int32 a = 1; string b = 2; }\n";
const BROKEN: &str = "syntax = \"proto3\";\npackage p;\nmessage M { int32 a = 1; bool b = 2; }\n";
const GROWN: &str = "syntax = \"proto3\";\npackage p;\nmessage M { int32 a = 1; string b = 2; int32 c = 3; }\n";

/// A rule that lets a field's new type pass, and one that does not.
const OWN_RULE: &str = "\
id: protobuf/own
title: Own
family: own
since: 0.1.0
class: compatibility
when: { change: field-type-changed }
impact:
  wire:   { backward: fails, forward: fails }
  json:   { backward: fails, forward: fails }
  source: { backward: fails, forward: fails }
message: \"`{path}` changed its type\"
why: Readers misread it.
fix: Add a field.
";

fn lenient() -> String {
    OWN_RULE.replace("class: compatibility", "class: hygiene\nseverity: note").replace("fails", "safe")
}

type Files<'f> = &'f [(&'f str, &'f str)];

/// A repository whose base has files and links, on a branch.
fn linked(files: Files<'_>, links: Files<'_>) -> Place {
    let repo = repository();
    repo.write("m.proto", BASE);
    for (path, text) in files {
        repo.write(path, text);
    }
    for (path, target) in links {
        let path = repo.path(path);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        std::os::unix::fs::symlink(target, path).expect("a link");
    }
    commit(&repo, "what is there");
    git(&repo.path(""), &["switch", "--quiet", "--create", "topic"]);
    repo
}

fn breaking(repo: &Place, arguments: &[&str]) -> Vec<(String, String)> {
    let ran = run(&repo.path(""), &[&["check", "--format", "json"], arguments].concat());
    let report: Value =
        serde_json::from_str(&ran.out).unwrap_or_else(|error| panic!("{error}: {}{}", ran.out, ran.err));
    let word = |finding: &Value, key: &str| finding[key].as_str().expect("a word").to_owned();
    let findings = report["findings"].as_array().expect("findings").iter();
    findings.filter(|one| one["breaking"] == true).map(|one| (word(one, "rule"), word(one, "id"))).collect()
}

#[test]
fn the_terms_of_the_base_judge_through_links_as_well() {
    if git_is_missing() {
        return;
    }
    let lenient = lenient();
    let outside = Place::new();
    let to_outside = format!("rules-dir: ../{}\n", outside.path("").file_name().expect("a name").to_string_lossy());
    outside.write("own.yaml", OWN_RULE);
    // What lies in the base, its links, and what the change writes.
    let cases: &[(&str, Files<'_>, Files<'_>, Files<'_>)] = &[
        (
            "a link",
            &[("conf/w.yaml", "mode: full\n")],
            &[("wireproof.yaml", "conf/w.yaml")],
            &[("conf/w.yaml", "mode: none\n")],
        ),
        (
            "several links",
            &[("a/w.yaml", "mode: full\n")],
            &[("wireproof.yaml", "b/x"), ("b/x", "../c/./y"), ("c/y", "../a/w.yaml")],
            &[("a/w.yaml", "mode: none\n")],
        ),
        (
            "a linked folder",
            &[("conf/wireproof.yaml", "mode: full\n")],
            &[(".github", "conf")],
            &[("conf/wireproof.yaml", "mode: none\n")],
        ),
        (
            "a rule file",
            &[("real/x.yaml", OWN_RULE), ("wireproof.yaml", "rules-dir: rr\n")],
            &[("rr/x.yaml", "../real/x.yaml")],
            &[("real/x.yaml", &lenient)],
        ),
        (
            "a folder of rules",
            &[("real/x.yaml", OWN_RULE), ("wireproof.yaml", "rules-dir: rr\n")],
            &[("rr", "real")],
            &[("real/x.yaml", &lenient)],
        ),
        ("rules outside", &[("wireproof.yaml", &to_outside)], &[], &[("wireproof.yaml", "mode: none\n")]),
    ];
    for (name, files, links, writes) in cases {
        let repo = linked(files, links);
        repo.write("m.proto", GROWN);
        let ran = run(&repo.path(""), &["check"]);
        assert!(ran.code == 0 && !ran.out.contains("of the base"), "{name}: {}", ran.out);
        for (path, text) in *writes {
            repo.write(path, text);
        }
        let ran = run(&repo.path(""), &["check"]);
        assert_eq!(ran.code, 0, "{name}: {}{}", ran.out, ran.err);
        let is_read = !files[0].1.starts_with("mode") || ran.out.contains("it was `full`");
        assert!(is_read, "{name}: {}", ran.out);
        repo.write("m.proto", BROKEN);
        let found = breaking(&repo, &[]);
        assert!(found.iter().any(|(rule, _)| rule == "policy/configuration-loosened"), "{name}: {found:?}");
        assert_eq!(run(&repo.path(""), &["check"]).code, 1, "{name}");
    }
}

#[test]
fn a_configuration_that_is_named_by_a_link_is_looked_for_by_it() {
    if git_is_missing() {
        return;
    }
    let repo = linked(&[("a.yaml", "mode: full\n"), ("b.yaml", "mode: none\n")], &[("gate.yaml", "a.yaml")]);
    std::fs::remove_file(repo.path("gate.yaml")).expect("a link");
    std::os::unix::fs::symlink("b.yaml", repo.path("gate.yaml")).expect("a link");
    repo.write("m.proto", BROKEN);
    assert_eq!(breaking(&repo, &["--config", "gate.yaml"])[0].0, "policy/configuration-loosened");
}

#[test]
fn a_waiver_file_behind_a_link_tells_what_is_spent() {
    if git_is_missing() {
        return;
    }
    let repo = linked(&[], &[]);
    repo.write("m.proto", BROKEN);
    let entry = format!("- id: {}\n  reason: nobody sends it\n", breaking(&repo, &[])[0].1);
    let repo = linked(&[("real.yaml", &entry)], &[(".wireproof-waivers.yaml", "real.yaml")]);
    repo.write("m.proto", BROKEN);
    let ran = run(&repo.path(""), &["check"]);
    assert!(ran.code == 1 && ran.out.contains("policy/waiver-spent"), "{}{}", ran.out, ran.err);
    repo.write("real.yaml", &entry.replace("nobody", "once more nobody"));
    let ran = run(&repo.path(""), &["check"]);
    assert!(ran.code == 0 && ran.out.contains("policy/waiver-added"), "{}{}", ran.out, ran.err);
}

#[test]
fn terms_that_work_on_disk_and_cannot_be_read_in_the_base_are_no_pass() {
    if git_is_missing() {
        return;
    }
    let pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:\
                   4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\nsize 12345\n";
    // Of the base: a file, links to nothing that git has, a loop, and a pointer in the place of a file.
    let cases: &[(&str, Files<'_>, Files<'_>)] = &[
        ("wireproof.yaml", &[], &[("wireproof.yaml", "not/tracked.yaml")]),
        ("wireproof.yaml", &[], &[("wireproof.yaml", "../out/w.yaml")]),
        ("wireproof.yaml", &[], &[("wireproof.yaml", "/absolute/w.yaml")]),
        ("wireproof.yaml", &[], &[("wireproof.yaml", "x"), ("x", "wireproof.yaml")]),
        ("wireproof.yaml", &[("wireproof.yaml", pointer)], &[]),
        (".wireproof-waivers.yaml", &[], &[(".wireproof-waivers.yaml", "not/tracked.yaml")]),
    ];
    for (path, files, links) in cases {
        let repo = linked(files, links);
        std::fs::remove_file(repo.path(path)).expect("a file");
        let written = if path.contains("waivers") { "" } else { "rules: {policy/configuration-loosened: note}\n" };
        repo.write(path, written).write("m.proto", GROWN);
        let ran = run(&repo.path(""), &["check"]);
        assert!(ran.code == 1 && ran.out.contains("of the base cannot be read"), "{links:?}: {}{}", ran.out, ran.err);
        // Whoever runs the check may let the change's own terms judge, and whoever decides may accept it.
        assert_eq!(run(&repo.path(""), &["check", "--configuration", "head"]).code, 0, "{links:?}");
        let (_, id) = breaking(&repo, &[]).remove(0);
        let ran = run(&repo.path(""), &["accept", &id, "--reason", "the link is mended"]);
        assert_eq!(ran.code, 0, "{}", ran.err);
        assert_eq!(run(&repo.path(""), &["check"]).code, 0, "{links:?}");
    }
}
