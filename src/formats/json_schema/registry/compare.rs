//! The comparison: two schemas at a time, each pair once.

use std::rc::Rc;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::decimal::Decimal;
use super::kinds::{NULL, STACK, TIME, Terms};
use super::shape::{Combined, Criterion, Kind, Number, ShapeId, Shapes, Text};
use crate::change::Pair;
use crate::formats::json_schema::linker::Place;
use crate::formats::json_schema::reader::Reader;

/// How many pairs may be compared inside of each other.
const DEPTH: usize = 200;
/// How many pairs are compared before the request is given up.
const STEPS: usize = 400_000;
/// Of more differences of one pair only some are kept that are the same but for the way to them: where definitions refer to
/// each other, ways multiply.
const MANY: usize = 500;
/// How many of the same are kept then.
const WAYS: usize = 2;

/// A difference that is not compatible.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::formats::json_schema) struct Difference {
    /// Its type, or what the checker ends with where it gives up.
    pub(in crate::formats::json_schema) kind: &'static str,
    /// Where, as the registry spells it, without `#/`.
    pub(in crate::formats::json_schema) path: String,
    /// The schemas that differ, of the writer (`old`) and the reader (`new`).
    pub(in crate::formats::json_schema) places: Pair<Arc<Place>>,
    /// The keyword and what is under it that differs in them, as the rest of a JSON pointer.
    pub(in crate::formats::json_schema) rest: String,
}

type Found = Vec<Difference>;
type Ids = (ShapeId, ShapeId);
/// A pair, and whether the sides are exchanged, as under `not`.
type Key = (bool, ShapeId, ShapeId);

/// A comparison in the making. The first of two is what was written by, the second what reads.
pub(super) struct Checker<'s> {
    pub(super) shapes: Pair<&'s Shapes>,
    terms: Terms,
    is_exchanged: bool,
    known: FxHashMap<Key, Rc<Found>>,
    within: FxHashSet<Key>,
    /// Whether pairs are compatible that were only asked for that: of many branches each is asked of each, and what
    /// differs between them is told of none.
    compatible: FxHashMap<Key, bool>,
    /// Whether nothing but that is asked now: the first difference ends a comparison.
    pub(super) is_brief: bool,
    /// Pairs that differ, as far as the rounds before found: nothing is kept of those that were only asked for that.
    differ: FxHashMap<Key, Rc<Found>>,
    has_assumed: bool,
    steps: usize,
    /// What it gave up with: nothing more is compared then.
    ended: Option<&'static str>,
    patterns: FxHashMap<String, Option<Reader>>,
}

/// What the checker does not take for compatible of two schemas: `old` wrote, `new` reads.
///
/// A pair that is met inside of itself is taken for equal, and pairs that turn out to differ are remembered for the next
/// round, until none is new.
pub(in crate::formats::json_schema) fn differences(shapes: Pair<&Shapes>, ids: Pair<ShapeId>, terms: Terms) -> Found {
    let mut differ = FxHashMap::default();
    loop {
        let mut checker = Checker {
            shapes,
            terms,
            is_exchanged: false,
            known: FxHashMap::default(),
            within: FxHashSet::default(),
            compatible: FxHashMap::default(),
            is_brief: false,
            differ,
            has_assumed: false,
            steps: 0,
            ended: None,
            patterns: FxHashMap::default(),
        };
        let found = checker.pair(ids.old, ids.new);
        if let Some(kind) = checker.ended {
            let mut found = found.to_vec();
            if found.iter().all(|one| one.kind != kind) {
                found.push(checker.difference((ids.old, ids.new), kind, ""));
            }
            return found;
        }
        if !checker.has_assumed || !checker.remember_what_differs() {
            return found.to_vec();
        }
        differ = checker.differ;
    }
}

/// Leaves of the differences that are the same but for the way to them the first ones.
fn leave_some_ways(found: &mut Found) {
    let mut ways: FxHashMap<_, usize> = FxHashMap::default();
    found.retain(|one| {
        let places = one.places.as_ref().map(Arc::as_ptr);
        let count = ways.entry((one.kind, places, one.rest.clone())).or_default();
        *count += 1;
        *count <= WAYS
    });
}

