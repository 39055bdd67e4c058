//! What is said of random pairs of Avro schemas beside what Java's and Python's implementations make of them.
//!
//! `tests/runtimes/avro/Peer.java` checks both ways as registries do, and writes and reads random data;
//! `tests/runtimes/fastavro_peer.py` reads the same data. A plain run tries a few hundred pairs;
//! `AVRO_PAIRS=10000 AVRO_SEED=7 cargo test --test it avro_peer` tries others, `AVRO_FIRST=17 AVRO_PAIRS=1` one of them, and
//! `AVRO_SHOWN=100` shows more of what was found. What is found is made as small as possible.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value as Json, json};

use crate::laws_random::number;
use crate::support::avro::{Schema, mutate, schema, smallest};
use crate::support::dice::Dice;
use crate::support::peer::Peer;
use crate::support::{Case, root, skip, snapshot};
use wireproof::change::Pair;
use wireproof::evidence::{Outcome, REFERENCE, SPEC};
use wireproof::formats::avro::{Dialect, Parsed};
use wireproof::formats::{CheckOptions, Format};
use wireproof::report::{Evidence, Finding, Report};
use wireproof::rules::{Profile, RuleSet};
use wireproof::source::Snapshot;
use wireproof::verdict::{Mode, Policy};
use wireproof::vocabulary::{Direction, Verdict};

/// Pairs of a plain run.
const PAIRS: usize = 300;
/// Values that each side writes.
const VALUES: usize = 12;
/// Pairs at work side by side.
const WORKERS: usize = 2;
/// Problems that are shown.
const SHOWN: usize = 5;
/// Names the folder with a folder of jars for each release of Java's Avro.
const FOLDER: &str = "WIREPROOF_AVRO";
/// The release that is modelled.
pub(crate) const MODELLED: &str = "1.12.1";

/// What is refused by one side only, or read otherwise, as its page says: part of what Java says, and why it is left.
const KNOWN: &[(&str, &str)] = &[];

/// The releases that are here, each with its jars; the modelled one first.
pub(crate) fn releases() -> Vec<(String, PathBuf)> {
    let Some(folder) = std::env::var_os(FOLDER).map(PathBuf::from) else { return Vec::new() };
    let named = |path: PathBuf| Some((path.file_name()?.to_str()?.to_owned(), path));
    let mut all: Vec<(String, PathBuf)> = crate::support::folders_in(&folder).into_iter().filter_map(named).collect();
    all.sort_by_key(|(release, _)| (release != MODELLED, release.clone()));
    all
}

pub(crate) fn start(jars: &std::path::Path) -> Option<Peer> {
    let mut command = Command::new("java");
    command.args(["-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xss4m", "-cp"]).arg(jars.join("*"));
    let mut peer = Peer::start(command.arg(root().join("tests/runtimes/avro/Peer.java")))?;
    (!peer.ask("{}").is_empty()).then_some(peer)
}

/// Who is asked.
struct Peers {
    java: Peer,
    /// Where it is installed.
    fastavro: Option<Peer>,
}

impl Peers {
    fn start(jars: &std::path::Path) -> Peers {
        let java = start(jars).expect("Java runs where its libraries are installed");
        Peers { java, fastavro: fastavro_peer() }
    }
}

