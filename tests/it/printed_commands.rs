//! Each command that a report or a failure prints is run in the situation that printed it. A command that gives a report
//! again gives the same findings.

use std::fs;
use std::process::Command;

use serde_json::{Value, json};

use crate::git::{GROWN, NEW, OLD, Place, Ran, clean, commit, git, git_is_missing, repository, run_in, shallow_clone};
use crate::support::is_windows;

/// Where a command is run, and what the environment says there.
struct Situation<'a> {
    place: &'a Place,
    folder: &'a str,
    environment: Vec<(&'a str, String)>,
}

impl Situation<'_> {
    fn at<'a>(place: &'a Place, folder: &'a str) -> Situation<'a> {
        Situation { place, folder, environment: Vec::new() }
    }

    fn wireproof(&self, arguments: &[&str]) -> Ran {
        let environment: Vec<(&str, &str)> =
            self.environment.iter().map(|(name, value)| (*name, value.as_str())).collect();
        run_in(&self.place.path(self.folder), arguments, &environment)
    }

    /// Runs a line as a shell does, with the program on PATH and none of the situation's variables.
    fn shell(&self, line: &str) -> Ran {
        let mut command = Command::new("sh");
        clean(&mut command);
        let built = std::path::Path::new(env!("CARGO_BIN_EXE_wireproof")).parent().expect("a folder").to_path_buf();
        let path = std::env::var_os("PATH").unwrap_or_default();
        let path = std::env::join_paths([built].into_iter().chain(std::env::split_paths(&path))).expect("a PATH");
        let output = command
            .env("PATH", path)
            .current_dir(self.place.path(self.folder))
            .args(["-c", line])
            .output()
            .expect("it runs");
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Ran { code: output.status.code().unwrap_or(-1), out: text(&output.stdout), err: text(&output.stderr) }
    }

    /// Runs the program, and then the command that it prints for running it again.
    #[track_caller]
    fn gives_the_same_again(&self, arguments: &[&str]) -> String {
        let first = self.wireproof(arguments);
        let line = reproduce(&first.out).unwrap_or_else(|| panic!("no command in {}{}", first.out, first.err));
        let json = self.wireproof(&[arguments, &["--format", "json"]].concat());
        let again = self.shell(&format!("{line} --format json"));
        let (expected, found) = (findings(&json.out), findings(&again.out));
        assert!(expected.is_some(), "{}", json.err);
        assert_eq!(found, expected, "{line}\n{}{}", again.out, again.err);
        assert_eq!(again.code, first.code, "{line}");
        self.shows_the_way(&first.out);
        line
    }

    /// Runs the command that a report names for a plan, if it names one: there are as many steps as the report says.
    #[track_caller]
    fn shows_the_way(&self, report: &str) -> Option<String> {
        let line = report.lines().find_map(|line| line.strip_prefix("plan "))?;
        let (words, command) = line.trim().split_once(": ").unwrap_or_else(|| panic!("no command in {line}"));
        let shown = self.shell(command);
        if let Some(rest) = words.strip_prefix("a plan in ") {
            let count = rest.split_once(' ').map_or("", |(count, _)| count);
            assert!(shown.out.starts_with(&format!("a plan in {count} step")), "{line}\n{}{}", shown.out, shown.err);
        }
        if words.starts_with("no way") {
            assert!(shown.out.starts_with("no way "), "{line}\n{}{}", shown.out, shown.err);
        }
        assert!(matches!(shown.code, 0 | 1), "{line}\n{}", shown.err);
        Some(words.to_owned())
    }
}

/// The command of the last lines of a report.
fn reproduce(text: &str) -> Option<String> {
    text.lines().find_map(|line| line.strip_prefix("reproduce ")).map(|line| line.trim().to_owned())
}

/// Rule, path and whether it breaks, of each finding.
fn findings(json: &str) -> Option<Vec<String>> {
    let report: Value = serde_json::from_str(json).ok()?;
    let told = |one: &Value| format!("{} {} {}", one["rule"], one["id"], one["breaking"]);
    Some(report["findings"].as_array()?.iter().map(told).chain([report["verdict"].to_string()]).collect())
}

