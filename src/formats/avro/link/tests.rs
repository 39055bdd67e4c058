mod protocol_tests;

use super::*;
use crate::change::Pair;
use crate::formats::avro::model::{Logical, Unit};
use crate::formats::avro::{Avro, Parsed};
use crate::formats::check::{CheckOptions, LibraryFile};
use crate::formats::frame::check;
use crate::snapshot::Snapshot;
use crate::syntax::problem::Severity;
use crate::value::{Key, Record as RecordValue};

fn snapshot(files: &[(&str, &str)]) -> Snapshot {
    Snapshot::from_files(files.iter().map(|(path, text)| (*path, text.as_bytes().to_vec())))
}

/// Links files and shows the result.
fn with<T>(files: &[(&str, &str)], options: &CheckOptions, visit: impl FnOnce(&Linkage<Schema<'_>>) -> T) -> T {
    let snapshot = snapshot(files);
    let nothing = Snapshot::default();
    let parsed = Parsed::new(Pair::new(&nothing, &snapshot), options);
    visit(&parsed.link().sides.new)
}

fn with_one<T>(text: &str, visit: impl FnOnce(&Linkage<Schema<'_>>) -> T) -> T {
    with(&[("a.avsc", text)], &CheckOptions::default(), visit)
}

/// The text without its marks `«` and `»`, and the place between them.
fn unmarked(text: &str) -> (String, Span) {
    let start = text.find('«').expect("the place is marked");
    let end = text.find('»').expect("the place is marked") - '«'.len_utf8();
    (text.replace(['«', '»'], ""), Span::new(start as u32, end as u32))
}

/// Checks that exactly one problem is told, of this severity, at the marked place.
fn check_problem(path: &str, marked: &str, severity: Severity, expected: &str) {
    let (text, span) = unmarked(marked);
    with(&[(path, &text)], &CheckOptions::default(), |linkage| {
        let [problem] = &linkage.problems[..] else { panic!("{marked}: {:#?}", linkage.problems) };
        assert!(problem.message.contains(expected), "{marked}: {}", problem.message);
        assert_eq!(problem.severity, severity, "{marked}");
        assert_eq!(problem.site.as_ref().map(|site| site.span), Some(span), "{marked}: {}", problem.message);
        assert!(!problem.help.is_empty() && !problem.message.ends_with('.'), "{marked}");
    });
}

/// A record with one field of this type.
fn field(ty: &str) -> String {
    format!(r#"{{"type": "record", "name": "R", "fields": [{{"name": "f", "type": {ty}}}]}}"#)
}

/// The same with a default.
fn defaulted(ty: &str, default: &str) -> String {
    format!(r#"{{"type": "record", "name": "R", "fields": [{{"name": "f", "type": {ty}, "default": {default}}}]}}"#)
}

/// What the reference parser refuses, with the place of the problem and a part of what is told.
const REFUSED: &[(&str, &str)] = &[
    ("«null»", "null is not a schema"),
    ("«5»", "a number is not a schema"),
    ("«{»}", "no `type`"),
    (r#"{"type": «5»}"#, "`type` is a number"),
    (r#"«"Foo"»"#, "`Foo` is not defined"),
    (r#"{"type": «"Foo"»}"#, "`Foo` is not defined"),
    (r#"«{»"type": "record", "fields": []}"#, "need a `name`"),
    (r#"{"type": "record", "name": «5», "fields": []}"#, "need a `name`, a text, and here is a number"),
    (r#"{"type": "record", "name": «""», "fields": []}"#, "the name of a type is empty"),
    (r#"{"type": "record", "name": «"1a"», "fields": []}"#, "`1a` cannot be the name of a type"),
    (r#"{"type": "record", "name": «"a-b"», "fields": []}"#, "`a-b` cannot be"),
    (r#"{"type": "record", "name": «"n..R"», "fields": []}"#, "a part of a namespace is empty"),
    (r#"{"type": "record", "name": "R", "namespace": «"a-b.c"», "fields": []}"#, "`a-b` cannot be a part"),
    (r#"{"type": "record", "name": «"string"», "fields": []}"#, "`string` is a primitive type"),
    (r#"«{»"type": "record", "name": "R"}"#, "needs `fields`"),
    (r#"{"type": "record", "name": "R", "fields": «{}»}"#, "needs `fields`, a list, and here is an object"),
    (r#"{"type": "record", "name": "R", "fields": [«"f"»]}"#, "a text is not a field"),
    (r#"{"type": "record", "name": "R", "fields": [«{»"type": "int"}]}"#, "a field needs a `name`"),
    (r#"{"type": "record", "name": "R", "fields": [«{»"name": "f"}]}"#, "this field has no `type`"),
    (r#"{"type": "record", "name": "R", "fields": [{"name": «"f.g"», "type": "int"}]}"#, "the name of a field"),
    (
        r#"{"type": "record", "name": "R", "fields": [{"name": "f", "type": "int"}, {"name": «"f"», "type": "int"}]}"#,
        "two fields of this record",
    ),
    (
        r#"{"type": "record", "name": "R", "fields": [{"name": "f", "type": "int", "order": «"up"»}]}"#,
        "`up` is no order",
    ),
    (
        r#"{"type": "record", "name": "R", "fields": [{"name": "f", "type": "int", "aliases": «"g"»}]}"#,
        "`aliases` is a text, not a list",
    ),
    (r#"{"type": "record", "name": "R", "fields": [{"name": "f", "type": "int", "aliases": [«1»]}]}"#, "only texts"),
    (r#"{"type": "record", "name": "R", "aliases": [«"x.1"»], "fields": []}"#, "`1` cannot be the alias"),
    (r#"«{»"type": "enum", "name": "E"}"#, "needs `symbols`"),
    (r#"{"type": "enum", "name": "E", "symbols": [«"a-b"»]}"#, "`a-b` cannot be a symbol"),
    (r#"{"type": "enum", "name": "E", "symbols": [«null»]}"#, "`symbols` holds the value null"),
    (r#"{"type": "enum", "name": "E", "symbols": ["A", "B", «"A"»]}"#, "`A` stands twice in this enum"),
    (r#"{"type": "enum", "name": "E", "symbols": ["A"], "default": «"Z"»}"#, "`Z` is not one of the symbols"),
    (r#"«{»"type": "fixed", "name": "F"}"#, "needs a `size`"),
    (r#"{"type": "fixed", "name": "F", "size": «-1»}"#, "the size -1"),
    (r#"{"type": "fixed", "name": "F", "size": «1.0»}"#, "the size 1.0"),
    (r#"{"type": "fixed", "name": "F", "size": «2147483640»}"#, "the size 2147483640"),
    (r#"«{»"type": "array"}"#, "this array has no `items`"),
    (r#"«{»"type": "map"}"#, "this map has no `values`"),
    (r#"["int", «"int"»]"#, "`int` stands twice"),
    (r#"["int", «{"type": "int", "logicalType": "date"}»]"#, "`int` stands twice"),
    (r#"[{"type": "array", "items": "int"}, «{"type": "array", "items": "long"}»]"#, "`array` stands twice"),
    (r#"[{"type": "fixed", "name": "F", "size": 1}, «"F"»]"#, "`F` stands twice"),
    (r#"["null", «["int"]»]"#, "directly in a union"),
    (
        r#"[{"type": "fixed", "name": "F", "size": 1}, {"type": "array", "items": {"type": "fixed", "name": «"F"», "size": 2}}]"#,
        "`F` is defined twice",
    ),
    (
        r#"{"type": "record", "name": "R", "fields": [{"name": "f", "type": {"type": "record", "name": «"R"», "fields": []}}]}"#,
        "`R` is defined twice",
    ),
    (r#"{"type": "int", «"type"»: "int"}"#, "`type` stands twice"),
    (r#"{"type": "int", "x": [{"a": 1, «"a"»: 2}]}"#, "`a` stands twice"),
];

#[test]
fn what_the_reference_parser_refuses_is_refused_at_its_place() {
    for (marked, expected) in REFUSED {
        check_problem("a.avsc", marked, Severity::Error, expected);
    }
}

#[test]
fn many_members_are_searched_for_duplicates_too() {
    let symbols: Vec<String> = (0..40).map(|at| format!("\"S{at}\"")).collect();
    let text = format!(r#"{{"type": "enum", "name": "E", "symbols": [{}, «"S7"»]}}"#, symbols.join(","));
    check_problem("a.avsc", &text, Severity::Error, "`S7` stands twice");
    let members: Vec<String> = (0..20).map(|at| format!("\"k{at}\": 1")).collect();
    let text = format!(r#"{{"type": "int", {}, «"k3"»: 2}}"#, members.join(","));
    check_problem("a.avsc", &text, Severity::Error, "`k3` stands twice");
}

#[test]
fn defaults_that_do_not_fit_are_refused_at_their_place() {
    let inner = r#"{"type": "record", "name": "I", "fields": [{"name": "a", "type": "int"}]}"#;
    let cases: &[(&str, &str, &str)] = &[
        (r#""int""#, r#"«"x"»"#, "a number without point"),
        (r#""int""#, "«1.0»", "a number without point"),
        (r#""int""#, "«2147483648»", "beyond the range of int"),
        (r#""long""#, "«9223372036854775808»", "beyond the range of long"),
        (r#""boolean""#, "«0»", "true or false"),
        (r#""null""#, r#"«"null"»"#, "null is expected"),
        (r#""string""#, "«null»", "a text is expected"),
        (r#""float""#, r#"«"x"»"#, "a number is expected"),
        (r#""bytes""#, "«[]»", "a text whose characters are bytes"),
        (r#""bytes""#, "«\"\u{100}\"»", "beyond U+00FF"),
        (r#"{"type": "fixed", "name": "F", "size": 1}"#, "«1»", "a text whose characters are bytes"),
        (r#"{"type": "enum", "name": "E", "symbols": ["A"]}"#, r#"«"B"»"#, "the enum `E` has no such symbol"),
        (r#"{"type": "array", "items": "int"}"#, "[1, «true»]", "a number without point"),
        (r#"{"type": "map", "values": "int"}"#, r#"{"k": «"v"»}"#, "a number without point"),
        (r#"{"type": "map", "values": "int"}"#, "«[]»", "an object is expected"),
        (inner, "«{}»", "the field `a` is absent"),
        (inner, r#"{"a": «null»}"#, "a number without point"),
        (r#"["null", "int"]"#, r#"«"x"»"#, "no branch of the union"),
        (r#"["null", {"type": "array", "items": "int"}]"#, "[«null»]", "a number without point"),
        (r#"["float", "null"]"#, r#"«"NaN"»"#, "no branch"),
    ];
    for (ty, default, expected) in cases {
        check_problem("a.avsc", &defaulted(ty, default), Severity::Error, expected);
    }
}

#[test]
fn what_deserves_a_warning_gets_one() {
    let decimal = |rest: &str| format!(r#"{{"type": "bytes", "logicalType": «"decimal"»{rest}}}"#);
    let cases = [
        (r#"{"type": "int", "logicalType": «"timestamp-millis"»}"#.to_owned(), "it stands on long only"),
        (r#"{"type": "bytes", "logicalType": «"uuid"»}"#.to_owned(), "string or a fixed of 16 bytes"),
        (
            r#"[{"type": "fixed", "name": "F", "size": 12}, {"type": "array", "items": {"type": "F", "logicalType": «"duration"»}}]"#
                .to_owned(),
            "this is a reference",
        ),
        (decimal(""), "needs a `precision`"),
        (decimal(r#", "precision": 0"#), "must be 1 or more"),
        (decimal(r#", "precision": 2, "scale": 3"#), "its scale must be from 0 to the precision"),
        (decimal(r#", "precision": "2""#), "must be whole numbers"),
        (
            r#"{"type": "fixed", "name": "F", "size": 2, "logicalType": «"decimal"», "precision": 5}"#.to_owned(),
            "has room for 4 digits",
        ),
        (
            r#"{"type": "record", "name": "R", "fields": [{"name": "f", "type": "long", «"logicalType"»: "date"}]}"#
                .to_owned(),
            "stands beside the type",
        ),
        (r#"{"type": «{»"type": "int"}}"#.to_owned(), "which the Java implementation refuses"),
        (r#"{"type": "record", "name": «"Größe"», "fields": []}"#.to_owned(), "not every implementation reads such names"),
        (r#"{"type": "enum", "name": "E", "symbols": ["A"], "default": «5»}"#.to_owned(), "so it is ignored"),
        (r#"{"type": "record", "name": "R", "namespace": «5», "fields": []}"#.to_owned(), "so it is ignored"),
        (field(r#"["null", "string"]"#).replace("]}]", "], \"default\": «\"null\"»}]"), "the text \"null\""),
        (defaulted(r#"["null", "int"]"#, "«1»"), "which versions before 1.12 refuse"),
        (defaulted(r#"{"type": "fixed", "name": "F", "size": 2}"#, "«\"a\"»"), "not the size of its type, 2 bytes"),
        (field(r#"«"R"»"#), "no data of `R` can be written"),
        (
            r#"[{"type": "enum", "name": "E", "symbols": []}, {"type": "map", "values": {"type": "enum", "name": «"E"», "symbols": []}}]"#
                .to_owned(),
            "both times the same",
        ),
    ];
    for (marked, expected) in cases {
        check_problem("a.avsc", &marked, Severity::Warning, expected);
    }
}

#[test]
fn what_the_reference_parser_takes_is_taken() {
    let cases = [
        r#""int""#.to_owned(),
        r#"{"type": "int"}"#.to_owned(),
        r#"{"type": "fixed", "name": "F", "size": 0}"#.to_owned(),
        r#"{"type": "enum", "name": "E", "symbols": [], "default": null}"#.to_owned(),
        r#"{"type": "int", "logicalType": "unknown"}"#.to_owned(),
        r#"{"type": "int", "logicalType": 5, "size": -1}"#.to_owned(),
        r#"{"type": "array", "items": "int", "default": []}"#.to_owned(),
        field(r#"["null", "R"]"#),
        field(r#"{"type": "array", "items": "R"}"#),
        field(r#"{"type": "map", "values": {"type": "R"}}"#),
        defaulted(r#""float""#, r#""NaN""#),
        defaulted(r#""double""#, r#""-Infinity""#),
        defaulted(r#"["null", "R"]"#, "null"),
        defaulted(r#""int""#, "-0"),
        r#"{"type": "error", "name": "E", "doc": 5, "fields": [{"name": "f", "type": "int", "order": "IGNORE"}]}"#
            .to_owned(),
        "[]".to_owned(),
    ];
    for text in cases {
        with_one(&text, |linkage| assert_eq!(linkage.problems, [], "{text}"));
    }
}

#[test]
fn names_are_qualified_as_specified() {
    let text = r#"{"type": "record", "name": "R", "namespace": "a.b", "aliases": ["Old", "x.Older", ".Oldest"], "fields": [
        {"name": "f", "type": {"type": "enum", "name": "E", "symbols": []}},
        {"name": "g", "type": {"type": "record", "name": "c.S", "namespace": "ignored", "fields": [
            {"name": "h", "type": {"type": "fixed", "name": "F", "size": 1}},
            {"name": "i", "type": ["F", "a.b.E"]}]}},
        {"name": "j", "type": {"type": "record", "name": "N", "namespace": "", "fields": [
            {"name": "k", "type": {"type": "fixed", "name": "G", "size": 1}}]}},
        {"name": "l", "type": ["E", "N", "R", "c.F"]}]}"#;
    with_one(text, |linkage| {
        assert_eq!(linkage.problems, []);
        let names: Vec<&str> =
            linkage.schema.types.iter().filter_map(|ty| ty.kind.name()).map(|name| name.full.as_ref()).collect();
        assert_eq!(names, ["a.b.R", "a.b.E", "c.S", "c.F", "N", "G"]);
        let root = linkage.schema.roots[0].schema.ty;
        let aliases: Vec<&str> = linkage.schema.kind(root).aliases().iter().map(|name| name.full.as_ref()).collect();
        assert_eq!(aliases, ["a.b.Old", "x.Older", "Oldest"]);
        let Some(Kind::Union(branches)) =
            linkage.schema.record(root).map(|record| linkage.schema.kind(record.fields[3].schema.ty))
        else {
            panic!("the last field is a union")
        };
        let called: Vec<&str> = branches.iter().map(|branch| linkage.schema.called(branch.ty)).collect();
        assert_eq!(called, ["a.b.E", "N", "a.b.R", "c.F"]);
    });
}

/// The default of the field `f` of the only schema, and whether it needs 1.12.
fn default_of(text: &str) -> (Value, bool) {
    with_one(text, |linkage| {
        let errors = linkage.problems.iter().filter(|problem| problem.severity == Severity::Error);
        assert_eq!(errors.count(), 0, "{:#?}", linkage.problems);
        let record = linkage.schema.record(linkage.schema.roots[0].schema.ty).expect("the schema is a record");
        let default = record.fields[0].default.as_ref().expect("the field has a default");
        (default.value.clone(), default.needs_1_12)
    })
}

#[test]
fn defaults_are_understood() {
    let branch = |index, value| Value::Branch { index, value: Box::new(value) };
    let text = |text: &str| Value::Text(text.as_bytes().to_vec());
    let inner = r#"{"type": "record", "name": "I", "fields": [
        {"name": "a", "type": "int"}, {"name": "b", "type": ["null", "string"], "default": null}]}"#;
    let of_inner = |number: i128| RecordValue::empty(8 + 1).with(0, Value::Int(number)).with(1, branch(0, Value::Null));
    let cases = [
        (r#""int""#, "-5", Value::Int(-5), false),
        (r#""long""#, "9223372036854775807", Value::Int(i64::MAX.into()), false),
        (r#""float""#, "0.1", Value::Float(0.1), false),
        (r#""double""#, "\"Infinity\"", Value::Double(f64::INFINITY), false),
        (r#""double""#, "1e2", Value::Double(100.0), false),
        (r#""bytes""#, r#""\u00ffA""#, Value::Bytes(vec![0xff, b'A']), false),
        (r#""string""#, r#""é""#, text("é"), false),
        (r#"{"type": "fixed", "name": "F", "size": 2}"#, r#""a""#, Value::Bytes(vec![b'a', 0]), false),
        (r#"{"type": "fixed", "name": "F", "size": 1}"#, r#""ab""#, Value::Bytes(vec![b'a']), false),
        (r#"{"type": "enum", "name": "E", "symbols": ["A", "B"]}"#, r#""B""#, Value::Enum { ty: 9, number: 1 }, false),
        (r#"{"type": "array", "items": "int"}"#, "[1, 2]", Value::List(vec![Value::Int(1), Value::Int(2)]), false),
        (
            r#"{"type": "map", "values": "boolean"}"#,
            r#"{"k": true}"#,
            Value::Map([(Key::Text(b"k".to_vec()), Value::Bool(true))].into()),
            false,
        ),
        (inner, r#"{"a": 3}"#, Value::Record(of_inner(3)), false),
        (r#"["null", "int"]"#, "null", branch(0, Value::Null), false),
        (r#"["null", "int", "long"]"#, "5", branch(1, Value::Int(5)), true),
        (r#"["int", "long"]"#, "5000000000", branch(1, Value::Int(5_000_000_000)), true),
        (r#"["null", "string"]"#, r#""null""#, branch(1, text("null")), true),
        (r#"{"type": "array", "items": ["null", "int"]}"#, "[1]", Value::List(vec![branch(1, Value::Int(1))]), true),
    ];
    for (ty, default, expected, needs_1_12) in cases {
        assert_eq!(default_of(&defaulted(ty, default)), (expected, needs_1_12), "{ty} {default}");
    }
}

#[test]
fn logical_types_are_recognised_where_they_apply() {
    let cases = [
        (r#"{"type": "int", "logicalType": "date"}"#, Some(Logical::Date)),
        (r#"{"type": "long", "logicalType": "timestamp-nanos"}"#, Some(Logical::Timestamp(Unit::Nanos))),
        (r#"{"type": "string", "logicalType": "uuid"}"#, Some(Logical::Uuid)),
        (
            r#"{"type": "bytes", "logicalType": "decimal", "precision": 9}"#,
            Some(Logical::Decimal { precision: 9, scale: 0 }),
        ),
        (
            r#"{"type": "fixed", "name": "F", "size": 4, "logicalType": "decimal", "precision": 9, "scale": 2}"#,
            Some(Logical::Decimal { precision: 9, scale: 2 }),
        ),
        (r#"{"type": "fixed", "name": "F", "size": 12, "logicalType": "duration"}"#, Some(Logical::Duration)),
        (r#"{"type": "long", "logicalType": "date"}"#, None),
        (r#"{"type": "int", "logicalType": "my-type"}"#, None),
    ];
    for (text, expected) in cases {
        with_one(text, |linkage| {
            let ty = linkage.schema.ty(linkage.schema.roots[0].schema.ty);
            assert_eq!(ty.logical, expected, "{text}");
            assert!(ty.attributes.iter().any(|attribute| attribute.name.text == "logicalType"));
        });
    }
}

const PROTOCOL: &str = r#"{"protocol": "p.Shop", "namespace": "ignored", "version": 3, "types": [
    {"type": "record", "name": "Order", "fields": [{"name": "id", "type": "long"}]},
    {"type": "error", "name": "Gone", "fields": []}],
  "messages": {
    "buy": {"request": [{"name": "order", "type": "Order"}], "response": "Order", "errors": ["Gone"], "cost": 1},
    "ping": {"request": [], "one-way": true}}}"#;

/// The problems of several files, each with its path.
fn problems(files: &[(&str, &str)], options: &CheckOptions) -> Vec<(Severity, String, String)> {
    with(files, options, |linkage| {
        let told = linkage.problems.iter().map(|problem| {
            let file = problem.site.as_ref().map(|site| site.file.to_string()).unwrap_or_default();
            (problem.severity, file, problem.message.clone())
        });
        told.collect()
    })
}

const MONEY: &str = r#"{"type": "record", "name": "c.Money", "fields": [{"name": "cents", "type": "long"}]}"#;
const OTHER_MONEY: &str = r#"{"type": "record", "name": "c.Money", "fields": [{"name": "cents", "type": "int"}]}"#;

#[test]
fn names_are_found_in_other_files_in_any_order() {
    let order = field(r#""c.Money""#);
    for paths in [["a.avsc", "b.avsc"], ["b.avsc", "a.avsc"]] {
        with(&[(paths[0], &order), (paths[1], MONEY)], &CheckOptions::default(), |linkage| {
            assert_eq!(linkage.problems, []);
            assert_eq!(linkage.schema.roots.len(), 2);
            let money = linkage.schema.by_name["c.Money"][0];
            let record = linkage.schema.record(linkage.schema.by_name["R"][0]).expect("R is a record");
            assert_eq!(record.fields[0].schema.ty, money);
        });
    }
}

#[test]
fn definitions_that_differ_trouble_only_those_who_cannot_choose() {
    let order = field(r#""c.Money""#);
    let own = format!(r#"[{OTHER_MONEY}, {{"type": "array", "items": "c.Money"}}]"#);
    let options = CheckOptions::default();
    let same = MONEY.replace("\"fields\"", "\"doc\": \"x\", \"fields\"");
    assert_eq!(problems(&[("a.avsc", MONEY), ("b.avsc", &same), ("c.avsc", &order)], &options), []);
    assert_eq!(problems(&[("a.avsc", MONEY), ("b.avsc", &own)], &options), []);
    let told = problems(&[("a.avsc", MONEY), ("b.avsc", &own), ("c.avsc", &order)], &options);
    let [(Severity::Error, file, message)] = &told[..] else { panic!("{told:#?}") };
    assert_eq!(file, "c.avsc");
    assert!(message.contains("differently in a.avsc and b.avsc"), "{message}");
}

#[test]
fn a_broken_file_does_not_hide_the_others() {
    let order = field(r#""c.Money""#);
    let told = problems(&[("broken.avsc", "{"), ("a.avsc", &order)], &CheckOptions::default());
    let severities: Vec<_> = told.iter().map(|(severity, file, _)| (*severity, file.as_str())).collect();
    assert_eq!(severities, [(Severity::Warning, "a.avsc"), (Severity::Error, "broken.avsc")]);
    with(&[("broken.avsc", "{"), ("a.avsc", &order)], &CheckOptions::default(), |linkage| {
        let record = linkage.schema.record(linkage.schema.by_name["R"][0]).expect("R is a record");
        assert!(
            matches!(linkage.schema.kind(record.fields[0].schema.ty), Kind::Opaque(name) if &*name.full == "c.Money")
        );
    });
}

#[test]
fn types_from_outside_are_found_and_not_judged() {
    let order = field(r#""c.Money""#);
    let library = |text: &str| LibraryFile { import_path: "money.avsc".to_owned(), bytes: text.as_bytes().into() };
    let options = CheckOptions { library: vec![library(MONEY)], ..CheckOptions::default() };
    with(&[("a.avsc", &order)], &options, |linkage| {
        assert_eq!(linkage.problems, []);
        assert_eq!(linkage.schema.roots.len(), 1);
        assert_eq!(linkage.schema.files.iter().map(|file| file.is_library).collect::<Vec<_>>(), [false, true]);
    });
    let differing = CheckOptions { library: vec![library(OTHER_MONEY)], ..CheckOptions::default() };
    assert_eq!(problems(&[("a.avsc", &order), ("b.avsc", MONEY)], &differing), []);
}

#[test]
fn problems_of_shared_content_are_told_of_each_file() {
    let told = problems(&[("a.avsc", "null"), ("b.avsc", "null")], &CheckOptions::default());
    assert_eq!(told.iter().map(|(_, file, _)| file.as_str()).collect::<Vec<_>>(), ["a.avsc", "b.avsc"]);
}

#[test]
fn problems_that_no_change_concerns_are_warnings() {
    let options = CheckOptions { lenient_unchanged: true, everything: true, ..CheckOptions::default() };
    let bad = r#"{"type": "enum", "name": "Bad", "symbols": ["1"]}"#;
    let severity = |old: &str, new: &str| {
        let [old, new] = [old, new].map(|text| snapshot(&[("bad.avsc", bad), ("a.avsc", text)]));
        let parsed = Parsed::new(Pair::new(&old, &new), &options);
        parsed.link().sides.new.problems[0].severity
    };
    assert_eq!(severity("\"int\"", "\"long\""), Severity::Warning);
    assert_eq!(severity("\"int\"", "\"Bad\""), Severity::Error);
}

#[test]
fn records_without_end_are_told_once_for_each_circle() {
    let record = |name: &str, ty: &str| {
        format!(r#"{{"type": "record", "name": "{name}", "fields": [{{"name": "f", "type": {ty}}}]}}"#)
    };
    let cases = [
        (format!("[{}, {}]", record("A", "\"B\""), record("B", "\"A\"")), vec!["`A`", "`B`"]),
        (format!("[{}, {}]", record("A", "\"A\""), record("User", "\"A\"")), vec!["`A`"]),
        (format!("[{}, {}]", record("User", "\"A\""), record("A", "[\"A\", \"User\"]")), vec!["`A`"]),
        (format!("[{}, {}]", record("A", "[\"int\", \"B\"]"), record("B", "\"A\"")), vec![]),
        (format!("[{}, {}]", record("A", r#"{"type": "map", "values": "B"}"#), record("B", "\"A\"")), vec![]),
    ];
    for (text, expected) in cases {
        with_one(&text, |linkage| {
            let told = linkage.problems.iter();
            let told: Vec<&str> =
                told.map(|problem| problem.message.split_whitespace().nth(3).unwrap_or_default()).collect();
            assert_eq!(told, expected, "{text}");
        });
    }
}

#[test]
fn what_is_wrong_with_the_text_is_not_told_again() {
    let text = "protocol P { int m() oneway; void n(); void n(); }";
    let told = problems(&[("a.avdl", text)], &CheckOptions::default());
    assert_eq!(told.len(), 2, "{told:#?}");
    check_problem("a.avdl", "protocol P { void n(); void «n»(); }", Severity::Warning, "two messages of this protocol");
    let twice = r#"{"protocol": "P", "messages": {"m": {"request": [], "response": "null"}, «"m"»: {"request": [], "response": "null"}}}"#;
    check_problem("a.avpr", twice, Severity::Error, "`m` stands twice");
}

#[test]
fn endless_defaults_end() {
    let text = r#"{"type": "record", "name": "R", "fields": [{"name": "f", "type": "R", "default": {}}]}"#;
    with_one(text, |linkage| {
        assert!(
            linkage.problems.iter().any(|problem| problem.message.contains("without end")),
            "{:?}",
            linkage.problems
        );
    });
    // Each record holds two of the next: their defaults grow exponentially.
    let mut text = r#"{"type": "record", "name": "R40", "fields": []}"#.to_owned();
    for at in (0..40).rev() {
        let next = at + 1;
        text = format!(
            r#"{{"type": "record", "name": "R{at}", "fields": [
                {{"name": "a", "type": {text}, "default": {{}}}}, {{"name": "b", "type": "R{next}", "default": {{}}}}]}}"#
        );
    }
    with_one(&text, |linkage| {
        assert!(linkage.problems.iter().any(|problem| problem.message.contains("too long")), "{:?}", linkage.problems);
    });
}

#[test]
fn unions_of_many_records_do_not_make_defaults_exponential() {
    // Every level offers two records that the value fits until its very end.
    let fields = r#"[{"name": "n", "type": ["null", "A", "B"]}]"#;
    let types = format!(
        r#"[{{"type": "record", "name": "A", "fields": {fields}}}, {{"type": "record", "name": "B", "fields": {fields}}},
            {{"type": "record", "name": "R", "fields": [{{"name": "f", "type": "A", "default": {}5{}}}]}}]"#,
        "{\"n\": ".repeat(60),
        "}".repeat(60)
    );
    with_one(&types, |linkage| {
        let errors: Vec<_> = linkage.problems.iter().filter(|problem| problem.severity == Severity::Error).collect();
        assert_eq!(errors.len(), 1, "{errors:#?}");
    });
}

const SHOP: &str =
    r#"@namespace("s") protocol Shop { import schema "types/money.avsc"; record Order { c.Money total; } }"#;

#[test]
fn imports_are_looked_for_beside_the_file_then_in_roots_then_outside() {
    let include = CheckOptions { include: vec!["roots/one".to_owned()], ..CheckOptions::default() };
    let library = LibraryFile { import_path: "types/money.avsc".to_owned(), bytes: MONEY.as_bytes().into() };
    let library = CheckOptions { library: vec![library], ..CheckOptions::default() };
    let plain = CheckOptions::default();
    let cases = [
        ("a/shop.avdl", "a/types/money.avsc", &plain),
        ("a/shop.avdl", "roots/one/types/money.avsc", &include),
        ("a/shop.avdl", "types/money.avsc", &plain),
        ("a/shop.avdl", "unrelated.avsc", &library),
    ];
    for (shop, money, options) in cases {
        let text = if money == "unrelated.avsc" { "\"int\"" } else { MONEY };
        with(&[(shop, SHOP), (money, text)], options, |linkage| {
            assert_eq!(linkage.problems, [], "{money}");
            let order = linkage.schema.by_name["s.Order"][0];
            let order = linkage.schema.record(order).expect("Order is a record");
            assert_eq!(linkage.schema.called(order.fields[0].schema.ty), "c.Money");
        });
    }
}

#[test]
fn imports_lead_out_of_folders_and_may_be_cyclic() {
    let one = r#"protocol One { import idl "../b/two.avdl"; record A { union { null, B } b; } }"#;
    let two = r#"protocol Two { import idl "./../a/one.avdl"; record B { union { null, A } a; } }"#;
    assert_eq!(problems(&[("a/one.avdl", one), ("b/two.avdl", two)], &CheckOptions::default()), []);
}

#[test]
fn of_several_definitions_an_imported_one_is_meant() {
    let other = format!("[{OTHER_MONEY}]");
    for (first, second) in [(MONEY, other.as_str()), (other.as_str(), MONEY)] {
        let files = [("a/shop.avdl", SHOP), ("a/aaa.avsc", first), ("a/types/money.avsc", second)];
        with(&files, &CheckOptions::default(), |linkage| {
            assert_eq!(linkage.problems, []);
            let order = linkage.schema.record(linkage.schema.by_name["s.Order"][0]).expect("Order is a record");
            let money = linkage.schema.ty(order.fields[0].schema.ty);
            assert_eq!(&*linkage.schema.file(money.file).path, "a/types/money.avsc");
        });
    }
}

#[test]
fn imported_definitions_must_agree() {
    let text = SHOP.replace("import schema", r#"import schema "types/other.avsc"; import schema"#);
    let files = [("shop.avdl", text.as_str()), ("types/money.avsc", MONEY), ("types/other.avsc", OTHER_MONEY)];
    let told = problems(&files, &CheckOptions::default());
    let [(Severity::Error, file, message)] = &told[..] else { panic!("{told:#?}") };
    assert!(file == "shop.avdl" && message.contains("differently"), "{message}");
}

#[test]
fn advice_names_what_was_probably_meant() {
    let advice = |text: &str| with_one(text, |linkage| linkage.problems[0].help.clone());
    assert!(advice("\"String\"").contains("`string`"));
    assert!(advice("\"bool\"").contains("`boolean`"));
    assert!(advice(r#"{"type": "Record", "name": "R", "fields": []}"#).contains("\"record\""));
    assert!(advice(r#"{"protocol": "P"}"#).contains(".avpr"));
    let nested = r#"[{"type": "record", "name": "a.Order", "fields": []}, "order"]"#;
    assert!(advice(nested).contains("`a.Order`"));
}

#[test]
fn files_that_end_too_early_or_lack_a_character_are_no_trouble() {
    let rich = defaulted(r#"["null", {"type": "fixed", "name": "n.F", "size": 4, "aliases": ["G"]}]"#, r#""\u00e4""#);
    for (path, text) in [("a.avpr", PROTOCOL), ("a.avsc", rich.as_str())] {
        for at in (0..text.len()).filter(|at| text.is_char_boundary(*at)) {
            let lacking = format!("{}{}", &text[..at], text[at..].chars().skip(1).collect::<String>());
            for text in [&text[..at], &lacking] {
                with(&[(path, text)], &CheckOptions::default(), |linkage| {
                    let all = linkage.problems.iter().filter_map(|problem| problem.site.as_ref());
                    all.for_each(|site| assert!(site.span.end as usize <= text.len(), "{text}"));
                });
            }
        }
        let early: Vec<_> = (1..text.len())
            .filter(|at| problems(&[(path, &text[..*at])], &CheckOptions::default()).is_empty())
            .collect();
        assert_eq!(early, [] as [usize; 0]);
    }
}

#[test]
fn an_import_that_is_missing_makes_its_types_opaque() {
    let user = r#"protocol User { import idl "shop.avdl"; record Basket { s.Order order; other.Gone gone; } }"#;
    let files = [("shop.avdl", SHOP), ("user.avdl", user)];
    with(&files, &CheckOptions::default(), |linkage| {
        let [problem] = &linkage.problems[..] else { panic!("{:#?}", linkage.problems) };
        assert_eq!(problem.severity, Severity::Warning);
        assert!(problem.message.contains("`types/money.avsc` was not found"), "{}", problem.message);
        let span = problem.site.as_ref().map(|site| site.span.range()).expect("it has a place");
        assert_eq!(&SHOP[span], "\"types/money.avsc\"");
        let basket = linkage.schema.record(linkage.schema.by_name["Basket"][0]).expect("Basket is a record");
        let called: Vec<&str> = basket.fields.iter().map(|field| linkage.schema.called(field.schema.ty)).collect();
        assert_eq!(called, ["s.Order", "other.Gone"]);
    });
    let side = snapshot(&files);
    let not_checked = check::<Avro>(Pair::new(&side, &side), &CheckOptions::default()).not_checked;
    let [gap] = &not_checked[..] else { panic!("{not_checked:#?}") };
    assert_eq!((gap.file.as_str(), gap.what.as_str()), ("shop.avdl", "types of types/money.avsc"));
    let strict = CheckOptions { strict_imports: true, ..CheckOptions::default() };
    let told = problems(&files, &strict);
    assert!(matches!(&told[..], [(Severity::Error, file, _)] if file == "shop.avdl"), "{told:#?}");
}

#[test]
fn an_import_that_the_old_side_found_must_not_be_lost() {
    let [old, new] = [&[("shop.avdl", SHOP), ("types/money.avsc", MONEY)][..], &[("shop.avdl", SHOP)]].map(snapshot);
    let options = CheckOptions::default();
    let parsed = Parsed::new(Pair::new(&old, &new), &options);
    let linked = parsed.link();
    let [problem, uses @ ..] = &linked.sides.new.problems[..] else { panic!("{:#?}", linked.sides.new.problems) };
    assert!(problem.message.contains("leads to types/money.avsc"), "{}", problem.message);
    assert!(!uses.is_empty() && uses.iter().all(|used| used.message.contains("is not known")), "{uses:#?}");
    assert!(linked.sides.new.problems.iter().all(|problem| problem.severity == Severity::Aside));
}

#[test]
fn nesting_up_to_the_limit_does_not_exhaust_the_stack() {
    let nest = |before: &str, inside: &str, after: &str, depth: usize| {
        format!("{}{inside}{}", before.repeat(depth), after.repeat(depth))
    };
    let records = (0..169).rev().fold("\"int\"".to_owned(), |inner, at| {
        format!(r#"{{"type": "record", "name": "R{at}", "fields": [{{"name": "f", "type": {inner}}}]}}"#)
    });
    let cases = [
        (nest(r#"{"type": "array", "items": "#, "\"int\"", "}", 511), 0),
        (nest(r#"{"type": "map", "values": "#, "\"int\"", "}", 511), 0),
        (nest("[", "\"int\"", "]", 511), 100 + 1),
        (nest(r#"{"type": "#, "\"int\"", "}", 511), 100 + 1),
        (records, 0),
        (defaulted(&nest(r#"{"type": "array", "items": "#, "\"int\"", "}", 500), &nest("[", "1", "]", 500)), 0),
    ];
    for (text, expected) in cases {
        with_one(&text, |linkage| assert_eq!(linkage.problems.len(), expected, "{:?}", linkage.problems.first()));
    }
}
