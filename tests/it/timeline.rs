//! `wireproof history`: the versions of a branch, who can read whom, when each break entered, what numbers were freed.

use serde_json::Value;

use crate::git::{Place, Ran, git, git_is_missing, run, run_in};

fn schema(fields: &str) -> String {
    format!("syntax = \"proto3\";\npackage shop;\nmessage Order {{\n{fields}}}\n")
}

/// The versions of a schema, with a break between the first and the last that no two neighbours show.
fn versions() -> Vec<(&'static str, String)> {
    vec![
        ("the first", schema("  int32 id = 1;\n  string note = 2;\n")),
        ("more", schema("  int32 id = 1;\n  string note = 2;\n  bool paid = 3;\n")),
        ("a comment", schema("  // the number\n  int32 id = 1;\n  string note = 2;\n  bool paid = 3;\n")),
        ("no note", schema("  int32 id = 1;\n  bool paid = 3;\n")),
        ("taken again", schema("  int32 id = 1;\n  bool paid = 3;\n  int32 weight = 2;\n")),
        ("another type", schema("  int32 id = 1;\n  string paid = 3;\n  int32 weight = 2;\n")),
    ]
}

/// A repository of these versions, each a commit on a day of its own, and one more commit that changes no schema.
fn repository(path: &str, versions: &[(&str, String)]) -> (Place, Vec<String>) {
    let place = Place::new();
    git(&place.path(""), &["init", "-q", "-b", "main", "."]);
    let mut commits = Vec::new();
    for (subject, text) in versions {
        place.write(path, text);
        git(&place.path(""), &["add", "-A"]);
        git(&place.path(""), &["commit", "-q", "-m", subject]);
        commits.push(git(&place.path(""), &["rev-parse", "--short=7", "HEAD"]));
    }
    place.write("README", "words");
    git(&place.path(""), &["add", "-A"]);
    git(&place.path(""), &["commit", "-q", "-m", "words"]);
    (place, commits)
}

fn history(place: &Place, arguments: &[&str]) -> Ran {
    run(&place.path(""), &[&["history"], arguments].concat())
}

fn form(place: &Place, arguments: &[&str]) -> Value {
    let ran = history(place, &[&["--format", "json"], arguments].concat());
    assert_eq!(ran.code, 0, "{}", ran.err);
    serde_json::from_str(&ran.out).unwrap_or_else(|error| panic!("{error}: {}", ran.out))
}

fn texts<'v>(value: &'v Value, list: &str, key: &str) -> Vec<&'v str> {
    value[list].as_array().expect("a list").iter().map(|one| one[key].as_str().unwrap_or_default()).collect()
}

/// The table, a letter for each cell.
fn table(form: &Value) -> Vec<String> {
    let rows = form["matrix"]["cells"].as_array().expect("rows").iter();
    let letter = |cell: &Value| match cell.as_str() {
        Some("compatible") => 'y',
        Some("breaking") => 'n',
        _ => '?',
    };
    rows.map(|row| row.as_array().expect("cells").iter().map(letter).collect()).collect()
}

#[test]
fn versions_breaks_and_freed_numbers_are_those_of_the_commits() {
    if git_is_missing() {
        return;
    }
    let (place, commits) = repository("shop.proto", &versions());
    let form = form(&place, &[]);
    assert_eq!(form["schema"], "wireproof.history/v1");
    assert_eq!(texts(&form, "versions", "name"), commits);
    assert_eq!(texts(&form, "versions", "subject"), versions().iter().map(|one| one.0).collect::<Vec<_>>());
    // What a comment leaves as it was is no version of its own to readers.
    assert_eq!(form["matrix"]["versions"], serde_json::json!([0, 1, 3, 4, 5]));
    assert_eq!(table(&form), ["yyynn", "yyynn", "yyyyn", "nnyyn", "nnnny"], "{form:#}");
    let steps = form["steps"].as_array().expect("steps");
    let broke: Vec<usize> = (0..steps.len()).filter(|at| steps[*at]["backward"] == "breaking").collect();
    assert_eq!(broke, [4], "the break between the second and the fifth is between no neighbours");
    assert_eq!(steps[4]["changes"][0]["path"], "shop.Order.paid");
    let freed = &form["freed"];
    assert_eq!(texts(&form, "freed", "number"), ["2", "3"], "{freed:#}");
    assert_eq!((&freed[0]["now"], &freed[0]["owners"][0]["name"]), (&"int32 weight".into(), &"string note".into()));
    assert!(freed[0]["owners"][0]["until"].as_str().is_some_and(|until| until.starts_with(&commits[3])), "{freed:#}");
}

