//! Input that is broken, hostile or absent, through the program: a message with its place, the right exit code, never a
//! panic and never a pass.

use std::collections::BTreeSet;
use std::fs;
use std::process::{Command, Stdio};

use crate::git::{Place, Ran, clean, commit, git, git_is_missing, repository, run, shallow_clone};
use crate::support::{skip, some_of};

/// A schema with a little of everything, all on lines of their own.
const EVERYTHING: &str = r#"edition = "2023";
package t.v1;
import "google/protobuf/descriptor.proto";
option java_package = "x\n\x41\101\u00e9";
extend google.protobuf.FieldOptions { Note note = 50001; }
message Note { string a = 1; repeated int32 b = 2; Note c = 3; map<string, int32> d = 4; }
/* a comment
   of two lines */
message M {
  reserved 5, 7 to 9, 100 to max;
  reserved foo, bar;
  oneof k { string s = 1 [deprecated = true]; bytes y = 2; }
  map<int32, M> m = 3 [(note) = { a: "x" b: [1, 2] c < a: 'y' > d { key: "k" value: 1 } }];
  E e = 4 [default = B, features.field_presence = EXPLICIT];
  enum E { option allow_alias = true; A = 0; B = 1; C = 1; reserved 10 to 20; }
  extensions 50 to 60 [verification = UNVERIFIED];
  message N { double d = 1 [default = -inf]; }
}
service S { rpc R(stream M) returns (stream M) { option idempotency_level = IDEMPOTENT; } }
"#;

const GOOD: &str = "syntax = \"proto3\";\npackage p;\nmessage M {\n  string s = 1;\n}\n";

/// Seconds of processor time that no run over such input may use, in a build without optimizations. Most use less than one,
/// and what grows beyond all bounds uses any number. The clock would tell how busy the machine is; this does not.
const PROCESSOR_SECONDS: u32 = 60;
/// Kilobytes of memory that no such run may ask for.
const MEMORY: &str = "4000000";

pub(crate) fn write(place: &Place, name: &str, bytes: &[u8]) {
    let path = place.path(name);
    fs::create_dir_all(path.parent().expect("a file lies in a folder")).expect("folders");
    fs::write(path, bytes).expect("a file");
}

/// `old/m.proto`, which is good, and `new/m.proto` with these bytes.
fn against_good(bytes: &[u8]) -> Place {
    let place = Place::new();
    place.write("old/m.proto", GOOD);
    write(&place, "new/m.proto", bytes);
    place
}

pub(crate) fn compare(place: &Place, options: &[&str]) -> Ran {
    compare_within(PROCESSOR_SECONDS, place, options)
}

/// The same with fewer seconds of processor time.
pub(crate) fn compare_within(seconds: u32, place: &Place, options: &[&str]) -> Ran {
    run_within(seconds, place, &[&["compare", "old", "new"], options].concat())
}

/// Any command with so many seconds of processor time.
pub(crate) fn run_within(seconds: u32, place: &Place, arguments: &[&str]) -> Ran {
    let mut command = bounded(seconds);
    clean(&mut command);
    command.current_dir(place.path("")).args(arguments);
    let output = command.output().expect("the program runs");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let Some(code) = output.status.code() else {
        panic!("{}: more than {seconds} s of processor time?\n{}", output.status, text(&output.stderr));
    };
    let ran = Ran { code, out: text(&output.stdout), err: text(&output.stderr) };
    assert!(!ran.err.contains("panicked"), "{}", ran.err);
    ran
}

/// The program, which the system ends when it has used up its processor time. Windows has no such limit for one command.
fn bounded(seconds: u32) -> Command {
    let program = env!("CARGO_BIN_EXE_wireproof");
    if cfg!(windows) {
        return Command::new(program);
    }
    let mut command = Command::new("sh");
    command.args(["-c", &format!("ulimit -t {seconds} && ulimit -v {MEMORY} && exec \"$0\" \"$@\""), program]);
    command
}

/// The verdict is not a pass, and the report says all of this.
#[track_caller]
pub(crate) fn assert_refused(ran: &Ran, said: &[&str]) {
    assert!(
        ran.code == 3 || (ran.code == 1 && ran.out.contains("in the input")),
        "{}: {}{}",
        ran.code,
        ran.out,
        ran.err
    );
    for words in said {
        assert!(ran.out.contains(words), "`{words}` is not said:\n{}", ran.out);
    }
}

