//! What other checkers say of small changes: `thrift --audit`, `flatc --conform` and the checker of the Avro registries,
//! by tables. Each line is a change of one thing that the tool looks at, or one that it has no eye for.

use std::collections::BTreeMap;

use crate::support::{Case, snapshot};
use wireproof::change::{FactKey, Pair};
use wireproof::formats::Format;

/// What a tool says of a change, in the order of the changes: its ids, or the facts that hold its words.
fn said(format: Format, file: &str, old: &str, new: &str) -> Vec<String> {
    let sides = Pair::new(old, new).map(|text| snapshot(&BTreeMap::from([(file.to_owned(), text.to_owned())])));
    let case = Case { name: String::new(), format, sides, roots: Vec::new() };
    let mut found = Vec::new();
    for change in case.check().changes {
        let facts = change.facts.iter().filter(|(key, _)| {
            matches!(key, FactKey::AuditFails | FactKey::RegistryReadsOld | FactKey::RegistryReadsNew)
        });
        found.extend(facts.map(|(key, value)| format!("{key} {value}")));
        found.extend(change.reports.iter().map(|report| format!("{} {}", report.tool, report.id)));
    }
    found
}

fn hold(format: Format, file: &str, table: &[(&str, &str, &[&str])]) {
    let mut broken = Vec::new();
    for (old, new, expected) in table {
        let found = said(format, file, old, new);
        if found != *expected {
            broken.push(format!("{old} → {new}: {found:?}, not {expected:?}"));
        }
    }
    assert!(broken.is_empty(), "{} of {}:\n{}", broken.len(), table.len(), broken.join("\n"));
}

