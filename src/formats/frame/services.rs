//! Which service of the one side is which of the other, and which came and went.
//!
//! Several files may declare a service of one full name: copies of one file, each with its own callers. They are paired as
//! types are, each once, so that what one of them loses is not hidden by another.

use crate::change::Pair;
use crate::ordered::{OrderedMap, OrderedSet};

use super::differ::{Candidate, Key, by_full_name, by_simple_name, paired_by};
use super::roots::simple_name;

/// A service: where it may continue, and what can be called.
pub(crate) struct Offer<Id> {
    pub(crate) service: Candidate<Id>,
    /// Each method with all that callers notice of it.
    pub(crate) methods: Vec<String>,
    /// Of a service that several files of a side declare, what the types hold that its methods carry: types of one name
    /// may hold different things.
    pub(crate) carried: Vec<String>,
}

/// The full names that several services of a side have.
pub(crate) fn copied<'s>(names: Pair<impl Iterator<Item = &'s str>>) -> OrderedSet<&'s str> {
    let (mut old, mut new) = (OrderedSet::new(), OrderedSet::new());
    let of_old: Vec<&str> = names.old.filter(|name| !old.insert(*name)).collect();
    let of_new: Vec<&str> = names.new.filter(|name| !new.insert(*name)).collect();
    of_old.into_iter().chain(of_new).collect()
}

/// What became of services.
pub(crate) struct Services<Id> {
    /// Those that both sides have.
    pub(crate) pairs: Vec<Pair<Id>>,
    /// Those of the old side that went.
    pub(crate) gone: Vec<Id>,
    /// Those of the new side that came.
    pub(crate) come: Vec<Id>,
}

/// How far a service may have gone that has another full name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reach {
    /// It stands in the same file.
    SameFile,
    /// It is the only one of its simple name.
    Anywhere,
}

/// Pairs services: by full name, each once and in one file first, then by simple name. A copy that came or went beside one
/// that offers all that it offers is none that came or went, if a copy on the other side, or on the same terms one on its
/// own, carries what it carries.
pub(crate) fn services<Id: Copy>(sides: Pair<Vec<Offer<Id>>>, reach: Reach) -> Services<Id> {
    let candidates = sides.as_ref().map(|side| side.iter().map(|one| one.service.clone()).collect::<Vec<_>>());
    let here: Key<Id> = (|one| (simple_name(&one.name).to_owned(), one.path.clone()), None);
    let full = by_full_name().to_vec();
    let mut pairs = paired_by(candidates.as_ref().map(Vec::as_slice), &full);
    pair_rest(&candidates, &mut pairs, in_order);
    let simple: &[Key<Id>] = match reach {
        Reach::SameFile => &[here],
        Reach::Anywhere => &[here, by_simple_name()],
    };
    pair_rest(&candidates, &mut pairs, |rest| paired_by(rest, simple));
    let left = |taken: OrderedSet<usize>, here: &[Offer<Id>], there: &[Offer<Id>]| -> Vec<Id> {
        let is_copy = |at: usize, one: &Offer<Id>| is_offered(one, there) && is_carried(at, here, there);
        let alone = here.iter().enumerate().filter(|(at, one)| !taken.contains(at) && !is_copy(*at, one));
        alone.map(|(_, one)| one.service.id).collect()
    };
    let gone = left(pairs.iter().map(|at| at.old).collect(), &sides.old, &sides.new);
    let come = left(pairs.iter().map(|at| at.new).collect(), &sides.new, &sides.old);
    let pairs = pairs.iter().map(|at| Pair::new(sides.old[at.old].service.id, sides.new[at.new].service.id)).collect();
    Services { pairs, gone, come }
}

/// Pairs services by full name alone: those that judged ones are made of and that stand in files which are not judged. What
/// such files declare otherwise is nobody's here, so nothing in them came, went or has another name.
pub(crate) fn supplied<Id: Copy>(sides: Pair<Vec<Candidate<Id>>>) -> Vec<Pair<Id>> {
    let sides = sides.as_ref().map(Vec::as_slice);
    let pairs = paired_by(sides, &by_full_name());
    pairs.into_iter().map(|at| Pair::new(sides.old[at.old].id, sides.new[at.new].id)).collect()
}

/// Pairs what is not paired yet.
fn pair_rest<Id: Copy>(
    all: &Pair<Vec<Candidate<Id>>>,
    pairs: &mut Vec<Pair<usize>>,
    find: impl Fn(Pair<&[Candidate<Id>]>) -> Vec<Pair<usize>>,
) {
    let taken: Pair<OrderedSet<usize>> =
        Pair::new(pairs.iter().map(|at| at.old).collect(), pairs.iter().map(|at| at.new).collect());
    let places = |len: usize, taken: &OrderedSet<usize>| (0..len).filter(|at| !taken.contains(at)).collect::<Vec<_>>();
    let places = Pair::new(places(all.old.len(), &taken.old), places(all.new.len(), &taken.new));
    let at = |side: &[Candidate<Id>], places: &[usize]| places.iter().map(|at| side[*at].clone()).collect::<Vec<_>>();
    let rest = Pair::new(at(&all.old, &places.old), at(&all.new, &places.new));
    let found = find(rest.as_ref().map(Vec::as_slice));
    pairs.extend(found.into_iter().map(|at| Pair::new(places.old[at.old], places.new[at.new])));
}

/// Those of one full name, as they come.
fn in_order<Id>(sides: Pair<&[Candidate<Id>]>) -> Vec<Pair<usize>> {
    let index = |side: &[Candidate<Id>]| {
        let mut found: OrderedMap<String, Vec<usize>> = OrderedMap::new();
        side.iter().enumerate().for_each(|(at, one)| found.entry(one.name.clone()).or_default().push(at));
        found
    };
    let (olds, news) = (index(sides.old), index(sides.new));
    let both = olds.iter().filter_map(|(name, old)| Some((old, news.get(name)?)));
    both.flat_map(|(old, new)| old.iter().zip(new).map(|(old, new)| Pair::new(*old, *new))).collect()
}

/// Whether a service of that full name offers all that one does.
fn is_offered<Id>(one: &Offer<Id>, others: &[Offer<Id>]) -> bool {
    let mut copies = others.iter().filter(|other| other.service.name == one.service.name);
    copies.any(|copy| one.methods.iter().all(|method| copy.methods.contains(method)))
}

/// Whether another service of that full name carries all that one of this side carries: one on the other side, or one of
/// this side that is judged on the same terms, of which is told what becomes of it.
fn is_carried<Id>(at: usize, here: &[Offer<Id>], there: &[Offer<Id>]) -> bool {
    let one = &here[at];
    let others = here.iter().enumerate().filter(|(other, _)| *other != at).map(|(_, other)| other);
    let others = others.filter(|other| other.service.terms == one.service.terms).chain(there);
    let mut copies = others.filter(|other| other.service.name == one.service.name);
    copies.any(|copy| one.carried.iter().all(|carried| copy.carried.contains(carried)))
}
