//! What is written of one pair of types in one direction, and in which order, so that the work is bounded.
//!
//! The budget counts values, not messages: a message of a wide type is wide, so a fixed number of messages is quadratic
//! work. As long as the budget suffices, every value of every element is written in the order in which a language makes
//! them. Where it does not, all elements are given their first value together, then their second, as far as three quarters
//! of the budget go; then each a message of its own with its first value; then all an equal share of what is left. So every
//! element gets something, and what did not get everything is told.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use crate::change::Identity;
use crate::text::plural;
use crate::value::{Record, Value};

/// Values that are written of one pair in one direction.
pub(in crate::formats) const BUDGET: usize = 1 << 17;
/// What a message costs beside its values.
pub(in crate::formats) const MESSAGE: usize = 16;
/// Values that may be made for each that may be written.
const MADE: usize = 32;
/// Values that are kept for the next round, of all elements together.
const KEPT: usize = 1 << 18;
/// An element with more values than this takes part in the first round only: they are made anew for every round.
const MANY: usize = 1 << 10;

/// The elements of a type that deserve values of their own, numbered from 0.
pub(in crate::formats) trait Variations {
    /// How many there are.
    fn count(&self) -> usize;
    /// What identifies an element, or anything in it that has values only here.
    fn identities(&self, element: usize) -> Vec<Identity>;
    /// How many values a message has beside that of the element.
    fn width(&self) -> usize;
    /// What everything that is written for a value of an element costs, beside the value.
    fn cost(&self) -> usize {
        MESSAGE + self.width()
    }
    /// The values that an element is given, the most telling first. They may be made anew whenever they are asked for.
    fn values(&self, element: usize) -> Vec<Value>;
    /// The small data in which an element has a value: by itself, and where that tells more, beside another.
    fn alone(&self, element: usize, value: Value) -> Vec<Value>;
    /// Data in which as many elements as possible have the values given, and which these are.
    fn together(&self, values: &mut dyn Iterator<Item = (usize, Value)>) -> (Value, Vec<usize>);
    /// Writes everything that is worth writing of an element: by itself, with others, among all others.
    fn write_all(&self, element: usize, values: Vec<Value>, outlet: &mut Outlet<'_>) {
        for wrote in values.into_iter().flat_map(|value| self.alone(element, value)) {
            outlet.write(wrote);
        }
    }
}

/// Where a language puts the data of one pair in one direction.
pub(in crate::formats) struct Outlet<'t> {
    send: &'t mut dyn FnMut(&Rc<Value>) -> bool,
    name: &'t str,
    /// What a message costs beside its values.
    message: usize,
    /// What is left of the budget.
    left: usize,
    /// Half of what it was.
    half: usize,
    /// What is left of the budget for making values.
    to_make: usize,
    /// Values that were made, by their elements, and of how many values they consist; and how many all of them have.
    kept: FxHashMap<usize, (Rc<Vec<Value>>, usize)>,
    count: usize,
    last: Option<Rc<Value>>,
    refused: usize,
    /// Whether it is said why nothing is written.
    is_told: bool,
    left_out: Vec<String>,
    partly: Vec<Identity>,
}

/// What was written of an element.
#[derive(Clone, Copy)]
struct Share {
    /// How many values there are, once that is known.
    values: usize,
    together: usize,
    alone: usize,
}

impl Share {
    fn is_whole(self) -> bool {
        self.values == self.together.max(self.alone)
    }
}

impl<'t> Outlet<'t> {
    /// An outlet that hands data on; `send` says whether every part of them was read. Each message costs `overhead` more
    /// than its values.
    pub(super) fn new(
        (budget, overhead): (usize, usize),
        name: &'t str,
        send: &'t mut dyn FnMut(&Rc<Value>) -> bool,
    ) -> Self {
        Outlet {
            send,
            name,
            message: MESSAGE + overhead,
            left: budget,
            half: budget / 2,
            to_make: budget.saturating_mul(MADE),
            kept: FxHashMap::default(),
            count: 0,
            last: None,
            refused: 0,
            is_told: false,
            left_out: Vec::new(),
            partly: Vec::new(),
        }
    }

    /// Writes data, unless they are the same as the last or the budget is used up. Says whether every part was read.
    pub(in crate::formats) fn write(&mut self, wrote: impl Into<Value>) -> bool {
        let wrote = wrote.into();
        if self.last.as_deref() == Some(&wrote) {
            return false;
        }
        let cost = self.message + weight(&wrote);
        // The first is written however large it is.
        if cost > self.left && self.last.is_some() {
            self.refused += 1;
            return false;
        }
        self.left = self.left.saturating_sub(cost);
        self.give(wrote)
    }

    /// Writes data that are not made but given, whatever they cost.
    pub(in crate::formats) fn give(&mut self, wrote: Value) -> bool {
        let wrote = Rc::new(wrote);
        let is_whole = (self.send)(&wrote);
        self.last = Some(wrote);
        is_whole
    }