#[test]
fn each_cell_is_what_compare_says_of_the_two() {
    if git_is_missing() {
        return;
    }
    let (place, commits) = repository("shop.proto", &versions());
    let form = form(&place, &[]);
    let shown: Vec<usize> = serde_json::from_value(form["matrix"]["versions"].clone()).expect("numbers");
    let table = table(&form);
    for (row, reader) in shown.iter().enumerate() {
        for (column, writer) in shown.iter().enumerate().take(row) {
            for (mode, cell) in [("backward", (row, column)), ("forward", (column, row))] {
                let (old, new) = (format!("git:{}", commits[*writer]), format!("git:{}", commits[*reader]));
                // What is policy alone colours no direction.
                let off = "--no-config";
                let ran = run(&place.path(""), &["compare", &old, &new, "--mode", mode, off, "--format", "json"]);
                let report: Value = serde_json::from_str(&ran.out).expect("a report");
                let findings = report["findings"].as_array().expect("findings").iter();
                let breaks = findings.filter(|one| one["breaking"] == true && one["class"] == "compatibility").count();
                let expected = if breaks > 0 { "n" } else { "y" };
                assert_eq!(&table[cell.0][cell.1..=cell.1], expected, "{mode} {old} {new}");
            }
        }
    }
}

#[test]
fn the_life_of_one_element_has_everything_that_happened_to_it() {
    if git_is_missing() {
        return;
    }
    let (place, _) = repository("shop.proto", &versions());
    let ran = history(&place, &["--element", "shop.Order.paid"]);
    let told: Vec<&str> = ran.out.lines().filter(|line| line.contains("[protobuf/")).collect();
    assert_eq!((ran.code, told.len()), (0, 2), "{}", ran.out);
    assert!(told[0].contains("wire-type-changed") && told[1].contains("field-added"), "{}", ran.out);
    assert!(!ran.out.contains("weight"), "{}", ran.out);
}

#[test]
fn an_element_that_no_version_has_is_refused() {
    if git_is_missing() {
        return;
    }
    let calm = "syntax = \"proto3\";\npackage shop;\nmessage Calm {\n  int32 same = 1;\n  oneof one { string two = 2; }\n}\n\
                enum Sort { SORT_NONE = 0; }\nservice Store {\n  rpc Buy(Calm) returns (Calm);\n}\n";
    let schemas = [("one", calm.to_owned()), ("more", format!("{calm}message More {{}}\n"))];
    let (place, _) = repository("calm.proto", &schemas);
    let asked = |element: &str| history(&place, &["--element", element]);
    for element in ["nope", "shop.Nope", "shop.Calm.nope", "shopping", "shop.Calm.same.nope"] {
        let ran = asked(element);
        assert!(ran.code == 2 && ran.err.contains("there is no element"), "{element}: {}{}", ran.out, ran.err);
    }
    let ran = asked("Calm");
    assert!(ran.code == 2 && ran.err.contains("did you mean `shop.Calm`?"), "{}{}", ran.out, ran.err);
    for element in [
        "shop",
        "shop.Calm",
        "shop.Calm.same",
        "shop.Calm.two",
        "shop.Calm.one",
        "shop.Sort",
        "shop.Sort.SORT_NONE",
        "shop.Store",
        "shop.Store.Buy",
        "shop.More",
        "calm.proto",
    ] {
        assert_eq!(asked(element).code, 0, "{element}: {}", asked(element).err);
    }
}

