//! What proves: the one place that knows which library does.
//!
//! It works on documents of [`super::emit`]: 2020-12, complete in themselves. Formats stand in them only where they are
//! asserted. The prover is asked for proofs only: whatever it is not sure of, refuses or cannot compute is no answer.

use std::panic::{AssertUnwindSafe, catch_unwind};

use jsonschema::PatternOptions;
use jsonschema::canonical::{CanonicalSchema, Containment, Satisfiability, options};
use rustc_hash::FxHashMap;
use serde_json::{Map, Value};

use crate::ordered::{OrderedMap, OrderedSet};

/// Steps that a pattern may take on one text before it counts as not matching to be told.
const BACKTRACK_LIMIT: usize = 20_000;

/// Larger documents are not given to the prover as a whole: its forms multiply.
const PROVER_LIMIT: usize = 400_000;

/// Whether a schema of a document names a format.
fn has_formats(document: &Value) -> bool {
    objects(document).any(|map| map.get("format").is_some_and(Value::is_string))
}

/// Bytes of stack for provers, of which only what it needs is ever taken: it goes as deep as schemas do, several times
/// over.
const ROOM: usize = 1 << 28;

/// Does something where the stack is large; `None` where it fails.
pub(super) fn with_room<T: Send>(work: impl FnOnce() -> T + Send) -> Option<T> {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(ROOM);
        thread.spawn_scoped(scope, || catch_unwind(AssertUnwindSafe(work)).ok()).ok()?.join().ok()?
    })
}

/// How many patterns a document has.
pub(super) fn patterns_of(document: &Value) -> usize {
    let own = |map: &Map<String, Value>| {
        let of_members = map.get("patternProperties").and_then(Value::as_object).map_or(0, Map::len);
        usize::from(map.get("pattern").is_some_and(Value::is_string)) + of_members
    };
    objects(document).map(own).sum()
}

/// A document as the prover has it.
pub(super) struct Form {
    canonical: CanonicalSchema,
    /// The patterns by which it speaks of members, and how many members its schema with the most names.
    patterns: OrderedSet<String>,
    most_members: usize,
}

impl Form {
    pub(super) fn new(document: &Value) -> Option<Form> {
        if document.to_string().len() > PROVER_LIMIT {
            return None;
        }
        let is_much = values(document) > MOST_VALUES
            || positions(document) > MOST_POSITIONS
            || conditions(document) > MOST_CONDITIONS
            || unevaluated(document) > MOST_UNEVALUATED;
        let is_much = is_much || expanded(document, Extent::Branches) > MOST_IN_BRANCHES;
        let is_much = is_much || expanded(document, Extent::All) > MOST_EXPANDED;
        if is_much || leads_back_to_the_rest(document) || cases(document) > MOST_CASES {
            return None;
        }
        let patterns = PatternOptions::fancy_regex().backtrack_limit(BACKTRACK_LIMIT);
        let asserts = has_formats(document);
        let options = options().should_validate_formats(asserts).with_pattern_options(patterns).offline();
        let canonical = with_room(|| options.canonicalize(document))?.ok()?;
        let keys = |map: &Map<String, Value>| -> Vec<String> { map.keys().cloned().collect() };
        let patterns = objects(document).filter_map(|map| map.get("patternProperties")?.as_object()).flat_map(keys);
        let members = objects(document).filter_map(|map| map.get("properties")?.as_object()).map(Map::len);
        let (patterns, most_members) = (patterns.collect(), members.max().unwrap_or(0));
        Some(Form { canonical, patterns, most_members })
    }

    /// Whether the prover would write all ways in which members may be there or not.
    fn multiplies_with(&self, other: &Form) -> bool {
        self.patterns != other.patterns && self.most_members.max(other.most_members) > MOST_MEMBERS
    }

    /// Whether it is proven that all data of another document are valid.
    pub(super) fn covers(&self, writer: &Form) -> bool {
        !self.multiplies_with(writer)
            && matches!(with_room(|| self.canonical.covers(&writer.canonical)), Some(Ok(Containment::Yes)))
    }

    /// The data of this document that another one refuses, as a document; `None` where that cannot be said.
    pub(super) fn without(&self, reader: &Form) -> Option<Value> {
        if self.multiplies_with(reader) {
            return None;
        }
        with_room(|| {
            let difference = self.canonical.subtract(&reader.canonical).ok()?;
            (difference.satisfiability() != Satisfiability::No).then(|| difference.to_json_schema())
        })?
    }
}

/// Two documents that speak of members by other patterns are not given to the prover where a schema names more members: what
/// the one has and the other has not it divides by whether each of them is there.
const MOST_MEMBERS: usize = 12;

