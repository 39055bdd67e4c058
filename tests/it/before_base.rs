//! What lies before the base, what is written beside schemas, and what names mean: none of it is left to the change under
//! review alone.

use std::collections::BTreeSet;

use crate::git::{Place, Ran, commit, git, git_is_missing, repository, run};
use crate::support::root;

fn schema(fields: &str) -> String {
    format!("syntax = \"proto3\";\npackage shop;\nmessage Order {{\n  int64 id = 1;\n{fields}}}\n")
}

/// A repository on a branch: its default branch freed a number, and the branch takes it for another type. `base` is the
/// configuration of the default branch and `change` that of the branch; an empty one is none.
fn reusing(base: &str, change: &str) -> Place {
    let place = repository();
    place.write("other.proto", "syntax = \"proto3\";\npackage other;\nmessage Other {\n  int32 id = 1;\n}\n");
    for fields in ["  string note = 2;\n", "  reserved 2;\n", ""] {
        place.write("order.proto", &schema(fields));
        commit(&place, "a version");
    }
    configure(&place, base);
    place.write("readme.txt", "of the default branch");
    commit(&place, "terms");
    git(&place.path(""), &["switch", "-q", "-c", "topic"]);
    configure(&place, change);
    place.write("order.proto", &schema("  int32 count = 2;\n"));
    commit(&place, "the change");
    place
}

fn configure(place: &Place, text: &str) {
    let _ = std::fs::remove_file(place.path("wireproof.yaml"));
    if !text.is_empty() {
        place.write("wireproof.yaml", text);
    }
}

fn check(place: &Place, arguments: &[&str]) -> Ran {
    run(&place.path(""), &[&["check"], arguments].concat())
}

/// No change of terms takes away versions that the base, or who runs the check, looks at.
#[test]
fn no_change_of_terms_hides_what_the_versions_before_the_base_show() {
    if git_is_missing() {
        return;
    }
    let loosening: [(&str, &[&str], &[&str]); 3] = [
        ("mode: full-transitive\n", &["mode: full\n", "", "mode: none\n", "mode: full\nhistory: {depth: 1}\n"], &[]),
        (
            "history: first-parent\n",
            &["", "history: {depth: 1}\nmode: none\n", "history: first-parent\nmode: none\n", "history: 'dir:d/v*'\n"],
            &[],
        ),
        (
            "",
            &[
                "mode: none\n",
                "exclude: [order.proto]\n",
                "include: [other.proto]\n",
                "unstable: ['shop*']\n",
                "roots: {'.': {mode: none}}\n",
                "rules: {policy/number-reused: off}\n",
                "configuration: head\nexclude: [order.proto]\n",
            ],
            &["--history"],
        ),
    ];
    for (base, changes, options) in loosening {
        let unchanged = check(&reusing(base, base), options);
        assert_eq!(unchanged.code, 1, "{base}{}", unchanged.out);
        for change in changes {
            let place = reusing(base, change);
            for version in ["v1", "v2"] {
                place.write(format!("d/{version}/e.proto"), "syntax = \"proto3\";\n");
            }
            let ran = check(&place, options);
            assert_eq!(ran.code, 1, "{base}to\n{change}{}{}", ran.out, ran.err);
            assert!(ran.out.contains("policy/configuration-loosened"), "{base}to\n{change}{}", ran.out);
        }
    }
    // What breaks nothing by either is no error, whatever happens to the terms.
    let place = reusing("history: first-parent\n", "mode: full\n");
    place.write("order.proto", &schema("  int32 count = 3;\n"));
    let ran = check(&place, &[]);
    assert_eq!(ran.code, 0, "{}", ran.out);
}

