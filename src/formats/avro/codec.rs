//! The binary encoding (specification, *Binary Encoding*), written and read with the writer's schema.
//!
//! Reading never panics, never nests deeper than [`DEPTH_LIMIT`], and never holds more than a constant number of values
//! per byte of its input, whatever lengths and counts the bytes claim.

use crate::ordered::OrderedMap;
use crate::value::{Key, Record as RecordValue, Value};

use super::model::{Kind, Primitive, Record, Schema, TypeId};
use super::resolve::DEPTH_LIMIT;

/// Why bytes are not data of a type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ReadError(pub(crate) String);

impl ReadError {
    pub(super) fn new(reason: impl Into<String>) -> Self {
        ReadError(reason.into())
    }
}

/// Values that an input of any size may hold; types whose values take no bytes need some.
const VALUES: usize = 1 << 16;

/// Values more per byte of the input.
const VALUES_PER_BYTE: usize = 64;

/// Writes a value of a type; `Err` where it is not one.
pub(crate) fn encode(schema: &Schema<'_>, ty: TypeId, value: &Value, out: &mut Vec<u8>) -> Result<(), String> {
    write(schema, ty, value, out, 0)
}

/// Reads one value of a type from the start of `bytes`, and says what is left.
pub(crate) fn decode<'d>(schema: &Schema<'_>, ty: TypeId, bytes: &'d [u8]) -> Result<(Value, &'d [u8]), ReadError> {
    let budget = bytes.len().saturating_mul(VALUES_PER_BYTE).saturating_add(VALUES);
    let mut input = Input { bytes, budget };
    let value = read(schema, ty, &mut input, 0)?;
    Ok((value, input.bytes))
}

fn write(schema: &Schema<'_>, ty: TypeId, value: &Value, out: &mut Vec<u8>, depth: usize) -> Result<(), String> {
    if depth > DEPTH_LIMIT {
        return Err(too_deep());
    }
    match (schema.kind(ty), value) {
        (Kind::Primitive(primitive), _) => write_primitive(*primitive, value, out)?,
        (Kind::Record(record), Value::Record(value)) => {
            for (index, field) in record.fields.iter().enumerate() {
                let part = field_value(value, index)
                    .ok_or_else(|| format!("the record `{}` lacks its field `{}`", record.name.full, field.name))?;
                write(schema, field.schema.ty, part, out, depth + 1)?;
            }
        }
        (Kind::Enum(symbols), Value::Enum { number, .. }) => {
            let known = usize::try_from(*number).is_ok_and(|index| index < symbols.symbols.len());
            if !known {
                return Err(format!("the enum `{}` has no symbol number {number}", symbols.name.full));
            }
            put_long(i64::from(*number), out);
        }
        (Kind::Fixed(fixed), Value::Bytes(bytes)) => {
            if bytes.len() != fixed.size as usize {
                return Err(format!("`{}` has {} bytes, not {}", fixed.name.full, fixed.size, bytes.len()));
            }
            out.extend_from_slice(bytes);
        }
        (Kind::Array(items), Value::List(values)) => {
            put_count(values.len(), out);
            for value in values {
                write(schema, items.ty, value, out, depth + 1)?;
            }
            out.push(0);
        }
        (Kind::Map(values), Value::Map(entries)) => {
            put_count(entries.len(), out);
            for (key, value) in entries {
                put_bytes(key_text(key)?.as_bytes(), out);
                write(schema, values.ty, value, out, depth + 1)?;
            }
            out.push(0);
        }
        (Kind::Union(branches), Value::Branch { index, value }) => {
            let branch =
                branches.get(*index as usize).ok_or_else(|| format!("the union has no branch number {index}"))?;
            put_long(i64::from(*index), out);
            write(schema, branch.ty, value, out, depth + 1)?;
        }
        _ => return Err(format!("the value is no `{}`", schema.called(ty))),
    }
    Ok(())
}

