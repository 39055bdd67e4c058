use super::super::stage::JAVA;
use super::*;
use crate::evidence::{Direction, Observation, Outcome, SPEC, Surface};
use crate::formats::avro::Avro;
use crate::formats::check::CheckOptions;
use crate::formats::frame::check;
use crate::snapshot::Snapshot;
use crate::syntax::problem::{Problem, Severity};

use Outcome::{Defaulted, Fails, Lossy, Safe, Unrecognized, Wrong};

fn observe_as(file: &str, sides: Pair<&str>) -> Observed {
    let sides = sides.map(|text| Snapshot::from_files([(file, text.as_bytes())]));
    let checked = check::<Avro>(sides.as_ref(), &CheckOptions::default());
    let is_error = |problem: &Problem| problem.severity == Severity::Error;
    assert!(!checked.problems.old.iter().chain(&checked.problems.new).any(is_error), "{:?}", checked.problems);
    checked.observed
}

fn observe(sides: Pair<&str>) -> Observed {
    observe_as("t.avsc", sides)
}

/// The worst per direction for one identity on one surface; nothing where it was not exercised.
fn outcomes(observed: &Observed, identity: &str, surface: Surface, runtime: &str) -> Option<(Outcome, Outcome)> {
    let of = |direction| {
        let is_meant = |seen: &&Observation| {
            (seen.identity.0.as_str(), seen.surface, seen.direction, seen.runtime)
                == (identity, surface, direction, runtime)
        };
        let is_exercised =
            observed.exercised.iter().any(|(of, on, to)| (of.0.as_str(), *on, *to) == (identity, surface, direction));
        let worst = observed.observations.iter().filter(is_meant).map(|seen| seen.outcome).max();
        is_exercised.then_some(worst.unwrap_or(Safe))
    };
    of(Direction::Backward).zip(of(Direction::Forward))
}

