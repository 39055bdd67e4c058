//! Broken, hostile and absent input in Avro, through the program: a message at its exact place, never a panic and never
//! a pass.

use std::collections::BTreeMap;
use std::fs;

use crate::avro_data::container;
use crate::bad_input::{assert_refused, compare, write};
use crate::git::{Place, Ran, run_in};
use crate::support;
use wireproof::change::Pair;
use wireproof::formats::Format;
use wireproof::source::Snapshot;
use wireproof::verdict::{Policy, Verdict};

/// A schema with a little of everything.
const EVERYTHING: &str = r#"{
  "type": "record", "name": "Order", "namespace": "shop", "aliases": ["Purchase"], "doc": "a \u00e9 \"b\"",
  "fields": [
    {"name": "id", "type": "string", "default": "x", "aliases": ["key"], "order": "ignore"},
    {"name": "price", "type": {"type": "bytes", "logicalType": "decimal", "precision": 9, "scale": 2}},
    {"name": "size", "type": {"type": "enum", "name": "Size", "symbols": ["S", "L"], "default": "S"}},
    {"name": "hash", "type": {"type": "fixed", "name": "Hash", "size": 2}, "default": "\u0001\u00ff"},
    {"name": "next", "type": ["null", "Order"], "default": null},
    {"name": "map", "type": {"type": "map", "values": {"type": "array", "items": "double"}}, "default": {"a": [-1.5e3]}}
  ]
}"#;

const PROTOCOL: &str = r#"{
  "protocol": "Store", "namespace": "shop",
  "types": [{"type": "error", "name": "Gone", "fields": [{"name": "why", "type": "string"}]}],
  "messages": {
    "buy": {"request": [{"name": "id", "type": "string"}], "response": "int", "errors": ["Gone"]},
    "ping": {"request": [], "response": "null", "one-way": true}
  }
}"#;

const IDL: &str = r#"@namespace("shop") protocol Store {
  /** Doc. */
  record Order {
    string @aliases(["key"]) id = "x";
    union { null, Order } next = null;
    decimal(9, 2) price; timestamp_ms at;
    map<array<double>> `map` = {"a": [-1.5e3]};
  }
  @aliases(["Measure"]) enum Size { S, L } = S; // a comment
  fixed Hash(2);
  error Gone { string why; }
  int buy(string id, Order order) throws Gone;
  void ping() oneway;
}"#;

const GOOD: &str = r#"{"type": "record", "name": "Good", "fields": [{"name": "s", "type": "string"}]}"#;

/// What is said of each file of a run: its errors, each as `line:column message`.
pub(crate) fn errors(ran: &Ran) -> BTreeMap<String, Vec<String>> {
    let report: serde_json::Value = serde_json::from_str(&ran.out).expect("a report");
    let mut errors: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for problem in report["problems"].as_array().expect("problems") {
        if problem["severity"] == "error" {
            let message = problem["message"].as_str().unwrap_or_default();
            let file = problem["file"].as_str().unwrap_or_default().to_owned();
            errors.entry(file).or_default().push(format!("{}:{} {message}", problem["line"], problem["column"]));
        }
    }
    errors
}

/// A record in whose only field stands this, from line 2, column 1.
fn with_field(name: &str, field: &str) -> Vec<u8> {
    format!("{{\"type\": \"record\", \"name\": \"{name}\", \"fields\": [\n{field}\n]}}").into_bytes()
}

/// The files of one table in one run: each must be refused at its place, in these words.
#[track_caller]
fn assert_each_refused(cases: &[(&str, Vec<u8>, &str)]) {
    let place = Place::new();
    place.write("old/good.avsc", GOOD).write("new/good.avsc", GOOD);
    for (name, bytes, _) in cases {
        write(&place, &format!("new/{name}"), bytes);
    }
    let ran = compare(&place, &["--format", "json"]);
    assert_eq!(ran.code, 3, "{}", ran.err);
    let errors = errors(&ran);
    let none = Vec::new();
    let told = |name: &str| errors.get(name).unwrap_or(&none);
    let missed: Vec<String> = cases
        .iter()
        .filter(|(name, _, said)| !told(name).iter().any(|error| error.starts_with(said)))
        .map(|(name, _, said)| format!("{name}: expected `{said}`, told {:#?}", told(name)))
        .collect();
    assert!(missed.is_empty(), "{}", missed.join("\n"));
}

