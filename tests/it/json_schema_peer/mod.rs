//! The verdict beside what validators say, over random pairs of schemas of all drafts.
//!
//! Two validators judge: `jsonschema` for Python (`tests/data/json-schema/peer.py`) and Ajv (`peer.js`). Each instance that
//! the report shows is given to both: the writer's schema has to take it and the reader's to refuse it. Where the report
//! says that a direction is safe, instances are made here and looked for that refute it, as far as writers write them. What
//! validators are known to disagree on is counted by its cause. Where a validator is missing, the test says so and passes.
//!
//! `PAIRS=5000 SEED=7` tries other pairs than a plain run, `DATA=10000` looks among so many instances for each direction, and
//! `FIRST=17 PAIRS=1 TEXTS=1` tries one pair again, shown before anything else happens.

mod causes;
mod data;
mod judge;
mod make;
mod mutate;

use std::collections::BTreeMap;
use std::process::Command;
use std::sync::Mutex;

use rayon::prelude::*;
use serde_json::{Value as Json, json};

use crate::laws_random::number;
use crate::peers::{Dice, Peer};
use crate::support::{root, skip};
use judge::{Fault, Judged, judge};
use wireproof::change::Pair;

/// Pairs of a plain run.
const PAIRS: usize = 200;
/// Faults that are shown.
const SHOWN: usize = 6;
/// Directions of a hundred that could not be told, at most.
const UNTOLD: usize = 4;

/// Both validators.
pub struct Peers {
    pub python: Peer,
    pub ajv: Peer,
}

fn start(python: &str) -> Peers {
    let file = |name: &str| root().join("tests/data/json-schema").join(name);
    let (mut first, mut second) = (Command::new(python), Command::new("node"));
    first.arg(file("peer.py"));
    second.arg(file("peer.js")).env("NODE_PATH", std::env::var_os("WIREPROOF_AJV").unwrap_or_default());
    Peers { python: Peer::start(first), ajv: Peer::start(second) }
}

