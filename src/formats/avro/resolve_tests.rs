use proptest::prelude::*;
use serde_json::{Value as Text, json};

use super::super::codec;
use super::super::codec::tests::{chain, chained, random_schema, random_value, schema};
use super::super::relation;
use super::*;
use crate::evidence::Outcome;
use crate::value::Seeded;

use Dialect::{Java, Specification};

type Read = Result<Value, Failure>;

fn read(dialect: Dialect, writer: &Text, reader: &Text, value: &Value) -> Read {
    let ((writer, from), (reader, to)) = (schema(writer.clone()), schema(reader.clone()));
    Resolver { writer: &writer, reader: &reader, dialect }.read(from, to, value)
}

fn record(name: &str, fields: &Text) -> Text {
    json!({"type": "record", "name": name, "fields": fields})
}

fn enumeration(name: &str, symbols: &[&str]) -> Text {
    json!({"type": "enum", "name": name, "symbols": symbols})
}

fn fixed(name: &str, size: u32) -> Text {
    json!({"type": "fixed", "name": name, "size": size})
}

fn aliased(mut named: Text, alias: &str) -> Text {
    named["aliases"] = json!([alias]);
    named
}

/// The first named type of a schema of a test has the number 8.
fn of_record(fields: &[(i32, i128)]) -> Value {
    let fields = fields.iter().map(|(key, value)| (*key, Value::Int(*value))).collect();
    Value::Record(RecordValue { ty: 8, fields })
}

fn branch(index: u32, value: Value) -> Value {
    Value::Branch { index, value: Box::new(value) }
}

fn symbol(number: i32) -> Value {
    Value::Enum { ty: 8, number }
}

const fn field(writer: Option<usize>, reader: Option<usize>) -> Step {
    Step::Field { writer, reader }
}

fn fails(reason: Reason, steps: &[Step]) -> Read {
    Err(Failure { reason, steps: steps.to_vec() })
}

/// Every pair of primitive types: the same value, the promoted one, or a refusal.
#[test]
fn primitive_types_are_promoted_as_specified_and_no_further() {
    let values = [
        Value::Null,
        Value::Bool(true),
        Value::Int(7),
        Value::Int(7),
        Value::Float(0.5),
        Value::Double(0.5),
        Value::Bytes(b"a".to_vec()),
        Value::Text(b"a".to_vec()),
    ];
    let promoted = [
        (Primitive::Int, Primitive::Long, Value::Int(7)),
        (Primitive::Int, Primitive::Float, Value::Float(7.0)),
        (Primitive::Int, Primitive::Double, Value::Double(7.0)),
        (Primitive::Long, Primitive::Float, Value::Float(7.0)),
        (Primitive::Long, Primitive::Double, Value::Double(7.0)),
        (Primitive::Float, Primitive::Double, Value::Double(0.5)),
        (Primitive::Bytes, Primitive::String, Value::Text(b"a".to_vec())),
        (Primitive::String, Primitive::Bytes, Value::Bytes(b"a".to_vec())),
    ];
    for (from, value) in Primitive::ALL.into_iter().zip(&values) {
        for to in Primitive::ALL {
            let known = promoted.iter().find(|(one, other, _)| (*one, *other) == (from, to));
            let expected = match known {
                Some((_, _, value)) => Ok(value.clone()),
                None if from == to => Ok(value.clone()),
                None => fails(Reason::TypesDiffer { writer: from.id(), reader: to.id() }, &[]),
            };
            for dialect in [Specification, Java] {
                let seen = read(dialect, &json!(from.name()), &json!(to.name()), value);
                assert_eq!(seen, expected, "{} as {}", from.name(), to.name());
            }
        }
    }
}

#[test]
fn numbers_that_do_not_fit_are_rounded() {
    let long = |value: i128| read(Specification, &json!("long"), &json!("double"), &Value::Int(value));
    assert_eq!(long((1 << 53) + 1), Ok(Value::Double(9_007_199_254_740_992.0)));
    let int = |value: i128| read(Specification, &json!("int"), &json!("float"), &Value::Int(value));
    assert_eq!(int((1 << 24) + 1), Ok(Value::Float(16_777_216.0)));
}

