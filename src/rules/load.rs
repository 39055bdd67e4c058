//! From the text of a rule file to a [`Rule`], with the place of whatever is wrong. No files are read here.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, OnceLock};

use serde::Deserialize;
use serde::de::{DeserializeOwned, Error as _};

use super::catalog::{CATALOG, PEERS};
use super::peers::PeerTable;
use super::{Cell, Class, EvidenceNeed, Example, Impact, Origin, Rule, RuleSet, Severity, When, placeholders};
use crate::change::{ChangeKind, FactKey};
use crate::evidence::Outcome;
use crate::vocabulary::POLICY;

/// A rule file as the caller read it.
#[derive(Debug, Clone, Copy)]
pub struct RuleText<'a> {
    /// Its path, for messages.
    pub file: &'a str,
    /// Its content.
    pub text: &'a str,
}

/// What is wrong with a rule file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct RuleError {
    /// The file.
    pub file: String,
    /// Line and column from 1, where known.
    pub place: Option<(u64, u64)>,
    /// What is wrong and what to do, without a final period.
    pub message: String,
}

impl fmt::Display for RuleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.place {
            Some((line, column)) => write!(f, "{}:{line}:{column}: {}", self.file, self.message),
            None => write!(f, "{}: {}", self.file, self.message),
        }
    }
}

impl std::error::Error for RuleError {}

pub(super) fn built_in() -> &'static RuleSet {
    static RULES: OnceLock<RuleSet> = OnceLock::new();
    RULES.get_or_init(|| {
        let files: Vec<RuleText<'_>> = CATALOG.iter().map(|(file, text)| RuleText { file, text }).collect();
        let mut set = from_files(&files).expect("a test reads every built-in rule");
        let peers = PEERS.iter().map(|(file, text)| PeerTable::parse(RuleText { file, text }));
        set.peers = Arc::new(peers.collect::<Result<_, _>>().expect("a test reads every built-in table"));
        set
    })
}

