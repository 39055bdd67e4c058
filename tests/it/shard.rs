//! A divided check: the parts together are the whole, and what is not the whole never passes for it.

use std::collections::BTreeMap;

use rayon::prelude::*;

use crate::git::{Place, Ran, run};
use crate::support::{Case, all_cases, some_of};
use wireproof::change::Pair;
use wireproof::formats::{CheckOptions, Format, Part, Usages};
use wireproof::pipeline::check_snapshots;
use wireproof::report::merge::merge;
use wireproof::report::{Report, json};
use wireproof::rules::RuleSet;
use wireproof::source::Snapshot;
use wireproof::verdict::{Mode, Policy};

/// Into how many parts what has several files is divided; a single file cannot be, and is tried with two.
const PARTS: std::ops::RangeInclusive<u32> = 1..=4;
/// Cases that make one repository.
const TOGETHER: usize = 7;

fn report(case: &Case, part: Option<Part>) -> Report {
    let options =
        CheckOptions { roots: case.roots.clone(), usages: case.usages.clone(), part, ..CheckOptions::default() };
    let labels = Pair::new("old".to_owned(), "new".to_owned());
    let formats = [case.format];
    check_snapshots(case.sides.as_ref(), &formats, &options, RuleSet::built_in(), &Policy::default(), labels)
}

fn parts(case: &Case, of: u32) -> Vec<(String, Report)> {
    (1..=of).map(|number| (format!("part-{number}.json"), report(case, Some(Part { number, of })))).collect()
}

/// How the parts together differ from the whole, if they do.
fn difference(case: &Case) -> Option<String> {
    let text = |report: &Report| json::render(report);
    let whole = text(&report(case, None));
    let is_single = case.sides.old.len() < 2 && case.sides.new.len() < 2;
    let numbers = if is_single { 2..=2 } else { PARTS };
    numbers.into_iter().find_map(|of| {
        let merged = match merge(parts(case, of)) {
            Ok(merged) => text(&merged),
            Err(problem) => problem.message,
        };
        let diff = || similar::TextDiff::from_lines(whole.as_str(), merged.as_str()).unified_diff().to_string();
        (merged != whole).then(|| format!("{} in {of} parts:\n{}", case.name, diff()))
    })
}

fn uphold(cases: &[Case]) {
    let broken: Vec<String> = cases.par_iter().filter_map(difference).collect();
    assert!(broken.is_empty(), "{} of {}:\n{}", broken.len(), cases.len(), broken[..broken.len().min(3)].join("\n\n"));
}

#[test]
fn the_parts_of_every_case_are_the_whole() {
    uphold(&some_of(all_cases()));
}

/// Several cases in folders of one repository: many files that have nothing to do with each other, and some that declare
/// the same names.
fn together(group: &[&Case]) -> Case {
    let side = |side: fn(&Case) -> &Snapshot| {
        let files = group.iter().enumerate().flat_map(|(index, case)| {
            let files = side(case).iter();
            files.map(move |(path, file)| (format!("case{index}/{path}"), file.bytes.to_vec())).collect::<Vec<_>>()
        });
        Snapshot::from_files(files.collect::<BTreeMap<_, _>>())
    };
    Case {
        name: group.iter().map(|case| case.name.as_str()).collect::<Vec<_>>().join(" + "),
        format: group[0].format,
        sides: Pair::new(side(|case| &case.sides.old), side(|case| &case.sides.new)),
        roots: Vec::new(),
        usages: Default::default(),
    }
}

fn repositories() -> Vec<Case> {
    let cases = all_cases();
    let of_format = |format: &Format| -> Vec<Case> {
        let cases: Vec<&Case> = cases
            .iter()
            .filter(|case| case.format == *format && case.roots.is_empty() && case.usages == Usages::default())
            .collect();
        cases.chunks(TOGETHER).map(together).collect()
    };
    some_of(Format::ALL.iter().flat_map(of_format).collect())
}

/// What is said once of a whole check, however many files it is about.
#[test]
fn a_sentence_about_several_files_is_the_same_in_parts() {
    let cases = all_cases();
    let unreached = ["a-struct-that-no-root-reaches-is-named", "a-type-that-only-given-up-fields-hold-is-edited"];
    let named = |name: &&str| cases.iter().find(|case| case.name.ends_with(*name)).expect("a fixture");
    let all: Vec<&Case> = unreached.iter().map(named).collect();
    let whole = together(&all);
    let told = report(&whole, None).not_checked;
    assert!(told.iter().any(|gap| gap.what.contains("no root reaches") && gap.what.contains(" and ")), "{told:?}");
    uphold(&[whole]);
}

