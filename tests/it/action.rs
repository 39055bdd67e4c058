//! `action.yml` as a user meets it: run by act, in a repository of its own, against a GitHub on 127.0.0.1.
//!
//! act is looked for on PATH, or where `WIREPROOF_ACT` says. It runs on Linux and macOS, without containers and without
//! the network; what the real service adds to that is not shown here. Secrets are not hidden in its log, so that a leak
//! would be seen.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;
use std::process::Command;

use serde_json::{Value, json};

use crate::gate_script::make_executable;
use crate::git::{Place, clean, git, git_is_missing};
use crate::support::github::{Fault, REPOSITORY, Scenario, Server, TOKEN, comment, pull, start};
use crate::support::{files_below, is_windows, relative, root, skip};

const OLD: &str = "syntax = \"proto3\";\npackage shop;\nmessage Order {\n  int32 id = 1;\n  string note = 2;\n}\n";
const BROKEN: &str = "syntax = \"proto3\";\npackage shop;\nmessage Order {\n  int32 id = 1;\n}\n";
const GROWN: &str =
    "syntax = \"proto3\";\npackage shop;\nmessage Order {\n  int32 id = 1;\n  string note = 2;\n  string tag = 3;\n}\n";
const COMMENTS: &str = "/repos/octo/shop/issues/7/comments";

/// act, if it is here and can run anything.
fn act() -> Option<PathBuf> {
    if git_is_missing() || is_windows("the action under act") {
        return None;
    }
    let program = std::env::var_os("WIREPROOF_ACT").map_or_else(|| PathBuf::from("act"), PathBuf::from);
    if Command::new(&program).arg("--version").output().is_ok_and(|output| output.status.success()) {
        return Some(program);
    }
    skip("act", "the action on a runner; it is neither on PATH nor named by WIREPROOF_ACT");
    None
}

/// A repository with a pull request, checked out as GitHub does: at the commit that would merge it.
struct Stage {
    place: Place,
    event_name: &'static str,
    event: Value,
    inputs: String,
    /// Variables of the job.
    job: String,
    /// Shell lines of a step before the action.
    before: &'static str,
    /// Folders that come before all others on PATH.
    folders: Vec<PathBuf>,
    token: Option<&'static str>,
    /// The commit at the head of the pull request.
    topic: String,
}

impl Stage {
    /// `None` where act is missing.
    fn new(old: &[(&str, &str)], new: &[(&str, &str)]) -> Option<Stage> {
        act()?;
        let place = Place::new();
        let repo = place.path("repo");
        fs::create_dir_all(&repo).expect("a folder");
        git(&repo, &["init", "--quiet", "--initial-branch=main"]);
        for file in files_below(&root().join(".github/action")) {
            let text = fs::read_to_string(&file).expect("the action's files are text");
            place.write(format!("repo/{}", relative(&file)), &text);
        }
        place.write("repo/action.yml", &fs::read_to_string(root().join("action.yml")).expect("the action"));
        for (name, text) in old {
            place.write(format!("repo/{name}"), text);
        }
        let record = |message: &str| {
            git(&repo, &["add", "--all"]);
            git(&repo, &["commit", "--quiet", "--allow-empty", "--message", message]);
            git(&repo, &["rev-parse", "HEAD"])
        };
        let main = record("old");
        git(&repo, &["switch", "--quiet", "--create", "topic"]);
        for (name, text) in new {
            place.write(format!("repo/{name}"), text);
        }
        let topic = record("new");
        git(&repo, &["switch", "--quiet", "--detach", "main"]);
        git(&repo, &["merge", "--quiet", "--no-ff", "--message", "merge", "topic"]);
        git(&repo, &["remote", "add", "origin", &format!("https://github.com/{REPOSITORY}.git")]);
        let event = json!({"action": "synchronize", "number": 7, "pull_request": {
            "number": 7, "head": {"sha": topic, "ref": "topic"}, "base": {"sha": main, "ref": "main"}}});
        let inputs = String::new();
        let (job, before, folders) = (String::new(), "true", Vec::new());
        let (event_name, token) = ("pull_request", Some(TOKEN));
        Some(Stage { place, event_name, event, inputs, job, before, folders, token, topic })
    }

