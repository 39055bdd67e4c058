//! Each way in which two types relate, and what readers see of it, both ways.

use super::*;
use crate::formats::capnp::Capnp;
use crate::formats::check::CheckOptions;
use crate::formats::frame::with_schema;
use crate::formats::table_tests::assert_relations;
use crate::snapshot::Snapshot;

use Outcome::{Fails, Lossy, Safe, Unrecognized, Wrong};

/// The relation of the first fields of two structs `T`, whatever stands before them; what new readers see of old data, and
/// old readers of new data.
fn told_of(texts: [&str; 2]) -> (&'static str, Outcome, Outcome) {
    let options = CheckOptions::default();
    let [old, new] = texts.map(|text| {
        let text = format!("@0xb0000000000000a1;\n{text}");
        Snapshot::from_files([("t.capnp", text.into_bytes())])
    });
    with_schema::<Capnp, _>(&old, &options, |old, _| {
        with_schema::<Capnp, _>(&new, &options, |new, _| {
            let ty = |of: &Schema<'_>| {
                let holder = of.structs.iter().find(|one| one.full_name.ends_with(".T")).expect("it is declared");
                holder.fields[0].ty.clone()
            };
            let (schemas, types) = (Pair::new(old, new), Pair::new(ty(old), ty(new)));
            let types = types.as_ref();
            let seen = reads(schemas, types);
            (relation(schemas, types).name(), seen.old, seen.new)
        })
    })
}

/// The same of two types of a field.
fn told(types: [&str; 2]) -> (&'static str, Outcome, Outcome) {
    const DECLARED: &str = "using Lost = import \"/lost.capnp\"; enum E { a @0; } enum F { a @0; } struct P { x @0 :Int32; } struct Q { y @0 :Int32; }
        interface I { f @0 (); } interface J { f @0 (); } struct Box(X) { v @0 :X; }
        struct Both(X, Y) { v @0 :X; w @1 :Y; } interface Door(X) { get @0 () -> (v :X); }";
    let texts = types.map(|ty| format!("{DECLARED}\nstruct T(X, Y) {{ f @0 :{ty}; }}"));
    told_of(texts.each_ref().map(String::as_str))
}

#[test]
fn types_are_the_same_by_their_names_wherever_a_side_keeps_them() {
    let sorts = [
        ("struct P {} struct Q {}", "struct Before {} struct P {} struct Q {}"),
        ("enum P { a @0; } enum Q { a @0; }", "enum Before { a @0; } enum P { a @0; } enum Q { a @0; }"),
        ("interface P {} interface Q {}", "interface Before {} interface P {} interface Q {}"),
    ];
    for (old, new) in sorts {
        for lists in 0..4 {
            let field = |ty: &str| format!("struct T {{ f @0 :{}{ty}{}; }}", "List(".repeat(lists), ")".repeat(lists));
            for (before, after, expected) in [("P", "P", "same"), ("Q", "P", "named"), ("P", "Q", "named")] {
                let texts = [format!("{old} {}", field(before)), format!("{new} {}", field(after))];
                assert_eq!(told_of([&texts[0], &texts[1]]).0, expected, "{texts:?}");
            }
        }
    }
}

/// Two types as written, their relation, and what new readers see of old data and old readers of new data.
type Row = ([&'static str; 2], (&'static str, Outcome, Outcome));

