//! The program from outside: exit codes, outputs, archives, standard input, the configuration.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};

use crate::git::{Place, Ran, run};
use crate::support::is_windows;

const OLD: &str = "syntax = \"proto3\";\npackage shop;\nmessage Order {\n  int32 id = 1;\n  string note = 2;\n}\n";
const NEW: &str = "syntax = \"proto3\";\npackage shop;\nmessage Order {\n  int32 id = 1;\n}\n";

/// `old/` and `new/`, which break.
fn breaking() -> Place {
    let place = Place::new();
    place.write("old/shop/order.proto", OLD).write("new/shop/order.proto", NEW);
    place
}

fn compare(place: &Place, options: &[&str]) -> Ran {
    run(&place.path(""), &[&["compare", "old", "new"], options].concat())
}

fn json(ran: &Ran) -> serde_json::Value {
    serde_json::from_str(&ran.out).unwrap_or_else(|error| panic!("{error}: {}{}", ran.out, ran.err))
}

#[test]
fn exit_codes_are_those_of_the_contract() {
    let place = breaking();
    assert_eq!(compare(&place, &[]).code, 1);
    assert_eq!(compare(&place, &["--exit-zero"]).code, 0);
    assert_eq!(compare(&place, &["--mode", "none"]).code, 0);
    assert_eq!(compare(&place, &["--mode", "sideways"]).code, 2);
    assert_eq!(compare(&place, &["--config", "absent.yaml"]).code, 2);
    place.write("new/shop/order.proto", "syntax = \"proto3\"; message {");
    place.write("old/shop/order.proto", "syntax = \"proto3\"; message {");
    assert_eq!(compare(&place, &["--exit-zero"]).code, 3, "never hides that nothing could be told");
}

#[test]
fn nothing_to_compare_is_no_pass() {
    let place = Place::new();
    place.write("old/README.md", "x").write("new/README.md", "x");
    let ran = compare(&place, &[]);
    assert_eq!(ran.code, 2, "{}", ran.out);
    assert!(ran.err.contains("no schema files found"), "{}", ran.err);
    place.write("new/a.proto", NEW);
    assert_eq!(compare(&place, &[]).code, 0);
}

#[test]
fn a_word_that_is_neither_path_nor_command_is_explained() {
    let place = breaking();
    let ran = run(&place.path(""), &["compare", "old", "nwe"]);
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("there is no file or directory `nwe`"), "{}", ran.err);
}

#[test]
fn one_run_writes_every_form_and_render_gives_the_same_bytes() {
    let place = breaking();
    let ran = compare(
        &place,
        &["--output", "json=r.json", "--output", "markdown=r.md", "--output", "text=r.txt", "--format", "json"],
    );
    assert_eq!(ran.code, 1, "{}", ran.err);
    let read = |name: &str| fs::read_to_string(place.path(name)).expect("the report was written");
    assert_eq!(read("r.json"), ran.out);
    for (form, file) in [("json", "r.json"), ("markdown", "r.md"), ("text", "r.txt")] {
        let again = run(&place.path(""), &["render", "r.json", "--format", form]);
        assert_eq!((again.code, again.out), (0, read(file)), "{form}");
    }
    let left: Vec<_> =
        fs::read_dir(place.path("")).expect("readable").filter_map(Result::ok).map(|entry| entry.file_name()).collect();
    assert!(!left.iter().any(|name| name.to_string_lossy().ends_with(".tmp")), "{left:?}");
}

#[test]
fn an_output_that_cannot_be_written_is_an_error() {
    let place = breaking();
    let ran = compare(&place, &["--output", "json=absent/r.json"]);
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("cannot write the report to `absent/r.json`"), "{}", ran.err);
    assert_eq!(run(&place.path(""), &["render", "absent.json"]).code, 2);
    assert_eq!(run(&place.path(""), &["render", "old/shop/order.proto"]).code, 2);
}

