//! The default of a field as Java makes it, which is not always what the schema says.
//!
//! Java writes the JSON value with the schema of the field and reads it back. In a union it takes the first branch that is
//! a record, an enum, an array or a map, whatever the value, or a primitive type or fixed of the value's sort of JSON
//! (1.12; before, the first branch in any case). Of a record it then takes the members by name, of an array and a map what
//! the value holds, which is nothing where it is a number, a text or null.

use super::link::written_number;
use super::model::{Field, Kind, Primitive, Schema, TypeId, Use};
use super::names::field_key;
use crate::ordered::OrderedMap;
use crate::syntax::json::{Json, JsonKind};
use crate::value::{Key, Record as RecordValue, Value};

/// Values that are made for one default at most, so that defaults which hold each other come to an end.
const STEPS: usize = 20_000;
/// How deep they may be nested.
const DEPTH_LIMIT: usize = 300;

/// Whether Java can write the default of a field that has one, which it does before it reads anything.
pub(super) fn is_written(schema: &Schema<'_>, field: &Field<'_>) -> bool {
    field.default.is_none() || written(schema, field).is_some()
}

fn written(schema: &Schema<'_>, field: &Field<'_>) -> Option<Value> {
    let json = field.default.as_ref()?.json;
    Making { schema, steps: STEPS, depth: 0 }.default(field.schema.ty, json)
}

/// The value that Java takes where the writer lacks the field; nothing where it fails to make one.
pub(super) fn default(schema: &Schema<'_>, field: &Field<'_>) -> Option<Value> {
    let value = written(schema, field)?;
    // 1.12.1 makes an empty array by the type of the field, and no array can be made by a union.
    match &value {
        Value::Branch { value: inner, .. } if matches!(&**inner, Value::List(items) if items.is_empty()) => None,
        _ => Some(value),
    }
}

struct Making<'s, 't> {
    schema: &'s Schema<'t>,
    steps: usize,
    depth: usize,
}

impl Making<'_, '_> {
    /// The default of a field. Only there numbers may be written as texts.
    fn default(&mut self, ty: TypeId, json: &Json<'_>) -> Option<Value> {
        match (self.schema.kind(ty), json.as_text()) {
            (Kind::Primitive(Primitive::Float), Some(text)) => Some(Value::Float(written_number(text)? as f32)),
            (Kind::Primitive(Primitive::Double), Some(text)) => Some(Value::Double(written_number(text)?)),
            _ => self.value(ty, json),
        }
    }

    fn value(&mut self, ty: TypeId, json: &Json<'_>) -> Option<Value> {
        if self.steps == 0 || self.depth == DEPTH_LIMIT {
            return None;
        }
        (self.steps, self.depth) = (self.steps - 1, self.depth + 1);
        let value = match self.schema.kind(ty) {
            Kind::Primitive(primitive) => primitive_value(*primitive, json),
            Kind::Fixed(fixed) => json.as_text().map(latin).map(|mut bytes| {
                // As where the default is understood: a size alone takes no memory.
                bytes.resize((fixed.size as usize).min(bytes.len().max(1 << 16)), 0);
                Value::Bytes(bytes)
            }),
            Kind::Enum(declared) => {
                let symbol = json.as_text()?;
                let number = declared.position(symbol)?;
                Some(Value::Enum { ty: ty.0, number: i32::try_from(number).ok()? })
            }
            Kind::Array(items) => {
                let values = held(json).map(|(_, value)| self.value(items.ty, value));
                values.collect::<Option<_>>().map(Value::List)
            }
            // It says how many entries there are, and then writes none of a list.
            Kind::Map(_) if matches!(&json.kind, JsonKind::List(items) if !items.is_empty()) => None,
            Kind::Map(values) => {
                let named = held(json).filter_map(|(key, value)| Some((key?, value)));
                let entries = named.map(|(key, value)| Some((Key::Text(key.into()), self.value(values.ty, value)?)));
                entries.collect::<Option<OrderedMap<_, _>>>().map(Value::Map)
            }
            Kind::Record(_) => self.record(ty, json),
            Kind::Union(branches) => {
                let index = branches.iter().position(|branch| may_be(self.schema, branch, json))?;
                let value = Box::new(self.value(branches[index].ty, json)?);
                Some(Value::Branch { index: u32::try_from(index).ok()?, value })
            }
            Kind::Opaque(_) => Some(Value::Null),
        };
        self.depth -= 1;
        value
    }

