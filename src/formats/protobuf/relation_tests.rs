//! How each two fields relate that stand differently on the wire or in JSON: all of them with each other, in a table that
//! `UPDATE=1 cargo test` writes. Whether it is true, round trips and Google's runtimes show (`tests/it/laws_types.rs`,
//! `tests/it/laws_random.rs`, `tests/it/runtimes.rs`); here nothing changes unseen.

use super::super::relation_json::{json_accepts_any, json_accepts_empty, json_reads};
use super::*;
use crate::formats::check::CheckOptions;
use crate::formats::frame::with_schema;
use crate::formats::protobuf::Protobuf;
use crate::formats::table_tests::{assert_holds, each_two};
use crate::snapshot::Snapshot;

/// What fields refer to; the import is nowhere.
const TYPES: &str = "edition = \"2023\";
import \"lost.proto\";
import \"google/protobuf/timestamp.proto\";
import \"google/protobuf/duration.proto\";
import \"google/protobuf/field_mask.proto\";
import \"google/protobuf/struct.proto\";
import \"google/protobuf/any.proto\";
import \"google/protobuf/wrappers.proto\";
enum Open { O0 = 0; O1 = 1; }
enum Closed { option features.enum_type = CLOSED; C0 = 0; C1 = 1; }
enum Wider { option features.enum_type = CLOSED; W0 = 0; W1 = 1; W2 = 2; }
enum Below { option features.enum_type = CLOSED; B0 = 0; B1 = -1; }
enum Names { ABCDE = 0; FGHIJ = 1; }
enum Lone { LONE = 0; }
enum Nought { option features.enum_type = CLOSED; NOUGHT = 0; }
enum Single { option features.enum_type = CLOSED; SINGLE = 1; }
message Empty {}
message OneOfTwo { oneof either { int32 x = 1; int32 y = 2; } }
message Apart { oneof either { int32 x = 1; } oneof other { int32 y = 2; } }
message Exacting {
  int32 x = 1 [features.field_presence = LEGACY_REQUIRED];
  int32 y = 2 [features.field_presence = LEGACY_REQUIRED];
}
message HoldingTwo { Two two = 1; }
message Recursive { Recursive inner = 1; }
message One { int32 x = 1; }
message Two { int32 x = 1; int32 y = 2; }
message Demanding { int32 x = 1 [features.field_presence = LEGACY_REQUIRED]; }
message Holding { One one = 1; }
message Entry { string key = 1; int32 value = 2; }
message EntryOfTwo { string key = 1; Two value = 2; }
message EntryOfClosed { string key = 1; Closed value = 2; }
message EntryOfText { string key = 1; string value = 2; }
message EntryOfList { string key = 1; repeated int32 value = 2; }
message EntryOfMap { string key = 1; map<string, int32> value = 2; }
message EntryWithMore { string key = 1; int32 value = 2; int32 more = 3; }
message EntryDemanding { string key = 1; int32 value = 2 [features.field_presence = LEGACY_REQUIRED]; }
message EntryDemandingMore { string key = 1; int32 value = 2; int32 more = 3 [features.field_presence = LEGACY_REQUIRED]; }
message EntryOfOneof { oneof either { string key = 1; int32 value = 2; } }
message EntryOfDefault { string key = 1; int32 value = 2 [default = 7]; }
message EntryOfClosedList { string key = 1; repeated Closed value = 2; }
message EntryOfTwos { string key = 1; repeated Two value = 2; }
message EntryOfLists { repeated string key = 1; int32 value = 2; }
message OneOfThree { int32 z = 3; oneof either { int32 x = 1; int32 y = 2; } }
message Leading { Recursive inner = 1; }
message KeyAndMore { string key = 1; int32 more = 3; }
message ValueAndMore { int32 value = 2; int32 more = 3; }
message EntryApart { oneof first { string key = 1; } oneof second { int32 value = 2; } }
message EntryWithList { string key = 1; int32 value = 2; repeated int32 more = 3; }
message OneOnly { One value = 2; }
message EntryOfOpen { string key = 1; Open value = 2; }
message EntryOfOpenKey { Open key = 1; Closed value = 2; }
message EntryOfOnes { string key = 1; One value = 2; }
message EntryExtended { string key = 1; int32 value = 2; extensions 100; }
extend EntryExtended { int32 extending = 100; }
message KeyOnly { string key = 1; }
message ValueOnly { int32 value = 2; }
message OfClosedOnly { Closed value = 2; }
";

