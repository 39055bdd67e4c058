//! A second reader beside the specification: `apache-avro`, the implementation that Rust programs use.
//!
//! It reads the bytes of a witness with its own parser, decoder and resolution, and what it shows is told in our words.
//! It decides nothing: it applies no aliases of fields, checks no names, and takes more for the same than the
//! specification does.

use std::panic::{AssertUnwindSafe, catch_unwind};

use apache_avro::reader::datum::GenericDatumReader;
use apache_avro::types::Value as Theirs;

use crate::value::{Key, Record as RecordValue, Value};

use super::codec;
use super::model::{Kind, Primitive, Schema, TypeId};
use super::print;
use super::resolve::Resolver;

/// The name under which this reader's observations are told.
pub(crate) const NAME: &str = "apache-avro";

/// Schemas with a longer text are not given to this reader.
const TEXT: usize = 1 << 16;

/// Data of more bytes is not given to this reader.
const BYTES: usize = 1 << 16;

/// Data nested deeper is not given to this reader, which has no limit of its own.
const DEPTH: usize = 32;

/// Characters of a reason that are told. Some reasons hold whole schemas.
const REASON: usize = 200;

/// A written and a wanted type as this reader understands them.
#[derive(Debug)]
pub(crate) struct Observer<'s, 'w, 'r> {
    writer: (&'s Schema<'w>, TypeId, apache_avro::Schema),
    reader: (&'s Schema<'r>, TypeId, apache_avro::Schema),
}

impl<'s, 'w, 'r> Observer<'s, 'w, 'r> {
    /// A reader of what was written with one type as another; `None` where this reader does not understand one of them
    /// or where they are large. The rules of the dialect do not matter here.
    pub(crate) fn new(sides: &Resolver<'s, 'w, 'r>, writer: TypeId, reader: TypeId) -> Option<Self> {
        let writer = (sides.writer, writer, understood(sides.writer, writer)?);
        let reader = (sides.reader, reader, understood(sides.reader, reader)?);
        Some(Observer { writer, reader })
    }

    /// What this reader sees of the bytes of one value, or in its own words why it rejects them; `None` where the bytes
    /// are too many, nested too deep, or not data of the writer's type.
    pub(crate) fn read(&self, bytes: &[u8]) -> Option<Result<Value, String>> {
        let (schema, ty, writer) = &self.writer;
        let is_given = bytes.len() <= BYTES
            && codec::decode(schema, *ty, bytes).is_ok_and(|(value, rest)| rest.is_empty() && depth(&value) <= DEPTH);
        if !is_given {
            return None;
        }
        let read = || {
            let reader = GenericDatumReader::builder(writer).reader_schema(&self.reader.2).build()?;
            reader.read_value(&mut &*bytes)
        };
        Some(match catch_unwind(AssertUnwindSafe(read)) {
            Ok(Ok(value)) => told(self.reader.0, self.reader.1, value)
                .ok_or_else(|| "a value of another type than the reader's schema has".to_owned()),
            Ok(Err(error)) => Err(error.to_string().chars().take(REASON).collect()),
            Err(_) => Err("it stops with a panic".to_owned()),
        })
    }
}

/// The type as this reader parses it; it does not know that an error is a record.
fn understood(schema: &Schema<'_>, ty: TypeId) -> Option<apache_avro::Schema> {
    let text = print::to_json(schema, ty).replace("{\"type\":\"error\",\"name\":", "{\"type\":\"record\",\"name\":");
    // Its numbers with a scale of their own do not say the bytes that they were read from.
    if text.len() > TEXT || text.contains("\"logicalType\":\"big-decimal\"") {
        return None;
    }
    catch_unwind(|| apache_avro::Schema::parse_str(&text).ok()).ok().flatten()
}

fn depth(value: &Value) -> usize {
    match value {
        Value::List(values) => 1 + values.iter().map(depth).max().unwrap_or_default(),
        Value::Map(entries) => 1 + entries.values().map(depth).max().unwrap_or_default(),
        Value::Record(record) => 1 + record.fields.values().map(depth).max().unwrap_or_default(),
        Value::Branch { value, .. } => 1 + depth(value),
        Value::Null | Value::Bool(_) | Value::Int(_) | Value::Float(_) | Value::Double(_) => 0,
        Value::Text(_) | Value::Bytes(_) | Value::Enum { .. } => 0,
    }
}