#[test]
fn tags_folders_and_parts_of_history_can_be_asked_for() {
    if git_is_missing() {
        return;
    }
    let (place, commits) = repository("shop.proto", &versions());
    for (tag, at) in [("v1", 0), ("v9", 3), ("v10", 4)] {
        git(&place.path(""), &["tag", tag, &commits[at]]);
    }
    let tagged = form(&place, &["--of=tags:v*"]);
    assert_eq!(texts(&tagged, "versions", "name")[..3], ["v1", "v9", "v10"], "{tagged:#}");
    let since = form(&place, &["--since", &commits[3]]);
    assert_eq!(texts(&since, "versions", "name"), commits[3..]);
    let few = form(&place, &["--matrix", "2"]);
    assert_eq!(few["matrix"]["versions"], serde_json::json!([4, 5]));
    assert!(few["not_checked"][0]["what"].as_str().is_some_and(|what| what.contains("3 earlier versions")), "{few:#}");
    let most = form(&place, &["--most", "2"]);
    assert_eq!(texts(&most, "versions", "name"), commits[3..]);
    assert!(!most["not_checked"].as_array().expect("gaps").is_empty(), "{most:#}");

    let folders = Place::new();
    for (at, (_, text)) in versions().iter().enumerate() {
        folders.write(format!("orders/v{}/shop.proto", at + 8), text);
    }
    let side_by_side = form(&folders, &["--of=dir:orders/v*"]);
    assert_eq!(texts(&side_by_side, "versions", "name")[2], "orders/v10", "in natural order");
    assert_eq!(table(&side_by_side), ["yyynn", "yyynn", "yyyyn", "nnyyn", "nnnny"]);
}

/// A file with thousands of messages, without some, and with some that are written otherwise.
fn large(others: &[(usize, &str)]) -> String {
    let mut text = "syntax = \"proto3\";\npackage shop;\n".to_owned();
    for at in 0..3000 {
        let fields = others.iter().find(|(other, _)| *other == at).map(|(_, fields)| *fields);
        match fields.unwrap_or("  // What it is for.\n  string first_field = 1;\n  int64 second_field = 2;\n") {
            "" => {}
            fields => text.push_str(&format!("message M{at} {{\n{fields}}}\n")),
        }
    }
    text
}

#[test]
fn what_a_large_file_had_once_is_told_as_of_any() {
    if git_is_missing() {
        return;
    }
    let renamed = "  string first_field = 1;\n  int64 other_field = 2;\n";
    let removed = "  string first_field = 1;\n";
    let commented = "  // Another word.\n  string first_field = 1;\n  int64 second_field = 2;\n";
    let versions = [
        ("the first", large(&[])),
        ("renamed", large(&[(7, renamed)])),
        ("removed", large(&[(7, renamed), (9, removed), (2000, commented)])),
        ("gone", large(&[(7, renamed), (9, removed), (11, "")])),
    ];
    assert!(versions[0].1.len() > 1 << 18, "{} bytes", versions[0].1.len());
    let (place, commits) = repository("shop.proto", &versions);
    let found = form(&place, &["--matrix", "2"]);
    let freed: Vec<String> = found["freed"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|one| {
            let of = |key: &str| one[key].as_str().unwrap_or_default().to_owned();
            let until = one["owners"][0]["until"].as_str().unwrap_or_default();
            let by = commits.iter().position(|commit| until.starts_with(&**commit)).expect("one of the commits");
            format!("{} {} {} {by}", of("element"), of("number"), of("now"))
        })
        .collect();
    let expected = ["shop.M11 1  3", "shop.M11 2  3", "shop.M7 2 int64 other_field 1", "shop.M9 2  2"];
    assert_eq!(freed.iter().map(|one| one.trim()).collect::<Vec<_>>(), expected, "{:#}", found["freed"]);
}

