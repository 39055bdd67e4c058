//! What the meta-schema of a dialect refuses, refused at its place.

use std::sync::LazyLock;

use serde_json::Value;

use super::address;
use super::dialect::Draft;
use super::lower::plain;
use super::meta;
use super::reader::{Pattern, Reader};
use crate::syntax::json::{Json, JsonKind};
use crate::syntax::log::Log;

/// More than so many are not told of one document.
const MOST: usize = 20;

/// Checks a document against the meta-schemas of its dialects: a schema inside of it that has an address of its own may have
/// another one than what is around it. `inner` are the places of those, each with its dialect.
pub(super) fn check(json: &Json<'_>, draft: Draft, inner: &[(&str, Draft)], log: &mut Log) {
    one(json, draft, ("", inner), log);
    for (place, draft) in inner {
        if let Some(json) = address::at(json, place) {
            one(json, *draft, (place, inner), log);
        }
    }
}

/// Checks a schema, and of those inside of it with a dialect of their own that they are there.
fn one(json: &Json<'_>, draft: Draft, (place, inner): (&str, &[(&str, Draft)]), log: &mut Log) {
    if matches!(json.kind, JsonKind::Bool(_)) && draft.has_boolean_schemas() {
        return;
    }
    let Some(mut value) = plain(json) else { return };
    respell(&mut value);
    let below = inner.iter().filter_map(|(other, _)| other.strip_prefix(place).filter(|rest| rest.starts_with('/')));
    for pointer in below {
        if let Some(other) = value.pointer_mut(pointer) {
            *other = Value::Object(serde_json::Map::new());
        }
    }
    for (pointer, message) in refused(&value, draft) {
        let span = address::at(json, &pointer).unwrap_or(json).span;
        log.error(span, format_args!("this is no valid schema: {message}"), "see the specification of the keyword");
    }
}

/// References hold names of types as they are, `Row<number>`, which is no address, and patterns a bracket that closes nothing, and
/// validators find their way: for the meta-schema what is understood is spelled in a way that nobody doubts.
fn respell(value: &mut Value) {
    match value {
        Value::Array(list) => list.iter_mut().for_each(respell),
        Value::Object(map) => {
            for (key, value) in map.iter_mut() {
                match value {
                    Value::String(text) if key == "$ref" || key == "$dynamicRef" => "#".clone_into(text),
                    Value::String(text) if key == "pattern" && Pattern::new(text).is_some() => ".".clone_into(text),
                    value => respell(value),
                }
            }
        }
        _ => {}
    }
}

/// What is wrong: pointers into the document, and in words.
fn refused(value: &Value, draft: Draft) -> Vec<(String, String)> {
    static READERS: [LazyLock<Option<Reader>>; 5] = [
        LazyLock::new(|| Reader::new(&meta::whole(Draft::D4))),
        LazyLock::new(|| Reader::new(&meta::whole(Draft::D6))),
        LazyLock::new(|| Reader::new(&meta::whole(Draft::D7))),
        LazyLock::new(|| Reader::new(&meta::whole(Draft::D2019))),
        LazyLock::new(|| Reader::new(&meta::whole(Draft::D2020))),
    ];
    let reader = READERS[draft as usize].as_ref();
    reader.filter(|reader| !reader.takes(value)).map(|reader| reader.reasons(value, MOST)).unwrap_or_default()
}

#[cfg(test)]
#[path = "valid_tests.rs"]
mod tests;
