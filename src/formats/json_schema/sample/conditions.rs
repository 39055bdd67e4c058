//! Which conditions hold of the values that are made.

use serde_json::{Map, Value};

use super::{Parts, Sampler};
use crate::formats::json_schema::known::Known;
use crate::ordered::InOrder;

/// How often of a hundred a member that conditions ask for has one of the values that they speak of.
const TAGGED: usize = 50;
/// Of more conditions that are asked of one value only so many are thought of for one datum.
const MOST_SETTLED: usize = 60;

impl<'d> Sampler<'d> {
    /// Decides which conditions hold of a value that some schemas look at, and adds what follows: first those on the way, then
    /// the others, as long as a value can have it all.
    pub(super) fn settle(&mut self, parts: &mut Parts<'d>) -> Option<()> {
        let mut known = Known::default();
        let mut settled = 0;
        while settled < parts.len() {
            let mut open: Vec<(usize, &'d Map<String, Value>)> = parts[settled..]
                .iter()
                .filter(|part| part.contains_key("if"))
                .map(|part| (self.nearness(part), *part))
                .collect();
            settled = parts.len();
            if open.is_empty() {
                continue;
            }
            let first = self.random.below(open.len());
            open.rotate_left(first);
            open.sort_in_order_by_key(|(steps, _)| *steps);
            for (_, map) in open.split_off(open.len().min(MOST_SETTLED)) {
                // Of so many it is unlikely that one more holds.
                if let Some(other) = map.get("else") {
                    self.gather(other, parts)?;
                }
            }
            for (steps, map) in open {
                known.take(self.document, parts);
                if steps == usize::MAX && self.tag.is_none() && self.random.percent(TAGGED) {
                    self.choose_tag(map, &mut known);
                }
                self.condition(map, parts, &known)?;
            }
        }
        Some(())
    }

    /// How far a condition and what follows from it are from the goal.
    fn nearness(&self, map: &Map<String, Value>) -> usize {
        let Some(way) = self.way.filter(|_| self.on_way) else { return usize::MAX };
        let steps = ["if", "then", "else"].map(|keyword| map.get(keyword).and_then(|schema| way.steps(schema)));
        steps.into_iter().flatten().min().unwrap_or(usize::MAX)
    }

    fn condition(&mut self, map: &'d Map<String, Value>, parts: &mut Parts<'d>, known: &Known<'d>) -> Option<()> {
        let Some(condition) = map.get("if") else { return Some(()) };
        let leads = |keyword: &str| {
            let way = self.way.filter(|_| self.on_way);
            way.is_some_and(|way| map.get(keyword).is_some_and(|schema| way.steps(schema).is_some()))
        };
        let often = if leads("then") || leads("if") {
            90
        } else if leads("else") {
            10
        } else {
            60
        };
        let is_tagged = self.tag.is_some_and(|(name, _)| self.asked(condition).speaks_of(name));
        let often = if is_tagged { 95 } else { often };
        let before = parts.len();
        let holds = self.random.percent(often)
            && self.gather(condition, parts).is_some()
            && map.get("then").is_none_or(|then| self.gather(then, parts).is_some())
            && known.allows(self.document, &parts[before..]);
        if holds {
            return Some(());
        }
        parts.truncate(before);
        map.get("else").map_or(Some(()), |other| self.gather(other, parts))
    }

    /// Chooses a value of a member that a condition asks for, among those that either side speaks of.
    fn choose_tag(&mut self, map: &'d Map<String, Value>, known: &mut Known<'d>) {
        let Some(condition) = map.get("if") else { return };
        let names = self.asked(condition).names();
        let Some(name) = self.random.pick(&names).copied() else { return };
        let values = self.hints.of_members.get(name).map_or(&[][..], |hints| &hints.values);
        let values: Vec<&'d Value> = values.iter().filter(|value| known.leaves(name, value)).collect();
        if let Some(value) = self.random.pick(&values).copied() {
            known.fix(name, value);
            self.tag = Some((name, value));
        }
    }

    /// What a condition says of members.
    fn asked(&self, condition: &'d Value) -> Known<'d> {
        let target = condition.get("$ref").and_then(Value::as_str).and_then(|target| target.strip_prefix('#'));
        let target = target.and_then(|pointer| self.document.pointer(pointer));
        let parts: Vec<&'d Map<String, Value>> =
            [Some(condition), target].into_iter().flatten().filter_map(Value::as_object).collect();
        let mut asked = Known::default();
        asked.take(self.document, &parts);
        asked
    }
}
