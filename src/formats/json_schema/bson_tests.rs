//! Stand-ins for the values of BSON, beside MongoDB's own reading of a schema.

use super::*;
use crate::formats::json_schema::random::Random;
use crate::formats::json_schema::reader::Reader;

#[test]
fn limits_of_numbers_stand_at_every_type() {
    let Value::Object(schema) = json!({ "type": ["int", "double", "date"], "minimum": 3 }) else { unreachable!() };
    let expected = json!({ "allOf": [{ "anyOf": [
        { "type": ["integer"], "minimum": 3, "maximum": i32::MAX },
        { "type": "object", "required": [TAG, VALUE], "additionalProperties": false,
          "properties": { TAG: { "enum": ["double"] }, VALUE: { "type": "number", "minimum": 3 } } },
        { "type": "object", "required": [TAG], "additionalProperties": false, "properties": { TAG: { "enum": ["date"] } } },
    ] }] });
    assert_eq!(Value::Object(written(schema, false)), expected);
}

#[test]
fn what_stands_for_nothing_is_no_value() {
    for datum in
        [json!(1.5), json!(3_000_000_000_u64), json!({ TAG: "int", VALUE: 1 }), json!([{ TAG: "date", VALUE: 1 }])]
    {
        assert!(!is_value(&datum), "{datum}");
    }
    for datum in [json!(1), json!({ TAG: "date" }), json!({ "a": { TAG: "long", VALUE: 5 } })] {
        assert!(is_value(&datum), "{datum}");
    }
}

#[test]
fn data_are_shown_as_extended_json() {
    let datum = json!({ "a": 1.0, "b": { TAG: "double", VALUE: 2 }, "c": [{ TAG: "long", VALUE: 3 }] });
    let expected = json!({ "a": 1, "b": { "$numberDouble": "2.0" }, "c": [{ "$numberLong": "3" }] });
    assert_eq!(shown(&datum), expected);
}

#[test]
fn reasons_do_not_speak_of_stand_ins() {
    let datum = json!({ "a": { TAG: "long", VALUE: 3 } });
    let told = "/a: {\"$bson\":\"long\",\"$value\":3} is not of type \"string\"";
    assert_eq!(reason(&datum, told), "/a: {\"$numberLong\":\"3\"} is refused here, for its type, its value or a limit");
    assert_eq!(reason(&datum, "\"b\" is a required property"), "\"b\" is a required property");
}

fn listed(value: &Value) -> &[Value] {
    value.as_array().expect("it is a list")
}

fn limit(value: &Value) -> f64 {
    value.as_f64().expect("it is a number")
}

fn text(value: &Value) -> &str {
    value.as_str().expect("it is a text")
}

