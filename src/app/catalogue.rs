//! `wireproof rules` and `wireproof explain`.

use super::output::{Console, print};
use crate::cli::Listing;
use crate::explain::{self, ListFormat};
use crate::failure::{Exit, Failure, nearest};
use crate::rules::{Rule, RuleSet};

/// Lists every rule.
pub(super) fn list(format: Listing, rules: &RuleSet) -> Result<Exit, Failure> {
    let format = match format {
        Listing::Text => ListFormat::Text,
        Listing::Json => ListFormat::Json,
    };
    let rules: Vec<&Rule> = rules.iter().collect();
    print(explain::list(&rules, format).as_bytes())
}

/// Explains a rule, or all rules of a family.
pub(super) fn explain(wanted: &str, rules: &RuleSet, console: &Console) -> Result<Exit, Failure> {
    let of_family = |family: &str| rules.iter().filter(|rule| rule.family == family).collect::<Vec<&Rule>>();
    let mut found: Vec<&Rule> = match rules.get(wanted) {
        Some(rule) => vec![rule],
        None => rules.iter().filter(|rule| rule.short_id() == wanted).collect(),
    };
    if found.is_empty() {
        found = of_family(wanted);
    }
    if found.is_empty() {
        return match explain::internal(wanted, &console.style) {
            Some(page) => print(page.as_bytes()),
            None => Err(no_such_rule(wanted, rules)),
        };
    }
    let others: Vec<&Rule> = match found.as_slice() {
        [only] => of_family(&only.family).into_iter().filter(|other| other.id != only.id).collect(),
        _ => Vec::new(),
    };
    let mut pages: Vec<String> = found.into_iter().map(|rule| explain::terminal(rule, &console.style)).collect();
    pages.extend(explain::relatives(&others, &console.style));
    print(pages.join("\n").as_bytes())
}

fn no_such_rule(wanted: &str, rules: &RuleSet) -> Failure {
    let names = rules.iter().flat_map(|rule| [rule.id.as_str(), rule.short_id(), rule.family.as_str()]);
    let help = match nearest(wanted, names) {
        Some(near) => format!("did you mean `{near}`?"),
        None => "`wireproof rules` lists all rules".to_owned(),
    };
    Failure::usage(format!("there is no rule and no family `{wanted}`"), help)
}
