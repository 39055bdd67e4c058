use super::super::codec;
use super::super::pairing::TypePair;
use super::super::stage::completed;
use super::super::verify::{self, How};
use super::*;
use crate::evidence::Outcome;
use crate::formats::check::CheckOptions;
use crate::formats::flatbuffers::Flatbuffers;
use crate::formats::frame::Parsed;
use crate::formats::roundtrip::written as written_by;
use crate::snapshot::Snapshot;

use Outcome::{Defaulted, Fails, Lossy, Safe, Unrecognized, Wrong};

/// Probes all types of one name (or those given as roots), as if the identities given had changed.
fn observe(sides: [&str; 2], changed: &[&str]) -> Observed {
    let [old, new] = sides.map(|text| Snapshot::from_files([("s.fbs", text.as_bytes())]));
    let options = CheckOptions::default();
    let parsed = Parsed::<Flatbuffers>::new(Pair::new(&old, &new), &options);
    let linked = parsed.link();
    let problems = [&linked.sides.old.problems, &linked.sides.new.problems];
    assert!(problems.iter().all(|problems| problems.is_empty()), "{problems:?}");
    let schemas = linked.schemas();
    let mut pairs = Pairs::default();
    for (number, object) in schemas.old.objects.iter().enumerate() {
        let Some(news) = schemas.new.objects_by_name.get(&object.full_name) else { continue };
        let types = Pair::new(ObjectId(number as u32), news[0]);
        pairs.objects.push(TypePair { types, changed: true });
    }
    for (number, one) in schemas.old.enums.iter().enumerate() {
        let Some(news) = schemas.new.enums_by_name.get(&one.full_name) else { continue };
        let types = Pair::new(EnumId(number as u32), news[0]);
        pairs.enums.push(TypePair { types, changed: true });
    }
    let identities: Vec<Identity> = changed.iter().map(|text| Identity((*text).to_owned())).collect();
    probe_changed(schemas, &pairs, identities.iter().collect(), &Division::default())
}

/// The worst per direction, backward and forward, and what it was seen of.
fn worst(observed: &Observed) -> [(Outcome, Vec<String>); 2] {
    DIRECTIONS.map(|direction| {
        let seen = observed.observations.iter().filter(|seen| seen.direction == direction);
        let outcome = seen.clone().map(|seen| seen.outcome).max().unwrap_or(Safe);
        let of = seen.filter(|seen| seen.outcome == outcome && outcome > Defaulted);
        (outcome, of.map(|seen| seen.identity.0.clone()).collect())
    })
}