#[test]
fn the_same_input_gives_the_same_bytes() {
    let place = breaking();
    assert_eq!(compare(&place, &["--format", "json"]).out, compare(&place, &["--format", "json", "--jobs", "1"]).out);
}

#[test]
fn single_files_pair_whatever_their_names_and_their_neighbours_serve_imports() {
    let place = Place::new();
    let using = |text: &str| {
        text.replace("int32 id = 1;", "Money price = 1;")
            .replace("package shop;", "package shop;\nimport \"shop/money.proto\";")
    };
    place.write("shop/before.proto", &using(OLD)).write("shop/after.proto", &using(NEW));
    place.write("shop/money.proto", "syntax = \"proto3\";\npackage shop;\nmessage Money { int64 units = 1; }\n");
    let ran = run(&place.path(""), &["compare", "shop/before.proto", "shop/after.proto", "--format", "json"]);
    let report = json(&ran);
    assert_eq!(ran.code, 1, "{}", ran.out);
    assert_eq!(report["findings"][0]["path"], "shop.Order.note");
    assert_eq!(report["not_checked"].as_array().map(Vec::len), Some(0), "{report:#}");
}

#[test]
fn standard_input_is_a_side() {
    let place = breaking();
    for (new, extra) in [("new/shop/order.proto", vec![]), ("plain.txt", vec!["--type", "protobuf"])] {
        place.write("plain.txt", NEW);
        let mut child = Command::new(env!("CARGO_BIN_EXE_wireproof"))
            .current_dir(place.path(""))
            .args(["compare", "-", new, "--format", "json"])
            .args(extra)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program runs");
        child.stdin.take().expect("piped").write_all(OLD.as_bytes()).expect("it reads");
        let output = child.wait_with_output().expect("it ends");
        assert_eq!(output.status.code(), Some(1), "{new}");
        assert!(output.stderr.is_empty(), "{new}: nobody waited");
    }
    let ran = run(&place.path(""), &["compare", "plain.txt", "plain.txt"]);
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("--type protobuf"), "{}", ran.err);
}

/// A `.tar.gz` of one file.
#[test]
fn whoever_waits_for_standard_input_is_told() {
    let place = breaking();
    let report = run(&place.path(""), &["compare", "old", "new", "--format", "json"]).out;
    let rows: [(&[&str], &str); 2] = [(&["compare", "-", "new/shop/order.proto"], OLD), (&["render", "-"], &report)];
    for (arguments, text) in rows {
        let mut child = Command::new(env!("CARGO_BIN_EXE_wireproof"))
            .current_dir(place.path(""))
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program runs");
        let mut input = child.stdin.take().expect("piped");
        let mut told = String::new();
        BufReader::new(child.stderr.take().expect("piped")).read_line(&mut told).expect("it is told");
        assert!(told.contains("`-` is standard input"), "{arguments:?}: {told}");
        input.write_all(text.as_bytes()).expect("it reads on");
        drop(input);
        let output = child.wait_with_output().expect("it ends");
        assert!(String::from_utf8_lossy(&output.stdout).contains("field-removed-unreserved"), "{arguments:?}");
    }
}

fn tar_gz(place: &Place, name: &str, path: &str, text: &str) {
    let file = fs::File::create(place.path(name)).expect("a file");
    let mut archive = tar::Builder::new(flate2::write::GzEncoder::new(file, flate2::Compression::fast()));
    let mut header = tar::Header::new_gnu();
    header.set_size(text.len() as u64);
    header.set_mode(0o644);
    header.set_cksum();
    archive.append_data(&mut header, path, text.as_bytes()).expect("an entry");
    archive.into_inner().and_then(flate2::write::GzEncoder::finish).expect("the end");
}

fn zip(place: &Place, name: &str, path: &str, text: &str) {
    let mut archive = zip::ZipWriter::new(fs::File::create(place.path(name)).expect("a file"));
    archive.start_file(path, zip::write::SimpleFileOptions::default()).expect("an entry");
    archive.write_all(text.as_bytes()).expect("its text");
    archive.finish().expect("the end");
}

