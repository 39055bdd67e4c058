//! `wireproof rules` and `wireproof explain`.

use super::output::{Console, print};
use crate::cli::Listing;
use crate::explain::{self, ListFormat};
use crate::failure::{Exit, Failure, nearest};
use crate::rules::{Rule, RuleSet};

/// Lists every rule.
pub(super) fn list(format: Listing) -> Result<Exit, Failure> {
    let format = match format {
        Listing::Text => ListFormat::Text,
        Listing::Json => ListFormat::Json,
    };
    let rules: Vec<&Rule> = RuleSet::built_in().iter().collect();
    print(explain::list(&rules, format).as_bytes())
}

/// Explains a rule, or all rules of a family.
pub(super) fn explain(wanted: &str, console: &Console) -> Result<Exit, Failure> {
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
    let pages: Vec<String> = found.into_iter().map(|rule| explain::terminal(rule, &console.style)).collect();
    print(pages.join("\n").as_bytes())
}