#[test]
fn no_verdict_passes_what_validators_refuse() {
    let python = std::env::var("WIREPROOF_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let untested = "verdicts on JSON Schema beside what validators say";
    let runs = |command: &mut Command| command.output().is_ok_and(|output| output.status.success());
    if !runs(Command::new(&python).args(["-c", "import jsonschema; jsonschema.Draft202012Validator"])) {
        return skip("jsonschema", untested);
    }
    let ajv = std::env::var_os("WIREPROOF_AJV");
    let asks = ["-e", "require('ajv/dist/2020'); require('ajv-draft-04')"];
    if !ajv.is_some_and(|folder| runs(Command::new("node").args(asks).env("NODE_PATH", folder))) {
        return skip("ajv", untested);
    }
    let (pairs, seed, first) = (number("PAIRS", PAIRS), number("SEED", 1), number("FIRST", 0));
    let idle: Mutex<Vec<Peers>> = Mutex::default();
    let attempt = |index: usize| {
        let mut peers = idle.lock().expect("nobody panics here").pop().unwrap_or_else(|| start(&python));
        let tried = attempt(&mut peers, seed, index);
        idle.lock().expect("nobody panics here").push(peers);
        tried
    };
    let tried: Vec<Tried> = (first..first + pairs).into_par_iter().map(attempt).collect();
    tell(&tried, &format!("{pairs} pairs (seed {seed})"));
}

/// What came of a pair.
struct Tried {
    edits: Vec<&'static str>,
    judged: Judged,
    /// What is wrong, and the smallest pair on which it is.
    told: Option<(Fault, String)>,
}

fn attempt(peers: &mut Peers, seed: usize, index: usize) -> Tried {
    let mut dice = Dice((seed as u64) << 32 | index as u64);
    let old = make::document(&mut dice);
    let (new, edits) = mutate::mutate(&old, &mut dice);
    let sides = Pair::new(old, new);
    if std::env::var_os("TEXTS").is_some() {
        eprintln!("{}", text(&sides));
    }
    let judged = judge(peers, &sides, &dice);
    let told = judged.fault.clone().map(|(fault, what)| {
        let (sides, what) = smallest(peers, sides, (fault, what), &dice);
        (fault, format!("== {fault:?}, seed {seed}, pair {index}, {edits:?}\n{}{what}", text(&sides)))
    });
    Tried { edits, judged, told }
}

/// Both sides as people read them.
fn text(sides: &Pair<Json>) -> String {
    format!("-- old\n{:#}\n-- new\n{:#}\n", sides.old, sides.new)
}

/// Leaves out whatever can be left out of both sides while the fault stays.
fn smallest(
    peers: &mut Peers,
    mut sides: Pair<Json>,
    (fault, mut what): (Fault, String),
    dice: &Dice,
) -> (Pair<Json>, String) {
    loop {
        let mut pointers: Vec<String> = Vec::new();
        [&sides.old, &sides.new].into_iter().for_each(|side| pointers_of(side, String::new(), &mut pointers));
        pointers.sort_by_key(|pointer| (pointer.matches('/').count(), pointer.clone()));
        pointers.dedup();
        let mut is_smaller = false;
        for pointer in pointers.iter().filter(|pointer| *pointer != "/$schema") {
            let fewer = sides.as_ref().map(|side| without(side, pointer));
            if fewer == sides {
                continue;
            }
            if let Some((_, still)) = judge(peers, &fewer, dice).fault.filter(|(same, _)| *same == fault) {
                (sides, what, is_smaller) = (fewer, still, true);
            }
        }
        if !is_smaller {
            return (sides, what);
        }
    }
}

fn pointers_of(value: &Json, at: String, found: &mut Vec<String>) {
    let mut inner = |part: String, value: &Json| {
        let at = format!("{at}/{}", mutate::escaped(&part));
        found.push(at.clone());
        pointers_of(value, at, found);
    };
    match value {
        Json::Array(list) => list.iter().enumerate().for_each(|(index, one)| inner(index.to_string(), one)),
        Json::Object(map) => map.iter().for_each(|(name, one)| inner(name.clone(), one)),
        _ => {}
    }
}

fn without(value: &Json, pointer: &str) -> Json {
    let mut fewer = value.clone();
    let Some((holder, last)) = pointer.rsplit_once('/') else { return fewer };
    match fewer.pointer_mut(holder) {
        Some(Json::Object(map)) => drop(map.remove(&last.replace("~1", "/").replace("~0", "~"))),
        Some(Json::Array(list)) => {
            if let Some(index) = last.parse::<usize>().ok().filter(|index| *index < list.len()) {
                list.remove(index);
            }
        }
        _ => {}
    }
    fewer
}

/// Shows what came of all pairs, and fails where something is wrong.
fn tell(tried: &[Tried], what: &str) {
    let sum = |of: fn(&Judged) -> usize| tried.iter().map(|one| of(&one.judged)).sum::<usize>();
    let (judged, untold) = (sum(|one| usize::from(one.is_judged)), sum(|one| one.open));
    let mut found: Vec<&(Fault, String)> = tried.iter().filter_map(|one| one.told.as_ref()).collect();
    found.sort();
    let mut faults: BTreeMap<Fault, usize> = BTreeMap::new();
    found.iter().for_each(|(fault, _)| *faults.entry(*fault).or_default() += 1);
    let summary = format!(
        "{what}: {judged} judged, {} refused by all; of {} directions {} are safe, {} break, {untold} could not be told ({} \
         of them break); {} instances shown and validated twice, {} made against what is safe: {faults:?}",
        sum(|one| usize::from(one.is_refused)),
        2 * judged,
        sum(|one| one.safe),
        sum(|one| one.broken),
        sum(|one| one.missed),
        sum(|one| one.witnesses),
        sum(|one| one.data),
    );
    eprintln!("{summary}");
    let mut edits: BTreeMap<&str, [usize; 2]> = BTreeMap::new();
    let mut causes: BTreeMap<&str, usize> = BTreeMap::new();
    for one in tried {
        for edit in &one.edits {
            let [all, doubtful] = edits.entry(edit).or_default();
            (*all, *doubtful) = (*all + 1, *doubtful + usize::from(one.judged.open > 0));
        }
        one.judged.causes.iter().for_each(|cause| *causes.entry(cause).or_default() += 1);
    }
    edits.iter().for_each(|(edit, [all, doubtful])| eprintln!("{all:6} {doubtful:4} could not be told  {edit}"));
    causes.iter().for_each(|(cause, count)| eprintln!("{count:6} times validators differ: {cause}"));
    let wanted = number("SHOWN", SHOWN);
    for (index, one) in tried.iter().enumerate().filter(|_| std::env::var_os("UNTOLD").is_some()) {
        one.judged
            .untold
            .iter()
            .for_each(|told| eprintln!("== could not be told, pair {index}, {:?}: {told}", one.edits));
    }
    let shown: Vec<&str> = found.iter().take(wanted).map(|(_, told)| told.as_str()).collect();
    assert!(found.is_empty(), "{summary}\n{}", shown.join("\n\n"));
    assert!(judged * 10 >= tried.len() * 8 || tried.len() < PAIRS, "{summary}");
    let is_seldom = untold * 100 <= 2 * judged * UNTOLD;
    assert!(is_seldom || judged < PAIRS / 2, "too much could not be told: {summary}");
}

/// A request to a validator.
pub fn ask(peer: &mut Peer, asked: &Json) -> Json {
    serde_json::from_str(&peer.ask(&asked.to_string())).expect("the peer writes JSON")
}

/// The instances given to a validator: whether the writer takes each, whether the reader does, and what else it says.
pub fn validate(peer: &mut Peer, roles: Pair<&str>, data: &[&Json]) -> Vec<[Option<bool>; 3]> {
    let answers = ask(peer, &json!({ "writer": roles.old, "reader": roles.new, "data": data }));
    let answers = answers.as_array().expect("an answer for each instance").iter();
    answers.map(|one| [0, 1, 2].map(|index| one.get(index).and_then(Json::as_bool))).collect()
}
