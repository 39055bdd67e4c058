//! The files that say what is judged and what is waived: plain, of a sane size, and written by one at a time.

use std::fs;
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::git::{NEW, OLD, Place, clean, commit, git, git_is_missing, git_output, repository, run};
use crate::support::is_windows;

/// A repository in which a field goes, so that there is a verdict to change.
fn broken() -> Place {
    let place = repository();
    place.write("shop/order.proto", NEW);
    place
}

#[cfg(unix)]
fn link(place: &Place, target: &str, path: &str) {
    let _ = fs::remove_file(place.path(path));
    fs::create_dir_all(place.path(path).parent().expect("a folder")).expect("a folder");
    std::os::unix::fs::symlink(target, place.path(path)).expect("a link");
}

#[cfg(not(unix))]
fn link(_: &Place, _: &str, _: &str) {}

#[test]
fn devices_and_links_that_lead_out_are_no_terms_and_nothing_of_them_is_shown() {
    if git_is_missing() || is_windows("links and devices") {
        return;
    }
    let secret = Place::new();
    secret.write("secret", "mode: [the-secret-word\n");
    let outside = secret.path("secret").display().to_string();
    for target in ["/dev/zero", "/dev/stdin", "/nowhere", "../../../../../../etc/passwd", outside.as_str()] {
        for file in ["wireproof.yaml", ".github/wireproof.yaml", ".wireproof-waivers.yaml", "own/rule.yaml"] {
            let place = broken();
            if file.starts_with("own") {
                place.write("wireproof.yaml", "rules-dir: own\n");
            }
            link(&place, target, file);
            for arguments in [&["check"][..], &["check", "--staged"], &["accept", "123456789abc", "--reason", "x"]] {
                let ran = run(&place.path(""), arguments);
                assert_eq!(ran.code, 2, "{file} -> {target}: {}{}", ran.out, ran.err);
                assert!(!ran.err.contains("the-secret-word") && !ran.err.contains("root:"), "{}", ran.err);
            }
        }
    }
}

#[test]
fn folders_that_lead_out_hold_no_terms_and_nothing_is_written_there() {
    if git_is_missing() || is_windows("links") {
        return;
    }
    let elsewhere = Place::new();
    elsewhere.write("wireproof.yaml", "mode: [the-secret-word\n").write("w.yaml", "- {id: [the-secret-word\n");
    elsewhere.write("rule.yaml", "the-secret-word: 1\n");
    let outside = elsewhere.path("").display().to_string();
    let configurations = [
        ("sub", "waivers: sub/w.yaml\n"),
        ("sub", "waivers: sub/deeper/none.yaml\n"),
        ("sub", "waivers: sub/none.yaml\n"),
        ("sub", "rules-dir: sub\n"),
        ("a/sub", "rules-dir: a/sub\n"),
        (".github", ""),
    ];
    for (folder, configuration) in configurations {
        let place = broken();
        link(&place, &outside, folder);
        if !configuration.is_empty() {
            place.write("wireproof.yaml", configuration);
        }
        for arguments in [&["check"][..], &["check", "--staged"], &["accept", "123456789abc", "--reason", "x"]] {
            let ran = run(&place.path(""), arguments);
            assert_eq!(ran.code, 2, "{folder} {configuration}: {}{}", ran.out, ran.err);
            assert!(!ran.err.contains("the-secret-word") && ran.err.contains("leads out"), "{}", ran.err);
        }
    }
    let there = fs::read_dir(elsewhere.path("")).expect("a folder").count();
    assert_eq!(there, 3, "nothing was written outside of the repository");
}

#[test]
fn a_file_without_end_is_no_configuration() {
    if git_is_missing() {
        return;
    }
    for file in ["wireproof.yaml", ".wireproof-waivers.yaml"] {
        let place = broken();
        let huge = fs::File::create(place.path(file)).expect("a file");
        huge.set_len(1 << 36).expect("a sparse file");
        let ran = run(&place.path(""), &["check"]);
        assert_eq!(ran.code, 2, "{}{}", ran.out, ran.err);
        assert!(ran.err.contains("larger than 16 MiB"), "{}", ran.err);
    }
}

#[test]
fn plain_terms_and_links_within_the_repository_are_read() {
    if git_is_missing() || is_windows("links") {
        return;
    }
    let place = repository();
    place.write("config/gate.yaml", "mode: none\n").write("config/waivers.yaml", "[]\n");
    link(&place, "config/gate.yaml", "wireproof.yaml");
    link(&place, "config/waivers.yaml", ".wireproof-waivers.yaml");
    commit(&place, "terms");
    place.write("shop/order.proto", NEW);
    assert_eq!(run(&place.path(""), &["check"]).code, 0);
    // Who names a file may name any, and a pipe.
    let named = place.path("config/gate.yaml").display().to_string();
    assert_eq!(run(&place.path("shop"), &["check", "--config", &named]).code, 0);
}

