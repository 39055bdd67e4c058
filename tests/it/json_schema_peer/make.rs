//! Random schemas of every draft, and which keywords each draft has.

use serde_json::{Map, Value as Json, json};

use crate::peers::Dice;

/// A dialect, oldest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Draft {
    D4,
    D6,
    D7,
    D2019,
    D2020,
}

use Draft::{D4, D6, D7, D2019, D2020};

pub const DRAFTS: [Draft; 5] = [D4, D6, D7, D2019, D2020];

impl Draft {
    /// What the peers call it.
    pub fn name(self) -> &'static str {
        match self {
            D4 => "4",
            D6 => "6",
            D7 => "7",
            D2019 => "2019-09",
            D2020 => "2020-12",
        }
    }

    pub fn address(self) -> String {
        match self {
            D4 | D6 | D7 => format!("http://json-schema.org/draft-0{}/schema#", self.name()),
            D2019 | D2020 => format!("https://json-schema.org/draft/{}/schema", self.name()),
        }
    }

    /// The dialect that a schema names.
    pub fn of(schema: &Json) -> Draft {
        DRAFTS.into_iter().find(|draft| schema["$schema"] == draft.address()).expect("every schema here names one")
    }

    /// Where schemas are kept that others refer to.
    pub fn shelf(self) -> &'static str {
        if self >= D2019 { "$defs" } else { "definitions" }
    }
}

/// Names of members, few enough that they meet.
pub const NAMES: [&str; 6] = ["a", "b", "c", "id", "x-1", "name"];

/// Patterns, each with a text that matches and one that nearly does.
pub const PATTERNS: [(&str, &str, &str); 10] = [
    ("^a", "ab", "ba"),
    ("^[a-z]+$", "abc", "aB"),
    ("^x-", "x-1", "x_1"),
    ("[0-9]", "a7", "seven"),
    ("^[A-Z]{2,3}$", "ABC", "ABCD"),
    ("b$", "ab", "abc"),
    ("^(a|bb)$", "bb", "b"),
    ("^.{2,4}$", "xyz", "x"),
    ("^(?!id)", "a", "id"),
    ("^[^@]+@[^@]+$", "me@here", "me"),
];

/// Values for `enum` and `const`, and data.
pub fn value(dice: &mut Dice) -> Json {
    let scalars = [
        json!(null),
        json!(true),
        json!(false),
        json!(0),
        json!(1),
        json!(2),
        json!(5),
        json!(-1),
        json!(1.5),
        json!(""),
        json!("a"),
        json!("bb"),
        json!("ABC"),
        json!("x-1"),
        json!("é"),
    ];
    match dice.below(10) {
        0 => [json!([]), json!([1]), json!(["a", "a"])][dice.below(3)].clone(),
        1 => [json!({}), json!({ "a": 1 }), json!({ "id": "a", "b": [] })][dice.below(3)].clone(),
        _ => dice.pick(&scalars).expect("there are some"),
    }
}

/// Where a schema is made.
#[derive(Clone, Copy)]
pub struct Place {
    pub draft: Draft,
    pub depth: usize,
    /// How many schemas there are to refer to, by number.
    pub kept: usize,
    /// The first of them that a reference may lead to without a ring that no datum ends.
    pub first: usize,
    /// Whether a reference may lead anywhere, since the schema looks at another value than those that hold it.
    pub is_inside: bool,
}

impl Place {
    /// Under a keyword whose schemas look at another value.
    fn inside(self) -> Place {
        Place { depth: self.depth + 1, first: 0, is_inside: true, ..self }
    }

    fn beside(self) -> Place {
        Place { depth: self.depth + 1, ..self }
    }
}

const TYPES: [&str; 7] = ["object", "array", "string", "integer", "number", "boolean", "null"];

