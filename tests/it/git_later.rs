//! Files of git that are read when somebody wants to know what they say: what is not read is what need not be, and whatever
//! is not what it seems is noticed.

use std::fs;

use serde_json::Value;

use crate::git::{GROWN, NEW, OLD, Place, git, git_is_missing, report, run};

/// A schema that has nothing to do with the others.
fn other(at: usize) -> String {
    format!("syntax = \"proto3\";\npackage o{at};\nmessage O {{\n  string o = 1;\n}}\n")
}

/// So many schemas of their own that they are not read without need, one that orders import, one of orders and one that imports it; all committed.
pub(crate) fn repository(order: &str) -> Place {
    let place = Place::new();
    for at in 0..320 {
        place.write(format!("other/o{at}.proto"), &other(at));
    }
    let order = order.replace("package shop;", "package shop;\nimport \"money.proto\";");
    place.write("money.proto", "syntax = \"proto3\";\npackage money;\nmessage Money {\n  int64 cents = 1;\n}\n");
    place.write("order.proto", &order);
    let basket = "syntax = \"proto3\";\npackage basket;\nimport \"order.proto\";\nmessage Basket {\n  shop.Order order = 1;\n}\n";
    place.write("basket.proto", basket);
    git(&place.path(""), &["init", "--quiet", "--initial-branch=main"]);
    git(&place.path(""), &["add", "--all"]);
    git(&place.path(""), &["commit", "--quiet", "--message", "first"]);
    place
}

fn change(place: &Place, order: &str) {
    place.write("order.proto", &order.replace("package shop;", "package shop;\nimport \"money.proto\";"));
}

/// What is said of a change with and without looking at every file, and how many files were parsed for the first.
fn findings(place: &Place) -> (Value, Value, u64) {
    let check = ["check", "--against", "git:HEAD", "--format", "json"];
    let narrow = report(&run(&place.path(""), &check));
    let full = report(&run(&place.path(""), &[&check[..], &["--full"]].concat()));
    let parsed = narrow["stats"]["files_parsed"].as_u64().expect("it is counted");
    (narrow["findings"].clone(), full["findings"].clone(), parsed)
}

#[test]
fn a_change_that_concerns_nobody_else_is_checked_without_the_others() {
    if git_is_missing() {
        return;
    }
    let place = repository(OLD);
    change(&place, GROWN);
    let (narrow, full, parsed) = findings(&place);
    assert_eq!((&narrow, parsed), (&full, 3), "both versions, and what they import");
    assert_eq!(narrow[0]["rule"], "protobuf/field-added");
    // The same between two commits; and equal versions are not read at all.
    git(&place.path(""), &["commit", "--quiet", "--all", "--message", "second"]);
    let compared = report(&run(&place.path(""), &["compare", "git:HEAD~1", "git:HEAD", "--format", "json"]));
    assert_eq!((&compared["findings"], &compared["stats"]["files_parsed"]), (&full, &3.into()));
    let equal = report(&run(&place.path(""), &["compare", "git:HEAD", "git:HEAD", "--format", "json"]));
    assert_eq!((&equal["verdict"], &equal["stats"]["files_parsed"]), (&"compatible".into(), &0.into()));
}

#[test]
fn a_change_that_others_may_notice_is_checked_with_those_who_do() {
    if git_is_missing() {
        return;
    }
    // A field goes, and nobody else spells its name.
    let place = repository(OLD);
    change(&place, NEW);
    let (narrow, full, parsed) = findings(&place);
    assert_eq!((&narrow, parsed), (&full, 3));
    assert_eq!(narrow[0]["rule"], "protobuf/field-removed-unreserved");
    // Who leads to the file spells it; and so does who has nothing to do with it.
    for (import, least, most) in [("order.proto", 5, 6), ("money.proto", 3, 4)] {
        let place = repository(OLD);
        let user = format!("syntax = \"proto3\";\nimport \"{import}\";\nmessage User {{\n  string note = 1;\n}}\n");
        place.write("user.proto", &user);
        git(&place.path(""), &["add", "--all"]);
        git(&place.path(""), &["commit", "--quiet", "--message", "second"]);
        change(&place, NEW);
        let (narrow, full, parsed) = findings(&place);
        assert_eq!(narrow, full);
        assert!((least..=most).contains(&parsed), "{import}: {parsed}");
    }
}

#[test]
fn what_the_index_does_not_tell_is_read() {
    if git_is_missing() {
        return;
    }
    // As long as before, written in the moment in which the index was.
    let place = repository(OLD);
    change(&place, &OLD.replace("int32", "int64"));
    assert_eq!(findings(&place).0[0]["rule"], "protobuf/integer-widened");
    // Nobody was to look.
    for promise in ["--assume-unchanged", "--skip-worktree"] {
        let place = repository(OLD);
        git(&place.path(""), &["update-index", promise, "order.proto"]);
        change(&place, &OLD.replace("int32", "int64"));
        assert_eq!(findings(&place).0[0]["rule"], "protobuf/integer-widened", "{promise}");
    }
    // Not to be added yet, and not tracked.
    let place = repository(OLD);
    place.write("new.proto", &other(999));
    git(&place.path(""), &["add", "--intent-to-add", "new.proto"]);
    place.write("newer.proto", &other(998));
    let found = findings(&place).0;
    let added = found.as_array().into_iter().flatten().filter(|finding| finding["rule"] == "protobuf/file-added");
    assert_eq!(added.count(), 2, "{found}");
}

#[test]
fn what_cannot_be_read_later_is_no_pass() {
    if git_is_missing() {
        return;
    }
    let place = repository(OLD);
    change(&place, GROWN);
    let blob = git(&place.path(""), &["rev-parse", "HEAD:money.proto"]);
    let object = place.path(&format!(".git/objects/{}/{}", &blob[..2], &blob[2..]));
    fs::remove_file(object).expect("it is loose");
    fs::remove_file(place.path("money.proto")).expect("it was written");
    git(&place.path(""), &["commit", "--quiet", "--all", "--message", "second"]);
    let ran = run(&place.path(""), &["compare", "git:HEAD~1", "git:HEAD"]);
    assert_eq!(ran.code, 3, "{}{}", ran.out, ran.err);
    assert!(ran.err.contains("git could not read the schemas of a version"), "{}", ran.err);
}

#[test]
fn a_pointer_that_is_imported_is_told_as_ever() {
    if git_is_missing() {
        return;
    }
    let place = repository(OLD);
    let digest = "4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393";
    let pointer = format!("version https://git-lfs.github.com/spec/v1\noid sha256:{digest}\nsize 12345\n");
    place.write("money.proto", &pointer);
    git(&place.path(""), &["commit", "--quiet", "--all", "--message", "second"]);
    change(&place, GROWN);
    let check = ["check", "--against", "git:HEAD"];
    let (narrow, full) = (run(&place.path(""), &check), run(&place.path(""), &[&check[..], &["--full"]].concat()));
    assert_eq!((narrow.code, narrow.err.is_empty()), (full.code, full.err.is_empty()));
    let told =
        |text: &str| text.lines().filter(|line| line.contains("money.proto")).map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(told(&narrow.out), told(&full.out));
    assert!(!told(&full.out).is_empty(), "{}", full.out);
}
