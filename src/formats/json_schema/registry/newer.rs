//! Schemas of 2019-09 and 2020-12 as the checker translates them into its own: each keyword becomes a schema, and one
//! after the other they are joined.

use super::loader::{Loader, Written, items, spelled};
use super::older::patterns;
use super::shape::{Array, Combined, Criterion, Kind, Number, Object, Rest, Shape, ShapeId, Shapes, Text};
use crate::syntax::json::{Json, JsonKind, Member};

/// What a schema is.
pub(super) fn kind<'t>(loader: &mut Loader<'_, 't>, of: Written<'t, '_>) -> Kind {
    let mut joined: Option<Kind> = None;
    let add = |loader: &mut Loader<'_, 't>, joined: &mut Option<Kind>, piece: Kind| {
        *joined = Some(match joined.take() {
            Some(before) => join(loader, of, before, piece),
            None => piece,
        });
    };
    for member in super::loader::members(of.json) {
        if let Some(piece) = keyword(loader, of, member) {
            add(loader, &mut joined, piece);
        }
    }
    let mut members = Object::default();
    for member in of.members("properties") {
        let schema = loader.grandchild(of, ("properties", &member.key), &member.value);
        members.properties.insert(member.key.to_string(), schema);
    }
    members.patterns = patterns(loader, of);
    if !members.properties.is_empty() || !members.patterns.is_empty() {
        add(loader, &mut joined, Kind::Object(Box::new(members)));
    }
    if let Some(json) = of.get("unevaluatedItems") {
        let unevaluated = Some(loader.child(of, "unevaluatedItems", json));
        add(loader, &mut joined, Kind::Array(Box::new(Array { unevaluated, ..Array::default() })));
    }
    if let Some(json) = of.get("unevaluatedProperties") {
        let unevaluated = Some(loader.child(of, "unevaluatedProperties", json));
        add(loader, &mut joined, Kind::Object(Box::new(Object { unevaluated, ..Object::default() })));
    }
    match joined {
        None => Kind::Empty,
        // What stands alone is no part of anything.
        Some(Kind::Combined(Combined { criterion: Criterion::All, parts, is_generated: true })) if parts.len() == 1 => {
            loader.shapes.kind(parts[0]).clone()
        }
        Some(kind) => kind,
    }
}

/// What one keyword is; nothing where it is none of those that the checker knows.
fn keyword<'t>(loader: &mut Loader<'_, 't>, of: Written<'t, '_>, member: &'t Member<'t>) -> Option<Kind> {
    let json = &member.value;
    Some(match &*member.key {
        "$ref" | "$dynamicRef" => {
            let parts = vec![loader.reference(of)];
            Kind::Combined(Combined { criterion: Criterion::All, parts, is_generated: true })
        }
        "type" => return types(loader, of, json),
        "enum" => Kind::Enum(items(json).iter().map(spelled).collect()),
        "const" => Kind::Const(spelled(json)),
        "not" => Kind::Not(loader.child(of, "not", json)),
        "if" => Kind::Conditional,
        "allOf" => combined(loader, of, Criterion::All),
        "anyOf" => combined(loader, of, Criterion::Any),
        "oneOf" => combined(loader, of, Criterion::One),
        "minLength" => Kind::Text(Text { min_length: of.number("minLength"), ..Text::default() }),
        "maxLength" => Kind::Text(Text { max_length: of.number("maxLength"), ..Text::default() }),
        "pattern" => Kind::Text(Text { pattern: of.text("pattern"), ..Text::default() }),
        "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" | "multipleOf" => Kind::Number(of.of_number()),
        "minItems" | "maxItems" | "uniqueItems" => Kind::Array(Box::new(of.of_array())),
        "items" | "prefixItems" | "contains" => Kind::Array(Box::new(array(loader, of, &member.key))),
        "minProperties" | "maxProperties" | "required" => Kind::Object(Box::new(of.of_object())),
        "additionalProperties" | "dependentRequired" | "dependentSchemas" | "propertyNames" => {
            Kind::Object(Box::new(object(loader, of, &member.key)))
        }
        _ => return None,
    })
}

