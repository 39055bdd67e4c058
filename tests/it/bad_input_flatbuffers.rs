//! Broken and hostile input in FlatBuffers, through the program: a message at its place, never a panic and never a pass.

use std::fmt::Write as _;

use crate::bad_input::{compare, write};
use crate::bad_input_avro::errors;
use crate::git::Place;

/// The files of one run: each must be refused, in these words.
#[track_caller]
fn assert_each_refused(cases: &[(&str, &[u8], &str)]) {
    let place = Place::new();
    place.write("old/good.fbs", "table Good { a: int; }\n").write("new/good.fbs", "table Good { a: int; }\n");
    for (name, bytes, _) in cases {
        write(&place, &format!("new/{name}.fbs"), bytes);
    }
    let ran = compare(&place, &["--format", "json"]);
    assert_eq!(ran.code, 3, "{}", ran.err);
    let errors = errors(&ran);
    let none = Vec::new();
    let told = |name: &str| errors.get(&format!("{name}.fbs")).unwrap_or(&none);
    let missed: Vec<String> = cases
        .iter()
        .filter(|(name, _, said)| !told(name).iter().any(|error| error.contains(said)))
        .map(|(name, _, said)| format!("{name}: expected `{said}`, told {:#?}", told(name)))
        .collect();
    assert!(missed.is_empty(), "{}", missed.join("\n"));
    assert!(!errors.contains_key("good.fbs"), "{errors:#?}");
}

#[test]
fn what_is_no_schema_of_flatbuffers_is_refused_at_its_place() {
    assert_each_refused(&[
        ("bytes", b"\xff\xfe\0s\0", "1:1 the file is no text: this is not valid UTF-8"),
        ("brace", b"table T { a: int;\n", "1:"),
        ("zero", b"enum E : byte { A = 1 }\nstruct S { e: E; }\n", "which is no value of `E`"),
        ("itself", b"struct S { s: S; }\n", "has no size"),
        ("slot", b"table T { a: int (id: 0); b: int (id: 0); }\n", "takes id 0"),
        ("empty", b"struct S { }\n", "is empty"),
        ("ends", b"table T {\n  x:int\n  y:int;\n}\n", "2:8 expected `;` at the end of field `x`"),
    ]);
}

fn compared(old: &str, new: &str) -> crate::git::Ran {
    let place = Place::new();
    place.write("old/a.fbs", old).write("new/a.fbs", new);
    compare(&place, &["--format", "json"])
}

#[test]
fn a_file_with_an_error_is_one_problem_and_no_fault_of_ours() {
    let old = "enum E : byte { A = 0, B = 1 }\ntable T { e: E = B; }\nroot_type T;\n";
    let new = "enum E : byte { A = 0 }\ntable T { e: E = B; }\nroot_type T;\n";
    let ran = compared(old, new);
    assert_eq!(ran.code, 3, "{}", ran.err);
    assert!(!ran.out.contains("unexplained:") && !ran.out.contains("bug in wireproof"), "{}", ran.out);
}

#[test]
fn a_wide_table_and_deep_structs_come_to_an_end() {
    let fields = |ty: &str| {
        (0..2000).fold(String::new(), |mut text, at| {
            let _ = writeln!(text, "f{at}: {ty};");
            text
        })
    };
    let table = |ty: &str| format!("table T {{\n{}}}\nroot_type T;\n", fields(ty));
    assert_eq!(compared(&table("int"), &table("float")).code, 1);

    let nested = |first: &str| {
        let mut text = format!("struct S0 {{ a: {first}; b: int; }}\n");
        for at in 1..100 {
            let _ = writeln!(text, "struct S{at} {{ s: S{}; }}", at - 1);
        }
        text + "table T { s: S99; }\nroot_type T;\n"
    };
    let ran = compared(&nested("int"), &nested("long"));
    assert_eq!(ran.code, 1, "{}", ran.err);
}
