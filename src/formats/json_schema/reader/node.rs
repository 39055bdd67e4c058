//! A document as readers have it: schemas by numbers, each with its keywords by what they look at.

use std::ops::Deref;

use rustc_hash::FxHashMap;
use serde_json::{Map, Number, Value};

use super::numbers::{Decimal, is_whole};
use super::pattern::Pattern;
use super::texts::Format;
use super::values::{Kind, Values};
use crate::ordered::InOrder as _;

/// A schema of a document, by its number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Id(pub(super) u32);

/// A set of types.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Types(pub(super) u8);

/// The types by name, each with its bit. An integer is a number without a fraction.
pub(super) const TYPES: [(&str, u8); 7] =
    [("null", 1), ("boolean", 2), ("integer", 4), ("number", 4 | 8), ("string", 16), ("array", 32), ("object", 64)];

impl Types {
    pub(super) const ALL: Types = Types(127);
    pub(super) const NONE: Types = Types(0);

    pub(super) fn have(self, kind: Kind<'_>) -> bool {
        let bit = match kind {
            Kind::Null => 1,
            Kind::Bool(_) => 2,
            Kind::Number(number) => match self.0 & 12 {
                0 => return false,
                4 => return is_whole(number),
                _ => 8,
            },
            Kind::Text(_) => 16,
            Kind::List(_) => 32,
            Kind::Object(_) => 64,
        };
        self.0 & bit != 0
    }
}

/// A limit of numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Limit {
    Minimum,
    Maximum,
    ExclusiveMinimum,
    ExclusiveMaximum,
}

/// What is asked of numbers.
#[derive(Debug)]
pub(super) enum OfNumber {
    Limit(Limit, Number),
    Multiple(Decimal, Number),
}

/// What is asked of texts.
#[derive(Debug)]
pub(super) enum OfText {
    Least(u64),
    Most(u64),
    Pattern(usize),
    Format(Format),
}

/// What is asked of lists.
#[derive(Debug)]
pub(super) enum OfList {
    Least(u64),
    Most(u64),
    Unique,
    Items { first: Vec<Id>, rest: Option<Id> },
    Contains { item: Id, least: u64, most: Option<u64> },
}

/// What is asked of objects.
#[derive(Debug)]
pub(super) enum OfObject {
    Least(u64),
    Most(u64),
    Required(Names),
    Dependent(Vec<(Box<str>, Vec<Box<str>>)>),
    Members(Members),
    Names(Id),
}

/// Names of members, each once.
#[derive(Debug)]
pub(super) struct Names {
    /// As they are written.
    list: Vec<Box<str>>,
    sorted: Vec<Box<str>>,
}

impl From<Vec<Box<str>>> for Names {
    fn from(list: Vec<Box<str>>) -> Names {
        let mut sorted = list.clone();
        sorted.sort_in_order();
        sorted.dedup();
        Names { list, sorted }
    }
}

impl Names {
    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.sorted.len()
    }

    /// As they are written.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Box<str>> {
        self.list.iter()
    }

    /// Whether an object has them all.
    pub(super) fn are_in(&self, map: &Map<String, Value>) -> bool {
        found_in(map, self.sorted.iter().map(|name| (&**name, ()))).all(|((), value)| value.is_some())
    }
}