/// Versions in folders are compared beside the base, and never instead of it.
#[test]
fn folders_that_the_configuration_names_take_no_base_away() {
    if git_is_missing() {
        return;
    }
    let place = repository();
    place.write("order.proto", &schema("  string note = 2;\n"));
    place.write("d/v1/e.proto", &schema("  string note = 2;\n"));
    commit(&place, "what is there");
    git(&place.path(""), &["switch", "-q", "-c", "topic"]);
    place.write("wireproof.yaml", "history: 'dir:d/v*'\n").write("d/v2/e.proto", &schema("  string note = 2;\n"));
    let grown = check(&place, &[]);
    assert_eq!(grown.code, 0, "{}{}", grown.out, grown.err);
    assert!(grown.out.contains("working tree against git:"), "{}", grown.out);
    // A break beside the folders.
    place.write("order.proto", &schema("  int32 note = 2;\n"));
    let beside = check(&place, &[]);
    assert!(beside.code == 1 && beside.out.contains("order.proto:5"), "{}{}", beside.out, beside.err);
    place.write("order.proto", &schema("  string note = 2;\n"));
    // One between the folders, which is named by its whole path.
    place.write("d/v2/e.proto", &schema("  int32 note = 2;\n"));
    let between = check(&place, &[]);
    assert!(between.code == 1 && between.out.contains("d/v2/e.proto:5"), "{}{}", between.out, between.err);
    // One in all folders at once.
    place.write("d/v1/e.proto", &schema("  int32 note = 2;\n"));
    let at_once = check(&place, &[]);
    assert!(at_once.code == 1 && at_once.out.contains("d/v1/e.proto:5"), "{}{}", at_once.out, at_once.err);
    // The hook looks at the index, and folders have none.
    place.write("d/v1/e.proto", &schema("  string note = 2;\n")).write("d/v2/e.proto", &schema("  string note = 2;\n"));
    git(&place.path(""), &["add", "--all"]);
    let staged = check(&place, &["--staged"]);
    assert!(
        staged.code == 0 && staged.out.contains("the folders `d/v*` with each other"),
        "{}{}",
        staged.out,
        staged.err
    );
    // Without a repository there are only the folders, and whoever asks for them gets them alone.
    let plain = Place::new();
    plain.write("wireproof.yaml", "history: 'dir:v*'\n");
    plain.write("v1/e.proto", &schema("")).write("v2/e.proto", &schema("  int32 note = 2;\n"));
    assert_eq!(check(&plain, &[]).code, 0);
    assert_eq!(check(&plain, &["--history=dir:v*"]).code, 0);
}

/// A break, and its id.
fn broken(place: &Place) -> String {
    place.write("api/order.proto", &schema("  int32 note = 2;\n"));
    let ran = run(&place.path(""), &["check", "--no-config", "--format", "json"]);
    let report: serde_json::Value = serde_json::from_str(&ran.out).expect("a report");
    report["findings"][0]["id"].as_str().expect("an id").to_owned()
}

/// The waivers of the base's file count, and those of another one as soon as it has been merged that it is the file.
#[test]
fn no_change_brings_a_waiver_file_of_its_own() {
    if git_is_missing() {
        return;
    }
    // The file of the base, the file of the change, and the configuration that names each.
    for (of_base, before, of_change, now) in [
        ("owned.yaml", "waivers: owned.yaml\n", "mine.yaml", "waivers: mine.yaml\n"),
        (".wireproof-waivers.yaml", "", "mine.yaml", "waivers: mine.yaml\n"),
        ("owned.yaml", "waivers: owned.yaml\n", ".wireproof-waivers.yaml", "mode: full\n"),
        ("owned.yaml", "waivers: owned.yaml\n", ".wireproof-waivers.yaml", ""),
    ] {
        let place = repository();
        place.write("api/order.proto", &schema("  string note = 2;\n")).write(of_base, "[]\n");
        configure(&place, before);
        commit(&place, "what is there");
        git(&place.path(""), &["switch", "-q", "-c", "topic"]);
        let entry = format!("- id: {}\n  reason: it has to be\n", broken(&place));
        configure(&place, now);
        place.write(of_change, &entry);
        let slipped = check(&place, &[]);
        assert_eq!(slipped.code, 1, "{before}{now}{}{}", slipped.out, slipped.err);
        let said = format!("`{of_change}` does not count");
        assert!(slipped.out.replace("\n  ", " ").contains(&said), "{before}{now}{}", slipped.out);
        // Where the file that the base means has it as well, those who answer for that one have seen it.
        place.write(of_base, &entry);
        assert_eq!(check(&place, &[]).code, 0, "{before}{now}");
        // And so it is where the move was merged first.
        place.write(of_base, "[]\n").write(of_change, "[]\n").write("api/order.proto", &schema("  string note = 2;\n"));
        commit(&place, "the file moves");
        git(&place.path(""), &["branch", "--force", "main", "HEAD"]);
        broken(&place);
        place.write(of_change, &entry);
        assert_eq!(check(&place, &[]).code, 0, "{before}{now}");
    }
    // A nearer configuration has a nearer waiver file.
    let place = repository();
    place.write("api/order.proto", &schema("  string note = 2;\n")).write(".wireproof-waivers.yaml", "[]\n");
    commit(&place, "what is there");
    git(&place.path(""), &["switch", "-q", "-c", "topic"]);
    let id = broken(&place);
    place.write("api/wireproof.yaml", "mode: full\n");
    place.write("api/.wireproof-waivers.yaml", &format!("- id: {id}\n  reason: it has to be\n"));
    assert_eq!(run(&place.path("api"), &["check"]).code, 1);
}

