//! One pair of types in one direction: everything is written, read and judged, and the worst of everything is kept.

use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::change::{Identity, Pair};
use crate::evidence::{Direction, Outcome, SPEC, Surface, Witness};
use crate::ordered::{OrderedMap, OrderedSet};
use crate::value::Value;

use super::outlet::{BUDGET, LeftOut, Outlet, none_of};

/// Both directions, in the order of reports.
pub(in crate::formats) const DIRECTIONS: [Direction; 2] = [Direction::Backward, Direction::Forward];
/// Longer data are not read.
pub(in crate::formats) const LONGEST: usize = 1 << 20;

/// Something that the writer and the reader both have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(in crate::formats) struct Sides<T> {
    /// The writer's.
    pub(in crate::formats) writer: T,
    /// The reader's.
    pub(in crate::formats) reader: T,
}

impl<T> Sides<T> {
    /// Who writes and who reads in a direction.
    pub(in crate::formats) fn of(direction: Direction, pair: Pair<T>) -> Self {
        match direction {
            Direction::Backward => Sides { writer: pair.old, reader: pair.new },
            Direction::Forward => Sides { writer: pair.new, reader: pair.old },
        }
    }

    /// The same of both.
    pub(in crate::formats) fn map<U>(self, mut of: impl FnMut(T) -> U) -> Sides<U> {
        Sides { writer: of(self.writer), reader: of(self.reader) }
    }

    /// Old and new in a direction.
    pub(in crate::formats) fn in_order(self, direction: Direction) -> Pair<T> {
        match direction {
            Direction::Backward => Pair::new(self.writer, self.reader),
            Direction::Forward => Pair::new(self.reader, self.writer),
        }
    }
}

/// Something a reader experienced that is worse than `safe`.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::formats) struct Note {
    /// What it was experienced of.
    pub(in crate::formats) identity: Identity,
    /// What was experienced.
    pub(in crate::formats) outcome: Outcome,
}

/// The worst that was experienced of each identity.
pub(in crate::formats) fn worst_of(notes: Vec<Note>) -> FxHashMap<Identity, Outcome> {
    let mut worst = FxHashMap::default();
    for Note { identity, outcome } in notes {
        let known = worst.entry(identity).or_insert(outcome);
        *known = outcome.max(*known);
    }
    worst
}

/// One pair of types in one direction.
pub(in crate::formats) trait Stage {
    /// What a witness is made from, beside the value and the bytes: how these were written, and what was read.
    type Reading;

    /// Who reads whose data.
    fn direction(&self) -> Direction;
    /// What people call the type that is written.
    fn type_name(&self) -> &str;
    /// How much is written.
    fn budget(&self) -> usize {
        BUDGET
    }
    /// Writes a value in every encoding and reads it. A reading counts only where the writer's own schema reads back what
    /// was written; otherwise the outcome is not due to the change.
    fn exchange(&self, wrote: &Rc<Value>) -> Trip<Self::Reading>;
    /// What is exercised wherever anything at all could be read: that which only the reader has.
    fn unwritten(&self) -> Vec<Identity>;
    /// The witness of what a reader experienced of an identity.
    fn witness(&self, identity: &Identity, kept: &Kept<Self::Reading>) -> Witness;
    /// What a second reader makes of a witness of harm, where there is one.
    fn second(&self, _seen: Seen<'_, Self::Reading>) -> Option<(&'static str, Outcome, Witness)> {
        None
    }
}

/// What a reader experienced of an identity.
pub(in crate::formats) struct Seen<'k, R> {
    /// Of what.
    pub(in crate::formats) identity: &'k Identity,
    /// What.
    pub(in crate::formats) outcome: Outcome,
    /// Of which exchange.
    pub(in crate::formats) kept: &'k Kept<R>,
    /// What shows it.
    pub(in crate::formats) witness: &'k Witness,
}

/// What came of one value.
pub(in crate::formats) struct Trip<R> {
    /// The readings that count.
    pub(in crate::formats) exchanges: Vec<Exchange<R>>,
    /// Encodings in which it is too long.
    pub(in crate::formats) too_long: usize,
}

impl<R> Default for Trip<R> {
    fn default() -> Self {
        Trip { exchanges: Vec::new(), too_long: 0 }
    }
}

/// One value, written and read.
pub(in crate::formats) struct Exchange<R> {
    /// The encoding.
    pub(in crate::formats) surface: Surface,
    /// Who read.
    pub(in crate::formats) runtime: &'static str,
    /// The bytes.
    pub(in crate::formats) bytes: Rc<[u8]>,
    /// The smaller, the better it shows.
    pub(in crate::formats) size: (usize, usize),
    /// What was experienced.
    pub(in crate::formats) notes: Vec<Note>,
    /// What was exercised, beside that.
    pub(in crate::formats) reached: Vec<Identity>,
    /// Whether every part was read; where the whole was rejected because of one, the others show nothing.
    pub(in crate::formats) is_whole: bool,
    /// What a witness is made from.
    pub(in crate::formats) reading: R,
}

/// What is kept of an exchange that may become a witness.
pub(in crate::formats) struct Kept<R> {
    /// The value.
    pub(in crate::formats) wrote: Rc<Value>,
    /// Which of all it was, from 0.
    pub(in crate::formats) nth: usize,
    /// The bytes.
    pub(in crate::formats) bytes: Rc<[u8]>,
    /// The rest.
    pub(in crate::formats) reading: R,
}

