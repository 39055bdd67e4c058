//! Keywords with one schema, and those with lists of schemas, whose branches are paired by what they are.

use rustc_hash::{FxHashMap, FxHashSet};
use serde_json::Value;

use super::content::{content, contents, keywords_of};
use super::relation::{Polarity, Relation};
use super::walk::{Found, Visit, Walk};
use crate::change::{ChangeKind, FactKey, Pair};
use crate::formats::json_schema::exclusive::is_exclusive;
use crate::formats::json_schema::model::{Node, NodeId, Part, Schema};
use crate::formats::json_schema::pairs::What;
use crate::ordered::InOrder;

/// More branches than this that are not the same on both sides are paired by their places alone.
const MOST_BRANCHES: usize = 200;

/// How deep branches are looked into before they are compared.
const PRINTED: usize = 2;

/// Keywords with one schema that stand for themselves: what they hold does the same to what holds them.
const PLAIN: [(&str, &[&str]); 5] = [
    ("$ref", &["$ref"]),
    ("$dynamicRef", &["$dynamicRef"]),
    ("items", &["items"]),
    ("propertyNames", &["propertyNames"]),
    ("additionalProperties", &["additionalProperties"]),
];

pub(super) fn compare(walk: &mut Walk<'_>, visit: Visit) {
    let (nodes, polarity) = visit;
    for (keyword, group) in PLAIN {
        one(walk, visit, (keyword, group), polarity);
    }
    for (keyword, group) in
        [("unevaluatedProperties", &["unevaluatedProperties"][..]), ("unevaluatedItems", &["unevaluatedItems"])]
    {
        one(walk, visit, (keyword, group), polarity);
    }
    one(walk, visit, ("not", &["not"]), polarity.turned());
    let pair = walk.nodes(nodes);
    let is_limited = |node: &Node| node.keywords.contains_key("maxContains");
    let counted = if is_limited(pair.old) || is_limited(pair.new) { polarity.unclear() } else { polarity };
    one(walk, visit, ("contains", &["contains", "minContains", "maxContains"]), counted);
    conditions(walk, visit);
    tuple(walk, visit);
    for (keyword, group) in [("allOf", &["allOf"][..]), ("anyOf", &["anyOf"])] {
        branches(walk, visit, (keyword, group), polarity);
    }
    // Where at most one branch can be valid, one is as good as any.
    let is_any = is_exclusive(walk.schemas.old, pair.old) && is_exclusive(walk.schemas.new, pair.new);
    branches(walk, visit, ("oneOf", &["oneOf"]), if is_any { polarity } else { polarity.unclear() });
}

/// A keyword with one schema.
fn one(walk: &mut Walk<'_>, visit: Visit, (keyword, group): (&'static str, &'static [&'static str]), inside: Polarity) {
    let child = walk.nodes(visit.0).map(|node| node.child(keyword));
    let has = match (child.old, child.new) {
        (None, None) => return,
        (Some(old), Some(new)) => {
            match keyword {
                "$ref" | "$dynamicRef" | "then" | "else" => walk.meet_beside(Pair::new(old, new), inside),
                _ => walk.meet(Pair::new(old, new), inside),
            }
            return;
        }
        _ => child.map(|child| child.is_some()),
    };
    let relation = match keyword {
        // Less is demanded of more items, or the other way round.
        "contains" if visit.1 != inside => Relation::Incomparable,
        _ => Relation::of_demand(has),
    };
    came_or_went(walk, visit, (keyword, group), relation);
}