#[test]
fn a_file_that_moved_is_followed() {
    if git_is_missing() {
        return;
    }
    let versions = versions();
    let (place, _) = repository("shop.proto", &versions[..2]);
    let commit = |subject: &str| {
        git(&place.path(""), &["add", "-A"]);
        git(&place.path(""), &["commit", "-q", "-m", subject]);
    };
    std::fs::create_dir_all(place.path("orders")).expect("a folder");
    git(&place.path(""), &["mv", "shop.proto", "orders/order.proto"]);
    place.write("orders/order.proto", &versions[2].1);
    commit("moved");
    place.write("orders/order.proto", &versions[5].1);
    commit("another type");
    for path in ["orders/order.proto", "orders"] {
        let found = form(&place, &[path]);
        assert_eq!(table(&found), ["yyyn", "yyyn", "yyyn", "nnny"], "{path}");
        assert_eq!(found["subject"], path);
        assert_eq!(texts(&found, "steps", "backward"), ["compatible", "compatible", "breaking"], "{path}");
    }
    // Another file has the path now, and nobody takes it for the one that had it: before the move there is nothing then, and
    // versions that hold nothing are one.
    place.write("shop.proto", &schema("  string id = 1;\n"));
    commit("another file");
    let found = form(&place, &["orders/order.proto"]);
    assert_eq!(table(&found).last().map(String::as_str), Some("yny"));
}

#[test]
fn what_cannot_be_read_is_told_and_is_no_yes() {
    if git_is_missing() {
        return;
    }
    let mut broken = versions();
    broken[1].1 = "syntax = \"proto3\"; message Order {".to_owned();
    let (place, _) = repository("shop.proto", &broken);
    let form = form(&place, &[]);
    assert_eq!(form["steps"][0]["backward"], "unknown", "{form:#}");
    let table = table(&form);
    let of_broken = (0..table.len()).filter(|at| *at != 1).flat_map(|at| [&table[1][at..=at], &table[at][1..=1]]);
    assert!(table.len() > 3 && of_broken.into_iter().all(|cell| cell == "?"), "{table:?}");
    for (arguments, says) in [
        (vec!["nowhere"], "nowhere"),
        (vec!["--since", "v7"], "v7"),
        (vec!["--of=tags:w*"], "no tag matches"),
        (vec!["--of=branches"], "names no versions"),
        (vec!["--head", "nothing"], "nothing"),
    ] {
        let ran = history(&place, &arguments);
        assert!(
            ran.code >= 2 && ran.err.contains(says) && ran.out.is_empty(),
            "{arguments:?}: {} {}",
            ran.out,
            ran.err
        );
    }
    let outside = Place::new();
    outside.write("shop.proto", &versions()[0].1);
    let ran = history(&outside, &[]);
    assert!(ran.code == 3 && ran.err.contains("--of=dir:"), "{}", ran.err);
}

#[test]
fn the_page_is_one_file_in_which_words_of_strangers_are_text() {
    if git_is_missing() {
        return;
    }
    let mut versions = versions();
    versions[5].0 = "<script>alert(1)</script> \u{1b}[31m";
    let (place, _) = repository("shop.proto", &versions);
    let page = history(&place, &["--format", "html"]);
    assert_eq!(page.code, 0, "{}", page.err);
    assert!(page.out.starts_with("<!doctype html>") && page.out.contains("class=\"map\""), "{}", page.out);
    assert!(
        !page.out.contains("<script")
            && !page.out.contains("http:")
            && !page.out.contains("https:")
            && !page.out.contains('\u{1b}'),
        "{}",
        page.out
    );
    let text = history(&place, &[]);
    assert!(!text.out.contains('\u{1b}') && text.out.contains("alert(1)"), "{}", text.out);
}

#[test]
fn an_empty_history_and_one_version_are_shown_as_they_are() {
    if git_is_missing() {
        return;
    }
    let (place, _) = repository("shop.proto", &versions()[..1]);
    let ran = history(&place, &[]);
    assert!(ran.code == 0 && ran.out.starts_with("history of all schemas: 1 version"), "{}{}", ran.out, ran.err);
    let empty = Place::new();
    git(&empty.path(""), &["init", "-q", "-b", "main", "."]);
    let ran = history(&empty, &[]);
    assert!(ran.code >= 2 && !ran.err.contains("panicked"), "{}", ran.err);
}

