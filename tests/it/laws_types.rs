//! The law of honesty, over every pair of types that a field can have: what is claimed of a field whose type changes is
//! what readers experience, at worst, of every value on the edge of a range.
//!
//! Each language has a table of fields. The old side has a container for each field of the table, which all hold the same
//! one; the new side has there one field after the other. A new kind of type is a line here.

use std::collections::BTreeMap;
use std::ops::Range;

use rayon::prelude::*;

use crate::laws;
use crate::support::{Case, snapshot, some_of, tries_everything};
use wireproof::change::Pair;
use wireproof::formats::{Checked, Format};
use wireproof::syntax::problem::Severity;

/// The fields of one language.
struct Table {
    format: Format,
    file: &'static str,
    /// What the fields refer to, the same on both sides.
    types: &'static str,
    /// The fields, each called `x`.
    fields: Vec<String>,
    /// A container of that name around a field.
    container: fn(&str, &str) -> String,
    /// The whole file, of the types and the containers.
    whole: fn(&str, &[String]) -> String,
}

impl Table {
    fn side(&self, indices: Range<usize>, field: impl Fn(usize) -> usize) -> String {
        let container = |index| (self.container)(&format!("M{index}"), &self.fields[field(index)]);
        (self.whole)(self.types, &indices.map(container).collect::<Vec<_>>())
    }

    /// One field that becomes each of the others, or each behind it: of a pair, both directions are claimed and shown
    /// whichever of the two is the old one.
    fn becoming_each(&self, field: usize) -> Case {
        let first = if tries_everything() { 0 } else { field };
        let indices = first..self.fields.len();
        let sides = Pair::new(self.side(indices.clone(), |_| field), self.side(indices, |index| index));
        let sides = sides.map(|text| snapshot(&BTreeMap::from([(self.file.to_owned(), text)])));
        Case {
            name: self.fields[field].clone(),
            format: self.format,
            sides,
            roots: Vec::new(),
            usages: Default::default(),
        }
    }

    /// What breaks the law: the two fields, and how.
    fn broken(&self) -> Vec<(&str, &str, String)> {
        let each = |old: usize| {
            let case = self.becoming_each(old);
            let checked = case.check();
            no_errors(&case, &checked);
            let laws = [laws::dishonest, laws::untested, laws::unjudged];
            let broken: Vec<String> = laws.iter().flat_map(|law| law(&case, &checked)).collect();
            let told = broken.into_iter().filter_map(|what| Some((old, container_of(&what)?, what)));
            told.map(|(old, new, what)| (&*self.fields[old], &*self.fields[new], what)).collect::<Vec<_>>()
        };
        some_of((0..self.fields.len()).collect()).into_par_iter().flat_map_iter(each).collect()
    }

    fn uphold(&self) {
        let broken = self.broken();
        let all: Vec<String> = broken.iter().map(|(old, new, what)| format!("{old} → {new}: {what}")).collect();
        assert!(all.is_empty(), "{} times:\n{}", all.len(), all.join("\n"));
    }
}

/// The number of the container that something is told of. What lies inside of types that replace each other has other
/// identities, and is no matter of the two types alone.
fn container_of(told: &str) -> Option<usize> {
    let (before, _) = told.split_once(['#', '=', '@'])?;
    let (_, number) = before.rsplit_once(['.', ' '])?;
    number.strip_prefix('M')?.parse().ok()
}

fn no_errors(case: &Case, checked: &Checked) {
    let problems = checked.problems.old.iter().chain(&checked.problems.new);
    let errors = problems.filter(|problem| problem.severity == Severity::Error);
    let errors: Vec<&str> = errors.map(|problem| problem.message.as_str()).collect();
    assert!(errors.is_empty(), "{}: {errors:?}", case.name);
}

fn owned(fields: &[&str]) -> Vec<String> {
    fields.iter().map(|field| (*field).to_owned()).collect()
}

