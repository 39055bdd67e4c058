//! What cannot be seen is said, and is no pass: submodules, links, sparse checkouts and what else hides a schema. Beside
//! each attack stands its harmless twin, which passes.

use std::fs;

use serde_json::Value;

use crate::git::{GROWN, NEW, OLD, Place, Ran, commit, git, git_is_missing, repository, run};

const RULE: &str = "policy/not-seen";
const USES: &str =
    "syntax = \"proto3\";\npackage app;\nimport \"order.proto\";\nmessage Cart {\n  shop.Order order = 1;\n}\n";

fn check(place: &Place, arguments: &[&str]) -> Ran {
    let arguments: Vec<&str> =
        ["check", "--against", "git:HEAD", "--format", "json"].iter().chain(arguments).copied().collect();
    run(&place.path(""), &arguments)
}

fn report(ran: &Ran) -> Value {
    crate::git::report(ran)
}

/// The paths of what could not be seen and is not acknowledged.
fn unseen(report: &Value) -> Vec<String> {
    let findings = report["findings"].as_array().expect("findings").iter();
    let unseen = findings.filter(|finding| finding["rule"] == RULE && finding["waiver"].is_null());
    unseen.map(|finding| finding["path"].as_str().expect("a path").to_owned()).collect()
}

/// It could not be told, because of these paths.
#[track_caller]
fn is_unseen(ran: &Ran, paths: &[&str]) -> Value {
    let report = report(ran);
    assert_eq!(report["verdict"], "unknown", "{report:#}");
    assert_eq!(unseen(&report), paths, "{report:#}");
    report
}

#[track_caller]
fn breaks(ran: &Ran) {
    let report = report(ran);
    assert_eq!(report["verdict"], "breaking", "{report:#}");
    assert!(unseen(&report).is_empty(), "{report:#}");
}

#[track_caller]
fn passes(ran: &Ran) -> Value {
    let report = report(ran);
    assert_eq!(report["verdict"], "compatible", "{report:#}{}", ran.err);
    report
}

/// A repository of schemas, to be the submodule of another: three commits, the second grows and the third breaks.
struct Shared {
    place: Place,
    commits: Vec<String>,
}

fn shared(versions: &[(&str, &str)]) -> Shared {
    let place = Place::new();
    git(&place.path(""), &["init", "--quiet", "--initial-branch=main"]);
    git(&place.path(""), &["config", "uploadpack.allowAnySHA1InWant", "true"]);
    let commits = versions.iter().map(|(file, text)| {
        place.write(file, text);
        commit(&place, "a version")
    });
    let commits = commits.collect();
    Shared { place, commits }
}

/// A repository that has it at `third/sub`, at its first commit, and imports from it.
fn with_submodule(shared: &Shared) -> Place {
    let place = Place::new();
    git(&place.path(""), &["init", "--quiet", "--initial-branch=main"]);
    let url = shared.place.path("").display().to_string();
    git(&place.path(""), &["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", &url, "third/sub"]);
    move_to(&place, &shared.commits[0]);
    place.write("app/cart.proto", USES);
    commit(&place, "first");
    place
}

fn move_to(place: &Place, commit: &str) {
    git(&place.path("third/sub"), &["checkout", "--quiet", commit]);
}

/// As `git clone` makes it: nobody asked for submodules.
fn cloned(of: &Place) -> Place {
    let place = Place::new();
    git(&place.path(""), &["clone", "--quiet", &of.path("").display().to_string(), "."]);
    place
}

#[test]
fn a_submodule_that_moved_is_read_at_both_commits() {
    if git_is_missing() {
        return;
    }
    let shared = shared(&[("order.proto", OLD), ("order.proto", GROWN), ("order.proto", NEW)]);
    let place = with_submodule(&shared);
    passes(&check(&place, &[]));
    move_to(&place, &shared.commits[1]);
    let report = passes(&check(&place, &[]));
    assert!(report["stats"]["changes"].as_u64().is_some_and(|changes| changes > 0), "{report:#}");
    move_to(&place, &shared.commits[2]);
    breaks(&check(&place, &[]));
    // The index and two commits are read as well as the work tree.
    git(&place.path(""), &["add", "third/sub"]);
    breaks(&check(&place, &["--staged"]));
    commit(&place, "it breaks");
    breaks(&run(&place.path(""), &["compare", "git:HEAD~1", "git:HEAD", "--format", "json"]));
    // And so is what is not committed in the submodule itself.
    move_to(&place, &shared.commits[0]);
    commit(&place, "back");
    place.write("third/sub/order.proto", NEW);
    breaks(&check(&place, &[]));
}