#[test]
fn what_thrift_audit_fails_on() {
    let table: &[(&str, &str, &[&str])] = &[
        // Fields, in the order of their ids.
        ("struct A { 1: i32 a }", "struct A { 1: i32 a, 2: i32 b }", &[]),
        ("struct A { 1: i32 a }", "struct A { 1: i32 a, 2: required i32 b }", &["audit-fails required-field-added"]),
        ("struct A { 2: i32 b }", "struct A { 1: i32 a, 2: i32 b }", &["audit-fails field-added-in-the-middle"]),
        (
            "struct A { 1: i32 a, 3: i32 c }",
            "struct A { 1: i32 a, 2: i32 b, 3: i32 c }",
            &["audit-fails field-added-in-the-middle"],
        ),
        ("struct A { 1: i32 a, 2: i32 b }", "struct A { 1: i32 a }", &["audit-fails field-removed"]),
        ("struct A { 1: i32 a, 2: i32 b }", "struct A { 2: i32 b }", &["audit-fails field-removed"]),
        ("struct A { 1: i32 a }", "struct A { 1: required i32 a }", &["audit-fails requiredness-changed"]),
        ("struct A { 1: required i32 a }", "struct A { 1: i32 a }", &["audit-fails requiredness-changed"]),
        ("struct A { 1: optional i32 a }", "struct A { 1: i32 a }", &[]),
        ("struct A { 1: required i32 a, 2: i32 b }", "struct A { 2: i32 b }", &["audit-fails field-removed"]),
        ("union A { 1: i32 a }", "union A { 1: i32 a, 2: i32 b }", &[]),
        ("union A { 1: i32 a, 2: i32 b }", "union A { 1: i32 a }", &["audit-fails field-removed"]),
        // Types, by the name that is written.
        ("struct A { 1: i32 a }", "struct A { 1: i64 a }", &["audit-fails field-type-changed"]),
        ("struct A { 1: byte a }", "struct A { 1: i8 a }", &[]),
        ("struct A { 1: string a }", "struct A { 1: binary a }", &[]),
        ("struct A { 1: string a }", "struct A { 1: list<string> a }", &["audit-fails field-type-changed"]),
        ("struct A { 1: list<i32> a }", "struct A { 1: list<i64> a }", &["audit-fails field-type-changed"]),
        ("struct A { 1: list<i32> a }", "struct A { 1: set<i32> a }", &["audit-fails field-type-changed"]),
        (
            "struct A { 1: map<string, i32> a }",
            "struct A { 1: map<string, i64> a }",
            &["audit-fails field-type-changed"],
        ),
        ("struct A { 1: map<string, i32> a }", "struct A { 1: map< string , i32 > a }", &[]),
        (
            "typedef i32 N struct A { 1: N a }",
            "typedef i32 N struct A { 1: i32 a }",
            &["audit-fails field-type-changed"],
        ),
        ("typedef i32 N struct A { 1: N a }", "typedef i64 N struct A { 1: N a }", &[]),
        (
            "typedef i32 N typedef i32 O struct A { 1: N a }",
            "typedef i32 N typedef i32 O struct A { 1: O a }",
            &["audit-fails field-type-changed"],
        ),
        // Declarations.
        ("struct A { 1: i32 a } struct B {}", "struct A { 1: i32 a }", &["audit-fails struct-missing"]),
        ("exception E { 1: i32 a } struct B {}", "struct B {}", &["audit-fails struct-missing"]),
        ("exception E { 1: i32 a, 2: i32 b }", "exception E { 1: i32 a }", &["audit-fails field-removed"]),
        ("enum E { X = 1, Y = 2 }", "enum E { X = 1 }", &["audit-fails enum-value-missing"]),
        ("enum E { X = 1 }", "enum E { X = 1, Y = 2 }", &[]),
        ("enum E { X = 1, Y = 2 }", "enum E { X = 2, Y = 1 }", &[]),
        ("enum E { X = 1 } struct B {}", "struct B {}", &[]),
        (
            "enum D { X = 1 } enum E { X = 1, Y = 2 }",
            "enum D { X = 1 } enum E { X = 1 }",
            &["audit-fails enum-value-missing"],
        ),
        ("struct A { 1: i32 a }", "union A { 1: i32 a }", &[]),
        // Services.
        ("service S { void f() }", "struct B {}", &["audit-fails service-missing"]),
        ("service S { void f(), void g() }", "service S { void f() }", &["audit-fails function-missing"]),
        ("service S { void f() }", "service S { void f(), void g() }", &[]),
        ("service S { void f() }", "service S { oneway void f() }", &["audit-fails oneway-changed"]),
        ("service S { oneway void f() }", "service S { void f() }", &["audit-fails oneway-changed"]),
        ("service S { void f() }", "service S { i32 f() }", &["audit-fails return-type-changed"]),
        ("service S { i32 f() }", "service S { void f() }", &["audit-fails return-type-changed"]),
        ("service S { i32 f() }", "service S { i64 f() }", &["audit-fails return-type-changed"]),
        ("service S { void f(1: i32 a) }", "service S { void f(1: i32 a, 2: i32 b) }", &[]),
        ("service S { void f(1: i32 a, 2: i32 b) }", "service S { void f(1: i32 a) }", &["audit-fails field-removed"]),
        ("service S { void f(1: i32 a) }", "service S { void f(1: i64 a) }", &["audit-fails field-type-changed"]),
        (
            "exception E {} exception G {} service S { void f() throws (1: E e, 2: G g) }",
            "exception E {} exception G {} service S { void f() throws (1: E e) }",
            &["audit-fails field-removed"],
        ),
        ("exception E {} service S { void f() }", "exception E {} service S { void f() throws (1: E e) }", &[]),
        (
            "service P { void p() } service Q { void p() } service S extends P { void f() }",
            "service P { void p() } service Q { void p() } service S extends Q { void f() }",
            &["audit-fails service-extends-changed"],
        ),
        (
            "service P { void p() } service S extends P { void f() }",
            "service P { void p() } service S { void f() }",
            &["audit-fails service-extends-changed"],
        ),
        (
            "service P { void p() } service S { void f() }",
            "service P { void p() } service S extends P { void f() }",
            &[],
        ),
    ];
    hold(Format::Thrift, "a.thrift", table);
}

