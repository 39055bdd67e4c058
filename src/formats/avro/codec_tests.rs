use std::borrow::Cow;

use proptest::prelude::*;
use rustc_hash::FxHashMap;
use serde_json::{Value as Text, json};

use super::super::model::{Default as FieldDefault, Enum, Field, FileId, Fixed, Name, Type, Union, Use};
use super::*;
use crate::change::Span;
use crate::syntax::json::{Json, JsonKind, Member};
use crate::value::Seeded;

/// The types of a schema that a test states, and the type it starts from.
pub(in crate::formats::avro) fn schema(text: Text) -> (Schema<'static>, TypeId) {
    let mut made = Made { schema: Schema::default(), names: FxHashMap::default() };
    for primitive in Primitive::ALL {
        made.add(Kind::Primitive(primitive));
    }
    let root = made.ty(&text, "");
    (made.schema, root)
}

/// What a test states is right, so nothing is checked.
struct Made {
    schema: Schema<'static>,
    names: FxHashMap<String, TypeId>,
}

fn used(ty: TypeId) -> Use {
    Use { ty, file: FileId(0), span: Span::default() }
}

fn text_of(text: &Text) -> Cow<'static, str> {
    Cow::Owned(text.as_str().expect("the test has a text here").to_owned())
}

fn texts_of(text: &Text) -> Vec<(Cow<'static, str>, Span)> {
    text.as_array().into_iter().flatten().map(|text| (text_of(text), Span::default())).collect()
}

/// A value as it is written.
fn written(text: &Text) -> Json<'static> {
    let kind = match text {
        Text::Null => JsonKind::Null,
        Text::Bool(value) => JsonKind::Bool(*value),
        Text::Number(number) => JsonKind::Number(number.to_string().into()),
        Text::String(text) => JsonKind::Text(text.clone().into()),
        Text::Array(items) => JsonKind::List(items.iter().map(written).collect()),
        Text::Object(members) => {
            let member = |(key, value): (&String, &Text)| Member {
                key: key.clone().into(),
                key_span: Span::default(),
                value: written(value),
            };
            JsonKind::Object(members.iter().map(member).collect())
        }
    };
    Json { span: Span::default(), kind }
}

fn name_in(text: &str, namespace: &str) -> Name {
    let is_full = text.contains('.') || namespace.is_empty();
    let full = if is_full { text.to_owned() } else { format!("{namespace}.{text}") };
    Name { full: full.into(), span: Span::default() }
}

impl Made {
    fn add(&mut self, kind: Kind<'static>) -> TypeId {
        let id = TypeId(u32::try_from(self.schema.types.len()).expect("tests are small"));
        let (logical, file, span, attributes) = (None, FileId(0), Span::default(), &[][..]);
        self.schema.types.push(Type { kind, logical, file, span, attributes });
        id
    }

    fn ty(&mut self, text: &Text, namespace: &str) -> TypeId {
        if let Text::Array(branches) = text {
            let branches = branches.iter().map(|branch| used(self.ty(branch, namespace))).collect();
            return self.add(Kind::Union(Union::new(branches)));
        }
        let kind = text.as_str().or_else(|| text["type"].as_str()).expect("a schema has a type");
        if let Some(primitive) = Primitive::from_name(kind) {
            return primitive.id();
        }
        match kind {
            "array" => {
                let items = used(self.ty(&text["items"], namespace));
                self.add(Kind::Array(items))
            }
            "map" => {
                let values = used(self.ty(&text["values"], namespace));
                self.add(Kind::Map(values))
            }
            "record" | "enum" | "fixed" => self.named(kind, text, namespace),
            reference => self.names[&*name_in(reference, namespace).full],
        }
    }