const PROTOBUF_TYPES: &str = r#"edition = "2023";
package p;
enum Open { OPEN_ZERO = 0; OPEN_ONE = 1; OPEN_LARGE = 70000; }
enum OtherOpen { OTHER_ZERO = 0; OTHER_TWO = 2; }
enum Lone { LONE_ZERO = 0; }
enum Closed { option features.enum_type = CLOSED; CLOSED_ZERO = 0; CLOSED_ONE = 1; }
enum Negative { option features.enum_type = CLOSED; NEGATIVE_ZERO = 0; NEGATIVE = -1; }
enum Truth { option features.enum_type = CLOSED; TRUTH_ONE = 1; }
message Empty {}
message One { int32 a = 1; }
message Two { string a = 1; bytes b = 2; }
message List { repeated int32 a = 1; }
message Holder { Two a = 1; }
message Strict { int32 a = 1 [features.field_presence = LEGACY_REQUIRED]; }
message Entry { string key = 1; int32 value = 2; }
message PackedEntry { int32 key = 1; repeated int32 value = 2; }
message Names { repeated string a = 1; string b = 2; }
message Loose { repeated int32 a = 1 [features.repeated_field_encoding = EXPANDED]; }
message Late { string a = 1; int32 b = 2; int32 c = 3 [features.field_presence = LEGACY_REQUIRED]; }
message LongEntry { string key = 1; int32 value = 2; int32 more = 3; }
"#;

const PROTOBUF_KINDS: &[&str] = &[
    "bool",
    "int32",
    "int64",
    "uint32",
    "uint64",
    "sint32",
    "sint64",
    "fixed32",
    "fixed64",
    "sfixed32",
    "sfixed64",
    "float",
    "double",
    "string",
    "bytes",
    "Open",
    "OtherOpen",
    "Lone",
    "Closed",
    "Negative",
    "Truth",
    "Empty",
    "One",
    "Two",
    "List",
    "Holder",
    "Strict",
    "Entry",
    "PackedEntry",
    "LongEntry",
    "Names",
    "Loose",
    "Late",
];

/// Those that stand for the others where it is the shape that counts.
const PROTOBUF_FEW: &[&str] =
    &["bool", "int32", "sint64", "fixed32", "double", "string", "bytes", "Open", "Closed", "One", "Two", "Entry"];

fn protobuf_fields() -> Vec<String> {
    const EXPANDED: &str = "[features.repeated_field_encoding = EXPANDED]";
    const REQUIRED: &str = "[features.field_presence = LEGACY_REQUIRED]";
    const IMPLICIT: &str = "[features.field_presence = IMPLICIT]";
    const DELIMITED: &str = "[features.message_encoding = DELIMITED]";
    const UNCHECKED: &str = "[features.utf8_validation = NONE]";
    let is_number = |kind: &&str| !kind.starts_with(char::is_uppercase) && !["string", "bytes"].contains(kind);
    let may_be_implicit = |kind: &&str| kind.starts_with(char::is_lowercase) || ["Open", "Lone"].contains(kind);
    let few = || PROTOBUF_FEW.iter().copied();
    let mut fields: Vec<String> = PROTOBUF_KINDS.iter().map(|kind| format!("{kind} x = 1;")).collect();
    fields.extend(few().map(|kind| format!("repeated {kind} x = 1;")));
    fields.extend(few().filter(is_number).map(|kind| format!("repeated {kind} x = 1 {EXPANDED};")));
    fields.extend(few().map(|kind| format!("{kind} x = 1 {REQUIRED};")));
    fields.extend(few().filter(may_be_implicit).map(|kind| format!("{kind} x = 1 {IMPLICIT};")));
    fields.extend(few().map(|kind| format!("map<string, {kind}> x = 1;")));
    fields.extend(["bool", "int32", "sint64", "fixed32"].map(|kind| format!("map<{kind}, int32> x = 1;")));
    fields.extend(["One", "Two"].map(|kind| format!("{kind} x = 1 {DELIMITED};")));
    fields.extend([format!("repeated Two x = 1 {DELIMITED};"), format!("string x = 1 {UNCHECKED};")]);
    fields
}

