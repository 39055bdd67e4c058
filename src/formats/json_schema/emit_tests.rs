//! What is left out of a schema with one edit, since data fulfil it anyway: for such data the rest says what all of it says.

use serde_json::{Value as Json, json};

use super::*;
use crate::change::Identity;
use crate::evidence::Outcome;
use crate::formats::check::CheckOptions;
use crate::formats::frame::with_schema;
use crate::formats::json_schema::JsonSchema;
use crate::formats::json_schema::engine::Reader;
use crate::formats::json_schema::reach::Holders;
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

#[test]
fn what_is_left_says_of_data_that_are_valid_without_the_edit_what_all_of_it_says() {
    let integer = || json!({ "type": "integer" });
    let text = || json!({ "type": "string" });
    let closed = |members: Json, rest: Json| json!({ "properties": members, "additionalProperties": rest });
    let entry = |name: &str| What::Entry("properties", name.to_owned());
    let objects =
        || json!([{}, { "a": 1 }, { "b": "x" }, { "a": 1, "b": "x" }, { "a": 1, "b": 2 }, { "c": 1 }, { "c": "x" }]);
    let lists = || json!([[], [1], [1, "x"], [1, 2], [1, 2, 3], [1, "x", "y"], ["x", 1]]);
    let conditional = |limit: u32| {
        json!({ "if": { "properties": { "a": { "minimum": limit } }, "required": ["a"] },
                "then": { "required": ["b"] }, "else": { "required": ["c"] } })
    };
    let conditions =
        || json!([{ "a": 1, "c": 1 }, { "a": 3, "b": 1 }, { "a": 7, "b": 1 }, { "a": 7, "b": 1, "c": 1 }, { "c": 1 }]);
    let rows: [Row; 11] = [
        (
            closed(json!({ "a": integer(), "b": text() }), json!(false)),
            closed(json!({ "b": text() }), json!(false)),
            "",
            entry("a"),
            objects(),
        ),
        (
            closed(json!({ "a": integer(), "b": text() }), text()),
            closed(json!({ "b": text() }), text()),
            "",
            entry("a"),
            objects(),
        ),
        (
            closed(json!({ "b": text() }), json!(true)),
            closed(json!({ "a": text(), "b": text() }), json!(true)),
            "",
            entry("a"),
            objects(),
        ),
        (
            closed(json!({ "b": text() }), integer()),
            closed(json!({ "b": text() }), text()),
            "",
            What::Keywords(&["additionalProperties"]),
            objects(),
        ),
        (
            json!({ "properties": { "a": integer() } }),
            json!({ "properties": { "a": text() } }),
            "/properties/a",
            What::Keywords(&["type"]),
            objects(),
        ),
        (
            json!({ "required": ["a"] }),
            json!({ "required": ["a", "b"] }),
            "",
            What::Required("b".to_owned()),
            objects(),
        ),
        (
            json!({ "prefixItems": [integer(), text()], "items": integer() }),
            json!({ "prefixItems": [integer()], "items": integer() }),
            "",
            What::Branch("prefixItems", Pair::new(Some(1), None)),
            lists(),
        ),
        (
            json!({ "prefixItems": [integer()], "items": integer() }),
            json!({ "prefixItems": [integer()], "items": text() }),
            "",
            What::Keywords(&["items"]),
            lists(),
        ),
        (conditional(2), conditional(5), "/if/properties/a", What::Keywords(&["minimum"]), conditions()),
        (
            conditional(2),
            json!({ "if": true, "then": { "required": ["b"] }, "else": { "required": ["c"] } }),
            "",
            What::Keywords(&["if", "then", "else"]),
            conditions(),
        ),
        (
            json!({ "contains": integer(), "minContains": 2 }),
            json!({ "contains": text(), "minContains": 2 }),
            "/contains",
            What::Keywords(&["type"]),
            lists(),
        ),
    ];
    for row in &rows {
        let [whole, lean] = refused(row);
        assert_eq!(lean, whole, "{row:?}");
        assert!(whole.contains(&true), "nothing is refused: {row:?}");
    }
}