    /// Whether data with so many values would be refused.
    pub(in crate::formats) fn is_full(&self, width: usize) -> bool {
        self.left < self.message + width
    }

    /// Whether half of the budget would be gone with data of so many values; the rest is for what differs by itself.
    pub(in crate::formats) fn is_half_full(&self, width: usize) -> bool {
        self.left < self.half + self.message + width
    }

    /// Says that data were left out that belong to no single element.
    pub(in crate::formats) fn refuse(&mut self) {
        self.refused += 1;
    }

    /// Says that something was left out.
    pub(in crate::formats) fn leave_out(&mut self, what: String) {
        self.left_out.push(what);
    }

    /// Says why nothing at all is written.
    pub(in crate::formats) fn leave_out_all(&mut self, why: String) {
        self.is_told = true;
        self.leave_out(why);
    }

    /// Says that something was written only in part.
    pub(in crate::formats) fn limit(&mut self, identities: impl IntoIterator<Item = Identity>) {
        self.partly.extend(identities);
    }

    /// Says that there are types of which nothing can be written where they are held, and what was therefore written only
    /// in part. Whoever makes data says so here of whatever it cannot make: what was not written proves nothing.
    pub(in crate::formats) fn lack<'n>(
        &mut self,
        names: impl IntoIterator<Item = &'n str>,
        identities: impl IntoIterator<Item = Identity>,
    ) {
        self.left_out.extend(names.into_iter().map(none_of));
        self.limit(identities);
    }

    /// Writes every value of every element, as far as the budget goes.
    pub(in crate::formats) fn write_each(&mut self, elements: &dyn Variations) {
        let mut all = Vec::new();
        let mut cost = 0;
        for element in 0..elements.count() {
            let values = elements.values(element);
            cost += values.iter().map(|value| elements.cost() + weight(value)).sum::<usize>();
            if cost > self.left {
                return self.share(elements);
            }
            all.push(values);
        }
        for (element, values) in all.into_iter().enumerate() {
            elements.write_all(element, values, self);
        }
    }

    fn share(&mut self, elements: &dyn Variations) {
        // What is written of several elements afterwards has its part.
        self.kept.clear();
        self.count = 0;
        let reserve = self.left / 8;
        self.left -= reserve;
        let mut shares = vec![Share { values: usize::MAX, together: 0, alone: 0 }; elements.count()];
        self.write_together(elements, &mut shares);
        for (element, share) in shares.iter_mut().enumerate() {
            if self.is_full(elements.width()) {
                break;
            }
            let Some(values) = self.made(elements, element) else { break };
            share.values = values.len();
            let first = values.first().cloned();
            share.alone = usize::from(first.is_some_and(|first| self.write_alone(elements, (element, first), 0)));
        }
        for element in 0..shares.len() {
            let floor = self.left - self.left / (shares.len() - element);
            let share = &mut shares[element];
            if share.alone == 0 || share.is_whole() || self.left < floor + self.message + elements.width() {
                continue;
            }
            for value in self.made(elements, element).unwrap_or_default().iter().skip(1) {
                if !self.write_alone(elements, (element, value.clone()), floor) {
                    break;
                }
                share.alone += 1;
            }
        }
        self.left += reserve;
        self.tell_of(elements, &shares);
    }

    /// Writes a value of an element by itself, if there is room for it above a part of the budget that is not to be used.
    fn write_alone(&mut self, elements: &dyn Variations, (element, value): (usize, Value), floor: usize) -> bool {
        let all = elements.alone(element, value);
        let cost: usize = all.iter().map(|value| self.message + weight(value)).sum();
        if self.left < floor + cost {
            return false;
        }
        for value in all {
            self.write(value);
        }
        true
    }

    /// Writes the first values of all elements together, then the second, up to three quarters of the budget.
    fn write_together(&mut self, elements: &dyn Variations, shares: &mut [Share]) {
        let floor = self.left / 4;
        for round in 0.. {
            let mut room = self.left.saturating_sub(floor + self.message + elements.width());
            let mut is_cut = false;
            let (mut at, count) = (0, shares.len());
            let mut values = std::iter::from_fn(|| {
                while at < count {
                    let known = shares[at].values;
                    if round > 0 && (round >= known || known > MANY) {
                        at += 1;
                        continue;
                    }
                    let Some(values) = self.made(elements, at) else { break };
                    shares[at].values = values.len();
                    at += 1;
                    let Some(value) = values.get(round).cloned() else { continue };
                    match room.checked_sub(weight(&value)) {
                        Some(left) => room = left,
                        None => {
                            is_cut = true;
                            return None;
                        }
                    }
                    return Some((at - 1, value));
                }
                None
            });
            let (record, included) = elements.together(&mut values);
            if included.len() < 2 {
                return;
            }
            if self.write(record) {
                included.into_iter().for_each(|element| shares[element].together += 1);
            }
            if is_cut || self.to_make == 0 {
                return;
            }
        }
    }

    /// The values of an element, unless too many were made before.
    fn made(&mut self, elements: &dyn Variations, element: usize) -> Option<Rc<Vec<Value>>> {
        if self.to_make == 0 {
            return None;
        }
        let (values, count) = self.kept.get(&element).cloned().unwrap_or_else(|| {
            let values = elements.values(element);
            let count = values.iter().map(weight).sum::<usize>();
            (Rc::new(values), count)
        });
        if self.count + count <= KEPT && self.kept.insert(element, (values.clone(), count)).is_none() {
            self.count += count;
        }
        self.to_make = self.to_make.saturating_sub(1 + count);
        Some(values)
    }

    fn tell_of(&mut self, elements: &dyn Variations, shares: &[Share]) {
        let cut: Vec<usize> = (0..shares.len()).filter(|element| !shares[*element].is_whole()).collect();
        if cut.is_empty() {
            return;
        }
        let unwritten =
            cut.iter().filter(|element| shares[**element].together.max(shares[**element].alone) == 0).count();
        let (name, of) = (self.name, plural(shares.len(), "element"));
        self.left_out.push(match unwritten {
            0 => format!("some synthetic values of {} of {of} of `{name}`, because there are many", cut.len()),
            _ => format!(
                "some synthetic values of {} of {of} of `{name}` and all of {unwritten}, because there are many",
                cut.len() - unwritten
            ),
        });
        self.partly.extend(cut.into_iter().flat_map(|element| elements.identities(element)));
    }

    /// What was left out.
    pub(super) fn finish(mut self) -> LeftOut {
        if self.refused > 0 {
            let more = self.refused;
            self.left_out.push(format!("{more} synthetic messages of `{}`, because there are many", self.name));
        }
        let (is_cut, is_told) = (self.refused > 0, self.is_told);
        LeftOut { words: self.left_out, partly: self.partly, is_cut, is_told }
    }
}

