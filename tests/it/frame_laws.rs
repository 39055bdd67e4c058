//! What every language answers alike: files that cannot be read, imports that lead nowhere, roots, sides, parts, threads.
//!
//! A situation is a set of files on each side, said in words that every language has a text for ([`TEXTS`]). A new
//! language adds a column there, and is asked everything.

#[path = "frame_laws/situations.rs"]
mod situations;

use std::collections::BTreeSet;

use wireproof::change::{Pair, Side};
use wireproof::formats::{CheckOptions, Format, Part};
use wireproof::pipeline::check_snapshots;
use wireproof::report::merge::merge;
use wireproof::report::{Report, sarif};
use wireproof::rules::RuleSet;
use wireproof::source::Snapshot;
use wireproof::verdict::{Mode, Policy};

use self::situations::Text::{self, *};
use self::situations::{BREAKING, COMPATIBLE, Command, ROWS, Row, UNKNOWN};
use crate::compared::REPORTED;
use crate::support::{Case, all_cases, some_of};

/// The texts in Protocol Buffers, Avro, FlatBuffers, Thrift, Cap'n Proto and JSON Schema.
const TEXTS: &[(Text, [&str; 6])] = &[
    (
        A,
        [
            "syntax = \"proto3\"; package shop; message A { int32 x = 1; }",
            "namespace shop; schema A; record A { int x; }",
            "namespace shop; table A { x:int; }",
            "struct A { 1: i32 x }",
            "@0xb0000000000000a1; struct A { x @0 :Int32; }",
            "{\"type\": \"object\", \"properties\": {\"x\": {\"type\": \"integer\"}}}",
        ],
    ),
    (
        AGrown,
        [
            "syntax = \"proto3\"; package shop; message A { int32 x = 1; int32 more = 2; }",
            "namespace shop; schema A; record A { int x; int more = 0; }",
            "namespace shop; table A { x:int; more:int; }",
            "struct A { 1: i32 x, 2: i32 more }",
            "@0xb0000000000000a1; struct A { x @0 :Int32; more @1 :Int32; }",
            "{\"type\": \"object\", \"properties\": {\"x\": {\"type\": \"integer\"}, \"more\": {\"type\": \"integer\"}}}",
        ],
    ),
    (
        ABroken,
        [
            "syntax = \"proto3\"; package shop; message A { string x = 1; }",
            "namespace shop; schema A; record A { string x; }",
            "namespace shop; table A { x:string; }",
            "struct A { 1: string x }",
            "@0xb0000000000000a1; struct A { x @0 :Text; }",
            "{\"type\": \"object\", \"properties\": {\"x\": {\"type\": \"string\"}}}",
        ],
    ),
    (
        AWithEnum,
        [
            "syntax = \"proto3\"; package shop; enum E { P = 0; Q = 1; } message A { E e = 1; }",
            "namespace shop; schema A; enum E { P, Q } record A { E e; }",
            "namespace shop; enum E : byte { P, Q } table A { e:E; }",
            "enum E { P = 0, Q = 1 } struct A { 1: E e }",
            "@0xb0000000000000a1; enum E { p @0; q @1; } struct A { e @0 :E; }",
            "{\"type\": \"object\", \"properties\": {\"e\": {\"enum\": [\"P\", \"Q\"]}}}",
        ],
    ),
    (
        ACutOff,
        [
            "syntax = \"proto3\"; package shop; enum E { P = 0; } message A { E e = 1; } message M { map<int32",
            "namespace shop; schema A; enum E { P } record A { E e; } record M { map<int",
            "namespace shop; enum E : byte { P } table A { e:E; } table M { x:[int",
            "enum E { P = 0 } struct A { 1: E e } struct M { 1: map<i32",
            "@0xb0000000000000a1; enum E { p @0; } struct A { e @0 :E; } struct M { x @0 :List(Int32",
            "{\"type\": \"object\", \"properties\": {\"e\": {\"enum\": [\"P\"]}, \"m\": {\"type",
        ],
    ),
    (
        ARefused,
        [
            "syntax = \"proto3\"; package shop; enum E { P = 0; } message A { E e = 1; } message M { int32 x = 1; int32 y = 1; }",
            "namespace shop; schema A; enum E { P } record A { E e; } record M { int x; int x; }",
            "namespace shop; enum E : byte { P } table A { e:E; } table M { x:int; x:int; }",
            "enum E { P = 0 } struct A { 1: E e } struct M { 1: i32 x; 1: i32 y }",
            "@0xb0000000000000a1; enum E { p @0; } struct A { e @0 :E; } struct M { x @0 :Int32; y @0 :Int32; }",
            "{\"type\": \"object\", \"properties\": {\"e\": {\"enum\": [\"P\"]}, \"m\": {\"properties\": {\"x\": {\"type\": \"integer\"}, \"x\": {\"type\": \"integer\"}}}}}",
        ],
    ),
    (
        ValuesRefused,
        [
            "syntax = \"proto3\"; package shop; enum E { P = 0; Q = 1; R = 1; } message A { E e = 1; }",
            "namespace shop; schema A; enum E { P, Q, Q } record A { E e; }",
            "namespace shop; enum E : byte { P, Q = 1, Q = 2 } table A { e:E; }",
            "enum E { P = 0, Q = 1, Q = 2 } struct A { 1: E e }",
            "@0xb0000000000000a1; enum E { p @0; q @1; r @1; } struct A { e @0 :E; }",
            "{\"type\": \"object\", \"properties\": {\"e\": {\"enum\": [\"P\"], \"enum\": [\"Q\"]}}}",
        ],
    ),
    (
        AInvalid,
        [
            "syntax = \"proto2\"; package shop; message A {\noptional int32 x = 1 [default = \"one\"];\n}",
            "namespace shop; schema A; record A {\narray<string> x = null;\n}",
            "namespace shop; table A {\nx:int = \"one\";\n}",
            "struct A { 1: i32 x } exception X { 1: i32 x }\nservice S { oneway void f() throws (1: X e) }",
            "@0xb0000000000000a1; struct A {\nx @0 :Int32 = \"one\";\n}",
            "{\"type\": \"object\", \"properties\": {\"x\": {\"type\": \"integer\", \"title\": \"X\",\n\"title\": \"X\"\n}}}",
        ],
    ),
    (
        AInvalidGrown,
        [
            "syntax = \"proto2\"; package shop; message A {\noptional int32 x = 1 [default = \"one\"];\noptional int32 y = 2; }",
            "namespace shop; schema A; record A {\narray<string> x = null;\nint y = 0; }",
            "namespace shop; table A {\nx:int = \"one\";\ny:int; }",
            "struct A { 1: i32 x, 2: i32 y } exception X { 1: i32 x }\nservice S { oneway void f() throws (1: X e) }",
            "@0xb0000000000000a1; struct A {\nx @0 :Int32 = \"one\";\ny @1 :Int32; }",
            "{\"type\": \"object\", \"properties\": {\"x\": {\"type\": \"integer\", \"title\": \"X\",\n\"title\": \"X\"\n},\n\"y\": {\"type\": \"integer\"}}}",
        ],
    ),
    (
        AInvalidNow,
        [
            "syntax = \"proto2\"; package shop; message A {\noptional int32 more = 2 [default = \"one\"]; }",
            "namespace shop; schema A; record A {\narray<string> more = null; }",
            "namespace shop; table A {\nmore:int = \"one\"; }",
            "struct A { 1: i32 x } exception X { 1: i32 x } service S {\noneway void g() throws (1: X e) }",
            "@0xb0000000000000a1; struct A {\nmore @0 :Int32 = \"one\"; }",
            "{\"type\": \"object\", \"properties\": {\"more\": {\"type\": \"integer\", \"title\": \"more\",\n\"title\": \"more again\"}}}",
        ],
    ),
    (
        AUsesB,
        [
            "syntax = \"proto3\"; package shop; import \"lib/b.proto\"; message A { B b = 1; }",
            "namespace shop; schema A; import idl \"lib/b.avdl\"; record A { B b; }",
            "include \"lib/b.fbs\"; namespace shop; table A { b:B; }",
            "include \"lib/b.thrift\"\nstruct A { 1: b.B b }",
            "@0xb0000000000000a1; using B = import \"lib/b.capnp\"; struct A { b @0 :B.B; }",
            "{\"type\": \"object\", \"properties\": {\"b\": {\"$ref\": \"lib/b.schema.json#/$defs/B\"}}}",
        ],
    ),
    (
        AUsesBGrown,
        [
            "syntax = \"proto3\"; package shop; import \"lib/b.proto\"; message A { B b = 1; int32 more = 2; }",
            "namespace shop; schema A; import idl \"lib/b.avdl\"; record A { B b; int more = 0; }",
            "include \"lib/b.fbs\"; namespace shop; table A { b:B; more:int; }",
            "include \"lib/b.thrift\"\nstruct A { 1: b.B b, 2: i32 more }",
            "@0xb0000000000000a1; using B = import \"lib/b.capnp\"; struct A { b @0 :B.B; more @1 :Int32; }",
            "{\"type\": \"object\", \"properties\": {\"b\": {\"$ref\": \"lib/b.schema.json#/$defs/B\"}, \"more\": {\"type\": \"integer\"}}}",
        ],
    ),
    (
        AHoldsB,
        [
            "syntax = \"proto3\"; package shop; message A { B b = 1; } message B { int32 x = 1; }",
            "namespace shop; schema A; record A { B b; } record B { int x; }",
            "namespace shop; table A { b:B; } table B { x:int; }",
            "struct B { 1: i32 x } struct A { 1: B b }",
            "@0xb0000000000000a1; struct A { b @0 :B; } struct B { x @0 :Int32; }",
            "{\"$defs\": {\"B\": {\"type\": \"object\", \"properties\": {\"x\": {\"type\": \"integer\"}}}}, \"type\": \"object\", \"properties\": {\"b\": {\"$ref\": \"#/$defs/B\"}}}",
        ],
    ),
    (
        AImportsB,
        [
            "syntax = \"proto3\"; package shop; import \"lib/b.proto\"; message A { int32 x = 1; }",
            "namespace shop; schema A; import idl \"lib/b.avdl\"; record A { int x; }",
            "include \"lib/b.fbs\"; namespace shop; table A { x:int; }",
            "include \"lib/b.thrift\"\nstruct A { 1: i32 x }",
            "@0xb0000000000000a1; using B = import \"lib/b.capnp\"; struct A { x @0 :Int32; }",
            "{\"$defs\": {\"unused\": {\"$ref\": \"lib/b.schema.json#/$defs/B\"}}, \"type\": \"object\", \"properties\": {\"x\": {\"type\": \"integer\"}}}",
        ],
    ),
    (
        AUsesBBesideN,
        [
            "syntax = \"proto3\"; package shop; import \"lib/b.proto\"; message A { B b = 1; N n = 2; } message N { int32 x = 1; }",
            "namespace shop; schema A; import idl \"lib/b.avdl\"; record A { B b; N n; } record N { int x; }",
            "include \"lib/b.fbs\"; namespace shop; table A { b:B; n:N; } table N { x:int; }",
            "include \"lib/b.thrift\"\nstruct N { 1: i32 x } struct A { 1: b.B b, 2: N n }",
            "@0xb0000000000000a1; using B = import \"lib/b.capnp\"; struct N { x @0 :Int32; } struct A { b @0 :B.B; n @1 :N; }",
            "{\"type\": \"object\", \"properties\": {\"b\": {\"$ref\": \"lib/b.schema.json#/$defs/B\"}, \"n\": {\"type\": \"object\", \"properties\": {\"x\": {\"type\": \"integer\"}}}}}",
        ],
    ),
    (
        AUsesBBesideNBroken,
        [
            "syntax = \"proto3\"; package shop; import \"lib/b.proto\"; message A { B b = 1; N n = 2; } message N { string x = 1; }",
            "namespace shop; schema A; import idl \"lib/b.avdl\"; record A { B b; N n; } record N { string x; }",
            "include \"lib/b.fbs\"; namespace shop; table A { b:B; n:N; } table N { x:string; }",
            "include \"lib/b.thrift\"\nstruct N { 1: string x } struct A { 1: b.B b, 2: N n }",
            "@0xb0000000000000a1; using B = import \"lib/b.capnp\"; struct N { x @0 :Text; } struct A { b @0 :B.B; n @1 :N; }",
            "{\"type\": \"object\", \"properties\": {\"b\": {\"$ref\": \"lib/b.schema.json#/$defs/B\"}, \"n\": {\"type\": \"object\", \"properties\": {\"x\": {\"type\": \"string\"}}}}}",
        ],
    ),
    (
        AUsesAbove,
        [
            "syntax = \"proto3\"; package shop; import \"../common/b.proto\"; message A { B b = 1; }",
            "namespace shop; schema A; import idl \"../common/b.avdl\"; record A { B b; }",
            "include \"../common/b.fbs\"; namespace shop; table A { b:B; }",
            "include \"../common/b.thrift\"\nstruct A { 1: b.B b }",
            "@0xb0000000000000a1; using B = import \"../common/b.capnp\"; struct A { b @0 :B.B; }",
            "{\"type\": \"object\", \"properties\": {\"b\": {\"$ref\": \"../common/b.schema.json#/$defs/B\"}}}",
        ],
    ),
    (
        B,
        [
            "syntax = \"proto3\"; package shop; message B { int32 x = 1; }",
            "namespace shop; record B { int x; }",
            "namespace shop; table B { x:int; }",
            "struct B { 1: i32 x }",
            "@0xb0000000000000b2; struct B { x @0 :Int32; }",
            "{\"$ref\": \"#/$defs/B\", \"$defs\": {\"B\": {\"type\": \"object\", \"properties\": {\"x\": {\"type\": \"integer\"}}}}}",
        ],
    ),
    (
        BGrown,
        [
            "syntax = \"proto3\"; package shop; message B { int32 x = 1; int32 more = 2; }",
            "namespace shop; record B { int x; int more = 0; }",
            "namespace shop; table B { x:int; more:int; }",
            "struct B { 1: i32 x, 2: i32 more }",
            "@0xb0000000000000b2; struct B { x @0 :Int32; more @1 :Int32; }",
            "{\"$ref\": \"#/$defs/B\", \"$defs\": {\"B\": {\"type\": \"object\", \"properties\": {\"x\": {\"type\": \"integer\"}, \"more\": {\"type\": \"integer\"}}}}}",
        ],
    ),
    (
        BRefused,
        [
            "syntax = \"proto3\"; package shop; message B { int32 x = 1; } message M { int32 y = 1; int32 z = 1; }",
            "namespace shop; record B { int x; } record M { int y; int y; }",
            "namespace shop; table B { x:int; } table M { y:int; y:int; }",
            "struct B { 1: i32 x } struct M { 1: i32 y; 1: i32 z }",
            "@0xb0000000000000b2; struct B { x @0 :Int32; } struct M { y @0 :Int32; z @0 :Int32; }",
            "{\"$ref\": \"#/$defs/B\", \"$defs\": {\"B\": {\"type\": \"object\", \"properties\": {\"x\": {\"type\": \"integer\"}}}, \"M\": {\"type\": \"strnig\"}}}",
        ],
    ),
    (
        BRefusedUsesA,
        [
            "syntax = \"proto3\"; package shop; import \"a.proto\"; message B { A a = 1; } message M { int32 y = 1; int32 z = 1; }",
            "namespace shop; import idl \"a.avdl\"; record B { A a; } record M { int y; int y; }",
            "include \"a.fbs\"; namespace shop; table B { a:A; } table M { y:int; y:int; }",
            "include \"a.thrift\"\nstruct B { 1: a.A a } struct M { 1: i32 y; 1: i32 z }",
            "@0xb0000000000000b2; using A = import \"a.capnp\"; struct B { a @0 :A.A; } struct M { y @0 :Int32; z @0 :Int32; }",
            "{\"$ref\": \"#/$defs/B\", \"$defs\": {\"B\": {\"type\": \"object\", \"properties\": {\"a\": {\"$ref\": \"a.schema.json\"}}}, \"M\": {\"type\": \"strnig\"}}}",
        ],
    ),
    (
        CUsesB,
        [
            "syntax = \"proto3\"; package shop; import \"lib/b.proto\"; message C { B b = 1; }",
            "namespace shop; schema C; import idl \"lib/b.avdl\"; record C { B b; }",
            "include \"lib/b.fbs\"; namespace shop; table C { b:B; }",
            "include \"lib/b.thrift\"\nstruct C { 1: b.B b }",
            "@0xb0000000000000c3; using B = import \"lib/b.capnp\"; struct C { b @0 :B.B; }",
            "{\"type\": \"object\", \"properties\": {\"b\": {\"$ref\": \"lib/b.schema.json#/$defs/B\"}}}",
        ],
    ),
    (
        Twice,
        [
            "syntax = \"proto3\"; package shop; message A { int32 x = 1; } message A { string x = 1; }",
            "namespace shop; schema A; record A { int x; } record A { string x; }",
            "namespace shop; table A { x:int; } table A { x:string; }",
            "struct A { 1: i32 x } struct A { 1: string x }",
            "@0xb0000000000000a1; struct A { x @0 :Int32; } struct A { x @0 :Text; }",
            "{\"$defs\": {\"A\": {\"type\": \"integer\"}, \"A\": {\"type\": \"string\"}}}",
        ],
    ),
    (
        Order,
        [
            "syntax = \"proto3\"; package shop; message Order { int32 x = 1; } message Other { int32 x = 1; }",
            "namespace shop; schema Order; record Order { int x; } record Other { int x; }",
            "namespace shop; table Order { x:int; } table Other { x:int; }",
            "struct Order { 1: i32 x } struct Other { 1: i32 x }",
            "@0xb0000000000000a1; struct Order { x @0 :Int32; } struct Other { x @0 :Int32; }",
            "{\"$defs\": {\"Order\": {\"type\": \"object\", \"properties\": {\"x\": {\"type\": \"integer\"}}}, \"Other\": {\"type\": \"object\", \"properties\": {\"x\": {\"type\": \"integer\"}}}}}",
        ],
    ),
    (
        OrderBroken,
        [
            "syntax = \"proto3\"; package shop; message Order { string x = 1; } message Other { int32 x = 1; }",
            "namespace shop; schema Order; record Order { string x; } record Other { int x; }",
            "namespace shop; table Order { x:string; } table Other { x:int; }",
            "struct Order { 1: string x } struct Other { 1: i32 x }",
            "@0xb0000000000000a1; struct Order { x @0 :Text; } struct Other { x @0 :Int32; }",
            "{\"$defs\": {\"Order\": {\"type\": \"object\", \"properties\": {\"x\": {\"type\": \"string\"}}}, \"Other\": {\"type\": \"object\", \"properties\": {\"x\": {\"type\": \"integer\"}}}}}",
        ],
    ),
    (
        OtherBroken,
        [
            "syntax = \"proto3\"; package shop; message Order { int32 x = 1; } message Other { string x = 1; }",
            "namespace shop; schema Order; record Order { int x; } record Other { string x; }",
            "namespace shop; table Order { x:int; } table Other { x:string; }",
            "struct Order { 1: i32 x } struct Other { 1: string x }",
            "@0xb0000000000000a1; struct Order { x @0 :Int32; } struct Other { x @0 :Text; }",
            "{\"$defs\": {\"Order\": {\"type\": \"object\", \"properties\": {\"x\": {\"type\": \"integer\"}}}, \"Other\": {\"type\": \"object\", \"properties\": {\"x\": {\"type\": \"string\"}}}}}",
        ],
    ),
    (
        StoreOrder,
        [
            "syntax = \"proto3\"; package store; message Order { int32 x = 1; }",
            "namespace store; schema Order; record Order { int x; }",
            "namespace store; table Order { x:int; }",
            "struct Order { 1: i32 x }",
            "@0xb0000000000000c3; struct Order { x @0 :Int32; }",
            "{\"$defs\": {\"Order\": {\"type\": \"object\", \"properties\": {\"x\": {\"type\": \"integer\"}}}}}",
        ],
    ),
];

