//! The hooks of `.pre-commit-hooks.yaml`, run by real pre-commit and real prek in real repositories, and `--staged` by
//! itself: what is judged is what the commit will hold.
//!
//! The two programs are looked for on PATH, or where `WIREPROOF_PRE_COMMIT` and `WIREPROOF_PREK` say. One test builds
//! the program as `language: rust` does, which takes minutes, so it asks for `WIREPROOF_SLOW_HOOKS=1`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::gate_script::make_executable;
use crate::git::{Place, Ran, clean, commit, git, git_is_missing, repository, run, run_in};
use crate::support::{is_windows, root, skip};

const OLD: &str = "syntax = \"proto3\";\npackage shop;\nmessage Order {\n  int32 id = 1;\n  string note = 2;\n}\n";
const NEW: &str = "syntax = \"proto3\";\npackage shop;\nmessage Order {\n  int32 id = 1;\n}\n";
const GROWN: &str =
    "syntax = \"proto3\";\npackage shop;\nmessage Order {\n  int32 id = 1;\n  string note = 2;\n  string tag = 3;\n}\n";
const SERVICE: &str = "syntax = \"proto3\";\npackage desk;\nmessage Ask { string what = 1; }\nmessage Answer { string that = 1; }\n\
                       service Desk { rpc Help(Ask) returns (Answer); }\n";
const LOOSE: &str = "syntax = \"proto3\";\npackage loose;\nmessage First { string a = 1; }\nmessage Second { string b = 1; }\n\
                     enum Third { THIRD_UNKNOWN = 0; }\n";

/// A program that runs hooks.
#[derive(Debug, Clone)]
struct Runner {
    name: &'static str,
    program: PathBuf,
}

/// The programs that run hooks and are here.
fn runners() -> Vec<Runner> {
    if git_is_missing() {
        return Vec::new();
    }
    let known = [("pre-commit", "WIREPROOF_PRE_COMMIT"), ("prek", "WIREPROOF_PREK")];
    let found = known.into_iter().filter_map(|(name, variable)| {
        let program = std::env::var_os(variable).map_or_else(|| PathBuf::from(name), PathBuf::from);
        if Command::new(&program).arg("--version").output().is_ok_and(|output| output.status.success()) {
            return Some(Runner { name, program });
        }
        skip(name, &format!("the hooks; it is neither on PATH nor named by {variable}"));
        None
    });
    found.collect()
}

/// A repository with a service, loose messages and the hook installed.
struct Hooked {
    repo: Place,
    /// Caches and settings of the runner, and the repository that the hook comes from.
    aside: Place,
    runner: Runner,
}

impl Hooked {
    /// With the hook that uses the program on PATH, which is the one just built.
    fn new(runner: &Runner) -> Hooked {
        let aside = Place::new();
        let hooks = fs::read_to_string(root().join(".pre-commit-hooks.yaml")).expect("the hooks");
        aside.write("hook/.pre-commit-hooks.yaml", &hooks);
        let hook = aside.path("hook");
        git(&hook, &["init", "--quiet", "--initial-branch=main"]);
        git(&hook, &["add", "--all"]);
        git(&hook, &["commit", "--quiet", "--message", "hooks"]);
        let revision = git(&hook, &["rev-parse", "HEAD"]);
        let hooked = Hooked { repo: repository(), aside, runner: runner.clone() };
        let url = url_of(&hook);
        hooked.repo.write(
            ".pre-commit-config.yaml",
            &format!("repos:\n  - repo: {url}\n    rev: {revision}\n    hooks:\n      - id: wireproof-system\n"),
        );
        hooked.repo.write("desk/desk.proto", SERVICE).write("loose/loose.proto", LOOSE).write("README", "one\n");
        commit(&hooked.repo, "all");
        let installed = hooked.runner(&["install", "-t", "pre-commit", "-t", "pre-merge-commit", "-t", "pre-push"]);
        assert_eq!(installed.code, 0, "{}", said(&installed));
        hooked
    }

    fn command(&self, program: &Path, folder: &str, arguments: &[&str]) -> Ran {
        let mut command = Command::new(program);
        clean(&mut command);
        let built = Path::new(env!("CARGO_BIN_EXE_wireproof")).parent().expect("a folder").to_path_buf();
        let path = std::env::var_os("PATH").unwrap_or_default();
        let path = std::env::join_paths([built].into_iter().chain(std::env::split_paths(&path))).expect("a PATH");
        let output = command
            .env("PATH", path)
            .env("PRE_COMMIT_HOME", self.aside.path("cache"))
            .env("PREK_HOME", self.aside.path("cache"))
            .env("XDG_CACHE_HOME", self.aside.path("cache"))
            .env("PRE_COMMIT_COLOR", "never")
            .current_dir(self.repo.path(folder))
            .args(arguments)
            .output()
            .expect("the program runs");
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Ran { code: output.status.code().unwrap_or(-1), out: text(&output.stdout), err: text(&output.stderr) }
    }

