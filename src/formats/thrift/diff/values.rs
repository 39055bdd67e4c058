//! Constants: whether they are the same, and how they are told.

use crate::change::Pair;

use super::super::model::{Value, ValueKind};

/// Whether two constants are the same value, whatever they look like.
pub(super) fn same_value(values: Pair<&Value<'_>>) -> bool {
    match (&values.old.kind, &values.new.kind) {
        (ValueKind::Integer(old), ValueKind::Integer(new)) => old == new,
        (ValueKind::Double(old), ValueKind::Double(new)) => old.to_bits() == new.to_bits(),
        (ValueKind::Integer(whole), ValueKind::Double(real)) | (ValueKind::Double(real), ValueKind::Integer(whole)) => {
            *whole as f64 == *real
        }
        (ValueKind::Text(old), ValueKind::Text(new)) => old == new,
        (ValueKind::Enum(_, old), ValueKind::Enum(_, new)) => old == new,
        (ValueKind::Enum(_, number), ValueKind::Integer(whole))
        | (ValueKind::Integer(whole), ValueKind::Enum(_, number)) => i64::from(*number) == *whole,
        (ValueKind::List(old), ValueKind::List(new)) => {
            old.len() == new.len() && old.iter().zip(new).all(|(old, new)| same_value(Pair::new(old, new)))
        }
        (ValueKind::Map(old), ValueKind::Map(new)) => {
            let same = |(old, new): (&(Value<'_>, Value<'_>), &(Value<'_>, Value<'_>))| {
                same_value(Pair::new(&old.0, &new.0)) && same_value(Pair::new(&old.1, &new.1))
            };
            old.len() == new.len() && old.iter().zip(new).all(same)
        }
        (ValueKind::Unknown(old), ValueKind::Unknown(new)) => old == new,
        _ => false,
    }
}

/// A constant in one line.
pub(super) fn value_text(value: &Value<'_>) -> String {
    match &value.kind {
        ValueKind::Integer(number) => number.to_string(),
        ValueKind::Double(number) => number.to_string(),
        ValueKind::Text(bytes) => format!("\"{}\"", String::from_utf8_lossy(bytes).escape_debug()),
        ValueKind::Enum(_, number) => number.to_string(),
        ValueKind::List(values) => format!("[{}]", values.iter().map(value_text).collect::<Vec<_>>().join(", ")),
        ValueKind::Map(entries) => {
            let entry = |(key, value): &(Value<'_>, Value<'_>)| format!("{}: {}", value_text(key), value_text(value));
            format!("{{{}}}", entries.iter().map(entry).collect::<Vec<_>>().join(", "))
        }
        ValueKind::Unknown(name) => name.to_string(),
    }
}