/// Fields, each called `f`.
const FIELDS: &[&str] = &[
    "bool",
    "int32",
    "uint32",
    "sint32",
    "int64",
    "sint64",
    "uint64",
    "fixed32",
    "sfixed64",
    "float",
    "double",
    "string",
    "string [features.utf8_validation = NONE]",
    "bytes",
    "Open",
    "Closed",
    "Wider",
    "Below",
    "Names",
    "One",
    "One [features.message_encoding = DELIMITED]",
    "Two",
    "Demanding",
    "Holding",
    "lost.T",
    "int32 [features.field_presence = IMPLICIT]",
    "bool [features.field_presence = IMPLICIT]",
    "Open [features.field_presence = IMPLICIT]",
    "int32 [features.field_presence = LEGACY_REQUIRED]",
    "string [features.field_presence = LEGACY_REQUIRED]",
    "Closed [features.field_presence = LEGACY_REQUIRED]",
    "repeated bool",
    "repeated int32",
    "repeated int32 [features.repeated_field_encoding = EXPANDED]",
    "repeated fixed32",
    "repeated string",
    "repeated bytes",
    "repeated Open",
    "repeated Closed",
    "repeated Empty",
    "repeated One",
    "repeated One [features.message_encoding = DELIMITED]",
    "repeated Two",
    "map<string, int32>",
    "map<int32, string>",
    "map<bool, int64>",
    "map<string, Closed>",
    "map<string, Wider>",
    "map<string, Two>",
    "map<string, Demanding>",
    "repeated Entry",
    "Entry",
    "EntryOfTwo",
    "repeated EntryOfTwo",
    "repeated EntryOfClosed",
    "EntryOfClosed",
    "repeated EntryOfText",
    "repeated EntryOfList",
    "repeated EntryOfMap",
    "repeated EntryWithMore",
    "repeated EntryDemanding",
    "repeated EntryDemandingMore",
    "repeated EntryOfOneof",
    "repeated EntryOfDefault",
    "repeated KeyOnly",
    "repeated ValueOnly",
    "repeated OfClosedOnly",
    "repeated EntryOfClosedList",
    "repeated EntryOfTwos",
    "repeated EntryOfLists",
    "EntryOfLists",
    "EntryOfOneof",
    "EntryOfOnes",
    "repeated EntryExtended",
    "Lone",
    "Lone [features.field_presence = IMPLICIT]",
    "Nought",
    "Single",
    "repeated Single",
    "repeated Demanding",
    "repeated Holding",
    "HoldingTwo",
    "repeated HoldingTwo",
    "Recursive",
    "repeated Recursive",
    "OneOfTwo",
    "repeated OneOfTwo",
    "Apart",
    "repeated Apart",
    "Exacting",
    "repeated Exacting",
    "repeated OneOfThree",
    "Leading",
    "repeated Leading",
    "KeyAndMore",
    "repeated KeyAndMore",
    "repeated ValueAndMore",
    "EntryApart",
    "repeated EntryApart",
    "EntryOfList",
    "EntryWithList",
    "EntryWithMore",
    "EntryExtended",
    "OneOnly",
    "OfClosedOnly",
    "EntryOfOpen",
    "repeated EntryOfOpen",
    "repeated EntryOfOpenKey",
    "map<string, Open>",
    "map<string, One>",
    "map<int32, Closed>",
];

