//! A break of a declaration that stays where it is breaks, whatever other files of the version declare the same name.

use wireproof::change::Pair;
use wireproof::formats::{CheckOptions, Format};
use wireproof::pipeline::check_snapshots;
use wireproof::rules::RuleSet;
use wireproof::source::Snapshot;
use wireproof::verdict::{Mode, Policy, Verdict};

use crate::support;

/// What a declaration is, and a file with it before and after a break, behind what all files begin with.
const BREAKS: &[(&str, [&str; 2])] = &[
    ("a message", ["message O { int32 x = 1; }", "message O { string x = 1; }"]),
    (
        "a message in another",
        ["message O { N n = 1; message N { int32 x = 1; } }", "message O { N n = 1; message N { string x = 1; } }"],
    ),
    (
        "a message that refers to one",
        ["message O { P p = 1; } message P { int32 x = 1; }", "message O { P p = 1; } message P { string x = 1; }"],
    ),
    ("an enum", ["enum O { A = 0; B = 1; }", "enum O { A = 0; B = 2; }"]),
    (
        "an extension",
        [
            "import \"base.proto\"; extend Base { optional int32 x = 100; }",
            "import \"base.proto\"; extend Base { optional string x = 100; }",
        ],
    ),
    (
        "a service",
        [
            "import \"base.proto\"; service O { rpc One(Base) returns (Base); }",
            "import \"base.proto\"; service O { rpc Two(Base) returns (Base); }",
        ],
    ),
];

/// Where files may be: a name comes before and behind another, and in another folder.
const PATHS: [&str; 3] = ["a.proto", "t/b.proto", "t/c.proto"];

/// What the paths of a side hold: nothing, what was there before the break, or what is behind it.
type State = [Option<usize>; PATHS.len()];

fn states() -> Vec<State> {
    let each = [None, Some(0), Some(1)];
    let pairs = each.iter().flat_map(|first| each.iter().map(move |second| (*first, *second)));
    pairs.flat_map(|(first, second)| each.iter().map(move |third| [first, second, *third])).collect()
}

fn snapshot(state: &State, texts: &[&str; 2]) -> Snapshot {
    let head = "syntax = \"proto2\"; package t;";
    let base = ("base.proto", format!("{head} message Base {{ optional int32 own = 1; extensions 100 to 200; }}"));
    let proto3 = |text: &str| if text.contains("message O") { head.replace('2', "3") } else { head.to_owned() };
    let there = PATHS.iter().zip(state).filter_map(|(path, text)| Some((*path, texts[(*text)?])));
    let files = there.map(|(path, text)| (path, format!("{} {text}", proto3(text))));
    Snapshot::from_files(files.chain([base]).map(|(path, text)| (path, text.into_bytes())))
}

#[test]
fn a_break_in_place_is_found_with_copies_as_without() {
    let mut wrong = Vec::new();
    let mut asked = 0;
    for (what, texts) in BREAKS {
        for (old, new) in states().iter().flat_map(|old| states().into_iter().map(move |new| (*old, new))) {
            let breaks = old.iter().zip(&new).any(|(old, new)| *old == Some(0) && *new == Some(1));
            if !breaks {
                continue;
            }
            asked += 1;
            let sides = Pair::new(&old, &new).map(|state| snapshot(state, texts));
            let report = support::report(Format::Protobuf, sides.as_ref(), &Policy::default());
            if report.verdict != Verdict::Breaking {
                wrong.push(format!("{what}: {old:?} became {new:?} is {:?}", report.verdict));
            }
        }
    }
    assert_eq!(asked, BREAKS.len() * (729 - 512), "each state of three paths of which one breaks");
    assert!(wrong.is_empty(), "{} of {asked} times:\n{}", wrong.len(), wrong.join("\n"));
}

/// A side with one file of a name in each of some folders.
fn folders(texts: &[(&str, String)]) -> Snapshot {
    let head = "syntax = \"proto2\"; package t;";
    let base = ("base.proto", format!("{head} message Base {{ optional int32 own = 1; extensions 100 to 200; }}"));
    let files = texts.iter().map(|(folder, text)| (format!("{folder}/f.proto"), text.clone()));
    let base = (base.0.to_owned(), base.1);
    let all: Vec<(String, String)> = files.chain([base]).collect();
    Snapshot::from_files(all.iter().map(|(path, text)| (path.as_str(), text.as_bytes())))
}