#[test]
fn what_flatc_conform_refuses() {
    let table: &[(&str, &str, &[&str])] = &[
        ("table A { a:int; }", "table A { a:int; b:int; }", &[]),
        ("table A { a:int; b:int; }", "table A { a:int; }", &["audit-fails field-deleted"]),
        (
            "table A { a:int; b:int; }",
            "table A { b:int; a:int; }",
            &["audit-fails offsets-differ", "audit-fails offsets-differ"],
        ),
        ("table A { a:int; b:short; }", "table A { a:int (deprecated); b:short; }", &[]),
        ("table A { a:int; }", "table A { b:int; }", &[]),
        ("table A { a:int; }", "table A { b:short; }", &["audit-fails field-renamed-to-different-type field-deleted"]),
        ("table A { a:int; }", "table A { a:short; }", &["audit-fails types-differ"]),
        ("table A { a:int; }", "table A { a:uint; }", &["audit-fails types-differ"]),
        ("table A { a:int; }", "table A { a:int = 1; }", &["audit-fails defaults-differ"]),
        ("table A { a:int = 1; }", "table A { a:int = 2; }", &["audit-fails defaults-differ"]),
        ("table A { a:float = 1.0; }", "table A { a:float = 1; }", &[]),
        ("table A { a:float = 1.5; }", "table A { a:float = 2.5; }", &["audit-fails defaults-differ"]),
        ("table A { a:double; }", "table A { a:double = 0.0; }", &[]),
        ("table A { a:float = nan; }", "table A { a:float = inf; }", &["audit-fails defaults-differ"]),
        ("table A { a:bool = true; }", "table A { a:bool = 1; }", &[]),
        ("table A { a:string; }", "table A { a:[ubyte]; }", &["audit-fails types-differ"]),
        ("table A { a:[int]; }", "table A { a:[short]; }", &["audit-fails types-differ"]),
        ("table A { a:[int]; }", "table A { a:[string]; }", &["audit-fails types-differ"]),
        (
            "table B {} table C {} table A { a:B; }",
            "table B {} table C {} table A { a:C; }",
            &["audit-fails types-differ"],
        ),
        (
            "table B {} table C {} table A { a:[B]; }",
            "table B {} table C {} table A { a:[C]; }",
            &["audit-fails types-differ"],
        ),
        ("table B {} table A { a:[B]; }", "table B {} table A { a:[int]; }", &["audit-fails types-differ"]),
        ("struct S { a:int; b:int; }", "struct S { a:int; b:int; c:int; }", &[]),
        (
            "struct S { a:int; b:int; }",
            "struct S { b:int; a:int; }",
            &["audit-fails offsets-differ", "audit-fails offsets-differ"],
        ),
        ("struct S { a:int; b:int; }", "struct S { a:int; }", &["audit-fails field-deleted"]),
        ("struct S { a:int; b:short; }", "struct S { a:int; c:short; }", &[]),
        ("struct S { a:[int:2]; }", "struct S { a:[int:3]; }", &[]),
        ("enum E:byte { X, Y }", "enum E:byte { X }", &[]),
        ("enum E:byte { X, Y }", "enum E:byte { X, Y, Z }", &[]),
        (
            "enum E:byte { X, Y }",
            "enum E:byte { X = 1, Y = 0 }",
            &["audit-fails values-differ", "audit-fails values-differ"],
        ),
        ("enum E:byte { X, Y }", "enum E:short { X, Y }", &["audit-fails underlying-types-differ"]),
        ("enum E:byte { X } table A { a:E; }", "enum E:byte { X } table A { a:byte; }", &["audit-fails types-differ"]),
        (
            "enum E:byte { X } enum F:byte { X } table A { a:E; }",
            "enum E:byte { X } enum F:byte { X } table A { a:F; }",
            &["audit-fails types-differ"],
        ),
        (
            "table B {} table C {} union U { B, C }",
            "table B {} table C {} union U { C, B }",
            &["audit-fails values-differ", "audit-fails values-differ"],
        ),
        ("table B {} table C {} union U { B, C }", "table B {} table C {} union U { B }", &[]),
        (
            "table B {} union U { B } table A { a:U; }",
            "table B {} union U { B } table A { a:int; }",
            &["audit-fails offsets-differ types-differ field-deleted"],
        ),
        (
            "table B {} union U { B } union V { B } table A { a:U; }",
            "table B {} union U { B } union V { B } table A { a:V; }",
            &["audit-fails types-differ"],
        ),
        (
            "table B {} union U { B } union V { B } table A { a:[U]; }",
            "table B {} union U { B } union V { B } table A { a:[V]; }",
            &["audit-fails types-differ"],
        ),
        ("table B {} union U { B } table A { a:U; b:int; }", "table B {} union U { B } table A { a:U; c:int; }", &[]),
        (
            "table B {} union U { B } table A { a:U; b:int; }",
            "table B {} union U { B } table A { a:U; b:short; }",
            &["audit-fails types-differ"],
        ),
    ];
    hold(Format::Flatbuffers, "a.fbs", table);
}

