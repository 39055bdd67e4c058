//! Keywords of one schema whose values are no schemas, and the notes.

use serde_json::Value;

use super::relation::{Relation, of_limit, of_types};
use super::walk::{Found, Visit, Walk};
use crate::change::{ChangeKind, FactKey, Pair, Site};
use crate::formats::frame::differ::Draft;
use crate::formats::json_schema::model::{Node, NodeId, Schema};
use crate::formats::json_schema::pairs::{What, identity};
use crate::formats::json_schema::patterns;
use crate::formats::json_schema::same::{lacking, same_value};
use crate::ordered::InOrder;
use crate::text::{elide, shorten};

/// Characters of a value that a message tells.
const SHOWN: usize = 60;

/// Of what a keyword asks, which is what the message is about.
const ASKED: usize = 200;

/// What says which values there are where no type does.
const INSTEAD: [&str; 8] = ["$ref", "$dynamicRef", "enum", "allOf", "anyOf", "oneOf", "not", "if"];

/// Keywords that limit, each by itself.
const LIMITS: [&[&str]; 18] = [
    &["minimum"],
    &["maximum"],
    &["exclusiveMinimum"],
    &["exclusiveMaximum"],
    &["multipleOf"],
    &["minLength"],
    &["maxLength"],
    &["pattern"],
    &["format"],
    &["minItems"],
    &["maxItems"],
    &["uniqueItems"],
    &["minProperties"],
    &["maxProperties"],
    &["minContains"],
    &["maxContains"],
    &["dependentRequired"],
    &["type"],
];

/// What other programs than validators look at.
const FELT_NOTES: [&str; 6] =
    ["deprecated", "readOnly", "writeOnly", "contentEncoding", "contentMediaType", "contentSchema"];

/// What nobody computes with.
const COMMENTS: [&str; 8] =
    ["title", "description", "examples", "$comment", "$schema", "$anchor", "$dynamicAnchor", "$recursiveAnchor"];

pub(super) fn compare(walk: &mut Walk<'_>, visit: Visit) {
    for names in LIMITS {
        limit(walk, visit, names);
    }
    values(walk, visit);
}

/// A value for people.
pub(super) fn shown(value: &Value) -> String {
    shorten(&value.to_string(), SHOWN).into_owned()
}

/// A keyword that limits.
fn limit(walk: &mut Walk<'_>, visit: Visit, names: &'static [&'static str]) {
    let keyword = names[0];
    let pair = walk.nodes(visit.0);
    let values = pair.map(|node| node.value(keyword));
    match (values.old, values.new) {
        (None, None) => return,
        (Some(old), Some(new)) if same_value(keyword, old, new) => return,
        _ => {}
    }
    // With `contains` they come and go.
    let is_counted = |node: &Node| node.keywords.contains_key("contains");
    if matches!(keyword, "minContains" | "maxContains") && is_counted(pair.old) != is_counted(pair.new) {
        return;
    }
    let only = patterns(keyword, values);
    let relation = match keyword {
        "type" => of_types(values),
        "pattern" | "format" | "dependentRequired" if values.old.is_some() && values.new.is_some() => {
            Relation::Incomparable
        }
        // Without it, one item is demanded.
        "minContains" => of_limit(keyword, values.map(|value| Some(value.unwrap_or(&ONE)))),
        _ => of_limit(keyword, values),
    };
    let kind = if keyword == "type" { ChangeKind::FieldTypeChanged } else { ChangeKind::KeywordChanged };
    let told = values.map(|value| value.map_or(unlimited(keyword).to_owned(), |value| told(keyword, value)));
    let keys = match keyword {
        "type" => Pair::new(FactKey::OldType, FactKey::NewType),
        _ => Pair::new(FactKey::OldValue, FactKey::NewValue),
    };
    let became = (keyword == "type").then(|| (FactKey::Became, became(pair, &told)));
    let named = (FactKey::Name, walk.written(visit.0, keyword));
    let facts: Vec<_> = [named, (keys.old, told.old), (keys.new, told.new)].into_iter().chain(became).collect();
    let edit = only.map_or(What::Keywords(names), What::Pattern);
    let at = walk.keyword_sites(visit.0, keyword);
    walk.found(visit, Found { kind, what: keyword.to_owned(), edit, relation, at, facts: &facts, element: None });
}

/// What only the pattern of each side takes, where there are two and that is known.
fn patterns(keyword: &str, values: Pair<Option<&Value>>) -> Option<Pair<Option<String>>> {
    let text =
        |value: Option<&'_ Value>| value.and_then(Value::as_str).filter(|_| keyword == "pattern").map(str::to_owned);
    let (old, new) = (text(values.old)?, text(values.new)?);
    patterns::only(Pair::new(&old, &new))
}

static ONE: std::sync::LazyLock<Value> = std::sync::LazyLock::new(|| Value::from(1));

/// What there is without a keyword.
fn unlimited(keyword: &str) -> &'static str {
    match keyword {
        "type" => "any type",
        keyword if keyword.starts_with("min") || keyword.starts_with("max") || keyword.starts_with("exclusive") => {
            "no limit"
        }
        _ => "nothing",
    }
}

/// `string or null`
fn told(keyword: &str, value: &Value) -> String {
    match (keyword, value) {
        ("type", Value::Array(names)) => {
            let names: Vec<&str> = names.iter().filter_map(Value::as_str).collect();
            names.join(" or ")
        }
        _ => asked(value),
    }
}

