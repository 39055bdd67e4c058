//! What is known of a value: the schemas that it is valid for, and the types that they leave.

use rustc_hash::FxHashSet;
use serde_json::{Map, Value};

use crate::formats::json_schema::same::equal;
use crate::ordered::InOrder;

/// References followed one after the other.
const LONGEST_CHAIN: usize = 64;
/// Branches of which one value is asked with each.
const MOST_BRANCHES: usize = 200;

/// A schema with the document that it refers into.
#[derive(Debug, Clone, Copy)]
pub(super) struct At<'d> {
    pub(super) schema: &'d Value,
    pub(super) document: &'d Value,
}

impl<'d> At<'d> {
    pub(super) fn with(self, schema: &'d Value) -> At<'d> {
        At { schema, ..self }
    }
}

/// A set of types; a number is an integer or has a fraction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Types(u8);

impl Types {
    pub(super) const NULL: Types = Types(1);
    pub(super) const BOOLEAN: Types = Types(2);
    pub(super) const INTEGER: Types = Types(4);
    const FRACTION: Types = Types(8);
    pub(super) const STRING: Types = Types(16);
    pub(super) const ARRAY: Types = Types(32);
    pub(super) const OBJECT: Types = Types(64);
    pub(super) const NUMBER: Types = Types(12);
    const ALL: Types = Types(127);

    /// What stands under `type`.
    pub(super) fn of(value: &Value) -> Types {
        let named = |name: &str| match name {
            "null" => Types::NULL,
            "boolean" => Types::BOOLEAN,
            "integer" => Types::INTEGER,
            "number" => Types::NUMBER,
            "string" => Types::STRING,
            "array" => Types::ARRAY,
            "object" => Types::OBJECT,
            _ => Types(0),
        };
        let names = value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice);
        names.iter().filter_map(Value::as_str).map(named).fold(Types(0), |all, one| Types(all.0 | one.0))
    }

    /// The type of a value.
    pub(super) fn of_value(value: &Value) -> Types {
        match value {
            Value::Null => Types::NULL,
            Value::Bool(_) => Types::BOOLEAN,
            Value::Number(number) if number.as_f64().is_some_and(|number| number.fract() != 0.0) => Types::FRACTION,
            Value::Number(_) => Types::INTEGER,
            Value::String(_) => Types::STRING,
            Value::Array(_) => Types::ARRAY,
            Value::Object(_) => Types::OBJECT,
        }
    }

    /// The types of which alone a keyword says something.
    pub(super) fn about(keyword: &str) -> Option<Types> {
        Some(match keyword {
            "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" | "multipleOf" => Types::NUMBER,
            "minLength" | "maxLength" | "pattern" => Types::STRING,
            "prefixItems" | "items" | "minItems" | "maxItems" | "uniqueItems" | "contains" | "minContains"
            | "maxContains" | "unevaluatedItems" => Types::ARRAY,
            "properties"
            | "patternProperties"
            | "additionalProperties"
            | "propertyNames"
            | "required"
            | "minProperties"
            | "maxProperties"
            | "dependentRequired"
            | "dependentSchemas"
            | "unevaluatedProperties" => Types::OBJECT,
            _ => return None,
        })
    }

    pub(super) const fn is_none(self) -> bool {
        self.0 == 0
    }

    pub(super) const fn meets(self, other: Types) -> bool {
        self.0 & other.0 != 0
    }

    pub(super) const fn is_within(self, other: Types) -> bool {
        self.0 & !other.0 == 0
    }

    pub(super) fn are_objects(self) -> bool {
        self == Types::OBJECT
    }

    pub(super) fn are_arrays(self) -> bool {
        self == Types::ARRAY
    }

    pub(super) fn each(self) -> Vec<Types> {
        (0..7).map(|bit| Types(1 << bit)).filter(|ty| self.meets(*ty)).collect()
    }
}

/// The schemas that a value is valid for.
#[derive(Debug, Clone)]
pub(super) struct Facts<'d> {
    /// Those that are objects, with all that they demand together.
    pub(super) parts: Vec<At<'d>>,
    pub(super) types: Types,
    /// Lists of branches of each of which one is valid.
    pub(super) choices: Vec<At<'d>>,
}

impl<'d> Facts<'d> {
    /// Nothing.
    pub(super) fn none() -> Self {
        Facts { parts: Vec::new(), types: Types::ALL, choices: Vec::new() }
    }

    pub(super) fn of(schema: At<'d>) -> Self {
        Facts::none().and(schema)
    }

    /// With one schema more.
    pub(super) fn and(&self, schema: At<'d>) -> Self {
        let mut facts = self.clone();
        facts.add(schema);
        facts
    }

    pub(super) fn of_type(&self, types: Types) -> Self {
        Facts { types, ..self.clone() }
    }

    /// The same of what is a text.
    pub(super) fn of_texts(&self) -> Self {
        self.of_type(Types(self.types.0 & Types::STRING.0))
    }

