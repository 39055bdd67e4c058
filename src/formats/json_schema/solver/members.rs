//! What follows for the members of an object from what is plain of it, as far as that is seen at once: branches that differ in
//! a tag, or in the members that they have, need not be divided any further.

use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::Solver;
use super::nodes::{Kind, Literal, Node, Text};

/// How deep conditions are looked into.
const DEEPEST: usize = 6;

/// What the values that are as a condition says are at most.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Reach {
    kinds: Kind,
    /// Those that it lists, by their numbers; `None` where it lists none.
    values: Option<Vec<usize>>,
}

impl Reach {
    const ALL: Reach = Reach { kinds: Kind::ALL, values: None };

    fn and(&self, other: &Reach) -> Reach {
        let values = match (&self.values, &other.values) {
            (Some(one), Some(two)) => Some(one.iter().copied().filter(|value| two.contains(value)).collect()),
            (one, two) => one.clone().or_else(|| two.clone()),
        };
        Reach { kinds: self.kinds.and(other.kinds), values }
    }

    fn is_empty(&self) -> bool {
        self.kinds == Kind::NONE || self.values.as_ref().is_some_and(Vec::is_empty)
    }
}

/// What is plain of the members of an object.
#[derive(Debug, Default)]
pub(super) struct Members {
    reaches: FxHashMap<Text, Reach>,
    present: FxHashSet<Text>,
    absent: FxHashSet<Text>,
    /// Each time the names of all members that there may be.
    closed: Vec<Vec<Text>>,
}

impl Members {
    fn is_absent(&self, name: &Text) -> bool {
        self.absent.contains(name) || self.closed.iter().any(|names| !names.contains(name))
    }
}

impl Solver<'_> {
    /// What plain conditions say of the members of an object.
    pub(super) fn members_of(&mut self, plain: &[Literal]) -> Members {
        self.looks_at(plain.len());
        let mut members = Members::default();
        for literal in plain {
            match (&*self.nodes.node(*literal), literal.is_denied()) {
                (Node::Required(name), false) => drop(members.present.insert(name.clone())),
                (Node::Required(name), true) => drop(members.absent.insert(name.clone())),
                (Node::Member(name, value), is_denied) => {
                    if is_denied {
                        members.present.insert(name.clone());
                    }
                    let reach = self.reach(value.with(is_denied), 0);
                    let known = members.reaches.entry(name.clone()).or_insert(Reach::ALL);
                    *known = known.and(&reach);
                }
                (Node::Others(names, patterns, Literal::FALSE), false) if patterns.is_empty() => {
                    members.closed.push(names.clone());
                }
                _ => {}
            }
        }
        members
    }

    /// Whether a condition holds of objects with such members, where that is seen.
    pub(super) fn follows(&mut self, literal: Literal, members: &Members, depth: usize) -> Option<bool> {
        if depth > DEEPEST {
            return None;
        }
        let found = match &*self.nodes.node(literal) {
            Node::Required(name) if members.present.contains(name) => Some(true),
            Node::Required(name) if members.is_absent(name) => Some(false),
            Node::Member(name, _) if members.is_absent(name) => Some(true),
            Node::Member(name, value) => members.reaches.get(name).and_then(|reach| {
                if self.includes(*value, reach, 0) {
                    Some(true)
                } else if members.present.contains(name) && self.excludes(*value, reach) {
                    Some(false)
                } else {
                    None
                }
            }),
            Node::Others(names, patterns, Literal::FALSE) if patterns.is_empty() => {
                if members.present.iter().any(|name| !names.contains(name)) {
                    Some(false)
                } else {
                    let is_within = |closed: &Vec<Text>| closed.iter().all(|name| names.contains(name));
                    members.closed.iter().any(is_within).then_some(true)
                }
            }
            Node::All(parts) => {
                self.looks_at(parts.len());
                let mut all = Some(true);
                for part in parts {
                    match self.follows(*part, members, depth + 1) {
                        Some(true) => {}
                        Some(false) => return Some(literal.is_denied()),
                        None => all = None,
                    }
                }
                all
            }
            Node::Defined(number) => {
                let defined = self.nodes.defined(*number);
                self.follows(defined, members, depth + 1)
            }
            Node::Kinds(kinds) => Some(Kind::OBJECT.is_in(*kinds)),
            _ => None,
        };
        found.map(|holds| holds != literal.is_denied())
    }

    /// What the values that are as a condition says are at most.
    fn reach(&mut self, literal: Literal, depth: usize) -> Rc<Reach> {
        if let Some(known) = self.reaches.get(&literal) {
            return Rc::clone(known);
        }
        let reach = match (&*self.nodes.node(literal), literal.is_denied()) {
            (Node::Kinds(kinds), false) => Reach { kinds: *kinds, values: None },
            (Node::Kinds(kinds), true) => Reach { kinds: kinds.denied(), values: None },
            (Node::Among(numbers), false) => Reach { kinds: self.kinds_of(numbers), values: Some(numbers.clone()) },
            (Node::All(parts), false) if depth < DEEPEST => {
                self.looks_at(parts.len());
                parts.iter().fold(Reach::ALL, |reach, part| reach.and(&self.reach(*part, depth + 1)))
            }
            (Node::Defined(number), false) if depth < DEEPEST => {
                let defined = self.nodes.defined(*number);
                (*self.reach(defined, depth + 1)).clone()
            }
            // What is not looked into is not kept: from elsewhere it is seen.
            (Node::All(_) | Node::Defined(_), false) => return Rc::new(Reach::ALL),
            _ => Reach::ALL,
        };
        let reach = Rc::new(reach);
        if depth == 0 {
            self.reaches.insert(literal, Rc::clone(&reach));
        }
        reach
    }

    fn kinds_of(&self, numbers: &[usize]) -> Kind {
        numbers.iter().map(|number| Kind::of(self.nodes.value(*number))).fold(Kind::NONE, Kind::or)
    }

    /// Whether all values of a reach are as a condition says.
    fn includes(&mut self, literal: Literal, reach: &Reach, depth: usize) -> bool {
        if literal == Literal::TRUE || reach.is_empty() {
            return true;
        }
        match (&*self.nodes.node(literal), literal.is_denied()) {
            (Node::Kinds(kinds), is_denied) => {
                let kinds = if is_denied { *kinds } else { kinds.denied() };
                reach.kinds.and(kinds) == Kind::NONE
            }
            (Node::Among(numbers), false) => {
                reach.values.as_ref().is_some_and(|values| values.iter().all(|value| numbers.contains(value)))
            }
            (Node::Among(numbers), true) => {
                let is_apart = |values: &Vec<usize>| !values.iter().any(|value| numbers.contains(value));
                reach.kinds.and(self.kinds_of(numbers)) == Kind::NONE || reach.values.as_ref().is_some_and(is_apart)
            }
            (Node::All(parts), false) if depth < DEEPEST => {
                self.looks_at(parts.len());
                parts.iter().all(|part| self.includes(*part, reach, depth + 1))
            }
            (Node::Defined(number), is_denied) if depth < DEEPEST => {
                let defined = self.nodes.defined(*number);
                self.includes(defined.with(is_denied), reach, depth + 1)
            }
            _ => false,
        }
    }

    /// Whether no value of a reach is as a condition says.
    fn excludes(&mut self, literal: Literal, reach: &Reach) -> bool {
        self.reach(literal, 0).and(reach).is_empty() || self.includes(literal.denied(), reach, 0)
    }
}
