//! Reading from git, in real repositories with fixed authors and dates. What the tests of git share is here as well.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::support::{is_windows, skip};

/// The old schema of most tests: removing `note` without reserving its number breaks.
pub(crate) const OLD: &str =
    "syntax = \"proto3\";\npackage shop;\nmessage Order {\n  int32 id = 1;\n  string note = 2;\n}\n";
pub(crate) const NEW: &str = "syntax = \"proto3\";\npackage shop;\nmessage Order {\n  int32 id = 1;\n}\n";
/// Ordinary growth.
pub(crate) const GROWN: &str =
    "syntax = \"proto3\";\npackage shop;\nmessage Order {\n  int32 id = 1;\n  string note = 2;\n  string tag = 3;\n}\n";

/// A directory that goes away with the test.
pub(crate) struct Place {
    directory: tempfile::TempDir,
}

/// What a run of the program gave.
pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Place {
    pub(crate) fn new() -> Place {
        Place { directory: tempfile::tempdir().expect("a temporary directory") }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        if name.is_empty() { self.directory.path().to_path_buf() } else { self.directory.path().join(name) }
    }

    pub(crate) fn write(&self, name: impl AsRef<Path>, text: &str) -> &Self {
        let path = self.directory.path().join(name);
        fs::create_dir_all(path.parent().expect("a file lies in a folder")).expect("folders");
        fs::write(path, text).expect("a file");
        self
    }
}

