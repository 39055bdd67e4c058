//! What people read, compared with the files in `tests/data/render`. `UPDATE=1 cargo test` writes them.

use proptest::prelude::*;
use serde_json::json;

use crate::support::{expect_file, root};
use wireproof::explain::{self, ListFormat};
use wireproof::ordered::OrderedMap;
use wireproof::report::links::Links;
use wireproof::report::text::{Color, Detail, LongLines, TextStyle};
use wireproof::report::{
    Again, BytePart, Cell, Edit, Evidence, FileDiff, Finding, Hunk, Location, ModeVerdict, NotChecked, PatchContext,
    Problem, Report, RoundTrips, SourceInfo, Stats, Suggestion, Tool, Waiver, Way, WayStep, github, gitlab, html, json,
    junit, markdown, sarif, text,
};
use wireproof::vocabulary::{
    Class, Direction, Mode, Open, Outcome, ProblemSeverity, ProblemSide, Status, StepKind, Surface, UpgradeOrder,
};

/// Compares with the file of that name, or writes it.
pub(crate) fn check(name: &str, actual: &str) {
    let path = root().join("tests/data/render").join(name);
    expect_file(&path, actual).unwrap_or_else(|difference| panic!("{difference}"));
}

fn plain(detail: Detail) -> TextStyle {
    TextStyle { color: Color::Plain, detail, ..TextStyle::default() }
}

/// A report of nothing, to be filled in.
fn report(verdict: &str) -> Report {
    let passes = verdict != "breaking";
    let mode = |mode: &str, passes| ModeVerdict { mode: Open::of_name(mode), passes, costs: None };
    Report {
        tool: Tool { name: "wireproof".to_owned(), version: "0.1.0".to_owned() },
        verdict: Open::of_name(verdict),
        mode: Mode::Full.into(),
        modes_by_format: OrderedMap::new(),
        surfaces: vec![Surface::Wire.into()],
        profile: None,
        judged_by: Vec::new(),
        configured_by: None,
        fail_on: Outcome::Lossy.into(),
        arguments: vec![],
        again: None,
        old: SourceInfo { source: "git:3f2a91c (merge base of main)".to_owned() },
        new: SourceInfo { source: "working tree".to_owned() },
        strictest_mode: if passes { Mode::Full } else { Mode::None }.into(),
        modes: vec![mode("none", true), mode("backward", passes), mode("forward", passes), mode("full", passes)],
        versions: vec![],
        upgrade_order: if passes { UpgradeOrder::Any } else { UpgradeOrder::None }.into(),
        findings: vec![],
        problems: vec![],
        not_checked: vec![],
        round_trips: RoundTrips { types: 2, messages: 48, unexplained: 0 },
        stats: Stats { files_old: 14, files_new: 14, files_parsed: 2, changes: 1, excluded: None },
        diffs: Vec::new(),
        shard: None,
        plan: None,
    }
}

/// The way to what is wanted, with steps of these words.
fn way(words: &str, commit: &str) -> Way {
    let words_of_command = ["plan", commit, "."].map(str::to_owned).to_vec();
    let step = |kind: StepKind, deploy: Option<&str>, wait: Option<&str>| WayStep {
        kind: kind.into(),
        says: vec![format!("{kind} {words}"), format!("and see to {words}")],
        deploy: deploy.map(str::to_owned),
        wait: wait.map(str::to_owned),
    };
    let queues = "queues and backups count as data";
    Way {
        command: Again { pull_request: None, words: words_of_command },
        tried: true,
        steps: vec![
            step(StepKind::Expand, Some("in any order"), None),
            step(StepKind::Migrate, None, Some(queues)),
            step(StepKind::Contract, Some(words), None),
        ],
        differs: vec![format!("{words} is called otherwise")],
    }
}

/// All six cells: wire, json and source, each backward and forward.
fn impact(outcomes: [&str; 6]) -> Vec<Cell> {
    let places =
        Surface::ALL.iter().flat_map(|surface| Direction::ALL.iter().map(move |direction| (*surface, *direction)));
    let cell = |((surface, direction), outcome): ((Surface, Direction), &str)| Cell {
        surface: surface.into(),
        direction: direction.into(),
        outcome: Open::of_name(outcome),
    };
    places.zip(outcomes).map(cell).collect()
}

