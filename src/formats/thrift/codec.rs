//! The binary and the compact protocol, on the `thrift` crate's protocols, and the reader that decides.
//!
//! The walk is driven by the schema, as that of generated readers is: a field is read when the type in its header is
//! that of the reader's own field and skipped otherwise, but inside containers the reader trusts its own element types,
//! whatever the header says. Where these differ the reader goes [astray](Reading::astray), and may not notice.
//!
//! Bytes may be hostile: lengths are bounded by the bytes there are, nesting by [`NESTING`]; nothing here panics.

use thrift::TConfiguration;
use thrift::protocol::{
    TBinaryInputProtocol, TBinaryOutputProtocol, TCompactInputProtocol, TCompactOutputProtocol, TFieldIdentifier,
    TInputProtocol, TListIdentifier, TMapIdentifier, TOutputProtocol, TSetIdentifier, TStructIdentifier, TType,
};

use crate::ordered::OrderedMap;
use crate::value::{Key, Record, Value};

use super::model::{EnumId, Field, Schema, Sort, Struct, StructId, Type};

/// Structs in structs and containers in containers, at most; that of the Apache libraries for structs.
const NESTING: usize = 64;

/// The struct that a [`Types`] holds besides those of its schema.
pub(super) const HOLDER: StructId = StructId(u32::MAX);
/// The type of the records that stand for the entries of a map whose keys are no [`Key`]: key 1, value 2.
pub(super) const ENTRY: u32 = u32::MAX - 1;

/// What stands for the key of a map among the ids that lead to a place.
pub(super) const KEY: i32 = i32::MIN;
/// What stands in a path where it leads into the values of a map.
pub(super) const CONTENT: i32 = i32::MIN + 1;

/// An encoding of structs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Protocol {
    /// `TBinaryProtocol`
    Binary,
    /// `TCompactProtocol`
    Compact,
}

impl Protocol {
    /// Both.
    pub(super) const ALL: [Protocol; 2] = [Protocol::Binary, Protocol::Compact];

    /// What people call it.
    pub(super) fn name(self) -> &'static str {
        match self {
            Protocol::Binary => "binary protocol",
            Protocol::Compact => "compact protocol",
        }
    }
}

/// What a reader does with the types in the headers of fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Headers {
    /// A field of another type than the reader's is skipped.
    Compared,
    /// Every field is read as the reader's own type, as code generated for Rust does.
    Ignored,
}

/// The types of one side.
#[derive(Debug, Clone, Copy)]
pub(super) struct Types<'s, 'b> {
    /// All programs of the side.
    pub(super) schema: &'s Schema<'b>,
    /// A struct that the schema does not have, known as [`HOLDER`].
    pub(super) holder: Option<&'s Struct<'b>>,
}

impl<'s, 'b> Types<'s, 'b> {
    /// The types of a schema, and none besides.
    pub(super) fn of(schema: &'s Schema<'b>) -> Self {
        Types { schema, holder: None }
    }

    /// A struct by its number.
    pub(super) fn structure(&self, id: StructId) -> &'s Struct<'b> {
        match self.holder {
            Some(holder) if id == HOLDER => holder,
            _ => self.schema.structure(id),
        }
    }
}

/// Whether at most one field of a struct can be set.
pub(super) fn is_one_of(structure: &Struct<'_>) -> bool {
    matches!(structure.sort, Sort::Union | Sort::Result)
}

/// Whether a struct is the result of a function that returns something.
pub(super) fn returns_something(structure: &Struct<'_>) -> bool {
    structure.sort == Sort::Result && structure.fields.iter().any(|field| field.id == 0)
}

/// The type in headers; `None` for what this module cannot write.
pub(super) fn wire_type(ty: &Type) -> Option<TType> {
    Some(match ty {
        Type::Bool => TType::Bool,
        Type::I8 => TType::I08,
        Type::I16 => TType::I16,
        Type::I32 | Type::Enum(_) => TType::I32,
        Type::I64 => TType::I64,
        Type::Double => TType::Double,
        Type::String | Type::Binary => TType::String,
        Type::Uuid => TType::Uuid,
        Type::Struct(_) => TType::Struct,
        Type::List(_) => TType::List,
        Type::Set(_) => TType::Set,
        Type::Map(_) => TType::Map,
        // The crate has no `float`: it is of another dialect.
        Type::Void | Type::Float | Type::Other(_) | Type::Opaque(_) => return None,
    })
}