/// What is told apart in JSON only.
const JSON_FIELDS: &[&str] = &[
    "bool",
    "int32",
    "uint64",
    "float",
    "double",
    "string",
    "bytes",
    "Open",
    "Closed",
    "One",
    "lost.T",
    "Empty",
    "Demanding",
    "repeated int32",
    "repeated One",
    "map<string, int32>",
    "map<string, One>",
    "map<bool, int32>",
    "map<bool, One>",
    "map<int32, One>",
    "map<int32, int32>",
    "map<sint64, int32>",
    "map<int64, int32>",
    "map<uint32, int32>",
    "map<uint64, int32>",
    "map<fixed32, int32>",
    "map<fixed64, int32>",
    "map<sfixed32, int32>",
    "map<sfixed64, int32>",
    "map<sint32, int32>",
    "google.protobuf.Timestamp",
    "google.protobuf.Duration",
    "google.protobuf.FieldMask",
    "google.protobuf.Struct",
    "google.protobuf.Any",
    "google.protobuf.BoolValue",
    "google.protobuf.StringValue",
    "google.protobuf.BytesValue",
    "google.protobuf.FloatValue",
    "google.protobuf.DoubleValue",
    "google.protobuf.Int32Value",
    "google.protobuf.UInt32Value",
    "google.protobuf.Int64Value",
    "google.protobuf.UInt64Value",
    "google.protobuf.Value",
    "google.protobuf.ListValue",
    "Lone",
    "Lone [features.field_presence = IMPLICIT]",
    "repeated Lone",
    "int32 [features.field_presence = LEGACY_REQUIRED]",
];

/// What stands above the table.
const HEAD: &str = "# Written by `UPDATE=1 cargo test`; do not edit. A field with itself, and what becomes of a number without a name; below
# it those that come after it. The letters: what new readers see of old data and old readers of new data, on the wire and
# in JSON, by the first letters of the outcomes; whether they take any value on the wire, any in JSON, and an object
# without members; how the types relate, and the other way round if that is another word.
";

fn declared(index: usize, field: &str) -> String {
    let (ty, options) = field.split_once(" [").unwrap_or((field, ""));
    let options = if options.is_empty() { String::new() } else { format!(" [{options}") };
    format!("message M{index} {{ {ty} f = 1{options}; }}\n")
}

/// The type and the value of what it is told.
fn label(field: &str) -> String {
    let (ty, option) = field.split_once(" [").unwrap_or((field, ""));
    let value = option.rsplit_once(' ').map(|(_, value)| value.trim_end_matches(']').to_lowercase());
    value.map_or_else(|| ty.to_owned(), |value| format!("{} {ty}", value.replace('_', "-")))
}

/// What is told of two fields: how they relate, what a reader of the second sees of the first, and the other way round.
fn told(old: End<'_, '_>, new: End<'_, '_>) -> String {
    let letter = |outcome: Outcome| outcome.name()[..1].to_uppercase();
    let both = |of: fn(End<'_, '_>, End<'_, '_>) -> Outcome| letter(of(old, new)) + &letter(of(new, old));
    let takes = |of: fn(End<'_, '_>, End<'_, '_>) -> bool| {
        let word = |takes: bool| if takes { "+" } else { "-" };
        word(of(old, new)).to_owned() + word(of(new, old))
    };
    let (wire, json) = (both(wire_reads), both(json_reads));
    let takes = [accepts_any, json_accepts_any, json_accepts_empty].map(takes).join(" ");
    let (there, back) = (relation(old, new).name(), relation(new, old).name());
    let back = if there == back { String::new() } else { format!("/{back}") };
    format!("{wire} {json} {takes} {there}{back}")
}

/// Each field of a list with each that comes after it, those together of which the same is told.
fn table(fields: &[&str]) -> String {
    let messages = fields.iter().enumerate().map(|(index, field)| declared(index, field));
    let text = TYPES.to_owned() + &messages.collect::<String>();
    let snapshot = Snapshot::from_files([("t.proto", text.into_bytes())]);
    with_schema::<Protobuf, _>(&snapshot, &CheckOptions::default(), |schema, _| {
        let field = |index: usize| {
            let id = schema.messages_by_name[format!("M{index}").as_str()][0];
            End::new(schema, &schema.message(id).fields[0])
        };
        let names: Vec<String> = fields.iter().map(|field| label(field)).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let line = |index: usize, other: usize| match (field(index), field(other)) {
            (end, _) if index == other => format!("{} {}", told(end, end), set_aside(end)),
            (old, new) => told(old, new),
        };
        each_two(&names, line, None)
    })
}

#[test]
fn each_two_fields_relate_as_the_table_says() {
    let table = [HEAD.to_owned(), table(FIELDS), table(JSON_FIELDS)].concat();
    assert_holds("formats/protobuf/relation_tests.txt", &table);
}
