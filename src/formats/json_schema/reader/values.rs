//! Data as schemas look at them, and which of them are equal.

use std::cmp::Ordering;
use std::hash::{Hash, Hasher};

use rustc_hash::{FxHashMap, FxHashSet, FxHasher};
use serde_json::{Map, Number, Value};

use super::numbers::{compare, whole};

/// What a value is.
#[derive(Debug, Clone, Copy)]
pub(super) enum Kind<'v> {
    Null,
    Bool(bool),
    Number(&'v Number),
    Text(&'v str),
    List(&'v [Value]),
    Object(&'v Map<String, Value>),
}

/// A value of a datum, or the name of a member.
#[derive(Debug, Clone, Copy)]
pub(super) struct View<'v> {
    /// What no other place of the datum has.
    pub(super) place: usize,
    pub(super) kind: Kind<'v>,
}

impl<'v> View<'v> {
    pub(super) fn of(value: &'v Value) -> View<'v> {
        let kind = match value {
            Value::Null => Kind::Null,
            Value::Bool(value) => Kind::Bool(*value),
            Value::Number(number) => Kind::Number(number),
            Value::String(text) => Kind::Text(text),
            Value::Array(list) => Kind::List(list),
            Value::Object(map) => Kind::Object(map),
        };
        View { place: std::ptr::from_ref(value).addr(), kind }
    }

    /// The name of a member as a value. Its text has a place of its own, but for the empty one, which is the same everywhere.
    pub(super) fn of_name(name: &'v str) -> View<'v> {
        View { place: name.as_ptr().addr(), kind: Kind::Text(name) }
    }

    fn is(self, value: &Value) -> bool {
        match (self.kind, value) {
            (Kind::Null, Value::Null) => true,
            (Kind::Bool(one), Value::Bool(other)) => one == *other,
            (Kind::Text(one), Value::String(other)) => one == other,
            (Kind::Number(one), Value::Number(other)) => compare(one, other) == Ordering::Equal,
            (Kind::List(one), Value::Array(other)) => {
                one.len() == other.len() && one.iter().zip(other).all(|(one, other)| equal(one, other))
            }
            (Kind::Object(one), Value::Object(other)) => {
                one.len() == other.len()
                    && one.iter().all(|(name, one)| other.get(name).is_some_and(|other| equal(one, other)))
            }
            _ => false,
        }
    }
}

/// Whether two values are equal (Core §4.2.2).
fn equal(one: &Value, other: &Value) -> bool {
    View::of(one).is(other)
}

/// Longer lists of values are looked up.
const FEW: usize = 8;

/// The values that a schema lists.
#[derive(Debug)]
pub(super) struct Values {
    pub(super) list: Vec<Value>,
    /// Whether it is one by itself, and not a list.
    pub(super) is_one: bool,
    texts: FxHashSet<Box<str>>,
    integers: FxHashSet<i64>,
}

impl Values {
    pub(super) fn new(list: Vec<Value>, is_one: bool) -> Values {
        let (mut texts, mut integers) = (FxHashSet::default(), FxHashSet::default());
        if list.len() > FEW {
            texts.extend(list.iter().filter_map(Value::as_str).map(Box::from));
            integers.extend(list.iter().filter_map(|value| whole(value.as_number()?)));
        }
        Values { list, is_one, texts, integers }
    }

    pub(super) fn have(&self, view: View<'_>) -> bool {
        if self.list.len() > FEW {
            match view.kind {
                Kind::Text(text) => return self.texts.contains(text),
                Kind::Number(number) => {
                    if let Some(number) = whole(number) {
                        return self.integers.contains(&number);
                    }
                }
                Kind::Null | Kind::Bool(_) | Kind::List(_) | Kind::Object(_) => {}
            }
        }
        self.list.iter().any(|value| view.is(value))
    }
}

/// Two items that are equal, by their indices.
pub(super) fn equal_items(list: &[Value]) -> Option<(usize, usize)> {
    let of_few = |end: usize| (0..end).find(|at| equal(&list[*at], &list[end])).map(|at| (at, end));
    if list.len() <= 2 * FEW {
        return (1..list.len()).find_map(of_few);
    }
    let mut met: FxHashMap<u64, Vec<usize>> = FxHashMap::default();
    for (index, value) in list.iter().enumerate() {
        let alike = met.entry(hash(value)).or_default();
        if let Some(at) = alike.iter().find(|at| equal(&list[**at], value)) {
            return Some((*at, index));
        }
        alike.push(index);
    }
    None
}

/// A number that equal values share.
fn hash(value: &Value) -> u64 {
    let mut state = FxHasher::default();
    match value {
        Value::Null => 0_u8.hash(&mut state),
        Value::Bool(value) => value.hash(&mut state),
        // Integers that a double holds not exactly share one with their neighbours, and nothing is equal to zero but zero.
        Value::Number(number) => (number.as_f64().unwrap_or(0.0) + 0.0).to_bits().hash(&mut state),
        Value::String(text) => text.hash(&mut state),
        Value::Array(list) => list.iter().for_each(|value| hash(value).hash(&mut state)),
        Value::Object(map) => {
            let of_entry = |(name, value): (&String, &Value)| {
                let mut state = FxHasher::default();
                (name, hash(value)).hash(&mut state);
                state.finish()
            };
            map.iter().map(of_entry).fold(0, u64::wrapping_add).hash(&mut state);
        }
    }
    state.finish()
}
