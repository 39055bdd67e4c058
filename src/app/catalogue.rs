//! `wireproof rules` and `wireproof explain`.

use super::output::{Console, print};
use crate::cli::Listing;
use crate::config::waivers::is_start_of_id;
use crate::explain::{self, ListFormat};
use crate::failure::{Exit, Failure, nearest};
use crate::formats::Format;
use crate::rules::{PeerTable, Rule, RuleSet, peer_ids};
use crate::text;
use crate::vocabulary::{Mode, Outcome};

/// Lists every rule, or those whose id, family or title has some words.
pub(super) fn list(format: Listing, words: &[String], rules: &RuleSet) -> Result<Exit, Failure> {
    let format = match format {
        Listing::Text => ListFormat::Text,
        Listing::Json => ListFormat::Json,
    };
    let has = |rule: &Rule, word: &String| {
        let word = word.to_lowercase();
        [&rule.id, &rule.family, &rule.title].iter().any(|text| text.to_lowercase().contains(&word))
    };
    let rules: Vec<&Rule> = rules.iter().filter(|rule| words.iter().all(|word| has(rule, word))).collect();
    if rules.is_empty() {
        return Err(Failure::usage(
            format!("no rule has `{}` in its id, its family or its title", words.join(" ")),
            "`wireproof rules` lists all rules",
        ));
    }
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
            None => match of_peer(wanted, rules, console) {
                Some(page) => print(page.as_bytes()),
                None => Err(no_such_rule(wanted, rules)),
            },
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

/// What another tool's id stands for here; nothing where none of ours was ever seen with it.
fn of_peer(wanted: &str, rules: &RuleSet, console: &Console) -> Option<String> {
    PeerTable::built_in().iter().find_map(|table| {
        let ours = peer_ids::ours(&table.tool, wanted);
        let ours: Vec<&Rule> = ours.into_iter().filter_map(|id| rules.get(id)).collect();
        explain::of_peer(wanted, table, &ours, &console.style)
    })
}

/// Whether a word may be the id of a finding, or its beginning.
pub(super) fn may_be_a_finding(word: &str) -> bool {
    is_start_of_id(word) && word.len() >= 6
}

/// A word that reports and options have, and that no rule is called: what it means, and where it is used.
fn other_word(wanted: &str) -> Option<Failure> {
    let word = wanted.to_lowercase().replace('_', "-");
    let no_rule = |what: &str| format!("`{wanted}` is {what} and not a rule");
    if let Some(mode) = Mode::from_name(&word) {
        let help = format!("{}; `--mode {mode}` asks for it", text::demand(&mode.into()));
        return Some(Failure::usage(no_rule("a mode"), help));
    }
    if let Some(outcome) = Outcome::from_name(&word) {
        let help = format!("it means: {}", text::outcome_meaning(outcome, text::Role::Data));
        return Some(Failure::usage(no_rule("what a reader experiences"), help));
    }
    let profile = PeerTable::built_in().iter().flat_map(|table| &table.profiles);
    let profile = profile.into_iter().find(|profile| profile.name.eq_ignore_ascii_case(wanted))?;
    let help = format!("`--profile {}` judges as {} does", profile.name, profile.tool);
    Some(Failure::usage(no_rule("a profile"), help))
}

fn no_such_rule(wanted: &str, rules: &RuleSet) -> Failure {
    if let Some(table) = PeerTable::built_in().iter().find(|table| table.knows(wanted)) {
        return Failure::usage(
            format!("`{wanted}` is an id of {}, and not a rule of wireproof", table.tool),
            format!(
                "reports name it beside our own rule for the same change: `peers` with `--format json`, `= peer` with `-v`. \
                 To be judged by it: `--profile {}`",
                table.profiles.first().map_or(table.tool.as_str(), |profile| profile.name.as_str())
            ),
        );
    }
    if Format::from_name(wanted).is_some() {
        return Failure::usage(
            format!("`{wanted}` is a language and not a rule"),
            format!("`wireproof rules {wanted}` lists its rules"),
        );
    }
    if let Some(failure) = other_word(wanted) {
        return failure;
    }
    let names = rules.iter().flat_map(|rule| [rule.id.as_str(), rule.short_id(), rule.family.as_str()]);
    let names = names.chain(PeerTable::built_in().iter().flat_map(PeerTable::known));
    let help = match nearest(wanted, names) {
        Some(near) => format!("did you mean `{near}`?"),
        None => "`wireproof rules` lists all rules".to_owned(),
    };
    Failure::usage(format!("there is no rule and no family `{wanted}`"), help)
}