#[test]
fn bytes_that_are_no_text_are_refused_by_the_specification_only() {
    let wrote = Value::Bytes(vec![0xff]);
    assert_eq!(read(Specification, &json!("bytes"), &json!("string"), &wrote), fails(Reason::NotUtf8, &[]));
    assert_eq!(read(Java, &json!("bytes"), &json!("string"), &wrote), Ok(Value::Text(vec![0xff])));
}

/// Writer, reader, value, what the specification says, what Java says.
#[test]
fn named_types_are_found_by_name_and_alias() {
    let names_differ = || fails(Reason::NamesDiffer { writer: TypeId(8), reader: TypeId(8) }, &[]);
    let bytes = Value::Bytes(vec![1, 2]);
    let nothing = json!([]);
    let empty = || Ok(of_record(&[]));
    let sizes = || fails(Reason::SizesDiffer { writer: TypeId(8), reader: TypeId(8) }, &[]);
    let cases = [
        (fixed("a.F", 2), fixed("b.F", 2), bytes.clone(), Ok(bytes.clone()), Ok(bytes.clone())),
        (fixed("F", 2), fixed("G", 2), bytes.clone(), names_differ(), names_differ()),
        (fixed("F", 2), fixed("F", 3), bytes.clone(), sizes(), sizes()),
        (fixed("F", 2), aliased(fixed("G", 2), "F"), bytes.clone(), Ok(bytes.clone()), Ok(bytes.clone())),
        (fixed("a.F", 2), aliased(fixed("b.G", 2), "F"), bytes.clone(), names_differ(), names_differ()),
        (fixed("a.F", 2), aliased(fixed("b.G", 2), "a.F"), bytes.clone(), Ok(bytes.clone()), Ok(bytes.clone())),
        (aliased(fixed("F", 2), "G"), fixed("G", 2), bytes, names_differ(), names_differ()),
        (enumeration("a.E", &["A"]), enumeration("b.E", &["A"]), symbol(0), Ok(symbol(0)), Ok(symbol(0))),
        (enumeration("D", &["A"]), enumeration("E", &["A"]), symbol(0), names_differ(), names_differ()),
        (record("a.R", &nothing), record("b.R", &nothing), of_record(&[]), empty(), empty()),
        (record("R", &nothing), record("S", &nothing), of_record(&[]), names_differ(), empty()),
        (record("R", &nothing), aliased(record("S", &nothing), "R"), of_record(&[]), empty(), empty()),
    ];
    for (writer, reader, value, specified, java) in cases {
        assert_eq!(read(Specification, &writer, &reader, &value), specified, "{writer} as {reader}");
        assert_eq!(read(Java, &writer, &reader, &value), java, "{writer} as {reader} in Java");
    }
}

#[test]
fn symbols_are_found_by_name_and_unknown_ones_have_the_default() {
    let writer = enumeration("E", &["A", "B"]);
    let mut reader = enumeration("E", &["C", "B"]);
    let unknown = Reason::UnknownSymbol { symbol: 0, writer: TypeId(8), reader: TypeId(8) };
    for dialect in [Specification, Java] {
        assert_eq!(read(dialect, &writer, &reader, &symbol(1)), Ok(symbol(1)));
        assert_eq!(read(dialect, &writer, &reader, &symbol(0)), fails(unknown.clone(), &[]));
    }
    reader["default"] = json!("C");
    for dialect in [Specification, Java] {
        assert_eq!(read(dialect, &writer, &reader, &symbol(0)), Ok(symbol(0)));
    }
}

