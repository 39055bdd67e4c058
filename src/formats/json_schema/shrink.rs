//! A datum that shows something, made as small as it can be while it still shows it.

use std::ops::Range;

use serde_json::Value;

use crate::ordered::InOrder;

/// How many smaller data are tried, each of which counts as several where it is long.
pub(super) const TRIES: usize = 300;
const LONG_DATUM: usize = 200;
/// How many values inside of a datum are tried in its place.
const INSIDE: usize = 20;
/// How many integers are brought near to their limits.
const INTEGERS: usize = 4;

/// Up to here each integer is a double (2^53).
const EXACT: u64 = 1 << 53;

/// The smallest datum found in so many tries that still shows it.
pub(super) fn shrunk(datum: Value, tries: usize, mut shows: impl FnMut(&Value) -> bool) -> Value {
    let mut best = nearest_inside(&datum, &mut shows).unwrap_or(datum);
    let mut left = tries;
    loop {
        let mut smaller = None;
        let cost = 1 + values(&best) / LONG_DATUM;
        let mut take = |one: Value| {
            left = left.saturating_sub(cost);
            if left > 0 && shows(&one) {
                smaller = Some(one);
            }
            left == 0 || smaller.is_some()
        };
        simpler(&best, &mut take);
        match smaller {
            Some(smaller) => best = smaller,
            None => break,
        }
    }
    // Of one of very many it is enough that it shows something.
    if tries < TRIES {
        return best;
    }
    let mut places = Vec::new();
    integers(&best, String::new(), &mut places);
    for place in places.into_iter().take(INTEGERS) {
        nearer_to_zero(&mut best, &place, &mut shows);
    }
    best
}

/// How many values a datum has, or schemas and values a document, at any depth.
pub(super) fn values(datum: &Value) -> usize {
    let (mut count, mut open) = (0, vec![datum]);
    while let Some(value) = open.pop() {
        count += 1;
        match value {
            Value::Array(list) => open.extend(list),
            Value::Object(map) => open.extend(map.values()),
            _ => {}
        }
    }
    count
}

/// The smallest value inside of a datum that shows it as well, as in what is recursive.
fn nearest_inside(datum: &Value, shows: &mut impl FnMut(&Value) -> bool) -> Option<Value> {
    let (mut inside, mut open) = (Vec::new(), vec![datum]);
    while let Some(value) = open.pop() {
        match value {
            Value::Array(list) => open.extend(list),
            Value::Object(map) => open.extend(map.values()),
            _ => {}
        }
        if (value.is_object() || value.is_array()) && !std::ptr::eq(value, datum) {
            inside.push((value.to_string().len(), value));
        }
    }
    inside.sort_in_order_by_key(|(length, _)| *length);
    inside.into_iter().take(INSIDE).map(|(_, value)| value).find(|value| shows(value)).cloned()
}

/// Where integers stand that may be smaller.
fn integers(value: &Value, pointer: String, found: &mut Vec<String>) {
    match value {
        Value::Array(list) => {
            list.iter().enumerate().for_each(|(index, inner)| integers(inner, format!("{pointer}/{index}"), found));
        }
        Value::Object(map) => {
            let escaped = |name: &str| name.replace('~', "~0").replace('/', "~1");
            map.iter().for_each(|(name, inner)| integers(inner, format!("{pointer}/{}", escaped(name)), found));
        }
        Value::Number(_) if whole(value).is_some_and(|number| number.unsigned_abs() > 1) => found.push(pointer),
        _ => {}
    }
}

/// An integer, be it written with an exponent.
fn whole(value: &Value) -> Option<i64> {
    let rounded = || value.as_f64().filter(|number| number.fract() == 0.0 && number.abs() < i64::MAX as f64);
    value.as_i64().or_else(|| rounded().map(|number| number as i64))
}

