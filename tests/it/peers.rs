//! What the differential tests against real libraries have in common: random pairs of schemas, a program that holds the
//! real library, the verdict beside what readers experience, and the smallest pair that shows a difference.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::Mutex;

use rayon::prelude::*;

use crate::laws_random::number;
pub use crate::laws_random::schema::{Dice, Id};
use crate::support::{Case, snapshot};
use wireproof::change::Pair;
use wireproof::evidence::{Direction, Outcome, Surface};
use wireproof::formats::Format;
use wireproof::report::{Evidence, Report};
use wireproof::rules::{Profile, RuleSet};
use wireproof::verdict::{Mode, Policy};
use wireproof::vocabulary::{SPEC, Status, Verdict};

/// Pairs of a plain run.
const PAIRS: usize = 200;
/// Messages of each type in each direction.
pub const MESSAGES: usize = 12;
/// Pairs that are shown.
const SHOWN: usize = 6;

/// A real library, as a program that answers a line for a line.
pub struct Peer {
    child: Child,
    asks: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Peer {
    pub fn start(mut command: Command) -> Peer {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("the peer can be run");
        let asks = child.stdin.take().expect("it was asked for");
        let answers = BufReader::new(child.stdout.take().expect("it was asked for"));
        Peer { child, asks, answers }
    }

    pub fn ask(&mut self, question: &str) -> String {
        writeln!(self.asks, "{question}").expect("the peer listens");
        let mut answer = String::new();
        self.answers.read_line(&mut answer).expect("the peer answers");
        assert!(!answer.is_empty(), "the peer is gone, asked for {question}");
        answer.trim_end().to_owned()
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A model of schemas, which knows nothing of the program under test.
pub trait Model: Clone + Send + Sync {
    fn make(dice: &mut Dice) -> Self;

    /// The schema after a few random changes.
    fn mutate(&self, dice: &mut Dice) -> Self;

    /// The files, by path; none where nothing is left.
    fn print(&self) -> BTreeMap<String, String>;

    /// Everything that can be left out.
    fn elements(&self) -> Vec<Id>;

    /// The schema without an element and all that refers to it.
    fn without(&self, element: Id) -> Self;

    /// What was done to it, by kind; shown by each run.
    fn edits(&self) -> &[&'static str] {
        &[]
    }
}

/// What a real library says of a pair.
pub enum Loaded {
    /// It takes both schemas; whether its own comparison lets the change pass, where that can be asked.
    Taken(Option<bool>),
    /// It refuses a schema, for a reason.
    Refused(String),
    /// It says itself that it has a bug, so nothing can be compared.
    Failed,
}

/// A language with a real library.
pub trait Language: Sync {
    type Schema: Model;
    const FORMAT: Format;
    /// The profile that judges as the library's own comparison.
    const PROFILE: &'static str;

    fn start(&self) -> Peer;

    /// Gives both sides to the library.
    fn load(&self, peer: &mut Peer, sides: Pair<&Self::Schema>) -> Loaded;

    /// The worst that readers experienced of random data in a direction, and of what.
    fn worst_seen(
        &self,
        peer: &mut Peer,
        sides: Pair<&Self::Schema>,
        direction: Direction,
        dice: &mut Dice,
    ) -> Option<(Outcome, String)>;

    /// What is wrong with a witness, where it can be replayed.
    fn replay(&self, peer: &mut Peer, sides: Pair<&Self::Schema>, witness: &Evidence) -> Option<String>;
}

/// How a verdict and the real library differ, the worst first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Fault {
    /// It passes, and readers are hurt.
    FalsePass,
    /// The round trips saw what no finding explains.
    Unexplained,
    /// The library reads a witness in another way.
    Witness,
    /// The profile does not judge as the library's own comparison.
    Profile,
    /// One of the two refuses a schema that the other accepts.
    Validity,
    /// It panicked.
    Panic,
    /// It breaks, and readers are hurt more than was claimed.
    Understated,
}

/// Tries random pairs: `PAIRS=5000 SEED=7` tries others than a plain run, and `FIRST=17 PAIRS=1 TEXTS=1` one of them again,
/// shown before anything else happens.
pub fn run<L: Language>(language: &L) {
    let (pairs, seed, first) = (number("PAIRS", PAIRS), number("SEED", 1), number("FIRST", 0));
    let idle: Mutex<Vec<Peer>> = Mutex::default();
    let attempt = |index: usize| {
        let mut peer = idle.lock().expect("nobody panics here").pop().unwrap_or_else(|| language.start());
        let tried = attempt(language, &mut peer, seed, index);
        idle.lock().expect("nobody panics here").push(peer);
        tried
    };
    let tried: Vec<Tried> = (first..first + pairs).into_par_iter().map(attempt).collect();
    let mut found: Vec<&(Fault, String)> = tried.iter().filter_map(|one| one.fault.as_ref()).collect();
    found.sort();
    let mut counts: BTreeMap<Fault, usize> = BTreeMap::new();
    found.iter().for_each(|(fault, _)| *counts.entry(*fault).or_default() += 1);
    let sum = |of: fn(&Tried) -> usize| tried.iter().map(of).sum::<usize>();
    let told = format!(
        "{pairs} pairs (seed {seed}): {} judged, {} refused by both, {} passed; {} witnesses replayed, {} verdicts of the \
         peer compared: {counts:?}",
        sum(|one| usize::from(one.is_judged)),
        sum(|one| usize::from(one.is_refused)),
        sum(|one| usize::from(one.passes)),
        sum(|one| one.witnesses),
        sum(|one| usize::from(one.is_compared)),
    );
    eprintln!("{told}");
    let mut edits: BTreeMap<&str, usize> = BTreeMap::new();
    tried.iter().flat_map(|one| &one.edits).for_each(|edit| *edits.entry(edit).or_default() += 1);
    edits.iter().for_each(|(edit, count)| eprintln!("{count:6} {edit}"));
    let shown: Vec<&str> = found.iter().take(number("SHOWN", SHOWN)).map(|(_, told)| told.as_str()).collect();
    assert!(found.is_empty(), "{told}\n{}", shown.join("\n\n"));
    assert!(sum(|one| usize::from(one.is_judged)) * 10 >= pairs * 8, "{told}");
}

/// What came of a pair.
#[derive(Default)]
struct Tried {
    is_judged: bool,
    is_refused: bool,
    passes: bool,
    witnesses: usize,
    is_compared: bool,
    edits: Vec<&'static str>,
    fault: Option<(Fault, String)>,
}

fn attempt<L: Language>(language: &L, peer: &mut Peer, seed: usize, index: usize) -> Tried {
    let mut dice = Dice((seed as u64) << 32 | index as u64);
    let old = L::Schema::make(&mut dice);
    let new = old.mutate(&mut dice);
    let sides = Pair::new(old, new);
    if std::env::var_os("TEXTS").is_some() {
        eprintln!("{}", text(&sides));
    }
    let mut tried = judge(language, peer, &sides, dice.clone());
    tried.edits = sides.new.edits().to_vec();
    if let Some((fault, what)) = tried.fault {
        let (sides, what) = smallest(language, peer, sides, (fault, what), &dice);
        tried.fault = Some((fault, format!("== {fault:?}, seed {seed}, pair {index}\n{}{what}", text(&sides))));
    }
    tried
}

/// Both sides as people read them.
pub fn text<S: Model>(sides: &Pair<S>) -> String {
    let side = |of: &S| of.print().iter().map(|(path, text)| format!("# {path}\n{text}")).collect::<String>();
    format!("-- old\n{}-- new\n{}", side(&sides.old), side(&sides.new))
}

/// Leaves out whatever can be left out of both sides while the fault stays.
fn smallest<L: Language>(
    language: &L,
    peer: &mut Peer,
    sides: Pair<L::Schema>,
    (fault, what): (Fault, String),
    dice: &Dice,
) -> (Pair<L::Schema>, String) {
    smaller(sides, what, |fewer| {
        let found = judge(language, peer, fewer, dice.clone()).fault;
        found.filter(|(same, _)| *same == fault).map(|(_, still)| still)
    })
}

/// Leaves out whatever can be left out of both sides while something is still to be told of them.
pub fn smaller<S: Model>(
    mut sides: Pair<S>,
    mut what: String,
    mut told: impl FnMut(&Pair<S>) -> Option<String>,
) -> (Pair<S>, String) {
    let all = |sides: &Pair<S>| {
        let all: BTreeSet<Id> = sides.old.elements().into_iter().chain(sides.new.elements()).collect();
        all
    };
    loop {
        let before = all(&sides);
        for element in &before {
            let fewer = sides.as_ref().map(|side| side.without(*element));
            if let Some(still) = told(&fewer) {
                (sides, what) = (fewer, still);
            }
        }
        if all(&sides).len() >= before.len() {
            return (sides, what);
        }
    }
}

/// What is wrong with the verdict on a pair, if anything.
fn judge<L: Language>(language: &L, peer: &mut Peer, sides: &Pair<L::Schema>, mut dice: Dice) -> Tried {
    let mut tried = Tried::default();
    let texts = sides.as_ref().map(Model::print);
    if texts.old.is_empty() || texts.new.is_empty() {
        return tried;
    }
    let loaded = language.load(peer, sides.as_ref());
    let files = texts.map(|files| snapshot(&files));
    let case = Case {
        name: "random".to_owned(),
        format: L::FORMAT,
        sides: files,
        roots: Vec::new(),
        usages: Default::default(),
    };
    let judged = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| case.report(&Policy::default())));
    let Ok(report) = judged else {
        tried.fault = Some((Fault::Panic, "it panicked".to_owned()));
        return tried;
    };
    let errors: Vec<&str> =
        report.problems.iter().filter(|problem| problem.file.is_some()).map(|problem| &*problem.message).collect();
    let is_refused = report.verdict == Verdict::Unknown && !errors.is_empty();
    let own = match (loaded, is_refused) {
        (Loaded::Failed, _) => return tried,
        (Loaded::Refused(_), true) => {
            tried.is_refused = true;
            return tried;
        }
        (Loaded::Refused(reason), false) => {
            tried.fault = Some((Fault::Validity, format!("the library refuses: {reason}")));
            return tried;
        }
        (Loaded::Taken(_), true) => {
            tried.fault = Some((Fault::Validity, format!("we refuse: {}", errors.join("; "))));
            return tried;
        }
        (Loaded::Taken(own), false) => own,
    };
    tried.is_judged = true;
    tried.passes = report.verdict == Verdict::Compatible;
    if report.round_trips.unexplained > 0 {
        let told: Vec<&str> = report.problems.iter().map(|problem| &*problem.message).collect();
        tried.fault = Some((Fault::Unexplained, told.join("\n")));
        return tried;
    }
    let fault = compare(language, peer, sides, (&case, &report, own), &mut dice, &mut tried);
    Tried { fault, ..tried }
}