pub(super) fn from_files(files: &[RuleText<'_>]) -> Result<RuleSet, Vec<RuleError>> {
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

pub(super) fn with_user_rules(built_in: &RuleSet, files: &[RuleText<'_>]) -> Result<RuleSet, Vec<RuleError>> {
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
    Ok(RuleSet { peers: built_in.peers.clone(), ..RuleSet::of(all) })
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

/// Parses one rule file.
pub(super) fn parse_rule(source: RuleText<'_>, origin: Origin) -> Result<Rule, RuleError> {
    let raw: RawRule = from_yaml(source)?;
    let complain = |message: String| RuleError { file: source.file.to_owned(), place: None, message };
    check(&raw).map_err(complain)?;
    let when = raw.when.into_when().map_err(complain)?;
    let example_file = example_file(&raw.id);
    Ok(Rule {
        id: raw.id,
        title: raw.title,
        family: raw.family,
        since: raw.since,
        class: raw.class,
        severity: raw.severity,
        when,
        impact: raw.impact.into_impact(),
        evidence: raw.evidence.unwrap_or(EvidenceNeed::Illustrates),
        message: raw.message.trim_end().to_owned(),
        why: raw.why.trim_end().to_owned(),
        fix: raw.fix.trim_end().to_owned(),
        references: raw.references,
        examples: raw.examples.into_iter().map(|example| example.into_example(example_file)).collect(),
        origin,
        file: source.file.to_owned(),
    })
}

/// What the form of the file does not tell.
fn check(raw: &RawRule) -> Result<(), String> {
    match (raw.class, raw.severity) {
        (Class::Hygiene, None) => return Err("a hygiene rule states its `severity`: error, warning or note".to_owned()),
        (Class::Compatibility, Some(_)) => {
            return Err("the severity of a compatibility rule follows from its impact; remove `severity`".to_owned());
        }
        (Class::Hygiene, Some(_)) | (Class::Compatibility, None) => {}
    }
    if raw.id.split('/').count() != 2 || raw.id.split('/').any(str::is_empty) {
        return Err(format!("the id `{}` must be a format, a slash and a name", raw.id));
    }
    for name in placeholders(&raw.message) {
        if name != "path" && FactKey::from_name(name).is_none() {
            return Err(format!("the message names `{{{name}}}`, which is neither `{{path}}` nor a fact"));
        }
    }
    Ok(())
}

/// The only place that knows the YAML library.
pub(super) fn from_yaml<T: DeserializeOwned>(source: RuleText<'_>) -> Result<T, RuleError> {
    serde_saphyr::from_str(source.text).map_err(|error| {
        let error = error.without_snippet();
        RuleError {
            file: source.file.to_owned(),
            place: error.location().map(|place| (place.line(), place.column())),
            message: without_place(&error.to_string()),
        }
    })
}

/// The library repeats the place at the end of its message; the place is told once.
fn without_place(message: &str) -> String {
    message.split_once(" at line ").map_or(message, |(what, _)| what).to_owned()
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawRule {
    id: String,
    title: String,
    family: String,
    since: String,
    class: Class,
    severity: Option<Severity>,
    when: RawWhen,
    impact: RawImpact,
    evidence: Option<EvidenceNeed>,
    message: String,
    why: String,
    fix: String,
    #[serde(default)]
    references: Vec<String>,
    #[serde(default)]
    examples: Vec<RawExample>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawWhen {
    change: Words,
    #[serde(default)]
    facts: BTreeMap<FactKey, Words>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawImpact {
    wire: RawDirections,
    json: RawDirections,
    source: RawDirections,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawDirections {
    backward: Cell,
    forward: Cell,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawExample {
    note: Option<String>,
    old: RawFiles,
    new: RawFiles,
    fires: Option<bool>,
    count: Option<usize>,
    #[serde(default)]
    roots: Vec<String>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum RawFiles {
    One(String),
    Several(BTreeMap<String, String>),
}

/// One word, or a list of words. An unquoted `yes` or `no` is a word here, not a truth value.
struct Words(Vec<String>);

impl<'de> Deserialize<'de> for Words {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(WordsVisitor)
    }
}

struct WordsVisitor;

impl<'de> serde::de::Visitor<'de> for WordsVisitor {
    type Value = Words;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a word or a list of words")
    }

    fn visit_str<E: serde::de::Error>(self, word: &str) -> Result<Words, E> {
        Ok(Words(vec![word.to_owned()]))
    }

    fn visit_bool<E: serde::de::Error>(self, word: bool) -> Result<Words, E> {
        self.visit_str(if word { "yes" } else { "no" })
    }

    fn visit_i64<E: serde::de::Error>(self, word: i64) -> Result<Words, E> {
        self.visit_str(&word.to_string())
    }

    fn visit_u64<E: serde::de::Error>(self, word: u64) -> Result<Words, E> {
        self.visit_str(&word.to_string())
    }

    fn visit_seq<A: serde::de::SeqAccess<'de>>(self, mut list: A) -> Result<Words, A::Error> {
        let mut words = Vec::new();
        while let Some(Words(mut word)) = list.next_element()? {
            words.append(&mut word);
        }
        Ok(Words(words))
    }
}

impl Words {
    /// The change kinds they name.
    fn kinds(&self) -> Result<Vec<ChangeKind>, String> {
        let kind = |word: &String| {
            ChangeKind::from_name(word).ok_or_else(|| format!("there is no kind of change called `{word}`"))
        };
        self.0.iter().map(kind).collect()
    }
}

impl RawWhen {
    pub(super) fn into_when(self) -> Result<When, String> {
        let kinds = self.change.kinds()?;
        Ok(When { kinds, facts: self.facts.into_iter().map(|(key, Words(values))| (key, values)).collect() })
    }
}

/// What the one file of an example is called, if the example does not say.
fn example_file(id: &str) -> &'static str {
    match id.split_once('/') {
        Some(("avro", _)) => "example.avsc",
        Some(("flatbuffers", _)) => "example.fbs",
        Some(("thrift", _)) => "example.thrift",
        Some(("policy", _)) => "wireproof.yaml",
        _ => "example.proto",
    }
}

impl RawImpact {
    fn into_impact(self) -> Impact<Cell> {
        let both = |pair: RawDirections| [pair.backward, pair.forward];
        Impact::new(both(self.wire), both(self.json), both(self.source))
    }
}

impl RawExample {
    fn into_example(self, file: &str) -> Example {
        let fires = self.fires.unwrap_or(true);
        Example {
            note: self.note,
            fires,
            count: self.count.unwrap_or(usize::from(fires)),
            roots: self.roots,
            old: self.old.into_files(file),
            new: self.new.into_files(file),
        }
    }
}

impl RawFiles {
    fn into_files(self, file: &str) -> BTreeMap<String, String> {
        match self {
            RawFiles::One(text) => BTreeMap::from([(file.to_owned(), text)]),
            RawFiles::Several(files) => files,
        }
    }
}

impl<'de> Deserialize<'de> for Cell {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let fact = text.strip_prefix('{').and_then(|rest| rest.strip_suffix('}'));
        match fact {
            Some(name) => FactKey::from_name(name).map(Cell::Fact),
            None => Outcome::from_name(&text).map(Cell::Is),
        }
        .ok_or_else(|| D::Error::custom(format!("`{text}` is neither an outcome nor a fact in braces")))
    }
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

    fn parse(text: &str) -> Result<Rule, RuleError> {
        parse_rule(RuleText { file: "rules/x.yaml", text }, Origin::User)
    }

    #[test]
    fn a_rule_file_becomes_a_rule() {
        let rule = parse(RULE).expect("the rule is well formed");
        assert_eq!(rule.when.kinds, [ChangeKind::FieldRemoved, ChangeKind::OneofRemoved]);
        assert_eq!(rule.when.facts[&FactKey::NumberReserved], ["no"]);
        assert_eq!(rule.when.facts[&FactKey::Extension], ["absent", "no"]);
        let cells: Vec<String> = rule.impact.iter().map(|(_, _, cell)| cell.to_string()).collect();
        assert_eq!(cells, ["safe", "defaulted", "{json-reads-old}", "defaulted", "fails", "safe"]);
        assert_eq!(rule.examples[0].old["example.proto"], "a");
        assert_eq!(rule.examples[0].new["x.proto"], "b");
        assert_eq!((rule.examples[0].count, rule.examples[1].count), (1, 0));
    }

    #[test]
    fn what_is_wrong_with_a_rule_file_is_said_with_its_place() {
        for (from, to, expected) in [
            ("title:", "titel:", "titel"),
            ("hygiene", "hygienic", "unknown Class `hygienic`"),
            ("severity: error\n", "", "a hygiene rule states its `severity`"),
            ("field-removed, oneof", "field-lost, oneof", "no kind of change called `field-lost`"),
            ("number-reserved:", "number-kept:", "number-kept"),
            ("wire:   { backward: safe,", "wire:   { backward: good,", "`good` is neither an outcome"),
            ("{number} is free", "{nmber} is free", "`{nmber}`"),
            ("protobuf/field-gone", "field-gone", "a format, a slash and a name"),
            ("  source: { backward: fails, forward: safe }\n", "", "source"),
        ] {
            let error = parse(&RULE.replacen(from, to, 1)).expect_err(to).to_string();
            assert!(error.starts_with("rules/x.yaml:") && error.contains(expected), "{from} -> {to}: {error}");
        }
        let error = parse(&RULE.replacen("class: hygiene", "class: hygienic", 1)).expect_err("the class is unknown");
        assert_eq!(error.place.map(|(line, _)| line), Some(6), "{error}");
    }

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
