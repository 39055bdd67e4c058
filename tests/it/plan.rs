//! `wireproof plan`: which breaks of the fixtures have a plan, that each step of it holds, and what people are told.

use std::fs;
use std::path::Path;

use crate::git::{Place, Ran, run};
use crate::support::{Case, fixtures, report, some_of, tries_everything};
use wireproof::change::Pair;
use wireproof::config::Config;
use wireproof::formats::{CheckOptions, Format};
use wireproof::plan::{Answer, Holds, Plan, plan_snapshots};
use wireproof::report::Finding;
use wireproof::rules::RuleSet;
use wireproof::source::Snapshot;
use wireproof::verdict::Policy;
use wireproof::vocabulary::{Class, Open, ProblemSeverity, UpgradeOrder};

/// The mode of a fixture, else the usual one.
fn policy(folder: &Path) -> Policy {
    let Ok(text) = fs::read_to_string(folder.join("wireproof.yaml")) else { return Policy::default() };
    let config = Config::parse("wireproof.yaml", &text).expect("a test checks the configurations of fixtures");
    let policy = Policy { severities: config.rules, ..Policy::default() };
    config.mode.map_or(policy.clone(), |mode| policy.with_mode(mode))
}

/// What readers feel of a pair, what keeps it from being judged, and in which order nobody breaks.
fn felt(format: Format, pair: Pair<&Snapshot>, policy: &Policy) -> (Vec<String>, Open<UpgradeOrder>) {
    let report = report(format, pair, policy);
    let is_felt = |one: &&Finding| one.breaking && one.class == Open::Known(Class::Compatibility);
    let mut felt: Vec<String> = report.findings.iter().filter(is_felt).map(|one| one.message.clone()).collect();
    let wrong = report.problems.iter().filter(|problem| problem.severity == ProblemSeverity::Error);
    felt.extend(wrong.map(|problem| problem.message.clone()));
    (felt, report.upgrade_order)
}

/// Checks every step of a plan once more, and where it ends.
fn holds(case: &Case, plan: &Plan, policy: &Policy) {
    let name = &case.name;
    let mut before = &case.sides.old;
    assert!(plan.steps.len() > 1 || !plan.differs.is_empty(), "{name}: one step to what is wanted is what breaks");
    for schema in plan.steps.iter().filter_map(|step| step.schema.as_ref()) {
        let (felt, order) = felt(case.format, Pair::new(before, &schema.files), policy);
        match schema.holds {
            Holds::UnderMode => assert!(felt.is_empty(), "{name}: {felt:?}"),
            Holds::InOrder(UpgradeOrder::Any | UpgradeOrder::None) => panic!("{name}: this is no order"),
            Holds::InOrder(claimed) => assert_eq!(order, Open::Known(claimed), "{name}"),
        }
        before = &schema.files;
    }
    let differs = before.differing(&case.sides.new);
    assert_eq!(differs.is_empty(), plan.differs.is_empty(), "{name}: {differs:?}, and is said: {:?}", plan.differs);
}

/// How many fixtures break, how many of them have a plan whose steps pass under the mode, and how many one by an order.
#[derive(Debug, Default, PartialEq, Eq)]
struct Share {
    breaking: usize,
    under_mode: usize,
    in_order: usize,
}

/// Plans for every fixture of a format, and prints what came of each.
fn share(format: Format) -> Share {
    let mut share = Share::default();
    let of_format = fixtures().into_iter().filter(|(_, case)| case.format == format);
    for (folder, case) in some_of(of_format.collect()) {
        let policy = policy(&folder);
        let (rules, options) = (RuleSet::built_in(), CheckOptions::default());
        let how = match plan_snapshots(case.sides.as_ref(), &[format], &options, rules, &policy) {
            Answer::NotNeeded | Answer::CannotTell(_) => continue,
            Answer::Plan(plan) => {
                holds(&case, &plan, &policy);
                let passes = plan.passes_the_gate();
                share.under_mode += usize::from(passes);
                share.in_order += usize::from(!passes);
                let steps: Vec<&str> = plan.steps.iter().map(|step| step.kind.name()).collect();
                format!("{} {}", steps.join(", "), if passes { "" } else { "(in order)" })
            }
            Answer::NoWay(refusals) => {
                assert!(!refusals.is_empty(), "{}: nobody says why", case.name);
                let why = refusals.iter().map(|one| {
                    assert!(one.why.len() > 20 && one.rule.contains('/'), "{}: {one:?}", case.name);
                    format!("\n    {}: {}", one.rule, one.why)
                });
                format!("no way{}", why.collect::<String>())
            }
        };
        share.breaking += 1;
        println!("{}: {how}", case.name);
    }
    let planned = share.under_mode + share.in_order;
    println!("{}: {planned} of {} have a plan, {} under the mode", format.name(), share.breaking, share.under_mode);
    share
}