/// What cannot come about in a language: the language, the situation, and why.
const EXCEPTIONS: &[(&str, &str, &str)] = &[
    (
        "thrift",
        "a type that goes behind an import that leads nowhere is not known any more",
        "the include is a part of the name of what is used of it, so it is another type, which breaks",
    ),
    (
        "json-schema",
        "a type that goes behind an import that leads nowhere is not known any more",
        "schemas have no names to be compared by, so each direction is told that could not be told",
    ),
    (
        "thrift",
        "a type that was behind an import that leads nowhere was not known",
        "the include is a part of the name of what is used of it, so it is another type, which breaks",
    ),
    (
        "json-schema",
        "a type that was behind an import that leads nowhere was not known",
        "schemas have no names to be compared by, so each direction is told that could not be told",
    ),
    (
        "protobuf",
        "an import that leads out of what is compared is told so",
        "compilers allow no `..` in the path of an import, and a file that has one is refused",
    ),
    (
        "json-schema",
        "a text that breaks off behind a change is only that",
        "what follows a fault in JSON is guesswork, so a text has one fault at most",
    ),
    (
        "json-schema",
        "an import that was missing before is a warning where nothing is used of it",
        "a reference is the import and its use in one",
    ),
];

/// The words that a tool says when it has to say that it is broken itself.
const OUR_FAULT: &str = "this is a bug in wireproof";

