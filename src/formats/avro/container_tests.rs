//! What is read of data files, and what is said of damaged ones.

use std::io::Write;

use flate2::Compression;
use flate2::write::DeflateEncoder;

use super::*;
use crate::formats::avro::Avro;
use crate::formats::avro::language::Input;
use crate::formats::avro::link::link;
use crate::formats::avro::{Gathered, Linkage, canonical, container_schema, schema_json};
use crate::formats::check::CheckOptions;
use crate::formats::frame;

const SYNC: [u8; 16] = *b"0123456789abcdef";

fn long(value: i64) -> Vec<u8> {
    let mut out = Vec::new();
    codec::put_long(value, &mut out);
    out
}

fn delimited(bytes: &[u8]) -> Vec<u8> {
    [long(bytes.len() as i64), bytes.to_vec()].concat()
}

/// Everything up to the first block.
fn header(entries: &[(&str, &[u8])]) -> Vec<u8> {
    let entries: Vec<u8> =
        entries.iter().flat_map(|(key, value)| [delimited(key.as_bytes()), delimited(value)].concat()).collect();
    let count = if entries.is_empty() { Vec::new() } else { long(2) };
    [MAGIC.to_vec(), count, entries, long(0), SYNC.to_vec()].concat()
}

fn block(count: i64, data: &[u8]) -> Vec<u8> {
    [long(count), delimited(data), SYNC.to_vec()].concat()
}

fn deflated(data: &[u8]) -> Vec<u8> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(data).expect("memory takes everything");
    encoder.finish().expect("memory takes everything")
}

const RECORD: &str = r#"{"type": "record", "name": "R",
  "fields": [{"name": "id", "type": "int"}, {"name": "text", "type": "string"}]}"#;

fn record(id: i64, text: &str) -> Vec<u8> {
    [long(id), delimited(text.as_bytes())].concat()
}

fn file(schema: &str, codec: &str, blocks: &[Vec<u8>]) -> Vec<u8> {
    let header = header(&[("avro.codec", codec.as_bytes()), ("avro.schema", schema.as_bytes())]);
    [header, blocks.concat()].concat()
}

/// Gives the linked schema of a text to a test.
fn linked<T>(text: &str, test: impl FnOnce(&Schema<'_>, TypeId) -> T) -> T {
    let path: Arc<str> = Arc::from("s.avsc");
    let (json, _) = json::parse(&path, text.as_bytes());
    let (document, _) = schema_json::schema(&path, json.expect("the text is JSON"));
    let gathered = Gathered::of(vec![Input::new(path, &document)]);
    let Linkage { schema, problems, .. } = link(&gathered);
    assert_eq!(problems, []);
    test(&schema, schema.roots[0].schema.ty)
}

/// The numbers of the records of a file.
fn ids(bytes: &[u8]) -> Vec<i128> {
    let id = |value: &Value| match value {
        Value::Record(record) => match record.fields[&0] {
            Value::Int(id) => id,
            _ => panic!("the first field is a number"),
        },
        _ => panic!("a record"),
    };
    linked(RECORD, |schema, ty| samples(bytes, schema, ty).iter().map(id).collect())
}

fn message(bytes: &[u8]) -> String {
    open(bytes).expect_err("it is damaged").message
}

fn open_container(bytes: &[u8]) -> Container<'_> {
    match open(bytes) {
        Ok(DataFile::Container(container)) => container,
        other => panic!("not a container: {other:?}"),
    }
}

#[test]
fn the_schema_of_a_container_has_its_places_in_the_file() {
    let bytes = file(RECORD, "null", &[]);
    let path: Arc<str> = Arc::from("d.avro");
    let container = open_container(&bytes);
    let (json, problems) = container.schema(&path);
    let json = json.expect("it is JSON");
    assert_eq!(problems, []);
    let slice = |span: Span| std::str::from_utf8(&bytes[span.range()]).expect("it is text");
    assert_eq!(slice(json.span), RECORD);
    assert_eq!(slice(json.get("name").expect("there is one").span), "\"R\"");
    let JsonKind::Object(members) = &json.kind else { panic!("an object") };
    assert_eq!(slice(members[2].key_span), "\"fields\"");
    let JsonKind::List(fields) = &members[2].value.kind else { panic!("a list") };
    assert_eq!(slice(fields[1].get("type").expect("there is one").span), "\"string\"");
    assert_eq!(text_part(&bytes).map(slice), Some(RECORD));
    assert_eq!(text_part(b"{}"), None);
}

