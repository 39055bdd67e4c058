//! One struct that evolves the same way in every language, as a page that is made from the reports.

use std::fmt::Write as _;

use crate::support::{Case, expect_file, fixtures, name_of, root};
use wireproof::evidence::{Direction, Surface};
use wireproof::formats::Format;
use wireproof::report::text::TextStyle;
use wireproof::report::{Finding, Report};
use wireproof::verdict::Policy;

/// What the fixtures are called.
const NAME: &str = "a-user-profile-evolves";

/// What changes in each language, and words in lower case that only what is said of it has.
const CHANGES: &[(&str, &[&str])] = &[
    ("the field for the name is called otherwise", &["fullname", "displayname", "full_name", "display_name"]),
    ("`email` is retired as the language has it", &["email"]),
    ("`age` grows from 32 to 64 bits", &["age`", ".age", "/age"]),
    ("`status` may be suspended", &["suspended", "status"]),
    ("`phone` is added", &["phone"]),
];

#[test]
fn the_page_of_the_user_profile_says_what_the_reports_say() {
    let cases: Vec<Case> =
        fixtures().into_iter().filter(|(path, _)| name_of(path) == NAME).map(|(_, case)| case).collect();
    let formats: Vec<Format> = cases.iter().map(|case| case.format).collect();
    assert_eq!(formats, Format::ALL, "each language has the fixture");
    let reports: Vec<(Format, Report)> =
        cases.iter().map(|case| (case.format, case.report(&Policy::default()))).collect();
    expect_file(&root().join("docs/user-profile.md"), &page(&reports))
        .unwrap_or_else(|difference| panic!("{difference}"));
}

fn page(reports: &[(Format, Report)]) -> String {
    let mut page = "<!-- Written by `UPDATE=1 cargo test`; do not edit. -->\n\n# One profile in every language\n\n\
        A user's profile changes in five points, in each language as people there change it. What readers experience \
        is not the same. The schemas are the fixtures `fixtures/*/a-user-profile-evolves`; of each finding the table has \
        the rule, and what new readers of old data and old readers of new data experience, on the wire or, for JSON \
        Schema, in JSON.\n\n"
        .to_owned();
    let titles: Vec<&str> = reports.iter().map(|(format, _)| format.title()).collect();
    writeln!(page, "| | {} |\n|---|{}", titles.join(" | "), "---|".repeat(titles.len())).expect("texts can be written");
    for (what, words) in CHANGES {
        let cells: Vec<String> = reports.iter().map(|(format, report)| cell(*format, report, words)).collect();
        writeln!(page, "| {what} | {} |", cells.join(" | ")).expect("texts can be written");
    }
    let verdicts: Vec<String> = reports.iter().map(|(_, report)| format!("**{}**", report.verdict.as_str())).collect();
    writeln!(page, "| the verdict | {} |", verdicts.join(" | ")).expect("texts can be written");
    for (format, report) in reports {
        let all = CHANGES.iter().flat_map(|(_, words)| words.iter());
        let words: Vec<&str> = all.copied().collect();
        for finding in &report.findings {
            assert!(is_about(finding, &words), "{}: nothing of the table says {}", format.name(), finding.message);
        }
        let text = wireproof::report::text::render(report, &TextStyle::default());
        writeln!(page, "\n## {}\n\n```text\n{}\n```", format.title(), text.trim_end()).expect("texts can be written");
    }
    page
}

fn is_about(finding: &Finding, words: &[&str]) -> bool {
    let said = format!("{} {}", finding.path, finding.message).to_lowercase();
    words.iter().any(|word| said.contains(word))
}

fn cell(format: Format, report: &Report, words: &[&str]) -> String {
    let surface = if format.name() == "json-schema" { Surface::Json } else { Surface::Wire };
    let told = |finding: &&Finding| is_about(finding, words);
    let one = |finding: &Finding| {
        let outcome = |direction: Direction| {
            let cell = finding.impact.iter().find(|cell| cell.surface == surface && cell.direction == direction);
            cell.map_or("safe", |cell| cell.outcome.as_str()).to_owned()
        };
        let rule = finding.rule.rsplit('/').next().unwrap_or_default();
        let link = format!("[{rule}](rules/{}-{rule}.md)", format.name());
        format!("{link}: {}, {}", outcome(Direction::Backward), outcome(Direction::Forward))
    };
    let cells: Vec<String> = report.findings.iter().filter(told).map(one).collect();
    if cells.is_empty() { "nothing to say".to_owned() } else { cells.join("<br>") }
}