fn text(text: Text, format: Format) -> &'static str {
    let (_, texts) = TEXTS.iter().find(|(one, _)| *one == text).expect("every text is in the table");
    texts[column(format)]
}

fn column(format: Format) -> usize {
    Format::ALL.iter().position(|one| *one == format).expect("every format is listed")
}

fn extension(format: Format) -> &'static str {
    // Only IDL imports.
    match format {
        Format::Avro => "avdl",
        other => other.extensions()[0],
    }
}

impl Row {
    fn sides(&self, format: Format) -> Pair<Snapshot> {
        let path = |name: &str| format!("{name}.{}", extension(format));
        Pair::new(self.old, self.new).map(|side| {
            Snapshot::from_files(side.iter().map(|(name, what)| (path(name), text(*what, format).as_bytes())))
        })
    }

    fn options(&self, format: Format) -> CheckOptions {
        let full = match format {
            Format::Thrift | Format::Capnp | Format::JsonSchema => "a.Order",
            _ => "shop.Order",
        };
        let roots: &[&str] = match self.command {
            Command::Compare | Command::Check | Command::Full | Command::Strict => &[],
            Command::FullRoot => &[full],
            Command::SimpleRoot => &["Order"],
            Command::UnknownRoot => &["Nowhere"],
        };
        CheckOptions {
            roots: roots.iter().map(|root| (*root).to_owned()).collect(),
            strict_imports: self.command == Command::Strict,
            lenient_unchanged: matches!(self.command, Command::Check | Command::Full),
            everything: self.command == Command::Full,
            ..CheckOptions::default()
        }
    }