    /// Adds a schema, with those that it demands of the same value.
    pub(super) fn add(&mut self, schema: At<'d>) {
        let mut open = vec![schema];
        let mut seen: FxHashSet<usize> = self.parts.iter().map(|part| address(part.schema)).collect();
        while let Some(at) = open.pop() {
            let map = match at.schema {
                Value::Bool(true) => continue,
                Value::Object(map) => map,
                _ => {
                    self.types = Types(0);
                    continue;
                }
            };
            if !seen.insert(address(at.schema)) {
                continue;
            }
            self.parts.push(at);
            self.types = Types(self.types.0 & types(map).0);
            open.extend(map.get("$ref").and_then(|reference| resolved(at.with(reference))));
            for keyword in ["anyOf", "oneOf"] {
                let Some(list) = map.get(keyword) else { continue };
                match list.as_array().map_or(&[][..], Vec::as_slice) {
                    [one] => open.push(at.with(one)),
                    many if many.len() <= MOST_BRANCHES => self.choices.push(at.with(list)),
                    _ => {}
                }
            }
            open.extend(map.get("allOf").and_then(Value::as_array).into_iter().flatten().map(|part| at.with(part)));
        }
    }

    /// The facts with each branch of one of the lists.
    pub(super) fn each_branch(&self, index: usize) -> Vec<Facts<'d>> {
        let list = self.choices[index];
        let mut rest = self.clone();
        rest.choices.remove(index);
        let branches = list.schema.as_array().into_iter().flatten();
        branches.map(|branch| rest.and(list.with(branch))).filter(|facts| !facts.types.is_none()).collect()
    }

    /// What tells them from others.
    pub(super) fn key(&self) -> Vec<usize> {
        let all = self.parts.iter().chain(&self.choices);
        let mut key: Vec<usize> = all.map(|part| address(part.schema)).collect();
        key.sort_in_order();
        key
    }

    /// All schemas with their keywords.
    pub(super) fn maps(&self) -> impl Iterator<Item = (&'d Map<String, Value>, At<'d>)> {
        self.parts.iter().filter_map(|part| Some((part.schema.as_object()?, *part)))
    }

    /// What stands under a keyword.
    pub(super) fn under(&self, keyword: &str) -> impl Iterator<Item = At<'d>> {
        self.maps().filter_map(move |(map, part)| Some(part.with(map.get(keyword)?)))
    }

    /// The names of members that have to be there.
    pub(super) fn required(&self) -> impl Iterator<Item = &'d str> {
        self.under("required").filter_map(|list| list.schema.as_array()).flatten().filter_map(Value::as_str)
    }

    /// The largest of some counts, and the smallest.
    pub(super) fn least(&self, keyword: &str) -> Option<usize> {
        self.under(keyword).filter_map(|at| count(at.schema)).max()
    }

    pub(super) fn most(&self, keyword: &str) -> Option<usize> {
        self.under(keyword).filter_map(|at| count(at.schema)).min()
    }

    /// The values that are left, where they are listed.
    pub(super) fn values(&self) -> Option<Vec<&'d Value>> {
        let lists = self.maps().flat_map(|(map, _)| {
            let list = map.get("enum").and_then(Value::as_array).map(|list| list.iter().collect::<Vec<_>>());
            list.into_iter().chain(map.get("const").map(|value| vec![value]))
        });
        let left = lists.reduce(|some, others| {
            some.into_iter().filter(|value| others.iter().any(|other| equal(value, other))).collect()
        })?;
        Some(left.into_iter().filter(|value| Types::of_value(value).is_within(self.types)).collect())
    }
}

/// A number of characters, items or members.
pub(super) fn count(value: &Value) -> Option<usize> {
    let whole = || value.as_f64().filter(|count| count.fract() == 0.0 && (0.0..=9e15).contains(count));
    value.as_u64().or_else(|| whole().map(|count| count as u64)).map(|count| count as usize)
}

/// The types that the keywords of one schema leave.
fn types(map: &Map<String, Value>) -> Types {
    let named = map.get("type").map_or(Types::ALL, Types::of);
    let of = |values: &[Value]| values.iter().map(Types::of_value).fold(Types(0), |all, one| Types(all.0 | one.0));
    let listed = map.get("enum").and_then(Value::as_array).map_or(Types::ALL, |list| of(list));
    let constant = map.get("const").map_or(Types::ALL, Types::of_value);
    Types(named.0 & listed.0 & constant.0)
}

/// Where a schema is kept.
fn address(schema: &Value) -> usize {
    std::ptr::from_ref(schema).addr()
}

/// What a reference refers to in its document.
pub(super) fn resolved(reference: At<'_>) -> Option<At<'_>> {
    let pointer = reference.schema.as_str()?.strip_prefix('#')?;
    reference.document.pointer(pointer).map(|target| reference.with(target))
}

/// A schema that is nothing but a reference is what it refers to, and one with a single branch is that one.
pub(super) fn seen_through(mut at: At<'_>) -> At<'_> {
    for _ in 0..LONGEST_CHAIN {
        let only = at.schema.as_object().filter(|map| map.len() == 1).and_then(|map| map.iter().next());
        let target = only.and_then(|(keyword, value)| match (keyword.as_str(), value) {
            ("$ref", reference) => resolved(at.with(reference)),
            ("allOf" | "anyOf" | "oneOf", Value::Array(list)) if list.len() == 1 => {
                list.first().map(|one| at.with(one))
            }
            _ => None,
        });
        match target {
            Some(target) => at = target,
            None => break,
        }
    }
    at
}
