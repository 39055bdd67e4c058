//! Values as witnesses show them: of a record with many fields only some, among them the one that matters.

use crate::ordered::OrderedMap;
use crate::text::plural;
use crate::value::{Record, Value};

/// Fields of a record that a witness shows at most, at the top and below.
const FIELDS: [usize; 2] = [12, 6];

/// A value with fewer fields, and how many are missing at the top; the field `keep` is not.
pub(in crate::formats) fn pruned(value: &Value, keep: Option<i32>) -> (Value, usize) {
    prune(value, keep, 0)
}

/// A record with fewer fields, and how many are missing.
pub(in crate::formats) fn pruned_record(record: &Record, keep: Option<i32>) -> (Value, usize) {
    prune_record(record, keep, 0)
}

/// Says how many more fields there are.
pub(in crate::formats) fn with_more(mut shown: serde_json::Value, more: usize) -> serde_json::Value {
    if let (Some(members), true) = (shown.as_object_mut(), more > 0) {
        members.insert("…".to_owned(), serde_json::Value::String(format!("and {}", plural(more, "more field"))));
    }
    shown
}

/// A record for people with what is seen in a field that is not in it, if anything: an object of that field alone.
pub(in crate::formats) fn with_default(
    mut shown: serde_json::Value,
    default: Option<serde_json::Value>,
) -> serde_json::Value {
    if let (Some(members), Some(serde_json::Value::Object(default))) = (shown.as_object_mut(), default) {
        for (name, value) in default.into_iter().filter(|(name, _)| !members.contains_key(name)).collect::<Vec<_>>() {
            members.insert(format!("{name} (default)"), value);
        }
    }
    shown
}

/// Whether two objects of one field each hold the same, whatever the fields are called.
pub(in crate::formats) fn hold_the_same(one: &serde_json::Value, other: &serde_json::Value) -> bool {
    let held = |object: &serde_json::Value| object.as_object().and_then(|members| members.values().next().cloned());
    held(one) == held(other)
}

fn prune(value: &Value, keep: Option<i32>, depth: usize) -> (Value, usize) {
    let inner = |value: &Value| prune(value, None, depth + 1).0;
    match value {
        Value::Record(record) => prune_record(record, keep, depth),
        Value::Branch { index, value } => {
            let (value, more) = prune(value, keep, depth);
            (Value::Branch { index: *index, value: Box::new(value) }, more)
        }
        Value::List(values) => (Value::List(values.iter().map(inner).collect()), 0),
        Value::Map(entries) => {
            (Value::Map(entries.iter().map(|(key, value)| (key.clone(), inner(value))).collect()), 0)
        }
        _ => (value.clone(), 0),
    }
}

fn prune_record(record: &Record, keep: Option<i32>, depth: usize) -> (Value, usize) {
    let first = record.fields.iter().take(FIELDS[depth.min(1)]);
    let kept = keep.and_then(|key| record.fields.get_key_value(&key));
    let inner = |(key, value): (&i32, &Value)| (*key, prune(value, None, depth + 1).0);
    let fields: OrderedMap<i32, Value> = first.chain(kept).map(inner).collect();
    let more = record.fields.len() - fields.len();
    (Value::Record(Record { ty: record.ty, fields }), more)
}