    fn named(&mut self, kind: &str, text: &Text, namespace: &str) -> TypeId {
        let namespace = text["namespace"].as_str().unwrap_or(namespace);
        let name = name_in(&text_of(&text["name"]), namespace);
        let namespace = name.namespace().to_owned();
        let aliases = texts_of(&text["aliases"]).iter().map(|(alias, _)| name_in(alias, &namespace)).collect();
        let id = self.add(Kind::Opaque(name.clone()));
        self.names.insert(name.full.to_string(), id);
        self.schema.types[id.0 as usize].kind = match kind {
            "enum" => {
                let symbols = texts_of(&text["symbols"]);
                let index =
                    text["default"].as_str().and_then(|wanted| symbols.iter().position(|(one, _)| one == wanted));
                let default = index.map(|index| (u32::try_from(index).expect("tests are small"), Span::default()));
                Kind::Enum(Enum { name, aliases, symbols, default, positions: std::sync::OnceLock::new() })
            }
            "fixed" => {
                let size = u32::try_from(text["size"].as_u64().expect("a fixed has a size")).expect("tests are small");
                Kind::Fixed(Fixed { name, aliases, size, size_span: Span::default() })
            }
            _ => {
                let fields = text["fields"].as_array().expect("a record has fields");
                let fields = fields.iter().map(|field| self.field(field, &namespace)).collect();
                Kind::Record(Record { name, aliases, is_error: false, fields })
            }
        };
        id
    }

    fn field(&mut self, text: &Text, namespace: &str) -> Field<'static> {
        let schema = used(self.ty(&text["type"], namespace));
        let span = Span::default();
        let default = text.get("default").map(|default| {
            let value = self.value(schema.ty, default).expect("the default of a test fits");
            FieldDefault { span, json: Box::leak(Box::new(written(default))), value, needs_1_12: false }
        });
        let (name, aliases) = (text_of(&text["name"]), texts_of(&text["aliases"]));
        Field { name, name_span: span, span, schema, default, aliases, order: None, attributes: &[] }
    }

    fn value(&self, ty: TypeId, text: &Text) -> Option<Value> {
        Some(match (self.schema.kind(ty), text) {
            (Kind::Primitive(Primitive::Null), Text::Null) => Value::Null,
            (Kind::Primitive(Primitive::Boolean), Text::Bool(value)) => Value::Bool(*value),
            (Kind::Primitive(Primitive::Int | Primitive::Long), _) => Value::Int(text.as_i64()?.into()),
            (Kind::Primitive(Primitive::Float), _) => Value::Float(text.as_f64()? as f32),
            (Kind::Primitive(Primitive::Double), _) => Value::Double(text.as_f64()?),
            (Kind::Primitive(Primitive::String), _) => Value::Text(text.as_str()?.into()),
            (Kind::Primitive(Primitive::Bytes) | Kind::Fixed(_), _) => {
                Value::Bytes(text.as_str()?.chars().map(|letter| letter as u8).collect())
            }
            (Kind::Enum(symbols), _) => {
                let number = symbols.symbols.iter().position(|(symbol, _)| Some(&**symbol) == text.as_str())?;
                Value::Enum { ty: ty.0, number: i32::try_from(number).ok()? }
            }
            (Kind::Array(items), Text::Array(values)) => {
                Value::List(values.iter().map(|value| self.value(items.ty, value)).collect::<Option<_>>()?)
            }
            (Kind::Map(_), Text::Object(_)) => Value::Map(OrderedMap::new()),
            (Kind::Union(branches), _) => {
                let fitting = |(index, branch): (u32, &Use)| Some((index, self.value(branch.ty, text)?));
                let (index, value) = (0..).zip(branches).find_map(fitting)?;
                Value::Branch { index, value: Box::new(value) }
            }
            _ => return None,
        })
    }
}

/// A random schema: every sort of type, records that contain themselves, references to names defined before.
pub(in crate::formats::avro) fn random_schema(seeded: &mut Seeded, names: &mut Vec<String>, depth: usize) -> Text {
    let sorts = if depth > 3 { 9 } else { 15 };
    let name = format!("n{}.T{}", names.len() % 2, names.len());
    match seeded.next() % sorts {
        index @ 0..8 => json!(Primitive::ALL[usize::try_from(index).expect("it is small")].name()),
        8 => names.last().map_or(json!("int"), |name| json!(name)),
        9 => json!({"type": "array", "items": random_schema(seeded, names, depth + 1)}),
        10 => json!({"type": "map", "values": random_schema(seeded, names, depth + 1)}),
        11 => {
            names.push(name.clone());
            let symbols: Vec<String> = (0..seeded.next() % 4 + 1).map(|index| format!("S{index}")).collect();
            json!({"type": "enum", "name": name, "symbols": symbols})
        }
        12 => {
            names.push(name.clone());
            json!({"type": "fixed", "name": name, "size": seeded.next() % 5})
        }
        13 => json!(["null", random_branch(seeded, names, depth)]),
        _ => {
            names.push(name.clone());
            let fields = (0..seeded.next() % 4)
                .map(|index| json!({"name": format!("f{index}"), "type": random_schema(seeded, names, depth + 1)}));
            let mut fields: Vec<Text> = fields.collect();
            if seeded.next().is_multiple_of(3) {
                fields.push(json!({"name": "again", "type": ["null", name]}));
            }
            json!({"type": "record", "name": name, "fields": fields})
        }
    }
}

