//! What one document takes and another one does not: a value that shows it, or that there is none.
//!
//! A value has to be as some conditions say. What they say together is divided into cases until each is plain: one kind of
//! value, of which nothing is left to choose. A plain case is a range of numbers, a text between automata, or members and items,
//! each with conditions of its own. A value for which the same is asked as for one around it need not be looked for: if there
//! is any, there is one without. What is too much to be divided, and what no automaton knows, is not known.

mod cases;
mod datum;
mod decimal;
mod founded;
mod gaps;
mod left;
mod lists;
mod members;
mod nodes;
mod numbers;
mod objects;
mod texts;

use std::cell::{Cell, OnceCell};
use std::io::{ErrorKind, Write};
use std::rc::Rc;
use std::sync::Arc;

use rustc_hash::FxHashMap;
use serde_json::{Map, Value, json};

use self::datum::Datum;
use self::founded::is_founded;
use self::gaps::has_turned_gap;
pub(super) use self::gaps::of_gap;
use self::members::Reach;
use self::nodes::{Kind, Literal, Nodes, Place, Text};
use super::patterns::Finders;
use super::reader::Reader;
use crate::ordered::InOrder as _;
use crate::parallel::with_deep_stack;

/// Cases that are looked at.
const MOST_STEPS: usize = 60_000;
/// Conditions that are looked at in all cases together, those of wide ones over and over, and bytes of texts that are walked.
const MOST_LOOKS: usize = 100_000_000;
/// The same for all that is proven of one document in one direction.
pub(super) const LOOKS_OF_ALL: usize = 2 * MOST_LOOKS;
/// Larger documents are not looked at.
const LARGEST: usize = 400_000;
/// How deep values are looked into.
const DEEPEST: usize = 120;

/// What is known of values that are as some conditions say.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Found<V = Value> {
    /// There is none.
    Nothing,
    /// One of them.
    One(V),
    Unknown,
}

impl Found {
    /// The document of the value that was found.
    pub(super) fn document(self) -> Option<Value> {
        match self {
            Found::One(value) => Some(json!({ "const": value })),
            Found::Nothing | Found::Unknown => None,
        }
    }
}

/// A document of which it is asked what another one takes of what it does.
pub(super) struct Form {
    document: Value,
    /// Whether it says something of each value, found out when it is first asked of.
    is_defined: OnceCell<bool>,
    finders: Arc<Finders>,
    /// How much may still be looked at, by all who are asked.
    left: Rc<Cell<usize>>,
}

impl Form {
    /// `None` where the document is too large to be asked of.
    pub(super) fn new(document: Value, finders: &Arc<Finders>, left: &Rc<Cell<usize>>) -> Option<Form> {
        let is_small = serde_json::to_writer(Room(LARGEST), &document).is_ok();
        let is_defined = OnceCell::new();
        is_small.then(|| Form { document, is_defined, finders: finders.clone(), left: left.clone() })
    }

    fn is_defined(&self) -> bool {
        *self.is_defined.get_or_init(|| is_defined(&self.document))
    }

    /// A value of this document that another one refuses.
    pub(super) fn refused_by(&self, reader: &Form) -> Found {
        if self.left.get() == 0 || !self.is_defined() || !reader.is_defined() {
            return Found::Unknown;
        }
        let (found, looks) = taken_by_first([&self.document, &reader.document], &self.finders, self.left.get());
        self.left.set(self.left.get().saturating_sub(looks));
        found
    }

    /// Whether it is proven that all data of another document are valid.
    pub(super) fn covers(&self, writer: &Form) -> bool {
        writer.refused_by(self) == Found::Nothing
    }
}

/// Whether it is defined what a document says of each value.
fn is_defined(document: &Value) -> bool {
    is_founded(document) && !has_turned_gap(document)
}

/// Room for so many bytes, of which nothing is kept.
struct Room(usize);

