//! Random data that a schema may allow, with a preference for what either side speaks of. A validator says what is valid.

use serde_json::{Map, Value as Json, json};

use super::make::{NAMES, PATTERNS, value};
use crate::peers::Dice;

/// How deep data are made.
const DEEP: usize = 6;

/// What the schemas of both sides speak of.
#[derive(Default)]
pub struct Words {
    numbers: Vec<f64>,
    sizes: Vec<usize>,
    texts: Vec<String>,
    values: Vec<Json>,
}

impl Words {
    pub fn of(sides: [&Json; 2]) -> Words {
        let mut words = Words::default();
        let mut open = sides.to_vec();
        while let Some(value) = open.pop() {
            match value {
                Json::Array(list) => open.extend(list),
                Json::Object(map) => {
                    for (key, value) in map {
                        words.note(key, value);
                        open.push(value);
                    }
                }
                _ => {}
            }
        }
        words
    }

    fn note(&mut self, key: &str, value: &Json) {
        match (key, value) {
            ("minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" | "multipleOf", Json::Number(number)) => {
                self.numbers.extend(number.as_f64());
            }
            ("enum", Json::Array(list)) => self.values.extend(list.iter().cloned()),
            ("const", one) => self.values.push(one.clone()),
            ("pattern", Json::String(pattern)) => self.texts.extend(samples(pattern)),
            ("patternProperties", Json::Object(map)) => {
                map.keys().for_each(|pattern| self.texts.extend(samples(pattern)));
            }
            (_, Json::Number(number)) => self.sizes.extend(number.as_u64().map(|size| size as usize)),
            _ => {}
        }
    }
}

/// A text that matches a pattern, and one that nearly does.
fn samples(pattern: &str) -> Vec<String> {
    let known = PATTERNS.iter().find(|(known, ..)| *known == pattern);
    known.map_or_else(Vec::new, |(_, fits, misses)| vec![(*fits).to_owned(), (*misses).to_owned()])
}

/// Makes data of one document.
pub struct Maker<'m> {
    pub root: &'m Json,
    pub words: &'m Words,
    /// How many of the members that may be absent are made, of a hundred.
    pub fullness: usize,
}