    fn report(&self, format: Format, part: Option<Part>) -> Report {
        let options = CheckOptions { part, ..self.options(format) };
        checked(&self.sides(format), format, &options)
    }
}

fn checked(sides: &Pair<Snapshot>, format: Format, options: &CheckOptions) -> Report {
    let labels = Pair::new("old".to_owned(), "new".to_owned());
    let policy = Policy { mode: Mode::Full, modes: [].into(), ..Policy::default() };
    check_snapshots(sides.as_ref(), &[format], options, RuleSet::built_in(), &policy, labels)
}

fn json(report: &Report) -> serde_json::Value {
    serde_json::from_str(&wireproof::report::json::render(report)).expect("a report is JSON")
}

/// How many files are told to be missing; what cannot be written because of that may be told as well.
fn missing(report: &serde_json::Value) -> usize {
    let gaps = report["not_checked"].as_array().into_iter().flatten();
    let is_file = |what: &str| what.starts_with("types of ") || what.starts_with("schemas of ");
    gaps.filter(|gap| gap["what"].as_str().is_some_and(is_file)).count()
}

/// The files of one side alone that an error says an import of the other side did not find.
fn lost(sides: &Pair<Snapshot>, report: &serde_json::Value) -> BTreeSet<String> {
    let is_alone = |path: &&str| sides.old.get(path).is_some() != sides.new.get(path).is_some();
    let is_told = |path: &&str| {
        let problems = report["problems"].as_array().into_iter().flatten();
        let errors = problems.filter(|problem| problem["severity"] == "error");
        let mut messages = errors.filter_map(|problem| problem["message"].as_str());
        let name = path.rsplit('/').next().unwrap_or_default();
        messages.any(|message| message.contains("was not found: ") && message.contains(name))
    };
    let paths = sides.old.iter().chain(sides.new.iter()).map(|(path, _)| &**path);
    paths.filter(is_alone).filter(is_told).map(str::to_owned).collect()
}

