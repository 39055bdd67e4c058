//! What follows of objects and their members.

use serde_json::{Map, Value};

use super::Prover;
use super::facts::{At, Facts, count};
use crate::formats::json_schema::reader::Reader;
use crate::ordered::OrderedSet;

/// Members that no schema names, of which one stands for all.
#[derive(Debug, Clone, Copy)]
enum Others<'d> {
    /// Those that no pattern matches.
    Unmatched,
    /// Those that one matches; others may match as well.
    Matched(At<'d>, &'d str),
}

impl<'d> Prover<'d> {
    pub(super) fn follows_of_members(
        &mut self,
        facts: &Facts<'d>,
        keyword: &str,
        (map, at): (&'d Map<String, Value>, At<'d>),
    ) -> bool {
        let counted = || count(at.schema);
        let names = || facts.required().collect::<OrderedSet<&str>>();
        let schemas = || at.schema.as_object().into_iter().flatten();
        match keyword {
            "required" => {
                let own = names();
                let mut wanted = at.schema.as_array().into_iter().flatten().filter_map(Value::as_str);
                wanted.all(|name| own.contains(name))
            }
            "minProperties" => counted().is_some_and(|least| {
                names().len() >= least || facts.least("minProperties").is_some_and(|own| own >= least)
            }),
            "maxProperties" => counted().is_some_and(|most| most_members(facts).is_some_and(|own| own <= most)),
            "properties" => schemas().all(|(name, schema)| self.follows_of_member(facts, name, at.with(schema))),
            "patternProperties" => {
                schemas().all(|(pattern, schema)| self.follows_of_matching(facts, pattern, at.with(schema)))
            }
            "additionalProperties" => self.follows_of_others(facts, map, at),
            "propertyNames" => {
                let mut known = Facts::none();
                facts.under("propertyNames").for_each(|own| known.add(own));
                self.shows(&known.of_texts(), at)
            }
            "dependentRequired" => {
                let own = names();
                schemas().all(|(name, wanted)| {
                    let mut wanted = wanted.as_array().into_iter().flatten().filter_map(Value::as_str);
                    let is_absent = |prover: &mut Self| {
                        let member = prover.of_member(facts, name);
                        prover.is_empty(&member, 0)
                    };
                    wanted.all(|name| own.contains(name)) || is_absent(self)
                })
            }
            "dependentSchemas" => schemas().all(|(name, schema)| {
                let mut known = facts.clone();
                let own = facts.under("dependentSchemas").filter_map(|own| Some(own.with(own.schema.get(name)?)));
                own.for_each(|own| known.add(own));
                let member = self.of_member(facts, name);
                self.is_empty(&member, 0) || self.shows(&known, at.with(schema))
            }),
            _ => false,
        }
    }

    fn follows_of_member(&mut self, facts: &Facts<'d>, name: &'d str, at: At<'d>) -> bool {
        if matches!(at.schema, Value::Bool(true)) {
            return true;
        }
        let member = self.of_member(facts, name);
        self.shows(&member, at)
    }

