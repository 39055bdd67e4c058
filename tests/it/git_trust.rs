//! Which repository git is let near, and what of it is obeyed. Each trap has a twin without malice that works as before.
//!
//! Traps leave a mark. Where plain git can be made to step into one, that is done first: a trap that is not set proves
//! nothing.

#![cfg(unix)]

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use crate::gate_script::make_executable;
use crate::git::{GROWN, NEW, OLD, Place, commit, git, git_is_missing, git_output, report, repository, run, run_in};

/// A repository whose folder `proto` is one as well, and what its traps leave behind.
struct Embedded {
    repo: Place,
    outside: Place,
}

impl Embedded {
    fn new() -> Embedded {
        let (repo, outside) = (repository(), Place::new());
        let mark = outside.path("mark").display().to_string();
        let config = format!(
            "[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = .\n\tfsmonitor = \"touch '{mark}'; true\"\n\
             \tsshCommand = \"touch '{mark}'; true\"\n\thooksPath = hooks\n[remote \"origin\"]\n\turl = ssh://host/x\n"
        );
        repo.write("proto/order.proto", OLD)
            .write("proto/HEAD", "ref: refs/heads/main\n")
            .write("proto/config", &config)
            .write("proto/objects/keep", "")
            .write("proto/refs/keep", "");
        commit(&repo, "a folder that looks like a repository");
        Embedded { repo, outside }
    }

    /// What a CI system has of it: only what was committed.
    fn cloned(&self) -> Place {
        let clone = Place::new();
        git(&clone.path(""), &["clone", "--quiet", &self.repo.path("").display().to_string(), "."]);
        clone
    }

    fn is_sprung(&self) -> bool {
        let mark = self.outside.path("mark");
        let sprung = mark.exists();
        if sprung {
            fs::remove_file(mark).expect("a mark");
        }
        sprung
    }
}