fn fastavro_peer() -> Option<Peer> {
    let program = std::env::var("WIREPROOF_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let is_here = Command::new(&program).args(["-c", "import fastavro"]).output().is_ok_and(|out| out.status.success());
    let script = root().join("tests/runtimes/avro/fastavro_peer.py");
    is_here.then(|| Peer::start(Command::new(program).arg(script))).flatten()
}

/// What was found, and in how much.
#[derive(Default)]
struct Told {
    /// What fastavro makes of data that Java and the specification read alike: its word → how often.
    fastavro: BTreeMap<String, usize>,
    /// Kind of problem → how often.
    kinds: BTreeMap<String, usize>,
    shown: BTreeMap<usize, Vec<String>>,
    refused: usize,
    readings: usize,
    witnesses: usize,
    incompatible: usize,
    left_out: usize,
}

#[test]
fn what_is_said_of_random_avro_schemas_is_what_java_says_and_does() {
    let releases = releases();
    let Some((_, jars)) = releases.first().filter(|(release, _)| release == MODELLED) else {
        return skip("Avro for Java (Maven)", "verdicts about random Avro schemas beside Java's checker and decoder");
    };
    let (pairs, seed, first) = (number("AVRO_PAIRS", PAIRS), number("AVRO_SEED", 1), number("AVRO_FIRST", 0));
    let (next, told) = (AtomicUsize::new(first), Mutex::new(Told::default()));
    if Peers::start(jars).fastavro.is_none() {
        skip("fastavro (PyPI)", "what fastavro reads of random Avro data");
    }
    std::thread::scope(|scope| {
        for _ in 0..WORKERS {
            scope.spawn(|| {
                let mut peers = Peers::start(jars);
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    if index >= first + pairs {
                        return;
                    }
                    attempt(&mut peers, seed, index, &told);
                }
            });
        }
    });
    let told = told.into_inner().expect("no worker panics");
    println!("fastavro alone, where Java and the specification agree: {:?}", told.fastavro);
    println!(
        "{pairs} pairs, {} left out, {} refused by both, {} directions incompatible, {} readings, {} witnesses",
        told.left_out, told.refused, told.incompatible, told.readings, told.witnesses
    );
    let shown: Vec<String> = told.shown.into_values().flatten().take(number("AVRO_SHOWN", SHOWN)).collect();
    assert!(told.kinds.is_empty(), "{:?}\n{}", told.kinds, shown.join("\n\n"));
    assert!(told.refused * 4 <= pairs, "{} of {pairs} pairs are not valid schemas", told.refused);
}

fn attempt(peers: &mut Peers, seed: usize, index: usize, told: &Mutex<Told>) {
    let mut dice = Dice((seed as u64) << 32 | index as u64);
    let old = schema(&mut dice);
    let mut new = old.clone();
    for _ in 0..=dice.below(3) {
        mutate(&mut new, &mut dice);
    }
    let sides = Pair::new(old, new);
    // Which type such a name means differs between releases of Java; `docs/compare.md` says how.
    if [&sides.old, &sides.new].iter().any(|side| names_depend_on_order(&side.print())) {
        return told.lock().expect("no worker panics").left_out += 1;
    }
    let found = judge(peers, &sides, index, Some(told));
    for (kind, what) in found {
        let again = |peers: &mut Peers, sides: &Pair<Schema>| judge(peers, sides, index, None).remove(&kind);
        let is_wanted = {
            let mut told = told.lock().expect("no worker panics");
            let count = told.kinds.entry(kind.clone()).or_default();
            *count += 1;
            *count <= number("AVRO_SHOWN", SHOWN)
        };
        if is_wanted {
            let (sides, what) = smallest(sides.clone(), what, |sides| again(peers, sides));
            let text = sides.map(|side| side.print());
            let shown = format!("== seed {seed}, pair {index}: {kind}\n{}\n{}\n{what}", text.old, text.new);
            told.lock().expect("no worker panics").shown.entry(index).or_default().push(shown);
        }
    }
}

