//! Which members or items of a value some schema looked at: what is left falls to `unevaluatedProperties` and
//! `unevaluatedItems` (Core §11).

use rustc_hash::FxHashSet;

use super::node::{Arena, Beside, Id, Node, OfList, OfObject};
use super::values::{Kind, View};

/// What tells whether values are valid.
pub(super) trait Ask {
    fn takes(&mut self, id: Id, view: View<'_>) -> bool;
    /// Whether a pattern, by its number, is found in a text.
    fn finds(&mut self, pattern: usize, text: &str) -> bool;
}

/// What was looked at, by indices.
#[derive(Debug)]
pub(super) struct Marks {
    bits: Vec<u64>,
    is_all: bool,
}

impl Marks {
    fn new(count: usize) -> Marks {
        Marks { bits: vec![0; count.div_ceil(64)], is_all: false }
    }

    fn set(&mut self, index: usize) {
        self.bits[index / 64] |= 1 << (index % 64);
    }

    pub(super) fn has(&self, index: usize) -> bool {
        self.is_all || self.bits[index / 64] & (1 << (index % 64)) != 0
    }
}

/// What a schema and those beside it looked at, as far as they take the value. Of itself it is thought that it does, and of what
/// it says of what is left, nothing.
pub(super) fn marks(arena: &Arena, own: Id, view: View<'_>, ask: &mut dyn Ask) -> Marks {
    let count = match view.kind {
        Kind::List(list) => list.len(),
        Kind::Object(map) => map.len(),
        Kind::Null | Kind::Bool(_) | Kind::Number(_) | Kind::Text(_) => 0,
    };
    let mut marks = Marks::new(count);
    let (mut seen, mut open) = (FxHashSet::from_iter([own]), vec![own]);
    while let Some(id) = open.pop() {
        let node = arena.node(id);
        let is_rest = match view.kind {
            Kind::List(_) => node.left_items.is_some(),
            _ => node.left_members.is_some(),
        };
        marks.is_all |= is_rest && id != own;
        mark(node, view, ask, &mut marks);
        if marks.is_all {
            break;
        }
        for beside in &node.beside {
            open.extend(holding(beside, view, ask).into_iter().filter(|id| seen.insert(*id)));
        }
    }
    marks
}

/// The schemas beside one that take the value, where the one does.
fn holding(beside: &Beside, view: View<'_>, ask: &mut dyn Ask) -> Vec<Id> {
    match beside {
        Beside::Same(id) => vec![*id],
        Beside::All(list) => list.to_vec(),
        Beside::Any(list) | Beside::One(list) => {
            list.that_may_take(view).iter().copied().filter(|id| ask.takes(*id, view)).collect()
        }
        Beside::Not(_) => Vec::new(),
        Beside::If { condition, then, otherwise } => match ask.takes(*condition, view) {
            true => [Some(*condition), *then].into_iter().flatten().collect(),
            false => otherwise.iter().copied().collect(),
        },
        Beside::With(list) => match view.kind {
            Kind::Object(map) => list.iter().filter(|(name, _)| map.contains_key(&**name)).map(|(_, id)| *id).collect(),
            _ => Vec::new(),
        },
    }
}

/// What the keywords of one schema look at.
fn mark(node: &Node, view: View<'_>, ask: &mut dyn Ask, marks: &mut Marks) {
    match view.kind {
        Kind::Object(map) => {
            let members = node.object.iter().filter_map(|rule| match rule {
                OfObject::Members(members) => Some(members),
                _ => None,
            });
            for members in members {
                marks.is_all |= members.others.is_some();
                if marks.is_all {
                    break;
                }
                for (index, name) in map.keys().enumerate() {
                    let is_named = members.named(name).is_some();
                    if is_named || members.patterns.iter().any(|(pattern, _)| ask.finds(*pattern, name)) {
                        marks.set(index);
                    }
                }
            }
        }
        Kind::List(list) => {
            for rule in &node.list {
                match rule {
                    OfList::Items { first, rest } => {
                        marks.is_all |= rest.is_some();
                        (0..first.len().min(list.len())).for_each(|index| marks.set(index));
                    }
                    OfList::Contains { item, .. } => {
                        let found = list.iter().enumerate().filter(|(_, one)| ask.takes(*item, View::of(one)));
                        found.for_each(|(index, _)| marks.set(index));
                    }
                    OfList::Least(_) | OfList::Most(_) | OfList::Unique => {}
                }
            }
        }
        Kind::Null | Kind::Bool(_) | Kind::Number(_) | Kind::Text(_) => {}
    }
}
