//! What we say that buf reports, against the real `buf` 1.75: the same rules at the same places in the same words.
//!
//! The program is looked for in `WIREPROOF_BUF` and on the search path. Where there is none, or another version, these
//! tests say so loudly and pass.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use rayon::prelude::*;
use serde::Deserialize;

use crate::compared::REPORTED;
use crate::git::{Place, Ran, run};
use crate::support::{Case, all_cases, expect_file, fixtures, root, skip};
use wireproof::formats::Format;
use wireproof::report;
use wireproof::rules::{PeerRule, Profile, RuleSet};
use wireproof::source::Snapshot;
use wireproof::verdict::Policy;

/// The version that is modelled.
const VERSION: &str = "1.75.0";

/// The real program, if there is one of that version.
pub(crate) fn buf() -> Option<PathBuf> {
    let path = std::env::var_os("WIREPROOF_BUF").map_or_else(|| PathBuf::from("buf"), PathBuf::from);
    let said = Command::new(&path).arg("--version").output().ok().filter(|output| output.status.success());
    let version = said.map(|output| {
        let said = if output.stdout.is_empty() { output.stderr } else { output.stdout };
        String::from_utf8_lossy(&said).trim().to_owned()
    });
    if version.as_deref() == Some(VERSION) {
        return Some(path);
    }
    let found = version.map_or_else(|| "there is none".to_owned(), |version| format!("found {version}"));
    skip(
        &format!("buf {VERSION}"),
        &format!("what we say that buf reports; {found} on PATH or named by WIREPROOF_BUF"),
    );
    None
}

/// One line of either program, what is compared of it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
struct Line {
    #[serde(default)]
    path: String,
    #[serde(rename = "type")]
    id: String,
    start_line: u32,
    start_column: u32,
    end_line: u32,
    end_column: u32,
    message: String,
}

/// Words of buf's that are slips, and what we say.
const SLIPS: &[(&str, &str)] = &[("\"q moved from oneof ", "\" moved from oneof ")];

fn lines(text: &str, sides: Option<&Path>) -> BTreeSet<Line> {
    let parse = |line: &str| {
        let mut line: Line = serde_json::from_str(line).expect("each line is an object");
        for folder in sides.iter().flat_map(|sides| [sides.join("old"), sides.join("new")]) {
            if let Ok(inside) = Path::new(&line.path).strip_prefix(&folder) {
                line.path = inside.to_string_lossy().replace('\\', "/");
            }
        }
        for (slip, meant) in SLIPS {
            line.message = line.message.replace(slip, meant);
        }
        line
    };
    text.lines().map(parse).collect()
}

fn write(folder: &Path, side: &Snapshot) {
    fs::create_dir_all(folder).expect("the folder is ours");
    for (path, file) in side.iter().filter(|(path, _)| path.ends_with(".proto")) {
        let path = folder.join(&**path);
        fs::create_dir_all(path.parent().expect("it lies in the folder")).expect("the folder is ours");
        fs::write(path, &file.bytes).expect("the folder is ours");
    }
}