/// The first line of what helps, as it is printed.
fn remedy(ran: &Ran) -> String {
    let line = ran.err.lines().find_map(|line| line.trim_start().strip_prefix("help "));
    line.unwrap_or_else(|| panic!("no help in {}", ran.err)).to_owned()
}

fn nothing_to_run_with() -> bool {
    git_is_missing() || is_windows("a shell")
}

#[test]
fn a_report_is_given_again_on_a_branch_in_the_index_and_before_the_first_commit() {
    if nothing_to_run_with() {
        return;
    }
    let place = Place::new();
    git(&place.path(""), &["init", "--quiet", "--initial-branch=main"]);
    place.write("shop/order.proto", OLD).write("services/desk/readme", "");
    git(&place.path(""), &["add", "--all"]);
    Situation::at(&place, "").gives_the_same_again(&["check"]);
    Situation::at(&place, "").gives_the_same_again(&["check", "--staged"]);
    commit(&place, "first");
    git(&place.path(""), &["switch", "--quiet", "--create", "topic"]);
    place.write("shop/order.proto", NEW);
    commit(&place, "it breaks");
    for folder in ["", "services/desk"] {
        let here = Situation::at(&place, folder);
        here.gives_the_same_again(&["check"]);
        here.gives_the_same_again(&["check", "--mode", "backward", "--surface", "wire,json", "--fail-on", "defaulted"]);
        here.gives_the_same_again(&["check", "--against", "git:main", "--head", "git:HEAD"]);
        here.gives_the_same_again(&["compare", "git:main", "git:HEAD"]);
        git(&place.path(""), &["add", "--all"]);
        here.gives_the_same_again(&["check", "--staged"]);
    }
    Situation::at(&place, "services").gives_the_same_again(&["check", "../shop"]);
    Situation::at(&place, "").gives_the_same_again(&["check", "shop/"]);
}

#[test]
fn a_report_names_the_way_to_what_is_wanted_where_readers_break() {
    const MANY: usize = 230;
    if nothing_to_run_with() {
        return;
    }
    let message = |fields: &str| format!("syntax = \"proto3\";\npackage shop.v1;\nmessage Order {{\n{fields}}}\n");
    let place = Place::new();
    git(&place.path(""), &["init", "--quiet", "--initial-branch=main"]);
    place.write("shop/order.proto", &message("  string total = 1;\n  int32 count = 2;\n")).write("desk/readme", "");
    commit(&place, "first");
    let way = |folder: &str, fields: &str, arguments: &[&str]| {
        place.write("shop/order.proto", &message(fields));
        let here = Situation::at(&place, folder);
        let ran = here.wireproof(arguments);
        assert_ne!(ran.code, 2, "{}", ran.err);
        (here.shows_the_way(&ran.out), here.wireproof(&[arguments, &["--format", "json"]].concat()).out)
    };
    let retyped = "  int64 total = 1;\n  int32 count = 2;\n";
    let steps = Some("a plan in 3 steps that breaks nobody".to_owned());
    for folder in ["", "desk"] {
        let (words, report) = way(folder, retyped, &["check"]);
        assert_eq!(words, steps, "in `{folder}`");
        let report: Value = serde_json::from_str(&report).expect("a report");
        let kinds: Vec<&str> = report["plan"]["steps"]
            .as_array()
            .expect("steps")
            .iter()
            .filter_map(|step| step["kind"].as_str())
            .collect();
        assert_eq!(kinds, ["expand", "migrate", "contract"]);
    }
    assert_eq!(way("", retyped, &["check", "--mode", "backward"]).0, steps);
    let looked_for = Some("a way without a break is looked for by".to_owned());
    assert_eq!(way("", retyped, &["compare", "git:HEAD", "."]).0, looked_for);
    let wide = |ty: &str| (1..=25).map(|at| format!("  {ty} f{at} = {at};\n")).collect::<String>();
    place.write("shop/order.proto", &message(&wide("string")));
    commit(&place, "wide");
    assert_eq!(way("", &wide("int64"), &["check", "--against", "git:HEAD"]).0, looked_for);
    git(&place.path(""), &["reset", "--quiet", "--hard", "HEAD^"]);
    // Where nothing breaks, where no reader feels it, where a plan is asked other things, and where no command shows one.
    assert_eq!(way("", "  string total = 1;\n  int32 count = 2;\n  int32 more = 3;\n", &["check"]).0, None);
    assert_eq!(way("", "  string total = 1;\n", &["check"]).0, None);
    assert_eq!(way("", retyped, &["check", "shop"]).0, None);
    assert_eq!(way("", retyped, &["check", "--profile", "buf/WIRE"]).0, None);
    git(&place.path(""), &["add", "--all"]);
    assert_eq!(way("", retyped, &["check", "--staged"]).0, None);
    // In a large repository it is not looked for with each check.
    for at in 0..MANY {
        place.write(format!("many/m{at}.proto"), &format!("syntax = \"proto3\";\npackage many.m{at};\n"));
    }
    commit(&place, "many");
    assert_eq!(way("", "  string total = 1;\n  int32 count = 2;\n", &["check", "--against", "git:HEAD"]).0, looked_for);
}

