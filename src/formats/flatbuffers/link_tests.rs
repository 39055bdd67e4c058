use super::super::Flatbuffers;
use super::super::model::Default;
use super::*;
use crate::change::Pair;
use crate::formats::check::CheckOptions;
use crate::formats::frame::Parsed;
use crate::snapshot::Snapshot;
use crate::syntax::problem::Severity;

/// What one file says after linking, and what is wrong with it.
fn linked<T>(files: &[(&str, &str)], look: impl FnOnce(&Linkage<Schema<'_>>) -> T) -> T {
    let snapshot = Snapshot::from_files(files.iter().map(|(path, text)| (*path, text.as_bytes())));
    let options = CheckOptions::default();
    let nothing = Snapshot::default();
    let parsed = Parsed::<Flatbuffers>::new(Pair::new(&nothing, &snapshot), &options);
    let linked = parsed.link();
    look(&linked.sides.new)
}

/// The text under the first error, and its message.
fn refused(text: &str) -> (String, String) {
    linked(&[("t.fbs", text)], |linkage| {
        let error = linkage.problems.iter().find(|problem| problem.severity == Severity::Error);
        let error = error.unwrap_or_else(|| panic!("nothing is wrong with {text}"));
        let span = error.site.as_ref().expect("every problem of a file has a place").span;
        (text[span.range()].to_owned(), error.message.clone())
    })
}

#[test]
fn what_the_compiler_refuses_is_refused_at_its_place() {
    let cases = [
        ("table T { a:int (id:0); b:int (id:0); }", "id", "takes id 0"),
        ("table T { a:int (id:0); b:int (id:2); }", "id", "no field has the id 1"),
        ("table T { a:int (id:0); b:int; }", "b", "has no `id`"),
        ("table A{} union U{A} table T { u:U (id:0); }", "id", "takes two"),
        ("table A{} struct S { a:A; }", "A", "a struct cannot have"),
        ("struct S { a:string; }", "string", "a struct cannot have"),
        ("struct S {}", "S", "is empty"),
        ("struct S { s:S; }", "S", "no size"),
        ("struct S (force_align: 3) { a:int; }", "force_align", "cannot be aligned"),
        ("table T { a:Missing; }", "Missing", "not defined"),
        ("table T { a:int; a:int; }", "a", "already"),
        ("table T {} table T {}", "T", "already"),
        ("enum E:byte { A, A }", "A", "already"),
        ("enum E:byte { A = 1, B = 1 }", "B = 1", "has the number 1"),
        ("enum E:ubyte { A = 256 }", "256", "cannot store"),
        ("enum E:byte { A = 127, B }", "B", "cannot store"),
        ("enum E:ubyte (bit_flags) { A = 8 }", "8", "does not fit"),
        ("enum E { A }", "E", "does not say"),
        ("enum E:float { A }", "float", "cannot store"),
        ("table T { e:E; } enum E:byte { A }", "E", "in front of its declaration"),
        ("enum E:byte { A = 1 } table T { e:E; }", "e", "no value"),
        ("enum E:byte { A } table T { e:E = B; }", "B", "cannot be the default"),
        ("table T { a:int (required); }", "required", "cannot be `required`"),
        ("table T { a:int = 1.5; }", "1.5", "cannot be the default"),
        ("table T { a:byte = 128; }", "128", "does not fit"),
        ("table T { a:[int:3]; }", "[int:3]", "only be in a struct"),
        ("table T { a:[[int]]; }", "[", "vector"),
        ("table T { a:int (key); b:int (key); }", "b", "key"),
        ("table T { a:string; aByteVector:int; }", "aByteVector", "accessor"),
        ("table T {} include \"a.fbs\";", "include", "first"),
        ("file_identifier \"ABC\";", "\"ABC\"", "exactly 4"),
        ("struct S { a:int; } root_type S;", "S", "not a table"),
        ("table T { a:int }", "}", "expected `;`"),
    ];
    for (text, at, message) in cases {
        let (place, said) = refused(text);
        assert!(place == at && said.contains(message), "{text}\n  at {place}: {said}");
    }
}

/// Each as flatc 25.12.19 generates code for it.
#[test]
fn a_table_that_is_not_declared_yet_is_the_next_of_its_name() {
    let cases = [
        ("namespace a; table T { c:C; } namespace b; table C { r:int; }", "b.C"),
        ("namespace a; table T { c:C; } namespace b; table C { r:int; } namespace a; table C { g:int; }", "b.C"),
        ("namespace a; table T { c:C; } namespace a; table C { r:int; } namespace b; table C { g:int; }", "a.C"),
        ("namespace a; table T { c:C; } namespace b; struct C { r:int; }", "b.C"),
        ("table C { z:int; } namespace a; table T { c:C; } namespace b; table C { r:int; }", "C"),
        ("namespace b; table C { r:int; } namespace a; table T { c:C; }", "not defined"),
        ("namespace a; table T { c:x.C; } namespace b.x; table C { r:int; }", "not defined"),
        ("namespace a; table T { c:C; } namespace b; enum C:byte { r }", "not defined"),
    ];
    for (text, meant) in cases {
        let found = linked(&[("t.fbs", text)], |linkage| match linkage.problems.first() {
            Some(problem) => problem.message.to_string(),
            None => {
                let of_name = |object: &&Object<'_>| object.full_name.ends_with('T');
                let table = linkage.schema.objects.iter().find(of_name).expect("it is declared");
                match table.fields[0].ty {
                    Type::Table(id) | Type::Struct(id) => linkage.schema.object(id).full_name.to_string(),
                    ref other => format!("{other:?}"),
                }
            }
        });
        assert!(found == meant || meant == "not defined" && found.contains(meant), "{text}\n  {found}");
    }
}

#[test]
fn slots_are_counted_or_taken_from_ids() {
    let text = "table A{} union U{A} table T { a:int; u:U; us:[U]; b:int; } \
                table I { b:int (id:2); u:U (id:1); }";
    let slots = linked(&[("t.fbs", text)], |linkage| {
        assert!(linkage.problems.is_empty(), "{:?}", linkage.problems);
        let fields = linkage.schema.objects[1..].iter().flat_map(|object| &object.fields);
        fields.map(|field| format!("{}{}", field.name.text, field.slot)).collect::<Vec<_>>()
    });
    assert_eq!(slots, ["a0", "u2", "us4", "b5", "u1", "b2"]);
}

#[test]
fn structs_are_laid_out_with_padding() {
    let text = "struct O (force_align: 16) { a:byte; i:I; v:[short:3]; } struct I { x:byte; y:double; }";
    let found = linked(&[("t.fbs", text)], |linkage| {
        let outer = &linkage.schema.objects[0];
        let layout = outer.layout.expect("it is a struct");
        (layout.size, layout.align, outer.fields.iter().map(|field| field.offset).collect::<Vec<_>>())
    });
    assert_eq!(found, (32, 16, vec![0, 8, 24]));
}

#[test]
fn defaults_are_read_in_every_spelling() {
    let text = "namespace a.b; enum E:ubyte { X = 2, Y = 4 } enum F:ubyte (bit_flags) { P, Q = 3 } \
                table T { a:int = 0x10; b:int = 010; c:bool = true; d:E = Y; e:E = Y; f:F = \"P Q\"; g:int = null; \
                h:float = -inf; i:double = rad(180); j:[int] = []; k:string; l:int = \"E.X\"; m:double = 1e3; }";
    let found = linked(&[("t.fbs", text)], |linkage| {
        assert!(linkage.problems.is_empty(), "{:?}", linkage.problems);
        linkage.schema.objects[0].fields.iter().map(|field| field.default).collect::<Vec<_>>()
    });
    let integers = [16, 10, 1, 4, 4, 9].map(Default::Integer);
    let rest = [
        Default::Absent,
        Default::Real(f64::NEG_INFINITY),
        Default::Real(std::f64::consts::PI),
        Default::Empty,
        Default::Absent,
        Default::Integer(2),
        Default::Real(1000.0),
    ];
    assert_eq!(found, [&integers[..], &rest].concat());
}

#[test]
fn includes_lead_beside_the_file_and_missing_ones_are_forgiven() {
    let main = "include \"types.fbs\"; include \"gone.fbs\"; table T { s:n.S; g:Gone; } root_type T;";
    linked(&[("d/main.fbs", main), ("d/types.fbs", "namespace n; struct S { a:int; }")], |linkage| {
        let types: Vec<&Type> = linkage.schema.objects[0].fields.iter().map(|field| &field.ty).collect();
        assert!(matches!(types[..], [Type::Struct(_), Type::Opaque(_)]), "{types:?}");
        assert!(linkage.problems.iter().all(|problem| problem.severity == Severity::Warning));
    });
}
