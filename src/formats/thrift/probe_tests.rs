use super::super::observer;
use super::*;
use crate::evidence::{Direction, Outcome, SPEC};
use crate::formats::check::CheckOptions;
use crate::formats::frame::check;
use crate::formats::thrift::Thrift;
use crate::snapshot::Snapshot;

use Outcome::{Defaulted, Fails, Lossy, Safe, Unrecognized, Wrong};

fn observe(old: &str, new: &str) -> Observed {
    let side = |text: &str| Snapshot::from_files([("t.thrift", text.as_bytes())]);
    let checked = check::<Thrift>(Pair::new(&side(old), &side(new)), &CheckOptions::default());
    assert!(checked.problems.old.is_empty() && checked.problems.new.is_empty(), "{:?}", checked.problems);
    checked.observed
}

/// The worst per direction, backward and forward, for one identity.
fn outcomes(observed: &Observed, identity: &str) -> (Outcome, Outcome) {
    let of = |direction| {
        let seen = observed
            .observations
            .iter()
            .filter(|seen| (seen.identity.0.as_str(), seen.direction, seen.runtime) == (identity, direction, SPEC));
        seen.map(|seen| seen.outcome).max().unwrap_or(Safe)
    };
    (of(Direction::Backward), of(Direction::Forward))
}

