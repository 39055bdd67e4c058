//! The names of members that no schema lists.

use serde_json::{Map, Value};

use super::{MOST, MOST_MEMBERS, Parts, SPARSE, Sampler, size};
use crate::ordered::OrderedSet;

/// Characters of a name.
const LONGEST_NAME: usize = 5_000;

impl<'d> Sampler<'d> {
    /// A name that likely nobody says anything of, whatever patterns there are.
    pub(super) fn uncommon_name(&mut self) -> String {
        const OTHERS: [&str; 10] = ["K", "k", "0", "7k", "-", "_k", "k k", "é", "$", "K.k"];
        match self.random.percent(50) {
            true => format!("k{}", self.random.below(3)),
            false => (*self.random.pick(&OTHERS).unwrap_or(&"k")).to_owned(),
        }
    }

    /// A name as schemas of names say; where one of them was edited, one that only this side takes.
    fn name_of(&mut self, schemas: &[&'d Value], depth: usize) -> Option<String> {
        if let Some(way) = self.way.filter(|_| self.random.percent(60)) {
            let mut parts = Parts::default();
            schemas.iter().try_for_each(|schema| self.gather(schema, &mut parts))?;
            if let Some(text) = way.text().filter(|_| parts.iter().any(|part| way.is_goal(part))) {
                return Some(text.to_owned());
            }
        }
        self.value(schemas, depth)?.as_str().map(str::to_owned)
    }

    /// How many names are wanted beside so many.
    fn wanted_names(&mut self, there: usize, (least, most): (usize, usize), depth: usize) -> usize {
        let needed = least.saturating_sub(there);
        if depth >= SPARSE {
            return needed.min(MOST_MEMBERS);
        }
        let counts = &self.hints_here().members;
        let wanted = match !counts.is_empty() && self.random.percent(40) {
            true => self.size(least.max(there), most, counts).saturating_sub(there),
            false => self.random.below(3),
        };
        let wanted = if self.copies(wanted).is_some() { wanted } else { 0 };
        wanted.max(needed).min(MOST_MEMBERS)
    }

    /// Names that no schema lists.
    pub(super) fn extra_names(
        &mut self,
        parts: &[&'d Map<String, Value>],
        names: &mut OrderedSet<String>,
        depth: usize,
    ) {
        let hints = self.hints;
        let patterns: Vec<&str> = parts
            .iter()
            .filter_map(|part| part.get("patternProperties")?.as_object())
            .flat_map(|map| map.keys().map(String::as_str))
            .collect();
        let is_closed = parts.iter().any(|part| part.get("additionalProperties") == Some(&Value::Bool(false)));
        let least = size(parts, "minProperties", usize::max).unwrap_or(0);
        let start = if patterns.len() > MOST { self.random.below(patterns.len() - MOST + 1) } else { 0 };
        for pattern in patterns.iter().skip(start).take(MOST) {
            if depth < SPARSE && self.random.percent(50) {
                names.extend(self.matching(pattern));
            }
        }
        let name_schemas: Vec<&'d Value> = parts.iter().filter_map(|part| part.get("propertyNames")).collect();
        let most = size(parts, "maxProperties", usize::min).unwrap_or(usize::MAX);
        let wanted = self.wanted_names(names.len(), (least, most), depth);
        if is_closed && !patterns.is_empty() {
            for _ in 0..wanted.min(MOST) {
                let pattern = self.random.pick(&patterns).copied();
                names.extend(pattern.and_then(|pattern| self.matching(pattern)));
            }
        }
        let wanted = if is_closed { least.saturating_sub(names.len()).min(MOST) } else { wanted };
        let before = names.len();
        for index in 0..wanted {
            let name = match self.random.below(5) {
                _ if !name_schemas.is_empty() && self.random.percent(70) => self.name_of(&name_schemas, depth + 1),
                _ if index > MOST => Some(format!("k{index}")),
                0 => self.random.pick(&hints.names).cloned(),
                1 => {
                    let pattern = self.random.pick(&hints.patterns).cloned();
                    pattern.and_then(|pattern| self.matching(&pattern))
                }
                2 => Some(self.free_text()),
                3 => Some("k".repeat(self.size(0, LONGEST_NAME, &hints.lengths))),
                _ if self.random.percent(30) => Some(self.uncommon_name()),
                _ => Some(format!("k{index}")),
            };
            names.extend(name);
        }
        // Some were there already.
        let missing = (before + wanted).saturating_sub(names.len());
        if missing > 0 && wanted > 2 && name_schemas.is_empty() {
            names.extend((0..missing).map(|index| format!("m{index}")));
        }
    }
}