#[test]
fn a_schema_that_is_no_json_is_reported_at_its_place() {
    let bytes = file("{\"type\": }", "null", &[]);
    let (json, problems) = open_container(&bytes).schema(&Arc::from("d.avro"));
    assert!(json.is_none());
    let span = problems[0].site.as_ref().expect("it has a place").span;
    assert_eq!(&bytes[span.range()], b"}");
}

#[test]
fn records_are_read_from_plain_and_from_deflated_blocks() {
    let one = [record(1, "a"), record(2, "b")].concat();
    let two = record(3, "c");
    let plain = file(RECORD, "null", &[block(2, &one), block(0, b""), block(1, &two)]);
    assert_eq!(ids(&plain), [1, 2, 3]);
    let packed = file(RECORD, "deflate", &[block(2, &deflated(&one)), block(1, &deflated(&two))]);
    assert_eq!(ids(&packed), [1, 2, 3]);
    let without_codec = [header(&[("avro.schema", RECORD.as_bytes()), ("x", b"y")]), block(1, &two)].concat();
    assert_eq!(ids(&without_codec), [3]);
}

#[test]
fn records_are_read_up_to_the_limits() {
    let many: Vec<u8> = (0..2000).flat_map(|id| record(id, "")).collect();
    assert_eq!(ids(&file(RECORD, "null", &[block(2000, &many)])).len(), MOST_SAMPLES);
    let large = "x".repeat(300_000);
    let blocks: Vec<Vec<u8>> = (0..9).map(|id| block(1, &deflated(&record(id, &large)))).collect();
    assert_eq!(ids(&file(RECORD, "deflate", &blocks)), [0, 1, 2]);
    let bomb = deflated(&vec![0; 64 << 20]);
    assert_eq!(ids(&file(RECORD, "deflate", &[block(i64::MAX, &bomb)])).len(), MOST_SAMPLES);
    let nothing = file("\"null\"", "null", &[block(i64::MAX, b"")]);
    assert_eq!(linked("\"null\"", |schema, ty| samples(&nothing, schema, ty)).len(), MOST_SAMPLES);
}

#[test]
fn records_end_where_something_is_wrong() {
    let good = block(1, &record(1, "a"));
    let mut other_marker = block(1, &record(2, "b"));
    *other_marker.last_mut().expect("it is not empty") ^= 1;
    let cases = [
        ("does not end with the marker", other_marker),
        ("the file ends before the 16 bytes", [long(1), delimited(&record(2, "b")), b"0123".to_vec()].concat()),
        ("a block claims 2147483647 bytes", [long(1), long(i64::from(i32::MAX)), record(2, "b")].concat()),
        ("a block has the length -1", [long(1), long(-1)].concat()),
        ("the number of records in a block has the length -3", long(-3)),
        ("the file ends in a block", long(1)),
        ("more than 64 bits", vec![0xff; 11]),
    ];
    for (expected, damaged) in cases {
        let bytes = file(RECORD, "null", &[good.clone(), damaged]);
        let problem = open_container(&bytes).first_fault(&Arc::from("d.avro")).expect("it is damaged");
        assert!(problem.message.contains(expected), "{}", problem.message);
        assert_eq!(ids(&bytes), [1], "{expected}");
    }
    let not_deflated = file(RECORD, "deflate", &[block(1, &deflated(&record(1, "a"))), block(1, b"\xff\xff\xff")]);
    assert_eq!(ids(&not_deflated), [1]);
    let short = file(RECORD, "null", &[block(3, &record(1, "a"))]);
    assert_eq!(ids(&short), [1]);
}

#[test]
fn records_that_the_schema_did_not_write_are_found() {
    let found = |bytes: &[u8]| {
        let path: Arc<str> = Arc::from("d.avro");
        linked(RECORD, |schema, ty| bad_record(&path, bytes, schema, ty)).map(|problem| problem.message)
    };
    let (one, two) = (record(1, "a"), record(2, "b"));
    let cases = [
        (None, vec![block(1, &one), block(0, b""), block(1, &two)]),
        (Some("record 2 of 3 records in block 1 cannot be read: "), vec![block(3, &one)]),
        (Some("record 1 of 1 record in block 2 cannot be read: "), vec![block(1, &one), block(1, &two[..1])]),
        (Some("block 1 goes on for 1 byte behind"), vec![block(1, &[&one[..], b"x"].concat())]),
        (None, vec![block(1, &record(1, &"x".repeat(MOST_BYTES))), block(1, b"")]),
    ];
    for (expected, blocks) in cases {
        let message = found(&file(RECORD, "null", &blocks));
        assert_eq!(message.is_some(), expected.is_some(), "{message:?}");
        assert!(
            expected.is_none_or(|start| message.as_ref().is_some_and(|told| told.starts_with(start))),
            "{message:?}"
        );
    }
    assert_eq!(found(&file(RECORD, "deflate", &[block(1, &deflated(&one))])), None);
    assert!(found(&file(RECORD, "deflate", &[block(2, &deflated(&one))])).is_some());
    assert!(found(&file(RECORD, "deflate", &[block(1, b"\xff\xff\xff")])).is_some());
    let single = |payload: &[u8]| [&SINGLE_OBJECT[..], &[0; 8], payload].concat();
    assert_eq!(found(&single(&one)), None);
    assert!(found(&single(&one[..1])).is_some());
    assert!(found(&single(&[one, two].concat())).is_some());
}

