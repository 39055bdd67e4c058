//! Data made after a schema, keyword by keyword, with a preference for what lies at the limits of either side. What comes
//! out is only likely to be valid; the reader says whether it is.

mod conditions;
mod lists;
mod names;
mod numbers;
mod together;

use std::cell::RefCell;
use std::ops::Deref;
use std::rc::Rc;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};
use serde_json::{Map, Value};

use super::formats;
use super::hints::Hints;
use super::patterns::Finders;
use super::random::Random;
use super::reader::Reader;
use super::texts::Texts;
use super::ways::{Step, Way};
use crate::ordered::{OrderedMap, OrderedSet};

/// How deep data are made.
const DEEPEST: usize = 9;
/// From here on only what has to be there is made.
const SPARSE: usize = 5;
/// How deep the end of a way may lie.
pub(super) const LONGEST_WAY: usize = 40;
/// How deep what is made at the end of a way counts as.
const AT_GOAL: usize = 3;
/// How often of a hundred a way need not be the shortest.
const DETOURS: usize = 20;
/// Schemas that look at one value.
const MOST_PARTS: usize = 4_000;
/// Values of one datum, beside those of the members and items that have to be there, of which so many count.
const VALUES: usize = 400;
const MOST_DEMANDED: usize = 20_000;
/// Items and members of one value.
const MOST: usize = 40;

/// Numbers and lengths of either side that are tried for one value.
const NEAR: usize = 12;
/// No text is made that has to have more characters.
const LONGEST_TEXT: usize = 70_000;
/// Values of one datum that are copies of others, and how many characters of a long text count as one.
const COPIES: usize = 20_000;
const CHARACTERS: usize = 16;
/// So many bytes of texts that are walked count as one value.
const BYTES_FOR_ONE: usize = 1_000;
/// How often of a hundred a value is a list or an object that a side lists.
const HINTED: usize = 12;
/// Of the schemas that look at one value these count with it, and so many of the others as one value more.
const FEW_PARTS: usize = 16;
const PARTS_FOR_ONE: usize = 4;
/// Members that are made each by itself, where others are said the same of.
const MADE: usize = 40;
/// Of more members that may be absent only so many next to each other are thought of for one datum.
const DECLARED: usize = 200;

/// No object is made with more members, unless they are listed.
const MOST_MEMBERS: usize = 1_200;

/// The patterns that are found in a text, the one that is not, and how many characters it has.
type Sought = (Vec<String>, Option<String>, usize, usize);

/// What tells whether names match patterns, made ready once for all data of a document.
#[derive(Default)]
pub(super) struct Matchers {
    of: RefCell<FxHashMap<String, Option<Reader>>>,
    /// Texts that were sought with several patterns at once, and what was found.
    told_apart: RefCell<FxHashMap<Sought, Option<String>>>,
    finders: Arc<Finders>,
}

impl Matchers {
    pub(super) fn with(finders: &Arc<Finders>) -> Matchers {
        Matchers { finders: finders.clone(), ..Matchers::default() }
    }

    fn do_match(&self, pattern: &str, name: &str) -> bool {
        let mut of = self.of.borrow_mut();
        if !of.contains_key(pattern) {
            of.insert(pattern.to_owned(), Reader::of_pattern(pattern));
        }
        let reader = of.get(pattern).and_then(Option::as_ref);
        reader.is_some_and(|reader| reader.takes(&Value::from(name)))
    }
}

/// Makes data of one document.
pub(super) struct Sampler<'d> {
    document: &'d Value,
    hints: &'d Hints,
    /// The member that is made, if one is.
    member: Option<&'d Hints>,
    random: Random,
    texts: OrderedMap<String, Texts>,
    matchers: Rc<Matchers>,
    /// How many of the members that may be absent are made, of a hundred.
    fullness: usize,
    /// How many values may be made for one datum, and how many of them are left.
    most: usize,
    left: usize,
    /// How many more may be copies.
    copied: usize,
    /// Of the texts that were sought with several patterns at once those that were sought here.
    told_apart: FxHashMap<Sought, Option<String>>,
    /// How many schemas looked at the values of the last datum.
    gathered: usize,
    /// How many bytes of such texts were walked for the last datum.
    walked: usize,
    /// Where data are to lead, if anywhere.
    way: Option<&'d Way<'d>>,
    /// Whether the value that is made lies on it.
    on_way: bool,
    /// The member by which conditions of the object that is made are told apart, and its value.
    tag: Option<(&'d str, &'d Value)>,
}

