//! A short, repeatable fuzz run: damaged copies of sample files are read without a panic.
//!
//! The real fuzz targets are in `fuzz/`; this keeps the plain test run honest for a second or two.

use std::sync::Arc;

use wireproof::change::Pair;
use wireproof::formats::protobuf::parse::parse;
use wireproof::formats::{CheckOptions, Format, avro, check_pair};
use wireproof::source::Snapshot;

const SAMPLES: &[&str] = &[
    r#"syntax = "proto2";
package shop.v1;
import public "other.proto";
option java_package = "a\x62\u00e9";
message Order {
  option (my.option) = { a: 1, b { c: [1, -2.5] } [x.y] < d: "e" 'f' > };
  required int32 id = 1 [default = -5, deprecated = true];
  repeated group Line = 2 { optional string sku = 1; }
  map<string, .shop.v1.Order> parts = 3;
  oneof how { bool card = 4; bytes cash = 5; }
  extensions 100 to 199, 500 to max [verification = UNVERIFIED];
  reserved 6, 8 to 9; reserved "old", "older";
  enum State { option allow_alias = true; NEW = 0; FRESH = 0; reserved -1, 5 to max; }
  extend Order { optional int32 more = 100; }
}
service Store { rpc Buy(stream Order) returns (Order) { option deprecated = true; } }
"#,
    r#"edition = "2024";
// comment /* not nested
/* block * comment ** / é */
import option "opt.proto";
export message M { local enum E { A = 0; reserved B, C; } repeated M m = 0x1f; double d = 017 [features.x = 1e-9]; }
"#,
];

const SYMBOLS: &[u8] = b"{}[]()<>;=,.\"'\\/*#-\0\xff";

struct Dice(u64);

impl Dice {
    fn below(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % sides.max(1)
    }
}

fn read(bytes: &[u8]) {
    let (_, problems) = parse(&Arc::from("smoke.proto"), bytes);
    assert!(problems.len() <= 101);
    for problem in problems {
        let span = problem.site.expect("the parser knows places").span;
        assert!(span.start <= span.end && span.end as usize <= bytes.len(), "{}", String::from_utf8_lossy(bytes));
        assert!(!problem.message.is_empty() && !problem.help.is_empty());
    }
}

fn damage(dice: &mut Dice, bytes: &mut Vec<u8>) {
    let at = dice.below(bytes.len());
    let other = dice.below(bytes.len());
    match dice.below(6) {
        0 => bytes[at] = dice.below(256) as u8,
        1 => bytes.insert(at, SYMBOLS[dice.below(SYMBOLS.len())]),
        2 => drop(bytes.drain(at.min(other)..at.max(other).min(at.min(other) + 20))),
        3 => bytes.truncate(at.max(1)),
        4 => {
            let piece = bytes[at..bytes.len().min(at + 30)].to_vec();
            bytes.splice(other..other, piece);
        }
        _ => bytes.swap(at, other),
    }
}

#[test]
fn samples_are_sound() {
    for sample in SAMPLES {
        assert_eq!(parse(&Arc::from("sample.proto"), sample.as_bytes()).1, []);
    }
}

#[test]
fn every_beginning_of_a_sample_is_read() {
    for sample in SAMPLES {
        for length in 0..sample.len() {
            read(&sample.as_bytes()[..length]);
        }
    }
}

#[test]
fn damaged_samples_are_read() {
    let dice = &mut Dice(1);
    for round in 0..6000 {
        let mut bytes = SAMPLES[round % SAMPLES.len()].as_bytes().to_vec();
        for _ in 0..=dice.below(4) {
            if bytes.is_empty() {
                break;
            }
            damage(dice, &mut bytes);
        }
        read(&bytes);
    }
}

const AVRO_JSON: &str = r#"{"type": "record", "name": "a.R", "aliases": ["Q"], "doc": "\u00e9\n", "fields": [
  {"name": "b", "type": ["null", "R", {"type": "enum", "name": "E", "symbols": ["A", "B"], "default": "B"}], "default": null},
  {"name": "c", "type": {"type": "map", "values": {"type": "array", "items": "double"}}, "default": {"k": [-1.5e3]}},
  {"name": "d", "type": {"type": "fixed", "name": "F", "size": 2, "logicalType": "decimal", "precision": 4}, "aliases": ["e"]},
  {"name": "f", "type": {"type": "bytes", "logicalType": "decimal", "precision": 9, "scale": 2}, "default": "\u00ff"}
]}"#;

