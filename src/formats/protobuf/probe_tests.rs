use super::*;
use crate::formats::CheckOptions;
use crate::formats::protobuf::check;
use crate::source::Snapshot;

use Outcome::{Defaulted, Fails, Lossy, Safe, Unrecognized, Wrong};

fn observe(old: &str, new: &str) -> Observed {
    let side = |text: &str| Snapshot::from_files([("t.proto", text.as_bytes())]);
    let checked = check(Pair::new(&side(old), &side(new)), &CheckOptions::default());
    assert!(checked.problems.old.is_empty() && checked.problems.new.is_empty(), "{:?}", checked.problems);
    checked.observed
}

/// The worst per direction for one identity on one surface.
fn outcomes(observed: &Observed, identity: &str, surface: Surface) -> (Outcome, Outcome) {
    let of = |direction| {
        let seen = observed.observations.iter().filter(|seen| {
            (seen.identity.0.as_str(), seen.surface, seen.direction, seen.runtime)
                == (identity, surface, direction, SPEC)
        });
        seen.map(|seen| seen.outcome).max().unwrap_or(Safe)
    };
    (of(Direction::Backward), of(Direction::Forward))
}

fn proto3(body: &str) -> String {
    format!("syntax = \"proto3\"; message M {{ {body} string after = 99; }}")
}

fn proto2(body: &str) -> String {
    format!("syntax = \"proto2\"; message M {{ {body} optional string after = 99; }}")
}

/// Observes a change of a message `M` in a file.
struct Case {
    what: &'static str,
    old: String,
    new: String,
    identity: &'static str,
    wire: (Outcome, Outcome),
    json: (Outcome, Outcome),
}

