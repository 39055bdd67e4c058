//! Broken, hostile and absent input in Thrift, through the program: a message at its exact place, never a panic and
//! never a pass.

use crate::bad_input::{compare, write};
use crate::git::{Place, Ran};

/// A file with a little of everything.
const EVERYTHING: &str = include_str!("../../src/formats/thrift/parse_tests.thrift");

const GOOD: &str = "struct Good { 1: string s }\n";

/// What is said of the new side, each problem as `file:line:column severity message`.
fn told(ran: &Ran) -> Vec<String> {
    let report: serde_json::Value = serde_json::from_str(&ran.out).expect("a report");
    let problems = report["problems"].as_array().expect("problems").iter();
    let text = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
    let tell = |problem: &serde_json::Value| {
        let (file, line, column) = (text(&problem["file"]), &problem["line"], &problem["column"]);
        format!("{file}:{line}:{column} {} {}", text(&problem["severity"]), text(&problem["message"]))
    };
    problems.map(tell).collect()
}

/// Files of the new side, and the one problem each has.
const REFUSED: &[(&str, &[u8], &str)] = &[
    ("unclosed.thrift", b"struct A {\n  1: i32 a\n", "1:8 error struct `A` is never closed"),
    ("id.thrift", b"struct A {\n  1: i32 a\n  1: i32 b\n}", "3:3 error id 1 of field `b` is that of `a` already"),
    ("name.thrift", b"struct A {\n  1: i32 a\n  2: i32 a\n}", "3:10 error `a` is the name of field 1 already"),
    ("type.thrift", b"struct A { 1: Nothing a }", "1:15 error `Nothing` is not defined"),
    ("enum.thrift", b"enum A { B = 4294967296 }", "1:14 error enum value `B` has the number 4294967296"),
    ("ring.thrift", b"typedef A B\ntypedef B A", "1:11 error typedef `B` stands for itself"),
    ("text.thrift", b"const string A = 'x\n", "1:18 error this string is never closed"),
    ("comment.thrift", b"/* x\nstruct A {}\n", "1:1 error this comment is never closed"),
    ("binary.thrift", b"\x00\x01struct", "1:1 error control character 0x00 cannot stand here"),
    ("bytes.thrift", b"struct \xe9 {}", "1:8 error this is not valid UTF-8"),
];

#[test]
fn each_broken_file_is_refused_at_its_place_and_the_others_are_read() {
    let place = Place::new();
    for side in ["old", "new"] {
        place.write(format!("{side}/good.thrift"), GOOD);
    }
    for (name, bytes, _) in REFUSED {
        write(&place, &format!("new/{name}"), bytes);
    }
    let ran = compare(&place, &["--format", "json"]);
    assert_eq!(ran.code, 3, "{}", ran.err);
    let told = told(&ran);
    for (name, _, expected) in REFUSED {
        let start = format!("{name}:{expected}");
        assert!(told.iter().any(|line| line.starts_with(&start)), "{start}: {told:#?}");
    }
    assert!(!told.iter().any(|line| line.starts_with("good.thrift")), "{told:#?}");
}

#[test]
fn an_include_that_cannot_be_found_leaves_the_rest_judged() {
    let place = Place::new();
    let text = |ty: &str| format!("include 'x/shared.thrift'\nstruct A {{ 1: shared.T t; 2: {ty} n }}");
    place.write("old/a.thrift", &text("i32")).write("new/a.thrift", &text("string"));
    let ran = compare(&place, &["--format", "json"]);
    assert_eq!(ran.code, 1, "{}", ran.err);
    assert!(told(&ran)[0].contains("warning include `x/shared.thrift` was not found"), "{:?}", told(&ran));
    assert!(ran.out.contains("types of x/shared.thrift"), "{}", ran.out);
}

#[test]
fn latin_bytes_in_comments_are_no_problem() {
    let place = Place::new();
    for side in ["old", "new"] {
        write(&place, &format!("{side}/a.thrift"), b"# caf\xe9\nstruct A { 1: i32 a } // \xfc");
    }
    let ran = compare(&place, &["--format", "json"]);
    assert_eq!((ran.code, told(&ran)), (0, Vec::new()), "{}", ran.err);
}

#[test]
fn half_of_a_file_is_never_taken_for_a_removal() {
    let place = Place::new();
    place.write("old/a.thrift", EVERYTHING);
    write(&place, "new/a.thrift", &EVERYTHING.as_bytes()[..EVERYTHING.len() / 2]);
    let ran = compare(&place, &["--format", "json"]);
    assert_eq!(ran.code, 3, "{}", ran.err);
    assert!(!ran.out.contains("removed"), "{}", ran.out);
}
