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

#[cfg(test)]
mod tests {
    use super::super::RuleSet;
    use super::super::RuleText;
    use crate::change::{ChangeKind, FactKey, Facts, Identity, Pair};

    use super::*;

    fn rule(id: &str, when: &str, origin: Origin) -> Arc<Rule> {
        let text = format!(
            "id: protobuf/{id}\ntitle: T\nfamily: f\nsince: 0.1.0\nclass: compatibility\nwhen: {{ {when} }}\n\
             impact:\n  wire: {{ backward: safe, forward: safe }}\n  json: {{ backward: safe, forward: safe }}\n  \
             source: {{ backward: safe, forward: safe }}\nmessage: M\nwhy: W\nfix: F\n"
        );
        let rules = RuleSet::from_files(&[RuleText { file: "r.yaml", text: &text }]).expect("well formed");
        Arc::new(Rule { origin, ..rules.get(&format!("protobuf/{id}")).expect("it is there").clone() })
    }

    fn found(rules: &[Arc<Rule>], name: Option<&str>) -> Vec<String> {
        let facts = name.into_iter().fold(Facts::none(), |facts, name| facts.with(FactKey::Role, name));
        let change = Change {
            kind: ChangeKind::FieldAdded,
            path: "p.M.x".to_owned(),
            identity: Identity("p.M#1".to_owned()),
            at: Pair::new(None, None),
            facts,
            suggestion: None,
            reports: Vec::new(),
            members: Arc::default(),
            left_out: Default::default(),
            heading: None,
        };
        match matching(rules.iter(), &change) {
            Match::None => Vec::new(),
            Match::One(rule) => vec![rule.short_id().to_owned()],
            Match::Several(rules) => rules.iter().map(|rule| rule.short_id().to_owned()).collect(),
        }
    }

    #[test]
    fn a_rule_of_the_user_comes_before_ours_and_a_fact_that_is_missing_is_absent() {
        let ours = rule("ours", "change: field-added", Origin::BuiltIn);
        let theirs = rule("theirs", "change: field-added, facts: { role: table }", Origin::User);
        let absent = rule("absent", "change: [field-removed, field-added], facts: { role: absent }", Origin::User);
        let other = rule("other", "change: field-removed", Origin::User);
        let all = [ours.clone(), theirs.clone(), absent, other];
        assert_eq!(found(&all, Some("table")), ["theirs"]);
        assert_eq!(found(&all, None), ["absent"]);
        assert_eq!(found(&all, Some("struct")), ["ours"]);
        assert_eq!(found(&all[3..], None), [""; 0]);
        assert_eq!(found(&[theirs.clone(), theirs, ours], Some("table")), ["theirs", "theirs"]);
    }

    #[test]
    fn rules_overlap_where_one_kind_and_one_value_of_each_shared_fact_meet() {
        for (one, other, overlap) in [
            ("change: [field-added, field-removed]", "change: [field-removed, enum-added]", true),
            ("change: field-added", "change: field-removed", false),
            ("change: field-added", "change: field-added, facts: { role: table }", true),
            (
                "change: field-added, facts: { role: [table, union] }",
                "change: field-added, facts: { role: [union, struct] }",
                true,
            ),
            ("change: field-added, facts: { role: table }", "change: field-added, facts: { role: struct }", false),
        ] {
            let [one_rule, other_rule] =
                [("one", one), ("other", other)].map(|(id, when)| rule(id, when, Origin::User));
            assert_eq!(one_rule.may_overlap(&other_rule), overlap, "{one} and {other}");
            assert_eq!(other_rule.may_overlap(&one_rule), overlap, "{other} and {one}");
        }
    }
}