/// Its value in our words; `None` where it is none of the type.
pub(super) fn told(schema: &Schema<'_>, ty: TypeId, value: Theirs) -> Option<Value> {
    Some(match (schema.kind(ty), value) {
        (Kind::Record(record), Theirs::Record(parts)) => {
            if parts.len() != record.fields.len() {
                return None;
            }
            let mut told_record = RecordValue::empty(ty.0);
            for ((key, field), (name, part)) in (0..).zip(&record.fields).zip(parts) {
                if name != field.name {
                    return None;
                }
                told_record.fields.insert(key, told(schema, field.schema.ty, part)?);
            }
            Value::Record(told_record)
        }
        (Kind::Enum(symbols), Theirs::Enum(_, symbol)) => {
            let number = symbols.position(&symbol)?;
            Value::Enum { ty: ty.0, number: i32::try_from(number).ok()? }
        }
        (Kind::Array(items), Theirs::Array(values)) => {
            Value::List(values.into_iter().map(|value| told(schema, items.ty, value)).collect::<Option<_>>()?)
        }
        (Kind::Map(items), Theirs::Map(entries)) => {
            let entry = |(key, value): (String, Theirs)| Some((Key::Text(key.into()), told(schema, items.ty, value)?));
            Value::Map(entries.into_iter().map(entry).collect::<Option<_>>()?)
        }
        (Kind::Union(branches), Theirs::Union(index, value)) => {
            let branch = branches.get(index as usize)?;
            Value::Branch { index, value: Box::new(told(schema, branch.ty, *value)?) }
        }
        (Kind::Fixed(fixed), value) => Value::Bytes(told_fixed(fixed.size, value)?),
        (Kind::Primitive(primitive), value) => told_primitive(*primitive, value)?,
        _ => return None,
    })
}

fn told_fixed(size: u32, value: Theirs) -> Option<Vec<u8>> {
    let bytes = match value {
        Theirs::Fixed(_, bytes) => bytes,
        Theirs::Duration(duration) => <[u8; 12]>::from(duration).to_vec(),
        Theirs::Uuid(uuid) => uuid.as_bytes().to_vec(),
        Theirs::Decimal(decimal) => Vec::try_from(&decimal).ok()?,
        _ => return None,
    };
    (bytes.len() == size as usize).then_some(bytes)
}

fn told_primitive(primitive: Primitive, value: Theirs) -> Option<Value> {
    Some(match (primitive, value) {
        (Primitive::Null, Theirs::Null) => Value::Null,
        (Primitive::Boolean, Theirs::Boolean(value)) => Value::Bool(value),
        (Primitive::Int, Theirs::Int(value) | Theirs::Date(value) | Theirs::TimeMillis(value)) => {
            Value::Int(value.into())
        }
        (Primitive::Long, value) => Value::Int(told_long(value)?.into()),
        (Primitive::Float, Theirs::Float(value)) => Value::Float(value),
        (Primitive::Double, Theirs::Double(value)) => Value::Double(value),
        (Primitive::Bytes, Theirs::Bytes(bytes)) => Value::Bytes(bytes),
        (Primitive::Bytes, Theirs::Decimal(decimal)) => Value::Bytes(Vec::try_from(&decimal).ok()?),
        (Primitive::String, Theirs::String(text)) => Value::Text(text.into()),
        (Primitive::String, Theirs::Uuid(uuid)) => Value::Text(uuid.to_string().into()),
        _ => return None,
    })
}