    fn runner(&self, arguments: &[&str]) -> Ran {
        self.command(&self.runner.program, "", arguments)
    }

    /// git with the hooks in force.
    fn git(&self, arguments: &[&str]) -> Ran {
        self.command(Path::new("git"), "", arguments)
    }

    fn passes(&self, arguments: &[&str]) {
        let ran = self.git(arguments);
        assert_eq!(ran.code, 0, "{}: git {arguments:?}\n{}", self.runner.name, said(&ran));
        assert!(said(&ran).contains("Passed"), "{}: the hook ran\n{}", self.runner.name, said(&ran));
    }

    fn is_stopped(&self, arguments: &[&str], saying: &str) {
        let ran = self.git(arguments);
        assert_ne!(ran.code, 0, "{}: git {arguments:?}\n{}", self.runner.name, said(&ran));
        assert!(said(&ran).contains(saying), "{}: {saying}\n{}", self.runner.name, said(&ran));
    }
}

fn said(ran: &Ran) -> String {
    format!("{}{}", ran.out, ran.err)
}

fn url_of(folder: &Path) -> String {
    format!("file://{}{}", if cfg!(windows) { "/" } else { "" }, folder.display().to_string().replace('\\', "/"))
}

#[test]
fn a_commit_that_only_removes_a_field_is_stopped() {
    for runner in runners() {
        let hooked = Hooked::new(&runner);
        hooked.repo.write("shop/order.proto", NEW);
        hooked.is_stopped(&["commit", "--all", "--message", "less"], "protobuf/field-removed-unreserved");
        hooked.is_stopped(&["commit", "shop/order.proto", "--message", "less"], "protobuf/field-removed-unreserved");
        hooked.repo.write("shop/order.proto", GROWN);
        hooked.passes(&["commit", "--all", "--message", "more"]);
    }
}

#[test]
fn a_commit_that_only_deletes_files_is_judged() {
    for runner in runners() {
        let hooked = Hooked::new(&runner);
        hooked.repo.write("words.proto", "syntax = \"proto3\";\nenum Colour {\n  RED = 0;\n}\n");
        git(&hooked.repo.path(""), &["add", "--all"]);
        hooked.passes(&["commit", "--message", "colours"]);
        git(&hooked.repo.path(""), &["rm", "--quiet", "words.proto"]);
        let shown = hooked.runner(&["run", "--verbose"]);
        assert_eq!(shown.code, 0, "no data starts from an enum: {}", said(&shown));
        hooked.passes(&["commit", "--message", "tidy up"]);
        git(&hooked.repo.path(""), &["rm", "--quiet", "loose/loose.proto"]);
        let shown = hooked.runner(&["run", "--verbose"]);
        assert_ne!(shown.code, 0, "somebody sends them: {}", said(&shown));
        for gone in ["loose.First", "loose.Second", "loose.Third"] {
            assert!(shown.out.contains(gone), "{}: {gone}\n{}", runner.name, shown.out);
        }
        git(&hooked.repo.path(""), &["reset", "--quiet", "--hard"]);
        git(&hooked.repo.path(""), &["rm", "--quiet", "desk/desk.proto"]);
        hooked.is_stopped(&["commit", "--message", "close the desk"], "desk.Desk");
    }
}

#[test]
fn deleting_the_file_of_a_root_is_stopped() {
    for runner in runners() {
        let hooked = Hooked::new(&runner);
        hooked.repo.write("wireproof.yaml", "roots:\n  loose:\n    reachable-from: [loose.First]\n");
        git(&hooked.repo.path(""), &["add", "--all"]);
        hooked.passes(&["commit", "--message", "name a root"]);
        git(&hooked.repo.path(""), &["rm", "--quiet", "loose/loose.proto"]);
        hooked.is_stopped(&["commit", "--message", "forget it"], "protobuf/root-message-removed");
    }
}

