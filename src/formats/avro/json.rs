//! The JSON encoding (specification, *JSON Encoding*), written and read with the writer's schema.

use crate::value::Value;

use super::codec::ReadError;
use super::model::{Schema, TypeId};

/// Writes a value of a type as JSON text; `Err` where it has no JSON form.
pub(crate) fn encode(_schema: &Schema<'_>, _ty: TypeId, _value: &Value) -> Result<String, String> {
    Err(String::new())
}

/// Reads the JSON text of a value of a type.
pub(crate) fn decode(_schema: &Schema<'_>, _ty: TypeId, _text: &str) -> Result<Value, ReadError> {
    Err(ReadError(String::new()))
}
