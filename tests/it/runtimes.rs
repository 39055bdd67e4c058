//! What is claimed of random pairs of schemas, against what Google's own runtime experiences of them.
//!
//! The pairs are those of [`crate::laws_random`]. `tests/runtimes/protobuf.py` compiles both sides with protoc, writes
//! random messages with the one and reads them with the other, in Python and, where it is there, in Java; judges by the
//! definitions of outcomes, and reads every witness again. A plain run tries a few hundred pairs; `RUNTIME_PAIRS=20000 RUNTIME_SEED=7 cargo test --test it runtimes`
//! tries others, and `RUNTIME_SHOWN=100` shows more of what it found. What is found is made as small as possible. Of every
//! fifth pair all edits fall on a few elements that hold each other; with `RUNTIME_NEAR=1` they do so in every pair.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::Mutex;

use serde_json::{Value as Json, json};

use crate::laws_random::schema::{Dice, Schema};
use crate::laws_random::{make, mutation, neighbourhood, print, shrink, text};
use crate::support::{Case, root, skip, snapshot};
use wireproof::attach::{Attached, SPEC, attach};
use wireproof::change::{ChangeKind, Pair};
use wireproof::evidence::{Observation, Outcome, Surface};
use wireproof::formats::{Checked, Format};
use wireproof::judge::judge;
use wireproof::rules::RuleSet;

/// Pairs of a plain run.
const PAIRS: usize = 300;
/// Messages of each type and direction.
const MESSAGES: usize = 24;
/// Readers at work side by side.
const READERS: usize = 2;

fn number(variable: &str, otherwise: usize) -> usize {
    std::env::var(variable).ok().and_then(|text| text.parse().ok()).unwrap_or(otherwise)
}

/// A runtime that answers, a line for a line.
struct Runtime {
    process: Child,
    questions: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Runtime {
    /// Google's runtime for Python; `None` where it is not installed.
    fn python() -> Option<Runtime> {
        let program = std::env::var("WIREPROOF_PYTHON").unwrap_or_else(|_| "python3".to_owned());
        let known = Command::new(&program).args(["-c", "import grpc_tools, google.protobuf.json_format"]).output();
        if !known.is_ok_and(|output| output.status.success()) {
            return None;
        }
        let script = root().join("tests/runtimes/protobuf.py");
        let mut process =
            Command::new(&program).arg(script).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().ok()?;
        let (questions, answers) = (process.stdin.take()?, BufReader::new(process.stdout.take()?));
        Some(Runtime { process, questions, answers })
    }

    /// The answer; where the runtime itself crashes, that is told as a difference, and another one is started.
    fn ask(&mut self, question: &Json) -> Json {
        let mut answer = String::new();
        let told = writeln!(self.questions, "{question}").and_then(|()| self.answers.read_line(&mut answer));
        if let (Ok(_), Ok(answer)) = (told, serde_json::from_str(&answer)) {
            return answer;
        }
        *self = Runtime::python().expect("it started before");
        json!({ "refused": ["crash"], "problems": [], "differences": { "the runtime crashed": 1 } })
    }
}

impl Drop for Runtime {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// What came of one pair.
struct Told {
    /// Kind of problem → the smallest pair that shows it.
    problems: BTreeMap<String, String>,
    changes: Vec<ChangeKind>,
    messages: u64,
    witnesses: usize,
    differences: BTreeMap<String, u64>,
    is_refused: bool,
}

#[test]
fn claims_about_random_schemas_are_what_google_s_runtime_experiences() {
    let (pairs, seed) = (number("RUNTIME_PAIRS", PAIRS), number("RUNTIME_SEED", 1));
    let first = number("RUNTIME_FIRST", 0);
    let Some(runtimes) = (0..READERS).map(|_| Runtime::python()).collect::<Option<Vec<_>>>() else {
        return skip("grpcio-tools (PyPI)", "claims about random schemas against Google's Protobuf runtime");
    };
    if std::env::var_os("WIREPROOF_PROTOBUF_JAVA").is_none() {
        skip("protobuf-java (Maven)", "claims about random schemas against Google's Protobuf runtime for Java");
    }
    let told = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for (reader, mut runtime) in runtimes.into_iter().enumerate() {
            let told = &told;
            scope.spawn(move || {
                for index in (first..first + pairs).skip(reader).step_by(READERS) {
                    let one = attempt(&mut runtime, seed, index);
                    told.lock().expect("no reader panics").push((index, one));
                }
            });
        }
    });
    let mut told = told.into_inner().expect("no reader panics");
    told.sort_by_key(|(index, _)| *index);
    report(&told, pairs);
}

