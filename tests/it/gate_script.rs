//! The script behind `action.yml` by itself: what it does with programs that misbehave, and with the token. And the
//! linters that know such files. What it installs is tested in `gate_install`.
//!
//! It needs bash. The linters are looked for on PATH; each that is missing is said.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::git::{Place, Ran, clean};
use crate::support::{is_windows, root, skip};

/// What the script is run in.
pub(crate) struct Runner {
    pub(crate) place: Place,
    /// Where it is started.
    pub(crate) folder: PathBuf,
    environment: Vec<(String, String)>,
}

impl Runner {
    /// `None` where there is no bash, and on Windows, where programs cannot be made of shell lines.
    pub(crate) fn new() -> Option<Runner> {
        let found = Command::new("bash").arg("--version").output().is_ok_and(|output| output.status.success());
        if is_windows("the script of the action") {
            return None;
        }
        if !found {
            skip("bash", "the script of the action");
            return None;
        }
        let place = Place::new();
        for name in ["gate.sh", "binaries.json"] {
            let text = fs::read_to_string(root().join(".github/action").join(name)).expect("the action's files");
            place.write(format!("action/.github/action/{name}"), &text);
        }
        place.write("output", "").write("path", "").write("summary", "").write("temp/empty", "").write("bin/empty", "");
        let at = |name: &str| place.path(name).display().to_string();
        let path = format!("{}:{}", at("bin"), std::env::var("PATH").unwrap_or_default());
        let environment = [
            ("ACTION_PATH", at("action")),
            ("RUNNER_TEMP", at("temp")),
            ("GITHUB_OUTPUT", at("output")),
            ("GITHUB_PATH", at("path")),
            ("GITHUB_STEP_SUMMARY", at("summary")),
            ("GITHUB_EVENT_NAME", "pull_request".to_owned()),
            ("IN_PROGRAM", at("bin/wireproof")),
            ("IN_COMMENT", "never".to_owned()),
            ("IN_ANNOTATIONS", "true".to_owned()),
            ("IN_REVIEW", "false".to_owned()),
            ("IN_REPORT", at("temp/report.json")),
            ("IN_TOKEN", "ghs_secret".to_owned()),
            ("PATH", path),
        ];
        let mut environment: Vec<(String, String)> =
            environment.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        let empty = [
            "AGAINST",
            "MODE",
            "PATHS",
            "CONFIG",
            "FAIL_ON",
            "COMMENT_KEY",
            "PROFILE",
            "SARIF",
            "HTML",
            "ARGS",
            "VERSION",
        ];
        environment.extend(empty.into_iter().map(|name| (format!("IN_{name}"), String::new())));
        let folder = place.path("");
        Some(Runner { place, folder, environment })
    }

    pub(crate) fn set(&mut self, name: &str, value: &str) -> &mut Runner {
        self.environment.retain(|(known, _)| known != name);
        self.environment.push((name.to_owned(), value.to_owned()));
        self
    }

    /// A program made of shell lines.
    pub(crate) fn program(&self, name: &str, lines: &str) -> &Runner {
        self.place.write(name, &format!("#!/usr/bin/env bash\n{lines}\n"));
        make_executable(&self.place.path(name));
        self
    }

    /// As `action.yml` does it.
    pub(crate) fn run(&self, step: &str) -> Ran {
        let mut command = Command::new("bash");
        clean(&mut command);
        let output = command
            .arg("-p")
            .arg(self.place.path("action/.github/action/gate.sh"))
            .arg(step)
            .current_dir(&self.folder)
            .envs(self.environment.iter().map(|(name, value)| (name, value)))
            .output()
            .expect("bash runs");
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Ran { code: output.status.code().unwrap_or(-1), out: text(&output.stdout), err: text(&output.stderr) }
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.place.path(name)).expect("the file is there")
    }
}

#[cfg(unix)]
pub(crate) fn make_executable(path: &Path) {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).expect("permissions");
}

#[cfg(not(unix))]
pub(crate) fn make_executable(_path: &Path) {}

/// A program that answers as wireproof does, with what a test wants to see.
const ANSWERS: &str = "for word in \"$@\"; do case $word in\n\
    json=*) echo '{}' >\"${word#json=}\" ;;\n\
    markdown=*) cp \"$0.md\" \"${word#markdown=}\" ;;\n\
    github=*) echo '::error title=real::x' >\"${word#github=}\" ;;\n\
    github-output=*) echo 'verdict=breaking' >\"${word#github-output=}\" ;;\n\
    *=*) : ;;\nesac; done\n";