fn record(fields: &str) -> String {
    format!(r#"{{"type":"record","name":"M","fields":[{fields}]}}"#)
}

fn field(schema: &str) -> String {
    record(&format!(r#"{{"name":"a","type":{schema}}}"#))
}

/// A change of a schema, and what readers see of it, backward and forward.
struct Case {
    what: &'static str,
    sides: [String; 2],
    identity: &'static str,
    expected: (Outcome, Outcome),
}

fn case(what: &'static str, sides: [String; 2], identity: &'static str, expected: (Outcome, Outcome)) -> Case {
    Case { what, sides, identity, expected }
}

/// Every case in both directions, and with the versions exchanged.
fn uphold(cases: impl IntoIterator<Item = Case>) {
    let mut broken = Vec::new();
    for case in cases {
        let sides = Pair::new(&*case.sides[0], &*case.sides[1]);
        let mirrored = match case.identity.split_once('>') {
            Some((old, new)) => format!("{new}>{old}"),
            None => case.identity.to_owned(),
        };
        let swapped = (case.expected.1, case.expected.0);
        let both = [(sides, case.identity, case.expected), (sides.mirrored(), &*mirrored, swapped)];
        for (sides, identity, expected) in both {
            let observed = observe(sides);
            for surface in [Surface::Wire, Surface::Json] {
                let seen = outcomes(&observed, identity, surface, SPEC);
                if seen != Some(expected) {
                    let told: Vec<_> = observed
                        .observations
                        .iter()
                        .map(|seen| (&seen.identity.0, seen.runtime, seen.direction, seen.outcome))
                        .collect();
                    broken.push(format!(
                        "{}: `{identity}` {surface} {seen:?} instead of {expected:?}; {told:?}; {:?}",
                        case.what, observed.exercised
                    ));
                }
            }
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

#[test]
fn fields_that_come_and_go_are_told_by_who_has_them() {
    let one = || record(r#"{"name":"a","type":"int"}"#);
    let two = |more: &str| record(&format!(r#"{{"name":"a","type":"int"}},{{"name":"b","type":"int"{more}}}"#));
    uphold([
        case("a field with a default is added", [one(), two(r#","default":7"#)], "M#b", (Defaulted, Safe)),
        case("a field without a default is added", [one(), two("")], "M#b", (Fails, Safe)),
        case(
            "a field is renamed with an alias",
            [one(), record(r#"{"name":"b","type":"int","aliases":["a"]}"#)],
            "M#a>M#b",
            (Safe, Fails),
        ),
        case(
            "a field with a default is renamed with an alias",
            [
                record(r#"{"name":"a","type":"int","default":7}"#),
                record(r#"{"name":"b","type":"int","aliases":["a"],"default":7}"#),
            ],
            "M#a>M#b",
            (Safe, Lossy),
        ),
        case(
            "a field is renamed without an alias",
            [one(), record(r#"{"name":"b","type":"int"}"#)],
            "M#a",
            (Safe, Fails),
        ),
    ]);
}

const PRIMITIVES: [&str; 8] = ["null", "boolean", "int", "long", "float", "double", "bytes", "string"];

/// What a reader of the second type sees of the first, by the specification.
fn by_the_rules(written: &str, read: &str) -> Outcome {
    match (written, read) {
        ("int", "long" | "double") | ("float", "double") | ("string", "bytes") => Safe,
        ("int", "float") | ("long", "float" | "double") => Wrong,
        _ if written == read => Safe,
        _ => Fails,
    }
}

#[test]
fn every_pair_of_primitive_types_comes_out_as_the_specification_says() {
    let pairs = PRIMITIVES.iter().flat_map(|old| PRIMITIVES.map(|new| (*old, new))).filter(|(old, new)| old < new);
    type Around = fn(&str) -> String;
    let positions: [(&str, Around); 4] = [
        ("M#a", |schema| field(&format!("\"{schema}\""))),
        ("M#a[]", |schema| field(&format!(r#"{{"type":"array","items":"{schema}"}}"#))),
        ("M#a{}", |schema| field(&format!(r#"{{"type":"map","values":"{schema}"}}"#))),
        ("t.avsc", |schema| format!("\"{schema}\"")),
    ];
    for (identity, around) in positions {
        uphold(pairs.clone().map(|(old, new)| {
            case("primitive", [around(old), around(new)], identity, (by_the_rules(old, new), by_the_rules(new, old)))
        }));
    }
}

#[test]
fn unions_are_told_branch_by_branch_where_both_sides_have_one() {
    let sides = |old: &str, new: &str| [field(old), field(new)];
    uphold([
        case("a branch added", sides(r#"["null","string"]"#, r#"["null","string","int"]"#), "M#a|int", (Safe, Fails)),
        case(
            "a branch removed that another takes",
            sides(r#"["null","int","long"]"#, r#"["null","long"]"#),
            "M#a|int",
            (Safe, Safe),
        ),
        case(
            "a branch replaced",
            sides(r#"["null","int"]"#, r#"["null","string"]"#),
            "M#a|int>M#a|string",
            (Fails, Fails),
        ),
        case("a branch widened", sides(r#"["null","int"]"#, r#"["null","long"]"#), "M#a|int>M#a|long", (Safe, Fails)),
        case(
            "a branch rounded",
            sides(r#"["null","long"]"#, r#"["null","double"]"#),
            "M#a|long>M#a|double",
            (Wrong, Fails),
        ),
        case("branches in another order", sides(r#"["null","int"]"#, r#"["int","null"]"#), "M#a", (Safe, Safe)),
        case("made optional", sides(r#""int""#, r#"["null","int"]"#), "M#a", (Safe, Fails)),
        case("made optional and widened", sides(r#""int""#, r#"["null","long"]"#), "M#a", (Safe, Fails)),
        case("made optional as something else", sides(r#""int""#, r#"["null","string"]"#), "M#a", (Fails, Fails)),
        case(
            "items of a branch",
            sides(r#"["null",{"type":"array","items":"int"}]"#, r#"["null",{"type":"array","items":"long"}]"#),
            "M#a|array[]",
            (Safe, Fails),
        ),
        case(
            "made optional, with items of another type",
            sides(r#"{"type":"array","items":"int"}"#, r#"["null",{"type":"array","items":"string"}]"#),
            "M#a[]>M#a|array[]",
            (Fails, Fails),
        ),
        case(
            "another structure",
            sides(r#"{"type":"array","items":"int"}"#, r#"{"type":"map","values":"int"}"#),
            "M#a",
            (Fails, Fails),
        ),
    ]);
}

#[test]
fn enums_are_told_symbol_by_symbol() {
    let named = |symbols: &str, more: &str| format!(r#"{{"type":"enum","name":"E","symbols":[{symbols}]{more}}}"#);
    let two = |more: &str| named(r#""A","B""#, more);
    let three = |more: &str| named(r#""A","B","C""#, more);
    let default = r#","default":"A""#;
    uphold([
        case("a symbol added", [two(""), three("")], "E=C", (Safe, Fails)),
        case("a symbol added to an enum with a default", [two(default), three(default)], "E=C", (Safe, Unrecognized)),
        case("in a record", [field(&two(default)), field(&three(default))], "E=C", (Safe, Unrecognized)),
        case(
            "in an optional field",
            [field(&format!("[\"null\",{}]", two(""))), field(&format!("[\"null\",{}]", three("")))],
            "E=C",
            (Safe, Fails),
        ),
        case("symbols in another order", [two(""), named(r#""B","A""#, "")], "E", (Safe, Safe)),
        case("a default gained", [two(""), two(default)], "E", (Safe, Safe)),
    ]);
}

#[test]
fn names_are_told_and_what_is_inside_is_seen_nonetheless() {
    let named = |name: &str, more: &str, ty: &str| {
        format!(r#"{{"type":"record","name":"{name}"{more},"fields":[{{"name":"a","type":"{ty}"}}]}}"#)
    };
    let inside = |record: &str| field(&format!("[\"null\",{record}]"));
    let renamed = || [named("Old", "", "long"), named("New", "", "double")];
    let bridged = || [named("Old", "", "long"), named("New", r#","aliases":["Old"]"#, "double")];
    uphold([
        case("renamed", renamed(), "Old>New", (Fails, Fails)),
        case("renamed, inside", renamed(), "Old#a>New#a", (Wrong, Fails)),
        case("renamed in a union", renamed().map(|record| inside(&record)), "Old>New", (Fails, Fails)),
        case("renamed in a union, inside", renamed().map(|record| inside(&record)), "Old#a>New#a", (Wrong, Fails)),
        case("renamed with an alias", bridged(), "Old>New", (Safe, Fails)),
        case("renamed with an alias, inside", bridged(), "Old#a>New#a", (Wrong, Fails)),
        case("in another namespace", [named("x.M", "", "long"), named("y.M", "", "long")], "x.M>y.M", (Safe, Safe)),
        case(
            "another size",
            [4, 8].map(|size| field(&format!(r#"{{"type":"fixed","name":"F","size":{size}}}"#))),
            "F",
            (Fails, Fails),
        ),
    ]);
}

#[test]
fn what_values_mean_by_their_logical_types_is_compared() {
    let logical = |ty: &str, name: &str| field(&format!(r#"{{"type":"{ty}","logicalType":"{name}"}}"#));
    let decimal = |precision: u32, scale: u32| {
        field(&format!(r#"{{"type":"bytes","logicalType":"decimal","precision":{precision},"scale":{scale}}}"#))
    };
    let millis = || logical("long", "timestamp-millis");
    uphold([
        case("another unit", [millis(), logical("long", "timestamp-micros")], "M#a", (Wrong, Wrong)),
        case("another meaning", [millis(), logical("long", "local-timestamp-millis")], "M#a", (Wrong, Wrong)),
        case("gone", [millis(), field("\"long\"")], "M#a", (Safe, Safe)),
        case("a date becomes a moment", [logical("int", "date"), millis()], "M#a", (Wrong, Fails)),
        case("another scale", [decimal(9, 2), decimal(9, 3)], "M#a", (Wrong, Wrong)),
        case("another precision", [decimal(9, 2), decimal(12, 2)], "M#a", (Safe, Safe)),
        case(
            "in a branch",
            [
                field(r#"["null",{"type":"long","logicalType":"timestamp-millis"}]"#),
                field(r#"["null",{"type":"long","logicalType":"timestamp-micros"}]"#),
            ],
            "M#a|long",
            (Wrong, Wrong),
        ),
        case(
            "made optional",
            [
                field(r#"{"type":"long","logicalType":"timestamp-millis"}"#),
                field(r#"["null",{"type":"long","logicalType":"timestamp-micros"}]"#),
            ],
            "M#a>M#a|long",
            (Wrong, Wrong),
        ),
    ]);
}

#[test]
fn one_failure_does_not_hide_another() {
    let inner =
        |more: &str| format!(r#"{{"type":"record","name":"Inner","fields":[{{"name":"x","type":"int"}}{more}]}}"#);
    let outer = |inner: &str, ty: &str, more: &str| {
        record(&format!(r#"{{"name":"in","type":{inner}}},{{"name":"n","type":"{ty}"}}{more}"#))
    };
    let sides = || {
        let added = r#",{"name":"b","type":"int"},{"name":"c","type":"int"},{"name":"d","type":"int","default":1}"#;
        [outer(&inner(""), "long", ""), outer(&inner(r#",{"name":"y","type":"int"}"#), "double", added)]
    };
    uphold([
        case("the first", sides(), "M#b", (Fails, Safe)),
        case("the second", sides(), "M#c", (Fails, Safe)),
        case("a default beside them", sides(), "M#d", (Defaulted, Safe)),
        case("a rounded number beside them", sides(), "M#n", (Wrong, Fails)),
        case("inside a record below", sides(), "Inner#y", (Fails, Safe)),
    ]);
}

#[test]
fn java_takes_null_for_an_empty_map_where_a_map_comes_first() {
    let with =
        |union: &str| record(&format!(r#"{{"name":"a","type":"int"}},{{"name":"b","type":{union},"default":null}}"#));
    let read = |union: &str| {
        let observed = observe(Pair::new(&record(r#"{"name":"a","type":"int"}"#), &with(union)));
        [SPEC, JAVA].map(|runtime| outcomes(&observed, "M#b", Surface::Wire, runtime).map(|(backward, _)| backward))
    };
    let map = r#"{"type":"map","values":"int"}"#;
    assert_eq!(read(&format!(r#"[{map},"null"]"#)), [Some(Defaulted), Some(Wrong)]);
    assert_eq!(read(&format!(r#"["int",{map},"null"]"#)), [Some(Defaulted), Some(Wrong)]);
    assert_eq!(read(&format!(r#"["null",{map}]"#)), [Some(Defaulted), Some(Safe)]);
    assert_eq!(read(r#"["int","null"]"#), [Some(Defaulted), Some(Safe)]);
}

#[test]
fn java_makes_defaults_of_the_first_branch_that_may_be_meant() {
    let read = |ty: &str, default: &str| {
        let added = record(&format!(r#"{{"name":"a","type":"int"}},{{"name":"b","type":{ty},"default":{default}}}"#));
        let observed = observe(Pair::new(&record(r#"{"name":"a","type":"int"}"#), &added));
        outcomes(&observed, "M#b", Surface::Wire, JAVA).map(|(backward, _)| backward)
    };
    let inner = |fields: &str| format!(r#"{{"type":"record","name":"T","fields":[{fields}]}}"#);
    let list = r#"{"type":"array","items":"int"}"#;
    let holds = |ty: &str| format!(r#"{{"type":"array","items":{ty}}}"#);
    // Measured with 1.12.0, 1.12.1 and 1.12.2; an empty list in a union fails with 1.12.1 alone.
    for (ty, default, expected) in [
        (format!("[{},\"int\"]", inner("")), "7", Wrong),
        (format!("[{},\"int\"]", inner(r#"{"name":"x","type":"int","default":3}"#)), "7", Wrong),
        (format!("[{},\"int\"]", inner(r#"{"name":"x","type":"int"}"#)), "7", Fails),
        (r#"[{"type":"map","values":"int"},"int"]"#.to_owned(), "7", Wrong),
        (r#"[{"type":"enum","name":"T","symbols":["A"]},"string"]"#.to_owned(), r#""B""#, Fails),
        (r#"["int","long"]"#.to_owned(), "4000000000", Wrong),
        (r#"["int","double"]"#.to_owned(), "1.5", Wrong),
        (r#"["string","bytes"]"#.to_owned(), r#""x""#, Safe),
        (format!("[{list}]"), "[]", Fails),
        (format!("[\"null\",{list}]"), "[]", Fails),
        (format!("[\"null\",{list}]"), "[1]", Safe),
        (list.to_owned(), "[]", Safe),
        (holds(&format!("[{list}]")), "[[]]", Safe),
        (holds(&format!("[{},\"long\"]", inner(""))), "[7]", Wrong),
    ] {
        assert_eq!(read(&ty, default), Some(expected), "{ty} = {default}");
    }
}

#[test]
fn types_that_hold_themselves_come_to_an_end_or_are_said_to_be_left_out() {
    let node = |ty: &str, next: &str| {
        let fields = format!(r#"{{"name":"a","type":"{ty}"}},{{"name":"next","type":{next}}}"#);
        format!(r#"{{"type":"record","name":"Node","fields":[{fields}]}}"#)
    };
    let nexts = [r#"["null","Node"]"#, r#"{"type":"array","items":"Node"}"#, r#"{"type":"map","values":"Node"}"#];
    uphold(nexts.map(|next| case("a node", [node("int", next), node("long", next)], "Node#a", (Safe, Fails))));
    let endless = observe(Pair::new(&node("int", r#""Node""#), &node("long", r#""Node""#)));
    assert_eq!(endless.messages, 0);
    assert_eq!(
        endless.left_out,
        ["synthetic data of `Node`, because it has no value that is finite, small and of known types"]
            .map(str::to_owned)
    );
}

#[test]
fn the_results_of_messages_are_written_too() {
    let protocol = |response: &str, errors: &str| {
        format!(
            r#"{{"protocol":"P","types":[{{"type":"error","name":"E","fields":[]}}],
            "messages":{{"m":{{"request":[],"response":{response},"errors":[{errors}]}}}}}}"#
        )
    };
    let sides = [protocol(r#""long""#, ""), protocol(r#""double""#, r#""E""#)];
    let observed = observe_as("t.avpr", Pair::new(&sides[0], &sides[1]));
    assert_eq!(outcomes(&observed, "P.m()!response", Surface::Wire, SPEC), Some((Wrong, Fails)));
    assert_eq!(outcomes(&observed, "P.m()!errors|E", Surface::Wire, SPEC), Some((Safe, Fails)));
}

#[test]
fn witnesses_are_short_and_say_what_is_wrong() {
    let witness = |old: &str, new: &str, identity: &str, direction: Direction| {
        let observed = observe(Pair::new(old, new));
        let found = observed.observations.iter().find(|seen| {
            (&*seen.identity.0, seen.direction, seen.surface, seen.runtime)
                == (identity, direction, Surface::Wire, SPEC)
        });
        let witness = found.unwrap_or_else(|| panic!("{identity}: {observed:?}")).witness.clone();
        (witness.wrote.to_string(), witness.bytes, witness.read.to_string())
    };
    let text = str::to_owned;
    let (wrote, bytes, read) = witness(&field("\"int\""), &field("\"float\""), "M#a", Direction::Backward);
    assert_eq!((wrote, bytes.len(), read), (text(r#"{"a":16777217}"#), 4, text(r#"{"a":16777216.0}"#)));
    let optional = field(r#"["null","string"]"#);
    assert_eq!(
        witness(&field("\"int\""), &optional, "M#a", Direction::Backward),
        (text(r#"{"a":1}"#), vec![2], text(r#""no branch of [null, string] takes an int""#))
    );
    assert_eq!(
        witness(&record(""), &field("\"int\""), "M#a", Direction::Backward),
        (text("{}"), vec![], text(r#""`a` has no default and the writer does not have it""#))
    );
    let channel = |symbols: &str| format!(r#"{{"type":"enum","name":"Channel","symbols":[{symbols}]}}"#);
    assert_eq!(
        witness(&channel(r#""MAIL","FAX""#), &channel(r#""MAIL""#), "Channel=FAX", Direction::Backward),
        (text(r#""FAX""#), vec![2], text(r#""the enum Channel has no symbol FAX and no default""#))
    );
}

/// What readers that do not decide see on the wire: who, of what, in which direction, how it comes out.
fn illustrations(old: &str, new: &str) -> Vec<(&'static str, String, Direction, Outcome)> {
    let observed = observe(Pair::new(old, new));
    let others = observed.observations.into_iter().filter(|seen| seen.runtime != SPEC && seen.surface == Surface::Wire);
    others.map(|seen| (seen.runtime, seen.identity.0, seen.direction, seen.outcome)).collect()
}

#[test]
fn other_readers_are_told_where_they_fare_otherwise() {
    use Direction::{Backward, Forward};
    let named = |name: &str| format!(r#"{{"type":"record","name":"{name}","fields":[]}}"#);
    let rust = super::super::observer::NAME;
    let both = |runtime, direction| (runtime, "Old>New".to_owned(), direction, Safe);
    assert_eq!(
        illustrations(&named("Old"), &named("New")),
        [both(rust, Backward), both(JAVA, Backward), both(rust, Forward), both(JAVA, Forward)],
        "neither looks at the names of records"
    );
    let renamed = |more: &str| {
        illustrations(
            &record(&format!(r#"{{"name":"a","type":"int"{more}}},{{"name":"c","type":"int"}}"#)),
            &record(&format!(r#"{{"name":"b","type":"int","aliases":["a"]{more}}},{{"name":"c","type":"long"}}"#)),
        )
    };
    let told = |outcome| vec![(rust, "M#a>M#b".to_owned(), Backward, outcome)];
    assert_eq!(renamed(""), told(Fails), "it knows no aliases of fields, and names the field");
    let narrowed = vec![(rust, "M#c".to_owned(), Forward, Safe)];
    let more = [told(Lossy), narrowed].concat();
    assert_eq!(renamed(r#","default":7"#), more, "it takes the default instead, and narrows what fits");
    let zero = |ty: &str| record(&format!(r#"{{"name":"c","type":"{ty}","default":0}}"#));
    let seen = illustrations(&zero("int"), &zero("long"));
    assert!(seen.iter().all(|(.., outcome)| *outcome == Safe), "the default is what was written: {seen:?}");
    assert_eq!(
        illustrations(&field("\"bytes\""), &field("\"string\"")),
        [(JAVA, "M#a".to_owned(), Backward, Wrong)],
        "it replaces what is not UTF-8"
    );
    assert_eq!(illustrations(&field("\"int\""), &field("\"long\"")), []);
}

#[test]
fn what_a_failure_of_the_second_reader_is_blamed_on_is_the_only_thing_it_can_be() {
    let ambiguous = illustrations(
        &record(r#"{"name":"a","type":"int"},{"name":"c","type":"int"}"#),
        &record(
            r#"{"name":"a","type":{"type":"int","logicalType":"date"}},
            {"name":"c","type":{"type":"int","logicalType":"date"}}"#,
        ),
    );
    assert_eq!(ambiguous, [], "its reason names no field, and both changed");
}

#[test]
fn wide_records_are_shown_with_the_field_that_matters() {
    let wide = |last: &str| {
        let fields: Vec<String> = (0..40).map(|at| format!(r#"{{"name":"f{at:02}","type":"int"}}"#)).collect();
        record(&format!(r#"{},{{"name":"last","type":"{last}"}}"#, fields.join(",")))
    };
    let observed = observe(Pair::new(&wide("long"), &wide("double")));
    let seen = observed.observations.iter().find(|seen| seen.direction == Direction::Backward);
    let witness = &seen.expect("it is rounded").witness;
    assert_eq!(witness.read["last"], 9_007_199_254_740_992.0);
    assert_eq!(witness.wrote["…"], "and 28 more fields");
    assert_eq!(witness.wrote.as_object().map(serde_json::Map::len), Some(14));
    assert!(witness.bytes.len() > 40, "the bytes are all there");
}

#[test]
fn the_second_reader_is_not_given_what_it_never_gets_to_the_end_of() {
    let node = |values: &str| {
        let branches = format!(r#"[{{"type":"map","values":{values}}},"Node"]"#);
        let next = format!(r#"{{"name":"a","type":{branches},"default":{{}}}}"#);
        format!(r#"{{"type":"record","name":"Node","fields":[{next}]}}"#)
    };
    let observed = observe(Pair::new(&node("\"int\""), &node("\"long\"")));
    assert_eq!(outcomes(&observed, "Node#a|map{}", Surface::Wire, SPEC), Some((Safe, Fails)));
    assert!(observed.observations.iter().all(|seen| seen.runtime != super::super::observer::NAME));
}

#[test]
fn what_a_logical_type_means_to_each_side_is_shown() {
    let on = |ty: &str, logical: &str| field(&format!(r#"{{"type":"{ty}","logicalType":"{logical}"}}"#));
    let decimal =
        |scale: u32| field(&format!(r#"{{"type":"bytes","logicalType":"decimal","precision":6,"scale":{scale}}}"#));
    let fixed = |scale: u32| {
        let fixed = r#""type":"fixed","name":"F","size":4,"logicalType":"decimal","precision":6"#;
        field(&format!(r#"["null",{{{fixed},"scale":{scale}}}]"#))
    };
    let cases = [
        (
            [on("long", "timestamp-millis"), on("long", "timestamp-micros")],
            ["2020-09-13T12:26:40.123Z", "1970-01-19T12:26:40.000123Z"],
        ),
        (
            [on("long", "timestamp-nanos"), on("long", "local-timestamp-nanos")],
            ["2020-09-13T12:26:40.123456789Z", "2020-09-13T12:26:40.123456789"],
        ),
        ([on("int", "date"), on("long", "timestamp-millis")], ["2020-09-13", "1970-01-01T00:00:18.518Z"]),
        ([on("int", "time-millis"), on("long", "time-micros")], ["12:34:56.789", "00:00:45.296789"]),
        ([decimal(2), decimal(3)], ["12.34", "1.234"]),
        ([fixed(2), fixed(0)], ["12.34", "1234"]),
    ];
    for (sides, [wrote, read]) in cases {
        let observed = observe(Pair::new(&sides[0], &sides[1]));
        let seen = observed
            .observations
            .iter()
            .find(|seen| (seen.runtime, seen.direction, seen.surface) == (SPEC, Direction::Backward, Surface::Wire));
        let seen = seen.expect("the meaning is another one");
        let part = |shown: &serde_json::Value| shown.get("a").unwrap_or(shown).clone();
        assert_eq!((seen.outcome, part(&seen.witness.wrote)), (Wrong, wrote.into()), "{}", sides[0]);
        assert_eq!(part(&seen.witness.read), read, "{}", sides[1]);
    }
}

#[test]
fn wide_records_are_read_without_writing_the_square_of_their_width() {
    let side = |ty: &str| {
        let fields: Vec<String> = (0..800).map(|at| format!(r#"{{"name":"f{at}","type":"{ty}"}}"#)).collect();
        format!(r#"{{"type":"record","name":"R","fields":[{}]}}"#, fields.join(","))
    };
    let observed = observe(Pair::new(&side("long"), &side("float")));
    assert!(observed.messages < 400, "{}", observed.messages);
    let bytes: usize = observed.observations.iter().map(|seen| seen.witness.bytes.len()).sum();
    assert!(bytes < 1 << 26, "{bytes}");
    // Wrong shows in large numbers only, so every field was given every value.
    for at in 0..800 {
        let seen = outcomes(&observed, &format!("R#f{at}"), Surface::Wire, SPEC);
        assert_eq!(seen, Some((Wrong, Fails)), "f{at}");
    }
    assert!(observed.partly.is_empty() && !observed.exercised.is_empty());
}