/// Fields of the writer, fields of the reader, the written numbers, what the specification says, what Java says.
#[test]
fn fields_are_found_by_name_and_alias_and_the_missing_ones_have_the_default() {
    let no_default = |reader| fails(Reason::NoDefault, &[field(None, Some(reader))]);
    let ambiguous = |writer, reader| fails(Reason::Ambiguous, &[field(Some(writer), Some(reader))]);
    let a = json!({"name": "a", "type": "int"});
    let b = json!({"name": "b", "type": "int"});
    let c = json!({"name": "c", "type": "int", "default": 5});
    let b_was_a = json!({"name": "b", "type": "int", "aliases": ["a"]});
    let c_was_a = json!({"name": "c", "type": "int", "aliases": ["a"], "default": 5});
    let cases = [
        (json!([a, b]), json!([b, a]), Ok(of_record(&[(0, 2), (1, 1)])), Ok(of_record(&[(0, 2), (1, 1)]))),
        (json!([a, b]), json!([b]), Ok(of_record(&[(0, 2)])), Ok(of_record(&[(0, 2)]))),
        (json!([a]), json!([c, a]), Ok(of_record(&[(0, 5), (1, 1)])), Ok(of_record(&[(0, 5), (1, 1)]))),
        (json!([a]), json!([a, b]), no_default(1), no_default(1)),
        (json!([a]), json!([b_was_a]), Ok(of_record(&[(0, 1)])), Ok(of_record(&[(0, 1)]))),
        (json!([b_was_a]), json!([a]), no_default(0), no_default(0)),
        (json!([a, b]), json!([b_was_a]), ambiguous(0, 0), fails(Reason::Ambiguous, &[])),
        (json!([a]), json!([a, c_was_a]), ambiguous(0, 1), no_default(0)),
        (json!([a]), json!([b_was_a, c_was_a]), ambiguous(0, 1), no_default(0)),
    ];
    for (writer, reader, specified, java) in cases {
        let value = of_record(&[(0, 1), (1, 2)]);
        let (writer, reader) = (record("R", &writer), record("R", &reader));
        assert_eq!(read(Specification, &writer, &reader, &value), specified, "{writer} as {reader}");
        assert_eq!(read(Java, &writer, &reader, &value), java, "{writer} as {reader} in Java");
    }
}

#[test]
fn java_follows_field_aliases_only_where_the_record_is_known_by_name() {
    let written = record("R", &json!([{"name": "a", "type": "int"}]));
    let wanted = record("S", &json!([{"name": "b", "type": "int", "aliases": ["a"]}]));
    let no_default = fails(Reason::NoDefault, &[field(None, Some(0))]);
    assert_eq!(read(Java, &written, &wanted, &of_record(&[(0, 1)])), no_default);
    assert_eq!(read(Java, &written, &aliased(wanted, "R"), &of_record(&[(0, 1)])), Ok(of_record(&[(0, 1)])));
}

#[test]
fn aliases_of_a_schema_read_with_itself_do_no_harm_in_java() {
    let same = record("R", &json!([{"name": "a", "type": "int"}, {"name": "b", "type": "int", "aliases": ["a"]}]));
    let value = of_record(&[(0, 1), (1, 2)]);
    assert_eq!(read(Java, &same, &same, &value), Ok(value));
}

/// The reader's new field and its default; whether Java reads an empty map of such records.
#[test]
fn java_reads_nothing_where_it_cannot_write_a_default_of_a_record_that_it_comes_to() {
    let written = json!({"type": "map", "values": record("R", &json!([{"name": "a", "type": "int"}]))});
    let nothing = Value::Map(OrderedMap::new());
    let list = json!({"type": "array", "items": "int"});
    for (ty, default, is_read) in [
        (json!("int"), json!(1), true),
        (json!(["null", "R"]), json!(null), true),
        // It writes the first branch that is a record, an array or a map, whatever the value.
        (json!(["R", "null"]), json!(null), false),
        // What it writes of these it fails to read, which it does only where it needs the default.
        (json!([list]), json!([]), true),
        (json!([list, "int"]), json!(7), true),
    ] {
        let fields = json!([{"name": "a", "type": "int"}, {"name": "b", "type": ty, "default": default}]);
        let wanted = json!({"type": "map", "values": record("R", &fields)});
        let no_default = fails(Reason::NoDefault, &[Step::Values, field(None, Some(1))]);
        let expected = if is_read { Ok(nothing.clone()) } else { no_default };
        assert_eq!(read(Java, &written, &wanted, &nothing), expected, "{fields}");
        assert_eq!(read(Specification, &written, &wanted, &nothing), Ok(nothing.clone()), "{fields}");
    }
}

