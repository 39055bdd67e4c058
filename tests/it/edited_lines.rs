//! Where a finding stands: on a line that somebody edited, wherever the cause is one.

use std::collections::{BTreeMap, BTreeSet};

use similar::{ChangeTag, TextDiff};
use wireproof::change::Pair;
use wireproof::formats::Format;
use wireproof::report::{Finding, Location};
use wireproof::source::Snapshot;
use wireproof::verdict::Policy;

use crate::compared::REPORTED;
use crate::support::Case;

/// The lines of a file that only one side has, by their numbers there.
fn edited(sides: Pair<&Snapshot>, path: &str) -> Pair<BTreeSet<usize>> {
    let text = |side: &Snapshot| side.get(path).map(|file| String::from_utf8_lossy(&file.bytes).into_owned());
    let Pair { old, new } = sides.map(|side| text(side).unwrap_or_default());
    let diff = TextDiff::from_lines(&old, &new);
    let mut lines = Pair::<BTreeSet<usize>>::default();
    for change in diff.iter_all_changes() {
        match change.tag() {
            ChangeTag::Delete => lines.old.extend(change.old_index().map(|at| at + 1)),
            ChangeTag::Insert => lines.new.extend(change.new_index().map(|at| at + 1)),
            ChangeTag::Equal => {}
        }
    }
    lines
}

fn stands_on_an_edit(case: &Case, finding: &Finding) -> bool {
    let sides = case.sides.as_ref();
    let is_edited = |at: &Option<Location>, of: fn(Pair<BTreeSet<usize>>) -> BTreeSet<usize>| {
        at.as_ref().is_some_and(|at| {
            of(edited(sides, &at.file)).range(at.line as usize..=at.end_line as usize).next().is_some()
        })
    };
    is_edited(&finding.old, |lines| lines.old) || is_edited(&finding.new, |lines| lines.new)
}

/// A statement at the head of a file decides it for everything below.
const HEAD: &str = "a namespace, a package, a syntax or an option of the file decides it for all types below";
/// Something else was edited that is felt here.
const ELSEWHERE: &str = "what it names was edited: a typedef, an enum, a struct, what a root or a method leads to";
/// The whole is told of.
const WHOLE: &str = "it is told of the whole: bytes of a struct, the order of fields, what a list of references says";
/// Of two that change places a comparison of lines shows one.
const PLACES: &str = "of two that change places, one keeps its line in a comparison of lines";
/// Another tool says it.
const PEER: &str = "another tool reports it there, and no change accounts for it";
/// FIXME: as fields of FlatBuffers tables are told, so should these be: of the value or field that moved them.
const COUNTED: &str = "values and fields without numbers are counted, and each that moved is told by itself";

/// Rules whose findings may stand elsewhere, each with its reason; the list may only shrink.
const ELSEWHERE_BY_NATURE: &[(&str, &str)] = &[
    ("avro/attribute-changed", WHOLE),
    ("avro/namespace-changed", HEAD),
    ("avro/order-changed", WHOLE),
    ("avro/registry-refused", PEER),
    ("avro/type-replaced", ELSEWHERE),
    ("capnp/default-changed", ELSEWHERE),
    ("capnp/field-grouped", ELSEWHERE),
    ("capnp/loader-refused", PEER),
    ("flatbuffers/default-changed", ELSEWHERE),
    ("flatbuffers/element-type-changed", ELSEWHERE),
    ("flatbuffers/enum-value-renumbered", HEAD),
    ("flatbuffers/field-slots-swapped", PLACES),
    ("flatbuffers/kind-changed", ELSEWHERE),
    ("flatbuffers/service-renamed", HEAD),
    ("flatbuffers/struct-field-changed", ELSEWHERE),
    ("flatbuffers/struct-layout-changed", WHOLE),
    ("flatbuffers/struct-padding-filled", WHOLE),
    ("flatbuffers/type-renamed", HEAD),
    ("flatbuffers/width-changed", ELSEWHERE),
    ("json-schema/limit-tightened", HEAD),
    ("json-schema/registry-refused", PEER),
    ("protobuf/buf-refused", PEER),
    ("thrift/default-changed", ELSEWHERE),
    ("thrift/element-type-changed", ELSEWHERE),
    ("thrift/enum-values-swapped", COUNTED),
    ("thrift/field-ids-swapped", COUNTED),
    ("thrift/wire-type-changed", ELSEWHERE),
];