/// Keywords by the type of value that they speak of, and the draft that brought them.
const OF_TYPES: [(&str, &str, Draft); 33] = [
    ("number", "minimum", D4),
    ("number", "maximum", D4),
    ("number", "exclusiveMinimum", D4),
    ("number", "exclusiveMaximum", D4),
    ("number", "multipleOf", D4),
    ("string", "minLength", D4),
    ("string", "maxLength", D4),
    ("string", "pattern", D4),
    ("string", "format", D4),
    ("array", "items", D4),
    ("array", "prefixItems", D2020),
    ("array", "additionalItems", D4),
    ("array", "minItems", D4),
    ("array", "maxItems", D4),
    ("array", "uniqueItems", D4),
    ("array", "contains", D6),
    ("array", "minContains", D2019),
    ("array", "maxContains", D2019),
    ("array", "unevaluatedItems", D2019),
    ("object", "properties", D4),
    ("object", "properties", D4),
    ("object", "properties", D4),
    ("object", "required", D4),
    ("object", "required", D4),
    ("object", "patternProperties", D4),
    ("object", "additionalProperties", D4),
    ("object", "propertyNames", D6),
    ("object", "minProperties", D4),
    ("object", "maxProperties", D4),
    ("object", "dependencies", D4),
    ("object", "dependentRequired", D2019),
    ("object", "dependentSchemas", D2019),
    ("object", "unevaluatedProperties", D2019),
];

/// Keywords that speak of any value.
const OF_ALL: [(&str, Draft); 13] = [
    ("type", D4),
    ("type", D4),
    ("enum", D4),
    ("const", D6),
    ("allOf", D4),
    ("anyOf", D4),
    ("anyOf", D4),
    ("oneOf", D4),
    ("not", D4),
    ("if", D7),
    ("$ref", D4),
    ("$ref", D4),
    ("title", D4),
];

/// Whether a keyword says something of data in a draft.
pub fn is_known(keyword: &str, draft: Draft) -> bool {
    let of_types = OF_TYPES.iter().map(|(_, name, since)| (*name, *since));
    let mut all = of_types.chain(OF_ALL).filter(|(name, _)| !matches!(*name, "title" | "format"));
    let is_gone = keyword == "additionalItems" && draft >= D2020;
    !is_gone && all.any(|(name, since)| name == keyword && since <= draft)
}

/// A whole document.
pub fn document(dice: &mut Dice) -> Json {
    let draft = [D4, D6, D7, D7, D2019, D2020, D2020][dice.below(7)];
    let kept = dice.below(3);
    let mut root = schema(dice, Place { draft, depth: 0, kept, first: 0, is_inside: false });
    if !root.is_object() {
        root = json!({ "properties": { "a": root } });
    }
    root["$schema"] = json!(draft.address());
    for index in 0..kept {
        let one = schema(dice, Place { draft, depth: 1, kept, first: index + 1, is_inside: false });
        root[draft.shelf()][format!("d{index}")] = one;
    }
    root
}

/// A random schema.
pub fn schema(dice: &mut Dice, place: Place) -> Json {
    if place.depth > 3 || dice.percent(4) {
        return leaf(dice, place);
    }
    let mut made = Map::new();
    if dice.percent(12) {
        let keyword = any_keyword(dice, place.draft);
        add(dice, place, keyword, &mut made);
        if made.contains_key("$ref") && place.draft <= D7 && !dice.percent(10) {
            return Json::Object(made);
        }
    }
    let deep = if place.depth == 0 { 75 } else { 40 };
    let ty = if dice.percent(deep) { TYPES[dice.below(2)] } else { TYPES[dice.below(7)] };
    if dice.percent(80) {
        made.insert("type".to_owned(), if dice.percent(85) { json!(ty) } else { json!([ty, other(dice, ty)]) });
    }
    for _ in 0..1 + dice.below(3) {
        if let Some(keyword) = keyword_of(dice, place.draft, ty) {
            add(dice, place, keyword, &mut made);
        }
    }
    if dice.percent(25) {
        let keyword = any_keyword(dice, place.draft);
        let stays_alone = keyword == "$ref" && place.draft <= D7;
        if !stays_alone {
            add(dice, place, keyword, &mut made);
        }
    }
    Json::Object(made)
}