/// A base in an archive judges as it does in a folder and in git.
#[test]
fn an_archive_has_terms_as_a_folder_has() {
    if git_is_missing() {
        return;
    }
    for (before, now) in
        [("mode: full\n", "mode: none\n"), ("mode: full\n", "exclude: [order.proto]\n"), ("mode: full\n", "")]
    {
        let (place, elsewhere) = (repository(), Place::new());
        place.write("order.proto", &schema("  string note = 2;\n")).write("other.proto", &schema(""));
        configure(&place, before);
        commit(&place, "what is there");
        let folder = elsewhere.path("old");
        std::fs::create_dir(&folder).expect("a folder");
        for archive in ["old.tar", "old.tar.gz", "old.zip"] {
            let output = format!("--output={}", elsewhere.path(archive).display());
            git(&place.path(""), &["archive", &output, "--prefix=shop-1.0/", "HEAD"]);
        }
        for file in ["order.proto", "other.proto", "wireproof.yaml"] {
            std::fs::copy(place.path(file), folder.join(file)).expect("a copy");
        }
        place.write("order.proto", &schema("  int32 note = 2;\n"));
        configure(&place, now);
        let codes: BTreeSet<i32> = ["old", "old.tar", "old.tar.gz", "old.zip"]
            .iter()
            .map(|base| check(&place, &["--against", &elsewhere.path(base).display().to_string()]).code)
            .chain([check(&place, &["--against", "git:HEAD"]).code])
            .collect();
        assert_eq!(codes, BTreeSet::from([1]), "{before}{now}");
    }
}

/// A name that a pusher can give to a tag is not taken for the branch.
#[test]
fn a_name_of_a_tag_and_of_a_branch_is_refused() {
    if git_is_missing() {
        return;
    }
    let upstream = repository();
    upstream.write("order.proto", &schema("  string note = 2;\n"));
    commit(&upstream, "what is there");
    git(&upstream.path(""), &["switch", "-q", "-c", "topic"]);
    upstream.write("order.proto", &schema("  int32 note = 2;\n"));
    commit(&upstream, "a break");
    for name in ["main", "origin/main"] {
        git(&upstream.path(""), &["tag", name, "topic"]);
    }
    let clone = Place::new();
    let from = upstream.path("").display().to_string();
    git(&clone.path(""), &["clone", "-q", "--branch", "topic", &from, "clone"]);
    let clone = clone.path("clone");
    let refused: [&[&str]; 6] = [
        &["check", "--against", "git:main"],
        &["check", "--against", "git:origin/main"],
        &["check", "--against", "git:origin/main~0"],
        &["compare", "git:origin/main", "git:topic"],
        &["plan", "git:origin/main", "git:topic"],
        &["check", "--against", "git:refs/heads/topic", "--head", "git:origin/main"],
    ];
    for arguments in refused {
        let ran = run(&clone, arguments);
        assert!(ran.code == 2 && ran.err.contains("not the same commit"), "{arguments:?} {}{}", ran.out, ran.err);
    }
    for base in ["git:refs/remotes/origin/main", "git:refs/tags/main~1"] {
        assert_eq!(run(&clone, &["check", "--against", base]).code, 1, "{base}");
    }
    assert_eq!(run(&clone, &["check"]).code, 1);
    // A branch that is only behind the one of the remote is no other thing, and neither is a tag on the same commit.
    git(&clone, &["tag", "--delete", "main", "origin/main"]);
    git(&clone, &["branch", "-q", "main", "refs/remotes/origin/topic"]);
    git(&clone, &["tag", "same", "refs/heads/main"]);
    git(&clone, &["branch", "-q", "same", "refs/heads/main"]);
    for base in ["git:main", "git:same"] {
        assert_eq!(run(&clone, &["check", "--against", base]).code, 0, "{base}");
    }
}

