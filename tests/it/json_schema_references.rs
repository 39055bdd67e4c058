//! References of JSON Schemas that lead nowhere: each is told once, in words of its own, and matters where data lead to it.

use wireproof::change::Pair;
use wireproof::formats::{CheckOptions, Format};
use wireproof::pipeline::check_snapshots;
use wireproof::report::Report;
use wireproof::rules::RuleSet;
use wireproof::source::Snapshot;
use wireproof::verdict::{Policy, Verdict};
use wireproof::vocabulary::ProblemSeverity;

/// Whether every problem counts, those of what changed, or those that were not there before.
const STRICTNESS: [(bool, bool); 3] = [(false, false), (true, false), (false, true)];

type Files<'f> = [(&'f str, &'f str)];

fn report(old: &Files<'_>, new: &Files<'_>, (changed_only, lenient_unchanged): (bool, bool)) -> Report {
    let side = |files: &Files<'_>| {
        Snapshot::from_files(files.iter().map(|(name, text)| (format!("{name}.schema.json"), text.as_bytes())))
    };
    let (old, new) = (side(old), side(new));
    let options = CheckOptions { changed_only, lenient_unchanged, ..CheckOptions::default() };
    let labels = Pair::new("old".to_owned(), "new".to_owned());
    let (rules, policy) = (RuleSet::built_in(), Policy::default());
    check_snapshots(Pair::new(&old, &new), &[Format::JsonSchema], &options, rules, &policy, labels)
}

/// What is told of an input, each with its side and the name of its file: errors, or warnings.
fn told(report: &Report, severity: ProblemSeverity) -> Vec<String> {
    let problems = report.problems.iter().filter(|problem| problem.severity == severity);
    problems.map(|problem| problem.message.clone()).collect()
}

fn errors(report: &Report) -> Vec<String> {
    told(report, ProblemSeverity::Error)
}

const EVENT: &str =
    r#"{"type": "object", "properties": {"id": {"$ref": "common.schema.json#/$defs/Id"}, "a": {"type": "string"}}}"#;
const EVENT_EDITED: &str = r#"{"type": "object", "properties": {"id": {"$ref": "common.schema.json#/$defs/Id"}, "a": {"type": ["string", "null"]}}}"#;
/// A definition that nothing refers to leads nowhere.
const COMMON: &str = "{\"$defs\": {\"Id\": {\"type\": \"string\"},\n\"Errors\": {\"$ref\": \"#/$defs/Gone\"}}}";
const COMMON_EDITED: &str =
    "{\"$defs\": {\"Id\": {\"type\": \"string\", \"minLength\": 0},\n\"Errors\": {\"$ref\": \"#/$defs/Gone\"}}}";

#[test]
fn a_reference_that_leads_nowhere_matters_where_data_lead_to_it() {
    let old = [("event", EVENT), ("common", COMMON)];
    for new in [[("event", EVENT_EDITED), ("common", COMMON)], [("event", EVENT_EDITED), ("common", COMMON_EDITED)]] {
        for strictness in STRICTNESS {
            let report = report(&old, &new, strictness);
            let expected = if strictness == STRICTNESS[0] { Verdict::Unknown } else { Verdict::Compatible };
            assert_eq!(report.verdict, expected, "{strictness:?}: {:?}", report.problems);
            assert!(report.findings.iter().any(|finding| finding.rule == "json-schema/type-widened"));
            // It is said in any case.
            let all = [errors(&report), told(&report, ProblemSeverity::Warning)].concat();
            assert!(all.iter().any(|message| message.starts_with("`#/$defs/Gone` refers to nothing")), "{all:?}");
        }
    }
    // What came with this change is an error, and so is what data lead to.
    let sound = r#"{"$defs": {"Id": {"type": "string"}}}"#;
    let used = EVENT.replace("Id", "Errors");
    for strictness in STRICTNESS {
        let came = report(&[("event", EVENT), ("common", sound)], &[("event", EVENT), ("common", COMMON)], strictness);
        assert_eq!(came.verdict, Verdict::Unknown, "{strictness:?}");
        let used_now = report(&old, &[("event", &used), ("common", COMMON)], strictness);
        assert_eq!(used_now.verdict, Verdict::Unknown, "{strictness:?}");
    }
    // Nothing leads to any of these definitions, so each of them is data.
    for strictness in [STRICTNESS[0], STRICTNESS[1]] {
        let report = report(&[("common", COMMON)], &[("common", COMMON_EDITED)], strictness);
        assert_eq!(report.verdict, Verdict::Unknown, "{strictness:?}");
    }
}

