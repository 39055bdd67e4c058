//! The rules in force: those compiled in, and the user's own.

use std::borrow::Cow;
use std::sync::{Arc, LazyLock, OnceLock};

use super::catalog::{PEERS, RULES, RuleDigest};
use super::form::{self, RuleError, RuleText, parse_rule};
use super::matching::{self, Match};
use super::peers::{self, PeerId, PeerRule, PeerTable};
use super::rule::{Origin, Rule, format_of};
use super::stated::never;
use crate::change::{Change, ChangeKind};
use crate::ordered::{InOrder, OrderedMap, OrderedSet};
use crate::vocabulary::POLICY;

/// All rules in force.
#[derive(Debug, Clone, Default)]
pub struct RuleSet {
    /// Sorted by id.
    entries: Vec<Arc<Entry>>,
    by_kind: OrderedMap<ChangeKind, Vec<Arc<Entry>>>,
    peers: &'static [PeerTable],
}

/// A rule of a set: what it is found by, and the rule, which is read when a change could be its.
#[derive(Debug)]
struct Entry {
    id: Cow<'static, str>,
    family: Cow<'static, str>,
    kinds: Vec<ChangeKind>,
    rule: LazyLock<Arc<Rule>, Box<dyn FnOnce() -> Arc<Rule> + Send>>,
}

impl Entry {
    fn of_digest(digest: &'static RuleDigest) -> Entry {
        let kind = |name: &&str| {
            ChangeKind::from_name(name).unwrap_or_else(|| panic!("{}: there is no change `{name}`", digest.file))
        };
        Entry {
            id: digest.id.into(),
            family: digest.family.into(),
            kinds: digest.kinds.iter().map(kind).collect(),
            rule: LazyLock::new(Box::new(|| Arc::new(form::of_digest(digest)))),
        }
    }

    fn of_rule(rule: Arc<Rule>) -> Entry {
        Entry {
            id: rule.id.clone().into(),
            family: rule.family.clone().into(),
            kinds: rule.when.kinds.clone(),
            rule: LazyLock::new(Box::new(|| rule)),
        }
    }
}

impl RuleSet {
    /// The rules compiled in, each read on first use.
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
        self.entries.iter().map(|entry| &**entry.rule)
    }

    /// The rules of one format, sorted by id; no others are read for that.
    pub fn of_format<'s>(&'s self, format: &'s str) -> impl Iterator<Item = &'s Rule> {
        self.entries.iter().filter(move |entry| format_of(&entry.id) == format).map(|entry| &**entry.rule)
    }

    /// The rule of that id.
    pub fn get(&self, id: &str) -> Option<&Rule> {
        self.entries.iter().find(|entry| entry.id == id).map(|entry| &**entry.rule)
    }

    /// What `rules:` in a configuration may name: the ids of the rules, and their families.
    pub fn names(&self) -> impl Iterator<Item = &str> + Clone {
        self.entries.iter().flat_map(|entry| [&*entry.id, &*entry.family])
    }

    /// Which rule judges a change of that format.
    pub fn matching(&self, format: &str, change: &Change) -> Match {
        let of_kind = self.by_kind.get(&change.kind).into_iter().flatten();
        matching::matching(of_kind.filter(|entry| format_of(&entry.id) == format).map(|entry| &*entry.rule), change)
    }

    /// Under which ids other tools report a change of that format, sorted.
    pub fn peers(&self, format: &str, change: &Change) -> Vec<PeerId> {
        let tables = self.peers.iter().filter(|table| table.format == format);
        let mut ids: Vec<PeerId> = tables.flat_map(|table| table.ids(change)).collect();
        ids.sort_in_order();
        ids.dedup();
        ids
    }

    /// The rules of another tool, sorted by id; none where the tool has no choice of rules.
    pub fn peer_rules(&self, tool: &str) -> &[PeerRule] {
        self.peers.iter().find(|table| table.tool == tool).map_or(&[], PeerTable::rules)
    }

    /// The rules that another tool's category has in a version of that tool's configuration.
    pub fn peer_category(&self, tool: &str, version: &str, category: &str) -> OrderedSet<String> {
        let belongs = |rule: &&PeerRule| {
            rule.categories.get(version).is_some_and(|categories| categories.iter().any(|one| one == category))
        };
        self.peer_rules(tool).iter().filter(belongs).map(|rule| rule.id.clone()).collect()
    }

    /// What the tables of other tools say of the changes: path in the repository → the table as JSON.
    pub fn peer_files() -> impl Iterator<Item = (&'static str, &'static str)> {
        PEERS.iter().map(|peer| (peer.file, peer.table))
    }

    fn of(mut entries: Vec<Arc<Entry>>) -> RuleSet {
        entries.sort_in_order_by(|one, other| one.id.cmp(&other.id));
        let mut by_kind: OrderedMap<ChangeKind, Vec<Arc<Entry>>> = OrderedMap::new();
        for entry in &entries {
            for kind in &entry.kinds {
                by_kind.entry(*kind).or_default().push(entry.clone());
            }
        }
        RuleSet { entries, by_kind, peers: &[] }
    }
}

