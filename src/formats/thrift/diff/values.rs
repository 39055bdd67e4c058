//! Constants: how they are told.

use super::super::made;
use super::super::model::{Schema, Type, Value, ValueKind};

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
        ValueKind::Unknown(name) => format!("{name} (not known)"),
    }
}

/// What a constant makes in one line, the fields of structs in full as far as there is room.
pub(super) fn made_text(schema: &Schema<'_>, ty: &Type, value: &Value<'_>) -> String {
    let mut room = made::TOLD;
    made_within(schema, ty, value, &mut room)
}

/// The same within some number of structs, which also ends defaults that hold themselves.
fn made_within(schema: &Schema<'_>, ty: &Type, value: &Value<'_>, room: &mut usize) -> String {
    match (ty, &value.kind) {
        (Type::Struct(id), ValueKind::Map(given)) => {
            let Some(left) = room.checked_sub(1) else { return "…".to_owned() };
            *room = left;
            let fields = made::fields(schema.structure(*id), given).map(|(field, value)| {
                format!("\"{}\": {}", field.name.text, made_within(schema, &field.ty, value, room))
            });
            format!("{{{}}}", fields.collect::<Vec<_>>().join(", "))
        }
        (Type::List(items) | Type::Set(items), ValueKind::List(values)) => {
            let values = values.iter().map(|value| made_within(schema, items, value, room));
            format!("[{}]", values.collect::<Vec<_>>().join(", "))
        }
        (Type::Map(types), ValueKind::Map(entries)) => {
            let entries = entries.iter().map(|(key, value)| {
                let key = made_within(schema, &types.0, key, room);
                format!("{key}: {}", made_within(schema, &types.1, value, room))
            });
            format!("{{{}}}", entries.collect::<Vec<_>>().join(", "))
        }
        _ => value_text(value),
    }
}
