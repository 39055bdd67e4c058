//! Whether a datum is valid.
//!
//! What was found of a schema and a value is remembered where there is more than one way from the one to the other, as soon as
//! there was much to do. So the work grows with the schemas times the values, however schemas refer to each other.

use std::cmp::Ordering;

use rustc_hash::FxHashMap;
use serde_json::{Map, Value};

use super::node::{Arena, Beside, Id, Limit, Members, Node, OfList, OfNumber, OfObject, OfText, found_in};
use super::numbers::{Decimal, compare};
use super::pattern::Found;
use super::rest::{Ask, marks};
use super::values::{Kind, View, equal_items};

/// So many schemas are asked before anything is remembered.
const FEW: usize = 1_000;

/// One datum that is looked at.
pub(super) struct Run<'r> {
    pub(super) arena: &'r Arena,
    /// How many more schemas may be asked inside of each other.
    room: usize,
    steps: usize,
    known: FxHashMap<(Id, usize), bool>,
    rounds: Vec<Round>,
    /// Whether something could not be told.
    pub(super) met_limit: bool,
    /// Whether there was no more room.
    pub(super) is_too_deep: bool,
}

/// What is found of schemas that lead back to themselves, at one place: what was thought of each is compared with what it comes
/// to, until that is the same.
#[derive(Default)]
struct Round {
    /// The loop, and the place.
    of: (usize, usize),
    thought: FxHashMap<Id, bool>,
    /// Nothing where it is not known yet.
    found: FxHashMap<Id, Option<bool>>,
}