fn write_primitive(primitive: Primitive, value: &Value, out: &mut Vec<u8>) -> Result<(), String> {
    match (primitive, value) {
        (Primitive::Null, Value::Null) => {}
        (Primitive::Boolean, Value::Bool(value)) => out.push(u8::from(*value)),
        (Primitive::Int, Value::Int(value)) => {
            let value = i32::try_from(*value).map_err(|_| format!("{value} is no `int`"))?;
            put_long(value.into(), out);
        }
        (Primitive::Long, Value::Int(value)) => {
            put_long(i64::try_from(*value).map_err(|_| format!("{value} is no `long`"))?, out);
        }
        (Primitive::Float, Value::Float(value)) => out.extend_from_slice(&value.to_le_bytes()),
        (Primitive::Double, Value::Double(value)) => out.extend_from_slice(&value.to_le_bytes()),
        (Primitive::Bytes, Value::Bytes(bytes)) => put_bytes(bytes, out),
        (Primitive::String, Value::Text(text)) => {
            put_bytes(std::str::from_utf8(text).map_err(|_| not_utf8())?.as_bytes(), out);
        }
        _ => return Err(format!("the value is no `{}`", primitive.name())),
    }
    Ok(())
}

/// A field of a record's value, by its index.
pub(super) fn field_value(record: &RecordValue, index: usize) -> Option<&Value> {
    record.fields.get(&i32::try_from(index).ok()?)
}

/// The text of a map's key; `Err` where it is none.
pub(super) fn key_text(key: &Key) -> Result<&str, String> {
    match key {
        Key::Text(text) => std::str::from_utf8(text).map_err(|_| not_utf8()),
        Key::Bool(_) | Key::Int(_) => Err("a key of a map is no text".to_owned()),
    }
}

pub(super) fn too_deep() -> String {
    format!("the value is nested deeper than {DEPTH_LIMIT} levels")
}

pub(super) fn not_utf8() -> String {
    "a text is not valid UTF-8".to_owned()
}

/// Zig-zag and then seven bits per byte, the lowest first.
pub(super) fn put_long(value: i64, out: &mut Vec<u8>) {
    let mut rest = ((value << 1) ^ (value >> 63)).cast_unsigned();
    while rest > 0x7f {
        out.push((rest & 0x7f) as u8 | 0x80);
        rest >>= 7;
    }
    out.push(rest as u8);
}

fn put_bytes(bytes: &[u8], out: &mut Vec<u8>) {
    put_length(bytes.len(), out);
    out.extend_from_slice(bytes);
}

fn put_length(length: usize, out: &mut Vec<u8>) {
    put_long(i64::try_from(length).expect("nothing in memory is longer than 2^63 - 1"), out);
}

/// One block holds everything, and what is empty has none; a zero ends the blocks.
fn put_count(count: usize, out: &mut Vec<u8>) {
    if count > 0 {
        put_length(count, out);
    }
}

/// What is left to read, and how many values may still come out of it.
pub(super) struct Input<'d> {
    pub(super) bytes: &'d [u8],
    budget: usize,
}

impl<'d> Input<'d> {
    /// All of some bytes, for a look at a part of them.
    pub(super) fn of(bytes: &'d [u8]) -> Self {
        Input { bytes, budget: bytes.len() }
    }

    pub(super) fn take(&mut self, count: usize) -> Result<&'d [u8], ReadError> {
        let Some((taken, rest)) = self.bytes.split_at_checked(count) else {
            return Err(ReadError::new(format!("{count} bytes are announced and {} are left", self.bytes.len())));
        };
        self.bytes = rest;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], ReadError> {
        let taken = self.take(N)?;
        Ok(taken.try_into().expect("as many bytes as asked for were taken"))
    }

    /// A zig-zag number of at most 64 bits.
    pub(super) fn long(&mut self) -> Result<i64, ReadError> {
        let mut number = 0_u64;
        for shift in (0..64).step_by(7) {
            let [byte] = self.array()?;
            let bits = u64::from(byte & 0x7f);
            if shift == 63 && bits > 1 {
                break;
            }
            number |= bits << shift;
            if byte & 0x80 == 0 {
                return Ok((number >> 1).cast_signed() ^ -(number & 1).cast_signed());
            }
        }
        Err(ReadError::new("a number has more than 64 bits"))
    }

    pub(super) fn int(&mut self) -> Result<i32, ReadError> {
        let number = self.long()?;
        i32::try_from(number).map_err(|_| ReadError::new(format!("{number} is no `int`")))
    }

    fn length(&mut self) -> Result<usize, ReadError> {
        let length = self.long()?;
        usize::try_from(length).map_err(|_| ReadError::new(format!("a length is {length}")))
    }

    fn delimited(&mut self) -> Result<&'d [u8], ReadError> {
        let length = self.length()?;
        self.take(length)
    }

    pub(super) fn text(&mut self) -> Result<Vec<u8>, ReadError> {
        let bytes = self.delimited()?;
        std::str::from_utf8(bytes).map(|text| text.as_bytes().to_vec()).map_err(|_| ReadError::new(not_utf8()))
    }

    /// The items of an array or a map, block by block. A negative count is followed by the size of its block in bytes.
    fn blocks(&mut self, mut item: impl FnMut(&mut Self) -> Result<(), ReadError>) -> Result<(), ReadError> {
        loop {
            let count = self.long()?;
            if count == 0 {
                return Ok(());
            }
            let size = if count < 0 { Some(self.length()?) } else { None };
            let left = self.bytes.len();
            if size.is_some_and(|size| size > left) {
                return Err(ReadError::new("a block is longer than the bytes that are left"));
            }
            for _ in 0..count.unsigned_abs() {
                item(self)?;
            }
            if size.is_some_and(|size| size != left - self.bytes.len()) {
                return Err(ReadError::new("a block does not have the size that it announces"));
            }
        }
    }
}