/// The worst that one reader experienced of one identity on one surface.
pub(in crate::formats) struct Worst<R> {
    /// How bad.
    pub(in crate::formats) outcome: Outcome,
    /// How small.
    pub(in crate::formats) size: (usize, usize),
    /// Of which exchange.
    pub(in crate::formats) kept: Rc<Kept<R>>,
}

/// What the data of a stage showed.
pub(in crate::formats) struct Tally<R> {
    /// By identity, surface and who read; nothing that is `safe`.
    pub(in crate::formats) worst: OrderedMap<(Identity, Surface, &'static str), Worst<R>>,
    /// What was exercised of that which changed.
    pub(in crate::formats) exercised: OrderedSet<(Identity, Surface)>,
    /// What was exercised only in part.
    pub(in crate::formats) partly: Vec<(Identity, Surface)>,
    /// How much was written and read.
    pub(in crate::formats) messages: usize,
    /// What was left out, in words.
    pub(in crate::formats) left_out: Vec<String>,
}

/// The worst of one identity on each surface, by who read.
type OfOne<R> = Vec<(Surface, &'static str, Worst<R>)>;

/// What the data showed so far. Identities are texts that each message names again: they are kept once.
struct Taken<'c, R> {
    changed: &'c FxHashSet<&'c Identity>,
    worst: FxHashMap<Identity, OfOne<R>>,
    /// By where the identity lies among those that changed.
    exercised: FxHashMap<(*const Identity, Surface), &'c Identity>,
    messages: usize,
}

impl<'c, R> Taken<'c, R> {
    fn take_in(&mut self, (nth, wrote): (usize, &Rc<Value>), exchange: Exchange<R>) {
        let Exchange { surface, runtime, bytes, size, notes, reached, reading, .. } = exchange;
        if runtime == SPEC {
            self.messages += 1;
            for identity in notes.iter().map(|note| &note.identity).chain(&reached) {
                self.exercise(identity, surface);
            }
        }
        let kept = Rc::new(Kept { wrote: wrote.clone(), nth, bytes, reading });
        for Note { identity, outcome } in notes.into_iter().filter(|note| note.outcome > Outcome::Safe) {
            let seen = Worst { outcome, size, kept: kept.clone() };
            let of_identity = self.worst.entry(identity).or_default();
            match of_identity.iter_mut().find(|(on, by, _)| (*on, *by) == (surface, runtime)) {
                Some((.., known)) if (outcome, known.size) > (known.outcome, size) => *known = seen,
                Some(_) => {}
                None => of_identity.push((surface, runtime, seen)),
            }
        }
    }

    /// Notes that an identity was exercised, if it changed.
    fn exercise(&mut self, identity: &Identity, surface: Surface) {
        if let Some(known) = self.changed.get(identity).copied() {
            self.exercised.insert((std::ptr::from_ref(known), surface), known);
        }
    }

    fn exercised(&self) -> impl Iterator<Item = (Identity, Surface)> {
        self.exercised.iter().map(|((_, surface), identity)| ((*identity).clone(), *surface))
    }

    fn into_tally(self, partly: Vec<(Identity, Surface)>, left_out: Vec<String>) -> Tally<R> {
        let of_identity = |(identity, seen): (Identity, OfOne<R>)| {
            seen.into_iter().map(move |(surface, runtime, worst)| ((identity.clone(), surface, runtime), worst))
        };
        let exercised = self.exercised().collect();
        Tally {
            worst: self.worst.into_iter().flat_map(of_identity).collect(),
            exercised,
            partly,
            messages: self.messages,
            left_out,
        }
    }
}

/// Writes what `generate` makes, reads it, and keeps the worst of everything.
pub(in crate::formats) fn run<S: Stage>(
    stage: &S,
    changed: &FxHashSet<&Identity>,
    generate: impl FnOnce(&mut Outlet<'_>),
) -> Tally<S::Reading> {
    let mut taken = Taken { changed, worst: FxHashMap::default(), exercised: FxHashMap::default(), messages: 0 };
    let (mut written, mut too_long) = (0, 0);
    let (mut surfaces, mut accepted) = (OrderedSet::new(), OrderedSet::new());
    let mut send = |wrote: &Rc<Value>| {
        let trip = stage.exchange(wrote);
        let is_whole = !trip.exchanges.is_empty() && trip.exchanges.iter().all(|exchange| exchange.is_whole);
        too_long += trip.too_long;
        for exchange in trip.exchanges {
            surfaces.insert(exchange.surface);
            accepted.extend(exchange.is_whole.then_some(exchange.surface));
            taken.take_in((written, wrote), exchange);
        }
        written += 1;
        is_whole
    };
    let unwritten = stage.unwritten();
    // What only the reader has is told of in each message.
    let mut outlet = Outlet::new((stage.budget(), unwritten.len()), stage.type_name(), &mut send);
    generate(&mut outlet);
    let LeftOut { words: mut left_out, partly, is_cut, is_told } = outlet.finish();
    for identity in &unwritten {
        accepted.iter().for_each(|surface| taken.exercise(identity, *surface));
    }
    let of_changed = partly.into_iter().filter(|identity| changed.contains(identity));
    let mut partly: Vec<(Identity, Surface)> =
        of_changed.flat_map(|identity| surfaces.iter().map(move |surface| (identity.clone(), *surface))).collect();
    if is_cut {
        partly.extend(taken.exercised());
    }
    let name = stage.type_name();
    if too_long > 0 {
        left_out.push(format!("{too_long} synthetic messages of `{name}`, because they are long"));
    } else if taken.messages == 0 && !is_told {
        left_out.push(none_of(name));
    }
    taken.into_tally(partly, left_out)
}
