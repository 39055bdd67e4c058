//! From a rule file to a [`Rule`], with the place of whatever is wrong; from the digest of a built-in one without looking
//! twice. No files are read here.

use std::fmt;

use serde::Deserialize;
use serde::de::{DeserializeOwned, Error as _};

use super::catalog::RuleDigest;
use super::examples::{Examples, RawExample};
use super::fill::placeholders;
use super::rule::{Cell, EvidenceNeed, Impact, Origin, Rule, When, format_of};
use crate::change::{ChangeKind, FactKey};
use crate::failure::{nearest, of_yaml_parser};
use crate::ordered::OrderedMap;
use crate::vocabulary::{Class, Outcome, Severity, Vocabulary};

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

/// What is wrong with what a rule says, and the word by which it is found in the file.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Wrong {
    /// The key below which the word stands.
    section: &'static str,
    word: String,
    message: String,
}

impl Wrong {
    pub(super) fn at(section: &'static str, word: &str, message: String) -> Wrong {
        Wrong { section, word: word.to_owned(), message }
    }

    pub(super) fn into_error(self, source: RuleText<'_>) -> RuleError {
        let place = place_of(source.text, self.section, &self.word);
        RuleError { file: source.file.to_owned(), place, message: self.message }
    }
}

/// Line and column of a whole word below a key that stands at the start of a line, or of the key itself.
fn place_of(text: &str, section: &str, word: &str) -> Option<(u64, u64)> {
    let is_key = |line: &str| line.strip_prefix(section).is_some_and(|rest| rest.starts_with(':'));
    let start = text.lines().position(is_key)?;
    let is_part = |letter: char| letter.is_ascii_alphanumeric() || letter == '-' || letter == '/';
    let whole = |line: &str| {
        line.match_indices(word)
            .map(|(at, _)| at)
            .find(|at| !line[..*at].ends_with(is_part) && !line[at + word.len()..].starts_with(is_part))
    };
    let found = text.lines().enumerate().skip(start).find_map(|(number, line)| Some((number, whole(line)?)));
    let (line, column) = found.unwrap_or((start, 0));
    let from_one = |count: usize| u64::try_from(count + 1).ok();
    Some((from_one(line)?, from_one(column)?))
}

/// `; did you mean X?`, or nothing.
pub(super) fn did_you_mean<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> String {
    nearest(word, candidates).map_or_else(String::new, |near| format!("; did you mean `{near}`?"))
}

/// Parses one rule file.
pub(super) fn parse_rule(source: RuleText<'_>, origin: Origin) -> Result<Rule, RuleError> {
    let mut raw: RawRule = from_yaml(source)?;
    let complain = |wrong: Wrong| wrong.into_error(source);
    check(&raw).map_err(complain)?;
    let examples = Examples::of_file(format_of(&raw.id), std::mem::take(&mut raw.examples));
    let rule = raw.into_rule(examples).map_err(complain)?;
    Ok(Rule { origin, file: source.file.to_owned(), ..rule })
}

/// A built-in rule. A test reads its YAML and compares, so what is wrong here never leaves the repository.
pub(super) fn of_digest(digest: &RuleDigest) -> Rule {
    let raw: Result<RawRule, _> = serde_json::from_str(digest.rule);
    let raw = raw.unwrap_or_else(|error| panic!("{}: {error}", digest.file));
    let examples = Examples::of_digest(format_of(&raw.id), digest.examples);
    let rule = raw.into_rule(examples).unwrap_or_else(|wrong| panic!("{}: {}", digest.file, wrong.message));
    Rule { file: digest.file.to_owned(), ..rule }
}

impl RawRule {
    fn into_rule(self, examples: Examples) -> Result<Rule, Wrong> {
        let trimmed = |mut text: String| {
            text.truncate(text.trim_end().len());
            text
        };
        Ok(Rule {
            when: self.when.into_when()?,
            id: self.id,
            title: self.title,
            family: self.family,
            since: self.since,
            class: self.class,
            severity: self.severity,
            tolerates: self.tolerates,
            impact: self.impact.into_impact(),
            evidence: self.evidence.unwrap_or(EvidenceNeed::Illustrates),
            message: trimmed(self.message),
            why: trimmed(self.why),
            fix: trimmed(self.fix),
            references: self.references,
            examples,
            origin: Origin::BuiltIn,
            file: String::new(),
        })
    }
}

/// What the form of the file does not tell.
fn check(raw: &RawRule) -> Result<(), Wrong> {
    let wrong = |key: &'static str, message: &str| Err(Wrong::at(key, key, message.to_owned()));
    match (raw.class, raw.severity) {
        (Class::Hygiene, None) => {
            return wrong("class", "a hygiene rule states its `severity`: error, warning or note");
        }
        (Class::Compatibility, Some(_)) => {
            return wrong(
                "severity",
                "the severity of a compatibility rule follows from its impact; remove `severity`",
            );
        }
        (Class::Hygiene, Some(_)) | (Class::Compatibility, None) => {}
    }
    if raw.id.split('/').count() != 2 || raw.id.split('/').any(str::is_empty) {
        return wrong("id", &format!("the id `{}` must be a format, a slash and a name", raw.id));
    }
    for name in placeholders(&raw.message) {
        if name != "path" && FactKey::from_name(name).is_none() {
            let near = did_you_mean(name, fact_names());
            let message = format!("the message names `{{{name}}}`, which is neither `{{path}}` nor a fact{near}");
            return Err(Wrong::at("message", name, message));
        }
    }
    Ok(())
}

