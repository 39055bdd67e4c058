//! Schemas that tell kinds of objects apart, by conditions or by branches: of many kinds is said what is said of few.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value as Json, json};

use crate::support::{report, snapshot};
use wireproof::change::Pair;
use wireproof::formats::Format;
use wireproof::verdict::Policy;
use wireproof::vocabulary::Mode;

/// How many kinds there are, where few prove by themselves and many do not.
const FEW: usize = 3;
const MANY: usize = 24;

fn text() -> Json {
    json!({ "type": "string" })
}

/// What an object of a kind has.
fn own(kind: usize) -> Json {
    json!({ "properties": { (format!("p{kind}")): text() } })
}

fn condition(kind: usize, then: Json) -> Json {
    json!({ "if": { "properties": { "kind": { "const": format!("v{kind}") } }, "required": ["kind"] }, "then": then })
}

fn branch(kind: usize) -> Json {
    let properties = json!({ "kind": { "const": format!("v{kind}") }, (format!("p{kind}")): text() });
    json!({ "type": "object", "properties": properties, "required": ["kind"] })
}

/// Each way to tell kinds apart, of so many.
fn shapes(count: usize) -> Vec<(&'static str, Json)> {
    let kinds = || 0..count;
    let names: Vec<String> = kinds().map(|kind| format!("v{kind}")).collect();
    let conditions: Vec<Json> = kinds().map(|kind| condition(kind, own(kind))).collect();
    let demanding = |kind: usize| {
        let mut own = own(kind);
        own["required"] = json!([format!("p{kind}")]);
        condition(kind, own)
    };
    let definitions: BTreeMap<String, Json> = kinds().map(|kind| (format!("T{kind}"), own(kind))).collect();
    let referring = |kind: usize| condition(kind, json!({ "$ref": format!("#/$defs/T{kind}") }));
    let base = json!({ "type": "object", "properties": { "id": text(), "kind": text() }, "required": ["id"] });
    let on_base = |kind: usize| json!({ "allOf": [{ "$ref": "#/$defs/base" }, branch(kind)] });
    let closed = |kind: usize| {
        let mut branch = branch(kind);
        branch["additionalProperties"] = json!(false);
        branch
    };
    let of = |keyword: &str, made: &dyn Fn(usize) -> Json| json!({ keyword: kinds().map(made).collect::<Vec<Json>>() });
    let with = |mut schema: Json, more: Json| {
        let Json::Object(more) = more else { return schema };
        more.into_iter().for_each(|(keyword, value)| schema[keyword] = value);
        schema
    };
    let object = json!({ "type": "object", "properties": { "kind": text() }, "required": ["kind"] });
    let listed = json!({ "type": "object", "properties": { "kind": { "enum": names } }, "required": ["kind"] });
    vec![
        ("conditions", with(object.clone(), json!({ "allOf": conditions }))),
        ("conditions that demand", with(listed.clone(), of("allOf", &demanding))),
        ("conditions that refer", with(with(listed, of("allOf", &referring)), json!({ "$defs": definitions }))),
        ("one of", of("oneOf", &branch)),
        ("one of closed", of("oneOf", &closed)),
        ("any of", of("anyOf", &branch)),
        ("one of on a base", with(of("oneOf", &on_base), json!({ "$defs": { "base": base } }))),
        ("values", of("oneOf", &|kind| json!({ "const": format!("v{kind}") }))),
    ]
}

/// Each object of a schema, changed.
fn each(schema: &mut Json, change: &mut dyn FnMut(&mut serde_json::Map<String, Json>)) {
    match schema {
        Json::Array(list) => list.iter_mut().for_each(|inner| each(inner, change)),
        Json::Object(map) => {
            change(map);
            map.values_mut().for_each(|inner| each(inner, change));
        }
        _ => {}
    }
}

