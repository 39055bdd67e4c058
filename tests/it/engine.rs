//! The opinion engine on hand-made changes: what is claimed, what is shown, what breaks.

use wireproof::change::{Change, ChangeKind, FactKey, Facts, Identity, Pair, Site, Span};
use wireproof::evidence::{Direction, Observation, Observed, Outcome, Surface, Witness};
use wireproof::formats::{Checked, Format};
use wireproof::pipeline;
use wireproof::report::Report;
use wireproof::rules::{RuleSet, RuleText};
use wireproof::safeguards::Safeguards;
use wireproof::source::Snapshot;
use wireproof::verdict::{Mode, Override, Policy};
use wireproof::vocabulary::ProblemSeverity;
use wireproof::vocabulary::{Status, UpgradeOrder, Verdict};

/// `class` is the lines on class and severity; `wire` is backward and forward.
fn rule(name: &str, kind: &str, class: &str, wire: [&str; 2], evidence: &str) -> String {
    format!(
        "id: protobuf/{name}\ntitle: T\nfamily: {kind}\nsince: 0.1.0\nclass: {class}\nwhen: {{ change: {kind} }}\n\
         impact:\n  wire: {{ backward: \"{}\", forward: \"{}\" }}\n  json: {{ backward: safe, forward: safe }}\n  \
         source: {{ backward: fails, forward: fails }}\nevidence: {evidence}\nmessage: \"`{{path}}` is {{number}}\"\n\
         why: W\nfix: F\n",
        wire[0], wire[1]
    )
}

fn rules(texts: &[String]) -> RuleSet {
    let files: Vec<RuleText<'_>> = texts.iter().map(|text| RuleText { file: "test.yaml", text }).collect();
    RuleSet::from_files(&files).expect("the rules of these tests are well formed")
}

fn the_rules() -> RuleSet {
    rules(&[
        rule("reused", "field-reused", "compatibility", ["wrong", "lossy"], "illustrates"),
        rule("forward", "enum-value-added", "compatibility", ["safe", "unrecognized"], "illustrates"),
        rule("data", "field-utf8-changed", "compatibility", ["fails", "fails"], "decides"),
        rule("told", "field-type-changed", "compatibility", ["{reads-old}", "{reads-new}"], "illustrates"),
        rule("guard", "field-removed", "hygiene\nseverity: error", ["safe", "defaulted"], "illustrates"),
        rule("method", "method-removed", "compatibility", ["fails", "safe"], "none"),
        rule("new-method", "method-added", "compatibility", ["safe", "safe"], "none"),
    ])
}

fn change(kind: ChangeKind, identity: &str) -> Change {
    let site = Site { file: "a.proto".into(), span: Span::new(2, 3) };
    Change {
        kind,
        path: format!("shop.v1.{identity}"),
        identity: Identity(identity.to_owned()),
        at: Pair::new(Some(site.clone()), Some(site)),
        facts: Facts::none().with(FactKey::Number, "4"),
        suggestion: None,
        reports: Vec::new(),
        members: std::sync::Arc::default(),
        left_out: Default::default(),
        heading: None,
    }
}

fn seen(identity: &str, surface: Surface, direction: Direction, outcome: Outcome) -> Observation {
    let witness = Witness {
        written_parts: Vec::new(),
        read_parts: Vec::new(),
        type_name: "shop.v1.M".to_owned(),
        wrote: serde_json::json!({ "x": 1 }).into(),
        bytes: vec![8, 1],
        read: serde_json::json!({ "x": -1 }).into(),
        ..Witness::default()
    };
    Observation { identity: Identity(identity.to_owned()), runtime: "spec", surface, direction, outcome, witness }
}

fn observed(observations: Vec<Observation>, exercised: &[&str]) -> Observed {
    let exercised = exercised.iter().flat_map(|identity| {
        Direction::ALL.iter().map(|direction| (Identity((*identity).to_owned()), Surface::Wire, *direction))
    });
    let exercised = exercised.collect();
    Observed { observations, exercised, types: 1, messages: 7, ..Observed::default() }
}

fn run(changes: Vec<Change>, observed: Observed, policy: &Policy) -> Report {
    let snapshot = Snapshot::from_files([("a.proto", b"a\nb\n".to_vec())]);
    let checked = Checked { changes, observed, ..Checked::default() };
    pipeline::report(
        &pipeline::Input {
            snapshots: Pair::new(&snapshot, &snapshot),
            library: &[],
            checked: &[(Format::Protobuf, checked)],
            rules: &the_rules(),
            policy,
            shows_diffs: true,
            labels: Pair::new("old".to_owned(), "new".to_owned()),
            arguments: Vec::new(),
            again: None,
            problems: Vec::new(),
            not_checked: Vec::new(),
            safeguards: &Safeguards::default(),
            unseen: &wireproof::unseen::Gaps::default(),
            shard: None,
        },
        None,
    )
}