#[test]
fn a_crash_is_no_pass_and_the_exit_code_is_the_programs_own() {
    let Some(runner) = Runner::new() else { return };
    for (lines, code) in [("echo 'out of memory' >&2; exit 101", 101), ("kill -9 $$", 137), ("exit 0", 0)] {
        runner.program("bin/wireproof", lines);
        let ran = runner.run("check");
        assert_eq!(ran.code, code, "{lines}: {}{}", ran.out, ran.err);
        assert!(ran.out.contains("::error title=wireproof::wireproof gave no report"), "{lines}: {}", ran.out);
        assert!(!runner.read("output").contains("verdict"));
    }
}

#[test]
fn what_the_program_says_is_never_a_command() {
    let Some(mut runner) = Runner::new() else { return };
    runner.place.write("bin/wireproof.md", "fine\n");
    let lines = format!(
        "{ANSWERS}\nenv >\"$0.env\"\nprintf '::error::owned\\n##[error]owned'\nprintf '::warning::owned' >&2\nexit 1"
    );
    runner.program("bin/wireproof", &lines);
    let ran = runner.set("IN_ARGS", "--offline  --surface\n wire,json *").set("IN_PATHS", "proto [a-z]").run("check");
    assert_eq!(ran.code, 1, "{}{}", ran.out, ran.err);
    let key =
        ran.out.lines().next().and_then(|line| line.strip_prefix("::stop-commands::")).expect("commands are stopped");
    assert_eq!(key.len(), "wireproof-".len() + 32, "{key}");
    let (quoted, after) =
        ran.out.split_once(&format!("\n::{key}::\n")).expect("they start again, on a line of its own");
    assert!(quoted.contains("::error::owned") && quoted.contains("::warning::owned"), "{quoted}");
    assert!(after.starts_with("::error title=real::x\n") && !after.contains("owned"), "{after}");
    assert!(!ran.err.contains("owned"), "{}", ran.err);
    assert!(!runner.read("bin/wireproof.env").contains("ghs_secret"), "who reads schemas has no token");
    assert!(runner.read("output").starts_with("verdict=breaking\n"));
    assert_eq!(runner.read("summary"), "fine\n");
    let again = runner.run("check");
    assert!(!again.out.contains(key), "the key is another one each time");
}

/// What `wireproof comment` says once it is done.
const COMMENTED: &str = "echo 'created the comment: https://github.example/octo/shop/pull/7#issuecomment-1'\n";

#[test]
fn the_comment_gets_the_token_and_nobody_else_does() {
    let Some(mut runner) = Runner::new() else { return };
    runner.program("bin/wireproof", &format!("env >\"$0.env\"\necho \"$*\" >\"$0.called\"\n{COMMENTED}"));
    runner.program("bin/sed", "env >\"$0.env\"\nPATH=/usr/bin:/bin exec sed \"$@\"");
    runner.set("IN_COMMENT", "auto").set("IN_REVIEW", "true").set("IN_COMMENT_KEY", "shop; touch owned");
    // A variable of that name is exported by whoever set it; ours must not be.
    runner.set("token", "x").set("GH_TOKEN", "ghs_other").set("GITHUB_TOKEN", "ghs_other");
    let ran = runner.run("comment");
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    assert_eq!(runner.read("output"), "comment-url=https://github.example/octo/shop/pull/7#issuecomment-1\n");
    let called = runner.read("bin/wireproof.called");
    assert!(called.starts_with("comment --when=auto --review --key=shop; touch owned -- /"), "{called}");
    let holders = |name: &str| -> Vec<String> {
        let text = runner.read(name);
        text.lines().filter(|line| line.contains("ghs_")).map(str::to_owned).collect()
    };
    assert_eq!(holders("bin/wireproof.env"), ["GITHUB_TOKEN=ghs_secret"]);
    assert_eq!(holders("bin/sed.env"), [""; 0]);
}

#[test]
fn a_comment_that_fails_changes_nothing() {
    let Some(mut runner) = Runner::new() else { return };
    runner.set("IN_COMMENT", "always");
    for lines in ["echo 'no such server' >&2; exit 3", "kill -9 $$", "exit 1"] {
        runner.program("bin/wireproof", lines);
        let ran = runner.run("comment");
        assert_eq!(ran.code, 0, "{lines}: {}{}", ran.out, ran.err);
        assert!(ran.out.contains("::warning title=wireproof::The comment was not written"), "{lines}: {}", ran.out);
    }
    let ran = runner.set("RUNNER_TEMP", "/nowhere/at/all").run("comment");
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    assert!(ran.out.contains("The comment was not written"), "{}", ran.out);
    let ran = runner.set("GITHUB_EVENT_NAME", "push").run("comment");
    assert_eq!((ran.code, ran.out.contains("about no pull request")), (0, true), "{}{}", ran.out, ran.err);
    assert_eq!(runner.read("output"), "");
}