/// A value of BSON as MongoDB has it.
#[derive(Debug, Clone, PartialEq)]
enum Bson {
    Null,
    Text(String),
    /// A type of numbers and the value.
    Number(&'static str, f64),
    Other(&'static str),
    List(Vec<Bson>),
    Document(Vec<(&'static str, Bson)>),
}

impl Bson {
    fn is(&self, alias: &str) -> bool {
        match self {
            Bson::Null => alias == "null",
            Bson::Text(_) => alias == "string",
            Bson::Number(ty, _) => alias == *ty || alias == "number",
            Bson::Other(ty) => alias == *ty,
            Bson::List(_) => alias == "array",
            Bson::Document(_) => alias == "object",
        }
    }

    fn stand_in(&self) -> Value {
        match self {
            Bson::Null => Value::Null,
            Bson::Text(text) => Value::from(text.as_str()),
            Bson::Number("int", number) => Value::from(*number as i64),
            Bson::Number(ty, number) => json!({ TAG: ty, VALUE: number }),
            Bson::Other(ty) => json!({ TAG: ty }),
            Bson::List(list) => list.iter().map(Bson::stand_in).collect(),
            Bson::Document(members) => {
                Value::Object(members.iter().map(|(name, value)| ((*name).to_owned(), value.stand_in())).collect())
            }
        }
    }

    /// Whether a schema takes it, by MongoDB's manual: every keyword looks at the types that it is about, and at no other.
    fn is_taken(&self, schema: &Value) -> bool {
        let Value::Object(schema) = schema else { return *schema == Value::Bool(true) };
        schema.iter().all(|(keyword, value)| match (keyword.as_str(), self) {
            ("bsonType", _) => listed(value).iter().any(|ty| self.is(text(ty))),
            ("minimum", Bson::Number(_, number)) => *number >= limit(value),
            ("multipleOf", Bson::Number(_, number)) => number % limit(value) == 0.0,
            ("maxLength", Bson::Text(text)) => text.chars().count() as f64 <= limit(value),
            ("maxProperties", Bson::Document(members)) => members.len() as f64 <= limit(value),
            ("items", Bson::List(list)) => list.iter().all(|item| item.is_taken(value)),
            ("required", Bson::Document(members)) => {
                listed(value).iter().all(|name| members.iter().any(|(known, _)| name == known))
            }
            ("properties", Bson::Document(members)) => {
                members.iter().all(|(name, member)| value.get(name).is_none_or(|schema| member.is_taken(schema)))
            }
            ("additionalProperties", Bson::Document(members)) => {
                let named = |name: &str| schema.get("properties").is_some_and(|named| named.get(name).is_some());
                members.iter().all(|(name, member)| named(name) || member.is_taken(value))
            }
            ("enum", _) => listed(value).iter().any(|one| match self {
                Bson::Number(_, number) => one.as_f64() == Some(*number),
                Bson::Text(text) => one == text.as_str(),
                _ => false,
            }),
            ("not", _) => !self.is_taken(value),
            ("anyOf", _) => listed(value).iter().any(|schema| self.is_taken(schema)),
            _ => true,
        })
    }
}

fn value(random: &mut Random, depth: usize) -> Bson {
    match random.below(if depth > 1 { 8 } else { 11 }) {
        0 => Bson::Null,
        1 => Bson::Text("a".repeat(random.below(4))),
        2..=5 => Bson::Number(NUMBERS[random.below(4)], random.below(6) as f64 - 1.0),
        6 => Bson::Number("double", 0.5),
        7 => Bson::Other(OTHERS[random.below(OTHERS.len())]),
        8 => Bson::List((0..random.below(3)).map(|_| value(random, depth + 1)).collect()),
        _ => {
            let names = ["a", "b", "c"].into_iter().filter(|_| random.percent(50)).collect::<Vec<_>>();
            Bson::Document(names.into_iter().map(|name| (name, value(random, depth + 1))).collect())
        }
    }
}

fn schema(random: &mut Random, depth: usize) -> Value {
    let mut schema = Map::new();
    if random.percent(60) {
        let all = ["null", "string", "number", "int", "long", "double", "date", "array", "object", "objectId"];
        let types: Vec<&str> = all.into_iter().filter(|_| random.percent(35)).collect();
        schema.insert("bsonType".to_owned(), if types.is_empty() { json!(["object"]) } else { json!(types) });
    }
    let limit = random.below(3);
    let of_values = [
        ("minimum", json!(limit)),
        ("multipleOf", json!(limit + 1)),
        ("maxLength", json!(limit)),
        ("maxProperties", json!(limit)),
        ("enum", json!([1, 0.5, "a"])),
        ("required", json!(["a"])),
    ];
    schema.extend(
        of_values.into_iter().filter(|_| random.percent(15)).map(|(keyword, value)| (keyword.to_owned(), value)),
    );
    if depth < 2 {
        for keyword in ["items", "additionalProperties", "not", "properties", "anyOf"] {
            if random.percent(75) {
                continue;
            }
            let mut inner = || self::schema(random, depth + 1);
            let value = match keyword {
                "properties" => json!({ "a": inner(), "b": inner() }),
                "anyOf" => json!([inner(), inner()]),
                _ => inner(),
            };
            schema.insert(keyword.to_owned(), value);
        }
    }
    Value::Object(schema)
}

/// The schema as what decides has it, all of it.
fn translated(schema: &Value, of_writer: bool) -> Value {
    let Value::Object(members) = schema else { return schema.clone() };
    let inner = |keyword: &str, value: &Value| match (keyword, value) {
        ("properties", Value::Object(map)) => {
            Value::Object(map.iter().map(|(name, schema)| (name.clone(), translated(schema, of_writer))).collect())
        }
        ("anyOf", Value::Array(list)) => list.iter().map(|schema| translated(schema, of_writer)).collect(),
        // What is not taken must be no more than that.
        ("not", schema) => translated(schema, false),
        ("items" | "additionalProperties", schema) => translated(schema, of_writer),
        _ => value.clone(),
    };
    let renamed = members.iter().map(|(keyword, value)| match keyword.as_str() {
        "bsonType" => ("type".to_owned(), types(value.clone())),
        keyword => (keyword.to_owned(), inner(keyword, value)),
    });
    Value::Object(written(renamed.collect(), of_writer))
}

#[test]
fn what_decides_takes_what_mongodb_takes() {
    let mut random = Random::new(20);
    let (mut taken, mut refused) = (0, 0);
    for _ in 0..1_500 {
        let schema = schema(&mut random, 0);
        for of_writer in [false, true] {
            let reader = Reader::new(&translated(&schema, of_writer)).expect("the schema is sound");
            for _ in 0..12 {
                let value = value(&mut random, 0);
                let is_taken = value.is_taken(&schema);
                let stand_in = value.stand_in();
                assert!(is_value(&stand_in), "{stand_in}");
                assert_eq!(reader.takes(&stand_in), is_taken, "{schema} {value:?}");
                *(if is_taken { &mut taken } else { &mut refused }) += 1;
            }
        }
    }
    assert!(taken > 5_000 && refused > 5_000, "{taken} taken, {refused} refused");
}