/// Severity, whether it breaks, and the statuses of the evidence.
fn told(report: &Report) -> Vec<String> {
    let told = report.findings.iter().map(|finding| {
        let evidence: Vec<String> = finding
            .evidence
            .iter()
            .map(|shown| format!("{} {} {} {}", shown.surface, shown.direction, shown.outcome, shown.status))
            .collect();
        let breaks = if finding.breaking { "breaks" } else { "passes" };
        format!("{} {} {} [{}]", finding.rule, finding.severity, breaks, evidence.join("; "))
    });
    told.collect()
}

fn policy(mode: Mode) -> Policy {
    Policy::default().with_mode(mode)
}

#[test]
fn a_claim_that_was_observed_agrees_and_breaks() {
    let observations = vec![
        seen("M#4", Surface::Wire, Direction::Forward, Outcome::Lossy),
        seen("M#4", Surface::Wire, Direction::Backward, Outcome::Wrong),
    ];
    let report =
        run(vec![change(ChangeKind::FieldReused, "M#4")], observed(observations, &["M#4"]), &policy(Mode::Full));
    assert_eq!(told(&report), ["protobuf/reused error breaks [wire backward wrong agrees; wire forward lossy agrees]"]);
    assert_eq!(
        (report.verdict.as_str(), report.upgrade_order.as_str(), report.strictest_mode.as_str()),
        ("breaking", "none", "none")
    );
    let finding = &report.findings[0];
    assert_eq!((finding.message.as_str(), finding.evidence[0].bytes.as_str()), ("`shop.v1.M#4` is 4", "0801"));
    let place = finding.new.as_ref().expect("it stands on the new side");
    assert_eq!((place.line, place.column, place.end_column, place.text.as_str()), (2, 1, 2, "b"));
}

#[test]
fn a_claim_that_was_not_borne_out_contradicts_and_one_without_bytes_says_so() {
    let report = run(vec![change(ChangeKind::FieldReused, "M#4")], observed(vec![], &["M#4"]), &policy(Mode::Full));
    assert_eq!(
        told(&report),
        ["protobuf/reused error breaks [wire backward safe contradicts; wire forward safe contradicts]"]
    );
    let report = run(vec![change(ChangeKind::FieldReused, "M#4")], observed(vec![], &[]), &policy(Mode::Full));
    assert!(
        report.findings[0].evidence.iter().all(|shown| shown.status == Status::NotObservable),
        "{:?}",
        told(&report)
    );
    let report =
        run(vec![change(ChangeKind::MethodRemoved, "method:Buy")], observed(vec![], &[]), &policy(Mode::Forward));
    assert_eq!(told(&report), ["protobuf/method note passes [wire backward fails not-observable]"]);
}

#[test]
fn findings_of_one_identity_are_compared_by_the_worst_claim() {
    let changes = vec![change(ChangeKind::FieldReused, "M#4"), change(ChangeKind::EnumValueAdded, "M#4")];
    let observations = vec![seen("M#4", Surface::Wire, Direction::Forward, Outcome::Lossy)];
    let report = run(changes, observed(observations, &["M#4"]), &policy(Mode::Full));
    assert_eq!(told(&report)[0], "protobuf/forward warning passes [wire forward unrecognized not-observable]");
    assert!(told(&report).iter().any(|told| told.contains("[wire forward lossy agrees")), "{:?}", told(&report));
    assert_eq!(report.round_trips.unexplained, 0);
}

#[test]
fn an_observation_worse_than_every_claim_makes_the_verdict_unknown() {
    let observations = vec![
        seen("M#4", Surface::Wire, Direction::Forward, Outcome::Wrong),
        seen("M#5", Surface::Wire, Direction::Forward, Outcome::Defaulted),
        seen("M#6", Surface::Json, Direction::Forward, Outcome::Unrecognized),
    ];
    let report = run(vec![change(ChangeKind::EnumValueAdded, "M#4")], observed(observations, &[]), &policy(Mode::Full));
    // What nobody asked about is told, and makes no verdict unknown.
    assert_eq!((report.verdict.as_str(), report.round_trips.unexplained), ("unknown", 1));
    assert_eq!(report.problems.len(), 2);
    let aside = report.problems.iter().find(|problem| problem.severity != ProblemSeverity::Error);
    let said = aside.map(|problem| problem.message.as_str()).unwrap_or_default();
    assert!(said.starts_with("an observed outcome is unexplained: json forward of `M#6`"), "{said}");
}