/// The run ends as a usage or environment error, and says all of this on standard error.
#[track_caller]
fn assert_failed(ran: &Ran, code: i32, said: &[&str]) {
    assert_eq!(ran.code, code, "{}{}", ran.out, ran.err);
    assert!(!ran.err.contains("panicked"), "{}", ran.err);
    for words in said {
        assert!(ran.err.contains(words), "`{words}` is not said:\n{}", ran.err);
    }
}

#[test]
fn bytes_that_are_no_text_are_refused_with_their_place() {
    let utf16: Vec<u8> = [0xFF, 0xFE].into_iter().chain(GOOD.bytes().flat_map(|byte| [byte, 0])).collect();
    let cases: [(&[u8], &[&str]); 4] = [
        (b"syntax = \"proto3\";\nmessage M { string s\xff = 1; }\n", &["not valid UTF-8", "new m.proto:2:21"]),
        (b"syntax = \"proto3\";\noption java_package = \"\xff\";\n", &["not valid UTF-8", "new m.proto:2:24"]),
        (&utf16, &["not valid UTF-8", "new m.proto:1:1"]),
        (b"\0\0\0\0", &["control character 0x00", "new m.proto:1:1"]),
    ];
    for (bytes, said) in cases {
        assert_refused(&compare(&against_good(bytes), &[]), said);
    }
}

#[test]
fn in_comments_any_bytes_are_fine_and_so_is_a_byte_order_mark() {
    let ran = compare(&against_good(&[b"\xef\xbb\xbf// \xff\xfe\n", GOOD.as_bytes()].concat()), &[]);
    assert_eq!(ran.code, 0, "{}", ran.out);
    assert!(ran.out.contains("nothing changed"), "{}", ran.out);
}

#[test]
fn a_file_cut_off_anywhere_is_refused_with_a_place() {
    let place = Place::new();
    place.write("old/whole.proto", EVERYTHING).write("new/whole.proto", EVERYTHING);
    let ends = some_of((0..EVERYTHING.len()).collect());
    for end in &ends {
        place.write(format!("new/cut/{end:04}.proto"), &EVERYTHING[..*end]);
    }
    let ran = compare(&place, &["--format", "json"]);
    let report: serde_json::Value = serde_json::from_str(&ran.out).expect("a report");
    assert_ne!(ran.code, 0);
    let problems = report["problems"].as_array().expect("problems");
    let refused: BTreeSet<&str> = problems
        .iter()
        .filter(|problem| problem["severity"] == "error" && problem["line"].is_u64() && problem["column"].is_u64())
        .filter_map(|problem| problem["file"].as_str())
        .collect();
    // Cut between two statements of the file, what is left is whole.
    let is_whole = |end: usize| {
        let before = EVERYTHING[..end].trim_end();
        let depth = |open: char, close: char| before.matches(open).count() == before.matches(close).count();
        before.is_empty() || (before.ends_with([';', '}', '/']) && depth('{', '}') && !before.ends_with("//"))
    };
    let accepted: Vec<&str> = ends
        .iter()
        .filter(|end| !is_whole(**end) && !refused.contains(format!("cut/{end:04}.proto").as_str()))
        .map(|end| &EVERYTHING[end.saturating_sub(30)..*end])
        .collect();
    assert!(accepted.is_empty(), "cut off here and still accepted: {accepted:#?}");
}

#[test]
fn what_is_nested_without_end_is_refused() {
    let nested =
        |open: &str, inside: &str, close: &str| format!("{}{inside}{}", open.repeat(10_000), close.repeat(10_000));
    let option = |value: &str| format!("syntax = \"proto3\";\nmessage M {{ string s = 1 [(x) = {value}]; }}\n");
    let cases = [
        (format!("syntax = \"proto3\";\n{}", nested("message M { ", "", "}")), "nested deeper than"),
        (format!("syntax = \"proto3\";\n{}", "message M { ".repeat(10_000)), "never closed"),
        (
            format!("syntax = \"proto2\";\n{}", nested("message M { optional group G = 1 { ", "", "}}")),
            "nested deeper than",
        ),
        (option(&nested("{ a: ", "1", "}")), "nested deeper than"),
        (option(&format!("{{ {} }}", nested("a < ", "", ">"))), "nested deeper than"),
        (option(&nested("[", "1", "]")), "new m.proto:2:"),
        (format!("syntax = \"proto3\";\n{}", "}".repeat(10_000)), "closes nothing"),
        (format!("syntax = \"proto3\";\nmessage M {{ {} s = 1; }}\n", "a.".repeat(10_000)), "new m.proto:2:"),
    ];
    for (text, said) in cases {
        assert_refused(&compare(&against_good(text.as_bytes()), &[]), &[said]);
    }
}

