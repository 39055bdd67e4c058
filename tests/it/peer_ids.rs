//! Under which of our rules the ids of other tools stand: measured over every rule example and every fixture, and written
//! down for `wireproof explain` (`src/rules/peer_ids.txt`).

use std::collections::{BTreeMap, BTreeSet};

use crate::compared::REPORTED;
use crate::git::{Place, run};
use crate::support::{expect_file, root};

const HEAD: &str = "# Written by `UPDATE=1 cargo test`; do not edit.";

#[test]
fn the_rules_under_which_ids_of_other_tools_stand_are_written_down() {
    let mut ours: BTreeMap<(String, String), BTreeSet<String>> = BTreeMap::new();
    for (_, report) in REPORTED.iter() {
        for finding in &report.findings {
            for (tool, id) in finding.peers.iter().flat_map(|(tool, ids)| ids.iter().map(move |id| (tool, id))) {
                ours.entry((tool.clone(), id.clone())).or_default().insert(finding.rule.clone());
            }
        }
    }
    let line = |((tool, id), rules): (&(String, String), &BTreeSet<String>)| {
        format!("{tool} {id}: {}", rules.iter().map(String::as_str).collect::<Vec<_>>().join(" "))
    };
    let lines: Vec<String> = std::iter::once(HEAD.to_owned()).chain(ours.iter().map(line)).collect();
    let tools: BTreeSet<&str> = ours.keys().map(|(tool, _)| tool.as_str()).collect();
    assert_eq!(tools, BTreeSet::from(["avro", "buf", "capnp", "confluent", "confluent-lenient", "flatc", "thrift"]));
    expect_file(&root().join("src/rules/peer_ids.txt"), &format!("{}\n", lines.join("\n")))
        .unwrap_or_else(|difference| panic!("{difference}"));
}

#[test]
fn an_id_of_another_tool_leads_to_ours() {
    let place = Place::new();
    let explained = |id: &str| {
        let ran = run(&place.path(""), &["explain", id]);
        (ran.code, format!("{}{}", ran.out, ran.err))
    };
    for (id, tool, rule) in [
        ("FIELD_SAME_TYPE", "buf", "protobuf/wire-type-changed"),
        ("field_same_type", "buf", "protobuf/wire-type-changed"),
        ("READER_FIELD_MISSING_DEFAULT_VALUE", "avro", "avro/"),
    ] {
        let (code, text) = explained(id);
        assert_eq!(code, 0, "{text}");
        assert!(text.contains(&format!("{id}: an id of {tool}")) && text.contains(rule), "{text}");
        assert!(text.contains("--profile"), "{text}");
    }
    let (code, text) = explained("FIELD_SAME_TIPE");
    assert_eq!(code, 2, "{text}");
}