/// Whether a name inside of a record can mean that record, and a type without a namespace as well.
fn names_depend_on_order(schema: &Json) -> bool {
    fn look(schema: &Json, namespace: &str, around: &mut Vec<String>, visit: &mut dyn FnMut(&str, &str, &[String])) {
        match schema {
            Json::String(name) => visit(name, namespace, around),
            Json::Array(branches) => branches.iter().for_each(|branch| look(branch, namespace, around, visit)),
            Json::Object(_) => {
                let own = schema["namespace"].as_str().unwrap_or(namespace).to_owned();
                if let Some(name) = schema["name"].as_str() {
                    around.push(if own.is_empty() { name.to_owned() } else { format!("{own}.{name}") });
                    visit("", &own, around);
                }
                for inside in [&schema["items"], &schema["values"]] {
                    look(inside, namespace, around, visit);
                }
                for field in schema["fields"].as_array().into_iter().flatten() {
                    look(&field["type"], &own, around, visit);
                }
                if schema["name"].is_string() {
                    around.pop();
                }
            }
            _ => {}
        }
    }
    let (mut bare, mut uses) = (BTreeSet::new(), Vec::new());
    look(schema, "", &mut Vec::new(), &mut |name, namespace, around| match (name, around.last()) {
        ("", Some(own)) if namespace.is_empty() => drop(bare.insert(own.clone())),
        _ if around.contains(&format!("{namespace}.{name}")) => uses.push(name.to_owned()),
        _ => {}
    });
    uses.iter().any(|name| bare.contains(name))
}

/// Both sides as they are checked.
struct Texts {
    old: String,
    new: String,
    sides: Pair<Snapshot>,
}

impl Texts {
    fn of(sides: &Pair<Schema>) -> Texts {
        let text = sides.as_ref().map(|side| side.print().to_string());
        let file = |text: &String| snapshot(&BTreeMap::from([("t.avsc".to_owned(), text.clone())]));
        Texts { sides: text.as_ref().map(file), old: text.old, new: text.new }
    }

    fn report(&self, policy: &Policy) -> Report {
        let case = Case {
            name: "random".to_owned(),
            format: Format::Avro,
            sides: self.sides.clone(),
            roots: Vec::new(),
            usages: Default::default(),
        };
        case.report(policy)
    }
}

/// What is wrong with what is said of a pair: kind of problem → what.
fn judge(
    peers: &mut Peers,
    sides: &Pair<Schema>,
    index: usize,
    told: Option<&Mutex<Told>>,
) -> BTreeMap<String, String> {
    let texts = Texts::of(sides);
    let judged = catch_unwind(AssertUnwindSafe(|| {
        let report = texts.report(&Policy::default().with_mode(Mode::Full));
        (java_beside(&mut peers.java, &texts, &report, index), report)
    }));
    let Ok((answer, report)) = judged else {
        return BTreeMap::from([("panic".to_owned(), "it panicked".to_owned())]);
    };
    let mut found = Found::default();
    if let Some(failure) = answer["failure"].as_str() {
        found.tell("failure", failure.to_owned());
        return found.0;
    }
    if !is_valid(&answer, &report, &mut found) {
        if let Some(told) = told {
            told.lock().expect("no worker panics").refused += 1;
        }
        return found.0;
    }
    if report.round_trips.unexplained > 0 {
        let problems: Vec<&str> = report.problems.iter().map(|problem| &*problem.message).collect();
        found.tell("unexplained", problems.join("\n"));
    }
    honest(&report, &mut found);
    let mut counts = (0, 0);
    for direction in [Direction::Backward, Direction::Forward] {
        let answer = &answer[direction.name()];
        counts.0 += usize::from(checker(&texts, &report, direction, answer, &mut found));
        counts.1 += readings(&texts, &report, direction, answer, &mut found);
    }
    let witnesses = witnesses(&report);
    for ((finding, evidence), java) in witnesses.iter().zip(answer["readings"].as_array().into_iter().flatten()) {
        witness((finding, evidence), java, &report, &texts, &mut found);
    }
    if let Some(told) = told {
        let words =
            [Direction::Backward, Direction::Forward].map(|direction| fastavro(peers, &texts, direction, &answer));
        let mut told = told.lock().expect("no worker panics");
        words.into_iter().flatten().for_each(|word| *told.fastavro.entry(word).or_default() += 1);
        told.incompatible += counts.0;
        told.readings += counts.1;
        told.witnesses += witnesses.len();
    }
    found.0
}

#[derive(Default)]
struct Found(BTreeMap<String, String>);