fn finding(rule: &str, severity: &str, path: &str, message: &str) -> Finding {
    Finding {
        id: "9c1f03ab27de41b0".to_owned(),
        rule: rule.to_owned(),
        title: "A title".to_owned(),
        family: rule.rsplit('/').next().unwrap_or_default().to_owned(),
        format: "protobuf".to_owned(),
        severity: Open::of_name(severity),
        breaking: severity == "error",
        costs: vec![],
        versions: vec![],
        path: path.to_owned(),
        message: message.to_owned(),
        why: String::new(),
        fix: String::new(),
        class: Class::Compatibility.into(),
        impact: impact(["safe"; 6]),
        old: None,
        new: None,
        peers: OrderedMap::new(),
        evidence: vec![],
        suggestion: None,
        peer_reports: Vec::new(),
        waiver: None,
    }
}

/// The part of `text` between the columns, as a location.
fn location(file: &str, line: u32, text: &str, column: u32, end_column: u32) -> Location {
    Location { file: file.to_owned(), line, column, end_line: line, end_column, text: text.to_owned() }
}

fn evidence(
    direction: &str,
    outcome: &str,
    wrote: serde_json::Value,
    bytes: &str,
    read: serde_json::Value,
) -> Evidence {
    Evidence {
        runtime: "spec".to_owned(),
        surface: Surface::Wire.into(),
        direction: Open::of_name(direction),
        outcome: Open::of_name(outcome),
        status: Status::Agrees.into(),
        writer: String::new(),
        reader: String::new(),
        wrapper: String::new(),
        type_name: "shop.v1.User".to_owned(),
        wrote: wrote.into(),
        bytes: bytes.to_owned(),
        read: read.into(),
        written_parts: Vec::new(),
        read_parts: Vec::new(),
        encoded: Vec::new(),
    }
}

fn reused() -> Finding {
    let mut finding = finding(
        "protobuf/field-reused",
        "error",
        "shop.v1.User.phone_number",
        "`shop.v1.User.phone_number` (int32) takes number 2, which was `email` (string)",
    );
    finding.why = "A number identifies a field for ever. Whoever stored an `email` under 2 now meets a reader that looks for an int32 there, \
                   skips it, and sees no phone number and no email.\n"
        .to_owned();
    finding.fix = "Give `phone_number` a number that was never used, and reserve 2 and \"email\".\n".to_owned();
    finding.impact = impact(["lossy", "lossy", "lossy", "lossy", "fails", "fails"]);
    finding.old = Some(location("shop/user.proto", 4, "  string email = 2;", 3, 20));
    finding.new = Some(location("shop/user.proto", 5, "  int32 phone_number = 2;", 3, 26));
    finding.peers =
        OrderedMap::from([("buf".to_owned(), vec!["FIELD_SAME_NAME".to_owned(), "FIELD_SAME_TYPE".to_owned()])]);
    let mut observer =
        evidence("backward", "fails", json!({"email": "a@b.c"}), "1205614062", json!("invalid wire type"));
    observer.runtime = "prost".to_owned();
    finding.evidence = vec![
        evidence("backward", "lossy", json!({"email": "a@b.c"}), "12056140622e63", json!({"phone_number": 0})),
        evidence("forward", "lossy", json!({"phone_number": 150}), "109601", json!({"email": ""})),
        observer,
    ];
    finding
}

fn removed() -> Finding {
    let mut finding = finding(
        "protobuf/field-removed-unreserved",
        "error",
        "shop.v1.User.nickname",
        "`shop.v1.User.nickname` was removed and neither its number 7 nor its name is reserved",
    );
    finding.class = Class::Hygiene.into();
    finding.why = "Nothing stops the next author from taking 7 for something else, and data written today would be read as that.\n".to_owned();
    finding.fix = "Reserve the number and the name.\n".to_owned();
    finding.old = Some(location("shop/user.proto", 9, "  string nickname = 7;", 3, 23));
    finding.suggestion = Some(Suggestion {
        file: "shop/user.proto".to_owned(),
        edits: vec![Edit { start: 60, end: 60, insert: "  reserved 7;\n  reserved \"nickname\";\n".to_owned() }],
        context: Some(PatchContext {
            line: 3,
            start: 45,
            text: "message User {\n  int32 phone_number = 2;\n".to_owned(),
        }),
    });
    finding
}

