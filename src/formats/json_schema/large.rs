//! Limits beyond what the prover computes with, moved to where it does.
//!
//! A proof that compares limits depends on their order only, as long as nothing is asked for beside it: so those of both
//! sides are numbered in their order. Where a schema has steps (`multipleOf`) nothing is moved.

use serde_json::{Number, Value};

use crate::ordered::OrderedMap;

/// From here on limits are moved.
const FIRST: i128 = 1 << 62;
/// How far from each other they are then.
const APART: i64 = 1 << 12;

const LIMITS: [&str; 4] = ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"];

/// The large limits of both sides, and what stands for each.
#[derive(Debug, Default)]
pub(super) struct Large(OrderedMap<i128, i64>);

impl Large {
    /// Those of some documents of 2020-12.
    pub(super) fn of(documents: &[&Value]) -> Large {
        let mut known = OrderedMap::new();
        let mut open: Vec<&Value> = documents.to_vec();
        while let Some(value) = open.pop() {
            match value {
                Value::Array(list) => open.extend(list),
                Value::Object(map) => {
                    for (key, value) in map {
                        match (key.as_str(), value) {
                            ("multipleOf", Value::Number(_)) => return Large::default(),
                            ("enum" | "const", value) if has_large(value) => return Large::default(),
                            ("enum" | "const", Value::Array(_)) => {}
                            (key, Value::Number(limit)) if LIMITS.contains(&key) => {
                                if let Some(limit) = exact(limit).filter(|limit| limit.abs() >= FIRST) {
                                    known.insert(limit, 0);
                                }
                            }
                            _ => open.push(value),
                        }
                    }
                }
                _ => {}
            }
        }
        let below = known.range(..0).count() as i64;
        for ((limit, stands), at) in known.iter_mut().zip(0..) {
            let first = if *limit < 0 { -(FIRST as i64) - below * APART } else { FIRST as i64 - below * APART };
            *stands = first + at * APART;
        }
        Large(known)
    }

    /// Whether there are none.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Writes what stands for large limits into a document.
    pub(super) fn write(&self, document: &mut Value) {
        match document {
            Value::Array(list) => list.iter_mut().for_each(|inner| self.write(inner)),
            Value::Object(map) => {
                for (key, value) in map.iter_mut() {
                    match value {
                        Value::Number(limit) if LIMITS.contains(&key.as_str()) => {
                            if let Some(stands) = exact(limit).and_then(|limit| self.0.get(&limit)) {
                                *limit = Number::from(*stands);
                            }
                        }
                        _ => self.write(value),
                    }
                }
            }
            _ => {}
        }
    }
}

/// An integer as it is, if it is one.
fn exact(number: &Number) -> Option<i128> {
    let whole = number.as_i128();
    // Beyond, nothing is known of how a reader compares.
    whole.or_else(|| {
        number.as_f64().filter(|number| number.fract() == 0.0 && number.abs() < 1e30).map(|number| number as i128)
    })
}

fn has_large(value: &Value) -> bool {
    match value {
        Value::Array(list) => list.iter().any(has_large),
        Value::Object(map) => map.values().any(has_large),
        Value::Number(number) => number.as_f64().is_some_and(|number| number.abs() >= FIRST as f64),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn limits_keep_their_order() {
        let mut known: OrderedMap<i128, i64> = OrderedMap::new();
        for limit in [i128::from(u64::MAX), i128::from(u64::MAX) - 1, i128::from(i64::MIN)] {
            known.insert(limit, 0);
        }
        let large = Large(known.into_iter().zip([-5, 5, 6]).map(|((limit, _), stands)| (limit, stands)).collect());
        let mut document = json!({"maximum": u64::MAX, "properties": {"maximum": {"minimum": i64::MIN, "maximum": 7}}});
        large.write(&mut document);
        assert_eq!(document, json!({"maximum": 6, "properties": {"maximum": {"minimum": -5, "maximum": 7}}}));
    }
}
