//! A break of a declaration that stays where it is breaks, whatever other files of the version declare the same name.

use wireproof::change::Pair;
use wireproof::formats::Format;
use wireproof::source::Snapshot;
use wireproof::verdict::{Policy, Verdict};

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
