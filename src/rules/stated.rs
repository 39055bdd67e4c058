//! Which facts the changes of each format state, so that a rule that could never match is refused instead of ignored.
//!
//! The list is measured by a test (`tests/it/facts.rs`) over every rule example and every fixture; `docs/facts.md` shows it
//! to people. Only users' own rules are held against it: a built-in rule shows that it fires.

use super::fill::placeholders;
use super::form::{Wrong, did_you_mean};
use super::matching::ABSENT;
use super::rule::{Cell, Rule};
use crate::change::{ChangeKind, FactKey};
use crate::ordered::{InOrder, OrderedMap};

/// Lines `format kind: fact fact=value|value`; the values are there where rules choose by them.
const STATED: &str = include_str!("stated.txt");

/// Fact → its values, where they are a closed list.
type Stated = OrderedMap<FactKey, Vec<&'static str>>;

/// What the changes of a format state, by kind.
fn stated_by(format: &str) -> OrderedMap<ChangeKind, Stated> {
    let mut kinds = OrderedMap::new();
    for line in STATED.lines().filter(|line| !line.starts_with('#')) {
        let Some((kind, facts)) = line.split_once(':') else { continue };
        let Some((_, kind)) = kind.split_once(' ').filter(|(name, _)| *name == format) else { continue };
        let fact = |word: &'static str| {
            let (name, values) = word.split_once('=').unwrap_or((word, ""));
            Some((FactKey::from_name(name)?, values.split('|').filter(|value| !value.is_empty()).collect()))
        };
        let facts: Stated = facts.split_whitespace().filter_map(fact).collect();
        kinds.extend(ChangeKind::from_name(kind).map(|kind| (kind, facts)));
    }
    kinds
}

/// What no change of the rule's format could ever satisfy.
pub(super) fn never(rule: &Rule) -> Vec<Wrong> {
    let format = rule.format();
    let kinds = stated_by(format);
    if kinds.is_empty() {
        return Vec::new();
    }
    let mut found: Vec<Wrong> = Vec::new();
    for kind in rule.when.kinds.iter().filter(|kind| !kinds.contains_key(kind)) {
        let near = did_you_mean(kind.name(), kinds.keys().map(|kind| kind.name()));
        found.push(Wrong::at("when", kind.name(), format!("no change of {format} is a `{kind}`{near}")));
    }
    let of_rule: Vec<&Stated> = rule.when.kinds.iter().filter_map(|kind| kinds.get(kind)).collect();
    if of_rule.is_empty() {
        return found;
    }
    found.extend(rule.when.facts.iter().filter_map(|(key, wanted)| never_so(rule, &of_rule, *key, wanted)));
    let claimed = rule.impact.iter().filter_map(|(_, _, cell)| match cell {
        Cell::Fact(key) => Some(("impact", *key)),
        Cell::Is(_) => None,
    });
    let severity = rule.severity.and_then(|severity| match severity {
        Cell::Fact(key) => Some(("severity", key)),
        Cell::Is(_) => None,
    });
    let claimed = claimed.chain(severity);
    let texts = [("message", &rule.message), ("why", &rule.why), ("fix", &rule.fix)];
    let named = texts.iter().flat_map(|(section, text)| {
        placeholders(text).into_iter().filter_map(FactKey::from_name).map(|key| (*section, key))
    });
    let unknown = claimed.chain(named).filter(|(_, key)| of_rule.iter().all(|stated| !stated.contains_key(key)));
    found.extend(unknown.map(|(section, key)| not_stated(rule, &of_rule, section, key)));
    found.dedup();
    found
}

/// A condition that none of the rule's kinds can satisfy.
fn never_so(rule: &Rule, of_rule: &[&Stated], key: FactKey, wanted: &[String]) -> Option<Wrong> {
    if wanted.iter().any(|value| value == ABSENT) {
        return None;
    }
    let stating: Vec<&Vec<&str>> = of_rule.iter().filter_map(|stated| stated.get(&key)).collect();
    if stating.is_empty() {
        return Some(not_stated(rule, of_rule, "when", key));
    }
    let values = || stating.iter().flat_map(|values| values.iter().copied());
    if stating.iter().any(|values| values.is_empty()) {
        return None;
    }
    let value = wanted.iter().find(|wanted| values().all(|value| value != wanted.as_str()))?;
    let mut all: Vec<String> = values().map(|value| format!("`{value}`")).collect();
    all.sort_in_order();
    all.dedup();
    Some(Wrong::at("when", key.name(), format!("`{key}` is never `{value}` here, but one of {}", all.join(", "))))
}

fn not_stated(rule: &Rule, of_rule: &[&Stated], section: &'static str, key: FactKey) -> Wrong {
    let kinds: Vec<String> = rule.when.kinds.iter().map(|kind| format!("`{kind}`")).collect();
    let mut stated: Vec<&str> = of_rule.iter().flat_map(|stated| stated.keys()).map(|key| key.name()).collect();
    stated.sort_in_order();
    stated.dedup();
    let near = did_you_mean(key.name(), stated.iter().copied());
    let message = format!(
        "no {} of {} states the fact `{key}`{near}; stated are {}",
        kinds.join(" or "),
        rule.format(),
        stated.join(", ")
    );
    Wrong::at(section, key.name(), message)
}