#[test]
fn a_submodule_that_moved_and_is_not_here_is_no_pass_and_its_remedy_helps() {
    if git_is_missing() {
        return;
    }
    let shared = shared(&[("order.proto", OLD), ("order.proto", NEW)]);
    let origin = with_submodule(&shared);
    let clone = cloned(&origin);
    passes(&check(&clone, &[]));
    move_to(&origin, &shared.commits[1]);
    commit(&origin, "it breaks");
    git(&clone.path(""), &["pull", "--quiet"]);
    clone.write("other/own.proto", &OLD.replace("package shop", "package own"));
    let compare = ["compare", "git:HEAD~1", "git:HEAD", "--format", "json"];
    let report = is_unseen(&run(&clone.path(""), &compare), &["third/sub"]);
    let fix = report["findings"][0]["fix"].as_str().expect("a remedy").to_owned();
    assert!(fix.contains("git submodule update --init -- third/sub"), "{fix}");
    git(
        &clone.path(""),
        &["-c", "protocol.file.allow=always", "submodule", "--quiet", "update", "--init", "--", "third/sub"],
    );
    git(&clone.path("third/sub"), &["fetch", "--quiet", "origin"]);
    breaks(&run(&clone.path(""), &compare));
}

#[test]
fn what_could_not_be_seen_can_be_acknowledged_and_hides_nothing_else() {
    if git_is_missing() {
        return;
    }
    let shared = shared(&[("order.proto", OLD), ("order.proto", NEW)]);
    let origin = with_submodule(&shared);
    origin.write("own/own.proto", &OLD.replace("package shop", "package own"));
    commit(&origin, "own schemas");
    let clone = cloned(&origin);
    git(&clone.path(""), &["update-index", "--cacheinfo", &format!("160000,{},third/sub", shared.commits[1])]);
    let ran = check(&clone, &["--staged"]);
    let id = is_unseen(&ran, &["third/sub"])["findings"][0]["id"].as_str().expect("an id").to_owned();
    clone.write("report.json", &ran.out);
    let accepted = run(&clone.path(""), &["accept", &id, "--report", "report.json", "--reason", "read by hand"]);
    assert_eq!(accepted.code, 0, "{}{}", accepted.out, accepted.err);
    passes(&check(&clone, &["--staged"]));
    // Another move is another thing that nobody has seen.
    git(&clone.path(""), &["update-index", "--cacheinfo", &format!("160000,{},third/sub", "1".repeat(40))]);
    is_unseen(&check(&clone, &["--staged"]), &["third/sub"]);
    // What it does not touch is judged.
    clone.write("own/own.proto", &NEW.replace("package shop", "package own"));
    git(&clone.path(""), &["add", "own"]);
    assert_eq!(report(&check(&clone, &["--staged"]))["verdict"], "breaking");
}

#[test]
fn a_submodule_without_schemas_may_move() {
    if git_is_missing() {
        return;
    }
    let shared = shared(&[("theme.css", "a {}"), ("theme.css", "b {}")]);
    let origin = with_submodule(&shared);
    origin.write("app/cart.proto", OLD);
    commit(&origin, "no import");
    move_to(&origin, &shared.commits[1]);
    passes(&check(&origin, &[]));
    commit(&origin, "moved");
    // A shallow checkout has the new commit only.
    let clone = cloned(&origin);
    git(
        &clone.path(""),
        &[
            "-c",
            "protocol.file.allow=always",
            "submodule",
            "--quiet",
            "update",
            "--init",
            "--depth=1",
            "--",
            "third/sub",
        ],
    );
    passes(&run(&clone.path(""), &["compare", "git:HEAD~1", "git:HEAD", "--format", "json"]));
}

#[test]
fn a_folder_of_schemas_may_not_become_a_submodule_that_is_not_here() {
    if git_is_missing() {
        return;
    }
    let place = repository();
    git(&place.path(""), &["rm", "--quiet", "-r", "--cached", "shop"]);
    fs::remove_dir_all(place.path("shop")).expect("it is there");
    fs::create_dir(place.path("shop")).expect("a folder");
    git(&place.path(""), &["update-index", "--add", "--cacheinfo", &format!("160000,{},shop", "1".repeat(40))]);
    is_unseen(&check(&place, &["--staged"]), &["shop"]);
    is_unseen(&check(&place, &[]), &["shop"]);
}

#[test]
fn a_submodule_that_stays_where_it_is_says_nothing() {
    if git_is_missing() {
        return;
    }
    let shared = shared(&[("order.proto", OLD)]);
    let origin = with_submodule(&shared);
    let clone = cloned(&origin);
    clone.write("app/cart.proto", &USES.replace("= 1;", "= 1;\n  int32 count = 2;"));
    let report = passes(&check(&clone, &[]));
    assert!(unseen(&report).is_empty());
    let quiet = run(&clone.path(""), &["check", "--against", "git:HEAD"]);
    assert!(!quiet.out.contains("third/sub"), "{}", quiet.out);
    let verbose = run(&clone.path(""), &["check", "--against", "git:HEAD", "-v"]);
    assert!(verbose.out.contains("third/sub: a submodule whose commit is not here"), "{}", verbose.out);
}

