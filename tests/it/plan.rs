//! `wireproof plan`: which breaks of the fixtures have a plan, that each step of it holds, and what people are told.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::support::{Case, fixtures};
use wireproof::change::Pair;
use wireproof::formats::{CheckOptions, Format};
use wireproof::plan::{Answer, Holds, Plan, plan_snapshots};
use wireproof::report::Report;
use wireproof::rules::RuleSet;
use wireproof::source::Snapshot;
use wireproof::verdict::Policy;
use wireproof::vocabulary::{Class, Open, ProblemSeverity, UpgradeOrder};

fn planned(case: &Case) -> Answer {
    let policy = Policy::default();
    plan_snapshots(case.sides.as_ref(), &[case.format], &CheckOptions::default(), RuleSet::built_in(), &policy)
}

/// What readers feel of a pair, and what keeps it from being judged.
fn felt(format: Format, pair: Pair<&Snapshot>) -> (Report, Vec<String>) {
    let report = crate::support::report(format, pair, &Policy::default());
    let is_felt =
        |finding: &&wireproof::report::Finding| finding.breaking && finding.class == Open::Known(Class::Compatibility);
    let mut felt: Vec<String> = report.findings.iter().filter(is_felt).map(|one| one.message.clone()).collect();
    let wrong = report.problems.iter().filter(|problem| problem.severity == ProblemSeverity::Error);
    felt.extend(wrong.map(|problem| problem.message.clone()));
    (report, felt)
}

/// Checks every step of a plan once more.
fn holds(case: &Case, plan: &Plan) {
    let mut before = &case.sides.old;
    for schema in plan.steps.iter().filter_map(|step| step.schema.as_ref()) {
        let (report, felt) = felt(case.format, Pair::new(before, &schema.files));
        match schema.holds {
            Holds::UnderMode => assert!(felt.is_empty(), "{}: {felt:?}", case.name),
            Holds::InOrder(order) => {
                assert_eq!(report.upgrade_order, Open::Known(order), "{}", case.name);
                assert_ne!(order, UpgradeOrder::None, "{}", case.name);
            }
        }
        before = &schema.files;
    }
}

/// How many of the fixtures of a format break, and how they get round that.
#[derive(Default)]
struct Share {
    under_mode: usize,
    in_order: usize,
    none: usize,
}

#[test]
fn most_fixtures_that_break_have_a_plan_and_each_step_holds() {
    let mut shares: BTreeMap<&str, Share> = BTreeMap::new();
    let mut told = String::new();
    for (_, case) in fixtures() {
        let share = shares.entry(case.format.name()).or_default();
        let how = match planned(&case) {
            Answer::NotNeeded | Answer::CannotTell(_) => continue,
            Answer::Plan(plan) => {
                holds(&case, &plan);
                let passes = plan.passes_the_gate();
                *(if passes { &mut share.under_mode } else { &mut share.in_order }) += 1;
                let steps: Vec<&str> = plan.steps.iter().map(|step| step.kind.name()).collect();
                format!("{} {steps:?} {:?}", if passes { "mode " } else { "order" }, plan.differs)
            }
            Answer::NoWay(refusals) => {
                share.none += 1;
                assert!(refusals.iter().all(|one| !one.why.is_empty() && !one.rule.is_empty()), "{}", case.name);
                let why: Vec<String> =
                    refusals.iter().map(|one| format!("\n      {} {}: {}", one.rule, one.message, one.why)).collect();
                format!("none  {}", why.concat())
            }
        };
        writeln!(told, "  {} {how}", case.name).expect("a text takes everything");
    }
    println!("{told}");
    for (format, share) in &shares {
        let all = share.under_mode + share.in_order + share.none;
        println!(
            "{format}: {all} break, {} have a plan under the mode, {} by an order of upgrades, {} have none",
            share.under_mode, share.in_order, share.none
        );
    }
}