#[test]
fn protobuf_claims_of_every_pair_of_types_what_bytes_show() {
    Table {
        format: Format::Protobuf,
        file: "a.proto",
        types: PROTOBUF_TYPES,
        fields: protobuf_fields(),
        container: |name, field| format!("message {name} {{ {field} }}"),
        whole: |types, containers| format!("{types}{}\n", containers.join("\n")),
    }
    .uphold();
}

#[test]
fn protobuf_claims_of_every_pair_of_keys_what_bytes_show() {
    let is_key = |kind: &&str| kind.starts_with(char::is_lowercase) && !["float", "double", "bytes"].contains(kind);
    let keys = PROTOBUF_KINDS.iter().copied().filter(is_key);
    let of_key = |key| ["int32", "Two"].map(|kind| format!("map<{key}, {kind}> x = 1;"));
    Table {
        format: Format::Protobuf,
        file: "a.proto",
        types: PROTOBUF_TYPES,
        fields: keys.flat_map(of_key).chain(["Entry x = 1;", "List x = 1;"].map(str::to_owned)).collect(),
        container: |name, field| format!("message {name} {{ {field} }}"),
        whole: |types, containers| format!("{types}{}\n", containers.join("\n")),
    }
    .uphold();
}

/// Messages that a map takes for its entries, and that take its entries for themselves.
const ENTRIES: &str = "edition = \"2023\";
package p;
enum Open { OPEN_ZERO = 0; OPEN_ONE = 1; }
enum Closed { option features.enum_type = CLOSED; CLOSED_ZERO = 0; CLOSED_ONE = 1; }
enum Wider { option features.enum_type = CLOSED; WIDER_ZERO = 0; WIDER_ONE = 1; WIDER_TWO = 2; }
message Empty {}
message One { int32 x = 1; }
message Two { int32 x = 1; int32 y = 2; }
message Demanding { int32 x = 1 [features.field_presence = LEGACY_REQUIRED]; }
message Plain { string key = 1; int32 value = 2; }
message Numbered { int32 key = 1; string value = 2; }
message OfTwo { string key = 1; Two value = 2; }
message OfClosed { string key = 1; Closed value = 2; }
message OfWider { string key = 1; Wider value = 2; }
message OfText { string key = 1; string value = 2; }
message OfList { string key = 1; repeated int32 value = 2; }
message OfClosedList { string key = 1; repeated Closed value = 2; }
message OfMap { string key = 1; map<string, int32> value = 2; }
message WithMore { string key = 1; int32 value = 2; int32 more = 3; }
message Strict { string key = 1; int32 value = 2 [features.field_presence = LEGACY_REQUIRED]; }
message StrictKey { string key = 1 [features.field_presence = LEGACY_REQUIRED]; int32 value = 2; }
message StrictMore { string key = 1; int32 value = 2; int32 more = 3 [features.field_presence = LEGACY_REQUIRED]; }
message StrictClosed { string key = 1; Closed value = 2 [features.field_presence = LEGACY_REQUIRED]; }
message OfOneof { oneof either { string key = 1; int32 value = 2; } }
message OfDefault { string key = 1; int32 value = 2 [default = 7]; }
message KeyOnly { string key = 1; }
message ValueOnly { int32 value = 2; }
message ClosedOnly { Closed value = 2; }
message OfTwos { string key = 1; repeated Two value = 2; }
message OfLists { repeated string key = 1; int32 value = 2; }
message OfOnes { string key = 1; One value = 2; }
message OneOfTwo { oneof either { int32 x = 1; int32 y = 2; } }
message Apart { oneof either { int32 x = 1; } oneof other { int32 y = 2; } }
message Exacting { int32 x = 1 [features.field_presence = LEGACY_REQUIRED]; int32 y = 2 [features.field_presence = LEGACY_REQUIRED]; }
message HoldingTwo { Two two = 1; }
message Recursive { Recursive inner = 1; }
";