fn added(name: &str, line: u32) -> Finding {
    let mut finding = finding(
        "protobuf/field-added",
        "note",
        &format!("shop.v1.Order.{name}"),
        &format!("`shop.v1.Order.{name}` is new"),
    );
    finding.impact = impact(["defaulted", "safe", "defaulted", "safe", "safe", "safe"]);
    finding.why = "Old data has no such field; new readers see its default.\n".to_owned();
    finding.new = Some(location("shop/order.proto", line, &format!("  string {name} = {line};"), 3, 20));
    finding
}

fn renamed() -> Finding {
    let mut finding = finding(
        "protobuf/field-renamed",
        "note",
        "shop.v1.User.title",
        "`shop.v1.User.title` was called `headline`; the number 3 stays",
    );
    finding.impact = impact(["safe", "safe", "lossy", "lossy", "fails", "fails"]);
    finding.old = Some(location("shop/user.proto", 5, "  string headline = 3;", 10, 18));
    finding.new = Some(location("shop/user.proto", 6, "  string title = 3;", 10, 15));
    finding
}

fn value_removed() -> Finding {
    let mut finding = finding(
        "protobuf/enum-value-removed",
        "warning",
        "shop.v1.Colour.RED",
        "`shop.v1.Colour.RED` (1) was removed; the number and the name are reserved",
    );
    finding.impact = impact(["unrecognized", "safe", "unrecognized", "safe", "fails", "safe"]);
    finding.why = "Stored messages may still hold 1.\n".to_owned();
    finding.fix = "Keep the value and mark it `deprecated = true` until no data holds it.\n".to_owned();
    finding.old = Some(location("shop/colour.proto", 6, "  RED = 1;", 3, 11));
    finding.evidence =
        vec![evidence("backward", "unrecognized", json!({"colour": "RED"}), "0801", json!({"colour": 1}))];
    finding
}

pub(crate) fn breaking() -> Report {
    let mut report = report("breaking");
    report.findings = vec![reused(), removed(), value_removed(), added("note", 12), renamed()];
    report.stats.changes = 5;
    report.plan = Some(way("`email_v2`", "git:3f2a91c"));
    report
}

fn unknown() -> Report {
    let mut report = report("unknown");
    report.problems = vec![
        Problem {
            severity: ProblemSeverity::Error.into(),
            side: Some(ProblemSide::New.into()),
            file: Some("shop/user.proto".to_owned()),
            line: Some(12),
            column: Some(23),
            text: Some("  string nickname = 19;".to_owned()),
            message: "field number 19 is used twice in `shop.v1.User`".to_owned(),
            help: "give `nickname` another number; the next free one is 20".to_owned(),
        },
        Problem {
            severity: ProblemSeverity::Error.into(),
            side: None,
            file: None,
            line: None,
            column: None,
            text: None,
            message: "the clone is too shallow to know the merge base".to_owned(),
            help: "run `git fetch --unshallow`".to_owned(),
        },
        Problem {
            severity: ProblemSeverity::Warning.into(),
            side: Some(ProblemSide::Both.into()),
            file: Some("shop/order.proto".to_owned()),
            line: None,
            column: None,
            text: None,
            message: "import \"google/api/annotations.proto\" was not found".to_owned(),
            help: "run `buf dep update`, or pass `-I DIR` with the folder that has it".to_owned(),
        },
    ];
    report.not_checked = vec![NotChecked {
        file: "shop/order.proto".to_owned(),
        what: "types of google/api/annotations.proto".to_owned(),
        help: "pass `-I DIR` with the folder that has it".to_owned(),
    }];
    report.findings = vec![value_removed()];
    report
}

fn warnings() -> Report {
    let mut report = report("compatible");
    report.mode = Mode::Backward.into();
    report.surfaces = vec![Surface::Wire.into(), Surface::Json.into()];
    report.fail_on = Outcome::Wrong.into();
    report.new.source = "git:HEAD".to_owned();
    report.upgrade_order = UpgradeOrder::WritersFirst.into();
    let mut second = value_removed();
    let mut text = evidence("backward", "unrecognized", json!({"colour": "RED"}), "{\"colour\":\"RED\"}", json!({}));
    text.surface = Surface::Json.into();
    second.evidence = vec![text];
    second.path = "shop.v1.Colour.BLUE".to_owned();
    report.findings = vec![value_removed(), second];
    report
}