#[test]
fn the_terms_of_folders_are_the_same_again() {
    if nothing_to_run_with() {
        return;
    }
    let place = repository();
    place.write("wireproof.yaml", "roots:\n  shop:\n    mode: none\n");
    commit(&place, "terms");
    git(&place.path(""), &["switch", "--quiet", "--create", "topic"]);
    place.write("shop/order.proto", NEW);
    let line = Situation::at(&place, "").gives_the_same_again(&["check"]);
    assert!(!line.contains("--mode"), "{line}");
}

#[test]
fn a_linked_work_tree_gives_the_same_again() {
    if nothing_to_run_with() {
        return;
    }
    let (place, linked) = (repository(), Place::new());
    git(&place.path(""), &["worktree", "add", "--quiet", "-b", "topic", &linked.path("tree").display().to_string()]);
    linked.write("tree/shop/order.proto", NEW);
    Situation::at(&linked, "tree").gives_the_same_again(&["check"]);
    git(&linked.path("tree"), &["add", "--all"]);
    Situation::at(&linked, "tree").gives_the_same_again(&["check", "--staged"]);
}

/// A pull request whose target has moved on, merged as GitHub merges it, and a clone as `actions/checkout` makes it.
fn pull_request(depth: &str) -> (Place, Place) {
    let origin = repository();
    git(&origin.path(""), &["switch", "--quiet", "--create", "topic"]);
    origin.write("shop/order.proto", NEW);
    let head = commit(&origin, "it breaks");
    git(&origin.path(""), &["switch", "--quiet", "main"]);
    origin.write("shop/later.proto", &OLD.replace("package shop", "package later"));
    commit(&origin, "main moves on");
    git(&origin.path(""), &["switch", "--quiet", "--detach"]);
    git(&origin.path(""), &["merge", "--quiet", "--no-ff", "--message", "merge", "topic"]);
    git(&origin.path(""), &["update-ref", "refs/pull/7/merge", "HEAD"]);
    git(&origin.path(""), &["switch", "--quiet", "main"]);
    let clone = Place::new();
    git(&clone.path(""), &["init", "--quiet"]);
    let url = format!("file://{}", origin.path("").display());
    git(&clone.path(""), &["remote", "add", "origin", &url]);
    git(&clone.path(""), &["fetch", "--quiet", depth, "origin", "+refs/pull/7/merge:refs/remotes/pull/7/merge"]);
    git(&clone.path(""), &["checkout", "--quiet", "--detach", "refs/remotes/pull/7/merge"]);
    clone.write(".git/event.json", &json!({ "number": 7, "pull_request": { "number": 7, "head": { "sha": head }, "base": { "sha": head, "ref": "main" } } }).to_string());
    (origin, clone)
}

fn event<'a>(name: &str, place: &Place) -> Vec<(&'a str, String)> {
    let file = place.path(".git/event.json").display().to_string();
    vec![("GITHUB_EVENT_NAME", name.to_owned()), ("GITHUB_EVENT_PATH", file)]
}