#[test]
fn protobuf_claims_of_maps_and_what_looks_like_their_entries_what_bytes_show() {
    let values = ["int32", "string", "bytes", "Open", "Closed", "Wider", "Empty", "One", "Two", "Demanding"];
    let declared = ENTRIES.lines().filter_map(|line| line.strip_prefix("message ")?.split_once(' '));
    let messages: Vec<&str> = declared.map(|(name, _)| name).collect();
    let mut fields: Vec<String> = values.iter().map(|value| format!("map<string, {value}> x = 1;")).collect();
    fields.extend(["map<int32, string> x = 1;", "map<bool, int64> x = 1;", "repeated int32 x = 1;"].map(str::to_owned));
    fields.extend(messages.iter().map(|name| format!("repeated {name} x = 1;")));
    fields.extend(messages.iter().map(|name| format!("{name} x = 1;")));
    Table {
        format: Format::Protobuf,
        file: "a.proto",
        types: ENTRIES,
        fields,
        container: |name, field| format!("message {name} {{ {field} }}"),
        whole: |types, containers| format!("{types}{}\n", containers.join("\n")),
    }
    .uphold();
}

const WELL_KNOWN: &[&str] = &[
    "Timestamp",
    "Duration",
    "FieldMask",
    "Struct",
    "Any",
    "BoolValue",
    "StringValue",
    "BytesValue",
    "FloatValue",
    "DoubleValue",
    "Int32Value",
    "UInt32Value",
    "Int64Value",
    "UInt64Value",
    "Value",
    "ListValue",
    "Empty",
];

/// What is no plain object in JSON, against what else there is in JSON.
#[test]
fn protobuf_claims_of_well_known_types_what_json_shows() {
    let plain = [
        "int32",
        "uint64",
        "float",
        "double",
        "bool",
        "string",
        "bytes",
        "Open",
        "Two",
        "repeated int32",
        "map<string, int32>",
    ];
    let well_known = WELL_KNOWN.iter().map(|name| format!("google.protobuf.{name}"));
    let all = plain.map(str::to_owned).into_iter().chain(well_known);
    let imports: &str = r#"edition = "2023";
package p;
import "google/protobuf/timestamp.proto";
import "google/protobuf/duration.proto";
import "google/protobuf/field_mask.proto";
import "google/protobuf/struct.proto";
import "google/protobuf/any.proto";
import "google/protobuf/wrappers.proto";
import "google/protobuf/empty.proto";
enum Open { OPEN_ZERO = 0; OPEN_ONE = 1; }
message Two { string a = 1; bytes b = 2; }
"#;
    Table {
        format: Format::Protobuf,
        file: "a.proto",
        types: imports,
        fields: all.map(|kind| format!("{kind} x = 1;")).collect(),
        container: |name, field| format!("message {name} {{ {field} }}"),
        whole: |types, containers| format!("{types}{}\n", containers.join("\n")),
    }
    .uphold();
}

const THRIFT_TYPES: &str = "enum E { ZERO = 0, ONE = 1 }
enum F { NONE = 0, TWO = 2 }
struct Empty {}
struct A { 1: i32 a }
struct B { 1: string b, 2: i64 c }
struct Strict { 1: required i32 a }
union U { 1: i32 a, 2: string b }
typedef i32 Number
";

const THRIFT: &[&str] = &[
    "bool",
    "i8",
    "i16",
    "i32",
    "i64",
    "double",
    "string",
    "binary",
    "uuid",
    "E",
    "F",
    "Number",
    "Empty",
    "A",
    "B",
    "Strict",
    "U",
    "list<bool>",
    "list<i8>",
    "list<i16>",
    "list<i32>",
    "list<i64>",
    "list<double>",
    "list<string>",
    "list<binary>",
    "list<E>",
    "list<A>",
    "list<B>",
    "list<U>",
    "list<list<i32>>",
    "list<set<i32>>",
    "map<string, set<i64>>",
    "list<uuid>",
    "set<i32>",
    "set<i64>",
    "set<string>",
    "set<binary>",
    "set<E>",
    "map<i32, i32>",
    "map<i8, i32>",
    "map<i16, string>",
    "map<bool, string>",
    "map<i32, string>",
    "map<i64, string>",
    "map<i64, list<i32>>",
    "map<uuid, string>",
    "map<double, binary>",
    "map<string, i32>",
    "map<binary, string>",
    "map<string, binary>",
    "map<string, E>",
    "map<E, A>",
    "map<i32, A>",
    "map<i64, A>",
    "map<string, list<i64>>",
    "map<i32, map<string, i32>>",
    "map<i64, map<string, i32>>",
    "map<i64, set<i32>>",
];

