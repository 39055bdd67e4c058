//! Any bytes at all are read as data, in binary and in JSON, without a panic, and what is accepted is read back the same.
#![no_main]

use libfuzzer_sys::fuzz_target;
use wireproof::formats::avro::reread;

const SCHEMA: &str = r#"
{"type": "record", "name": "Every", "fields": [
  {"name": "boolean", "type": "boolean"},
  {"name": "int", "type": "int"},
  {"name": "long", "type": "long"},
  {"name": "float", "type": "float"},
  {"name": "double", "type": "double"},
  {"name": "bytes", "type": "bytes"},
  {"name": "string", "type": "string"},
  {"name": "fixed", "type": {"type": "fixed", "name": "Fixed", "size": 3}},
  {"name": "nothing", "type": {"type": "fixed", "name": "Nothing", "size": 0}},
  {"name": "enum", "type": {"type": "enum", "name": "Enum", "symbols": ["A", "B"], "default": "B"}},
  {"name": "list", "type": {"type": "array", "items": "long"}},
  {"name": "nulls", "type": {"type": "array", "items": "null"}},
  {"name": "map", "type": {"type": "map", "values": ["null", "Enum", "double"]}},
  {"name": "next", "type": ["null", "Every"], "default": null},
  {"name": "many", "type": {"type": "array", "items": "Every"}}
]}
"#;

fuzz_target!(|bytes: &[u8]| {
    reread(SCHEMA, bytes);
});