/// Runs git with nothing of this machine's settings; what it printed.
pub(crate) fn git(directory: &Path, arguments: &[&str]) -> String {
    let output = git_output(directory, arguments);
    assert!(output.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}

pub(crate) fn git_output(directory: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new("git");
    clean(&mut command);
    command.current_dir(directory).args(arguments).output().expect("git runs")
}

/// An environment without CI variables, user settings and repository overrides.
pub(crate) fn clean(command: &mut Command) {
    for (name, _) in std::env::vars_os() {
        let name = name.to_string_lossy().into_owned();
        if name.starts_with("GIT_")
            || name.starts_with("GITHUB_")
            || name.starts_with("PRE_COMMIT")
            || name.starts_with("RUNNER_")
        {
            command.env_remove(name);
        }
    }
    let date = "2020-02-02T02:02:02Z";
    command
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CONFIG_GLOBAL", if cfg!(windows) { "NUL" } else { "/dev/null" })
        .env("GIT_AUTHOR_NAME", "author")
        .env("GIT_AUTHOR_EMAIL", "author@example.org")
        .env("GIT_COMMITTER_NAME", "author")
        .env("GIT_COMMITTER_EMAIL", "author@example.org")
        .env("GIT_AUTHOR_DATE", date)
        .env("GIT_COMMITTER_DATE", date)
        .env("NO_COLOR", "1")
        .env("WIREPROOF_CACHE", "off")
        .env_remove("COLUMNS");
}

/// Says loudly that nothing was tested.
pub(crate) fn git_is_missing() -> bool {
    let missing = Command::new("git").arg("--version").output().is_err();
    if missing {
        skip("git", "everything of this test");
    }
    missing
}

pub(crate) fn run<S: AsRef<OsStr>>(directory: &Path, arguments: &[S]) -> Ran {
    run_in(directory, arguments, &[])
}

pub(crate) fn run_in<S: AsRef<OsStr>>(directory: &Path, arguments: &[S], environment: &[(&str, &str)]) -> Ran {
    let mut command = Command::new(env!("CARGO_BIN_EXE_wireproof"));
    clean(&mut command);
    let output = command
        .current_dir(directory)
        .args(arguments)
        .envs(environment.iter().copied())
        .output()
        .expect("the program runs");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Ran { code: output.status.code().unwrap_or(-1), out: text(&output.stdout), err: text(&output.stderr) }
}

/// The JSON report, which must be the exit code's opinion as well.
pub(crate) fn report(ran: &Ran) -> serde_json::Value {
    let report: serde_json::Value =
        serde_json::from_str(&ran.out).unwrap_or_else(|error| panic!("{error}: {}{}", ran.out, ran.err));
    let expected = match report["verdict"].as_str() {
        Some("compatible") => 0,
        Some("breaking") => 1,
        _ => 3,
    };
    assert_eq!(ran.code, expected, "{}", ran.err);
    report
}

/// A repository with one commit on `main`.
pub(crate) fn repository() -> Place {
    let place = Place::new();
    git(&place.path(""), &["init", "--quiet", "--initial-branch=main"]);
    place.write("shop/order.proto", OLD);
    commit(&place, "first");
    place
}

pub(crate) fn commit(place: &Place, message: &str) -> String {
    git(&place.path(""), &["add", "--all"]);
    git(&place.path(""), &["commit", "--quiet", "--allow-empty", "--message", message]);
    git(&place.path(""), &["rev-parse", "HEAD"])
}

/// A clone of some depth, as CI systems make it.
pub(crate) fn shallow_clone(of: &Place, branch: &str, depth: usize) -> Place {
    let place = Place::new();
    let url = format!("file://{}", of.path("").display());
    let depth = format!("--depth={depth}");
    git(&place.path(""), &["clone", "--quiet", &depth, "--no-single-branch", "--branch", branch, &url, "."]);
    place
}

#[test]
fn a_revision_that_does_not_exist_is_no_pass() {
    if git_is_missing() {
        return;
    }
    let repo = repository();
    git(&repo.path(""), &["tag", "v1.0"]);
    let ran = run(&repo.path(""), &["check", "--against", "git:v1.00"]);
    assert_eq!(ran.code, 2, "{}", ran.err);
    assert!(ran.err.contains("`v1.00`") && ran.err.contains("did you mean `v1.0`?"), "{}", ran.err);
    let ran = run(&repo.path(""), &["compare", "git:main:shp", "git:main:shop"]);
    assert_eq!(ran.code, 3);
    assert!(ran.err.contains("did you mean `shop`?"), "{}", ran.err);
    let ran = run(&repo.path(""), &["compare", "git:--upload-pack=touch hacked", "git:main"]);
    assert_eq!(ran.code, 2);
    assert!(!repo.path("hacked").exists());
}

#[test]
fn a_report_is_written_even_when_there_is_no_answer() {
    if git_is_missing() {
        return;
    }
    let repo = repository();
    let ran = run(&repo.path(""), &["--against", "git:absent", "--format", "json", "--output", "markdown=report.md"]);
    let report = report(&ran);
    assert_eq!(report["verdict"], "unknown");
    assert!(report["problems"][0]["message"].as_str().is_some_and(|message| message.contains("absent")));
    assert!(ran.err.contains("error: git knows no revision `absent`"), "{}", ran.err);
    assert!(repo.path("report.md").exists());
}

#[test]
fn outside_of_a_repository_there_is_no_base() {
    let place = Place::new();
    place.write("a.proto", OLD);
    let ran = run(&place.path(""), &["check"]);
    assert_eq!(ran.code, 3);
    assert!(ran.err.contains("not a git repository"), "{}", ran.err);
}

#[test]
fn a_deleted_file_is_found_and_ignored_and_untracked_files_are_told_apart() {
    if git_is_missing() {
        return;
    }
    let repo = repository();
    repo.write(".gitignore", "/build\n").write("shop/item.proto", &NEW.replace("Order", "Item"));
    commit(&repo, "second");
    fs::remove_file(repo.path("shop/order.proto")).expect("it is there");
    repo.write("build/copy.proto", NEW).write("shop/untracked.proto", &NEW.replace("Order", "Fresh"));
    let report =
        report(&run(&repo.path(""), &["--against", "git:HEAD", "--surface", "wire,json,source", "--format", "json"]));
    assert_eq!((report["stats"]["files_old"].as_u64(), report["stats"]["files_new"].as_u64()), (Some(2), Some(2)));
    let files: Vec<&str> = report["findings"]
        .as_array()
        .expect("findings")
        .iter()
        .flat_map(|finding| [&finding["old"]["file"], &finding["new"]["file"]])
        .filter_map(|file| file.as_str())
        .collect();
    assert!(files.contains(&"shop/order.proto"), "{files:?}");
    assert!(!files.iter().any(|file| file.starts_with("build/")), "{files:?}");
}

#[test]
fn names_with_spaces_and_beyond_ascii_pair_and_so_do_names_that_are_no_text() {
    if git_is_missing() {
        return;
    }
    let repo = repository();
    repo.write("my shop/größe \"x\".proto", &OLD.replace("package shop", "package spaced"));
    let strange = strange_name();
    if let Some(name) = &strange {
        repo.write(Path::new("shop").join(name), &OLD.replace("package shop", "package strange"));
    }
    commit(&repo, "names");
    let report = report(&run(&repo.path(""), &["--against", "git:HEAD", "--format", "json"]));
    assert_eq!(report["findings"].as_array().map(Vec::len), Some(0), "{report:#}");
    assert_eq!(report["stats"]["files_new"].as_u64(), Some(if strange.is_some() { 3 } else { 2 }));
}

/// A file name that is not UTF-8, where the file system takes one.
fn strange_name() -> Option<std::ffi::OsString> {
    #[cfg(target_os = "linux")]
    {
        use std::os::unix::ffi::OsStringExt;
        Some(std::ffi::OsString::from_vec(b"caf\xe9.proto".to_vec()))
    }
    #[cfg(not(target_os = "linux"))]
    None
}

#[test]
fn from_a_folder_the_whole_repository_is_compared_and_paths_narrow_it() {
    if git_is_missing() {
        return;
    }
    let repo = repository();
    repo.write("other/thing.proto", &OLD.replace("shop", "other"));
    commit(&repo, "second");
    repo.write("other/thing.proto", &NEW.replace("shop", "other"));
    let shop = repo.path("shop");
    assert_eq!(run(&shop, &["--against", "git:HEAD"]).code, 1);
    assert_eq!(run(&shop, &["check", ".", "--against", "git:HEAD"]).code, 0);
    assert_eq!(run(&shop, &["check", "../other", "--against", "git:HEAD"]).code, 1);
    let ran = run(&shop, &["check", "../othr", "--against", "git:HEAD"]);
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("did you mean `other`?"), "{}", ran.err);
}

