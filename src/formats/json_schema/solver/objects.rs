//! Objects: the members that have to be there, each with what is said of it, and as many more as are asked for.

use serde_json::Value;

use super::datum::Datum;
use super::nodes::{Literal, Node, Text};
use super::{Found, Solver};
use crate::ordered::{OrderedMap, OrderedSet};

/// Members that are made so that there are as many as are asked for.
const MOST_MADE: usize = 400;

/// What is asked of an object.
#[derive(Debug, Default)]
struct Asked {
    /// The members that have to be there, with what is asked of each beyond what is asked of all of the name.
    present: Members,
    absent: OrderedSet<Text>,
    named: OrderedMap<Text, Vec<Literal>>,
    matching: Vec<(Text, Literal)>,
    others: Vec<Rest>,
    names: Vec<Literal>,
    /// What some member has to be.
    some: Vec<Wanted>,
    least: usize,
    most: usize,
}

/// Members without some names and patterns, and what is said of them.
#[derive(Debug, Clone)]
struct Rest {
    names: Vec<Text>,
    patterns: Vec<Text>,
    value: Literal,
}

type Members = OrderedMap<Text, Vec<Literal>>;

/// A member that there has to be.
#[derive(Debug, Clone)]
struct Wanted {
    /// What its name is like: a pattern it matches, or it is among what is left, or a condition.
    pattern: Option<Text>,
    rest: Option<(Vec<Text>, Vec<Text>)>,
    name: Literal,
    value: Literal,
}

/// A member that is not named anywhere.
enum Fresh {
    Member(Text),
    Nothing,
    Unknown,
}