#[test]
fn large_files_are_compared_in_bounded_time() {
    let fields: String =
        (1..5_000).map(|number| format!("  string a_rather_long_name_{number} = {number};\n")).collect();
    let values: String = (1..8_000).map(|number| format!("  VALUE_{number} = {number};\n")).collect();
    let message = |fields: &str| format!("syntax = \"proto3\";\npackage p;\nmessage M {{\n{fields}}}\n");
    let enumeration = |values: &str| format!("syntax = \"proto3\";\npackage p;\nenum E {{\n  ZERO = 0;\n{values}}}\n");
    let cases = [
        (message(&fields), message(&fields.replacen("string a_rather_long_name_7 = 7;", "", 1)), 1),
        (enumeration(&values), enumeration(&values.replacen("  VALUE_7 = 7;\n", "", 1)), 1),
        (GOOD.to_owned(), format!("{GOOD}/* {} */", "any words\n".repeat(300_000)), 0),
        (GOOD.to_owned(), format!("{GOOD}// {}", "x".repeat(3_000_000)), 0),
        (GOOD.to_owned(), format!("{GOOD}option java_package = \"{}\";", "x".repeat(3_000_000)), 0),
        (GOOD.to_owned(), format!("{GOOD}message {} {{}}", "x".repeat(1_000_000)), 0),
    ];
    for (old, new, code) in cases {
        let place = against_good(new.as_bytes());
        place.write("old/m.proto", &old);
        let ran = compare(&place, &[]);
        assert_eq!(ran.code, code, "{}", &ran.out.chars().take(2000).collect::<String>());
        assert!(ran.out.len() < 20_000, "the text is {} bytes long", ran.out.len());
    }
}

#[test]
fn a_word_of_a_megabyte_does_not_fill_the_report() {
    let text = format!("syntax = \"proto3\";\nmessage M {{ int32 a = {}; }}\n", "1".repeat(1_000_000));
    for format in ["text", "json", "markdown"] {
        let ran = compare(&against_good(text.as_bytes()), &["--format", format]);
        assert_ne!(ran.code, 0, "{}", ran.err);
        assert!(ran.out.len() < 20_000, "{format}: {} bytes", ran.out.len());
    }
}

#[test]
fn a_mistake_far_to_the_right_is_named_and_no_other_place_is_shown() {
    let fields: String = (1..200).map(|number| format!("int32 field_{number} = {number};")).collect();
    let text = format!("syntax = \"proto3\";\nmessage M {{ {fields} int32 last 200; }}\n");
    let column = text.lines().nth(1).and_then(|line| line.find("200;")).expect("it is there") + 1;
    let ran = compare(&against_good(text.as_bytes()), &[]);
    assert_refused(&ran, &[&format!("new m.proto:2:{column}")]);
    let problem = ran.out.split("\n\n").find(|block| block.contains("has no number")).unwrap_or_default();
    assert!(!problem.contains("field_1 = 1"), "{problem}");
}

#[test]
fn imports_in_a_circle_are_refused() {
    let place = Place::new();
    place.write("old/a.proto", "syntax = \"proto3\";\npackage p;\nmessage A {}\n");
    place.write("new/a.proto", "syntax = \"proto3\";\npackage p;\nimport \"b.proto\";\nmessage A {}\n");
    place.write("new/b.proto", "syntax = \"proto3\";\npackage p;\nimport \"a.proto\";\nmessage B { A a = 1; }\n");
    assert_refused(&compare(&place, &[]), &["imports itself: a.proto → b.proto → a.proto", "new b.proto:3:"]);
    let place = against_good(b"syntax = \"proto3\";\nimport \"m.proto\";\n");
    assert_refused(&compare(&place, &[]), &["imports itself: m.proto → m.proto", "new m.proto:2:"]);
}