impl Found {
    fn tell(&mut self, kind: &str, what: String) {
        self.0.entry(kind.to_owned()).or_insert(what);
    }
}

/// Every finding has a place, and no evidence speaks against the rule that it stands below.
fn honest(report: &Report, found: &mut Found) {
    // Of types without any value nothing is written, and so nothing is seen.
    let is_written = report.not_checked.is_empty();
    for finding in &report.findings {
        if finding.old.is_none() && finding.new.is_none() {
            found.tell("no place", format!("{} {}", finding.rule, finding.path));
        }
        let against = |one: &&Evidence| is_written && one.runtime == SPEC && one.status.as_str() == "contradicts";
        if let Some(one) = finding.evidence.iter().find(against) {
            let what = format!("{} {}: {} {} {}", finding.rule, finding.path, one.direction, one.outcome, one.read);
            found.tell("evidence against its rule", what);
        }
        let unseen = |one: &&Evidence| {
            let is_on_wire = one.runtime == SPEC && one.surface == wireproof::vocabulary::Surface::Wire;
            is_on_wire && one.outcome == Outcome::Fails && one.status.as_str() == "not-observable"
        };
        let is_of_data = finding.rule != "avro/root-type-removed";
        if let Some(one) = finding.evidence.iter().find(unseen).filter(|_| is_written && is_of_data) {
            found.tell("claim that nothing shows", format!("{} {}: {}", finding.rule, finding.path, one.direction));
        }
    }
}

/// What is replayed: the witnesses on the wire.
fn witnesses(report: &Report) -> Vec<(&Finding, &Evidence)> {
    let of_finding = |finding: &'_ Finding| -> Vec<usize> {
        let shown = |one: &Evidence| one.surface == wireproof::vocabulary::Surface::Wire && !one.wrote.is_null();
        (0..finding.evidence.len()).filter(|at| shown(&finding.evidence[*at])).collect()
    };
    let all = report
        .findings
        .iter()
        .flat_map(|finding| of_finding(finding).into_iter().map(move |at| (finding, &finding.evidence[at])));
    all.filter(|(_, one)| one.runtime == SPEC || one.runtime == REFERENCE).collect()
}

fn java_beside(java: &mut Peer, texts: &Texts, report: &Report, index: usize) -> Json {
    let reading = |(_, one): &(&Finding, &Evidence)| {
        let writer = if one.writer.is_empty() { &one.type_name } else { &one.writer };
        let reader = if one.reader.is_empty() { writer } else { &one.reader };
        json!({ "direction": one.direction, "writer": writer, "reader": reader, "bytes": one.bytes })
    };
    let readings: Vec<Json> = witnesses(report).iter().map(reading).collect();
    let question = json!({ "old": texts.old, "new": texts.new, "seed": index, "values": VALUES, "readings": readings });
    serde_json::from_str(&java.ask(&question.to_string())).expect("Java writes JSON")
}

/// Whether both take both sides; who alone refuses one is told of.
fn is_valid(answer: &Json, report: &Report, found: &mut Found) -> bool {
    let refused: Vec<&str> = ["old", "new"].iter().filter_map(|side| answer[side].as_str()).collect();
    let errors = report.problems.iter().filter(|problem| problem.severity.to_string() == "error");
    let errors: Vec<&str> = errors.map(|problem| &*problem.message).collect();
    let is_refused = report.verdict == Verdict::Unknown && report.round_trips.unexplained == 0;
    match (refused.first(), is_refused) {
        (Some(says), false) => {
            if !KNOWN.iter().any(|(known, _)| says.contains(known)) {
                found.tell("only Java refuses", (*says).to_owned());
            }
            false
        }
        (None, true) => {
            found.tell("only we refuse", errors.join("\n"));
            false
        }
        (refused, _) => refused.is_none(),
    }
}

