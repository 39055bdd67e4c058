//! Broken and hostile input in Cap'n Proto, through the program: a message at its place, never a panic and never a pass.

use crate::bad_input::{compare, write};
use crate::bad_input_avro::errors;
use crate::git::{Place, Ran};

const ID: &str = "@0xd3a5e2f7c1b49086;\n";

/// The files of one run: each must be refused, in these words.
#[track_caller]
fn assert_each_refused(cases: &[(&str, &[u8], &str)]) {
    let place = Place::new();
    let good = "@0xd3a5e2f7c1b49087;\nstruct Good { a @0 :Int32; }\n";
    place.write("old/good.capnp", good).write("new/good.capnp", good);
    for (name, bytes, _) in cases {
        write(&place, &format!("new/{name}.capnp"), bytes);
    }
    let ran = compare(&place, &["--format", "json"]);
    assert_eq!(ran.code, 3, "{}", ran.err);
    let errors = errors(&ran);
    let none = Vec::new();
    let told = |name: &str| errors.get(&format!("{name}.capnp")).unwrap_or(&none);
    let missed: Vec<String> = cases
        .iter()
        .filter(|(name, _, said)| !told(name).iter().any(|error| error.contains(said)))
        .map(|(name, _, said)| format!("{name}: expected `{said}`, told {:#?}", told(name)))
        .collect();
    assert!(missed.is_empty(), "{}", missed.join("\n"));
    assert!(!errors.contains_key("good.capnp"), "{errors:#?}");
}

#[test]
fn what_is_no_schema_of_capnp_is_refused_at_its_place() {
    assert_each_refused(&[
        ("bytes", b"\xff\xfe\0s\0", "1:1 "),
        ("brace", b"@0xd3a5e2f7c1b49001;\nstruct T { a @0 :Int32;\n", "2:8 struct `T` is never closed"),
        ("no-id", b"struct T { a @0 :Int32; }\n", "1:1 this file has no id"),
        ("small-id", b"@0x17;\nstruct T {}\n", "1:1 an id has 64 bits"),
        ("gap", b"@0xd3a5e2f7c1b49002;\nstruct T { a @1 :Int32; }\n", "2:14 the ordinal @1 follows though @0"),
        ("twice", b"@0xd3a5e2f7c1b49003;\nstruct T { a @0 :Int32; b @0 :Int32; }\n", "has the ordinal @0 as well"),
        ("itself", b"@0xd3a5e2f7c1b49004;\nusing A = B;\nusing B = A;\nstruct T { a @0 :A; }\n", "stands for itself"),
        ("number", b"@0xd3a5e2f7c1b49005;\nstruct T { a @99999 :Int32; }\n", "smaller than 65535"),
        ("two-ids", b"@0xd3a5e2f7c1b49007;\n@0xd3a5e2f7c1b49008;\n", "2:1 the file has an id already"),
        (
            "letters",
            b"@0xd3a5e2f7c1b49009;\nstruct t { A @0 :Int32; b_c @1 :Int32; }\n",
            "2:8 the name of a type begins",
        ),
        ("nothing", b"@0xd3a5e2f7c1b4900a;\nstruct T $nope {}\n", "2:11 `nope` is not defined"),
        (
            "endless",
            b"@0xd3a5e2f7c1b4900b;\nconst a :Int32 = .b;\nconst b :Int32 = .a;\n",
            "this is no value of `Int32`",
        ),
        ("value", b"@0xd3a5e2f7c1b49006;\nstruct T { a @0 :Int8 = 128; }\n", "2:25 this is no value of `Int8`"),
    ]);
}

#[test]
fn two_files_of_one_id_are_refused() {
    let place = Place::new();
    let text = |name: &str| format!("{ID}struct {name} {{ a @0 :Int32; }}\n");
    place.write("old/a.capnp", &text("A")).write("new/a.capnp", &text("A")).write("new/b.capnp", &text("B"));
    let ran = compare(&place, &["--format", "json"]);
    assert_eq!(ran.code, 0, "nobody sees both: {}{}", ran.out, ran.err);
    place.write("new/b.capnp", &format!("{}using A = import \"a.capnp\";\n", text("B")));
    let ran = compare(&place, &["--format", "json"]);
    assert_eq!(ran.code, 3, "{}", ran.err);
    assert!(ran.out.contains("has the id @0xd3a5e2f7c1b49086 as well"), "{}", ran.out);
}

