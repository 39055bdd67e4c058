//! `wireproof rules` and `wireproof explain`.

use serde_json::json;

use super::output::{Console, print};
use crate::cli::Listing;
use crate::evidence::{Direction, Surface};
use crate::failure::{Exit, Failure, nearest};
use crate::rules::{Cell, Rule, RuleSet};

/// Lists every rule.
pub(super) fn list(format: Listing, _console: &Console) -> Result<Exit, Failure> {
    let rules = RuleSet::built_in();
    let text = match format {
        Listing::Text => {
            let width = rules.iter().map(|rule| rule.id.len()).max().unwrap_or(0);
            rules.iter().map(|rule| format!("{:width$}  {:13}  {}\n", rule.id, rule.class.name(), rule.title)).collect()
        }
        Listing::Json => {
            let all: Vec<serde_json::Value> = rules.iter().map(rule_as_json).collect();
            format!("{:#}\n", serde_json::Value::Array(all))
        }
    };
    print(text.as_bytes())
}

/// Explains one rule.
pub(super) fn explain(wanted: &str, _console: &Console) -> Result<Exit, Failure> {
    let rules = RuleSet::built_in();
    let found: Vec<&Rule> = match rules.get(wanted) {
        Some(rule) => vec![rule],
        None => rules.iter().filter(|rule| rule.short_id() == wanted || rule.family == wanted).collect(),
    };
    if found.is_empty() {
        let names = rules.iter().flat_map(|rule| [rule.id.as_str(), rule.short_id(), rule.family.as_str()]);
        let help = match nearest(wanted, names) {
            Some(near) => format!("did you mean `{near}`?"),
            None => "`wireproof rules` lists all rules".to_owned(),
        };
        return Err(Failure::usage(format!("there is no rule `{wanted}`"), help));
    }
    let pages: Vec<String> = found.into_iter().map(page).collect();
    print(pages.join("\n").as_bytes())
}

// The page of a rule; the call to replace when a richer one exists.
fn page(rule: &Rule) -> String {
    let mut page = format!("{}\n{}\n\n{}\n\nwhat to do\n{}\n\nwhat readers experience\n", rule.id, rule.title, rule.why.trim(), rule.fix.trim());
    for surface in Surface::ALL {
        let cell = |direction| spelled(rule.impact.get(*surface, direction));
        let (backward, forward) = (cell(Direction::Backward), cell(Direction::Forward));
        page.push_str(&format!("  {:8} new readers, old data: {backward:14} old readers, new data: {forward}\n", surface.name()));
    }
    for reference in &rule.references {
        page.push_str(&format!("see {reference}\n"));
    }
    page
}

fn spelled(cell: &Cell) -> String {
    match cell {
        Cell::Is(outcome) => outcome.name().to_owned(),
        Cell::Fact(_) => "depends".to_owned(),
    }
}

fn rule_as_json(rule: &Rule) -> serde_json::Value {
    let impact: serde_json::Map<String, serde_json::Value> = Surface::ALL
        .iter()
        .map(|surface| {
            let cell = |direction| spelled(rule.impact.get(*surface, direction));
            (surface.name().to_owned(), json!({ "backward": cell(Direction::Backward), "forward": cell(Direction::Forward) }))
        })
        .collect();
    json!({
        "id": rule.id, "title": rule.title, "family": rule.family, "format": rule.format(), "since": rule.since,
        "class": rule.class, "severity": rule.severity, "impact": impact, "message": rule.message,
        "why": rule.why, "fix": rule.fix, "references": rule.references,
    })
}
