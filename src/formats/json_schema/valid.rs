//! What the meta-schema of a dialect refuses, refused at its place.

use serde_json::Value;

use super::address;
use super::dialect::Draft;
use super::lower::plain;
use crate::syntax::json::{Json, JsonKind};
use crate::syntax::log::Log;

/// More than so many are not told of one document.
const MOST: usize = 20;

/// Checks a document against the meta-schema of its dialect.
pub(super) fn check(json: &Json<'_>, draft: Draft, log: &mut Log) {
    if matches!(json.kind, JsonKind::Bool(_)) && draft.has_boolean_schemas() {
        return;
    }
    let Some(value) = plain(json) else { return };
    for (pointer, message) in refused(&value, draft).into_iter().take(MOST) {
        let span = address::at(json, &pointer).unwrap_or(json).span;
        log.error(span, format_args!("this is no valid schema: {message}"), "see the specification of the keyword");
    }
}

/// What is wrong: pointers into the document, and in words.
fn refused(value: &Value, draft: Draft) -> Vec<(String, String)> {
    let validator = match draft {
        Draft::D4 => jsonschema::draft4::meta::validator(),
        Draft::D6 => jsonschema::draft6::meta::validator(),
        Draft::D7 => jsonschema::draft7::meta::validator(),
        Draft::D2019 => jsonschema::draft201909::meta::validator(),
        Draft::D2020 => jsonschema::draft202012::meta::validator(),
    };
    let errors = validator.iter_errors(value);
    errors.map(|error| (error.instance_path().to_string(), error.to_string())).take(MOST).collect()
}