impl<'r> Run<'r> {
    pub(super) fn new(arena: &'r Arena, room: usize) -> Run<'r> {
        Run {
            arena,
            room,
            steps: 0,
            known: FxHashMap::default(),
            rounds: Vec::new(),
            met_limit: false,
            is_too_deep: false,
        }
    }

    /// Goes one level deeper.
    pub(super) const fn enter(&mut self) {
        self.is_too_deep |= self.room == 0;
        self.room = self.room.saturating_sub(1);
    }

    pub(super) const fn leave(&mut self) {
        self.room += 1;
    }

    fn asked(&mut self, id: Id, view: View<'_>) -> bool {
        if self.room == 0 || self.is_too_deep {
            self.is_too_deep = true;
            return false;
        }
        self.room -= 1;
        self.steps += 1;
        let node = self.arena.node(id);
        let is_valid = node.types.have(view.kind) && self.holds(id, node, view);
        self.room += 1;
        is_valid
    }

    fn holds(&mut self, id: Id, node: &Node, view: View<'_>) -> bool {
        let own = match view.kind {
            Kind::Null | Kind::Bool(_) => true,
            Kind::Number(number) => node.number.iter().all(|rule| rule.holds(number)),
            Kind::Text(text) => node.text.iter().all(|rule| self.text(rule, text)),
            Kind::List(list) => node.list.iter().all(|rule| self.list(rule, list)),
            Kind::Object(map) => node.object.iter().all(|rule| self.object(rule, map)),
        };
        own && node.values.iter().all(|values| values.have(view))
            && node.beside.iter().all(|beside| self.beside(beside, view))
            && self.left(id, node, view).is_none()
    }

    pub(super) fn text(&mut self, rule: &OfText, text: &str) -> bool {
        match rule {
            OfText::Least(least) => length(text) >= *least,
            OfText::Most(most) => text.len() as u64 <= *most || length(text) <= *most,
            OfText::Pattern(pattern) => self.finds(*pattern, text),
            OfText::Format(format) => format.has(text),
        }
    }

    pub(super) fn list(&mut self, rule: &OfList, list: &[Value]) -> bool {
        match rule {
            OfList::Least(least) => list.len() as u64 >= *least,
            OfList::Most(most) => list.len() as u64 <= *most,
            OfList::Unique => equal_items(list).is_none(),
            OfList::Items { first, rest } => {
                let count = first.len().min(list.len());
                first.iter().zip(list).all(|(id, item)| self.takes(*id, View::of(item)))
                    && rest.is_none_or(|rest| list[count..].iter().all(|item| self.takes(rest, View::of(item))))
            }
            OfList::Contains { item, least, most } => {
                let enough = most.map_or(*least, |most| most.saturating_add(1).max(*least));
                let count = self.contained(*item, list, enough);
                count >= *least && most.is_none_or(|most| count <= most)
            }
        }
    }

    /// How many items a schema takes, counted as far as it matters.
    pub(super) fn contained(&mut self, item: Id, list: &[Value], enough: u64) -> u64 {
        let mut count = 0;
        for one in list {
            if count >= enough {
                break;
            }
            count += u64::from(self.takes(item, View::of(one)));
        }
        count
    }

    pub(super) fn object(&mut self, rule: &OfObject, map: &Map<String, Value>) -> bool {
        match rule {
            OfObject::Least(least) => map.len() as u64 >= *least,
            OfObject::Most(most) => map.len() as u64 <= *most,
            OfObject::Required(names) => names.len() <= map.len() && names.are_in(map),
            OfObject::Dependent(all) => all.iter().all(|(name, needed)| {
                !map.contains_key(&**name) || needed.iter().all(|name| map.contains_key(&**name))
            }),
            OfObject::Members(members) => self.members(members, map),
            OfObject::Names(id) => map.keys().all(|name| self.takes(*id, View::of_name(name))),
        }
    }

    fn members(&mut self, members: &Members, map: &Map<String, Value>) -> bool {
        if members.patterns.is_empty() && members.others.is_none() && members.named.len() <= map.len() {
            let named = members.named.iter().map(|(name, id)| (&**name, id));
            return found_in(map, named).all(|(id, one)| one.is_none_or(|one| self.takes(*id, View::of(one))));
        }
        if members.patterns.is_empty() {
            let of_member = |(name, value): (&String, &Value)| {
                members.named(name).or(members.others).is_none_or(|id| self.takes(id, View::of(value)))
            };
            return map.iter().all(of_member);
        }
        map.iter()
            .all(|(name, value)| self.member(members, name, View::of(value), &mut |run, id, view| run.takes(id, view)))
    }

    /// Goes through the schemas of a member, as long as that is wanted.
    pub(super) fn member<'v>(
        &mut self,
        members: &Members,
        name: &str,
        view: View<'v>,
        each: &mut dyn FnMut(&mut Self, Id, View<'v>) -> bool,
    ) -> bool {
        let named = members.named(name);
        let mut is_met = named.is_some();
        if named.is_some_and(|id| !each(self, id, view)) {
            return false;
        }
        for (pattern, id) in &members.patterns {
            if self.finds(*pattern, name) {
                is_met = true;
                if !each(self, *id, view) {
                    return false;
                }
            }
        }
        is_met || members.others.is_none_or(|id| each(self, id, view))
    }

    pub(super) fn beside(&mut self, beside: &Beside, view: View<'_>) -> bool {
        match beside {
            Beside::Same(id) => self.takes(*id, view),
            Beside::All(list) => list.that_may_refuse(view).iter().all(|id| self.takes(*id, view)),
            Beside::Any(list) => list.that_may_take(view).iter().any(|id| self.takes(*id, view)),
            Beside::One(list) => {
                list.that_may_take(view).iter().filter(|id| self.takes(**id, view)).take(2).count() == 1
            }
            Beside::Not(id) => !self.takes(*id, view),
            Beside::If { condition, then, otherwise } => {
                let led = if self.takes(*condition, view) { then } else { otherwise };
                led.is_none_or(|id| self.takes(id, view))
            }
            Beside::With(list) => match view.kind {
                Kind::Object(map) => list.iter().all(|(name, id)| !map.contains_key(&**name) || self.takes(*id, view)),
                _ => true,
            },
        }
    }

    /// The first of the members or items that nothing looked at and that is not valid as such: its index, and its schema.
    pub(super) fn left(&mut self, id: Id, node: &Node, view: View<'_>) -> Option<(usize, Id)> {
        match (view.kind, node.left_items, node.left_members) {
            (Kind::List(list), Some(rest), _) => {
                let seen = marks(self.arena, id, view, self);
                let mut left = list.iter().enumerate().filter(|(index, _)| !seen.has(*index));
                left.find(|(_, item)| !self.takes(rest, View::of(item))).map(|(index, _)| (index, rest))
            }
            (Kind::Object(map), _, Some(rest)) => {
                let seen = marks(self.arena, id, view, self);
                let mut left = map.values().enumerate().filter(|(index, _)| !seen.has(*index));
                left.find(|(_, member)| !self.takes(rest, View::of(member))).map(|(index, _)| (index, rest))
            }
            _ => None,
        }
    }

    /// What a schema that leads back to itself says of a value.
    fn looped(&mut self, number: usize, id: Id, view: View<'_>) -> bool {
        if let Some(known) = self.known.get(&(id, view.place)) {
            return *known;
        }
        if self.rounds.last().is_some_and(|round| round.of == (number, view.place)) {
            return self.in_round(id, view);
        }
        self.rounds.push(Round { of: (number, view.place), ..Round::default() });
        // One schema more is found otherwise in each round, as long as nothing is turned round.
        for _ in 0..self.arena.looped + 2 {
            self.in_round(id, view);
            let Some(round) = self.rounds.last_mut() else { break };
            let found: FxHashMap<Id, bool> =
                std::mem::take(&mut round.found).into_iter().filter_map(|(id, found)| Some((id, found?))).collect();
            let is_same = found.iter().all(|(id, found)| round.thought.get(id).copied().unwrap_or(true) == *found);
            round.thought = found;
            if is_same || self.is_too_deep {
                break;
            }
        }
        let told = self.rounds.pop().map(|round| round.thought).unwrap_or_default();
        let own = told.get(&id).copied().unwrap_or(true);
        if !self.is_too_deep {
            self.known.extend(told.into_iter().map(|(id, told)| ((id, view.place), told)));
        }
        own
    }

    fn in_round(&mut self, id: Id, view: View<'_>) -> bool {
        let Some(round) = self.rounds.last_mut() else { return true };
        match round.found.get(&id) {
            Some(Some(found)) => return *found,
            Some(None) => return round.thought.get(&id).copied().unwrap_or(true),
            None => drop(round.found.insert(id, None)),
        }
        let found = self.asked(id, view);
        if let Some(round) = self.rounds.last_mut() {
            round.found.insert(id, Some(found));
        }
        found
    }
}

impl Ask for Run<'_> {
    fn takes(&mut self, id: Id, view: View<'_>) -> bool {
        let node = self.arena.node(id);
        if let Some(number) = node.looped {
            return self.looped(number, id, view);
        }
        if !node.is_remembered || self.steps < FEW {
            return self.asked(id, view);
        }
        if let Some(known) = self.known.get(&(id, view.place)) {
            return *known;
        }
        let is_valid = self.asked(id, view);
        if !self.is_too_deep {
            self.known.insert((id, view.place), is_valid);
        }
        is_valid
    }

    fn finds(&mut self, pattern: usize, text: &str) -> bool {
        match self.arena.patterns[pattern].find(text) {
            Found::Yes => true,
            Found::No => false,
            Found::Unknown => {
                self.met_limit = true;
                false
            }
        }
    }
}

/// How many characters a text has.
pub(super) fn length(text: &str) -> u64 {
    text.chars().count() as u64
}

impl OfNumber {
    pub(super) fn holds(&self, number: &serde_json::Number) -> bool {
        match self {
            OfNumber::Multiple(unit, _) => Decimal::of(number).is_multiple_of(*unit),
            OfNumber::Limit(limit, bound) => {
                let order = compare(number, bound);
                match limit {
                    Limit::Minimum => order != Ordering::Less,
                    Limit::Maximum => order != Ordering::Greater,
                    Limit::ExclusiveMinimum => order == Ordering::Greater,
                    Limit::ExclusiveMaximum => order == Ordering::Less,
                }
            }
        }
    }
}
