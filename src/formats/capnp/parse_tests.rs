use super::*;
use crate::formats::capnp::ast::{ExpressionKind, MemberKind, Signature};
use crate::formats::capnp::language::Capnp;
use crate::formats::capnp::model::{Absence, Declared, Schema};
use crate::formats::check::CheckOptions;
use crate::formats::frame;
use crate::snapshot::Snapshot;
use crate::syntax::problem::Severity;
use crate::value::Value;

const ID: &str = "@0xd3a5e2f7c1b49086;\n";

fn parsed(text: &str) -> (Document<'_>, Vec<String>) {
    let (document, problems) = parse(&Arc::from("a.capnp"), text.as_bytes());
    (document, problems.into_iter().map(|problem| problem.message).collect())
}

/// What is said of a schema, and something about it.
fn linked<T>(text: &str, look: impl FnOnce(&Schema<'_>) -> T) -> (T, Vec<(Severity, String)>) {
    let text = format!("{ID}{text}");
    let snapshot = Snapshot::from_files([("a.capnp", text.as_bytes())]);
    frame::with_schema::<Capnp, _>(&snapshot, &CheckOptions::default(), |schema, problems| {
        let said = problems.iter().map(|problem| (problem.severity, problem.message.clone()));
        (look(schema), said.collect())
    })
}

#[test]
fn everything_that_the_grammar_has_is_read() {
    let text = "\u{feff}@0xd3a5e2f7c1b49086;  # the id\n\
        $Cxx.namespace(\"shop\");\n\
        using Cxx = import \"/capnp/c++.capnp\";\n\
        using import \"b.capnp\".Thing;\n\
        using Other = .Outer.Inner;\n\
        const limit @0xfedcba9876543210 :List(Int32) = [1, -2, 0x1F, 017] $Cxx.name(\"x\");\n\
        annotation mark(struct, field) :Text;\n\
        annotation all @0xfedcba9876543211 (*) :Void;\n\
        struct Outer(T, U) $mark(\"a\" \"b\") {\n\
          struct Inner @0xfedcba9876543212 { union { a @0 :Void; b @1 :Text; } }\n\
          using @0 :Outer(Text, List(U)).Inner;  # doc\n\
          struct @1 :import \"b.capnp\".Box(Data) = (a = 1, g = (b = [true]), c = limit);\n\
          union @2 :Data = 0x\"68 69\";\n\
          g :group { x @3 :Float64 = -inf; y @4 :Text = `line\n`more\n ; }\n\
          named :union $all { c @5 :Float32 = 1.5e3; d :group { e @6 :AnyPointer; } }\n\
        }\n\
        enum Empty {}\n\
        interface Store(T) extends(Base(T), .Other) {\n\
          enum E { one @0; two @1 $all; }\n\
          get @0 (id :Text = \"\", n :Int32) -> (found :Bool) $all;\n\
          put @1 [V] Outer(V, V) -> stream;\n\
          old @2 ();\n\
        }\n";
    let (document, problems) = parsed(text);
    assert_eq!(problems, Vec::<String>::new());
    assert_eq!(document.id.map(|(id, _)| id), Some(0xd3a5_e2f7_c1b4_9086));
    let paths: Vec<&str> = document.imports.iter().map(|path| &*path.text).collect();
    assert_eq!(paths, ["/capnp/c++.capnp", "b.capnp", "b.capnp"]);
    let names: Vec<&str> = document.body.iter().map(|one| &*one.name.text).collect();
    assert_eq!(names, ["Cxx", "Thing", "Other", "limit", "mark", "all", "Outer", "Empty", "Store"]);
    let Kind::Struct(members) = &document.body[6].kind else { panic!("a struct") };
    let names: Vec<&str> = members.iter().map(|member| &*member.name.text).collect();
    assert_eq!(names, ["using", "struct", "union", "g", "named"], "words of the language may name fields");
    let MemberKind::Group(inside) = &members[3].kind else { panic!("a group") };
    let MemberKind::Field(_, Some(text)) = &inside[1].kind else { panic!("a default") };
    assert!(matches!(&text.kind, ExpressionKind::Text(text) if &**text == b"line\nmore\n"));
    let Kind::Interface(_, methods) = &document.body[8].kind else { panic!("an interface") };
    assert!(matches!(methods[1].results, Signature::Stream));
}

#[test]
fn a_statement_that_cannot_be_understood_does_not_hide_the_others() {
    let (document, problems) =
        parsed("struct A { a @0 :; b @1 :Int32; } nonsense; struct B { c @0 :Text }\nenum C { d @0; }");
    assert_eq!(problems.len(), 3, "{problems:?}");
    let names: Vec<&str> = document.body.iter().map(|one| &*one.name.text).collect();
    assert_eq!(names, ["A", "B", "C"]);
}

#[test]
fn depth_is_bounded() {
    for (open, close) in [("struct A { ", "}"), ("struct B { x @0 :List(", ")"), ("const c :Text = [", "]")] {
        let text = format!("{}{}", open.repeat(5_000), close.repeat(5_000));
        assert!(!parsed(&text).1.is_empty());
    }
    let deep = format!("const c :Text = {}{};", "[".repeat(100_000), "]".repeat(100_000));
    assert!(!parsed(&deep).1.is_empty());
    let long = format!("using A = B{};", ".C".repeat(100_000));
    assert_eq!(parsed(&long).1, Vec::<String>::new(), "a long name is not deep");
}

#[test]
fn what_the_compiler_refuses_is_refused() {
    for (text, says) in [
        ("struct A { a @0 :Int32; b @2 :Int32; }", "the ordinal @2 follows though @1 is not there"),
        ("struct A { a @0 :Int32; b @0 :Int32; }", "another member has the ordinal @0 as well"),
        ("struct A { a @0 :Int32; a @1 :Int32; }", "`a` is declared twice here"),
        ("struct A { union { a @0 :Int32; } }", "a union has at least two members"),
        ("struct A { g :group { } a @0 :Int32; }", "a group has at least one member"),
        ("struct A { a :Int32; }", "has no ordinal"),
        ("struct A { a @0 :Nowhere; }", "`Nowhere` is not defined"),
        ("struct A { a @0 :List; }", "this is no type"),
        ("struct A(T) { a @0 :T(text); }", "`text` is not defined"),
        ("struct A { a @0 :Text(Data); }", "takes no parameters"),
        ("struct A { a @0 :Int32 = \"one\"; }", "this is no value of `Int32`"),
        ("struct A { a @0 :UInt8 = 256; }", "this is no value of `UInt8`"),
        ("struct A { a @0 :Data = \"t\" 0x\"41\"; }", "expected"),
        ("struct A { a @0 :Float64 = .5; }", "no number begins with a point"),
        ("struct A { g @0 :group { a @1 :Int32; } }", "groups have no ordinal"),
        ("struct A { u ! :union { a @0 :Int32; b @1 :Int32; } }", "behind the ordinal of a union with a name only"),
        ("struct A { a @0! :Int32; }", "behind the ordinal of a union with a name only"),
        ("struct A {} struct A {}", "`A` is declared twice here"),
        ("struct A @0xd3a5e2f7c1b49086 {}", "as well"),
        ("struct A @0x1 {}", "an id has 64 bits"),
        (
            "struct A { a @0! :union { b @1 :Int32; c @2 :Int32; } d @3 :A; } using B = C; using C = B; struct E { x @0 :B; }",
            "stands for itself",
        ),
        ("struct A { u @0 :union { b @1 :Int32; c @2 :Int32; } }", "unions have no ordinal any more"),
        ("enum E { a @0; b @2; }", "the ordinal @2 follows"),
        ("interface I { a @1 (); }", "the ordinal @1 follows"),
        ("interface I extends(A) {} struct A {}", "this is no interface"),
    ] {
        let (_, problems) = linked(text, |_| ());
        assert!(problems.iter().any(|(_, message)| message.contains(says)), "{text}: {problems:?}");
    }
}

#[test]
fn what_a_parameter_stands_for_decides_which_values_are_taken() {
    let box_ = "struct Box(T) { a @0 :T; b @1 :List(Text); } struct Outer(T) { using Other = T; \
                struct Inner(U) { a @0 :T; b @1 :U; } struct User { inner @0 :Inner; } }";
    for (field, is_taken) in [
        ("x @0 :Box = (a = \"x\")", false),
        ("x @0 :Box = (b = [\"x\"])", true),
        ("x @0 :Box(Text) = (a = \"x\")", true),
        ("x @0 :Box(Text) = (a = 3)", false),
        ("x @0 :Box(Box(Text)) = (a = (a = \"x\"))", true),
        ("x @0 :Box(Box) = (a = (a = \"x\"))", false),
        ("x @0 :P = \"x\"", false),
        ("x @0 :P = .nothing", false),
        ("x @0 :Box(P) = (a = \"x\")", true),
        ("x @0 :Outer(Text).Other = \"x\"", true),
        ("x @0 :Outer(Text).Other = 5", false),
        ("x @0 :Outer(Text).User = (inner = (a = \"x\"))", true),
        ("x @0 :Outer(Text).Inner(Data) = (a = \"x\", b = 0x\"00\")", true),
        ("x @0 :Outer(Text).Inner(Data) = (a = \"x\", b = [1])", false),
        ("x @0 :Outer.Inner(Data) = (b = 0x\"00\")", true),
        ("x @0 :Outer.Inner(Data) = (a = \"x\")", false),
    ] {
        let text = format!("{box_} const nothing :Box = (); struct User(P) {{ {field}; }}");
        let (_, problems) = linked(&text, |_| ());
        assert_eq!(problems.is_empty(), is_taken, "{field}: {problems:?}");
    }
    // Types that are given each other double with every level.
    let (open, close) = ("(a = ".repeat(40), ")".repeat(40));
    let text = format!(
        "struct D(T, U) {{ a @0 :D(D(T, U), D(U, T)); }} struct S {{ x @0 :D(Text, Data) = {open}(){close}; }}"
    );
    assert_eq!(linked(&text, |_| ()).1, Vec::new());
}

#[test]
fn names_are_found_in_scopes_and_files() {
    let text = "struct A { struct B { x @0 :C; y @1 :.C; z @2 :D; } enum C { p @0; } using D = C; } enum C { q @0; }\n\
                interface Base { struct Inner {} } interface I extends(Base) { m @0 (a :Base.Inner) -> (b :List(Text)); }";
    let (types, problems) = linked(text, |schema| {
        let of = |name: &str| match schema.names.get(name) {
            Some(Declared::Struct(id)) => {
                schema.structure(*id).fields.iter().map(|field| schema.spelled(&field.ty)).collect::<Vec<_>>()
            }
            _ => Vec::new(),
        };
        let method =
            schema.interfaces.iter().find(|of| &*of.full_name == "a.I").map(|of| of.methods[0].parameters.clone());
        let inner = method.flatten().map(|data| schema.spelled(&schema.structure(data.id).fields[0].ty));
        (of("a.A.B"), inner)
    });
    assert_eq!(problems, Vec::new());
    assert_eq!(types.0, ["a.A.C", "a.C", "a.A.C"]);
    assert_eq!(types.1.as_deref(), Some("a.Base.Inner"));
}

#[test]
fn what_holds_itself_twice_and_again_is_looked_at_once() {
    let levels = 1..40;
    let extended: String =
        levels.clone().map(|at| format!("interface I{at} extends(I{0}, I{0}) {{}} ", at - 1)).collect();
    let text = format!("interface I0 {{}} {extended} interface K extends(I39) {{ m @0 (a :Nope); }}");
    let (_, problems) = linked(&text, |_| ());
    assert!(problems.iter().any(|told| told.1.contains("`Nope` is not defined")), "{problems:?}");

    let names: String = levels.map(|at| format!("using A{at} = Box(A{0}, A{0}); ", at - 1)).collect();
    for (used, is_refused) in [(8, false), (30, true)] {
        let text = format!("struct Box(T, U) {{}} using A0 = Text; {names} struct S {{ a @0 :A{used}; }}");
        let (_, problems) = linked(&text, |_| ());
        // That names which nothing uses stand for such a type is a warning.
        let is_error = |told: &(Severity, String)| told.0 == Severity::Error && told.1.contains("is made of more than");
        assert_eq!(problems.iter().any(is_error), is_refused, "{problems:?}");
    }
}

#[test]
fn ids_that_are_not_written_follow_from_the_scope_and_the_name() {
    // As `capnp compile -ocapnp` prints them.
    let text = "struct Sizes { enum Colour { red @0; } } struct Empty {}";
    let snapshot = Snapshot::from_files([("a.capnp", format!("@0xe5d0b5f3a9e1c7d2;\n{text}").as_bytes())]);
    let printed = include_str!("../../../tests/runtimes/capnp/layout.capnp");
    frame::with_schema::<Capnp, _>(&snapshot, &CheckOptions::default(), |schema, _| {
        for (name, id) in [
            ("struct Sizes", schema.structs[0].id),
            ("enum Colour", schema.enums[0].id),
            ("struct Empty", schema.structs[1].id),
        ] {
            assert!(printed.contains(&format!("{name} @0x{id:x} ")), "{name} @0x{id:x}");
        }
    });
}

#[test]
fn defaults_are_evaluated() {
    let text = "const one :Int32 = 1; const two :Text = \"t\"; enum E { a @0; b @1; }\n\
                struct S { a @0 :Int32 = .one; b @1 :Text = .two; c @2 :E = b; d @3 :List(Int8) = [1, .one]; e @4 :Data = \"x\";\n\
                  f @5 :P = (x = 5, g = (y = true)); h @6 :P = 7; i @7 :Float32 = inf; j @8 :Bool = false; k @9 :Text = embed \"f\"; }\n\
                struct P { x @0 :Int32; union { g :group { y @1 :Bool; } z @2 :Void; } }";
    let (defaults, problems) =
        linked(text, |schema| schema.structs[0].fields.iter().map(|field| field.default.clone()).collect::<Vec<_>>());
    let [(severity, told)] = &problems[..] else { panic!("{problems:?}") };
    assert_eq!(*severity, Severity::Warning);
    assert!(told.contains("in a file that is embedded, which is not read"), "{told}");
    assert_eq!(defaults[0], Absence::Value(Value::Int(1)));
    assert_eq!(defaults[1], Absence::Value(Value::Text(b"t".to_vec())));
    assert_eq!(defaults[2], Absence::Value(Value::Enum { ty: 0, number: 1 }));
    assert_eq!(defaults[3], Absence::Value(Value::List(vec![Value::Int(1), Value::Int(1)])));
    assert!(matches!(&defaults[5], Absence::Value(Value::Record(record)) if record.fields.len() == 2));
    assert!(matches!(&defaults[6], Absence::Value(Value::Record(record)) if record.fields[&0] == Value::Int(7)));
    assert_eq!((&defaults[8], &defaults[9]), (&Absence::Zero, &Absence::Unknown));
}
