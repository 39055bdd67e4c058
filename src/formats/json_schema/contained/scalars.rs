//! What follows of numbers and texts.

use std::cmp::Ordering;

use serde_json::{Map, Number, Value};

use super::facts::{Facts, Types, count};
use super::{Asked, Prover};
use crate::formats::json_schema::lengths;
use crate::formats::json_schema::reader::Reader;

/// Up to here each integer is a double (2^53).
const EXACT: f64 = 9_007_199_254_740_992.0;
/// Steps of numbers are compared in these parts of one.
const PARTS: f64 = 1_048_576.0;
/// Texts of a list that are compared with patterns.
const MOST_TEXTS: usize = 50;

impl<'d> Prover<'d> {
    /// A limit of numbers or texts.
    pub(super) fn follows_limit(&mut self, facts: &Facts<'d>, keyword: &str, value: &'d Value) -> bool {
        if facts.under(keyword).any(|at| at.schema == value) {
            return true;
        }
        if let Some(values) = facts.values() {
            let reader = (keyword != "format").then(|| of_keyword(keyword, value)).flatten();
            return reader.is_some_and(|reader| values.into_iter().all(|value| reader.takes(value)));
        }
        let all = usize::MAX;
        match (keyword, value) {
            ("minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum", Value::Number(limit)) => {
                is_limited(facts, keyword, limit)
            }
            ("multipleOf", value) => is_multiple(facts, value),
            ("minLength", value) => {
                count(value).is_some_and(|least| least == 0 || !self.may_be(facts, None, (0, least - 1)))
            }
            ("maxLength", value) => count(value).is_some_and(|most| !self.may_be(facts, None, (most + 1, all))),
            ("pattern", Value::String(pattern)) => !self.may_be(facts, Some(pattern), (0, all)),
            _ => false,
        }
    }

    /// Whether all texts are among some values.
    pub(super) fn are_texts_among(&mut self, facts: &Facts<'d>, values: &[&Value]) -> bool {
        let texts: Vec<&str> = values.iter().filter_map(|value| value.as_str()).collect();
        let is_plain = |letter: char| letter.is_ascii_alphanumeric() || letter == '_' || letter == '/';
        let escaped = |text: &&str| -> Option<String> {
            let letters = text.chars().map(|letter| match letter {
                letter if is_plain(letter) || !letter.is_ascii() => Some(letter.to_string()),
                letter if letter.is_ascii_punctuation() => Some(format!("\\{letter}")),
                ' ' => Some(letter.to_string()),
                _ => None,
            });
            letters.collect()
        };
        if texts.len() > MOST_TEXTS || facts.under("pattern").next().is_none() && facts.most("maxLength") != Some(0) {
            return false;
        }
        let texts: Option<Vec<String>> = texts.iter().map(escaped).collect();
        texts.is_some_and(|texts| !self.may_be(facts, Some(&format!("^(?:{})$", texts.join("|"))), (0, usize::MAX)))
    }

    /// Whether a text may be as some facts say, with so many characters and without another pattern.
    fn may_be(&mut self, facts: &Facts<'d>, refused: Option<&str>, (least, most): (usize, usize)) -> bool {
        let patterns = || facts.under("pattern").filter_map(|at| at.schema.as_str());
        let least = least.max(facts.least("minLength").unwrap_or(0));
        let most = most.min(facts.most("maxLength").unwrap_or(usize::MAX));
        if least > most {
            return false;
        }
        let mut may_be = |takes: Vec<&'d str>| {
            let asked: Asked<'d> = (takes, refused.map(str::to_owned), least, most);
            if let Some(known) = self.texts.get(&asked) {
                return *known;
            }
            self.steps += 20;
            let (takes, refuses, least, most) = asked.clone();
            let text = lengths::text(&lengths::Asked { takes, refuses: refuses.as_deref(), least, most });
            *self.texts.entry(asked).or_insert(!matches!(text, Some(None)))
        };
        // One that is not known may stand beside one that is enough.
        may_be(patterns().collect()) && patterns().all(|pattern| may_be(vec![pattern]))
    }
}

fn of_keyword(keyword: &str, value: &Value) -> Option<Reader> {
    Reader::new(&Value::Object(Map::from_iter([(keyword.to_owned(), value.clone())])))
}

/// How two numbers compare, where that is exact.
fn order(one: &Number, other: &Number) -> Option<Ordering> {
    match (one.as_i64(), other.as_i64()) {
        (Some(one), Some(other)) => Some(one.cmp(&other)),
        _ => {
            let plain = |number: &Number| number.as_f64().filter(|value| number.is_f64() || value.abs() < EXACT);
            plain(one)?.partial_cmp(&plain(other)?)
        }
    }
}

fn is_limited(facts: &Facts<'_>, keyword: &str, limit: &Number) -> bool {
    let (open, closed, beyond) = match keyword {
        "minimum" | "exclusiveMinimum" => ("exclusiveMinimum", "minimum", Ordering::Greater),
        _ => ("exclusiveMaximum", "maximum", Ordering::Less),
    };
    let holds = |of: &str, is_enough: &dyn Fn(Ordering) -> bool| {
        facts.under(of).filter_map(|at| order(at.schema.as_number()?, limit)).any(is_enough)
    };
    let is_open = keyword == open;
    holds(open, &|order| order == beyond || order == Ordering::Equal)
        || holds(closed, &|order| order == beyond || !is_open && order == Ordering::Equal)
}

/// Whether all numbers are multiples: of the least common multiple of the steps that they have.
fn is_multiple(facts: &Facts<'_>, value: &Value) -> bool {
    let parts = |value: &Value| {
        let parts = value.as_f64()? * PARTS;
        (parts.fract() == 0.0 && parts > 0.0 && parts < EXACT).then_some(parts as u128)
    };
    let whole = facts.types.is_within(Types::INTEGER).then_some(PARTS as u128);
    let steps = facts.under("multipleOf").filter_map(|at| parts(at.schema)).chain(whole);
    let common = steps.reduce(|one, other| match one.checked_mul(other) {
        Some(product) => product / greatest_divisor(one, other),
        None => one,
    });
    parts(value).zip(common).is_some_and(|(wanted, common)| common % wanted == 0)
}

const fn greatest_divisor(mut one: u128, mut other: u128) -> u128 {
    while other != 0 {
        (one, other) = (other, one % other);
    }
    one
}