#[test]
fn a_finding_stands_on_an_edited_line() {
    let mut elsewhere: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (case, report) in REPORTED.iter() {
        for finding in report.findings.iter().filter(|finding| !stands_on_an_edit(case, finding)) {
            elsewhere.entry(finding.rule.clone()).or_default().push(format!("{}: {}", case.name, finding.path));
        }
    }
    let may: BTreeMap<&str, &str> = ELSEWHERE_BY_NATURE.iter().copied().collect();
    let stale = may.keys().filter(|rule| !elsewhere.contains_key(**rule));
    let mut broken: Vec<String> = stale.map(|rule| format!("`{rule}` needs no exception")).collect();
    let unexpected = elsewhere.iter().filter(|(rule, _)| !may.contains_key(rule.as_str()));
    broken.extend(unexpected.map(|(rule, cases)| format!("{rule} stands elsewhere in\n  {}", cases.join("\n  "))));
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

/// A file and its two versions: the second puts another heading above the first lines of a declaration, whose own lines do
/// not change.
const UNDER_ANOTHER_HEADING: &[(&str, &str, &str)] = &[
    (
        "a.proto",
        "syntax = \"proto3\";\nmessage A {\n  int32 x = 1;\n  int32 y = 2;\n  int32 z = 3;\n}\n",
        "syntax = \"proto3\";\nmessage B {\n  int32 x = 1;\n  int32 y = 2;\n}\nmessage A {\n  int32 z = 3;\n}\n",
    ),
    (
        "services.proto",
        "syntax = \"proto3\";\nmessage M {}\nservice A {\n  rpc X(M) returns (M);\n  rpc Y(M) returns (M);\n  rpc Z(M) returns (M);\n}\n",
        "syntax = \"proto3\";\nmessage M {}\nservice B {\n  rpc X(M) returns (M);\n  rpc Y(M) returns (M);\n}\nservice A {\n  rpc Z(M) returns (M);\n}\n",
    ),
    (
        "a.avdl",
        "protocol P {\nrecord A {\n  int x;\n  int y;\n  int z;\n}\nA f();\n}\n",
        "protocol P {\nrecord B {\n  int x;\n  int y;\n}\nrecord A {\n  int z;\n}\nA f();\n}\n",
    ),
    (
        "a.fbs",
        "enum A : byte {\n  X = 0,\n  Y = 1,\n  Z = 2\n}\ntable T { a:A = Z; }\n",
        "enum B : byte {\n  X = 0,\n  Y = 1,\n}\nenum A : byte {\n  Z = 2\n}\ntable T { a:A = Z; }\n",
    ),
    (
        "a.thrift",
        "struct A {\n  1: i32 x\n  2: i32 y\n  3: i32 z\n}\n",
        "struct B {\n  1: i32 x\n  2: i32 y\n}\nstruct A {\n  3: i32 z\n}\n",
    ),
    (
        "a.capnp",
        "@0xb0000000000000a1;\nstruct A {\n  x @0 :Int32;\n  y @1 :Int32;\n  struct D {\n    z @0 :Int32;\n  }\n}\n",
        "@0xb0000000000000a1;\nstruct B {\n  x @0 :Int32;\n  y @1 :Int32;\n}\nstruct A {\n  struct D {\n    z @0 :Int32;\n  }\n}\n",
    ),
    (
        "a.schema.json",
        "{\n\"$defs\": {\n\"A\": {\n\"additionalProperties\": false,\n\"properties\": {\n\"x\": {\"type\": \"string\"},\n\"y\": {\"type\": \"string\"},\n\"z\": {\"type\": \"string\"}\n}}},\n\"$ref\": \"#/$defs/A\"\n}\n",
        "{\n\"$defs\": {\n\"B\": {\n\"additionalProperties\": false,\n\"properties\": {\n\"x\": {\"type\": \"string\"},\n\"y\": {\"type\": \"string\"},\n\"w\": true\n}},\n\"A\": {\n\"additionalProperties\": false,\n\"properties\": {\n\"z\": {\"type\": \"string\"}\n}}},\n\"$ref\": \"#/$defs/A\"\n}\n",
    ),
];

#[test]
fn what_another_heading_took_over_is_shown_under_it() {
    let mut broken = Vec::new();
    for (file, old, new) in UNDER_ANOTHER_HEADING {
        let sides = Pair::new(old, new).map(|text| Snapshot::from_files([(*file, text.as_bytes().to_vec())]));
        let format = Format::of_path(file).expect("a schema");
        let case = Case { name: (*file).to_owned(), format, sides, roots: Vec::new(), usages: Default::default() };
        let report = case.report_with_roots(&Policy::default());
        let gone: Vec<&Finding> = report.findings.iter().filter(|one| one.why.contains("they stand under")).collect();
        if gone.len() < 2 {
            broken.push(format!("{file}: {:?}", report.findings.iter().map(|one| &one.message).collect::<Vec<_>>()));
        }
        let elsewhere = report.findings.iter().filter(|finding| !stands_on_an_edit(&case, finding));
        broken.extend(elsewhere.map(|finding| format!("{file}: {} stands elsewhere", finding.message)));
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}
