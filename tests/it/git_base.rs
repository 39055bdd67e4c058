//! The choice of the base: merge bases, shallow clones, events of CI systems, in real repositories.

use std::fs;

use crate::git::{
    GROWN, NEW, OLD, Place, commit, git, git_is_missing, git_output, report, repository, run, run_in, shallow_clone,
};

#[test]
fn a_branch_is_compared_with_its_merge_base() {
    if git_is_missing() {
        return;
    }
    let repo = repository();
    git(&repo.path(""), &["switch", "--quiet", "--create", "topic"]);
    repo.write("shop/order.proto", NEW);
    commit(&repo, "remove a field");
    // What happens on main meanwhile is no deletion of ours.
    git(&repo.path(""), &["switch", "--quiet", "main"]);
    repo.write("shop/later.proto", "syntax = \"proto3\";\npackage shop;\nmessage Later { int32 id = 1; }\n");
    commit(&repo, "grow");
    git(&repo.path(""), &["switch", "--quiet", "topic"]);
    let report = report(&run(&repo.path(""), &["--format", "json"]));
    assert_eq!(report["verdict"], "breaking");
    assert!(
        report["old"]["source"].as_str().is_some_and(|old| old.ends_with("(merge base of main)")),
        "{}",
        report["old"]
    );
    assert_eq!(report["new"]["source"], "working tree");
    let findings = report["findings"].as_array().expect("findings");
    assert!(
        findings.iter().all(|finding| finding["path"].as_str().is_some_and(|path| path.starts_with("shop.Order"))),
        "{report:#}"
    );
}

#[test]
fn on_the_default_branch_the_last_commit_counts_and_when_it_is_clean_the_one_before() {
    if git_is_missing() {
        return;
    }
    let repo = repository();
    let first = report(&run(&repo.path(""), &["--format", "json"]));
    assert_eq!((first["verdict"].as_str(), first["stats"]["files_old"].as_u64()), (Some("compatible"), Some(0)));
    repo.write("shop/order.proto", NEW);
    let dirty = report(&run(&repo.path(""), &["--format", "json"]));
    assert_eq!(dirty["verdict"], "breaking");
    assert!(dirty["old"]["source"].as_str().is_some_and(|old| old.ends_with("(the last commit)")), "{}", dirty["old"]);
    commit(&repo, "remove a field");
    repo.write("README.md", "not a schema");
    let clean = report(&run(&repo.path(""), &["--format", "json"]));
    assert_eq!(clean["verdict"], "breaking");
    assert!(
        clean["old"]["source"].as_str().is_some_and(|old| old.contains("before the last one of main")),
        "{}",
        clean["old"]
    );
}

/// The true merge base lies behind a long line of work, an older commit behind a short one:
///
/// ```text
/// first ── second ── fork (adds the field) ── main
///      \           /      \
///       early ────/        work ── work ── … ── removes the field ── topic
///           \──── late ─────────────────────────────────────────────/
/// ```
///
/// A clone that is cut off inside the long line sees `early` as the only merge base, and there the field does not exist
/// yet. Returns the id of `early`.
fn repository_with_a_short_way_round() -> (Place, String) {
    let place = Place::new();
    let at = place.path("");
    git(&at, &["init", "--quiet", "--initial-branch=main"]);
    place.write("shop/order.proto", NEW);
    commit(&place, "first");
    git(&at, &["switch", "--quiet", "--create", "side"]);
    let early = commit(&place, "early");
    git(&at, &["switch", "--quiet", "main"]);
    commit(&place, "second");
    git(&at, &["merge", "--quiet", "--no-ff", "--message", "merge early", "side"]);
    place.write("shop/order.proto", OLD);
    commit(&place, "fork");
    git(&at, &["switch", "--quiet", "side"]);
    commit(&place, "late");
    git(&at, &["switch", "--quiet", "--create", "topic", "main"]);
    for step in 0..6 {
        commit(&place, &format!("work {step}"));
    }
    place.write("shop/order.proto", NEW);
    commit(&place, "remove the field");
    git(&at, &["merge", "--quiet", "--no-ff", "--message", "merge late", "side"]);
    git(&at, &["switch", "--quiet", "main"]);
    commit(&place, "main moves on");
    (place, early)
}

