use serde_json::{Map, Value, json};

use super::{Found, LOOKS_OF_ALL, is_defined};
use crate::formats::json_schema::hints::Hints;
use crate::formats::json_schema::patterns::Finders;
use crate::formats::json_schema::random::Random;
use crate::formats::json_schema::reader::Reader;
use crate::formats::json_schema::sample::{Sampler, room};

/// A value that one document takes and another does not, where it is defined what both say.
fn taken_by_first(documents: [&Value; 2], finders: &Finders, left: usize) -> (Found, usize) {
    match documents.into_iter().all(is_defined) {
        true => super::taken_by_first(documents, finders, left),
        false => (Found::Unknown, 0),
    }
}

/// Whether nothing that one document takes is refused by another.
fn is_contained(written: &Value, read: &Value) -> bool {
    taken_by_first([written, read], &Finders::default(), LOOKS_OF_ALL).0 == Found::Nothing
}

#[test]
fn what_is_recursive_is_assumed_further_inside() {
    let list = |next: Value| json!({ "$ref": "#/$defs/a", "$defs": { "a": { "type": "object", "properties": { "n": next } } } });
    let own = || json!({ "$ref": "#/$defs/a" });
    for wrapped in [
        json!({ "anyOf": [own(), { "type": "null" }] }),
        json!({ "oneOf": [{ "type": "null" }, own()] }),
        json!({ "allOf": [own()] }),
        json!({}),
    ] {
        assert!(is_contained(&list(own()), &list(wrapped.clone())), "{wrapped}");
    }
    assert!(!is_contained(&list(json!({ "anyOf": [own(), { "type": "null" }] })), &list(own())));
    let items = |items: Value| json!({ "$ref": "#/$defs/a", "$defs": { "a": { "type": "array", "items": items } } });
    assert!(is_contained(&items(own()), &items(json!({ "anyOf": [own(), { "type": "string" }] }))));
}

#[test]
fn a_schema_that_demands_itself_shows_nothing() {
    let ring =
        json!({ "$ref": "#/$defs/a", "$defs": { "a": { "anyOf": [{ "$ref": "#/$defs/a" }, { "type": "null" }] } } });
    assert!(!is_contained(&json!({ "type": "string" }), &ring));
    assert!(!is_contained(&ring, &json!({ "type": "null" })));
    let turned = json!({ "$ref": "#/$defs/a", "$defs": { "a": { "not": { "$ref": "#/$defs/b" } }, "b": { "not": { "$ref": "#/$defs/a" } } } });
    assert!(!is_contained(&json!({ "type": "string" }), &turned));
}

#[test]
fn what_follows_is_shown() {
    for (written, read) in contained() {
        assert!(is_contained(&written, &read), "{written} {read}");
    }
}

fn contained() -> Vec<(Value, Value)> {
    let branch = |index: usize, value: Value| json!({ "properties": { "k": { "const": format!("t{index}") }, "v": value }, "required": ["k"] });
    let tagged = |value: Value| {
        let branches: Vec<Value> = (0..9)
            .map(|index| branch(index, if index == 1 { value.clone() } else { json!({ "type": "string" }) }))
            .collect();
        json!({ "type": "object", "oneOf": branches })
    };
    let map =
        json!({ "type": "object", "patternProperties": { ".+": { "type": "string" } }, "additionalProperties": false });
    let lists =
        json!({ "type": "array", "items": { "oneOf": [map, { "type": "array", "items": { "type": "string" } }] } });
    vec![
        (tagged(json!({ "type": "string" })), tagged(json!({ "type": ["string", "null"] }))),
        (lists.clone(), json!({ "oneOf": [{ "type": "string" }, lists] })),
        (json!({ "type": ["string", "null"] }), json!({ "anyOf": [{ "type": "null" }, { "type": "string" }] })),
        (json!({ "pattern": r"^\d{3}-\d{4}$", "type": "string" }), json!({ "maxLength": 8, "minLength": 8 })),
        (json!({ "pattern": "^[a-z]+$", "type": "string", "maxLength": 4 }), json!({ "pattern": "^[a-z]{1,4}$" })),
        (json!({ "pattern": "^(a|b)$", "type": "string" }), json!({ "enum": ["a", "b"] })),
        (json!({ "type": "number", "multipleOf": 10 }), json!({ "multipleOf": 2.5 })),
        (json!({ "type": "integer", "multipleOf": 1.5 }), json!({ "multipleOf": 3 })),
        (json!({ "type": "integer", "multipleOf": 3 }), json!({ "multipleOf": 1.5 })),
        (json!({ "exclusiveMinimum": 2 }), json!({ "minimum": 2 })),
        (json!({ "enum": [1, 2, "x"] }), json!({ "minimum": 1, "maxLength": 1 })),
        (json!({ "not": { "const": ["a"] } }), json!({ "allOf": [{ "not": { "const": ["a"] } }] })),
        (json!({ "type": "array" }), json!({ "if": { "const": ["a"] }, "then": {} })),
        (
            json!({ "contains": { "type": "null" }, "minContains": 2 }),
            json!({ "contains": { "type": ["null", "string"] } }),
        ),
        (
            json!({ "type": "array", "minItems": 1, "items": { "type": "null" } }),
            json!({ "contains": { "type": "null" } }),
        ),
        (
            json!({ "prefixItems": [{ "type": "null" }], "items": false }),
            json!({ "maxItems": 1, "items": { "type": "null" } }),
        ),
        (
            json!({ "type": "object", "properties": { "a": { "type": "null" } }, "additionalProperties": false }),
            json!({ "additionalProperties": { "type": "null" }, "maxProperties": 1, "dependentRequired": { "b": ["c"] } }),
        ),
    ]
}

