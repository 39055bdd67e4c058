use super::*;
use crate::evidence::Observation;
use crate::formats::check::CheckOptions;
use crate::formats::frame::check;
use crate::formats::protobuf::Protobuf;
use crate::snapshot::Snapshot;

use Outcome::{Defaulted, Fails, Lossy, Safe, Unrecognized, Wrong};

fn observe(old: &str, new: &str) -> Observed {
    let side = |text: &str| Snapshot::from_files([("t.proto", text.as_bytes())]);
    let checked = check::<Protobuf>(Pair::new(&side(old), &side(new)), &CheckOptions::default());
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

/// What readers see of a change, backward and forward.
type Seen = (Outcome, Outcome);

/// A change of a file, and what is seen of it on the wire and in JSON.
struct Case {
    what: &'static str,
    sides: [String; 2],
    identity: &'static str,
    expected: [Seen; 2],
}

fn case(what: &'static str, sides: [String; 2], identity: &'static str, expected: [Seen; 2]) -> Case {
    Case { what, sides, identity, expected }
}

fn uphold(cases: impl IntoIterator<Item = Case>) {
    let mut broken = Vec::new();
    for case in cases {
        let observed = observe(&case.sides[0], &case.sides[1]);
        for (surface, expected) in SURFACES.into_iter().zip(case.expected) {
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
        case("a field is added", [proto3(""), proto3("int32 x = 1;")], "M#1", [(Defaulted, Safe), (Defaulted, Safe)]),
        case(
            "a required field is added",
            [proto2(""), proto2("required int32 x = 1;")],
            "M#1",
            [(Fails, Safe), (Fails, Safe)],
        ),
        case(
            "a field is renamed",
            [proto3("int32 x = 1;"), proto3("int32 y = 1;")],
            "M#1",
            [(Safe, Safe), (Lossy, Lossy)],
        ),
        case(
            "a field is renamed and keeps its JSON name",
            [proto3("int32 x = 1;"), proto3("int32 y = 1 [json_name = \"x\"];")],
            "M#1",
            [(Safe, Safe), (Safe, Safe)],
        ),
        case(
            "a field moves to another number",
            [proto3("int32 x = 1;"), proto3("int32 x = 2;")],
            "M@x",
            [(Lossy, Lossy), (Safe, Safe)],
        ),
        case(
            "two fields exchange their numbers",
            [proto3("int32 x = 1; int32 y = 2;"), proto3("int32 x = 2; int32 y = 1;")],
            "M@x",
            [(Wrong, Wrong), (Safe, Safe)],
        ),
        case(
            "a field moves to the number of one that goes",
            [proto3("int32 x = 1; int32 y = 2;"), proto3("int32 x = 2;")],
            "M@x",
            [(Wrong, Wrong), (Safe, Safe)],
        ),
        case(
            "a field takes a reserved number",
            [proto3("reserved 1;"), proto3("int32 x = 1;")],
            "M#1",
            [(Wrong, Safe), (Defaulted, Safe)],
        ),
    ]);
}

#[test]
fn presence_and_defaults_are_compared_where_both_sides_can_tell() {
    uphold([
        case(
            "a field gets presence",
            [proto3("int32 x = 1;"), proto3("optional int32 x = 1;")],
            "M#1",
            [(Safe, Safe), (Safe, Safe)],
        ),
        case(
            "a default changes",
            [proto2("optional int32 x = 1 [default = 5];"), proto2("optional int32 x = 1 [default = 6];")],
            "M#1",
            [(Wrong, Wrong), (Wrong, Wrong)],
        ),
        case(
            "a field becomes required",
            [proto2("optional int32 x = 1;"), proto2("required int32 x = 1;")],
            "M#1",
            [(Fails, Safe), (Fails, Safe)],
        ),
        case(
            "texts are checked from now on",
            [proto2("optional string x = 1;"), proto3("optional string x = 1;")],
            "M#1",
            [(Fails, Safe), (Safe, Safe)],
        ),
    ]);
}

#[test]
fn cardinalities_are_read_as_each_other() {
    let child = "message C { int32 a = 1; int32 b = 2; }";
    let entry = "message C { string key = 1; int32 value = 2; }";
    uphold([
        case(
            "a text becomes repeated",
            [proto3("string x = 1;"), proto3("repeated string x = 1;")],
            "M#1",
            [(Safe, Lossy), (Fails, Fails)],
        ),
        case(
            "a number becomes repeated and packed",
            [proto3("int32 x = 1;"), proto3("repeated int32 x = 1;")],
            "M#1",
            [(Safe, Lossy), (Fails, Fails)],
        ),
        case(
            "a repeated number is no longer packed",
            [proto3("repeated int32 x = 1;"), proto3("repeated int32 x = 1 [packed = false];")],
            "M#1",
            [(Safe, Safe), (Safe, Safe)],
        ),
        case(
            "a message becomes repeated, and two are merged into one that nobody wrote",
            [proto3(&format!("{child} C x = 1;")), proto3(&format!("{child} repeated C x = 1;"))],
            "M#1",
            [(Safe, Wrong), (Fails, Fails)],
        ),
        case(
            "a map becomes a list of entries",
            [proto3(&format!("{entry} map<string, int32> x = 1;")), proto3(&format!("{entry} repeated C x = 1;"))],
            "M#1",
            [(Safe, Lossy), (Fails, Fails)],
        ),
        case(
            "the value of a map gets another wire type",
            [proto3("map<string, int32> x = 1;"), proto3("map<string, string> x = 1;")],
            "M#1",
            [(Wrong, Wrong), (Fails, Wrong)],
        ),
        case(
            "the key of a map gets wider",
            [proto3("map<int32, int32> x = 1;"), proto3("map<int64, int32> x = 1;")],
            "M#1",
            [(Safe, Wrong), (Safe, Fails)],
        ),
    ]);
}

#[test]
fn oneofs_clear_members_that_were_independent() {
    uphold([
        case(
            "two fields join a new oneof",
            [proto3("int32 x = 1; int32 y = 2;"), proto3("oneof o { int32 x = 1; int32 y = 2; }")],
            "M#1",
            [(Lossy, Safe), (Fails, Safe)],
        ),
        case(
            "one field joins a new oneof alone",
            [proto3("optional int32 x = 1;"), proto3("oneof o { int32 x = 1; }")],
            "M#1",
            [(Safe, Safe), (Safe, Safe)],
        ),
        case(
            "a oneof gets one more arm",
            [proto3("oneof o { int32 x = 1; }"), proto3("oneof o { int32 x = 1; int32 y = 2; }")],
            "M#2",
            [(Defaulted, Unrecognized), (Defaulted, Unrecognized)],
        ),
    ]);
}

#[test]
fn enums_are_told_of_wherever_they_are_used() {
    let text = |syntax: &str, values: &str| {
        let field = if syntax == "proto2" { "optional E e = 1;" } else { "E e = 1;" };
        format!("syntax = \"{syntax}\"; enum E {{ {values} }} message M {{ {field} }}")
    };
    uphold([
        case(
            "an open enum gets a value",
            [text("proto3", "A = 0;"), text("proto3", "A = 0; B = 1;")],
            "E#1",
            [(Safe, Unrecognized), (Safe, Unrecognized)],
        ),
        case(
            "a closed enum gets a value",
            [text("proto2", "A = 0;"), text("proto2", "A = 0; B = 1;")],
            "E#1",
            [(Safe, Unrecognized), (Safe, Unrecognized)],
        ),
        case(
            "a value is renamed",
            [text("proto3", "A = 0; B = 1;"), text("proto3", "A = 0; C = 1;")],
            "E#1",
            [(Safe, Safe), (Lossy, Lossy)],
        ),
        case(
            "two values exchange their numbers",
            [text("proto3", "A = 0; B = 1; C = 2;"), text("proto3", "A = 0; B = 2; C = 1;")],
            "E@B",
            [(Wrong, Wrong), (Safe, Safe)],
        ),
        case(
            "a value moves to a free number",
            [text("proto3", "A = 0; B = 1;"), text("proto3", "A = 0; B = 2;")],
            "E@B",
            [(Lossy, Lossy), (Safe, Safe)],
        ),
        case(
            "the first value changes",
            [text("proto2", "A = 0; B = 1;"), text("proto2", "B = 1; A = 0;")],
            "E=default",
            [(Wrong, Wrong), (Wrong, Wrong)],
        ),
        case(
            "an enum becomes open",
            [text("proto2", "A = 0; B = 1;"), text("proto3", "A = 0; B = 1;")],
            "E=openness",
            [(Safe, Unrecognized), (Safe, Fails)],
        ),
    ]);
}

#[test]
fn json_sees_numbers_by_value_and_within_their_range() {
    let field = |kind: &str| proto3(&format!("{kind} x = 1;"));
    let case = |what, old, new, json| {
        case(what, [field(old), field(new)], "M#1", [(by_the_rules(old, new), by_the_rules(new, old)), json])
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
    assert_eq!(*seen.witness.wrote, serde_json::json!({"x": 1}));
    assert_eq!(*seen.witness.read, serde_json::json!({"x": -1}));
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

#[test]
fn wide_messages_are_read_without_writing_the_square_of_their_width() {
    let fields = |ty: &str| (1..600).map(|at| format!("{ty} f{at} = {at};")).collect::<String>();
    let cases = [
        (
            proto2(&format!("message M {{ {} }}", fields("required int64"))),
            proto2(&format!("message M {{ {} }}", fields("required sint64"))),
        ),
        (
            proto3(&format!("message M {{ {} }}", fields("int64"))),
            proto3(&format!("message M {{ {} }}", fields("sint64"))),
        ),
        (
            proto3(&format!("message M {{ {} }}", fields("int64"))),
            proto3(&format!("message M {{ oneof o {{ {} }} }}", fields("int64"))),
        ),
    ];
    for (old, new) in cases {
        let observed = observe(&old, &new);
        assert!(observed.messages < 60_000, "{}", observed.messages);
        let bytes: usize = observed.observations.iter().map(|seen| seen.witness.bytes.len()).sum();
        assert!(bytes < 1 << 26, "{bytes}");
        let of = |seen: &&Observation| {
            (seen.runtime, seen.surface, seen.direction) == (SPEC, Surface::Wire, Direction::Backward)
        };
        assert_eq!(observed.observations.iter().filter(of).count(), 599, "{:?}", observed.left_out);
    }
}

#[test]
fn messages_in_messages_are_as_long_as_so_many_numbers() {
    let proto2 = |body: &str| format!("syntax = \"proto2\"; {body}");
    for (what, inside, number, expected) in [
        ("itself", "message M { FIELD }", "fixed32", Wrong),
        ("itself, for eight bytes", "message M { FIELD }", "double", Wrong),
        ("another with a list", "message N { repeated N n = 1; } message M { FIELD }", "sfixed32", Wrong),
    ] {
        let holder = if inside.contains("message N") { "N" } else { "M" };
        let side = |field: String| proto2(&inside.replace("FIELD", &field));
        let old = side(format!("repeated {number} a = 10 [packed = true];"));
        let new = side(format!("optional {holder} a = 10;"));
        let (_, forward) = outcomes(&observe(&old, &new), "M#10", Surface::Wire);
        assert_eq!(forward, expected, "{what}");
    }
}
