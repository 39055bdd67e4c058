//! The report as SARIF 2.1.0, for code scanning.
//!
//! Written for what GitHub reads: the first location of a result, one fingerprint, the help of a rule. What is gone from
//! the new side is shown at the nearest line that still exists and says so. What the run could not find out stands among
//! the notifications of the invocation, which then was not successful. A waived finding is a suppressed result.

use serde_json::{Value, json};

use super::markdown::markup;
use super::overview::Weight;
use super::remark::{self, Level, Place, Region, Remark, sentence};
use super::{Edit, Finding, Location, PatchContext, Report, Suggestion, cells, findings, since, summary};
use crate::ordered::{InOrder, OrderedMap};
use crate::text;
use crate::vocabulary::{SPEC, Status};

/// GitHub shows so many results of a run and refuses a file with five times as many.
const MOST: usize = 5000;
/// GitHub cuts longer descriptions.
const DESCRIPTION: usize = 1000;

/// The report as pretty JSON, with a final line feed.
pub fn render(report: &Report) -> String {
    let shown = shown(report);
    let rules = rules(&shown);
    let index: OrderedMap<&str, usize> = rules.iter().enumerate().map(|(at, (id, _))| (*id, at)).collect();
    let has_waivers = shown.iter().any(|finding| finding.waiver.is_some());
    let results: Vec<Value> =
        shown.iter().map(|finding| result(report, finding, index[finding.rule.as_str()], has_waivers)).collect();
    let rules: Vec<Value> = rules.iter().map(|(id, findings)| rule(id, findings)).collect();
    let run = json!({
        "tool": { "driver": driver(report, rules) },
        "automationDetails": { "id": automation_id(report) },
        "invocations": [{
            "executionSuccessful": summary::is_told(report),
            "toolExecutionNotifications": notifications(report, shown.len()),
        }],
        "columnKind": "utf16CodeUnits",
        "originalUriBaseIds": { "%SRCROOT%": { "description": { "text": "The root of what was compared." } } },
        "results": results,
        "properties": {
            "verdict": remark::one_line(report.verdict.as_str()),
            "mode": remark::one_line(report.mode.as_str()),
            "strictestMode": remark::one_line(report.strictest_mode.as_str()),
            "upgradeOrder": remark::one_line(report.upgrade_order.as_str()),
            "old": remark::one_line(&report.old.source),
            "new": remark::one_line(&report.new.source),
        },
    });
    let log = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [run],
    });
    let mut out = serde_json::to_string_pretty(&log).expect("the log is strings, numbers, lists and maps");
    out.push('\n');
    text::harmless_json(out)
}

/// The findings in the order of the report; the quietest are left out when there are too many.
fn shown(report: &Report) -> Vec<&Finding> {
    let gravity = |finding: &Finding| (remark::level(finding), Weight::of(report, finding));
    let mut order: Vec<((Level, Weight), usize)> =
        report.findings.iter().enumerate().map(|(at, finding)| (gravity(finding), at)).collect();
    order.sort_in_order();
    order.truncate(MOST);
    order.sort_in_order_by_key(|(_, at)| *at);
    order.into_iter().map(|(_, at)| &report.findings[at]).collect()
}

/// The rules that have results, each with its findings.
fn rules<'a>(shown: &[&'a Finding]) -> Vec<(&'a str, Vec<&'a Finding>)> {
    findings::by_rule(shown).into_iter().collect()
}

fn driver(report: &Report, rules: Vec<Value>) -> Value {
    json!({
        "name": remark::one_line(&report.tool.name),
        "semanticVersion": remark::one_line(&report.tool.version),
        "version": remark::one_line(&report.tool.version),
        "shortDescription": { "text": "Whether a schema change breaks somebody." },
        "rules": rules,
        "notifications": NOTIFICATIONS.map(|(id, title, help)| json!({
            "id": id,
            "name": pascal_case(id),
            "shortDescription": { "text": title },
            "fullDescription": { "text": title },
            "help": { "text": help, "markdown": help },
        })),
    })
}

const NOT_CHECKED: &str = "wireproof/not-checked";
const LEFT_OUT: &str = "wireproof/results-left-out";

/// What a run may say about itself: id, title, what to do.
const NOTIFICATIONS: [(&str, &str, &str); 3] = [
    (
        remark::PROBLEM,
        "Something is wrong with an input.",
        "Mend it and run again. After an error the verdict is unknown, and that is not a pass.",
    ),
    (NOT_CHECKED, "The verdict does not cover something.", "Each notification says what would supply it."),
    (LEFT_OUT, "Results were left out because there are too many.", "The JSON report has all of them."),
];