/// Where the remote does not say which branch is the default one, a branch of a usual name that somebody pushes takes no
/// other one's place.
#[test]
fn of_several_usual_names_the_earliest_merge_base_counts() {
    if git_is_missing() {
        return;
    }
    for (real, pushed) in [("master", "main"), ("trunk", "main"), ("main", "master"), ("develop", "trunk")] {
        let upstream = Place::new();
        git(&upstream.path(""), &["init", "-q", "-b", real]);
        upstream.write("order.proto", &schema("  string note = 2;\n"));
        commit(&upstream, "what is there");
        git(&upstream.path(""), &["switch", "-q", "-c", "topic"]);
        upstream.write("order.proto", &schema("  int32 note = 2;\n"));
        commit(&upstream, "a break");
        git(&upstream.path(""), &["branch", pushed]);
        upstream.write("readme.txt", "more");
        commit(&upstream, "nothing");
        let clone = Place::new();
        git(&clone.path(""), &["init", "-q", "-b", "nothing"]);
        git(&clone.path(""), &["remote", "add", "origin", &upstream.path("").display().to_string()]);
        git(&clone.path(""), &["fetch", "-q", "origin"]);
        let _ = crate::git::git_output(&clone.path(""), &["remote", "set-head", "origin", "--delete"]);
        git(&clone.path(""), &["checkout", "-q", "--detach", "origin/topic"]);
        for options in [&["check"][..], &["check", "--head", "git:HEAD"]] {
            let ran = run(&clone.path(""), options);
            assert!(ran.code == 1 && ran.out.contains(real), "{real} {pushed} {options:?}: {}{}", ran.out, ran.err);
        }
    }
}

/// Two files that declare the same names: a waiver for the break in one of them is none for that in the other, and stays
/// one when the other breaks as well.
#[test]
fn a_waiver_for_one_of_two_alike_files_covers_that_file() {
    if git_is_missing() {
        return;
    }
    let alike = [
        ("thrift", "struct Order {\n  1: i64 id\n}\n", "i64", "string"),
        ("fbs", "table Order {\n  id: long;\n}\nroot_type Order;\n", "long", "string"),
        ("proto", "syntax = \"proto3\";\nmessage Order {\n  int64 id = 1;\n}\n", "int64", "string"),
    ];
    for (ending, text, before, after) in alike {
        let file = |folder: &str| format!("{folder}/order.{ending}");
        for how in [&["--rule"][..], &["--under", "."], &["--under", "b"], &[]] {
            let place = repository();
            place.write(file("a"), text).write(file("b"), text);
            commit(&place, "what is there");
            place.write(file("b"), &text.replace(before, after));
            let ran = run(&place.path(""), &["check", "--format", "json"]);
            let report: serde_json::Value = serde_json::from_str(&ran.out).expect("a report");
            let finding = &report["findings"][0];
            let word = |key: &str| finding[key].as_str().expect("a text").to_owned();
            let asked: Vec<String> = match how {
                [] => vec![word("id")],
                ["--rule"] => vec!["--rule".to_owned(), word("rule")],
                others => others.iter().map(|one| (*one).to_owned()).collect(),
            };
            let mut accept = vec!["accept".to_owned()];
            accept.extend(asked);
            accept.extend(["--reason".to_owned(), "it was never used".to_owned()]);
            let accepted = run(&place.path(""), &accept);
            assert_eq!(accepted.code, 0, "{accept:?} {}", accepted.err);
            assert_eq!(check(&place, &[]).code, 0, "{ending} {accept:?}");
            // The other one breaks as well: it alone does.
            place.write(file("a"), &text.replace(before, after));
            let both = check(&place, &["--format", "json"]);
            let report: serde_json::Value = serde_json::from_str(&both.out).expect("a report");
            let breaking = report["findings"].as_array().into_iter().flatten().filter(|one| one["breaking"] == true);
            let files: Vec<&str> = breaking.filter_map(|one| one["new"]["file"].as_str()).collect();
            assert_eq!(files, [file("a")], "{ending} {accept:?}");
            // And where only the other one breaks, nothing covers it.
            place.write(file("b"), text);
            assert_eq!(check(&place, &[]).code, 1, "{ending} {accept:?}");
        }
    }
}

