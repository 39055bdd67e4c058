//! The program on Avro from outside: its usual mode, Protocol Buffers beside it, profiles, roots, input without a name,
//! and commits in git.

use std::fs;
use std::io::Write;
use std::process::{Command, Stdio};

use crate::git::{Place, Ran, commit, git, git_is_missing, run, run_in};

const PROTO: &str = "syntax = \"proto3\";\npackage shop;\nmessage Parcel {\n  int32 id = 1;\n  Size size = 2;\n}\nenum Size { NONE = 0; }\n";

/// A record of these fields.
fn record(name: &str, fields: &[&str]) -> String {
    format!(
        "{{\n  \"type\": \"record\", \"name\": \"{name}\",\n  \"fields\": [\n    {}\n  ]\n}}\n",
        fields.join(",\n    ")
    )
}

const ID: &str = r#"{"name": "id", "type": "string"}"#;
const NOTE: &str = r#"{"name": "note", "type": "string"}"#;
const MONEY: &str = r#"{"name": "money", "type": "shop.Money"}"#;
const MILLIS: &str = r#"{"name": "at", "type": {"type": "long", "logicalType": "timestamp-millis"}}"#;

/// `old/` and `new/`, in which old readers can no longer read the record.
fn shrinking() -> Place {
    let place = Place::new();
    place.write("old/shop/order.avsc", &record("shop.Order", &[ID, NOTE]));
    place.write("new/shop/order.avsc", &record("shop.Order", &[ID]));
    place
}

fn compare(place: &Place, options: &[&str]) -> Ran {
    run(&place.path(""), &[&["compare", "old", "new"], options].concat())
}

fn json(ran: &Ran) -> serde_json::Value {
    serde_json::from_str(&ran.out).unwrap_or_else(|error| panic!("{error}: {}{}", ran.out, ran.err))
}

/// Verdict, mode and the modes of single formats.
fn terms(ran: &Ran) -> (String, String, String) {
    let report = json(ran);
    let text = |key: &str| report[key].as_str().unwrap_or_default().to_owned();
    (text("verdict"), text("mode"), report["modes_by_format"].to_string())
}

fn assert_terms(ran: &Ran, verdict: &str, mode: &str, others: &str) {
    assert_eq!(terms(ran), (verdict.to_owned(), mode.to_owned(), others.to_owned()), "{}", ran.out);
}

/// The rules that fired on an element and how grave they are, sorted.
fn fired(ran: &Ran) -> Vec<String> {
    let report = json(ran);
    let findings = report["findings"].as_array().expect("findings");
    let word = |finding: &serde_json::Value, key: &str| finding[key].as_str().unwrap_or_default().to_owned();
    let mut fired: Vec<String> =
        findings.iter().map(|finding| format!("{} {}", word(finding, "severity"), word(finding, "rule"))).collect();
    fired.sort();
    fired
}

#[test]
fn avro_alone_is_judged_backward_and_the_report_says_so() {
    let place = shrinking();
    let ran = compare(&place, &[]);
    assert_eq!(ran.code, 0, "{}", ran.out);
    assert_eq!(ran.out.lines().next(), Some("✓ compatible: 1 note · mode backward · new against old"));
    assert!(ran.out.contains("\nmeaning    mode backward demands: new readers can read old data\n"), "{}", ran.out);
    assert!(ran.out.contains("\nreproduce  wireproof compare old new\n"), "{}", ran.out);
    assert_terms(&compare(&place, &["--format", "json"]), "compatible", "backward", "null");
    let markdown = compare(&place, &["--format", "markdown"]);
    assert!(markdown.out.contains("mode **backward**"), "{}", markdown.out);
}

#[test]
fn options_and_the_configuration_say_which_mode_counts() {
    let place = shrinking();
    for (mode, code) in [("none", 0), ("backward", 0), ("forward", 1), ("full", 1)] {
        assert_eq!(compare(&place, &["--mode", mode]).code, code, "{mode}");
        place.write("wireproof.yaml", &format!("mode: {mode}\n"));
        assert_eq!(compare(&place, &[]).code, code, "{mode}");
        assert_eq!(compare(&place, &["--mode", "backward"]).code, 0, "{mode}");
        assert_eq!(compare(&place, &["--no-config"]).code, 0, "{mode}");
    }
    place.write("wireproof.yaml", "roots:\n  shop:\n    mode: full\n");
    assert_eq!(compare(&place, &[]).code, 1);
    place.write("wireproof.yaml", "mode: full\nroots:\n  shop:\n    mode: backward\n");
    assert_eq!(compare(&place, &[]).code, 0);
}