#[test]
fn what_does_not_follow_is_not_shown() {
    for (written, read) in [
        (json!({}), json!({ "type": "string" })),
        (json!({ "type": "number", "multipleOf": 10 }), json!({ "multipleOf": 4 })),
        (json!({ "type": "string", "pattern": "^a*$" }), json!({ "maxLength": 3 })),
        (json!({ "minimum": 2 }), json!({ "exclusiveMinimum": 2 })),
        (json!({ "type": "string" }), json!({ "oneOf": [{ "type": "string" }, { "minLength": 1 }] })),
        (json!({ "anyOf": [{ "type": "string" }, { "type": "null" }] }), json!({ "type": "string" })),
        (json!({ "properties": { "a": { "type": "null" } } }), json!({ "additionalProperties": { "type": "null" } })),
        (
            json!({ "patternProperties": { "^x": { "type": "null" } }, "additionalProperties": { "type": "string" } }),
            json!({ "patternProperties": { "^y": { "type": "string" } }, "additionalProperties": { "type": "string" } }),
        ),
        (json!({ "type": "array", "items": { "type": "null" } }), json!({ "contains": { "type": "null" } })),
        (json!({ "prefixItems": [{ "type": "null" }] }), json!({ "items": { "type": "null" } })),
        (json!({ "if": { "type": "string" }, "then": { "minLength": 1 } }), json!({ "minLength": 2 })),
    ] {
        assert!(!is_contained(&written, &read), "{written} {read}");
    }
}

/// Some schema of a few keywords.
fn schema(random: &mut Random, depth: usize) -> Value {
    let mut map = serde_json::Map::new();
    let inner =
        |random: &mut Random| if depth > 2 { Value::Bool(random.percent(80)) } else { schema(random, depth + 1) };
    for _ in 0..1 + random.below(3) {
        let limit = Value::from(random.below(4));
        let (keyword, value) = match random.below(34) {
            0..=4 => {
                let types = ["null", "boolean", "integer", "number", "string", "array", "object"];
                let some: Vec<Value> =
                    (0..1 + random.below(2)).filter_map(|_| random.pick(&types).copied()).map(Value::from).collect();
                ("type", Value::Array(some))
            }
            5 => ("enum", json!([null, 1, "a", ["a"], { "a": 1 }])),
            6 => ("minimum", limit),
            7 => ("exclusiveMaximum", limit),
            8 => ("multipleOf", random.pick(&[json!(1.5), json!(3), json!(0.5)]).cloned().unwrap_or(json!(1))),
            9 => ("minLength", limit),
            10 => ("maxLength", limit),
            11 => ("pattern", json!(random.pick(&["^a*$", "b", "^[ab]{2}$"]).copied())),
            12 => ("items", inner(random)),
            13 => ("prefixItems", json!([inner(random), inner(random)])),
            14 => {
                map.insert("minContains".to_owned(), limit.clone());
                if random.percent(40) {
                    map.insert("maxContains".to_owned(), Value::from(random.below(3)));
                }
                ("contains", inner(random))
            }
            15 => ("maxItems", limit),
            16 => ("properties", json!({ "a": inner(random), "b": inner(random) })),
            17 => ("patternProperties", json!({ "^a": inner(random) })),
            18 => ("additionalProperties", inner(random)),
            19 => ("required", json!(["a"])),
            20 => ("anyOf", json!([inner(random), inner(random)])),
            21 => ("oneOf", json!([inner(random), inner(random)])),
            22 => ("not", inner(random)),
            23 => ("uniqueItems", json!(true)),
            24 => ("minItems", limit),
            25 => ("minProperties", limit),
            26 => ("maxProperties", limit),
            27 => ("propertyNames", inner(random)),
            28 => ("dependentRequired", json!({ "a": ["b"] })),
            29 => ("dependentSchemas", json!({ "b": inner(random) })),
            30 => ("unevaluatedProperties", inner(random)),
            31 => ("unevaluatedItems", inner(random)),
            32 => {
                map.insert("then".to_owned(), inner(random));
                map.insert("else".to_owned(), inner(random));
                ("if", inner(random))
            }
            _ => ("allOf", json!([inner(random), inner(random)])),
        };
        map.insert(keyword.to_owned(), value);
    }
    Value::Object(map)
}

