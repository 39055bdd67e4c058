//! One datum of the old side as a reader of the new side sees it, for tests that know what another implementation saw.

use serde_json::{Number, Value as Json};

use crate::change::Pair;
use crate::value::{Key, Value};

use super::model::{Kind, Schema, TypeId};
use super::resolve::{Dialect, Resolver};
use super::{Linked, codec, compare_scalars};
use crate::formats::roundtrip::Sides;

impl Linked<'_> {
    /// Decodes one datum with the old side's first schema and reads it with the new side's, by the rules of a dialect.
    ///
    /// Records and maps become objects, symbols and texts become texts, bytes a text whose characters are the bytes, a
    /// fixed a list of numbers from -128 to 127, and what JSON has no number for the texts `NaN`, `Infinity` and
    /// `-Infinity`. Of a union only the value is shown. A number of single precision becomes the double of the same value.
    ///
    /// # Errors
    ///
    /// The outer one says that a side has no schema or that the bytes are not exactly one datum; the inner one why the
    /// reader rejects it.
    pub fn replay(&self, bytes: &[u8], dialect: Dialect) -> Result<Result<Json, String>, String> {
        let schemas = self.schemas();
        let (Some(from), Some(to)) = (schemas.old.roots.first(), schemas.new.roots.first()) else {
            return Err("a side has no schema".to_owned());
        };
        self.replay_as(Pair::new(from.schema.ty, to.schema.ty), bytes, dialect)
    }

    /// The same for a datum of a type of the old side, read as one of the new side; a name that no type has means the
    /// side's first schema.
    ///
    /// # Errors
    ///
    /// As for [`replay`](Self::replay).
    pub fn replay_named(
        &self,
        names: Pair<&str>,
        bytes: &[u8],
        dialect: Dialect,
    ) -> Result<Result<Json, String>, String> {
        let schemas = self.schemas();
        let called = |schema: &Schema<'_>, name: &str| {
            let named = schema.by_name.get(name).and_then(|types| types.first().copied());
            named.or(schema.roots.first().map(|root| root.schema.ty)).ok_or("a side has no schema")
        };
        let types = Pair::new(called(schemas.old, names.old)?, called(schemas.new, names.new)?);
        self.replay_as(types, bytes, dialect)
    }

    fn replay_as(&self, types: Pair<TypeId>, bytes: &[u8], dialect: Dialect) -> Result<Result<Json, String>, String> {
        let schemas = self.schemas();
        let (value, rest) = codec::decode(schemas.old, types.old, bytes).map_err(|error| error.0)?;
        if !rest.is_empty() {
            return Err(format!("{} bytes are left over", rest.len()));
        }
        let resolver = Resolver { writer: schemas.old, reader: schemas.new, dialect };
        let read = resolver.read(types.old, types.new, &value);
        Ok(match read {
            Ok(value) => Ok(shown(schemas.new, types.new, &value)),
            Err(failure) => {
                let types = Sides { writer: types.old, reader: types.new };
                let sides = Sides { writer: schemas.old, reader: schemas.new };
                Err(compare_scalars::because(sides, types, &failure.reason))
            }
        })
    }
}

fn shown(schema: &Schema<'_>, ty: TypeId, value: &Value) -> Json {
    match (schema.kind(ty), value) {
        (Kind::Record(record), Value::Record(value)) => {
            let fields = (0..).zip(&record.fields).filter_map(|(key, field)| {
                Some((field.name.clone().into_owned(), shown(schema, field.schema.ty, value.fields.get(&key)?)))
            });
            Json::Object(fields.collect())
        }
        (Kind::Enum(symbols), Value::Enum { number, .. }) => {
            let symbol = usize::try_from(*number).ok().and_then(|index| symbols.symbols.get(index));
            symbol.map_or(Json::Null, |(symbol, _)| Json::from(&**symbol))
        }
        (Kind::Fixed(_), Value::Bytes(bytes)) => bytes.iter().map(|byte| byte.cast_signed()).collect(),
        (Kind::Array(items), Value::List(values)) => {
            values.iter().map(|value| shown(schema, items.ty, value)).collect()
        }
        (Kind::Map(items), Value::Map(entries)) => {
            Json::Object(entries.iter().map(|(key, value)| (key_text(key), shown(schema, items.ty, value))).collect())
        }
        (Kind::Union(branches), Value::Branch { index, value }) => {
            branches.get(*index as usize).map_or(Json::Null, |branch| shown(schema, branch.ty, value))
        }
        _ => shown_primitive(value),
    }
}

fn key_text(key: &Key) -> String {
    match key {
        Key::Text(text) => String::from_utf8_lossy(text).into_owned(),
        Key::Bool(_) | Key::Int(_) => String::new(),
    }
}

fn shown_primitive(value: &Value) -> Json {
    let number = |value: f64| {
        let text = if value.is_nan() {
            "NaN"
        } else if value > 0.0 {
            "Infinity"
        } else {
            "-Infinity"
        };
        Number::from_f64(value).map_or_else(|| Json::from(text), Json::Number)
    };
    match value {
        Value::Bool(value) => Json::Bool(*value),
        Value::Int(value) => i64::try_from(*value).map_or(Json::Null, Json::from),
        Value::Float(value) => number((*value).into()),
        Value::Double(value) => number(*value),
        Value::Text(text) => Json::from(&*String::from_utf8_lossy(text)),
        Value::Bytes(bytes) => Json::from(bytes.iter().copied().map(char::from).collect::<String>()),
        Value::Null | Value::Enum { .. } | Value::List(_) | Value::Map(_) => Json::Null,
        Value::Record(_) | Value::Branch { .. } => Json::Null,
    }
}