#[test]
fn archives_are_sides_and_lose_a_folder_that_only_names_the_release() {
    let place = breaking();
    tar_gz(&place, "shop-1.0.tar.gz", "shop-1.0/shop/order.proto", OLD);
    tar_gz(&place, "shop-1.1.tgz", "shop-1.1/shop/order.proto", NEW);
    zip(&place, "shop.zip", "shop/order.proto", NEW);
    for (old, new) in [
        ("shop-1.0.tar.gz", "shop-1.1.tgz"),
        ("shop-1.0.tar.gz", "shop.zip"),
        ("shop-1.0.tar.gz", "new"),
        ("old", "shop-1.1.tgz"),
        ("old", "shop.zip"),
    ] {
        let ran = run(&place.path(""), &["compare", old, new, "--format", "json"]);
        let report = json(&ran);
        assert_eq!(report["findings"][0]["old"]["file"], "shop/order.proto", "{old} {new}: {report:#}");
        assert_eq!((ran.code, report["stats"]["changes"].as_u64()), (1, Some(1)), "{old} {new}: {report:#}");
    }
}

#[test]
fn a_broken_archive_is_no_pass() {
    let place = breaking();
    for name in ["bad.tar.gz", "bad.zip", "bad.tgz"] {
        place.write(name, "this is no archive");
        let ran = run(&place.path(""), &["compare", name, "new"]);
        assert_eq!(ran.code, 3, "{name}: {}", ran.out);
        assert!(ran.err.contains("cannot read the archive"), "{}", ran.err);
    }
    zip(&place, "escape.zip", "../../etc/x.proto", NEW);
    assert_eq!(run(&place.path(""), &["compare", "escape.zip", "new"]).code, 3);
}

#[test]
fn a_folder_with_a_loop_of_links_is_read_once() {
    if is_windows("a loop of links") {
        return;
    }
    let place = breaking();
    #[cfg(unix)]
    std::os::unix::fs::symlink("..", place.path("new/shop/up")).expect("a link");
    let report = json(&compare(&place, &["--format", "json"]));
    assert_eq!(report["stats"]["files_new"].as_u64(), Some(1));
}

#[test]
fn the_configuration_sets_the_terms_and_options_win() {
    let place = breaking();
    place.write("wireproof.yaml", "mode: none\n");
    let report = json(&compare(&place, &["--format", "json"]));
    assert_eq!((report["mode"].as_str(), report["verdict"].as_str()), (Some("none"), Some("compatible")));
    assert_eq!(compare(&place, &["--mode", "full"]).code, 1);
    assert_eq!(compare(&place, &["--no-config"]).code, 1);
    place.write("wireproof.yaml", "mode: full\nrules:\n  no-such-rule: off\n");
    let ran = compare(&place, &[]);
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("wireproof.yaml:3:3") && ran.err.contains("no-such-rule"), "{}", ran.err);
}

#[test]
fn excluded_files_are_not_judged_but_for_what_judged_ones_take_from_them() {
    let place = Place::new();
    let order = "syntax = \"proto3\";\npackage shop;\nimport \"google/type/cash.proto\";\nmessage Order { google.type.Cash price = 1; }\n";
    let unused =
        "syntax = \"proto3\";\npackage shop;\nimport \"google/type/cash.proto\";\nmessage Order { int32 price = 1; }\n";
    for (side, cash) in [("old", OLD), ("new", NEW)] {
        place.write(format!("{side}/shop/order.proto"), unused);
        place.write(
            format!("{side}/third_party/google/type/cash.proto"),
            &cash.replace("shop", "google.type").replace("Order", "Cash"),
        );
    }
    assert_eq!(compare(&place, &[]).code, 1);
    place.write("wireproof.yaml", "exclude: ['third_party/**']\n");
    let ran = compare(&place, &["--format", "json"]);
    let report = json(&ran);
    assert_eq!(ran.code, 0, "{report:#}");
    assert_eq!(report["not_checked"].as_array().map(Vec::len), Some(0), "{report:#}");
    for side in ["old", "new"] {
        place.write(format!("{side}/shop/order.proto"), order);
    }
    let report = json(&compare(&place, &["--format", "json"]));
    assert_eq!(report["verdict"], "breaking", "the price of an order is of a type that changed: {report:#}");
    assert!(report["stats"]["files_new"] == 1, "{report:#}");
}

