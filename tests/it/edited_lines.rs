//! Where a finding stands: on a line that somebody edited, wherever the cause is one.

use std::collections::{BTreeMap, BTreeSet};

use similar::{ChangeTag, TextDiff};
use wireproof::change::Pair;
use wireproof::report::{Finding, Location};
use wireproof::source::Snapshot;
use wireproof::verdict::Policy;

use crate::support::{Case, all_cases};

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
    ("capnp/field-grouped", ELSEWHERE),
    ("capnp/loader-refused", PEER),
    ("flatbuffers/conform-refused", PEER),
    ("flatbuffers/element-type-changed", ELSEWHERE),
    ("flatbuffers/enum-value-renumbered", HEAD),
    ("flatbuffers/field-reused", ELSEWHERE),
    ("flatbuffers/field-slots-swapped", PLACES),
    ("flatbuffers/service-renamed", HEAD),
    ("flatbuffers/struct-field-changed", ELSEWHERE),
    ("flatbuffers/struct-layout-changed", WHOLE),
    ("flatbuffers/struct-padding-filled", WHOLE),
    ("flatbuffers/type-renamed", HEAD),
    ("flatbuffers/width-changed", ELSEWHERE),
    ("json-schema/limit-tightened", HEAD),
    ("json-schema/registry-refused", PEER),
    ("protobuf/buf-refused", PEER),
    ("thrift/audit-refused", PEER),
    ("thrift/element-type-changed", ELSEWHERE),
    ("thrift/enum-values-swapped", COUNTED),
    ("thrift/field-ids-swapped", COUNTED),
    ("thrift/wire-type-changed", ELSEWHERE),
];

#[test]
fn a_finding_stands_on_an_edited_line() {
    let mut elsewhere: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for case in all_cases() {
        let report = case.report_with_roots(&Policy::default());
        for finding in report.findings.iter().filter(|finding| !stands_on_an_edit(&case, finding)) {
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