/// All schemas that look at one value, each once.
#[derive(Default)]
struct Parts<'d> {
    list: Vec<&'d Map<String, Value>>,
    /// Where they are kept.
    seen: FxHashSet<usize>,
}

impl<'d> Parts<'d> {
    /// Adds one; whether it is new.
    fn add(&mut self, part: &'d Map<String, Value>) -> bool {
        let is_new = self.seen.insert(std::ptr::from_ref(part).addr());
        if is_new {
            self.list.push(part);
        }
        is_new
    }

    /// Leaves the first ones.
    fn truncate(&mut self, count: usize) {
        for part in self.list.drain(count..) {
            self.seen.remove(&std::ptr::from_ref(part).addr());
        }
    }
}

impl<'d> Deref for Parts<'d> {
    type Target = [&'d Map<String, Value>];

    fn deref(&self) -> &Self::Target {
        &self.list
    }
}

impl<'d> Sampler<'d> {
    /// `room` is what [`room`] says of the document.
    pub(super) fn new(document: &'d Value, hints: &'d Hints, seed: u64, room: usize) -> Self {
        Sampler {
            document,
            hints,
            member: None,
            random: Random::new(seed),
            texts: OrderedMap::new(),
            matchers: Rc::default(),
            fullness: 50,
            most: room,
            left: 0,
            copied: 0,
            told_apart: FxHashMap::default(),
            gathered: 0,
            walked: 0,
            way: None,
            on_way: false,
            tag: None,
        }
    }

    /// The same with what tells whether names match patterns.
    pub(super) fn knowing(self, matchers: &Rc<Matchers>) -> Self {
        Sampler { matchers: matchers.clone(), ..self }
    }

    /// How many values were made for the last datum, whatever came of it, and what was sought for them.
    pub(super) const fn spent(&self) -> usize {
        self.most - self.left + (COPIES - self.copied) / CHARACTERS + self.sought()
    }

    /// As how many values that counts which was sought for the last datum.
    pub(super) const fn sought(&self) -> usize {
        self.walked / BYTES_FOR_ONE + self.gathered / PARTS_FOR_ONE
    }

    /// The same for data that lead to an edit.
    pub(super) fn towards(self, way: &'d Way<'d>) -> Self {
        Sampler { way: Some(way), ..self }
    }

    /// One datum; `None` where nothing came of it.
    pub(super) fn one(&mut self) -> Option<Value> {
        self.on_way = self.way.is_some();
        let fullness = if self.on_way { [0, 0, 0, 30] } else { [0, 30, 70, 100] };
        self.fullness = fullness[self.random.below(4)];
        self.left = self.most;
        self.copied = COPIES;
        self.walked = 0;
        self.gathered = 0;
        self.member = None;
        self.value(&[self.document], 0)
    }

