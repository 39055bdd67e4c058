//! Any bytes at all are read as a message without a panic, and what is accepted is read back the same.
#![no_main]

use libfuzzer_sys::fuzz_target;
use wireproof::formats::CheckOptions;
use wireproof::formats::protobuf::{reread, with_schema};
use wireproof::source::Snapshot;

const SCHEMA: &str = r#"
syntax = "proto2";
enum Closed { ZERO = 0; ONE = 1; }
message Every {
  optional double f_double = 1;
  optional float f_float = 2;
  optional int32 f_int32 = 3;
  optional uint64 f_uint64 = 4;
  optional sint32 f_sint32 = 5;
  optional sint64 f_sint64 = 6;
  optional fixed32 f_fixed32 = 7;
  optional sfixed64 f_sfixed64 = 8;
  optional bool f_bool = 9;
  optional string f_string = 10;
  optional bytes f_bytes = 11;
  optional Closed f_enum = 12;
  optional Every f_message = 13;
  repeated int32 packed = 14 [packed = true];
  repeated Closed enums = 15;
  map<string, int32> counts = 16;
  map<int32, Closed> by_number = 17;
  map<bool, Every> by_truth = 18;
  optional group Group = 19 { optional int32 x = 1; required int32 y = 2; }
  oneof choice { int32 one = 20; string two = 21; Every three = 22; }
  extensions 100 to max;
}
extend Every { optional int32 more = 100; repeated Every others = 101; }
"#;

fuzz_target!(|bytes: &[u8]| {
    let snapshot = Snapshot::from_files([("fuzz.proto", SCHEMA.as_bytes())]);
    with_schema(&snapshot, &CheckOptions::default(), |schema, _| reread(schema, "Every", bytes));
});
