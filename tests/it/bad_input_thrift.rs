//! Broken, hostile and absent input in Thrift, through the program: a message at its exact place, never a panic and
//! never a pass.

use crate::bad_input::{compare, write};
use crate::bad_input_avro::errors;
use crate::git::Place;

/// A file with a little of everything.
const EVERYTHING: &str = r#"include "good.thrift"
namespace java shop
typedef i64 OrderId
const map<string, list<double>> RATES = {"a": [1.5e3, -2], 'b': []}
enum State { NEW = 1, PAID = 0x10; SENT } (final = "true")
/** Doc. */
struct Order {
  // reserved: 9
  1: required OrderId id
  2: optional State state = State.NEW,
  3: map<i32, set<string>> tags (go.tag = "x");
  4: good.Good good
}
union Pay { 1: string card; 2: binary cash } # a comment
exception Gone { 1: string why }
service Store extends good.Base {
  Order find(1: OrderId id, 2: bool deep = true) throws (1: Gone gone)
  oneway void ping()
}
"#;

const GOOD: &str = "struct Good {\n  1: string s\n}\nservice Base {\n}\n";

/// The files of one table in one run: each must be refused at its place, in these words.
#[track_caller]
fn assert_each_refused(cases: &[(&str, impl AsRef<[u8]>, &str)]) {
    let place = Place::new();
    place.write("old/good.thrift", GOOD).write("new/good.thrift", GOOD);
    for (name, bytes, _) in cases {
        write(&place, &format!("new/{name}.thrift"), bytes.as_ref());
    }
    let ran = compare(&place, &["--format", "json"]);
    assert_eq!(ran.code, 3, "{}", ran.err);
    let errors = errors(&ran);
    let none = Vec::new();
    let told = |name: &str| errors.get(&format!("{name}.thrift")).unwrap_or(&none);
    let missed: Vec<String> = cases
        .iter()
        .filter(|(name, _, said)| !told(name).iter().any(|error| error.starts_with(said)))
        .map(|(name, _, said)| format!("{name}: expected `{said}`, told {:#?}", told(name)))
        .collect();
    assert!(missed.is_empty(), "{}", missed.join("\n"));
    assert!(!errors.contains_key("good.thrift"), "{errors:#?}");
}

#[test]
fn what_is_no_thrift_is_refused_at_its_place() {
    let cases: Vec<(&str, &[u8], &str)> = vec![
        ("bytes", b"\xff\xfe\0s\0", "1:1 the file is no text: this is not valid UTF-8"),
        ("name", b"struct T {\n  1: string \xe9\n}\n", "2:13 this is not valid UTF-8"),
        ("zeros", b"\0\0\0\0", "1:1 the file is no text: control character 0x00"),
        ("word", b"hello\n", "1:1 expected a definition, found `hello`"),
        ("json", b"{\"type\": \"record\"}\n", "1:1 expected a definition, found `{`"),
        ("proto", b"syntax = \"proto3\";\n", "1:1 expected a definition, found `syntax`"),
        ("string", b"const string S = \"abc\n", "1:18 this string is never closed"),
        ("comment", b"struct T {\n}\n/* abc\n", "3:1 this comment is never closed"),
        ("brace", b"struct T {\n  1: i32 a\nstruct U {\n}\n", "1:8 struct `T` is never closed: another definition"),
        ("colon", b"struct T {\n  1 i32 a\n}\n", "2:5 expected `:` after the id of a field"),
        ("nameless", b"struct T {\n  1: optional i32\n}\n", "3:1 expected the name of a field, found `}`"),
    ];
    assert_each_refused(&cases);
}

#[test]
fn ids_and_names_that_stand_twice_are_refused_at_the_second_place() {
    let cases = [
        ("id", "struct T {\n  1: i32 a\n  1: i32 b\n}\n", "3:3 id 1 of field `b` is that of `a` already"),
        ("field", "struct T {\n  1: i32 a\n  2: i32 a\n}\n", "3:10 `a` is the name of field 1 already"),
        ("argument", "service S {\n  i32 a(1: i32 b, 1: i32 c)\n}\n", "2:19 id 1 of field `c`"),
        ("type", "struct T {\n}\nenum T {\n}\n", "3:6 `T` is defined in this file already"),
        ("value", "enum E {\n  A = 1\n  A = 2\n}\n", "3:3 enum `E` has a value `A` already"),
        ("function", "service S {\n  void a()\n  i32 a()\n}\n", "3:7 service `S` has a function `a` already"),
    ];
    assert_each_refused(&cases);
}