/// Written type, the reader's union, the chosen branch by the specification and by Java.
#[test]
fn the_branch_of_a_union_is_chosen_by_type_then_name_then_promotion() {
    let ints = |field: &str| json!([{"name": field, "type": "int"}]);
    let either = |one: Option<usize>| (one, one);
    let cases = [
        (json!("int"), json!(["float", "long", "int"]), either(Some(2))),
        (json!("int"), json!(["null", "float", "long"]), either(Some(1))),
        (json!("long"), json!(["int", "double"]), either(Some(1))),
        (json!("float"), json!(["long", "double"]), either(Some(1))),
        (json!("double"), json!(["float", "long"]), either(None)),
        (json!("string"), json!(["null", "bytes"]), either(Some(1))),
        (json!("bytes"), json!(["string", "null"]), either(Some(0))),
        (json!("null"), json!(["string", "null"]), either(Some(1))),
        (json!({"type": "array", "items": "int"}), json!([{"type": "array", "items": "string"}]), either(Some(0))),
        (json!({"type": "array", "items": "int"}), json!([{"type": "map", "values": "int"}]), either(None)),
        (fixed("a.F", 2), json!([fixed("b.F", 2), fixed("a.F", 3)]), either(Some(1))),
        (fixed("a.F", 2), json!([fixed("b.F", 3), fixed("c.F", 2)]), (Some(1), None)),
        (fixed("a.F", 2), json!([fixed("b.F", 3)]), (Some(0), None)),
        (enumeration("a.E", &["A"]), json!([enumeration("b.E", &["A"])]), (Some(0), None)),
        (
            enumeration("a.E", &["A"]),
            json!([enumeration("b.E", &["A"]), aliased(enumeration("b.D", &["A"]), "a.E")]),
            either(Some(1)),
        ),
        (record("a.R", &ints("x")), json!(["null", record("b.R", &ints("x"))]), either(Some(1))),
        (record("R", &ints("x")), json!([record("S", &ints("y")), record("T", &ints("x"))]), (None, Some(1))),
        (record("a.R", &ints("x")), json!([record("T", &ints("x")), record("b.R", &ints("x"))]), either(Some(1))),
        (record("a.R", &ints("x")), json!([record("T", &ints("x")), record("b.R", &ints("y"))]), (Some(1), Some(0))),
        (
            record("R", &json!([{"name": "x", "type": "string"}])),
            json!([record("S", &ints("x")), record("T", &json!([{"name": "x", "type": "bytes"}]))]),
            (None, Some(1)),
        ),
    ];
    for (writer, reader, (specified, java)) in cases {
        let ((from, written), (to, union)) = (schema(writer.clone()), schema(reader.clone()));
        for (dialect, expected) in [(Specification, specified), (Java, java)] {
            let resolver = Resolver { writer: &from, reader: &to, dialect };
            assert_eq!(
                resolver.reading(written, union).branch_for(written, union),
                expected,
                "{writer} in {reader} ({dialect:?})"
            );
        }
    }
}

#[test]
fn written_branches_are_read_as_a_branch_or_as_the_type_itself() {
    let int = |value| Value::Int(value);
    let cases = [
        (json!(["null", "int"]), json!(["long", "null"]), branch(1, int(4)), Ok(branch(0, int(4)))),
        (json!(["null", "int"]), json!("long"), branch(1, int(4)), Ok(int(4))),
        (json!("int"), json!(["null", "int"]), int(4), Ok(branch(1, int(4)))),
        (
            json!(["null", "int"]),
            json!("int"),
            branch(0, Value::Null),
            fails(
                Reason::TypesDiffer { writer: Primitive::Null.id(), reader: Primitive::Int.id() },
                &[Step::WriterBranch(0)],
            ),
        ),
        (
            json!(["string", "int"]),
            json!(["null", "int"]),
            branch(0, Value::Text(Vec::new())),
            fails(Reason::NoBranch { writer: Primitive::String.id(), reader: TypeId(8) }, &[Step::WriterBranch(0)]),
        ),
        (json!(["int"]), json!(["int"]), int(4), fails(Reason::NotWritten, &[])),
        (json!(["int"]), json!(["int"]), branch(7, int(4)), fails(Reason::NotWritten, &[])),
    ];
    for (writer, reader, value, expected) in cases {
        for dialect in [Specification, Java] {
            assert_eq!(read(dialect, &writer, &reader, &value), expected, "{writer} as {reader}");
        }
    }
}

