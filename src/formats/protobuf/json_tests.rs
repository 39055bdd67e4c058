use proptest::prelude::*;

use super::super::codec::tests::{EVERYTHING, message, with_text};
use super::super::codec::{self, Types};
use super::*;

const FORMS: &str = r#"
syntax = "proto3";
import "google/protobuf/any.proto";
import "google/protobuf/duration.proto";
import "google/protobuf/field_mask.proto";
import "google/protobuf/struct.proto";
import "google/protobuf/timestamp.proto";
import "google/protobuf/wrappers.proto";
enum Open { ZERO = 0; ONE = 1; }
message M {
  int32 small_number = 1;
  int64 big = 2;
  double real = 3;
  float single = 4;
  bytes raw = 5;
  Open open = 6;
  repeated Open opens = 7;
  map<int64, string> names = 8;
  oneof choice { int32 one = 9; string two = 10; Open fresh = 21; }
  google.protobuf.Timestamp when = 11;
  google.protobuf.Duration long = 12;
  google.protobuf.FieldMask mask = 13;
  google.protobuf.Struct free = 14;
  google.protobuf.Value value = 15;
  google.protobuf.Int64Value wrapped = 16;
  google.protobuf.Any any = 17;
  bool truth = 18;
  uint32 natural = 19;
  google.protobuf.BytesValue wrapped_bytes = 20;
}
"#;

/// Reads a text and writes what was read.
fn rewritten(text: &str) -> Result<String, String> {
    with_text(FORMS, |schema| {
        let (types, id) = (Types::of(schema), message(schema, "M"));
        let record = decode(types, id, text.as_bytes()).map_err(|error| error.reason.into_owned())?;
        let written = encode(types, id, &record)?;
        assert_eq!(decode(types, id, &written), Ok(record), "{text}");
        Ok(String::from_utf8(written).expect("JSON is UTF-8"))
    })
}

#[test]
fn every_form_is_read_and_written() {
    for same in [
        r#"{"smallNumber":-1}"#,
        r#"{"big":"9223372036854775807"}"#,
        r#"{"real":0.1}"#,
        r#"{"real":"NaN"}"#,
        r#"{"real":"-Infinity"}"#,
        r#"{"real":-0.0}"#,
        r#"{"single":0.1}"#,
        r#"{"raw":"/wD+"}"#,
        r#"{"raw":"YQ=="}"#,
        r#"{"open":"ONE"}"#,
        r#"{"open":7}"#,
        r#"{"opens":["ZERO",7]}"#,
        r#"{"names":{"-5":"x"}}"#,
        r#"{"two":""}"#,
        r#"{"when":"2024-02-29T12:00:00.500Z"}"#,
        r#"{"long":"-1.500s"}"#,
        r#"{"mask":"fooBar,baz.quX"}"#,
        r#"{"free":{"a":[1.0,null,{"b":true}],"c":"x"}}"#,
        r#"{"value":null}"#,
        r#"{"wrapped":"0"}"#,
        r#"{"wrappedBytes":""}"#,
        r#"{"any":{}}"#,
        r#"{"any":{"@type":"type.googleapis.com/M","smallNumber":5}}"#,
        r#"{"any":{"@type":"type.googleapis.com/google.protobuf.Duration","value":"1s"}}"#,
        r#"{"natural":4294967295}"#,
    ] {
        assert_eq!(rewritten(same).as_deref(), Ok(same));
    }
}