/// What the registries' checker says, and what is printed of it: types, messages, pointers, and the verdict. Whether the
/// direction is incompatible.
fn checker(texts: &Texts, report: &Report, direction: Direction, answer: &Json, found: &mut Found) -> bool {
    if texts.old == texts.new {
        return false;
    }
    let said = answer["said"].as_array().into_iter().flatten().map(Json::to_string);
    let mut said: BTreeSet<String> = said.collect();
    if let Some(reason) = answer["throws"].as_str() {
        said = BTreeSet::from([json!(["AvroRuntimeException", reason]).to_string()]);
    }
    let reports = report.findings.iter().flat_map(|finding| &finding.peer_reports);
    let reports = reports.filter(|one| one.tool == "avro" && one.direction == Some(direction.into()));
    let mut printed: BTreeSet<String> =
        reports.map(|one| json!([one.id, one.message, one.pointer]).to_string()).collect();
    if answer["throws"].is_string() {
        // It ends with the first; what it would have said besides is not known.
        if !printed.iter().any(|one| one.starts_with("[\"AvroRuntimeException\"")) {
            found.tell("what the checker throws", format!("{direction}: Java throws {said:?}, printed {printed:?}"));
        }
        printed = said.clone();
    }
    if said != printed {
        let lines = |of: &BTreeSet<String>, without: &BTreeSet<String>| {
            of.difference(without).fold(String::new(), |mut text, line| {
                let _ = write!(text, "\n  {line}");
                text
            })
        };
        let types = |of: &BTreeSet<String>| -> BTreeSet<String> {
            of.iter().filter_map(|one| one.split('"').nth(1).map(str::to_owned)).collect()
        };
        let kind = if types(&said) == types(&printed) { "words of the checker" } else { "types of the checker" };
        let what = format!("{direction}: Java alone:{}\nwe alone:{}", lines(&said, &printed), lines(&printed, &said));
        found.tell(kind, what);
    }
    let profile = Profile::all().find(|profile| profile.name == "avro").expect("it is built in");
    let mode = mode(direction);
    let policy =
        Policy { profile: Some(profile.all_in_force(RuleSet::built_in())), ..Policy::default().with_mode(mode) };
    let verdict = texts.report(&policy).verdict;
    let expected = if said.is_empty() { Verdict::Compatible } else { Verdict::Breaking };
    if verdict != expected {
        found.tell("verdict of the profile", format!("{direction}: {verdict}, Java says {said:?}"));
    }
    !said.is_empty()
}

const fn mode(direction: Direction) -> Mode {
    match direction {
        Direction::Backward => Mode::Backward,
        Direction::Forward => Mode::Forward,
    }
}

/// What became of data: what the models of readers say, and whether readers are hurt of whom nothing is told.
fn readings(texts: &Texts, report: &Report, direction: Direction, answer: &Json, found: &mut Found) -> usize {
    let sides = match direction {
        Direction::Backward => texts.sides.as_ref(),
        Direction::Forward => texts.sides.as_ref().mirrored(),
    };
    let options = CheckOptions::default();
    let parsed = Parsed::new(sides, &options);
    let linked = parsed.link();
    let passes = report.modes.iter().any(|one| one.mode == mode(direction) && one.passes);
    let graves = report.findings.iter().filter(|one| matches!(one.severity.to_string().as_str(), "warning" | "error"));
    let mut evidence = graves.flat_map(|one| &one.evidence);
    let is_told = evidence.any(|one| one.direction == direction && one.runtime == REFERENCE && is_grave(one));
    let all = answer["read"].as_array().into_iter().flatten();
    let mut count = 0;
    for one in all {
        count += 1;
        let bytes = unhex(one["bytes"].as_str().expect("bytes are written in hexadecimal"));
        let [spec, modelled] = [Dialect::Specification, Dialect::Java].map(|dialect| linked.replay(&bytes, dialect));
        let (spec, modelled) = match (spec, modelled) {
            (Ok(spec), Ok(modelled)) => (spec, modelled),
            (Err(error), _) | (_, Err(error)) => {
                found.tell("not decoded", format!("{direction} {}: {error}", one["bytes"]));
                continue;
            }
        };
        let java = one.get("value");
        let shown = |read: &Result<Json, String>| match read {
            Ok(value) => value.to_string(),
            Err(reason) => format!("rejected: {reason}"),
        };
        let what = format!(
            "{direction} {}: Java {}, specification {}, model {}",
            one["bytes"],
            java.map_or_else(|| one["error"].to_string(), Json::to_string),
            shown(&spec),
            shown(&modelled)
        );
        // Java makes every default before it reads anything, and one that holds itself without end has no room.
        let is_out_of_room = one["error"].as_str().is_some_and(|error| error.contains("StackOverflowError"));
        if !agrees(&modelled, java) && !is_out_of_room {
            found.tell("model of the decoder", what.clone());
        }
        if passes && spec.is_err() {
            found.tell("false pass by the specification", what.clone());
        }
        // Of types without any value nothing is written, which the report says.
        if passes && !agrees(&spec, java) && spec.is_ok() && !is_told && report.not_checked.is_empty() {
            found.tell("false pass for Java", what);
        }
    }
    count
}