/// A change, and what is seen of it. `t.` stands in front of identities.
struct Case {
    what: &'static str,
    sides: [&'static str; 2],
    identity: &'static str,
    expected: (Outcome, Outcome),
}

const fn case(
    what: &'static str,
    sides: [&'static str; 2],
    identity: &'static str,
    expected: (Outcome, Outcome),
) -> Case {
    Case { what, sides, identity, expected }
}

/// The identity when old and new change places.
fn mirrored(identity: &str) -> String {
    let split = identity.split_once('>').and_then(|(old, rest)| Some((old, rest.split_once('#')?)));
    split.map_or_else(|| identity.to_owned(), |(old, (new, id))| format!("{new}>{old}#{id}"))
}

/// Every case in both directions: forward is backward mirrored.
fn uphold(cases: &[Case]) {
    let mut broken = Vec::new();
    for case in cases {
        let [old, new] = case.sides;
        for (sides, expected) in [([old, new], case.expected), ([new, old], (case.expected.1, case.expected.0))] {
            let observed = observe(sides[0], sides[1]);
            let identity = if sides[0] == old { case.identity.to_owned() } else { mirrored(case.identity) };
            let seen = outcomes(&observed, &identity);
            if seen != expected {
                broken.push(format!("{}: {seen:?} instead of {expected:?}", case.what));
            }
            let others = observed
                .observations
                .iter()
                .filter(|seen| seen.identity.0 != identity && seen.runtime == SPEC && seen.outcome > Defaulted);
            broken.extend(others.map(|seen| format!("{}: {} is {} too", case.what, seen.identity, seen.outcome)));
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

#[test]
fn fields() {
    uphold(&[
        case(
            "a field comes",
            ["struct T { 1: i32 a }", "struct T { 1: i32 a; 2: string b }"],
            "t.T#2",
            (Defaulted, Safe),
        ),
        case(
            "a required field comes",
            ["struct T { 1: i32 a }", "struct T { 1: i32 a; 2: required string b }"],
            "t.T#2",
            (Fails, Safe),
        ),
        case(
            "an id is used for another type",
            ["struct T { 1: i32 a; 2: optional i32 b }", "struct T { 1: i32 a; 2: optional string n }"],
            "t.T#2",
            (Lossy, Lossy),
        ),
        case(
            "an id is used for the same type",
            ["struct T { 1: i32 a; 2: optional i32 b }", "struct T { 1: i32 a; 2: optional i32 n }"],
            "t.T#2",
            (Safe, Safe),
        ),
        case(
            "a field moves to a free id",
            ["struct T { 1: optional i32 a; 2: optional i32 b }", "struct T { 1: optional i32 a; 3: optional i32 b }"],
            "t.T@b",
            (Lossy, Lossy),
        ),
        case(
            "fields that hold nothing exchange their ids",
            [
                "struct E {} struct T { 1: required E a; 2: required E b }",
                "struct E {} struct T { 2: required E a; 1: required E b }",
            ],
            "t.T@a",
            (Safe, Safe),
        ),
        case(
            "a required field moves to a free id",
            ["struct T { 2: required i32 b }", "struct T { 3: required i32 b }"],
            "t.T@b",
            (Fails, Fails),
        ),
    ]);
}

#[test]
fn defaults_in_keys() {
    uphold(&[
        case(
            "the default of an enum goes, and the field becomes a number",
            [
                "enum E { A } struct K { 1: optional E a = E.A } struct T { 1: set<set<K>> k }",
                "enum E { A } struct K { 1: optional i32 a } struct T { 1: set<set<K>> k }",
            ],
            "t.K#1",
            (Defaulted, Lossy),
        ),
        case(
            "a number with a default becomes an enum",
            [
                "enum E { A } struct K { 1: optional i32 a = 0 } struct T { 1: set<K> k }",
                "enum E { A } struct K { 1: optional E a } struct T { 1: set<K> k }",
            ],
            "t.K#1",
            (Unrecognized, Lossy),
        ),
    ]);
}

#[test]
fn structs_in_keys() {
    uphold(&[
        case(
            "items of a set get a field",
            [
                "struct P { 1: i32 x } struct T { 1: set<P> a }",
                "struct P { 1: i32 x; 2: i32 y } struct T { 1: set<P> a }",
            ],
            "t.P#2",
            (Defaulted, Lossy),
        ),
        case(
            "what keys of a map hold gets a field that must be there",
            [
                "struct P { 1: i32 x } struct K { 1: list<P> p } struct T { 1: map<K, i32> a }",
                "struct P { 1: i32 x; 2: required bool y } struct K { 1: list<P> p } struct T { 1: map<K, i32> a }",
            ],
            "t.P#2",
            (Fails, Lossy),
        ),
        case(
            "a union in a set gets a member",
            [
                "union P { 1: i32 x } struct T { 1: set<P> a }",
                "union P { 1: i32 x; 2: string y } struct T { 1: set<P> a }",
            ],
            "t.P#2",
            (Safe, Lossy),
        ),
        case(
            "a field of items of a set gets a default",
            [
                "struct P { 1: i32 x; 2: optional bool y } struct T { 1: set<P> a }",
                "struct P { 1: i32 x; 2: optional bool y = false } struct T { 1: set<P> a }",
            ],
            "t.P#2",
            (Lossy, Defaulted),
        ),
        case(
            "what items of a set always have need not be there",
            [
                "struct P { 1: required i32 x } struct T { 1: set<P> a }",
                "struct P { 1: i32 x } struct T { 1: set<P> a }",
            ],
            "t.P#1",
            (Safe, Safe),
        ),
        case(
            "values of a map get a field",
            [
                "struct P { 1: i32 x } struct T { 1: map<i32, P> a }",
                "struct P { 1: i32 x; 2: i32 y } struct T { 1: map<i32, P> a }",
            ],
            "t.P#2",
            (Defaulted, Safe),
        ),
    ]);
}

#[test]
fn values_that_cannot_differ_in_keys() {
    uphold(&[
        case(
            "a union in a set gets a member that has one value",
            [
                "enum E { A } union P { 1: i32 x } struct T { 1: set<P> a }",
                "enum E { A } union P { 1: i32 x; 2: E y } struct T { 1: set<P> a }",
            ],
            "t.P#2",
            (Safe, Unrecognized),
        ),
        case(
            "items of a set get an enum whose only value is its default",
            [
                "enum E { A } struct P { 1: i32 x } struct T { 1: set<P> a }",
                "enum E { A } struct P { 1: i32 x; 2: optional E y = E.A } struct T { 1: set<P> a }",
            ],
            "t.P#2",
            (Defaulted, Safe),
        ),
        case(
            "items of a set get an enum of one value that may be absent",
            [
                "enum E { A } struct P { 1: i32 x } struct T { 1: set<P> a }",
                "enum E { A } struct P { 1: i32 x; 2: optional E y } struct T { 1: set<P> a }",
            ],
            "t.P#2",
            (Defaulted, Lossy),
        ),
    ]);
}

#[test]
fn what_fails_in_a_key_is_told_of_the_key() {
    uphold(&[case(
        "a union takes the place of keys that require something, and values are structs as well",
        [
            "struct A { 2: required i32 x } struct V { 2: i64 y } union B {} struct T { 1: map<A, V> a }",
            "struct A { 2: required i32 x } struct V { 2: i64 y } union B {} struct T { 1: map<B, V> a }",
        ],
        "t.T#1",
        // Keys that differ in what the union lacks are one key.
        (Lossy, Fails),
    )]);
}

#[test]
fn structs_that_take_the_place_of_others_in_keys() {
    uphold(&[
        case(
            "other structs take the place of the items of a set",
            [
                "struct A { 1: i32 x; 2: optional i32 y } struct B { 1: i32 x } struct T { 1: set<A> a }",
                "struct A { 1: i32 x; 2: optional i32 y } struct B { 1: i32 x } struct T { 1: set<B> a }",
            ],
            "t.T#1",
            (Lossy, Defaulted),
        ),
        case(
            "other structs take the place of keys",
            [
                "struct A { 1: i32 x; 2: optional i32 y } struct B { 1: i32 x } struct T { 1: map<A, i32> a }",
                "struct A { 1: i32 x; 2: optional i32 y } struct B { 1: i32 x } struct T { 1: map<B, i32> a }",
            ],
            "t.T#1",
            (Lossy, Defaulted),
        ),
    ]);
}

#[test]
fn types_of_fields() {
    uphold(&[
        case(
            "a number is widened",
            ["struct T { 1: i32 a; 2: i32 b }", "struct T { 1: i64 a; 2: i32 b }"],
            "t.T#1",
            (Lossy, Lossy),
        ),
        case(
            "a required number is widened",
            ["struct T { 1: required i32 a }", "struct T { 1: required i64 a }"],
            "t.T#1",
            (Fails, Fails),
        ),
        case("a text becomes bytes", ["struct T { 1: string a }", "struct T { 1: binary a }"], "t.T#1", (Safe, Fails)),
        case(
            "a list becomes a set",
            ["struct T { 1: list<i32> a }", "struct T { 1: set<i32> a }"],
            "t.T#1",
            (Lossy, Lossy),
        ),
        case(
            "a value becomes a list",
            ["struct T { 1: i32 a }", "struct T { 1: list<i32> a }"],
            "t.T#1",
            (Lossy, Lossy),
        ),
        case(
            "a number becomes an enum",
            ["enum E { A = 1 } struct T { 1: i32 a }", "enum E { A = 1 } struct T { 1: E a }"],
            "t.T#1",
            (Unrecognized, Safe),
        ),
    ]);
}

#[test]
fn two_fields_that_change_places_are_both_misread() {
    let observed = observe("struct T { 1: i32 a; 2: i32 b }", "struct T { 2: i32 a; 1: i32 b }");
    assert_eq!(outcomes(&observed, "t.T@a"), (Wrong, Wrong));
    assert_eq!(outcomes(&observed, "t.T@b"), (Wrong, Wrong));
}

#[test]
fn a_field_without_an_id_pushes_the_ones_after_it() {
    let observed = observe("struct T { i32 a, i32 b }", "struct T { i32 a, i32 d, i32 b }");
    assert_eq!(outcomes(&observed, "t.T@b"), (Wrong, Wrong));
}

#[test]
fn elements_of_containers() {
    uphold(&[
        case(
            "the items of a list are widened",
            ["struct T { 1: list<i32> a; 2: i32 b }", "struct T { 1: list<i64> a; 2: i32 b }"],
            "t.T#1",
            (Wrong, Wrong),
        ),
        case(
            "the keys of a map are widened",
            ["struct T { 1: map<i32, string> a; 2: i32 b }", "struct T { 1: map<i64, string> a; 2: i32 b }"],
            "t.T#1",
            (Fails, Wrong),
        ),
        case(
            "the values of a map become structs",
            [
                "struct A { 1: i32 x } struct T { 1: map<string, string> a; 2: i32 b }",
                "struct A { 1: i32 x } struct T { 1: map<string, A> a; 2: i32 b }",
            ],
            "t.T#1",
            (Fails, Fails),
        ),
        case(
            "the items of an inner list are text, then bytes",
            ["struct T { 1: list<set<string>> a }", "struct T { 1: list<set<binary>> a }"],
            "t.T#1",
            (Safe, Fails),
        ),
        case(
            "a list in a struct in a list changes",
            [
                "struct A { 1: list<i64> x } struct T { 1: list<A> a; 2: i32 b }",
                "struct A { 1: list<i32> x } struct T { 1: list<A> a; 2: i32 b }",
            ],
            "t.A#1",
            (Wrong, Fails),
        ),
        case(
            "a list in a list becomes a set, and its enum another",
            [
                "enum E { A = 4 } enum F { B = 6 } struct T { 1: list<list<E>> a }",
                "enum E { A = 4 } enum F { B = 6 } struct T { 1: list<set<F>> a }",
            ],
            "t.T#1",
            (Lossy, Unrecognized),
        ),
        case(
            "a set in a map becomes a list, and its struct another",
            [
                "struct A { 1: i32 a } struct B { 1: string b } struct T { 1: map<i32, set<A>> a }",
                "struct A { 1: i32 a } struct B { 1: string b } struct T { 1: map<i32, list<B>> a }",
            ],
            "t.T#1",
            (Lossy, Lossy),
        ),
    ]);
}

#[test]
fn requiredness_and_defaults() {
    uphold(&[
        case(
            "required becomes optional",
            ["struct T { 1: required i32 a }", "struct T { 1: optional i32 a }"],
            "t.T#1",
            (Safe, Fails),
        ),
        case(
            "required becomes neither",
            ["struct T { 1: required i32 a }", "struct T { 1: i32 a }"],
            "t.T#1",
            (Safe, Safe),
        ),
        case(
            "optional becomes neither",
            ["struct T { 1: optional i32 a }", "struct T { 1: i32 a }"],
            "t.T#1",
            (Safe, Safe),
        ),
        case(
            "the default of a field that is always written changes",
            ["struct T { 1: i32 a = 1 }", "struct T { 1: i32 a = 2 }"],
            "t.T#1",
            (Safe, Safe),
        ),
        case(
            "the default of an optional field changes",
            ["struct T { 1: optional i32 a = 1 }", "struct T { 1: optional i32 a = 2 }"],
            "t.T#1",
            (Wrong, Wrong),
        ),
        case(
            "an optional field gets a default",
            ["struct T { 1: optional i32 a }", "struct T { 1: optional i32 a = 2 }"],
            "t.T#1",
            (Defaulted, Defaulted),
        ),
    ]);
}

#[test]
fn structs_and_unions() {
    uphold(&[
        case(
            "another struct with more fields",
            [
                "struct A { 1: i32 x } struct B { 1: i32 x; 2: optional i32 y } struct T { 1: A a }",
                "struct A { 1: i32 x } struct B { 1: i32 x; 2: optional i32 y } struct T { 1: B a }",
            ],
            "t.T#1",
            (Defaulted, Safe),
        ),
        case(
            "another struct with a field of another type",
            [
                "struct A { 1: i32 x } struct B { 1: string x } struct T { 1: A a }",
                "struct A { 1: i32 x } struct B { 1: string x } struct T { 1: B a }",
            ],
            "t.T#1",
            (Lossy, Lossy),
        ),
        case(
            "a struct becomes a union",
            [
                "struct A { 1: optional i32 x; 2: optional i32 y } struct T { 1: A a }",
                "union A { 1: i32 x; 2: i32 y } struct T { 1: A a }",
            ],
            "sort:t.A",
            (Fails, Safe),
        ),
        case(
            "a union gets a member",
            ["union A { 1: i32 x } struct T { 1: A a }", "union A { 1: i32 x; 2: string y } struct T { 1: A a }"],
            "t.A#2",
            (Safe, Unrecognized),
        ),
        case(
            "a member of a union gets another type",
            ["union A { 1: i32 x; 2: i32 y }", "union A { 1: i64 x; 2: i32 y }"],
            "t.A#1",
            (Lossy, Lossy),
        ),
    ]);
}

#[test]
fn enums() {
    uphold(&[
        case(
            "a value comes",
            ["enum E { X = 0, Y = 1 } struct T { 1: E a }", "enum E { X = 0, Y = 1, Z = 2 } struct T { 1: E a }"],
            "t.E#2",
            (Safe, Unrecognized),
        ),
        case(
            "a value moves to a free number",
            ["enum E { X = 0, Y = 1 } struct T { 1: E a }", "enum E { X = 0, Y = 2 } struct T { 1: E a }"],
            "t.E@Y",
            (Lossy, Lossy),
        ),
        case(
            "a value is renamed",
            ["enum E { X = 0, Y = 1 } struct T { 1: E a }", "enum E { X = 0, Z = 1 } struct T { 1: E a }"],
            "t.E#1",
            (Safe, Safe),
        ),
        case(
            "a value is put in the middle",
            ["enum E { X, Y } struct T { 1: E a }", "enum E { X, Z, Y } struct T { 1: E a }"],
            "t.E@Y",
            (Wrong, Wrong),
        ),
    ]);
}

#[test]
fn functions() {
    uphold(&[
        case(
            "a required argument comes",
            ["service S { i32 m(1: i32 a) }", "service S { i32 m(1: i32 a, 2: required i32 b) }"],
            "t.S.m() arguments#2",
            (Fails, Safe),
        ),
        case(
            "the return type changes",
            ["service S { i32 m(1: i32 a) }", "service S { i64 m(1: i32 a) }"],
            "t.S.m() result#0",
            (Fails, Fails),
        ),
        case(
            "a function returns something now",
            ["service S { void m() }", "service S { i64 m() }"],
            "t.S.m() result#0",
            (Fails, Safe),
        ),
        case(
            "an exception comes where a value is returned",
            [
                "exception X { 1: string m } service S { i32 m() throws (1: X x) }",
                "exception X { 1: string m } service S { i32 m() throws (1: X x, 2: X y) }",
            ],
            "t.S.m() result#2",
            (Safe, Fails),
        ),
        case(
            "an exception comes where nothing is returned",
            [
                "exception X { 1: string m } service S { void m() }",
                "exception X { 1: string m } service S { void m() throws (1: X x) }",
            ],
            "t.S.m() result#1",
            (Safe, Wrong),
        ),
    ]);
}

#[test]
fn witnesses_say_the_protocol_and_other_readers_are_told_of_where_they_differ() {
    let observed = observe("struct T { 1: i32 a; 2: i32 b }", "struct T { 1: i64 a; 2: i32 b }");
    let of = |runtime| {
        let mut seen = observed.observations.iter();
        seen.find(|seen| seen.runtime == runtime && seen.direction == Direction::Backward).expect("it was observed")
    };
    let decided = of(SPEC);
    assert_eq!(decided.witness.type_name, "t.T (binary protocol)");
    assert_eq!(decided.witness.wrote.to_string(), r#"{"a":1,"b":1}"#);
    assert_eq!(decided.witness.read.to_string(), r#"{"b":1}"#);
    assert_eq!(decided.outcome, Lossy);
    assert!(of(observer::NAME).outcome >= Fails, "the next header is taken for a part of the number");
}

#[test]
fn the_same_on_both_sides_is_not_written() {
    let text = "enum E { A } struct T { 1: E a; 2: required list<T> b } service S { T m(1: T t) }";
    assert_eq!(observe(text, text), Observed::default());
}

#[test]
fn what_changed_is_exercised_in_both_directions() {
    let observed = observe("struct T { 1: i32 a; 2: i32 b }", "struct T { 1: i64 a; 3: i32 c; 2: i32 b }");
    let exercised: Vec<String> = observed.exercised.iter().map(|(id, _, to)| format!("{id} {to}")).collect();
    assert_eq!(exercised, ["t.T#1 backward", "t.T#1 forward", "t.T#3 backward", "t.T#3 forward"]);
}

#[test]
fn a_default_that_changed_is_shown_where_nothing_was_written() {
    let observed = observe(
        "enum E { A = 1 } struct T { 1: optional E a = E.A; 2: optional i32 b = 1 }",
        "enum E { A = 1 } struct T { 1: optional E a = E.A; 2: optional i32 b = 2 }",
    );
    let seen = observed.observations.first().expect("it was observed");
    assert_eq!(seen.witness.wrote.to_string(), r#"{"b (default)":1}"#);
    assert_eq!(seen.witness.read.to_string(), r#"{"b (default)":2}"#);
}

#[test]
fn wide_structs_are_read_without_writing_the_square_of_their_width() {
    for requiredness in ["", "optional", "required"] {
        let fields = |ty: &str| (1..1500).map(|id| format!("{id}: {requiredness} {ty} f{id};")).collect::<String>();
        let side = |ty: &str| format!("struct T {{ {} }}", fields(ty));
        let observed = observe(&side("i32"), &side("string"));
        assert!(observed.messages < 65_000, "{requiredness}: {}", observed.messages);
        let bytes: usize = observed.observations.iter().map(|seen| seen.witness.bytes.len()).sum();
        assert!(bytes < 1 << 25, "{requiredness}: {bytes}");
        for direction in DIRECTIONS {
            let of = observed.observations.iter().filter(|seen| seen.runtime == SPEC && seen.direction == direction);
            let seen: FxHashSet<&str> = of.map(|seen| seen.identity.0.as_str()).collect();
            let unseen = (1..1500).filter(|id| !seen.contains(format!("t.T#{id}").as_str()));
            assert_eq!(
                unseen.collect::<Vec<_>>(),
                Vec::<i32>::new(),
                "{requiredness} {direction} {:?}",
                observed.left_out
            );
        }
    }
}

#[test]
fn what_is_accepted_is_written_and_read_again() {
    let program =
        "enum E { A } union U { 1: i32 a; 2: list<U> b } struct T { 1: U u; 2: map<double, set<E>> m; 3: bool b }";
    let accepted =
        [&[12, 0, 1, 8, 0, 1, 0, 0, 0, 5, 0, 2, 0, 3, 1, 0][..], &[0x1c, 0x29, 0x1c, 0x15, 8, 0, 0, 0x21, 0], &[0]];
    for bytes in accepted {
        assert!(crate::formats::thrift::reread(program, "fuzz.T", bytes), "{bytes:?}");
    }
    assert!(!crate::formats::thrift::reread(program, "fuzz.T", &[12, 0]));
}

#[test]
fn nothing_is_said_of_types_that_are_not_looked_into() {
    let observed =
        observe("struct T { 1: float a; 2: i32 b; 3: string c }", "struct T { 1: i32 a; 2: i64 b; 3: float c }");
    let exercised: Vec<String> = observed.exercised.iter().map(|(id, _, to)| format!("{id} {to}")).collect();
    assert_eq!(exercised, ["t.T#2 backward", "t.T#2 forward"]);
    assert_eq!(observed.left_out.len(), 2, "{:?}", observed.left_out);
}