#[test]
fn damaged_headers_are_refused() {
    let entry = |value: Vec<u8>| [MAGIC.to_vec(), long(1), delimited(b"avro.schema"), value].concat();
    let two_gigabytes = long(i64::from(i32::MAX));
    let cases = [
        ("no Avro data", b"".to_vec()),
        ("no Avro data", b"PAR1".to_vec()),
        ("no Avro data", b"{\"type\": \"int\"}".to_vec()),
        ("version 2", b"Obj\x02".to_vec()),
        ("the file ends in the number of entries", MAGIC.to_vec()),
        ("announces 1073741823 entries", [MAGIC.to_vec(), long(1_073_741_823), vec![0; 100]].concat()),
        ("announces 9223372036854775808 entries", [MAGIC.to_vec(), long(i64::MIN), long(0)].concat()),
        ("the size of the header has the length -1", [MAGIC.to_vec(), long(-1), long(-1)].concat()),
        ("a value of the header claims 2147483647 bytes, and 0 are left", entry(two_gigabytes)),
        ("a value of the header has the length -5", entry(long(-5))),
        ("a key of the header claims 60 bytes", [MAGIC.to_vec(), long(1), long(60), b"avro".to_vec()].concat()),
        ("has no schema", header(&[])),
        ("has no schema", header(&[("avro.codec", b"null"), ("x", b"")])),
        ("the file ends before the 16 bytes", [entry(delimited(b"\"int\"")), long(0), b"0123".to_vec()].concat()),
        ("fingerprint, and the file ends", b"\xc3\x01\x01\x02".to_vec()),
    ];
    for (expected, bytes) in cases {
        assert!(message(&bytes).contains(expected), "{expected}: {}", message(&bytes));
    }
}

#[test]
fn a_header_may_come_in_sized_blocks() {
    let entry = [delimited(b"avro.schema"), delimited(b"\"int\"")].concat();
    let bytes = [MAGIC.to_vec(), long(-1), long(entry.len() as i64), entry, long(0), SYNC.to_vec()].concat();
    let container = open_container(&bytes);
    assert_eq!(text_part(&bytes).map(|span| &bytes[span.range()]), Some(&b"\"int\""[..]));
    assert_eq!(container.codec, "null");
}

#[test]
fn any_truncated_or_flipped_file_is_survived() {
    let bytes = file(RECORD, "deflate", &[block(1, &deflated(&record(1, "a"))), block(1, &deflated(&record(2, "b")))]);
    linked(RECORD, |schema, ty| {
        for at in 0..bytes.len() {
            samples(&bytes[..at], schema, ty);
            container_schema::read(&Arc::from("d.avro"), &bytes[..at]);
            for bit in [0x01, 0x80, 0xff] {
                let mut flipped = bytes.clone();
                flipped[at] ^= bit;
                samples(&flipped, schema, ty);
                container_schema::read(&Arc::from("d.avro"), &flipped);
            }
        }
    });
}

#[test]
fn other_codecs_are_named() {
    let bytes = file(RECORD, "snappy", &[block(1, b"???")]);
    let said = container_schema::read(&Arc::from("d.avro"), &bytes);
    assert!(said.tree.main.is_some());
    assert_eq!(said.problems, []);
    assert!(said.not_checked.expect("the records").what.contains("`snappy`"));
    assert!(ids(&bytes).is_empty());
}

fn single_object(schema: &str, payload: &[u8]) -> Vec<u8> {
    let fingerprint = linked(schema, canonical::fingerprint).expect("all is defined");
    [SINGLE_OBJECT.to_vec(), fingerprint.to_le_bytes().to_vec(), payload.to_vec()].concat()
}

