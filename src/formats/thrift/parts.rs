//! What the bytes of a struct are to one schema: headers, sizes and values, and the fields that they belong to.
//!
//! This tells what [`super::codec`] reads, for people who look at a witness; it decides nothing. Where the reader would
//! reject the bytes, the parts end.

use std::cell::Cell;
use std::io::Read;

use thrift::TConfiguration;
use thrift::protocol::{TBinaryInputProtocol, TCompactInputProtocol, TInputProtocol, TType};

use crate::evidence::BytePart;
use crate::formats::parts::{Parts, inside, words};
use crate::value::Value;

use super::codec::{Headers, Protocol, Types, is_known, wire_type};
use super::model::{EnumId, Field, StructId, Type};
use super::names::SchemaNames;

/// Deeper structs are no picture.
const DEEPEST: usize = 40;

/// The parts of a struct, as a reader with these types takes them.
pub(super) fn parts(
    types: Types<'_, '_>,
    id: StructId,
    bytes: &[u8],
    (protocol, headers): (Protocol, Headers),
) -> Vec<BytePart> {
    let Some(parts) = Parts::of(bytes) else { return Vec::new() };
    let at = Cell::new(0);
    let source = Counted { rest: bytes, at: &at };
    let limits = TConfiguration::builder()
        .max_container_size(Some(bytes.len()))
        .max_string_size(Some(bytes.len()))
        .build()
        .unwrap_or_default();
    let input: Box<dyn TInputProtocol + '_> = match protocol {
        Protocol::Binary => Box::new(TBinaryInputProtocol::with_config(source, true, limits)),
        Protocol::Compact => Box::new(TCompactInputProtocol::with_config(source, limits)),
    };
    let mut walk = Walk { types, headers, input, at: &at, parts };
    // What cannot be read ends the list; the witness says why.
    let _ = walk.structure(id, "", 0);
    walk.parts.finish()
}

/// Bytes that are counted as they are read.
struct Counted<'b> {
    rest: &'b [u8],
    at: &'b Cell<usize>,
}

impl Read for Counted<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let count = self.rest.read(buffer)?;
        self.at.set(self.at.get() + count);
        Ok(count)
    }
}

struct Walk<'s, 'b, 'i> {
    types: Types<'s, 'b>,
    headers: Headers,
    input: Box<dyn TInputProtocol + 'i>,
    at: &'i Cell<usize>,
    parts: Parts<'i>,
}