fn report(told: &[(usize, Told)], pairs: usize) {
    let mut changes: BTreeMap<&str, usize> = BTreeMap::new();
    let mut kinds: BTreeMap<&str, usize> = BTreeMap::new();
    let mut differences: BTreeMap<&str, u64> = BTreeMap::new();
    let mut shown = String::new();
    let mut left = number("RUNTIME_SHOWN", 5);
    for (_, one) in told {
        for kind in &one.changes {
            *changes.entry(kind.name()).or_default() += 1;
        }
        for (cause, count) in &one.differences {
            *differences.entry(cause).or_default() += count;
        }
        for (kind, what) in &one.problems {
            *kinds.entry(kind).or_default() += 1;
            if left > 0 {
                left -= 1;
                let _ = write!(shown, "{what}\n\n");
            }
        }
    }
    let messages: u64 = told.iter().map(|(_, one)| one.messages).sum();
    let witnesses: usize = told.iter().map(|(_, one)| one.witnesses).sum();
    let refused = told.iter().filter(|(_, one)| one.is_refused).count();
    println!("{pairs} pairs, {refused} of them refused, {messages} messages, {witnesses} witnesses");
    println!("changes by kind: {changes:?}");
    println!("differences between runtimes: {differences:?}");
    assert!(kinds.is_empty(), "{kinds:?}\n{shown}");
    assert!(refused * 20 <= pairs, "{refused} of {pairs} pairs are not valid schemas");
}

fn attempt(runtime: &mut Runtime, seed: usize, index: usize) -> Told {
    let mut dice = Dice((seed as u64) << 32 | index as u64);
    let is_near = index % 5 == 4 || number("RUNTIME_NEAR", 0) > 0;
    let sides = match is_near {
        true => neighbourhood::pair(&mut dice),
        false => {
            let old = make::schema(&mut dice);
            let new = mutation::mutate(&old, &mut dice, 3);
            mutation::spelled_together(&old, &mut dice).unwrap_or((old, new))
        }
    };
    let sides = Pair::new(sides.0, sides.1);
    let (answer, mut told) = tried(runtime, &sides, index);
    let kinds: Vec<String> = problems(&answer).into_iter().map(|(kind, _)| kind).collect();
    for kind in kinds {
        let what = |runtime: &mut Runtime, sides: &Pair<Schema>| {
            let (answer, _) = tried(runtime, sides, index);
            problems(&answer).into_iter().find(|(other, _)| *other == kind).map(|(_, what)| what)
        };
        let first = what(runtime, &sides).unwrap_or_default();
        let (smallest, what) = shrink(sides.clone(), first, |sides| what(runtime, sides));
        told.problems
            .insert(kind.clone(), format!("== seed {seed}, pair {index}: {kind}\n{}\n{what}", text(&smallest)));
    }
    told
}

fn problems(answer: &Json) -> Vec<(String, String)> {
    let text = |value: &Json| value.as_str().unwrap_or_default().to_owned();
    let problems = answer["problems"].as_array().into_iter().flatten();
    let mut all: Vec<(String, String)> = problems.map(|one| (text(&one["kind"]), text(&one["what"]))).collect();
    all.sort();
    all.dedup_by(|one, other| one.0 == other.0);
    all
}