fn assert_told(rows: &[Row]) {
    let wrong = rows.iter().filter(|(types, expected)| told(*types) != *expected);
    let wrong: Vec<String> =
        wrong.map(|(types, expected)| format!("{types:?}: {:?}, not {expected:?}", told(*types))).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn two_types_relate_as_words_and_pointers_have_them() {
    let rows = [
        (["Int32", "Int32"], ("same", Safe, Safe)),
        (["Int32", "UInt32"], ("same-bits", Wrong, Wrong)),
        (["Int32", "Float32"], ("same-bits", Wrong, Wrong)),
        (["Int32", "Int64"], ("space", Wrong, Wrong)),
        (["Bool", "Int8"], ("space", Wrong, Wrong)),
        (["Void", "Int32"], ("space", Wrong, Safe)),
        (["UInt16", "E"], ("enum-number", Unrecognized, Safe)),
        (["UInt32", "E"], ("space", Wrong, Wrong)),
        (["E", "E"], ("same", Safe, Safe)),
        (["E", "F"], ("named", Safe, Safe)),
        (["P", "P"], ("same", Safe, Safe)),
        (["P", "Q"], ("named", Safe, Safe)),
        (["P", "Int32"], ("space", Wrong, Wrong)),
        // A call carries the id of the interface.
        (["I", "J"], ("named", Fails, Fails)),
        (["P", "I"], ("pointers", Wrong, Wrong)),
        (["Text", "Data"], ("text-data", Lossy, Fails)),
        (["Data", "List(UInt8)"], ("bytes", Safe, Safe)),
        (["Data", "List(UInt16)"], ("pointers", Wrong, Wrong)),
        (["Text", "List(UInt8)"], ("pointers", Wrong, Wrong)),
        (["P", "Text"], ("pointers", Wrong, Wrong)),
        // A pointer to anything takes what is there, and whoever asks for more is refused.
        (["P", "AnyPointer"], ("any", Safe, Fails)),
        (["Text", "AnyPointer"], ("any", Safe, Fails)),
        (["Int32", "AnyPointer"], ("space", Wrong, Wrong)),
        (["P", "AnyStruct"], ("any", Safe, Fails)),
        (["Text", "AnyStruct"], ("any", Fails, Fails)),
        (["Text", "AnyList"], ("any", Safe, Fails)),
        (["List(Int32)", "AnyList"], ("any", Safe, Fails)),
        (["P", "AnyList"], ("any", Fails, Fails)),
        // A list of anything may be one of bits, which nobody else takes, or one of what is no bits.
        (["List(Bool)", "AnyList"], ("any", Safe, Fails)),
        (["List(Void)", "AnyList"], ("any", Safe, Fails)),
        (["List(P)", "AnyList"], ("any", Safe, Fails)),
        (["I", "Capability"], ("any", Safe, Fails)),
        (["P", "Capability"], ("any", Fails, Fails)),
    ];
    assert_told(&rows);
}

#[test]
fn lists_and_generic_types_relate_as_what_is_in_them() {
    let rows = [
        (["List(Int32)", "List(Int32)"], ("same", Safe, Safe)),
        (["List(Int32)", "List(Int64)"], ("list-items", Wrong, Wrong)),
        (["List(Text)", "List(Data)"], ("list-items", Lossy, Fails)),
        (["List(Data)", "List(List(UInt8))"], ("list-items", Safe, Safe)),
        // An item that is no struct is the first field of one, where that is what it is.
        (["List(Int32)", "List(P)"], ("list-upgrade", Safe, Safe)),
        (["List(UInt32)", "List(P)"], ("list-upgrade", Wrong, Wrong)),
        (["List(Int64)", "List(P)"], ("list-upgrade", Wrong, Wrong)),
        // Of items without a value only the number is seen.
        (["List(P)", "List(Void)"], ("list-upgrade", Lossy, Safe)),
        (["List(Int32)", "List(Void)"], ("list-items", Lossy, Wrong)),
        (["List(Bool)", "List(Void)"], ("list-items", Fails, Wrong)),
        (["List(P)", "List(Q)"], ("named", Safe, Safe)),
        (["List(E)", "List(F)"], ("named", Safe, Safe)),
        (["List(I)", "List(J)"], ("named", Fails, Fails)),
        (["List(List(P))", "List(List(P))"], ("same", Safe, Safe)),
        (["List(List(P))", "List(List(Q))"], ("named", Safe, Safe)),
        (["List(List(E))", "List(List(F))"], ("named", Safe, Safe)),
        (["List(List(I))", "List(List(J))"], ("named", Fails, Fails)),
        (["List(List(Int32))", "List(List(P))"], ("list-upgrade", Safe, Safe)),
        (["List(List(List(Text)))", "List(List(List(P)))"], ("list-upgrade", Wrong, Wrong)),
        (["List(List(Int32))", "List(List(Int64))"], ("list-items", Wrong, Wrong)),
        (["List(P)", "List(List(P))"], ("list-upgrade", Wrong, Wrong)),
        (["List(E)", "List(UInt16)"], ("list-items", Safe, Unrecognized)),
        // What stands for a parameter is what there is.
        (["Box(Text)", "Box(Text)"], ("same", Safe, Safe)),
        (["Box(Text)", "Box(Data)"], ("binding", Lossy, Fails)),
        (["Box(P)", "Box(Q)"], ("binding", Safe, Safe)),
        (["Box", "Box(Text)"], ("binding", Fails, Safe)),
        // What is not given is a pointer to anything.
        (["Box", "Box(AnyPointer)"], ("same", Safe, Safe)),
        (["List(Box(AnyPointer))", "List(Box)"], ("same", Safe, Safe)),
        (["Box(Box)", "Box(Box(AnyPointer))"], ("same", Safe, Safe)),
        (["List(Box(Text))", "List(Box(Data))"], ("binding", Lossy, Fails)),
        (["List(List(Box(Text)))", "List(List(Box(Data)))"], ("binding", Lossy, Fails)),
        (["Box(List(P))", "Box(List(Q))"], ("binding", Safe, Safe)),
        (["Box(List(List(Text)))", "Box(List(List(Text)))"], ("same", Safe, Safe)),
    ];
    assert_told(&rows);
}

/// What fields hold.
const TYPES: &[&str] = &[
    "Void",
    "Bool",
    "Int8",
    "Int16",
    "Int32",
    "Int64",
    "UInt8",
    "UInt16",
    "UInt32",
    "UInt64",
    "Float32",
    "Float64",
    "Text",
    "Data",
    "E",
    "F",
    "P",
    "Q",
    "I",
    "J",
    "AnyPointer",
    "AnyStruct",
    "AnyList",
    "Capability",
    "X",
    "Y",
    "Lost.P",
    "Lost.Q",
    "Lost.E",
    "Lost.I",
    "Lost.Box(Text)",
    "Lost.Box",
    "Box",
    "Box(Text)",
    "Box(Data)",
    "Box(X)",
    "Box(P)",
    "Box(Q)",
    "Box(Lost.P)",
    "Door",
    "Door(Text)",
    "Door(Data)",
    "Both(Text, Data)",
    "Both(Text, Text)",
    "Both(Data, Text)",
    "List(Void)",
    "List(Bool)",
    "List(Int8)",
    "List(UInt8)",
    "List(UInt16)",
    "List(Int64)",
    "List(Float64)",
    "List(Text)",
    "List(Data)",
    "List(E)",
    "List(F)",
    "List(P)",
    "List(Q)",
    "List(I)",
    "List(J)",
    "List(AnyPointer)",
    "List(X)",
    "List(Lost.P)",
    "List(Box(Text))",
    "List(Box(Data))",
    "List(Door(Text))",
    "List(Door(Data))",
    "List(List(UInt8))",
    "List(List(P))",
    "List(List(E))",
    "List(List(I))",
    "List(List(Box(Text)))",
    "List(List(Box(Data)))",
];

const HEAD: &str = "# Written by `UPDATE=1 cargo test`; do not edit. A type with itself; below it those that come after it. The letters: what
# new readers see of old data and old readers of new data, by the first letters of the outcomes; how they relate, and
# the other way round if that is another word. What is told of most is left out: that both are wrong, since the one lies among the data and the other among the pointers.
";

#[test]
fn each_two_types_relate_as_the_table_says() {
    assert_relations("formats/capnp/relation_tests.txt", HEAD, TYPES, told, "WW space");
}

#[test]
fn objects_answer_what_their_interfaces_extend() {
    const DECLARED: &str = "interface A @0xb0000000000000a1 { f @0 (); } interface B @0xb0000000000000a2 extends(A) { g @0 (); }
        interface Both @0xb0000000000000a3 extends(B, C) {} interface C @0xb0000000000000a4 { h @0 (); }
        interface Named @0xb0000000000000a5 extends(A) {} interface Lost @0xb0000000000000a6 extends(import \"/lost.capnp\".X) {}
        interface Of @0xb0000000000000a7 (X) extends(A) {} interface None @0xb0000000000000a8 {}";
    for (types, expected) in [
        (["A", "B"], (Fails, Safe)),
        (["B", "A"], (Safe, Fails)),
        (["List(A)", "List(B)"], (Fails, Safe)),
        (["A", "C"], (Fails, Fails)),
        (["A", "Both"], (Fails, Safe)),
        (["C", "Both"], (Fails, Safe)),
        (["A", "Named"], (Safe, Safe)),
        (["B", "Named"], (Safe, Fails)),
        (["A", "None"], (Safe, Fails)),
        (["A", "Lost"], (Fails, Fails)),
        (["A", "Of(Text)"], (Fails, Fails)),
    ] {
        let texts = types.map(|ty| format!("{DECLARED}\nstruct T {{ f @0 :{ty}; }}"));
        let (relation, new, old) = told_of(texts.each_ref().map(String::as_str));
        assert_eq!((relation, new, old), ("named", expected.0, expected.1), "{types:?}");
    }
}