/// What was left out of one pair in one direction.
pub(super) struct LeftOut {
    /// In words.
    pub(super) words: Vec<String>,
    /// What was written only in part.
    pub(super) partly: Vec<Identity>,
    /// Whether data were refused that belong to no single element.
    pub(super) is_cut: bool,
    /// Whether it is said why nothing is written.
    pub(super) is_told: bool,
}

/// That there are no data of a type, in words.
pub(super) fn none_of(name: &str) -> String {
    format!("synthetic data of `{name}`, because none can be written")
}

impl From<Record> for Value {
    fn from(record: Record) -> Value {
        Value::Record(record)
    }
}

/// Pairs of so many things: all of them, as long as they are no more than `most`; then only those next to each other, so
/// that each thing is in one.
pub(in crate::formats) fn pairs(count: usize, most: usize) -> impl Iterator<Item = (usize, usize)> {
    let all = move || (0..count).flat_map(move |first| (first + 1..count).map(move |second| (first, second)));
    let last = all().nth(most).unwrap_or((count, count));
    let neighbours = (1..count).map(|second| (second - 1, second)).filter(move |pair| *pair >= last);
    all().take(most).chain(neighbours)
}

/// How many values a value consists of.
pub(in crate::formats) fn weight(value: &Value) -> usize {
    match value {
        Value::List(values) => 1 + values.iter().map(weight).sum::<usize>(),
        Value::Map(entries) => 1 + entries.values().map(|value| 1 + weight(value)).sum::<usize>(),
        Value::Record(record) => 1 + record.fields.values().map(weight).sum::<usize>(),
        Value::Branch { value, .. } => 1 + weight(value),
        Value::Text(bytes) | Value::Bytes(bytes) => 1 + bytes.len() / 16,
        Value::Null | Value::Bool(_) | Value::Int(_) | Value::Float(_) | Value::Double(_) | Value::Enum { .. } => 1,
    }
}

/// Everything that would be written within a budget, and whether that is all there is to write.
pub(in crate::formats) fn collected(budget: usize, generate: impl FnOnce(&mut Outlet<'_>)) -> (Vec<Value>, bool) {
    let mut all = Vec::new();
    let mut send = |value: &Rc<Value>| {
        all.push((**value).clone());
        true
    };
    let mut outlet = Outlet::new((budget, 0), "", &mut send);
    generate(&mut outlet);
    let LeftOut { partly, is_cut, .. } = outlet.finish();
    (all, partly.is_empty() && !is_cut)
}

/// Everything that is written while nobody reads it.
#[cfg(test)]
pub(in crate::formats) fn written(generate: impl FnOnce(&mut Outlet<'_>)) -> Vec<Value> {
    collected(BUDGET, generate).0
}

#[cfg(test)]
#[path = "outlet_tests.rs"]
mod tests;