    /// The usual pair: a field goes without its number being reserved.
    fn breaking() -> Option<Stage> {
        Stage::new(&[("shop/order.proto", OLD)], &[("shop/order.proto", BROKEN)])
    }

    fn with(mut self, input: &str, value: &str) -> Stage {
        self.inputs.push_str(&format!("          {input}: {value}\n"));
        self
    }

    fn with_variable(mut self, name: &str, value: &str) -> Stage {
        self.job.push_str(&format!("      {name}: {value}\n"));
        self
    }

    fn on(mut self, event_name: &'static str, event: Value) -> Stage {
        (self.event_name, self.event) = (event_name, event);
        self
    }

    fn without_token(mut self) -> Stage {
        self.token = None;
        self
    }

    /// A GitHub that knows the pull request as it is.
    fn scenario(&self) -> Scenario {
        Scenario { pulls: vec![pull(7, &self.topic)], ..Scenario::default() }
    }

    fn run(&self, server: &Server) -> Log {
        let variables = if self.job.is_empty() { String::new() } else { format!("    env:\n{}", self.job) };
        let workflow = format!(
            "name: schemas\non: [{}]\npermissions:\n  contents: read\n  pull-requests: write\njobs:\n  wireproof:\n    \
             runs-on: ubuntu-latest\n{variables}    steps:\n      - uses: actions/checkout@v4\n      - run: {}\n        shell: bash\n        env: {{BASH_ENV: '', ENV: ''}}\n      - id: gate\n        uses: ./\n        \
             with:\n          version: path\n{}",
            self.event_name, self.before, self.inputs
        );
        // Not committed, and no schema, so nothing that is compared.
        self.place.write("repo/.github/workflows/schemas.yml", &workflow);
        self.place.write("event.json", &self.event.to_string());
        let built = PathBuf::from(env!("CARGO_BIN_EXE_wireproof"));
        let folders =
            [&self.folders[..], &[patient_bash(&self.place), built.parent().expect("a folder").to_path_buf()]];
        let folders = folders.concat();
        let path = std::env::var_os("PATH").unwrap_or_default();
        let path = std::env::join_paths(folders.into_iter().chain(std::env::split_paths(&path))).expect("a PATH");
        let mut command = Command::new(act().expect("a stage has act"));
        clean(&mut command);
        command
            .current_dir(self.place.path("repo"))
            .env("PATH", path)
            .env("HOME", self.place.path("home"))
            .env("XDG_CACHE_HOME", self.place.path("cache"))
            .env_remove("CI")
            .args([self.event_name, "--platform", "ubuntu-latest=-self-hosted", "--no-cache-server", "--json"])
            .args(["--insecure-secrets", "--eventpath"])
            .arg(self.place.path("event.json"))
            .args(["--env", &format!("GITHUB_API_URL={}", server.url), "--env", "NO_PROXY=127.0.0.1"]);
        if let Some(token) = self.token {
            command.args(["--secret", &format!("GITHUB_TOKEN={token}")]);
        }
        let output = command.output().expect("act runs");
        let raw = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
        assert!(!raw.contains("MustNeverBeSeen"), "the token is in the log:\n{raw}");
        Log { entries: raw.lines().filter_map(|line| serde_json::from_str(line).ok()).collect(), raw }
    }
}

/// A folder with a bash that stays a moment before it ends: act loses what a step prints last when it is busy.
fn patient_bash(place: &Place) -> PathBuf {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let bash = std::env::split_paths(&path).map(|folder| folder.join("bash")).find(|file| file.is_file());
    let bash = bash.expect("act has run bash before").display().to_string();
    place.write("shell/bash", &format!("#!{bash}\n'{bash}' \"$@\"\ncode=$?\nsleep 0.5\nexit \"$code\"\n"));
    make_executable(&place.path("shell/bash"));
    place.path("shell")
}

