//! The report as JUnit XML, in the dialect of Jenkins.
//!
//! One suite for the run and one for each schema file. A test is a finding: it fails if it breaks, is skipped if it is
//! waived or was not checked, and passes otherwise; what it says then stands in its output. A problem is an error. There
//! are no times in it, so the same input gives the same bytes.

use super::remark::{self, Level};
use super::{Finding, Report, command, findings, summary};
use crate::ordered::OrderedMap;
use crate::text::{self, visible, visible_lines};
use crate::vocabulary::{Open, Verdict};

/// What came of a test.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Outcome {
    Passed,
    Failed,
    Error,
    Skipped,
}

#[derive(Debug)]
struct Case {
    /// Jenkins groups by what stands before the last dot.
    class: String,
    name: String,
    outcome: Outcome,
    /// One line.
    message: String,
    /// The whole story.
    text: String,
}

/// The suite of what concerns no single file.
const RUN: &str = "wireproof";

/// The report as XML, with a final line feed.
pub fn render(report: &Report) -> String {
    let mut suites: Vec<(String, Vec<Case>)> = vec![(RUN.to_owned(), run(report))];
    let mut places: OrderedMap<String, usize> = OrderedMap::from([(RUN.to_owned(), 0)]);
    for (file, case) in cases(report) {
        let at = *places.entry(file.clone()).or_insert(suites.len());
        if at == suites.len() {
            suites.push((file, Vec::new()));
        }
        suites[at].1.push(case);
    }
    let of = |outcome| suites.iter().map(|(_, cases)| count(cases, outcome)).sum::<usize>();
    let tests: usize = suites.iter().map(|(_, cases)| cases.len()).sum();
    let mut out = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"wireproof\" tests=\"{tests}\" failures=\"{}\" errors=\"{}\">\n",
        of(Outcome::Failed),
        of(Outcome::Error)
    );
    for (name, cases) in &mut suites {
        tell_apart(cases);
        suite(name, cases, &mut out);
    }
    out.push_str("</testsuites>\n");
    out
}

fn count(cases: &[Case], outcome: Outcome) -> usize {
    cases.iter().filter(|case| case.outcome == outcome).count()
}

/// The verdict, and whether the round trips are accounted for: tests that every run has, so that there is a history.
fn run(report: &Report) -> Vec<Case> {
    let (order, rollback) = summary::order_and_rollback(report);
    let mut lines = vec![format!("{} · {}", summary::verdict(report), summary::compared(report))];
    lines.extend(summary::terms(report));
    lines.extend(summary::demands(report));
    lines.extend([format!("upgrade order: {order}"), format!("rollback: {rollback}"), summary::counts(report)]);
    lines.extend(command::reproduce(report).map(|command| format!("reproduce: {command}")));
    let case = |name: &str, outcome, message: String, text: String| Case {
        class: format!("{RUN}.run"),
        name: name.to_owned(),
        outcome,
        message,
        text,
    };
    let verdict = match &report.verdict {
        Open::Known(Verdict::Compatible) => Outcome::Passed,
        Open::Known(Verdict::Breaking) => Outcome::Failed,
        Open::Known(Verdict::Unknown) | Open::Unknown(_) => Outcome::Error,
    };
    let trips = if report.round_trips.unexplained == 0 { Outcome::Passed } else { Outcome::Error };
    vec![
        case("verdict", verdict, summary::verdict(report), lines.join("\n")),
        case("round trips", trips, summary::round_trips(report), summary::round_trips(report)),
    ]
}