/// A repository with many breaks, and their ids.
fn many_breaks(count: usize) -> (Place, Vec<String>) {
    let place = repository();
    for number in 0..count {
        place.write(format!("shop/m{number}.proto"), &OLD.replace("package shop", &format!("package shop{number}")));
    }
    commit(&place, "many");
    for number in 0..count {
        place.write(format!("shop/m{number}.proto"), &NEW.replace("package shop", &format!("package shop{number}")));
    }
    let ran = run(&place.path(""), &["check", "--against", "git:HEAD", "--format", "json"]);
    let report: Value = serde_json::from_str(&ran.out).expect("a report");
    let breaking = report["findings"].as_array().expect("findings").iter().filter(|one| one["breaking"] == true);
    let ids: Vec<String> = breaking.map(|one| one["id"].as_str().expect("an id").to_owned()).collect();
    assert!(ids.len() >= count, "{ids:?}");
    place.write("report.json", &ran.out);
    (place, ids)
}

#[test]
fn entries_that_are_accepted_at_once_are_all_kept() {
    if git_is_missing() {
        return;
    }
    let (place, ids) = many_breaks(12);
    let started = ids.iter().map(|id| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_wireproof"));
        clean(&mut command);
        let arguments = ["accept", id, "--report", "report.json", "--reason", "all at once"];
        command
            .current_dir(place.path(""))
            .args(arguments)
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("it runs")
    });
    for child in started.collect::<Vec<_>>() {
        let output = child.wait_with_output().expect("it ends");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
    let text = fs::read_to_string(place.path(".wireproof-waivers.yaml")).expect("the waivers");
    for id in &ids {
        assert_eq!(text.matches(id.as_str()).count(), 1, "{id} in {text}");
    }
    assert_eq!(run(&place.path(""), &["check", "--against", "git:HEAD"]).code, 0);
    let left: Vec<String> = fs::read_dir(place.path(""))
        .expect("a folder")
        .flatten()
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    assert!(!left.iter().any(|name| name.ends_with(".tmp") || name.ends_with(".lock")), "{left:?}");
}

#[test]
fn an_entry_is_written_after_one_that_came_meanwhile() {
    if git_is_missing() {
        return;
    }
    let (place, ids) = many_breaks(2);
    let accept = |id: &str| run(&place.path(""), &["accept", id, "--report", "report.json", "--reason", "one by one"]);
    assert_eq!(accept(&ids[0]).code, 0);
    assert_eq!(accept(&ids[1]).code, 0);
    let twice = accept(&ids[1]);
    assert!(twice.code == 2 && twice.err.contains("already"), "{}", twice.err);
}

const BASE: &str = "syntax = \"proto3\";\npackage p;\nmessage M { int32 a = 1; }\n";
const GROWN: &str = "syntax = \"proto3\";\npackage p;\nmessage M { int32 a = 1; string b = 2; }\n";
const BROKEN: &str = "syntax = \"proto3\";\npackage p;\nmessage M { int32 a = 1; bool b = 2; }\n";

/// A repository in which changes are merged into `develop`, which `main` is behind.
fn developed(configuration_of_main: &str) -> Place {
    let repo = repository();
    repo.write("m.proto", BASE).write("wireproof.yaml", configuration_of_main);
    commit(&repo, "what is there");
    git(&repo.path(""), &["switch", "--quiet", "--create", "develop"]);
    repo.write("m.proto", GROWN).write("wireproof.yaml", "base: develop\n");
    commit(&repo, "a field that is not released yet");
    git(&repo.path(""), &["switch", "--quiet", "--create", "topic"]);
    repo.write("notes.txt", "of the branch");
    commit(&repo, "something else");
    repo
}

#[test]
fn the_base_that_the_configuration_names_counts_in_check_and_hook_once_the_default_branch_has_it() {
    if git_is_missing() {
        return;
    }
    for (configuration, code) in [("base: develop\n", 1), ("# none yet\n", 0)] {
        let repo = developed(configuration);
        repo.write("m.proto", BROKEN);
        // Against `main` the field is new; against `develop` its type changes.
        let ran = run(&repo.path(""), &["check"]);
        assert_eq!(ran.code, code, "{configuration}{}{}", ran.out, ran.err);
        assert_eq!(ran.out.contains("merge base of develop"), code == 1, "{}", ran.out);
        git(&repo.path(""), &["add", "--all"]);
        assert_eq!(run(&repo.path(""), &["check", "--staged"]).code, code, "{configuration}");
    }
}

