//! Pairs of Protocol Buffers that were judged wrongly once, each with what Google's runtimes experience of it: where it
//! breaks, and at which element that is told. No round trip of any of them is unexplained.

use std::collections::BTreeMap;

use crate::support::{report, snapshot};
use wireproof::change::Pair;
use wireproof::evidence::{Outcome, Surface};
use wireproof::formats::Format;
use wireproof::verdict::Policy;
use wireproof::vocabulary::Mode;

/// A pair: what it is called, both sides, on which surface, in which mode and from which outcome on it is judged, and the
/// findings that break.
struct Truth {
    name: &'static str,
    old: &'static str,
    new: &'static str,
    surface: Surface,
    mode: Mode,
    fail_on: Outcome,
    breaks: &'static [&'static str],
}

const PROTO2: &str = "syntax = \"proto2\"; package t;\n";
const PROTO3: &str = "syntax = \"proto3\"; package t;\n";
const IMPORTS: &str = "import \"google/protobuf/any.proto\"; import \"google/protobuf/struct.proto\";\n\
    import \"google/protobuf/wrappers.proto\"; import \"google/protobuf/empty.proto\";\n\
    message Uses { google.protobuf.Any a = 1; google.protobuf.Struct b = 2; google.protobuf.BoolValue c = 3;\n\
    google.protobuf.Empty d = 4; }\n";
const A_AND_B: &str = "message A { string a = 1; } message B { string b = 2; }\n";
const ADDRESSES: &str = "message Addr { string street = 1; string zip = 2; } message Place { string street = 1; }\n";
const CLOSED: &str = "enum E { A = 0; B = 1; }\n";