    fn record(&mut self, ty: TypeId, json: &Json<'_>) -> Option<Value> {
        let schema = self.schema;
        let mut record = RecordValue::empty(ty.0);
        for (index, field) in schema.record(ty)?.fields.iter().enumerate() {
            let value = match (json.get(&field.name), &field.default) {
                (Some(stated), _) => self.value(field.schema.ty, stated)?,
                (None, Some(default)) => self.default(field.schema.ty, default.json)?,
                (None, None) => return None,
            };
            record.fields.insert(field_key(index), value);
        }
        Some(Value::Record(record))
    }
}

/// Whether Java takes a branch of a union for a value.
fn may_be(schema: &Schema<'_>, branch: &Use, json: &Json<'_>) -> bool {
    match (schema.kind(branch.ty), &json.kind) {
        (Kind::Record(_) | Kind::Enum(_) | Kind::Array(_) | Kind::Map(_) | Kind::Union(_) | Kind::Opaque(_), _) => true,
        (Kind::Fixed(_) | Kind::Primitive(Primitive::String | Primitive::Bytes), kind) => {
            matches!(kind, JsonKind::Text(_))
        }
        (Kind::Primitive(Primitive::Null), kind) => matches!(kind, JsonKind::Null),
        (Kind::Primitive(Primitive::Boolean), kind) => matches!(kind, JsonKind::Bool(_)),
        (Kind::Primitive(Primitive::Int | Primitive::Long | Primitive::Float | Primitive::Double), kind) => {
            matches!(kind, JsonKind::Number(_))
        }
    }
}

/// What a list or an object holds; nothing else holds anything.
fn held<'j>(json: &'j Json<'_>) -> impl Iterator<Item = (Option<&'j str>, &'j Json<'j>)> {
    let (items, members) = match &json.kind {
        JsonKind::List(items) => (items.as_slice(), &[][..]),
        JsonKind::Object(members) => (&[][..], members.as_slice()),
        _ => (&[][..], &[][..]),
    };
    let members = members.iter().map(|member| (Some(&*member.key), &member.value));
    items.iter().map(|item| (None, item)).chain(members)
}

fn primitive_value(primitive: Primitive, json: &Json<'_>) -> Option<Value> {
    match (primitive, &json.kind) {
        (Primitive::Null, JsonKind::Null) => Some(Value::Null),
        (Primitive::Boolean, JsonKind::Bool(value)) => Some(Value::Bool(*value)),
        (Primitive::String, JsonKind::Text(text)) => Some(Value::Text(text.as_bytes().to_vec())),
        (Primitive::Bytes, JsonKind::Text(text)) => Some(Value::Bytes(latin(text))),
        (_, JsonKind::Number(digits)) => number(primitive, digits),
        _ => None,
    }
}

/// A number as another sort of number: whole ones lose what does not fit in front, others are cut.
fn number(primitive: Primitive, digits: &str) -> Option<Value> {
    let (whole, real) = (digits.parse::<i128>().ok(), digits.parse::<f64>().ok()?);
    Some(match primitive {
        Primitive::Int => Value::Int(whole.map_or(real as i32, |whole| whole as i32).into()),
        Primitive::Long => Value::Int(whole.map_or(real as i64, |whole| whole as i64).into()),
        Primitive::Float => Value::Float(real as f32),
        Primitive::Double => Value::Double(real),
        Primitive::Null | Primitive::Boolean | Primitive::String | Primitive::Bytes => return None,
    })
}

/// Bytes of a text: a character each, a question mark for those that stand for no byte.
fn latin(text: &str) -> Vec<u8> {
    text.chars().map(|character| u8::try_from(u32::from(character)).unwrap_or(b'?')).collect()
}
