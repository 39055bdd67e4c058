//! Each way in which two types relate, and what readers see of it, both ways.

use super::*;
use crate::formats::check::CheckOptions;
use crate::formats::flatbuffers::Flatbuffers;
use crate::formats::frame::with_schema;
use crate::formats::table_tests::assert_relations;
use crate::snapshot::Snapshot;

use Outcome::{Fails, Lossy, Safe, Unrecognized, Wrong};

/// The relation of two types of a field, what new readers see of old data, and old readers of new data.
fn told(types: [&str; 2]) -> (&'static str, Outcome, Outcome) {
    let options = CheckOptions::default();
    let [old, new] = types.map(|ty| {
        // Only structs hold arrays.
        let holder = if ty.contains(':') { "struct" } else { "table" };
        let text = format!(
            "include \"lost.fbs\";\nenum E:int {{ A }} enum F:int {{ A }} enum G:byte {{ A }} enum H:ubyte {{ A }}\n\
             table P {{ x:int; }} table Q {{ y:int; }} struct S {{ x:int; }} struct R {{ y:int; }}\n\
             union U {{ P }} union V {{ Q }} union W:ushort {{ P }}\n{holder} T {{ f:{ty}; }}"
        );
        Snapshot::from_files([("t.fbs", text.into_bytes())])
    });
    with_schema::<Flatbuffers, _>(&old, &options, |old, _| {
        with_schema::<Flatbuffers, _>(&new, &options, |new, _| {
            let ty = |of: &Schema<'_>| of.object(of.objects_by_name["T"][0]).fields[0].ty.clone();
            let (schemas, types) = (Pair::new(old, new), Pair::new(ty(old), ty(new)));
            let types = types.as_ref();
            let seen = (reads(schemas, types), reads(schemas.mirrored(), types.mirrored()));
            let relation = relation(schemas, types);
            let hurts = !matches!(relation.name(), "same" | "type-replaced" | "enum-replaced" | "opaque");
            assert_eq!(relation.hurts(), hurts, "{relation:?}");
            (relation.name(), seen.0, seen.1)
        })
    })
}

#[test]
fn two_types_relate_as_slots_have_them() {
    let rows = [
        (["int", "int"], ("same", Safe, Safe)),
        (["int", "uint"], ("number", Wrong, Wrong)),
        (["int", "float"], ("number", Wrong, Wrong)),
        (["int", "long"], ("width", Wrong, Wrong)),
        (["bool", "long"], ("width", Wrong, Wrong)),
        (["bool", "ubyte"], ("truth", Safe, Wrong)),
        (["bool", "H"], ("truth", Unrecognized, Wrong)),
        (["int", "E"], ("enum-number", Unrecognized, Safe)),
        (["uint", "E"], ("number", Wrong, Wrong)),
        (["G", "byte"], ("enum-number", Safe, Unrecognized)),
        (["E", "E"], ("same", Safe, Safe)),
        (["E", "F"], ("enum-replaced", Safe, Safe)),
        (["G", "H"], ("number", Wrong, Wrong)),
        (["E", "G"], ("width", Wrong, Wrong)),
        (["P", "P"], ("same", Safe, Safe)),
        (["P", "Q"], ("type-replaced", Safe, Safe)),
        (["S", "R"], ("type-replaced", Safe, Safe)),
        (["P", "S"], ("kind", Wrong, Wrong)),
        (["P", "int"], ("kind", Wrong, Wrong)),
        (["P", "string"], ("kind", Wrong, Wrong)),
        (["U", "U"], ("same", Safe, Safe)),
        (["U", "V"], ("type-replaced", Safe, Safe)),
        (["U", "P"], ("kind", Wrong, Wrong)),
        (["string", "string"], ("same", Safe, Safe)),
        (["string", "[ubyte]"], ("text", Safe, Fails)),
        (["string", "[byte]"], ("text", Wrong, Wrong)),
        (["string", "[int]"], ("kind", Wrong, Wrong)),
        (["[int]", "[int]"], ("same", Safe, Safe)),
        (["[int]", "int"], ("kind", Wrong, Wrong)),
        (["[int]", "[long]"], ("element", Wrong, Wrong)),
        (["[int]", "[uint]"], ("number", Wrong, Wrong)),
        (["[int]", "[E]"], ("enum-number", Unrecognized, Safe)),
        (["[bool]", "[ubyte]"], ("truth", Safe, Wrong)),
        (["[string]", "[P]"], ("element", Wrong, Wrong)),
        (["[S]", "[R]"], ("type-replaced", Safe, Safe)),
        (["[P]", "[Q]"], ("type-replaced", Safe, Safe)),
        (["[int:2]", "[int:2]"], ("same", Safe, Safe)),
        (["[int:2]", "[int:3]"], ("element", Wrong, Wrong)),
        (["[int:2]", "[long:2]"], ("element", Wrong, Wrong)),
        (["[int:2]", "[uint:3]"], ("number", Wrong, Wrong)),
        // What a lost file declares: nobody knows what is there.
        (["Lost", "Lost"], ("same", Safe, Safe)),
        (["Lost", "Other"], ("opaque", Lossy, Lossy)),
        (["Lost", "int"], ("opaque", Lossy, Lossy)),
        (["[Lost]", "[int]"], ("opaque", Lossy, Lossy)),
    ];
    let wrong = rows.iter().filter(|(types, expected)| told(*types) != *expected);
    let wrong: Vec<String> =
        wrong.map(|(types, expected)| format!("{types:?}: {:?}, not {expected:?}", told(*types))).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What fields hold, and attributes.
const TYPES: &[&str] = &[
    "bool",
    "byte",
    "ubyte",
    "short",
    "ushort",
    "int",
    "uint",
    "long",
    "ulong",
    "float",
    "double",
    "string",
    "E",
    "F",
    "G",
    "H",
    "S",
    "R",
    "P",
    "Q",
    "U",
    "V",
    "W",
    "Lost",
    "n.Lost",
    "Other",
    "n.P",
    "n.S",
    "n.E",
    "[bool]",
    "[byte]",
    "[ubyte]",
    "[int]",
    "[uint]",
    "[float]",
    "[long]",
    "[string]",
    "[E]",
    "[F]",
    "[G]",
    "[H]",
    "[S]",
    "[R]",
    "[P]",
    "[Q]",
    "[U]",
    "[Lost]",
    "[ubyte] (vector64)",
    "[byte] (vector64)",
    "[int] (vector64)",
    "[uint] (vector64)",
    "[E] (vector64)",
    "[bool] (vector64)",
    "[S] (vector64)",
    "[R] (vector64)",
    "[bool:2]",
    "[ubyte:2]",
    "[int:2]",
    "[int:3]",
    "[uint:2]",
    "[uint:3]",
    "[long:2]",
    "[E:2]",
    "[S:2]",
    "[R:2]",
];

const HEAD: &str = "# Written by `UPDATE=1 cargo test`; do not edit. A type with itself; below it those that come after it. The letters: what
# new readers see of old data and old readers of new data, by the first letters of the outcomes; how they relate, and
# the other way round if that is another word. What is told of most is left out: that both are wrong, since other bytes are there altogether.
";

#[test]
fn each_two_types_relate_as_the_table_says() {
    assert_relations("formats/flatbuffers/relation_tests.txt", HEAD, TYPES, told, "WW kind");
}
