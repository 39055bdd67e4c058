//! The way from a document to a schema inside of it, for data that are made to show what was edited there.

use std::collections::VecDeque;

use rustc_hash::{FxHashMap, FxHashSet};
use serde_json::{Map, Value};

use super::pairs::{What, is_beside};
use crate::change::Side;
use crate::ordered::InOrder;

/// The keyword by which a schema is known again in the document that was made of it. It says nothing of any value.
pub(super) const MARK: &str = "$comment";

/// So many values or members are looked at one by one.
const FEW: usize = 64;

/// Which schemas of a document hold which others.
#[derive(Default)]
pub(super) struct Ways<'d> {
    /// The schemas, by where they are kept.
    indices: FxHashMap<usize, usize>,
    holders: Vec<Vec<usize>>,
    /// Of the schemas of members of which there are many the names, and where all schemas of such members are kept.
    names: Vec<Option<(usize, &'d str)>>,
    marked: FxHashMap<&'d str, Vec<usize>>,
    /// How deep in data the value lies that each looks at, at least.
    depths: Vec<usize>,
    /// The values of long lists, by where these are kept.
    listed: FxHashMap<usize, FxHashSet<&'d Value>>,
}

fn kept_at(schema: &Value) -> usize {
    std::ptr::from_ref(schema).addr()
}

impl<'d> Ways<'d> {
    pub(super) fn of(document: &'d Value) -> Self {
        let mut ways = Ways::default();
        let mut open = vec![document];
        ways.add(document);
        while let Some(schema) = open.pop() {
            let holder = ways.add(schema).0;
            for Inside { schema: inner, name, .. } in inside(document, schema) {
                let (index, is_new) = ways.add(inner);
                ways.names[index] = ways.names[index].or(name);
                ways.holders[index].push(holder);
                if is_new {
                    open.push(inner);
                }
            }
        }
        ways.depths = ways.depths_of(document);
        ways
    }

    fn depths_of(&self, document: &'d Value) -> Vec<usize> {
        let mut depths = vec![usize::MAX; self.holders.len()];
        let mut open = VecDeque::from([(document, 0)]);
        while let Some((schema, depth)) = open.pop_front() {
            let Some(known) = self.indices.get(&kept_at(schema)).map(|index| &mut depths[*index]) else { continue };
            if *known <= depth {
                continue;
            }
            *known = depth;
            for Inside { schema: inner, is_beside, .. } in inside(document, schema) {
                match is_beside {
                    true => open.push_front((inner, depth)),
                    false => open.push_back((inner, depth + 1)),
                }
            }
        }
        depths
    }

    /// How deep in data the value lies that the schemas with a mark look at, at least.
    pub(super) fn depth(&self, mark: &str) -> usize {
        self.marked.get(mark).into_iter().flatten().map(|goal| self.depths[*goal]).min().unwrap_or(0)
    }

    /// How many schemas there are.
    pub(super) const fn count(&self) -> usize {
        self.holders.len()
    }

    fn add(&mut self, schema: &'d Value) -> (usize, bool) {
        let next = self.holders.len();
        let index = *self.indices.entry(kept_at(schema)).or_insert(next);
        if index == next {
            self.holders.push(Vec::new());
            self.names.push(None);
            if let Some(mark) = schema.get(MARK).and_then(Value::as_str) {
                self.marked.entry(mark).or_default().push(index);
            }
            let values = schema.get("enum").and_then(Value::as_array).filter(|values| values.len() > FEW);
            self.listed.extend(values.map(|values| (values.as_ptr().addr(), values.iter().collect())));
        }
        (index, index == next)
    }

    /// The way to the schemas with a mark; `None` where there are none.
    pub(super) fn to<'w>(&'w self, mark: &str, aim: &'w What, side: Side) -> Option<Way<'w>> {
        let (mark, goals) = self.marked.get_key_value(mark)?;
        let mut steps = vec![usize::MAX; self.holders.len()];
        let mut members: FxHashMap<usize, Vec<(&'w str, usize)>> = FxHashMap::default();
        let mut open: VecDeque<usize> = goals.iter().copied().collect();
        goals.iter().for_each(|goal| steps[*goal] = 0);
        while let Some(index) = open.pop_front() {
            let far = steps[index];
            if let Some((map, name)) = self.names[index] {
                members.entry(map).or_default().push((name, far));
            }
            for holder in &self.holders[index] {
                if steps[*holder] == usize::MAX {
                    steps[*holder] = far + 1;
                    open.push_back(*holder);
                }
            }
        }
        Some(Way { indices: &self.indices, steps, mark, aim, side, members, listed: &self.listed })
    }
}

/// A schema inside of another.
struct Inside<'d> {
    schema: &'d Value,
    /// Of that of one of many members its name, and where all schemas of members beside it are kept.
    name: Option<(usize, &'d str)>,
    /// Whether it looks at the same value as the other one.
    is_beside: bool,
}

/// The schemas right inside of a schema, and what it refers to.
fn inside<'d>(document: &'d Value, schema: &'d Value) -> Vec<Inside<'d>> {
    let Value::Object(map) = schema else { return Vec::new() };
    let mut found = Vec::new();
    for (keyword, value) in map {
        let is_beside = is_beside(keyword);
        let plain = |schema: &'d Value| Inside { schema, name: None, is_beside };
        match (keyword.as_str(), value) {
            ("$ref", Value::String(target)) => {
                let target = target.strip_prefix('#').and_then(|pointer| document.pointer(pointer));
                found.extend(target.map(plain));
            }
            ("properties", Value::Object(schemas)) => {
                let map = std::ptr::from_ref(schemas).addr();
                let is_large = schemas.len() > FEW;
                let name = |name: &'d String| is_large.then_some((map, name.as_str()));
                let of = |(one, schema): (&'d String, &'d Value)| Inside { name: name(one), ..plain(schema) };
                found.extend(schemas.iter().map(of));
            }
            ("patternProperties" | "dependentSchemas", Value::Object(schemas)) => {
                found.extend(schemas.values().map(plain));
            }
            ("allOf" | "anyOf" | "oneOf" | "prefixItems", Value::Array(schemas)) => {
                found.extend(schemas.iter().map(plain));
            }
            (
                "additionalProperties"
                | "unevaluatedProperties"
                | "items"
                | "unevaluatedItems"
                | "contains"
                | "propertyNames"
                | "if"
                | "then"
                | "else",
                Value::Object(_),
            ) => found.push(plain(value)),
            _ => {}
        }
    }
    found
}

/// The way to an edit.
pub(super) struct Way<'w> {
    indices: &'w FxHashMap<usize, usize>,
    /// How far each schema is from it; the greatest number for one from which nothing leads to it.
    steps: Vec<usize>,
    mark: &'w str,
    aim: &'w What,
    side: Side,
    /// Of very many members those that lead on, by where the schemas of members are kept.
    members: FxHashMap<usize, Vec<(&'w str, usize)>>,
    listed: &'w FxHashMap<usize, FxHashSet<&'w Value>>,
}

/// Where the way leads inside of a value, or what is to be in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Step {
    /// To a member.
    Member(String),
    /// To one that matches a pattern.
    Matching(String),
    /// To one that nobody names.
    Additional,
    /// To an item.
    Item(usize),
    /// A member is left out.
    Without(String),
}