#[test]
fn what_is_no_json_is_refused_at_its_place() {
    let cases: Vec<(&str, Vec<u8>, &str)> = vec![
        ("empty.avsc", Vec::new(), "null:null there is nothing in the file"),
        ("blank.avsc", b" \n\n".to_vec(), "3:1 there is nothing in the file"),
        ("mark.avsc", b"\xef\xbb\xbf".to_vec(), "null:null there is nothing in the file"),
        ("word.avsc", b"string".to_vec(), "1:1 `string` is no JSON value"),
        ("zeros.avsc", b"\0\0\0\0".to_vec(), "1:1 the file is no text"),
        (
            "latin1.avsc",
            with_field("L", "{\"name\": \"s\", \"doc\": \"\u{1}\"}")
                .into_iter()
                .map(|b| if b == 1 { 0xe9 } else { b })
                .collect(),
            "2:23 the byte 0xe9 is not UTF-8",
        ),
        (
            "control.avsc",
            with_field("C", "{\"name\": \"s\", \"doc\": \"a\u{1}\"}"),
            "2:24 the control character U+0001",
        ),
        ("newline.avsc", with_field("N", "{\"name\": \"s\", \"doc\": \"a\nb\"}"), "2:24 the control character U+000A"),
        ("escape.avsc", with_field("E", "{\"name\": \"s\", \"doc\": \"\\x\"}"), "2:23 `\\` and `x` are no escape"),
        ("comma.avsc", with_field("T", "{\"name\": \"s\", \"type\": \"int\"},"), "3:1 a value behind `,`"),
        ("quotes.avsc", with_field("Q", "{'name': 's'}"), "2:2 a key is expected, but `'`"),
        ("two.avsc", format!("{GOOD}\n{GOOD}").into_bytes(), "2:1 only one value"),
        (
            "key.avsc",
            with_field("K", "{\"name\": \"s\", \"type\": \"int\", \"type\": \"int\"}"),
            "2:30 the key `type` stands twice",
        ),
        (
            "inner-key.avsc",
            with_field("I", "{\"name\": \"s\", \"type\": \"int\", \"x\": {\"a\": 1, \"a\": 2}}"),
            "2:44 the key `a` stands twice",
        ),
        (
            "escaped-key.avsc",
            with_field("J", "{\"name\": \"s\", \"type\": \"int\", \"t\\u0079pe\": \"int\"}"),
            "2:30 the key `type` stands twice",
        ),
    ];
    assert_each_refused(&cases);
}

#[test]
fn what_is_no_schema_is_refused_at_its_place() {
    let field = |name: &str, rest: &str| with_field(name, &format!("{{\"name\": \"s\", \"type\": {rest}}}"));
    let cases: Vec<(&str, Vec<u8>, &str)> = vec![
        ("null.avsc", b"null".to_vec(), "1:1 the value null is not a schema"),
        ("number.avsc", b"1".to_vec(), "1:1 a number is not a schema"),
        ("object.avsc", b"{}".to_vec(), "1:1 this schema has no `type`"),
        ("null.avpr", b"null".to_vec(), "1:1 the value null is not a protocol"),
        ("list.avpr", b"[]".to_vec(), "1:1 a list is not a protocol"),
        ("default.avsc", field("a.D", "\"int\", \"default\": \"x\""), "2:41 the default of `s` does not fit"),
        ("large.avsc", field("a.La", "\"int\", \"default\": 2147483648"), "2:41 the default of `s` does not fit"),
        ("branch.avsc", field("a.B", "[\"null\", \"string\"], \"default\": 1"), "2:54 the default of `s` does not fit"),
        ("deep-default.avsc", field("a.Dd", "{\"type\": \"array\", \"items\": \"int\"}, \"default\": [1, \"x\"]"), "2:73 the default of `s` does not fit"),
        ("enum-default.avsc", field("a.Ed", "{\"type\": \"enum\", \"name\": \"a.E1\", \"symbols\": [\"A\"], \"default\": \"B\"}"), "2:85 the default `B` is not one of the symbols"),
        ("twice.avsc", with_field("a.Tw", "{\"name\": \"s\", \"type\": {\"type\": \"fixed\", \"name\": \"F1\", \"size\": 1}},\n{\"name\": \"t\", \"type\": {\"type\": \"fixed\", \"name\": \"F1\", \"size\": 2}}"), "3:49 `F1` is defined twice"),
        ("field-twice.avsc", with_field("a.Ft", "{\"name\": \"s\", \"type\": \"int\"},\n{\"name\": \"s\", \"type\": \"int\"}"), "3:10 two fields of this record"),
        ("symbol-twice.avsc", b"{\"type\": \"enum\", \"name\": \"a.St\", \"symbols\": [\"A\", \"A\"]}".to_vec(), "1:51 the symbol `A` stands twice"),
        ("union-twice.avsc", field("a.Ut", "[\"int\", \"int\"]"), "2:31 `int` stands twice"),
        ("union-in-union.avsc", field("a.Uu", "[\"int\", [\"long\"]]"), "2:31 a union stands directly in a union"),
        ("name.avsc", field("a.b-c", "\"int\""), "1:28 `b-c` cannot be the name of a type"),
        ("primitive.avsc", field("long", "\"int\""), "1:28 `long` is a primitive type"),
        ("size.avsc", b"{\"type\": \"fixed\", \"name\": \"a.Si\", \"size\": -1}".to_vec(), "1:43 the size -1"),
        ("endless-size.avsc", format!("{{\"type\": \"fixed\", \"name\": \"a.Es\", \"size\": {}}}", "9".repeat(100_000)).into_bytes(), "1:43 the size 999"),
        ("response.avpr", b"{\"protocol\": \"a.P\", \"messages\": {\"m\": {\"request\": []}}}".to_vec(), "1:34 the message `m` has no `response`"),
        ("one-way.avpr", b"{\"protocol\": \"a.Q\", \"messages\": {\"m\": {\"request\": [], \"response\": \"int\", \"one-way\": true}}}".to_vec(), "1:67 the one-way message `m`"),
    ];
    assert_each_refused(&cases);
}

