//! Whether one document takes all that another one takes, shown step by step along both of them: each keyword of the one that
//! reads follows from what the one that writes says of the same value, or of each of its members and items.
//!
//! What is being shown is assumed where it is met again further inside, so what is recursive needs no unfolding. All answers
//! but "yes" mean nothing: this knows few laws, and [`super::engine`] others.

mod arrays;
mod facts;
mod objects;
mod scalars;
mod sound;

use rustc_hash::{FxHashMap, FxHashSet};
use serde_json::{Map, Value};

use self::facts::{At, Facts, Types, resolved};
use super::engine::with_room;
use super::reader::Reader;
use super::same::equal;

/// Goals that are looked into.
const MOST_STEPS: usize = 30_000;
/// How deep goals lie in each other.
const DEEPEST: usize = 160;
/// Lists of branches of which one value is asked with each.
const MOST_CHOICES: usize = 3;
/// How deep it is looked for what no value can be.
const DEEPEST_EMPTY: usize = 4;

/// That all values of which some facts hold are valid for a schema.
type Goal = (Vec<usize>, Types, usize);

/// What is asked of texts: the patterns that are found, the one that is not, and how many characters there are.
type Asked<'d> = (Vec<&'d str>, Option<String>, usize, usize);

/// What is known on the way.
#[derive(Default)]
struct Prover<'d> {
    /// What was shown, or is being shown and assumed.
    shown: FxHashSet<Goal>,
    /// The same in its order: what an assumption that fails has led to goes with it.
    trail: Vec<Goal>,
    failed: FxHashSet<Goal>,
    same: FxHashMap<(usize, usize), bool>,
    readers: FxHashMap<&'d str, Option<Reader>>,
    texts: FxHashMap<Asked<'d>, bool>,
    steps: usize,
    depth: usize,
}

/// Whether it is shown that all data which one document takes are valid for another.
pub(super) fn is_contained(written: &Value, read: &Value) -> bool {
    if !sound::is_founded(written) || !sound::is_founded(read) {
        return false;
    }
    let is_shown = || {
        let facts = Facts::of(At { schema: written, document: written });
        Prover::default().shows(&facts, At { schema: read, document: read })
    };
    with_room(is_shown).unwrap_or(false)
}

impl<'d> Prover<'d> {
    /// Whether all values of which some facts hold are valid for a schema.
    fn shows(&mut self, facts: &Facts<'d>, read: At<'d>) -> bool {
        let map = match read.schema {
            Value::Bool(true) => return true,
            Value::Object(map) => map,
            _ => return self.is_empty(facts, 0),
        };
        self.steps += 1;
        if map.is_empty() || facts.types.is_none() {
            return true;
        }
        if self.steps > MOST_STEPS || self.depth > DEEPEST {
            return false;
        }
        let goal: Goal = (facts.key(), facts.types, std::ptr::from_ref(read.schema).addr());
        if self.shown.contains(&goal) {
            return true;
        }
        if self.failed.contains(&goal) {
            return false;
        }
        let before = self.trail.len();
        self.shown.insert(goal.clone());
        self.trail.push(goal.clone());
        self.depth += 1;
        let is_shown = self.follows(facts, map, read) || self.is_empty(facts, 0) || self.shows_each(facts, read);
        self.depth -= 1;
        if !is_shown {
            for goal in self.trail.drain(before..) {
                self.shown.remove(&goal);
            }
            self.failed.insert(goal);
        }
        is_shown
    }

    /// The same of the values of each type by itself, or of each branch.
    fn shows_each(&mut self, facts: &Facts<'d>, read: At<'d>) -> bool {
        let types = facts.types.each();
        if types.len() > 1 {
            return types.into_iter().all(|ty| self.shows(&facts.of_type(ty), read));
        }
        (0..facts.choices.len().min(MOST_CHOICES)).any(|index| {
            let branches = facts.each_branch(index);
            branches.iter().all(|branch| self.shows(branch, read))
        })
    }

    /// Whether each keyword follows.
    fn follows(&mut self, facts: &Facts<'d>, map: &'d Map<String, Value>, read: At<'d>) -> bool {
        map.iter().all(|(keyword, value)| self.follows_keyword(facts, (keyword, value), (map, read)))
            || facts.parts.iter().any(|part| self.is_same(*part, read))
    }