#[test]
fn a_pull_request_gives_the_same_again_in_ci_and_on_the_desk_of_its_author() {
    if nothing_to_run_with() {
        return;
    }
    for depth in ["--depth=2", "--depth=1", "--depth=50"] {
        let (origin, clone) = pull_request(depth);
        let here = Situation { place: &clone, folder: "", environment: event("pull_request", &clone) };
        let line = here.gives_the_same_again(&["check"]);
        assert!(line.contains("refs/pull/7/merge"), "{line}");
        // The author stands on the branch, which lacks what the target gained.
        let author = Place::new();
        git(&author.path(""), &["clone", "--quiet", "--branch", "topic", &origin.path("").display().to_string(), "."]);
        let again = Situation::at(&author, "").shell(&format!("{line} --format json"));
        assert_eq!(
            findings(&again.out),
            findings(&here.wireproof(&["check", "--format", "json"]).out),
            "{}",
            again.err
        );
    }
}

/// A clone at a push to a branch, with its event.
fn pushed(origin: &Place, branch: &str, before: &str, depth: Option<usize>) -> Place {
    let clone = match depth {
        Some(depth) => shallow_clone(origin, branch, depth),
        None => {
            let clone = Place::new();
            git(
                &clone.path(""),
                &["clone", "--quiet", "--branch", branch, &origin.path("").display().to_string(), "."],
            );
            clone
        }
    };
    let event =
        json!({ "ref": format!("refs/heads/{branch}"), "before": before, "repository": { "default_branch": "main" } });
    clone.write(".git/event.json", &event.to_string());
    clone
}

#[test]
fn a_push_to_a_branch_is_judged_with_what_its_earlier_pushes_broke() {
    if nothing_to_run_with() {
        return;
    }
    let origin = repository();
    git(&origin.path(""), &["switch", "--quiet", "--create", "topic"]);
    origin.write("shop/order.proto", NEW);
    let first = commit(&origin, "it breaks");
    origin.write("README", "words\n");
    commit(&origin, "words");
    let clone = pushed(&origin, "topic", &first, None);
    let here = Situation { place: &clone, folder: "", environment: event("push", &clone) };
    assert_eq!(here.wireproof(&["check"]).code, 1);
    here.gives_the_same_again(&["check"]);
    // The remedy of a clone that is too shallow helps.
    let clone = pushed(&origin, "topic", &first, Some(1));
    let here = Situation { place: &clone, folder: "", environment: event("push", &clone) };
    let ran = here.wireproof(&["check"]);
    assert_eq!(ran.code, 3, "{}{}", ran.out, ran.err);
    let mended = here.shell(&remedy(&ran));
    assert_eq!(mended.code, 0, "{}: {}", remedy(&ran), mended.err);
    assert_eq!(here.wireproof(&["check"]).code, 1);
}

#[test]
fn a_push_that_grows_a_branch_passes_and_one_to_the_default_branch_is_judged_by_itself() {
    if nothing_to_run_with() {
        return;
    }
    let origin = repository();
    let before = git(&origin.path(""), &["rev-parse", "HEAD"]);
    git(&origin.path(""), &["switch", "--quiet", "--create", "topic"]);
    origin.write("shop/order.proto", GROWN);
    commit(&origin, "growth");
    let clone = pushed(&origin, "topic", &before, None);
    let here = Situation { place: &clone, folder: "", environment: event("push", &clone) };
    assert_eq!(here.wireproof(&["check"]).code, 0);
    git(&origin.path(""), &["switch", "--quiet", "main"]);
    origin.write("shop/order.proto", NEW);
    let broken = commit(&origin, "it breaks");
    origin.write("README", "words\n");
    commit(&origin, "words");
    let clone = pushed(&origin, "main", &broken, Some(2));
    let here = Situation { place: &clone, folder: "", environment: event("push", &clone) };
    assert_eq!(here.wireproof(&["check"]).code, 0);
}