impl<'s> Checker<'s> {
    /// Compares two schemas; what is found has paths from there on.
    fn pair(&mut self, old: ShapeId, new: ShapeId) -> Rc<Found> {
        let ids = (self.shapes.old.seen_through(old), self.shapes.new.seen_through(new));
        let key = (self.is_exchanged, ids.0, ids.1);
        if let Some(known) = self.known.get(&key) {
            return known.clone();
        }
        if self.within.contains(&key) {
            return self.differ.get(&key).filter(|found| !found.is_empty()).cloned().unwrap_or_else(|| {
                self.has_assumed = true;
                Rc::default()
            });
        }
        if self.ended.is_some() {
            return Rc::default();
        }
        if let Some(kind) = self.gives_up() {
            return Rc::new(vec![self.difference(ids, kind, "")]);
        }
        self.within.insert(key);
        let mut found = Vec::new();
        self.kinds(ids, &mut found);
        if found.len() > MANY {
            leave_some_ways(&mut found);
        }
        self.within.remove(&key);
        let found = Rc::new(found);
        self.known.insert(key, found.clone());
        found
    }

    /// What the checker ends with where it gives up: one more pair is compared.
    fn gives_up(&mut self) -> Option<&'static str> {
        self.steps += 1;
        self.ended = match self.steps > STEPS {
            true => Some(TIME),
            false => (self.within.len() >= DEPTH).then_some(STACK),
        };
        self.ended
    }

    /// Has the next round know the pairs that differ; whether one is new.
    fn remember_what_differs(&mut self) -> bool {
        let before = self.differ.len();
        let of_both = std::mem::take(&mut self.known).into_iter().filter(|(_, found)| !found.is_empty());
        self.differ.extend(of_both);
        for (key, _) in std::mem::take(&mut self.compatible).into_iter().filter(|(_, is_compatible)| !is_compatible) {
            self.differ.entry(key).or_default();
        }
        self.differ.len() > before
    }

    /// Whether what is asked is known: whether two schemas differ.
    pub(super) fn is_answered(&self, found: &Found) -> bool {
        self.is_brief && !found.is_empty()
    }

    /// Compares two schemas that stand in a pair, under a step of the path.
    pub(super) fn at(&mut self, (old, new): Ids, step: &str, found: &mut Found) {
        if self.is_brief {
            if found.is_empty() && !self.is_compatible(old, new) {
                found.push(self.difference((old, new), STACK, ""));
            }
            return;
        }
        let inside = self.pair(old, new);
        found.extend(inside.iter().map(|one| {
            let path = match (step.is_empty(), one.path.is_empty()) {
                (true, _) => one.path.clone(),
                (false, true) => step.to_owned(),
                (false, false) => format!("{step}/{}", one.path),
            };
            Difference { path, ..one.clone() }
        }));
    }

    fn exchange(&mut self) {
        self.is_exchanged = !self.is_exchanged;
        self.shapes = self.shapes.mirrored();
    }

    /// Whether a pattern takes a name, anywhere in it.
    pub(super) fn takes(&mut self, pattern: &str, name: &str) -> bool {
        let reader = self.patterns.entry(pattern.to_owned()).or_insert_with(|| Reader::of_pattern(pattern));
        reader.as_ref().is_some_and(|reader| reader.takes(&name.into()))
    }

    /// Whether one schema can read what another one wrote.
    pub(super) fn is_compatible(&mut self, old: ShapeId, new: ShapeId) -> bool {
        let ids = (self.shapes.old.seen_through(old), self.shapes.new.seen_through(new));
        let key = (self.is_exchanged, ids.0, ids.1);
        let known = self.known.get(&key).map(|found| found.is_empty());
        if let Some(is_compatible) = known.or_else(|| self.compatible.get(&key).copied()) {
            return is_compatible;
        }
        if self.within.contains(&key) {
            let differs = self.differ.contains_key(&key);
            self.has_assumed |= !differs;
            return !differs;
        }
        if self.ended.is_some() || self.gives_up().is_some() {
            return false;
        }
        self.within.insert(key);
        let is_brief = std::mem::replace(&mut self.is_brief, true);
        let mut found = Vec::new();
        self.kinds(ids, &mut found);
        self.is_brief = is_brief;
        self.within.remove(&key);
        self.compatible.insert(key, found.is_empty());
        found.is_empty()
    }

    fn difference(&self, (old, new): Ids, kind: &'static str, path: &str) -> Difference {
        let places = Pair::new(self.shapes.old.get(old).place.clone(), self.shapes.new.get(new).place.clone());
        Difference { kind, path: path.to_owned(), places, rest: path.to_owned() }
    }

    /// Adds a difference at a step of the path, unless it is compatible.
    pub(super) fn tell(&self, ids: Ids, kind: &'static str, step: &str, found: &mut Found) {
        if !self.terms.allow(kind) && !self.is_answered(found) {
            found.push(self.difference(ids, kind, step));
        }
    }

    fn kinds(&mut self, ids: Ids, found: &mut Found) {
        let (old, new) = (self.shapes.old.kind(ids.0), self.shapes.new.kind(ids.1));
        if self.is_one_of_several(ids) {
            return;
        }
        if !old.is_like(new) {
            let are_bytes = self.shapes.old.get(ids.0).is_connect_bytes && self.shapes.new.get(ids.1).is_connect_bytes;
            if !matches!(old, Kind::False) && !matches!(new, Kind::Empty) && !are_bytes {
                self.tell(ids, "TYPE_CHANGED", "", found);
            }
            return;
        }
        match (old, new) {
            (Kind::Text(old), Kind::Text(new)) => self.texts(ids, (old, new), found),
            (Kind::Number(old), Kind::Number(new)) => self.numbers(ids, (old, new), found),
            (Kind::Const(old), Kind::Const(new)) if old != new => {
                self.tell(ids, "ENUM_ARRAY_CHANGED", "const", found);
            }
            (Kind::Enum(old), Kind::Enum(new)) if !new.is_superset(old) => {
                let kind = if old.is_superset(new) { "ENUM_ARRAY_NARROWED" } else { "ENUM_ARRAY_CHANGED" };
                self.tell(ids, kind, "enum", found);
            }
            (Kind::Combined(old), Kind::Combined(new)) => self.combined(ids, (old, new), found),
            (Kind::Not(old), Kind::Not(new)) => {
                // What the reader refuses must have been refused before.
                self.exchange();
                let is_kept = self.is_compatible(*new, *old);
                self.exchange();
                if !is_kept {
                    self.tell(ids, "NOT_TYPE_EXTENDED", "not", found);
                }
            }
            (Kind::Object(old), Kind::Object(new)) => self.objects(ids, (old, new), found),
            (Kind::Array(old), Kind::Array(new)) => self.arrays(ids, (old, new), found),
            _ => {}
        }
    }

    /// Whether a schema became one of several of which one is enough, or one of several that all had to hold is left.
    fn is_one_of_several(&mut self, ids: Ids) -> bool {
        match (self.shapes.old.kind(ids.0), self.shapes.new.kind(ids.1)) {
            (Kind::Combined(_), Kind::Combined(_)) => false,
            (_, Kind::Combined(new)) if new.parts.len() == 1 || new.criterion != Criterion::All => {
                new.parts.iter().any(|part| self.is_compatible(ids.0, *part))
            }
            (Kind::Combined(old), _) if old.parts.len() == 1 || old.criterion == Criterion::All => {
                old.parts.iter().any(|part| self.is_compatible(*part, ids.1))
            }
            _ => false,
        }
    }

    fn texts(&self, ids: Ids, (old, new): (&Text, &Text), found: &mut Found) {
        self.upper(
            ids,
            ("maxLength", "MAX_LENGTH_ADDED", "MAX_LENGTH_DECREASED"),
            (old.max_length, new.max_length),
            found,
        );
        self.lower(
            ids,
            ("minLength", "MIN_LENGTH_ADDED", "MIN_LENGTH_INCREASED"),
            (old.min_length, new.min_length),
            found,
        );
        match (&old.pattern, &new.pattern) {
            (None, Some(_)) => self.tell(ids, "PATTERN_ADDED", "pattern", found),
            (Some(old), Some(new)) if old != new => self.tell(ids, "PATTERN_CHANGED", "pattern", found),
            _ => {}
        }
    }

    fn numbers(&self, ids: Ids, (old, new): (&Number, &Number), found: &mut Found) {
        self.upper(ids, ("maximum", "MAXIMUM_ADDED", "MAXIMUM_DECREASED"), (old.maximum, new.maximum), found);
        self.lower(ids, ("minimum", "MINIMUM_ADDED", "MINIMUM_INCREASED"), (old.minimum, new.minimum), found);
        match (old.exclusive_maximum, new.exclusive_maximum) {
            (None, Some(_)) => self.tell(ids, "EXCLUSIVE_MAXIMUM_ADDED", "exclusiveMaximum", found),
            // It looks at `maximum` by mistake.
            (Some(old), Some(after)) if after < old => match new.maximum {
                None => self.tell(ids, NULL, "exclusiveMaximum", found),
                Some(maximum) if old > maximum => {
                    self.tell(ids, "EXCLUSIVE_MAXIMUM_DECREASED", "exclusiveMaximum", found);
                }
                Some(_) => {}
            },
            _ => {}
        }
        let words = ("exclusiveMinimum", "EXCLUSIVE_MINIMUM_ADDED", "EXCLUSIVE_MINIMUM_INCREASED");
        self.lower(ids, words, (old.exclusive_minimum, new.exclusive_minimum), found);
        if let Some(kind) = multiples((old.multiple_of.as_deref(), new.multiple_of.as_deref())) {
            self.tell(ids, kind, "multipleOf", found);
        }
        if new.is_integer && !old.is_integer {
            self.tell(ids, "TYPE_NARROWED", "", found);
        }
    }

    /// A bound that nothing may lie above: its keyword, and what it is called when it comes and when it is lowered.
    pub(super) fn upper(
        &self,
        ids: Ids,
        (keyword, added, lowered): (&str, &'static str, &'static str),
        bounds: (Option<f64>, Option<f64>),
        found: &mut Found,
    ) {
        match bounds {
            (None, Some(_)) => self.tell(ids, added, keyword, found),
            (Some(old), Some(new)) if new < old => self.tell(ids, lowered, keyword, found),
            _ => {}
        }
    }

    /// A bound that nothing may lie below.
    pub(super) fn lower(
        &self,
        ids: Ids,
        (keyword, added, raised): (&str, &'static str, &'static str),
        bounds: (Option<f64>, Option<f64>),
        found: &mut Found,
    ) {
        match bounds {
            (None, Some(_)) => self.tell(ids, added, keyword, found),
            (Some(old), Some(new)) if new > old => self.tell(ids, raised, keyword, found),
            _ => {}
        }
    }

    /// Several schemas against several: every one of the fewer has to find another one.
    fn combined(&mut self, ids: Ids, (old, new): (&Combined, &Combined), found: &mut Found) {
        let is_single = |of: &Combined| of.parts.len() == 1;
        let is_kept = old.criterion == new.criterion
            || new.criterion == Criterion::Any
            || is_single(old) && (is_single(new) || new.criterion == Criterion::One)
            || is_single(new) && old.criterion == Criterion::All;
        if !is_kept {
            self.tell(ids, "COMBINED_TYPE_CHANGED", "", found);
            return;
        }
        let (before, after) = (distinct(self.shapes.old, old), distinct(self.shapes.new, new));
        if before.len() < after.len() && new.criterion == Criterion::All {
            self.tell(ids, "PRODUCT_TYPE_EXTENDED", "", found);
        } else if before.len() > after.len() && old.criterion != Criterion::All {
            self.tell(ids, "SUM_TYPE_NARROWED", "", found);
        }
        let fewer = before.len().min(after.len());
        let (before, after, alike) = without_alike(self.shapes, before, after);
        if before.len() * after.len() > MOST_PAIRS {
            self.tell(ids, "COMBINED_TYPE_SUBSCHEMAS_CHANGED", "", found);
            return;
        }
        let mut fits = vec![Vec::new(); before.len()];
        for (at, one) in before.iter().enumerate() {
            for (index, other) in after.iter().enumerate() {
                if self.is_compatible(*one, *other) {
                    fits[at].push(index);
                }
            }
            // What has given up knows of no more pairs.
            if self.ended.is_some() {
                break;
            }
        }
        if matched(&fits, after.len()) + alike < fewer {
            self.tell(ids, "COMBINED_TYPE_SUBSCHEMAS_CHANGED", "", found);
        }
    }
}