/// Sides, what changed, and the worst outcomes backward and forward.
type Case = ([&'static str; 2], &'static [&'static str], (Outcome, Outcome));

fn uphold(cases: &[Case]) {
    let mut broken = Vec::new();
    for (sides, changed, expected) in cases {
        let [backward, forward] = worst(&observe(*sides, changed));
        if (backward.0, forward.0) != *expected {
            broken.push(format!("{sides:?}: {backward:?} {forward:?} instead of {expected:?}"));
        }
        let unexplained = backward.1.iter().chain(&forward.1).filter(|identity| !changed.contains(&identity.as_str()));
        broken.extend(unexplained.map(|identity| format!("{sides:?}: {identity} did not change")));
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

#[test]
fn fields_of_tables() {
    uphold(&[
        (["table T{a:int=1;b:int;} root_type T;", "table T{a:int=2;b:int;} root_type T;"], &["T#0"], (Wrong, Wrong)),
        (["table T{a:int;b:int;}", "table T{a:int;b:int;c:int=5;}"], &["T#2"], (Defaulted, Safe)),
        (["table T{a:int;b:int;}", "table T{a:int(id:1);b:int(id:0);}"], &["T@a", "T@b"], (Wrong, Wrong)),
        (["table T{a:int;b:int;c:int;}", "table T{a:int;c:int;}"], &["T#1", "T@c"], (Wrong, Wrong)),
        (["table T{a:int;b:int;}", "table T{a:long;b:int;}"], &["T#0"], (Wrong, Wrong)),
        (["table T{a:bool;b:int;}", "table T{a:ubyte;b:int;}"], &["T#0"], (Safe, Wrong)),
        (["table T{a:int;b:int;}", "table T{a:[int];b:int;}"], &["T#0"], (Fails, Wrong)),
        (["table T{a:string;b:int;}", "table T{a:[ubyte];b:int;}"], &["T#0"], (Safe, Fails)),
        (["table T{a:[int];b:int;}", "table T{a:[long];b:int;}"], &["T#0"], (Fails, Wrong)),
        (["table T{a:string(required);b:int;}", "table T{a:string;b:int;}"], &["T#0"], (Safe, Fails)),
        (["table T{a:string(required);b:int;}", "table T{a:string(deprecated);b:int;}"], &["T#0"], (Safe, Fails)),
        (["table T{a:int(deprecated);b:int;}", "table T{a:int;b:int;}"], &["T#0"], (Defaulted, Safe)),
        (["table T{a:int(deprecated);b:int;}", "table T{n:string;b:int;}"], &["T#0"], (Fails, Safe)),
        (["table T{a:[ubyte];b:int;}", "table T{a:[ubyte](vector64);b:int;}"], &["T#0"], (Fails, Wrong)),
        (
            [
                "table X{a:int;} table Y{s:string;} table T{n:[ubyte](nested_flatbuffer:\"X\");b:int;}",
                "table X{a:int;} table Y{s:string;} table T{n:[ubyte](nested_flatbuffer:\"Y\");b:int;}",
            ],
            &["T#0"],
            (Fails, Wrong),
        ),
    ]);
}

#[test]
fn optional_numbers() {
    uphold(&[(["table T{a:int=null;b:int;}", "table T{a:int=5;b:int;}"], &["T#0"], (Wrong, Lossy))]);
}

#[test]
fn structs() {
    const INLINE: [&str; 2] =
        ["struct S{p:int;q:int;} table T{s:S;b:int;}", "struct S{p:int;q:int;r:int;} table T{s:S;b:int;}"];
    const LISTED: [&str; 2] =
        ["struct S{p:int;q:int;} table T{s:[S];b:int;}", "struct S{p:int;q:int;r:int;} table T{s:[S];b:int;}"];
    uphold(&[
        (INLINE, &["S=layout", "S#2"], (Wrong, Safe)),
        (LISTED, &["S=layout", "S#2"], (Wrong, Wrong)),
        (
            ["struct S{p:byte;q:int;} table T{s:S;b:int;}", "struct S{p:byte;n:byte;q:int;} table T{s:S;b:int;}"],
            &["S#1", "S@q"],
            (Defaulted, Safe),
        ),
        (
            ["struct S{v:[float:3];} table T{s:S;b:int;}", "struct S{x:float;y:float;z:float;} table T{s:S;b:int;}"],
            &["S#0", "S#1", "S#2"],
            (Safe, Safe),
        ),
        (
            [
                "struct S{p:int;q:int;} table T{s:[S];b:int;}",
                "struct S(force_align:16){p:int;q:int;} table T{s:[S];b:int;}",
            ],
            &["S=layout"],
            (Wrong, Wrong),
        ),
        (
            ["struct S{p:int;q:int;} table T{s:S;b:int;}", "struct S{p:uint;q:int;} table T{s:S;b:int;}"],
            &["S=layout"],
            (Wrong, Wrong),
        ),
        (
            ["struct S{p:int;q:int;} table T{s:S;b:int;}", "struct S{p:int;} table T{s:S;b:int;}"],
            &["S=layout", "S@q"],
            (Safe, Wrong),
        ),
        (
            ["table X{p:int;q:int;} table T{a:X;b:int;}", "struct X{p:int;q:int;} table T{a:X;b:int;}"],
            &["T#0"],
            (Wrong, Fails),
        ),
        (
            ["struct X{p:int;q:int;} table T{v:[X];b:int;}", "table X{p:int;q:int;} table T{v:[X];b:int;}"],
            &["sort:X"],
            (Fails, Wrong),
        ),
        (
            ["struct X{p:int;q:int;} table T{v:[X];b:int;}", "table X{p:int;q:int;} table T{v:[X];b:int;}"],
            &["T#0"],
            (Fails, Wrong),
        ),
    ]);
}

#[test]
fn enums_and_unions() {
    const TABLES: [&str; 4] = [
        "table A{x:int;} table B{y:string;} table C{z:int;} union U{A,B} table T{u:U;b:int;}",
        "table A{x:int;} table B{y:string;} table C{z:int;} union U{A,B,C} table T{u:U;b:int;}",
        "table A{x:int;} table B{y:string;} table C{z:int;} union U{B} table T{u:U;b:int;}",
        "table A{x:int;} table B{y:string;} table C{z:int;} union U{C,B} table T{u:U;b:int;}",
    ];
    uphold(&[
        (["enum E:byte{A,B} table T{e:E;}", "enum E:byte{A,C,B} table T{e:E;}"], &["E@B", "E#1"], (Wrong, Wrong)),
        (["enum E:byte{A,B} table T{e:E;}", "enum E:byte{B,A} table T{e:E;}"], &["E@A", "E@B", "T#0"], (Wrong, Wrong)),
        (["enum E:byte{A,B,C} table T{e:E;}", "enum E:byte{A,B} table T{e:E;}"], &["E#2"], (Unrecognized, Safe)),
        (["enum E:byte{A,B} table T{e:E;}", "enum E:byte{A,BB} table T{e:E;}"], &["E#1"], (Safe, Safe)),
        ([TABLES[0], TABLES[1]], &["U#3"], (Safe, Unrecognized)),
        ([TABLES[0], TABLES[2]], &["U#1", "U@B"], (Wrong, Wrong)),
        ([TABLES[0], TABLES[3]], &["U#1"], (Wrong, Wrong)),
        (
            [
                "table A{x:int;} table T{u:A;b:int;}",
                "table A{x:int;} table B{y:string;} union U{A,B} table T{u:U;b:int;}",
            ],
            &["T@u", "T@b"],
            (Fails, Fails),
        ),
    ]);
}

#[test]
fn identifiers() {
    const PLAIN: &str = "table T{a:int;} root_type T;";
    const ONE: &str = "table T{a:int;} root_type T; file_identifier \"AAA1\";";
    const TWO: &str = "table T{a:int;} root_type T; file_identifier \"AAA2\";";
    uphold(&[
        ([ONE, TWO], &["s.fbs=file_identifier"], (Fails, Fails)),
        ([PLAIN, TWO], &["s.fbs=file_identifier"], (Fails, Safe)),
    ]);
}

#[test]
fn witnesses_show_what_was_written_and_read() {
    let observed = observe(["table T{a:int;b:int;}", "table T{a:[int];b:int;}"], &["T#0"]);
    let seen = observed.observations.iter().find(|seen| seen.direction == Direction::Backward);
    let witness = seen.map(|seen| &seen.witness);
    assert_eq!(witness.map(|witness| witness.type_name.as_str()), Some("T"));
    assert_eq!(witness.map(|witness| witness.wrote.to_string()).as_deref(), Some(r#"{"a":1}"#));
    assert_eq!(witness.map(|witness| witness.bytes.len()), Some(20));
}

/// A schema of one of everything, and a record of its root `T`.
const ALL: &str = "struct S{p:byte;q:long;} table X{s:string(required);} enum E:short{A,B} union U{X,S}
    table T{a:int=7;b:[S];c:[string];d:U;e:[U];f:S;g:[X];h:[ubyte](vector64);i:E=B;j:double=null;k:T;}";

/// Runs something with the root table and a full record of it.
fn with_all(run: impl FnOnce(Types<'_, '_>, ObjectId, &[u8])) {
    let snapshot = Snapshot::from_files([("s.fbs", ALL.as_bytes())]);
    let options = CheckOptions::default();
    let parsed = Parsed::<Flatbuffers>::new(Pair::new(&snapshot, &snapshot), &options);
    let linked = parsed.link();
    let problems = &linked.sides.new.problems;
    assert!(problems.is_empty(), "{problems:?}");
    let types = Types::of(linked.schemas().new);
    let root = types.schema.objects_by_name["T"][0];
    let pairs = Pairs::default();
    let identities = Identities::of(linked.schemas(), &pairs, FxHashSet::default());
    let comparer = Comparer::new(Sides { writer: types, reader: types }, Direction::Backward, &identities);
    let ids = Sides { writer: root, reader: root };
    let full = written_by(|outlet| generate::records(&comparer, ids, None, outlet)).pop();
    let Some(Value::Record(full)) = full else { panic!("a full record") };
    assert_eq!(full.fields.len(), 11);
    let bytes = codec::encode(types, root, &full, None).expect("bytes");
    let read = verify::decode(types, root, &bytes, How::default()).expect("a record");
    let both = [read, full].map(|record| completed(types, &Value::Record(record)));
    assert_eq!(both[0], both[1]);
    run(types, root, &bytes);
}

#[test]
fn damaged_buffers_are_rejected_or_read_without_panic() {
    with_all(|types, root, bytes| {
        for length in 0..8 {
            assert!(verify::decode(types, root, &bytes[..length], How::default()).is_err());
        }
        for at in 0..bytes.len() {
            for byte in [0, 1, 4, 0x7f, 0x80, 0xff] {
                let mut damaged = bytes.to_vec();
                damaged[at] = byte;
                drop(verify::decode(types, root, &damaged, How::default()));
            }
        }
    });
}

#[test]
fn tables_lie_as_the_reference_builder_lays_them() {
    let observed = observe(["table T{a:int;b:int;}", "table T{a:long;b:int;}"], &["T#0"]);
    let wrong = observed.observations.iter().find(|seen| seen.direction == Direction::Backward);
    let bytes = wrong.map(|seen| seen.witness.bytes.clone()).unwrap_or_default();
    let expected = [12, 0, 0, 0, 8, 0, 12, 0, 4, 0, 8, 0, 8, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0];
    assert_eq!(bytes, expected);
}

#[test]
fn wide_tables_are_read_without_writing_the_square_of_their_width() {
    for fields in [400, 1500] {
        let side =
            |ty: &str| format!("table W {{ {} }}", (0..fields).map(|at| format!("f{at}:{ty};")).collect::<String>());
        let changed: Vec<String> = (0..fields).map(|at| format!("W#{at}")).collect();
        let changed: Vec<&str> = changed.iter().map(String::as_str).collect();
        let observed = observe([&side("long"), &side("int")], &changed);
        assert!(observed.messages < 25_000, "{}", observed.messages);
        let bytes: usize = observed.observations.iter().map(|seen| seen.witness.bytes.len()).sum();
        assert!(bytes < 1 << 24, "{bytes}");
        for direction in DIRECTIONS {
            let of = observed.observations.iter().filter(|seen| seen.direction == direction);
            assert_eq!(of.count(), fields, "{direction}");
        }
    }
}

#[test]
fn of_a_large_enum_those_values_are_written_that_differ() {
    let side = |last: usize| {
        let values: Vec<String> = (0..last).map(|number| format!("V{number}")).collect();
        format!("enum E:int {{ {} }}", values.join(","))
    };
    let observed = observe([&side(5000), &side(4999)], &["E#4999"]);
    assert!(observed.messages < 30, "{}", observed.messages);
    assert_eq!(worst(&observed)[0], (Unrecognized, vec!["E#4999".to_owned()]));
}
