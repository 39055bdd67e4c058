//! Documents that say the same as others, as copies of one file do: what is decided of the first holds of all.
//!
//! Only files of the same text are looked at, and what these lead to has to be the same as well: each schema is spelled with the
//! number that it has on the way from the root in place of its name.

use rustc_hash::FxHashMap;

use super::decide::Decided;
use super::model::{Node, NodeId, Part, Schema};
use super::pairs::{Documents, Pairs};
use crate::change::Pair;
use crate::ordered::InOrder;

/// Which document stands for each of some.
pub(super) struct Twins {
    /// `None` where it is asked about itself.
    of: Vec<Option<Twin>>,
}

/// The first of several documents that say the same, and its edits with those of another one.
struct Twin {
    first: usize,
    edits: Vec<(usize, usize)>,
}

impl Twins {
    pub(super) fn of(schemas: Pair<&Schema>, pairs: &Pairs, documents: &[&Documents]) -> Twins {
        let mut alike: FxHashMap<_, Vec<usize>> = FxHashMap::default();
        for (index, one) in documents.iter().enumerate() {
            let content = schemas.zip(one.files, |schema, file| schema.files[file].content);
            let places = schemas.zip(one.nodes, |schema, node| schema.node(node).pointer.as_str());
            alike.entry((content, places)).or_default().push(index);
        }
        let mut of: Vec<_> = documents.iter().map(|_| None).collect();
        for group in alike.into_values().filter(|group| group.len() > 1) {
            let mut firsts: FxHashMap<String, (usize, Vec<usize>)> = FxHashMap::default();
            for index in group {
                let Some((text, edits)) = spelled(schemas, pairs, documents[index]) else { continue };
                match firsts.get(&text) {
                    Some((first, own)) => {
                        let edits = own.iter().copied().zip(edits).collect();
                        of[index] = Some(Twin { first: *first, edits });
                    }
                    None => drop(firsts.insert(text, (index, edits))),
                }
            }
        }
        Twins { of }
    }

    /// The documents that have to be asked about.
    pub(super) fn firsts(&self) -> impl Iterator<Item = usize> {
        self.of.iter().enumerate().filter(|(_, twin)| twin.is_none()).map(|(index, _)| index)
    }

    /// The document that is asked about in the place of another one, if one is.
    pub(super) fn first(&self, index: usize) -> Option<usize> {
        self.of[index].as_ref().map(|twin| twin.first)
    }

    /// What is known of a document for which the first one stands of which something is: no data were made for it.
    pub(super) fn decided(&self, index: usize, known: &Decided) -> Decided {
        let edits = self.of[index].iter().flat_map(|twin| &twin.edits);
        let answers = edits.filter_map(|(one, own)| Some((*own, known.answers.get(one)?.clone())));
        Decided { answers: answers.collect(), data: 0 }
    }
}

/// All that is asked about a document, and its edits in the order in which they stand there. `None` where one stands elsewhere.
fn spelled(schemas: Pair<&Schema>, pairs: &Pairs, documents: &Documents) -> Option<(String, Vec<usize>)> {
    let (mut texts, mut numbers) = (Vec::new(), Vec::new());
    for (schema, root) in [(schemas.old, documents.nodes.old), (schemas.new, documents.nodes.new)] {
        let (text, found) = numbered(schema, root);
        texts.push(text);
        numbers.push(found);
    }
    let mut edits = Vec::new();
    for index in &documents.edits {
        let edit = &pairs.edits[*index];
        let at = (numbers[0].get(&edit.nodes.old)?, numbers[1].get(&edit.nodes.new)?);
        let claims = (edit.claims, edit.is_monotone, edit.is_outer);
        edits.push((format!("{at:?} {:?} {claims:?}", edit.what), *index));
    }
    edits.sort_in_order();
    let files = schemas.zip(documents.files, |schema, file| &schema.files[file]);
    texts.push(format!("{} {} {:?}", files.old.is_bson, files.new.is_bson, files.new.usage));
    texts.extend(edits.iter().map(|(text, _)| text.clone()));
    Some((texts.join("\n"), edits.into_iter().map(|(_, index)| index).collect()))
}

/// What a schema and all that it leads to say, and the number of each.
fn numbered(schema: &Schema, root: NodeId) -> (String, FxHashMap<NodeId, usize>) {
    let (mut numbers, mut order, mut text) = (FxHashMap::from_iter([(root, 0)]), vec![root], String::new());
    let mut next = 0;
    while next < order.len() {
        let node = schema.node(order[next]);
        next += 1;
        let mut number = |held: NodeId| {
            let count = order.len();
            let known = *numbers.entry(held).or_insert(count);
            if known == count {
                order.push(held);
            }
            known
        };
        spell(node, &mut text, &mut number);
    }
    (text, numbers)
}

fn spell(node: &Node, text: &mut String, number: &mut dyn FnMut(NodeId) -> usize) {
    text.push_str(&format!("{} {:?}\n", node.is_false, node.elsewhere));
    for (name, keyword) in &node.keywords {
        text.push_str(name);
        match &keyword.part {
            Part::Value(value) => text.push_str(&format!(" = {value}\n")),
            Part::Schema(held) => text.push_str(&format!(" {}\n", number(*held))),
            Part::List(list) => {
                let list: Vec<usize> = list.iter().map(|held| number(*held)).collect();
                text.push_str(&format!(" {list:?}\n"));
            }
            Part::Map(map) => {
                let map: Vec<(&String, usize)> = map.iter().map(|(name, held)| (name, number(*held))).collect();
                text.push_str(&format!(" {map:?}\n"));
            }
        }
    }
}
