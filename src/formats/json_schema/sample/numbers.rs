//! Numbers at the limits of either side.

use std::cmp::Ordering;

use serde_json::{Map, Value};

use super::{NEAR, Sampler};

/// Up to here each integer is a double (2^53).
const EXACT: f64 = 9_007_199_254_740_992.0;
impl<'d> Sampler<'d> {
    pub(super) fn number(&mut self, parts: &[&'d Map<String, Value>], is_integer: bool) -> Option<Value> {
        let bounds = |names: [&str; 2]| -> Vec<f64> {
            parts.iter().flat_map(|part| names.map(|name| part.get(name).and_then(Value::as_f64))).flatten().collect()
        };
        let least = bounds(["minimum", "exclusiveMinimum"]).into_iter().fold(f64::NEG_INFINITY, f64::max);
        let most = bounds(["maximum", "exclusiveMaximum"]).into_iter().fold(f64::INFINITY, f64::min);
        // As they are written: a double cannot tell the neighbours of large numbers apart.
        let exact: Vec<Value> = parts
            .iter()
            .flat_map(|part| ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"].map(|name| part.get(name)))
            .flatten()
            .filter(|value| value.is_i64() || value.is_u64())
            .cloned()
            .collect();
        let is_plain = |value: &Value| value.as_f64().is_some_and(|number| number.abs() <= EXACT);
        let often = if exact.iter().all(is_plain) { 30 } else { 4 };
        if !exact.is_empty() && self.random.percent(often) {
            let off = self.random.below(3) as i64 - 1;
            let near = self.random.pick(&exact).and_then(Value::as_i64).and_then(|number| number.checked_add(off));
            if let Some(near) = near.map(Value::from).filter(|near| is_within(parts, near)) {
                return Some(near);
            }
        }
        let mut tries: Vec<f64> = vec![0.0, 1.0, -1.0, 2.0, 3.0, 7.0, 100.0, 0.5, 1.5, 1e6, -1e6];
        let hints = self.hints_here();
        let hinted: Vec<f64> = (0..NEAR).filter_map(|_| self.random.pick(&hints.numbers).copied()).collect();
        for near in hinted.into_iter().chain([least, most]).filter(|number| number.is_finite()) {
            if near.abs() > EXACT {
                // Neighbours of an integer, some of which round to it, are told apart by some readers only.
                tries.extend([near / 2.0, near * 2.0, near * 1.5]);
                continue;
            }
            tries.extend([near, near - 1.0, near + 1.0, near - 0.5, near + 0.5, near * 2.0, near.floor(), near.ceil()]);
            tries.extend([near / 2.0, near * 1.5]);
        }
        tries.extend(between(&hints.numbers, [least, most]));
        let step =
            parts.iter().filter_map(|part| part.get("multipleOf").and_then(Value::as_f64)).fold(None, |step, one| {
                Some(match step {
                    Some(step) if one % step == 0.0 => one,
                    Some(step) if step % one == 0.0 => step,
                    Some(step) => step * one,
                    None => one,
                })
            });
        if let Some(step) = step.filter(|step| *step > 0.0) {
            let start = if least.is_finite() { (least / step).ceil() } else { 0.0 };
            tries = tries.iter().map(|number| (number / step).round() * step).collect();
            tries.extend([-1.0, 0.0, 1.0, 2.0, 3.0, 5.0].map(|more| (start + more) * step));
        }
        let fits: Vec<f64> = tries.into_iter().filter(|number| (least..=most).contains(number)).collect();
        let fits = fits.into_iter().filter(|number| !is_integer || number.fract() == 0.0).collect();
        self.one_within(parts, fits)
    }

    /// One of some numbers that is within all limits.
    fn one_within(&mut self, parts: &[&'d Map<String, Value>], mut fits: Vec<f64>) -> Option<Value> {
        let written = |number: f64| match number.fract() == 0.0 && number.abs() < 9e15 {
            true => Some(Value::from(number as i64)),
            false => serde_json::Number::from_f64(number).map(Value::Number),
        };
        while !fits.is_empty() {
            let number = written(fits.swap_remove(self.random.below(fits.len())));
            if let Some(number) = number.filter(|number| is_within(parts, number)) {
                return Some(number);
            }
        }
        None
    }
}

/// Numbers between a limit and the next one that a side speaks of.
fn between(spoken_of: &[f64], [least, most]: [f64; 2]) -> impl Iterator<Item = f64> {
    let next = |from: f64, is_beyond: &dyn Fn(&f64) -> bool| {
        let others = spoken_of.iter().copied().chain([least, most]).filter(|number| number.is_finite());
        others.filter(is_beyond).min_by(|one, other| (one - from).abs().total_cmp(&(other - from).abs()))
    };
    let (above, below) = (next(least, &|number| *number > least), next(most, &|number| *number < most));
    let middles = [(least, above), (most, below)].map(|(from, to)| to.map(|to| from / 2.0 + to / 2.0));
    middles.into_iter().flatten().filter(|number| number.is_finite())
}

/// Whether a number is within all limits, those that it may not have aside, and a multiple where integers have to be.
fn is_within(parts: &[&Map<String, Value>], number: &Value) -> bool {
    let compared = |limit: &Value| match (number.as_i64(), limit.as_i64()) {
        (Some(one), Some(other)) => Some(one.cmp(&other)),
        _ => number.as_f64()?.partial_cmp(&limit.as_f64()?),
    };
    let holds = |part: &Map<String, Value>, name: &str, allowed: &[Ordering]| {
        part.get(name).and_then(compared).is_none_or(|order| allowed.contains(&order))
    };
    let is_multiple = |part: &Map<String, Value>| match (number.as_i64(), part.get("multipleOf").map(Value::as_i64)) {
        (Some(number), Some(Some(step))) if step > 0 => number % step == 0,
        _ => true,
    };
    parts.iter().all(|part| {
        holds(part, "minimum", &[Ordering::Greater, Ordering::Equal])
            && holds(part, "exclusiveMinimum", &[Ordering::Greater])
            && holds(part, "maximum", &[Ordering::Less, Ordering::Equal])
            && holds(part, "exclusiveMaximum", &[Ordering::Less])
            && is_multiple(part)
    })
}