#[test]
fn a_folder_of_a_revision_pairs_with_the_same_folder_on_disk() {
    if git_is_missing() {
        return;
    }
    let repo = repository();
    repo.write("shop/order.proto", NEW);
    for arguments in [
        ["compare", "git:main", "shop"],
        ["compare", "git:main:shop", "shop"],
        ["compare", "main:shop", "shop"],
        ["compare", "git:main", "shop/order.proto"],
        ["compare", "git:main:shop/order.proto", "shop/order.proto"],
    ] {
        let ran = run(&repo.path(""), &[&arguments[..], &["--format", "json"]].concat());
        let report = report(&ran);
        assert_eq!(report["verdict"], "breaking", "{arguments:?} {}", ran.err);
        assert_eq!(report["stats"]["files_old"], report["stats"]["files_new"], "{arguments:?}");
    }
    let mixed = run(&repo.path(""), &["compare", "git:main:shop", "shop/order.proto"]);
    assert_eq!(mixed.code, 2, "{}", mixed.err);
    assert!(mixed.err.contains("a file cannot be compared with a folder"), "{}", mixed.err);
}

#[test]
fn what_is_behind_a_symbolic_link_is_judged_once() {
    if git_is_missing() || is_windows("symbolic links in a repository") {
        return;
    }
    let repo = repository();
    #[cfg(unix)]
    std::os::unix::fs::symlink("order.proto", repo.path("shop/alias.proto")).expect("a link");
    commit(&repo, "link");
    let compatible = report(&run(&repo.path(""), &["--against", "git:HEAD", "--format", "json"]));
    assert_eq!(compatible["verdict"], "compatible");
    repo.write("shop/order.proto", NEW);
    let breaking = report(&run(&repo.path(""), &["--against", "git:HEAD", "--format", "json"]));
    assert_eq!(breaking["verdict"], "breaking");
    assert!(!breaking["findings"].to_string().contains("shop/alias.proto"), "{breaking:#}");
}