#[test]
fn names_that_nobody_defines_are_refused_at_their_place() {
    let field = |name: &str, rest: &str| with_field(name, &format!("{{\"name\": \"s\", \"type\": {rest}}}"));
    let cases: Vec<(&str, Vec<u8>, &str)> = vec![
        ("undefined.avsc", field("a.U", "\"Absent\""), "2:23 `a.Absent` is not defined"),
        ("elsewhere.avsc", field("a.V", "[\"null\", \"b.Absent\"]"), "2:32 `b.Absent` is not defined"),
        ("itself.avsc", b"\"a.Nowhere\"".to_vec(), "1:1 `a.Nowhere` is not defined"),
    ];
    assert_each_refused(&cases);
}

#[test]
fn a_file_cut_off_anywhere_is_refused_with_a_place() {
    let place = Place::new();
    let mut expected = Vec::new();
    for (ending, text) in [("avsc", EVERYTHING), ("avpr", PROTOCOL), ("avdl", IDL)] {
        place.write(format!("old/{ending}/whole.{ending}"), text).write(format!("new/{ending}/whole.{ending}"), text);
        // A file with nothing in it has no lines; one of IDL may be empty.
        for end in 1..text.len() {
            let name = format!("{ending}/{end:04}.{ending}");
            place.write(format!("new/{name}"), &text[..end]);
            expected.push(name);
        }
    }
    let ran = compare(&place, &["--format", "json"]);
    let errors = errors(&ran);
    let accepted: Vec<&String> = expected.iter().filter(|name| !errors.contains_key(*name)).collect();
    assert!(accepted.is_empty(), "cut off and still accepted: {accepted:#?}");
    assert!(errors.values().flatten().all(|error| !error.starts_with("null")), "each has a place");
    assert!(!errors.keys().any(|name| name.contains("whole")), "{errors:#?}");
}

#[test]
fn what_is_nested_without_end_is_refused() {
    let nested = |open: &str, inside: &str, close: &str| {
        format!("{}{inside}{}", open.repeat(100_000), close.repeat(100_000)).into_bytes()
    };
    let deep = "1:513 objects and lists are nested more than 512 deep";
    let cases: Vec<(&str, Vec<u8>, &str)> = vec![
        ("lists.avsc", nested("[", "", "]"), deep),
        ("open.avsc", nested("[", "", ""), deep),
        ("arrays.avsc", nested("{\"type\": \"array\", \"items\":\n", "\"int\"", "}"), "513:1 objects and lists"),
        (
            "default.avsc",
            with_field("D", &format!("{{\"name\": \"s\", \"type\": \"int\", \"default\": {}}}", "[".repeat(100_000))),
            "2:5",
        ),
        (
            "types.avdl",
            [b"protocol P { record R { ".to_vec(), nested("array<", "int", ">"), b" s; } }".to_vec()].concat(),
            "1:793 types are nested deeper",
        ),
        (
            "default.avdl",
            [b"protocol Q { record R { int s = ".to_vec(), nested("[", "", "]"), b"; } }".to_vec()].concat(),
            "1:",
        ),
        ("comments.avdl", nested("/* ", "", ""), "1:1 "),
    ];
    assert_each_refused(&cases);
}