#[test]
fn names_that_nobody_defines_are_refused_at_their_place() {
    let cases = [
        ("field", "struct T {\n  1: list<Absent> a\n}\n", "2:11 `Absent` is not defined"),
        ("program", "struct T {\n  1: other.Absent a\n}\n", "2:6 `other.Absent` is not defined"),
        (
            "included",
            "include \"good.thrift\"\nstruct T {\n  1: good.Absent a\n}\n",
            "3:6 `good.Absent` is not defined",
        ),
        ("base", "service S extends Absent {\n}\n", "1:19 `Absent` is not defined"),
        ("returned", "service S {\n  Absent a()\n}\n", "2:3 `Absent` is not defined"),
        ("thrown", "service S {\n  void a() throws (1: Gone g)\n}\n", "2:23 `Gone` is not defined"),
        ("struct", "struct A {\n}\nservice S {\n  void a() throws (1: A a)\n}\n", "4:23 `A` cannot be thrown"),
        ("void", "struct T {\n  1: void a\n}\n", "2:6 `void` is not a type of values"),
        ("typedefs", "typedef A B\ntypedef B A\n", "1:11 typedef `B` stands for itself"),
        ("ring", "service A extends B {\n}\nservice B extends A {\n}\n", "1:19 service `ring.A` extends itself"),
    ];
    assert_each_refused(&cases);
}

#[test]
fn numbers_out_of_range_are_refused_at_their_place() {
    let cases = [
        ("above", "enum E {\n  A = 2147483648\n}\n", "2:7 enum value `A` has the number 2147483648"),
        ("below", "enum E {\n  A = -2147483649\n}\n", "2:7 enum value `A` has the number -2147483649"),
        ("next", "enum E {\n  A = 2147483647\n  B\n}\n", "3:3 enum `E` has no number left for `B`"),
        ("huge", "enum E {\n  A = 99999999999999999999\n}\n", "2:7 this number does not fit into 64 bits"),
        ("id", "struct T {\n  32768: i32 a\n}\n", "2:3 id 32768 of field `a` does not fit into 16 bits"),
    ];
    assert_each_refused(&cases);
}

#[test]
fn a_file_cut_off_anywhere_is_refused_with_a_place_or_whole() {
    let place = Place::new();
    for side in ["old", "new"] {
        place.write(format!("{side}/good.thrift"), GOOD).write(format!("{side}/whole.thrift"), EVERYTHING);
    }
    for end in 0..EVERYTHING.len() {
        place.write(format!("new/cut-{end:04}.thrift"), &EVERYTHING[..end]);
    }
    let errors = errors(&compare(&place, &["--format", "json"]));
    // Where braces are open, or quotes, no end of the file is an end of a definition.
    let is_open = |text: &str| {
        let code = text.replace("// reserved: 9\n", "").replace("# a comment\n", "");
        let count = |mark: char| code.matches(mark).count();
        count('{') > count('}') || count('(') > count(')') || count('"') % 2 == 1
    };
    let open: Vec<usize> = (0..EVERYTHING.len()).filter(|end| is_open(&EVERYTHING[..*end])).collect();
    let accepted: Vec<&usize> =
        open.iter().filter(|end| !errors.contains_key(&format!("cut-{end:04}.thrift"))).collect();
    assert!(open.len() > EVERYTHING.len() / 2 && accepted.is_empty(), "cut off and still accepted: {accepted:?}");
    assert!(errors.values().flatten().all(|error| !error.starts_with("null")), "each has a place: {errors:#?}");
    assert!(!errors.contains_key("whole.thrift"), "{errors:#?}");
}

#[test]
fn damaged_bytes_are_refused_or_read_and_never_a_panic() {
    let place = Place::new();
    place.write("old/good.thrift", GOOD).write("new/good.thrift", GOOD);
    let mut outside = Vec::new();
    for at in 0..EVERYTHING.len() {
        for byte in [0x00, 0xff] {
            let mut damaged = EVERYTHING.as_bytes().to_vec();
            damaged[at] = byte;
            let name = format!("{byte:02x}-{at:04}.thrift");
            write(&place, &format!("new/{name}"), &damaged);
            if EVERYTHING[at..].starts_with("struct Order") {
                outside.push(name);
            }
        }
    }
    let errors = errors(&compare(&place, &["--format", "json"]));
    assert!(outside.len() == 2 && outside.iter().all(|name| errors.contains_key(name)), "{outside:?}");
    assert!(!errors.contains_key("good.thrift"), "{errors:#?}");
}

#[test]
fn what_is_nested_without_end_is_refused() {
    let nested =
        |open: &str, inside: &str, close: &str| format!("{}{inside}{}", open.repeat(100_000), close.repeat(100_000));
    let deep = "this nests deeper than 128 levels";
    let lists = format!("struct T {{\n  1: {} a\n}}\n", nested("list<", "i32", ">"));
    let typedefs: String = (0..2_000).map(|at| format!("typedef list<T{at}> T{}\n", at + 1)).collect();
    let cases = [
        ("lists", lists, format!("2:646 {deep}")),
        ("open", format!("struct T {{\n  1: {}", nested("list<", "", "")), format!("2:646 {deep}")),
        ("values", format!("const list<i32> A = {}\n", nested("[", "", "]")), format!("1:149 {deep}")),
        ("maps", format!("const map<i32, i32> A = {}\n", nested("{1:", "", "")), format!("1:407 {deep}")),
        ("braces", format!("struct T {}\n", nested("{", "", "}")), "1:11 expected the type of a field".to_owned()),
        (
            "annotations",
            format!("struct T {{\n  1: i32 a {}\n", nested("(", "", ")")),
            "2:13 expected the name of an annotation".to_owned(),
        ),
        (
            "typedefs",
            format!("typedef i32 T0\n{typedefs}"),
            "129:9 with all typedefs looked through this type is too large".to_owned(),
        ),
    ];
    let cases: Vec<(&str, &str, &str)> =
        cases.iter().map(|(name, text, said)| (*name, text.as_str(), said.as_str())).collect();
    assert_each_refused(&cases);
}