/// `old/` and `new/` in both languages: old readers fail on both.
fn both_shrinking() -> Place {
    let place = shrinking();
    let full = PROTO.replace("int32 id", "string id");
    place.write("old/shop/parcel.proto", PROTO).write("new/shop/parcel.proto", &full);
    place
}

#[test]
fn each_language_is_judged_by_its_own_mode() {
    let place = both_shrinking();
    let ran = compare(&place, &["--format", "json"]);
    assert_eq!(ran.code, 1);
    assert_terms(&ran, "breaking", "full", "{\"avro\":\"backward\"}");
    assert_eq!(fired(&ran), ["error protobuf/wire-type-changed", "note avro/field-removed-without-default"]);
    let ran = compare(&place, &[]);
    assert!(ran.out.starts_with("✗ breaking: 1 error and 1 note · mode full (avro: backward) · new against old\n"));
    assert!(ran.out.contains("\nreproduce  wireproof compare old new\n"), "no mode stands for both: {}", ran.out);
    assert!(
        ran.out.contains("\n           for avro, mode backward demands: new readers can read old data\n"),
        "{}",
        ran.out
    );
    for options in [&["--mode", "full"][..], &["--mode", "forward"]] {
        let ran = compare(&place, &[options, &["--format", "json"]].concat());
        assert_terms(&ran, "breaking", options[1], "null");
        assert_eq!(fired(&ran), ["error avro/field-removed-without-default", "error protobuf/wire-type-changed"]);
    }
    // What only Protocol Buffers lack keeps the usual mode of Avro from speaking for both.
    place.write("new/shop/parcel.proto", PROTO);
    assert_eq!(compare(&place, &[]).code, 0);
    assert_eq!(compare(&place, &["--mode", "full"]).code, 1);
}

#[test]
fn the_command_that_reproduces_a_report_gives_the_same_report() {
    let place = both_shrinking();
    for options in [&[][..], &["--mode", "full"], &["--profile", "avro"], &["--root", "shop.Order"]] {
        let ran = compare(&place, options);
        let command = ran.out.lines().find_map(|line| line.strip_prefix("reproduce  wireproof ")).expect("a command");
        let again = run(&place.path(""), &command.split(' ').collect::<Vec<_>>());
        assert_eq!((again.code, &again.out), (ran.code, &ran.out), "{command}");
    }
}

#[test]
fn the_profile_judges_as_java_does() {
    let place = Place::new();
    let micros = MILLIS.replace("millis", "micros");
    place.write("old/click.avsc", &record("Click", &[ID, MILLIS]));
    place.write("new/click.avsc", &record("Click", &[ID, &micros]));
    assert_eq!(compare(&place, &[]).code, 1, "a factor of a thousand");
    let ran = compare(&place, &["--profile", "avro"]);
    assert_eq!(ran.code, 0, "Java does not look at logical types: {}", ran.out);
    assert!(ran.out.lines().next().is_some_and(|line| line.ends_with("judged as avro")), "{}", ran.out);
    assert!(ran.out.contains("compare old new --profile avro\n"), "{}", ran.out);
    let report = json(&compare(&place, &["--profile", "avro", "--format", "json"]));
    assert_eq!(report["profile"], "avro");
    let finding = &report["findings"][0];
    assert_eq!(finding["severity"], "warning", "what it overlooks is told all the same: {finding:#}");
    assert!(finding["peers"].as_object().is_some_and(|peers| !peers.contains_key("avro")), "{finding:#}");

    place.write("new/click.avsc", &record("Click", &[ID, MILLIS, NOTE]));
    let report = json(&compare(&place, &["--profile", "avro", "--format", "json"]));
    assert_eq!(report["verdict"], "breaking");
    assert_eq!(report["findings"][0]["peers"]["avro"][0], "READER_FIELD_MISSING_DEFAULT_VALUE", "{report:#}");
    let told = &report["findings"][0]["peer_reports"][0];
    let words = ["tool", "id", "message", "direction", "pointer"].map(|key| told[key].as_str().unwrap_or_default());
    assert_eq!(words, ["avro", "READER_FIELD_MISSING_DEFAULT_VALUE", "note", "backward", "/fields/2"], "{told:#}");
    let ran = compare(&place, &["--profile", "confluentt"]);
    assert_eq!(ran.code, 2, "{}", ran.out);
    assert!(ran.err.contains("avro"), "it says which there are: {}", ran.err);
}

