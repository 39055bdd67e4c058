//! What services of judged files are made of is judged with them, in whichever file it stands.

use wireproof::change::Pair;
use wireproof::formats::{CheckOptions, Format};
use wireproof::pipeline::check_snapshots;
use wireproof::report::json;
use wireproof::rules::RuleSet;
use wireproof::source::{Lent, Snapshot};
use wireproof::verdict::{Mode, Policy};

/// A judged file, and the file that it imports and that is not judged.
struct Made {
    format: Format,
    extension: &'static str,
    judged: &'static str,
    supplied: &'static str,
    /// What is put in the place of what there, and breaks who calls or serves.
    breaking: &'static [(&'static str, &'static str)],
    /// What nobody feels of whom the judged file is.
    quiet: &'static [(&'static str, &'static str)],
}

const MADE: &[Made] = &[
    Made {
        format: Format::Protobuf,
        extension: "proto",
        judged: r#"syntax = "proto3"; package s; import "lib/c.proto"; service S { rpc F(c.P) returns (stream c.Q); }"#,
        supplied: r#"syntax = "proto3"; package c; message P { int32 x = 1; } message Q { I y = 1; }
            message I { int32 z = 1; } message N { int32 n = 1; } service B { rpc G(P) returns (Q); }"#,
        breaking: &[("int32 x", "string x"), ("int32 z", "string z")],
        quiet: &[("int32 n", "string n"), ("rpc G(P) returns (Q);", "")],
    },
    Made {
        format: Format::Flatbuffers,
        extension: "fbs",
        judged: r#"include "lib/c.fbs"; namespace s; rpc_service S { F(c.P):c.Q; }"#,
        supplied: "namespace c; table P { x:int; } table Q { y:I; } table I { z:int; } table N { n:int; }
            rpc_service B { G(P):Q; H(P):Q; }",
        breaking: &[("x:int", "x:string"), ("z:int", "z:string")],
        quiet: &[("n:int", "n:string"), ("G(P):Q;", "")],
    },
    Made {
        format: Format::Avro,
        extension: "avdl",
        judged: r#"@namespace("s") protocol S { import idl "lib/c.avdl"; c.Q f(c.P p); }"#,
        supplied: r#"@namespace("c") protocol C { record P { int x; } record Q { I y; } record I { int z; } void g(int a); }"#,
        breaking: &[("int x", "string x"), ("int z", "string z"), ("int a", "string a"), ("void g(int a);", "")],
        quiet: &[],
    },
    Made {
        format: Format::Thrift,
        extension: "thrift",
        judged: "include \"lib/c.thrift\"\nservice S extends c.B { void x() }",
        supplied: "struct P { 1: i32 x } service A { void q(1: P p) }
            service B extends A { i32 y(1: i32 a) void keep() } service N { void n() }",
        breaking: &[
            ("i32 y(1: i32 a)", ""),
            ("i32 y", "i32 z"),
            ("i32 a", "string a"),
            ("void q(1: P p)", ""),
            ("extends A", ""),
            ("i32 x", "string x"),
        ],
        quiet: &[("void n()", "")],
    },
    Made {
        format: Format::Capnp,
        extension: "capnp",
        judged: r#"@0xb0000000000000a1; using C = import "lib/c.capnp"; interface M extends(C.B) { a @0 (p :C.G) -> (); }
            struct H { f @0 :C.F; l @1 :List(C.L); t @2 :C.T; }"#,
        supplied: "@0xb0000000000000a2; struct P { x @0 :Int32; } interface A { q @0 (p :P); }
            interface B extends(A) { y @0 (a :Int32); } interface G { g @0 (); } interface F { f @0 (); }
            interface L { l @0 (); } struct T { t @0 :D; } interface D { d @0 (); } interface N { n @0 (); }",
        breaking: &[
            ("y @0 (a :Int32);", ""),
            ("y @0 (a :Int32);", "z @0 (b :Text); y @1 (a :Int32);"),
            ("a :Int32", "a :Text"),
            ("x @0 :Int32", "x @0 :Text"),
            ("extends(A)", ""),
            ("q @0 (p :P);", ""),
            ("g @0 ();", ""),
            ("f @0 ();", ""),
            ("l @0 ();", ""),
            ("d @0 ();", ""),
        ],
        quiet: &[("n @0 ();", "")],
    },
];

fn report(made: &Made, supplied: Pair<String>) -> serde_json::Value {
    let (judged, library) = (format!("s.{}", made.extension), format!("lib/c.{}", made.extension));
    let sides = supplied.map(|text| {
        let files = [(judged.clone(), made.judged.as_bytes()), (library.clone(), text.as_bytes())];
        let mut side = Snapshot::from_files(files);
        side.lend(&*library, Lent::Unselected);
        side
    });
    let labels = Pair::new("old".to_owned(), "new".to_owned());
    let policy = Policy { mode: Mode::Full, modes: [].into(), ..Policy::default() };
    let options = CheckOptions::default();
    let report = check_snapshots(sides.as_ref(), &[made.format], &options, RuleSet::built_in(), &policy, labels);
    serde_json::from_str(&json::render(&report)).expect("a report is JSON")
}

#[test]
fn what_services_are_made_of_is_judged_in_whichever_file_it_stands() {
    let mut wrong = Vec::new();
    for made in MADE {
        for (changes, is_felt) in [(made.breaking, true), (made.quiet, false)] {
            for (old, new) in changes {
                assert!(made.supplied.contains(old), "{old}");
                let other = made.supplied.replacen(old, new, 1);
                let report = report(made, Pair::new(made.supplied.to_owned(), other));
                let is_told = report["verdict"] == if is_felt { "breaking" } else { "compatible" };
                // What another tool says of a whole version is no word about the judged file.
                let findings = report["findings"].as_array().cloned().unwrap_or_default();
                let is_word = |one: &serde_json::Value| !one["rule"].as_str().unwrap_or_default().ends_with("-refused");
                let is_quiet = is_felt || !findings.iter().any(is_word);
                if !is_told || !is_quiet {
                    let rules: Vec<_> =
                        report["findings"].as_array().into_iter().flatten().map(|one| &one["rule"]).collect();
                    wrong.push(format!(
                        "{}: {old} -> {new}: {} {rules:?} {}",
                        made.format.name(),
                        report["verdict"],
                        report["problems"]
                    ));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