#[test]
fn roots_have_terms_of_their_own() {
    let place = Place::new();
    for (side, text) in [("old", OLD), ("new", NEW)] {
        place.write(format!("{side}/inner/a.proto"), &text.replace("shop", "inner"));
        place.write(format!("{side}/outer/b.proto"), &text.replace("shop", "outer"));
    }
    place.write("wireproof.yaml", "roots:\n  inner:\n    mode: none\n");
    let report = json(&compare(&place, &["--format", "json"]));
    for finding in report["findings"].as_array().expect("findings") {
        let outer = finding["path"].as_str().is_some_and(|path| path.starts_with("outer."));
        assert!(outer || finding["breaking"] == false, "{finding:#}");
    }
    assert_eq!(report["verdict"], "breaking");
    place.write(
        "wireproof.yaml",
        "roots:\n  inner:\n    mode: none\n  outer:\n    mode: none\n    import-paths: [outer]\n",
    );
    assert_eq!(compare(&place, &[]).code, 0);
}

#[test]
fn the_small_commands_print_something_useful() {
    let place = Place::new();
    for (arguments, expected) in [
        (&["rules"][..], "protobuf/"),
        (&["rules", "--format", "json"], "\"id\""),
        (&["completions", "bash"], "wireproof"),
        (&["man"], ".TH"),
        (&["schema"], "wireproof.report/v1"),
        (&["schema", "config"], "fail-on"),
        (&["--help"], "Exit codes"),
        (&["--version"], "wireproof "),
    ] {
        let ran = run(&place.path(""), arguments);
        assert_eq!(ran.code, 0, "{arguments:?}: {}", ran.err);
        assert!(ran.out.contains(expected), "{arguments:?}: {}", ran.out);
    }
    let ran = run(&place.path(""), &["explain", "no-such-rule-at-all"]);
    assert_eq!(ran.code, 2);
}

#[test]
fn a_reader_that_goes_away_is_no_failure() {
    let place = breaking();
    let mut child = Command::new(env!("CARGO_BIN_EXE_wireproof"))
        .current_dir(place.path(""))
        .args(["schema"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program runs");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn many_enums_that_go_leave_the_one_that_stays_readable() {
    let place = Place::new();
    let gone: String = (0..60).map(|at| format!("enum Gone{at} {{ GONE_{at} = 0; }}\n")).collect();
    let stays = |field: &str| format!("enum Size {{ NONE = 0; SMALL = 1; }}\nmessage Order {{ {field} size = 1; }}\n");
    place.write("old/a.proto", &format!("syntax = \"proto3\";\npackage shop;\n{gone}{}", stays("Size")));
    place.write("new/a.proto", &format!("syntax = \"proto3\";\npackage shop;\n{}", stays("optional Size")));
    let ran = compare(&place, &["--format", "json"]);
    assert_eq!(json(&ran)["verdict"], "compatible", "{}", ran.out);
}

/// The report on two versions of one file.
fn report_on(old: &str, new: &str, options: &[&str]) -> serde_json::Value {
    let place = Place::new();
    place.write("old/a.proto", old).write("new/a.proto", new);
    json(&compare(&place, &[&["--format", "json"], options].concat()))
}

/// The values of one key of all findings, sorted.
fn all<'r>(report: &'r serde_json::Value, key: &str) -> Vec<&'r str> {
    let findings = report["findings"].as_array().expect("findings");
    let mut values: Vec<&str> = findings.iter().filter_map(|finding| finding[key].as_str()).collect();
    values.sort_unstable();
    values
}