#[test]
fn a_repository_with_sha256_ids_works() {
    if git_is_missing() {
        return;
    }
    let place = Place::new();
    if !git_output(&place.path(""), &["init", "--quiet", "--initial-branch=main", "--object-format=sha256"])
        .status
        .success()
    {
        skip("a git that knows sha256", "a repository with sha256 ids");
        return;
    }
    place.write("shop/order.proto", OLD).write("shop/item.proto", &NEW.replace("Order", "Item"));
    commit(&place, "first");
    place.write("shop/order.proto", NEW);
    let report = report(&run(&place.path(""), &["--format", "json"]));
    assert_eq!(report["verdict"], "breaking");
    assert_eq!(report["stats"]["files_old"].as_u64(), Some(2));
}

#[test]
fn a_bare_repository_is_compared_by_its_revisions() {
    if git_is_missing() {
        return;
    }
    let repo = repository();
    git(&repo.path(""), &["tag", "v1"]);
    repo.write("shop/order.proto", NEW);
    commit(&repo, "second");
    let bare = Place::new();
    git(&bare.path(""), &["clone", "--quiet", "--bare", &repo.path("").display().to_string(), "."]);
    assert_eq!(run(&bare.path(""), &["compare", "git:v1", "git:main"]).code, 1);
    let ran = run(&bare.path(""), &["check", "--against", "git:v1"]);
    assert_eq!(ran.code, 3, "{}{}", ran.out, ran.err);
}