/// The same, with something changed in it.
fn edited(random: &mut Random, schema_of: &Value) -> Value {
    let Value::Object(map) = schema_of else { return schema(random, 2) };
    let mut map = map.clone();
    let keys: Vec<String> = map.keys().cloned().collect();
    if let Some(key) = random.pick(&keys) {
        match map.get(key) {
            Some(Value::Object(_)) if !key.ends_with("roperties") => {
                let inner = edited(random, &map[key]);
                map.insert(key.clone(), inner);
            }
            _ if random.percent(50) => drop(map.remove(key)),
            _ => map.extend(schema(random, 2).as_object().cloned().unwrap_or_default()),
        }
    }
    Value::Object(map)
}

#[test]
fn what_is_found_is_taken_by_one_and_where_nothing_is_no_datum_is() {
    let mut random = Random::new(29);
    let (mut none, mut some, mut unknown) = (0, 0, 0);
    for seed in 0..1_000 {
        let written = schema(&mut random, 0);
        let read = if random.percent(70) { edited(&mut random, &written) } else { schema(&mut random, 1) };
        let (Some(writer), Some(reader)) = (Reader::new(&written), Reader::new(&read)) else { continue };
        match taken_by_first([&written, &read], &Finders::default(), LOOKS_OF_ALL).0 {
            Found::Unknown => unknown += 1,
            Found::One(datum) => {
                some += 1;
                assert!(writer.takes(&datum) && !reader.takes(&datum), "{datum} {written} {read}");
            }
            Found::Nothing => {
                none += 1;
                let hints = Hints::of(&[&written, &read]);
                for document in [&written, &read, &Value::Bool(true)] {
                    let mut sampler = Sampler::new(document, &hints, seed, room(document));
                    for datum in (0..40).filter_map(|_| sampler.one()) {
                        assert!(!writer.takes(&datum) || reader.takes(&datum), "{datum} {written} {read}");
                    }
                }
            }
        }
    }
    eprintln!("none {none}, some {some}, unknown {unknown}");
    assert!(none > 300 && some > 300 && unknown < 10, "none {none}, some {some}, unknown {unknown}");
}

#[test]
fn what_is_assumed_is_not_looked_for_again() {
    // Each definition leads to all others: without what is known on the way, there are as many ways as orders of them.
    let names = ["a", "b", "c", "d", "e", "f", "g", "h"];
    let all = |last: Value| -> Value {
        let mut members: Map<String, Value> =
            names.iter().map(|name| ((*name).to_owned(), json!({ "$ref": format!("#/$defs/{name}") }))).collect();
        members.insert("end".to_owned(), last);
        let definition = json!({ "type": "object", "properties": members, "unevaluatedProperties": false });
        let definitions: Map<String, Value> =
            names.iter().map(|name| ((*name).to_owned(), definition.clone())).collect();
        json!({ "$ref": "#/$defs/a", "$defs": definitions })
    };
    assert!(is_contained(&all(json!({ "const": 1 })), &all(json!({ "type": "integer" }))));
    assert!(!is_contained(&all(json!({ "type": "integer" })), &all(json!({ "const": 1 }))));
}