/// Fixtures come and go: a share has a floor, in parts of a hundred.
fn expect_share(format: Format, under_mode: usize, planned: usize) {
    let share = share(format);
    if !tries_everything() {
        return;
    }
    let part = |count: usize| count * 100 / share.breaking.max(1);
    assert!(part(share.under_mode) >= under_mode, "{share:?}");
    assert!(part(share.under_mode + share.in_order) >= planned, "{share:?}");
}

#[test]
fn breaking_fixtures_of_protobuf_have_a_plan() {
    expect_share(Format::Protobuf, 60, 90);
}

#[test]
fn breaking_fixtures_of_avro_have_a_plan() {
    expect_share(Format::Avro, 70, 90);
}

#[test]
fn breaking_fixtures_of_thrift_have_a_plan() {
    expect_share(Format::Thrift, 50, 85);
}

#[test]
fn breaking_fixtures_of_flatbuffers_have_a_plan() {
    expect_share(Format::Flatbuffers, 80, 95);
}

#[test]
fn breaking_fixtures_of_capnp_have_a_plan() {
    expect_share(Format::Capnp, 80, 90);
}

#[test]
fn breaking_fixtures_of_json_schema_have_a_plan() {
    expect_share(Format::JsonSchema, 0, 90);
}

const OLD: &str = "syntax = \"proto3\";\npackage shop.v1;\n\n// An order.\nmessage Order {\n  string id = 1;  // the id\n  \
                   int32 total = 2;\n}\n";

/// Two versions of a schema in a folder.
fn versions(name: &str, old: &str, new: &str) -> Place {
    let place = Place::new();
    place.write(format!("old/{name}"), old);
    place.write(format!("new/{name}"), new);
    place
}

fn planned(place: &Place, more: &[&str]) -> Ran {
    run(&place.path(""), &[&["plan", "old", "new", "--no-config"], more].concat())
}

fn written(place: &Place, path: &str) -> String {
    fs::read_to_string(place.path(path)).expect("it was written")
}

#[test]
fn a_type_changes_by_a_field_beside_the_old_one() {
    let place = versions("order.proto", OLD, &OLD.replace("int32 total", "string total"));
    let ran = planned(&place, &["--output", "schemas=steps", "--output", "json=plan.json"]);
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    assert!(ran.out.starts_with("a plan in 3 steps from old to new, each checked under mode full\n"), "{}", ran.out);
    assert!(
        ran.out.contains("step 2 of 3: migrate\n") && ran.out.contains("checked: passes under full"),
        "{}",
        ran.out
    );
    assert!(ran.out.contains("* `total` is called `total_v2` with the number 3"), "{}", ran.out);
    let first = OLD.replace("  int32 total = 2;\n", "  int32 total = 2;\n  string total_v2 = 3;\n");
    assert_eq!(written(&place, "steps/step-1/order.proto"), first);
    let last = OLD
        .replace("Order {\n", "Order {\n  reserved 2;\n  reserved \"total\";\n")
        .replace("int32 total = 2", "string total_v2 = 3");
    assert_eq!(written(&place, "steps/step-3/order.proto"), last);
    for (from, to) in [("old", "steps/step-1"), ("steps/step-1", "steps/step-3")] {
        let ran = run(&place.path(""), &["compare", from, to, "--no-config"]);
        assert_eq!(ran.code, 0, "{from} {to}: {}", ran.out);
    }
    let json: serde_json::Value = serde_json::from_str(&written(&place, "plan.json")).expect("it is JSON");
    assert_eq!((json["schema"].as_str(), json["answer"].as_str()), (Some("wireproof.plan/v1"), Some("plan")));
    assert_eq!(json["steps"][0]["files"][0]["text"].as_str(), Some(first.as_str()));
    assert_eq!(json["steps"][2]["checked"]["holds"].as_str(), Some("under-mode"));
    let again = planned(&place, &["--output", "schemas=steps"]);
    assert_eq!(again.code, 2, "what is there is not written over: {}", again.out);
}

