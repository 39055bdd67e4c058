//! `wireproof comment` against a GitHub on 127.0.0.1.

use std::fs;

use serde_json::{Value, json};

use crate::git::{Place, Ran, run_in};
use crate::support::github::{Fault, HEAD, REPOSITORY, Scenario, Server, TOKEN, comment, pull, start};
use crate::support::root;

const BOT: &str = "github-actions[bot]";
const NEWER: &str = "3333333333333333333333333333333333333333";

/// A report that breaks, as a value to be changed.
fn breaking() -> Value {
    let path = root().join("tests/data/render/breaking.json");
    serde_json::from_str(&fs::read_to_string(path).expect("the example is there")).expect("the example is JSON")
}

/// A report with nothing to tell.
fn clean() -> Value {
    let mut report = breaking();
    report["verdict"] = json!("compatible");
    report["findings"] = json!([]);
    report["upgrade_order"] = json!("any");
    report
}

fn event(number: u64, sha: &str) -> Value {
    json!({"action": "synchronize", "number": number, "pull_request": {"number": number, "head": {"sha": sha}}})
}

/// A job in GitHub Actions.
struct Job {
    place: Place,
    environment: Vec<(String, String)>,
}

impl Job {
    fn new(report: &Value, event_name: &str, event: &Value) -> Job {
        let place = Place::new();
        place.write("report.json", &report.to_string()).write("event.json", &event.to_string());
        let event_path = place.path("event.json").display().to_string();
        let environment = [
            ("GITHUB_ACTIONS", "true"),
            ("GITHUB_EVENT_NAME", event_name),
            ("GITHUB_EVENT_PATH", &event_path),
            ("GITHUB_REPOSITORY", REPOSITORY),
            ("GITHUB_TOKEN", TOKEN),
            ("GITHUB_WORKFLOW", "CI"),
            ("GITHUB_JOB", "check"),
            ("GITHUB_RUN_ID", "42"),
            ("GITHUB_SERVER_URL", "https://github.example"),
            ("NO_PROXY", "127.0.0.1"),
        ];
        let environment = environment.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec();
        Job { place, environment }
    }

    /// The usual: pull request 7 at its head.
    fn of(report: &Value) -> Job {
        Job::new(report, "pull_request", &event(7, HEAD))
    }

    fn with(mut self, name: &str, value: &str) -> Job {
        self.environment.retain(|(known, _)| known != name);
        self.environment.push((name.to_owned(), value.to_owned()));
        self
    }

    fn run(&self, server: &Server, options: &[&str]) -> Ran {
        let mut environment: Vec<(&str, &str)> =
            self.environment.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        environment.push(("GITHUB_API_URL", &server.url));
        let ran = run_in(&self.place.path(""), &[&["comment", "report.json"], options].concat(), &environment);
        assert!(!format!("{}{}", ran.out, ran.err).contains("MustNeverBeSeen"), "the token is in the output");
        ran
    }
}

/// Runs and expects to be done.
fn done(server: &Server, report: &Value) -> String {
    let ran = Job::of(report).run(server, &[]);
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    ran.out
}

fn body(comment: &Value) -> &str {
    comment["body"].as_str().expect("a comment has a body")
}

#[test]
fn a_comment_is_created_updated_in_place_and_left_alone_when_it_tells_the_same() {
    let server = start(Scenario::default());
    let out = done(&server, &breaking());
    assert!(out.contains("created the comment: https://github.example/octo/shop/pull/7#issuecomment-1000"), "{out}");
    let first = server.comments();
    assert_eq!(first.len(), 1);
    assert!(body(&first[0]).starts_with("<!-- wireproof:comment v1 key=CI/check sha=1111111"), "{}", body(&first[0]));
    assert!(body(&first[0]).contains("**⛔ breaking: 1 error, 1 policy error, 1 warning and 2 notes**"));
    assert!(body(&first[0]).contains("Commit `111111111111` · checked on "));
    let out = done(&server, &breaking());
    assert!(out.contains("already tells this"), "{out}");
    assert_eq!(server.writes(), ["POST /repos/octo/shop/issues/7/comments"]);
    let mut fewer = breaking();
    fewer["findings"].as_array_mut().expect("findings").remove(0);
    let out = done(&server, &fewer);
    assert!(out.contains("updated the comment"), "{out}");
    assert_eq!(server.writes()[1..], ["PATCH /repos/octo/shop/issues/comments/1000"]);
    assert_eq!(server.comments().len(), 1);
}