#[test]
fn what_the_checker_of_the_avro_registries_reports() {
    fn record(field: &str) -> String {
        format!(r#"{{"type":"record","name":"R","fields":[{field}]}}"#)
    }
    fn of_type(ty: &str) -> String {
        record(&format!(r#"{{"name":"x","type":{ty}}}"#))
    }
    let enumeration = |symbols: &str| of_type(&format!(r#"{{"type":"enum","name":"E","symbols":[{symbols}]}}"#));
    let with_default =
        |symbols: &str| of_type(&format!(r#"{{"type":"enum","name":"E","symbols":[{symbols}],"default":"A"}}"#));
    let fixed = |name: &str, size: u8| of_type(&format!(r#"{{"type":"fixed","name":"{name}","size":{size}}}"#));
    let inner = |name: &str, fields: &str| format!(r#"{{"type":"record","name":"{name}","fields":[{fields}]}}"#);
    let int = r#"{"name":"a","type":"int"}"#;
    let text = r#"{"name":"b","type":"string"}"#;
    let text_by_default = r#"{"name":"b","type":"string","default":""}"#;
    let node = |more: &str| record(&format!(r#"{{"name":"next","type":["null","R"]}}{more}"#));
    let table: Vec<(String, String, &[&str])> = vec![
        (of_type(r#""int""#), of_type(r#""long""#), &["registry-reads-new TYPE_MISMATCH"]),
        (of_type(r#""float""#), of_type(r#""double""#), &["registry-reads-new TYPE_MISMATCH"]),
        (of_type(r#""long""#), of_type(r#""float""#), &["registry-reads-new TYPE_MISMATCH"]),
        (of_type(r#""string""#), of_type(r#""bytes""#), &[]),
        (
            of_type(r#""int""#),
            of_type(r#""string""#),
            &["registry-reads-old TYPE_MISMATCH", "registry-reads-new TYPE_MISMATCH"],
        ),
        (
            of_type(r#"{"type":"array","items":"int"}"#),
            of_type(r#"{"type":"array","items":"string"}"#),
            &["registry-reads-old TYPE_MISMATCH", "registry-reads-new TYPE_MISMATCH"],
        ),
        (
            of_type(r#"{"type":"map","values":"int"}"#),
            of_type(r#"{"type":"map","values":"boolean"}"#),
            &["registry-reads-old TYPE_MISMATCH", "registry-reads-new TYPE_MISMATCH"],
        ),
        (
            of_type(r#"{"type":"array","items":"int"}"#),
            of_type(r#"{"type":"map","values":"int"}"#),
            &["registry-reads-old TYPE_MISMATCH", "registry-reads-new TYPE_MISMATCH"],
        ),
        (enumeration(r#""A","B""#), enumeration(r#""A""#), &["registry-reads-old MISSING_ENUM_SYMBOLS"]),
        (with_default(r#""A","B""#), with_default(r#""A""#), &[]),
        (
            fixed("F", 4),
            fixed("F", 8),
            &["registry-reads-old FIXED_SIZE_MISMATCH", "registry-reads-new FIXED_SIZE_MISMATCH"],
        ),
        (fixed("F", 4), fixed("G", 4), &["registry-reads-old NAME_MISMATCH", "registry-reads-new NAME_MISMATCH"]),
        (record(&format!("{int},{text}")), record(int), &["registry-reads-new READER_FIELD_MISSING_DEFAULT_VALUE"]),
        (record(int), record(&format!("{int},{text_by_default}")), &[]),
        (
            record(int),
            record(r#"{"name":"c","aliases":["a"],"type":"int"}"#),
            &["registry-reads-new READER_FIELD_MISSING_DEFAULT_VALUE"],
        ),
        (
            record(int),
            record(r#"{"name":"c","aliases":["z","a"],"type":"long"}"#),
            &["registry-reads-new READER_FIELD_MISSING_DEFAULT_VALUE"],
        ),
        (
            record(int),
            record(r#"{"name":"c","aliases":["z"],"type":"int"}"#),
            &[
                "registry-reads-old READER_FIELD_MISSING_DEFAULT_VALUE",
                "registry-reads-new READER_FIELD_MISSING_DEFAULT_VALUE",
            ],
        ),
        (
            of_type(&inner("I", int)),
            of_type(&inner("J", int)),
            &["registry-reads-old NAME_MISMATCH", "registry-reads-new NAME_MISMATCH"],
        ),
        (
            of_type(&inner("I", int)),
            of_type(r#"{"type":"record","name":"J","aliases":["I"],"fields":[{"name":"a","type":"int"}]}"#),
            &["registry-reads-new NAME_MISMATCH"],
        ),
        (
            of_type(r#"["null","int"]"#),
            of_type(r#"["null","int","string"]"#),
            &["registry-reads-new MISSING_UNION_BRANCH"],
        ),
        (of_type(r#"["null","int"]"#), of_type(r#""int""#), &["registry-reads-old TYPE_MISMATCH"]),
        (
            of_type(r#""int""#),
            of_type(r#"["null","string"]"#),
            &["registry-reads-old MISSING_UNION_BRANCH", "registry-reads-new TYPE_MISMATCH"],
        ),
        (of_type(r#""int""#), of_type(r#"["null","long"]"#), &["registry-reads-new TYPE_MISMATCH"]),
        (
            of_type(r#"["int"]"#),
            of_type(r#""string""#),
            &["registry-reads-old TYPE_MISMATCH", "registry-reads-new MISSING_UNION_BRANCH"],
        ),
        (of_type(r#"["int","string"]"#), of_type(r#"["string","int"]"#), &[]),
        (
            of_type(&format!(r#"["null",{}]"#, inner("I", int))),
            of_type(&format!(r#"["null",{}]"#, inner("I", &format!("{int},{text}")))),
            &["registry-reads-old MISSING_UNION_BRANCH"],
        ),
        (
            of_type(&format!(r#"["null",{}]"#, inner("I", int))),
            of_type(&format!(r#"["null",{}]"#, inner("J", int))),
            &["registry-reads-old MISSING_UNION_BRANCH", "registry-reads-new MISSING_UNION_BRANCH"],
        ),
        (
            of_type(&inner("I", int)),
            of_type(&format!(r#"["null",{}]"#, inner("I", text))),
            &[
                "registry-reads-new TYPE_MISMATCH",
                "registry-reads-old MISSING_UNION_BRANCH",
                "registry-reads-new READER_FIELD_MISSING_DEFAULT_VALUE",
            ],
        ),
        (
            of_type(r#"["null",{"type":"enum","name":"E","symbols":["A","B"]}]"#),
            of_type(r#"["null",{"type":"enum","name":"E","symbols":["A"]}]"#),
            &["registry-reads-old MISSING_UNION_BRANCH"],
        ),
        (
            of_type(r#"["null",{"type":"fixed","name":"F","size":4}]"#),
            of_type(r#"["null",{"type":"fixed","name":"F","size":8}]"#),
            &["registry-reads-old MISSING_UNION_BRANCH", "registry-reads-new MISSING_UNION_BRANCH"],
        ),
        (
            of_type(r#"["null",{"type":"array","items":"int"}]"#),
            of_type(r#"["null",{"type":"array","items":"string"}]"#),
            &["registry-reads-old MISSING_UNION_BRANCH", "registry-reads-new MISSING_UNION_BRANCH"],
        ),
        (node(""), node(&format!(",{text}")), &["registry-reads-old READER_FIELD_MISSING_DEFAULT_VALUE"]),
        (node(""), node(&format!(",{text_by_default}")), &[]),
    ];
    let table: Vec<(&str, &str, &[&str])> = table.iter().map(|(old, new, said)| (&**old, &**new, *said)).collect();
    hold(Format::Avro, "a.avsc", &table);
}