#[test]
fn the_way_leads_to_the_innermost_reason() {
    let inner = |ty: &str| json!({"type": "array", "items": record("In", &json!([{"name": "x", "type": ty}]))});
    let outer = |ty: &str| {
        let map = json!({"type": "map", "values": ["null", inner(ty)]});
        record("Out", &json!([{"name": "m", "type": map}]))
    };
    let within = Value::Record(RecordValue::empty(9).with(0, Value::Text(Vec::new())));
    let list = branch(1, Value::List(vec![within.clone(), within]));
    let map = Value::Map([(Key::Text(b"k".to_vec()), list)].into());
    let value = Value::Record(RecordValue::empty(8).with(0, map));
    let steps = [
        field(Some(0), Some(0)),
        Step::Values,
        Step::WriterBranch(1),
        Step::ReaderBranch(1),
        Step::Items,
        field(Some(0), Some(0)),
    ];
    let reason = Reason::TypesDiffer { writer: Primitive::String.id(), reader: Primitive::Int.id() };
    for dialect in [Specification, Java] {
        assert_eq!(read(dialect, &outer("string"), &outer("int"), &value), fails(reason.clone(), &steps));
    }
}

#[test]
fn java_takes_unions_that_are_alike_branch_by_branch() {
    let union = |namespace: &str| {
        let one = record(&format!("{namespace}.R"), &json!([{"name": "x", "type": "int"}]));
        let other = enumeration(&format!("{namespace}.E"), &["A"]);
        json!([one, other])
    };
    let value = branch(1, Value::Enum { ty: 9, number: 0 });
    assert_eq!(read(Java, &union("a"), &union("b"), &value), Ok(value.clone()));
    let mut unlike = union("b");
    unlike[0]["fields"][0]["name"] = json!("y");
    let none = Reason::NoBranch { writer: TypeId(9), reader: TypeId(10) };
    assert_eq!(read(Java, &union("a"), &unlike, &value), fails(none, &[Step::WriterBranch(1)]));
}

#[test]
fn names_may_be_taken_to_match() {
    let written = record("R", &json!([{"name": "a", "type": "int"}]));
    let wanted = record("S", &json!([{"name": "a", "type": "string"}]));
    let ((writer, from), (reader, to)) = (schema(written), schema(wanted));
    let reading = Resolver { writer: &writer, reader: &reader, dialect: Specification }.reading(from, to);
    let value = of_record(&[(0, 1)]);
    assert_eq!(reading.read(&value), fails(Reason::NamesDiffer { writer: from, reader: to }, &[]));
    let inside = Reason::TypesDiffer { writer: Primitive::Int.id(), reader: Primitive::String.id() };
    assert_eq!(reading.read_inside(&value), fails(inside, &[field(Some(0), Some(0))]));
}

#[test]
fn values_are_nested_to_a_limit_and_no_deeper() {
    let (schema, ty) = chained();
    for dialect in [Specification, Java] {
        let resolver = Resolver { writer: &schema, reader: &schema, dialect };
        // Each link is three steps: the field, the writer's branch and the reader's.
        let fits = chain(ty, DEPTH_LIMIT / 3 - 1);
        assert_eq!(resolver.read(ty, ty, &fits), Ok(fits));
        let failure = resolver.read(ty, ty, &chain(ty, DEPTH_LIMIT / 2)).expect_err("it is nested too deep");
        assert_eq!(failure.reason, Reason::TooDeep);
    }
}