/// Whether values of a type can be written and read. Says nothing of the fields of structs.
pub(super) fn is_known(ty: &Type) -> bool {
    if !matches!(ty, Type::List(_) | Type::Set(_) | Type::Map(_)) {
        return wire_type(ty).is_some();
    }
    let (mut pending, mut looked_at) = (vec![ty], 0);
    while let Some(ty) = pending.pop() {
        looked_at += 1;
        match ty {
            Type::List(items) | Type::Set(items) => pending.push(items),
            Type::Map(pair) => pending.extend([&pair.0, &pair.1]),
            scalar if wire_type(scalar).is_none() => return false,
            _ => {}
        }
        if looked_at > NESTING {
            return false;
        }
    }
    true
}

/// Whether the keys of a map can be [`Key`]s.
fn has_plain_keys(key: &Type) -> bool {
    matches!(key, Type::Bool | Type::I8 | Type::I16 | Type::I32 | Type::I64 | Type::String | Type::Enum(_))
}

/// A map from its entries, in the form that its key type asks for. Of equal keys the last wins where keys are plain.
pub(super) fn map_of(key: &Type, entries: Vec<(Value, Value)>) -> Value {
    if !has_plain_keys(key) {
        let records = entries.into_iter().map(|(key, value)| Record::empty(ENTRY).with(1, key).with(2, value));
        return Value::List(records.map(Value::Record).collect());
    }
    let plain = |key| match key {
        Value::Bool(value) => Some(Key::Bool(value)),
        Value::Int(value) => Some(Key::Int(value)),
        Value::Enum { number, .. } => Some(Key::Int(number.into())),
        Value::Text(bytes) => Some(Key::Text(bytes)),
        _ => None,
    };
    let keyed: OrderedMap<Key, Value> =
        entries.into_iter().filter_map(|(key, value)| Some((plain(key)?, value))).collect();
    Value::Map(keyed)
}

/// The entries of a map in either form.
pub(super) fn entries_of(map: &Value) -> Vec<(Value, Value)> {
    match map {
        Value::Map(entries) => entries.iter().map(|(key, value)| (key.to_value(), value.clone())).collect(),
        Value::List(records) => {
            let entry = |record: &Value| match record {
                Value::Record(record) => Some((record.fields.get(&1)?.clone(), record.fields.get(&2)?.clone())),
                _ => None,
            };
            records.iter().filter_map(entry).collect()
        }
        _ => Vec::new(),
    }
}

/// Writes a record as a struct; `None` when its values are not of its types, or when ids lie too far apart for the
/// crate to count from one to the next.
pub(super) fn encode(types: Types<'_, '_>, id: StructId, record: &Record, protocol: Protocol) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    let output: Box<dyn TOutputProtocol + '_> = match protocol {
        Protocol::Binary => Box::new(TBinaryOutputProtocol::new(&mut bytes, true)),
        Protocol::Compact => Box::new(TCompactOutputProtocol::new(&mut bytes)),
    };
    Encoder { types, output }.structure(id, record, 0)?;
    Some(bytes)
}

struct Encoder<'s, 'b, 'o> {
    types: Types<'s, 'b>,
    output: Box<dyn TOutputProtocol + 'o>,
}