#[test]
fn where_data_decide_a_finding_stands_only_with_a_witness() {
    let changed = || vec![change(ChangeKind::FieldUtf8Changed, "M#4")];
    let without = run(changed(), observed(vec![], &["M#4"]), &policy(Mode::Full));
    assert_eq!(told(&without), ["protobuf/data note passes []"]);
    assert!(without.findings[0].why.contains("no synthetic message showed it"));
    assert_eq!((without.verdict.as_str(), without.strictest_mode.as_str()), ("compatible", "full"));
    let one = vec![seen("M#4", Surface::Wire, Direction::Backward, Outcome::Fails)];
    let with = run(changed(), observed(one, &["M#4"]), &policy(Mode::Full));
    assert_eq!(told(&with), ["protobuf/data error breaks [wire backward fails agrees]"]);
    assert_eq!((with.findings[0].impact[1].outcome.as_str(), with.upgrade_order.as_str()), ("safe", "writers-first"));
    let never_written = run(changed(), observed(vec![], &[]), &policy(Mode::Full));
    assert!(never_written.findings[0].breaking);
}

#[test]
fn a_claim_may_come_from_a_fact_and_a_missing_fact_is_loud() {
    let mut told_by_fact = change(ChangeKind::FieldTypeChanged, "M#4");
    told_by_fact.facts = told_by_fact.facts.with(FactKey::ReadsOld, "safe").with(FactKey::ReadsNew, "lossy");
    let report = run(vec![told_by_fact.clone()], observed(vec![], &[]), &policy(Mode::Full));
    assert_eq!((report.upgrade_order.as_str(), report.strictest_mode.as_str()), ("readers-first", "backward"));
    let passes: Vec<(&str, bool)> = report.modes.iter().map(|mode| (mode.mode.as_str(), mode.passes)).collect();
    assert_eq!(passes, [("none", true), ("backward", true), ("forward", false), ("full", false)]);
    told_by_fact.facts = Facts::none();
    let report = run(vec![told_by_fact], observed(vec![], &[]), &policy(Mode::Full));
    assert!(report.problems[0].message.contains("`{reads-old}`"));
    assert_eq!(report.findings[0].message, "`shop.v1.M#4` is ?");
}

#[test]
fn a_change_that_no_rule_judges_is_loud() {
    let report = run(vec![change(ChangeKind::OneofAdded, "M:o")], observed(vec![], &[]), &policy(Mode::Backward));
    assert_eq!(told(&report), ["protobuf/unclassified error breaks []"]);
    assert!(report.problems[0].message.contains("no rule judges the change `oneof-added`"));
    let report = run(vec![change(ChangeKind::OneofAdded, "M:o")], observed(vec![], &[]), &policy(Mode::None));
    assert_eq!(report.verdict, Verdict::Unknown);
}

#[test]
fn several_built_in_rules_for_one_change_are_loud() {
    let texts = ["one", "two"].map(|name| rule(name, "field-added", "compatibility", ["safe", "safe"], "illustrates"));
    let changes = [change(ChangeKind::FieldAdded, "M#4")];
    let judgement = wireproof::judge::judge("protobuf", &changes, &rules(&texts));
    assert_eq!(judgement.judged[0].rule.id, "protobuf/ambiguous");
    assert!(judgement.problems[0].message.contains("`protobuf/one`, `protobuf/two`"));
}

#[test]
fn a_users_rule_replaces_the_built_in_rule_it_matches() {
    let own = rule("never-reuse", "field-reused", "hygiene\nseverity: warning", ["safe", "safe"], "illustrates");
    let rules =
        the_rules().with_user_rules(&[RuleText { file: "own.yaml", text: &own }]).expect("the rule is well formed");
    let changes = [change(ChangeKind::FieldReused, "M#4")];
    let judgement = wireproof::judge::judge("protobuf", &changes, &rules);
    assert_eq!(judgement.judged[0].rule.id, "protobuf/never-reuse");
}

#[test]
fn hygiene_breaks_in_every_mode_but_none_and_never_orders_upgrades() {
    // The ladder speaks of readers, and no reader breaks.
    for (mode, verdict) in [(Mode::None, "compatible"), (Mode::Backward, "breaking"), (Mode::Forward, "breaking")] {
        let report = run(vec![change(ChangeKind::FieldRemoved, "M#4")], observed(vec![], &[]), &policy(mode));
        assert_eq!(
            (report.verdict.as_str(), report.upgrade_order.as_str(), report.strictest_mode.as_str()),
            (verdict, "any", "full")
        );
    }
}