fn built_in() -> &'static RuleSet {
    static SET: OnceLock<RuleSet> = OnceLock::new();
    SET.get_or_init(|| {
        let entries = RULES.iter().map(|digest| Arc::new(Entry::of_digest(digest)));
        RuleSet { peers: peers::built_in(), ..RuleSet::of(entries.collect()) }
    })
}

fn from_files(files: &[RuleText<'_>]) -> Result<RuleSet, Vec<RuleError>> {
    let mut errors = Vec::new();
    let mut rules: OrderedMap<String, Arc<Rule>> = OrderedMap::new();
    for file in files {
        match parse_rule(*file, Origin::BuiltIn) {
            Ok(rule) => match rules.get(&rule.id) {
                Some(earlier) => errors.push(same_id(&rule, earlier)),
                None => drop(rules.insert(rule.id.clone(), Arc::new(rule))),
            },
            Err(error) => errors.push(error),
        }
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    Ok(RuleSet::of(rules.into_values().map(|rule| Arc::new(Entry::of_rule(rule))).collect()))
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
                errors.extend(never(&rule).into_iter().map(|wrong| wrong.into_error(*file)));
                own.push(Arc::new(rule));
            }
            Err(error) => errors.push(error),
        }
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    let kept = built_in.entries.iter().filter(|entry| own.iter().all(|mine| mine.id != entry.id)).cloned();
    let all = kept.chain(own.iter().map(|rule| Arc::new(Entry::of_rule(rule.clone())))).collect();
    Ok(RuleSet { peers: built_in.peers, ..RuleSet::of(all) })
}

/// What speaks against adding a user's rule to those accepted so far.
fn objections(rule: &Rule, built_in: &RuleSet, own: &[Arc<Rule>]) -> Vec<RuleError> {
    let error = |message| RuleError { file: rule.file.clone(), place: None, message };
    let mut found = Vec::new();
    if !built_in.entries.iter().any(|known| format_of(&known.id) == rule.format()) {
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
    use crate::rules::form::tests::RULE;

    #[test]
    fn a_users_rule_that_nothing_could_ever_match_is_refused() {
        let refused = |from: &str, to: &str| {
            assert!(RULE.contains(from), "{from}");
            let own = RULE.replacen(from, to, 1);
            let set = RuleSet::built_in().with_user_rules(&[RuleText { file: "own.yaml", text: &own }]);
            set.map(|_| ()).map_err(|errors| errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))
        };
        assert_eq!(refused("why: |", "why: |"), Ok(()));
        assert_eq!(refused("extension: [absent, \"no\"]", "relation: absent"), Ok(()), "what is not stated is absent");
        for (from, to, expected) in [
            (
                "change: [field-removed, oneof-removed]",
                "change: [field-removed, union-branch-removed]",
                "own.yaml:9:27: no change of protobuf is a `union-branch-removed`",
            ),
            (
                "number-reserved: no",
                "relation: sign",
                "own.yaml:10:12: no `field-removed` or `oneof-removed` of protobuf states the fact `relation`; stated are",
            ),
            ("number-reserved: no", "old-number: 4", "did you mean `old-name`?"),
            (
                "number-reserved: no",
                "number-reserved: [no, maybe]",
                "own.yaml:10:12: `number-reserved` is never `maybe` here, but one of `extensions`, `no`, `taken`, `yes`",
            ),
            ("{json-reads-old}", "{text-reads-old}", "`{text-reads-old}` is no outcome and no fact"),
            ("backward: fails", "backward: \"{peer-reads-old}\"", "own.yaml:14:25: no `field-removed`"),
            ("{number} is free", "{new-type} is free", "own.yaml:15:27: no `field-removed` or `oneof-removed`"),
            ("and {number} too", "and {new-type} too", "own.yaml:17:"),
        ] {
            let said = refused(from, to).expect_err(to);
            assert!(said.contains(expected), "{from} -> {to}: {said}");
        }
    }

    #[test]
    fn a_users_rule_replaces_the_built_in_rule_and_two_of_them_must_exclude_each_other() {
        let built_in = RuleSet::from_files(&[RuleText { file: "b", text: RULE }]).expect("well formed");
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