#[test]
fn no_change_makes_itself_the_base_of_its_own_judgement() {
    if git_is_missing() {
        return;
    }
    let repo = repository();
    repo.write("m.proto", GROWN).write("wireproof.yaml", "mode: full\n");
    commit(&repo, "what is there");
    git(&repo.path(""), &["switch", "--quiet", "--create", "topic"]);
    repo.write("m.proto", BROKEN).write("wireproof.yaml", "mode: full\nbase: topic\n");
    commit(&repo, "a break, and a base that has it");
    let ran = run(&repo.path(""), &["check"]);
    assert!(ran.code == 1 && ran.out.contains("configuration-loosened"), "{}{}", ran.out, ran.err);
    repo.write("wireproof.yaml", "mode: full\nbase: nowhere\n");
    let ran = run(&repo.path(""), &["check"]);
    assert!(ran.code == 3 && ran.err.contains("the branch nowhere is not in this clone"), "{}{}", ran.out, ran.err);
}

#[test]
fn a_name_that_is_a_path_and_a_revision_is_refused() {
    if git_is_missing() {
        return;
    }
    let repo = repository();
    git(&repo.path(""), &["update-ref", "refs/remotes/origin/main", "HEAD"]);
    git(&repo.path(""), &["tag", "v1.4"]);
    git(&repo.path(""), &["switch", "--quiet", "--create", "topic"]);
    let folders = ["origin/main", "main", "v1.4", ".git#branch=main", "copy"];
    for folder in folders {
        repo.write(format!("{folder}/shop/order.proto"), NEW);
    }
    repo.write("shop/order.proto", NEW);
    commit(&repo, "a break, and folders that have it already");
    let check = |old: &str| run(&repo.path(""), &["check", "shop", "--against", old]);
    for name in ["origin/main", "main", "v1.4", "main:shop"] {
        fs::create_dir_all(repo.path(name)).expect("a folder");
        let ran = check(name);
        assert_eq!(ran.code, 2, "{name}: {}{}", ran.out, ran.err);
        for meant in [format!("`git:{name}`"), format!("`./{name}`")] {
            assert!(ran.err.contains(&meant), "{}", ran.err);
        }
        let whole = ["check", "--against", &format!("git:{}", name.trim_end_matches(":shop"))];
        assert_eq!(run(&repo.path(""), &whole).code, 1, "{name}");
        assert_eq!(run(&repo.path(""), &["check", "--head", name, "--against", "git:HEAD"]).code, 2, "{name}");
        for arguments in [["compare", name, "git:topic"], ["compare", name, "copy"], ["plan", name, "copy"]] {
            let ran = run(&repo.path(""), &arguments);
            assert!(ran.code == 2 && ran.err.contains("revision of the repository"), "{}{}", ran.out, ran.err);
        }
    }
    for name in [".git#branch=main", ".git#branch=main,subdir=shop", "./.git#branch=main"] {
        let ran = run(&repo.path(""), &["check", "--against", name]);
        assert!(ran.code == 1 && ran.out.contains("git:"), "{name}: {}{}", ran.out, ran.err);
    }
    // A path that is spelled as one, or that is no revision, is a path.
    for name in ["./main", "main/", "copy"] {
        assert_eq!(run(&repo.path(""), &["compare", name, "./copy"]).code, 0, "{name}");
    }
}

