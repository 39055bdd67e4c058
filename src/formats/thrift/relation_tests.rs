//! Each way in which two types relate, and what readers see of it, both ways.

use super::*;
use crate::formats::check::CheckOptions;
use crate::formats::frame::with_schema;
use crate::formats::table_tests::assert_relations;
use crate::formats::thrift::Thrift;
use crate::snapshot::Snapshot;

use Outcome::{Fails, Lossy, Safe, Unrecognized, Wrong};

/// The relation of two types of a field, what new readers see of old data, and old readers of new data.
fn told(types: [&str; 2]) -> (&'static str, Outcome, Outcome) {
    let [old, new] = types.map(|ty| {
        let text = format!(
            "include \"lost.thrift\"\nenum E {{ A = 1 }} enum F {{ A = 1 }} struct P {{ 1: i32 x }} struct Q {{ 1: i32 y }}\n\
             exception X {{ 1: i32 x }} exception Y {{ 1: i32 x }} service S {{ }}\n\
             struct T {{ 1: {ty} f }}"
        );
        Snapshot::from_files([("t.thrift", text.into_bytes())])
    });
    told_of([&old, &new])
}

/// The same of the first field of two structs `T`.
fn told_of([old, new]: [&Snapshot; 2]) -> (&'static str, Outcome, Outcome) {
    let options = CheckOptions::default();
    with_schema::<Thrift, _>(old, &options, |old, _| {
        with_schema::<Thrift, _>(new, &options, |new, _| {
            let ty = |of: &'_ Schema<'_>| of.structs[of.structs_by_name["t.T"][0].0 as usize].fields[0].ty.clone();
            let types = Pair::new(ty(old), ty(new));
            let types = types.as_ref();
            (relation(Pair::new(old, new), types).name(), reads(types), reads(types.mirrored()))
        })
    })
}