/// What a rule means is told by its first finding; the report knows rules by what they found.
fn rule(id: &str, findings: &[&Finding]) -> Value {
    let first = findings[0];
    let level = findings.iter().map(|finding| remark::level(finding)).min().unwrap_or(Level::Note);
    let title = sentence(&remark::one_line(&first.title));
    let (why, fix) = (remark::one_line(&first.why), remark::one_line(&first.fix));
    let page = format!("wireproof explain {}", remark::one_line(id));
    let paragraphs = |title: String, why: String, fix: String, page: String| {
        let why = (!why.is_empty()).then(|| format!("Why it matters, with an example of this run: {why}"));
        let fix = (!fix.is_empty()).then(|| format!("Do instead: {fix}"));
        [Some(title), why, fix, Some(page)].into_iter().flatten().collect::<Vec<_>>().join("\n\n")
    };
    let help = paragraphs(title.clone(), why.clone(), fix.clone(), format!("The page of the rule: {page}"));
    let in_markdown = paragraphs(
        markup::prose(&title, DESCRIPTION),
        markup::prose(&why, 2 * DESCRIPTION),
        markup::prose(&fix, 2 * DESCRIPTION),
        format!("The page of the rule: {}", markup::code(&page, 200)),
    );
    let full = if why.is_empty() { title.clone() } else { format!("{title} For example: {why}") };
    json!({
        "id": remark::one_line(id),
        "name": pascal_case(id),
        "shortDescription": { "text": text::shorten(&title, DESCRIPTION) },
        "fullDescription": { "text": sentence(&text::shorten(&full, DESCRIPTION)) },
        "help": { "text": help, "markdown": in_markdown },
        "defaultConfiguration": { "level": level_name(level) },
        "properties": {
            "tags": tags(first),
            "precision": precision(findings),
            "problem.severity": match level {
                Level::Error => "error",
                Level::Warning => "warning",
                Level::Note => "recommendation",
            },
        },
    })
}

fn tags(finding: &Finding) -> [String; 3] {
    let words = [&finding.format, finding.class.as_str(), &finding.family];
    words.map(|tag| text::elide(&remark::one_line(tag), 60).into_owned())
}

/// What a round trip showed is as sure as it gets.
fn precision(findings: &[&Finding]) -> &'static str {
    let is_shown = |finding: &&&Finding| {
        finding.evidence.iter().any(|evidence| evidence.runtime == SPEC && evidence.status == Status::Agrees)
    };
    match findings.iter().filter(is_shown).count() {
        _ if findings.iter().any(|finding| cells::unclassified(finding)) => "low",
        0 => "high",
        _ => "very-high",
    }
}

/// `protobuf/field-reused` as `ProtobufFieldReused`.
fn pascal_case(id: &str) -> String {
    let words = id.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty()).take(20);
    words.map(|word| format!("{}{}", word[..1].to_ascii_uppercase(), &word[1..])).collect()
}

fn level_name(level: Level) -> &'static str {
    match level {
        Level::Error => "error",
        Level::Warning => "warning",
        Level::Note => "note",
    }
}

fn result(report: &Report, finding: &Finding, rule: usize, has_waivers: bool) -> Value {
    let remark = remark::of_finding(report, finding);
    let mut result = json!({
        "ruleId": remark.rule,
        "ruleIndex": rule,
        "level": level_name(remark.level),
        "message": { "text": message(report, finding, &remark) },
        "partialFingerprints": { "primaryLocationLineHash": format!("{}:1", remark.fingerprint) },
        "properties": { "path": remark::one_line(&finding.path), "breaking": finding.breaking },
    });
    if let Some(place) = &remark.place {
        result["locations"] = json!([location(place, finding)]);
    }
    if let Some(old) = &finding.old {
        result["relatedLocations"] = json!([old_side(report, finding, old)]);
    }
    // Either all results of a run say whether they are suppressed, or none does.
    if let Some(waiver) = &finding.waiver {
        let justification = findings::waiver(waiver, DESCRIPTION);
        result["suppressions"] = json!([{ "kind": "external", "status": "accepted", "justification": justification }]);
    } else if has_waivers {
        result["suppressions"] = json!([]);
    }
    if let Some(fix) = finding.suggestion.as_ref().and_then(|suggestion| fix(suggestion, finding)) {
        result["fixes"] = json!([fix]);
    }
    result
}

/// The first sentence is what GitHub shows as the title.
fn message(report: &Report, finding: &Finding, remark: &Remark) -> String {
    let mut words = plain(&remark.lines.join("\n"));
    if finding.old.is_some() {
        words.push_str(&format!("\nThe old side: [{}](1).", link_text(since::old_source(report, finding))));
    }
    words
}

/// A message may hold links in the form `[text](target)`; a schema must not.
fn plain(words: &str) -> String {
    words.replace("](", "] (")
}

fn link_text(words: &str) -> String {
    remark::one_line(words).replace(['[', ']', '\\'], " ")
}

fn location(place: &Place, finding: &Finding) -> Value {
    json!({
        "physicalLocation": physical(&place.file, place.region.unwrap_or(Region::START)),
        "logicalLocations": [{ "fullyQualifiedName": remark::one_line(&finding.path) }],
    })
}

fn physical(file: &str, region: Region) -> Value {
    json!({
        "artifactLocation": { "uri": remark::uri(file), "uriBaseId": "%SRCROOT%" },
        "region": {
            "startLine": region.line,
            "startColumn": region.column,
            "endLine": region.end_line,
            "endColumn": region.end_column,
        },
    })
}