#[test]
fn a_single_object_has_a_fingerprint_and_a_value() {
    let bytes = single_object("\"int\"", &long(7));
    assert_eq!(bytes[..10], [0xc3, 0x01, 0x8f, 0x5c, 0x39, 0x3f, 0x1a, 0xd5, 0x75, 0x72]);
    assert_eq!(linked("\"int\"", |schema, ty| samples(&bytes, schema, ty)), [Value::Int(7)]);
    assert_eq!(text_part(&bytes), Some(Span::default()));
}

/// What is wrong with the old side, when data is compared with a schema.
fn problems_of(data: &[u8], other: &str, library: &[(&str, &str)]) -> Vec<String> {
    let snapshot = |name: &str, bytes: &[u8]| crate::snapshot::Snapshot::from_files([(name, bytes.to_vec())]);
    let library = library.iter().map(|(path, text)| crate::formats::check::LibraryFile {
        import_path: (*path).to_owned(),
        bytes: Arc::from(text.as_bytes()),
    });
    let options = CheckOptions { library: library.collect(), ..CheckOptions::default() };
    let (old, new) = (snapshot("d.avro", data), snapshot("s.avsc", other.as_bytes()));
    let checked = frame::check::<Avro>(crate::change::Pair::new(&old, &new), &options);
    let mirrored = frame::check::<Avro>(crate::change::Pair::new(&new, &old), &options);
    let messages = |problems: &[Problem]| problems.iter().map(|problem| problem.message.clone()).collect::<Vec<_>>();
    assert_eq!(messages(&checked.problems.old), messages(&mirrored.problems.new));
    assert_eq!(checked.files, crate::change::Pair::new(1, 1));
    messages(&checked.problems.old)
}

#[test]
fn the_schema_of_a_single_object_is_found_by_its_fingerprint() {
    let data = single_object(RECORD, &record(1, "a"));
    let without_spaces = RECORD.replace([' ', '\n'], "");
    let inside =
        format!("{{\"type\": \"record\", \"name\": \"Outer\", \"fields\": [{{\"name\": \"r\", \"type\": {RECORD}}}]}}");
    for text in [&*without_spaces, &inside] {
        assert!(problems_of(&data, text, &[]).is_empty(), "{text}");
        assert!(problems_of(&data, "\"int\"", &[("a.avsc", "[\"oops\"]"), ("b.avsc", text)]).is_empty(), "{text}");
    }
    let idl = "protocol P { record R { int id; string text; } }";
    assert!(problems_of(&data, "\"int\"", &[("p.avdl", idl)]).is_empty());
    let list = single_object("{\"type\": \"array\", \"items\": \"int\"}", &long(0));
    assert!(problems_of(&list, "{\"type\": \"array\", \"items\": \"int\"}", &[]).is_empty());
}

#[test]
fn a_schema_in_several_files_is_found_too() {
    let whole =
        format!("{{\"type\": \"record\", \"name\": \"Outer\", \"fields\": [{{\"name\": \"r\", \"type\": {RECORD}}}]}}");
    let data = single_object(&whole, &record(1, "a"));
    let outer = "{\"type\": \"record\", \"name\": \"Outer\", \"fields\": [{\"name\": \"r\", \"type\": \"R\"}]}";
    assert!(problems_of(&data, "\"int\"", &[("outer.avsc", outer), ("r.avsc", RECORD)]).is_empty());
}

#[test]
fn a_single_object_without_its_schema_is_an_error_that_names_the_fingerprint() {
    let problems = problems_of(&single_object("\"int\"", &long(7)), "\"long\"", &[("a.avsc", "\"string\"")]);
    assert_eq!(problems.len(), 1, "{problems:?}");
    assert!(problems[0].contains("7275d51a3f395c8f"), "{problems:?}");
}

#[test]
fn the_records_of_a_container_are_written_and_read() {
    let outer =
        format!("{{\"type\": \"record\", \"name\": \"Outer\", \"fields\": [{{\"name\": \"r\", \"type\": {RECORD}}}]}}");
    let other = outer.replace("\"int\"", "\"long\"");
    let messages = |records: &[Vec<u8>]| {
        let data = file(&outer, "deflate", &[block(records.len() as i64, &deflated(&records.concat()))]);
        let old = crate::snapshot::Snapshot::from_files([("d.avro", data)]);
        let new = crate::snapshot::Snapshot::from_files([("s.avsc", other.as_bytes())]);
        let checked = frame::check::<Avro>(crate::change::Pair::new(&old, &new), &CheckOptions::default());
        assert_eq!(checked.problems, crate::change::Pair::default());
        checked.observed.messages
    };
    // Each in the binary and in the JSON encoding.
    assert_eq!(messages(&[record(1, "a"), record(2, "b"), record(3, "c")]), messages(&[]) + 6);
}
