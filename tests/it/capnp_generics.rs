//! What generic types are given, and what readers of the reference implementation experience of it.
//!
//! Each row has a struct `O` that data of both sides begin with. Random messages of it are written by the library under one
//! version and read by it under the other; where the library is missing, the rows alone are held against the verdict.

use std::collections::BTreeMap;
use std::process::Command;

use serde_json::Value as Json;

use crate::capnp_peer::{ask, give, program};
use crate::peers::Peer;
use crate::support::{Case, skip, snapshot};
use wireproof::change::Pair;
use wireproof::formats::Format;
use wireproof::verdict::{Mode, Policy};
use wireproof::vocabulary::Verdict;

/// What changes, the two sides without the id of the file, and whether new readers of old data and old readers of new data
/// are hurt.
type Row = (&'static str, &'static str, &'static str, bool, bool);

/// How many messages the library writes for each row and direction.
const MESSAGES: u64 = 120;

/// What data show.
const ROWS: &[Row] = &[
    (
        "a type becomes generic and every user gives what stood there",
        "struct M { es @0 :List(E); struct E { k @0 :Text; v @1 :Text; } } struct O { m @0 :M; }",
        "struct M(K, V) { es @0 :List(E); struct E { k @0 :K; v @1 :V; } } struct O { m @0 :M(Text, Text); }",
        false,
        false,
    ),
    (
        "a type becomes generic and a user gives something else",
        "struct M { es @0 :List(E); struct E { k @0 :Text; v @1 :Text; } } struct O { m @0 :M; }",
        "struct M(K, V) { es @0 :List(E); struct E { k @0 :K; v @1 :V; } } struct O { m @0 :M(Text, Data); }",
        true,
        true,
    ),
    (
        "a type becomes generic and a user gives nothing",
        "struct M { k @0 :Text; } struct O { m @0 :M; }",
        "struct M(K) { k @0 :K; } struct O { m @0 :M; }",
        false,
        true,
    ),
    (
        "a pointer to anything becomes a parameter",
        "struct C { v @0 :AnyPointer; } struct O { c @0 :C; }",
        "struct C(T) { v @0 :T; } struct O { c @0 :C; }",
        false,
        false,
    ),
    (
        "a new parameter for a new field",
        "struct B(T) { a @0 :T; } struct O { x @0 :B(Text); }",
        "struct B(T, U) { a @0 :T; b @1 :U; } struct O { x @0 :B(Text, Data); }",
        false,
        false,
    ),
    (
        "the first parameter, for a new field",
        "struct B { a @0 :Text; } struct O { x @0 :B; }",
        "struct B(T) { a @0 :Text; b @1 :T; } struct O { x @0 :B(Data); }",
        false,
        false,
    ),
    (
        "generic no more, with the type that every user gave",
        "struct B(T) { a @0 :T; } struct O { x @0 :B(Text); }",
        "struct B { a @0 :Text; } struct O { x @0 :B; }",
        false,
        false,
    ),
    (
        "generic no more, with another type than a user gave",
        "struct B(T) { a @0 :T; } struct O { x @0 :B(Text); y @1 :B(Data); }",
        "struct B { a @0 :Text; } struct O { x @0 :B; y @1 :B; }",
        true,
        true,
    ),
    (
        "a type is given where none was",
        "struct B(T) { a @0 :T; } struct O { x @0 :B; }",
        "struct B(T) { a @0 :T; } struct O { x @0 :B(Text); }",
        true,
        false,
    ),
    (
        "text and data are exchanged in brackets",
        "struct B(T) { a @0 :T; } struct O { x @0 :B(Text); }",
        "struct B(T) { a @0 :T; } struct O { x @0 :B(Data); }",
        true,
        true,
    ),
    (
        "a struct is given in place of a text",
        "struct S { n @0 :Int32; } struct B(T) { a @0 :T; } struct O { x @0 :List(B(Text)); }",
        "struct S { n @0 :Int32; } struct B(T) { a @0 :T; } struct O { x @0 :List(B(S)); }",
        true,
        true,
    ),
    (
        "a parameter that no field has is given otherwise",
        "struct B(T) { a @0 :Int32; } struct O { x @0 :B(Text); }",
        "struct B(T) { a @0 :Int32; } struct O { x @0 :B(Data); }",
        false,
        false,
    ),
    (
        "a parameter that only a type without fields takes",
        "struct N(T) {} struct B(T) { a @0 :N(T); } struct O { x @0 :B(Text); }",
        "struct N(T) {} struct B(T) { a @0 :N(T); } struct O { x @0 :B(Data); }",
        false,
        false,
    ),
    (
        "through another generic type",
        "struct P(A, B) { a @0 :A; b @1 :B; } struct B(T) { p @0 :P(Text, T); } struct O { x @0 :B(Text); }",
        "struct P(A, B) { a @0 :A; b @1 :B; } struct B(T) { p @0 :P(Text, T); } struct O { x @0 :B(List(Int32)); }",
        true,
        true,
    ),
    (
        "the types of another generic type are exchanged inside",
        "struct P(A, B) { a @0 :A; b @1 :B; } struct B(T) { p @0 :P(Text, T); } struct O { x @0 :B(Data); }",
        "struct P(A, B) { a @0 :A; b @1 :B; } struct B(T) { p @0 :P(T, Text); } struct O { x @0 :B(Data); }",
        true,
        true,
    ),
    (
        "the types of another generic type are exchanged inside, and are the same",
        "struct P(A, B) { a @0 :A; b @1 :B; } struct B(T) { p @0 :P(Text, T); } struct O { x @0 :B(Text); }",
        "struct P(A, B) { a @0 :A; b @1 :B; } struct B(T) { p @0 :P(T, Text); } struct O { x @0 :B(Text); }",
        false,
        false,
    ),
    (
        "a field of another parameter",
        "struct P(A, B) { a @0 :A; b @1 :B; } struct O { p @0 :P(Text, Data); }",
        "struct P(A, B) { a @0 :A; b @1 :A; } struct O { p @0 :P(Text, Data); }",
        true,
        true,
    ),
    (
        "a field of another parameter that is given the same",
        "struct P(A, B) { a @0 :A; b @1 :B; } struct O { p @0 :P(Text, Text); }",
        "struct P(A, B) { a @0 :A; b @1 :A; } struct O { p @0 :P(Text, Text); }",
        false,
        false,
    ),
    (
        "the parameters change places, and the users with them",
        "struct P(A, B) { a @0 :A; b @1 :B; } struct O { p @0 :P(Text, Data); }",
        "struct P(B, A) { a @0 :A; b @1 :B; } struct O { p @0 :P(Data, Text); }",
        false,
        false,
    ),
    (
        "the parameters change places, and the users do not",
        "struct P(A, B) { a @0 :A; b @1 :B; } struct O { p @0 :P(Text, Data); }",
        "struct P(B, A) { a @0 :A; b @1 :B; } struct O { p @0 :P(Text, Data); }",
        true,
        true,
    ),
    (
        "a parameter comes in front, and takes the type that the user gives",
        "struct B(T) { a @0 :T; } struct O { x @0 :B(Text); }",
        "struct B(U, T) { a @0 :T; } struct O { x @0 :B(Text, AnyPointer); }",
        false,
        true,
    ),
    (
        "the parameter in front goes, and its type goes to the other one",
        "struct B(U, T) { a @0 :T; } struct O { x @0 :B(Text, AnyPointer); }",
        "struct B(T) { a @0 :T; } struct O { x @0 :B(Text); }",
        true,
        false,
    ),
    (
        "what a struct inside takes from the one around",
        "struct A(T) { struct I { v @0 :T; } i @0 :I; } struct O { a @0 :A(Text); }",
        "struct A(T) { struct I { v @0 :T; } i @0 :I; } struct O { a @0 :A(Data); }",
        true,
        true,
    ),
    (
        "a struct inside is named by the one around, which takes nothing then",
        "struct A(T) { struct I { v @0 :T; } i @0 :I; } struct O { a @0 :A(Text); }",
        "struct A(T) { struct I { v @0 :T; } i @0 :A.I; } struct O { a @0 :A(Text); }",
        false,
        true,
    ),
    (
        "another name for what is taken",
        "struct A(T) { using H = T; v @0 :T; } struct O { a @0 :A(Text); b @1 :A(Text).H; }",
        "struct A(T) { using H = T; v @0 :H; } struct O { a @0 :A(Text); b @1 :Text; }",
        false,
        false,
    ),
    (
        "another name for a struct of what is taken",
        "struct B(T) { v @0 :T; } struct A(T) { using H = B(T); h @0 :H; } struct O { a @0 :A(Text).H; }",
        "struct B(T) { v @0 :T; } struct A(T) { using H = B(T); h @0 :H; } struct O { a @0 :A(Data).H; }",
        true,
        true,
    ),
    (
        "a struct that holds itself, of what it is given",
        "struct L(T) { v @0 :T; next @1 :L(T); } struct O { l @0 :L(Text); }",
        "struct L(T) { v @0 :T; next @1 :L(T); more @2 :T; } struct O { l @0 :L(Text); }",
        false,
        false,
    ),
    (
        "a struct that gives itself more than it is given",
        "struct L(T) { v @0 :T; next @1 :L(B(T)); } struct B(T) { b @0 :T; } struct O { l @0 :L(Text); }",
        "struct L(T) { v @0 :T; next @1 :L(B(T)); } struct B(T) { b @0 :T; } struct O { l @0 :L(Data); }",
        true,
        true,
    ),
    (
        "a struct moves out of a generic one and takes what that took",
        "struct A(T) { a @0 :T; struct I @0xd3a5e2f7c1b49087 { v @0 :T; } } struct O { i @0 :A(Text).I; }",
        "struct A(T) { a @0 :T; } struct I @0xd3a5e2f7c1b49087 (T) { v @0 :T; } struct O { i @0 :I(Text); }",
        false,
        false,
    ),
    (
        "a member of a union is given something else",
        "struct B(T) { union { a @0 :T; b @1 :Int32; } } struct O { x @0 :B(Text); }",
        "struct B(T) { union { a @0 :T; b @1 :Int32; } } struct O { x @0 :B(List(Text)); }",
        true,
        true,
    ),
    (
        "a type becomes generic and a user gives data where bytes stood",
        "struct D { n @0 :List(UInt8); } struct O { f @0 :D; }",
        "struct D(T) { n @0 :T; } struct O { f @0 :D(Data); }",
        false,
        false,
    ),
    (
        "generic no more, with bytes where data was given, in lists",
        "struct D(T) { n @0 :T; } struct O { f @0 :D(List(Data)); }",
        "struct D { n @0 :List(List(UInt8)); } struct O { f @0 :D; }",
        false,
        false,
    ),
    (
        "a user gives structs that begin with what the items were",
        "struct D { n @0 :List(Int32); } struct O { f @0 :D; }",
        "struct D(T) { n @0 :T; } struct S { v @0 :Int32; w @1 :Text; } struct O { f @0 :D(List(S)); }",
        false,
        false,
    ),
    (
        "a user gives structs that begin with something else",
        "struct D { n @0 :List(Int32); } struct O { f @0 :D; }",
        "struct D(T) { n @0 :T; } struct S { v @0 :Int64; w @1 :Text; } struct O { f @0 :D(List(S)); }",
        true,
        true,
    ),
    (
        "numbers are given where an enum was",
        "enum E { a @0; } struct D(T) { n @0 :T; } struct O { f @0 :D(List(E)); }",
        "enum E { a @0; } struct D(T) { n @0 :T; } struct O { f @0 :D(List(UInt16)); }",
        false,
        false,
    ),
    (
        "bytes are given where data were, to a struct that is renamed",
        "struct G(T) { x @0 :T; } struct O { f @0 :G(Data); }",
        "struct H(T) { x @0 :T; } struct O { f @0 :H(List(UInt8)); }",
        false,
        false,
    ),
    (
        "other numbers are given to a struct that is renamed",
        "struct G(T) { x @0 :T; } struct O { f @0 :G(List(Int32)); }",
        "struct H(T) { x @0 :T; } struct O { f @0 :H(List(UInt8)); }",
        true,
        true,
    ),
    (
        "data are given for text to a struct that is renamed, in a list",
        "struct G(T) { x @0 :T; } struct O { f @0 :List(G(Text)); }",
        "struct H(T) { x @0 :T; } struct O { f @0 :List(H(Data)); }",
        true,
        true,
    ),
];

/// What travels in calls.
const CALLS: &[Row] = &[
    (
        "an interface takes a type more, for a new method",
        "interface I(T) { get @0 () -> (v :T); } struct O { i @0 :I(Text); }",
        "interface I(T, U) { get @0 () -> (v :T); other @1 () -> (v :U); } struct O { i @0 :I(Text, Data); }",
        false,
        false,
    ),
    (
        "an interface becomes generic, and its user gives what stood there",
        "interface I { get @0 () -> (v :Text); } struct O { i @0 :I; }",
        "interface I(T) { get @0 () -> (v :T); } struct O { i @0 :I(Text); }",
        false,
        false,
    ),
    (
        "an interface is given something else",
        "interface I(T) { get @0 () -> (v :T); } struct O { i @0 :I(Text); }",
        "interface I(T) { get @0 () -> (v :T); } struct O { i @0 :I(List(Text)); }",
        true,
        true,
    ),
    (
        "an interface that is extended is given something else that no method has",
        "interface S(T) { put @0 (v :Text); } interface I extends(S(Text)) {}",
        "interface S(T) { put @0 (v :Text); } interface I extends(S(Data)) {}",
        false,
        false,
    ),
    (
        "an interface that is extended is given nothing any more",
        "interface S(T) { put @0 (v :T); } interface I extends(S(Text)) {}",
        "interface S(T) { put @0 (v :T); } interface I extends(S) {}",
        false,
        true,
    ),
    (
        "an interface that is extended is given a type",
        "interface S(T) { put @0 (v :T); } interface I extends(S) {}",
        "interface S(T) { put @0 (v :T); } interface I extends(S(Text)) {}",
        true,
        false,
    ),
    (
        "an interface that is extended is given what its users give, and was given nothing",
        "interface S(T) { put @0 (v :T); } interface I(T) extends(S) {} struct O { i @0 :I(Text); }",
        "interface S(T) { put @0 (v :T); } interface I(T) extends(S(T)) {} struct O { i @0 :I(Text); }",
        true,
        false,
    ),
    (
        "what a method takes is given a type",
        "struct P(T) { v @0 :T; } interface I { put @0 P -> (); }",
        "struct P(T) { v @0 :T; } interface I { put @0 P(Text) -> (); }",
        true,
        false,
    ),
    (
        "what a method gives is given nothing any more",
        "struct P(T) { v @0 :T; } interface I { get @0 () -> P(Text); }",
        "struct P(T) { v @0 :T; } interface I { get @0 () -> P; }",
        false,
        true,
    ),
    (
        "what a method gives is given what the users give, and was given nothing",
        "struct P(T) { v @0 :T; } interface I(T) { get @0 () -> P; } struct O { i @0 :I(Text); }",
        "struct P(T) { v @0 :T; } interface I(T) { get @0 () -> P(T); } struct O { i @0 :I(Text); }",
        true,
        false,
    ),
    (
        "a parameter comes in front of that of an interface, and takes the type that the user gives",
        "interface I(T) { get @0 () -> (v :T); } struct O { i @0 :I(Text); }",
        "interface I(U, T) { get @0 () -> (v :T); } struct O { i @0 :I(Text, AnyPointer); }",
        false,
        true,
    ),
    (
        "what a method gives is a struct of its interface",
        "interface I(T) { get @0 () -> (v :T); }",
        "interface I(T) { get @0 () -> R; struct R { v @0 :T; } }",
        false,
        false,
    ),
    (
        "what a method gives is a struct of its interface, and another type",
        "interface I(T) { get @0 () -> (v :T); } struct O { i @0 :I(Text); }",
        "interface I(T) { get @0 () -> R; struct R { v @0 :List(Text); } } struct O { i @0 :I(Text); }",
        true,
        true,
    ),
    (
        "a method gives a generic struct with one type more",
        "struct P(T) { a @0 :T; } interface I { get @0 () -> P(Text); }",
        "struct P(T, U) { a @0 :T; b @1 :U; } interface I { get @0 () -> P(Text, Data); }",
        false,
        false,
    ),
    (
        "a method gives a generic struct of another type",
        "struct P(T) { a @0 :T; } interface I { get @0 () -> P(Text); }",
        "struct P(T) { a @0 :T; } interface I { get @0 () -> P(Data); }",
        true,
        true,
    ),
];

fn files(text: &str) -> BTreeMap<String, String> {
    BTreeMap::from([("a.capnp".to_owned(), format!("@0xd3a5e2f7c1b49086;\n{text}\n"))])
}

/// Whether we say that readers of a direction break.
fn breaks(sides: &Pair<BTreeMap<String, String>>, mode: Mode) -> bool {
    let sides = sides.as_ref().map(snapshot);
    let case =
        Case { name: "pair".to_owned(), format: Format::Capnp, sides, roots: Vec::new(), usages: Default::default() };
    let told = case.report(&Policy::default().with_mode(mode));
    assert_eq!(told.round_trips.unexplained, 0, "{:?}", case.sides);
    assert!(told.verdict == Verdict::Compatible || told.verdict == Verdict::Breaking, "{:?}", case.sides);
    told.verdict == Verdict::Breaking
}

fn is_text(value: &serde_json::Map<String, Json>) -> bool {
    value.get("t").is_some_and(Json::is_string)
}

/// Whether what was read is not what was written, as far as both sides have the fields.
fn is_hurt(wrote: &Json, read: &Json) -> bool {
    match (wrote, read) {
        (Json::Null, _) | (_, Json::Null) => false,
        (Json::Object(wrote), _) if wrote.contains_key("!") => false,
        (_, Json::Object(read)) if read.contains_key("!") => true,
        // Of a pointer to anything no more than its kind is shown, which is a word.
        (wrote, read) if wrote["a"].is_string() || read["a"].is_string() => false,
        // Text and data have another form each.
        (Json::Object(wrote), Json::Object(read)) if is_text(wrote) != is_text(read) => {
            wrote.values().chain(read.values()).any(|value| *value != "")
        }
        (Json::Object(wrote), Json::Object(read)) => {
            wrote.iter().any(|(name, value)| read.get(name).is_some_and(|read| is_hurt(value, read)))
        }
        (Json::Array(wrote), Json::Array(read)) => {
            wrote.len() != read.len() || wrote.iter().zip(read).any(|(wrote, read)| is_hurt(wrote, read))
        }
        // Data are bytes, an enum is a number, and an item that is no struct is a field of one.
        (Json::Object(object), other) | (other, Json::Object(object)) => match (object.get("d"), object.get("s")) {
            (Some(data), _) => Json::from(bytes(data)) != *other,
            (_, Some(Json::Object(fields))) => !fields.values().any(|field| field == other),
            _ => object.get("e") != Some(other),
        },
        (wrote, read) => wrote != read,
    }
}

/// The bytes of data, which are shown with two digits each.
fn bytes(data: &Json) -> Vec<u8> {
    let digits = data.as_str().unwrap_or_default().as_bytes().chunks(2);
    let byte = |digits: &[u8]| u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok();
    digits.filter_map(byte).collect()
}

/// Whether any message that one side writes hurts the other.
fn hurts(peer: &mut Peer, (writer, reader): (&str, &str)) -> bool {
    (0..MESSAGES).any(|seed| {
        let bytes = ask(peer, &["write", writer, "a.capnp:O", &seed.to_string()]);
        let mut read = |side: &str| -> Json {
            let told = ask(peer, &["read", side, "a.capnp:O", &bytes]);
            serde_json::from_str(&told).unwrap_or_else(|error| panic!("{bytes}: {error}: {told}"))
        };
        let (wrote, read) = (read(writer), read(reader));
        is_hurt(&wrote, &read)
    })
}

#[test]
fn what_a_generic_type_is_given_is_what_its_readers_feel() {
    let mut peer = program().map(|program| Peer::start(Command::new(program)));
    if peer.is_none() {
        skip("libcapnp-dev", "what readers of the reference implementation see in generic types");
    }
    let mut wrong = Vec::new();
    for (what, old, new, backward, forward) in ROWS {
        let sides = Pair::new(files(old), files(new));
        if let Some(peer) = &mut peer {
            let folder = tempfile::tempdir().expect("a folder for a moment");
            let refused = give(peer, "old", &folder.path().join("old"), &sides.old)
                .or_else(|| give(peer, "new", &folder.path().join("new"), &sides.new));
            assert_eq!(refused, None, "{what}");
            let seen = (hurts(peer, ("old", "new")), hurts(peer, ("new", "old")));
            if seen != (*backward, *forward) {
                wrong.push(format!("{what}: the library: {seen:?}"));
            }
        }
        let ours = (breaks(&sides, Mode::Backward), breaks(&sides, Mode::Forward));
        if ours != (*backward, *forward) {
            wrong.push(format!("{what}: we say {ours:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_a_generic_interface_is_given_is_what_travels_in_its_calls() {
    let mut wrong = Vec::new();
    for (what, old, new, backward, forward) in CALLS {
        let sides = Pair::new(files(old), files(new));
        let ours = (breaks(&sides, Mode::Backward), breaks(&sides, Mode::Forward));
        if ours != (*backward, *forward) {
            wrong.push(format!("{what}: we say {ours:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