    fn value(&mut self, schemas: &[&'d Value], depth: usize) -> Option<Value> {
        let deepest = if self.on_way { LONGEST_WAY } else { DEEPEST };
        if depth > deepest || self.left == 0 {
            return None;
        }
        self.left -= 1;
        let mut parts = Parts::default();
        for schema in schemas {
            self.gather(schema, &mut parts)?;
        }
        self.tag = None;
        self.settle(&mut parts)?;
        self.gathered += parts.len().saturating_sub(FEW_PARTS);
        let way = self.way.filter(|_| std::mem::take(&mut self.on_way));
        match way {
            Some(way) if parts.iter().any(|part| way.is_goal(part)) => self.at_goal(way, &parts),
            Some(way) => match self.choose(&way.onward(&parts)) {
                Some(step @ Step::Item(_)) => self.list(&parts, depth, Some((&step, true))),
                Some(step) => self.object(&parts, depth, Some((&step, true))),
                None => self.of_parts(&parts, depth),
            },
            None => self.of_parts(&parts, depth),
        }
    }

    /// A value that shows what was edited in its schema.
    fn at_goal(&mut self, way: &'d Way<'d>, parts: &[&'d Map<String, Value>]) -> Option<Value> {
        self.fullness = [0, 0, 30, 70][self.random.below(4)];
        if let Some(value) = way.value().filter(|value| is_choice(parts, value, way)) {
            return Some(value.clone());
        }
        if let Some(text) = way.text().filter(|_| self.random.percent(60)) {
            return Some(Value::from(text));
        }
        match self.random.pick(&way.steps_at_goal()) {
            Some(step @ Step::Item(_)) => self.list(parts, AT_GOAL, Some((step, false))),
            Some(step) => self.object(parts, AT_GOAL, Some((step, false))),
            None => self.of_parts(parts, AT_GOAL),
        }
    }

    /// One of some ways on: mostly the shortest.
    fn choose(&mut self, onward: &[(usize, Step)]) -> Option<Step> {
        let shortest = onward.iter().map(|(steps, _)| *steps).min()?;
        let is_free = self.random.percent(DETOURS);
        let chosen: Vec<&Step> =
            onward.iter().filter(|(steps, _)| is_free || *steps == shortest).map(|(_, step)| step).collect();
        self.random.pick(&chosen).map(|step| (*step).clone())
    }

    /// The branch that is tried first.
    fn first_branch(
        &mut self,
        map: &Map<String, Value>,
        keyword: &str,
        parts: &[&'d Map<String, Value>],
    ) -> (usize, bool) {
        let branches = map.get(keyword).and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        let any = self.random.below(branches.len());
        let Some(way) = self.way.filter(|_| self.on_way) else { return (any, false) };
        if let Some(index) = way.branch(keyword).filter(|index| way.is_goal(map) && *index < branches.len()) {
            return (index, true);
        }
        if parts.iter().any(|part| way.is_goal(part)) {
            return (any, false);
        }
        let lead = branches.iter().enumerate();
        let onward: Vec<(usize, Step)> =
            lead.filter_map(|(index, branch)| Some((way.steps(branch)?, Step::Item(index)))).collect();
        match self.choose(&onward) {
            Some(Step::Item(index)) => (index, true),
            _ => (any, false),
        }
    }

    /// Adds the schemas that look at the same value; one branch is chosen where there are several.
    fn gather(&mut self, schema: &'d Value, parts: &mut Parts<'d>) -> Option<()> {
        let map = match schema {
            Value::Bool(is_true) => return is_true.then_some(()),
            Value::Object(map) => map,
            _ => return None,
        };
        // A reference may lead round in a circle.
        if parts.len() > MOST_PARTS || !parts.add(map) {
            return Some(());
        }
        let reference = map.get("$ref").and_then(Value::as_str).and_then(|reference| reference.strip_prefix('#'));
        if let Some(target) = reference.and_then(|pointer| self.document.pointer(pointer)) {
            self.gather(target, parts)?;
        }
        for part in map.get("allOf").and_then(Value::as_array).into_iter().flatten() {
            self.gather(part, parts)?;
        }
        for keyword in ["anyOf", "oneOf"] {
            if let Some(branches) = map.get(keyword).and_then(Value::as_array) {
                let (start, is_led) = self.first_branch(map, keyword, parts);
                // One branch may be impossible beside the rest.
                (0..branches.len()).find(|step| self.gathers(&branches[(start + step) % branches.len()], parts))?;
                // Data of two branches at once.
                if !is_led
                    && self.random.percent(25)
                    && let Some(second) = self.random.pick(branches)
                {
                    self.gathers(second, parts);
                }
            }
        }
        Some(())
    }

    /// The same where it is possible beside the rest; whether it is.
    fn gathers(&mut self, schema: &'d Value, parts: &mut Parts<'d>) -> bool {
        let before = parts.len();
        let is_possible = self.gather(schema, parts).is_some();
        if !is_possible {
            parts.truncate(before);
        }
        is_possible
    }

    fn of_parts(&mut self, parts: &[&'d Map<String, Value>], depth: usize) -> Option<Value> {
        if let Some(values) = choice(parts) {
            return self.random.pick(&values).copied().cloned();
        }
        let types = self.types(parts);
        if let Some(value) = self.hinted(&types) {
            return Some(value);
        }
        match *self.random.pick(&types)? {
            "null" => Some(Value::Null),
            "boolean" => Some(Value::Bool(self.random.percent(50))),
            "integer" => self.number(parts, true),
            "number" => self.number(parts, false),
            "string" => self.text(parts),
            "array" => self.list(parts, depth, None),
            _ => self.object(parts, depth, None),
        }
    }

    /// A list or an object that a side lists as a value.
    fn hinted(&mut self, types: &[&str]) -> Option<Value> {
        let hints = self.hints_here();
        if hints.composites.is_empty() || !self.random.percent(HINTED) {
            return None;
        }
        let is_of = |value: &&Value| types.contains(&if value.is_object() { "object" } else { "array" });
        let values: Vec<&Value> = hints.composites.iter().filter(is_of).collect();
        self.random.pick(&values).copied().cloned()
    }

    /// A copy of a value; nothing where there are too many.
    fn copy(&mut self, value: &Value) -> Option<Value> {
        self.copies(weight(value))?;
        Some(value.clone())
    }

    /// Accounts for values that are no more than copies; nothing where there are too many of them.
    fn copies(&mut self, count: usize) -> Option<()> {
        self.copied = self.copied.checked_sub(count)?;
        Some(())
    }

    /// The types that a value may have, the one that the schema speaks of several times.
    fn types(&mut self, parts: &[&'d Map<String, Value>]) -> Vec<&'static str> {
        const ALL: [&str; 7] = ["object", "array", "string", "number", "integer", "boolean", "null"];
        let allows = |part: &Map<String, Value>, ty: &str| {
            let is = |name: &Value| name == ty || ty == "integer" && name == "number";
            match part.get("type") {
                None => true,
                Some(Value::Array(names)) => names.iter().any(is),
                Some(name) => is(name),
            }
        };
        let allowed: Vec<&'static str> =
            ALL.into_iter().filter(|ty| parts.iter().all(|part| allows(part, ty))).collect();
        let speaks = |ty: &str, part: &Map<String, Value>| part.keys().any(|key| about(key) == Some(ty));
        let mut weighed = allowed.clone();
        for ty in allowed {
            if parts.iter().any(|part| speaks(ty, part)) {
                weighed.extend([ty; 6]);
            }
        }
        weighed
    }

    fn matching(&mut self, pattern: &str) -> Option<String> {
        let texts = self.texts.entry(pattern.to_owned()).or_insert_with(|| Texts::of(pattern));
        texts.one(&mut self.random)
    }

    fn text(&mut self, parts: &[&'d Map<String, Value>]) -> Option<Value> {
        let patterns: Vec<&str> = parts.iter().filter_map(|part| part.get("pattern").and_then(Value::as_str)).collect();
        let least = size(parts, "minLength", usize::max).unwrap_or(0);
        let most = size(parts, "maxLength", usize::min).unwrap_or(usize::MAX);
        let formats: Vec<&str> = parts.iter().filter_map(|part| part.get("format").and_then(Value::as_str)).collect();
        let text = match (self.random.pick(&patterns), self.random.pick(&formats)) {
            (Some(pattern), None) => self.matching(pattern)?,
            (Some(pattern), Some(_)) if self.random.percent(50) => self.matching(pattern)?,
            (_, Some(format)) => self.random.pick(formats::texts(format)?).map(|text| (*text).to_owned())?,
            (None, None) => self.free_text(),
        };
        let length = text.chars().count();
        let is_given = !patterns.is_empty() || !formats.is_empty();
        let lengths = &self.hints_here().lengths;
        if formats.is_empty() && self.random.percent(if patterns.is_empty() { 10 } else { 30 }) {
            let wanted = self.size(least, most, lengths);
            if let Some(text) = self.told_apart(&patterns, (wanted, most)) {
                return Some(Value::String(text));
            }
        }
        if (least..=most).contains(&length) && (is_given || self.random.percent(50)) {
            return Some(Value::String(text));
        }
        if least > LONGEST_TEXT {
            return None;
        }
        let wanted = self.size(least, most, lengths);
        self.copies(wanted / CHARACTERS)?;
        let filler = if text.is_empty() { "a".to_owned() } else { text };
        Some(Value::String(filler.chars().cycle().take(wanted).collect()))
    }

    /// What the sides speak of, of the member that is made or of anything.
    fn hints_here(&mut self) -> &'d Hints {
        self.member.filter(|_| self.random.percent(60)).unwrap_or(self.hints)
    }

    /// A text that nothing is said of: one that a side speaks of, or any.
    fn free_text(&mut self) -> String {
        let hints = self.hints_here();
        match self.random.below(5) {
            0 => {
                let texts: Vec<&str> = hints.values.iter().filter_map(Value::as_str).collect();
                self.random.pick(&texts).copied().unwrap_or("x").to_owned()
            }
            1 => {
                let pattern = self.random.pick(&hints.patterns).cloned();
                pattern.and_then(|pattern| self.matching(&pattern)).unwrap_or_default()
            }
            2 => String::new(),
            3 => (*self.random.pick(&["é", "😀", "A", "0", " ", "-", "a1", "a b", "a\nb"]).unwrap_or(&"a")).to_owned(),
            _ => "a".to_owned(),
        }
    }

    /// A number of characters, items or members: near what either side speaks of.
    fn size(&mut self, least: usize, most: usize, near: &[usize]) -> usize {
        let mut tries = vec![least, least.saturating_add(1), least.saturating_add(2)];
        for near in (0..NEAR).filter_map(|_| self.random.pick(near).copied()) {
            tries.extend([near.saturating_sub(1), near, near + 1]);
        }
        tries.push(most);
        tries.retain(|size| (least..=most).contains(size) && *size <= LONGEST_TEXT);
        self.random.pick(&tries).copied().unwrap_or(least)
    }

    fn object(&mut self, parts: &[&'d Map<String, Value>], depth: usize, step: Option<(&Step, bool)>) -> Option<Value> {
        let sought = match step {
            Some((Step::Member(name), _)) => Some(name.clone()),
            Some((Step::Matching(pattern), _)) => Some(self.matching(pattern)?),
            Some((Step::Additional, _)) => Some(self.uncommon_name()),
            _ => None,
        };
        if size(parts, "minProperties", usize::max).is_some_and(|least| least > MOST_MEMBERS) {
            return None;
        }
        let tag = self.tag.take();
        let leads = step.is_some_and(|(_, leads)| leads);
        let without = match step {
            Some((Step::Without(name), _)) => Some(name),
            _ => None,
        };
        let required: OrderedSet<String> = listed(parts, "required");
        let mut names = self.names(parts, &required, if leads { SPARSE } else { depth });
        names.retain(|name| Some(name) != without || required.contains(name));
        names.extend(sought.clone().into_iter().chain(tag.map(|(name, _)| name.to_owned())));
        let extended = self.with_dependent(parts, &mut names)?;
        let most = size(parts, "maxProperties", usize::min).unwrap_or(usize::MAX);
        let mut object = Map::new();
        let mut last: Option<(Vec<&'d Value>, Value)> = None;
        let is_tag = |name: &String| tag.is_some_and(|(tag, _)| tag == name);
        let has_to_be = |name: &String| required.contains(name) || sought.as_ref() == Some(name) || is_tag(name);
        let ordered = names.iter().filter(|name| has_to_be(name)).chain(names.iter().filter(|name| !has_to_be(name)));
        for name in ordered {
            if let Some((_, value)) = tag.filter(|(tag, _)| tag == name) {
                object.insert(name.clone(), value.clone());
                continue;
            }
            if object.len() >= most && !has_to_be(name) {
                break;
            }
            let schemas: Vec<&'d Value> = extended.iter().flat_map(|part| self.member_schemas(part, name)).collect();
            // Of many members that the same is said of, most are copies.
            let same = last.as_ref().filter(|(of, _)| object.len() >= MADE && are_the_same(of, &schemas));
            if let Some((_, value)) = same {
                object.insert(name.clone(), self.copy(value)?);
                continue;
            }
            let outer = self.member;
            self.member = self.hints.of_members.get(name).or(outer);
            self.on_way = leads && sought.as_ref() == Some(name);
            let beside = if leads { depth.min(SPARSE - 1) } else { depth };
            let made = self.value(&schemas, if self.on_way { depth } else { beside } + 1);
            self.on_way = false;
            self.member = outer;
            match made {
                Some(value) => {
                    last = Some((schemas, value.clone()));
                    object.insert(name.clone(), value);
                }
                None if has_to_be(name) => return None,
                None => {}
            }
        }
        Some(Value::Object(object))
    }

    /// The schemas of a member in one schema.
    fn member_schemas(&self, part: &'d Map<String, Value>, name: &str) -> Vec<&'d Value> {
        let mut schemas: Vec<&'d Value> = Vec::new();
        schemas.extend(part.get("properties").and_then(|map| map.get(name)));
        for (pattern, schema) in part.get("patternProperties").and_then(Value::as_object).into_iter().flatten() {
            schemas.extend(self.matchers.do_match(pattern, name).then_some(schema));
        }
        if schemas.is_empty() {
            schemas.extend(part.get("additionalProperties"));
        }
        schemas
    }

    /// The members that an object is made of.
    fn names(
        &mut self,
        parts: &[&'d Map<String, Value>],
        required: &OrderedSet<String>,
        depth: usize,
    ) -> OrderedSet<String> {
        let mut names = required.clone();
        let fullness = if depth >= SPARSE { 0 } else { self.fullness };
        if fullness > 0 {
            let maps: Vec<_> = parts.iter().filter_map(|part| part.get("properties")?.as_object()).collect();
            let count: usize = maps.iter().map(|map| map.len()).sum();
            let start = self.random.below(count.saturating_sub(DECLARED) + 1);
            let declared: OrderedSet<&String> =
                maps.into_iter().flat_map(Map::keys).skip(start).take(DECLARED).collect();
            for name in declared {
                if self.random.percent(fullness) {
                    names.insert(name.clone());
                }
            }
        }
        self.extra_names(parts, &mut names, depth);
        names
    }

    /// The schemas that look at an object with some members, and the members that they ask for.
    fn with_dependent(
        &mut self,
        parts: &[&'d Map<String, Value>],
        names: &mut OrderedSet<String>,
    ) -> Option<Vec<&'d Map<String, Value>>> {
        for part in parts {
            let dependent = part.get("dependentRequired").and_then(Value::as_object);
            let is_there = |(name, _): &(&String, &Value)| names.contains(*name);
            for (_, needed) in dependent.into_iter().flatten().filter(is_there).collect::<Vec<_>>() {
                names.extend(needed.as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned));
            }
        }
        let mut extended = parts.to_vec();
        for part in parts {
            let dependent = part.get("dependentSchemas").and_then(Value::as_object);
            for (_, schema) in dependent.into_iter().flatten().filter(|(name, _)| names.contains(*name)) {
                let mut added = Parts::default();
                self.gather(schema, &mut added)?;
                self.settle(&mut added)?;
                extended.extend(&*added);
            }
        }
        names.extend(listed(&extended, "required"));
        Some(extended)
    }
}

/// The values that all schemas allow, where one lists them.
fn choice<'d>(parts: &[&'d Map<String, Value>]) -> Option<Vec<&'d Value>> {
    let lists = parts.iter().flat_map(|part| {
        let list = part.get("enum").and_then(Value::as_array).map(|list| list.iter().collect::<Vec<_>>());
        let one = part.get("const").map(|value| vec![value]);
        list.into_iter().chain(one)
    });
    lists.reduce(|some, others| {
        let others: FxHashSet<&Value> = others.into_iter().collect();
        some.into_iter().filter(|value| others.contains(value)).collect()
    })
}

/// Whether a value is one of those.
fn is_choice(parts: &[&Map<String, Value>], value: &Value, way: &Way<'_>) -> bool {
    let mut lists = parts.iter().flat_map(|part| {
        let list = part.get("enum").and_then(Value::as_array).map(Vec::as_slice);
        list.into_iter().chain(part.get("const").map(std::slice::from_ref))
    });
    let is_first = lists.next().is_some_and(|list| way.is_listed(list, value));
    is_first && lists.all(|list| way.is_listed(list, value))
}

/// How many values there are in one, of which a long text is several.
fn weight(value: &Value) -> usize {
    1 + match value {
        Value::Array(list) => list.iter().map(weight).sum(),
        Value::Object(map) => map.values().map(weight).sum(),
        Value::String(text) => text.len() / CHARACTERS,
        Value::Null | Value::Bool(_) | Value::Number(_) => 0,
    }
}

/// Whether some schemas are others, and not only like them.
fn are_the_same(some: &[&Value], others: &[&Value]) -> bool {
    some.len() == others.len() && some.iter().zip(others).all(|(one, other)| std::ptr::eq(*one, *other))
}

/// How many values one datum of a document may have.
pub(super) fn room(document: &Value) -> usize {
    VALUES + demanded(document).min(MOST_DEMANDED)
}

/// How many members and items a document says have to be there, with those that stand before others of a list.
fn demanded(document: &Value) -> usize {
    match document {
        Value::Array(list) => list.iter().map(demanded).sum(),
        Value::Object(map) => {
            let lists = ["required", "prefixItems"].map(|keyword| map.get(keyword)?.as_array().map(Vec::len));
            let sizes = ["minItems", "minContains"].map(|keyword| map.get(keyword)?.as_f64().map(|size| size as usize));
            let own = lists.into_iter().chain(sizes).flatten().map(|count| count.min(MOST_DEMANDED));
            own.sum::<usize>() + map.values().map(demanded).sum::<usize>()
        }
        _ => 0,
    }
}

fn size(parts: &[&Map<String, Value>], keyword: &str, of: fn(usize, usize) -> usize) -> Option<usize> {
    parts.iter().filter_map(|part| part.get(keyword)?.as_f64()).map(|size| size as usize).reduce(of)
}

fn listed(parts: &[&Map<String, Value>], keyword: &str) -> OrderedSet<String> {
    let lists = parts.iter().filter_map(|part| part.get(keyword)?.as_array());
    lists.flatten().filter_map(Value::as_str).map(str::to_owned).collect()
}

/// The type of value that a keyword speaks of.
fn about(keyword: &str) -> Option<&'static str> {
    Some(match keyword {
        "properties"
        | "patternProperties"
        | "additionalProperties"
        | "required"
        | "propertyNames"
        | "minProperties"
        | "maxProperties"
        | "dependentRequired"
        | "dependentSchemas"
        | "unevaluatedProperties" => "object",
        "items" | "prefixItems" | "contains" | "minItems" | "maxItems" | "uniqueItems" | "unevaluatedItems" => "array",
        "pattern" | "format" | "minLength" | "maxLength" => "string",
        "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" | "multipleOf" => "number",
        _ => return None,
    })
}