/// Documents in which more conditions are asked of one value are not given to the prover: each doubles the cases. One that is
/// asked where another fails counts half.
const MOST_CONDITIONS: usize = 10;
const CONDITION: usize = 2;

/// All objects of a document, at any depth.
fn objects(document: &Value) -> impl Iterator<Item = &Map<String, Value>> {
    let mut open = vec![document];
    std::iter::from_fn(move || {
        while let Some(value) = open.pop() {
            match value {
                Value::Array(list) => open.extend(list),
                Value::Object(map) => {
                    open.extend(map.values());
                    return Some(map);
                }
                _ => {}
            }
        }
        None
    })
}

/// How many conditions are asked of one value, for the worst of a document.
fn conditions(document: &Value) -> usize {
    objects(document).map(|map| asked(document, map, 0)).max().unwrap_or(0)
}

/// The conditions of one schema, with those of the schemas that have to hold as well.
fn asked(document: &Value, map: &Map<String, Value>, depth: usize) -> usize {
    let dependent =
        ["dependentRequired", "dependentSchemas"].iter().filter_map(|keyword| map.get(*keyword)?.as_object());
    let own = usize::from(map.contains_key("if")) + dependent.map(Map::len).sum::<usize>();
    let own = CONDITION * own + chained(map);
    if depth > DEEPEST_CASE || own > MOST_CONDITIONS {
        return own;
    }
    let target = map.get("$ref").and_then(Value::as_str).and_then(|target| document.pointer(target.strip_prefix('#')?));
    let parts = map.get("allOf").and_then(Value::as_array).into_iter().flatten().chain(target);
    let inner = parts.filter_map(Value::as_object).map(|part| asked(document, part, depth + 1));
    own + inner.sum::<usize>()
}

/// How many conditions are asked one after the other where the first fails.
fn chained(map: &Map<String, Value>) -> usize {
    let (mut count, mut next) = (0, map.get("else").and_then(Value::as_object));
    while let Some(map) = next.filter(|map| map.contains_key("if") && count <= MOST_CONDITIONS) {
        (count, next) = (count + 1, map.get("else").and_then(Value::as_object));
    }
    count
}

/// Documents in which one of several branches has to be valid in more ways are not given to the prover: it writes each.
const MOST_CASES: usize = 1_000;
/// How deep branches are looked into.
const DEEPEST_CASE: usize = 6;

/// In how many ways a value may fail all branches of a `oneOf` but one, for the worst of a document, by how much each says.
fn cases(document: &Value) -> usize {
    let ways = |branches: &Vec<Value>| {
        branches.iter().map(|branch| 1 + says(document, branch, 0)).fold(1, usize::saturating_mul)
    };
    objects(document).filter_map(|map| map.get("oneOf")?.as_array()).map(ways).max().unwrap_or(0)
}

/// How many keywords a schema has that a value may fail, with those inside, as far as that is asked.
fn says(document: &Value, schema: &Value, depth: usize) -> usize {
    let (mut count, mut open) = (0, vec![(schema, depth)]);
    while let Some((schema, depth)) = open.pop() {
        let Value::Object(map) = schema else { continue };
        for (keyword, value) in map {
            let inside: Vec<&Value> = match (keyword.as_str(), value) {
                ("$ref", Value::String(target)) => {
                    target.strip_prefix('#').and_then(|pointer| document.pointer(pointer)).into_iter().collect()
                }
                ("properties" | "patternProperties" | "dependentSchemas", Value::Object(map)) => map.values().collect(),
                ("allOf" | "anyOf" | "oneOf" | "prefixItems", Value::Array(list)) => list.iter().collect(),
                ("items" | "additionalProperties" | "contains" | "not" | "if" | "then" | "else", Value::Object(_)) => {
                    vec![value]
                }
                _ => Vec::new(),
            };
            count += match value {
                Value::Array(names) if keyword == "required" => names.len(),
                _ => usize::from(inside.is_empty()),
            };
            if depth < DEEPEST_CASE {
                open.extend(inside.into_iter().map(|inner| (inner, depth + 1)));
            }
        }
        if count > MOST_CASES {
            break;
        }
    }
    count
}

/// Documents that list more values are not given to the prover as a whole: it compares each with each.
const MOST_VALUES: usize = 4_000;

/// How many values a document lists.
fn values(document: &Value) -> usize {
    objects(document).filter_map(|map| map.get("enum")?.as_array()).map(Vec::len).sum()
}

/// Documents with longer tuples are not given to the prover as a whole: what is no such tuple is one case for each position,
/// which it compares with each other, position by position.
const MOST_POSITIONS: usize = 200;

/// How many positions the longest tuple of a document has.
fn positions(document: &Value) -> usize {
    objects(document).filter_map(|map| map.get("prefixItems")?.as_array()).map(Vec::len).max().unwrap_or(0)
}

