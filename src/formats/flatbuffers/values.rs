//! Single values, as the comparison looks at them.

use crate::value::Value;

use super::model::{EnumId, Type};

/// The type of the items of a vector or an array.
pub(super) fn items(ty: &Type) -> Option<&Type> {
    match ty {
        Type::Vector(items) | Type::Vector64(items) | Type::Array(items, _) => Some(items),
        _ => None,
    }
}

/// The union of which a type is a vector.
pub(super) fn of_unions(ty: &Type) -> Option<EnumId> {
    match items(ty) {
        Some(Type::Union(id)) => Some(*id),
        _ => None,
    }
}

/// The items of a list, or of what is stored like one.
pub(super) fn listed(value: &Value) -> Option<Vec<Value>> {
    match value {
        Value::List(values) => Some(values.clone()),
        Value::Bytes(bytes) => Some(bytes.iter().map(|byte| Value::Int((*byte).into())).collect()),
        _ => None,
    }
}

/// The number of the value of an enum.
pub(super) fn enum_number(value: &Value) -> Option<i128> {
    match value {
        Value::Enum { number, .. } => Some((*number).into()),
        Value::Int(number) => Some(*number),
        _ => None,
    }
}
