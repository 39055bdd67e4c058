//! SARIF, JUnit, GitLab and GitHub: what other systems read, over every fixture and over hostile names.
//!
//! Shape is checked always. Real validators run where they are found: `check-jsonschema` with the schema that
//! `WIREPROOF_SARIF_SCHEMA` names, Sarif.Multitool (on the path, or named by `WIREPROOF_SARIF_MULTITOOL`), and `xmllint`
//! with the schema that `WIREPROOF_JUNIT_XSD` names (JUnit.xsd of Jenkins).

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

use rayon::prelude::*;
use serde_json::Value;
use wireproof::report::{FileDiff, Finding, Hunk, Report, Shard, Waiver, github, gitlab, junit, sarif};
use wireproof::verdict::{Policy, Verdict};

use crate::render::{breaking, cases, check, hostile, many};
use crate::support::{Case, fixtures, skip};

/// The reports of all fixtures and those made by hand, each with a name that can be a file's.
pub(crate) fn reports() -> Vec<(String, Report)> {
    let by_hand = cases().into_iter().map(|(name, report)| (name.to_owned(), report));
    let more = [("waived", waived()), ("diffs", with_diffs()), ("many", many(60)), ("deleted", deleted())];
    let more = more.into_iter().map(|(name, report)| (name.to_owned(), report));
    by_hand.chain(more).chain(OF_FIXTURES.iter().cloned()).collect()
}

/// Many tests look at these, and they are made once.
static OF_FIXTURES: LazyLock<Vec<(String, Report)>> = LazyLock::new(|| {
    let report = |(_, case): (PathBuf, Case)| (case.name.replace('/', "--"), case.report(&Policy::default()));
    fixtures().into_par_iter().map(report).collect()
});

fn waived() -> Report {
    let mut report = breaking();
    report.findings[0].breaking = false;
    report.findings[0].waiver = Some(Waiver {
        reason: "no data of that kind was ever stored [x](http://e.vil)".to_owned(),
        owner: Some("payments".to_owned()),
        until: Some("2026-12-31".to_owned()),
        file: ".wireproof-waivers.yaml".to_owned(),
        line: 3,
        added_here: true,
    });
    report.shard = Some(Shard { number: 2, of: 3, inputs: String::new(), broken: Vec::new() });
    report.arguments = vec!["proto/shop".to_owned(), "--root".to_owned(), "shop.v1.Order".to_owned()];
    report
}

/// With the lines around the removed field.
fn with_diffs() -> Report {
    let mut report = breaking();
    let lines = [" message User {", "-  string nickname = 7;", "+  reserved 7;", " }"];
    report.diffs = vec![FileDiff {
        old: Some("shop/user.proto".to_owned()),
        new: Some("shop/people.proto".to_owned()),
        hunks: vec![Hunk { old_line: 8, new_line: 11, lines: lines.map(str::to_owned).to_vec() }],
        truncated: false,
    }];
    report
}

/// The file of the removed enum value went with it.
fn deleted() -> Report {
    let mut report = breaking();
    report.diffs =
        vec![FileDiff { old: Some("shop/colour.proto".to_owned()), new: None, hunks: vec![], truncated: true }];
    report
}

#[test]
fn what_other_systems_read_shows_every_situation() {
    for (name, report) in [("breaking", breaking()), ("waived", waived())] {
        check(&format!("{name}.sarif"), &sarif::render(&report));
        check(&format!("{name}.junit.xml"), &junit::render(&report));
        check(&format!("{name}.gitlab.json"), &gitlab::render(&report));
        check(&format!("{name}.github.txt"), &github::render(&report));
    }
}

fn text<'a>(value: &'a Value, pointer: &str) -> &'a str {
    value.pointer(pointer).and_then(Value::as_str).unwrap_or_else(|| panic!("{pointer} is missing in {value:#}"))
}

fn list<'a>(value: &'a Value, pointer: &str) -> &'a [Value] {
    value.pointer(pointer).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// Every member of that name, however deep.
fn members<'a>(value: &'a Value, name: &str, out: &mut Vec<&'a Value>) {
    match value {
        Value::Object(members_of_it) => {
            for (key, member) in members_of_it {
                if key == name {
                    out.push(member);
                }
                members(member, name, out);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| members(item, name, out)),
        _ => {}
    }
}

