use std::time::Instant;

use serde_json::{Map, Value, json};

use super::*;
use crate::formats::json_schema::random::Random;

/// Some datum of a few values.
fn datum(random: &mut Random, depth: usize) -> Value {
    match random.below(if depth > 2 { 6 } else { 10 }) {
        0 => Value::Null,
        1 => json!(random.percent(50)),
        2 => json!(random.below(4) as i64 - 1),
        3 => random.pick(&[json!(1.0), json!(1.5), json!(0.3), json!(-0.0), json!(1e20)]).cloned().unwrap_or_default(),
        4 | 5 => json!(random.pick(&["", "a", "ab", "b1", "é", "1-1"]).copied()),
        6 | 7 => (0..random.below(4)).map(|_| datum(random, depth + 1)).collect(),
        _ => {
            let names = ["a", "b", "c", "ab"].into_iter().filter(|_| random.percent(50)).collect::<Vec<_>>();
            Value::Object(names.into_iter().map(|name| (name.to_owned(), datum(random, depth + 1))).collect())
        }
    }
}

const KEYWORDS: [&str; 41] = [
    "type",
    "enum",
    "const",
    "multipleOf",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "minLength",
    "maxLength",
    "pattern",
    "prefixItems",
    "items",
    "unevaluatedItems",
    "minItems",
    "maxItems",
    "uniqueItems",
    "contains",
    "minContains",
    "maxContains",
    "properties",
    "patternProperties",
    "additionalProperties",
    "unevaluatedProperties",
    "propertyNames",
    "minProperties",
    "maxProperties",
    "required",
    "dependentRequired",
    "dependentSchemas",
    "allOf",
    "anyOf",
    "oneOf",
    "not",
    "if",
    "then",
    "else",
    "$ref",
    "properties",
    "unevaluatedProperties",
    "unevaluatedItems",
];

/// Makes schemas of which those that look at the same value come later.
struct Schemas {
    random: Random,
    definitions: usize,
}

impl Schemas {
    fn schema(&mut self, depth: usize, own: usize) -> Value {
        if depth > 3 || self.random.percent(8) {
            return Value::Bool(self.random.percent(70));
        }
        let count = 1 + self.random.below(4);
        let names = (0..count).filter_map(|_| self.random.pick(&KEYWORDS).copied()).collect::<Vec<_>>();
        Value::Object(
            names.into_iter().filter_map(|name| Some((name.to_owned(), self.keyword(name, depth, own)?))).collect(),
        )
    }

    fn schemas(&mut self, depth: usize, own: usize) -> Value {
        (0..1 + self.random.below(3)).map(|_| self.schema(depth + 1, own)).collect()
    }

    fn by_names(&mut self, names: &[&str], depth: usize, own: usize) -> Value {
        let names: Vec<&str> = names.iter().copied().filter(|_| self.random.percent(50)).collect();
        Value::Object(names.into_iter().map(|name| (name.to_owned(), self.schema(depth + 1, own))).collect())
    }

