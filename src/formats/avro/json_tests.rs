use proptest::prelude::*;
use serde_json::{Value as Text, json};

use super::super::codec::tests::{chain, chained, random_schema, random_value, schema};
use super::*;
use crate::value::Seeded;

fn branch(index: u32, value: Value) -> Value {
    Value::Branch { index, value: Box::new(value) }
}

#[test]
fn values_are_written_as_the_specification_and_java_have_it() {
    let fixed = json!({"type": "fixed", "name": "a.F", "size": 2});
    let record = json!({"type": "record", "name": "a.R", "fields": [
        {"name": "x", "type": "int"}, {"name": "y", "type": ["null", "a.R"]}]});
    let inner = Value::Record(RecordValue::empty(8).with(0, Value::Int(2)).with(1, branch(0, Value::Null)));
    let outer = Value::Record(RecordValue::empty(8).with(0, Value::Int(1)).with(1, branch(1, inner)));
    let list = |items: Text| json!({"type": "array", "items": items});
    let cases = [
        (json!("null"), Value::Null, "null"),
        (json!("boolean"), Value::Bool(true), "true"),
        (json!("long"), Value::Int(i64::MIN.into()), "-9223372036854775808"),
        (json!("float"), Value::Float(0.1), "0.1"),
        (json!("double"), Value::Double(-0.0), "-0.0"),
        (json!("double"), Value::Double(1e300), "1e300"),
        (json!("double"), Value::Double(f64::NAN), "\"NaN\""),
        (json!("float"), Value::Float(f32::INFINITY), "\"Infinity\""),
        (json!("float"), Value::Float(f32::NEG_INFINITY), "\"-Infinity\""),
        (json!("bytes"), Value::Bytes(vec![0, b'a', 0xff]), "\"\\u0000aÿ\""),
        (fixed, Value::Bytes(vec![b'"', 0x80]), "\"\\\"\u{80}\""),
        (json!("string"), Value::Text("\"日本\n".into()), "\"\\\"日本\\n\""),
        (json!({"type": "enum", "name": "E", "symbols": ["A", "B"]}), Value::Enum { ty: 8, number: 1 }, "\"B\""),
        (json!(["null", "string"]), branch(0, Value::Null), "null"),
        (json!(["null", "string"]), branch(1, Value::Text("a".into())), "{\"string\":\"a\"}"),
        (json!(["null", list(json!("int"))]), branch(1, Value::List(vec![Value::Int(1)])), "{\"array\":[1]}"),
        (
            json!({"type": "map", "values": "int"}),
            Value::Map([(Key::Text(b"k".to_vec()), Value::Int(1))].into()),
            "{\"k\":1}",
        ),
        (record, outer, "{\"x\":1,\"y\":{\"a.R\":{\"x\":2,\"y\":null}}}"),
    ];
    for (text, value, expected) in cases {
        let (schema, ty) = schema(text);
        assert_eq!(encode(&schema, ty, &value).as_deref(), Ok(expected));
        assert_eq!(decode(&schema, ty, expected), Ok(value));
    }
}

#[test]
fn fields_may_come_in_any_order() {
    let record = json!({"type": "record", "name": "R", "fields": [
        {"name": "x", "type": "int"}, {"name": "y", "type": "long"}]});
    let (schema, ty) = schema(record);
    let expected = Value::Record(RecordValue::empty(8).with(0, Value::Int(1)).with(1, Value::Int(2)));
    assert_eq!(decode(&schema, ty, "{ \"y\": 2, \"x\": 1 }"), Ok(expected));
}

#[test]
fn texts_that_are_no_value_of_the_type_are_refused() {
    let record = json!({"type": "record", "name": "R", "fields": [{"name": "x", "type": "int"}]});
    let symbols = json!({"type": "enum", "name": "E", "symbols": ["A"]});
    let cases = [
        (json!("int"), "1 2", "the text is not JSON"),
        (json!("int"), "2147483648", "the value is no `int`"),
        (json!("int"), "1.5", "the value is no `int`"),
        (json!("float"), "\"1.5\"", "the value is no `float`"),
        (json!("bytes"), "\"日\"", "the value is no `bytes`"),
        (json!({"type": "fixed", "name": "F", "size": 2}), "\"abc\"", "the value is no `F`"),
        (symbols, "\"B\"", "the enum `E` has no symbol `B`"),
        (record.clone(), "{}", "the record `R` lacks its field `x`"),
        (record, "{\"x\":1,\"y\":2}", "the record `R` has fields that its type lacks"),
        (json!(["int"]), "1", "the value of a union is neither null nor an object that names its branch"),
        (json!(["int"]), "null", "the union has no branch `null`"),
        (json!(["int"]), "{\"long\":1}", "the union has no branch `long`"),
        (json!({"type": "array", "items": "int"}), "{}", "the value is no `array`"),
    ];
    for (text, json, expected) in cases {
        let (schema, ty) = schema(text);
        assert_eq!(decode(&schema, ty, json), Err(ReadError::new(expected)), "{json}");
    }
}

#[test]
fn values_are_nested_to_a_limit_and_no_deeper() {
    let (schema, ty) = chained();
    let fits = chain(ty, DEPTH_LIMIT / 2 - 1);
    let text = encode(&schema, ty, &fits).expect("it is not nested too deep");
    assert_eq!(decode(&schema, ty, &text), Ok(fits));
    assert_eq!(encode(&schema, ty, &chain(ty, DEPTH_LIMIT)), Err(too_deep()));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_written_is_read_back(seed: u64) {
        let mut seeded = Seeded::by_name(&seed.to_string());
        let (schema, ty) = schema(random_schema(&mut seeded, &mut Vec::new(), 0));
        for _ in 0..5 {
            if let Some(value) = random_value(&schema, ty, &mut seeded, 0) {
                let text = encode(&schema, ty, &value).expect("the value is one of the type");
                prop_assert_eq!(decode(&schema, ty, &text), Ok(value), "{}", text);
            }
        }
    }
}
