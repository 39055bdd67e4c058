//! The state of one comparison: what met, what continues under which name, and what was found so far.

use std::collections::BTreeMap;
use std::hash::Hash;

use rustc_hash::FxHashSet;

use crate::change::{Change, Pair};
use crate::formats::frame;
use crate::formats::frame::differ::{self, Candidate, Continued, Draft, Queue, counterparts};
use crate::formats::frame::replaced::Replaced;

use super::super::model::{EnumId, InterfaceId, Schema, Sort, Struct, StructId, Type};
use super::super::pairing::Pairs;

/// What changed, and what was compared with what.
pub(super) type Diff = frame::Diff<Pairs>;

/// Two types that meet in a field, a list or a method.
pub(super) type Met = differ::Met<StructId, EnumId>;

/// The types of different names that met where two types do.
#[derive(Default)]
pub(super) struct Meetings {
    /// Those under which both may be the same.
    pub(super) renamed: Vec<Met>,
    /// Those of which one took the place of the other.
    pub(super) replaced: Vec<Met>,
}

/// The state of one comparison.
pub(super) struct Differ<'s, 'b> {
    pub(super) schemas: Pair<&'s Schema<'b>>,
    pub(super) changes: Vec<Change>,
    pub(super) queue: Queue<StructId, EnumId>,
    /// Types that found a counterpart as a declaration (by id, by name or by structure).
    pub(super) declared: Continued<StructId>,
    pub(super) declared_enums: Continued<EnumId>,
    pub(super) declared_interfaces: Continued<InterfaceId>,
    /// Changes that only say that a reference follows types under other names: index into `changes`.
    pub(super) following: Vec<(usize, Vec<Met>)>,
    /// Where a type took the place of another.
    pub(super) replaced: Replaced<Met>,
}

impl<'s, 'b> Differ<'s, 'b> {
    pub(super) fn new(schemas: Pair<&'s Schema<'b>>) -> Self {
        Self {
            schemas,
            changes: Vec::new(),
            queue: Queue::new(),
            declared: Continued::new(),
            declared_enums: Continued::new(),
            declared_interfaces: Continued::new(),
            following: Vec::new(),
            replaced: Replaced::new(),
        }
    }

    /// Asks for two structs to be compared, once. Gives them back if they have different names.
    pub(super) fn pair_structs(&mut self, types: Pair<StructId>) -> Option<Met> {
        match self.is_of_method(types) {
            true => {
                self.queue.meet_nameless(Met::Type(types));
                None
            }
            false => self.queue.meet(Met::Type(types), self.struct_names(types)),
        }
    }

    /// Asks for two enums to be compared, once. Gives them back if they have different names.
    pub(super) fn pair_enums(&mut self, types: Pair<EnumId>) -> Option<Met> {
        self.queue.meet(Met::Enum(types), self.enum_names(types))
    }

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
                let types = Pair::new(*old, *new);
                match self.is_replaced_struct(types) && !self.declared.has(types) {
                    true => meetings.replaced.push(Met::Type(types)),
                    false => meetings.renamed.extend(self.pair_structs(types)),
                }
                for (old, new) in was.iter().zip(&**is) {
                    self.meet_types(Pair::new(old, new), meetings);
                }
            }
            (Type::Enum(old), Type::Enum(new)) => {
                let types = Pair::new(*old, *new);
                match self.is_replaced_enum(types) && !self.declared_enums.has(types) {
                    true => meetings.replaced.push(Met::Enum(types)),
                    false => meetings.renamed.extend(self.pair_enums(types)),
                }
            }
            (Type::List(old), Type::List(new)) => self.meet_types(Pair::new(old, new), meetings),
            _ => {}
        }
    }

    pub(super) fn struct_names(&self, types: Pair<StructId>) -> Pair<&'s str> {
        self.structs(types).map(|of| &*of.full_name)
    }

    pub(super) fn enum_names(&self, types: Pair<EnumId>) -> Pair<&'s str> {
        let Pair { old, new } = self.schemas;
        Pair::new(&*old.enumeration(types.old).full_name, &*new.enumeration(types.new).full_name)
    }

    pub(super) fn structs(&self, types: Pair<StructId>) -> Pair<&'s Struct<'b>> {
        Pair::new(self.schemas.old.structure(types.old), self.schemas.new.structure(types.new))
    }

    pub(super) fn push(&mut self, change: Draft) {
        self.changes.push(change.finish());
    }

    /// The parameters and results of methods are no declarations of their own.
    pub(super) fn is_of_method(&self, types: Pair<StructId>) -> bool {
        let Pair { old, new } = self.structs(types);
        old.sort != Sort::Struct || new.sort != Sort::Struct
    }

    /// Whether the new type merely took the old one's place: one of the two names exists on both sides, so that no field of
    /// the one was ever a field of the other.
    pub(super) fn is_replaced_struct(&self, types: Pair<StructId>) -> bool {
        let names = self.struct_names(types);
        names.old != names.new && !self.is_of_method(types) && self.is_there_still(names)
    }

    pub(super) fn is_replaced_enum(&self, types: Pair<EnumId>) -> bool {
        let names = self.enum_names(types);
        names.old != names.new && self.is_there_still(names)
    }

    fn is_there_still(&self, names: Pair<&str>) -> bool {
        self.schemas.new.names.contains_key(names.old) || self.schemas.old.names.contains_key(names.new)
    }
}

/// Which declarations of the two sides are the same: by their ids, where each is there once, then by their names.
pub(super) fn by_id_then_name<Id: Copy + Eq + Hash>(
    sides: Pair<Vec<Candidate<Id>>>,
    ids: Pair<impl Fn(Id) -> u64>,
) -> Vec<Pair<Id>> {
    let of_side = |side: &[Candidate<Id>], id_of: &dyn Fn(Id) -> u64| {
        let mut found: BTreeMap<u64, Vec<Id>> = BTreeMap::new();
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
    pairs.extend(counterparts(rest));
    pairs
}