#[test]
fn long_chains_of_definitions_come_to_an_end() {
    let chain = |first: &str, link: fn(usize) -> String| {
        let links: String = (0..1_000).map(link).collect();
        format!("{first}\n{links}")
    };
    let chains = [
        chain("typedef i32 N0", |at| format!("typedef N{at} N{}\n", at + 1)),
        chain("const i32 N0 = 1", |at| format!("const i32 N{} = N{at}\n", at + 1)),
        chain("service N0 {\n}", |at| format!("service N{} extends N{at} {{\n}}\n", at + 1)),
        chain("struct N0 {\n}", |at| format!("struct N{} {{\n  1: N{at} inner\n}}\n", at + 1)),
    ];
    for text in chains {
        let place = Place::new();
        place.write("old/m.thrift", &text).write("new/m.thrift", &text.replace("\nservice N1 ", "\n\nservice N1 "));
        let ran = compare(&place, &[]);
        assert_eq!(ran.code, 0, "{}{}", ran.out.chars().take(2000).collect::<String>(), ran.err);
    }
}

#[test]
fn an_empty_file_has_no_definitions() {
    let place = Place::new();
    place.write("old/good.thrift", GOOD).write("new/good.thrift", GOOD);
    place.write("new/empty.thrift", "").write("new/blank.thrift", " \n\n").write("new/mark.thrift", "\u{feff}");
    let ran = compare(&place, &["--format", "json"]);
    assert!(ran.code == 0 && errors(&ran).is_empty(), "{}{}", ran.out, ran.err);
    place.write("new/good.thrift", "");
    let ran = compare(&place, &[]);
    assert!(ran.out.contains("`good.Good` was removed"), "{}", ran.out);
}

#[test]
fn a_missing_include_is_a_warning_and_its_types_are_compared_by_name() {
    let place = Place::new();
    let text = "include \"gone.thrift\"\nstruct T {\n  1: gone.Money a\n  2: gone.Money b\n}\n";
    place.write("old/m.thrift", text).write("new/m.thrift", text);
    let ran = compare(&place, &[]);
    assert_eq!(ran.code, 0, "{}", ran.out);
    assert!(ran.out.contains("include `gone.thrift` was not found: its types are compared by name"), "{}", ran.out);
    assert!(ran.out.contains("m.thrift:1:9") && ran.out.matches("gone.thrift` was not").count() == 1, "{}", ran.out);
    place.write("new/m.thrift", &text.replace("gone.Money b", "gone.Price b"));
    let ran = compare(&place, &["--format", "json"]);
    assert!(ran.code == 3 && ran.out.contains("thrift/opaque-type-changed"), "{}", ran.out);
    let untold =
        "at `m.T.b` could not be told: one of its types at least is not known, gone.Money before and gone.Price now";
    let told: Vec<String> = errors(&ran).into_values().flatten().collect();
    assert!(told.len() == 2 && told.iter().all(|error| error.contains(untold)), "{told:?}");
    let ran = compare(&place, &["--strict-imports"]);
    assert!(ran.code == 3 || ran.out.contains("in the input"), "{}", ran.out);
}

#[test]
fn an_include_that_cannot_be_found_leaves_the_rest_judged() {
    let place = Place::new();
    let text = |ty: &str| format!("include 'x/shared.thrift'\nstruct A {{ 1: shared.T t; 2: {ty} n }}");
    place.write("old/a.thrift", &text("i32")).write("new/a.thrift", &text("string"));
    let ran = compare(&place, &[]);
    assert_eq!(ran.code, 1, "{}", ran.out);
    assert!(ran.out.contains("include `x/shared.thrift` was not found"), "{}", ran.out);
    assert!(!ran.out.contains("types of x/shared.thrift"), "it is said once: {}", ran.out);
}

#[test]
fn latin_bytes_in_comments_are_no_problem() {
    let place = Place::new();
    for side in ["old", "new"] {
        write(&place, &format!("{side}/a.thrift"), b"# caf\xe9\nstruct A { 1: i32 a } // \xfc");
    }
    let ran = compare(&place, &["--format", "json"]);
    assert!(ran.code == 0 && errors(&ran).is_empty(), "{}", ran.out);
}

#[test]
fn half_of_a_file_is_never_taken_for_a_removal() {
    let whole = include_str!("../../src/formats/thrift/parse_tests.thrift");
    let place = Place::new();
    place.write("old/a.thrift", whole);
    write(&place, "new/a.thrift", &whole.as_bytes()[..whole.len() / 2]);
    let ran = compare(&place, &["--format", "json"]);
    assert_eq!(ran.code, 3, "{}", ran.err);
    assert!(!ran.out.contains("removed"), "{}", ran.out);
}