#[test]
fn a_shallow_clone_never_gives_a_wrong_answer() {
    if git_is_missing() {
        return;
    }
    let (origin, early) = repository_with_a_short_way_round();
    assert_eq!(run(&origin.path(""), &["check", "--head", "git:topic"]).code, 1);
    let (mut deceived, mut answered) = (0, 0);
    for depth in 1..12 {
        let clone = shallow_clone(&origin, "topic", depth);
        let naive = git_output(&clone.path(""), &["merge-base", "origin/main", "HEAD"]).stdout;
        deceived += usize::from(String::from_utf8_lossy(&naive).trim() == early);
        let ran = run(&clone.path(""), &["check"]);
        assert!(ran.code == 1 || ran.code == 3, "depth {depth}: {}{}", ran.out, ran.err);
        answered += usize::from(ran.code == 1);
        if ran.code == 3 {
            assert!(ran.err.contains("git fetch --unshallow origin"), "depth {depth}: {}", ran.err);
        }
    }
    assert!(deceived > 0, "the history no longer shows the danger");
    assert!(answered > 0, "a clone deep enough gets its answer");
}

#[test]
fn a_shallow_clone_is_refused_with_the_command_that_helps_and_trusted_when_it_reaches_the_base() {
    if git_is_missing() {
        return;
    }
    let origin = repository();
    for step in 0..3 {
        origin.write("README.md", &format!("main {step}"));
        commit(&origin, "main");
    }
    git(&origin.path(""), &["switch", "--quiet", "--create", "topic", "HEAD~1"]);
    origin.write("shop/order.proto", NEW);
    commit(&origin, "remove a field");
    git(&origin.path(""), &["switch", "--quiet", "main"]);
    let refused = run(&shallow_clone(&origin, "topic", 1).path(""), &["check"]);
    assert_eq!(refused.code, 3, "{}", refused.out);
    assert!(refused.err.contains("shallow") && refused.err.contains("git fetch --unshallow origin"), "{}", refused.err);
    let trusted = run(&shallow_clone(&origin, "topic", 3).path(""), &["check"]);
    assert_eq!(trusted.code, 1, "{}{}", trusted.out, trusted.err);
}

#[test]
fn several_merge_bases_are_refused() {
    if git_is_missing() {
        return;
    }
    let repo = repository();
    let at = repo.path("");
    git(&at, &["switch", "--quiet", "--create", "topic"]);
    repo.write("topic.md", "x");
    let topic = commit(&repo, "topic");
    git(&at, &["switch", "--quiet", "main"]);
    repo.write("main.md", "x");
    commit(&repo, "main");
    git(&at, &["merge", "--quiet", "--message", "criss", &topic]);
    git(&at, &["switch", "--quiet", "topic"]);
    git(&at, &["merge", "--quiet", "--message", "cross", "main~1"]);
    let ran = run(&at, &["check"]);
    assert_eq!(ran.code, 3, "{}{}", ran.out, ran.err);
    assert!(ran.err.contains("2 merge bases") && ran.err.contains("--against git:"), "{}", ran.err);
    assert_eq!(run(&at, &["check", "--against", "git:main"]).code, 0);
}

#[test]
fn unrelated_histories_are_refused() {
    if git_is_missing() {
        return;
    }
    let repo = repository();
    git(&repo.path(""), &["switch", "--quiet", "--orphan", "topic"]);
    repo.write("a.proto", NEW);
    commit(&repo, "unrelated");
    let ran = run(&repo.path(""), &["check"]);
    assert_eq!(ran.code, 3, "{}", ran.out);
    assert!(ran.err.contains("no commit in common"), "{}", ran.err);
}

/// A pull request as GitHub prepares it: `pull` is the merge of topic into main. Returns the ids of base and head.
fn pull_request() -> (Place, String, String) {
    let origin = repository();
    let at = origin.path("");
    git(&at, &["config", "uploadpack.allowAnySHA1InWant", "true"]);
    git(&at, &["switch", "--quiet", "--create", "topic"]);
    origin.write("shop/order.proto", NEW);
    let head = commit(&origin, "remove a field");
    git(&at, &["switch", "--quiet", "main"]);
    origin.write("shop/later.proto", &NEW.replace("Order", "Later"));
    let base = commit(&origin, "main moves on");
    git(&at, &["switch", "--quiet", "--create", "pull"]);
    git(&at, &["merge", "--quiet", "--no-ff", "--message", "merge", "topic"]);
    (origin, base, head)
}

fn event(place: &Place, json: &str) -> String {
    place.write(".git/event.json", json);
    place.path(".git/event.json").display().to_string()
}

