//! Several schemas that look at one value: of very many nearly all are for other values, and need not be asked.

use std::borrow::Cow;

use rustc_hash::{FxHashMap, FxHashSet};
use serde_json::{Map, Value};

use super::node::{Arena, Beside, Id, Index, Node, OfObject, Several};
use super::values::{Kind, View};

/// Of fewer each is asked.
const FEW: usize = 16;
/// References followed from a schema to what it says.
const LONGEST_CHAIN: usize = 8;

impl Several {
    /// Those of which one may refuse a value: all others take it. Of schemas of which each has to hold.
    pub(super) fn that_may_refuse(&self, view: View<'_>) -> Cow<'_, [Id]> {
        match (&self.index, view.kind) {
            (Some(Index::OfMembers { named, rest }), Kind::Object(map)) => Cow::Owned(of_members(named, rest, map)),
            _ => Cow::Borrowed(&self.ids),
        }
    }

    /// Those of which one may take a value: all others refuse it. Of branches.
    pub(super) fn that_may_take(&self, view: View<'_>) -> Cow<'_, [Id]> {
        let (Some(Index::Tagged { name, by_text, without, rest }), Kind::Object(map)) = (&self.index, view.kind) else {
            return Cow::Borrowed(&self.ids);
        };
        let tagged = match map.get(&**name) {
            Some(Value::String(text)) => by_text.get(&**text).map_or(&[][..], Vec::as_slice),
            Some(_) => &[],
            None => without,
        };
        Cow::Owned(tagged.iter().chain(rest).copied().collect())
    }
}

fn of_members(named: &FxHashMap<Box<str>, Vec<Id>>, rest: &[Id], map: &Map<String, Value>) -> Vec<Id> {
    let mut found: Vec<Id> = map.keys().filter_map(|name| named.get(&**name)).flatten().copied().collect();
    found.extend(rest);
    found
}

/// Finds out of all schemas of a document which of very many beside them have to be asked.
pub(super) fn index(arena: &mut Arena) {
    let mut found = Vec::new();
    for (at, node) in arena.nodes.iter().enumerate() {
        for (nth, beside) in node.beside.iter().enumerate() {
            let index = match beside {
                Beside::All(list) if list.len() > FEW => by_members(arena, list),
                Beside::Any(list) | Beside::One(list) if list.len() > FEW => by_tag(arena, list),
                _ => None,
            };
            found.extend(index.map(|index| (at, nth, index)));
        }
    }
    for (at, nth, index) in found {
        if let Beside::All(list) | Beside::Any(list) | Beside::One(list) = &mut arena.nodes[at].beside[nth] {
            list.index = Some(index);
        }
    }
}

fn by_members(arena: &Arena, list: &[Id]) -> Option<Index> {
    let (mut named, mut rest) = (FxHashMap::<Box<str>, Vec<Id>>::default(), Vec::new());
    for id in list {
        match only_members(arena.node(*id)) {
            Some(names) => names.into_iter().for_each(|name| named.entry(name.into()).or_default().push(*id)),
            None => rest.push(*id),
        }
    }
    (rest.len() < list.len()).then_some(Index::OfMembers { named, rest })
}

/// The names of the members that a schema speaks of, where it says nothing else of objects.
fn only_members(node: &Node) -> Option<Vec<&str>> {
    const OBJECT: u8 = 64;
    let [OfObject::Members(members)] = &node.object[..] else { return None };
    let is_plain = node.types.0 & OBJECT != 0
        && node.values.is_empty()
        && node.beside.is_empty()
        && node.left_members.is_none()
        && members.patterns.is_empty()
        && members.others.is_none();
    is_plain.then(|| members.named.iter().map(|(name, _)| &**name).collect())
}

fn by_tag(arena: &Arena, list: &[Id]) -> Option<Index> {
    let tags: Vec<Tags<'_>> = list.iter().map(|id| Tags::of(arena, *id)).collect();
    let mut counts: FxHashMap<&str, usize> = FxHashMap::default();
    tags.iter().flat_map(|tags| tags.texts.keys()).for_each(|name| *counts.entry(name).or_default() += 1);
    let most = *counts.values().max().filter(|most| **most * 2 > list.len())?;
    let name = counts.into_iter().filter(|(_, count)| *count == most).map(|(name, _)| name).min()?;
    let (mut by_text, mut without, mut rest) = (FxHashMap::<Box<str>, Vec<Id>>::default(), Vec::new(), Vec::new());
    for (id, tags) in list.iter().zip(&tags) {
        let Some(texts) = tags.texts.get(name) else {
            rest.push(*id);
            continue;
        };
        texts.iter().for_each(|text| by_text.entry((*text).into()).or_default().push(*id));
        without.extend((!tags.required.contains(name)).then_some(*id));
    }
    Some(Index::Tagged { name: name.into(), by_text, without, rest })
}

/// What a branch says of members that are told apart by texts.
#[derive(Default)]
struct Tags<'a> {
    /// The texts that members may be.
    texts: FxHashMap<&'a str, FxHashSet<&'a str>>,
    required: FxHashSet<&'a str>,
}

impl<'a> Tags<'a> {
    fn of(arena: &'a Arena, branch: Id) -> Tags<'a> {
        let mut tags = Tags::default();
        for node in chain(arena, branch) {
            for rule in &node.object {
                match rule {
                    OfObject::Required(names) => tags.required.extend(names.iter().map(|name| &**name)),
                    OfObject::Members(members) => {
                        let listed = members.named.iter().filter_map(|(name, id)| Some((&**name, texts(arena, *id)?)));
                        listed.for_each(|(name, texts)| _ = tags.texts.entry(name).or_insert(texts));
                    }
                    _ => {}
                }
            }
        }
        tags
    }
}

/// The texts that a schema lists, where it lists nothing else.
fn texts(arena: &Arena, id: Id) -> Option<FxHashSet<&str>> {
    let values = chain(arena, id).find_map(|node| node.values.first())?;
    values.list.iter().map(Value::as_str).collect()
}

/// A schema, and what it refers to.
fn chain(arena: &Arena, id: Id) -> impl Iterator<Item = &Node> {
    let next = |node: &&Node| {
        let same = |beside: &Beside| if let Beside::Same(id) = beside { Some(*id) } else { None };
        node.beside.iter().find_map(same).map(|id| arena.node(id))
    };
    std::iter::successors(Some(arena.node(id)), next).take(LONGEST_CHAIN)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::Reader;

    /// As many branches as are told apart by an index, and one by one.
    fn readers(keyword: &str, branches: &[serde_json::Value]) -> [Reader; 2] {
        let few = branches.chunks(8).map(|some| json!({ keyword: some })).collect::<Vec<_>>();
        let outer = if keyword == "allOf" { "allOf" } else { "anyOf" };
        [json!({ keyword: branches }), json!({ outer: few })].map(|document| Reader::new(&document).expect("a schema"))
    }

    #[test]
    fn branches_that_are_told_apart_by_a_text_take_what_each_takes() {
        let mut branches: Vec<_> = (0..40)
            .map(|at| json!({ "properties": { "k": { "const": format!("v{at}") }, "n": { "maximum": at } } }))
            .collect();
        branches[3]["required"] = json!(["k"]);
        branches.push(json!({ "required": ["other"] }));
        branches.push(json!({ "type": "null" }));
        let [many, few] = readers("anyOf", &branches);
        let data = [
            json!({ "k": "v7", "n": 7 }),
            json!({ "k": "v7", "n": 8 }),
            json!({ "k": "none" }),
            json!({ "k": "none", "other": 1 }),
            json!({ "k": 5 }),
            json!({ "n": 39 }),
            json!({ "n": 40 }),
            json!({}),
            json!(null),
            json!(5),
        ];
        for datum in data {
            assert_eq!(many.takes(&datum), few.takes(&datum), "{datum}");
        }
    }

    #[test]
    fn schemas_that_speak_of_members_refuse_what_each_refuses() {
        let mut branches: Vec<_> =
            (0..40).map(|at| json!({ "properties": { format!("m{}", at / 2): { "maximum": at } } })).collect();
        branches.push(json!({ "type": "object", "properties": { "t": { "type": "string" } } }));
        branches.push(json!({ "required": ["r"] }));
        let [many, few] = readers("allOf", &branches);
        let data = [
            json!({ "r": 1, "m3": 6, "m4": 8 }),
            json!({ "r": 1, "m3": 7 }),
            json!({ "m3": 6 }),
            json!({ "r": 1, "t": 1 }),
            json!({ "r": 1, "t": "a" }),
            json!([]),
        ];
        for datum in data {
            assert_eq!(many.takes(&datum), few.takes(&datum), "{datum}");
        }
    }
}