/// Two records that contain each other, in unions that only structure tells apart, come to an end.
#[test]
fn records_that_contain_each_other_are_compared_in_finite_time() {
    let tree = |name: &str, other: &str| {
        let inner = record(other, &json!([{"name": "back", "type": ["null", name]}]));
        record(name, &json!([{"name": "next", "type": ["null", inner]}]))
    };
    let end = branch(0, Value::Null);
    let inner = Value::Record(RecordValue::empty(9).with(0, end.clone()));
    let inner_read = Value::Record(RecordValue::empty(9).with(0, end));
    let value = Value::Record(RecordValue::empty(8).with(0, branch(1, inner)));
    let expected = Value::Record(RecordValue::empty(8).with(0, branch(1, inner_read)));
    assert_eq!(read(Java, &tree("A", "B"), &tree("C", "D"), &value), Ok(expected));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_value_read_with_its_own_schema_is_itself(seed: u64) {
        let mut seeded = Seeded::by_name(&seed.to_string());
        let (schema, ty) = schema(random_schema(&mut seeded, &mut Vec::new(), 0));
        let values: Vec<Value> = (0..5).filter_map(|_| random_value(&schema, ty, &mut seeded, 0)).collect();
        for dialect in [Specification, Java] {
            let reading = Resolver { writer: &schema, reader: &schema, dialect }.reading(ty, ty);
            for value in &values {
                prop_assert_eq!(reading.read(value), Ok(value.clone()));
            }
        }
    }

    #[test]
    fn what_is_read_is_a_value_of_the_reader(seed: u64) {
        let mut seeded = Seeded::by_name(&seed.to_string());
        let (writer, from) = schema(random_schema(&mut seeded, &mut Vec::new(), 0));
        let (reader, to) = schema(random_schema(&mut seeded, &mut Vec::new(), 0));
        // Java's reader takes any bytes for a text.
        for (dialect, is_valid) in [(Specification, true), (Java, false)] {
            let reading = Resolver { writer: &writer, reader: &reader, dialect }.reading(from, to);
            let value = random_value(&writer, from, &mut seeded, 0);
            let read = value.as_ref().and_then(|value| reading.read(value).ok());
            if let (Some(value), Some(read)) = (value, read) {
                prop_assert_eq!(reading.read_inside(&value), Ok(read.clone()));
                let mut bytes = Vec::new();
                let is_written = codec::encode(&reader, to, &read, &mut bytes).is_ok();
                prop_assert!(is_written || !is_valid);
                prop_assert!(!is_written || codec::decode(&reader, to, &bytes) == Ok((read, &[][..])));
            }
        }
    }

    #[test]
    fn the_branch_that_the_comparison_of_schemas_expects_is_taken(seed: u64) {
        let mut seeded = Seeded::by_name(&seed.to_string());
        let (writer, from) = schema(simple_type(&mut seeded));
        let (reader, to) = schema(simple_union(&mut seeded));
        let reading = Resolver { writer: &writer, reader: &reader, dialect: Specification }.reading(from, to);
        let Kind::Union(branches) = reader.kind(to) else { panic!("it is a union") };
        let relation = relation::Reading { writer: &writer, reader: &reader };
        prop_assert_eq!(relation.branch_for(from, branches), reading.branch_for(from, to));
    }

    /// What depends on the data plays no part in these records, so all of them are read or none.
    #[test]
    fn records_are_read_where_the_comparison_of_schemas_says_so(seed: u64) {
        let mut seeded = Seeded::by_name(&seed.to_string());
        let (writer, from) = schema(aliased_record(&mut seeded));
        let (reader, to) = schema(aliased_record(&mut seeded));
        let expected = relation::Reading { writer: &writer, reader: &reader }.outcome_beside(from, to, None);
        let value = random_value(&writer, from, &mut seeded, 0).expect("a record of scalars ends");
        let read = Resolver { writer: &writer, reader: &reader, dialect: Specification }.read(from, to, &value);
        prop_assert_eq!(read.is_err(), expected == Outcome::Fails, "{:?}, not {:?}", read, expected);
    }

    /// Two types stand for the worst of all their values: none is refused where the comparison of schemas says that all
    /// are read, and all come out unchanged where it says that they are safe.
    #[test]
    fn no_value_is_read_worse_than_the_comparison_of_schemas_expects(seed: u64) {
        let mut seeded = Seeded::by_name(&seed.to_string());
        let (writer, from) = schema(simple_union(&mut seeded));
        let (reader, to) = schema(simple_union(&mut seeded));
        let reading = Resolver { writer: &writer, reader: &reader, dialect: Specification }.reading(from, to);
        let expected = relation::Reading { writer: &writer, reader: &reader }.outcome_beside(from, to, None);
        let values: Vec<Value> = (0..10).filter_map(|_| random_value(&writer, from, &mut seeded, 0)).collect();
        for value in values {
            let read = reading.read(&value);
            prop_assert!(read.is_ok() || expected >= Outcome::Fails, "{value:?} gives {read:?}, not {expected:?}");
        }
        // One branch at a time, what is said to fail does fail, unless it depends on the data.
        let Kind::Union(written) = writer.kind(from) else { panic!("it is a union") };
        for (index, ty) in (0..).zip(written.iter().map(|branch| branch.ty)) {
            let is_text = matches!(writer.kind(ty), Kind::Primitive(Primitive::Bytes));
            let expected = relation::Reading { writer: &writer, reader: &reader }.outcome(ty, to);
            let value = random_value(&writer, ty, &mut seeded, 0);
            if let Some(value) = value.filter(|_| expected == Outcome::Fails && !is_text) {
                let value = branch(index, value);
                prop_assert!(reading.read(&value).is_err(), "{value:?} is read");
            }
        }
    }
}