const fn wire(name: &'static str, sides: (&'static str, &'static str), breaks: &'static [&'static str]) -> Truth {
    Truth {
        name,
        old: sides.0,
        new: sides.1,
        surface: Surface::Wire,
        mode: Mode::Full,
        fail_on: Outcome::Lossy,
        breaks,
    }
}

const fn json(name: &'static str, sides: (&'static str, &'static str), breaks: &'static [&'static str]) -> Truth {
    Truth { surface: Surface::Json, ..wire(name, sides, breaks) }
}

const fn backward(truth: Truth) -> Truth {
    Truth { mode: Mode::Backward, ..truth }
}

const fn wrong(truth: Truth) -> Truth {
    Truth { fail_on: Outcome::Wrong, ..truth }
}

/// `2` or `3` in front says the syntax; names in capitals stand for the texts above.
const TRUTHS: &[Truth] = &[
    wire(
        "a message replaced by one that shares nothing with it",
        ("3 AB message M { A x = 1; }", "3 AB message M { B x = 1; }"),
        &["protobuf/message-type-replaced t.M.x"],
    ),
    wire(
        "a request replaced by one that shares nothing with it",
        ("3 AB service S { rpc Get(A) returns (A); }", "3 AB service S { rpc Get(B) returns (A); }"),
        &["protobuf/method-type-replaced t.S.Get()"],
    ),
    wire(
        "a replacement that lacks a member, in every shape",
        (
            "3 ADDR message M { Addr x = 1; repeated Addr y = 2; map<string, Addr> z = 3; }",
            "3 ADDR message M { Place x = 1; repeated Place y = 2; map<string, Place> z = 3; }",
        ),
        &[
            "protobuf/message-type-replaced t.M.x",
            "protobuf/message-type-replaced t.M.y",
            "protobuf/message-type-replaced t.M.z",
        ],
    ),
    wire(
        "a message without members loses nothing",
        (
            "3 WKT message M { google.protobuf.Empty x = 1; }",
            "3 WKT message B { string b = 1; } message M { B x = 1; }",
        ),
        &[],
    ),
    wire(
        "a struct replaced by a message",
        (
            "3 WKT message N { uint32 name = 3; } message M { google.protobuf.Struct s = 1; }",
            "3 WKT message N { uint32 name = 3; } message M { N s = 1; }",
        ),
        &["protobuf/message-type-replaced t.M.s"],
    ),
    wire(
        "a value added to a closed enum that a field requires",
        (
            "2 enum E { A = 0; B = 1; } message M { required E e = 1; }",
            "2 enum E { A = 0; B = 1; C = 2; } message M { required E e = 1; }",
        ),
        &["protobuf/enum-value-added t.E.C"],
    ),
    wire(
        "a value added to a closed enum in a list",
        (
            "2 enum E { A = 0; B = 1; } message M { repeated E e = 1; }",
            "2 enum E { A = 0; B = 1; C = 2; } message M { repeated E e = 1; }",
        ),
        &["protobuf/enum-value-added t.E.C"],
    ),
    Truth {
        mode: Mode::Forward,
        ..wire(
            "a value added to a closed enum in a list that becomes a single field",
            (
                "2 enum E { A = 0; B = 1; } message M { repeated E e = 1; }",
                "2 enum E { A = 0; B = 1; C = 2; } message M { optional E e = 1; }",
            ),
            &["protobuf/enum-value-added t.E.C"],
        )
    },
    wire(
        "a value added to a closed enum in a single field",
        (
            "2 enum E { A = 0; B = 1; } message M { optional E e = 1; }",
            "2 enum E { A = 0; B = 1; C = 2; } message M { optional E e = 1; }",
        ),
        &[],
    ),
    wire(
        "a value added to an open enum in a list",
        (
            "3 enum E { A = 0; B = 1; } message M { repeated E e = 1; }",
            "3 enum E { A = 0; B = 1; C = 2; } message M { repeated E e = 1; }",
        ),
        &[],
    ),
    json(
        "the same in JSON, where a reader leaves the name out",
        (
            "3 enum E { A = 0; B = 1; } message M { repeated E e = 1; }",
            "3 enum E { A = 0; B = 1; C = 2; } message M { repeated E e = 1; }",
        ),
        &["protobuf/enum-value-added t.E.C"],
    ),
    backward(json(
        "a value removed from an open enum in a map, which a reader of JSON leaves out with its key",
        (
            "3 enum E { A = 0; B = 1; C = 2; } message M { map<string, E> e = 1; }",
            "3 enum E { A = 0; B = 1; reserved 2; reserved \"C\"; } message M { map<string, E> e = 1; }",
        ),
        &["protobuf/enum-value-removed-reserved t.E.C"],
    )),
    json(
        "a value added to an open enum in single fields, which look absent in JSON",
        (
            "3 enum E { A = 0; B = 1; } message M { E e = 1; optional E f = 2; oneof o { E g = 3; } }",
            "3 enum E { A = 0; B = 1; C = 2; } message M { E e = 1; optional E f = 2; oneof o { E g = 3; } }",
        ),
        &[],
    ),
    json(
        "a null in a field without presence, of which JSON shows nothing, becomes an enum",
        (
            "3 import \"google/protobuf/struct.proto\"; enum E { A = 0; } message M { google.protobuf.NullValue e = 1; }",
            "3 import \"google/protobuf/struct.proto\"; enum E { A = 0; } message M { E e = 1; }",
        ),
        &[],
    ),
    json(
        "nulls in a list become an enum, which takes no null there",
        (
            "3 import \"google/protobuf/struct.proto\"; enum E { A = 0; } message M { repeated google.protobuf.NullValue e = 1; }",
            "3 import \"google/protobuf/struct.proto\"; enum E { A = 0; } message M { repeated E e = 1; }",
        ),
        &["protobuf/enum-type-replaced t.M.e"],
    ),
    wire(
        "a required number that becomes a closed enum",
        ("2 CLOSED message M { required int32 e = 1; }", "2 CLOSED message M { required E e = 1; }"),
        &["protobuf/enum-number-exchanged t.M.e"],
    ),
    json(
        "a message that an Any may hold is gone",
        (
            "3 WKT message M { google.protobuf.Any p = 1; } message P { string a = 1; }",
            "3 WKT message M { google.protobuf.Any p = 1; }",
        ),
        &["protobuf/root-message-removed t.P"],
    ),
    json(
        "a real in a wrapper that becomes an integer",
        ("3 WKT message M { google.protobuf.DoubleValue s = 1; }", "3 WKT message M { int32 s = 1; }"),
        &["protobuf/wire-type-changed t.M.s"],
    ),
    backward(json(
        "an integer in a wrapper that becomes one without a sign",
        ("3 WKT message M { google.protobuf.Int32Value s = 1; }", "3 WKT message M { uint32 s = 1; }"),
        &["protobuf/wire-type-changed t.M.s"],
    )),
    wire(
        "a value of an enum that becomes open, where only the old version requires one",
        ("2 CLOSED message M { required E e = 1; }", "3 CLOSED message M { E e = 1; }"),
        &["protobuf/enum-opened t.E", "protobuf/field-no-longer-required t.M.e"],
    ),
    backward(json(
        "a message of bare members that becomes a map by numbers",
        (
            "2 message B {} message I { optional B b = 1; } message M { optional I m = 1; }",
            "2 message B {} message I { optional B b = 1; } message M { map<int32, I> m = 1; }",
        ),
        &["protobuf/field-list-became-map t.M.m"],
    )),
    backward(wire(
        "a map of messages spelled out as a list of entries",
        (
            "3 message I { string n = 1; int32 c = 2; } message M { map<string, I> c = 2; }",
            "3 message I { string n = 1; int32 c = 2; } message M { repeated F c = 2; } message F { string key = 1; I value = 2; }",
        ),
        &[],
    )),
    wire(
        "a list of messages read as one, where members merge",
        (
            "3 message N { string a = 1; string b = 2; } message M { N n = 1; }",
            "3 message N { string a = 1; string b = 2; } message M { repeated N n = 1; }",
        ),
        &["protobuf/field-became-repeated t.M.n"],
    ),
    wire(
        "two fields join a oneof and one of them changes its wire type",
        (
            "3 message M { uint32 foo = 1; fixed32 a = 2; }",
            "3 message M { oneof pick { uint32 foo = 1; int64 a = 2; } }",
        ),
        &["protobuf/wire-type-changed t.M.a"],
    ),
    wire(
        "JSON names of an enum and a number exchanged are nothing on the wire",
        (
            "2 CLOSED message M { optional E d = 2; optional float x1 = 7; }",
            "2 CLOSED message M { optional E d = 2 [json_name = \"x1\"]; optional float x1 = 7 [json_name = \"d\"]; }",
        ),
        &[],
    ),
    Truth {
        fail_on: Outcome::Fails,
        ..backward(json(
            "an arm whose text is no value of an enum is given all the same",
            (
                "3 message M { string a = 1; fixed64 b = 2; }",
                "3 enum E { Z = 0; } message M { oneof pick { E a = 1; fixed64 b = 2; } }",
            ),
            &[
                "protobuf/wire-type-changed t.M.a",
                "protobuf/field-joined-oneof t.M.a",
                "protobuf/field-joined-oneof t.M.b",
            ],
        ))
    },
    Truth {
        fail_on: Outcome::Fails,
        ..backward(json(
            "the name of a member that is an Any is no key",
            (
                "3 WKT message N { google.protobuf.Any a = 1; } message M { N a = 1; }",
                "3 WKT message N { google.protobuf.Any a = 1; } message M { map<bool, N> a = 1; }",
            ),
            &["protobuf/field-list-became-map t.M.a"],
        ))
    },
    wrong(backward(json(
        "an empty message under the name of an Any is an empty Any",
        (
            "3 WKT message M { M a = 1 [json_name = \"x\"]; google.protobuf.Any b = 2; }",
            "3 WKT message M { M a = 1; google.protobuf.Any b = 2 [json_name = \"x\"]; }",
        ),
        &["protobuf/field-json-name-changed t.M.a", "protobuf/field-json-name-changed t.M.b"],
    ))),
    backward(wire(
        "numbers of a list that became a map have no names that matter",
        (
            "3 enum E { Z = 0; } message M { repeated E a = 1; E b = 2; }",
            "2 enum E { Z = 0; } message M { map<int32, E> a = 1; map<int32, E> b = 2; }",
        ),
        &["protobuf/field-list-became-map t.M.a", "protobuf/field-list-became-map t.M.b"],
    )),
    backward(wire(
        "a map read as entries whose key and value are arms of a oneof",
        (
            "3 message M { map<uint32, bytes> m = 1; }",
            "3 message F { oneof pick { uint32 key = 1; bytes value = 2; } } message M { repeated F m = 1; }",
        ),
        &["protobuf/type-and-cardinality-changed t.M.m"],
    )),
    wire(
        "a map read as messages that have a map themselves",
        (
            "3 message X {} message V { map<string, X> a = 1; } message P { map<string, V> r = 1; }",
            "3 message X {} message V { map<string, X> a = 1; } message R { string n = 1; map<string, X> b = 2; }\n\
             message L { repeated R rules = 1; } message P { map<string, L> r = 1; }",
        ),
        &["protobuf/message-type-replaced t.P.r"],
    ),
    wire(
        "a message replaced by one whose members sit in a oneof",
        (
            "3 message V { uint32 id = 1; } message I { V v = 1; int32 n = 2; } message J { V v = 1; int32 n = 2; }\n\
             message T { oneof kind { J b = 1; I c = 2; J d = 3; } } message A { I x = 1; }",
            "3 message V { uint32 id = 1; } message I { V v = 1; int32 n = 2; } message J { V v = 1; int32 n = 2; }\n\
             message T { oneof kind { J b = 1; I c = 2; J d = 3; } } message A { T x = 1; }",
        ),
        &["protobuf/message-type-replaced t.A.x"],
    ),
    wrong(backward(wire(
        "messages in a map read as one, where members merge",
        (
            "2 message V { required string z = 1; optional string s = 2; } message M { map<int32, V> m = 1; }",
            "2 message V { required string z = 1; optional string s = 2; } message F { optional V value = 2; }\n\
             message M { optional F m = 1; }",
        ),
        &["protobuf/field-map-became-list t.M.m"],
    ))),
    wrong(backward(wire(
        "a list of values read as one, where those that are lists merge",
        (
            "3 WKT message M { repeated google.protobuf.Value v = 1; }",
            "3 WKT message M { google.protobuf.Value v = 1; }",
        ),
        &["protobuf/field-became-singular t.M.v"],
    ))),
    wrong(backward(wire(
        "a list of messages read as one, of which only one arm can be set",
        (
            "3 message N { oneof x { string a = 1; int32 b = 2; } } message M { repeated N n = 1; }",
            "3 message N { oneof x { string a = 1; int32 b = 2; } } message M { N n = 1; }",
        ),
        &[],
    ))),
    backward(wire(
        "a field joins a oneof in which two others exchange their numbers",
        (
            "2 message M { required int32 a = 1; optional string o = 2; required int32 b = 3; }",
            "2 message M { oneof x { int32 b = 1; string o = 2; int32 a = 3; } }",
        ),
        &[
            "protobuf/field-numbers-swapped t.M.b",
            "protobuf/field-joined-oneof t.M.o",
            "protobuf/field-numbers-swapped t.M.a",
        ],
    )),
    wire(
        "what is rejected deep inside of a message that a copy took the place of",
        (
            "3 WKT message L { repeated fixed64 u = 1; } message A { L l = 1; } message M { map<int32, A> m = 1; }",
            "3 WKT message L { repeated google.protobuf.UInt64Value u = 1; } message A { L l = 1; }\n\
             message C { L l = 1; } message M { map<int32, C> m = 1; }",
        ),
        &["protobuf/payload-reinterpreted t.L.u"],
    ),
    backward(json(
        "a map whose names of values are not known becomes a list",
        (
            "3 enum E { Y = 0; } message M { map<int32, E> m = 1; }",
            "2 enum E { Z = 0; } message F { optional E value = 2; } message M { repeated F m = 1; }",
        ),
        &[
            "protobuf/enum-closed t.E",
            "protobuf/enum-value-renamed t.E.Z",
            "protobuf/type-and-cardinality-changed t.M.m",
        ],
    )),
    wire(
        "a map read as a list of entries, whose values are rejected inside",
        (
            "3 message M { repeated bytes o = 4; map<fixed64, M> i = 2; }",
            "3 message M { repeated sfixed64 o = 4; repeated E i = 2; } message E { M value = 2; }",
        ),
        &["protobuf/payload-reinterpreted t.M.o", "protobuf/field-map-became-list t.M.i"],
    ),
    wire(
        "a list of entries read as a map, whose values are rejected inside",
        (
            "3 message M { repeated bytes o = 4; repeated E i = 2; } message E { M value = 2; }",
            "3 message M { repeated sfixed64 o = 4; map<fixed64, M> i = 2; }",
        ),
        &["protobuf/payload-reinterpreted t.M.o", "protobuf/field-list-became-map t.M.i"],
    ),
    backward(wrong(wire(
        "entries of several messages, which merge in a map",
        (
            "3 message V { repeated fixed32 n = 3; } message E { fixed32 key = 1; repeated V value = 2; } message M { repeated E m = 9; }",
            "3 message V { repeated fixed32 n = 3; } message E { fixed32 key = 1; repeated V value = 2; } message M { map<fixed32, V> m = 9; }",
        ),
        &["protobuf/field-list-became-map t.M.m"],
    ))),
    backward(wrong(wire(
        "entries of several messages with one member, of which one is left",
        (
            "3 WKT message E { fixed64 key = 1; repeated google.protobuf.BoolValue value = 2; } message M { repeated E m = 9; }",
            "3 WKT message E { fixed64 key = 1; repeated google.protobuf.BoolValue value = 2; } message M { map<fixed64, google.protobuf.BoolValue> m = 9; }",
        ),
        &[],
    ))),
    json(
        "a map of `Any`s whose keys change, where a message that they may hold changes as well",
        (
            "3 WKT message M { map<uint32, google.protobuf.Any> m = 1; } message N { repeated M a = 1; google.protobuf.BytesValue b = 2; }",
            "3 WKT message M { map<fixed32, google.protobuf.Any> m = 1; } message N { repeated M b = 1; google.protobuf.BytesValue a = 2; }",
        ),
        &["protobuf/field-became-repeated t.N.b", "protobuf/field-became-singular t.N.a"],
    ),
    wire(
        "a value of a list that a required field has no name for",
        ("2 enum E { A = 1; } message M { repeated E e = 1; }", "2 enum E { A = 4; } message M { required E e = 1; }"),
        &[
            "protobuf/enum-value-renumbered t.E.A",
            "protobuf/field-became-required t.M.e",
            "protobuf/field-became-singular t.M.e",
        ],
    ),
    wire(
        "a packed value that a required field has no name for",
        (
            "2 enum E { A = 1; } message M { repeated E e = 1 [packed = true]; }",
            "2 enum E { A = 4; } message M { required E e = 1; }",
        ),
        &[
            "protobuf/enum-value-renumbered t.E.A",
            "protobuf/field-became-required t.M.e",
            "protobuf/field-became-singular t.M.e",
        ],
    ),
    wire(
        "an entry's value that a required field has no name for",
        (
            "2 enum E { A = 0; } message M { map<int32, E> e = 1; }",
            "2 enum E { A = 4; } message F { optional int32 k = 1; required E e = 2; } message M { required F e = 1; }",
        ),
        &[
            "protobuf/enum-value-renumbered t.E.A",
            "protobuf/field-became-required t.M.e",
            "protobuf/type-and-cardinality-changed t.M.e",
        ],
    ),
    wrong(json(
        "a default with the number of another one, which took its name",
        (
            "2 enum E { A = 0; B = 1; C = 2; } message M { optional E e = 1 [default = B]; }",
            "2 enum E { A = 0; C = 1; B = 2; } message M { optional E e = 1 [default = C]; }",
        ),
        &["protobuf/field-default-changed t.M.e"],
    )),
    Truth {
        mode: Mode::Forward,
        ..wrong(wire(
            "a truth value in the place of a required enum that names zero alone, in a message in the place of another",
            (
                "2 enum E { Z = 0; } message N { optional bool p = 18; } message M { optional N n = 5; optional M o = 6; optional sfixed32 p = 11; required E e = 18; }",
                "2 enum E { Z = 0; } message N { optional bool p = 18; } message M { optional N n = 6; optional sfixed32 p = 11; required E e = 18; }",
            ),
            &["protobuf/field-numbers-swapped t.M.n"],
        ))
    },
    Truth {
        mode: Mode::Forward,
        ..wire(
            "entries of one key, whose values nobody can write",
            (
                "2 message V { } message M { map<fixed32, V> m = 1; }",
                "2 message V { } message C { required C c = 6; } message E { optional fixed32 key = 1; optional C value = 2; } message M { repeated E m = 1; }",
            ),
            &["protobuf/field-map-became-list t.M.m"],
        )
    },
    wire(
        "a map whose values a required closed enum does not name",
        (
            "2 CLOSED message M { map<string, int32> m = 9; }",
            "2 CLOSED message V { required E value = 2; } message M { repeated V m = 9; }",
        ),
        &["protobuf/type-and-cardinality-changed t.M.m"],
    ),
    backward(wrong(wire(
        "two members that together are as long as a number",
        (
            "3 enum Z { Z0 = 0; } message V { float g = 13; Z z = 11; } message M { repeated V v = 5; }",
            "3 enum Z { Z0 = 0; } message V { float g = 13; Z z = 11; } message M { repeated fixed32 v = 5; }",
        ),
        &["protobuf/payload-reinterpreted t.M.v"],
    ))),
    backward(wrong(wire(
        "a member whose value a closed enum names",
        (
            "2 CLOSED message V { optional uint32 s = 2; } message M { repeated V v = 7; }",
            "2 CLOSED message V { optional uint32 s = 2; } message M { repeated E v = 7; }",
        ),
        &["protobuf/payload-reinterpreted t.M.v"],
    ))),
    backward(wrong(wire(
        "a text whose length a closed enum names",
        (
            "2 CLOSED message V { optional string s = 18; } message M { repeated V v = 7; }",
            "2 CLOSED message V { optional string s = 18; } message M { repeated E v = 7; }",
        ),
        &["protobuf/payload-reinterpreted t.M.v"],
    ))),
    backward(wrong(wire(
        "a float of whose bytes a closed enum names one",
        (
            "2 enum E { A = 5; } message V { optional float s = 18; } message M { repeated V v = 7; }",
            "2 enum E { A = 5; } message V { optional float s = 18; } message M { repeated E v = 7; }",
        ),
        &["protobuf/payload-reinterpreted t.M.v"],
    ))),
    backward(wrong(wire(
        "bytes of which a closed enum names some",
        (
            "2 enum E { A = 300; } message M { repeated bytes v = 7; }",
            "2 enum E { A = 300; } message M { repeated E v = 7; }",
        ),
        &["protobuf/payload-reinterpreted t.M.v"],
    ))),
    wire(
        "a default of minus zero",
        ("2 message M { optional double x = 1; }", "2 message M { optional double x = 1 [default = -0.0]; }"),
        &[],
    ),
    wire(
        "an option that got another number",
        (
            "2 import \"google/protobuf/descriptor.proto\"; extend google.protobuf.FieldOptions { optional bool o = 50000; }",
            "2 import \"google/protobuf/descriptor.proto\"; extend google.protobuf.FieldOptions { optional bool o = 50001; }",
        ),
        &["protobuf/field-renumbered t.o"],
    ),
    backward(json(
        "a oneof takes in a field beside one whose message becomes an `Any`",
        (
            "3 import \"google/protobuf/any.proto\"; message E {} message M { E a = 1; optional bool b = 2; google.protobuf.Any c = 3; }",
            "3 import \"google/protobuf/any.proto\"; message E {} message M { oneof o { google.protobuf.Any a = 1; bool b = 2; } google.protobuf.Any c = 3; }",
        ),
        &[
            "protobuf/message-type-replaced t.M.a",
            "protobuf/field-joined-oneof t.M.a",
            "protobuf/field-joined-oneof t.M.b",
        ],
    )),
    wrong(wire(
        "entries of a map, whose values are as long as numbers, in the place of a message",
        (
            "2 message A { repeated string d = 3; repeated sfixed64 l = 2; } message M { optional A n = 9; }",
            "2 message A { repeated string d = 3; repeated sfixed64 l = 2; } message M { map<sfixed32, A> n = 9; }",
        ),
        &["protobuf/field-list-became-map t.M.n"],
    )),
    backward(json(
        "a group that is gone, and may lie in an `Any`",
        (
            "2 import \"google/protobuf/any.proto\"; message M { repeated group G = 1 {} optional google.protobuf.Any a = 2; }",
            "2 import \"google/protobuf/any.proto\"; message M { reserved 1; optional google.protobuf.Any a = 2; }",
        ),
        &["protobuf/message-removed-any t.M.G"],
    )),
    wrong(wire(
        "elements of a list merge into one that none of them is, when they differ in what is required",
        (
            "2 message M { optional M x = 17; required bool z = 14; }",
            "2 message M { repeated M x = 17; required bool z = 14; }",
        ),
        &["protobuf/field-became-repeated t.M.x"],
    )),
    wrong(wire(
        "the same of a required enum of two values, and of a required number",
        (
            "2 enum E { A = 1; B = 2; } message N { required E e = 1; optional int32 i = 2; } message M { repeated N x = 1; }",
            "2 enum E { A = 1; B = 2; } message N { required E e = 1; optional int32 i = 2; } message M { optional N x = 1; }",
        ),
        &["protobuf/field-became-singular t.M.x"],
    )),
    wrong(wire(
        "elements of a list merge by what both sides know of messages inside of them, beside what came",
        (
            "2 message P { optional int32 a = 9; optional int32 b = 7; } message N { optional P p = 1; } message M { optional N x = 1; }",
            "2 message F {} message P { optional F f = 2; optional F g = 3; optional F h = 4; optional F i = 5; optional int32 a = 9; optional int32 b = 7; } message N { optional P p = 1; } message M { repeated N x = 1; }",
        ),
        &["protobuf/field-became-repeated t.M.x"],
    )),
    Truth {
        mode: Mode::Forward,
        ..wire(
            "a closed enum that is opened takes entries from a map that becomes a list of them",
            (
                "2 enum E { A = 0; } message M { map<int64, E> d = 16; }",
                "3 enum E { A = 0; } message N { E value = 2; } message M { repeated N d = 16; }",
            ),
            &["protobuf/enum-opened t.E", "protobuf/type-and-cardinality-changed t.M.d"],
        )
    },
    backward(wrong(wire(
        "a text that is taken for the entry of a map, whose bytes are taken for a text",
        (
            "2 message M { map<int32, M> s = 20; required string z = 14; }",
            "2 message M { map<int32, M> s = 14; required string z = 20; }",
        ),
        &["protobuf/field-numbers-swapped t.M.s", "protobuf/field-numbers-swapped t.M.z"],
    ))),
    Truth {
        mode: Mode::Forward,
        ..wrong(wire(
            "what an old reader demands comes with one element, and an extension with another",
            (
                "2 message A { extensions 100; required B a = 1; } message B { optional A i = 3; } extend A { optional string x = 100; }",
                "2 message A { extensions 100; optional B a = 1; } message B { repeated A i = 3; } extend A { optional string x = 100; }",
            ),
            &["protobuf/field-became-repeated t.B.i"],
        ))
    },
    Truth {
        mode: Mode::Forward,
        ..wrong(wire(
            "what an old reader demands is found under its number, whatever stands there",
            (
                "2 message A { optional int32 i = 1; } message N {} message M { required A a = 12; optional N n = 10; }",
                "2 message A { optional int32 i = 1; } message N {} message M { optional A a = 10; optional N n = 12; }",
            ),
            &["protobuf/field-numbers-swapped t.M.a", "protobuf/field-numbers-swapped t.M.n"],
        ))
    },
    backward(wrong(wire(
        "a text that a reader takes for the message which it demands, beside a list that it does not",
        (
            "2 message V { optional string v = 1; } message M { required string s = 20; repeated M e = 8; }",
            "2 message V { optional string v = 1; } message M { required V e = 20; repeated M s = 8; }",
        ),
        &[
            "protobuf/field-became-singular t.M.e",
            "protobuf/field-numbers-swapped t.M.e",
            "protobuf/field-numbers-swapped t.M.s",
        ],
    ))),
    Truth {
        mode: Mode::Forward,
        ..wrong(wire(
            "entries of a map that are only together as long as so many numbers",
            (
                "3 message N { map<bool, fixed64> u = 19; } message M { repeated fixed32 m = 20; }",
                "3 message N { map<bool, fixed64> u = 19; } message M { repeated N m = 20; }",
            ),
            &["protobuf/payload-reinterpreted t.M.m"],
        ))
    },
    backward(wire(
        "a value whose number stays reserved and whose name is free goes from a required enum",
        (
            "2 enum E { A = 0; B = 1; C = 2; } message M { required E e = 1; }",
            "2 enum E { A = 0; B = 1; reserved 2; } message M { required E e = 1; }",
        ),
        &["protobuf/enum-value-removed-name-unreserved t.E.C"],
    )),
    backward(wire(
        "the same from a list",
        (
            "2 enum E { A = 0; B = 1; C = 2; } message M { repeated E e = 1; }",
            "2 enum E { A = 0; B = 1; reserved 2; } message M { repeated E e = 1; }",
        ),
        &["protobuf/enum-value-removed-name-unreserved t.E.C"],
    )),
    backward(wire(
        "a value goes from the enum of a map, whose entries become messages that demand it",
        (
            "2 enum E { A = 0; B = 2; } message M { map<string, E> o = 2; }",
            "2 enum E { A = 0; reserved 2; reserved \"B\"; } message N { required E value = 2; } message M { repeated N o = 2; }",
        ),
        &["protobuf/type-and-cardinality-changed t.M.o"],
    )),
    backward(wire(
        "the same where they hold a list of it",
        (
            "2 enum E { A = 0; B = 2; } message M { map<string, E> o = 2; }",
            "2 enum E { A = 0; reserved 2; reserved \"B\"; } message N { repeated E value = 2; } message M { repeated N o = 2; }",
        ),
        &["protobuf/enum-value-removed-reserved t.E.B", "protobuf/type-and-cardinality-changed t.M.o"],
    )),
    backward(wrong(wire(
        "the same where one message takes all entries, so that an earlier value stands beside a later key",
        (
            "2 enum E { A = 0; B = 2; } message M { map<string, E> o = 2; }",
            "2 enum E { A = 0; reserved 2; reserved \"B\"; } message N { optional string key = 1; optional E value = 2; } message M { optional N o = 2; }",
        ),
        &["protobuf/type-and-cardinality-changed t.M.o"],
    ))),
    backward(wrong(wire(
        "a list of entries that becomes a map whose enum lacks a value of theirs: an earlier entry stands for a later one",
        (
            "2 enum F { G = 0; H = 4; } enum E { A = 0; B = 1; } message N { optional int32 key = 1; optional F value = 2; } message M { repeated N o = 1; }",
            "2 enum F { G = 0; H = 4; } enum E { A = 0; B = 1; } message M { map<int32, E> o = 1; }",
        ),
        &["protobuf/type-and-cardinality-changed t.M.o"],
    ))),
    backward(wrong(wire(
        "numbers of eight bytes each that are read as the entries of a map",
        (
            "3 message N { string a = 1; } message M { repeated sfixed64 o = 1; }",
            "3 message N { string a = 1; } message M { map<fixed32, N> o = 1; }",
        ),
        &["protobuf/type-and-cardinality-changed t.M.o"],
    ))),
    backward(wrong(wire(
        "entries of a map that are as long as so many numbers where a list in their values is long enough",
        (
            "2 enum E { A = 0; } message N { extensions 100 to 199; } message I { repeated E e = 15; } extend N { optional I i = 104; } message M { map<fixed32, N> o = 1; }",
            "2 enum E { A = 0; } message N { extensions 100 to 199; } message I { repeated E e = 15; } extend N { optional I i = 104; } message M { repeated sfixed64 o = 1; }",
        ),
        &["protobuf/type-and-cardinality-changed t.M.o"],
    ))),
    backward(wrong(wire(
        "messages with an `Any` alone, which merge: the name of the one type with the content of the other",
        (
            "2 import \"google/protobuf/any.proto\"; message N { optional google.protobuf.Any a = 12; } message M { repeated N o = 1; }",
            "2 import \"google/protobuf/any.proto\"; message N { optional google.protobuf.Any a = 12; } message M { optional N o = 1; }",
        ),
        &["protobuf/field-became-singular t.M.o"],
    ))),
    Truth {
        mode: Mode::Forward,
        ..json(
            "an `Any` that holds what the new side alone calls so is not what joins a oneof",
            (
                "3 import \"google/protobuf/any.proto\"; message X { X a = 1; google.protobuf.Any b = 2; }",
                "3 import \"google/protobuf/any.proto\"; message Y { oneof o { Y a = 1; google.protobuf.Any b = 2; } }",
            ),
            &["protobuf/message-renamed-any t.Y"],
        )
    },
    backward(wrong(wire(
        "a map of numbers of which one message takes all entries, whose closed enum has no name for the last",
        (
            "2 enum E { A = 0; } message M { map<int32, int32> o = 2; }",
            "2 enum E { A = 0; } message N { required int32 key = 1; optional E value = 2; } message M { optional N o = 2; }",
        ),
        &["protobuf/type-and-cardinality-changed t.M.o"],
    ))),
    wrong(json(
        "a map with keys of another range under a JSON name that another map had",
        (
            "3 message N {} message M { map<fixed64, N> a = 1 [json_name = \"c\"]; }",
            "3 message N {} message M { map<sfixed32, N> b = 2 [json_name = \"c\"]; }",
        ),
        &["protobuf/field-removed-unreserved t.M.a", "protobuf/field-added t.M.b"],
    )),
    wrong(json(
        "the same with texts",
        (
            "3 message M { map<int64, string> a = 1 [json_name = \"c\"]; }",
            "3 message M { map<int32, string> b = 2 [json_name = \"c\"]; }",
        ),
        &["protobuf/field-added t.M.b", "protobuf/field-removed-unreserved t.M.a"],
    )),
    backward(wrong(wire(
        "messages with a map that merge, of whose enum the new side names the zero alone",
        (
            "2 enum E { A = 0; B = 6; } message N { map<int32, E> m = 1; } message M { repeated N o = 1; }",
            "2 enum E { A = 0; } message N { map<int32, E> m = 1; } message M { optional N o = 1; }",
        ),
        &["protobuf/enum-value-removed-unreserved t.E.B", "protobuf/field-became-singular t.M.o"],
    ))),
    backward(json(
        "an `Any` whose number another field takes holds what both sides know",
        (
            "3 import \"google/protobuf/any.proto\"; import \"google/protobuf/struct.proto\"; message X {} message U { X x = 1; } message M { google.protobuf.Value o = 8; map<int64, google.protobuf.Any> r = 4; }",
            "3 import \"google/protobuf/any.proto\"; import \"google/protobuf/struct.proto\"; message Y {} message U { Y x = 1; } message M { google.protobuf.Value o = 4; map<int64, google.protobuf.Any> r = 8; }",
        ),
        &["protobuf/message-renamed-any t.Y"],
    )),
];

fn text(short: &str) -> String {
    let (syntax, rest) = short.split_once(' ').expect("the syntax stands in front");
    let head = if syntax == "2" { PROTO2 } else { PROTO3 };
    let texts = [("AB ", A_AND_B), ("ADDR ", ADDRESSES), ("WKT ", IMPORTS), ("CLOSED ", CLOSED)];
    let known = texts.iter().find_map(|(word, text)| Some(format!("{text}{}", rest.strip_prefix(word)?)));
    format!("{head}{}", known.unwrap_or_else(|| rest.to_owned()))
}

#[test]
fn what_was_judged_wrongly_once_is_judged_as_runtimes_experience_it() {
    let mut wrong = Vec::new();
    for truth in TRUTHS {
        let side = |short: &str| snapshot(&BTreeMap::from([("a.proto".to_owned(), text(short))]));
        let sides = Pair::new(side(truth.old), side(truth.new));
        let policy =
            Policy { mode: truth.mode, surfaces: vec![truth.surface], fail_on: truth.fail_on, ..Policy::default() };
        let report = report(Format::Protobuf, sides.as_ref(), &policy);
        let breaking = report.findings.iter().filter(|finding| finding.breaking);
        let breaking: Vec<String> = breaking.map(|finding| format!("{} {}", finding.rule, finding.path)).collect();
        if breaking != truth.breaks || !report.problems.is_empty() {
            let problems: Vec<&String> = report.problems.iter().map(|problem| &problem.message).collect();
            wrong.push(format!("{}: {breaking:?} {problems:?}", truth.name));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Two fields that take each other's numbers: of the messages that are written, the one that shows a value nobody wrote is
/// told, and not one in which both values happen to be the same.
#[test]
fn a_witness_of_a_wrong_value_shows_one() {
    for (first, second) in [("string", "int64"), ("string", "bytes"), ("int32", "bool"), ("bool", "double")] {
        let side = |fields: &str| {
            snapshot(&BTreeMap::from([("a.proto".to_owned(), format!("{PROTO2}message M {{ {fields} }}\n"))]))
        };
        let old = side(&format!("required {first} theta = 20; optional {first} lambda = 6;"));
        let new = side(&format!("required {first} theta = 6; optional {second} lambda = 20;"));
        let report = report(Format::Protobuf, Pair::new(&old, &new), &Policy::default());
        let evidence = report.findings.iter().flat_map(|finding| &finding.evidence);
        let wrong: Vec<_> = evidence
            .filter(|seen| seen.runtime == "spec" && seen.outcome.to_string() == "wrong")
            .filter(|seen| seen.surface.to_string() == "wire" && !seen.bytes.is_empty())
            .collect();
        assert!(!wrong.is_empty(), "{first} and {second}");
        for seen in wrong {
            let read = seen
                .read
                .as_object()
                .unwrap_or_else(|| panic!("{first} and {second}: {} was read as {}", seen.wrote, seen.read));
            let shows = read.iter().any(|(name, value)| seen.wrote.get(name) != Some(value));
            assert!(shows, "{first} and {second}: {} was read as {}", seen.wrote, seen.read);
        }
    }
}

/// A type that two files define and a third imports is an error of the schemas. What it leaves to be judged is judged, and
/// what is not judged is not written either: nothing is unexplained.
#[test]
fn what_is_defined_twice_or_stands_in_a_broken_file_hides_nothing_else() {
    let file = |body: &str| format!("{PROTO3}{body}\n");
    let twice = |values: &str, ty: &str| {
        let own = |name: &str| file(&format!("enum V {{ {values} }} message {name} {{ {ty} x = 1; V v = 2; }}"));
        let both = file("import \"a.proto\"; import \"b.proto\"; message User { V v = 1; }");
        BTreeMap::from([
            ("a.proto".to_owned(), own("OfA")),
            ("b.proto".to_owned(), own("OfB")),
            ("c.proto".to_owned(), both),
        ])
    };
    let broken = |values: &str, ty: &str| {
        let bad =
            format!("{PROTO2}message Auth {{ extensions 1000 to max; }} extend Auth {{ required int32 e = 1000; }}\n");
        let good = file(&format!("enum V {{ {values} }} message OfA {{ {ty} x = 1; V v = 2; }}"));
        BTreeMap::from([("a.proto".to_owned(), good), ("b.proto".to_owned(), bad)])
    };
    type Side<'s> = &'s dyn Fn(&str, &str) -> BTreeMap<String, String>;
    let cases: [(&str, Side<'_>, &[&str]); 2] = [
        ("twice", &twice, &["protobuf/wire-type-changed t.OfA.x", "protobuf/wire-type-changed t.OfB.x"]),
        ("broken", &broken, &["protobuf/wire-type-changed t.OfA.x"]),
    ];
    for (what, side, expected) in cases {
        let (old, new) = (snapshot(&side("A = 0;", "int32")), snapshot(&side("A = 0; B = 1;", "string")));
        let report = report(Format::Protobuf, Pair::new(&old, &new), &Policy::default());
        let breaking = report.findings.iter().filter(|finding| finding.breaking);
        let breaking: Vec<String> = breaking.map(|finding| format!("{} {}", finding.rule, finding.path)).collect();
        let problems: Vec<&String> = report.problems.iter().map(|problem| &problem.message).collect();
        assert_eq!(breaking, expected, "{what}: {problems:?}");
        assert_eq!(report.round_trips.unexplained, 0, "{what}: {problems:?}");
        assert!((1..=4).contains(&problems.len()), "{what}: told once: {problems:?}");
    }
}

/// Files: path and text. `E ` and a number is an option of one's own with that default. ` L` at the end stands for
/// [`LIST`], and `a ` or `b ` at the start imports that file.
type Files = &'static [(&'static str, &'static str)];

const EXTENDS: &str = "syntax = \"proto2\"; package t; import \"google/protobuf/descriptor.proto\";\n\
    extend google.protobuf.MessageOptions { ";
const LIST: &str = "message L { optional T t = 1; }";

/// What happens, both sides, and what is found of it.
const COPIES: &[(&str, Files, Files, &[&str])] = &[
    (
        "one of two copies gets what the other has",
        &[("a.proto", "message T { L l = 1; int32 o = 7; } L"), ("b.proto", "message T { int32 z = 8; }")],
        &[("a.proto", "message T { L l = 1; int32 o = 7; } L"), ("b.proto", "message T { L l = 1; int32 z = 8; } L")],
        &["protobuf/field-added t.T.l"],
    ),
    (
        "a copy comes",
        &[("a.proto", "message T { L l = 1; int32 o = 7; } L")],
        &[("a.proto", "message T { L l = 1; int32 o = 7; } L"), ("b.proto", "message T { L l = 1; } L")],
        &[],
    ),
    (
        "a copy goes",
        &[("a.proto", "message T { L l = 1; int32 o = 7; } L"), ("b.proto", "message T { L l = 1; } L")],
        &[("a.proto", "message T { L l = 1; int32 o = 7; } L")],
        &[],
    ),
    (
        "a copy comes, and a field is of it from now on",
        &[("a.proto", "message T { int32 o = 7; }"), ("m.proto", "a message M { T t = 1; }")],
        &[
            ("a.proto", "message T { int32 o = 7; }"),
            ("b.proto", "message T { string o = 7; }"),
            ("m.proto", "b message M { T t = 1; }"),
        ],
        &[
            "protobuf/import-changed m.proto",
            "protobuf/import-changed m.proto",
            "protobuf/message-added t.T",
            "protobuf/type-moved t.T",
            "protobuf/wire-type-changed t.T.o",
        ],
    ),
    (
        "of two that say different things one goes",
        &[("a.proto", "message T { int32 o = 7; }"), ("b.proto", "message T { string o = 7; }")],
        &[("b.proto", "message T { string o = 7; }")],
        &["protobuf/root-message-removed t.T"],
    ),
    (
        "of extensions that no program holds together one stays, another comes beside it",
        &[("x.proto", "E 32"), ("y.proto", "E 64")],
        &[("x.proto", "E 32"), ("y.proto", "E 64 optional int32 more = 50001;")],
        &["protobuf/field-added t.more"],
    ),
    (
        "of extensions that no program holds together one changes",
        &[("x.proto", "E 32"), ("y.proto", "E 64")],
        &[("x.proto", "E 32"), ("y.proto", "E 65")],
        &["protobuf/field-default-changed t.soft"],
    ),
    (
        "a copy of an extension comes, with another default",
        &[("y.proto", "E 64")],
        &[("x.proto", "E 32"), ("y.proto", "E 64")],
        &[],
    ),
    (
        "two copies of an extension move into one file",
        &[("a.proto", "E 32"), ("y.proto", "E 64"), ("z.proto", "E 7")],
        &[("b.proto", "E 65"), ("z.proto", "E 7")],
        &["protobuf/field-default-changed t.soft", "protobuf/field-default-changed t.soft"],
    ),
    (
        "all copies of an extension go",
        &[("x.proto", "E 32"), ("y.proto", "E 64")],
        &[("z.proto", "message Z {}")],
        &["protobuf/extension-removed t.soft", "protobuf/extension-removed t.soft", "protobuf/message-added t.Z"],
    ),
    (
        "one of two copies moves",
        &[("a.proto", "message T { int32 o = 7; }"), ("c.proto", "message T { int32 z = 8; }")],
        &[("a.proto", "message T { int32 o = 7; }"), ("b.proto", "message T { string z = 8; }")],
        &["protobuf/wire-type-changed t.T.z"],
    ),
    (
        "both move into one file",
        &[("a.proto", "message T { int32 o = 7; }"), ("c.proto", "message T { int32 z = 7; }")],
        &[("b.proto", "message T { string o = 7; }")],
        &[
            "protobuf/field-reused t.T.o",
            "protobuf/type-moved t.T",
            "protobuf/type-moved t.T",
            "protobuf/wire-type-changed t.T.o",
        ],
    ),
];

/// A type that two files declare, and what is in them: which copy is held against which, whatever refers to them.
#[test]
fn copies_of_a_type_are_held_against_themselves() {
    let mut wrong = Vec::new();
    for (what, old, new, expected) in COPIES {
        let side = |files: &Files| {
            let text = |body: &str| {
                let (import, body) = match body.split_once(' ') {
                    Some((file @ ("a" | "b"), body)) => (format!("import \"{file}.proto\";\n"), body),
                    _ => (String::new(), body),
                };
                if let Some(rest) = body.strip_prefix("E ") {
                    let (default, more) = rest.split_once(' ').unwrap_or((rest, ""));
                    return format!("{EXTENDS}optional int32 soft = 50000 [default = {default}]; {more} }}\n");
                }
                let body = body.strip_suffix(" L").map_or_else(|| body.to_owned(), |body| format!("{body} {LIST}"));
                format!("{PROTO3}{import}{body}\n")
            };
            let files = files.iter().map(|(path, body)| ((*path).to_owned(), text(body)));
            snapshot(&files.collect::<BTreeMap<_, _>>())
        };
        let report = report(Format::Protobuf, Pair::new(&side(old), &side(new)), &Policy::default());
        let is_of_files = |rule: &str| rule.starts_with("protobuf/file-") || rule == "protobuf/buf-refused";
        let of_types = report.findings.iter().filter(|finding| !is_of_files(&finding.rule));
        let mut found: Vec<String> = of_types.map(|finding| format!("{} {}", finding.rule, finding.path)).collect();
        found.sort();
        if found != *expected || report.round_trips.unexplained > 0 {
            wrong.push(format!("{what}: {found:?} {:?}", report.problems));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