/// History with a folder in which is kept what was found out.
fn kept_in(folder: &str, place: &Place, arguments: &[&str]) -> String {
    let arguments = [&["history", "--format", "json"], arguments].concat();
    let ran = run_in(&place.path(""), &arguments, &[("WIREPROOF_CACHE", folder)]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    ran.out
}

#[test]
fn what_was_found_out_about_commits_is_kept_and_decides_nothing() {
    if git_is_missing() {
        return;
    }
    let ((place, _), elsewhere) = (repository("shop.proto", &versions()), Place::new());
    let folder = elsewhere.path("kept").to_string_lossy().into_owned();
    let both = |arguments: &[&str]| (kept_in(&folder, &place, arguments), kept_in("off", &place, arguments));
    let settings: [&[&str]; 4] = [&[], &["--surface", "json"], &["--element", "shop.Order.paid"], &["shop.proto"]];
    for arguments in [settings, settings].concat() {
        let (kept, without) = both(arguments);
        assert_eq!(kept, without, "{arguments:?}");
    }
    // Other terms, which are no part of the commits.
    let rule = |words: &str| {
        let rule = include_str!("../../rules/protobuf/wire-type-changed.yaml");
        assert!(rule.contains("each side drops"), "the rule reads otherwise");
        rule.replace("each side drops", words)
    };
    let off = "rules:\n  protobuf/wire-type-changed: off\n";
    let own = "rules-dir: own\n";
    let mut seen = Vec::new();
    for (config, words) in [("", "each drops"), (off, "each drops"), (own, "each drops"), (own, "nobody sees")] {
        place.write("wireproof.yaml", config);
        place.write("own/wire-type-changed.yaml", &rule(words));
        let (kept, without) = both(&[]);
        assert_eq!(kept, without, "{config} {words}");
        seen.push(kept);
    }
    seen.dedup();
    assert_eq!(seen.len(), 4, "each of these terms tells something else");
    std::fs::remove_file(place.path("wireproof.yaml")).expect("it is there");
    // A commit more.
    place.write("shop.proto", &schema("  int32 id = 1;\n"));
    git(&place.path(""), &["commit", "-q", "-a", "-m", "less"]);
    let (kept, without) = both(&[]);
    assert_eq!(kept, without);
    // What a text says is not asked again.
    let blob = git(&place.path(""), &["rev-parse", "HEAD~3:shop.proto"]);
    let object = format!(".git/objects/{}/{}", &blob[..2], &blob[2..]);
    std::fs::remove_file(place.path(&object)).expect("a loose object");
    let (again, without) = both(&[]);
    assert_eq!(again, kept);
    assert_ne!(without, kept, "what is not there cannot be told without it");
    for file in std::fs::read_dir(&folder).expect("the folder").flatten().map(|entry| entry.path()) {
        let bytes = std::fs::read(&file).expect("a file");
        std::fs::write(&file, &bytes[..bytes.len() / 2]).expect("written");
    }
    assert_eq!(kept_in(&folder, &place, &[]), without, "half of it is nothing");
}

/// A `git` that writes down which objects it is asked for, and then is git.
#[cfg(unix)]
fn git_that_notes(place: &Place) -> String {
    use std::os::unix::fs::PermissionsExt;
    let program = place.path("tools/git");
    let script = "#!/bin/sh\ncase \"$*\" in\n  *\"cat-file --batch-check\"*) exec \"$REAL_GIT\" \"$@\" ;;\n  \
                  *\"cat-file --batch\"*) tee -a \"$NOTES\" | \"$REAL_GIT\" \"$@\" ;;\n  \
                  *) exec \"$REAL_GIT\" \"$@\" ;;\nesac\n";
    place.write("tools/git", script);
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).expect("our own file");
    let path = std::env::var("PATH").expect("a PATH");
    format!("{}:{path}", place.path("tools").display())
}