#[test]
fn comments_go_with_what_they_are_about() {
    let alarm = "table Alarm {\n  name: string;   // who\n  /// How bad.\n  level: int = 1; // as a number\n  text: string; // \
                 what\n}\nroot_type Alarm;\n";
    let gone = alarm.replace("  /// How bad.\n  level: int = 1; // as a number\n", "");
    let stays = alarm.replace("= 1;", "= 1 (deprecated);");
    let values = "enum E : byte {\n  A, // a\n  // of b\n  B // b\n}\ntable T { e: E; }\nroot_type T;\n";
    let front = values.replace("  A,", "  // of c\n  C, // c\n  A,");
    let behind = values.replace("  B // b\n", "  B, // b\n  // of c\n  C // c\n");
    for (old, new, kept) in [(alarm, gone, stays), (values, front, behind)] {
        let place = versions("a.fbs", old, &new);
        let ran = planned(&place, &["--output", "schemas=steps"]);
        assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
        assert_eq!(written(&place, "steps/step-1/a.fbs"), kept);
    }
    let order = OLD.replace("Order {", "Order { // of a shop");
    let place = versions("order.proto", &order, &order.replace("int32 total", "string total"));
    let ran = planned(&place, &["--output", "schemas=steps"]);
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    let last = written(&place, "steps/step-3/order.proto");
    assert!(last.contains("Order { // of a shop\n  reserved 2;\n"), "{last}");
    assert!(last.contains("string id = 1;  // the id\n"), "{last}");
}

#[test]
fn a_default_of_avro_comes_and_goes_and_the_end_is_what_was_wanted() {
    let old = "{\"type\": \"record\", \"name\": \"U\", \"fields\": [\n  {\"name\": \"id\", \"type\": \"string\"}\n]}\n";
    let new = old.replace("string\"}\n", "string\"},\n  {\"name\": \"age\", \"type\": \"int\"}\n");
    let place = versions("u.avsc", old, &new);
    let ran = planned(&place, &["--output", "schemas=steps"]);
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    assert!(ran.out.contains("what you end with is what you wanted\ninstead: "), "{}", ran.out);
    assert!(written(&place, "steps/step-1/u.avsc").contains("\"type\": \"int\", \"default\": 0}"));
    assert_eq!(written(&place, "steps/step-3/u.avsc"), new);
    // Where data of every earlier version have to be read, the default has to stay.
    let ran = planned(&place, &["--mode", "backward-transitive"]);
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    assert!(ran.out.contains("* `age` has the default `0`") && !ran.out.contains("instead:"), "{}", ran.out);
}

#[test]
fn an_order_of_upgrades_is_a_plan_and_the_set_of_data_may_be_open() {
    let schema = |most: u32| format!("{{\"type\": \"object\", \"properties\": {{\"n\": {{\"maximum\": {most}}}}}}}\n");
    let place = versions("n.schema.json", &schema(10), &schema(5));
    let ran = planned(&place, &["--format", "markdown"]);
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    assert!(ran.out.contains("- [ ] **Step 1: migrate**\n") && ran.out.contains("writers first"), "{}", ran.out);
    assert!(ran.out.contains("wireproof accept"), "{}", ran.out);
    let ran = planned(&place, &["--mode", "backward-transitive"]);
    assert_eq!(ran.code, 1, "{}{}", ran.out, ran.err);
    assert!(
        ran.out.contains("json-schema/limit-tightened") && ran.out.contains("the set of data is open"),
        "{}",
        ran.out
    );
}

#[test]
fn nothing_is_planned_where_nothing_breaks_or_nothing_can_be_read() {
    let place = versions("order.proto", OLD, &OLD.replace("}\n", "  string note = 3;\n}\n"));
    let ran = planned(&place, &[]);
    assert_eq!((ran.code, ran.out.as_str()), (0, "no plan is needed from old to new: nothing breaks\n"), "{}", ran.err);
    let place = versions("order.proto", OLD, "syntax = \"proto3\";\nmessage {\n");
    let ran = planned(&place, &["--format", "json"]);
    assert_eq!(ran.code, 3, "{}{}", ran.out, ran.err);
    assert!(ran.out.contains("\"answer\": \"cannot-tell\"") && ran.out.contains("order.proto:2"), "{}", ran.out);
    assert_eq!(run(&place.path(""), &["plan", "old"]).code, 2);
    assert_eq!(run(&place.path(""), &["plan", "old", "nowhere"]).code, 2);
    assert_eq!(planned(&place, &["--output", "yaml=x"]).code, 2);
}