pub(crate) fn hostile() -> Report {
    const NAME: &str = "@everyone | <script>alert(1)</script> `x` #123 [a](http://e.vil) \u{1b}[31mred\u{1b}]8;;http://e.vil\u{7} \u{202e}dlrow";
    let mut report = report("breaking");
    report.old.source = format!("{NAME}\nsecond line");
    let mut bad = reused();
    bad.path = format!("shop.{NAME}\nnext");
    bad.message = format!("`shop.{NAME}\nnext` takes number 2");
    bad.why = format!("Because of {NAME}.\n\n\n::error::not a command ##[stop-commands]\n");
    bad.fix = "```\n</details><!-- wireproof\n".to_owned();
    bad.old =
        Some(location(&format!("shop/{NAME}.proto"), 4, "  string email = 2; // \u{1b}[2J \u{202e} \u{9b}1m", 3, 20));
    bad.new = Some(location("a\nb.proto", 5, "\t\tint32 größe = 2; /* `|` ``` */", 3, 19));
    bad.evidence = vec![evidence(
        "backward",
        "lossy",
        json!({NAME: "```\n\u{1b}[0m"}),
        "12056140622e63",
        json!({"x": "\u{202e}|"}),
    )];
    bad.evidence[0].type_name = NAME.to_owned();
    report.findings = vec![bad];
    report.not_checked = vec![NotChecked { file: NAME.to_owned(), what: NAME.to_owned(), help: NAME.to_owned() }];
    report.problems = vec![Problem {
        severity: ProblemSeverity::Warning.into(),
        side: Some(ProblemSide::New.into()),
        file: Some(NAME.to_owned()),
        line: Some(1),
        column: Some(5),
        text: Some(NAME.to_owned()),
        message: NAME.to_owned(),
        help: NAME.to_owned(),
    }];
    report.plan = Some(way(NAME, "git:main"));
    report
}

fn columns() -> Report {
    let mut report = report("breaking");
    let mut tabs = reused();
    tabs.evidence.clear();
    tabs.old = Some(location("tabs.proto", 3, "\tstring\temail = 2;", 2, 19));
    tabs.new = Some(location("umlaut.proto", 4, "  /* größe */ int32 phone = 2;", 15, 31));
    let mut crab = tabs.clone();
    crab.old = Some(location("crab.proto", 5, "  /* 🦀🦀 */ string email = 2;", 14, 31));
    crab.new = Some(Location {
        file: "block.proto".to_owned(),
        line: 8,
        column: 1,
        end_line: 40,
        end_column: 2,
        text: "message User {\n  string a = 1;\n  string b = 2;\n  string c = 3;\n".to_owned(),
    });
    report.findings = vec![tabs, crab];
    report
}

pub(crate) fn many(count: u32) -> Report {
    let mut report = breaking();
    report.findings = vec![];
    for at in 0..count {
        let mut one = reused();
        one.path = format!("shop.v1.User.field_{at}");
        one.message = format!("`shop.v1.User.field_{at}` takes number {at}, which was `old_{at}`");
        if at % 2 == 1 {
            one.rule = "protobuf/field-type-changed".to_owned();
        }
        report.findings.push(one);
    }
    for at in 0..count {
        report.findings.push(added(&format!("field_{at}"), at + 1));
    }
    report
}

/// One break is waived, by somebody whose words are no markup, and a warning too; another break is not.
fn waived() -> Report {
    let mut report = breaking();
    let waiver = |reason: &str, owner: Option<&str>, until: Option<&str>, line| Waiver {
        reason: reason.to_owned(),
        owner: owner.map(str::to_owned),
        until: until.map(str::to_owned),
        file: ".wireproof-waivers.yaml".to_owned(),
        line,
        added_here: line > 4,
    };
    report.findings[0].waiver =
        Some(waiver("@everyone <b>gone</b> | `x` \u{202e}[a](http://e.vil)\n::error::no", Some("*pay*"), None, 12));
    report.findings[2].waiver = Some(waiver("the old app is gone", Some("payments"), Some("2026-12-31"), 4));
    for at in [0, 2] {
        report.findings[at].breaking = false;
    }
    report
}

