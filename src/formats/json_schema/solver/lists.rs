//! Lists: the items that have to be there, each with what is said of it, and as many more as are asked for.

use serde_json::Value;

use super::datum::Datum;
use super::nodes::{Literal, Node};
use super::{Found, Solver};

/// Items that are looked at each by itself.
const MOST_ITEMS: usize = 300;
/// Items of a list that is made.
const MOST_MADE: usize = 20_000;

/// What is asked of a list.
#[derive(Debug, Default)]
struct Asked {
    /// What is said of the item at a position, if it is there.
    at: Vec<(usize, Literal)>,
    /// Of all from a position on.
    from: Vec<(usize, Literal)>,
    /// Of an item that has to be there.
    here: Vec<(usize, Literal)>,
    /// Of some item from a position on: several of one group are several items.
    some: Vec<(usize, Literal, usize)>,
    /// Of no more than so many items.
    few: Vec<(Literal, usize)>,
    least: usize,
    most: usize,
    is_distinct: bool,
    is_repeated: bool,
}

/// What is said of each item of a list that is being made, one by one.
type Items = Vec<Vec<Literal>>;

impl Solver<'_> {
    pub(super) fn list(&mut self, conditions: &[Literal]) -> Found<Datum> {
        let Some(asked) = self.asked_of_items(conditions) else { return Found::Unknown };
        let least = asked.least.max(asked.here.iter().map(|(at, _)| at + 1).max().unwrap_or(0));
        if least > asked.most || asked.is_distinct && asked.is_repeated {
            return Found::Nothing;
        }
        // From here on all positions are alike.
        let alike =
            asked.at.iter().map(|(at, _)| at + 1).chain(asked.from.iter().map(|(at, _)| *at)).max().unwrap_or(0);
        let more = asked.some.len() + if asked.is_repeated { 2 } else { 0 };
        let least_with_some = least.max(asked.some.iter().map(|(from, ..)| from + 1).max().unwrap_or(0));
        let most = least_with_some.max(alike).saturating_add(more).min(asked.most);
        if least > MOST_MADE {
            return Found::Unknown;
        }
        Found::first((least..=most).map(|length| self.list_of(&asked, length, alike)))
    }

    /// `None` where too many items are asked for.
    fn asked_of_items(&self, conditions: &[Literal]) -> Option<Asked> {
        let mut asked = Asked { most: usize::MAX, ..Asked::default() };
        for (group, literal) in conditions.iter().enumerate() {
            match (self.nodes.shared(*literal), literal.is_denied()) {
                (Node::Item(at, value), false) => asked.at.push((*at, *value)),
                (Node::Item(at, value), true) => asked.here.push((*at, value.denied())),
                (Node::ItemsFrom(from, value), false) => asked.from.push((*from, *value)),
                (Node::ItemsFrom(from, value), true) => asked.some.push((*from, value.denied(), group)),
                (Node::Contains(value, least, most), _) => {
                    if *least > MOST_ITEMS {
                        return None;
                    }
                    asked.some.extend((0..*least).map(|_| (0, *value, group)));
                    if *most < usize::MAX {
                        asked.few.push((*value, *most));
                    }
                }
                (Node::FewestItems(least), false) => asked.least = asked.least.max(*least),
                (Node::MostItems(most), true) => asked.least = asked.least.max(most.saturating_add(1)),
                (Node::MostItems(most), false) => asked.most = asked.most.min(*most),
                (Node::FewestItems(least), true) => asked.most = asked.most.min(least.saturating_sub(1)),
                (Node::Distinct, false) => asked.is_distinct = true,
                (Node::Distinct, true) => asked.is_repeated = true,
                _ => {}
            }
        }
        Some(asked)
    }

    /// A list of so many items.
    fn list_of(&mut self, asked: &Asked, length: usize, alike: usize) -> Found<Datum> {
        if asked.here.iter().any(|(at, _)| *at >= length) {
            return Found::Nothing;
        }
        // Items of which nothing is asked by itself are all like the last.
        let by_itself = length.min(alike + asked.some.len() + 2).max(if asked.is_distinct { length } else { 0 });
        if by_itself > MOST_ITEMS {
            return Found::Unknown;
        }
        let said_of = |at: usize| {
            let here =
                asked.at.iter().chain(&asked.here).filter(move |(index, _)| *index == at).map(|(_, value)| *value);
            here.chain(asked.from.iter().filter(move |(from, _)| *from <= at).map(|(_, value)| *value)).collect()
        };
        let items: Items = (0..by_itself).map(said_of).collect();
        let mut is_known = true;
        for item in &items {
            match self.value(item.clone()) {
                Found::Nothing => return Found::Nothing,
                Found::Unknown => is_known = false,
                Found::One(_) => {}
            }
        }
        self.with_some_items(asked, (0, Vec::new()), items, length).doubted(!is_known)
    }

    /// The same with the items that there have to be from a place on; `taken` are the positions of those before, by their groups.
    fn with_some_items(
        &mut self,
        asked: &Asked,
        (next, taken): (usize, Vec<(usize, usize)>),
        items: Items,
        length: usize,
    ) -> Found<Datum> {
        let Some((from, value, group)) = asked.some.get(next).copied() else {
            return self.with_few(asked, (0, 0), items, length);
        };
        if !self.may_go_on() {
            return Found::Unknown;
        }
        // Of those of one group each is after the one before: they are alike.
        let first = taken.iter().filter(|(of, _)| *of == group).map(|(_, at)| at + 1).max().unwrap_or(from);
        let first = first.max(from);
        Found::first((first..items.len()).map(|at| {
            // One that is as the one before shows nothing else.
            if at > first && items[at] == items[at - 1] && at + 1 < items.len() && !asked.is_repeated {
                return Found::Nothing;
            }
            let mut with = items.clone();
            with[at].push(value);
            if self.value(with[at].clone()) == Found::Nothing {
                return Found::Nothing;
            }
            let mut taken = taken.clone();
            taken.push((group, at));
            self.with_some_items(asked, (next + 1, taken), with, length)
        }))
    }

    /// The same where no more than so many items may be as some condition says: each is, or is not.
    fn with_few(&mut self, asked: &Asked, (few, at): (usize, usize), mut items: Items, length: usize) -> Found<Datum> {
        let Some((value, most)) = asked.few.get(few).copied() else { return self.with_repeated(asked, items, length) };
        if !self.may_go_on() {
            return Found::Unknown;
        }
        let count = items.iter().take(at).filter(|item| item.contains(&value)).count();
        if count > most {
            return Found::Nothing;
        }
        if at == items.len() {
            // Those that are like the last are as it is.
            let beyond = length - items.len();
            let is_last = items.last().is_some_and(|item| item.contains(&value));
            let is_fine = !is_last || count + beyond <= most;
            return if is_fine { self.with_few(asked, (few + 1, 0), items, length) } else { Found::Nothing };
        }
        if items[at].contains(&value) {
            return self.with_few(asked, (few, at + 1), items, length);
        }
        let mut with = items.clone();
        with[at].push(value.denied());
        let mut is_known = true;
        if self.value(with[at].clone()) != Found::Nothing {
            match self.with_few(asked, (few, at + 1), with, length) {
                Found::Nothing => {}
                Found::Unknown => is_known = false,
                found @ Found::One(_) => return found,
            }
        }
        items[at].push(value);
        let found = match self.value(items[at].clone()) {
            Found::Nothing => Found::Nothing,
            _ => self.with_few(asked, (few, at + 1), items, length),
        };
        if found == Found::Nothing && !is_known { Found::Unknown } else { found }
    }

    /// The same where two items are the same.
    fn with_repeated(&mut self, asked: &Asked, items: Items, length: usize) -> Found<Datum> {
        if !asked.is_repeated {
            return self.made(asked, &items, length);
        }
        if length > items.len() {
            // Those that are like the last are the same.
            return self.made(asked, &items, length);
        }
        let pairs = (0..items.len()).flat_map(|other| (0..other).map(move |one| (one, other)));
        Found::first(pairs.map(|(one, other)| {
            let both: Vec<Literal> = items[one].iter().chain(&items[other]).copied().collect();
            let value = match self.value(both) {
                Found::One(datum) => datum.value(),
                found => return found,
            };
            let Some(value) = value.map(|value| self.nodes.among([&value])) else { return Found::Unknown };
            let mut with = items.clone();
            with[one] = vec![value];
            with[other] = vec![value];
            self.made(asked, &with, length)
        }))
    }

    /// The list.
    fn made(&mut self, asked: &Asked, items: &Items, length: usize) -> Found<Datum> {
        let (mut list, mut denied): (Vec<Datum>, Vec<Literal>) = (Vec::new(), Vec::new());
        let are_alike = items.iter().all(|item| *item == items[0]);
        for item in items {
            let mut conditions = item.clone();
            conditions.extend(&denied);
            match self.value(conditions) {
                Found::One(datum) => {
                    if asked.is_distinct {
                        let Some(value) = datum.value() else { return Found::Unknown };
                        denied.push(self.nodes.among([&value]).denied());
                    }
                    list.push(datum);
                }
                // Other values before might have left one.
                Found::Nothing if denied.is_empty() || are_alike => return Found::Nothing,
                Found::Nothing | Found::Unknown => return Found::Unknown,
            }
        }
        let more = length.saturating_sub(list.len());
        if list.is_empty() && more > 0 {
            list.push(Datum::from(Value::Null));
            return Found::One(Datum::list(list, more - 1));
        }
        list.truncate(length);
        Found::One(Datum::list(list, more))
    }
}