/// What a build sees of links: as `ln -s` makes them.
#[cfg(unix)]
fn link(place: &Place, target: &str, path: &str) {
    let path = place.path(path);
    fs::create_dir_all(path.parent().expect("a folder")).expect("folders");
    let _ = fs::remove_file(&path);
    std::os::unix::fs::symlink(target, path).expect("a link");
}

#[cfg(not(unix))]
fn link(_: &Place, _: &str, _: &str) {}

fn no_links() -> bool {
    git_is_missing() || crate::support::is_windows("symbolic links")
}

/// In the work tree, in the index, and between commits.
#[track_caller]
fn everywhere(place: &Place, judged: impl Fn(&Ran)) {
    judged(&check(place, &[]));
    git(&place.path(""), &["add", "--all"]);
    judged(&check(place, &["--staged"]));
    judged(&check(place, &["shop"]));
    commit(place, "the change");
    judged(&run(&place.path(""), &["compare", "git:HEAD~1", "git:HEAD", "--format", "json"]));
    judged(&run(&place.path(""), &["compare", "git:HEAD~1:shop", "git:HEAD:shop", "--format", "json"]));
}

#[test]
fn a_schema_that_becomes_a_link_is_read_where_the_link_leads() {
    if no_links() {
        return;
    }
    for target in ["../gen/order.txt", "../gen/other.proto", "../gen/../gen/order.txt"] {
        for (text, is_breaking) in [(NEW, true), (GROWN, false), (OLD, false)] {
            let place = repository();
            place.write("gen/order.txt", text).write("gen/other.proto", text);
            link(&place, target, "shop/order.proto");
            everywhere(&place, |ran| {
                let report = report(ran);
                assert_eq!(report["verdict"] == "breaking", is_breaking, "{target}: {report:#}");
                assert!(unseen(&report).is_empty(), "{report:#}");
            });
        }
    }
}

#[test]
fn a_folder_that_becomes_a_link_is_read_where_the_link_leads() {
    if no_links() {
        return;
    }
    for (text, is_breaking) in [(NEW, true), (GROWN, false)] {
        let place = repository();
        place.write("proto/order.proto", &OLD.replace("package shop", "package linked"));
        commit(&place, "a folder");
        fs::remove_dir_all(place.path("proto")).expect("it is there");
        place.write("gen/v1/order.proto", &text.replace("package shop", "package linked"));
        link(&place, "gen/v1", "proto");
        for ran in [check(&place, &[]), check(&place, &["proto"])] {
            assert_eq!(report(&ran)["verdict"] == "breaking", is_breaking, "{}", ran.out);
        }
        commit(&place, "a link");
        let ran = run(&place.path(""), &["compare", "git:HEAD~1", "git:HEAD", "--format", "json"]);
        assert_eq!(report(&ran)["verdict"] == "breaking", is_breaking, "{}", ran.out);
    }
}

#[test]
fn a_link_that_leads_out_or_nowhere_in_the_place_of_a_schema_is_no_pass() {
    if no_links() {
        return;
    }
    let elsewhere = Place::new();
    elsewhere.write("order.proto", OLD);
    let outside = elsewhere.path("order.proto").display().to_string();
    for target in [outside.as_str(), "../../../order.proto", "absent.proto", "order.proto"] {
        let place = repository();
        link(&place, target, "shop/order.proto");
        everywhere(&place, |ran| {
            let report = report(ran);
            assert_eq!(report["verdict"], "unknown", "{target}: {report:#}");
            assert_eq!(unseen(&report).len(), 1, "{target}: {report:#}");
        });
    }
    let place = repository();
    fs::remove_dir_all(place.path("shop")).expect("it is there");
    link(&place, &elsewhere.path("").display().to_string(), "shop");
    is_unseen(&check(&place, &[]), &["shop"]);
}