#[test]
fn only_what_the_commit_will_hold_counts() {
    for runner in runners() {
        let hooked = Hooked::new(&runner);
        let repo = &hooked.repo;
        repo.write("shop/order.proto", NEW);
        git(&repo.path(""), &["add", "shop/order.proto"]);
        repo.write("shop/order.proto", OLD);
        hooked.is_stopped(&["commit", "--message", "staged only"], "protobuf/field-removed-unreserved");
        // `git commit FILE` leaves out what is staged besides, in an index of its own.
        repo.write("README", "two\n");
        hooked.passes(&["commit", "README", "--message", "words"]);
        repo.write("shop/order.proto", GROWN);
        git(&repo.path(""), &["add", "shop/order.proto"]);
        repo.write("shop/order.proto", NEW);
        hooked.passes(&["commit", "--message", "staged growth, unstaged break"]);
    }
}

#[test]
fn first_commits_detached_heads_and_merges_work() {
    for runner in runners() {
        let hooked = Hooked::new(&runner);
        let repo = &hooked.repo;
        git(&repo.path(""), &["switch", "--quiet", "--create", "topic"]);
        repo.write("shop/order.proto", NEW);
        git(&repo.path(""), &["commit", "--quiet", "--no-verify", "--all", "--message", "less"]);
        git(&repo.path(""), &["switch", "--quiet", "--detach", "main"]);
        repo.write("README", "two\n");
        hooked.passes(&["commit", "--all", "--message", "detached"]);
        hooked.is_stopped(&["merge", "topic", "--no-edit"], "protobuf/field-removed-unreserved");
        git(&repo.path(""), &["merge", "--abort"]);
        git(&repo.path(""), &["switch", "--quiet", "--orphan", "fresh"]);
        repo.write("only.proto", NEW);
        git(&repo.path(""), &["add", "only.proto"]);
        git(&repo.path(""), &["checkout", "--quiet", "main", "--", ".pre-commit-config.yaml"]);
        hooked.passes(&["commit", "--message", "the first of its branch"]);
    }
}

#[test]
fn a_push_is_compared_with_what_the_remote_has() {
    for runner in runners() {
        let hooked = Hooked::new(&runner);
        let repo = &hooked.repo;
        let remote = hooked.aside.path("remote");
        fs::create_dir_all(&remote).expect("a folder");
        git(&remote, &["init", "--quiet", "--bare", "--initial-branch=main"]);
        git(&repo.path(""), &["remote", "add", "origin", &url_of(&remote)]);
        hooked.passes(&["push", "origin", "main"]);
        repo.write("shop/order.proto", NEW);
        git(&repo.path(""), &["commit", "--quiet", "--no-verify", "--all", "--message", "less"]);
        repo.write("README", "two\n");
        git(&repo.path(""), &["commit", "--quiet", "--no-verify", "--all", "--message", "words"]);
        hooked.is_stopped(&["push", "origin", "main"], "protobuf/field-removed-unreserved");
        hooked.is_stopped(&["push", "origin", "main:other"], "protobuf/field-removed-unreserved");
        let ends = ["run", "--from-ref", "HEAD~1", "--to-ref", "HEAD"];
        assert_eq!(hooked.runner(&ends).code, 0, "only the last commit");
        let ends = ["run", "--from-ref", "origin/main", "--to-ref", "HEAD"];
        let ran = hooked.runner(&ends);
        assert_ne!(ran.code, 0, "{}", said(&ran));
    }
}

#[test]
fn a_break_in_the_first_push_of_a_repository_is_not_hidden_by_what_is_staged() {
    for runner in runners() {
        let hooked = Hooked::new(&runner);
        let repo = &hooked.repo;
        let remote = hooked.aside.path("remote");
        fs::create_dir_all(&remote).expect("a folder");
        git(&remote, &["init", "--quiet", "--bare", "--initial-branch=main"]);
        git(&repo.path(""), &["remote", "add", "origin", &url_of(&remote)]);
        repo.write("shop/order.proto", NEW);
        git(&repo.path(""), &["commit", "--quiet", "--no-verify", "--all", "--message", "less"]);
        repo.write("README", "two\n");
        git(&repo.path(""), &["add", "README"]);
        hooked.is_stopped(&["push", "origin", "main"], "protobuf/field-removed-unreserved");
    }
}

#[test]
fn a_run_over_all_files_with_nothing_staged_judges_the_branch() {
    for runner in runners() {
        let hooked = Hooked::new(&runner);
        let repo = &hooked.repo;
        git(&repo.path(""), &["switch", "--quiet", "--create", "topic"]);
        repo.write("shop/order.proto", NEW);
        git(&repo.path(""), &["commit", "--quiet", "--no-verify", "--all", "--message", "less"]);
        let ran = hooked.runner(&["run", "--all-files"]);
        assert_ne!(ran.code, 0, "{}: {}", runner.name, said(&ran));
        assert!(said(&ran).contains("merge base of main"), "{}", said(&ran));
    }
}

