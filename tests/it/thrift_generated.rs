//! Defaults and calls that failed, beside the code that Apache's compiler generates for Python.
//!
//! Every two of some programs are compared. Nobody writes a field that was left out, so what readers have there is what
//! their code makes of the default; and what a caller is told of an exception is what its code finds in the result.

use std::collections::BTreeMap;
use std::process::Command;

use serde_json::Value as Json;

use crate::bounded;
use crate::support::{root, skip, snapshot, some_of};
use wireproof::attach::attach;
use wireproof::change::Pair;
use wireproof::evidence::{Direction, Outcome, Surface};
use wireproof::formats::{CheckOptions, Format, check_pair};
use wireproof::judge::judge;
use wireproof::rules::RuleSet;

/// What `P` has, its `Q` among it.
const STRUCTS: [&str; 8] = [
    "struct Q { 1: i32 v = 1 } struct P { 1: i32 x = 1, 2: string y = \"a\" }",
    "struct Q { 1: i32 v = 1 } struct P { 1: i32 x = 2, 2: string y = \"a\" }",
    "struct Q { 1: i32 v = 1 } struct P { 1: i32 x, 2: string y = \"a\" }",
    "struct Q { 1: i32 v = 1 } struct P { 1: optional i32 x = 1, 2: optional string y }",
    "struct Q { 1: i32 v = 1 } struct P { 1: i32 x = 1, 2: string y = \"a\", 3: optional i32 z = 5 }",
    "struct Q { 1: i32 v = 1 } struct P { 2: string y = \"a\", 1: i32 x = 1, 4: optional Q q = {} }",
    "struct Q { 1: i32 v = 2 } struct P { 1: i32 x = 1, 2: string y = \"a\", 4: optional Q q = {} }",
    "struct Q { 1: i32 v = 2 } struct P { 1: i32 x = 1, 2: string y = \"a\", 4: optional Q q = {\"v\": 1} }",
];

/// Types with defaults in different words.
const DEFAULTS: [(&str, &[&str]); 5] = [
    ("P", &["{}", "{\"x\": 1}", "{\"y\": \"b\"}", "{\"y\": \"a\", \"x\": 1}", "{\"x\": N}"]),
    ("list<P>", &["[{}]", "[{\"x\": 1}]"]),
    ("map<string, P>", &["{\"a\": {}, \"b\": {\"x\": 1}}", "{\"b\": {}, \"a\": {\"y\": \"a\"}}"]),
    ("set<i32>", &["[1, 2]", "[2, 1, 1]", "[1, 3]"]),
    ("map<i32, list<i32>>", &["{1: [1], 2: [1, 2]}", "{2: [1, 2], 1: [1]}", "{1: [1], 2: [2, 1]}"]),
];

/// What a function without a value throws.
const THROWS: [&str; 8] = [
    "",
    "throws (1: X x)",
    "throws (2: X x)",
    "throws (1: X z)",
    "throws (1: X x, 2: Y y)",
    "throws (2: X x, 1: Y y)",
    "throws (2: X x, 3: Y y)",
    "throws (3: Y y, 4: X x)",
];

/// The files of a program: names and texts.
type Program = BTreeMap<String, String>;

fn program(texts: &[(&str, String)]) -> Program {
    texts.iter().map(|(name, text)| ((*name).to_owned(), text.clone())).collect()
}

/// Programs that are compared with each other.
fn groups() -> Vec<Vec<Program>> {
    let mut groups: Vec<Vec<Program>> = Vec::new();
    for (ty, defaults) in DEFAULTS {
        let has_struct = ty.contains('P');
        let structs = if has_struct { &STRUCTS[..] } else { &STRUCTS[..1] };
        let texts = structs.iter().flat_map(|structs| {
            defaults.iter().map(move |default| {
                let ty = ty.replace('P', "p.P");
                let known = "include \"p.thrift\"\nconst i32 N = 2";
                let held = format!("{known}\nstruct M {{ 1: optional {ty} a = {default} }}\n");
                let structs = (*structs).to_owned();
                program(&[("a.thrift", held), ("p.thrift", structs)])
            })
        });
        groups.push(texts.collect());
    }
    let service = |throws: &&str| {
        let exceptions = "exception X { 1: string why }\nexception Y { 1: string why }";
        program(&[("a.thrift", format!("{exceptions}\nservice S {{ void f() {throws} }}\n"))])
    };
    groups.push(THROWS.iter().map(service).collect());
    groups
}