#[test]
fn readers_are_lenient_where_the_mapping_says_so() {
    for (written, read) in [
        (r#"{"small_number":5}"#, r#"{"smallNumber":5}"#),
        (r#"{"smallNumber":"5"}"#, r#"{"smallNumber":5}"#),
        (r#"{"smallNumber":5.0}"#, r#"{"smallNumber":5}"#),
        (r#"{"smallNumber":1e2}"#, r#"{"smallNumber":100}"#),
        (r#"{"smallNumber":"1e2"}"#, r#"{"smallNumber":100}"#),
        (r#"{"big":5}"#, r#"{"big":"5"}"#),
        (r#"{"real":"1.5"}"#, r#"{"real":1.5}"#),
        (r#"{"real":1}"#, r#"{"real":1.0}"#),
        (r#"{"raw":"_wD-"}"#, r#"{"raw":"/wD+"}"#),
        (r#"{"raw":"YQ"}"#, r#"{"raw":"YQ=="}"#),
        (r#"{"nobody":[1,{"x":2}]}"#, "{}"),
        (r#"{"open":"NOBODY"}"#, "{}"),
        (r#"{"opens":["NOBODY","ONE"]}"#, r#"{"opens":["ONE"]}"#),
        (r#"{"smallNumber":null,"opens":null,"two":null}"#, "{}"),
        (r#"{"one":null,"two":"x"}"#, r#"{"two":"x"}"#),
        (r#"{"smallNumber":0}"#, "{}"),
        (r#"{"when":"2024-01-01T01:00:00+01:00"}"#, r#"{"when":"2024-01-01T00:00:00Z"}"#),
        (r#"{"when":"2024-01-01T00:00:00.5Z"}"#, r#"{"when":"2024-01-01T00:00:00.500Z"}"#),
    ] {
        assert_eq!(rewritten(written).as_deref(), Ok(read), "{written}");
    }
}

#[test]
fn what_does_not_fit_is_rejected() {
    for (text, reason) in [
        (r#"{"smallNumber":2147483648}"#, "out of the range"),
        (r#"{"smallNumber":1.5}"#, "expected an integer"),
        (r#"{"smallNumber":" 5"}"#, "expected an integer"),
        (r#"{"smallNumber":"+5"}"#, "expected an integer"),
        (r#"{"natural":-1}"#, "out of the range"),
        (r#"{"single":1e300}"#, "out of the range"),
        (r#"{"real":"inf"}"#, "expected a number"),
        (r#"{"truth":"true"}"#, "true or false"),
        (r#"{"truth":1}"#, "true or false"),
        (r#"{"two":5}"#, "expected a string"),
        (r#"{"raw":"a"}"#, "base64"),
        (r#"{"opens":"ONE"}"#, "must be an array"),
        (r#"{"opens":[null]}"#, "null"),
        (r#"{"names":[]}"#, "must be an object"),
        (r#"{"names":{"x":"y"}}"#, "expected an integer"),
        (r#"{"one":1,"two":"x"}"#, "one oneof"),
        // Whatever is made of the value: readers look at that first.
        (r#"{"fresh":"NOBODY","one":1}"#, "one oneof"),
        (r#"{"when":"yesterday"}"#, "a timestamp"),
        (r#"{"when":5}"#, "a timestamp"),
        (r#"{"long":"1"}"#, "a duration"),
        (r#"{"any":{"x":1}}"#, "@type"),
        (r#"{"any":{"@type":"type.googleapis.com/Nobody"}}"#, "not known"),
        ("5", "must be an object"),
        ("{", "not JSON"),
    ] {
        let error = rewritten(text).expect_err(text);
        assert!(error.contains(reason), "{text}: {error}");
    }
}

#[test]
fn extensions_and_required_fields_are_minded() {
    with_text(EVERYTHING, |schema| {
        let types = Types::of(schema);
        let record = decode(types, message(schema, "Every"), br#"{"[more]":5}"#).expect("valid");
        assert_eq!(record.fields[&100], Value::Int(5));
        let written = encode(types, message(schema, "Every"), &record).expect("every value has a JSON form");
        assert_eq!(written, br#"{"[more]":5}"#);
        let error = decode(types, message(schema, "Needs"), br#"{"inner":{"x":1}}"#).expect_err("missing");
        assert_eq!(error.cause, Cause::Missing);
    });
}

#[test]
fn nesting_has_a_limit() {
    let nested = |depth: usize| format!("{}{{}}{}", "{\"fMessage\":".repeat(depth), "}".repeat(depth));
    with_text(EVERYTHING, |schema| {
        let read = |depth| decode(Types::of(schema), message(schema, "Every"), nested(depth).as_bytes());
        assert!(read(DEPTH_LIMIT).is_ok());
        assert!(read(DEPTH_LIMIT + 1).is_err());
        assert!(read(100_000).is_err());
    });
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    /// What the binary encoding accepts and JSON can say comes back through JSON.
    #[test]
    fn messages_come_back_through_json(numbers in prop::collection::vec(any::<i32>(), 0..5), real in any::<f64>(),
        single in any::<f32>(), text in ".{0,8}", raw in prop::collection::vec(any::<u8>(), 0..8), big in any::<i64>()) {
        with_text(EVERYTHING, |schema| {
            let (types, id) = (Types::of(schema), message(schema, "Every"));
            let mut record = Record::empty(id.0)
                .with(1, Value::Double(real))
                .with(2, Value::Float(single))
                .with(4, Value::Int(i128::from(big)))
                .with(14, Value::Text(text.clone().into_bytes()))
                .with(15, Value::Bytes(raw.clone()))
                .with(21, Value::Map(OrderedMap::from([(Key::Text(text.into_bytes()), Value::Int(1))])));
            if !numbers.is_empty() {
                let numbers = numbers.iter().map(|number| Value::Int(i128::from(*number))).collect();
                record = record.with(18, Value::List(numbers));
            }
            let json = encode(types, id, &record).expect("every value has a JSON form");
            prop_assert_eq!(decode(types, id, &json), Ok(record.clone()));
            prop_assert_eq!(codec::decode(types, id, &codec::encode(types, id, &record)), Ok(record));
            Ok(())
        })?;
    }

    #[test]
    fn any_text_is_read_without_a_panic(text in "[\\[\\]{}:,\"a-z0-9.eE@ -]{0,40}") {
        with_text(FORMS, |schema| {
            let _ = decode(Types::of(schema), message(schema, "M"), text.as_bytes());
        });
    }
}
