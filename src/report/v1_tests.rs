//! The JSON Schema of the report, made from its types.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema, schema_for};
use serde_json::{Map, Value};

use super::Report;
use crate::formats::table_tests::assert_schema;
use crate::vocabulary::{Direction, Open, Outcome, Surface, Vocabulary};

#[test]
fn the_schema_of_the_report_is_that_of_its_types() {
    assert_schema("report/v1.schema.json", &schema_for!(Report));
}

impl<T: Vocabulary> JsonSchema for Open<T> {
    fn schema_name() -> Cow<'static, str> {
        T::TITLE.into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let names: Vec<&str> = T::ALL.iter().map(|word| word.name()).collect();
        let line = |word: &T| {
            format!("`{}`: {}", word.name(), word.meaning().split_whitespace().collect::<Vec<_>>().join(" "))
        };
        let meanings: Vec<String> = T::ALL.iter().map(line).collect();
        json_schema!({ "description": meanings.join("\n"), "type": "string", "enum": names })
    }
}

/// An object with a member for each of the words.
fn keyed_by<T: Vocabulary>(of_each: &Schema) -> Schema {
    let names = || T::ALL.iter().map(|word| word.name());
    let properties: Map<String, Value> = names().map(|name| (name.to_owned(), of_each.clone().to_value())).collect();
    json_schema!({ "type": "object", "properties": properties, "required": names().collect::<Vec<_>>() })
}

pub(super) fn impact_schema(generator: &mut SchemaGenerator) -> Schema {
    keyed_by::<Surface>(&keyed_by::<Direction>(&generator.subschema_for::<Open<Outcome>>()))
}
