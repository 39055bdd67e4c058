//! Keywords with schemas by names, and what is demanded of the members of objects.

use serde_json::Value;

use super::content::content;
use super::encodings;
use super::keywords::element;
use super::relation::Relation;
use super::walk::{Found, Visit, Walk};
use crate::change::{ChangeKind, FactKey, Pair, Site};
use crate::formats::frame::differ::yes;
use crate::formats::json_schema::address::step;
use crate::formats::json_schema::model::{Node, Schema};
use crate::formats::json_schema::pairs::What;
use crate::formats::json_schema::same::lacking;
use crate::ordered::OrderedSet;

pub(super) fn compare(walk: &mut Walk<'_>, visit: Visit) {
    let with_the_member = properties(walk, visit);
    required(walk, visit, &with_the_member);
    for keyword in ["patternProperties", "dependentSchemas"] {
        entries(walk, visit, keyword);
    }
}

fn is_required(node: &Node, name: &str) -> bool {
    node.value("required").and_then(Value::as_array).is_some_and(|names| names.iter().any(|one| one == name))
}

/// What a schema says of members that it does not name.
fn others(schema: &Schema, node: &Node) -> &'static str {
    match node.child("additionalProperties").map(|id| schema.node(id)) {
        None => "open",
        Some(others) if others.is_false => "closed",
        Some(others) if others.is_true() => "open",
        Some(_) => "map",
    }
}

/// The properties: those of both sides are compared; the names of those that came or went together with being required.
fn properties(walk: &mut Walk<'_>, visit: Visit) -> OrderedSet<String> {
    let pair = walk.nodes(visit.0);
    let maps = pair.map(|node| node.map("properties"));
    let names: OrderedSet<&String> = [maps.old, maps.new].into_iter().flatten().flat_map(|map| map.keys()).collect();
    let mut told = OrderedSet::new();
    for name in names {
        let child = maps.map(|map| map.and_then(|map| map.get(name)).copied());
        let (kind, has) = match (child.old, child.new) {
            (Some(old), Some(new)) => {
                walk.meet(Pair::new(old, new), visit.1);
                continue;
            }
            (Some(_), None) => (ChangeKind::FieldRemoved, Pair::new(true, false)),
            (None, _) => (ChangeKind::FieldAdded, Pair::new(false, true)),
        };
        let content = walk.schemas.zip(pair, others);
        let relation = match (content.old, content.new) {
            ("open", "open") => Relation::of_demand(has),
            ("closed", "closed") => Relation::of_demand(has.mirrored()),
            _ => Relation::Incomparable,
        };
        let lacking = if has.old { pair.new } else { pair.old };
        let having = if has.old { pair.old } else { pair.new };
        let is_needed = is_required(having, name) && !is_required(lacking, name);
        if is_needed {
            told.insert(name.clone());
        }
        let relation = match relation {
            // A closed object that must have one member more.
            Relation::Loosened if is_needed && has.new => Relation::Incomparable,
            Relation::Tightened if is_needed && has.old => Relation::Incomparable,
            relation => relation,
        };
        let at = walk.schemas.zip(child, |schema, id| id.map(|id| schema.site(schema.node(id), schema.node(id).span)));
        let side = if has.old { content.new } else { content.old };
        let facts = [
            (FactKey::Name, name.clone()),
            (FactKey::Required, yes(is_needed).to_owned()),
            (FactKey::Structure, side.to_owned()),
        ];
        let facts: Vec<_> = match is_needed {
            true => {
                let role = (FactKey::Role, visit.1.asks().to_owned());
                facts.into_iter().chain([role, (FactKey::Content, self::content(walk.schemas, child))]).collect()
            }
            false => facts.into(),
        };
        let edit = if is_needed { What::Member(name.clone()) } else { What::Entry("properties", name.clone()) };
        let element = Some(step("/properties", name));
        walk.found(
            visit,
            Found { kind, what: format!("properties {name}"), edit, relation, at, facts: &facts, element },
        );
        if let (None, Some(came)) = (child.old, child.new) {
            encodings::added(walk, visit.0, came);
        }
    }
    told
}

/// The names that must be there, without those of members that came or went with them.
fn required(walk: &mut Walk<'_>, visit: Visit, told: &OrderedSet<String>) {
    let pair = walk.nodes(visit.0);
    let lists = pair.map(|node| node.value("required").and_then(Value::as_array).map_or(&[][..], Vec::as_slice));
    let mut changed: Vec<(String, &'static str, Relation, Pair<Option<Site>>)> = Vec::new();
    for (index, name) in lacking(lists.old, lists.new).into_iter().map(|index| (index, &lists.old[index])) {
        let at = Pair::new(element(walk.schemas.old, pair.old, "required", index), None);
        changed.push((name.as_str().unwrap_or_default().to_owned(), "removed", Relation::Loosened, at));
    }
    for (index, name) in lacking(lists.new, lists.old).into_iter().map(|index| (index, &lists.new[index])) {
        let at = Pair::new(None, element(walk.schemas.new, pair.new, "required", index));
        changed.push((name.as_str().unwrap_or_default().to_owned(), "added", Relation::Tightened, at));
    }
    for (name, direction, relation, at) in changed.into_iter().filter(|(name, ..)| !told.contains(name)) {
        let facts = [
            (FactKey::Name, name.clone()),
            (FactKey::Direction, direction.to_owned()),
            (FactKey::Role, visit.1.asks().to_owned()),
        ];
        let (what, edit) = (format!("required {name}"), What::Required(name.clone()));
        let kind = ChangeKind::FieldRequiredChanged;
        let element = Some(step("/properties", &name));
        walk.found(visit, Found { kind, what, edit, relation, at, facts: &facts, element });
    }
}

/// Schemas by patterns or by the member that brings them.
fn entries(walk: &mut Walk<'_>, visit: Visit, keyword: &'static str) {
    let pair = walk.nodes(visit.0);
    let maps = pair.map(|node| node.map(keyword));
    let names: OrderedSet<&String> = [maps.old, maps.new].into_iter().flatten().flat_map(|map| map.keys()).collect();
    for name in names {
        let child = maps.map(|map| map.and_then(|map| map.get(name)).copied());
        if let (Some(old), Some(new)) = (child.old, child.new) {
            match keyword {
                "dependentSchemas" => walk.meet_beside(Pair::new(old, new), visit.1),
                _ => walk.meet(Pair::new(old, new), visit.1),
            }
            continue;
        }
        let has = child.map(|child| child.is_some());
        let kind = if has.new { ChangeKind::SubschemaAdded } else { ChangeKind::SubschemaRemoved };
        // Names that a pattern takes are others no more, which may loosen as well.
        let is_plain = walk.schemas.zip(pair, others) == Pair::new("open", "open") || keyword == "dependentSchemas";
        let relation = if is_plain { Relation::of_demand(has) } else { Relation::Incomparable };
        let at = walk.schemas.zip(child, |schema, id| id.map(|id| schema.site(schema.node(id), schema.node(id).span)));
        let facts = [
            (FactKey::Name, walk.written(visit.0, keyword)),
            (FactKey::Structure, "schema".to_owned()),
            (FactKey::Content, content(walk.schemas, child)),
        ];
        let (what, edit) = (format!("{keyword} {name}"), What::Entry(keyword, name.clone()));
        let element = Some(step(&format!("/{keyword}"), name));
        walk.found(visit, Found { kind, what, edit, relation, at, facts: &facts, element });
        if let (None, Some(came)) = (child.old, child.new) {
            encodings::added(walk, visit.0, came);
        }
    }
}
