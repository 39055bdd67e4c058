//! `use` and `except`: words → the ids of the rules that count.

use super::word::{Notice, START, Version, Word};
use crate::config::place::Text;
use crate::failure::{Failure, nearest};
use crate::ordered::OrderedSet;
use crate::rules::PeerRule;

/// The category that counts where `use` is empty.
const DEFAULT: &str = "FILE";

/// buf's rules, as one version of its configuration knows them.
#[derive(Clone, Copy)]
pub(super) struct Catalogue<'a> {
    pub(super) text: Text<'a>,
    pub(super) rules: &'a [PeerRule],
    pub(super) version: Version,
}

impl Catalogue<'_> {
    /// The rules that count, in words and one by one.
    pub(super) fn choose(
        &self,
        uses: &[Word],
        except: &[Word],
        notices: &mut Vec<Notice>,
    ) -> Result<(String, OrderedSet<String>), Failure> {
        let uses: Vec<&Word> = uses.iter().filter(|word| !word.text.is_empty()).collect();
        let except: Vec<&Word> = except.iter().filter(|word| !word.text.is_empty()).collect();
        let mut ids = OrderedSet::new();
        for word in &uses {
            ids.extend(self.ids_of(word, notices)?);
        }
        if uses.is_empty() {
            ids.extend(self.category(DEFAULT));
        }
        let chosen = !ids.is_empty();
        for word in &except {
            let without = self.ids_of(word, notices)?;
            ids.retain(|id| !without.contains(id));
        }
        if ids.is_empty() {
            let (word, message) = match except.first() {
                Some(word) if chosen => (*word, "`except` takes away every rule that `use` names, so nothing is left"),
                _ => (uses.first().copied().unwrap_or(&START), "`use` names no rule that still does anything"),
            };
            let help = "name in `use` what must not happen; to let everything pass, remove the section and set `mode: none` in wireproof.yaml";
            return Err(word.error(&self.text, message, help));
        }
        Ok((words(&uses, &except), ids))
    }

    /// What a rule or a category stands for.
    pub(super) fn ids_of(&self, word: &Word, notices: &mut Vec<Notice>) -> Result<OrderedSet<String>, Failure> {
        let category = self.category(&word.text);
        if !category.is_empty() {
            return Ok(category);
        }
        match self.known().find(|rule| rule.id == word.text) {
            Some(rule) if rule.deprecated => {
                notices.push(deprecated(rule, word));
                Ok(rule.replaced_by.iter().filter(|id| self.known().any(|rule| rule.id == **id)).cloned().collect())
            }
            Some(rule) => Ok(OrderedSet::from([rule.id.clone()])),
            None => Err(self.unknown(word)),
        }
    }

    fn category(&self, category: &str) -> OrderedSet<String> {
        self.known()
            .filter(|rule| self.categories(rule).any(|one| one == category))
            .map(|rule| rule.id.clone())
            .collect()
    }

    fn categories<'r>(&self, rule: &'r PeerRule) -> impl Iterator<Item = &'r str> {
        rule.categories.get(self.version.name()).into_iter().flatten().map(String::as_str)
    }

    /// The rules that this version knows.
    fn known(&self) -> impl Iterator<Item = &PeerRule> {
        self.rules.iter().filter(|rule| rule.categories.contains_key(self.version.name()))
    }

    fn unknown(&self, word: &Word) -> Failure {
        let message = format!("buf knows no rule and no category `{}`", word.text);
        let elsewhere = |rule: &&PeerRule| {
            rule.id == word.text || rule.categories.values().flatten().any(|category| *category == word.text)
        };
        if let Some(rule) = self.rules.iter().find(elsewhere) {
            let versions = Version::ALL.iter().filter(|version| {
                rule.categories
                    .get(version.name())
                    .is_some_and(|categories| rule.id == word.text || categories.contains(&word.text))
            });
            let versions: Vec<String> = versions.map(|version| format!("`version: {}`", version.name())).collect();
            let message = format!("{message} in `version: {}`", self.version.name());
            return word.error(&self.text, &message, &format!("it is known to {}", versions.join(" and ")));
        }
        let upper = word.text.to_uppercase().replace('-', "_");
        let names: OrderedSet<&str> =
            self.known().flat_map(|rule| std::iter::once(rule.id.as_str()).chain(self.categories(rule))).collect();
        let help = match nearest(&upper, names) {
            Some(near) => format!("did you mean `{near}`?"),
            None => {
                "the categories are FILE, PACKAGE, WIRE_JSON and WIRE; `buf config ls-breaking-rules` lists the rules"
                    .to_owned()
            }
        };
        word.error(&self.text, &message, &help)
    }
}

fn deprecated(rule: &PeerRule, word: &Word) -> Notice {
    let (message, help) = match rule.replaced_by.as_slice() {
        [] => (format!("the rule `{}` is deprecated and finds nothing any more", rule.id), "remove it".to_owned()),
        others => (
            format!("the rule `{}` is deprecated; {} counts instead", rule.id, others.join(" and ")),
            format!("write {}", others.join(", ")),
        ),
    };
    Notice { word: word.clone(), message, help }
}

/// More words than this are only counted.
const WORDS_SHOWN: usize = 3;

/// What was chosen, shortly: `FILE`, `WIRE and WIRE_JSON without FIELD_SAME_ONEOF`.
fn words(uses: &[&Word], except: &[&Word]) -> String {
    let list = |words: &[&Word], what: &str| match words {
        [] => DEFAULT.to_owned(),
        words if words.len() > WORDS_SHOWN => format!("{} {what}", words.len()),
        words => words.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join("+"),
    };
    let mut said = list(uses, "rules and categories");
    if !except.is_empty() {
        said.push_str(&format!(" without {}", list(except, "others")));
    }
    said
}