/// Brings an integer to the limit that it exceeds, by halves of the way.
fn nearer_to_zero(best: &mut Value, pointer: &str, shows: &mut impl FnMut(&Value) -> bool) {
    let Some(shown) = best.pointer(pointer).and_then(whole) else { return };
    if shown.unsigned_abs() > EXACT {
        // Beyond, neighbours are one to readers that have doubles.
        let mut one = best.clone();
        let Some(place) = one.pointer_mut(pointer) else { return };
        *place = Value::from((EXACT as i64) * shown.signum());
        if !shows(&one) {
            return;
        }
        *best = one;
    }
    let Some(shown) = best.pointer(pointer).and_then(whole) else { return };
    let (mut hidden, mut shown) = (0, i128::from(shown));
    while (shown - hidden).abs() > 1 {
        let middle = hidden + (shown - hidden) / 2;
        let mut one = best.clone();
        if let Some(place) = one.pointer_mut(pointer) {
            *place = Value::from(middle as i64);
        }
        if shows(&one) {
            (shown, *best) = (middle, one);
        } else {
            hidden = middle;
        }
    }
}

/// Data that are one step simpler, the simplest first, until one is taken.
fn simpler(value: &Value, take: &mut dyn FnMut(Value) -> bool) -> bool {
    match value {
        Value::Object(map) => {
            let names: Vec<&String> = map.keys().collect();
            let without = |part: Range<usize>| {
                let kept = names.iter().enumerate().filter(|(index, _)| !part.contains(index));
                Value::Object(kept.map(|(_, name)| ((*name).clone(), map[*name].clone())).collect())
            };
            parts(names.len()).any(|part| take(without(part)))
                || map.iter().any(|(name, inner)| {
                    simpler(inner, &mut |inner| {
                        let mut same = map.clone();
                        same.insert(name.clone(), inner);
                        take(Value::Object(same))
                    })
                })
        }
        Value::Array(list) => {
            let without = |part: Range<usize>| Value::Array([&list[..part.start], &list[part.end..]].concat());
            parts(list.len()).any(|part| take(without(part)))
                || list.iter().enumerate().any(|(index, inner)| {
                    simpler(inner, &mut |inner| {
                        let mut same = list.clone();
                        same[index] = inner;
                        take(Value::Array(same))
                    })
                })
        }
        Value::String(text) if !text.is_empty() => {
            let letters: Vec<char> = text.chars().collect();
            let plain = "a".repeat(letters.len());
            let start = |length: usize| letters[..length].iter().collect::<String>();
            let texts = [String::new(), start(letters.len() / 2), start(letters.len() - 1), plain];
            texts.into_iter().filter(|one| one != text).any(|one| take(Value::String(one)))
        }
        Value::Number(number) => {
            let plain = [0, 1, -1]
                .into_iter()
                .filter(|plain| number.as_f64().is_some_and(|number| number.abs() > f64::from(*plain).abs()));
            plain.map(Value::from).any(take)
        }
        _ => false,
    }
}

/// What to leave out of so many: halves, quarters and so on, down to each by itself.
fn parts(count: usize) -> impl Iterator<Item = Range<usize>> {
    let sizes = std::iter::successors(Some(count.div_ceil(2)), |size| (*size > 1).then(|| size.div_ceil(2)));
    let sizes = sizes.filter(move |size| (1..=count).contains(size));
    sizes.flat_map(move |size| (0..count).step_by(size).map(move |start| start..(start + size).min(count)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_does_not_matter_goes() {
        let datum = json!({"a": "long", "b": [1, 2, 30], "c": {"d": true}});
        let small =
            shrunk(datum, TRIES, |value| value["b"].as_array().is_some_and(|list| list.iter().any(|one| one == 30)));
        assert_eq!(small, json!({"b": [30]}));
    }

    #[test]
    fn a_member_of_many_is_found_and_a_number_comes_near_to_its_limit() {
        let datum: Value = (0..500).map(|index| (format!("m{index}"), json!(9_000_000_000_i64 + index))).collect();
        let mut tries = 0;
        let small = shrunk(datum, TRIES, |value| {
            tries += 1;
            value["m77"].as_i64().is_some_and(|number| number > 2_147_483_647)
        });
        assert_eq!(small, json!({"m77": 2_147_483_648_i64}));
        assert!(tries < 150, "{tries}");
    }

    #[test]
    fn an_integer_with_an_exponent_comes_near_to_its_limit() {
        let small = shrunk(json!({"age": -4.611686018427388e18}), TRIES, |value| {
            value["age"].as_f64().is_some_and(|number| number < -2_147_483_648.0)
        });
        assert_eq!(small, json!({"age": -2_147_483_649_i64}));
    }
}