#[test]
fn a_repository_that_is_content_of_another_is_refused_and_nothing_of_it_runs() {
    if git_is_missing() {
        return;
    }
    let stage = Embedded::new();
    let clone = stage.cloned();
    git_output(&clone.path("proto"), &["-c", "safe.bareRepository=all", "status"]);
    assert!(stage.is_sprung(), "plain git steps into this trap");
    clone.write("proto/order.proto", NEW);
    let id = "1111111111111111111111111111111111111111";
    clone.write(
        ".git/event.json",
        &format!(r#"{{"pull_request": {{"head": {{"sha": "{id}"}}, "base": {{"sha": "{id}", "ref": "main"}}}}}}"#),
    );
    let event = clone.path(".git/event.json").display().to_string();
    let environment =
        [("GITHUB_EVENT_NAME", "pull_request"), ("GITHUB_EVENT_PATH", event.as_str()), ("GITHUB_SHA", id)];
    let commands: [&[&str]; 6] = [
        &["check"],
        &["check", "."],
        &["check", "--against", "git:HEAD"],
        &["check", "--staged"],
        &["compare", "git:HEAD", "."],
        &["accept", "--all", "--reason", "x"],
    ];
    for folder in ["proto", "proto/refs"] {
        for arguments in commands {
            for around in [&environment[..], &[]] {
                let ran = run_in(&clone.path(folder), arguments, around);
                assert_ne!(ran.code, 0, "{folder} {arguments:?}: {}", ran.out);
                assert!(!stage.is_sprung(), "{folder} {arguments:?}: {}", ran.err);
                if arguments[0] != "accept" {
                    assert_eq!(ran.code, 3, "{folder} {arguments:?}: {}{}", ran.out, ran.err);
                    assert!(ran.err.contains("`proto` is made up as a git repository"), "{arguments:?}: {}", ran.err);
                    assert!(ran.err.contains("GIT_DIR"), "{}", ran.err);
                }
            }
        }
    }
    // From the top the folder is a folder.
    assert_eq!(run(&clone.path(""), &["check", "proto", "--against", "git:HEAD"]).code, 1);
    assert!(!stage.is_sprung());
}

#[test]
fn other_makes_of_a_repository_are_refused_as_well() {
    if git_is_missing() {
        return;
    }
    let id = "0123456789012345678901234567890123456789\n";
    // One that keeps its objects elsewhere, one with a detached head, one whose head is a link.
    for make in ["commondir", "detached", "link"] {
        let repo = repository();
        repo.write("proto/order.proto", OLD);
        match make {
            "commondir" => {
                repo.write("proto/HEAD", id).write("proto/commondir", "../common\n");
                repo.write("common/config", "").write("common/objects/keep", "").write("common/refs/keep", "");
            }
            "detached" => {
                repo.write("proto/HEAD", id).write("proto/objects/keep", "").write("proto/refs/keep", "");
            }
            _ => {
                repo.write("proto/objects/keep", "").write("proto/refs/heads/main", id);
                symlink("refs/heads/main", repo.path("proto/HEAD")).expect("a link");
            }
        }
        commit(&repo, make);
        let ran = run(&repo.path("proto"), &["check", "--against", "git:HEAD"]);
        assert_eq!(ran.code, 3, "{make}: {}{}", ran.out, ran.err);
        assert!(ran.err.contains("`proto` is made up as a git repository"), "{make}: {}", ran.err);
    }
}

/// Unpacked from an archive, as actions/checkout does where there is no git, nothing says that it is content.
#[test]
fn the_same_without_a_repository_around_it_is_refused_as_well() {
    if git_is_missing() {
        return;
    }
    let stage = Embedded::new();
    let clone = stage.cloned();
    fs::remove_dir_all(clone.path(".git")).expect("a repository");
    clone.write("event.json", &format!(r#"{{"merge_group": {{"base_sha": "{}"}}}}"#, "1".repeat(40)));
    let event = clone.path("event.json").display().to_string();
    let environment = [("GITHUB_EVENT_NAME", "merge_group"), ("GITHUB_EVENT_PATH", event.as_str())];
    let config = fs::read_to_string(clone.path("proto/config")).expect("a configuration");
    for config in
        [config.replace("worktree = .", ""), config.replace("worktree = .", "").replace("false", "true"), config]
    {
        clone.write("proto/config", &config);
        for arguments in [&["check"][..], &["check", "--against", "git:HEAD"], &["check", "--staged"]] {
            let ran = run_in(&clone.path("proto"), arguments, &environment);
            assert_eq!(ran.code, 3, "{config}{arguments:?}: {}{}", ran.out, ran.err);
            assert!(!stage.is_sprung(), "{config}{arguments:?}: {}", ran.err);
        }
    }
}

#[test]
fn a_folder_that_only_resembles_a_repository_is_a_folder() {
    if git_is_missing() {
        return;
    }
    let repo = repository();
    // Schemas of an interface with a method HEAD.
    repo.write("proto/order.proto", &OLD.replace("package shop", "package other"))
        .write("proto/HEAD", "# HEAD /orders\n")
        .write("proto/objects/keep", "")
        .write("proto/refs/keep", "");
    commit(&repo, "methods");
    let ran = run(&repo.path("proto"), &["check", "--against", "git:HEAD"]);
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    repo.write("proto/order.proto", &NEW.replace("package shop", "package other"));
    assert_eq!(run(&repo.path("proto"), &["check", "--against", "git:HEAD"]).code, 1);
}

#[test]
fn a_bare_repository_that_is_nobodys_content_works_and_so_does_one_that_is_named() {
    if git_is_missing() {
        return;
    }
    let repo = repository();
    git(&repo.path(""), &["tag", "v1"]);
    repo.write("shop/order.proto", NEW);
    commit(&repo, "second");
    let url = repo.path("").display().to_string();
    let bare = Place::new();
    git(&bare.path(""), &["clone", "--quiet", "--bare", &url, "."]);
    for folder in ["", "refs", "objects/pack"] {
        assert_eq!(run(&bare.path(folder), &["compare", "git:v1", "git:main"]).code, 1, "{folder}");
        assert_eq!(run(&bare.path(folder), &["compare", "git:v1", "git:v1"]).code, 0, "{folder}");
    }
    // Inside another work tree it must be named.
    git(&repo.path(""), &["clone", "--quiet", "--bare", &url, "mirror.git"]);
    let mirror = repo.path("mirror.git");
    assert_eq!(run(&mirror, &["compare", "git:v1", "git:main"]).code, 3);
    for name in [".", &mirror.display().to_string()] {
        let ran = run_in(&mirror, &["compare", "git:v1", "git:main"], &[("GIT_DIR", name)]);
        assert_eq!(ran.code, 1, "{name}: {}", ran.err);
    }
    assert_eq!(
        run(&repo.path(".git"), &["compare", "git:v1", "git:main"]).code,
        1,
        "the inside of a `.git` is no content"
    );
}

#[test]
fn linked_work_trees_submodules_and_a_hidden_bare_repository_work() {
    if git_is_missing() {
        return;
    }
    let repo = repository();
    let at = repo.path("");
    let url = at.display().to_string();
    let outside = Place::new();
    git(&at, &["worktree", "add", "--quiet", "--detach", &outside.path("linked").display().to_string()]);
    git(&at, &["worktree", "add", "--quiet", "--detach", "inside"]);
    // `project/.git` is a file that names `project/.bare`, and the work trees lie beside it.
    let project = outside.path("project");
    git(&outside.path(""), &["clone", "--quiet", "--bare", &url, "project/.bare"]);
    outside.write("project/.git", "gitdir: ./.bare\n");
    git(&project, &["worktree", "add", "--quiet", "--detach", "topic", "main"]);
    let host = repository();
    git(&host.path(""), &["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", &url, "vendor"]);
    commit(&host, "submodule");
    for top in [outside.path("linked"), repo.path("inside"), project.join("topic"), host.path("vendor")] {
        assert_eq!(run(&top.join("shop"), &["check", "--against", "git:HEAD"]).code, 0, "{}", top.display());
        fs::write(top.join("shop/order.proto"), NEW).expect("a file");
        let ran = run(&top.join("shop"), &["check", "--against", "git:HEAD"]);
        assert_eq!(ran.code, 1, "{}: {}", top.display(), ran.err);
    }
    for folder in ["project", "project/.bare"] {
        let ran = run(&outside.path(folder), &["compare", "git:main", "git:main"]);
        assert_eq!(ran.code, 0, "{folder}: {}", ran.err);
    }
}

/// A shallow clone of a pull request, and the environment of its event. The base is missing.
struct Missing {
    origin: Place,
    clone: Place,
    environment: [(&'static str, String); 3],
}

impl Missing {
    fn new(topic: &str) -> Missing {
        let origin = repository();
        let at = origin.path("");
        git(&at, &["config", "uploadpack.allowAnySHA1InWant", "true"]);
        git(&at, &["switch", "--quiet", "--create", "topic"]);
        origin.write("shop/order.proto", topic);
        let head = commit(&origin, "topic");
        git(&at, &["switch", "--quiet", "main"]);
        origin.write("README.md", "main moves on");
        let base = commit(&origin, "main moves on");
        git(&at, &["switch", "--quiet", "--create", "pull"]);
        git(&at, &["merge", "--quiet", "--no-ff", "--message", "merge", "topic"]);
        let merge = git(&at, &["rev-parse", "HEAD"]);
        let clone = Place::new();
        let url = format!("file://{}", at.display());
        git(&clone.path(""), &["clone", "--quiet", "--depth=1", "--branch", "pull", &url, "."]);
        let event = format!(
            r#"{{"pull_request": {{"head": {{"sha": "{head}"}}, "base": {{"sha": "{base}", "ref": "main"}}}}}}"#
        );
        clone.write(".git/event.json", &event);
        let event = clone.path(".git/event.json").display().to_string();
        let environment =
            [("GITHUB_EVENT_NAME", "pull_request".into()), ("GITHUB_EVENT_PATH", event), ("GITHUB_SHA", merge)];
        Missing { origin, clone, environment }
    }

    fn configure(&self, key: &str, value: &str) -> &Missing {
        git(&self.clone.path(""), &["config", key, value]);
        self
    }

    fn check(&self) -> crate::git::Ran {
        let environment: Vec<(&str, &str)> =
            self.environment.iter().map(|(name, value)| (*name, value.as_str())).collect();
        run_in(&self.clone.path(""), &["check"], &environment)
    }
}

/// A program that leaves a mark and does nothing.
fn trap(place: &Place) -> (PathBuf, String) {
    let mark = place.path("mark");
    place.write("trap", &format!("#!/bin/sh\necho \"$0 $*\" >>'{}'\n", mark.display()));
    make_executable(&place.path("trap"));
    (mark, place.path("trap").display().to_string())
}

fn marked(mark: &Path) -> Option<String> {
    fs::read_to_string(mark).ok()
}

#[test]
fn no_program_of_a_configuration_or_a_hook_is_run_for_looking() {
    if git_is_missing() {
        return;
    }
    let outside = Place::new();
    let (mark, trap) = trap(&outside);
    let missing = Missing::new(NEW);
    let mut hooks = fs::read_to_string(outside.path("trap")).expect("the trap");
    hooks.push('\n');
    for hook in ["reference-transaction", "post-index-change", "fsmonitor-watchman", "post-checkout", "pre-auto-gc"] {
        missing.clone.write(format!(".git/hooks/{hook}"), &hooks);
        make_executable(&missing.clone.path(&format!(".git/hooks/{hook}")));
    }
    for key in ["core.fsmonitor", "core.pager", "core.editor", "diff.external", "pager.status", "gpg.program"] {
        missing.configure(key, &trap);
    }
    missing.configure("diff.mark.command", &trap).configure("diff.mark.textconv", &trap).configure("gc.auto", "1");
    missing.configure("alias.rev-parse", &format!("!{trap}")).configure("alias.ls-tree", &format!("!{trap}"));
    missing.clone.write(".git/info/attributes", "*.proto diff=mark\n");
    git_output(&missing.clone.path(""), &["status"]);
    assert!(marked(&mark).is_some(), "plain git runs some of them");
    fs::remove_file(&mark).expect("a mark");
    let ran = missing.check();
    assert_eq!(ran.code, 1, "{}{}", ran.out, ran.err);
    missing.clone.write("shop/order.proto", GROWN);
    for arguments in [&["check", "--against", "git:HEAD"][..], &["check", "--staged"], &["check"]] {
        assert_eq!(run(&missing.clone.path(""), arguments).code, 0, "{arguments:?}");
    }
    assert_eq!(marked(&mark), None);
}

#[test]
fn an_address_that_is_a_program_is_not_fetched_from() {
    if git_is_missing() {
        return;
    }
    let outside = Place::new();
    let (mark, trap) = trap(&outside);
    let missing = Missing::new(NEW);
    missing.configure("protocol.ext.allow", "always").configure("remote.origin.url", &format!("ext::{trap} %S"));
    git_output(&missing.clone.path(""), &["fetch", "origin", "main"]);
    assert!(marked(&mark).is_some(), "plain git runs it");
    fs::remove_file(&mark).expect("a mark");
    let ran = missing.check();
    assert_eq!(ran.code, 3, "{}", ran.out);
    assert!(ran.err.contains("cannot be fetched"), "{}", ran.err);
    assert_eq!(marked(&mark), None);
}

#[test]
fn the_ssh_command_of_a_checkout_is_used_for_the_one_fetch() {
    if git_is_missing() {
        return;
    }
    // As actions/checkout leaves it where it is given a key.
    let missing = Missing::new(NEW);
    let outside = Place::new();
    let mark = outside.path("mark").display().to_string();
    outside.write("ssh", &format!("#!/bin/sh\necho x >'{mark}'\nfor last; do :; done\neval \"$last\"\n"));
    make_executable(&outside.path("ssh"));
    let url = format!("ssh://git@host.invalid{}", missing.origin.path("").display());
    missing
        .configure("core.sshCommand", &outside.path("ssh").display().to_string())
        .configure("remote.origin.url", &url);
    let ran = missing.check();
    assert_eq!(ran.code, 1, "{}{}", ran.out, ran.err);
    assert!(Path::new(&mark).exists(), "it was asked");
    let twin = Missing::new(GROWN);
    assert_eq!(twin.check().code, 0);
}

#[test]
fn an_object_is_what_its_id_says_and_no_replacement() {
    if git_is_missing() {
        return;
    }
    let repo = repository();
    let old = git(&repo.path(""), &["rev-parse", "HEAD:shop/order.proto"]);
    repo.write("shop/order.proto", NEW);
    commit(&repo, "remove a field");
    let new = git(&repo.path(""), &["rev-parse", "HEAD:shop/order.proto"]);
    git(&repo.path(""), &["replace", &old, &new]);
    assert_eq!(git(&repo.path(""), &["diff", "HEAD~1", "HEAD"]), "", "plain git sees no difference");
    assert_eq!(run(&repo.path(""), &["compare", "git:HEAD~1", "git:HEAD"]).code, 1);
    // Where the replacement hides nothing, nothing is different.
    repo.write("README.md", "more");
    commit(&repo, "no schema");
    assert_eq!(run(&repo.path(""), &["compare", "git:HEAD~1", "git:HEAD"]).code, 0);
}

/// `[include] path = ../.gitconfig` makes a file of the work tree part of the configuration.
#[test]
fn a_configuration_that_is_a_file_of_the_work_tree_runs_no_filter() {
    if git_is_missing() {
        return;
    }
    let outside = Place::new();
    let (mark, trap) = trap(&outside);
    let repo = repository();
    repo.write(".gitattributes", "*.proto filter=mark\n")
        .write(".gitconfig", &format!("[filter \"mark\"]\n\tclean = \"{trap}; cat\"\n\trequired = true\n"));
    commit(&repo, "filter");
    git(&repo.path(""), &["config", "include.path", "../.gitconfig"]);
    // Of the same size: otherwise git need not look inside.
    repo.write("shop/order.proto", &OLD.replace("note", "nota"));
    git(&repo.path(""), &["status", "--porcelain"]);
    assert!(marked(&mark).is_some(), "plain git runs it");
    fs::remove_file(&mark).expect("a mark");
    let changed = report(&run(&repo.path(""), &["check", "--format", "json"]));
    assert!(changed["old"]["source"].as_str().is_some_and(|old| old.ends_with("(the last commit)")), "{changed:#}");
    assert_eq!(marked(&mark), None);
    // The filter of a user, as LFS has it, is asked.
    git(&repo.path(""), &["config", "--unset", "include.path"]);
    git(&repo.path(""), &["config", "filter.mark.clean", &format!("{trap}; cat")]);
    report(&run(&repo.path(""), &["check", "--format", "json"]));
    assert!(marked(&mark).is_some());
}

#[test]
fn a_configuration_that_is_a_file_of_the_work_tree_has_no_say_in_a_fetch() {
    if git_is_missing() {
        return;
    }
    let outside = Place::new();
    let (mark, trap) = trap(&outside);
    let settings = [
        format!("[core]\n\tsshCommand = {trap}\n[remote \"origin\"]\n\turl = ssh://host.invalid/x\n"),
        format!("[credential]\n\thelper = {trap}\n"),
        format!("[url \"ssh://host.invalid/\"]\n\tinsteadOf = file://\n[core]\n\tsshCommand = {trap}\n"),
    ];
    for text in settings {
        let missing = Missing::new(NEW);
        missing.clone.write("settings/git", &text);
        missing.configure("include.path", "../settings/git");
        let ran = missing.check();
        assert_eq!(ran.code, 3, "{text}: {}", ran.out);
        assert!(ran.err.contains("set by a file of the work tree"), "{text}: {}", ran.err);
        assert_eq!(marked(&mark), None, "{text}");
    }
    let twin = Missing::new(GROWN);
    twin.clone.write("settings/git", "[alias]\n\tst = status\n[core]\n\tautocrlf = input\n");
    twin.configure("include.path", "../settings/git");
    assert_eq!(twin.check().code, 0);
}

#[test]
fn a_git_in_the_work_tree_is_not_run() {
    if git_is_missing() {
        return;
    }
    let repo = repository();
    let outside = Place::new();
    let (mark, _) = trap(&outside);
    let text = fs::read_to_string(outside.path("trap")).expect("the trap");
    for name in ["git", "tools/git"] {
        repo.write(name, &text);
        make_executable(&repo.path(name));
    }
    commit(&repo, "a program");
    let path = std::env::var("PATH").expect("a PATH");
    let at = |name: &str| repo.path(name).display().to_string();
    let before =
        [".".to_owned(), String::new(), "tools".to_owned(), at(""), at("tools"), at("shop/../tools")].join(":");
    let ran = run_in(&repo.path(""), &["check", "--against", "git:HEAD"], &[("PATH", &format!("{before}:{path}"))]);
    assert_eq!((ran.code, marked(&mark)), (0, None), "{}{}", ran.out, ran.err);
    let ran = run_in(&repo.path(""), &["check", "--against", "git:HEAD"], &[("PATH", &before)]);
    assert_eq!((ran.code, marked(&mark)), (3, None), "{}{}", ran.out, ran.err);
    assert!(ran.err.contains("lies in the work tree"), "{}", ran.err);
    // A profile in the work tree that leads out of it, as development environments have them.
    let real = std::env::split_paths(&path).find(|folder| folder.join("git").is_file()).expect("git is on PATH");
    symlink(&real, repo.path("profile")).expect("a link");
    let ran = run_in(&repo.path(""), &["check", "--against", "git:HEAD"], &[("PATH", &at("profile"))]);
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
}