#[test]
fn what_was_resolved_since_the_last_push_is_said() {
    let server = start(Scenario::default());
    let broken = || {
        let mut report = breaking();
        for (at, one) in report["findings"].as_array_mut().expect("findings").iter_mut().enumerate() {
            one["id"] = json!(format!("9c1f03ab27de41b{at}"));
        }
        report
    };
    done(&server, &broken());
    assert!(!body(&server.comments()[0]).contains("resolved"));
    let breaks: Vec<Value> = broken()["findings"]
        .as_array()
        .expect("findings")
        .iter()
        .filter(|one| one["breaking"] == true)
        .cloned()
        .collect();
    let path = |finding: &Value| finding["path"].as_str().expect("a path").to_owned();
    let line = |server: &Server| {
        let text = body(&server.comments()[0]).to_owned();
        text.lines().find(|line| line.contains("resolved since")).map(str::to_owned)
    };
    let mut fewer = broken();
    fewer["findings"].as_array_mut().expect("findings").retain(|one| one["id"] != breaks[0]["id"]);
    done(&server, &fewer);
    let told = line(&server).expect("a line");
    assert!(told.starts_with("✅ **resolved since `111111111111`:** "), "{told}");
    assert!(told.contains(&path(&breaks[0])) && !told.contains(&path(&breaks[1])), "{told}");
    // A run that could not tell resolves nothing, and forgets nothing that it still finds.
    let mut unknown = fewer.clone();
    unknown["verdict"] = json!("unknown");
    unknown["findings"] = json!([]);
    done(&server, &unknown);
    assert_eq!(line(&server), None);
    // What was open before it is resolved by the run after it.
    done(&server, &clean());
    assert!(line(&server).expect("a line").contains(&path(&breaks[1])));
    done(&server, &broken());
    // What is acknowledged is still there.
    let mut waived = broken();
    for one in waived["findings"].as_array_mut().expect("findings") {
        let (file, line) = (".wireproof-waivers.yaml", 1);
        one["waiver"] =
            json!({"file": file, "line": line, "reason": "meant", "owner": null, "until": null, "added_here": true});
    }
    done(&server, &waived);
    assert_eq!(line(&server), None);
    done(&server, &broken());
    done(&server, &clean());
    let told = line(&server).expect("a line");
    assert!(breaks.iter().all(|one| told.contains(&path(one))), "{told}");
    // A comment that a person edited is no witness.
    server.change(|scenario| {
        let edited = body(&scenario.comments[0]).replace("nothing to report", "I disagree");
        scenario.comments[0]["body"] = json!(edited);
    });
    done(&server, &clean());
    assert_eq!(line(&server), None);
}

#[test]
fn lines_are_linked_at_the_commit_that_was_compared() {
    const MERGE: &str = "2222222222222222222222222222222222222222";
    let linked = |report: &Value, event_name: &str| {
        let server = start(Scenario::default());
        let ran = Job::new(report, event_name, &event(7, HEAD)).with("GITHUB_SHA", MERGE).run(&server, &[]);
        assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
        let text = body(&server.comments()[0]).to_owned();
        assert!(text.contains("Commit `111111111111`"), "{text}");
        let commit = |sha: &str| text.contains(&format!("https://github.example/{REPOSITORY}/blob/{sha}/"));
        (commit(HEAD), commit(MERGE))
    };
    let mut merged = breaking();
    merged["again"] = json!({"pull_request": 7, "words": ["check", "--against", "git:FETCH_HEAD^1"]});
    assert_eq!(linked(&merged, "pull_request"), (false, true), "the effect of merging");
    assert_eq!(linked(&merged, "pull_request_target"), (true, false), "a run of the base");
    merged["again"] = json!({"pull_request": null, "words": ["check", "--against", "git:main"]});
    assert_eq!(linked(&merged, "pull_request"), (true, false), "the head itself");
}

