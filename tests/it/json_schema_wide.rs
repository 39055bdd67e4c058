//! Objects of many members, each of which changed: what is said of them is what is said of each member alone, and none
//! takes the time of all the others.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value as Json, json};

use crate::support::{report, snapshot};
use wireproof::change::Pair;
use wireproof::formats::Format;
use wireproof::verdict::Policy;
use wireproof::vocabulary::Mode;

/// Members of a wide object.
const MEMBERS: usize = 80;

/// What one member may be on both sides, and whether it has to be there.
struct Member {
    name: &'static str,
    old: Option<Json>,
    new: Option<Json>,
    required: Pair<bool>,
}

fn members() -> Vec<Member> {
    let optional = Pair::new(false, false);
    let both = |name, old, new| Member { name, old: Some(old), new: Some(new), required: optional };
    let whole = || json!({ "type": "integer" });
    vec![
        both(
            "a limit is lower",
            json!({ "type": "integer", "maximum": 90 }),
            json!({ "type": "integer", "maximum": 40 }),
        ),
        both(
            "a limit is higher",
            json!({ "type": "integer", "maximum": 40 }),
            json!({ "type": "integer", "maximum": 90 }),
        ),
        both("another type", whole(), json!({ "type": "string" })),
        both(
            "another type inside",
            json!({ "properties": { "x": whole() } }),
            json!({ "properties": { "x": { "type": "string" } } }),
        ),
        both("a choice less", json!({ "enum": ["a", "b", "c"] }), json!({ "enum": ["a", "b"] })),
        both("a pattern", json!({ "type": "string" }), json!({ "type": "string", "pattern": "^[a-z]+$" })),
        both("one of two", json!({ "oneOf": [whole(), { "type": "string" }] }), json!({ "oneOf": [whole()] })),
        both(
            "items",
            json!({ "type": "array", "items": whole() }),
            json!({ "type": "array", "items": { "type": "integer", "minimum": 3 } }),
        ),
        Member { name: "gone", old: Some(whole()), new: None, required: optional },
        Member { name: "come", old: None, new: Some(whole()), required: optional },
        Member { name: "demanded", old: Some(whole()), new: Some(whole()), required: Pair::new(false, true) },
        Member { name: "no longer demanded", old: Some(whole()), new: Some(whole()), required: Pair::new(true, false) },
    ]
}

/// An object with so many members of one kind.
fn object(member: &Member, count: usize, is_closed: bool) -> Pair<String> {
    let side = |schema: &Option<Json>, is_required: bool| {
        let names = (0..count).map(|index| format!("m{index}"));
        let properties: BTreeMap<String, &Json> =
            names.clone().filter_map(|name| Some((name, schema.as_ref()?))).collect();
        let required: Vec<String> = names.filter(|_| is_required).collect();
        let mut object = json!({ "$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object",
            "properties": properties, "required": required });
        if is_closed {
            object["additionalProperties"] = json!(false);
        }
        serde_json::to_string_pretty(&object).expect("JSON can be written")
    };
    Pair::new(side(&member.old, member.required.old), side(&member.new, member.required.new))
}

/// Rule and status of each direction of every finding, without the name of the member; and what could not be told.
fn told(sides: &Pair<String>) -> (BTreeSet<String>, usize, Vec<String>) {
    let side = |text: &String| snapshot(&BTreeMap::from([("a.schema.json".to_owned(), text.clone())]));
    let (old, new) = (side(&sides.old), side(&sides.new));
    let policy = Policy { mode: Mode::Full, ..Policy::default() };
    let report = report(Format::JsonSchema, Pair::new(&old, &new), &policy);
    let findings = report.findings.iter().map(|finding| {
        let mut seen: Vec<String> =
            finding.evidence.iter().map(|one| format!("{} {} {}", one.direction, one.outcome, one.status)).collect();
        seen.sort_unstable();
        seen.dedup();
        format!("{} {} {seen:?}", finding.rule, finding.breaking)
    });
    let problems = report.problems.iter().map(|problem| problem.message.clone()).collect();
    (findings.collect(), report.findings.len(), problems)
}

#[test]
fn a_wide_object_is_judged_as_each_of_its_members_alone() {
    let mut wrong = Vec::new();
    for member in members() {
        for is_closed in [false, true] {
            let (alone, few, problems) = told(&object(&member, 1, is_closed));
            assert!(problems.is_empty(), "{}: {problems:?}", member.name);
            let (wide, many, problems) = told(&object(&member, MEMBERS, is_closed));
            if wide != alone || many != few * MEMBERS || !problems.is_empty() {
                wrong.push(format!("{} ({is_closed}): {alone:?}, {wide:?} {many} {:?}", member.name, problems.first()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What stands behind many items is met in a list that has them all.
#[test]
fn items_that_stand_behind_many_are_met() {
    const ITEMS: usize = 700;
    let tuple = |last: Json| {
        let mut items = vec![json!({ "type": "integer" }); ITEMS];
        items.extend([last]);
        json!({ "type": "array", "prefixItems": items })
    };
    let long = |items: Json| json!({ "type": "array", "minItems": ITEMS, "items": items });
    let filled = |item: Json| json!({ "type": "array", "contains": item, "minContains": ITEMS });
    let (whole, text) = (json!({ "type": "integer" }), json!({ "type": "string" }));
    for (what, old, new) in [
        ("a place of a tuple", tuple(whole.clone()), tuple(text.clone())),
        ("items of a long list", long(whole.clone()), long(text.clone())),
        ("what a list contains", filled(whole), filled(text)),
    ] {
        let sides = Pair::new(old, new).map(|mut schema| {
            schema["$schema"] = json!("https://json-schema.org/draft/2020-12/schema");
            serde_json::to_string_pretty(&schema).expect("JSON can be written")
        });
        let (findings, _, problems) = told(&sides);
        assert!(problems.is_empty(), "{what}: {problems:?}");
        let is_shown = |finding: &&String| {
            finding.contains(" true ")
                && ["backward", "forward"].iter().all(|way| finding.contains(&format!("{way} fails agrees")))
        };
        assert!(findings.iter().any(|finding| is_shown(&finding)), "{what}: {findings:?}");
    }
}