#[test]
fn thrift_claims_of_every_pair_of_types_what_bytes_show() {
    Table {
        format: Format::Thrift,
        file: "a.thrift",
        types: THRIFT_TYPES,
        fields: owned(THRIFT),
        container: |name, field| format!("struct {name} {{ 1: {field} x }}"),
        whole: |types, containers| format!("{types}{}\n", containers.join("\n")),
    }
    .uphold();
}

const FLATBUFFERS_TYPES: &str = "namespace p;
enum E : byte { Zero = 0, One = 1 }
enum F : byte { None = 0, Two = 2 }
enum Wide : int { Zero = 0, Large = 70000 }
enum Flags : ubyte (bit_flags) { First, Second }
struct S { a:int; }
struct Long { a:int; b:double; }
table A { a:int; }
table B { b:string; c:long; }
union U { A, B }
union V { B }
";

const FLATBUFFERS: &[&str] = &[
    "bool", "byte", "ubyte", "short", "ushort", "int", "uint", "long", "ulong", "float", "double", "E", "F", "Wide",
    "Flags", "string", "S", "Long", "A", "B", "U", "V", "[bool]", "[byte]", "[ubyte]", "[short]", "[int]", "[uint]",
    "[long]", "[float]", "[double]", "[E]", "[Wide]", "[Flags]", "[string]", "[S]", "[Long]", "[A]", "[B]", "[U]",
];

#[test]
fn flatbuffers_claims_of_every_pair_of_types_what_bytes_show() {
    Table {
        format: Format::Flatbuffers,
        file: "a.fbs",
        types: FLATBUFFERS_TYPES,
        fields: owned(FLATBUFFERS),
        container: |name, field| {
            format!(
                "table {name} {{ before:int (id: 0); x:{field} (id: {}); }}",
                if ["U", "V", "[U]"].contains(&field) { 2 } else { 1 }
            )
        },
        whole: |types, containers| format!("{types}{}\n", containers.join("\n")),
    }
    .uphold();
}

#[test]
fn flatbuffers_claims_of_every_pair_of_types_in_a_struct_what_bytes_show() {
    let inline = [
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
        "E",
        "F",
        "Wide",
        "Flags",
        "[ubyte:8]",
        "[int:2]",
        "[int:3]",
        "[uint:2]",
        "[double:2]",
    ];
    Table {
        format: Format::Flatbuffers,
        file: "a.fbs",
        types: FLATBUFFERS_TYPES,
        fields: owned(&inline),
        container: |name, field| {
            format!("struct {name} {{ before:int; x:{field}; after:int; }}\ntable T{name} {{ x:{name}; }}")
        },
        whole: |types, containers| format!("{types}{}\n", containers.join("\n")),
    }
    .uphold();
}

const AVRO_TYPES: &str = r#"{"type":"enum","name":"E","symbols":["A","B"]},
{"type":"enum","name":"F","symbols":["A","B","C"]},
{"type":"enum","name":"D","symbols":["A","B"],"default":"A"},
{"type":"enum","name":"n.E","symbols":["A"]},
{"type":"fixed","name":"Four","size":4},
{"type":"fixed","name":"Eight","size":8},
{"type":"fixed","name":"n.Four","size":8},
{"type":"record","name":"R","fields":[{"name":"a","type":"int"}]},
{"type":"record","name":"S","fields":[{"name":"b","type":"string"}]},
{"type":"record","name":"T","aliases":["R"],"fields":[{"name":"a","type":"long"},{"name":"c","type":"int","default":1}]},
{"type":"record","name":"n.R","fields":[{"name":"a","type":"double"}]}"#;