/// What buf reports of a case; `None` where it does not build one of the sides.
fn said_by_buf(buf: &Path, case: &Case, categories: &[&str]) -> Option<BTreeSet<Line>> {
    let folder = tempfile::tempdir().expect("temporary folders can be made");
    write(&folder.path().join("old"), &case.sides.old);
    write(&folder.path().join("new"), &case.sides.new);
    let config = format!(r#"{{"version":"v2","breaking":{{"use":["{}"]}}}}"#, categories.join("\",\""));
    let output = Command::new(buf)
        .arg("breaking")
        .arg(folder.path().join("new"))
        .arg("--against")
        .arg(folder.path().join("old"))
        .args(["--error-format", "json", "--config", &config])
        .current_dir(folder.path())
        .output()
        .expect("it ran a moment ago");
    let text = String::from_utf8_lossy(&output.stdout);
    // Paths are told as they were asked for.
    let said = lines(&text, Some(folder.path()));
    let is_built = matches!(output.status.code(), Some(0 | 100)) && said.iter().all(|line| line.id != "COMPILE");
    is_built.then_some(said)
}

fn said_by_us(case: &Case, profile: Option<&Profile>) -> (BTreeSet<Line>, String) {
    let policy = Policy { profile: profile.map(|one| one.all_in_force(RuleSet::built_in())), ..Policy::default() };
    let report = case.report(&policy);
    (lines(&report::buf::render(&report), None), report.verdict.to_string())
}

const ALL: [&str; 4] = ["FILE", "PACKAGE", "WIRE_JSON", "WIRE"];

/// What buf does not build though we do, and why, beside cases that lack an import. This list may only shrink.
const NOT_BUILT: &[(&str, &str)] = &[
    ("protobuf/message-set-changed::example-1", "a message set, which buf refuses"),
    ("protobuf/message-set-changed::example-2", "a message set, which buf refuses"),
    ("fixtures/protobuf/a-break-beside-a-copy-of-what-was-there-breaks", "a name is declared twice, which buf refuses"),
    (
        "fixtures/protobuf/a-copy-of-a-service-goes-with-a-method-that-no-other-has",
        "a name is declared twice, which buf refuses",
    ),
    (
        "fixtures/protobuf/a-file-moves-beside-a-copy-of-its-service-as-one-note",
        "a name is declared twice, which buf refuses",
    ),
    ("fixtures/protobuf/a-message-set-inside-of-a-field-is-written-otherwise", "a message set, which buf refuses"),
    ("fixtures/protobuf/a-service-goes-and-another-of-its-name-stays", "a name is declared twice, which buf refuses"),
    (
        "fixtures/protobuf/a-service-that-two-files-declare-loses-a-method-in-one",
        "a name is declared twice, which buf refuses",
    ),
    ("fixtures/protobuf/a-side-that-does-not-parse-is-no-pass", "it does not parse"),
    (
        "fixtures/protobuf/a-vendored-copy-of-the-descriptor-comes-with-an-option",
        "a built-in name is declared again, which buf refuses",
    ),
    (
        "fixtures/protobuf/a-vendored-copy-of-the-descriptor-goes-with-all-that-imported-it",
        "a built-in name is declared again, which buf refuses",
    ),
    ("fixtures/protobuf/an-enum-goes-and-another-of-its-name-stays", "a name is declared twice, which buf refuses"),
    ("fixtures/protobuf/files-that-move-keep-their-types-apart", "a name is declared twice, which buf refuses"),
    ("fixtures/protobuf/folders-that-move-keep-their-types-apart", "a name is declared twice, which buf refuses"),
    (
        "fixtures/protobuf/of-two-messages-of-one-name-the-one-that-goes-is-told",
        "a name is declared twice, which buf refuses",
    ),
];

fn differences(case: &Case, theirs: &BTreeSet<Line>, ours: &BTreeSet<Line>) -> Vec<String> {
    let only = |who: &str, these: &BTreeSet<Line>, others: &BTreeSet<Line>| {
        let lines = these.difference(others).map(|line| format!("{}: only {who}: {line:?}", case.name));
        lines.collect::<Vec<_>>()
    };
    [only("buf", theirs, ours), only("we", ours, theirs)].concat()
}

/// Compares what both say of cases; the names of those that buf does not build.
fn compare(buf: &Path, cases: &[Case]) -> (Vec<String>, Vec<String>) {
    let results: Vec<(Vec<String>, Option<String>)> = cases
        .par_iter()
        .map(|case| match said_by_buf(buf, case, &ALL) {
            None => (Vec::new(), Some(case.name.clone())),
            Some(theirs) => (differences(case, &theirs, &said_by_us(case, None).0), None),
        })
        .collect();
    let (found, not_built): (Vec<_>, Vec<_>) = results.into_iter().unzip();
    (found.concat(), not_built.into_iter().flatten().collect())
}

/// Whether a version imports what is not there, which buf refuses.
fn lacks_an_import(case: &Case) -> bool {
    let problems = case.check().problems;
    let mut all = problems.old.iter().chain(&problems.new);
    all.any(|problem| problem.message.starts_with("import `") && problem.message.contains("` was not found"))
}

#[test]
fn every_case_is_reported_as_buf_reports_it() {
    let Some(buf) = buf() else { return };
    let is_ours = |case: &Case| case.format == Format::Protobuf && case.roots.is_empty();
    let cases: Vec<Case> = all_cases().into_iter().filter(is_ours).collect();
    let (found, not_built) = compare(&buf, &cases);
    assert!(found.is_empty(), "{} differences\n{}", found.len(), found.join("\n"));
    let is_listed = |case: &Case| NOT_BUILT.iter().any(|(name, _)| *name == case.name);
    let known: Vec<&Case> = cases.iter().filter(|case| is_listed(case) || lacks_an_import(case)).collect();
    let names: Vec<&str> = known.iter().map(|case| &*case.name).collect();
    assert_eq!(not_built, names, "what buf builds is compared, and nothing else may be left out");
    let needed = known.iter().filter(|case| !lacks_an_import(case)).count();
    assert_eq!(needed, NOT_BUILT.len(), "each in the list is a case, and is known by nothing else");
}

#[test]
fn every_category_breaks_where_it_does_in_buf() {
    let Some(buf) = buf() else { return };
    let cases: Vec<Case> =
        fixtures().into_iter().map(|(_, case)| case).filter(|case| case.format == Format::Protobuf).collect();
    let profiles: Vec<&Profile> = Profile::all().filter(|profile| profile.tool == "buf").collect();
    let found: Vec<String> = cases
        .par_iter()
        .flat_map_iter(|case| profiles.iter().map(move |profile| (case, *profile)))
        .flat_map_iter(|(case, profile)| {
            let category = profile.category.as_ref().expect("each of buf's profiles is a category");
            let Some(theirs) = said_by_buf(&buf, case, &[&category.name]) else { return Vec::new() };
            let (ours, verdict) = said_by_us(case, Some(profile));
            let mut found = differences(case, &theirs, &ours);
            if (verdict == "breaking") == theirs.is_empty() {
                found.push(format!(
                    "{} under {}: {verdict}, and buf has {} lines",
                    case.name,
                    profile.name,
                    theirs.len()
                ));
            }
            found
        })
        .collect();
    assert!(found.is_empty(), "{} differences\n{}", found.len(), found.join("\n"));
}

/// A rule as `buf config ls-breaking-rules` lists it.
#[derive(Debug, Deserialize)]
struct Listed {
    id: String,
    categories: Vec<String>,
    default: bool,
    deprecated: bool,
    replacements: Option<Vec<String>>,
}

#[test]
fn the_rules_and_their_categories_are_those_that_buf_lists() {
    let Some(buf) = buf() else { return };
    for version in ["v1beta1", "v1", "v2"] {
        let output = Command::new(&buf)
            .args(["config", "ls-breaking-rules", "--include-deprecated", "--format", "json", "--version", version])
            .output()
            .expect("it ran a moment ago");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let mut listed: Vec<Listed> =
            text.lines().map(|line| serde_json::from_str(line).expect("each line is a rule")).collect();
        listed.sort_by(|one, other| one.id.cmp(&other.id));
        assert!(listed.len() > 60, "buf lists {} rules of {version}", listed.len());
        let known = RuleSet::built_in().peer_rules("buf").iter().filter(|rule| rule.categories.contains_key(version));
        let sorted = |mut names: Vec<String>| {
            names.sort();
            names
        };
        let ours: Vec<_> = known
            .map(|rule| {
                let categories = rule.categories[version].clone();
                let is_default = categories.iter().any(|category| category == "FILE");
                let replaced_by = sorted(rule.replaced_by.clone());
                (rule.id.clone(), sorted(categories), is_default, rule.deprecated, replaced_by)
            })
            .collect();
        let theirs: Vec<_> = listed
            .into_iter()
            .map(|rule| {
                let replaced_by = sorted(rule.replacements.unwrap_or_default());
                (rule.id, sorted(rule.categories), rule.default, rule.deprecated, replaced_by)
            })
            .collect();
        assert_eq!(ours, theirs, "{version}");
    }
}

#[test]
fn the_command_line_judges_as_buf_and_prints_its_lines() {
    let place = Place::new();
    let text =
        |ty: &str, note: &str| format!("syntax = \"proto3\";\npackage p.v1;\nmessage M {{\n  {ty} a = 1;{note}\n}}\n");
    place
        .write("old/p.proto", &text("int32", "\n  string b = 2;"))
        .write("new/p.proto", &text("int64", "\n  reserved 2;"));
    let run =
        |options: &[&str]| run(&place.path(""), &[&["compare", "old", "new", "--format", "buf"], options].concat());
    let said = |ran: &Ran| lines(&ran.out, None).into_iter().map(|line| (line.id, line.start_line)).collect::<Vec<_>>();
    let named = |names: &[(&str, u32)]| names.iter().map(|(id, line)| ((*id).to_owned(), *line)).collect::<Vec<_>>();
    let wire = run(&["--profile", "buf/WIRE"]);
    assert_eq!((wire.code, said(&wire)), (0, Vec::new()), "int32 to int64 is one type for WIRE, and 2 is reserved");
    let json = run(&["--profile", "buf/WIRE_JSON"]);
    let expected = named(&[("FIELD_NO_DELETE_UNLESS_NAME_RESERVED", 3), ("FIELD_WIRE_JSON_COMPATIBLE_TYPE", 4)]);
    assert_eq!((json.code, said(&json)), (1, expected));
    let file = run(&["--profile", "buf/FILE"]);
    assert_eq!((file.code, said(&file)), (1, named(&[("FIELD_NO_DELETE", 3), ("FIELD_SAME_TYPE", 4)])));
    let all = run(&["--exit-zero"]);
    assert_eq!((all.code, said(&all).len()), (0, 2), "without a profile and a section, as buf does: {}", all.out);
    place.write("new/p.proto", "syntax = \"proto3\"; message {");
    place.write("old/p.proto", "syntax = \"proto3\"; message {");
    let broken = run(&["--profile", "buf/FILE"]);
    assert_eq!(broken.code, 3, "{}", broken.err);
    assert!(said(&broken).iter().any(|(id, _)| id == "COMPILE"), "{}", broken.out);
}

/// The page that says under which of our rules each of buf's stands: measured over every rule example and every fixture.
#[test]
fn every_rule_of_buf_fires_somewhere_and_the_page_says_under_which_of_ours() {
    let mut ours: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (_, report) in REPORTED.iter().filter(|(case, _)| case.format == Format::Protobuf) {
        for finding in &report.findings {
            for id in finding.peers.get("buf").into_iter().flatten() {
                ours.entry(id.clone()).or_default().insert(finding.rule.clone());
            }
        }
    }
    let rules = RuleSet::built_in().peer_rules("buf");
    let active: Vec<_> = rules.iter().filter(|rule| !rule.deprecated).collect();
    assert_eq!(active.len(), 64, "buf 1.75 has 64 rules that do something");
    let silent: Vec<&str> = active.iter().map(|rule| rule.id.as_str()).filter(|id| !ours.contains_key(*id)).collect();
    assert!(silent.is_empty(), "no case shows {silent:?}");
    let unknown: Vec<&String> = ours.keys().filter(|id| !active.iter().any(|rule| rule.id == **id)).collect();
    assert!(unknown.is_empty(), "buf has no rules {unknown:?}");
    let row = |rule: &&PeerRule| {
        let categories = rule.categories.get("v2").map_or_else(String::new, |categories| code_list(categories));
        let names: Vec<&str> = ours[&rule.id].iter().map(|name| name.trim_start_matches("protobuf/")).collect();
        format!("| `{}` | {categories} | {} |", rule.id, code_list(&names))
    };
    let rows: Vec<String> = active.iter().map(row).collect();
    let page = format!("{PAGE}\n{}\n", rows.join("\n"));
    expect_file(&root().join("docs/buf-rules.md"), &page).unwrap_or_else(|difference| panic!("{difference}"));
}

fn code_list<T: AsRef<str>>(names: &[T]) -> String {
    names.iter().map(|name| format!("`{}`", name.as_ref())).collect::<Vec<_>>().join(", ")
}

/// What stands above the table.
const PAGE: &str = "# The rules of buf, and ours

Written by `UPDATE=1 cargo test`; do not edit.

Every rule of `buf breaking` 1.75 that does something, with its categories in a `buf.yaml` of version 2, and the rules
of ours under which it stood in the examples of the rules and in the fixtures.
`buf-refused` is what is said where buf reports a place at which readers notice nothing.

Each finding names the rules of buf that fire for it, in the JSON report under `peers.buf`. `--profile buf/WIRE` and its
siblings judge by them ([modes.md](modes.md#profiles)), and `--format buf` prints what buf would print. What differs
otherwise is told in [compare.md](compare.md).

| rule of buf | categories | ours |
|---|---|---|";
