//! What other checkers say of small changes: `thrift --audit`, `flatc --conform` and the checker of the Avro registries,
//! by tables. Each line is a change of one thing that the tool looks at, or one that it has no eye for. Where a compiler is
//! installed, it is asked about each line.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::Command;

use crate::bounded;
use crate::support::{Case, skip, snapshot};
use wireproof::change::{FactKey, Pair};
use wireproof::formats::Format;

/// A change of one schema, and what is said of it.
type Row = (&'static str, &'static str, &'static [&'static str]);

/// What a tool says of a change, in the order of the changes: its ids, or the facts that hold its words.
fn said(format: Format, file: &str, old: &str, new: &str) -> Vec<String> {
    let sides = Pair::new(old, new).map(|text| snapshot(&BTreeMap::from([(file.to_owned(), text.to_owned())])));
    let case = Case { name: String::new(), format, sides, roots: Vec::new(), usages: Default::default() };
    let mut found = Vec::new();
    for change in case.check().changes {
        let facts = change
            .facts
            .iter()
            .filter(|(key, _)| matches!(key, FactKey::PeerReports | FactKey::PeerReadsOld | FactKey::PeerReadsNew));
        found.extend(facts.map(|(key, value)| format!("{key} {value}")));
        let undirected = change.reports.iter().filter(|report| report.direction.is_none());
        found.extend(undirected.map(|report| format!("{} {}", report.tool, report.id)));
    }
    found
}

fn hold<Text: AsRef<str>>(format: Format, file: &str, table: &[(Text, Text, &[&str])]) {
    let mut broken = Vec::new();
    for (old, new, expected) in table {
        let (old, new) = (old.as_ref(), new.as_ref());
        let found = said(format, file, old, new);
        if found != *expected {
            broken.push(format!("{old} → {new}: {found:?}, not {expected:?}"));
        }
    }
    assert!(broken.is_empty(), "{} of {}:\n{}", broken.len(), table.len(), broken.join("\n"));
}