fn types<'t>(loader: &mut Loader<'_, 't>, of: Written<'t, '_>, json: &Json<'_>) -> Option<Kind> {
    let named = |name: &str| match name {
        "string" => Kind::Text(Text::default()),
        "integer" | "number" => Kind::Number(Number { is_integer: name == "integer", ..Number::default() }),
        "boolean" => Kind::Boolean,
        "null" => Kind::Null,
        "array" => Kind::Array(Box::default()),
        "object" => Kind::Object(Box::default()),
        _ => Kind::Empty,
    };
    match &json.kind {
        JsonKind::Text(name) => Some(named(name)),
        JsonKind::List(names) => {
            let names = names.iter().filter_map(Json::as_text);
            let parts = names.map(|name| loader.generated(of, named(name))).collect();
            Some(Kind::Combined(Combined { criterion: Criterion::Any, parts, is_generated: true }))
        }
        _ => None,
    }
}

/// Several schemas of which all, any or one must hold. What was joined by nobody's word is taken apart again.
fn combined<'t>(loader: &mut Loader<'_, 't>, of: Written<'t, '_>, criterion: Criterion) -> Kind {
    let mut parts = Vec::new();
    for (at, json) in of.items(criterion.name()).iter().enumerate() {
        let part = loader.grandchild(of, (criterion.name(), &at.to_string()), json);
        match loader.shapes.kind(part) {
            Kind::Combined(Combined { criterion: Criterion::All, parts: inner, is_generated: true }) => {
                parts.extend(inner.iter().copied());
            }
            _ => parts.push(part),
        }
    }
    Kind::Combined(Combined { criterion, parts, is_generated: false })
}

fn array<'t>(loader: &mut Loader<'_, 't>, of: Written<'t, '_>, keyword: &str) -> Array {
    let mut array = Array::default();
    let Some(json) = of.get(keyword) else { return array };
    match (keyword, &json.kind) {
        ("prefixItems", _) => {
            let schemas = of.items("prefixItems").iter().enumerate();
            array.first =
                schemas.map(|(at, json)| loader.grandchild(of, ("prefixItems", &at.to_string()), json)).collect();
        }
        ("contains", _) => {
            array.min_contains = Some(of.number("minContains").unwrap_or(1.0));
            array.max_contains = of.number("maxContains");
        }
        (_, JsonKind::Bool(false)) => array.additional = Rest::Closed,
        (_, JsonKind::Bool(true)) => {}
        _ if of.items("prefixItems").is_empty() => array.all = Some(loader.child(of, "items", json)),
        _ => array.additional = Rest::Schema(loader.child(of, "items", json)),
    }
    array
}

fn object<'t>(loader: &mut Loader<'_, 't>, of: Written<'t, '_>, keyword: &str) -> Object {
    let mut object = Object::default();
    let Some(json) = of.get(keyword) else { return object };
    match (keyword, &json.kind) {
        ("additionalProperties", JsonKind::Bool(false)) => object.additional = Rest::Closed,
        ("additionalProperties", JsonKind::Object(_)) => {
            object.additional = Rest::Schema(loader.child(of, keyword, json));
        }
        ("dependentRequired", _) => {
            for member in of.members(keyword) {
                let names = items(&member.value).iter().filter_map(Json::as_text).map(str::to_owned).collect();
                object.names_needed.insert(member.key.to_string(), names);
            }
        }
        ("dependentSchemas", _) => {
            for member in of.members(keyword) {
                let schema = loader.grandchild(of, (keyword, &member.key), &member.value);
                object.schemas_needed.insert(member.key.to_string(), schema);
            }
        }
        _ => {}
    }
    object
}

/// Two schemas that hold at once as one: those about one kind are merged, others stand side by side.
fn join<'t>(loader: &mut Loader<'_, 't>, of: Written<'t, '_>, one: Kind, other: Kind) -> Kind {
    if are_merged(&one, &other) {
        return merged(one, other);
    }
    if is_any_with(&loader.shapes, &one, &other) {
        return into_types(loader, of, one, other);
    }
    if is_any_with(&loader.shapes, &other, &one) {
        return into_types(loader, of, other, one);
    }
    let mut parts: Vec<ShapeId> = Vec::new();
    for part in flat(loader, of, one).into_iter().chain(flat(loader, of, other)) {
        accumulate(loader, of, &mut parts, part);
    }
    Kind::Combined(Combined { criterion: Criterion::All, parts, is_generated: true })
}

