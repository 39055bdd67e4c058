//! Which rule judges a change: the user's own before the built-in ones, and exactly one of the same origin.

use std::sync::Arc;

use super::rule::{Origin, Rule, When};
use crate::change::Change;

/// What looking for the rule of a change gave.
#[derive(Debug, Clone)]
pub enum Match {
    /// Exactly one rule.
    One(Arc<Rule>),
    /// No rule at all.
    None,
    /// Several rules of the same origin.
    Several(Vec<Arc<Rule>>),
}

/// The value that a missing fact matches.
pub(super) const ABSENT: &str = "absent";

/// Of rules about the format of the change and about its kind.
pub(super) fn matching<'r>(candidates: impl Iterator<Item = &'r Arc<Rule>> + Clone, change: &Change) -> Match {
    for origin in [Origin::User, Origin::BuiltIn] {
        let fits = |rule: &&Arc<Rule>| rule.origin == origin && rule.when.matches(change);
        let mut found: Vec<&Arc<Rule>> = candidates.clone().filter(fits).collect();
        match (found.pop(), found.is_empty()) {
            (None, _) => {}
            (Some(rule), true) => return Match::One(rule.clone()),
            (Some(last), false) => {
                found.push(last);
                return Match::Several(found.into_iter().cloned().collect());
            }
        }
    }
    Match::None
}

impl Rule {
    /// Whether some change could match both rules, as far as their conditions tell.
    pub fn may_overlap(&self, other: &Rule) -> bool {
        self.format() == other.format() && self.when.may_overlap(&other.when)
    }
}

impl When {
    pub(super) fn matches(&self, change: &Change) -> bool {
        self.kinds.contains(&change.kind)
            && self.facts.iter().all(|(key, wanted)| {
                let value = change.facts.get(*key).unwrap_or(ABSENT);
                wanted.iter().any(|candidate| candidate == value)
            })
    }

    /// Whether no fact that both ask about keeps them apart.
    fn may_overlap(&self, other: &When) -> bool {
        let kinds_meet = self.kinds.iter().any(|kind| other.kinds.contains(kind));
        let values_meet = |one: &Vec<String>, two: &Vec<String>| one.iter().any(|value| two.contains(value));
        kinds_meet && self.facts.iter().all(|(key, one)| other.facts.get(key).is_none_or(|two| values_meet(one, two)))
    }
}