/// What act tells of a run.
struct Log {
    entries: Vec<Value>,
    raw: String,
}

impl Log {
    fn of_step<'a>(&'a self, id: &'a [&'a str]) -> impl Iterator<Item = &'a Value> {
        self.entries.iter().filter(move |entry| entry["stepID"] == json!(id))
    }

    /// The exit code of the step that checks, which must have run.
    fn code(&self) -> i32 {
        let result = self.of_step(&["gate", "check"]).find_map(|entry| entry["stepResult"].as_str());
        let said = |entry: &Value| entry["msg"].as_str()?.strip_prefix("exit status ")?.parse().ok();
        match result {
            Some("success") => 0,
            Some("failure") => self.of_step(&["gate", "check"]).find_map(said).expect("a failed step has an exit code"),
            other => panic!("the step did not run ({other:?}):\n{}", self.raw),
        }
    }

    /// The action's outputs; those that are empty are left out.
    fn outputs(&self) -> BTreeMap<&str, &str> {
        let set = self.of_step(&["gate"]).filter(|entry| entry["command"] == "set-output");
        let pairs = set.filter_map(|entry| Some((entry["name"].as_str()?, entry["arg"].as_str()?)));
        pairs.filter(|(_, value)| !value.is_empty()).collect()
    }

    fn summary(&self) -> &str {
        let found = self.of_step(&["gate", "check"]).find(|entry| entry["command"] == "summary");
        found.and_then(|entry| entry["content"].as_str()).unwrap_or_default()
    }

    /// What workflow commands of a kind say.
    fn commands(&self, kind: &str) -> Vec<&str> {
        let of_kind = self.entries.iter().filter(|entry| entry["command"] == kind);
        of_kind.filter_map(|entry| entry["arg"].as_str()).collect()
    }

    /// What was printed as text.
    fn text(&self) -> String {
        let printed = self.of_step(&["gate", "check"]).filter(|entry| entry["raw_output"] == true);
        printed.filter_map(|entry| entry["msg"].as_str()).collect()
    }

    /// The comment could not be written, the verdict stands all the same.
    fn tells_why_there_is_no_comment(&self, kind: &str, why: &str) {
        assert_eq!(self.code(), 1, "{}", self.raw);
        assert_eq!(self.outputs()["verdict"], "breaking");
        assert!(!self.outputs().contains_key("comment-url"), "{:?}", self.outputs());
        let said = self.commands(kind);
        assert!(said.iter().any(|text| text.contains(why)), "{why}: {said:?}\n{}", self.raw);
    }
}

#[test]
fn growth_passes_quietly() {
    let Some(stage) = Stage::new(&[("shop/order.proto", OLD)], &[("shop/order.proto", GROWN)]) else { return };
    let server = start(stage.scenario());
    let log = stage.run(&server);
    assert_eq!(log.code(), 0, "{}", log.raw);
    let outputs = log.outputs();
    assert_eq!((outputs["verdict"], outputs["breaking-count"]), ("compatible", "0"));
    assert_eq!((outputs["upgrade-order"], outputs["strictest-mode"]), ("any", "full"));
    assert!(log.text().contains("(effect of merging)"), "it says what it compared: {}", log.text());
    assert!(log.summary().contains("(effect of merging)"), "{}", log.summary());
    assert_eq!(log.commands("error").len() + log.commands("warning").len(), 0, "{}", log.raw);
    assert!(server.writes().is_empty(), "{:?}", server.writes());
}