const RICH_OLD: &str = "syntax = \"proto3\";\npackage shop;\nmessage User {\n  string email = 2;\n  Colour colour = 3;\n  oneof pay {\n    string card = 4;\n    string iban = 5;\n  }\n  map<string, int32> points = 6;\n}\nenum Colour {\n  NONE = 0;\n  RED = 1;\n}\nservice Store {\n  rpc Buy(User) returns (User);\n  rpc Sell(User) returns (User);\n}\n";
const RICH_NEW: &str = "syntax = \"proto3\";\npackage shop;\nmessage User {\n  int32 phone = 2;\n  Colour colour = 3;\n  oneof pay {\n    string card = 4;\n  }\n  map<string, string> points = 6;\n}\nenum Colour {\n  NONE = 0;\n  GREEN = 2;\n}\nservice Store {\n  rpc Buy(User) returns (User);\n}\n";

#[test]
fn elements_are_named_in_full() {
    let report = report_on(RICH_OLD, RICH_NEW, &[]);
    let paths = all(&report, "path");
    let expected = [
        "shop.Colour.GREEN",
        "shop.Colour.RED",
        "shop.Store.Sell()",
        "shop.User.iban",
        "shop.User.phone",
        "shop.User.points",
    ];
    assert_eq!(paths, expected);
}