/// What a keyword asks, for people.
fn asked(value: &Value) -> String {
    elide(&value.to_string(), ASKED).into_owned()
}

/// From which type to which, in words: of what has none, what says it instead.
fn became(pair: Pair<&Node>, types: &Pair<String>) -> String {
    let of = |node: &Node, ty: &str, says: &str| {
        let keywords = INSTEAD.iter().filter_map(|name| node.keywords.get(*name));
        let keywords: Vec<String> = keywords.map(|keyword| format!("`{}`", keyword.written)).collect();
        match node.value("type").is_none() && !keywords.is_empty() {
            true => format!("what {} {says}", keywords.join(" and ")),
            false => ty.to_owned(),
        }
    };
    format!("from {} to {}", of(pair.old, &types.old, "said"), of(pair.new, &types.new, "says"))
}

/// The values of `enum` and `const`.
fn values(walk: &mut Walk<'_>, visit: Visit) {
    let pair = walk.nodes(visit.0);
    let lists = pair.map(|node| node.value("enum").and_then(Value::as_array));
    let (old, new) = match (lists.old, lists.new) {
        (None, None) => return,
        (Some(old), Some(new)) => (old, new),
        _ => {
            let relation = Relation::of_demand(lists.map(|list| list.is_some()));
            let told = lists.map(|list| list.map_or("nothing".to_owned(), |list| asked(&Value::Array(list.clone()))));
            let name = (FactKey::Name, walk.written(visit.0, "enum"));
            let facts = [name, (FactKey::OldValue, told.old), (FactKey::NewValue, told.new)];
            let at = walk.keyword_sites(visit.0, "enum");
            let edit = What::Keywords(&["enum"]);
            let (kind, what) = (ChangeKind::KeywordChanged, "enum".to_owned());
            walk.found(visit, Found { kind, what, edit, relation, at, facts: &facts, element: None });
            return;
        }
    };
    for (index, value) in lacking(old, new).into_iter().map(|index| (index, &old[index])) {
        let at = Pair::new(element(walk.schemas.old, pair.old, "enum", index), None);
        one_value(walk, visit, value, (ChangeKind::EnumValueRemoved, Relation::Tightened), at);
    }
    for (index, value) in lacking(new, old).into_iter().map(|index| (index, &new[index])) {
        let at = Pair::new(None, element(walk.schemas.new, pair.new, "enum", index));
        one_value(walk, visit, value, (ChangeKind::EnumValueAdded, Relation::Loosened), at);
    }
}

fn one_value(
    walk: &mut Walk<'_>,
    visit: Visit,
    value: &Value,
    (kind, relation): (ChangeKind, Relation),
    at: Pair<Option<Site>>,
) {
    let facts = [(FactKey::Name, shown(value))];
    let (what, edit) = (format!("enum {value}"), What::Value(value.clone()));
    walk.found(visit, Found { kind, what, edit, relation, at, facts: &facts, element: None });
}

/// The place of an element of a list; the keyword's where the list is not written as one.
pub(super) fn element(schema: &Schema, node: &Node, keyword: &str, index: usize) -> Option<Site> {
    let keyword = node.keywords.get(keyword)?;
    Some(schema.site(node, keyword.elements.get(index).copied().unwrap_or(keyword.span)))
}

/// Whether two schemas are of two files, of which the old side has both.
fn are_others(schemas: Pair<&Schema>, pair: Pair<&Node>) -> bool {
    let now = schemas.new.path(pair.new);
    schemas.old.path(pair.old) != now && schemas.old.files.iter().any(|file| file.path == *now)
}

/// What validation does not look at, and other programs do.
pub(super) fn notes(walk: &mut Walk<'_>, nodes: Pair<NodeId>) {
    let pair = walk.nodes(nodes);
    let mut keys: Vec<&str> = pair.old.notes.keys().chain(pair.new.notes.keys()).map(String::as_str).collect();
    keys.sort_in_order();
    keys.dedup();
    for key in keys.into_iter().filter(|key| !COMMENTS.contains(key)) {
        let notes = pair.map(|node| node.notes.get(key));
        if notes.old.map(|note| &note.value) == notes.new.map(|note| &note.value) {
            continue;
        }
        let (kind, name) = match key {
            // Another document is referred to, and each has the address that it had.
            "$id" | "id" if are_others(walk.schemas, pair) => continue,
            "default" => (ChangeKind::FieldDefaultChanged, "default"),
            "format" => (ChangeKind::AnnotationChanged, "format"),
            "$id" | "id" => (ChangeKind::AnnotationChanged, "$id"),
            key if FELT_NOTES.contains(&key) => (ChangeKind::AnnotationChanged, "annotation"),
            // What is referred to is compared as what it is.
            _ if walk.is_told_inside(pair, key) => continue,
            _ => (ChangeKind::AnnotationChanged, "unknown"),
        };
        let at = walk.schemas.zip(pair, |schema, node| node.notes.get(key).map(|note| schema.site(node, note.span)));
        let told = notes.map(|note| note.map_or("nothing".to_owned(), |note| shown(&note.value)));
        let place = walk.schemas.new.location(pair.new);
        let identity = identity(walk.schemas, pair, key);
        let draft = Draft::new(kind, place.clone(), identity).at(at).fact(FactKey::Container, place);
        let draft = draft.fact(FactKey::Name, key).fact(FactKey::Role, name);
        walk.note(draft.fact(FactKey::OldValue, told.old).fact(FactKey::NewValue, told.new));
    }
}