#[test]
fn a_break_fails_the_step_and_is_told_everywhere() {
    let Some(stage) = Stage::breaking() else { return };
    let stage = stage.with("comment-key", "shop").with("sarif-file", "reports.sarif").with("html-file", "report.html");
    let server = start(stage.scenario());
    let log = stage.run(&server);
    assert_eq!(log.code(), 1, "{}", log.raw);
    let outputs = log.outputs();
    assert_eq!((outputs["verdict"], outputs["breaking-count"]), ("breaking", "1"));
    assert_eq!((outputs["warning-count"], outputs["waived-count"]), ("0", "0"));
    // A removal without `reserved` is policy: the check fails and no reader breaks.
    assert_eq!(outputs["strictest-mode"], "full");
    assert_eq!(outputs["version"], env!("CARGO_PKG_VERSION"));
    assert!(outputs["report-json"].ends_with("/report.json") && outputs["report-markdown"].ends_with("/report.md"));
    assert!(outputs["sarif-file"].starts_with('/') && outputs["sarif-file"].ends_with("/reports.sarif"));
    assert!(outputs["html-file"].starts_with('/') && outputs["html-file"].ends_with("/report.html"));
    assert!(log.summary().contains("protobuf/field-removed-unreserved"), "{}", log.summary());
    assert!(log.text().contains("policy[protobuf/field-removed-unreserved]"), "{}", log.text());
    assert_eq!(server.writes(), [format!("POST {COMMENTS}")]);
    let body = server.comments()[0]["body"].as_str().unwrap_or_default().to_owned();
    assert!(body.contains("shop.Order.note") && body.contains("key=shop "), "{body}");
    assert!(outputs["comment-url"].ends_with("#issuecomment-1000"), "{outputs:?}");
    let readers: Vec<_> = server.requests().into_iter().filter(|seen| seen.method == "GET").collect();
    assert!(readers.iter().all(|seen| seen.authorization.as_deref() == Some(&format!("Bearer {TOKEN}"))));
    // The same once more changes nothing.
    let log = stage.run(&server);
    assert_eq!(log.code(), 1);
    assert_eq!(server.writes().len(), 1, "{:?}", server.writes());
    assert!(log.outputs()["comment-url"].ends_with("#issuecomment-1000"));
}

#[test]
fn findings_are_annotated_unless_that_is_refused() {
    let Some(stage) = Stage::breaking() else { return };
    let server = start(stage.scenario());
    let log = stage.run(&server);
    let errors = log.commands("error");
    assert_eq!(errors.len(), 1, "{}", log.raw);
    assert!(errors[0].contains("shop.Order.note"), "{errors:?}");
    let quiet = stage.with("annotations", "'false'");
    assert!(quiet.run(&server).commands("error").is_empty());
}

#[test]
fn a_token_that_may_only_read_leaves_a_notice() {
    let Some(stage) = Stage::breaking() else { return };
    let server = start(Scenario { may_write: false, ..stage.scenario() });
    stage.run(&server).tells_why_there_is_no_comment("notice", "may not comment");
}

#[test]
fn without_a_token_there_is_a_notice() {
    let Some(stage) = Stage::breaking() else { return };
    let stage = stage.without_token();
    let server = start(stage.scenario());
    stage.run(&server).tells_why_there_is_no_comment("notice", "no token");
    assert!(server.requests().is_empty());
}

#[test]
fn a_comment_far_down_is_found_and_updated() {
    let Some(stage) = Stage::breaking() else { return };
    let server = start(stage.scenario());
    assert_eq!(stage.run(&server).code(), 1);
    server.change(|scenario| {
        let ours = scenario.comments.remove(0);
        let old = ours["body"].as_str().unwrap_or_default().replace("shop.Order.note", "shop.Order.other");
        scenario.comments = (1..=135).map(|id| comment(id, "someone", "looks good")).collect();
        scenario.comments.push(comment(1000, "github-actions[bot]", &old.replace("digest=", "digest=0")));
        // GitHub gives thirty at a time unless asked for more.
        scenario.comments.extend((2001..=2035).map(|id| comment(id, "other", "me too")));
    });
    let log = stage.run(&server);
    assert_eq!(log.code(), 1, "{}", log.raw);
    assert_eq!(server.writes()[1..], [format!("PATCH /repos/{REPOSITORY}/issues/comments/1000")], "{}", log.raw);
    assert!(server.requests().iter().any(|seen| seen.path.contains("page=2")));
    assert_eq!(server.comments().len(), 171);
}