/// What the generated code says of each program.
fn generated(programs: &[&Program]) -> Option<Vec<Json>> {
    let python = std::env::var("WIREPROOF_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let has = |command: &mut Command| command.output().is_ok_and(|output| output.status.success());
    if !has(Command::new("thrift").arg("--version"))
        || !has(Command::new(&python).args(["-c", "import thrift.protocol"]))
    {
        return None;
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (index, program) in programs.iter().enumerate() {
        let inside = folder.path().join(index.to_string());
        std::fs::create_dir(&inside).expect("the folder is new");
        for (name, text) in *program {
            std::fs::write(inside.join(name), text).expect("the folder can be written");
        }
    }
    let mut command = Command::new(&python);
    command.arg(root().join("tests/data/thrift/generated.py")).arg(folder.path());
    let output = bounded::run(&mut command).expect("it ends");
    let answer: BTreeMap<String, Json> = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&output.stderr)));
    Some((0..programs.len()).map(|index| answer[&index.to_string()].clone()).collect())
}

/// Whether two readers have the same, as far as both know its fields.
fn are_same(one: &Json, two: &Json) -> bool {
    match (&one["fields"], &two["fields"]) {
        (Json::Object(one), Json::Object(two)) => {
            one.iter().all(|(id, value)| two.get(id).is_none_or(|other| are_same(value, other)))
        }
        _ => match (one, two) {
            (Json::Object(one), Json::Object(two)) => {
                one.len() == two.len()
                    && one.iter().all(|(key, value)| two.get(key).is_some_and(|other| are_same(value, other)))
            }
            (Json::Array(one), Json::Array(two)) => {
                one.len() == two.len() && one.iter().zip(two).all(|(one, two)| are_same(one, two))
            }
            (one, two) => one == two,
        },
    }
}

/// Whether callers of one program are told of another failure than was thrown by a server of the other, or of none.
fn are_misled(server: &Json, client: &Json) -> bool {
    let thrown = server["thrown"].as_object().expect("it throws something or nothing");
    thrown.iter().any(|(name, bytes)| client["caught"][bytes.as_str().unwrap_or_default()] != **name)
}

/// Whether readers of a direction see a value nobody wrote, as far as is claimed.
fn is_claimed(sides: Pair<&Program>) -> Pair<bool> {
    let (old, new) = (snapshot(sides.old), snapshot(sides.new));
    let checked = check_pair(Format::Thrift, Pair::new(&old, &new), &CheckOptions::default());
    let problems = [&checked.problems.old, &checked.problems.new];
    assert!(problems.iter().all(|side| side.is_empty()), "{sides:?}: {problems:?}");
    let judged = judge("thrift", &checked.changes, RuleSet::built_in()).judged;
    let attached = attach(judged, &checked.observed);
    assert!(attached.unexplained.is_empty(), "{sides:?}: {:?}", attached.unexplained);
    // What differs in `P` itself is felt where a `P` is written.
    let told = || attached.findings.iter().filter(|finding| !finding.judged.change.path.starts_with("p."));
    let is_wrong =
        |direction| told().any(|finding| finding.judged.impact.get(Surface::Wire, direction) == &Outcome::Wrong);
    Pair::new(is_wrong(Direction::Backward), is_wrong(Direction::Forward))
}

#[test]
fn defaults_and_failed_calls_are_claimed_as_generated_code_has_them() {
    let groups = groups();
    let all: Vec<&Program> = groups.iter().flatten().collect();
    let Some(said) = generated(&all) else {
        return skip("thrift and its compiler", "defaults and failed calls beside the code that is generated");
    };
    let (mut broken, mut first) = (Vec::new(), 0);
    for group in &groups {
        let said = &said[first..first + group.len()];
        first += group.len();
        let both = (0..group.len()).flat_map(|old| (0..group.len()).map(move |new| (old, new)));
        for (old, new) in some_of(both.collect()) {
            let (was, is) = (&said[old], &said[new]);
            let seen = match was.get("value") {
                Some(value) => Pair::new(!are_same(value, &is["value"]), !are_same(value, &is["value"])),
                None => Pair::new(are_misled(was, is), are_misled(is, was)),
            };
            let (old, new) = (&group[old], &group[new]);
            let claimed = is_claimed(Pair::new(old, new));
            if claimed != seen {
                broken.push(format!("{old:?}\n{new:?}\nclaimed {claimed:?}, seen {seen:?}: {was} {is}"));
            }
        }
    }
    assert!(broken.is_empty(), "{} pairs:\n{}", broken.len(), broken[..broken.len().min(5)].join("\n\n"));
}