fn other(dice: &mut Dice, ty: &str) -> &'static str {
    let others: Vec<&'static str> = TYPES.into_iter().filter(|one| *one != ty).collect();
    others[dice.below(others.len())]
}

fn leaf(dice: &mut Dice, place: Place) -> Json {
    match dice.below(6) {
        0 if place.draft >= D6 => json!(dice.percent(60)),
        1 => json!({}),
        2 => json!({ "enum": values(dice) }),
        _ => json!({ "type": TYPES[2 + dice.below(5)] }),
    }
}

fn keyword_of(dice: &mut Dice, draft: Draft, ty: &str) -> Option<&'static str> {
    let ty = if ty == "integer" { "number" } else { ty };
    let known: Vec<&'static str> =
        OF_TYPES.into_iter().filter(|(of, _, since)| *of == ty && *since <= draft).map(|(_, name, _)| name).collect();
    dice.pick(&known)
}

/// A keyword that a draft has, of those that speak of any value.
pub fn any_keyword(dice: &mut Dice, draft: Draft) -> &'static str {
    let known: Vec<&'static str> =
        OF_ALL.into_iter().filter(|(_, since)| *since <= draft).map(|(name, _)| name).collect();
    known[dice.below(known.len())]
}

/// Any keyword that a draft has.
pub fn keyword(dice: &mut Dice, draft: Draft) -> &'static str {
    let ty = ["object", "object", "array", "number", "string"][dice.below(5)];
    let of_type = keyword_of(dice, draft, ty).filter(|_| dice.percent(70));
    of_type.unwrap_or_else(|| any_keyword(dice, draft))
}

fn values(dice: &mut Dice) -> Json {
    let mut list: Vec<Json> = Vec::new();
    for _ in 0..1 + dice.below(4) {
        let one = value(dice);
        if !list.contains(&one) {
            list.push(one);
        }
    }
    Json::Array(list)
}