/// The objects that git is asked for when a history is shown by one thread: two may ask for the same at the same time.
#[cfg(unix)]
fn asked_of_git(place: &Place, arguments: &[&str]) -> Vec<String> {
    let tools = Place::new();
    let (path, notes) = (git_that_notes(&tools), tools.path("notes"));
    let real = std::env::split_paths(&std::env::var_os("PATH").expect("a PATH"))
        .map(|folder| folder.join("git"))
        .find(|program| program.is_file())
        .expect("git is there");
    let environment = [
        ("PATH", &*path),
        ("REAL_GIT", real.to_str().expect("a text")),
        ("NOTES", notes.to_str().expect("a text")),
        ("RAYON_NUM_THREADS", "1"),
    ];
    let ran = run_in(&place.path(""), &[&["history"], arguments].concat(), &environment);
    assert_eq!(ran.code, 0, "{}", ran.err);
    std::fs::read_to_string(&notes).expect("git was asked").lines().map(str::to_owned).collect()
}

/// The files that a commit writes, with what they say, and those that it removes.
type Written = (Vec<(&'static str, String)>, Vec<&'static str>);

/// Commits of a repository in which `shop` uses `lib`, and `other` has to do with neither: what they write, and remove.
fn commits_around_a_folder() -> Vec<Written> {
    let file = |import: &str, message: &str| format!("syntax = \"proto3\";\n{import}message {message}\n");
    let money = |kind: &str| file("", &format!("Money {{ {kind} units = 1; }}"));
    let order =
        |fields: &str| file("import \"money.proto\";\n", &format!("Order {{ repeated Money prices = 1; {fields} }}"));
    let other = |kind: &str| file("", &format!("Other {{ {kind} id = 1; }}"));
    let write = |files: Vec<(&'static str, String)>| (files, Vec::new());
    vec![
        write(vec![
            ("shop/order.proto", order("")),
            ("lib/money.proto", money("int32")),
            ("other/o.proto", other("int32")),
        ]),
        write(vec![("other/o.proto", other("string"))]),
        write(vec![("shop/order.proto", order("int32 id = 2;"))]),
        write(vec![("other/o.proto", other("bytes"))]),
        write(vec![("lib/money.proto", money("string"))]),
        // What is imported goes, and the name leads to another file, which only says the same later on.
        (vec![("far/money.proto", money("bytes"))], vec!["lib/money.proto"]),
        write(vec![("far/money.proto", money("string"))]),
        write(vec![("buf.yaml", "version: v1\n".to_owned())]),
        write(vec![("other/o.proto", other("bool"))]),
        (vec![("other/order.proto", order("string id = 2;"))], vec!["shop/order.proto"]),
        write(vec![("shop/order.proto", order("string id = 2;"))]),
    ]
}

#[cfg(unix)]
#[test]
fn of_a_folder_the_versions_are_compared_in_which_it_or_what_it_imports_is_another() {
    if git_is_missing() {
        return;
    }
    let place = Place::new();
    git(&place.path(""), &["init", "-q", "-b", "main", "."]);
    for (written, removed) in commits_around_a_folder() {
        written.iter().for_each(|(path, text)| _ = place.write(path, text));
        removed.iter().for_each(|path| std::fs::remove_file(place.path(path)).expect("it is there"));
        git(&place.path(""), &["add", "-A"]);
        git(&place.path(""), &["commit", "-q", "-m", "more"]);
    }
    let found = form(&place, &["shop"]);
    let told = |key: &str| {
        let letter = |reads: &str| if reads == "compatible" { 'y' } else { 'n' };
        assert!(
            texts(&found, "steps", key).iter().all(|reads| ["compatible", "breaking"].contains(reads)),
            "{found:#}"
        );
        texts(&found, "steps", key).into_iter().map(letter).collect::<String>()
    };
    assert_eq!([told("backward"), told("forward")], ["yyynynyny", "yyynnyyny"], "{found:#}");
    let at = |step: usize| &found["steps"][step]["changes"][0]["path"];
    assert_eq!([3, 4, 5, 7].map(at), ["Money.units", "Money.units", "Money.units", "Order.id"]);
    // What only another folder or the settings have new is no version.
    assert_eq!(found["matrix"]["versions"], serde_json::json!([0, 2, 4, 5, 6, 8, 9]), "{found:#}");
}

#[cfg(unix)]
#[test]
fn what_has_nothing_to_do_with_a_folder_is_not_read() {
    if git_is_missing() {
        return;
    }
    let (place, commits) = repository("other/o.proto", &versions());
    place.write(
        "shop/order.proto",
        "syntax = \"proto3\";\nimport \"lib/money.proto\";\nmessage Order { Money price = 1; }\n",
    );
    place.write("lib/money.proto", "syntax = \"proto3\";\nmessage Money { int32 units = 1; }\n");
    for (subject, text) in versions() {
        place.write("other/o.proto", &text);
        git(&place.path(""), &["add", "-A"]);
        git(&place.path(""), &["commit", "-q", "-m", subject]);
    }
    let found = form(&place, &["shop"]);
    assert_eq!(found["versions"].as_array().map(Vec::len), Some(commits.len() + versions().len()), "{found:#}");
    assert_eq!(table(&found), ["yy", "yy"], "before the folder was there, and since");
    let asked = asked_of_git(&place, &["shop", "--since", "HEAD~5"]);
    let listed = git(&place.path(""), &["rev-list", "--objects", "HEAD"]);
    let (others, own): (Vec<&str>, Vec<&str>) =
        listed.lines().filter(|line| line.ends_with(".proto")).partition(|line| line.ends_with("other/o.proto"));
    let is_asked = |line: &&&str| asked.iter().any(|asked| line.starts_with(&**asked));
    assert_eq!(own.iter().filter(is_asked).count(), own.len(), "{asked:?}");
    assert_eq!((others.len(), others.iter().filter(is_asked).count()), (versions().len(), 0), "{asked:?}");
}

#[cfg(unix)]
#[test]
fn no_text_is_asked_of_git_twice() {
    if git_is_missing() {
        return;
    }
    let place = Place::new();
    git(&place.path(""), &["init", "-q", "-b", "main", "."]);
    // More files than one question to the git that waits for them, and what changes in one is used in all others.
    for version in 0..6 {
        let kind = if version % 2 == 0 { "int32" } else { "string" };
        place.write("base.proto", &format!("syntax = \"proto3\";\nmessage Base {{\n  {kind} id = 1;\n}}\n"));
        for at in 0..100 {
            let text = format!("syntax = \"proto3\";\nimport \"base.proto\";\nmessage M{at} {{\n  Base b = 1;\n");
            let more = if at <= version { format!("  bool v{version} = 2;\n") } else { String::new() };
            place.write(format!("m{at}.proto"), &format!("{text}{more}}}\n"));
        }
        git(&place.path(""), &["add", "-A"]);
        git(&place.path(""), &["commit", "-q", "-m", "more"]);
    }
    let asked = asked_of_git(&place, &[]);
    let listed = git(&place.path(""), &["rev-list", "--objects", "--all"]);
    let blobs: Vec<&str> = listed.lines().filter(|line| line.ends_with(".proto")).map(|line| &line[..40]).collect();
    let times = |blob: &&str| asked.iter().filter(|line| line == blob).count();
    let never: Vec<&&str> = blobs.iter().filter(|blob| times(blob) == 0).collect();
    assert!(blobs.len() > 110 && never.is_empty(), "{} of {} texts were not asked for", never.len(), blobs.len());
    let twice: Vec<&&str> = blobs.iter().filter(|blob| times(blob) > 1).collect();
    assert!(twice.is_empty(), "{} of {} texts were asked for again", twice.len(), blobs.len());
}
