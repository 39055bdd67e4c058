//! A datum that shows something, made as small as it can be while it still shows it.

use serde_json::Value;

/// How many smaller data are tried.
const TRIES: usize = 300;

/// The smallest datum found that still shows it.
pub(super) fn shrunk(datum: Value, mut shows: impl FnMut(&Value) -> bool) -> Value {
    let mut best = datum;
    let mut left = TRIES;
    loop {
        let smaller = simpler(&best).into_iter().find(|one| {
            left = left.saturating_sub(1);
            left > 0 && shows(one)
        });
        match smaller {
            Some(smaller) if left > 0 => best = smaller,
            _ => return best,
        }
    }
}

/// Data that are one step simpler, the simplest first.
fn simpler(value: &Value) -> Vec<Value> {
    let mut found = Vec::new();
    match value {
        Value::Object(map) => {
            for name in map.keys() {
                let mut fewer = map.clone();
                fewer.remove(name);
                found.push(Value::Object(fewer));
            }
            for (name, inner) in map {
                for inner in simpler(inner) {
                    let mut same = map.clone();
                    same.insert(name.clone(), inner);
                    found.push(Value::Object(same));
                }
            }
        }
        Value::Array(list) => {
            if list.len() > 3 {
                found.push(Value::Array(list[..list.len() / 2].to_vec()));
            }
            for index in 0..list.len().min(20) {
                let mut fewer = list.clone();
                fewer.remove(index);
                found.push(Value::Array(fewer));
            }
            for (index, inner) in list.iter().enumerate().take(20) {
                for inner in simpler(inner) {
                    let mut same = list.clone();
                    same[index] = inner;
                    found.push(Value::Array(same));
                }
            }
        }
        Value::String(text) if !text.is_empty() => {
            let letters: Vec<char> = text.chars().collect();
            found.push(Value::String(String::new()));
            found.push(Value::String(letters[..letters.len() / 2].iter().collect()));
            found.push(Value::String(letters[..letters.len() - 1].iter().collect()));
            let plain = "a".repeat(letters.len());
            if *text != plain {
                found.push(Value::String(plain));
            }
        }
        Value::Number(number) => {
            for plain in [0, 1, -1] {
                let is_simpler = number.as_f64().is_some_and(|number| number.abs() > f64::from(plain).abs());
                if is_simpler {
                    found.push(Value::from(plain));
                }
            }
        }
        _ => {}
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_does_not_matter_goes() {
        let datum = json!({"a": "long", "b": [1, 2, 30], "c": {"d": true}});
        let small = shrunk(datum, |value| value["b"].as_array().is_some_and(|list| list.iter().any(|one| one == 30)));
        assert_eq!(small, json!({"b": [30]}));
    }
}