/// Asks the tool itself, where it is installed, whether it lets pass exactly the rows of which nothing is said.
fn hold_the_tool(tool: &str, file: &str, table: &[Row], refuses: impl Fn(&[PathBuf; 2]) -> Result<bool, String>) {
    if !Command::new(tool).arg("--version").output().is_ok_and(|output| output.status.success()) {
        return skip(tool, "whether it says of the rows of a table what the table says");
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut broken = Vec::new();
    for (old, new, expected) in table {
        let files = [("old", old), ("new", new)].map(|(side, text)| {
            let file = folder.path().join(side).join(file);
            std::fs::create_dir_all(file.parent().expect("it has one")).expect("the folder can be written");
            std::fs::write(&file, text).expect("the folder can be written");
            file
        });
        let told = refuses(&files);
        if told != Ok(!expected.is_empty()) {
            broken.push(format!("{old} → {new}: {told:?}, not {expected:?}"));
        }
    }
    assert!(broken.is_empty(), "{} of {}:\n{}", broken.len(), table.len(), broken.join("\n"));
}

/// Fields in the order of their ids, types by the name that is written, declarations, services.
const THRIFT_AUDIT: &[Row] = &[
    // Fields, in the order of their ids.
    ("struct A { 1: i32 a }", "struct A { 1: i32 a, 2: i32 b }", &[]),
    ("struct A { 1: i32 a }", "struct A { 1: i32 a, 2: required i32 b }", &["peer-reports required-field-added"]),
    ("struct A { 2: i32 b }", "struct A { 1: i32 a, 2: i32 b }", &["peer-reports field-added-in-the-middle"]),
    (
        "struct A { 1: i32 a, 3: i32 c }",
        "struct A { 1: i32 a, 2: i32 b, 3: i32 c }",
        &["peer-reports field-added-in-the-middle"],
    ),
    ("struct A { 1: i32 a, 2: i32 b }", "struct A { 1: i32 a }", &["peer-reports field-removed"]),
    ("struct A { 1: i32 a, 2: i32 b }", "struct A { 2: i32 b }", &["peer-reports field-removed"]),
    ("struct A { 1: i32 a }", "struct A { 1: required i32 a }", &["peer-reports requiredness-changed"]),
    ("struct A { 1: required i32 a }", "struct A { 1: i32 a }", &["peer-reports requiredness-changed"]),
    ("struct A { 1: optional i32 a }", "struct A { 1: i32 a }", &[]),
    ("struct A { 1: required i32 a, 2: i32 b }", "struct A { 2: i32 b }", &["peer-reports field-removed"]),
    ("union A { 1: i32 a }", "union A { 1: i32 a, 2: i32 b }", &[]),
    ("union A { 1: i32 a, 2: i32 b }", "union A { 1: i32 a }", &["peer-reports field-removed"]),
    // Types, by the name that is written.
    ("struct A { 1: i32 a }", "struct A { 1: i64 a }", &["peer-reports field-type-changed"]),
    ("struct A { 1: byte a }", "struct A { 1: i8 a }", &[]),
    ("struct A { 1: string a }", "struct A { 1: binary a }", &[]),
    ("struct A { 1: string a }", "struct A { 1: list<string> a }", &["peer-reports field-type-changed"]),
    ("struct A { 1: list<i32> a }", "struct A { 1: list<i64> a }", &["peer-reports field-type-changed"]),
    ("struct A { 1: list<i32> a }", "struct A { 1: set<i32> a }", &["peer-reports field-type-changed"]),
    ("struct A { 1: map<string, i32> a }", "struct A { 1: map<string, i64> a }", &["peer-reports field-type-changed"]),
    ("struct A { 1: map<string, i32> a }", "struct A { 1: map< string , i32 > a }", &[]),
    ("struct A { 1: list<i32> a }", "struct A { 1: list< /* of */ i32> a }", &[]),
    ("struct A { 1: list<i32> a }", "struct A { 1: list< // of\n i32> a }", &[]),
    ("struct A { 1: list<i32> a }", "struct A { 1: list< # of\n i32> a }", &[]),
    ("struct A { 1: list<byte> a }", "struct A { 1: list<i8> a }", &[]),
    ("typedef i32 N struct A { 1: N a }", "typedef i32 N struct A { 1: i32 a }", &["peer-reports field-type-changed"]),
    ("typedef i32 N struct A { 1: N a }", "typedef i64 N struct A { 1: N a }", &[]),
    (
        "typedef i32 N typedef i32 O struct A { 1: N a }",
        "typedef i32 N typedef i32 O struct A { 1: O a }",
        &["peer-reports field-type-changed"],
    ),
    // Declarations.
    ("struct A { 1: i32 a } struct B {}", "struct A { 1: i32 a }", &["peer-reports struct-missing"]),
    ("exception E { 1: i32 a } struct B {}", "struct B {}", &["peer-reports struct-missing"]),
    ("exception E { 1: i32 a, 2: i32 b }", "exception E { 1: i32 a }", &["peer-reports field-removed"]),
    ("enum E { X = 1, Y = 2 }", "enum E { X = 1 }", &["peer-reports enum-value-missing"]),
    ("enum E { X = 1 }", "enum E { X = 1, Y = 2 }", &[]),
    ("enum E { X = 1, Y = 2 }", "enum E { X = 2, Y = 1 }", &[]),
    ("enum E { X = 1 } struct B {}", "struct B {}", &[]),
    (
        "enum D { X = 1 } enum E { X = 1, Y = 2 }",
        "enum D { X = 1 } enum E { X = 1 }",
        &["peer-reports enum-value-missing"],
    ),
    ("struct A { 1: i32 a }", "union A { 1: i32 a }", &[]),
    // Services.
    ("service S { void f() }", "struct B {}", &["peer-reports service-missing"]),
    ("service S { void f(), void g() }", "service S { void f() }", &["peer-reports function-missing"]),
    ("service S { void f() }", "service S { void f(), void g() }", &[]),
    ("service S { void f() }", "service S { oneway void f() }", &["peer-reports oneway-changed"]),
    ("service S { oneway void f() }", "service S { void f() }", &["peer-reports oneway-changed"]),
    ("service S { void f() }", "service S { i32 f() }", &["peer-reports return-type-changed"]),
    ("service S { i32 f() }", "service S { void f() }", &["peer-reports return-type-changed"]),
    ("service S { i32 f() }", "service S { i64 f() }", &["peer-reports return-type-changed"]),
    ("service S { void f(1: i32 a) }", "service S { void f(1: i32 a, 2: i32 b) }", &[]),
    ("service S { void f(1: i32 a, 2: i32 b) }", "service S { void f(1: i32 a) }", &["peer-reports field-removed"]),
    ("service S { void f(1: i32 a) }", "service S { void f(1: i64 a) }", &["peer-reports field-type-changed"]),
    (
        "exception E {} exception G {} service S { void f() throws (1: E e, 2: G g) }",
        "exception E {} exception G {} service S { void f() throws (1: E e) }",
        &["peer-reports field-removed"],
    ),
    ("exception E {} service S { void f() }", "exception E {} service S { void f() throws (1: E e) }", &[]),
    (
        "service P { void p() } service Q { void p() } service S extends P { void f() }",
        "service P { void p() } service Q { void p() } service S extends Q { void f() }",
        &["peer-reports service-extends-changed"],
    ),
    (
        "service P { void p() } service S extends P { void f() }",
        "service P { void p() } service S { void f() }",
        &["peer-reports service-extends-changed"],
    ),
    ("service P { void p() } service S { void f() }", "service P { void p() } service S extends P { void f() }", &[]),
    // What is thrown, and exceptions themselves.
    (
        "exception E { 1: i32 c } service S { void f() throws (1: E e) }",
        "exception E { 1: i32 c } service S { void f() }",
        &["peer-reports field-removed"],
    ),
    (
        "exception E { 1: i32 c } service S { void f() }",
        "exception E { 1: i32 c } service S { void f() throws (1: E e) }",
        &[],
    ),
    (
        "exception E { 1: i32 c } exception F { 1: i32 c } service S { void f() throws (1: E e) }",
        "exception E { 1: i32 c } exception F { 1: i32 c } service S { void f() throws (1: F e) }",
        &["peer-reports field-type-changed"],
    ),
    ("exception E { 1: i32 a }", "exception E { 1: i64 a }", &["peer-reports field-type-changed"]),
    ("exception E { 1: i32 a }", "struct E { 1: i32 a }", &["peer-reports struct-missing"]),
    // Members of unions are optional, and a union is a struct.
    ("union A { 1: required i32 a }", "union A { 1: i32 a }", &[]),
    ("union A { 1: i32 a }", "union A { 1: i32 a, 2: required i32 b }", &[]),
    ("union A { 1: i32 a }", "struct A { 1: i32 a }", &[]),
    (
        "service P { void p() } service S extends P { void f() }",
        "service P { void p() } service S extends P { void f(), void g() }",
        &[],
    ),
    ("service S { void f() }", "service S { void f(1: required i32 a) }", &["peer-reports required-field-added"]),
    // How a type is written: comments, annotations and names of C++ are none of it.
    ("struct A { 1: list<i32> a }", "struct A { 1: list< /* x */ i32> a }", &[]),
    ("struct A { 1: list<i32> a }", "struct A { 1: list<// x\n i32> a }", &[]),
    ("struct A { 1: list<i32> a }", "struct A { 1: list<# x\n i32> a }", &[]),
    ("struct A { 1: list<i32> a }", "struct A { 1: list<i32> (k = ')') a }", &[]),
    ("struct A { 1: list<i32> a }", "struct A { 1: list<i32> (k = \")\") a }", &[]),
    ("struct A { 1: map<i32, i32> a }", "struct A { 1: map cpp_type \"x\" <i32, i32> a }", &[]),
    ("struct A { 1: map<i32, i32> a }", "struct A { 1: map cpp_type 'x' <i32, i32> a }", &[]),
    ("struct A { 1: binary a }", "struct A { 1: string a }", &[]),
    ("struct A { 1: byte a }", "struct A { 1: i8 a }", &[]),
    ("struct A { 1: uuid a }", "struct A { 1: string a }", &["peer-reports field-type-changed"]),
    ("struct A { 3: i32 c, 1: i32 a }", "struct A { 1: i32 a, 3: i32 c }", &[]),
    ("struct A { -1: i32 a }", "struct A { -1: i32 a, 1: i32 b }", &[]),
    ("struct A { 1: i32 a }", "struct A { -1: i32 b, 1: i32 a }", &["peer-reports field-added-in-the-middle"]),
    ("const i32 C = 1 struct A { 1: i32 a }", "const i32 C = 2 struct A { 1: i32 a }", &[]),
    ("struct A { 1: i32 a = 1 }", "struct A { 1: i32 a = 2 }", &[]),
];

#[test]
fn what_thrift_audit_fails_on() {
    hold(Format::Thrift, "a.thrift", THRIFT_AUDIT);
}

/// Slots, types and defaults of tables, layouts of structs, values of enums, members of unions.
const FLATC_CONFORM: &[Row] = &[
    ("table A { a:int; }", "table A { a:int; b:int; }", &[]),
    ("table A { a:int; b:int; }", "table A { a:int; }", &["peer-reports field-deleted"]),
    (
        "table A { a:int; b:int; }",
        "table A { b:int; a:int; }",
        &["peer-reports offsets-differ", "peer-reports offsets-differ"],
    ),
    ("table A { a:int; b:short; }", "table A { a:int (deprecated); b:short; }", &[]),
    ("table A { a:int; }", "table A { b:int; }", &[]),
    ("table A { a:int; }", "table A { b:short; }", &["peer-reports field-renamed-to-different-type field-deleted"]),
    ("table A { a:int; }", "table A { a:short; }", &["peer-reports types-differ"]),
    ("table A { a:int; }", "table A { a:uint; }", &["peer-reports types-differ"]),
    ("table A { a:int; }", "table A { a:int = 1; }", &["peer-reports defaults-differ"]),
    ("table A { a:int = 1; }", "table A { a:int = 2; }", &["peer-reports defaults-differ"]),
    ("table A { a:float = 1.0; }", "table A { a:float = 1; }", &[]),
    ("table A { a:float = 1.5; }", "table A { a:float = 2.5; }", &["peer-reports defaults-differ"]),
    ("table A { a:double; }", "table A { a:double = 0.0; }", &[]),
    ("table A { a:float = nan; }", "table A { a:float = inf; }", &["peer-reports defaults-differ"]),
    ("table A { a:bool = true; }", "table A { a:bool = 1; }", &[]),
    ("table A { a:string; }", "table A { a:[ubyte]; }", &["peer-reports types-differ"]),
    ("table A { a:[int]; }", "table A { a:[short]; }", &["peer-reports types-differ"]),
    ("table A { a:[int]; }", "table A { a:[string]; }", &["peer-reports types-differ"]),
    (
        "table B {} table C {} table A { a:B; }",
        "table B {} table C {} table A { a:C; }",
        &["peer-reports types-differ"],
    ),
    (
        "table B {} table C {} table A { a:[B]; }",
        "table B {} table C {} table A { a:[C]; }",
        &["peer-reports types-differ"],
    ),
    ("table B {} table A { a:[B]; }", "table B {} table A { a:[int]; }", &["peer-reports types-differ"]),
    ("struct S { a:int; b:int; }", "struct S { a:int; b:int; c:int; }", &[]),
    (
        "struct S { a:int; b:int; }",
        "struct S { b:int; a:int; }",
        &["peer-reports offsets-differ", "peer-reports offsets-differ"],
    ),
    ("struct S { a:int; b:int; }", "struct S { a:int; }", &["peer-reports field-deleted"]),
    ("struct S { a:int; b:short; }", "struct S { a:int; c:short; }", &[]),
    ("struct S { a:[int:2]; }", "struct S { a:[int:3]; }", &[]),
    ("enum E:byte { X, Y }", "enum E:byte { X }", &[]),
    ("enum E:byte { X, Y }", "enum E:byte { X, Y, Z }", &[]),
    (
        "enum E:byte { X, Y }",
        "enum E:byte { X = 1, Y = 0 }",
        &["peer-reports values-differ", "peer-reports values-differ"],
    ),
    ("enum E:byte { X, Y }", "enum E:short { X, Y }", &["peer-reports underlying-types-differ"]),
    ("enum E:byte { X } table A { a:E; }", "enum E:byte { X } table A { a:byte; }", &["peer-reports types-differ"]),
    (
        "enum E:byte { X } enum F:byte { X } table A { a:E; }",
        "enum E:byte { X } enum F:byte { X } table A { a:F; }",
        &["peer-reports types-differ"],
    ),
    (
        "table B {} table C {} union U { B, C }",
        "table B {} table C {} union U { C, B }",
        &["peer-reports values-differ", "peer-reports values-differ"],
    ),
    ("table B {} table C {} union U { B, C }", "table B {} table C {} union U { B }", &[]),
    (
        "table B {} union U { B } table A { a:U; }",
        "table B {} union U { B } table A { a:int; }",
        &["peer-reports offsets-differ types-differ field-deleted"],
    ),
    (
        "table B {} union U { B } union V { B } table A { a:U; }",
        "table B {} union U { B } union V { B } table A { a:V; }",
        &["peer-reports types-differ"],
    ),
    (
        "table B {} union U { B } union V { B } table A { a:[U]; }",
        "table B {} union U { B } union V { B } table A { a:[V]; }",
        &["peer-reports types-differ"],
    ),
    ("table B {} union U { B } table A { a:U; b:int; }", "table B {} union U { B } table A { a:U; c:int; }", &[]),
    (
        "table B {} union U { B } table A { a:U; b:int; }",
        "table B {} union U { B } table A { a:U; b:short; }",
        &["peer-reports types-differ"],
    ),
    ("table A { a:[int] (vector64); }", "table A { a:[short] (vector64); }", &["peer-reports types-differ"]),
    ("table A { a:[int] (vector64); }", "table A { a:[int]; }", &["peer-reports types-differ offset-types-differ"]),
    ("table A { a:string (offset64); }", "table A { a:string; }", &["peer-reports offset-types-differ"]),
    ("struct S { a:[int:2]; }", "struct S { a:[uint:2]; }", &["peer-reports types-differ"]),
    ("struct S { a:int; }", "struct S { b:uint; }", &["peer-reports field-renamed-to-different-type field-deleted"]),
    ("struct S { a:int; }", "table S { a:int; }", &["peer-reports offsets-differ"]),
    // A union is two fields, of which the first has a type of its own unless another one is written.
    (
        "table B {} union U { B } table A { a:[U]; }",
        "table B {} union U { B } table A { a:int; }",
        &["peer-reports offsets-differ types-differ field-deleted"],
    ),
    (
        "table B {} union U { B } table A { a:[U]; }",
        "table B {} union U { B } table A { a:U; }",
        &["peer-reports types-differ"],
    ),
    ("table B {} union U { B }", "table B {} enum U:ubyte { NONE, B }", &["peer-reports underlying-types-differ"]),
    ("enum E:ubyte { X }", "table B {} union E { B }", &["peer-reports underlying-types-differ"]),
    ("table B {} union U:ubyte { B }", "table B {} union U { B }", &["peer-reports underlying-types-differ"]),
    ("table B {} union U:ubyte { B }", "table B {} union U:uint8 { B }", &[]),
    (
        "table B {} union U { B } table A { a:U; }",
        "table B {} union U:ubyte { B } table A { a:U; }",
        &["peer-reports types-differ", "peer-reports underlying-types-differ"],
    ),
    (
        "table B {} union U { B } table A { a:[U]; }",
        "table B {} union U:ubyte { B } table A { a:[U]; }",
        &["peer-reports types-differ", "peer-reports underlying-types-differ"],
    ),
    // Defaults are compared as texts: numbers with a point as they are written, and what is not written as `0`.
    ("table A { a:string = \"x\"; }", "table A { a:string = \"y\"; }", &["peer-reports defaults-differ"]),
    ("table A { a:string = \"\"; }", "table A { a:string; }", &["peer-reports defaults-differ"]),
    ("table A { a:string = \"x\"; }", "table A { a:string = \"\"; }", &["peer-reports defaults-differ"]),
    ("table A { a:string = \"0\"; }", "table A { a:string; }", &[]),
    ("table A { a:string = \"\\x30\"; }", "table A { a:string = \"0\"; }", &[]),
    ("table A { a:[int] = []; }", "table A { a:[int]; }", &["peer-reports defaults-differ"]),
    ("table A { a:int = null; }", "table A { a:int; }", &["peer-reports defaults-differ"]),
    ("table A { a:float = null; }", "table A { a:float; }", &["peer-reports defaults-differ"]),
    ("table A { a:float = null; }", "table A { a:int = null; }", &["peer-reports types-differ"]),
    ("table A { a:int = 7; }", "table A { a:float = 7; }", &["peer-reports defaults-differ types-differ"]),
    ("table A { a:int = 0; }", "table A { a:int; }", &[]),
    ("table A { a:float = -1; }", "table A { a:float = -1.0; }", &[]),
    ("table A { a:float = 1; }", "table A { a:float = 1e0; }", &["peer-reports defaults-differ"]),
    ("table A { a:float = 1; }", "table A { a:float = 1E0; }", &["peer-reports defaults-differ"]),
    ("table A { a:float = 0x1p0; }", "table A { a:float = 1.0; }", &["peer-reports defaults-differ"]),
    ("table A { a:double = inf; }", "table A { a:double = infinity; }", &["peer-reports defaults-differ"]),
    ("enum E:byte { X, Y } table A { a:E = Y; }", "enum E:byte { X, Y } table A { a:E = 1; }", &[]),
    (
        "enum E:byte { X, Y } table A { a:E = Y; }",
        "enum E:byte { X, Y } table A { a:E = X; }",
        &["peer-reports defaults-differ"],
    ),
    (
        "enum E:byte { X } enum F:byte { X } table A { a:[E]; }",
        "enum E:byte { X } enum F:byte { X } table A { a:[F]; }",
        &["peer-reports types-differ"],
    ),
    ("enum E:byte { X } table A { a:[E]; }", "enum E:byte { X } table A { a:[byte]; }", &["peer-reports types-differ"]),
    ("table A { a:[ubyte] (nested_flatbuffer: \"A\"); }", "table A { a:[ubyte]; }", &[]),
    ("table A { a:string (required); }", "table A { a:string; }", &[]),
    ("table A { a:int (id: 1); b:int (id: 0); }", "table A { c:int (id: 0); d:int (id: 1); }", &[]),
];

#[test]
fn what_flatc_conform_refuses() {
    hold(Format::Flatbuffers, "a.fbs", FLATC_CONFORM);
}

#[test]
fn flatc_refuses_what_the_table_says() {
    let refuses = |[old, new]: &[PathBuf; 2]| {
        let output = bounded::run(Command::new("flatc").arg("--conform").arg(old).arg(new)).expect("it ends");
        let said = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
        match (output.status.success(), said.contains("schemas don't conform")) {
            (true, false) => Ok(false),
            (false, true) => Ok(true),
            _ => Err(said),
        }
    };
    hold_the_tool("flatc", "a.fbs", FLATC_CONFORM, refuses);
}

#[test]
fn thrift_audit_fails_where_the_table_says() {
    let fails = |[old, new]: &[PathBuf; 2]| {
        let output = bounded::run(Command::new("thrift").arg("--audit").arg(old).arg(new)).expect("it ends");
        match output.status.code() {
            Some(0) => Ok(false),
            Some(2) => Ok(true),
            _ => Err(String::from_utf8_lossy(&output.stderr).into_owned()),
        }
    };
    hold_the_tool("thrift", "a.thrift", THRIFT_AUDIT, fails);
}

/// The type of a field.
const REGISTRY_TYPES: &[Row] = &[
    (r#""int""#, r#""long""#, &["peer-reads-new TYPE_MISMATCH"]),
    (r#""float""#, r#""double""#, &["peer-reads-new TYPE_MISMATCH"]),
    (r#""long""#, r#""float""#, &["peer-reads-new TYPE_MISMATCH"]),
    (r#""string""#, r#""bytes""#, &[]),
    (r#""int""#, r#""string""#, &["peer-reads-old TYPE_MISMATCH", "peer-reads-new TYPE_MISMATCH"]),
    (
        r#"{"type":"array","items":"int"}"#,
        r#"{"type":"array","items":"string"}"#,
        &["peer-reads-old TYPE_MISMATCH", "peer-reads-new TYPE_MISMATCH"],
    ),
    (
        r#"{"type":"map","values":"int"}"#,
        r#"{"type":"map","values":"boolean"}"#,
        &["peer-reads-old TYPE_MISMATCH", "peer-reads-new TYPE_MISMATCH"],
    ),
    (
        r#"{"type":"array","items":"int"}"#,
        r#"{"type":"map","values":"int"}"#,
        &["peer-reads-old TYPE_MISMATCH", "peer-reads-new TYPE_MISMATCH"],
    ),
    (
        r#"{"type":"enum","name":"E","symbols":["A","B"]}"#,
        r#"{"type":"enum","name":"E","symbols":["A"]}"#,
        &["peer-reads-old MISSING_ENUM_SYMBOLS"],
    ),
    (
        r#"{"type":"enum","name":"E","symbols":["A","B"],"default":"A"}"#,
        r#"{"type":"enum","name":"E","symbols":["A"],"default":"A"}"#,
        &[],
    ),
    (
        r#"{"type":"fixed","name":"F","size":4}"#,
        r#"{"type":"fixed","name":"F","size":8}"#,
        &["peer-reads-old FIXED_SIZE_MISMATCH", "peer-reads-new FIXED_SIZE_MISMATCH"],
    ),
    (
        r#"{"type":"fixed","name":"F","size":4}"#,
        r#"{"type":"fixed","name":"G","size":4}"#,
        &["peer-reads-old NAME_MISMATCH", "peer-reads-new NAME_MISMATCH"],
    ),
    (
        r#"{"type":"record","name":"I","fields":[{"name":"a","type":"int"}]}"#,
        r#"{"type":"record","name":"J","fields":[{"name":"a","type":"int"}]}"#,
        &["peer-reads-old NAME_MISMATCH", "peer-reads-new NAME_MISMATCH"],
    ),
    (
        r#"{"type":"record","name":"I","fields":[{"name":"a","type":"int"}]}"#,
        r#"{"type":"record","name":"J","aliases":["I"],"fields":[{"name":"a","type":"int"}]}"#,
        &["peer-reads-new NAME_MISMATCH"],
    ),
    (r#"["null","int"]"#, r#"["null","int","string"]"#, &["peer-reads-new MISSING_UNION_BRANCH"]),
    (r#"["null","int"]"#, r#""int""#, &["peer-reads-old TYPE_MISMATCH"]),
    (r#""int""#, r#"["null","string"]"#, &["peer-reads-old MISSING_UNION_BRANCH", "peer-reads-new TYPE_MISMATCH"]),
    (r#""int""#, r#"["null","long"]"#, &["peer-reads-new TYPE_MISMATCH"]),
    (r#"["int"]"#, r#""string""#, &["peer-reads-old TYPE_MISMATCH", "peer-reads-new MISSING_UNION_BRANCH"]),
    (r#"["int","string"]"#, r#"["string","int"]"#, &[]),
    (
        r#"["null",{"type":"record","name":"I","fields":[{"name":"a","type":"int"}]}]"#,
        r#"["null",{"type":"record","name":"I","fields":[{"name":"a","type":"int"},{"name":"b","type":"string"}]}]"#,
        &["peer-reads-old MISSING_UNION_BRANCH"],
    ),
    (
        r#"["null",{"type":"record","name":"I","fields":[{"name":"a","type":"int"}]}]"#,
        r#"["null",{"type":"record","name":"J","fields":[{"name":"a","type":"int"}]}]"#,
        &["peer-reads-old MISSING_UNION_BRANCH", "peer-reads-new MISSING_UNION_BRANCH"],
    ),
    (
        r#"{"type":"record","name":"I","fields":[{"name":"a","type":"int"}]}"#,
        r#"["null",{"type":"record","name":"I","fields":[{"name":"b","type":"string"}]}]"#,
        &[
            "peer-reads-new TYPE_MISMATCH",
            "peer-reads-old MISSING_UNION_BRANCH",
            "peer-reads-new READER_FIELD_MISSING_DEFAULT_VALUE",
        ],
    ),
    (
        r#"["null",{"type":"enum","name":"E","symbols":["A","B"]}]"#,
        r#"["null",{"type":"enum","name":"E","symbols":["A"]}]"#,
        &["peer-reads-old MISSING_UNION_BRANCH"],
    ),
    (
        r#"["null",{"type":"fixed","name":"F","size":4}]"#,
        r#"["null",{"type":"fixed","name":"F","size":8}]"#,
        &["peer-reads-old MISSING_UNION_BRANCH", "peer-reads-new MISSING_UNION_BRANCH"],
    ),
    (
        r#"["null",{"type":"array","items":"int"}]"#,
        r#"["null",{"type":"array","items":"string"}]"#,
        &["peer-reads-old MISSING_UNION_BRANCH", "peer-reads-new MISSING_UNION_BRANCH"],
    ),
];

/// The fields of the record `R`.
const REGISTRY_FIELDS: &[Row] = &[
    (
        r#"{"name":"a","type":"int"},{"name":"b","type":"string"}"#,
        r#"{"name":"a","type":"int"}"#,
        &["peer-reads-new READER_FIELD_MISSING_DEFAULT_VALUE"],
    ),
    (r#"{"name":"a","type":"int"}"#, r#"{"name":"a","type":"int"},{"name":"b","type":"string","default":""}"#, &[]),
    (
        r#"{"name":"a","type":"int"}"#,
        r#"{"name":"c","aliases":["a"],"type":"int"}"#,
        &["peer-reads-new READER_FIELD_MISSING_DEFAULT_VALUE"],
    ),
    (
        r#"{"name":"a","type":"int"}"#,
        r#"{"name":"c","aliases":["z","a"],"type":"long"}"#,
        &["peer-reads-new READER_FIELD_MISSING_DEFAULT_VALUE"],
    ),
    (
        r#"{"name":"a","type":"int"}"#,
        r#"{"name":"c","aliases":["z"],"type":"int"}"#,
        &["peer-reads-old READER_FIELD_MISSING_DEFAULT_VALUE", "peer-reads-new READER_FIELD_MISSING_DEFAULT_VALUE"],
    ),
    (
        r#"{"name":"next","type":["null","R"]}"#,
        r#"{"name":"next","type":["null","R"]},{"name":"b","type":"string"}"#,
        &["peer-reads-old READER_FIELD_MISSING_DEFAULT_VALUE"],
    ),
    (
        r#"{"name":"next","type":["null","R"]}"#,
        r#"{"name":"next","type":["null","R"]},{"name":"b","type":"string","default":""}"#,
        &[],
    ),
];

#[test]
fn what_the_checker_of_the_avro_registries_reports() {
    let record = |fields: &str| format!(r#"{{"type":"record","name":"R","fields":[{fields}]}}"#);
    let of_type = |ty: &str| record(&format!(r#"{{"name":"x","type":{ty}}}"#));
    let types = REGISTRY_TYPES.iter().map(|(old, new, said)| (of_type(old), of_type(new), *said));
    let fields = REGISTRY_FIELDS.iter().map(|(old, new, said)| (record(old), record(new), *said));
    hold(Format::Avro, "a.avsc", &types.chain(fields).collect::<Vec<_>>());
}