pub(crate) fn cases() -> Vec<(&'static str, Report)> {
    let mut compatible = report("compatible");
    compatible.findings = vec![added("note", 12), renamed()];
    let mut nothing = report("compatible");
    nothing.stats.changes = 0;
    nothing.round_trips = RoundTrips { types: 0, messages: 0, unexplained: 0 };
    vec![
        ("nothing-changed", nothing),
        ("compatible", compatible),
        ("breaking", breaking()),
        ("unknown", unknown()),
        ("only-warnings", warnings()),
        ("hostile-names", hostile()),
        ("columns", columns()),
        ("changed-lines", changed_lines()),
        ("waived", waived()),
    ]
}

/// What a report of today holds beyond the others: changed lines, and bytes with what they are on both sides.
fn changed_lines() -> Report {
    let mut report = report("breaking");
    let part =
        |start, end, field: &str, what: &str| BytePart { start, end, field: field.to_owned(), what: what.to_owned() };
    let mut finding = reused();
    finding.evidence.truncate(1);
    finding.evidence[0].written_parts = vec![
        part(0, 1, "email", "tag: field 2, length-delimited"),
        part(1, 2, "email", "length 5"),
        part(2, 7, "email", "\"a@b.c\""),
    ];
    finding.evidence[0].read_parts = vec![
        part(0, 1, "phone_number", "tag: field 2, length-delimited"),
        part(1, 7, "phone_number", "skipped: the reader expects varint"),
    ];
    report.findings = vec![finding];
    let lines = [" message User {", "-  string email = 2;", "+\tint32 phone_number = 2; // ```", " }"];
    let hunk = Hunk { old_line: 3, new_line: 3, lines: lines.map(str::to_owned).to_vec() };
    let diff = |old: Option<&str>, new: Option<&str>, truncated| FileDiff {
        old: old.map(str::to_owned),
        new: new.map(str::to_owned),
        hunks: vec![hunk.clone()],
        truncated,
    };
    report.diffs = vec![
        diff(Some("shop/user.proto"), Some("shop/user.proto"), false),
        diff(Some("shop/old.proto"), Some("shop/new.proto"), true),
        diff(Some("shop/gone.proto"), None, false),
    ];
    report
}