#[test]
fn a_link_that_was_always_there_says_nothing_and_one_that_becomes_a_file_is_compared() {
    if no_links() {
        return;
    }
    let place = repository();
    place.write("gen/order.txt", &OLD.replace("package shop", "package alias"));
    link(&place, "/nowhere/at/all.proto", "shop/outside.proto");
    link(&place, "order.proto", "shop/alias.proto");
    link(&place, "../gen/order.txt", "shop/text.proto");
    link(&place, "..", "shop/loop");
    link(&place, "../README", "shop/docs");
    commit(&place, "links");
    place.write("shop/order.proto", GROWN);
    for ran in [check(&place, &[]), check(&place, &["shop"])] {
        let report = passes(&ran);
        assert_eq!(report["stats"]["files_new"], 2, "{report:#}");
    }
    commit(&place, "growth");
    // What a link leads to is judged although its own name is none of a schema.
    place.write("gen/order.txt", &NEW.replace("package shop", "package alias"));
    breaks(&check(&place, &[]));
    git(&place.path(""), &["checkout", "--quiet", "."]);
    for (text, is_breaking) in [(OLD, false), (NEW, true)] {
        fs::remove_file(place.path("shop/text.proto")).expect("the link");
        place.write("shop/text.proto", &text.replace("package shop", "package alias"));
        assert_eq!(report(&check(&place, &[]))["verdict"] == "breaking", is_breaking);
    }
    // A link that leads elsewhere now.
    git(&place.path(""), &["checkout", "--quiet", "."]);
    place.write("gen/changed.txt", &NEW.replace("package shop", "package alias"));
    link(&place, "../gen/changed.txt", "shop/text.proto");
    breaks(&check(&place, &[]));
}

#[test]
fn folders_outside_of_git_follow_links_within_and_no_further() {
    if no_links() {
        return;
    }
    let compare = |place: &Place| run(&place.path(""), &["compare", "old", "new", "--format", "json"]);
    for (target, verdict) in [("gen/order.txt", "breaking"), ("../gen.txt", "unknown"), ("/gen.txt", "unknown")] {
        let place = Place::new();
        place.write("old/order.proto", OLD).write("new/gen/order.txt", NEW).write("gen.txt", NEW);
        link(&place, target, "new/order.proto");
        assert_eq!(report(&compare(&place))["verdict"], verdict, "{target}");
    }
    let place = Place::new();
    place.write("gen.txt", OLD).write("old/own.proto", OLD).write("new/own.proto", GROWN);
    for side in ["old", "new"] {
        link(&place, "../gen.txt", &format!("{side}/order.proto"));
        link(&place, "own.proto", &format!("{side}/alias.proto"));
        link(&place, ".", &format!("{side}/loop"));
    }
    passes(&compare(&place));
}

#[test]
fn however_deep_a_schema_lies_it_is_compared() {
    let place = Place::new();
    let deep = "d/".repeat(140);
    place.write(format!("old/{deep}x.proto"), OLD).write(format!("new/{deep}x.proto"), NEW);
    breaks(&run(&place.path(""), &["compare", "old", "new", "--format", "json"]));
    place.write(format!("new/{deep}x.proto"), GROWN);
    passes(&run(&place.path(""), &["compare", "old", "new", "--format", "json"]));
}

#[test]
fn what_a_sparse_checkout_leaves_out_is_read_from_the_index() {
    if git_is_missing() {
        return;
    }
    let place = repository();
    place.write("other/readme.txt", "one\n").write("own/own.proto", &OLD.replace("package shop", "package own"));
    commit(&place, "more");
    git(&place.path(""), &["sparse-checkout", "set", "other"]);
    assert!(!place.path("shop/order.proto").exists());
    let report = passes(&check(&place, &[]));
    assert_eq!(report["stats"]["changes"], 0, "{report:#}");
    // The change of a pull request, checked out sparsely.
    git(&place.path(""), &["sparse-checkout", "disable"]);
    place.write("shop/order.proto", NEW);
    commit(&place, "it breaks");
    git(&place.path(""), &["sparse-checkout", "set", "other"]);
    breaks(&run(&place.path(""), &["check", "--against", "git:HEAD~1", "--format", "json"]));
    git(&place.path(""), &["sparse-checkout", "disable"]);
    git(&place.path(""), &["update-index", "--skip-worktree", "shop/order.proto"]);
    fs::remove_file(place.path("shop/order.proto")).expect("it is there");
    breaks(&run(&place.path(""), &["check", "--against", "git:HEAD~1", "--format", "json"]));
}

