//! Several old versions and a new one: the transitive modes, and what the report says of each version.

use serde_json::Value;

use crate::git::{Place, Ran, run};
use crate::laws_random::schema::Dice;
use crate::laws_random::{make, mutation, print};
use crate::support::as_many;

/// A field without a default that came with one: steps that each pass, and together do not.
fn default_dropped() -> Place {
    let place = Place::new();
    place
        .write("v1.avsc", r#"{"type":"record","name":"R","fields":[{"name":"a","type":"int"}]}"#)
        .write("v2.avsc", &record(r#"{"name":"b","type":"string","default":"x"}"#))
        .write("v3.avsc", &record(r#"{"name":"b","type":"string"}"#));
    place
}

fn record(field: &str) -> String {
    format!(r#"{{"type":"record","name":"R","fields":[{{"name":"a","type":"int"}},{field}]}}"#)
}

fn compare(place: &Place, arguments: &[&str]) -> Ran {
    run(&place.path(""), &[&["compare", "--no-config"], arguments].concat())
}

fn report(place: &Place, arguments: &[&str]) -> (i32, Value) {
    let ran = compare(place, &[&["--format", "json"], arguments].concat());
    (ran.code, serde_json::from_str(&ran.out).unwrap_or_else(|_| panic!("no report: {}", ran.err)))
}

/// The ladder as words: `backward yes`.
fn ladder(report: &Value) -> Vec<String> {
    let rungs = report["modes"].as_array().expect("a ladder");
    let rung = |rung: &Value| format!("{} {}", rung["mode"].as_str().unwrap_or_default(), rung["passes"]);
    rungs.iter().map(rung).collect()
}

#[test]
fn a_transitive_mode_sees_what_the_last_two_versions_hide() {
    let place = default_dropped();
    assert_eq!(compare(&place, &["v2.avsc", "--mode", "backward", "v3.avsc"]).code, 0);
    assert_eq!(compare(&place, &["v1.avsc", "v2.avsc", "v3.avsc", "--mode", "backward"]).code, 0);
    assert_eq!(compare(&place, &["v1.avsc", "v2.avsc", "v3.avsc", "--mode", "forward-transitive"]).code, 0);
    for mode in ["backward-transitive", "BACKWARD_TRANSITIVE", "full-transitive"] {
        let (code, report) = report(&place, &["v1.avsc", "v2.avsc", "v3.avsc", "--mode", mode]);
        assert_eq!((code, &report["verdict"]), (1, &Value::from("breaking")), "{mode}");
        assert_eq!(
            ladder(&report),
            [
                "none true",
                "backward true",
                "forward true",
                "full true",
                "backward-transitive false",
                "forward-transitive true",
                "full-transitive false"
            ]
        );
        let finding = report["findings"].as_array().and_then(|all| all.iter().find(|one| one["breaking"] == true));
        let finding = finding.expect("a finding breaks");
        assert_eq!(finding["rule"], "avro/field-added-without-default");
        assert_eq!(report["modes"][4]["costs"], finding["id"]);
        assert_eq!(report["modes"][5]["costs"], Value::Null);
        let with = |at: usize, key: &str| finding["versions"][at][key].clone();
        assert_eq!((with(0, "name"), with(0, "backward")), ("v1.avsc".into(), "breaking".into()));
        assert_eq!(
            (with(0, "breaking"), with(1, "breaking"), with(1, "found")),
            (true.into(), false.into(), false.into())
        );
        assert_eq!(report["versions"][0]["backward"], "breaking");
        assert_eq!(report["versions"][1]["backward"], "compatible");
    }
}

#[test]
fn people_are_told_which_versions_break() {
    let place = default_dropped();
    let versions = ["v1.avsc", "v2.avsc", "v3.avsc"];
    let told = compare(&place, &[&versions[..], &["--mode", "full-transitive"]].concat());
    for words in [
        "mode full-transitive",
        "v3.avsc against v1.avsc and v2.avsc",
        "versions: breaks with `v1.avsc`; not with `v2.avsc`",
        "backward-transitive ✗  forward-transitive ✓  full-transitive ✗",
        "`v1.avsc`: backward ✗, forward ✓",
        "wireproof compare v1.avsc v2.avsc v3.avsc --mode full-transitive",
    ] {
        assert!(told.out.contains(words), "{words}\n{}", told.out);
    }
    for (form, words) in [
        ("markdown", &["| `full-transitive` |", "versions: breaks with `v1.avsc`", "| First finding |"][..]),
        ("html", &["<dt>Versions</dt>", "With the versions before:"]),
        ("sarif", &["as it was in v1.avsc", "Versions: breaks with"]),
        ("junit", &["versions: breaks with `v1.avsc`"]),
    ] {
        let told = compare(&place, &[&versions[..], &["--mode", "full-transitive", "--format", form]].concat());
        for words in words {
            assert!(told.out.contains(words), "{form}: {words}\n{}", told.out);
        }
    }
}

#[test]
fn what_only_an_earlier_version_shows_is_a_note_in_other_modes() {
    let place = default_dropped();
    let (code, report) = report(&place, &["v1.avsc", "v2.avsc", "v3.avsc", "--mode", "full"]);
    assert_eq!(code, 0);
    let findings = report["findings"].as_array().expect("findings");
    let earlier = findings.iter().find(|one| one["rule"] == "avro/field-added-without-default").expect("it is told");
    assert_eq!((&earlier["severity"], &earlier["breaking"]), (&"note".into(), &false.into()));
    assert_eq!(earlier["costs"], serde_json::json!(["backward-transitive", "full-transitive"]));
    let text = compare(&place, &["v1.avsc", "v2.avsc", "v3.avsc", "--mode", "full"]).out;
    assert!(text.contains("not in force: wire backward fails"), "{text}");
}

#[test]
fn two_versions_have_four_rungs_unless_a_transitive_mode_is_in_force() {
    let place = default_dropped();
    let (_, two) = report(&place, &["v2.avsc", "v3.avsc"]);
    assert_eq!((ladder(&two).len(), &two["versions"]), (4, &Value::Null));
    let (_, one) = report(&place, &["v2.avsc", "v3.avsc", "--mode", "full-transitive"]);
    assert_eq!((ladder(&one).len(), one["versions"].as_array().map(Vec::len)), (7, Some(1)));
}

#[test]
fn versions_of_equal_contents_are_judged_once() {
    let place = default_dropped();
    place.write("again.avsc", r#"{"type":"record","name":"R","fields":[{"name":"a","type":"int"}]}"#);
    let (_, once) = report(&place, &["v1.avsc", "v2.avsc", "v3.avsc", "--mode", "full-transitive"]);
    let (_, twice) = report(&place, &["v1.avsc", "again.avsc", "v2.avsc", "v3.avsc", "--mode", "full-transitive"]);
    assert_eq!(once["round_trips"], twice["round_trips"]);
    assert_eq!(twice["versions"][0]["same_as"], "again.avsc");
    assert_eq!(twice["versions"][0]["backward"], "breaking");
    assert_eq!(twice["findings"][0]["versions"].as_array().map(Vec::len), Some(3));
}

#[test]
fn a_version_that_does_not_parse_is_named_and_the_others_are_judged() {
    let place = default_dropped();
    place.write("torn.avsc", "{");
    let (code, told) = report(&place, &["torn.avsc", "v2.avsc", "v3.avsc", "--mode", "backward-transitive"]);
    assert_eq!((code, &told["verdict"]), (3, &"unknown".into()));
    let gaps = told["not_checked"].to_string();
    assert!(gaps.contains("the version `torn.avsc`: it is not established"), "{gaps}");
    assert_eq!(told["versions"][0]["backward"], "unknown");
    assert_eq!(told["versions"][1]["backward"], "compatible");
    let (code, _) = report(&place, &["torn.avsc", "v1.avsc", "v3.avsc", "--mode", "backward-transitive"]);
    assert_eq!(code, 1, "what breaks breaks all the same");
    let (code, told) = report(&place, &["torn.avsc", "v2.avsc", "v3.avsc", "--mode", "backward"]);
    assert_eq!(code, 0, "it does not count here");
    assert_eq!(told["problems"][0]["severity"], "warning");
    let (code, _) = report(&place, &["v1.avsc", "torn.avsc", "v3.avsc", "--mode", "forward-transitive"]);
    assert_eq!(code, 3, "the last one");
    let (code, _) = report(&place, &["v1.avsc", "v2.avsc", "torn.avsc", "--mode", "forward-transitive"]);
    assert_eq!(code, 3, "the new one");
}

#[test]
fn what_does_not_go_together_is_refused_with_a_reason() {
    let place = default_dropped();
    for (arguments, said) in [
        (&["-", "v2.avsc", "v3.avsc", "--type", "avro"][..], "standard input can be read once"),
        (&["v1.avsc", "v2.avsc", "v3.avsc", "--shard", "1/2"], "cannot be divided"),
        (&["v1.avsc", "v3.avsc", "--mode", "full-transitive", "--shard", "1/2"], "cannot be divided"),
        (&["v1.avsc", "absent.avsc", "v3.avsc"], "absent.avsc"),
        (&["v1.avsc"], "there is nothing to compare with"),
    ] {
        let ran = compare(&place, arguments);
        assert!(ran.code == 2 && ran.err.contains(said), "{arguments:?}: {} {}", ran.code, ran.err);
    }
    let ran = run(&place.path(""), &["check", "--no-config", "--mode", "backward-transitive", "--against", "v1.avsc"]);
    assert!(ran.code == 2 && ran.err.contains("the old version is not in git"), "{}", ran.err);
    place.write("wireproof.yaml", "mode: BACKWARD_TRANSITIVE\n");
    let ran = run(&place.path(""), &["compare", "v1.avsc", "v2.avsc", "v3.avsc"]);
    assert_eq!(ran.code, 1, "the configuration counts: {}", ran.err);
}

#[test]
fn a_saved_report_of_several_versions_renders_as_it_did() {
    let place = default_dropped();
    let arguments = ["v1.avsc", "v2.avsc", "v3.avsc", "--mode", "full-transitive"];
    let text = compare(&place, &[&arguments[..], &["--output", "json=saved.json"]].concat()).out;
    let again = run(&place.path(""), &["render", "saved.json", "--exit-code", "--format", "text"]);
    assert_eq!((again.code, again.out), (1, text));
}

/// Histories of each format in a plain run.
/// The second in a plain run.
const HISTORIES: [usize; 2] = [12, 4];

/// Versions as files in folders `v0`, `v1`, …; the last is under review.
fn protobuf_history(place: &Place, dice: &mut Dice) -> Vec<String> {
    let mut schema = make::schema(dice);
    let count = 3 + dice.below(2);
    (0..count)
        .map(|at| {
            for (path, text) in print::print(&schema) {
                place.write(format!("v{at}/{path}"), &text);
            }
            // One change at a time: each step may pass alone.
            schema = mutation::mutate(&schema, dice, 1);
            format!("v{at}")
        })
        .collect()
}

fn avro_history(place: &Place, dice: &mut Dice) -> Vec<String> {
    const TYPES: [(&str, &str); 4] = [("int", "0"), ("long", "0"), ("string", "\"\""), ("double", "0.5")];
    let count = 3 + dice.below(2);
    (0..count)
        .map(|at| {
            let mut fields = Vec::new();
            for name in ["a", "b", "c"] {
                if dice.percent(40) {
                    continue;
                }
                let kinds = if dice.percent(80) { 2 } else { 4 };
                let (kind, default) = dice.pick(&TYPES[..kinds]).expect("some");
                let default = if dice.percent(60) { format!(r#","default":{default}"#) } else { String::new() };
                fields.push(format!(r#"{{"name":"{name}","type":"{kind}"{default}}}"#));
            }
            let text = format!(r#"{{"type":"record","name":"R","fields":[{}]}}"#, fields.join(","));
            place.write(format!("v{at}/r.avsc"), &text);
            format!("v{at}")
        })
        .collect()
}

/// Exit codes by what they weigh: a break is a break whatever else could not be told.
fn worst(codes: &[i32]) -> i32 {
    [1, 3].into_iter().find(|code| codes.contains(code)).unwrap_or(0)
}

#[test]
fn the_transitive_verdict_is_that_of_all_pairs() {
    let mut said = std::collections::BTreeMap::<(i32, i32), usize>::new();
    for history in [protobuf_history, avro_history] {
        for number in 0..as_many(HISTORIES) {
            let place = Place::new();
            let mut dice = Dice(77 + number as u64);
            let versions = history(&place, &mut dice);
            let (new, old) = versions.split_last().expect("there are some");
            for mode in ["backward", "forward", "full"] {
                let pairs: Vec<i32> = old.iter().map(|old| compare(&place, &[old, new, "--mode", mode]).code).collect();
                let mut arguments: Vec<&str> = versions.iter().map(String::as_str).collect();
                let transitive = format!("{mode}-transitive");
                let plain = compare(&place, &[&arguments[..], &["--mode", mode]].concat()).code;
                assert_eq!(Some(&plain), pairs.last(), "history {number}, {mode}: the last two decide");
                arguments.extend(["--mode", &transitive]);
                let all = compare(&place, &arguments).code;
                assert_eq!(all, worst(&pairs), "history {number}, {transitive}: pairs say {pairs:?}");
                *said.entry((plain, all)).or_default() += 1;
            }
        }
    }
    for wanted in [(0, 0), (0, 1), (1, 1)] {
        assert!(said.contains_key(&wanted), "no history of this kind: {wanted:?} of {said:?}");
    }
}