/// What no report may say, whatever the sides are.
fn faults(sides: &Pair<Snapshot>, report: &serde_json::Value) -> Option<String> {
    let lost = lost(sides, report);
    let stands_there = |finding: &&serde_json::Value| {
        let mut files = ["old", "new"].into_iter().filter_map(|side| finding[side]["file"].as_str());
        files.next().is_some_and(|file| lost.contains(file)) && files.next().is_none()
    };
    let is_needless =
        |finding: &&serde_json::Value| finding["why"].as_str().is_some_and(|why| why.contains(" needs the "));
    let findings = report["findings"].as_array().into_iter().flatten();
    let needless = findings.filter(stands_there).filter(is_needless).map(|finding| finding["rule"].to_string());
    let needless: Vec<_> = needless.collect();
    if !needless.is_empty() {
        return Some(format!("nothing is said to need what was not found: {needless:?}"));
    }
    let takes_the_blame =
        report["problems"].to_string().contains(OUR_FAULT) || report["round_trips"]["unexplained"] != 0;
    takes_the_blame.then(|| format!("it takes the blame: {}", report["problems"]))
}

/// What a language says otherwise than a row asks for.
fn difference(row: &Row, format: Format) -> Option<String> {
    let report = json(&row.report(format, None));
    let list = |key: &str| report[key].as_array().cloned().unwrap_or_default();
    let problems = list("problems");
    let count = |severity: &str| {
        let sides = |problem: &serde_json::Value| if problem["side"] == "both" { 2 } else { 1 };
        problems.iter().filter(|problem| problem["severity"] == severity).map(sides).sum::<usize>()
    };
    let words = |problem: &serde_json::Value| {
        ["severity", "side", "file", "message", "help"]
            .map(|key| problem[key].as_str().unwrap_or("-").to_owned())
            .join(" | ")
    };
    let told = problems.iter().map(words).collect::<Vec<_>>().join("\n    ");
    let mut wrong = Vec::new();
    if report["verdict"] != row.verdict {
        wrong.push(format!("the verdict is {} and not {}", report["verdict"], row.verdict));
    }
    // In a JSON Schema what uses a file is the reference that leads to it: that is told once.
    let is_lost = |words: &str| told.contains(words) && format == Format::JsonSchema;
    let is_told_once = is_lost("in the old version it leads to") || is_lost("only the new version has");
    let expected = (row.problems.0 - usize::from(is_told_once), row.problems.1);
    if (count("error"), count("warning")) != expected {
        wrong.push(format!("{:?} errors and warnings, not {expected:?}", (count("error"), count("warning"))));
    }
    if missing(&report) != row.not_checked {
        wrong.push(format!("{} missing files, not {}", missing(&report), row.not_checked));
    }
    let says = row.says.iter().filter(|says| !is_told_once || !says.ends_with("` is not known"));
    wrong.extend(says.filter(|says| !told.contains(**says)).map(|says| format!("`{says}` is not said")));
    if row.old == row.new && !list("findings").is_empty() {
        let rules: Vec<_> = list("findings").iter().map(|finding| finding["rule"].clone()).collect();
        wrong.push(format!("what is the same on both sides has findings: {rules:?}"));
    }
    wrong.extend(faults(&row.sides(format), &report));
    (!wrong.is_empty()).then(|| format!("{}: {}: {}\n    {told}", row.situation, format.name(), wrong.join("; ")))
}