fn old_side(report: &Report, finding: &Finding, old: &Location) -> Value {
    let words = format!("{} as it was in {}.", findings::place(old), since::old_source(report, finding));
    json!({
        "id": 1,
        "message": { "text": plain(&remark::one_line(&words)) },
        "physicalLocation": physical(&old.file, remark::region_of(old)),
    })
}

/// The edits as replacements, if the report holds the lines they touch.
fn fix(suggestion: &Suggestion, finding: &Finding) -> Option<Value> {
    let context = suggestion.context.as_ref()?;
    let replacements: Vec<Value> =
        suggestion.edits.iter().map(|edit| replacement(context, edit)).collect::<Option<_>>()?;
    if replacements.is_empty() {
        return None;
    }
    let description = sentence(&plain(&remark::one_line(&finding.fix)));
    Some(json!({
        "description": { "text": description },
        "artifactChanges": [{
            "artifactLocation": { "uri": remark::uri(&suggestion.file), "uriBaseId": "%SRCROOT%" },
            "replacements": replacements,
        }],
    }))
}

fn replacement(context: &PatchContext, edit: &Edit) -> Option<Value> {
    let place = |at: u32| {
        let at = at.checked_sub(context.start)? as usize;
        let (lines, column) = remark::line_and_column(&context.text, at)?;
        Some((context.line.max(1).checked_add(lines)?, column))
    };
    let ((line, column), (end_line, end_column)) = (place(edit.start)?, place(edit.end)?);
    (edit.start <= edit.end).then(|| {
        json!({
            "deletedRegion": {
                "startLine": line, "startColumn": column, "endLine": end_line, "endColumn": end_column,
            },
            "insertedContent": { "text": edit.insert },
        })
    })
}

/// What the run could not find out.
fn notifications(report: &Report, shown: usize) -> Vec<Value> {
    let note = |id: &str, level: &str, words: &str| json!({ "descriptor": { "id": id }, "level": level, "message": { "text": sentence(&plain(words)) } });
    let mut out = Vec::new();
    for problem in &report.problems {
        let remark = remark::of_problem(report, problem);
        let mut notification = note(remark::PROBLEM, level_name(remark.level), &remark.lines.join("\n"));
        if let Some(place) = &remark.place {
            let region = place.region.unwrap_or(Region::START);
            notification["locations"] = json!([{ "physicalLocation": physical(&place.file, region) }]);
        }
        out.push(notification);
    }
    for gap in report.not_checked.iter().take(MOST) {
        let words = remark::one_line(&format!("Not checked: {} ({}). {}", gap.what, gap.file, gap.help));
        out.push(note(NOT_CHECKED, level_name(Level::Note), &words));
    }
    if report.findings.len() > shown {
        let words = format!(
            "Only the {} loudest of {} are in this file, as code scanning shows no more. All: `--output json=PATH`",
            text::number(shown),
            text::plural(report.findings.len(), "finding")
        );
        out.push(note(LEFT_OUT, level_name(Level::Warning), &words));
    }
    out
}

/// Runs over other parts of a repository are told apart by this: `wireproof/PATHS/`.
fn automation_id(report: &Report) -> String {
    let paths: Vec<String> = report
        .arguments
        .iter()
        .take_while(|argument| !argument.starts_with('-'))
        .map(|path| remark::uri(path.trim_matches(['.', '/'])))
        .filter(|path| !path.is_empty())
        .collect();
    let mut id = String::from("wireproof/");
    if !paths.is_empty() {
        id.push_str(&format!("{}/", text::shorten(&paths.join("+"), 200)));
    }
    if let Some(shard) = &report.shard {
        id.push_str(&format!("shard-{}-of-{}/", shard.number, shard.of));
    }
    id
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_has_a_name_in_one_word() {
        assert_eq!(pascal_case("protobuf/field-number-reused"), "ProtobufFieldNumberReused");
        assert_eq!(pascal_case("ä/--x"), "X");
    }

    #[test]
    fn what_acts_on_a_screen_is_spelled_out_and_stays_what_it_is() {
        let text = "a\u{202e}b\u{e0001}ä\n";
        let spelled = text::harmless_json(json!(text).to_string());
        assert_eq!(spelled, r#""a\u202eb\udb40\udc01ä\n""#);
        assert_eq!(serde_json::from_str::<String>(&spelled).ok().as_deref(), Some(text));
    }

    #[test]
    fn a_schema_makes_no_links() {
        assert_eq!(plain("[a](http://e.vil)"), "[a] (http://e.vil)");
        assert_eq!(link_text("a](http://e.vil)[b"), "a (http://e.vil) b");
    }

    #[test]
    fn an_edit_is_told_in_lines_and_columns() {
        let context = PatchContext { line: 3, start: 10, text: "ä = 1;\nb\n".to_owned() };
        let edit = Edit { start: 18, end: 18, insert: "x".to_owned() };
        let region = replacement(&context, &edit).map(|value| value["deletedRegion"].clone());
        assert_eq!(region, Some(json!({ "startLine": 4, "startColumn": 1, "endLine": 4, "endColumn": 1 })));
        assert_eq!(replacement(&context, &Edit { start: 9, end: 12, insert: String::new() }), None);
    }
}
