//! What follows of lists and their items.

use serde_json::{Map, Value};

use super::Prover;
use super::facts::{At, Facts, count};

/// Positions of a tuple that are looked at each by itself.
const MOST_POSITIONS: usize = 400;

impl<'d> Prover<'d> {
    pub(super) fn follows_of_items(
        &mut self,
        facts: &Facts<'d>,
        keyword: &str,
        (map, at): (&'d Map<String, Value>, At<'d>),
    ) -> bool {
        let counted = || count(at.schema);
        match keyword {
            "minItems" => counted().is_some_and(|least| self.least_items(facts) >= least),
            "maxItems" => counted().zip(self.most_items(facts)).is_some_and(|(most, own)| own <= most),
            "uniqueItems" => {
                at.schema != &Value::Bool(true)
                    || facts.under("uniqueItems").any(|own| own.schema == &Value::Bool(true))
                    || self.most_items(facts).is_some_and(|most| most <= 1)
            }
            "prefixItems" => {
                let list = at.schema.as_array().map_or(&[][..], Vec::as_slice);
                list.len() <= MOST_POSITIONS
                    && list
                        .iter()
                        .enumerate()
                        .all(|(index, schema)| self.follows_of_item(facts, index, at.with(schema)))
            }
            "items" => {
                let first = map.get("prefixItems").and_then(Value::as_array).map_or(0, Vec::len);
                let last = facts.under("prefixItems").filter_map(|list| list.schema.as_array()).map(Vec::len).max();
                let last = last.unwrap_or(0).max(first);
                // The last one stands for all that follow.
                last - first <= MOST_POSITIONS && (first..=last).all(|index| self.follows_of_item(facts, index, at))
            }
            "contains" => self.follows_contained(facts, map, at),
            "maxContains" if map.contains_key("contains") => {
                let contained = map.get("contains").map(|schema| at.with(schema));
                let is_known = |own: At<'d>| own.schema.as_object().and_then(|own| count(own.get("maxContains")?));
                let parts: Vec<At<'d>> = facts.parts.clone();
                counted().is_some_and(|most| {
                    self.most_items(facts).is_some_and(|items| items <= most)
                        || parts.iter().filter(|part| is_known(**part).is_some_and(|own| own <= most)).any(|part| {
                            let own = part.schema.get("contains").map(|own| part.with(own));
                            own.zip(contained)
                                .is_some_and(|(own, contained)| self.shows(&of_any_item(facts).and(contained), own))
                        })
                })
            }
            "maxContains" => true,
            _ => false,
        }
    }

    fn follows_contained(&mut self, facts: &Facts<'d>, map: &'d Map<String, Value>, at: At<'d>) -> bool {
        let least = map.get("minContains").map_or(Some(1), count);
        let Some(least) = least else { return false };
        let demanded = |own: &Map<String, Value>| own.get("minContains").map_or(Some(1), count);
        let parts: Vec<(&'d Map<String, Value>, At<'d>)> = facts.maps().collect();
        least == 0
            || parts.into_iter().any(|(own, part)| {
                let contained = own.get("contains").filter(|_| demanded(own).is_some_and(|own| own >= least));
                contained.is_some_and(|own| self.shows(&of_any_item(facts).and(part.with(own)), at))
            })
            || self.least_items(facts) >= least
                && (0..least.min(MOST_POSITIONS + 1)).all(|index| self.follows_of_item(facts, index, at))
                && least <= MOST_POSITIONS
    }

    /// Whether the item at a position, if there is one, is valid for a schema.
    fn follows_of_item(&mut self, facts: &Facts<'d>, index: usize, at: At<'d>) -> bool {
        if facts.most("maxItems").is_some_and(|most| most <= index) {
            return true;
        }
        let of_item = of_item(facts, index);
        self.shows(&of_item, at)
    }

    /// How many items there are at least, and at most.
    pub(super) fn least_items(&self, facts: &Facts<'d>) -> usize {
        let contained = facts.maps().filter(|(map, _)| map.contains_key("contains"));
        let contained = contained.filter_map(|(map, _)| map.get("minContains").map_or(Some(1), count)).max();
        facts.least("minItems").max(contained).unwrap_or(0)
    }

    fn most_items(&self, facts: &Facts<'d>) -> Option<usize> {
        let closed = facts.maps().filter(|(map, _)| map.get("items") == Some(&Value::Bool(false)));
        let closed = closed.map(|(map, _)| map.get("prefixItems").and_then(Value::as_array).map_or(0, Vec::len));
        facts.most("maxItems").into_iter().chain(closed).min()
    }
}

/// What is known of each item.
fn of_any_item<'d>(facts: &Facts<'d>) -> Facts<'d> {
    let mut known = Facts::none();
    let plain = facts.maps().filter(|(map, _)| !map.contains_key("prefixItems"));
    plain.filter_map(|(map, part)| Some(part.with(map.get("items")?))).for_each(|items| known.add(items));
    known
}

/// What is known of the item at a position.
fn of_item<'d>(facts: &Facts<'d>, index: usize) -> Facts<'d> {
    let mut known = Facts::none();
    for (map, part) in facts.maps() {
        let tuple = map.get("prefixItems").and_then(Value::as_array);
        let schema = tuple.and_then(|tuple| tuple.get(index)).or_else(|| map.get("items"));
        schema.into_iter().for_each(|schema| known.add(part.with(schema)));
    }
    known
}