impl Solver<'_> {
    pub(super) fn object(&mut self, conditions: &[Literal]) -> Found<Datum> {
        let asked = self.asked_of_members(conditions);
        if asked.present.keys().any(|name| asked.absent.contains(name)) || asked.least > asked.most {
            return Found::Nothing;
        }
        let mut is_known = true;
        for (name, more) in &asked.present {
            match self.member(&asked, name, more) {
                Found::Nothing => return Found::Nothing,
                Found::Unknown => is_known = false,
                Found::One(_) => {}
            }
        }
        self.with_some(&asked, 0, &asked.present).doubted(!is_known)
    }

    fn asked_of_members(&self, conditions: &[Literal]) -> Asked {
        let mut asked = Asked { most: usize::MAX, ..Asked::default() };
        for literal in conditions {
            let some =
                |value: Literal| Wanted { pattern: None, rest: None, name: Literal::TRUE, value: value.denied() };
            match (self.nodes.shared(*literal), literal.is_denied()) {
                (Node::Required(name), false) => drop(asked.present.entry(name.clone()).or_default()),
                (Node::Required(name), true) => drop(asked.absent.insert(name.clone())),
                (Node::Member(name, value), false) => asked.named.entry(name.clone()).or_default().push(*value),
                (Node::Member(name, value), true) => {
                    asked.present.entry(name.clone()).or_default().push(value.denied());
                }
                (Node::Matching(pattern, value), false) => asked.matching.push((pattern.clone(), *value)),
                (Node::Matching(pattern, value), true) => {
                    asked.some.push(Wanted { pattern: Some(pattern.clone()), ..some(*value) });
                }
                (Node::Others(names, patterns, value), false) => {
                    asked.others.push(Rest { names: names.clone(), patterns: patterns.clone(), value: *value });
                }
                (Node::Others(names, patterns, value), true) => {
                    asked.some.push(Wanted { rest: Some((names.clone(), patterns.clone())), ..some(*value) });
                }
                (Node::Names(name), false) => asked.names.push(*name),
                (Node::Names(name), true) => {
                    asked.some.push(Wanted { name: name.denied(), ..some(Literal::FALSE) });
                }
                (Node::FewestMembers(least), false) => asked.least = asked.least.max(*least),
                (Node::MostMembers(most), true) => asked.least = asked.least.max(most.saturating_add(1)),
                (Node::MostMembers(most), false) => asked.most = asked.most.min(*most),
                (Node::FewestMembers(least), true) => asked.most = asked.most.min(least.saturating_sub(1)),
                _ => {}
            }
        }
        asked
    }

    /// What a member of a name may be.
    fn member(&mut self, asked: &Asked, name: &Text, more: &[Literal]) -> Found<Datum> {
        if asked.absent.contains(name) {
            return Found::Nothing;
        }
        let mut is_known = true;
        if !asked.names.is_empty() {
            let own = self.nodes.among([&Value::from(&**name)]);
            match self.value(asked.names.iter().copied().chain([own]).collect()) {
                Found::Nothing => return Found::Nothing,
                Found::Unknown => is_known = false,
                Found::One(_) => {}
            }
        }
        let mut conditions = more.to_vec();
        conditions.extend(asked.named.get(name).into_iter().flatten());
        for (pattern, value) in &asked.matching {
            match self.does_take((false, pattern), name) {
                Some(true) => conditions.push(*value),
                Some(false) => {}
                None => is_known = false,
            }
        }
        for rest in &asked.others {
            match self.is_rest(name, &rest.names, &rest.patterns) {
                Some(true) => conditions.push(rest.value),
                Some(false) => {}
                None => is_known = false,
            }
        }
        self.value(conditions).doubted(!is_known)
    }

    /// Whether a name is none of some and has none of some patterns.
    fn is_rest(&mut self, name: &Text, names: &[Text], patterns: &[Text]) -> Option<bool> {
        if names.contains(name) {
            return Some(false);
        }
        let mut is_known = true;
        for pattern in patterns {
            match self.does_take((false, pattern), name) {
                Some(true) => return Some(false),
                Some(false) => {}
                None => is_known = false,
            }
        }
        is_known.then_some(true)
    }

    /// An object with some members and those that there have to be from a place on.
    fn with_some(&mut self, asked: &Asked, at: usize, members: &Members) -> Found<Datum> {
        if members.len() > asked.most {
            return Found::Nothing;
        }
        let Some(some) = asked.some.get(at) else { return self.complete(asked, members) };
        if !self.may_go_on() {
            return Found::Unknown;
        }
        // Those that are there anyway first: of more members there may be too many.
        let known = named(asked).filter(|name| !members.contains_key(name));
        let candidates: Vec<Text> = members.keys().cloned().chain(known).collect();
        let mut is_known = true;
        for name in candidates {
            match self.is_such(some, &name) {
                Some(true) => {}
                Some(false) => continue,
                None => is_known = false,
            }
            let mut more = members.get(&name).cloned().unwrap_or_default();
            more.push(some.value);
            let found = match self.member(asked, &name, &more) {
                Found::Nothing => continue,
                Found::Unknown => Found::Unknown,
                Found::One(_) => {
                    let mut with = members.clone();
                    with.insert(name, more);
                    self.with_some(asked, at + 1, &with)
                }
            };
            match found {
                Found::Nothing => {}
                Found::Unknown => is_known = false,
                Found::One(_) => return found,
            }
        }
        let found = match self.fresh(asked, members, Some(some)) {
            Fresh::Member(name) => {
                let mut with = members.clone();
                with.insert(name, vec![some.value]);
                self.with_some(asked, at + 1, &with)
            }
            Fresh::Nothing => Found::Nothing,
            Fresh::Unknown => Found::Unknown,
        };
        if found == Found::Nothing && !is_known { Found::Unknown } else { found }
    }

    /// Whether a name is as that of a member that there has to be.
    fn is_such(&mut self, some: &Wanted, name: &Text) -> Option<bool> {
        if let Some(pattern) = &some.pattern {
            return self.does_take((false, pattern), name);
        }
        if let Some((names, patterns)) = &some.rest {
            return self.is_rest(name, names, patterns);
        }
        let own = self.nodes.among([&Value::from(&**name)]);
        match self.value(vec![own, some.name]) {
            Found::Nothing => Some(false),
            Found::One(_) => Some(true),
            Found::Unknown => None,
        }
    }

    /// The object, with as many members as are asked for.
    fn complete(&mut self, asked: &Asked, members: &Members) -> Found<Datum> {
        let (mut object, mut is_known) = (Vec::new(), true);
        for (name, more) in members {
            match self.member(asked, name, more) {
                Found::Nothing => return Found::Nothing,
                Found::Unknown => is_known = false,
                Found::One(datum) => object.push((name.clone(), datum)),
            }
        }
        if !is_known {
            return Found::Unknown;
        }
        let mut members = members.clone();
        let known: Vec<Text> = named(asked).collect();
        for name in known {
            if object.len() >= asked.least {
                break;
            }
            if !members.contains_key(&name) {
                match self.member(asked, &name, &[]) {
                    Found::Nothing => {}
                    Found::Unknown => is_known = false,
                    Found::One(datum) => {
                        object.push((name.clone(), datum));
                        members.insert(name, Vec::new());
                    }
                }
            }
        }
        if asked.least.saturating_sub(object.len()) > MOST_MADE {
            return Found::Unknown;
        }
        while object.len() < asked.least {
            let name = match self.fresh(asked, &members, None) {
                Fresh::Member(name) => name,
                Fresh::Nothing if is_known => return Found::Nothing,
                Fresh::Nothing | Fresh::Unknown => return Found::Unknown,
            };
            let Found::One(datum) = self.member(asked, &name, &[]) else { return Found::Unknown };
            object.push((name.clone(), datum));
            members.insert(name, Vec::new());
        }
        Found::One(Datum::object(object))
    }

    /// A name that is not named anywhere, of a member that may be there, and as one has to be.
    fn fresh(&mut self, asked: &Asked, members: &Members, some: Option<&Wanted>) -> Fresh {
        let mut names: Vec<Value> =
            named(asked).chain(members.keys().cloned()).map(|name| Value::from(&*name)).collect();
        names.extend(
            some.and_then(|some| some.rest.as_ref())
                .into_iter()
                .flat_map(|(names, _)| names)
                .map(|name| Value::from(&**name)),
        );
        let mut conditions = vec![self.nodes.texts(), self.nodes.among(&names).denied()];
        conditions.extend(&asked.names);
        if let Some(some) = some {
            conditions.push(some.name);
            conditions.extend(some.pattern.iter().map(|pattern| self.nodes.pattern(pattern)));
            let patterns = some.rest.iter().flat_map(|(_, patterns)| patterns);
            conditions.extend(patterns.map(|pattern| self.nodes.pattern(pattern).denied()));
        }
        let of_rest = asked.others.iter().flat_map(|rest| &rest.patterns);
        let patterns: OrderedSet<Text> =
            asked.matching.iter().map(|(pattern, _)| pattern).chain(of_rest).cloned().collect();
        let patterns: Vec<Literal> = patterns.iter().map(|pattern| self.nodes.pattern(pattern)).collect();
        let value = some.map(|some| some.value);
        self.fresh_of(asked, (conditions, &patterns), value)
    }

    /// The same with patterns of which it is not decided yet whether the name has them.
    fn fresh_of(
        &mut self,
        asked: &Asked,
        (conditions, patterns): (Vec<Literal>, &[Literal]),
        value: Option<Literal>,
    ) -> Fresh {
        if !self.may_go_on() {
            return Fresh::Unknown;
        }
        let name = match self.value(conditions.clone()) {
            Found::One(datum) => datum.text().map(Text::from),
            Found::Nothing => return Fresh::Nothing,
            Found::Unknown => None,
        };
        let Some(name) = name else { return Fresh::Unknown };
        let more: Vec<Literal> = value.into_iter().collect();
        let mut is_known = true;
        match self.member(asked, &name, &more) {
            Found::One(_) => return Fresh::Member(name),
            Found::Nothing => {}
            Found::Unknown => is_known = false,
        }
        // No name with the same patterns is any better: another one has one that this has not, or the other way round.
        let mut conditions = conditions;
        for (index, pattern) in patterns.iter().enumerate() {
            let Node::Pattern(text) = self.nodes.shared(*pattern) else { continue };
            let text = text.clone();
            let Some(has) = self.does_take((false, &text), &name) else { return Fresh::Unknown };
            let own = pattern.with(!has);
            if !conditions.contains(&own) {
                let other = conditions.iter().copied().chain([own.denied()]).collect();
                match self.fresh_of(asked, (other, &patterns[index + 1..]), value) {
                    found @ Fresh::Member(_) => return found,
                    Fresh::Nothing => {}
                    Fresh::Unknown => is_known = false,
                }
                conditions.push(own);
            }
        }
        if is_known { Fresh::Nothing } else { Fresh::Unknown }
    }
}

/// The names that are named, but those of members that may not be there.
fn named(asked: &Asked) -> impl Iterator<Item = Text> + use<> {
    let of_rest = asked.others.iter().flat_map(|rest| &rest.names);
    let of_some = asked.some.iter().filter_map(|some| some.rest.as_ref()).flat_map(|(names, _)| names);
    let all: OrderedSet<Text> = asked
        .named
        .keys()
        .chain(of_rest)
        .chain(of_some)
        .chain(&asked.absent)
        .chain(asked.present.keys())
        .cloned()
        .collect();
    all.into_iter()
}