/// Whether `one` is a list of types that has the one that `other` is about.
fn is_any_with(shapes: &Shapes, one: &Kind, other: &Kind) -> bool {
    match one {
        Kind::Combined(Combined { criterion: Criterion::Any, parts, is_generated: true }) => {
            parts.iter().any(|part| shapes.kind(*part).is_like(other))
        }
        _ => false,
    }
}

fn into_types<'t>(loader: &mut Loader<'_, 't>, of: Written<'t, '_>, types: Kind, other: Kind) -> Kind {
    let Kind::Combined(Combined { mut parts, .. }) = types else { return types };
    let other = loader.generated(of, other);
    accumulate(loader, of, &mut parts, other);
    Kind::Combined(Combined { criterion: Criterion::Any, parts, is_generated: true })
}

fn flat<'t>(loader: &mut Loader<'_, 't>, of: Written<'t, '_>, kind: Kind) -> Vec<ShapeId> {
    match kind {
        Kind::Combined(Combined { criterion: Criterion::All, parts, is_generated: true }) => parts,
        kind => vec![loader.generated(of, kind)],
    }
}

/// Adds a schema to others: merged with the first that is about the same.
fn accumulate<'t>(loader: &mut Loader<'_, 't>, of: Written<'t, '_>, parts: &mut Vec<ShapeId>, part: ShapeId) {
    for known in parts.iter_mut() {
        if are_merged(loader.shapes.kind(*known), loader.shapes.kind(part)) {
            let kind = merged(loader.shapes.kind(*known).clone(), loader.shapes.kind(part).clone());
            let Shape { has_default, is_connect_bytes, .. } = *loader.shapes.get(*known);
            *known = loader.generated(of, kind);
            let shape = &mut loader.shapes.list[known.0 as usize];
            (shape.has_default, shape.is_connect_bytes) = (has_default, is_connect_bytes);
            return;
        }
    }
    parts.push(part);
}

/// Whether two schemas are about the same: texts, numbers, arrays or objects.
fn are_merged(one: &Kind, other: &Kind) -> bool {
    one.is_like(other) && matches!(one, Kind::Text(_) | Kind::Number(_) | Kind::Array(_) | Kind::Object(_))
}

/// One schema of two that are about the same; what the second says of a keyword counts.
fn merged(one: Kind, other: Kind) -> Kind {
    match (one, other) {
        (Kind::Text(one), Kind::Text(other)) => Kind::Text(Text {
            max_length: other.max_length.or(one.max_length),
            min_length: other.min_length.or(one.min_length),
            pattern: other.pattern.or(one.pattern),
        }),
        (Kind::Number(one), Kind::Number(other)) => Kind::Number(Number {
            maximum: other.maximum.or(one.maximum),
            minimum: other.minimum.or(one.minimum),
            exclusive_maximum: other.exclusive_maximum.or(one.exclusive_maximum),
            exclusive_minimum: other.exclusive_minimum.or(one.exclusive_minimum),
            multiple_of: other.multiple_of.or(one.multiple_of),
            is_integer: one.is_integer || other.is_integer,
        }),
        (Kind::Array(one), Kind::Array(other)) => Kind::Array(Box::new(Array {
            max_items: other.max_items.or(one.max_items),
            min_items: other.min_items.or(one.min_items),
            max_contains: other.max_contains.or(one.max_contains),
            min_contains: other.min_contains.or(one.min_contains),
            is_unique: one.is_unique || other.is_unique,
            all: other.all.or(one.all),
            first: one.first.into_iter().chain(other.first).collect(),
            additional: stricter(one.additional, other.additional),
            unevaluated: other.unevaluated.or(one.unevaluated),
        })),
        (Kind::Object(one), Kind::Object(other)) => {
            let mut object = *one;
            object.max_properties = other.max_properties.or(object.max_properties);
            object.min_properties = other.min_properties.or(object.min_properties);
            object.properties.extend(other.properties);
            object.patterns.extend(other.patterns);
            object.required.extend(other.required);
            object.additional = stricter(object.additional, other.additional);
            object.unevaluated = other.unevaluated.or(object.unevaluated);
            object.names_needed.extend(other.names_needed);
            object.schemas_needed.extend(other.schemas_needed);
            Kind::Object(Box::new(object))
        }
        (one, _) => one,
    }
}

fn stricter(one: Rest, other: Rest) -> Rest {
    if other == Rest::Open { one } else { other }
}
