//! What the data of pairs showed, put together: the worst of every identity, with the smallest witness.

use rustc_hash::FxHashSet;

use crate::change::Identity;
use crate::evidence::{Cell, Direction, Observation, Observed, Outcome, SPEC, Surface};
use crate::ordered::{InOrder, OrderedMap, OrderedSet};
use crate::parallel;

use super::outlet::Outlet;
use super::stage::{DIRECTIONS, Seen, Stage, Tally, run};

/// Longer messages are shown as long as there is room.
const LONG: usize = 1 << 11;
/// How much room the long messages of a pair of types have.
const ROOM: usize = 1 << 23;
/// One or two types are read sooner than they are handed to another thread.
const ALONE: usize = 2;
/// Pairs for each thread until what they showed is put together: the same may be seen in many of them.
const AT_ONCE: usize = 8;

/// Runs the round trips of every pair, in order; each is told what the ones before it showed.
pub(in crate::formats) fn of_each<T: Sync>(
    pairs: &[T],
    all: &mut Findings,
    run: impl Fn(&T, &Findings) -> Findings + Sync + Send,
) {
    for some in pairs.chunks(AT_ONCE * rayon::current_num_threads()) {
        let known = &*all;
        let found: Vec<Findings> = match some.len() {
            0..=ALONE => some.iter().map(|pair| run(pair, known)).collect(),
            _ => parallel::map(some, |pair| run(pair, known)),
        };
        for findings in found {
            all.types += usize::from(findings.messages > 0);
            all.merge(findings);
        }
    }
}