    fn follows_keyword(
        &mut self,
        facts: &Facts<'d>,
        (keyword, value): (&'d str, &'d Value),
        (map, read): (&'d Map<String, Value>, At<'d>),
    ) -> bool {
        let at = read.with(value);
        if let Some(types) = Types::about(keyword)
            && !facts.types.meets(types)
        {
            return true;
        }
        let list = || value.as_array().into_iter().flatten().map(|branch| read.with(branch));
        match keyword {
            "$schema" | "$defs" | "then" | "else" | "minContains" => true,
            _ if keyword == super::ways::MARK => true,
            "$ref" => resolved(at).is_some_and(|target| self.shows(facts, target)),
            "allOf" => list().all(|branch| self.shows(facts, branch)),
            "anyOf" => list().any(|branch| self.shows(facts, branch)),
            "oneOf" => {
                let branches: Vec<At<'d>> = list().collect();
                (0..branches.len()).any(|one| {
                    self.shows(facts, branches[one])
                        && (0..branches.len()).all(|other| other == one || self.excludes(facts, branches[other], 0))
                })
            }
            "not" => self.excludes(facts, at, 0) || self.is_denied(facts, at),
            "if" => self.follows_condition(
                facts,
                at,
                [map.get("then"), map.get("else")].map(|of| of.map(|of| read.with(of))),
            ),
            "type" => facts.types.is_within(Types::of(value)),
            "enum" | "const" => self.follows_values(facts, keyword, value),
            "unevaluatedProperties" | "unevaluatedItems" => {
                matches!(value, Value::Bool(true)) || value.as_object().is_some_and(Map::is_empty)
            }
            "format" => self.follows_limit(facts, keyword, value),
            _ => match Types::about(keyword) {
                Some(Types::NUMBER | Types::STRING) => self.follows_limit(facts, keyword, value),
                Some(Types::OBJECT) => self.follows_of_members(facts, keyword, (map, at)),
                Some(Types::ARRAY) => self.follows_of_items(facts, keyword, (map, at)),
                Some(_) | None => false,
            },
        }
    }

    fn follows_condition(&mut self, facts: &Facts<'d>, condition: At<'d>, [then, other]: [Option<At<'d>>; 2]) -> bool {
        let does_then_hold = then.is_none_or(|then| {
            self.shows(facts, then) || self.excludes(facts, condition, 0) || self.shows(&facts.and(condition), then)
        });
        does_then_hold && other.is_none_or(|other| self.shows(facts, other) || self.shows(facts, condition))
    }

    /// Whether no value is both: of which some facts hold, and that is valid for a schema.
    fn excludes(&mut self, facts: &Facts<'d>, read: At<'d>, depth: usize) -> bool {
        self.is_empty(&facts.and(read), depth)
    }

    /// Whether values are none of another schema that holds all of one.
    fn is_denied(&mut self, facts: &Facts<'d>, denied: At<'d>) -> bool {
        let nots: Vec<At<'d>> = facts.under("not").collect();
        nots.into_iter().any(|not| self.shows(&Facts::of(denied), not))
    }

    /// Whether no value is as some facts say.
    fn is_empty(&mut self, facts: &Facts<'d>, depth: usize) -> bool {
        if facts.types.is_none() || facts.values().is_some_and(|values| values.is_empty()) {
            return true;
        }
        if depth >= DEEPEST_EMPTY || self.steps > MOST_STEPS {
            return false;
        }
        self.steps += 1;
        let lacks_a_member = facts.types.are_objects() && {
            let names: Vec<&'d str> = facts.required().collect();
            names.into_iter().any(|name| {
                let of_member = self.of_member(facts, name);
                self.is_empty(&of_member, depth + 1)
            })
        };
        let branches = |index: usize| facts.each_branch(index);
        lacks_a_member
            || facts.types.are_arrays() && facts.most("maxItems").is_some_and(|most| most < self.least_items(facts))
            || (0..facts.choices.len()).any(|index| branches(index).iter().all(|one| self.is_empty(one, depth + 1)))
    }

    fn follows_values(&mut self, facts: &Facts<'d>, keyword: &str, value: &'d Value) -> bool {
        let allowed: Vec<&Value> = match value {
            Value::Array(list) if keyword == "enum" => list.iter().collect(),
            value => vec![value],
        };
        let has = |one: &Value| allowed.iter().any(|other| equal(one, other));
        match facts.values() {
            Some(values) => values.into_iter().all(has),
            None => {
                let constants = [(Types::NULL, vec![Value::Null]), (Types::BOOLEAN, vec![false.into(), true.into()])];
                facts.types.each().into_iter().all(|ty| {
                    constants.iter().any(|(of, values)| *of == ty && values.iter().all(has))
                        || ty == Types::STRING && self.are_texts_among(facts, &allowed)
                })
            }
        }
    }

    /// Whether a schema is the same as another, whatever its parts are called.
    fn is_same(&mut self, one: At<'d>, other: At<'d>) -> bool {
        let key = [one, other].map(|at| std::ptr::from_ref(at.schema).addr());
        if let Some(known) = self.same.get(&(key[0], key[1])) {
            return *known;
        }
        let is_same = sound::are_same(one, other);
        self.same.insert((key[0], key[1]), is_same);
        is_same
    }
}

#[cfg(test)]
#[path = "contained_tests.rs"]
mod tests;