    fn keyword(&mut self, name: &str, depth: usize, own: usize) -> Option<Value> {
        let small = json!(self.random.below(3));
        Some(match name {
            "type" => {
                json!(self.random.pick(&["null", "boolean", "integer", "number", "string", "array", "object"]).copied())
            }
            "enum" => (0..1 + self.random.below(12)).map(|_| datum(&mut self.random, 1)).collect(),
            "const" => datum(&mut self.random, 0),
            "multipleOf" => self.random.pick(&[json!(2), json!(0.1), json!(0.5), json!(3)]).cloned()?,
            "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" => {
                self.random.pick(&[json!(0), json!(1), json!(1.0), json!(0.3), json!(1e20)]).cloned()?
            }
            "pattern" => json!(self.random.pick(&["a", "^a", "^(?=a)", r"^\w*$", r"(.).?\1", "é?$"]).copied()),
            "uniqueItems" => json!(true),
            "properties" | "dependentSchemas" => self.by_names(&["a", "b", "ab", "c"], depth, own),
            "patternProperties" => self.by_names(&["^a", "b$", "(?!a)c"], depth, own),
            "required" => ["a", "b"].into_iter().filter(|_| self.random.percent(60)).collect(),
            "dependentRequired" => json!({"a": ["b"], "c": ["ab"]}),
            "allOf" | "anyOf" | "oneOf" => self.schemas(depth, own),
            "prefixItems" => self.schemas(depth, self.definitions),
            "$ref" => {
                let later = own + self.random.below(3);
                (later < self.definitions).then(|| json!(format!("#/$defs/d{later}")))?
            }
            "not"
            | "if"
            | "then"
            | "else"
            | "items"
            | "unevaluatedItems"
            | "contains"
            | "additionalProperties"
            | "unevaluatedProperties"
            | "propertyNames" => self.schema(depth + 1, own),
            _ => small,
        })
    }

    fn document(&mut self) -> Value {
        let mut definitions = Map::new();
        for index in 0..self.definitions {
            definitions.insert(format!("d{index}"), self.schema(1, index + 1));
        }
        json!({"$ref": "#/$defs/d0", "$defs": definitions})
    }
}

/// Nothing is known that the library says otherwise.
#[test]
fn the_library_that_validates_says_the_same() {
    let mut schemas = Schemas { random: Random::new(5), definitions: 4 };
    let (mut valid, mut invalid) = (0, 0);
    for _ in 0..4_000 {
        let document = schemas.document();
        let reader = Reader::new(&document).unwrap_or_else(|| panic!("there is a reader of {document}"));
        let peer = jsonschema::options().with_draft(jsonschema::Draft::Draft202012).build(&document).expect("a schema");
        for _ in 0..8 {
            let datum = datum(&mut schemas.random, 0);
            let takes = reader.takes(&datum);
            assert_eq!(takes, peer.is_valid(&datum), "{document} of {datum}: {:?}", reader.complaints(&datum));
            assert_eq!(takes, reader.complaints(&datum).is_empty(), "{document} of {datum}");
            (valid, invalid) = (valid + usize::from(takes), invalid + usize::from(!takes));
        }
    }
    assert!(valid > 3_000 && invalid > 3_000, "{valid} {invalid}");
}

/// Each definition is there beside itself and inside of a member, so there are two ways to the next at every level.
fn doubled(levels: usize, last: Value) -> Value {
    let target = |index: usize| json!({ "$ref": format!("#/$defs/d{index}") });
    let mut definitions = Map::new();
    for index in 0..levels {
        let member = json!({"type": "object", "properties": {"k": target(index + 1)}, "required": ["k"]});
        definitions.insert(format!("d{index}"), json!({"anyOf": [target(index + 1), member, target(index + 1)]}));
    }
    definitions.insert(format!("d{levels}"), last);
    json!({ "$ref": "#/$defs/d0", "$defs": definitions })
}

#[test]
fn nothing_multiplies_with_the_ways_there_are() {
    let start = Instant::now();
    let nested = |levels: usize, last: Value| (0..levels).fold(last, |inner, _| json!({"k": inner, "l": 1}));
    for last in [
        json!({"type": "string"}),
        json!({"properties": {"x": {"type": "string"}}, "required": ["x"], "type": "object", "unevaluatedProperties": false}),
    ] {
        let reader = Reader::new(&doubled(200, last.clone())).expect("there is one");
        let taken = if last["type"] == "string" { json!("a") } else { json!({"x": "a"}) };
        assert!(reader.takes(&taken) && reader.takes(&nested(20, taken)));
        for refused in [json!(1), nested(20, json!(1)), nested(100, json!({"x": 1}))] {
            assert!(!reader.takes(&refused) && !reader.complaints(&refused).is_empty(), "{last} of {refused}");
        }
    }
    let mut document = doubled(200, json!({"properties": {"x": true}}));
    document["unevaluatedProperties"] = json!(false);
    let reader = Reader::new(&document).expect("there is one");
    assert!(reader.takes(&json!({"x": 1})) && !reader.takes(&json!({"y": 1})) && reader.takes(&json!({"k": 1})));
    assert_eq!(reader.complaints(&json!({"y": 1})), ["the member \"y\" is not allowed"]);
    assert!(start.elapsed().as_secs() < 20, "{:?}", start.elapsed());
}