#[test]
fn a_pull_request_at_depth_one_is_compared_with_what_it_merges_into() {
    if git_is_missing() {
        return;
    }
    let (origin, base, head) = pull_request();
    let clone = Place::new();
    let url = format!("file://{}", origin.path("").display());
    git(&clone.path(""), &["clone", "--quiet", "--depth=1", "--branch", "pull", &url, "."]);
    let merge = git(&clone.path(""), &["rev-parse", "HEAD"]);
    let event = event(
        &clone,
        &format!(r#"{{"pull_request": {{"head": {{"sha": "{head}"}}, "base": {{"sha": "{base}", "ref": "main"}}}}}}"#),
    );
    let environment =
        [("GITHUB_EVENT_NAME", "pull_request"), ("GITHUB_EVENT_PATH", event.as_str()), ("GITHUB_SHA", merge.as_str())];
    let offline = run_in(&clone.path(""), &["check", "--offline"], &environment);
    assert_eq!(offline.code, 3, "{}", offline.out);
    assert!(offline.err.contains(&format!("git fetch --depth=1 origin {base}")), "{}", offline.err);
    let report = report(&run_in(&clone.path(""), &["--format", "json"], &environment));
    assert_eq!(report["verdict"], "breaking");
    assert_eq!(report["old"]["source"], format!("git:{} (effect of merging)", &base[..7]));
    assert!(
        !report["findings"].to_string().contains("Later"),
        "what main gained is no change of the pull request: {report:#}"
    );
}

#[test]
fn at_depth_one_a_run_fetches_once_at_most() {
    if git_is_missing() {
        return;
    }
    let (origin, base, head) = pull_request();
    let at = origin.path("");
    let pull = git(&at, &["rev-parse", "pull"]);
    let events = [
        (
            "pull_request",
            format!(
                r#"{{"pull_request": {{"head": {{"sha": "{head}"}}, "base": {{"sha": "{base}", "ref": "main"}}}}}}"#
            ),
        ),
        ("merge_group", format!(r#"{{"merge_group": {{"base_sha": "{base}"}}}}"#)),
        ("push", format!(r#"{{"before": "{base}"}}"#)),
    ];
    for (name, text) in events {
        let clone = Place::new();
        let url = format!("file://{}", at.display());
        git(&clone.path(""), &["clone", "--quiet", "--depth=1", "--branch", "pull", &url, "."]);
        let event = event(&clone, &text);
        let trace = clone.path(".git/trace").display().to_string();
        let environment = [
            ("GITHUB_EVENT_NAME", name),
            ("GITHUB_EVENT_PATH", event.as_str()),
            ("GITHUB_SHA", pull.as_str()),
            ("GIT_TRACE", trace.as_str()),
        ];
        assert_eq!(run_in(&clone.path(""), &["check"], &environment).code, 1, "{name}");
        let fetches = |trace: &str| trace.lines().filter(|line| line.contains("built-in: git fetch ")).count();
        let read = || fs::read_to_string(clone.path(".git/trace")).expect("git traces");
        assert_eq!(fetches(&read()), 1, "{name}: {}", read());
        assert_eq!(run_in(&clone.path(""), &["check"], &environment).code, 1, "{name}");
        assert_eq!(fetches(&read()), 1, "{name}: what was fetched is there: {}", read());
    }
}

#[test]
fn a_pull_request_whose_base_cannot_be_fetched_is_no_pass() {
    if git_is_missing() {
        return;
    }
    let (origin, base, head) = pull_request();
    let clone = Place::new();
    let url = format!("file://{}", origin.path("").display());
    git(&clone.path(""), &["clone", "--quiet", "--depth=1", "--branch", "pull", &url, "."]);
    git(&clone.path(""), &["remote", "set-url", "origin", "file:///nowhere/at/all"]);
    let merge = git(&clone.path(""), &["rev-parse", "HEAD"]);
    let event = event(
        &clone,
        &format!(r#"{{"pull_request": {{"head": {{"sha": "{head}"}}, "base": {{"sha": "{base}", "ref": "main"}}}}}}"#),
    );
    let environment =
        [("GITHUB_EVENT_NAME", "pull_request"), ("GITHUB_EVENT_PATH", event.as_str()), ("GITHUB_SHA", merge.as_str())];
    let ran = run_in(&clone.path(""), &["check"], &environment);
    assert_eq!(ran.code, 3, "{}", ran.out);
    assert!(ran.err.contains("cannot be fetched") && ran.err.contains(&base), "{}", ran.err);
}

#[test]
fn a_checked_out_head_of_a_pull_request_uses_the_verified_merge_base() {
    if git_is_missing() {
        return;
    }
    let (origin, base, head) = pull_request();
    git(&origin.path(""), &["switch", "--quiet", "--detach", &head]);
    let event = event(
        &origin,
        &format!(r#"{{"pull_request": {{"head": {{"sha": "{head}"}}, "base": {{"sha": "{base}", "ref": "main"}}}}}}"#),
    );
    let environment = [
        ("GITHUB_EVENT_NAME", "pull_request_target"),
        ("GITHUB_EVENT_PATH", event.as_str()),
        ("GITHUB_SHA", base.as_str()),
    ];
    let report = report(&run_in(&origin.path(""), &["--format", "json"], &environment));
    assert_eq!(report["verdict"], "breaking");
    assert!(
        report["old"]["source"].as_str().is_some_and(|old| old.ends_with("(merge base of main)")),
        "{}",
        report["old"]
    );
    // The base itself checked out: comparing it with itself would be a false pass.
    git(&origin.path(""), &["switch", "--quiet", "--detach", &base]);
    let ran = run_in(&origin.path(""), &["check"], &environment);
    assert_eq!(ran.code, 3, "{}", ran.out);
}

#[test]
fn a_merge_group_and_a_push_name_their_base() {
    if git_is_missing() {
        return;
    }
    let (origin, base, _) = pull_request();
    let group = event(&origin, &format!(r#"{{"merge_group": {{"base_sha": "{base}"}}}}"#));
    let environment = [("GITHUB_EVENT_NAME", "merge_group"), ("GITHUB_EVENT_PATH", group.as_str())];
    let queued = report(&run_in(&origin.path(""), &["--format", "json"], &environment));
    assert_eq!(queued["old"]["source"], format!("git:{} (base of the merge group)", &base[..7]));
    assert_eq!(queued["verdict"], "breaking");
    let push = event(&origin, &format!(r#"{{"before": "{base}"}}"#));
    let environment = [("GITHUB_EVENT_NAME", "push"), ("GITHUB_EVENT_PATH", push.as_str())];
    let pushed = report(&run_in(&origin.path(""), &["--format", "json"], &environment));
    assert_eq!(pushed["old"]["source"], format!("git:{} (before the push)", &base[..7]));
    // A new branch has nothing before it: the merge base counts.
    let fresh = event(&origin, r#"{"before": "0000000000000000000000000000000000000000"}"#);
    let environment = [("GITHUB_EVENT_NAME", "push"), ("GITHUB_EVENT_PATH", fresh.as_str())];
    let created = report(&run_in(&origin.path(""), &["--format", "json"], &environment));
    assert!(
        created["old"]["source"].as_str().is_some_and(|old| old.ends_with("(merge base of main)")),
        "{}",
        created["old"]
    );
    let broken = [("GITHUB_EVENT_NAME", "merge_group"), ("GITHUB_EVENT_PATH", "/absent")];
    assert_eq!(run_in(&origin.path(""), &["check"], &broken).code, 3);
}

#[test]
fn pre_commit_names_both_ends_of_a_push() {
    if git_is_missing() {
        return;
    }
    let repo = repository();
    let from = git(&repo.path(""), &["rev-parse", "HEAD"]);
    repo.write("shop/order.proto", GROWN);
    let to = commit(&repo, "grow");
    repo.write("shop/order.proto", NEW);
    let environment = [("PRE_COMMIT_FROM_REF", from.as_str()), ("PRE_COMMIT_TO_REF", to.as_str())];
    let report = report(&run_in(&repo.path(""), &["--format", "json"], &environment));
    assert_eq!(report["verdict"], "compatible", "what is not pushed does not count: {report:#}");
}

#[test]
fn an_explicit_head_is_compared_with_its_own_merge_base() {
    if git_is_missing() {
        return;
    }
    let repo = repository();
    git(&repo.path(""), &["switch", "--quiet", "--create", "topic"]);
    repo.write("shop/order.proto", NEW);
    commit(&repo, "remove a field");
    git(&repo.path(""), &["switch", "--quiet", "main"]);
    assert_eq!(run(&repo.path(""), &["check", "--head", "git:topic"]).code, 1);
    assert_eq!(run(&repo.path(""), &["check", "--head", "git:absent"]).code, 3);
}

/// A clone of one branch follows that branch alone, and no deeper history of it has another one.
#[test]
fn what_a_clone_of_one_branch_lacks_is_fetched_by_its_name() {
    if git_is_missing() {
        return;
    }
    let repo = repository();
    git(&repo.path(""), &["switch", "--quiet", "--create", "topic"]);
    repo.write("shop/order.proto", NEW);
    commit(&repo, "drop the note");
    let clone = Place::new();
    let url = format!("file://{}", repo.path("").display());
    git(&clone.path(""), &["clone", "--quiet", "--depth=1", "--branch", "topic", &url, "."]);
    for name in ["git:main", "main", "git:origin/main"] {
        let ran = run(&clone.path(""), &["check", "--against", name]);
        let said = "`git fetch --depth=1 origin main`, then use `git:FETCH_HEAD`";
        assert!(ran.code == 3 && ran.err.contains(said), "{name}: {}{}", ran.out, ran.err);
    }
    git(&clone.path(""), &["fetch", "--quiet", "--depth=1", "origin", "main"]);
    assert_eq!(run(&clone.path(""), &["check", "--against", "git:FETCH_HEAD"]).code, 1);
}