#[test]
fn a_run_that_was_overtaken_writes_nothing() {
    let Some(stage) = Stage::breaking() else { return };
    let newer = pull(7, "3333333333333333333333333333333333333333");
    let server = start(Scenario { pulls: vec![newer], ..stage.scenario() });
    stage.run(&server).tells_why_there_is_no_comment("notice", "no comment");
    assert!(server.writes().is_empty(), "{:?}", server.writes());
}

#[test]
fn a_pull_request_that_is_closed_or_gone_gets_no_comment() {
    let Some(stage) = Stage::breaking() else { return };
    let mut closed = pull(7, &stage.topic);
    closed["state"] = json!("closed");
    for pulls in [vec![closed], Vec::new()] {
        let server = start(Scenario { pulls, ..stage.scenario() });
        let log = stage.run(&server);
        assert_eq!(log.code(), 1, "{}", log.raw);
        assert!(server.writes().is_empty(), "{:?}", server.writes());
        let said = [log.commands("notice"), log.commands("warning")].concat();
        assert!(said.iter().any(|text| text.to_lowercase().contains("comment")), "{said:?}\n{}", log.raw);
    }
}

#[test]
fn a_server_that_stumbles_is_asked_again() {
    let Some(stage) = Stage::breaking() else { return };
    let faults = vec![
        Fault { method: "GET", path: "/issues/7/comments", status: 502, headers: Vec::new(), times: 1 },
        Fault { method: "POST", path: "/issues/7/comments", status: 503, headers: Vec::new(), times: 1 },
    ];
    let server = start(Scenario { faults, ..stage.scenario() });
    let log = stage.run(&server);
    assert_eq!((log.code(), server.comments().len()), (1, 1), "{}", log.raw);
}

#[test]
fn a_server_that_stays_down_does_not_change_the_verdict() {
    let Some(stage) = Stage::new(&[("shop/order.proto", OLD)], &[("shop/order.proto", GROWN)]) else { return };
    let stage = stage.with("comment", "always");
    let faults = vec![Fault { method: "POST", path: "/", status: 400, headers: Vec::new(), times: 100 }];
    let server = start(Scenario { faults, ..stage.scenario() });
    let log = stage.run(&server);
    assert_eq!(log.code(), 0, "{}", log.raw);
    let said = log.commands("warning");
    assert!(said.iter().any(|text| text.contains("The comment was not written")), "{said:?}");
}

#[test]
fn a_review_is_made_where_it_is_asked_for() {
    let Some(stage) = Stage::breaking() else { return };
    let diff = git(&stage.place.path("repo"), &["diff", "main", "topic", "--", "shop/order.proto"]);
    let patch = diff.find("@@ ").map(|start| &diff[start..]).expect("a diff has a hunk");
    let file = json!({"filename": "shop/order.proto", "status": "modified", "patch": patch});
    let server = start(Scenario { files: vec![file], ..stage.scenario() });
    let log = stage.with("review", "'true'").run(&server);
    assert_eq!(log.code(), 1, "{}", log.raw);
    assert!(
        server.writes().iter().any(|write| write.ends_with("/pulls/7/reviews")),
        "{:?}\n{}",
        server.writes(),
        log.raw
    );
    assert_eq!(server.remarks()[0]["path"], "shop/order.proto");
}

#[test]
fn an_event_that_lacks_everything_is_still_judged_by_its_merge_commit() {
    let Some(stage) = Stage::breaking() else { return };
    let stage = stage.on("pull_request", json!({"pull_request": {}}));
    let server = start(stage.scenario());
    stage.run(&server).tells_why_there_is_no_comment("warning", "pull_request.number");
    assert!(server.requests().is_empty());
}