#[test]
fn a_schema_that_is_found_again_under_a_name_of_none_is_no_pass() {
    if git_is_missing() {
        return;
    }
    const RECORD: &str = r#"{"type": "record", "name": "R", "namespace": "n", "fields": [{"name": "a", "type": "int"}, {"name": "b", "type": "string"}]}"#;
    let cases = [
        ("shop/order.proto", OLD, "shop/order.proto3", NEW),
        ("shop/order.proto", OLD, "shop/order.PROTO", OLD),
        ("shop/order.proto", OLD, "shop/text", GROWN),
        ("shop/r.avsc", RECORD, "shop/r.json", &RECORD.replace("int", "string")),
        (
            "shop/s.thrift",
            "struct S {\n  1: i32 a\n  2: string b\n}\n",
            "shop/s.thrift.txt",
            "struct S {\n  1: string a\n  2: string b\n}\n",
        ),
    ];
    for (from, old, to, new) in cases {
        let place = repository();
        place.write(from, old).write("shop/stays.proto", &OLD.replace("package shop", "package stays"));
        commit(&place, "there");
        fs::remove_file(place.path(from)).expect("it is there");
        place.write(to, new);
        everywhere(&place, |ran| {
            let report = report(ran);
            assert_eq!(unseen(&report).len(), 1, "{from} -> {to}: {report:#}");
            assert_ne!(report["verdict"], "compatible");
            assert!(report.to_string().contains(to.rsplit('/').next().expect("a name")), "{report:#}");
        });
    }
}

/// Much longer than what stands below it.
const LICENCE: &str = "Licensed to whoever reads this under one or more agreements; see the file that comes with this work for more about who owns it. Nobody may use this file except as these agreements say, a copy of which lies beside this work.";

#[test]
fn a_licence_that_files_share_makes_none_of_them_another() {
    if git_is_missing() {
        return;
    }
    let item = format!("/* {LICENCE} */\nsyntax = \"proto3\";\npackage shop;\nmessage Item {{\n  string id = 1;\n}}\n");
    for (to, text) in [
        ("shop/Cart.java", format!("/* {LICENCE} */\npackage shop;\npublic class Cart {{ int n; }}\n")),
        ("shop/build.sh", format!("#!/bin/sh\n# {LICENCE}\nmake\n")),
        ("shop/Cart.md", format!("<!-- {LICENCE} -->\nA cart has items.\n")),
        ("LICENCE", LICENCE.to_owned()),
    ] {
        let place = repository();
        place.write("shop/item.proto", &item).write("shop/stays.proto", &OLD.replace("package shop", "package stays"));
        commit(&place, "there");
        fs::remove_file(place.path("shop/item.proto")).expect("it is there");
        place.write(to, &text);
        everywhere(&place, |ran| assert!(unseen(&report(ran)).is_empty(), "{to}: {:#}", report(ran)));
    }
}

#[test]
fn a_schema_whose_declarations_all_moved_is_in_no_file_that_looks_like_it() {
    if git_is_missing() {
        return;
    }
    let carts: String = (0..8).map(|at| format!("message Cart{at} {{\n  string id = 1;\n}}\n")).collect();
    // Where something of it is nowhere else, it may be in the other file.
    for (rest, hidden) in [(OLD, 0), ("syntax = \"proto3\";\npackage shop;\n", 1)] {
        let place = repository();
        let stays = OLD.replace("package shop", "package stays");
        place.write("shop/order.proto", OLD).write("shop/stays.proto", &stays);
        commit(&place, "there");
        fs::remove_file(place.path("shop/order.proto")).expect("it is there");
        place.write("shop/all.proto", &format!("{rest}{carts}")).write("shop/order.proto.txt", OLD);
        everywhere(&place, |ran| assert_eq!(unseen(&report(ran)).len(), hidden, "{:#}", report(ran)));
    }
}

#[test]
fn where_a_schema_went_is_named_in_full() {
    let place = Place::new();
    let to =
        format!("{}/order.proto3", ["servers", "server", "src", "main", "java", "org", "example", "project"].join("/"));
    place.write("old/shop/order.proto", OLD).write(format!("new/{to}"), OLD);
    let stays = OLD.replace("package shop", "package stays");
    place.write("old/stays.proto", &stays).write("new/stays.proto", &stays);
    let ran = run(&place.path(""), &["compare", "old", "new", "--format", "json"]);
    let report = report(&ran);
    let told = report["findings"][0]["message"].as_str().expect("a message");
    assert!(told.contains(&format!("(now `{to}`)")), "{told}");
}

#[test]
fn a_schema_that_goes_while_other_files_come_is_only_gone() {
    if git_is_missing() {
        return;
    }
    let place = repository();
    place
        .write("notes.txt", "message Order was here\n")
        .write("stays.proto", &OLD.replace("package shop", "package stays"));
    commit(&place, "there");
    fs::remove_file(place.path("shop/order.proto")).expect("it is there");
    place.write("README", "The schema of orders is gone; syntax, package and message Order with it.\n");
    place.write("copy.txt", "another file that has nothing to do with it\n");
    let ran = check(&place, &[]);
    assert!(unseen(&report(&ran)).is_empty(), "{}", ran.out);
    // Under another name of a schema it is a move like any other.
    place.write("shop/moved.proto", GROWN);
    passes(&check(&place, &[]));
}