/// Asks both: what we claim and what the runtime experiences.
fn tried(runtime: &mut Runtime, sides: &Pair<Schema>, index: usize) -> (Json, Told) {
    let files = sides.as_ref().map(print::print);
    let snapshots = files.as_ref().map(snapshot);
    let case = Case {
        name: "random".to_owned(),
        format: Format::Protobuf,
        sides: snapshots,
        roots: Vec::new(),
        usages: Default::default(),
    };
    let checked = case.check();
    let problems = checked.problems.old.iter().chain(&checked.problems.new);
    let is_refused = problems.clone().any(|problem| problem.is_error());
    let attached = attach(judge("protobuf", &checked.changes, RuleSet::built_in()).judged, &checked.observed);
    let observations: Vec<&Observation> = checked
        .observed
        .observations
        .iter()
        .filter(|seen| seen.runtime == SPEC && seen.outcome > Outcome::Defaulted)
        .collect();
    let question = json!({
        "old": files.old, "new": files.new, "seed": index, "messages": MESSAGES,
        "claims": claims(&attached),
        "witnesses": observations.iter().map(|seen| witness(seen)).collect::<Vec<_>>(),
    });
    let mut answer = runtime.ask(&question);
    let own = own_problems(&checked, &attached, is_refused, &answer);
    if let Some(problems) = answer["problems"].as_array_mut() {
        problems.extend(own);
    }
    let told = Told {
        problems: BTreeMap::new(),
        changes: checked.changes.iter().map(|change| change.kind).collect(),
        messages: answer["messages"].as_u64().unwrap_or_default(),
        witnesses: observations.len(),
        differences: serde_json::from_value(answer["differences"].clone()).unwrap_or_default(),
        is_refused,
    };
    (answer, told)
}

/// What needs no runtime to be seen, and where the compiler is of another opinion about what is valid.
fn own_problems(_checked: &Checked, attached: &Attached<'_>, is_refused: bool, answer: &Json) -> Vec<Json> {
    let refused = answer["refused"].as_array().is_some_and(|sides| !sides.is_empty());
    let unexplained = attached.unexplained.iter();
    let mut own: Vec<Json> = unexplained
        .map(|seen| json!({ "kind": "unexplained", "what": format!("{} {} {} {}", seen.surface, seen.direction, seen.identity, seen.outcome) }))
        .collect();
    let let_through = crate::laws::let_through(attached);
    own.extend(let_through.into_iter().map(|what| json!({ "kind": "let-through", "what": what })));
    if is_refused && !refused {
        own.push(json!({ "kind": "refused", "what": "we refuse what the compiler takes" }));
    }
    own
}

/// What every finding about data claims, and of what.
fn claims(attached: &Attached<'_>) -> Json {
    let about_data = attached.findings.iter().filter(|finding| {
        let kind = finding.judged.change.kind;
        !matches!(kind, ChangeKind::MethodRemoved | ChangeKind::ServiceRemoved | ChangeKind::MethodStreamingChanged)
    });
    let claim = |finding: &wireproof::attach::Finding<'_>| {
        let of = |surface: Surface| {
            let cells = finding.judged.impact.iter().filter(|(other, ..)| *other == surface);
            cells.map(|(_, direction, outcome)| (direction.name(), outcome.name())).collect::<BTreeMap<_, _>>()
        };
        let change = finding.judged.change;
        let members: Vec<&str> = change.members.iter().map(|member| member.path.as_str()).collect();
        json!({ "path": change.path, "impact": { "wire": of(Surface::Wire), "json": of(Surface::Json) }, "members": members })
    };
    about_data.map(claim).collect()
}

fn witness(seen: &Observation) -> Json {
    let hex = |bytes: &[u8]| bytes.iter().fold(String::new(), |text, byte| text + &format!("{byte:02x}"));
    json!({
        "surface": seen.surface.name(), "direction": seen.direction.name(), "outcome": seen.outcome.name(),
        "writer": seen.witness.writer(), "reader": seen.witness.reader(), "wrapper": seen.witness.wrapper, "bytes": hex(&seen.witness.bytes),
        "read": *seen.witness.read,
    })
}