const SORTS: [&str; 3] = ["record", "enum", "fixed"];
const NAMES: [&str; 4] = ["R", "a.R", "b.R", "b.S"];

/// A primitive type, an array, or one of a few named types that are easily taken for each other.
fn simple_type(seeded: &mut Seeded) -> Text {
    let mut pick = |count: usize| usize::try_from(seeded.next() % count as u64).expect("it is small");
    match pick(4) {
        0 => json!(Primitive::ALL[pick(8)].name()),
        1 if pick(4) == 0 => json!({"type": "array", "items": "int"}),
        _ => {
            let mut named = match SORTS[pick(3)] {
                "record" => record(NAMES[pick(4)], &json!([{"name": "x", "type": "int"}])),
                "enum" => enumeration(NAMES[pick(4)], &["A"]),
                _ => fixed(NAMES[pick(4)], if pick(3) == 0 { 8 } else { 4 }),
            };
            if pick(2) == 0 {
                named = aliased(named, NAMES[pick(4)]);
            }
            named
        }
    }
}

/// A record of up to three fields whose aliases are easily taken for its other fields.
fn aliased_record(seeded: &mut Seeded) -> Text {
    let mut pick = |count: usize| usize::try_from(seeded.next() % count as u64).expect("it is small");
    let names = ["x", "y", "z", "w"];
    let first = pick(2);
    let fields = names[first..first + 1 + pick(3)].iter().map(|name| {
        let ty = ["int", "long", "string"][pick(9) / 4];
        let aliases: Vec<&str> = names.into_iter().filter(|alias| alias != name && pick(4) == 0).collect();
        json!({"name": name, "type": ty, "aliases": aliases})
    });
    let fields: Vec<Text> = fields.collect();
    record("R", &json!(fields))
}

/// A union of one to five of them, each name and each sort without a name once.
fn simple_union(seeded: &mut Seeded) -> Text {
    let mut branches: Vec<Text> = Vec::new();
    let called = |branch: &Text| branch.get("name").or(branch.get("type")).unwrap_or(branch).clone();
    for _ in 0..=seeded.next() % 5 {
        let branch = simple_type(seeded);
        if branches.iter().all(|other| called(other) != called(&branch)) {
            branches.push(branch);
        }
    }
    json!(branches)
}