#[test]
fn a_push_is_compared_with_what_was_there_before_it() {
    let Some(stage) = Stage::breaking() else { return };
    let before = git(&stage.place.path("repo"), &["rev-parse", "main"]);
    let server = start(stage.scenario());
    let push = stage.on("push", json!({"before": before, "ref": "refs/heads/main"}));
    let log = push.run(&server);
    assert_eq!(log.code(), 1, "{}", log.raw);
    assert!(log.text().contains("(before the push)"), "{}", log.text());
    assert!(server.requests().is_empty(), "a push is no pull request");
    let group = push.on("merge_group", json!({"merge_group": {"base_sha": before}}));
    let log = group.run(&server);
    assert_eq!(log.code(), 1, "{}", log.raw);
    assert!(log.text().contains("(base of the merge group)"), "{}", log.text());
}

#[test]
fn what_cannot_be_read_is_no_pass() {
    let Some(stage) = Stage::new(&[("shop/order.proto", OLD)], &[("shop/order.proto", "message {")]) else { return };
    let server = start(stage.scenario());
    let log = stage.run(&server);
    assert_eq!((log.code(), log.outputs()["verdict"]), (3, "unknown"), "{}", log.raw);
    assert_eq!(server.comments().len(), 1);
}

#[test]
fn a_mistake_in_the_inputs_is_said_and_is_no_verdict() {
    let Some(stage) = Stage::breaking() else { return };
    let server = start(stage.scenario());
    let log = stage.with("mode", "sideways").run(&server);
    assert_eq!(log.code(), 2, "{}", log.raw);
    assert!(!log.outputs().contains_key("verdict"));
    assert!(log.commands("error").iter().any(|text| text.contains("sideways")), "{}", log.raw);
    let Some(stage) = Stage::breaking() else { return };
    let log = stage.with("comment", "sometimes").run(&server);
    assert_eq!(log.code(), 3, "{}", log.raw);
    assert!(log.commands("error").iter().any(|text| text.contains("sometimes")), "{}", log.raw);
    assert!(server.requests().is_empty());
}

/// Inputs are words for the program, whatever they look like to a shell.
#[test]
fn inputs_are_never_run() {
    let Some(stage) = Stage::breaking() else { return };
    let trap = "\"$(touch owned) `touch owned` ; touch owned * | touch owned\"";
    let server = start(stage.scenario());
    for input in ["against", "paths", "args", "config", "fail-on", "profile", "sarif-file"] {
        let Some(stage) = Stage::breaking() else { return };
        let stage = stage.with("comment", "never").with(input, trap);
        let log = stage.run(&server);
        assert_ne!(log.code(), 0, "{input}: {}", log.raw);
        let found = files_below(&stage.place.path("cache"));
        assert!(!found.iter().any(|file| file.ends_with("owned")), "{input}: {found:?}");
    }
}