impl Write for Room {
    fn write(&mut self, part: &[u8]) -> std::io::Result<usize> {
        self.0 = self.0.checked_sub(part.len()).ok_or(ErrorKind::WriteZero)?;
        Ok(part.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// A value that one document takes and another does not, where so much may be looked at, and how much was.
fn taken_by_first([first, second]: [&Value; 2], finders: &Finders, left: usize) -> (Found, usize) {
    let look = || {
        let mut nodes = Nodes::new([first, second]);
        let taken = nodes.schema(Place { schema: first, document: 0 });
        let refused = nodes.schema(Place { schema: second, document: 1 });
        let mut solver = Solver::of(nodes, finders, left.min(MOST_LOOKS));
        let found = solver.value(vec![taken, refused.denied()]);
        (found.written(), solver.looks.get())
    };
    with_deep_stack(look).unwrap_or((Found::Unknown, 0))
}

/// A text for which all is known that is asked of it.
type Sought = (Vec<Text>, Vec<Text>, usize, usize);

/// What is known on the way.
struct Solver<'d> {
    nodes: Nodes<'d>,
    finders: &'d Finders,
    known: FxHashMap<Vec<Literal>, Found<Datum>>,
    /// What is being looked for, from the outside to the inside, by how deep it is.
    open: FxHashMap<Vec<Literal>, usize>,
    /// Of what there is nothing as long as there is none of what is around: in the order in which it was found.
    assumed: Vec<Vec<Literal>>,
    /// The outermost of what is around on which each of these depends.
    assumed_in: FxHashMap<Vec<Literal>, usize>,
    /// The outermost of what is being looked for on which something depends.
    depends_on: usize,
    plain: FxHashMap<(Kind, Vec<Literal>), Found<Datum>>,
    readers: FxHashMap<(bool, Text), Option<Reader>>,
    texts: FxHashMap<Sought, Option<Option<String>>>,
    /// Texts that were made of patterns.
    made: FxHashMap<Text, Rc<[Text]>>,
    reaches: FxHashMap<Literal, Rc<Reach>>,
    steps: usize,
    looks: Cell<usize>,
    most_looks: usize,
}

const NOTHING_AROUND: usize = usize::MAX;

impl<'d> Solver<'d> {
    fn of(nodes: Nodes<'d>, finders: &'d Finders, most_looks: usize) -> Solver<'d> {
        Solver {
            nodes,
            finders,
            known: FxHashMap::default(),
            open: FxHashMap::default(),
            assumed: Vec::new(),
            assumed_in: FxHashMap::default(),
            depends_on: NOTHING_AROUND,
            plain: FxHashMap::default(),
            readers: FxHashMap::default(),
            texts: FxHashMap::default(),
            made: FxHashMap::default(),
            reaches: FxHashMap::default(),
            steps: 0,
            looks: Cell::new(0),
            most_looks,
        }
    }

    /// Takes a step, of which there are so many.
    const fn may_go_on(&mut self) -> bool {
        self.steps += 1;
        self.steps <= MOST_STEPS && self.looks.get() <= self.most_looks
    }

    /// Accounts for what is looked at.
    fn looks_at(&self, count: usize) {
        self.looks.set(self.looks.get().saturating_add(count));
    }

    /// A value of which some conditions hold.
    fn value(&mut self, mut conditions: Vec<Literal>) -> Found<Datum> {
        conditions.sort_in_order();
        conditions.dedup();
        conditions.retain(|one| *one != Literal::TRUE);
        self.looks_at(conditions.len());
        let is_there = |one: &Literal| conditions.binary_search(one).is_ok();
        if is_there(&Literal::FALSE) || conditions.iter().any(|one| is_there(&one.denied())) {
            return Found::Nothing;
        }
        if let Some(known) = self.known.get(&conditions) {
            return known.clone();
        }
        if let Some(depth) = self.open.get(&conditions).or_else(|| self.assumed_in.get(&conditions)) {
            self.depends_on = self.depends_on.min(*depth);
            return Found::Nothing;
        }
        let (depth, around) = (self.open.len(), self.depends_on);
        if depth > DEEPEST || !self.may_go_on() {
            return Found::Unknown;
        }
        let before = self.assumed.len();
        self.open.insert(conditions.clone(), depth);
        self.depends_on = NOTHING_AROUND;
        let found = Found::first(Kind::EACH.into_iter().map(|kind| self.of_kind(kind, &conditions)));
        self.open.remove(&conditions);
        let own = self.depends_on;
        self.depends_on = around;
        match &found {
            Found::Nothing if own < depth => {
                self.depends_on = around.min(own);
                self.assumed_in.insert(conditions.clone(), own);
                self.assumed.push(conditions);
            }
            Found::Nothing => {
                for assumed in self.assumed.split_off(before) {
                    self.assumed_in.remove(&assumed);
                    self.known.insert(assumed, Found::Nothing);
                }
                self.known.insert(conditions, found.clone());
            }
            Found::One(_) | Found::Unknown => {
                for assumed in self.assumed.split_off(before) {
                    self.assumed_in.remove(&assumed);
                }
                self.known.insert(conditions, found.clone());
            }
        }
        found
    }

    /// A value of one kind of which nothing is left to choose.
    fn plain_of(&mut self, kind: Kind, conditions: &[Literal]) -> Found<Datum> {
        let mut key = (kind, conditions.to_vec());
        key.1.sort_in_order();
        if let Some(known) = self.plain.get(&key) {
            return known.clone();
        }
        let around = std::mem::replace(&mut self.depends_on, NOTHING_AROUND);
        let found = match kind {
            Kind::NULL => self.listed_of([Value::Null], conditions),
            Kind::BOOLEAN => self.listed_of([Value::Bool(true), Value::Bool(false)], conditions),
            Kind::TEXT => self.text(conditions),
            Kind::LIST => self.list(conditions),
            Kind::OBJECT => self.object(conditions),
            _ => self.number(kind, conditions),
        };
        if self.depends_on == NOTHING_AROUND {
            self.plain.insert(key, found.clone());
        }
        self.depends_on = self.depends_on.min(around);
        found
    }

    /// One of some values that conditions allow.
    fn listed_of<const N: usize>(&self, values: [Value; N], conditions: &[Literal]) -> Found<Datum> {
        let listed = self.listed(conditions);
        values.into_iter().find(|value| listed.allow(value)).map_or(Found::Nothing, Found::plain)
    }

    /// The values that conditions list: those that may be, and those that may not.
    fn listed(&self, conditions: &[Literal]) -> Listed<'_> {
        let mut listed = Listed { allowed: None, denied: Vec::new() };
        for literal in conditions {
            if let nodes::Node::Among(numbers) = self.nodes.shared(*literal) {
                match (literal.is_denied(), &mut listed.allowed) {
                    (true, _) => listed.denied.extend(numbers.iter().map(|number| self.nodes.value(*number))),
                    (false, Some(allowed)) => allowed.retain(|(number, _)| numbers.contains(number)),
                    (false, none) => {
                        *none = Some(numbers.iter().map(|number| (*number, self.nodes.value(*number))).collect());
                    }
                }
            }
        }
        listed
    }

    /// What takes the texts in which a pattern is found, or that have a format.
    fn does_take(&mut self, (is_format, of): (bool, &Text), text: &str) -> Option<bool> {
        let make = || {
            let keyword = if is_format { "format" } else { "pattern" };
            Reader::new(&Value::Object(Map::from_iter([(keyword.to_owned(), Value::from(&**of))])))
        };
        let reader = self.readers.entry((is_format, of.clone())).or_insert_with(make).as_ref()?;
        let value = Value::from(text);
        let does_take = reader.takes(&value);
        (does_take || reader.refuses(&value).is_some()).then_some(does_take)
    }
}

/// Values that are listed.
struct Listed<'s> {
    allowed: Option<Vec<(usize, &'s Value)>>,
    denied: Vec<&'s Value>,
}

impl Listed<'_> {
    fn allow(&self, value: &Value) -> bool {
        let is = |one: &Value| super::same::equal(one, value);
        !self.denied.iter().any(|one| is(one))
            && self.allowed.as_ref().is_none_or(|allowed| allowed.iter().any(|(_, one)| is(one)))
    }
}

#[cfg(test)]
#[path = "solver_tests.rs"]
mod tests;
