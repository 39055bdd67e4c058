use std::borrow::Cow;

use super::super::model::{FileId, Spelled};
use super::*;
use crate::change::Span;
use crate::formats::frame::places::FieldPlaces;
use crate::value::Seeded;

use super::super::model::Requiredness::{self, Default as Always, Optional, Required};

const SPAN: Span = Span::new(0, 0);

fn spelled(text: &'static str) -> Spelled<'static> {
    Spelled { text: Cow::Borrowed(text), span: SPAN }
}

fn field(id: i16, requiredness: Requiredness, ty: Type) -> Field<'static> {
    Field {
        id,
        id_span: None,
        name: spelled("field"),
        span: SPAN,
        requiredness,
        ty,
        written: spelled(""),
        default: None,
        annotations: Vec::new(),
    }
}

fn schema(structs: Vec<(Sort, Vec<Field<'static>>)>) -> Schema<'static> {
    let structure = |(sort, fields)| Struct {
        full_name: "t.T".into(),
        name_span: SPAN,
        span: SPAN,
        file: FileId(0),
        sort,
        fields,
        reserved: Vec::new(),
        annotations: Vec::new(),
        places: FieldPlaces::default(),
    };
    Schema { structs: structs.into_iter().map(structure).collect(), ..Schema::default() }
}

fn one(ty: Type) -> Schema<'static> {
    schema(vec![(Sort::Struct, vec![field(1, Optional, ty), field(2, Optional, Type::I32)])])
}

const ROOT: StructId = StructId(0);

fn int(number: i128) -> Value {
    Value::Int(number)
}

fn text(text: &str) -> Value {
    Value::Text(text.as_bytes().to_vec())
}

fn list(ty: Type) -> Type {
    Type::List(Box::new(ty))
}

fn map(key: Type, value: Type) -> Type {
    Type::Map(Box::new((key, value)))
}

fn read(schema: &Schema<'_>, bytes: &[u8], protocol: Protocol) -> Reading {
    decode(Types::of(schema), ROOT, bytes, (protocol, Headers::Compared))
}

/// What a reader of the other type makes of the value of field 1, beside field 2.
fn across(written: Type, value: Value, reader: Type, protocol: Protocol) -> Reading {
    let (writer, reader) = (one(written), one(reader));
    let record = Record::empty(0).with(1, value).with(2, int(7));
    let bytes = encode(Types::of(&writer), ROOT, &record, protocol).expect("the value is of the type");
    assert_eq!(read(&writer, &bytes, protocol).result.as_ref(), Ok(&record));
    read(&reader, &bytes, protocol)
}

#[test]
fn values_of_every_type_come_back_as_written() {
    let inner = Record::empty(0).with(2, int(-3));
    let cases = [
        (Type::Bool, Value::Bool(false)),
        (Type::I8, int(-128)),
        (Type::I16, int(32767)),
        (Type::I32, int(-5)),
        (Type::I64, int(i64::MIN.into())),
        (Type::Enum(EnumId(0)), Value::Enum { ty: 0, number: 9 }),
        (Type::Double, Value::Double(-0.0)),
        (Type::String, text("Grüße")),
        (Type::Binary, Value::Bytes(vec![0xff, 0])),
        (Type::Uuid, Value::Bytes((0..16).collect())),
        (Type::Struct(ROOT), Value::Record(inner)),
        (list(Type::Bool), Value::List(vec![Value::Bool(true), Value::Bool(false)])),
        (Type::Set(Box::new(Type::String)), Value::List(vec![text("b"), text("a")])),
        (list(Type::I16), Value::List((0..40).map(int).collect())),
        (map(Type::Enum(EnumId(0)), Type::Bool), Value::Map(OrderedMap::from([(Key::Int(3), Value::Bool(true))]))),
        (
            map(Type::Double, list(Type::I8)),
            map_of(&Type::Double, vec![(Value::Double(0.5), Value::List(vec![int(1)]))]),
        ),
        (map(Type::String, Type::I32), Value::Map(OrderedMap::new())),
    ];
    for (ty, value) in cases {
        for protocol in Protocol::ALL {
            let schema = one(ty.clone());
            let record = Record::empty(0).with(1, value.clone()).with(2, int(7));
            let bytes = encode(Types::of(&schema), ROOT, &record, protocol).expect("the value is of the type");
            let reading = read(&schema, &bytes, protocol);
            assert_eq!(reading, Reading { result: Ok(record), astray: None }, "{ty:?} in the {}", protocol.name());
        }
    }
}

#[test]
fn bytes_are_those_of_the_protocols() {
    let schema = one(Type::String);
    let record = Record::empty(0).with(1, text("a")).with(2, int(7));
    let written = |protocol| encode(Types::of(&schema), ROOT, &record, protocol);
    let binary = [11, 0, 1, 0, 0, 0, 1, b'a', 8, 0, 2, 0, 0, 0, 7, 0];
    assert_eq!(written(Protocol::Binary).as_deref(), Some(&binary[..]));
    assert_eq!(written(Protocol::Compact).as_deref(), Some(&[0x18, 1, b'a', 0x15, 14, 0][..]));
}

#[test]
fn a_field_of_another_wire_type_is_skipped_and_the_rest_is_intact() {
    let values = [
        (Type::I64, int(7)),
        (Type::Bool, Value::Bool(true)),
        (list(Type::I32), Value::List(vec![int(1)])),
        (
            map(Type::String, Type::Struct(ROOT)),
            Value::Map(OrderedMap::from([(Key::Text(vec![b'k']), Value::Record(Record::empty(0)))])),
        ),
        (Type::Uuid, Value::Bytes(vec![3; 16])),
    ];
    for (ty, value) in values {
        for protocol in Protocol::ALL {
            let reading = across(ty.clone(), value.clone(), Type::I32, protocol);
            assert_eq!(reading, Reading { result: Ok(Record::empty(0).with(2, int(7))), astray: None });
        }
    }
}

#[test]
fn elements_are_read_by_the_readers_own_type() {
    let numbers = Value::List(vec![int(1), int(2)]);
    let binary = across(list(Type::I64), numbers.clone(), list(Type::I32), Protocol::Binary);
    assert_eq!(binary.astray, Some(vec![1]));
    assert_ne!(binary.result, Ok(Record::empty(0).with(1, numbers.clone()).with(2, int(7))));
    let compact = across(list(Type::I64), numbers.clone(), list(Type::I32), Protocol::Compact);
    assert_eq!(compact.result, Ok(Record::empty(0).with(1, numbers).with(2, int(7))));
    let same = across(list(Type::Enum(EnumId(0))), Value::List(vec![]), list(Type::I64), Protocol::Binary);
    assert_eq!(same.astray, None);
}

#[test]
fn readers_that_ignore_headers_read_another_number() {
    let (writer, reader) = (one(Type::I32), one(Type::I64));
    let record = Record::empty(0).with(1, int(7)).with(2, int(9));
    let bytes = encode(Types::of(&writer), ROOT, &record, Protocol::Binary).expect("the value is of the type");
    let reading = decode(Types::of(&reader), ROOT, &bytes, (Protocol::Binary, Headers::Ignored));
    // The header of field 2 became the lower half of the number, and the rest ended the struct.
    assert_eq!(reading.result, Ok(Record::empty(0).with(1, int((7 << 32) + 0x0800_0200))));
}

#[test]
fn what_is_required_or_exclusive_is_checked() {
    let writer = schema(vec![(Sort::Struct, vec![field(1, Optional, Type::I32), field(2, Optional, Type::I32)])]);
    let none = Record::empty(0);
    let both = Record::empty(0).with(1, int(1)).with(2, int(2));
    let fields = |requiredness| vec![field(1, requiredness, Type::I32), field(3, requiredness, Type::I32)];
    let both_ids = || vec![field(1, Optional, Type::I32), field(2, Optional, Type::I32)];
    let result = vec![field(0, Always, Type::I32), field(1, Always, Type::I32)];
    let cases = [
        (Sort::Struct, fields(Required), &none, Some(Cause::Missing(vec![1, 3]))),
        (Sort::Struct, fields(Required), &both, Some(Cause::Missing(vec![3]))),
        (Sort::Struct, fields(Always), &none, None),
        (Sort::Union, both_ids(), &both, Some(Cause::SetTwice(1, 2))),
        (Sort::Union, both_ids(), &none, None),
        (Sort::Union, fields(Optional), &both, None),
        (Sort::Result, result, &none, Some(Cause::NoResult)),
        (Sort::Result, vec![field(3, Always, Type::I32)], &both, None),
    ];
    for (sort, fields, record, expected) in cases {
        let reader = schema(vec![(sort, fields)]);
        for protocol in Protocol::ALL {
            let bytes = encode(Types::of(&writer), ROOT, record, protocol).expect("the values are of the types");
            let cause = read(&reader, &bytes, protocol).result.err().map(|error| error.cause);
            assert_eq!(cause, expected, "{sort:?}");
        }
    }
}

#[test]
fn bytes_that_are_no_text_are_rejected_where_text_is_awaited() {
    for protocol in Protocol::ALL {
        let bytes = Value::Bytes(vec![0xff]);
        let reading = across(Type::Binary, bytes, Type::String, protocol);
        let error = reading.result.expect_err("that is no UTF-8");
        assert_eq!((error.path, error.cause), (vec![1], Cause::Malformed));
        assert!(across(Type::String, text("ü"), Type::Binary, protocol).result.is_ok());
    }
}

#[test]
fn lying_lengths_and_deep_nesting_are_rejected() {
    let endless = [12, 0, 1].repeat(100_000);
    let cases: [(Type, &[u8], Protocol); 7] = [
        (Type::String, &[11, 0, 1, 0x7f, 0xff, 0xff, 0xff, b'a'], Protocol::Binary),
        (Type::String, &[11, 0, 1, 0xff, 0xff, 0xff, 0xff, b'a'], Protocol::Binary),
        (list(Type::I32), &[15, 0, 1, 8, 0x7f, 0xff, 0xff, 0xff, 0], Protocol::Binary),
        (map(Type::I32, Type::I32), &[13, 0, 1, 8, 8, 0x80, 0, 0, 0, 0], Protocol::Binary),
        (Type::String, &[0x18, 0xff, 0xff, 0xff, 0xff, 0x0f], Protocol::Compact),
        (list(Type::I32), &[0x19, 0xf5, 0xff, 0xff, 0xff, 0xff, 0x07], Protocol::Compact),
        (Type::Struct(ROOT), &endless, Protocol::Binary),
    ];
    for (ty, bytes, protocol) in cases {
        for reader in [one(ty), one(Type::Bool)] {
            assert!(read(&reader, bytes, protocol).result.is_err());
        }
    }
    let mut deep = Record::empty(0);
    for _ in 0..200 {
        deep = Record::empty(0).with(1, Value::Record(deep));
    }
    assert_eq!(encode(Types::of(&one(Type::Struct(ROOT))), ROOT, &deep, Protocol::Binary), None);
}

#[test]
fn no_bytes_make_the_reader_panic() {
    let types = [
        Type::Bool,
        Type::String,
        Type::Struct(ROOT),
        list(Type::Struct(ROOT)),
        map(Type::Bool, list(Type::I64)),
        map(Type::Struct(ROOT), Type::Uuid),
    ];
    let mut seeded = Seeded::by_name("hostile bytes");
    let interesting = [0, 1, 2, 8, 11, 12, 13, 15, 0x15, 0x19, 0x1b, 0x1c, 0xf5, 0xff];
    let mut accepted = 0;
    for round in 0..20_000_usize {
        let schema = one(types[round % types.len()].clone());
        let length = usize::try_from(seeded.next() % 24).unwrap_or(0);
        let mut bytes = Vec::new();
        for _ in 0..length {
            let pick = seeded.next();
            bytes.push(match pick % 3 {
                0 => (pick >> 8) as u8,
                _ => interesting[(pick >> 8) as usize % interesting.len()],
            });
        }
        for protocol in Protocol::ALL {
            for headers in [Headers::Compared, Headers::Ignored] {
                let reading = decode(Types::of(&schema), ROOT, &bytes, (protocol, headers));
                accepted += usize::from(reading.result.is_ok());
            }
        }
    }
    assert!(accepted > 1000, "{accepted} were accepted: too few to show anything");
}
