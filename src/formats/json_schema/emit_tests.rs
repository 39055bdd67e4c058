//! What is left out of a schema with one edit, since data fulfil it anyway: for such data the rest says what all of it says.

use serde_json::{Value as Json, json};

use super::*;
use crate::change::Identity;
use crate::evidence::Outcome;
use crate::formats::check::CheckOptions;
use crate::formats::frame::with_schema;
use crate::formats::json_schema::JsonSchema;
use crate::formats::json_schema::reach::Holders;
use crate::formats::json_schema::reader::Reader;
use crate::snapshot::Snapshot;

/// Both versions, where the edited schema is in both, what is edited in it, and data.
type Row = (Json, Json, &'static str, What, Json);

/// Whether the old schema with the edit refuses each of the data that are valid without it: written in whole, and with what
/// the edit has to do with alone.
fn refused(row: &Row) -> [Vec<bool>; 2] {
    let (old, new, pointer, what, data) = row;
    let options = CheckOptions::default();
    let [old, new] = [old, new].map(|text| {
        let mut text = text.clone();
        text["$schema"] = json!("https://json-schema.org/draft/2020-12/schema");
        Snapshot::from_files([("a.schema.json", text.to_string().into_bytes())])
    });
    with_schema::<JsonSchema, _>(&old, &options, |old, _| {
        with_schema::<JsonSchema, _>(&new, &options, |new, _| {
            let find = |schema: &Schema, pointer: &str| {
                let found = schema.nodes.iter().position(|node| node.pointer == pointer);
                NodeId(u32::try_from(found.expect("there is such a schema")).expect("there are few"))
            };
            let schemas = Pair::new(old, new);
            let edit = Edit {
                identity: Identity(String::new()),
                nodes: schemas.map(|schema| find(schema, pointer)),
                what: what.clone(),
                claims: Pair::new(Outcome::Fails, Outcome::Fails),
                is_monotone: true,
                is_outer: true,
            };
            let (edits, root) = ([&edit], find(old, ""));
            let around = Holders::of(old).around(edit.nodes.old);
            let emitter = || Emitter::new(schemas, Side::Old, Form::Plain, &edits);
            let plain = Emitter::new(schemas, Side::Old, Form::Plain, &[]).document(root, true);
            let [plain, whole, lean] =
                [plain, emitter().document(root, true), emitter().leaving_out_what_holds(&around).document(root, true)]
                    .map(|document| Reader::new(&document).expect("it can be read"));
            let valid: Vec<&Json> = data.as_array().expect("a list").iter().filter(|one| plain.takes(one)).collect();
            [whole, lean].map(|reader| valid.iter().map(|one| !reader.takes(one)).collect())
        })
    })
}

fn integer() -> Json {
    json!({ "type": "integer" })
}

fn text() -> Json {
    json!({ "type": "string" })
}

fn members() -> Vec<Row> {
    let of = |members: Json, rest: Json| json!({ "properties": members, "additionalProperties": rest });
    let both = || json!({ "a": integer(), "b": text() });
    let few = || json!({ "b": text() });
    let entry = || What::Entry("properties", "a".to_owned());
    let rest = What::Keywords(&["additionalProperties"]);
    let more = json!({ "a": text(), "b": text() });
    let inside = |ty: Json| json!({ "properties": { "a": ty } });
    let required = |names: &[&str]| json!({ "required": names });
    let data =
        || json!([{}, { "a": 1 }, { "b": "x" }, { "a": 1, "b": "x" }, { "a": 1, "b": 2 }, { "c": 1 }, { "c": "x" }]);
    vec![
        (of(both(), json!(false)), of(few(), json!(false)), "", entry(), data()),
        (of(both(), text()), of(few(), text()), "", entry(), data()),
        (of(few(), json!(true)), of(more, json!(true)), "", entry(), data()),
        (of(few(), integer()), of(few(), text()), "", rest, data()),
        (inside(integer()), inside(text()), "/properties/a", What::Keywords(&["type"]), data()),
        (required(&["a"]), required(&["a", "b"]), "", What::Required("b".to_owned()), data()),
    ]
}

fn lists() -> Vec<Row> {
    let tuple = |places: &[Json], items: Json| json!({ "prefixItems": places, "items": items });
    let contains = |ty: Json| json!({ "contains": ty, "minContains": 2 });
    let last = What::Branch("prefixItems", Pair::new(Some(1), None));
    let (one, two) = (vec![integer()], vec![integer(), text()]);
    let data = || json!([[], [1], [1, "x"], [1, 2], [1, 2, 3], [1, "x", "y"], ["x", 1]]);
    let first = What::Branch("prefixItems", Pair::new(Some(0), None));
    vec![
        (tuple(&two, text()), tuple(&[], text()), "", first, data()),
        (tuple(&two, integer()), tuple(&one, integer()), "", last, data()),
        (tuple(&one, integer()), tuple(&one, text()), "", What::Keywords(&["items"]), data()),
        (contains(integer()), contains(text()), "/contains", What::Keywords(&["type"]), data()),
    ]
}

fn conditions() -> Vec<Row> {
    let of = |condition: Json| json!({ "if": condition, "then": { "required": ["b"] }, "else": { "required": ["c"] } });
    let from = |limit: u32| of(json!({ "properties": { "a": { "minimum": limit } }, "required": ["a"] }));
    let all = What::Keywords(&["if", "then", "else"]);
    let data =
        || json!([{ "a": 1, "c": 1 }, { "a": 3, "b": 1 }, { "a": 7, "b": 1 }, { "a": 7, "b": 1, "c": 1 }, { "c": 1 }]);
    let then = |names: &[&str]| {
        let condition = json!({ "properties": { "a": { "minimum": 2 } }, "required": ["a"] });
        json!({ "if": condition, "then": { "required": names } })
    };
    vec![
        (then(&["b"]), then(&["b", "c"]), "/then", What::Required("c".to_owned()), data()),
        (from(2), from(5), "/if/properties/a", What::Keywords(&["minimum"]), data()),
        (from(2), of(json!(true)), "", all, data()),
    ]
}

fn values() -> Vec<Row> {
    let of = |values: &[i64]| json!({ "enum": values });
    let inside = |values: &[i64]| json!({ "items": { "enum": values } });
    vec![
        (of(&[1, 2, 3]), of(&[1, 3, 4]), "", What::Value(json!(2)), json!([1, 2, 3, 4, "x"])),
        (inside(&[1, 2]), inside(&[1]), "/items", What::Value(json!(2)), json!([[], [1], [1, 2], [2], "x"])),
    ]
}

/// Keywords with a schema that the other side brings: all of it is as the other side has it.
fn brought() -> Vec<Row> {
    let data = || json!([[], [1], ["x"], {}, { "a": 1 }, { "long": 1 }, { "a": "x" }, 1, 7]);
    let brings = |keyword: &'static str, schema: Json| {
        let what = What::Keywords(match keyword {
            "items" => &["items"],
            "additionalProperties" => &["additionalProperties"],
            "propertyNames" => &["propertyNames"],
            _ => &["allOf"],
        });
        (json!({ "not": { "type": "null" } }), json!({ keyword: schema }), "", what, data())
    };
    vec![
        brings("items", integer()),
        brings("additionalProperties", integer()),
        brings("propertyNames", json!({ "maxLength": 3 })),
        brings("allOf", json!([{ "maximum": 5 }])),
    ]
}

#[test]
fn what_is_left_says_of_data_that_are_valid_without_the_edit_what_all_of_it_says() {
    for row in members().iter().chain(&lists()).chain(&conditions()).chain(&values()).chain(&brought()) {
        let [whole, lean] = refused(row);
        assert_eq!(lean, whole, "{row:?}");
        assert!(whole.contains(&true), "nothing is refused: {row:?}");
    }
}
