//! What is worth trying: the numbers, lengths, names, texts and values that stand in the schemas of both sides.

use serde_json::Value;

use super::formats;
use crate::ordered::OrderedMap;

/// More of a kind are not collected.
const MOST: usize = 400;

/// Constants of documents.
#[derive(Debug, Default)]
pub(super) struct Hints {
    pub(super) numbers: Vec<f64>,
    pub(super) lengths: Vec<usize>,
    pub(super) names: Vec<String>,
    pub(super) values: Vec<Value>,
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
                            _ => open.push((value, member)),
                        }
                    }
                }
                _ => {}
            }
        }
        hints
    }

    fn keyword(&mut self, key: &str, value: &Value) {
        match (key, value) {
            ("minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" | "multipleOf", Value::Number(number)) => {
                if let Some(number) = number.as_f64() {
                    add(&mut self.numbers, number);
                }
            }
            (
                "minLength" | "maxLength" | "minItems" | "maxItems" | "minProperties" | "maxProperties" | "minContains"
                | "maxContains",
                Value::Number(number),
            ) => {
                if let Some(length) = number.as_f64().filter(|length| *length <= 5_000.0) {
                    add(&mut self.lengths, length as usize);
                }
            }
            ("prefixItems", Value::Array(list)) => add(&mut self.lengths, list.len()),
            ("pattern", Value::String(pattern)) => add(&mut self.patterns, pattern.clone()),
            ("format", Value::String(name)) => {
                let texts = formats::texts(name).unwrap_or_default();
                texts.iter().for_each(|text| add(&mut self.values, Value::from(*text)));
            }
            ("enum", Value::Array(list)) => list.iter().for_each(|value| add(&mut self.values, value.clone())),
            ("const", value) => add(&mut self.values, value.clone()),
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

fn add<T: PartialEq>(list: &mut Vec<T>, value: T) {
    if list.len() < MOST && !list.contains(&value) {
        list.push(value);
    }
}