#[test]
fn branches_that_exclude_each_other_are_told_apart_at_once() {
    let shared = |of: usize| json!({ "type": "array", "items": { "enum": (0..of).collect::<Vec<usize>>() } });
    let branch = |at: usize, of: usize, tag: &Value| {
        let mut members: Map<String, Value> = (0..20).map(|other| (format!("m{other}"), shared(of))).collect();
        members.insert("tag".to_owned(), tag.clone());
        members.insert(format!("own{at}"), json!({ "type": "string" }));
        json!({ "properties": members, "required": ["tag", "m1"], "additionalProperties": false })
    };
    let tagged = |of: usize, tag: &dyn Fn(usize) -> Value| {
        let branches: Vec<Value> = (0..12).map(|at| branch(at, of, &tag(at))).collect();
        json!({ "oneOf": branches })
    };
    let tags: [&dyn Fn(usize) -> Value; 3] = [
        &|at| json!({ "const": format!("t{at}") }),
        &|at| json!({ "allOf": [{ "type": "string" }, { "enum": [format!("t{at}"), format!("u{at}")] }] }),
        &|at| json!({ "enum": [at] }),
    ];
    for tag in tags {
        assert!(is_contained(&tagged(3, tag), &tagged(4, tag)));
        assert!(!is_contained(&tagged(4, tag), &tagged(3, tag)));
    }
    // Where two of them share a tag, one that takes more may take what was the other's.
    let two =
        |of: usize| json!({ "oneOf": [branch(0, of, &json!({ "const": 1 })), branch(1, 4, &json!({ "const": 1 }))] });
    assert!(!is_contained(&two(3), &two(4)));
}

#[test]
fn members_that_a_branch_does_not_have_tell_it_apart() {
    let branch = |at: usize, value: &Value| {
        let own = format!("own{at}");
        json!({ "properties": { &own: {}, "v": value, "w": value, "x": value }, "required": [&own], "additionalProperties": false })
    };
    let all = |value: Value| {
        let branches: Vec<Value> = (0..14).map(|at| branch(at, &value)).collect();
        json!({ "type": "object", "oneOf": branches })
    };
    assert!(is_contained(&all(json!({ "maxLength": 3 })), &all(json!({ "maxLength": 4 }))));
    assert!(!is_contained(&all(json!({ "maxLength": 4 })), &all(json!({ "maxLength": 3 }))));
}

#[test]
fn a_text_of_a_pattern_that_looks_around_is_found() {
    let named = |pattern: &str, own: Value| json!({ "type": "object", "properties": { "name": { "type": "string", "pattern": pattern }, "own": own }, "required": ["name"] });
    for pattern in ["(?!.*__).*^[a-z][a-z0-9_]*[a-z0-9]$", r"^(?=.*\d)[a-z\d]{4,8}$", r"^\bid\b-[0-9]+$"] {
        let found = taken_by_first(
            [&named(pattern, json!(true)), &named(pattern, json!({ "type": "integer" }))],
            &Finders::default(),
            LOOKS_OF_ALL,
        );
        assert!(matches!(found.0, Found::One(_)), "{pattern}");
    }
    // What looks around takes less than the same without it: where that takes nothing, neither does the whole.
    let taken = json!({ "type": "string", "pattern": "^(?!x)[a-c]+$" });
    assert!(is_contained(&taken, &json!({ "pattern": "^[a-d]+$" })));
    assert!(!is_contained(&json!({ "pattern": "^[a-d]+$" }), &taken));
}

/// Levels of objects, each of which has to have two members of the one below.
fn doubling(levels: usize, innermost: &str) -> Value {
    let mut definitions = Map::from_iter([("l0".to_owned(), json!({ "type": innermost }))]);
    for level in 1..=levels {
        let below = json!({ "$ref": format!("#/$defs/l{}", level - 1) });
        let object = json!({
            "type": "object", "required": ["l", "r"], "properties": { "l": below, "r": below },
        });
        definitions.insert(format!("l{level}"), object);
    }
    json!({ "$ref": format!("#/$defs/l{levels}"), "$defs": definitions })
}

#[test]
fn what_doubles_at_each_level_is_not_written_down_before_it_is_known_how_large_it_is() {
    let found = |levels: usize| {
        let [written, read] = ["string", "integer"].map(|innermost| doubling(levels, innermost));
        taken_by_first([&written, &read], &Finders::default(), LOOKS_OF_ALL)
    };
    assert!(matches!(found(10).0, Found::One(_)));
    let (large, looks) = found(100);
    assert_eq!(large, Found::Unknown);
    assert!(looks < 200_000, "{looks}");
}