const AVRO: &[&str] = &[
    r#""null""#,
    r#""boolean""#,
    r#""int""#,
    r#""long""#,
    r#""float""#,
    r#""double""#,
    r#""bytes""#,
    r#""string""#,
    r#""E""#,
    r#""F""#,
    r#""D""#,
    r#""n.E""#,
    r#""Four""#,
    r#""Eight""#,
    r#""n.Four""#,
    r#""R""#,
    r#""S""#,
    r#""T""#,
    r#""n.R""#,
    r#"{"type":"array","items":"int"}"#,
    r#"{"type":"array","items":"long"}"#,
    r#"{"type":"array","items":"string"}"#,
    r#"{"type":"array","items":"R"}"#,
    r#"{"type":"map","values":"int"}"#,
    r#"{"type":"map","values":"double"}"#,
    r#"["null","int"]"#,
    r#"["int","null"]"#,
    r#"["null","string"]"#,
    r#"["int","string"]"#,
    r#"["long","bytes"]"#,
    r#"["float","double"]"#,
    r#"["null","R","S"]"#,
    r#"["null","n.R"]"#,
    r#"["R","n.R"]"#,
    r#"["E","Four"]"#,
    r#"["null",{"type":"array","items":"int"}]"#,
    r#"[{"type":"map","values":"int"},{"type":"array","items":"long"}]"#,
    r#"{"type":"int","logicalType":"date"}"#,
    r#"{"type":"int","logicalType":"time-millis"}"#,
    r#"{"type":"long","logicalType":"time-micros"}"#,
    r#"{"type":"long","logicalType":"timestamp-millis"}"#,
    r#"{"type":"long","logicalType":"timestamp-micros"}"#,
    r#"{"type":"long","logicalType":"local-timestamp-millis"}"#,
    r#"{"type":"long","logicalType":"local-timestamp-micros"}"#,
    r#"{"type":"bytes","logicalType":"decimal","precision":9,"scale":2}"#,
    r#"{"type":"bytes","logicalType":"decimal","precision":9,"scale":3}"#,
    r#"{"type":"bytes","logicalType":"decimal","precision":12,"scale":2}"#,
    r#"{"type":"string","logicalType":"uuid"}"#,
    r#"["null",{"type":"long","logicalType":"timestamp-millis"}]"#,
    r#"["null",{"type":"long","logicalType":"timestamp-micros"}]"#,
];

