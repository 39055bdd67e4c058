use proptest::prelude::*;

use super::super::model::Schema;
use super::*;
use crate::formats::check::CheckOptions;
use crate::formats::protobuf::with_schema;
use crate::snapshot::Snapshot;

/// Runs a check with the schema of one file.
pub(in crate::formats::protobuf) fn with_text<T>(text: &str, visit: impl FnOnce(&Schema<'_>) -> T) -> T {
    let snapshot = Snapshot::from_files([("t.proto", text.as_bytes())]);
    with_schema(&snapshot, &CheckOptions::default(), |schema, problems| {
        assert!(problems.is_empty(), "the schema of a test is valid: {problems:?}");
        visit(schema)
    })
}

pub(in crate::formats::protobuf) fn message(schema: &Schema<'_>, name: &str) -> MessageId {
    schema.messages_by_name[name][0]
}

/// Every construct that reading depends on.
pub(in crate::formats::protobuf) const EVERYTHING: &str = r#"
syntax = "proto2";
enum Closed { ZERO = 0; ONE = 1; }
message Every {
  optional double f_double = 1;
  optional float f_float = 2;
  optional int32 f_int32 = 3;
  optional int64 f_int64 = 4;
  optional uint32 f_uint32 = 5;
  optional uint64 f_uint64 = 6;
  optional sint32 f_sint32 = 7;
  optional sint64 f_sint64 = 8;
  optional fixed32 f_fixed32 = 9;
  optional fixed64 f_fixed64 = 10;
  optional sfixed32 f_sfixed32 = 11;
  optional sfixed64 f_sfixed64 = 12;
  optional bool f_bool = 13;
  optional string f_string = 14;
  optional bytes f_bytes = 15;
  optional Closed f_enum = 16;
  optional Every f_message = 17;
  repeated int32 packed = 18 [packed = true];
  repeated int32 expanded = 19;
  repeated Closed enums = 20;
  map<string, int32> counts = 21;
  map<int32, Closed> by_number = 22;
  map<bool, Every> by_truth = 23;
  optional group Group = 24 { optional int32 x = 1; }
  oneof choice { int32 one = 25; string two = 26; Every three = 27; }
  extensions 100 to max;
}
extend Every { optional int32 more = 100; repeated Every others = 101; }
message Needs { required int32 x = 1; optional Needs inner = 2; }
"#;

fn read(name: &str, bytes: &[u8]) -> Result<OrderedMap<i32, Value>, String> {
    with_text(EVERYTHING, |schema| {
        let read = decode(Types::of(schema), message(schema, name), bytes);
        read.map(|record| record.fields).map_err(|error| error.reason.into_owned())
    })
}

fn fields<const N: usize>(fields: [(i32, Value); N]) -> Result<OrderedMap<i32, Value>, String> {
    Ok(OrderedMap::from(fields))
}

fn text(text: &str) -> Value {
    Value::Text(text.as_bytes().to_vec())
}

#[test]
fn the_vectors_of_the_encoding_guide_are_read_and_written() {
    // <https://protobuf.dev/programming-guides/encoding/>
    let guide = r#"
        syntax = "proto3";
        message Test1 { optional int32 a = 1; }
        message Test2 { optional string b = 2; }
        message Test3 { optional Test1 c = 3; }
        message Test4 { string d = 4; repeated int32 e = 5 [packed = false]; }
        message Test5 { repeated int32 f = 6; }
        message Test6 { map<string, int32> g = 7; }
    "#;
    with_text(guide, |schema| {
        let one_fifty = Record::empty(message(schema, "Test1").0).with(1, Value::Int(150));
        let ints = |numbers: &[i128]| Value::List(numbers.iter().map(|number| Value::Int(*number)).collect());
        let entries = OrderedMap::from([(Key::Text(b"x".to_vec()), Value::Int(1))]);
        for (name, number, value, bytes) in [
            ("Test1", 1, Value::Int(150), &b"\x08\x96\x01"[..]),
            ("Test2", 2, text("testing"), b"\x12\x07testing"),
            ("Test3", 3, Value::Record(one_fifty), b"\x1a\x03\x08\x96\x01"),
            ("Test4", 5, ints(&[1, 2, 3]), b"\x28\x01\x28\x02\x28\x03"),
            ("Test5", 6, ints(&[3, 270, 86942]), b"\x32\x06\x03\x8e\x02\x9e\xa7\x05"),
            ("Test6", 7, Value::Map(entries), b"\x3a\x05\x0a\x01x\x10\x01"),
        ] {
            let id = message(schema, name);
            let record = Record::empty(id.0).with(number, value);
            assert_eq!(encode(Types::of(schema), id, &record), bytes, "{name}");
            assert_eq!(decode(Types::of(schema), id, bytes), Ok(record), "{name}");
        }
    });
}

#[test]
fn negative_numbers_take_ten_bytes_and_zigzag_takes_one() {
    let minus_one = [&[0x18][..], &[0xff; 9], &[1]].concat();
    assert_eq!(read("Every", &minus_one), fields([(3, Value::Int(-1))]));
    assert_eq!(read("Every", &[0x38, 1]), fields([(7, Value::Int(-1))]));
    assert_eq!(read("Every", &[0x38, 0xff, 0xff, 0xff, 0xff, 0x0f]), fields([(7, Value::Int(-1 << 31))]));
    with_text(EVERYTHING, |schema| {
        let id = message(schema, "Every");
        let record = Record::empty(id.0).with(3, Value::Int(-1));
        assert_eq!(encode(Types::of(schema), id, &record), minus_one);
    });
}

#[test]
fn numbers_are_cut_to_the_width_of_their_type() {
    assert_eq!(read("Every", &[0x18, 0x80, 0x80, 0x80, 0x80, 0x10]), fields([(3, Value::Int(0))]));
    assert_eq!(read("Every", &[0x28, 0x85, 0x80, 0x80, 0x80, 0x10]), fields([(5, Value::Int(5))]));
    assert_eq!(read("Every", &[0x68, 2]), fields([(13, Value::Bool(true))]));
}

#[test]
fn the_last_value_wins_and_messages_merge() {
    assert_eq!(read("Every", &[0x18, 1, 0x18, 2]), fields([(3, Value::Int(2))]));
    let merged = Record::empty(0).with(3, Value::Int(1)).with(4, Value::Int(2));
    let read = read("Every", &[0x8a, 1, 2, 0x18, 1, 0x8a, 1, 2, 0x20, 2]).expect("valid");
    assert!(matches!(&read[&17], Value::Record(record) if record.fields == merged.fields));
}

#[test]
fn a_member_of_a_oneof_clears_the_others() {
    assert_eq!(read("Every", &[0xc8, 1, 5, 0xd2, 1, 1, b'a']), fields([(26, text("a"))]));
    assert_eq!(read("Every", &[0xd2, 1, 1, b'a', 0xc8, 1, 5]), fields([(25, Value::Int(5))]));
}

#[test]
fn a_value_of_another_wire_type_is_an_unknown_field() {
    assert_eq!(read("Every", &[0x1a, 1, 5]), fields([]));
    assert_eq!(read("Every", &[0x1d, 1, 0, 0, 0]), fields([]));
    assert_eq!(read("Every", &[0x1b, 0x08, 1, 0x1c]), fields([]), "a whole group is skipped");
}

#[test]
fn repeated_numbers_are_read_packed_and_expanded() {
    let both = |number| fields([(number, Value::List(vec![Value::Int(1), Value::Int(2)]))]);
    assert_eq!(read("Every", &[0x92, 1, 2, 1, 2]), both(18));
    assert_eq!(read("Every", &[0x90, 1, 1, 0x90, 1, 2]), both(18));
    assert_eq!(read("Every", &[0x9a, 1, 2, 1, 2]), both(19));
}

#[test]
fn a_number_unknown_to_a_closed_enum_is_an_unknown_field() {
    assert_eq!(read("Every", &[0x80, 1, 7]), fields([]));
    let kept = fields([(20, Value::List(vec![Value::Enum { ty: 0, number: 1 }]))]);
    assert_eq!(read("Every", &[0xa0, 1, 7, 0xa0, 1, 1]), kept);
    assert_eq!(read("Every", &[0xb2, 1, 4, 0x08, 1, 0x10, 7]), fields([]), "in a map the entry goes");
}

#[test]
fn entries_of_maps_may_lack_parts_and_repeat_keys() {
    let counts = |entries: &[(&str, i128)]| {
        let entries = entries.iter().map(|(key, value)| (Key::Text(key.as_bytes().to_vec()), Value::Int(*value)));
        fields([(21, Value::Map(entries.collect()))])
    };
    assert_eq!(read("Every", &[0xaa, 1, 0]), counts(&[("", 0)]));
    assert_eq!(read("Every", &[0xaa, 1, 2, 0x10, 5]), counts(&[("", 5)]));
    let twice = [0xaa, 1, 5, 0x0a, 1, b'x', 0x10, 1, 0xaa, 1, 5, 0x0a, 1, b'x', 0x10, 2];
    assert_eq!(read("Every", &twice), counts(&[("x", 2)]));
    assert!(read("Every", &[0xaa, 1, 2, 0x15, 5]).is_err(), "a fixed32 is cut off");
    assert_eq!(read("Every", &[0xaa, 1, 5, 0x15, 5, 0, 0, 0]), counts(&[("", 0)]), "the value is of another wire type");
}

#[test]
fn groups_and_extensions_are_fields() {
    let read_group = read("Every", &[0xc3, 1, 0x08, 5, 0xc4, 1]).expect("valid");
    assert!(matches!(&read_group[&24], Value::Record(record) if record.fields[&1] == Value::Int(5)));
    assert_eq!(read("Every", &[0xa0, 6, 5]), fields([(100, Value::Int(5))]));
}

#[test]
fn what_is_malformed_is_rejected_with_a_reason() {
    for (bytes, reason) in [
        (&[0x18][..], "ends inside a varint"),
        (&[0x18, 0x80], "ends inside a varint"),
        (&[0x00, 0x01], "field number 0"),
        (&[0x72, 5, b'a'], "beyond the end"),
        (&[0x72, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1], "beyond the end"),
        (&[0x18, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f], "64 bits"),
        (&[0x1c], "did not begin"),
        (&[0xc3, 1, 0x08, 5, 0xcc, 1], "did not begin"),
        (&[0xc3, 1, 0x08, 5], "inside a group"),
        (&[0x1e], "wire type"),
        (&[0x4d, 1, 2], "beyond the end"),
        (&[0xf8, 0xff, 0xff, 0xff, 0xff, 1], "too large"),
    ] {
        let error = read("Every", bytes).expect_err("malformed");
        assert!(error.contains(reason), "{bytes:x?}: {error}");
    }
}

#[test]
fn nesting_has_a_limit() {
    let nested = |depth: usize| {
        (0..depth).fold(Vec::new(), |inner, _| {
            let mut outer = vec![0x8a, 1];
            put_bytes(&inner, &mut outer);
            outer
        })
    };
    assert!(read("Every", &nested(DEPTH_LIMIT)).is_ok());
    assert!(read("Every", &nested(DEPTH_LIMIT + 1)).expect_err("too deep").contains("100 deep"));
    assert!(read("Every", &[0xfb, 0x01].repeat(5000)).expect_err("too deep").contains("100 deep"));
}

#[test]
fn required_fields_must_be_there_at_every_depth() {
    assert!(read("Needs", &[0x08, 1]).is_ok());
    assert!(read("Needs", &[]).expect_err("missing").contains("`x`"));
    with_text(EVERYTHING, |schema| {
        let error = decode(Types::of(schema), message(schema, "Needs"), &[0x08, 1, 0x12, 0]).expect_err("missing");
        assert_eq!((error.path, error.cause), (vec![2, 1], Cause::Missing));
    });
}

#[test]
fn texts_are_checked_where_the_schema_says_so() {
    assert_eq!(read("Every", &[0x72, 1, 0xff]), fields([(14, Value::Text(vec![0xff]))]));
    with_text("syntax = \"proto3\"; message M { string s = 1; int32 n = 2; optional int32 p = 3; }", |schema| {
        let (types, id) = (Types::of(schema), message(schema, "M"));
        assert!(decode(types, id, &[0x0a, 1, 0xff]).is_err());
        assert_eq!(decode(types, id, &[0x10, 0]), Ok(Record::empty(id.0)), "a default without presence is absent");
        let present = Record::empty(id.0).with(3, Value::Int(0));
        assert_eq!(decode(types, id, &[0x18, 0]), Ok(present.clone()));
        assert_eq!(encode(types, id, &present.with(2, Value::Int(0))), [0x18, 0]);
    });
}

#[test]
fn message_sets_are_read_and_written_as_groups() {
    let text = r#"
        syntax = "proto2";
        message Set { option message_set_wire_format = true; extensions 4 to max; }
        message Item { optional int32 x = 1; }
        extend Set { optional Item item = 1547769; }
    "#;
    with_text(text, |schema| {
        let (types, id) = (Types::of(schema), message(schema, "Set"));
        let item = Record::empty(message(schema, "Item").0).with(1, Value::Int(5));
        let set = Record::empty(id.0).with(1_547_769, Value::Record(item));
        let bytes = [0x0b, 0x10, 0xf9, 0xbb, 0x5e, 0x1a, 2, 0x08, 5, 0x0c];
        assert_eq!(encode(types, id, &set), bytes);
        assert_eq!(decode(types, id, &bytes), Ok(set.clone()));
        let swapped = [0x0b, 0x1a, 2, 0x08, 5, 0x10, 0xf9, 0xbb, 0x5e, 0x0c];
        assert_eq!(decode(types, id, &swapped), Ok(set));
    });
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever is accepted is read back the same after it was written again.
    #[test]
    fn any_bytes_are_read_without_a_panic_and_what_is_accepted_comes_back(bytes in likely_bytes()) {
        with_text(EVERYTHING, |schema| {
            let (types, id) = (Types::of(schema), message(schema, "Every"));
            if let Ok(record) = decode(types, id, &bytes) {
                let again = decode(types, id, &encode(types, id, &record));
                prop_assert_eq!(again, Ok(record));
            }
            Ok(())
        })?;
    }
}

/// Bytes that often look like fields of the message.
fn likely_bytes() -> impl Strategy<Value = Vec<u8>> {
    let field = (1u32..30, 0u32..6, prop::collection::vec(any::<u8>(), 0..12)).prop_map(|(number, wire, payload)| {
        let mut bytes = Vec::new();
        put_varint(u64::from(number << 3 | wire), &mut bytes);
        if wire == 2 {
            put_bytes(&payload, &mut bytes);
        } else {
            bytes.extend(payload);
        }
        bytes
    });
    prop_oneof![
        prop::collection::vec(any::<u8>(), 0..40),
        prop::collection::vec(field, 0..6).prop_map(|fields| fields.concat()),
    ]
}