/// Everything that the library says otherwise of a pair that both take.
fn compare<L: Language>(
    language: &L,
    peer: &mut Peer,
    sides: &Pair<L::Schema>,
    (case, report, own): (&Case, &Report, Option<bool>),
    dice: &mut Dice,
    tried: &mut Tried,
) -> Option<(Fault, String)> {
    let mut faults = Vec::new();
    for direction in [Direction::Backward, Direction::Forward] {
        let seen = language.worst_seen(peer, sides.as_ref(), direction, dice);
        faults.extend(seen.and_then(|seen| fault(report, direction, seen)));
    }
    for witness in witnesses(report) {
        tried.witnesses += 1;
        let told = language.replay(peer, sides.as_ref(), witness);
        faults.extend(told.map(|told| (Fault::Witness, format!("{told}\n{witness:?}"))));
    }
    if let Some(own) = own {
        tried.is_compared = true;
        let profile = Profile::all().find(|profile| profile.name == L::PROFILE).expect("it is one of ours");
        let policy = Policy { profile: Some(profile.all_in_force(RuleSet::built_in())), ..Policy::default() };
        let ours = case.report(&policy).verdict;
        if own != (ours == Verdict::Compatible) {
            faults.push((Fault::Profile, format!("the peer passes: {own}, the profile says {ours:?}")));
        }
    }
    faults.into_iter().min()
}

/// What the sides are called in requests.
pub const SIDES: Pair<&str> = Pair::new("old", "new");

/// Who writes and who reads: `old` and `new` of the answer are the writer and the reader.
pub fn roles<T>(direction: Direction, sides: Pair<T>) -> Pair<T> {
    match direction {
        Direction::Backward => sides,
        Direction::Forward => sides.mirrored(),
    }
}

/// Whether the library does not experience what was observed of a witness. Other fields of it may be hurt more.
pub fn is_unconfirmed(witness: &Evidence, seen: Outcome) -> bool {
    let Some(told) = Outcome::from_name(witness.outcome.as_str()) else { return true };
    (told == Outcome::Fails) != (seen == Outcome::Fails) || told >= Outcome::Lossy && seen < Outcome::Lossy
}

/// What was written and read on the wire, by the reader that decides.
fn witnesses(report: &Report) -> impl Iterator<Item = &Evidence> {
    let all = report.findings.iter().flat_map(|finding| &finding.evidence);
    all.filter(|one| one.runtime == SPEC && one.surface == Surface::Wire && one.status != Status::NotObservable)
        .filter(|one| !one.bytes.is_empty())
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
