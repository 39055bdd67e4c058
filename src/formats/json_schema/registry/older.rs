//! Schemas of the drafts 4, 6 and 7 as the checker's loader takes them apart.

use super::loader::{Loader, Written, items, spelled};
use super::shape::{Array, Combined, Criterion, Kind, Number, Object, Rest, ShapeId};
use crate::formats::json_schema::dialect::Draft;
use crate::syntax::json::{Json, JsonKind};

const OF_TEXTS: [&str; 4] = ["minLength", "maxLength", "pattern", "format"];
const OF_NUMBERS: [&str; 5] = ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"];
const OF_ARRAYS: [&str; 6] = ["items", "minItems", "maxItems", "uniqueItems", "additionalItems", "contains"];
const OF_OBJECTS: [&str; 8] = [
    "properties",
    "required",
    "minProperties",
    "maxProperties",
    "dependencies",
    "patternProperties",
    "additionalProperties",
    "propertyNames",
];
const OF_CONDITIONS: [&str; 3] = ["if", "then", "else"];

/// Which kinds of keywords a `type` has taken.
#[derive(Default)]
struct Taken {
    texts: bool,
    numbers: bool,
    arrays: bool,
    objects: bool,
}

/// What a schema is.
pub(super) fn kind<'t>(loader: &mut Loader<'_, 't>, of: Written<'t, '_>) -> Kind {
    if of.get("$ref").is_some() {
        return Kind::Reference(None);
    }
    let mut pieces = Vec::new();
    if let Some(values) = of.get("enum") {
        pieces.push(Kind::Enum(items(values).iter().map(spelled).collect()));
    }
    for criterion in [Criterion::All, Criterion::Any, Criterion::One] {
        if of.get(criterion.name()).is_some() {
            let branches = of.items(criterion.name()).iter().enumerate();
            let parts =
                branches.map(|(at, json)| loader.grandchild(of, (criterion.name(), &at.to_string()), json)).collect();
            pieces.push(Kind::Combined(Combined { criterion, parts, is_generated: false }));
        }
    }
    if let Some(json) = of.get("not") {
        pieces.push(Kind::Not(loader.child(of, "not", json)));
    }
    if let Some(value) = of.get("const").filter(|_| of.draft != Draft::D4) {
        pieces.push(Kind::Const(spelled(value)));
    }
    let mut taken = Taken::default();
    match of.get("type").map(|json| &json.kind) {
        Some(JsonKind::Text(name)) => pieces.push(explicit(loader, of, name, &mut taken)),
        Some(JsonKind::List(names)) => {
            let names = names.iter().filter_map(Json::as_text);
            let kinds: Vec<Kind> = names.map(|name| explicit(loader, of, name, &mut taken)).collect();
            let parts = kinds.into_iter().map(|kind| loader.generated(of, kind)).collect();
            pieces.push(Kind::Combined(Combined { criterion: Criterion::Any, parts, is_generated: true }));
        }
        _ => {}
    }
    implied(loader, of, &taken, &mut pieces);
    match pieces.len() {
        0 => Kind::Empty,
        1 => pieces.remove(0),
        _ => {
            let parts = pieces.into_iter().map(|kind| loader.generated(of, kind)).collect();
            Kind::Combined(Combined { criterion: Criterion::All, parts, is_generated: true })
        }
    }
}

/// What a `type` names, with the keywords that are about it.
fn explicit<'t>(loader: &mut Loader<'_, 't>, of: Written<'t, '_>, name: &str, taken: &mut Taken) -> Kind {
    match name {
        "string" => {
            taken.texts = true;
            Kind::Text(of.of_text())
        }
        "integer" | "number" => {
            taken.numbers = true;
            Kind::Number(Number { is_integer: name == "integer", ..number(of) })
        }
        "boolean" => Kind::Boolean,
        "null" => Kind::Null,
        "array" => {
            taken.arrays = true;
            Kind::Array(Box::new(array(loader, of)))
        }
        "object" => {
            taken.objects = true;
            Kind::Object(Box::new(object(loader, of)))
        }
        _ => Kind::Empty,
    }
}