#[test]
fn two_files_of_one_closure_that_define_one_type_are_refused() {
    let place = against_good(b"syntax = \"proto3\";\npackage p;\nimport \"n.proto\";\nmessage M { string s = 1; }\n");
    place.write("new/n.proto", GOOD);
    assert_refused(&compare(&place, &[]), &["`p.M` is defined in", "rename one of the two"]);
}

#[test]
fn an_absent_import_is_said_and_strictly_an_error() {
    let text =
        "syntax = \"proto3\";\npackage p;\nimport \"x/y.proto\";\nmessage M {\n  string s = 1;\n  x.Y y = 2;\n}\n";
    let place = against_good(text.as_bytes());
    let ran = compare(&place, &[]);
    assert_eq!(ran.code, 0, "{}", ran.out);
    for words in ["`x/y.proto` was not found", "new m.proto:3:8", "compared by name only", "pass `-I DIR`"] {
        assert!(ran.out.contains(words), "`{words}` is not said:\n{}", ran.out);
    }
    assert_refused(&compare(&place, &["--strict-imports"]), &["`x/y.proto` was not found: imports are strict"]);
    place.write("deps/x/y.proto", "syntax = \"proto3\";\npackage x;\nmessage Y {}\n");
    let ran = compare(&place, &["--strict-imports", "-I", "deps"]);
    assert_eq!(ran.code, 0, "{}", ran.out);
}

#[test]
fn a_removed_file_that_others_still_import_is_no_pass() {
    if git_is_missing() {
        return;
    }
    let repo = repository();
    repo.write("shop/money.proto", "syntax = \"proto3\";\npackage shop;\nmessage Money { int64 units = 1; }\n");
    repo.write(
        "shop/cart.proto",
        "syntax = \"proto3\";\npackage shop;\nimport \"shop/money.proto\";\nmessage Cart { Money sum = 1; }\n",
    );
    commit(&repo, "money");
    fs::remove_file(repo.path("shop/money.proto")).expect("it was there");
    let ran = run(&repo.path(""), &["check"]);
    assert_refused(
        &ran,
        &["`shop/money.proto` was not found: in the old version it leads to", "new shop/cart.proto:3:8"],
    );
}

#[test]
fn sources_that_do_not_exist_are_explained() {
    let place = against_good(GOOD.as_bytes());
    fs::create_dir_all(place.path("empty")).expect("a folder");
    let compare = |old: &str, new: &str| run(&place.path(""), &["compare", old, new]);
    assert_failed(&compare("absent", "new"), 2, &["there is no file or directory `absent`"]);
    assert_failed(&compare("./absent", "new"), 2, &["there is no file or directory `./absent`"]);
    assert_failed(&compare("old", "absent.proto"), 2, &["there is no file or directory `absent.proto`"]);
    assert_failed(&compare("empty", "empty"), 2, &["no schema files found", ".proto"]);
    for (name, text) in [("a.avsc", "\"int\""), ("a.thrift", "struct A {}"), ("a.json", "{\"type\": \"object\"}")] {
        fs::write(place.path(name), text).expect("a file");
    }
    assert_failed(&compare("a.avsc", "a.thrift"), 2, &["`a.avsc` is Avro and `a.thrift` is", "one language"]);
    assert_failed(&compare("a.avsc", "a.json"), 2, &["descriptor set or an image of buf", ".schema.json"]);
    assert_failed(&run(&place.path(""), &["check", "absent"]), 2, &["there is no file or folder `absent`"]);
    assert_failed(&run(&place.path(""), &["chekc"]), 2, &["if you meant the command: `wireproof check`"]);
    assert_failed(&run(&place.path(""), &["history"]), 3, &["this is not a git repository", "--of=dir:"]);
    assert_failed(&run(&place.path(""), &["check"]), 3, &["this is not a git repository", "--against"]);
}

#[test]
fn revisions_and_paths_that_git_does_not_have_are_no_pass() {
    if git_is_missing() {
        return;
    }
    let repo = repository();
    let check = |against: &str| run(&repo.path(""), &["check", "--against", against]);
    assert_failed(&check("git:absent"), 3, &["git knows no revision `absent`", "git branch --all"]);
    assert_failed(&check("git:mian"), 2, &["did you mean `main`?"]);
    assert_failed(&check("git:main:absent"), 3, &["there is no `absent` in git:main"]);
    assert_failed(&check("git:main:shpo"), 3, &["did you mean `shop`?"]);
    assert_failed(&check("git:"), 2, &["needs a revision"]);
    assert_failed(&check("git:--help"), 2, &["is not a revision"]);
    assert_failed(&run(&repo.path(""), &["check", "absent"]), 2, &["no schema files under `absent`"]);
}