impl Walk<'_, '_, '_> {
    fn tell(&mut self, start: usize, path: &str, what: impl Into<String>) {
        self.parts.add((start, self.at.get()), path, what);
    }

    fn structure(&mut self, id: StructId, path: &str, depth: usize) -> Option<()> {
        if depth > DEEPEST {
            return None;
        }
        let structure = self.types.structure(id);
        self.input.read_struct_begin().ok()?;
        loop {
            let start = self.at.get();
            let header = self.input.read_field_begin().ok()?;
            if header.field_type == TType::Stop {
                self.tell(start, path, "stop: the struct ends");
                self.input.read_struct_end().ok()?;
                return Some(());
            }
            let number = header.id.unwrap_or_default();
            let what = format!("header: field {number}, {}", type_name(header.field_type));
            let known = structure.field(number).filter(|field| is_known(&field.ty));
            match known {
                Some(field) if self.takes(field, header.field_type) => {
                    let path = inside(path, &field.name.text);
                    self.field(field, (start, what), &path, depth)?;
                }
                known => {
                    let name = known.map(|field| inside(path, &field.name.text)).unwrap_or_default();
                    self.tell(start, &name, what);
                    let behind = self.at.get();
                    self.input.skip(header.field_type).ok()?;
                    let wanted = known.and_then(|field| wire_type(&field.ty));
                    let why = match wanted {
                        Some(wanted) => format!("skipped: the reader expects {}", type_name(wanted)),
                        None => "skipped: no such field".to_owned(),
                    };
                    self.tell(behind, &name, why);
                }
            }
            self.input.read_field_end().ok()?;
        }
    }

    fn takes(&self, field: &Field<'_>, written: TType) -> bool {
        self.headers == Headers::Ignored || wire_type(&field.ty) == Some(written)
    }

    fn field(&mut self, field: &Field<'_>, (start, header): (usize, String), path: &str, depth: usize) -> Option<()> {
        let behind = self.at.get();
        if field.ty == Type::Bool {
            let value = self.input.read_bool().ok()?;
            // The compact protocol says it in the header.
            if self.at.get() == behind {
                self.tell(start, path, format!("{header}, {value}"));
                return Some(());
            }
            self.parts.add((start, behind), path, header);
            self.tell(behind, path, value.to_string());
            return Some(());
        }
        self.parts.add((start, behind), path, header);
        self.value(&field.ty, path, depth)
    }

    fn value(&mut self, ty: &Type, path: &str, depth: usize) -> Option<()> {
        let start = self.at.get();
        let value = match ty {
            Type::Bool => Value::Bool(self.input.read_bool().ok()?),
            Type::I8 => Value::Int(self.input.read_i8().ok()?.into()),
            Type::I16 => Value::Int(self.input.read_i16().ok()?.into()),
            Type::I32 => Value::Int(self.input.read_i32().ok()?.into()),
            Type::I64 => Value::Int(self.input.read_i64().ok()?.into()),
            Type::Enum(EnumId(ty)) => Value::Enum { ty: *ty, number: self.input.read_i32().ok()? },
            Type::Double => Value::Double(self.input.read_double().ok()?),
            Type::String => Value::Text(self.input.read_string().ok()?.into_bytes()),
            Type::Binary => Value::Bytes(self.input.read_bytes().ok()?),
            Type::Uuid => Value::Bytes(self.input.read_uuid().ok()?.as_bytes().to_vec()),
            Type::Struct(id) => return self.structure(*id, path, depth + 1),
            Type::List(items) => {
                let begun = self.input.read_list_begin().ok()?;
                return self.items(items, (start, begun.element_type, begun.size), path, depth);
            }
            Type::Set(items) => {
                let begun = self.input.read_set_begin().ok()?;
                return self.items(items, (start, begun.element_type, begun.size), path, depth);
            }
            Type::Map(pair) => return self.map(pair, path, depth),
            Type::Void | Type::Float | Type::Other(_) | Type::Opaque(_) => return None,
        };
        self.scalar(start, &value, path);
        Some(())
    }

    /// A value that was read; the length before a text is a part of its own.
    fn scalar(&mut self, start: usize, value: &Value, path: &str) {
        let mut content = start;
        if let Value::Text(bytes) | Value::Bytes(bytes) = value {
            content = self.at.get() - bytes.len();
            self.parts.add((start, content), path, format!("length {}", bytes.len()));
        }
        let shown = words(value, &SchemaNames(self.types));
        self.tell(content, path, shown);
    }

    fn items(&mut self, ty: &Type, head: (usize, TType, i32), path: &str, depth: usize) -> Option<()> {
        let (start, written, size) = head;
        self.tell(start, path, format!("{size} of {}", type_name(written)));
        (0..size).try_for_each(|index| self.value(ty, &format!("{path}[{index}]"), depth + 1))
    }

    fn map(&mut self, pair: &(Type, Type), path: &str, depth: usize) -> Option<()> {
        let start = self.at.get();
        let begun = self.input.read_map_begin().ok()?;
        let types = match (begun.key_type, begun.value_type) {
            (Some(key), Some(value)) => format!(" of {} to {}", type_name(key), type_name(value)),
            _ => String::new(),
        };
        self.tell(start, path, format!("{} pairs{types}", begun.size));
        (0..begun.size).try_for_each(|index| {
            let entry = format!("{path}[{index}]");
            self.value(&pair.0, &inside(&entry, "key"), depth + 1)?;
            self.value(&pair.1, &inside(&entry, "value"), depth + 1)
        })
    }
}

/// What the specification calls a type on the wire.
fn type_name(ty: TType) -> &'static str {
    match ty {
        TType::Stop => "stop",
        TType::Void => "void",
        TType::Bool => "bool",
        TType::I08 => "i8",
        TType::Double => "double",
        TType::I16 => "i16",
        TType::I32 => "i32",
        TType::I64 => "i64",
        TType::String | TType::Utf7 => "binary",
        TType::Struct => "struct",
        TType::Map => "map",
        TType::Set => "set",
        TType::List => "list",
        TType::Uuid => "uuid",
    }
}