fn read(schema: &Schema<'_>, ty: TypeId, input: &mut Input<'_>, depth: usize) -> Result<Value, ReadError> {
    if depth > DEPTH_LIMIT {
        return Err(ReadError(too_deep()));
    }
    input.budget = input.budget.checked_sub(1).ok_or_else(|| ReadError::new("the bytes claim too many values"))?;
    match schema.kind(ty) {
        Kind::Primitive(primitive) => read_primitive(*primitive, input),
        Kind::Record(record) => read_record(schema, (ty, record), input, depth),
        Kind::Enum(symbols) => {
            let number = input.int()?;
            if usize::try_from(number).is_ok_and(|index| index < symbols.symbols.len()) {
                return Ok(Value::Enum { ty: ty.0, number });
            }
            Err(ReadError(format!("the enum `{}` has no symbol number {number}", symbols.name.full)))
        }
        Kind::Fixed(fixed) => Ok(Value::Bytes(input.take(fixed.size as usize)?.to_vec())),
        Kind::Array(items) => {
            let mut values = Vec::new();
            input.blocks(|input| {
                values.push(read(schema, items.ty, input, depth + 1)?);
                Ok(())
            })?;
            Ok(Value::List(values))
        }
        Kind::Map(items) => {
            let mut entries = OrderedMap::new();
            input.blocks(|input| {
                let key = Key::Text(input.text()?);
                entries.insert(key, read(schema, items.ty, input, depth + 1)?);
                Ok(())
            })?;
            Ok(Value::Map(entries))
        }
        Kind::Union(branches) => {
            let number = input.long()?;
            let index = u32::try_from(number).ok();
            let branch = index.and_then(|index| Some((index, branches.get(index as usize)?)));
            let Some((index, branch)) = branch else {
                return Err(ReadError(format!("the union has no branch number {number}")));
            };
            Ok(Value::Branch { index, value: Box::new(read(schema, branch.ty, input, depth + 1)?) })
        }
        Kind::Opaque(name) => Err(ReadError(format!("the definition of `{}` is missing", name.full))),
    }
}

fn read_record(
    schema: &Schema<'_>,
    (ty, record): (TypeId, &Record<'_>),
    input: &mut Input<'_>,
    depth: usize,
) -> Result<Value, ReadError> {
    let mut value = RecordValue::empty(ty.0);
    for (key, field) in (0..).zip(&record.fields) {
        value.fields.insert(key, read(schema, field.schema.ty, input, depth + 1)?);
    }
    Ok(Value::Record(value))
}

pub(super) fn read_primitive(primitive: Primitive, input: &mut Input<'_>) -> Result<Value, ReadError> {
    Ok(match primitive {
        Primitive::Null => Value::Null,
        Primitive::Boolean => match input.array()? {
            [0] => Value::Bool(false),
            [1] => Value::Bool(true),
            [byte] => return Err(ReadError(format!("a boolean is {byte}"))),
        },
        Primitive::Int => Value::Int(input.int()?.into()),
        Primitive::Long => Value::Int(input.long()?.into()),
        Primitive::Float => Value::Float(f32::from_le_bytes(input.array()?)),
        Primitive::Double => Value::Double(f64::from_le_bytes(input.array()?)),
        Primitive::Bytes => Value::Bytes(input.delimited()?.to_vec()),
        Primitive::String => Value::Text(input.text()?),
    })
}

#[cfg(test)]
#[path = "codec_tests.rs"]
pub(super) mod tests;