#[test]
fn a_schema_that_moves_to_where_nothing_is_judged_is_judged_there() {
    if git_is_missing() {
        return;
    }
    for terms in ["exclude: [third_party/]\n", "include: ['shop/**']\n"] {
        for (text, is_breaking) in [(NEW, true), (GROWN, false)] {
            let place = repository();
            place
                .write("wireproof.yaml", terms)
                .write("shop/stays.proto", &OLD.replace("package shop", "package stays"));
            commit(&place, "terms");
            fs::remove_file(place.path("shop/order.proto")).expect("it is there");
            place.write("third_party/order.proto", text);
            let ran = check(&place, &[]);
            assert_eq!(report(&ran)["verdict"] == "breaking", is_breaking, "{terms}: {}", ran.out);
            let ran = check(&place, &["shop"]);
            assert_eq!(report(&ran)["verdict"] == "breaking", is_breaking, "{terms}: {}", ran.out);
        }
    }
}

#[test]
fn what_a_judged_schema_imports_counts_wherever_it_lies() {
    if git_is_missing() {
        return;
    }
    let place = repository();
    place.write("app/cart.proto", &USES.replace("order.proto", "shop/order.proto"));
    place.write("idl/base.thrift", "struct Base {\n  1: i32 a\n}\n");
    place.write("idl/app/use.thrift", "include \"../base.thrift\"\nstruct Use {\n  1: base.Base it\n}\n");
    commit(&place, "uses");
    place.write("shop/order.proto", GROWN);
    passes(&check(&place, &["app"]));
    place.write("shop/order.proto", NEW);
    breaks(&check(&place, &["app"]));
    passes(&check(&place, &["idl"]));
    git(&place.path(""), &["checkout", "--quiet", "."]);
    place.write("idl/base.thrift", "struct Base {\n  1: string a\n}\n");
    breaks(&check(&place, &["idl/app"]));
    passes(&check(&place, &["app"]));
}