/// What an object has under each of some names that come in order. Where these are nearly as many as its members, both are
/// gone through side by side.
pub(super) fn found_in<'n, 'm, T>(
    map: &'m Map<String, Value>,
    names: impl ExactSizeIterator<Item = (&'n str, T)>,
) -> impl Iterator<Item = (T, Option<&'m Value>)> {
    let is_near = names.len() > FEW && names.len() > map.len() / FEW;
    let mut members = map.iter().peekable();
    names.map(move |(name, what)| {
        if !is_near {
            return (what, map.get(name));
        }
        while members.next_if(|(member, _)| ***member < *name).is_some() {}
        (what, members.next_if(|(member, _)| ***member == *name).map(|(_, value)| value))
    })
}

/// More names than this are looked up by hashes.
const FEW: usize = 6;

/// The schemas of members.
#[derive(Debug)]
pub(super) struct Members {
    /// By names.
    pub(super) named: Vec<(Box<str>, Id)>,
    by_name: FxHashMap<Box<str>, Id>,
    /// By the numbers of patterns.
    pub(super) patterns: Vec<(usize, Id)>,
    /// Of all others.
    pub(super) others: Option<Id>,
}

impl Members {
    pub(super) fn new(named: Vec<(Box<str>, Id)>, patterns: Vec<(usize, Id)>, others: Option<Id>) -> Members {
        let looked_up = if named.len() > FEW { &*named } else { &[] };
        let by_name = looked_up.iter().cloned().collect();
        Members { named, by_name, patterns, others }
    }

    /// The schema that a name has of its own.
    pub(super) fn named(&self, name: &str) -> Option<Id> {
        if self.named.len() > FEW {
            return self.by_name.get(name).copied();
        }
        self.named.iter().find(|(one, _)| **one == *name).map(|(_, id)| *id)
    }
}

/// Several schemas that look at the same value.
#[derive(Debug)]
pub(super) struct Several {
    pub(super) ids: Vec<Id>,
    pub(super) index: Option<Index>,
}

/// What tells which of very many schemas have to be asked of an object.
#[derive(Debug)]
pub(super) enum Index {
    /// Some say nothing but what members of certain names are.
    OfMembers { named: FxHashMap<Box<str>, Vec<Id>>, rest: Vec<Id> },
    /// Some list the texts that one member may be.
    Tagged {
        name: Box<str>,
        by_text: FxHashMap<Box<str>, Vec<Id>>,
        /// Those of them that do not ask for the member.
        without: Vec<Id>,
        rest: Vec<Id>,
    },
}

impl From<Vec<Id>> for Several {
    fn from(ids: Vec<Id>) -> Several {
        Several { ids, index: None }
    }
}

impl Deref for Several {
    type Target = [Id];

    fn deref(&self) -> &[Id] {
        &self.ids
    }
}

/// What is asked of the same value by other schemas.
#[derive(Debug)]
pub(super) enum Beside {
    Same(Id),
    All(Several),
    Any(Several),
    One(Several),
    Not(Id),
    If {
        condition: Id,
        then: Option<Id>,
        otherwise: Option<Id>,
    },
    /// Where a member is there.
    With(Vec<(Box<str>, Id)>),
}

impl Beside {
    /// The schemas that look at the same value.
    pub(super) fn schemas(&self) -> Vec<Id> {
        match self {
            Beside::Same(id) | Beside::Not(id) => vec![*id],
            Beside::All(list) | Beside::Any(list) | Beside::One(list) => list.to_vec(),
            Beside::If { condition, then, otherwise } => {
                [Some(*condition), *then, *otherwise].into_iter().flatten().collect()
            }
            Beside::With(list) => list.iter().map(|(_, id)| *id).collect(),
        }
    }
}

/// One schema.
#[derive(Debug)]
pub(super) struct Node {
    pub(super) types: Types,
    pub(super) values: Vec<Values>,
    pub(super) number: Vec<OfNumber>,
    pub(super) text: Vec<OfText>,
    pub(super) list: Vec<OfList>,
    pub(super) object: Vec<OfObject>,
    pub(super) beside: Vec<Beside>,
    /// What is asked of items and members that nothing else looked at.
    pub(super) left_items: Option<Id>,
    pub(super) left_members: Option<Id>,
    /// Whether there is more than one way to it, and more behind it than itself.
    pub(super) is_remembered: bool,
    /// The loop that it is in, where it leads back to itself at the same value.
    pub(super) looped: Option<usize>,
}

impl Node {
    /// One that takes everything.
    pub(super) const fn new() -> Node {
        Node {
            types: Types::ALL,
            values: Vec::new(),
            number: Vec::new(),
            text: Vec::new(),
            list: Vec::new(),
            object: Vec::new(),
            beside: Vec::new(),
            left_items: None,
            left_members: None,
            is_remembered: false,
            looped: None,
        }
    }
}

/// A document. The first schema is that of the whole.
#[derive(Debug, Default)]
pub(super) struct Arena {
    pub(super) nodes: Vec<Node>,
    pub(super) patterns: Vec<Pattern>,
    /// How many schemas are in loops.
    pub(super) looped: usize,
}

impl Arena {
    pub(super) const ROOT: Id = Id(0);

    pub(super) fn node(&self, id: Id) -> &Node {
        &self.nodes[id.0 as usize]
    }
}

/// Schemas that are found again by something.
pub(super) type Known<K> = FxHashMap<K, Id>;