fn fact_names() -> impl Iterator<Item = &'static str> {
    FactKey::ALL.iter().map(|key| key.name())
}

/// The only place that knows the YAML library.
pub(super) fn from_yaml<T: DeserializeOwned>(source: RuleText<'_>) -> Result<T, RuleError> {
    serde_saphyr::from_str(source.text).map_err(|error| {
        let error = error.without_snippet();
        RuleError {
            file: source.file.to_owned(),
            place: error.location().map(|place| (place.line(), place.column())),
            message: without_place(of_yaml_parser(&error.to_string())),
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
    severity: Option<Cell<Severity>>,
    tolerates: Option<Outcome>,
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
    facts: OrderedMap<String, Words>,
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

impl RawWhen {
    pub(super) fn into_when(self) -> Result<When, Wrong> {
        let nothing =
            |word: &str| Wrong::at("when", word, format!("`{word}` is an empty list, which nothing satisfies"));
        let kind = |word: &String| {
            let known = ChangeKind::ALL.iter().map(|kind| kind.name());
            ChangeKind::from_name(word).ok_or_else(|| {
                let near = did_you_mean(word, known);
                Wrong::at("when", word, format!("there is no kind of change called `{word}`{near}"))
            })
        };
        let Words(kinds) = self.change;
        let kinds = kinds.iter().map(kind).collect::<Result<Vec<_>, _>>()?;
        if kinds.is_empty() {
            return Err(nothing("change"));
        }
        let fact = |(name, Words(values)): (String, Words)| match FactKey::from_name(&name) {
            Some(_) if values.is_empty() => Err(nothing(&name)),
            Some(key) => Ok((key, values)),
            None => {
                let near = did_you_mean(&name, fact_names());
                Err(Wrong::at("when", &name, format!("there is no fact called `{name}`{near}")))
            }
        };
        Ok(When { kinds, facts: self.facts.into_iter().map(fact).collect::<Result<_, _>>()? })
    }
}

impl RawImpact {
    fn into_impact(self) -> Impact<Cell> {
        let both = |pair: RawDirections| [pair.backward, pair.forward];
        Impact::new(both(self.wire), both(self.json), both(self.source))
    }
}

impl<'de, T: Vocabulary> Deserialize<'de> for Cell<T> {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let fact = text.strip_prefix('{').and_then(|rest| rest.strip_suffix('}'));
        match fact {
            Some(name) => FactKey::from_name(name).map(Cell::Fact),
            None => T::named(&text).map(Cell::Is),
        }
        .ok_or_else(|| {
            let near = match fact {
                Some(name) => did_you_mean(name, fact_names()),
                None => did_you_mean(&text, T::ALL.iter().map(|word| word.name())),
            };
            let what = T::TITLE.to_lowercase();
            D::Error::custom(format!("`{text}` is no {what} and no fact in braces{near}"))
        })
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// A rule with a bit of everything.
    pub(in crate::rules) const RULE: &str = r#"
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
            ("hygiene", "compatibility", "7:1: the severity of a compatibility rule follows"),
            ("field-removed, oneof", "field-remvoed, oneof", "9:12: there is no kind of change called `field-remvoed`"),
            ("field-removed, oneof", "field-remvoed, oneof", "did you mean `field-removed`?"),
            ("[field-removed, oneof-removed]", "[]", "9:3: `change` is an empty list"),
            ("number-reserved:", "number-reservd:", "10:12: there is no fact called `number-reservd`"),
            ("number-reserved:", "number-reservd:", "did you mean `number-reserved`?"),
            ("number-reserved: no", "number-reserved: []", "10:12: `number-reserved` is an empty list"),
            ("wire:   { backward: safe,", "wire:   { backward: good,", "`good` is no outcome"),
            ("wire:   { backward: safe,", "wire:   { backward: sfae,", "did you mean `safe`?"),
            ("{json-reads-old}", "{json-read-old}", "did you mean `json-reads-old`?"),
            ("{number} is free", "{nmber} is free", "15:27: the message names `{nmber}`"),
            ("{number} is free", "{nmber} is free", "did you mean `number`?"),
            ("protobuf/field-gone", "field-gone", "a format, a slash and a name"),
            ("  source: { backward: fails, forward: safe }\n", "", "source"),
        ] {
            let error = parse(&RULE.replacen(from, to, 1)).expect_err(to).to_string();
            assert!(error.starts_with("rules/x.yaml:") && error.contains(expected), "{from} -> {to}: {error}");
        }
        let error = parse(&RULE.replacen("class: hygiene", "class: hygienic", 1)).expect_err("the class is unknown");
        assert_eq!(error.place.map(|(line, _)| line), Some(6), "{error}");
    }
}
