//! One trial per rule example and one per fixture, each named by what it shows.

#[path = "support/mod.rs"]
mod support;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::ExitCode;

use libtest_mimic::{Arguments, Failed, Trial};
use support::{Case, applied, examples, expect_file, fixtures};
use wireproof::change::{Change, Pair};
use wireproof::config::{Config, glob_set};
use wireproof::formats::Checked;
use wireproof::judge::{Judged, judge};
use wireproof::rules::{Example, Rule, RuleSet};
use wireproof::syntax::problem::Severity;
use wireproof::verdict::Policy;

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let of_rules = RuleSet::built_in().iter().flat_map(example_trials);
    let trials = of_rules.chain(fixtures().into_iter().map(|(folder, case)| fixture_trial(folder, case))).collect();
    libtest_mimic::run(&arguments, trials).exit_code()
}

fn example_trials(rule: &'static Rule) -> Vec<Trial> {
    let trial = |(case, example): (Case, &'static Example)| {
        let name = if example.fires { case.name.clone() } else { format!("{}-is-a-near-miss", case.name) };
        Trial::test(name, move || holds(rule, example, &case).map_err(Failed::from))
    };
    examples(rule).into_iter().zip(rule.examples.iter()).map(trial).collect()
}

fn fixture_trial(folder: std::path::PathBuf, case: Case) -> Trial {
    Trial::test(case.name.clone(), move || fixture_holds(&folder, &case).map_err(Failed::from))
}

/// An example fires its rule as often as it says, a near miss not at all; texts have no gaps; what is suggested mends.
fn holds(rule: &Rule, example: &Example, case: &Case) -> Result<(), String> {
    let checked = case.check();
    no_errors(&checked)?;
    let judged = judge(case.format.name(), &checked.changes, RuleSet::built_in()).judged;
    let inside = judged.iter().flat_map(|judged| std::iter::once(judged).chain(&*judged.members));
    let fired: Vec<&Judged<'_>> = inside.filter(|judged| judged.rule.id == rule.id).collect();
    let all = || {
        judged
            .iter()
            .map(|judged| format!("  {}: {}", judged.rule.id, judged.message().text))
            .collect::<Vec<_>>()
            .join("\n")
    };
    if fired.len() != example.count {
        return Err(format!("it fired {} times instead of {}; all findings:\n{}", fired.len(), example.count, all()));
    }
    for judged in &judged {
        filled(judged)?;
    }
    all_mended(case, &checked)
}

fn no_errors(checked: &Checked) -> Result<(), String> {
    let errors = errors(checked);
    if errors.is_empty() { Ok(()) } else { Err(format!("the schemas have problems: {errors:?}")) }
}

fn errors(checked: &Checked) -> BTreeSet<&str> {
    let all = [&checked.problems.old, &checked.problems.new].into_iter().flatten();
    all.filter(|problem| problem.severity == Severity::Error).map(|problem| problem.message.as_str()).collect()
}

/// Whatever is suggested mends what it is suggested for.
fn all_mended(case: &Case, checked: &Checked) -> Result<(), String> {
    let known = errors(checked);
    let judged = judge(case.format.name(), &checked.changes, RuleSet::built_in()).judged;
    let mut inside = judged.iter().flat_map(|judged| std::iter::once(judged).chain(&*judged.members));
    inside.try_for_each(|judged| mended(judged.change, &judged.rule, case, &known))
}

fn filled(judged: &Judged<'_>) -> Result<(), String> {
    for text in [judged.message(), judged.why(), judged.fix()] {
        if !text.missing.is_empty() {
            return Err(format!(
                "{} names facts that the change does not state: {:?} in {}",
                judged.rule.id, text.missing, text.text
            ));
        }
    }
    Ok(())
}

/// With the suggestion applied, nothing is wrong that was not before and the rule has nothing left to say about the element.
fn mended(change: &Change, rule: &Rule, case: &Case, known: &BTreeSet<&str>) -> Result<(), String> {
    let Some(suggestion) = &change.suggestion else { return Ok(()) };
    let new = applied(&case.sides.new, suggestion)?;
    let text =
        || new.get(&suggestion.file).map(|file| String::from_utf8_lossy(&file.bytes).into_owned()).unwrap_or_default();
    let mended = Case { sides: Pair::new(case.sides.old.clone(), new.clone()), ..case.clone() };
    let checked = mended.check();
    if let Some(error) = errors(&checked).difference(known).next() {
        return Err(format!("after the suggested edit there is a problem: {error}\n{}", text()));
    }
    let judged = judge(case.format.name(), &checked.changes, RuleSet::built_in()).judged;
    let again = judged.iter().find(|judged| judged.rule.id == rule.id && judged.change.identity == change.identity);
    match again {
        Some(judged) => Err(format!("after the suggested edit still: {}\n{}", judged.message().text, text())),
        None => Ok(()),
    }
}

/// `expect.json` is the report, `expect.txt` the text that people see; a fixture has one of them or both. What is suggested
/// mends.
fn fixture_holds(folder: &Path, case: &Case) -> Result<(), String> {
    let report = case.report(&policy(folder)?);
    let (json, text) = (folder.join("expect.json"), folder.join("expect.txt"));
    if json.exists() || !text.exists() {
        expect_file(&json, &wireproof::report::json::render(&report))?;
    }
    if text.exists() {
        let style = wireproof::report::text::TextStyle::default();
        expect_file(&text, &wireproof::report::text::render(&report, &style))?;
    }
    all_mended(case, &case.check())
}

/// The policy of `wireproof.yaml`, else the default.
fn policy(folder: &Path) -> Result<Policy, String> {
    let Ok(text) = fs::read_to_string(folder.join("wireproof.yaml")) else { return Ok(Policy::default()) };
    let config = Config::parse("wireproof.yaml", &text).map_err(|failure| failure.to_string())?;
    let default = Policy::default();
    let default = match config.mode {
        Some(mode) => default.with_mode(mode),
        None => default,
    };
    Ok(Policy {
        surfaces: config.surfaces.unwrap_or_else(|| default.surfaces.clone()),
        fail_on: config.fail_on.unwrap_or(default.fail_on),
        severities: config.rules,
        unstable: glob_set(&config.unstable),
        ..default
    })
}