/// A keyword that one side lacks.
fn came_or_went(
    walk: &mut Walk<'_>,
    visit: Visit,
    (keyword, group): (&'static str, &'static [&'static str]),
    relation: Relation,
) {
    let at = walk.keyword_sites(visit.0, keyword);
    let nodes = walk.nodes(visit.0);
    let child = walk.schemas.zip(nodes, |schema, node| node.child(keyword).map(|id| schema.node(id)));
    let asserts_nothing =
        [child.old, child.new].into_iter().flatten().all(Node::is_true) && (child.old.is_some() || child.new.is_some());
    if asserts_nothing && visit.1.is_clear() && matches!(keyword, "items" | "additionalProperties" | "propertyNames") {
        return;
    }
    let is_false = [child.old, child.new].into_iter().flatten().any(|child| child.is_false);
    let closes =
        is_false && matches!(keyword, "additionalProperties" | "unevaluatedProperties" | "items" | "unevaluatedItems");
    let kind = if at.new.is_some() { ChangeKind::SubschemaAdded } else { ChangeKind::SubschemaRemoved };
    let content = || contents(walk.schemas.zip(nodes, |schema, node| (schema, keywords_of(node, group))));
    let structure = if closes { "closed" } else { "schema" }.to_owned();
    let facts = [(FactKey::Name, walk.written(visit.0, keyword)), (FactKey::Structure, structure)];
    // What closes has nothing more to say.
    let facts: Vec<_> = facts.into_iter().chain((!closes).then(|| (FactKey::Content, content()))).collect();
    let (what, edit) = (keyword.to_owned(), What::Keywords(group));
    walk.found(visit, Found { kind, what, edit, relation, at, facts: &facts, element: None });
}

/// `if`, `then` and `else`.
fn conditions(walk: &mut Walk<'_>, visit: Visit) {
    const ALL: &[&str] = &["if", "then", "else"];
    let pair = walk.nodes(visit.0);
    let condition = pair.map(|node| node.child("if"));
    match (condition.old, condition.new) {
        (None, None) => return,
        (Some(old), Some(new)) => walk.meet_beside(Pair::new(old, new), Polarity::Condition),
        _ => {
            let relation = Relation::of_demand(condition.map(|child| child.is_some()));
            came_or_went(walk, visit, ("if", ALL), relation);
            return;
        }
    }
    for keyword in ["then", "else"] {
        let group: &'static [&'static str] = if keyword == "then" { &["then"] } else { &["else"] };
        one(walk, visit, (keyword, group), visit.1);
    }
}

/// The positions of a tuple. What stands behind them is another matter, so a position more may loosen as well.
fn tuple(walk: &mut Walk<'_>, visit: Visit) {
    let pair = walk.nodes(visit.0);
    let lists = pair.map(|node| node.list("prefixItems").to_vec());
    for (old, new) in lists.old.iter().zip(&lists.new) {
        walk.meet(Pair::new(*old, *new), visit.1);
    }
    let (from, to) = (lists.old.len().min(lists.new.len()), lists.old.len().max(lists.new.len()));
    for index in from..to {
        let is_plain =
            |node: &Node| !node.keywords.contains_key("items") && !node.keywords.contains_key("unevaluatedItems");
        let has = lists.as_ref().map(|list| index < list.len());
        let is_open = is_plain(pair.old) && is_plain(pair.new);
        let relation = if is_open { Relation::of_demand(has) } else { Relation::Incomparable };
        let edit = What::Branch("prefixItems", has.map(|has| has.then_some(index)));
        branch(walk, visit, ("prefixItems", edit, relation), index);
    }
}

/// A branch that one side lacks.
fn branch(walk: &mut Walk<'_>, visit: Visit, (keyword, edit, relation): (&'static str, What, Relation), index: usize) {
    let pair = walk.nodes(visit.0);
    let What::Branch(_, at) = &edit else { return };
    let child = |node: &Node, index: Option<usize>| node.list(keyword).get(index?).copied();
    let child = Pair::new(child(pair.old, at.old), child(pair.new, at.new));
    let content = content(walk.schemas, child);
    let at = walk.schemas.zip(child, |schema, id| id.map(|id| schema.site(schema.node(id), schema.node(id).span)));
    let is_new = at.new.is_some();
    let kind = match (keyword, is_new) {
        ("prefixItems", true) => ChangeKind::SubschemaAdded,
        ("prefixItems", false) => ChangeKind::SubschemaRemoved,
        (_, true) => ChangeKind::UnionBranchAdded,
        (_, false) => ChangeKind::UnionBranchRemoved,
    };
    let mut facts = vec![(FactKey::Name, walk.written(visit.0, keyword)), (FactKey::Content, content)];
    if keyword == "prefixItems" {
        facts.push((FactKey::Structure, "schema".to_owned()));
    }
    let what = format!("{keyword} {index}");
    let element = Some(format!("/{keyword}/{index}"));
    walk.found(visit, Found { kind, what, edit, relation, at, facts: &facts, element });
}