#[test]
fn two_types_relate_as_the_wire_has_them() {
    let rows = [
        (["i32", "i32"], ("same", Safe, Safe)),
        (["i8", "byte"], ("same", Safe, Safe)),
        (["i32", "i64"], ("wire-type", Lossy, Lossy)),
        (["i16", "i32"], ("wire-type", Lossy, Lossy)),
        (["bool", "i8"], ("wire-type", Lossy, Lossy)),
        (["double", "i64"], ("wire-type", Lossy, Lossy)),
        (["uuid", "string"], ("wire-type", Lossy, Lossy)),
        (["string", "string"], ("same", Safe, Safe)),
        (["string", "binary"], ("text", Safe, Fails)),
        (["i32", "E"], ("enum-number", Unrecognized, Safe)),
        (["i64", "E"], ("wire-type", Lossy, Lossy)),
        (["E", "E"], ("same", Safe, Safe)),
        (["E", "F"], ("enum-replaced", Safe, Safe)),
        (["P", "P"], ("same", Safe, Safe)),
        (["P", "Q"], ("struct-replaced", Safe, Safe)),
        (["P", "i32"], ("wire-type", Lossy, Lossy)),
        (["P", "map<i32, i32>"], ("wire-type", Lossy, Lossy)),
        // Containers: whoever skips the field loses it, and whoever takes it for its own is out of step inside.
        (["list<i32>", "list<i32>"], ("same", Safe, Safe)),
        (["list<i32>", "list<i64>"], ("element", Wrong, Wrong)),
        (["set<i32>", "set<i64>"], ("element", Wrong, Wrong)),
        (["list<i32>", "set<i32>"], ("wire-type", Lossy, Lossy)),
        (["list<i32>", "list<E>"], ("enum-number", Unrecognized, Safe)),
        (["set<string>", "set<binary>"], ("text", Safe, Fails)),
        (["list<P>", "list<i32>"], ("element", Wrong, Wrong)),
        (["list<list<i32>>", "list<list<E>>"], ("enum-number", Unrecognized, Safe)),
        // A set and a list are written alike; a set keeps each item once.
        (["list<list<i32>>", "list<set<i32>>"], ("element", Lossy, Safe)),
        (["list<list<i32>>", "list<set<i64>>"], ("element", Wrong, Wrong)),
        (["list<list<binary>>", "list<set<string>>"], ("element", Fails, Safe)),
        (["list<set<binary>>", "list<list<string>>"], ("element", Fails, Lossy)),
        // A map is told by the worse of both, whichever that is.
        (["map<i32, i32>", "map<i64, i32>"], ("element", Wrong, Wrong)),
        (["map<i32, i32>", "map<i32, i64>"], ("element", Wrong, Wrong)),
        (["map<i32, string>", "map<i32, binary>"], ("text", Safe, Fails)),
        (["map<string, i32>", "map<binary, i32>"], ("text", Safe, Fails)),
        (["map<string, E>", "map<binary, F>"], ("text", Safe, Fails)),
        (["map<E, P>", "map<F, Q>"], ("struct-replaced", Safe, Safe)),
        (["map<P, E>", "map<Q, F>"], ("struct-replaced", Safe, Safe)),
        (["map<P, i32>", "map<Q, E>"], ("enum-number", Unrecognized, Safe)),
        (["map<i32, string>", "map<E, binary>"], ("text", Unrecognized, Fails)),
        (["map<string, i32>", "map<binary, i64>"], ("element", Wrong, Wrong)),
        // What a lost file declares.
        (["lost.X", "lost.X"], ("same", Safe, Safe)),
        (["lost.X", "lost.Y"], ("opaque", Safe, Safe)),
        (["lost.X", "i32"], ("opaque", Safe, Safe)),
        (["list<lost.X>", "list<i32>"], ("opaque", Safe, Safe)),
        (["map<string, lost.X>", "map<binary, i32>"], ("opaque", Safe, Fails)),
    ];
    let wrong = rows.iter().filter(|(types, expected)| told(*types) != *expected);
    let wrong: Vec<String> =
        wrong.map(|(types, expected)| format!("{types:?}: {:?}, not {expected:?}", told(*types))).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What fields hold. The last ones are words of other compilers.
const TYPES: &[&str] = &[
    "bool",
    "byte",
    "i16",
    "i32",
    "i64",
    "double",
    "string",
    "binary",
    "uuid",
    "E",
    "F",
    "P",
    "Q",
    "X",
    "Y",
    "lost.P",
    "lost.E",
    "lost.Other",
    "list<bool>",
    "list<i32>",
    "list<i64>",
    "list<double>",
    "list<string>",
    "list<binary>",
    "list<uuid>",
    "list<E>",
    "list<F>",
    "list<P>",
    "list<Q>",
    "list<lost.P>",
    "list<list<i32>>",
    "list<list<E>>",
    "list<list<string>>",
    "list<set<i32>>",
    "list<set<E>>",
    "list<set<binary>>",
    "list<map<i32, i32>>",
    "set<bool>",
    "set<i32>",
    "set<i64>",
    "set<string>",
    "set<binary>",
    "set<E>",
    "set<F>",
    "set<lost.E>",
    "map<i32, i32>",
    "map<i64, i32>",
    "map<i32, i64>",
    "map<E, i32>",
    "map<i32, E>",
    "map<i32, F>",
    "map<F, i32>",
    "map<F, P>",
    "map<E, Q>",
    "map<string, P>",
    "map<binary, Q>",
    "map<string, lost.P>",
    "map<lost.E, binary>",
    "map<i32, list<i32>>",
    "map<i32, list<i64>>",
    "slist",
    "float",
    "list<float>",
    "S",
    "list<S>",
    "stream<i32>",
    "stream<i64>",
    "sink<i32, i32>",
];

const HEAD: &str = "# Written by `UPDATE=1 cargo test`; do not edit. A type with itself; below it those that come after it. The letters: what
# new readers see of old data and old readers of new data, by the first letters of the outcomes; how they relate, and
# the other way round if that is another word. What is told of most is left out: that both lose a field of another wire type.
";

#[test]
fn each_two_types_relate_as_the_table_says() {
    assert_relations("formats/thrift/relation_tests.txt", HEAD, TYPES, told, "LL wire-type");
}

#[test]
fn functions_that_return_nothing_return_no_value() {
    let snapshot = Snapshot::from_files([("t.thrift", Vec::new())]);
    with_schema::<Thrift, _>(&snapshot, &CheckOptions::default(), |schema, _| {
        let told = |old, new| relation(Pair::new(schema, schema), Pair::new(old, new)).name();
        assert_eq!(told(&Type::Void, &Type::Void), "same");
        assert_eq!((told(&Type::Void, &Type::Bool), told(&Type::Bool, &Type::Void)), ("wire-type", "wire-type"));
    });
}

#[test]
fn exceptions_weigh_as_much_as_structs() {
    assert_eq!(Relation::ExceptionReplaced.name(), "exception-replaced");
    assert_eq!(worse(Relation::ExceptionReplaced, Relation::EnumReplaced), Relation::ExceptionReplaced);
    assert_eq!(worse(Relation::ExceptionReplaced, Relation::EnumNumber), Relation::EnumNumber);
    assert_eq!(worse(Relation::StructReplaced, Relation::ExceptionReplaced), Relation::StructReplaced);
}

#[test]
fn a_type_that_only_one_side_found_is_the_same_by_its_name() {
    let text = |ty: &str| format!("include \"lost.thrift\"\nstruct T {{ 1: lost.{ty} f }}").into_bytes();
    let lost = Snapshot::from_files([("t.thrift", text("X"))]);
    let found = |ty: &str| {
        let declared = "struct X { 1: i32 a } struct Y { 1: i32 a }".as_bytes().to_vec();
        Snapshot::from_files([("t.thrift", text(ty)), ("lost.thrift", declared)])
    };
    for (found, expected) in [(found("X"), "same"), (found("Y"), "opaque")] {
        assert_eq!(told_of([&lost, &found]).0, expected);
        assert_eq!(told_of([&found, &lost]).0, expected);
    }
}