    /// All members that a pattern matches.
    fn follows_of_matching(&mut self, facts: &Facts<'d>, pattern: &'d str, at: At<'d>) -> bool {
        let named: Vec<&'d str> = named(facts).filter(|name| self.matches(pattern, name) != Some(false)).collect();
        if !named.into_iter().all(|name| self.follows_of_member(facts, name, at)) {
            return false;
        }
        let own = patterns(facts);
        let same = own.iter().find(|(_, own)| *own == pattern);
        let others: Vec<Others<'d>> = match same {
            Some((part, own)) => vec![Others::Matched(*part, own)],
            None => std::iter::once(Others::Unmatched)
                .chain(own.iter().map(|(part, own)| Others::Matched(*part, own)))
                .collect(),
        };
        others.into_iter().all(|others| self.shows(&of_others(facts, others), at))
    }

    /// All members that the reader does not name, and none of its patterns matches.
    fn follows_of_others(&mut self, facts: &Facts<'d>, map: &'d Map<String, Value>, at: At<'d>) -> bool {
        let keys =
            |keyword: &str| map.get(keyword).and_then(Value::as_object).into_iter().flatten().map(|(key, _)| key);
        let read: Vec<&'d str> = keys("patternProperties").map(String::as_str).collect();
        let is_read = |prover: &mut Self, name: &str| {
            keys("properties").any(|own| own == name)
                || read.iter().any(|pattern| prover.matches(pattern, name) == Some(true))
        };
        let named: OrderedSet<&'d str> = named(facts).collect();
        for name in named {
            if !is_read(self, name) && !self.follows_of_member(facts, name, at) {
                return false;
            }
        }
        let own = patterns(facts);
        let matched =
            own.into_iter().filter(|(_, own)| !read.contains(own)).map(|(part, own)| Others::Matched(part, own));
        std::iter::once(Others::Unmatched).chain(matched).all(|others| self.shows(&of_others(facts, others), at))
    }

    /// What is known of a member with a name.
    pub(super) fn of_member(&mut self, facts: &Facts<'d>, name: &str) -> Facts<'d> {
        let mut known = Facts::none();
        for (map, part) in facts.maps() {
            let mut is_named = false;
            if let Some(schema) = map.get("properties").and_then(|map| map.get(name)) {
                is_named = true;
                known.add(part.with(schema));
            }
            for (pattern, schema) in map.get("patternProperties").and_then(Value::as_object).into_iter().flatten() {
                let is_match = self.matches(pattern, name);
                is_named |= is_match != Some(false);
                if is_match == Some(true) {
                    known.add(part.with(schema));
                }
            }
            if let Some(rest) = map.get("additionalProperties").filter(|_| !is_named) {
                known.add(part.with(rest));
            }
        }
        known
    }

    /// Whether a pattern matches a name, where that is known.
    fn matches(&mut self, pattern: &'d str, name: &str) -> Option<bool> {
        let known = self.readers.entry(pattern).or_insert_with(|| Reader::of_pattern(pattern));
        known.as_ref().map(|reader| reader.takes(&Value::from(name)))
    }
}

/// The names that schemas list.
fn named<'d>(facts: &Facts<'d>) -> impl Iterator<Item = &'d str> {
    let maps = facts.under("properties").filter_map(|at| at.schema.as_object());
    maps.flat_map(|map| map.keys().map(String::as_str)).chain(facts.required())
}

/// The patterns by which schemas speak of members, with the schemas that do.
fn patterns<'d>(facts: &Facts<'d>) -> Vec<(At<'d>, &'d str)> {
    let maps = facts.maps().filter_map(|(map, part)| Some((map.get("patternProperties")?.as_object()?, part)));
    maps.flat_map(|(map, part)| map.keys().map(move |pattern| (part, pattern.as_str()))).collect()
}

/// What is known of members that no schema names.
fn of_others<'d>(facts: &Facts<'d>, others: Others<'d>) -> Facts<'d> {
    let mut known = Facts::none();
    if let Others::Matched(part, pattern) = others {
        let schema = part.schema.get("patternProperties").and_then(|map| map.get(pattern));
        schema.into_iter().for_each(|schema| known.add(part.with(schema)));
    }
    for (map, part) in facts.maps() {
        // What is left over where patterns are is not known of what a pattern matches.
        let is_rest = matches!(others, Others::Unmatched) || !map.contains_key("patternProperties");
        let rest = map.get("additionalProperties").filter(|_| is_rest);
        rest.into_iter().for_each(|rest| known.add(part.with(rest)));
    }
    known
}

/// How many members there are at most.
fn most_members(facts: &Facts<'_>) -> Option<usize> {
    let is_closed = |map: &Map<String, Value>| {
        map.get("additionalProperties") == Some(&Value::Bool(false)) && !map.contains_key("patternProperties")
    };
    let closed = facts.maps().filter(|(map, _)| is_closed(map));
    let closed = closed.map(|(map, _)| map.get("properties").and_then(Value::as_object).map_or(0, Map::len));
    facts.most("maxProperties").into_iter().chain(closed).min()
}
