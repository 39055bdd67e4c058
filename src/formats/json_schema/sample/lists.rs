//! Lists. Of long ones few items are made, and the others are copies.

use serde_json::{Map, Value};

use super::{MOST, SPARSE, Sampler, choice, size};
use crate::formats::json_schema::ways::Step;

/// Items that are made each by itself, beyond the positions that have schemas of their own.
const MADE: usize = 12;
/// How often of a hundred a list is long that need not be.
const LONG: usize = 25;
/// No longer list is made, and none of items that are all different.
const LONGEST: usize = 10_000;
const LONGEST_UNIQUE: usize = 500;

/// What a list is to be.
struct Plan<'d> {
    length: usize,
    /// How many items it has to have.
    least: usize,
    is_unique: bool,
    /// What some items have to be, and how many of them.
    contains: Vec<&'d Value>,
    demanded: usize,
    /// From here on nothing is said of an item by its position.
    plain_from: usize,
}

impl<'d> Sampler<'d> {
    pub(super) fn list(
        &mut self,
        parts: &[&'d Map<String, Value>],
        depth: usize,
        step: Option<(&Step, bool)>,
    ) -> Option<Value> {
        let led = step.and_then(|(step, leads)| match step {
            Step::Item(index) => Some((*index, leads)),
            _ => None,
        });
        let inner = if led.is_some() && depth >= SPARSE { SPARSE - 1 } else { depth };
        let plan = self.plan(parts, depth, led)?;
        let mut list: Vec<Value> = Vec::new();
        // One item that is copied, without and with what has to be contained.
        let mut copied: [Option<Value>; 2] = [None, None];
        for index in 0..plan.length {
            let mut schemas: Vec<&'d Value> = parts.iter().filter_map(|part| item_schema(part, index)).collect();
            let rest = plan.length - index;
            let counts = !plan.contains.is_empty() && (rest <= plan.demanded || self.random.percent(40));
            if counts {
                schemas.extend(&plan.contains);
            }
            let is_copied =
                !plan.is_unique && index >= plan.plain_from + MADE && led.is_none_or(|(led, _)| led != index);
            let copy = copied[usize::from(counts)].as_ref().filter(|_| is_copied);
            let repeats = led.is_none()
                && !plan.is_unique
                && !list.is_empty()
                && schemas.len() <= 1
                && copy.is_none()
                && self.random.percent(25);
            let value = match (copy, list.last().filter(|_| repeats)) {
                (Some(copy), _) => self.copy(copy),
                (None, Some(last)) => Some(last.clone()),
                (None, None) if plan.is_unique && index >= MADE => self.another(&schemas, &list),
                (None, None) => (0..6).find_map(|_| {
                    self.on_way = led == Some((index, true));
                    let depth = if self.on_way { depth } else { inner };
                    let depth = if is_copied { depth.max(SPARSE) } else { depth };
                    let value = self.value(&schemas, depth + 1)?;
                    (!plan.is_unique || !list.contains(&value)).then_some(value)
                }),
            };
            let value = value.or_else(|| self.another(&schemas, &list).filter(|_| plan.is_unique));
            match value {
                Some(value) => {
                    if is_copied && copied[usize::from(counts)].is_none() {
                        copied[usize::from(counts)] = Some(value.clone());
                    }
                    list.push(value);
                }
                None if list.len() >= plan.least => break,
                None => return None,
            }
        }
        Some(Value::Array(list))
    }

    /// What a list is to be; nothing where it cannot be made.
    fn plan(&mut self, parts: &[&'d Map<String, Value>], depth: usize, led: Option<(usize, bool)>) -> Option<Plan<'d>> {
        let least = size(parts, "minItems", usize::max).unwrap_or(0);
        let least = led.map_or(least, |(index, _)| least.max(index + 1));
        let most = size(parts, "maxItems", usize::min).unwrap_or(usize::MAX);
        let is_unique = parts.iter().any(|part| part.get("uniqueItems") == Some(&Value::Bool(true)));
        let contains: Vec<&'d Value> = parts.iter().filter_map(|part| part.get("contains")).collect();
        let demanded = size(parts, "minContains", usize::max).unwrap_or(usize::from(!contains.is_empty()));
        let longest = if is_unique { LONGEST_UNIQUE } else { LONGEST };
        if least > longest {
            return None;
        }
        let counts = &self.hints_here().items;
        let length = if depth >= SPARSE { least } else { self.size(least, most, counts) };
        // Long lists in each other would be far too much.
        let is_long = self.random.percent(LONG) && length <= self.copied;
        let length = if is_long { length } else { length.min(MOST.max(least)) };
        let length = length.max(demanded.min(most)).min(longest);
        let tuples = parts.iter().filter_map(|part| part.get("prefixItems")?.as_array()).map(Vec::len);
        let plain_from = tuples.max().unwrap_or(0);
        Some(Plan { length, least, is_unique, contains, demanded, plain_from })
    }

    /// An item that is none of many others: the next of those that are counted.
    fn another(&mut self, schemas: &[&'d Value], list: &[Value]) -> Option<Value> {
        let mut parts = super::Parts::default();
        for schema in schemas {
            self.gather(schema, &mut parts)?;
        }
        if let Some(values) = choice(&parts) {
            return values.into_iter().find(|value| !list.contains(value)).cloned();
        }
        let types = self.types(&parts);
        let index = list.len();
        let is_text = types.contains(&"string") && !parts.iter().any(|part| part.contains_key("pattern"));
        let value = if is_text {
            let least = size(&parts, "minLength", usize::max).unwrap_or(0);
            Value::from(format!("{index:0>least$}", least = least.min(100)))
        } else if types.contains(&"integer") || types.contains(&"number") {
            let limit = |keyword: &str| parts.iter().filter_map(|part| part.get(keyword)?.as_i64()).max();
            let step = limit("multipleOf").unwrap_or(1).max(1);
            let start = limit("minimum").max(limit("exclusiveMinimum").map(|limit| limit.saturating_add(1)));
            let first = start.unwrap_or(0).checked_add(step - 1)?.div_euclid(step).checked_mul(step)?;
            Value::from(first.checked_add(step.checked_mul(index as i64)?)?)
        } else {
            return (0..6).find_map(|_| self.value(schemas, SPARSE).filter(|value| !list.contains(value)));
        };
        (!list.contains(&value)).then_some(value)
    }
}

fn item_schema<'d>(part: &&'d Map<String, Value>, index: usize) -> Option<&'d Value> {
    let tuple = part.get("prefixItems").and_then(Value::as_array);
    let of_place = tuple.and_then(|tuple| tuple.get(index));
    of_place.or_else(|| part.get("items"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::{Sampler, room};
    use super::*;
    use crate::formats::json_schema::hints::Hints;

    #[test]
    fn long_lists_are_made_of_copies() {
        let document = json!({ "type": "array", "minItems": 5000 });
        let hints = Hints::of(&[&document]);
        let mut sampler = Sampler::new(&document, &hints, 1, room(&document));
        let made: Vec<Value> = (0..20).filter_map(|_| sampler.one()).collect();
        assert!(made.len() > 5, "{}", made.len());
        assert!(made.iter().all(|list| list.as_array().is_some_and(|list| list.len() >= 5000)));
        let beyond = json!({ "type": "array", "minItems": 100_000 });
        assert!(Sampler::new(&beyond, &hints, 1, room(&beyond)).one().is_none());
    }

    #[test]
    fn items_that_are_all_different_are_counted_up() {
        for items in
            [json!({ "type": "string", "minLength": 5 }), json!({ "type": "integer", "minimum": 3, "multipleOf": 2 })]
        {
            let document = json!({ "type": "array", "items": items, "uniqueItems": true, "minItems": 60 });
            let hints = Hints::of(&[&document]);
            let mut sampler = Sampler::new(&document, &hints, 1, room(&document));
            let list = (0..10).find_map(|_| sampler.one()).expect("one is made");
            let reader = crate::formats::json_schema::reader::Reader::new(&document).expect("it is a schema");
            assert!(reader.takes(&list), "{list}");
        }
    }
}