#[test]
fn a_break_in_one_of_two_copies_that_move_together_is_found() {
    let mut wrong = Vec::new();
    // The second copy says the same, or something more.
    for more in ["", "message More { repeated int32 y = 1; }"] {
        for (what, texts) in BREAKS {
            let head = if texts[0].contains("message O") { "syntax = \"proto3\"" } else { "syntax = \"proto2\"" };
            let text = |of: usize, more: &str| format!("{head}; package t; {} {more}", texts[of]);
            let old = folders(&[("one", text(0, "")), ("two", text(0, more))]);
            for broken in [[1, 0], [0, 1]] {
                let new = folders(&[("idl/one", text(broken[0], "")), ("idl/two", text(broken[1], more))]);
                let report = support::report(Format::Protobuf, Pair::new(&old, &new), &Policy::default());
                if report.verdict != Verdict::Breaking {
                    wrong.push(format!("{what}, {broken:?}, {more:?}: {:?}", report.verdict));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} times:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn a_break_in_one_of_two_namesakes_that_is_renamed_is_found() {
    let event = |name: &str, weight: &str, last: &str| {
        format!(
            "syntax = \"proto3\"; message {name} {{ int64 at = 1; {weight} w = 2; string from = 3; string {last} = 4; }}"
        )
    };
    for last in ["to", "goal"] {
        let old = folders(&[("one", event("E", "int32", "to")), ("two", event("E", "int32", last))]);
        let new = folders(&[("one", event("Weighed", "double", "to")), ("two", event("E", "int32", last))]);
        let report = support::report(Format::Protobuf, Pair::new(&old, &new), &Policy::default());
        assert_eq!(report.verdict, Verdict::Breaking, "{last}");
        let kept = folders(&[("two", event("E", "int32", last))]);
        let report = support::report(Format::Protobuf, Pair::new(&old, &kept), &Policy::default());
        assert_eq!(report.verdict, Verdict::Compatible, "a copy that goes breaks nobody");
    }
}

/// A language, the ending of its files, and two types, of which the second one breaks.
struct Language {
    format: Format,
    ending: &'static str,
    /// What a file begins with; `ID` is a number of its own.
    head: &'static str,
    types: [&'static str; 2],
    broken: &'static str,
    grown: &'static str,
}

const LANGUAGES: &[Language] = &[
    Language {
        format: Format::Protobuf,
        ending: "proto",
        head: "syntax = \"proto3\"; package t;",
        types: ["message A { int32 m = 1; }", "message B { string n = 1; int64 k = 2; }"],
        broken: "message B { string n = 1; double k = 2; }",
        grown: "message B { string n = 1; int64 k = 2; bool l = 3; }",
    },
    Language {
        format: Format::Thrift,
        ending: "thrift",
        head: "",
        types: ["struct A { 1: i32 m }", "struct B { 1: string n; 2: i64 k }"],
        broken: "struct B { 1: string n; 2: double k }",
        grown: "struct B { 1: string n; 2: i64 k; 3: optional bool l }",
    },
    Language {
        format: Format::Flatbuffers,
        ending: "fbs",
        head: "namespace t;",
        types: ["table A { m: int; }", "table B { n: string; k: long; }"],
        broken: "table B { n: string; k: double; }",
        grown: "table B { n: string; k: long; l: bool; }",
    },
    Language {
        format: Format::Capnp,
        ending: "capnp",
        head: "@0xd3a5e2f7c1b490ID;",
        types: ["struct A { m @0 :Int32; }", "struct B { n @0 :Text; k @1 :Int64; }"],
        broken: "struct B { n @0 :Text; k @1 :Float64; }",
        grown: "struct B { n @0 :Text; k @1 :Int64; l @2 :Bool; }",
    },
];

/// The files of a side: path without its ending, the last two digits of the id, and what it declares.
fn side(language: &Language, files: &[(&str, u32, String)]) -> Snapshot {
    let file = |(path, id, text): &(&str, u32, String)| {
        let head = language.head.replace("ID", &id.to_string());
        (format!("{path}.{}", language.ending), format!("{head}\n{text}\n"))
    };
    let files: Vec<(String, String)> = files.iter().map(file).collect();
    Snapshot::from_files(files.iter().map(|(path, text)| (path.as_str(), text.as_bytes())))
}

/// What becomes of the second type in each of two folders: it stays, grows or breaks; at most one breaks.
const BECAME: [[usize; 2]; 5] = [[0, 0], [1, 0], [0, 1], [2, 0], [0, 2]];

fn uphold(what: &str, sides: impl Fn(&Language, [&str; 2]) -> Pair<Snapshot>) {
    let mut wrong = Vec::new();
    for language in LANGUAGES {
        let texts = [language.types[1], language.grown, language.broken];
        for became in BECAME {
            let sides = sides(language, became.map(|at| texts[at]));
            let policy = Policy::default();
            let expected = if became.contains(&2) { Verdict::Breaking } else { Verdict::Compatible };
            let forward = support::report(language.format, sides.as_ref(), &policy).verdict;
            if forward != expected {
                wrong.push(format!("{:?}, {became:?}: {forward:?}", language.format));
            }
        }
    }
    assert!(wrong.is_empty(), "{what}:\n{}", wrong.join("\n"));
}

fn both(language: &Language) -> String {
    language.types.join("\n")
}

#[test]
fn copies_of_a_file_may_be_divided_and_joined() {
    uphold("divided", |language, became| {
        let old = [("one/x", 10, both(language)), ("two/x", 20, both(language))];
        let [first, second] = became.map(str::to_owned);
        let rest = language.types[0].to_owned();
        let new = [("one/x", 10, rest.clone()), ("one/y", 11, first), ("two/x", 20, rest), ("two/y", 21, second)];
        Pair::new(side(language, &old), side(language, &new))
    });
    uphold("joined", |language, became| {
        let [first, second] = language.types.map(str::to_owned);
        let old = [
            ("one/x", 10, first.clone()),
            ("one/y", 11, second.clone()),
            ("two/x", 20, first.clone()),
            ("two/y", 21, second),
        ];
        let joined = became.map(|text| format!("{first}\n{text}"));
        let new = [("one/x", 10, joined[0].clone()), ("two/x", 20, joined[1].clone())];
        Pair::new(side(language, &old), side(language, &new))
    });
}

#[test]
fn copies_of_a_file_may_all_be_called_otherwise() {
    for folders in [["one", "two"], ["idl/one", "idl/two"]] {
        uphold(folders[0], |language, became| {
            let old = [("one/line", 10, both(language)), ("two/line", 20, both(language))];
            let paths = folders.map(|folder| format!("{folder}/lines"));
            let text = |at: usize| format!("{}\n{}", language.types[0], became[at]);
            let new = [(&*paths[0], 10, text(0)), (&*paths[1], 20, text(1))];
            Pair::new(side(language, &old), side(language, &new))
        });
    }
}

#[test]
fn a_break_is_found_in_namesakes_that_move_to_folders_of_other_names() {
    uphold("namesakes", |language, became| {
        let old = [("one/x", 10, language.grown.to_owned()), ("two/x", 20, language.types[1].to_owned())];
        // The one of the second folder became what stands first there.
        let first = if became[0] == language.types[1] { language.grown } else { became[0] };
        let new = [("xx/x", 10, first.to_owned()), ("aa/x", 20, became[1].to_owned())];
        Pair::new(side(language, &old), side(language, &new))
    });
}

#[test]
fn records_that_move_as_they_were_hide_no_break_of_others() {
    let record = |rest: &str| {
        let first = r#"{"name": "a", "type": "int"}"#;
        format!(r#"{{"type": "record", "name": "p.Item", "fields": [{first}{rest}]}}"#)
    };
    let (small, large) = (record(""), record(r#", {"name": "b", "type": "int", "default": 0}"#));
    let broken = record(r#", {"name": "b", "type": "int"}"#);
    let folder = |files: [(&str, &str); 2]| {
        let files = files.map(|(folder, text)| (format!("{folder}/Item.avsc"), text.to_owned()));
        Snapshot::from_files(files.iter().map(|(path, text)| (path.as_str(), text.as_bytes())))
    };
    let old = folder([("one", &small), ("two", &large)]);
    for [first, second] in [["xx", "aa"], ["aa", "xx"], ["idl/two", "idl/one"], ["idl/one", "idl/two"]] {
        for (text, expected) in [(&small, Verdict::Compatible), (&broken, Verdict::Breaking)] {
            let new = folder([(first, text), (second, &large)]);
            let report = support::report(Format::Avro, Pair::new(&old, &new), &Policy::default());
            assert_eq!(report.verdict, expected, "{first}, {second}");
        }
    }
    // One of two copies has another name, which no alias says.
    let old = folder([("orders", &small), ("billing", &small)]);
    let renamed = small.replace("p.Item", "p.Sale").replace("int", "string");
    for folders in [["z/orders", "z/billing"], ["orders", "billing"]] {
        let new = folder([(folders[0], &renamed), (folders[1], &small)]);
        let report = support::report(Format::Avro, Pair::new(&old, &new), &Policy::default());
        assert_eq!(report.verdict, Verdict::Breaking, "{folders:?}");
    }
}

#[test]
fn copies_that_name_their_folders_are_told_apart_by_what_they_declare() {
    uphold("named folders", |language, became| {
        let comment = if language.format == Format::Capnp { "#" } else { "//" };
        let text = |folder: &str, declared: &str| format!("{comment} of {folder}\n{declared}");
        let old = [
            ("one/x", 10, text("one", language.grown)),
            ("two/x", 20, text("two", language.types[1])),
            ("three/x", 30, text("three", language.types[1])),
        ];
        let first = if became[0] == language.types[1] { language.grown } else { became[0] };
        let new = [
            ("ax/x", 30, text("ax", language.types[1])),
            ("bx/x", 20, text("bx", became[1])),
            ("cx/x", 10, text("cx", first)),
        ];
        Pair::new(side(language, &old), side(language, &new))
    });
}

#[test]
fn a_copy_that_is_renamed_and_edited_among_copies_that_move_is_compared() {
    for language in LANGUAGES {
        let comment = if language.format == Format::Capnp { "#" } else { "//" };
        let text = |folder: &str, declared: &str| format!("{comment} of {folder}\n{declared}");
        let old = [
            ("one/x", 10, text("one", language.types[1])),
            ("two/x", 20, text("two", language.types[1])),
            ("three/x", 30, text("three", language.types[1])),
        ];
        let renamed = language.broken.replace(" B ", " Bulk ");
        let new = [
            ("ax/x", 10, text("ax", language.types[1])),
            ("bx/x", 20, text("bx", language.types[1])),
            ("cx/x", 30, text("cx", &renamed)),
        ];
        let sides = Pair::new(side(language, &old), side(language, &new));
        let report = support::report(language.format, sides.as_ref(), &Policy::default());
        assert_eq!(report.verdict, Verdict::Breaking, "{:?}", language.format);
    }
}

#[test]
fn a_copy_that_goes_beside_another_breaks_nobody() {
    for language in LANGUAGES {
        let old = [("api/x", 10, both(language)), ("vendor/x", 20, both(language))];
        let left = [("api/x", 10, both(language))];
        let report = |old: &[_], new: &[_]| {
            let sides = Pair::new(side(language, old), side(language, new));
            support::report(language.format, sides.as_ref(), &Policy::default()).verdict
        };
        assert_eq!(report(&old, &left), Verdict::Compatible, "{:?}", language.format);
        assert_eq!(report(&left, &old), Verdict::Compatible, "{:?}", language.format);
        assert_eq!(
            report(&old, &[("api/x", 10, language.types[0].to_owned())]),
            Verdict::Breaking,
            "{:?}",
            language.format
        );
    }
}

/// What goes is no copy of what stays where that demands more, or refers to something else.
#[test]
fn what_only_looks_like_a_copy_is_none() {
    let cases: [(&str, [&str; 2]); 4] = [
        ("thrift", ["struct B { 1: optional string n }", "struct B { 1: required string n }"]),
        (
            "thrift",
            [
                "struct L { 1: optional i32 a } struct B { 1: optional L n }",
                "struct L { 1: optional string a } struct B { 1: optional L n }",
            ],
        ),
        ("fbs", ["table B { n:string; } root_type B;", "table B { n:string (required); } root_type B;"]),
        (
            "capnp",
            ["struct L { a @0 :Int32; } struct B { n @0 :L; }", "struct L { a @0 :Text; } struct B { n @0 :L; }"],
        ),
    ];
    for (ending, [goes, stays]) in cases {
        let head = if ending == "capnp" { "@0xd3a5e2f7c1b49010;" } else { "" };
        let file = |folder: &str, text: &str| (format!("{folder}/x.{ending}"), format!("{head} {text}").into_bytes());
        let format = Format::of_path(&format!("x.{ending}")).expect("it is a schema's");
        let old = Snapshot::from_files([file("one", goes), file("two", stays)]);
        let new = Snapshot::from_files([file("two", stays)]);
        let report = support::report(format, Pair::new(&old, &new), &Policy::default());
        assert_eq!(report.verdict, Verdict::Breaking, "{goes}");
        let old = Snapshot::from_files([file("one", stays), file("two", stays)]);
        let report = support::report(format, Pair::new(&old, &new), &Policy::default());
        assert_eq!(report.verdict, Verdict::Compatible, "{stays}");
    }
}

/// Files that move while their package gets another name: each message goes on under its own, whatever numbers it has now.
#[test]
fn a_package_that_is_renamed_on_the_way_hides_no_break() {
    let text =
        |package: &str, fields: &str| format!("syntax = \"proto3\"; package {package}; message Meta {{ {fields} }}");
    let before = "string eui = 1; uint32 size = 4; uint32 count = 5;";
    let exchanged = "string eui = 1; uint32 size = 5; string count = 4;";
    let grown = "string eui = 1; uint32 size = 4; uint32 count = 5; bool more = 6;";
    for folders in [&["api"][..], &["go", "rust"], &["go", "rust", "python"]] {
        let side = |folder: &str, text: &str| {
            let files = folders.iter().map(|of| (format!("{of}/{folder}/meta.proto"), text.as_bytes().to_vec()));
            Snapshot::from_files(files.collect::<Vec<_>>())
        };
        let old = side("streams", &text("streams", before));
        for (fields, expected) in
            [(before, Verdict::Compatible), (grown, Verdict::Compatible), (exchanged, Verdict::Breaking)]
        {
            let new = side("stream", &text("stream", fields));
            for mode in [Mode::Full, Mode::Forward] {
                let policy = Policy::default().with_mode(mode);
                let report = support::report(Format::Protobuf, Pair::new(&old, &new), &policy);
                assert_eq!(report.verdict, expected, "{folders:?}, {mode:?}, {fields}");
            }
        }
    }
}

#[test]
fn a_copy_of_a_document_that_goes_beside_another_breaks_nobody() {
    let document =
        |id: &str, ty: &str| format!("{{{id}\"type\": \"object\", \"properties\": {{\"a\": {{\"type\": \"{ty}\"}}}}}}");
    let (id, other) = ("\"$id\": \"http://x.com/m.json\", ", "\"$id\": \"http://x.com/n.json\", ");
    // What stays and what goes, each with its path, and whether that breaks.
    let cases = [
        ("the same address", ("a/m", id, "string"), ("b/m", id, "string"), false),
        ("the same address in a file of another name", ("a/m", id, "string"), ("b/n", id, "string"), false),
        ("the same name", ("a/m", "", "string"), ("b/m", "", "string"), false),
        ("another address", ("a/m", id, "string"), ("b/m", other, "string"), true),
        ("another name", ("a/m", "", "string"), ("b/n", "", "string"), true),
        ("the same name, and an address", ("a/m", id, "string"), ("b/m", "", "string"), true),
        ("the same address of what says something else", ("a/m", id, "integer"), ("b/m", id, "string"), true),
        ("the same name of what says something else", ("a/m", "", "integer"), ("b/m", "", "string"), true),
    ];
    for (what, stays, goes, breaks) in cases {
        let file = |(path, id, ty): (&str, &str, &str)| (format!("{path}.schema.json"), document(id, ty));
        let side = |files: &[(String, String)]| {
            Snapshot::from_files(files.iter().map(|(path, text)| (path.as_str(), text.as_bytes())))
        };
        let (both, left) = (side(&[file(stays), file(goes)]), side(&[file(stays)]));
        for narrow in [false, true] {
            let options = CheckOptions { lenient_unchanged: narrow, few: 0, ..CheckOptions::default() };
            let labels = Pair::new("old".to_owned(), "new".to_owned());
            let rules = RuleSet::built_in();
            let sides = Pair::new(&both, &left);
            let report = check_snapshots(sides, &[Format::JsonSchema], &options, rules, &Policy::default(), labels);
            let told: Vec<&str> = report.findings.iter().map(|finding| finding.rule.as_str()).collect();
            let expected = if breaks { "json-schema/document-removed" } else { "json-schema/copy-removed" };
            assert_eq!(told, [expected], "{what}, {narrow}");
            assert_eq!(report.verdict == Verdict::Breaking, breaks, "{what}, {narrow}");
        }
        let report = support::report(Format::JsonSchema, Pair::new(&left, &both), &Policy::default());
        assert_eq!(report.verdict, Verdict::Compatible, "{what}");
    }
}