#[test]
fn a_shallow_clone_is_no_pass_and_says_what_to_run() {
    if git_is_missing() {
        return;
    }
    let repo = repository();
    git(&repo.path(""), &["switch", "--quiet", "--create", "topic"]);
    repo.write("shop/order.proto", &GOOD.replace("package p", "package shop"));
    commit(&repo, "one");
    commit(&repo, "two");
    git(&repo.path(""), &["switch", "--quiet", "main"]);
    let clone = shallow_clone(&repo, "topic", 1);
    assert_failed(&run(&clone.path(""), &["check"]), 3, &["shallow", "git fetch --unshallow origin"]);
}

#[test]
fn a_broken_configuration_is_refused_with_its_place() {
    let place = against_good(GOOD.as_bytes());
    let with = |text: &[u8]| {
        write(&place, "wireproof.yaml", text);
        run(&place.path(""), &["compare", "old", "new"])
    };
    let deep = [b"mode: ".as_slice(), &b"[".repeat(100_000)].concat();
    let cases: [(&[u8], &[&str]); 15] = [
        (b"modee: full\n", &["unknown key `modee`", "wireproof.yaml:1:1", "did you mean `mode`?"]),
        (b"mode: 3\n", &["`3` is not a value of `mode`", "wireproof.yaml:1:7"]),
        (b"mode: full\nmode: none\n", &["given twice", "wireproof.yaml:2:1"]),
        (b"mode: [full\n", &["wireproof.yaml:1:7", "expected one word"]),
        (b"mode: \"full\n", &["wireproof.yaml:"]),
        (b"- mode\n", &["wireproof.yaml:1:", "`key: value`"]),
        (b"surfaces: 3\n", &["`3` is not a value of `surfaces`", "wireproof.yaml:1:11"]),
        (b"include: ['[a']\n", &["is not a glob", "wireproof.yaml:1:"]),
        (b"rules:\n  - field-reused\n", &["wireproof.yaml:2:"]),
        (b"rules:\n  protobuf/no-such: off\n", &["no rule and no family `protobuf/no-such`", "wireproof.yaml:2:3"]),
        (b"rules-dir: absent\n", &["cannot read the rules in", "wireproof.yaml:1:1"]),
        (b"history: everything\n", &["names no versions", "wireproof.yaml:1:1"]),
        (b"waivers: ../w.yaml\n", &["lies outside", "wireproof.yaml:1:10"]),
        (b"mode: \xff\n", &["is not UTF-8"]),
        (&deep, &["wireproof.yaml:1:"]),
    ];
    for (text, said) in cases {
        let ran = with(text);
        assert_failed(&ran, 2, said);
        assert!(ran.err.len() < 2_000, "{} bytes", ran.err.len());
    }
    assert_failed(&run(&place.path(""), &["compare", "old", "new", "--config", "absent.yaml"]), 2, &["absent.yaml"]);
    assert_eq!(run(&place.path(""), &["compare", "old", "new", "--no-config"]).code, 0);
}

#[test]
fn a_root_that_nobody_declares_is_told_where_it_is_written() {
    let place = against_good(GOOD.as_bytes());
    place.write("wireproof.yaml", "mode: full\nroots:\n  .:\n    reachable-from:\n      - no.Such\n");
    let ran = run(&place.path(""), &["compare", "old", "new"]);
    let said = "neither side declares `no.Such`, which `reachable-from` names (wireproof.yaml:5)";
    assert!(ran.code == 3 && ran.out.contains(said) && !ran.out.contains("--root"), "{}{}", ran.out, ran.err);
    let ran = run(&place.path(""), &["compare", "old", "new", "--root", "no.Such"]);
    assert!(ran.out.contains("neither side declares the root `no.Such`"), "{}{}", ran.out, ran.err);
}

