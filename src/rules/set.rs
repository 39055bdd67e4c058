//! The rules in force: those compiled in, and the user's own.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, OnceLock};

use super::catalog::{PEERS, RULES};
use super::form::{self, RuleError, RuleText, parse_rule};
use super::matching::{self, Match};
use super::peers::{self, PeerId, PeerRule, PeerTable};
use super::rule::{Origin, POLICY, Rule};
use crate::change::{Change, ChangeKind};

/// All rules in force.
#[derive(Debug, Clone, Default)]
pub struct RuleSet {
    rules: Vec<Arc<Rule>>,
    by_kind: BTreeMap<ChangeKind, Vec<Arc<Rule>>>,
    peers: &'static [PeerTable],
}

impl RuleSet {
    /// The rules compiled in, parsed on first use.
    pub fn built_in() -> &'static RuleSet {
        built_in()
    }

    /// A set of exactly these rules.
    ///
    /// # Errors
    /// Every file that is not a rule, and every id used twice.
    pub fn from_files(files: &[RuleText<'_>]) -> Result<RuleSet, Vec<RuleError>> {
        from_files(files)
    }

    /// These rules and the user's own, given as files; a user's rule replaces the built-in rule it matches, or whose
    /// id it carries.
    ///
    /// # Errors
    /// Every file that is not a rule, and every two of the user's rules that could judge the same change.
    pub fn with_user_rules(&self, files: &[RuleText<'_>]) -> Result<RuleSet, Vec<RuleError>> {
        with_user_rules(self, files)
    }

    /// All rules, sorted by id.
    pub fn iter(&self) -> impl Iterator<Item = &Rule> {
        self.rules.iter().map(Arc::as_ref)
    }

    /// The rule of that id.
    pub fn get(&self, id: &str) -> Option<&Rule> {
        self.iter().find(|rule| rule.id == id)
    }

    /// Whether `rules:` in a configuration may name this: the id of a rule, or a family.
    pub fn names(&self, id_or_family: &str) -> bool {
        self.iter().any(|rule| rule.id == id_or_family || rule.family == id_or_family)
    }

    /// Which rule judges a change of that format.
    pub fn matching(&self, format: &str, change: &Change) -> Match {
        matching::matching(self.by_kind.get(&change.kind).map_or(&[], Vec::as_slice), format, change)
    }

    /// Under which ids other tools report a change of that format, sorted.
    pub fn peers(&self, format: &str, change: &Change) -> Vec<PeerId> {
        let tables = self.peers.iter().filter(|table| table.format == format);
        let mut ids: Vec<PeerId> = tables.flat_map(|table| table.ids(change)).collect();
        ids.sort();
        ids.dedup();
        ids
    }

    /// The rules of another tool, sorted by id; none where the tool has no choice of rules.
    pub fn peer_rules(&self, tool: &str) -> &[PeerRule] {
        self.peers.iter().find(|table| table.tool == tool).map_or(&[], |table| &table.rules)
    }

    /// The rules that another tool's category has in a version of that tool's configuration.
    pub fn peer_category(&self, tool: &str, version: &str, category: &str) -> BTreeSet<String> {
        let belongs = |rule: &&PeerRule| {
            rule.categories.get(version).is_some_and(|categories| categories.iter().any(|one| one == category))
        };
        self.peer_rules(tool).iter().filter(belongs).map(|rule| rule.id.clone()).collect()
    }

    /// What the tables of other tools say of the changes: path in the repository → the table as JSON.
    pub fn peer_files() -> impl Iterator<Item = (&'static str, &'static str)> {
        PEERS.iter().map(|peer| (peer.file, peer.table))
    }

    fn of(mut rules: Vec<Arc<Rule>>) -> RuleSet {
        rules.sort_by(|one, other| one.id.cmp(&other.id));
        let mut by_kind: BTreeMap<ChangeKind, Vec<Arc<Rule>>> = BTreeMap::new();
        for rule in &rules {
            for kind in &rule.when.kinds {
                by_kind.entry(*kind).or_default().push(rule.clone());
            }
        }
        RuleSet { rules, by_kind, peers: &[] }
    }
}

fn built_in() -> &'static RuleSet {
    static SET: OnceLock<RuleSet> = OnceLock::new();
    SET.get_or_init(|| {
        let rules = RULES.iter().map(|digest| Arc::new(form::of_digest(digest)));
        RuleSet { peers: peers::built_in(), ..RuleSet::of(rules.collect()) }
    })
}