#[test]
fn chains_are_followed_as_far_as_there_is_room() {
    let chain = |length: usize, last: Value| {
        let definitions =
            (0..length).map(|index| (format!("d{index}"), json!({"$ref": format!("#/$defs/d{}", index + 1)})));
        let mut definitions: Map<String, Value> = definitions.collect();
        definitions.insert(format!("d{length}"), last);
        json!({ "$ref": "#/$defs/d0", "$defs": definitions })
    };
    let reader = Reader::new(&chain(15_000, json!({"type": "string"}))).expect("there is one");
    assert!(reader.takes(&json!("a")) && !reader.takes(&json!(1)));
    assert_eq!(reader.complaints(&json!(1)), ["1 is not of type \"string\""]);
    assert!(Reader::new(&chain(200_000, json!(true))).is_none());
    let again = chain(15_000, json!({"properties": {"k": {"$ref": "#/$defs/d0"}}, "type": "object"}));
    let again = Reader::new(&again).expect("there is one");
    for (datum, reasons) in [(json!({"k": {"k": 1}}), 1), (json!({"k": {"k": {"k": {"k": 1}}}}), 0)] {
        assert!(!again.takes(&datum));
        assert_eq!(again.complaints(&datum).len(), reasons);
    }
    assert!(again.takes(&json!({"k": {"k": {}}})));
    // What is inside of each other is no chain.
    let tree = Reader::new(&json!({"properties": {"k": {"$ref": "#"}}, "required": ["l"]})).expect("there is one");
    let mut deep = json!({});
    for _ in 0..2_000 {
        deep = json!({"k": deep, "l": 1});
    }
    assert!(!tree.takes(&deep));
    assert_eq!(tree.complaints(&deep).len(), 1);
}

#[test]
fn what_leads_back_to_itself_says_what_agrees_with_the_rest() {
    let reader =
        |definitions: Value| Reader::new(&json!({"$ref": "#/$defs/a", "$defs": definitions})).expect("there is one");
    let itself = json!({"$ref": "#/$defs/a"});
    assert!(reader(json!({"a": itself})).takes(&json!(1)));
    let ring =
        reader(json!({"a": {"$ref": "#/$defs/b", "type": "string"}, "b": {"$ref": "#/$defs/a", "minLength": 2}}));
    assert!(ring.takes(&json!("ab")) && !ring.takes(&json!("a")) && !ring.takes(&json!(1)));
    assert_eq!(ring.complaints(&json!("a")), ["\"a\" is shorter than 2 characters"]);
    let inside = reader(
        json!({"a": {"properties": {"k": {"$ref": "#/$defs/b"}}}, "b": {"$ref": "#/$defs/a", "maxProperties": 1}}),
    );
    assert!(inside.takes(&json!({"k": {"k": {}}, "l": 1})) && !inside.takes(&json!({"k": {"k": {}, "l": 1}})));
    // This is true as little as it is false, and there is an end all the same.
    let turned = reader(json!({"a": {"not": itself}}));
    assert_eq!(turned.takes(&json!(1)), turned.takes(&json!(1)));
    // Each leads to all others.
    let all: Vec<Value> = (0..40).map(|index| json!({"$ref": format!("#/$defs/d{index}")})).collect();
    let definitions = (0..40)
        .map(|index| (format!("d{index}"), json!({"anyOf": all, "type": if index == 7 { "null" } else { "string" }})));
    let mut definitions: Map<String, Value> = definitions.collect();
    definitions.insert("a".to_owned(), json!({"$ref": "#/$defs/d0"}));
    let tangled = reader(Value::Object(definitions));
    assert!(tangled.takes(&json!("a")) && !tangled.takes(&json!(1)));
}