/// What fastavro says of data that Java reads as the specification has it, and it does not, in its words without names.
fn fastavro(peers: &mut Peers, texts: &Texts, direction: Direction, answer: &Json) -> Vec<String> {
    let Some(peer) = &mut peers.fastavro else { return Vec::new() };
    let (sides, writer, reader) = match direction {
        Direction::Backward => (texts.sides.as_ref(), &texts.old, &texts.new),
        Direction::Forward => (texts.sides.as_ref().mirrored(), &texts.new, &texts.old),
    };
    let options = CheckOptions::default();
    let parsed = Parsed::new(sides, &options);
    let linked = parsed.link();
    let java: Vec<&Json> = answer[direction.name()]["read"].as_array().into_iter().flatten().collect();
    let bytes: Vec<&Json> = java.iter().map(|one| &one["bytes"]).collect();
    let question = json!({ "writer": writer, "reader": reader, "bytes": bytes });
    let Ok(answer) = serde_json::from_str::<Json>(&peer.ask(&question.to_string())) else {
        peers.fastavro = fastavro_peer();
        return vec!["it crashes".to_owned()];
    };
    let shape = |text: &str| text.split(['<', '{', '[', '\'']).next().unwrap_or_default().to_owned();
    if let Some(reason) = answer["refused"].as_str() {
        return vec![format!("refuses the schema: {}", shape(reason))];
    }
    let mut words = Vec::new();
    for (java, read) in java.iter().zip(answer["read"].as_array().into_iter().flatten()) {
        let bytes = unhex(java["bytes"].as_str().unwrap_or_default());
        let spec = linked.replay(&bytes, Dialect::Specification);
        let Some(value) = java.get("value").filter(|value| matches!(&spec, Ok(Ok(spec)) if is_same(spec, value)))
        else {
            continue;
        };
        match (read.get("value"), read["error"].as_str()) {
            (Some(read), _) if is_same(read, value) => {}
            (Some(_), _) => words.push("reads something else".to_owned()),
            (None, error) => words.push(format!("rejects: {}", shape(error.unwrap_or_default()))),
        }
    }
    words
}

fn is_grave(one: &Evidence) -> bool {
    Outcome::from_name(one.outcome.as_str()).is_some_and(|outcome| outcome >= Outcome::Lossy)
}

fn agrees(ours: &Result<Json, String>, java: Option<&Json>) -> bool {
    match (ours, java) {
        (Ok(ours), Some(java)) => is_same(ours, java),
        (Err(_), None) => true,
        _ => false,
    }
}

/// Whether some finding says that Java rejects what the specification's reader takes.
fn fails_in_java(report: &Report, like: &Evidence) -> bool {
    let mut all = report.findings.iter().flat_map(|finding| &finding.evidence);
    all.any(|one| one.runtime == REFERENCE && one.direction == like.direction && one.outcome == Outcome::Fails)
}