impl Encoder<'_, '_, '_> {
    fn structure(&mut self, id: StructId, record: &Record, depth: usize) -> Option<()> {
        let structure = self.types.structure(id);
        self.output.write_struct_begin(&TStructIdentifier::new("")).ok()?;
        let mut last = 0_i16;
        for (key, value) in &record.fields {
            let field = structure.field(i16::try_from(*key).ok()?)?;
            field.id.checked_sub(last)?;
            last = field.id;
            self.output.write_field_begin(&TFieldIdentifier::new("", wire_type(&field.ty)?, field.id)).ok()?;
            self.value(&field.ty, value, depth + 1)?;
            self.output.write_field_end().ok()?;
        }
        self.output.write_field_stop().ok()?;
        self.output.write_struct_end().ok()
    }

    fn value(&mut self, ty: &Type, value: &Value, depth: usize) -> Option<()> {
        if depth > NESTING {
            return None;
        }
        match (ty, value) {
            (Type::Bool, Value::Bool(value)) => self.output.write_bool(*value).ok(),
            (Type::I8, Value::Int(value)) => self.output.write_i8(i8::try_from(*value).ok()?).ok(),
            (Type::I16, Value::Int(value)) => self.output.write_i16(i16::try_from(*value).ok()?).ok(),
            (Type::I32, Value::Int(value)) => self.output.write_i32(i32::try_from(*value).ok()?).ok(),
            (Type::I64, Value::Int(value)) => self.output.write_i64(i64::try_from(*value).ok()?).ok(),
            (Type::Enum(_), Value::Enum { number, .. }) => self.output.write_i32(*number).ok(),
            (Type::Double, Value::Double(value)) => self.output.write_double(*value).ok(),
            (Type::String, Value::Text(bytes)) => self.output.write_string(std::str::from_utf8(bytes).ok()?).ok(),
            (Type::Binary, Value::Bytes(bytes)) => self.output.write_bytes(bytes).ok(),
            (Type::Uuid, Value::Bytes(bytes)) => self.output.write_uuid(&uuid::Uuid::from_slice(bytes).ok()?).ok(),
            (Type::Struct(id), Value::Record(record)) => self.structure(*id, record, depth),
            (Type::List(items) | Type::Set(items), Value::List(values)) => {
                let (item, size) = (wire_type(items)?, i32::try_from(values.len()).ok()?);
                let begun = match ty {
                    Type::List(_) => self.output.write_list_begin(&TListIdentifier::new(item, size)),
                    _ => self.output.write_set_begin(&TSetIdentifier::new(item, size)),
                };
                begun.ok()?;
                values.iter().try_for_each(|value| self.value(items, value, depth + 1))
            }
            (Type::Map(pair), map) => self.map(pair, map, depth),
            _ => None,
        }
    }

    fn map(&mut self, pair: &(Type, Type), map: &Value, depth: usize) -> Option<()> {
        let entries = entries_of(map);
        let size = i32::try_from(entries.len()).ok()?;
        self.output.write_map_begin(&TMapIdentifier::new(wire_type(&pair.0)?, wire_type(&pair.1)?, size)).ok()?;
        for (key, value) in &entries {
            match (&pair.0, key) {
                (Type::Enum(id), Value::Int(number)) => {
                    let number = i32::try_from(*number).ok()?;
                    self.value(&pair.0, &Value::Enum { ty: id.0, number }, depth + 1)?;
                }
                (ty, key) => self.value(ty, key, depth + 1)?,
            }
            self.value(&pair.1, value, depth + 1)?;
        }
        Some(())
    }
}

/// What a reader made of bytes.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Reading {
    /// The record, or why there is none.
    pub(super) result: Result<Record, ReadError>,
    /// The ids of the fields that lead to the first container whose elements were of another type than the reader's:
    /// all that was read from there on may be something else.
    pub(super) astray: Option<Vec<i32>>,
}

/// Why a reader rejects bytes.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ReadError {
    /// The ids of the reader's fields that lead to the place.
    pub(super) path: Vec<i32>,
    /// What kind of fault.
    pub(super) cause: Cause,
    /// What is wrong, for people.
    pub(super) reason: String,
}

/// The kinds of faults.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Cause {
    /// The bytes make no sense, or not enough of them are there.
    Malformed,
    /// Fields with these ids are required and missing.
    Missing(Vec<i32>),
    /// Of fields that exclude each other these two are there.
    SetTwice(i32, i32),
    /// Neither a return value nor an exception that the reader knows.
    NoResult,
}