#[test]
fn a_run_without_an_answer_says_why_and_where_in_the_comment() {
    let place = Place::new();
    place.write("wireproof.yaml", "mode: fulll\n").write("a.proto", "syntax = \"proto3\";\n");
    let ran = run_in(&place.path(""), &["check", "--against", "dir:.", "--output", "json=report.json"], &[]);
    assert_eq!(ran.code, 2, "{}{}", ran.out, ran.err);
    let report = fs::read_to_string(place.path("report.json")).expect("a report is written");
    let report: Value = serde_json::from_str(&report).expect("JSON");
    let problem = &report["problems"][0];
    assert_eq!((&problem["file"], &problem["line"]), (&json!("wireproof.yaml"), &json!(1)), "{problem}");
    let server = start(Scenario::default());
    done(&server, &report);
    let text = body(&server.comments()[0]).to_owned();
    assert!(text.contains("`fulll` is not a value of `mode`") || text.contains("fulll"), "{text}");
    for never in ["--&#62;", "-->\u{20}", "not established against", "mode **", "^^^"] {
        assert!(!text.split_once('\n').is_some_and(|(_, below)| below.contains(never)), "{never}: {text}");
    }
}

#[test]
fn a_clean_report_is_silent_and_turns_a_comment_green() {
    let server = start(Scenario::default());
    let out = done(&server, &clean());
    assert!(out.contains("nothing to tell"), "{out}");
    assert_eq!(server.writes(), [""; 0]);
    done(&server, &breaking());
    done(&server, &clean());
    assert!(body(&server.comments()[0]).contains("**✅ compatible: nothing to report**"));
    let before = server.writes();
    done(&server, &clean());
    assert_eq!(server.writes(), before, "green stays green without a write");
    let other = start(Scenario::default());
    let ran = Job::of(&clean()).run(&other, &["--when", "always"]);
    assert_eq!((ran.code, other.comments().len()), (0, 1), "{}", ran.err);
    let never = start(Scenario::default());
    assert_eq!(Job::of(&breaking()).run(&never, &["--when", "never"]).code, 0);
    assert!(never.requests().is_empty());
}

#[test]
fn a_comment_is_found_on_the_second_page() {
    let server = start(Scenario::default());
    done(&server, &breaking());
    let ours = server.comments().remove(0);
    server.change(|scenario| {
        scenario.comments = (1..=135).map(|id| comment(id, "someone", "Looks good to me")).collect();
        scenario.comments.push(ours);
    });
    let out = done(&server, &clean());
    assert!(out.contains("updated the comment"), "{out}");
    assert_eq!(server.comments().len(), 136);
}

#[test]
fn a_link_to_another_host_never_gets_the_token() {
    let elsewhere = start(Scenario::default());
    let server = start(Scenario {
        comments: (1..=135).map(|id| comment(id, "someone", "hello")).collect(),
        link_host: Some(elsewhere.url.clone()),
        ..Scenario::default()
    });
    let out = done(&server, &breaking());
    assert!(elsewhere.requests().is_empty(), "{:?}", elsewhere.requests());
    assert!(out.contains("::warning") && out.contains("another host"), "{out}");
}

#[test]
fn a_redirect_to_another_host_never_gets_the_token() {
    let elsewhere = start(Scenario::default());
    let fault = Fault {
        method: "GET",
        path: "/pulls/7",
        status: 302,
        headers: vec![("Location", format!("{}/repos/octo/shop/pulls/7", elsewhere.url))],
        times: 1,
    };
    let server = start(Scenario { faults: vec![fault], ..Scenario::default() });
    let ran = Job::of(&breaking()).run(&server, &[]);
    assert_eq!(ran.code, 3, "{}", ran.out);
    assert!(ran.err.contains("another host"), "{}", ran.err);
    assert!(elsewhere.requests().is_empty());
}

#[test]
fn a_run_that_is_overtaken_does_not_write() {
    let server = start(Scenario { pulls: vec![pull(7, NEWER)], ..Scenario::default() });
    let out = done(&server, &breaking());
    assert!(out.contains("::notice") && out.contains("checked 1111111, but pull request 7 is at 3333333"), "{out}");
    assert_eq!(server.writes(), [""; 0]);
}

#[test]
fn a_closed_or_missing_pull_request_is_no_failure() {
    let mut closed = pull(7, HEAD);
    closed["state"] = json!("closed");
    for (pulls, words) in [(vec![closed], "pull request 7 is closed"), (vec![], "there is no pull request 7")] {
        let server = start(Scenario { pulls, ..Scenario::default() });
        let out = done(&server, &breaking());
        assert!(out.contains(words), "{out}");
        assert_eq!(server.writes(), [""; 0]);
    }
}