/// What a pair shows in both directions: in each its stage, and what is written on that.
pub(in crate::formats) fn both_ways<S: Stage>(
    changed: &FxHashSet<&Identity>,
    known: &Findings,
    stage: impl Fn(Direction) -> S,
    write: impl Fn(&S, &mut Outlet<'_>),
) -> Findings {
    let mut findings = Findings::default();
    for direction in DIRECTIONS {
        let stage = stage(direction);
        let tally = run(&stage, changed, |outlet| write(&stage, outlet));
        findings.take_in(&stage, tally, known);
    }
    findings
}

/// What the data of one pair showed.
#[derive(Default)]
pub(in crate::formats) struct Findings {
    worst: OrderedMap<(Cell, &'static str), WorstReading>,
    exercised: Vec<Cell>,
    partly: Vec<Cell>,
    /// The directions in which anything at all was written and read.
    spoken: OrderedSet<Direction>,
    types: usize,
    /// How much was written and read.
    pub(in crate::formats) messages: usize,
    /// What was left out, in words.
    pub(in crate::formats) left_out: Vec<String>,
}

/// The reading that showed the worst of something.
pub(in crate::formats) struct WorstReading {
    /// How bad.
    pub(in crate::formats) outcome: Outcome,
    /// How small.
    pub(in crate::formats) size: (usize, usize),
    /// What was read, and what another reader makes of the same; nothing where the outcome alone is known.
    pub(in crate::formats) observations: Vec<Observation>,
}

impl WorstReading {
    /// Whether it is worse than what is known, or as bad and smaller.
    fn is_better(&self, known: &WorstReading) -> bool {
        (self.outcome, known.size) > (known.outcome, self.size)
    }

    /// The same, where something that is told is better than nothing. Of a runtime beside the one that decides, harm that
    /// is told, since the other sees none or another there, counts before harm that both see.
    fn beats(&self, known: &WorstReading, runtime: &str) -> bool {
        let rank = |told: &WorstReading| {
            let is_told = !told.observations.is_empty();
            let is_its_own = runtime != SPEC && is_told && told.outcome >= Outcome::Lossy;
            (is_its_own, told.outcome, is_told, std::cmp::Reverse(told.size))
        };
        rank(self) > rank(known)
    }
}

impl Findings {
    /// Whether something as bad and as small is known.
    pub(in crate::formats) fn knows(
        &self,
        cell: &Cell,
        runtime: &'static str,
        outcome: Outcome,
        size: (usize, usize),
    ) -> bool {
        let told = WorstReading { outcome, size, observations: Vec::new() };
        self.worst
            .get(&(cell.clone(), runtime))
            .is_some_and(|known| !known.observations.is_empty() && !told.is_better(known))
    }

    /// Takes in what a stage showed, and makes witnesses of it, as far as nothing as telling is known.
    pub(in crate::formats) fn take_in<S: Stage>(&mut self, stage: &S, tally: Tally<S::Reading>, known: &Findings) {
        let direction = stage.direction();
        let mut room = Room::default();
        for ((identity, surface, runtime), worst) in &tally.worst {
            let cell = (identity.clone(), *surface, direction);
            if [&*self, known].iter().any(|known| known.knows(&cell, runtime, worst.outcome, worst.size)) {
                continue;
            }
            let mut witness = stage.witness(identity, &worst.kept);
            room.make(&mut witness.bytes);
            let other = match *runtime {
                SPEC if worst.outcome > Outcome::Defaulted => {
                    stage.second(Seen { identity, outcome: worst.outcome, kept: &worst.kept, witness: &witness })
                }
                _ => None,
            };
            let other = other.map(|(runtime, outcome, mut witness)| {
                room.make(&mut witness.bytes);
                (runtime, outcome, witness)
            });
            let told = [(*runtime, worst.outcome, witness)].into_iter().chain(other);
            let observations = told.map(|(runtime, outcome, witness)| observation(&cell, runtime, outcome, witness));
            let told = WorstReading { outcome: worst.outcome, size: worst.size, observations: observations.collect() };
            self.keep(cell, runtime, told);
        }
        self.count(stage, tally);
        self.left_out.extend(room.said(stage.type_name()));
    }

    /// Takes in what a stage showed but for the worst of it.
    pub(in crate::formats) fn count<S: Stage>(&mut self, stage: &S, tally: Tally<S::Reading>) {
        let direction = stage.direction();
        let cell = |(identity, surface): (Identity, Surface)| (identity, surface, direction);
        self.exercised.extend(tally.exercised.into_iter().map(cell));
        self.partly.extend(tally.partly.into_iter().map(cell));
        self.spoken.extend((tally.messages > 0).then_some(direction));
        self.messages += tally.messages;
        self.left_out.extend(tally.left_out);
    }

    /// Keeps a reading when it is worse than what is known, or as bad and smaller.
    pub(in crate::formats) fn keep(&mut self, cell: Cell, runtime: &'static str, told: WorstReading) {
        match self.worst.get_mut(&(cell.clone(), runtime)) {
            Some(known) if told.beats(known, runtime) => *known = told,
            Some(_) => {}
            None => {
                self.worst.insert((cell, runtime), told);
            }
        }
    }

    /// Says that identities were exercised, those that changed, in the directions in which anything was written: where
    /// nothing was, nothing is known.
    pub(in crate::formats) fn exercise(
        &mut self,
        changed: &FxHashSet<&Identity>,
        identities: impl IntoIterator<Item = Identity>,
        (surfaces, directions): (&[Surface], &[Direction]),
    ) {
        let directions: Vec<&Direction> = directions.iter().filter(|one| self.spoken.contains(one)).collect();
        for identity in identities.into_iter().filter(|identity| changed.contains(identity)) {
            let cells = surfaces.iter().flat_map(|surface| directions.iter().map(|one| (*surface, **one)));
            self.exercised.extend(cells.map(|(surface, direction)| (identity.clone(), surface, direction)));
        }
    }

    /// Adds what other data of the same pair showed.
    pub(in crate::formats) fn merge(&mut self, other: Findings) {
        self.spoken.extend(other.spoken);
        self.messages += other.messages;
        self.exercised.extend(other.exercised);
        self.partly.extend(other.partly);
        self.left_out.extend(other.left_out);
        for ((cell, runtime), told) in other.worst {
            self.keep(cell, runtime, told);
        }
    }
}

/// One reading, told about one identity.
pub(in crate::formats) fn observation(
    (identity, surface, direction): &Cell,
    runtime: &'static str,
    outcome: Outcome,
    witness: crate::evidence::Witness,
) -> Observation {
    Observation { identity: identity.clone(), runtime, surface: *surface, direction: *direction, outcome, witness }
}

/// Room for the bytes of long messages: where each of many findings has one of its own, they grow with the square of
/// the type.
pub(in crate::formats) struct Room {
    left: usize,
    hidden: usize,
}

impl Default for Room {
    fn default() -> Self {
        Room { left: ROOM, hidden: 0 }
    }
}

impl Room {
    /// Hides the bytes of a witness where there is no room for them.
    pub(in crate::formats) fn make(&mut self, bytes: &mut Vec<u8>) {
        if bytes.len() <= LONG {
            return;
        }
        match self.left.checked_sub(bytes.len()) {
            Some(left) => self.left = left,
            None => {
                self.hidden += 1;
                *bytes = Vec::new();
            }
        }
    }

    /// What was hidden, in words.
    pub(in crate::formats) fn said(&self, name: &str) -> Option<String> {
        let hidden = self.hidden;
        (hidden > 0)
            .then(|| format!("the bytes of {hidden} long messages of `{name}`; they were read, and are not shown"))
    }
}

/// What was observed of all pairs. A reader beside the one that decides is told of where it fares otherwise.
pub(in crate::formats) fn gather(mut all: Findings) -> Observed {
    let mut observed = Observed { types: all.types, ..Observed::default() };
    let decided: OrderedMap<Cell, Outcome> = all
        .worst
        .iter()
        .filter(|((_, runtime), _)| *runtime == SPEC)
        .map(|((cell, _), told)| (cell.clone(), told.outcome))
        .collect();
    let is_told = |cell: &Cell, runtime: &str, told: &WorstReading| {
        runtime == SPEC || decided.get(cell).copied().unwrap_or(Outcome::Safe) != told.outcome
    };
    let partly: OrderedSet<Cell> = all.partly.into_iter().collect();
    let exercised: OrderedSet<Cell> = all.exercised.into_iter().collect();
    observed.exercised = exercised.difference(&partly).cloned().collect();
    observed.partly = partly.into_iter().collect();
    observed.messages = all.messages;
    let mut told: Vec<((Cell, &'static str), WorstReading)> = all.worst.into_iter().collect();
    // The one that decides first; any order of the others is theirs.
    told.sort_in_order_by(|((one, first), _), ((two, second), _)| {
        (one, *first != SPEC, first).cmp(&(two, *second != SPEC, second))
    });
    for ((cell, runtime), told) in told {
        if is_told(&cell, runtime, &told) {
            observed.observations.extend(told.observations);
        }
    }
    all.left_out.sort_in_order();
    all.left_out.dedup();
    observed.left_out = all.left_out;
    observed
}