#[test]
fn names_and_comments_of_schemas_are_text_and_no_commands() {
    let bad = "syntax = \"proto3\";\npackage shop;\n// @everyone | <script>alert(1)</script> ::error::owned\n\
               // ##[error]owned\n/*\n```\n<script>alert(2)</script> @everyone\n*/\nmessage Order {\n  /*\n::set-output name=verdict::owned\n::error::owned\n::add-path::/owned\n*/ string \
               note = 2 [json_name = \"::warning::owned\"];\n}\n";
    let names =
        ["shop/@everyone | <script>.proto", "shop/new\n::error::owned\n.proto", "shop/`tick` $(touch owned).proto"];
    let old: Vec<(&str, &str)> = names.iter().map(|name| (*name, bad)).collect();
    // Three files that define one type would be one problem and no findings.
    let old: Vec<(&str, String)> = old
        .iter()
        .enumerate()
        .map(|(at, (name, text))| (*name, text.replace("Order", &format!("Order{at}"))))
        .collect();
    let old: Vec<(&str, &str)> = old.iter().map(|(name, text)| (*name, text.as_str())).collect();
    let new: Vec<(&str, String)> = old
        .iter()
        .map(|(name, text)| (*name, text.split("  /*").next().unwrap_or_default().to_owned() + "}\n"))
        .collect();
    let new: Vec<(&str, &str)> = new.iter().map(|(name, text)| (*name, text.as_str())).collect();
    let Some(stage) = Stage::new(&old, &new) else { return };
    let server = start(stage.scenario());
    let log = stage.run(&server);
    assert_eq!(
        (log.code(), log.outputs()["verdict"], log.outputs()["breaking-count"]),
        (1, "breaking", "3"),
        "{}",
        log.raw
    );
    let expected = ["error", "warning", "notice", "set-output", "stop-commands", "summary"];
    for entry in log.entries.iter().filter(|entry| !entry["command"].is_null()) {
        let name = entry["command"].as_str().unwrap_or_default();
        assert!(expected.contains(&name) || name.starts_with("wireproof-"), "{entry}");
        assert_ne!(entry["arg"], "owned", "{entry}");
    }
    let body = server.comments()[0]["body"].as_str().unwrap_or_default().to_owned();
    for text in [body.as_str(), log.summary()] {
        let markup = outside_of_fences(text);
        assert!(markup.contains("shop.Order0.note"), "{markup}");
        for trap in ["<script>", "@everyone", "::error", "$(touch"] {
            assert!(!markup.contains(trap), "{trap}: {markup}");
        }
    }
}

/// Markdown without its fenced blocks, in which everything is text.
fn outside_of_fences(markdown: &str) -> String {
    let (mut fence, mut kept) = (0, String::new());
    for line in markdown.lines() {
        let ticks = line.trim_start().bytes().take_while(|byte| *byte == b'`').count();
        let closes = fence > 0 && ticks >= fence && line.trim_matches([' ', '`']).is_empty();
        match (fence, ticks) {
            (0, 3..) => fence = ticks,
            (0, _) => kept.push_str(&format!("{line}\n")),
            _ if closes => fence = 0,
            _ => {}
        }
    }
    kept
}

#[test]
fn only_installed_nothing_is_judged() {
    let Some(stage) = Stage::breaking() else { return };
    let stage = stage.with("install-only", "'true'");
    let server = start(stage.scenario());
    let log = stage.run(&server);
    assert!(log.of_step(&["gate"]).any(|entry| entry["stepResult"] == "success"), "{}", log.raw);
    assert!(log.outputs()["path"].ends_with("wireproof") && !log.outputs().contains_key("verdict"));
}

/// A `wireproof` that writes down its own environment and that of each process above it, and then is the real one.
#[cfg(target_os = "linux")]
fn spy(stage: &mut Stage) -> PathBuf {
    let seen = stage.place.path("seen");
    let lines = format!(
        "#!/bin/sh\npid=$$\nwhile [ \"$pid\" -gt 1 ]; do\n  tr '\\0' '\\n' <\"/proc/$pid/environ\" | sed \"s/^/$1 /\" >>'{}'\n  \
         pid=$(sed -n 's/^PPid:[[:space:]]*//p' \"/proc/$pid/status\")\ndone\nexec '{}' \"$@\"\n",
        seen.display(),
        env!("CARGO_BIN_EXE_wireproof")
    );
    stage.place.write("spy/wireproof", &lines);
    make_executable(&stage.place.path("spy/wireproof"));
    stage.folders.push(stage.place.path("spy"));
    seen
}