#[test]
fn each_reference_that_leads_nowhere_is_told_once() {
    let user = r#"{"$id": "https://x.com/address", "type": "object", "properties": {"p": {"$ref": "https://x.com/period"},
        "q": {"$ref": "https://x.com/period"}, "r": {"$ref": "https://x.com/period#/$defs/A"}}}"#;
    let period = r#"{"$id": "https://x.com/period", "type": "string", "$defs": {"A": {"type": "string"}}}"#;
    let renamed = period.replace("period", "span");
    let gone =
        report(&[("address", user), ("period", period)], &[("address", user), ("period", &renamed)], STRICTNESS[0]);
    assert_eq!(
        errors(&gone),
        [
            "reference `https://x.com/period` was not found: in the old version it leads to period.schema.json, which is not \
             called so any more",
            "`period` is not known, because no file was found to which this reference leads",
            "`A` is not known, because no file was found to which this reference leads",
        ]
    );
    // Another one took its place, which is not there.
    let user =
        r#"{"$id": "https://x.com/address", "type": "object", "properties": {"p": {"$ref": "https://x.com/period"}}}"#;
    let leads_elsewhere = user.replace("period", "gone");
    let replaced = report(
        &[("address", user), ("period", period)],
        &[("address", &leads_elsewhere), ("period", period)],
        STRICTNESS[0],
    );
    let [error] = &errors(&replaced)[..] else { panic!("{:?}", errors(&replaced)) };
    assert!(error.starts_with("reference `https://x.com/gone` was not found: it took the place of"), "{error}");
    assert_eq!(told(&replaced, ProblemSeverity::Warning), Vec::<String>::new());
    assert_eq!(replaced.verdict, Verdict::Unknown);
    // Where it is not told as an error, what follows from it is.
    let plain = r#"{"type": "object", "properties": {"p": {"type": "string"}}}"#;
    let refers = r#"{"type": "object", "properties": {"p": {"$ref": "gone.json"}}}"#;
    let opaque = report(&[("address", plain)], &[("address", refers)], STRICTNESS[0]);
    let [error] = &errors(&opaque)[..] else { panic!("{:?}", errors(&opaque)) };
    assert!(error.starts_with("whether new readers accept all old data at"), "{error}");
    let warnings = told(&opaque, ProblemSeverity::Warning);
    let words = "reference `gone.json` was not found: its schemas are compared by address only";
    assert!(warnings.iter().any(|warning| warning == words), "{warnings:?}");
}

#[test]
fn what_could_not_be_told_names_the_document() {
    // A pattern that refers back is known to no automaton.
    let pattern = |more: &str| {
        format!(r#"{{"$defs": {{"t": {{"type": "string", "pattern": "^(a*b{more})\\1\\1$"}}}}, "$ref": "\#/$defs/t"}}"#)
            .replace("\\#", "#")
    };
    let part = |more: &str| pattern(more).replace(", \"$ref\": \"#/$defs/t\"", "");
    let whole = r#"{"type": "object", "properties": {"p": {"$ref": "part.schema.json#/$defs/t"}}}"#;
    let (old, new) = (part("c{0,1}"), part("c?"));
    let one = report(&[("part", &old), ("one", whole)], &[("part", &new), ("one", whole)], STRICTNESS[0]);
    let words =
        "whether new readers accept all old data of `one.schema.json` at `part.schema.json#/$defs/t` could not be told";
    let [error] = &errors(&one)[..] else { panic!("{:?}", one.problems) };
    assert!(error.starts_with(words), "{error}");
    let first = one.problems.iter().find(|problem| problem.severity == ProblemSeverity::Error);
    let help = first.map(|problem| problem.help.as_str()).unwrap_or_default();
    assert!(help.starts_with("compare the two versions of `one.schema.json` by hand"), "{help}");
    let files = |part| [("part", part), ("one", whole), ("two", whole), ("three", whole)];
    let three = report(&files(&old), &files(&new), STRICTNESS[0]);
    let [error] = &errors(&three)[..] else { panic!("{:?}", three.problems) };
    assert!(error.contains("schema.json` and 2 more schemas at `part.schema.json"), "{error}");
    // Where the document is the one that was edited, its name is that of the place.
    let own = report(&[("part", &pattern("c{0,1}"))], &[("part", &pattern("c?"))], STRICTNESS[0]);
    let [error] = &errors(&own)[..] else { panic!("{:?}", own.problems) };
    assert!(error.starts_with("whether new readers accept all old data at `part.schema.json#/"), "{error}");
}