/// Documents in which more schemas say something of what is left over are not given to the prover: for each it writes all cases of
/// what is around.
const MOST_UNEVALUATED: usize = 40;

/// How many schemas say something of what is left over.
fn unevaluated(document: &Value) -> usize {
    objects(document).filter(|map| map.contains_key("unevaluatedProperties")).count()
}

/// Documents that are larger than this once each reference is what it refers to are not given to the prover, and neither are
/// those that are in what stands in branches: of these it writes each way out.
const MOST_EXPANDED: usize = 100_000_000;
const MOST_IN_BRANCHES: usize = 10_000;

/// Which references stand for what they refer to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Extent {
    All,
    /// Those in branches, at any depth, and those that look at the same value.
    Branches,
}

/// How many schemas and values a document has where references are what they refer to. One that leads back counts as one.
fn expanded(document: &Value, extent: Extent) -> usize {
    let definitions = document.get("$defs").and_then(Value::as_object);
    // Each with whether it stands in a branch, and what it was found to be; nothing while it is looked at.
    let mut sizes: FxHashMap<(&str, bool), Option<usize>> = FxHashMap::default();
    let mut most = 1;
    for name in definitions.into_iter().flatten().map(|(name, _)| name.as_str()) {
        let mut open = vec![(name, extent == Extent::All)];
        while let Some(key) = open.last().copied() {
            let targets =
                definitions.and_then(|all| all.get(key.0)).map(|schema| references(schema, key.1)).unwrap_or_default();
            let wanted: Vec<(&str, bool)> = targets.iter().copied().filter(|key| !sizes.contains_key(key)).collect();
            if !wanted.is_empty() && !sizes.contains_key(&key) {
                sizes.insert(key, None);
                open.extend(wanted);
                continue;
            }
            open.pop();
            let known = |key: &(&str, bool)| sizes.get(key).copied().flatten().unwrap_or(1);
            let size = targets.iter().map(known).fold(1 + targets.len(), usize::saturating_add);
            sizes.insert(key, Some(size));
            most = most.max(size);
        }
    }
    most
}

/// The definitions that a schema refers to in what is expanded of it, each as often as it does, and whether in a branch.
fn references(schema: &Value, is_in_branch: bool) -> Vec<(&str, bool)> {
    let (mut found, mut open) = (Vec::new(), vec![(schema, is_in_branch, true)]);
    while let Some((value, is_in_branch, is_beside)) = open.pop() {
        match value {
            Value::Array(list) => open.extend(list.iter().map(|value| (value, is_in_branch, is_beside))),
            Value::Object(map) => {
                for (keyword, value) in map {
                    match (keyword.as_str(), value) {
                        ("$ref", Value::String(target)) if is_in_branch || is_beside => {
                            found.extend(target.strip_prefix("#/$defs/").map(|target| (target, is_in_branch)));
                        }
                        ("enum" | "const" | "$defs", _) => {}
                        ("anyOf" | "oneOf" | "allOf" | "not" | "if" | "then" | "else", _) => {
                            open.push((value, true, is_beside));
                        }
                        _ => open.push((value, is_in_branch, false)),
                    }
                }
            }
            _ => {}
        }
    }
    found
}

/// Whether a definition that says something of what is left over holds itself. The prover writes all cases of what is left
/// out, each with all that is inside, and there is no end of that.
fn leads_back_to_the_rest(document: &Value) -> bool {
    let Some(Value::Object(definitions)) = document.get("$defs") else { return false };
    let led: OrderedMap<&str, (Vec<&str>, bool)> =
        definitions.iter().map(|(name, schema)| (name.as_str(), led_to(schema))).collect();
    let reaches_itself = |name: &str| {
        let (mut seen, mut open) = (OrderedSet::new(), vec![name]);
        while let Some(one) = open.pop() {
            let targets = led.get(one).map_or(&[][..], |(targets, _)| targets.as_slice());
            if targets.contains(&name) {
                return true;
            }
            open.extend(targets.iter().filter(|target| seen.insert(**target)));
        }
        false
    };
    led.iter().any(|(name, (_, has_rest))| *has_rest && reaches_itself(name))
}

/// The definitions that a schema refers to, and whether it says something of what is left over.
fn led_to(schema: &Value) -> (Vec<&str>, bool) {
    let (mut targets, mut has_rest) = (Vec::new(), false);
    for map in objects(schema) {
        has_rest |= map.contains_key("unevaluatedProperties") || map.contains_key("unevaluatedItems");
        let target = map.get("$ref").and_then(Value::as_str);
        targets.extend(target.and_then(|target| target.strip_prefix("#/$defs/")));
    }
    (targets, has_rest)
}