impl Maker<'_> {
    /// One datum: as the schema has it, or with something in it exchanged.
    pub fn datum(&self, dice: &mut Dice) -> Json {
        let mut made = self.of(self.root, dice, 0);
        for _ in 0..[0, 0, 1, 2][dice.below(4)] {
            self.disturb(&mut made, dice, 0);
        }
        made
    }

    fn of(&self, schema: &Json, dice: &mut Dice, depth: usize) -> Json {
        let Json::Object(schema) = schema else { return self.any(dice) };
        if depth > DEEP {
            return value(dice);
        }
        if let Some(target) = schema.get("$ref").and_then(Json::as_str).and_then(|target| target.strip_prefix('#')) {
            let target = self.root.pointer(target).unwrap_or(&Json::Null);
            return self.of(target, dice, depth + 1);
        }
        if let Some(values) = schema.get("enum").and_then(Json::as_array) {
            return dice.pick(values).unwrap_or_default();
        }
        if let Some(one) = schema.get("const") {
            return one.clone();
        }
        let mut made = self.of_type(schema, dice, depth);
        let mut parts: Vec<&Json> = schema.get("allOf").and_then(Json::as_array).into_iter().flatten().collect();
        for keyword in ["anyOf", "oneOf"] {
            let branches: Vec<&Json> = schema.get(keyword).and_then(Json::as_array).into_iter().flatten().collect();
            parts.extend(dice.pick(&branches));
            parts.extend(dice.pick(&branches).filter(|_| dice.percent(15)));
        }
        let condition = if dice.percent(50) { vec!["if", "then"] } else { vec!["else"] };
        parts.extend(condition.into_iter().filter_map(|keyword| schema.get(keyword)));
        for keyword in ["dependentSchemas", "dependencies"] {
            let schemas = schema.get(keyword).and_then(Json::as_object).into_iter().flatten();
            parts.extend(
                schemas.filter(|(name, inner)| made.get(name).is_some() && inner.is_object()).map(|(_, one)| one),
            );
        }
        let says = schema.keys().any(|key| about(key).is_some() || key == "type");
        for part in parts {
            let other = self.of(part, dice, depth + 1);
            match (&mut made, other) {
                (Json::Object(made), Json::Object(other)) => made.extend(other),
                (made, other) if !says || dice.percent(10) => *made = other,
                _ => {}
            }
        }
        made
    }

    fn of_type(&self, schema: &Map<String, Json>, dice: &mut Dice, depth: usize) -> Json {
        let spoken: Vec<&str> = schema.keys().filter_map(|key| about(key)).collect();
        let ty = match schema.get("type") {
            Some(Json::String(ty)) => ty.clone(),
            Some(Json::Array(types)) => {
                dice.pick(types).and_then(|ty| ty.as_str().map(str::to_owned)).unwrap_or_default()
            }
            _ if spoken.is_empty() || dice.percent(15) => return self.any(dice),
            _ => dice.pick(&spoken).unwrap_or_default().to_owned(),
        };
        match &*ty {
            "null" => Json::Null,
            "boolean" => json!(dice.percent(50)),
            "integer" => self.number(schema, dice, 1.0),
            "number" => self.number(schema, dice, 0.5),
            "string" => self.text(schema, dice),
            "array" => self.list(schema, dice, depth),
            _ => self.object(schema, dice, depth),
        }
    }

    fn number(&self, schema: &Map<String, Json>, dice: &mut Dice, step: f64) -> Json {
        let own: Vec<f64> = ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"]
            .into_iter()
            .filter_map(|name| schema.get(name).and_then(Json::as_f64))
            .collect();
        let near = dice.pick(&own).filter(|_| dice.percent(50)).or_else(|| dice.pick(&self.words.numbers));
        let number = near.unwrap_or(0.0) + step * (dice.below(7) as f64 - 3.0);
        let number = if dice.percent(10) { number * 1000.0 } else { number };
        if number.fract() == 0.0 { json!(number as i64) } else { json!(number) }
    }

    fn text(&self, schema: &Map<String, Json>, dice: &mut Dice) -> Json {
        let pattern = schema.get("pattern").and_then(Json::as_str);
        let mut all: Vec<String> = self.words.texts.clone();
        all.extend(["", "a", "ab", "abcd", "é", "1", "AB"].map(str::to_owned));
        let own = pattern.and_then(|pattern| samples(pattern).into_iter().next());
        let text = own.filter(|_| dice.percent(80)).unwrap_or_else(|| dice.pick(&all).unwrap_or_default());
        let least = schema.get("minLength").and_then(Json::as_u64).unwrap_or(0) as usize;
        let longer = least.saturating_sub(text.chars().count());
        let longer = if dice.percent(20) { longer + 1 } else { longer };
        json!(format!("{text}{}", "a".repeat(longer)))
    }

    fn size(&self, schema: &Map<String, Json>, keywords: [&str; 2], dice: &mut Dice) -> usize {
        let [least, most] = keywords.map(|keyword| schema.get(keyword).and_then(Json::as_u64));
        let near = dice.pick(&self.words.sizes).unwrap_or(2) + dice.below(3);
        let size = near.saturating_sub(1).max(least.unwrap_or(0) as usize).min(6);
        most.map_or(size, |most| size.min(most as usize))
    }

    fn list(&self, schema: &Map<String, Json>, dice: &mut Dice, depth: usize) -> Json {
        let prefix = ["prefixItems", "items"].into_iter().find_map(|keyword| schema.get(keyword)?.as_array());
        let prefix = prefix.map_or(&[][..], Vec::as_slice);
        let rest = ["items", "additionalItems", "unevaluatedItems"];
        let rest = rest.into_iter().find_map(|keyword| schema.get(keyword).filter(|one| !one.is_array()));
        let length = self.size(schema, ["minItems", "maxItems"], dice);
        let length = if dice.percent(40) && !prefix.is_empty() { prefix.len() } else { length };
        let contained = schema.get("contains").filter(|_| dice.percent(80));
        let mut made: Vec<Json> = Vec::new();
        for index in 0..length {
            let own = prefix.get(index).or(rest);
            made.push(match (own, contained) {
                (_, Some(contained)) if dice.percent(50) => self.of(contained, dice, depth + 1),
                (Some(schema), _) => self.of(schema, dice, depth + 1),
                (None, _) => value(dice),
            });
        }
        if dice.percent(10) {
            made.extend(made.first().cloned());
        }
        Json::Array(made)
    }

    fn object(&self, schema: &Map<String, Json>, dice: &mut Dice, depth: usize) -> Json {
        let properties = schema.get("properties").and_then(Json::as_object);
        let patterns = schema.get("patternProperties").and_then(Json::as_object);
        let required = schema.get("required").and_then(Json::as_array).into_iter().flatten();
        let mut names: Vec<String> = required.filter_map(Json::as_str).map(str::to_owned).collect();
        let optional = properties.into_iter().flatten().map(|(name, _)| name.clone());
        names.extend(optional.filter(|_| dice.percent(if depth > 3 { 10 } else { self.fullness })));
        let fitting = patterns.into_iter().flatten().filter_map(|(pattern, _)| samples(pattern).into_iter().next());
        names.extend(fitting.filter(|_| dice.percent(50)));
        let others = ["additionalProperties", "unevaluatedProperties"];
        let others = others.into_iter().find_map(|keyword| schema.get(keyword));
        let is_free = properties.is_none() && schema.get("required").is_none();
        let more = if is_free || others.is_some_and(Json::is_object) { dice.below(3) } else { 0 };
        let more = if dice.percent(8) { more + 1 } else { more };
        names.extend((0..more).map(|_| NAMES[dice.below(NAMES.len())].to_owned()));
        let mut made = Map::new();
        for name in names {
            let of_pattern = || patterns.into_iter().flatten().find(|(pattern, _)| samples(pattern).contains(&name));
            let own =
                properties.and_then(|properties| properties.get(&name)).or_else(|| of_pattern().map(|(_, one)| one));
            let member = match own.or(others) {
                Some(schema) => self.of(schema, dice, depth + 1),
                None => self.any(dice),
            };
            made.insert(name, member);
        }
        Json::Object(made)
    }

    /// A value that nothing is said of.
    fn any(&self, dice: &mut Dice) -> Json {
        let spoken = dice.pick(&self.words.values).filter(|_| dice.percent(40));
        let number = dice.pick(&self.words.numbers).filter(|_| dice.percent(10)).map(|number| json!(number));
        spoken.or(number).unwrap_or_else(|| value(dice))
    }

    /// Exchanges something somewhere in a datum.
    fn disturb(&self, datum: &mut Json, dice: &mut Dice, depth: usize) {
        let goes_on = depth < 3 && dice.percent(60);
        match datum {
            Json::Object(map) if !map.is_empty() && goes_on => {
                let name = dice.pick(&map.keys().cloned().collect::<Vec<_>>()).expect("there is one");
                self.disturb(&mut map[&name], dice, depth + 1);
            }
            Json::Array(list) if !list.is_empty() && goes_on => {
                let index = dice.below(list.len());
                self.disturb(&mut list[index], dice, depth + 1);
            }
            Json::Object(map) if dice.percent(70) => {
                let names: Vec<String> = map.keys().cloned().collect();
                match dice.pick(&names).filter(|_| dice.percent(50)) {
                    Some(name) => drop(map.remove(&name)),
                    None => drop(map.insert(NAMES[dice.below(NAMES.len())].to_owned(), self.any(dice))),
                }
            }
            Json::Array(list) if dice.percent(70) => match dice.below(3) {
                0 => drop(list.pop()),
                1 => list.push(self.any(dice)),
                _ => list.extend(list.first().cloned()),
            },
            datum => *datum = self.any(dice),
        }
    }
}

/// The type that a keyword speaks of.
fn about(keyword: &str) -> Option<&'static str> {
    Some(match keyword {
        "properties"
        | "patternProperties"
        | "additionalProperties"
        | "required"
        | "propertyNames"
        | "minProperties"
        | "maxProperties"
        | "dependencies"
        | "dependentRequired"
        | "dependentSchemas"
        | "unevaluatedProperties" => "object",
        "items" | "prefixItems" | "additionalItems" | "contains" | "minItems" | "maxItems" | "uniqueItems"
        | "minContains" | "unevaluatedItems" => "array",
        "pattern" | "minLength" | "maxLength" => "string",
        "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" | "multipleOf" => "number",
        _ => return None,
    })
}