#[test]
fn avro_claims_of_every_pair_of_types_what_bytes_show() {
    Table {
        format: Format::Avro,
        file: "a.avsc",
        types: AVRO_TYPES,
        fields: owned(AVRO),
        container: |name, field| {
            format!(r#"{{"type":"record","name":"{name}","fields":[{{"name":"x","type":{field}}}]}}"#)
        },
        whole: |types, containers| format!("[{types},\n{}]\n", containers.join(",\n")),
    }
    .uphold();
}

/// What may stand before and behind a field in Thrift: the same types, wanted more or less, with defaults.
#[test]
fn thrift_claims_of_every_pair_of_fields_that_are_wanted_more_or_less_what_bytes_show() {
    let few =
        ["bool", "i32", "i64", "string", "binary", "E", "A", "Strict", "U", "list<i32>", "set<E>", "map<string, A>"];
    let wanted = few.iter().flat_map(|kind| ["required", "optional", ""].map(|word| format!("1: {word} {kind} x")));
    let defaults =
        ["bool x = 1", "i32 x = 5", "i32 x = 0", "i64 x = 5", "string x = \"a\"", "E x = E.ONE", "list<i32> x = [1]"];
    let mut fields: Vec<String> = wanted.collect();
    fields.extend(["", "optional", "required"].iter().flat_map(|word| defaults.map(|of| format!("1: {word} {of}"))));
    Table {
        format: Format::Thrift,
        file: "a.thrift",
        types: THRIFT_TYPES,
        fields,
        container: |name, field| format!("struct {name} {{ {field} }}"),
        whole: |types, containers| format!("{types}{}\n", containers.join("\n")),
    }
    .uphold();
}

/// Defaults, what is required and what has another meaning than its type.
#[test]
fn flatbuffers_claims_of_every_pair_of_fields_with_attributes_and_defaults_what_bytes_show() {
    let fields = [
        "bool",
        "bool = true",
        "byte",
        "int",
        "int = 5",
        "int = -1",
        "int = null",
        "uint = 5",
        "long",
        "long = 5",
        "float",
        "float = 5",
        "float = 1.5",
        "double = 5",
        "E",
        "E = One",
        "E = null",
        "Wide = Large",
        "Flags",
        "Flags = Second",
        "string",
        "string (required)",
        "string = \"a\"",
        "string = \"\"",
        "[ubyte]",
        "[ubyte] (required)",
        "[ubyte] = []",
        "[ubyte] (nested_flatbuffer: \"A\")",
        "[ubyte] (nested_flatbuffer: \"B\")",
        "A",
        "A (required)",
        "B (required)",
        "S",
        "S (required)",
        "[int] (required)",
        "[E] (required)",
        "[A] (required)",
        "string (deprecated)",
        "int (deprecated)",
    ];
    Table {
        format: Format::Flatbuffers,
        file: "a.fbs",
        types: FLATBUFFERS_TYPES,
        fields: owned(&fields),
        container: |name, field| {
            let (kind, attributes) = field.split_once(" (").unwrap_or((field, ")"));
            let comma = if attributes == ")" { "" } else { ", " };
            format!("table {name} {{ before:int (id: 0); x:{kind} (id: 1{comma}{attributes}; }}")
        },
        whole: |types, containers| format!("{types}{}\n", containers.join("\n")),
    }
    .uphold();
}

const CAPNP_TYPES: &str = "@0xbf5147cbbecf40c1;
enum E @0xd0a1e0bb0ee4e9f1 { zero @0; one @1; }
enum F @0xd0a1e0bb0ee4e9f2 { none @0; two @1; three @2; }
struct Empty @0xd0a1e0bb0ee4e9f3 {}
struct A @0xd0a1e0bb0ee4e9f4 { a @0 :Int32; }
struct B @0xd0a1e0bb0ee4e9f5 { b @0 :Text; c @1 :Int64; }
struct C @0xd0a1e0bb0ee4e9f6 { a @0 :Bool; }
struct U @0xd0a1e0bb0ee4e9f7 { union { a @0 :Int32; b @1 :Text; } }
interface I @0xd0a1e0bb0ee4e9f8 { f @0 (); }
";

const CAPNP: &[&str] = &[
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
    "E",
    "F",
    "Text",
    "Data",
    "Empty",
    "A",
    "B",
    "C",
    "U",
    "AnyPointer",
    "List(Void)",
    "List(Bool)",
    "List(Int8)",
    "List(UInt8)",
    "List(Int32)",
    "List(UInt32)",
    "List(Int64)",
    "List(Float32)",
    "List(Float64)",
    "List(E)",
    "List(F)",
    "List(Text)",
    "List(Data)",
    "List(Empty)",
    "List(A)",
    "List(B)",
    "List(C)",
    "List(U)",
    "List(List(Int32))",
    "List(List(A))",
    "Int32 = 5",
    "Int64 = 5",
    "Bool = true",
    "Float32 = 1.5",
    "E = one",
];

#[test]
fn capnp_claims_of_every_pair_of_types_what_bytes_show() {
    Table {
        format: Format::Capnp,
        file: "a.capnp",
        types: CAPNP_TYPES,
        fields: owned(CAPNP),
        container: |name, field| {
            let number: u64 = name[1..].parse().expect("a number");
            format!("struct {name} @0x{:x} {{ x @0 :{field}; }}", 0xe100_0000_0000_0000_u64 + number)
        },
        whole: |types, containers| format!("{types}{}\n", containers.join("\n")),
    }
    .uphold();
}
