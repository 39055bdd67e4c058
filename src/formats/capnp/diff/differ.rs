//! The state of one comparison: what met, what continues under which name, and what was found so far.

use std::hash::Hash;

use rustc_hash::FxHashSet;

use crate::change::{Identity, Pair};
use crate::formats::frame::comparison;
use crate::formats::frame::differ::{self, Candidate, Continued, counterparts};
use crate::ordered::OrderedMap;

use super::super::model::{EnumId, InterfaceId, Schema, StructId, Type};

/// What a comparison of this language has beside all others.
pub(super) struct Own {
    /// The interfaces that continue.
    pub(super) interfaces: Continued<InterfaceId>,
    /// Those that judged files are made of, where one side does not judge them.
    pub(super) supplied: Vec<Pair<InterfaceId>>,
    /// The changes that depend on what uses give.
    pub(super) asked: Vec<Asked>,
}

/// A change that depends on what uses give.
pub(super) struct Asked {
    pub(super) identity: Identity,
    pub(super) about: About,
}

/// What is asked of each use.
#[derive(Clone, Copy)]
pub(super) enum About {
    /// What a field holds, by the places of the fields.
    Field(Pair<StructId>, Pair<usize>),
    /// What is in all fields.
    Struct(Pair<StructId>),
    /// What travels in calls.
    Interface(Pair<InterfaceId>),
    /// What a method takes or gives: the places of the methods, and which of both.
    Data(Pair<InterfaceId>, Pair<usize>, usize),
    /// What travels in calls of an interface that is extended, by its places among them.
    Above(Pair<InterfaceId>, Pair<usize>),
}

/// Two types that meet in a field, a list or a method.
pub(super) type Met = differ::Met<StructId, EnumId>;

/// The types of different names that met where two types do.
pub(super) type Meetings = comparison::Meetings<Met>;

/// The state of one comparison.
pub(super) type Differ<'s, 'b> = comparison::Differ<'s, Schema<'b>, Own>;

impl Differ<'_, '_> {
    /// Lets the types pair that meet where the two types do, and returns those that have different names. What took the
    /// place of another type is not paired: that is told of the place.
    pub(super) fn pair_types(&mut self, types: Pair<&Type>) -> Meetings {
        let mut meetings = Meetings::default();
        self.meet_types(types, &mut meetings);
        meetings
    }

    fn meet_types(&mut self, types: Pair<&Type>, meetings: &mut Meetings) {
        match (types.old, types.new) {
            (Type::Struct(old, was), Type::Struct(new, is)) => {
                self.meet(Met::Type(Pair::new(*old, *new)), meetings);
                for (old, new) in was.types().zip(is.types()) {
                    self.meet_types(Pair::new(old, new), meetings);
                }
            }
            (Type::Enum(old), Type::Enum(new)) => self.meet(Met::Enum(Pair::new(*old, *new)), meetings),
            (Type::List(old), Type::List(new)) => self.meet_types(Pair::new(old, new), meetings),
            _ => {}
        }
    }
}

/// Which declarations of the two sides are the same: by their ids, where each is there once, then by their names.
pub(super) fn by_id_then_name<Id: Copy + Eq + Hash>(
    sides: Pair<Vec<Candidate<Id>>>,
    ids: Pair<impl Fn(Id) -> u64>,
) -> Vec<Pair<Id>> {
    by_id_then(sides, ids, counterparts)
}

/// Pairs what is left of both sides.
type Pairing<Id> = fn(Pair<Vec<Candidate<Id>>>) -> Vec<Pair<Id>>;

/// Which declarations of the two sides are the same: by their ids, where each is there once, then as is said.
pub(super) fn by_id_then<Id: Copy + Eq + Hash>(
    sides: Pair<Vec<Candidate<Id>>>,
    ids: Pair<impl Fn(Id) -> u64>,
    then: Pairing<Id>,
) -> Vec<Pair<Id>> {
    let of_side = |side: &[Candidate<Id>], id_of: &dyn Fn(Id) -> u64| {
        let mut found: OrderedMap<u64, Vec<Id>> = OrderedMap::new();
        side.iter().for_each(|one| found.entry(id_of(one.id)).or_default().push(one.id));
        found
    };
    let (old, new) = (of_side(&sides.old, &ids.old), of_side(&sides.new, &ids.new));
    let both = old.iter().filter_map(|(id, old)| match (&old[..], new.get(id).map(Vec::as_slice)) {
        ([old], Some([new])) => Some(Pair::new(*old, *new)),
        _ => None,
    });
    let mut pairs: Vec<Pair<Id>> = both.collect();
    let known = Pair::new(
        pairs.iter().map(|pair| pair.old).collect::<FxHashSet<Id>>(),
        pairs.iter().map(|pair| pair.new).collect::<FxHashSet<Id>>(),
    );
    let mut rest = sides;
    rest.old.retain(|one| !known.old.contains(&one.id));
    rest.new.retain(|one| !known.new.contains(&one.id));
    pairs.extend(then(rest));
    pairs
}