#[test]
fn an_import_that_leads_nowhere_is_told_and_what_hangs_on_it_is_no_pass() {
    let file = |ty: &str| format!("using Gone = import \"gone.capnp\";\nstruct A {{ a @0 :{ty}; }}\n");
    let ran = compared(&file("Gone.B"), &file("Gone.B"));
    assert!(ran.out.contains("gone.capnp"), "{}", ran.out);
    let ran = compared(&file("Gone.B"), &file("Gone.C"));
    assert_ne!(ran.code, 0, "{}{}", ran.out, ran.err);
    assert!(ran.out.contains("gone.capnp"), "{}", ran.out);
}

#[test]
fn a_default_in_a_file_that_is_embedded_is_told_to_be_unread() {
    let text = "struct A { a @0 :Data = embed \"logo.png\"; }\n";
    let ran = compared(text, text);
    assert!(ran.out.contains("which is not read"), "{}{}", ran.out, ran.err);
    let ran = compared("struct A { a @0 :Text; }\n", "struct A { a @0 :Text = embed \"a.txt\"; }\n");
    assert!(ran.out.contains("which is not read"), "{}{}", ran.out, ran.err);
    assert_ne!(ran.code, 0, "{}{}", ran.out, ran.err);
}

fn compared(old: &str, new: &str) -> Ran {
    let place = Place::new();
    place.write("old/a.capnp", &format!("{ID}{old}")).write("new/a.capnp", &format!("{ID}{new}"));
    compare(&place, &["--format", "json"])
}

#[test]
fn hostile_files_cost_what_they_are_worth() {
    let deep = |open: &str, close: &str| format!("{}{}", open.repeat(100_000), close.repeat(100_000));
    for text in [
        deep("struct A { ", "}"),
        format!("struct A {{ a @0 :{} ; }}", deep("List(", ")")),
        format!("const a :Text = {};", deep("[", "]")),
        format!("struct A {{ a @0 :A{}; }}", "(A".repeat(50_000)),
    ] {
        let ran = compared("struct Good { a @0 :Int32; }\n", &text);
        assert_eq!(ran.code, 3, "{}: {}", &text[..40], ran.err);
        assert!(!ran.err.contains("panicked"), "{}", ran.err);
    }
    // Each constant is ten of the one before.
    let mut grown = "const c0 :List(Int32) = [1];\n".to_owned();
    for level in 1..12u32 {
        let ty = format!("{}Int32{}", "List(".repeat(level as usize + 1), ")".repeat(level as usize + 1));
        let items = vec![format!(".c{}", level - 1); 10].join(", ");
        grown.push_str(&format!("const c{level} :{ty} = [{items}];\n"));
    }
    let ty = format!("{}Int32{}", "List(".repeat(12), ")".repeat(12));
    let field = |name: &str| format!("{grown}struct A {{ {name} @0 :{ty} = .c11; }}\n");
    let ran = compared(&field("a"), &field("b"));
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
}

#[test]
fn types_that_hold_themselves_come_to_an_end() {
    let text = |ty: &str| {
        format!(
            "struct Node(T) {{ next @0 :Node(Node(T)); list @1 :List(Node(Text)); value @2 :T; own @3 :{ty};\n\
             union {{ left @4 :Node(T); right :group {{ more @5 :Node(T); }} }} }}\n"
        )
    };
    let ran = compared(&text("Int32"), &text("Int64"));
    assert_eq!(ran.code, 1, "{}{}", ran.out, ran.err);
    assert!(ran.out.contains("capnp/space-changed"), "{}", ran.out);
}

/// The compiler takes two type parameters of one name; nothing moved where nothing changed.
#[test]
fn type_parameters_of_one_name_stay_where_they_are() {
    let side = |file: &str| {
        let text = format!("@0xd3a5e2f7c1b49086;\n{file}");
        crate::support::snapshot(&std::collections::BTreeMap::from([("a.capnp".to_owned(), text)]))
    };
    for file in ["struct Box(T, T) { inside @0 :T; }", "interface Store(K, V, K) { get @0 (key :K) -> (value :V); }"] {
        let sides = wireproof::change::Pair::new(side(file), side(file));
        let policy = wireproof::verdict::Policy::default();
        let report = crate::support::report(wireproof::formats::Format::Capnp, sides.as_ref(), &policy);
        let told: Vec<&String> = report.findings.iter().map(|finding| &finding.message).collect();
        assert!(told.is_empty(), "{file}: {told:?}");
    }
}