/// What keywords are about that no `type` has taken.
fn implied<'t>(loader: &mut Loader<'_, 't>, of: Written<'t, '_>, taken: &Taken, pieces: &mut Vec<Kind>) {
    // `contains` and `propertyNames` came with draft 6.
    let known = |keywords: &'static [&'static str]| &keywords[..keywords.len() - usize::from(of.draft == Draft::D4)];
    if !taken.arrays && of.has_any(known(&OF_ARRAYS)) {
        pieces.push(Kind::Array(Box::new(array(loader, of))));
    }
    if !taken.objects && of.has_any(known(&OF_OBJECTS)) {
        pieces.push(Kind::Object(Box::new(object(loader, of))));
    }
    if !taken.numbers && of.has_any(&OF_NUMBERS) {
        pieces.push(Kind::Number(number(of)));
    }
    if !taken.texts && of.has_any(&OF_TEXTS) {
        pieces.push(Kind::Text(of.of_text()));
    }
    if of.draft == Draft::D7 && of.has_any(&OF_CONDITIONS) {
        pieces.push(Kind::Conditional);
    }
}

/// In draft 4 what is exclusive is a word beside the bound, which the checker does not look at.
fn number(of: Written<'_, '_>) -> Number {
    match of.draft {
        Draft::D4 => Number { exclusive_maximum: None, exclusive_minimum: None, ..of.of_number() },
        _ => of.of_number(),
    }
}

fn array<'t>(loader: &mut Loader<'_, 't>, of: Written<'t, '_>) -> Array {
    let mut array = of.of_array();
    array.max_contains = of.number("maxContains");
    array.min_contains = of.number("minContains");
    array.additional = rest(loader, of, "additionalItems");
    match of.get("items").map(|json| (json, &json.kind)) {
        Some((_, JsonKind::List(schemas))) => {
            let schemas = schemas.iter().enumerate();
            array.first = schemas.map(|(at, json)| loader.grandchild(of, ("items", &at.to_string()), json)).collect();
        }
        Some((json, _)) => array.all = Some(loader.child(of, "items", json)),
        None => {}
    }
    // Where all items have a schema there are no additional ones.
    if array.all.is_some() && array.additional == Rest::Closed {
        array.additional = Rest::Open;
    }
    array
}

fn object<'t>(loader: &mut Loader<'_, 't>, of: Written<'t, '_>) -> Object {
    let mut object = of.of_object();
    let id = if of.draft == Draft::D4 { "id" } else { "$id" };
    for member in of.members("properties") {
        if *member.key != *id || matches!(member.value.kind, JsonKind::Object(_)) {
            let schema = loader.grandchild(of, ("properties", &member.key), &member.value);
            object.properties.insert(member.key.to_string(), schema);
        }
    }
    object.patterns = patterns(loader, of);
    object.additional = rest(loader, of, "additionalProperties");
    for member in of.members("dependencies") {
        match &member.value.kind {
            JsonKind::List(names) => {
                let names = names.iter().filter_map(Json::as_text).map(str::to_owned).collect();
                object.names_needed.insert(member.key.to_string(), names);
            }
            _ => {
                let schema = loader.grandchild(of, ("dependencies", &member.key), &member.value);
                object.schemas_needed.insert(member.key.to_string(), schema);
            }
        }
    }
    object
}

pub(super) fn patterns<'t>(loader: &mut Loader<'_, 't>, of: Written<'t, '_>) -> Vec<(String, ShapeId)> {
    let patterns = of.members("patternProperties").iter();
    let loaded = patterns.map(|member| {
        let schema = loader.grandchild(of, ("patternProperties", &member.key), &member.value);
        (member.key.to_string(), schema)
    });
    loaded.collect()
}

fn rest<'t>(loader: &mut Loader<'_, 't>, of: Written<'t, '_>, keyword: &str) -> Rest {
    match of.get(keyword).map(|json| (json, &json.kind)) {
        Some((_, JsonKind::Bool(false))) => Rest::Closed,
        Some((json, JsonKind::Object(_))) => Rest::Schema(loader.child(of, keyword, json)),
        _ => Rest::Open,
    }
}