/// A witness is what it says when it is replayed.
fn witness((finding, evidence): (&Finding, &Evidence), java: &Json, report: &Report, texts: &Texts, found: &mut Found) {
    // Where the whole is rejected for another reason, the witness says that reason.
    let says = evidence.read.as_str();
    let is_reason = says.is_some_and(|says| {
        evidence.wrote.is_object() || evidence.wrote.is_array() || says.contains("but for that it would be")
    });
    let fails = evidence.outcome == Outcome::Fails || is_reason;
    let told = || {
        format!(
            "{} {} {} {}: wrote {} bytes {} read {}, Java: {java}",
            finding.rule,
            evidence.runtime,
            evidence.direction,
            evidence.outcome,
            evidence.wrote,
            evidence.bytes,
            evidence.read
        )
    };
    if java.get("unknown").is_some() {
        return found.tell("witness of unknown types", told());
    }
    let is_read = java.get("value");
    if evidence.runtime == SPEC && replayed(evidence, texts).is_err() != fails {
        found.tell("witness that our own reader does not confirm", told());
    }
    if evidence.runtime == REFERENCE {
        if is_read.is_none() != fails {
            found.tell("witness of the model", told());
        }
    } else {
        let of_java =
            finding.evidence.iter().filter(|one| one.direction == evidence.direction && one.runtime == REFERENCE);
        let java_fails = of_java.map(|one| one.outcome == Outcome::Fails).next();
        match (fails, is_read.is_none()) {
            (true, true) | (false, false) => {}
            (true, false) if java_fails != Some(true) => {}
            // Java stumbles over this change or over another one.
            (false, true) if java_fails == Some(true) || fails_in_java(report, evidence) => return,
            _ => return found.tell("witness of the specification", told()),
        }
    }
    // Bytes and what has a logical type are shown as people write them.
    let is_for_people =
        |text: &String| ["logicalType", "\"fixed\"", "\"bytes\""].iter().any(|word| text.contains(word));
    let has_words_for_people = is_for_people(&texts.old) || is_for_people(&texts.new);
    if let Some(value) = is_read.filter(|_| !fails && !has_words_for_people && evidence.runtime == REFERENCE)
        && !is_same(&evidence.read, value)
    {
        found.tell("value of a witness", told());
    }
}

/// What the specification's reader makes of a witness.
fn replayed(evidence: &Evidence, texts: &Texts) -> Result<Json, String> {
    let sides = match evidence.direction.as_str() {
        "backward" => texts.sides.as_ref(),
        _ => texts.sides.as_ref().mirrored(),
    };
    let options = CheckOptions::default();
    let parsed = Parsed::new(sides, &options);
    let names = Pair::new(&*evidence.writer, &*evidence.reader);
    parsed.link().replay_named(names, &unhex(&evidence.bytes), Dialect::Specification)?
}

fn unhex(text: &str) -> Vec<u8> {
    let digits = text.as_bytes().chunks_exact(2);
    digits
        .map(|pair| u8::from_str_radix(std::str::from_utf8(pair).expect("digits are ASCII"), 16).expect("two digits"))
        .collect()
}

/// Whether two values are the same: integers exactly, real numbers as the bits that were read.
fn is_same(ours: &Json, java: &Json) -> bool {
    match (ours, java) {
        (Json::Number(ours), Json::Number(java)) => {
            if ours.is_i64() && java.is_i64() {
                return ours == java;
            }
            let (Some(ours), Some(java)) = (ours.as_f64(), java.as_f64()) else { return false };
            ours.to_bits() == java.to_bits()
        }
        (Json::Array(ours), Json::Array(java)) => {
            ours.len() == java.len() && ours.iter().zip(java).all(|(ours, java)| is_same(ours, java))
        }
        (Json::Object(ours), Json::Object(java)) => {
            ours.len() == java.len()
                && ours.iter().all(|(key, ours)| java.get(key).is_some_and(|java| is_same(ours, java)))
        }
        _ => ours == java,
    }
}