/// Nothing that acts on a screen, turns text around or hides in it.
pub(crate) fn acts(text: &str) -> Option<char> {
    text.chars()
        .find(|c| (c.is_control() && *c != '\n') || matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'))
}

#[test]
fn every_sarif_log_has_what_code_scanning_reads() {
    for (name, report) in reports() {
        let out = sarif::render(&report);
        assert_eq!(acts(&out), None, "{name}");
        let log: Value = serde_json::from_str(&out).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(text(&log, "/version"), "2.1.0");
        let run = &log["runs"][0];
        let rules = list(run, "/tool/driver/rules");
        assert!(!out.contains("security-severity"), "{name}");
        for rule in rules {
            for need in [
                "/shortDescription/text",
                "/fullDescription/text",
                "/help/text",
                "/help/markdown",
                "/properties/precision",
            ] {
                let words = text(rule, need);
                assert!(
                    !words.is_empty() && (need.starts_with("/help") || words.chars().count() <= 1024),
                    "{name} {need}"
                );
            }
        }
        let results = list(run, "/results");
        assert_eq!(results.len(), report.findings.len(), "{name}");
        for (result, finding) in results.iter().zip(&report.findings) {
            sarif_result(&name, result, finding, rules);
        }
        let successful = run.pointer("/invocations/0/executionSuccessful").and_then(Value::as_bool);
        assert_eq!(successful, Some(report.verdict != Verdict::Unknown), "{name}");
        let told = list(run, "/invocations/0/toolExecutionNotifications").len();
        assert_eq!(told, report.problems.len() + report.not_checked.len(), "{name}");
        let suppressed = results.iter().filter(|result| result.get("suppressions").is_some()).count();
        assert!(suppressed == 0 || suppressed == results.len(), "{name}: all or none");
        assert!(text(run, "/automationDetails/id").ends_with('/'), "{name}");
        sarif_places(&name, &log);
    }
}

fn sarif_result(name: &str, result: &Value, finding: &Finding, rules: &[Value]) {
    let rule = result["ruleIndex"].as_u64().and_then(|at| rules.get(usize::try_from(at).ok()?));
    assert_eq!(rule.map(|rule| &rule["id"]), Some(&result["ruleId"]), "{name}");
    let level = if finding.breaking { "error" } else { text(result, "/level") };
    assert_eq!(text(result, "/level"), level, "{name}");
    assert!(finding.breaking || level != "error", "{name}: an error that does not break would fail code scanning");
    assert_eq!(text(result, "/partialFingerprints/primaryLocationLineHash"), format!("{}:1", finding.id), "{name}");
    assert_eq!(list(result, "/locations").len(), 1, "{name}");
    let words = text(result, "/message/text");
    let links = words.matches("](").count();
    assert_eq!(links, usize::from(finding.old.is_some()), "{name}: {words}");
    assert_eq!(list(result, "/relatedLocations").len(), links, "{name}");
    assert!(finding.new.is_some() || words.contains("gone from the new side"), "{name}: {words}");
}

fn sarif_places(name: &str, log: &Value) {
    let mut uris = Vec::new();
    members(log, "uri", &mut uris);
    for uri in uris.into_iter().filter_map(Value::as_str) {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "-._~/%".contains(c);
        assert!(!uri.is_empty() && !uri.starts_with('/') && uri.chars().all(is_plain), "{name}: {uri}");
    }
    let mut regions = Vec::new();
    members(log, "region", &mut regions);
    for region in regions {
        let number = |key: &str| region[key].as_u64().unwrap_or_else(|| panic!("{name}: no {key} in {region}"));
        let start = (number("startLine"), number("startColumn"));
        assert!(start.0 > 0 && start.1 > 0 && start <= (number("endLine"), number("endColumn")), "{name}: {region}");
    }
}

#[test]
fn a_removal_is_shown_on_a_line_that_exists() {
    let place = |report: &Report| {
        let log: Value = serde_json::from_str(&sarif::render(report)).expect("it is JSON");
        let at = "/runs/0/results/1/locations/0/physicalLocation";
        let line = log.pointer(&format!("{at}/region/startLine")).and_then(Value::as_u64);
        (text(&log, &format!("{at}/artifactLocation/uri")).to_owned(), line)
    };
    // The suggested edit, then what took its place.
    assert_eq!(place(&breaking()), ("shop/user.proto".to_owned(), Some(4)));
    assert_eq!(place(&with_diffs()), ("shop/people.proto".to_owned(), Some(12)));
    let mut report = breaking();
    report.findings[1].suggestion = None;
    assert_eq!(place(&report), ("shop/user.proto".to_owned(), Some(1)));
    let out = github::render(&deleted());
    let warning = out.lines().find(|line| line.starts_with("::warning ")).expect("a value was removed");
    assert!(!warning.contains("file=") && warning.contains("Its file is gone"), "{warning}");
}

#[test]
fn code_scanning_gets_no_more_than_it_shows() {
    let mut report = many(3_000);
    report.findings.truncate(6_000);
    let log: Value = serde_json::from_str(&sarif::render(&report)).expect("it is JSON");
    let results = list(&log, "/runs/0/results");
    assert_eq!(results.len(), 5_000);
    let errors = results.iter().filter(|result| result["level"] == "error").count();
    assert_eq!(errors, 3_000, "notes go first");
    let told = text(&log, "/runs/0/invocations/0/toolExecutionNotifications/0/message/text");
    assert!(told.starts_with("Only the 5,000 loudest of 6,000 findings are in this file"), "{told}");
}

/// An XML element with what the tests ask for.
#[derive(Debug, Default)]
struct Element {
    name: String,
    attributes: BTreeMap<String, String>,
    text: String,
    children: Vec<Element>,
}

/// Reads the XML that the renderer may write: elements, attributes, the five entities, no comments and no CDATA.
fn parse_xml(text: &str) -> Result<Element, String> {
    let body = text.strip_prefix("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n").ok_or("no XML declaration")?;
    let forbidden = |c: char| !matches!(c, '\t' | '\n' | ' '..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..);
    if let Some(c) = body.chars().find(|c| forbidden(*c)) {
        return Err(format!("XML 1.0 has no {c:?}"));
    }
    let mut open = vec![Element::default()];
    let mut rest = body;
    while let Some((before, after)) = rest.split_once('<') {
        open.last_mut().ok_or("closed too often")?.text.push_str(&unescaped(before)?);
        let (tag, behind) = after.split_once('>').ok_or("a tag does not end")?;
        rest = behind;
        match tag.strip_prefix('/') {
            Some(name) => {
                let done = open.pop().ok_or("closed too often")?;
                if done.name != name {
                    return Err(format!("<{}> is closed by </{name}>", done.name));
                }
                open.last_mut().ok_or("closed too often")?.children.push(done);
            }
            None => open.push(start_tag(tag)?),
        }
    }
    match (open.len(), open.pop()) {
        (1, Some(mut all)) if all.children.len() == 1 => Ok(all.children.remove(0)),
        _ => Err("not one root element".to_owned()),
    }
}

fn start_tag(tag: &str) -> Result<Element, String> {
    let (name, mut rest) = tag.split_once(' ').unwrap_or((tag, ""));
    let mut element = Element { name: name.to_owned(), ..Element::default() };
    while !rest.is_empty() {
        let (key, value) = rest.split_once("=\"").ok_or_else(|| format!("no attribute: {rest}"))?;
        let (value, behind) = value.split_once('"').ok_or("an attribute does not end")?;
        if element.attributes.insert(key.to_owned(), unescaped(value)?).is_some() {
            return Err(format!("{key} twice"));
        }
        rest = behind.trim_start();
    }
    Ok(element)
}

fn unescaped(text: &str) -> Result<String, String> {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('&') {
        out.push_str(before);
        let (name, behind) = after.split_once(';').ok_or("an entity does not end")?;
        out.push(match name {
            "amp" => '&',
            "lt" => '<',
            "gt" => '>',
            "quot" => '"',
            other => return Err(format!("unknown entity {other}")),
        });
        rest = behind;
    }
    if rest.contains("]]>") {
        return Err("]]> in text".to_owned());
    }
    Ok(out + rest)
}

#[test]
fn every_junit_file_counts_what_it_holds() {
    for (name, report) in reports() {
        let out = junit::render(&report);
        assert_eq!(acts(&out), None, "{name}");
        let root = parse_xml(&out).unwrap_or_else(|error| panic!("{name}: {error}\n{out}"));
        assert_eq!(root.name, "testsuites");
        let mut all = [0; 4];
        for suite in &root.children {
            let mut counts = [suite.children.len(), 0, 0, 0];
            let mut names = BTreeSet::new();
            for case in &suite.children {
                assert!(names.insert((&case.attributes["classname"], &case.attributes["name"])), "{name}: {case:?}");
                assert_eq!(case.children.len(), 1, "{name}");
                let is = |kind: &str| usize::from(case.children[0].name == kind);
                counts[1] += is("failure");
                counts[2] += is("error");
                counts[3] += is("skipped");
            }
            let said = |key: &str| suite.attributes[key].parse::<usize>().expect("a number");
            assert_eq!(counts, ["tests", "failures", "errors", "skipped"].map(said), "{name}");
            (0..4).for_each(|at| all[at] += counts[at]);
        }
        let said = |key: &str| root.attributes[key].parse::<usize>().expect("a number");
        assert_eq!(all[..3], ["tests", "failures", "errors"].map(said), "{name}");
        let breaks = report.findings.iter().filter(|finding| finding.breaking).count();
        assert_eq!(all[1], breaks + usize::from(report.verdict == Verdict::Breaking), "{name}");
        let (bad, passes) = (all[1] + all[2], all[0] - all[1] - all[2] - all[3]);
        assert_eq!(bad > 0, report.verdict != Verdict::Compatible, "{name}");
        assert!(passes > 0, "{name}: the round trips pass");
    }
}

#[test]
fn every_gitlab_entry_has_all_keys() {
    for (name, report) in reports() {
        let out = gitlab::render(&report);
        assert_eq!(acts(&out), None, "{name}");
        assert!(out.starts_with('['), "{name}: no byte-order mark");
        let entries: Vec<Value> = serde_json::from_str(&out).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(entries.len(), report.findings.len() + report.problems.len() + report.not_checked.len(), "{name}");
        let mut fingerprints = BTreeSet::new();
        for entry in &entries {
            assert!(!text(entry, "/description").is_empty() && !text(entry, "/check_name").is_empty(), "{name}");
            assert!(fingerprints.insert(text(entry, "/fingerprint").to_owned()), "{name}: twice {entry}");
            let severity = text(entry, "/severity");
            assert!(["info", "minor", "major", "critical", "blocker"].contains(&severity), "{name}: {severity}");
            let path = text(entry, "/location/path");
            assert!(!path.is_empty() && !path.starts_with('/') && !path.starts_with("./"), "{name}: {path}");
            assert!(entry["location"]["lines"]["begin"].as_u64() > Some(0), "{name}");
        }
        let loud = entries.iter().any(|entry| ["critical", "blocker"].contains(&text(entry, "/severity")));
        assert!(loud || report.verdict == Verdict::Compatible, "{name}");
    }
}

#[test]
fn gitlab_knows_an_entry_again_when_lines_move() {
    let fingerprints = |report: &Report| -> Vec<String> {
        let entries: Vec<Value> = serde_json::from_str(&gitlab::render(report)).expect("it is JSON");
        entries.iter().map(|entry| text(entry, "/fingerprint").to_owned()).collect()
    };
    let mut moved = breaking();
    for finding in &mut moved.findings {
        for at in [&mut finding.old, &mut finding.new].into_iter().flatten() {
            at.line += 7;
            at.end_line += 7;
        }
    }
    assert_eq!(fingerprints(&breaking()), fingerprints(&moved));
}

/// What GitHub's runner makes of a line: command, properties, message.
fn obey(line: &str) -> Option<(String, BTreeMap<String, String>, String)> {
    let (head, data) = line.trim_start().strip_prefix("::")?.split_once("::")?;
    let (command, properties) = head.split_once(' ').unwrap_or((head, ""));
    let decoded = |text: &str, codes: &[(&str, &str)]| {
        codes.iter().fold(text.to_owned(), |text, (code, meaning)| text.replace(code, meaning))
    };
    let properties = properties.split(',').filter_map(|property| property.split_once('=')).map(|(key, value)| {
        let codes = [("%0D", "\r"), ("%0A", "\n"), ("%3A", ":"), ("%2C", ","), ("%25", "%")];
        (key.to_owned(), decoded(value, &codes))
    });
    Some((command.to_owned(), properties.collect(), decoded(data, &[("%0D", "\r"), ("%0A", "\n"), ("%25", "%")])))
}

#[test]
fn every_line_for_github_is_one_of_three_commands() {
    for (name, report) in reports() {
        let out = github::render(&report);
        assert_eq!(acts(&out), None, "{name}");
        assert!(!out.contains("##["), "{name}: a command of the older kind");
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        for line in out.lines() {
            let (command, properties, message) = obey(line).unwrap_or_else(|| panic!("{name}: no command: {line}"));
            assert!(["error", "warning", "notice"].contains(&command.as_str()), "{name}: {line}");
            let known = ["file", "line", "endLine", "col", "endColumn", "title"];
            assert!(properties.keys().all(|key| known.contains(&key.as_str())), "{name}: {properties:?}");
            assert!(!message.is_empty() && !message.lines().any(|line| line.starts_with("::")), "{name}: {line}");
            *counts.entry(command).or_default() += 1;
        }
        assert_eq!(counts.get("notice"), Some(&1), "{name}");
        assert!(counts.values().all(|count| *count <= 10), "{name}: GitHub drops the rest: {counts:?}");
        assert_eq!(counts.contains_key("error"), report.verdict != Verdict::Compatible, "{name}");
    }
}

#[test]
fn many_findings_share_annotations_and_none_is_dropped_in_silence() {
    let out = github::render(&many(60));
    let errors: Vec<&str> = out.lines().filter(|line| line.starts_with("::error ")).collect();
    assert_eq!(errors.len(), 2, "two rules: {out}");
    assert!(errors[0].contains("::30 times the same rule. The first:%0A"), "{out}");
    assert!(errors[0].contains("%0A- and 19 more"), "{out}");
    assert!(out.contains("Not annotated: 60 findings (noted or waived)."), "{out}");
    let mut report = many(13);
    for (at, finding) in report.findings.iter_mut().enumerate() {
        finding.rule = format!("protobuf/rule-{at}");
    }
    let out = github::render(&report);
    let errors: Vec<&str> = out.lines().filter(|line| line.starts_with("::error ")).collect();
    assert_eq!(errors.len(), 10);
    assert!(errors[9].contains("::and 4 more errors; the summary"), "{out}");
}

#[test]
fn a_calm_run_is_one_notice_and_an_empty_list() {
    let (_, report) = cases().into_iter().find(|(name, _)| *name == "nothing-changed").expect("it is there");
    assert_eq!(gitlab::render(&report), "[]\n");
    let out = github::render(&report);
    assert!(out.starts_with("::notice title=wireproof::✅ compatible: nothing changed · mode full"), "{out}");
    assert_eq!(out.lines().count(), 1);
}

#[test]
fn a_report_of_the_oddest_text_renders_everywhere() {
    let mut report = hostile();
    report.findings[0].path = "`|@x](::%\u{fffe}\0 ".repeat(4_000);
    report.findings[0].message = report.findings[0].path.clone();
    report.findings[0].rule = report.findings[0].path.clone();
    report.findings[0].format = report.findings[0].path.clone();
    report.old.source = "\u{1f980}](".repeat(100_000);
    for text in [sarif::render(&report), gitlab::render(&report), github::render(&report)] {
        assert!(text.len() < 100_000, "{} bytes", text.len());
        assert_eq!(acts(&text), None);
    }
    let xml = junit::render(&report);
    parse_xml(&xml).unwrap_or_else(|error| panic!("{error}\n{xml}"));
}

/// Runs a tool that may be missing, and then says so.
pub(crate) fn tool(name: &str, variable: &str) -> Option<PathBuf> {
    let named = std::env::var_os(variable).map(PathBuf::from).unwrap_or_else(|| PathBuf::from(name));
    let runs = Command::new(&named).arg("--version").output().is_ok();
    if !runs {
        skip(name, &format!("reports as it sees them; it is neither on PATH nor named by {variable}"));
    }
    runs.then_some(named)
}

/// A file that a tool needs.
fn file(what: &str, variable: &str) -> Option<PathBuf> {
    let path = std::env::var_os(variable).map(PathBuf::from).filter(|path| path.is_file());
    if path.is_none() {
        skip(what, &format!("reports as it sees them; {variable} names no file"));
    }
    path
}

/// Writes every report in one form.
fn written(folder: &Path, ending: &str, render: fn(&Report) -> String) -> Vec<PathBuf> {
    let write = |(name, report): (String, Report)| {
        let path = folder.join(format!("{name}.{ending}"));
        fs::write(&path, render(&report)).expect("the folder is ours");
        path
    };
    reports().into_iter().map(write).collect()
}

#[test]
fn the_schema_of_sarif_accepts_every_log() {
    let Some(schema) = file("the schema of SARIF", "WIREPROOF_SARIF_SCHEMA") else { return };
    let Some(tool) = tool("check-jsonschema", "WIREPROOF_CHECK_JSONSCHEMA") else { return };
    let folder = tempfile::tempdir().expect("there is room for temporary files");
    let files = written(folder.path(), "sarif", sarif::render);
    let output = Command::new(tool)
        .args(["--regex-variant", "nonunicode", "--schemafile"])
        .arg(schema)
        .args(&files)
        .output()
        .expect("it ran a moment ago");
    assert!(
        output.status.success(),
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
}

/// Warnings that do not fit, with the reason.
const NOT_TAKEN: &[(&str, &str)] = &[("SARIF2005", "the program names no page of its own as long as it has none")];

#[test]
fn the_multitool_finds_no_fault_in_a_log() {
    let Some(schema) = file("the schema of SARIF", "WIREPROOF_SARIF_SCHEMA") else { return };
    let Some(tool) = tool("Sarif.Multitool", "WIREPROOF_SARIF_MULTITOOL") else { return };
    let folder = tempfile::tempdir().expect("there is room for temporary files");
    written(folder.path(), "sarif", sarif::render);
    let said = folder.path().join("said.json");
    let output = Command::new(tool)
        .env("DOTNET_SYSTEM_GLOBALIZATION_INVARIANT", "1")
        .arg("validate")
        .arg(folder.path().join("*.sarif"))
        .arg("--json-schema")
        .arg(schema)
        .args(["--rule-kind", "Sarif;Ghas", "--level", "Error;Warning", "--log", "ForceOverwrite", "--output"])
        .arg(&said)
        .output()
        .expect("it ran a moment ago");
    let said = fs::read_to_string(&said).unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&output.stdout)));
    let log: Value = serde_json::from_str(said.trim_start_matches('\u{feff}')).expect("it writes JSON");
    let faults: BTreeSet<String> = list(&log, "/runs/0/results")
        .iter()
        .filter(|result| !NOT_TAKEN.iter().any(|(rule, _)| text(result, "/ruleId").starts_with(rule)))
        .map(|result| {
            let at = result.pointer("/locations/0/physicalLocation/artifactLocation/uri").unwrap_or(&Value::Null);
            format!("{} {} {at}", text(result, "/ruleId"), result["message"])
        })
        .collect();
    assert!(
        faults.is_empty(),
        "{} faults:\n{}",
        faults.len(),
        faults.into_iter().take(40).collect::<Vec<_>>().join("\n")
    );
}

#[test]
fn the_schema_of_junit_accepts_every_file() {
    let Some(schema) = file("the schema of JUnit", "WIREPROOF_JUNIT_XSD") else { return };
    let Some(tool) = tool("xmllint", "WIREPROOF_XMLLINT") else { return };
    let folder = tempfile::tempdir().expect("there is room for temporary files");
    let files = written(folder.path(), "xml", junit::render);
    let output = Command::new(tool)
        .args(["--noout", "--schema"])
        .arg(schema)
        .args(&files)
        .output()
        .expect("it ran a moment ago");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn the_help_names_every_format() {
    let help = wireproof::cli::parse(["wireproof", "check", "--help"].map(Into::into)).expect_err("help is no command");
    let help = help.to_string();
    let help = help.split("--output").nth(1).expect("the option is there");
    for form in ["text", "json", "markdown", "html", "sarif", "junit", "github", "gitlab", "buf"] {
        assert!(help.contains(form), "{form} in {help}");
    }
}
