//! What reads and what proves: the one place that knows which library does.
//!
//! Both work on documents of [`super::emit`]: 2020-12, complete in themselves. Formats stand in them only where they are
//! asserted. The prover is asked for proofs only: whatever it is not sure of, refuses or cannot compute is no answer.

use std::panic::{AssertUnwindSafe, catch_unwind};

use jsonschema::{PatternOptions, Validator};
use rustc_hash::FxHashMap;
use serde_json::{Map, Value};

/// Steps that a pattern may take on one text before it counts as not matching to be told.
const BACKTRACK_LIMIT: usize = 20_000;

/// Whether a schema of a document names a format.
fn has_formats(document: &Value) -> bool {
    objects(document).any(|map| map.get("format").is_some_and(Value::is_string))
}

/// How many patterns a document has.
pub(super) fn patterns_of(document: &Value) -> usize {
    let own = |map: &Map<String, Value>| {
        let of_members = map.get("patternProperties").and_then(Value::as_object).map_or(0, Map::len);
        usize::from(map.get("pattern").is_some_and(Value::is_string)) + of_members
    };
    objects(document).map(own).sum()
}

/// What decides about data.
pub(super) struct Reader {
    validator: Validator,
    /// Whether it may refuse data that meet a limit of its own, and not the schema's.
    pub(super) may_meet_limits: bool,
}

impl Reader {
    /// The reader of a document; `None` where it cannot be built, as with a pattern that no engine knows.
    pub(super) fn new(document: &Value) -> Option<Reader> {
        if expanded(document, Extent::Beside) > MOST_BESIDE {
            return None;
        }
        let patterns = PatternOptions::fancy_regex().backtrack_limit(BACKTRACK_LIMIT);
        let asserts = has_formats(document);
        let options = jsonschema::options().should_validate_formats(asserts).with_pattern_options(patterns).offline();
        let built = catch_unwind(AssertUnwindSafe(|| options.build(document)));
        let may_meet_limits = asserts || patterns_of(document) > 0;
        built.ok()?.ok().map(|validator| Reader { validator, may_meet_limits })
    }

    /// The reader of texts in which a pattern is found.
    pub(super) fn of_pattern(pattern: &str) -> Option<Reader> {
        Reader::new(&serde_json::json!({ "pattern": pattern }))
    }

    /// Whether data are valid.
    pub(super) fn takes(&self, data: &Value) -> bool {
        catch_unwind(AssertUnwindSafe(|| self.validator.is_valid(data))).unwrap_or(false)
    }

    /// Why data are not valid, in one sentence; where a limit was met and not the schema, nothing.
    pub(super) fn refuses(&self, data: &Value) -> Option<String> {
        self.complaints(data).into_iter().next()
    }

    /// Everything that makes data invalid, up to a bound, each in one sentence; nothing where a limit was met.
    pub(super) fn complaints(&self, data: &Value) -> Vec<String> {
        let errors = catch_unwind(AssertUnwindSafe(|| {
            let is_limit = |error: &jsonschema::ValidationError<'_>| {
                matches!(error.kind(), jsonschema::error::ValidationErrorKind::BacktrackLimitExceeded { .. })
            };
            let mut told = Vec::new();
            for error in self.validator.iter_errors(data).take(8) {
                if is_limit(&error) {
                    return Vec::new();
                }
                let place = error.instance_path().to_string();
                told.push(if place.is_empty() { error.to_string() } else { format!("{place}: {error}") });
            }
            told
        }));
        errors.unwrap_or_default()
    }
}

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

/// Documents that are larger than this once each reference is what it refers to are not given to the prover, and neither are
/// those that are in what stands in branches: of these it writes each way out.
const MOST_EXPANDED: usize = 100_000_000;
const MOST_IN_BRANCHES: usize = 10_000;
/// No reader is built where so much looks at one value: it writes each way to it where something is said of what is left over.
const MOST_BESIDE: usize = 50_000;

/// Which references stand for what they refer to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Extent {
    All,
    /// Those in branches, at any depth, and those that look at the same value.
    Branches,
    /// Those that look at the same value.
    Beside,
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
            let targets = definitions
                .and_then(|all| all.get(key.0))
                .map(|schema| references(schema, key.1, extent))
                .unwrap_or_default();
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
fn references(schema: &Value, is_in_branch: bool, extent: Extent) -> Vec<(&str, bool)> {
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
                            open.push((value, is_in_branch || extent != Extent::Beside, is_beside));
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