/// Neither null nor a union.
fn random_branch(seeded: &mut Seeded, names: &mut Vec<String>, depth: usize) -> Text {
    let known = names.len();
    match random_schema(seeded, names, depth + 1) {
        branch if branch.is_array() || branch == json!("null") => {
            // What was declared in it is gone with it.
            names.truncate(known);
            json!("long")
        }
        branch => branch,
    }
}

/// A random value of a type; `None` where the type only has endless ones.
pub(in crate::formats::avro) fn random_value(
    schema: &Schema<'_>,
    ty: TypeId,
    seeded: &mut Seeded,
    depth: usize,
) -> Option<Value> {
    if depth > 12 {
        return None;
    }
    let count = if depth > 6 { 0 } else { seeded.next() % 4 };
    Some(match schema.kind(ty) {
        Kind::Primitive(primitive) => random_primitive(*primitive, seeded),
        Kind::Fixed(fixed) => Value::Bytes((0..fixed.size).map(|_| seeded.next() as u8).collect()),
        Kind::Enum(symbols) if symbols.symbols.is_empty() => return None,
        Kind::Union(branches) if branches.is_empty() => return None,
        Kind::Enum(symbols) => {
            let number = seeded.next() % symbols.symbols.len() as u64;
            Value::Enum { ty: ty.0, number: i32::try_from(number).expect("it is small") }
        }
        Kind::Array(items) => {
            Value::List((0..count).map(|_| random_value(schema, items.ty, seeded, depth + 1)).collect::<Option<_>>()?)
        }
        Kind::Map(values) => {
            let entry = |index| {
                let key = Key::Text(format!("k{index}").into());
                Some((key, random_value(schema, values.ty, seeded, depth + 1)?))
            };
            Value::Map((0..count).map(entry).collect::<Option<_>>()?)
        }
        Kind::Union(branches) => {
            let index = if depth > 6 { 0 } else { seeded.next() % branches.len() as u64 };
            let branch = branches[usize::try_from(index).expect("it is small")].ty;
            let value = Box::new(random_value(schema, branch, seeded, depth + 1)?);
            Value::Branch { index: u32::try_from(index).expect("it is small"), value }
        }
        Kind::Record(record) => {
            let mut value = RecordValue::empty(ty.0);
            for (key, field) in (0..).zip(&record.fields) {
                value.fields.insert(key, random_value(schema, field.schema.ty, seeded, depth + 1)?);
            }
            Value::Record(value)
        }
        Kind::Opaque(_) => return None,
    })
}

