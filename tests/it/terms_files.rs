//! The files that say what is judged and what is waived: plain, of a sane size, and written by one at a time.

use std::fs;
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::git::{NEW, OLD, Place, clean, commit, git_is_missing, repository, run};
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