#[test]
fn the_parts_of_repositories_with_many_files_are_the_whole() {
    uphold(&repositories());
}

#[test]
fn the_work_is_divided_and_not_repeated() {
    let mut shared = 0;
    let repositories = repositories();
    for case in &repositories {
        let parts = parts(case, 2);
        let [one, other] = parts.as_slice() else { panic!("two parts were asked for") };
        shared += usize::from(one.1.round_trips.messages > 0 && other.1.round_trips.messages > 0);
    }
    let all = repositories.len();
    assert!(6 * shared > all, "in {shared} of {all} repositories both of two parts had something to write");
}

/// Two folders that have nothing to do with each other; both break.
fn two_topics() -> Place {
    let place = Place::new();
    let order = |field: &str| format!("syntax = \"proto3\";\npackage shop;\nmessage Order {{\n{field}}}\n");
    let bill = |field: &str| format!("syntax = \"proto3\";\npackage bill;\nmessage Bill {{\n{field}}}\n");
    place.write("old/shop/order.proto", &order("  string note = 1;\n")).write("new/shop/order.proto", &order(""));
    place.write("old/bill/bill.proto", &bill("  int32 sum = 1;\n"));
    place.write("new/bill/bill.proto", &bill("  sint32 sum = 1;\n"));
    place
}

fn check_parts(place: &Place, of: u32, options: &[&str]) {
    for number in 1..=of {
        let (shard, output) = (format!("{number}/{of}"), format!("json=part-{number}.json"));
        let arguments = [&["compare", "old", "new", "--shard", &shard, "--output", &output, "-q"], options].concat();
        let ran = run(&place.path(""), &arguments);
        assert!([0, 1].contains(&ran.code), "{}{}", ran.out, ran.err);
    }
}

fn render(place: &Place, arguments: &[&str]) -> Ran {
    run(&place.path(""), &[&["render"], arguments].concat())
}

#[test]
fn render_puts_parts_together_and_exits_as_the_whole_does() {
    let place = two_topics();
    let whole = run(&place.path(""), &["compare", "old", "new", "--format", "json"]);
    check_parts(&place, 3, &[]);
    let parts = ["part-3.json", "part-1.json", "part-2.json"];
    let merged = render(&place, &[&parts[..], &["--format", "json"]].concat());
    assert_eq!((merged.code, merged.out.as_str()), (0, whole.out.as_str()), "{}", merged.err);
    let guarded = render(&place, &[&parts[..], &["--exit-code", "--format", "json"]].concat());
    assert_eq!((guarded.code, guarded.out.as_str()), (whole.code, whole.out.as_str()), "{}", guarded.err);
    assert_eq!(whole.code, 1);
}

#[test]
fn waivers_hold_in_parts_as_in_the_whole() {
    let place = two_topics();
    let whole = |options: &[&str]| {
        let ran = run(&place.path(""), &[&["compare", "old", "new", "--format", "json"], options].concat());
        (ran.code, ran.out)
    };
    let before: serde_json::Value = serde_json::from_str(&whole(&["--output", "json=r.json"]).1).expect("a report");
    let breaking = before["findings"].as_array().expect("findings").iter().filter(|found| found["breaking"] == true);
    let ids: Vec<String> = breaking.filter_map(|found| Some(found["id"].as_str()?.to_owned())).collect();
    assert!(ids.len() > 1, "both topics break: {ids:?}");
    for (named, code) in [(&ids[..1], 1), (&ids[1..], 0)] {
        let named: Vec<&str> = named.iter().map(String::as_str).collect();
        let options = [&["accept"], &named[..], &["--reason", "nobody reads it", "--report", "r.json"]].concat();
        let accepted = run(&place.path(""), &options);
        assert_eq!(accepted.code, 0, "{}{}", accepted.out, accepted.err);
        check_parts(&place, 2, &[]);
        let merged = render(&place, &["part-1.json", "part-2.json", "--exit-code", "--format", "json"]);
        assert_eq!((merged.code, merged.out), whole(&[]), "{named:?}: {}", merged.err);
        assert_eq!(merged.code, code, "{named:?} of {ids:?}");
    }
}