#[test]
fn roots_are_looked_for_in_every_language() {
    let place = both_shrinking();
    place.write("new/shop/tool.avsc", &record("shop.Tool", &[ID, NOTE]));
    place.write("old/shop/tool.avsc", &record("shop.Tool", &[ID]));
    let judged = |roots: &[&str]| {
        let options: Vec<&str> = roots.iter().flat_map(|root| ["--root", root]).collect();
        let ran = compare(&place, &[&options[..], &["--format", "json"]].concat());
        (ran.code, fired(&ran))
    };
    let rules = |rules: &[&str]| rules.iter().map(|rule| (*rule).to_owned()).collect::<Vec<_>>();
    assert_eq!(judged(&["shop.Order"]), (0, rules(&["note avro/field-removed-without-default"])));
    assert_eq!(judged(&["shop.Tool"]), (1, rules(&["error avro/field-added-without-default"])));
    assert_eq!(judged(&["shop.Parcel"]), (1, rules(&["error protobuf/wire-type-changed"])));
    let both = rules(&["error protobuf/wire-type-changed", "note avro/field-removed-without-default"]);
    assert_eq!(judged(&["shop.Parcel", "shop.Order"]), (1, both));
    let ran = compare(&place, &["--root", "shop.Order", "--root", "shop.Absent"]);
    assert_eq!(ran.code, 3, "{}", ran.out);
    assert_eq!(ran.out.matches("neither side declares the root `shop.Absent`").count(), 1, "{}", ran.out);
    assert!(!ran.out.contains("root `shop.Order`"), "{}", ran.out);
}

#[test]
fn input_without_an_ending_is_avro_when_that_is_said() {
    let place = Place::new();
    place.write("before", &record("Order", &[ID])).write("after", &record("Order", &[ID, NOTE]));
    place.write("after.avsc", &record("Order", &[ID, NOTE]));
    let compare = |arguments: &[&str]| run(&place.path(""), &[&["compare"], arguments].concat());
    let ran = compare(&["before", "after", "--type", "avro"]);
    assert_eq!(ran.code, 1, "{}", ran.err);
    assert!(ran.out.contains("field `Order.note` was added without a default"), "{}", ran.out);
    // It is called as it is called, on both sides.
    place.write("broken.proto", "syntax = 1;").write("same/broken.proto", "syntax = 1;");
    let ran = compare(&["broken.proto", "same/broken.proto", "--type", "avro"]);
    assert!(ran.out.contains("old and new broken.proto:1:1") && !ran.out.contains(".avsc"), "{}", ran.out);
    let ran = compare(&["before", "after"]);
    assert_eq!(ran.code, 2, "{}", ran.out);
    assert!(ran.err.contains("avro"), "{}", ran.err);
    for arguments in
        [&["-", "after", "--type", "avro"][..], &["-", "after.avsc"], &["-", "after.avsc", "--type", "avro"]]
    {
        let mut child = Command::new(env!("CARGO_BIN_EXE_wireproof"))
            .current_dir(place.path(""))
            .arg("compare")
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the program runs");
        child.stdin.take().expect("piped").write_all(record("Order", &[ID]).as_bytes()).expect("it reads");
        let output = child.wait_with_output().expect("it ends");
        assert_eq!(output.status.code(), Some(1), "{arguments:?}");
    }
}