fn random_primitive(primitive: Primitive, seeded: &mut Seeded) -> Value {
    let bits = seeded.next() >> (seeded.next() % 64);
    match primitive {
        Primitive::Null => Value::Null,
        Primitive::Boolean => Value::Bool(bits.is_multiple_of(2)),
        Primitive::Int => Value::Int((bits as i32).into()),
        Primitive::Long => Value::Int(bits.cast_signed().into()),
        Primitive::Float => Value::Float(f32::from_bits(seeded.next() as u32)),
        Primitive::Double => Value::Double(f64::from_bits(seeded.next())),
        Primitive::Bytes => Value::Bytes(bits.to_le_bytes()[..(bits % 8) as usize].to_vec()),
        Primitive::String => Value::Text(["", "a", "Grüße", "\u{0}\"\\\n", "日本"][(bits % 5) as usize].into()),
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Every value of the specification's own examples, and of the limits of each type.
#[test]
fn values_are_written_as_the_specification_shows() {
    let record = json!({"type": "record", "name": "test", "fields": [
        {"name": "a", "type": "long"}, {"name": "b", "type": "string"}]});
    let kinds = json!({"type": "enum", "name": "Foo", "symbols": ["A", "B", "C", "D"]});
    let foo = Value::Text("foo".into());
    let cases = [
        (json!("long"), Value::Int(0), "00"),
        (json!("long"), Value::Int(-1), "01"),
        (json!("long"), Value::Int(1), "02"),
        (json!("long"), Value::Int(-2), "03"),
        (json!("long"), Value::Int(-64), "7f"),
        (json!("long"), Value::Int(64), "8001"),
        (json!("long"), Value::Int(i64::MAX.into()), "feffffffffffffffff01"),
        (json!("long"), Value::Int(i64::MIN.into()), "ffffffffffffffffff01"),
        (json!("int"), Value::Int(i32::MIN.into()), "ffffffff0f"),
        (json!("float"), Value::Float(1.0), "0000803f"),
        (json!("double"), Value::Double(-2.5), "00000000000004c0"),
        (json!("boolean"), Value::Bool(true), "01"),
        (json!("string"), foo.clone(), "06666f6f"),
        (json!({"type": "array", "items": "long"}), Value::List(vec![Value::Int(3), Value::Int(27)]), "04063600"),
        (json!({"type": "array", "items": "long"}), Value::List(Vec::new()), "00"),
        (record, Value::Record(RecordValue::empty(8).with(0, Value::Int(27)).with(1, foo)), "3606666f6f"),
        (kinds, Value::Enum { ty: 8, number: 3 }, "06"),
        (json!(["null", "string"]), Value::Branch { index: 0, value: Box::new(Value::Null) }, "00"),
        (json!(["null", "string"]), Value::Branch { index: 1, value: Box::new(Value::Text("a".into())) }, "020261"),
    ];
    for (text, value, expected) in cases {
        let (schema, ty) = schema(text);
        let mut bytes = Vec::new();
        encode(&schema, ty, &value, &mut bytes).expect("the value fits");
        assert_eq!(hex(&bytes), expected);
        assert_eq!(decode(&schema, ty, &bytes), Ok((value, &[][..])));
    }
}

#[test]
fn blocks_may_be_several_and_state_their_size() {
    let (schema, ty) = schema(json!({"type": "array", "items": "long"}));
    let expected = Value::List(vec![Value::Int(1), Value::Int(2), Value::Int(3)]);
    for (bytes, left) in [(&[2, 2, 4, 4, 6, 0][..], 0), (&[3, 4, 2, 4, 2, 6, 0], 0), (&[1, 2, 2, 3, 4, 4, 6, 0, 77], 1)]
    {
        let (value, rest) = decode(&schema, ty, bytes).expect("these blocks are well formed");
        assert_eq!((value, rest.len()), (expected.clone(), left));
    }
}

#[test]
fn bytes_that_are_no_data_of_the_type_are_refused() {
    let fixed = json!({"type": "fixed", "name": "F", "size": 4});
    let list = |items: &str| json!({"type": "array", "items": items});
    let endless = json!({"type": "record", "name": "R", "fields": [{"name": "next", "type": "R"}]});
    let huge = [0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1];
    let cases: [(Text, &[u8], &str); 18] = [
        (json!("int"), &[], "1 bytes are announced and 0 are left"),
        (json!("int"), &[0xff, 0xff, 0xff, 0xff, 0x1f], "is no `int`"),
        (json!("long"), &[0xff; 11], "a number has more than 64 bits"),
        (json!("long"), &[0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 2], "a number has more than 64 bits"),
        (json!("boolean"), &[2], "a boolean is 2"),
        (json!("float"), &[0, 0, 0], "4 bytes are announced and 3 are left"),
        (json!("string"), &[2, 0xff], "a text is not valid UTF-8"),
        (json!("bytes"), &[1], "a length is -1"),
        (json!("bytes"), &huge, "bytes are announced and 0 are left"),
        (fixed, &[1, 2, 3], "4 bytes are announced and 3 are left"),
        (json!(["null", "int"]), &[4], "the union has no branch number 2"),
        (json!(["null", "int"]), &[1], "the union has no branch number -1"),
        (json!({"type": "enum", "name": "E", "symbols": ["A"]}), &[2], "the enum `E` has no symbol number 1"),
        (list("int"), &[3, 6, 2, 4, 6, 0], "a block does not have the size that it announces"),
        (list("int"), &[3, 40, 2, 4, 6, 0], "a block is longer than the bytes that are left"),
        (list("int"), &huge, "1 bytes are announced and 0 are left"),
        (list("null"), &huge, "the bytes claim too many values"),
        (endless, &[], "the value is nested deeper than 300 levels"),
    ];
    for (text, bytes, expected) in cases {
        let (schema, ty) = schema(text);
        let error = decode(&schema, ty, bytes).expect_err(expected);
        assert!(error.0.contains(expected), "{} instead of {expected}", error.0);
    }
}

#[test]
fn values_that_are_not_of_the_type_are_not_written() {
    let fixed = json!({"type": "fixed", "name": "F", "size": 4});
    let symbols = json!({"type": "enum", "name": "E", "symbols": ["A"]});
    let record = json!({"type": "record", "name": "R", "fields": [{"name": "x", "type": "int"}]});
    let cases = [
        (json!("int"), Value::Int(1 << 31), "2147483648 is no `int`"),
        (json!("long"), Value::Int(1 << 63), "9223372036854775808 is no `long`"),
        (json!("int"), Value::Float(1.0), "the value is no `int`"),
        (json!("string"), Value::Text(vec![0xff]), "a text is not valid UTF-8"),
        (fixed, Value::Bytes(vec![1]), "`F` has 4 bytes, not 1"),
        (symbols, Value::Enum { ty: 8, number: -1 }, "the enum `E` has no symbol number -1"),
        (record, Value::Record(RecordValue::empty(8)), "the record `R` lacks its field `x`"),
        (json!(["int"]), Value::Int(1), "the value is no `union`"),
        (
            json!(["int"]),
            Value::Branch { index: 1, value: Box::new(Value::Int(1)) },
            "the union has no branch number 1",
        ),
    ];
    for (text, value, expected) in cases {
        let (schema, ty) = schema(text);
        assert_eq!(encode(&schema, ty, &value, &mut Vec::new()), Err(expected.to_owned()));
    }
}

/// A chain of so many records.
pub(in crate::formats::avro) fn chain(ty: TypeId, length: usize) -> Value {
    let end = Value::Branch { index: 0, value: Box::new(Value::Null) };
    (0..length).fold(Value::Record(RecordValue::empty(ty.0).with(0, end)), |inner, _| {
        let next = Value::Branch { index: 1, value: Box::new(inner) };
        Value::Record(RecordValue::empty(ty.0).with(0, next))
    })
}

pub(in crate::formats::avro) fn chained() -> (Schema<'static>, TypeId) {
    schema(json!({"type": "record", "name": "R", "fields": [{"name": "next", "type": ["null", "R"]}]}))
}

#[test]
fn values_are_nested_to_a_limit_and_no_deeper() {
    let (schema, ty) = chained();
    for (length, fits) in [(DEPTH_LIMIT / 2 - 1, true), (DEPTH_LIMIT / 2, false), (100_000, false)] {
        let mut bytes = vec![2; length];
        bytes.push(0);
        assert_eq!(decode(&schema, ty, &bytes).is_ok(), fits, "{length}");
        let value = chain(ty, length.min(500));
        let mut written = Vec::new();
        assert_eq!(encode(&schema, ty, &value, &mut written).is_ok(), fits, "{length}");
        assert!(!fits || written == bytes);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_written_is_read_back(seed: u64) {
        let mut seeded = Seeded::by_name(&seed.to_string());
        let (schema, ty) = schema(random_schema(&mut seeded, &mut Vec::new(), 0));
        for _ in 0..5 {
            if let Some(value) = random_value(&schema, ty, &mut seeded, 0) {
                let mut bytes = Vec::new();
                encode(&schema, ty, &value, &mut bytes).expect("the value is one of the type");
                bytes.push(9);
                prop_assert_eq!(decode(&schema, ty, &bytes), Ok((value, &[9][..])));
            }
        }
    }

    #[test]
    fn random_bytes_are_read_or_refused(seed: u64, bytes in proptest::collection::vec(any::<u8>(), 0..60)) {
        let mut seeded = Seeded::by_name(&seed.to_string());
        let (schema, ty) = schema(random_schema(&mut seeded, &mut Vec::new(), 0));
        if let Ok((value, _)) = decode(&schema, ty, &bytes) {
            encode(&schema, ty, &value, &mut Vec::new()).expect("what was read can be written");
        }
    }
}