fn names(dice: &mut Dice, most: usize) -> Vec<&'static str> {
    let mut names: Vec<&'static str> = Vec::new();
    for _ in 0..1 + dice.below(most) {
        let name = NAMES[dice.below(NAMES.len())];
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

fn named(dice: &mut Dice, most: usize, mut make: impl FnMut(&mut Dice) -> Json) -> Json {
    names(dice, most).into_iter().map(|name| (name.to_owned(), make(dice))).collect::<Map<_, _>>().into()
}

fn list(dice: &mut Dice, most: usize, mut make: impl FnMut(&mut Dice) -> Json) -> Json {
    (0..1 + dice.below(most)).map(|_| make(dice)).collect()
}

/// One of some numbers, written as an integer where it is one.
fn number(dice: &mut Dice, from: &[f64]) -> Json {
    let number = dice.pick(from).unwrap_or_default();
    if number.fract() == 0.0 { json!(number as i64) } else { json!(number) }
}

/// The value of a keyword that holds no schema and needs nothing beside it.
fn plain(dice: &mut Dice, keyword: &str) -> Option<Json> {
    Some(match keyword {
        "minimum" | "maximum" => json!([0, 1, 5, 10, -3][dice.below(5)]),
        "exclusiveMinimum" | "exclusiveMaximum" => number(dice, &[0.0, 3.0, 10.0, 2.5]),
        "multipleOf" => number(dice, &[1.0, 2.0, 3.0, 0.5, 10.0, 0.01]),
        "minLength" | "maxLength" | "minItems" | "maxItems" | "minProperties" | "maxProperties" => json!(dice.below(4)),
        "pattern" => json!(PATTERNS[dice.below(PATTERNS.len())].0),
        "format" => json!(["date", "email", "uuid"][dice.below(3)]),
        "title" => json!("One"),
        "uniqueItems" => json!(dice.percent(80)),
        "required" => json!(names(dice, 2)),
        "dependentRequired" => named(dice, 2, |dice| json!(names(dice, 2))),
        "type" => {
            let one = TYPES[dice.below(7)];
            if dice.percent(70) { json!(one) } else { json!([one, other(dice, one)]) }
        }
        "enum" => values(dice),
        "const" => value(dice),
        _ => return None,
    })
}

/// Gives a schema a keyword with a random value, and what the keyword needs beside it.
pub fn add(dice: &mut Dice, place: Place, keyword: &str, made: &mut Map<String, Json>) {
    let (inside, beside, draft) = (place.inside(), place.beside(), place.draft);
    let value = match keyword {
        "exclusiveMinimum" | "exclusiveMaximum" if draft == D4 => {
            let bound = if keyword == "exclusiveMinimum" { "minimum" } else { "maximum" };
            made.entry(bound).or_insert(json!([0, 3, 10][dice.below(3)]));
            json!(dice.percent(80))
        }
        "minContains" | "maxContains" => {
            made.entry("contains").or_insert_with(|| schema(dice, inside));
            json!(dice.below(4))
        }
        "items" if draft <= D2019 && dice.percent(35) => list(dice, 3, |dice| schema(dice, inside)),
        "prefixItems" => list(dice, 3, |dice| schema(dice, inside)),
        "additionalItems" | "additionalProperties" | "unevaluatedItems" | "unevaluatedProperties" => {
            rest(dice, place, keyword, made)
        }
        "items" | "contains" => schema(dice, inside),
        "propertyNames" => match dice.below(3) {
            0 => json!({ "pattern": PATTERNS[dice.below(PATTERNS.len())].0 }),
            1 => json!({ "maxLength": 1 + dice.below(4) }),
            _ => json!({ "enum": names(dice, 5) }),
        },
        "properties" => named(dice, 4, |dice| schema(dice, inside)),
        "patternProperties" => json!({ PATTERNS[dice.below(PATTERNS.len())].0: schema(dice, inside) }),
        "dependentSchemas" => named(dice, 1, |dice| schema(dice, beside)),
        "dependencies" if draft >= D2019 && !dice.percent(10) => return,
        "dependencies" => named(dice, 1, |dice| match dice.percent(50) {
            true => json!(names(dice, 2)),
            false => schema(dice, beside),
        }),
        "allOf" | "anyOf" | "oneOf" => list(dice, 3, |dice| schema(dice, beside)),
        "not" => schema(dice, beside),
        "if" => {
            for keyword in ["then", "else"] {
                if dice.percent(65) {
                    made.insert(keyword.to_owned(), schema(dice, beside));
                }
            }
            schema(dice, beside)
        }
        "$ref" => match reference(dice, place) {
            Some(target) => json!(target),
            None => return,
        },
        other => plain(dice, other).expect("every keyword above has a value"),
    };
    made.insert(keyword.to_owned(), value);
}

/// What falls to all others: nothing, or what has a schema.
fn rest(dice: &mut Dice, place: Place, keyword: &str, made: &mut Map<String, Json>) -> Json {
    if keyword == "additionalItems" && !made.get("items").is_some_and(Json::is_array) {
        if place.draft == D2020 {
            return json!(false);
        }
        made.insert("items".to_owned(), list(dice, 2, |dice| schema(dice, place.inside())));
    }
    if dice.percent(60) { json!(dice.percent(15)) } else { schema(dice, place.inside()) }
}

fn reference(dice: &mut Dice, place: Place) -> Option<String> {
    let mut targets: Vec<String> =
        (place.first..place.kept).map(|index| format!("#/{}/d{index}", place.draft.shelf())).collect();
    if place.is_inside {
        targets.push("#".to_owned());
    }
    dice.pick(&targets)
}