/// Where the terms of the base stop what those of the change let pass, nobody is told that it is safe.
#[test]
fn nothing_is_called_safe_that_passes_through_a_change_of_terms() {
    if git_is_missing() {
        return;
    }
    for change in ["exclude: [order.proto]\n", "include: [other.proto]\n", "unstable: ['shop*']\n"] {
        let place = repository();
        place.write("order.proto", &schema("  string note = 2;\n")).write("other.proto", &schema(""));
        commit(&place, "what is there");
        place.write("order.proto", &schema("  int32 note = 2;\n")).write("wireproof.yaml", change);
        let ran = check(&place, &[]);
        assert_eq!(ran.code, 1, "{change}{}", ran.out);
        for untrue in ["no reader breaks", "safe at any time", "upgrade order: any", "nothing was there before"] {
            assert!(!ran.out.contains(untrue), "{change}{}", ran.out);
        }
        assert!(ran.out.contains("not established") || ran.out.contains("no order works"), "{change}{}", ran.out);
    }
}

/// What looks like the configuration or the waiver file and is none is named.
#[test]
fn a_file_that_is_not_read_is_named() {
    if git_is_missing() {
        return;
    }
    for (file, beside) in [
        ("wireproof.yml", ""),
        (".wireproof-waivers.yml", ""),
        (".github/wireproof.yml", ""),
        ("wireproof-waivers.yaml", ""),
        (".wireproof.yaml", "wireproof.yaml"),
        (".github/wireproof.yaml", "wireproof.yaml"),
    ] {
        let place = repository();
        place.write("order.proto", &schema(""));
        if !beside.is_empty() {
            place.write(beside, "mode: full\n");
        }
        commit(&place, "what is there");
        assert!(!check(&place, &[]).out.contains("is not read"));
        place.write(file, "[]\n").write("sub/order.proto", &schema(""));
        for folder in ["", "sub"] {
            let ran = run(&place.path(folder), &["check"]);
            let said = format!("`{file}` is not read");
            assert!(ran.code == 0 && ran.out.contains(&said), "{file} {folder}: {}{}", ran.out, ran.err);
        }
    }
}

/// A rule of one's own that claims less than bytes show is named, and nobody is sent to us.
#[test]
fn a_rule_of_ones_own_is_named_where_it_claims_too_little() {
    let place = Place::new();
    let built_in = std::fs::read_to_string(root().join("rules/protobuf/wire-type-changed.yaml")).expect("a rule");
    let milder = |line: &str| match line.trim_start().starts_with("wire:") {
        true => "  wire: { backward: safe, forward: safe }\n".to_owned(),
        false => format!("{line}\n"),
    };
    let rule: String = built_in.lines().map(milder).collect();
    place.write("own/fine.yaml", &rule).write("wireproof.yaml", "rules-dir: own\n");
    place.write("old/order.proto", &schema("  string note = 2;\n"));
    place.write("new/order.proto", &schema("  int32 note = 2;\n"));
    let ran = run(&place.path(""), &["compare", "old", "new"]);
    assert!(!ran.out.contains("bug in wireproof") && ran.out.contains("own/fine.yaml"), "{}{}", ran.out, ran.err);
    let words = ran.out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(ran.code == 3 && words.contains("claims less than this"), "{}{}", ran.out, ran.err);
}

/// What is written in a comment and read as a last day is none where it does not count.
#[test]
fn a_last_day_that_does_not_count_is_no_reason() {
    if git_is_missing() {
        return;
    }
    for (words, code) in [
        ("until=2099-01-01 it was never used", 0),
        ("it was never used until now", 0),
        ("Until=2020-01-01 it was never used", 1),
        ("until: 2020-01-01 it was never used", 1),
        ("it was never used until=2020-01-01", 1),
        ("\u{200b}", 1),
    ] {
        let place = repository();
        place.write("order.proto", &schema("  string note = 2;\n"));
        commit(&place, "what is there");
        let comment = format!("  // wireproof:allow protobuf/wire-type-changed {words}\n  int32 note = 2;\n");
        place.write("order.proto", &schema(&comment));
        let ran = check(&place, &[]);
        assert_eq!(ran.code, code, "{words}: {}{}", ran.out, ran.err);
    }
}