#[test]
fn a_default_branch_of_any_name_is_found_or_asked_for_by_a_command_that_helps() {
    if nothing_to_run_with() {
        return;
    }
    for (name, is_found) in [("trunk", true), ("develop", true), ("odd/name", false)] {
        let origin = Place::new();
        git(&origin.path(""), &["init", "--quiet", &format!("--initial-branch={name}")]);
        origin.write("shop/order.proto", OLD);
        commit(&origin, "first");
        git(&origin.path(""), &["switch", "--quiet", "--create", "topic"]);
        origin.write("shop/order.proto", NEW);
        commit(&origin, "it breaks");
        git(&origin.path(""), &["switch", "--quiet", name]);
        for remote in ["origin", "upstream"] {
            let clone = Place::new();
            git(&clone.path(""), &["init", "--quiet"]);
            git(&clone.path(""), &["remote", "add", remote, &format!("file://{}", origin.path("").display())]);
            git(&clone.path(""), &["fetch", "--quiet", remote]);
            git(&clone.path(""), &["checkout", "--quiet", "-b", "topic", &format!("{remote}/topic")]);
            let here = Situation::at(&clone, "");
            let ran = here.wireproof(&["check"]);
            assert_eq!(ran.code, if is_found { 1 } else { 3 }, "{name}: {}{}", ran.out, ran.err);
            if !is_found {
                let mended = here.shell(&remedy(&ran));
                assert_eq!(mended.code, 0, "{}: {}", remedy(&ran), mended.err);
                assert_eq!(here.wireproof(&["check"]).code, 1);
            }
        }
    }
}

#[test]
fn a_repository_without_schemas_passes_and_says_so() {
    if nothing_to_run_with() {
        return;
    }
    let place = Place::new();
    git(&place.path(""), &["init", "--quiet", "--initial-branch=main"]);
    place.write("README", "words\n");
    git(&place.path(""), &["add", "--all"]);
    let here = Situation::at(&place, "");
    for arguments in [&["check", "--staged"][..], &["check"]] {
        let ran = here.wireproof(arguments);
        assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
        assert!(ran.out.contains("there are no schemas on either side"), "{}", ran.out);
    }
    commit(&place, "first");
    place.write("README", "more words\n");
    assert_eq!(here.wireproof(&["check"]).code, 0);
    // What is named should hold one.
    place.write("docs/index", "");
    assert_eq!(here.wireproof(&["check", "docs"]).code, 2);
    assert_eq!(here.wireproof(&["compare", "docs", "docs"]).code, 2);
    place.write("shop/order.proto", OLD).write("wireproof.yaml", "exclude: ['**']\n");
    assert_eq!(here.wireproof(&["check"]).code, 2, "everything is excluded");
}

#[test]
fn what_only_the_branch_itself_brought_may_change_in_the_hook_as_in_ci() {
    if nothing_to_run_with() {
        return;
    }
    let place = repository();
    git(&place.path(""), &["switch", "--quiet", "--create", "topic"]);
    place.write("shop/order.proto", GROWN);
    commit(&place, "a field");
    place.write("shop/order.proto", &GROWN.replace("string tag", "bool tag"));
    git(&place.path(""), &["add", "--all"]);
    let here = Situation::at(&place, "");
    let staged = here.wireproof(&["check", "--staged"]);
    assert_eq!(staged.code, 0, "{}{}", staged.out, staged.err);
    assert_eq!(here.wireproof(&["check"]).code, 0);
    // Whoever wants the last commit asks for it.
    assert_eq!(here.wireproof(&["check", "--staged", "--against", "git:HEAD"]).code, 1);
    // What was there before may not.
    place.write("shop/order.proto", NEW);
    git(&place.path(""), &["add", "--all"]);
    assert_eq!(here.wireproof(&["check", "--staged"]).code, 1);
    commit(&place, "it breaks");
    place.write("README", "words\n");
    git(&place.path(""), &["add", "--all"]);
    assert_eq!(here.wireproof(&["check", "--staged"]).code, 1, "CI will say so, too");
}

