//! What is printed from a set that no compiler would write; the sets of compilers are compared with their sources in
//! `tests/it/images.rs`.

use super::*;

fn varint(mut value: u64, out: &mut Vec<u8>) {
    while value >= 0x80 {
        out.push((value as u8) | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// A length-prefixed field.
fn field(number: u64, content: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    varint(number << 3 | 2, &mut out);
    varint(content.len() as u64, &mut out);
    out.extend(content);
    out
}

#[test]
fn bytes_that_are_no_set_are_told_in_words() {
    for (bytes, words) in [
        (&b""[..], "holds no schema"),
        (&b"\x0a\x05ab"[..], "points beyond the end"),
        (&b"\x0a\x02\x08"[..], "not a set of schemas"),
        (&b"not a set"[..], "not a set of schemas"),
        (&b"\x00\x00\x00"[..], "field number 0"),
    ] {
        let reason = read(Form::Binary, bytes).expect_err("must be refused");
        assert!(reason.contains(words), "{bytes:?}: {reason}");
    }
    assert!(read(Form::Json, b"{").expect_err("no JSON").contains("not JSON"));
    assert!(read(Form::Json, b"{\"files\": []}").expect_err("no set").contains("no list `file`"));
    assert!(read(Form::Json, b"{\"file\": []}").expect_err("empty").contains("holds no schema"));
}

#[test]
fn every_end_of_a_set_is_survived() {
    let message = field(4, &[field(1, b"M"), field(2, &field(1, b"x"))].concat());
    let set = field(1, &[field(1, b"a.proto"), message].concat());
    assert!(read(Form::Binary, &set).is_ok());
    for end in 0..set.len() {
        let _ = read(Form::Binary, &set[..end]);
    }
}

#[test]
fn a_line_far_away_does_not_fill_the_memory() {
    let mut span = Vec::new();
    varint(4_000_000_000, &mut span);
    varint(4_000_000_000, &mut span);
    varint(4_000_000_001, &mut span);
    let location = field(1, &[field(1, &[4, 0]), field(2, &span)].concat());
    let set = field(1, &[field(1, b"a.proto"), field(4, &field(1, b"M")), field(9, &location)].concat());
    let decoded = read(Form::Binary, &set);
    assert!(decoded.is_err() || decoded.is_ok_and(|decoded| decoded.files[0].text.len() < 10_000_000));
}

#[test]
fn what_buf_calls_an_import_only_supplies_types() {
    let marked = field(BUF_EXTENSION as u64, &[0x08, 0x01]);
    let set = [field(1, &[field(1, b"a.proto"), marked].concat()), field(1, &field(1, b"b.proto"))].concat();
    let imports: Vec<bool> = read(Form::Binary, &set).expect("a set").files.iter().map(|file| file.is_import).collect();
    assert_eq!(imports, [true, false]);
    let json = br#"{"file": [{"name": "a.proto", "bufExtension": {"isImport": true}}, {"name": "b.proto"}]}"#;
    let imports: Vec<bool> = read(Form::Json, json).expect("a set").files.iter().map(|file| file.is_import).collect();
    assert_eq!(imports, [true, false]);
}

#[test]
fn json_is_read_like_bytes() {
    let json = br#"{"file": [{"name": "a.proto", "package": "a.v1", "syntax": "proto3", "messageType": [{"name": "M", "field": [
        {"name": "x_y", "number": 1, "label": "LABEL_OPTIONAL", "type": "TYPE_INT32", "jsonName": "xY"},
        {"name": "z", "number": 2, "label": "LABEL_REPEATED", "type": "TYPE_MESSAGE", "typeName": ".a.v1.M", "jsonName": "zed",
         "options": {"deprecated": true}}],
        "reservedRange": [{"start": 4, "end": 8}], "reservedName": ["old"]}]}]}"#;
    let decoded = read(Form::Json, json).expect("a set");
    let expected = "syntax = \"proto3\";\npackage a.v1;\nmessage M {\n  int32 x_y = 1;\n  \
        repeated M z = 2 [json_name = \"zed\", deprecated = true];\n  reserved 4 to 7;\n  reserved \"old\";\n}\n";
    assert_eq!(decoded.files[0].text, expected);
    assert_eq!((decoded.files[0].has_places, decoded.left_out), (false, Vec::new()));
}

#[test]
fn what_is_no_name_is_not_printed_as_one() {
    let evil = "p; message M { int32 a = 1; } //";
    let of = |file: &str| format!("{{\"file\": [{{\"name\": \"a.proto\", \"syntax\": \"proto3\", {file}}}]}}");
    let message = |inside: &str| of(&format!("\"messageType\": [{{\"name\": \"M\", {inside}}}]"));
    let number = "\"number\": 1, \"label\": \"LABEL_OPTIONAL\", \"type\"";
    for set in [
        of(&format!("\"package\": \"{evil}\"")),
        of(&format!("\"messageType\": [{{\"name\": \"{evil}\"}}]")),
        of(&format!("\"enumType\": [{{\"name\": \"E\", \"value\": [{{\"name\": \"{evil}\", \"number\": 0}}]}}]")),
        of(&format!(
            "\"service\": [{{\"name\": \"S\", \"method\": [{{\"name\": \"F\", \"inputType\": \"{evil}\"}}]}}]"
        )),
        message(&format!("\"field\": [{{\"name\": \"{evil}\", {number}: \"TYPE_INT32\"}}]")),
        message(&format!("\"field\": [{{\"name\": \"x\", {number}: \"TYPE_MESSAGE\", \"typeName\": \"{evil}\"}}]")),
        message(&format!(
            "\"field\": [{{\"name\": \"x\", {number}: \"TYPE_INT32\", \"defaultValue\": \"1]; {evil}\"}}]"
        )),
        message(&format!("\"oneofDecl\": [{{\"name\": \"{evil}\"}}]")),
        message(&format!("\"reservedName\": [\"{evil}\"]")).replace("proto3", "editions"),
    ] {
        let reason = read(Form::Json, set.as_bytes()).expect_err(&set);
        assert!(reason.contains("is no name"), "{reason}");
    }
    let text =
        message(&format!("\"field\": [{{\"name\": \"x\", {number}: \"TYPE_STRING\", \"defaultValue\": \"{evil}\"}}]"));
    assert!(read(Form::Json, text.replace("proto3", "proto2").as_bytes()).is_ok());
}

#[test]
fn an_option_that_nothing_defines_is_told() {
    let mut options = Vec::new();
    varint(50_001 << 3, &mut options);
    options.push(1);
    let message = field(4, &[field(1, b"M"), field(7, &options)].concat());
    let decoded = read(Form::Binary, &field(1, &[field(1, b"a.proto"), message].concat())).expect("a set");
    assert_eq!(decoded.left_out, ["the option with the number 50001 of google.protobuf.MessageOptions"]);
}