#[test]
fn without_a_default_branch_no_change_names_its_own_base() {
    if git_is_missing() {
        return;
    }
    // What `production` says, what a branch with the break says, what the change says, and the exit code.
    for (production, evil, change, code) in [
        ("base: production\n", "base: production\n", "base: evil\n", 3),
        ("base: production\n", "base: production\n", "base: production\n", 3),
        ("base: production\n", "base: evil\n", "base: evil\n", 3),
        ("mode: full\n", "base: evil\n", "base: evil\n", 3),
        ("base: other\n", "base: production\n", "base: evil\n", 3),
        ("mode: full\n", "mode: full\n", "base: evil\n", 3),
        ("mode: full\n", "mode: full\n", "base: production\n", 3),
    ] {
        let upstream = Place::new();
        git(&upstream.path(""), &["init", "--quiet", "--initial-branch", "production"]);
        upstream.write("m.proto", GROWN).write("wireproof.yaml", production);
        commit(&upstream, "what is there");
        git(&upstream.path(""), &["switch", "--quiet", "--create", "evil"]);
        upstream.write("m.proto", BROKEN).write("wireproof.yaml", evil);
        commit(&upstream, "a break");
        git(&upstream.path(""), &["switch", "--quiet", "--create", "topic"]);
        upstream.write("wireproof.yaml", change).write("notes.txt", "of the branch");
        commit(&upstream, "a base that has it");
        // As a CI system may do it: nothing says which branch is the default one.
        let clone = Place::new();
        git(&clone.path(""), &["init", "--quiet", "--initial-branch", "nothing"]);
        git(&clone.path(""), &["remote", "add", "origin", &upstream.path("").display().to_string()]);
        git(&clone.path(""), &["fetch", "--quiet", "origin"]);
        let _ = git_output(&clone.path(""), &["remote", "set-head", "origin", "--delete"]);
        git(&clone.path(""), &["checkout", "--quiet", "--detach", "origin/topic"]);
        let ran = run(&clone.path(""), &["check"]);
        assert_eq!(ran.code, code, "{production}{evil}{change}{}{}", ran.out, ran.err);
        git(&clone.path(""), &["remote", "set-head", "origin", "production"]);
        assert_eq!(run(&clone.path(""), &["check"]).code, 1, "{production}{evil}{change}");
    }
}

#[test]
fn a_configuration_in_a_subfolder_counts_or_is_said_not_to() {
    if git_is_missing() {
        return;
    }
    let repo = repository();
    repo.write("proto/m.proto", GROWN).write("proto/wireproof.yaml", "mode: none\n");
    commit(&repo, "what is there");
    repo.write("proto/m.proto", BROKEN);
    let said = "proto/wireproof.yaml";
    for arguments in [&["check"][..], &["check", "proto"]] {
        let ran = run(&repo.path(""), arguments);
        assert!(ran.code == 1 && ran.out.contains(said), "{}{}", ran.out, ran.err);
    }
    let within = run(&repo.path("proto"), &["check"]);
    let counts = format!("configured by {said}");
    assert!(within.code == 0 && within.out.contains(&counts), "{}{}", within.out, within.err);
    let named = run(&repo.path(""), &["check", "--no-config"]);
    assert!(named.code == 1 && !named.out.contains(said), "{}{}", named.out, named.err);
}

#[test]
fn the_hook_says_which_terms_are_not_staged() {
    if git_is_missing() {
        return;
    }
    let repo = repository();
    repo.write("m.proto", GROWN);
    commit(&repo, "what is there");
    git(&repo.path(""), &["switch", "--quiet", "--create", "topic"]);
    repo.write("m.proto", BROKEN);
    git(&repo.path(""), &["add", "m.proto"]);
    let ran = run(&repo.path(""), &["accept", "--under", "m.proto", "--reason", "nobody has it"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let hook = run(&repo.path(""), &["check", "--staged"]);
    assert!(hook.code == 0 && hook.out.contains("`.wireproof-waivers.yaml` is not staged"), "{}{}", hook.out, hook.err);
    assert!(hook.out.contains("git add .wireproof-waivers.yaml"), "{}", hook.out);
    git(&repo.path(""), &["add", ".wireproof-waivers.yaml"]);
    let hook = run(&repo.path(""), &["check", "--staged"]);
    assert!(hook.code == 0 && !hook.out.contains("is not staged"), "{}{}", hook.out, hook.err);
}

#[test]
fn a_link_that_is_named_as_a_source_is_the_file_that_it_leads_to() {
    if git_is_missing() || is_windows("links") {
        return;
    }
    let repo = repository();
    repo.write("proto/m.proto", GROWN);
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("proto/m.proto", repo.path("link.proto")).expect("a link");
        std::os::unix::fs::symlink("../outside.proto", repo.path("out.proto")).expect("a link");
    }
    commit(&repo, "what is there");
    repo.write("proto/m.proto", BROKEN);
    commit(&repo, "a break");
    let compared = |old: &str, new: &str| run(&repo.path(""), &["compare", old, new]);
    assert_eq!(compared("git:HEAD:link.proto", "git:HEAD:proto/m.proto").code, 0);
    assert_eq!(compared("git:HEAD~1:link.proto", "git:HEAD:link.proto").code, 1);
    let out = compared("git:HEAD:proto/m.proto", "git:HEAD:out.proto");
    assert!(out.code == 3 && out.err.contains("leads out of the repository"), "{}{}", out.out, out.err);
}