fn told_long(value: Theirs) -> Option<i64> {
    match value {
        Theirs::Long(value)
        | Theirs::TimeMicros(value)
        | Theirs::TimestampMillis(value)
        | Theirs::TimestampMicros(value)
        | Theirs::TimestampNanos(value)
        | Theirs::LocalTimestampMillis(value)
        | Theirs::LocalTimestampMicros(value)
        | Theirs::LocalTimestampNanos(value) => Some(value),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value as Text, json};

    use super::super::codec::tests::{random_schema, random_value, schema};
    use super::super::resolve::Dialect;
    use super::*;
    use crate::value::Seeded;

    const DIALECT: Dialect = Dialect::Specification;

    /// What this reader makes of a value, and what the specification does; `None` where it is not asked.
    fn read(writer: &Text, reader: &Text, value: &Value) -> (Option<Result<Value, String>>, Option<Value>) {
        let ((writer, from), (reader, to)) = (schema(writer.clone()), schema(reader.clone()));
        let sides = Resolver { writer: &writer, reader: &reader, dialect: DIALECT };
        let mut bytes = Vec::new();
        codec::encode(&writer, from, value, &mut bytes).expect("the value is one of the type");
        let theirs = Observer::new(&sides, from, to).and_then(|observer| observer.read(&bytes));
        (theirs, sides.read(from, to, value).ok())
    }

    /// Two implementations that know nothing of each other read what was written with the reader's own schema alike.
    #[test]
    fn this_reader_and_the_specification_agree_where_nothing_changed() {
        let mut read_values = 0;
        for seed in 0..150 {
            let mut seeded = Seeded::by_name(&format!("observer {seed}"));
            let (schema, ty) = schema(random_schema(&mut seeded, &mut Vec::new(), 0));
            let sides = Resolver { writer: &schema, reader: &schema, dialect: DIALECT };
            let Some(observer) = Observer::new(&sides, ty, ty) else { continue };
            for _ in 0..3 {
                let Some(value) = random_value(&schema, ty, &mut seeded, 0) else { continue };
                let mut bytes = Vec::new();
                codec::encode(&schema, ty, &value, &mut bytes).expect("the value is one of the type");
                if let Some(theirs) = observer.read(&bytes) {
                    assert_eq!(theirs, Ok(value), "{}", print::to_json(&schema, ty));
                    read_values += 1;
                }
            }
        }
        assert!(read_values > 200, "only {read_values} values were read");
    }

    /// Writer, reader and value; whether this reader sees what the specification says, and what it does instead.
    #[test]
    fn it_is_told_what_this_reader_does_and_not_what_it_should_do() {
        let record = |fields: Text| json!({"type": "record", "name": "R", "fields": fields});
        let one = || Value::Record(RecordValue::empty(8).with(0, Value::Int(1)));
        let fixed = |name: &str| json!({"type": "fixed", "name": name, "size": 1});
        let int = json!({"name": "a", "type": "int"});
        let long = json!({"name": "a", "type": "long"});
        let agreeing = [
            (json!("int"), json!("double"), Value::Int(7)),
            (json!("string"), json!("bytes"), Value::Text(b"a".to_vec())),
            (json!("int"), json!("string"), Value::Int(7)),
            (record(json!([int])), record(json!([long])), one()),
            (record(json!([int])), record(json!([{"name": "b", "type": "int"}])), one()),
            (json!("int"), json!(["null", "int"]), Value::Int(7)),
        ];
        for (writer, reader, value) in agreeing {
            let (theirs, specified) = read(&writer, &reader, &value);
            assert_eq!(theirs.expect("this reader is asked").ok(), specified, "{writer} as {reader}");
        }
        // It looks neither at aliases of fields nor at names of types.
        let (theirs, specified) =
            read(&record(json!([int])), &record(json!([{"name": "b", "type": "int", "aliases": ["a"]}])), &one());
        assert!(specified.is_some() && theirs.is_some_and(|theirs| theirs.is_err()));
        let (theirs, specified) = read(&fixed("F"), &fixed("G"), &Value::Bytes(vec![1]));
        assert_eq!((theirs, specified), (Some(Ok(Value::Bytes(vec![1]))), None));
    }

    #[test]
    fn what_is_deep_or_no_data_is_not_given_to_this_reader() {
        let list = |items: Text| json!({"type": "array", "items": items});
        let (nested, ty) = schema((0..DEPTH + 1).fold(json!("int"), |items, _| list(items)));
        let sides = Resolver { writer: &nested, reader: &nested, dialect: DIALECT };
        let observer = Observer::new(&sides, ty, ty).expect("the schema is small");
        let deep = (0..DEPTH + 1).fold(vec![], |inner: Vec<u8>, _| [&[2], &*inner, &[0]].concat());
        let deep = [&deep[..=DEPTH], &[2], &deep[DEPTH + 1..]].concat();
        assert!(codec::decode(&nested, ty, &deep).is_ok_and(|(_, rest)| rest.is_empty()));
        assert_eq!(observer.read(&deep), None);
        assert_eq!(observer.read(&[0]), Some(Ok(Value::List(Vec::new()))));
        assert_eq!(observer.read(&[2, 7]), None);
    }
}