impl Way<'_> {
    /// How far a schema is from the goal.
    pub(super) fn steps(&self, schema: &Value) -> Option<usize> {
        self.steps.get(*self.indices.get(&kept_at(schema))?).copied().filter(|steps| *steps < usize::MAX)
    }

    /// Whether a value is in a list of the document.
    pub(super) fn is_listed(&self, list: &[Value], value: &Value) -> bool {
        match self.listed.get(&list.as_ptr().addr()) {
            Some(known) => known.contains(value),
            None => list.contains(value),
        }
    }

    /// Whether a schema is the goal.
    pub(super) fn is_goal(&self, schema: &Map<String, Value>) -> bool {
        schema.get(MARK).is_some_and(|mark| mark == self.mark)
    }

    /// The branch of a keyword at the goal that was edited.
    pub(super) fn branch(&self, keyword: &str) -> Option<usize> {
        match self.aim {
            What::Branch(of, at) if *of == keyword => *at.side(self.side),
            _ => None,
        }
    }

    /// A text that only this side takes at the goal.
    pub(super) fn text(&self) -> Option<&str> {
        match self.aim {
            What::Pattern(only) => only.side(self.side).as_deref(),
            _ => None,
        }
    }

    /// The value of a list at the goal that was edited.
    pub(super) fn value(&self) -> Option<&Value> {
        match self.aim {
            What::Value(value) => Some(value),
            _ => None,
        }
    }

    /// What is to be in a value at the goal, or not to be in it.
    pub(super) fn steps_at_goal(&self) -> Vec<Step> {
        match self.aim {
            What::Member(name) | What::Entry("properties", name) => {
                let there = Step::Member(name.clone());
                vec![there.clone(), there, Step::Without(name.clone())]
            }
            What::Entry("patternProperties", pattern) => vec![Step::Matching(pattern.clone())],
            What::Required(name) => vec![Step::Without(name.clone())],
            What::Branch("prefixItems", at) => at.side(self.side).map(Step::Item).into_iter().collect(),
            What::Keywords(names) if names.contains(&"additionalProperties") => vec![Step::Additional],
            _ => Vec::new(),
        }
    }

    /// The ways on from the schemas that look at one value, each with how far it is.
    pub(super) fn onward(&self, parts: &[&Map<String, Value>]) -> Vec<(usize, Step)> {
        let mut found = Vec::new();
        for part in parts {
            for (keyword, value) in *part {
                match (keyword.as_str(), value) {
                    ("properties", Value::Object(schemas)) => {
                        if schemas.len() <= FEW {
                            let known = schemas.iter().filter_map(|(name, schema)| Some((self.steps(schema)?, name)));
                            found.extend(known.map(|(steps, name)| (steps, Step::Member(name.clone()))));
                            continue;
                        }
                        let led = self.members.get(&std::ptr::from_ref(schemas).addr());
                        let mut led: Vec<&(&str, usize)> = led.into_iter().flatten().collect();
                        led.sort_in_order();
                        found.extend(led.into_iter().map(|(name, steps)| (*steps, Step::Member((*name).to_owned()))));
                    }
                    ("patternProperties", Value::Object(schemas)) => {
                        let known = schemas.iter().filter_map(|(name, schema)| Some((self.steps(schema)?, name)));
                        found.extend(known.map(|(steps, name)| (steps, Step::Matching(name.clone()))));
                    }
                    ("prefixItems", Value::Array(schemas)) => {
                        let known = schemas.iter().enumerate();
                        found
                            .extend(known.filter_map(|(index, schema)| Some((self.steps(schema)?, Step::Item(index)))));
                    }
                    ("items" | "unevaluatedItems" | "contains", schema) => {
                        let first = part.get("prefixItems").and_then(Value::as_array).map_or(0, Vec::len);
                        found.extend(self.steps(schema).map(|steps| (steps, Step::Item(first))));
                    }
                    ("additionalProperties" | "unevaluatedProperties", schema) => {
                        found.extend(self.steps(schema).map(|steps| (steps, Step::Additional)));
                    }
                    _ => {}
                }
            }
        }
        found
    }
}