fn uphold(cases: impl IntoIterator<Item = Case>) {
    let mut broken = Vec::new();
    for case in cases {
        let observed = observe(&case.old, &case.new);
        for (surface, expected) in [(Surface::Wire, case.wire), (Surface::Json, case.json)] {
            let seen = outcomes(&observed, case.identity, surface);
            if seen != expected {
                broken.push(format!("{}: {surface} {seen:?} instead of {expected:?}", case.what));
            }
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

const SCALARS: [&str; 17] = [
    "double", "float", "int32", "int64", "uint32", "uint64", "sint32", "sint64", "fixed32", "fixed64", "sfixed32",
    "sfixed64", "bool", "string", "bytes", "E", "S",
];

/// What a reader of the second type sees of the first on the wire, by the rules of the encoding.
fn by_the_rules(written: &str, read: &str) -> Outcome {
    let coding = |name| match name {
        "int32" | "int64" | "uint32" | "uint64" | "bool" | "E" => 0,
        "sint32" | "sint64" => 1,
        "fixed32" | "sfixed32" | "float" => 2,
        "fixed64" | "sfixed64" | "double" => 3,
        _ => 4,
    };
    let range = |name| -> (i128, i128) {
        match name {
            "bool" => (0, 1),
            "uint32" => (0, u32::MAX.into()),
            "uint64" => (0, u64::MAX.into()),
            "int64" | "sint64" => (i64::MIN.into(), i64::MAX.into()),
            _ => (i32::MIN.into(), i32::MAX.into()),
        }
    };
    let ((low, high), (min, max)) = (range(written), range(read));
    match (coding(written), coding(read)) {
        _ if written == read => Safe,
        (0, 0) if low < min || high > max => Wrong,
        (0, 0) if read == "E" && written != "bool" => Unrecognized,
        (0, 0) => Safe,
        (1, 1) => {
            if high > max {
                Wrong
            } else {
                Safe
            }
        }
        (0, 1) | (1, 0) | (2, 2) | (3, 3) => Wrong,
        (4, 4) => match (written, read) {
            ("string", "bytes") => Safe,
            ("bytes", "string") => Fails,
            _ => Wrong,
        },
        _ => Lossy,
    }
}

#[test]
fn every_pair_of_scalar_types_comes_out_as_the_encoding_says() {
    let mut broken = Vec::new();
    for written in SCALARS {
        for read in SCALARS.iter().filter(|read| **read > written) {
            let text = |kind: &str| {
                format!(
                    "syntax = \"proto3\"; message M {{ {kind} f = 1; string after = 2; }}
                    enum E {{ ZERO = 0; ONE = 1; TWO = 2; }} message S {{ int32 x = 1; }}"
                )
            };
            let observed = observe(&text(written), &text(read));
            let seen = outcomes(&observed, "M#1", Surface::Wire);
            let expected = (by_the_rules(written, read), by_the_rules(read, written));
            if seen != expected {
                broken.push(format!("{written} to {read}: {seen:?} instead of {expected:?}"));
            }
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

#[test]
fn fields_that_come_and_go_are_told_by_who_has_them() {
    uphold([
        Case {
            what: "a field is added",
            old: proto3(""),
            new: proto3("int32 x = 1;"),
            identity: "M#1",
            wire: (Defaulted, Safe),
            json: (Defaulted, Safe),
        },
        Case {
            what: "a required field is added",
            old: proto2(""),
            new: proto2("required int32 x = 1;"),
            identity: "M#1",
            wire: (Fails, Safe),
            json: (Fails, Safe),
        },
        Case {
            what: "a field is renamed",
            old: proto3("int32 x = 1;"),
            new: proto3("int32 y = 1;"),
            identity: "M#1",
            wire: (Safe, Safe),
            json: (Lossy, Lossy),
        },
        Case {
            what: "a field is renamed and keeps its JSON name",
            old: proto3("int32 x = 1;"),
            new: proto3("int32 y = 1 [json_name = \"x\"];"),
            identity: "M#1",
            wire: (Safe, Safe),
            json: (Safe, Safe),
        },
        Case {
            what: "a field moves to another number",
            old: proto3("int32 x = 1;"),
            new: proto3("int32 x = 2;"),
            identity: "M@x",
            wire: (Lossy, Lossy),
            json: (Safe, Safe),
        },
        Case {
            what: "two fields exchange their numbers",
            old: proto3("int32 x = 1; int32 y = 2;"),
            new: proto3("int32 x = 2; int32 y = 1;"),
            identity: "M@x",
            wire: (Wrong, Wrong),
            json: (Safe, Safe),
        },
        Case {
            what: "a field moves to the number of one that goes",
            old: proto3("int32 x = 1; int32 y = 2;"),
            new: proto3("int32 x = 2;"),
            identity: "M@x",
            wire: (Wrong, Wrong),
            json: (Safe, Safe),
        },
        Case {
            what: "a field takes a reserved number",
            old: proto3("reserved 1;"),
            new: proto3("int32 x = 1;"),
            identity: "M#1",
            wire: (Wrong, Safe),
            json: (Defaulted, Safe),
        },
    ]);
}

#[test]
fn presence_and_defaults_are_compared_where_both_sides_can_tell() {
    uphold([
        Case {
            what: "a field gets presence",
            old: proto3("int32 x = 1;"),
            new: proto3("optional int32 x = 1;"),
            identity: "M#1",
            wire: (Safe, Safe),
            json: (Safe, Safe),
        },
        Case {
            what: "a default changes",
            old: proto2("optional int32 x = 1 [default = 5];"),
            new: proto2("optional int32 x = 1 [default = 6];"),
            identity: "M#1",
            wire: (Wrong, Wrong),
            json: (Wrong, Wrong),
        },
        Case {
            what: "a field becomes required",
            old: proto2("optional int32 x = 1;"),
            new: proto2("required int32 x = 1;"),
            identity: "M#1",
            wire: (Fails, Safe),
            json: (Fails, Safe),
        },
        Case {
            what: "texts are checked from now on",
            old: proto2("optional string x = 1;"),
            new: proto3("optional string x = 1;"),
            identity: "M#1",
            wire: (Fails, Safe),
            json: (Safe, Safe),
        },
    ]);
}

#[test]
fn cardinalities_are_read_as_each_other() {
    let child = "message C { int32 a = 1; int32 b = 2; }";
    let entry = "message C { string key = 1; int32 value = 2; }";
    uphold([
        Case {
            what: "a text becomes repeated",
            old: proto3("string x = 1;"),
            new: proto3("repeated string x = 1;"),
            identity: "M#1",
            wire: (Safe, Lossy),
            json: (Fails, Fails),
        },
        Case {
            what: "a number becomes repeated and packed",
            old: proto3("int32 x = 1;"),
            new: proto3("repeated int32 x = 1;"),
            identity: "M#1",
            wire: (Safe, Lossy),
            json: (Fails, Fails),
        },
        Case {
            what: "a repeated number is no longer packed",
            old: proto3("repeated int32 x = 1;"),
            new: proto3("repeated int32 x = 1 [packed = false];"),
            identity: "M#1",
            wire: (Safe, Safe),
            json: (Safe, Safe),
        },
        Case {
            what: "a message becomes repeated, and two are merged into one that nobody wrote",
            old: proto3(&format!("{child} C x = 1;")),
            new: proto3(&format!("{child} repeated C x = 1;")),
            identity: "M#1",
            wire: (Safe, Wrong),
            json: (Fails, Fails),
        },
        Case {
            what: "a map becomes a list of entries",
            old: proto3(&format!("{entry} map<string, int32> x = 1;")),
            new: proto3(&format!("{entry} repeated C x = 1;")),
            identity: "M#1",
            wire: (Safe, Lossy),
            json: (Fails, Fails),
        },
        Case {
            what: "the value of a map gets another wire type",
            old: proto3("map<string, int32> x = 1;"),
            new: proto3("map<string, string> x = 1;"),
            identity: "M#1",
            wire: (Wrong, Wrong),
            json: (Fails, Wrong),
        },
        Case {
            what: "the key of a map gets wider",
            old: proto3("map<int32, int32> x = 1;"),
            new: proto3("map<int64, int32> x = 1;"),
            identity: "M#1",
            wire: (Safe, Wrong),
            json: (Safe, Fails),
        },
    ]);
}

#[test]
fn oneofs_clear_members_that_were_independent() {
    uphold([
        Case {
            what: "two fields join a new oneof",
            old: proto3("int32 x = 1; int32 y = 2;"),
            new: proto3("oneof o { int32 x = 1; int32 y = 2; }"),
            identity: "M#1",
            wire: (Lossy, Safe),
            json: (Fails, Safe),
        },
        Case {
            what: "one field joins a new oneof alone",
            old: proto3("optional int32 x = 1;"),
            new: proto3("oneof o { int32 x = 1; }"),
            identity: "M#1",
            wire: (Safe, Safe),
            json: (Safe, Safe),
        },
        Case {
            what: "a oneof gets one more arm",
            old: proto3("oneof o { int32 x = 1; }"),
            new: proto3("oneof o { int32 x = 1; int32 y = 2; }"),
            identity: "M#2",
            wire: (Defaulted, Unrecognized),
            json: (Defaulted, Unrecognized),
        },
    ]);
}

#[test]
fn enums_are_told_of_wherever_they_are_used() {
    let text = |syntax: &str, values: &str| {
        let field = if syntax == "proto2" { "optional E e = 1;" } else { "E e = 1;" };
        format!("syntax = \"{syntax}\"; enum E {{ {values} }} message M {{ {field} }}")
    };
    uphold([
        Case {
            what: "an open enum gets a value",
            old: text("proto3", "A = 0;"),
            new: text("proto3", "A = 0; B = 1;"),
            identity: "E#1",
            wire: (Safe, Unrecognized),
            json: (Safe, Unrecognized),
        },
        Case {
            what: "a closed enum gets a value",
            old: text("proto2", "A = 0;"),
            new: text("proto2", "A = 0; B = 1;"),
            identity: "E#1",
            wire: (Safe, Unrecognized),
            json: (Safe, Unrecognized),
        },
        Case {
            what: "a value is renamed",
            old: text("proto3", "A = 0; B = 1;"),
            new: text("proto3", "A = 0; C = 1;"),
            identity: "E#1",
            wire: (Safe, Safe),
            json: (Lossy, Lossy),
        },
        Case {
            what: "two values exchange their numbers",
            old: text("proto3", "A = 0; B = 1; C = 2;"),
            new: text("proto3", "A = 0; B = 2; C = 1;"),
            identity: "E@B",
            wire: (Wrong, Wrong),
            json: (Safe, Safe),
        },
        Case {
            what: "a value moves to a free number",
            old: text("proto3", "A = 0; B = 1;"),
            new: text("proto3", "A = 0; B = 2;"),
            identity: "E@B",
            wire: (Lossy, Lossy),
            json: (Safe, Safe),
        },
        Case {
            what: "the first value changes",
            old: text("proto2", "A = 0; B = 1;"),
            new: text("proto2", "B = 1; A = 0;"),
            identity: "E=default",
            wire: (Wrong, Wrong),
            json: (Wrong, Wrong),
        },
        Case {
            what: "an enum becomes open",
            old: text("proto2", "A = 0; B = 1;"),
            new: text("proto3", "A = 0; B = 1;"),
            identity: "E=openness",
            wire: (Safe, Unrecognized),
            json: (Safe, Unrecognized),
        },
    ]);
}

#[test]
fn json_sees_numbers_by_value_and_within_their_range() {
    let field = |kind: &str| proto3(&format!("{kind} x = 1;"));
    let case = |what, old, new, json| Case {
        what,
        old: field(old),
        new: field(new),
        identity: "M#1",
        wire: (by_the_rules(old, new), by_the_rules(new, old)),
        json,
    };
    uphold([
        case("wider", "int32", "int64", (Safe, Fails)),
        case("zigzag has the same form", "int32", "sint32", (Safe, Safe)),
        case("signs differ", "int32", "uint32", (Fails, Fails)),
        case("a double holds every int32", "int32", "double", (Safe, Fails)),
        case("a float does not", "int32", "float", (Wrong, Fails)),
        case("a double does not hold every int64", "int64", "double", (Wrong, Fails)),
        case("digits are rounded away", "double", "float", (Wrong, Safe)),
        case("64 bits are written as text", "int64", "string", (Wrong, Wrong)),
        case("32 bits are not", "int32", "string", (Fails, Wrong)),
        case("truth is no number", "bool", "int32", (Fails, Fails)),
        case("text is not base64", "string", "bytes", (Wrong, Wrong)),
    ]);
}

#[test]
fn the_witness_is_small_and_can_be_replayed() {
    let (old, new) = (proto3("int32 x = 1; string y = 2;"), proto3("sint32 x = 1; string y = 2;"));
    let observed = observe(&old, &new);
    let seen = observed.observations.iter().find(|seen| seen.direction == Direction::Backward).expect("wrong");
    assert_eq!(seen.witness.type_name, "M");
    assert_eq!(seen.witness.bytes, [0x08, 1]);
    assert_eq!(seen.witness.wrote, serde_json::json!({"x": 1}));
    assert_eq!(seen.witness.read, serde_json::json!({"x": -1}));
    assert_eq!(observe(&old, &new), observed, "the same schemas give the same messages");
}

#[test]
fn a_large_message_with_one_change_costs_little() {
    let fields: String = (1..=500).map(|number| format!("int32 f{number} = {number};")).collect();
    let text = |kind| format!("syntax = \"proto3\"; message M {{ {fields} {kind} last = 501; }}");
    let observed = observe(&text("int32"), &text("int64"));
    assert!(observed.messages < 100, "{}", observed.messages);
    assert_eq!(outcomes(&observed, "M#501", Surface::Wire), (Safe, Wrong));
    assert!(observed.observations.iter().all(|seen| seen.identity.0 == "M#501"));
}

#[test]
fn a_type_that_replaced_another_is_compared_by_its_structure() {
    let old = "syntax = \"proto3\"; message M { A a = 1; } message A { int32 x = 1; M up = 2; }";
    let new = "syntax = \"proto3\"; message M { B a = 1; } message B { sint32 x = 1; M up = 2; }";
    let observed = observe(old, new);
    assert_eq!(outcomes(&observed, "A>B#1", Surface::Wire), (Wrong, Wrong));
    assert_eq!(outcomes(&observed, "M#1", Surface::Wire), (Safe, Safe));
}

#[test]
fn what_is_rejected_deep_inside_is_told_of_the_field_there() {
    let old = "syntax = \"proto2\"; message M { optional A a = 1; } message A { optional int32 x = 1; }";
    let new = "syntax = \"proto2\"; message M { optional A a = 1; } message A { required int32 x = 1; }";
    let observed = observe(old, new);
    assert_eq!(outcomes(&observed, "A#1", Surface::Wire), (Fails, Safe));
    assert_eq!(outcomes(&observed, "M#1", Surface::Wire), (Safe, Safe));
}

#[test]
fn random_bytes_are_reread_without_a_panic() {
    let text = "syntax = \"proto3\"; message M { M m = 1; repeated sint32 n = 2; map<string, M> p = 3; string s = 4; }";
    let snapshot = Snapshot::from_files([("t.proto", text.as_bytes())]);
    crate::formats::protobuf::with_schema(&snapshot, &CheckOptions::default(), |schema, _| {
        let mut dice = crate::value::Seeded::by_name("random bytes");
        for _ in 0..20_000 {
            let length = dice.next() % 24;
            let bytes: Vec<u8> = (0..length).map(|_| (dice.next() % 40) as u8).collect();
            reread(schema, "M", &bytes);
        }
    });
}
