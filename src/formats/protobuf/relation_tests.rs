//! How each two fields relate that stand differently on the wire or in JSON: all of them with each other, in a table that
//! `UPDATE=1 cargo test` writes. Whether it is true, round trips and Google's runtimes show (`tests/it/laws_types.rs`,
//! `tests/it/laws_random.rs`, `tests/it/runtimes.rs`); here nothing changes unseen.

use std::fmt::Write as _;

use super::super::relation_json::{json_accepts_any, json_accepts_empty, json_reads};
use super::*;
use crate::formats::check::CheckOptions;
use crate::formats::frame::with_schema;
use crate::formats::protobuf::Protobuf;
use crate::snapshot::Snapshot;

/// What fields refer to; the import is nowhere.
const TYPES: &str = "edition = \"2023\";
import \"lost.proto\";
enum Open { O0 = 0; O1 = 1; }
enum Closed { option features.enum_type = CLOSED; C0 = 0; C1 = 1; }
enum Wider { option features.enum_type = CLOSED; W0 = 0; W1 = 1; W2 = 2; }
enum Below { option features.enum_type = CLOSED; B0 = 0; B1 = -1; }
enum Names { ABCDE = 0; FGHIJ = 1; }
message Empty {}
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
message KeyOnly { string key = 1; }
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
];

/// What stands above the table.
const HEAD: &str =
    "# Written by `UPDATE=1 cargo test`; do not edit. A field, and each that comes after it: what new readers see of
# old data and old readers of new data, on the wire and in JSON, by the first letters of the outcomes; whether they take
# any value on the wire, any in JSON, and an object without members; how the types relate. Of a field with itself also
# what becomes of a number without a name.
";

fn declared(index: usize, field: &str) -> String {
    let (ty, options) = field.split_once(" [").unwrap_or((field, ""));
    let options = if options.is_empty() { String::new() } else { format!(" [{options}") };
    format!("message M{index} {{ {ty} f = 1{options}; }}\n")
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
    format!("{wire} {json} {takes} {}", relation(old, new).name())
}

#[test]
fn each_two_fields_relate_as_the_table_says() {
    let messages = FIELDS.iter().enumerate().map(|(index, field)| declared(index, field));
    let text = TYPES.to_owned() + &messages.collect::<String>();
    let snapshot = Snapshot::from_files([("t.proto", text.into_bytes())]);
    let table = with_schema::<Protobuf, _>(&snapshot, &CheckOptions::default(), |schema, _| {
        let field = |index: usize| {
            let id = schema.messages_by_name[format!("M{index}").as_str()][0];
            End::new(schema, &schema.message(id).fields[0])
        };
        let mut table = HEAD.to_owned();
        for (index, field_text) in FIELDS.iter().enumerate() {
            let end = field(index);
            let _ = writeln!(table, "\n{field_text}: {} {}", told(end, end), set_aside(end));
            for (other, other_text) in FIELDS.iter().enumerate().skip(index + 1) {
                let _ = writeln!(table, "  {other_text}: {}", told(end, field(other)));
            }
        }
        table
    });
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/src/formats/protobuf/relation_tests.txt");
    if std::env::var_os("UPDATE").is_some_and(|value| value == "1") {
        std::fs::write(path, &table).expect("it can be written");
    }
    let known = std::fs::read_to_string(path).unwrap_or_default();
    let changed = known.lines().zip(table.lines()).filter(|(known, now)| known != now);
    let changed: Vec<String> = changed.take(20).map(|(known, now)| format!("- {known}\n+ {now}")).collect();
    assert!(known == table, "`UPDATE=1 cargo test` writes it anew:\n{}", changed.join("\n"));
}