#[test]
fn the_hook_that_builds_the_program_works() {
    if std::env::var_os("WIREPROOF_SLOW_HOOKS").is_none() {
        skip("WIREPROOF_SLOW_HOOKS=1", "the hook that builds the program, which takes minutes");
        return;
    }
    for runner in runners() {
        let hooked = Hooked::new(&runner);
        let source = hooked.aside.path("source");
        git(root(), &["clone", "--quiet", "--no-local", &url_of(root()), &source.display().to_string()]);
        fs::copy(root().join(".pre-commit-hooks.yaml"), source.join(".pre-commit-hooks.yaml")).expect("the hooks");
        git(&source, &["add", "--all"]);
        git(&source, &["commit", "--quiet", "--allow-empty", "--message", "as it is"]);
        let revision = git(&source, &["rev-parse", "HEAD"]);
        let url = url_of(&source);
        let config = format!("repos:\n  - repo: {url}\n    rev: {revision}\n    hooks:\n      - id: wireproof\n");
        hooked.repo.write(".pre-commit-config.yaml", &config).write("shop/order.proto", NEW);
        hooked.is_stopped(&["commit", "--all", "--message", "less"], "protobuf/field-removed-unreserved");
    }
}

#[test]
fn staged_is_what_git_would_commit() {
    if git_is_missing() {
        return;
    }
    let repo = repository();
    let staged = |expected: i32| {
        let ran = run(&repo.path(""), &["check", "--staged"]);
        assert_eq!(ran.code, expected, "{}", said(&ran));
        ran
    };
    assert!(staged(0).out.contains("index (what is staged)"));
    repo.write("shop/order.proto", NEW);
    staged(0);
    git(&repo.path(""), &["add", "--all"]);
    repo.write("shop/order.proto", OLD);
    assert!(staged(1).out.contains("field-removed-unreserved"));
    // A file that is only announced is no part of a commit; one that is empty is.
    git(&repo.path(""), &["checkout", "--quiet", "HEAD", "--", "."]);
    repo.write("shop/later.proto", OLD).write("shop/empty.proto", "");
    git(&repo.path(""), &["add", "shop/empty.proto"]);
    git(&repo.path(""), &["add", "--intent-to-add", "shop/later.proto"]);
    let ran = run(&repo.path(""), &["check", "--staged", "--format", "json"]);
    let report: serde_json::Value = serde_json::from_str(&ran.out).expect("a report");
    assert_eq!(report["stats"]["files_new"].as_u64(), Some(2), "{report:#}");
    assert_eq!(report["not_checked"][0]["file"], "shop/later.proto", "{report:#}");
    // Not to be seen in the work tree is not deleted.
    git(&repo.path(""), &["reset", "--quiet", "--hard"]);
    git(&repo.path(""), &["update-index", "--skip-worktree", "shop/order.proto"]);
    fs::remove_file(repo.path("shop/order.proto")).expect("the file was there");
    staged(0);
}

#[test]
fn a_conflict_is_no_commit_yet() {
    if git_is_missing() {
        return;
    }
    let repo = repository();
    git(&repo.path(""), &["switch", "--quiet", "--create", "topic"]);
    repo.write("shop/order.proto", NEW);
    commit(&repo, "less");
    git(&repo.path(""), &["switch", "--quiet", "main"]);
    repo.write("shop/order.proto", &OLD.replace("string note", "bytes note"));
    commit(&repo, "other");
    run_git_that_fails(&repo, &["merge", "--quiet", "topic"]);
    let ran = run(&repo.path(""), &["check", "--staged"]);
    assert_eq!(ran.code, 3, "{}", said(&ran));
    assert!(ran.err.contains("conflict") && ran.err.contains("`shop/order.proto`"), "{}", ran.err);
}