#[test]
fn limits_are_met_and_not_mistaken_for_refusals() {
    let reader = Reader::new(&json!({"pattern": r"^(?=(a+)+$)"})).expect("there is one");
    let datum = json!(format!("{}b", "a".repeat(100)));
    assert!(reader.may_meet_limits && !reader.takes(&datum));
    assert_eq!(reader.complaints(&datum), [""; 0]);
    let turned = Reader::new(&json!({"not": {"pattern": r"^(?=(a+)+$)"}})).expect("there is one");
    assert!(!turned.takes(&datum) && turned.refuses(&datum).is_none());
}

#[test]
fn what_is_no_document_has_no_reader() {
    for document in
        [json!({"$ref": "#/$defs/a"}), json!({"pattern": "("}), json!({"items": {"minLength": "a"}}), json!({"not": 5})]
    {
        assert!(Reader::new(&document).is_none(), "{document}");
    }
}

#[test]
fn reasons_are_sentences_with_their_places() {
    for (schema, datum, told) in [
        (
            json!({"properties": {"a/b": {"type": ["null", "integer"]}}}),
            json!({"a/b": 1.5}),
            "/a~1b: 1.5 is not of type \"null\" or \"integer\"",
        ),
        (json!({"enum": ["a", "b", 1]}), json!("c"), "\"c\" is not one of \"a\", \"b\" or 1"),
        (json!({"const": {"a": 1}}), json!(2), "2 is not {\"a\":1}"),
        (json!({"required": ["a"]}), json!({}), "the required member \"a\" is missing"),
        (json!({"additionalProperties": false}), json!({"k": 1}), "the member \"k\" is not allowed"),
        (json!({"prefixItems": [true], "items": false}), json!([1, 2]), "/1: 2 is not allowed here"),
        (
            json!({"anyOf": [{"type": "null"}, {"minLength": 2, "type": "string"}]}),
            json!("a"),
            "\"a\" is shorter than 2 characters",
        ),
        (
            json!({"anyOf": [{"minLength": 2}, {"pattern": "b"}]}),
            json!("a"),
            "\"a\" is not valid under any of the schemas in \"anyOf\"",
        ),
        (json!({"oneOf": [true, true, false]}), json!([]), "[] is valid under 2 of the schemas in \"oneOf\""),
        (json!({"not": {"type": "array"}}), json!([]), "[] is not allowed: it is valid under \"not\""),
        (
            json!({"contains": {"type": "null"}}),
            json!([1]),
            "[1] has fewer than 1 item of those that \"contains\" speaks of",
        ),
        (json!({"uniqueItems": true}), json!([1, 2, 1.0]), "[1,2,1.0] has items that are equal, 0 and 2"),
        (
            json!({"propertyNames": {"maxLength": 1}}),
            json!({"ab": 1}),
            "a member may not be named like that: \"ab\" is longer than 1 character",
        ),
        (
            json!({"dependentRequired": {"a": ["b"]}}),
            json!({"a": 1}),
            "the member \"b\" is missing, which \"a\" asks for",
        ),
        (json!({"exclusiveMaximum": 5}), json!(5.0), "5.0 is not less than 5"),
        (json!({"format": "date"}), json!("2024-02-30"), "\"2024-02-30\" is not a \"date\""),
        (json!({"if": {"type": "array"}, "then": {"minItems": 1}}), json!([]), "[] has fewer than 1 item"),
    ] {
        let reader = Reader::new(&schema).expect("there is one");
        assert_eq!(reader.complaints(&datum), [told], "{schema}");
    }
}