fn each_row(ask: impl Fn(&Row, Format) -> Option<String>) {
    each(ROWS.iter().collect(), ask);
}

/// The same where it takes long.
fn each_of_some(ask: impl Fn(&Row, Format) -> Option<String>) {
    each(some_of(ROWS.iter().collect()), ask);
}

fn each(rows: Vec<&Row>, ask: impl Fn(&Row, Format) -> Option<String>) {
    let asked = rows.iter().flat_map(|row| Format::ALL.iter().map(move |format| (*row, *format)));
    let is_possible = |(row, format): &(&Row, Format)| {
        EXCEPTIONS.iter().all(|(name, situation, _)| *name != format.name() || *situation != row.situation)
    };
    let asked = asked.filter(is_possible);
    let wrong: Vec<String> = asked.filter_map(|(row, format)| ask(row, format)).collect();
    assert!(wrong.is_empty(), "{} times:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn blanks_and_the_ends_of_lines_say_nothing() {
    each_of_some(|row, format| {
        let mut sides = row.sides(format);
        let (old, new) = (sides.old.clone(), sides.new.clone());
        let padded = new.iter().map(|(path, file)| {
            let is_same = old.get(path).is_some_and(|before| before.id == file.id);
            (path.to_string(), [&file.bytes[..], if is_same { &b"\n \n"[..] } else { &[] }].concat())
        });
        sides.new = Snapshot::from_files(padded);
        let (before, after) = (json(&row.report(format, None)), json(&checked(&sides, format, &row.options(format))));
        let is_other = ["verdict", "findings", "problems", "not_checked", "modes"].map(|key| before[key] != after[key]);
        (is_other != [false; 5]).then(|| format!("{} {}: {before:#}\n{after:#}", format.name(), row.situation))
    });
}

#[test]
fn every_language_answers_alike() {
    each_row(difference);
}

/// What was known and is not any more could not be told, also where the import has another path now.
#[test]
fn an_import_that_took_the_place_of_another_and_leads_nowhere_is_an_error() {
    for format in Format::ALL.iter().copied() {
        let path = |name: &str| format!("{name}.{}", extension(format));
        let uses = text(AUsesB, format);
        let strayed = uses.replace("lib/b.", "lib/stray.");
        let side = |a: &str| {
            let files = [(path("a"), a.as_bytes().to_vec()), (path("lib/b"), text(B, format).as_bytes().to_vec())];
            Snapshot::from_files(files)
        };
        let report = |new: &str, other: &str| {
            json(&checked(&Pair::new(side(new), side(other)), format, &CheckOptions::default()))
        };
        let broken = report(uses, &strayed);
        assert_eq!(broken["verdict"], UNKNOWN, "{format:?}: {:#}", broken["problems"]);
        let told = broken["problems"].to_string();
        // An include of Thrift is the name by which its types are used, so they are not defined any more.
        let said = if format == Format::Thrift { "`b.B` is not defined" } else { "took the place of" };
        assert!(told.contains(said) && told.contains("lib/stray."), "{format:?}: {told}");
        assert_eq!(report(uses, uses)["verdict"], COMPATIBLE, "{format:?}");
        // Mending it is no harm.
        assert_ne!(report(&strayed, uses)["verdict"], BREAKING, "{format:?}");
    }
}

/// What was known is hidden now, or the reverse: in no language is that a pass.
#[test]
fn a_type_that_goes_behind_an_import_that_leads_nowhere_is_no_pass() {
    for format in Format::ALL.iter().copied() {
        let side =
            |what| Snapshot::from_files([(format!("a.{}", extension(format)), text(what, format).as_bytes().to_vec())]);
        for (old, new) in [(AHoldsB, AUsesB), (AUsesB, AHoldsB)] {
            let report = json(&checked(&Pair::new(side(old), side(new)), format, &CheckOptions::default()));
            assert!(
                report["verdict"] == UNKNOWN || report["verdict"] == BREAKING,
                "{format:?}: {:#}",
                report["problems"]
            );
        }
    }
}

/// A default whose value only a file says that was not found: nobody knows what it was or is, and it is told so.
#[test]
fn a_default_that_is_in_no_file_that_was_found_is_no_pass_and_no_break() {
    let texts = [
        (
            Format::Protobuf,
            "syntax = \"proto2\";\npackage a;\nimport \"lib/b.proto\";\n\
             message A { optional b.B x = 1 [default = ONE]; optional int32 y = 2; }\n",
            "syntax = \"proto2\";\npackage b;\nenum B { NONE = 0; ONE = 1; TWO = 2; }\n",
            [("= ONE", "= TWO"), (" [default = ONE]", "")],
        ),
        (
            Format::Flatbuffers,
            "include \"lib/b.fbs\";\ntable A { x:b.B = One; y:int; }\nroot_type A;\n",
            "namespace b;\nenum B:byte { None, One, Two }\n",
            [("= One", "= Two"), (" = One", "")],
        ),
        (
            Format::Thrift,
            "include \"lib/b.thrift\"\nstruct A { 1: optional i32 x = b.ONE 2: optional i32 y }\n",
            "const i32 ONE = 1\nconst i32 TWO = 2\n",
            [("b.ONE", "b.TWO"), ("b.ONE", "7")],
        ),
        (
            Format::Capnp,
            "@0xa4b61b0e2a4a9ad4;\nusing B = import \"/lib/b.capnp\";\n\
             struct A { x @0 :Text = B.one; y @1 :Int32; }\n",
            "@0xa4b61b0e2a4a9ad5;\nconst one :Text = \"1\";\nconst two :Text = \"2\";\n",
            [("B.one", "B.two"), ("B.one", "\"7\"")],
        ),
    ];
    for (format, user, library, edits) in texts {
        let path = |name: &str| format!("{name}.{}", extension(format));
        let alone = |user: &str| Snapshot::from_files([(path("a"), user.as_bytes().to_vec())]);
        let with = |user: &str| {
            Snapshot::from_files([(path("a"), user.as_bytes().to_vec()), (path("lib/b"), library.as_bytes().to_vec())])
        };
        let report = |old: Snapshot, new: Snapshot| {
            let report = json(&checked(&Pair::new(old, new), format, &CheckOptions::default()));
            let findings = report["findings"].as_array().into_iter().flatten();
            assert!(findings.clone().all(|one| one["breaking"] == false), "{format:?}: {:#}", report["findings"]);
            report["verdict"].clone()
        };
        assert_eq!(report(alone(user), alone(user)), COMPATIBLE, "{format:?}");
        assert_eq!(report(with(user), alone(user)), UNKNOWN, "{format:?}");
        assert_eq!(report(alone(user), with(user)), UNKNOWN, "{format:?}");
        for (from, to) in edits {
            let edited = user.replace(from, to);
            assert_eq!(report(alone(user), alone(&edited)), UNKNOWN, "{format:?}: {to}");
            assert_eq!(report(alone(&edited), alone(user)), UNKNOWN, "{format:?}: {to}");
        }
    }
}

/// What roots reach behind an import that leads nowhere is judged by its name, and is no pass where nothing has the name.
#[test]
fn what_roots_reach_behind_an_import_that_leads_nowhere_is_judged() {
    for format in [Format::Protobuf, Format::Flatbuffers, Format::Thrift, Format::Capnp] {
        let path = |name: &str| format!("{name}.{}", extension(format));
        let (b, grown) = (text(B, format), text(BGrown, format));
        let side = |b: &str| {
            let files = [(path("a"), text(AUsesB, format).as_bytes()), (path("far/b"), b.as_bytes())];
            Snapshot::from_files(files)
        };
        let options = CheckOptions { roots: vec!["A".to_owned()], ..CheckOptions::default() };
        let report = |old: &str, new: &str| checked(&Pair::new(side(old), side(new)), format, &options);
        let change = report(b, grown).stats.changes;
        assert_eq!(change, 1, "{format:?}");
        let nameless = b.replace(" B ", " D ");
        assert_eq!(json(&report(&nameless, &nameless))["verdict"], UNKNOWN, "{format:?}");
    }
}

#[test]
fn the_parts_of_every_situation_are_the_whole() {
    each_of_some(|row, format| {
        let whole = json(&row.report(format, None));
        let parts =
            (1..=3).map(|number| (format!("part-{number}.json"), row.report(format, Some(Part { number, of: 3 }))));
        match merge(parts.collect()) {
            Ok(merged) if json(&merged) == whole => None,
            Ok(_) => Some(format!("{}: {}: the parts are another whole", row.situation, format.name())),
            Err(problem) => Some(format!("{}: {}: {}", row.situation, format.name(), problem.message)),
        }
    });
}

#[test]
fn one_thread_says_what_many_say() {
    let pool = |threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads can be started");
    let (one, many) = (pool(1), pool(4));
    let differs = |sides: &Pair<Snapshot>, format: Format, options: &CheckOptions| {
        one.install(|| json(&checked(sides, format, options)))
            != many.install(|| json(&checked(sides, format, options)))
    };
    each_of_some(|row, format| {
        let differs = differs(&row.sides(format), format, &row.options(format));
        differs.then(|| format!("{}: {}", row.situation, format.name()))
    });
    // So much text that it is shared out.
    for format in Format::ALL {
        let filler = |comment: &str| format!("{comment}{}\n", "x".repeat(1 << 19));
        let side = |what: Text| {
            let files = [("a", what), ("lib/b", B), ("lib/c", BRefused)];
            let files = files.map(|(name, what)| {
                let body = format!("{}{}", filler("// "), text(what, *format));
                (format!("{name}.{}", extension(*format)), body.into_bytes())
            });
            Snapshot::from_files(files)
        };
        let sides = Pair::new(side(AUsesB), side(ABroken));
        assert!(!differs(&sides, *format, &CheckOptions::default()), "{}", format.name());
    }
}

#[test]
fn every_finding_has_a_place() {
    let placeless = |(case, report): &(Case, Report)| {
        let log: serde_json::Value = serde_json::from_str(&sarif::render(report)).expect("it is JSON");
        let results = log["runs"][0]["results"].as_array().cloned().unwrap_or_default();
        let without = results.into_iter().filter(|result| result["locations"].as_array().is_none_or(Vec::is_empty));
        without.map(|result| format!("{}: {}", case.name, result["ruleId"])).collect::<Vec<_>>()
    };
    let wrong: Vec<String> = REPORTED.iter().flat_map(placeless).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_is_not_asked_is_named_with_its_reason() {
    let is_known = |(format, situation, reason): &&(&str, &str, &str)| {
        Format::from_name(format).is_some() && ROWS.iter().any(|row| row.situation == *situation) && !reason.is_empty()
    };
    assert!(EXCEPTIONS.iter().all(|exception| is_known(&exception)));
}

type Damage = fn(&[u8]) -> Option<Vec<u8>>;

/// The bytes of a file with the end cut off, with a byte in the middle that no language has, and without it.
const DAMAGES: &[(&str, Damage)] = &[
    ("is gone", |_| None),
    ("ends in its middle", |bytes| Some(bytes[..bytes.len() / 2].to_vec())),
    ("has a stray byte", |bytes| {
        let (before, after) = bytes.split_at(bytes.len() / 2);
        Some([before, b"\x01", after].concat())
    }),
];

/// Whatever happens to one of several files of a side, nothing that is said of the rest is our own fault, nor that nothing
/// needs what was not found.
#[test]
fn a_file_that_one_side_lost_or_spoilt_is_told_and_nothing_is_taken_back() {
    let mut wrong = Vec::new();
    for case in some_of(all_cases()) {
        for (side, name) in [(Side::Old, "old"), (Side::New, "new")] {
            let files: Vec<_> =
                case.sides.as_ref().side(side).iter().map(|(path, file)| (path.clone(), file.clone())).collect();
            if files.len() < 2 {
                continue;
            }
            for (at, (path, _)) in files.iter().enumerate() {
                for (damage, spoil) in DAMAGES {
                    let left = files.iter().enumerate().filter_map(|(index, (path, file))| {
                        let bytes = if index == at { spoil(&file.bytes)? } else { file.bytes.to_vec() };
                        Some((path.to_string(), bytes))
                    });
                    let damaged = Snapshot::from_files(left);
                    let sides = match side {
                        Side::Old => Pair::new(damaged, case.sides.new.clone()),
                        Side::New => Pair::new(case.sides.old.clone(), damaged),
                    };
                    let report = json(&checked(&sides, case.format, &case.options()));
                    let faults = faults(&sides, &report);
                    wrong.extend(faults.map(|fault| format!("{}: {name} {path} {damage}: {fault}", case.name)));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} times:\n{}", wrong.len(), wrong.join("\n"));
}

/// That it is not known where a file went is no excuse for what went with it.
#[test]
fn what_breaks_with_a_file_that_is_imported_still_breaks() {
    let cases = [
        (
            Format::Protobuf,
            "syntax = \"proto3\"; import \"b.proto\"; message A { B x = 1; }",
            "syntax = \"proto3\"; message B { int32 v = 1; } service S { rpc Get(B) returns (B); }",
        ),
        (
            Format::Thrift,
            "include \"b.thrift\"\nstruct A { 1: b.B x }",
            "struct B { 1: i32 v }\nservice S { B get(1: B of) }",
        ),
        (Format::Flatbuffers, "include \"b.fbs\"; table A { x:B; }", "table B { v:int; } rpc_service S { Get(B):B; }"),
        (
            Format::Capnp,
            "@0xb0000000000000d1; using B = import \"b.capnp\"; struct A { x @0 :B.B; }",
            "@0xb0000000000000d2; struct B { v @0 :Int32; } interface S { get @0 (of :B) -> (of :B); }",
        ),
    ];
    for (format, a, b) in cases {
        let path = |name: &str| format!("{name}.{}", extension(format));
        let whole = [(path("a"), a.as_bytes().to_vec()), (path("b"), b.as_bytes().to_vec())];
        let sides = Pair::new(Snapshot::from_files(whole.clone()), Snapshot::from_files(whole.into_iter().take(1)));
        let report = json(&checked(&sides, format, &CheckOptions::default()));
        assert_eq!(report["verdict"], BREAKING, "{}: {:#}", format.name(), report["problems"]);
        assert_eq!(lost(&sides, &report), BTreeSet::from([path("b")]), "{}", format.name());
        assert_eq!(faults(&sides, &report), None, "{}", format.name());
    }
}