#[test]
fn the_threshold_the_surfaces_and_the_configuration_decide_what_breaks() {
    let changed = || vec![change(ChangeKind::EnumValueAdded, "M#4")];
    let told_under = |policy: Policy| {
        told(&run(changed(), observed(vec![], &[]), &policy))
            .join("")
            .replace(" [wire forward unrecognized not-observable]", "")
    };
    assert_eq!(told_under(Policy::default()), "protobuf/forward warning passes");
    assert_eq!(told_under(policy(Mode::Backward)), "protobuf/forward note passes");
    assert_eq!(
        told_under(Policy { fail_on: Outcome::Unrecognized, ..Policy::default() }),
        "protobuf/forward error breaks"
    );
    assert_eq!(
        told_under(Policy { surfaces: vec![Surface::Source], ..Policy::default() }),
        "protobuf/forward error breaks"
    );
    assert_eq!(
        told_under(Policy { surfaces: vec![Surface::Source], fail_on: Outcome::Wrong, ..Policy::default() }),
        "protobuf/forward error passes"
    );
    let set = |key: &str, to| Policy { severities: [(key.to_owned(), to)].into(), ..Policy::default() };
    assert_eq!(told_under(set("enum-value-added", Override::Error)), "protobuf/forward error breaks");
    assert_eq!(told_under(set("protobuf/forward", Override::Note)), "protobuf/forward note passes");
    assert_eq!(told_under(set("protobuf/forward", Override::Off)), "");
}

#[test]
fn what_is_unstable_is_a_note() {
    let glob = globset::GlobSetBuilder::new().add(globset::Glob::new("*.v1").expect("a glob")).build().expect("a set");
    let policy = Policy { unstable: glob, ..Policy::default() };
    let report = run(vec![change(ChangeKind::FieldReused, "M#4")], observed(vec![], &[]), &policy);
    assert!(told(&report)[0].starts_with("protobuf/reused note passes"));
    assert_eq!(report.upgrade_order, UpgradeOrder::Any);
}

#[test]
fn a_new_method_wants_its_servers_first() {
    let report = run(vec![change(ChangeKind::MethodAdded, "method:Buy")], observed(vec![], &[]), &policy(Mode::Full));
    assert_eq!((report.verdict.as_str(), report.upgrade_order.as_str()), ("compatible", "readers-first"));
}

#[test]
fn equal_findings_are_told_once_and_similar_ones_have_their_own_ids() {
    let first = change(ChangeKind::FieldReused, "M#4");
    let mut elsewhere = first.clone();
    elsewhere.at.new = Some(Site { file: "a.proto".into(), span: Span::new(0, 1) });
    let one = run(vec![first.clone(), elsewhere.clone(), first.clone()], observed(vec![], &[]), &policy(Mode::Full));
    let other = run(vec![elsewhere, first], observed(vec![], &[]), &policy(Mode::Full));
    let ids = |report: &Report| report.findings.iter().map(|finding| finding.id.clone()).collect::<Vec<_>>();
    assert_eq!(ids(&one).len(), 2);
    assert_ne!(ids(&one)[0], ids(&one)[1]);
    assert_eq!(ids(&one), ids(&other));
    assert!(ids(&one).iter().all(|id| id.len() == 16));
}

#[test]
fn a_problem_of_both_sides_is_told_once() {
    use wireproof::syntax::problem::Problem;
    let snapshot = Snapshot::from_files([("a.proto", b"a\nb\n".to_vec())]);
    let problem = |at| Problem::error(&"a.proto".into(), Span::new(at, at + 1), "it is not a schema", "write one");
    let problems = Pair::new(vec![problem(2)], vec![problem(0), problem(2)]);
    let report = pipeline::report(
        &pipeline::Input {
            snapshots: Pair::new(&snapshot, &snapshot),
            library: &[],
            checked: &[(Format::Protobuf, Checked { problems, ..Checked::default() })],
            rules: &the_rules(),
            policy: &Policy::default(),
            shows_diffs: true,
            labels: Pair::default(),
            arguments: Vec::new(),
            again: None,
            problems: Vec::new(),
            not_checked: Vec::new(),
            safeguards: &Safeguards::default(),
            unseen: &wireproof::unseen::Gaps::default(),
            shard: None,
        },
        None,
    );
    let told: Vec<String> = report
        .problems
        .iter()
        .map(|problem| format!("{:?} {:?} {:?}", problem.side, problem.line, problem.text))
        .collect();
    assert_eq!(told, ["Some(Known(New)) Some(1) Some(\"a\")", "Some(Known(Both)) Some(2) Some(\"b\")"]);
    assert_eq!(report.verdict, Verdict::Unknown);
}