#[test]
fn fingerprints_survive_what_does_not_change_the_finding() {
    let ids = |old: &str, new: &str, options: &[&str]| {
        let report = report_on(old, new, options);
        all(&report, "id").into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    let expected = ids(RICH_OLD, RICH_NEW, &[]);
    assert_eq!(expected.len(), 6);
    assert!(
        expected.iter().all(|id| id.len() == 16 && id.bytes().all(|byte| byte.is_ascii_hexdigit())),
        "{expected:?}"
    );
    let moved_down =
        |text: &str| text.replace("package shop;", "package shop;\n\n// More words.\n\nmessage Another {}\n");
    // The message last instead of first.
    let reordered = |text: &str| {
        let (start, end) =
            (text.find("message User").expect("it is there"), text.find("enum Colour").expect("it is there"));
        format!("{}{}{}", &text[..start], &text[end..], &text[start..end])
    };
    assert_eq!(ids(&moved_down(RICH_OLD), &moved_down(RICH_NEW), &[]), expected);
    assert_eq!(ids(RICH_OLD, &reordered(RICH_NEW), &[]), expected);
    assert_eq!(ids(&reordered(RICH_OLD), &reordered(RICH_NEW), &[]), expected);
    assert_eq!(ids(RICH_OLD, RICH_NEW, &["--mode", "backward", "--surface", "json"]), expected);
}

#[test]
fn columns_count_utf16_units_from_one() {
    let old = "syntax = \"proto3\";\nmessage M { /* 🦀ü */ int32 a = 1; }\n";
    let new = old.replace("int32", "string");
    let report = report_on(old, &new, &[]);
    let at = &report["findings"][0]["new"];
    assert_eq!(
        (at["line"].as_u64(), at["column"].as_u64(), at["end_column"].as_u64()),
        (Some(2), Some(23), Some(29)),
        "{at}"
    );
}

#[test]
fn findings_are_sorted_by_file_and_position() {
    let place = Place::new();
    for file in ["b", "a", "c/d"] {
        let (old, new) =
            (RICH_OLD.replace("shop", &file.replace('/', "")), RICH_NEW.replace("shop", &file.replace('/', "")));
        place.write(format!("old/{file}.proto"), &old).write(format!("new/{file}.proto"), &new);
    }
    let report = json(&compare(&place, &["--format", "json"]));
    let findings = report["findings"].as_array().expect("findings");
    let place_of = |finding: &serde_json::Value| {
        let at = if finding["new"].is_null() { &finding["old"] } else { &finding["new"] };
        (at["file"].as_str().unwrap_or_default().to_owned(), at["line"].as_u64(), at["column"].as_u64())
    };
    let places: Vec<_> = findings.iter().map(place_of).collect();
    assert!(places.is_sorted(), "{places:?}");
    assert_eq!(places.len(), 18);
}

const ENUM_OLD: &str =
    "syntax = \"proto3\";\npackage shop;\nenum Colour {\n  NONE = 0;\n}\nmessage M {\n  Colour c = 1;\n}\n";

#[test]
fn the_mode_ladder_and_the_order_follow_from_what_breaks() {
    let grown = ENUM_OLD.replace("NONE = 0;", "NONE = 0;\n  RED = 1;");
    let summary = |old: &str, new: &str, options: &[&str]| {
        let report = report_on(old, new, options);
        ["verdict", "strictest_mode", "upgrade_order"].map(|key| report[key].as_str().unwrap_or_default().to_owned())
    };
    assert_eq!(summary(ENUM_OLD, &grown, &[]), ["compatible", "full", "any"]);
    let strict = ["--fail-on", "unrecognized"];
    assert_eq!(summary(ENUM_OLD, &grown, &strict), ["breaking", "backward", "readers-first"]);
    assert_eq!(
        summary(&grown, &grown.replace("RED = 1;", "reserved 1; reserved \"RED\";"), &strict),
        ["breaking", "forward", "writers-first"]
    );
    assert_eq!(
        summary(ENUM_OLD, &grown, &["--fail-on", "unrecognized", "--mode", "backward"]),
        ["compatible", "backward", "readers-first"]
    );
    let calls = RICH_OLD.replace("  rpc Sell", "  rpc Rent(User) returns (User);\n  rpc Sell");
    assert_eq!(summary(RICH_OLD, &calls, &[]), ["compatible", "full", "readers-first"]);
    assert_eq!(summary(RICH_OLD, RICH_NEW, &[]), ["breaking", "none", "none"]);
    assert_eq!(summary(RICH_OLD, "message", &["--mode", "none"]), ["unknown", "none", "none"]);
}

#[test]
fn a_missing_guard_breaks_in_every_mode_but_none_whatever_the_threshold() {
    let freed = OLD.replace("  string note = 2;\n", "");
    for mode in ["none", "backward", "forward", "full"] {
        for threshold in ["defaulted", "lossy", "wrong"] {
            let report = report_on(OLD, &freed, &["--mode", mode, "--fail-on", threshold]);
            let expected = if mode == "none" { "compatible" } else { "breaking" };
            assert_eq!(report["verdict"], expected, "{mode} {threshold}");
            let finding = &report["findings"][0];
            assert_eq!(
                (&finding["class"], &finding["severity"]),
                (&"hygiene".into(), &"error".into()),
                "{mode} {threshold}"
            );
        }
    }
}

#[test]
fn surfaces_that_are_not_in_force_are_notes() {
    let renamed = OLD.replace("note", "remark");
    let severity = |options: &[&str]| {
        let report = report_on(OLD, &renamed, options);
        (report["verdict"].to_string(), report["findings"][0]["severity"].to_string())
    };
    assert_eq!(severity(&[]), ("\"compatible\"".to_owned(), "\"note\"".to_owned()));
    assert_eq!(severity(&["--surface", "json"]), ("\"breaking\"".to_owned(), "\"error\"".to_owned()));
    assert_eq!(severity(&["--surface", "wire,source"]), ("\"breaking\"".to_owned(), "\"error\"".to_owned()));
    assert_eq!(
        severity(&["--surface", "json", "--fail-on", "wrong"]),
        ("\"compatible\"".to_owned(), "\"error\"".to_owned())
    );
}

#[test]
fn rules_of_ones_own_are_listed_explained_and_applied() {
    let place = breaking();
    let own = "id: protobuf/no-field-goes\ntitle: Here no field ever goes\nfamily: field-removed\nsince: 0.1.0\nclass: hygiene\n\
               severity: warning\nwhen:\n  change: field-removed\nimpact:\n  wire: { backward: safe, forward: safe }\n  \
               json: { backward: safe, forward: safe }\n  source: { backward: safe, forward: safe }\n\
               message: \"`{path}` went\"\nwhy: We keep everything.\nfix: Bring it back.\n";
    place.write("own/no-field-goes.yaml", own).write("wireproof.yaml", "rules-dir: own\n");
    let here = place.path("");
    assert!(run(&here, &["rules"]).out.contains("protobuf/no-field-goes"));
    let page = run(&here, &["explain", "no-field-goes"]);
    assert!(
        page.out.contains("We keep everything.") && page.out.contains("Other rules of the family"),
        "{}{}",
        page.out,
        page.err
    );
    assert_eq!(run(&here, &["explain", "no-field-goes", "--no-config"]).code, 2);
    let ran = compare(&place, &["--format", "json"]);
    assert_eq!(json(&ran)["findings"][0]["rule"], "protobuf/no-field-goes", "{}", ran.out);
}

#[test]
fn findings_that_no_rule_makes_are_explained_too() {
    let place = Place::new();
    for name in ["protobuf/unclassified", "unclassified", "protobuf/ambiguous"] {
        let ran = run(&place.path(""), &["explain", name]);
        assert_eq!(ran.code, 0, "{}", ran.err);
        assert!(ran.out.contains("must be judged by exactly one rule"), "{}", ran.out);
    }
}

#[test]
fn the_command_that_reproduces_a_report_has_every_term() {
    let place = breaking();
    let options =
        ["--root", "shop.Order", "-I", "proto dir", "--strict-imports", "--surface", "json", "--fail-on", "wrong"];
    let ran = compare(&place, &options);
    let expected = "wireproof compare old new --surface json --fail-on wrong --root shop.Order --include 'proto dir' --strict-imports\n";
    assert!(ran.out.contains(expected), "{}", ran.out);
}

#[test]
fn many_notes_are_told_by_rule_and_each_when_asked() {
    let place = Place::new();
    place.write("old/a.proto", OLD).write("new/a.proto", OLD);
    for at in 0..30 {
        place.write(format!("new/grown/{at}.proto"), &OLD.replace("package shop", &format!("package grown{at}")));
    }
    let ran = compare(&place, &[]);
    assert_eq!(ran.code, 0);
    assert!(ran.out.lines().count() < 20, "{}", ran.out);
    assert!(ran.out.contains("×30: ") && ran.out.contains("and 26 more"), "{}", ran.out);
    assert_eq!(compare(&place, &["-v"]).out.matches("note[protobuf/message-added]").count(), 30);
    assert!(compare(&place, &["--format", "markdown"]).out.lines().count() < 40);
}

#[test]
fn what_did_not_change_is_said_in_one_line() {
    let place = Place::new();
    place.write("old/a.proto", OLD).write("new/a.proto", OLD);
    let ran = compare(&place, &[]);
    assert_eq!(ran.out.lines().count(), 1, "{}", ran.out);
    assert!(
        ran.out.starts_with("✓ compatible: nothing changed · mode full · new against old · 0 changes; 1 file"),
        "{}",
        ran.out
    );
    // Wherever it is checked, and whatever else would be said of how.
    let judged = "version: v2\nmodules:\n  - path: .\nbreaking:\n  use: [FILE]\n";
    place.write("old/b.avsc", "\"int\"").write("new/b.avsc", "\"int\"").write("buf.yaml", judged);
    let ran = compare(&place, &["-q"]);
    assert_eq!(ran.out, "✓ compatible: nothing changed · mode full (avro: backward) · new against old\n");
}

#[test]
fn what_is_found_in_copies_is_told_with_the_original() {
    let place = breaking();
    for copy in ["vendor/shop", "web/node_modules/shop", "other/shop"] {
        place.write(format!("old/{copy}/order.proto"), OLD).write(format!("new/{copy}/order.proto"), NEW);
    }
    let found = json(&compare(&place, &["--format", "json"]));
    assert_eq!(found["findings"].as_array().map(Vec::len), Some(4), "the report has them all: {found}");
    let ran = compare(&place, &[]);
    let cards = |text: &str| text.matches("[protobuf/field-removed-unreserved]").count();
    assert_eq!(cards(&ran.out), 2, "what is no copy by its folder is told by itself: {}", ran.out);
    let told = "the same in 2 copies (vendor/shop/order.proto:5 and web/node_modules/shop/order.proto:5)";
    assert_eq!(ran.out.matches(told).count(), 1, "{}", ran.out);
    assert!(ran.out.contains("4 errors"), "{}", ran.out);
    assert_eq!(cards(&compare(&place, &["-v"]).out), 4);
    let comment = compare(&place, &["--format", "markdown"]).out;
    assert_eq!(comment.matches("the same in 2 copies").count(), 1, "{comment}");
    // A copy that changed in another way stands for itself.
    place.write("new/vendor/shop/order.proto", &NEW.replace("int32", "string"));
    let ran = compare(&place, &[]);
    assert!(ran.out.contains("[protobuf/wire-type-changed]"), "{}", ran.out);
    assert!(ran.out.contains("new vendor/shop/order.proto:4"), "{}", ran.out);
    // Copies alone: the first of them is told.
    for folder in ["shop", "other/shop"] {
        place.write(format!("new/{folder}/order.proto"), OLD);
    }
    place.write("new/vendor/shop/order.proto", NEW);
    assert!(compare(&place, &[]).out.contains("the same in a copy (web/node_modules/shop/order.proto:5)"));
}

#[test]
fn types_of_one_name_and_another_sort_are_told_apart() {
    let place = Place::new();
    let schema = |of: &str| {
        format!(
            r#"{{"type": "record", "name": "A", "fields": [{{"name": "c", "type": {of}}},
            {{"name": "l", "type": {{"type": "array", "items": "C"}}}}]}}"#
        )
    };
    let record = r#"{"type": "record", "name": "C", "fields": [{"name": "r", "type": "int"}]}"#;
    place.write("old/a.avsc", &schema(record));
    place.write("new/a.avsc", &schema(r#"{"type": "enum", "name": "C", "symbols": ["R"]}"#));
    let ran = compare(&place, &[]);
    assert!(ran.out.contains("`A.c` changed from C (a record) to C (an enum)"), "{}", ran.out);
    assert!(ran.out.contains("`A.l[]` changed from C (a record) to C (an enum)"), "{}", ran.out);
}

#[test]
fn what_was_meant_is_named() {
    let place = breaking();
    let said = |words: &[&str]| {
        let ran = run(&place.path(""), words);
        (ran.code, format!("{}{}", ran.out, ran.err))
    };
    let (code, text) = said(&["compare", "old", "new", "--root", "shop.Ordr"]);
    assert_eq!(code, 3, "{text}");
    assert!(text.contains("did you mean `shop.Order`?"), "{text}");
    let (code, text) = said(&["explain", "protobuf"]);
    assert_eq!(code, 2, "{text}");
    assert!(text.contains("`wireproof rules protobuf` lists its rules"), "{text}");
    let (code, text) = said(&["explain", "protobuf/field-removd"]);
    assert_eq!(code, 2, "{text}");
    assert!(text.contains("did you mean `protobuf/field-removed-"), "{text}");
    for (words, hint) in [
        (&["explain", "BACKWARD"][..], "`BACKWARD` is a mode and not a rule"),
        (&["explain", "backward_transitive"], "new readers can read data of every earlier version"),
        (&["explain", "lossy"], "`lossy` is what a reader experiences and not a rule"),
        (&["explain", "buf/wire"], "`--profile buf/WIRE`"),
        (&["explain", "FIELD_NO_DELET"], "did you mean `FIELD_NO_DELETE"),
        (&["compare", "old", "new", "--output", "markdwon=x"], "did you mean `markdown`?"),
    ] {
        let (code, text) = said(words);
        assert_eq!(code, 2, "{text}");
        assert!(text.contains(hint), "{words:?}: {text}");
    }
    let (code, text) = said(&["help", "explain"]);
    assert_eq!((code, text), said(&["explain", "--help"]));
}