/// Everything that has a file, each with the file.
fn cases(report: &Report) -> Vec<(String, Case)> {
    let mut out = Vec::new();
    for problem in &report.problems {
        let remark = remark::of_problem(report, problem);
        let outcome = if remark.level == Level::Error { Outcome::Error } else { Outcome::Passed };
        out.push((
            problem.file.clone().unwrap_or_else(|| RUN.to_owned()),
            Case {
                class: format!("{RUN}.problem"),
                name: remark.lines[0].clone(),
                outcome,
                message: remark.lines[0].clone(),
                text: remark.lines.join("\n"),
            },
        ));
    }
    for finding in &report.findings {
        let at = finding.new.as_ref().or(finding.old.as_ref());
        out.push((at.map_or_else(|| RUN.to_owned(), |at| at.file.clone()), of_finding(report, finding)));
    }
    for gap in &report.not_checked {
        let file = if gap.file.is_empty() { RUN } else { &gap.file };
        let message = format!("not checked: {}", gap.what);
        let case = Case {
            class: format!("{RUN}.not-checked"),
            name: gap.what.clone(),
            outcome: Outcome::Skipped,
            text: format!("{message}\n{}", gap.help),
            message,
        };
        out.push((file.to_owned(), case));
    }
    out
}

fn of_finding(report: &Report, finding: &Finding) -> Case {
    let outcome = match remark::level(finding) {
        Level::Error => Outcome::Failed,
        _ if finding.waiver.is_some() => Outcome::Skipped,
        _ => Outcome::Passed,
    };
    let waived = finding.waiver.as_ref().map(|waiver| format!("waived: {}", findings::waiver(waiver, 400)));
    let text = match outcome {
        Outcome::Failed => super::text::finding(report, finding),
        Outcome::Passed | Outcome::Error | Outcome::Skipped => remark::of_finding(report, finding).lines.join("\n"),
    };
    Case {
        class: format!("{RUN}.{}", finding.rule.replace('/', ".")),
        name: finding.path.clone(),
        outcome,
        message: waived.unwrap_or_else(|| finding.message.clone()),
        text,
    }
}

/// Systems that keep a history know a test by class and name.
fn tell_apart(cases: &mut [Case]) {
    let mut seen: OrderedMap<(String, String), usize> = OrderedMap::new();
    for case in cases {
        let count = seen.entry((case.class.clone(), case.name.clone())).or_default();
        *count += 1;
        if *count > 1 {
            case.name = format!("{} ({count})", case.name);
        }
    }
}

fn suite(name: &str, cases: &[Case], out: &mut String) {
    out.push_str(&format!(
        "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\">\n",
        attribute(name),
        cases.len(),
        count(cases, Outcome::Failed),
        count(cases, Outcome::Error),
        count(cases, Outcome::Skipped)
    ));
    for case in cases {
        let head = format!("classname=\"{}\" name=\"{}\"", attribute(&case.class), attribute(&case.name));
        let (message, text) = (attribute(&case.message), content(&case.text));
        let body = match case.outcome {
            Outcome::Passed => format!("<system-out>{text}</system-out>"),
            Outcome::Failed => {
                format!("<failure type=\"{}\" message=\"{message}\">{text}</failure>", attribute(&case.class))
            }
            Outcome::Error => {
                format!("<error type=\"{}\" message=\"{message}\">{text}</error>", attribute(&case.class))
            }
            // The schema has no attributes here.
            Outcome::Skipped => format!("<skipped>{text}</skipped>"),
        };
        out.push_str(&format!("    <testcase {head}>\n      {body}\n    </testcase>\n"));
    }
    out.push_str("  </testsuite>\n");
}

/// Longer names and messages are elided; both ends stay.
const LONGEST: usize = 600;

fn attribute(text: &str) -> String {
    escaped(&visible(&text::elide(text, LONGEST)))
}

fn content(text: &str) -> String {
    escaped(&visible_lines(text))
}

/// Markup becomes text. XML 1.0 has no way at all to write the last two characters of the first plane.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + text.len() / 8);
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\u{fffe}' | '\u{ffff}' => out.push_str(&format!("\\u{{{:x}}}", u32::from(c))),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_xml_cannot_hold_is_spelled_out() {
        assert_eq!(attribute("a\u{0}\u{b}<\"&'\n\u{ffff}"), "a\\u{0}\\u{b}&lt;&quot;&amp;'\\n\\u{ffff}");
        assert_eq!(content("]]>\n\u{1b}[0m"), "]]&gt;\n\\u{1b}[0m");
    }
}