fn run_git_that_fails(place: &Place, arguments: &[&str]) {
    let mut command = Command::new("git");
    clean(&mut command);
    let output = command.current_dir(place.path("")).args(arguments).output().expect("git runs");
    assert!(!output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
}

#[test]
fn a_new_submodule_in_the_index_is_read_and_a_new_link_that_leads_nowhere_is_told() {
    if git_is_missing() {
        return;
    }
    let (inner, repo) = (repository(), repository());
    let url = inner.path("").display().to_string();
    git(&repo.path(""), &["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", &url, "inner.proto"]);
    let blob = git(&repo.path(""), &["rev-parse", "HEAD:shop/order.proto"]);
    git(&repo.path(""), &["update-index", "--add", "--cacheinfo", &format!("120000,{blob},shop/link.proto")]);
    let ran = run(&repo.path(""), &["check", "--staged", "--format", "json"]);
    let report: serde_json::Value = serde_json::from_str(&ran.out).expect("a report");
    assert_eq!(report["stats"]["files_new"].as_u64(), Some(2), "{report:#}");
    assert_eq!(report["verdict"], "compatible", "{report:#}");
    assert_eq!(report["not_checked"][0]["file"], "shop/link.proto", "{report:#}");
}

#[test]
fn the_index_has_no_other_side_than_a_whole_tree() {
    if git_is_missing() {
        return;
    }
    let repo = repository();
    let ran = run(&repo.path(""), &["check", "--staged", "--against", "git:HEAD:shop"]);
    assert_eq!(ran.code, 2, "{}", said(&ran));
    assert!(ran.err.contains("--against git:HEAD -- shop"), "{}", ran.err);
    assert_eq!(run(&repo.path(""), &["check", "--staged", "--against", "git:HEAD", "--", "shop"]).code, 0);
    assert_eq!(run(&repo.path(""), &["check", "--staged", "--head", "git:HEAD"]).code, 2);
}

#[test]
fn a_last_commit_that_is_damaged_is_not_taken_for_no_commit() {
    if git_is_missing() {
        return;
    }
    let repo = repository();
    let head = git(&repo.path(""), &["rev-parse", "HEAD"]);
    fs::remove_file(repo.path(&format!(".git/objects/{}/{}", &head[..2], &head[2..]))).expect("a loose object");
    for arguments in [&["check", "--staged"][..], &["check"]] {
        let ran = run(&repo.path(""), arguments);
        assert_eq!(ran.code, 3, "{arguments:?}: {}", said(&ran));
    }
}

#[test]
fn a_first_commit_is_compared_with_nothing() {
    if git_is_missing() {
        return;
    }
    let place = Place::new();
    git(&place.path(""), &["init", "--quiet", "--initial-branch=main"]);
    place.write("shop/order.proto", OLD);
    git(&place.path(""), &["add", "--all"]);
    let ran = run(&place.path(""), &["check", "--staged"]);
    assert_eq!(ran.code, 0, "{}", said(&ran));
    assert!(ran.out.contains("before the first commit"), "{}", ran.out);
}

/// Hooks that people write by hand: git sets `GIT_DIR` in some of them, and then takes any folder for the top.
#[test]
fn what_git_sets_in_hooks_does_not_confuse() {
    if git_is_missing() || is_windows("what git sets in hooks") {
        return;
    }
    let repo = repository();
    let elsewhere = Place::new();
    let tree = elsewhere.path("tree");
    git(&repo.path(""), &["worktree", "add", "--quiet", "-b", "topic", &tree.display().to_string()]);
    let program = env!("CARGO_BIN_EXE_wireproof");
    let hook = format!("#!/bin/sh\ncd shop || exit 9\nexec '{program}' check --staged --no-progress .\n");
    repo.write(".git/hooks/pre-commit", &hook);
    make_executable(&repo.path(".git/hooks/pre-commit"));
    for top in [repo.path(""), tree] {
        fs::write(top.join("shop/order.proto"), NEW).expect("written");
        for arguments in [&["commit", "--all", "--message", "x"][..], &["commit", "shop/order.proto", "--message", "x"]]
        {
            let mut command = Command::new("git");
            clean(&mut command);
            let output = command.current_dir(&top).args(arguments).output().expect("git runs");
            let said = String::from_utf8_lossy(&output.stderr).into_owned() + &String::from_utf8_lossy(&output.stdout);
            assert!(!output.status.success() && said.contains("field-removed-unreserved"), "{arguments:?}: {said}");
        }
        git(&top, &["reset", "--quiet", "--hard"]);
    }
    let git_dir = repo.path(".git").display().to_string();
    let ran = run_in(&repo.path("shop"), &["check", "--staged", "order.proto"], &[("GIT_DIR", &git_dir)]);
    assert_eq!(ran.code, 0, "the path is the one the user stands at: {}", said(&ran));
    // A work tree that lies apart from its repository, as people keep their settings.
    let apart = Place::new();
    apart.write("shop/order.proto", NEW);
    let (work_tree, environment) = (apart.path("").display().to_string(), ["GIT_DIR", "GIT_WORK_TREE"]);
    let environment = [(environment[0], git_dir.as_str()), (environment[1], work_tree.as_str())];
    assert_eq!(run_in(&apart.path("shop"), &["check", "order.proto"], &environment).code, 1);
    assert_eq!(run_in(&apart.path("shop"), &["check", "--staged", "order.proto"], &environment).code, 0);
}