/// A repository with two schemas, one of which needs the other, on a branch of its own.
fn repository() -> Place {
    let place = Place::new();
    git(&place.path(""), &["init", "--quiet", "--initial-branch=main"]);
    place.write("shop/order.avsc", &record("shop.Order", &[ID, MONEY]));
    place.write("shop/money.avsc", &record("shop.Money", &[r#"{"name": "units", "type": "long"}"#]));
    commit(&place, "first");
    git(&place.path(""), &["switch", "--quiet", "--create", "topic"]);
    place
}

fn check(place: &Place) -> Ran {
    run(&place.path(""), &["check", "--format", "json"])
}

#[test]
fn a_commit_that_changes_a_schema_is_judged() {
    if git_is_missing() {
        return;
    }
    let repo = repository();
    repo.write("shop/order.avsc", &record("shop.Order", &[ID, MONEY, NOTE]));
    commit(&repo, "a field");
    let ran = check(&repo);
    assert_eq!(ran.code, 1, "{}", ran.err);
    assert_terms(&ran, "breaking", "backward", "null");
    let finding = &json(&ran)["findings"][0];
    assert_eq!((&finding["old"]["line"], &finding["new"]["line"]), (&2.into(), &6.into()), "{finding:#}");
    let ran = run(&repo.path(""), &["check"]);
    let command = ran.out.lines().find_map(|line| line.strip_prefix("reproduce  wireproof ")).expect("a command");
    assert!(command.starts_with("check --against git:") && !command.contains("--mode"), "{command}");
}

#[test]
fn a_commit_that_renames_a_file_changes_nothing() {
    if git_is_missing() {
        return;
    }
    let repo = repository();
    git(&repo.path(""), &["mv", "shop/money.avsc", "shop/amount.avsc"]);
    commit(&repo, "a better name");
    let ran = check(&repo);
    assert_eq!((ran.code, fired(&ran)), (0, vec!["note avro/file-moved".to_owned()]), "{}", ran.out);
    repo.write("shop/amount.avsc", &record("shop.Money", &[r#"{"name": "units", "type": "int"}"#]));
    commit(&repo, "a change after it");
    let expected = vec!["error avro/type-narrowed".to_owned(), "note avro/file-moved".to_owned()];
    assert_eq!(fired(&check(&repo)), expected);
}

#[test]
fn a_commit_that_deletes_a_schema_is_told_and_no_pass_where_others_need_it() {
    if git_is_missing() {
        return;
    }
    let repo = repository();
    fs::remove_file(repo.path("shop/order.avsc")).expect("it was there");
    commit(&repo, "no orders");
    let ran = check(&repo);
    assert_eq!((ran.code, fired(&ran)), (1, vec!["error avro/root-type-removed".to_owned()]), "{}", ran.out);
    git(&repo.path(""), &["checkout", "--quiet", "main", "--", "shop"]);
    fs::remove_file(repo.path("shop/money.avsc")).expect("it was there");
    commit(&repo, "no money");
    let ran = check(&repo);
    assert_eq!(ran.code, 3, "{}", ran.out);
    let problem = &json(&ran)["problems"][0];
    assert_eq!((&problem["file"], &problem["line"]), (&"shop/order.avsc".into(), &5.into()), "{problem:#}");
    assert!(
        problem["message"].as_str().is_some_and(|text| text.contains("`shop.Money` is not defined")),
        "{problem:#}"
    );
}

#[test]
fn a_schema_that_was_broken_before_and_does_not_concern_the_change_is_a_warning() {
    if git_is_missing() {
        return;
    }
    let repo = repository();
    git(&repo.path(""), &["switch", "--quiet", "main"]);
    repo.write("other/broken.avsc", "{\"type\": \"record\"");
    repo.write("other/lost.avsc", &record("other.Lost", &[r#"{"name": "x", "type": "other.Nowhere"}"#]));
    commit(&repo, "nobody looked");
    git(&repo.path(""), &["switch", "--quiet", "--create", "next"]);
    repo.write(
        "shop/order.avsc",
        &record("shop.Order", &[ID, MONEY, &NOTE.replace("\"string\"", "\"string\", \"default\": \"\"")]),
    );
    let problems = |ran: &Ran| {
        assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
        let problems = json(ran)["problems"].as_array().expect("problems").clone();
        assert!(problems.iter().all(|problem| problem["severity"] == "warning"), "{problems:#?}");
        problems.len()
    };
    // What a text says is read in any case; whether its names are known only where somebody asks.
    assert_eq!(problems(&check(&repo)), 1);
    assert!(problems(&run(&repo.path(""), &["check", "--full", "--format", "json"])) >= 2);
}

/// That a number is rounded is tolerated; that another branch of the union is not read at all never is.
#[test]
fn a_branch_that_is_lost_beside_one_that_rounds_is_no_pass() {
    let place = Place::new();
    place.write("old/s.avsc", r#"["null", "int"]"#).write("new/s.avsc", r#""float""#);
    assert_eq!(run_in(&place.path(""), &["compare", "old", "new"], &[]).code, 1);
    place.write("old/s.avsc", r#""int""#);
    assert_eq!(run_in(&place.path(""), &["compare", "old", "new"], &[]).code, 0);
}

#[test]
fn two_files_keep_their_names() {
    let place = Place::new();
    place.write("old.avsc", &record("Order", &[ID]));
    place.write("new.avsc", &record("Order", &[ID, NOTE]));
    let report = json(&run(&place.path(""), &["compare", "old.avsc", "new.avsc", "--format", "json"]));
    let finding = &report["findings"][0];
    assert_eq!((&finding["old"]["file"], &finding["new"]["file"]), (&"old.avsc".into(), &"new.avsc".into()));
    let ran = run(&place.path(""), &["compare", "old.avsc", "new.avsc"]);
    assert!(ran.out.contains(" old.avsc:2:") && ran.out.contains(" new.avsc:5:"), "{}", ran.out);
    place.write("old.avsc", "{");
    let ran = run(&place.path(""), &["compare", "old.avsc", "new.avsc"]);
    assert!(ran.out.contains(" old.avsc:1:"), "{}", ran.out);
}

#[test]
fn json_in_another_encoding_is_read() {
    let place = Place::new();
    let encoded = |text: &str| -> Vec<u8> { text.encode_utf16().flat_map(u16::to_le_bytes).collect() };
    for (side, fields) in [("old", &[ID][..]), ("new", &[ID, NOTE])] {
        place.write(format!("{side}/order.avsc"), "");
        let path = std::path::Path::new(&place.path("")).join(side).join("order.avsc");
        fs::write(path, encoded(&record("Order", fields))).expect("it can be written");
    }
    let report = json(&compare(&place, &["--format", "json"]));
    assert_eq!(report["verdict"], "breaking", "{report:#}");
    assert_eq!(report["findings"][0]["new"]["line"], 5);
}

#[test]
fn the_configuration_of_buf_has_no_say_about_avro() {
    let place = shrinking();
    place.write("new/buf.yaml", "breaking: {}\n");
    place.write("old/buf.yaml", "breaking: {}\n");
    assert_eq!(compare(&place, &["--mode", "full"]).code, 1);
}

#[test]
fn what_java_loses_and_what_a_registry_refuses_is_said_in_words() {
    let nullable =
        |name: &str, more: &str| format!(r#"{{"name": "{name}", "type": ["null", "string"], "default": null{more}}}"#);
    let place = Place::new();
    place.write("old/o.avsc", &record("shop.Order", &[&nullable("note", "")]));
    place.write("new/o.avsc", &record("shop.v2.Order", &[&nullable("remark", r#", "aliases": ["note"]"#)]));
    let ran = compare(&place, &[]);
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    let words = "with java (modelled), new readers of old data lose a value that was written";
    assert!(ran.out.contains(words), "{}", ran.out);
    let rec = r#"{"type": "record", "name": "c.Rec", "fields": []}"#;
    let added = format!(r#"{{"name": "n", "type": {rec}, "default": {{}}, "aliases": ["s"]}}"#);
    let itself = r#"{"name": "s", "type": ["null", "Own"]}"#;
    let place = Place::new();
    place.write("old/o.avsc", &record("Own", &[ID, itself]));
    place.write("new/o.avsc", &record("Own", &[ID, &added, itself]));
    let ran = compare(&place, &["--profile", "avro"]);
    assert_eq!(ran.code, 1, "{}{}", ran.out, ran.err);
    let words = "avro reports NAME_MISMATCH, new readers of old data at /fields/1/type/1/name: expected: Own";
    assert!(ran.out.replace("\n          ", " ").contains(words), "{}", ran.out);
}

#[test]
fn what_was_not_selected_supplies_types() {
    if git_is_missing() {
        return;
    }
    let place = Place::new();
    git(&place.path(""), &["init", "--quiet"]);
    let money = |ty: &str| record("shop.Money", &[&format!(r#"{{"name": "amount", "type": "{ty}"}}"#)]);
    place.write("orders/order.avsc", &record("shop.Order", &[MONEY]));
    place.write("common/money.avsc", &money("long"));
    place.write("common/broken.avsc", "{");
    commit(&place, "before");
    place.write("common/money.avsc", &money("int"));
    let ran = run(&place.path(""), &["check", "orders", "--against", "HEAD"]);
    assert_eq!(ran.code, 1, "{}{}", ran.out, ran.err);
    assert!(ran.out.contains("avro/type-narrowed"), "{}", ran.out);
    place.write("common/money.avsc", &money("long"));
    let ran = run(&place.path(""), &["check", "orders", "--against", "HEAD"]);
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
}

#[test]
fn what_a_broken_neighbour_may_define_is_not_known() {
    let place = Place::new();
    place.write("d/s.avsc", &record("c.R", &[r#"{"name": "x", "type": "Nope"}"#])).write("d/broken.avsc", "{");
    let ran = run(&place.path(""), &["compare", "d/s.avsc", "d/s.avsc"]);
    assert_eq!(ran.code, 3, "{}{}", ran.out, ran.err);
    assert!(ran.out.contains("`c.Nope` is not defined"), "{}", ran.out);
}
