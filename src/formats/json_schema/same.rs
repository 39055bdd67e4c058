//! Whether two schemas say the same, notes included, whatever they are called and wherever they stand.

use rustc_hash::FxHashSet;
use serde_json::Value;

use super::model::{NodeId, Part, Schema};
use crate::change::Pair;

/// Finds out which schemas of two sides are the same, each pair once.
pub(super) struct Same<'s> {
    schemas: Pair<&'s Schema>,
    equal: FxHashSet<Pair<NodeId>>,
    differing: FxHashSet<Pair<NodeId>>,
}

impl<'s> Same<'s> {
    pub(super) fn new(schemas: Pair<&'s Schema>) -> Self {
        Same { schemas, equal: FxHashSet::default(), differing: FxHashSet::default() }
    }

    /// Whether two schemas are the same; recursive ones are unless something inside differs.
    pub(super) fn are(&mut self, nodes: Pair<NodeId>) -> bool {
        let nodes = self.seen_through(nodes);
        if self.equal.contains(&nodes) {
            return true;
        }
        if self.differing.contains(&nodes) {
            return false;
        }
        let mut met = FxHashSet::from_iter([nodes]);
        // Each pair with the one that holds it.
        let mut steps = vec![(nodes, 0)];
        let mut open = vec![0];
        while let Some(at) = open.pop() {
            let Some(children) = self.level(steps[at].0) else { return self.differ(at, &steps) };
            for child in children {
                let child = self.seen_through(child);
                if self.differing.contains(&child) {
                    return self.differ(at, &steps);
                }
                if !self.equal.contains(&child) && met.insert(child) {
                    open.push(steps.len());
                    steps.push((child, at));
                }
            }
        }
        self.equal.extend(met);
        true
    }

    /// What holds a pair that differs does so as well.
    fn differ(&mut self, mut at: usize, steps: &[(Pair<NodeId>, usize)]) -> bool {
        while at != 0 {
            self.differing.insert(steps[at].0);
            at = steps[at].1;
        }
        self.differing.insert(steps[0].0);
        false
    }

    fn seen_through(&self, nodes: Pair<NodeId>) -> Pair<NodeId> {
        self.schemas.zip(nodes, Schema::seen_through)
    }

    /// The pairs of children, if nothing differs but in them.
    fn level(&self, pair: Pair<NodeId>) -> Option<Vec<Pair<NodeId>>> {
        let Pair { old, new } = self.schemas.zip(pair, Schema::node);
        let notes = old.notes.len() == new.notes.len()
            && old.notes.iter().all(|(key, note)| new.notes.get(key).is_some_and(|other| other.value == note.value));
        if !notes
            || old.is_false != new.is_false
            || old.elsewhere != new.elsewhere
            || old.keywords.len() != new.keywords.len()
        {
            return None;
        }
        let mut children = Vec::new();
        for (name, keyword) in &old.keywords {
            match (&keyword.part, &new.keywords.get(name)?.part) {
                (Part::Value(one), Part::Value(other)) => same_value(name, one, other).then_some(())?,
                (Part::Schema(one), Part::Schema(other)) => children.push(Pair::new(*one, *other)),
                (Part::List(one), Part::List(other)) => {
                    (one.len() == other.len()).then_some(())?;
                    children.extend(one.iter().zip(other).map(|(one, other)| Pair::new(*one, *other)));
                }
                (Part::Map(one), Part::Map(other)) => {
                    (one.len() == other.len()).then_some(())?;
                    for (name, child) in one {
                        children.push(Pair::new(*child, *other.get(name)?));
                    }
                }
                _ => return None,
            }
        }
        Some(children)
    }
}

/// So many values are looked for one by one.
const FEW: usize = 8;

/// The indices of the values that another list lacks.
pub(super) fn lacking(list: &[Value], other: &[Value]) -> Vec<usize> {
    if list.len().min(other.len()) <= FEW {
        let is_lacking = |index: &usize| !other.iter().any(|one| equal(&list[*index], one));
        return (0..list.len()).filter(is_lacking).collect();
    }
    // Texts and integers are equal to themselves alone, which need not be looked for one by one.
    let plain = |value: &Value| value.is_string() || value.is_i64();
    let texts: FxHashSet<&Value> = other.iter().filter(|value| plain(value)).collect();
    let rest: Vec<&Value> = other.iter().filter(|value| !value.is_string()).collect();
    let has_fractions = rest.iter().any(|other| other.is_f64());
    let has = |value: &Value| match value.is_string() || value.is_i64() && !has_fractions {
        true => texts.contains(value),
        false => rest.iter().any(|other| equal(value, other)),
    };
    (0..list.len()).filter(|index| !has(&list[*index])).collect()
}

/// Whether two values of a keyword mean the same: lists of names and of values are sets.
pub(super) fn same_value(keyword: &str, one: &Value, other: &Value) -> bool {
    match (keyword, one, other) {
        ("enum" | "required" | "type", Value::Array(one), Value::Array(other)) => {
            lacking(one, other).is_empty() && lacking(other, one).is_empty()
        }
        _ => equal(one, other),
    }
}

/// Whether two JSON values are equal (Core §4.2.2): numbers by value, the order of members aside.
pub(super) fn equal(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => {
            one == other || (one.is_f64() || other.is_f64()) && one.as_f64() == other.as_f64()
        }
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| equal(one, other))
        }
        (Value::Object(one), Value::Object(other)) => {
            one.len() == other.len()
                && one.iter().all(|(key, value)| other.get(key).is_some_and(|other| equal(value, other)))
        }
        _ => one == other,
    }
}
