//! What is kept between runs of what texts say at a glance: it decides nothing, whatever lies in its place.

use std::fs;
use std::path::PathBuf;

use serde_json::Value;

use crate::git::{OLD, Place, Ran, git, git_is_missing, report, run_in};
use crate::git_later::repository;

/// A file that is new may declare what others do: everybody is looked at.
fn add_a_file(place: &Place) {
    place.write("new.proto", "syntax = \"proto3\";\npackage fresh;\nmessage Fresh {\n  string note = 1;\n}\n");
}

/// A repository with such a change, a place beside it, and a folder there that is not made yet.
fn changed() -> (Place, Place, String) {
    let (place, elsewhere) = (repository(OLD), Place::new());
    let folder = elsewhere.path("kept").to_string_lossy().into_owned();
    add_a_file(&place);
    (place, elsewhere, folder)
}

fn check(place: &Place, cache: &str) -> Ran {
    run_in(&place.path(""), &["check", "--against", "git:HEAD", "--format", "json"], &[("WIREPROOF_CACHE", cache)])
}

fn findings(place: &Place, cache: &str) -> Value {
    report(&check(place, cache))["findings"].clone()
}

/// The files that are kept in a folder.
fn kept(folder: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).collect()
}

#[test]
fn what_lies_in_its_place_changes_nothing() {
    if git_is_missing() {
        return;
    }
    let (place, elsewhere, folder) = changed();
    let without = findings(&place, "off");
    assert!(!without.as_array().expect("a list").is_empty());
    assert_eq!(findings(&place, &folder), without, "nothing was kept yet");
    let [file] = kept(&folder).try_into().expect("one file");
    let whole = fs::read(&file).expect("it is there");
    assert!(whole.len() > 320 * 20, "{} bytes", whole.len());
    assert_eq!(findings(&place, &folder), without, "all was kept");
    assert_eq!(fs::read(&file).expect("it is there"), whole, "nothing is new");
    let other = [&whole[..30], b"something else", &whole[44..]].concat();
    for (what, bytes) in
        [("nothing", Vec::new()), ("a part", whole[..whole.len() / 2].to_vec()), ("other bytes", other)]
    {
        fs::write(&file, bytes).expect("written");
        assert_eq!(findings(&place, &folder), without, "{what}");
        assert_eq!(fs::read(&file).expect("it is there"), whole, "{what} is replaced");
    }
    // A folder in the place of the file, and a file in the place of the folder.
    fs::remove_file(&file).expect("removed");
    fs::create_dir(&file).expect("made");
    assert_eq!(findings(&place, &folder), without);
    elsewhere.write("no_folder", "words");
    assert_eq!(findings(&place, &elsewhere.path("no_folder").to_string_lossy()), without);
}

#[test]
fn several_runs_at_once_do_not_disturb_each_other() {
    if git_is_missing() {
        return;
    }
    let (place, _elsewhere, folder) = changed();
    let without = findings(&place, "off");
    std::thread::scope(|scope| {
        for _ in 0..6 {
            scope.spawn(|| assert_eq!(findings(&place, &folder), without));
        }
    });
    assert_eq!(kept(&folder).len(), 1, "no half of a file is left");
}

#[test]
fn a_change_of_what_was_kept_is_seen() {
    if git_is_missing() {
        return;
    }
    let (place, _elsewhere, folder) = changed();
    findings(&place, &folder);
    // Another file declares the message as well now.
    let other = "syntax = \"proto3\";\npackage fresh;\nmessage Fresh {}\n";
    place.write("other/o7.proto", other);
    git(&place.path(""), &["add", "--all", "other"]);
    git(&place.path(""), &["commit", "--quiet", "--message", "second"]);
    let (kept, without) = (check(&place, &folder), check(&place, "off"));
    let (of_kept, of_without) = (report(&kept), report(&without));
    assert_eq!((kept.code, &of_kept["findings"]), (without.code, &of_without["findings"]));
    assert_eq!((&of_kept["problems"], &of_kept["stats"]), (&of_without["problems"], &of_without["stats"]));
}

#[test]
fn nothing_is_kept_where_a_change_could_write_it_or_nobody_watches() {
    if git_is_missing() {
        return;
    }
    let (place, elsewhere) = (repository(OLD), Place::new());
    add_a_file(&place);
    for folder in ["kept", "./other/../kept"] {
        let ran = check(&place, folder);
        assert_eq!(ran.code, 2, "{folder}: {}", ran.err);
        assert!(ran.err.contains("WIREPROOF_CACHE"), "{}", ran.err);
    }
    let home = elsewhere.path("").to_string_lossy().into_owned();
    let arguments = ["check", "--against", "git:HEAD", "--format", "json"];
    let users = |more: &[(&str, &str)]| {
        let settings = [&[("WIREPROOF_CACHE", ""), ("XDG_CACHE_HOME", home.as_str())], more].concat();
        report(&run_in(&place.path(""), &arguments, &settings));
        kept(&home).len()
    };
    if !cfg!(windows) {
        assert_eq!(users(&[("CI", "true")]), 0);
        assert_eq!(users(&[("CI", "")]), 1);
    }
}