/// Records that need each other, each in a file of its own, are no mistake; that no data of them ends is said.
#[test]
fn types_that_need_each_other_across_files_come_to_an_end() {
    let needs = |name: &str, other: &str| {
        format!("{{\"type\": \"record\", \"name\": \"{name}\", \"fields\": [{{\"name\": \"o\", \"type\": {other}}}]}}")
    };
    let place = Place::new();
    place
        .write("old/a.avsc", &needs("p.A", "[\"null\", \"p.B\"]"))
        .write("old/b.avsc", &needs("p.B", "[\"null\", \"p.A\"]"));
    place.write("new/a.avsc", &needs("p.A", "\"p.B\"")).write("new/b.avsc", &needs("p.B", "\"p.A\""));
    let ran = compare(&place, &[]);
    assert_eq!(ran.code, 1, "{}", ran.out);
    assert!(ran.out.contains("without end"), "{}", ran.out);
    assert!(!ran.out.contains("a bug in"), "{}", ran.out);
}

#[test]
fn a_type_whose_file_is_broken_is_compared_by_its_name() {
    let uses = r#"{"type": "record", "name": "Uses", "fields": [{"name": "g", "type": ["null", "Good"]}, {"name": "n", "type": "int"}]}"#;
    let place = Place::new();
    place.write("old/good.avsc", GOOD).write("old/uses.avsc", uses);
    place.write("new/good.avsc", &GOOD[..40]).write("new/uses.avsc", &uses.replace("\"int\"", "\"long\""));
    for mode in ["backward", "full"] {
        let ran = compare(&place, &["--mode", mode]);
        assert!(!ran.out.contains("a bug in") && !ran.out.contains("from Good to Good"), "{}", ran.out);
        assert!(ran.out.contains("mend good.avsc first") && ran.out.contains("type-widened"), "{}", ran.out);
        assert_eq!(ran.code, if mode == "full" { 1 } else { 3 }, "{}", ran.out);
    }
}

#[test]
fn names_that_two_files_define_differently_are_refused_where_they_are_used() {
    let place = Place::new();
    let uses = r#"{"type": "record", "name": "Uses", "fields": [{"name": "g", "type": "Good"}]}"#;
    for side in ["old", "new"] {
        // No file is called like the type: that one would be meant.
        place.write(format!("{side}/one.avsc"), GOOD).write(format!("{side}/uses.avsc"), uses);
    }
    place.write("new/other.avsc", &GOOD.replace("string", "bytes"));
    assert_refused(&compare(&place, &[]), &["differently in one.avsc and other.avsc", "new uses.avsc:1:"]);
}

#[test]
fn a_file_that_others_still_need_is_missed() {
    let place = Place::new();
    let uses = r#"{"type": "record", "name": "Uses", "fields": [{"name": "g", "type": "Good"}]}"#;
    place.write("old/good.avsc", GOOD).write("old/uses.avsc", uses).write("new/uses.avsc", uses);
    assert_refused(&compare(&place, &[]), &["`Good` is not defined in this file or any other", "new uses.avsc:1:69"]);
}

#[test]
fn a_folder_that_is_called_like_a_schema_is_a_folder() {
    let place = Place::new();
    place.write("old/x.avsc/good.avsc", GOOD).write("new/x.avsc/good.avsc", GOOD);
    assert_eq!(compare(&place, &[]).code, 0);
    fs::remove_file(place.path("new/x.avsc/good.avsc")).expect("it was written");
    let ran = compare(&place, &["--root", "Good"]);
    assert_eq!(ran.code, 1, "{}{}", ran.out, ran.err);
    fs::remove_file(place.path("old/x.avsc/good.avsc")).expect("it was written");
    let ran = compare(&place, &[]);
    assert_eq!(ran.code, 2, "{}", ran.out);
    assert!(ran.err.contains("no schema files found"), "{}", ran.err);
}

