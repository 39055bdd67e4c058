//! `wireproof init`: what it finds, what it writes, and what it leaves alone.
//!
//! What it writes is checked by `actionlint`, `zizmor` and `pre-commit`, where these are on PATH; otherwise that part of a
//! test says that it was skipped.

use std::fs;
use std::process::Command;

use crate::git::{Place, Ran, commit, git, git_is_missing, run};
use crate::support::skip;

const PROTO: &str = "syntax = \"proto3\";\npackage shop;\nmessage Order {\n  int32 id = 1;\n}\n";

fn init(place: &Place, arguments: &[&str]) -> Ran {
    run(&place.path(""), &[&["init"], arguments].concat())
}

fn read(place: &Place, path: &str) -> String {
    fs::read_to_string(place.path(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn is_there(place: &Place, path: &str) -> bool {
    place.path(path).exists()
}

/// A repository with a remote on GitHub.
fn on_github() -> Option<Place> {
    if git_is_missing() {
        return None;
    }
    let place = crate::git::repository();
    git(&place.path(""), &["remote", "add", "origin", "https://github.com/octocat/schemas.git"]);
    place.write("proto/shop/order.proto", PROTO);
    commit(&place, "schemas");
    Some(place)
}

/// Runs a linter in a folder; says so where it is missing.
fn lint(place: &Place, program: &str, arguments: &[&str]) {
    match Command::new(program).args(arguments).current_dir(place.path("")).output() {
        Err(error) => skip(program, &format!("what `init` writes ({error})")),
        Ok(output) => assert!(
            output.status.success(),
            "{program}: {}{}",
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr)
        ),
    }
}

#[test]
fn an_empty_folder_is_told_what_is_recognised() {
    let place = Place::new();
    place.write("README.md", "nothing here");
    let ran = init(&place, &["--github"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.out.contains("no schemas found in this folder"), "{}", ran.out);
    for ending in [".proto", ".avsc", ".avdl", ".fbs", ".thrift"] {
        assert!(ran.out.contains(ending), "{}", ran.out);
    }
    assert!(!is_there(&place, ".github") && !is_there(&place, "wireproof.yaml"));
}

#[test]
fn outside_of_git_it_writes_the_configuration() {
    let place = Place::new();
    place.write("order.proto", PROTO);
    let ran = init(&place, &[]);
    assert!(ran.code == 0 && ran.out.contains("1 file written"), "{}{}", ran.out, ran.err);
    assert!(ran.out.contains("no git repository"), "{}", ran.out);
    assert!(!is_there(&place, ".github"));
    place.write("old/order.proto", PROTO).write("new/order.proto", PROTO);
    let checked = run(&place.path(""), &["compare", "old", "new"]);
    assert_eq!(checked.code, 0, "the configuration is accepted: {}{}", checked.out, checked.err);
}

#[test]
fn a_repository_on_github_gets_its_workflow_and_a_second_run_writes_nothing() {
    let Some(place) = on_github() else { return };
    place.write("proto/buf.yaml", "version: v2\n");
    let shown = init(&place, &["--dry-run"]);
    assert!(shown.out.contains("2 files would be written; nothing was"), "{}", shown.out);
    assert!(shown.out.contains("proto/buf.yaml, which says where imports start"), "{}", shown.out);
    assert!(!is_there(&place, "wireproof.yaml") && !is_there(&place, ".github"));
    let ran = init(&place, &[]);
    assert!(ran.code == 0 && ran.out.contains("2 files written"), "{}{}", ran.out, ran.err);
    assert!(ran.out.contains("there is no release of wireproof yet"), "{}", ran.out);
    let written = [read(&place, "wireproof.yaml"), read(&place, ".github/workflows/wireproof.yml")];
    let again = init(&place, &[]);
    assert!(again.code == 0 && again.out.contains("nothing to write: everything is there already"), "{}", again.out);
    assert_eq!([read(&place, "wireproof.yaml"), read(&place, ".github/workflows/wireproof.yml")], written);
    let checked = run(&place.path(""), &["check", "--against", "git:HEAD"]);
    assert_eq!(checked.code, 0, "{}{}", checked.out, checked.err);
}

#[test]
fn from_a_folder_below_the_top_is_set_up() {
    let Some(place) = on_github() else { return };
    let ran = run(&place.path("proto"), &["init"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(is_there(&place, "wireproof.yaml") && is_there(&place, ".github/workflows/wireproof.yml"));
    assert!(!is_there(&place, "proto/wireproof.yaml"));
}

#[test]
fn schemas_of_others_are_left_out_where_there_are_own_ones() {
    let place = Place::new();
    place.write("api/[v1]/vendor/x.proto", PROTO).write("third_party/y.thrift", "struct Y {}\n");
    let only_foreign = init(&place, &["--dry-run"]);
    assert!(!only_foreign.out.contains("exclude:"), "{}", only_foreign.out);
    place.write("events/order.avsc", "\"string\"").write("node_modules_of_mine/z.fbs", "table Z {}\n");
    let ran = init(&place, &[]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let text = read(&place, "wireproof.yaml");
    assert!(text.contains("  - \"api/[[]v1[]]/vendor/\"\n  - \"third_party/\"\n"), "{text}");
    assert!(!text.contains("node_modules_of_mine"), "{text}");
    assert!(text.contains("Avro is judged backward"), "{text}");
    let ran = run(&place.path(""), &["compare", "events", "events", "--config", "wireproof.yaml"]);
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    let whole = run(&place.path(""), &["compare", ".", ".", "--format", "json"]);
    let report: serde_json::Value = serde_json::from_str(&whole.out).expect("a report");
    assert_eq!(report["stats"]["files_new"], 2, "what is excluded is not judged: {}", whole.out);
}

#[test]
fn the_languages_that_are_judged_backward_are_named() {
    let place = Place::new();
    place.write("b.avsc", "\"string\"").write("c.schema.json", "{}");
    assert!(init(&place, &["--dry-run"]).out.contains("new readers must read old data (backward)"));
    place.write("a.proto", PROTO);
    let ran = init(&place, &["--dry-run"]);
    assert!(ran.out.contains("Avro and JSON Schema are judged backward"), "{}", ran.out);
}

#[test]
fn what_is_there_is_never_overwritten() {
    let Some(place) = on_github() else { return };
    place.write(".github/wireproof.yaml", "mode: backward\n");
    place.write(".github/workflows/wireproof.yml", "name: mine\non: push\njobs: {}\n");
    let ran = init(&place, &[]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.out.contains("there already  .github/wireproof.yaml"), "{}", ran.out);
    assert!(ran.out.contains("left alone  .github/workflows/wireproof.yml"), "{}", ran.out);
    assert!(ran.out.contains("  - name: mine") && ran.out.contains("nothing written"), "{}", ran.out);
    assert!(read(&place, ".github/workflows/wireproof.yml").starts_with("name: mine"));
    assert!(!is_there(&place, "wireproof.yaml"));
}

#[test]
fn a_workflow_that_uses_wireproof_is_enough() {
    let Some(place) = on_github() else { return };
    let ci = "name: ci\non: pull_request\njobs:\n  schemas:\n    runs-on: ubuntu-latest\n    steps:\n";
    place.write(".github/workflows/ci.yml", &format!("{ci}      - uses: octocat/wireproof@main\n"));
    let ran = init(&place, &["--forks"]);
    assert!(ran.out.contains("wireproof is used in .github/workflows/ci.yml"), "{}", ran.out);
    assert!(ran.out.contains("left alone  .github/workflows/ci.yml: the workflow for forks needs"), "{}", ran.out);
    assert!(ran.out.contains("name: wireproof-report"), "{}", ran.out);
    assert!(!is_there(&place, ".github/workflows/wireproof.yml"));
    assert!(is_there(&place, ".github/workflows/wireproof-forks.yml"));
}

#[test]
fn what_was_written_for_forks_is_there_for_a_run_without_them() {
    let Some(place) = on_github() else { return };
    init(&place, &["--github", "--forks"]);
    let ran = init(&place, &["--github"]);
    assert!(!ran.out.contains("left alone"), "{}", ran.out);
    assert!(ran.out.contains("nothing to write"), "{}", ran.out);
    // Of a workflow that says something else, what is missing is shown once.
    place.write(".github/workflows/wireproof.yml", "name: mine\n");
    let ran = init(&place, &["--github", "--forks"]);
    assert_eq!(ran.out.matches("left alone").count(), 1, "{}", ran.out);
    assert_eq!(ran.out.matches("name: wireproof-report").count(), 1, "{}", ran.out);
}

#[test]
fn what_it_writes_for_github_passes_the_linters() {
    let Some(place) = on_github() else { return };
    for arguments in [&["--github"][..], &["--forks", "--action", "octocat/wireproof@v1"], &["--forks", "--pre-commit"]]
    {
        for path in
            [".github/workflows/wireproof.yml", ".github/workflows/wireproof-forks.yml", ".pre-commit-config.yaml"]
        {
            let _ = fs::remove_file(place.path(path));
        }
        let ran = init(&place, arguments);
        assert_eq!(ran.code, 0, "{}", ran.err);
        let workflow = read(&place, ".github/workflows/wireproof.yml");
        assert_eq!(workflow.contains("uses: octocat/wireproof@v1"), arguments.contains(&"--action"), "{workflow}");
        assert!(!workflow.contains("ACTION"), "{workflow}");
        lint(&place, "actionlint", &[]);
        if !arguments.contains(&"--action") {
            lint(&place, "zizmor", &["--offline", "--quiet", "."]);
        }
    }
    lint(&place, "pre-commit", &["validate-config"]);
    let poster = read(&place, ".github/workflows/wireproof-forks.yml");
    assert!(!poster.contains("checkout@") && poster.contains("permissions: {}"), "{poster}");
    assert!(poster.contains("--from-fork"), "{poster}");
}

#[test]
fn the_hook_is_added_and_nothing_else_is_touched() {
    let place = Place::new();
    place.write("order.proto", PROTO);
    let before = "# ours\ndefault_stages: [pre-commit]\nrepos: # in this order\n\n  # spaces\n  - repo: https://example.org/hooks\n    rev: v1 # pinned\n    hooks: [{id: spaces}]\n";
    for end in ["\n", "\r\n"] {
        let before = before.replace('\n', end);
        place.write(".pre-commit-config.yaml", &before);
        let ran = init(&place, &[]);
        assert_eq!(ran.code, 0, "{}", ran.err);
        let after = read(&place, ".pre-commit-config.yaml");
        let added: Vec<&str> = after.lines().filter(|line| !before.lines().any(|known| known == *line)).collect();
        let kept: Vec<&str> = after.lines().filter(|line| !added.contains(line)).collect();
        assert_eq!(kept, before.lines().collect::<Vec<_>>(), "{after}");
        assert!(added[0] == "  - repo: local" && added.len() == 10, "{after}");
        assert_eq!(after.matches('\n').count(), after.matches(end).count(), "{after:?}");
        assert!(init(&place, &["--pre-commit"]).out.contains("nothing to write"));
        lint(&place, "pre-commit", &["validate-config"]);
    }
}

#[test]
fn a_hook_file_that_is_not_understood_is_left_alone() {
    let place = Place::new();
    place.write("order.proto", PROTO);
    for odd in
        ["repos: []\n", "repos: [{repo: local, hooks: []}]\n", "default_stages: [push]\n", "repos:\n", "repos:\n- *x\n"]
    {
        place.write(".pre-commit-config.yaml", odd);
        let ran = init(&place, &["--pre-commit"]);
        assert!(ran.code == 0 && ran.out.contains("Add this by hand"), "{odd}: {}{}", ran.out, ran.err);
        assert!(ran.out.contains("entry: wireproof check"), "{}", ran.out);
        assert_eq!(read(&place, ".pre-commit-config.yaml"), odd);
    }
}

#[test]
fn the_entry_of_the_hook_is_a_command_that_there_is() {
    let Some(place) = on_github() else { return };
    init(&place, &["--pre-commit"]);
    let text = read(&place, ".pre-commit-config.yaml");
    let entry = text.lines().find_map(|line| line.trim().strip_prefix("entry: wireproof ")).expect("an entry");
    let arguments: Vec<&str> = entry.split_whitespace().collect();
    let ran = run(&place.path(""), &arguments);
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
}

#[cfg(unix)]
#[test]
fn a_folder_that_may_not_be_written_is_an_error() {
    use std::os::unix::fs::PermissionsExt;
    let place = Place::new();
    place.write("order.proto", PROTO);
    fs::set_permissions(place.path(""), fs::Permissions::from_mode(0o555)).expect("it is ours");
    let may_write = fs::write(place.path("probe"), "").is_ok();
    let ran = init(&place, &[]);
    fs::set_permissions(place.path(""), fs::Permissions::from_mode(0o755)).expect("it is ours");
    if may_write {
        skip("a user who is not root", "a folder that may not be written");
    } else {
        assert!(ran.code == 2 && ran.err.contains("cannot write `wireproof.yaml`"), "{}{}", ran.out, ran.err);
        assert!(!is_there(&place, "wireproof.yaml"));
    }
    // A file where a folder should be stops everybody.
    place.write(".github", "a file");
    let ran = init(&place, &["--github"]);
    assert!(ran.code == 2 && ran.err.contains(".github/workflows"), "{} {}{}", ran.code, ran.out, ran.err);
}

#[test]
fn an_action_is_named_as_workflows_do() {
    let place = Place::new();
    place.write("order.proto", PROTO);
    for odd in ["wireproof", "octocat/wireproof", "octocat/wireproof@a b", "octocat/wireproof@x\"\n- run: evil", "@x"] {
        let ran = init(&place, &["--github", "--action", odd]);
        assert!(ran.code == 2 && ran.err.contains("OWNER/NAME@COMMIT"), "{odd}: {}{}", ran.out, ran.err);
    }
    assert!(!is_there(&place, ".github"));
}
