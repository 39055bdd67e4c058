//! What is worth trying: the numbers, lengths, names, texts and values that stand in the schemas of both sides.

use serde_json::{Map, Value};

use super::formats;
use crate::ordered::{InOrder as _, OrderedMap};

/// More of a kind are not collected.
const MOST: usize = 400;

/// Greater numbers of characters are not tried, nor of items and members.
const LONGEST_TEXT: f64 = 66_000.0;
const LONGEST_LIST: f64 = 10_000.0;
const MOST_MEMBERS: f64 = 1_200.0;

/// Constants of documents.
#[derive(Debug, Default)]
pub(super) struct Hints {
    pub(super) numbers: Vec<f64>,
    /// Numbers of characters.
    pub(super) lengths: Vec<usize>,
    /// Numbers of items, and of members.
    pub(super) items: Vec<usize>,
    pub(super) members: Vec<usize>,
    pub(super) names: Vec<String>,
    pub(super) values: Vec<Value>,
    /// Those of them that are lists or objects.
    pub(super) composites: Vec<Value>,
    pub(super) patterns: Vec<String>,
    /// Those that stand in the schemas of members, by the names of the members.
    pub(super) of_members: OrderedMap<String, Hints>,
}

impl Hints {
    /// Those of some documents of 2020-12.
    pub(super) fn of(documents: &[&Value]) -> Hints {
        let mut hints = Hints::default();
        let mut open: Vec<(&Value, Option<&str>)> = documents.iter().map(|document| (*document, None)).collect();
        while let Some((value, member)) = open.pop() {
            match value {
                Value::Array(list) => open.extend(list.iter().map(|value| (value, member))),
                Value::Object(map) => {
                    for (key, value) in map {
                        hints.keyword(key, value);
                        if let Some(member) = member {
                            hints.of_members.entry(member.to_owned()).or_default().keyword(key, value);
                        }
                        match (key.as_str(), value) {
                            ("properties", Value::Object(members)) => {
                                open.extend(members.iter().map(|(name, schema)| (schema, Some(name.as_str()))));
                            }
                            ("$defs", Value::Object(definitions)) => {
                                open.extend(by_number(definitions).into_iter().map(|schema| (schema, member)));
                            }
                            _ => open.push((value, member)),
                        }
                    }
                }
                _ => {}
            }
        }
        hints
    }

    fn value(&mut self, value: &Value) {
        add(&mut self.values, value.clone());
        if value.is_array() || value.is_object() {
            add(&mut self.composites, value.clone());
        }
    }

    fn keyword(&mut self, key: &str, value: &Value) {
        match (key, value) {
            ("minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" | "multipleOf", Value::Number(number)) => {
                if let Some(number) = number.as_f64() {
                    add(&mut self.numbers, number);
                }
            }
            ("minLength" | "maxLength", Value::Number(number)) => add_count(&mut self.lengths, number, LONGEST_TEXT),
            ("minItems" | "maxItems" | "minContains" | "maxContains", Value::Number(number)) => {
                add_count(&mut self.items, number, LONGEST_LIST);
            }
            ("minProperties" | "maxProperties", Value::Number(number)) => {
                add_count(&mut self.members, number, MOST_MEMBERS);
            }
            ("prefixItems", Value::Array(list)) => add(&mut self.items, list.len()),
            ("pattern", Value::String(pattern)) => add(&mut self.patterns, pattern.clone()),
            ("format", Value::String(name)) => {
                let texts = formats::texts(name).unwrap_or_default();
                texts.iter().for_each(|text| add(&mut self.values, Value::from(*text)));
            }
            ("enum", Value::Array(list)) => list.iter().for_each(|value| self.value(value)),
            ("const", value) => self.value(value),
            ("required", Value::Array(list)) => {
                list.iter().filter_map(Value::as_str).for_each(|name| add(&mut self.names, name.to_owned()));
            }
            ("properties" | "dependentSchemas" | "dependentRequired", Value::Object(map)) => {
                map.keys().for_each(|name| add(&mut self.names, name.clone()));
            }
            ("patternProperties", Value::Object(map)) => {
                map.keys().for_each(|name| add(&mut self.patterns, name.clone()))
            }
            _ => {}
        }
    }
}

/// Definitions in the order of the numbers in their names: however many others there are, and so digits, it is the same.
fn by_number(definitions: &Map<String, Value>) -> Vec<&Value> {
    let number = |name: &str| name.trim_start_matches(|letter: char| !letter.is_ascii_digit()).parse::<usize>().ok();
    let mut all: Vec<_> = definitions.iter().map(|(name, schema)| ((number(name), name), schema)).collect();
    all.sort_in_order_by(|(one, _), (other, _)| one.cmp(other));
    all.into_iter().map(|(_, schema)| schema).collect()
}

fn add_count(list: &mut Vec<usize>, number: &serde_json::Number, most: f64) {
    if let Some(count) = number.as_f64().filter(|count| *count <= most) {
        add(list, count as usize);
    }
}

fn add<T: PartialEq>(list: &mut Vec<T>, value: T) {
    if list.len() < MOST && !list.contains(&value) {
        list.push(value);
    }
}