#[test]
fn large_schemas_are_compared_with_bounded_work_and_output() {
    let fields: Vec<String> =
        (0..3_000).map(|at| format!("{{\"name\": \"field_{at}\", \"type\": \"string\", \"default\": \"\"}}")).collect();
    let symbols: Vec<String> = (0..5_000).map(|at| format!("\"SYMBOL_{at}\"")).collect();
    let record =
        |fields: &[String]| format!("{{\"type\": \"record\", \"name\": \"R\", \"fields\": [{}]}}", fields.join(","));
    let symbols_of =
        |symbols: &[String]| format!("{{\"type\": \"enum\", \"name\": \"E\", \"symbols\": [{}]}}", symbols.join(","));
    let doc = |length: usize| {
        GOOD.replace("\"fields\"", &format!("\"doc\": \"{}\", \"fields\"", "any words ".repeat(length)))
    };
    let cases = [
        (record(&fields), record(&fields[1..]), 0),
        (symbols_of(&symbols), symbols_of(&symbols[1..]), 1),
        (GOOD.to_owned(), doc(5_000_000), 0),
    ];
    for (old, new, code) in cases {
        let place = Place::new();
        place.write("old/m.avsc", &old).write("new/m.avsc", &new);
        let ran = compare(&place, &[]);
        assert_eq!(ran.code, code, "{}{}", ran.out.chars().take(2000).collect::<String>(), ran.err);
        assert!(ran.out.len() < 20_000, "the text is {} bytes long", ran.out.len());
    }
}

/// What is found out about data against a schema.
fn judged(data: &[u8]) -> wireproof::report::Report {
    let order = r#"{"type": "record", "name": "Order", "fields": [{"name": "id", "type": "long"}]}"#;
    let sides =
        Pair::new(Snapshot::from_files([("d.avro", data)]), Snapshot::from_files([("d.avsc", order.as_bytes())]));
    support::report(Format::Avro, sides.as_ref(), &Policy::default())
}

#[test]
fn data_that_is_cut_off_or_damaged_is_no_pass_or_still_readable() {
    let schema = r#"{"type": "record", "name": "Order", "fields": [{"name": "id", "type": "int"}]}"#;
    let (whole, empty) = (container(schema, &[2]), container(schema, &[2]).len() - 1 - 1 - 1 - 16);
    let compatible = Verdict::Compatible;
    assert_eq!(judged(&whole).verdict, compatible);
    for end in 0..whole.len() {
        let report = judged(&whole[..end]);
        // A file that ends before its first block holds no records.
        let expected = if end == empty { compatible } else { Verdict::Unknown };
        assert_eq!(report.verdict, expected, "cut at {end}: {:#?}", report.problems);
        assert!(end == empty || !report.problems.is_empty(), "cut at {end}");
    }
    for at in 0..whole.len() {
        for byte in [0x00, 0x80, 0xff] {
            let mut damaged = whole.clone();
            damaged[at] = byte;
            let report = judged(&damaged);
            assert!(at >= 5 || damaged == whole || report.verdict == Verdict::Unknown, "damaged at {at}");
        }
    }
    assert_eq!(judged(&[&whole[..], b"more"].concat()).verdict, Verdict::Unknown);
    for (record, said) in
        [(&[0x80][..], "record 1 of 1 record in block 1 cannot be read"), (&[2, 2], "goes on for 1 byte")]
    {
        let report = judged(&container(schema, record));
        assert_eq!(report.verdict, Verdict::Unknown, "{said}");
        assert!(report.problems.iter().any(|problem| problem.message.contains(said)), "{:#?}", report.problems);
    }
}

/// Ten fields of each record lead to the next record, thirty levels deep: there are 10^30 ways to the one difference.
#[test]
fn records_that_share_records_in_depth_are_compared_once_each() {
    let side = |leaf: &str| {
        let level = |inner: &str, name: &str, at: usize| {
            let others =
                (1..10).map(|field| format!(r#", {{"name": "f{field}", "type": {name}}}"#)).collect::<String>();
            format!(r#"{{"type": "record", "name": "R{at}", "fields": [{{"name": "f0", "type": {inner}}}{others}]}}"#)
        };
        let lowest = format!("\"{leaf}\"");
        let mut schema = level(&lowest, &lowest, 29);
        for at in (0..29).rev() {
            schema = level(&schema, &format!("\"R{}\"", at + 1), at);
        }
        schema
    };
    let place = Place::new();
    place.write("old.avsc", &side("int")).write("new.avsc", &side("string"));
    let ran = run_in(&place.path(""), &["compare", "old.avsc", "new.avsc", "-q"], &[]);
    assert_eq!(ran.code, 1, "{}{}", ran.out, ran.err);
    assert!(ran.out.contains("breaking: 10 errors"), "{}", ran.out);
}