/// A keyword with a list of branches, in which order means nothing.
fn branches(
    walk: &mut Walk<'_>,
    visit: Visit,
    (keyword, group): (&'static str, &'static [&'static str]),
    inside: Polarity,
) {
    let lists = walk.nodes(visit.0).map(|node| node.list(keyword).to_vec());
    match (lists.old.is_empty(), lists.new.is_empty()) {
        (true, true) => return,
        (false, false) => {}
        (old, _) => {
            came_or_went(walk, visit, (keyword, group), Relation::of_demand(Pair::new(!old, old)));
            return;
        }
    }
    let mut paired = pairing(walk, lists.as_ref().map(Vec::as_slice));
    // What stands in the same place and has nothing in common took the other's place.
    let known = sides(&paired);
    for index in 0..lists.old.len().min(lists.new.len()) {
        if !known.old.contains(&index) && !known.new.contains(&index) {
            paired.push((index, index));
        }
    }
    let known = sides(&paired);
    for (old, new) in &paired {
        walk.meet_beside(Pair::new(lists.old[*old], lists.new[*new]), inside);
    }
    let relation = |is_new: bool| match keyword {
        "allOf" => Relation::of_demand(Pair::new(!is_new, is_new)),
        "anyOf" => Relation::of_demand(Pair::new(is_new, !is_new)),
        "oneOf" if inside == visit.1 && inside.is_clear() => Relation::of_demand(Pair::new(is_new, !is_new)),
        _ => Relation::Incomparable,
    };
    for index in (0..lists.old.len()).filter(|index| !known.old.contains(index)) {
        let edit = What::Branch(keyword, Pair::new(Some(index), None));
        branch(walk, visit, (keyword, edit, relation(false)), index);
    }
    for index in (0..lists.new.len()).filter(|index| !known.new.contains(index)) {
        let edit = What::Branch(keyword, Pair::new(None, Some(index)));
        branch(walk, visit, (keyword, edit, relation(true)), index);
    }
}

/// The branches of each side that are paired.
fn sides(paired: &[(usize, usize)]) -> Pair<FxHashSet<usize>> {
    Pair::new(paired.iter().map(|(old, _)| *old).collect(), paired.iter().map(|(_, new)| *new).collect())
}

/// Which branch continues as which: those that are the same, then the likeliest, as long as they have anything in common.
fn pairing(walk: &mut Walk<'_>, lists: Pair<&[NodeId]>) -> Vec<(usize, usize)> {
    let (mut paired, mut free) = (Vec::new(), lists.map(|list| vec![true; list.len()]));
    let mut alike: FxHashMap<String, Vec<usize>> = FxHashMap::default();
    for (new, one) in lists.new.iter().enumerate() {
        alike.entry(print(walk.schemas.new, *one, PRINTED)).or_default().push(new);
    }
    for (old, one) in lists.old.iter().enumerate() {
        let candidates = alike.get_mut(&print(walk.schemas.old, *one, PRINTED));
        let Some(candidates) = candidates else { continue };
        let found = candidates.iter().position(|new| walk.same.are(Pair::new(*one, lists.new[*new])));
        if let Some(new) = found.map(|at| candidates.remove(at)) {
            (free.old[old], free.new[new]) = (false, false);
            paired.push((old, new));
        }
    }
    for (old, new) in tagged_alike(walk.schemas, lists, free.as_ref().map(Vec::as_slice)) {
        (free.old[old], free.new[new]) = (false, false);
        paired.push((old, new));
    }
    let left = free.as_ref().map(|free| (0..free.len()).filter(|index| free[*index]).collect::<Vec<_>>());
    if left.old.len().max(left.new.len()) > MOST_BRANCHES {
        paired.extend(left.old.into_iter().zip(left.new));
        return paired;
    }
    let mut likely: Vec<(usize, usize, usize)> = Vec::new();
    for old in (0..lists.old.len()).filter(|old| free.old[*old]) {
        for new in (0..lists.new.len()).filter(|new| free.new[*new]) {
            let likeness = likeness(walk, Pair::new(lists.old[old], lists.new[new]));
            likely.push((likeness, old, new));
        }
    }
    likely.sort_in_order_by_key(|(likeness, old, new)| (std::cmp::Reverse(*likeness), old.abs_diff(*new), *old, *new));
    for (_, old, new) in likely.into_iter().filter(|(likeness, ..)| *likeness > 0) {
        if free.old[old] && free.new[new] {
            (free.old[old], free.new[new]) = (false, false);
            paired.push((old, new));
        }
    }
    paired
}

/// The free branches that no other branch of their side is called as: those by which data say which branch is theirs.
fn tagged_alike(schemas: Pair<&Schema>, lists: Pair<&[NodeId]>, free: Pair<&[bool]>) -> Vec<(usize, usize)> {
    let by_tag = |schema: &Schema, list: &[NodeId], free: &[bool]| {
        let mut by_tag: FxHashMap<String, Option<usize>> = FxHashMap::default();
        for (index, id) in list.iter().enumerate() {
            let Some(tag) = tag(schema, *id) else { continue };
            let one = free[index].then_some(index);
            by_tag.entry(tag).and_modify(|known| *known = None).or_insert(one);
        }
        by_tag
    };
    let new = by_tag(schemas.new, lists.new, free.new);
    let old = by_tag(schemas.old, lists.old, free.old);
    let both = old.into_iter().filter_map(|(tag, old)| Some((old?, (*new.get(&tag)?)?)));
    let mut both: Vec<(usize, usize)> = both.collect();
    both.sort_in_order();
    both
}

/// The members of a branch that have one value each, with these values; `None` where there is none.
fn tag(schema: &Schema, id: NodeId) -> Option<String> {
    let members = schema.node(schema.seen_through(id)).map("properties")?;
    let fixed = |(name, member): (&String, &NodeId)| match listed(schema, *member)? {
        [value] => Some(format!("{name}={value}\n")),
        _ => None,
    };
    let tag: String = members.iter().filter_map(fixed).collect();
    (!tag.is_empty()).then_some(tag)
}

/// The values that a schema lists.
fn listed(schema: &Schema, id: NodeId) -> Option<&[Value]> {
    schema.node(schema.seen_through(id)).value("enum")?.as_array().map(Vec::as_slice)
}

/// Whether two schemas ask for a member of both to have values that they do not share.
fn are_told_apart(schemas: Pair<&Schema>, pair: Pair<&Node>) -> bool {
    let (Some(old), Some(new)) = (pair.old.map("properties"), pair.new.map("properties")) else { return false };
    old.iter().any(|(name, member)| {
        let values = new.get(name).and_then(|other| listed(schemas.new, *other)).zip(listed(schemas.old, *member));
        values.is_some_and(|(new, old)| !new.iter().any(|value| old.contains(value)))
    })
}

/// What two schemas that are the same have in common, with what they hold down to some depth.
fn print(schema: &Schema, id: NodeId, depth: usize) -> String {
    let node = schema.node(schema.seen_through(id));
    let mut text = format!("{} {:?}", node.is_false, node.elsewhere);
    for (name, keyword) in &node.keywords {
        let held = match &keyword.part {
            // Lists of names and values are sets, and numbers are written in several ways.
            Part::Value(Value::Array(list)) => list.iter().map(plain).min().unwrap_or_default(),
            Part::Value(value) => plain(value),
            Part::Schema(_) => String::new(),
            Part::List(list) => list.len().to_string(),
            Part::Map(map) => map.keys().map(String::as_str).collect::<Vec<_>>().join(" "),
        };
        text.push_str(&format!("\n{name} {held}"));
        if depth > 0 {
            keyword.part.schemas().for_each(|child| text.push_str(&print(schema, child, depth - 1)));
        }
    }
    text
}

/// What equal values have in common.
fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Number(number) => number.as_f64().map(|number| (number + 0.0).to_string()).unwrap_or_default(),
        _ => String::new(),
    }
}

/// How much two schemas have in common.
fn likeness(walk: &Walk<'_>, nodes: Pair<NodeId>) -> usize {
    let through = walk.schemas.zip(nodes, Schema::seen_through);
    let pair = walk.nodes(through);
    let place = walk.schemas.zip(pair, |schema, node| (schema.path(node).clone(), node.pointer.clone()));
    let is_definition = pair.new.pointer.contains("/$defs/") || pair.new.pointer.contains("/definitions/");
    let by_name = if is_definition && place.old == place.new { 100 } else { 0 };
    if are_told_apart(walk.schemas, pair) {
        return by_name;
    }
    let mut common = 0;
    for (name, keyword) in &pair.old.keywords {
        let Some(other) = pair.new.keywords.get(name) else { continue };
        common += match (*name, keyword.part == other.part) {
            ("type", true) => 2,
            ("type", false) => return by_name,
            ("required" | "enum", true) => 6,
            (_, true) => 3,
            _ => 1,
        };
        let maps = pair.map(|node| node.map(name));
        if let (Some(old), Some(new)) = (maps.old, maps.new) {
            common += 2 * old.keys().filter(|key| new.contains_key(*key)).count();
        }
    }
    by_name + common
}