#[test]
fn a_token_of_a_fork_gives_a_notice_and_a_summary_on_request() {
    let server = start(Scenario { may_write: false, ..Scenario::default() });
    let job = Job::of(&breaking());
    let summary = job.place.path("summary.md").display().to_string();
    let job = job.with("GITHUB_STEP_SUMMARY", &summary);
    let ran = job.run(&server, &[]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(
        ran.out.starts_with(
            "::notice title=wireproof::breaking: 1 error, 1 policy error, 1 warning and 2 notes; mode full"
        ),
        "{}",
        ran.out
    );
    assert!(ran.out.contains("Resource not accessible by integration"), "{}", ran.out);
    assert_eq!(ran.out.lines().count(), 1, "{}", ran.out);
    assert!(!fs::exists(&summary).expect("readable"), "the action writes the summary itself");
    assert_eq!(job.run(&server, &["--summary-fallback"]).code, 0);
    assert!(fs::read_to_string(&summary).expect("a summary").contains("**⛔ breaking"));
}

#[test]
fn without_a_token_nothing_is_asked() {
    let server = start(Scenario::default());
    let ran = Job::of(&breaking()).with("GITHUB_TOKEN", "").run(&server, &[]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.out.contains("there is no token"), "{}", ran.out);
    assert!(server.requests().is_empty());
    let ran = Job::of(&breaking()).with("GITHUB_TOKEN", "").with("GH_TOKEN", TOKEN).run(&server, &[]);
    assert!(ran.out.contains("created the comment"), "{}", ran.out);
}

#[test]
fn a_token_that_is_not_known_is_a_mistake_in_the_configuration() {
    let server = start(Scenario::default());
    let ran = Job::of(&breaking()).with("GITHUB_TOKEN", "wrong").run(&server, &[]);
    assert_eq!(ran.code, 2, "{}", ran.out);
    assert!(ran.err.contains("401 Bad credentials") && ran.err.contains("github.token"), "{}", ran.err);
}

#[test]
fn a_token_that_no_header_can_hold_is_refused_at_once() {
    let server = start(Scenario::default());
    let ran = Job::of(&breaking()).with("GITHUB_TOKEN", "ghs_MustNeverBeSeen\nX-Evil: 1").run(&server, &[]);
    assert_eq!(ran.code, 2, "{}", ran.out);
    assert!(ran.err.contains("no token has"), "{}", ran.err);
    assert!(server.requests().is_empty());
}

#[test]
fn an_error_of_the_server_that_passes_is_waited_for() {
    let fault = |method, status, headers| Fault { method, path: "/comments", status, headers, times: 1 };
    let server = start(Scenario {
        faults: vec![
            fault("GET", 502, vec![]),
            fault("POST", 403, vec![("Retry-After", "1".to_owned())]),
            fault("POST", 429, vec![("X-RateLimit-Remaining", "0".to_owned()), ("X-RateLimit-Reset", "1".to_owned())]),
        ],
        ..Scenario::default()
    });
    let out = done(&server, &breaking());
    assert!(out.contains("created the comment"), "{out}");
    assert_eq!(server.comments().len(), 1);
}

#[test]
fn an_error_of_the_server_that_stays_is_told_with_what_to_do() {
    let fault = Fault {
        method: "GET",
        path: "/pulls/7",
        status: 500,
        headers: vec![("Retry-After", "0".to_owned())],
        times: 99,
    };
    let server = start(Scenario { faults: vec![fault], ..Scenario::default() });
    let ran = Job::of(&breaking()).run(&server, &[]);
    assert_eq!(ran.code, 3, "{}", ran.out);
    assert!(ran.err.contains("GET /repos/octo/shop/pulls/7 after 4 tries: 500"), "{}", ran.err);
    assert!(ran.err.contains("run the job again"), "{}", ran.err);
    assert_eq!(server.requests().len(), 4);
}

#[test]
fn a_limit_that_lasts_longer_than_the_bound_is_not_waited_for() {
    let headers = vec![("Retry-After", "3600".to_owned())];
    let fault = Fault { method: "POST", path: "/comments", status: 403, headers, times: 99 };
    let server = start(Scenario { faults: vec![fault], ..Scenario::default() });
    let ran = Job::of(&breaking()).run(&server, &[]);
    assert_eq!(ran.code, 3, "{}", ran.out);
    assert!(ran.err.contains("to be tried again in 3600s"), "{}", ran.err);
    assert_eq!(server.writes().len(), 1, "it is not tried again");
}

#[test]
fn a_server_that_is_not_there_is_a_failure_and_not_a_pass() {
    let server = start(Scenario::default());
    let ran = Job::of(&breaking()).run(&server, &["--api-url", "http://127.0.0.1:1"]);
    assert_eq!(ran.code, 3, "{}", ran.out);
    assert!(ran.err.contains("after 4 tries") && ran.err.contains("the report is not lost"), "{}", ran.err);
}

#[test]
fn what_a_person_did_to_the_comment_is_put_right() {
    let server = start(Scenario::default());
    done(&server, &breaking());
    let original = server.comments().remove(0);
    let edit = |change: &dyn Fn(&str) -> String| {
        let text = change(body(&original));
        server.change(|scenario| scenario.comments = vec![comment(1000, BOT, &text)]);
        done(&server, &breaking())
    };
    assert!(edit(&|text| text.replace("breaking: 1 error", "all fine")).contains("updated"), "text edited");
    assert!(edit(&|text| text.replace(" content=", " cntent=")).contains("updated"), "marker damaged");
    assert!(edit(&|text| format!("I disagree.\n\n{text}")).contains("updated"), "text put before it");
    assert!(edit(&|text| text.replace('\n', "\r\n")).contains("already tells this"), "only opened and saved");
    assert!(edit(&|text| text.lines().skip(1).collect::<Vec<_>>().join("\n")).contains("created"), "marker gone");
    assert_eq!(server.comments().len(), 2);
}

#[test]
fn what_others_wrote_is_never_touched() {
    let server = start(Scenario::default());
    done(&server, &breaking());
    let original = server.comments().remove(0);
    let quoted: String = body(&original).lines().map(|line| format!("> {line}\n")).collect();
    let copied = comment(3, "someone", body(&original));
    server.change(|scenario| scenario.comments = vec![comment(2, "someone", &quoted), copied.clone()]);
    let out = done(&server, &clean());
    assert!(out.contains("nothing to tell"), "{out}");
    let out = done(&server, &breaking());
    assert!(out.contains("created"), "{out}");
    assert_eq!(server.comments()[1], copied);
}

#[test]
fn a_comment_that_may_not_be_changed_is_passed_over() {
    let server = start(Scenario::default());
    done(&server, &breaking());
    server.change(|scenario| scenario.protected = vec![1000]);
    let out = done(&server, &clean());
    assert!(out.contains("nothing to tell"), "a clean report creates none: {out}");
    let mut fewer = breaking();
    fewer["findings"].as_array_mut().expect("findings").remove(0);
    let out = done(&server, &fewer);
    assert!(out.contains("created the comment"), "{out}");
    assert_eq!(server.comments().len(), 2);
}

#[test]
fn of_two_jobs_at_once_one_comment_stays() {
    let server = start(Scenario::default());
    done(&server, &breaking());
    let theirs = comment(999, BOT, body(&server.comments()[0]));
    let other = start(Scenario { meanwhile: Some(theirs), ..Scenario::default() });
    let out = done(&other, &breaking());
    assert_eq!(other.comments().len(), 1, "{out}");
    assert_eq!(other.comments()[0]["id"], 999, "the oldest stays");
    assert!(out.contains("already tells this: https://github.example/octo/shop/pull/7#issuecomment-999"), "{out}");
}

#[test]
fn jobs_with_other_keys_have_other_comments() {
    let server = start(Scenario::default());
    done(&server, &breaking());
    let ran = Job::of(&breaking()).with("GITHUB_JOB", "other --> job").run(&server, &[]);
    assert!(ran.out.contains("created"), "{}", ran.out);
    let ran = Job::of(&breaking()).run(&server, &["--key", "proto/"]);
    assert!(ran.out.contains("created"), "{}", ran.out);
    let ran = Job::of(&breaking()).with("GITHUB_JOB", "other --> job").run(&server, &[]);
    assert!(ran.out.contains("already tells this"), "{}", ran.out);
    assert_eq!(server.comments().len(), 3);
}

#[test]
fn the_pull_request_comes_from_the_event_or_from_options() {
    let server = start(Scenario::default());
    let of = |event: Value, name: &str, options: &[&str]| Job::new(&breaking(), name, &event).run(&server, options);
    let ran = of(json!({"pull_request": {}}), "pull_request", &[]);
    assert_eq!(ran.code, 2, "{}", ran.out);
    assert!(ran.err.contains("`pull_request.number`") && ran.err.contains("--pull-request N"), "{}", ran.err);
    for name in ["push", "merge_group", "issue_comment"] {
        let ran = of(json!({}), name, &[]);
        assert_eq!(ran.code, 0, "{}", ran.err);
        assert!(ran.out.contains("names no pull request"), "{}", ran.out);
    }
    assert!(server.requests().is_empty());
    let ran = of(json!({}), "push", &["--pull-request", "7", "--sha", NEWER]);
    assert!(ran.out.contains("checked 3333333"), "{}", ran.out);
    assert_eq!(of(json!({}), "push", &["--pull-request", "7", "--sha", "main"]).code, 2);
    assert_eq!(of(json!({}), "push", &["--pull-request", "7", "--repository", "../x"]).code, 2);
    let ran = of(json!({}), "push", &["--pull-request", "7"]);
    assert!(ran.out.contains("created the comment"), "{}", ran.out);
}

#[test]
fn a_personal_token_changes_only_its_own_comments() {
    let server = start(Scenario { account: Some("robin".to_owned()), ..Scenario::default() });
    let job = Job::of(&breaking()).with("GITHUB_TOKEN", "ghp_MustNeverBeSeen");
    assert!(job.run(&server, &[]).out.contains("created"));
    assert!(job.run(&server, &[]).out.contains("already tells this"));
    let ours = server.comments().remove(0);
    server.change(|scenario| scenario.comments = vec![comment(5, BOT, body(&ours))]);
    assert!(job.run(&server, &[]).out.contains("created"), "the bot's is not ours");
}

#[test]
fn a_dry_run_writes_nothing_and_shows_the_comment() {
    let server = start(Scenario::default());
    let ran = Job::of(&breaking()).run(&server, &["--dry-run"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.out.starts_with("dry run: would create a comment\n"), "{}", ran.out);
    assert!(ran.out.contains("**⛔ breaking"), "{}", ran.out);
    assert_eq!(server.writes(), [""; 0]);
    let ran = Job::of(&breaking()).with("GITHUB_TOKEN", "").run(&server, &["--dry-run"]);
    assert!(ran.out.contains("there is no token") && ran.out.contains("**⛔ breaking"), "{}", ran.out);
}

/// A report whose findings lie in the diff of the pull request: a removal with a suggested `reserved`, and one without.
fn in_the_diff() -> (Value, Vec<Value>) {
    let mut report = breaking();
    let mut removed = report["findings"][1].clone();
    assert_eq!(removed["path"], "shop.v1.User.nickname", "the example has moved");
    removed["suggestion"] = json!({
        "file": "shop/user.proto",
        "edits": [{"start": 59, "end": 59, "insert": "\n  reserved 7;"}],
        "context": {"line": 3, "start": 45, "text": "message User {\n  int32 phone_number = 2;\n"}
    });
    let mut bare = removed.clone();
    bare["id"] = json!("aaaaaaaaaaaa");
    bare["suggestion"] = Value::Null;
    report["findings"] = json!([removed, bare]);
    let patch = "@@ -3,7 +3,6 @@\n message User {\n   int32 phone_number = 2;\n   string a = 3;\n   string b = 4;\n   string c = 5;\n   string d = 6;\n-  string nickname = 7;";
    (report, vec![json!({"filename": "other.proto"}), json!({"filename": "shop/user.proto", "patch": patch})])
}

#[test]
fn a_review_suggests_edits_and_marks_red_lines_once() {
    let (report, files) = in_the_diff();
    let server = start(Scenario { files, ..Scenario::default() });
    let job = Job::of(&report);
    let ran = job.run(&server, &["--review", "--dry-run"]);
    assert!(ran.out.contains("shop/user.proto:3 RIGHT") && ran.out.contains("shop/user.proto:9 LEFT"), "{}", ran.out);
    assert_eq!(server.writes(), [""; 0]);
    let ran = job.run(&server, &["--review"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.out.contains("made 2 remarks on lines"), "{}", ran.out);
    let remarks = server.remarks();
    assert_eq!((&remarks[0]["line"], &remarks[0]["side"]), (&json!(3), &json!("RIGHT")));
    assert!(body(&remarks[0]).contains("```suggestion\nmessage User {\n  reserved 7;\n```"), "{}", body(&remarks[0]));
    assert_eq!((&remarks[1]["line"], &remarks[1]["side"]), (&json!(9), &json!("LEFT")));
    assert!(!body(&remarks[1]).contains("```suggestion"));
    let writes = server.writes();
    assert!(job.run(&server, &["--review"]).out.contains("no new remarks"));
    assert_eq!(server.writes(), writes, "a second run says nothing again");
    let pushed = server.requests().into_iter().find(|seen| seen.path.ends_with("/reviews")).expect("a review");
    assert_eq!(pushed.body["commit_id"], HEAD);
}

#[test]
fn a_review_makes_at_most_ten_remarks_and_survives_a_refused_one() {
    let (mut report, files) = in_the_diff();
    let bare = report["findings"][1].clone();
    let many = (0..13).map(|at| {
        let mut one = bare.clone();
        one["id"] = json!(format!("{at:012x}"));
        one
    });
    report["findings"] = many.collect();
    let fault = Fault { method: "POST", path: "/reviews", status: 422, headers: vec![], times: 1 };
    let server = start(Scenario { files, faults: vec![fault], ..Scenario::default() });
    let ran = Job::of(&report).run(&server, &["--review"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.out.contains("made 10 remarks on lines; 3 more are in the comment alone"), "{}", ran.out);
    assert_eq!(server.remarks().len(), 10);
}

#[test]
fn lines_outside_of_the_diff_are_not_remarked_on() {
    let (report, _) = in_the_diff();
    let server = start(Scenario { files: vec![json!({"filename": "shop/user.proto"})], ..Scenario::default() });
    let ran = Job::of(&report).run(&server, &["--review"]);
    assert!(ran.out.contains("no new remarks"), "{}", ran.out);
    assert_eq!(server.comments().len(), 1);
    assert!(server.remarks().is_empty());
}

/// A workflow that comments for the run of a fork.
fn from_fork(report: &Value, pulls: &Value) -> Job {
    let event = json!({"workflow_run": {"name": "schemas", "event": "pull_request", "head_sha": HEAD, "head_branch": "fix",
        "head_repository": {"owner": {"login": "someone"}}, "pull_requests": pulls}});
    Job::new(report, "workflow_run", &event)
}

#[test]
fn the_poster_finds_the_pull_request_of_a_fork_by_its_branch() {
    let mut elsewhere = pull(8, HEAD);
    elsewhere["head"]["user"]["login"] = json!("somebody-else");
    let server = start(Scenario { pulls: vec![pull(6, NEWER), pull(7, HEAD), elsewhere], ..Scenario::default() });
    let ran = from_fork(&breaking(), &json!([])).run(&server, &["--from-fork"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.out.contains("created the comment"), "{}", ran.out);
    let text = server.comments().remove(0);
    assert!(body(&text).starts_with("<!-- wireproof:comment v1 key=schemas/from%2Dfork sha=1111"), "{}", body(&text));
    assert!(body(&text).contains("made by the fork's own run"), "{}", body(&text));
    let ran = from_fork(&breaking(), &json!([{"number": 7, "head": {"sha": HEAD}}])).run(&server, &["--from-fork"]);
    assert!(ran.out.contains("already tells this"), "{}", ran.out);
    server.change(|scenario| scenario.pulls = vec![pull(7, NEWER)]);
    let ran = from_fork(&breaking(), &json!([])).run(&server, &["--from-fork"]);
    assert!(ran.out.contains("no open pull request stands at 1111111"), "{}", ran.out);
    server.change(|scenario| scenario.pulls = vec![pull(7, HEAD), pull(9, HEAD)]);
    let ran = from_fork(&breaking(), &json!([])).run(&server, &["--from-fork"]);
    assert!(ran.out.contains("2 open pull requests stand at"), "{}", ran.out);
    assert_eq!(Job::of(&breaking()).run(&server, &["--from-fork"]).code, 2, "that is no workflow_run");
    assert_eq!(from_fork(&breaking(), &json!([])).run(&server, &["--from-fork", "--review"]).code, 2);
}

#[test]
fn a_report_from_a_fork_is_refused_where_it_says_what_no_report_says() {
    let server = start(Scenario::default());
    let changes: [fn(&mut Value); 7] = [
        |report| report["arguments"] = json!(["--output", "text=/home/you/.profile"]),
        |report| report["old"]["source"] = json!("--config=evil.yaml"),
        |report| report["verdict"] = json!("fine"),
        |report| report["verdict"] = json!("compatible"),
        |report| report["findings"][0]["id"] = json!("--> <b>"),
        |report| report["findings"][0]["rule"] = json!("x; rm -rf /"),
        |report| report["findings"] = json!("all good"),
    ];
    for change in changes {
        let mut report = breaking();
        change(&mut report);
        let ran = from_fork(&report, &json!([])).run(&server, &["--from-fork"]);
        assert_eq!(ran.code, 2, "{}{}", ran.out, ran.err);
        assert!(ran.err.contains("report.json"), "{}", ran.err);
    }
    let mut long = breaking();
    long["findings"][0]["why"] = json!("x".repeat(17 << 20));
    let ran = from_fork(&long, &json!([])).run(&server, &["--from-fork"]);
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("more than 16,777,216 bytes"), "{}", ran.err);
    assert!(server.requests().is_empty());
}

#[test]
fn a_schema_cannot_mention_link_or_leave_its_place() {
    const NAME: &str = "@everyone | <script>alert(1)</script> --> <!-- wireproof:comment v1 key=x -->\n::error::x\u{202e}\u{1b}]8;;http://e.vil\u{7}";
    let (mut report, files) = in_the_diff();
    for finding in report["findings"].as_array_mut().expect("findings") {
        for field in ["path", "message", "why", "fix"] {
            finding[field] = json!(format!("`{NAME}` {NAME}"));
        }
    }
    report["diffs"] = json!([{"old": NAME, "new": NAME, "truncated": false, "hunks":
        [{"old_line": 1, "new_line": 1, "lines": [format!("-{NAME}"), "+```"]}]}]);
    report["old"]["source"] = json!(NAME);
    let server = start(Scenario { files, ..Scenario::default() });
    let job = Job::of(&report).with("GITHUB_WORKFLOW", NAME);
    assert_eq!(job.run(&server, &["--review"]).code, 0);
    let (comments, remarks) = (server.comments(), server.remarks());
    assert_eq!((comments.len(), remarks.len()), (1, 2));
    for text in comments.iter().chain(&remarks).map(body) {
        let mut fence: Option<String> = None;
        for (at, line) in text.lines().enumerate() {
            let ticks: String = line.chars().take_while(|c| *c == '`').collect();
            match &fence {
                Some(open) if ticks.len() >= open.len() && line == ticks => fence = None,
                Some(_) => {}
                None if ticks.len() >= 3 => fence = Some(ticks),
                None => {
                    assert!(!line.contains("@everyone") && !line.contains("<script"), "{line}");
                    assert!(at == 0 || !line.contains("<!--"), "{line}");
                }
            }
            assert!(!line.starts_with("::"), "{line}");
            assert!(!line.chars().any(|c| c.is_control() || c == '\u{202e}'), "{line}");
        }
        assert_eq!(fence, None, "a fence is open: {text}");
    }
    assert!(job.run(&server, &["--review"]).out.contains("already tells this"));
}

#[test]
fn a_comment_of_any_size_fits_and_says_what_is_missing() {
    let server = start(Scenario::default());
    let mut report = breaking();
    let one = report["findings"][0].clone();
    for (text, count) in [("x", 600), ("\u{1f980}", 600), ("\u{1f980}@<|`", 150)] {
        let many = (0..count).map(|at| {
            let mut one = one.clone();
            one["id"] = json!(format!("{at:012x}"));
            one["path"] = json!(text.repeat(300));
            one["message"] = json!(text.repeat(1100));
            one
        });
        report["findings"] = many.collect();
        let long = vec![format!("+{}", text.repeat(500)); 2000];
        let file = one["new"]["file"].clone();
        report["diffs"] = json!([{"old": file, "new": file, "truncated": true,
            "hunks": [{"old_line": 1, "new_line": 1, "lines": long}]}]);
        done(&server, &report);
        let comments = server.comments();
        let text = body(&comments[0]);
        assert!(text.len() <= 65_536 && text.encode_utf16().count() <= 65_536, "{} bytes", text.len());
        let shortened = text.lines().find(|line| line.starts_with("> Shortened to fit into a comment: "));
        assert!(shortened.is_some_and(|line| line.contains("the changed lines of 1 file")), "{shortened:?}");
        assert_eq!(text.matches("<details").count(), text.matches("</details>").count());
    }
}