#[cfg(target_os = "linux")]
#[test]
fn only_the_step_that_comments_has_the_token() {
    let Some(stage) = Stage::breaking() else { return };
    // Tokens that the job has for its own purposes are kept away as well.
    let mut stage = stage
        .with_variable("GH_TOKEN", "${{ secrets.GITHUB_TOKEN }}")
        .with_variable("GITHUB_TOKEN", "${{ secrets.GITHUB_TOKEN }}");
    let seen = spy(&mut stage);
    let server = start(stage.scenario());
    let log = stage.run(&server);
    assert_eq!(log.code(), 1, "{}", log.raw);
    assert!(log.outputs()["comment-url"].ends_with("#issuecomment-1000"), "{:?}", log.outputs());
    let seen = fs::read_to_string(seen).expect("the spy was there");
    let steps: BTreeSet<&str> = seen.lines().filter_map(|line| line.split(' ').next()).collect();
    assert_eq!(steps, BTreeSet::from(["--version", "check", "comment"]), "each was watched");
    let holders: BTreeSet<&str> =
        seen.lines().filter(|line| line.contains(TOKEN)).filter_map(|line| line.split('=').next()).collect();
    assert_eq!(holders, BTreeSet::from(["comment GITHUB_TOKEN", "comment IN_TOKEN"]));
}

#[test]
fn nothing_of_the_checkout_runs_in_any_step() {
    let trap = "#!/bin/sh\ntouch \"$SPRUNG\"\nexit 0\n";
    let programs =
        ["cat", "git", "head", "mktemp", "od", "sed", "tools/cat", "tools/git", "tools/wireproof", "wireproof"];
    let mut new = vec![("shop/order.proto", BROKEN)];
    new.extend(programs.map(|name| (name, trap)));
    new.push(("trap.sh", "touch \"$SPRUNG\"\n"));
    let Some(stage) = Stage::new(&[("shop/order.proto", OLD)], &new) else { return };
    let repo = stage.place.path("repo");
    for name in programs {
        make_executable(&repo.join(name));
    }
    git(&repo, &["commit", "--quiet", "--all", "--amend", "--no-edit"]);
    let mark = stage.place.path("mark");
    let mut stage = stage
        .with_variable("SPRUNG", &mark.display().to_string())
        .with_variable("BASH_ENV", "trap.sh")
        .with_variable("ENV", "trap.sh");
    stage.folders.extend([PathBuf::from("."), PathBuf::from("tools")]);
    stage.before = r#"printf '%s\n' "$PWD" "$PWD/tools" "$PWD/shop/../tools" >>"$GITHUB_PATH""#;
    let server = start(stage.scenario());
    let log = stage.run(&server);
    assert_eq!(log.code(), 1, "{}", log.raw);
    assert_eq!(server.writes(), [format!("POST {COMMENTS}")]);
    assert!(!mark.exists(), "{}", log.raw);
}

/// The report is written for whoever asked; a link that the pull request made of its name is none of that.
#[test]
fn a_report_is_not_written_through_a_link_of_the_pull_request() {
    for (input, name) in [("sarif-file", "reports.sarif"), ("html-file", "out/report.html")] {
        let Some(stage) = Stage::breaking() else { return };
        let target = stage.place.path("elsewhere/victim");
        stage.place.write("elsewhere/victim", "before");
        let repo = stage.place.path("repo");
        #[cfg(unix)]
        match name.split_once('/') {
            Some((folder, _)) => std::os::unix::fs::symlink(target.parent().expect("a folder"), repo.join(folder)),
            None => std::os::unix::fs::symlink(&target, repo.join(name)),
        }
        .expect("a link");
        git(&repo, &["add", "--all"]);
        git(&repo, &["commit", "--quiet", "--amend", "--no-edit"]);
        let stage = stage.with(input, name);
        let server = start(stage.scenario());
        let log = stage.run(&server);
        assert_eq!(log.code(), 3, "{input}: {}", log.raw);
        assert!(log.commands("error").iter().any(|text| text.contains("symbolic link")), "{}", log.raw);
        assert_eq!(fs::read_to_string(&target).expect("it is there"), "before");
        assert_eq!(files_below(&stage.place.path("elsewhere")).len(), 1);
    }
}