#[test]
fn the_exit_code_is_that_of_the_verdict() {
    let place = two_topics();
    for (mode, code) in [("none", 0), ("full", 1)] {
        run(&place.path(""), &["compare", "old", "new", "--mode", mode, "--output", "json=r.json", "-q"]);
        assert_eq!(render(&place, &["r.json"]).code, 0);
        assert_eq!(render(&place, &["r.json", "--exit-code"]).code, code);
    }
    place.write("new/bill/bill.proto", "syntax = \"proto3\"; message {");
    run(&place.path(""), &["compare", "old/bill", "new/bill", "--output", "json=r.json", "-q"]);
    assert_eq!(render(&place, &["r.json", "--exit-code"]).code, 3);
}

#[test]
fn a_part_that_is_missing_is_no_pass() {
    let place = two_topics();
    check_parts(&place, 3, &["--mode", "none"]);
    let all = ["part-1.json", "part-2.json", "part-3.json"];
    assert_eq!(render(&place, &[&all[..], &["--exit-code"]].concat()).code, 0);
    for present in [&all[..2], &all[1..], &all[..1]] {
        let ran = render(&place, &[present, &["--exit-code", "--format", "json"]].concat());
        let report = json::parse(&ran.out).unwrap_or_else(|problem| panic!("{} {}", problem.message, ran.err));
        assert_eq!((ran.code, report.verdict.as_str()), (3, "unknown"));
        let told = report.problems.iter().filter(|problem| problem.message.contains("is missing"));
        assert_eq!(told.count(), 3 - present.len(), "{}", ran.out);
        assert!(report.modes.iter().all(|mode| mode.mode == Mode::None || !mode.passes));
    }
    let text = render(&place, &["part-1.json", "part-2.json"]);
    assert!(text.out.contains("part 3 of 3 is missing"), "{}", text.out);
}

#[test]
fn reports_that_are_not_the_parts_of_one_check_are_refused() {
    let place = two_topics();
    check_parts(&place, 2, &[]);
    let refused = |arguments: &[&str], why: &str| {
        let ran = render(&place, arguments);
        assert!(ran.code == 2 && ran.err.contains(why), "{arguments:?}: {} {}", ran.code, ran.err);
    };
    refused(&["part-1.json", "part-1.json"], "are both part 1 of 2");
    run(&place.path(""), &["compare", "old", "new", "--output", "json=whole.json", "-q"]);
    refused(&["part-1.json", "whole.json"], "`whole.json` is a whole report");
    let other = |options: &[&str], why: &str| {
        let arguments = ["compare", "old", "new", "--output", "json=other.json", "-q"];
        run(&place.path(""), &[&arguments, options].concat());
        refused(&["part-1.json", "other.json"], why);
    };
    other(&["--shard", "2/2", "--mode", "backward"], "they differ in the mode: `backward` and `full`");
    other(&["--shard", "2/3"], "they differ in the number of parts");
    other(&["--shard", "2/2", "--surface", "json"], "they differ in the surfaces in force");
    other(&["--shard", "2/2", "--root", "shop.Order"], "they differ in the arguments");
    place.write("strict.yaml", "rules:\n  protobuf/field-renamed: error\n");
    place.write("loose.yaml", "rules:\n  protobuf/field-renamed: note\n");
    for (number, config) in [(1, "strict.yaml"), (2, "loose.yaml")] {
        place.write("wireproof.yaml", &std::fs::read_to_string(place.path(config)).expect("it was written"));
        let (shard, output) = (format!("{number}/2"), format!("json=configured-{number}.json"));
        run(&place.path(""), &["compare", "old", "new", "--shard", &shard, "--output", &output, "-q"]);
    }
    refused(&["configured-1.json", "configured-2.json"], "the files, the configuration or the rules that were read");
    std::fs::remove_file(place.path("wireproof.yaml")).expect("it was written");
    place.write("new/bill/other.proto", "syntax = \"proto3\";\npackage bill;\nmessage Other {}\n");
    other(&["--shard", "2/2"], "the files, the configuration or the rules that were read");
}

#[test]
fn a_part_says_which_it_is() {
    let place = two_topics();
    let ran = run(&place.path(""), &["compare", "old", "new", "--shard", "1/2"]);
    assert!(ran.out.contains("part 1 of 2"), "{}", ran.out);
    let ran = run(&place.path(""), &["compare", "old", "new", "--shard", "1/2", "--format", "markdown"]);
    assert!(ran.out.contains("part 1 of 2"), "{}", ran.out);
    for nonsense in ["0/2", "3/2", "1", "1/0", "a/b", "+1/2", "1/5000"] {
        assert_eq!(run(&place.path(""), &["compare", "old", "new", "--shard", nonsense]).code, 2, "{nonsense}");
    }
}
