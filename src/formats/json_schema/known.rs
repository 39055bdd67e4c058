//! What schemas that look at one value leave to it, as far as that is seen at once: whether one more can hold beside them.

use rustc_hash::{FxHashMap, FxHashSet};
use serde_json::{Map, Value};

use crate::ordered::InOrder;

/// References followed from a member's schema to its values.
const LONGEST_CHAIN: usize = 8;

/// What some schemas of one value leave.
#[derive(Debug, Default)]
pub(super) struct Known<'d> {
    /// The values that are left, and the types; `None` where nothing is said of them.
    values: Option<Vec<&'d Value>>,
    types: Option<Vec<&'d str>>,
    /// The members that have to be there.
    required: FxHashSet<&'d str>,
    /// The values that are left to members.
    members: FxHashMap<&'d str, Vec<&'d Value>>,
    /// How many schemas were looked at.
    count: usize,
}

impl<'d> Known<'d> {
    /// Takes those of the schemas that came since it last did.
    pub(super) fn take(&mut self, document: &'d Value, parts: &[&'d Map<String, Value>]) {
        for part in &parts[self.count.min(parts.len())..] {
            self.add(document, part);
        }
        self.count = parts.len();
    }

    /// The members of which values are listed.
    pub(super) fn names(&self) -> Vec<&'d str> {
        let mut names: Vec<&'d str> = self.members.keys().copied().collect();
        names.sort_in_order();
        names
    }

    /// Whether values are listed of a member.
    pub(super) fn speaks_of(&self, name: &str) -> bool {
        self.members.contains_key(name)
    }

    /// Whether a member may have a value.
    pub(super) fn leaves(&self, name: &str, value: &Value) -> bool {
        self.members.get(name).is_none_or(|left| left.contains(&value))
    }

    /// Has a member have a value.
    pub(super) fn fix(&mut self, name: &'d str, value: &'d Value) {
        self.required.insert(name);
        self.members.insert(name, vec![value]);
    }

    fn add(&mut self, document: &'d Value, part: &'d Map<String, Value>) {
        narrow(&mut self.values, values(part));
        narrow(&mut self.types, types(part));
        let required = part.get("required").and_then(Value::as_array);
        self.required.extend(required.into_iter().flatten().filter_map(Value::as_str));
        for (name, schema) in part.get("properties").and_then(Value::as_object).into_iter().flatten() {
            if let Some(values) = of_member(document, schema) {
                let left = self.members.remove(name.as_str());
                let mut left = left.map_or_else(|| Some(values.clone()), Some);
                narrow(&mut left, Some(values));
                self.members.extend(left.map(|left| (name.as_str(), left)));
            }
        }
    }

    /// Whether a value may have all this and be as more schemas say.
    pub(super) fn allows(&self, document: &'d Value, more: &[&'d Map<String, Value>]) -> bool {
        let mut asked = Known::default();
        asked.take(document, more);
        let has_none = |name: &str, values: &[&Value]| {
            let is_demanded = self.required.contains(name) || asked.required.contains(name);
            let left = self.members.get(name).map_or(&[][..], Vec::as_slice);
            is_demanded && self.members.contains_key(name) && !values.iter().any(|value| left.contains(value))
        };
        shares(self.values.as_deref(), asked.values.as_deref())
            && shares(self.types.as_deref(), asked.types.as_deref())
            && !asked.members.iter().any(|(name, values)| values.is_empty() || has_none(name, values))
    }
}

/// Leaves what is in both lists.
fn narrow<T: PartialEq>(left: &mut Option<Vec<T>>, more: Option<Vec<T>>) {
    if let Some(more) = more {
        match left {
            Some(left) => left.retain(|one| more.contains(one)),
            None => *left = Some(more),
        }
    }
}

fn shares<T: PartialEq>(one: Option<&[T]>, other: Option<&[T]>) -> bool {
    match (one, other) {
        (Some(one), Some(other)) => one.iter().any(|value| other.contains(value)),
        (_, Some(list)) | (Some(list), _) => !list.is_empty(),
        (None, None) => true,
    }
}

/// The values that a schema lists.
fn values(part: &Map<String, Value>) -> Option<Vec<&Value>> {
    let listed = part.get("enum").and_then(Value::as_array).map(|list| list.iter().collect());
    listed.or_else(|| part.get("const").map(|value| vec![value]))
}

/// The types that a schema names; integers are numbers.
fn types(part: &Map<String, Value>) -> Option<Vec<&str>> {
    match part.get("type")? {
        Value::Array(names) => names.iter().map(name_of_type).collect(),
        name => name_of_type(name).map(|name| vec![name]),
    }
}

fn name_of_type(name: &Value) -> Option<&str> {
    name.as_str().map(|name| if name == "integer" { "number" } else { name })
}

/// The values that the schema of a member lists, or one that it refers to.
fn of_member<'d>(document: &'d Value, mut schema: &'d Value) -> Option<Vec<&'d Value>> {
    for _ in 0..LONGEST_CHAIN {
        let map = schema.as_object()?;
        if let Some(values) = values(map) {
            return Some(values);
        }
        schema = document.pointer(map.get("$ref")?.as_str()?.strip_prefix('#')?)?;
    }
    None
}