/// What git LFS has in the place of a file.
fn pointer(text: &str) -> (String, String) {
    use sha2::{Digest, Sha256};
    let digest: String = Sha256::digest(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect();
    (format!("version https://git-lfs.github.com/spec/v1\noid sha256:{digest}\nsize {}\n", text.len()), digest)
}

#[test]
fn a_pointer_to_a_large_file_is_read_from_the_store_or_is_no_pass() {
    if git_is_missing() {
        return;
    }
    let place = repository();
    place
        .write("shop/order.proto", &pointer(OLD).0)
        .write("own/own.proto", &OLD.replace("package shop", "package own"));
    commit(&place, "pointers");
    // It was always there, or the work tree has the file.
    place.write("own/own.proto", &GROWN.replace("package shop", "package own"));
    passes(&check(&place, &[]));
    place.write("shop/order.proto", OLD);
    passes(&check(&place, &[]));
    // It is another one now, or another file.
    place.write("shop/order.proto", &pointer(NEW).0);
    is_unseen(&check(&place, &[]), &["shop/order.proto"]);
    place.write("shop/order.proto", NEW);
    is_unseen(&check(&place, &[]), &["shop/order.proto"]);
    // The store of the clone has both.
    for text in [OLD, NEW] {
        let (_, digest) = pointer(text);
        place.write(format!(".git/lfs/objects/{}/{}/{digest}", &digest[..2], &digest[2..4]), text);
    }
    breaks(&check(&place, &[]));
    place.write("shop/order.proto", &pointer(NEW).0);
    breaks(&check(&place, &[]));
    // What lies in the store under a wrong name is nothing.
    let (_, digest) = pointer(OLD);
    place.write(format!(".git/lfs/objects/{}/{}/{digest}", &digest[..2], &digest[2..4]), NEW);
    is_unseen(&check(&place, &[]), &["shop/order.proto"]);
}

/// An archive of files and links, in this order.
fn tar(place: &Place, name: &str, entries: &[(&str, Entry<'_>)]) {
    let mut archive = tar::Builder::new(fs::File::create(place.path(name)).expect("a file"));
    for (path, entry) in entries {
        let mut header = tar::Header::new_gnu();
        header.set_mode(0o644);
        match entry {
            Entry::File(text) => {
                header.set_size(text.len() as u64);
                archive.append_data(&mut header, path, text.as_bytes()).expect("an entry");
            }
            Entry::Link(target) | Entry::HardLink(target) => {
                let kind = if matches!(entry, Entry::Link(_)) { tar::EntryType::Symlink } else { tar::EntryType::Link };
                header.set_entry_type(kind);
                header.set_size(0);
                archive.append_link(&mut header, path, target).expect("an entry");
            }
        }
    }
    archive.finish().expect("an archive");
}

enum Entry<'t> {
    File(&'t str),
    Link(&'t str),
    HardLink(&'t str),
}

#[test]
fn links_and_repeated_names_in_archives_are_read_as_they_unpack_or_are_no_pass() {
    let place = Place::new();
    let compare = |new: &[(&str, Entry<'_>)]| {
        tar(&place, "old.tar", &[("p-1/shop/order.proto", Entry::File(OLD)), ("p-1/gen/x.txt", Entry::File(OLD))]);
        tar(&place, "new.tar", new);
        run(&place.path(""), &["compare", "old.tar", "new.tar", "--format", "json"])
    };
    for (text, is_breaking) in [(NEW, true), (GROWN, false)] {
        for entry in [Entry::Link("../gen/x.txt"), Entry::HardLink("p-2/gen/x.txt")] {
            let ran = compare(&[("p-2/shop/order.proto", entry), ("p-2/gen/x.txt", Entry::File(text))]);
            assert_eq!(report(&ran)["verdict"] == "breaking", is_breaking, "{}", ran.out);
            assert!(unseen(&report(&ran)).is_empty(), "{}", ran.out);
        }
    }
    let out = [("p-2/shop/order.proto", Entry::Link("../../../x.txt")), ("p-2/gen/x.txt", Entry::File(OLD))];
    is_unseen(&compare(&out), &["shop/order.proto"]);
    let twice = [
        ("p-2/shop/order.proto", Entry::File(NEW)),
        ("p-2/shop/order.proto", Entry::File(OLD)),
        ("p-2/gen/x.txt", Entry::File(OLD)),
    ];
    is_unseen(&compare(&twice), &["shop/order.proto"]);
    let same = [
        ("p-2/shop/order.proto", Entry::File(OLD)),
        ("p-2/shop/order.proto", Entry::File(OLD)),
        ("p-2/gen/x.txt", Entry::File(OLD)),
    ];
    passes(&compare(&same));
}

#[test]
fn a_schema_of_an_archive_that_is_found_again_under_a_name_of_none_is_no_pass() {
    let place = Place::new();
    let stays = OLD.replace("package shop", "package stays");
    let compare = |old: &[(&str, &str)], new: &[(&str, &str)]| {
        for (name, files) in [("old.tar", old), ("new.tar", new)] {
            let files = files.iter().map(|(path, text)| (*path, Entry::File(text))).collect::<Vec<_>>();
            tar(&place, name, &files);
        }
        run(&place.path(""), &["compare", "old.tar", "new.tar", "--format", "json"])
    };
    let is_told = |ran: &Ran, to: &str| {
        let report = report(ran);
        assert_eq!(unseen(&report).len(), 1, "{to}: {report:#}");
        assert_ne!(report["verdict"], "compatible", "{to}");
        assert!(report.to_string().contains(to.trim_start_matches("p-2/")), "{to}: {report:#}");
    };
    let old = [("p-1/shop/order.proto", OLD), ("p-1/stays.proto", &stays), ("p-1/copy.txt", OLD)];
    for (to, text) in [("p-2/shop/order.proto3", NEW), ("p-2/shop/order.PROTO", OLD), ("p-2/notes/text", GROWN)] {
        let new = [(to, text), ("p-2/stays.proto", &*stays), ("p-2/copy.txt", OLD)];
        is_told(&compare(&old, &new), to);
    }
    // A copy that was there before is not where it went, and a folder can be compared with an archive.
    let gone = [("p-2/stays.proto", &*stays), ("p-2/copy.txt", OLD)];
    assert!(unseen(&report(&compare(&old, &gone))).is_empty());
    place.write("old/shop/order.proto", OLD).write("old/stays.proto", &stays);
    let ran = run(&place.path(""), &["compare", "old", "new.tar", "--format", "json"]);
    is_told(&ran, "copy.txt");
}

#[test]
fn a_name_that_is_twice_in_a_zip_file_is_no_pass() {
    let place = Place::new();
    let options = zip::write::SimpleFileOptions::default();
    let write = |name: &str, entries: &[(&str, &str)]| {
        let mut archive = zip::ZipWriter::new(fs::File::create(place.path(name)).expect("a file"));
        for (path, text) in entries {
            archive.start_file(*path, options).expect("an entry");
            std::io::Write::write_all(&mut archive, text.as_bytes()).expect("a text");
        }
        archive.finish().expect("an archive");
    };
    // The writer refuses to repeat a name, so one of two is renamed afterwards, to the same length.
    write("new.zip", &[("order.pro_o", NEW), ("order.proto", OLD)]);
    let mut bytes = fs::read(place.path("new.zip")).expect("an archive");
    for at in 0..bytes.len() - 11 {
        if &bytes[at..at + 11] == b"order.pro_o" {
            bytes[at..at + 11].copy_from_slice(b"order.proto");
        }
    }
    fs::write(place.path("new.zip"), bytes).expect("an archive");
    write("old.zip", &[("order.proto", OLD)]);
    write("grown.zip", &[("order.proto", GROWN), ("other.proto", "syntax = \"proto3\";\n")]);
    let compare = |new: &str| run(&place.path(""), &["compare", "old.zip", new, "--format", "json"]);
    is_unseen(&compare("new.zip"), &["order.proto"]);
    passes(&compare("grown.zip"));
}

/// A set of descriptors of one file with one message, in which a field has this type; two of them make one set.
fn set(kind: u8) -> Vec<u8> {
    let field = |tag: u8, bytes: &[u8]| [&[tag << 3 | 2, u8::try_from(bytes.len()).expect("short")], bytes].concat();
    let number = |tag: u8, value: u8| vec![tag << 3, value];
    let of_message = [field(1, b"a"), number(3, 1), number(4, 1), number(5, kind)].concat();
    let message = [field(1, b"M"), field(2, &of_message)].concat();
    field(1, &[field(1, b"m.proto"), field(2, b"p"), field(4, &message), field(12, b"proto3")].concat())
}

#[test]
fn a_set_of_descriptors_with_a_name_twice_is_no_pass() {
    let place = Place::new();
    let (int, text) = (set(5), set(9));
    let write = |name: &str, bytes: &[u8]| fs::write(place.path(name), bytes).expect("a file");
    write("old.binpb", &int);
    write("same.binpb", &[int.clone(), int.clone()].concat());
    write("twice.binpb", &[text.clone(), int].concat());
    write("new.binpb", &text);
    let compare = |new: &str| run(&place.path(""), &["compare", "old.binpb", new, "--format", "json"]);
    breaks(&compare("new.binpb"));
    passes(&compare("same.binpb"));
    is_unseen(&compare("twice.binpb"), &["m.proto"]);
}

#[test]
fn a_folder_that_may_not_be_read_is_no_pass_and_the_rest_is_judged() {
    let place = Place::new();
    place.write("old/a/order.proto", OLD).write("new/a/order.proto", OLD);
    place.write("old/b/own.proto", &OLD.replace("package shop", "package own"));
    place.write("new/b/own.proto", &GROWN.replace("package shop", "package own"));
    lock(&place, "new/a", 0o000);
    let is_open = fs::read_dir(place.path("new/a")).is_ok();
    let ran = run(&place.path(""), &["compare", "old", "new", "--format", "json"]);
    lock(&place, "new/a", 0o755);
    if is_open {
        crate::support::skip("a user who may not read everything", "a folder that may not be read");
        return;
    }
    is_unseen(&ran, &["a"]);
}

#[cfg(unix)]
fn lock(place: &Place, path: &str, mode: u32) {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(place.path(path), fs::Permissions::from_mode(mode)).expect("permissions");
}

#[cfg(not(unix))]
fn lock(_: &Place, _: &str, _: u32) {}

#[test]
fn a_schema_is_found_again_beside_whatever_else_came() {
    let binary = |size: usize| (0..size).map(|at| if at % 50 == 0 { '\0' } else { 'x' }).collect::<String>();
    let place = Place::new();
    let stays = OLD.replace("package shop", "package stays");
    place.write("old/shop/order.proto", OLD).write("old/stays.proto", &stays).write("new/stays.proto", &stays);
    place.write("new/a.exe", &binary(200)).write("new/b.bin", &binary(100_000)).write("new/c.txt", "");
    // A licence makes a file larger, and not another one.
    let licence = format!("// {LICENCE}\n").repeat(200);
    place.write("new/order.txt", &format!("{licence}{OLD}"));
    let compared = |place: &Place| report(&run(&place.path(""), &["compare", "old", "new", "--format", "json"]));
    let found = compared(&place);
    assert_eq!(unseen(&found).len(), 1, "{found:#}");
    assert_eq!(found["not_checked"].as_array().map(Vec::len), Some(0), "{found:#}");
}

#[test]
fn where_too_much_came_to_look_for_a_schema_that_is_said() {
    let place = Place::new();
    let stays = OLD.replace("package shop", "package stays");
    place.write("old/shop/order.proto", OLD).write("old/stays.proto", &stays).write("new/stays.proto", &stays);
    for at in 0..5_001 {
        place.write(format!("new/notes/{at}"), &"something else ".repeat(3));
    }
    place.write("new/order.txt", &OLD.repeat(2));
    let ran = run(&place.path(""), &["compare", "old", "new", "--format", "json"]);
    let report = report(&ran);
    assert!(unseen(&report).is_empty(), "{report:#}");
    let said = report["not_checked"][0]["what"].as_str().expect("a sentence");
    assert!(said.contains("to look into all of them"), "{said}");
}
