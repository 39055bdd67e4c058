//! Partial clones: what is not here is brought with few requests, however many files and versions there are.

#![cfg(unix)]

use std::os::unix::fs::PermissionsExt;

use crate::git::{Place, git, git_is_missing, run};

const FILES: usize = 12;
const COMMITS: usize = 12;

/// A server whose commits edit all files.
fn server() -> Place {
    let place = Place::new();
    let top = place.path("");
    git(&top, &["init", "-q", "-b", "main", "."]);
    for commit in 0..COMMITS {
        for file in 0..FILES {
            let fields: String = (1..=commit + 1).map(|number| format!("  int32 f{number} = {number};\n")).collect();
            let text = format!("syntax = \"proto3\";\npackage p{file};\nmessage Order {{\n{fields}}}\n");
            place.write(format!("p{file}/order.proto"), &text);
        }
        git(&top, &["add", "-A"]);
        git(&top, &["commit", "-q", "-m", "one more field"]);
    }
    git(&top, &["config", "uploadpack.allowFilter", "true"]);
    git(&top, &["config", "uploadpack.allowAnySHA1InWant", "true"]);
    place
}

/// A clone without any file, and how often the server was asked by what is run in it.
fn asked(server: &Place, arguments: &[&str]) -> usize {
    let place = Place::new();
    let from = format!("file://{}", server.path("").display());
    git(&place.path(""), &["clone", "-q", "--no-checkout", "--filter=blob:none", &from, "clone"]);
    let (clone, program, requests) = (place.path("clone"), place.path("upload"), place.path("requests"));
    place.write("upload", &format!("#!/bin/sh\necho >> '{}'\nexec git-upload-pack \"$@\"\n", requests.display()));
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).expect("our own file");
    git(&clone, &["config", "remote.origin.uploadpack", program.to_str().expect("a text")]);
    let ran = run(&clone, arguments);
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    std::fs::read_to_string(requests).unwrap_or_default().lines().count()
}

#[test]
fn what_is_promised_is_brought_with_few_requests() {
    if git_is_missing() {
        return;
    }
    let server = server();
    for (arguments, most) in [
        (&["compare", "git:HEAD~1", "git:HEAD", "--mode", "backward"][..], 2),
        (&["compare", "git:HEAD~1", "git:HEAD", "--mode", "backward", "--full"], 2),
        (&["compare", "git:HEAD~9", "git:HEAD", "--mode", "backward"], 2),
        (&["history"], 2),
        (&["history", "p3"], 3),
        (&["check", "--against", "git:HEAD~1", "--head", "git:HEAD", "--mode", "none", "--history"], 4),
    ] {
        let asked = asked(&server, arguments);
        assert!((1..=most).contains(&asked), "{arguments:?}: {asked}");
    }
}
