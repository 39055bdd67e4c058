//! Numbers: a range, steps, and values that are listed.

use serde_json::Value;

use super::datum::Datum;
use super::decimal::Decimal;
use super::nodes::{Kind, Literal, Node};
use super::{Found, Solver};

/// Numbers that are tried one after the other.
const MOST_TRIED: i128 = 20_000;
/// How much finer than what is asked numbers are tried.
const FINER: u32 = 3;

/// What is asked of a number, in units of a power of ten.
#[derive(Debug, Default)]
struct Range {
    /// The least and the largest, which are in it.
    least: Option<i128>,
    most: Option<i128>,
    steps: Vec<i128>,
    /// What it is no multiple of.
    no_steps: Vec<i128>,
}

impl Solver<'_> {
    /// A number, whole or not.
    pub(super) fn number(&self, kind: Kind, conditions: &[Literal]) -> Found<Datum> {
        let places =
            conditions.iter().filter_map(|literal| limit(self.nodes.shared(*literal))).map(Decimal::places).max();
        let places = places.unwrap_or(0) + FINER;
        let is_whole = kind == Kind::WHOLE;
        let Some(range) = self.range(conditions, places) else { return Found::Unknown };
        let listed = self.listed(conditions);
        let one = 10_i128.pow(places);
        let is_fine = |units: i128| {
            range.least.is_none_or(|least| least <= units)
                && range.most.is_none_or(|most| units <= most)
                && (units % one == 0) == is_whole
                && range.steps.iter().all(|step| units % step == 0)
                && range.no_steps.iter().all(|step| units % step != 0)
        };
        if let Some(allowed) = &listed.allowed {
            let is_allowed = |value: &Value| {
                let units = value.as_number().and_then(Decimal::of).and_then(|number| number.in_units(places));
                Kind::of(value) == kind && listed.allow(value) && units.is_none_or(is_fine)
            };
            let mut found = allowed.iter().map(|(_, value)| *value).filter(|value| is_allowed(value));
            return match found.next() {
                Some(value) if value.as_number().and_then(Decimal::of).is_some() => Found::plain(value.clone()),
                Some(_) => Found::Unknown,
                None => Found::Nothing,
            };
        }
        range.number((places, is_whole), &|units| {
            let value = Decimal::value(units, places);
            value.filter(|value| is_fine(units) && listed.allow(value))
        })
    }

    /// What conditions ask; `None` where that is too large to be computed with.
    fn range(&self, conditions: &[Literal], places: u32) -> Option<Range> {
        let mut range = Range::default();
        for literal in conditions {
            let node = self.nodes.shared(*literal);
            let Some(units) = limit(node).map(|limit| limit.in_units(places)) else { continue };
            let units = units?;
            match (node, literal.is_denied()) {
                (Node::Least(_, is_open), false) => range.from(units + i128::from(*is_open)),
                (Node::Most(_, is_open), false) => range.to(units - i128::from(*is_open)),
                (Node::Least(_, is_open), true) => range.to(units - i128::from(!*is_open)),
                (Node::Most(_, is_open), true) => range.from(units + i128::from(!*is_open)),
                (_, false) => range.steps.push(units),
                (_, true) => range.no_steps.push(units),
            }
        }
        Some(range)
    }
}

/// The number that a condition names.
const fn limit(node: &Node) -> Option<Decimal> {
    match node {
        Node::Least(limit, _) | Node::Most(limit, _) | Node::Multiple(limit) => Some(*limit),
        _ => None,
    }
}

impl Range {
    fn from(&mut self, least: i128) {
        self.least = self.least.max(Some(least));
    }

    fn to(&mut self, most: i128) {
        self.most = Some(self.most.map_or(most, |known| known.min(most)));
    }

    /// A number of the range that is fine.
    fn number(&self, (places, is_whole): (u32, bool), fine: &dyn Fn(i128) -> Option<Value>) -> Found<Datum> {
        if self.least.zip(self.most).is_some_and(|(least, most)| least > most) {
            return Found::Nothing;
        }
        let one = 10_i128.pow(places);
        let step = self.steps.iter().copied().chain(is_whole.then_some(one)).reduce(common_multiple);
        // Without steps numbers lie close to each other: what is between two of the units was not tried.
        let is_close = step.is_none();
        let Some(step) = step.or(Some(1)).filter(|step| *step > 0) else { return Found::Unknown };
        let round_up = |units: i128| units.div_euclid(step) + i128::from(units.rem_euclid(step) != 0);
        let (first, last) = (self.least.map(round_up), self.most.map(|most| most.div_euclid(step)));
        let period = self.period(step, one);
        let may_stop = |tried: i128| period.is_some_and(|period| tried > period);
        let (start, ahead) = match (first, last) {
            (Some(first), _) => (first, 1),
            (None, Some(last)) => (last, -1),
            (None, None) => (0, 1),
        };
        let count = first.zip(last).map(|(first, last)| last - first + 1);
        if is_close && let Some(value) = self.roundest(start, places, fine) {
            return Found::plain(value);
        }
        let is_fine_but_listed =
            |units: i128| (units % one == 0) == is_whole && self.no_steps.iter().all(|step| units % step != 0);
        let mut is_any_fine = false;
        for tried in 0..count.unwrap_or(MOST_TRIED).min(MOST_TRIED) {
            let Some(units) = (start + ahead * tried).checked_mul(step) else { return Found::Unknown };
            if let Some(value) = fine(units) {
                return Found::plain(value);
            }
            is_any_fine |= is_fine_but_listed(units);
            if !is_close && !is_any_fine && may_stop(tried) {
                return Found::Nothing;
            }
        }
        match count {
            // A point, or a few of the units that are steps.
            Some(count) if count <= MOST_TRIED && (!is_close || self.least == self.most) => Found::Nothing,
            _ => Found::Unknown,
        }
    }

    /// A number with few digits next to where the range starts.
    fn roundest(&self, start: i128, places: u32, fine: &dyn Fn(i128) -> Option<Value>) -> Option<Value> {
        let units = (0..places).rev().map(|power| 10_i128.pow(power));
        let rounded = |unit: i128| match self.least {
            Some(_) => start.div_euclid(unit) + 1,
            None => start.div_euclid(unit),
        };
        units.flat_map(|unit| (0..10).map(move |more| (unit, more))).find_map(|(unit, more)| {
            let ahead = if self.least.is_some() { more } else { -more };
            fine((rounded(unit) + ahead).checked_mul(unit)?)
        })
    }

    /// After how many steps what a number is a multiple of comes again.
    fn period(&self, step: i128, one: i128) -> Option<i128> {
        let all = self.no_steps.iter().copied().chain([step, one]).reduce(common_multiple)?;
        (all > 0).then_some(all / step)
    }
}

/// The least common multiple; 0 where it is too large.
fn common_multiple(one: i128, other: i128) -> i128 {
    let (mut large, mut small) = (one, other);
    while small != 0 {
        (large, small) = (small, large % small);
    }
    if large == 0 { 0 } else { (one / large).checked_mul(other).unwrap_or(0) }
}