#[test]
fn a_summary_that_is_too_long_says_so_and_ends_with_a_whole_line() {
    let Some(runner) = Runner::new() else { return };
    let long = "| ünïcödé | line |\n".repeat(80_000);
    runner.place.write("bin/wireproof.md", &long);
    runner.program("bin/wireproof", &format!("{ANSWERS}\nexit 1"));
    assert_eq!(runner.run("check").code, 1);
    let summary = runner.read("summary");
    assert!(summary.len() < 1 << 20, "{}", summary.len());
    assert!(summary.starts_with("> [!WARNING]\n") && summary.contains(&format!("{} bytes", long.len())));
    assert!(summary.ends_with("| ünïcödé | line |\n"), "{:?}", &summary[summary.len() - 60..]);
}

#[test]
fn where_nothing_can_be_told_the_verdict_stands() {
    let Some(mut runner) = Runner::new() else { return };
    runner.place.write("bin/wireproof.md", "fine\n");
    runner.program("bin/wireproof", &format!("{ANSWERS}\nexit 1"));
    let ran = runner.set("GITHUB_STEP_SUMMARY", "/nowhere/at/all").run("check");
    assert_eq!(ran.code, 1, "{}{}", ran.out, ran.err);
    assert!(ran.out.contains("::warning title=wireproof::Not everything"), "{}", ran.out);
}

/// The form that the script reads without a program for JSON, and what a release has to fill in.
#[test]
fn the_file_of_checksums_is_whole_or_empty() {
    let text = fs::read_to_string(root().join(".github/action/binaries.json")).expect("the file");
    let file: serde_json::Value = serde_json::from_str(&text).expect("it is JSON");
    let binaries = file["binaries"].as_object().expect("targets");
    if file["version"].is_null() {
        assert!(binaries.is_empty(), "without a version there is nothing to download");
        return;
    }
    let version = file["version"].as_str().expect("a version");
    assert!(text.contains(&format!("\n  \"version\": \"{version}\",\n")), "the version has a line of its own");
    assert!(!binaries.is_empty());
    for (target, binary) in binaries {
        let (url, sum) = (binary["url"].as_str().expect("a url"), binary["sha256"].as_str().expect("a checksum"));
        let line = format!("\n    \"{target}\": {{ \"url\": \"{url}\", \"sha256\": \"{sum}\" }}");
        assert!(text.contains(&line), "{target} has a line of its own: {line}");
        assert!(url.starts_with("https://") && sum.len() == 64, "{target}");
    }
}

/// The page is what people read; `action.yml` is what counts.
#[test]
fn the_page_names_every_input_and_output() {
    let action = fs::read_to_string(root().join("action.yml")).expect("the action");
    let page = fs::read_to_string(root().join("docs/ci.md")).expect("the page");
    let lines = action.lines().take_while(|line| *line != "runs:");
    let names = lines.filter_map(|line| line.strip_prefix("  ")?.strip_suffix(':'));
    let names: Vec<&str> = names.filter(|name| !name.starts_with([' ', '#'])).collect();
    assert!(names.contains(&"comment-key") && names.contains(&"waived-count"), "{names:?}");
    let rows: Vec<&str> = page.lines().filter(|line| line.starts_with("| `")).collect();
    for name in names {
        let cell = format!("`{name}`");
        let is_named = |row: &&str| row[2..].split('|').next().is_some_and(|first| first.contains(&cell));
        assert!(rows.iter().any(is_named), "docs/ci.md has no row for {cell}");
    }
}

#[test]
fn linters_have_nothing_to_say() {
    let workflows: Vec<PathBuf> = crate::support::files_below(&root().join(".github/workflows"));
    let workflows: Vec<String> = workflows.iter().map(|path| path.display().to_string()).collect();
    let workflows: Vec<&str> = workflows.iter().map(String::as_str).collect();
    let action = ["action.yml"];
    let forms = ["false-alarm", "missed-break", "crash"].map(|name| format!(".github/ISSUE_TEMPLATE/{name}.yml"));
    let forms = forms.each_ref().map(String::as_str);
    let linters: [(&str, &[&str], &[&str]); 6] = [
        ("shellcheck", &[".github/action/gate.sh", ".ci/run", ".ci/tools"], &[]),
        ("actionlint", &[], &workflows),
        ("zizmor", &["--offline", "--no-progress", "action.yml"], &workflows),
        ("check-jsonschema", &["--builtin-schema", "vendor.github-actions"], &action),
        ("check-jsonschema", &["--builtin-schema", "vendor.github-workflows"], &workflows),
        ("check-jsonschema", &["--builtin-schema", "vendor.github-issue-forms"], &forms),
    ];
    for (linter, options, files) in linters {
        if !Command::new(linter).arg("--version").output().is_ok_and(|output| output.status.success()) {
            skip(linter, "the files of the action and the workflows");
            continue;
        }
        let output = Command::new(linter).args(options).args(files).current_dir(root()).output().expect("it runs");
        let said = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{linter} {options:?}: {said}");
    }
}