#[test]
fn a_broken_buf_yaml_is_said_with_its_place() {
    let place = against_good(GOOD.as_bytes());
    for (text, said) in [("version: v2\nmodules: 3\n", "new buf.yaml:2:10"), ("version: [\n", "new buf.yaml:1:")] {
        place.write("new/buf.yaml", text);
        let ran = compare(&place, &[]);
        assert_eq!(ran.code, 0, "{}", ran.out);
        assert!(ran.out.contains(said) && ran.out.contains("import roots are inferred"), "{}", ran.out);
    }
    place.write("new/buf.yaml", "version: v1\nbreakng:\n  use: [WIRE]\n");
    assert_failed(&compare(&place, &[]), 2, &["unknown key `breakng`", "buf.yaml:2:1", "did you mean `breaking`?"]);
}

#[test]
fn what_is_no_report_is_not_rendered() {
    let place = Place::new();
    for (text, said) in [
        (&b""[..], "is not valid JSON"),
        (b"{\"schema\":", "r.json:1:"),
        (b"[1, 2]", "no wireproof report"),
        (b"{\"schema\": \"wireproof.report/v2\"}", "reads only \"wireproof.report/v1\""),
        (b"{\"schema\": \"wireproof.report/v1\"}", "missing field"),
        (b"\xff\xfe", "cannot read the report"),
    ] {
        write(&place, "r.json", text);
        assert_failed(&run(&place.path(""), &["render", "r.json"]), 2, &[said]);
    }
    assert_failed(&run(&place.path(""), &["render", "absent.json"]), 2, &["cannot read the report `absent.json`"]);
}

#[test]
fn options_that_do_not_exist_are_usage_errors() {
    let place = against_good(GOOD.as_bytes());
    for (options, said) in [
        (&["--format", "yaml"][..], "possible values: text, json, markdown"),
        (&["--output", "json"], "write FORMAT=PATH"),
        (&["--output", "json=-"], "standard output is chosen with `--format json`"),
        (&["--output", "yaml=x"], "`yaml` is not a format"),
        (&["--mode", "ful"], "a similar value exists: 'full'"),
        (&["--surface", "grpc"], "possible values: wire, json, source"),
        (&["--fail-on", "safe"], "possible values: defaulted"),
        (&["--no-such-option"], "unexpected argument"),
    ] {
        assert_failed(&compare(&place, options), 2, &[said]);
    }
    for arguments in [&["explain"][..], &["explain", "field-resued"], &["render"], &["schema", "yaml"]] {
        assert_failed(&run(&place.path(""), arguments), 2, &["error: "]);
    }
}

#[test]
fn names_of_files_may_be_anything() {
    let place = against_good(GOOD.as_bytes());
    let names = ["-rf.proto", "a b.proto", "$(x) `y`.proto", "'\"|&;.proto", "ü🦀.proto", "%s%n.proto", ".proto"];
    for (at, name) in names.iter().enumerate() {
        place.write(format!("new/{name}"), &GOOD.replace("package p", &format!("package p{at}")));
    }
    for format in ["text", "json", "markdown"] {
        let ran = compare(&place, &["--format", format, "-v"]);
        assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    }
}

#[test]
fn a_report_that_cannot_be_printed_is_an_error_and_a_closed_pipe_is_none() {
    let place = against_good(b"syntax = \"proto3\";\npackage p;\nmessage M {}\n");
    let spawn = |out: Stdio| {
        Command::new(env!("CARGO_BIN_EXE_wireproof"))
            .current_dir(place.path(""))
            .args(["compare", "old", "new", "--format", "json"])
            .stdout(out)
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program runs")
    };
    let mut child = spawn(Stdio::piped());
    drop(child.stdout.take());
    let ended = child.wait_with_output().expect("it ends");
    assert_eq!((ended.status.code(), String::from_utf8_lossy(&ended.stderr).as_ref()), (Some(1), ""));
    if let Ok(full) = fs::OpenOptions::new().write(true).open("/dev/full") {
        let ended = spawn(full.into()).wait_with_output().expect("it ends");
        assert_eq!(ended.status.code(), Some(2));
    }
}

#[cfg(unix)]
#[test]
fn a_file_that_may_not_be_read_is_no_pass() {
    use std::os::unix::fs::PermissionsExt;
    let place = against_good(GOOD.as_bytes());
    let path = place.path("new/m.proto");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o000)).expect("our own file");
    if fs::read(&path).is_ok() {
        skip("a user who is not root", "a file that may not be read");
        return;
    }
    assert_failed(&compare(&place, &[]), 3, &["cannot read", "m.proto"]);
}
