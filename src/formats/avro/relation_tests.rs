//! How each two types relate: all of them with each other, in a table that `UPDATE=1 cargo test` writes. Whether it is true,
//! the resolving readers show (`resolve_tests.rs`, `tests/it/avro_peer.rs`); here nothing changes unseen.

use std::fmt::Write as _;

use super::super::Avro;
use super::*;
use crate::formats::check::CheckOptions;
use crate::formats::frame::with_schema;
use crate::formats::table_tests::{assert_holds, each_two};
use crate::ordered::OrderedMap;
use crate::snapshot::Snapshot;

/// Types, and what they are called in the table.
const TYPES: &[(&str, &str)] = &[
    ("null", r#""null""#),
    ("boolean", r#""boolean""#),
    ("int", r#""int""#),
    ("long", r#""long""#),
    ("float", r#""float""#),
    ("double", r#""double""#),
    ("bytes", r#""bytes""#),
    ("string", r#""string""#),
    ("date", r#"{"type": "int", "logicalType": "date"}"#),
    ("time-millis", r#"{"type": "int", "logicalType": "time-millis"}"#),
    ("time-micros", r#"{"type": "long", "logicalType": "time-micros"}"#),
    ("timestamp-millis", r#"{"type": "long", "logicalType": "timestamp-millis"}"#),
    ("timestamp-micros", r#"{"type": "long", "logicalType": "timestamp-micros"}"#),
    ("timestamp-nanos", r#"{"type": "long", "logicalType": "timestamp-nanos"}"#),
    ("local-millis", r#"{"type": "long", "logicalType": "local-timestamp-millis"}"#),
    ("local-micros", r#"{"type": "long", "logicalType": "local-timestamp-micros"}"#),
    ("decimal-4-2", r#"{"type": "bytes", "logicalType": "decimal", "precision": 4, "scale": 2}"#),
    ("decimal-9-2", r#"{"type": "bytes", "logicalType": "decimal", "precision": 9, "scale": 2}"#),
    ("decimal-4-1", r#"{"type": "bytes", "logicalType": "decimal", "precision": 4, "scale": 1}"#),
    ("uuid", r#"{"type": "string", "logicalType": "uuid"}"#),
    ("F4", r#"{"type": "fixed", "name": "F", "size": 4}"#),
    ("F8", r#"{"type": "fixed", "name": "F", "size": 8}"#),
    ("n.F4", r#"{"type": "fixed", "name": "F", "namespace": "n", "size": 4}"#),
    ("n.F8", r#"{"type": "fixed", "name": "F", "namespace": "n", "size": 8}"#),
    ("G4", r#"{"type": "fixed", "name": "G", "size": 4}"#),
    ("G4-as-F", r#"{"type": "fixed", "name": "G", "size": 4, "aliases": ["F"]}"#),
    ("G8-as-n.F", r#"{"type": "fixed", "name": "G", "size": 8, "aliases": ["n.F"]}"#),
    (
        "F4-decimal-4-2",
        r#"{"type": "fixed", "name": "F", "size": 4, "logicalType": "decimal", "precision": 4, "scale": 2}"#,
    ),
    ("E-a-b", r#"{"type": "enum", "name": "E", "symbols": ["A", "B"]}"#),
    ("E-b-a", r#"{"type": "enum", "name": "E", "symbols": ["B", "A"]}"#),
    ("E-a", r#"{"type": "enum", "name": "E", "symbols": ["A"]}"#),
    ("E-a-else-a", r#"{"type": "enum", "name": "E", "symbols": ["A"], "default": "A"}"#),
    ("D-a-b-as-E", r#"{"type": "enum", "name": "D", "symbols": ["A", "B"], "aliases": ["E"]}"#),
    ("D-a", r#"{"type": "enum", "name": "D", "symbols": ["A"]}"#),
    ("F-a", r#"{"type": "enum", "name": "F", "symbols": ["A"]}"#),
    ("R-empty", r#"{"type": "record", "name": "R", "fields": []}"#),
    ("R-int", r#"{"type": "record", "name": "R", "fields": [{"name": "a", "type": "int"}]}"#),
    ("R-long", r#"{"type": "record", "name": "R", "fields": [{"name": "a", "type": "long"}]}"#),
    ("R-float", r#"{"type": "record", "name": "R", "fields": [{"name": "a", "type": "float"}]}"#),
    (
        "R-millis",
        r#"{"type": "record", "name": "R", "fields": [{"name": "a", "type": {"type": "long", "logicalType": "timestamp-millis"}}]}"#,
    ),
    (
        "R-micros",
        r#"{"type": "record", "name": "R", "fields": [{"name": "a", "type": {"type": "long", "logicalType": "timestamp-micros"}}]}"#,
    ),
    ("R-b", r#"{"type": "record", "name": "R", "fields": [{"name": "b", "type": "int"}]}"#),
    ("R-b-was-a", r#"{"type": "record", "name": "R", "fields": [{"name": "b", "type": "int", "aliases": ["a"]}]}"#),
    (
        "R-a-b",
        r#"{"type": "record", "name": "R", "fields": [{"name": "a", "type": "int"}, {"name": "b", "type": "int"}]}"#,
    ),
    (
        "R-a-b-7",
        r#"{"type": "record", "name": "R", "fields": [{"name": "a", "type": "int"}, {"name": "b", "type": "int", "default": 7}]}"#,
    ),
    (
        "R-a-and-b-was-a",
        r#"{"type": "record", "name": "R", "fields": [{"name": "a", "type": "int"}, {"name": "b", "type": "int", "aliases": ["a"], "default": 7}]}"#,
    ),
    (
        "R-c-was-both",
        r#"{"type": "record", "name": "R", "fields": [{"name": "c", "type": "int", "aliases": ["a", "b"]}]}"#,
    ),
    (
        "R-b-was-a-c",
        r#"{"type": "record", "name": "R", "fields": [{"name": "a", "type": "int"}, {"name": "b", "type": "int", "aliases": ["a", "c"]}]}"#,
    ),
    (
        "R-b-was-b",
        r#"{"type": "record", "name": "R", "fields": [{"name": "b", "type": "int", "aliases": ["b", "a", "a"]}]}"#,
    ),
    (
        "R-symbols",
        r#"{"type": "record", "name": "R", "fields": [{"name": "a", "type": {"type": "enum", "name": "E", "symbols": ["A", "B"]}}]}"#,
    ),
    (
        "R-symbol",
        r#"{"type": "record", "name": "R", "fields": [{"name": "a", "type": {"type": "enum", "name": "E", "symbols": ["A"]}}]}"#,
    ),
    (
        "R-else",
        r#"{"type": "record", "name": "R", "fields": [{"name": "a", "type": {"type": "enum", "name": "E", "symbols": ["A"], "default": "A"}}]}"#,
    ),
    (
        "S-R-int",
        r#"{"type": "record", "name": "S", "fields": [{"name": "x", "type": {"type": "record", "name": "R", "fields": [{"name": "a", "type": "int"}]}}]}"#,
    ),
    (
        "S-R-float?",
        r#"{"type": "record", "name": "S", "fields": [{"name": "x", "type": ["null", {"type": "record", "name": "R", "fields": [{"name": "a", "type": "float"}]}]}]}"#,
    ),
    ("S-as-R", r#"{"type": "record", "name": "S", "aliases": ["R"], "fields": [{"name": "a", "type": "int"}]}"#),
    ("error-R", r#"{"type": "error", "name": "R", "fields": [{"name": "a", "type": "int"}]}"#),
    ("List", r#"{"type": "record", "name": "List", "fields": [{"name": "next", "type": ["null", "List"]}]}"#),
    (
        "List-int",
        r#"{"type": "record", "name": "List", "fields": [{"name": "next", "type": ["null", "List"]}, {"name": "v", "type": "int"}]}"#,
    ),
    (
        "List-float",
        r#"{"type": "record", "name": "List", "fields": [{"name": "next", "type": ["null", "List"]}, {"name": "v", "type": "float"}]}"#,
    ),
    ("array-int", r#"{"type": "array", "items": "int"}"#),
    ("array-long", r#"{"type": "array", "items": "long"}"#),
    ("array-float", r#"{"type": "array", "items": "float"}"#),
    ("array-date", r#"{"type": "array", "items": {"type": "int", "logicalType": "date"}}"#),
    ("map-int", r#"{"type": "map", "values": "int"}"#),
    ("map-float", r#"{"type": "map", "values": "float"}"#),
    ("map-string", r#"{"type": "map", "values": "string"}"#),
    ("array-E-a-b", r#"{"type": "array", "items": {"type": "enum", "name": "E", "symbols": ["A", "B"]}}"#),
    ("array-E-a", r#"{"type": "array", "items": {"type": "enum", "name": "E", "symbols": ["A"]}}"#),
    ("array-either", r#"{"type": "array", "items": ["int", "string"]}"#),
    (
        "deep",
        r#"{"type": "array", "items": {"type": "map", "values": {"type": "array", "items": {"type": "map", "values": {"type": "array", "items": {"type": "map", "values": {"type": "array", "items": ["int"]}}}}}}}"#,
    ),
    ("none", r"[]"),
    ("int?", r#"["null", "int"]"#),
    ("int?-reversed", r#"["int", "null"]"#),
    ("long?", r#"["null", "long"]"#),
    ("date?", r#"["null", {"type": "int", "logicalType": "date"}]"#),
    ("int|string", r#"["int", "string"]"#),
    ("float|double", r#"["float", "double"]"#),
    ("double|bytes", r#"["double", "bytes"]"#),
    (
        "F4|n.F8",
        r#"[{"type": "fixed", "name": "F", "size": 4}, {"type": "fixed", "name": "F", "namespace": "n", "size": 8}]"#,
    ),
    (
        "m.F2|F-a",
        r#"[{"type": "fixed", "name": "F", "namespace": "m", "size": 2}, {"type": "enum", "name": "F", "symbols": ["A"]}]"#,
    ),
    (
        "m.F8|k.F4",
        r#"[{"type": "fixed", "name": "F", "namespace": "m", "size": 8}, {"type": "fixed", "name": "F", "namespace": "k", "size": 4}]"#,
    ),
    (
        "G4-as-F|m.F4",
        r#"[{"type": "fixed", "name": "G", "size": 4, "aliases": ["F"]}, {"type": "fixed", "name": "F", "namespace": "m", "size": 4}]"#,
    ),
    (
        "E-a|D-a-b",
        r#"[{"type": "enum", "name": "E", "symbols": ["A"]}, {"type": "enum", "name": "D", "symbols": ["A", "B"]}]"#,
    ),
    ("R-long?", r#"["null", {"type": "record", "name": "R", "fields": [{"name": "a", "type": "long"}]}]"#),
    ("R-float?", r#"["null", {"type": "record", "name": "R", "fields": [{"name": "a", "type": "float"}]}]"#),
    ("array-map", r#"[{"type": "array", "items": "float"}, {"type": "map", "values": "int"}]"#),
    ("eight", r#"["null", "boolean", "int", "long", "float", "double", "bytes", "string"]"#),
    (
        "nine",
        r#"["null", "boolean", "int", "long", "float", "double", "bytes", "string", {"type": "array", "items": "int"}]"#,
    ),
    ("lost", r#""lost.T""#),
    ("lost?", r#"["null", "lost.T"]"#),
    ("T-found", r#"{"type": "record", "name": "T", "namespace": "lost", "fields": []}"#),
];

/// What stands above the table.
const HEAD: &str = "# Written by `UPDATE=1 cargo test`; do not edit. A type as it is spelled and with itself; below it those that come after
# it. The letters: what readers of the second see of the first and the other way round, by the first letters of the
# outcomes, of the types alone, with all that is inside, and where the two are versions of one thing; then whether named
# types match, how meanings relate and the other way round if that is another word, and up to which numbers a promotion is
# exact. What fails both ways is left out.
";

/// What is told of most pairs.
const NOTHING_IN_COMMON: &str = "FF FF FF --";

/// What stands above the second table.
const UNIONS: &str = "
# Which branch of a union takes a written type, or why none does.
";

fn with_type<T>(text: &str, visit: impl FnOnce(&Schema<'_>, TypeId) -> T) -> T {
    let snapshot = Snapshot::from_files([("t.avsc", text.as_bytes())]);
    with_schema::<Avro, _>(&snapshot, &CheckOptions::default(), |schema, _| visit(schema, schema.roots[0].schema.ty))
}

/// What is told of two types that are written in full.
fn with_types<T>(texts: (&str, &str), visit: impl FnOnce(Pair<&Schema<'_>>, Pair<TypeId>) -> T) -> T {
    with_type(texts.0, |old, from| with_type(texts.1, |new, to| visit(Pair::new(old, new), Pair::new(from, to))))
}

fn told(schemas: Pair<&Schema<'_>>, types: Pair<TypeId>) -> String {
    let both = |of: &dyn Fn(Reading<'_, '_, '_>, TypeId, TypeId) -> String| {
        let (backward, forward) = (
            Reading { writer: schemas.old, reader: schemas.new },
            Reading { writer: schemas.new, reader: schemas.old },
        );
        of(backward, types.old, types.new) + &of(forward, types.new, types.old)
    };
    let letter = |outcome: Outcome| outcome.name()[..1].to_uppercase();
    let alone = both(&|reading, writer, reader| letter(reading.outcome(writer, reader)));
    let inside = both(&|reading, writer, reader| letter(reading.outcome_beside(writer, reader, None)));
    let same = both(&|reading, writer, reader| letter(reading.outcome_beside(writer, reader, Some((writer, reader)))));
    let names =
        both(&|reading, writer, reader| (if reading.names_match(writer, reader) { "+" } else { "-" }).to_owned());
    let logical = Pair::new(schemas.old.ty(types.old).logical, schemas.new.ty(types.new).logical);
    let (meaning, seen) = logical_relation(logical);
    let back = logical_relation(logical.mirrored()).0;
    let back = if meaning == back { String::new() } else { format!("/{back}") };
    let exact = both(&|reading, writer, reader| {
        exact_up_to(reading.writer.kind(writer), reading.reader.kind(reader)).unwrap_or("").to_owned()
    });
    format!("{alone} {inside} {same} {names} {meaning}{back} {} {exact}", letter(seen)).trim_end().to_owned()
}

fn table() -> String {
    let names: Vec<&str> = TYPES.iter().map(|(name, _)| *name).collect();
    let line = |index: usize, other: usize| {
        let ((_, text), (_, second)) = (TYPES[index], TYPES[other]);
        let told = with_types((text, second), told);
        if index == other { format!("{told}: {}", with_type(text, spelled)) } else { told }
    };
    let mut table = HEAD.to_owned() + &each_two(&names, line, Some(NOTHING_IN_COMMON));
    table.push_str(UNIONS);
    for (name, text) in TYPES {
        if !text.starts_with('[') {
            continue;
        }
        let mut alike: OrderedMap<String, Vec<&str>> = OrderedMap::new();
        for (written, other) in TYPES {
            alike.entry(with_types((other, text), fate)).or_default().push(written);
        }
        let _ = writeln!(table, "\n{name}:");
        for (told, names) in alike {
            let _ = writeln!(table, "  {told}: {}", names.join(", "));
        }
    }
    table
}

fn fate(schemas: Pair<&Schema<'_>>, types: Pair<TypeId>) -> String {
    let reading = Reading { writer: schemas.old, reader: schemas.new };
    let Kind::Union(branches) = schemas.new.kind(types.new) else { unreachable!("it is a union") };
    match reading.branch_for(types.old, branches) {
        Some(index) => index.to_string(),
        None => reading.refusals(types.old, branches),
    }
}

#[test]
fn each_two_types_relate_as_the_table_says() {
    assert_holds("formats/avro/relation_tests.txt", &table());
}