/// What nobody touched is read in a small repository and not in a large one, and the answer is the same.
#[test]
fn a_broken_file_that_nobody_touched_stops_no_comparison_of_commits() {
    if git_is_missing() {
        return;
    }
    let of_languages = [
        ("t/a.proto", "syntax = \"proto3\";\nmessage M { int32 a = 1; @X@ }\n"),
        ("t/a.thrift", "struct M { 1: i32 a @X@ }\n"),
        ("t/a.fbs", "table M { a: int; @X@ }\n"),
        ("t/a.capnp", "@0xd4433c9e1f9a8d01;\nstruct M { a @0 :Int32 %X% }\n"),
        ("t/a.avsc", "{ @X@ }\n"),
        ("t/a.schema.json", "{ @X@ }\n"),
    ];
    for (broken, template) in of_languages {
        let ending = &broken[broken.find('.').expect("an ending")..];
        let (old, new) = match ending {
            ".proto" => ("syntax = \"proto3\";\nmessage N { int32 a = 1; }\n", "int32 b = 2; }"),
            ".thrift" => ("struct N { 1: optional i32 a }\n", " 2: optional i32 b }"),
            ".fbs" => ("table N { a: int; }\n", " b: int; }"),
            ".capnp" => ("@0xd4433c9e1f9a8d02;\nstruct N { a @0 :Int32; }\n", " b @1 :Int32; }"),
            ".avsc" => (
                r#"{"type": "record", "name": "N", "fields": [{"name": "a", "type": "int"}]}"#,
                r#", "doc": "of one number"}"#,
            ),
            _ => (r#"{"properties": {"a": {"type": "integer"}}}"#, r#", "title": "N"}"#),
        };
        let at = old.rfind('}').expect("it ends");
        let place = repository();
        place.write(broken, template).write(format!("n/n{ending}"), old);
        commit(&place, "second");
        place.write(format!("n/n{ending}"), &format!("{}{new}{}", &old[..at], &old[at + 1..]));
        commit(&place, "third");
        let compare = ["compare", "git:HEAD~1", "git:HEAD"];
        let ran = run(&place.path(""), &compare);
        assert_eq!(ran.code, 0, "{broken}: {}{}", ran.out, ran.err);
        assert!(ran.out.contains(&format!("{broken}:")), "it is said: {}", ran.out);
        let full = run(&place.path(""), &[&compare[..], &["--full"]].concat());
        assert_eq!(full.code, 3, "{broken}: {}{}", full.out, full.err);
        place.write(broken, &template.replace('X', "Y"));
        commit(&place, "touched");
        assert_eq!(run(&place.path(""), &compare).code, 3, "{broken} was touched");
    }
}

#[test]
fn submodules_are_left_alone() {
    if git_is_missing() {
        return;
    }
    let inner = repository();
    let repo = repository();
    let url = inner.path("").display().to_string();
    git(&repo.path(""), &["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", &url, "inner.proto"]);
    commit(&repo, "submodule");
    let report = report(&run(&repo.path(""), &["--against", "git:HEAD", "--format", "json"]));
    assert_eq!(report["stats"]["files_new"].as_u64(), Some(1));
}

#[test]
fn an_import_root_may_lie_in_a_folder_that_git_ignores() {
    if git_is_missing() {
        return;
    }
    let repo = repository();
    let using = OLD
        .replace("package shop;", "package shop;\nimport \"money/money.proto\";")
        .replace("string note", "money.Money note");
    repo.write(".gitignore", "/.deps\n").write("shop/order.proto", &using);
    repo.write(".deps/money/money.proto", "syntax = \"proto3\";\npackage money;\nmessage Money { int64 units = 1; }\n");
    commit(&repo, "import");
    repo.write("shop/tag.proto", "syntax = \"proto3\";\npackage shop;\nmessage Tag { string text = 1; }\n");
    let missing = report(&run(&repo.path(""), &["--against", "git:HEAD", "--format", "json"]));
    assert_eq!(missing["not_checked"].as_array().map(Vec::len), Some(1), "{missing:#}");
    for directory in ["", "shop"] {
        let include = if directory.is_empty() { ".deps" } else { "../.deps" };
        let found = report(&run(&repo.path(directory), &["--against", "git:HEAD", "--format", "json", "-I", include]));
        assert_eq!(found["not_checked"].as_array().map(Vec::len), Some(0), "{found:#}");
    }
}

#[test]
fn dependencies_pinned_in_buf_lock_are_found_in_the_cache_of_buf() {
    if git_is_missing() {
        return;
    }
    let cache = Place::new();
    cache.write(
        "v3/modules/b5/buf.build/acme/money/0a1b/files/money/money.proto",
        "syntax = \"proto3\";\npackage money;\nmessage Money { int64 units = 1; }\n",
    );
    let repo = repository();
    repo.write("buf.lock", "version: v2\ndeps:\n  - name: buf.build/acme/money\n    commit: 0a1b\n    digest: b5:00\n");
    repo.write(
        "shop/order.proto",
        &OLD.replace("package shop;", "package shop;\nimport \"money/money.proto\";")
            .replace("string note", "money.Money note"),
    );
    commit(&repo, "import");
    let environment = [("BUF_CACHE_DIR", cache.path("").display().to_string())];
    let environment = [(environment[0].0, environment[0].1.as_str())];
    let report = report(&run_in(&repo.path(""), &["--against", "git:HEAD", "--format", "json"], &environment));
    assert_eq!(report["not_checked"].as_array().map(Vec::len), Some(0), "{report:#}");
}

#[test]
fn where_nothing_changed_nothing_is_parsed_unless_more_is_asked() {
    if git_is_missing() {
        return;
    }
    let repo = repository();
    let parsed = |options: &[&str]| {
        let all = [&["check", "--against", "git:HEAD", "--format", "json"], options].concat();
        let report = report(&run(&repo.path(""), &all));
        (report["stats"]["files_new"].as_u64(), report["stats"]["files_parsed"].as_u64())
    };
    assert_eq!(parsed(&[]), (Some(1), Some(0)));
    assert_eq!(parsed(&["--strict-imports"]), (Some(1), Some(1)));
    assert_eq!(parsed(&["--root", "shop.Order"]), (Some(1), Some(1)));
}