/// Each edit of the kind in the middle.
fn edited(schema: &Json, count: usize) -> Vec<(&'static str, Json)> {
    let (member, kind) = (format!("p{}", count / 2), format!("v{}", count / 2));
    let of_member = |change: &dyn Fn(&mut serde_json::Map<String, Json>)| {
        let mut edited = schema.clone();
        each(&mut edited, &mut |map| {
            if map.get("properties").is_some_and(|properties| properties.get(&member).is_some()) {
                change(map);
            }
        });
        edited
    };
    let of_list = |change: &dyn Fn(&mut Vec<Json>)| {
        let mut edited = schema.clone();
        each(&mut edited, &mut |map| {
            for keyword in ["allOf", "anyOf", "oneOf"] {
                if let Some(Json::Array(list)) =
                    map.get_mut(keyword).filter(|list| list.as_array().map(Vec::len) == Some(count))
                {
                    change(list);
                }
            }
        });
        edited
    };
    let retyped = |ty: Json| of_member(&|map| map["properties"][&member] = ty.clone());
    let added = of_list(&|list| {
        let one = list[count / 2].to_string();
        let one = one.replace(&format!("\"{kind}\""), "\"another\"").replace(&format!("\"{member}\""), "\"other\"");
        list.push(serde_json::from_str(&one).expect("it is JSON still"));
    });
    let text = schema.to_string();
    let renamed = text.replace(&format!("\"{kind}\""), "\"renamed\"");
    let demanded = of_member(&|map| {
        let mut names = map.get("required").and_then(Json::as_array).cloned().unwrap_or_default();
        names.extend((!names.contains(&json!(member))).then(|| json!(member)));
        map.insert("required".to_owned(), Json::Array(names));
    });
    vec![
        ("retyped", retyped(json!({ "type": "integer" }))),
        ("limited", retyped(json!({ "type": "string", "minLength": 2 }))),
        ("widened", retyped(json!({ "type": ["string", "null"] }))),
        ("optional member", of_member(&|map| map["properties"]["extra"] = json!({ "type": "string" }))),
        ("demanded", demanded),
        ("another value", serde_json::from_str(&renamed).expect("it is JSON still")),
        ("a kind less", of_list(&|list| drop(list.remove(count / 2)))),
        ("a kind more", added),
    ]
}

/// Rule and outcome of each direction of every finding, and what could not be told.
fn told(old: &Json, new: &Json) -> (BTreeSet<String>, Vec<String>) {
    let side = |schema: &Json| {
        let mut schema = schema.clone();
        schema["$schema"] = json!("https://json-schema.org/draft/2020-12/schema");
        snapshot(&BTreeMap::from([("a.schema.json".to_owned(), schema.to_string())]))
    };
    let (old, new) = (side(old), side(new));
    let policy = Policy { mode: Mode::Full, ..Policy::default() };
    let report = report(Format::JsonSchema, Pair::new(&old, &new), &policy);
    let findings =
        report.findings.iter().filter(|finding| !finding.rule.ends_with("registry-refused")).map(|finding| {
            let mut seen: Vec<String> =
                finding.evidence.iter().map(|one| format!("{} {}", one.direction, one.outcome)).collect();
            seen.sort_unstable();
            seen.dedup();
            format!("{} {} {seen:?}", finding.rule, finding.breaking)
        });
    (findings.collect(), report.problems.iter().map(|problem| problem.message.clone()).collect())
}

#[test]
fn of_many_kinds_is_said_what_is_said_of_few() {
    let mut wrong = Vec::new();
    let mut asked = 0;
    for ((shape, few), (_, many)) in shapes(FEW).into_iter().zip(shapes(MANY)) {
        for ((edit, of_few), (_, of_many)) in edited(&few, FEW).into_iter().zip(edited(&many, MANY)) {
            if few == of_few {
                assert_eq!(many, of_many, "{shape}, {edit}");
                continue;
            }
            asked += 1;
            let (small, problems) = told(&few, &of_few);
            let large = told(&many, &of_many);
            if large != (small.clone(), Vec::new()) || !problems.is_empty() {
                wrong.push(format!("{shape}, {edit}: {small:?} {problems:?}\n  {large:?}"));
            }
        }
    }
    assert!(wrong.is_empty() && asked >= 50, "{asked} asked\n{}", wrong.join("\n"));
}