const AVRO_PROTOCOL: &str = r#"{"protocol": "P", "namespace": "a", "types": [{"type": "error", "name": "X", "fields": []}],
  "messages": {"m": {"request": [{"name": "i", "type": "int", "default": 1}], "response": "X", "errors": ["X"]},
    "n": {"request": [], "response": "null", "one-way": true}}}"#;

const AVRO_IDL: &str = r#"@namespace("a.b") protocol P {
  /** Doc. */ record R { string @order("ignore") s = "x\u00e9"; union { null, R } r = null; decimal(9, 2) d; // comment
    map<array<double>> `map` = {"a": [-1.5e3, NaN]}; timestamp_ms t; R? o = null; }
  @aliases(["Old"]) enum E { A, B } = B; fixed F(0x10); error X { string why; }
  int buy(string id = "y", R r) throws X; void ping() oneway;
}"#;

/// The ending of a file and a text that it may hold.
const AVRO: [(&str, &str); 3] = [("avsc", AVRO_JSON), ("avpr", AVRO_PROTOCOL), ("avdl", AVRO_IDL)];

/// Reads a file of Avro on both sides of a comparison; how many problems it has.
fn read_avro(ending: &str, bytes: &[u8]) -> usize {
    let snapshot = Snapshot::from_files([(format!("smoke.{ending}").as_str(), bytes)]);
    let checked = check_pair(Format::Avro, Pair::new(&snapshot, &snapshot), &CheckOptions::default());
    assert!(checked.changes.is_empty(), "{:?} in {}", checked.changes, String::from_utf8_lossy(bytes));
    let problems = checked.problems.new;
    assert!(problems.len() <= 210, "{} problems", problems.len());
    for problem in &problems {
        let span = problem.site.as_ref().expect("there is only one file").span;
        assert!(span.start <= span.end && span.end as usize <= bytes.len(), "{}", String::from_utf8_lossy(bytes));
        assert!(!problem.message.is_empty() && !problem.help.is_empty());
    }
    problems.len()
}

#[test]
fn samples_of_avro_are_sound_and_each_beginning_is_read() {
    for (ending, sample) in AVRO {
        assert_eq!(read_avro(ending, sample.as_bytes()), 0, "{ending}");
        for length in 1..sample.len() {
            assert_ne!(read_avro(ending, &sample.as_bytes()[..length]), 0, "{}", &sample[..length]);
        }
    }
}

#[test]
fn damaged_samples_of_avro_are_read() {
    let dice = &mut Dice(2);
    for round in 0..3000 {
        let (ending, sample) = AVRO[round % AVRO.len()];
        let mut bytes = sample.as_bytes().to_vec();
        for _ in 0..=dice.below(4) {
            if bytes.is_empty() {
                break;
            }
            damage(dice, &mut bytes);
        }
        read_avro(ending, &bytes);
    }
}

/// Data of the first sample, in binary and in JSON.
const AVRO_DATA: [&[u8]; 2] = [
    b"\x02\x04\0\x02\x02k\x02\0\0\0\0\0\0\xf0\x3f\0\0\x01\x02\x04\xff\x00\x00\x01\x02\x02\x7f",
    br#"{"b": {"a.R": {"b": {"a.E": "A"}, "c": {"k": [1.0, "NaN"]}, "d": "\u0001\u00ff", "f": ""}}, "c": {}, "d": "ab", "f": "\u00ff"}"#,
];

#[test]
fn damaged_data_of_avro_is_read_back_the_same_or_refused() {
    for sample in AVRO_DATA {
        assert!(avro::reread(AVRO_JSON, sample), "{}", String::from_utf8_lossy(sample));
    }
    let dice = &mut Dice(3);
    let mut accepted = 0;
    for round in 0..3000 {
        let mut bytes = AVRO_DATA[round % AVRO_DATA.len()].to_vec();
        for _ in 0..dice.below(4) {
            if bytes.is_empty() {
                break;
            }
            damage(dice, &mut bytes);
        }
        accepted += usize::from(avro::reread(AVRO_JSON, &bytes));
    }
    assert!(accepted > 500, "only {accepted} were data");
}
