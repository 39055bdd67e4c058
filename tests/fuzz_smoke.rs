//! A short, repeatable fuzz run: damaged copies of sample files are read without a panic.
//!
//! The real fuzz targets are in `fuzz/`; this keeps the plain test run honest for a second or two.

use std::sync::Arc;

use wireproof::formats::protobuf::parse::parse;

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