#[test]
fn a_merge_is_not_blamed_for_what_it_brings() {
    if nothing_to_run_with() {
        return;
    }
    let place = repository();
    git(&place.path(""), &["switch", "--quiet", "--create", "topic"]);
    place.write("shop/own.proto", &OLD.replace("package shop", "package own"));
    commit(&place, "own work");
    git(&place.path(""), &["switch", "--quiet", "main"]);
    place.write("shop/order.proto", NEW);
    commit(&place, "main breaks");
    git(&place.path(""), &["switch", "--quiet", "topic"]);
    git(&place.path(""), &["merge", "--quiet", "--no-commit", "--no-ff", "main"]);
    let here = Situation::at(&place, "");
    let staged = here.wireproof(&["check", "--staged"]);
    assert_eq!(staged.code, 0, "{}{}", staged.out, staged.err);
    // What the merge itself breaks is found.
    fs::write(place.path("shop/order.proto"), NEW.replace("int32 id", "string id")).expect("a file");
    git(&place.path(""), &["add", "--all"]);
    assert_eq!(here.wireproof(&["check", "--staged"]).code, 1);
}

#[test]
fn the_upstream_counts_where_it_is_another_branch_and_not_where_it_is_this_one() {
    if nothing_to_run_with() {
        return;
    }
    let origin = repository();
    git(&origin.path(""), &["switch", "--quiet", "--create", "release"]);
    origin.write("shop/order.proto", GROWN);
    commit(&origin, "a field of the release");
    git(&origin.path(""), &["switch", "--quiet", "main"]);
    let clone = Place::new();
    git(&clone.path(""), &["clone", "--quiet", &origin.path("").display().to_string(), "."]);
    git(&clone.path(""), &["switch", "--quiet", "--create", "fix", "origin/release"]);
    clone.write("shop/order.proto", OLD);
    git(&clone.path(""), &["add", "--all"]);
    let here = Situation::at(&clone, "");
    assert_eq!(here.wireproof(&["check", "--staged"]).code, 1, "the release has the field");
    assert_eq!(here.wireproof(&["check"]).code, 1);
    // Pushed with `-u`, the upstream is the branch itself: what it broke before still counts.
    git(&clone.path(""), &["switch", "--quiet", "--discard-changes", "--create", "topic", "--no-track", "origin/main"]);
    clone.write("shop/order.proto", NEW);
    commit(&clone, "it breaks");
    git(&clone.path(""), &["push", "--quiet", "-u", "origin", "topic"]);
    clone.write("README", "words\n");
    git(&clone.path(""), &["add", "--all"]);
    assert_eq!(here.wireproof(&["check", "--staged"]).code, 1);
    assert_eq!(here.wireproof(&["check"]).code, 1);
}

#[test]
fn a_slip_is_answered_with_the_command_that_was_meant() {
    if nothing_to_run_with() {
        return;
    }
    let place = repository();
    git(&place.path(""), &["switch", "--quiet", "--create", "topic"]);
    let here = Situation::at(&place, "");
    let ran = here.wireproof(&["check", "main"]);
    assert!(ran.code == 2 && ran.err.contains("wireproof check --against main"), "{}", ran.err);
    for revision in ["HEAD~5", "main...HEAD", "v1^{}", "HEAD@{9}"] {
        let ran = here.wireproof(&["check", "--against", revision]);
        assert!(ran.code != 0 && !ran.err.contains("git fetch"), "{revision}: {}", ran.err);
    }
    // A branch that the remote has and this clone has not.
    let origin = repository();
    git(&origin.path(""), &["branch", "release"]);
    for written in ["release", "origin/release"] {
        let clone = Place::new();
        git(&clone.path(""), &["init", "--quiet"]);
        git(&clone.path(""), &["remote", "add", "origin", &format!("file://{}", origin.path("").display())]);
        clone.write("shop/order.proto", NEW);
        commit(&clone, "own");
        let here = Situation::at(&clone, "");
        let ran = here.wireproof(&["check", "--against", written]);
        let fetch =
            ran.err.split('`').find(|part| part.starts_with("git fetch")).unwrap_or_else(|| panic!("{}", ran.err));
        assert_eq!(here.shell(fetch).code, 0, "{fetch}");
        assert_eq!(here.wireproof(&["check", "--against", "git:FETCH_HEAD"]).code, 1);
    }
}