/// Reads bytes as a struct. Bytes after its end are not looked at.
pub(super) fn decode(
    types: Types<'_, '_>,
    id: StructId,
    bytes: &[u8],
    (protocol, headers): (Protocol, Headers),
) -> Reading {
    let limits = TConfiguration::builder()
        .max_recursion_depth(Some(NESTING))
        .max_container_size(Some(bytes.len()))
        .max_string_size(Some(bytes.len()));
    let limits = limits.build().unwrap_or_default();
    let input: Box<dyn TInputProtocol + '_> = match protocol {
        Protocol::Binary => Box::new(TBinaryInputProtocol::with_config(bytes, true, limits)),
        Protocol::Compact => Box::new(TCompactInputProtocol::with_config(bytes, limits)),
    };
    let mut decoder = Decoder { types, input, headers, path: Vec::new(), astray: None };
    let result = decoder.structure(id);
    Reading { result, astray: decoder.astray }
}

struct Decoder<'s, 'b, 'i> {
    types: Types<'s, 'b>,
    input: Box<dyn TInputProtocol + 'i>,
    headers: Headers,
    path: Vec<i32>,
    astray: Option<Vec<i32>>,
}

impl Decoder<'_, '_, '_> {
    fn structure(&mut self, id: StructId) -> Result<Record, ReadError> {
        let structure = self.types.structure(id);
        let mut record = Record::empty(id.0);
        let begun = self.input.read_struct_begin();
        self.checked(begun)?;
        loop {
            let header = self.input.read_field_begin();
            let header = self.checked(header)?;
            if header.field_type == TType::Stop {
                break;
            }
            let id = header.id.unwrap_or_default();
            let is_read = |field: &&Field<'_>| {
                let own = wire_type(&field.ty).filter(|_| is_known(&field.ty));
                own.is_some_and(|own| self.headers == Headers::Ignored || own == header.field_type)
            };
            match structure.field(id).filter(is_read) {
                Some(field) => self.field(structure, field, &mut record)?,
                None => {
                    let skipped = self.input.skip(header.field_type);
                    self.checked(skipped)?;
                }
            }
            let ended = self.input.read_field_end();
            self.checked(ended)?;
        }
        let ended = self.input.read_struct_end();
        self.checked(ended)?;
        self.complete(structure, &record)?;
        Ok(record)
    }

    fn field(&mut self, structure: &Struct<'_>, field: &Field<'_>, record: &mut Record) -> Result<(), ReadError> {
        let id = i32::from(field.id);
        if let Some(other) = record.fields.keys().next().copied().filter(|_| is_one_of(structure)) {
            let reason =
                format!("`{}` can hold one field only, and both {other} and {id} are there", structure.full_name);
            return Err(self.fault(Cause::SetTwice(other, id), reason));
        }
        self.path.push(id);
        let value = self.value(&field.ty, 0)?;
        self.path.pop();
        record.fields.insert(id, value);
        Ok(())
    }

    /// What is checked when all fields were read.
    fn complete(&self, structure: &Struct<'_>, record: &Record) -> Result<(), ReadError> {
        let is_missing = |field: &&Field<'_>| !record.fields.contains_key(&i32::from(field.id)) && is_known(&field.ty);
        let missing: Vec<&Field<'_>> = match is_one_of(structure) {
            true => Vec::new(),
            false => structure.required().filter(is_missing).collect(),
        };
        if let Some(first) = missing.first() {
            let reason = format!("the required field `{}` of `{}` is missing", first.name.text, structure.full_name);
            return Err(self.fault(Cause::Missing(missing.iter().map(|field| field.id.into()).collect()), reason));
        }
        let all_known = || structure.fields.iter().all(|field| is_known(&field.ty));
        if record.fields.is_empty() && returns_something(structure) && all_known() {
            let reason =
                format!("`{}` holds neither a value nor a known exception: missing result", structure.full_name);
            return Err(self.fault(Cause::NoResult, reason));
        }
        Ok(())
    }

    fn value(&mut self, ty: &Type, depth: usize) -> Result<Value, ReadError> {
        if depth > NESTING {
            return Err(self.fault(Cause::Malformed, "containers are nested too deeply".to_owned()));
        }
        let read = match ty {
            Type::Bool => self.input.read_bool().map(Value::Bool),
            Type::I8 => self.input.read_i8().map(|number| Value::Int(number.into())),
            Type::I16 => self.input.read_i16().map(|number| Value::Int(number.into())),
            Type::I32 => self.input.read_i32().map(|number| Value::Int(number.into())),
            Type::I64 => self.input.read_i64().map(|number| Value::Int(number.into())),
            Type::Enum(EnumId(ty)) => self.input.read_i32().map(|number| Value::Enum { ty: *ty, number }),
            Type::Double => self.input.read_double().map(Value::Double),
            Type::String => self.input.read_string().map(|text| Value::Text(text.into_bytes())),
            Type::Binary => self.input.read_bytes().map(Value::Bytes),
            Type::Uuid => self.input.read_uuid().map(|uuid| Value::Bytes(uuid.as_bytes().to_vec())),
            Type::Struct(id) => return self.structure(*id).map(Value::Record),
            Type::List(items) => {
                let begun = self.input.read_list_begin();
                let begun = self.checked(begun)?;
                return self.items(items, (begun.element_type, begun.size), depth);
            }
            Type::Set(items) => {
                let begun = self.input.read_set_begin();
                let begun = self.checked(begun)?;
                return self.items(items, (begun.element_type, begun.size), depth);
            }
            Type::Map(pair) => return self.map(pair, depth),
            Type::Void | Type::Float | Type::Other(_) | Type::Opaque(_) => {
                return Err(self.fault(Cause::Malformed, "a value of a type that is not known".to_owned()));
            }
        };
        self.checked(read)
    }

    fn items(&mut self, ty: &Type, (written, size): (TType, i32), depth: usize) -> Result<Value, ReadError> {
        if size > 0 {
            self.trust(&[(ty, Some(written))]);
        }
        let mut values = Vec::new();
        for _ in 0..size {
            values.push(self.value(ty, depth + 1)?);
        }
        Ok(Value::List(values))
    }

    fn map(&mut self, pair: &(Type, Type), depth: usize) -> Result<Value, ReadError> {
        let begun = self.input.read_map_begin();
        let begun = self.checked(begun)?;
        if begun.size > 0 {
            self.trust(&[(&pair.0, begun.key_type), (&pair.1, begun.value_type)]);
        }
        let mut entries = Vec::new();
        for _ in 0..begun.size {
            self.path.push(KEY);
            let key = self.value(&pair.0, depth + 1)?;
            self.path.pop();
            self.path.push(CONTENT);
            entries.push((key, self.value(&pair.1, depth + 1)?));
            self.path.pop();
        }
        Ok(map_of(&pair.0, entries))
    }

    /// The reader's own element types are trusted, whatever was written; that is remembered.
    fn trust(&mut self, elements: &[(&Type, Option<TType>)]) {
        // A list and a set are written alike: what is inside says whether it is read at the right place.
        let alike = |ty| if ty == Some(TType::Set) { Some(TType::List) } else { ty };
        if self.astray.is_none() && elements.iter().any(|(own, written)| alike(wire_type(own)) != alike(*written)) {
            self.astray = Some(self.path.clone());
        }
    }

    fn checked<T>(&self, read: thrift::Result<T>) -> Result<T, ReadError> {
        read.map_err(|error| {
            let reason = match &error {
                thrift::Error::Transport(_) => "the bytes end in the middle of a value".to_owned(),
                thrift::Error::Protocol(error) => error.message.clone(),
                error => error.to_string(),
            };
            self.fault(Cause::Malformed, reason)
        })
    }

    fn fault(&self, cause: Cause, reason: String) -> ReadError {
        ReadError { path: self.path.clone(), cause, reason }
    }
}

#[cfg(test)]
#[path = "codec_tests.rs"]
mod tests;