fn from_files(files: &[RuleText<'_>]) -> Result<RuleSet, Vec<RuleError>> {
    let mut errors = Vec::new();
    let mut rules: BTreeMap<String, Arc<Rule>> = BTreeMap::new();
    for file in files {
        match parse_rule(*file, Origin::BuiltIn) {
            Ok(rule) => match rules.get(&rule.id) {
                Some(earlier) => errors.push(same_id(&rule, earlier)),
                None => drop(rules.insert(rule.id.clone(), Arc::new(rule))),
            },
            Err(error) => errors.push(error),
        }
    }
    if errors.is_empty() { Ok(RuleSet::of(rules.into_values().collect())) } else { Err(errors) }
}

fn same_id(rule: &Rule, earlier: &Rule) -> RuleError {
    let message = format!("the rule id `{}` is also used in {}; each rule needs its own", rule.id, earlier.file);
    RuleError { file: rule.file.clone(), place: None, message }
}

fn with_user_rules(built_in: &RuleSet, files: &[RuleText<'_>]) -> Result<RuleSet, Vec<RuleError>> {
    let mut errors = Vec::new();
    let mut own: Vec<Arc<Rule>> = Vec::new();
    for file in files {
        match parse_rule(*file, Origin::User) {
            Ok(rule) => {
                errors.extend(objections(&rule, built_in, &own));
                own.push(Arc::new(rule));
            }
            Err(error) => errors.push(error),
        }
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    let kept = built_in.rules.iter().filter(|rule| own.iter().all(|mine| mine.id != rule.id)).cloned();
    let all = kept.chain(own.iter().cloned()).collect();
    Ok(RuleSet { peers: built_in.peers, ..RuleSet::of(all) })
}

/// What speaks against adding a user's rule to those accepted so far.
fn objections(rule: &Rule, built_in: &RuleSet, own: &[Arc<Rule>]) -> Vec<RuleError> {
    let error = |message| RuleError { file: rule.file.clone(), place: None, message };
    let mut found = Vec::new();
    if !built_in.iter().any(|known| known.format() == rule.format()) {
        let message = format!("the rule id `{}` must start with a format's name, as in `protobuf/no-maps`", rule.id);
        found.push(error(message));
    }
    if rule.format() == POLICY {
        let message = format!(
            "`{}`: rules about the gate itself cannot be replaced; set their severity with `rules:` in the configuration",
            rule.id
        );
        found.push(error(message));
    }
    for earlier in own {
        if earlier.id == rule.id {
            found.push(same_id(rule, earlier));
        } else if earlier.may_overlap(rule) {
            found.push(error(format!(
                "`{}` and `{}` ({}) could both judge one change; make their `when.facts` exclude each other",
                rule.id, earlier.id, earlier.file
            )));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULE: &str = r#"
id: protobuf/field-gone
title: A field went
family: field-removed
since: 0.1.0
class: hygiene
severity: error
when:
  change: [field-removed, oneof-removed]
  facts: { number-reserved: no, extension: [absent, "no"] }
impact:
  wire:   { backward: safe,  forward: defaulted }
  json:   { backward: "{json-reads-old}",  forward: defaulted }
  source: { backward: fails, forward: safe }
message: "`{path}` went, {number} is free"
why: |
  Because { this } stays, and {number} too.
fix: Reserve it.
examples:
  - old: "a"
    new: { x.proto: "b" }
  - { old: "a", new: "a", fires: false }
"#;

    #[test]
    fn a_users_rule_replaces_the_built_in_rule_and_two_of_them_must_exclude_each_other() {
        let built_in = RuleSet::of(vec![Arc::new(
            parse_rule(RuleText { file: "b", text: RULE }, Origin::BuiltIn).expect("well formed"),
        )]);
        let own = RULE.replace("field-gone", "no-removal");
        let set = built_in.with_user_rules(&[RuleText { file: "own.yaml", text: &own }]).expect("one own rule is fine");
        assert_eq!(set.iter().count(), 2);
        let second = own.replace("no-removal", "never");
        let files = [RuleText { file: "own.yaml", text: &own }, RuleText { file: "two.yaml", text: &second }];
        let errors = built_in.with_user_rules(&files).expect_err("both match the same change");
        assert!(errors[0].message.contains("could both judge one change"), "{}", errors[0]);
        let apart = second.replace("number-reserved: no", "number-reserved: yes");
        let files = [RuleText { file: "own.yaml", text: &own }, RuleText { file: "two.yaml", text: &apart }];
        assert!(built_in.with_user_rules(&files).is_ok());
        let foreign = own.replace("protobuf/", "proto/");
        let errors =
            built_in.with_user_rules(&[RuleText { file: "own.yaml", text: &foreign }]).expect_err("no such format");
        assert!(errors[0].message.contains("a format's name"), "{}", errors[0]);
    }
}