/// Up to so many pairs of branches are looked at in any case.
const FEW_PAIRS: usize = 250_000;
/// Of more pairs that differ none is looked at: they count as pairs that do not fit.
const MOST_PAIRS: usize = 4_000_000;

/// Of very many branches those that are the same on both sides are given each other, which leaves as many for the rest; how many.
fn without_alike(
    shapes: Pair<&Shapes>,
    before: Vec<ShapeId>,
    after: Vec<ShapeId>,
) -> (Vec<ShapeId>, Vec<ShapeId>, usize) {
    if before.len() * after.len() <= FEW_PAIRS {
        return (before, after, 0);
    }
    let texts = |shapes: &Shapes, all: &[ShapeId]| -> FxHashSet<String> {
        all.iter().filter_map(|id| shapes.get(*id).text.as_deref().map(str::to_owned)).collect()
    };
    let (old, new) = (texts(shapes.old, &before), texts(shapes.new, &after));
    let left = |shapes: &Shapes, all: Vec<ShapeId>, others: &FxHashSet<String>| -> Vec<ShapeId> {
        let is_alone = |id: &ShapeId| shapes.get(*id).text.as_ref().is_none_or(|text| !others.contains(&**text));
        all.into_iter().filter(is_alone).collect()
    };
    (left(shapes.old, before, &new), left(shapes.new, after, &old), old.intersection(&new).count())
}

