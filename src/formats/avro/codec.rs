//! The binary encoding (specification, *Binary Encoding*), written and read with the writer's schema.

use crate::value::Value;

use super::model::{Schema, TypeId};

/// Why bytes are not data of a type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ReadError(pub(crate) String);

/// Writes a value of a type; `Err` where it is not one.
pub(crate) fn encode(_schema: &Schema<'_>, _ty: TypeId, _value: &Value, _out: &mut Vec<u8>) -> Result<(), String> {
    Err(String::new())
}

/// Reads one value of a type from the start of `bytes`, and says what is left.
pub(crate) fn decode<'d>(_schema: &Schema<'_>, _ty: TypeId, bytes: &'d [u8]) -> Result<(Value, &'d [u8]), ReadError> {
    let _ = bytes;
    Err(ReadError(String::new()))
}
