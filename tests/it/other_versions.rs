//! Saved reports that this version did not write as they are: of other versions, with words it does not know, or changed
//! by somebody. What a report says is shown as what it is, and none of it turns a break into a pass.

use std::collections::BTreeSet;
use std::fs;

use serde_json::{Value, json};
use wireproof::report::links::Links;
use wireproof::report::text::{Color, Detail, TextStyle};
use wireproof::report::{Report, html, json as form, junit, markdown, outputs, sarif, settle, text};
use wireproof::vocabulary::{
    Class, Direction, Mode, Outcome, ProblemSeverity, ProblemSide, Severity, Status, StepKind, Surface, UpgradeOrder,
    Verdict, Vocabulary,
};

use crate::git::{Place, Ran, run};
use crate::machine_formats::reports;
use crate::support::root;

/// A word that no version has so far.
const WORD: &str = "from-tomorrow";

/// Where a report holds a word of which vocabulary.
fn places() -> Vec<(&'static str, &'static str)> {
    fn at<T: Vocabulary>(places: &[&'static str]) -> Vec<(&'static str, &'static str)> {
        places.iter().map(|place| (*place, T::TITLE)).collect()
    }
    [
        at::<Verdict>(&["/verdict"]),
        at::<Mode>(&["/mode", "/strictest_mode", "/modes/3/mode", "/modes_by_format/avro"]),
        at::<Surface>(&["/surfaces/0", "/findings/0/evidence/0/surface"]),
        at::<Direction>(&["/shard/broken/0", "/findings/0/evidence/0/direction"]),
        at::<Outcome>(&["/fail_on", "/findings/0/impact/wire/backward", "/findings/0/evidence/0/outcome"]),
        at::<UpgradeOrder>(&["/upgrade_order"]),
        at::<Severity>(&["/findings/0/severity"]),
        at::<Class>(&["/findings/0/class"]),
        at::<Status>(&["/findings/0/evidence/0/status"]),
        at::<ProblemSeverity>(&["/problems/0/severity"]),
        at::<ProblemSide>(&["/problems/0/side"]),
        at::<StepKind>(&["/plan/steps/0/kind"]),
    ]
    .concat()
}

/// A report that breaks, with something in each of those places.
fn breaking() -> Value {
    let path = root().join("tests/data/render/breaking.json");
    let mut report: Value = serde_json::from_str(&fs::read_to_string(path).expect("it is there")).expect("it is JSON");
    report["modes_by_format"] = json!({"avro": "backward"});
    report["shard"] = json!({"number": 1, "of": 1, "inputs": "", "broken": ["backward"]});
    report["problems"] = json!([{"severity": "warning", "side": "new", "file": "a.proto", "line": 1, "column": 1,
        "text": "x", "message": "something is odd", "help": ""}]);
    report
}

/// The same with one word replaced.
fn with(place: &str, word: &str) -> Value {
    let mut report = breaking();
    *report.pointer_mut(place).unwrap_or_else(|| panic!("nothing is at {place}")) = json!(word);
    report
}

fn read(report: &Value) -> Report {
    form::parse(&report.to_string()).unwrap_or_else(|problem| panic!("{}", problem.message))
}

fn verbose() -> TextStyle {
    TextStyle { color: Color::Plain, detail: Detail::Verbose, ..TextStyle::default() }
}

#[test]
fn a_report_that_is_written_and_read_is_the_same_report() {
    for (name, report) in reports() {
        let written = form::render(&report);
        let again = form::parse(&written).unwrap_or_else(|problem| panic!("{name}: {}", problem.message));
        assert_eq!(again, report, "{name}");
        assert_eq!(form::render(&again), written, "{name}");
    }
}

#[test]
fn a_word_of_another_version_stays_what_it_is() {
    let as_json = |text: &str| serde_json::from_str::<Value>(text).expect("it is JSON");
    for (place, _) in places() {
        let saved = with(place, WORD);
        let report = read(&saved);
        assert_eq!(as_json(&form::render(&report)), saved, "{place}");
        for out in [
            text::render(&report, &verbose()),
            markdown::render(&report, &Links::default()),
            html::render(&report, &Links::default()),
        ] {
            assert!(!out.is_empty(), "{place}");
        }
        for out in [sarif::render(&report), junit::render(&report), outputs::render(&report)] {
            assert!(!out.is_empty(), "{place}");
        }
    }
    let mut saved = breaking();
    let cells = saved["findings"][0]["impact"]["wire"].clone();
    saved["findings"][0]["impact"][WORD] = cells;
    assert_eq!(as_json(&form::render(&read(&saved))), saved, "a surface of another version");
}

#[test]
fn a_word_of_another_version_is_shown() {
    // What nobody would miss is not told: the class of a rule, the status of an observation that agrees with nothing.
    let shown = [
        "/verdict",
        "/mode",
        "/strictest_mode",
        "/modes/3/mode",
        "/surfaces/0",
        "/fail_on",
        "/findings/0/severity",
        "/findings/0/impact/wire/backward",
        "/problems/0/severity",
        "/problems/0/side",
    ];
    for place in shown {
        let report = read(&with(place, WORD));
        let out = text::render(&report, &verbose());
        assert!(out.contains(WORD), "{place}: {out}");
    }
    let order = text::render(&read(&with("/upgrade_order", WORD)), &verbose());
    assert!(order.contains("upgrade order: an order that this version does not know"), "{order}");
    let evil = text::render(&read(&with("/findings/0/severity", "\u{1b}[31m\u{202e}")), &verbose());
    assert!(!evil.contains(['\u{1b}', '\u{202e}']), "{evil}");
    let evil = markdown::render(&read(&with("/problems/0/side", "<b>@all</b>")), &Links::default());
    // In code nothing is a tag, and nobody is called.
    let outside: String = evil.split('`').step_by(2).collect();
    assert!(!outside.contains("<b>@") && !outside.contains("@all"), "{evil}");
    let evil = html::render(&read(&with("/findings/0/severity", "\"><script>")), &Links::default());
    assert_eq!(evil.matches("<script").count(), 1, "{evil}");
}

#[test]
fn a_finding_of_an_unknown_severity_is_neither_lost_nor_made_a_known_one() {
    let mut saved = with("/findings/4/severity", WORD);
    saved["findings"][4]["breaking"] = json!(false);
    let report = read(&saved);
    let message = report.findings[4].message.clone();
    let out = text::render(&report, &TextStyle::default());
    assert!(out.contains(&message) && out.contains(&format!("1 of severity `{WORD}`")), "{out}");
    let page = html::render(&report, &Links::default());
    assert!(page.contains("Of a severity that this version does not know (1)"), "{page}");
}

fn rendered(report: &Value, options: &[&str]) -> Ran {
    let place = Place::new();
    place.write("report.json", &report.to_string());
    run(&place.path(""), &[&["render", "report.json"], options].concat())
}

#[test]
fn a_report_of_another_form_is_refused_by_every_command_that_reads_reports() {
    let mut report = breaking();
    report["schema"] = json!("wireproof.report/v2");
    let place = Place::new();
    place.write("report.json", &report.to_string());
    for command in [
        &["render", "report.json"][..],
        &["render", "report.json", "report.json"],
        &["accept", "9c1f03ab27de", "--reason", "no", "--report", "report.json"],
        &["comment", "report.json", "--dry-run", "--repository", "a/b", "--pull-request", "1"],
        &["comment", "report.json", "--from-fork", "--repository", "a/b", "--pull-request", "1"],
    ] {
        let ran = run(&place.path(""), command);
        let both = ran.err.contains("wireproof.report/v1") && ran.err.contains("wireproof.report/v2");
        assert!(ran.code == 2 && both, "{command:?}: {} {}{}", ran.code, ran.out, ran.err);
    }
}

/// A report in which nothing breaks.
fn passing() -> Value {
    let mut report = breaking();
    report["verdict"] = json!("compatible");
    for finding in report["findings"].as_array_mut().expect("findings") {
        finding["breaking"] = json!(false);
    }
    report
}

#[test]
fn a_verdict_that_the_findings_do_not_bear_out_never_passes() {
    let code = |report: &Value| rendered(report, &["--exit-code"]).code;
    assert_eq!((code(&breaking()), code(&passing())), (1, 0));
    let claimed = |report: Value, verdict: &str| {
        let mut report = report;
        report["verdict"] = json!(verdict);
        report
    };
    assert_eq!(code(&claimed(breaking(), "compatible")), 1, "a finding breaks");
    assert_eq!(code(&claimed(breaking(), "unknown")), 1, "a finding breaks");
    assert_eq!(code(&claimed(breaking(), WORD)), 1, "a finding breaks");
    assert_eq!(code(&claimed(passing(), "breaking")), 3, "nothing breaks, and somebody says so");
    assert_eq!(code(&claimed(passing(), "unknown")), 3);
    assert_eq!(code(&claimed(passing(), WORD)), 3, "what is not known is no pass");
    let mut in_doubt = passing();
    in_doubt["problems"][0]["severity"] = json!("error");
    assert_eq!(code(&in_doubt), 3);
    let mut unexplained = passing();
    unexplained["round_trips"]["unexplained"] = json!(1);
    assert_eq!(code(&unexplained), 3);
}

#[test]
fn no_form_of_a_doctored_report_says_that_all_is_well() {
    let mut report = breaking();
    report["verdict"] = json!("compatible");
    for form in ["text", "json", "markdown", "html", "sarif", "junit", "github", "github-output", "gitlab"] {
        let ran = rendered(&report, &["--format", form]);
        assert_eq!(ran.code, 0, "{form}: {}", ran.err);
        for green in
            ["✓ compatible", "✅ compatible", "✓ Compatible", "verdict=compatible", "\"verdict\": \"compatible\""]
        {
            assert!(!ran.out.contains(green), "{form}: {}", ran.out);
        }
    }
    let ran = rendered(&report, &[]);
    assert!(ran.out.contains("the report was changed after it was written"), "{}", ran.out);
    assert_eq!(settle::contradiction(&read(&breaking())), None);
}

#[test]
fn every_form_marks_what_could_not_be_told() {
    for verdict in [Verdict::Unknown.name(), WORD] {
        let mut report = passing();
        report["verdict"] = json!(verdict);
        for (form, mark) in [
            ("text", "? "),
            ("markdown", "**❔ "),
            ("html", "<h1>? "),
            ("github", "::❔ "),
            ("junit", "<testsuites name=\"wireproof\" tests=\"8\" failures=\"0\" errors=\"1\">"),
            ("sarif", "\"executionSuccessful\": false"),
        ] {
            let ran = rendered(&report, &["--format", form]);
            assert!(ran.out.contains(mark), "{verdict} as {form}: {}", ran.out);
        }
    }
}

#[test]
fn what_is_written_is_never_called_doctored() {
    for (name, report) in reports() {
        assert_eq!(settle::contradiction(&report), None, "{name}");
    }
}

#[test]
fn a_fork_may_only_say_what_this_version_writes() {
    for (place, _) in places() {
        let folder = Place::new();
        folder.write("report.json", &with(place, WORD).to_string());
        let command = ["comment", "report.json", "--from-fork", "--repository", "a/b", "--pull-request", "1"];
        let ran = run(&folder.path(""), &command);
        assert!(ran.code == 2 && ran.err.contains(WORD), "{place}: {} {}{}", ran.code, ran.out, ran.err);
    }
}

#[test]
fn parts_with_words_that_decide_and_are_not_known_are_not_put_together() {
    for place in ["/verdict", "/upgrade_order", "/modes/3/mode", "/shard/broken/0", "/problems/0/severity"] {
        let mut part = with(place, WORD);
        part["shard"]["of"] = json!(2);
        let folder = Place::new();
        folder.write("a.json", &part.to_string());
        part["shard"]["number"] = json!(2);
        folder.write("b.json", &part.to_string());
        let ran = run(&folder.path(""), &["render", "a.json", "b.json"]);
        let is_refused = ran.code == 2 && ran.err.contains("which this version does not know");
        assert!(is_refused && ran.err.contains(WORD), "{place}: {} {}{}", ran.code, ran.out, ran.err);
    }
}

fn names<T: Vocabulary>() -> (&'static str, Vec<&'static str>) {
    (T::TITLE, T::ALL.iter().map(|word| word.name()).collect())
}

#[test]
fn the_published_schema_lists_every_word() {
    let schema: Value = serde_json::from_str(form::schema()).expect("it is JSON");
    let words = [
        names::<Verdict>(),
        names::<Mode>(),
        names::<Surface>(),
        names::<Direction>(),
        names::<Outcome>(),
        names::<UpgradeOrder>(),
        names::<Severity>(),
        names::<Class>(),
        names::<Status>(),
        names::<ProblemSeverity>(),
        names::<ProblemSide>(),
        names::<StepKind>(),
    ];
    let mut listed: BTreeSet<&str> = BTreeSet::new();
    for (title, words) in &words {
        assert_eq!(schema["$defs"][title]["enum"], json!(words), "{title}");
        listed.insert(title);
    }
    let defined = schema["$defs"].as_object().expect("definitions");
    let with_words = defined.iter().filter(|(_, one)| one.get("enum").is_some()).map(|(title, _)| title.as_str());
    assert_eq!(with_words.collect::<BTreeSet<_>>(), listed);
}

/// The schema of a place in a report: members and items followed, references resolved.
fn schema_of<'s>(schema: &'s Value, place: &str) -> &'s Value {
    let resolved = |mut at: &'s Value| {
        let target = |at: &'s Value| at.get("$ref").or_else(|| at["anyOf"][0].get("$ref")).and_then(Value::as_str);
        while let Some(name) = target(at) {
            at = schema.pointer(name.trim_start_matches('#')).expect("what is referred to");
        }
        at
    };
    place.split('/').skip(1).fold(resolved(schema), |at, step| match step.parse::<usize>() {
        Ok(_) => resolved(&at["items"]),
        Err(_) => resolved(at["properties"].get(step).unwrap_or(&at["additionalProperties"])),
    })
}

#[test]
fn the_published_schema_names_the_words_wherever_a_report_has_them() {
    let schema: Value = serde_json::from_str(form::schema()).expect("it is JSON");
    for (place, title) in places() {
        assert_eq!(schema_of(&schema, place), &schema["$defs"][title], "{place}");
    }
    let impact = schema_of(&schema, "/findings/0/impact");
    assert_eq!(impact["required"], json!(names::<Surface>().1));
    for surface in names::<Surface>().1 {
        assert_eq!(impact["properties"][surface]["required"], json!(names::<Direction>().1), "{surface}");
    }
}