/// The branches, those of the same text once.
fn distinct(shapes: &Shapes, of: &Combined) -> Vec<ShapeId> {
    let mut texts = FxHashSet::default();
    let is_new = |id: &&ShapeId| shapes.get(**id).text.as_ref().is_none_or(|text| texts.insert(text.clone()));
    of.parts.iter().filter(is_new).copied().collect()
}

/// How many can be given one that fits, each another one: augmenting paths, without recursion.
fn matched(fits: &[Vec<usize>], others: usize) -> usize {
    let mut given: Vec<Option<usize>> = vec![None; others];
    let mut count = 0;
    for start in 0..fits.len() {
        let mut from: FxHashMap<usize, usize> = FxHashMap::default();
        let mut open = vec![start];
        let mut end = None;
        'search: while let Some(one) = open.pop() {
            for other in &fits[one] {
                if from.contains_key(other) {
                    continue;
                }
                from.insert(*other, one);
                match given[*other] {
                    None => {
                        end = Some(*other);
                        break 'search;
                    }
                    Some(next) => open.push(next),
                }
            }
        }
        count += usize::from(end.is_some());
        while let Some(other) = end {
            let one = from[&other];
            end = given.iter().position(|has| *has == Some(one)).filter(|_| one != start);
            given[other] = Some(one);
        }
    }
    count
}

fn multiples(pair: (Option<&str>, Option<&str>)) -> Option<&'static str> {
    match pair {
        (None, Some(_)) => Some("MULTIPLE_OF_ADDED"),
        (Some(old), Some(new)) => {
            let (Some(before), Some(after)) = (Decimal::parse(old), Decimal::parse(new)) else {
                return (old != new).then_some("MULTIPLE_OF_CHANGED");
            };
            if before.compared(after).is_some_and(std::cmp::Ordering::is_eq) {
                None
            } else if after.is_multiple_of(before) {
                Some("MULTIPLE_OF_EXPANDED")
            } else if before.is_multiple_of(after) {
                None
            } else {
                Some("MULTIPLE_OF_CHANGED")
            }
        }
        _ => None,
    }
}