#[test]
fn where_nothing_was_written_it_is_said_of_what_was_checked() {
    let told = |not_checked| {
        let round_trips = RoundTrips { types: 0, messages: 0, unexplained: 0 };
        let out = text::render(&Report { round_trips, not_checked, ..report("compatible") }, &plain(Detail::Normal));
        out.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let of_all = "no message had to be written: no changed type with bytes of its own is on both sides";
    let of_some = "no message was written: of what was checked, no changed type with bytes of its own is on both sides";
    let gap = |what: &str| NotChecked { file: "a.fbs".to_owned(), what: what.to_owned(), help: String::new() };
    assert!(told(vec![]).contains(of_all), "{}", told(vec![]));
    assert!(told(vec![gap("types of b.fbs")]).contains(of_some), "{}", told(vec![gap("types of b.fbs")]));
    let none = told(vec![gap("synthetic data of `a.Root`, because none can be written")]);
    assert!(none.contains("no message was written: what was not checked says why"), "{none}");
}

#[test]
fn the_terminal_shows_every_situation() {
    for (name, report) in cases() {
        check(&format!("{name}.txt"), &text::render(&report, &plain(Detail::Normal)));
    }
    check("many-findings.txt", &text::render(&many(130), &plain(Detail::Normal)));
    check("breaking-verbose.txt", &text::render(&breaking(), &plain(Detail::Verbose)));
    check("breaking-quiet.txt", &text::render(&breaking(), &plain(Detail::Quiet)));
}

#[test]
fn a_reader_that_only_illustrates_does_not_put_the_rule_in_the_wrong() {
    let shown = |runtime: &str| {
        let mut finding = reused();
        let seen = evidence("backward", "safe", json!({}), "", json!({}));
        let seen = Evidence { runtime: runtime.to_owned(), status: Status::Contradicts.into(), ..seen };
        finding.evidence.push(seen);
        text::render(&Report { findings: vec![finding], ..report("breaking") }, &plain(Detail::Normal))
    };
    assert!(!shown("java (modelled)").contains("contradiction"));
    assert!(shown("java (modelled)").contains("with java (modelled), new readers of old data see every shared value"));
    assert!(shown("spec").contains("contradiction"));
}

#[test]
fn colours_change_nothing_but_colours() {
    let style = TextStyle { color: Color::Ansi, ..TextStyle::default() };
    for (name, report) in cases() {
        let colored = text::render(&report, &style);
        assert!(colored.contains('\u{1b}'), "{name} has no colour");
        let mut stripped = String::new();
        let mut rest = colored.as_str();
        while let Some((before, after)) = rest.split_once("\u{1b}[") {
            stripped.push_str(before);
            rest = after.split_once('m').map_or("", |(_, rest)| rest);
        }
        stripped.push_str(rest);
        assert_eq!(stripped, text::render(&report, &plain(Detail::Normal)), "{name}");
    }
}

#[test]
fn a_mark_stays_with_its_mode_however_narrow_the_terminal() {
    let modes = ["none", "backward", "forward", "full"];
    for (width, color) in [40, 50, 60, 80].into_iter().flat_map(|width| [(width, Color::Plain), (width, Color::Ansi)]) {
        let style = TextStyle { color, width, lines: LongLines::Broken, ..TextStyle::default() };
        for (name, report) in cases().into_iter().filter(|(_, report)| report.modes.len() == modes.len()) {
            let out = text::render(&report, &style);
            // Where nothing is told there is no foot, and else it says which modes pass, or that nobody knows.
            let foot = out.lines().skip_while(|line| !line.contains("modes  ")).take(6).collect::<Vec<_>>().join("\n");
            for mode in modes.into_iter().filter(|_| foot.contains("none")) {
                let marked = |mark: &str| foot.contains(&format!("{mode} {mark}"));
                assert!(marked("✓") || marked("✗") || marked("\u{1b}["), "{name}, {width} columns: {mode} in\n{foot}");
            }
        }
    }
}

#[test]
fn nothing_in_a_schema_acts_on_the_terminal() {
    for detail in [Detail::Quiet, Detail::Normal, Detail::Verbose] {
        let out = text::render(&hostile(), &plain(detail));
        let bad = out.chars().find(|c| (c.is_control() && *c != '\n') || ('\u{202a}'..='\u{202e}').contains(c));
        assert_eq!(bad, None, "{out}");
        let command = out.lines().find(|line| line.contains("##[") || line.trim_start().starts_with("::error"));
        assert_eq!(command, None, "a CI runner would obey this line");
    }
}

#[test]
fn many_findings_are_counted_never_dropped() {
    let report = many(130);
    let out = text::render(&report, &plain(Detail::Normal));
    assert!(out.contains("lossy[protobuf/field-reused] ×65: A title: shop/user.proto: "), "{out}");
    assert!(out.contains("and 53 more") && out.contains("`-v` shows each finding"), "{out}");
    assert!(out.contains("note[protobuf/field-added] ×130: A title: "), "{out}");
    assert!(out.lines().count() <= 60, "{out}");
    let all = text::render(&report, &plain(Detail::Verbose));
    for at in 0..130 {
        assert!(all.contains(&format!("field_{at}`")), "field_{at} is missing");
    }
}

#[test]
fn a_saved_report_reads_back_the_same() {
    for (name, report) in cases() {
        let saved = json::render(&report);
        let again = json::parse(&saved).unwrap_or_else(|problem| panic!("{name}: {}", problem.message));
        assert_eq!(json::render(&again), saved, "{name}");
    }
    check("breaking.json", &json::render(&breaking()));
}

#[test]
fn a_file_that_is_no_report_is_refused_with_its_place() {
    let message = |text: &str| {
        let problem = json::parse(text).expect_err("this is no report");
        format!("{:?}:{:?} {} -- {}\n", problem.line, problem.column, problem.message, problem.help)
    };
    let newer = json::render(&breaking()).replace("wireproof.report/v1", "wireproof.report/v2");
    let wrong = json::render(&breaking()).replace("\"breaking\": true", "\"breaking\": \"yes\"");
    let all = ["", "{", "[1, 2]", "{\"schema\": \"sarif\"}", &newer, &wrong].map(message).concat();
    check("refused.txt", &all);
}

#[test]
fn the_comment_shows_every_situation() {
    for (name, report) in cases() {
        check(&format!("{name}.md"), &markdown::render(&report, &Links::default()));
    }
}

#[test]
fn the_comment_stays_below_the_limit_and_says_what_it_left_out() {
    for count in [10, 60, 130, 400, 3000] {
        let out = markdown::render(&many(count), &Links::default());
        assert!(out.len() <= 60_000, "{count} findings of a kind make {} bytes", out.len());
        check(&format!("many-{count}.md"), &out);
    }
    let mut report = hostile();
    report.findings[0].path = "`|@x ".repeat(4_000);
    report.findings[0].message = report.findings[0].path.clone();
    report.findings[0].rule = report.findings[0].path.clone();
    report.findings = vec![report.findings[0].clone(); 300];
    report.not_checked = vec![report.not_checked[0].clone(); 5000];
    report.problems = vec![report.problems[0].clone(); 5000];
    report.old.source = "\u{1f980}".repeat(100_000);
    let mut long = way(&"`|@x ".repeat(4_000), "git:main");
    long.steps = vec![long.steps[0].clone(); 2_000];
    long.steps[0].says = vec![long.steps[0].says[0].clone(); 5_000];
    report.plan = Some(long);
    assert!(markdown::render(&report, &Links::default()).len() <= 60_000);
}

/// A rule file that uses everything a page can show.
const RULE: &str = r#"
id: protobuf/integer-zigzag-exchanged
title: An integer field switched between plain and zigzag encoding
family: field-type-changed
since: 0.1.0
when:
  change: field-type-changed
  facts: { relation: zigzag }
impact:
  wire:   { backward: wrong, forward: wrong }
  json:   { backward: "{json-reads-old}",  forward: safe }
  source: { backward: safe,  forward: fails }
class: compatibility
message: "`{path}` changed from {old-type} to {new-type}: stored numbers will be misread"
why: |
  Both encodings use the same wire type, so no reader notices.
  The value 1 is read back as -1.
fix: |
  Add a new field with a new number, migrate readers, then reserve the old number.
references: ["https://protobuf.dev/programming-guides/encoding/#signed-ints"]
examples:
  - old: |
      syntax = "proto3";
      message M { int32 id = 1; }
    new: |
      syntax = "proto3";
      message M { sint32 id = 1; }
  - note: widening keeps the coding
    fires: false
    old: |
      syntax = "proto3";
      message M { int32 id = 1; }
    new: |
      syntax = "proto3";
      message M { uint32 id = 1; }
"#;

#[test]
fn a_rule_has_a_page() {
    let files = [wireproof::rules::RuleText { file: "rules/protobuf/integer-zigzag-exchanged.yaml", text: RULE }];
    let rules = wireproof::rules::RuleSet::from_files(&files).unwrap_or_else(|errors| panic!("{errors:?}"));
    let rule = rules.get("protobuf/integer-zigzag-exchanged").expect("it was just read");
    check("explain.md", &explain::page(rule));
    check("explain.txt", &explain::terminal(rule, &plain(Detail::Normal)));
    check("rules.txt", &explain::list(&[rule], ListFormat::Text));
    check("rules.json", &explain::list(&[rule], ListFormat::Json));
}

/// Text with everything a renderer could stumble over.
fn odd_text() -> impl Strategy<Value = String> {
    let pieces = [
        "",
        "a",
        "\n",
        "\r\n",
        "\t",
        "é",
        "🦀",
        "\u{1b}[0m",
        "\u{202e}",
        "`",
        "|",
        "::",
        "{}",
        " ",
        "ff",
        "\u{fffd}",
        "\u{200d}",
    ];
    prop::collection::vec(prop::sample::select(pieces.to_vec()), 0..12).prop_map(|parts| parts.concat())
}

const RIGHT_TO_LEFT: char = '\u{202e}';

fn odd_number() -> impl Strategy<Value = u32> {
    prop_oneof![0..12u32, Just(u32::MAX), Just(u32::MAX - 1)]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    /// A saved report may have been edited by anybody: whatever it holds, it is shown.
    #[test]
    fn no_report_is_too_odd_to_show(words in prop::collection::vec(odd_text(), 12), n in prop::collection::vec(odd_number(), 12)) {
        let mut report = breaking();
        let odd = Location { file: words[0].clone(), line: n[0], column: n[1], end_line: n[2], end_column: n[3], text: words[1].clone() };
        for finding in &mut report.findings {
            finding.message.clone_from(&words[2]);
            finding.why.clone_from(&words[3]);
            finding.new = Some(odd.clone());
            finding.old = Some(Location { text: words[4].clone(), ..odd.clone() });
            for evidence in &mut finding.evidence {
                evidence.bytes.clone_from(&words[5]);
            }
            finding.suggestion = Some(Suggestion {
                file: words[6].clone(),
                edits: vec![
                    Edit { start: n[4], end: n[5], insert: words[7].clone() },
                    Edit { start: n[6], end: n[7], insert: words[8].clone() },
                ],
                context: Some(PatchContext { line: n[8], start: n[9] % 4, text: words[9].repeat(3) }),
            });
        }
        report.problems = unknown().problems;
        report.problems[0].text = Some(words[10].clone());
        report.problems[0].line = Some(n[10]);
        report.problems[0].column = Some(n[11]);
        report.mode = Open::of_name(&words[11]);
        report.plan = Some(way(&words[2], if n[0] % 2 == 0 { "git:main" } else { &words[3] }));
        for detail in [Detail::Quiet, Detail::Normal, Detail::Verbose] {
            let out = text::render(&report, &plain(detail));
            let acts = out.chars().any(|c| c == '\x1b' || c == RIGHT_TO_LEFT);
            prop_assert!(!acts, "{}", out);
        }
        let acts = markdown::render(&report, &Links::default()).contains(RIGHT_TO_LEFT);
        prop_assert!(!acts, "the comment turns text around");
        for render in [sarif::render, junit::render, gitlab::render, github::render, |report: &Report| html::render(report, &Links::default())] {
            let out = render(&report);
            prop_assert!(!out.chars().any(|c| c == '\x1b' || c == RIGHT_TO_LEFT), "{}", out);
        }
    }
}

#[test]
fn the_lines_around_an_edit_are_cut_out_of_the_file() {
    let file = "a\nb\nc\nd\ne\n";
    let edit = |start, end| Edit { start, end, insert: "x\n".to_owned() };
    let cut =
        |edits: &[Edit]| PatchContext::cut(file, edits).map(|context| (context.line, context.start, context.text));
    assert_eq!(cut(&[edit(4, 4)]), Some((2, 2, "b\nc\nd\n".to_owned())));
    assert_eq!(cut(&[edit(0, 0)]), Some((1, 0, "a\nb\n".to_owned())));
    assert_eq!(cut(&[edit(10, 10)]), Some((5, 8, "e\n".to_owned())));
    assert_eq!(cut(&[edit(2, 3), edit(6, 7)]), Some((1, 0, file.to_owned())));
    assert_eq!(cut(&[]), None);
    assert_eq!(cut(&[edit(11, 11)]), None);
    assert_eq!(PatchContext::cut("ä", &[edit(1, 1)]).map(|context| context.line), None);
}

#[test]
fn a_patch_keeps_tabs_and_foreign_line_ends_off_the_screen() {
    let mut report = breaking();
    report.findings.truncate(2);
    report.findings[1].suggestion = Some(Suggestion {
        file: "shop/user.proto".to_owned(),
        edits: vec![Edit { start: 25, end: 25, insert: "\treserved 7;\r\n".to_owned() }],
        context: Some(PatchContext { line: 3, start: 9, text: "message User {\r\n\tint32 phone = 2;\r\n".to_owned() }),
    });
    let out = text::render(&report, &plain(Detail::Normal));
    assert!(out.contains("\n4 +     reserved 7;\n"), "{out}");
    assert!(markdown::render(&report, &Links::default()).contains("\n+\treserved 7;\n"));
    let behind = Edit { start: 23, end: 23, insert: "\n\treserved 7;".to_owned() };
    let lines = PatchContext { line: 3, start: 9, text: "message User {\n\tint32 phone = 2;\n".to_owned() };
    report.findings[1].suggestion =
        Some(Suggestion { file: "shop/user.proto".to_owned(), edits: vec![behind], context: Some(lines) });
    let out = text::render(&report, &plain(Detail::Normal));
    assert!(out.contains("\n  |\n4 +     reserved 7;\n"), "{out}");
}
